"""Replay: a recorded answer is found by the request's key, and a miss says what changed.

The nearest recorded request is found by shared 12-character pieces and shown as a diff of sentences, beside
the command that records it again.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from factory.errors import AnswerFailed, CassetteMiss
from factory.llm.calls import Asked, Served
from factory.llm.replay import Line, read_file
from factory.llm.reply import Reply
from factory.llm.withheld import restored

_PIECE = 12
_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]|\.(?=\s)|\n|$)")
_SHOWN = 8
"""Changed sentences shown."""
_WIDTH = 200
"""Characters of a sentence shown."""


class Replayer:
    """Answers from a recording."""

    def __init__(self, folder: Path, event: str, carried: Callable[[Asked], Served | None]) -> None:
        self.folder = folder
        self.event = event
        self._carried = carried
        self._stages: dict[str, dict[str, Line]] = {}

    def _lines(self, name: str) -> dict[str, Line]:
        if name not in self._stages:
            path = self.folder / f"{name}.jsonl"
            found = read_file(path) if path.is_file() else []
            self._stages[name] = {line.key: line for line in found}
        return self._stages[name]

    async def answer(self, asked: Asked) -> Served:
        """The recorded answer or failure, else a carried answer.

        Raises CassetteMiss with an explanation, CassetteBroken for a damaged line.
        """
        lines = self._lines(asked.call.folder)
        found = lines.get(asked.request.key)
        if found is not None:
            if "failed" in found.response:
                reason = str(found.response["failed"])
                raise AnswerFailed(f"{asked.call.where}: recorded as {reason}", reason=reason)
            stored = restored(found, asked.request.text)
            return Served(Reply.from_stored(stored), "replay")
        carried = self._carried(asked)
        if carried is not None:
            return carried
        raise CassetteMiss(explain(asked, list(lines.values()), self.event))


def _pieces(text: str) -> set[int]:
    return {hash(text[i : i + _PIECE]) for i in range(max(1, len(text) - _PIECE + 1))}


def _prompt_text(messages: Sequence[dict[str, object]]) -> str:
    return "\n".join(str(message.get("content") or "") for message in messages)


def _asked_text(asked: Asked) -> str:
    messages = asked.body["messages"][asked.call.opening :] if asked.attempt else []
    return "\n".join([asked.call.system, asked.call.user, _prompt_text(messages)]).strip()


def nearest(text: str, lines: Sequence[Line]) -> tuple[Line, float]:
    """The recorded call whose prompt shares most pieces with a text, and the share (Jaccard)."""
    pieces = _pieces(text)

    def likeness(line: Line) -> float:
        other = _pieces(_prompt_text(line.request.get("messages", [])))
        return len(pieces & other) / max(1, len(pieces | other))

    best = max(lines, key=likeness)
    return best, likeness(best)


def sentences(text: str) -> list[str]:
    """A text in sentences, Chinese and English, blank ones left out."""
    return [part.strip() for part in _SENTENCE.findall(text) if part.strip()]


def diff(recorded: str, asked: str) -> list[str]:
    """Changed sentences: `- recorded`, `+ asked`; long ones are cut around what differs."""
    rows = []
    for row in difflib.ndiff(sentences(recorded), sentences(asked)):
        if row[:2] in ("- ", "+ "):
            rows.append(row if len(row) <= _WIDTH else row[:_WIDTH] + " …")
    more = [f"… {len(rows) - _SHOWN} more changed sentences"] if len(rows) > _SHOWN else []
    return rows[:_SHOWN] + more


def explain(asked: Asked, lines: Sequence[Line], event: str) -> str:
    """Why a request is not in the recording, in a few lines."""
    call = asked.call
    record = f"`factory cassette record {event} --stage {call.stage}`"
    if not lines:
        return (
            f"the recording holds no calls of stage {call.stage}, which asks for item {call.item!r}; "
            f"record them with {record}, or answer by hand: `factory run {event} --manual DIR`"
        )
    text = _asked_text(asked)
    own = [line for line in lines if line.item == call.item and line.sample == call.sample]
    if all(line.withheld for line in own or lines):
        return _unexplained(asked, own, len(lines), record, event)
    best, share = nearest(text, own or lines)
    said = [
        f"the recording holds no answer for stage {call.stage}, item {call.item!r}, sample {call.sample}, "
        f"attempt {asked.attempt}; nearest is item {best.item!r}, sample {best.sample}, attempt "
        f"{best.attempt} ({share:.0%} alike); if the change is meant, record it with {record}, "
        f"or answer it by hand: `factory run {event} --manual DIR`"
    ]
    said += _changed_request(asked, best)
    changes = diff(_prompt_text(best.request.get("messages", [])), text)
    return "\n".join(said + [f"  {row}" for row in changes])


def _changed_request(asked: Asked, line: Line) -> list[str]:
    """What differs beside the words of the prompt."""
    call = asked.call
    now = {
        "family": call.profile.family,
        "model": call.profile.model,
        "schema": call.shape.fingerprint,
        "sampling": call.sampling(),
    }
    said = []
    for name, value in now.items():
        if line.request.get(name) != value:
            if name == "schema":
                said.append(f"  the answer model {call.shape.answer.__name__} changed")
            else:
                said.append(f"  {name}: recorded {line.request.get(name)}, asked {value}")
    return said


def _unexplained(asked: Asked, own: Sequence[Line], calls: int, record: str, event: str) -> str:
    """A miss in a recording without the words of its prompts."""
    call = asked.call
    about = (
        "it holds an answer for that item, asked in other words or of another text"
        if own
        else f"it holds {calls} calls of this stage, none for that item"
    )
    said = [
        f"the recording holds no answer for stage {call.stage}, item {call.item!r}, sample {call.sample}, attempt "
        f"{asked.attempt}; {about}. It was recorded without the words of its prompts, so what changed cannot be shown; "
        f"check that the event has the recorded text and prompts, record it with {record}, or answer it by hand: "
        f"`factory run {event} --manual DIR`"
    ]
    return "\n".join(said + (_changed_request(asked, own[0]) if own else []))
