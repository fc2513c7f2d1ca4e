"""GDELT: what is no answer is never data, windows at the cap, and crawl times that are not trusted."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import Item
from sources.base import Cursor, SourceError
from sources.gdelt import Gdelt, asked_words, read_answer
from sources.http import Http, Response
from tests.sources.keyless import Doc, context, query, seen

SINCE, UNTIL = date(2026, 3, 10), date(2026, 3, 19)
DAY1 = datetime(2026, 3, 9, 16, tzinfo=UTC)
LIMIT = b"Please limit requests to one every 5 seconds or contact someone for larger queries."


def page(number: int, dated: str = "2026-03-12T08:30:00+08:00") -> bytes:
    words = f"The ferry between the two islands stopped for the {number}th time this spring, the operator said. "
    return (
        f'<html><head><title>Ferry {number}</title><meta property="article:published_time" content="{dated}">'
        f"</head><body><article><h1>Ferry {number}</h1><p>{words * 4}</p><p>{words * 3}</p></article></body></html>"
    ).encode()


def world(*rows: dict[str, Any]) -> Doc:
    return Doc(articles=list(rows), pages={row["url"]: page(n, "") for n, row in enumerate(rows)})


def search(
    made: Doc, *, most: int = 200, words: str = "ferry", lang: str = "en", **settings: Any
) -> tuple[list[Item], Gdelt]:
    cursor = settings.pop("cursor", None)
    source = Gdelt(context(made, cursor=cursor, **settings))
    asked = query(Gdelt, words, lang=lang, max_items=most)
    return list(source.search(asked, SINCE, UNTIL)), source


def test_the_request_names_the_window_in_utc_and_the_language() -> None:
    made = world()
    items, source = search(made, gdelt_url="http://gdelt.example/", lang="zh")
    assert not items
    assert made.asked[0].startswith("http://gdelt.example/api/v2/doc/doc?")
    assert made.queries() == [
        {
            "query": "ferry sourcelang:chinese", "mode": "artlist", "format": "json", "maxrecords": "250",
            "sort": "hybridrel", "startdatetime": "20260309160000", "enddatetime": "20260319155959",
        }
    ]  # fmt: skip
    assert made.paced == {"http://gdelt.example": 5.0}
    assert source.report.outcomes == {"empty": 1}


def test_operators_of_the_query_are_left_alone() -> None:
    assert (
        asked_words("ferry sourcecountry:CH", "zh") == "ferry sourcecountry:CH sourcelang:chinese"
    )
    assert (
        asked_words("(ferry OR boat) sourcelang:spanish", "en")
        == "(ferry OR boat) sourcelang:spanish"
    )
    assert asked_words("ferry -sourcelang:english", "en") == "ferry -sourcelang:english"


def test_the_pace_between_two_requests_is_kept() -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    http = Http(
        user_agent="t",
        per_host_seconds=1.0,
        sleep=sleep,
        clock=lambda: now[0],
        respect_robots=False,
    )
    http._send = lambda url, *_: Response(url, 200, {}, b"{}", "ok")  # type: ignore[method-assign]
    http.pace("http://gdelt.example", 5.0)
    for url in (
        "http://gdelt.example/a",
        "http://gdelt.example/b",
        "http://other.example/",
        "http://other.example/",
    ):
        http.get(url)
    assert slept == [5.0, 1.0]


def test_articles_are_read_from_their_own_pages_and_the_crawl_time_is_a_weak_day() -> None:
    at = datetime(2026, 3, 12, 17, 15, tzinfo=UTC)
    made = world(seen(1, at), seen(2, at))
    made.pages[made.articles[0]["url"]] = page(1)
    items, source = search(made)
    dated, undated = items
    assert dated.text.startswith("The ferry between the two islands")
    assert dated.published_at == datetime(2026, 3, 12, 0, 30, tzinfo=UTC)
    assert (undated.precision, undated.confidence) == ("day", 0.3)
    assert undated.published_at == datetime(2026, 3, 13, 4, tzinfo=UTC), (
        "noon of the 13th in Shanghai"
    )
    assert undated.published_raw == "20260312T171500Z"
    assert {item.platform for item in items} == {"web"}
    assert {item.origin.source for item in items} == {"gdelt"}
    assert dated.licence == "publisher"
    assert source.report.outcomes == {"ok": 3}


def test_a_full_answer_is_asked_in_halves_until_all_are_listed() -> None:
    rows = [seen(n, DAY1 + timedelta(minutes=15 * (n % 900))) for n in range(600)]
    made = Doc(articles=rows)
    items, source = search(made, gdelt_articles=2000, most=2000)
    assert not items
    assert sum("/doc/doc" in url for url in made.asked) < 20
    assert source.report.outcomes["soft404"] == 600
    assert not source.report.capped


def test_half_an_hour_with_too_many_articles_is_said_to_be_cut() -> None:
    rows = [seen(n, DAY1) for n in range(300)]
    _, source = search(Doc(articles=rows), most=2)
    assert source.report.capped
    assert "only 250 results were given of 2026-03-09 16:00:00" in " ".join(source.report.notes)


def test_few_pages_cover_the_days_evenly_and_the_rest_is_named() -> None:
    rows = [seen(n, DAY1 + timedelta(hours=n % 240, minutes=1)) for n in range(720)]
    items, source = search(world(*rows), gdelt_articles=30, most=20)
    days = Counter(item.published_raw[:8] for item in items)
    assert len(items) == 20
    assert len(days) >= 10
    assert max(days.values()) <= 2
    assert source.report.capped
    assert sum(row.reason == "listed, not fetched" for row in source.report.refusals) == 700
    assert any(
        "700 of the articles listed were not fetched" in note for note in source.report.notes
    )


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((200, LIMIT), "blocked"),
        ((429, LIMIT), "blocked"),
        ((200, b"<html><body>Are you a robot?</body></html>"), "blocked"),
        ((200, b"5"), "decode_error"),
        ((200, b'{"articles": 5}'), "decode_error"),
        ((200, b'{"articles": [{"url": "https://a.exam'), "decode_error"),
        ((200, b"[]"), "decode_error"),
    ],
)
def test_what_is_no_answer_is_never_data(answer: tuple[int, bytes], outcome: str) -> None:
    made = Doc(articles=[seen(1, DAY1)], odd=[answer] * 50)
    items, source = search(made)
    assert not items
    assert set(source.report.outcomes) == {outcome}
    assert source.report.capped
    assert any(note.startswith("no answer for") for note in source.report.notes)
    assert len(made.asked) <= 9


def test_a_limit_that_passes_is_waited_for() -> None:
    made = world(seen(1, DAY1))
    made.odd = [(200, LIMIT), (200, LIMIT)]
    items, source = search(made)
    assert len(items) == 1
    assert source.report.outcomes == {"ok": 2}


@pytest.mark.parametrize(
    "complaint",
    [
        "Your query was too short or too long.",
        "The specified phrase is too short.",
        "Timespan is too short.",
    ],
)
def test_a_complaint_about_the_query_is_one_sentence(complaint: str) -> None:
    with pytest.raises(SourceError, match=complaint[:-1]):
        search(Doc(odd=[(200, complaint.encode())]))


def test_days_before_the_promised_three_months_are_noted() -> None:
    made = world(seen(1, DAY1))
    source = Gdelt(context(made))
    list(source.search(query(Gdelt), date(2026, 1, 1), UNTIL))
    assert "last three months" in source.report.notes[0]
    _, late = search(made)
    assert not any("last three months" in note for note in late.report.notes)


def test_a_killed_query_fetches_no_page_twice() -> None:
    rows = [seen(n, DAY1 + timedelta(hours=n)) for n in range(12)]
    made = world(*rows)
    whole, _ = search(world(*rows))
    real, cursor = made.get, Cursor()

    def get(url: str, **_: Any) -> Response:
        if len(made.asked) == 7:
            made.asked.append(url)
            raise KeyboardInterrupt
        return real(url)

    made.get = get  # type: ignore[method-assign]
    first: list[Item] = []
    source = Gdelt(context(made, cursor=cursor))
    with contextlib.suppress(KeyboardInterrupt):
        for item in source.search(query(Gdelt), SINCE, UNTIL):
            first.append(item)
    rest, resumed = search(again := world(*rows), cursor=Cursor(cursor.load()))
    assert first + rest == whole
    assert set(made.asked[:-1]).isdisjoint(again.asked)
    assert resumed.report.outcomes == {"ok": 6}


# -- the interface's own JSON -----------------------------------------------------------------------


def test_escapes_that_json_does_not_know_stand_for_themselves() -> None:
    body = rb'{"articles": [{"title": "It\'s C:\dir \\ \"so\" \u9c8e \x41", "url": "a\/b"}]}'
    (row,) = read_answer(body)["articles"]
    assert row == {"title": 'It\'s C:\\dir \\ "so" 鲎 \\x41', "url": "a/b"}


def test_control_characters_inside_strings_are_taken() -> None:
    assert read_answer(b'{"a": "one\ttwo\nthree"}') == {"a": "one\ttwo\nthree"}
    assert read_answer(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@given(st.dictionaries(st.text(), st.text() | st.integers()), st.booleans())
def test_sound_json_is_never_mended(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    if any("\ud800" <= char <= "\udfff" for char in text):
        return
    assert read_answer(text.encode()) == value


@given(
    st.text(st.characters(exclude_characters='"\\', exclude_categories=["Cs"]), max_size=30),
    st.integers(0, 30),
)
def test_one_stray_backslash_costs_no_other_character(words: str, place: int) -> None:
    broken = words[:place] + "\\" + "q" + words[place:]
    value = json.dumps({"title": "X", "other": words}, ensure_ascii=False).replace("X", broken, 1)
    assert read_answer(value.encode())["title"] in (broken, broken.replace("\\'", "'"))


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_a_sentence(body: bytes) -> None:
    try:
        value = read_answer(body)
    except ValueError:
        return
    assert isinstance(value, dict)


FIELDS = st.sampled_from(["url", "title", "seendate", "domain"])
ODD = st.none() | st.integers() | st.text(st.characters()) | st.lists(st.integers(), max_size=2)


@settings(max_examples=100)
@given(st.lists(ODD | st.dictionaries(FIELDS, ODD | st.just("http://a.example/x")), max_size=5))
def test_whatever_the_list_holds_the_search_ends(articles: list[Any]) -> None:
    items, source = search(Doc(odd=[(200, json.dumps({"articles": articles}).encode())]))
    assert not items
    assert source.report.outcomes


def test_an_answer_nested_too_deeply_is_no_answer() -> None:
    with pytest.raises(ValueError, match="deeply"):
        read_answer(b'{"a":' + b"[" * 100_000)
