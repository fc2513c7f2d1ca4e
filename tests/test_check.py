"""`factory check` on a bundle: clean when clean, the right rule for every change, the chain behind a question."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from factory.audit import gates
from factory.audit.rules import RULES, rules_page
from factory.audit.shortcuts import audit_shortcuts
from factory.audit.silence import silenced_table, stays_open
from factory.bundle import Bundle, build_files, read_manifest
from factory.check import check_path, explain_question, unreleased
from factory.cli import bank
from factory.errors import BadInput
from factory.evidence import readable
from factory.forecast.baselines import baseline_card
from factory.segments import render
from factory.workspace import Workspace, sha256_bytes
from schemas import (
    AnonymisationCard,
    Evidence,
    Fact,
    Item,
    Node,
    Origin,
    Statement,
    Timeline,
)
from tests.bank.arcs import Built, build, demo_arc


@pytest.fixture(scope="module")
def built() -> Built:
    return build(demo_arc())


@pytest.fixture(scope="module")
def files(built: Built) -> dict[str, bytes]:
    card = AnonymisationCard(
        entities=3, aliases=5, aliases_hit=5, mentions=9, dates_shifted=2, dates_flagged=0,
        calendar_residue=0, offset_candidates=30, panel_grade="LOW", panel_rounds=1,
        panel_state="not evaluated", drift_open=0,
    )  # fmt: skip
    bundle = Bundle(
        timeline=built.arc.timeline,
        points=built.arc.point_set,
        claims=tuple(built.claims),
        resolutions=tuple(built.resolutions),
        pairs=built.pairs,
        questions=built.bank.questions,
        events=built.bank.events,
        report=built.report,
        card=card,
        baselines=baseline_card(
            timeline=built.arc.timeline,
            claims=built.claims,
            points=built.arc.points,
            questions=built.bank.questions,
            events=built.bank.events,
        ),
        gates=(),
        ungated=(),
        fictional=True,
        scripted=True,
        licence="CC-BY-4.0",
        models={},
        factory_version="0",
    )
    return build_files(bundle)


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def rehash(folder: Path) -> None:
    """Make the manifest agree with whatever the files say now."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["files"]:
        data = (folder / entry["path"]).read_bytes()
        entry |= {"sha256": sha256_bytes(data), "size": len(data)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def rules(folder: Path) -> set[str]:
    return {finding.rule for finding in check_path(folder).findings}


def test_a_fresh_bundle_is_clean(tmp_path: Path, files: dict[str, bytes]) -> None:
    report = check_path(write(tmp_path, files))
    assert report.findings == ()
    assert report.shortcuts["constant 1"] == 50
    assert {gate.name for gate in report.gates if gate.state == "failed"} <= {"quotas"}


def test_a_gate_that_did_not_pass_says_why(
    tmp_path: Path, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    from factory.cli.bank import check

    check(write(tmp_path, files))
    assert (
        "the event is fictional; otherwise not evaluated: nobody has reviewed the sample"
        in capsys.readouterr().out
    )


def test_a_workspace_is_checked_by_its_bundle(tmp_path: Path, files: dict[str, bytes]) -> None:
    write(tmp_path / "09_release", files)
    assert check_path(tmp_path).findings == ()


def test_an_event_without_a_release_is_no_damaged_bundle(
    tmp_path: Path, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "done" / "09_release", files)
    for name in ("done", "waiting"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "event.toml").write_text("")
        (folder / "manifest.json").write_text('{"stages": {}}')
    with pytest.raises(BadInput, match="event waiting has no release yet; continue it with"):
        check_path(tmp_path / "waiting")
    assert check_path(tmp_path).findings == check_path(tmp_path / "done").findings == ()
    assert unreleased(tmp_path) == ["waiting"]
    assert unreleased(tmp_path / "waiting") == unreleased(tmp_path / "done") == []
    bank.check(tmp_path)
    assert "event waiting has no release yet and is not checked" in capsys.readouterr().err


def test_a_changed_missing_or_added_file_is_named(tmp_path: Path, files: dict[str, bytes]) -> None:
    write(tmp_path, files)
    name = next(name for name in files if name.startswith("contexts/en/"))
    (tmp_path / name).write_bytes(files[name] + b" ")
    (tmp_path / "key/pairs.jsonl").unlink()
    (tmp_path / "extra.txt").write_text("x")
    (finding,) = check_path(tmp_path).findings
    assert finding.rule == "bundle-digest"
    assert finding.count == 3
    assert any(name in example for example in finding.examples)


def test_no_gate_of_a_changed_bundle_is_called_passed(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    stated = check_path(write(tmp_path / "whole", files)).gates
    manifest = json.loads(files["manifest.json"])
    manifest["gates"] = [gate.model_dump(mode="json") for gate in stated]
    folder = write(tmp_path / "changed", {**files, "manifest.json": json.dumps(manifest).encode()})
    flipped = (folder / "key/questions.jsonl").read_text().replace('"answer":1', '"answer":0')
    (folder / "key/questions.jsonl").write_text(flipped)
    states = {gate.name: gate.state for gate in check_path(folder).gates}
    assert list(states) == [gate.name for gate in stated]
    assert states.pop("structure") == "failed"
    assert set(states.values()) == {"not evaluated"}


Change = Callable[[dict[str, Any]], object]

KEY_MUTATIONS: list[tuple[str, Change, str]] = [
    ("questions", lambda r: r.update(answer=1 - r["answer"]), "label"),
    ("questions", lambda r: r["text"].update(en=r["text"]["en"] + " Really?"), "text-of-claim"),
    ("questions", lambda r: r.update(pair_id="p-none"), "twin-missing"),
    ("questions", lambda r: r.update(family_id="f-none"), "claim-fields"),
    ("questions", lambda r: r.update(point_id="x-none"), "unknown-reference"),
    ("questions", lambda r: r.update(claim_id="c-none"), "unknown-reference"),
    ("questions", lambda r: r.update(question_id="0"), "exam-view"),
    ("questions", lambda r: r.update(prompt=4), "balance"),
    ("events", lambda r: r.update(date="2031-01-01"), "event-day"),
    ("events", lambda r: r["text"].update(zh=r["text"]["zh"] + "吗"), "text-of-claim"),
    ("events", lambda r: r.update(point_id="x-none"), "unknown-reference"),
    ("pairs", lambda r: r.update(true_claim=r["false_claim"]), "twin-missing"),
    ("pairs", lambda r: r["cells"].pop() if len(r["cells"]) > 1 else r.update(pair_id="p"), "twin-missing"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "change", "rule"),
    KEY_MUTATIONS,
    ids=[f"{m[0]} {i} -> {m[2]}" for i, m in enumerate(KEY_MUTATIONS)],
)
def test_a_change_in_the_key_is_named_even_with_fresh_digests(
    tmp_path: Path, files: dict[str, bytes], table: str, change: Change, rule: str
) -> None:
    write(tmp_path, files)
    path = tmp_path / f"key/{table}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    change(rows[0])
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    rehash(tmp_path)
    assert rule in rules(tmp_path)


@pytest.mark.parametrize("axis", ["calibration", "temporal"])
@pytest.mark.parametrize("change", ["text", "more", "order", "broken"])
def test_a_change_in_an_exam_file_is_named(
    tmp_path: Path, files: dict[str, bytes], axis: str, change: str
) -> None:
    write(tmp_path, files)
    path = tmp_path / f"exam/zh/{axis}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    if change == "text":
        rows[0]["text"] += "？"
    elif change == "more":
        rows[0]["type"] = "A"
    else:
        rows.reverse()
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("{" + text if change == "broken" else text)
    rehash(tmp_path)
    assert rules(tmp_path) == {"exam-view"} | ({"leak-unreadable"} if change == "broken" else set())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_context_must_be_a_prefix_of_the_timeline(
    tmp_path: Path, files: dict[str, bytes], lang: str
) -> None:
    write(tmp_path, files)
    name = next(name for name in files if name.startswith(f"contexts/{lang}/"))
    (tmp_path / name).write_bytes(files[name].replace(b"###", b"##", 1))
    rehash(tmp_path)
    (finding,) = (f for f in check_path(tmp_path).findings if f.rule != "leak-points")
    assert (finding.rule, finding.examples) == ("context-bytes", (name,))


def test_a_changed_export_is_named(tmp_path: Path, files: dict[str, bytes]) -> None:
    write(tmp_path, files)
    name = next(n for n in files if n.startswith("societybench/") and n.endswith(".json"))
    (tmp_path / name).write_bytes(files[name].replace(b"1", b"2"))
    table = next(n for n in files if n.startswith("parquet/calibration"))
    other = next(n for n in files if n.startswith("parquet/calibration") and n != table)
    (tmp_path / table).write_bytes(files[other])
    rehash(tmp_path)
    (finding,) = check_path(tmp_path).findings
    assert finding.rule == "derived-file"
    assert set(finding.examples) == {name, table}


def test_counts_of_the_manifest_are_checked(tmp_path: Path, files: dict[str, bytes]) -> None:
    write(tmp_path, files)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["counts"]["questions"] += 2
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert rules(tmp_path) == {"report-counts"}


def test_no_bundle_no_format_no_question_is_bad_input(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    with pytest.raises(BadInput, match=r"no bundle .* and no published bank"):
        check_path(tmp_path)
    with pytest.raises(BadInput, match="does not exist"):
        check_path(tmp_path / "nothing")
    write(tmp_path, files)
    with pytest.raises(BadInput, match="unknown format"):
        check_path(tmp_path, format="csv")
    with pytest.raises(BadInput, match="holds no published bank"):
        check_path(tmp_path, format="societybench")
    with pytest.raises(BadInput, match="no question or dated event 'q-none'"):
        explain_question(tmp_path, "q-none")


def test_a_true_answer_is_explained_down_to_its_quote(
    tmp_path: Path, files: dict[str, bytes], built: Built
) -> None:
    write(tmp_path, files)
    question = next(q for q in built.bank.questions if q.answer)
    text = explain_question(tmp_path, question.question_id)
    (occurrence,) = question.evidence
    claim = next(c for c in built.claims if c.claim_id == question.claim_id)
    words = (render(claim.text["en"], "en"), readable(occurrence.quote))
    for part in (question.text["en"], question.claim_id, occurrence.node_id, *words):
        assert part in text
    assert "⟦" in occurrence.quote, "the arc must show that tokens are rendered"
    assert "⟦" not in text
    assert f"occurrence on {occurrence.happened_on}, inside the window" in text
    made = next(
        q
        for q in built.bank.questions
        if any(c.claim_id == q.claim_id and c.kind == "fabrication" for c in built.claims)
    )
    assert "no occurrence" in explain_question(tmp_path, made.question_id)


def test_a_dated_event_is_explained_down_to_its_quote(
    tmp_path: Path, files: dict[str, bytes], built: Built
) -> None:
    write(tmp_path, files)
    for event in built.bank.events:
        text = explain_question(tmp_path, event.event_id)
        assert text.startswith(f"dated event {event.event_id}: {event.text['en']}")
        assert f"answer {event.date}" in text
        assert f"occurrence on {event.date}, the answer" in text
        assert readable(event.evidence[0].quote) in text
        assert "⟦" not in text


def test_in_a_workspace_the_chain_ends_at_the_source_items(tmp_path: Path, built: Built) -> None:
    (tmp_path / "event.toml").write_text("")
    workspace = Workspace(tmp_path)
    workspace.write("05_points/points.json", built.arc.point_set)
    workspace.write_lines("06_claims/resolutions.jsonl", built.resolutions)
    workspace.write_lines("07_editions/claims.jsonl", built.claims)
    workspace.write("07_editions/timeline.json", built.arc.timeline)
    workspace.write_lines("08_bank/questions.jsonl", built.bank.questions)
    workspace.write_lines("08_bank/events.jsonl", built.bank.events)
    question = next(q for q in built.bank.questions if q.answer)
    item = Item(
        item_id="i1", platform="rss", kind="article", native_id="1", text="The raw words.",
        url="https://example.org/a", fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        origin=Origin(source="rss"),
    )  # fmt: skip
    workspace.write_lines("01_items/items.jsonl", [item])
    raw = Statement(
        statement_id=question.evidence[0].statement_id,
        text="The raw words.",
        evidence=(Evidence(item_id="i1", quote="raw words"),),
    )
    span = built.arc.timeline.span
    node = Node(node_id="n", date=span.observed_from, fact=Fact(statements=(raw,)))
    workspace.write(
        "03_timeline/timeline.json",
        Timeline(title="x", lang="en", zone="UTC", span=span, nodes=(node,)),
    )
    text = explain_question(tmp_path, question.question_id)
    assert "source i1 (rss" in text
    assert "https://example.org/a" in text
    assert "raw words" in text
    assert explain_question(tmp_path, built.bank.events[0].event_id).startswith("dated event")


def test_the_page_of_rules_is_current() -> None:
    page = Path(__file__).parents[1] / "docs" / "check.md"
    assert page.read_text(encoding="utf-8") == rules_page()
    for rule in RULES.values():
        assert f"`{rule.rule}`" in rules_page()
        assert rule.says.endswith(".")
        assert rule.why.endswith(".")
        assert rule.fix


TABLES = ("questions.jsonl", "events.jsonl", "pairs.jsonl", "claims.jsonl", "resolutions.jsonl", "points.json", "timeline.json")  # fmt: skip


def fields(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every field of a JSON record with its value, of lists the first and the last element."""
    if isinstance(record, dict):
        for key, value in record.items():
            yield from fields(value, (*path, key))
    elif isinstance(record, list):
        yield path, record
        for index in sorted({0, len(record) - 1}) if record else ():
            yield from fields(record[index], (*path, index))
    else:
        yield path, record


def changed(value: Any) -> Any:
    """Another value of the same shape."""
    if isinstance(value, list):
        return value[:-1]
    if isinstance(value, int):
        return 1 - value if value in (0, 1) else value + 1
    if isinstance(value, float):
        return round(1 - value, 3) + 0.01
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return (date.fromisoformat(value) - timedelta(days=1)).isoformat()
    return value + "x"


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_no_field_of_the_key_can_be_changed_unseen(
    tmp_path: Path,
    files: dict[str, bytes],
    built: Built,
    table: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Fitting text models again for each of some hundred changes would say nothing more.
    audit = audit_shortcuts(built.bank)
    monkeypatch.setattr(gates, "audit_shortcuts", lambda *_: audit)
    write(tmp_path, files)
    path = tmp_path / "key" / table
    raw = path.read_text()
    rows = [json.loads(line) for line in raw.splitlines()] if table.endswith("l") else [json.loads(raw)]  # fmt: skip
    asked = {q.claim_id for q in built.bank.questions if q.answer}
    index = next(i for i, r in enumerate(rows) if table[:3] not in ("cla", "res") or r["claim_id"] in asked)  # fmt: skip
    unseen = []
    for place, value in fields(rows[index]):
        if value is None or value == []:
            continue
        mutant = copy.deepcopy(rows)
        target = mutant[index]
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = changed(value)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in mutant))
        rehash(tmp_path)
        try:
            if not check_path(tmp_path).findings:
                unseen.append(place)
        except BadInput:
            pass  # the record itself is refused, with the file and field named
    assert unseen == []


def silenced_bundle(tmp_path: Path, files: dict[str, bytes], rule: str) -> Path:
    write(tmp_path / "plain", files)
    bundle = Bundle.read(tmp_path / "plain")
    rows = silenced_table({rule: "The arc is short."}, "settings")
    return write(tmp_path / "silenced", build_files(replace(bundle, silenced=rows)))


def test_a_silenced_table_is_a_listed_file_of_the_bundle(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    folder = silenced_bundle(tmp_path, files, "axes-share-claim")
    report = check_path(folder)
    assert report.findings == ()
    assert [(row.rule, row.reason) for row in report.silenced] == [
        ("axes-share-claim", "The arc is short.")
    ]
    assert "silenced.json" in {entry.path for entry in read_manifest(folder).files}
    (folder / "silenced.json").write_text('{"label": "Quietly."}')
    (finding,) = check_path(folder).findings
    assert (finding.rule, finding.examples) == ("bundle-digest", ("silenced.json was changed",))


def test_a_bundle_without_the_table_holds_no_such_file(files: dict[str, bytes]) -> None:
    assert "silenced.json" not in files


def test_a_silenced_label_keeps_its_gate_failed(tmp_path: Path, files: dict[str, bytes]) -> None:
    folder = silenced_bundle(tmp_path, files, "label")
    name = folder / "key/questions.jsonl"
    rows = [json.loads(line) for line in name.read_text().splitlines()]
    rows[0]["answer"] = 1 - rows[0]["answer"]
    name.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    rehash(folder)
    report = check_path(folder)
    finding = next(f for f in report.findings if f.rule == "label")
    assert finding.silenced == "The arc is short."
    assert stays_open(finding)
    assert next(g for g in report.gates if g.name == "labels").state == "failed"
