"""What is broken in a published bank, collected rule by rule: how often, in which edition, where, and the figures behind."""

from __future__ import annotations

from collections import Counter, defaultdict

from factory.audit.rules import MAX_EXAMPLES, RULES
from schemas import Finding, Lang


class Broken:
    """Collects hits of rules; the same place is shown once, however often it is hit."""

    def __init__(self) -> None:
        self._editions: dict[str, Counter[Lang]] = defaultdict(Counter)
        self._places: dict[str, dict[str, dict[str, None]]] = defaultdict(dict)
        self._notes: dict[str, list[str]] = defaultdict(list)

    def add(self, rule: str, edition: Lang, event: str, place: str) -> None:
        """One hit; `event` spreads the examples over the events of a bank."""
        self._editions[rule][edition] += 1
        self._places[rule].setdefault(event, {})[_printable(place)] = None

    def note(self, rule: str, sentence: str) -> None:
        """A figure behind the count; shown only where the rule is broken."""
        self._notes[rule].append(sentence)

    def findings(self) -> tuple[Finding, ...]:
        """Broken rules in the order of the registry. KeyError for a rule that the registry does not know."""
        unknown = set(self._editions) - set(RULES)
        if unknown:
            raise KeyError(f"rules not in the registry: {sorted(unknown)}")
        return tuple(
            Finding(
                rule=name,
                count=self._editions[name].total(),
                editions={
                    lang: count for lang, count in sorted(self._editions[name].items()) if count
                },
                examples=tuple(self._examples(name)),
                why=rule.why,
                fix=rule.fix if rule.published else _ELSEWHERE,
                note="; ".join(self._notes[name]),
            )
            for name, rule in RULES.items()
            if name in self._editions
        )

    def _examples(self, rule: str) -> list[str]:
        """Up to five places, one of each event in turn."""
        waiting = [list(places) for _, places in sorted(self._places[rule].items())]
        found: list[str] = []
        while len(found) < MAX_EXAMPLES and any(waiting):
            for places in waiting:
                if places and len(found) < MAX_EXAMPLES:
                    found.append(places.pop(0))
        return found


def _printable(place: str) -> str:
    """A place on one line: labels of strangers may hold control characters or halves of characters."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in place
    )


_ELSEWHERE = "mend the place where the bank is made, in both editions, and publish it again"
