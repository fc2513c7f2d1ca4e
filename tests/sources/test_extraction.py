"""On real pages with gold our text and days are not behind the libraries they rest on."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchmarks.extraction import Page, chunk_f1, ours, pages, score, theirs, token_f1


@pytest.fixture(scope="module")
def found(testdata: Path) -> list[Page]:
    return list(pages(testdata / "data" / "payloads"))


def test_text_and_days_are_not_behind_the_baselines(found: list[Page]) -> None:
    mine, base = score(found, ours), score(found, theirs)
    assert mine.tokens >= base.tokens > 0.8
    assert mine.chunks >= base.chunks > 0.8
    assert mine.days >= base.days > 5


def test_no_single_page_loses_more_than_a_hundredth(found: list[Page]) -> None:
    for page in found:
        if page.text:
            assert token_f1(ours(page)[0], page.text) >= token_f1(theirs(page)[0], page.text) - 0.01


def test_f1_counts_tokens_and_chunks() -> None:
    assert token_f1("渡轮 stops today", "渡轮 stops") == pytest.approx(6 / 7)
    assert token_f1("", "渡轮") == 0
    page = Page("x", b"", "UTC", date(2026, 1, 1), held=("a", "b"), absent=("c",))
    assert chunk_f1([("a c", page)]) == pytest.approx(2 / 4)
