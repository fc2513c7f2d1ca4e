"""A version of an event with other prompts: what goes out again, what stays, and what is refused before it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from factory import overlay, pipeline, regenerating, resources, running, status
from factory.errors import AnswersWaiting, BadInput, CassetteMiss, FactoryError, WorkspaceBusy
from factory.events import Event, create, open_event
from factory.llm.replay import carry_answers, files_of, read_file, record_answers
from factory.regenerating import Version, make_version
from factory.running import read_manifest, run_event
from factory.status import event_status
from schemas import Claim
from tests import asking_stages
from tests.mock_server import MockServer, serve
from tests.test_cli import factory

ROOT = Path(__file__).resolve().parent.parent
RECORDING = ROOT / "cassettes" / "small-demo"
PLAIN = "Write plainly.\n===user==="


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# -- a small graph in live mode --------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[MockServer]:
    with serve() as running_server:
        running_server.answer = echo
        yield running_server


def asked(body: dict[str, Any]) -> tuple[str, str]:
    """(task, word) of a request."""
    system, user = (message["content"] for message in body["messages"][:2])
    found = re.search(r"<data id=\w+>\n(.*?)\n</data", user, re.DOTALL)
    assert found is not None
    return system.splitlines()[0], found.group(1)


def echo(body: dict[str, Any]) -> dict[str, str]:
    """The word in capitals; of `tide` another word when it is asked plainly."""
    _, word = asked(body)
    plain = "plainly" in body["messages"][0]["content"]
    return {"text": "EBB" if plain and word == "tide" else word.upper()}


@pytest.fixture
def original(tmp_path: Path, server: MockServer, monkeypatch: pytest.MonkeyPatch) -> Event:
    """A finished live event of three words; the server's record of it is emptied."""
    tree = tmp_path / "shipped"
    for path, text in asking_stages.shipped().items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    monkeypatch.setattr(resources, "prompts_folder", lambda: tree)
    for module in (running, regenerating, status):
        monkeypatch.setattr(module, "STAGES", asking_stages.GRAPH)
    monkeypatch.setattr(overlay, "PROMPTS", asking_stages.PROMPTS)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdefghij")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    profile = {"base_url": server.url, "model": "mock", "price": {"input": 1.0, "output": 2.0}}
    event = create(
        tmp_path / "workspaces" / "sea",
        {"slug": "sea", "topic": "tide pier boat"},
        settings={"profiles": {"default": profile}},
    )
    assert run_event(event).ran == ["first", "second", "release"]
    assert len(server.requests) == 6
    server.requests.clear()
    return event


def changed(tmp_path: Path, *paths: str, edit: Callable[[str], str] | None = None) -> Path:
    """A folder that holds shipped prompts with one line more."""
    folder = tmp_path / "changed"
    shutil.rmtree(folder, ignore_errors=True)
    for path in paths:
        text = (resources.prompts_folder() / path).read_text(encoding="utf-8")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        made = edit(text) if edit else text.replace("===user===", PLAIN, 1)
        (folder / path).write_text(made, encoding="utf-8")
    return folder


def test_only_the_changed_stage_is_asked(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    before = digests(original.workspace.root)
    version = make_version(original, changed(tmp_path, "second/word.md"))
    assert (version.kept, version.again) == (("first",), ("second",))
    assert server.requests == []
    outcome = run_event(version.event)
    assert outcome.ran == ["second", "release"]
    assert outcome.skipped == ["first"]
    assert sorted(asked(body) for body in server.requests) == [
        ("Task second.", word) for word in ("BOAT", "PIER", "TIDE")
    ]
    assert all("Write plainly." in body["messages"][0]["content"] for body in server.requests)
    assert digests(original.workspace.root) == before, "the original is only read"


def test_of_the_later_calls_only_those_go_out_that_ask_something_else(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    version = make_version(original, changed(tmp_path, "first/word.md"))
    assert run_event(version.event).ran == ["first", "second", "release"]
    assert sorted(asked(body) for body in server.requests) == [
        ("Task first.", "boat"),
        ("Task first.", "pier"),
        ("Task first.", "tide"),
        ("Task second.", "EBB"),
    ]


def test_equal_answers_leave_what_follows_done(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    server.answer = lambda body: {"text": asked(body)[1].upper()}
    version = make_version(original, changed(tmp_path, "first/word.md"))
    assert run_event(version.event).ran == ["first", "release"]
    assert len(server.requests) == 3


def test_the_version_goes_on_with_its_prompts_wherever_it_lies(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    folder = changed(tmp_path, "second/word.md")
    version = make_version(original, folder, name="plain")
    shutil.rmtree(folder)
    moved = tmp_path / "elsewhere" / "plain"
    moved.parent.mkdir()
    shutil.move(version.event.workspace.root, moved)
    run_event(open_event(moved))
    assert all("Write plainly." in body["messages"][0]["content"] for body in server.requests)
    assert run_event(open_event(moved)).ran == []
    server.requests.clear()
    prompt = moved / "prompts" / "second" / "word.md"
    prompt.write_text(prompt.read_text().replace("plainly", "dryly"))
    assert run_event(open_event(moved)).ran == ["second"], "an edit of its own prompts counts"
    assert len(server.requests) == 3


def test_a_version_of_a_version_has_the_prompts_of_both(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    one = make_version(original, changed(tmp_path, "second/word.md"))
    run_event(one.event)
    server.requests.clear()
    two = make_version(one.event, changed(tmp_path, "first/word.md"))
    assert two.event.config.slug == "sea-v3"
    assert two.changed == ("first/word",)
    assert set(two.event.config.overlay or ()) == {"first/word.md", "second/word.md"}
    run_event(two.event)
    assert sorted(asked(body) for body in server.requests) == [
        ("Task first.", "boat"),
        ("Task first.", "pier"),
        ("Task first.", "tide"),
        ("Task second.", "EBB"),
    ]


def test_a_shared_part_changes_every_prompt_that_includes_it(
    original: Event, tmp_path: Path
) -> None:
    folder = changed(tmp_path, "first/_style.md", edit=lambda text: text + "Be kind.\n")
    assert make_version(original, folder).changed == ("first/word",)


def test_keys_and_records_come_along_and_costs_do_not(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    version = make_version(original, folder)
    root = version.event.workspace.root
    assert version.event.keys == original.keys
    assert root.name == version.event.config.slug == "sea-v2"
    config = tomllib.loads((root / "event.toml").read_text())
    data = (folder / "second/word.md").read_bytes()
    assert config["made_from"] == "sea"
    assert config["overlay"] == {"second/word.md": hashlib.sha256(data).hexdigest()}
    assert (root / "prompts/second/word.md").read_bytes() == data
    assert not (root / "09_release").exists(), "a bundle belongs to the bank it was made from"
    assert (root / "secret").stat().st_mode & 0o077 == 0
    assert (root / "factory.db").stat().st_mode & 0o077 == 0
    assert read_manifest(original.workspace).stages["first"].cost > 0
    assert spent(original) > 0
    assert spent(version.event) == 0
    assert {row.name: row.cost for row in event_status(version.event).stages}["first"] == 0
    run_event(version.event)
    assert 0 < spent(version.event) < spent(original)


def spent(event: Event) -> float:
    with closing(sqlite3.connect(event.workspace.path("factory.db"))) as connection:
        return float(connection.execute("SELECT sum(cost) FROM llm_ledger").fetchone()[0])


def test_answers_carried_over_from_a_recording_do_not_answer_changed_prompts(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    fictional = original.config.model_copy(update={"fictional": True})
    record_answers(original.workspace, fictional, tmp_path / "recording")
    assert carry_answers(tmp_path / "recording", original.workspace) == 6
    version = make_version(original, changed(tmp_path, "second/word.md"))
    run_event(version.event)
    assert len(server.requests) == 3


def test_a_version_can_be_recorded_whole(original: Event, tmp_path: Path) -> None:
    version = make_version(original, changed(tmp_path, "second/word.md"))
    run_event(version.event)
    fictional = version.event.config.model_copy(update={"fictional": True})
    counts = record_answers(version.event.workspace, fictional, tmp_path / "recording")
    assert counts == {"00_first.jsonl": 3, "01_second.jsonl": 3}


def test_a_version_of_a_live_event_can_be_answered_by_hand(
    original: Event, server: MockServer, tmp_path: Path
) -> None:
    version = make_version(
        original, changed(tmp_path, "second/word.md"), manual=tmp_path / "answers"
    )
    with pytest.raises(AnswersWaiting, match="3 answers are waiting"):
        run_event(version.event)
    waiting = [p.parent.name for p in (tmp_path / "answers/sea-v2").rglob("*.prompt.md")]
    assert waiting == ["01_second"] * 3
    assert server.requests == []


def briefly(text: str) -> str:
    return text.replace("===user===", "Be brief.\n===user===", 1)


@pytest.mark.parametrize("name", [None, "other"])
def test_a_version_that_stopped_is_gone_on_with_and_a_finished_one_is_not(
    original: Event, tmp_path: Path, name: str | None
) -> None:
    folder = changed(tmp_path, "second/word.md")
    first = make_version(original, folder, name=name)
    again = make_version(original, folder, name=name)
    assert (first.resumed, again.resumed) == (False, True)
    assert again.event.workspace.root == first.event.workspace.root
    assert (again.changed, again.kept, again.again) == (first.changed, first.kept, first.again)
    assert run_event(again.event).ran == ["second", "release"]
    if name is None:
        third = make_version(original, folder)
        assert (third.resumed, third.event.config.slug) == (False, "sea-v3")
    else:
        with pytest.raises(BadInput, match="is taken by"):
            make_version(original, folder, name=name)


def test_a_version_with_other_prompts_or_of_other_files_is_made_anew(
    original: Event, tmp_path: Path
) -> None:
    make_version(original, changed(tmp_path, "second/word.md"))
    brief = changed(tmp_path, "second/word.md", edit=briefly)
    other = make_version(original, brief)
    assert (other.resumed, other.event.config.slug) == (False, "sea-v3")
    assert make_version(original, brief).event.config.slug == "sea-v3", "the one with these prompts"
    words = original.workspace.path("01_first/words.jsonl")
    words.write_text(words.read_text() + words.read_text().splitlines()[0] + "\n")
    manifest = read_manifest(original.workspace)
    first = manifest.stages["first"]
    outputs = {path: original.workspace.digest(path) for path in first.outputs}
    edited = {"first": first.model_copy(update={"outputs": outputs})}
    original.workspace.write(
        "manifest.json", manifest.model_copy(update={"stages": manifest.stages | edited})
    )
    late = make_version(original, brief)
    assert (late.resumed, late.event.config.slug) == (False, "sea-v4")


def test_a_damaged_neighbour_stops_nobody(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    make_version(original, folder).event.workspace.path("event.toml").write_text("slug = ")
    version = make_version(original, folder)
    assert (version.resumed, version.event.config.slug) == (False, "sea-v3")


# -- refused before anything is spent --------------------------------------------------------------


def replaced(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (replaced('role = "distil"', "role = distil"), ["not valid TOML", "first/word.md"]),
        (replaced('role = "distil"\n', ""), ["lacks role"]),
        (
            replaced('role = "distil"', 'role = "claims"'),
            ["role = 'claims'", "'distil'", "[roles]"],
        ),
        (
            replaced("WordAnswer", "TextAnswer"),
            ["answer = 'TextAnswer'", "works with 'WordAnswer'"],
        ),
        (replaced('"word", "place"', '"word"'), ["unknown variable 'place'"]),
        (
            lambda text: replaced('"word", "place"', '"word"')(text).replace(" at {{ place }}", ""),
            ["lacks the variable 'place'", "add it"],
        ),
        (replaced(" at {{ place }}", ""), ["never shows the variable 'place'", "{% if false %}"]),
        (replaced('"place"', '"place", "places"'), ["'places'", "did you mean 'place'?"]),
        (replaced("===user===\n", ""), ["exactly one line ===user===", "it has 0"]),
        (replaced("===user===", "===user===\n===user==="), ["it has 2"]),
        (replaced("Task first.", "{% if %}"), ["does not parse"]),
        (replaced("first/_style.md", "first/_none.md"), ["includes 'first/_none.md'"]),
        (replaced("---\n", ""), ["no front matter"]),
        (lambda text: text, ["changes nothing"]),
    ],
)
def test_a_prompt_that_breaks_its_contract_is_refused(
    original: Event,
    server: MockServer,
    tmp_path: Path,
    edit: Callable[[str], str],
    words: list[str],
) -> None:
    folder = changed(tmp_path, "first/word.md", edit=edit)
    with pytest.raises(BadInput) as refused:
        make_version(original, folder)
    for word in words:
        assert word in str(refused.value)
    assert [path.name for path in (tmp_path / "workspaces").iterdir()] == ["sea"]
    assert server.requests == []


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("first/wrod.md", ["no prompt file", "did you mean first/word.md"]),
        ("README.txt", ["README.txt", "no prompt file"]),
        ("first/_decoys/one.md", ["read by no prompt"]),
        ("first/word.fr.md", ["no prompt file"]),
    ],
)
def test_a_file_that_nothing_reads_is_refused(
    original: Event, tmp_path: Path, path: str, words: list[str]
) -> None:
    folder = changed(tmp_path, "second/word.md")
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("text")
    with pytest.raises(BadInput) as refused:
        make_version(original, folder)
    for word in words:
        assert word in str(refused.value)


def test_a_link_out_of_the_folder_is_refused(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    (folder / "first").mkdir()
    (folder / "first/word.md").symlink_to(resources.prompts_folder() / "second/word.md")
    with pytest.raises(BadInput, match="outside the prompts folder"):
        make_version(original, folder)


def test_a_folder_without_prompts_is_refused(original: Event, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        make_version(original, tmp_path / "nowhere")
    (tmp_path / "empty" / ".git").mkdir(parents=True)
    (tmp_path / "empty" / ".git" / "word.md").write_text("hidden")
    with pytest.raises(BadInput, match="holds no file; copy the prompts"):
        make_version(original, tmp_path / "empty")
    (tmp_path / "file").write_text("text")
    with pytest.raises(BadInput, match="is a file"):
        make_version(original, tmp_path / "file")


def test_names_that_cannot_be_taken_are_refused(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    with pytest.raises(BadInput, match="is the event itself"):
        make_version(original, folder, name="sea")
    with pytest.raises(BadInput, match="cannot be a folder name"):
        make_version(original, folder, name="../up")
    make_version(original, folder, name="other")
    folder = changed(tmp_path, "second/word.md", edit=briefly)
    with pytest.raises(BadInput, match=r"is taken by .*other; continue that event"):
        make_version(original, folder, name="other")


def test_an_event_that_is_run_is_refused_and_left_as_it_is(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    with original.workspace.lock(), pytest.raises(WorkspaceBusy, match="is being run by process"):
        make_version(original, folder)
    assert [path.name for path in (tmp_path / "workspaces").iterdir()] == ["sea"]
    make_version(original, folder)


def test_an_event_that_is_not_finished_so_far_is_refused(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    (original.workspace.path("01_first/words.jsonl")).write_text("")
    with pytest.raises(BadInput, match=r"stage first is stale; run `factory run sea`"):
        make_version(original, folder)
    version = make_version(original, changed(tmp_path, "first/word.md"))
    assert version.kept == ()


def test_an_event_of_another_layout_is_refused(original: Event, tmp_path: Path) -> None:
    folder = changed(tmp_path, "second/word.md")
    path = original.workspace.path("manifest.json")
    manifest = json.loads(path.read_text())
    manifest["factory_version"] = "0.0.1"
    manifest["stages"]["first"]["outputs"] = {}
    path.write_text(json.dumps(manifest))
    with pytest.raises(BadInput, match=r"layout of factory 0\.0\.1.*factory run sea --from first"):
        make_version(original, folder)
    assert [path.name for path in (tmp_path / "workspaces").iterdir()] == ["sea"]


def test_a_damaged_database_leaves_no_half_made_version(original: Event, tmp_path: Path) -> None:
    original.workspace.path("factory.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(FactoryError, match=r"factory\.db"):
        make_version(original, changed(tmp_path, "second/word.md"))
    assert [path.name for path in (tmp_path / "workspaces").iterdir()] == ["sea"]


# -- the demo: the real graph, by hand and in replay -----------------------------------------------


def demo_copy(finished_demo: Path, tmp_path: Path) -> Event:
    root = tmp_path / "workspaces" / "demo"
    shutil.copytree(finished_demo, root)
    return open_event(root)


def demo_version(event: Event, tmp_path: Path, *, manual: bool) -> Version:
    folder = changed(tmp_path, "claims/outcomes.md")
    return make_version(event, folder, manual=tmp_path / "answers" if manual else None)


def recorded() -> dict[tuple[str, str, int], dict[str, Any]]:
    """First attempts of the recording by stage, item and sample."""
    return {
        (line.stage, line.item, line.sample): vars(line)
        for path in files_of(RECORDING)
        for line in read_file(path)
        if line.attempt == 0
    }


def waiting(folder: Path) -> dict[tuple[str, str, int], Path]:
    """Prompt files without an answer, by stage, item and sample."""
    found = {}
    for path in folder.rglob("*.prompt.md"):
        if not path.with_name(path.name.replace(".prompt.md", ".answer.json")).is_file():
            title = re.search(r"^# (\w+): (.+?)(?: \(sample (\d+)\))?$", path.read_text(), re.M)
            assert title is not None
            found[title.group(1), title.group(2), int(title.group(3) or 0)] = path
    return found


def write_answer(prompt: Path, answer: Any) -> None:
    path = prompt.with_name(prompt.name.replace(".prompt.md", ".answer.json"))
    path.write_text(json.dumps(answer, ensure_ascii=False))


def test_another_claims_prompt_asks_the_claims_again_and_nothing_else(
    finished_demo: Path, tmp_path: Path
) -> None:
    event = demo_copy(finished_demo, tmp_path)
    before = digests(event.workspace.root)
    version = demo_version(event, tmp_path, manual=True)
    assert version.kept == ("plan", "collect", "corpus", "distil", "anonymise", "points")
    with pytest.raises(AnswersWaiting):
        run_event(version.event)
    lines = recorded()
    prompts = waiting(tmp_path / "answers")
    assert set(prompts) == {
        key for key, line in lines.items() if line["prompt"] == "claims/outcomes"
    }
    for key, path in prompts.items():
        assert "Write plainly." in path.read_text()
        write_answer(path, lines[key]["response"]["answer"])
    outcome = run_event(version.event)
    assert outcome.ran == ["claims", "release"], "equal claims leave everything behind them done"
    assert waiting(tmp_path / "answers") == {}
    released = version.event.workspace.digest(pipeline.RELEASE)
    assert released == event.workspace.digest(pipeline.RELEASE), (
        "ids, words and labels are the same"
    )
    assert digests(event.workspace.root) == before


def test_a_claim_in_other_words_is_resolved_and_vetted_again_where_it_is_shown(
    finished_demo: Path, tmp_path: Path
) -> None:
    event = demo_copy(finished_demo, tmp_path)
    version = demo_version(event, tmp_path, manual=True)
    with pytest.raises(AnswersWaiting):
        run_event(version.event)
    lines = recorded()
    key, path = sorted(waiting(tmp_path / "answers").items())[-1]
    answer = json.loads(json.dumps(lines[key]["response"]["answer"]))
    answer["outcomes"][0]["text"] += " in front of the press"
    for other, prompt in waiting(tmp_path / "answers").items():
        write_answer(prompt, answer if prompt == path else lines[other]["response"]["answer"])
    old = event.workspace.read_lines(Claim, pipeline.CLAIMS)
    gone: set[str] = set()
    seen: set[tuple[str, str, int]] = set()
    for _ in range(4):
        try:
            run_event(version.event, to_stage="vet")
            break
        except AnswersWaiting:
            new = version.event.workspace.read_lines(Claim, pipeline.CLAIMS)
            assert len(new) == len(old)
            ids = {
                before.claim_id: after.claim_id
                for before, after in zip(old, new, strict=True)
                if before.claim_id != after.claim_id
            }
            gone = set(ids)
            assert len(gone) == 1, "one claim has other words"
            for asked_again, prompt in waiting(tmp_path / "answers").items():
                seen.add(asked_again)
                text = json.dumps(lines[asked_again]["response"]["answer"], ensure_ascii=False)
                for before_id, after_id in ids.items():
                    text = text.replace(before_id, after_id)
                write_answer(prompt, json.loads(text))
    else:
        pytest.fail("the version does not come to an end")
    shown = {
        row
        for row, line in lines.items()
        if row[0] in ("resolve", "vet")
        and any(claim_id in json.dumps(line["request"]["messages"]) for claim_id in gone)
    }
    assert shown
    assert seen == shown, "exactly the calls that show the claim"
    assert len(shown) < sum(row[0] in ("resolve", "vet") for row in lines)


def test_a_version_of_a_replay_says_what_is_missing_and_how_to_answer_it(
    finished_demo: Path, tmp_path: Path
) -> None:
    event = demo_copy(finished_demo, tmp_path)
    version = demo_version(event, tmp_path, manual=False)
    with pytest.raises(CassetteMiss) as missed:
        run_event(version.event)
    item = next(key[1] for key in recorded() if key[0] == "claims")
    for words in (
        "stage claims",
        f"item '{item}'",
        "`factory run demo-v2 --manual DIR`",
        "plainly",
    ):
        assert words in str(missed.value)
    root = version.event.workspace.root
    done = factory("run", str(root), "--manual", "by-hand", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert {key[0] for key in waiting(tmp_path / "by-hand")} == {"claims"}
    assert "distil …" not in done.stderr, "switching leaves finished stages done"


def test_a_version_of_a_replay_that_stopped_goes_on_by_the_same_command(
    finished_demo: Path, tmp_path: Path
) -> None:
    event = demo_copy(finished_demo, tmp_path)
    folder = changed(tmp_path, "claims/outcomes.md")
    command = ("regenerate", str(event.workspace.root), "--prompts", str(folder))
    for _ in range(2):
        done = factory(*command, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "`factory run demo-v2 --manual DIR`" in done.stderr
        names = sorted(path.name for path in event.workspace.root.parent.iterdir())
        assert names == ["demo", "demo-v2"]
    assert "it was begun before and goes on" in done.stderr
    done = factory(*command, "--manual", "by-hand", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "is answered by hand from now on" in done.stderr
    lines = recorded()
    prompts = waiting(tmp_path / "by-hand" / "demo-v2")
    assert {key[0] for key in prompts} == {"claims"}
    for key, path in prompts.items():
        write_answer(path, lines[key]["response"]["answer"])
    done = factory(*command, "--manual", "by-hand", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (event.workspace.root.parent / "demo-v2" / "09_release" / "manifest.json").is_file()
    assert factory("diff", "demo", "demo-v2", cwd=tmp_path).returncode == 0


def test_switching_a_finished_event_to_answers_by_hand_runs_nothing(
    finished_demo: Path, tmp_path: Path
) -> None:
    demo_copy(finished_demo, tmp_path)
    done = factory("run", "demo", "--manual", "by-hand", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "nothing to do" in done.stderr
    assert not (tmp_path / "by-hand").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["regenerate", "nothing", "--prompts", "p"], "no event 'nothing'"),
        (["regenerate", "nothing"], "Missing option '--prompts'"),
        (["regenerate", "nothing", "--prompts", "p", "--to", "finish"], "no stage 'finish'"),
    ],
)
def test_a_mistake_gets_one_sentence(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = factory(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
