"""Reads typed questions and the answers to them, as JSON lines (`schemas.TypedQuestion`, `schemas.TypedForecast`).

A value is what it says or nothing: "incorrect" is not a yes, "3.5" not a 3, "March 2024" not a day. What has no usable
value is unparsed and counted by reason; no value is ever drawn, rounded or guessed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from factory.errors import BadInput
from factory.score.aggregation import Aggregate, Method, Sample, Value
from factory.score.lines import Line, Problems, json_lines
from factory.workspace import first_problem
from schemas.exam import ForecastStatus
from schemas.typed import TypedForecast, TypedKind, TypedQuestion, TypedSample

KINDS: tuple[TypedKind, ...] = get_args(TypedKind)
"""In the order of a card."""

NAME_LIMIT = 200
"""Characters of a system, run or id."""
LARGEST = 1e100
"""Size of a number; errors of larger ones would overflow."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}.*", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d{1,4})?", re.ASCII)
_WORDED = re.compile(
    r"(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)? (?P<m1>[a-z]+)\.?,? (?P<y1>\d{4})"
    r"|(?P<m2>[a-z]+)\.? (?P<d2>\d{1,2})(?:st|nd|rd|th)?,? (?P<y2>\d{4}))",
    re.ASCII,
)
_MONTH_ONLY = re.compile(r"\d{4}-\d{2}|(?P<month>[a-z]+)\.?,? \d{4}", re.ASCII)
_HALF = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair."""
# English whatever the locale, which is why calendar.month_name is not asked.
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = {name[:size]: i for i, name in enumerate(_MONTHS, 1) for size in (3, len(name))}


class Unparsed(ValueError):
    """A value that is none of its kind; the message completes "the answer is ..."."""


class LeftOut(ValueError):
    """A row of a question file that cannot be asked; the message says why."""


@dataclass(frozen=True)
class Answer:
    """How one question was answered."""

    status: ForecastStatus
    value: Value | None = None
    confidence: float | None = None


def parse_value(given: object, kind: TypedKind) -> Value:
    """The answer that `given` states: "yes"/"no", a day, a number up to `LARGEST`.

    Yes and no in any case, with a full stop at most; also JSON true and false. A day is YYYY-MM-DD or worded with its
    day, month and year ("March 5, 2024"). A number may have thousands commas, nothing else beside it. Unparsed says
    what is wrong otherwise.
    """
    if kind == "boolean":
        if isinstance(given, bool):
            return "yes" if given else "no"
        word = given.strip().strip("\"'").rstrip(".!").casefold() if isinstance(given, str) else ""
        if word in ("yes", "no"):
            return word
        raise Unparsed("neither yes nor no")
    if kind == "timeframe":
        text = given.strip() if isinstance(given, str) else ""
        day = _day(text)
        if day is None:
            bare = _MONTH_ONLY.fullmatch(" ".join(text.casefold().split()))
            if bare and (bare["month"] is None or bare["month"] in _MONTH):
                raise Unparsed("a month without a day")
            raise Unparsed("no day of the calendar, YYYY-MM-DD")
        return day
    return _number(given)


def _number(given: object) -> float:
    number = math.nan
    if isinstance(given, int | float) and not isinstance(given, bool):
        number = _float(given)
    elif isinstance(given, str):
        text = given.strip()
        if any(c.isdigit() for c in text) and _NUMBER.fullmatch(text):
            number = _float(text.replace(",", ""))
    if not abs(number) <= LARGEST:
        raise Unparsed(f"no single number up to {LARGEST:g}")
    return number


def _float(given: int | float | str) -> float:
    try:
        return float(given)
    except (OverflowError, ValueError):
        return math.nan


def _day(text: str) -> date | None:
    if _DAY.fullmatch(text):
        year, month, day = text.split("-")
    elif match := _WORDED.fullmatch(" ".join(text.casefold().split())):
        found = match.groupdict()
        year = found["y1"] or found["y2"]
        month = str(_MONTH.get(found["m1"] or found["m2"], 0))
        day = found["d1"] or found["d2"]
    else:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


# -- questions -------------------------------------------------------------------------------------


def read_questions(path: Path, problems: Problems) -> dict[str, TypedQuestion]:
    """Questions by id, in the order of the file.

    Takes FOReCAst's published spelling ("Boolean question", times with a clock, numbers as text) and ignores fields that
    it does not know. A repeated row counts once; rows of one id that differ are all left out, and so is what has no
    usable resolution. BadInput when nothing is left, or the file cannot be read.
    """
    start = len(problems)
    found: dict[str, TypedQuestion] = {}
    doubtful: set[str] = set()
    for line in json_lines(path):
        if line.reason:
            problems.add(line.reason, line.where)
            continue
        try:
            question = _question(line, problems)
        except LeftOut as error:
            problems.add(f"{error}; it is left out", line.where)
            continue
        known = found.setdefault(question.id, question)
        if known != question or question.id in doubtful:
            doubtful.add(question.id)
            problems.add("a question id has rows that differ; none of them is asked", line.where)
        elif known is not question:
            problems.add("a question is repeated; it counts once", line.where)
    questions = {key: question for key, question in found.items() if key not in doubtful}
    if not questions:
        raise BadInput(
            f"{path} holds no question that can be scored{problems.first_of(start)}; give JSON lines of TypedQuestion "
            "(`factory schema TypedQuestion`)"
        )
    return questions


def _question(line: Line, problems: Problems) -> TypedQuestion:
    """One question; LeftOut with the reason when it cannot be scored."""
    fields = line.fields
    word = str(fields.get("type", "")).split()
    kind = next((kind for kind in KINDS if word and word[0].casefold() == kind), None)
    if kind is None:
        raise LeftOut("a question is not of type boolean, timeframe or quantity")
    try:
        resolution = _gold(fields.get("resolution"), kind)
    except Unparsed as error:
        raise LeftOut(f"a question has a {kind} resolution that is {error}") from error
    confidence = fields.get("confidence")
    if confidence is not None and not _is_share(confidence):
        problems.add(
            "a gold confidence is no number in 0 to 1; the question is asked without it", line.where
        )
        confidence = None
    resolved = _calendar_day(fields.get("resolution_time"))
    if resolved is None:
        raise LeftOut("a question has no resolution_time YYYY-MM-DD")
    created = _calendar_day(fields.get("created_time"))
    if created is None and fields.get("created_time") is not None:
        problems.add("a created_time is no day; the question is asked without it", line.where)
    ref = fields.get("id")
    if not isinstance(ref, str) or not _speakable(ref):
        raise LeftOut(f"a question has no id of printable text up to {NAME_LIMIT} characters")
    try:
        return TypedQuestion.model_validate(
            {
                "id": ref,
                "question": fields.get("question"),
                "type": kind,
                "resolution": resolution,
                "resolution_time": resolved,
                "created_time": created,
                "confidence": confidence,
            }
        )
    except ValidationError as error:
        raise LeftOut(f"a question has an unusable field ({first_problem(error)})") from error


def _gold(given: object, kind: TypedKind) -> Value:
    """A resolution: as an answer, but a day may carry a clock, which says no less about the day."""
    stamp = _STAMP.fullmatch(given) if kind == "timeframe" and isinstance(given, str) else None
    return parse_value(stamp[1] if stamp else given, kind)


def _calendar_day(given: object) -> date | None:
    if not isinstance(given, str):
        return None
    stamp = _STAMP.fullmatch(given)
    return _day(stamp[1] if stamp else given.strip())


def _is_share(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1


# -- answers ---------------------------------------------------------------------------------------


def read_typed_answers(
    paths: Sequence[Path],
    questions: Mapping[str, TypedQuestion],
    aggregate: Method,
    problems: Problems,
) -> dict[str, dict[str, Answer]]:
    """System -> question id -> answer; a system of several runs is named "system (run)".

    A line that names a known question but states no usable value is unparsed there; a line that belongs to no question
    is left out; both are counted. The same answer twice counts once, two that differ make the question unparsed. BadInput
    when no line belongs to the questions, or a file cannot be read.
    """
    if not paths:
        raise BadInput("there are questions but no answers; give a file of TypedForecast lines")
    start = len(problems)
    found: dict[tuple[str, str], dict[str, Answer]] = {}
    first: dict[tuple[str, str, str], str] = {}
    doubtful: set[tuple[str, str, str]] = set()
    for path in paths:
        for line in json_lines(path):
            if line.reason:
                problems.add(line.reason, line.where)
                continue
            key = _key(line, questions, problems)
            if key is None:
                continue
            system, run, ref = key
            answer = _answer(line, questions[ref].type, aggregate, problems)
            mine = found.setdefault((system, run), {})
            if ref not in mine:
                mine[ref], first[key] = answer, line.where
            elif mine[ref] == answer and key not in doubtful:
                problems.add("an answer is repeated; it counts once", line.where)
            else:
                differ = "a question is answered twice with a difference; neither answer is used"
                if key not in doubtful and mine[ref].status != "unparsed":
                    problems.add(differ, first[key])
                problems.add(differ, line.where)
                doubtful.add(key)
                mine[ref] = Answer("unparsed")
    if not found:
        files = ", ".join(map(str, paths))
        raise BadInput(
            f"no answer of {files} belongs to these questions{problems.first_of(start)}; "
            "give JSON lines of TypedForecast (`factory schema TypedForecast`)"
        )
    return _named(found)


def _named(found: Mapping[tuple[str, str], dict[str, Answer]]) -> dict[str, dict[str, Answer]]:
    runs = Counter(system for system, _ in found)
    named: dict[str, dict[str, Answer]] = {}
    for system, run in sorted(found):
        name = system if runs[system] == 1 else f"{system} ({run})"
        if name in named:
            raise BadInput(
                f"two systems would both be called {name!r}; rename one of them in the forecast files"
            )
        named[name] = found[system, run]
    return named


def _key(
    line: Line, questions: Mapping[str, TypedQuestion], problems: Problems
) -> tuple[str, str, str] | None:
    """System, run and id of a line that belongs to a question; counts the reason and returns None otherwise."""
    fields = line.fields
    unknown = sorted(fields.keys() - TypedForecast.model_fields.keys())
    names = [fields.get("system"), fields.get("run", "1"), fields.get("id")]
    if unknown:
        reason = "a line has fields that a TypedForecast does not have; it is left out"
        problems.add(reason, f"{line.where}: {unknown[0]!r}"[:200])
    elif not all(isinstance(name, str) and _speakable(name) for name in names):
        reason = f"a line has no system, run and id of printable text up to {NAME_LIMIT} characters"
        problems.add(f"{reason}; it is left out", line.where)
    elif names[2] not in questions:
        problems.add("a line answers a question that is not asked; it is left out", line.where)
    else:
        return str(names[0]), str(names[1]), str(names[2])
    return None


def _speakable(name: str) -> bool:
    """Whether a name can stand in a table: nothing invisible, no half of a surrogate pair, no blank ends."""
    return 0 < len(name) <= NAME_LIMIT and name.isprintable() and name == name.strip()


def _answer(line: Line, kind: TypedKind, aggregate: Method, problems: Problems) -> Answer:
    """The answer of a line that names a known question; unparsed, with its reason counted, when there is none."""
    try:
        forecast = TypedForecast.model_validate(_plain(line.fields))
        if forecast.status != "answered":
            return Answer(forecast.status)
        result = _result(forecast, kind, aggregate, problems, line.where)
    except ValidationError as error:
        problems.add(f"unparsed: {_why(error)}", line.where)
        return Answer("unparsed")
    except Unparsed as error:
        problems.add(f"unparsed: a {kind} answer is {error}", line.where)
        return Answer("unparsed")
    return Answer("answered", result.value, result.confidence)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as the strict record takes them: JSON knows no tuples, and text cut inside an emoji is no text."""
    row = dict(fields)
    if isinstance(row.get("text"), str):
        row["text"] = _HALF.sub("\ufffd", row["text"])
    if isinstance(row.get("samples"), list):
        row["samples"] = tuple(row["samples"])
    return row


def _result(
    forecast: TypedForecast, kind: TypedKind, aggregate: Method, problems: Problems, where: str
) -> Aggregate:
    if not forecast.samples:
        return Aggregate(parse_value(forecast.value, kind), forecast.confidence)
    samples = []
    for sample in forecast.samples:
        try:
            samples.append(_sample(sample, kind))
        except Unparsed as error:
            problems.add(
                f"one of several {kind} outputs is {error}; it is left out of the aggregate", where
            )
    if not samples:
        raise Unparsed("without a usable one among several outputs")
    result = aggregate(samples)
    if result.value is None:
        raise Unparsed("without the confidences that its aggregation needs")
    return result


def _sample(sample: TypedSample, kind: TypedKind) -> Sample:
    return Sample(parse_value(sample.value, kind), sample.confidence, sample.average, sample.raw)


def _why(error: ValidationError) -> str:
    """The first problem in words, without the positions that would make each a reason of its own."""
    problem: Any = error.errors(include_url=False, include_input=False)[0]
    path = [str(part) for part in problem["loc"]]
    if path and path[-1] in ("confidence", "average", "raw"):
        return "a confidence is no number in 0 to 1"
    if "value" in path:
        return "a value is neither text nor a finite number"
    return f"{path[0]}: {problem['msg']}" if path else str(problem["msg"])
