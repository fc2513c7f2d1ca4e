"""Rule sets by name, and the calibration formulas that the paper compares with its own.

`paper` is the published rule of SocietyBench: a weighted mean absolute error and a clipped band around a wrong
date. Neither is a proper score: the first rewards rounding to 0 or 1, the second pays the middle of the told bucket
about 61 on the published bank. `overview` is the plain pair that surveys of the field use, `proper` asks for nothing
but honest answers. Dates are scored inside the horizon only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from factory.errors import BadInput
from factory.score.forecast import FORECAST
from factory.score.formula import Formula, LossFunction, RuleSet
from factory.score.horizon import HORIZON
from factory.score.losses import (
    LOG_CLIP,
    absolute_error,
    brier_percent,
    bucket_miss,
    capped_percent,
    days_off,
    equal,
    hyperbolic_percent,
    late_or_early,
    linear_and_long,
    log_error,
    log_percent,
    near,
    near_and_long,
    percent,
    percent_floored,
    squared_error,
)
from factory.score.sheet import Floats, Sheet
from factory.score.sim import SIM

PAPER = RuleSet(
    name="paper",
    version="1",
    source="SocietyBench, its two published axes, pooled over all points of an event and edition",
    calibration=Formula(
        name="100 max(0, 1 - weighted mean |p - y|)",
        source="SocietyBench, calibration score; weight 1/(1 + 0.04 d) * W/(W + 4), negative d counted as 0",
        loss=absolute_error,
        weight=near_and_long,
        scale=percent_floored,
    ),
    temporal=Formula(
        name="100 (1 - weighted mean miss)",
        source=(
            "SocietyBench, temporal score; the weight 1/(1 + 0.04 t) is not in its description but in its "
            "published figures"
        ),
        loss=bucket_miss,
        weight=near,
        scale=percent,
    ),
)
"""Cell = pooled; axis = mean over events of the mean of editions; overall = mean of the axes."""


def _overview(horizon: float) -> RuleSet:
    """CalScore and TempScore; T has no published value. BadInput unless T is a positive number of days."""
    if not (math.isfinite(horizon) and horizon > 0):
        raise BadInput(
            f"a horizon of {horizon} days scores nothing; give a positive number of days"
        )
    return RuleSet(
        name="overview",
        version="1",
        source=f"CalScore and TempScore of the SocietyBench overview, T = {horizon:g} days (ours)",
        calibration=Formula(
            name="100 (1 - Brier)",
            source="CalScore of the SocietyBench overview; Brier (1950), unweighted: 75 for one half everywhere",
            loss=squared_error,
            weight=equal,
            scale=percent,
            proper=True,
        ),
        temporal=Formula(
            name=f"100 mean max(0, 1 - |days off| / {horizon:g})",
            source=f"TempScore of the SocietyBench overview; T = {horizon:g} is ours, the source gives none",
            loss=partial(late_or_early, horizon=horizon),
            weight=equal,
            scale=percent,
            # Below the longest possible error the loss is flat far away, and a median is no longer its optimum.
            proper=horizon >= HORIZON,
        ),
    )


OVERVIEW = _overview(float(HORIZON))
"""With T = 90 days."""

PROPER = RuleSet(
    name="proper",
    version="1",
    source="Proper scores: Brier (1950), absolute error for a median (Gneiting 2011), both unweighted",
    calibration=Formula(
        name="100 (1 - 2 Brier)",
        source="Brier (1950); scaled so that one half everywhere earns 50, as under the paper's rule",
        loss=squared_error,
        weight=equal,
        scale=brier_percent,
        proper=True,
    ),
    temporal=Formula(
        name="100 (1 - mean min(|days off|, 90) / 90)",
        source=(
            "Absolute error is consistent for the median (Gneiting 2011, Making and evaluating point forecasts). "
            "Events lie 0 to 90 days from the cutoff, so the cap of 90 touches only days outside of that, which "
            "never beat its nearer end: the median stays the best answer, and no single one costs more than 100"
        ),
        loss=partial(days_off, cap=float(HORIZON)),
        weight=equal,
        scale=partial(capped_percent, cap=float(HORIZON)),
        proper=True,
    ),
)
"""The paper's pooling and means over scores that honest answers maximise."""


def _weighted(name: str, source: str, weight: Callable[[Sheet], Floats]) -> Formula:
    """The paper's loss and scale under another weight."""
    return Formula(name, source, absolute_error, weight, percent_floored)


def _rescaled(
    name: str,
    source: str,
    loss: LossFunction,
    scale: Callable[[Floats], Floats],
    *,
    proper: bool = False,
) -> Formula:
    """Another loss or scale under the paper's weight."""
    return Formula(name, source, loss, near_and_long, scale, proper)


_TABLE = "SocietyBench, Table 5"
ALTERNATIVES: tuple[Formula, ...] = (
    _weighted("equal weights", f"{_TABLE}; neither distance nor window weighs", equal),
    _weighted(
        "linear decay", f"{_TABLE}; 1 - d/365 at least 0, window factor kept", linear_and_long
    ),
    *(
        _weighted(
            f"alpha {alpha:g}",
            f"{_TABLE}; 1/(1 + {alpha:g} d), window factor kept",
            partial(near_and_long, alpha=alpha),
        )
        for alpha in (0.0, 0.08, 0.16)
    ),
    _rescaled(
        "Brier, rescaled",
        f"{_TABLE}; 100 (1 - 2 B), the paper's weights",
        squared_error,
        brier_percent,
        proper=True,
    ),
    _rescaled(
        "log loss, rescaled",
        f"{_TABLE}; 100 (1 - LL / (2 ln 2)), the paper's weights; clip {LOG_CLIP:g}, found by reproduction",
        log_error,
        log_percent,
        proper=True,
    ),
    _rescaled(
        "hyperbolic",
        f"{_TABLE}; 100 / (1 + weighted mean |p - y|)",
        absolute_error,
        hyperbolic_percent,
    ),
)
"""The eight calibration formulas of the paper's Table 5 beside its own, in its order."""

_SETS: Mapping[str, Callable[[float], RuleSet]] = {
    "paper": lambda _: PAPER,
    "overview": _overview,
    "proper": lambda _: PROPER,
    "forecast": lambda _: FORECAST,
    "sim": lambda _: SIM,
}
RULE_SETS: tuple[str, ...] = tuple(_SETS)
"""Names that `rule_set` knows."""


def rule_set(name: str, *, horizon: float = float(HORIZON)) -> RuleSet:
    """The rule set of a name; `horizon` is T of overview in days. BadInput for others, and for a T <= 0."""
    if name not in _SETS:
        raise BadInput(f"no rule set is named {name!r}; use {', '.join(RULE_SETS)}")
    return _SETS[name](horizon)
