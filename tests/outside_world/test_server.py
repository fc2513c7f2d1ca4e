"""The server of the invented world answers as a proxy, as Mastodon and, to praw, as Reddit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from tests.outside_world.server import Served, running
from tests.outside_world.story import ROOT, fetch, read_pages, read_posts, the_world
from tests.outside_world.world import MASTODON_HOST, REDDIT_HOST
from tests.waiting import PATIENCE


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running() as server:
        yield server


def _open(served: Served, address: str, **headers: str) -> tuple[int, str, Any]:
    """Status, body and headers of a request sent through the server as a proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": served.url}))
    try:
        with opener.open(
            urllib.request.Request(address, headers=headers), timeout=PATIENCE
        ) as reply:
            return reply.status, reply.read().decode("utf-8"), reply.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8"), error.headers


def test_server_is_a_proxy_for_its_hosts_and_logs(served: Served) -> None:
    page = read_pages()[0]
    status, body, headers = _open(served, page.address + "?utm_source=x")
    assert status == 200
    assert body == fetch(page.address)
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert f"GET 200 {page.address}?utm_source=x" in served.log


def test_server_answers_by_host_header(served: Served) -> None:
    request = urllib.request.Request(
        served.url + "/feed.atom", headers={"Host": "harbourledger.example"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        assert b"The Harbour Ledger" in reply.read()


def test_unknown_hosts_and_pages_are_errors(served: Served) -> None:
    assert _open(served, "http://nowhere.example/")[0] == 502
    assert _open(served, "http://harbourledger.example/nothing")[0] == 404


def test_server_starts_from_the_command_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.outside_world.server", "--port", "0"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        assert "listens on http://127.0.0.1:" in process.stderr.readline()
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
        assert process.stderr is not None
        process.stderr.close()


# Mastodon


def _walk_tag(served: Served, tag: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    address = f"http://{MASTODON_HOST}/api/v1/timelines/tag/{urllib.parse.quote(tag)}?limit=40"
    for _ in range(10):
        status, body, headers = _open(served, address)
        assert status == 200
        found += json.loads(body)
        match = re.search(r'<([^>]+)>; rel="next"', headers.get("Link", ""))
        if match is None:
            return found
        address = match.group(1)
    raise AssertionError("paging does not end")


def test_hashtag_timeline_is_walked_by_link_headers(served: Served) -> None:
    english, chinese = _walk_tag(served, "HouweiFerry"), _walk_tag(served, "鲎尾渡轮")
    everything = english + chinese
    assert len({status["id"] for status in everything}) == len(everything)
    assert len(everything) == sum(post.platform == "mastodon" for post in read_posts())
    newest_first = [int(status["id"]) for status in english]
    assert newest_first == sorted(newest_first, reverse=True)
    assert len(english) > 5
    for status in everything:
        millis = datetime.fromisoformat(status["created_at"]).timestamp() * 1000
        assert int(status["id"]) >> 16 == millis
    assert sum(status["reblog"] is not None for status in everything) == 1


def test_min_id_walks_upwards_and_max_id_downwards() -> None:
    tag = f"http://{MASTODON_HOST}/api/v1/timelines/tag/houweiferry"
    newest_first = [
        s for s in the_world().mastodon.statuses if s["reblog"] or s["language"] == "en"
    ]
    ids = [status["id"] for status in newest_first]
    above = json.loads(fetch(f"{tag}?min_id={ids[-1]}&limit=2"))
    assert [status["id"] for status in above] == ids[-3:-1]
    below = json.loads(fetch(f"{tag}?max_id={ids[0]}&limit=2"))
    assert [status["id"] for status in below] == ids[1:3]


def test_search_shows_no_statuses_without_a_token(served: Served) -> None:
    address = f"http://{MASTODON_HOST}/api/v2/search?q=ferry&type=statuses"
    assert json.loads(_open(served, address)[1])["statuses"] == []
    found = json.loads(_open(served, address, Authorization="Bearer x")[1])["statuses"]
    assert found


# Reddit, through praw


@pytest.fixture
def reddit(served: Served, monkeypatch: pytest.MonkeyPatch) -> Any:
    praw = pytest.importorskip("praw")
    monkeypatch.setenv("http_proxy", served.url)
    monkeypatch.setenv("no_proxy", "")
    return praw.Reddit(
        client_id="client",
        client_secret="secret",
        user_agent="test",
        reddit_url=f"http://{REDDIT_HOST}",
        oauth_url=f"http://{REDDIT_HOST}",
        check_for_updates=False,
    )


def test_praw_finds_every_thread_of_the_story(reddit: Any) -> None:
    found = list(reddit.subreddit("landu").search("Houwei ferry", sort="new", limit=None))
    stored = [
        post for post in read_posts() if post.platform == "reddit" and post.key.startswith("1")
    ]
    assert {submission.id for submission in found} == {post.key for post in stored}
    times = [submission.created_utc for submission in found]
    assert times == sorted(times, reverse=True)
    assert all(submission.created - submission.created_utc == 28800 for submission in found)
    assert [s.id for s in reddit.subreddit("landu").new(limit=2)] == [s.id for s in found[:2]]


def test_praw_reads_whole_trees_with_folded_and_deleted_comments(reddit: Any) -> None:
    ids: set[str] = set()
    deleted = 0
    for submission in reddit.subreddit("all").search("ferry", limit=None):
        submission.comments.replace_more(limit=None)
        comments = submission.comments.list()
        assert len(comments) == submission.num_comments
        ids |= {comment.id for comment in comments}
        deleted += sum(comment.author is None for comment in comments)
    assert ids == {
        p.key for p in read_posts() if p.platform == "reddit" and p.key.startswith(("n", "o"))
    }
    assert deleted == 1


def test_reddit_refuses_calls_without_its_token(served: Served) -> None:
    assert _open(served, f"http://{REDDIT_HOST}/r/landu/new")[0] == 403
