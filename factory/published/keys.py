"""Labels of published questions in one vocabulary, and the key that stands in for an id the page does not give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

UNKNOWN = "unknown"
"""Label of rows that do not state what is asked for."""
DIMENSIONS: Mapping[str, str] = {
    "event": "event",
    "policy": "policy",
    "opinion": "opinion",
    "public opinion": "opinion",
    "figures": "figures",
    "事件": "event",
    "政策": "policy",
    "舆论": "opinion",
    "舆情": "opinion",
    "数字": "figures",
}
"""Published dimensions of both editions; about twenty stray labels (186 questions an edition) are "other"."""

_TYPE = re.compile(r"([A-D])_(?:true|false)")


@lru_cache(maxsize=1024)
def dimension_of(label: str) -> str:
    """event, policy, opinion, figures or other in either edition; unknown without a label."""
    return DIMENSIONS.get(label.strip().lower(), "other") if label else UNKNOWN


def type_of(label: str) -> str:
    """A, B, C or D; any other label as it stands, unknown without one."""
    match = _TYPE.fullmatch(label)
    return match[1] if match else label or UNKNOWN


def question_key(
    kind: str, window: float, distance: float, truth: float, difficulty: str, dimension: str
) -> str:
    """The fields on which both editions agree, as one key: the page gives a question no id.

    Days are whole numbers. Several questions of a point may share a key.
    """
    return f"{kind}.{window:.0f}.{distance:.0f}.{truth:.0f}.{difficulty}.{dimension_of(dimension)}"


def event_key(eid: object, position: int) -> str:
    """The published id of a dated event, or its place in the list, counted from 1, where it has none."""
    return eid if isinstance(eid, str) and eid else f"#{position + 1}"
