"""The runner: nothing runs twice without a reason, and whatever stops a run keeps what was done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from factory import running
from factory.errors import BadInput, ReviewWaiting, WorkspaceBusy, WorkspaceError
from factory.events import Event, create, open_event
from factory.running import read_manifest, run_event, stage_state
from schemas import Decision
from tests.running_stages import GRAPH, RUNS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(running, "STAGES", GRAPH)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    RUNS.clear()


def make(tmp_path: Path, topic: str = "a quiet topic") -> Event:
    return create(tmp_path / "event", {"slug": "event", "topic": topic})


def test_a_second_run_does_no_work(tmp_path: Path) -> None:
    event = make(tmp_path)
    assert run_event(event).ran == ["first", "second", "third"]
    again = run_event(event)
    assert again.ran == []
    assert again.skipped == ["first", "second", "third"]
    assert RUNS == ["first", "second", "third"]


def test_a_changed_setting_reruns_its_stage_and_what_depends_on_it(tmp_path: Path) -> None:
    run_event(make(tmp_path))
    path = tmp_path / "event" / "event.toml"
    path.write_text(path.read_text() + "\n[settings.points]\ncount = 9\n")
    event = open_event(tmp_path / "event")
    assert stage_state(event, GRAPH[1], read_manifest(event.workspace).stages["second"]) == "stale"
    assert run_event(event).ran == ["second", "third"]


def test_a_setting_of_another_stage_reruns_nothing(tmp_path: Path) -> None:
    run_event(make(tmp_path))
    path = tmp_path / "event" / "event.toml"
    path.write_text(path.read_text() + '\n[settings.release]\nlicence = "MIT"\n')
    assert run_event(open_event(tmp_path / "event")).ran == []


def test_a_damaged_output_is_made_again(tmp_path: Path) -> None:
    event = make(tmp_path)
    run_event(event)
    event.workspace.path("c/one.txt").write_text("edited by hand")
    assert run_event(event).ran == ["third"]
    assert event.workspace.path("c/one.txt").read_text().endswith("!")


def test_an_edited_output_that_may_be_edited_is_used_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "STAGES", (replace(GRAPH[0], editable=True), *GRAPH[1:]))
    event = make(tmp_path)
    run_event(event, to_stage="first")
    event.workspace.path("a.txt").write_text("MY OWN TOPIC")
    assert run_event(event).ran == ["second", "third"]
    assert event.workspace.path("b.txt").read_text().startswith("MY OWN TOPIC")
    event.workspace.path("a.txt").write_text("ANOTHER TOPIC")
    assert run_event(event).ran == ["second", "third"], "what reads it runs again"
    event.workspace.path("a.txt").unlink()
    assert run_event(event).ran[0] == "first", "one that is gone is made again"


def test_an_edit_is_set_aside_before_its_stage_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "STAGES", (replace(GRAPH[0], editable=True), *GRAPH[1:]))
    event = make(tmp_path)
    run_event(event)
    event.workspace.path("a.txt").write_text("MY OWN TOPIC")
    said: list[str] = []
    run_event(event, from_stage="first", say=said.append)
    assert event.workspace.path("a.txt").read_text() == "A QUIET TOPIC"
    assert event.workspace.path("a.edited.txt").read_text() == "MY OWN TOPIC"
    assert any("a.edited.txt" in line for line in said)


def test_from_redoes_a_stage_and_its_followers(tmp_path: Path) -> None:
    event = make(tmp_path)
    run_event(event)
    assert run_event(event, from_stage="second").ran == ["second", "third"]


def test_to_stops_and_the_next_run_goes_on(tmp_path: Path) -> None:
    event = make(tmp_path)
    assert run_event(event, to_stage="first").ran == ["first"]
    assert run_event(event).ran == ["second", "third"]


def test_a_failure_keeps_finished_stages_and_says_why(tmp_path: Path) -> None:
    event = make(tmp_path, "a broken topic")
    with pytest.raises(BadInput, match="write another"):
        run_event(event)
    stages = read_manifest(event.workspace).stages
    assert stages["first"].state == "done"
    assert stages["second"].state == "failed"
    assert "broken" in stages["second"].message
    assert "third" not in stages


def test_a_decision_is_an_input(tmp_path: Path) -> None:
    event = make(tmp_path, "please ask")
    with pytest.raises(ReviewWaiting):
        run_event(event)
    assert read_manifest(event.workspace).stages["second"].state == "waiting"
    [request] = event.workspace.reviews()
    event.workspace.decide(
        Decision(
            stage="second",
            review_id=request.review_id,
            choice="yes",
            decided_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
    )
    assert run_event(event).ran == ["second", "third"]
    assert "yes" in event.workspace.path("b.txt").read_text()


def test_rejections_are_replaced_not_repeated(tmp_path: Path) -> None:
    event = make(tmp_path)
    run_event(event)
    run_event(event, from_stage="first")
    assert [row.item for row in event.workspace.rejections("first")] == ["x"]


def test_two_runs_on_one_event_are_refused_and_a_dead_lock_frees_itself(tmp_path: Path) -> None:
    event = make(tmp_path)
    program = (
        "import sys\nfrom pathlib import Path\nfrom factory.workspace import Workspace\n"
        "with Workspace(Path(sys.argv[1])).lock():\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(event.workspace.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == "held"
    with pytest.raises(WorkspaceBusy, match=str(holder.pid)):
        run_event(event)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert run_event(event).ran == ["first", "second", "third"]


def test_a_corrupt_database_is_named_with_the_way_out(tmp_path: Path) -> None:
    event = make(tmp_path)
    event.workspace.path("factory.db").write_bytes(b"this is not a database" * 100)
    with pytest.raises(WorkspaceError, match=r"factory\.db"):
        run_event(event)
    event.workspace.path("factory.db").unlink()
    assert run_event(event).ran == ["first", "second", "third"]


def test_a_full_disk_is_one_sentence_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make(tmp_path)
    run_event(event, to_stage="second")
    real = os.replace

    def full(source: str, target: str) -> None:
        if "c/" in str(target) or str(target).endswith("one.txt"):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(WorkspaceError, match="disk is full"):
        run_event(event)
    monkeypatch.setattr(os, "replace", real)
    assert not list(event.workspace.root.rglob(".tmp-*"))
    assert run_event(event).ran == ["third"]


@pytest.mark.parametrize(
    ("start", "stop"), [("nowhere", None), (None, "nowhere"), ("third", "first")]
)
def test_wrong_stage_names_are_refused(tmp_path: Path, start: str | None, stop: str | None) -> None:
    with pytest.raises(BadInput):
        run_event(make(tmp_path), from_stage=start, to_stage=stop)


def test_secrets_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    event = make(tmp_path)
    run_event(event)
    assert event.workspace.path("secret").stat().st_mode & 0o077 == 0
    for path in (event.workspace.path("secret/keys.json"), event.workspace.path("factory.db")):
        assert path.stat().st_mode & 0o077 == 0


def test_a_damaged_manifest_says_what_deleting_it_costs(tmp_path: Path) -> None:
    event = make(tmp_path)
    run_event(event)
    event.workspace.path("manifest.json").write_text('{"stages": 3}')
    with pytest.raises(WorkspaceError, match="all stages will run again, stored model answers"):
        run_event(event)
    event.workspace.path("manifest.json").unlink()
    assert run_event(event).ran == ["first", "second", "third"]


def test_lost_keys_are_not_promised_back(tmp_path: Path) -> None:
    event = make(tmp_path)
    event.workspace.path("secret/keys.json").unlink()
    with pytest.raises(WorkspaceError, match=r"cannot be recovered .* restore it from a copy"):
        open_event(event.workspace.root)


def test_a_budget_without_any_price_is_refused_before_a_stage_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = (replace(GRAPH[0], roles=("plan", "claims")), *GRAPH[1:])
    monkeypatch.setattr(running, "STAGES", asking)
    fields = {"slug": "event", "topic": "a quiet topic", "budget": 2.0}
    event = create(tmp_path / "event", fields)
    with pytest.raises(BadInput, match="no price is set for profile default"):
        run_event(event)
    assert RUNS == []
    path = tmp_path / "event" / "event.toml"
    path.write_text(path.read_text() + "\n[settings.profiles.default.price]\noutput = 2.0\n")
    assert run_event(open_event(tmp_path / "event")).ran == ["first", "second", "third"]
