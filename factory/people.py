"""People's right to take back what they published: stored items are looked up again on their platforms.

Only existence is asked, never words. What a platform says is gone becomes a decision (see deletions.py), so the
next run leaves it out of the corpus and of all that follows. What could not be asked is not known, never gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime

from factory.counting import count_of
from factory.deletions import deletion, gone_ids
from factory.errors import BadInput
from factory.events import Event
from factory.pipeline import ITEMS, external_stages
from factory.sections import CollectSettings
from factory.workspace import DECISIONS, Workspace
from schemas import Item, PlatformRecheck, Recheck
from sources import existence
from sources.base import Connector, Report, SourceContext, SourceError
from sources.http import Http
from sources.registry import connector, connector_names

PAGES = "web"
"""Name under which articles are counted, whatever found them."""
CHUNK = 500
"""Items after which decisions are stored, so that a stopped recheck loses little."""
INTERFACE_PAUSE = 0.1
"""Seconds between calls of a documented interface; pages wait as long as the settings say."""

Ask = Callable[[list[Item]], Mapping[str, bool | None]]


@dataclass
class _Group:
    """The items of one platform and how they are asked about."""

    platform: str
    items: list[Item]
    ask: Ask | None
    """By item_id; none when nobody can be asked."""
    report: Report


def recheck(
    event: Event,
    *,
    env: Mapping[str, str],
    now: datetime,
    http: Http | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> Recheck:
    """Ask every platform about the event's items and record what changed as decisions.

    `http` replaces the guarded client, for tests. Raises BadInput for an event without items of its own or
    answered from a recording, WorkspaceBusy while it runs, WorkspaceError before anything was collected.
    """
    if "collect" in external_stages(event.config.entry):
        raise BadInput(
            f"{event.config.slug} was made from a timeline and holds no posts or pages to look up again"
        )
    if event.config.mode == "replay":
        raise BadInput(
            f"{event.config.slug} is answered from a recording, so its sources are never asked; "
            "recheck an event that was collected live"
        )
    workspace = event.workspace
    rows: list[PlatformRecheck] = []
    newly = back = 0
    with workspace.lock(), ExitStack() as stack:
        items = [item for item in workspace.read_lines(Item, ITEMS) if item.kind != "timeline"]
        for group in _groups(event, items, env, now, http, stack):
            if group.ask is not None:
                say(f"{group.platform}: asking about {count_of(len(group.items), 'item')}")
            answers: dict[str, bool | None] = dict.fromkeys(item.item_id for item in group.items)
            for part in _parts(group.items) if group.ask is not None else ():
                found = _ask(group, part)
                answers |= found
                gone, restored = _decide(workspace, part, found, now)
                newly += gone
                back += restored
            rows.append(_row(group, answers))
    return Recheck(event=event.config.slug, platforms=tuple(rows), newly_gone=newly, back=back)


def _parts(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Parts of even size, so that none is too small to tell a wrong address by."""
    size = math.ceil(len(items) / math.ceil(len(items) / CHUNK))
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def _ask(group: _Group, part: list[Item]) -> dict[str, bool | None]:
    assert group.ask is not None
    try:
        return dict(group.ask(part))
    except SourceError as error:
        group.report.note(str(error))
        return {}


def _decide(
    workspace: Workspace, part: Sequence[Item], found: Mapping[str, bool | None], now: datetime
) -> tuple[int, int]:
    """Record what differs from the latest decisions; returns how many are newly gone and how many are back."""
    known = workspace.decisions()
    before = gone_ids(known)
    gone = [
        item for item in part if found.get(item.item_id) is False and item.item_id not in before
    ]
    back = [item for item in part if found.get(item.item_id) is True and item.item_id in before]
    if gone or back:
        new = [
            deletion(
                item.item_id,
                gone=item in gone,
                note=f"{item.platform} {item.native_id}",
                at=now,
            )
            for item in (*gone, *back)
        ]
        workspace.write_lines(DECISIONS, [*known, *new])
    return len(gone), len(back)


def _row(group: _Group, answers: Mapping[str, bool | None]) -> PlatformRecheck:
    states = list(answers.values())
    notes = list(group.report.notes)
    if group.report.refusals:
        first = group.report.refusals[0]
        notes.append(
            f"{count_of(len(group.report.refusals), 'call')} failed, the first: {first.detail or first.reason}"
        )
    return PlatformRecheck(
        platform=group.platform,
        asked=len(states),
        there=states.count(True),
        gone=states.count(False),
        not_known=states.count(None),
        note="; ".join(notes)[:500],
    )


# -- who is asked ----------------------------------------------------------------------------------


def _groups(
    event: Event,
    items: Sequence[Item],
    env: Mapping[str, str],
    now: datetime,
    http: Http | None,
    stack: ExitStack,
) -> list[_Group]:
    settings = event.settings.collect
    if http is not None:
        interfaces = web = http
    else:
        interfaces = stack.enter_context(closing(_client(settings, INTERFACE_PAUSE)))
        web = stack.enter_context(closing(_client(settings, settings.per_host_seconds)))
    context = SourceContext(
        fetched_at=now,
        zone=event.config.zone or "UTC",
        salt=event.keys.salt,
        http=interfaces,
        env=env,
        settings=settings.model_dump(),
    )
    by_platform: dict[str, list[Item]] = {}
    for item in items:
        by_platform.setdefault(item.platform, []).append(item)
    groups = []
    pages: list[Item] = []
    for platform, own in sorted(by_platform.items()):
        source, why = _source(platform, context)
        if source is not None:
            groups.append(_Group(platform, own, _by_native_id(source), source.report))
            continue
        pages += [item for item in own if item.kind == "article" and item.url]
        rest = [item for item in own if item.kind != "article" or not item.url]
        if rest:
            groups.append(_Group(platform, rest, None, Report(notes=[why])))
    if pages:
        groups.append(_pages(pages, web))
    return groups


def _client(settings: CollectSettings, pause: float) -> Http:
    return Http(
        user_agent=settings.user_agent,
        timeout=settings.timeout,
        max_bytes=settings.max_bytes,
        per_host_seconds=0.0 if settings.proxy else pause,
        respect_robots=settings.respect_robots,
        proxy=settings.proxy,
        retries=1,
    )


def _source(platform: str, context: SourceContext) -> tuple[Connector | None, str]:
    """The connector that can be asked about a platform's items, or why there is none."""
    nobody = f"no source can be asked about single items of {platform}"
    if platform not in connector_names():
        return None, nobody
    try:
        found = connector(platform)
    except SourceError as error:
        return None, str(error)
    if found.still_there is Connector.still_there:
        return None, nobody
    missing = found.missing(context.env)
    if missing:
        return None, f"set {' and '.join(missing)} in the environment"
    return found(context), ""


def _by_native_id(source: Connector) -> Ask:
    def ask(items: list[Item]) -> Mapping[str, bool | None]:
        found = source.still_there([item.native_id for item in items])
        return {item.item_id: found.get(item.native_id) for item in items}

    return ask


def _pages(items: list[Item], web: Http) -> _Group:
    """Articles by their addresses; those taken from an archive were gone before and are not asked about."""
    report = Report()
    archived = sum(bool(item.origin.archive) for item in items)
    if archived:
        report.note(f"{archived} pages came from an archive and are not asked about")

    def ask(part: list[Item]) -> Mapping[str, bool | None]:
        asked = [item for item in part if not item.origin.archive]
        found = existence.pages(web, report, [item.url for item in asked])
        return {item.item_id: found[item.url] for item in asked}

    return _Group(PAGES, items, ask, report)
