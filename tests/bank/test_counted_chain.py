"""From cutoffs to a checked bank on an arc with counted posts: claims of code travel with claims of writers."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factory import compose, pair, points, resolve, translate
from factory.audit.leakgraph import leak_graph
from factory.audit.promises import check_bank
from factory.bank.material import occurs_in
from factory.bank.stances import words
from factory.claims import stage as claims
from factory.claims.measured import STANCE_TARGET
from factory.estimate import Sizes, estimate
from factory.sections import ComposeSettings, PointsSettings
from factory.segments import TOKEN, from_tokens, to_tokens
from factory.settings import Settings
from factory.stage import StageContext
from schemas import (
    AnonOpinion,
    AnonStatement,
    AnonTimeline,
    Bank,
    Claim,
    Pair,
    PointSet,
    Question,
    Resolution,
    StanceTarget,
    TemporalEvent,
)
from tests.bank.test_chain import STAGES, answer, arc
from tests.scripted import Call, ScriptedAsk, make_context

SHARES = [0.18, 0.27, 0.22, 0.57, 0.52, 0.77, 0.32, 0.62]
"""No share lies at a mark: of 100 posts no single one decides a day."""
STEMS = "港船桥潮岸帆锚灯缆舱桨舵"
TARGET = from_tokens("the closure of the line by ⟦COM:A⟧")


def counted_arc() -> AnonTimeline:
    nodes = []
    for number, (node, value) in enumerate(zip(arc().nodes, SHARES, strict=True)):
        said = AnonStatement(
            statement_id=f"op{number}", text={"en": from_tokens("Posts argue over the closure.")}
        )
        opinion = AnonOpinion(
            statements=(said,),
            stances={"oppose": value, "support": round(0.9 - value, 4), "neutral": 0.1},
            emotion="anger",
            n_items=100,
        )
        nodes.append(node.model_copy(update={"opinion": opinion}))
    return arc().model_copy(update={"nodes": tuple(nodes)})


def expert(call: Call) -> dict[str, Any]:
    """The careful expert of the chain, who translates each text by words of its own."""
    if call.prompt == "claims/outcomes":
        made = answer(call)
        made["outcomes"] = [
            row | {"details": []} for row in made["outcomes"] if row["statement_id"].startswith("s")
        ]
        return made
    if call.prompt != "translate/translate":
        return answer(call)
    rows = []
    for text in call.variables["texts"]:
        kept = "".join(f"⟦{token}⟧" for token in TOKEN.findall(text["text"]))
        # Every text gets words of its own: one that translates like another would be asked twice.
        digest = hashlib.sha256(text["text"].encode()).digest()[:8]
        own = "".join(STEMS[byte % len(STEMS)] for byte in digest)
        said = kept + own * max(1, len(text["text"]) // 40)
        rows.append({"number": text["number"], "text": said})
    return {"translations": rows}


def chain(root: Path, **setting: Any) -> StageContext:
    base = make_context(
        root,
        "points",
        expert,
        points=3,
        settings=Settings(
            points=PointsSettings(min_future=2), compose=ComposeSettings.model_validate(setting)
        ),
    )
    base.workspace.write(points.ANON, counted_arc())
    base.workspace.write(STANCE_TARGET, StanceTarget(text=TARGET))
    base.workspace.write_lines(resolve.PASSAGES, [])
    for name, run in STAGES:
        asyncio.run(run(replace(base, stage=name, rejections=[], reviews=[])))
    return base


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> StageContext:
    return chain(tmp_path_factory.mktemp("counted"))


def bank_of(ctx: StageContext) -> Bank:
    read = ctx.workspace.read_lines
    return Bank(
        points=ctx.workspace.read(PointSet, points.POINTS).points,
        questions=tuple(read(Question, compose.QUESTIONS)),
        events=tuple(read(TemporalEvent, compose.EVENTS)),
    )


def test_code_writes_resolves_and_asks_about_counted_posts(ctx: StageContext) -> None:
    made = {
        c.claim_id: c
        for c in ctx.workspace.read_lines(Claim, translate.EDITION_CLAIMS)
        if c.stance is not None
    }
    assert {c.kind for c in made.values()} >= {"outcome"}
    asked = [q for q in bank_of(ctx).questions if q.claim_id in made]
    assert asked
    days = {
        row.claim_id: [o.happened_on for o in row.occurrences]
        for path in (resolve.RESOLUTIONS, resolve.FABRICATION_RESOLUTIONS)
        for row in ctx.workspace.read_lines(Resolution, path)
    }
    for question in asked:
        truth = occurs_in(days[question.claim_id], question.window_start, question.window_end)
        assert question.answer == int(truth)
        assert set(question.text) == {"en", "zh"}


def test_both_editions_are_templates_around_one_translated_target(ctx: StageContext) -> None:
    assert isinstance(ctx.ask, ScriptedAsk)
    shown = [
        text["text"]
        for call in ctx.ask.calls
        if call.prompt == "translate/translate"
        for text in call.variables["texts"]
    ]
    assert not [text for text in shown if "posts about the event" in text]
    assert shown.count(to_tokens(TARGET)) == 1
    made = [
        c for c in ctx.workspace.read_lines(Claim, translate.EDITION_CLAIMS) if c.stance is not None
    ]
    ends = set()
    for claim in made:
        assert claim.stance is not None
        start = words(claim.stance, (), "zh")
        text = to_tokens(claim.text["zh"])
        assert text.startswith(start)
        ends.add(text[len(start) :])
    assert len(ends) == 1


def test_no_model_reads_them_and_auditors_are_told_what_they_are(ctx: StageContext) -> None:
    assert isinstance(ctx.ask, ScriptedAsk)
    for call in ctx.ask.calls:
        if call.prompt == "resolve/resolve":
            assert "posts about the event" not in call.variables["claims"].__repr__()
        if call.prompt == "vet/audit":
            told = "A program counts the posts" in call.system
            assert told == ("posts about the event" in call.user)


def test_the_bank_keeps_every_promise(ctx: StageContext) -> None:
    read = ctx.workspace.read_lines
    findings = check_bank(
        bank_of(ctx),
        read(Claim, translate.EDITION_CLAIMS),
        [
            *read(Resolution, resolve.RESOLUTIONS),
            *read(Resolution, resolve.FABRICATION_RESOLUTIONS),
        ],
        read(Pair, pair.PAIRS),
        ctx.workspace.read(AnonTimeline, translate.EDITION_TIMELINE),
    )
    findings += leak_graph(
        bank_of(ctx), read(Claim, translate.EDITION_CLAIMS), read(Pair, pair.PAIRS)
    )
    assert [(f.rule, f.examples) for f in findings] == []


def test_calls_keep_to_the_estimate_and_do_not_grow_with_questions(
    ctx: StageContext, tmp_path: Path
) -> None:
    def calls(run: StageContext) -> Counter[str]:
        assert isinstance(run.ask, ScriptedAsk)
        return Counter(call.prompt for call in run.ask.calls)

    arc_nodes = counted_arc().nodes
    sizes = Sizes(
        nodes=len(arc_nodes),
        points=3,
        claims=len(ctx.workspace.read_lines(Claim, claims.CLAIMS)),
        fabrications=len(ctx.workspace.read_lines(Claim, claims.FABRICATIONS)),
    )
    rows = {row.stage: row.calls for row in estimate(ctx.settings, sizes)}
    made = calls(ctx)
    assert made["claims/outcomes"] <= rows["claims"]
    assert made["resolve/resolve"] <= rows["resolve"] + rows["resolve_fabrications"]
    assert made["vet/audit"] <= rows["vet"] + rows["vet_fabrications"]
    assert made["claims/fabrications"] <= rows["fabricate"]

    larger = chain(tmp_path, prompts=2, rungs=4)
    assert len(bank_of(larger).questions) > 1.05 * len(bank_of(ctx).questions)
    for prompt in ("claims/outcomes", "resolve/resolve", "vet/audit"):
        assert calls(larger)[prompt] <= made[prompt] + 3
