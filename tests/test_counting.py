"""One thing is singular in every line that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from factory.cli.bank import check
from factory.counting import count_of
from tests.test_check import built, files, write

__all__ = ["built", "files"]


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 rules"), (1, "1 rule"), (2, "2 rules"), (1200, "1,200 rules")]
)
def test_a_noun_agrees_with_its_number(number: int, said: str) -> None:
    assert count_of(number, "rule") == said


def test_a_noun_that_takes_more_than_an_s() -> None:
    assert count_of(1, "decision waits", "decisions wait") == "1 decision waits"
    assert count_of(3, "decision waits", "decisions wait") == "3 decisions wait"


def test_one_broken_rule_is_one_rule(
    tmp_path: Path, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, files)
    (tmp_path / "extra.txt").write_text("x")
    with pytest.raises(SystemExit):
        check(tmp_path)
    assert "1 rule broken" in capsys.readouterr().err
