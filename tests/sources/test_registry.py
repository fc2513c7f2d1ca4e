"""The table of sources, and the documented way to add one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from schemas import SourceQuery
from sources import registry
from sources.base import Connector, SourceContext, SourceError
from sources.http import Response

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")


class Canned:
    """A client with one answer."""

    def get(self, url: str, **_: object) -> Response:
        self.asked = url
        body = json.dumps([{"id": 7, "text": "渡轮停航了", "date": "2026年3月5日 08:30"}])
        return Response(url, 200, {}, body.encode(), "ok")


def test_the_documented_connector_works(monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.search(r"```python\n(.*?)```", DOCS, re.DOTALL)
    assert code is not None
    assert len(code[1].splitlines()) <= 40
    module: dict[str, Any] = {"__name__": "notices_example"}
    exec(code[1], module)
    found: type[Connector] = module["Notices"]
    assert issubclass(found, Connector)
    client = Canned()
    context = SourceContext(
        fetched_at=datetime(2026, 5, 1, tzinfo=UTC),
        zone="Asia/Shanghai",
        salt="s",
        http=client,  # type: ignore[arg-type]
    )
    source = found(context)
    query = SourceQuery(source="notices", query="渡轮", lang="zh")
    (item,) = source.search(query, date(2026, 1, 1), date(2026, 4, 1))
    assert item.published_at == datetime(2026, 3, 5, 0, 30, tzinfo=UTC)
    assert source.report.outcomes == {"ok": 1}
    plugin = EntryPoint("notices", "notices_example:Notices", "factory.sources")
    monkeypatch.setattr(registry, "_plugins", lambda group: {plugin.name: plugin.value})
    monkeypatch.setitem(sys.modules, "notices_example", type("M", (), module))
    assert registry.connector("notices") is found
    assert "notices" in registry.connector_names()


def test_the_docs_name_every_source_with_what_it_needs() -> None:
    for row in registry.connectors():
        line = next(line for line in DOCS.splitlines() if line.startswith(f"| `{row.name}` |"))
        for need in row.needs:
            assert need in line
        if issubclass(row, Connector):
            assert row.takes.split(",")[0].split(" (")[0].replace("`", "") in line.replace("`", "")


def test_an_unknown_source_names_those_that_exist() -> None:
    with pytest.raises(SourceError, match="mastodon, reddit, rss, web"):
        registry.connector("telepathy")
    with pytest.raises(SourceError, match="captures, feed, html"):
        registry.importer("telepathy")


def test_what_is_no_connector_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", lambda group: {"odd": "pathlib:Path"})
    with pytest.raises(SourceError, match="odd"):
        registry.connector("odd")


def test_the_registry_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom sources.registry import connectors\nconnectors()\n"
        "print(sorted({'praw', 'trafilatura', 'htmldate', 'vcr', 'feedparser', 'httpx2', 'requests'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
