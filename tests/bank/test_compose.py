"""Composition: labels at every boundary, twins that stand or fall together, neutral order."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from pathlib import Path

import pytest

from factory import compose as stage
from factory.audit.promises import check_bank
from factory.bank.dated import EDGES, first_day
from factory.bank.phrasing import BOTH_INCLUDED, dates_in
from factory.compose import compose
from factory.errors import BadInput
from factory.sections import ComposeSettings
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Bank,
    BankReport,
    Cell,
    Pair,
    Question,
    Span,
    TemporalEvent,
)
from tests.bank.arcs import (
    Built,
    arc16,
    build,
    demo_arc,
    make_claim,
    make_points,
    new_id,
    occurrence,
    resolved,
    segments,
    wording,
)
from tests.scripted import make_context

CUTOFF = date(2031, 5, 1)
UNTIL = CUTOFF + timedelta(days=14)


def one_pair(day: date) -> tuple[Bank, list[object]]:
    """A bank with one pair asked over 7 and 14 days; the true side happens on `day`."""
    statement = AnonStatement(statement_id="s1", text=segments(wording(1)))
    before = AnonNode(
        node_id="n0",
        date=CUTOFF - timedelta(days=3),
        fact=(AnonStatement(statement_id="s0", text=segments(wording(5))),),
    )
    node = AnonNode(node_id="n1", date=day, fact=(statement,))
    timeline = AnonTimeline(
        public_id="e",
        lang="en",
        span=Span(observed_from=before.date, observed_until=max(UNTIL, day)),
        nodes=(before, node),
    )
    true = make_claim(claim_id="c1", family_id="f1", node_id="n1", text=segments(wording(1)))
    false = make_claim(
        claim_id="c2", family_id="f2", kind="fabrication", mirrors="c1", text=segments(wording(9))
    )
    resolutions = [resolved("c1", (occurrence(node, statement),)), resolved("c2", ())]
    points = make_points(timeline.nodes, [CUTOFF])
    cells = tuple(Cell(point_id=points[0].point_id, prompt=0, window=w) for w in (7, 14))
    pair = Pair(
        pair_id="p1", true_claim="c1", false_claim="c2", true_type="A", false_type="D",
        relation="fabrication", cells=cells,
    )  # fmt: skip
    bank = compose(
        points, [true, false], resolutions, [pair], span=timeline.span, dropped=set(),
        settings=ComposeSettings(), seed=7, new_id=new_id,
    ).bank  # fmt: skip
    return bank, [[true, false], resolutions, [pair], timeline]


@pytest.mark.parametrize(
    ("offset", "short", "long"),
    [(0, 1, 1), (7, 1, 1), (8, 0, 1), (14, 0, 1), (15, 0, 0)],
    ids=["first day", "last day", "the day after", "observed_until", "after the long window"],
)
def test_window_label_and_text_agree_at_every_boundary(offset: int, short: int, long: int) -> None:
    bank, rest = one_pair(CUTOFF + timedelta(days=offset))
    asked = {q.window_days: q for q in bank.questions if q.claim_id == "c1"}
    assert (asked[7].answer, asked[14].answer) == (short, long)
    for window, q in asked.items():
        assert (q.window_start, q.window_end) == (CUTOFF, CUTOFF + timedelta(days=window))
        for lang in ("en", "zh"):
            assert dates_in(q.text[lang], lang) == [q.window_start, q.window_end]  # type: ignore[index,arg-type]
            assert BOTH_INCLUDED[lang] in q.text[lang]  # type: ignore[index]
    found = {f.rule for f in check_bank(bank, *rest)}  # type: ignore[arg-type]
    labels = {"label", "label-evidence", "window-text", "window-start", "beyond-observed"}
    assert not found & labels
    # A false answer on the true side is no mirror: the audit must say so.
    assert ("twin-labels" in found) == (0 in (short, long))


def test_evidence_of_a_false_answer_is_what_comes_later() -> None:
    bank, _ = one_pair(CUTOFF + timedelta(days=8))
    asked = {(q.claim_id, q.window_days): q for q in bank.questions}
    assert [o.happened_on for o in asked["c1", 7].evidence] == [CUTOFF + timedelta(days=8)]
    assert asked["c2", 7].evidence == ()


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def test_a_side_without_an_edition_takes_its_twin_along(built: Built) -> None:
    victim = built.pairs[0]
    claims = [
        c.model_copy(update={"text": {"en": c.text["en"]}})
        if c.claim_id == victim.false_claim
        else c
        for c in built.claims
    ]
    composed = compose(
        built.arc.points, claims, built.resolutions, built.pairs, span=built.arc.timeline.span,
        dropped=set(), settings=ComposeSettings(), seed=7, new_id=new_id,
    )  # fmt: skip
    assert [pair_id for pair_id, _ in composed.lost_pairs] == [victim.pair_id]
    asked = {q.pair_id for q in composed.bank.questions}
    assert asked == {p.pair_id for p in built.pairs} - {victim.pair_id}
    remaining = [p for p in built.pairs if p != victim]
    findings = check_bank(composed.bank, claims, built.resolutions, remaining, built.arc.timeline)
    assert findings == []


def test_rows_are_ordered_by_id_and_ids_say_nothing(built: Built) -> None:
    ids = [q.question_id for q in built.bank.questions]
    assert ids == sorted(ids)
    answers = [q.answer for q in built.bank.questions]
    first = sum(answers[: len(answers) // 2]) / (len(answers) // 2)
    assert 0.3 < first < 0.7


def test_both_sides_of_a_twin_cell_use_the_same_phrasing(built: Built) -> None:
    openings: dict[tuple[str, str, int], set[str]] = {}
    for q in built.bank.questions:
        claim = next(c for c in built.claims if c.claim_id == q.claim_id)
        shape = q.text["zh"].replace(
            "".join(s.text for s in claim.text["zh"] if s.kind == "text"), "…"
        )
        label = next(s.label for s in claim.text["zh"] if s.kind == "entity")
        shape = shape.replace(f"机关{label}", "X")
        openings.setdefault((q.pair_id, q.point_id, q.window_days), set()).add(shape)
    assert all(len(shapes) == 1 for shapes in openings.values())
    assert len({next(iter(s))[:4] for s in openings.values()}) >= 4


def test_temporal_claims_stay_out_of_the_calibration_exam_of_their_point(built: Built) -> None:
    asked = {(q.point_id, q.family_id) for q in built.bank.questions}
    assert built.bank.events
    assert not asked & {(e.point_id, e.family_id) for e in built.bank.events}


def test_thinning_keeps_the_share_and_prefers_bucket_edges(built: Built) -> None:
    thin = build(built.arc, settings=ComposeSettings(thin=0.5)).bank.events
    whole = built.bank.events
    assert len(thin) == -(-len(whole) // 2)
    cutoffs = {p.point_id: p.cutoff for p in built.bank.points}

    def distance(events: tuple[TemporalEvent, ...]) -> float:
        days = [(e.date - cutoffs[e.point_id]).days for e in events]
        return sum(min(abs(d - edge) for edge in EDGES) for d in days) / len(days)

    assert distance(thin) < distance(whole)


def test_the_day_of_an_event_is_its_first_one_from_the_cutoff_on() -> None:
    _, rest = one_pair(CUTOFF)
    (occurs,) = rest[1][0].occurrences  # type: ignore[index]
    later = occurs.model_copy(update={"happened_on": CUTOFF + timedelta(days=20)})
    past = occurs.model_copy(update={"happened_on": CUTOFF - timedelta(days=1)})
    far = CUTOFF + timedelta(days=200)
    assert first_day([later, occurs], CUTOFF, far) == CUTOFF
    assert first_day([past], CUTOFF, far) is None
    assert first_day([past, later], CUTOFF, far) == later.happened_on
    assert first_day([later], CUTOFF, later.happened_on) == later.happened_on
    assert first_day([later], CUTOFF, later.happened_on - timedelta(days=1)) is None
    edge = occurs.model_copy(update={"happened_on": CUTOFF + timedelta(days=90)})
    beyond = occurs.model_copy(update={"happened_on": CUTOFF + timedelta(days=91)})
    assert first_day([edge], CUTOFF, far) == edge.happened_on
    assert first_day([beyond], CUTOFF, far) is None


def write_inputs(root: Path, built: Built) -> None:
    workspace = make_context(root, "compose").workspace
    made = {c.claim_id for c in built.claims if c.kind == "fabrication"}
    workspace.write(stage.ANON, built.arc.timeline)
    workspace.write(stage.POINTS, built.arc.point_set)
    workspace.write_lines(stage.EDITION_CLAIMS, built.claims)
    workspace.write_lines(
        stage.RESOLUTIONS, [r for r in built.resolutions if r.claim_id not in made]
    )
    workspace.write_lines(
        stage.FABRICATION_RESOLUTIONS, [r for r in built.resolutions if r.claim_id in made]
    )
    workspace.write_lines(stage.VERDICTS, [])
    workspace.write_lines(stage.PAIRS, built.pairs)
    workspace.write(stage.PAIRING, built.report)


def test_compose_runs_over_a_workspace_and_repeats_its_bytes(tmp_path: Path) -> None:
    built = build(demo_arc())
    write_inputs(tmp_path, built)
    context = make_context(tmp_path, "compose")
    counts = asyncio.run(stage.run(context))
    assert counts.kept == len(built.pairs)
    questions = context.workspace.read_lines(Question, stage.QUESTIONS)
    events = context.workspace.read_lines(TemporalEvent, stage.EVENTS)
    assert len(questions) == built.report.questions
    assert events
    report = context.workspace.read(BankReport, stage.BANK_REPORT)
    assert (report.questions, report.events) == (len(questions), len(events))
    before = context.workspace.digest("08_bank")
    asyncio.run(stage.run(make_context(tmp_path, "compose")))
    assert context.workspace.digest("08_bank") == before


def test_a_bank_without_questions_is_refused(tmp_path: Path) -> None:
    built = build(demo_arc())
    built.claims = [c.model_copy(update={"text": {"en": c.text["en"]}}) for c in built.claims]
    write_inputs(tmp_path, built)
    with pytest.raises(BadInput, match="translate"):
        asyncio.run(stage.run(make_context(tmp_path, "compose")))


def test_an_outcome_that_two_families_tell_alike_is_one_dated_event() -> None:
    built = build(arc16())
    first = built.bank.events[0]
    claim = next(c for c in built.claims if c.claim_id == first.claim_id)
    found = next(r for r in built.resolutions if r.claim_id == first.claim_id)
    twice = claim.model_copy(update={"claim_id": "c0", "family_id": "f0"})
    again = found.model_copy(update={"claim_id": "c0"})
    composed = compose(
        built.arc.points, [*built.claims, twice], [*built.resolutions, again], built.pairs,
        span=built.arc.timeline.span, dropped=set(), settings=ComposeSettings(), seed=7, new_id=new_id,
    )  # fmt: skip
    assert len(composed.bank.events) == len(built.bank.events)
    assert (
        composed.dropped["dated events left out: another question of their point says the same"]
        >= 1
    )


def test_what_happened_before_a_cutoff_is_no_dated_event_there() -> None:
    """ "On which day does it first happen" has two answers for a reader whose context holds an earlier day."""
    built = build(arc16())
    first = built.bank.events[0]
    cutoff = next(p.cutoff for p in built.arc.points if p.point_id == first.point_id)
    resolutions = []
    for row in built.resolutions:
        if row.claim_id == first.claim_id:
            past = row.occurrences[0].model_copy(update={"happened_on": cutoff - timedelta(days=1)})
            row = row.model_copy(update={"occurrences": (past, *row.occurrences)})
        resolutions.append(row)
    composed = compose(
        built.arc.points, built.claims, resolutions, built.pairs,
        span=built.arc.timeline.span, dropped=set(), settings=ComposeSettings(), seed=7, new_id=new_id,
    )  # fmt: skip
    kept = {(e.point_id, e.claim_id) for e in composed.bank.events}
    assert (first.point_id, first.claim_id) not in kept
    assert composed.dropped["dated events left out: they have happened before the cutoff"] >= 1
