"""Hand-made score cards for tests of what a card looks like: figures of a plausible size, names of every kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from schemas import (
    Anchor,
    AxisGrade,
    Comparison,
    GroupScore,
    Interval,
    Lang,
    Problem,
    Reliability,
    ReliabilityBin,
    Score,
    ScoreCard,
    ScoreCell,
    Table,
    TableRow,
    Violations,
)
from schemas.exam import Axis

AXES: tuple[Axis, ...] = ("calibration", "temporal")
EDITIONS: tuple[Lang, ...] = ("en", "zh")
EVENTS = ("event1_library", "event2_trump_tariff", "event3_tiktok", "event4_us_iran", "event5_smci")
READERS = (
    "GPT-5.5",
    "DeepSeek-V4-Pro",
    "Kimi-K2.5",
    "豆包-Seed-2.0-专业版",
    "LangGraph",
    "MiroFish",
)
RULES = {
    "calibration": (("window rule", 64.4), ("constant 0.5", 50.0)),
    "temporal": (("bucket midpoint", 60.9), ("bucket start + 10 days", 64.6)),
}
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
LONG = "an-agent-with-a-very-long-name-" * 8
CONTROL = "red\x1b[31mteam\u202egnp.exe\nnext line"
FORMULA = '=HYPERLINK("http://example.org","open")'


def interval(score: float, half: float) -> Interval:
    return Interval(low=score - half, high=score + half)


def bins(rng: random.Random) -> tuple[ReliabilityBin, ...]:
    """Ten bins, one of them empty; overconfident as models are."""
    rows = []
    for index in range(10):
        low, high = index / 10, (index + 1) / 10
        if index == 5:
            rows.append(ReliabilityBin(low=low, high=high, count=0, forecast=None, outcome=None))
            continue
        middle = (low + high) / 2
        true = min(1.0, max(0.0, 0.5 + (middle - 0.5) * 0.6 + rng.uniform(-0.06, 0.06)))
        count = rng.randint(40, 900) * (4 if index in (0, 9) else 1)
        rows.append(ReliabilityBin(low=low, high=high, count=count, forecast=middle, outcome=true))
    return tuple(rows)


def reliability(rng: random.Random) -> Reliability:
    rel, res, unc = rng.uniform(0.01, 0.08), rng.uniform(0.02, 0.08), 0.247
    return Reliability(
        brier=rel - res + unc,
        log_loss=rng.uniform(0.55, 0.9),
        log_clip=0.001,
        ece=rng.uniform(0.04, 0.2),
        ece_adaptive=rng.uniform(0.04, 0.2),
        murphy_reliability=rel,
        murphy_resolution=res,
        murphy_uncertainty=unc,
        bins=bins(rng),
    )


def violations(rng: random.Random) -> tuple[Violations, ...]:
    return (
        Violations(rule="windows", cases=3120, violated=rng.randint(10, 300), mean_excess=0.08),
        Violations(rule="ladder", cases=800, violated=0, mean_excess=0.0),
        Violations(rule="variants", cases=0, violated=0, mean_excess=0.0),
    )


def grade(
    system: str,
    axis: Axis,
    score: Score,
    rng: random.Random,
    *,
    answered: int = 4900,
    text_free: bool = False,
    strict: bool = False,
) -> AxisGrade:
    known = None if isinstance(score, str) else score
    read = axis == "calibration" and known is not None
    rule = RULES[axis][0 if axis == "calibration" else 1]
    return AxisGrade(
        system=system,
        axis=axis,
        score=score,
        interval=None if known is None else interval(known, rng.uniform(0.8, 3.0)),
        strict=None if known is None or not strict else known * answered / 5000,
        answered=answered,
        total=5000,
        unparsed=(5000 - answered) // 2,
        missing=5000 - answered - (5000 - answered) // 2,
        points=answered * 250 // 5000,
        points_total=250,
        text_free=text_free,
        skill=None if known is None else (known - rule[1]) / (100 - rule[1]),
        reference=rule[0],
        clusters=410,
        effective_n=188.4,
        reliability=reliability(rng) if read else None,
        violations=violations(rng) if read else (),
        metrics={"median days off": 11.25} if axis == "temporal" and not text_free else {},
    )


def cells(
    system: str, axis: Axis, score: Score, answered: int, rng: random.Random
) -> list[ScoreCell]:
    rows = []
    for event in EVENTS:
        for edition in EDITIONS:
            value: Score = score if isinstance(score, str) else score + rng.uniform(-7, 7)
            rows.append(
                ScoreCell(
                    system=system,
                    event=event,
                    edition=edition,
                    axis=axis,
                    score=value,
                    answered=answered // 10,
                    total=500,
                    missing=500 - answered // 10,
                    interval=None if isinstance(value, str) else interval(value, 3.5),
                )
            )
    return rows


def comparison(a: str, b: str, difference: float, axis: Axis, *, q: float) -> Comparison:
    return Comparison(
        axis=axis,
        a=a,
        b=b,
        difference=difference,
        interval=interval(difference, 1.5),
        p=q / 2,
        q=q,
        questions=4800,
        clusters=400,
    )


def full_card(
    readers: Sequence[str] = READERS,
    *,
    compared: bool = True,
    strict: bool = True,
    rules: bool = True,
    seed: int = 7,
) -> ScoreCard:
    """A card with everything: the first reader answered a subset, the last one no date at all."""
    rng = random.Random(seed)
    grades: list[AxisGrade] = []
    rows: list[ScoreCell] = []
    overall: dict[str, Score] = {}
    means: dict[Axis, dict[str, float]] = {axis: {} for axis in AXES}
    for number, system in enumerate(readers):
        scores: list[float] = []
        for axis in AXES:
            answered = 2100 if number == 0 else 4960
            score: Score = 72.0 - 2.1 * number % 20 + rng.uniform(-1, 1)
            if axis == "temporal" and number and number == len(readers) - 1:
                score, answered = "not scored", 0
            if not isinstance(score, str):
                scores.append(score)
                means[axis][system] = score
            grades.append(grade(system, axis, score, rng, answered=answered, strict=strict))
            rows += cells(system, axis, score, answered, rng)
        overall[system] = sum(scores) / 2 if len(scores) == 2 else "not scored"
    for axis in AXES if rules else ():
        for name, value in RULES[axis]:
            grades.append(grade(name, axis, value, rng, answered=5000, text_free=True))
            rows += cells(name, axis, value, 5000, rng)
            overall[name] = "not scored"
    pairs = [
        comparison(
            a,
            b,
            means[axis][a] - means[axis][b],
            axis,
            q=0.001 if abs(means[axis][a] - means[axis][b]) > 3 else 0.4,
        )
        for axis in AXES
        for a, b in combinations(means[axis], 2)
    ]
    return ScoreCard(
        rules="paper",
        rules_version="1",
        cells=tuple(rows),
        overall=overall,
        axes=tuple(grades),
        comparisons=tuple(pairs) if compared else (),
        anchors=(
            Anchor(system="frequency", axis="calibration", score=53.88, published=53.8),
            Anchor(system="bucket midpoint", axis="temporal", score=60.9, published=None),
        ),
        groups=tuple(
            GroupScore(
                keys={"difficulty": level},
                system=system,
                axis="calibration",
                score=60.0 + 3 * number,
                answered=310 - number,
                total=310,
            )
            for level in ("easy", "hard")
            for number, system in enumerate(readers[:8])
        ),
        tables=(
            Table(
                name="composition",
                title="What moves the score: question types",
                source="SocietyBench, Table 4; pooled over all events of an edition, mean of editions",
                columns=("without A", "without B", "questions"),
                rows=(
                    *(
                        TableRow(label=system, values=(6.41 - number, -1.44, 4960.0 - number))
                        for number, system in enumerate(readers[:8])
                    ),
                    TableRow(label="nothing to compute", values=(None, None, None)),
                ),
                note="Positive means that the type pulls the score down.",
            ),
        ),
        problems=(
            Problem(
                reason="probability above 1, not used",
                count=12,
                example="demo/zh/event3_tiktok/P07.json, question 41",
            ),
        ),
        notes=(
            "Some systems are published for a few points only; their figures cannot be those of the paper.",
        ),
        formulas={
            "calibration": "100 max(0, 1 - weighted mean |p - y|) (SocietyBench, calibration score); "
            "rewards rounding to 0 or 1",
            "temporal": "100 (1 - weighted mean miss) (SocietyBench, temporal score)",
        },
    )


def bare_card(
    overall: dict[str, Score], scores: Sequence[tuple[str, Axis, Score]] = ()
) -> ScoreCard:
    """A card of one event and edition with cells alone."""
    return ScoreCard(
        rules="overview",
        rules_version="1",
        cells=tuple(
            ScoreCell(
                system=system,
                event="event",
                edition="en",
                axis=axis,
                score=score,
                answered=0 if score == "not scored" else 10,
                total=10,
                missing=10 if score == "not scored" else 0,
            )
            for system, axis, score in scores
        ),
        overall=overall,
    )


NOT_SCORED: Literal["not scored"] = "not scored"
