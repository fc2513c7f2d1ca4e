"""Manual mode: every prompt is a readable file, and a person or another program writes the answer beside it.

Each event has its own folder, `<DIR>/<event>/`. `<NN_stage>/<item>.<sample>.prompt.md` in it says what to do;
the answer goes into `….answer.json`. An answer counts only for the prompt that was on disk when it was
written: the prompt file carries the request's key, and an answer to an older prompt is set aside. Answers take
the same path as a model's: validated, stored, replayed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from factory.errors import AnswersWaiting, BadInput
from factory.llm.calls import Asked, Served
from factory.llm.reply import Reply, normal_text
from factory.workspace import write_atomic

_KEY = re.compile(r"^<!-- key: ([0-9a-f]{64}) -->", re.MULTILINE)
_LONGEST = 80
"""Bytes of an item in a file name; names may have 255 on common systems."""
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")


def file_stem(item: str, sample: int) -> str:
    """A file name for a call: safe on every system, readable, different for different items."""
    safe = re.sub(r"[^\w.-]+", "-", item).strip(".-")
    if (
        safe != item
        or len(safe.encode()) > _LONGEST
        or _RESERVED.match(safe)
        or safe != safe.lower()
    ):
        # Lower case too: some systems take `A` and `a` for one file.
        digest = hashlib.sha256(item.encode()).hexdigest()[:8]
        cut = safe.encode()[:_LONGEST].decode(errors="ignore").strip(".-").lower()
        safe = f"{cut or 'item'}-{digest}"
    return f"{safe}.{sample}"


def check_folder(folder: Path) -> None:
    """BadInput when prompts cannot be written there because it, or a part of its path, is a file."""
    for part in (folder, *folder.parents):
        if part.exists():
            if not part.is_dir():
                raise BadInput(
                    f"{part} is a file, and manual mode needs a folder for prompts and answers; "
                    "name another with --manual DIR"
                )
            return


def waiting_message(first: str, waiting: int) -> str:
    """The sentence for several waiting answers, from the one for the first."""
    return f"{waiting} answers are waiting; the first: {first}" if waiting > 1 else first


def _block(text: str) -> str:
    fence = "~" * max(4, max((len(run) for run in re.findall(r"~+", text)), default=0) + 1)
    return f"{fence}\n{text}\n{fence}"


class Clerk:
    """Answers from files of a folder."""

    def __init__(
        self,
        folder: Path,
        stored: Callable[[str], Reply | None],
        carried: Callable[[Asked], Served | None],
    ) -> None:
        check_folder(folder)
        self.folder = folder
        self._stored = stored
        self._carried = carried

    async def answer(self, asked: Asked) -> Served:
        """The written answer, else a stored or carried one; AnswersWaiting after writing the prompt."""
        call = asked.call
        stem = self.folder / call.folder / file_stem(call.item, call.sample)
        prompt = stem.with_name(stem.name + ".prompt.md")
        answer = stem.with_name(stem.name + ".answer.json")
        problem = stem.with_name(stem.name + ".error.md")
        note = ""
        if answer.is_file():
            if self._key_on_disk(prompt) == asked.request.key:
                text = normal_text(answer.read_text(encoding="utf-8-sig", errors="replace"))
                try:
                    call.shape.answer.model_validate_json(text)
                except ValidationError as error:
                    self._complain(problem, answer, error)
                    raise AnswersWaiting(
                        f"{answer} is not a valid answer, see {problem.name}; correct it and run the same "
                        "command again",
                        1,
                    ) from error
                problem.unlink(missing_ok=True)
                return Served(Reply(text), "manual")
            stale = stem.with_name(stem.name + ".stale.json")
            answer.replace(stale)
            note = (
                f"The prompt changed after `{answer.name}` was written: that answer is now in `{stale.name}` "
                f"and is not used. Copy it back if it still answers this prompt."
            )
        stored = self._stored(asked.request.key)
        if stored is not None:
            return Served(stored, "cache")
        carried = self._carried(asked)
        if carried is not None:
            return carried
        problem.unlink(missing_ok=True)
        if note or self._key_on_disk(prompt) != asked.request.key:
            write_atomic(prompt, self._page(asked, answer.name, note).encode(), private=True)
        raise AnswersWaiting(
            f"the prompt {prompt} waits for its answer in {answer.name}; write it and run the same command "
            "again",
            1,
        )

    @staticmethod
    def _key_on_disk(prompt: Path) -> str:
        if not prompt.is_file():
            return ""
        match = _KEY.search(prompt.read_text(encoding="utf-8", errors="replace"))
        return match.group(1) if match else ""

    @staticmethod
    def _complain(problem: Path, answer: Path, error: ValidationError) -> None:
        rows = [
            f"- `{'.'.join(str(part) for part in found['loc']) or 'answer'}`: {found['msg']}"
            for found in error.errors(include_url=False, include_input=False)
        ]
        text = (
            f"`{answer.name}` does not fit the JSON schema at the end of the prompt file:\n\n"
            + "\n".join(rows)
            + f"\n\nCorrect `{answer.name}` and run the same command again; this file then goes away.\n"
        )
        write_atomic(problem, text.encode(), private=True)

    @staticmethod
    def _page(asked: Asked, answer: str, note: str) -> str:
        call = asked.call
        schema = json.dumps(call.shape.schema, ensure_ascii=False, indent=2)
        parts = [
            f"<!-- key: {asked.request.key} -->",
            f"# {call.stage}: {call.item}" + (f" (sample {call.sample})" if call.sample else ""),
            f"Answer as the model would, from the two messages below alone. Write one JSON object that fits the "
            f"schema at the end into `{answer}` beside this file, then run the same command again.",
        ]
        if note:
            parts.append(f"**Note.** {note}")
        parts += [
            f"- prompt: `{call.prompt}`\n- role: {call.role}\n"
            f"- answer model: {call.shape.answer.__name__}",
            "## System message",
            _block(call.system),
            "## User message",
            _block(call.user),
            "## JSON schema of the answer",
            f"```json\n{schema}\n```",
        ]
        return "\n\n".join(parts) + "\n"
