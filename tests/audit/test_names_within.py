"""Names inside longer words, addresses that stand bare, halves of a name that were replaced each."""

from __future__ import annotations

import pytest

from factory.audit.leak_placeholders import broken
from factory.audit.leak_texts import shapes
from factory.audit.names_within import NamesWithin
from factory.audit.scan import scan_files
from schemas import Alias, Entity, EntityClass, ReplacementTable


def table(*names: str, cls: EntityClass = "PER") -> ReplacementTable:
    aliases = tuple(Alias(surface=n, lang="any", origin="model") for n in names)
    return ReplacementTable(entities=(Entity(entity_id="n1", cls=cls, label="A", aliases=aliases),))


def found(text: str, *names: str, ordinary: frozenset[str] = frozenset()) -> list[str]:
    return [words for _, words in NamesWithin(table(*names)).find([text], ordinary)]


@pytest.mark.parametrize(
    "word",
    ["Kestrinism", "Kestrinisms", "Kestrinist", "Kestrinites", "Kestrinian", "Kestrinesque", "Kestrinomics",
     "Kestrinonomics", "Kestrincare", "Kestrinworld", "Kestrinmania", "KESTRINISM"],
)  # fmt: skip
def test_a_word_formed_from_a_surname_is_found(word: str) -> None:
    assert found(f"The {word} of today", "Odalys Kestrin") == [word]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Odalys Brinne", "Brinnism"),
        ("Odalys Kestrin", "“Kestrinism”"),
        ("Kestrin", "Anti-Kestrinism"),
        ("Odalys Késtrin", "Kestrinism"),
        ("Tom Banks", "a Banksian view"),
        ("Tom Mark", "The Markism of today"),
    ],
)
def test_a_surname_is_found_in_other_spellings(name: str, text: str) -> None:
    assert found(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Tom Real", "Realism and realism"),
        ("Tom Lin", "Linism"),
        ("Odalys Kestrin", "kestrinism, Kestrinismus"),
        ("Odalys Kestrin", "Tourists, Artists and Historians"),
        ("Odalys Tour", "Tourists came; Tourism grew."),
    ],
)
def test_other_words_are_not_reported(name: str, text: str) -> None:
    assert found(text, name) == []


def test_a_word_that_the_release_also_writes_small_is_none_of_a_name() -> None:
    assert found("Markist views", "Tom Mark", ordinary=frozenset({"markist"})) == []


@pytest.mark.parametrize(
    "text",
    ["stopkestrin.org", "boycottkestrin.com/join", "see x.com/stopkestrinnow", "ask @kestrinfans", "#stopkestrin2031",
     "https://a.example/stop-kestrin", "签名stopkestrin.org吧"],
)  # fmt: skip
def test_a_name_inside_an_address_is_found(text: str) -> None:
    assert found(text, "Odalys Kestrin", "Kestrin")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Commons", "https://creativecommons.org/licenses/by/4.0"),
        ("Brin", "see stopbrinnow.org"),
        ("Kestrin", "stopkestrin at noon"),
    ],
)
def test_a_common_or_short_word_in_an_address_is_no_name(name: str, text: str) -> None:
    assert found(text, name) == []


@pytest.mark.parametrize(
    "text",
    [
        "stopkestrin.org",
        "See boycott.com/join.",
        "签名上savethetram.org吧",
        "my.tram.co.uk",
        "tram.live/now",
        "163.com",
        "x.com/a",
    ],
)
def test_a_bare_domain_is_an_address(text: str) -> None:
    assert [kind for kind, *_ in shapes(text)] == ["domain"]


@pytest.mark.parametrize(
    "text",
    ["an end.Next came rain.", "e.g. a tram, i.e. one", "v1.2 and 3.5", "No.10", "report.pdf, notes.md, data.csv", "the U.S.A.", "in D.C.",
     "用了e.g.这样的写法", "the end.it rained", "so.no way", "Node.js and main.py", "and/or", "km/h", "Inc.and co."],
)  # fmt: skip
def test_what_only_looks_like_a_domain_is_none(text: str) -> None:
    assert [*shapes(text)] == []


@pytest.mark.parametrize(
    "text",
    ["Person C J. Person C", "Person C H. W. Person C", "Person C H.W. Person C", "Person C Marie Person C",
     "Person C Marie Lou Person C", "Person C J Person C", "人物C·J·人物C", "人物C·玛丽·人物C", "人物C J. 人物C"],
)  # fmt: skip
def test_halves_of_one_name_are_doubled(text: str) -> None:
    assert "doubled" in {kind for kind, _ in broken(text, ours=True)}


@pytest.mark.parametrize(
    "text",
    ["Person C and Person C", "Person C. Then Person C", "Person C Company J Person C", "told Person C that Person C",
     "Person C Marie Person D", "人物C、张三、人物D", "人物C·J·人物D", "Person C Junction"],
)  # fmt: skip
def test_two_references_with_words_between_are_not_doubled(text: str) -> None:
    assert [*broken(text, ours=True)] == []


def test_the_rest_of_a_name_is_broken() -> None:
    assert [kind for kind, _ in broken("Person B Jr. won.", ours=True)] == ["rest of a name"]


def test_a_bundle_with_such_words_is_no_clean_one() -> None:
    body = (
        "### 2026-04-28\n\n**Event**: Kestrinism grew at stopkestrin.org; Person A J. Person A.\n"
    )
    rules = {
        row.rule
        for row in scan_files({"contexts/en/p1.md": body.encode()}, table("Odalys Kestrin"))
    }
    assert {"leak-name", "leak-shape", "leak-placeholder"} <= rules
