"""Source traffic of a run, recorded and replayed with vcrpy in one readable YAML file.

Recordings hold what `sources.scrub` lets through, as readable Unicode, and are matched by one cheap key
a request. Replay opens no socket, looks up no name and does not sleep.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sources.scrub import KEPT_HEADERS, Scrubber, clean_address, clean_body, clean_header
from sources.unpacking import NotUnpacked, unpacked

TRAFFIC = "sources/traffic.yaml"
"""Where a recording keeps its source traffic."""
_PACKED = "content-encoding"
_LARGEST = 64_000_000
"""Bytes of a body that a recording unpacks; no client of ours reads as much."""
_SLEEPY = re.compile(r"^(?:retry-after|x-rate-?limit-[a-z]+)$", re.IGNORECASE)


class RecordingMissing(Exception):
    """The recording holds no answer for a request."""

    def __init__(self, method: str, address: str) -> None:
        super().__init__(f"{method} {address}")
        self.method = method
        self.address = address


class RecordingBroken(Exception):
    """The recording cannot be read."""


def _clean_request(scrubber: Scrubber, record: bool) -> Any:
    def clean(request: Any) -> Any:
        if not getattr(request, "_factory_clean", False):
            if record:
                scrubber.see(request.uri, request.headers, request.body)
            request.uri = clean_address(request.uri)
            request.body = clean_body(request.body)
            request.headers = {}
            request._factory_clean = True
        return request

    return clean


def _clean_response(scrubber: Scrubber, record: bool) -> Any:
    def clean(response: dict[str, Any]) -> dict[str, Any]:
        headers = {
            str(name).lower(): _clean_header(str(name), value)
            for name, value in (response.get("headers") or {}).items()
            if _kept(str(name), record)
        }
        body = (response.get("body") or {}).get("string")
        if record and body:
            data = body.encode() if isinstance(body, str) else bytes(body)
            packing = _packing(response)
            try:
                data = unpacked(data, packing, _LARGEST)
            except NotUnpacked:  # what a live run refuses, a replay must refuse as well
                headers[_PACKED] = [packing]
            cleaned = scrubber.answer(data)
            body = body if cleaned == body else cleaned
        return {"status": response.get("status"), "headers": headers, "body": {"string": body}}

    return clean


def _kept(name: str, record: bool) -> bool:
    """Whether a header goes into a recording, or out of it into a replay."""
    if record:
        return KEPT_HEADERS.match(name) is not None
    replayed = KEPT_HEADERS.match(name) is not None or name.lower() == _PACKED
    return replayed and not _SLEEPY.match(name)


def _packing(response: dict[str, Any]) -> str:
    """The content encoding of an answer, lower case; empty when there is none."""
    for name, value in (response.get("headers") or {}).items():
        if str(name).lower() == _PACKED:
            first = value[0] if isinstance(value, list) and value else value
            text = first.decode("latin-1") if isinstance(first, bytes) else str(first or "")
            return text.strip().lower()
    return ""


def _clean_header(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_clean_header(name, one) for one in value]
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return clean_header(name, text)


def _same(left: Any, right: Any) -> bool:
    return bool(
        left.method == right.method
        and left.uri == right.uri
        and _text(left.body) == _text(right.body)
    )


def _text(body: Any) -> str:
    return body.decode() if isinstance(body, bytes) else str(body or "")


class ReadableYaml:
    """Unicode YAML whose long bodies are literal blocks, without credentials that were seen after their echo."""

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber

    def serialize(self, cassette: dict[str, Any]) -> str:
        """The cassette as text."""
        import yaml

        class Dumper(yaml.SafeDumper):
            """Literal blocks for texts of several lines."""

        def text(dumper: Any, value: str) -> Any:
            style = "|" if "\n" in value else None
            return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

        Dumper.add_representer(str, text)
        text_of_all = yaml.dump(
            cassette, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=10_000_000
        )
        return self._scrubber.text(text_of_all)

    def deserialize(self, text: str) -> Any:
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
            temporary = file.with_name(f".tmp-{os.getpid()}-{file.name}")
            temporary.write_bytes(serialize(cassette, serializer).encode("utf-8"))
            os.replace(temporary, file)

    return Utf8File


def is_unanswered(error: Exception) -> bool:
    """Whether an exception says that the recording around it has no answer; `traffic` gives it its name."""
    from vcr.errors import CannotOverwriteExistingCassetteException, UnhandledHTTPRequestError

    return isinstance(error, CannotOverwriteExistingCassetteException | UnhandledHTTPRequestError)


@contextmanager
def traffic(file: Path, *, record: bool) -> Iterator[None]:
    """Record all HTTP traffic of the block into a file, or answer it from there.

    Raises RecordingMissing for a request that the recording does not know and RecordingBroken when the file
    cannot be read. Patches are process-wide: one at a time.
    """
    import vcr
    import yaml
    from vcr.errors import CannotOverwriteExistingCassetteException, UnhandledHTTPRequestError

    scrubber = Scrubber()
    recorder = vcr.VCR(
        record_mode="all" if record else "none",
        before_record_request=_clean_request(scrubber, record),
        before_record_response=_clean_response(scrubber, record),
        match_on=("factory",),
        serializer="readable",
        record_on_exception=False,
    )
    recorder.register_matcher("factory", _same)
    recorder.register_serializer("readable", ReadableYaml(scrubber))
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
