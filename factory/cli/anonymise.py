"""The command that anonymises: a user's own timeline, or an event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, say
from factory.cli.events import answer_by_hand, finish, manual_folder
from factory.counting import count_of

RESULTS = "anonymised"
"""Folder of the results inside the event's own, where no other is named."""


def anonymise(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|EVENT",
            help="A timeline in markdown (### YYYY-MM-DD, **Event**:, **Public Opinion**:) or JSONL (one day a line), "
            "or the name or folder of an event.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(help="File: name of the event made from it; the file's name otherwise."),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(help="File: what it is about, in one line; its heading otherwise."),
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="File: its language, en or zh; told from the text otherwise.")
    ] = None,
    zone: Annotated[str | None, typer.Option(help="File: IANA zone of its days.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results; `anonymised` in the event's folder otherwise."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            help="Also write the secret table and offset to this file, readable by you only."
        ),
    ] = None,
    offset_policy: Annotated[
        str | None,
        typer.Option(
            help="File: weeks (multiples of 7 days, as without) or paper (any day within 180)."
        ),
    ] = None,
    manual: Annotated[
        Path | None,
        typer.Option(help="Answer by hand: prompts and answers in this folder's <name>/."),
    ] = None,
    replay: Annotated[str | None, typer.Option(help="File: answer from this recording.")] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Anonymise a timeline of your own, or an event up to that stage, and hand out what passes every check."""
    from factory.anonymising import (
        check_options,
        check_places,
        event_name,
        event_of,
        hand_out,
    )
    from factory.errors import BadInput
    from factory.events import find, open_event

    if lang not in (None, "en", "zh"):
        raise BadInput(f"--lang {lang!r} is not an edition; use en or zh")
    if offset_policy not in (None, "weeks", "paper"):
        raise BadInput(f"--offset-policy {offset_policy!r} is unknown; use weeks or paper")
    if manual and replay:
        raise BadInput("--manual and --replay exclude each other; give one of them")
    path = Path(source)
    if path.is_file():
        slug = event_name(path, name)
        if out is not None:
            check_places(workspace / slug, out, table)
        event = event_of(
            path,
            workspace,
            name=name,
            topic=topic,
            lang=cast('Literal["en", "zh"] | None', lang),
            zone=zone,
            offset_policy=offset_policy,
            manual=manual_folder(manual, slug) if manual else None,
            replay=replay,
            say=say,
        )
    else:
        if path.suffix.lower() in (".md", ".markdown", ".txt", ".jsonl", ".ndjson"):
            raise BadInput(f"{path} does not exist; check the path")
        if name is not None:
            raise BadInput("--name names the event of a file, and no file was given; leave it out")
        event = open_event(find(source, workspace))
        asked = {"topic": topic, "lang": lang, "zone": zone, "offset_policy": offset_policy}
        check_options(event, asked, replay)
        if event.config.already_anonymised or event.config.entry == "anonymised":
            raise BadInput(
                f"the names and dates of event {event.config.slug} were replaced elsewhere; give a raw timeline"
            )
    if manual:
        event = answer_by_hand(event, manual)
    results = out or event.workspace.path(RESULTS)
    check_places(event.workspace.root, results, table)
    finish(event, to_stage="anonymise")
    done = hand_out(event, results, table)
    if as_json:
        print(json.dumps(done.as_dict(), ensure_ascii=False))
    else:
        print(f"timeline: {done.timeline}\ncard: {done.card}\nsecret table: {done.table}")
    if not done.panel_evaluated:
        say(f"the panel is not evaluated: {done.panel_doubt}")
    if done.to_look_at:
        say(
            f"{count_of(done.to_look_at, 'question on names and figures waits', 'questions on names and figures wait')} "
            "for a look, and nothing is held up by them: "
            f"`factory review {event.config.slug}`"
        )
    other = "Chinese" if done.lang == "en" else "English"
    say(
        f"only the edition of the timeline's own language is written; the {other} one is made by the stage translate: "
        f"`factory run {event.config.slug} --to translate`"
    )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("anonymise")(anonymise)
