"""Parsing into segments: nothing is lost, nothing is replaced twice, doubts are kept."""

from __future__ import annotations

import re
from datetime import date
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.match import Matcher
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table
from factory.segments import date_refs, entity_refs, from_tokens, numbers, render, to_tokens
from schemas import LANGS, Alias, Entity, EntityRef, ReplacementTable

TABLE = build_table(
    [
        Named("PER", ("Lena Ortiz", "莉娜·奥尔蒂斯")),
        Named("GRP", ("Harbour Workers' Union", "HWU", "海港工会")),
        Named("PLC", ("Westhaven", "西港")),
        Named("COM", ("AB",)),
    ],
    [],
    "salt",
)
MATCHER = Matcher(TABLE)
PIECES = st.sampled_from(
    [
        "Lena Ortiz", "Ortiz", "HWU", "海港工会", "西港", "Westhaven", "AB", "ABC", " ", "（", "）", "(", ")", "·", "、",
        "2026年3月2日", "March 2", "next Friday", "下周五", "12.5%", "3,100", "4万", "the", "会议", "\u0301", "⟦PER:A⟧", "⟦", "🚢", "ש", "春节", "@x",
        "5", "said", ".", "。", "\n",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=12).map("".join)
ANCHOR = date(2026, 3, 10)


@given(TEXTS)
@settings(max_examples=300)
def test_originals_joined_are_the_raw_text(text: str) -> None:
    assert (
        "".join(p.original for p in parse(text, MATCHER, anchor=ANCHOR, offset=49).pieces) == text
    )


@given(st.text(max_size=50))
def test_originals_joined_are_the_raw_text_for_any_text(text: str) -> None:
    assert (
        "".join(p.original for p in parse(text, MATCHER, anchor=ANCHOR, offset=-63).pieces) == text
    )


@given(TEXTS)
@settings(max_examples=300)
def test_a_name_left_in_the_rendered_text_is_always_a_doubt(text: str) -> None:
    parsed = parse(text, MATCHER, anchor=ANCHOR, offset=49)
    for lang in LANGS:
        shown = render(parsed.segments, lang)
        left = {shown[hit.start : hit.end] for hit in MATCHER.find(shown)}
        assert all(any(words in doubt.words for doubt in parsed.doubts) for words in left)


@given(TEXTS)
@settings(max_examples=300)
def test_both_editions_hold_the_same_references_and_tokens_read_back(text: str) -> None:
    segments = parse(text, MATCHER, anchor=ANCHOR, offset=49).segments
    back = from_tokens(to_tokens(segments), {(e.cls, e.label) for e in TABLE.entities})
    assert entity_refs(back) == entity_refs(segments)
    assert date_refs(back) == date_refs(segments)
    assert numbers(back) == numbers(segments)


@given(TEXTS)
@settings(max_examples=300)
def test_no_placeholder_is_glued_or_doubled(text: str) -> None:
    segments = parse(text, MATCHER, anchor=ANCHOR, offset=49).segments
    shown = render(segments, "zh")
    assert re.search(r"(?:人物|团体|地点|公司)[A-Z]{1,2}[0-9a-z]", shown) is None
    tokens = to_tokens(segments)
    assert re.search(r"(⟦(?:PER|GRP|PLC|COM):[A-Z]{1,2}⟧)[ ·/、]?\1", tokens) is None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Lena Ortiz (Ortiz) left", "⟦PER:A⟧ left"),
        ("海港工会（HWU）表示", "⟦GRP:A⟧表示"),
        ("海港工会·海港工会、西港", "⟦GRP:A⟧、⟦PLC:A⟧"),
        ("HWU (a union)", "⟦GRP:A⟧ (a union)"),
        ("HWU's vote", "⟦GRP:A⟧'s vote"),
        ("ABC and AB", "ABC and ⟦COM:A⟧"),
        ("西港3月2日通报", "⟦PLC:A⟧⟦D:2026-04-20|short⟧通报"),
        ("a forged ⟦PER:A⟧ token", "a forged [PER:A] token"),
    ],
)
def test_texts(text: str, tokens: str) -> None:
    assert to_tokens(parse(text, MATCHER, anchor=ANCHOR, offset=49).segments) == tokens


def test_a_name_that_is_also_a_date_word_wins_when_longer() -> None:
    table = build_table(
        [Named("ORG", ("March for Water",)), Named("DOC", ("2017 Tax Act",))], [], "s"
    )
    parsed = parse(
        "The March for Water cited the 2017 Tax Act.", Matcher(table), anchor=ANCHOR, offset=49
    )
    assert to_tokens(parsed.segments) == "⟦ORG:A⟧ cited ⟦DOC:A⟧."
    assert parsed.doubts == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("before Easter", "date"),
        ("the Spring Dance", "calendar"),
        ("Friday, a band from the coast, played", "calendar"),
        ("see https://a.example/b", "shape"),
        ("write to a.b@c.example", "shape"),
        ("#SaveTheFerry", "shape"),
        ("#SaveHWU now", "shape"),
        ("ask @someone", "shape"),
    ],
)
def test_what_cannot_be_settled_is_a_doubt(text: str, kind: str) -> None:
    doubts = parse(text, MATCHER, anchor=ANCHOR, offset=49).doubts
    assert [doubt.kind for doubt in doubts] == [kind]


def test_a_name_that_a_chinese_reference_would_free_is_a_doubt() -> None:
    parsed = parse("Lena Ortiz5 Lena Ortiz", MATCHER, anchor=ANCHOR, offset=49)
    assert [(d.kind, d.words) for d in parsed.doubts] == [("alias", "Lena Ortiz")]


def test_withheld_names_are_kept_and_reported() -> None:
    matcher = Matcher(TABLE, withheld={"ortiz"})
    parsed = parse("Ortiz met Lena Ortiz", matcher, anchor=ANCHOR, offset=49)
    assert to_tokens(parsed.segments) == "Ortiz met ⟦PER:A⟧"
    assert [doubt.kind for doubt in parsed.doubts] == ["alias"]


def test_an_alias_inside_every_word_touches_no_word() -> None:
    table = build_table([Named("ORG", ("E", "Ee"))], [], "s")
    text = "Every teenager agreed eventually."
    parsed = parse(text, Matcher(table), anchor=ANCHOR, offset=49)
    assert to_tokens(parsed.segments) == text


def test_an_empty_table_changes_only_dates() -> None:
    matcher = Matcher(ReplacementTable(entities=()))
    assert (
        render(
            parse("Ortiz met us on March 2, 2026.", matcher, anchor=ANCHOR, offset=49).segments,
            "en",
        )
        == "Ortiz met us on 20 April 2026."
    )


def test_figures_glued_to_letters_stay_glued_and_references_stand_free() -> None:
    parsed = parse("Line 41X of HWU2026年", MATCHER, anchor=ANCHOR, offset=49)
    assert render(parsed.segments, "en").startswith("Line 41X of Group A ")


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        ("The Tax Board said no.", "⟦GOV:A⟧ said no."),
        ("Fees of the Tax Board, which", "Fees of ⟦GOV:A⟧, which"),
        ("the Tax Board's head", "⟦GOV:A⟧'s head"),
        ("the Tax Board report", "the ⟦GOV:A⟧ report"),
        ("breathe Tax Board said", "breathe ⟦GOV:A⟧ said"),
        ("The Tax Board wrote twice.", "⟦GOV:A⟧ wrote twice."),
        ("the Tax Board partly agreed", "⟦GOV:A⟧ partly agreed"),
        ("the Tax Board hearing was held", "the ⟦GOV:A⟧ hearing was held"),
        ("the Tax Board feed", "the ⟦GOV:A⟧ feed"),
        ("the Tax Board assembly", "the ⟦GOV:A⟧ assembly"),
    ],
)
def test_an_article_goes_with_a_name_that_stands_alone(raw: str, tokens: str) -> None:
    """A placeholder reads as a proper name; only before a noun that it qualifies does the article stay."""
    alias = Alias(surface="Tax Board", lang="en", match="word", origin="model")
    table = ReplacementTable(
        entities=(Entity(entity_id="n1", cls="GOV", label="A", aliases=(alias,)),)
    )
    parsed = parse(raw, Matcher(table), anchor=ANCHOR, offset=49)
    assert to_tokens(parsed.segments) == tokens
    assert "".join(piece.original for piece in parsed.pieces) == raw


@pytest.mark.parametrize("cls", ["PLC", "CTY", "DOC", "PRD", "EVT"])
def test_a_label_of_any_class_takes_no_article(cls: str) -> None:
    """ "The consultation on the Upper Basin closed" is "on Place A closed"; the Basin dam keeps its article."""
    alias = Alias(surface="Upper Basin", lang="en", match="word", origin="model")
    entity = Entity.model_validate(
        {"entity_id": "n1", "cls": cls, "label": "A", "aliases": (alias,)}
    )
    matcher = Matcher(ReplacementTable(entities=(entity,)))
    raw = "Talks on the Upper Basin closed; the Upper Basin dam stays."
    parsed = parse(raw, matcher, anchor=ANCHOR, offset=49)
    assert to_tokens(parsed.segments) == f"Talks on ⟦{cls}:A⟧ closed; the ⟦{cls}:A⟧ dam stays."


@given(TEXTS)
@settings(max_examples=150)
def test_a_rendered_text_parsed_again_holds_no_name_and_keeps_its_references(text: str) -> None:
    """I2: names are replaced in one pass; a second one finds nothing to do that was no doubt before."""
    once = parse(text, MATCHER, anchor=ANCHOR, offset=0)
    again = parse(render(once.segments, "en"), MATCHER, anchor=ANCHOR, offset=0)
    assert all(any(each in d.words for d in once.doubts) for each in again.surfaces)


@given(TEXTS)
@settings(max_examples=150)
def test_every_reference_can_be_undone_with_the_table(text: str) -> None:
    """I3: what a reference stands for holds one of its entity's own names, by the table alone."""
    own = {(e.cls, e.label): e.entity_id for e in TABLE.entities}
    for piece in parse(text, MATCHER, anchor=ANCHOR, offset=49).pieces:
        if isinstance(piece.segment, EntityRef):
            hits = MATCHER.find(piece.original)
            assert {own[piece.segment.cls, piece.segment.label]} == {
                owner for hit in hits for owner in hit.owners
            }


@given(
    st.lists(
        st.sampled_from(["Ortiz", "Quill", "西港", "AB", "Ada"]),
        min_size=2,
        max_size=5,
        unique=True,
    ),
    st.randoms(use_true_random=False),
)
@settings(max_examples=40)
def test_the_order_of_named_things_changes_no_text(names: list[str], random: Random) -> None:
    """I4 and I21: same salt, same letters, in whatever order the names came; another salt, other ids."""
    named = [Named("PER", (name,)) for name in names]
    shuffled = list(named)
    random.shuffle(shuffled)
    text = " met ".join(names)
    shown = [
        to_tokens(
            parse(text, Matcher(build_table(n, [text], "s")), anchor=ANCHOR, offset=49).segments
        )
        for n in (named, shuffled)
    ]
    assert shown[0] == shown[1]
    ids = {e.entity_id for e in build_table(named, [text], "s").entities}
    assert ids.isdisjoint(e.entity_id for e in build_table(named, [text], "other").entities)


@pytest.mark.parametrize("text", ["Company AB fell", "读公司AB的公告", "Person A spoke"])
def test_words_that_read_like_our_placeholders_are_a_doubt(text: str) -> None:
    doubts = parse(text, Matcher(ReplacementTable(entities=())), anchor=ANCHOR, offset=49).doubts
    assert [doubt.reason for doubt in doubts] == ["reads like one of our placeholders"]


def test_a_country_in_a_fixed_form_is_replaced_alone() -> None:
    table = build_table([Named("CTY", ("中国",)), Named("CTY", ("美国",))], [], "s")
    labels = {e.aliases[0].surface: e.label for e in table.entities}
    parsed = parse("对美政策与中美关系", Matcher(table), anchor=ANCHOR, offset=49)
    china, america = f"⟦CTY:{labels['中国']}⟧", f"⟦CTY:{labels['美国']}⟧"
    assert to_tokens(parsed.segments) == f"对{america}政策与{china}{america}关系"
    assert parsed.surfaces == ("对美", "中美", "中美")


def test_zero_width_characters_inside_a_name_go_with_it() -> None:
    raw = "Or\u200btiz met us"
    parsed = parse(raw, MATCHER, anchor=ANCHOR, offset=49)
    assert to_tokens(parsed.segments) == "⟦PER:A⟧ met us"
    assert "".join(piece.original for piece in parsed.pieces) == raw


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("See stopwesthaven.org now.", "stopwesthaven.org"),
        ("Join boycotthwu.com/join, they said.", "boycotthwu.com/join"),
        ("签名请上savethetram.org/petition。", "savethetram.org/petition"),
        ("(my.savethetram.co.uk)", "my.savethetram.co.uk"),
        ("It ended at savethetram.live/now.", "savethetram.live/now"),
        ("on StopTheFerry.org.", "StopTheFerry.org"),
        ("read x.com/someone?s=1 first", "x.com/someone?s=1"),
        ("see 163.com", "163.com"),
    ],
)
def test_a_bare_web_domain_is_a_doubt(text: str, shape: str) -> None:
    doubts = parse(text, MATCHER, anchor=ANCHOR, offset=49).doubts
    assert [(doubt.kind, doubt.words) for doubt in doubts] == [("shape", shape)]


@pytest.mark.parametrize(
    "text",
    [
        "It came to an end.Next came rain.", "e.g. a tram, i.e. this one", "version v1.2 and 3.5.1", "in No.10 or no.it",
        "report.pdf, notes.md and data.csv", "the U.S.A. and a Ph.D. in D.C.", "他用了e.g.这样的写法。", "at 5 p.m. or 3.15",
        "in the end.it rained", "this.is so.no way", "Node.js and main.py", "Mr.Smith spoke.", "Inc.and co.", "第3.2条和A.B.两人",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_domain_is_none(text: str) -> None:
    doubts = parse(text, MATCHER, anchor=ANCHOR, offset=49).doubts
    assert [doubt for doubt in doubts if doubt.kind == "shape"] == []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Westhaven.com fell.", "⟦PLC:A⟧ fell."),
        ("shares of AB.co.uk", "shares of ⟦COM:A⟧"),
    ],
)
def test_a_name_with_the_ending_of_a_domain_is_the_name(text: str, tokens: str) -> None:
    parsed = parse(text, MATCHER, anchor=ANCHOR, offset=49)
    assert to_tokens(parsed.segments) == tokens
    assert parsed.doubts == ()
