"""What a recording may hold of requests and answers: an allow-list of headers and parameters, and no credentials.

Parameters that are not on the list keep their names and lose their values: credentials become one word, so that a
replay without them finds its answer, everything else a digest, so that addresses stay told apart. Answers keep
their bytes except for tokens and for the credentials that the recorder saw in its own requests.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

PLACEHOLDER = "REMOVED"
KEPT_HEADERS = re.compile(
    r"^(?:content-type|link|location|retry-after|x-rate-?limit-[a-z]+)$", re.IGNORECASE
)
"""Headers of answers that are kept; of requests none is."""
KEPT_PARAMETERS = frozenset({
    # searches and pages
    "q", "query", "words", "term", "terms", "search", "keyword", "keywords", "tag", "tags", "type", "kind",
    "sort", "order", "mode", "format", "lang", "language", "hl", "gl", "ceid", "limit", "offset", "count",
    "page", "per_page", "start", "end", "first", "last", "since", "until", "before", "after", "from", "to",
    "date", "year", "month", "day", "id", "ids", "url", "uri", "cursor", "max_id", "min_id", "since_id",
    "output", "fl", "filter", "collapse", "matchtype", "resumekey", "showresumekey",
    # reddit
    "t", "raw_json", "restrict_sr", "syntax", "api_type", "children", "link_id", "grant_type", "duration",
    "scope", "include_over_18", "depth", "context",
    # bluesky, youtube, hacker news, gdelt
    "parentheight", "part", "videoid", "parentid", "pagetoken", "maxresults", "textformat", "publishedafter",
    "publishedbefore", "safesearch", "relevancelanguage", "numericfilters", "hitsperpage", "maxrecords",
    "startdatetime", "enddatetime",
    # x
    "start_time", "end_time", "next_token", "max_results", "sort_order", "expansions", "tweet.fields",
    "user.fields",
    # web pages
    "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "aid", "nid", "newsid", "articleid",
    "docid", "cid", "channel", "category", "article", "story", "p", "v", "amp",
})  # fmt: skip
"""Lower-case names of query and form parameters whose values are kept."""
_NAME = (
    r"(?:access|refresh|id|auth|bearer|session|app|api|csrf|oauth)?[-_]?(?:token|secret|password|passwd|"
    r"key|jwt)|client[-_]?(?:id|secret)|pass|pwd|user(?:[-_]?name)?|login|identifier|auth|authorization|bearer|"
    r"session(?:[-_]?id)?|sid|sig|signature|cookie"
)
_CREDENTIAL = re.compile(rf"^(?:{_NAME})$", re.IGNORECASE)
_PERSONAL = re.compile(r"^(?:user(?:[-_]?name)?|login|identifier)$", re.IGNORECASE)
"""Names of accounts: removed where they are sent, but too like ordinary words to be looked for elsewhere."""
_DIGEST = re.compile(r"^sha256[-:][0-9a-f]{16,64}$")
_FORM = re.compile(r"^[\w.\[\]%+-]+=[^&]*(?:&[\w.\[\]%+-]+=[^&]*)*$")
_TOKENS = ("access_token", "refresh_token", "id_token", "accessJwt", "refreshJwt")
_TOKEN_ANSWER = frozenset({*_TOKENS, "token_type", "expires_in", "scope"})
"""All that is kept of an answer that gives tokens: account, address and the like are nobody's business."""
_TOKEN_FIELD = rb"access_?token|refresh_?token|id_?token|access_?jwt|refresh_?jwt|client_?secret|app_?password|api_?key"
_IN_BODY = (
    (re.compile(rb'("(?:' + _TOKEN_FIELD + rb')"\s*:\s*")[^"\\]+(")', re.IGNORECASE), rb"\1REMOVED\2"),
    (re.compile(rb"((?:^|[?&;\s\"'])(?:" + _TOKEN_FIELD + rb")=)[^&\s\"'<>;]+", re.IGNORECASE), rb"\1REMOVED"),
    (re.compile(rb"\b(Bearer\s+)[\w.~+/=-]{16,}", re.IGNORECASE), rb"\1REMOVED"),
    (re.compile(rb"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"), b"REMOVED"),
    (re.compile(rb"\b(?:AIza[\w-]{35}|sk-[A-Za-z0-9_-]{20,}|gh[pousr]_\w{36}|xox[abprs]-[\w-]{10,})"), b"REMOVED"),
)  # fmt: skip
_LINKED = re.compile(r"<([^<>]*)>")
"""An address in a Link header (RFC 8288)."""
_SHORTEST = 8
"""Characters below which a credential is not looked for in answers: it would be found in words."""
_STAND_INS = frozenset({"recording", "replay", PLACEHOLDER})
"""What credentials are called where nobody has any."""


def clean_value(name: str, value: str) -> str:
    """What is kept of a parameter's value; the same again when it was cleaned before."""
    if _CREDENTIAL.match(name):
        return PLACEHOLDER
    if name.lower() in KEPT_PARAMETERS:
        return clean_address(value) if re.match(r"https?://", value) and "?" in value else value
    if not value or value == PLACEHOLDER or _DIGEST.match(value):
        return value
    return "sha256-" + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def clean_address(address: str) -> str:
    """An address without account and fragment, its query cleaned and sorted; the key of a request."""
    parts = urlsplit(address)
    query = sorted(
        (name, clean_value(name, value))
        for name, value in parse_qsl(
            parts.query, keep_blank_values=True, errors="surrogateescape"
        )  # words in GBK stay told apart
    )
    host = parts.netloc.rpartition("@")[2].lower()
    asked = urlencode(query, errors="surrogateescape")
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", asked, ""))


def clean_body(body: bytes | str | None) -> str:
    """A form or JSON body cleaned and in one order, credentials left out; other bodies by their digest."""
    if not body:
        return ""
    data = body.encode() if isinstance(body, str) else bytes(body)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if _DIGEST.match(text):
        return text
    if text[:1] in ("{", "["):
        try:
            return json.dumps(_clean_json("", json.loads(text)), ensure_ascii=False, sort_keys=True)
        except (ValueError, RecursionError):
            text = ""
    if _FORM.match(text):
        pairs = parse_qsl(text, keep_blank_values=True)
        return urlencode(
            sorted((n, clean_value(n, v)) for n, v in pairs if not _CREDENTIAL.match(n))
        )
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _clean_json(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _clean_json(str(key), child) for key, child in value.items()}
    if isinstance(value, list):
        return [_clean_json(name, child) for child in value]
    if isinstance(value, str):
        return clean_value(name, value)
    return PLACEHOLDER if value is not None and _CREDENTIAL.match(name) else value


def clean_header(name: str, value: str) -> str:
    """A kept header's value; the addresses in it are cleaned as those of requests are, so that they lead there."""
    if name.lower() == "location":
        return _clean_reference(value)
    if name.lower() == "link":
        return _LINKED.sub(lambda found: f"<{_clean_reference(found[1])}>", value)
    return value


def _clean_reference(address: str) -> str:
    """An address as a header gives it, whole or relative, cleaned; what is no address loses its query."""
    try:
        parts = urlsplit(address.strip())
        if parts.scheme or parts.netloc or parts.path.startswith("/"):
            return clean_address(address.strip())
        return clean_address("/" + address.strip()).removeprefix("/")
    except ValueError:
        return address.partition("?")[0]


def clean_answer(body: bytes) -> bytes:
    """An answer's body without tokens; unchanged, to the byte, when it holds none."""
    if any(f'"{name}"'.encode() in body for name in _TOKENS):
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and not value.keys().isdisjoint(_TOKENS):
            kept = {key: child for key, child in value.items() if key in _TOKEN_ANSWER}
            return json.dumps(
                {key: PLACEHOLDER if key in _TOKENS else child for key, child in kept.items()}
            ).encode()
    for pattern, replacement in _IN_BODY:
        body = pattern.sub(replacement, body)
    return body


class Scrubber:
    """Cleans one recording, and remembers the credentials in its requests to find them where they are echoed."""

    def __init__(self) -> None:
        self._found: set[str] = set()

    def see(self, address: str, headers: Mapping[str, Any], body: bytes | str | None) -> None:
        """Remember the credentials of a request as it is sent."""
        self._remember(_in_headers(headers))
        self._remember(_named(parse_qsl(urlsplit(address).query)))
        account = urlsplit(address).netloc.rpartition("@")[0]
        self._remember(account.split(":", 1)[1:])
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body or "")
        if text[:1] in ("{", "["):
            try:
                self._remember(_named(_leaves("", json.loads(text))))
            except (ValueError, RecursionError):
                return
        else:
            self._remember(_named(parse_qsl(text)))

    def _remember(self, values: Iterable[str]) -> None:
        for value in values:
            if len(value) >= _SHORTEST and value not in _STAND_INS and not value.isalpha():
                self._found |= {value, quote(value, safe="")}

    def answer(self, body: bytes) -> bytes:
        """An answer's body without tokens and without the credentials seen so far."""
        body = clean_answer(body)
        for value in self._found:
            body = body.replace(value.encode(), PLACEHOLDER.encode())
        return body

    def text(self, text: str) -> str:
        """Text without any credential seen: what came before its first use is cleaned too."""
        for value in self._found:
            text = text.replace(value, PLACEHOLDER)
        return text


def _in_headers(headers: Mapping[str, Any]) -> Iterator[str]:
    for name, raw in headers.items():
        value = raw.decode("latin-1") if isinstance(raw, bytes) else str(raw)
        scheme, _, rest = value.partition(" ")
        if name.lower() in ("authorization", "proxy-authorization"):
            yield rest or value
            if scheme.lower() == "basic":
                try:
                    yield from base64.b64decode(rest, validate=True).decode("utf-8").split(":", 1)
                except (binascii.Error, UnicodeDecodeError):
                    continue
        elif _CREDENTIAL.match(re.sub(r"^x-(?:goog-)?", "", name, flags=re.IGNORECASE)):
            yield value


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _leaves(str(key), child)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(name, child)
    elif isinstance(value, str):
        yield name, value


def _named(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (value for name, value in pairs if _CREDENTIAL.match(name) and not _PERSONAL.match(name))
