"""The scanner on the published benchmark: every class of leak that is known to be there is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.leaks import KNOWN, counts, read_files
from factory.audit.leak_editions import PUBLISHED
from factory.audit.leak_lists import LISTS, listed
from factory.audit.scan import scan_hits


@pytest.mark.slow
def test_known_leaks_are_found_at_least_as_often_as_counted_by_hand(testdata: Path) -> None:
    files = read_files(testdata / "official" / "demo")
    assert len(files) == 484
    hits = scan_hits(files, None, layout=PUBLISHED)
    missed = {
        known.name: (got, known.least)
        for known in KNOWN
        for got in [counts(known, hits, files)]
        if any(a < b for a, b in zip(got, known.least, strict=True))
    }
    assert missed == {}
    assert not [place for rule, place in hits if rule == "leak-unreadable"]


def test_the_smallest_event_shows_its_leaks_and_lists(testdata: Path) -> None:
    base = testdata / "official" / "demo"
    files = {
        path: data
        for path, data in read_files(base).items()
        if "event5" in path and ("P25" in path or "P24" in path)
    }
    found = {rule for rule, _ in scan_hits(files, None, layout=PUBLISHED)}
    assert {"leak-path", "leak-placeholder", "leak-meta", "leak-calendar", "leak-editions"} <= found
    lists = listed(files, PUBLISHED)
    assert set(lists) == set(LISTS)
    assert "109.77" in lists["exact number"]
    assert lists["capitalised word"]
    assert lists["Latin in Chinese"]
