"""Stamps told by the moment of fetching: 昨天 12:30, 3天前 23:05, 上周五, yesterday at 3 pm, last Friday, just now.

Such words are found in names and headlines as well ("The Sun", 周日报, 今日头条), so that they are read only when
they cover the stamp: but for a clock and its zone, the words that say what was done ("发布于", "Posted") and where
or by whom, nothing else may be there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from sources.ago import counted_back, find_ago
from sources.calendar import (
    EN_RELATIVE_DAYS,
    EN_WEEKDAY_NUMBER,
    ZH_DAY_PARTS,
    ZH_RELATIVE_DAYS,
    ZH_WEEKDAY_NUMBER,
)
from sources.clocks import Clock, read_clock
from sources.moments import Moment, Untold, whole_day
from sources.written_zones import read_zone

_HEAD = re.compile(
    r"(?:(?:首次|最后|最後)?(?:发布|發布|發佈|发表|發表|编辑|編輯|回复|回覆|上传|上傳|刊登|创建|時間|时间|日期)"
    r"(?:于|於|時間|时间|日期)?|(?:(?:first|last|originally)\s+)?(?:posted|published|edited|created|"
    r"submitted|uploaded|streamed(?:\s+live)?|premiered|commented|replied|added)(?:\s+by\s+\S+|\s+on)?\b)?\s*:?\s*",
    re.IGNORECASE,
)
"""What was done at the time, in front of it."""
_TAIL = re.compile(
    r"\s*(?:发布|發布|發佈|发表|發表|更新|回复|回覆|已?编辑过?|\(?(?:edited|已编辑)\)?)?\s*[,.;。，)]?\s*"
    r"(?:(?:来源|來源|来自|來自|\b(?:via|by|from)\b).*)?",
    re.IGNORECASE | re.DOTALL,
)
"""What may stand behind a time: what was done, and from whom or what it came."""
_PLACE = re.compile(r"\s+(?:IP属地:?\s*)?[\u4e00-\u9fff]{2,10}\s*")
"""A place behind a time, as Chinese platforms print it."""
_ZONE_WORDS = re.compile(
    r"\s*[(\[]?\s*(?:(?:UTC|GMT)?\s*[+-]\s*\d{1,2}(?::?\d\d)?(?![\d:])|北京时间|北京時間|[A-Z]{1,4}\b)?\s*[)\]]?"
)
_BEFORE_CLOCK = re.compile(
    r"\s*[,，]?\s*(?:at\b|around\b|about\b|的|约|約)?\s*(北京时间|北京時間)?\s*[,，]?\s*",
    re.IGNORECASE,
)
_PART_OF_DAY = re.compile(
    rf"\s*的?(?:{'|'.join(ZH_DAY_PARTS)}|morning|afternoon|evening|night)?", re.IGNORECASE
)
_NOW = re.compile(
    r"(?:刚刚|剛剛|刚才|剛才|方才|just now|now|moments? ago|less than a minute ago)", re.IGNORECASE
)


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_DAY = re.compile(
    rf"(?P<zh>{_any(ZH_RELATIVE_DAYS)})|(?P<en>{_any(EN_RELATIVE_DAYS)})\b"
    rf"|(?P<zh_which>上上|上|本|这|這|下)?[个個]?(?P<zh_weekday>{_any(ZH_WEEKDAY_NUMBER)})"
    rf"|(?:on\s+)?(?P<en_which>last\s+|this\s+)?(?P<en_weekday>{_any(EN_WEEKDAY_NUMBER)})\b\.?",
    re.IGNORECASE,
)
_ON = re.compile(r"\s*,?\s*(?:on\s+)?", re.IGNORECASE)
_SEPARATORS = re.compile(r"[·•|｜\n]")


def read_relative(text: str, now: datetime, here: ZoneInfo) -> Moment | None:
    """The moment of a stamp that is covered by words relative to `now`, which is in the source's zone `here`.

    None when it is not. ValueError as `read_clock` raises it, Untold for an uncounted time ago.
    """
    pieces = [piece.strip() for piece in _SEPARATORS.split(text) if piece.strip()]
    if len(pieces) == 1:
        return _read(pieces[0], now, here, alone=True)
    for piece in pieces:
        others = "".join(other for other in pieces if other is not piece)
        if not re.search(r"\d", others):
            alone = others.lower() in ("edited", "已编辑")
            if (moment := _read(piece, now, here, alone=alone)) is not None:
                return moment
    return None


def _read(piece: str, now: datetime, here: ZoneInfo, *, alone: bool) -> Moment | None:
    head = _HEAD.match(piece)
    text = piece[head.end() :] if head else piece
    match = _NOW.match(text)
    if match is not None and _covers(text[match.end() :], place=True):
        return Moment(now.astimezone(UTC), "minute", "relative", 0.8)
    return _counted(text, now, here, alone=alone) or _named(text, now, here, alone=alone)


def _covers(rest: str, *, place: bool) -> bool:
    """Whether nothing is left of a stamp behind its time."""
    return bool(_TAIL.fullmatch(rest) or (place and _PLACE.fullmatch(rest)))


def _counted(text: str, now: datetime, here: ZoneInfo, *, alone: bool) -> Moment | None:
    ago = find_ago(text)
    if ago is None or (ago.bare and not alone):
        return None
    rest = text[ago.end :]
    if _covers(rest, place=not ago.bare):
        return counted_back(ago, now)
    if ago.days is None or ago.bare:
        return None
    back = -ago.days
    return _at_clock(read_clock(rest), lambda _: back, now, here)


def _named(text: str, now: datetime, here: ZoneInfo, *, alone: bool) -> Moment | None:
    match = _DAY.match(text)
    if match is None:
        return _behind_clock(text, now, here)
    rest = text[match.end() :]
    if _distance(match, now) > 0:
        raise Untold("later than its fetch")
    part = _own_part(match["zh"] or "")
    end = _PART_OF_DAY.match(rest)
    left = rest[end.end() :] if end else rest
    word = match["zh"] or match["en"]
    if (alone or word) and _covers(left, place=False):
        return whole_day(_day(now, _distance(match, now)), here, 0.75, "relative")
    return _at_clock(read_clock(rest, part), partial(_distance, match), now, here)


def _behind_clock(text: str, now: datetime, here: ZoneInfo) -> Moment | None:
    """A day that is named behind its clock: 3 pm yesterday, 12:30 Friday."""
    clock = read_clock(text)
    if clock is None or clock.before.strip():
        return None
    link = _ON.match(clock.rest)
    match = _DAY.match(clock.rest, link.end() if link else 0)
    if match is None or not _covers(clock.rest[match.end() :], place=True):
        return None
    spoken = Clock(clock.offset, clock.precision, "", "")
    return _at_clock(spoken, partial(_distance, match), now, here)


def _own_part(word: str) -> str:
    """The part of the day in a word such as 昨晚."""
    return {"晚": "晚上", "夜": "晚上", "早": "早上", "晨": "早上", "午": "中午"}.get(word[-1:], "")


def _distance(match: re.Match[str], now: datetime) -> int:
    """Days from the day of `now` to the one that is named."""
    if match["zh"]:
        return ZH_RELATIVE_DAYS[match["zh"]]
    if match["en"]:
        return EN_RELATIVE_DAYS[match["en"].lower()]
    if match["zh_weekday"]:
        ahead = ZH_WEEKDAY_NUMBER[match["zh_weekday"]] - now.weekday()
        weeks = {"上上": -2, "上": -1, "下": 1}.get(match["zh_which"] or "", 0)
        return ahead + 7 * weeks - (7 if match["zh_which"] is None and ahead > 0 else 0)
    which = (match["en_which"] or "").lower().strip()
    ahead = EN_WEEKDAY_NUMBER[match["en_weekday"].lower()] - now.weekday()
    if which == "this":
        return ahead
    return -(7 if which == "last" and ahead == 0 else -ahead % 7)


def _day(now: datetime, days: int) -> date:
    return (now + timedelta(days=days)).date()


def _at_clock(
    clock: Clock | None, distance: Callable[[datetime], int], now: datetime, here: ZoneInfo
) -> Moment | None:
    """The moment of a clock on a day; none when the words around the clock are not about it."""
    if clock is None:
        return None
    link = _BEFORE_CLOCK.fullmatch(clock.before)
    behind = _ZONE_WORDS.match(clock.rest)
    left = clock.rest[behind.end() :] if behind else clock.rest
    if link is None or not (_covers(left, place=True) or _covers(clock.rest, place=True)):
        return None

    def naive(seen: datetime) -> datetime:
        day = _day(seen, distance(seen))
        return datetime(day.year, day.month, day.day) + clock.offset  # noqa: DTZ001

    zone = read_zone(link[1] or (behind[0] if behind else ""), naive(now), here)
    # days are counted where the clock is read
    at = (
        naive(now.astimezone(zone[0])).replace(tzinfo=zone[0])
        if zone
        else naive(now).replace(tzinfo=here)
    )
    return Moment(at.astimezone(UTC), clock.precision, "relative", 0.85)
