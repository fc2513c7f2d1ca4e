"""Asking whether things still exist: the very requests, and that a failure never reads as a deletion."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources import existence
from sources.base import Connector, Report, SourceContext, SourceError
from sources.bluesky import Bluesky
from sources.hackernews import HackerNews
from sources.mastodon import Mastodon
from sources.reddit import Reddit
from sources.youtube import YouTube
from tests.sources.answering import Asked, Server, answering, client

ENV = {
    "REDDIT_CLIENT_ID": "an-id",
    "REDDIT_CLIENT_SECRET": "a-secret",
    "YOUTUBE_API_KEY": "a-key",
    "MASTODON_TOKEN": "a-token",
}
ADDRESSES = (
    "hackernews_items_url",
    "mastodon_url",
    "bluesky_public_url",
    "youtube_url",
    "reddit_url",
    "reddit_auth_url",
)


def source(kind: type[Connector], server: Server) -> Connector:
    """A connector whose addresses all lead to the server."""
    return kind(
        SourceContext(
            fetched_at=datetime(2026, 6, 1, tzinfo=UTC),
            zone="UTC",
            salt="s",
            http=client(),
            env=ENV,
            settings=dict.fromkeys(ADDRESSES, server.url) | {"user_agent": "factory tests"},
        )
    )


def body(value: object, status: int = 200) -> tuple[int, bytes]:
    return status, json.dumps(value).encode()


def listed(asked: Asked, name: str) -> list[str]:
    return parse_qs(urlsplit(asked.path).query)[name]


# -- each platform ---------------------------------------------------------------------------------


def test_hacker_news_is_asked_item_by_item_on_the_site_itself() -> None:
    items: dict[str, Any] = {
        "1": {"id": 1, "type": "story", "title": "there"},
        "2": {"id": 2, "deleted": True},
        "3": {"id": 3, "dead": True, "type": "comment"},
        "4": None,
    }

    def answer(asked: Asked) -> tuple[int, bytes]:
        return body(items[asked.path.removeprefix("/item/").removesuffix(".json")])

    with answering(answer) as server:
        found = source(HackerNews, server).still_there(["1", "2", "3", "4"])
    assert found == {"1": True, "2": False, "3": False, "4": False}
    assert server.paths == [f"/item/{number}.json" for number in range(1, 5)]


def test_bluesky_is_asked_25_posts_a_call_without_credentials() -> None:
    uris = [f"at://did:plc:abc/app.bsky.feed.post/3k{number}" for number in range(30)]

    def answer(asked: Asked) -> tuple[int, bytes]:
        return body({"posts": [{"uri": uri} for uri in listed(asked, "uris") if uri != uris[7]]})

    with answering(answer) as server:
        found = source(Bluesky, server).still_there(uris)
    assert [uri for uri, there in found.items() if there is False] == [uris[7]]
    assert list(found.values()).count(True) == 29
    assert [len(listed(asked, "uris")) for asked in server.asked] == [25, 5]
    assert all("authorization" not in asked.headers for asked in server.asked)


def test_youtube_asks_videos_and_comments_apart_with_the_key_in_a_header() -> None:
    videos = [f"video{number:06d}" for number in range(51)]
    comments = ["UgzComment0000000001", "UgzComment0000000002.reply"]

    def answer(asked: Asked) -> tuple[int, bytes]:
        gone = {videos[0], comments[1]}
        return body(
            {"items": [{"id": i} for i in listed(asked, "id")[0].split(",") if i not in gone]}
        )

    with answering(answer) as server:
        found = source(YouTube, server).still_there([*videos, *comments])
    assert [native for native, there in found.items() if there is False] == [videos[0], comments[1]]
    asked = [
        (urlsplit(row.path).path, len(listed(row, "id")[0].split(","))) for row in server.asked
    ]
    assert asked == [("/videos", 50), ("/videos", 1), ("/comments", 2)]
    assert all(row.headers["x-goog-api-key"] == "a-key" for row in server.asked)
    assert all("a-key" not in row.path and listed(row, "part") == ["id"] for row in server.asked)


def test_youtube_comments_that_are_all_gone_are_found_out_one_by_one() -> None:
    comments = [f"UgzComment000000000{number}" for number in range(4)]

    def answer(asked: Asked) -> tuple[int, bytes]:
        here = [i for i in listed(asked, "id")[0].split(",") if i == comments[2]]
        return body({"items": [{"id": i} for i in here]}) if here else body({"error": {}}, 404)

    with answering(answer) as server:
        found = source(YouTube, server).still_there(comments)
        alone = source(YouTube, server).still_there(comments[:2])
    assert found == {native: native == comments[2] for native in comments}
    assert alone == dict.fromkeys(comments[:2], False)


def test_a_wrong_youtube_key_is_one_sentence() -> None:
    error = {"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}
    with (
        answering(lambda _: body(error, 400)) as server,
        pytest.raises(SourceError, match="YOUTUBE_API_KEY"),
    ):
        source(YouTube, server).still_there(["jNQXAC9IVRw"])


@pytest.mark.parametrize("odd", ["secret\nline", "sch\u00fcssel", "secret words", ""])
def test_a_credential_that_no_header_can_hold_is_refused_unprinted(odd: str) -> None:
    asks: list[Callable[[], object]] = [
        lambda: existence.youtube(client(), Report(), "http://127.0.0.1:9", odd, ["jNQXAC9IVRw"]),
        lambda: existence.x(client(), Report(), "http://127.0.0.1:9", odd, ["20"]),
    ]
    if odd:
        asks.append(
            lambda: existence.mastodon(client(), Report(), "http://127.0.0.1:9", odd, ["1"])
        )
    for ask in asks:
        with pytest.raises(SourceError, match="copy it again") as told:
            ask()
        assert not odd or odd.strip() not in str(told.value)


def test_mastodon_is_asked_status_by_status_with_the_token() -> None:
    def answer(asked: Asked) -> tuple[int, bytes]:
        native = asked.path.rpartition("/")[2]
        return body({"error": "Record not found"}, 404) if native == "12" else body({"id": native})

    with answering(answer) as server:
        found = source(Mastodon, server).still_there(["11", "12", "13"])
    assert found == {"11": True, "12": False, "13": True}
    assert server.paths == [f"/api/v1/statuses/{number}" for number in (11, 12, 13)]
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer a-token"}


def test_an_instance_that_knows_none_of_the_statuses_proves_nothing() -> None:
    with answering(lambda _: body({"error": "Record not found"}, 404)) as server:
        mastodon = source(Mastodon, server)
        assert mastodon.still_there(["11", "12", "13"]) == dict.fromkeys(["11", "12", "13"])
        assert "collect.mastodon_url" in mastodon.report.notes[0]


@pytest.mark.parametrize(
    ("statuses", "noted"),
    [
        ([503] * 4, 0),
        ([429] * 4, 0),
        ([404, 503, 503, 503], 1),
        ([404] * 4, 4),
        ([410, 404, 503, 404], 3),
    ],
)
def test_mastodon_is_called_another_instance_by_its_answers_alone(
    statuses: list[int], noted: int
) -> None:
    waiting = list(statuses)
    with answering(lambda asked: (waiting.pop(0), b"{}")) as server:
        mastodon = source(Mastodon, server)
        ids = ["11", "12", "13", "14"]
        assert mastodon.still_there(ids) == dict.fromkeys(ids)
        assert server.paths[0] == "/api/v1/statuses/11"
    told = [note for note in mastodon.report.notes if "another instance" in note]
    assert len(told) == bool(noted)
    assert all(f"none of {noted} statuses" in note for note in told)


def test_an_instance_that_is_not_there_is_not_called_another() -> None:
    with answering(lambda asked: (200, b"{}")) as server:
        mastodon = source(Mastodon, server)
    assert mastodon.still_there(["11", "12", "13"]) == dict.fromkeys(["11", "12", "13"])
    assert not any("another instance" in note for note in mastodon.report.notes)


def test_mastodon_leaves_the_pace_that_it_allows() -> None:
    slept: list[float] = []
    with answering(lambda asked: body({"id": asked.path.rpartition("/")[2]})) as server:
        http = client(sleep=slept.append, clock=lambda: 0.0)
        existence.mastodon(http, Report(), server.url, "", ["1", "2", "3", "4"])
    assert len(slept) == 3
    assert all(seconds >= 1.0 for seconds in slept)


def test_reddit_is_asked_by_fullnames_100_a_call_through_praw() -> None:
    names = [f"t3_p{number}" for number in range(100)] + ["t1_c1", "t1_c2", "t1_c3"]
    things: dict[str, dict[str, Any]] = {
        "t3_p1": {"title": "a", "selftext": "[removed]"},
        "t3_p2": {"title": "a link", "selftext": "", "removed_by_category": "deleted"},
        "t1_c1": {"body": "[deleted]"},
        "t1_c2": {"body": "words of an account that was deleted", "author": None},
    }

    def answer(asked: Asked) -> tuple[int, bytes]:
        if asked.path.endswith("/access_token"):
            return body(
                {"access_token": "t", "token_type": "bearer", "expires_in": 3600, "scope": "*"}
            )
        wanted = [name for name in listed(asked, "id")[0].split(",") if name != "t1_c3"]
        children = [
            {
                "kind": name[:2],
                "data": {"id": name[3:], "name": name, "author": "someone"} | things.get(name, {}),
            }
            for name in wanted
        ]
        return body({"kind": "Listing", "data": {"children": children, "after": None}})

    with answering(answer) as server:
        found = source(Reddit, server).still_there(names)
    assert {name for name, there in found.items() if not there} == {
        "t3_p1",
        "t3_p2",
        "t1_c1",
        "t1_c3",
    }
    assert None not in found.values()
    calls = [asked for asked in server.asked if "/api/info" in asked.path]
    assert [len(listed(asked, "id")[0].split(",")) for asked in calls] == [100, 3]


def test_x_tells_the_gone_from_what_it_does_not_mention() -> None:
    def answer(_: Asked) -> tuple[int, bytes]:
        problem = "https://api.twitter.com/2/problems/"
        return body(
            {
                "data": [{"id": "1"}],
                "errors": [
                    {"resource_id": "2", "value": "2", "type": problem + "resource-not-found"},
                    {"value": "3", "type": problem + "not-authorized-for-resource"},
                    {"resource_id": "4", "type": problem + "operational-disconnect"},
                ],
            }
        )

    with answering(answer) as server:
        found = existence.x(
            client(), Report(), server.url, "bearer-of-x", ["1", "2", "3", "4", "5"]
        )
    assert found == {"1": True, "2": False, "3": False, "4": None, "5": None}
    assert server.paths == ["/2/tweets?ids=1,2,3,4,5"]
    assert server.asked[0].headers["authorization"] == "Bearer bearer-of-x"


def test_pages_are_gone_by_status_alone() -> None:
    statuses = {"/a": 200, "/b": 404, "/c": 410, "/d": 403, "/e": 500}

    def answer(asked: Asked) -> tuple[int, bytes]:
        return statuses.get(asked.path, 404), b"<html>words that are not read</html>"

    with answering(answer) as server:
        addresses = [server.url + path for path in statuses]
        found = existence.pages(client(), Report(), [*addresses, "ftp://old.example/f"])
    assert list(found.values()) == [True, False, False, None, None, None]


# -- what holds for all ----------------------------------------------------------------------------

FAILURES: tuple[tuple[int, bytes], ...] = (
    (500, b"{}"),
    (429, b"{}"),
    (403, b"{}"),
    (200, b"<html>sign in</html>"),
    (200, b"[]"),
    (200, b'{"unexpected": 1}'),
    (200, b'"a string"'),
    (200, b""),
)
IDS: dict[type[Connector], list[str]] = {
    HackerNews: ["1", "2"],
    Bluesky: [f"at://did:plc:abc/app.bsky.feed.post/{number}" for number in range(60)],
    YouTube: ["jNQXAC9IVRw", "UgzComment0000000001"],
    Mastodon: ["11", "12"],
    Reddit: ["t3_a", "t1_b"],
}


@pytest.mark.parametrize(
    ("kind", "status", "data"),
    [
        pytest.param(kind, status, data, id=f"{kind.name}-{status}-{data.decode()[:12]}")
        for kind in IDS
        for status, data in FAILURES
        if kind is not Reddit or status in (200, 403)  # praw repeats the others for many seconds
    ],
)
def test_a_failure_is_never_a_deletion(kind: type[Connector], status: int, data: bytes) -> None:
    def answer(asked: Asked) -> tuple[int, bytes]:
        if asked.path.endswith("/access_token"):
            return body(
                {"access_token": "t", "token_type": "bearer", "expires_in": 3600, "scope": "*"}
            )
        return status, data

    with answering(answer) as server:
        asked = source(kind, server)
        found = asked.still_there(IDS[kind])
    assert found == dict.fromkeys(IDS[kind])
    assert asked.report.refusals


def test_refused_reddit_credentials_delete_nothing() -> None:
    with answering(lambda _: body({"error": 401}, 401)) as server:
        reddit = source(Reddit, server)
        assert reddit.still_there(["t3_a"]) == {"t3_a": None}
    assert reddit.report.refusals[0].detail


def test_a_platform_that_keeps_failing_is_asked_no_more() -> None:
    with answering(lambda _: (500, b"{}")) as server:
        news = source(HackerNews, server)
        found = news.still_there([str(number) for number in range(50)])
    assert set(found.values()) == {None}
    assert len(server.asked) == existence.MOST_FAILURES
    assert "asked no more" in " ".join(news.report.notes)


@pytest.mark.parametrize("kind", IDS, ids=lambda kind: kind.name)
def test_what_is_no_id_is_not_asked(kind: type[Connector]) -> None:
    odd = ["", "../../admin", "1,2", "a b", "x?y=1", "id\n2"]

    def answer(asked: Asked) -> tuple[int, bytes]:
        raise AssertionError(asked.path)

    with answering(answer) as server:
        found = source(kind, server).still_there(odd)
    assert found == dict.fromkeys(odd)
    assert not server.asked


@given(
    ids=st.lists(st.text(alphabet="0123456789", min_size=1, max_size=6), max_size=40),
    size=st.integers(1, 9),
    failing=st.sets(st.integers(0, 40)),
)
@settings(max_examples=80)
def test_every_id_is_answered_once_and_failed_calls_leave_it_open(
    ids: list[str], size: int, failing: set[int]
) -> None:
    calls: list[list[str]] = []

    def ask(batch: list[str]) -> dict[str, bool | None]:
        calls.append(batch)
        if len(calls) in failing:
            raise existence.NoAnswer
        return dict.fromkeys(batch, True)

    found = existence.in_batches(ids, size, ask, Report(), existence._NUMBER)
    assert set(found) == set(ids)
    asked = [native for batch in calls for native in batch]
    assert len(asked) == len(set(asked))
    answered = {n for number, batch in enumerate(calls, 1) if number not in failing for n in batch}
    assert {native for native, there in found.items() if there} == answered


def test_a_connector_without_the_method_knows_nothing() -> None:
    class Plain(Connector):
        name = "plain"

    ask: Callable[[Sequence[str]], Any] = Plain(
        SourceContext(fetched_at=datetime(2026, 6, 1, tzinfo=UTC), zone="UTC", salt="s")
    ).still_there
    assert ask(["a", "b"]) == {"a": None, "b": None}


def test_addresses_are_sent_whole() -> None:
    uri = "at://did:web:example.org/app.bsky.feed.post/3k:a~b"
    with answering(lambda asked: body({"posts": [{"uri": uri}]})) as server:
        assert source(Bluesky, server).still_there([uri]) == {uri: True}
    assert unquote(server.paths[0]).endswith(f"uris={uri}")
