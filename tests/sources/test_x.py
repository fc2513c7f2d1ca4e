"""X: what is asked of it, what its posts become, limits that stop a query instead of sleeping, recorded answers."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item, Origin, SourceQuery
from sources.base import Cursor, Paused, Report, SourceContext, SourceError
from sources.http import Response
from sources.x import X
from sources.x_json import id_time, post_item

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
START = datetime(2026, 3, 1, tzinfo=UTC)
INSIDE = datetime(2026, 3, 5, 8, tzinfo=UTC)
FETCHED = datetime(2026, 6, 1, tzinfo=UTC)
PLAIN = SourceContext(fetched_at=FETCHED, zone="UTC", salt="s")


def identity(at: datetime, number: int = 0) -> str:
    return str(((int(at.timestamp() * 1000) - 1288834974657) << 22) + number)


def post(
    at: datetime, text: str = "The ferry stops, they say.", number: int = 0, **extra: Any
) -> dict[str, Any]:
    native = identity(at, number)
    return {
        "id": native, "text": text, "author_id": f"9{number}", "conversation_id": native, "lang": "en",
        "created_at": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "edit_history_tweet_ids": [native],
        "public_metrics": {
            "like_count": 3, "retweet_count": 2, "reply_count": 0, "quote_count": 1, "impression_count": 90,
        },
    } | extra  # fmt: skip


def talked(at: datetime, replies: int, **extra: Any) -> dict[str, Any]:
    return post(at, public_metrics={"reply_count": replies}, **extra)


@dataclass
class Platform:
    """A search in the place of the guarded client: newest first, paged by token, failing by request."""

    posts: list[dict[str, Any]] = field(default_factory=list)
    includes: list[dict[str, Any]] = field(default_factory=list)
    failures: dict[int, tuple[int, Any, dict[str, str]]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    paced: dict[str, float] = field(default_factory=dict)

    def pace(self, url: str, seconds: float) -> None:
        self.paced[url] = seconds

    def get(self, url: str, headers: dict[str, str], robots: bool) -> Response:
        assert robots is False
        self.asked.append((url, headers))
        if (failure := self.failures.get(len(self.asked) - 1)) is not None:
            status, body, sent = failure
            outcome: Any = {
                200: "ok",
                401: "blocked",
                402: "blocked",
                403: "blocked",
                429: "blocked",
            }.get(status, "error")
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            return Response(url, status, sent, data, outcome, f"status {status}")
        query = self.queries()[-1]
        start, end = (datetime.fromisoformat(query[name]) for name in ("start_time", "end_time"))
        words = query["query"].split()
        root = words[0].removeprefix("conversation_id:") if words[0].startswith("conv") else ""
        found = [
            row
            for row in sorted(self.posts, key=lambda row: -int(row["id"]))
            if start <= datetime.fromisoformat(row["created_at"]) < end
            and (row["conversation_id"] == root if root else not row.get("under"))
        ]
        first = int(query.get("next_token", "t0")[1:])
        last = first + int(query["max_results"])
        meta = {"result_count": len(found[first:last])} | (
            {"next_token": f"t{last}"} if last < len(found) else {}
        )
        body = {"data": found[first:last], "meta": meta, "includes": {"tweets": self.includes}}
        return Response(url, 200, {}, json.dumps(body).encode(), "ok")

    def queries(self) -> list[dict[str, str]]:
        return [
            {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
            for url, _ in self.asked
        ]


def source(
    platform: Any,
    cursor: Cursor | None = None,
    fetched: datetime = FETCHED,
    token: str = "t0k-en",
    **settings: Any,
) -> X:
    pytest.importorskip("tweepy", reason="the extra x (tweepy) is not installed")
    return X(
        SourceContext(
            fetched_at=fetched, zone="UTC", salt="s", env={"X_BEARER_TOKEN": token}, http=platform,
            settings=settings, cursor=cursor or Cursor(),
        )
    )  # fmt: skip


def search(
    platform: Any, words: str = "ferry", most: int = 300, **options: Any
) -> tuple[list[Item], X]:
    made = source(platform, **options)
    asked = SourceQuery(source="x", query=words, lang="en", max_items=most)
    return list(made.search(asked, SINCE, UNTIL)), made


# -- asking ---------------------------------------------------------------------------------------


def test_author_time_long_text_and_counts_are_asked_for_and_reposts_are_not() -> None:
    platform = Platform([post(INSIDE)])
    (item,), made = search(platform, "ferry OR boat", most=30, token=" t0k-en\n")
    url, headers = platform.asked[-1]
    query = platform.queries()[-1]
    assert url.startswith("https://api.x.com/2/tweets/search/all?")
    assert headers == {"authorization": "Bearer t0k-en"}
    assert query["query"] == "(ferry OR boat) -is:retweet"
    assert {"author_id", "created_at", "note_tweet", "public_metrics", "conversation_id"} <= set(
        query["tweet.fields"].split(",")
    )
    assert query["expansions"] == "referenced_tweets.id"
    assert platform.queries()[0]["start_time"] == "2026-03-01T00:00:00Z"
    assert max(row["end_time"] for row in platform.queries()) == "2026-04-01T00:00:00Z"
    assert platform.paced == {"https://api.x.com": 1.0}
    assert item.engagement == {"likes": 3, "reposts": 2, "replies": 0, "quotes": 1, "views": 90}
    assert len(item.author_hash) == 16
    assert item.published_at == INSIDE
    assert not made.report.capped


def test_few_posts_cover_the_days_and_all_are_given_when_there_is_room() -> None:
    rows = [post(START + timedelta(minutes=37 * n), number=n) for n in range(1200)]
    items, made = search(Platform(rows), most=450, x_threads=0)
    days = Counter(item.published_at.date() for item in items if item.published_at)
    assert len(items) == 450
    assert len(days) == 31
    assert min(days.values()) >= 7
    assert made.report.capped
    everything, whole = search(Platform(rows), most=3000, x_threads=0)
    assert len({item.native_id for item in everything}) == 1200
    assert not whole.report.capped


def test_the_last_seven_days_are_all_that_a_recent_search_reaches() -> None:
    platform = Platform([post(datetime(2026, 3, 30, tzinfo=UTC))])
    items, made = search(platform, x_search="recent", fetched=datetime(2026, 4, 2, tzinfo=UTC))
    assert len(items) == 1
    assert "/search/recent?" in platform.asked[0][0]
    assert platform.queries()[0]["start_time"] >= "2026-03-26T00:00:00Z"
    assert made.report.capped
    assert "last seven days" in made.report.notes[0]
    items, made = search(Platform(), x_search="recent")
    assert items == []
    assert made.report.capped
    with pytest.raises(SourceError, match="it is 'all' or 'recent'"):
        search(Platform(), x_search="old")


def test_a_window_that_is_not_over_is_asked_up_to_now() -> None:
    platform = Platform([post(INSIDE)])
    search(platform, fetched=datetime(2026, 3, 10, 12, tzinfo=UTC))
    assert max(row["end_time"] for row in platform.queries()) == "2026-03-10T11:59:30Z"


def test_replies_to_the_most_discussed_posts_come_by_conversation() -> None:
    rows = [talked(INSIDE + timedelta(hours=n), n, number=n) for n in range(5)]
    top = rows[4]["id"]
    under = [
        post(INSIDE + timedelta(hours=9, minutes=n), f"No, {n}.", number=n, conversation_id=top, under=True,
             referenced_tweets=[{"type": "replied_to", "id": top}])
        for n in range(15)
    ]  # fmt: skip
    platform = Platform(rows + under)
    items, _ = search(platform, x_threads=1)
    replies = [item for item in items if item.kind == "comment"]
    opener = next(item for item in items if item.native_id == top)
    assert len(replies) == 15
    assert (
        {item.parent_id for item in replies}
        == {item.root_id for item in replies}
        == {opener.item_id}
    )
    assert platform.queries()[-1]["query"] == f"conversation_id:{top} -is:retweet"


# -- what a post is -------------------------------------------------------------------------------


def item_of(raw: Any) -> tuple[Item | None, Report]:
    report = Report()
    return post_item(raw, PLAIN, report, origin=Origin(source="x")), report


def test_long_posts_are_whole_with_links_as_they_lead() -> None:
    raw = post(
        INSIDE, "The ferry &amp; the… https://t.co/a",
        note_tweet={
            "text": "The ferry &amp; the bus, in full https://t.co/a https://t.co/b",
            "entities": {"urls": [
                {"url": "https://t.co/a", "expanded_url": "https://news.example/ferry"},
                {"url": "https://t.co/b", "expanded_url": "https://x.com/a/status/1/photo/1"},
            ]},
        },
    )  # fmt: skip
    item, _ = item_of(raw)
    assert item is not None
    assert item.text == "The ferry & the bus, in full https://news.example/ferry"


def test_reposts_are_copies_quotes_and_what_they_quote_are_kept() -> None:
    quoted = post(INSIDE - timedelta(days=1), "The original claim.", number=1)
    old = post(START - timedelta(days=40), "Long ago.", number=2)
    rows = [
        post(
            INSIDE,
            "RT @a: The original…",
            number=3,
            referenced_tweets=[{"type": "retweeted", "id": quoted["id"]}],
        ),
        post(INSIDE, "RT @somebody: so it goes", number=4),
        post(
            INSIDE,
            "This is wrong.",
            number=5,
            referenced_tweets=[{"type": "quoted", "id": quoted["id"]}],
        ),
        post(
            INSIDE, "And this.", number=6, referenced_tweets=[{"type": "quoted", "id": old["id"]}]
        ),
    ]
    items, made = search(Platform(rows, includes=[quoted, old]), most=30, x_threads=0)
    assert {item.text for item in items} == {"This is wrong.", "And this.", "The original claim."}
    assert Counter(row.reason for row in made.report.refusals)["copy"] == 2


def test_a_post_without_a_written_time_has_that_of_its_id() -> None:
    raw = post(INSIDE)
    del raw["created_at"]
    item, _ = item_of(raw)
    assert item is not None
    assert item.published_at == INSIDE
    assert item.published_raw == f"id {raw['id']}"


@given(st.datetimes(datetime(2011, 1, 1), datetime(2035, 1, 1)))  # noqa: DTZ001
def test_ids_carry_their_time(at: datetime) -> None:
    at = at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC)
    assert abs(id_time(identity(at)) - at) <= timedelta(milliseconds=1)  # type: ignore[operator]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just("\ud800"),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "text", "created_at", "note_tweet", "referenced_tweets", "public_metrics", "lang", "entities",
                 "author_id", "type", "like_count", "urls"]
            ),
            inner, max_size=6,
        ),
        max_leaves=20,
    )
)  # fmt: skip
def test_no_shape_of_a_post_raises(raw: Any) -> None:
    item, report = item_of(raw)
    assert (item is None) == bool(report.refusals)
    if item is not None:
        item.model_dump_json()


@pytest.mark.parametrize("count", [150, 320])
def test_what_replies_leave_of_max_items_goes_to_posts(count: int) -> None:
    platform = Platform([post(START + timedelta(hours=2 * n), number=n) for n in range(count)])
    items, made = search(platform, most=200)
    assert len(items) == len({item.native_id for item in items}) == min(count, 200)
    assert any("max_items was reached" in note for note in made.report.notes) == (count > 200)
    addresses = [url for url, _ in platform.asked]
    assert len(addresses) == len(set(addresses))


# -- limits and failures --------------------------------------------------------------------------


def test_a_used_up_limit_stops_with_its_time_and_a_rerun_goes_on_there() -> None:
    rows = [post(START + timedelta(minutes=37 * n), number=n) for n in range(1200)]
    reset = {"x-rate-limit-reset": str(int(datetime(2026, 6, 1, 0, 14, tzinfo=UTC).timestamp()))}
    platform = Platform(rows, failures={20: (429, {"title": "Too Many Requests"}, reset)})
    cursor = Cursor()
    made = source(platform, cursor, x_threads=0)
    query = SourceQuery(source="x", query="ferry", lang="en", max_items=600)
    given_before: list[Item] = []
    with pytest.raises(Paused, match="before 00:14 UTC on 2026-06-01; run again then"):
        given_before.extend(made.search(query, SINCE, UNTIL))
    assert not made.report.capped
    again = Platform(rows)
    items = list(source(again, cursor, x_threads=0).search(query, SINCE, UNTIL))
    assert len(platform.asked) == 21
    whole = Platform(rows)
    everything, _ = search(whole, most=600, x_threads=0)
    assert len(again.asked) + 20 == len(whole.asked)
    assert {item.native_id for item in items} < {item.native_id for item in everything}


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        ((401, {"title": "Unauthorized"}, {}), "check X_BEARER_TOKEN"),
        ((403, {"title": "Forbidden"}, {}), 'x_search to "recent"'),
        ((429, [1], {}), "for up to fifteen minutes"),
    ],
)
def test_what_a_person_has_to_do_is_said(failure: Any, words: str) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        search(Platform(failures={0: failure}))
    assert "t0k-en" not in str(caught.value)


@pytest.mark.parametrize(
    "failure",
    [
        (402, {"title": "CreditsDepleted"}, {}),
        (
            429,
            {
                "type": "https://api.twitter.com/2/problems/usage-capped",
                "title": "UsageCapExceeded",
            },
            {},
        ),
    ],
)
def test_used_up_reads_end_the_search_and_keep_what_came(failure: Any) -> None:
    rows = [post(START + timedelta(hours=n), number=n) for n in range(700)]
    with pytest.raises(Paused, match="used up, until more are bought"):
        search(Platform(rows, failures={5: failure}), x_threads=0)
    items, made = search(Platform(rows, failures={5: failure}), x_threads=0, on_limit="accept")
    assert items
    assert made.report.capped
    assert "used up" in made.report.notes[0]


@pytest.mark.parametrize(
    "failure",
    [
        (500, b"<html>", {}),
        (200, b"[1, 2]", {}),
        (200, b"not json", {}),
        (503, {"errors": [3], "error": {}}, {}),
    ],
)
def test_an_answer_that_is_no_page_costs_its_days_only(failure: Any) -> None:
    rows = [post(START + timedelta(hours=12 * n + 1), number=n) for n in range(62)]
    items, made = search(Platform(rows, failures={3: failure}), x_threads=0)
    assert 50 <= len(items) < 62
    assert made.report.capped
    assert sum(made.report.outcomes[name] for name in ("error", "decode_error")) == 1


def test_without_tweepy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tweepy", None)
    made = X(
        SourceContext(
            fetched_at=FETCHED, zone="UTC", salt="s", env={"X_BEARER_TOKEN": "t"}, http=Platform()  # type: ignore[arg-type]
        )
    )  # fmt: skip
    with pytest.raises(SourceError, match=r'pip install "event-factory\[x\]"'):
        list(made.search(SourceQuery(source="x", query="a", lang="en"), SINCE, UNTIL))


def test_a_token_that_is_none_is_not_printed() -> None:
    with pytest.raises(SourceError, match="X_BEARER_TOKEN is no token") as caught:
        search(Platform(), token="geh\u00e9im")
    assert "geh" not in str(caught.value)


# -- recorded answers -----------------------------------------------------------------------------


class Recorded(Platform):
    """The one answer of a recording of tweepy, unpacked; then nothing more."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        (row,) = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)[
            "interactions"
        ]
        raw = row["response"]["body"]["string"]
        body = raw.encode() if isinstance(raw, str) else raw
        self.body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body

    def get(self, url: str, headers: dict[str, str], robots: bool) -> Response:
        self.asked.append((url, headers))
        return Response(
            url,
            200,
            {},
            self.body if len(self.asked) == 1 else b'{"meta": {"result_count": 0}}',
            "ok",
        )


@pytest.mark.parametrize(
    ("name", "which"),
    [
        ("test_client_search_all_tweets", "all"),
        ("test_asyncclient_search_all_tweets", "all"),
        ("test_client_search_recent_tweets", "recent"),
    ],
)
def test_recorded_searches_give_their_posts_and_their_next_page(
    testdata: Path, name: str, which: str
) -> None:
    recorded = Recorded(testdata / f"data/payloads/x_tweepy/{name}.yaml")
    body = json.loads(recorded.body)
    made = source(recorded, fetched=datetime(2022, 10, 8, 12, tzinfo=UTC), x_search=which)
    asked = SourceQuery(source="x", query="Tweepy", lang="en", max_items=60)
    items = list(made.search(asked, date(2022, 10, 7), date(2022, 10, 7)))
    reposts = [row for row in body["data"] if row["text"].startswith("RT @")]
    assert len(items) == len(body["data"]) - len(reposts) > 0
    assert Counter(row.reason for row in made.report.refusals) == (
        {"copy": len(reposts)} if reposts else {}
    )
    assert recorded.queries()[1]["next_token"] == body["meta"]["next_token"]
    for item in items:
        assert item.published_at is not None
        if item.text.startswith("2022-10-07"):  # this bot writes the time into its posts
            written = datetime.fromisoformat(item.text.removesuffix(" tweepy")).replace(tzinfo=UTC)
            assert abs(item.published_at - written) < timedelta(seconds=5)
