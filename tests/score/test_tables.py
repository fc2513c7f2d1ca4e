"""Tables: the paper's own values on its bank, and what holds for any sheets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from factory.published.pages import Published, read_pages
from factory.score.pooling import axis_scores, cell_scores
from factory.score.rules import ALTERNATIVES, PAPER
from factory.score.sheet import Sheet
from factory.score.tables import tables, terciles
from schemas.score import Table
from tests.score.sheets import Row, date_rows, question_rows, sheet

EVENTS = {
    "event1_library": "Wuhan Lib.",
    "event4_us_iran": "US-Iran",
    "event3_tiktok": "TikTok",
    "event5_smci": "SMCI",
    "event2_trump_tariff": "Trump Tariff",
}
DOUBAO = "Doubao-Seed-2.0-Pro"
FULL = (
    "DeepSeek-V4-Pro",
    "Kimi-K2.5",
    DOUBAO,
    "LangGraph (Doubao)",
    "AutoGen (Doubao)",
    "MiroFish (Doubao)",
)
"""Systems that answered every released point."""


@pytest.fixture(scope="module")
def official(testdata: Path) -> Path:
    folder = testdata / "official"
    if not folder.is_dir():
        pytest.skip("the published bank is not among the test data")
    return folder


@pytest.fixture(scope="module")
def bank(official: Path) -> Published:
    return read_pages(official / "demo")


@pytest.fixture(scope="module")
def made(bank: Published) -> dict[str, Table]:
    return {table.name: table for table in tables(bank.calibration, bank.temporal)}


@pytest.fixture(scope="module")
def experiments(official: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of each published ablation."""
    data = json.loads((official / "experiments.json").read_text(encoding="utf-8"))
    return {name: table["rows"] for name, table in data["ablations"].items()}


def value(table: Table, label: str, column: str = DOUBAO) -> float:
    (row,) = [row for row in table.rows if row.label == label]
    found = row.values[table.columns.index(column)]
    assert found is not None
    return found


def test_the_cells_of_every_system_with_full_coverage_are_the_published_ones(
    official: Path, bank: Published
) -> None:
    """30 temporal cells within rounding; 30 of calibration within 0.17, as four points were never released."""
    board = json.loads((official / "leaderboard.json").read_text(encoding="utf-8"))
    published = {row["system"]: row["per_event"] for row in board["validated"]}
    for at, (graded, formula, within) in enumerate(
        ((bank.calibration, PAPER.calibration, 0.17), (bank.temporal, PAPER.temporal, 0.06))
    ):
        assert formula
        part = graded.only(FULL)
        shape = (len(FULL), len(EVENTS), 2)
        cells = cell_scores(part, formula).reshape(shape).mean(axis=2)
        for system, row in zip(FULL, cells, strict=True):
            for event, score in zip(part.event.names, row, strict=True):
                expected = published[system][EVENTS[event]][at]
                assert score == pytest.approx(expected, abs=within), (system, event, at)


def test_leaving_out_a_part_changes_scores_as_published(
    made: dict[str, Table], experiments: dict[str, list[dict[str, Any]]]
) -> None:
    table = made["composition-calibration"]
    for row in experiments["question_bank_composition"]:
        kind = row["label"][2]
        if row["label"].startswith("−"):
            change = value(table, f"minus {kind}: change")
            assert change == pytest.approx(row["doubao_delta"], abs=0.1)
            anchored = value(table, "headline (mean of events)") + change
            assert anchored == pytest.approx(row["doubao"], abs=0.2)
    for kind, share in {"A": 46.8, "B": 23.3, "C": 12.3, "D": 17.6}.items():
        assert value(table, f"minus {kind}", "share, %") == pytest.approx(share, abs=0.1)
    dates = made["composition-temporal"]
    # Printed in Table 4 only; the project page leaves them out.
    for bucket, change in {"0-30": -0.5, "31-60": 0.3, "61-90": -0.1}.items():
        assert value(dates, f"minus {bucket}: change") == pytest.approx(change, abs=0.1)


def test_other_formulas_change_scores_as_published(made: dict[str, Table]) -> None:
    table = made["formulas-calibration"]
    published = (-0.1, 1.1, 0.5, -0.5, -1.2, -6.9, -18.9, 9.1)
    reproduced = (0.01, 1.14, 0.56, -0.55, -1.27, -6.93, -19.03, 9.06)
    for formula, printed, exact in zip(ALTERNATIVES, published, reproduced, strict=True):
        change = value(table, f"{formula.name}: change")
        assert change == pytest.approx(printed, abs=0.2), formula.name
        assert change == pytest.approx(exact, abs=0.01), formula.name


def test_bias_terciles_segments_and_dimensions_are_the_published_ones(
    made: dict[str, Table], experiments: dict[str, list[dict[str, Any]]]
) -> None:
    true, false, bias = experiments["true_false_bias"]
    for label, row in (("true", true), ("false", false), ("bias", bias)):
        table = made["bias-calibration"]
        assert value(table, label) == pytest.approx(row["doubao"], abs=0.1)
        deepseek = value(table, label, "DeepSeek-V4-Pro")
        assert deepseek == pytest.approx(row["dseek"], abs=0.1)
    labels = ("early", "middle", "late", "late minus early")
    for label, row in zip(labels, experiments["cutoff_gradient"], strict=True):
        assert value(made["terciles-calibration"], label) == pytest.approx(row["doubao"], abs=0.1)
    segments = ("0-30 days", "31-60 days", "61-90 days", "full window")
    for label, row in zip(segments, experiments["window_segments"], strict=True):
        for key, name in (
            ("豆包", DOUBAO),
            ("kimi", "Kimi-K2.5"),
            ("deepseek", "DeepSeek-V4-Pro"),
        ):
            found = value(made["segments-temporal"], f"{label} (zh)", name)
            assert found == pytest.approx(row[key], abs=0.1)
    for row in experiments["dimension_mix"]:
        found = value(made["dimensions-calibration"], f"{row['label'].lower()} (zh)")
        assert found == pytest.approx(row["豆包"], abs=0.1)


def test_gaps_and_arcs_are_the_published_ones(official: Path, made: dict[str, Table]) -> None:
    data = json.loads((official / "experiments.json").read_text(encoding="utf-8"))
    arcs = {row["name"]: row["stats"]["arc_days"] for row in data["stress_case"]["events"]}
    table = made["gaps"]
    found = {row.label.split(",")[0]: row.values[0] for row in table.rows}
    assert len(table.rows) == 10
    assert {EVENTS[event]: found[event] for event in found if EVENTS[event] in arcs} == arcs
    for row in table.rows:
        _, best, worst, gap = row.values
        assert best is not None
        assert worst is not None
        assert gap == best - worst > 0


def small(**changes: Any) -> Sheet:
    """Two events of three points each, two types; s1 is always sure and right on true ones only."""
    rows = [
        Row(event, edition, f"t{point}", truth, 10.0, 30.0, [0.6, 1.0])
        for event in ("a", "b")
        for edition in ("en", "zh")
        for point in (1, 2, 3)
        for truth in (0.0, 1.0)
    ]
    options: dict[str, Any] = {
        "keys": {"type": ["A", "D"] * 12},
        "cutoff": [f"2031-0{4 - int(row.point[1])}-10" for row in rows],
    }
    return sheet("calibration", rows, **(options | changes))


def of(name: str, calibration: Sheet | None, temporal: Sheet | None = None) -> Table:
    (table,) = [table for table in tables(calibration, temporal) if table.name == name]
    return table


def test_a_table_that_cannot_be_filled_is_left_out() -> None:
    assert tables(None, None) == ()
    assert tables(sheet("calibration", [], systems=["s"]), None) == ()
    names = [table.name for table in tables(small(keys={}, cutoff=()), None)]
    assert names == [
        "formulas-calibration",
        "bias-calibration",
        "leave-one-out-calibration",
        "gaps",
    ]
    one = small().only(["s0"])
    alone = [table.name for table in tables(one.rows(one.event.codes == 0), None)]
    assert alone == [
        "composition-calibration",
        "formulas-calibration",
        "bias-calibration",
        "terciles-calibration",
    ]


def test_leaving_out_a_part_is_scoring_the_rest() -> None:
    table = of("composition-calibration", small())
    assert value(table, "minus A", "s0") == pytest.approx(60.0)
    assert value(table, "minus D", "s0") == pytest.approx(40.0)
    assert value(table, "minus D: change", "s0") == pytest.approx(-10.0)
    assert value(table, "minus D", "share, %") == 50.0
    bias = of("bias-calibration", small())
    assert [value(bias, label, "s1") for label in ("true", "false", "bias")] == [100, 0, -100]


def test_points_without_published_numbers_are_ranked_by_cutoff() -> None:
    found = terciles(small())
    assert found is not None
    third, convention = found
    assert "ranked by cutoff" in convention
    # t3 has the earliest cutoff.
    assert third.labels()[:6] == ["late", "late", "middle", "middle", "early", "early"]


def test_an_event_of_two_points_has_no_terciles() -> None:
    whole = small()
    two = whole.rows(np.array([name != "b/t2" for name in whole.point.labels()]))
    assert terciles(two) is None
    assert terciles(small(cutoff=())) is None


def test_published_point_numbers_are_split_eight_eight_nine() -> None:
    numbers = list(range(1, 26))
    rows = [Row("a", "en", f"P{n:02d}", 1.0, 1.0, 7.0, [0.5]) for n in numbers]
    found = terciles(sheet("calibration", rows))
    assert found is not None
    assert found[0].labels() == ["early"] * 8 + ["middle"] * 8 + ["late"] * 9
    # What is not released leaves the others where they are.
    some = terciles(sheet("calibration", rows[4:12]))
    assert some is not None
    assert some[0].labels() == ["early"] * 4 + ["middle"] * 4


def test_a_system_that_sat_nothing_is_in_no_table_and_an_unsat_edition_in_no_mean() -> None:
    rows = [
        Row("a", lang, "t1", truth, 5.0, 7.0, [p, None, p if lang == "en" else None])
        for lang, p in (("en", 0.2), ("zh", 0.9))
        for truth in (1.0, 0.0)
    ]
    table = of("bias-calibration", sheet("calibration", rows, systems=["x", "none", "en only"]))
    assert table.columns == ("share, %", "x", "en only")
    assert value(table, "true", "x") == pytest.approx(55.0)
    assert value(table, "true", "en only") == pytest.approx(20.0)


def test_labels_of_one_language_name_their_edition_and_rare_ones_stand_together() -> None:
    words = {"en": "policy", "zh": "政策"}
    rows = [
        Row("a", lang, "t1", float(i % 2), 5.0, 7.0, [0.5]) for lang in words for i in range(150)
    ]
    labels = [words[row.edition] for row in rows]
    labels[0], labels[299] = "odd", "stray"
    table = of("dimensions-calibration", sheet("calibration", rows, keys={"dimension": labels}))
    assert [row.label for row in table.rows] == [
        "policy (en)",
        "政策 (zh)",
        "2 rare labels",
        "2 rare labels (en)",
        "2 rare labels (zh)",
    ]
    assert sum(row.values[0] or 0 for row in table.rows) == pytest.approx(100.0)


@given(question_rows(systems=3), date_rows(systems=3))
@settings(max_examples=30)
def test_tables_of_any_sheets_are_whole_and_true(questions: list[Row], dates: list[Row]) -> None:
    calibration = sheet(
        "calibration",
        questions,
        keys={"type": ["ABCD"[int(row.window) % 4] for row in questions]},
        cutoff=["2031-01-01" if row.point == "t1" else "2031-02-01" for row in questions],
    )
    temporal = sheet("temporal", dates)
    for table in tables(calibration, temporal):
        assert {len(row.values) for row in table.rows} <= {len(table.columns)}
        labels = [row.label for row in table.rows]
        assert len(labels) == len(set(labels))
        for row in table.rows:
            assert all(v is None or np.isfinite(v) for v in row.values)
    assert PAPER.calibration
    for table in tables(calibration, None):
        if table.name == "leave-one-out-calibration":
            for code, event in enumerate(calibration.event.names):
                rest = calibration.rows(calibration.event.codes != code)
                score = axis_scores(rest, PAPER.calibration)
                (row,) = [r for r in table.rows if r.label == f"without {event}"]
                for system, v in zip(table.columns, row.values, strict=True):
                    expected = score[calibration.systems.index(system)]
                    assert np.isnan(expected) if v is None else v == pytest.approx(expected)
