"""Attackers that see the text of one question and its context, and nothing else that a prompt does not show.

Each is a small model fitted on other rows than those it is measured on: other families of the same bank, or other
events. Words (TF-IDF), neighbours (sentence vectors), length, absolute words, and how close the question is to what
its context says. They see no id, type, level, difficulty or family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from factory.audit.intervals import weight
from factory.bank.clause import statements
from factory.bank.phrasing import QUESTIONS
from factory.encode import MIN_CONTENT, load_encoder
from factory.sections import EncoderSettings
from factory.segments import render
from schemas import AnonTimeline, Bank, Lang, Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEIGHBOURS = 7
"""Claims that vote on one; odd, so that a vote has no tie."""
SEED = 23
DIGITS = 6
"""Digits of a probability: the last bits of a fit differ between machines, and rounding to 0 or 1 would show it."""

ABSOLUTE: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:all|every|any|always|never|none|entire(?:ly)?|complete(?:ly)?|full(?:y)?|total(?:ly)?|"
        r"permanent(?:ly)?|immediate(?:ly)?|unanimous(?:ly)?|only|first|final(?:ly)?|sole(?:ly)?)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("全部|所有|一切|任何|永久|立即|彻底|完全|一致|从未|绝对|唯一|最终|首次|全面"),
}
"""Words that made-up claims use more often than real ones."""

_SLOTS = {r"\{first\}": ".+?", r"\{last\}": ".+?", r"\{clause\}": "(.+)"}


def _pattern(template: str) -> re.Pattern[str]:
    escaped = re.escape(template)
    for slot, found in _SLOTS.items():
        escaped = escaped.replace(slot, found)
    return re.compile(escaped, re.DOTALL)


_PHRASINGS: dict[Lang, list[re.Pattern[str]]] = {
    lang: [_pattern(template[lang]) for template in QUESTIONS] for lang in ("en", "zh")
}


def clause_of(text: str, lang: Lang) -> str:
    """What a question asks without its window; the whole text when it has no phrasing of ours."""
    for pattern in _PHRASINGS[lang]:
        match = pattern.fullmatch(text)
        if match is not None:
            return match.group(1)
    return text


@dataclass(frozen=True)
class Columns:
    """What attackers see of N questions in one edition, C distinct clauses among them."""

    texts: list[str]
    """N whole questions."""
    clause: NDArray[np.int_]
    """Shape (N,): number of each question's clause."""
    vectors: NDArray[np.float32]
    """Shape (C, d): sentence vectors of the clauses, zeros for a clause too short to mean anything."""
    single: dict[str, NDArray[np.float64]]
    """Attacker -> shape (N, k): the few figures that it is fitted on."""


def read_columns(bank: Bank, timeline: AnonTimeline | None, lang: Lang) -> Columns:
    """The columns of a bank whose questions all have this edition; without a timeline no context is compared."""
    import numpy as np

    questions = bank.questions
    texts = [q.text[lang] for q in questions]
    clauses = [clause_of(text, lang) for text in texts]
    distinct = sorted(set(clauses))
    number = {clause: i for i, clause in enumerate(distinct)}
    clause = np.array([number[c] for c in clauses])
    vectors = _vectors(distinct)
    size = [float(len(c.split()) if lang == "en" else len(c)) for c in distinct]
    absolute = [float(len(ABSOLUTE[lang].findall(c))) for c in distinct]
    single = {
        "length": np.array(size)[clause][:, None],
        "absolute words": np.array(absolute)[clause][:, None],
    }
    if timeline is not None:
        single |= _similarities(bank, timeline, lang, distinct, clause, vectors)
    return Columns(texts, clause, vectors, single)


def joined(parts: Sequence[Columns]) -> Columns:
    """The columns of several banks as one; a figure that one of them lacks is left out."""
    import numpy as np

    starts = np.cumsum([0, *(len(p.vectors) for p in parts)])
    names = [n for n in parts[0].single if all(n in p.single for p in parts)]
    return Columns(
        [text for p in parts for text in p.texts],
        np.concatenate([p.clause + start for p, start in zip(parts, starts, strict=False)]),
        np.concatenate([p.vectors for p in parts]),
        {name: np.concatenate([p.single[name] for p in parts]) for name in names},
    )


def positions(bank: Bank) -> NDArray[np.float64]:
    """Shape (N, 2): where in its prompt a question stands by the order of ids, 0 to 1, and how near the middle."""
    import numpy as np

    prompts: dict[tuple[str, int], list[str]] = {}
    for q in sorted(bank.questions, key=lambda q: q.question_id):
        prompts.setdefault((q.point_id, q.prompt), []).append(q.question_id)
    rank = {
        name: i / max(1, len(names) - 1) for names in prompts.values() for i, name in enumerate(names)
    }  # fmt: skip
    return np.array(
        [[rank[q.question_id], abs(2 * rank[q.question_id] - 1)] for q in bank.questions]
    )


def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    import numpy as np

    long = [i for i, text in enumerate(texts) if sum(ch.isalnum() for ch in text) >= MIN_CONTENT]
    found = load_encoder(EncoderSettings()).encode([texts[i] for i in long])
    rows = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
    rows[long] = found
    return rows


def product(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosines of the unit rows of `a` (N, d) and `b` (M, d), shape (N, M), in one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        cosines: NDArray[np.float32] = (a @ b.T).round(DIGITS)
    return cosines


def _similarities(
    bank: Bank,
    timeline: AnonTimeline,
    lang: Lang,
    clauses: Sequence[str],
    clause: NDArray[np.int_],
    vectors: NDArray[np.float32],
) -> dict[str, NDArray[np.float64]]:
    """Largest and mean cosine of each question to the sentences before its cutoff, in words and in meaning."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    days, said = [], []
    for node in timeline.nodes:
        for statement in statements(node):
            if lang in statement.text:
                days.append(node.date)
                said.append(render(statement.text[lang], lang))
    if not said:
        return {}
    cutoffs = {p.point_id: sum(day < p.cutoff for day in days) for p in bank.points}
    known = np.array([cutoffs.get(q.point_id, 0) for q in bank.questions])
    words = TfidfVectorizer(
        analyzer="word" if lang == "en" else "char", ngram_range=(1, 1) if lang == "en" else (1, 2)
    )
    told = words.fit_transform(said)
    near = {
        "context words": (words.transform(clauses) @ told.T).toarray(),
        "context meaning": product(vectors, _vectors(said)),
    }
    found = {}
    for name, cosines in near.items():
        largest = np.maximum.accumulate(cosines, axis=1)
        mean = np.cumsum(cosines, axis=1) / np.arange(1, len(said) + 1)
        rows = np.zeros((len(clause), 2))
        has = known > 0
        for column, values in enumerate((largest, mean)):
            rows[has, column] = values[clause[has], known[has] - 1]
        found[name] = rows
    return found


def attack(
    columns: Columns, questions: Sequence[Question], folds: Sequence[int], lang: Lang
) -> dict[str, list[float]]:
    """Attacker -> probability per question, fitted on the other folds; 0.5 where nothing could be learnt."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    y = np.array([q.answer for q in questions])
    w = np.array([weight(q) for q in questions])
    group = np.array(folds)
    names = ("words", "neighbours", *columns.single)
    results = {name: np.full(len(y), 0.5) for name in names}
    with threadpool_limits(limits=1):  # the same sums in the same order
        for fold in sorted(set(folds)):
            held = group == fold
            if len(set(y[~held])) < 2:
                continue
            results["words"][held] = _words(columns.texts, y, w, held, lang)
            results["neighbours"][held] = _neighbours(columns, y, held)
            for name, x in columns.single.items():
                results[name][held] = _fit(x, y, w, held)
    return {name: [round(float(p), DIGITS) for p in chances] for name, chances in results.items()}


def attack_position(bank: Bank, questions: Sequence[Question], folds: Sequence[int]) -> list[float]:
    """Probability per question from its place in the prompt alone."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    x = positions(bank)
    y = np.array([q.answer for q in questions])
    w = np.array([weight(q) for q in questions])
    group = np.array(folds)
    chances = np.full(len(y), 0.5)
    with threadpool_limits(limits=1):
        for fold in sorted(set(folds)):
            held = group == fold
            if len(set(y[~held])) > 1:
                chances[held] = _fit(x, y, w, held)
    return [round(float(p), DIGITS) for p in chances]


def _fit(x: Any, y: Any, w: Any, held: Any) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(x[~held])
    model = LogisticRegression(max_iter=300)
    model.fit(scaler.transform(x[~held]), y[~held], sample_weight=w[~held])
    return model.predict_proba(scaler.transform(x[held]))[:, 1]


def _words(texts: Sequence[str], y: Any, w: Any, held: Any, lang: Lang) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = TfidfVectorizer(
        analyzer="word" if lang == "en" else "char",
        ngram_range=(1, 2) if lang == "en" else (1, 3),
        sublinear_tf=True,
    )
    train = vectorizer.fit_transform([t for t, h in zip(texts, held, strict=True) if not h])
    test = vectorizer.transform([t for t, h in zip(texts, held, strict=True) if h])
    model = LogisticRegression(solver="liblinear", random_state=SEED)
    return model.fit(train, y[~held], sample_weight=w[~held]).predict_proba(test)[:, 1]


def _neighbours(columns: Columns, y: Any, held: Any) -> Any:
    """Share of true answers among the nearest clauses of the other folds, one vote a clause."""
    import numpy as np

    size = len(columns.vectors)
    asked = np.bincount(columns.clause[~held], minlength=size)
    true = np.bincount(columns.clause[~held], weights=y[~held], minlength=size)
    train = np.flatnonzero(asked)
    votes = true[train] / asked[train]
    test = np.unique(columns.clause[held])
    cosines = product(columns.vectors[test], columns.vectors[train])
    k = min(NEIGHBOURS, len(train))
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    chances = np.zeros(size)
    chances[test] = votes[nearest].mean(axis=1)
    return chances[columns.clause[held]]


def both_ways(name: str, chances: Sequence[float]) -> Mapping[str, list[float]]:
    """An attacker as it is and rounded to 0 or 1, which a score that is not proper rewards."""
    return {name: [*chances], f"{name} rounded": [float(p >= 0.5) for p in chances]}
