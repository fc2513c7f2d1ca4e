"""When a server takes requests again, from the headers in which servers say it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.limits import until


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"retry-after": "40"}, " for 40 seconds"),
        ({"retry-after": "600"}, " for 10 minutes"),
        ({"retry-after": "Thu, 05 Mar 2026 08:00:09 GMT"}, " before 08:00 UTC on 2026-03-05"),
        ({"x-ratelimit-reset": "2026-06-01T13:55:00.976542Z"}, " before 13:55 UTC on 2026-06-01"),
        ({"x-ratelimit-reset": "2026-06-01T21:55:00+08:00"}, " before 13:55 UTC on 2026-06-01"),
        ({"x-rate-limit-reset": "1780322100"}, " before 13:55 UTC on 2026-06-01"),
        ({"x-rate-limit-reset": "1780322100000"}, " before 13:55 UTC on 2026-06-01"),
        ({"ratelimit-reset": "57.2"}, " for 58 seconds"),
        ({"retry-after": "soon", "x-ratelimit-reset": "9"}, " for 9 seconds"),
        ({"retry-after": "nan"}, " one day"),
        ({"retry-after": "-5"}, " one day"),
        ({"retry-after": "1e400"}, " one day"),
        ({"x-ratelimit-reset": "1e300"}, " one day"),
        ({}, " one day"),
    ],
)
def test_a_refusal_is_told_with_its_end(headers: dict[str, str], words: str) -> None:
    assert until(headers, " one day") == words


@given(st.text(max_size=30))
def test_no_header_raises(raw: str) -> None:
    assert until({"retry-after": raw}, " later").startswith(" ")
