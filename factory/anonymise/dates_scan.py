"""Where the date rules look: one pass for trigger words, then each rule only around its own.

A rule names words of which every match of it holds at least one. An Aho-Corasick automaton finds all of them in
one pass, and the rule's expression is tried around each; on prose that speaks of a date every few sentences this
costs a small part of running some fifty expressions over the whole text. The rarer the words of a rule, the less it
costs: where a common word counts only beside another ("month" after "last"), the two together are the trigger.
What is tried reaches farther than any match, so the mentions are those of the full search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import ahocorasick_rs

from factory.anonymise.intervals import Frame, Mention

Reader = Callable[[re.Match[str], Frame], Mention | None]

REACH = (48, 100)
"""Characters looked at before and after a trigger word, if a rule does not know better. No match begins or ends,
looking ahead included, farther from the word that it holds."""


def pairs(before: Iterable[str], after: Iterable[str]) -> tuple[str, ...]:
    """Trigger words of two parts: each of the first followed by each of the second."""
    rest = tuple(after)
    return tuple(first + second for first in before for second in rest)


@dataclass(frozen=True)
class Rule:
    """One form of a date mention."""

    pattern: re.Pattern[str]
    read: Reader
    words: tuple[str, ...]
    """Every match holds one of these, in this case of letters."""
    exact: bool = False
    """It reads written-out days, which the units of the same text must agree with."""
    reach: tuple[int, int] = REACH
    """Characters before and after a trigger word that hold every match with it, looking ahead included."""
    lead: int = 0
    """Characters of a trigger word that may stand before the match, which only looks back at them."""


class Scanner:
    """The rules of both languages over one automaton of their trigger words."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        owners: dict[str, list[int]] = {}
        for at, rule in enumerate(self.rules):
            for word in dict.fromkeys(rule.words):
                owners.setdefault(word, []).append(at)
        words = sorted(owners)
        self._owners = [tuple(owners[word]) for word in words]
        # As a table of its own a state costs one look-up a byte; the words are few enough for that.
        self._automaton = ahocorasick_rs.AhoCorasick(
            words, implementation=ahocorasick_rs.Implementation.DFA
        )

    def matches(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Every match of every rule, grouped by rule and in the order of the text."""
        spans: list[list[tuple[int, int, int]]] = [[] for _ in self.rules]
        owners = self._owners
        for span in self._automaton.find_matches_as_indexes(text, overlapping=True):
            for at in owners[span[0]]:
                spans[at].append(span)
        for rule, met in zip(self.rules, spans, strict=True):
            if met:
                yield from _around(rule, text, met)


def _around(
    rule: Rule, text: str, met: list[tuple[int, int, int]]
) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Matches of a rule, leftmost first, none overlapping; `met` are trigger words in order of their ends.

    A match that begins behind a trigger word does not hold it and may be cut off by the window: it is left to the
    word that it holds.
    """
    back, ahead = rule.reach
    lead = rule.lead
    search, match = rule.pattern.search, rule.pattern.match
    free = 0
    for _, start, end in met:
        first = start + lead
        if first < free:
            continue
        low = max(start - back, free)
        look = match if low == first else search
        found = look(text, low, end + ahead)
        if found is not None and found.start() <= first:
            free = found.end()
            yield rule, found
