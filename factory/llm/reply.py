"""A model's answer as we keep it: the text, why it ended, and the tokens; nothing else of the response.

Ids, times and fingerprints of the server are dropped, and JSON is put into one form, so that an answer is
the same object whether it comes from the endpoint, the cache, a recording or a person.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_BLOCK = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Reply:
    """One answer."""

    text: str
    """The answer; compact JSON when it parses, else as it came."""
    finish_reason: str = "stop"
    """stop, length or content_filter; the end of a tool call is a stop."""
    refusal: str = ""
    """The model's refusal, if it gave one."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    @property
    def truncated(self) -> bool:
        """Whether the answer ran into max_tokens."""
        return self.finish_reason == "length"

    @property
    def refused(self) -> bool:
        """Whether a filter or the model refused."""
        return self.finish_reason == "content_filter" or bool(self.refusal)

    def stored(self) -> dict[str, Any]:
        """The form of the cache and of recordings: parsed JSON where it parses."""
        try:
            body: dict[str, Any] = {"answer": json.loads(self.text)}
        except ValueError:
            body = {"text": self.text}
        return body | {
            "finish_reason": self.finish_reason,
            "usage": {
                "prompt_tokens": self.prompt_tokens,
                "cached_tokens": self.cached_tokens,
                "completion_tokens": self.completion_tokens,
            },
        }

    @classmethod
    def from_stored(cls, body: dict[str, Any]) -> Reply:
        """The reverse of stored(); ValueError when something is missing."""
        if not isinstance(body, dict) or not ({"answer", "text"} & set(body)):
            raise ValueError("a stored response needs `answer` or `text`")
        usage = body.get("usage", {})
        return cls(
            text=compact(body["answer"]) if "answer" in body else str(body["text"]),
            finish_reason=str(body.get("finish_reason", "stop")),
            prompt_tokens=int(usage.get("prompt_tokens", 0)),
            cached_tokens=int(usage.get("cached_tokens", 0)),
            completion_tokens=int(usage.get("completion_tokens", 0)),
        )


def compact(value: Any) -> str:
    """Readable compact JSON."""
    return _COMPACT.encode(value)


def well_formed(text: str) -> str:
    """Text that UTF-8 can hold: lone surrogates, which web pages and models produce, are replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def normal_text(text: str) -> str:
    """Compact JSON when the text or a code block in it parses, else the text."""
    for candidate in (text, *_BLOCK.findall(text)):
        try:
            return well_formed(compact(json.loads(candidate)))
        except ValueError:
            continue
    return well_formed(text)


def read_completion(data: Any) -> Reply:
    """The reply inside a chat completion; ValueError when the body is none."""
    try:
        choice = data["choices"][0]
        message = choice["message"]
        calls = message.get("tool_calls") or []
        text = calls[0]["function"]["arguments"] if calls else message.get("content") or ""
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from error
    usage = data.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    finish = str(choice.get("finish_reason") or "stop")
    text = text if isinstance(text, str) else compact(text)
    return Reply(
        text=well_formed(text) if finish == "length" else normal_text(text),
        finish_reason="stop" if finish == "tool_calls" else finish,
        refusal=str(message.get("refusal") or ""),
        prompt_tokens=int(usage.get("prompt_tokens") or 0),
        cached_tokens=int(details.get("cached_tokens") or 0),
        completion_tokens=int(usage.get("completion_tokens") or 0),
    )


@dataclass(slots=True)
class _Function:
    name: str
    arguments: str


@dataclass(slots=True)
class _ToolCall:
    id: str
    function: _Function


@dataclass(slots=True)
class _Message:
    content: str | None
    tool_calls: list[_ToolCall] | None
    role: str = "assistant"
    refusal: None = None

    def model_dump(self) -> dict[str, Any]:
        """The form in which instructor quotes the message when it asks again."""
        calls = self.tool_calls
        return {
            "role": self.role,
            "content": self.content,
            "tool_calls": calls
            and [
                {
                    "id": call.id,
                    "function": {"arguments": call.function.arguments, "name": call.function.name},
                    "type": "function",
                }
                for call in calls
            ],
        }


@dataclass(slots=True)
class _Choice:
    message: _Message
    finish_reason: str = "stop"


@dataclass(slots=True)
class _Completion:
    choices: list[_Choice]
    usage: Any


def completion(reply: Reply, tool: str | None, call_id: str) -> Any:
    """The reply in the shape of the ChatCompletion that instructor reads; as a call of `tool`, or as text.

    openai's own classes walk every field's type when they are built, which costs more than all of our
    bookkeeping; only the usage, which instructor adds up, is one. The call id is derived from the request, so
    that a re-ask that quotes it is the same request in every run.
    """
    from openai.types import CompletionUsage

    calls = None if tool is None else [_ToolCall(call_id, _Function(tool, reply.text))]
    usage = CompletionUsage.model_construct(
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        total_tokens=reply.prompt_tokens + reply.completion_tokens,
    )
    message = _Message(content=None if calls else reply.text, tool_calls=calls)
    return _Completion([_Choice(message)], usage)
