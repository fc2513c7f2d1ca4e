"""Passages of the corpus: names that only the corpus knows are blanked, texts of little else are left out."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from factory.anonymise.apply import passages
from factory.anonymise.match import Matcher
from factory.segments import render
from schemas import Cluster, Item, Member, ReplacementTable
from tests.anonymise import event
from tests.scripted import make_context


def shown(tmp_path: Path, *documents: Item) -> tuple[list[str], list[tuple[str, str]]]:
    """Texts of the passages kept, and reasons of those rejected."""
    ctx = make_context(tmp_path, "anonymise")
    clusters = [
        Cluster(
            cluster_id=f"c-{item.item_id}",
            representative=item.item_id,
            day=date(2026, 1, 6),
            members=(Member(item_id=item.item_id, rule="representative", similarity=1.0),),
        )
        for item in documents
    ]
    matcher = Matcher(ReplacementTable(entities=()))
    kept = passages(ctx, clusters, documents, matcher, event.OFFSET)
    return [render(p.text, p.lang) for p in kept], [(r.item, r.reason) for r in ctx.rejections]


def test_a_name_that_no_table_knows_is_blanked(tmp_path: Path) -> None:
    english = event.item("i1", "The drivers met the lawyer Petra Quenby at noon and went home.")
    chinese = event.item(
        "i2",
        "司机们中午去了《奥斯特维克日报》的编辑部，说明为什么要继续罢工，然后各自回家，晚上再开会。",
        lang="zh",
    )
    kept, rejected = shown(tmp_path, english, chinese)
    assert not rejected
    assert len(kept) == 2
    assert not any(name in text for text in kept for name in ("Quenby", "Petra", "奥斯特维克"))
    assert any("The drivers met the lawyer [name] at noon and went home." in text for text in kept)


def test_a_passage_of_names_alone_is_left_out_with_the_reason(tmp_path: Path) -> None:
    kept, rejected = shown(
        tmp_path, event.item("i1", "with Petra Quenby, Olaf Zedling, Ines Wexcombe")
    )
    assert kept == []
    assert rejected == [("passage c-i1", "mostly names that no table knows")]


def test_plain_words_and_dates_stay(tmp_path: Path) -> None:
    kept, _ = shown(tmp_path, event.item("i1", "The drivers voted 31-9 on 2 February to go home."))
    assert kept == ["The drivers voted 31-9 on 1 December to go home."]
