"""Google News: days in the query, the cap, headlines without their outlet, and what a date is worth."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item
from sources.base import Cursor
from sources.googlenews import HEADLINES, GoogleNews, bare_title, utc_days
from sources.windows import Window, day_window
from tests.sources.keyless import News, context, query

SINCE, UNTIL = date(2026, 3, 10), date(2026, 3, 19)
NOON = datetime(2026, 3, 12, 3, 45, 12, tzinfo=UTC)


def search(
    made: News, *, most: int = 900, lang: str = "en", **settings: Any
) -> tuple[list[Item], GoogleNews]:
    cursor = settings.pop("cursor", None)
    source = GoogleNews(context(made, cursor=cursor, **settings))
    asked = query(GoogleNews, lang=lang, max_items=most)
    return list(source.search(asked, SINCE, UNTIL)), source


def many(count: int, per_day: int) -> list[tuple[str, datetime, str, str]]:
    start = datetime(2026, 3, 10, 1, tzinfo=UTC)
    return [
        (
            f"CBMi{n}",
            start + timedelta(days=n // per_day, seconds=n % per_day),
            f"Ferry {n}",
            "The Courier",
        )
        for n in range(count)
    ]


def test_the_request_has_the_days_in_its_words_and_the_edition_of_the_language() -> None:
    made = News()
    items, source = search(made, googlenews_url="http://news.example/", lang="zh")
    assert not items
    assert made.asked[0].startswith("http://news.example/rss/search?")
    assert made.queries() == [
        {
            "q": "ferry after:2026-03-09 before:2026-03-20",
            "hl": "zh-CN",
            "gl": "CN",
            "ceid": "CN:zh-Hans",
        }
    ]
    assert source.report.outcomes == {"empty": 1}
    search(made)
    assert made.queries()[1] == {
        "q": "ferry after:2026-03-09 before:2026-03-20", "hl": "en-US", "gl": "US", "ceid": "US:en",
    }  # fmt: skip


def test_a_headline_loses_its_outlet_and_is_all_the_text_there_is() -> None:
    made = News(entries=[("CBMiabc", NOON, "Ferry stops - again", "Landu Courier")])
    (item,), source = search(made)
    assert (item.title, item.text, item.publisher) == (
        "Ferry stops - again",
        "Ferry stops - again",
        "Landu Courier",
    )
    assert item.native_id == "CBMiabc"
    assert item.url == "https://news.google.com/rss/articles/CBMiabc?oc=5"
    assert (item.published_at, item.precision, item.tz_source) == (NOON, "second", "explicit")
    assert (item.platform, item.kind, item.licence) == ("googlenews", "article", "publisher")
    assert source.report.notes == [HEADLINES]
    assert len(made.asked) == 1, "opaque links are not followed"


def test_midnight_in_california_is_a_day_without_an_hour() -> None:
    for hour in (7, 8):
        at = datetime(2026, 3, 12, hour, tzinfo=UTC)
        (item,), _ = search(News(entries=[("CBMi1", at, "Ferry", "Courier")]))
        assert item.precision == "day"
        assert item.published_at == datetime(2026, 3, 12, 4, tzinfo=UTC), (
            "noon of that day in Shanghai"
        )
        assert item.confidence <= 0.5


def test_a_missing_source_element_leaves_the_outlet_of_the_headline() -> None:
    made = News(
        entries=[("CBMi1", NOON, "Ferry stops - Landu Courier", ""), ("CBMi2", NOON, "Ferry", "")]
    )
    items, _ = search(made)
    assert [(item.title, item.publisher) for item in items] == [
        ("Ferry stops", "Landu Courier"),
        ("Ferry", ""),
    ]


def test_full_feeds_are_asked_again_down_to_single_days() -> None:
    items, source = search(News(entries=many(300, 30)))
    assert len(items) == 300
    assert not source.report.capped


def test_a_day_with_more_than_a_feed_holds_is_said_to_be_cut() -> None:
    made = News(entries=many(250, 125))
    items, source = search(made)
    assert len(items) == 200
    assert source.report.capped
    assert (
        sum(
            note.startswith("only 100 results were given of 2026-03-1")
            for note in source.report.notes
        )
        == 2
    )


def test_an_answer_that_forgot_its_days_is_not_taken_for_the_window() -> None:
    newer = [(f"CBMj{n}", datetime(2026, 5, 20, tzinfo=UTC), "Other", "X") for n in range(80)]
    made = News(entries=many(300, 30) + newer, forgets_days_from=150)
    items, source = search(made)
    assert {item.title for item in items} == {f"Ferry {n}" for n in range(300)}
    assert not source.report.capped


def test_few_headlines_cover_the_days_evenly() -> None:
    items, source = search(News(entries=many(200, 20)), most=20)
    assert set(Counter((item.published_at or NOON).date() for item in items).values()) == {2}
    assert source.report.capped


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (429, b"", "blocked"),
        (200, b"<html><title>Before you continue</title></html>", "not_a_feed"),
        (200, b"", "empty"),
        (404, b"", "soft404"),
    ],
)
def test_no_feed_is_an_outcome_and_no_empty_window(status: int, body: bytes, outcome: str) -> None:
    made = News()
    made.answer = lambda url: (status, body)  # type: ignore[method-assign]
    items, source = search(made)
    assert not items
    assert set(source.report.outcomes) == {outcome}
    assert source.report.capped


def test_a_killed_listing_goes_on() -> None:
    cursor = Cursor()
    made = News(entries=many(300, 30))
    real = made.answer

    def answer(url: str) -> tuple[int, bytes]:
        if len(made.asked) == 4:
            raise KeyboardInterrupt
        return real(url)

    made.answer = answer  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        search(made, cursor=cursor)
    again = News(entries=many(300, 30))
    items, _ = search(again, cursor=Cursor(cursor.load()))
    assert items == search(News(entries=many(300, 30)))[0]
    assert set(made.asked[:-1]).isdisjoint(again.asked)


@given(
    st.dates(date(2020, 1, 1), date(2030, 1, 1)),
    st.integers(0, 60),
    st.sampled_from(["Asia/Shanghai", "America/New_York", "UTC"]),
)
def test_whole_utc_days_hold_every_day_of_the_zone(since: date, length: int, zone: str) -> None:
    window = day_window(since, since + timedelta(days=length), zone)
    days = utc_days(window)
    assert days.start <= window.start < window.end <= days.end
    assert days.width <= window.width + timedelta(days=2)
    assert Window(days.start, days.end).start.hour == 0


@pytest.mark.parametrize(
    ("title", "publisher", "bare"),
    [
        ("A - B - C", "C", "A - B"),
        ("A - B", "", "A - B"),
        ("A", "A", "A"),
        ("A - B - C", "B - C", "A"),
    ],
)
def test_only_the_outlet_is_cut(title: str, publisher: str, bare: str) -> None:
    assert bare_title(title, publisher) == bare
