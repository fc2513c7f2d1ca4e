"""Rounds of the panel: each starts from the raw text, names are added only when that helps, offsets never return."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from factory.anonymise.dates import offsets
from factory.anonymise.rounds import _resample
from factory.sections import AnonymiseSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import Keys, ReplacementTable, ReviewRequest, Shift, Timeline
from tests.anonymise import event
from tests.anonymise.test_stage import anon, go, rounds
from tests.scripted import Call, ScriptedAsk

MID = {
    "event": "a quarrel elsewhere",
    "actors": [],
    "period_start": None,
    "period_end": None,
    "confidence": 0.6,
    "quotes": [],
}


def answering(make: Callable[[int], dict[str, Any]]) -> Any:
    """A panel whose replies depend on the round."""

    def handler(call: Call) -> Any:
        found = re.match(r"round-(\d+)-", call.item)
        return make(int(found.group(1))) if found else event.answers(call)

    return handler


def near(*leaks: dict[str, str], **more: Any) -> dict[str, Any]:
    """A reply whose second guess names the event."""
    right = {**MID, "event": "Brinmoor tram strike", **more}
    return {"guesses": [MID, right], "leaks": list(leaks)}


def name(words: str) -> dict[str, str]:
    return {"words": words, "nature": "name", "kind": "GOV"}


def arc(text: str) -> Timeline:
    raw = event.timeline().model_dump()
    raw["nodes"][1]["fact"]["statements"][0]["text"] = text
    return Timeline.model_validate(raw)


def drawing(tmp_path: Path, handler: Any, **settings: Any) -> StageContext:
    """A context whose offset is drawn, as for a real event."""
    anonymise = AnonymiseSettings(**{"controls": False, **settings})
    ctx = event.context(tmp_path, handler, settings=Settings(anonymise=anonymise))
    ctx.keys = Keys(public_id="e-test", salt="test-salt")
    return ctx


def reviews(ctx: StageContext) -> list[ReviewRequest]:
    return [review for review in ctx.reviews if review.kind == "panel"]


def test_an_offset_that_was_shown_is_never_drawn_again(tmp_path: Path) -> None:
    ctx = drawing(tmp_path, event.answers)
    shift: Shift | None = Shift(offset_days=28)
    seen = [28]
    while (after := _resample(ctx, cast(Shift, shift))) is not None:
        seen.append(after.offset_days)
        assert ctx.workspace.read(Shift, "secret/shift.json") == after, "stored as soon as drawn"
        shift = after
    assert sorted(seen) == sorted(offsets("weeks")), "each offset of the policy once, then none"
    assert cast(Shift, shift).draws == len(seen)


def test_a_recording_draws_its_offsets_in_order_and_then_none(tmp_path: Path) -> None:
    ctx = drawing(tmp_path, event.answers)
    ctx.keys = ctx.keys.model_copy(update={"offset_days": -77, "redraws": (-98, 63)})
    first = _resample(ctx, Shift(offset_days=-77))
    assert first is not None
    second = _resample(ctx, first)
    assert second is not None
    assert (first.offset_days, second.offset_days) == (-98, 63)
    assert _resample(ctx, second) is None


def test_every_round_shows_other_dates_when_dates_give_the_event_away(tmp_path: Path) -> None:
    leak = {"words": "voted 31-9", "nature": "date", "kind": "EVT"}
    ctx = go(drawing(tmp_path, answering(lambda _round: near(leak)), rounds=4))
    held = rounds(ctx)
    assert [row.action for row in held] == ["resample", "resample", "resample", "review"]
    assert [row.draws for row in held] == [1, 2, 3, 4]
    assert len({row.prompt_digest for row in held}) == 4
    tried = ctx.workspace.read(Shift, "secret/shift.json")
    assert len({*tried.tried, tried.offset_days}) == 4


def test_a_guess_near_the_period_resamples_without_a_reported_date(tmp_path: Path) -> None:
    def reply(number: int) -> dict[str, Any]:
        dated = {**MID, "event": "a tram strike", "period_start": "2026-01-10"}
        return {"guesses": [dated if number == 1 else MID], "leaks": []}

    ctx = go(drawing(tmp_path, answering(reply)))
    assert [row.action for row in rounds(ctx)] == ["resample", "accept"]


def test_the_prompt_of_the_last_round_comes_from_the_raw_text(tmp_path: Path) -> None:
    text = "The Rondell voted 31-9 on 2 February, and the Rondell of Ostvik agreed."

    def reply(number: int) -> dict[str, Any]:
        return near(name("Rondell")) if number == 1 else near(name("Ostvik"))

    ctx = go(event.context(tmp_path, answering(reply), raw=arc(text)))
    assert [row.added for row in rounds(ctx)][:2] == [("Rondell",), ("Ostvik",)]
    asked = [c.variables["text"] for c in cast(ScriptedAsk, ctx.ask).calls if c.prompt.endswith("guess")]  # fmt: skip
    assert "the Rondell of Ostvik" in asked[0]
    assert "Rondell" not in asked[-1]
    assert "Ostvik" not in asked[-1]
    assert len({text.count("31-9") for text in asked}) == 1, "nothing else was touched"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("council", "common word in lower case"),
        ("Group A", "stands in no plain words"),
        ("Fares rose in the whole town, said some who were there", "longer than a name"),
        ("Fares", "identifies nothing"),
    ],
)
def test_an_augmentation_that_identifies_nothing_is_not_applied(
    tmp_path: Path, words: str, reason: str
) -> None:
    shown = arc("Fares rose in the whole town, said some who were there. The council agreed.")
    ctx = go(event.context(tmp_path, answering(lambda _round: near(name(words))), raw=shown))
    (held,) = rounds(ctx)
    assert (held.action, held.added) == ("review", ())
    assert len(held.refused) == 1
    assert held.refused[0].endswith(reason)
    assert held.refused[0] in reviews(ctx)[0].detail
    assert ctx.workspace.read(ReplacementTable, "secret/table.json").version == 1


def test_a_word_that_a_near_guess_quotes_identifies(tmp_path: Path) -> None:
    reply = near(name("Fares"), quotes=["Fares rose in the town."])
    quiet = {"guesses": [MID], "leaks": []}
    ctx = go(
        event.context(
            tmp_path,
            answering(lambda number: reply if number == 1 else quiet),
            raw=arc("Fares rose in the town."),
        )
    )
    assert [row.action for row in rounds(ctx)] == ["augment", "accept"]


def test_a_name_that_the_table_cannot_remove_is_refused(tmp_path: Path) -> None:
    """A name that is also a word of the calendar waits for a person: a larger table would change nothing."""
    shown = arc("They agreed, said May.")
    ctx = go(event.context(tmp_path, answering(lambda _round: near(name("May"))), raw=shown))
    (held,) = rounds(ctx)
    assert held.action == "review"
    assert held.refused == ("May: removes nothing",)


@pytest.mark.parametrize(("policy", "actions"), [("reject", ["reject"]), ("augment", ["augment", "accept"])])  # fmt: skip
def test_the_policy_on_high_decides(tmp_path: Path, policy: Any, actions: list[str]) -> None:
    high = near(name("Rondell"))
    high["guesses"].reverse()
    quiet = {"guesses": [MID], "leaks": []}
    settings = Settings(anonymise=AnonymiseSettings(on_high=policy, controls=False))
    ctx = go(
        event.context(
            tmp_path,
            answering(lambda number: high if number == 1 else quiet),
            settings=settings,
            raw=arc("The Rondell voted 31-9."),
        )
    )
    assert [row.action for row in rounds(ctx)] == actions


def test_five_rounds_are_the_most(tmp_path: Path) -> None:
    words = ("Rondell", "Ostvik", "Quenby", "Harlow", "Zedling", "Wexcombe")
    text = "He saw the " + ", the ".join(words) + " and left."
    ctx = go(
        event.context(
            tmp_path,
            answering(lambda number: near(name(words[number - 1]))),
            raw=arc(text),
        )
    )
    assert [row.action for row in rounds(ctx)] == ["augment"] * 4 + ["review"]
    assert [row.table_version for row in rounds(ctx)] == [1, 2, 3, 4, 5]
    assert anon(ctx).nodes
