"""Grades by code, following the definitions word by word."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from factory.anonymise.grade import actors_named, grade, near_period, worst
from factory.anonymise.naming import names
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


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("São Paulo floods", "Sao Paulo floods"),
        ("Sao Paulo floods", "the São Paulo floods of 2026"),
        ("Łódź tram strike", "Lodz tram strikes"),
        ("Straße der Fløyen", "Strasse der Floyen"),
        ("Ærø ferry", "aero ferry"),
        ("Ｖｅｌｌｏｗａｙ collapse", "Velloway collapse"),
        ("蒋韦骆贪腐案", "蔣韋駱貪腐案"),
        ("蔣韋駱貪腐案", "蒋韦骆贪腐案，2026年"),
        ("Крокус", "Крокус"),
        ("Крокус", "теракт в «Крокусе»"),
        ("Ντόρα Μπακογιάννη", "η Ντορα Μπακογιαννη"),
        ("서울 지하철 파업", "서울지하철의 파업"),
        ("东京湾フェリー", "東京湾フェリー"),
        ("U.S. shutdown", "the US shutdown"),
    ],
)
def test_a_name_is_known_in_every_script_and_spelling(name: str, said: str) -> None:
    truth = TRUTH.model_copy(update={"event_names": (name,)})
    assert grade([guess(said)], truth).grade == "HIGH"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("São Paulo floods", "Porto floods"),
        ("São Paulo floods", "São Vicente floods"),
        ("蒋韦骆贪腐案", "陳立夫貪腐案"),
        ("Крокус", "Красная площадь"),
        ("Крокус", "Крот"),
        ("서울 지하철 파업", "부산 버스 파업"),
        ("Łódź tram strike", "a tram strike"),
        ("हिन्दी दिवस", "मराठी भाषा"),
    ],
)
def test_another_name_of_the_same_script_stays_low(name: str, said: str) -> None:
    truth = TRUTH.model_copy(update={"event_names": (name,)})
    assert grade([guess(said)], truth).grade == "LOW"


@pytest.mark.parametrize(
    ("actor", "event", "actors"),
    [
        ("Donald Trump", "a tram strike under President Trump", ()),
        ("Donald Trump", "a tram strike", ("President Trump",)),
        ("Donald Trump", "a tram strike", ("Trump",)),
        ("Donald Trump", "the Trump tram strike", ()),
        ("Donald Trump", "the tram strike, D. Trump", ()),
        ("Enrique Peña Nieto", "a tram strike", ("Pena Nieto",)),
        ("Odalys Kestrin", "the Kestrin tram strike", ()),
        ("Theresa May", "the tram strike of Prime Minister May", ()),
        ("Velloway Holdings Ltd", "a tram strike", ("Velloway",)),
        ("蒋韦骆", "电车罢工", ("蒋市长",)),
        ("蒋韦骆", "電車罷工", ("蔣市長",)),
        ("唐纳德·特朗普", "电车罢工", ("特朗普总统",)),
        ("Xi Anping", "a tram strike", ("President Xi",)),
        ("Xi Anping", "a tram strike", ("Xi",)),
        ("Xi Anping", "the tram strike before Xi's visit", ()),
        ("Kim Jong-su", "a tram strike under Kim", ()),
        ("Nguyen Van Thien", "a tram strike", ("President Thien",)),
        ("He Jianlin", "a tram strike", ("Dr. He",)),
        ("Orsó Viktor", "a tram strike", ("Governor Orso",)),
        ("Mohammed bin Sarwan", "a tram strike", ("Prince Mohammed",)),
        ("Bashar al-Haddan", "a tram strike", ("Haddan",)),
        ("习安平", "电车罢工", ("习主席",)),
    ],
)
def test_an_actor_is_named_by_what_tells_who_it_is(
    actor: str, event: str, actors: tuple[str, ...]
) -> None:
    truth = TRUTH.model_copy(update={"actors": (actor,)})
    judged = grade([guess(event, actors=actors)], truth)
    assert (judged.grade, judged.by) == ("MID", "actor")
    assert actors_named([guess(event, actors=actors)], truth) == 1


@pytest.mark.parametrize(
    ("actor", "event", "actors"),
    [
        ("Donald Trump", "a tram strike", ("Eric Trump",)),
        ("Donald Trump", "a tram strike about a trump card", ()),
        ("John Smith", "a tram strike", ("Adam Smith",)),
        ("Kim Jong-su", "a tram strike", ("President Kim Dae-ho",)),
        ("Chen Guangde", "a tram strike", ("Chen Wei",)),
        ("He Jianlin", "the tram strike that he led", ()),
        ("He Jianlin", "He led a tram strike", ()),
        ("Michael Orne", "a tram strike", ("General Michael Flint",)),
        ("Michael Orne", "a tram strike", ("Michael",)),
        ("Gordon Brown", "a tram strike in a brown town", ()),
        ("Gordon Brown", "Brown trams: a tram strike", ()),
        ("Theresa May", "a tram strike that may end", ("May",)),
        ("Green Party", "a tram strike", ("the Party",)),
        ("Dock Workers", "a tram strike", ("Workers",)),
        ("Bank of Brinmoor", "a tram strike", ("Bank",)),
        ("United Holdings", "a tram strike of united drivers", ("United",)),
        ("Landu Ferry Company", "a tram strike", ("Ferry",)),
        ("王建国", "电车罢工，建国以来最大", ("王先生",)),
        ("蒋韦骆", "电车罢工", ("市长", "蒋介石")),
    ],
)
def test_a_common_word_or_another_person_names_no_actor(
    actor: str, event: str, actors: tuple[str, ...]
) -> None:
    truth = TRUTH.model_copy(update={"actors": (actor,), "event_names": ("Brinmoor",)})
    assert grade([guess(event, actors=actors)], truth).grade == "LOW"


def test_unrelated_guesses_stay_low_against_every_kind_of_card() -> None:
    cards = [
        TRUTH,
        TRUTH.model_copy(update={"event_names": ("São Paulo floods", "圣保罗洪水"), "actors": ("Luís Peña Nieto",)}),
        TRUTH.model_copy(update={"event_names": ("Крокус",), "actors": ("Иван Петров", "Crocus City Hall")}),
        TRUTH.model_copy(update={"event_names": ("蒋韦骆贪腐案",), "actors": ("蒋韦骆", "布林穆尔市政府")}),
    ]  # fmt: skip
    unrelated = [
        guess("The 2011 Fukushima nuclear accident", actors=("TEPCO", "Naoto Kan")),
        guess("a tram strike in a large city", actors=("the government", "workers", "the mayor")),
        guess("某城市电车罢工", actors=("市政府", "工会", "李市长")),
        guess("Пожар в торговом центре", actors=("Сергей Иванов",)),
    ]
    for card in cards:
        assert [grade([one], card).grade for one in unrelated] == ["LOW"] * 4


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
