"""A file or folder read as items, with what became of every file and row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from factory.errors import BadInput
from schemas import Coverage, Item, Rejection
from sources.base import Report, SourceContext, SourceError
from sources.imports.detect import detect, files_below, fitting, read_files

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
        rows = [f"{len(self.items)} items from {sum(self.formats.values())} files"]
        rows += [f"  {n:>6}  {p} {kind} {lang}" for (p, kind, lang), n in sorted(kinds.items())]
        undated = sum(item.published_at is None for item in self.items)
        if undated:
            rows.append(f"  {undated} of them without a usable date")
        rows.append("coverage")
        for row in self.coverage:
            ended = ", ".join(f"{name} {n}" for name, n in sorted(row.outcomes.items())) or "-"
            span = (
                f"{row.first:%Y-%m-%d} to {row.last:%Y-%m-%d}"
                if row.first and row.last
                else "no dates"
            )
            rows.append(f"  {row.source}: {row.items} items, {span}, {ended}")
            if row.note:
                rows.append(f"    {row.note}")
        rows += self._rejected()
        if self.clusters is not None and not self.clusters:
            rows.append(f"no copies among {len(self.items)} items")
        elif self.clusters:
            copies = sum(len(members) - 1 for members in self.clusters)
            rows.append(f"{len(self.clusters)} groups of copies, {copies} copies")
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
            said = " ".join(first.detail.split())
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


def _place(file: str, item: str) -> str:
    """A rejected thing by its file, with the line or part when it names one."""
    name = PurePosixPath(file).name
    return file + " ".join(item[len(name) :].split())[:60] if item.startswith(name) else file


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


def inspect_path(
    path: Path,
    context: SourceContext,
    *,
    format_: str = "auto",
    stage: str = "import",
    name: str = "",
    strict: bool = False,
) -> Inspected:
    """Read a file or folder. BadInput when the path does not exist or a single file fits no format.

    `name` is how coverage calls the path; `stage` is written into the rejections. With `strict` a single
    file that cannot be read is BadInput too, else a rejection.
    """
    if not path.exists():
        raise BadInput(f"{path} does not exist; check the path")
    result = Inspected()
    by_format: dict[str, tuple[list[Item], Report]] = {}
    gathered: list[Item] = []
    came: dict[int, str] = {}
    try:
        for file, items in read_files(path, context, format_, strict=strict):
            source = file.format or NO_FORMAT
            result.formats[source] += 1
            rows, report = by_format.setdefault(source, ([], Report()))
            for item in items:
                rows.append(item)
                gathered.append(item)
                came[id(item)] = file.name
            report.outcomes.update(file.report.outcomes)
            report.capped |= file.report.capped
            for note in file.report.notes:
                report.note(note)
            for refusal in file.report.refusals:
                result.places.append(file.name)
                result.rejections.append(
                    Rejection(
                        stage=stage,
                        item=refusal.item or file.name,
                        reason=refusal.reason,
                        detail=refusal.detail,
                    )
                )
    except SourceError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}; check its permissions") from error
    result.items, dropped = latest(gathered)
    for item in dropped:
        result.places.append(came[id(item)])
        result.rejections.append(
            Rejection(
                stage=stage,
                item=item.item_id,
                reason="duplicate",
                detail=f"{item.platform} {item.native_id}"[:200],
            )
        )
    kept = {id(item) for item in result.items}
    for source, (rows, report) in sorted(by_format.items()):
        own = [item for item in rows if id(item) in kept]
        result.coverage.append(coverage_row(source, name or path.name, own, report))
    return result


def check_importable(path: Path) -> None:
    """BadInput when nothing of a file or folder can be imported; nothing is read beyond each file's head."""
    if not path.exists():
        raise BadInput(f"{path} does not exist; check the path")
    try:
        if path.is_file():
            detect(path)
        elif not any(fitting(file) for file in files_below(path)):
            raise BadInput(
                f"{path} holds no file of a known format; see docs/sources.md for what can be imported"
            )
    except SourceError as error:
        raise BadInput(str(error)) from error


def check_zone(zone: str) -> str:
    """An IANA zone that this machine knows; BadInput when it does not."""
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(
            f"{zone!r} is no time zone; write an IANA name such as Asia/Shanghai or Europe/Paris"
        ) from error
    return zone


def import_report(
    path: Path, *, format_: str = "auto", zone: str = "UTC", corpus: bool = False
) -> Inspected:
    """Read files for a look, without an event; with `corpus` also group copies.

    Times relative to the crawl are counted back from now where a file does not say when it was crawled.
    """
    check_zone(zone)
    context = SourceContext(fetched_at=datetime.now(UTC), zone=zone, salt="look")
    result = inspect_path(path, context, format_=format_, strict=True)
    if corpus:
        result.clusters = _copies(result.items, zone)
    return result


def _copies(items: list[Item], zone: str) -> list[tuple[str, ...]]:
    from factory.dedup.cluster import cluster, document
    from factory.dedup.wording import comparable
    from factory.encode import load_encoder
    from factory.settings import Settings

    settings = Settings()
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
