"""Score cards in a terminal and as CSV: aligned, complete, safe to print and to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.scoretable import csv_text, terminal_lines, typed_csv, typed_lines
from factory.standings import (
    axis_standings,
    figure,
    overall_standings,
    signed,
    why_no_overall,
)
from factory.textgrid import clipped, columns, plain
from schemas import Anchor, Interval, Problem, ScoreCard
from schemas.typed import TypedCard, TypedRow
from tests.score_cards import (
    CONTROL,
    FORMULA,
    HOSTILE,
    LONG,
    READERS,
    bare_card,
    comparison,
    full_card,
)


def row_of(lines: list[str], name: str) -> str:
    return next(line for line in lines if f"  {name} " in line)


def typed_card() -> TypedCard:
    return TypedCard(
        rules="forecast",
        rules_version="1",
        rows=(
            TypedRow(
                system="model",
                kind="boolean",
                n=10,
                answered=8,
                unparsed=1,
                missing=1,
                metrics={"accuracy": 0.75, "brier": 0.2, "f1": None},
                intervals={"brier": Interval(low=0.1, high=0.3)},
            ),
            TypedRow(system="=1+1", kind="boolean", n=10, answered=10, metrics={"accuracy": 0.5}),
            TypedRow(system="model", kind="timeframe", group="2024", n=0, answered=0),
        ),
        problems=(Problem(reason="unknown id", count=3, example="line 7"),),
        notes=("Few questions.",),
    )


# -- text ----------------------------------------------------------------------------------------


@given(st.text(max_size=80), st.integers(1, 40))
def test_clipped_text_fits_and_holds_no_control_character(text: str, width: int) -> None:
    short = clipped(text, width)
    assert columns(short) <= width
    assert not any(unicodedata.category(char).startswith("C") for char in short)


@given(st.text(max_size=80))
def test_text_that_fits_is_kept(text: str) -> None:
    assert clipped(text, 400) == plain(text)


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert columns("豆包 a") == 6
    assert columns("e\u0301") == 1
    assert clipped("豆包模型", 6) == "豆包…"


@pytest.mark.parametrize(
    ("value", "shown", "with_sign"),
    [(-0.04, "0.0", "0.0"), (0.04, "0.0", "0.0"), (1.25, "1.2", "+1.2"), (-3.0, "-3.0", "-3.0")],
)
def test_a_rounded_zero_has_no_sign(value: float, shown: str, with_sign: str) -> None:
    assert figure(value) == shown
    assert signed(value) == with_sign


# -- order and ranks -----------------------------------------------------------------------------


def test_nobody_has_a_rank_without_paired_tests() -> None:
    card = full_card(compared=False)
    assert all(row.ranks is None for row in overall_standings(card))
    assert all(row.ranks is None for row in axis_standings(card, "temporal"))


def test_a_rank_range_leaves_open_what_the_tests_leave_open() -> None:
    card = full_card(("a", "b", "c", "idle"), rules=False)
    card = card.model_copy(
        update={
            "comparisons": (
                comparison("a", "b", 1.0, "calibration", q=0.4),
                comparison("a", "c", 5.0, "calibration", q=0.05),
                comparison("c", "b", -4.0, "calibration", q=0.01),
            )
        }
    )
    ranks = {row.system: row.ranks for row in axis_standings(card, "calibration")}
    assert ranks == {"a": (1, 3), "b": (1, 3), "c": (3, 4), "idle": (1, 4)}


def test_overall_ranks_need_tests_on_both_axes() -> None:
    card = full_card(("a", "b", "idle"), rules=False)
    one = (comparison("a", "b", 5.0, "calibration", q=0.01),)
    both = (*one, comparison("a", "b", 5.0, "temporal", q=0.01))
    against = (*one, comparison("a", "b", -5.0, "temporal", q=0.01))

    def ranks(rows: tuple[object, ...]) -> list[tuple[int, int] | None]:
        standings = overall_standings(card.model_copy(update={"comparisons": rows}))
        return [row.ranks for row in standings if row.system in ("a", "b")]

    assert ranks(one) == [None, None]
    assert ranks(both) == [(1, 1), (2, 2)]
    assert ranks(against) == [(1, 2), (1, 2)]


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(1, 7))
def test_a_place_by_score_may_differ_from_the_range_but_the_range_is_within_the_field(
    seed: int, size: int
) -> None:
    card = full_card([f"s{n}" for n in range(size)], seed=seed)
    rows = [row for row in axis_standings(card, "calibration") if row.place is not None]
    for row in rows:
        if row.ranks is not None:
            assert 1 <= row.ranks[0] <= row.ranks[1] <= len(rows)


def test_rules_without_text_stand_in_the_order_but_take_no_place() -> None:
    rows = axis_standings(full_card(), "calibration")
    scores = [row.score for row in rows if not isinstance(row.score, str)]
    assert scores == sorted(scores, reverse=True)
    assert [row.place for row in rows if not row.text_free] == [1, 2, 3, 4, 5, 6]
    assert all(row.place is None and row.ranks is None for row in rows if row.text_free)


def test_equal_scores_share_a_place() -> None:
    card = bare_card({"a": 60.0, "b": 60.0, "c": 50.0})
    assert [row.place for row in overall_standings(card)] == [1, 1, 3]


def test_why_there_is_no_overall_score_is_said() -> None:
    card = bare_card(
        {"a": "not scored", "b": "not scored"},
        [("a", "calibration", 60.0), ("b", "calibration", 60.0), ("b", "temporal", "not scored")],
    )
    assert why_no_overall(card, "a") == "calibration only"
    assert why_no_overall(card, "b") == "nothing answered on dates"
    assert why_no_overall(full_card(), READERS[0]) == ""


# -- terminal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("readers", [READERS, (), ("solo",), (HOSTILE, LONG, CONTROL, "豆包" * 30)])
def test_no_line_is_wider_than_100_columns_or_holds_a_control_character(
    readers: tuple[str, ...],
) -> None:
    for line in terminal_lines(full_card(readers), tables=True):
        assert columns(line) <= 100, line
        assert not any(unicodedata.category(char).startswith("C") for char in line), line


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1, max_size=120), min_size=1, max_size=4, unique=True))
def test_no_name_breaks_the_table(readers: list[str]) -> None:
    lines = terminal_lines(full_card(readers, rules=False), tables=True)
    assert max(columns(line) for line in lines) <= 100


def test_columns_stay_aligned_under_wide_characters() -> None:
    lines = terminal_lines(full_card(), tables=False)
    head = next(line for line in lines if line.startswith("rank"))
    chinese = next(line for line in lines if "豆包" in line)
    at = head.index("answered") + len("answered")
    assert columns(chinese[: chinese.index("9920/10000")]) + len("9920/10000") == at


def test_the_leaderboard_shows_ranks_scores_intervals_and_coverage() -> None:
    lines = terminal_lines(full_card())
    first = row_of(lines, "GPT-5.5")
    assert first.split()[0] == "1-2"
    assert "4200/10000" in first
    assert first.count("*") == 2
    assert any("less than 95%" in line for line in lines)
    assert row_of(lines, "window rule").strip().startswith("~")


def test_a_complete_system_carries_no_mark() -> None:
    assert "*" not in row_of(terminal_lines(full_card()), "Kimi-K2.5")


def test_what_is_not_scored_is_never_shown_as_zero() -> None:
    lines = terminal_lines(full_card())
    assert "MiroFish: no overall score, nothing answered on dates" in " ".join(lines)
    assert " 0.0 " not in row_of(lines, "MiroFish")


def test_problems_and_notes_come_last() -> None:
    card = full_card()
    text = terminal_lines(card)
    assert text[-1] == f"note: {card.notes[0]}"
    assert any(line.startswith("problem: 12 x probability above 1") for line in text[-4:])


def test_tables_are_shown_on_request_only() -> None:
    card = full_card()
    title = card.tables[0].title
    assert title not in terminal_lines(card)
    assert title in terminal_lines(card, tables=True)


def test_every_cell_is_shown() -> None:
    card = full_card(("solo",), rules=False)
    text = "\n".join(terminal_lines(card))
    for cell in card.cells:
        if not isinstance(cell.score, str):
            assert figure(cell.score) in text


def test_groups_are_a_table_of_systems_by_key() -> None:
    lines = terminal_lines(full_card())
    head = next(line for line in lines if line.startswith("calibration by difficulty"))
    assert head.split()[-2:] == ["easy", "hard"]
    body = lines[lines.index(head) + 2]
    assert body.split() == ["GPT-5.5", "60.0", "60.0"]


def test_a_difference_is_shown_from_the_better_system() -> None:
    card = bare_card({"a": 50.0, "b": 60.0}).model_copy(
        update={"comparisons": (comparison("a", "b", -10.0, "temporal", q=0.01),)}
    )
    line = next(line for line in terminal_lines(card) if line.startswith("b - a"))
    assert line.split()[3:] == ["+10.0", "[8.5", "11.5]", "0.0100", "holds", "4800"]


def test_an_empty_card_says_so() -> None:
    assert "Nobody sat this bank." in terminal_lines(bare_card({}))


def test_a_card_without_grades_still_has_its_scores() -> None:
    card = bare_card({"a": 61.5}, [("a", "calibration", 61.5), ("a", "temporal", 61.5)])
    assert "61.5" in row_of(terminal_lines(card), "a")


# -- CSV -----------------------------------------------------------------------------------------


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_has_one_row_a_cell_with_every_count() -> None:
    card = full_card()
    rows = read(csv_text(card))
    assert len(rows) == len(card.cells)
    for row, cell in zip(rows, card.cells, strict=True):
        assert (row["system"], row["event"], row["edition"]) == (
            cell.system,
            cell.event,
            cell.edition,
        )
        assert [int(row[name]) for name in ("answered", "total", "missing")] == [
            cell.answered,
            cell.total,
            cell.missing,
        ]
        if isinstance(cell.score, str):
            assert (row["score"], row["low"]) == ("not scored", "")
        else:
            assert float(row["score"]) == pytest.approx(cell.score, abs=1e-6)


def test_csv_lines_end_as_rfc_4180_says() -> None:
    text = csv_text(full_card(("solo",)))
    assert text.endswith("\r\n")
    assert text.count("\r\n") == text.count("\n")


@pytest.mark.parametrize("name", [FORMULA, "+1", "-cmd", "@SUM(A1)", "\t=1", "＝1+1"])
def test_no_text_starts_a_formula(name: str) -> None:
    rows = read(csv_text(bare_card({}, [(name, "temporal", -3.25)])))
    assert rows[0]["system"] == f"'{name}"
    assert rows[0]["score"] == "-3.250000"


@given(st.text(min_size=1, max_size=40).filter(lambda name: "\x00" not in name))
def test_csv_gives_names_back(name: str) -> None:
    row = read(csv_text(bare_card({}, [(name, "temporal", 1.0)])))[0]
    assert row["system"].removeprefix("'") == name.removeprefix("'")


# -- typed questions -----------------------------------------------------------------------------


def test_typed_lines_show_each_kind_with_its_own_figures() -> None:
    text = "\n".join(typed_lines(typed_card()))
    assert "boolean" in text
    assert "timeframe, 2024" in text
    assert "0.2000 [0.1000 0.3000]" in text
    assert "model left 1 unparsed, 1 missing" in text
    assert "problem: 3 x unknown id (first: line 7)" in text


def test_rules_stand_beside_published_figures_where_there_are_any() -> None:
    card = bare_card({})
    rule = Anchor(system="day 15", axis="temporal", score=40.0)
    bare = card.model_copy(update={"anchors": (rule,)})
    beside = card.model_copy(update={"anchors": (rule.model_copy(update={"published": 50.0}),)})
    head = "rule that reads no text "
    assert not any(line.startswith(head) for line in terminal_lines(bare))
    assert any(line.startswith(head) for line in terminal_lines(beside))


def test_a_typed_count_has_no_decimals() -> None:
    row = typed_card().rows[0].model_copy(update={"metrics": {"clusters": 12.0, "exact": 1.0}})
    card = typed_card().model_copy(update={"rows": (row,)})
    line = next(line for line in typed_lines(card) if line.startswith("model"))
    assert line.split() == ["model", "8/10", "12", "1.0000"]


def test_an_undefined_typed_figure_is_no_zero() -> None:
    line = next(line for line in typed_lines(typed_card()) if line.startswith("model"))
    assert line.split()[-1] == "-"
    row = next(row for row in read(typed_csv(typed_card())) if row["metric"] == "f1")
    assert row["value"] == ""


def test_typed_csv_has_one_row_a_figure_and_keeps_rows_without_any() -> None:
    rows = read(typed_csv(typed_card()))
    assert [row["metric"] for row in rows] == ["accuracy", "brier", "f1", "accuracy", ""]
    assert rows[3]["system"] == "'=1+1"
    assert (rows[1]["low"], rows[1]["high"]) == ("0.100000", "0.300000")


def test_the_same_card_gives_the_same_lines() -> None:
    card = full_card()
    again = ScoreCard.model_validate_json(card.model_dump_json())
    assert terminal_lines(card, tables=True) == terminal_lines(again, tables=True)
    assert csv_text(card) == csv_text(again)
