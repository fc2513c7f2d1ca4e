"""The demo: what its event, its recording and its bundle promise. It runs once, from the recording."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.test_demo import ROOT, digests, factory

RECORDING = ROOT / "cassettes" / "demo"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo ran as `make demo` runs it."""
    found = tmp_path_factory.mktemp("full")
    topic = tomllib.loads((RECORDING / "run.toml").read_text())["event"]["topic"]
    done = factory(found, "new-event", topic, "--replay", "demo", "--yes")
    assert done.returncode == 0, done.stderr
    return found


@pytest.fixture(scope="module")
def workspace(folder: Path) -> Path:
    return folder / "workspaces" / "demo"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def calls(prompt: str) -> list[dict[str, Any]]:
    """Recorded calls of one prompt, or of all prompts of a stage when it ends with a slash."""
    return [
        row
        for path in sorted(RECORDING.glob("[0-9]*.jsonl"))
        for row in lines(path)
        if row["prompt"] == prompt or (prompt.endswith("/") and row["prompt"].startswith(prompt))
    ]


def rejected(workspace: Path, stage: str, reason: str) -> list[dict[str, Any]]:
    return [
        row
        for row in lines(workspace / "rejected.jsonl")
        if row["stage"] == stage and reason in row["reason"]
    ]


def test_the_event_is_as_large_as_promised(workspace: Path) -> None:
    manifest = json.loads((workspace / "09_release" / "manifest.json").read_text())
    counts = manifest["counts"]
    assert counts["nodes"] >= 16
    assert counts["points"] == 5
    assert counts["questions"] >= 180
    assert counts["events"] >= 30
    days = [
        date.fromisoformat(node["date"])
        for node in json.loads((workspace / "03_timeline" / "timeline.json").read_text())["nodes"]
    ]
    assert (days[-1] - days[0]).days >= 26 * 7


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_public_report_leaks_nothing(folder: Path, tmp_path: Path, lang: str) -> None:
    """It is scanned before it is written: a word of ours that reads like a real name would refuse it."""
    page = tmp_path / "report.html"
    wanted = ("--public", "--lang", lang, "--out", str(page))
    done = factory(folder, "report", "workspaces/demo", *wanted)
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert {"en": "Rare words that could tell", "zh": "罕见词"}[lang] in text
    assert "<svg" in text


def test_nothing_was_forced_and_every_waiver_is_the_fictional_one(workspace: Path) -> None:
    manifest = json.loads((workspace / "09_release" / "manifest.json").read_text())
    assert manifest["fictional"] is True
    assert manifest["scripted"] is True
    assert manifest["ungated"] == []
    assert set(manifest["waived"]) <= {"identity", "review", "shortcuts"}
    states = {gate["name"]: gate["state"] for gate in manifest["gates"]}
    assert {states[name] for name in states.keys() - set(manifest["waived"])} == {"passed"}


def test_the_bundle_passes_its_own_check(folder: Path) -> None:
    done = factory(folder, "check", "workspaces/demo/09_release", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["findings"] == []


def test_the_readme_says_what_the_answers_of_the_demo_rest_on(workspace: Path) -> None:
    manifest = json.loads((workspace / "09_release" / "manifest.json").read_text())
    (measure,) = [g["measure"] for g in manifest["gates"] if g["name"] == "labels"]
    quoted, against, counted, silence = re.findall(r"(\d+) from", measure)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert (
        f"{quoted} quoted words, {against} words against, {counted} counted posts, {silence} silence"
        in readme
    )
    assert f"demo ({manifest['counts']['questions']} questions)" in readme


def test_the_readme_names_the_best_attacker_on_the_questions(workspace: Path) -> None:
    manifest = json.loads((workspace / "09_release" / "manifest.json").read_text())
    (measure,) = [g["measure"] for g in manifest["gates"] if g["name"] == "shortcuts"]
    found = re.match(r"highest score: (.+?) ([\d.]+), interval ([\d.]+ to [\d.]+);", measure)
    assert found
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{found[2]}, {found[3]} (`{found[1]}`)" in readme


def test_a_second_run_does_no_work_and_changes_no_byte(folder: Path, workspace: Path) -> None:
    before = digests(workspace / "09_release")
    done = factory(folder, "new-event", "--replay", "demo", "--yes")
    assert done.returncode == 0
    assert "nothing to do" in done.stderr
    assert digests(workspace / "09_release") == before


def test_the_recording_is_small_enough_to_be_written_by_hand() -> None:
    recorded = [row for path in RECORDING.glob("[0-9]*.jsonl") for row in lines(path)]
    assert 100 <= len(recorded) <= 220


def test_the_sources_are_as_many_and_as_mixed_as_promised(workspace: Path) -> None:
    items = lines(workspace / "01_items" / "items.jsonl")
    pages = [item for item in items if item["kind"] == "article"]
    posts = [item for item in items if item["kind"] in ("post", "comment")]
    assert len(pages) >= 30
    assert min(Counter(page["lang"] for page in pages)[lang] for lang in ("en", "zh")) >= 10
    live = Counter(post["platform"] for post in posts if post["origin"]["source"] != "mediacrawler")
    assert sum(live.values()) >= 100
    assert len(live) >= 3
    assert any(post["origin"]["source"] == "mediacrawler" for post in posts)
    assert min(Counter(post["lang"] for post in posts)[lang] for lang in ("en", "zh")) >= 30
    clusters = lines(workspace / "02_corpus" / "clusters.jsonl")
    kinds = {item["item_id"]: item["kind"] for item in items}
    alike = [c for c in clusters if kinds.get(c["representative"]) == "article"]
    copies = sum(len(c["members"]) - 1 for c in alike)
    updates = sum(bool(c["update_of"]) for c in alike)
    assert copies > 0
    assert updates > 0
    assert copies + updates >= len(pages) / 4


def test_resolvers_disagree_as_real_ones_do(workspace: Path) -> None:
    resolutions = lines(workspace / "06_claims" / "resolutions.jsonl")
    apart = {
        row["claim_id"]
        for row in resolutions
        if row["state"] == "annulled" and len({found(reading) for reading in row["passes"]}) == 2
    }
    families = {
        claim["family_id"]
        for claim in lines(workspace / "06_claims" / "claims.jsonl")
        if claim["claim_id"] in apart
    }
    assert len(families) >= 5


def found(reading: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """What one pass says of a claim: whether it happens, and when."""
    return reading["state"], tuple(o["happened_on"] for o in reading["occurrences"])


def test_auditors_drop_claims(workspace: Path) -> None:
    votes = Counter(
        verdict["claim_id"]
        for verdict in lines(workspace / "06_claims" / "verdicts.jsonl")
        if verdict["state"] == "drop"
    )
    assert sum(count >= 2 for count in votes.values()) >= 5


@pytest.mark.parametrize("name", ["verdicts.jsonl", "fabrication_verdicts.jsonl"])
def test_auditors_judged_every_claim(workspace: Path, name: str) -> None:
    """An answer carried over from other claims leaves claims that nobody judged, and nothing else shows it."""
    states = Counter(row["state"] for row in lines(workspace / "06_claims" / name))
    assert set(states) <= {"pass", "drop"}


def test_the_panel_augments_the_table_and_has_the_offset_drawn_anew(workspace: Path) -> None:
    rounds = lines(workspace / "04_anonymised" / "panel.jsonl")
    assert [r["grade"] for r in rounds][-1] == "LOW"
    actions = Counter(r["action"] for r in rounds)
    assert actions["augment"] >= 1
    assert actions["resample"] >= 1


def test_a_fabrication_that_came_true_is_not_asked(workspace: Path) -> None:
    true = {
        row["claim_id"]
        for row in lines(workspace / "06_claims" / "fabrication_resolutions.jsonl")
        if row["state"] == "occurs"
    }
    assert true
    asked = {row["claim_id"] for row in lines(workspace / "08_bank" / "questions.jsonl")}
    assert asked.isdisjoint(true)
    report = json.loads((workspace / "08_bank" / "report.json").read_text())
    assert report["dropped"]["fabrication missing, refuted or dropped"] >= 1


def test_a_quote_that_does_not_verify_costs_its_sentence(workspace: Path) -> None:
    assert rejected(workspace, "distil", "quote")


def test_a_translation_is_asked_again() -> None:
    counts = Counter(row["item"] for row in calls("translate/translate"))
    assert max(counts.values()) >= 2 or any("retry" in item or "again" in item for item in counts)
