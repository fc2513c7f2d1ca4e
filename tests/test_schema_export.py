"""Exported JSON Schemas are current and every field explains itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import schemas
from factory.schema_export import record_schemas, settings_page
from schemas import Record

DOCS = Path(__file__).resolve().parent.parent / "docs" / "schema"
RECORDS: list[type[Record]] = [
    value
    for name in schemas.__all__
    if isinstance(value := getattr(schemas, name), type)
    and issubclass(value, Record)
    and value is not Record
]


def test_exported_schemas_are_current() -> None:
    texts = record_schemas()
    stored = {path.stem: path.read_text(encoding="utf-8") for path in DOCS.glob("*.json")}
    assert stored == texts, "run `factory schema --out docs/schema`"


def test_the_page_of_settings_is_current() -> None:
    stored = (DOCS.parent / "settings.md").read_text(encoding="utf-8")
    assert stored == settings_page(), "run `factory schema --settings-page docs/settings.md`"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_is_explained(record: type[Record]) -> None:
    schema: dict[str, Any] = json.loads(record_schemas()[record.__name__])
    assert schema["additionalProperties"] is False
    assert schema.get("description"), f"{record.__name__} has no docstring"
    for name, field in record.model_fields.items():
        assert field.description, f"{record.__name__}.{name} is not explained"
