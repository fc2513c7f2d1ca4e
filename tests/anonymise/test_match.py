"""Name matching: equal to a regular-expression reference, never inside a Latin word, positions never drift."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.match import Matcher, fold
from factory.errors import BadInput
from schemas import Alias, Entity, ReplacementTable

LETTERS = st.text(alphabet="abAB 市港é-🚢", min_size=1, max_size=5).filter(
    lambda s: s.strip() == s and any(char.isalnum() for char in s)
)
TEXTS = st.text(alphabet="abAB 市港é-🚢_", max_size=30)


def table(*names: str, match: str = "word") -> ReplacementTable:
    return ReplacementTable(
        entities=tuple(
            Entity(
                entity_id=f"n{i}",
                cls="ORG",
                label=chr(65 + i),
                aliases=(
                    Alias.model_validate(
                        {"surface": name, "lang": "any", "match": match, "origin": "model"}
                    ),
                ),
            )
            for i, name in enumerate(names)
        )
    )


def found(text: str, *names: str, match: str = "word") -> list[str]:
    return [text[hit.start : hit.end] for hit in Matcher(table(*names, match=match)).find(text)]


def _reference(text: str, names: list[str]) -> list[tuple[int, int]]:
    """Leftmost-longest alternation with word edges, on the folded text."""
    word = r"[^\W_\u2e80-\u9fff]"
    keys = sorted({fold(name) for name in names}, key=lambda key: (-len(key), key))
    parts = []
    for key in keys:
        left = rf"(?<!{word})" if re.match(word, key[0]) else ""
        right = rf"(?!{word})" if re.match(word, key[-1]) else ""
        parts.append(left + re.escape(key) + right)
    return [found.span() for found in re.finditer("|".join(parts), fold(text))]


@given(st.lists(LETTERS, min_size=1, max_size=6, unique_by=fold), TEXTS)
@settings(max_examples=150)
def test_longest_match_equals_the_reference(names: list[str], text: str) -> None:
    hits = [(hit.start, hit.end) for hit in Matcher(table(*names)).find(text)]
    assert hits == _reference(text, names)


@given(st.lists(LETTERS, min_size=1, max_size=6, unique_by=fold), TEXTS, st.randoms())
def test_order_of_the_table_does_not_matter(names: list[str], text: str, random: object) -> None:
    one = table(*names)
    other = ReplacementTable(
        entities=tuple(sorted(one.entities, key=lambda e: e.aliases[0].surface))
    )
    assert Matcher(one).find(text) == Matcher(other).find(text)


@given(st.text(max_size=40))
def test_folding_never_moves_a_position(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text(alphabet="abcdefgh0123", min_size=1, max_size=6), st.sampled_from("xyz9"))
def test_a_latin_name_is_never_found_inside_a_word(word: str, glue: str) -> None:
    assert found(f"{glue}{word}", word) == []
    assert found(f"{word}{glue}", word) == []
    assert found(f"在{word}里", word) == [word]


def test_a_figure_before_a_chinese_character_ends_a_name() -> None:
    assert found("AB2026年3月通报，AB12", "AB") == ["AB"]


def test_a_short_valid_name_is_not_hidden_by_a_long_invalid_one() -> None:
    assert found("Port Authoritys", "Port", "Port Authority") == ["Port"]
    assert found("国家知识产权", "知识产权", "国家知识产权局") == ["知识产权"]


def test_width_case_quotes_and_spaces_do_not_hide_a_name() -> None:
    for text in (
        "HARBOUR WORKERS’ UNION",
        "harbour\u00a0workers' union",
        "Ｈａｒｂｏｕｒ Workers' Union",
    ):
        assert found(text, "Harbour Workers' Union") == [text]


def test_case_sensitive_names() -> None:
    assert found("It may be May or MAY.", "May", match="case") == ["May"]
    assert found("ORTIZ and Ortiz, not ortiz", "Ortiz", match="case") == ["ORTIZ", "Ortiz"]


def test_composed_and_decomposed_letters_are_the_same() -> None:
    text = unicodedata.normalize("NFD", "René left")
    assert found(text, "René") == [text[:5]]
    assert found(text, "Rene") == []


def test_right_to_left_names_and_possessives() -> None:
    assert found("قال ميناء الغرب اليوم", "ميناء الغرب") == ["ميناء الغرب"]
    assert found("Ortiz's and Ortiz’s", "Ortiz") == ["Ortiz", "Ortiz"]


def test_an_empty_table_finds_nothing() -> None:
    assert Matcher(ReplacementTable(entities=())).find("anything") == []


def test_a_name_of_two_entities_has_two_owners() -> None:
    (hit,) = Matcher(table("Kestrin", "kestrin")).find("Kestrin")
    assert hit.owners == ("n0", "n1")
    assert Matcher(table("Kestrin", "kestrin")).ambiguous(hit, "Kestrin")


@given(
    st.lists(LETTERS, min_size=1, max_size=5, unique_by=fold),
    st.lists(st.sampled_from(["\u200b", "\u00ad", "\u2060", "\ufe0f"]), max_size=4),
    st.data(),
)
@settings(max_examples=100)
def test_invisible_characters_do_not_hide_a_name(
    names: list[str], marks: list[str], data: st.DataObject
) -> None:
    name = names[0]
    hidden = name
    for mark in marks:
        at = data.draw(st.integers(1, len(hidden)))
        hidden = hidden[:at] + mark + hidden[at:]
    (hit,) = Matcher(table(name)).find(f"，{hidden}。")
    assert hit.start == 1
    assert hit.end >= 1 + len(hidden.rstrip("".join(marks)))


@pytest.mark.parametrize(
    "gap",
    [
        " \u200b ",
        "\u200b \u00ad ",
        " \u2060\n",
        "\u200b\n ",
        " \u200b\n\u200b ",
        "\u3000\u200b\u3000",
    ],
)
def test_invisible_characters_between_spaces_do_not_hide_a_name(gap: str) -> None:
    text = f"the Port{gap}Authority said"
    assert found(text, "Port Authority") == [f"Port{gap}Authority"]


def test_a_name_may_be_broken_over_lines_and_spaces_but_not_over_paragraphs() -> None:
    assert found("Port  Authority, Port \n  Authority", "Port Authority") == [
        "Port  Authority",
        "Port \n  Authority",
    ]
    assert found("Port\n\nAuthority", "Port Authority") == []


@given(st.text(max_size=60), st.integers(1, 12))
def test_long_texts_fold_as_short_ones(text: str, times: int) -> None:
    long = (text + "港，é Ｗ…") * (400 // (len(text) + 7) + times)
    assert fold(long) == "".join(fold(char) for char in long)


def test_an_emoji_with_joiners_keeps_its_place() -> None:
    text = "👩‍🚒 Ortiz 👨‍👩‍👧 said"
    (hit,) = Matcher(table("Ortiz")).find(text)
    assert text[hit.start : hit.end] == "Ortiz"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "A"}, "both become ORG A"),
        ({"entity_id": "n0"}, "share the id"),
        ({"aliases": (Alias(surface="--", lang="any", origin="human"),)}, "no letter"),
        ({"aliases": (Alias(surface="⟦PER:A⟧", lang="any", origin="human"),)}, "token bracket"),
        ({"aliases": (Alias(surface="ab", lang="any", origin="human", kept=(1, 1)),)}, "kept"),
    ],
)
def test_a_table_that_could_not_be_applied_or_undone_is_refused(
    change: dict[str, object], words: str
) -> None:
    first, second = table("one", "two").entities
    with pytest.raises(BadInput, match=words):
        Matcher(ReplacementTable(entities=(first, second.model_copy(update=change))))
