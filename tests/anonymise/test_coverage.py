"""What the table covers, what nothing explains, and passages without names that only the corpus knows."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.coverage import blank_names, contexts, coverage
from factory.anonymise.match import Matcher
from factory.anonymise.name_shapes import strays
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table
from factory.segments import date_refs, entity_refs, from_tokens, to_tokens
from schemas import Lang, ReplacementTable

TABLE = build_table(
    [Named("PER", ("Lena Ortiz", "莉娜·奥尔蒂斯")), Named("COM", ("Velloway", "维罗威公司"))],
    [],
    "salt",
)
MATCHER = Matcher(TABLE)
PLAIN = Vocabulary.of(["the council asked for a vote on the pier, everyone wanted it"])


def shapes(text: str, lang: Lang) -> list[tuple[str, str]]:
    return [(stray.words, stray.shape) for stray in strays(text, lang, PLAIN)]


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "The council asked Kestrin Borg of Vellum and Sons for a vote.", [("Kestrin Borg of Vellum and Sons", "capitals")]),
        ("en", "Everyone wanted it on Monday, 3 May.", []),
        ("en", "Kestrin said the Mayor asked.", [("Kestrin", "capitals")]),
        ("en", "Kestrin's boat left.", [("Kestrin", "capitals")]),
        ("en", "They met in the White House.", [("White House", "capitals")]),
        ("en", "Ask @okestrin about #SaveIt at www.kestrin.example now.", [("@okestrin", "handle"), ("#SaveIt", "handle"), ("www.kestrin.example", "handle")]),
        ("en", "the 渡轮公司 said", [("渡轮公司", "script")]),
        ("en", "the mayor, ميناء الغرب, left", [("ميناء الغرب", "script")]),
        ("en", "WE WANT IT ON THE PIER", []),
        ("zh", "《西港晚报》报道，凯斯特林·博格在西港大学说", [("西港晚报", "title"), ("凯斯特林·博格", "dotted"), ("西港大学", "suffix")]),
        ("zh", "市民林国栋表示，GDP和AI都涨了，但Kestrin没有", [("林国栋", "person"), ("Kestrin", "latin")]),
        ("zh", "对华政策与中美贸易", [("华", "country"), ("中美", "country")]),
        ("zh", "上市公司和轮渡公司都说城市很大", []),
        ("zh", "他说“港工联”不同意", [("港工联", "quoted")]),
    ],
)  # fmt: skip
def test_names_by_shape(lang: Lang, text: str, expected: list[tuple[str, str]]) -> None:
    assert shapes(text, lang) == expected


def test_the_report_counts_hits_zero_hits_and_what_nothing_explains() -> None:
    raw = ["Lena Ortiz met Kestrin Borg. Ortiz left and Kestrin Borg stayed."]
    texts = [parse(raw[0], MATCHER, anchor=date(2026, 3, 10), offset=49).segments]
    (english, chinese) = coverage(TABLE, MATCHER, raw, {"en": texts, "zh": []})
    assert (english.lang, english.aliases, english.hit, english.zero_hit) == (
        "en",
        2,
        1,
        ("Velloway",),
    )
    assert english.rule_hit == 1
    (borg,) = english.unexplained
    assert (borg.words, borg.count, borg.shape) == ("Kestrin Borg", 2, "capitals")
    assert borg.contexts[0] == "| met Kestrin Borg. | left and Kestrin Borg stayed."
    assert (chinese.lang, chinese.hit, chinese.unexplained) == ("zh", 0, ())
    assert "维罗威公司" in chinese.zero_hit


def test_an_empty_table_explains_nothing() -> None:
    empty = ReplacementTable(entities=())
    text = "Then Kestrin Borg left."
    segments = from_tokens(text)
    (report,) = coverage(empty, Matcher(empty), [text], {"en": [segments]})
    assert (report.aliases, report.hit, [u.words for u in report.unexplained]) == (
        0,
        0,
        ["Kestrin Borg"],
    )


def test_contexts_show_words_that_stand_free() -> None:
    assert contexts(["The portal is open.", "Port workers left the port."], "port") == (
        "Port workers left the port.",
        "Port workers left the port.",
    )
    assert contexts(["nothing"], "port") == ()


def test_a_passage_loses_the_names_that_no_table_knows() -> None:
    text = from_tokens("⟦PER:A⟧ met Kestrin Borg of Model 41X on ⟦D:2031-04-05⟧ and paid 3,100.")
    blanked = blank_names(text, "en", PLAIN)
    assert to_tokens(blanked.text) == "⟦PER:A⟧ met [name] on ⟦D:2031-04-05⟧ and paid 3,100."
    assert blanked.names == ("Kestrin Borg of Model 41X",)
    assert not blank_names(from_tokens("Kestrin Borg, Olga Quill, Pier Nine"), "en", PLAIN).usable
    zh = blank_names(
        from_tokens("⟦PER:A⟧与林国栋先生在《西港晚报》上争论，票价涨了3元，很多人不满意。"),
        "zh",
        PLAIN,
    )
    assert (
        to_tokens(zh.text) == "⟦PER:A⟧与[名称]先生在《[名称]》上争论，票价涨了3元，很多人不满意。"
    )
    assert zh.usable


def test_a_passage_without_names_stays_as_it_is() -> None:
    text = from_tokens("Everyone wanted it, said ⟦PER:A⟧ on Monday.")
    assert blank_names(text, "en", PLAIN).text == text


PIECES = st.sampled_from(
    ["Kestrin", " ", "Borg", "of", "the", "⟦PER:A⟧", "⟦D:2031-04-05⟧", "3,100", "林国栋", "说", "《", "》", "，", "AB", ". ", "·", "#x", "🚢", "ש"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(["en", "zh"]))
@settings(max_examples=150)
def test_blanking_keeps_every_reference_and_leaves_no_name_by_shape(text: str, lang: Lang) -> None:
    segments = from_tokens(text)
    blanked = blank_names(segments, lang, PLAIN)
    assert entity_refs(blanked.text) == entity_refs(segments)
    assert date_refs(blanked.text) == date_refs(segments)
    assert blank_names(blanked.text, lang, PLAIN).names == ()
    assert 0.0 <= blanked.share <= 1.0


def test_published_contexts_have_few_names_by_shape_beside_their_placeholders(
    testdata: Path,
) -> None:
    """In Chinese a placeholder is no Latin run of its own length, so that what is left is a short list."""
    folder = sorted((testdata / "official" / "demo" / "zh").iterdir())[0]
    text = sorted(folder.glob("P*_context.md"))[-1].read_text(encoding="utf-8")
    found = strays(text, "zh", Vocabulary.of([text]))
    assert 0 < len(found) < len(text) / 500
