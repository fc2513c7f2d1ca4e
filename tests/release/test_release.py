"""The release stage: what the gates let pass is written whole, what they refuse is not written at all."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from factory.bundle import Bundle
from factory.errors import GateRefused
from factory.forecast.baselines import run as run_baselines
from factory.release import ADVICE, CHECK, RELEASE, raw_dates, replace_folder, run
from factory.stage import StageContext
from factory.workspace import Workspace
from schemas import CheckReport, DateRef, DriftFlag, Shift, Timeline
from tests import example_event as example
from tests.scripted import make_context


def prepared(root: Path, *, force: bool = False, **event: Any) -> StageContext:
    """A workspace with everything before the release."""
    example.write_workspace(root)
    asyncio.run(run_baselines(make_context(root, "baselines")))
    ctx = make_context(root, "release", **({"fictional": True, "topic": example.TITLE} | event))
    ctx.force = force
    return ctx


def test_a_fictional_event_is_released_with_its_waived_gates_named(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    counts = asyncio.run(run(ctx))
    assert (counts.received, counts.kept) == (12, 12)
    bundle = Bundle.read(tmp_path / RELEASE)
    assert bundle.fictional
    assert bundle.scripted
    assert {"identity", "review", "shortcuts"} <= set(bundle.waived)
    assert bundle.ungated == ()
    assert set(bundle.models.values()) == {"written by hand"}
    check = ctx.workspace.read(CheckReport, CHECK)
    assert check.gates == bundle.gates
    assert {gate.name for gate in check.gates} == set(ADVICE)


def test_two_folders_give_the_same_bytes(tmp_path: Path) -> None:
    digests = []
    for name in ("one", "another/with/a/longer/path"):
        ctx = prepared(tmp_path / name)
        asyncio.run(run(ctx))
        digests.append(ctx.workspace.digest(RELEASE))
    assert digests[0] == digests[1]


def test_a_real_event_is_refused_with_gates_and_next_steps(tmp_path: Path) -> None:
    ctx = prepared(tmp_path, fictional=False)
    with pytest.raises(GateRefused, match="identity") as refused:
        asyncio.run(run(ctx))
    assert refused.value.exit_code == 1
    assert ADVICE["identity"] in str(refused.value)
    assert not ctx.workspace.exists(RELEASE)
    states = {gate.name: gate.state for gate in ctx.workspace.read(CheckReport, CHECK).gates}
    assert states["identity"] == "not evaluated"


def test_force_never_passes_a_gate_that_protects_people(tmp_path: Path) -> None:
    ctx = prepared(tmp_path, fictional=False, force=True)
    with pytest.raises(GateRefused, match="identity") as refused:
        asyncio.run(run(ctx))
    assert "review (" not in str(refused.value)


def test_a_real_name_in_a_question_is_refused_even_for_a_fictional_event(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    path = ctx.workspace.path("08_bank/questions.jsonl")
    path.write_text(path.read_text().replace("Authority B", "Harwick Council"))
    with pytest.raises(GateRefused, match="leak"):
        asyncio.run(run(ctx))
    assert not ctx.workspace.exists(RELEASE)


def test_the_salt_in_a_public_file_is_refused(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    path = ctx.workspace.path("08_bank/report.json")
    path.write_text(path.read_text().replace("no second language", f"salted {ctx.keys.salt}"))
    with pytest.raises(GateRefused, match="secret"):
        asyncio.run(run(ctx))


@pytest.mark.parametrize("topic", ["the old fish hall", "旧鱼市场重新开业"])
def test_the_typed_topic_in_a_public_text_is_refused(tmp_path: Path, topic: str) -> None:
    with pytest.raises(GateRefused, match="secret"):
        asyncio.run(run(prepared(tmp_path, topic=topic)))


def test_a_topic_of_one_common_word_is_no_secret(tmp_path: Path) -> None:
    asyncio.run(run(prepared(tmp_path, topic="market")))


def test_open_differences_between_raw_and_anonymised_text_are_refused(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    flag = DriftFlag(level="event", statement_id="s1", problem="lost a number", detected_by="code")
    ctx.workspace.write_lines("04_anonymised/drift.jsonl", [flag])
    with pytest.raises(GateRefused):
        asyncio.run(run(ctx))
    ctx.workspace.write_lines(
        "04_anonymised/drift.jsonl", [flag.model_copy(update={"state": "repaired"})]
    )
    asyncio.run(run(ctx))


def test_a_wrong_label_is_refused(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    path = ctx.workspace.path("08_bank/questions.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["answer"] = 1 - rows[0]["answer"]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    with pytest.raises(GateRefused, match="labels"):
        asyncio.run(run(ctx))


def test_an_event_anonymised_elsewhere_is_refused_with_a_check(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    ctx.workspace.path("secret/table.json").unlink()
    with pytest.raises(GateRefused, match="replaced elsewhere"):
        asyncio.run(run(ctx))
    gates = {gate.name: gate for gate in ctx.workspace.read(CheckReport, CHECK).gates}
    for name in ("leak", "secret", "identity"):
        assert gates[name].state == "not evaluated"
        assert gates[name].reason
    for name in ("labels", "structure", "parity", "mirror"):
        assert gates[name].state == "passed"


def test_what_the_scanner_finds_without_a_table_fails_an_external_event(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    ctx.workspace.path("secret/table.json").unlink()
    path = ctx.workspace.path("08_bank/questions.jsonl")
    path.write_text(path.read_text().replace("Authority B", ctx.keys.salt))
    with pytest.raises(GateRefused, match="replaced elsewhere"):
        asyncio.run(run(ctx))
    gates = {gate.name: gate for gate in ctx.workspace.read(CheckReport, CHECK).gates}
    assert gates["secret"].state == "failed"


def test_a_refused_release_leaves_the_earlier_bundle_as_it_was(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    asyncio.run(run(ctx))
    before = ctx.workspace.digest(RELEASE)
    path = ctx.workspace.path("08_bank/questions.jsonl")
    path.write_text(path.read_text().replace("Authority B", "Harwick Council"))
    with pytest.raises(GateRefused):
        asyncio.run(run(ctx))
    assert ctx.workspace.digest(RELEASE) == before


def test_real_days_are_searched_for_unless_the_shifted_arc_holds_them_too() -> None:
    timeline = example.anonymised()
    days = raw_dates(timeline, Shift(offset_days=example.OFFSET))
    assert days
    for day in days:
        assert not timeline.span.observed_from <= day <= timeline.span.observed_until
    far = raw_dates(timeline, Shift(offset_days=3650))
    assert len(far) == len(timeline.nodes)


def told(words: str) -> Timeline:
    """The raw timeline with other words in its first sentence."""
    raw = example.timeline()
    node = raw.nodes[0]
    assert node.fact is not None
    said = node.fact.statements[0].model_copy(update={"text": words})
    first = node.model_copy(update={"fact": node.fact.model_copy(update={"statements": (said,)})})
    return raw.model_copy(update={"nodes": (first, *raw.nodes[1:])})


def test_days_that_only_the_raw_prose_names_are_searched_for() -> None:
    timeline, shift = example.anonymised(), Shift(offset_days=example.OFFSET)
    raw = told(
        "The line was opened on MAY 3rd, 2019 and ran 10\u201312 August 2031; in May it closed."
    )
    more = set(raw_dates(timeline, shift, raw)) - set(raw_dates(timeline, shift))
    assert more == {date(2019, 5, 3), date(2031, 8, 10), date(2031, 8, 12)}
    assert raw_dates(timeline, Shift(offset_days=0), raw) == [], "an arc that was not shifted"


def test_a_day_that_the_shifted_bank_names_by_right_is_not_searched_for() -> None:
    timeline, shift = example.anonymised(), Shift(offset_days=example.OFFSET)
    day = date(2031, 8, 12)
    claim = example.claims()[0]
    text: Any = {
        lang: (*claim.text[lang], DateRef(start=day, end=day, precision="day"))
        for lang in claim.text
    }
    lawful = claim.model_copy(update={"text": text})
    raw = told("It ran until 12 August 2031 and inside the shifted arc, on 2 January 2026.")
    assert day in raw_dates(timeline, shift, raw)
    assert day not in raw_dates(timeline, shift, raw, [lawful])
    assert date(2026, 1, 2) not in raw_dates(timeline, shift, raw)


def test_a_raw_day_that_was_left_in_a_text_refuses_the_release(tmp_path: Path) -> None:
    ctx = prepared(tmp_path)
    ctx.workspace.write("03_timeline/timeline.json", told("The line was opened on 3 May 2019."))
    path = ctx.workspace.path("07_editions/timeline.json")
    path.write_text(path.read_text().replace("lost income", "open since MAY 3, 2019"))
    with pytest.raises(GateRefused, match="leak"):
        asyncio.run(run(ctx))
    report = ctx.workspace.read(CheckReport, CHECK)
    assert "leak-date" in {finding.rule for finding in report.findings}


def test_a_folder_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "09_release"
    replace_folder(target, {"a/old.txt": b"old"})
    (tmp_path / ".tmp-09_release-new-dead").mkdir()

    def full(path: Path, data: bytes) -> None:
        if path.name == "b.txt":
            raise OSError("disk full")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    with monkeypatch.context() as patch:
        patch.setattr("factory.release.write_atomic", full)
        with pytest.raises(OSError, match="full"):
            replace_folder(target, {"a.txt": b"new", "b.txt": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["09_release"]
    assert (target / "a" / "old.txt").read_bytes() == b"old"
    replace_folder(target, {"b.txt": b"new"})
    assert [path.name for path in target.rglob("*")] == ["b.txt"]
    assert Workspace(tmp_path).digest("09_release")
