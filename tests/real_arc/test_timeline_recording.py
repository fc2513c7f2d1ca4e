"""A recording that begins with a timeline which it does not hold: what run.toml must say, and what import makes of it."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import pytest

from factory.errors import BadInput, CassetteBroken
from factory.recording import check_timeline, load_run
from factory.workspace import Workspace
from schemas import AnonTimeline, Keys
from tests.real_arc.beside import factory

TIMELINE = """### 2031-01-05

**Event**: Authority A closes the ferry of Group B.

### 2031-03-06

**Event**: A court annuls the closure by Authority A.
"""
RUN = """now = 2031-04-01T00:00:00Z
scripted = true

[timeline]
digest = "{digest}"
origin = "the archive of the ferry"

[event]
slug = "ferry"
topic = "A ferry"
entry = "anonymised"
already_anonymised = true
zone = "Asia/Tokyo"

[keys]
public_id = "e1"
salt = "s1"

[settings.claims]
outcomes = 2
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.md"
    path.write_text(TIMELINE, encoding="utf-8")
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return write(tmp_path, RUN.format(digest=hashlib.sha256(TIMELINE.encode()).hexdigest()))


def write(folder: Path, text: str) -> Path:
    recording = folder / "recording"
    recording.mkdir(exist_ok=True)
    (recording / "run.toml").write_text(text, encoding="utf-8")
    return recording


def test_the_event_has_the_keys_fields_and_settings_of_its_recording(
    tmp_path: Path, file: Path, recording: Path
) -> None:
    done = factory(
        tmp_path, "import", "auto", str(file), "--as", "timeline", "--already-anonymised",
        "--replay", str(recording),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    root = tmp_path / "workspaces" / "ferry"
    workspace = Workspace(root)
    assert workspace.read(Keys, "secret/keys.json") == Keys(public_id="e1", salt="s1")
    assert workspace.read(AnonTimeline, "04_anonymised/timeline.json").public_id == "e1"
    config = tomllib.loads((root / "event.toml").read_text(encoding="utf-8"))
    assert (config["mode"], config["recording"]) == ("replay", str(recording.resolve()))
    assert (config["topic"], config["zone"]) == ("A ferry", "Asia/Tokyo")


def test_a_file_that_differs_by_a_byte_is_refused(file: Path, recording: Path) -> None:
    file.write_text(TIMELINE + " ", encoding="utf-8")
    with pytest.raises(BadInput, match="it is found here: the archive of the ferry"):
        check_timeline(load_run(str(recording)), file)


def test_a_recording_that_begins_elsewhere_is_no_timelines(tmp_path: Path, file: Path) -> None:
    topic = 'now = 2031-04-01T00:00:00Z\n\n[event]\ntopic = "A ferry"\n'
    with pytest.raises(BadInput, match="does not begin with a timeline"):
        check_timeline(load_run(str(write(tmp_path, topic))), file)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('digest = "', 'digest = "x', "sha256 of the file"),
        ('origin = "the archive of the ferry"\n', "", "where a reader finds it"),
        ("[event]", 'more = "x"\n\n[event]', "and nothing else"),
        ("already_anonymised = true\n", "", "fixes keys, which only a recording of a fictional"),
    ],
)
def test_run_toml_names_the_timeline_and_has_a_right_to_its_keys(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = RUN.format(digest=hashlib.sha256(TIMELINE.encode()).hexdigest())
    assert old in text
    with pytest.raises(CassetteBroken, match=words):
        load_run(str(write(tmp_path, text.replace(old, new))))


def test_reading_items_takes_no_recording(tmp_path: Path, file: Path) -> None:
    done = factory(tmp_path, "import", "auto", str(file), "--replay", "demo")
    assert done.returncode == 2
    assert "--replay belongs to an event" in done.stderr
