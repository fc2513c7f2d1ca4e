"""Figures of the anonymisation card that need both editions: the second one exists only when a bundle is built.

The stage anonymise sees the edition of the timeline's own language. Differences between the editions are those of the
gate `parity`; name-like strings of the second edition are counted by the scanner's own lists, which share nothing
with what replaced the names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factory.audit.leak_editions import OURS
from factory.audit.leak_lists import NAME_LIKE, listed
from factory.audit.rules import RULES
from schemas import AnonymisationCard, Finding, Gate


def with_editions(
    card: AnonymisationCard,
    files: Mapping[str, bytes],
    gates: Sequence[Gate],
    findings: Sequence[Finding],
) -> AnonymisationCard:
    """The card with what `files`, the bytes of the bundle, and its gates say of both editions.

    Without a `parity` gate that was evaluated its figure stays `not evaluated`.
    """
    known = any(gate.name == "parity" and gate.state != "not evaluated" for gate in gates)
    of_parity = {name for name, rule in RULES.items() if rule.gate == "parity"}
    differences = sum(row.count for row in findings if row.rule in of_parity)
    names = []
    for row in card.names:
        if row.unexplained == "not evaluated":
            edition = {
                path: data
                for path, data in files.items()
                if (place := OURS.contexts.fullmatch(path)) and place["lang"] == row.lang
            }
            if edition:
                lists = listed(edition, OURS)
                row = row.model_copy(
                    update={"unexplained": sum(len(lists[name]) for name in NAME_LIKE)}
                )
        names.append(row)
    return card.model_copy(
        update={"parity": differences if known else card.parity, "names": tuple(names)}
    )
