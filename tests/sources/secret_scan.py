"""A scan of recordings for credentials: by their places, by their names and by their shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import yaml

from sources.scrub import KEPT_HEADERS, KEPT_PARAMETERS

_NAMED = r"access_?token|refresh_?token|id_?token|access_?jwt|refresh_?jwt|client_?secret|api_?key|app_?password|password"
SHAPES = {
    "authorization header": re.compile(r"^\s*(?:proxy-)?authorization\s*:", re.I | re.M),
    "cookie": re.compile(r"^\s*(?:set-)?cookie\s*:", re.I | re.M),
    "bearer token": re.compile(r"\bBearer\s+(?!REMOVED)[\w.~+/=-]{12,}", re.I),
    "basic credentials": re.compile(r"\bBasic\s+[A-Za-z0-9+/]{12,}={0,2}"),
    "token by name": re.compile(rf'"(?:{_NAMED})"\s*:\s*"(?!REMOVED")[^"]+"', re.I),
    "parameter by name": re.compile(rf"[?&](?:{_NAMED}|key|token)=(?!REMOVED\b)[^&\s\"']+", re.I),
    "JSON web token": re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+"),
    "app password": re.compile(r"\b[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}\b(?!-)"),
    "key by shape": re.compile(
        r"\b(?:AIza[\w-]{35}|sk-[\w-]{20,}|gh[pousr]_\w{36}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16})"
    ),
}
_CLEANED = re.compile(r"^(?:REMOVED|sha256-[0-9a-f]{16}|)$")


def leaks(text: str) -> list[str]:
    """What looks like a credential in any text, with the words."""
    return [
        f"{kind}: {match[0].strip()[:60]}"
        for kind, shape in SHAPES.items()
        for match in shape.finditer(text)
    ]


def traffic_leaks(text: str) -> list[str]:
    """What a recording of traffic holds beyond the allow-lists, and what looks like a credential."""
    found = leaks(text)
    for interaction in yaml.load(text, Loader=yaml.CSafeLoader)["interactions"] or ():
        request, answer = interaction["request"], interaction["response"]
        found += [f"request header {name}" for name in request["headers"]]
        found += [f"header {name}" for name in answer["headers"] if not KEPT_HEADERS.match(name)]
        for part in (urlsplit(request["uri"]).query, str(request["body"] or "")):
            found += list(_kept(part))
        body: Any = answer["body"]["string"]
        if isinstance(body, bytes):
            found += leaks(body.decode("latin-1"))
    return found


def _kept(form: str) -> Iterator[str]:
    for name, value in parse_qsl(form):
        if name.lower() not in KEPT_PARAMETERS and not _CLEANED.match(value):
            yield f"parameter {name}={value[:40]}"
