"""What the tests of importers share: a context, and files read as the collection reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas import Item
from sources import registry
from sources.base import Refusal, SourceContext
from sources.imports.detect import read_files

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
CONTEXT = SourceContext(fetched_at=FETCHED, zone="Asia/Shanghai", salt="s")
WHEN = datetime(2026, 3, 5, 0, 30, tzinfo=UTC)
SECONDS = 1772670600
IMPORTERS = {
    "articles": "sources.imports.articles_json:ArticlesJson",
    "societybench": "sources.imports.societybench:VerifiedCsv",
    "reddit-archive": "sources.imports.ndjson:RedditArchive",
    "warc": "sources.imports.warc:Warc",
    "zeeschuimer": "sources.imports.zeeschuimer:Zeeschuimer",
}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The importers under test are known by their names."""
    for name, path in IMPORTERS.items():
        monkeypatch.setitem(registry.IMPORTERS, name, path)
    return


def read(
    path: Path, format_: str = "auto", context: SourceContext = CONTEXT
) -> tuple[list[Item], list[Refusal]]:
    """Items and refusals of a file or folder."""
    items: list[Item] = []
    refusals: list[Refusal] = []
    for result, found in read_files(path, context, format_):
        items += found
        refusals += result.report.refusals
    return items, refusals


def reasons(refusals: list[Refusal]) -> Counter[str]:
    """Refusals by reason."""
    return Counter(refusal.reason for refusal in refusals)
