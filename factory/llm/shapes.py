"""Answer models as they go to a vendor: wrapped once, in the dialect of the endpoint, with a fingerprint.

instructor wraps the answer model and builds its JSON schema anew on every call unless it is given a class
that is wrapped already, so each model is wrapped once per dialect. The fingerprint is computed from the
pydantic fields by our own rules: a pydantic or instructor upgrade leaves recorded calls valid, a changed
field, limit or description does not.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import json
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

Dialect = Literal["openai", "plain"]

_LIMITS = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
# What strict vendors refuse in a schema; code validates these after the answer is there.
_REFUSED = ("format", "default", "minLength", "maxLength", "discriminator", "examples")


@dataclass(frozen=True)
class Shape:
    """An answer model ready for calls."""

    answer: type[BaseModel]
    wrapped: type[BaseModel]
    """Subclass that instructor accepts without wrapping it again."""
    schema: dict[str, Any]
    """JSON schema as sent."""
    fingerprint: str
    """sha256 of the model's meaning, independent of library versions."""
    tokens: int
    """Estimated prompt tokens of the schema."""


# -- fingerprint --------------------------------------------------------------------------------


def fingerprint(model: type[BaseModel]) -> str:
    """sha256 over names, types, limits, choices and descriptions of a model and its nested models."""
    described = _describe_model(model, ())
    text = json.dumps(described, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _describe_model(model: type[BaseModel], above: tuple[type, ...]) -> dict[str, Any]:
    if model in above:
        return {"again": model.__name__}
    inside = (*above, model)
    return {
        "name": model.__name__,
        "doc": inspect.cleandoc(model.__doc__ or ""),
        "extra": str(model.model_config.get("extra", "ignore")),
        "fields": {
            info.alias or name: _describe_field(info, inside)
            for name, info in model.model_fields.items()
        },
    }


def _describe_field(info: FieldInfo, above: tuple[type, ...]) -> dict[str, Any]:
    described: dict[str, Any] = {"type": _describe_type(info.annotation, above)}
    limits = _describe_limits(info.metadata)
    if limits:
        described["limits"] = limits
    if info.description:
        described["description"] = info.description
    if not info.is_required():
        described["default"] = "made" if info.default is PydanticUndefined else repr(info.default)
    return described


def _describe_limits(metadata: list[Any] | tuple[Any, ...]) -> dict[str, str]:
    limits = {}
    for rule in metadata:
        for name in _LIMITS:
            value = getattr(rule, name, None)
            if value is not None:
                limits[name] = str(value)
        if isinstance(rule, FieldInfo):
            limits |= _describe_limits(rule.metadata)
    return limits


def _describe_type(kind: Any, above: tuple[type, ...]) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        inner = _describe_type(arguments[0], above)
        limits = _describe_limits(arguments[1:])
        return {"of": inner, "limits": limits} if limits else inner
    if origin is Literal:
        return {"one of": [str(value) for value in arguments]}
    if origin in (typing.Union, types.UnionType):
        return {"any of": [_describe_type(part, above) for part in arguments]}
    if origin is not None:
        inside = ["..." if part is Ellipsis else _describe_type(part, above) for part in arguments]
        return {origin.__name__: inside}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _describe_model(kind, above)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"one of": [str(member.value) for member in kind]}
    return getattr(kind, "__name__", str(kind))


# -- dialects -----------------------------------------------------------------------------------


def to_dialect(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """A JSON schema in an endpoint's dialect; the input is not changed.

    `openai`: objects closed, all fields required, `oneOf` as `anyOf`, and no keyword that strict vendors
    refuse. `plain`: pydantic's schema without titles of fields.
    """
    result: dict[str, Any] = _walk(schema, dialect, top=True)
    return result


def _walk(node: Any, dialect: Dialect, *, top: bool = False) -> Any:
    if isinstance(node, list):
        return [_walk(part, dialect) for part in node]
    if not isinstance(node, dict):
        return node
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            # Names of fields are not keywords: a field may be called `format` or `title`.
            made[key] = {name: _walk(part, dialect) for name, part in value.items()}
        elif key == "title":
            # instructor names the tool after the title of the whole.
            if top:
                made[key] = value
        elif dialect == "openai" and key in _REFUSED:
            continue
        elif key in ("enum", "const", "required"):
            made[key] = value
        elif dialect == "openai" and key == "oneOf":
            made["anyOf"] = _walk(value, dialect)
        else:
            made[key] = _walk(value, dialect)
    if dialect == "openai" and "properties" in made:
        made["additionalProperties"] = False
        made["required"] = list(made["properties"])
    return made


# -- wrapping -----------------------------------------------------------------------------------


@functools.cache
def shape_of(answer: type[BaseModel], dialect: Dialect) -> Shape:
    """The answer model wrapped for instructor, once per model and dialect."""
    from instructor.v2.core.function_calls import response_schema

    from factory.llm.tokens import count_tokens

    schema = to_dialect(answer.model_json_schema(), dialect)
    wrapped = response_schema(answer)

    def cached_schema(*_args: Any, **_options: Any) -> dict[str, Any]:
        return dict(schema)

    # instructor asks the class for its schema: per call in the JSON modes, once in the tool modes.
    setattr(wrapped, "model_json_schema", cached_schema)  # noqa: B010 (mypy refuses the assignment)
    return Shape(
        answer=answer,
        wrapped=wrapped,
        schema=schema,
        fingerprint=fingerprint(answer),
        tokens=count_tokens(json.dumps(schema, ensure_ascii=False)),
    )


def unwrap(parsed: BaseModel, answer: type[BaseModel]) -> BaseModel:
    """The validated answer as an instance of its own class, without instructor's additions."""
    values = {name: getattr(parsed, name) for name in answer.model_fields}
    return answer.model_construct(_fields_set=set(parsed.model_fields_set), **values)
