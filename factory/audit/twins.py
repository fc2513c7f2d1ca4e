"""The invariants of the mirror: twins share every cell, answers balance, a family has one role.

They make structure useless by proof instead of by statistics, so each is exact: one broken cell is a finding.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from factory.audit.case import Case
from factory.audit.giveaway import flip_share, lone_rows
from factory.audit.rules import Hit
from factory.bank.phrasing import QUESTIONS
from factory.bank.phrasing import question_text as phrase
from schemas import Lang, Question

FLIP_LIMIT = 0.04
"""Most weight on rows that flip: a reader of rung positions then scores 52."""


def twins(case: Case) -> Iterator[Hit]:
    """Every cell of a pair is asked on both sides with opposite answers and like texts."""
    rows: dict[tuple[str, str, int, int], list[Question]] = defaultdict(list)
    for q in case.bank.questions:
        rows[q.pair_id, q.point_id, q.prompt, q.window_days].append(q)
    wanted = {(p.pair_id, c.point_id, c.prompt, int(c.window)) for p in case.pairs for c in p.cells}
    for cell in sorted(wanted - rows.keys()):
        yield "twin-missing", " ".join(map(str, cell))
    for cell, group in rows.items():
        place = " ".join(sorted(q.question_id for q in group))
        pair = case.by_pair.get(cell[0])
        if pair is not None and pair.relation == "flip":
            if cell not in wanted or [q.claim_id for q in group] != [pair.true_claim]:
                yield "twin-missing", place
            continue
        sides = Counter(q.claim_id for q in group)
        if (
            cell not in wanted
            or pair is None
            or sides != Counter([pair.true_claim, pair.false_claim])
        ):
            yield "twin-missing", place
            continue
        for q in group:
            true_side = q.claim_id == pair.true_claim
            if q.answer != int(true_side):
                yield "twin-labels", q.question_id
            if q.type != (pair.true_type if true_side else pair.false_type):
                yield "twin-type", q.question_id
        if _variants(case, group[0]) != _variants(case, group[1]) or (
            group[0].window_start,
            group[0].window_end,
        ) != (group[1].window_start, group[1].window_end):
            yield "twin-text", place


def _variants(case: Case, q: Question) -> dict[Lang, int]:
    """Which phrasing a question uses in each edition; -1 when none fits."""
    claim = case.by_claim.get(q.claim_id)
    found: dict[Lang, int] = {}
    for lang, text in q.text.items():
        known = (
            [
                phrase(claim.text[lang], q.window_start, q.window_end, lang, k)
                for k in range(len(QUESTIONS))
            ]
            if claim is not None and lang in claim.text
            else []
        )
        found[lang] = known.index(text) if text in known else -1
    return found


def flips(case: Case) -> Iterator[Hit]:
    """Rows without a twin flip from false to true at each of their points, and carry little weight."""
    lone = lone_rows(case.pairs)
    rungs: dict[tuple[str, str, int], list[Question]] = defaultdict(list)
    for q in case.bank.questions:
        if q.pair_id in lone:
            rungs[q.pair_id, q.point_id, q.prompt].append(q)
    for group in rungs.values():
        answers = [q.answer for q in sorted(group, key=lambda q: q.window_days)]
        if answers != [0, 1]:
            yield "flips", " ".join(sorted(q.question_id for q in group))
    share = flip_share(case.bank, case.pairs)
    if share > FLIP_LIMIT:
        yield "flips", f"{share:.4f} of the weight"


def balance(case: Case) -> Iterator[Hit]:
    """Answers balance in every cell outside flips; a family has one role and one bundle a prompt."""
    lone = lone_rows(case.pairs)
    tally: Counter[tuple[str, int, int]] = Counter()
    bundles: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    kinds: dict[str, set[str]] = defaultdict(set)
    for q in case.bank.questions:
        if q.pair_id not in lone:
            tally[q.point_id, q.prompt, q.window_days] += 1 if q.answer else -1
        bundles[q.point_id, q.prompt, q.family_id].add(q.claim_id)
        kinds[q.claim_id].add(q.type)
    for cell, surplus in tally.items():
        if surplus:
            yield "balance", " ".join(map(str, cell))
    for claim_id, types in kinds.items():
        if {"A", "C"} <= types:
            yield "twin-type", claim_id
    own = {frozenset((p.true_claim, p.false_claim)) for p in case.pairs if p.relation == "own"}
    for key, claim_ids in bundles.items():
        if len(claim_ids) > 1 and frozenset(claim_ids) not in own:
            yield "one-bundle", " ".join(map(str, key))
    yield from _roles(case)


def _roles(case: Case) -> Iterator[Hit]:
    roles: dict[str, set[str]] = defaultdict(set)
    for pair in case.pairs:
        if pair.relation in ("flip", "single"):
            if pair.true_claim in case.by_claim:
                roles[case.by_claim[pair.true_claim].family_id].add(pair.relation)
            continue
        true, false = case.by_claim.get(pair.true_claim), case.by_claim.get(pair.false_claim)
        if true is None or false is None:
            continue  # reported as unknown-reference
        if pair.relation == "own":
            if true.family_id != false.family_id:
                yield "one-role", pair.pair_id
            roles[true.family_id].add("own")
        else:
            roles[true.family_id].add(f"true against {false.family_id}")
            roles[false.family_id].add(f"false against {true.family_id}")
    for family_id, found in roles.items():
        if len(found) > 1:
            yield "one-role", family_id
