"""The corpus by days: what each day's news and posts are, before any model sees them.

A day holds what was published on it. A text that is known only to the month supports no day. Copies are shown
once, on the day of the earliest; a later copy that says much more is a source of its own on its own day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from factory.stage import StageContext
from schemas import Cluster, Item, Plan

SOURCE_CHARS = 4000
"""Characters of one article shown in a prompt; quotes are checked against the whole text."""

POST_CHARS = 1200
"""Characters of one post shown in a prompt."""

FULLER = 1.5
"""A later copy this many times as long as the text that stands for it is read too."""

POSTS = ("post", "comment")
DATED = ("second", "minute", "day")


@dataclass(frozen=True)
class Source:
    """One news text of a day."""

    item: Item
    copies: int
    """Other items that carry the same text."""
    updates: bool
    """It repeats an earlier report with other numbers."""
    translation: str
    """Item id of the same report in the other language on the same day, or empty."""


@dataclass
class DaySources:
    """Everything published on one day."""

    news: list[Source] = field(default_factory=list)
    posts: list[Item] = field(default_factory=list)


def days_of(
    ctx: StageContext, plan: Plan, items: list[Item], clusters: list[Cluster], until: date
) -> dict[date, DaySources]:
    """Days with something published on them, in order; what cannot be placed is rejected."""
    zone = ZoneInfo(plan.zone)
    by_id = {item.item_id: item for item in items}
    by_cluster = {cluster.cluster_id: cluster for cluster in clusters}
    days: dict[date, DaySources] = defaultdict(DaySources)
    for cluster in clusters:
        head = by_id[cluster.representative]
        if cluster.day is None:
            ctx.reject(head.item_id, "no day of publication", head.published_raw)
            continue
        for item in (head, *_fuller(cluster, by_id)):
            day = _day(item, zone)
            if day is None or not plan.since <= day <= until:
                ctx.reject(item.item_id, "outside the observed span", str(day))
            elif item.kind in POSTS:
                days[day].posts.append(item)
            else:
                days[day].news.append(
                    Source(
                        item,
                        len(cluster.members) - 1,
                        bool(cluster.update_of),
                        _translated(cluster, by_cluster),
                    )
                )
    for found in days.values():
        found.news.sort(key=lambda source: _moment(source.item))
        found.posts.sort(key=_moment)
    return dict(sorted(days.items()))


def _fuller(cluster: Cluster, items: dict[str, Item]) -> list[Item]:
    head = items[cluster.representative]
    if head.kind in POSTS:
        return []
    later = [items[m.item_id] for m in cluster.members[1:] if items[m.item_id].precision in DATED]
    longest = max(later, key=lambda item: (len(item.text), item.item_id), default=head)
    return [longest] if len(longest.text) >= FULLER * max(1, len(head.text)) else []


def _translated(cluster: Cluster, clusters: dict[str, Cluster]) -> str:
    same_day = [
        clusters[other].representative
        for other in cluster.translation_of
        if other in clusters and clusters[other].day == cluster.day
    ]
    return min(same_day, default="")


def _day(item: Item, zone: ZoneInfo) -> date | None:
    if item.published_at is None or item.precision not in DATED:
        return None
    return item.published_at.astimezone(zone).date()


def _moment(item: Item) -> tuple[str, str]:
    return (item.published_at.isoformat() if item.published_at else "", item.item_id)


def shown_sources(sources: Sequence[Source], zone: ZoneInfo) -> list[dict[str, Any]]:
    """Sources as the facts prompt shows them, numbered from 1."""
    numbers = {source.item.item_id: number for number, source in enumerate(sources, 1)}
    return [
        {
            "number": number,
            "lang": source.item.lang,
            "published": _published(source.item, zone),
            "copies": source.copies,
            "updates": source.updates,
            "translation": numbers.get(source.translation, 0),
            "text": "\n".join(
                part
                for part in (source.item.publisher, source.item.title, _cut(source.item.text, SOURCE_CHARS))
                if part
            ),
        }
        for number, source in enumerate(sources, 1)
    ]  # fmt: skip


def shown_posts(
    posts: list[Item], items: dict[str, Item], zone: ZoneInfo, stances: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """Posts as prompts show them, numbered from 1, with the beginning of what they answer."""
    rows = []
    for number, post in enumerate(posts, 1):
        parent = items.get(post.parent_id or post.root_id or "")
        rows.append(
            {
                "number": number,
                "lang": post.lang,
                "published": _published(post, zone),
                "answers": _cut(f"{parent.title} {parent.text}".strip(), 200) if parent else "",
                "stance": (stances or {}).get(post.item_id, ""),
                "text": _cut("\n".join(part for part in (post.title, post.text) if part), POST_CHARS),
            }
        )  # fmt: skip
    return rows


def _published(item: Item, zone: ZoneInfo) -> str:
    if item.published_at is None:
        return ""
    local = item.published_at.astimezone(zone)
    return f"{local:%Y-%m-%d}" if item.precision == "day" else f"{local:%Y-%m-%d %H:%M}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip() + " […]"
