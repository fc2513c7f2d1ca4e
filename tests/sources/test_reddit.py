"""Reddit: old events are found, whole trees are read within bounds, failures cost a fold and never the tree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import vcr
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item, Origin, SourceQuery
from sources.base import Cursor, Paused, Report, SourceContext, SourceError
from sources.reddit import Reddit
from sources.reddit_json import thing_item
from sources.reddit_tree import Tree
from tests.sources import social_platforms as fake

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
START = datetime(2026, 3, 1, tzinfo=UTC)
INSIDE = datetime(2026, 3, 5, 8, tzinfo=UTC)
KEYS = {"REDDIT_CLIENT_ID": "client-1", "REDDIT_CLIENT_SECRET": "s3cret-word"}


def submission(number: int, at: datetime, comments: int = 0, **extra: Any) -> dict[str, Any]:
    data = {
        "id": f"p{number}", "name": f"t3_p{number}", "title": f"Ferry {number}", "selftext": "It stops, they say.",
        "author": f"writer{number}", "subreddit": "ferries", "created_utc": at.timestamp(),
        "created": at.timestamp() + 28800, "num_comments": comments, "score": 4, "edited": False,
        "permalink": f"/r/ferries/comments/p{number}/x/", "removed_by_category": None,
    } | extra  # fmt: skip
    return {"kind": "t3", "data": data}


def comment(name: str, at: datetime, parent: str = "t3_p1", **extra: Any) -> dict[str, Any]:
    data = {
        "id": name, "name": f"t1_{name}", "body": f"I take it, {name}.", "author": f"reader-{name}",
        "created_utc": at.timestamp(), "parent_id": parent, "link_id": "t3_p1", "score": 1, "replies": "",
        "subreddit": "ferries", "permalink": f"/r/ferries/comments/p1/_/{name}/", "edited": False,
    } | extra  # fmt: skip
    return {"kind": "t1", "data": data}


def more(parent: str, *children: str, count: int | None = None) -> dict[str, Any]:
    first = children[0] if children else "_"
    return {
        "kind": "more",
        "data": {
            "id": first, "name": f"t1_{first}", "parent_id": parent, "children": list(children),
            "count": len(children) if count is None else count, "depth": 1,
        },
    }  # fmt: skip


def listing(children: list[Any], after: str | None = None) -> dict[str, Any]:
    return {
        "kind": "Listing",
        "data": {"children": children, "after": after, "before": None, "dist": len(children)},
    }


@dataclass
class Site(fake.Platform):
    """Listings by sort, trees by submission, folded comments by id; failures by request."""

    sorts: dict[str, list[Any]] = field(default_factory=dict)
    trees: dict[str, list[Any]] = field(default_factory=dict)
    folded: dict[str, Any] = field(default_factory=dict)
    below: dict[str, list[Any]] = field(default_factory=dict)
    """What lies below a comment, for `continue this thread`."""
    failures: dict[str, list[int]] = field(default_factory=dict)
    """Statuses of the next requests whose path or children hold a word."""
    reset: str = "7"
    size: int = 100

    def answer(self, asked: fake.Asked) -> tuple[int, Any]:
        form = {k: v[0] for k, v in parse_qs(asked.body.decode()).items()}
        for word, statuses in self.failures.items():
            if statuses and (word in asked.path or word in form.get("children", "")):
                return statuses.pop(0), {"message": "no"}
        if asked.name == "access_token":
            return 200, {
                "access_token": "tok-en-1",
                "token_type": "bearer",
                "expires_in": 3600,
                "scope": "*",
            }
        parts = asked.path.strip("/").split("/")
        if asked.name == "" and parts[-1] == "morechildren":
            things = [
                self.folded[name] for name in form["children"].split(",") if name in self.folded
            ]
            return 200, {"json": {"errors": [], "data": {"things": things}}}
        if parts[0] == "comments":
            if len(parts) == 4:
                parent = parts[3]
                whole = comment(parent, INSIDE, replies=listing(self.below[parent]))
                return 200, [listing([]), listing([whole])]
            tree = self.trees.get(parts[1])
            if tree is None:
                return 404, {"message": "Not Found", "error": 404}
            return 200, [listing([submission(1, INSIDE, len(tree)) | {}]), listing(tree)]
        sort = asked.query.get("sort") or parts[-1]
        rows = self.sorts.get(sort, [])
        names = [row["data"]["name"] for row in rows]
        start = names.index(asked.query["after"]) + 1 if "after" in asked.query else 0
        end = start + min(self.size, int(asked.query["limit"]))
        return 200, listing(rows[start:end], names[end - 1] if end < len(rows) else None)


@contextmanager
def connected(site: Site, *, cursor: Cursor | None = None, **settings: Any) -> Iterator[Reddit]:
    with serving(site) as address:
        context = SourceContext(
            fetched_at=datetime(2026, 6, 1, tzinfo=UTC), zone="UTC", salt="s", env=KEYS, cursor=cursor or Cursor(),
            settings={"reddit_url": address, "reddit_auth_url": address, "user_agent": "tests"} | settings,
        )  # fmt: skip
        made = Reddit(context)
        made.slept = []  # type: ignore[attr-defined]
        made.sleep = made.slept.append  # type: ignore[attr-defined,method-assign]
        yield made


@contextmanager
def serving(site: Site) -> Iterator[str]:
    with fake.serving(site) as address:
        yield address


def ask(words: str = "ferry", most: int = 200) -> SourceQuery:
    return SourceQuery(source="reddit", query=words, lang="en", max_items=most)


def search(
    site: Site, words: str = "ferry", most: int = 200, **settings: Any
) -> tuple[list[Item], Reddit]:
    with connected(site, **settings) as made:
        return list(made.search(ask(words, most), SINCE, UNTIL)), made


def reasons(made: Reddit) -> Counter[str]:
    return Counter(row.reason for row in made.report.refusals)


# -- listings -------------------------------------------------------------------------------------


def test_the_request_is_what_reddit_documents_and_time_is_utc() -> None:
    site = Site(sorts={"new": [submission(1, INSIDE)]})
    (item,), made = search(site, "r/ferries: ferry strike")
    login, asked = site.log
    assert login.body == b"grant_type=client_credentials"
    assert login.headers["authorization"].startswith("Basic ")
    assert asked.path == "/r/ferries/search/"
    assert asked.query["q"] == "ferry strike"
    assert (asked.query["sort"], asked.query["t"], asked.query["limit"]) == ("new", "all", "1000")
    assert asked.headers["authorization"] == "bearer tok-en-1"
    assert item.published_at == INSIDE
    assert item.publisher == "r/ferries"
    assert len(item.author_hash) == 16
    assert not made.report.capped


def test_an_event_behind_a_thousand_newer_posts_is_found_among_the_best() -> None:
    newer = [submission(n, START + timedelta(days=60, minutes=-n)) for n in range(1000)]
    old = [submission(2000 + n, INSIDE + timedelta(hours=n)) for n in range(3)]
    site = Site(
        sorts={"new": newer, "relevance": [*newer[:50], *old[:2]], "comments": old, "top": []}
    )
    items, made = search(site)
    assert {item.native_id for item in items} == {"t3_p2000", "t3_p2001", "t3_p2002"}
    sorts = [asked.query["sort"] for asked in site.log if "sort" in asked.query]
    assert list(dict.fromkeys(sorts)) == ["new", "relevance", "comments", "top"]
    assert made.report.capped
    assert "1,000 results a listing" in made.report.notes[0]
    assert reasons(made) == {"outside the window": 1050}


def test_a_listing_that_reached_the_window_needs_no_other() -> None:
    rows = [submission(n, START + timedelta(hours=300 - n)) for n in range(400)]
    rows.insert(0, submission(900, START - timedelta(days=900), stickied=True))
    site = Site(sorts={"new": rows})
    items, made = search(site, "r/ferries", reddit_threads=0, most=1000)
    assert len(items) == 301
    assert not made.report.capped
    assert {asked.path for asked in site.log[1:]} == {"/r/ferries/new"}


def test_too_many_submissions_keep_the_discussed_ones_and_some_of_every_day() -> None:
    rows = [
        submission(n, START + timedelta(hours=720 - n), comments=50 if n in (7, 8) else 0)
        for n in range(1, 700)
    ]
    site = Site(sorts={"new": rows}, trees={"p7": [], "p8": []})
    items, made = search(site, most=60, reddit_threads=2)
    days = {item.published_at.date() for item in items if item.published_at}
    assert len(items) == 60
    assert len(days) >= 28
    assert {"t3_p7", "t3_p8"} <= {item.native_id for item in items}
    assert made.report.capped


def test_a_killed_listing_goes_on_after_its_last_page() -> None:
    rows = [submission(n, START + timedelta(minutes=9000 - n)) for n in range(350)]
    site = Site(sorts={"new": rows}, failures={"search": []})
    cursor = Cursor()
    with connected(site, cursor=cursor, reddit_threads=0) as made:
        site.failures["search"] = []
        saved = []
        keep = cursor.save

        def die(state: Any) -> None:
            keep(state)
            saved.append(state)
            if len(saved) == 2:
                raise KeyboardInterrupt

        cursor.save = die  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            list(made.search(ask(most=400), SINCE, UNTIL))
        cursor.save = keep  # type: ignore[method-assign]
        site.log.clear()
        again = Reddit(made.context)
        items = list(again.search(ask(most=400), SINCE, UNTIL))
    assert len(items) == 350
    first = next(asked.query for asked in site.log if "sort" in asked.query)
    assert first["after"] == "t3_p199"
    assert first["limit"] == "800"


# -- trees ----------------------------------------------------------------------------------------


def tree_of(*nodes: Any, **site: Any) -> Site:
    return Site(
        sorts={"new": [submission(1, INSIDE, comments=99)]}, trees={"p1": list(nodes)}, **site
    )


def test_folded_and_continued_comments_are_unfolded_with_their_parents() -> None:
    later = INSIDE + timedelta(hours=1)
    site = tree_of(
        comment("a", later, replies=listing([comment("b", later, "t1_a"), more("t1_b")])),
        more("t3_p1", "c", "d"),
        folded={"c": comment("c", later), "d": comment("d", later, "t1_c")},
        below={"b": [comment("e", later, "t1_b")]},
    )
    items, made = search(site)
    found = {item.native_id: item for item in items}
    assert set(found) == {"t3_p1", "t1_a", "t1_b", "t1_c", "t1_d", "t1_e"}
    assert found["t1_e"].parent_id == found["t1_b"].item_id
    assert found["t1_d"].root_id == found["t3_p1"].item_id
    posted = next(asked for asked in site.log if b"children" in asked.body)
    form = parse_qs(posted.body.decode())
    assert form["children"] == ["c,d"]
    assert form["link_id"] == ["t3_p1"]
    assert not made.report.capped


def test_deleted_removed_and_late_comments_are_counted_and_dead_accounts_have_no_hash() -> None:
    site = tree_of(
        comment("a", INSIDE, body="[deleted]", author="[deleted]"),
        comment("b", INSIDE, body="[removed]"),
        comment("c", INSIDE, author="[deleted]"),
        comment("d", INSIDE + timedelta(days=60)),
    )
    items, made = search(site)
    assert [item.native_id for item in items] == ["t3_p1", "t1_c"]
    assert items[1].author_hash == ""
    assert reasons(made) == {"deleted": 2, "outside the window": 1}


@pytest.mark.parametrize("status", [413, 403, 404])
def test_a_refused_fold_costs_the_fold_and_caps_the_tree(status: int) -> None:
    site = tree_of(
        comment("a", INSIDE), more("t3_p1", "b", "c"), more("t3_p1", "d"),
        folded={"b": comment("b", INSIDE), "c": comment("c", INSIDE), "d": comment("d", INSIDE)},
        failures={"b,c": [status]},
    )  # fmt: skip
    items, made = search(site)
    assert [item.native_id for item in items] == ["t3_p1", "t1_a", "t1_d"]
    assert made.report.capped
    (row,) = [row for row in made.report.refusals if row.reason == "comments not unfolded"]
    assert row.detail == f"Reddit answered {status} for 2 of them"


def test_a_short_rate_limit_is_waited_for_as_the_header_says() -> None:
    site = tree_of(more("t3_p1", "b"), folded={"b": comment("b", INSIDE)}, failures={"b": [429]})
    with limited(site, "7") as made:
        items = list(made.search(ask(), SINCE, UNTIL))
    assert [item.native_id for item in items] == ["t3_p1", "t1_b"]
    assert made.slept == [7.0]  # type: ignore[attr-defined]
    assert not made.report.capped


def test_a_long_rate_limit_stops_the_query_and_a_rerun_goes_on_at_its_tree() -> None:
    site = Site(
        sorts={"new": [submission(n, INSIDE, comments=9 - n) for n in (1, 2)]},
        trees={
            "p1": [comment("a", INSIDE)],
            "p2": [comment("z", INSIDE, "t3_p2", link_id="t3_p2")],
        },
        failures={"comments/p2": [429]},
    )
    cursor = Cursor()
    with limited(site, "550", cursor=cursor) as made:
        given = []
        with pytest.raises(Paused, match="for 550 seconds; run again"):
            given.extend(made.search(ask(), SINCE, UNTIL))
        assert made.slept == []  # type: ignore[attr-defined]
        assert not made.report.capped
        site.log.clear()
        again = Reddit(made.context)
        items = list(again.search(ask(), SINCE, UNTIL))
    assert [item.native_id for item in items] == ["t1_z"]
    assert [asked.path for asked in site.log[1:]] == ["/comments/p2/"]


@contextmanager
def limited(site: Site, reset: str, **options: Any) -> Iterator[Reddit]:
    """A connected site whose 429 names the seconds left; the client's own pacing does not see them."""
    with connected(site, **options) as made:
        wait = made._wait
        made._wait = lambda error: (  # type: ignore[method-assign]
            error.response.headers.update({"X-Ratelimit-Reset": reset}) or wait(error)
        )
        yield made


def test_more_folds_than_requests_leave_the_small_ones_and_say_how_many() -> None:
    folds = [more("t3_p1", f"s{n}") for n in range(9)]
    big = [f"b{n}" for n in range(20)]
    site = tree_of(
        more("t3_p1", *big), *folds,
        folded={name: comment(name, INSIDE) for name in [*big, *(f"s{n}" for n in range(9))]},
    )  # fmt: skip
    items, made = search(site, reddit_more=3)
    assert len(items) == 21
    assert made.report.capped
    assert "9 of them folded away" in [row.detail for row in made.report.refusals]
    everything, whole = search(site, reddit_more=32)
    assert len(everything) == 30
    assert not whole.report.capped


def test_a_tree_is_unfolded_no_further_than_its_share() -> None:
    names = [f"b{n}" for n in range(200)]
    site = tree_of(
        *[comment(f"a{n}", INSIDE) for n in range(50)], more("t3_p1", *names),
        folded={name: comment(name, INSIDE) for name in names},
    )  # fmt: skip
    items, made = search(site, most=20)
    assert len(items) == 20
    assert not [asked for asked in site.log if asked.path.endswith("morechildren/")]
    assert made.report.capped


def test_a_vanished_thread_is_one_refusal_and_the_others_are_read() -> None:
    site = Site(
        sorts={"new": [submission(n, INSIDE, comments=9 - n) for n in (1, 2)]},
        trees={"p2": [comment("z", INSIDE, "t3_p2", link_id="t3_p2")]},
    )
    items, made = search(site)
    assert {item.native_id for item in items} == {"t3_p1", "t3_p2", "t1_z"}
    assert made.report.outcomes["soft404"] == 1


def test_an_answer_that_the_client_cannot_read_is_an_outcome() -> None:
    items, made = search(tree_of(comment("a", INSIDE, author=None)))
    assert [item.native_id for item in items] == ["t3_p1"]
    assert made.report.outcomes["decode_error"] == 1
    assert made.report.capped
    items, made = search(Site(sorts={"new": [submission(1, INSIDE, author=None)]}))
    assert items == []
    assert made.report.outcomes == {"decode_error": 1}


def test_an_answer_of_any_size_is_read_to_the_bound_only() -> None:
    rows = [submission(1, INSIDE, selftext="x" * 50_000)]
    items, made = search(Site(sorts={"new": rows}), max_bytes=20_000)
    assert items == []
    assert made.report.outcomes == {"error": 1}
    assert [row.detail for row in made.report.refusals] == ["larger than 20000 bytes"]


@pytest.mark.parametrize(
    ("status", "outcome"), [(403, "blocked"), (404, "soft404"), (451, "blocked")]
)
def test_a_refused_search_is_an_outcome(status: int, outcome: str) -> None:
    items, made = search(Site(failures={"search": [status]}), "r/private: x")
    assert items == []
    assert made.report.outcomes == {outcome: 1}


def test_bad_credentials_are_one_sentence_without_them() -> None:
    with pytest.raises(SourceError, match="check REDDIT_CLIENT_ID") as caught:
        search(Site(failures={"access_token": [401, 401, 401]}))
    assert "s3cret" not in str(caught.value)


@given(
    st.dictionaries(
        st.sampled_from(
            ["id", "title", "selftext", "body", "author", "created_utc", "permalink", "parent_id", "link_id", "edited",
             "score", "num_comments", "removed_by_category", "subreddit"]
        ),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just("\ud800") | st.lists(st.none()),
    ),
    st.sampled_from(["t1", "t3"]),
)  # fmt: skip
def test_no_shape_of_a_thing_raises(data: dict[str, Any], kind: str) -> None:
    report = Report()
    item = thing_item(kind, data, context(), report, origin=Origin(source="reddit"))
    assert (item is None) == bool(report.refusals)
    if item is not None:
        item.model_dump_json()


# -- recorded answers -----------------------------------------------------------------------------


def played(file: Path) -> Any:
    return vcr.VCR(
        serializer="json", match_on=["method", "host", "path", "body"], record_mode="none"
    ).use_cassette(str(file), allow_playback_repeats=True)


def context(**settings: Any) -> SourceContext:
    return SourceContext(
        fetched_at=datetime(2026, 6, 1, tzinfo=UTC), zone="UTC", salt="s", env=KEYS, replay=True, settings=settings
    )  # fmt: skip


def test_a_recorded_tree_of_541_comments_is_read_whole(testdata: Path) -> None:
    file = testdata / "data/payloads/reddit/TestCommentForest.test_replace__all.json"
    with played(file) as cassette:
        made = Reddit(context())
        tree = Tree(made._client().submission("3hahrw"), made.retrying, 32)
        comments = list(tree.comments())
    assert len({found.id for found in comments}) == len(comments) == 541
    assert sum(1 for found in comments if found.author is None) == 16
    assert cassette.play_count == 20
    assert tree.left == 0
    assert tree.failures == []


def test_the_recorded_tree_as_items_drops_what_was_deleted(testdata: Path) -> None:
    file = testdata / "data/payloads/reddit/TestCommentForest.test_replace__all.json"
    with played(file):
        made = Reddit(context())
        made.context.cursor.save(
            {"threads": {"todo": ["t3_3hahrw"], "room": 1000, "token": "", "left": 0}}
        )
        items = list(made.search(ask("x", 1000), date(2015, 8, 1), date(2020, 12, 31)))
    assert reasons(made) == {"deleted": 6}
    assert len(items) == 535
    assert sum(1 for item in items if not item.author_hash) == 10
    assert {item.kind for item in items} == {"comment"}
    known = {item.item_id for item in items} | {made.context.ids.item("reddit", "t3_3hahrw")}
    assert sum(1 for item in items if item.parent_id in known) > 520
    assert len({item.root_id for item in items}) == 1
    assert sum(item.published_at.year == 2015 for item in items if item.published_at) == 533


def test_a_recorded_search_gives_its_submissions(testdata: Path) -> None:
    file = testdata / "data/payloads/reddit/TestSubreddit.test_search.json"
    rows = json.loads(file.read_text())["interactions"]
    listed = json.loads(rows[1]["response"]["body"]["string"])["data"]["children"]
    with played(file):
        made = Reddit(context(reddit_threads=0))
        items = list(made.search(ask("praw oauth search"), date(2010, 1, 1), date(2026, 1, 1)))
    assert len(items) + len(made.report.refusals) == len(listed)
    times = {row["data"]["id"]: row["data"]["created_utc"] for row in listed}
    for item in items:
        assert item.published_at == datetime.fromtimestamp(times[item.native_id[3:]], UTC)
        assert urlsplit(item.url).path.split("/")[4] == item.native_id[3:]
