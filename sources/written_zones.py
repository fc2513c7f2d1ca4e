"""The zone written behind a time: +0800, GMT+8, EST, ET, Eastern Time, 北京时间, 美东时间, Europe/Paris."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schemas.item import TzSource
from sources.moments import Untold

_OFFSETS = {
    "UTC": 0, "GMT": 0, "Z": 0, "UT": 0, "WET": 0, "BST": 60, "WEST": 60, "CET": 60, "MET": 60,
    "CEST": 120, "MEST": 120, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180, "IST": 330,
    "HKT": 480, "SGT": 480, "AWST": 480, "BJT": 480, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660,
    "NZST": 720, "NZDT": 780, "EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360,
    "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "ADT": -180, "NST": -210, "NDT": -150,
    "BRT": -180, "ART": -180, "WAT": 60, "CAT": 120, "SAST": 120, "EAT": 180, "TRT": 180, "GST": 240, "PKT": 300,
    "NPT": 345, "ICT": 420, "WIB": 420, "WITA": 480, "WIT": 540, "PHT": 480, "MYT": 480, "ACST": 570, "ACDT": 630,
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
_SPOKEN = {
    "America/New_York": "eastern|new york|美东|美國東部|美国东部|纽约|紐約|华盛顿|華盛頓",
    "America/Chicago": "central|chicago|美国中部|芝加哥",
    "America/Denver": "mountain|denver|美国山区",
    "America/Los_Angeles": "pacific|los angeles|美西|美國西部|美国西部|太平洋|洛杉矶|旧金山",
    "America/Halifax": "atlantic",
    "America/Anchorage": "alaska",
    "Pacific/Honolulu": "hawaii",
    "America/Sao_Paulo": "bras[ií]lia|巴西利亚",
    "Asia/Shanghai": "beijing|china|北京|上海|中国|中國",
    "Asia/Hong_Kong": "hong kong|香港",
    "Asia/Taipei": "taipei|taiwan|台北|臺北|台湾|台灣",
    "Asia/Singapore": "singapore|新加坡",
    "Asia/Tokyo": "tokyo|japan|东京|東京|日本",
    "Asia/Seoul": "seoul|korea|首尔|首爾|韩国",
    "Asia/Kolkata": "india|indian|印度|新德里",
    "Asia/Dubai": "dubai|gulf|迪拜",
    "Asia/Tehran": "tehran|iran|德黑兰",
    "Asia/Jerusalem": "israel|jerusalem|以色列",
    "Europe/Moscow": "moscow|莫斯科",
    "Europe/Kyiv": "kyiv|kiev|基辅",
    "Europe/London": "london|british|uk|伦敦|倫敦|英国",
    "Europe/Paris": "paris|central european|巴黎|欧洲中部",
    "Europe/Berlin": "berlin|柏林",
    "Europe/Athens": "eastern european",
    "Australia/Sydney": "sydney|悉尼",
    "UTC": "greenwich mean|coordinated universal|universal|格林尼治标准|格林尼治|世界标准|协调世界",
}
"""IANA zone -> names that stand before `time` (`standard time`, `daylight time`) or 时间."""
_ZONES = list(_SPOKEN)
_SPOKEN_ZONE = re.compile(
    rf"(?<![a-z])(?:{'|'.join(f'({names})' for names in _SPOKEN.values())})"
    r"(?:\s*(?:(?:standard |daylight |summer )?time\b|(?:标准|夏令)?[时時][间間]))",
    re.IGNORECASE,
)
_IANA_ZONE = re.compile(
    r"(?<![\w/])((?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)(?:/[A-Z][A-Za-z_]{1,20}){1,2})(?![\w/])"
)
_OTHER_NAME = (
    r"(?!POST|EDIT|NEXT|LAST|TEXT|BEST)[A-Z]{2,4}T(?![A-Za-z&])|"
    r"(?!Local|Reading|Read|Publish|Update|Post|Issue|Release|First|Last|At)[A-Z][a-z]+(?: [A-Z][a-z]+){0,2} [Tt]ime\b"
)
_OTHER_ZONE = re.compile(rf"[\s(\[]*(?:(?:UTC|GMT)?[+-]\s?\d\d(?::?\d\d)?(?!\d)|{_OTHER_NAME})")
"""What stands behind a time as a zone does, whatever it names."""
_NUMERIC_ZONE = re.compile(
    r"(?:UTC|GMT)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?(?!\d|:)", re.IGNORECASE
)
_NAMED_ZONE = re.compile(r"(?<![A-Za-z/&])([A-Z]{1,4})(?![A-Za-z/&])")
_ALONE = re.compile(r"\s*(?:$|[^\w\s&])")
"""What follows a zone of two letters: `at 8:30 AT THE PORT` and `CT scan` name none."""

_LEAD = re.compile(r"[\s,]*[(\[]?\s*")
_SURE_OFFSET = re.compile(
    r"(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::?[0-5]\d)?(?![\d:])|[+-]\d\d:?[0-5]\d(?![\d:])", re.IGNORECASE
)
_GLUED = re.compile(r"(?:Z|[+-]\d\d)(?![\w:])")
_OTHER = re.compile(_OTHER_NAME)
_ALSO_WORDS = frozenset({*_PLACES, "MET", "EAT", "CAT", "ART", "WAT", "WIT", "ICT", "Z", "UT"})
"""Names of zones that are words or names of other things as well."""
_GOES_ON = re.compile(
    r"\s*(?:$|[^\w\s&]|\d|(?:by|updated|published|posted|share|comments?)\b|来源|來源|作者|编辑|编輯|发布|發布)",
    re.IGNORECASE,
)
"""What follows the zone of a stamp in its line."""


class UnknownZone(Untold):
    """A zone is written, but not one that is known: the day may be another in the source's."""


def read_zone(rest: str, at: datetime, here: ZoneInfo) -> tuple[tzinfo, TzSource] | None:
    """The zone in the text behind a time: a number, a name that the source's zone uses, or a known name.

    CST is China's for a source at +08:00, else America's; it counts as assumed. UnknownZone when the text goes on
    with a zone that is not understood.
    """
    match = _NUMERIC_ZONE.match(rest.lstrip(" (["))
    if match is not None and int(match[2]) <= 14:
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes)), "explicit"
    if (match := _SPOKEN_ZONE.search(rest)) is not None:
        return ZoneInfo(_ZONES[(match.lastindex or 1) - 1]), "explicit"
    if (match := _IANA_ZONE.search(rest)) is not None:
        try:
            return ZoneInfo(match[1]), "explicit"
        except ZoneInfoNotFoundError as none:
            raise UnknownZone("its zone is not known") from none
    for match in _NAMED_ZONE.finditer(rest):
        name = match[1]
        if name == "CST":
            chinese = at.replace(tzinfo=here).utcoffset() == timedelta(hours=8)
            return timezone(timedelta(hours=8 if chinese else -6)), "assumed"
        if name == at.replace(tzinfo=here).tzname():
            return here, "explicit"
        if name in _PLACES and _ALONE.match(rest, match.end()):
            return ZoneInfo(_PLACES[name]), "explicit"
        if name in _OFFSETS:
            return timezone(timedelta(minutes=_OFFSETS[name])), "explicit"
    if _OTHER_ZONE.match(rest):
        raise UnknownZone("its zone is not known")
    return None


def zone_behind(rest: str) -> str | None:
    """The zone that stands right behind a time in a line with other words, as it is written.

    Empty when none does; none when what stands there may as well be another word (MET Office, ICT department).
    A zone that is not known counts, so that `read_zone` refuses it.
    """
    lead = _LEAD.match(rest)
    start = lead.end() if lead else 0
    if match := _GLUED.match(rest):
        return match[0]
    for pattern in (_SURE_OFFSET, _SPOKEN_ZONE, _IANA_ZONE):
        if match := pattern.match(rest, start):
            return rest[: match.end()]
    match = _NAMED_ZONE.match(rest, start)
    if match is not None and (match[1] in _OFFSETS or match[1] in _PLACES or match[1] == "CST"):
        if match[1] in _ALSO_WORDS and not _GOES_ON.match(rest, match.end()):
            return None
        return rest[: match.end()]
    other = _OTHER.match(rest, start)
    return rest[: other.end()] if other else ""


def zone_before(text: str) -> int:
    """Where the zone in words begins with which a text ends, else its length: 北京时间2026年3月5日 8:30."""
    for match in _SPOKEN_ZONE.finditer(text):
        if not text[match.end() :].strip(" ,:"):
            return match.start()
    return len(text)
