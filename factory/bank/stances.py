"""Claims about shares of counted posts: their words, the days on which they hold, and which ones an arc offers.

A node's opinion holds the shares of stances among the posts that were classified for its day. A test on such a
share is true or false by arithmetic, so code writes these claims from fixed templates and code resolves them; no
model judges how a mood is to be called. The claims ask about moves of at least `STEP` points between two counted
days: level 1 is the first mark that the move passes and that was not usual before, the levels above it lie further
on, and the variants are bands of the same share that exclude it and each other on any one day. At most one family
asks about each stance and direction, since two marks of one share would answer each other.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Literal, get_args

from factory.segments import from_tokens, to_tokens
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Claim,
    Lang,
    Occurrence,
    Resolution,
    ResolverPass,
    SegmentText,
    Stance,
    StanceTest,
)

ASKED: tuple[Stance, ...] = tuple(s for s in get_args(Stance) if s != "neutral")
"""Stances that are asked about: what is neutral depends most on how posts were gathered."""
MARKS = range(10, 95, 5)
"""Per cent that a claim may name: at the ends of the scale a single post decides."""
STEP = 20
"""Points of change between two counted days that make a claim; with ten posts a day one post is ten points."""
USUAL = 0.5
"""Share of the earlier counted days from which a mark counts as usual."""
HARD = 30
"""Points of change from which a claim counts as hard: most readers would not expect such a move."""
BAND = 20
"""Width of a variant's band in points."""

Direction = Literal["rise", "fall"]

_VERBS: dict[Lang, dict[Stance, str]] = {
    "en": {
        "support": "support",
        "oppose": "oppose",
        "question": "question",
        "neutral": "take no side on",
    },
    "zh": {"support": "支持", "oppose": "反对", "question": "质疑", "neutral": "不表态地谈到"},
}
_BOUNDS: dict[Lang, tuple[str, str, str]] = {
    "en": ("at least {low}%", "fewer than {high}%", "at least {low}% but fewer than {high}%"),
    "zh": ("至少{low}%", "不到{high}%", "至少{low}%但不到{high}%"),
}
_CLAUSE: dict[Lang, str] = {
    "en": "{bounds} of the posts about the event on a day with at least {posts} such posts {verb} {target}",
    "zh": "单日关于该事件的帖子不少于{posts}条，其中{bounds}{verb}{target}",
}
_OCCASION: dict[Lang, str] = {
    "en": "the share of the posts of a day that {verb} {target}",
    "zh": "一天的帖子中{verb}{target}的比例",
}


def share(node: AnonNode, stance: Stance, posts: int) -> float | None:
    """Per cent of a node's counted posts with a stance; None when fewer than `posts` were counted."""
    opinion = node.opinion
    if opinion is None or not opinion.stances or opinion.n_items < posts:
        return None
    return round(100 * opinion.stances.get(stance, 0.0), 6)


def holds(test: StanceTest, node: AnonNode) -> bool:
    """Whether a node's share lies within the bounds of a test."""
    value = share(node, test.stance, test.posts)
    return (
        value is not None
        and (test.at_least is None or value >= test.at_least)
        and (test.below is None or value < test.below)
    )


def is_clear(test: StanceTest, node: AnonNode) -> bool:
    """Whether no single post, counted for another stance, would change whether a test holds on a node's day."""
    value = share(node, test.stance, test.posts)
    if value is None or node.opinion is None:
        return True
    post = 100 / node.opinion.n_items
    return all(abs(value - m) >= post for m in (test.at_least, test.below) if m is not None)


def nearly_holds(test: StanceTest, node: AnonNode) -> bool:
    """Whether a share lies within the bounds of a test or one post beyond them."""
    value = share(node, test.stance, test.posts)
    if value is None or node.opinion is None:
        return False
    post = 100 / node.opinion.n_items
    return (test.at_least is None or value > test.at_least - post) and (
        test.below is None or value < test.below + post
    )


def counted(nodes: Iterable[AnonNode], posts: int) -> list[AnonNode]:
    """Nodes with enough classified posts and a sentence of their own day that can be quoted; none for 0 posts."""
    return [
        node
        for node in nodes
        if posts and share(node, "support", posts) is not None and _sentence(node) is not None
    ]


def words(test: StanceTest, target: SegmentText, lang: Lang) -> str:
    """Token text of a test towards a target, in the claim form."""
    first, second, both = _BOUNDS[lang]
    bounds = first if test.below is None else second if test.at_least is None else both
    return _CLAUSE[lang].format(
        bounds=bounds.format(low=test.at_least, high=test.below),
        posts=test.posts,
        verb=_VERBS[lang][test.stance],
        target=_noun(target, lang),
    )


def occasion(stance: Stance, target: SegmentText, lang: Lang) -> str:
    """Token text of what a family of tests is about, neutral about the figure."""
    return _OCCASION[lang].format(verb=_VERBS[lang][stance], target=_noun(target, lang))


def _noun(target: SegmentText, lang: Lang) -> str:
    """The target inside a sentence: an English article loses its capital."""
    text = to_tokens(target).strip().rstrip("。.")
    for article in ("The ", "A ", "An "):
        if lang == "en" and text.startswith(article):
            return article.lower() + text[len(article) :]
    return text


def account(test: StanceTest, nodes: Iterable[AnonNode]) -> list[str]:
    """One line for each day with counted posts: its share, how many posts, and whether the test holds there."""
    lines = []
    for node in nodes:
        value = share(node, test.stance, test.posts)
        if value is not None and node.opinion is not None:
            met = "meets" if holds(test, node) else "misses"
            lines.append(
                f"{node.date}: {value:g}% of {node.opinion.n_items} posts {test.stance}, {met} the test"
            )
    return lines


# -- resolution --------------------------------------------------------------------------------


def _sentence(node: AnonNode) -> AnonStatement | None:
    """The first opinion sentence about the node's own day."""
    if node.opinion is None:
        return None
    return next(
        (s for s in node.opinion.statements if s.happened_on in (None, node.date)),
        None,
    )


def resolve_by_count(claim: Claim, timeline: AnonTimeline) -> Resolution:
    """Every day on which a claim's test holds, quoted by the day's first sentence on opinion.

    The quote shows the day's opinion; the label rests on the shares of the node, which `check` counts again.
    Both passes are the same arithmetic. A day that holds without a sentence of its own cannot be shown and annuls
    the claim. Raises ValueError for a claim without a test.
    """
    if claim.stance is None:
        raise ValueError(f"claim {claim.claim_id} has no stance test")
    found = []
    for node in timeline.nodes:
        if not holds(claim.stance, node):
            continue
        sentence = _sentence(node)
        if sentence is None:
            return Resolution(
                claim_id=claim.claim_id,
                state="annulled",
                basis="stated",
                reason=f"no sentence to quote: {node.node_id} says nothing of its own day",
            )
        found.append(
            Occurrence(
                happened_on=node.date,
                node_id=node.node_id,
                statement_id=sentence.statement_id,
                quote=to_tokens(sentence.text[timeline.lang]),
            )
        )
    days = len(counted(timeline.nodes, claim.stance.posts))
    note = f"counted by code: {len(found)} of {days} days with {claim.stance.posts} or more posts"
    occurs = bool(found)
    return Resolution(
        claim_id=claim.claim_id,
        state="occurs" if occurs else "never",
        basis="stated" if occurs else "contradicted" if days else "absent",
        occurrences=tuple(found),
        passes=tuple(
            ResolverPass(
                sample=sample,
                state="occurs" if occurs else "never",
                basis="stated" if occurs else "contradicted" if days else "absent",
                occurrences=tuple(found),
                note=note,
            )
            for sample in (0, 1)
        ),
    )


# -- which claims an arc offers ----------------------------------------------------------------


@dataclass(frozen=True)
class Move:
    """A change of one share between two counted days, with the tests that it offers."""

    node: AnonNode
    """The later day."""
    stance: Stance
    direction: Direction
    change: float
    """Points, without sign."""
    ladder: tuple[StanceTest, ...]
    """Level 1 first; each is implied by the next."""
    variants: tuple[StanceTest, ...]
    """Exclude the ladder and each other on any one day, and hold on no counted day, nor would with one post more."""


def moves(
    nodes: Sequence[AnonNode], first: date, posts: int, levels: int, variants: int
) -> list[Move]:
    """The largest move of each stance and direction at or after `first`, in the order of the arc.

    A node gives at most one. No two ladders share a mark, so that no two claims name the same figure.
    """
    row = counted(nodes, posts)
    found: list[tuple[float, date, Stance, AnonNode, float, float]] = []
    for before, node in pairwise(row):
        if node.date < first:
            continue
        for stance in ASKED:
            old, new = share(before, stance, posts), share(node, stance, posts)
            if old is not None and new is not None and abs(new - old) >= STEP:
                found.append((-abs(new - old), node.date, stance, node, old, new))
    found.sort(key=lambda item: (item[0], item[1], ASKED.index(item[2])))
    taken: set[tuple[Stance, Direction]] = set()
    marks: set[int] = set()
    days: set[date] = set()
    result = []
    for _, day, stance, node, old, new in found:
        direction: Direction = "rise" if new > old else "fall"
        if (stance, direction) in taken or day in days:
            continue
        earlier = [n for n in row if n.date < day]
        ladder = _ladder(stance, direction, old, new, earlier, row, posts, levels, marks)
        if not ladder:
            continue
        taken.add((stance, direction))
        days.add(day)
        marks |= {_mark(test) for test in ladder}
        ends = [test for test in _bands(ladder[0]) if not any(nearly_holds(test, n) for n in row)]
        result.append(Move(node, stance, direction, abs(new - old), ladder, tuple(ends[:variants])))
    return sorted(result, key=lambda move: move.node.date)


def _mark(test: StanceTest) -> int:
    return test.at_least or test.below or 0


def _test(stance: Stance, direction: Direction, mark: int, posts: int) -> StanceTest:
    if direction == "rise":
        return StanceTest(stance=stance, at_least=mark, posts=posts)
    return StanceTest(stance=stance, below=mark, posts=posts)


def _ladder(
    stance: Stance,
    direction: Direction,
    old: float,
    new: float,
    earlier: Sequence[AnonNode],
    row: Sequence[AnonNode],
    posts: int,
    levels: int,
    marks: set[int],
) -> tuple[StanceTest, ...]:
    """Marks that the move passes, spread over it: the nearest to where it began first.

    A mark that more than `USUAL` of the earlier counted days met is left out: back to the usual is no outcome. So
    is one that a single post decides on any counted day, met or just missed: how one joke is read would be the label.
    """
    passed = [
        mark
        for mark in MARKS
        if mark not in marks
        and (old < mark <= new if direction == "rise" else new < mark <= old)
        and sum(holds(_test(stance, direction, mark, posts), n) for n in earlier)
        <= USUAL * len(earlier)
        and all(is_clear(_test(stance, direction, mark, posts), n) for n in row)
    ]
    if direction == "fall":
        passed.reverse()
    if len(passed) > levels:
        last = len(passed) - 1
        passed = [passed[round(i * last / (levels - 1))] if levels > 1 else passed[0] for i in range(levels)]  # fmt: skip
    return tuple(_test(stance, direction, mark, posts) for mark in passed)


def _bands(general: StanceTest) -> Iterator[StanceTest]:
    """Bands of the same share on the other side of a ladder's first mark, nearest first, the last one open.

    What is left at the end of the scale is no band when it is narrower than half of one.
    """
    if general.at_least is not None:
        high = general.at_least
        while high >= BAND / 2:
            low = high - BAND
            bounds = {"at_least": low if low > 0 else None, "below": high}
            yield general.model_copy(update=bounds)
            high = low
    elif general.below is not None:
        low = general.below
        while low <= 100 - BAND / 2:
            high = low + BAND
            bounds = {"at_least": low, "below": high if high < 100 else None}
            yield general.model_copy(update=bounds)
            low = high


def unreached(
    mirrored: StanceTest,
    nodes: Sequence[AnonNode],
    taken: Iterable[StanceTest],
    rng: random.Random,
    others: Collection[StanceTest] = (),
) -> StanceTest | None:
    """A test of the mirrored form that holds on no counted day, nor would with one post more: the nearest such mark.

    `taken` are the tests of the bank: neither their stance and direction nor their figures are used again. `others`
    are further tests that must not be made a second time, such as those of variants. None when no share is left.
    """
    direction: Direction = "rise" if mirrored.at_least is not None else "fall"
    used = list(taken)
    sides = {(t.stance, d) for t in used for d in _directions(t)}
    figures = {figure for t in used for figure in (t.at_least, t.below) if figure is not None}
    row = counted(nodes, mirrored.posts)
    stances = [s for s in ASKED if (s, direction) not in sides and s != mirrored.stance]
    rng.shuffle(stances)
    order = list(MARKS) if direction == "rise" else list(reversed(MARKS))
    for stance in stances:
        for mark in order:
            test = _test(stance, direction, mark, mirrored.posts)
            if mark in figures or test in others:
                continue
            if not any(nearly_holds(test, node) for node in row):
                return test
    return None


def _directions(test: StanceTest) -> Iterator[Direction]:
    if test.at_least is not None:
        yield "rise"
    if test.below is not None:
        yield "fall"


def stance_text(test: StanceTest, target: SegmentText, lang: Lang) -> SegmentText:
    """A test as a claim's segments."""
    return from_tokens(words(test, target, lang))
