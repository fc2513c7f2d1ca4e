"""Recorded model calls: `<folder>/<NN_stage>.jsonl`, one readable call a line, sorted so that diffs are small.

A recording holds what was asked and what was answered, never a host, a header, an id or a key. The calls of
the raw side (before anonymising) may be recorded for a fictional event only.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factory.errors import BadInput, CassetteBroken
from factory.llm.cache import canonical, key_of
from factory.llm.reply import Reply
from factory.llm.tables import guarded, open_tables, transaction
from factory.llm.withheld import readable, withhold
from factory.workspace import Workspace, write_atomic
from schemas import EventConfig, ReplacementTable

TABLE = "secret/table.json"
RAW_STAGES = (
    "plan",
    "collect",
    "corpus",
    "distil",
    "anonymise",
    "resolve",
    "resolve_fabrications",
)
"""Stages that see real names and texts. The resolvers are among them: the passages that they are shown come from
the corpus, and a name that occurs in a passage but nowhere in the timeline is in no replacement table."""
SECRETS = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}|\bBearer\s+[A-Za-z0-9._-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bAKIA[0-9A-Z]{16}\b|(?i:set-cookie:)|\bxox[abp]-[A-Za-z0-9-]{10,}"
)
"""What a key looks like; a recording must not hold any."""


@dataclass(frozen=True)
class Line:
    """One recorded call."""

    key: str
    stage: str
    item: str
    sample: int
    attempt: int
    prompt: str
    request: dict[str, Any]
    """family, model, messages, answer (model name), schema (fingerprint), sampling."""
    response: dict[str, Any]
    """answer (parsed JSON) or text, finish_reason, usage; or failed (refused, truncated) and nothing else. Without the
    prompt's words quotes are places in it, and a retelling answer is sealed (see withheld.py)."""

    @property
    def order(self) -> tuple[str, int, int]:
        """Place in the file."""
        return (self.item, self.sample, self.attempt)

    def text(self) -> str:
        """The line as written."""
        return json.dumps(vars(self), ensure_ascii=False)

    @property
    def withheld(self) -> bool:
        """Whether the words of the prompt are not recorded, so that the key cannot be computed from the line."""
        return "messages" not in self.request

    def expected_key(self) -> str:
        """The key that the request has; only for a line with its prompt."""
        asked = {name: value for name, value in self.request.items() if name != "answer"}
        return key_of(canonical(asked), self.sample, self.attempt)


_KINDS: dict[str, type] = {
    "key": str,
    "stage": str,
    "item": str,
    "sample": int,
    "attempt": int,
    "prompt": str,
    "request": dict,
    "response": dict,
}


def read_file(path: Path) -> list[Line]:
    """The calls of one stage's file; CassetteBroken names file and line."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise CassetteBroken(
            f"{path} is not UTF-8; restore it or record the stage again"
        ) from error
    except OSError as error:
        raise CassetteBroken(f"cannot read {path}: {error.strerror}") from error
    lines = []
    # Not splitlines(): an answer may hold U+2028, which JSON leaves as it is.
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            data = json.loads(row)
            for name, kind in _KINDS.items():
                if not isinstance(data[name], kind):
                    raise ValueError(f"{name} is not {kind.__name__}")
            if not {"failed", "sealed"} & set(data["response"]):
                Reply.from_stored(data["response"])
            lines.append(Line(**{name: data[name] for name in _KINDS}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise CassetteBroken(
                f"{path} line {number} is damaged ({reason}); restore the file or record the stage again "
                f"with `factory cassette record EVENT --stage {stage_of(path)}`"
            ) from error
    return lines


def stage_of(path: Path) -> str:
    """Stage of a recording's file `<NN_stage>.jsonl`."""
    return path.stem.partition("_")[2]


def files_of(folder: Path) -> list[Path]:
    """The stage files of a recording, in stage order."""
    return sorted(folder.glob("[0-9][0-9]_*.jsonl"))


def write_file(path: Path, lines: Iterable[Line]) -> None:
    """Write a stage's calls sorted by item, sample and attempt."""
    rows = sorted(lines, key=lambda line: line.order)
    write_atomic(path, "".join(line.text() + "\n" for line in rows).encode())


def refuse_raw_side(stages: Iterable[str], event: EventConfig) -> None:
    """BadInput when a stage of the raw side would be recorded for a real event.

    An event that enters already anonymised has no raw side here: its passages are its timeline's own paragraphs.
    """
    raw = [stage for stage in stages if stage in RAW_STAGES]
    if raw and not event.fictional and not event.already_anonymised:
        raise BadInput(
            f"the calls of stage {raw[0]} show real names and texts and may be recorded for a fictional event "
            "only; record a later stage with --stage, or set fictional = true if nothing in it is real"
        )


def refuse_names(workspace: Workspace, lines: Iterable[Line]) -> None:
    """BadInput when a call holds a name of the event's replacement table in any form.

    Stages of the public side see anonymised text alone; a name in one of their calls is a leak that a recording
    would publish.
    """
    from factory.nameforms.normal_forms import NameSearch

    if not workspace.exists(TABLE):
        return
    calls = {line.text(): line for line in lines}
    leak = next(NameSearch(workspace.read(ReplacementTable, TABLE)).find(calls), None)
    if leak is not None:
        call = calls[leak[0]]
        raise BadInput(
            f"the call {call.item} of stage {call.stage} shows a real name ({leak[1]!r}), so nothing was recorded; "
            f"add its form to the table with `factory review {workspace.root.name}` and run from anonymise again"
        )


def record_answers(
    workspace: Workspace,
    event: EventConfig,
    folder: Path,
    *,
    stages: Sequence[str] | None = None,
    prompts: bool = True,
) -> dict[str, int]:
    """Write the calls of each stage's latest run into a recording; returns calls by file name.

    `stages` limits it. Without `prompts` the words of the prompts and what answers copy of them stay out. Answers come from the workspace's store, so the run is not repeated. Raises BadInput
    when there is nothing to record, or the raw side or a name of a real event would be.
    """
    found: dict[tuple[int, str], list[Line]] = {}
    with closing(open_tables(workspace)) as connection, guarded(workspace.path("factory.db")):
        rows = connection.execute(
            """
            SELECT DISTINCT l.number, l.stage, l.item, l.sample, l.attempt, l.prompt, a.key, a.request,
                   a.answer_model, a.response
            FROM llm_ledger AS l JOIN llm_answers AS a ON a.key = l.key
            WHERE l.status = 'ok'
              AND l.run = (SELECT max(run) FROM llm_ledger AS latest WHERE latest.stage = l.stage)
            UNION
            SELECT DISTINCT l.number, l.stage, l.item, l.sample, l.attempt, l.prompt, f.key, f.request,
                   f.answer_model, json_object('failed', f.reason)
            FROM llm_ledger AS l JOIN llm_failures AS f ON f.key = l.key
            WHERE l.key NOT IN (SELECT key FROM llm_answers)
              AND l.run = (SELECT max(run) FROM llm_ledger AS latest WHERE latest.stage = l.stage)
            """
        ).fetchall()
    for number, stage, item, sample, attempt, prompt, key, request, answer, response in rows:
        if stages is not None and stage not in stages:
            continue
        asked = json.loads(request) | {"answer": answer}
        # The role first: lines are read by people, and the key is computed from sorted fields anyway.
        asked["messages"] = [{"role": m["role"]} | m for m in asked["messages"]]
        found.setdefault((number, stage), []).append(
            Line(key, stage, item, sample, attempt, prompt, asked, json.loads(response))
        )
    missing = sorted(set(stages or ()) - {stage for _, stage in found})
    if missing or not found:
        raise BadInput(
            f"no model calls of {', '.join(missing) or 'any stage'} are stored in {workspace.root}; "
            f"run `factory run {workspace.root.name}` first"
        )
    refuse_raw_side((stage for _, stage in sorted(found)), event)
    for (_, stage), lines in found.items():
        secret = next((line for line in lines if SECRETS.search(line.text())), None)
        if secret is not None:
            raise BadInput(
                f"the call {secret.item} of stage {stage} holds what looks like a key; remove it from the "
                "sources and run the stage again, nothing was recorded"
            )
    if not event.fictional:
        refuse_names(workspace, [line for lines in found.values() for line in lines])
    for (number, stage), lines in found.items():
        for old in folder.glob(f"[0-9][0-9]_{stage}.jsonl"):
            old.unlink()
        kept = lines if prompts else [withhold(line) for line in lines]
        write_file(folder / f"{number:02d}_{stage}.jsonl", kept)
    # What was carried into these stages is theirs now: an old offer shall not answer a later change.
    with closing(open_tables(workspace)) as connection, guarded(workspace.path("factory.db")):
        connection.executemany(
            "DELETE FROM llm_carried WHERE stage = ?", [(stage,) for _, stage in found]
        )
    return {
        f"{number:02d}_{stage}.jsonl": len(found[number, stage]) for number, stage in sorted(found)
    }


def carry_answers(
    folder: Path, workspace: Workspace, *, stages: Sequence[str] | None = None
) -> int:
    """Offer a recording's answers to the next run by (stage, item, sample); returns how many.

    The gateway takes an offered answer where the request itself has none, if the answer still fits the
    answer model: so a changed prompt does not force new answers. Of re-asked calls the final answer counts.
    Earlier offers are withdrawn.
    """
    final: dict[tuple[str, str, int], Line] = {}
    for path in files_of(folder):
        for line in read_file(path):
            place = (line.stage, line.item, line.sample)
            wanted = (stages is None or line.stage in stages) and "failed" not in line.response
            if wanted and (place not in final or final[place].attempt < line.attempt):
                final[place] = line
    if not final:
        raise BadInput(f"{folder} holds no recorded calls to carry over; give a recording's folder")
    for line in final.values():
        if line.withheld and not readable(line.response):
            raise BadInput(
                f"the recorded answer for stage {line.stage}, item {line.item!r} quotes or retells a prompt that the "
                "recording does not hold, so another prompt cannot take it over; carry other stages with --stage, or "
                "answer this one by hand"
            )
    rows = [
        (*place, json.dumps(line.response, ensure_ascii=False)) for place, line in final.items()
    ]
    with (
        closing(open_tables(workspace)) as connection,
        guarded(workspace.path("factory.db")),
        transaction(connection),
    ):
        connection.execute("DELETE FROM llm_carried")
        connection.executemany("INSERT INTO llm_carried VALUES (?, ?, ?, ?)", rows)
    return len(final)


@dataclass(frozen=True)
class RecordingReport:
    """What check_recording found."""

    lines: tuple[str, ...]
    """One sentence a file: calls and size."""
    problems: tuple[str, ...]


def check_recording(folder: Path) -> RecordingReport:
    """Each file of a recording: keys that fit their requests, order, doubles, secrets.

    Raises CassetteBroken for a damaged line and BadInput for a folder without recorded calls.
    """
    files = files_of(folder)
    if not files:
        raise BadInput(
            f"{folder} holds no recorded calls (<NN_stage>.jsonl); give a recording's folder"
        )
    said: list[str] = []
    problems: list[str] = []
    for path in files:
        lines, stage = read_file(path), stage_of(path)
        bare = sum(line.withheld for line in lines)
        said.append(
            f"{path.name}: {len(lines)} calls, {path.stat().st_size / 1024:.0f} KB"
            + (f", {bare} without the prompt, whose keys cannot be computed again" if bare else "")
        )
        found: list[str] = []
        for line in lines:
            if line.stage != stage:
                found.append(f"{line.item} belongs to stage {line.stage}")
            if not line.withheld and line.key != line.expected_key():
                found.append(f"{line.item}: the key does not fit the request")
            if SECRETS.search(line.text()):
                found.append(f"{line.item}: holds what looks like a key")
        orders = [line.order for line in lines]
        if orders != sorted(orders):
            found.append("the lines are not sorted by item, sample and attempt")
        counts = Counter(orders)
        found += [f"{order[0]} is recorded twice" for order in sorted(counts) if counts[order] > 1]
        problems += [f"{path.name}: {problem}" for problem in found]
    return RecordingReport(tuple(said), tuple(problems))


def show_calls(folder: Path, what: str) -> str:
    """A recorded call as readable text; `what` is an item, the start of a key, or a stage."""
    lines = [line for path in files_of(folder) for line in read_file(path)]
    chosen = [line for line in lines if line.item == what]
    chosen = chosen or [line for line in lines if len(what) >= 4 and line.key.startswith(what)]
    chosen = chosen or [line for line in lines if line.stage == what]
    if not chosen:
        from difflib import get_close_matches

        near = get_close_matches(what, sorted({line.item for line in lines}), n=3)
        raise BadInput(
            f"no recorded call {what!r} in {folder}; the nearest are {', '.join(near) or 'none'}"
        )
    parts = []
    for line in chosen:
        parts.append(f"# {line.stage} / {line.item}  sample {line.sample}  attempt {line.attempt}")
        asked = line.request
        parts.append(f"key {line.key}\nprompt {line.prompt}  model {asked.get('model', '')}")
        if line.withheld:
            parts.append("(the recording does not hold the words of this prompt)")
        for message in asked.get("messages", []):
            parts.append(f"## {message.get('role', '')}\n{message.get('content') or ''}")
        answer = line.response.get("answer", line.response.get("text", line.response))
        parts.append("## answer\n" + json.dumps(answer, ensure_ascii=False, indent=2))
    return "\n\n".join(parts) + "\n"
