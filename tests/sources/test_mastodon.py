"""Mastodon statuses and pages: boosts, replies, edits, links, tokens."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import SourceQuery
from sources.base import SourceContext, SourceError
from sources.http import Response
from sources.mastodon import Mastodon, snowflake, snowflake_time


def status(at: datetime, **extra: Any) -> dict[str, Any]:
    return {
        "id": str(snowflake(at)), "created_at": at.isoformat(), "content": "<p>The ferry &amp; the bus</p>",
        "visibility": "public", "account": {"acct": "a", "uri": "http://s.example/a"}, "spoiler_text": "",
        "replies_count": 1, "reblogs_count": 2, "favourites_count": 3, "reblog": None,
    } | extra  # fmt: skip


class Pages:
    """Answers in order; keeps what was asked."""

    def __init__(self, *answers: tuple[int, Any, str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, dict[str, str]]] = []

    def get(self, url: str, headers: dict[str, str], **_: object) -> Response:
        self.asked.append((url, headers))
        code, body, link = self.answers.pop(0)
        outcome: Any = "ok" if code == 200 else "blocked"
        return Response(url, code, {"link": link}, json.dumps(body).encode(), outcome)


def search(pages: Pages, query: str = "#ferry", **env: str) -> tuple[list[Any], Mastodon]:
    context = SourceContext(
        fetched_at=datetime(2026, 6, 1, tzinfo=UTC), zone="Asia/Shanghai", salt="s", env=env,
        http=pages, settings={"mastodon_url": "http://s.example"},  # type: ignore[arg-type]
    )  # fmt: skip
    source = Mastodon(context)
    asked = SourceQuery(source="mastodon", query=query, lang="en", max_items=3)
    return list(source.search(asked, date(2026, 3, 1), date(2026, 3, 31))), source


INSIDE = datetime(2026, 3, 5, 8, tzinfo=UTC)
NEXT = '<http://s.example/api/v1/timelines/tag/ferry?max_id=9>; rel="next"'


@given(st.datetimes(datetime(2016, 1, 1), datetime(2030, 1, 1)))  # noqa: DTZ001
def test_ids_carry_their_time(at: datetime) -> None:
    at = at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC)
    assert abs((snowflake_time(snowflake(at)) - at).total_seconds()) < 0.002


def test_a_hashtag_is_entered_at_the_window_and_pages_follow_the_link() -> None:
    older = datetime(2026, 3, 4, tzinfo=UTC)
    pages = Pages((200, [status(INSIDE)], NEXT), (200, [status(older)], ""))
    items, source = search(pages)
    assert [item.text for item in items] == ["The ferry & the bus"] * 2
    assert items[0].engagement == {"replies": 1, "reposts": 2, "likes": 3}
    asked = parse_qs(urlsplit(pages.asked[0][0]).query)
    assert snowflake_time(int(asked["since_id"][0])) == datetime(2026, 2, 28, 16, tzinfo=UTC)
    assert snowflake_time(int(asked["max_id"][0])) == datetime(2026, 3, 31, 16, tzinfo=UTC)
    assert source.report.outcomes == {"ok": 2}


def test_the_token_never_follows_a_link_to_another_host() -> None:
    pages = Pages((200, [status(INSIDE)], '<http://evil.example/x>; rel="next"'))
    _, source = search(pages, MASTODON_TOKEN="t")
    assert [url.startswith("http://s.example/") for url, _ in pages.asked] == [True]
    assert pages.asked[0][1] == {"authorization": "Bearer t"}
    assert "another host" in source.report.notes[0]


def test_boosts_are_unwrapped_and_private_or_wordless_posts_refused() -> None:
    rows = [
        status(INSIDE, content="", reblog=status(datetime(2025, 1, 1, tzinfo=UTC), content="old")),
        status(datetime(2026, 3, 5, 7, tzinfo=UTC), visibility="private"),
        status(datetime(2026, 3, 5, 6, tzinfo=UTC), content="<p></p>"),
        {"id": "1"},
        status(
            datetime(2026, 3, 5, 5, tzinfo=UTC),
            in_reply_to_id="7",
            edited_at="2026-03-06T00:00:00Z",
        ),
    ]
    items, source = search(Pages((200, rows, "")))
    assert [(item.text, item.kind) for item in items] == [
        ("old", "post"),
        ("The ferry & the bus", "comment"),
    ]
    assert items[1].confidence < items[0].confidence
    assert sorted(row.reason for row in source.report.refusals) == [
        "no words",
        "not a status",
        "not public",
    ]


def test_a_cap_is_said() -> None:
    rows = [status(datetime(2026, 3, 5, hour, tzinfo=UTC)) for hour in range(9, 2, -1)]
    items, source = search(Pages((200, rows, "")))
    assert len(items) == 3
    assert source.report.capped


def test_words_need_a_token_and_a_bad_token_is_one_sentence() -> None:
    items, source = search(Pages(), "ferry closure")
    assert not items
    assert "MASTODON_TOKEN" in source.report.notes[0]
    with pytest.raises(SourceError, match="valid token"):
        search(Pages((401, {}, "")), "ferry closure", MASTODON_TOKEN="bad")
