"""The policy for figures: keep, round or scale.

A policy changes the anonymised timeline before any claim is written, so claims, questions, answers and quotes
are made from the changed figures alone; the passages of the corpus go through the same plan. A plan is a function of
the value, never of the place: a figure is the same wherever it stands, in both editions and in every quote.

`round` cuts a figure to two significant digits, and to more where two figures of the event would change their
order or become equal: for the figures that occur, a < b stays a < b, so no comparison changes its answer.
Figures that add up, or whose ratio the sentence names, stay as they are, and so does a figure that the event also
spells in words: words are never rewritten, and one figure must not become two.

`scale` multiplies amounts of money by a secret factor. Ratios and sums of money survive that, so do percentages;
but one amount that is known, spelled in words or given in a second currency gives the factor away, and so does
the habit of writing round amounts: it is refused where that can be seen. Votes, ages, percentages and counts are
never scaled: they have natural units.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations
from typing import Literal

from factory.anonymise.numbers import (
    FIXED,
    NumberKind,
    currency,
    figures,
    segment_words,
    worded_figures,
)
from factory.errors import BadInput
from factory.segments import number_value
from schemas import AnonStatement, AnonTimeline, Number, SegmentText

NumberPolicy = Literal["keep", "round", "scale"]

DIGITS = 2
"""Significant digits that `round` leaves at least."""
MIN_FACTORS = 10
"""Factors that must explain the scaled amounts as well as the true one."""

_MONEY_IN_WORDS = re.compile(
    r"\b(?:a|an|half a|one|two|three|four|five|six|seven|eight|nine|ten|several|many|hundreds?|thousands?|millions?|"
    r"billions?|trillions?)(?: of)?[ -](?:hundred|thousand|million|billion|trillion)?[- ]?"
    r"(?:dollars?|euros?|pounds?|crowns?|yuan)\b"
    r"|[一二两三四五六七八九十百千几数][十百千万亿]*(?:美元|欧元|英镑|克朗|港元|人民币|元|块钱)"
)


@dataclass(frozen=True)
class NumberPlan:
    """What becomes of every figure of an event. The same value becomes the same value everywhere."""

    policy: NumberPolicy
    """What was asked for."""
    state: Literal["kept", "applied", "refused"]
    reason: str = ""
    """Why it was refused."""
    values: Mapping[float, float] = field(default_factory=dict)
    """Old value -> new value, for every figure that occurs; secret."""
    factor: float = 1.0
    """Secret factor of `scale`."""
    exact: Mapping[float, str] = field(default_factory=dict)
    """Figures left as they are and why."""

    def apply(self, text: SegmentText) -> SegmentText:
        """The text under the plan. A text without figures, or under `keep`, is returned as it is."""
        if self.state != "applied":
            return text
        kinds = dict(figures(text))
        return tuple(
            self._changed(segment, kinds[index]) if isinstance(segment, Number) else segment
            for index, segment in enumerate(text)
        )

    def _changed(self, number: Number, kind: NumberKind) -> Number:
        new = self.values.get(number.value)
        if new is None:
            if kind in FIXED or (self.policy == "scale" and kind != "money"):
                return number
            new = self._between(number.value)
        return rewritten(number, new)

    def _between(self, value: float) -> float:
        """A figure that the timeline does not hold: cut, and kept between the figures that it lay between."""
        new = _cut(value * self.factor, DIGITS)
        known = sorted(self.values)
        at = bisect_left(known, value)
        if at > 0:
            new = max(new, self.values[known[at - 1]])
        if at < len(known):
            new = min(new, self.values[known[at]])
        return new


def plan_numbers(
    texts: Sequence[SegmentText], policy: NumberPolicy, *, seed: int = 0
) -> NumberPlan:
    """The plan of an event from the texts of its timeline, all editions that exist.

    `seed` draws the factor of `scale` and is secret: it must not be published or follow from what is.
    """
    if policy == "keep":
        return NumberPlan(policy, "kept")
    exact = _exact(texts)
    every = {s.value for text in texts for s in text if isinstance(s, Number)}
    if policy == "round":
        return NumberPlan(policy, "applied", values=ordered_cut(every, exact), exact=exact)
    return _scaled(texts, exact, seed)


def renumbered(timeline: AnonTimeline, plan: NumberPlan) -> AnonTimeline:
    """The timeline under the plan, all editions. Raises BadInput when the plan was refused."""
    if plan.state == "refused":
        raise BadInput(
            f'the figures of this event cannot be changed by "{plan.policy}": {plan.reason}; '
            'choose "round" or "keep" for them'
        )
    if plan.state == "kept":
        return timeline

    def statement(one: AnonStatement) -> AnonStatement:
        return one.model_copy(
            update={"text": {lang: plan.apply(text) for lang, text in one.text.items()}}
        )

    nodes = []
    for node in timeline.nodes:
        opinion = node.opinion
        if opinion is not None:
            opinion = opinion.model_copy(
                update={
                    "statements": tuple(map(statement, opinion.statements)),
                    "themes": tuple(map(statement, opinion.themes)),
                }
            )
        nodes.append(
            node.model_copy(update={"fact": tuple(map(statement, node.fact)), "opinion": opinion})
        )
    return timeline.model_copy(update={"nodes": tuple(nodes)})


def _exact(texts: Iterable[SegmentText]) -> dict[float, str]:
    """Values that may not change: codes, years, durations, and figures that the sentence ties to each other."""
    exact: dict[float, str] = {}
    for text in texts:
        values = []
        for index, kind in figures(text):
            number = text[index]
            assert isinstance(number, Number)
            if kind in FIXED:
                exact[number.value] = f"a {kind}"
            else:
                values.append(number.value)
        for value in _tied(values):
            exact.setdefault(value, "tied to other figures of its sentence")
    for text in texts:
        for each, _, _ in worded_figures(text):
            exact.setdefault(float(each.value), "also spelled in words")
    return exact


def _tied(values: Sequence[float]) -> set[float]:
    """Figures of one sentence of which one is the sum, product, ratio or change of two others."""
    tied: set[float] = set()
    for a, b, c in combinations(sorted({v for v in values if v > 0}), 3):
        ratios = (b / c, b / c - 1, c / b - 1, 1 - b / c)
        # A printed ratio is rounded: 17 of 52 is 33 %.
        of_two = any(abs(ratio - a) <= max(0.0005, 0.005 * a) for ratio in ratios)
        if abs(a + b - c) <= 1e-9 * c or abs(a * b - c) <= 1e-9 * c or (a < 1 <= b and of_two):
            tied |= {a, b, c}
    return tied


def _cut(value: float, digits: int) -> float:
    """The value at so many significant digits, halves up."""
    number = Decimal(repr(value))
    if not number:
        return 0.0
    step = Decimal(1).scaleb(number.adjusted() - digits + 1)
    return float((number / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step)


def ordered_cut(
    values: Iterable[float], exact: Iterable[float] = (), *, factor: float = 1.0
) -> dict[float, float]:
    """Each value times the factor, cut to as few digits (two or more) as keep all of them apart and in order."""
    known = sorted(set(values))
    whole = set(exact)
    full = 17
    digits = [full if value in whole else DIGITS for value in known]

    def new(index: int) -> float:
        value = known[index]
        if value in whole:
            return value
        return _cut(value * factor, digits[index])

    result = [new(index) for index in range(len(known))]
    while True:
        clash = [
            index
            for index in range(len(known) - 1)
            if result[index] >= result[index + 1]
            and (digits[index] < full or digits[index + 1] < full)
        ]
        if not clash:
            break
        for index in sorted({i for pair in clash for i in (pair, pair + 1)}):
            if digits[index] < full:
                digits[index] += 1
                result[index] = new(index)
    return dict(zip(known, result, strict=True))


def rewritten(number: Number, value: float) -> Number:
    """The figure with another value in the form in which it was written: separators and magnitude stay."""
    if value == number.value:
        return number
    found = re.match(r"([\d,]+(?:\.\d+)?)(\s?\D*)$", number.text)
    assert found is not None, "a figure is digits and a magnitude"
    unit = Decimal(repr(number_value("1" + found.group(2))))
    mantissa = Decimal(repr(value)) / unit
    words = f"{mantissa.normalize():,f}" if "," in found.group(1) else f"{mantissa.normalize():f}"
    text = words + found.group(2)
    return Number(text=text, value=number_value(text))


def _scaled(texts: Sequence[SegmentText], exact: Mapping[float, str], seed: int) -> NumberPlan:
    def refused(reason: str) -> NumberPlan:
        return NumberPlan("scale", "refused", reason)

    money: set[float] = set()
    others: set[float] = set()
    currencies: set[str] = set()
    for text in texts:
        plain = "".join("\x1f" if isinstance(s, Number) else segment_words(s) for s in text)
        spelled = _MONEY_IN_WORDS.search(plain)
        amounts = [words for _, kind, words in worded_figures(text) if kind == "money"]
        if spelled is not None or amounts:
            words = spelled.group() if spelled is not None else amounts[0]
            return refused(f"an amount is spelled in words ({words!r}) and would keep its size")
        for index, kind in figures(text):
            number = text[index]
            assert isinstance(number, Number)
            (money if kind == "money" else others).add(number.value)
            if kind == "money":
                currencies.add(currency(text, index))
    if not money:
        return refused("the timeline names no amount of money")
    if len(currencies) > 1:
        return refused(
            f"amounts stand in {len(currencies)} currencies, and their rate gives the factor or the day away"
        )
    shared = money & others
    if shared:
        return refused(f"{min(shared):g} is an amount in one place and something else in another")
    tied = money & exact.keys()
    if tied:
        return refused(
            f"{min(tied):g} is {exact[min(tied)]}, which scaling and rounding would break"
        )
    rng = random.Random(seed)
    factor = round(rng.choice((rng.uniform(0.5, 0.8), rng.uniform(1.25, 2.0))), 3)
    values = ordered_cut(money, factor=factor)
    rivals = factors_that_fit(list(values.values()), factor)
    if rivals < MIN_FACTORS:
        return refused(
            f"amounts are mostly round: only {rivals} factors explain the scaled ones as well as the true one"
        )
    return NumberPlan(
        "scale", "applied", values=values, factor=factor,
        exact=dict.fromkeys(others, "no amount of money"),
    )  # fmt: skip


def factors_that_fit(scaled: Sequence[float], factor: float) -> int:
    """The attack on `scale`: factors from 0.5 to 2 under which as many amounts were round as under the true one.

    People write round amounts. A round amount has one significant digit, or two of which the second is a 5; a
    scaled amount is known only to half its last digit.
    """

    def round_ones(guess: float) -> int:
        return sum(_may_be_round(value, guess) for value in scaled)

    grid = {round(0.5 + i / 100, 2) for i in range(151)} | {factor}
    truth = round_ones(factor)
    return sum(round_ones(guess) >= truth for guess in grid)


def _may_be_round(value: float, factor: float) -> bool:
    if value <= 0:
        return False
    half = Decimal(1).scaleb(Decimal(repr(value)).normalize().adjusted() - DIGITS + 1) / 2
    low, high = (value - float(half)) / factor, (value + float(half)) / factor
    power = Decimal(repr(high)).adjusted()
    rounds = [
        float(Decimal(tenths).scaleb(p - 1))
        for p in (power - 1, power)
        for tenths in range(10, 100, 5)
    ]
    return any(low <= each <= high for each in rounds)
