"""Typed questions and answers: what a value may say, what a faulty line becomes, and the figures of a card."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score import forecast as rules
from factory.score.lines import LINE_LIMIT
from factory.score.typed import Figure, resample, score_typed
from factory.score.typedanswers import Unparsed, parse_value
from schemas.typed import TypedCard, TypedForecast, TypedKind, TypedQuestion, TypedRow

PUBLISHED: list[dict[str, Any]] = [
    {"id": "b1", "type": "Boolean question", "resolution": "yes", "resolution_time": "2024-03-01", "confidence": 0.7},
    {"id": "b2", "type": "Boolean question", "resolution": "no", "resolution_time": "2024-05-01", "confidence": 0.4},
    {"id": "t1", "type": "Timeframe question", "resolution": "2024-08-01", "resolution_time": "2024-08-01", "confidence": 0.85},
    {"id": "q1", "type": "Quantity question", "resolution": "3.5", "resolution_time": "2024-08-01"},
]  # fmt: skip
Write = Callable[..., Path]
quick = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def lines(rows: Sequence[Any], name: str = "answers.jsonl") -> Path:
        path = tmp_path / name
        data = [
            row if isinstance(row, bytes) else json.dumps({"question": "?", **row} if "type" in row else row).encode()
            for row in rows
        ]  # fmt: skip
        path.write_bytes(b"\n".join(data) + b"\n")
        return path

    return lines


@pytest.fixture
def asked(write: Write) -> Path:
    return write(PUBLISHED, "questions.jsonl")


def said(ref: str, value: Any, confidence: float | None = 0.8, **more: Any) -> dict[str, Any]:
    return {"system": "m", "id": ref, "value": value, "confidence": confidence, **more}


def row(card: TypedCard, kind: str, system: str = "m") -> TypedRow:
    (found,) = [r for r in card.rows if r.kind == kind and r.system == system]
    return found


def reasons(card: TypedCard) -> dict[str, int]:
    return {problem.reason: problem.count for problem in card.problems}


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_value", "kind", "expected"),
    [
        ("yes", "boolean", "yes"),
        (" No. ", "boolean", "no"),
        ("YES", "boolean", "yes"),
        (True, "boolean", "yes"),
        (False, "boolean", "no"),
        ("2024-02-29", "timeframe", date(2024, 2, 29)),
        ("March 5, 2024", "timeframe", date(2024, 3, 5)),
        ("5 Mar. 2024", "timeframe", date(2024, 3, 5)),
        ("1st May 2031", "timeframe", date(2031, 5, 1)),
        ("3.5", "quantity", 3.5),
        (3, "quantity", 3.0),
        ("1,000", "quantity", 1000.0),
        ("-1,234,567.25", "quantity", -1234567.25),
        ("2e3", "quantity", 2000.0),
        (".5", "quantity", 0.5),
    ],
)
def test_a_value_is_what_it_says(given_value: Any, kind: TypedKind, expected: Any) -> None:
    got = parse_value(given_value, kind)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("given_value", "kind", "reason"),
    [
        ("incorrect", "boolean", "neither yes nor no"),
        ("unknown", "boolean", "neither yes nor no"),
        ("correct", "boolean", "neither yes nor no"),
        ("not yes", "boolean", "neither yes nor no"),
        ("yes and no", "boolean", "neither yes nor no"),
        ("", "boolean", "neither yes nor no"),
        (1, "boolean", "neither yes nor no"),
        ("March 2024", "timeframe", "a month without a day"),
        ("2024-03", "timeframe", "a month without a day"),
        ("early 2024", "timeframe", "no day"),
        ("2024-02-30", "timeframe", "no day"),
        ("2023-02-29", "timeframe", "no day"),
        ("2024-W05-3", "timeframe", "no day"),
        ("20240301", "timeframe", "no day"),
        ("03/04/2024", "timeframe", "no day"),
        ("2024-03-01T10:00:00Z", "timeframe", "no day"),
        ("0000-01-01", "timeframe", "no day"),
        ("Smarch 5, 2024", "timeframe", "no day"),
        (20240301, "timeframe", "no day"),
        ("1,00", "quantity", "no single number"),
        ("1.000,5", "quantity", "no single number"),
        ("10-20", "quantity", "no single number"),
        ("50%", "quantity", "no single number"),
        ("about 3", "quantity", "no single number"),
        ("", "quantity", "no single number"),
        (".", "quantity", "no single number"),
        ("e5", "quantity", "no single number"),
        ("nan", "quantity", "no single number"),
        ("Infinity", "quantity", "no single number"),
        ("1e9999", "quantity", "no single number"),
        (math.nan, "quantity", "no single number"),
        (10**400, "quantity", "no single number"),
        (True, "quantity", "no single number"),
        (None, "quantity", "no single number"),
    ],
)
def test_what_is_no_value_is_never_turned_into_one(
    given_value: Any, kind: TypedKind, reason: str
) -> None:
    with pytest.raises(Unparsed, match=reason):
        parse_value(given_value, kind)


@quick
@given(st.one_of(st.text(), st.floats(), st.integers(), st.booleans(), st.none()))
def test_any_value_is_parsed_or_refused(given_value: Any) -> None:
    for kind, expected in (("boolean", str), ("timeframe", date), ("quantity", float)):
        try:
            assert isinstance(parse_value(given_value, kind), expected)  # type: ignore[arg-type]
        except Unparsed:
            continue


@quick
@given(st.floats(-1e9, 1e9), st.dates())
def test_what_python_prints_is_read_back(number: float, day: date) -> None:
    assert parse_value(repr(number), "quantity") == number
    assert parse_value(f"{number:,.2f}", "quantity") == pytest.approx(number, abs=0.0051)
    assert parse_value(day.isoformat(), "timeframe") == day


# -- questions -------------------------------------------------------------------------------------


def test_published_rows_are_read_as_they_are(testdata: Path, write: Write) -> None:
    preview = testdata / "data/scoring/forecast_hf_preview_MIT.jsonl"
    rows = [json.loads(line) for line in preview.read_text().splitlines()]
    answers = write([said(r["id"], r["resolution"], r["confidence"]) for r in rows])
    got = row(score_typed(preview, [answers]), "boolean")
    assert (got.n, got.answered) == (10, 10)
    assert got.metrics["accuracy"] == 1
    assert got.metrics["f1"] == 1
    assert got.metrics["gold_confidence_mse"] == 0
    mean = np.mean([(1 - r["confidence"]) ** 2 for r in rows])
    assert got.metrics["brier"] == pytest.approx(mean)


def test_only_questions_resolved_after_the_cutoff_are_asked(asked: Path, write: Write) -> None:
    answers = write([said("b1", "yes"), said("b2", "no")])
    card = score_typed(asked, [answers], cutoff=date(2024, 5, 1))
    assert row(card, "boolean").n == 1
    assert "asked are questions resolved on or after 2024-05-01; 1 earlier are not" in card.notes
    with pytest.raises(BadInput, match="before the cutoff"):
        score_typed(asked, [answers], cutoff=date(2030, 1, 1))


def test_a_question_file_written_twice_counts_once(write: Write) -> None:
    questions = write([*PUBLISHED, *PUBLISHED], "questions.jsonl")
    card = score_typed(questions, [write([said("b1", "yes")])])
    assert row(card, "boolean").n == 2
    assert reasons(card) == {"a question is repeated; it counts once": 4}


def test_faulty_questions_are_left_out_with_their_reason(write: Write) -> None:
    base = PUBLISHED[0]
    questions = write(
        [
            base,
            base | {"id": "b2", "resolution": "ambiguous"},
            base | {"id": "b3", "type": "Multiple choice"},
            base | {"id": "b4", "confidence": 1.5},
            base | {"id": "b5", "resolution_time": "soon"},
            base | {"id": "b6"},
            base | {"id": "b6", "resolution": "no"},
            base | {"id": 7},
            base | {"id": "b8", "created_time": "lately"},
            base | {"id": "t", "type": "timeframe", "resolution": "March 2024"},
            base | {"id": "t2", "type": "timeframe", "resolution": "2024-03-05T12:00:00Z"},
            b"[]",
            b"\xff\xfe",
        ],
        "questions.jsonl",
    )
    card = score_typed(
        questions, [write([said("b1", "yes"), said("b4", "yes"), said("t2", "2024-03-05")])]
    )
    assert row(card, "boolean").n == 3
    assert row(card, "boolean").metrics["n_gold_confidence"] == 1
    assert row(card, "timeframe").metrics["ade_days"] == 0
    assert sum(reasons(card).values()) == 10
    assert (
        "a question has a boolean resolution that is neither yes nor no; it is left out"
        in reasons(card)
    )


# -- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (said("b1", "incorrect"), "a boolean answer is neither yes nor no"),
        (said("t1", "March 2024"), "a timeframe answer is a month without a day"),
        (said("q1", "3 or 4"), "a quantity answer is no single number"),
        (said("b1", "yes", 70), "a confidence is no number in 0 to 1"),
        (said("b1", "yes") | {"confidence": "70%"}, "a confidence is no number in 0 to 1"),
        (said("b1", "yes", math.nan), "a confidence is no number in 0 to 1"),
        (said("q1", math.nan), "neither text nor a finite number"),
        (said("q1", 1) | {"value": [1]}, "neither text nor a finite number"),
        (said("b1", None, None), "either a value or samples"),
        (said("b1", "yes", status="refused"), "refused has no value"),
        (said("b1", "yes", status="sure"), "status"),
        (said("b1", "\ud83d"), "neither yes nor no"),
        (
            b'{"system": "m", "id": "q1", "value": ' + b"9" * 10_000 + b"}",
            "neither text nor a finite number",
        ),
    ],
)
def test_an_unusable_value_is_unparsed_and_never_drawn(
    asked: Path, write: Write, line: Any, reason: str
) -> None:
    card = score_typed(asked, [write([line, said("b2", "no")])])
    assert sum(r.unparsed for r in card.rows) == 1
    (problem,) = card.problems
    assert reason in problem.reason
    assert problem.reason.startswith("unparsed: ")
    assert problem.example == "answers.jsonl line 1"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (said("zz", "yes"), "a question that is not asked"),
        ({"id": "b1", "value": "yes"}, "no system, run and id"),
        (said("b1", "yes", run=1), "no system, run and id"),
        (said("b1", "yes") | {"system": "\ud800"}, "no system, run and id"),
        (said("b1", "yes") | {"system": "a\u202eb"}, "no system, run and id"),
        (said("b1", "yes", confidnce=0.7), "fields that a TypedForecast does not have"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'"yes"', "no JSON object"),
        (b'{"id": "b1", "id": "b2"}', "twice"),
        (b"\xff", "not UTF-8"),
        (b'{"system": "' + b"x" * LINE_LIMIT + b'"}', "longer than"),
    ],
)
def test_a_line_that_belongs_to_no_question_is_left_out_and_counted(
    asked: Path, write: Write, line: Any, reason: str
) -> None:
    card = score_typed(asked, [write([line, said("b2", "no")])])
    (problem,) = card.problems
    assert reason in problem.reason
    assert row(card, "boolean").unparsed == 0
    assert row(card, "boolean").missing == 1


def test_text_cut_inside_an_emoji_does_not_cost_the_answer(asked: Path, write: Write) -> None:
    card = score_typed(asked, [write([said("b1", "yes", text="sure \ud83d")])])
    assert row(card, "boolean").answered == 1
    assert not card.problems


def test_answers_that_differ_count_neither_and_equal_ones_once(asked: Path, write: Write) -> None:
    first = write([said("b1", "yes"), said("b2", "no")], "a.jsonl")
    second = write([said("b1", "no"), said("b2", "no"), said("b1", "no")], "b.jsonl")
    card = score_typed(asked, [first, second])
    got = row(card, "boolean")
    assert (got.answered, got.unparsed) == (1, 1)
    assert reasons(card) == {
        "a question is answered twice with a difference; neither answer is used": 3,
        "an answer is repeated; it counts once": 1,
    }


def test_coverage_tells_how_each_question_ended(asked: Path, write: Write) -> None:
    lines = [said("b1", "yes"), {"system": "m", "id": "b2", "status": "refused"}]
    other = [{"system": "n", "run": r, "id": "t1", "status": "error"} for r in ("1", "2")]
    card = score_typed(asked, [write([*lines, *other])])
    got = row(card, "boolean")
    assert (got.answered, got.refused, got.missing) == (1, 1, 0)
    assert row(card, "quantity").missing == 1
    assert row(card, "quantity").metrics["mae"] is None
    assert row(card, "timeframe", "n (2)").error == 1
    assert {r.system for r in card.rows} == {"m", "n (1)", "n (2)"}


def test_nothing_that_belongs_here_is_one_sentence(
    asked: Path, write: Write, tmp_path: Path
) -> None:
    with pytest.raises(
        BadInput, match=r"belongs to these questions .*line 1: a line answers a question"
    ):
        score_typed(asked, [write([said("zz", "yes")])])
    with pytest.raises(BadInput, match="no question that can be scored"):
        score_typed(write([b"{}"], "none.jsonl"), [asked])
    with pytest.raises(BadInput, match="cannot read"):
        score_typed(asked, [tmp_path / "absent.jsonl"])
    with pytest.raises(BadInput, match="cannot read"):
        score_typed(tmp_path, [asked])
    with pytest.raises(BadInput, match="no answers; give a file"):
        score_typed(asked, [])
    with pytest.raises(BadInput, match="majority, highest"):
        score_typed(asked, [asked], aggregate="vote")


def test_two_systems_never_share_a_name(asked: Path, write: Write) -> None:
    lines = [said("b1", "yes", run=r) for r in ("1", "2")]
    with pytest.raises(BadInput, match=r"both be called 'm \(1\)'"):
        score_typed(asked, [write([*lines, said("b1", "yes") | {"system": "m (1)"}])])


@quick
@given(data=st.data())
def test_any_file_ends_as_a_card_or_one_sentence(asked: Path, write: Write, data: Any) -> None:
    good = json.dumps(said("b1", "yes")).encode()
    at = data.draw(st.integers(0, len(good)))
    size = data.draw(st.integers(0, 8))
    broken = good[:at] + data.draw(st.binary(max_size=12)) + good[at + size :]
    try:
        card = score_typed(asked, [write([said("b2", "no"), broken])], replicates=10)
    except BadInput as error:
        pytest.fail(f"a good line was not enough: {error}")
    used = sum(r.answered + r.refused + r.error + r.unparsed for r in card.rows)
    assert used >= 1
    lines = [part for part in broken.split(b"\n") if part.strip()]
    assert not lines or used > 1 or card.problems


# -- figures ---------------------------------------------------------------------------------------


def test_published_vectors_come_out_of_a_file(testdata: Path, write: Write) -> None:
    vectors = json.loads((testdata / "data/scoring/vectors.json").read_text())
    for i, v in enumerate(vectors["timeframe"]):
        question = PUBLISHED[2] | {"resolution": v["gold"], "confidence": v["c_gold"]}
        card = score_typed(
            write([question], f"q{i}.jsonl"),
            [write([said("t1", v["pred"], v["c_pred"])])],
            replicates=1,
        )
        got = row(card, "timeframe").metrics
        expected = {
            "ade_days": abs(v["days"]),
            "ade_normalised": v["E_ADE"],
            "crps": v["crps2"],
            "crps_normalised": v["norm_crps2"],
            "crps_point": v["crps_point"],
            "crps_point_normalised": v["norm_crps_point"],
        }
        assert {name: got[name] for name in expected} == pytest.approx(expected, abs=5.1e-7)
    for i, v in enumerate(vectors["quantity"]):
        question = PUBLISHED[3] | {"resolution": v["gold"], "confidence": v["c_gold"]}
        card = score_typed(
            write([question], f"n{i}.jsonl"),
            [write([said("q1", v["pred"], v["c_pred"])])],
            replicates=1,
        )
        got = row(card, "quantity").metrics
        expected = {
            "ape": v["APE_eps1e9"],
            "ape_normalised": v["E_APE"],
            "mae_normalised": v["E_MAE"],
            "crps": v["crps2"],
            "crps_normalised": v["norm_crps2"],
        }
        assert {name: got[name] for name in expected} == pytest.approx(expected, abs=5.1e-7)


def test_a_gold_number_is_never_rounded(asked: Path, write: Write) -> None:
    assert row(score_typed(asked, [write([said("q1", "3")])]), "quantity").metrics["mae"] == 0.5


def test_figures_of_a_card_are_the_measures_of_the_rule_set(write: Write) -> None:
    rng = np.random.default_rng(3)
    truth, p = rng.random(40) < 0.4, rng.random(40)
    questions = write(
        [
            PUBLISHED[0] | {"id": str(i), "resolution": "yes" if y else "no"}
            for i, y in enumerate(truth)
        ],
        "questions.jsonl",
    )
    answers = write(
        [said(str(i), "yes" if q >= 0.5 else "no", max(q, 1 - q)) for i, q in enumerate(p)]
    )
    got = row(score_typed(questions, [answers]), "boolean")
    y, side = truth.astype(float), (p >= 0.5).astype(float)
    assert got.metrics["accuracy"] == pytest.approx(rules.accuracy(side, y))
    assert got.metrics["f1"] == pytest.approx(rules.f1(side, y))
    assert got.metrics["brier"] == pytest.approx(rules.brier(p, y))
    for name, bound in got.intervals.items():
        value = got.metrics[name]
        assert value is not None
        assert bound.low < value < bound.high


def test_a_value_without_confidence_enters_no_figure_of_confidence(
    asked: Path, write: Write
) -> None:
    card = score_typed(asked, [write([said("b1", "yes", None), said("b2", "yes", 0.6)])])
    got = row(card, "boolean")
    assert got.metrics["accuracy"] == 0.5
    assert got.metrics["brier"] == pytest.approx(0.36)
    assert got.metrics["n_confidence"] == 1
    assert any("state no confidence" in note for note in card.notes)


def test_a_question_without_gold_confidence_has_a_point_crps_only(
    asked: Path, write: Write
) -> None:
    got = row(score_typed(asked, [write([said("q1", 4, 0.5)])]), "quantity").metrics
    assert got["crps"] is None
    assert got["crps_point"] == pytest.approx(float(rules.crps_point(4, 10.5, 3.5)))


def test_the_chosen_aggregation_decides_between_samples(asked: Path, write: Write) -> None:
    samples = [
        {"value": "yes", "confidence": 0.55},
        {"value": "yes", "confidence": 0.55},
        {"value": "no", "confidence": 0.95},
        {"value": "incorrect", "confidence": 0.99},
    ]
    path = write([{"system": "m", "id": "b1", "samples": samples}])
    got = {
        name: row(score_typed(asked, [path], aggregate=name), "boolean").metrics["accuracy"]
        for name in ("majority", "highest", "odds")
    }
    assert got == {"majority": 1, "highest": 0, "odds": 0}
    card = score_typed(asked, [path], aggregate="weighted")
    assert row(card, "boolean").metrics["n_confidence"] == 0
    none = write([{"system": "m", "id": "b1", "samples": samples[3:]}], "none.jsonl")
    assert row(score_typed(asked, [none]), "boolean").unparsed == 1
    assert (
        "one of several boolean outputs is neither yes nor no; it is left out of the aggregate"
        in reasons(card)
    )


def test_same_seed_same_bytes(asked: Path, write: Write) -> None:
    answers = write([said("b1", "no", 0.9), said("b2", "no", 0.6)])
    cards = [score_typed(asked, [answers], seed=s).model_dump_json() for s in (1, 1)]
    assert cards[0] == cards[1]
    assert TypedCard.model_validate_json(cards[0]).rows


def test_intervals_have_the_width_of_the_normal_theory() -> None:
    values = np.random.default_rng(0).normal(5, 2, 400)
    (bound,) = resample([Figure.mean(values)], seed=4)
    assert bound is not None
    half = 1.96 * values.std() / math.sqrt(400)
    assert bound.low == pytest.approx(values.mean() - half, abs=0.03)
    assert bound.high == pytest.approx(values.mean() + half, abs=0.03)


def test_an_interval_needs_two_answers_and_leaves_the_undefined_out() -> None:
    alone = Figure.mean(np.array([np.nan, 0.5, np.nan]))
    few = Figure.mean(np.array([0.0, 1.0, np.nan]))
    none, some = resample([alone, few], seed=0)
    assert none is None
    assert some is not None
    assert (some.low, some.high) == (0, 1)
    assert Figure.mean(np.array([np.nan])).value is None
    assert resample([], seed=0) == []


def test_blocks_of_replicates_do_not_change_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = Figure.mean(np.arange(30.0))
    whole = resample([figure], seed=9, replicates=100)
    monkeypatch.setattr("factory.score.typed._BLOCK", 95)
    assert resample([figure], seed=9, replicates=100) == whole


# -- records ---------------------------------------------------------------------------------------


def test_records_refuse_states_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="has to be one"):
        TypedQuestion(
            id="a",
            question="?",
            type="quantity",
            resolution="yes",
            resolution_time=date(2024, 1, 1),
        )
    with pytest.raises(ValueError, match="either a value or samples"):
        TypedForecast(system="m", id="a")
    with pytest.raises(ValueError, match="refused has no value"):
        TypedForecast(system="m", id="a", status="refused", value="yes")
    with pytest.raises(ValueError, match="belongs to a value"):
        TypedForecast(system="m", id="a", status="error", confidence=0.5)
    with pytest.raises(ValueError, match="add up"):
        TypedRow(system="m", kind="boolean", n=3, answered=1)


@quick
@given(st.one_of(st.sampled_from(["yes", "no"]), st.dates(), st.floats(-1e9, 1e9)))
def test_a_question_survives_json(resolution: Any) -> None:
    kind: TypedKind = (
        "boolean"
        if isinstance(resolution, str)
        else "timeframe"
        if isinstance(resolution, date)
        else "quantity"
    )
    question = TypedQuestion(
        id="a", question="?", type=kind, resolution=resolution, resolution_time=date(2024, 1, 1)
    )
    again = TypedQuestion.model_validate_json(question.model_dump_json())
    assert again == question
    assert type(again.resolution) is type(question.resolution)
