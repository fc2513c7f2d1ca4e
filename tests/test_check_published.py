"""`factory check` on published banks: what a path holds, what is bad input, exit codes, silenced rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factory.audit.silence import SILENCED, silenced_table, stays_open
from factory.check import check_path
from factory.cli import app
from factory.errors import BadInput
from factory.societybench import societybench_files
from schemas import LANGS, CheckReport, Finding
from tests.audit.foreign_pages import clean_pages
from tests.bank.arcs import build, demo_arc


def broken_weight(folder: Path) -> Path:
    pages = clean_pages()
    pages.at()["cal"][0]["wt"] = 0.9
    return pages.write(folder)


@pytest.mark.parametrize("inside", ["", "demo"])
def test_auto_tells_the_project_page(tmp_path: Path, inside: str) -> None:
    clean_pages().write(tmp_path / inside)
    report = check_path(tmp_path)
    assert (report.form, report.findings) == ("project page", ())
    assert check_path(tmp_path, format="societybench") == report


def test_auto_tells_the_dataset_layout(tmp_path: Path) -> None:
    clean_pages().write_dataset(tmp_path)
    assert check_path(tmp_path).form == "dataset layout"


def test_one_event_of_the_dataset_layout_is_a_bank(tmp_path: Path) -> None:
    clean_pages().write_dataset(tmp_path)
    report = check_path(tmp_path / "event1")
    assert (report.form, report.findings) == ("dataset layout", ())


def test_a_published_bank_is_no_bundle(tmp_path: Path) -> None:
    clean_pages().write(tmp_path)
    with pytest.raises(BadInput, match="holds no bundle"):
        check_path(tmp_path, format="factory")


def remove(folder: Path, pattern: str) -> None:
    (path,) = folder.glob(pattern)
    path.unlink()


def truncate(folder: Path) -> None:
    path = folder / "zh/event1/P02.json"
    path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")


def one_edition(folder: Path) -> None:
    for path in sorted((folder / "zh").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def two_forms(folder: Path) -> None:
    clean_pages().write_dataset(folder)


def not_utf8(folder: Path) -> None:
    (folder / "en/event1/P01_context.md").write_bytes(b"\xff\xfe")


def no_number(folder: Path) -> None:
    path = folder / "en/event2/P03.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["cal"][2]["wd"] = "seven"
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda f: remove(f, "en/event1/P02_context.md"), r"P02\.json has no context beside it"),
        (lambda f: remove(f, "zh/event2/P01.json"), r"P01_context\.md is the context of a point that is missing"),
        (truncate, r"P02\.json is no JSON"),
        (one_edition, r"holds the edition en alone"),
        (two_forms, r"both as project page and in the dataset layout"),
        (not_utf8, r"P01_context\.md is no UTF-8"),
        (no_number, r"P03\.json: cal\[2\]: wd is 'seven'"),
        (lambda f: (f / "manifest.json").write_text("{}"), r"holds both a bundle .* and a published bank"),
        (lambda f: (f / "en/event1/notes.json").write_text("{}"), r"not named P<NN>\.json"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_2(tmp_path: Path, spoil: object, says: str) -> None:
    clean_pages().write(tmp_path)
    assert callable(spoil)
    spoil(tmp_path)
    with pytest.raises(BadInput, match=says) as refused:
        check_path(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_dataset_with_a_missing_context_is_refused(tmp_path: Path) -> None:
    clean_pages().write_dataset(tmp_path)
    (tmp_path / "event1/en/contexts/P02_context.md").unlink()
    with pytest.raises(BadInput, match="event1/P02/en has no context"):
        check_path(tmp_path)


def test_exit_codes_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from factory.cli import main

    clean_pages().write(tmp_path / "clean")
    broken_weight(tmp_path / "broken")
    one = clean_pages().write(tmp_path / "one")
    one_edition(one)

    def run(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["factory", "check", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0)

    assert run(str(tmp_path / "clean")) == 0
    capsys.readouterr()
    assert run(str(tmp_path / "broken"), "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    assert CheckReport.model_validate_json(json.dumps(printed))
    (finding,) = printed["findings"]
    assert (finding["rule"], finding["count"], finding["editions"]) == (
        "published-weight",
        1,
        {"en": 1},
    )
    assert finding["examples"][0].startswith("event1/P01 en A_false.7.10.0.easy.event: ")
    assert finding["examples"][0].endswith("stored 0.9, due 0.455")
    assert printed["shortcuts"]["constant 0.5"] == 50
    assert run(str(tmp_path / "one")) == 2
    assert "holds the edition en alone" in capsys.readouterr().err
    assert run(str(tmp_path / "nothing")) == 2


def test_a_silenced_rule_is_printed_with_its_reason_and_passes(tmp_path: Path) -> None:
    broken_weight(tmp_path)
    reason = "Weights of the first edition are kept for comparison."
    (tmp_path / SILENCED).write_text(json.dumps({"published-weight": reason}), encoding="utf-8")
    (finding,) = check_path(tmp_path).findings
    assert finding.silenced == reason
    assert not stays_open(finding)
    result = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert result.exit_code == 0
    assert f"silenced by the bank: {reason}" in result.output


def test_what_is_silenced_without_need_is_said(tmp_path: Path) -> None:
    clean_pages().write(tmp_path)
    (tmp_path / SILENCED).write_text('{"published-weight": "old"}', encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert result.exit_code == 0
    assert "published-weight: silenced by the bank, but not broken (old)" in result.output


@pytest.mark.parametrize("rule", ["leak-name", "secret-key", "label", "duplicate", "edition-refs", "balance"])  # fmt: skip
def test_no_reason_opens_a_gate_that_nothing_passes(rule: str) -> None:
    finding = Finding(rule=rule, count=1, silenced="It is meant so.")
    assert stays_open(finding)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"no-such-rule": "why"}, "'no-such-rule', which is no rule"),
        ({"published-weight": ""}, "silences published-weight without a reason"),
        ({"published-weight": "  "}, "without a reason"),
        ({"published-weight": 3}, "without a reason"),
        ({"published-weight": "\x1b[2J"}, "holds control characters"),
        ({"published-weight": "\ud800"}, "holds control characters"),
    ],
)
def test_unknown_rules_and_empty_reasons_are_refused(table: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        silenced_table(table, SILENCED)


def test_a_silenced_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    clean_pages().write(tmp_path)
    (tmp_path / SILENCED).write_text("[]", encoding="utf-8")
    with pytest.raises(BadInput, match="no JSON object"):
        check_path(tmp_path)
    (tmp_path / SILENCED).write_text("{", encoding="utf-8")
    with pytest.raises(BadInput, match="no JSON"):
        check_path(tmp_path)


def test_our_own_export_breaks_no_rule_for_published_banks(tmp_path: Path) -> None:
    built = build(demo_arc())
    points = sorted(built.arc.points, key=lambda point: point.cutoff)
    for lang in LANGS:
        files = societybench_files(
            lang,
            timeline=built.arc.timeline,
            points=points,
            questions=built.bank.questions,
            events=built.bank.events,
        )
        for name, data in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    report = check_path(tmp_path / "societybench")
    assert (report.form, report.findings) == ("dataset layout", ())
    structural = {name for name in report.shortcuts if name.startswith("structure")}
    assert structural
    assert {report.shortcuts[name] for name in structural} == {50.0}
    assert report.shortcuts["days from cutoff within window"] == 50


def test_labels_of_strangers_stay_on_one_line(tmp_path: Path) -> None:
    pages = clean_pages()
    pages.at()["cal"][0] |= {
        "wt": 0.9,
        "diff": "\x1b[31m\n",
        "q": pages.at()["cal"][0]["q"] + "\x07",
    }
    pages.at("zh")["cal"][0]["diff"] = "\x1b[31m\n"
    report = check_path(pages.write(tmp_path))
    shown = [place for finding in report.findings for place in finding.examples]
    assert shown
    assert all(place.isprintable() for place in shown)
    assert any(r"\x1b[31m\n" in place for place in shown)


@pytest.mark.parametrize(
    "change",
    [
        {"q": "\ud800"},
        {"gt": 2},
        {"gt": True},
        {"wd": 10**400},
        {"dfc": None},
        {"wd": 0},
        {"q": ""},
    ],
)
def test_a_field_that_cannot_be_used_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    pages = clean_pages()
    pages.at()["cal"][1] |= change
    with pytest.raises(BadInput, match=r"en/event1/P01\.json"):
        check_path(pages.write(tmp_path))
