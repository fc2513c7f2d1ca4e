"""Recorded calls without the words of their prompts, for prompts that show somebody else's text.

A line then names stage, item and the digest of what was asked (its key), and holds the answer. Replay finds it as ever:
whoever has the text asks the same and gets the answer. Two kinds of answers would carry the text away all the same:

- A quote is kept as the place in the prompt from which it was copied, `{"at": 1042, "length": 12}`, and read there at
  replay.
- An answer that retells all that it was shown, such as a translation, is sealed: the request itself is the key, so that
  only one who has the text can read it. A sealed answer is compressed JSON under the stream SHAKE-256(request, check),
  where the check is the start of the answer's own SHA-256: it differs with every answer and proves an opened one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from factory.errors import CassetteBroken
from factory.llm.cache import canonical

if TYPE_CHECKING:
    from factory.llm.replay import Line

RETELLING = ("distil", "anonymise", "translate")
"""Stages whose answers retell what they were shown."""
OWN_WORDS = "claims-"
"""Items of these stages that translate claims, which are the writer's own words."""
MIN_COPIED = 4
"""Characters from which a string of an answer that stands in the prompt counts as copied, as quotes need them."""
_LABEL = re.compile(r"[\x21-\x7e]*")
"""Ids, days and words of closed lists: they stand in prompts too and copy nothing."""
_PLACE = {"at", "length"}
_CHECK = 16
"""Bytes of the answer's digest that are kept."""


def withhold(line: Line) -> Line:
    """A recorded call without its messages, its answer without copied words."""
    asked = {name: value for name, value in line.request.items() if name != "messages"}
    if "failed" in line.response:
        return replace(line, request=asked)
    if line.stage in RETELLING and not line.item.startswith(OWN_WORDS):
        return replace(line, request=asked, response=_sealed(line.response, _request_text(line)))
    prompt = words(line.request["messages"])
    kept = {name: _without_copies(value, prompt) for name, value in line.response.items()}
    return replace(line, request=asked, response=kept)


def restored(line: Line, request: str) -> dict[str, Any]:
    """The response of a line as it was given, by the canonical request that asked for it.

    Raises CassetteBroken when a sealed answer does not open, or a quote's place lies outside the prompt.
    """
    if "messages" in line.request or "failed" in line.response:
        return line.response
    try:
        if "sealed" in line.response:
            return _opened(line.response, request)
        prompt = words(json.loads(request)["messages"])
        return {name: _with_copies(value, prompt) for name, value in line.response.items()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, zlib.error) as error:
        raise CassetteBroken(
            f"the recorded answer for stage {line.stage}, item {line.item!r} does not open ({error}); restore the file "
            f"or record the stage again"
        ) from error


def readable(response: dict[str, Any]) -> bool:
    """Whether a response of a line without prompt is whole as it stands."""
    return "sealed" not in response and not _places(response)


def words(messages: list[dict[str, Any]]) -> str:
    """The text of a request's messages, in which places of quotes are counted."""
    return "\n".join(str(message.get("content") or "") for message in messages)


def _request_text(line: Line) -> str:
    """The canonical request of a line that still has its messages."""
    return canonical({name: value for name, value in line.request.items() if name != "answer"})


def _without_copies(value: Any, prompt: str) -> Any:
    if isinstance(value, str):
        copied = len(value) >= MIN_COPIED and not _LABEL.fullmatch(value)
        at = prompt.find(value) if copied else -1
        return value if at < 0 else {"at": at, "length": len(value)}
    if isinstance(value, dict):
        return {name: _without_copies(inner, prompt) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_copies(inner, prompt) for inner in value]
    return value


def _with_copies(value: Any, prompt: str) -> Any:
    if isinstance(value, dict):
        if set(value) == _PLACE:
            start, end = value["at"], value["at"] + value["length"]
            if not 0 <= start < end <= len(prompt):
                raise ValueError(f"the place {start} to {end} lies outside the prompt")
            return prompt[start:end]
        return {name: _with_copies(inner, prompt) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_copies(inner, prompt) for inner in value]
    return value


def _places(value: Any) -> int:
    """How many quotes of a value are places."""
    if isinstance(value, dict):
        return 1 if set(value) == _PLACE else sum(_places(inner) for inner in value.values())
    return sum(_places(inner) for inner in value) if isinstance(value, list) else 0


def _sealed(response: dict[str, Any], request: str) -> dict[str, Any]:
    plain = json.dumps(response, ensure_ascii=False).encode()
    check = hashlib.sha256(plain).digest()[:_CHECK]
    body = zlib.compress(plain, 9)
    return {
        "sealed": base64.b64encode(_crypt(body, request, check)).decode(),
        "check": check.hex(),
    }


def _opened(response: dict[str, Any], request: str) -> dict[str, Any]:
    check = bytes.fromhex(response["check"])
    body = _crypt(base64.b64decode(response["sealed"], validate=True), request, check)
    plain = zlib.decompress(body)
    if hashlib.sha256(plain).digest()[:_CHECK] != check:
        raise ValueError("its check does not hold")
    opened = json.loads(plain)
    if not isinstance(opened, dict):
        raise ValueError("it is no response")
    return opened


def _crypt(body: bytes, request: str, check: bytes) -> bytes:
    """The body under the stream of a request; the same call seals and opens."""
    stream = hashlib.shake_256(b"sealed answer\0" + check + request.encode()).digest(len(body))
    return bytes(left ^ right for left, right in zip(body, stream, strict=True))
