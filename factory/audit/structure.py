"""What a bank's structure tells to someone who reads no text: rules, feature tables and fitted attackers.

Features are what an examinee could count: window, cutoff, prompt size, siblings, the claim's record at earlier and
later points. Twins have equal features by construction, so every rule and every model gives both the same
probability and scores exactly 50; `unequal_twins` tests that exactly instead of by statistics, and the fitted
models show it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from factory.audit.intervals import Scored, score, weight
from schemas import Bank, Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "VIEWS", "Scored", "View", "features", "fitted", "fitted_letters", "rules", "score", "unequal_twins", "weight",
]  # fmt: skip

SEED = 11
DIGITS = 6
FOLDS = 5
"""Groups of points left out in turn; with fewer points one point at a time."""

View = Literal["window", "siblings", "earlier points", "whole bank"]
VIEWS: dict[View, int] = {"window": 4, "siblings": 7, "earlier points": 13, "whole bank": 18}
"""Readers, each of whom sees what the one before sees: how many of the features are theirs.

`window`: window, point, sizes of context and prompt. `siblings`: the other questions of the prompt. `earlier
points`: what was asked before, and whether its window has ended. `whole bank`: what is asked later, too.
"""


class _Cell(NamedTuple):
    point: int
    prompt: int
    window: int


def features(bank: Bank) -> dict[str, tuple[float, ...]]:
    """Question id -> structural features in the order of VIEWS; no label, type, level or id is among them."""
    points = sorted(bank.points, key=lambda p: p.cutoff)
    order = {p.point_id: i for i, p in enumerate(points)}
    context = {p.point_id: len(p.context) for p in points}
    cutoff: dict[int, date] = {i: p.cutoff for i, p in enumerate(points)}
    prompt_size: Counter[tuple[str, int]] = Counter()
    cells: dict[str, set[_Cell]] = defaultdict(set)
    family_cells: dict[str, set[_Cell]] = defaultdict(set)
    bundles: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    for q in bank.questions:
        cell = _Cell(order.get(q.point_id, -1), q.prompt, q.window_days)
        prompt_size[q.point_id, q.prompt] += 1
        cells[q.claim_id].add(cell)
        family_cells[q.family_id].add(cell)
        bundles[q.point_id, q.prompt, q.family_id].add(q.claim_id)
    table = {}
    for q in bank.questions:
        here = order.get(q.point_id, -1)
        mine = cells[q.claim_id]
        rungs = sorted(c.window for c in mine if (c.point, c.prompt) == (here, q.prompt))
        before = [c for c in mine if c.point < here]
        after = [c for c in mine if c.point > here]
        ended = sum(
            1
            for c in before
            if c.point in cutoff
            and here in cutoff
            and cutoff[c.point] + timedelta(days=c.window) < cutoff[here]
        )
        table[q.question_id] = tuple(
            float(value)
            for value in (
                # window
                q.window_days,
                here,
                context.get(q.point_id, 0),
                prompt_size[q.point_id, q.prompt],
                # siblings
                len(rungs),
                rungs.index(q.window_days),
                len(bundles[q.point_id, q.prompt, q.family_id]),
                # earlier points, and other prompts of this one
                sum(1 for c in mine if c.point == here and c.prompt != q.prompt),
                len(before),
                len({c.point for c in before}),
                sum(c.window for c in before),
                min(c.point for c in mine),
                ended,
                # whole bank
                len(after),
                len({c.point for c in after}),
                sum(c.window for c in after),
                max(c.point for c in mine),
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
        "asked again": [float(row[13] > 0) for row in rows],
        "asked after its window": [0.0 if row[12] else 0.5 for row in rows],
    }


def fitted(bank: Bank) -> dict[str, list[float]]:
    """Out-of-fold probabilities of models trained on each view, groups of points left out in turn.

    Empty when there are fewer than two points or a fold lacks one of the answers.
    """
    import numpy as np

    x = _matrix(bank)
    folds = _point_folds(bank)
    return {
        f"fitted {model}: {view}": chances
        for view, width in VIEWS.items()
        for model, chances in out_of_fold(
            x[:, :width], np.array([q.answer for q in bank.questions]), folds
        ).items()
    }


def fitted_letters(bank: Bank) -> dict[str, list[float]]:
    """As `fitted` over the whole bank for one who also knew type letter and level, which nobody is shown."""
    import numpy as np

    extra = np.array(
        [[*(float(q.type == letter) for letter in "ABCD"), float(q.level)] for q in bank.questions]
    )
    x = np.hstack([_matrix(bank), extra])
    found = out_of_fold(x, np.array([q.answer for q in bank.questions]), _point_folds(bank))
    return {f"fitted {model}: type and level (never shown)": p for model, p in found.items()}


def _matrix(bank: Bank) -> NDArray[np.float64]:
    import numpy as np

    table = features(bank)
    return np.array([table[q.question_id] for q in bank.questions], dtype=np.float64)


def _point_folds(bank: Bank) -> list[int]:
    order = {
        p.point_id: i % FOLDS for i, p in enumerate(sorted(bank.points, key=lambda p: p.cutoff))
    }
    return [order.get(q.point_id, 0) for q in bank.questions]


def out_of_fold(
    x: NDArray[np.float64], y: NDArray[np.int_], folds: Sequence[int]
) -> dict[str, list[float]]:
    """Model -> probability per row from the other folds; empty without two folds with both answers outside each."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    makers: Mapping[str, Callable[[], Any]] = {
        "boosting": lambda: HistGradientBoostingClassifier(
            max_iter=40, max_leaf_nodes=15, min_samples_leaf=5, early_stopping=False, random_state=SEED
        ),
        "logistic": lambda: LogisticRegression(max_iter=500),
    }  # fmt: skip
    group = np.array(folds)
    names = sorted(set(folds))
    if len(names) < 2 or any(len(set(y[group != name])) < 2 for name in names):
        return {}
    results = {model: np.full(len(y), 0.5) for model in makers}
    with threadpool_limits(limits=1):  # the same sums in the same order, and no spinning threads
        for name in names:
            held = group == name
            scaler = StandardScaler().fit(x[~held])
            train, test = scaler.transform(x[~held]), scaler.transform(x[held])
            for model, make in makers.items():
                chances = make().fit(train, y[~held]).predict_proba(test)[:, 1]
                results[model][held] = np.round(chances, DIGITS)
    return {model: [float(p) for p in chances] for model, chances in results.items()}


def unequal_twins(bank: Bank, view: View = "whole bank") -> list[str]:
    """Twin cells whose two questions a reader with this view tells apart; empty means exactly 50 for every rule.

    A cell without its twin, or with two equal answers, is among them.
    """
    table = features(bank)
    width = VIEWS[view]
    cells: dict[tuple[str, str, int, int], list[Question]] = defaultdict(list)
    for q in bank.questions:
        cells[q.pair_id, q.point_id, q.prompt, q.window_days].append(q)
    return sorted(
        " ".join(sorted(q.question_id for q in group))
        for group in cells.values()
        if len(group) != 2
        or sum(q.answer for q in group) != 1
        or table[group[0].question_id][:width] != table[group[1].question_id][:width]
    )
