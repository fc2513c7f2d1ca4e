from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.llm.shapes import fingerprint, shape_of, to_dialect


class Inner(BaseModel):
    """Inner."""

    title: str
    format: str = Field(pattern="^a", max_length=3)


class Outer(BaseModel):
    """Outer."""

    model_config = ConfigDict(extra="forbid")

    inner: list[Inner] = Field(max_length=4)
    either: int | None = None
    kind: Literal["x", "y"]


def test_the_openai_dialect_closes_objects_and_requires_every_field() -> None:
    schema = to_dialect(Outer.model_json_schema(), "openai")
    inner = schema["$defs"]["Inner"]
    assert inner["additionalProperties"] is False
    assert inner["required"] == ["title", "format"]
    assert schema["required"] == ["inner", "either", "kind"]
    assert "default" not in schema["properties"]["either"]
    assert inner["properties"]["format"] == {"pattern": "^a", "type": "string"}


def test_the_plain_dialect_keeps_what_pydantic_says() -> None:
    schema = to_dialect(Outer.model_json_schema(), "plain")
    assert schema["required"] == ["inner", "kind"]
    assert schema["properties"]["either"]["default"] is None


def test_one_of_becomes_any_of() -> None:
    given = {"oneOf": [{"type": "string", "format": "date"}, {"type": "null"}], "discriminator": {}}
    assert to_dialect(given, "openai") == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_the_fingerprint_follows_meaning() -> None:
    def model(limit: int, words: str, kind: object) -> type[BaseModel]:
        class Made(BaseModel):
            x: Annotated[int, Field(le=limit, description=words)]
            y: kind  # type: ignore[valid-type]

        return Made

    base = fingerprint(model(3, "a", Literal["p", "q"]))
    assert base == fingerprint(model(3, "a", Literal["p", "q"]))
    others = [
        model(4, "a", Literal["p", "q"]),
        model(3, "b", Literal["p", "q"]),
        model(3, "a", Literal["p", "r"]),
        model(3, "a", str),
    ]
    assert len({base, *map(fingerprint, others)}) == 5


def test_the_fingerprint_is_a_fixed_function_of_the_fields() -> None:
    # Recordings rest on this: it changes only together with KEY_VERSION.
    assert fingerprint(Inner) == FIXED


FIXED = "3f003248dfac99070e698e165662bb5c7a99587c8b46b9ff99ca223038c155a2"


def test_a_model_is_wrapped_once() -> None:
    assert shape_of(Outer, "openai") is shape_of(Outer, "openai")
    assert shape_of(Outer, "openai").schema != shape_of(Outer, "plain").schema
