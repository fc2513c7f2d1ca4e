"""The leaderboard page: self-contained, safe with hostile names, and no more certain than the card."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.grading import score_paths
from factory.leaderboard import leaderboard_page, percent
from factory.score.card import Wanted
from factory.scoretable import terminal_lines
from factory.standings import figure
from factory.textgrid import columns, plain
from schemas import ScoreCard, Table, TableRow
from tests.score_cards import (
    CONTROL,
    FORMULA,
    HOSTILE,
    LONG,
    READERS,
    bare_card,
    full_card,
)

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Tags, ids, tables and words of a page; `open_tags` is empty when every tag was closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open_tags: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self.words.append(" " if tag in ("td", "th", "li", "br") else "")
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open_tags or self.open_tags[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _tag, attrs in self.tags if "id" in attrs]

    def count(self, name: str) -> int:
        return sum(tag == name for tag, _attrs in self.tags)


def page(card: ScoreCard, title: str = "A bank") -> Page:
    return Page(leaderboard_page(card, title=title))


CARDS = {
    "full": full_card(),
    "uncompared": full_card(compared=False, strict=False),
    "hostile": full_card((HOSTILE, LONG, CONTROL, FORMULA, "豆包" * 30)),
    "one": full_card(("solo",), compared=False, rules=False),
    "rules only": full_card(()),
    "nobody": bare_card({}),
    "cells only": bare_card({"a": 61.5}, [("a", "calibration", 61.5), ("a", "temporal", 61.5)]),
    "nothing scored": bare_card({"a": "not scored"}, [("a", "temporal", "not scored")]),
}


@pytest.fixture(params=CARDS, name="card")
def any_card(request: pytest.FixtureRequest) -> ScoreCard:
    return CARDS[request.param]


def test_every_tag_is_closed_and_every_link_leads_somewhere(card: ScoreCard) -> None:
    shown = page(card)
    assert shown.open_tags == []
    assert len(shown.ids) == len(set(shown.ids))
    links = {attrs["href"] for tag, attrs in shown.tags if tag == "a"}
    assert links <= {f"#{name}" for name in shown.ids}


def test_nothing_is_loaded_and_nothing_runs(card: ScoreCard) -> None:
    shown = page(card, HOSTILE)
    forbidden = {
        "script",
        "img",
        "link",
        "iframe",
        "object",
        "embed",
        "form",
        "use",
        "image",
        "base",
    }
    assert not forbidden & {tag for tag, _attrs in shown.tags}
    assert not [attrs for _tag, attrs in shown.tags for name in attrs if name.startswith("on")]
    assert not [attrs for _tag, attrs in shown.tags if "src" in attrs or "style" in attrs]
    html = leaderboard_page(card, title=HOSTILE)
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


def test_every_picture_has_a_title_and_a_description(card: ScoreCard) -> None:
    html = leaderboard_page(card, title="A bank")
    pictures = re.findall(r"<svg[^>]*>.*?</svg>", html, re.DOTALL)
    for picture in pictures:
        assert 'role="img"' in picture[:200]
        assert re.search(r"<title>[^<]+</title><desc>[^<]+</desc>", picture)


def test_every_table_has_a_caption_and_scoped_heads(card: ScoreCard) -> None:
    shown = page(card)
    assert shown.count("caption") == shown.count("table")
    assert all("scope" in attrs for tag, attrs in shown.tags if tag == "th")


def test_wide_tables_scroll_by_keyboard(card: ScoreCard) -> None:
    boxes = [attrs for _tag, attrs in page(card).tags if attrs.get("class") == "scroll"]
    assert all(box["tabindex"] == "0" and box["aria-label"] for box in boxes)


def test_hostile_names_are_text_in_one_reading_direction() -> None:
    html = leaderboard_page(CARDS["hostile"], title=HOSTILE)
    assert "<script" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "<bdi>&#34;&gt;&lt;script&gt;" in html
    assert LONG in html


@settings(max_examples=20)
@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=3, unique=True), st.text())
def test_no_name_or_title_breaks_the_page(readers: list[str], title: str) -> None:
    assert page(full_card(readers, rules=False), title).open_tags == []


def test_the_same_card_gives_the_same_bytes() -> None:
    card = CARDS["full"]
    again = ScoreCard.model_validate_json(card.model_dump_json())
    assert leaderboard_page(card, title="t") == leaderboard_page(again, title="t")


@pytest.mark.slow
def test_the_published_answers_make_a_whole_page_and_table(testdata: Path) -> None:
    card = score_paths([testdata / "official"], wanted=Wanted(intervals=False, tables=True))
    shown = page(card)
    assert shown.open_tags == []
    assert shown.count("caption") == shown.count("table")
    for system in card.overall:
        assert plain(system) in shown.text
    lines = terminal_lines(card, tables=True)
    assert max(columns(line) for line in lines) <= 100
    gpt = next(line for line in lines if "GPT-5.5" in line)
    assert gpt.count("*") == 2


# -- what a reader must not miss -----------------------------------------------------------------


def test_notes_subsets_and_problems_come_before_any_score() -> None:
    card = CARDS["full"]
    text = page(card).text
    scores = text.index("Overall, highest first")
    assert text.index(card.notes[0]) < scores
    assert text.index("GPT-5.5: calibration 2100 of 5000 (at 105 of 250 points)") < scores
    assert text.index("probability above 1, not used") < scores


def test_a_subset_is_marked_wherever_its_score_stands() -> None:
    shown = leaderboard_page(CARDS["full"], title="t")
    assert shown.count('<span class="tag warn">subset: 42%</span>') == 3
    assert "4200/10000" in page(CARDS["full"]).text


def test_a_complete_card_has_no_warning() -> None:
    card = bare_card({"a": 61.5}, [("a", "calibration", 61.5), ("a", "temporal", 61.5)])
    shown = page(card)
    assert "first" not in shown.ids
    assert "subset" not in shown.text[: shown.text.rindex("Terms")]


def test_what_is_not_scored_is_said_and_never_zero() -> None:
    text = page(CARDS["nothing scored"]).text
    assert "a: dates only" in text
    assert "not scored" in text
    assert "0.0" not in text[: text.rindex("Terms")]


def test_an_empty_card_says_that_nobody_sat() -> None:
    assert "Nobody sat this bank" in page(CARDS["nobody"]).text


def test_without_tests_the_page_claims_no_rank() -> None:
    text = page(CARDS["uncompared"]).text
    assert "nobody has a rank" in text
    assert "Rank Overall Calibration" not in text
    assert "Rank Overall Calibration" in page(CARDS["full"]).text


def test_with_tests_ranks_are_ranges_and_differences_are_words() -> None:
    text = page(CARDS["full"]).text
    assert "1–2" in text
    assert "11 of 15 differences hold." in text
    assert "is not told apart from DeepSeek-V4-Pro." in text


def test_rules_that_read_no_text_stand_in_the_order_and_look_different() -> None:
    html = leaderboard_page(CARDS["full"], title="t")
    board = html[html.index('<section id="calibration">') : html.index('<section id="temporal">')]
    rows = re.findall(r"<tr( class=\"rule\")?>\s*<th scope=\"row\">\s*<bdi>([^<]+)</bdi>", board)
    assert [name for _rule, name in rows] == [
        *READERS[:4],
        "window rule",
        *READERS[4:],
        "constant 0.5",
    ]
    assert [name for rule, name in rows if rule] == ["window rule", "constant 0.5"]
    assert "4 of 6 systems beat the best such rule" in page(CARDS["full"]).text


def test_every_score_of_the_card_is_on_the_page(card: ScoreCard) -> None:
    text = page(card).text
    known = [score for score in card.overall.values() if not isinstance(score, str)]
    known += [cell.score for cell in card.cells if not isinstance(cell.score, str)]
    known += [grade.score for grade in card.axes if not isinstance(grade.score, str)]
    known += [anchor.published for anchor in card.anchors if anchor.published is not None]
    for score in known:
        assert figure(score) in text


def test_the_strict_column_is_there_when_it_was_asked_for() -> None:
    html = '<th scope="col" class="n">Strict</th>'
    assert html in leaderboard_page(CARDS["full"], title="t")
    assert html not in leaderboard_page(CARDS["uncompared"], title="t")


def test_reliability_is_shown_with_its_figures() -> None:
    card = CARDS["one"]
    figures = card.axes[0].reliability
    assert figures is not None
    text = page(card).text
    for value in (figures.brier, figures.ece, figures.murphy_resolution):
        assert figure(value, 3) in text
    assert "Reliability of solo" in text


def test_long_lists_of_pictures_start_folded() -> None:
    shown = page(full_card([f"system {number}" for number in range(60)], compared=False))
    assert shown.open_tags == []
    assert "48 more systems" in shown.text
    folded = [attrs for tag, attrs in shown.tags if tag == "details" and "open" not in attrs]
    assert len([attrs for attrs in folded if attrs.get("class") == "event"]) == 4


def test_tables_keep_their_source_their_note_and_empty_places() -> None:
    table = Table(
        name="arc",
        title="Arc",
        source="Table 7",
        columns=("days", "share", "gap"),
        rows=(
            TableRow(label="x", values=(120.0, 0.0342, None)),
            TableRow(label="short", values=(7.0,)),
        ),
        note="Days between first and last point.",
    )
    text = page(bare_card({}).model_copy(update={"tables": (table,)})).text
    assert re.search(r"x 120 0\.034 short 7 ", text)
    assert "Table 7. Days between first and last point." in text


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (1.0, "100%"),
        (0.999, "over 99%"),
        (0.42, "42%"),
        (0.001, "under 1%"),
        (0.0, "0%"),
        (None, ""),
    ],
)
def test_almost_all_is_not_called_all(share: float | None, shown: str) -> None:
    assert percent(share) == shown


def test_a_rule_far_below_everybody_gets_no_line_but_its_score() -> None:
    card = full_card(rules=False)
    low = next(grade for grade in full_card().axes if grade.system == "constant 0.5")
    low = low.model_copy(update={"score": 3.5, "interval": None})
    best = low.model_copy(update={"system": "window rule", "score": 64.4})
    text = page(card.model_copy(update={"axes": (*card.axes, low, best)})).text
    assert re.search(r"constant 0\.5 reads no text 3\.5 beyond this line", text)
    assert text.count("beyond this line") == 1


def test_groups_are_a_table_of_systems_by_key() -> None:
    text = page(CARDS["full"]).text
    assert "Calibration by difficulty System easy hard GPT-5.5 60.0 60.0 " in text
    assert "Kimi-K2.5 66.0 308/310 66.0 308/310" in text


def test_a_subset_that_a_note_names_is_not_listed_twice() -> None:
    card = CARDS["full"]
    note = "GPT-5.5 has 2100 answers to 5000 questions."
    text = page(card.model_copy(update={"notes": (note,)})).text
    assert "GPT-5.5: calibration 2100 of 5000" not in text
    assert "MiroFish: calibration 4960 of 5000" in text
