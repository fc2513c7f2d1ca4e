"""How far one gets without reading the context: no-text rules and models that see the question alone.

Structural rules are exact (see structure.py). Text attackers are trained family-disjoint: a claim asked at many
points has one label, so a fold that shares it with the training rows would measure memory. Scores are the paper's
calibration score; intervals resample whole pairs, since questions of a pair are not independent, and are widened
for the number of attackers (Bonferroni).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from factory.audit import structure
from factory.audit.structure import Scored, score, weight
from schemas import LANGS, Bank, Lang, Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LIMIT = 55.0
"""Lower ends of intervals above this fail."""
HALF_WIDTH = 5.0
"""Wider intervals say nothing: not evaluated."""
MIN_PAIRS = 20
"""Fewer independent pairs are not enough to train and test a text model."""
FOLDS = 5
RESAMPLES = 4000
SEED = 23

ABSOLUTE: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:all|every|any|always|never|none|entire(?:ly)?|complete(?:ly)?|full(?:y)?|total(?:ly)?|"
        r"permanent(?:ly)?|immediate(?:ly)?|unanimous(?:ly)?|only|first|final(?:ly)?|sole(?:ly)?)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("全部|所有|一切|任何|永久|立即|彻底|完全|一致|从未|绝对|唯一|最终|首次|全面"),
}
"""Words that made-up claims use more often than real ones."""


@dataclass(frozen=True)
class ShortcutAudit:
    """Scores of everything that reads no context."""

    scores: dict[str, float]
    """Attacker -> score; 50 means nothing to learn."""
    intervals: dict[str, Scored]
    """Text attackers with their intervals, the basis of the gate."""
    unequal: tuple[str, ...]
    """Twin cells that structure tells apart."""
    state: Literal["passed", "failed", "not evaluated"]
    """Outcome for the text attackers."""
    reason: str
    """One sentence on the outcome."""
    letter: float | None
    """Score of whoever knows the type letters, for information: D is always false."""


def audit_shortcuts(bank: Bank) -> ShortcutAudit:
    """Run every attacker on a bank; `not evaluated` says what is missing."""
    if not bank.questions:
        return ShortcutAudit({}, {}, (), "not evaluated", "the bank holds no question", None)
    questions = bank.questions
    chances = structure.rules(bank) | structure.fitted(bank)
    scores = {name: score(questions, values) for name, values in chances.items()}
    unequal = tuple(structure.unequal_twins(bank))
    letter = score(questions, _letter(bank))
    clusters = _clusters(bank)
    if len(set(clusters)) < MIN_PAIRS:
        return ShortcutAudit(
            _rounded(scores),
            {},
            unequal,
            "not evaluated",
            f"{len(set(clusters))} independent pairs are too few for a text attacker; {MIN_PAIRS} are needed",
            round(letter, 3),
        )
    attacks: dict[str, list[float]] = {}
    for lang in LANGS:
        if all(lang in q.text for q in questions):
            for name, values in _text_attackers(questions, clusters, lang).items():
                attacks[f"{name} {lang}"] = values
                attacks[f"{name} {lang} rounded"] = [float(p >= 0.5) for p in values]
    tail = 0.025 / max(1, len(attacks))
    intervals = {
        name: bootstrap(questions, values, clusters, tail=tail) for name, values in attacks.items()
    }
    scores |= {name: interval.score for name, interval in intervals.items()}
    state, reason = _judge(intervals)
    return ShortcutAudit(_rounded(scores), intervals, unequal, state, reason, round(letter, 3))


def _rounded(scores: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in scores.items()}


def _judge(
    intervals: dict[str, Scored],
) -> tuple[Literal["passed", "failed", "not evaluated"], str]:
    if not intervals:
        return "not evaluated", "no edition is complete"
    worst = max(intervals, key=lambda name: intervals[name].low)
    widest = max(intervals, key=lambda name: intervals[name].half_width)
    low, wide = intervals[worst].low, intervals[widest].half_width
    if low > LIMIT:
        return "failed", f"{worst} scores {intervals[worst].score:.1f}, at least {low:.1f}"
    if wide > HALF_WIDTH:
        return (
            "not evaluated",
            f"the interval of {widest} is {wide:.1f} points to each side; more pairs are needed",
        )
    return "passed", f"the highest lower end is {low:.1f} ({worst})"


def _letter(bank: Bank) -> list[float]:
    """Share of true answers by type letter, in sample."""
    tally: dict[str, list[int]] = defaultdict(list)
    for q in bank.questions:
        tally[q.type].append(q.answer)
    return [float(sum(tally[q.type]) / len(tally[q.type]) >= 0.5) for q in bank.questions]


def _clusters(bank: Bank) -> list[int]:
    """Number of each question's cluster, for folds and for the bootstrap."""
    from factory.score.bank import clusters

    labels = clusters(bank.questions)
    number = {label: i for i, label in enumerate(sorted(set(labels)))}
    return [number[label] for label in labels]


def _text_attackers(
    questions: Sequence[Question], clusters: Sequence[int], lang: Lang
) -> dict[str, list[float]]:
    """Out-of-fold probabilities of models that see one question's text, folds disjoint in families."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    texts = [q.text[lang] for q in questions]
    y = np.array([q.answer for q in questions])
    weights = np.array([weight(q) for q in questions])
    length = np.array([[float(len(text))] for text in texts])
    absolute = np.array([[float(len(ABSOLUTE[lang].findall(text)))] for text in texts])
    order = np.random.default_rng(SEED).permutation(max(clusters) + 1)
    folds = np.array([order[cluster] % FOLDS for cluster in clusters])
    results = {name: np.full(len(y), 0.5) for name in ("text", "length", "absolute words")}

    def fit(name: str, train: Any, test: Any, held: NDArray[np.bool_]) -> None:
        model = LogisticRegression(max_iter=300).fit(train, y[~held], sample_weight=weights[~held])
        results[name][held] = model.predict_proba(test)[:, 1]

    for fold in range(FOLDS):
        held = folds == fold
        if not held.any() or len(set(y[~held])) < 2:
            continue  # such rows keep 0.5: nothing was learnt for them
        vectorizer = TfidfVectorizer(
            analyzer="word" if lang == "en" else "char",
            ngram_range=(1, 2) if lang == "en" else (1, 3),
            sublinear_tf=True,
        )
        fit(
            "text",
            vectorizer.fit_transform([t for t, h in zip(texts, held, strict=True) if not h]),
            vectorizer.transform([t for t, h in zip(texts, held, strict=True) if h]),
            held,
        )
        for name, column in (("length", length), ("absolute words", absolute)):
            scaler = StandardScaler().fit(column[~held])
            fit(name, scaler.transform(column[~held]), scaler.transform(column[held]), held)
    return {name: [float(p) for p in values] for name, values in results.items()}


def bootstrap(
    questions: Sequence[Question],
    chances: Sequence[float],
    clusters: Sequence[int],
    *,
    tail: float,
) -> Scored:
    """Score with a percentile interval over resampled clusters; `tail` is the probability cut at each end."""
    import numpy as np

    w = np.array([weight(q) for q in questions])
    missed = w * np.abs(np.array(chances) - np.array([q.answer for q in questions]))
    index = np.array(clusters)
    size = int(index.max()) + 1
    sums = np.bincount(index, weights=missed, minlength=size)
    totals = np.bincount(index, weights=w, minlength=size)
    counts = np.random.default_rng(SEED).multinomial(size, np.full(size, 1 / size), size=RESAMPLES)
    drawn = 100 * np.maximum(0.0, 1 - (counts @ sums) / (counts @ totals))
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Scored(score(questions, chances), float(low), float(high))
