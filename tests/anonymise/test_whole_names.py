"""Names as texts write them: with a middle name, an initial or Jr., as a family, inside words formed from them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.match import Matcher, fold
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table, contested, settle
from factory.anonymise.whole_names import OTHER_GIVEN, OTHER_MIDDLE, OTHER_SUFFIX
from factory.segments import render
from schemas import ReplacementTable


def table(text: str, *names: str, more: Sequence[Named] = ()) -> ReplacementTable:
    return build_table([Named("PER", names), *more], [text], "salt")


def shown(text: str, made: ReplacementTable) -> tuple[str, dict[str, str]]:
    """The text with the person as P, and the words that wait for a person with the reason why."""
    matcher = Matcher(made, withheld={fold(row.surface) for row in contested(made)})
    parsed = parse(text, matcher, anchor=date(2026, 3, 3), offset=49)
    assert "".join(piece.original for piece in parsed.pieces) == text
    words = render(parsed.segments, "en").replace("Person A", "P")
    return words, {doubt.words: doubt.reason for doubt in parsed.doubts}


@pytest.mark.parametrize(
    ("names", "text", "words"),
    [
        (("Odalys Kestrin",), "President Odalys J. Kestrin spoke.", "President P spoke."),
        (("Odalys Kestrin",), "Odalys J Kestrin's plan", "P's plan"),
        (("Odalys Kestrin",), "Odalys H. W. Kestrin and Odalys H.W. Kestrin", "P and P"),
        (("Odalys Kestrin",), "(Odalys Marie Kestrin) and “Odalys Marie Lou Kestrin”", "(P) and “P”"),
        (("Odalys Kestrin",), "ODALYS J. KESTRIN LEFT", "P LEFT"),
        (("Odalys Marie Kestrin",), "Odalys M. Kestrin left.", "P left."),
        (("Odalys M. Kestrin",), "Odalys Marie Kestrin left.", "P left."),
        (("Odalys Kestrin", "Oda Kestrin"), "Oda R. Kestrin left.", "P left."),
        (("Odalys van der Kolk",), "Odalys J. van der Kolk left.", "P left."),
        (("Odalys Kestrin",), "总统Odalys J. Kestrin表示", "总统P表示"),
        (("Tom Kestrin Jr.",), "Kestrin Jr. and Tom R. Kestrin Jr. left.", "P and P left."),
        (("Tom Kestrin Jr.",), "They met Tom Kestrin Jr.", "They met P"),
    ],
)  # fmt: skip
def test_a_name_with_a_middle_name_is_one_reference(
    names: tuple[str, ...], text: str, words: str
) -> None:
    assert shown(text, table(text, *names)) == (words, {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("奥达莉丝·J·凯斯特林表示", "P表示"),
        ("奥达莉丝·J.凯斯特林表示", "P表示"),
        ("奥达莉丝·玛丽·凯斯特林表示", "P表示"),
    ],
)
def test_a_transliterated_middle_name_goes_with_the_name(text: str, words: str) -> None:
    made = table(text, "奥达莉丝·凯斯特林")
    matcher = Matcher(made)
    parsed = parse(text, matcher, anchor=date(2026, 3, 3), offset=49)
    assert render(parsed.segments, "zh").replace("人物A", "P") == words
    assert parsed.doubts == ()


@pytest.mark.parametrize(
    ("names", "text", "waiting"),
    [
        (("Odalys W. Kestrin",), "Odalys H. W. Kestrin left.", {"Odalys H. W. Kestrin": OTHER_MIDDLE}),
        (("Odalys Marie Kestrin",), "Odalys Lou Kestrin left.", {"Odalys Lou Kestrin": OTHER_MIDDLE}),
        (("Oda Kestrin",), "Odalys R. Kestrin left.", {"Odalys R.": OTHER_GIVEN}),
        (("Oda Kestrin",), "They met R. Kestrin.", {"R.": OTHER_GIVEN}),
        (("Tom Kestrin",), "Tom Kestrin Jr. and Kestrin III left.", {"Jr.": OTHER_SUFFIX, "III": OTHER_SUFFIX}),
        (("Oda Kestrin",), "Odalys R. Kestrin, Sr.", {"Odalys R.": OTHER_GIVEN, "Sr.": OTHER_SUFFIX}),
    ],
)  # fmt: skip
def test_what_may_be_another_person_of_that_name_waits(
    names: tuple[str, ...], text: str, waiting: dict[str, str]
) -> None:
    assert shown(text, table(text, *names))[1] == waiting


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("They chose Plan B. Kestrin agreed.", "They chose Plan B. P agreed."),
        ("He took vitamin C. Kestrin agreed.", "He took vitamin C. P agreed."),
        ("Odalys, Marie Kestrin and Tom", "Odalys, Marie P and Tom"),
        ("Then President Kestrin met Judge Kestrin.", "Then President P met Judge P."),
        ("The Kestrin Senior School opened.", "The P Senior School opened."),
        ("Mrs Kestrin said Kestrin left.", "Mrs P said P left."),
    ],
)
def test_what_is_no_middle_name_stays(text: str, words: str) -> None:
    found = shown(text, table("", "Odalys Kestrin"))
    assert found == (words, {})


def test_a_first_name_that_stands_before_its_surname_alone_is_not_asked_about() -> None:
    text = "Odalys J. Kestrin came. Odalys Marie Kestrin left."
    assert contested(table(text, "Odalys Kestrin")) == []


def test_a_first_name_tells_whose_a_contested_surname_is() -> None:
    text = "Odalys J. Kestrin met Tom R. Kestrin; Kestrin left."
    made = table(text, "Odalys Kestrin", more=[Named("PER", ("Tom Kestrin",))])
    words, waiting = shown(text, made)
    assert words.count("Kestrin") == 1
    assert list(waiting) == ["Kestrin"]
    for text in ("Theresa Mary May left.", "Odalys J. May left.", "Theresa M. Long left; so long."):
        name = " ".join((text.split()[0], text.split()[2]))
        assert shown(text, table(text, name))[0].startswith("P left")


def test_another_persons_name_between_is_kept() -> None:
    text = "Odalys Brin Kestrin left."
    made = table(text, "Odalys Kestrin", more=[Named("PLC", ("Brin",))])
    assert "Place" in shown(text, made)[0]


@given(
    st.lists(st.sampled_from("ABCDEHJMW"), min_size=1, max_size=3),
    st.sampled_from([". ", "."]),
    st.sampled_from(["{0} said so.", "Mr {0}", "“{0}”", "met {0}, who"]),
)
def test_no_initials_stay_between_two_halves(letters: list[str], stop: str, shape: str) -> None:
    middle = stop.join(letters) + "."
    text = shape.format(f"Odalys {middle} Kestrin")
    assert shown(text, table(text, "Odalys Kestrin")) == (shape.format("P"), {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Kestrins left.", "The P family left."),
        ("They saw the Kestrins' house.", "They saw the P family's house."),
        ("Against the Kestrins, nobody spoke.", "Against the P family, nobody spoke."),
    ],
)
def test_a_plural_with_its_article_is_the_family(text: str, words: str) -> None:
    assert shown(text, table(text, "Odalys Kestrin")) == (words, {})


@pytest.mark.parametrize(
    "text", ["Two Kestrins left.", "All the Kestrins of this world", "Kestrins left."]
)
def test_another_plural_waits_for_a_person(text: str) -> None:
    words, waiting = shown(text, table(text, "Odalys Kestrin"))
    assert words == text
    assert list(waiting) == ["Kestrins"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kestrins left with Kestrins.", "The P family left with the P family."),
        ("Two Kestrins left.", "Two Kestrins left."),
    ],
)
def test_a_plural_that_a_person_gave_away_is_the_family(text: str, words: str) -> None:
    made = settle(table(text, "Odalys Kestrin"), "Kestrins", "Odalys Kestrin")
    assert shown(text, made)[0] == words


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("Odalys Kestrin", "Kestrinism and the Kestrinian style", "P-ism and the P-ian style"),
        ("Odalys Kestrin", "Kestrinites met Kestrinists.", "P-ites met P-ists."),
        ("Odalys Kestrin", "KESTRINISM, Kestrinesque, Kestrinworld", "P-ISM, P-esque, P-world"),
        ("Odalys Brinne", "Brinneism is Brinnism.", "P-ism is P-ism."),
        ("Chen Guangde", "Chenism grew.", "P-ism grew."),
    ],
)
def test_a_word_formed_from_a_surname_holds_a_reference(name: str, text: str, words: str) -> None:
    assert shown(text, table(text, name)) == (words, {})


@pytest.mark.parametrize(
    ("name", "text", "waiting"),
    [
        ("Odalys Kestrin", "Kestrinomics and Kestrincare failed.", {"Kestrinomics", "Kestrincare"}),
        ("Odalys Kestrin", "Kestrinonomics failed.", {"Kestrinonomics"}),
        ("Odalys Real", "Realism is a style.", {"Realism"}),
        ("Odalys Tour", "Tourists came.", {"Tourists"}),
    ],
)
def test_a_coined_word_and_a_word_of_its_own_wait(name: str, text: str, waiting: set[str]) -> None:
    words, asked = shown(text, table(text, name))
    assert words == text
    assert set(asked) == waiting


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Odalys Real", "They liked realism and realists."),
        ("Odalys Mark", "a markist view"),
        ("Odalys Lin", "Linism grew."),
        ("Odalys Kestrin", "The kestrinism of Kestrinismus"),
    ],
)
def test_other_words_hold_no_reference(name: str, text: str) -> None:
    assert shown(text, table(text, name)) == (text, {})


def shown_zh(text: str, *names: str) -> tuple[str, set[str]]:
    made = table(text, *names)
    matcher = Matcher(made, withheld={fold(row.surface) for row in contested(made)})
    parsed = parse(text, matcher, anchor=date(2026, 3, 3), offset=49)
    words = render(parsed.segments, "zh").replace("人物A", "P")
    return words, {doubt.words for doubt in parsed.doubts}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("王启明", "王外长会见了王院士。", "P会见了P。"),
        ("王启明", "王财长和王防长与王副总统到场", "P和P与P到场"),
        ("张启明", "张姓男子与一名张姓女子被问话，张老板否认。", "P与一名P被问话，P否认。"),
        ("欧阳启明", "欧阳外长和欧阳姓司机", "P和P"),
    ],
)
def test_a_surname_with_a_title_is_the_person(name: str, text: str, words: str) -> None:
    assert shown_zh(text, name) == (words, set())


@pytest.mark.parametrize(
    ("name", "text", "waiting"),
    [
        ("张启明", "昨天张局表示，将与王处会谈。", {"张局"}),
        ("郭启明", "郭董出席了会议。", {"郭董"}),
        ("张启明", "张队带人赶到，张导拍了下来。", {"张队", "张导"}),
    ],
)
def test_a_short_title_waits_for_a_person(name: str, text: str, waiting: set[str]) -> None:
    assert shown_zh(text, name) == (text, waiting)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("王启明", "国王局势紧张"),
        ("张启明", "他开了一张处方，主张局部停火，扩张队伍。"),
        ("高启明", "高校学生等待高院裁定。"),
        ("何启明", "他们何处可去"),
    ],
)
def test_characters_of_other_words_are_no_short_title(name: str, text: str) -> None:
    assert shown_zh(text, name) == (text, set())
