"""A folder of bundles is checked as a whole: each by its promises, all by models that learnt on the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from factory.bundle import Bundle, build_files
from factory.check import check_path
from factory.errors import BadInput
from factory.forecast.baselines import baseline_card
from factory.workspace import sha256_bytes
from schemas import AnonymisationCard, ReleaseManifest
from tests.bank.arcs import build, demo_arc


def bundle(public_id: str, seed: int) -> Bundle:
    built = build(demo_arc(seed=seed), seed=seed)
    timeline = built.arc.timeline.model_copy(update={"public_id": public_id})
    bank = built.bank
    return Bundle(
        timeline=timeline, points=built.arc.point_set, claims=tuple(built.claims),
        resolutions=tuple(built.resolutions), pairs=built.pairs, questions=bank.questions,
        events=bank.events, report=built.report,
        card=AnonymisationCard(
            entities=3, aliases=5, aliases_hit=5, mentions=9, dates_shifted=2, dates_flagged=0,
            calendar_residue=0, offset_candidates=30, panel_grade="LOW", panel_rounds=1,
            panel_state="not evaluated", drift_open=0,
        ),
        baselines=baseline_card(
            timeline=timeline, claims=built.claims, points=bank.points, questions=bank.questions,
            events=bank.events,
        ),
        gates=(), ungated=(), fictional=True, scripted=True, licence="CC-BY-4.0", models={},
        factory_version="0",
    )  # fmt: skip


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.fixture(scope="module")
def events() -> dict[str, dict[str, bytes]]:
    return {name: build_files(bundle(name, seed)) for name, seed in (("e-one", 1), ("e-two", 3))}


def test_a_folder_of_clean_bundles_is_clean(
    tmp_path: Path, events: dict[str, dict[str, bytes]]
) -> None:
    write(tmp_path / "a", events["e-one"])
    write(tmp_path / "b" / "09_release", events["e-two"])
    report = check_path(tmp_path)
    assert report.form == "bundles"
    assert report.findings == ()
    assert report.shortcuts["fitted boosting: whole bank"] == pytest.approx(50)
    assert "context meaning zh rounded" in report.intervals
    gate = next(g for g in report.gates if g.name == "labels")
    assert gate.state == "passed"
    assert gate.measure == "e-one passed, e-two passed"
    told = next(g for g in report.gates if g.name == "shortcuts")
    assert "by models of the other events" in told.measure


def test_findings_name_their_event(tmp_path: Path, events: dict[str, dict[str, bytes]]) -> None:
    write(tmp_path / "a", events["e-one"])
    broken = dict(events["e-two"])
    name = "truth/en/" + next(n for n in broken if n.startswith("truth/en/")).rsplit("/", 1)[1]
    broken[name] += b"more\n"
    manifest = ReleaseManifest.model_validate_json(broken["manifest.json"])
    files = tuple(
        f.model_copy(update={"sha256": sha256_bytes(broken[name]), "size": len(broken[name])})
        if f.path == name
        else f
        for f in manifest.files
    )
    broken["manifest.json"] = (
        manifest.model_copy(update={"files": files}).model_dump_json().encode()
    )
    write(tmp_path / "b", broken)
    (finding,) = check_path(tmp_path).findings
    assert finding.rule == "derived-file"
    assert finding.examples == (f"e-two: {name}",)
    (tmp_path / "a" / "README.md").write_text("changed")
    report = check_path(tmp_path)
    assert {f.rule for f in report.findings} == {"bundle-digest", "derived-file"}
    assert report.shortcuts == {}, "a changed bundle is no event to learn from"


def test_one_event_twice_is_bad_input(tmp_path: Path, events: dict[str, dict[str, bytes]]) -> None:
    for name in ("a", "b"):
        write(tmp_path / name, events["e-one"])
    with pytest.raises(BadInput, match="another folder holds too"):
        check_path(tmp_path)


def test_two_bundles_differ_in_more_than_their_name() -> None:
    assert bundle("e-one", 1).questions != bundle("e-one", 3).questions
