"""How many questions the composer draws from an arc, what structure gives away, and what a question costs.

    python -m benchmarks.composer

(a) Simulated arcs on the published dates (the project page under FACTORY_TESTDATA) against the counts that a
simulation of the mirror reached: at least 95 % of each, type shares within 5 points. (b) 168 nodes over 500 days.
(c) CPU a question from 16 to 168 nodes. (d) What readers of structure score: exactly 50 with one prompt a point.
(e) The preset `paper` on the same arc. (f) Model calls and output tokens a question beside the published scheme's.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import TypeVar

from benchmarks.composer_arcs import Arc, even_dates, fabricated, new_id, published_dates, simulated
from factory.audit import structure
from factory.bank.drafts import BankPlan
from factory.bank.mirror import mirror
from factory.bank.paper import paper
from factory.compose import bank_report, compose
from factory.estimate import Sizes, estimate
from factory.sections import ClaimsSettings, ComposeSettings
from factory.settings import Settings
from schemas import Bank, BankReport

SEED = 7
ROUNDS = 3
EVENTS = ("event1_library", "event4_us_iran", "event3_tiktok", "event5_smci", "event2_trump_tariff")
SIMULATED = {
    (4, 1): (1890, 2646, 3530, 2540, 4328),
    (6, 1): (2840, 4102, 5244, 3622, 6512),
    (4, 2): (3304, 3864, 5826, 4052, 6986),
    (6, 2): (5008, 5684, 8848, 6260, 10434),
}
"""(outcomes a node, prompts a point) -> questions of each event that the simulation of the mirror reached."""
LEAST = 0.95
SHARES = 0.05
MANY = 8000
LINEAR = 2.0

CALL_QUESTIONS = 50
"""Questions that one call of the published scheme is asked for."""
QUESTION_TOKENS = 110
"""Output tokens of a published question: about 40 characters of Chinese and a dozen JSON fields."""
EVENT_TOKENS = 90
"""Output tokens of a published dated event, the same way."""

T = TypeVar("T")


def plan_of(arc: Arc, settings: ComposeSettings, *, lost: float = 0.0) -> BankPlan:
    """Orders, fabrications and pairs of an arc, as the stages compose them."""
    composer = paper if settings.preset == "paper" else mirror
    ordered = composer(
        arc.points, arc.claims, arc.resolutions, dropped=set(), settings=settings, span=arc.span,
        seed=SEED, new_id=new_id,
    )  # fmt: skip
    made, found = fabricated(ordered.orders, lost=lost)
    return composer(
        arc.points, arc.claims, arc.resolutions, dropped=set(), settings=settings, span=arc.span,
        seed=SEED, new_id=new_id, fabrications=made, fabrication_resolutions=found,
    )  # fmt: skip


def bank_of(arc: Arc, settings: ComposeSettings) -> tuple[Bank, BankReport]:
    """The whole bank of an arc with its report."""
    plan = plan_of(arc, settings)
    composer = paper if settings.preset == "paper" else mirror
    orders = composer(
        arc.points, arc.claims, arc.resolutions, dropped=set(), settings=settings, span=arc.span,
        seed=SEED, new_id=new_id,
    ).orders  # fmt: skip
    made, found = fabricated(orders)
    composed = compose(
        arc.points, arc.claims + made, arc.resolutions + found, plan.pairs, span=arc.span,
        dropped=set(), settings=settings, seed=SEED, new_id=new_id,
    )  # fmt: skip
    report = bank_report(composed.bank, settings, plan.report, composed.dropped, plan.pairs)
    return composed.bank, report


def off(report: BankReport) -> float:
    """The largest deviation of a type share from its target."""
    return max(abs(q.got - q.wanted) for q in report.quotas if q.name.startswith("type"))


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of the fastest round, and its result."""
    best, result = float("inf"), None
    for _ in range(ROUNDS):
        before = time.process_time()
        result = work()
        best = min(best, time.process_time() - before)
    assert result is not None
    return best, result


def counts(folder: Path) -> bool:
    """Print (a); whether every count and share holds."""
    held = True
    print("published dates, observed 90 days beyond the last node (beside it: up to the last node)")
    for (outcomes, prompts), wanted in SIMULATED.items():
        settings = ComposeSettings(prompts=prompts)
        for event, target in zip(EVENTS, wanted, strict=True):
            dates = published_dates(folder / event)
            arc = simulated(*dates, outcomes)
            report = plan_of(arc, settings).report
            short = plan_of(simulated(*dates, outcomes, after=0), settings).report
            windows = [q.got for q in report.quotas if q.name.startswith("window")]
            good = report.questions >= LEAST * target and off(report) <= SHARES
            held &= good
            print(
                f"  {outcomes} outcomes, {prompts} prompt(s), {event:<20} {arc.nodes:>3} nodes "
                f"{len(arc.points)} points: {report.questions:>6} of {target:>6} simulated "
                f"({report.questions / target:.2f}), types within {off(report):.3f}, windows "
                f"{'/'.join(f'{100 * w:.0f}' for w in windows)} %, reserved "
                f"{report.dropped.get('kept for the temporal exam', 0)}, least at a point "
                f"{min(report.points.values())}; {short.questions} (types within {off(short):.3f})"
                + ("" if good else "  MISSED")
            )
            for line in (*report.quotas, *short.quotas):
                if line.note:
                    where = "" if line in report.quotas else "up to the last node, "
                    print(f"      {where}{line.name}: {line.note}")
    return held


def density() -> bool:
    """Print (b); whether the bank is large enough."""
    arc = simulated(*even_dates(168, 500, 25), 6)
    report = plan_of(arc, ComposeSettings(prompts=2)).report
    print(
        f"168 nodes over 500 days, 25 points, 6 outcomes, 2 prompts: {report.questions} questions "
        f"(target >= {MANY}), types within {off(report):.3f}"
    )
    return report.questions >= MANY


def growth() -> bool:
    """Print (c); whether CPU a question stays within a factor of two."""
    costs = []
    for nodes, points in ((16, 5), (32, 8), (64, 12), (112, 18), (168, 25)):
        arc = simulated(*even_dates(nodes, 3 * nodes, points), 4)
        seconds, plan = timed(lambda arc=arc: plan_of(arc, ComposeSettings()))  # type: ignore[misc]
        costs.append(1e6 * seconds / plan.report.questions)
        print(
            f"  {nodes:>3} nodes {points:>2} points {len(arc.claims):>5} claims: {plan.report.questions:>5} "
            f"questions, {seconds:.3f} s CPU, {costs[-1]:.0f} µs a question"
        )
    ratio = costs[-1] / costs[0]
    print(f"CPU a question, 168 nodes over 16 nodes: {ratio:.2f} (target <= {LINEAR:g})")
    return ratio <= LINEAR


def attacks(arc: Arc) -> bool:
    """Print (d) and (e); whether one prompt a point gives exactly 50 to everyone."""
    held = True
    for settings in (
        *(ComposeSettings(prompts=prompts) for prompts in (1, 2)),
        ComposeSettings(flips=0.04),
        ComposeSettings(preset="paper"),
    ):
        bank, report = bank_of(arc, settings)
        scores = report.structure or _readers(bank)
        best = max(scores, key=lambda name: (round(scores[name], 9), name))
        told = len(structure.unequal_twins(bank))
        name = f"preset {settings.preset}, {settings.prompts} prompt(s), flips {settings.flips:g}"
        print(
            f"  {name}: {report.questions} questions, {report.events} dated events, types within "
            f"{off(report):.3f}; best of {len(scores)} readers of structure {scores[best]:.3f} ({best}), "
            f"lowest {min(scores.values()):.3f}, {told} cells told apart"
        )
        for note in report.notes:
            print(f"      {note}")
        if settings.preset == "mirror" and settings.prompts == 1 and not settings.flips:
            held &= all(abs(value - 50) < 1e-6 for value in scores.values())
    return held


def _readers(bank: Bank) -> dict[str, float]:
    """Scores of every rule and fitted model, as probabilities and rounded."""
    chances = structure.rules(bank) | structure.fitted(bank)
    chances |= {f"{n} rounded": [float(p >= 0.5) for p in c] for n, c in chances.items()}
    return {name: structure.score(bank.questions, c) for name, c in chances.items()}


def cost() -> None:
    """Print (f): calls and output tokens from claims to the second edition, for a sparse and a dense arc."""
    print("model calls and output tokens a question, from claims to the second edition")
    for nodes, length in ((36, 500), (168, 500)):
        for outcomes, prompts in ((4, 1), (6, 1), (6, 2)):
            arc = simulated(*even_dates(nodes, length, 25), outcomes)
            settings = ComposeSettings(prompts=prompts)
            orders = mirror(
                arc.points, arc.claims, arc.resolutions, dropped=set(), settings=settings,
                span=arc.span, seed=SEED, new_id=new_id,
            ).orders  # fmt: skip
            asked = plan_of(arc, settings, lost=0.2).report.questions
            rows = estimate(
                Settings(claims=ClaimsSettings(outcomes=outcomes), compose=settings),
                Sizes(nodes=nodes, points=25, claims=len(arc.claims), fabrications=len(orders)),
            )
            ours = rows[[row.stage for row in rows].index("claims") :]
            calls, tokens = sum(r.calls for r in ours), sum(r.completion_tokens for r in ours)
            # The published scheme: one call for the dated events of a point, one for each 50 questions, and one
            # that looks at a sample; its targets were met without a second try here, the kindest case.
            published = 25 * (1 + ceil(asked / 25 / CALL_QUESTIONS) + 1)
            written = asked * QUESTION_TOKENS + 25 * 20 * EVENT_TOKENS
            print(
                f"  {nodes:>3} nodes, {outcomes} outcomes, {prompts} prompt(s): {asked:>6} questions (a fifth of the "
                f"fabrications lost) from {calls} calls and {tokens} output tokens: {1000 * calls / asked:.0f} calls "
                f"and {1000 * tokens / asked:.0f} output tokens a thousand; published scheme: {published} calls, "
                f"{written} output tokens, {1000 * published / asked:.0f} and {1000 * written / asked:.0f} a thousand"
            )
    print(
        "  ours holds two independent readings, three auditors and the second edition of every claim, which the "
        "published scheme has none of (its labels are its writer's); calls grow with nodes and claims, and a second "
        "prompt or more points ask the same claims again at no call"
    )


def main() -> int:
    """Print everything; 1 when a target is missed."""
    held = []
    name = os.environ.get("FACTORY_TESTDATA", "")
    folder = Path(name) / "official" / "demo" / "zh"
    if name and folder.is_dir():
        held.append(counts(folder))
        arc = simulated(*published_dates(folder / "event5_smci"), 4)
    else:
        print(
            "SKIPPED (a): FACTORY_TESTDATA names no folder with official/demo/zh, the published dates"
        )
        arc = simulated(*even_dates(36, 400, 23), 4)
    held += [density(), growth(), attacks(arc)]
    cost()
    return int(not all(held))


if __name__ == "__main__":
    raise SystemExit(main())
