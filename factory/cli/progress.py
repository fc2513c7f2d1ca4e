"""Commands that look at an event: status, estimate."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, open_named, say
from factory.counting import count_of

if TYPE_CHECKING:
    from factory.events import Event


def print_estimate(event: Event, stream: Any) -> None:
    """Calls, tokens and cost of each stage that is still to be asked."""
    from factory.estimate import estimate, price_missing, sizes_of
    from factory.status import event_status

    finished = {row.name for row in event_status(event).stages if row.state in ("done", "external")}
    rows = [
        row
        for row in estimate(event.settings, sizes_of(event.workspace, event.config))
        if row.calls and row.stage not in finished
    ]
    if not rows:
        print("nothing is left to ask: every stage that asks a model is done", file=stream)
        return
    # Recorded and hand-written answers cost nothing, so no price is missed.
    unknown = {row.unpriced for row in rows if row.unpriced and event.config.mode == "live"}
    cost = "?" if unknown else f"{sum(row.cost for row in rows):.2f}"
    print(
        f"\n{'stage':<22}{'calls':>7}{'tokens in':>12}{'tokens out':>12}{'cost':>10}", file=stream
    )
    for row in rows:
        own = "?" if row.unpriced in unknown else f"{row.cost:.2f}"
        print(
            f"{row.stage:<22}{row.calls:>7}{row.prompt_tokens:>12,}{row.completion_tokens:>12,}{own:>10}",
            file=stream,
        )
    print(
        f"{'all':<22}{sum(r.calls for r in rows):>7}{sum(r.prompt_tokens for r in rows):>12,}"
        f"{sum(r.completion_tokens for r in rows):>12,}{cost:>10}\n",
        file=stream,
    )
    if unknown:
        print(price_missing(unknown), file=stream)


def status(
    event: Annotated[
        str | None, typer.Argument(help="Name or folder of the event; all events otherwise.")
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Show each stage: done, stale, failed, waiting; counts, calls, tokens and cost."""
    from factory.errors import FactoryError
    from factory.events import listed, open_event
    from factory.status import event_status

    if event is None:
        folders = listed(workspace)
        if as_json:
            print(json.dumps([folder.name for folder in folders]))
        elif not folders:
            say(f"no events in {workspace}; create one with `factory new-event`")
        for folder in folders if not as_json else ():
            try:
                rows = event_status(open_event(folder)).stages
            except FactoryError as error:
                print(f"{folder.name:<42}damaged: {error}")
                continue
            done = sum(row.state in ("done", "external") for row in rows)
            print(f"{folder.name:<42}{done} of {count_of(len(rows), 'stage')} done")
        return
    report = event_status(open_named(event, workspace))
    if as_json:
        print(report.model_dump_json(indent=2))
        return
    print(
        f"{'stage':<22}{'state':<10}{'in':>7}{'out':>7}{'rejected':>10}{'calls':>7}{'tokens':>10}{'cost':>9}"
    )
    for row in report.stages:
        counts = (row.received, row.kept, row.rejected)
        cells = "".join(
            f"{'' if value is None else value:>{width}}"
            for value, width in zip(counts, (7, 7, 10), strict=True)
        )
        print(
            f"{row.name:<22}{row.state:<10}{cells}{row.calls:>7}{row.tokens:>10,}{row.cost:>9.2f}"
        )
        if row.message:
            print(f"  {row.message}")
    if report.waiting_reviews:
        count = count_of(report.waiting_reviews, "decision waits", "decisions wait")
        stopped = any(row.state == "waiting" for row in report.stages)
        print(
            f"{count}{'' if stopped else ' and stopped no stage'}: `factory review {report.event}`"
        )


def estimate(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Print calls, tokens and cost per stage before any is spent."""
    print_estimate(open_named(event, workspace), sys.stdout)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("status")(status)
    app.command("estimate")(estimate)
