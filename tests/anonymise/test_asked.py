"""What a person is asked to look at: unexplained names, figures, rare words; decisions count, nothing waits for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from factory.anonymise.asked import (
    ADVISORY,
    MAY_STAND,
    MUST_CHANGE,
    NOTHING,
    SHOWN,
    put_figures,
    put_words,
    questions,
    telling,
)
from factory.anonymise.coverage import Unexplained
from factory.anonymise.numbers import RareNumber
from factory.anonymise.stage import run
from factory.audit.rare_words import RareWord
from factory.segments import context_text
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    AnonymisationAudit,
    AnonymisationCard,
    Decision,
    ReviewRequest,
    Timeline,
)
from schemas.anoncard import WordFigures
from tests.anonymise import event


def strange(times: int) -> Timeline:
    """The event with a name that no model lists, in so many sentences."""
    raw = event.timeline()
    nodes = list(raw.nodes)
    fact = nodes[0].fact
    assert fact is not None
    words = (
        "The depot at Oxmere stayed shut.",
        "Nobody in Oxmere was told.",
        "Oxmere has one bus.",
    )
    first = fact.statements[0]
    added = tuple(
        first.model_copy(update={"statement_id": f"n1-x{number}", "text": text})
        for number, text in enumerate(words[:times])
    )
    fact = fact.model_copy(update={"statements": (*fact.statements, *added)})
    nodes[0] = nodes[0].model_copy(update={"fact": fact})
    return raw.model_copy(update={"nodes": tuple(nodes)})


def derailed(word: str = "derailment") -> Timeline:
    """The event with one more sentence, which holds a rare word."""
    raw = event.timeline()
    nodes = list(raw.nodes)
    fact = nodes[0].fact
    assert fact is not None
    added = fact.statements[0].model_copy(
        update={"statement_id": "n1-x1", "text": f"Nobody expected the {word}."}
    )
    fact = fact.model_copy(update={"statements": (*fact.statements, added)})
    nodes[0] = nodes[0].model_copy(update={"fact": fact})
    return raw.model_copy(update={"nodes": tuple(nodes)})


def go(ctx: StageContext) -> StageContext:
    asyncio.run(run(ctx))
    return ctx


def card(ctx: StageContext) -> AnonymisationCard:
    return ctx.workspace.read(AnonymisationCard, "04_anonymised/card.json")


def words(ctx: StageContext) -> tuple[WordFigures, ...]:
    return card(ctx).rare_words


def audit(ctx: StageContext) -> AnonymisationAudit:
    return ctx.workspace.read(AnonymisationAudit, "04_anonymised/audit.json")


def shown(ctx: StageContext) -> str:
    nodes = ctx.workspace.read(AnonTimeline, "04_anonymised/timeline.json").nodes
    return context_text(nodes, "en")


def asked(ctx: StageContext, kind: str) -> list[ReviewRequest]:
    return [review for review in ctx.reviews if review.kind == kind]


def decided(ctx: StageContext, request: ReviewRequest, choice: str) -> StageContext:
    ctx.decisions = (
        Decision(stage="anonymise", review_id=request.review_id, choice=choice, decided_at=ctx.now),
    )
    return go(ctx)


def test_an_unexplained_name_that_occurs_often_is_asked_and_blocks_nothing(tmp_path: Path) -> None:
    ctx = go(event.context(tmp_path, raw=strange(3)))
    (request,) = asked(ctx, "name")
    assert "'Oxmere'" in request.question
    assert "depot at Oxmere" in request.detail
    assert card(ctx).names_open == 1
    assert "Oxmere" in shown(ctx)


def test_a_name_that_occurs_once_is_listed_and_not_asked(tmp_path: Path) -> None:
    ctx = go(event.context(tmp_path, raw=strange(1)))
    assert asked(ctx, "name") == []
    names = {row.lang: row for row in card(ctx).names}
    assert names["en"].unexplained == 1


def test_a_person_who_calls_it_a_name_has_it_replaced(tmp_path: Path) -> None:
    (request,) = asked(go(event.context(tmp_path / "a", raw=strange(3))), "name")
    ctx = decided(event.context(tmp_path / "b", raw=strange(3)), request, "hide as Place")
    assert "Oxmere" not in shown(ctx)
    assert "Nobody in Place " in shown(ctx)
    assert card(ctx).names_open == 0
    # It stays visible, so that it can be decided otherwise.
    assert asked(ctx, "name") == [request]


def test_a_person_who_says_that_it_names_nothing_leaves_it(tmp_path: Path) -> None:
    (request,) = asked(go(event.context(tmp_path / "a", raw=strange(3))), "name")
    ctx = decided(event.context(tmp_path / "b", raw=strange(3)), request, NOTHING)
    assert "Oxmere" in shown(ctx)
    assert card(ctx).names_open == 0


@pytest.mark.parametrize(
    ("count", "context", "asked_about"),
    [
        (1, "and | Oxmere stayed", True),
        (1, "the Oxmere (|) stayed", True),
        (1, "the | said that Oxmere stayed", False),
        (3, "the Oxmere stayed", True),
        (1, "and Mr Oxmere stayed", True),
        (1, "that President Oxmere stayed", True),
        (1, "by Prince Oxmere, it", True),
        (1, "a Mister Oxmere stayed", False),
    ],
)
def test_beside_a_known_name_once_is_enough(count: int, context: str, asked_about: bool) -> None:
    assert telling(Unexplained("Oxmere", "capitals", count, (context,))) is asked_about


def test_a_name_is_asked_about_once_with_and_without_its_title() -> None:
    found = [
        Unexplained("Mr Chen", "capitals", 1, ("then Mr Chen left",)),
        Unexplained("Chen", "capitals", 1, ("and Chen said",)),
        Unexplained("General Quarry", "capitals", 1, ("at General Quarry now",)),
        Unexplained("Oxmere", "capitals", 1, ("the Oxmere stayed",)),
        Unexplained("@chen", "handle", 5, ("by @chen",)),
    ]
    assert [(each.words, each.count) for each in questions(found)] == [
        ("Chen", 2),
        ("General Quarry", 1),
    ]


@pytest.mark.parametrize(
    ("choice", "state"), [("", "not reviewed"), (MAY_STAND, "reviewed"), (MUST_CHANGE, "refused")]
)
def test_figures_that_could_be_looked_up_have_a_review_state(
    tmp_path: Path, choice: str, state: str
) -> None:
    ctx = go(event.context(tmp_path / "a"))
    (request,) = asked(ctx, "figures")
    assert "31-9" in request.detail
    assert card(ctx).rare_numbers_state == "not reviewed"
    if choice:
        ctx = decided(event.context(tmp_path / "b"), request, choice)
    assert card(ctx).rare_numbers_state == state


@pytest.mark.parametrize(
    ("choice", "state"), [("", "not reviewed"), (MAY_STAND, "reviewed"), (MUST_CHANGE, "refused")]
)
def test_rare_words_have_a_review_state_and_block_nothing(
    tmp_path: Path, choice: str, state: str
) -> None:
    ctx = go(event.context(tmp_path / "a", raw=derailed()))
    (request,) = asked(ctx, "words")
    assert "derailment 1" in request.detail
    assert request.kind in ADVISORY
    english, chinese = words(ctx)
    assert (english.words, english.mentions, english.state) == (1, 1, "not reviewed")
    # The other edition does not exist yet.
    assert (chinese.words, chinese.state) == ("not evaluated", "not evaluated")
    assert audit(ctx).rare_words == ("derailment (1)",)
    if choice:
        ctx = decided(event.context(tmp_path / "b", raw=derailed()), request, choice)
    assert words(ctx)[0].state == state
    assert "derailment" in shown(ctx)


def test_other_rare_words_are_another_question(tmp_path: Path) -> None:
    (first,) = asked(go(event.context(tmp_path / "a", raw=derailed())), "words")
    (again,) = asked(go(event.context(tmp_path / "b", raw=derailed())), "words")
    (other,) = asked(go(event.context(tmp_path / "c", raw=derailed("pangolin"))), "words")
    assert first.review_id == again.review_id != other.review_id


@pytest.mark.parametrize(
    ("count", "end"),
    [(SHOWN, f"{SHOWN - 1}"), (SHOWN + 3, f"{SHOWN - 1} / and 3 more in the private audit")],
)
def test_a_long_list_is_cut_and_says_how_many_more_there_are(
    tmp_path: Path, count: int, end: str
) -> None:
    ctx = event.context(tmp_path)
    put_figures(ctx, [RareNumber("n1", "figure", f"figure {n}", n, 3) for n in range(count)])
    (request,) = asked(ctx, "figures")
    assert request.detail.endswith(f"figure {end}")
    put_words(ctx, [RareWord("a", n, 16) for n in range(count)])
    (request,) = asked(ctx, "words")
    assert request.detail.endswith(f"a {end}")


def test_a_timeline_without_rare_words_asks_nothing(tmp_path: Path) -> None:
    ctx = go(event.context(tmp_path))
    assert asked(ctx, "words") == []
    assert (words(ctx)[0].words, words(ctx)[0].state) == (0, "reviewed")


def test_of_a_fictional_event_nothing_is_asked(tmp_path: Path) -> None:
    ctx = event.context(tmp_path, raw=strange(3))
    ctx = go(replace(ctx, event=ctx.event.model_copy(update={"fictional": True})))
    assert asked(ctx, "name") == asked(ctx, "figures") == []
    assert card(ctx).names_open == card(ctx).rare_numbers_state == "not evaluated"


def test_of_a_fictional_event_rare_words_are_counted_and_not_asked(tmp_path: Path) -> None:
    ctx = event.context(tmp_path, raw=derailed())
    ctx = go(replace(ctx, event=ctx.event.model_copy(update={"fictional": True})))
    assert asked(ctx, "words") == []
    assert (words(ctx)[0].words, words(ctx)[0].state) == (1, "not evaluated")
