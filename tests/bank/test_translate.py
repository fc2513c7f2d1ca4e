"""Promises of the second edition: one-to-one with the first in names, days and figures, or not there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory import translate
from factory.bank.agree import settle
from factory.bank.clause import known_refs, statements
from factory.bank.parity import ParityError, figures, translated
from factory.errors import AnswerFailed, FactoryError
from factory.sections import TranslateSettings
from factory.segments import date_refs, entity_refs, from_tokens, to_tokens
from factory.settings import Settings
from factory.stage import StageContext
from schemas import AnonTimeline, Cell, Claim, Lang, Occurrence, Pair, ResolverPass, Verdict
from tests.bank.story import EN, START, ZH, make_claim, story, timeline
from tests.scripted import Call, ScriptedAsk

PAIRS = {
    **dict(zip(EN, ZH, strict=True)),
    "Most posts oppose the closure of the line.": "多数帖子反对停运。",
    "safety at the pier": "码头安全",
    "⟦COM:A⟧ stops the line": "⟦COM:A⟧停运线路",
    "⟦COM:A⟧ sells the line": "⟦COM:A⟧出售线路",
    "⟦GRP:A⟧ occupies the pier": "⟦GRP:A⟧占领码头",
    "⟦GOV:A⟧ funds 3 buses": "⟦GOV:A⟧出资购置3辆巴士",
}
CLAIMS = [
    make_claim("c1", "⟦COM:A⟧ stops the line"),
    make_claim("c2", "⟦COM:A⟧ sells the line", kind="variant", family="f-c1"),
    make_claim("c3", "⟦GOV:A⟧ funds 3 buses", node="n4"),
]
FAKE = make_claim("c4", "⟦GRP:A⟧ occupies the pier", kind="fabrication", node=None, mirrors="c1")
PAIR = Pair(
    pair_id="q1",
    true_claim="c1",
    false_claim="c4",
    true_type="A",
    false_type="D",
    relation="fabrication",
    cells=(Cell(point_id="p5", prompt=0, window=30),),
)


def outgoing(ctx: StageContext) -> list[Call]:
    assert isinstance(ctx.ask, ScriptedAsk)
    return ctx.ask.calls


def resolved(claim: Claim) -> Any:
    found = Occurrence(happened_on=START, node_id="n0", statement_id="s0", quote="words")
    rows = [
        ResolverPass(sample=i, state="occurs", basis="stated", occurrences=(found,)) for i in (0, 1)
    ]
    return settle(claim, rows)


def edition(
    root: Path,
    words: dict[str, Any],
    *,
    arc: AnonTimeline | None = None,
    occurs: tuple[str, ...] = ("c1", "c3"),
    drops: tuple[str, ...] = (),
    texts_a_call: int = 30,
) -> tuple[StageContext, list[Claim]]:
    """`words` maps a text to its translation, to a list of tries, or holds nothing for a text left out."""

    def handler(call: Call) -> Any:
        rows = []
        for text in call.variables["texts"]:
            found = words.get(text["text"])
            if isinstance(found, AnswerFailed):
                return found
            if isinstance(found, list):
                found = found[call.sample]
            if found is not None:
                rows.append({"number": text["number"], "text": found})
        return {"translations": rows}

    ctx = story(
        root,
        "translate",
        handler,
        arc=arc,
        settings=Settings(translate=TranslateSettings(texts_a_call=texts_a_call)),
    )
    write = ctx.workspace.write_lines
    write(translate.CLAIMS, CLAIMS)
    write(translate.FABRICATIONS, [FAKE])
    write(translate.PAIRS, [PAIR])
    write(translate.RESOLUTIONS, [resolved(c) for c in CLAIMS if c.claim_id in occurs])
    write(
        translate.VERDICTS,
        [
            Verdict(claim_id=c, auditor=a, state="drop", fault="ambiguous")
            for c in drops
            for a in ("auditor1", "auditor3")
        ],
    )
    counts = asyncio.run(translate.run(ctx))
    kept = ctx.workspace.read_lines(Claim, translate.EDITION_CLAIMS)
    assert counts.received == counts.kept + counts.rejected
    return ctx, kept


def test_both_editions_hold_the_same_sentences_themes_names_and_days(tmp_path: Path) -> None:
    ctx, kept = edition(tmp_path, PAIRS)
    both = ctx.workspace.read(AnonTimeline, translate.EDITION_TIMELINE)
    rows = [s for node in both.nodes for s in statements(node)]
    rows += [t for node in both.nodes if node.opinion for t in node.opinion.themes]
    assert len(rows) == 10
    for text in [row.text for row in rows] + [claim.text for claim in kept]:
        assert entity_refs(text["en"]) == entity_refs(text["zh"])
        assert date_refs(text["en"]) == date_refs(text["zh"])
        assert figures(text["en"]) == figures(text["zh"])
    assert [n.node_id for n in both.nodes] == [n.node_id for n in timeline().nodes]


def test_the_master_language_stays_byte_for_byte(tmp_path: Path) -> None:
    ctx, kept = edition(tmp_path, PAIRS)
    both = ctx.workspace.read(AnonTimeline, translate.EDITION_TIMELINE)
    for node, origin in zip(both.nodes, timeline().nodes, strict=True):
        for left, right in zip(statements(node), statements(origin), strict=True):
            assert left.text["en"] == right.text["en"]
    by_id = {c.claim_id: c for c in (*CLAIMS, FAKE)}
    assert all(c.text["en"] == by_id[c.claim_id].text["en"] for c in kept)


def test_only_claims_in_use_are_translated(tmp_path: Path) -> None:
    _, kept = edition(tmp_path / "a", PAIRS)
    assert [c.claim_id for c in kept] == ["c1", "c3", "c4"]
    _, kept = edition(tmp_path / "b", PAIRS, drops=("c3",))
    assert [c.claim_id for c in kept] == ["c1", "c4"]
    _, kept = edition(tmp_path / "c", PAIRS, occurs=("c1",))
    assert [c.claim_id for c in kept] == ["c1", "c4"]


def test_a_failed_text_is_asked_once_more_with_its_problem(tmp_path: Path) -> None:
    text = "⟦GOV:A⟧ funds 3 buses"
    ctx, kept = edition(tmp_path, PAIRS | {text: ["⟦GOV:A⟧出资购置巴士", PAIRS[text]]})
    retry = [call for call in outgoing(ctx) if call.sample == 1]
    assert len(retry) == 1
    assert "missing 3" in retry[0].user
    assert [t["text"] for t in retry[0].variables["texts"]] == [text]
    assert "c3" in {c.claim_id for c in kept}
    assert ctx.rejections == []


def test_a_claim_that_fails_twice_is_rejected_with_the_reason(tmp_path: Path) -> None:
    text = "⟦GOV:A⟧ funds 3 buses"
    ctx, kept = edition(tmp_path, PAIRS | {text: "⟦GOV:A⟧出资购置4辆巴士"})
    assert "c3" not in {c.claim_id for c in kept}
    (row,) = ctx.rejections
    assert (row.item, row.reason) == ("c3", "no usable translation")
    assert row.detail == "the figures differ: missing 3, added 4"


def test_a_sentence_of_the_timeline_that_fails_twice_stops_the_stage(tmp_path: Path) -> None:
    words = PAIRS | {EN[4]: "裁定有效。"}
    with pytest.raises(FactoryError, match=r"sentence s4 .*GOV:B"):
        edition(tmp_path, words)
    assert not (tmp_path / translate.EDITION_TIMELINE).exists()
    with pytest.raises(FactoryError, match=r"sentence s0 .*no usable answer"):
        edition(tmp_path / "f", PAIRS | {EN[0]: AnswerFailed("no", reason="refused")})


def test_a_text_left_out_is_asked_again(tmp_path: Path) -> None:
    ctx, kept = edition(tmp_path, {k: v for k, v in PAIRS.items() if "buses" not in k})
    assert [c.claim_id for c in kept] == ["c1", "c4"]
    assert "0 translations" in ctx.rejections[0].detail


def test_claims_are_translated_beside_the_sentences_of_their_day(tmp_path: Path) -> None:
    ctx, _ = edition(tmp_path, PAIRS)
    claims = [call for call in outgoing(ctx) if call.item.startswith("claims")]
    assert ZH[5] in claims[0].user
    assert ZH[0] not in claims[0].user


def test_texts_are_batched(tmp_path: Path) -> None:
    ctx, _ = edition(tmp_path, PAIRS, texts_a_call=4)
    items = [call.item for call in outgoing(ctx)]
    assert items == ["timeline-001", "timeline-002", "timeline-003", "claims-001"]


def test_a_chinese_arc_gets_an_english_edition(tmp_path: Path) -> None:
    english = {zh: en for en, zh in PAIRS.items()}

    def handler(call: Call) -> dict[str, Any]:
        rows = call.variables["texts"]
        return {"translations": [{"number": r["number"], "text": english[r["text"]]} for r in rows]}

    ctx = story(tmp_path, "translate", handler, arc=timeline(lang="zh"))
    for path in (translate.CLAIMS, translate.RESOLUTIONS, translate.VERDICTS):
        ctx.workspace.write_lines(path, [])
    ctx.workspace.write_lines(translate.FABRICATIONS, [])
    ctx.workspace.write_lines(translate.PAIRS, [])
    asyncio.run(translate.run(ctx))
    both = ctx.workspace.read(AnonTimeline, translate.EDITION_TIMELINE)
    assert to_tokens(both.nodes[0].fact[0].text["en"]) == EN[0]


# -- parity --------------------------------------------------------------------------------------

KNOWN = known_refs(timeline().nodes)


def check(source: str, text: str, target: Lang = "zh", *, is_claim: bool = False) -> None:
    translated(text, from_tokens(source), target, KNOWN, is_claim=is_claim)


@pytest.mark.parametrize(
    ("source", "text", "target", "problem"),
    [
        (EN[0], "⟦GOV:A⟧称渡轮线路的码头出现裂缝。", "zh", "references differ: missing ⟦COM:A⟧"),
        (EN[2], "⟦GOV:A⟧要求⟦COM:A⟧⟦COM:A⟧减少班次。", "zh", "added ⟦COM:A⟧"),
        (EN[1], "⟦GRP:A⟧递交有4,300人签名的请愿书。", "zh", "figures differ"),
        (EN[1], "⟦GRP:A⟧ hands in 4,200 signatures.", "zh", "holds no Chinese"),
        (EN[2], "⟦GOV:A⟧要求⟦COM:A⟧ to run fewer crossings。", "zh", "English is left"),
        (ZH[2], "⟦GOV:A⟧ orders ⟦COM:A⟧ to 减少 crossings.", "en", "Chinese is left"),
        (ZH[2], "⟦GOV:A⟧ orders ⟦COM:A⟧ to run fewer crossings。", "en", "punctuation"),
        (EN[2], "⟦GOV:A⟧要求⟦COM:A⟧…", "zh", "breaks off"),
        (EN[2], "⟦GOV:A⟧令⟦COM:B⟧", "zh", "references differ"),
        (EN[2], "  ", "zh", "empty"),
        (EN[2], "⟦GOV:X⟧要求⟦COM:A⟧减少班次。", "zh", "unknown reference"),
        (
            "⟦COM:A⟧ stops on ⟦D:2031-04-05⟧.",
            "⟦COM:A⟧于⟦D:2031-04-06⟧停运。",
            "zh",
            "dates differ: missing ⟦2031-04-05/2031-04-05⟧",
        ),
        (
            "The council debated for two days whether the line of ⟦COM:A⟧ should be closed, moved or "
            "rebuilt, and heard the harbour master, two engineers and a speaker of the traders.",
            "⟦COM:A⟧，议会。",
            "zh",
            "too short",
        ),
    ],
)
def test_a_translation_that_loses_or_leaves_something_is_refused(
    source: str, text: str, target: Lang, problem: str
) -> None:
    with pytest.raises(ParityError, match=problem):
        check(source, text, target)


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("客流下降12.5%。", "Passengers fall by 12.5 per cent."),
        ("费用为2.5千万元。", "It costs 25 million yuan."),
        ("共有3千人到场。", "A crowd of 3,000 people came."),
        ("预算为1.2万亿元。", "The budget is 1.2 trillion yuan."),
        ("会议定于3月5日举行。", "The meeting is set for 5 March."),
        ("上升5个百分点。", "It rises by 5 percentage points."),
        ("有1.2万人签名。", "It gets 12,000 signatures."),
        ("三名官员辞职。", "Three officials resign."),
    ],
)
def test_figures_are_the_same_in_either_language_s_spelling(chinese: str, english: str) -> None:
    check(chinese, english, "en")
    check(english, chinese, "zh")


def test_a_translated_claim_is_a_clause_too() -> None:
    with pytest.raises(ParityError, match="time expression"):
        check("⟦COM:A⟧ stops the line", "⟦COM:A⟧近日停运线路", is_claim=True)
    text = translated(
        "⟦COM:A⟧停运线路。", from_tokens("⟦COM:A⟧ stops the line"), "zh", KNOWN, is_claim=True
    )
    assert to_tokens(text) == "⟦COM:A⟧停运线路"


@given(
    st.sampled_from(list(zip(EN, ZH, strict=True))),
    st.sampled_from(["⟦COM:A⟧", "7", "⟦D:2031-04-05⟧"]),
)
@settings(max_examples=40)
def test_adding_any_reference_day_or_figure_is_seen(pair: tuple[str, str], extra: str) -> None:
    source, text = pair
    check(source, text)
    with pytest.raises(ParityError, match="differ"):
        check(source, f"{text}，{extra}")


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        ("leaves at 10.30 p.m. with 3 boats", "晚上10时30分开出3艘船"),
        ("starts at 5.40 in the morning", "清晨5时40分开始"),
        ("starts at 5.40 in the evening", "傍晚5时40分开始"),
        ("gives water from 6 to 22 hours", "每天6时至22时供水"),
        ("runs from 6 a.m. to 10 p.m.", "上午6时至晚上10时运行"),
        ("meets at 7:30 pm", "晚上7点半开会"),
        ("opens at 12 p.m. for 200 guests", "中午12时接待200名客人"),
    ],
)
def test_a_time_of_day_is_the_same_figure_in_both_languages(en: str, zh: str) -> None:
    assert figures(from_tokens(en)) == figures(from_tokens(zh))


def test_different_times_differ() -> None:
    assert figures(from_tokens("at 10.30 p.m.")) != figures(from_tokens("上午10时30分"))
