"""An edited plan is used as it is, or refused in one sentence before any source is asked."""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from factory import collect
from factory.errors import BadInput, FactoryError, WorkspaceError
from factory.events import create, open_event
from factory.recording import load_run
from factory.running import run_event
from factory.stage import StageContext
from tests.scripted import make_context

ROOT = Path(__file__).resolve().parents[2]
WINDOW = {"since": "2025-11-01", "until": "2026-05-20"}
QUERY = {"source": "mastodon", "query": "#HouweiFerry", "lang": "en", "max_items": 20}
PLAN: dict[str, Any] = {
    "topic": "the Houwei ferry",
    "title": "Houwei ferry closure",
    **WINDOW,
    "zone": "Asia/Shanghai",
    "languages": ["en", "zh"],
    "domain": "transport",
    "entities": ["Houwei"],
    "stance_target": "the closure of the ferry",
    "queries": [QUERY],
    "origin": "model",
}


def edited(root: Path, content: bytes) -> StageContext:
    ctx = make_context(root, "collect")
    ctx.now = datetime(2026, 5, 28, 2, tzinfo=UTC)
    ctx.workspace.write_bytes(collect.PLAN, content)
    return ctx


def refused(root: Path, content: bytes) -> str:
    with pytest.raises(FactoryError) as caught:
        asyncio.run(collect.run(edited(root, content)))
    assert isinstance(caught.value, BadInput | WorkspaceError)
    assert caught.value.exit_code == 2
    return str(caught.value)


def asks(*queries: dict[str, Any]) -> dict[str, Any]:
    return {"queries": list(queries)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"zone": "Mars/X"}, ["zone", "'Mars/X' is no time zone", "Asia/Shanghai"]),
        ({"zone": "/etc/passwd"}, ["is no time zone"]),
        ({"zone": "America"}, ["is no time zone"]),
        ({"zone": "A\x00b"}, ["is no time zone"]),
        ({"zone": "x" * 5000}, ["is no time zone"]),
        ({"zone": ""}, ["zone"]),
        ({"zone": 8}, ["zone", "valid string"]),
        ({"until": "2030-01-01"}, ["still unfolding on 2030-01-01", "until in 00_plan/plan.json"]),
        ({"until": "9999-12-31"}, ["still unfolding"]),
        ({"until": "2026-05-28"}, ["still unfolding on 2026-05-28"]),
        ({"since": "2026-05-20", "until": "2025-11-01"}, ["before it begins on 2026-05-20"]),
        ({"since": "2026-04-24"}, ["four weeks"]),
        ({"since": "0202-11-01"}, ["0202-11-01", "correct the year of since"]),
        ({"since": "2025-02-30"}, ["since", "valid date"]),
        ({"since": 20251101}, ["since", "valid date"]),
        ({"languages": []}, ["languages"]),
        ({"languages": ["fr"]}, ["languages.0", "'en' or 'zh'"]),
        ({"title": " "}, ["title", "nothing but spaces"]),
        ({"stance_target": "\n"}, ["stance_target", "nothing but spaces"]),
        ({"entities": ["Houwei", "　"]}, ["entities.1", "nothing but spaces"]),
        ({"until_": "2026-05-20"}, ["until_"]),
        ({"queries": "mastodon"}, ["queries"]),
        (asks(QUERY | {"source": "telepathy"}), ["no source 'telepathy'", "sources are", "plan.json"]),
        (asks(QUERY | {"source": "Mastodon"}), ["no source 'Mastodon'", "sources are"]),
        (asks(QUERY | {"query": ""}), ["queries.0.query"]),
        (asks(QUERY, QUERY | {"query": "　 "}), ["queries.1.query", "nothing but spaces"]),
        (asks(QUERY | {"query": "ferry\x00"}), ["query 1", "control characters"]),
        (asks(QUERY | {"query": "a\nb"}), ["query 1", "control characters", "one line"]),
        (asks(QUERY | {"query": "x" * 401}), ["query 1", "401 characters, at most 400"]),
        (asks(QUERY | {"query": "https://e.com/" + "x" * 2000}), ["query 1", "at most 2000"]),
        (asks(QUERY | {"max_items": -3}), ["queries.0.max_items", "greater than 0"]),
        (asks(QUERY | {"max_items": 0}), ["queries.0.max_items", "greater than 0"]),
        (asks(QUERY | {"max_items": "20"}), ["queries.0.max_items", "integer"]),
        (asks(QUERY | {"max_items": 2.5}), ["queries.0.max_items", "integer"]),
        (asks(QUERY | {"lang": "fr"}), ["queries.0.lang", "'en' or 'zh'"]),
        (asks(QUERY, QUERY), ["queries 1 and 2", "mastodon", "remove one"]),
        (asks(QUERY, QUERY | {"query": " #HouweiFerry  "}), ["queries 1 and 2", "remove one"]),
        (asks(QUERY | {"source": "web", "query": "ferry"}), ["web", "ferry is no web address"]),
        (asks(), ["asks nothing"]),
    ],
)  # fmt: skip
def test_what_cannot_be_collected_is_one_sentence(
    tmp_path: Path, change: dict[str, Any], words: list[str]
) -> None:
    text = refused(tmp_path, json.dumps(PLAN | change).encode())
    assert "\n" not in text
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"NaN", b"[" * 100_000, b'{"topic": "\xff"}', b'{"topic": "\\ud800"}',
        json.dumps(PLAN).encode()[:-1] + b",}", json.dumps(PLAN).encode("utf-16"),
    ],
)  # fmt: skip
def test_what_is_no_plan_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    text = refused(tmp_path, content)
    assert text.startswith("00_plan/plan.json is damaged")
    assert "correct it, or delete it and run again to have the plan made anew" in text


def test_a_folder_in_place_of_the_plan_is_one_sentence(tmp_path: Path) -> None:
    ctx = edited(tmp_path, b"")
    ctx.workspace.path(collect.PLAN).unlink()
    ctx.workspace.path(collect.PLAN).mkdir()
    with pytest.raises(WorkspaceError, match=r"plan\.json cannot be read .*correct it"):
        asyncio.run(collect.run(ctx))


@pytest.mark.parametrize(
    "write",
    [
        lambda plan: codecs.BOM_UTF8 + json.dumps(plan).encode(),
        lambda plan: json.dumps(plan | {"zone": "UTC"}, indent=8).encode(),
        lambda plan: json.dumps(plan | {"since": "1999-01-01"}).encode(),
    ],
)
def test_an_edit_that_can_be_used_is_used(
    tmp_path: Path, write: Callable[[dict[str, Any]], bytes]
) -> None:
    """A source without its credentials is told and not asked, so that nothing here needs a network."""
    ctx = edited(tmp_path, write(PLAN | asks(QUERY | {"source": "x", "query": "ferry"})))
    asyncio.run(collect.run(ctx))
    assert [row.reason for row in ctx.rejections] == ["no credentials"]


def test_the_same_words_may_be_asked_in_both_languages(tmp_path: Path) -> None:
    both = asks(*(QUERY | {"source": "x", "lang": lang} for lang in ("en", "zh")))
    ctx = edited(tmp_path, json.dumps(PLAN | both).encode())
    asyncio.run(collect.run(ctx))
    assert len(ctx.rejections) == 2


@pytest.mark.parametrize("change", [{"zone": "Mars/X"}, {"until": "2030-01-01"}])
def test_the_command_ends_with_exit_code_2_and_no_traceback(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    recording = load_run("small-demo")
    root = tmp_path / "workspaces" / "demo"
    fields = {"topic": recording.topic, "mode": "replay", "recording": "small-demo", "slug": "demo"}
    run_event(create(root, fields, recording=recording), to_stage="plan")
    file = open_event(root).workspace.path(collect.PLAN)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    for command in (["run", "demo", "--to", "collect"], ["run", "demo"]):
        done = subprocess.run(
            [sys.executable, "-m", "factory", *command],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert "00_plan/plan.json" in done.stderr
