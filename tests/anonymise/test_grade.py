"""Grades by code, following the definitions word by word."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from factory.anonymise.grade import grade, names, near_period, worst
from factory.anonymise.panel import AuditAnswer, read_answer
from schemas import AuditorReply, Grade, Guess, TruthCard

TRUTH = TruthCard(
    event_names=("Brinmoor tram strike", "布林穆尔电车罢工"),
    actors=("Odalys Kestrin", "Velloway"),
    event_class=("tram strike", "电车罢工", "transport dispute"),
    period_start=date(2026, 1, 6),
    period_end=date(2026, 3, 10),
)


def guess(event: str, **fields: Any) -> Guess:
    return Guess(event=event, confidence=0.5, **fields)


WRONG = guess("a flood in Lindhaven")


@pytest.mark.parametrize(
    ("guesses", "expected"),
    [
        ((guess("The 2026 Brinmoor tram strikes"),), "HIGH"),
        ((guess("布林穆尔的电车大罢工，2026年"),), "HIGH"),
        ((WRONG, guess("Brinmoor tram strike")), "MID"),
        ((WRONG, WRONG, WRONG, WRONG, guess("Brinmoor tram strike")), "MID"),
        ((guess("a tram strike somewhere", actors=("Velloway",)),), "MID"),
        ((guess("a tram strike", period_start=date(2026, 2, 5)),), "MID"),
        ((guess("a tram strike", period_start=date(2026, 2, 6)),), "LOW"),
        ((guess("a tram strike", period_start=date(2020, 1, 1), period_end=date(2030, 1, 1)),), "LOW"),
        ((guess("a flood", actors=("Velloway",), period_start=date(2026, 1, 6)),), "LOW"),
        ((guess("a tram strike"),), "LOW"),
        ((WRONG,), "LOW"),
        ((), "UNKNOWN"),
    ],
)  # fmt: skip
def test_grades(guesses: tuple[Guess, ...], expected: Grade) -> None:
    assert grade(guesses, TRUTH)[0] == expected


def test_a_kind_and_an_actor_in_different_guesses_are_not_mid() -> None:
    assert grade((guess("a tram strike"), guess("a scandal of Velloway")), TRUTH)[0] == "LOW"


def test_names_need_all_their_words() -> None:
    assert names("strike of tram drivers in Brinmoor", "Brinmoor tram strike")
    assert not names("tram strike", "Brinmoor tram strike")
    assert not names("", "Brinmoor")
    assert not names("anything", "")


def test_period_is_near_by_start_or_end() -> None:
    assert near_period(guess("x", period_end=date(2026, 4, 9)), TRUTH)
    assert not near_period(guess("x"), TRUTH)


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        (("LOW", "LOW", "LOW"), "LOW"),
        (("LOW", "MID", "LOW"), "MID"),
        (("HIGH", "MID", "LOW"), "HIGH"),
        (("HIGH", "UNKNOWN", "LOW"), "UNKNOWN"),
        ((), "UNKNOWN"),
    ],
)  # fmt: skip
def test_the_worst_reply_counts(grades: tuple[Grade, ...], expected: Grade) -> None:
    assert worst(AuditorReply(auditor="auditor1", grade=g) for g in grades) == expected


def test_quotes_and_leaks_that_are_not_verbatim_are_dropped() -> None:
    answer = AuditAnswer.model_validate(
        {
            "guesses": [
                {
                    "event": "x",
                    "actors": [],
                    "period_start": "2026-02-30",
                    "period_end": None,
                    "confidence": 1,
                    "quotes": ["voted 31-9", "voted 31-8"],
                }
            ],
            "leaks": [
                {"words": "Rondell", "nature": "name", "kind": "GOV"},
                {"words": "the Rondel", "nature": "name", "kind": "GOV"},
            ],
        }
    )
    heard = read_answer(answer, "The Rondell voted 31-9.")
    assert heard.guesses[0].quotes == ("voted 31-9",)
    assert heard.guesses[0].period_start is None
    assert [leak.words for leak in heard.leaks] == ["Rondell"]
    assert heard.dropped == ("voted 31-8", "the Rondel")
