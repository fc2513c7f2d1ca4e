"""robots.txt is read as RFC 9309 has it, and its Crawl-delay is kept."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.answers import Answers
from sources.http import Response
from sources.robots import BYTES, LONGEST_DELAY, Robots
from sources.web import is_gone
from tests.sources.test_http import World, client

AGENT = "event-factory/0.1 (research; +https://robots.example/about)"
SITE = "https://paper.example"


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.server.shutdown()
    made.server.server_close()


def allowed(text: str | bytes, path: str, agent: str = AGENT) -> bool:
    body = text if isinstance(text, bytes) else text.encode()
    return Robots(body, agent).allow(SITE + path)


@pytest.mark.parametrize(
    ("rules", "free", "closed"),
    [
        ("Disallow: /private", ["/", "/Private", "/a/private"], ["/private", "/private/x", "/privateer"]),
        ("Disallow: /*?print=", ["/a", "/a?page=2"], ["/a?print=1", "/news/a?print=yes"]),
        ("Disallow: /p$", ["/pq", "/p/1", "/p?x=1"], ["/p"]),
        ("Disallow: /*.pdf$", ["/a.pdf?x", "/a.html"], ["/a.pdf", "/a/b.pdf"]),
        ("Disallow: /\nAllow: /news/", ["/news/1"], ["/other", "/"]),
        ("Allow: /news/\nDisallow: /", ["/news/1"], ["/other"]),
        ("Disallow: /news\nAllow: /news", ["/news", "/news/1"], []),
        ("Disallow: /a*c*e", ["/a", "/abe"], ["/abcde", "/ace"]),
        ("Disallow: /caf%C3%A9", ["/caf"], ["/caf%c3%a9", "/café"]),
        ("Disallow: /a%2Fb", ["/a/b"], ["/a%2fb"]),
        ("Disallow:", ["/", "/private"], []),
        ("Disallow: /private # not this\nDisallow: # nor this", ["/x"], ["/private"]),
        ("Crawl-delay: 2\nDisallow: /x", ["/"], ["/x"]),
        ("Disallow: /robots.txt\nDisallow: /", ["/robots.txt"], ["/x"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("head", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_paths_are_matched_by_the_longest_rule(
    rules: str, free: list[str], closed: list[str], head: str, end: str
) -> None:
    text = f"{head}User-agent: *\n{rules}\n".replace("\n", end)
    assert [path for path in free if not allowed(text, path)] == []
    assert [path for path in closed if allowed(text, path)] == []


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("User-agent: event-factory\nDisallow: /e\n\nUser-agent: *\nDisallow: /", "/x", True),
        ("User-agent: Event-Factory\nDisallow: /e\n\nUser-agent: *\nDisallow:", "/e/1", False),
        ("User-agent: other\nUser-agent: event-factory\nDisallow: /e", "/e", False),
        ("User-agent: event-factory\nDisallow: /a\n\nUser-agent: event-factory\nDisallow: /b", "/b", False),
        ("User-agent: event-factory\nDisallow: /a\n\nUser-agent: event-factory\nDisallow: /b", "/a", False),
        ("User-agent: *\n\n# groups are not ended by blank lines\n\nDisallow: /a", "/a", False),
        ("User-agent: factory\nDisallow: /", "/a", True),
        ("User-agent: https\nUser-agent: research\nUser-agent: robots\nDisallow: /", "/a", True),
        ("Disallow: /", "/a", True),
        ("", "/a", True),
        ("<html><body>User-agent: *\nDisallow: /</body></html>", "/a", True),
    ],
)  # fmt: skip
def test_the_group_of_our_product_counts_else_that_of_everybody(
    text: str, path: str, expected: bool
) -> None:
    assert allowed(text, path) is expected


def test_other_marks_and_bytes_that_are_no_text_do_not_open_a_site() -> None:
    text = "User-agent: *\nDisallow: /private\n"
    assert not allowed("\ufeff".encode("utf-16-le") + text.encode("utf-16-le"), "/private")
    assert not allowed("\ufeff".encode("utf-16-be") + text.encode("utf-16-be"), "/private")
    assert not allowed(b"# \xff\xfe\x00\n" + text.encode(), "/private")


def test_a_huge_file_is_read_to_its_limit_and_half_a_line_is_no_rule() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    line = b"Disallow: /last/of/all\n"
    padding = b"#" * (BYTES - len(head) - len(b"Disallow: /l") - 1) + b"\n"
    text = head + padding + line + b"Disallow: /never\n"
    assert not allowed(text, "/first")
    assert allowed(text, "/later")
    assert allowed(text, "/never")


_RULES = st.lists(
    st.tuples(st.sampled_from(["Allow", "Disallow"]), st.from_regex(r"\A/[a-c]{0,4}\Z")),
    max_size=6,
)


@given(_RULES, st.from_regex(r"\A/[a-c]{0,6}\Z"), st.randoms())
def test_plain_rules_are_prefixes_and_their_order_says_nothing(
    rules: list[tuple[str, str]], path: str, rng: object
) -> None:
    matching = [(len(rule), kind == "Allow") for kind, rule in rules if path.startswith(rule)]
    expected = max(matching, default=(0, True))[1]
    shuffled = rules[:]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    for order in (rules, shuffled):
        text = "User-agent: *\n" + "".join(f"{kind}: {rule}\n" for kind, rule in order)
        assert allowed(text, path) is expected


@given(st.binary(max_size=300), st.text(max_size=40))
def test_no_file_raises(body: bytes, path: str) -> None:
    robots = Robots(body, AGENT)
    robots.allow(f"{SITE}/{path}")
    assert 0 <= robots.delay <= LONGEST_DELAY


@pytest.mark.parametrize(
    ("said", "kept"),
    [("10", 10.0), ("0.5", 0.5), ("3600", LONGEST_DELAY), ("soon", 0.0), ("-3", 0.0), ("nan", 0.0), ("inf", 0.0)],
)  # fmt: skip
def test_a_crawl_delay_is_kept_between_requests_up_to_a_limit(
    world: World, said: str, kept: float
) -> None:
    waited: list[float] = []
    world.pages["/robots.txt"] = (200, {}, f"User-agent: *\nCrawl-delay: {said}\n".encode())
    for path in ("/a", "/b"):
        world.pages[path] = (200, {}, b"x")
    http = client(waited.append, respect_robots=True, clock=lambda: 100.0)
    for path in ("/a", "/b"):
        assert http.get(world.base + path).outcome == "ok"
    assert world.asked == ["/robots.txt", "/a", "/b"]
    # the first page has nothing before it that was paced; in a frozen clock waits add up
    assert waited == ([kept] if kept else [])


def test_a_crawl_delay_never_shortens_a_pace_and_replay_waits_for_nobody(world: World) -> None:
    world.pages["/robots.txt"] = (200, {}, b"User-agent: *\nCrawl-delay: 2\n")
    world.pages["/a"] = (200, {}, b"x")
    for options, expected in (({}, [5.0, 10.0]), ({"replay": True}, [])):
        waited: list[float] = []
        http = client(waited.append, respect_robots=True, clock=lambda: 100.0, **options)
        http.pace(world.base, 5.0)
        http.get(world.base + "/a")
        http.get(world.base + "/a")
        assert waited == expected


def test_what_robots_forbid_gets_no_request(world: World) -> None:
    world.pages["/robots.txt"] = (
        200, {}, b"\xef\xbb\xbfUser-agent: *\nDisallow: /\nAllow: /news/\nDisallow: /*?print=\n",
    )  # fmt: skip
    world.pages["/news/1"] = (200, {}, b"x")
    world.pages["/news/1?print=1"] = (200, {}, b"x")
    http = client(respect_robots=True)
    outcomes = [
        http.get(world.base + path).outcome for path in ("/news/1", "/news/1?print=1", "/a")
    ]
    assert outcomes == ["ok", "blocked", "blocked"]
    assert world.asked == ["/robots.txt", "/news/1"]


# -- a robots.txt that does not come ---------------------------------------------------------------------


@pytest.mark.parametrize("status", [404, 410, 400, 405, 451])
def test_a_site_without_a_robots_txt_is_open(world: World, status: int) -> None:
    world.pages["/robots.txt"] = (status, {}, b"Disallow: /")
    world.pages["/a"] = (200, {}, b"x")
    assert client(respect_robots=True, retries=0).get(world.base + "/a").outcome == "ok"


@pytest.mark.parametrize("status", [401, 403])
def test_a_robots_txt_that_is_kept_from_us_closes_its_site(world: World, status: int) -> None:
    world.pages["/robots.txt"] = (status, {}, b"no")
    world.pages["/a"] = (200, {}, b"x")
    response = client(respect_robots=True).get(world.base + "/a")
    assert (response.outcome, response.note) == (
        "blocked", f"robots.txt is kept from us (status {status})",
    )  # fmt: skip
    assert world.asked == ["/robots.txt"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599])
def test_a_server_that_cannot_tell_its_rules_is_not_asked_for_pages(
    world: World, status: int
) -> None:
    """RFC 9309, 2.3.1.4: an unreachable robots.txt is a complete disallow."""
    world.pages["/robots.txt"] = (status, {"retry-after": "9999"}, b"busy")
    world.pages["/a"] = world.pages["/b"] = (200, {}, b"x")
    http = client(respect_robots=True, retries=0)
    for path in ("/a", "/b"):
        response = http.get(world.base + path)
        assert (response.url, response.outcome, response.status) == (
            world.base + path,
            "blocked",
            0,
        )
        assert response.note == f"robots.txt could not be read (status {status})"
        assert not http.allowed(world.base + path)
    assert world.asked == ["/robots.txt"]


def test_that_a_site_was_closed_for_now_is_not_kept_for_the_next_run(world: World) -> None:
    world.pages["/robots.txt"] = [(503, {}, b""), (200, {}, b"User-agent: *\nDisallow: /b\n")]
    world.pages["/a"] = world.pages["/b"] = (200, {}, b"x")
    kept: list[str] = []

    class Kept(Answers):
        def keep(self, asked: str, answer: Response) -> None:
            kept.append(asked)

    first = client(respect_robots=True, retries=0)
    first.answers = Kept()
    assert first.get(world.base + "/a").outcome == "blocked"
    assert kept == []
    later = client(respect_robots=True, retries=0)
    assert [later.get(world.base + path).outcome for path in ("/a", "/b")] == ["ok", "blocked"]


def test_a_server_that_recovers_while_it_is_asked_again_is_read(world: World) -> None:
    world.pages["/robots.txt"] = [(503, {}, b""), (200, {}, b"User-agent: *\nDisallow: /b\n")]
    world.pages["/a"] = (200, {}, b"x")
    http = client(respect_robots=True)
    assert [http.get(world.base + path).outcome for path in ("/a", "/b")] == ["ok", "blocked"]


def test_a_host_that_does_not_answer_gives_its_own_fault_and_is_asked_again(world: World) -> None:
    world.pages["/a"] = (200, {}, b"x")
    http = client(respect_robots=True, retries=0)
    real, down = http._one, True

    def sometimes(url: str, *rest: object) -> Response:
        return (
            Response(url, 0, {}, b"", "error", "its host is not known")
            if down
            else real(url, *rest)
        )  # type: ignore[arg-type]

    http._one = sometimes  # type: ignore[method-assign, assignment]
    response = http.get(world.base + "/a")
    assert (response.outcome, response.status) == ("error", 0)
    assert response.note == "robots.txt could not be read (its host is not known)"
    assert is_gone(response), "an archived copy is looked for as before"
    down = False
    assert http.get(world.base + "/a").outcome == "ok"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("length", [False, True])
def test_of_a_robots_txt_beyond_the_cap_the_first_part_counts(
    world: World, packed: bool, length: bool
) -> None:
    rules = b"User-agent: *\nDisallow: /first\n" + b"# padding\n" * 100_000 + b"Disallow: /last\n"
    body = gzip.compress(rules) if packed else rules
    headers = {"content-encoding": "gzip"} if packed else {}
    world.pages["/robots.txt"] = (
        200, headers | ({"content-length": str(len(body))} if length else {}), body,
    )  # fmt: skip
    for path in ("/first", "/last", "/a"):
        world.pages[path] = (200, {}, b"x")
    http = client(respect_robots=True, max_bytes=100_000)
    outcomes = [http.get(world.base + path).outcome for path in ("/first", "/last", "/a")]
    assert outcomes == ["blocked", "ok", "ok"]


def test_rules_that_cannot_be_unpacked_are_not_taken_for_none(world: World) -> None:
    world.pages["/robots.txt"] = (200, {"content-encoding": "br"}, b"x")
    world.pages["/a"] = (200, {}, b"x")
    response = client(respect_robots=True).get(world.base + "/a")
    assert response.outcome == "error"
    assert response.note.startswith("robots.txt could not be read (packed as br")


def test_more_redirects_than_are_followed_leave_a_site_open(world: World) -> None:
    """RFC 9309, 2.3.1.2: beyond five the file may be taken for one that is not there."""
    world.pages["/robots.txt"] = (302, {"location": "/robots.txt"}, b"")
    world.pages["/a"] = (200, {}, b"x")
    assert client(respect_robots=True).get(world.base + "/a").outcome == "ok"
