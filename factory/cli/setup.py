"""Commands around the installation: init, doctor, schema."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from factory.cli.common import JsonOption, say

TEMPLATE = """# Settings of this folder; all of them are listed in docs/settings.md. Unknown names are refused.
# Keys never stand here: put them into the environment variable that api_key_env names.

[profiles.default]
base_url = "https://api.openai.com/v1"   # any OpenAI-compatible server, for example http://127.0.0.1:8080/v1
model = "gpt-4.1-mini"
api_key_env = "OPENAI_API_KEY"           # "" for a server without keys
mode = "TOOLS"                           # JSON_SCHEMA for most local servers; `factory doctor` tells
price = { input = 0.40, cached_input = 0.10, output = 1.60, as_of = "2026-11-01" }

# Three auditors should be three different models; roles without a line use `default`.
# [profiles.second]
# base_url = "..."
# model = "..."
# [roles]
# auditor2 = "second"

[collect]
feeds = []                               # RSS or Atom addresses to search
"""


def init(
    folder: Annotated[Path, typer.Argument(help="Folder for factory.toml.")] = Path("."),
) -> None:
    """Write a commented factory.toml to start from."""
    from factory.errors import BadInput
    from factory.workspace import write_atomic

    path = folder / "factory.toml"
    if path.exists():
        raise BadInput(f"{path} exists; edit it, then run `factory doctor`")
    write_atomic(path, TEMPLATE.encode())
    print(path)
    say("put your key into OPENAI_API_KEY (or edit the profile), then run `factory doctor`")


def doctor(as_json: JsonOption = False) -> None:
    """Probe every endpoint: key, reachability, model, instructor mode and schema dialect."""
    import asyncio

    from factory.llm.doctor import examine
    from factory.settings import load_settings

    probes = asyncio.run(examine(load_settings()))
    if as_json:
        print(
            json.dumps(
                [json.loads(probe.model_dump_json()) for probe in probes], ensure_ascii=False
            )
        )
    else:
        for probe in probes:
            print(
                f"{'ok ' if probe.ok else 'BAD'}  {probe.profile:<10} {probe.check:<10} {probe.message}"
            )
    if not all(probe.ok for probe in probes):
        sys.exit(1)


def schema(
    out: Annotated[
        Path | None, typer.Option(help="Write one JSON Schema a record into this folder.")
    ] = None,
    settings_page: Annotated[
        Path | None, typer.Option(help="Write the page of all settings to this file.")
    ] = None,
    record: Annotated[str | None, typer.Argument(help="Print this record's schema.")] = None,
) -> None:
    """Export the JSON Schemas of all records."""
    from factory.errors import BadInput
    from factory.schema_export import export, record_schemas
    from factory.schema_export import settings_page as settings_text
    from factory.workspace import write_atomic

    if settings_page is not None:
        write_atomic(settings_page, settings_text().encode())
        print(settings_page)
        if out is None:
            return
    if out is not None:
        print(f"{len(export(out))} schemas in {out}")
        return
    texts = record_schemas()
    if record is None:
        print("\n".join(sorted(texts)))
        return
    if record not in texts:
        raise BadInput(f"no record {record!r}; `factory schema` lists them")
    print(texts[record], end="")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("init")(init)
    app.command("doctor")(doctor)
    app.command("schema")(schema)
