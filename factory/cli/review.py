"""The command review: what the stages ask of a person, and the sample of the bank that a person accepts or rejects."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, open_named, say

if TYPE_CHECKING:
    from factory.events import Event
    from schemas import ReviewRequest, ReviewSample, SampledRow


def review(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    decide: Annotated[
        list[str] | None, typer.Option(help="Record a decision: REVIEW_ID=CHOICE; repeatable.")
    ] = None,
    note: Annotated[str, typer.Option(help="A note kept with the decisions.")] = "",
    accept: Annotated[
        list[str] | None,
        typer.Option(help="Accept a sampled question or node by its id; repeatable."),
    ] = None,
    reject: Annotated[
        list[str] | None,
        typer.Option(help="Reject a question, dated event or node by its id; repeatable."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Why it is rejected.")] = "",
    cell: Annotated[
        bool,
        typer.Option("--cell", help="Reject only this question with its twin, not its claim."),
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="Show the whole sample with its evidence; ask nothing.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Show what waits for a person and the sample for review, and record decisions; they survive reruns."""
    from factory.reviewing import review_sample, settle

    opened = open_named(event, workspace)
    if decide:
        _decide(opened, decide, note)
    if accept or reject or reason or cell:
        made = settle(
            opened,
            accept=_ids(accept),
            reject=_ids(reject),
            reason=reason,
            cell=cell,
            now=datetime.now(UTC),
        )
        for decision in made:
            say(f"{decision.review_id}: {decision.choice}")
    sample = review_sample(opened)
    if as_json:
        rows = [json.loads(row.model_dump_json()) for row in sample.waiting]
        print(sample.model_dump_json(indent=2) if list_ else json.dumps(rows, ensure_ascii=False))
        return
    _print_requests(opened, sample.waiting)
    settling = bool(decide or accept or reject)
    if list_:
        for row in sample.rows:
            _print_row(row)
    elif sample.rows and not settling and sys.stdin.isatty():
        sample = _walk(opened, sample)
    _print_sample(sample, whole=list_)


def _ids(given: Sequence[str] | None) -> list[str]:
    """Ids of a repeatable option; several may stand in one, with commas between them."""
    return [part.strip() for text in given or () for part in text.split(",") if part.strip()]


def _decide(opened: Event, rows: Sequence[str], note: str) -> None:
    """Settle what the stages ask."""
    from factory.errors import BadInput
    from schemas import Decision

    requests = {request.review_id: request for request in opened.workspace.reviews()}
    made = []
    for row in rows:
        review_id, _, choice = row.partition("=")
        if review_id not in requests:
            raise BadInput(
                f"nothing with id {review_id!r} waits; see `factory review {opened.config.slug}`"
            )
        request = requests[review_id]
        if choice not in request.options:
            raise BadInput(
                f"{choice!r} is no choice for {review_id}; choose {' or '.join(request.options)}"
            )
        if "words of the note" in choice and not note.strip():
            raise BadInput(f"{choice!r} needs the words; add --note WORDS")
        made.append(
            Decision(
                stage=request.stage,
                review_id=review_id,
                choice=choice,
                note=note,
                decided_at=datetime.now(UTC),
            )
        )
    opened.workspace.decide(*made)
    for decision in made:
        say(f"{decision.review_id}: {decision.choice}")


def _print_requests(opened: Event, waiting: Sequence[ReviewRequest]) -> None:
    for request in waiting:
        print(f"{request.review_id}  [{request.stage}/{request.kind}] {request.question}")
        if request.detail:
            print("    " + request.detail.replace("\n", "\n    "))
        print(f"    --decide {request.review_id}=({'|'.join(request.options)})")
    if not waiting:
        say("nothing waits for a decision")
    if settled := len({row.review_id for row in opened.workspace.reviews()}) - len(waiting):
        say(
            f"{settled} decided before; --decide with an id of {opened.workspace.path('decisions.jsonl')} "
            "decides again"
        )


def _print_row(row: SampledRow) -> None:
    answer = f"  answer {row.answer}" if row.answer else ""
    print(f"{row.row_id}  [{row.kind}, {row.state}]{answer}")
    if row.reason:
        print(f"    rejected: {_plain(row.reason)}")
    for text in row.text.values():
        print("    " + _plain(text).replace("\n", "\n    "))
    for line in row.chain:
        print(f"      {_plain(line)}")


def _plain(text: str) -> str:
    """A text without what a terminal obeys: sources may hold control characters and reversals of direction."""
    return "".join(
        character if character in "\n\u200d" or character.isprintable() else "\ufffd"
        for character in text
    )


def _print_sample(sample: ReviewSample, *, whole: bool) -> None:
    if not sample.rows:
        say("there is no bank to sample yet")
        return
    open_rows = [row for row in sample.rows if row.state == "open"]
    print(f"sample: {sample.accepted} of {sample.needed} rows accepted, {len(open_rows)} open")
    for row in sample.rejected:
        kind = row.review_id.partition(":")[0]
        state = (
            "blocks the release"
            if kind == "node"
            else "left out"
            if row.in_force
            else "goes with the next run"
        )
        print(f"rejected {row.review_id}: {row.reason} ({state})")
    if open_rows and not whole:
        print(
            f"    factory review {sample.event} --list shows it; --accept ID or --reject ID --reason WORDS settles a row"
        )


def _walk(opened: Event, sample: ReviewSample) -> ReviewSample:
    """Go through the open rows on a terminal; each answer is stored at once."""
    from factory.reviewing import review_sample, settle

    open_rows = [row for row in sample.rows if row.state == "open"]
    for number, row in enumerate(open_rows, 1):
        print(f"\n{number} of {len(open_rows)}")
        _print_row(row)
        answer = ""
        while answer not in ("a", "r", "s", "q"):
            answer = typer.prompt("a accept, r reject, s skip, q quit", err=True).strip().lower()
        if answer == "q":
            break
        if answer == "a":
            settle(opened, accept=[row.row_id], now=datetime.now(UTC))
        elif answer == "r":
            reason = typer.prompt("why", err=True)
            settle(opened, reject=[row.row_id], reason=reason, now=datetime.now(UTC))
    return review_sample(opened)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("review")(review)
