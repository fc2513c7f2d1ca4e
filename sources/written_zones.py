"""The zone written behind a time: +0800, GMT+8, EST, ET, 北京时间."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from schemas.item import TzSource

_OFFSETS = {
    "UTC": 0, "GMT": 0, "Z": 0, "UT": 0, "WET": 0, "BST": 60, "WEST": 60, "CET": 60, "MET": 60,
    "CEST": 120, "MEST": 120, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180, "IST": 330,
    "HKT": 480, "SGT": 480, "AWST": 480, "BJT": 480, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660,
    "NZST": 720, "NZDT": 780, "EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360,
    "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "北京时间": 480, "北京時間": 480,
}  # fmt: skip
"""Minutes east of UTC. CST is absent: it is China's or America's by the publisher."""
_PLACES = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
    "AT": "America/Halifax",
}
"""Names of North American zones that hold all year, with and without daylight saving."""
_NUMERIC_ZONE = re.compile(
    r"(?:UTC|GMT)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?(?!\d|:)", re.IGNORECASE
)
_NAMED_ZONE = re.compile(r"(北京时间|北京時間)|(?<![A-Za-z])([A-Z]{1,4})(?![A-Za-z])")


def read_zone(rest: str, at: datetime, here: ZoneInfo) -> tuple[tzinfo, TzSource] | None:
    """The zone in the text behind a time: a number, a name that the source's zone uses, or a known name.

    CST is China's for a source at +08:00, else America's; it counts as assumed.
    """
    match = _NUMERIC_ZONE.match(rest.lstrip(" (["))
    if match is not None and int(match[2]) <= 14:
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes)), "explicit"
    for match in _NAMED_ZONE.finditer(rest):
        name = match[1] or match[2]
        if name == "CST":
            chinese = at.replace(tzinfo=here).utcoffset() == timedelta(hours=8)
            return timezone(timedelta(hours=8 if chinese else -6)), "assumed"
        if name == at.replace(tzinfo=here).tzname():
            return here, "explicit"
        if name in _PLACES:
            return ZoneInfo(_PLACES[name]), "explicit"
        if name in _OFFSETS:
            return timezone(timedelta(minutes=_OFFSETS[name])), "explicit"
    return None
