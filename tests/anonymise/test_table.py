"""The table: forms by rule, letters that say nothing about order, contested names."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.expand import bracketed, expand, initials
from factory.anonymise.table import Named, build_table, contested, deal_labels, settle, unusable
from factory.errors import BadInput

NAMED = [
    Named("PER", ("Lena Ortiz", "莉娜·奥尔蒂斯")),
    Named("PER", ("林国栋",)),
    Named("GRP", ("Harbour Workers' Union",)),
    Named("COM", ("Velloway Holdings Ltd",)),
    Named("PLC", ("Westhaven",)),
]


def surfaces(table: object) -> set[str]:
    return {a.surface for e in table.entities for a in e.aliases}  # type: ignore[attr-defined]


def test_rules_add_the_forms_that_readers_use() -> None:
    names = surfaces(build_table(NAMED, [], "salt"))
    assert {"Ortiz", "L. Ortiz", "LenaOrtiz", "奥尔蒂斯", "林局长", "林先生"} <= names
    assert {"Velloway Holdings", "HarbourWorkersUnion"} <= names


def test_abbreviations_in_brackets_are_learned_only_when_they_fit() -> None:
    texts = [
        "The Harbour Workers' Union (HWU) and Lena Ortiz (ABC); 海港工人联合会（港工联），海港工人联合会（昨日）"
    ]
    assert bracketed(["Harbour Workers' Union", "Lena Ortiz", "海港工人联合会"], texts) == [
        "HWU",
        "港工联",
    ]
    assert initials("Port Authority of Westhaven") == "PAW"


def test_order_of_entities_does_not_change_the_table() -> None:
    shuffled = list(NAMED)
    random.Random(3).shuffle(shuffled)
    assert build_table(NAMED, [], "salt") == build_table(shuffled, [], "salt")


def test_letters_depend_on_the_salt_and_not_on_the_order_of_appearance() -> None:
    people = [Named("PER", (f"Person{i}a Name{i}",)) for i in range(8)]
    deals = {
        salt: [
            e.label
            for e in sorted(
                build_table(people, [], salt).entities, key=lambda e: e.aliases[0].surface
            )
        ]
        for salt in ("a", "b", "c")
    }
    assert len({tuple(labels) for labels in deals.values()}) == 3
    assert all(labels != sorted(labels) for labels in deals.values())


@given(st.integers(1, 702), st.text(min_size=1, max_size=5))
def test_labels_are_letters_and_unique(count: int, salt: str) -> None:
    labels = deal_labels([(f"n{i}", "PER") for i in range(count)], salt)
    assert len(set(labels.values())) == count
    assert all(re.fullmatch("[A-Z]{1,2}", label) for label in labels.values())


def test_more_entities_than_letters_are_refused() -> None:
    with pytest.raises(BadInput, match="702"):
        deal_labels([(f"n{i}", "PER") for i in range(703)], "salt")


def test_a_grown_table_keeps_its_letters() -> None:
    base = build_table(NAMED, [], "salt")
    grown = build_table(
        [
            Named("PER", ("Ada Quill",), "auditor"),
            Named("PLC", ("Westhaven", "the Haven"), "auditor"),
        ],
        [],
        "salt",
        base=base,
    )
    assert grown.version == 2
    before = {e.entity_id: (e.cls, e.label) for e in base.entities}
    assert {
        e.entity_id: (e.cls, e.label) for e in grown.entities if e.entity_id in before
    } == before
    assert "Quill" in surfaces(grown)
    assert len(grown.entities) == len(base.entities) + 1


def test_entries_that_name_each_other_are_one_entity() -> None:
    table = build_table(
        [Named("GRP", ("Harbour Workers' Union", "HWU")), Named("GRP", ("HWU",))], [], "s"
    )
    assert len(table.entities) == 1


def test_shared_and_risky_names_are_contested() -> None:
    table = build_table(
        [
            Named("PER", ("Lena Ortiz",)),
            Named("PER", ("Paul Ortiz",)),
            Named("PER", ("April",)),
            Named("CTY", ("中",)),
            Named("COM", ("Company",)),
        ],
        [],
        "salt",
    )
    reasons = {c.surface: c.reason for c in contested(table)}
    assert reasons["Ortiz"] == "claimed by more than one entity"
    assert set(reasons) >= {"Ortiz", "April", "中", "Company"}
    settled = settle(table, "Ortiz", "Lena Ortiz")
    assert "Ortiz" not in {c.surface for c in contested(settled)}
    assert "Ortiz" in surfaces(settled)
    assert "April" not in surfaces(settle(table, "April", None))


@pytest.mark.parametrize("words", ["union", "the pier", "x", "…", "⟦PER:A⟧", "--"])
def test_words_that_cannot_be_names(words: str) -> None:
    assert unusable(words)


@pytest.mark.parametrize(
    "words", ["iPod", "TUB", "@okestrin", "港", "Lena Ortiz", "41X", "landu.example", "the Pier"]
)
def test_words_that_can_be_names(words: str) -> None:
    assert unusable(words) == ""


def test_expansion_never_repeats_a_given_name() -> None:
    assert "Lena Ortiz" not in expand("PER", ["Lena Ortiz"])
    assert expand("PLC", ["港"]) == []
