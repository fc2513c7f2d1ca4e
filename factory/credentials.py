"""Which credentials of sources are there: the real ones, or placeholders where a recording or a proxy answers.

Stages ask here, so that a replay sees the credentials of its recording and never those of the machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from factory.errors import CassetteBroken
from factory.stage import StageContext

NAMES = "sources/names.json"
"""Beside the traffic of a recording: which credentials were there when it was made, by name only."""


def replayed(ctx: StageContext) -> Path | None:
    """The recording whose traffic is played; none while a recording's traffic is being made anew."""
    return None if ctx.record_sources is not None else ctx.recording


def credentials(ctx: StageContext, names: Iterable[str]) -> dict[str, str]:
    """Those of the named credentials that there are. CassetteBroken when a recording's list cannot be read."""
    wanted = sorted(set(names))
    recording = replayed(ctx)
    if recording is not None:
        file = recording / NAMES
        if not file.is_file():
            return dict.fromkeys(wanted, "replay")
        try:
            known = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CassetteBroken(
                f"{file} is no valid JSON; record the run's sources again"
            ) from error
        return {name: "replay" for name in wanted if name in known}
    if ctx.settings.collect.proxy:
        return {name: os.environ.get(name) or "recording" for name in wanted}
    return {name: os.environ[name] for name in wanted if os.environ.get(name)}
