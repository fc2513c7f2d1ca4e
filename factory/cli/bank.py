"""Commands around what comes out: check, score, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, open_named, say


def _located(path: Path, workspace: Path) -> Path:
    """A path as given, or the folder of an event of that name."""
    from factory.errors import BadInput

    if path.exists():
        return path
    if (workspace / path / "event.toml").is_file():
        return workspace / path
    raise BadInput(f"{path} does not exist, and no event of that name is in {workspace}")


def check(
    path: Annotated[Path, typer.Argument(help="A bundle, or an event's name or folder.")],
    format_: Annotated[
        str, typer.Option("--format", help="auto, factory or societybench.")
    ] = "auto",
    explain: Annotated[
        str | None,
        typer.Option(help="Show what the answer of one question or dated event rests on, by id."),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Check a bank against every promise and print what a reader of structure alone would score."""
    from factory.check import check_path, explain_question

    path = _located(path, workspace)
    if explain:
        print(explain_question(path, explain))
        return
    report = check_path(path, format=format_)
    if as_json:
        print(report.model_dump_json(indent=2))
    else:
        for finding in report.findings:
            print(f"{finding.rule}: {finding.count}  {finding.why}")
            for example in finding.examples:
                print(f"    {example}")
            if finding.fix:
                print(f"    fix: {finding.fix}")
        for name, score in report.shortcuts.items():
            print(f"no-text rule {name:<28}{score:6.1f}")
        for gate in report.gates:
            print(f"gate {gate.name:<12}{gate.state:<15}{gate.measure}")
            if gate.reason and gate.state != "passed":
                print(f"     {'':<12}{'':<15}{gate.reason}")
        say(
            f"{len(report.findings)} rules broken"
            if report.findings
            else "clean: no rule is broken"
        )
    if report.findings:
        sys.exit(1)


def score(
    path: Annotated[
        Path, typer.Argument(help="An event's name or folder, a bundle, or a published bank.")
    ],
    forecasts: Annotated[
        Path | None,
        typer.Option(
            help="Your own answers, one JSON line each: system, run, axis (calibration or temporal), ref "
            "(question_id or event_id), point_id, lang, status, and probability or date; see docs/scoring.md."
        ),
    ] = None,
    rules: Annotated[str, typer.Option(help="Rule set.")] = "paper",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Grade forecasts on the calibration and the temporal axis, your own (--forecasts) beside the baselines."""
    from factory.grading import score_path, why_not_scored

    path = _located(path, workspace)
    card = score_path(path, rules=rules, forecasts=forecasts)
    if as_json:
        print(card.model_dump_json(indent=2))
        return
    print(f"{'system':<26}{'event':<24}{'edition':<9}{'axis':<13}{'score':>8}{'answered':>10}")
    for cell in card.cells:
        value = cell.score if isinstance(cell.score, str) else f"{cell.score:.1f}"
        print(
            f"{cell.system:<26}{cell.event:<24}{cell.edition:<9}{cell.axis:<13}{value:>8}"
            f"{cell.answered:>6}/{cell.total}"
        )
    for system, overall in card.overall.items():
        value = (
            f"{overall} ({why_not_scored(card, system)})"
            if isinstance(overall, str)
            else f"{overall:.1f}"
        )
        print(f"{system:<26}overall {value}")


def report(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Write the private report: timeline, sources, points, questions, gates, scores, calls and cost."""
    from factory.report import write_report

    print(write_report(open_named(event, workspace).workspace, say))


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("check")(check)
    app.command("score")(score)
    app.command("report")(report)
