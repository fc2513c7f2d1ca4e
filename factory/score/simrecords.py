"""Reads questions about simulated worlds and answers to them, as JSON lines of ours or as published tables.

Nothing is clamped, sorted, filled or guessed: what has no usable value is unparsed, and every reason is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from factory.errors import BadInput
from factory.score.answers import NAME_LIMIT, RUN_LIMIT
from factory.score.lines import Problems, json_lines
from factory.score.simtables import (
    LEFT_OUT,
    SHAPES,
    family,
    forecast_of,
    is_table,
    number,
    question_of,
    table_rows,
)
from schemas.exam import ForecastStatus
from schemas.simexam import SimForecast, SimQuestion

_FIELDS = frozenset(SimForecast.model_fields)
_READING_ID = re.compile(r"h0(?!\d)", re.IGNORECASE)
_HORIZON_ID = re.compile(r"_(H[0-7])\Z")
_WORLD_ID = re.compile(r"(seed\d+)(?:_|\Z)")


@dataclass(frozen=True, slots=True)
class Given:
    """How a system answered a question, without the text around it: there may be hundreds of thousands."""

    status: ForecastStatus
    values: tuple[float, ...] = ()
    """The probability, or five quantiles."""
    bins: tuple[float, ...] = ()
    """Mass of five bins."""
    person: bool = False


@dataclass
class Answers:
    """What answer files hold."""

    given: dict[str, dict[str, Given]] = field(default_factory=dict)
    """System -> question id -> answer; a system of several runs is named "system (run)"."""
    people: list[str] = field(default_factory=list)
    """Systems that are people: those of a `participant_id`."""


# -- questions -------------------------------------------------------------------------------------


def read_sim_questions(
    paths: Sequence[Path], ranges: Mapping[str, float], problems: Problems, *, tables: bool
) -> dict[str, SimQuestion]:
    """Questions by id in their order: JSON lines of `schemas.SimQuestion`, or what tables (.csv) state.

    With `tables` the files are answers too, whose lines are counted when those are read. World and horizon are taken
    from the id (seed1327_cities_H3, h0c0000) where no field tells them; a continuous question without a range takes
    that of its template in `ranges`. Questions stated in two ways are all left out. BadInput when none is left.
    """
    start = len(problems)
    found: dict[str, SimQuestion] = {}
    doubtful: set[str] = set()
    for path in paths:
        for where, stated in _stated(path, Problems() if tables else problems):
            try:
                question = _complete(SimQuestion.model_validate(stated), ranges)
            except (ValidationError, _NoRange) as error:
                problems.add(f"a question cannot be scored, {_why(error)}; {LEFT_OUT}", where)
                continue
            known = found.setdefault(question.question_id, question)
            if known != question:
                doubtful.add(question.question_id)
                problems.add("a question is stated in two ways; it is not asked", where)
            elif known is not question and not tables and not is_table(path):
                problems.add("a question is repeated; it counts once", where)
    questions = {key: question for key, question in found.items() if key not in doubtful}
    if not questions:
        raise BadInput(
            f"{', '.join(map(str, paths))} holds no question that can be scored{problems.first_of(start)}; give JSON lines of "
            "SimQuestion (`factory schema SimQuestion`) or a table with question_id and ground_truth"
        )
    return questions


class _NoRange(ValueError):
    """A continuous question that nothing scales."""


def _stated(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, fields of a SimQuestion) of each line."""
    if not is_table(path):
        for line in json_lines(path):
            if line.reason:
                problems.add(line.reason, line.where)
            else:
                yield (
                    line.where,
                    {**line.fields, "outcomes": _tuple(line.fields.get("outcomes", ()))},
                )
        return
    for where, row in table_rows(path, problems):
        if "ground_truth" not in row:
            raise BadInput(
                f"{path} has no column ground_truth; give the questions with their outcomes beside it"
            )
        yield where, question_of(row)


def _complete(question: SimQuestion, ranges: Mapping[str, float]) -> SimQuestion:
    """With what its id and template tell; _NoRange for a continuous question without a range."""
    ref, template = question.question_id, family(question.template)
    horizon = _HORIZON_ID.search(ref)
    world = _WORLD_ID.match(ref)
    told: dict[str, Any] = {"template": template}
    if question.horizon is None:
        if _READING_ID.match(ref) or question.template.startswith("h0_"):
            told["horizon"] = "H0"
        elif horizon:
            told["horizon"] = horizon[1]
    if not question.world and world:
        told["world"] = world[1]
    if question.kind == "continuous" and question.range is None:
        if template not in ranges:
            raise _NoRange("it has no range and its template has none either")
        told["range"] = ranges[template]
    return question.model_copy(update=told)


# -- answers ---------------------------------------------------------------------------------------


def read_sim_answers(
    paths: Sequence[Path],
    questions: Mapping[str, SimQuestion],
    problems: Problems,
    *,
    reserved: Collection[str] = (),
) -> Answers:
    """Answers to the questions, of JSON lines of `schemas.SimForecast` and of tables.

    A line that names a known question but states no usable value is unparsed there; a line that belongs to no question
    or takes a `reserved` name is left out. The same answer twice counts once; of two that differ neither is used. A
    table without a column for the system is one system, named after the file. BadInput when no line belongs to the
    questions, or a file cannot be read.
    """
    start = len(problems)
    found: dict[tuple[str, str], dict[str, Given]] = {}
    doubtful: set[tuple[str, str, str]] = set()
    for path in paths:
        for where, fields, person in _answer_lines(path, questions, problems):
            key = _key(fields, questions, reserved, where, problems)
            if key is None:
                continue
            system, run, ref = key
            if (system, run) not in found and len(found) >= RUN_LIMIT:
                problems.add(f"more than {RUN_LIMIT} systems and runs; the rest is left out", where)
                continue
            given = _given(fields, questions[ref], person, where, problems)
            mine = found.setdefault((system, run), {})
            if ref not in mine:
                mine[ref] = given
            elif mine[ref] == given and key not in doubtful:
                problems.add("an answer is repeated; it counts once", where)
            else:
                doubtful.add(key)
                mine[ref] = Given("unparsed", person=person)
                problems.add(
                    "a question is answered twice with a difference; neither answer is used", where
                )
    if not found:
        raise BadInput(
            f"no answer of {', '.join(map(str, paths))} belongs to these questions{problems.first_of(start)}; give JSON lines of "
            "SimForecast (`factory schema SimForecast`) or a table with question_id and p10 to p90 or b1 to b5"
        )
    runs = Counter(system for system, _ in found)
    answers = Answers()
    for (system, run), mine in sorted(found.items()):
        name = system if runs[system] == 1 else f"{system} ({run})"
        if name in answers.given:
            raise BadInput(
                f"two systems would both be called {name!r}; rename one of them in the answers"
            )
        answers.given[name] = mine
        if all(given.person for given in mine.values()):
            answers.people.append(name)
    return answers


def _answer_lines(
    path: Path, questions: Mapping[str, SimQuestion], problems: Problems
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """(where, fields of a SimForecast, whether a person gave it) of each line."""
    if not is_table(path):
        for line in json_lines(path):
            if line.reason:
                problems.add(line.reason, line.where)
            else:
                given = {
                    k: _tuple(v) if k in ("quantiles", "bins") else v
                    for k, v in line.fields.items()
                }
                yield line.where, given, False
        return
    for where, row in table_rows(path, problems):
        shape = next((shape for shape in SHAPES if shape[0] in row), None)
        if shape is None or not set(shape) <= row.keys():
            raise BadInput(
                f"{path} has no columns of answers; give {', or '.join(' '.join(shape) for shape in SHAPES)}"
            )
        person = "participant_id" in row and "model" not in row
        ref = row.get("question_id", "")
        if "ground_truth" in row and ref in questions:
            stated = number(row["ground_truth"])
            if questions[ref].outcomes != (stated,):
                problems.add("a row states another outcome than its question, which counts", where)
        yield where, forecast_of(row, shape, path.stem), person


def _key(
    fields: Mapping[str, Any],
    questions: Mapping[str, SimQuestion],
    reserved: Collection[str],
    where: str,
    problems: Problems,
) -> tuple[str, str, str] | None:
    """System, run and question of a line that belongs to one; counts the reason and returns None otherwise."""
    unknown = sorted(fields.keys() - _FIELDS)
    system, run, ref = fields.get("system"), fields.get("run", "1"), fields.get("question_id")
    if unknown:
        reason = f"a line has fields that a SimForecast does not have; {LEFT_OUT}"
        problems.add(reason, f"{where}: {unknown[0]!r}"[:200])
    elif not isinstance(ref, str) or ref not in questions:
        problems.add(f"a line answers a question that is not asked; {LEFT_OUT}", where)
    elif not (_is_name(system) and _is_name(run)):
        problems.add(
            f"a line does not name its system and run in printable text; {LEFT_OUT}", where
        )
    elif system in reserved:
        problems.add(f"a system has the name of a rule that stands beside it; {LEFT_OUT}", where)
    else:
        return str(system), str(run), ref
    return None


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _is_printable(name)


@lru_cache(maxsize=4096)
def _is_printable(name: str) -> bool:
    """Names are printed to terminals and pages."""
    return 0 < len(name) <= NAME_LIMIT and name == name.strip() and name.isprintable()


def _given(
    fields: Mapping[str, Any], question: SimQuestion, person: bool, where: str, problems: Problems
) -> Given:
    """The answer of a line that names a known question; unparsed, with its reason counted, when there is none."""
    try:
        forecast = SimForecast.model_validate(fields)
    except ValidationError as error:
        problems.add(f"unparsed: {_why(error)}", where)
        return Given("unparsed", person=person)
    if forecast.status == "answered" and (question.kind == "binary") == (
        forecast.probability is None
    ):
        form = "a probability" if question.kind == "binary" else "quantiles or bins"
        problems.add(f"unparsed: a {question.kind} question is answered by {form}", where)
        return Given("unparsed", person=person)
    values: tuple[float, ...] = forecast.quantiles or ()
    if any(upper < lower for lower, upper in pairwise(values)):
        problems.add("quantiles cross; they are scored as given, as the source does", where)
    if forecast.probability is not None:
        values = (forecast.probability,)
    return Given(forecast.status, values, forecast.bins or (), person)


def _tuple(value: object) -> object:
    """JSON has no tuples; records have no lists."""
    return tuple(value) if isinstance(value, list) else value


def _why(error: ValidationError | _NoRange) -> str:
    """The first problem in words, without the positions that would make each a reason of its own."""
    if isinstance(error, _NoRange):
        return str(error)
    problem: Any = error.errors(include_url=False, include_input=False)[0]
    message = str(problem["msg"]).removeprefix("Value error, ")
    known = _FIELDS | SimQuestion.model_fields.keys()
    if problem["loc"] and problem["loc"][0] not in known:
        return "a field of its own is not known"
    return f"{problem['loc'][0]}: {message}" if problem["loc"] else message
