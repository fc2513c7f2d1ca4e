"""Points of the project page put below each other: one sheet an axis."""

from __future__ import annotations

from datetime import date

import numpy as np
from numpy.typing import NDArray

from factory.published.careful import Rows
from factory.published.folder import PointFile
from factory.published.keys import UNKNOWN, dimension_of, question_key, type_of
from factory.published.point import Point, Reader
from factory.published.windows import window_groups
from factory.score.horizon import BUCKETS, HORIZON
from factory.score.lines import Problems
from factory.score.sheet import MISSING, Codes, Factor, Families, Floats, Sheet
from schemas import Axis


def page_sheet(
    axis: Axis, read: list[tuple[PointFile, Point]], reader: Reader, problems: Problems
) -> Sheet:
    """The rows of one axis of all points, in the order of the files.

    What lies outside the temporal axis is left out there and counted.
    """
    parts = [
        (file, point.cutoff, point.calibration if axis == "calibration" else point.temporal)
        for file, point in read
    ]
    if axis == "temporal":
        parts = [(file, cutoff, _inside(rows, file, problems)) for file, cutoff, rows in parts]
    counts = np.array([len(rows.distance) for _, _, rows in parts], dtype=np.int64)
    systems = tuple(reader.order())
    values, status = _matrix(parts, counts, np.argsort([reader.systems[name] for name in systems]))
    distance = np.concatenate([rows.distance for _, _, rows in parts])
    truth = np.concatenate([rows.truth for _, _, rows in parts])
    window = np.concatenate([rows.window for _, _, rows in parts])

    def labels(name: str) -> list[str]:
        return [text for _, _, rows in parts for text in rows.labels[name]]

    cutoffs = [cutoff for _, cutoff, _ in parts]
    names = [file.name for file, _, _ in parts]
    event = _spread([file.event for file, _, _ in parts], counts)
    if axis == "calibration":
        keys = _question_keys(labels("qt"), labels("dim"), labels("diff"), window, truth)
        texts = labels("q")
        refs = _question_refs(parts)
        families = _families(parts)
    else:
        keys = {"bucket": _buckets(distance)}
        texts = labels("desc")
        refs = tuple(
            f"{name}/{eid}"
            for name, (_, _, rows) in zip(names, parts, strict=True)
            for eid in rows.labels["eid"]
        )
        families = None
    return Sheet(
        axis=axis,
        systems=systems,
        refs=refs,
        event=event,
        edition=_spread([file.edition for file, _, _ in parts], counts),
        point=_spread(names, counts),
        cluster=_outcome_days(event, names, cutoffs, counts, distance),
        truth=truth,
        distance=distance,
        window=window,
        values=values,
        status=status,
        keys=keys,
        texts=tuple(texts),
        cutoff=tuple(
            cutoff
            for cutoff, count in zip(cutoffs, counts.tolist(), strict=True)
            for _ in range(count)
        ),
        families=families,
    )


def _matrix(
    parts: list[tuple[PointFile, str, Rows]], counts: Codes, place: Codes
) -> tuple[Floats, NDArray[np.int8]]:
    """S x N values and states; `place` is the row of each of the S systems as the reader numbers them."""
    starts = (np.cumsum(counts) - counts).tolist()
    row = np.concatenate(
        [rows.row + start for (_, _, rows), start in zip(parts, starts, strict=True)]
    )
    system = place[np.concatenate([rows.system for _, _, rows in parts])]
    shape = (len(place), int(counts.sum()))
    values = np.full(shape, np.nan)
    status = np.full(shape, MISSING, dtype=np.int8)
    values[system, row] = np.concatenate([rows.value for _, _, rows in parts])
    status[system, row] = np.concatenate([rows.status for _, _, rows in parts])
    return values, status


def _inside(rows: Rows, file: PointFile, problems: Problems) -> Rows:
    """The rows of the temporal axis."""
    keep = (rows.distance >= 0) & (rows.distance <= HORIZON)
    left_out = int(np.sum(~keep))
    if not left_out:
        return rows
    first = int(np.argmin(keep))
    problems.add(
        f"event outside 0 to {HORIZON} days from its cutoff; no part of the temporal axis",
        f"{file.where}, {rows.labels['eid'][first]}: {rows.distance[first]:.0f} days",
        left_out,
    )
    kept = np.flatnonzero(keep)
    number = np.cumsum(keep) - 1
    answers = keep[rows.row]
    return Rows(
        {name: tuple(column[i] for i in kept.tolist()) for name, column in rows.labels.items()},
        rows.distance[keep],
        rows.window[keep],
        rows.truth[keep],
        number[rows.row[answers]],
        rows.system[answers],
        rows.value[answers],
        rows.status[answers],
    )


def _spread(names: list[str], counts: Codes) -> Factor:
    """A label a file as a label a row; names without rows stay."""
    of_files = Factor.of(names)
    return Factor(of_files.names, np.repeat(of_files.codes, counts))


def _mapped(labels: list[str], name: dict[str, str]) -> Factor:
    """Codes of labels that take few values, after mapping each value once."""
    names = tuple(sorted(set(name.values())))
    at = {mapped: code for code, mapped in enumerate(names)}
    code = {label: at[mapped] for label, mapped in name.items()}
    return Factor(names, np.fromiter(map(code.__getitem__, labels), np.int64, len(labels)))


def _question_keys(
    types: list[str], dimensions: list[str], difficulties: list[str], window: Floats, truth: Floats
) -> dict[str, Factor]:
    lengths, codes = np.unique(window.astype(np.int64), return_inverse=True)
    return {
        "type": _mapped(types, {label: type_of(label) for label in set(types)}),
        "dimension": _mapped(dimensions, {label: dimension_of(label) for label in set(dimensions)}),
        "difficulty": _mapped(
            difficulties, {label: label or UNKNOWN for label in set(difficulties)}
        ),
        "window": Factor(
            tuple(str(days) for days in lengths.tolist()), codes.astype(np.int64).reshape(-1)
        ),
        "truth": Factor(("false", "true"), truth.astype(np.int64)),
    }


def _question_refs(parts: list[tuple[PointFile, str, Rows]]) -> tuple[str, ...]:
    """Refs as `Published` describes them, numbered where several questions of a point share a key."""
    refs = []
    for file, _, rows in parts:
        name = file.name
        met: dict[str, int] = {}
        for kind, window, distance, truth, hard, dimension in zip(
            rows.labels["qt"],
            rows.window.tolist(),
            rows.distance.tolist(),
            rows.truth.tolist(),
            rows.labels["diff"],
            rows.labels["dim"],
            strict=True,
        ):
            key = question_key(kind, window, distance, truth, hard, dimension)
            count = met[key] = met.get(key, 0) + 1
            refs.append(f"{name}/{key}" if count == 1 else f"{name}/{key}.{count}")
    return tuple(refs)


def _buckets(distance: Floats) -> Factor:
    """Bucket of the true day; all rows lie inside the horizon."""
    names = tuple(f"{low}-{high}" for low, high in BUCKETS)
    return Factor(names, np.searchsorted([high for _, high in BUCKETS], distance).astype(np.int64))


def _outcome_days(
    event: Factor, points: list[str], cutoffs: list[str], counts: Codes, distance: Floats
) -> Factor:
    """Clusters: the day on which the outcome stands, cutoff + stored distance, within an event.

    The page names no family. Questions of one event about one outcome share its day over points, editions and
    axes, so that day is the finest grouping that keeps them together; other outcomes of that day join it. Where
    the cutoff is unknown the cluster is the distance within the point.
    """
    known = np.array([bool(cutoff) for cutoff in cutoffs])
    base = np.array([date.fromisoformat(cutoff).toordinal() if cutoff else 0 for cutoff in cutoffs])
    # Beside the event a row has its point where the cutoff is unknown: a code below zero.
    of_files = Factor.of(points)
    point = np.where(known, 0, -1 - of_files.codes)
    ordinal = np.repeat(base, counts) + distance.astype(np.int64)
    columns = np.stack([event.codes, np.repeat(point, counts), ordinal], axis=1)
    unique, codes = np.unique(columns, axis=0, return_inverse=True)
    labels = []
    for code, at, day in unique.tolist():
        if at:
            labels.append(f"{of_files.names[-1 - at]}{day:+d}")
        elif 1 <= day <= date.max.toordinal():
            labels.append(f"{event.names[code]}/{date.fromordinal(day).isoformat()}")
        else:
            labels.append(f"{event.names[code]}/day {day}")
    return Factor(tuple(labels), codes.astype(np.int64).reshape(-1))


def _families(parts: list[tuple[PointFile, str, Rows]]) -> Families:
    """Windows of one text; the page says nothing of levels and of ends that exclude each other."""
    groups: list[int] = []
    first = 0
    for file, _, rows in parts:
        found = window_groups(
            rows.labels["q"],
            rows.window.tolist(),
            rows.distance.tolist(),
            file.edition,
            first=first,
        )
        first = max(first, max(found, default=-1) + 1)
        groups += found
    alone = np.full(len(groups), -1, dtype=np.int64)
    return Families(
        np.array(groups, dtype=np.int64), alone, np.zeros(len(groups), dtype=np.int64), alone
    )
