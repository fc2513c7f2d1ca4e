"""Stage collect: every query of the plan and every import becomes items, with a row of coverage each.

Items are stored in the event's database page by page with the query's cursor: after a kill a finished query
is never asked again, and one that was running or refused for now goes on at its cursor. What is outside the window or a copy of the
same thing is counted and rejected, not lost. With a recording, source traffic is answered from it and nothing
reaches the network.
"""

from __future__ import annotations

import calendar
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from factory import __version__
from factory.collected import Found, ItemStore
from factory.counting import count_of
from factory.credentials import NAMES, credentials, replayed
from factory.errors import BadInput, CassetteBroken, CassetteMiss, WorkspaceError
from factory.importing import Reading
from factory.planned import read_plan
from factory.querying import Querying
from factory.stage import StageContext
from schemas import Counts, Coverage, ImportSpec, Item, Plan, SourceQuery
from sources.base import Connector, SourceContext, SourceError
from sources.http import Http
from sources.registry import connector
from sources.traffic import TRAFFIC, RecordingBroken, RecordingMissing, traffic

PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
COVERAGE = "01_items/coverage.jsonl"


async def run(ctx: StageContext) -> Counts:
    """Write items.jsonl and coverage.jsonl.

    Raises BadInput for a plan that cannot be collected, a source that was asked for and lacks credentials or an
    import that cannot be read, CassetteMiss and CassetteBroken in replay, LimitReached when sources take no more
    requests for now.
    """
    plan = read_plan(ctx.workspace, ctx.now)
    env = credentials(
        ctx,
        {
            name
            for query in plan.queries
            for name in (*_class(query).needs, *_class(query).optional)
        },
    )
    queries = _usable(ctx, plan, env)
    with closing(ctx.workspace.connect()) as database:
        store = ItemStore(database, _session(ctx, plan), lambda item: in_window(item, plan))
        try:
            store.open(fresh=ctx.record_sources is not None)
            _collect(ctx, plan, queries, env, store).stop_if_waiting()
            ctx.rejections.extend(store.rejections(ctx.stage))
            received = store.count() + len(ctx.rejections)
            coverage = _coverage(ctx, plan, store)
            _reject_left_out(ctx, store)
            kept = Lines(store.kept())
            ctx.workspace.write_bytes(ITEMS, kept)
            ctx.workspace.write_lines(COVERAGE, coverage)
            store.complete()
        except sqlite3.DatabaseError as error:
            raise WorkspaceError(
                f"the database of {ctx.event.slug} cannot be used ({error}); move factory.db away and run again"
            ) from error
    for row in coverage:
        ctx.say(_covered(row))
    return Counts(received=received, kept=kept.count, rejected=len(ctx.rejections))


def _covered(row: Coverage) -> str:
    """How a query or an imported format ended, and why it gave nothing where it does not show."""
    ended = ", ".join(f"{name} {count}" for name, count in row.outcomes.items())
    shared = f", {row.shared} of them shared" if row.shared else ""
    outside = f", {row.outside} left out as outside the window" if row.outside else ""
    why = f": {row.note}" if row.note and not row.items and not row.outside else ""
    return (
        f"{row.source} {row.query}: {count_of(row.items, 'item')}{shared}{outside}"
        f"{f' ({ended})' if ended else ''}{why}"
    )


# -- what may be asked ---------------------------------------------------------------------------


def _class(query: SourceQuery) -> type[Connector]:
    try:
        return connector(query.source)
    except SourceError as error:
        raise BadInput(f"{error}; correct the queries of {PLAN}") from error


def _usable(ctx: StageContext, plan: Plan, env: Mapping[str, str]) -> list[SourceQuery]:
    """Queries whose source has its credentials.

    BadInput when one was asked for by name and has not, or when a query is not what its source takes.
    """
    if not plan.queries and not ctx.event.imports:
        raise BadInput(
            "the plan asks nothing and the event imports nothing; give --source, or --import with your files"
        )
    usable = []
    for query in plan.queries:
        missing = _class(query).missing(env)
        if not missing:
            if why := _class(query).unfit(query.query, env):
                raise BadInput(
                    f"the source {query.source} does not take {query.query[:60]!r} ({why}); correct the queries of {PLAN}"
                )
            usable.append(query)
        elif query.source in ctx.event.sources:
            raise BadInput(
                f"the source {query.source} needs {' and '.join(missing)} in the environment; "
                "set them or leave the source out"
            )
        else:
            ctx.reject(
                f"{query.source}: {query.query}", "no credentials", f"set {' and '.join(missing)}"
            )
    return usable


# -- asking --------------------------------------------------------------------------------------


def _collect(
    ctx: StageContext,
    plan: Plan,
    queries: list[SourceQuery],
    env: Mapping[str, str],
    store: ItemStore,
) -> Querying:
    settings = ctx.settings.collect
    replay = replayed(ctx) is not None
    http = Http(
        user_agent=settings.user_agent,
        timeout=settings.timeout,
        max_bytes=settings.max_bytes,
        per_host_seconds=0.0 if settings.proxy else settings.per_host_seconds,
        respect_robots=settings.respect_robots,
        proxy="" if replay else settings.proxy,
        replay=replay,
    )
    context = SourceContext(
        fetched_at=ctx.now,
        zone=plan.zone,
        salt=ctx.keys.salt,
        http=http,
        env=env,
        settings=settings.model_dump() | ({"proxy": ""} if replay else {}),
        replay=replay,
        recorded=replay or ctx.record_sources is not None,
    )
    querying = Querying(ctx, plan, context, store, _class)
    try:
        with _recorded(ctx, env) if queries else nullcontext():
            querying.ask_all(queries)
    finally:
        http.close()
    for spec in ctx.event.imports:
        _import(ctx, spec, context, store)
    return querying


def _import(ctx: StageContext, spec: ImportSpec, context: SourceContext, store: ItemStore) -> None:
    job = store.job("import", spec.model_dump_json())
    if store.is_done(job):
        return
    path = _import_path(ctx, spec)
    found = Reading(path, context, format_=spec.format, name=Path(spec.path).name)
    store.import_all(job, found, found.coverage, found.refusals)


def _import_path(ctx: StageContext, spec: ImportSpec) -> Path:
    if ctx.recording is None:
        return Path(spec.path).expanduser()
    root = (ctx.recording / "imports").resolve()
    path = (root / spec.path).resolve()
    if not path.is_relative_to(root):
        raise BadInput(
            f"the import {spec.path} lies outside the recording; imports of a recording are in its imports/"
        )
    return path


@contextmanager
def _recorded(ctx: StageContext, env: Mapping[str, str]) -> Iterator[None]:
    """One cassette around all source traffic: replayed, recorded, or none."""
    folder = ctx.record_sources or ctx.recording
    if folder is None:
        yield
        return
    record = ctx.record_sources is not None
    file = folder / TRAFFIC
    try:
        with traffic(file, record=record):
            yield
    except RecordingMissing as error:
        raise CassetteMiss(
            f"the recording {folder.name} holds no answer for {error.method} {error.address}; "
            "record its source traffic again with `factory cassette record`"
        ) from error
    except RecordingBroken as error:
        raise CassetteBroken(
            f"{file} cannot be read ({error}); restore it or record the run's sources again"
        ) from error
    if record:
        (folder / NAMES).write_text(json.dumps(sorted(env)) + "\n", encoding="utf-8")


# -- what is kept --------------------------------------------------------------------------------


class Lines:
    """Lines on their way to a file, counted."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self.count = 0
        """Lines given so far."""

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.count += 1
            yield line


def _reject_left_out(ctx: StageContext, store: ItemStore) -> None:
    for reason, item in store.left_out():
        detail = (
            f"{item.platform} {item.native_id}"
            if reason == "duplicate"
            else f"published {item.published_raw}"
        )
        ctx.reject(item.item_id, reason, detail[:200])


def _coverage(ctx: StageContext, plan: Plan, store: ItemStore) -> list[Coverage]:
    """A row for each query and imported format with what it found, and for each query that was not asked."""
    found = store.found()
    rows = []
    for job, row in store.coverage():
        own = found.get((job, row.source), Found())
        rows.append(
            row.model_copy(
                update={
                    "since": plan.since,
                    "until": plan.until,
                    "items": own.items,
                    "shared": own.shared,
                    "outside": own.outside,
                    "first": own.first,
                    "last": own.last,
                }
            )
        )
    for rejection in ctx.rejections:
        if rejection.reason == "no credentials":
            source, _, query = rejection.item.partition(": ")
            rows.append(
                Coverage(
                    source=source,
                    query=query,
                    since=plan.since,
                    until=plan.until,
                    note=f"not asked: {rejection.detail}",
                )
            )
    return sorted(rows, key=lambda row: (row.source, row.query))


def in_window(item: Item, plan: Plan) -> bool:
    """Whether an item may be of the plan's days: undated ones may, a month may if it overlaps."""
    at = item.published_at
    if at is None or item.precision == "none":
        return True
    if plan.since < at.date() < plan.until:
        return True  # a zone's day is at most one away from that of UTC
    day = at.astimezone(ZoneInfo(plan.zone)).date()
    if item.precision == "month":
        first = day.replace(day=1)
        last = date(day.year, day.month, calendar.monthrange(day.year, day.month)[1])
        return first <= plan.until and last >= plan.since
    return plan.since <= day < plan.until + timedelta(days=1)


def _session(ctx: StageContext, plan: Plan) -> str:
    """Digest of what a collection is about: with another plan or version, a stopped one is not resumed."""
    text = (
        __version__
        + plan.model_dump_json()
        + "".join(spec.model_dump_json() for spec in ctx.event.imports)
    )
    # what is done about a limit may be decided while a query waits
    text += ctx.settings.collect.model_dump_json(exclude={"on_limit"}) + str(ctx.recording or "")
    return hashlib.sha256(text.encode()).hexdigest()
