"""What a plan must hold before anything is asked, whether a model wrote it or a person edited it.

Stage plan checks what it makes; stage collect checks `00_plan/plan.json` again, since it may be edited, and by then
the event must still be over. What is wrong is said with the place where it is corrected.
"""

from __future__ import annotations

import unicodedata
from datetime import date, datetime
from zoneinfo import ZoneInfo

from factory.errors import BadInput
from factory.workspace import PLAN, Workspace
from schemas import Plan, is_zone

MIN_DAYS = 28
"""Days of the shortest event, first and last included."""
EARLIEST = date(1800, 1, 1)
"""First day of a window: years before are slips of the pen, and some platforms' ids cannot be counted back to them."""
MAX_QUERY = 400
"""Characters of a query; longer ones are no search."""
MAX_ADDRESS = 2000
"""Characters of a query with an address, whose escapes take nine for one Chinese character."""


def check_zone(name: str) -> None:
    """BadInput for a time zone that this machine does not know."""
    if not is_zone(name):
        raise BadInput(
            f"{name!r} is no time zone; write an IANA name such as Asia/Shanghai or Europe/Paris"
        )


def check_window(
    now: datetime,
    since: date | None,
    until: date | None,
    zone: str,
    *,
    since_by: str = "--since",
    until_by: str = "--until",
) -> None:
    """BadInput for a window that is too short, too early, or of an event that is not over.

    `since_by` and `until_by` are what a person sets its days by.
    """
    today = now.astimezone(ZoneInfo(zone if is_zone(zone) else "UTC")).date()
    for day in (since, until):
        if day is not None and day >= today:
            raise BadInput(
                f"the event is still unfolding on {day} (today is {today}); "
                f"set {until_by} to a day in the past or come back when it is over"
            )
    if since is not None and since < EARLIEST:
        raise BadInput(
            f"the window begins on {since}, before {EARLIEST}; correct the year of {since_by}"
        )
    if since is not None and until is not None and until < since:
        raise BadInput(
            f"the window ends on {until}, before it begins on {since}; an event needs at least {MIN_DAYS} days, "
            f"so correct {since_by} or {until_by}"
        )
    if since is not None and until is not None and (until - since).days + 1 < MIN_DAYS:
        raise BadInput(
            f"the window {since} to {until} has {(until - since).days + 1} days; "
            f"an event needs at least {MIN_DAYS}, so widen {since_by} or {until_by}"
        )


def unfit_words(words: str) -> tuple[str, str] | None:
    """Why no source can be asked for the words, as a reason and its detail; None when one can be."""
    if not words.strip():
        return "empty query", ""
    most = MAX_ADDRESS if "://" in words else MAX_QUERY
    if len(words) > most:
        return "query too long", f"{len(words)} characters, at most {most}"
    if any(unicodedata.category(char) == "Cc" for char in words):
        return "control characters", "a query is one line of plain text"
    return None


def read_plan(workspace: Workspace, now: datetime) -> Plan:
    """The plan as it lies in the event's folder, where a person may have edited it.

    Raises WorkspaceError when it is no plan at all, BadInput for a window or words that cannot be used. What each
    source takes is the caller's to check.
    """
    plan = workspace.read(Plan, PLAN)
    check_window(
        now, plan.since, plan.until, plan.zone, since_by=f"since in {PLAN}", until_by=f"until in {PLAN}"
    )  # fmt: skip
    asked: dict[tuple[str, str, str], int] = {}
    for number, query in enumerate(plan.queries, 1):
        why = unfit_words(query.query)
        if why is not None:
            detail = f" ({why[1]})" if why[1] else ""
            raise BadInput(
                f"query {number} of {PLAN}, {query.source} {query.query[:40]!r}, cannot be asked: "
                f"{why[0]}{detail}; correct it there"
            )
        same = (query.source, " ".join(query.query.split()), query.lang)
        first = asked.setdefault(same, number)
        if first != number:
            raise BadInput(
                f"queries {first} and {number} of {PLAN} ask {query.source} the same, {query.query[:40]!r}; "
                "remove one of them there"
            )
    return plan
