"""Every promise of a bank, recomputed from stored evidence: labels, windows, ladders, twins, editions.

Pure functions over records. Each yields (rule id, place); `check_bank` runs all and returns findings. Labels are
recomputed here from the resolutions alone, by code of its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations, pairwise

from factory.audit.case import Case
from factory.audit.consistency import consistency
from factory.audit.counted import counted_posts
from factory.audit.refuted import refutations
from factory.audit.rules import Hit, collect
from factory.audit.twins import balance, flips, twins
from factory.bank.parity import figures
from factory.bank.phrasing import BOTH_INCLUDED, EVENTS, QUESTIONS, dates_in, event_text, normal
from factory.bank.phrasing import question_text as phrase
from factory.segments import date_refs, entity_refs, to_tokens
from schemas import (
    LANGS,
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Bank,
    Claim,
    Finding,
    Lang,
    Occurrence,
    Pair,
    Question,
    Resolution,
    SegmentText,
    TemporalEvent,
    Wording,
)

HORIZON = 90


def check_bank(
    bank: Bank,
    claims: Sequence[Claim],
    resolutions: Sequence[Resolution],
    pairs: Sequence[Pair],
    timeline: AnonTimeline,
) -> list[Finding]:
    """Findings of all rules; empty when every promise holds."""
    case = Case(bank, claims, resolutions, pairs, timeline)
    return collect(hit for check in CHECKS for hit in check(case))


# -- labels ------------------------------------------------------------------------------------------


def labels(case: Case) -> Iterator[Hit]:
    """Answers and their evidence follow from the occurrences."""
    for q in case.bank.questions:
        resolution = case.resolved.get(q.claim_id)
        if resolution is None or resolution.state == "annulled":
            yield "unresolved", q.question_id
            continue
        inside = [
            o for o in resolution.occurrences if q.window_start <= o.happened_on <= q.window_end
        ]
        later = [o for o in resolution.occurrences if o.happened_on > q.window_end]
        if q.answer != bool(inside):
            yield "label", q.question_id
        if list(q.evidence) != (inside or later):
            yield "label-evidence", q.question_id


def evidence(case: Case) -> Iterator[Hit]:
    """Occurrences of asked claims stand in the timeline as they say, and both passes found them."""
    nodes = {n.node_id: n for n in case.timeline.nodes}
    for resolution in case.resolutions:
        if resolution.claim_id not in case.asked or resolution.state == "annulled":
            continue
        for o in resolution.occurrences:
            yield from _occurrence(o, nodes, case.timeline.lang, resolution.claim_id)
        days = {o.happened_on for o in resolution.occurrences}
        if {p.sample for p in resolution.passes} != {0, 1} or any(
            p.state != resolution.state or {o.happened_on for o in p.occurrences} != days
            for p in resolution.passes
        ):
            yield "passes", resolution.claim_id


def statements_of(node: AnonNode) -> dict[str, AnonStatement]:
    """Facts, opinion sentences and themes of a node by id."""
    opinion = (*node.opinion.statements, *node.opinion.themes) if node.opinion else ()
    return {s.statement_id: s for s in (*node.fact, *opinion)}


def _occurrence(
    o: Occurrence, nodes: dict[str, AnonNode], lang: Lang, claim_id: str
) -> Iterator[Hit]:
    node = nodes.get(o.node_id)
    statement = statements_of(node).get(o.statement_id) if node else None
    if node is None or statement is None:
        yield "occurrence-place", claim_id
        return
    if lang not in statement.text or o.quote not in to_tokens(statement.text[lang]):
        yield "quote", claim_id
    if o.happened_on != (statement.happened_on or node.date) or o.happened_on > node.date:
        yield "occurrence-day", claim_id


# -- structure ---------------------------------------------------------------------------------------


def references(case: Case) -> Iterator[Hit]:
    """Ids exist, are unique and rows are sorted by them; questions repeat their claim's fields."""
    ids = {
        "point": [p.point_id for p in case.bank.points],
        "question": [q.question_id for q in case.bank.questions],
        "event": [e.event_id for e in case.bank.events],
        "claim": [c.claim_id for c in case.claims],
        "resolution": [r.claim_id for r in case.resolutions],
        "pair": [p.pair_id for p in case.pairs],
    }
    for values in ids.values():
        for value, count in Counter(values).items():
            if count > 1:
                yield "repeated-id", value
    for kind in ("question", "event"):
        if ids[kind] != sorted(ids[kind]):
            yield "order", f"{kind}s"
    rows: list[Question | TemporalEvent] = [*case.bank.questions, *case.bank.events]
    for row in rows:
        name = row.question_id if isinstance(row, Question) else row.event_id
        claim = case.by_claim.get(row.claim_id)
        if claim is None or row.point_id not in case.by_point:
            yield "unknown-reference", name
            continue
        met = case.met_before(row.point_id)
        if any(ref not in met for text in claim.text.values() for ref in entity_refs(text)):
            yield "unknown-name", name
        if claim.known_from is not None and case.by_point[row.point_id].cutoff < claim.known_from:
            yield "future-premise", name
        if row.family_id != claim.family_id or (
            isinstance(row, Question)
            and (row.level, row.dimension, row.difficulty)
            != (claim.level, claim.dimension, claim.difficulty)
        ):
            yield "claim-fields", name
    for pair in case.pairs:
        if not {pair.true_claim, pair.false_claim} <= case.by_claim.keys():
            yield "unknown-reference", pair.pair_id


def windows(case: Case) -> Iterator[Hit]:
    """Window fields, texts and the observed span agree; nothing is asked after it happened."""
    for q in case.bank.questions:
        point = case.by_point.get(q.point_id)
        if point is not None and q.window_start != point.cutoff:
            yield "window-start", q.question_id
        if q.window_end > case.timeline.span.observed_until:
            yield "beyond-observed", q.question_id
        for lang, text in q.text.items():
            shown = dates_in(text, lang)
            if shown != [q.window_start, q.window_end] or BOTH_INCLUDED[lang] not in text:
                yield "window-text", f"{q.question_id} {lang}"
            if point is not None and any(day < point.cutoff for day in shown):
                yield "stem-date", f"{q.question_id} {lang}"
        claim = case.by_claim.get(q.claim_id)
        if (
            claim is not None
            and claim.cadence == "once"
            and any(day < q.window_start for day in case.days(q.claim_id))
        ):
            yield "after-occurrence", q.question_id


def monotone(case: Case) -> Iterator[Hit]:
    """Longer windows and more general claims are never less true."""
    by_claim: dict[tuple[str, str], list[Question]] = defaultdict(list)
    ladders: dict[tuple[str, str, int], list[Question]] = defaultdict(list)
    for q in case.bank.questions:
        by_claim[q.point_id, q.claim_id].append(q)
        claim = case.by_claim.get(q.claim_id)
        if claim is not None and claim.kind in ("outcome", "detail"):
            ladders[q.point_id, claim.family_id, q.window_days].append(q)
    for group in by_claim.values():
        group.sort(key=lambda q: (q.window_days, q.question_id))
        for short, long in pairwise(group):
            if short.answer > long.answer:
                yield "window-monotone", f"{short.question_id} {long.question_id}"
    for group in ladders.values():
        group.sort(key=lambda q: (case.by_claim[q.claim_id].level, q.question_id))
        for general, detailed in combinations(group, 2):
            levels = [case.by_claim[q.claim_id].level for q in (general, detailed)]
            if levels[0] < levels[1] and detailed.answer > general.answer:
                yield "ladder-monotone", f"{general.question_id} {detailed.question_id}"


def families(case: Case) -> Iterator[Hit]:
    """Resolutions within a family do not contradict each other."""
    occasions: dict[str, list[Claim]] = defaultdict(list)
    for claim in case.claims:
        if claim.kind in ("outcome", "variant") and claim.level == 1 and claim.cadence == "once":
            occasions[claim.family_id].append(claim)
    for family_id, members in occasions.items():
        happening = [c for c in members if case.days(c.claim_id)]
        if len(happening) > 1 and any(c.kind == "variant" for c in happening):
            yield "variants-exclusive", family_id


def repeats(case: Case) -> Iterator[Hit]:
    """Same words over the same window at a point: asked once, with one answer."""
    for lang in LANGS:
        groups: dict[tuple[str, date, str], list[Question]] = defaultdict(list)
        for q in case.bank.questions:
            if q.claim_id in case.by_claim and lang in case.by_claim[q.claim_id].text:
                words = normal(to_tokens(case.by_claim[q.claim_id].text[lang]))
                groups[q.point_id, q.window_end, words].append(q)
        for group in groups.values():
            if len(group) > 1:
                place = f"{' '.join(sorted(q.question_id for q in group))} {lang}"
                answers = {q.answer for q in group}
                yield ("duplicate" if len(answers) == 1 else "contradiction"), place


def points(case: Case) -> Iterator[Hit]:
    """Each context is the exact run of nodes before the cutoff; day 0 counts as future."""
    for point in case.bank.points:
        before = tuple(n.node_id for n in case.timeline.nodes if n.date < point.cutoff)
        after = tuple(n.node_id for n in case.timeline.nodes if n.date >= point.cutoff)
        if point.context != before or point.truth != after:
            yield "context-split", point.point_id


def texts(case: Case) -> Iterator[Hit]:
    """Texts are rendered from their claims and hold no id and no token."""
    ids = {c.claim_id for c in case.claims} | {c.family_id for c in case.claims}
    ids |= {p.pair_id for p in case.pairs} | {p.point_id for p in case.bank.points}
    ids |= {n.node_id for n in case.timeline.nodes}
    ids |= {q.question_id for q in case.bank.questions} | {e.event_id for e in case.bank.events}
    for q in case.bank.questions:
        claim = case.by_claim.get(q.claim_id)
        for lang, text in q.text.items():
            yield from _internal(text, ids, f"{q.question_id} {lang}")
            if claim is None or lang not in claim.text:
                continue
            known = [
                phrase(claim.text[lang], q.window_start, q.window_end, lang, k)
                for k in range(len(QUESTIONS))
            ]
            if text not in known:
                yield "text-of-claim", f"{q.question_id} {lang}"
    for e in case.bank.events:
        claim = case.by_claim.get(e.claim_id)
        for lang, text in e.text.items():
            yield from _internal(text, ids, f"{e.event_id} {lang}")
            if dates_in(text, lang):
                yield "event-date-in-text", f"{e.event_id} {lang}"
            if claim is not None and lang in claim.text and text not in [
                event_text(claim.text[lang], lang, k) for k in range(len(EVENTS))
            ]:  # fmt: skip
                yield "text-of-claim", f"{e.event_id} {lang}"
    for claim in case.claims:
        if claim.claim_id in case.asked and any(date_refs(t) for t in claim.text.values()):
            yield "claim-date", claim.claim_id


_WORD = re.compile(r"[A-Za-z0-9_-]+")


def _internal(text: str, ids: set[str], place: str) -> Iterator[Hit]:
    if "⟦" in text or "⟧" in text or any(word in ids for word in _WORD.findall(text)):
        yield "internal-id", place


def events(case: Case) -> Iterator[Hit]:
    """Dated events ask outcomes, once a point, with their first observed day from the cutoff on."""
    families_at: dict[str, set[str]] = defaultdict(set)
    ladders = {pair.pair_id for pair in case.pairs if pair.relation == "single"}
    for q in case.bank.questions:
        if q.pair_id not in ladders:  # preset `paper` asks both axes about a family, as published
            families_at[q.point_id].add(q.family_id)
    seen: set[tuple[str, str]] = set()
    for e in case.bank.events:
        point, claim = case.by_point.get(e.point_id), case.by_claim.get(e.claim_id)
        if point is None or claim is None:
            continue  # reported as unknown-reference
        days = case.days(e.claim_id)
        later = [day for day in days if day >= point.cutoff]
        if not later or e.date != later[0]:
            yield "event-day", e.event_id
        resolved = case.resolved.get(e.claim_id)
        shown = [o for o in resolved.occurrences if o.happened_on == e.date] if resolved else []
        if list(e.evidence) != shown:
            yield "label-evidence", e.event_id
        if not 0 <= (e.date - point.cutoff).days <= HORIZON:
            yield "event-range", e.event_id
        if e.date > case.timeline.span.observed_until:
            yield "beyond-observed", e.event_id
        if claim.cadence == "once" and days and days[0] < point.cutoff:
            yield "after-occurrence", e.event_id
        if claim.kind != "outcome" or claim.level != 1 or (e.point_id, e.claim_id) in seen:
            yield "event-claim", e.event_id
        seen.add((e.point_id, e.claim_id))
        if e.family_id in families_at[e.point_id]:
            yield "axes-share-claim", e.event_id


# -- parity ------------------------------------------------------------------------------------------


def parity(case: Case) -> Iterator[Hit]:
    """Both editions exist and hold the same references, figures and dates."""
    for claim in case.claims:
        if claim.claim_id in case.asked:
            yield from _same(claim.text, claim.claim_id)
    for node in case.timeline.nodes:
        for statement_id, statement in statements_of(node).items():
            yield from _same(statement.text, statement_id)
    shown = [(q.question_id, q.text) for q in case.bank.questions]
    shown += [(e.event_id, e.text) for e in case.bank.events]
    for name, text in shown:
        if set(text) != set(LANGS):
            yield "edition-missing", name


def _same(text: Wording, place: str) -> Iterator[Hit]:
    if set(text) != set(LANGS):
        yield "edition-missing", place
        return
    measures: tuple[tuple[str, Callable[[SegmentText], object]], ...] = (
        ("edition-refs", entity_refs),
        ("edition-numbers", figures),
        ("edition-dates", date_refs),
    )
    for rule, measure in measures:
        if measure(text["en"]) != measure(text["zh"]):
            yield rule, place


CHECKS: tuple[Callable[[Case], Iterable[Hit]], ...] = (
    labels,
    evidence,
    counted_posts,
    refutations,
    consistency,
    references,
    windows,
    monotone,
    families,
    repeats,
    points,
    texts,
    events,
    parity,
    twins,
    flips,
    balance,
)
