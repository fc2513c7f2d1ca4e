"""A source that takes no more for now ends no query: run again and again, a collection ends as if nobody refused.

Every platform is asked through a proxy that refuses once after each few answers. What was answered is never sent
again, other sources are asked meanwhile, and who does not want to wait takes what is there.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from factory import collect
from factory.errors import LimitReached
from factory.querying import STOPPED
from factory.sections import CollectSettings
from factory.settings import Settings
from factory.workspace import Workspace
from schemas import Coverage, Item, Plan, SourceQuery
from tests.outside_world.world import Request, World
from tests.scripted import make_context
from tests.sources import keyless
from tests.sources import social_platforms as fake
from tests.sources.answering import Asked, answering
from tests.sources.test_reddit import Site, comment, more, submission
from tests.sources.test_x import Platform as Tweets
from tests.sources.test_x import post as tweet

START = datetime(2026, 3, 1, tzinfo=UTC)
SPENT = (403, {"error": {"errors": [{"reason": "quotaExceeded"}]}})
Answer = Callable[[Asked], tuple[int, bytes, Mapping[str, str]]]


def logs_in(asked: Asked) -> bool:
    """Each run logs in anew: its token is kept nowhere."""
    return asked.path.endswith(("access_token", "createSession", "robots.txt"))


@dataclass
class Limited:
    """A proxy before all platforms; `every` answers it refuses one request, 0 for never."""

    answer: Answer
    every: int = 0
    hosts: tuple[str, ...] = ()
    """Hosts that refuse; all of them where none is named."""
    refusal: tuple[int, Any] = (429, {"error": "Too Many Requests"})
    answered: list[Asked] = field(default_factory=list)
    refused: int = 0
    url: str = ""
    _since: int = 0

    def reply(self, sent: Asked) -> tuple[int, bytes, Mapping[str, str]]:
        host = urlsplit(sent.path).hostname or ""
        limits = not logs_in(sent) and (not self.hosts or host in self.hosts)
        if limits and self.every:
            self._since += 1
            if self._since > self.every:
                self._since = 0
                self.refused += 1
                status, body = self.refusal
                return status, json.dumps(body).encode(), {"retry-after": "600"}
        if not logs_in(sent):
            self.answered.append(sent)
        return self.answer(sent)


@contextmanager
def proxied(limited: Limited) -> Iterator[Limited]:
    with answering(limited.reply) as server:
        limited.url = server.url
        yield limited


def platform(found: fake.Platform) -> Answer:
    """One of the invented platforms behind the proxy."""

    def answer(sent: Asked) -> tuple[int, bytes, Mapping[str, str]]:
        parts = urlsplit(sent.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        asked = fake.Asked(sent.method, parts.path, query, dict(sent.headers), sent.body)
        status, value = found.answer(asked)
        return status, value if isinstance(value, bytes) else json.dumps(value).encode(), {}

    return answer


def world(sent: Asked) -> tuple[int, bytes, Mapping[str, str]]:
    """The small invented world: feeds, pages, a Reddit and a Mastodon."""
    request = Request.of(
        sent.method,
        sent.path,
        body=sent.body,
        authorization=sent.headers.get("authorization", ""),
    )
    reply = World().answer(request)
    return reply.status, reply.body, {"content-type": reply.content_type} | dict(reply.headers)


def bluesky() -> Answer:
    posts = [fake.post(n, START + timedelta(hours=3 * n), replies=n % 4) for n in range(150)]
    reply = fake.post(900, START + timedelta(days=3))
    threads = {row["uri"]: fake.node(row, fake.node(reply)) for row in posts}
    return platform(fake.Bluesky(posts=posts, threads=threads))


def youtube() -> Answer:
    at = START + timedelta(days=2)
    replies = [fake.remark(f"c2.r{number}", at, parentId="c2") for number in range(8)]
    threads = [
        fake.talk(fake.remark("c1", at), fake.remark("c1.r1", at, parentId="c1")),
        fake.talk(fake.remark("c2", at), *replies[:2], replies=8),
    ]
    videos = [
        fake.video(f"v{n}", START + timedelta(days=n), comments=9 if n == 1 else 0)
        for n in range(20)
    ]
    return platform(
        fake.Videos(videos=videos, comments={"v1": threads}, replies={"c2": replies}, page=3)
    )


def reddit() -> Answer:
    at = START + timedelta(days=4)
    folds = [more("t3_p1", f"a{n}") for n in range(3)]
    rows = [
        submission(n, START + timedelta(hours=700 - n), comments=5 if n == 1 else 0)
        for n in range(1, 130)
    ]
    return platform(
        Site(
            sorts={"new": rows},
            trees={"p1": [comment("z", at), *folds]},
            folded={f"a{n}": comment(f"a{n}", at) for n in range(3)},
            size=40,
        )
    )


def hacker_news(sent: Asked) -> tuple[int, bytes, Mapping[str, str]]:
    found = keyless.Algolia(
        hits=[keyless.story(n, START + timedelta(hours=9 * n), comments=n % 2) for n in range(70)],
        page=20,
    )
    for root in range(1, 70, 2):
        at = START + timedelta(days=1)
        found.threads[str(root)] = keyless.node(
            root, at, keyless.node(100 * root, at), type="story"
        )
    status, body = found.answer(sent.path)
    return status, body, {}


def twitter() -> Answer:
    found = Tweets([tweet(START + timedelta(hours=2 * n), number=n) for n in range(300)])

    def answer(sent: Asked) -> tuple[int, bytes, Mapping[str, str]]:
        reply = found.get(sent.path, headers=sent.headers, robots=False)
        return reply.status, reply.body, {}

    return answer


def run(
    root: Path, url: str, queries: list[tuple[str, str, int]], named: bool = False, **settings: Any
) -> None:
    addresses = {
        "reddit_url": "http://reddit.example", "reddit_auth_url": "http://reddit.example",
        "mastodon_url": "http://square.example", "hackernews_url": "http://hn.example",
        "bluesky_url": "http://bsky.example", "youtube_url": "http://tube.example",
        "x_url": "http://x.example",
    }  # fmt: skip
    made = Settings(collect=CollectSettings(proxy=url, **(addresses | settings)))
    sources = tuple(dict.fromkeys(source for source, _, _ in queries)) if named else ()
    ctx = make_context(root, "collect", settings=made, sources=sources)
    plan = Plan.model_validate_json(
        """{"topic": "a ferry", "title": "Ferry", "since": "2026-03-01", "until": "2026-03-31",
        "zone": "UTC", "languages": ["en"], "domain": "transport", "stance_target": "the ferry"}"""
    )
    if any(source in ("mastodon", "rss") for source, _, _ in queries):
        plan = plan.model_copy(update={"since": START.date().replace(year=2025, month=11)})
    asked = tuple(
        SourceQuery(source=source, query=words, lang="en", max_items=most)
        for source, words, most in queries
    )
    ctx.workspace.write(collect.PLAN, plan.model_copy(update={"queries": asked}))
    asyncio.run(collect.run(ctx))


def again_and_again(root: Path, *args: Any, **settings: Any) -> list[str]:
    """Run until the stage is done; what each stopped run said."""
    said: list[str] = []
    while len(said) < 200:
        try:
            run(root, *args, **settings)
        except LimitReached as error:
            said.append(str(error))
        else:
            return said
    raise AssertionError("the collection never ends")


def outcome(root: Path) -> tuple[bytes, list[Coverage]]:
    workspace = Workspace(root)
    return workspace.path(collect.ITEMS).read_bytes(), workspace.read_lines(
        Coverage, collect.COVERAGE
    )


def key(sent: Asked) -> tuple[str, str, bytes]:
    """What was asked for; a listing that goes on says how much of it is left, and where it stands."""
    address = sent.path
    if "reddit.example" in address:
        address = "&".join(sorted(re.split("[?&]", re.sub(r"limit=\d+", "", address))))
    return sent.method, address, sent.body


PLATFORMS: dict[str, tuple[Callable[[], Answer], list[tuple[str, str, int]], tuple[int, Any]]] = {
    "bluesky": (bluesky, [("bluesky", "ferry", 90)], (429, {"error": "RateLimitExceeded"})),
    "youtube": (youtube, [("youtube", "ferry", 40)], SPENT),
    "reddit": (reddit, [("reddit", "r/ferries: ferry", 80)], (429, {})),
    "hackernews": (lambda: hacker_news, [("hackernews", "ferry", 60)], (429, {})),
    "x": (twitter, [("x", "ferry", 30)], (429, {"title": "Too Many Requests"})),
    "mastodon": (
        lambda: world,
        [("mastodon", "#HouweiFerry", 9), ("mastodon", "ferry", 50)],
        (429, {}),
    ),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLUESKY_HANDLE", "reader.example")
    monkeypatch.setenv("BLUESKY_APP_PASSWORD", "abcd-efgh")
    monkeypatch.setenv("YOUTUBE_API_KEY", "AIza-secret")


@pytest.mark.parametrize(
    ("name", "every", "named"),
    [
        *((name, 1, False) for name in sorted(PLATFORMS)),
        ("mastodon", 3, True),
        ("youtube", 4, True),
    ],
)
def test_a_collection_refused_again_and_again_ends_as_one_that_was_not(
    name: str, every: int, named: bool, tmp_path: Path
) -> None:
    make, queries, refusal = PLATFORMS[name]
    with proxied(Limited(make())) as free:
        assert again_and_again(tmp_path / "free", free.url, queries, named) == []
    with proxied(Limited(make(), every, refusal=refusal)) as limited:
        said = again_and_again(tmp_path / "limited", limited.url, queries, named)
    assert len(said) == limited.refused > 0
    assert Counter(map(key, limited.answered)) == Counter(map(key, free.answered)), (
        "an answered request was sent again, or one was left out"
    )
    (items, coverage), (expected, whole) = outcome(tmp_path / "limited"), outcome(tmp_path / "free")
    assert items == expected
    assert items.count(b"\n") > 5
    for row, wanted in zip(coverage, whole, strict=True):
        times = row.outcomes.pop("blocked", 0) - wanted.outcomes.pop("blocked", 0)
        assert (STOPPED in row.note) == (times > 0)
        note = row.note.replace(STOPPED, "").strip("; ")
        assert row.model_copy(update={"note": note}) == wanted
    for sentence in said:
        assert "what was found is kept" in sentence
        assert "run again then" in sentence
        assert 'collect.on_limit to "accept"' in sentence


def test_the_other_sources_are_asked_and_the_stage_stays_unfinished(tmp_path: Path) -> None:
    queries = [
        ("mastodon", "#HouweiFerry", 200),
        ("mastodon", "ferry", 200),
        ("rss", "http://www.landucourier.example/feeds/houwei-ferry.rss", 200),
        ("reddit", "r/landu: ferry", 200),
    ]
    with proxied(Limited(world, 1, hosts=("square.example",))) as limited:
        with pytest.raises(LimitReached, match=r"^2 queries wait") as caught:
            run(tmp_path, limited.url, queries)
        assert caught.value.exit_code == 3
        assert "for 10 minutes" in str(caught.value)
        hosts = Counter(urlsplit(sent.path).hostname for sent in limited.answered)
        assert hosts["reddit.example"]
        assert hosts["www.landucourier.example"] > 3
        assert limited.refused == 1, "a source that refuses is not asked by its next query"
        workspace = Workspace(tmp_path)
        assert not workspace.path(collect.ITEMS).exists()
        before = len(limited.answered)
        limited.every = 0
        run(tmp_path, limited.url, queries)
        later = {urlsplit(sent.path).hostname for sent in limited.answered[before:]}
    assert later == {"square.example"}
    assert {row.source for row in workspace.read_lines(Coverage, collect.COVERAGE)} == {
        "mastodon", "rss", "reddit"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["bluesky", "hackernews", "mastodon", "reddit", "youtube"])
def test_who_does_not_want_to_wait_takes_what_is_there(name: str, tmp_path: Path) -> None:
    make, queries, refusal = PLATFORMS[name]
    with proxied(Limited(make(), 3, refusal=refusal)) as limited:
        with pytest.raises(LimitReached):
            run(tmp_path, limited.url, queries)
        before, limited.every = list(map(key, limited.answered)), 1
        run(tmp_path, limited.url, queries, on_limit="accept")
    assert not set(before) & set(map(key, limited.answered[len(before) :]))
    workspace = Workspace(tmp_path)
    assert workspace.read_lines(Item, collect.ITEMS)
    rows = workspace.read_lines(Coverage, collect.COVERAGE)
    assert any(row.capped and row.outcomes["blocked"] for row in rows)
    assert all("run again" not in row.note for row in rows)


def test_later_queries_leave_the_places_of_those_that_wait(tmp_path: Path) -> None:
    queries = [("reddit", "r/ferries: ferry", 80), ("hackernews", "ferry", 60)]
    first = reddit()

    def both(sent: Asked) -> tuple[int, bytes, Mapping[str, str]]:
        return hacker_news(sent) if "hn.example" in sent.path else first(sent)

    with proxied(Limited(both)) as free:
        run(tmp_path / "free", free.url, queries, max_items=100)
    with proxied(Limited(both, 2, hosts=("reddit.example",))) as limited:
        said = again_and_again(tmp_path / "limited", limited.url, queries, max_items=100)
    assert said[0].startswith("2 queries wait")
    assert outcome(tmp_path / "limited")[0] == outcome(tmp_path / "free")[0]
    assert Counter(map(key, limited.answered)) == Counter(map(key, free.answered))
