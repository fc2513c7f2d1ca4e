"""`factory import` and the names of events: nothing outside the workspace, nothing half-made, every reason said."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from factory import events
from factory.errors import BadInput
from factory.workspace import Workspace
from schemas import Keys
from tests.test_cli import factory

TIMELINE = """# The ferry

### 2026-01-05

**Event**: The council closed the Houwei ferry on 4 January 2026.

### 2026-03-06

**Event**: A court annulled the closure.
"""


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize(
    "name", ["demo", "Event_2", "停航-2026", "v1.2", "_draft", "1", "é", "x" * events.SLUG_LIMIT]
)
def test_a_name_that_is_one_folder_is_kept(name: str) -> None:
    assert events.check_slug(name) == name


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", ".x", "-x", "a/b", "a\\b", "../../x", "/elsewhere/x", "a b", "a\n", "a\0", "a:b", "x" * 81],
)  # fmt: skip
def test_a_name_that_could_be_more_than_one_folder_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"--name .* cannot be a folder name; use letters"):
        events.check_slug(name)


@pytest.mark.parametrize("name", ["Bad Name/..", "../../x", "up/../../x", ".hidden", "a b"])
def test_both_commands_that_make_events_check_the_name(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    (inside / "t.md").write_text(TIMELINE, encoding="utf-8")
    before = everything(tmp_path)
    said = {
        factory(*arguments, "--name", name, cwd=inside).stderr
        for arguments in (
            ["import", "auto", "t.md", "--as", "timeline"],
            ["new-event", "a topic", "--yes"],
        )
    }
    assert len(said) == 1
    assert f"--name {name!r} cannot be a folder name" in said.pop()
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (TIMELINE.replace("2026-03-06", "2026-13-06"), [], ["t.md", "2026-13-06' is no day"]),
        (TIMELINE.replace("2026-03-06", "2026-01-20"), [], ["28 days"]),
        ("# only a title\n", [], ["t.md has no timeline"]),
        ("### 2026-01-05\n\n**Event**: ⟦x⟧\n", ["--already-anonymised"], ["⟦", "correct the file"]),
        (TIMELINE, ["--zone", "Mars/X"], ["'Mars/X' is no time zone"]),
        (TIMELINE, ["--lang", "zh"], ["English (en)", "Chinese (zh)", "--lang en"]),
        (TIMELINE, ["--lang", "fr"], ["--lang 'fr' is not an edition; use en or zh"]),
        (TIMELINE, ["--topic", "..."], ["topic is empty"]),
        (TIMELINE, ["--corpus"], ["--corpus", "leave it out"]),
    ],
)
def test_a_failed_timeline_leaves_nothing_and_can_be_tried_again(
    text: str, options: list[str], words: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "t.md"
    path.write_text(text, encoding="utf-8")
    command = ["import", "auto", "t.md", "--as", "timeline", "--name", "ferry"]
    done = factory(*command, *options, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert everything(tmp_path) == {"t.md"}


def test_a_timeline_becomes_an_event_named_after_its_file(tmp_path: Path) -> None:
    (tmp_path / "Ferry_2026.md").write_text(TIMELINE, encoding="utf-8")
    command = ["import", "auto", "Ferry_2026.md", "--as", "timeline"]
    done = factory(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the event is called Ferry_2026 after the file" in done.stderr
    assert done.stdout.startswith("event Ferry_2026: 2 nodes")
    again = factory(*command, cwd=tmp_path)
    assert again.returncode == 2
    assert "event Ferry_2026 exists" in again.stderr
    named = factory(*command, "--name", "渡轮", "--json", cwd=tmp_path)
    assert json.loads(named.stdout) == {"event": "渡轮", "nodes": 2}
    assert factory("status", "渡轮", cwd=tmp_path).returncode == 0


def test_a_broken_settings_file_leaves_no_event(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text(TIMELINE, encoding="utf-8")
    (tmp_path / "factory.toml").write_text("[points]\ncuont = 3\n")
    for arguments in (["new-event", "a topic"], ["import", "auto", "t.md", "--as", "timeline"]):
        done = factory(*arguments, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "points.cuont" in done.stderr
    assert everything(tmp_path) == {"t.md", "factory.toml"}


def test_what_stood_in_the_folder_before_stays(tmp_path: Path) -> None:
    root = tmp_path / "workspaces" / "e"
    root.mkdir(parents=True)
    (root / "mine.txt").write_text("x")

    def fill(workspace: Workspace) -> None:
        workspace.write_text("a/b.txt", "y")
        assert not workspace.exists("event.toml")
        raise BadInput("no")

    for _ in range(2):
        with pytest.raises(BadInput, match="no"):
            events.create(root, {"slug": "e", "topic": "t"}, fill=fill)
        assert everything(tmp_path) == {"workspaces", "workspaces/e", "workspaces/e/mine.txt"}
    keys = Keys(public_id="e-x", salt="s")
    assert events.create(root, {"slug": "e", "topic": "t"}, keys=keys).keys == keys


def test_languages_are_refused_in_the_same_words_everywhere(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text(TIMELINE, encoding="utf-8")
    said = {
        factory(*arguments, "--lang", "fr", cwd=tmp_path).stderr
        for arguments in (
            ["new-event", "a topic"],
            ["import", "auto", "t.md"],
            ["import", "auto", "t.md", "--as", "timeline"],
        )
    }
    assert said == {"factory: --lang 'fr' is not an edition; use en or zh\n"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["auto", "t.md", "--name", "demo"], ["--name belongs to an event", "--as timeline"]),
        (["auto", "t.md", "--topic", "x"], ["--topic belongs to an event"]),
        (["auto", "t.md", "--lang", "zh"], ["--lang belongs to an event"]),
        (["auto", "t.md", "--already-anonymised"], ["--already-anonymised belongs to an event"]),
        (["feed", "t.md", "--as", "timeline"], ["the format 'feed' gives items", "auto or timeline"]),
        (["auto", "t.md", "--as", "event"], ["--as 'event' is unknown"]),
        (["table:text=Wass", "s.csv"], ["s.csv has no column 'Wass'", "Nr, Was, Wann"]),
        (["table:text=Was,published=Wann", "s.csv"], ["'table:text=Was;published=Wann'"]),
        (["auto", "b.json"], ["b.json is no valid JSON (line 2, column 3:"]),
        (["mediacrawler", "note.txt"], ["note.txt is no json, jsonl, csv or sqlite file"]),
    ],
)  # fmt: skip
def test_a_mistake_of_an_import_gets_one_sentence(
    arguments: list[str], words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "t.md").write_text(TIMELINE, encoding="utf-8")
    (tmp_path / "s.csv").write_text("Nr;Was;Wann\n1;x;2026-03-05\n2;y;2026-03-05\n")
    (tmp_path / "b.json").write_text("[\n {]")
    (tmp_path / "note.txt").write_text("hello")
    before = everything(tmp_path)
    done = factory("import", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr
    assert everything(tmp_path) == before


def test_a_table_of_odd_columns_is_imported_by_the_map_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "weird.csv").write_text("ttt,ddd\nThe ferry stops,2026-03-05 08:30\n")
    refused = factory("import", "auto", "weird.csv", cwd=tmp_path)
    assert (refused.returncode, "no import format fits weird.csv" in refused.stderr) == (2, True)
    (tmp_path / "factory.toml").write_text(
        '[collect]\ncolumns = {text="ttt", published="ddd"}\n', encoding="utf-8"
    )
    done = factory("import", "auto", "weird.csv", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (item,) = json.loads(done.stdout)["items"]
    assert (item["text"], item["published_at"]) == ("The ferry stops", "2026-03-05T08:30:00Z")


@pytest.mark.parametrize(
    ("given", "format_", "columns"),
    [
        ("weird.csv", None, True),
        (".", None, True),
        ("table:text=ttt;published=ddd=weird.csv", "table:text=ttt;published=ddd", False),
        ("table:text=ttt=a=b.csv", "table:text=ttt", False),
        ("a=b.csv", None, True),
    ],
)
def test_a_new_event_imports_a_table_of_odd_columns(
    given: str, format_: str | None, columns: bool, tmp_path: Path
) -> None:
    for name in ("weird.csv", "a=b.csv"):
        (tmp_path / name).write_text("ttt,ddd\nThe ferry stops,2026-03-05\n")
    if columns:
        (tmp_path / "factory.toml").write_text('[collect]\ncolumns = {text="ttt"}\n')
    (tmp_path / "by-hand").mkdir()
    command = ["new-event", "a ferry", "--name", "e", "--import", given, "--manual", "by-hand"]
    done = factory(*command, cwd=tmp_path)
    assert "event e in " in done.stderr, done.stderr
    config = tomllib.loads((tmp_path / "workspaces" / "e" / "event.toml").read_text())
    (spec,) = config["imports"]
    assert spec.get("format", "auto") == (format_ or "auto")
    assert Path(spec["path"]).exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("weird.csv", ["no import format fits weird.csv"]),
        ("table:text=tt=weird.csv", ["weird.csv has no column 'tt'; its columns are ttt, ddd"]),
        ("table:txt=ttt=weird.csv", ["'txt=ttt'", "did you mean 'text'?"]),
        ("tabel=weird.csv", ["no import format 'tabel'; formats are auto, articles"]),
        ("table:text=ttt=none.csv", ["none.csv does not exist"]),
        ("none.csv", ["none.csv does not exist"]),
        ("table=", ["write --import FORMAT=PATH"]),
    ],
)
def test_a_mistake_of_a_new_events_import_is_told_before_there_is_an_event(
    given: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "weird.csv").write_text("ttt,ddd\nThe ferry stops,2026-03-05\n")
    done = factory("new-event", "a ferry", "--yes", "--import", given, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr
    assert everything(tmp_path) == {"weird.csv"}
