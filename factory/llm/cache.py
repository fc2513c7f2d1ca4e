"""Answers by content: the key is the request itself, so an answer is found again whoever asks, and when.

Only usable answers are stored; truncated, filtered and failed ones never are.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from dataclasses import dataclass
from typing import Any

from factory.llm.reply import Reply

KEY_VERSION = 1
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
# instructor quotes pydantic's error text and the id of the tool call when it asks again; both hold parts that
# change with a library version or a server, not with what is asked.
_ERROR_URL = re.compile(r"errors\.pydantic\.dev/[^/\s]+/")
_VOLATILE = ("tool_call_id", "id")


@dataclass(frozen=True)
class Request:
    """What is asked, in canonical form."""

    text: str
    """Canonical JSON of family, model, messages, schema fingerprint and sampling."""
    key: str
    """sha256 of the request, the sample and the attempt."""


def _normal(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what changes with versions and servers."""
    made: dict[str, Any] = {}
    for name, value in message.items():
        if name in _VOLATILE:
            continue
        if name == "content" and isinstance(value, str):
            made[name] = _ERROR_URL.sub("errors.pydantic.dev/", value)
        elif name == "tool_calls" and value:
            made[name] = [_normal(call) for call in value]
        else:
            made[name] = value
    return made


def key_of(request: str, sample: int, attempt: int) -> str:
    """The key of a canonical request text."""
    # Written out rather than dumped again: this is the canonical JSON with sorted keys.
    whole = f'{{"attempt":{attempt},"request":{request},"sample":{sample},"version":{KEY_VERSION}}}'
    return hashlib.sha256(whole.encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces, readable characters."""
    return _CANONICAL.encode(value)


def make_request(
    *,
    family: str,
    model: str,
    messages: list[dict[str, Any]],
    schema: str,
    sampling: dict[str, Any],
    sample: int,
    attempt: int,
) -> Request:
    """Canonical request and key. Keys, hosts, timeouts and concurrency are not part of it."""
    plain = all(set(message) == {"role", "content"} for message in messages)
    if attempt or not plain:
        messages = [_normal(message) for message in messages]
    text = canonical(
        {
            "family": family,
            "messages": messages,
            "model": model,
            "sampling": sampling,
            "schema": schema,
        }
    )
    return Request(text, key_of(text, sample, attempt))


class AnswerCache:
    """Table llm_answers."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def get(self, key: str) -> Reply | None:
        """The stored answer, or None."""
        row = self.connection.execute(
            "SELECT response FROM llm_answers WHERE key = ?", (key,)
        ).fetchone()
        return Reply.from_stored(json.loads(row[0])) if row else None

    def put(self, request: Request, answer_model: str, reply: Reply) -> None:
        """Store an answer; the caller holds the transaction."""
        self.connection.execute(
            "INSERT OR REPLACE INTO llm_answers VALUES (?, ?, ?, ?)",
            (
                request.key,
                request.text,
                answer_model,
                json.dumps(reply.stored(), ensure_ascii=False),
            ),
        )

    def put_failure(self, request: Request, answer_model: str, reason: str) -> None:
        """Note that a request was refused or stayed cut off, without its text: recordings replay it.

        It is never served: the next run asks again.
        """
        self.connection.execute(
            "INSERT OR REPLACE INTO llm_failures VALUES (?, ?, ?, ?)",
            (request.key, request.text, answer_model, reason),
        )

    def carried(self, stage: str, item: str, sample: int) -> Reply | None:
        """The answer of an earlier recording to the same (stage, item, sample), or None."""
        row = self.connection.execute(
            "SELECT response FROM llm_carried WHERE stage = ? AND item = ? AND sample = ?",
            (stage, item, sample),
        ).fetchone()
        return Reply.from_stored(json.loads(row[0])) if row else None
