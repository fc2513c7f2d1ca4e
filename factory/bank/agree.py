"""What the chunks of one reading say together, what two readings agree on, and what a family must agree on.

Pure functions. Annulled is a third state: such a claim is never asked, in no window and on no side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType

from schemas import Claim, Resolution, ResolverPass


def join(
    claim: Claim,
    sample: int,
    parts: Sequence[ResolverPass],
    published: Mapping[str, date] = MappingProxyType({}),
) -> ResolverPass:
    """One pass from its chunks; `published` are the days of nodes by id.

    A chunk that is not known or not clear leaves the whole pass unclear, because a day could be missing;
    only a claim that can come true once, and did in another chunk, needs no more.
    """
    occurs = [part for part in parts if part.state == "occurs"]
    doubts = [part for part in parts if part.state == "unclear"]
    unknown = [part for part in doubts if part.note.startswith("not known")]
    if unknown or (doubts and not (occurs and claim.cadence == "once")):
        return (unknown or doubts)[0]
    if occurs:
        found = {(o.happened_on, o.statement_id): o for part in occurs for o in part.occurrences}
        return ResolverPass(
            sample=sample,
            state="occurs",
            basis="stated",
            occurrences=tuple(found[key] for key in sorted(found)),
            note=occurs[0].note,
        )
    # A context shows the earliest contradiction first; chunks of the second pass come from the end.
    against = [(day, part) for part in parts if (day := refuted_on([part], published)) is not None]
    if against:
        return min(against, key=lambda row: row[0])[1]
    contradicted = [part for part in parts if part.basis == "contradicted"]
    return (contradicted or list(parts))[0]


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


def refuted_on(passes: Iterable[ResolverPass], published: Mapping[str, date]) -> date | None:
    """First day of a node whose sentence contradicts the claim in any pass; none when no pass saw one.

    One pass is enough: where a context may decide a claim, the claim is no forecast any more. `published` are the
    days of nodes by id; a node that it lacks counts by the day on which its sentence happened.
    """
    return min(
        (published.get(p.against.node_id, p.against.happened_on) for p in passes if p.against),
        default=None,
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
