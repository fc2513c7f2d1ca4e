"""Names in stems of a published bank: those that the context of their own point never introduces."""

from __future__ import annotations

from collections.abc import Iterator

from factory.audit.foreign_bank import PublishedBank
from factory.audit.foreign_hits import Broken
from factory.audit.foreign_texts import internal_ids
from factory.audit.leak_placeholders import placeholders


def check_names(bank: PublishedBank, broken: Broken) -> None:
    """Placeholders of questions against the context of their point, in the same edition."""
    for place, rows in sorted(bank.questions_at.items()):
        told = bank.contexts.get(place, "")
        for row in rows:
            unknown = [name for name in _unknown(row.text, told) if not internal_ids(row.text)]
            if unknown:
                broken.add(
                    "published-unknown-name",
                    row.edition,
                    row.event,
                    f"{row.where}: {', '.join(dict.fromkeys(unknown))}",
                )


def _unknown(text: str, told: str) -> Iterator[str]:
    for _, _, start, end in placeholders(text, ours=False):
        name = text[start:end]
        if name in told:
            continue
        # A sentence may open with its verb in capitals: Will Company A, whose name is Company A.
        _, space, rest = name.partition(" ")
        if not (space and " " in rest and rest in told):
            yield rest if space and " " in rest else name
