"""Commands around what comes out: check, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, located, open_named, say
from factory.counting import count_of

if TYPE_CHECKING:
    from schemas import Finding


def check(
    path: Annotated[
        Path, typer.Argument(help="A bundle, an event's name or folder, or a published bank.")
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="auto tells the two apart: factory (a bundle) or societybench."
        ),
    ] = "auto",
    explain: Annotated[
        str | None,
        typer.Option(help="Show what the answer of one question or dated event rests on, by id."),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Check a bank against every promise and print what a reader of structure alone would score."""
    from factory.audit.announced import announced_line
    from factory.audit.silence import stays_open
    from factory.check import check_path, explain_question, unreleased

    path = located(path, workspace)
    if explain:
        print(explain_question(path, explain))
        return
    report = check_path(path, format=format_)
    for name in unreleased(path) if format_ != "societybench" else ():
        say(
            f"event {name} has no release yet and is not checked; continue it with `factory run {name}`"
        )
    if as_json:
        print(report.model_dump_json(indent=2))
    else:
        for finding in report.findings:
            print(_headed(finding))
            for example in finding.examples:
                print(f"    {example}")
            if finding.note:
                print(f"    of these: {finding.note}")
            if finding.fix:
                print(f"    fix: {finding.fix}")
            if finding.silenced:
                kept = "; its gate stays as it is" if stays_open(finding) else ""
                print(f"    silenced by the bank: {finding.silenced}{kept}")
        broken = {finding.rule for finding in report.findings}
        for row in report.silenced:
            if row.rule not in broken:
                print(f"{row.rule}: silenced by the bank, but not broken ({row.reason})")
        for name, score in report.shortcuts.items():
            known = report.intervals.get(name)
            span = f"  {known.low:.1f} to {known.high:.1f}" if known else ""
            print(f"no-text rule {name:<60}{score:6.1f}{span}")
        for gate in report.gates:
            print(f"gate {gate.name:<12}{gate.state:<15}{gate.measure}")
            if gate.reason:
                print(f"     {'':<12}{'':<15}{gate.reason}")
        if report.announced:
            print(f"announced day{'':<19}{announced_line(report.announced)}")
        silenced = sum(not stays_open(finding) for finding in report.findings)
        say(
            count_of(len(report.findings), "rule")
            + " broken"
            + (f", {silenced} silenced" if silenced else "")
            if report.findings
            else "clean: no rule is broken"
        )
    if any(stays_open(finding) for finding in report.findings):
        sys.exit(1)


def _headed(finding: Finding) -> str:
    """Rule, count, how many are of which edition, and why it matters."""
    editions = ", ".join(f"{count} {lang}" for lang, count in finding.editions.items())
    return f"{finding.rule}: {finding.count}{f' ({editions})' if editions else ''}  {finding.why}"


def report(
    event: Annotated[
        str, typer.Argument(help="Name or folder of the event; with --public also a bundle.")
    ],
    public: Annotated[
        bool,
        typer.Option("--public", help="The page for everybody, made from the bundle and scanned."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="File of the public page.", show_default=False)
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            help="Language that the public page shows first: en or zh.", show_default=False
        ),
    ] = None,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Write the private report with real names and sources, or the public one (--public)."""
    from factory.errors import BadInput

    if not public:
        if out is not None or lang is not None:
            raise BadInput(
                "--out and --lang belong to the public report, which is in both languages; add --public, or leave them out "
                "for the private report, which is in English"
            )
        from factory.report import write_report

        print(write_report(open_named(event, workspace).workspace, say))
        return
    from factory.report_public import write_public
    from schemas import LANGS

    first = next((known for known in LANGS if known == lang), None)
    if lang is not None and first is None:
        raise BadInput(f"--lang {lang!r} is no edition; use {' or '.join(LANGS)}")
    print(write_public(located(Path(event), workspace), out, lang=first, say=say))


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("check")(check)
    app.command("report")(report)
