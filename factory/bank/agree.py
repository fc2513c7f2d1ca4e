"""What two readings of a claim agree on, and what a family of claims must agree on among itself.

Pure functions. Annulled is a third state: such a claim is never asked, in no window and on no side.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from schemas import Claim, Resolution, ResolverPass


def settle(
    claim: Claim, passes: Sequence[ResolverPass], searched: tuple[str, ...] = ()
) -> Resolution:
    """One resolution from two passes: they must agree on the state and on the set of days.

    `never` is `contradicted` only when both passes show a sentence against it. A claim that can come true
    once keeps all its days; the composer asks nothing after the first. The reason of an annulment is
    `short reason: detail`.
    """
    first, second = passes
    days = [{o.happened_on for o in row.occurrences} for row in passes]

    def annulled(reason: str) -> Resolution:
        return Resolution(
            claim_id=claim.claim_id,
            state="annulled",
            basis=first.basis,
            passes=tuple(passes),
            reason=reason,
            searched=searched,
        )

    for number, row in enumerate(passes, 1):
        if row.state == "unclear":
            short, _, detail = row.note.partition(": ")
            return annulled(f"{short}: pass {number}, {detail}" if detail else short)
    if first.state != second.state:
        return annulled(f"the passes disagree: {first.state} and {second.state}")
    if days[0] != days[1]:
        return annulled(f"the passes disagree on the days: {_days(days[0])} and {_days(days[1])}")
    if first.state == "never":
        basis = first.basis if first.basis == second.basis else "absent"
        return Resolution(
            claim_id=claim.claim_id,
            state="never",
            basis=basis,
            passes=tuple(passes),
            searched=searched,
        )
    # Both passes' quotes are evidence; the first one's words stand where both cite one sentence.
    found = {(o.happened_on, o.statement_id): o for row in (second, first) for o in row.occurrences}
    return Resolution(
        claim_id=claim.claim_id,
        state="occurs",
        basis="stated",
        occurrences=tuple(found[key] for key in sorted(found)),
        passes=tuple(passes),
        searched=searched,
    )


def consistent_family(family: Sequence[Claim], settled: Sequence[Resolution]) -> list[Resolution]:
    """The family's resolutions, with those annulled that break what the family promises.

    Outcome and variants exclude each other: a variant that comes true beside another of them on an occasion
    that comes once, or on the same day of a recurring one, is annulled, because the wording failed. A more
    detailed level says more than the levels below it: it may come true only on days on which they do.
    """
    rows = {row.claim_id: row for row in settled}

    def days(claim: Claim) -> set[date]:
        return {o.happened_on for o in rows[claim.claim_id].occurrences}

    def annul(claim: Claim, reason: str) -> None:
        row = rows[claim.claim_id]
        rows[claim.claim_id] = row.model_copy(
            update={"state": "annulled", "occurrences": (), "reason": reason}
        )

    ends = [c for c in family if c.kind in ("outcome", "variant") and days(c)]
    clashing = [
        one
        for one in ends
        if one.kind == "variant"
        and any(
            other is not one and (one.cadence == "once" or days(one) & days(other))
            for other in ends
        )
    ]
    for claim in clashing:
        annul(claim, "does not exclude another end of its occasion")
    ladder = sorted(
        (c for c in family if c.kind in ("outcome", "detail")), key=lambda c: (c.level, c.claim_id)
    )
    for number, claim in enumerate(ladder):
        below = [
            c
            for c in ladder[:number]
            if c.level < claim.level and rows[c.claim_id].state != "annulled"
        ]
        if any(not days(claim) <= days(lower) for lower in below):
            annul(claim, "comes true on days on which a more general level does not")
    return [rows[claim.claim_id] for claim in family]


def _days(days: set[date]) -> str:
    return ", ".join(day.isoformat() for day in sorted(days)) or "none"
