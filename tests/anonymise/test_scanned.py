"""What only the scan refuses becomes a doubt of its statement, once, with the choices that settle it."""

from __future__ import annotations

from datetime import date

import pytest

from factory.anonymise.asked import HIDE_AS, KEEP, REMOVE, REPLACE
from factory.anonymise.match import Matcher
from factory.anonymise.repair import Compared
from factory.anonymise.scanned import choices, scanned
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table
from schemas import Lang

NAMES = [Named("COM", ("Velloway",))]


@pytest.mark.parametrize(
    ("lang", "text", "found"),
    [
        ("en", "They served French fries.", ["French"]),
        ("en", "A German shepherd barked at a second German shepherd.", ["German"]),
        ("zh", "他们吃了意大利面。", ["意大利"]),
        ("en", "They read StopVelloway.org.", []),
        ("en", "Velow, Vellowey and Velloway met.", ["Vellowey"]),
        ("en", "The case is Smith v. Jones.", ["Smith v. Jones"]),
        ("en", "The list was anonymised before the cutoff.", ["anonymised", "cutoff"]),
        ("en", "They met on Super Tuesday and wrote to @someone.", []),
        ("en", "Velloway met in March.", []),
    ],
)
def test_each_refusal_is_one_doubt_unless_another_holds_it(
    lang: Lang, text: str, found: list[str]
) -> None:
    table = build_table(NAMES, [text], "salt")
    parsed = parse(text, Matcher(table), anchor=date(2026, 3, 10), offset=49)
    (statement,) = scanned([Compared("s1", text, parsed.segments, parsed.doubts)], table, lang)
    assert [d.words for d in statement.doubts if d.kind == "scan"] == found
    for words in found:
        given = choices(statement, words)
        assert given[0] == REPLACE
        assert REMOVE in given
        assert (KEEP in given) == ("ellow" not in words)
        assert (set(HIDE_AS) < set(given)) == (words in ("French", "German", "意大利"))
