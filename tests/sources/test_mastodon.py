"""Mastodon: hashtags read over the whole window, boosts, replies, languages, limits, and recorded answers."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import Item, Origin, SourceQuery
from sources.base import Cursor, Paused, Report, SourceContext, SourceError
from sources.http import Response
from sources.mastodon import Mastodon
from sources.mastodon_json import snowflake, snowflake_time, sorted_at, status_item
from sources.spoken import spoken

BASE = "http://s.example"
SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
START = datetime(2026, 2, 28, 16, tzinfo=UTC)
"""First instant of the window in Shanghai."""
END = datetime(2026, 3, 31, 16, tzinfo=UTC)
INSIDE = datetime(2026, 3, 5, 8, tzinfo=UTC)
FETCHED = datetime(2026, 6, 1, tzinfo=UTC)


def status(at: datetime, **extra: Any) -> dict[str, Any]:
    return {
        "id": str(snowflake(at) + 1), "created_at": at.isoformat(), "content": "<p>The ferry &amp; the bus</p>",
        "visibility": "public", "account": {"acct": "a", "uri": f"{BASE}/a"}, "spoiler_text": "", "language": "en",
        "replies_count": 0, "reblogs_count": 2, "favourites_count": 3, "reblog": None, "in_reply_to_id": None,
    } | extra  # fmt: skip


@dataclass
class Instance:
    """A server in the place of the guarded client: pages newest first, links that forget since_id, contexts."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    contexts: dict[str, Any] = field(default_factory=dict)
    page: int = 40
    refuse: dict[int, tuple[int, dict[str, str]]] = field(default_factory=dict)
    """Status and headers of answers by their number, counted from 0."""
    link_host: str = "s.example"
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def get(self, url: str, headers: dict[str, str], robots: bool) -> Response:
        assert robots is False
        self.asked.append((url, headers))
        if (failure := self.refuse.get(len(self.asked) - 1)) is not None:
            outcome: Any = "blocked" if failure[0] in (401, 403, 429) else "error"
            return Response(url, failure[0], failure[1], b"", outcome, f"status {failure[0]}")
        parts = urlsplit(url)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path.endswith("/context"):
            found = self.contexts.get(parts.path.split("/")[-2])
            if found is None:
                return Response(url, 404, {}, b"{}", "soft404", "status 404")
            return Response(url, 200, {}, json.dumps(found).encode(), "ok")
        rows = sorted(self.rows, key=lambda row: -int(row["id"]))
        if parts.path == "/api/v2/search":
            start = int(query["offset"])
            page = {"statuses": rows[start : start + self.page]}
            return Response(url, 200, {}, json.dumps(page).encode(), "ok")
        low, high = int(query.get("since_id", 0)), int(query["max_id"])
        listed = [row for row in rows if low < int(row["id"]) < high]
        listed = listed[: min(int(query["limit"]), self.page)]
        link = ""
        if listed:
            older = urlencode({"limit": query["limit"], "max_id": listed[-1]["id"]})
            link = (
                f'<http://{self.link_host}{parts.path}?{older}>; rel="next", <{BASE}/>; rel="prev"'
            )
        return Response(url, 200, {"link": link}, json.dumps(listed).encode(), "ok")

    def queries(self) -> list[dict[str, str]]:
        return [
            {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
            for url, _ in self.asked
        ]


def source(
    instance: Any,
    *,
    cursor: Cursor | None = None,
    env: Any = None,
    fetched: datetime = FETCHED,
    **more: Any,
) -> Mastodon:
    return Mastodon(
        SourceContext(
            fetched_at=fetched, zone="Asia/Shanghai", salt="s", env=env or {},
            http=instance, settings={"mastodon_url": BASE} | more, cursor=cursor or Cursor(),
        )
    )  # fmt: skip


def search(
    instance: Any, query: str = "#ferry", most: int = 30, **options: Any
) -> tuple[list[Item], Mastodon]:
    made = source(instance, **options)
    asked = SourceQuery(source="mastodon", query=query, lang="en", max_items=most)
    return list(made.search(asked, SINCE, UNTIL)), made


class Killed(Exception):
    """The process ends."""


class Dying(Cursor):
    """A cursor that keeps what was yielded before each save, and ends the process at one of them."""

    def __init__(self, state: dict[str, Any], saves: int) -> None:
        super().__init__(state)
        self.saves = saves
        self.pending: list[Item] = []
        self.kept: list[Item] = []

    def save(self, state: Any) -> None:
        super().save(state)
        self.kept, self.pending = self.kept + self.pending, []
        self.saves -= 1
        if not self.saves:
            raise Killed


# -- time and pages -------------------------------------------------------------------------------


@given(st.datetimes(datetime(2016, 1, 1), datetime(2030, 1, 1)))  # noqa: DTZ001
def test_ids_carry_their_time(at: datetime) -> None:
    at = at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC)
    assert abs((snowflake_time(snowflake(at)) - at).total_seconds()) < 0.002
    assert sorted_at({"id": str(snowflake(at))}) == snowflake_time(snowflake(at))


def test_other_software_is_sorted_by_the_written_time() -> None:
    assert sorted_at({"id": "AbC9x", "created_at": "2026-03-05T08:00:00Z"}) == INSIDE
    assert sorted_at({"id": "AbC9x", "created_at": "soon"}) is None
    assert sorted_at({"id": "9" * 40, "created_at": None}) is None


def test_a_hashtag_is_entered_at_the_window_and_pages_follow_the_link() -> None:
    instance = Instance([status(INSIDE), status(datetime(2026, 3, 4, tzinfo=UTC))], page=1)
    items, made = search(instance)
    assert [item.text for item in items] == ["The ferry & the bus"] * 2
    assert items[0].engagement == {"replies": 0, "reposts": 2, "likes": 3}
    first, second = instance.queries()[:2]
    assert first == {
        "limit": "40",
        "max_id": str(snowflake(END)),
        "since_id": str(snowflake(START)),
    }
    assert second == {"limit": "40", "max_id": str(snowflake(INSIDE) + 1)}
    assert not made.report.capped


@settings(max_examples=40)
@given(
    st.lists(st.integers(-48, 31 * 24 + 48), max_size=60, unique=True),
    st.integers(1, 9),
)
def test_no_status_of_the_window_is_lost_and_none_outside_is_given(
    hours: list[int], page: int
) -> None:
    times = [START + timedelta(hours=hour) for hour in hours]
    items, made = search(Instance([status(at) for at in times], page=page), most=200)
    assert sorted(item.published_at for item in items) == sorted(  # type: ignore[type-var]
        at for at in times if START <= at < END
    )
    assert not made.report.capped


def test_a_busy_tag_is_read_day_by_day_so_that_few_statuses_cover_the_window() -> None:
    rows = [status(START + timedelta(minutes=20 * n, seconds=1)) for n in range(2200)]
    items, made = search(Instance(rows), most=93)
    days = Counter(item.published_at.astimezone(UTC).date() for item in items if item.published_at)
    assert len(items) == len({item.native_id for item in items}) == 93
    assert len(days) >= 30
    assert max(days.values()) <= 4
    assert made.report.capped
    assert not made.report.refusals


def test_a_killed_search_goes_on_at_its_page_and_loses_nothing() -> None:
    rows = [status(START + timedelta(hours=n), replies_count=n % 7) for n in range(1, 700)]
    contexts = {
        row["id"]: {"ancestors": [], "descendants": [status(START + timedelta(hours=n, minutes=5))]}
        for n, row in enumerate(rows, 1)
    }
    whole, _ = search(Instance(rows, contexts), most=450)
    kept: list[Item] = []
    state: dict[str, Any] = {}
    for pages in (12, 12, 12, 10**9):
        cursor = Dying(state, pages)
        made = source(Instance(rows, contexts), cursor=cursor)
        query = SourceQuery(source="mastodon", query="#ferry", lang="en", max_items=450)
        try:
            for item in made.search(query, SINCE, UNTIL):
                cursor.pending.append(item)
            kept += cursor.kept + cursor.pending
        except Killed:
            kept += cursor.kept
        state = cursor.load()
    assert Counter(item.native_id for item in kept) == Counter(item.native_id for item in whole)


def test_the_token_never_follows_a_link_to_another_host() -> None:
    instance = Instance([status(INSIDE)], link_host="evil.example")
    _, made = search(instance, env={"MASTODON_TOKEN": " t0ken\n"})
    assert [url.startswith(BASE) for url, _ in instance.asked] == [True]
    assert instance.asked[0][1] == {"authorization": "Bearer t0ken"}
    assert "another host" in made.report.notes[0]


def test_an_odd_status_does_not_cost_its_page() -> None:
    odd = status(INSIDE - timedelta(hours=1), content=7, spoiler_text=[], language={}, url=3)
    rows = [status(INSIDE), odd, status(INSIDE - timedelta(hours=2), content="<p>\ud800 ferry</p>")]
    items, made = search(Instance(rows))
    assert [item.text for item in items] == ["The ferry & the bus", "? ferry"]
    assert [row.reason for row in made.report.refusals] == ["no words"]


# -- what a status is -----------------------------------------------------------------------------


def test_boosts_are_copies_and_private_or_wordless_posts_refused() -> None:
    original = status(datetime(2026, 3, 2, tzinfo=UTC), content="old")
    rows = [
        status(INSIDE, content="", reblog=original),
        status(INSIDE - timedelta(hours=1), visibility="private"),
        status(INSIDE - timedelta(hours=2), content="<p></p>"),
        status(INSIDE - timedelta(hours=3), in_reply_to_id="7", edited_at="2026-03-06T00:00:00Z"),
        status(INSIDE - timedelta(hours=50), content="", reblog=original),
        status(INSIDE - timedelta(hours=51), reblog=status(datetime(2025, 1, 1, tzinfo=UTC))),
    ]
    instance = Instance(rows, page=4)
    items, made = search(instance)
    assert [(item.text, item.kind) for item in items] == [
        ("old", "post"),
        ("The ferry & the bus", "comment"),
    ]
    assert items[0].published_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert items[1].confidence < items[0].confidence
    assert Counter(row.reason for row in made.report.refusals) == {
        "no words": 1,
        "not public": 1,
        "copy": 1,
        "outside the window": 1,
    }


def test_the_link_to_a_quoted_post_is_not_text_of_the_quote() -> None:
    content = '<p class="quote-inline">RE: <a href="http://x.example/1">x</a></p><p>So wrong.</p>'
    (item,), _ = search(Instance([status(INSIDE, content=content)]))
    assert item.text == "So wrong."


@pytest.mark.parametrize(
    ("text", "said", "lang"),
    [
        ("The ferry will be closed at the end of the month, they say.", "ja", "en"),
        ("The ferry stops", "ja", "en"),
        ("Guten Tag zusammen", "de", "other"),
        ("Guten Tag zusammen", None, "en"),
        ("Die Fähre fährt heute nicht mehr über den Fluss", "en", "other"),
        ("Ferry closed", "en", "en"),
        ("渡轮停航了", "zh-CN", "zh"),
        ("渡輪停航了", "zh_TW", "zh"),
        ("渡轮停航了，市政府说下个月才有新的船。", "en", "zh"),
        ("東京都知事選挙", "ja", "other"),
        ("フェリーは運休です", "zh", "other"),
        ("停!", "zh", "zh"),
        ("🚢🚢", "en", "unknown"),
        ("Ferry closed", "und", "en"),
    ],
)
def test_a_named_language_is_believed_unless_the_text_contradicts(
    text: str, said: str | None, lang: str
) -> None:
    assert spoken(text, said) == lang


@given(
    st.text(max_size=60), st.one_of(st.none(), st.text(max_size=8), st.sampled_from(["zh", "en"]))
)
def test_any_text_and_any_code_have_a_language(text: str, said: str | None) -> None:
    assert spoken(text, said) in ("en", "zh", "other", "unknown")


@given(
    st.dictionaries(
        st.sampled_from(
            ["id", "content", "created_at", "spoiler_text", "language", "replies_count", "edited_at", "reblog", "url",
             "in_reply_to_id", "account", "visibility", "uri"]
        ),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just("\ud800") | st.just({}),
    )
)  # fmt: skip
def test_no_shape_of_a_status_raises(odd: dict[str, Any]) -> None:
    raw = (
        status(INSIDE)
        | odd
        | {"account": odd["account"] if odd.get("account") == {} else {"acct": 3}}
    )
    report = Report()
    sorted_at(raw)
    item = status_item(raw, source(Instance()).context, report, origin=Origin(source="mastodon"))
    assert (item is None) == bool(report.refusals)
    if item is not None:
        item.model_dump_json()


# -- replies --------------------------------------------------------------------------------------


def test_replies_of_the_most_discussed_statuses_come_with_their_thread() -> None:
    rows = [
        status(INSIDE - timedelta(hours=n), replies_count=n, content=f"<p>post {n}</p>")
        for n in range(4)
    ]
    top = rows[3]["id"]
    reply = status(INSIDE + timedelta(hours=1), in_reply_to_id=top, content="<p>reply</p>")
    deeper = status(
        INSIDE + timedelta(hours=2), in_reply_to_id=reply["id"], content="<p>deeper</p>"
    )
    late = status(END + timedelta(days=3), in_reply_to_id=top)
    instance = Instance(
        rows, {top: {"ancestors": [], "descendants": [reply, deeper, late, {"id": "1"}]}}
    )
    items, made = search(instance, mastodon_threads=2)
    found = {item.text: item for item in items}
    assert found["reply"].parent_id == found["post 3"].item_id
    assert found["deeper"].parent_id == found["reply"].item_id
    assert found["deeper"].root_id == found["post 3"].item_id
    assert [urlsplit(url).path for url, _ in instance.asked[-2:]] == [
        f"/api/v1/statuses/{top}/context",
        f"/api/v1/statuses/{rows[2]['id']}/context",
    ]
    assert {row.reason for row in made.report.refusals} == {
        "outside the window",
        "not a status",
        "soft404",
    }


def test_without_a_token_sixty_replies_are_taken_for_a_cut() -> None:
    row = status(INSIDE, replies_count=90)
    below = [status(INSIDE + timedelta(minutes=n), in_reply_to_id=row["id"]) for n in range(1, 61)]
    instance = Instance([row], {row["id"]: {"ancestors": [], "descendants": below}})
    items, made = search(instance, most=300)
    assert len(items) == 61
    assert made.report.capped
    assert not search(Instance([row], instance.contexts), most=300, env={"MASTODON_TOKEN": "t"})[
        1
    ].report.capped
    assert len(search(Instance([row], instance.contexts), mastodon_threads=0)[0]) == 1


# -- search and limits ----------------------------------------------------------------------------


def test_words_are_searched_within_days_that_hold_the_window_in_any_zone() -> None:
    instance = Instance([status(START + timedelta(hours=n)) for n in range(-20, 100, 2)], page=40)
    items, _ = search(instance, "ferry closure", most=200, env={"MASTODON_TOKEN": "t"})
    assert len(items) == 50
    assert [query["offset"] for query in instance.queries()] == ["0", "40"]
    words = instance.queries()[0]["q"].split()
    after, before = (date.fromisoformat(part.split(":")[1]) for part in words[2:])
    for hours in (-12, 0, 14):
        assert (
            datetime(after.year, after.month, after.day, tzinfo=UTC)
            + timedelta(days=1, hours=-hours)
            <= START
        )
        assert (
            datetime(before.year, before.month, before.day, tzinfo=UTC) - timedelta(hours=hours)
            >= END
        )


def test_words_need_a_token_and_a_bad_token_is_one_sentence() -> None:
    items, made = search(Instance(), "ferry closure")
    assert not items
    assert "MASTODON_TOKEN" in made.report.notes[0]
    with pytest.raises(SourceError, match="valid token"):
        search(Instance(refuse={0: (401, {})}), "ferry closure", env={"MASTODON_TOKEN": "bad"})
    with pytest.raises(SourceError, match="is no token") as caught:
        search(Instance(), env={"MASTODON_TOKEN": "geh\u00e9im"})
    assert "geh" not in str(caught.value)


def test_a_used_up_limit_says_when_and_a_rerun_goes_on() -> None:
    rows = [status(START + timedelta(hours=n)) for n in range(1, 700)]
    reset = {"x-ratelimit-reset": "2026-06-01T13:55:00.976542Z"}
    cursor = Cursor()
    made = source(Instance(rows, refuse={20: (429, reset)}), cursor=cursor)
    query = SourceQuery(source="mastodon", query="#ferry", lang="en", max_items=600)
    with pytest.raises(Paused, match="before 13:55 UTC on 2026-06-01; run again then"):
        list(made.search(query, SINCE, UNTIL))
    assert not made.report.capped
    again = Instance(rows)
    second = list(source(again, cursor=cursor).search(query, SINCE, UNTIL))
    assert second
    whole = Instance(rows)
    search(whole, most=600)
    assert len(again.asked) + 20 == len(whole.asked), "an answered page was asked for again"


@pytest.mark.parametrize("count", [150, 320])
def test_all_of_max_items_is_used_when_nobody_replied(count: int) -> None:
    rows = [status(START + timedelta(hours=2 * n + 1)) for n in range(count)]
    instance = Instance(rows)
    items, made = search(instance, most=200)
    assert len(items) == len({item.native_id for item in items}) == min(count, 200)
    assert made.report.capped == (count > 200)
    assert any("max_items was reached" in note for note in made.report.notes) == (count > 200)
    asked = [address for address, _ in instance.asked]
    assert len(asked) == len(set(asked))


def test_what_was_looked_through_is_taken_where_a_limit_is_accepted() -> None:
    rows = [status(START + timedelta(hours=n)) for n in range(1, 700)]
    made = source(Instance(rows, refuse={4: (429, {})}), on_limit="accept")
    query = SourceQuery(source="mastodon", query="#ferry", lang="en", max_items=150)
    taken: list[Item] = []
    with pytest.raises(Paused, match="for some minutes"):
        taken.extend(made.search(query, SINCE, UNTIL))
    assert len(taken) == len({item.native_id for item in taken}) == 100


def test_a_page_without_an_answer_is_a_cap_not_an_end() -> None:
    rows = [status(START + timedelta(hours=n)) for n in range(1, 100)]
    items, made = search(Instance(rows, refuse={1: (503, {})}), most=200)
    assert len(items) == 40
    assert made.report.capped
    assert made.report.outcomes["error"] == 1


# -- recorded answers -----------------------------------------------------------------------------


class Recorded:
    """Answers of a recording of Mastodon.py: a timeline's first page for the first request, then by address."""

    def __init__(self, file: Path) -> None:
        rows = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["interactions"]
        self.answers = {row["request"]["uri"]: row["response"] for row in rows}
        self.asked: list[str] = []

    def get(self, url: str, headers: Any, robots: bool) -> Response:
        self.asked.append(url)
        path = url.split("?")[0]
        first = next((known for known in self.answers if known.split("?")[0] == path), "")
        found = self.answers.get(url) or self.answers[first]
        names = {name.lower(): value[0] for name, value in found["headers"].items()}
        body = found["body"]["string"]
        return Response(url, 200, names, body.encode() if isinstance(body, str) else body, "ok")


def test_a_recorded_hashtag_is_paged_to_its_end(testdata: Path) -> None:
    recorded = Recorded(testdata / "data/payloads/mastodon/test_fetch_remaining.yaml")
    tag = next(u for u in recorded.answers if "timelines/tag" in u).split("/tag/")[1].split("?")[0]
    made = source(
        recorded, fetched=datetime(2026, 9, 1, tzinfo=UTC), mastodon_url="http://localhost:3000"
    )
    asked = SourceQuery(source="mastodon", query=f"#{tag}", lang="en", max_items=100)
    items = list(made.search(asked, date(2026, 8, 1), date(2026, 8, 1)))
    assert [item.text.split("!")[0] for item in items] == [
        f"Toot number {n}" for n in range(29, -1, -1)
    ]
    assert {item.lang for item in items} == {"en"}
    assert all(item.published_at and item.precision == "second" for item in items)
    assert len(recorded.asked) == 4


def test_a_recorded_thread_gives_its_public_replies_only(testdata: Path) -> None:
    recorded = Recorded(testdata / "data/payloads/mastodon/test_entity_context.yaml")
    body = json.loads(next(iter(recorded.answers.values()))["body"]["string"])
    report = Report()
    found = [
        status_item(
            row, source(recorded).context, report, origin=Origin(source="mastodon"), root="1"
        )
        for row in body["ancestors"] + body["descendants"]
    ]
    assert [item is None for item in found] == [
        row["visibility"] not in ("public", "unlisted")
        for row in body["ancestors"] + body["descendants"]
    ]
    assert {row.reason for row in report.refusals} == {"not public"}
