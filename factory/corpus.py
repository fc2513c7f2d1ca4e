"""Stage `corpus`: from everything that was collected to the documents that count, and which of them are copies.

Items are cleaned, dropped with a reason when they are deleted, empty, outside the window or about something
else, and grouped into clusters of one text each. Every kept item stays a document; a cluster says which one
speaks for the others. The same items give the same bytes in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from factory.counting import count_of
from factory.dedup.cluster import EMBED_CHARS, Document, Group, cluster, document
from factory.dedup.wording import (
    clean,
    comparable,
    content_length,
    language,
    learn_boilerplate,
    script,
)
from factory.deletions import gone_ids
from factory.encode import MIN_CONTENT, Encoder, load_encoder
from factory.sections import CorpusSettings
from factory.stage import StageContext
from schemas import Cluster, Counts, Item, Member, Plan

PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
DOCUMENTS = "02_corpus/documents.jsonl"
CLUSTERS = "02_corpus/clusters.jsonl"

POSTS = ("post", "comment")
DATED = ("second", "minute", "day")


async def run(ctx: StageContext) -> Counts:
    """Write documents.jsonl and clusters.jsonl; every item that is not kept becomes a rejection."""
    plan = ctx.workspace.read(Plan, PLAN)
    items = ctx.workspace.read_lines(Item, ITEMS)
    encoder = load_encoder(ctx.settings.encoder)
    zone = ZoneInfo(plan.zone)
    documents = _relevant(ctx, plan, _usable(ctx, plan, items, zone), encoder)
    documents.sort(key=lambda item: _order(item, zone))
    clusters = group_items(documents, zone, encoder, ctx.settings.corpus, ctx.new_id)
    ctx.say(
        f"corpus: {count_of(len(items), 'item')}, {count_of(len(documents), 'document')} in "
        f"{count_of(len(clusters), 'cluster')}, "
        f"encoder {encoder.name}"
    )
    ctx.workspace.write_lines(DOCUMENTS, documents)
    ctx.workspace.write_lines(CLUSTERS, clusters)
    return Counts(received=len(items), kept=len(documents), rejected=len(ctx.rejections))


def day_of(item: Item, zone: ZoneInfo) -> date | None:
    """The day an item belongs to; none when it is known only to the month or not at all."""
    if item.published_at is None or item.precision not in DATED:
        return None
    return item.published_at.astimezone(zone).date()


def group_items(
    items: Sequence[Item],
    zone: ZoneInfo,
    encoder: Encoder,
    settings: CorpusSettings,
    new_id: Callable[..., str],
) -> list[Cluster]:
    """Clusters of items that say the same, in order of their representatives."""
    learned = learn_boilerplate(
        (item.publisher or item.platform, item.text) for item in items if item.kind not in POSTS
    )
    by_id = {item.item_id: item for item in items}
    groups = cluster([_prepare(item, zone, learned) for item in items], encoder, settings)
    ids = {
        group.representative.item_id: new_id("c", group.representative.item_id) for group in groups
    }
    return [_cluster(group, ids, by_id, zone) for group in groups]


def _prepare(item: Item, zone: ZoneInfo, learned: frozenset[str]) -> Document:
    day = day_of(item, zone)
    return document(
        item.item_id,
        comparable(item.title, item.text, learned),
        post=item.kind in POSTS,
        day=day.toordinal() if day else None,
        at=_seconds(item, zone),
        url=item.canonical_url if item.kind == "article" else "",
    )


def _cluster(group: Group, ids: dict[str, str], items: dict[str, Item], zone: ZoneInfo) -> Cluster:
    head = group.representative.item_id
    members = [Member(item_id=head, rule="representative", similarity=1.0)]
    members += [
        Member(item_id=copy.item_id, rule=found.rule, similarity=found.similarity)
        for copy, found in sorted(group.members, key=lambda pair: pair[0].order)
    ]
    return Cluster(
        cluster_id=ids[head],
        representative=head,
        day=day_of(items[head], zone),
        members=tuple(members),
        update_of=tuple(sorted(ids[other] for other in group.update_of)),
        translation_of=tuple(sorted(ids[other] for other in group.translation_of)),
    )


def _seconds(item: Item, zone: ZoneInfo) -> float:
    """Seconds into the day; the end of the day when only the day is known."""
    if item.published_at is None or item.precision not in ("second", "minute"):
        return 86_400.0
    local = item.published_at.astimezone(zone)
    midnight = datetime(local.year, local.month, local.day, tzinfo=zone)
    return (local - midnight).total_seconds()


def _order(item: Item, zone: ZoneInfo) -> tuple[bool, int, float, str]:
    day = day_of(item, zone)
    return (day is None, day.toordinal() if day else 0, _seconds(item, zone), item.item_id)


def _usable(ctx: StageContext, plan: Plan, items: Iterable[Item], zone: ZoneInfo) -> list[Item]:
    """Items with text, inside the window, once each, with cleaned words."""
    kept: dict[str, Item] = {}
    gone = gone_ids(ctx.decisions)
    for item in sorted(items, key=lambda item: (item.item_id, item.model_dump_json())):
        title, text = clean(item.title), clean(item.text)
        day = day_of(item, zone)
        if item.item_id in kept:
            ctx.reject(item.item_id, "same id twice", item.url)
        elif item.deleted or item.item_id in gone:
            ctx.reject(item.item_id, "deleted by its platform", item.url)
        elif content_length(title + text) < ctx.settings.corpus.min_chars:
            ctx.reject(
                item.item_id,
                "too short",
                f"fewer than {ctx.settings.corpus.min_chars} letters and digits",
            )
        elif day is not None and not plan.since <= day <= plan.until:
            ctx.reject(item.item_id, "outside the window", day.isoformat())
        elif item.precision == "month" and not _month_overlaps(item, plan, zone):
            ctx.reject(item.item_id, "outside the window", item.published_raw)
        else:
            kept[item.item_id] = item.model_copy(
                update={"title": title, "text": text, "lang": language(text, item.lang)}
            )
    return list(kept.values())


def _month_overlaps(item: Item, plan: Plan, zone: ZoneInfo) -> bool:
    if item.published_at is None:
        return True
    month = item.published_at.astimezone(zone).strftime("%Y-%m")
    return f"{plan.since:%Y-%m}" <= month <= f"{plan.until:%Y-%m}"


def _relevant(ctx: StageContext, plan: Plan, items: list[Item], encoder: Encoder) -> list[Item]:
    """Items about the event; answers stand or fall with the post that they answer."""
    by_id = {item.item_id: item for item in items}
    alone = [item for item in items if _parent(item, by_id) is None]
    anchors = [plan.topic, plan.title, "，".join((plan.title, *plan.entities))]
    anchors = [text for text in anchors if content_length(text) >= MIN_CONTENT] or [plan.topic]
    texts = {item.item_id: comparable(item.title, item.text)[:EMBED_CHARS] for item in alone}
    asked = [
        item
        for item in alone
        if item.kind != "timeline"
        and content_length(texts[item.item_id]) >= MIN_CONTENT
        and not mentions(f"{item.title}\n{item.text}", plan.entities)
    ]
    cosines: dict[str, float] = {}
    if asked:
        near = encoder.encode([texts[item.item_id] for item in asked]) @ encoder.encode(anchors).T
        cosines = {
            item.item_id: round(float(row.max()), 4) for item, row in zip(asked, near, strict=True)
        }
    off = {
        item_id: cosine
        for item_id, cosine in cosines.items()
        if cosine < ctx.settings.corpus.relevance
    }
    kept = []
    for item in items:
        root = _root(item, by_id)
        if root.item_id not in off:
            kept.append(item)
        elif root is item:
            ctx.reject(item.item_id, "off topic", f"cosine {off[item.item_id]} and no entity named")
        else:
            ctx.reject(item.item_id, "off topic", f"answers {root.item_id}, which is off topic")
    return kept


def _parent(item: Item, by_id: dict[str, Item]) -> Item | None:
    for name in (item.parent_id, item.root_id):
        if name is not None and name != item.item_id and name in by_id:
            return by_id[name]
    return None


def _root(item: Item, by_id: dict[str, Item]) -> Item:
    """The top of the thread as far as it was collected; a loop in foreign data ends where it began."""
    seen = {item.item_id}
    while (parent := _parent(item, by_id)) is not None and parent.item_id not in seen:
        seen.add(parent.item_id)
        item = parent
    return item


def mentions(text: str, entities: Iterable[str]) -> bool:
    """Whether a text names one of the entities: whole words in Latin script, anywhere in Chinese."""
    folded = text.casefold()
    padded = " " + "".join(char if char.isalnum() else " " for char in folded) + " "
    padded = " ".join(padded.split())
    for entity in entities:
        name = entity.casefold().strip()
        if script(name) == "zh":
            if len(name) > 1 and name in folded:
                return True
        else:
            words = " ".join("".join(c if c.isalnum() else " " for c in name).split())
            if words and f" {words} " in f" {padded} ":
                return True
    return False
