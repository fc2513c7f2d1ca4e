"""The sample that a person accepts or rejects: drawn once, void when its content changes, and followed by the run."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer

from factory import pipeline
from factory.acceptance import Drawn, Rejected, accepted, content, decided, draw, rejected_nodes
from factory.audit.gates import SAMPLE
from factory.cli import review as command
from factory.errors import BadInput, GateRefused
from factory.events import Event, open_event
from factory.forecast.baselines import run as run_baselines
from factory.release import CHECK, RELEASE, run
from factory.reviewing import review_sample, settle
from factory.running import run_event
from factory.stage import StageContext
from schemas import (
    AnonNode,
    BankReport,
    CheckReport,
    Gate,
    Pair,
    Question,
    ReviewSample,
    TemporalEvent,
)
from tests import example_event as example
from tests.scripted import make_context
from tests.test_cli import factory

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def example_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("example")
    example.write_workspace(root)
    asyncio.run(run_baselines(make_context(root, "baselines")))
    return root


@pytest.fixture
def ctx(example_root: Path, tmp_path: Path) -> StageContext:
    """The small event before its release."""
    shutil.copytree(example_root, tmp_path / "event")
    return make_context(tmp_path / "event", "release", fictional=True, topic=example.TITLE)


def rows_of(ctx: StageContext) -> tuple[list[Question], list[AnonNode]]:
    questions = ctx.workspace.read_lines(Question, pipeline.QUESTIONS)
    return questions, list(example.anonymised().nodes)


def gate(ctx: StageContext, name: str) -> Gate:
    return next(g for g in ctx.workspace.read(CheckReport, CHECK).gates if g.name == name)


# -- the draw --------------------------------------------------------------------------------------


def many(questions: list[Question], count: int) -> list[Question]:
    return [
        questions[n % len(questions)].model_copy(update={"question_id": f"q{n}"})
        for n in range(count)
    ]


def test_the_sample_depends_on_seed_and_content_alone(ctx: StageContext) -> None:
    questions, nodes = rows_of(ctx)
    bank = many(questions, 200)
    first = draw(bank, nodes, seed=7, size=SAMPLE)
    assert first == draw(bank[::-1], nodes[::-1], seed=7, size=SAMPLE)
    assert first != draw(bank, nodes, seed=8, size=SAMPLE)
    kinds = [row.kind for row in first]
    assert (len(kinds), kinds.count("node")) == (SAMPLE, SAMPLE // 4)
    assert len({row.review_id for row in first}) == SAMPLE


def test_a_question_that_goes_changes_one_place_of_the_sample(ctx: StageContext) -> None:
    questions, nodes = rows_of(ctx)
    bank = many(questions, 200)
    before = draw(bank, nodes, seed=7, size=SAMPLE)
    gone = before[-1].row_id
    after = draw([q for q in bank if q.question_id != gone], nodes, seed=7, size=SAMPLE)
    assert len({row.row_id for row in after} - {row.row_id for row in before}) == 1
    rest = [q for q in bank if q.question_id not in {row.row_id for row in before}]
    assert draw([q for q in bank if q != rest[0]], nodes, seed=7, size=SAMPLE) == before


@pytest.mark.parametrize(("asked", "days"), [(3, 8), (40, 2), (0, 30), (6, 0), (0, 0), (18, 8)])
def test_a_small_bank_is_sampled_whole_and_no_more(
    ctx: StageContext, asked: int, days: int
) -> None:
    questions, nodes = rows_of(ctx)
    arc = [nodes[0].model_copy(update={"node_id": f"n{n}"}) for n in range(days)]
    sample = draw(many(questions, asked), arc, seed=7, size=SAMPLE)
    assert len(sample) == len(set(sample_ids(sample))) == min(SAMPLE, asked + days)


def sample_ids(sample: list[Drawn]) -> list[str]:
    return [row.row_id for row in sample]


def test_a_content_digest_follows_what_is_judged_and_nothing_else(ctx: StageContext) -> None:
    questions, nodes = rows_of(ctx)
    question = next(q for q in questions if q.evidence)
    same = question.model_copy(update={"difficulty": "hard", "prompt": 9})
    assert content(same) == content(question)
    for change in (
        {"text": {**question.text, "zh": "另一个问题"}},
        {"answer": 1 - question.answer},
        {"evidence": question.evidence[:-1]},
        {"window_end": question.window_end.replace(year=2030)},
    ):
        assert content(question.model_copy(update=change)) != content(question), change
    fact = nodes[0].fact
    assert content(nodes[0].model_copy(update={"fact": fact[:-1]})) != content(nodes[0])


def test_the_last_decision_counts(ctx: StageContext) -> None:
    questions, nodes = rows_of(ctx)
    sample = draw(questions, nodes, seed=7, size=SAMPLE)
    row = next(row for row in sample if isinstance(row.row, Question))
    assert isinstance(row.row, Question)
    yes = decided(row.review_id, "accept", note="", at=NOW)
    no = decided(f"claim:{row.row.claim_id}", "reject", note="why", at=NOW)
    keep = decided(f"claim:{row.row.claim_id}", "keep", note="", at=NOW)
    assert accepted(sample, [yes]) == [row]
    assert accepted(sample, [yes, no]) == []
    assert accepted(sample, [yes, no, keep]) == [row]
    assert Rejected.among([no]).claims == {row.row.claim_id}
    assert Rejected.among([no, keep]) == Rejected()
    node = Drawn(nodes[0])
    against = decided(node.review_id, "reject", note="wrong day", at=NOW)
    assert rejected_nodes(nodes, [against]) == [(nodes[0], "wrong day")]
    assert not rejected_nodes(nodes, [against, decided(node.review_id, "accept", note="", at=NOW)])


# -- the release -----------------------------------------------------------------------------------


def test_the_gate_counts_what_was_accepted_and_still_says_the_same(ctx: StageContext) -> None:
    questions, nodes = rows_of(ctx)
    sample = draw(questions, nodes, seed=ctx.event.seed, size=SAMPLE)
    ctx.workspace.decide(*(decided(r.review_id, "accept", note="", at=NOW) for r in sample[:-1]))
    asyncio.run(run(ctx))
    assert gate(ctx, "review").measure.startswith(f"{len(sample) - 1} of {len(sample)} ")
    assert gate(ctx, "review").state == "waived"
    ctx.workspace.decide(decided(sample[-1].review_id, "accept", note="", at=NOW))
    asyncio.run(run(ctx))
    assert gate(ctx, "review").state == "passed"
    path = ctx.workspace.path(pipeline.QUESTIONS)
    row = next(r.row for r in sample if isinstance(r.row, Question) and r.row.answer == 0)
    changed = [
        q.model_copy(update={"evidence": q.evidence[:-1] if q.evidence else q.evidence,
                             "text": {**q.text, "en": q.text["en"] + " "}})
        if q.question_id == row.question_id else q
        for q in questions
    ]  # fmt: skip
    ctx.workspace.write_lines(str(path.relative_to(ctx.workspace.root)), changed)
    with pytest.raises(GateRefused):  # the changed words break other promises too
        asyncio.run(run(ctx))
    assert gate(ctx, "review").measure.startswith(f"{len(sample) - 1} of {len(sample)} ")


@pytest.mark.parametrize("force", [False, True])
def test_a_rejected_node_blocks_even_a_fictional_event_until_it_changes(
    ctx: StageContext, force: bool
) -> None:
    _, nodes = rows_of(ctx)
    ctx.force = force
    ctx.workspace.decide(decided(Drawn(nodes[2]).review_id, "reject", note="no such vote", at=NOW))
    with pytest.raises(GateRefused, match=r"rejected node .*no such vote.*run again from distil"):
        asyncio.run(run(ctx))
    assert not ctx.workspace.exists(RELEASE)
    assert ctx.workspace.exists(CHECK)
    old = decided(f"node:{nodes[2].node_id}:0123456789", "reject", note="of other words", at=NOW)
    ctx.workspace.write_lines("decisions.jsonl", [old])
    asyncio.run(run(ctx))
    assert ctx.workspace.exists(RELEASE)


def test_a_pair_lost_before_the_bank_is_no_missing_twin(ctx: StageContext) -> None:
    """A pair that lacks an edition is left out whole by the composer, which breaks no promise."""
    questions, _ = rows_of(ctx)
    lost = questions[0].pair_id
    kept = [q for q in questions if q.pair_id != lost]
    report = ctx.workspace.read(BankReport, pipeline.BANK_REPORT)
    points = {p: sum(q.point_id == p for q in kept) for p in report.points}
    ctx.workspace.write_lines(pipeline.QUESTIONS, kept)
    ctx.workspace.write(
        pipeline.BANK_REPORT,
        report.model_copy(
            update={"questions": len(kept), "pairs": report.pairs - 1, "points": points,
                    "quotas": tuple(share(line, kept) for line in report.quotas)}
        ),
    )  # fmt: skip
    asyncio.run(run_baselines(make_context(ctx.workspace.root, "baselines")))
    ctx.force = True
    asyncio.run(run(ctx))
    assert gate(ctx, "mirror").state == "passed"
    one_side = [q for q in kept if q.question_id != kept[0].question_id]
    ctx.workspace.write_lines(pipeline.QUESTIONS, one_side)
    with pytest.raises(GateRefused, match="mirror"):
        asyncio.run(run(ctx))


def share(line: Any, questions: list[Question]) -> Any:
    kind, _, value = line.name.partition(" ")
    hits = [q for q in questions if value == (q.type if kind == "type" else str(q.window_days))]
    return line.model_copy(update={"got": len(hits) / len(questions)})


# -- the demo: settle, run, settle again -----------------------------------------------------------


@pytest.fixture
def demo(finished_demo: Path, tmp_path: Path) -> Event:
    root = tmp_path / "workspaces" / "demo"
    shutil.copytree(finished_demo, root)
    return open_event(root)


def questions_of(event: Event) -> list[Question]:
    return event.workspace.read_lines(Question, pipeline.QUESTIONS)


def test_every_row_is_shown_with_its_evidence(demo: Event) -> None:
    sample = review_sample(demo)
    assert len(sample.rows) == sample.needed == SAMPLE
    assert {row.state for row in sample.rows} == {"open"}
    for row in sample.rows:
        assert set(row.text) == {"en", "zh"}
        assert row.chain
        if row.kind == "node" or row.answer == "yes":
            assert "“" in "".join(row.chain), "quotes of sources"
    untrue = [row for row in sample.rows if row.answer == "no"]
    assert untrue
    assert all("claim: " in row.chain[0] for row in untrue)


def test_a_rejected_question_takes_its_claim_and_twin_along_and_stays_away(demo: Event) -> None:
    rows = {q.question_id: q for q in questions_of(demo)}
    sample = review_sample(demo)
    row = next(r for r in sample.rows if r.kind == "question" and r.answer == "yes")
    claim = rows[row.row_id].claim_id
    [pair] = [
        p
        for p in demo.workspace.read_lines(Pair, pipeline.PAIRS)
        if claim in (p.true_claim, p.false_claim)
    ]
    others = [r.row_id for r in sample.rows if r.row_id != row.row_id]
    settle(demo, accept=others, reject=[row.row_id], reason="it reads two ways", now=NOW)
    shown = {r.row_id: r for r in review_sample(demo).rows}[row.row_id]
    assert (shown.state, shown.reason) == ("rejected", "it reads two ways")
    outcome = run_event(demo, force=True)
    assert outcome.ran == ["compose", "baselines", "release"]
    left = questions_of(demo)
    assert {q.question_id for q in rows.values()} - {q.question_id for q in left} == {
        q.question_id for q in rows.values() if q.pair_id == pair.pair_id
    }
    assert not any(q.pair_id == pair.pair_id for q in left)
    dated = demo.workspace.read_lines(TemporalEvent, pipeline.EVENTS)
    assert claim not in {e.claim_id for e in dated}
    states = {g.name: g.state for g in demo.workspace.read(CheckReport, CHECK).gates}
    assert {states[n] for n in ("leak", "labels", "structure", "parity", "mirror")} == {"passed"}
    after = review_sample(demo)
    assert [r.in_force for r in after.rejected] == [True]
    kept = {r.row_id for r in after.rows if r.state == "accepted"}
    gone = {q.question_id for q in rows.values() if q.pair_id == pair.pair_id}
    assert kept == set(others) - gone, "what says the same stays accepted"
    assert run_event(demo, from_stage="pair", force=True).ran[0] == "pair"
    assert not any(q.claim_id == claim for q in questions_of(demo)), "it survives a rerun"
    settle(demo, accept=[claim], now=NOW)
    run_event(demo, force=True)
    assert questions_of(demo) == list(rows.values()), "withdrawn, the old bank is back"


def test_a_rejected_cell_takes_only_its_twin_along(demo: Event) -> None:
    rows = questions_of(demo)
    question = next(q for q in rows if sum(other.claim_id == q.claim_id for other in rows) > 1)
    settle(demo, reject=[question.question_id], reason="odd window", cell=True, now=NOW)
    run_event(demo, to_stage="compose")
    gone = {q.question_id for q in rows} - {q.question_id for q in questions_of(demo)}
    cell = (question.pair_id, question.point_id, question.prompt, question.window_days)
    assert gone == {
        q.question_id for q in rows if (q.pair_id, q.point_id, q.prompt, q.window_days) == cell
    }
    assert len(gone) == 2


def test_a_rejected_dated_event_goes_with_its_claim(demo: Event) -> None:
    event = demo.workspace.read_lines(TemporalEvent, pipeline.EVENTS)[0]
    settle(demo, reject=[event.event_id], reason="known before", now=NOW)
    run_event(demo, to_stage="compose")
    dated = demo.workspace.read_lines(TemporalEvent, pipeline.EVENTS)
    assert event.claim_id not in {e.claim_id for e in dated}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"accept": ["q-none"]}, "no question or node 'q-none' is in the sample of demo"),
        ({"reject": ["QUESTION"]}, 'a rejection needs its reason; add --reason "WORDS"'),
        ({"reject": ["QUESTION"], "reason": "  "}, "needs its reason"),
        ({"reject": ["q-none"], "reason": "x"}, "no question, dated event or node 'q-none'"),
        ({"accept": ["QUESTION"], "reject": ["QUESTION"], "reason": "x"}, "at once"),
        ({"reject": ["NODE"], "reason": "x", "cell": True}, "is a node"),
        ({"reject": ["EVENT"], "reason": "x", "cell": True}, "is a dated event"),
        ({"accept": ["OUTSIDE"]}, "is not in the sample"),
        ({"reason": "x"}, "--reason belongs to a rejection"),
        ({"cell": True}, "--cell belongs to a rejection"),
        ({"accept": ["QUESTION, q-none"]}, "'q-none'"),
    ],
)
def test_a_mistake_settles_nothing(
    demo: Event, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    rows = review_sample(demo).rows
    dated = demo.workspace.read_lines(TemporalEvent, pipeline.EVENTS)
    known = {row.row_id for row in rows}
    names = {
        "QUESTION": next(row.row_id for row in rows if row.kind == "question"),
        "NODE": next(row.row_id for row in rows if row.kind == "node"),
        "EVENT": dated[0].event_id,
        "OUTSIDE": next(q.question_id for q in questions_of(demo) if q.question_id not in known),
    }
    for option in ("accept", "reject"):
        for name, row_id in names.items():
            options = options | {option: [x.replace(name, row_id) for x in options.get(option, ())]}
    with pytest.raises(BadInput) as refused:
        command.review("demo", workspace=tmp_path / "workspaces", **options)
    assert words in str(refused.value)
    assert not demo.workspace.exists("decisions.jsonl")


def test_the_command_lists_settles_and_keeps_its_schema(demo: Event, tmp_path: Path) -> None:
    done = factory("review", "demo", "--list", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    sample = ReviewSample.model_validate_json(done.stdout)
    assert sample == review_sample(demo)
    ids = [row.row_id for row in sample.rows]
    done = factory(
        "review", "demo", "--accept", ids[0], "--accept", ",".join(ids[1:3]), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "sample: 3 of 20 rows accepted, 17 open" in done.stdout
    done = factory("review", "demo", "--reject", ids[3], "--reason", "two votes", cwd=tmp_path)
    assert "two votes (blocks the release)" in done.stdout
    done = factory("run", "demo", cwd=tmp_path)
    assert done.returncode == 1
    assert "two votes" in done.stderr
    done = factory("review", "demo", "--accept", ids[3], cwd=tmp_path)
    assert "sample: 4 of 20 rows accepted" in done.stdout
    assert factory("run", "demo", cwd=tmp_path).returncode == 0
    manifest = json.loads((tmp_path / "workspaces/demo/09_release/manifest.json").read_text())
    [gate] = [g for g in manifest["gates"] if g["name"] == "review"]
    assert gate["measure"].startswith("4 of 20 ")
    whole = factory("review", "demo", "--list", cwd=tmp_path).stdout
    assert all(row_id in whole for row_id in ids)
    assert json.loads(factory("review", "demo", "--json", cwd=tmp_path).stdout) == []


def test_on_a_terminal_each_open_row_is_asked_and_stored_at_once(
    demo: Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = review_sample(demo)
    answers = iter(["a", "maybe", "s", "r", "reads two ways", "q"])
    monkeypatch.setattr(typer, "prompt", lambda *_args, **_options: next(answers))
    after = command._walk(demo, sample)
    states = [row.state for row in after.rows]
    assert states[:3] == ["accepted", "open", "rejected"]
    assert set(states[3:]) == {"open"}
    assert after.rejected[0].reason == "reads two ways"
    assert f"1 of {SAMPLE}" in capsys.readouterr().out


def test_words_of_sources_cannot_steer_the_terminal() -> None:
    assert command._plain("a\x1b[2Jb\u202ec\n好👩\u200d🚒") == "a\ufffd[2Jb\ufffdc\n好👩\u200d🚒"


def test_an_event_without_a_bank_has_no_sample_yet(demo: Event) -> None:
    demo.workspace.path(pipeline.QUESTIONS).unlink()
    assert review_sample(demo).rows == ()
    with pytest.raises(
        BadInput, match=r"no bank to review yet; continue it with `factory run demo`"
    ):
        settle(demo, accept=["q"], now=NOW)


def test_a_bank_older_than_what_it_rests_on_is_not_reviewed(demo: Event) -> None:
    path = demo.workspace.path(pipeline.CLAIMS)
    path.write_text(path.read_text() + "\n")
    row = review_sample(demo).rows[0]
    with pytest.raises(BadInput, match="older than what it rests on"):
        settle(demo, accept=[row.row_id], now=NOW)
