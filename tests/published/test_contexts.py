"""The days that a context speaks of are those that the published heuristics counted."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from factory.errors import BadInput
from factory.published.contexts import days_in
from factory.published.pages import Published, read_pages
from factory.score.pooling import cell_scores, headline
from factory.score.rules import PAPER
from tests.published.points import point, write

CUTOFF = date(2031, 5, 10)


@pytest.mark.parametrize(
    "text",
    ["### 2031-05-09", "2031年5月9日", "2031年05月09日", "on(2031-05-09).", "截至2031-05-09日"],
)
def test_a_day_is_found_in_either_form(text: str) -> None:
    assert days_in(text, CUTOFF) == (date(2031, 5, 9),)


@pytest.mark.parametrize(
    "text",
    [
        "2031-02-30",
        "2031年13月1日",
        "12031-05-09",
        "2031-05-091",
        "5月9日",
        "9 May 2031",
        "２０３１-05-09",
    ],
)
def test_what_is_no_such_day_is_not_counted(text: str) -> None:
    assert days_in(text, CUTOFF) == ()


def test_days_are_distinct_in_order_and_never_after_the_cutoff() -> None:
    text = "2031-05-10 2031-05-11 2031-05-09 2031年5月9日"
    assert days_in(text, CUTOFF) == (date(2031, 5, 9), CUTOFF)


def test_contexts_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, point(), context="### 2031-05-01")
    pages = read_pages(tmp_path)
    path.with_name("P01_context.md").write_text("### 2031-05-02")
    assert pages.known()["ferry/P01", "en"].days == (date(2031, 5, 2),)


def test_a_context_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, point())
    path.with_name("P01_context.md").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match=r"P01_context\.md is no UTF-8"):
        read_pages(tmp_path).known()


def test_the_published_heuristics_are_reproduced(published: Published) -> None:
    """Frequency 53.88 (zh 52.3, en 55.5) and momentum 54.17 (54.5, 53.9); published are 53.8 and 54.2."""
    known = published.known()
    assert len(known) == 242
    frequency = {
        key: len(at.days) / max((at.days[-1] - at.days[0]).days, 1) for key, at in known.items()
    }
    momentum = {
        key: sum((at.cutoff - day).days <= 7 for day in at.days) / 7 for key, at in known.items()
    }
    sheet = published.calibration
    keys = list(zip(sheet.point.labels(), sheet.edition.labels(), strict=True))
    rules = {
        name: np.clip(np.array([rate[key] for key in keys]) * sheet.window, 0.02, 0.98)
        for name, rate in (("frequency", frequency), ("momentum", momentum))
    }
    assert PAPER.calibration is not None
    beside = sheet.only([]).beside(rules)
    cells = cell_scores(beside, PAPER.calibration)
    assert headline(beside, cells) == pytest.approx([53.88, 54.17], abs=0.01)
    editions = {
        edition: cells[:, [cell[1] == edition for cell in beside.cells()]].mean(axis=1)
        for edition in ("zh", "en")
    }
    assert editions["zh"] == pytest.approx([52.3, 54.5], abs=0.06)
    assert editions["en"] == pytest.approx([55.5, 53.9], abs=0.06)
