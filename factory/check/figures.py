"""The figures of a bundle that nothing else repeats: its manifest against itself, its baselines against the bank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from factory.audit.rules import Hit
from factory.bundle import Bundle
from factory.forecast.baselines import baseline_card
from schemas import ReleaseManifest

NEAR = 1e-6
"""Difference of two figures that another machine's arithmetic explains."""


def manifest_hits(folder: Path, manifest: ReleaseManifest, bundle: Bundle) -> Iterator[Hit]:
    """Where a manifest contradicts its own files and gates, although every digest is right."""
    if manifest.public_id != bundle.timeline.public_id:
        yield "manifest", f"public_id {manifest.public_id}, the timeline's is {bundle.public_id}"
    paths = [entry.path for entry in manifest.files]
    if paths != sorted(set(paths)):
        yield "manifest", "files are not listed once each, in the order of their paths"
    for entry in manifest.files:
        if entry.size != (folder / entry.path).stat().st_size:
            yield "manifest", f"{entry.path} has another size"
    states = {gate.name: gate.state for gate in manifest.gates}
    waived = [name for name, state in states.items() if state == "waived"]
    short = [name for name, state in states.items() if state in ("failed", "not evaluated")]
    if list(manifest.waived) != waived:
        yield "manifest", f"waived {list(manifest.waived)}, by the gates {waived}"
    if list(manifest.ungated) != short:
        yield "manifest", f"ungated {list(manifest.ungated)}, by the gates {short}"


def baseline_hits(bundle: Bundle) -> Iterator[Hit]:
    """Every stated score of a rule that reads no text against the score that the bank gives.

    Only for a key that holds together: a dangling id has no score.
    """
    found = baseline_card(
        timeline=bundle.timeline,
        claims=bundle.claims,
        points=bundle.points.points,
        questions=bundle.questions,
        events=bundle.events,
    )
    for place in _differences(
        bundle.baselines.model_dump(mode="json"), found.model_dump(mode="json"), ""
    ):
        yield "baselines", place


def _differences(stated: Any, found: Any, place: str) -> Iterator[str]:
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for key in dict.fromkeys([*stated, *found]):
            yield from _differences(stated.get(key), found.get(key), f"{place}.{key}".strip("."))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for index, (a, b) in enumerate(zip(stated, found, strict=True)):
            yield from _differences(a, b, f"{place}[{index}]")
    elif isinstance(stated, float | int) and isinstance(found, float | int):
        if not math.isclose(stated, found, rel_tol=NEAR, abs_tol=NEAR):
            yield f"{place}: {stated}, found {found}"
    elif stated != found:
        yield f"{place} differs"
