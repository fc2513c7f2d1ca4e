"""One collection in a process of its own, so that a test can kill it: `python -m tests.collect.resumable ROOT PROXY`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from factory import collect
from factory.sections import CollectSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import Plan, SourceQuery
from sources import hackernews, registry
from tests.scripted import make_context

ADDRESS = "http://hn.example"


def context(root: Path, proxy: str, **collected: Any) -> StageContext:
    """A collection of two queries of Hacker News through a proxy."""
    registry.CONNECTORS.setdefault("hackernews", "sources.hackernews:HackerNews")
    hackernews.ADDRESS = ADDRESS
    if "hackernews_url" in CollectSettings.model_fields:
        collected["hackernews_url"] = ADDRESS
    settings = Settings(collect=CollectSettings(proxy=proxy, **collected))
    ctx = make_context(root, "collect", settings=settings)
    ctx.workspace.write(
        collect.PLAN,
        Plan.model_validate_json(
            """{"topic": "a ferry", "title": "Ferry", "since": "2026-03-01", "until": "2026-03-31",
            "zone": "Asia/Shanghai", "languages": ["en"], "domain": "transport", "stance_target": "the ferry"}"""
        ).model_copy(
            update={
                "queries": tuple(
                    SourceQuery(source="hackernews", query=words, lang="en", max_items=150)
                    for words in ("ferry", "boat")
                )
            }
        ),
    )
    return ctx


def main() -> None:
    """Run the stage and print its counts."""
    counts = asyncio.run(collect.run(context(Path(sys.argv[1]), sys.argv[2])))
    print(counts.model_dump_json())


if __name__ == "__main__":
    main()
