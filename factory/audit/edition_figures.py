"""Figures of the anonymisation card that need both editions: the second one exists only when a bundle is built.

The stage anonymise sees the edition of the timeline's own language. Differences between the editions are those of the
gate `parity`; name-like strings and rare words of the second edition are counted by the scanner's own lists, which
share nothing with what replaced the names. Nobody is asked about them here, so a list that is not empty is not reviewed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factory.audit.leak_editions import OURS
from factory.audit.leak_lists import NAME_LIKE, listed, rare_by_edition
from factory.audit.rules import RULES
from schemas import AnonymisationCard, Finding, Gate, Lang
from schemas.anoncard import ReviewState, WordFigures


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
            edition = _contexts(files, row.lang)
            if edition:
                lists = listed(edition, OURS)
                row = row.model_copy(
                    update={"unexplained": sum(len(lists[name]) for name in NAME_LIKE)}
                )
        names.append(row)
    return card.model_copy(
        update={
            "parity": differences if known else card.parity,
            "names": tuple(names),
            "rare_words": _rare_words(card, files),
        }
    )


def _contexts(files: Mapping[str, bytes], lang: Lang) -> dict[str, bytes]:
    return {
        path: data
        for path, data in files.items()
        if (place := OURS.contexts.fullmatch(path)) and place["lang"] == lang
    }


def _rare_words(card: AnonymisationCard, files: Mapping[str, bytes]) -> tuple[WordFigures, ...]:
    """Rows of the card, the edition that nobody has counted yet counted from its contexts."""
    # Only the edition that a person could be asked about has a state before; a fictional event has none in either.
    asks = any(row.state != "not evaluated" for row in card.rare_words)
    rows = []
    for row in card.rare_words:
        found = (
            rare_by_edition(_contexts(files, row.lang), OURS)
            if row.words == "not evaluated"
            else {}
        )
        words = found.get(("", row.lang))
        if words is not None:
            state: ReviewState = (
                ("not reviewed" if words else "reviewed") if asks else "not evaluated"
            )
            row = WordFigures(
                lang=row.lang,
                words=len(words),
                mentions=sum(one.count for one in words),
                state=state,
            )
        rows.append(row)
    return tuple(rows)
