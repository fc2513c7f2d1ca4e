"""The command that grades: score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, located, parse_day, say

RECORDS = (".jsonl", ".csv", ".json")
"""Files of typed questions; everything else that is scored is a folder."""
MAJORITY = "majority"
HORIZON = 90.0
"""Without an option; neither says anything about what it does not belong to."""


def score(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Events by name or folder, bundles, or the folder of a published bank; with --rules forecast or "
            "sim also one file of typed questions.",
        ),
    ],
    rules: Annotated[
        str, typer.Option(help="Rule set: paper, overview, proper, forecast or sim.")
    ] = "paper",
    forecasts: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of your own answers, one JSON line each; may be repeated. docs/scoring.md shows the fields."
        ),
    ] = None,
    runs: Annotated[
        list[str] | None, typer.Option(help="Grade these runs only; may be repeated.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="Also score by these keys, joined by commas: event, edition, point, type, dimension, difficulty, "
            "level, window, truth, bucket."
        ),
    ] = "",
    compare: Annotated[
        bool, typer.Option("--compare", help="Test every pair of systems on what both answered.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="A second column that counts everything unanswered as wrong."
        ),
    ] = False,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables", help="Further analysis: composition, formulas, bias, cutoffs, events, gaps."
        ),
    ] = False,
    horizon: Annotated[
        float, typer.Option(help="Rules overview: days T after which a date is worth nothing.")
    ] = HORIZON,
    aggregate: Annotated[
        str,
        typer.Option(
            help="Rules forecast: how samples become one answer (majority, highest, weighted, logit_mean, bayesian, "
            "odds, mean, median)."
        ),
    ] = MAJORITY,
    model_cutoff: Annotated[
        str | None,
        typer.Option(
            help="Rules forecast: leave out questions resolved before this day, YYYY-MM-DD."
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Also write a leaderboard page to this file.")
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print one CSV row a cell on stdout.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Grade forecasts on the calibration and the temporal axis, rules that read no text beside them."""
    from factory.errors import BadInput

    if as_csv and as_json:
        raise BadInput("--json and --csv both print on stdout; give one of them")
    found = [located(path, workspace) for path in paths]
    if any(path.is_file() for path in found):
        strange = [path for path in found if path.is_file() and path.suffix not in RECORDS]
        if strange and rules not in ("forecast", "sim"):
            raise BadInput(
                f"{strange[0]} is neither a bank's folder nor a file of typed questions; give an event, a bundle or "
                "the folder of a published bank"
            )
        _records(
            found,
            rules=rules,
            forecasts=forecasts or [],
            aggregate=aggregate,
            model_cutoff=model_cutoff,
            as_json=as_json,
            as_csv=as_csv,
            refused={
                "--by": bool(by),
                "--compare": compare,
                "--strict": strict,
                "--tables": tables,
                "--html": html is not None,
                "--runs": bool(runs),
            },
        )
        return
    if aggregate != MAJORITY or model_cutoff:
        option = "--model-cutoff" if model_cutoff else "--aggregate"
        raise BadInput(
            f"{option} belongs to a file of typed questions, and {paths[0]} is a bank; leave it out"
        )
    if horizon != HORIZON and rules != "overview":
        raise BadInput(
            f"--horizon belongs to --rules overview, and the rules are {rules}; leave it out"
        )
    from factory.grading import score_paths
    from factory.score.card import Wanted
    from factory.scoretable import csv_text, terminal_lines

    card = score_paths(
        found,
        rules=rules,
        forecasts=forecasts or [],
        runs=runs or [],
        horizon=horizon,
        wanted=Wanted(
            strict=strict,
            compare=compare or html is not None,
            tables=tables or as_json or html is not None,
            by=tuple(key.strip() for key in by.split(",") if key.strip()),
        ),
    )
    if html is not None:
        from factory.leaderboard import leaderboard_page
        from factory.workspace import write_atomic

        write_atomic(html, leaderboard_page(card, title="Leaderboard").encode())
        say(f"wrote {html}")
    if as_json:
        print(card.model_dump_json(indent=2))
    elif as_csv:
        print(csv_text(card), end="")
    else:
        for line in terminal_lines(card, tables=tables):
            print(line)
    if as_json or as_csv:
        for problem in card.problems:
            say(f"{problem.count} x {problem.reason} ({problem.example})")
    if forecasts and card.problems:
        say("the answers have problems, see above; the scores leave them out")
        sys.exit(1)


def _records(
    paths: list[Path],
    *,
    rules: str,
    forecasts: list[Path],
    aggregate: str,
    model_cutoff: str | None,
    as_json: bool,
    as_csv: bool,
    refused: dict[str, bool],
) -> None:
    """Grade one file of typed questions."""
    from factory.errors import BadInput
    from factory.grading import score_records
    from factory.scoretable import typed_csv, typed_lines

    if len(paths) > 1:
        raise BadInput("files of typed questions are graded one at a time; give one path")
    for option, given in refused.items():
        if given:
            raise BadInput(
                f"{option} belongs to banks, and {paths[0]} is a file of questions; leave it out"
            )
    card = score_records(
        paths[0],
        rules=rules,
        forecasts=forecasts,
        aggregate=aggregate,
        model_cutoff=parse_day(model_cutoff, "--model-cutoff"),
    )
    if as_json:
        print(card.model_dump_json(indent=2))
    elif as_csv:
        print(typed_csv(card), end="")
    else:
        for line in typed_lines(card):
            print(line)
    if card.problems:
        say("some rows could not be used; the card names them")
        sys.exit(1)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score)
