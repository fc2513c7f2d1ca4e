"""Commands around what comes out: check, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, located, open_named, say


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

    path = located(path, workspace)
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
    app.command("report")(report)
