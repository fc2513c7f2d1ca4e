"""docs/bundle.md describes the bundle that is written."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from factory.bundle import build_files
from factory.forecast.baselines import run as run_baselines
from factory.release import load_bundle
from factory.score.textfree import RULE_NOTES
from tests import example_event as example
from tests.scripted import make_context

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_file_of_a_bundle_is_described(tmp_path: Path) -> None:
    example.write_workspace(tmp_path)
    asyncio.run(run_baselines(make_context(tmp_path, "baselines")))
    written = build_files(load_bundle(make_context(tmp_path, "release", fictional=True)))
    text = (DOCS / "bundle.md").read_text(encoding="utf-8")
    described = []
    for name in re.findall(r"`([\w./<>{},]+)`", text):
        for choice in (re.search(r"\{(.+)\}", name) or [None, ""])[1].split(","):
            pattern = re.escape(re.sub(r"\{.+\}", choice, name))
            pattern = re.sub(r"<\w+>", "[^/]+", pattern)
            described.append(re.compile(pattern + (".*" if pattern.endswith("/") else "") + "$"))
    for path in written:
        assert any(pattern.match(path) for pattern in described), path


def test_every_system_without_text_is_described() -> None:
    text = (DOCS / "scoring.md").read_text(encoding="utf-8")
    for system in RULE_NOTES:
        assert f"`{system}`" in text
