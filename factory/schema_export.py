"""JSON Schemas of the records, for `factory schema` and docs/schema/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

import schemas
from factory.sections import Profile, Section
from factory.settings import Settings
from factory.workspace import write_atomic
from schemas import Record


def record_schemas() -> dict[str, str]:
    """Record name -> its JSON Schema as text, every exported record."""
    found = {}
    for name in schemas.__all__:
        value = getattr(schemas, name)
        if isinstance(value, type) and issubclass(value, Record) and value is not Record:
            schema = value.model_json_schema()
            found[name] = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    return found


def export(folder: Path) -> list[Path]:
    """Write one file a record and remove schemas of records that no longer exist."""
    written = []
    texts = record_schemas()
    for name, text in texts.items():
        path = folder / f"{name}.json"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_atomic(path, text.encode())
        written.append(path)
    for stale in set(folder.glob("*.json")) - set(written):
        stale.unlink()
    return written


def settings_page() -> str:
    """docs/settings.md: every setting with its default and meaning."""
    lines = [
        "# Settings",
        "",
        "Precedence: flags, `event.toml` (table `[settings]`), `factory.toml` in the working folder, the user's",
        "`~/.config/factory/factory.toml`, defaults. Unknown names are refused. The environment carries secrets only.",
        "This page is written by `factory schema --settings-page docs/settings.md`.",
        "",
    ]
    lines += _table("profiles.<name>", Profile)
    top = [
        name for name, field in Settings.model_fields.items() if not _is_section(field.annotation)
    ]
    lines += ["## Top level", "", "| setting | default | meaning |", "|---|---|---|"]
    for name in top:
        field = Settings.model_fields[name]
        lines.append(f"| `{name}` | `{_default(field)}` | {field.description} |")
    lines.append("")
    for name, field in Settings.model_fields.items():
        if _is_section(field.annotation):
            lines += _table(name, field.annotation)
    return "\n".join(lines).rstrip() + "\n"


def _is_section(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)


def _default(field: FieldInfo, table: str = "") -> str:
    value = field.get_default(call_default_factory=True)
    if isinstance(value, dict) and any(isinstance(inner, Section) for inner in value.values()):
        return "one profile, default"
    if isinstance(value, Section):
        return f"see [{table}]"
    return json.dumps(value, ensure_ascii=False)


def _table(title: str, section: Any) -> list[str]:
    lines = [f"## [{title}]", "", "| setting | default | meaning |", "|---|---|---|"]
    for name, field in section.model_fields.items():
        lines.append(f"| `{name}` | `{_default(field, f'{title}.{name}')}` | {field.description} |")
    lines.append("")
    for name, field in section.model_fields.items():
        if _is_section(field.annotation):
            lines += _table(f"{title}.{name}", field.annotation)
    return lines
