"""Files of JSON lines from strangers: every line becomes an object or a reason."""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score.lines import LINE_LIMIT, Problems, json_lines


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def test_marks_blanks_and_windows_line_ends_are_no_part_of_a_line(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n  \n{"a": "\xe5\xb9\xb4"}')
    got = list(json_lines(file))
    assert [line.fields for line in got] == [{"a": 1}, {"a": "\u5e74"}]
    assert [line.where for line in got] == ["lines.jsonl line 1", "lines.jsonl line 4"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"7", "no JSON object"),
        (b'{"a": {"b": 1, "b": 1}}', "a field twice"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": 1}'.ljust(LINE_LIMIT + 1), "longer than"),
    ],
)
def test_a_faulty_line_has_its_reason_and_stops_nothing(
    file: Path, data: bytes, reason: str
) -> None:
    file.write_bytes(data + b'\n{"a": 1}\n')
    bad, good = json_lines(file)
    assert reason in bad.reason
    assert bad.fields == {}
    assert good.fields == {"a": 1}
    assert not good.reason


def test_numbers_of_absurd_length_and_nan_are_floats(file: Path) -> None:
    file.write_bytes(b'{"a": ' + b"9" * 10_000 + b', "b": NaN, "c": -' + b"9" * 30 + b', "d": 12}')
    ((line),) = json_lines(file)
    assert line.fields["a"] == math.inf
    assert math.isnan(line.fields["b"])
    assert line.fields["c"] == -1e30
    assert line.fields["d"] == 12


def test_memory_does_not_grow_with_a_line(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(256 << 20)
        stream.seek(0, 2)
        stream.write(b'\n{"a": 1}')
    tracemalloc.start()
    try:
        bad, good = json_lines(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "longer than" in bad.reason
    assert good.fields == {"a": 1}
    assert peak < 16 * LINE_LIMIT


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=40), max_size=6))
def test_no_line_that_is_not_blank_vanishes(file: Path, rows: list[bytes]) -> None:
    file.write_bytes(b"\n".join(rows))
    bare = [part.removeprefix(b"\xef\xbb\xbf").strip() for part in b"\n".join(rows).split(b"\n")]
    got = list(json_lines(file))
    assert len(got) == sum(bool(part) for part in bare)
    assert all(line.reason for line in got if not line.fields and b"{" not in b"".join(rows))


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / "a\0b"):
        with pytest.raises(BadInput, match="cannot read"):
            list(json_lines(path))


def test_problems_are_counted_by_reason_and_shown_where_first_met() -> None:
    problems = Problems()
    assert problems.first_of() == ""
    for reason, where in (("x", "1"), ("y", "2"), ("x", "3")):
        problems.add(reason, where)
    assert [(p.reason, p.count, p.example) for p in problems.records()] == [
        ("x", 2, "1"),
        ("y", 1, "2"),
    ]
    assert len(problems) == 2
    assert problems.first_of(1) == " (2: y)"
    assert problems.first_of(2) == ""
