"""Rules that read no text: what they see, what they cannot see, and the figures that were published for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.published.pages import Published, read_pages
from factory.score.horizon import BUCKETS, bucket
from factory.score.known import Known
from factory.score.pooling import axis_scores, cell_scores
from factory.score.rules import PAPER, PROPER
from factory.score.sheet import Factor, Flags, Floats, Sheet
from factory.score.textfree import (
    DAY_RULES,
    LOGISTIC,
    MIDPOINT,
    PAIRED,
    PROBABILITY_RULES,
    RANDOM,
    ROUNDED,
    RULE_NOTES,
    START,
    TEXT_FREE,
    WITHIN,
    days,
    frequency_rate,
    metadata_logistic,
    momentum_rate,
    probabilities,
    published_probability,
    text_free,
    with_text_free,
)
from schemas import WINDOWS, Axis

CUTOFF = date(2030, 3, 1)
FITTED = (LOGISTIC, ROUNDED)
Row = tuple[str, str, float, float, float]
"""Event, point, truth, distance, window."""


def sheet_of(rows: list[Row], axis: Axis = "calibration") -> Sheet:
    """A sheet in both editions that nobody sat; a row's ref is its place."""
    both = [(lang, str(i), row) for lang in ("en", "zh") for i, row in enumerate(rows)]
    columns = np.array([row[2:] for _, _, row in both], dtype=float).reshape(-1, 3)
    points = Factor.of([f"{row[0]}/{row[1]}" for _, _, row in both])
    return Sheet(
        axis=axis,
        systems=(),
        refs=tuple(ref for _, ref, _ in both),
        event=Factor.of([row[0] for _, _, row in both]),
        edition=Factor.of([lang for lang, _, _ in both]),
        point=points,
        cluster=points,
        truth=columns[:, 0],
        distance=columns[:, 1],
        window=columns[:, 2],
        values=np.zeros((0, len(both))),
        status=np.zeros((0, len(both)), dtype=np.int8),
    )


def dated(days_after: list[int]) -> Sheet:
    """Dated events of one point, by their days from the cutoff."""
    return sheet_of([("e", "p", float(t), float(t), 0.0) for t in days_after], "temporal")


def known_of(sheet: Sheet, ages: tuple[int, ...] = (40, 20, 3)) -> dict[tuple[str, str], Known]:
    known = Known(CUTOFF, tuple(CUTOFF - timedelta(days=age) for age in ages))
    return {(point, lang): known for point in sheet.point.names for lang in sheet.edition.names}


def scores(sheet: Sheet, rules: dict[str, Floats]) -> dict[str, float]:
    """Axis score of each rule alone under the paper's rules."""
    formula = PAPER.calibration if sheet.axis == "calibration" else PAPER.temporal
    assert formula is not None
    seated = sheet.only([]).beside(rules)
    return dict(zip(seated.systems, axis_scores(seated, formula).tolist(), strict=True))


places = st.tuples(
    st.sampled_from(["e1", "e2", "e3"]),
    st.sampled_from(["p1", "p2", "p3"]),
    st.integers(-20, 400).map(float),
    st.sampled_from([float(window) for window in WINDOWS] + [31.0]),
)
questions = st.lists(
    st.builds(
        lambda place, truth: (place[0], place[1], float(truth), place[2], place[3]),
        places,
        st.booleans(),
    ),
    min_size=1,
    max_size=24,
)


# What twins do to every rule


@settings(max_examples=15)
@given(st.lists(places, min_size=1, max_size=12), st.lists(st.integers(1, 90), max_size=6))
def test_every_probability_rule_scores_fifty_on_twins(
    cells: list[tuple[str, str, float, float]], ages: list[int]
) -> None:
    twins = [(e, p, truth, d, w) for e, p, d, w in cells for truth in (1.0, 0.0)]
    sheet = sheet_of(twins)
    found = text_free(sheet, None, known_of(sheet, tuple(ages)), seed=1).probabilities
    lone = len({row[0] for row in twins}) == 1 and len({row[1] for row in twins}) == 1
    assert set(found) == set(PROBABILITY_RULES) - (set(FITTED) if lone else set())
    assert scores(sheet, found) == pytest.approx(dict.fromkeys(found, 50.0))


# What a rule does not see


@settings(max_examples=15)
@given(questions)
def test_no_outcome_changes_a_rule_that_is_not_fitted(rows: list[Row]) -> None:
    sheet = sheet_of(rows)
    other = replace(sheet, truth=1.0 - sheet.truth)
    before, after = (probabilities(s, known_of(sheet)) for s in (sheet, other))
    for name in set(PROBABILITY_RULES) - set(FITTED):
        np.testing.assert_array_equal(before[name], after[name])


@settings(max_examples=15)
@given(questions, st.data())
def test_the_fit_never_sees_an_outcome_of_its_own_fold(
    rows: list[Row], data: st.DataObject
) -> None:
    """One event is flipped where there are several, else one point; both editions of it."""
    sheet = sheet_of(rows)
    several = len({row[0] for row in rows}) > 1
    factor = sheet.event if several else sheet.point
    code = data.draw(st.sampled_from(sorted(set(factor.codes.tolist()))))
    fold = factor.codes == code
    flipped = replace(sheet, truth=np.where(fold, 1.0 - sheet.truth, sheet.truth))
    np.testing.assert_array_equal(metadata_logistic(sheet)[fold], metadata_logistic(flipped)[fold])


def test_a_fit_does_learn_from_the_other_folds() -> None:
    rows = [
        (event, "p", float((d <= w) == (event != "odd")), float(d), float(w))
        for event in ("one", "two", "odd")
        for d in (1, 5, 10, 20, 40, 80)
        for w in (7, 30, 90)
    ]
    sheet = sheet_of(rows)
    before = metadata_logistic(sheet)
    odd = np.array([event == "odd" for event in sheet.event.labels()])
    np.testing.assert_array_equal(before[odd] >= 0.5, (sheet.distance <= sheet.window)[odd])
    flipped = metadata_logistic(replace(sheet, truth=np.where(odd, sheet.truth, 1 - sheet.truth)))
    np.testing.assert_array_equal(flipped[odd] >= 0.5, (sheet.distance > sheet.window)[odd])


def test_points_are_left_out_when_there_is_one_event() -> None:
    rows = [
        ("e", point, float(d <= 30), float(d), 30.0)
        for point in ("p1", "p2", "p3")
        for d in (5, 10, 20, 40, 60, 80)
    ]
    sheet = sheet_of(rows)
    assert scores(sheet, {ROUNDED: probabilities(sheet, {})[ROUNDED]}) == {ROUNDED: 100.0}


@settings(max_examples=15)
@given(questions, st.permutations(range(24)))
def test_order_of_rows_changes_no_answer(rows: list[Row], order: list[int]) -> None:
    sheet = sheet_of(rows)
    shuffled = np.array([i for i in order if i < len(rows)], dtype=np.int64)
    index = np.concatenate([shuffled, shuffled + len(rows)])
    whole = probabilities(sheet, known_of(sheet))
    for name, values in probabilities(sheet.rows(index), known_of(sheet)).items():
        np.testing.assert_array_equal(values, whole[name][index])


@settings(max_examples=15)
@given(questions)
def test_answers_are_probabilities_and_the_same_for_the_same_metadata(rows: list[Row]) -> None:
    sheet = sheet_of(rows)
    for name, values in probabilities(sheet, known_of(sheet)).items():
        answered = ~np.isnan(values)
        assert ((values[answered] >= 0) & (values[answered] <= 1)).all()
        seen: dict[tuple[int, float, float], float] = {}
        for i in np.flatnonzero(answered).tolist():
            fold = int(sheet.point.codes[i])
            key = (fold, float(sheet.distance[i]), float(sheet.window[i]))
            assert seen.setdefault(key, float(values[i])) == values[i], name


# What is not known stays unanswered


def test_a_fit_without_both_outcomes_answers_nothing() -> None:
    one_sided = [("e1", "p", 1.0, 5.0, 7.0), ("e2", "p", 0.0, 50.0, 7.0)]
    assert not set(FITTED) & set(text_free(sheet_of(one_sided), None, {}, seed=1).probabilities)
    mixed = sheet_of([*one_sided, ("e1", "p", 0.0, 60.0, 7.0)])
    p = probabilities(mixed, {})
    in_second = np.array([event == "e2" for event in mixed.event.labels()])
    for name in FITTED:
        np.testing.assert_array_equal(np.isnan(p[name]), ~in_second)


def test_one_point_alone_teaches_nothing() -> None:
    alone = [("e", "p", float(d <= 7), float(d), 7.0) for d in (1, 5, 20, 60)]
    assert not set(FITTED) & set(text_free(sheet_of(alone), None, {}, seed=1).probabilities)


def test_points_of_which_nothing_is_known_get_no_dates_rule() -> None:
    sheet = sheet_of([("e", "p1", 1.0, 5.0, 7.0), ("e", "p2", 0.0, 5.0, 7.0)])
    known = {key: value for key, value in known_of(sheet).items() if key != ("e/p2", "zh")}
    p = probabilities(sheet, known)
    unknown: Flags = np.array([False, False, False, True])
    for name in ("frequency", "momentum"):
        np.testing.assert_array_equal(np.isnan(p[name]), unknown)
    nothing = text_free(sheet, None, {}, seed=1)
    assert not {"frequency", "momentum"} & set(nothing.probabilities)


def test_a_missing_distance_or_window_leaves_its_rules_unanswered() -> None:
    sheet = sheet_of([("e", "p1", 1.0, 5.0, 7.0), ("e", "p2", 0.0, 5.0, 7.0)])
    holes = replace(
        sheet,
        distance=np.array([np.nan, 5.0, 5.0, 5.0]),
        window=np.array([7.0, 7.0, np.nan, 7.0]),
    )
    p = probabilities(holes, known_of(sheet))
    assert np.isnan(p[WITHIN]).tolist() == [True, False, True, False]
    assert np.isnan(p["window of 30 days or more"]).tolist() == [False, False, True, False]
    assert np.isnan(p["momentum"]).tolist() == [False, False, True, False]
    assert not np.isnan(p["constant 0.5"]).any()


def test_no_sheet_no_rules() -> None:
    nothing = text_free(None, None, {}, seed=1)
    assert nothing.probabilities == {}
    assert nothing.days == {}
    assert with_text_free(None, None, {}, seed=1) == (None, None)
    empty = text_free(sheet_of([]), dated([]), {}, seed=1)
    assert empty.probabilities == empty.days == {}


# Dates


@given(st.lists(st.integers(0, 90), min_size=1, max_size=30), st.integers(0, 1000))
def test_rules_that_know_the_bucket_answer_inside_it(days_after: list[int], seed: int) -> None:
    found = days(dated(days_after), seed=seed)
    edges = np.array([bucket(t) for t in days_after] * 2)
    for name in (MIDPOINT, START, RANDOM):
        assert ((found[name] >= edges[:, 0]) & (found[name] <= edges[:, 1])).all()
    assert (found[RANDOM] == np.floor(found[RANDOM])).all()


@given(st.data())
def test_a_day_inside_the_bucket_is_never_seen(data: st.DataObject) -> None:
    edges = data.draw(st.lists(st.sampled_from(BUCKETS), min_size=1, max_size=10))
    one, other = (
        days(dated([data.draw(st.integers(low, high)) for low, high in edges]), seed=3)
        for _ in range(2)
    )
    for name in DAY_RULES:
        np.testing.assert_array_equal(one[name], other[name])


def test_midpoints_are_exact() -> None:
    sheet = dated([3, 40, 90])
    assert days(sheet, seed=0)[MIDPOINT].tolist() == [15.0, 45.5, 75.5] * 2
    assert days(sheet, seed=0)[START].tolist() == [10.0, 41.0, 71.0] * 2


def test_a_random_day_depends_on_seed_and_question_alone() -> None:
    sheet = dated(list(range(91)))
    one = days(sheet, seed=1)[RANDOM]
    np.testing.assert_array_equal(one[:91], one[91:])  # editions
    np.testing.assert_array_equal(one, days(sheet, seed=1)[RANDOM])
    assert (one != days(sheet, seed=2)[RANDOM]).any()
    part = np.arange(40, 60)
    np.testing.assert_array_equal(days(sheet.rows(part), seed=1)[RANDOM], one[part])


def test_an_event_beyond_the_horizon_has_no_bucket() -> None:
    found = days(dated([-1, 0, 90, 91]), seed=0)
    for name in (MIDPOINT, START, RANDOM):
        assert np.isnan(found[name]).tolist() == [True, False, False, True] * 2
    assert found["day 45"].tolist() == [45.0] * 8


def test_anchors_of_uniform_days_are_those_of_the_formula() -> None:
    """Independent figures for an event on every day of 0..90, weighted as the paper does."""
    every = list(range(91))

    def of(days_after: list[int], name: str) -> float:
        sheet = dated(days_after)
        return scores(sheet, {name: days(sheet, seed=0)[name]})[name]

    assert of(every, MIDPOINT) == pytest.approx(62.3527, abs=5e-5)
    assert of(every[:31], MIDPOINT) == pytest.approx(61.5854, abs=5e-5)
    assert of(every[31:61], MIDPOINT) == pytest.approx(63.1757, abs=5e-5)
    assert of(every[61:], MIDPOINT) == pytest.approx(63.2564, abs=5e-5)
    assert of(every, "day 45") == pytest.approx(22.1, abs=0.05)
    assert of(every, "day 15") == pytest.approx(35.9, abs=0.05)


def test_random_days_earn_half_on_average() -> None:
    sheet = dated(list(range(91)) * 40)
    drawn = scores(sheet, {RANDOM: days(sheet, seed=5)[RANDOM]})[RANDOM]
    assert drawn == pytest.approx(50.0228, abs=1.5)


# The published baselines


def test_frequency_is_days_over_the_span_from_the_first_to_the_last() -> None:
    known = Known(CUTOFF, tuple(CUTOFF - timedelta(days=age) for age in (41, 20, 1, 1)))
    assert frequency_rate(known) == pytest.approx(3 / 40)
    assert frequency_rate(Known(CUTOFF, known.days[:1])) == 1.0
    assert frequency_rate(Known(CUTOFF, ())) == 0.0
    assert published_probability(np.array([3 / 40]), np.array([7.0]))[0] == pytest.approx(0.525)


def test_momentum_counts_the_last_seven_days_and_the_cutoff() -> None:
    known = Known(CUTOFF, tuple(CUTOFF - timedelta(days=age) for age in (30, 8, 7, 1, 1, 0, -1)))
    assert momentum_rate(known) == pytest.approx(3 / 7)


@given(st.lists(st.integers(0, 400), max_size=30))
def test_published_probability_stays_in_its_clip_and_grows_with_the_window(ages: list[int]) -> None:
    known = Known(CUTOFF, tuple(CUTOFF - timedelta(days=age) for age in ages))
    windows = np.array(WINDOWS, dtype=float)
    for rate in (frequency_rate(known), momentum_rate(known)):
        values = published_probability(np.full(len(windows), rate), windows)
        assert (np.diff(values) >= 0).all()
        assert values[0] >= 0.02
        assert values[-1] <= 0.98


# Names


def test_every_rule_and_pair_has_a_name_and_a_note() -> None:
    sheet = sheet_of([("e1", "p", 1.0, 5.0, 7.0), ("e2", "p", 0.0, 5.0, 7.0)])
    found = text_free(sheet, dated([1]), known_of(sheet), seed=0).with_pairs()
    met = {*probabilities(sheet, known_of(sheet)), *found.probabilities, *found.days}
    assert met == TEXT_FREE == set(RULE_NOTES)
    assert not set(PROBABILITY_RULES) & set(DAY_RULES)
    for name, (p, day) in PAIRED.items():
        np.testing.assert_array_equal(found.probabilities[name], found.probabilities[p])
        np.testing.assert_array_equal(found.days[name], found.days[day])


def test_a_pair_needs_both_of_its_rules() -> None:
    sheet = sheet_of([("e1", "p", 1.0, 5.0, 7.0)])
    half = text_free(sheet, None, {}, seed=0).with_pairs()
    assert not set(PAIRED) & {*half.probabilities, *half.days}


# The published bank


@pytest.fixture(scope="module")
def published(testdata: Path) -> Published:
    return read_pages(testdata / "official" / "demo")


@pytest.mark.slow
def test_published_figures_of_rules_without_text(published: Published) -> None:
    sheets = (published.calibration.only([]), published.temporal.only([]))
    calibration, temporal = with_text_free(*sheets, published.known(), seed=1)
    assert calibration is not None
    assert temporal is not None
    assert PAPER.calibration is not None
    assert PAPER.temporal is not None
    p = dict(
        zip(calibration.systems, axis_scores(calibration, PAPER.calibration).tolist(), strict=True)
    )
    day = dict(zip(temporal.systems, axis_scores(temporal, PAPER.temporal).tolist(), strict=True))
    assert p["constant 0.5"] == pytest.approx(50.0, abs=1e-9)
    assert p[WITHIN] == pytest.approx(64.4, abs=0.1)
    assert p["frequency"] == pytest.approx(53.88, abs=0.01)
    assert p["momentum"] == pytest.approx(54.17, abs=0.01)
    assert p[ROUNDED] > 63 > p[LOGISTIC] > 55
    assert day[MIDPOINT] == pytest.approx(60.9, abs=0.1)
    assert day[START] == pytest.approx(64.6, abs=0.1)
    assert day[RANDOM] == pytest.approx(50.0, abs=1.5)
    assert (p["metadata only"] + day["metadata only"]) / 2 == pytest.approx(64.5, abs=0.1)

    row = calibration.systems.index(WITHIN)
    cells = cell_scores(calibration, PAPER.calibration)[row]
    expected = {"library": 66.4, "us_iran": 64.5, "tiktok": 65.6, "smci": 68.0, "tariff": 57.8}
    for (event, _), score in zip(calibration.cells(), cells.tolist(), strict=True):
        name = next(name for name in expected if name in event)
        assert score == pytest.approx(expected[name], abs=0.06)


@pytest.mark.slow
def test_the_fit_beats_a_coin_under_a_proper_score_on_the_published_bank(
    published: Published,
) -> None:
    sheet = published.calibration.only([])
    assert PROPER.calibration is not None
    seated = sheet.beside({LOGISTIC: metadata_logistic(sheet)})
    assert axis_scores(seated, PROPER.calibration)[0] > 53
