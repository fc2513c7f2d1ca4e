"""Source traffic of a run, recorded and replayed with vcrpy in one readable YAML file.

Recordings hold an allow-list of headers, no tokens and no credentials, readable Unicode, and are matched by one
cheap key a request. Replay opens no socket, looks up no name and does not sleep.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

TRAFFIC = "sources/traffic.yaml"
"""Where a recording keeps its source traffic."""
_KEPT = re.compile(
    r"^(?:content-type|link|location|retry-after|x-ratelimit-[a-z]+)$", re.IGNORECASE
)
_SLEEPY = re.compile(r"^(?:retry-after|x-ratelimit-[a-z]+)$", re.IGNORECASE)
_SECRET = re.compile(
    r"^(?:access_?token|refresh_?token|id_?token|token|client_?secret|client_?id|password|passwd|username|key|"
    r"api_?key|auth|authorization|session|signature)$",
    re.IGNORECASE,
)
PLACEHOLDER = "REMOVED"


class RecordingMissing(Exception):
    """The recording holds no answer for a request."""

    def __init__(self, method: str, address: str) -> None:
        super().__init__(f"{method} {address}")
        self.method = method
        self.address = address


class RecordingBroken(Exception):
    """The recording cannot be read."""


def clean_address(address: str) -> str:
    """An address with secrets in its query replaced and its query sorted; the key of a request."""
    parts = urlsplit(address)
    query = sorted(
        (name, PLACEHOLDER if _SECRET.match(name) else value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", urlencode(query), ""))


def clean_body(body: bytes | str | None) -> str:
    """A form or JSON body in one order, without credentials; other bodies by their digest."""
    if not body:
        return ""
    data = body.encode() if isinstance(body, str) else bytes(body)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "sha256:" + hashlib.sha256(data).hexdigest()
    if text[:1] in "{[":
        try:
            return json.dumps(_scrub(json.loads(text)), ensure_ascii=False, sort_keys=True)
        except ValueError:
            return "sha256:" + hashlib.sha256(data).hexdigest()
    pairs = parse_qsl(text, keep_blank_values=True)
    return urlencode(sorted((n, v) for n, v in pairs if not _SECRET.match(n)))


def _scrub(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            name: PLACEHOLDER
            if _SECRET.match(str(name)) and isinstance(child, str)
            else _scrub(child)
            for name, child in value.items()
        }
    return [_scrub(child) for child in value] if isinstance(value, list) else value


def _clean_request(request: Any) -> Any:
    if not getattr(request, "_factory_clean", False):
        request.uri = clean_address(request.uri)
        request.body = clean_body(request.body)
        request.headers = {}
        request._factory_clean = True
    return request


def _clean_response(replay: bool) -> Any:
    def clean(response: dict[str, Any]) -> dict[str, Any]:
        headers = {
            str(name).lower(): value
            for name, value in (response.get("headers") or {}).items()
            if _KEPT.match(str(name)) and not (replay and _SLEEPY.match(str(name)))
        }
        return {
            "status": response.get("status"),
            "headers": headers,
            "body": {"string": _clean_payload((response.get("body") or {}).get("string"))},
        }

    return clean


def _clean_payload(body: object) -> object:
    """OAuth answers lose their tokens; everything else stays as it is."""
    data = body.encode() if isinstance(body, str) else body
    if not isinstance(data, bytes) or len(data) > 20_000 or b"token" not in data:
        return body
    try:
        value = json.loads(data)
    except ValueError:
        return body
    if not (isinstance(value, dict) and {"access_token", "refresh_token"} & value.keys()):
        return body
    return json.dumps(_scrub(value)).encode()


def _same(left: Any, right: Any) -> bool:
    return bool(
        left.method == right.method
        and left.uri == right.uri
        and _text(left.body) == _text(right.body)
    )


def _text(body: Any) -> str:
    return body.decode() if isinstance(body, bytes) else str(body or "")


class ReadableYaml:
    """Unicode YAML whose long bodies are literal blocks."""

    @staticmethod
    def serialize(cassette: dict[str, Any]) -> str:
        """The cassette as text."""
        import yaml

        class Dumper(yaml.SafeDumper):
            """Literal blocks for texts of several lines."""

        def text(dumper: Any, value: str) -> Any:
            style = "|" if "\n" in value else None
            return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

        Dumper.add_representer(str, text)
        return yaml.dump(
            cassette, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=10_000_000
        )

    @staticmethod
    def deserialize(text: str) -> Any:
        """The cassette behind a text."""
        import yaml

        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _persister() -> Any:
    from vcr.persisters.filesystem import CassetteNotFoundError
    from vcr.serialize import deserialize, serialize

    class Utf8File:
        """Reads and writes UTF-8 whatever the machine's locale; writes are atomic."""

        @classmethod
        def load_cassette(cls, path: str, serializer: Any) -> Any:
            file = Path(path)
            if not file.is_file():
                raise CassetteNotFoundError
            return deserialize(file.read_bytes().decode("utf-8"), serializer)

        @staticmethod
        def save_cassette(path: str, cassette: Any, serializer: Any) -> None:
            file = Path(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=file.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(serialize(cassette, serializer).encode("utf-8"))
            os.chmod(temporary, 0o644)
            os.replace(temporary, file)

    return Utf8File


@contextmanager
def traffic(file: Path, *, record: bool) -> Iterator[None]:
    """Record all HTTP traffic of the block into a file, or answer it from there.

    Raises RecordingMissing for a request that the recording does not know and RecordingBroken when the file
    cannot be read. Patches are process-wide: one at a time.
    """
    import vcr
    import yaml
    from vcr.errors import CannotOverwriteExistingCassetteException, UnhandledHTTPRequestError

    recorder = vcr.VCR(
        record_mode="all" if record else "none",
        before_record_request=_clean_request,
        before_record_response=_clean_response(not record),
        decode_compressed_response=True,
        match_on=("factory",),
        serializer="readable",
        record_on_exception=False,
    )
    recorder.register_matcher("factory", _same)
    recorder.register_serializer("readable", ReadableYaml)
    recorder.register_persister(_persister())
    if record:
        file.unlink(missing_ok=True)
    cassette = recorder.use_cassette(str(file))
    try:
        cassette.__enter__()
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordingBroken(f"{type(error).__name__}: {str(error)[:160]}") from error
    try:
        yield
    except CannotOverwriteExistingCassetteException as error:
        cassette.__exit__(type(error), error, None)
        request = error.failed_request
        raise RecordingMissing(request.method, clean_address(request.uri)) from error
    except UnhandledHTTPRequestError as error:
        cassette.__exit__(type(error), error, None)
        raise RecordingMissing("request", str(error)[-200:]) from error
    except BaseException as error:
        cassette.__exit__(type(error), error, None)
        raise
    else:
        cassette.__exit__(None, None, None)
