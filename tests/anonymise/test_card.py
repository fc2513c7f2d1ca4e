"""The card: what it counts is there, what would undo the anonymisation is not, and labels survive."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.apply import build_timeline, parse_timeline, raw_statements
from factory.anonymise.dates import offsets
from factory.anonymise.inventory import Gaps, date_figures, gap_figures, merged, weekday_figures
from factory.anonymise.match import Matcher
from factory.anonymise.relabel import labels_unchanged
from factory.anonymise.table import Named, build_table
from factory.nameforms.normal_forms import NameSearch
from factory.settings import Settings
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    AnonymisationAudit,
    AnonymisationCard,
    DateRef,
    Keys,
    Occurrence,
    Plain,
    Proportion,
    Question,
    ReplacementTable,
    Resolution,
    SegmentText,
    Timeline,
    UtilityFigures,
)
from tests import example_event as example
from tests.anonymise import event
from tests.anonymise.test_controls import knowing
from tests.anonymise.test_stage import card, go
from tests.scripted import Call

NO_NAMES = Matcher(ReplacementTable(entities=()))
WEEKS = st.sampled_from(offsets("weeks"))


def audit(ctx: StageContext) -> AnonymisationAudit:
    return ctx.workspace.read(AnonymisationAudit, "04_anonymised/audit.json")


def live(tmp_path: Path, offset: int = event.OFFSET, **more: Any) -> StageContext:
    ctx = event.context(tmp_path, knowing(), settings=Settings(), **more)
    ctx.scripted = False
    ctx.keys = Keys(public_id="e-test", salt="test-salt", offset_days=offset)
    return go(ctx)


def texts(timeline: Timeline, offset: int) -> dict[str, SegmentText]:
    return {k: v.segments for k, v in parse_timeline(timeline, NO_NAMES, offset).items()}


# -- what it says ---------------------------------------------------------------------------------


def test_a_clean_event_has_a_full_card(tmp_path: Path) -> None:
    ctx = live(tmp_path)
    shown = card(ctx)
    assert (shown.gap_pairs, shown.gaps_preserved) == (36, 1.0)
    assert (shown.weekdays_checked, shown.weekdays_false) == (2, 0)
    assert shown.leaks == {}
    assert isinstance(shown.utility, UtilityFigures)
    assert (shown.utility.nodes_equal, shown.utility.statements_equal) == (True, True)
    assert 0.5 < shown.utility.length_ratio < 1.5
    assert [(row.lang, row.aliases, row.hit) for row in shown.names] == [("en", 8, 5), ("zh", 4, 1)]
    assert all(row.hit + row.zero_hit == row.aliases for row in shown.names)
    assert shown.rare_numbers == {"percent": 1, "votes": 2}
    assert sum(row.mentions for row in shown.dates) == sum(
        row.shifted + row.left + row.flagged for row in shown.dates
    )


def test_a_flagged_date_counts_as_open_then_as_repaired(tmp_path: Path) -> None:
    raw = event.timeline().model_dump()
    raw["nodes"][1]["fact"]["statements"][0]["text"] = "Fares rose before Christmas."
    arc = Timeline.model_validate(raw)
    ctx = go(event.context(tmp_path, raw=arc))
    (holiday,) = [row for row in audit(ctx).dates if row.kind == "holiday"]
    assert (holiday.flagged, holiday.repaired, holiday.open) == (1, 0, 1)
    assert audit(ctx).open_dates == ("n2s1: Christmas (holiday)",)

    def handler(call: Call) -> Any:
        if call.prompt != "anonymise/drift":
            return event.answers(call)
        return {
            "problems": [
                {
                    "statement_id": "n2s1",
                    "problem": "a clue",
                    "words": "Christmas",
                    "remedy": "replace",
                    "replacement": "a public holiday",
                }
            ]
        }

    ctx = go(event.context(tmp_path / "b", handler, raw=arc))
    (holiday,) = [row for row in audit(ctx).dates if row.kind == "holiday"]
    assert (holiday.flagged, holiday.repaired, holiday.open) == (1, 1, 0)
    assert audit(ctx).open_dates == ()


def test_an_unexplained_name_is_counted_in_public_and_shown_in_private(tmp_path: Path) -> None:
    raw = event.timeline().model_dump()
    raw["nodes"][1]["fact"]["statements"][0]["text"] = "They met at Ostvikhall before noon."
    ctx = go(event.context(tmp_path, raw=Timeline.model_validate(raw)))
    english = next(row for row in card(ctx).names if row.lang == "en")
    chinese = next(row for row in card(ctx).names if row.lang == "zh")
    assert (english.unexplained, chinese.unexplained) == (1, "not evaluated")
    assert audit(ctx).unexplained[0].startswith("Ostvikhall")
    assert "Ostvikhall" not in card(ctx).model_dump_json()


# -- what it must not say -------------------------------------------------------------------------


def test_the_public_card_holds_no_name_of_the_table(tmp_path: Path) -> None:
    ctx = live(tmp_path)
    text = card(ctx).model_dump_json()
    table = ctx.workspace.read(ReplacementTable, "secret/table.json")
    assert list(NameSearch(table).find([text])) == []
    assert not any(day.isoformat() in text for day in (date(2026, 1, 6), date(2026, 3, 10)))


@pytest.mark.parametrize("offset", [-63, -119, 119, 175])
def test_the_public_card_is_the_same_whatever_the_offset(tmp_path: Path, offset: int) -> None:
    """Two cards of one event that differ only in the offset must not differ in any figure that reads it."""
    first, other = card(live(tmp_path / "a", -28)), card(live(tmp_path / "b", offset))
    # What attackers find in the released text is public anyway; lengths follow the names of months.
    open_ = {"offset_candidates", "linkage_margin", "linkage_margin_meaning", "utility"}
    assert first.model_dump(exclude=open_) == other.model_dump(exclude=open_)


def test_an_auditor_that_reads_the_dates_back_leaves_the_offset_out_of_the_card(
    tmp_path: Path,
) -> None:
    def handler(call: Call) -> Any:
        answer = knowing()(call)
        if call.item.startswith("round-"):
            shown = event.timeline().nodes[0].date + timedelta(days=event.OFFSET)
            answer["guesses"][0]["period_start"] = shown.isoformat()
        return answer

    ctx = event.context(tmp_path, handler, settings=Settings())
    ctx.scripted = False
    go(ctx)
    assert audit(ctx).period.error_days == abs(event.OFFSET), "private"
    quiet = card(live(tmp_path / "b"))
    assert card(ctx) == quiet


def test_kinds_whose_fate_depends_on_the_offset_are_added_up() -> None:
    arc = event.timeline().model_dump()
    arc["nodes"][0]["fact"]["statements"][0]["text"] = "Fares rose last year, on 5 January."
    timeline = Timeline.model_validate(arc)
    kinds = set()
    for offset in (-175, 175):
        parsed = parse_timeline(timeline, NO_NAMES, offset)
        rows = date_figures(timeline, NO_NAMES, offset, parsed, texts(timeline, offset), [])
        assert any(row.kind not in ("day", "range", "weekday", "month") for row in rows)
        kinds.add(tuple((row.kind, row.mentions) for row in merged(rows)))
        assert sum(row.mentions for row in merged(rows)) == sum(row.mentions for row in rows)
    assert len(kinds) == 1


# -- gaps and weekdays ----------------------------------------------------------------------------


def gaps(timeline: Timeline, offset: int, moved: dict[str, SegmentText] | None = None) -> Gaps:
    after = texts(timeline, offset) | (moved or {})
    public = build_timeline(timeline, after, "e", offset)
    return gap_figures(timeline, public, texts(timeline, 0), after, offset)


@given(WEEKS)
def test_every_day_precise_gap_is_kept(offset: int) -> None:
    found = gaps(event.timeline(), offset)
    assert found.pairs == found.preserved == 36
    assert found.month_error_days <= 46, "half a quarter"


@given(WEEKS, st.integers(1, 30))
def test_one_day_that_moved_otherwise_breaks_its_pairs(offset: int, wrong: int) -> None:
    arc = event.timeline()
    text = texts(arc, offset)["n2s1"]
    step = timedelta(days=wrong)
    off = tuple(
        s.model_copy(update={"start": s.start + step, "end": s.end + step})
        if isinstance(s, DateRef) and s.precision == "day"
        else s
        for s in text
    )
    found = gaps(arc, offset, {"n2s1": off})
    assert found.pairs - found.preserved == 8, "the day against the eight others"


@given(WEEKS)
def test_a_date_that_was_lost_keeps_no_gap(offset: int) -> None:
    arc = event.timeline()
    bare = tuple(s for s in texts(arc, offset)["n2s1"] if not isinstance(s, DateRef))
    found = gaps(arc, offset, {"n2s1": bare})
    assert found.preserved < found.pairs


def _one(text: str, lang: Any) -> AnonTimeline:
    arc = build_timeline(event.timeline(), texts(event.timeline(), 0), "e", 0)
    node = arc.nodes[0].model_copy(
        update={
            "fact": (
                arc.nodes[0].fact[0].model_copy(update={"text": {lang: (Plain(text=text),)}}),
            ),
            "opinion": None,
        }
    )
    return arc.model_copy(update={"nodes": (node,), "lang": lang})


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("They met on Tuesday, 6 January 2026.", "en", (1, 0)),
        ("They met on Friday, 6 January 2026.", "en", (1, 1)),
        ("他们于2026年1月6日（周二）会面。", "zh", (1, 0)),
        ("他们于2026年1月6日（周五）会面。", "zh", (1, 1)),
        ("Nothing was said.", "en", (0, 0)),
    ],
)
def test_a_false_weekday_is_seen(text: str, lang: Any, expected: tuple[int, int]) -> None:
    assert weekday_figures(_one(text, lang)) == expected


# -- labels (I16) ---------------------------------------------------------------------------------

ARC = event.timeline()
PLACES = [
    (node.node_id, raw.statement_id, raw.happened_on or node.date)
    for node in ARC.nodes
    for raw in raw_statements(node)
]


def _question(start: date, length: int, answer: bool) -> Question:
    changes = {
        "claim_id": "c1",
        "window_start": start,
        "window_end": start + timedelta(days=length),
        "window_days": length,
        "answer": answer,
    }
    return example.questions()[0].model_copy(update=changes)


@given(
    WEEKS,
    st.lists(st.sampled_from(PLACES), max_size=4, unique=True),
    st.dates(date(2025, 12, 1), date(2026, 4, 1)),
    st.integers(0, 90),
)
def test_a_label_is_the_same_on_the_raw_side(
    offset: int, found: list[tuple[str, str, date]], start: date, length: int
) -> None:
    step = timedelta(days=offset)
    public = build_timeline(ARC, texts(ARC, offset), "e", offset)
    shown = {
        s.statement_id: s.happened_on or node.date for node in public.nodes for s in node.fact
    } | {
        s.statement_id: s.happened_on or node.date
        for node in public.nodes
        if node.opinion is not None
        for s in (*node.opinion.statements, *node.opinion.themes)
    }
    occurrences = tuple(
        Occurrence(node_id=node, statement_id=statement, quote="x", happened_on=shown[statement])
        for node, statement, _ in found
    )
    answer = any(
        start + step <= o.happened_on <= start + step + timedelta(days=length) for o in occurrences
    )
    resolution = Resolution(
        claim_id="c1",
        state="occurs" if occurrences else "never",
        basis="stated" if occurrences else "absent",
        occurrences=tuple(sorted(occurrences, key=lambda o: o.happened_on)),
        passes=(),
    )
    asked = _question(start + step, length, answer)
    right = labels_unchanged(ARC, [asked], [resolution], offset)
    assert isinstance(right, Proportion)
    assert right.share == 1.0
    flipped = asked.model_copy(update={"answer": not answer})
    wrong = labels_unchanged(ARC, [flipped], [resolution], offset)
    assert isinstance(wrong, Proportion)
    assert wrong.share == 0.0


def test_labels_without_a_resolution_are_not_evaluated() -> None:
    assert labels_unchanged(ARC, [_question(date(2026, 1, 1), 3, True)], [], -63) is None


# -- the same seed, another event (I21) -------------------------------------------------------------


@given(st.text("abcdef0123456789", min_size=4, max_size=12))
def test_letters_follow_the_salt_and_nothing_else(salt: str) -> None:
    named = [Named("PER", (f"Person{letter}ski",), "model") for letter in "abcdefghijkl"]
    first, again = build_table(named, [], salt), build_table(named, [], salt)
    backwards = build_table(named[::-1], [], salt)

    def letters(table: ReplacementTable) -> dict[str, str]:
        return {entity.aliases[0].surface: entity.label for entity in table.entities}

    assert letters(first) == letters(again) == letters(backwards)
    assert letters(first) != letters(build_table(named, [], salt + "x"))


def test_old_cards_are_still_read() -> None:
    fields = {
        "entities": 1, "aliases": 1, "aliases_hit": 1, "mentions": 1, "dates_shifted": 1, "dates_flagged": 0,
        "calendar_residue": 0, "offset_candidates": 44, "panel_grade": "LOW", "panel_rounds": 1,
        "panel_state": "not evaluated", "drift_open": 0,
    }  # fmt: skip
    old = AnonymisationCard.model_validate(fields)
    assert {old.gaps_preserved, old.leaks, old.rare_numbers, old.utility, old.parity} == {
        "not evaluated"
    }
