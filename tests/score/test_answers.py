"""Answer files of strangers: no line stops the file, and none vanishes."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score.answers import (
    CONFLICT,
    LEFT_OUT,
    REPEATED,
    RUN_LIMIT,
    UNPARSED,
    read_answers,
)
from factory.score.bank import bank_sheets
from factory.score.lines import LINE_LIMIT, bounded_lines
from schemas import Forecast, Problem
from tests import example_event as example

QUESTION, OTHER = example.questions()[:2]
EVENT = example.events()[0]


def row(**changes: Any) -> dict[str, Any]:
    """An answer to the first question; a change to `...` removes a field."""
    base = {
        "system": "mine",
        "run": "1",
        "axis": "calibration",
        "ref": QUESTION.question_id,
        "point_id": QUESTION.point_id,
        "lang": "en",
        "status": "answered",
        "probability": 0.7,
    }
    return {name: value for name, value in (base | changes).items() if value is not ...}


def dated(**changes: Any) -> dict[str, Any]:
    """A date for the first event."""
    common = {"axis": "temporal", "ref": EVENT.event_id, "point_id": EVENT.point_id}
    return row(**(common | {"probability": ..., "date": "2031-08-18"} | changes))


GOOD = row(ref=OTHER.question_id, point_id=OTHER.point_id)
"""A line beside the one under test, so that the file belongs to the bank."""


def read(
    path: Path | list[Path], taken: frozenset[str] = frozenset()
) -> tuple[list[Forecast], tuple[Problem, ...]]:
    return read_answers(path, questions=example.questions(), events=example.events(), taken=taken)


def write(path: Path, *rows: dict[str, Any] | bytes) -> Path:
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def perfect() -> list[dict[str, Any]]:
    """A perfect sitting of both axes and editions."""
    rows = [
        row(ref=q.question_id, point_id=q.point_id, lang=lang, probability=float(q.answer))
        for lang in ("en", "zh")
        for q in example.questions()
    ]
    return rows + [
        dated(ref=e.event_id, point_id=e.point_id, lang=lang, date=e.date.isoformat())
        for lang in ("en", "zh")
        for e in example.events()
    ]


def test_a_valid_file_is_read_as_it_stands(tmp_path: Path) -> None:
    rows = perfect()
    forecasts, problems = read(write(tmp_path / "mine.jsonl", *rows))
    assert problems == ()
    assert forecasts == [Forecast.model_validate_json(json.dumps(r)) for r in rows]
    calibration, temporal = bank_sheets(
        event="e-test",
        points=example.points().points,
        questions=example.questions(),
        events=example.events(),
        forecasts=forecasts,
    )
    for sheet in (calibration, temporal):
        assert sheet is not None
        assert (sheet.values[0] == sheet.truth).all()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n \t\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_line_ends_blank_lines_and_byte_order_marks_make_no_difference(
    tmp_path: Path, start: bytes, end: bytes
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(start + end.join(json.dumps(r).encode() for r in perfect()))
    again = tmp_path / "joined.jsonl"
    again.write_bytes(path.read_bytes() + b"\n" + path.read_bytes())
    forecasts, problems = read(path)
    assert len(forecasts) == len(perfect())
    assert problems == ()
    assert [(p.reason, p.count) for p in read(again)[1]] == [(REPEATED, len(perfect()))]


@pytest.mark.parametrize("p", [0, 1, 0.0, 1.0, 5e-324, 0.1 + 0.2, -0.0])
def test_every_number_from_0_to_1_is_a_probability(tmp_path: Path, p: float) -> None:
    (forecast,), problems = read(write(tmp_path / "mine.jsonl", row(probability=p)))
    assert (forecast.status, forecast.probability, problems) == ("answered", p, ())


@pytest.mark.parametrize("status", ["unparsed", "refused", "error"])
def test_a_status_without_a_value_is_kept(tmp_path: Path, status: str) -> None:
    rows = [row(status=status, probability=...), dated(status=status, date=None)]
    forecasts, problems = read(write(tmp_path / "mine.jsonl", *rows))
    assert [f.status for f in forecasts] == [status, status]
    assert problems == ()


UNUSABLE: list[tuple[dict[str, Any] | bytes, str, str]] = [
    (row(probability=70), "probability lies outside 0 to 1", "70"),
    (row(probability=-0.1), "probability lies outside 0 to 1", "-0.1"),
    (row(probability=1.0000000000000002), "probability lies outside 0 to 1", "1.0000000000000002"),
    (row(probability="70%"), "probability is text instead of a number from 0 to 1", "'70%'"),
    (row(probability="0.7"), "probability is text instead of a number from 0 to 1", "'0.7'"),
    (row(probability=float("nan")), "probability is NaN", "nan"),
    (row(probability=float("inf")), "probability lies outside 0 to 1", "inf"),
    (row(probability=float("-inf")), "probability lies outside 0 to 1", "-inf"),
    (row(probability=True), "probability is no number", "true"),
    (row(probability=[0.7]), "probability is no number", "a list"),
    (row(probability={"p": 0.7}), "probability is no number", "an object"),
    (row(probability=None), "status answered without a value", "null"),
    (row(probability=...), "status answered without a value", "null"),
    (row(probability=..., date="2031-08-18"), "a date on the calibration axis", "'2031-08-18'"),
    (row(date="2031-08-18"), "a date on the calibration axis", "'2031-08-18'"),
    (row(status="refused"), "a value beside status refused", "0.7"),
    (
        json.dumps(row()).replace("0.7", "9" * 10_000).encode(),
        "probability lies outside 0 to 1",
        "inf",
    ),
    (
        json.dumps(row()).replace("0.7", "1e999999999").encode(),
        "probability lies outside 0 to 1",
        "inf",
    ),
    (dated(date="2024-02-30"), "date is no day of the calendar", "'2024-02-30'"),
    (dated(date="0000-01-01"), "date is no day of the calendar", "'0000-01-01'"),
    (dated(date="2024-W05-3"), "date is not written YYYY-MM-DD", "'2024-W05-3'"),
    (dated(date="2024/05/01"), "date is not written YYYY-MM-DD", "'2024/05/01'"),
    (dated(date="20240501"), "date is not written YYYY-MM-DD", "'20240501'"),
    (dated(date="2024-05-01T00:00:00"), "date is not written YYYY-MM-DD", "'2024-05-01T00:00:00'"),
    (dated(date="2024-05-01\n"), "date is not written YYYY-MM-DD", r"'2024-05-01\n'"),
    (dated(date="２０２４-05-01"), "date is not written YYYY-MM-DD", "'２０２４-05-01'"),
    (dated(date=20240501), "date is not written YYYY-MM-DD", "20240501"),
    (dated(date=..., probability=0.7), "a probability on the temporal axis", "0.7"),
    (dated(date=...), "status answered without a value", "null"),
]


@pytest.mark.parametrize(("line", "reason", "shown"), UNUSABLE)
def test_an_unusable_value_keeps_its_row_as_unparsed(
    tmp_path: Path, line: dict[str, Any] | bytes, reason: str, shown: str
) -> None:
    path = write(tmp_path / "mine.jsonl", GOOD, line)
    (good, kept), problems = read(path)
    assert good.status == "answered"
    assert (kept.status, kept.probability, kept.date) == ("unparsed", None, None)
    assert kept.raw == shown
    assert kept.ref in (QUESTION.question_id, EVENT.event_id)
    assert problems == (
        Problem(reason=f"{reason}: {UNPARSED}", count=1, example=f"mine.jsonl line 2: {shown}"),
    )


def test_an_unusable_value_alone_still_belongs_to_the_bank(tmp_path: Path) -> None:
    forecasts, problems = read(write(tmp_path / "m.jsonl", row(probability=70, raw="70 percent")))
    assert [f.raw for f in forecasts] == ["70 percent"]
    assert sum(p.count for p in problems) == 1


LEFT: list[tuple[dict[str, Any] | bytes, str]] = [
    (row(ref="q-elsewhere"), "this bank asks no such id on the calibration axis"),
    (row(ref=EVENT.event_id), "this bank asks no such id on the calibration axis"),
    (dated(ref=QUESTION.question_id), "this bank asks no such id on the temporal axis"),
    (row(point_id="t-9"), "point_id is not the point of that question"),
    (row(lang="fr"), "field lang cannot be used: Input should be 'en' or 'zh'"),
    (row(axis="both"), "field axis cannot be used: Input should be 'calibration' or 'temporal'"),
    (row(status="ok"), "field status cannot be used: Input should be"),
    (row(status=...), "field status is missing"),
    (row(system=...), "field system is missing"),
    (row(system=7), "field system cannot be used: Input should be a valid string"),
    (row(system=None), "field system cannot be used: Input should be a valid string"),
    (row(system=""), "field system cannot be used: String should have at least 1 character"),
    (row(system="\ud800"), "field system cannot be used: Input should be a valid string"),
    (row(ref="\udfff"), "field ref cannot be used: Input should be a valid string"),
    (row(raw=float("nan")), "field raw cannot be used: Input should be a valid string"),
    (row(system="red\x1b[31m"), "name of a system or run holds an invisible character"),
    (row(run="1\u202e"), "name of a system or run holds an invisible character"),
    (row(run=" 1"), "name of a system or run starts or ends with a blank"),
    (row(system="m" * 201), "name of a system or run has more than 200 characters"),
    (row(colour="red"), "a forecast has no such field"),
    (row(system="frequency", run="baselines"), "a system of this name comes with every bank"),
    (b'{"system": "mi', "line is not JSON"),
    (b"\0\0\0", "line is not JSON"),
    (json.dumps(row()).replace('"run"', '"lang"').encode(), "a field is given twice"),
    (b"\xff\xfe{\0}\0", "line is not UTF-8"),
    (b"\xed\xa0\x80", "line is not UTF-8"),
    (b"[]", "line is not a JSON object"),
    (b"null", "line is not a JSON object"),
    (b"NaN", "line is not a JSON object"),
    (b"system,run,probability", "line is not JSON"),
    (b"[" * 500_000, "line is nested too deeply"),
    (b'{"a":' * 100_000, "line is nested too deeply"),
    (b"9" * 10_000, "line is not a JSON object"),
    (b'{"raw": "' + b"x" * LINE_LIMIT + b'"}', f"line is longer than {LINE_LIMIT} bytes"),
]


@pytest.mark.parametrize(("line", "reason"), LEFT, ids=range(len(LEFT)))
def test_a_line_about_nothing_of_the_bank_is_left_out_and_counted(
    tmp_path: Path, line: dict[str, Any] | bytes, reason: str
) -> None:
    path = write(tmp_path / "mine.jsonl", GOOD, line, line)
    forecasts, (problem,) = read(path, frozenset({"frequency"}))
    assert [f.ref for f in forecasts] == [OTHER.question_id]
    assert problem.reason.startswith(reason)
    assert problem.reason.endswith(f": {LEFT_OUT}")
    assert problem.count == 2
    assert problem.example.startswith("mine.jsonl line 2")
    assert len(problem.reason + problem.example) < 400


@pytest.mark.parametrize(("line", "reason"), LEFT, ids=range(len(LEFT)))
def test_a_file_of_nothing_else_is_refused_with_its_first_reason(
    tmp_path: Path, line: dict[str, Any] | bytes, reason: str
) -> None:
    path = write(tmp_path / "mine.jsonl", line, b"{}")
    with pytest.raises(BadInput) as caught:
        read(path, frozenset({"frequency"}))
    assert "holds no answer to this bank in 2 lines" in str(caught.value)
    assert f"reason: {reason}" in str(caught.value)
    assert "mine.jsonl line 1" in str(caught.value)
    assert "docs/scoring.md" in str(caught.value)


def test_an_edition_that_the_bank_lacks_is_left_out(tmp_path: Path) -> None:
    english = [q.model_copy(update={"text": {"en": q.text["en"]}}) for q in example.questions()]
    path = write(tmp_path / "mine.jsonl", row(), row(lang="zh"))
    forecasts, (problem,) = read_answers(path, questions=english, events=[])
    assert [f.lang for f in forecasts] == ["en"]
    assert problem.reason == f"this bank has no zh edition of that question: {LEFT_OUT}"


def test_an_equal_repeat_is_dropped_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", row(), row(raw="again"), row(lang="zh"), row(run="2"))
    forecasts, problems = read(path)
    assert [(f.lang, f.run, f.probability) for f in forecasts] == [
        ("en", "1", 0.7),
        ("zh", "1", 0.7),
        ("en", "2", 0.7),
    ]
    where = f"mine.jsonl line 2: {QUESTION.question_id} in en, after mine.jsonl line 1"
    assert problems == (Problem(reason=REPEATED, count=1, example=where),)


@pytest.mark.parametrize(
    "other", [row(probability=0.71), row(probability=...) | {"status": "error"}]
)
def test_of_answers_that_differ_none_is_used(tmp_path: Path, other: dict[str, Any]) -> None:
    for rows in ((row(), other), (other, row())):
        (kept,), problems = read(write(tmp_path / "mine.jsonl", *rows))
        assert (kept.status, kept.probability) == ("unparsed", None)
        assert [(p.reason, p.count) for p in problems] == [(CONFLICT, 2)]
        assert problems[0].example.endswith("and mine.jsonl line 2")


def test_a_third_answer_does_not_bring_a_conflict_back(tmp_path: Path) -> None:
    rows = [
        row(),
        row(),
        row(probability=0.2),
        row(),
        row(probability=...) | {"status": "unparsed"},
    ]
    (kept,), problems = read(write(tmp_path / "mine.jsonl", *rows))
    assert kept.status == "unparsed"
    assert [(p.reason, p.count) for p in problems] == [(REPEATED, 1), (CONFLICT, 4)]


def test_answers_are_compared_across_files(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", row(), GOOD)
    two = write(tmp_path / "two.jsonl", row(probability=0.2), GOOD)
    forecasts, problems = read([one, two])
    assert [f.status for f in forecasts] == ["unparsed", "answered"]
    assert problems[0].example == (
        f"one.jsonl line 1: {QUESTION.question_id} in en, and two.jsonl line 1"
    )
    assert [(p.reason, p.count) for p in problems] == [(CONFLICT, 2), (REPEATED, 1)]


def test_one_file_of_another_bank_is_named_among_several(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", row())
    two = write(tmp_path / "two.jsonl", row(ref="q-elsewhere"))
    with pytest.raises(
        BadInput, match=r"two\.jsonl holds no answer to this bank in 1 line, .*'q-elsewhere'"
    ):
        read([one, two])


def test_a_run_for_each_line_is_no_run(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", *(row(run=f"r{i}") for i in range(RUN_LIMIT + 5)))
    forecasts, (problem,) = read(path)
    assert len(forecasts) == RUN_LIMIT
    assert problem.count == 5
    assert "run names a whole sitting" in problem.reason


def test_half_an_emoji_in_the_raw_text_does_not_cost_the_answer(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", row(raw="sure \ud83d", prompt_digest="\udc00"))
    (forecast,), problems = read(path)
    assert (forecast.probability, forecast.raw, problems) == (0.7, "sure \ufffd", ())
    assert forecast.model_dump_json().encode("utf-8")


def test_untrusted_text_reaches_no_example_as_it_is(tmp_path: Path) -> None:
    evil = "\x1b[2J\u202e" + "x" * 10_000
    rows = [
        row(**{evil: 1}),
        row(ref=evil),
        row(point_id=evil),
        row(probability=evil),
        row(lang=evil),
    ]
    forecasts, problems = read(write(tmp_path / "mine.jsonl", GOOD, *rows))
    assert len(problems) == len(rows)
    for text in [p.reason + p.example for p in problems] + [f.raw for f in forecasts]:
        assert text.isprintable() or text == ""
        assert len(text) < 300


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path / "none.jsonl", "No such file"),
        (tmp_path, "Is a directory"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(BadInput, match=f"cannot read the forecasts .*{words}"):
            read(path)
    for content in (b"", b"\n \r\n", b"\xef\xbb\xbf\n"):
        (tmp_path / "empty.jsonl").write_bytes(content)
        with pytest.raises(BadInput, match="holds no forecast; write one JSON line an answer"):
            read(tmp_path / "empty.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", row())
    path.chmod(0)
    with pytest.raises(BadInput, match="Permission denied"):
        read(path)


def test_a_file_name_that_is_no_text_is_shown_escaped(tmp_path: Path) -> None:
    path = write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")), row(), b"?")
    assert r"\udcff.jsonl line 2" in read(path)[1][0].example


class _Endless(RawIOBase):
    """`size` bytes of one line, then a short one, made while they are read."""

    def __init__(self, size: int, tail: bytes) -> None:
        self.left, self.tail = size, tail

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.left)
        if count:
            self.left -= count
            buffer[:count] = b"x" * count
            return count
        part, self.tail = self.tail[: len(buffer)], self.tail[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def test_a_line_of_a_gigabyte_takes_no_more_memory_than_the_limit() -> None:
    stream = BufferedReader(_Endless(1 << 30, b"\nnext\n"))
    tracemalloc.start()
    try:
        assert list(bounded_lines(stream)) == [(1, None), (2, b"next")]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * LINE_LIMIT


@pytest.mark.slow
def test_a_file_with_a_line_of_a_gigabyte_is_read_past_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + json.dumps(row()).encode())
    forecasts, (problem,) = read(path)
    assert [f.probability for f in forecasts] == [0.7]
    assert problem.example == "mine.jsonl line 1"


@given(
    st.lists(
        st.integers(LINE_LIMIT - 2, LINE_LIMIT + 3) | st.integers(1, 5), min_size=1, max_size=4
    ),
    st.booleans(),
)
@settings(max_examples=12)
def test_the_limit_is_exact_and_no_line_runs_into_the_next(sizes: list[int], ends: bool) -> None:
    data = b"\n".join(b"y" * size for size in sizes) + (b"\n" if ends else b"")
    found = list(bounded_lines(BufferedReader(_Endless(0, data))))
    assert [(n, line and len(line)) for n, line in found] == [
        (n, size if size <= LINE_LIMIT else None) for n, size in enumerate(sizes, 1)
    ]


def mutated() -> Iterator[st.SearchStrategy[bytes]]:
    """Lines that are noise, lines that are JSON of anything, and valid lines with a bite taken out."""
    valid = [json.dumps(r).encode() for r in [*perfect()[:3], row(), row(probability=0.2), dated()]]
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=4,
    )
    yield st.binary(max_size=40).map(lambda line: line.replace(b"\n", b""))
    yield st.sampled_from(valid)
    yield st.tuples(
        st.sampled_from(valid), st.integers(0, 250), st.integers(0, 9), st.binary(max_size=6)
    ).map(lambda t: (t[0][: t[1]] + t[3] + t[0][t[1] + t[2] :]).replace(b"\n", b""))
    yield st.builds(
        lambda base, name, value: json.dumps(base | {name: value}).encode(),
        st.sampled_from([row(), dated()]),
        st.sampled_from([*row(), "date", "raw", "prompt_digest", "other"]),
        anything,
    )


@given(st.lists(st.one_of(*mutated()), max_size=12))
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_each_line_is_an_answer_or_in_one_problem(
    tmp_path: Path, lines: list[bytes]
) -> None:
    path = tmp_path / "fuzz.jsonl"
    path.write_bytes(b"\n".join(lines))
    full = sum(bool(line.removeprefix(b"\xef\xbb\xbf").strip()) for line in lines)
    try:
        forecasts, problems = read(path)
    except BadInput as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert refused.isprintable()
        return
    counted = {UNPARSED: 0, LEFT_OUT: 0}
    for problem in problems:
        counted[problem.reason.rpartition(": ")[2]] += problem.count
        assert problem.example.startswith("fuzz.jsonl line ")
    # Of the lines counted as unparsed some share a row (a conflict), so rows are bounded from both sides.
    clean = full - counted[UNPARSED] - counted[LEFT_OUT]
    assert clean <= len(forecasts) <= clean + counted[UNPARSED]
    assert sum(f.status == "answered" for f in forecasts) <= clean
    for forecast in forecasts:
        assert Forecast.model_validate_json(forecast.model_dump_json()) == forecast
    bank_sheets(
        event="e-test",
        points=example.points().points,
        questions=example.questions(),
        events=example.events(),
        forecasts=forecasts,
    )
