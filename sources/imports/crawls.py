"""When a row was crawled, and what its publication time is worth against that.

"3天前" is counted back from the crawl. A row that does not say when that was has no such date: counted from the import,
the same file would give another day each time it is read.
"""

from __future__ import annotations

from datetime import datetime

from sources.base import SourceContext
from sources.times import Moment, read_time

UNCRAWLED = "relative to a crawl that its row does not date"
"""Why a time such as 3天前 is no date."""


def crawl_time(raw: object, context: SourceContext, zone: str = "") -> datetime | None:
    """The instant of a row's crawl; none when it is not given, or itself only relative to something."""
    if raw is None or raw == "":
        return None
    moment = read_time(raw, fetched_at=context.fetched_at, zone=zone or context.zone)
    return None if moment.tz_source == "relative" else moment.at


def published(
    raw: object, crawled: datetime | None, context: SourceContext, zone: str = ""
) -> Moment:
    """The publication time of a row that was crawled then; a relative one needs the crawl."""
    moment = read_time(raw, fetched_at=crawled or context.fetched_at, zone=zone or context.zone)
    if crawled is None and moment.tz_source == "relative":
        return Moment(note=UNCRAWLED)
    return moment
