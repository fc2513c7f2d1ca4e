"""What a published bank gives away to somebody who reads no context: rules without text, and models of its structure.

Scores are those of the published calibration and temporal rules: pooled over the points of an event and edition, mean
of the editions, mean of the events.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from factory.audit.foreign_bank import PublishedBank, Row
from factory.audit.foreign_texts import base
from factory.audit.leak_editions import nodes
from factory.audit.structure import out_of_fold
from factory.audit.text_attackers import ABSOLUTE
from factory.published.contexts import days_in
from factory.score.horizon import HORIZON
from factory.score.known import Known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from factory.score.sheet import Sheet
    from schemas import Axis

SEED = 29
"""Of the random days; the one that `factory score` uses."""
VIEWS: dict[str, int] = {"window and distance": 5, "siblings": 9, "whole bank": 13}
"""Readers, each of whom sees what the one before sees: how many of the columns of `features` are theirs."""
WORDS = "absolute words, else days from cutoff within window"
"""0 where the stem holds an absolute word, else 1 when the distance is at most the window."""
DECIMALS = 3


def shortcuts(bank: PublishedBank) -> dict[str, float]:
    """Score of each rule and model by its name; 50 means nothing to learn. Empty for a bank without rows to score."""
    from factory.score.pooling import axis_scores
    from factory.score.rules import rule_set
    from factory.score.textfree import with_text_free

    asked = [r for r in bank.questions if r.window and r.window > 0 and r.distance is not None]
    dated = [r for r in bank.events if r.distance is not None and 0 <= r.distance <= HORIZON]
    known: dict[tuple[str, str], Known] = {
        ("/".join(filter(None, place[:2])), place[2]): Known(
            bank.cutoffs[place], days_in(text, bank.cutoffs[place])
        )
        for place, text in bank.contexts.items()
        if place in bank.cutoffs
    }
    calibration, temporal = with_text_free(
        _sheet("calibration", asked) if asked else None,
        _sheet("temporal", dated) if dated else None,
        known,
        seed=SEED,
    )
    rules = rule_set("paper")
    scores: dict[str, float] = {}
    if calibration is not None and rules.calibration is not None:
        sheet = calibration.beside(_attacks(bank, asked))
        scores |= zip(sheet.systems, axis_scores(sheet, rules.calibration).tolist(), strict=True)
    if temporal is not None and rules.temporal is not None:
        found = zip(temporal.systems, axis_scores(temporal, rules.temporal).tolist(), strict=True)
        # A pair of rules has one name on both axes, and its overall score is their mean.
        for name, score in found:
            scores[name] = (scores[name] + score) / 2 if name in scores else score
    return {name: round(score, DECIMALS) for name, score in scores.items() if score == score}


def _sheet(axis: Axis, rows: list[Row]) -> Sheet:
    """Rows as a sheet that nobody has sat."""
    import numpy as np

    from factory.score.sheet import Factor, Sheet

    points = Factor.of(["/".join(filter(None, row.place[:2])) for row in rows])
    distance = np.array([row.distance for row in rows], dtype=float)
    answers = np.array([row.answer for row in rows], dtype=float)
    return Sheet(
        axis=axis,
        systems=(),
        refs=tuple(row.ref for row in rows),
        event=Factor.of([row.event for row in rows]),
        edition=Factor.of([row.edition for row in rows]),
        point=points,
        cluster=points,
        truth=answers if axis == "calibration" else distance,
        distance=distance,
        window=np.array([row.window or 0 for row in rows], dtype=float),
        values=np.empty((0, len(rows))),
        status=np.empty((0, len(rows)), dtype=np.int8),
    )


def _attacks(bank: PublishedBank, rows: list[Row]) -> dict[str, NDArray[np.float64]]:
    """Attacker -> probability per row: absolute words, and fitted models of each view, as they are and rounded."""
    import numpy as np

    found = {
        WORDS: np.array(
            [
                float((r.distance or 0) <= (r.window or 0))
                * (ABSOLUTE[r.edition].search(r.text) is None)
                for r in rows
            ]
        )
    }
    table = features(bank, rows)
    truth = np.array([row.answer for row in rows])
    for view, width in VIEWS.items():
        for model, chances in out_of_fold(table[:, :width], truth, _folds(rows)).items():
            found[f"structure {model}: {view}"] = np.array(chances)
            found[f"structure {model}: {view}, rounded"] = np.round(chances)
    return found


def _folds(rows: list[Row]) -> list[int]:
    """Events left out in turn; in a bank of one event its points. Both editions of a point fall together."""
    events = sorted({row.event for row in rows})
    if len(events) > 1:
        return [events.index(row.event) for row in rows]
    points = sorted({row.point for row in rows})
    return [points.index(row.point) for row in rows]


def features(bank: PublishedBank, rows: list[Row]) -> NDArray[np.float64]:
    """N x 13 of what an examinee, or a reader of the whole bank, could count; no label, type or level is among it.

    Window, distance (its sign and logarithm), whether it lies inside, whether it is the window; sizes of context
    and prompt, windows of the base text here and the rank among them; the point, and how often the base text is
    asked earlier and later in the event.
    """
    import numpy as np

    order: dict[tuple[str, str], list[str]] = {}
    for event, edition in {(place[0], place[2]) for place in bank.places}:
        stated = [
            (str(bank.cutoffs.get(place, "")), place[1])
            for place in bank.places
            if (place[0], place[2]) == (event, edition)
        ]
        order[event, edition] = [point for _, point in sorted(stated)]
    context = {place: sum(1 for _ in nodes(text)) for place, text in bank.contexts.items()}
    prompt = Counter(row.place for row in rows)
    bases = [base(row.text, row.edition) for row in rows]
    windows: dict[tuple[str, str, str, str], set[int]] = defaultdict(set)
    asked: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    here = [order[row.event, row.edition].index(row.point) for row in rows]
    for row, words, at in zip(rows, bases, here, strict=True):
        windows[(*row.place, words)].add(row.window or 0)
        asked[row.event, row.edition, words].append(at)
    table = []
    for row, words, at in zip(rows, bases, here, strict=True):
        window, distance = row.window or 0, row.distance or 0
        rungs = sorted(windows[(*row.place, words)])
        others = asked[row.event, row.edition, words]
        table.append(
            (
                # window and distance
                window,
                np.sign(distance),
                np.log1p(abs(distance)),
                distance <= window,
                distance == window,
                # siblings
                context.get(row.place, 0),
                prompt[row.place],
                len(rungs),
                rungs.index(window),
                # whole bank
                at,
                sum(other < at for other in others),
                sum(other > at for other in others),
                len(others),
            )
        )
    return np.array(table, dtype=np.float64)
