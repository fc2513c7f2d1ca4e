"""Where a sentence ends behind a single capital or an abbreviation, and where a name goes on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.sentences import sentences

WHOLE = [
    "Shares of J.P. Morgan fell on Monday.",
    "J. K. Rowling spoke to J. R. R. Tolkien's publisher.",
    "Samuel L. Jackson left.",
    "George H. W. Bush and George W. Bush met.",
    "They asked John F. Kennedy Jr. and Joseph R. Biden.",
    "周一，J. K. Rowling表示不满。",
    "Adm. Chester Nimitz met Maj. Orla Kestrin and Sgt. Tom Brin.",
    "Mt. Everest is far from Ft. Worth.",
    "He moved to Fresno, Calif. Kestrin followed.",
    "Brig. Gen. Orla Kestrin, Rev. Tom Brin and Hon. Lou Vell spoke.",
    "The plan of Robert E. Lee failed.",
    "A study by B. Smith and C. Jones was read.",
    "Wm. Kestrin and Chas. Brin wrote it.",
    "Kestrin Bros. Company rose on Park Ave. North.",
]
ENDED = [
    ("They chose Plan B.", "The council agreed."),
    ("They chose Plan B.", "Council members agreed."),
    ("He took vitamin C.", "It helped."),
    ("He took vitamin C.", "Doctors were glad."),
    ("We read Part I.", "Then came the rest."),
    ("The millions of World War I.", "Historians count them."),
    ("She had hepatitis B.", "Nobody knew."),
    ("It fell in Group A.", "Norway won."),
    ("He is older than I.", "Nobody cares."),
    ("They played in Serie A.", "“The cup is ours,” they said."),
    ("He knew Malcolm X.", "They met in spring."),
    ("They live in Fresno, Calif.", "The town is dry."),
    ("The wall is six ft.", "Visitors climb it."),
    ("He went to mass.", "Kestrin stayed."),
    ("He met Kestrin.", "J. K. Rowling did not."),
]


@pytest.mark.parametrize("text", WHOLE)
def test_an_initial_or_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(("first", "second"), ENDED)
def test_a_sentence_may_end_in_a_single_capital(first: str, second: str) -> None:
    assert sentences(f"{first} {second}") == [first, second]


@given(
    st.sampled_from(["Samuel", "Orla", "Tom"]),
    st.lists(st.sampled_from("ABCDEFGHJKLMNOPQRSTUVWXYZ"), min_size=1, max_size=3),
    st.sampled_from([" ", ""]),
    st.sampled_from(["Kestrin", "Jackson", "Velloway"]),
)
def test_no_name_with_initials_is_cut(first: str, letters: list[str], gap: str, last: str) -> None:
    initials = gap.join(f"{letter}." for letter in letters)
    for name in (f"{first} {initials} {last}", f"{initials} {last}"):
        text = f"Yesterday {name} spoke to the press."
        assert sentences(text) == [text]


def test_a_placeholder_ends_a_sentence_where_its_noun_is_known() -> None:
    text = "They met Thesis A. Netizens laughed."
    assert sentences(text) == [text]
    assert sentences(text, {"thesis"}) == ["They met Thesis A.", "Netizens laughed."]
