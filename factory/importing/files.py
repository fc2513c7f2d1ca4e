"""A file or folder read as items, with what became of every file and row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from factory.counting import count_of
from factory.errors import BadInput
from factory.sections import CollectSettings
from factory.settings import Settings
from schemas import Coverage, ImportSpec, Item, Rejection, is_zone
from sources.base import Refusal, Report, SourceContext, SourceError
from sources.imports.detect import (
    LOOKED_FOR,
    FileResult,
    files_below,
    open_importer,
    read_files,
    readable,
)
from sources.registry import importer_names

_NO_PATH = "--import names a format and no path; write --import FORMAT=PATH"
NO_FORMAT = "import"
"""Source name of files that no importer reads."""
SHOWN_GROUPS = 20
"""Groups of copies printed for a person, largest first."""
SHOWN_FILES = 5
"""Files printed for each reason of a rejection."""


@dataclass
class Inspected:
    """Everything that an import gave."""

    items: list[Item] = field(default_factory=list)
    """In file order, the latest crawl of a thing once."""
    coverage: list[Coverage] = field(default_factory=list)
    """One row a format."""
    rejections: list[Rejection] = field(default_factory=list)
    """Every file, row and duplicate that gave no item."""
    places: list[str] = field(default_factory=list)
    """The file of each rejection, in the same order."""
    formats: Counter[str] = field(default_factory=Counter)
    """Files by importer; files that none reads count as `import`."""
    clusters: list[tuple[str, ...]] | None = None
    """Item ids of each group of copies that has more than one member; none when no corpus was asked for."""

    def lines(self) -> list[str]:
        """A summary for a person."""
        kinds = Counter((item.platform, item.kind, item.lang) for item in self.items)
        rows = [
            f"{count_of(len(self.items), 'item')} from {count_of(sum(self.formats.values()), 'file')}"
        ]
        rows += [f"  {n:>6}  {p} {kind} {lang}" for (p, kind, lang), n in sorted(kinds.items())]
        undated = sum(item.published_at is None for item in self.items)
        if undated:
            rows.append(f"  {undated} of them without a usable date")
        read = [row for row in self.coverage if row.source != NO_FORMAT]
        rows += ["coverage"] if read else []
        for row in read:
            ended = ", ".join(f"{name} {n}" for name, n in sorted(row.outcomes.items())) or "-"
            span = (
                f"{row.first:%Y-%m-%d} to {row.last:%Y-%m-%d}"
                if row.first and row.last
                else "no dates"
            )
            rows.append(f"  {row.source}: {count_of(row.items, 'item')}, {span}, {ended}")
            if row.note:
                rows.append(f"    {row.note}")
        rows += self._rejected()
        if self.clusters is not None and not self.clusters:
            rows.append(f"no copies among {count_of(len(self.items), 'item')}")
        elif self.clusters:
            copies = sum(len(members) - 1 for members in self.clusters)
            groups = count_of(len(self.clusters), "group")
            rows.append(f"{groups} of copies, {copies} {'copy' if copies == 1 else 'copies'}")
            words = {item.item_id: item.title or item.text for item in self.items}
            rows += [
                f"  {len(members)} x  {' '.join(words[members[0]].split())[:90]}"
                for members in sorted(self.clusters, key=lambda m: (-len(m), m))[:SHOWN_GROUPS]
            ]
        return rows

    def _rejected(self) -> list[str]:
        """Each reason with the files that it met, the first place in each, and what was said of the first."""
        reasons: dict[str, dict[str, list[Rejection]]] = {}
        for row, file in zip(self.rejections, self.places, strict=True):
            reasons.setdefault(row.reason, {}).setdefault(file, []).append(row)
        counts = Counter(row.reason for row in self.rejections)
        lines = [f"{len(self.rejections)} rejected"]
        for reason, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            files = reasons[reason]
            names = [
                _place(file, found[0].item) + (f" ({len(found)} times)" if found[1:] else "")
                for file, found in list(files.items())[:SHOWN_FILES]
            ]
            more = f" and {len(files) - SHOWN_FILES} more" if len(files) > SHOWN_FILES else ""
            lines.append(f"  {count:>6}  {reason}: {', '.join(names)}{more}")
            first = next(iter(files.values()))[0]
            said = _plain(first.detail.partition(LOOKED_FOR)[0])
            if said:
                lines.append(f"          {'the first: ' if count > 1 else ''}{said}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "items": [item.model_dump(mode="json") for item in self.items],
            "coverage": [row.model_dump(mode="json") for row in self.coverage],
            "rejections": [
                row.model_dump(mode="json") | {"file": file}
                for row, file in zip(self.rejections, self.places, strict=True)
            ],
            "formats": dict(self.formats),
            "clusters": [list(members) for members in self.clusters or ()],
        }


def _plain(text: str) -> str:
    """One line that a terminal shows as it is: names of files may hold breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _place(file: str, item: str) -> str:
    """A rejected thing by its file, with the line or part when it names one."""
    name = PurePosixPath(file).name
    part = item[len(name) :] if item.startswith(name) else ""
    apart = " " if part[:1].isspace() else ""
    return _plain(file) + apart + _plain(part)[:60]


def latest(items: list[Item]) -> tuple[list[Item], list[Item]]:
    """Items with each (platform, native id, kind) once, in first-seen order, and the copies left out.

    The latest crawl is kept; of two crawls of one moment the later one in order.
    """
    best: dict[tuple[str, str, str], Item] = {}
    dropped = []
    for item in items:
        key = (item.platform, item.native_id, item.kind)
        known = best.get(key)
        if known is None or item.fetched_at >= known.fetched_at:
            if known is not None:
                dropped.append(known)
            best[key] = item
        else:
            dropped.append(item)
    return list(best.values()), dropped


def coverage_row(source: str, query: str, items: list[Item], report: Report) -> Coverage:
    """What one query or import covered, before any window is applied."""
    times = [item.published_at for item in items if item.published_at is not None]
    return Coverage(
        source=source,
        query=query,
        first=min(times, default=None),
        last=max(times, default=None),
        items=len(items),
        capped=report.capped,
        outcomes=dict(sorted(report.outcomes.items())),
        note="; ".join(report.notes)[:500],
    )


class Reading:
    """The items of a file or folder as they are read, once; what became of the files is known at the end.

    `name` is how coverage calls the path. With `strict` a single file that cannot be read is an error, else a
    refusal. Raises BadInput, while it is read, when the path does not exist or a single file fits no format.
    """

    def __init__(
        self,
        path: Path,
        context: SourceContext,
        *,
        format_: str = "auto",
        name: str = "",
        strict: bool = False,
    ) -> None:
        self._path = path
        self._context = context
        self._format = format_
        self._strict = strict
        self.name = name or path.name
        """Query of the coverage rows."""
        self.file = FileResult("", "")
        """The file that is being read."""
        self.formats: Counter[str] = Counter()
        """Files by importer; files that none reads count as `import`."""
        self.reports: dict[str, Report] = {}
        """Outcomes and notes of each importer."""
        self.refused: list[tuple[str, Refusal]] = []
        """File and cause of everything that gave no item."""

    def __iter__(self) -> Iterator[Item]:
        if not self._path.exists():
            raise BadInput(f"{self._path} does not exist; check the path")
        try:
            for file, items in read_files(
                self._path, self._context, self._format, strict=self._strict
            ):
                self.file = file
                yield from items
                self._end(file)
        except SourceError as error:
            raise BadInput(str(error)) from error
        except OSError as error:
            raise BadInput(
                f"cannot read {self._path}: {error.strerror}; check its permissions"
            ) from error

    def _end(self, file: FileResult) -> None:
        source = file.format or NO_FORMAT
        self.formats[source] += 1
        report = self.reports.setdefault(source, Report())
        report.outcomes.update(file.report.outcomes)
        report.capped |= file.report.capped
        for note in file.report.notes:
            report.note(note)
        self.refused += [
            (file.name, replace(refusal, item=refusal.item or file.name))
            for refusal in file.report.refusals
        ]

    def coverage(self, items: Mapping[str, list[Item]] | None = None) -> list[Coverage]:
        """One row a format, with the number and days of its items where they are given."""
        own = items or {}
        if self.formats[NO_FORMAT]:
            self.reports[NO_FORMAT].note(
                f"{count_of(self.formats[NO_FORMAT], 'file')} not read; the reasons are with the rejections"
            )
        return [
            coverage_row(source, self.name, own.get(source, []), report)
            for source, report in sorted(self.reports.items())
        ]

    def refusals(self) -> Iterator[Refusal]:
        """Everything that gave no item, in the order of the files."""
        return (refusal for _, refusal in self.refused)


def inspect_path(
    path: Path,
    context: SourceContext,
    *,
    format_: str = "auto",
    stage: str = "import",
    name: str = "",
    strict: bool = False,
) -> Inspected:
    """Read a file or folder into memory. BadInput when the path does not exist or a single file fits no format.

    `name` is how coverage calls the path; `stage` is written into the rejections. With `strict` a single
    file that cannot be read is BadInput too, else a rejection.
    """
    reading = Reading(path, context, format_=format_, name=name, strict=strict)
    gathered: list[Item] = []
    came: dict[int, FileResult] = {}
    for item in reading:
        gathered.append(item)
        came[id(item)] = reading.file
    items, dropped = latest(gathered)
    refused = reading.refused + [
        (
            came[id(item)].name,
            Refusal(item.item_id, "duplicate", f"{item.platform} {item.native_id}"[:200]),
        )
        for item in dropped
    ]
    by_format: dict[str, list[Item]] = {}
    for item in items:
        by_format.setdefault(came[id(item)].format, []).append(item)
    return Inspected(
        items=items,
        coverage=reading.coverage(by_format),
        rejections=[
            Rejection(stage=stage, item=row.item, reason=row.reason, detail=row.detail)
            for _, row in refused
        ],
        places=[file for file, _ in refused],
        formats=reading.formats,
    )


def check_importable(path: Path, settings: CollectSettings, format_: str = "auto") -> None:
    """BadInput when nothing of a file or folder can be imported; nothing is read beyond each file's head."""
    if not path.exists():
        raise BadInput(f"{path} does not exist; check the path")
    context = _look("UTC", settings)
    try:
        if path.is_file() or format_ != "auto":
            reader = open_importer(format_, path, context)
            if path.is_file():
                reader.check(path)
        elif not any(readable(file, settings.columns) for file in files_below(path)):
            raise BadInput(
                f"{path} holds no file of a known format; see docs/sources.md for what can be imported"
            )
    except SourceError as error:
        raise BadInput(str(error)) from error


def import_spec(given: str) -> ImportSpec:
    """What `--import` was given: PATH, or FORMAT=PATH with an importer's name as in `factory import`.

    A path that exists is a path, whatever signs it holds; else the format ends before the longest one that does.
    BadInput when there is none.
    """
    parts = given.split("=")
    splits = [("=".join(parts[:n]), "=".join(parts[n:])) for n in range(1, len(parts))]
    for format_, text in [("auto", given), *splits]:
        path = Path(text).expanduser()
        if text and path.exists():
            return ImportSpec(path=str(path.resolve()), format=format_)
    names = ("auto", *importer_names())
    named = bool(splits) and parts[0].partition(":")[0] in names
    missing = parts[-1] if named else given
    raise BadInput(f"{missing} does not exist; check the path" if missing else _NO_PATH)


def check_zone(zone: str) -> str:
    """An IANA zone that this machine knows; BadInput when it does not."""
    if not is_zone(zone):
        raise BadInput(
            f"{zone!r} is no time zone; write an IANA name such as Asia/Shanghai or Europe/Paris"
        )
    return zone


def import_report(
    path: Path,
    settings: Settings,
    *,
    format_: str = "auto",
    zone: str | None = None,
    corpus: bool = False,
) -> Inspected:
    """Read files for a look, without an event; with `corpus` also group copies.

    Times without a zone are in `zone`; when none is given, in that of their publisher, else in UTC.
    """
    named, zone = zone is not None, check_zone(zone or "UTC")
    context = _look(zone, settings.collect, named=named)
    result = inspect_path(path, context, format_=format_, strict=True)
    if corpus:
        result.clusters = _copies(result.items, zone, settings)
    return result


def _look(zone: str, settings: CollectSettings, *, named: bool = False) -> SourceContext:
    """A context for files that are looked at and not kept; `named` says that the zone was given."""
    return SourceContext(
        fetched_at=datetime.now(UTC),
        zone=zone,
        zone_named=named,
        salt="look",
        settings=settings.model_dump(),
    )


def _copies(items: list[Item], zone: str, settings: Settings) -> list[tuple[str, ...]]:
    from factory.dedup.cluster import cluster, document
    from factory.dedup.wording import comparable
    from factory.encode import load_encoder

    where = ZoneInfo(zone)
    documents = []
    for item in items:
        at = item.published_at.astimezone(where) if item.published_at else None
        known = at is not None and item.precision not in ("month", "none")
        documents.append(
            document(
                item.item_id,
                comparable(item.title, item.text),
                post=item.kind in ("post", "comment"),
                day=at.date().toordinal() if at is not None and known else None,
                at=at.timestamp() if at is not None else 0.0,
                url=item.canonical_url if item.kind == "article" else "",
            )
        )
    groups = cluster(documents, load_encoder(settings.encoder), settings.corpus)
    return [
        (group.representative.item_id, *(copy.item_id for copy, _ in group.members))
        for group in groups
        if group.members
    ]
