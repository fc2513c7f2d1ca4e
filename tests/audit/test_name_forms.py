"""Names in disguise: glued, taken apart, escaped, without their accents; and ordinary words that stay unreported."""

from __future__ import annotations

from typing import Literal

import pytest

from factory.nameforms.escapes import layers
from factory.nameforms.letters import plain
from factory.nameforms.near_names import NearNames
from factory.nameforms.normal_forms import NameSearch
from schemas import Alias, Entity, ReplacementTable


def table(*names: str, match: Literal["word", "case"] = "word") -> ReplacementTable:
    aliases = tuple(Alias(surface=n, lang="any", match=match, origin="model") for n in names)
    entity = Entity(entity_id="n1", cls="ORG", label="A", aliases=aliases)
    return ReplacementTable(entities=(entity,))


def found(text: str, *names: str, match: Literal["word", "case"] = "word") -> list[str]:
    return [words for _, words in NameSearch(table(*names, match=match)).find([text])]


@pytest.mark.parametrize(
    "text",
    ["Velloway2024", "2024Velloway", "velloway2024", "PayVelloway", "VellowayFans", "PAYVelloway", "VELLOWAYFans",
     "#SaveVellowayNow", "velloway_official", "Vel loway", "Vel_lo_way", "vel_lo_way", "Vel\tloway", "VEL LOWAY",
     "V elloway", "Vel Lo Way", "Vel\u2009loway", "Vel<b>lo</b>way", "Vel&lt;i&gt;loway", "Vel<!-- x -->loway",
     "vel**lo**way", "Vel  loway"],
)  # fmt: skip
def test_a_name_glued_or_taken_apart_is_found(text: str) -> None:
    assert found(text, "Velloway")


def test_both_names_of_one_word_are_found() -> None:
    assert found("VellowayBrinmoor", "Velloway", "Brinmoor") == ["velloway", "brinmoor"]


@pytest.mark.parametrize("text", ["NTSQ2024", "2024NTSQ", "payNTSQ", "NTSQFans"])
@pytest.mark.parametrize("match", ["word", "case"])
def test_capitals_beside_a_figure_or_a_word_are_found(
    text: str, match: Literal["word", "case"]
) -> None:
    assert found(text, "NTSQ", match=match)


@pytest.mark.parametrize(
    "text", ["vello way", "vel loway", "velloways", "payvelloway", "vellowayed"]
)
def test_small_letters_of_a_short_name_in_running_prose_are_left_to_chance(text: str) -> None:
    assert found(text, "Velloway") == []


@pytest.mark.parametrize(
    "text",
    ["brown bread", "a brown2 dye", "the price2024 list", "Bro. Wnt", "McPrice", "MacBrown", "Pricey", "Opera", "price tag"],
)  # fmt: skip
def test_ordinary_words_are_no_names_whose_case_matters(text: str) -> None:
    assert found(text, "Brown", "Price", "OPERA", match="case") == []


def test_two_ordinary_words_at_the_start_of_a_sentence_are_no_name() -> None:
    texts = ["Good man, they said.", "He is a good man."]
    assert list(NameSearch(table("Goodman")).find(texts)) == []
    assert found("Good Man, they said; a good man.", "Goodman"), "every part has its capital"
    assert found("Goo dman, they said; a good man.", "Goodman"), "no ordinary words"


def test_a_short_name_is_not_looked_for_inside_words() -> None:
    assert found("KayFans Kay2024 K ay", "Kay") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Łódźborg", "Lodzborg"),
        ("Łódźborg", "LODZBORG"),
        ("José García", "Jose Garcia"),
        ("José García", "JOSE GARCIA"),
        ("José García", "JoseGarcia2024"),
        ("Jose Garcia", "José García"),
        ("Đorđević", "Dordevic"),
        ("Weißmann", "Weissmann"),
        ("Weißmann", "WEISSMANN"),
        ("Sørensen", "Sorensen"),
        ("Sørensen", "Soerensen"),
        ("Müller", "Muller"),
        ("Müller", "Mueller"),
        ("Kılıç", "Kilic"),
        ("Æthelred", "Aethelred"),
        ("Þórsson", "Thorsson"),
        ("Œuvrard", "oeuvrard"),
        ("Sigurðsson", "Sigurdsson"),
    ],
)
def test_a_name_is_found_without_its_accents(name: str, text: str) -> None:
    assert found(text, name)


def test_a_misspelt_name_is_found_without_its_accents() -> None:
    near = NearNames(table("Łódźborg"))
    assert [words for _, words in near.find(["Lodzbork came"], frozenset())] == ["Lodzbork"]


@pytest.mark.parametrize(
    "text",
    ["\\x56elloway", "\\u{56}elloway", "\\U00000056elloway", "%u0056elloway", "=56elloway", "&#x56;elloway",
     "Vello=\nway", "%2556elloway", "\\\\u0056elloway", "🇻🇪🇱🇱🇴🇼🇦🇾", "🅅🄴🄻🄻🄾🅆🄰🅈", "🆅🅴🅻🅻🅾🆆🅰🆈", "ᴠᴇʟʟᴏᴡᴀʏ"],
)  # fmt: skip
def test_an_escaped_latin_name_is_found(text: str) -> None:
    assert found(text, "Velloway")


@pytest.mark.parametrize(
    "text",
    ["\\u848b", "\\U0000848b", "\\u{848b}", "%u848B", "=E8=92=8B", "%E8%92%8B", "\\xe8\\x92\\x8b", "\\350\\222\\213", "&#33931;", "蔣"],
)  # fmt: skip
def test_an_escaped_chinese_name_is_found(text: str) -> None:
    assert found(f"他是{text}吗", "蒋")


def test_a_surrogate_pair_is_one_character() -> None:
    assert list(layers("\\ud83c\\uddfb")) == ["🇻"]
    assert plain("🇻") == "V"


@pytest.mark.parametrize(
    "text", ["100% of 3 < 4", "a=b", "C:\\new", "\\U99999999", "x < y and z > w"]
)
def test_what_is_no_escape_reads_as_it_stands(text: str) -> None:
    assert list(layers(text)) == []
