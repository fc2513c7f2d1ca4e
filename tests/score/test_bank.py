"""Our own banks as sheets: every edition is a row, twins are one cluster, families are what can contradict itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score.bank import bank_sheets, clusters, families
from factory.score.sheet import ANSWERED, MISSING, REFUSED, UNPARSED, Sheet
from schemas import Claim, Forecast, Question
from tests import example_event as example
from tests.bank.arcs import Built, arc16, build


def probability(question: Question, p: float | None, **fields: Any) -> Forecast:
    base: dict[str, Any] = {
        "system": "m",
        "run": "r1",
        "axis": "calibration",
        "ref": question.question_id,
        "point_id": question.point_id,
        "lang": "en",
        "status": "answered" if p is not None else "unparsed",
        "probability": p,
    }
    return Forecast(**(base | fields))


def day(number: int, value: date | None, **fields: Any) -> Forecast:
    event = example.events()[number]
    base: dict[str, Any] = {
        "system": "m",
        "run": "r1",
        "axis": "temporal",
        "ref": event.event_id,
        "point_id": event.point_id,
        "lang": "en",
        "status": "answered" if value else "refused",
        "date": value,
    }
    return Forecast(**(base | fields))


def sheets(forecasts: Sequence[Forecast] = (), **changes: Any) -> tuple[Sheet | None, Sheet | None]:
    parts: dict[str, Any] = {
        "event": "e-test",
        "points": example.points().points,
        "questions": example.questions(),
        "events": example.events(),
        "claims": example.claims(),
        "forecasts": forecasts,
    }
    return bank_sheets(**(parts | changes))


def calibration(forecasts: Sequence[Forecast] = (), **changes: Any) -> Sheet:
    sheet = sheets(forecasts, **changes)[0]
    assert sheet is not None
    return sheet


def temporal(forecasts: Sequence[Forecast] = (), **changes: Any) -> Sheet:
    sheet = sheets(forecasts, **changes)[1]
    assert sheet is not None
    return sheet


def test_every_edition_of_the_bank_is_a_row_even_if_nobody_sat_it() -> None:
    for sheet, records in ((calibration(), example.questions()), (temporal(), example.events())):
        assert sheet.systems == ()
        assert len(sheet) == 2 * len(records)
        assert sheet.sat().shape == (0, 2)
        assert sheet.cells() == [("e-test", "en"), ("e-test", "zh")]
        texts = {
            (ref, lang): text
            for ref, lang, text in zip(sheet.refs, sheet.edition.labels(), sheet.texts, strict=True)
        }
        for record in records:
            ref = record.question_id if isinstance(record, Question) else record.event_id
            assert {lang: texts[ref, lang] for lang in record.text} == record.text


def test_an_edition_that_a_question_lacks_is_no_row() -> None:
    first, *rest = example.questions()
    first = first.model_copy(update={"text": {"zh": first.text["zh"]}})
    sheet = calibration(questions=[first, *rest])
    assert (
        list(zip(sheet.refs, sheet.edition.labels(), strict=True)).count((first.question_id, "en"))
        == 0
    )
    assert len(sheet) == 2 * len(rest) + 1


def test_columns_say_what_the_records_say() -> None:
    sheet = calibration()
    asked = {q.question_id: q for q in example.questions()}
    cutoffs = {p.point_id: p.cutoff for p in example.points().points}
    for i, ref in enumerate(sheet.refs):
        q = asked[ref]
        assert sheet.truth[i] == q.answer
        assert sheet.window[i] == q.window_days
        assert sheet.distance[i] == (q.window_end - cutoffs[q.point_id]).days
        assert sheet.cutoff[i] == cutoffs[q.point_id].isoformat()
        assert sheet.point.labels()[i] == f"e-test/{q.point_id}"
        assert {name: column.labels()[i] for name, column in sheet.keys.items()} == {
            "type": q.type,
            "dimension": "event",
            "difficulty": "medium",
            "window": str(q.window_days),
            "truth": str(q.answer),
            "level": "1",
        }


def test_the_distance_is_the_window_end_and_never_the_outcome() -> None:
    moved = [
        q.model_copy(update={"evidence": (), "answer": 1 - q.answer}) for q in example.questions()
    ]
    assert np.array_equal(calibration(questions=moved).distance, calibration().distance)


def test_dates_are_counted_from_the_cutoff() -> None:
    cutoffs = {p.point_id: p.cutoff for p in example.points().points}
    events = example.events()
    early = cutoffs[events[0].point_id] - timedelta(days=3)
    sheet = temporal([day(0, early), day(1, events[1].date), day(1, None, lang="zh")])
    row = {pair: i for i, pair in enumerate(zip(sheet.refs, sheet.edition.labels(), strict=True))}
    assert sheet.values[0, row[events[0].event_id, "en"]] == -3
    second = row[events[1].event_id, "en"]
    assert sheet.values[0, second] == sheet.truth[second] == sheet.distance[second]
    assert sheet.status[0, row[events[1].event_id, "zh"]] == REFUSED
    assert sheet.status[0, row[events[0].event_id, "zh"]] == MISSING
    low, high = (int(edge) for edge in sheet.keys["bucket"].labels()[second].split("-"))
    assert low <= sheet.truth[second] <= high
    assert set(sheet.window) == {0.0}


@pytest.mark.parametrize(("t", "rows"), [(-1, 1), (0, 2), (90, 2), (91, 1)])
def test_a_date_outside_the_horizon_is_no_row_and_its_answers_hurt_nobody(
    t: int, rows: int
) -> None:
    cutoffs = {p.point_id: p.cutoff for p in example.points().points}
    first, second = example.events()
    first = first.model_copy(update={"date": cutoffs[first.point_id] + timedelta(days=t)})
    given_ = [day(0, first.date), day(1, second.date)]
    sheet = temporal(given_, events=[first, second])
    assert list(sheet.refs).count(first.event_id) == 2 * (rows - 1)
    assert int(sheet.answered.sum()) == rows


def test_status_is_kept_and_only_answers_have_values() -> None:
    one, two, three, *_ = example.questions()
    sheet = calibration(
        [probability(one, 0.25), probability(two, None), probability(three, None, status="refused")]
    )
    by_ref = {
        ref: (sheet.status[0, i], sheet.values[0, i])
        for i, ref in enumerate(sheet.refs)
        if sheet.edition.labels()[i] == "en"
    }
    assert by_ref[one.question_id] == (ANSWERED, 0.25)
    assert by_ref[two.question_id][0] == UNPARSED
    assert by_ref[three.question_id][0] == REFUSED
    assert np.isnan(sheet.values[sheet.status != ANSWERED]).all()
    assert list(sheet.sat()[0]) == [True, False]


def test_a_system_stands_only_on_the_axes_that_it_sat() -> None:
    forecasts = [probability(example.questions()[0], 0.5), day(0, example.events()[0].date)]
    both = sheets([forecasts[0], forecasts[1].model_copy(update={"system": "other"})])
    assert [sheet.systems for sheet in both if sheet] == [("m",), ("other",)]


def test_runs_are_systems_of_their_own_even_when_each_sat_another_axis() -> None:
    forecasts = [
        probability(example.questions()[0], 0.5, system="z"),
        probability(example.questions()[0], 0.5),
        day(0, example.events()[0].date, run="r2"),
    ]
    assert calibration(forecasts).systems == ("m (r1)", "z")
    assert temporal(forecasts).systems == ("m (r2)",)


def test_systems_whose_names_would_look_the_same_are_refused() -> None:
    q = example.questions()[0]
    forecasts = [
        probability(q, 0.5),
        probability(q, 0.5, run="r2"),
        probability(q, 0.5, system="m (r1)", run="x"),
    ]
    with pytest.raises(BadInput, match=r"both be listed as 'm \(r1\)'; rename one"):
        sheets(forecasts)


def test_the_order_of_forecasts_changes_nothing() -> None:
    forecasts = [
        probability(q, 0.1 * i, system=name)
        for name in "ba"
        for i, q in enumerate(example.questions())
    ]
    one, other = calibration(forecasts), calibration(forecasts[::-1])
    assert one.systems == other.systems == ("a", "b")
    assert np.array_equal(one.values, other.values, equal_nan=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ref": "q-elsewhere"}, "q-elsewhere in en, which the bank e-test does not ask"),
        ({"ref": "d-1"}, "does not ask on the calibration axis"),
    ],
)
def test_a_forecast_of_another_bank_is_refused(change: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        sheets([probability(example.questions()[0], 0.5, **change)])


def test_an_answer_in_an_edition_that_the_question_lacks_is_refused() -> None:
    first, *rest = example.questions()
    english = first.model_copy(update={"text": {"en": first.text["en"]}})
    with pytest.raises(BadInput, match="in zh, which the bank"):
        sheets([probability(first, 0.5, lang="zh")], questions=[english, *rest])


def test_two_answers_to_one_question_are_refused() -> None:
    q = example.questions()[0]
    assert calibration([probability(q, 0.5), probability(q, 0.5, lang="zh")]).answered.sum() == 2
    with pytest.raises(BadInput, match="twice in run r1"):
        sheets([probability(q, 0.5), probability(q, 0.5)])


def test_a_bank_that_contradicts_itself_is_refused() -> None:
    questions = example.questions()
    with pytest.raises(
        BadInput, match=r"at point t-2, which it does not hold; run `factory check`"
    ):
        sheets(points=example.points().points[:1])
    with pytest.raises(BadInput, match="twice; run `factory check`"):
        sheets(questions=[*questions, questions[0]])
    with pytest.raises(BadInput, match="without a text in any edition"):
        sheets(events=[example.events()[0].model_copy(update={"text": {}})])


def test_an_axis_on_which_nothing_is_asked_has_no_sheet() -> None:
    assert sheets(questions=[])[0] is None
    assert sheets(events=[])[1] is None
    assert sheets(events=[])[0] is not None


def test_twins_are_one_cluster_in_both_editions() -> None:
    sheet = calibration()
    pair_of = {q.question_id: q.pair_id for q in example.questions()}
    found: dict[str, set[str]] = defaultdict(set)
    for ref, name in zip(sheet.refs, sheet.cluster.labels(), strict=True):
        found[pair_of[ref]].add(name)
    assert {pair: len(names) for pair, names in found.items()} == {"q-1": 1, "q-2": 1, "q-3": 1}
    assert set.union(*found.values()) == {"e-test/f5", "e-test/f4", "e-test/f6"}
    assert set(temporal().cluster.names) == {f"e-test/{e.family_id}" for e in example.events()}


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=20))
def test_clusters_are_what_pairs_and_families_connect(edges: list[tuple[int, int]]) -> None:
    template = example.questions()[0]
    rows = [
        template.model_copy(update={"pair_id": f"p{pair}", "family_id": f"f{family}"})
        for pair, family in edges
    ]
    names = clusters(rows)

    # The slow way: grow the set of everything that shares a pair or family until nothing is added.
    for i in range(len(edges)):
        reached = {i}
        while True:
            more = {
                j
                for j in range(len(edges))
                if any(edges[j][0] == edges[k][0] or edges[j][1] == edges[k][1] for k in reached)
            }
            if more <= reached:
                break
            reached |= more
        assert {j for j, name in enumerate(names) if name == names[i]} == reached


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def composed(built: Built, claims: Sequence[Claim]) -> Sheet:
    return calibration(
        points=built.bank.points,
        questions=built.bank.questions,
        events=built.bank.events,
        claims=claims,
    )


def test_groups_of_a_composed_bank_hold_what_can_contradict_itself(built: Built) -> None:
    sheet = composed(built, built.claims)
    claims = {claim.claim_id: claim for claim in built.claims}
    asked = {q.question_id: q for q in built.bank.questions}
    rows = [
        (asked[ref], lang) for ref, lang in zip(sheet.refs, sheet.edition.labels(), strict=True)
    ]
    assert sheet.families is not None

    def groups(codes: Any) -> list[list[int]]:
        return [np.flatnonzero(codes == code).tolist() for code in range(codes.max() + 1)]

    windows = groups(sheet.families.windows)
    assert windows
    for group in windows:
        members = [rows[i] for i in group]
        assert len({(q.claim_id, q.point_id, q.window_start, lang) for q, lang in members}) == 1
        assert len({q.window_days for q, _ in members}) == len(group) > 1
        # The truth of nested windows keeps the rule that answers are held against.
        ordered = sorted(members, key=lambda member: member[0].window_days)
        assert [q.answer for q, _ in ordered] == sorted(q.answer for q, _ in members)
    occasions = groups(sheet.families.occasion)
    assert occasions
    for group in occasions:
        members = [rows[i] for i in group]
        assert {claims[q.claim_id].kind for q, _ in members} <= {"outcome", "variant"}
        assert len({(q.family_id, q.point_id, q.window_end, lang) for q, lang in members}) == 1
        assert len({q.claim_id for q, _ in members}) == len(group) > 1
        assert sum(q.answer for q, _ in members) <= 1


def test_without_claims_only_windows_are_known(built: Built) -> None:
    bare, full = composed(built, ()).families, composed(built, built.claims).families
    assert bare is not None
    assert full is not None
    assert np.array_equal(bare.windows, full.windows)
    assert set(bare.ladder) == set(bare.occasion) == set(bare.level) == {-1}


def family(
    *members: tuple[str, str, int], cadence: str = "once"
) -> tuple[list[Question], list[Claim]]:
    """Questions at one place about claims (id, kind, level) of one family."""
    question, claim = example.questions()[0], example.claims()[0]
    claims = [
        claim.model_copy(
            update={"claim_id": name, "kind": kind, "level": level, "cadence": cadence}
        )
        for name, kind, level in members
    ]
    questions = [
        question.model_copy(update={"claim_id": c.claim_id, "question_id": f"q{i}"})
        for i, c in enumerate(claims)
    ]
    return questions, claims


ENDS = (
    ("out", "outcome", 1),
    ("more", "detail", 2),
    ("end", "variant", 1),
    ("other", "variant", 1),
)


def test_a_ladder_holds_levels_and_an_occasion_holds_ends() -> None:
    questions, claims = family(*ENDS)
    found = families(questions, ["en"] * 4, claims)
    assert found.ladder.tolist() == [0, 0, -1, -1]
    assert found.level.tolist() == [1, 2, -1, -1]
    assert found.occasion.tolist() == [0, -1, 0, 0]
    assert found.windows.tolist() == [-1] * 4


def test_ends_of_what_comes_again_may_all_come() -> None:
    questions, claims = family(*ENDS, cadence="recurring")
    assert set(families(questions, ["en"] * 4, claims).occasion) == {-1}


def test_ends_of_another_occasion_edition_or_window_do_not_exclude_each_other() -> None:
    questions, claims = family(*ENDS[2:])
    assert families(questions, ["en", "en"], claims).occasion.tolist() == [0, 0]
    assert families(questions, ["en", "zh"], claims).occasion.tolist() == [-1, -1]
    moved = [questions[0], questions[1].model_copy(update={"window_end": date(2040, 1, 1)})]
    assert families(moved, ["en", "en"], claims).occasion.tolist() == [-1, -1]
    apart = [claims[0], claims[1].model_copy(update={"occasion": "elsewhere"})]
    assert families(questions, ["en", "en"], apart).occasion.tolist() == [-1, -1]


def test_a_claim_asked_twice_at_one_place_does_not_count_twice_against_itself() -> None:
    questions, claims = family(*ENDS[2:])
    found = families([*questions, questions[0]], ["en"] * 3, claims)
    assert found.occasion.tolist() == [0, 0, -1]


def test_windows_that_start_on_different_days_are_not_nested() -> None:
    question = example.questions()[0]
    longer = question.model_copy(update={"window_end": question.window_end + timedelta(days=9)})
    later = longer.model_copy(update={"window_start": question.window_start + timedelta(days=1)})
    assert families([question, longer], ["en", "en"], ()).windows.tolist() == [0, 0]
    assert families([question, later], ["en", "en"], ()).windows.tolist() == [-1, -1]
