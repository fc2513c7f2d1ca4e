"""Invented arcs for tests of the bank: a timeline, points, claims and resolutions with known dates."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from factory.audit.promises import check_bank
from factory.bank.mirror import mirror
from factory.compose import bank_report, compose
from factory.sections import ComposeSettings
from factory.segments import from_tokens, to_tokens
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Bank,
    BankReport,
    Claim,
    Finding,
    Occurrence,
    Order,
    Pair,
    PointSet,
    PredictionPoint,
    Resolution,
    ResolverPass,
    Span,
)

DAY0 = date(2031, 3, 3)
VERBS = [
    ("approves", "批准"), ("rejects", "否决"), ("publishes", "公布"), ("suspends", "暂停"),
    ("reviews", "复审"), ("extends", "延长"), ("funds", "资助"), ("inspects", "检查"),
    ("withdraws", "撤回"), ("revises", "修订"), ("defends", "辩护"), ("audits", "审计"),
]  # fmt: skip
THINGS = [
    ("the relocation plan", "搬迁方案"), ("the noise report", "噪声报告"),
    ("the ferry timetable", "渡轮时刻表"), ("the compensation fund", "补偿基金"),
    ("the harbour permit", "港口许可"), ("the school closure", "学校停课安排"),
    ("the water survey", "水质调查"), ("the market licence", "集市执照"),
    ("the bridge tender", "桥梁招标"), ("the archive contract", "档案合同"),
    ("the volunteer roster", "志愿者名册"), ("the rent ceiling", "租金上限"),
]  # fmt: skip
TAILS = [
    ("", ""), (" after a public hearing", "并先行举行听证会"),
    (" after a public hearing and a written expert opinion", "并先行举行听证会且附专家书面意见"),
]  # fmt: skip


def new_id(prefix: str, *parts: object) -> str:
    """An opaque id as the context of a stage makes them."""
    text = "\x1f".join(str(part) for part in parts)
    return prefix + hashlib.sha256(("salt" + text).encode()).hexdigest()[:10]


def label_letters(n: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[n] if n < 26 else letters[n // 26 - 1] + letters[n % 26]


def wording(n: int, tail: int = 0, *, variant: int = -1) -> dict[str, str]:
    """Token texts of the n-th occasion; a tail adds detail, a variant changes the verb."""
    verb = VERBS[(n + variant + 1) % len(VERBS)] if variant >= 0 else VERBS[n % len(VERBS)]
    thing = THINGS[(n // len(VERBS) + n) % len(THINGS)]
    who = f"⟦GOV:{label_letters(n % 600)}⟧"
    return {
        "en": f"{who} {verb[0]} {thing[0]}{TAILS[tail][0]}",
        "zh": f"{who}{verb[1]}{thing[1]}{TAILS[tail][1]}",
    }


def segments(texts: dict[str, str]) -> dict[str, Any]:
    return {lang: from_tokens(text) for lang, text in texts.items()}


ROLL = AnonStatement(
    statement_id="s-roll",
    text=segments(
        {
            "en": ", ".join(f"⟦GOV:{label_letters(n)}⟧" for n in range(600)) + " are on the roll.",
            "zh": "、".join(f"⟦GOV:{label_letters(n)}⟧" for n in range(600)) + "均在名单上。",
        }
    ),
)
"""The first node names everybody, so that no claim is about somebody a reader never met."""


@dataclass
class Arc:
    timeline: AnonTimeline
    points: list[PredictionPoint]
    claims: list[Claim]
    resolutions: list[Resolution]

    @property
    def point_set(self) -> PointSet:
        return PointSet(points=tuple(self.points))


def occurrence(node: AnonNode, statement: AnonStatement) -> Occurrence:
    return Occurrence(
        happened_on=statement.happened_on or node.date,
        node_id=node.node_id,
        statement_id=statement.statement_id,
        quote=to_tokens(statement.text["en"]),
    )


def resolved(claim_id: str, occurrences: tuple[Occurrence, ...]) -> Resolution:
    state: Any = "occurs" if occurrences else "never"
    basis: Any = "stated" if occurrences else "absent"
    passes = tuple(
        ResolverPass(sample=s, state=state, basis=basis, occurrences=occurrences) for s in (0, 1)
    )
    return Resolution(
        claim_id=claim_id, state=state, basis=basis, occurrences=occurrences, passes=passes
    )


def make_claim(**fields: Any) -> Claim:
    return Claim(
        **(
            {"kind": "outcome", "occasion": "the decision", "dimension": "event", "difficulty": "medium"}
            | fields
        )
    )  # fmt: skip


def make_points(nodes: tuple[AnonNode, ...], cutoffs: list[date]) -> list[PredictionPoint]:
    return [
        PredictionPoint(
            point_id=new_id("x", cutoff),
            cutoff=cutoff,
            context=tuple(n.node_id for n in nodes if n.date < cutoff),
            truth=tuple(n.node_id for n in nodes if n.date >= cutoff),
        )
        for cutoff in cutoffs
    ]


def make_arc(
    days: list[int],
    cutoffs: list[int],
    *,
    outcomes: int = 4,
    details: int = 2,
    variants: int = 2,
    tail_days: int = 0,
    first_claims_from: int = 0,
    seed: int = 1,
) -> Arc:
    """Nodes at the given day offsets, `outcomes` families a node from the first cutoff on."""
    rng = random.Random(seed)
    nodes: list[AnonNode] = []
    claims: list[Claim] = []
    resolutions: list[Resolution] = []
    n = 0
    for offset in days:
        day = DAY0 + timedelta(days=offset)
        node_id = new_id("n", offset)
        statements = []
        families = outcomes if offset >= max(first_claims_from, min(cutoffs)) else 1
        for _ in range(families):
            statements.append(
                AnonStatement(
                    statement_id=new_id("s", n),
                    text=segments(wording(n, min(details, 2))),
                    happened_on=day if rng.random() < 0.5 else None,
                )
            )
            n += 1
        roll = () if nodes else (ROLL,)
        node = AnonNode(node_id=node_id, date=day, fact=(*roll, *statements))
        nodes.append(node)
        if offset < min(cutoffs):
            continue
        start = n - families
        for k, statement in enumerate(statements):
            number = start + k
            family = new_id("f", number)
            happening = (occurrence(node, statement),)
            for level in range(1, 2 + min(details, 2)):
                claim_id = new_id("c", number, level)
                claims.append(
                    make_claim(
                        claim_id=claim_id,
                        family_id=family,
                        kind="outcome" if level == 1 else "detail",
                        level=level,
                        node_id=node_id,
                        text=segments(wording(number, level - 1)),
                    )
                )
                resolutions.append(resolved(claim_id, happening))
            for v in range(variants):
                claim_id = new_id("c", number, "v", v)
                claims.append(
                    make_claim(
                        claim_id=claim_id,
                        family_id=family,
                        kind="variant",
                        node_id=node_id,
                        text=segments(wording(number, 0, variant=v)),
                    )
                )
                resolutions.append(resolved(claim_id, ()))
    last = DAY0 + timedelta(days=days[-1] + tail_days)
    timeline = AnonTimeline(
        public_id="e-test",
        lang="en",
        span=Span(observed_from=nodes[0].date, observed_until=last),
        nodes=tuple(nodes),
    )
    points = make_points(timeline.nodes, [DAY0 + timedelta(days=c) for c in cutoffs])
    return Arc(timeline, points, claims, resolutions)


def fabricate(orders: tuple[Order, ...], *, seed: int = 1) -> tuple[list[Claim], list[Resolution]]:
    """A made-up claim for each order; all resolve to never."""
    made = []
    taken: set[tuple[int, int]] = set()
    for order in sorted(orders, key=lambda o: o.order_id):
        number = 300 + int(hashlib.sha256(f"{seed}{order.mirrors}".encode()).hexdigest(), 16) % 300
        while (number, order.level) in taken:  # no two say the same
            number = 300 + (number - 299) % 300
        taken.add((number, order.level))
        made.append(
            make_claim(
                claim_id=new_id("c", "made", order.order_id),
                family_id=new_id("f", "made", order.order_id),
                kind="fabrication",
                level=order.level,
                mirrors=order.mirrors,
                text=segments(wording(number, order.level - 1)),
            )
        )
    return made, [resolved(claim.claim_id, ()) for claim in made]


def demo_arc(**kwargs: Any) -> Arc:
    """8 nodes over 23 weeks, 3 cutoffs."""
    return make_arc([0, 21, 40, 66, 90, 112, 137, 161], [45, 68, 88], **kwargs)


def arc16(**kwargs: Any) -> Arc:
    """16 nodes over 30 weeks, 5 cutoffs."""
    return make_arc([i * 14 for i in range(16)], [45, 70, 95, 120, 145], **kwargs)


@dataclass
class Built:
    """A composed bank with all that its promises are checked against."""

    arc: Arc
    bank: Bank
    claims: list[Claim]
    resolutions: list[Resolution]
    pairs: tuple[Pair, ...]
    report: BankReport

    def check(self, **changes: Any) -> list[Finding]:
        parts: dict[str, Any] = {
            "bank": self.bank,
            "claims": self.claims,
            "resolutions": self.resolutions,
            "pairs": self.pairs,
            "timeline": self.arc.timeline,
        } | changes
        return check_bank(**parts)

    def rules(self, **changes: Any) -> set[str]:
        return {finding.rule for finding in self.check(**changes)}


def build(arc: Arc, *, seed: int = 7, settings: ComposeSettings | None = None) -> Built:
    """Order, fabricate, pair and compose an arc."""
    settings = settings or ComposeSettings()
    common: dict[str, Any] = {
        "dropped": set(),
        "settings": settings,
        "span": arc.timeline.span,
        "seed": seed,
        "new_id": new_id,
    }
    ordered = mirror(arc.points, arc.claims, arc.resolutions, **common)
    made, made_resolutions = fabricate(ordered.orders)
    plan = mirror(
        arc.points,
        arc.claims,
        arc.resolutions,
        fabrications=made,
        fabrication_resolutions=made_resolutions,
        **common,
    )
    claims = arc.claims + made
    resolutions = arc.resolutions + made_resolutions
    composed = compose(arc.points, claims, resolutions, plan.pairs, **common)
    report = bank_report(composed.bank, settings, plan.report, composed.dropped, plan.pairs)
    return Built(arc, composed.bank, claims, resolutions, plan.pairs, report)
