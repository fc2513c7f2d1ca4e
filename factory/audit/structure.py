"""What a bank's structure tells to someone who reads no text: rules, feature tables and fitted attackers.

Features are what an examinee could count: window, cutoff, prompt size, siblings, the claim's record at earlier and
later points. Twins have equal features by construction, so every rule and every model gives both the same
probability and scores exactly 50; `structure_findings` tests that exactly instead of by statistics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas import Bank, Question

SEED = 11


@dataclass(frozen=True)
class Scored:
    """A score with the interval of its cluster bootstrap, in points of 100."""

    score: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def weight(question: Question) -> float:
    """The paper's weight w = 1 / (1 + 0.04 dt) * W / (W + 4) with dt = W, the window's end from the cutoff."""
    days = question.window_days
    return 1 / (1 + 0.04 * days) * days / (days + 4)


def score(questions: Sequence[Question], chances: Sequence[float]) -> float:
    """S = 100 * max(0, 1 - sum w |p - y| / sum w). Raises ValueError without questions."""
    if not questions:
        raise ValueError("no questions to score")
    total = sum(weight(q) for q in questions)
    missed = sum(weight(q) * abs(p - q.answer) for q, p in zip(questions, chances, strict=True))
    return 100 * max(0.0, 1 - missed / total)


def features(bank: Bank) -> dict[str, tuple[float, ...]]:
    """Question id -> structural features: V1 to V3 of a reader who sees the whole bank.

    Window, cutoff index, context size, prompt size; windows of the claim in the prompt, rank among them, claims
    of its family there; the same for other prompts, earlier and later points; first and last point asked.
    """
    order = {p.point_id: i for i, p in enumerate(sorted(bank.points, key=lambda p: p.cutoff))}
    context = {p.point_id: len(p.context) for p in bank.points}
    prompt_size: Counter[tuple[str, int]] = Counter()
    cells: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    family_cells: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    bundles: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    for q in bank.questions:
        cell = (order.get(q.point_id, -1), q.prompt, q.window_days)
        prompt_size[q.point_id, q.prompt] += 1
        cells[q.claim_id].add(cell)
        family_cells[q.family_id].add(cell)
        bundles[q.point_id, q.prompt, q.family_id].add(q.claim_id)
    table = {}
    for q in bank.questions:
        here = order.get(q.point_id, -1)
        mine = cells[q.claim_id]
        rungs = sorted(w for p, s, w in mine if (p, s) == (here, q.prompt))
        table[q.question_id] = tuple(
            float(value)
            for value in (
                q.window_days,
                here,
                context.get(q.point_id, 0),
                prompt_size[q.point_id, q.prompt],
                len(rungs),
                rungs.index(q.window_days),
                len(bundles[q.point_id, q.prompt, q.family_id]),
                sum(1 for p, s, _ in mine if p == here and s != q.prompt),
                sum(1 for p, _, _ in mine if p < here),
                sum(1 for p, _, _ in mine if p > here),
                len({p for p, _, _ in mine if p < here}),
                len({p for p, _, _ in mine if p > here}),
                min(p for p, _, _ in mine),
                max(p for p, _, _ in mine),
                sum(w for p, _, w in mine if p < here),
                sum(w for p, _, w in mine if p > here),
                len(family_cells[q.family_id]),
            )
        )
    return table


def rules(bank: Bank) -> dict[str, list[float]]:
    """Rule name -> probability per question, in the bank's order. None reads a text or a label."""
    table = features(bank)
    rows = [table[q.question_id] for q in bank.questions]
    points = max(1.0, *(row[1] for row in rows)) if rows else 1.0
    return {
        "constant 0": [0.0 for _ in rows],
        "constant 0.5": [0.5 for _ in rows],
        "constant 1": [1.0 for _ in rows],
        "window": [row[0] / 90 for row in rows],
        "long window": [float(row[0] >= 30) for row in rows],
        "point index": [row[1] / points for row in rows],
        "context size": [float(row[2] >= 10) for row in rows],
        "rung position": [row[5] / max(1.0, row[4] - 1) if row[4] > 1 else 0.5 for row in rows],
        "siblings": [1 / row[6] for row in rows],
        "asked before": [float(row[8] > 0) for row in rows],
        "asked again": [float(row[9] > 0) for row in rows],
    }


def fitted(bank: Bank) -> dict[str, list[float]]:
    """Out-of-fold probabilities of models trained on the structural features, one point left out at a time.

    Empty when there are fewer than two points or a fold lacks one of the answers.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    table = features(bank)
    x = np.array([table[q.question_id] for q in bank.questions])
    y = np.array([q.answer for q in bank.questions])
    groups = np.array([q.point_id for q in bank.questions])
    if len(set(groups)) < 2:
        return {}
    makers: Mapping[str, Any] = {
        "fitted tree": lambda: DecisionTreeClassifier(
            max_depth=6, min_samples_leaf=2, random_state=SEED
        ),
        "fitted logistic": lambda: LogisticRegression(max_iter=500),
    }
    results: dict[str, list[float]] = {}
    for name, make in makers.items():
        chances = np.full(len(y), 0.5)
        for group in sorted(set(groups)):
            test = groups == group
            if len(set(y[~test])) < 2:
                return {}
            scaler = StandardScaler().fit(x[~test])
            model = make().fit(scaler.transform(x[~test]), y[~test])
            chances[test] = model.predict_proba(scaler.transform(x[test]))[:, 1]
        results[name] = [float(p) for p in chances]
    return results


def unequal_twins(bank: Bank) -> list[str]:
    """Twin cells whose two questions differ in any structural feature; empty means exactly 50 for every rule."""
    table = features(bank)
    cells: dict[tuple[str, str, int, int], list[Question]] = defaultdict(list)
    for q in bank.questions:
        cells[q.pair_id, q.point_id, q.prompt, q.window_days].append(q)
    return sorted(
        " ".join(sorted(q.question_id for q in group))
        for group in cells.values()
        if len(group) != 2
        or sum(q.answer for q in group) != 1
        or table[group[0].question_id] != table[group[1].question_id]
    )
