"""Where the date rules look: one pass for trigger words, then each rule only around its own.

A rule names words of which every match of it holds at least one. An Aho-Corasick automaton finds all of them in
one pass, and the rule's expression runs on a window around each hit; on prose that speaks of a date every few
sentences this costs a small part of running some fifty expressions over the whole text. The windows are wider
than any match, so the mentions are those of the full search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import ahocorasick_rs

from factory.anonymise.intervals import Frame, Mention

Reader = Callable[[re.Match[str], Frame], Mention | None]

REACH = (48, 100)
"""Characters of a window before and after a trigger word, if a rule does not know better. No match begins or ends,
looking ahead included, farther from the word that it holds."""


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


class Scanner:
    """The rules of both languages over one automaton of their trigger words."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        words = sorted({word for rule in self.rules for word in rule.words})
        self._owners = [
            tuple(at for at, rule in enumerate(self.rules) if word in rule.words) for word in words
        ]
        self._automaton = ahocorasick_rs.AhoCorasick(words)

    def matches(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Every match of every rule, grouped by rule and in the order of the text."""
        windows: list[list[int]] = [[] for _ in self.rules]
        owners = self._owners
        for word, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            for at in owners[word]:
                windows[at] += (start, end)
        for rule, bounds in zip(self.rules, windows, strict=True):
            for low, high in _merged(bounds, *rule.reach):
                for found in rule.pattern.finditer(text, low, high):
                    yield rule, found


def _merged(bounds: list[int], back: int, ahead: int) -> Iterator[tuple[int, int]]:
    """Windows around (start, end) pairs in order of their ends, joined where they touch."""
    low = high = -1
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        if high >= 0 and start - back <= high:
            high = end + ahead
            continue
        if high >= 0:
            yield low, high
        low, high = max(start - back, 0), end + ahead
    if high >= 0:
        yield low, high
