"""Is the door usable: key, address, model, mode and schema dialect of each profile, one sentence each.

Probes go out as real requests (about 200 tokens a profile) and are neither stored nor billed to an event.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factory.errors import BadInput, FactoryError
from factory.llm.calls import first_limit, limit_name
from factory.llm.endpoint import Endpoint, Fault
from factory.llm.gateway import mark_strict
from factory.llm.reply import completion
from factory.llm.shapes import shape_of
from factory.sections import ROLES, Profile
from factory.settings import Settings
from factory.workspace import first_problem
from schemas.base import Record

Check = Literal["key", "endpoint", "model", "mode", "dialect"]
PROBE_TOKENS = 512
"""Limit of a probe's answer."""


class Probe(Record):
    """What one probe found."""

    profile: str
    """Profile of the settings."""
    check: Check
    """What was probed."""
    ok: bool
    """False too for a probe that was not tried because an earlier one failed."""
    message: str
    """What was found and, when it is not as it should be, the next step."""


def _probe(profile: str, check: Check, ok: bool, *parts: str) -> Probe:
    return Probe(profile=profile, check=check, ok=ok, message="; ".join(parts))


class ProbeAnswer(BaseModel):
    """The answer to a small sum."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    total: int
    """The sum."""


class DialectMention(BaseModel):
    """A day mentioned in a text."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """The day as YYYY-MM-DD."""
    kind: Literal["past", "future"]
    """Where it lies, seen from 2031."""
    note: str | None
    """Null when there is nothing to say."""


class DialectAnswer(BaseModel):
    """Days mentioned in a text."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    mentions: list[DialectMention] = Field(max_length=5)
    """One entry a day."""
    share: float = Field(ge=0, le=1)
    """Share of the text that is about days."""


class _Refused(FactoryError):
    """A probe's request had no answer."""


async def examine(settings: Settings, roles: Iterable[str] = ROLES) -> list[Probe]:
    """Probe the profiles of the given roles, each once.

    After a failed probe the later ones of its profile are not tried, and say so. Raises BadInput for an unknown role.
    """
    profiles: dict[str, Profile] = {}
    for role in roles:
        profiles.setdefault(settings.roles.get(role, "default"), settings.profile(role))
    probes: list[Probe] = []
    for name, profile in profiles.items():
        probes += await _examine_profile(name, profile)
    return probes


async def _examine_profile(name: str, profile: Profile) -> list[Probe]:
    try:
        endpoint = Endpoint(name, profile)
    except BadInput as error:
        return [
            _probe(name, "key", False, str(error)),
            *_skipped(name, "endpoint", "model", "mode", "dialect"),
        ]
    source = f"a key is set in {profile.api_key_env}" if profile.api_key_env else "no key is needed"
    probes = [_probe(name, "key", True, source)]
    try:
        reached = await _reach(endpoint)
        probes += reached
        if any(not probe.ok for probe in reached):
            done = {probe.check for probe in probes}
            return probes + [
                row for row in _skipped(name, "model", "mode", "dialect") if row.check not in done
            ]
        mode = await _try(
            endpoint,
            "mode",
            ProbeAnswer,
            "Answer by the given schema.",
            "How much is 2 + 3?",
            f"set mode of [profiles.{name}] to another of TOOLS, JSON_SCHEMA, JSON, MD_JSON: it depends on "
            "the server",
        )
        probes.append(mode)
        if not mode.ok:
            return probes + _skipped(name, "dialect")
        other = "plain" if profile.dialect == "openai" else "openai"
        probes.append(
            await _try(
                endpoint,
                "dialect",
                DialectAnswer,
                "List the days that the text mentions. Answer by the given schema.",
                "The bridge closed on 5 April 2031 and will open again on 1 May 2032.",
                f'set dialect = "{other}" in [profiles.{name}], or another mode',
            )
        )
    finally:
        await endpoint.aclose()
    return probes


def _skipped(name: str, *checks: Check) -> list[Probe]:
    return [_probe(name, check, False, "not tried: an earlier probe failed") for check in checks]


async def _reach(endpoint: Endpoint) -> list[Probe]:
    """Address, key acceptance and model name through the list of models, where the server has one."""
    import httpx2
    from openai import APIConnectionError, APIStatusError

    name, model = endpoint.name, endpoint.profile.model
    try:
        response = await endpoint.client().get("/models", cast_to=httpx2.Response)
    except APIStatusError as error:
        message = endpoint.clean(str(error.message))[:200]
        if error.status_code in (401, 403):
            sentence = f"{endpoint.address} does not accept the key ({message})"
            return [_probe(name, "key", False, sentence, "check the key and its rights")]
        # Some gateways serve no list: the mode probe then shows whether the model exists.
        sentence = f"{endpoint.address} answers, but lists no models (HTTP {error.status_code})"
        return [_probe(name, "endpoint", True, sentence)]
    except APIConnectionError as error:
        reason = endpoint.clean(str(error.__cause__ or error))
        return [
            _probe(
                name,
                "endpoint",
                False,
                f"{endpoint.address} cannot be reached ({reason})",
                "check base_url (it ends in /v1 on most servers), the network and the service",
            )
        ]
    reached = _probe(name, "endpoint", True, f"{endpoint.address} answers")
    try:
        listed = [str(row["id"]) for row in json.loads(response.text)["data"]]
    except (ValueError, KeyError, TypeError):
        return [reached]
    if not listed or model in listed:
        return (
            [reached, _probe(name, "model", True, f"the endpoint offers {model}")]
            if listed
            else [reached]
        )
    offered = ", ".join(sorted(listed)[:8]) + (" ..." if len(listed) > 8 else "")
    sentence = f"the endpoint does not list the model {model!r}; it offers {offered}"
    return [reached, _probe(name, "model", False, sentence, f"set model of [profiles.{name}]")]


async def _try(
    endpoint: Endpoint,
    check: Literal["mode", "dialect"],
    answer: type[BaseModel],
    system: str,
    user: str,
    next_step: str,
) -> Probe:
    """One typed call, without re-asks: does the answer come back in the asked form?"""
    import instructor
    from instructor.v2.core.errors import InstructorRetryException

    logging.getLogger("instructor").addHandler(logging.NullHandler())
    profile, name = endpoint.profile, endpoint.name

    async def create(**body: Any) -> Any:
        mark_strict(body, profile)
        result = await endpoint.post(body)
        if isinstance(result, Fault):
            raise _Refused(f"{result.status}: {result.message}")
        if result.truncated or result.refused:
            raise _Refused("the answer was cut off or refused")
        tools = body.get("tools")
        return completion(result, tools[0]["function"]["name"] if tools else None, "call_probe")

    ask: Any = instructor.patch(create=create, mode=getattr(instructor.Mode, profile.mode))
    sampling = {limit_name(profile): min(PROBE_TOKENS, first_limit(profile))}
    extra = {key: value for key, value in profile.extra.items() if key not in sampling}
    try:
        await ask(
            response_model=shape_of(answer, profile.dialect).wrapped,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            max_retries=0,
            strict=False,
            model=profile.model,
            **sampling,
            **extra,
        )
    except InstructorRetryException as error:
        cause = error.__cause__
        reason = first_problem(cause) if isinstance(cause, ValidationError) else str(cause)
        setting = profile.mode if check == "mode" else profile.dialect
        return _probe(
            name,
            check,
            False,
            f"{check} {setting} does not work with {profile.model} ({reason})",
            next_step,
        )
    if check == "mode":
        return _probe(
            name, check, True, f"{profile.model} answers typed calls in mode {profile.mode}"
        )
    return _probe(name, check, True, f"the endpoint takes schemas in the dialect {profile.dialect}")
