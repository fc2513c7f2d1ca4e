"""Stage collect: every query of the plan and every import becomes items, with a row of coverage each.

Items are stored in the event's database as they come, and a finished query is never asked again after a
kill. What is outside the window or a copy of the same thing is counted and rejected, not lost. With a
recording, source traffic is answered from it and nothing reaches the network.
"""

from __future__ import annotations

import calendar
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from factory.collected import ItemStore
from factory.errors import BadInput, CassetteBroken, CassetteMiss, WorkspaceError
from factory.importing import inspect_path
from factory.importing.files import coverage_row, latest
from factory.stage import StageContext
from schemas import Counts, Coverage, ImportSpec, Item, Plan, Rejection, SourceQuery
from sources.base import Connector, SourceContext, SourceError
from sources.http import Http
from sources.registry import connector
from sources.traffic import TRAFFIC, RecordingBroken, RecordingMissing, traffic

PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
COVERAGE = "01_items/coverage.jsonl"
NAMES = "sources/names.json"
"""Beside the traffic of a recording: which credentials were there when it was made, by name only."""


async def run(ctx: StageContext) -> Counts:
    """Write items.jsonl and coverage.jsonl.

    Raises BadInput for a source that was asked for and lacks credentials or an import that cannot be read,
    CassetteMiss and CassetteBroken in replay.
    """
    plan = ctx.workspace.read(Plan, PLAN)
    env = _environment(ctx, plan)
    queries = _usable(ctx, plan, env)
    with closing(ctx.workspace.connect()) as database:
        store = ItemStore(database, _session(ctx, plan))
        try:
            store.open(fresh=ctx.record_sources is not None)
            _collect(ctx, plan, queries, env, store)
            received, items, coverage = _finish(ctx, plan, store)
            ctx.workspace.write_lines(ITEMS, items)
            ctx.workspace.write_lines(COVERAGE, coverage)
            store.complete()
        except sqlite3.DatabaseError as error:
            raise WorkspaceError(
                f"the database of {ctx.event.slug} cannot be used ({error}); move factory.db away and run again"
            ) from error
    for row in coverage:
        ended = ", ".join(f"{name} {count}" for name, count in row.outcomes.items())
        ctx.say(f"{row.source} {row.query}: {row.items} items{f' ({ended})' if ended else ''}")
    return Counts(received=received, kept=len(items), rejected=len(ctx.rejections))


def _replayed(ctx: StageContext) -> Path | None:
    """The recording whose traffic is played; none while a recording's traffic is being made anew."""
    return None if ctx.record_sources is not None else ctx.recording


# -- what may be asked ---------------------------------------------------------------------------


def _environment(ctx: StageContext, plan: Plan) -> dict[str, str]:
    """Credentials by name: real ones, or placeholders where a recording or a proxy answers."""
    names = sorted(
        {name for query in plan.queries for name in _class(query).needs + _class(query).optional}
    )
    recording = _replayed(ctx)
    if recording is not None:
        file = recording / NAMES
        if file.is_file():
            try:
                known = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise CassetteBroken(
                    f"{file} is no valid JSON; record the run's sources again"
                ) from error
            names = [name for name in names if name in known]
        return dict.fromkeys(names, "replay")
    if ctx.settings.collect.proxy:
        return {name: os.environ.get(name) or "recording" for name in names}
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _class(query: SourceQuery) -> type[Connector]:
    try:
        return connector(query.source)
    except SourceError as error:
        raise BadInput(f"{error}; correct the plan's queries") from error


def _usable(ctx: StageContext, plan: Plan, env: Mapping[str, str]) -> list[SourceQuery]:
    """Queries whose source has its credentials. BadInput when one was asked for by name and has not."""
    if not plan.queries and not ctx.event.imports:
        raise BadInput(
            "the plan asks nothing and the event imports nothing; give --source, or --import with your files"
        )
    usable = []
    for query in plan.queries:
        missing = _class(query).missing(env)
        if not missing:
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
) -> None:
    settings = ctx.settings.collect
    replay = _replayed(ctx) is not None
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
    )
    try:
        with _recorded(ctx, env) if queries else nullcontext():
            for query in queries:
                _ask(ctx, plan, query, context, store)
    finally:
        http.close()
    for spec in ctx.event.imports:
        _import(ctx, spec, context, store)


def _ask(
    ctx: StageContext, plan: Plan, query: SourceQuery, context: SourceContext, store: ItemStore
) -> None:
    job = store.job("query", query.model_dump_json())
    if store.is_done(job):
        context.seen.update(
            item.canonical_url for item in store.items(job) if item.kind == "article"
        )
        return
    store.clear(job)
    room = ctx.settings.collect.max_items - store.count()
    if room <= 0:
        ctx.say(
            f"the event has {ctx.settings.collect.max_items} items, {query.query!r} is not asked"
        )
        row = Coverage(
            source=query.source,
            query=query.query,
            capped=True,
            note="not asked: collect.max_items was reached before",
        )
        store.done(job, [row], [])
        return
    source = _class(query)(context)
    items: list[Item] = []
    note = ""
    try:
        for item in source.search(query, plan.since, plan.until):
            items.append(item)
            store.add(job, len(items), item)
            if len(items) >= room:
                source.report.capped = True
                break
    except SourceError as error:
        if query.source in ctx.event.sources:
            raise BadInput(str(error)) from error
        source.report.end("error")
        note = str(error)
    if note:
        source.report.note(note)
    row = coverage_row(query.source, query.query, items, source.report)
    row = row.model_copy(update={"since": plan.since, "until": plan.until})
    store.done(
        job,
        [row],
        [
            Rejection(
                stage=ctx.stage, item=refusal.item, reason=refusal.reason, detail=refusal.detail
            )
            for refusal in source.report.refusals
            if refusal.item
        ],
    )


def _import(ctx: StageContext, spec: ImportSpec, context: SourceContext, store: ItemStore) -> None:
    job = store.job("import", spec.model_dump_json())
    if store.is_done(job):
        return
    store.clear(job)
    path = _import_path(ctx, spec)
    found = inspect_path(
        path, context, format_=spec.format, stage=ctx.stage, name=Path(spec.path).name
    )
    store.add_all(job, found.items)
    store.done(job, found.coverage, found.rejections)


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


def _finish(
    ctx: StageContext, plan: Plan, store: ItemStore
) -> tuple[int, list[Item], list[Coverage]]:
    """Items in the window, each thing once, and coverage with what was really kept."""
    gathered: list[Item] = []
    owner: dict[int, str] = {}
    rows: list[tuple[str, Coverage]] = []
    for job in store.jobs():
        coverage, rejections = store.result(job)
        rows += [(job, row) for row in coverage]
        ctx.rejections.extend(rejections)
        for item in store.items(job):
            gathered.append(item)
            owner[id(item)] = job
    refused = len(ctx.rejections)
    unique, dropped = latest(gathered)
    for item in dropped:
        ctx.reject(item.item_id, "duplicate", f"{item.platform} {item.native_id}"[:200])
    kept: list[Item] = []
    outside: list[Item] = []
    for item in unique:
        (kept if in_window(item, plan) else outside).append(item)
    for item in outside:
        ctx.reject(item.item_id, "outside the window", f"published {item.published_raw}"[:200])
    coverage = []
    for job, row in rows:
        own = [item for item in kept if owner[id(item)] == job and _belongs(item, row)]
        times = [item.published_at for item in own if item.published_at is not None]
        coverage.append(
            row.model_copy(
                update={
                    "since": plan.since,
                    "until": plan.until,
                    "items": len(own),
                    "outside": sum(
                        owner[id(item)] == job and _belongs(item, row) for item in outside
                    ),
                    "first": min(times, default=None),
                    "last": max(times, default=None),
                }
            )
        )
    for rejection in ctx.rejections:
        if rejection.reason == "no credentials":
            source, _, query = rejection.item.partition(": ")
            coverage.append(
                Coverage(
                    source=source,
                    query=query,
                    since=plan.since,
                    until=plan.until,
                    note=f"not asked: {rejection.detail}",
                )
            )
    kept.sort(key=_order)
    return len(gathered) + refused, kept, sorted(coverage, key=lambda row: (row.source, row.query))


def _belongs(item: Item, row: Coverage) -> bool:
    return item.origin.source == row.source


def _order(item: Item) -> tuple[bool, float, str, str, str]:
    at = item.published_at
    return (at is None, at.timestamp() if at else 0.0, item.platform, item.native_id, item.kind)


def in_window(item: Item, plan: Plan) -> bool:
    """Whether an item may be of the plan's days: undated ones may, a month may if it overlaps."""
    if item.published_at is None or item.precision == "none":
        return True
    day = item.published_at.astimezone(ZoneInfo(plan.zone)).date()
    if item.precision == "month":
        first = day.replace(day=1)
        last = date(day.year, day.month, calendar.monthrange(day.year, day.month)[1])
        return first <= plan.until and last >= plan.since
    return plan.since <= day < plan.until + timedelta(days=1)


def _session(ctx: StageContext, plan: Plan) -> str:
    """Digest of what a collection is about: with another plan, a stopped one is not resumed."""
    text = plan.model_dump_json() + "".join(spec.model_dump_json() for spec in ctx.event.imports)
    text += ctx.settings.collect.model_dump_json() + str(ctx.recording or "")
    return hashlib.sha256(text.encode()).hexdigest()
