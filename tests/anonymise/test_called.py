"""What persons are called by: in every order of names, with titles, alone; what others may bear waits for a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise import called
from factory.anonymise.family_first import family_first
from factory.anonymise.match import Matcher, fold
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table, contested, settle
from factory.audit.scan import scan_files
from factory.segments import render
from schemas import Finding, ReplacementTable


def table(text: str, *names: str, more: Sequence[Named] = ()) -> ReplacementTable:
    return build_table([Named("PER", names), *more], [text], "salt")


def shown(text: str, *names: str, more: Sequence[Named] = ()) -> tuple[str, set[str]]:
    """The text with every name replaced by P, and the words that wait for a person."""
    made = table(text, *names, more=more)
    waiting = contested(made)
    matcher = Matcher(made, withheld={fold(row.surface) for row in waiting})
    parsed = parse(text, matcher, anchor=date(2026, 3, 3), offset=49)
    words = render(parsed.segments, "en").replace("Person A", "P")
    return words, {doubt.words for doubt in parsed.doubts}


@pytest.mark.parametrize(
    ("name", "beside", "tradition"),
    [
        ("Chen Guangde", (), "chinese"),
        ("Zhuge Anlin", (), "chinese"),
        ("Wong Kar-lok", (), "chinese"),
        ("Qu Hanyu", ("璩含玉",), "chinese"),
        ("Xi Anping", (), "chinese"),
        ("Kim Jong-su", (), "korean"),
        ("Park Geun Sil", (), "korean"),
        ("Nguyen Van Thien", (), "vietnamese"),
        ("Phạm Minh Thính", (), "vietnamese"),
        ("Tô Lâm", (), "vietnamese"),
        ("Wei Chen", ("陈伟",), None),
        ("Kim Campbell", (), None),
        ("Lee Zeldin", (), None),
        ("Bo Derek", (), None),
        ("Jo Cox", (), None),
        ("Marisol Vega", ("马里索尔·维加",), None),
        ("Elon Mask", ("马斯克",), None),
        ("Orsó Viktor", (), None),
        ("Chen", (), None),
    ],
)
def test_the_order_of_a_name_is_told_by_its_chinese_form_or_by_surname_and_given_name(
    name: str, beside: tuple[str, ...], tradition: str | None
) -> None:
    assert family_first(name, beside) == tradition


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("Chen Guangde", "Mr Chen said so. Chen's wife left.", "Mr P said so. P's wife left."),
        ("Xi Anping", "Mr Xi met Guangde; Xi said no.", "Mr P met Guangde; P said no."),
        ("Xi Anping", "Xi flew to Xi'an and Xi’an.", "P flew to Xi'an and Xi’an."),
        ("Kim Jong-su", "Mr. Kim left. KIM JONG SU, Jong-su Kim.", "Mr. P left. P, P."),
        ("Yoon Suk Yul", "President Yoon Suk-yul, Suk-yul Yoon", "President P, P"),
        ("Nguyen Van Thien", "President Thien left Mr Nguyen.", "President P left Mr P."),
        ("Orsó Viktor", "Viktor Orsó, Orsó Viktor", "P, P"),
        ("Bashar al-Haddan", "Haddan, al-Haddan, Al-Haddan, Mr Haddan", "P, P, P, Mr P"),
        ("Jan van der Kolk", "Van der Kolk, Kolk, van der Kolk", "P, P, P"),
        ("Katrín Jakobsdóttir", "Jakobsdottir, Ms Jakobsdóttir", "P, Ms P"),
        ("R. K. Vellan", "R.K. Vellan, RK Vellan, R K Vellan, Mr Vellan", "P, P, P, Mr P"),
        ("Ramesh V.", "Ramesh V. saw V. at noon.", "P saw V. at noon."),
        ("Gabriel Tarrés Luna", "Tarrés Luna; Luna; G. Tarres Luna", "P; P; P"),
        ("Elmo Tusk", "the Tusks, Mr Tusk", "the P family, Mr P"),
        ("Luis Márquez", "the Márquezes, Márquez's", "the P family, P's"),
    ],
)
def test_a_surname_is_replaced_at_once_in_every_order(name: str, text: str, words: str) -> None:
    assert shown(text, name) == (words, set())


@pytest.mark.parametrize(
    ("name", "text", "waiting"),
    [
        ("Marisol Vega", "Marisol said so. They met Marisol.", {"Marisol"}),
        ("Marisol Vega", "Vegas was far.", {"Vegas"}),
        ("Elmo Wale", "the Wales team", {"Wales"}),
        ("Will Hodge", "Will said so.", {"Will"}),
        ("Mohammed bin Sarwan", "Prince Mohammed met King Sarwan.", {"Mohammed", "Sarwan"}),
        ("Gabriel Tarrés Luna", "Mr Tarres and Gabriel met Tarrés.", {"Tarres", "Gabriel", "Tarrés"}),
        ("Keiko Smith-Brandt", "Ms Brandt, Ms Smith", {"Brandt", "Smith"}),
        ("José Ortuño y Galvar", "Ortuño left.", {"Ortuño"}),
        ("Katrín Jakobsdóttir", "Prime Minister Katrin", {"Katrin"}),
        ("Orsó Viktor", "Mr Orso spoke of Orsó.", {"Orso", "Orsó"}),
        ("Lin Wei", "Then Wei left.", {"Wei"}),
        ("Chen Guangde", "Chen Wei met Chen.", {"Chen"}),
        ("Chen Guangde", "She met Alex Chen and Mr Chen.", {"Chen"}),
        ("Nguyen Van Thien", "Nguyen left.", {"Nguyen"}),
        ("He Jianlin", "They saw that He lied.", {"He"}),
        ("Long Yongda", "It took long, said Long.", {"Long"}),
        ("王建", "老王和小王走了。", {"老王", "小王"}),
        ("陈光德", "光德来了。", {"光德"}),
    ],
)  # fmt: skip
def test_what_others_may_be_called_by_waits_for_a_person(
    name: str, text: str, waiting: set[str]
) -> None:
    assert shown(text, name) == (text, waiting)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("He Jianlin", "He said so. Then he left. He was late."),
        ("Marisol Vega", "The vega star and the vegas shone."),
        ("Xi Anping", "The XI. chapter is in Xi'an."),
        ("王建", "国王来了。"),
    ],
)
def test_other_words_are_neither_replaced_nor_asked_about(name: str, text: str) -> None:
    assert shown(text, name) == (text, set())


def test_a_title_names_the_person_where_the_surname_alone_is_a_word() -> None:
    text = "It took long. Mr Long said that Dr. Long left; Long stayed."
    words, waiting = shown(text, "Long Yongda")
    assert words == "It took long. Mr P said that Dr. P left; Long stayed."
    assert waiting == {"Long"}
    assert shown("Dr He said that he left.", "He Jianlin") == ("Dr P said that he left.", set())


@pytest.mark.parametrize("name", ["Marisol Vega", "Chen Guangde", "陈光德"])
def test_nothing_is_asked_about_what_the_texts_never_use_alone(name: str) -> None:
    assert contested(table(f"{name} came, and {name} left.", name)) == []


def test_a_first_name_that_is_another_things_name_is_that_thing() -> None:
    country = Named("CTY", ("Jordania",))
    assert contested(table("Jordania agreed.", "Jordania Pike", more=[country])) == []


def test_two_persons_of_one_surname_are_told_apart_by_a_person() -> None:
    text = "Mr Chen met Chen."
    other = Named("PER", ("Chen Yifan",))
    assert shown(text, "Chen Guangde", more=[other])[1] == {"Chen"}


def test_a_decision_holds_with_and_without_accents() -> None:
    made = table("Mr Tarres met Tarrés.", "Gabriel Tarrés Luna")
    assert {row.surface for row in contested(made)} == {"Tarres", "Tarrés"}
    assert contested(settle(made, "Tarrés", "Gabriel Tarrés Luna")) == []
    assert contested(settle(made, "Tarrés", None)) == []


FIRST = st.sampled_from(["Chen", "Xi", "Kwok", "Ouyang", "Luo", "Zhou"])
GIVEN = st.sampled_from(["Guangde", "Anping", "Yifan", "Weilin"])
TITLE = st.sampled_from([title for title in called.TITLES if title.isalpha()])


@given(
    FIRST, GIVEN, TITLE, st.sampled_from(["{t} {f} left.", "{f}'s men", "the {f} plan", "{g} {f}"])
)
def test_no_surname_that_stands_first_stays_in_silence(
    first: str, second: str, title: str, shape: str
) -> None:
    text = shape.format(t=title, f=first, g=second)
    words, waiting = shown(text, f"{first} {second}")
    assert first not in words or first in waiting


@pytest.mark.parametrize("mark", "'’‘ʼʻ`´′ʹˈ＇")
def test_every_mark_that_is_written_for_an_apostrophe_ends_a_name(mark: str) -> None:
    made = build_table([Named("COM", ("Velloway",))], [], "salt")
    text = f"Velloway{mark}s men left."
    assert [text[hit.start : hit.end] for hit in Matcher(made).find(text)] == ["Velloway"]
    assert [row.rule for row in _scan(text, made)] == ["leak-name"]


@pytest.mark.parametrize(
    "spelt",
    ["wei luo wei", "Wei luo wei", "wéi luò wéi", "Wéi Luò Wéi", "wéiluòwéi", "WEI LUO WEI"],
)
@pytest.mark.parametrize("names", [("维洛韦",), ("Velloway", "维洛韦")])
def test_parted_pinyin_of_three_syllables_is_found_in_any_case(
    spelt: str, names: tuple[str, ...]
) -> None:
    made = build_table([Named("COM", names)], [], "salt")
    assert "leak-name" in {row.rule for row in _scan(f"They said {spelt} left.", made)}
    assert Matcher(made).find(f"They said {spelt} left.")


def _scan(text: str, made: ReplacementTable) -> list[Finding]:
    body = f"### 2026-04-28\n\n**Event**: {text}\n"
    found = scan_files({"contexts/en/p1.md": body.encode()}, made)
    return [row for row in found if row.rule in ("leak-name", "leak-near-name")]
