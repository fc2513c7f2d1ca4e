"""From files of questions and answers about simulated worlds to a card: nothing lost, filled in or mixed up."""

from __future__ import annotations

import csv
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from factory.errors import BadInput, FactoryError
from factory.score import sim
from factory.score.simanswers import score_sim
from schemas.score import Interval
from schemas.simexam import SimForecast, SimQuestion
from schemas.typed import TypedCard, TypedRow

FAST = 200
"""Replicates where intervals are not what is tested."""


def question(ref: str, **fields: Any) -> dict[str, Any]:
    base = {"question_id": ref, "kind": "continuous", "template": "cities", "outcomes": [10.0]}
    return base | fields


def binary(ref: str, **fields: Any) -> dict[str, Any]:
    base = {"question_id": ref, "kind": "binary", "template": "score_rank_1", "horizon": "H1"}
    return base | ({} if "rate" in fields else {"outcomes": [1.0]}) | fields


def answer(ref: str, system: object = "m", **fields: Any) -> dict[str, Any]:
    return {"system": system, "question_id": ref} | fields


def write(path: Path, lines: Iterable[dict[str, Any] | str | bytes]) -> Path:
    def data(line: dict[str, Any] | str | bytes) -> bytes:
        if isinstance(line, bytes):
            return line
        return (line if isinstance(line, str) else json.dumps(line)).encode()

    path.write_bytes(b"\n".join(data(line) for line in lines) + b"\n")
    return path


def scored(
    folder: Path,
    questions: Iterable[dict[str, Any] | str | bytes],
    answers: Iterable[dict[str, Any] | str | bytes],
    **options: Any,
) -> TypedCard:
    asked = write(folder / "questions.jsonl", questions)
    sat = write(folder / "answers.jsonl", answers)
    return score_sim(asked, [sat], **{"replicates": FAST} | options)


def row(card: TypedCard, system: str, group: str = "all", kind: str = "continuous") -> TypedRow:
    found = [r for r in card.rows if (r.system, r.group, r.kind) == (system, group, kind)]
    assert len(found) == 1, [(r.system, r.group, r.kind) for r in card.rows]
    return found[0]


def reasons(card: TypedCard) -> dict[str, int]:
    return {problem.reason: problem.count for problem in card.problems}


FIVE: dict[str, Any] = {"quantiles": [4.0, 8.0, 10.0, 12.0, 20.0]}


# -- published tables ------------------------------------------------------------------------------


def test_pilot_table_is_scored_as_published(testdata: Path) -> None:
    table = testdata / "data/worlds/pilot_crowd_24.csv"
    card = score_sim(None, [table], replicates=FAST)
    crowd, uniform = row(card, table.stem), row(card, "uniform bins")
    for found, ncrps, rps in ((crowd, 0.154268, 0.197346), (uniform, 0.152278, 0.191667)):
        assert (found.n, found.answered) == (24, 24)
        metrics = {name: round(value or 0, 6) for name, value in found.metrics.items()}
        assert (metrics["ncrps"], metrics["rps"]) == (ncrps, rps)
    assert uniform.metrics["skill"] == 0
    assert crowd.metrics["skill"] == pytest.approx(1 - 0.1542679 / 0.1522778, abs=1e-5)
    with (testdata / "data/worlds/aggregates.csv").open(newline="") as stream:
        published = {(r["source"], r["group"], r["value"]): r for r in csv.DictReader(stream)}
    for template in ("cities", "techs", "treasury"):
        theirs = float(published["human_crowd_mean", "template", template]["normalized_crps"])
        assert row(card, table.stem, f"template {template}").metrics["ncrps"] == pytest.approx(
            theirs, abs=1e-6
        )
    for horizon in ("H1", "H6"):
        theirs = float(published["uniform_bins", "horizon", horizon]["rps"])
        assert row(card, "uniform bins", f"horizon {horizon}").metrics["rps"] == pytest.approx(
            theirs
        )
    assert card.problems == ()


def test_intervals_over_questions_agree_with_the_published_bootstrap(testdata: Path) -> None:
    """The pilot's own bootstrap over questions: 0.1257 to 0.1854 and 0.1298 to 0.1777, 10,000 draws of another seed."""
    table = testdata / "data/worlds/pilot_crowd_24.csv"
    card = score_sim(table, cluster="question", replicates=10_000)
    for system, low, high in (
        (table.stem, 0.1256977, 0.1854413),
        ("uniform bins", 0.1297844, 0.1777148),
    ):
        interval = row(card, system).intervals["ncrps"]
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.0015)


def test_reading_checks_of_a_table_are_no_forecasts(testdata: Path) -> None:
    card = score_sim(testdata / "data/worlds/h0_rows.csv", replicates=FAST)
    assert {r.group.split(" template")[0] for r in card.rows} == {"H0"}
    assert not {"uniform bins", "constant 0.5"} & {r.system for r in card.rows}
    deepseek = row(card, "DeepSeek-V3.1", "H0")
    assert (deepseek.n, deepseek.answered, deepseek.missing) == (3, 1, 2)
    assert deepseek.metrics["crossed"] == 1
    assert deepseek.metrics["crps"] == pytest.approx(1.06)
    assert row(card, "mistral-large-2407", "H0").metrics["within_10_90"] == 1
    assert row(card, "grok-4-0709", "H0").metrics["within_10_90"] == 0
    assert reasons(card) == {"quantiles cross; they are scored as given, as the source does": 1}


PEOPLE = """\
participant_id,question_id,world_id,template,horizon,ground_truth,bin_min,bin_max,prob_bin_1_pct,prob_bin_2_pct,prob_bin_3_pct,prob_bin_4_pct,prob_bin_5_pct
p1,seed1_cities_H1,seed1,cities,H1,12.0,0.0,40.0,10.0,60.0,20.0,5.0,5.2
p2,seed1_cities_H1,seed1,cities,H1,12.0,0.0,40.0,0.0,0.0,0.0,50.0,50.0
p1,seed2_techs_H3,seed2,techs,H3,59.0,0.0,60.0,0.0,0.0,0.0,0.0,100.0
p2,seed2_techs_H3,seed2,techs,H3,59.0,0.0,60.0,20.0,20.0,20.0,20.0,25.0
"""


def test_people_are_scored_each_and_as_a_crowd(tmp_path: Path) -> None:
    card = score_sim(write(tmp_path / "people.csv", [PEOPLE.strip()]), replicates=FAST)
    both = np.array([[10, 60, 20, 5, 5.2], [0, 0, 0, 50, 50]]).mean(axis=0)
    crowd = row(card, "crowd mean", "template cities")
    assert crowd.metrics["rps"] == pytest.approx(float(sim.rps(both, 1)))
    # The second answer about techs misses a sum of 1 by 0.05: unusable, and the crowd is the other person alone.
    second = row(card, "p2")
    assert (second.n, second.answered, second.unparsed) == (2, 1, 1)
    assert row(card, "crowd mean", "template techs").metrics == pytest.approx(
        row(card, "p1", "template techs").metrics
    )
    assert reasons(card) == {"unparsed: the mass of the bins has to be 1 within 0.01": 1}


def test_models_are_no_crowd(tmp_path: Path) -> None:
    table = PEOPLE.replace("participant_id", "model").replace(",20.0,25.0", ",20.0,20.0")
    card = score_sim(write(tmp_path / "models.csv", [table.strip()]), replicates=FAST)
    assert {r.system for r in card.rows} == {"p1", "p2", "uniform bins"}


MODELS = """\
model,question_id,game_id,template_id,human_template,ground_truth,p10,p25,p50,p75,p90,error
a,h0c0000,seed0,h0_cities_count_continuous,cities,0.0,0.0,0.0,0.0,0.0,0.0,
b,h0c0000,seed0,h0_cities_count_continuous,cities,0.0,,,,,,timed out
c,h0c0000,seed0,h0_cities_count_continuous,cities,0.0,,,,,,
d,h0c0000,seed0,h0_cities_count_continuous,cities,0.0,1,2,nan,4,5,
e,h0c0000,seed0,h0_cities_count_continuous,cities,0.0,1,2,,4,5,
a,q7,seed0,cities_count_continuous,,3.0,1,2,3,4,5,
a,q8,seed0,population_continuous,,3.0,1,2,3,4,5,
a,q7,seed0
"""


def test_rows_of_a_wide_table_keep_their_states(tmp_path: Path) -> None:
    card = score_sim(write(tmp_path / "models.csv", [MODELS.strip()]), replicates=FAST)
    states = {
        r.system: (r.answered, r.unparsed, r.error, r.missing) for r in card.rows if r.group == "H0"
    }
    assert states == {
        "a": (1, 0, 0, 0),
        "b": (0, 0, 1, 0),
        "c": (0, 1, 0, 0),
        "d": (0, 1, 0, 0),
        "e": (0, 1, 0, 0),
    }
    assert (row(card, "a").n, row(card, "a").metrics["exact"]) == (1, 1.0)
    assert reasons(card) == {
        "a question cannot be scored, it has no range and its template has none either; it is left out": 1,
        "unparsed: an answered forecast has one form of value; others none": 1,
        "unparsed: quantiles: Input should be a finite number": 1,
        "unparsed: quantiles: Input should be a valid number": 1,
        "a line answers a question that is not asked; it is left out": 1,
        "a row has another number of cells than the header; it is left out": 1,
    }


def test_a_range_can_be_given_for_any_template(tmp_path: Path) -> None:
    table = write(tmp_path / "models.csv", [MODELS.strip()])
    card = score_sim(table, ranges=sim.RANGES | {"population": 10.0}, replicates=FAST)
    crps = 0.4 * 2 * (0.1 * 2 + 0.25 * 1)
    assert row(card, "a", "template population").metrics["ncrps"] == pytest.approx(crps / 10)
    assert row(card, "a", "template cities").metrics["ncrps"] == pytest.approx(crps / 40)
    with pytest.raises(BadInput, match="population"):
        score_sim(table, ranges={"population": 0.0})


# -- groups ----------------------------------------------------------------------------------------


def test_reading_is_never_pooled_with_forecasting(tmp_path: Path) -> None:
    asked = [
        question("w_a", horizon="H1"),
        question("w_b", horizon="H3"),
        question("w_c", template="techs"),
        question("w_d", horizon="H0"),
        question("h0c1"),
        binary("x1"),
        binary("x0", horizon="H0"),
    ]
    answers = [answer(q["question_id"], **FIVE) for q in asked[:5]]
    answers += [answer("x1", probability=0.2), answer("x0", probability=1)]
    card = scored(tmp_path, asked, answers)
    sizes = {(r.kind, r.group): r.n for r in card.rows if r.system == "m"}
    assert sizes == {
        ("continuous", "all"): 3,
        ("continuous", "template cities"): 2,
        ("continuous", "template techs"): 1,
        ("continuous", "horizon H1"): 1,
        ("continuous", "horizon H3"): 1,
        ("continuous", "H0"): 2,
        ("continuous", "H0 template cities"): 2,
        ("binary", "all"): 1,
        ("binary", "template score_rank_1"): 1,
        ("binary", "horizon H1"): 1,
        ("binary", "H0"): 1,
        ("binary", "H0 template score_rank_1"): 1,
    }
    assert row(card, "m", "H0", "binary").metrics["accuracy"] == 1
    assert row(card, "m", "all", "binary").metrics["brier"] == pytest.approx(0.64)
    assert "skill" not in row(card, "m", "H0", "binary").metrics
    # 1 - .64 / .25: far worse than even odds.
    assert row(card, "m", "all", "binary").metrics["skill"] == pytest.approx(-1.56)


def test_what_was_not_sat_makes_no_row(tmp_path: Path) -> None:
    asked = [question("a", horizon="H1"), question("b", horizon="H0"), binary("c")]
    card = scored(tmp_path, asked, [answer("a", "m", **FIVE), answer("c", "n", probability=0.5)])
    assert {(r.kind, r.group) for r in card.rows if r.system == "m"} == {
        ("continuous", "all"),
        ("continuous", "template cities"),
        ("continuous", "horizon H1"),
    }
    assert {r.kind for r in card.rows if r.system == "n"} == {"binary"}


def test_replays_are_averaged_and_measured_above_their_floor(tmp_path: Path) -> None:
    replays = [float(v) for v in (3, 9, 9, 10, 12, 15, 15, 21, 30, 38)]
    asked = [question("a", outcomes=replays), question("b", outcomes=[10.0])]
    own = np.quantile(replays, sim.LEVELS, method="inverted_cdf").tolist()
    card = scored(
        tmp_path,
        asked,
        [
            answer("a", "own", quantiles=own),
            answer("a", "m", **FIVE),
            answer("b", "m", quantiles=[10.0] * 5),
        ],
    )
    assert row(card, "own").metrics["excess_ncrps"] == pytest.approx(0)
    assert row(card, "own").metrics["ncrps"] == pytest.approx(sim.floor(replays) / 40)
    metrics = row(card, "m").metrics
    assert metrics["mae"] == pytest.approx(np.mean([abs(10 - y) for y in replays]) / 2)
    first = float(sim.crps(FIVE["quantiles"], np.array(replays)).mean())
    assert metrics["crps"] == pytest.approx(first / 2)
    # The question without replays has no floor and enters no excess.
    assert metrics["excess_ncrps"] == pytest.approx((first - sim.floor(replays)) / 40)


def test_replays_of_binary_questions_are_a_rate(tmp_path: Path) -> None:
    asked = [binary("a", outcomes=[1.0, 0.0, 0.0, 0.0]), binary("b", rate=0.25), binary("c")]
    card = scored(tmp_path, asked, [answer(ref, probability=0.5) for ref in "ab"])
    metrics = row(card, "m", kind="binary").metrics
    assert metrics["brier"] == pytest.approx(0.25)
    assert metrics["excess_brier"] == pytest.approx(0.0625)
    assert metrics["accuracy"] == 0.5
    assert metrics["excess_bits"] == pytest.approx(float(sim.excess_bits(0.5, 0.25)))
    alone = scored(tmp_path, [binary("c")], [answer("c", probability=1.0)])
    assert row(alone, "m", kind="binary").metrics["excess_brier"] is None


def test_skill_compares_on_the_same_questions(tmp_path: Path) -> None:
    """Even bins left where they are gain nothing, whichever questions are answered."""
    asked = [question(f"q{i}", outcomes=[float(7 * i)]) for i in range(5)]
    card = scored(tmp_path, asked, [answer(f"q{i}", bins=[0.2] * 5) for i in (0, 3)])
    assert row(card, "m").metrics["skill"] == pytest.approx(0)
    assert row(card, "m").missing == 3


def test_lower_edges_move_the_bins(tmp_path: Path) -> None:
    mass = [0.1, 0.2, 0.4, 0.2, 0.1]
    plain = scored(tmp_path, [question("a", outcomes=[12.0], range=50.0)], [answer("a", bins=mass)])
    moved = scored(
        tmp_path,
        [question("a", outcomes=[112.0], low=100.0, range=50.0)],
        [answer("a", bins=mass)],
    )
    assert row(moved, "m").metrics == pytest.approx(row(plain, "m").metrics)


# -- intervals -------------------------------------------------------------------------------------


def _worlds(worlds: int, size: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Worlds that differ, with questions that are all alike inside a world."""
    refs = [f"seed{w}_cities{i}_H1" for w in range(worlds) for i in range(size)]
    asked = [question(ref, outcomes=[float(int(ref[4 : ref.index("_")]) * 3)]) for ref in refs]
    return asked, [answer(ref, **FIVE) for ref in refs]


def _width(interval: Interval) -> float:
    return interval.high - interval.low


def test_questions_of_a_world_are_drawn_together(tmp_path: Path) -> None:
    asked, answers = _worlds(12, 9)
    by_world = scored(tmp_path, asked, answers, replicates=1000)
    by_question = scored(tmp_path, asked, answers, replicates=1000, cluster="question")
    one_each = scored(tmp_path, *_worlds(12, 1), replicates=1000)
    wide, narrow = row(by_world, "m"), row(by_question, "m")
    assert (wide.metrics["clusters"], narrow.metrics["clusters"]) == (12, 108)
    # Nine copies of a question are worth one: three times the width of what independence would claim.
    assert _width(wide.intervals["ncrps"]) > 2.4 * _width(narrow.intervals["ncrps"])
    alone = row(one_each, "m").intervals
    assert wide.intervals.keys() == alone.keys()
    for name, interval in wide.intervals.items():
        assert (interval.low, interval.high) == pytest.approx((alone[name].low, alone[name].high))


def test_one_world_has_no_interval(tmp_path: Path) -> None:
    asked, answers = _worlds(1, 5)
    assert row(scored(tmp_path, asked, answers), "m").intervals == {}


def test_same_seed_same_card_whoever_else_is_scored(tmp_path: Path) -> None:
    asked, answers = _worlds(5, 2)
    more = [*answers, *(line | {"system": "z"} for line in answers[::3])]
    first, again = scored(tmp_path, asked, answers), scored(tmp_path, asked, answers)
    assert first == again
    assert row(scored(tmp_path, asked, more), "m") == row(first, "m")
    other = scored(tmp_path, asked, answers, seed=7)
    assert row(other, "m").intervals != row(first, "m").intervals


# -- faults ----------------------------------------------------------------------------------------

HUGE = '{"system": "m", "question_id": "c", "quantiles": [1, 2, 3, 4, 1' + "0" * 5000 + "]}"

FAULTS: list[tuple[str | bytes | dict[str, Any], str, int]] = [
    (answer("x", probability=70), "unparsed: probability: Input should be less than or equal to 1", 1),
    (answer("x", probability="70%"), "unparsed: probability: Input should be a valid number", 1),
    (answer("x", probability=True), "unparsed: probability: Input should be a valid number", 1),
    ('{"system": "m", "question_id": "x", "probability": NaN}', "unparsed: probability: ", 1),
    (answer("x"), "unparsed: an answered forecast has one form of value; others none", 1),
    (answer("x", status="refused", probability=0.1), "unparsed: an answered forecast", 1),
    (answer("x", **FIVE), "unparsed: a binary question is answered by a probability", 1),
    (answer("c", probability=0.5), "unparsed: a continuous question is answered by quantiles", 1),
    (answer("c", quantiles=[1, 2, 3]), "unparsed: quantiles: ", 1),
    (answer("c", quantiles=[1, 2, 3, 4, 1e300]), "unparsed: quantiles: ", 1),
    (answer("c", quantiles=[1, 2, 3, 4, "5"]), "unparsed: quantiles: Input should be a valid number", 1),
    (HUGE, "unparsed: quantiles: Input should be a finite number", 1),
    (answer("c", bins=[0.5, 0.6, -0.1, 0, 0]), "unparsed: bins: Input should be greater than", 1),
    (answer("c", bins=[0.5, 0.6, 0, 0, 0]), "unparsed: the mass of the bins has to be 1", 1),
    (answer("c", bins=[0, 0, 0, 0, 0]), "unparsed: the mass of the bins has to be 1", 1),
    (answer("c", bins=[0.2] * 5, **FIVE), "unparsed: an answered forecast has one form", 1),
    (answer("c", status="done", **FIVE), "unparsed: status: ", 1),
    (answer("x", probability=0.5, note="hi"), "a line has fields that a SimForecast does not", 0),
    (answer("nobody", probability=0.5), "a line answers a question that is not asked", 0),
    (answer("x", system="", probability=0.5), "a line does not name its system and run", 0),
    (answer("x", system=["m"], probability=0.5), "a line does not name its system and run", 0),
    (answer("x", run={}, probability=0.5), "a line does not name its system and run", 0),
    ('{"system": "m", "question_id": [], "probability": 1}', "a line answers a question that", 0),
    (answer("x", system="\ud800", probability=0.5), "a line does not name its system and run", 0),
    (answer("x", system="a\nb", probability=0.5), "a line does not name its system and run", 0),
    (answer("x", system="constant 0.5", probability=1), "a system has the name of a rule", 0),
    ("not json", "a line is not JSON; it is left out", 0),
    ("[" * 100_000, "a line is not JSON; it is left out", 0),
    (b"\xff\xfe", "a line is not UTF-8; it is left out", 0),
    ("[1]", "a line is no JSON object; it is left out", 0),
]  # fmt: skip


@pytest.mark.parametrize(("line", "reason", "unparsed"), FAULTS)
def test_faulty_lines_are_counted_by_reason_and_fill_nothing_in(
    line: str | bytes | dict[str, Any], reason: str, unparsed: int, tmp_path: Path
) -> None:
    asked = [binary("x"), binary("y"), question("c"), question("d")]
    sound = [answer("y", probability=1.0), answer("d", **FIVE)]
    card = scored(tmp_path, asked, [line, *sound])
    assert len(card.problems) == 1
    assert card.problems[0].reason.startswith(reason)
    assert (card.problems[0].count, card.problems[0].example[:20]) == (1, "answers.jsonl line 1")
    rows = [r for r in card.rows if r.system == "m" and r.group == "all"]
    assert sum(r.unparsed for r in rows) == unparsed
    assert [r.answered for r in rows] == [1, 1]
    assert row(card, "m", kind="binary").metrics["brier"] == 0


def test_crossed_quantiles_are_scored_as_given_and_counted(tmp_path: Path) -> None:
    crossed = [1.0, -4.0, 0.0, 1.0, 5.0]
    card = scored(tmp_path, [question("a", outcomes=[0.0])], [answer("a", quantiles=crossed)])
    assert row(card, "m").metrics["crps"] == pytest.approx(1.06)
    assert row(card, "m").metrics["crossed"] == 1
    assert list(reasons(card).values()) == [1]


def test_of_two_answers_that_differ_neither_is_used(tmp_path: Path) -> None:
    asked = [binary("x"), binary("y")]
    answers = [
        answer("x", probability=0.9),
        answer("x", probability=0.8),
        answer("x", probability=0.8),
        answer("y", probability=0.5),
        answer("y", probability=0.5, raw="said again"),
    ]
    card = scored(tmp_path, asked, answers)
    found = row(card, "m", kind="binary")
    assert (found.answered, found.unparsed) == (1, 1)
    assert reasons(card) == {
        "a question is answered twice with a difference; neither answer is used": 2,
        "an answer is repeated; it counts once": 1,
    }


def test_runs_are_scored_apart(tmp_path: Path) -> None:
    answers = [answer("x", run=run, probability=p) for run, p in (("1", 0.0), ("2", 1.0))]
    card = scored(tmp_path, [binary("x")], answers)
    assert row(card, "m (1)", kind="binary").metrics["brier"] == 1
    assert row(card, "m (2)", kind="binary").metrics["brier"] == 0


def test_question_stated_in_two_ways_is_not_asked(tmp_path: Path) -> None:
    asked = [
        binary("x"),
        binary("x", outcomes=[0.0]),
        binary("y"),
        binary("y"),
        binary("z", rate=2),
    ]
    card = scored(tmp_path, asked, [answer("y", probability=1.0), answer("x", probability=1.0)])
    assert row(card, "m", kind="binary").n == 1
    assert reasons(card) == {
        "a question is stated in two ways; it is not asked": 1,
        "a question is repeated; it counts once": 1,
        "a question cannot be scored, rate: Input should be less than or equal to 1; it is left out": 1,
        "a line answers a question that is not asked; it is left out": 1,
    }


def test_outcomes_of_the_questions_win_over_those_of_a_table(tmp_path: Path) -> None:
    asked = write(tmp_path / "questions.jsonl", [question("q7", outcomes=[5.0])])
    table = write(tmp_path / "models.csv", [MODELS.strip()])
    card = score_sim(asked, [table], replicates=FAST)
    assert row(card, "a").metrics["mae"] == 2
    assert reasons(card)["a row states another outcome than its question, which counts"] == 1


def test_a_line_of_any_length_is_read_in_bounded_memory(tmp_path: Path) -> None:
    long = b'{"system": "m", "raw": "' + b"x" * 30_000_000 + b'"}'
    asked = write(tmp_path / "questions.jsonl", [binary("x")])
    answers = write(tmp_path / "answers.jsonl", [long, answer("x", probability=1.0)])
    table = write(
        tmp_path / "t.csv", ["question_id,ground_truth,probability,template", long, "x,1,1,t"]
    )
    del long
    tracemalloc.start()
    card = score_sim(asked, [answers], replicates=FAST)
    other = score_sim(table, replicates=FAST)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000
    for found in (card, other):
        assert list(reasons(found).values()) == [1]
        assert next(iter(found.rows)).answered == 1


def test_a_stray_quote_costs_its_own_row_only(tmp_path: Path) -> None:
    lines = ["model,question_id,template,ground_truth,probability", 'm,"x,t,1,1', "m,y,t,1,1"]
    card = score_sim(write(tmp_path / "t.csv", lines), replicates=FAST)
    assert row(card, "m", kind="binary").n == 1
    assert reasons(card) == {"a line is no row of a table; it is left out": 1}


def test_more_systems_than_anyone_has_are_refused(tmp_path: Path) -> None:
    answers = [answer("x", f"m{i}", probability=0.5) for i in range(210)]
    card = scored(tmp_path, [binary("x")], answers)
    assert list(reasons(card).values()) == [10]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a,b", "1,2"], "question_id"),
        (["question_id,question_id", "1,2"], "every column once"),
        (["question_id,p10", "x,1"], "ground_truth"),
        (["question_id,template,ground_truth,p10", "x,cities,1,1"], "p10 p25 p50"),
        (
            ["question_id,template,ground_truth,p10,p25,p50,p75,p90", "x,cities,a,1,2,3,4,5"],
            "outcomes",
        ),
        ([""], "holds no question"),
    ],
)
def test_unusable_tables_are_refused_with_the_reason(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=message):
        score_sim(write(tmp_path / "t.csv", lines), replicates=FAST)


def test_unusable_input_is_refused_with_the_next_step(tmp_path: Path) -> None:
    asked = write(tmp_path / "q.jsonl", [binary("x")])
    empty = write(tmp_path / "empty.jsonl", [""])
    with pytest.raises(BadInput, match="give files of answers"):
        score_sim(None)
    with pytest.raises(BadInput, match="--forecasts"):
        score_sim(asked)
    with pytest.raises(BadInput, match="no table that states outcomes"):
        score_sim(None, [asked])
    with pytest.raises(BadInput, match=r"nowhere\.jsonl"):
        score_sim(asked, [tmp_path / "nowhere.jsonl"])
    with pytest.raises(BadInput, match=r"nowhere\.csv"):
        score_sim(tmp_path / "nowhere.csv", [asked])
    with pytest.raises(BadInput, match="no answer"):
        score_sim(asked, [empty])
    with pytest.raises(BadInput, match="no question"):
        score_sim(empty, [empty])
    with pytest.raises(BadInput, match="replicate"):
        score_sim(asked, [empty], replicates=0)
    with pytest.raises(BadInput, match="cluster"):
        score_sim(asked, [empty], cluster="person")  # type: ignore[arg-type]


cells = st.one_of(
    st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=4), st.lists(st.floats(), max_size=6)
)  # fmt: skip
lines = st.one_of(
    st.binary(max_size=40),
    st.fixed_dictionaries(
        {"system": st.sampled_from(["m", "n"]), "question_id": st.sampled_from(["x", "c", "z"])},
        optional=dict.fromkeys(
            ("run", "status", "probability", "quantiles", "bins", "other"), cells
        ),
    ),
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sat=st.lists(lines, max_size=8))
def test_any_file_ends_in_a_card_or_a_sentence(
    sat: list[bytes | dict[str, Any]], tmp_path: Path
) -> None:
    asked = [binary("x"), question("c")]
    try:
        card = scored(tmp_path, asked, sat, replicates=5)
    except FactoryError:
        return
    TypedCard.model_validate_json(card.model_dump_json())
    for found in card.rows:
        assert all(v is None or np.isfinite(v) for v in found.metrics.values())


# -- records ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        binary("x", outcomes=[0.5]),
        binary("x", rate=0.5, outcomes=[1.0]),
        binary("x", outcomes=[]),
        binary("x", range=4.0),
        question("x", rate=0.5, outcomes=[]),
        question("x", range=0.0),
        question("x", horizon="H8"),
        question("x", template="a\x00"),
    ],
)
def test_questions_that_make_no_sense_cannot_be_built(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SimQuestion.model_validate_json(json.dumps(fields))


def test_answers_survive_their_file() -> None:
    for fields in ({"probability": 0.5}, FIVE, {"bins": [0.2, 0.2, 0.2, 0.2, 0.2049]}):
        forecast = SimForecast.model_validate_json(json.dumps(answer("x", **fields)))
        assert SimForecast.model_validate_json(forecast.model_dump_json()) == forecast
