"""The table of sources, and one cheap call to each that is configured.

A check makes the smallest request that needs the same address and credentials as a search: it tells a wrong
key, a blocked machine or a wrong address before a run does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

from factory.sections import CollectSettings
from schemas import Outcome, SourceCheck, SourceQuery, SourceStatus
from sources.base import Connector, Cursor, Importer, SourceContext, SourceError
from sources.http import Http
from sources.registry import broken, connector, connectors

PATIENCE = 10.0
"""Most seconds a request of a check may take."""
KNOWN: Mapping[str, str] = {"youtube": "jNQXAC9IVRw", "x": "20"}
"""Where a search is scarce or paid, one thing that exists is looked up instead: the first video, an early post."""
QUERIES: Mapping[str, str] = {
    "reddit": "r/announcements",
    "mastodon": "#news",
    "hackernews": "event factory forecasting benchmark",
    "gdelt": "ferry",
    "wayback": "http://example.com/",
}
"""Queries for the others; words that few things hold where all results come before the first."""
WORDS = "news"
"""The query of a source that is not listed, such as a plug-in's."""


def status(
    env: Mapping[str, str],
    *,
    check: CollectSettings | None = None,
    now: datetime | None = None,
    http: Http | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[SourceStatus]:
    """Every connector, then every importer, then those that cannot be loaded; checked when settings are given.

    `http` replaces the guarded client, for tests; `now` ends the days that are searched.
    """
    rows = [_described(source, env) for source in connectors()]
    if check is not None:
        with ExitStack() as stack:
            client = http or stack.enter_context(closing(_client(check)))
            context = SourceContext(
                fetched_at=now or datetime.now(UTC),
                zone="UTC",
                salt="check",
                http=client,
                env=env,
                settings=check.model_dump() | {"timeout": min(check.timeout, PATIENCE)},
            )
            rows = [
                row.model_copy(update={"check": _check(connector(row.name), context, clock)})
                if row.kind == "connector"
                else row
                for row in rows
            ]
    return rows + [
        SourceStatus(name=name, kind=kind, configured=False, fault=fault)
        for kind, name, fault in broken()
    ]


def _client(settings: CollectSettings) -> Http:
    return Http(
        user_agent=settings.user_agent,
        timeout=min(settings.timeout, PATIENCE),
        max_bytes=settings.max_bytes,
        per_host_seconds=0.0,
        respect_robots=settings.respect_robots,
        proxy=settings.proxy,
        retries=0,
    )


def failed(rows: list[SourceStatus]) -> list[SourceStatus]:
    """Rows whose check failed, and plug-ins that cannot be loaded."""
    return [
        row for row in rows if row.fault or (row.check is not None and row.check.state == "failed")
    ]


def offline(rows: list[SourceStatus]) -> bool:
    """Whether calls were made and not one of them brought an answer of any kind."""
    made = [
        row.check for row in rows if row.check is not None and row.check.state in ("ok", "failed")
    ]
    return bool(made) and all(check.outcome == "error" for check in made)


def _described(source: type[Connector] | type[Importer], env: Mapping[str, str]) -> SourceStatus:
    if issubclass(source, Connector):
        missing = source.missing(env)
        return SourceStatus(
            name=source.name,
            kind="connector",
            needs=source.needs,
            optional=source.optional,
            missing=missing,
            configured=not missing,
            takes=source.takes,
            window=source.window,
            cap=source.cap,
        )
    return SourceStatus(
        name=source.name,
        kind="importer",
        configured=True,
        takes=source.reads,
        window=source.window,
        cap=source.cap,
    )


def _check(
    found: type[Connector], context: SourceContext, clock: Callable[[], float]
) -> SourceCheck:
    missing = found.missing(context.env)
    if missing:
        return SourceCheck(state="not configured", note=f"set {' and '.join(missing)}")
    words, nothing = _query(found, context)
    if nothing:
        return SourceCheck(state="not checked", note=nothing)
    source = found(replace(context, cursor=Cursor()))
    started = clock()
    problem, there = "", False
    try:
        there = _call(source, words)
    except SourceError as error:
        problem = str(error)
    seconds = round(max(clock() - started, 0.0), 3)
    outcomes = source.report.outcomes
    outcome = next((name for name in get_args(Outcome) if outcomes[name]), None)
    if not problem and (there or outcome in ("ok", "empty")):
        return SourceCheck(state="ok", outcome=outcome or "ok", seconds=seconds)
    return SourceCheck(
        state="failed", outcome=outcome, seconds=seconds, note=problem or _why(source)
    )


def _call(source: Connector, words: str) -> bool:
    """The one call of a check: whether it brought something. SourceError whatever a plug-in's code raises."""
    try:
        if source.name in KNOWN:
            return source.still_there([KNOWN[source.name]])[KNOWN[source.name]] is True
        return _search(source, words)
    except SourceError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise SourceError(
            f"the source {source.name!r} failed ({type(error).__name__}: {reason})"
        ) from error


def _query(found: type[Connector], context: SourceContext) -> tuple[str, str]:
    """The query of a check, or why there is nothing to ask without one of the user's."""
    if found.name == "rss":
        feeds = context.setting("feeds", ())
        return (str(feeds[0]), "") if feeds else ("", "no feed to ask; name some in collect.feeds")
    if found.asks != "words" and found.name not in QUERIES:
        return "", "it takes an address that somebody gives, so there is none to ask"
    return QUERIES.get(found.name, WORDS), ""


def _search(source: Connector, words: str) -> bool:
    """Search the last two days for one item and stop at the first one. Whether there was one."""
    today = source.context.fetched_at.date()
    query = SourceQuery(source=source.name, query=words, lang="en", max_items=1)
    results = source.search(query, today - timedelta(days=2), today)
    try:
        return next(results, None) is not None
    finally:
        close = getattr(results, "close", None)
        if close is not None:
            close()


def _why(source: Connector) -> str:
    """Why a call gave nothing, in the connector's own words."""
    details = [refusal.detail for refusal in source.report.refusals if refusal.detail]
    reasons = [refusal.reason for refusal in source.report.refusals]
    said = [*details, *source.report.notes, *reasons]
    return said[0] if said else "it gave nothing and did not say why"
