"""What a record says against what other records say of the same thing, where no other promise compares them.

Kinds against levels and nodes, relations of twins against their claims, bases against passes, shares against
counted posts, the values of figures against their words. None of them moves a label alone; each would let a
reader trust a breakdown that is not true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from factory.audit.case import Case
from factory.audit.rules import Hit
from factory.bank.clause import statements
from factory.segments import numbers, split_numbers
from schemas import AnonNode, Claim, Number, Occurrence, Pair, Resolution, SegmentText

SHARE = 1.5e-4
"""Shares have four decimals and the last one may be moved so that they sum to 1."""


def consistency(case: Case) -> Iterator[Hit]:
    """Everything below, over a whole bank."""
    nodes = {node.node_id for node in case.timeline.nodes}
    for claim in case.claims:
        yield from _kind(claim, case, nodes)
        yield from _values(list(claim.text.values()), claim.claim_id)
    yield from _occasions(case)
    for pair in case.pairs:
        yield from _relation(pair, case)
    for resolution in case.resolutions:
        if resolution.state != "annulled":
            yield from _readings(resolution)
    yield from _timeline(case)


def _kind(claim: Claim, case: Case, nodes: set[str]) -> Iterator[Hit]:
    """A detail has more detail than level 1, an outcome and its other ends have not; nodes and mirrors exist."""
    fits = {
        "outcome": claim.level == 1,
        "variant": claim.level == 1,
        "detail": claim.level > 1,
        "fabrication": claim.node_id is None,
    }[claim.kind]
    if (
        not fits
        or (claim.node_id is not None and claim.node_id not in nodes)
        or (claim.kind != "fabrication" and claim.node_id is None)
        or (claim.mirrors is not None and claim.mirrors not in case.by_claim)
        or (claim.mirrors is not None) > (claim.kind == "fabrication")
    ):
        yield "claim-kind", claim.claim_id


def _occasions(case: Case) -> Iterator[Hit]:
    """Outcome and variants of a family speak of one occasion, which is what they exclude each other on."""
    families: dict[str, set[str]] = {}
    for claim in case.claims:
        families.setdefault(claim.family_id, set()).add(claim.occasion)
    for family_id, occasions in families.items():
        if len(occasions) > 1:
            yield "claim-kind", family_id


def _relation(pair: Pair, case: Case) -> Iterator[Hit]:
    """How twins are related follows from their claims."""
    true, false = case.by_claim.get(pair.true_claim), case.by_claim.get(pair.false_claim)
    if true is None or false is None:
        return  # reported as unknown-reference
    made = false.kind == "fabrication"
    same = true.family_id == false.family_id
    happens = bool(case.days(false.claim_id))
    holds = {
        "fabrication": made and not same,
        "own": same and not made and true.claim_id != false.claim_id,
        "late": not made and not same and happens,
        "never": not made and not same and not happens,
        "flip": true.claim_id == false.claim_id,
        "single": true.claim_id == false.claim_id,
    }[pair.relation]
    # A row without a twin states its one type twice.
    lone = pair.relation in ("flip", "single")
    lettered = made == (pair.false_type == "D") and pair.true_type != "D"
    if not holds or not (lone or lettered):
        yield "pair-relation", pair.pair_id
    if len(set(pair.cells)) != len(pair.cells):
        yield "pair-relation", pair.pair_id


def _readings(resolution: Resolution) -> Iterator[Hit]:
    """What the two passes found, put together, is the resolution."""
    passes = sorted(resolution.passes, key=lambda p: p.sample)
    place = resolution.claim_id
    if [p.sample for p in resolution.passes] != [0, 1]:
        yield "passes", place
        return
    for reading in passes:
        if (reading.state == "occurs") != (reading.basis == "stated"):
            yield "basis", place
        keys = Counter(map(_key, reading.occurrences))
        if any(count > 1 for count in keys.values()):
            yield "passes", place
    found = {_key(o): o for reading in reversed(passes) for o in reading.occurrences}
    if resolution.occurrences != tuple(found[key] for key in sorted(found)):
        yield "passes", place
    bases = {reading.basis for reading in passes}
    wanted = bases if len(bases) == 1 else {"absent"}
    if {resolution.basis} != wanted or (resolution.state == "occurs") != (
        resolution.basis == "stated"
    ):
        yield "basis", place


def _key(o: Occurrence) -> tuple[str, str]:
    return o.happened_on.isoformat(), o.statement_id


def _timeline(case: Case) -> Iterator[Hit]:
    """Nodes lie in the observed span and their shares are of whole posts; nothing happens after it is known."""
    seen: Counter[str] = Counter()
    span = case.timeline.span
    for node in case.timeline.nodes:
        seen[node.node_id] += 1
        if not span.observed_from <= node.date <= span.observed_until:
            yield "beyond-observed", node.node_id
        themes = node.opinion.themes if node.opinion else ()
        for statement in (*statements(node), *themes):
            seen[statement.statement_id] += 1
            if statement.happened_on is not None and statement.happened_on > node.date:
                yield "occurrence-day", statement.statement_id
            yield from _values(list(statement.text.values()), statement.statement_id)
        yield from _shares(node)
    for name, count in seen.items():
        if count > 1:
            yield "repeated-id", name


def _shares(node: AnonNode) -> Iterator[Hit]:
    opinion = node.opinion
    if opinion is None or not opinion.stances:
        return
    posts = opinion.n_items
    off = [v * posts - round(v * posts) for v in opinion.stances.values()]
    if abs(sum(opinion.stances.values()) - 1) > SHARE or any(abs(d) > posts * SHARE for d in off):
        yield "stance-shares", node.node_id


def _values(texts: list[SegmentText], place: str) -> Iterator[Hit]:
    """A figure's value is what its words say."""
    for text in texts:
        for segment in text:
            if isinstance(segment, Number) and numbers(
                tuple(split_numbers(segment.text))
            ) != Counter([segment.value]):
                yield "figure-value", place
