"""Makers of items, plans and workspaces for the corpus and distil tests."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from factory.stage import StageContext
from schemas import Item, Origin, Plan

START = date(2026, 3, 1)

PLAN = Plan(
    topic="Ferry fares in Lanmere rise and residents protest",
    title="Lanmere ferry fares",
    since=START,
    until=date(2026, 5, 1),
    zone="Asia/Shanghai",
    languages=("en", "zh"),
    domain="transport",
    entities=("Lanmere", "兰米尔", "Harbour Authority"),
    stance_target="the fare rise",
)


def at(day: int, hour: int = 4) -> datetime:
    """A moment on the n-th day of the window, UTC."""
    return datetime(START.year, START.month, START.day, hour, tzinfo=UTC) + timedelta(days=day)


def item(item_id: str, text: str, day: int | None = 0, **fields: Any) -> Item:
    """An article unless said otherwise."""
    return Item(
        **{
            "item_id": item_id,
            "platform": "web",
            "kind": "article",
            "native_id": item_id,
            "text": text,
            "published_at": None if day is None else at(day),
            "precision": "none" if day is None else "minute",
            "fetched_at": at(90),
            "origin": Origin(source="test"),
        }
        | fields
    )


def fill(ctx: StageContext, items: list[Item], plan: Plan = PLAN) -> StageContext:
    """Write plan and items into the context's workspace."""
    ctx.workspace.write("00_plan/plan.json", plan)
    ctx.workspace.write_lines("01_items/items.jsonl", items)
    return ctx
