"""A published row as a record: its fields verbatim, and what follows from them.

Field names differ between the project page (wd, dfc, gt, desc) and the dataset layout (window_days,
days_from_cutoff, answer, event_desc); both are known here, each checked where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from factory.published import values
from factory.published.windows import days_ahead
from schemas import Axis, ForeignQuestion, Lang

TEXTS: dict[Axis, tuple[str, ...]] = {
    "calibration": ("q", "event_desc"),
    "temporal": ("event", "event_desc", "desc"),
}
ANSWERS = ("answer", "gt")
DATES = ("date", "gt_date", "gt")
WINDOWS = ("window_days", "wd")
DISTANCES = ("days_from_cutoff", "dfc")
TARGET = "d_target"

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class FieldError(ValueError):
    """A field that holds what it cannot hold; the message names it."""


def day(fields: Mapping[str, Any], name: str) -> date | None:
    """A day YYYY-MM-DD; None where the field is absent, null or empty."""
    value = fields.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise FieldError(f"{name} is {value!a}, not a day YYYY-MM-DD"[:200])


def whole(fields: Mapping[str, Any], names: tuple[str, ...], *, least: int) -> int | None:
    """A whole number under the first name that stands; None where none does."""
    for name in names:
        value = fields.get(name)
        if value is None:
            continue
        days = values.whole(value)
        if days is None or not least <= days <= values.FARTHEST:
            raise FieldError(f"{name} is {value!a}, not a number of days"[:200])
        return int(days)
    return None


def text(fields: Mapping[str, Any], axis: Axis) -> str:
    """The question or event in words."""
    for name in TEXTS[axis]:
        value = fields.get(name)
        if value is not None:
            if isinstance(value, str) and value.strip():
                return value
            raise FieldError(f"{name} is {value!a}, not a text"[:200])
    raise FieldError(f"there is no {' or '.join(TEXTS[axis])}")


def outcome(fields: Mapping[str, Any]) -> int:
    """0 or 1, the same under every name that stands."""
    given = [(name, fields[name]) for name in ANSWERS if fields.get(name) is not None]
    if not given:
        raise FieldError(f"there is no {' or '.join(ANSWERS)}")
    for name, value in given:
        if type(value) is not int or value not in (0, 1):
            raise FieldError(f"{name} is {value!a}, not 0 or 1"[:200])
    if len({value for _, value in given}) > 1:
        raise FieldError("answer and gt disagree")
    return int(given[0][1])


def happened(fields: Mapping[str, Any]) -> date:
    """The day of a dated event."""
    for name in DATES:
        found = day(fields, name)
        if found is not None:
            return found
    raise FieldError(f"there is no {', '.join(DATES[:-1])} or {DATES[-1]}")


def foreign_question(
    fields: dict[str, Any],
    *,
    ref: str,
    event: str,
    point_id: str,
    axis: Axis,
    edition: Lang,
    cutoff: date | None,
) -> ForeignQuestion:
    """The record of a row; FieldError names the field that cannot be used.

    The target day is the one stated (d_target; of a dated event its own day). A question without it gets
    cutoff + stored distance, which is what the published exam prints as its target date. The window's end is
    derived only where there is no doubt: the text itself counts the stored window from the cutoff ("within the
    next 7 days", "未来7天内"), or the target day ends a window that starts at the cutoff, so that it is the same
    counted from either. All other texts count from a target day, or do not say.
    """
    words = text(fields, axis)
    distance = whole(fields, DISTANCES, least=-values.FARTHEST)
    window_end = None
    if axis == "temporal":
        target: date | None = happened(fields)
    else:
        outcome(fields)
        window = whole(fields, WINDOWS, least=1)
        target = day(fields, TARGET)
        if cutoff is not None:
            if target is None and distance is not None:
                target = _later(cutoff, distance)
            end = None if window is None else _later(cutoff, window)
            if end is not None and (end == target or days_ahead(words, edition) == window):
                window_end = end
    return ForeignQuestion(
        ref=ref,
        event=event,
        point_id=point_id,
        axis=axis,
        edition=edition,
        fields=fields,
        cutoff=cutoff,
        window_end=window_end,
        target=target,
    )


def _later(start: date, days: int) -> date | None:
    try:
        return start + timedelta(days=days)
    except OverflowError:
        return None
