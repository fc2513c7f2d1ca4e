"""Items that leave an event: whole or as ids, never with authors, never what was deleted, never half."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from factory import exporting
from factory.deletions import deletion
from factory.errors import BadInput, WorkspaceError
from factory.events import Event, create
from factory.exporting import export_items
from schemas import ExportedId, ExportedItem, Item
from tests.corpus.items import fill, item
from tests.scripted import make_context

HASH = "0123456789abcdef"
ITEMS = [
    item("a", "An article.", 1, licence="publisher", publisher="Courier", url="http://c.example/a"),
    item("b", "A post.", 2, platform="reddit", kind="post", native_id="t3_b", author_hash=HASH,
         licence="platform-terms", url="http://r.example/b", engagement={"likes": 3}),
    item("c", "An answer.", 2, platform="reddit", kind="comment", native_id="t1_c", parent_id="b", root_id="b",
         author_hash=HASH, licence="platform-terms"),
    item("d", "Deleted words.", 2, deleted=True),
    item("e", "Words taken back.", 3, platform="mastodon", kind="post", native_id="77"),
    item("f", "Known to the month.", 4, precision="month"),
    item("g", "Undated.", None),
]  # fmt: skip


@pytest.fixture
def event(tmp_path: Path) -> Event:
    made = create(tmp_path / "ferry", {"slug": "ferry", "topic": "Lanmere ferry fares"})
    fill(make_context(made.workspace.root, "corpus"), ITEMS)
    made.workspace.decide(
        deletion("e", gone=True, note="mastodon 77", at=datetime(2026, 7, 1, tzinfo=UTC))
    )
    return made


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]


def test_text_holds_the_words_and_no_author(event: Event, tmp_path: Path) -> None:
    done = export_items(event, tmp_path / "out", "text")
    assert (done.items, done.deleted) == (5, 2)
    found = rows(tmp_path / "out")
    assert [row["item_id"] for row in found] == ["a", "b", "c", "f", "g"]
    assert found[1]["text"] == "A post."
    assert found[1]["engagement"] == {"likes": 3}
    assert found[2]["parent_id"] == "b"
    assert [row["licence"] for row in found[:3]] == [
        "publisher",
        "platform-terms",
        "platform-terms",
    ]
    for row in found:
        ExportedItem.model_validate_json(json.dumps(row))
    assert not any("author" in name for name in ExportedItem.model_fields)


def test_ids_hold_four_fields_and_no_words(event: Event, tmp_path: Path) -> None:
    export_items(event, tmp_path / "out", "ids")
    found = rows(tmp_path / "out")
    assert found[1] == {
        "platform": "reddit",
        "native_id": "t3_b",
        "url": "http://r.example/b",
        "date": "2026-03-03",
    }
    assert [row["date"] for row in found] == [
        "2026-03-02",
        "2026-03-03",
        "2026-03-03",
        "2026-03",
        None,
    ]
    for row in found:
        ExportedId.model_validate_json(json.dumps(row))


@pytest.mark.parametrize("mode", exporting.MODES)
def test_addresses_of_an_export_hold_no_tokens(tmp_path: Path, mode: str) -> None:
    made = create(tmp_path / "ferry", {"slug": "ferry", "topic": "Lanmere ferry fares"})
    own = item("b", "A post.", 3, url="http://r.example/b?xsec_token=AB&x=1")
    fill(make_context(made.workspace.root, "corpus"), [own])
    export_items(made, tmp_path / "out", mode)
    assert rows(tmp_path / "out")[0]["url"].endswith("/b?x=1")


@pytest.mark.parametrize("mode", exporting.MODES)
def test_no_export_holds_authors_or_what_was_deleted(
    event: Event, tmp_path: Path, mode: str
) -> None:
    export_items(event, tmp_path / "out", mode)
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "out").iterdir())
    for secret in (HASH, "Deleted words", "Words taken back", '"77"', event.keys.salt):
        assert secret not in text


@pytest.mark.parametrize("mode", exporting.MODES)
def test_the_readme_counts_each_class_and_says_what_may_be_done(
    event: Event, tmp_path: Path, mode: str
) -> None:
    export_items(event, tmp_path / "out", mode)
    lines = (tmp_path / "out" / "README.md").read_text("utf-8").splitlines()
    table = {
        line.split("|")[1].strip(): line.split("|")[2].strip() for line in lines if "| `" in line
    }
    assert table == {"`publisher`": "1", "`platform-terms`": "2", "`unknown`": "2"}
    assert any("factory sources recheck" in line for line in lines)


def test_every_licence_class_is_explained() -> None:
    assert tuple(exporting.CLASSES) == get_args(Item.model_fields["licence"].annotation)


def test_the_same_items_give_the_same_bytes(event: Event, tmp_path: Path) -> None:
    for name in ("one", "two"):
        export_items(event, tmp_path / name, "text")
    for file in ("items.jsonl", "README.md"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_folder_that_holds_something_is_left_alone(event: Event, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("kept")
    with pytest.raises(BadInput, match="exists already"):
        export_items(event, out, "text")
    assert [path.name for path in out.iterdir()] == ["mine.txt"]
    (out / "mine.txt").unlink()
    export_items(event, out, "text")
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "items.jsonl"]


def test_a_stopped_export_leaves_nothing(
    event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(exporting, "_date", stop)
    with pytest.raises(KeyboardInterrupt):
        export_items(event, tmp_path / "out", "ids")
    assert sorted(tmp_path.iterdir()) == before


def test_wrong_inputs_are_one_sentence(event: Event, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--mode 'all' is unknown; use text or ids"):
        export_items(event, tmp_path / "out", "all")
    empty = create(tmp_path / "new", {"slug": "new", "topic": "a topic"})
    with pytest.raises(WorkspaceError, match="factory run new"):
        export_items(empty, tmp_path / "out", "text")
    (tmp_path / "file").write_text("")
    with pytest.raises((BadInput, WorkspaceError), match="file"):
        export_items(event, tmp_path / "file" / "out", "text")
