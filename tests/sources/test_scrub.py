"""Nothing secret gets into a recording: parameters and headers by an allow-list, tokens and echoes from answers."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import SourceQuery
from sources.base import Connector, SourceContext, SourceError
from sources.http import Http
from sources.registry import connector, connector_names
from sources.scrub import (
    KEPT_HEADERS,
    KEPT_PARAMETERS,
    Scrubber,
    clean_address,
    clean_answer,
    clean_body,
    clean_header,
)
from sources.traffic import traffic
from tests.sources import social_platforms as fake
from tests.sources.secret_scan import leaks, traffic_leaks

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = sorted(
    path
    for path in (*ROOT.glob("cassettes/**/*"), *ROOT.glob("tests/**/*.yaml"))
    if path.is_file() and path.suffix in {".yaml", ".yml", ".jsonl", ".json", ".toml"}
)
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
PLANTED = {
    "REDDIT_CLIENT_ID": "pl4nted-client-id",
    "REDDIT_CLIENT_SECRET": "pl4nted-client-secret",
    "MASTODON_TOKEN": "pl4nted-mastodon",
    "BLUESKY_HANDLE": "pl4nted.example",
    "BLUESKY_APP_PASSWORD": "pl4n-tedb-lues-kypw",
    "YOUTUBE_API_KEY": "AIzapl4nted-youtube-key-0123456789abcdef",
    "X_BEARER_TOKEN": "AAAApl4nted%2Fbearer",
}


# -- the rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "cleaned"),
    [
        ("http://E.com?key=s3cret&q=ferry", "http://e.com/?key=REMOVED&q=ferry"),
        ("http://me:s3cret@e.com/a#s3cret", "http://e.com/a"),
        ("http://e.com/a?access_token=s3cret", "http://e.com/a?access_token=REMOVED"),
        ("http://e.com/a?pageToken=CAUQAA&next_token=b26", "http://e.com/a?next_token=b26&pageToken=CAUQAA"),
        (
            "http://e.com/cdx?url=" + quote("http://a.com/?api_key=s3cret", safe=""),
            "http://e.com/cdx?url=" + quote("http://a.com/?api_key=REMOVED", safe=""),
        ),
    ],
)  # fmt: skip
def test_an_address_keeps_what_is_listed_and_nothing_secret(address: str, cleaned: str) -> None:
    assert clean_address(address) == cleaned


def test_an_unknown_parameter_is_told_apart_without_its_value() -> None:
    first, second = (clean_address(f"http://e.com/?ticket={n}") for n in ("s3cret-1", "s3cret-2"))
    assert first != second
    assert first == clean_address("http://e.com/?ticket=s3cret-1")
    assert "s3cret" not in first + second


_NAMES = st.sampled_from(["q", "id", "key", "token", "ticket", "x", "password", "url"]) | st.text(
    "abcdefgh_-", min_size=1, max_size=6
)


@given(st.dictionaries(_NAMES, st.text(max_size=12), max_size=5))
def test_cleaning_twice_is_cleaning_once(values: dict[str, str]) -> None:
    query = "&".join(f"{name}={quote(value)}" for name, value in values.items())
    address = clean_address(f"http://e.com/a?{query}")
    assert clean_address(address) == address
    for body in (query, json.dumps(values), query.encode() + b"\xff"):
        assert clean_body(clean_body(body)) == clean_body(body)


@given(st.dictionaries(_NAMES, st.from_regex(r"\Avalue[0-9]{8}\Z"), max_size=5))
def test_a_value_is_kept_under_a_listed_name_only(values: dict[str, str]) -> None:
    query = "&".join(f"{name}={value}" for name, value in values.items())
    for cleaned in (
        dict(parse_qsl(urlsplit(clean_address(f"http://e.com/?{query}")).query)),
        dict(parse_qsl(clean_body(query))),
        json.loads(clean_body(json.dumps(values)) or "{}"),
    ):
        for name, value in cleaned.items():
            assert (value == values[name]) == (name.lower() in KEPT_PARAMETERS)


def test_only_listed_headers_are_kept_and_their_addresses_are_cleaned() -> None:
    for name in ("Set-Cookie", "Authorization", "X-Api-Key", "Www-Authenticate", "x-request-id"):
        assert not KEPT_HEADERS.match(name)
    for name in ("Content-Type", "Link", "x-ratelimit-reset", "x-rate-limit-reset", "Retry-After"):
        assert KEPT_HEADERS.match(name)


@pytest.mark.parametrize("name", ["xsec_token", "ticket", "code", "X-Amz-Signature", "sessionkey"])
@pytest.mark.parametrize(
    "place",
    ["https://e.com/a?limit=40&{}&max_id=7", "/a?{}", "?{}&page=2", "next?{}", "//h.com/?{}"],
)
def test_addresses_in_headers_are_cleaned_as_those_of_requests(name: str, place: str) -> None:
    address = place.format(f"{name}=s3cret-word")
    location = clean_header("Location", address)
    link = clean_header("link", f'<{address}>; rel="next", <{address}&min_id=8>; rel="prev"')
    for kept in (location, link):
        assert "s3cret" not in kept
        assert clean_header("Location" if kept == location else "Link", kept) == kept
    for base in ("https://e.com/dir/page?x=1", "http://m.example/"):
        asked = clean_address(urljoin(base, address))
        assert clean_address(urljoin(base, location)) == asked
        assert clean_address(urljoin(base, re.findall("<([^>]*)>", link)[0])) == asked
    assert link.count('rel="next"') == link.count('rel="prev"') == 1


@given(st.text(max_size=60))
def test_no_header_raises_and_what_is_cleaned_stays(value: str) -> None:
    for name in ("Location", "Link", "Content-Type"):
        once = clean_header(name, value)
        assert clean_header(name, once) == once


def test_an_answer_with_tokens_keeps_what_a_client_needs_and_no_account() -> None:
    session = {
        "accessJwt": JWT,
        "refreshJwt": JWT,
        "handle": "me.example",
        "did": "did:plc:me",
        "email": "a@b.c",
    }
    assert json.loads(clean_answer(json.dumps(session).encode())) == {
        "accessJwt": "REMOVED",
        "refreshJwt": "REMOVED",
    }
    token = {"access_token": "s3cret", "token_type": "bearer", "expires_in": 3600, "scope": "*"}
    assert json.loads(clean_answer(json.dumps(token).encode())) == token | {
        "access_token": "REMOVED"
    }


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": [{"client_secret": "s3cret-word"}]}',
        b"<p>error for access_token=s3cret-word</p>",
        b"Authorization: Bearer s3cret-word-0123456789",
        f"token {JWT.replace('dozj', 's3cret')}".encode(),
        b"use sk-s3cret0123456789abcdef please",
    ],
)
def test_tokens_are_found_inside_any_answer(body: bytes) -> None:
    assert b"s3cret" not in clean_answer(body)
    assert b"REMOVED" in clean_answer(body)


@given(st.binary(max_size=300))
def test_an_answer_without_tokens_keeps_its_bytes(body: bytes) -> None:
    assert clean_answer(body) == body
    page = "<p>渡轮停航了。The key to the ferry is the token box; password rules.</p>".encode()
    assert clean_answer(page + body[:0]) == page


def test_credentials_are_found_wherever_an_answer_echoes_them() -> None:
    scrubber = Scrubber()
    basic = base64.b64encode(b"client-7:s3cret-word").decode()
    scrubber.see(
        "http://me:s3cret-url-1@e.com/a?key=s3cret%2Fkey",
        {"Authorization": f"Basic {basic}", "x-goog-api-key": b"s3cret-goog-1"},
        json.dumps({"identifier": "ferryman", "password": "s3cr-etpw-abcd-efgh"}),
    )
    echo = f"{basic} s3cret-word s3cret/key s3cret%2Fkey s3cret-goog-1 s3cr-etpw-abcd-efgh s3cret-url-1"
    assert "s3cr" not in scrubber.answer(echo.encode()).decode() + scrubber.text(echo)
    assert scrubber.text("the ferryman said") == "the ferryman said"


def test_stand_ins_and_plain_words_are_not_looked_for_in_answers() -> None:
    scrubber = Scrubber()
    for word in ("recording", "replay", "landscape", "short1"):
        scrubber.see("http://e.com/", {"authorization": f"Bearer {word}"}, f"password={word}")
    text = "a recording of the replay shows a landscape; short1"
    assert scrubber.text(text) == text


# -- the scan -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "    Authorization: x",
        "set-cookie: a=b",
        "Bearer abcdefghijklmnop",
        "Basic Y2xpZW50OnNlY3JldA==",
        '{"access_token": "abc"}',
        '{"accessJwt": "abc"}',
        "http://e.com/?q=1&key=abc",
        JWT,
        "abcd-efgh-ijkl-mnop",
        "AIza" + "a" * 35,
    ],
)
def test_the_scan_finds_what_it_is_for(text: str) -> None:
    assert leaks(text)


def test_the_scan_of_traffic_knows_the_lists() -> None:
    text = """
interactions:
- request: {method: GET, uri: "http://e.com/?ticket=abc", body: "name=me", headers: {}}
  response: {status: {code: 200}, headers: {x-served-by: [a]}, body: {string: ""}}
"""
    assert traffic_leaks(text) == [
        "header x-served-by",
        "parameter ticket=abc",
        "parameter name=me",
    ]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_recording_of_the_repository_holds_a_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert (traffic_leaks if path.name == "traffic.yaml" else leaks)(text) == []


def test_there_are_recordings_to_scan() -> None:
    assert any(path.name == "traffic.yaml" for path in RECORDINGS)


# -- every connector, recorded --------------------------------------------------------------------


@dataclass
class Gossip(fake.Platform):
    """Answers any request with everything it was told and tokens on top, as JSON and in headers."""

    told: list[str] = field(default_factory=list)

    def answer(self, asked: fake.Asked) -> tuple[int, Any]:
        said = {
            "headers": asked.headers,
            "query": asked.query,
            "body": asked.body.decode("utf-8", "replace"),
        }
        self.told.append(json.dumps(said))
        tokens = {
            "access_token": "pl4nted-oauth-1",
            "accessJwt": JWT,
            "refreshJwt": JWT,
            "email": "pl4nted@e.com",
        }
        return 200, said | (
            tokens if asked.method == "POST" else {"error": said, "items": [said], "posts": [said]}
        )


@contextmanager
def gossiping() -> Iterator[tuple[str, Gossip]]:
    platform = Gossip()
    with fake.serving(platform) as address:
        yield address, platform


def outcome_of(made: Connector, words: str) -> str:
    """What a person reads after a search, whether it gave items or stopped."""
    query = SourceQuery(source=made.name, query=words, lang="en", max_items=20)
    try:
        list(made.search(query, date(2026, 5, 1), date(2026, 5, 2)))
    except SourceError as error:
        return str(error)
    return " ".join(made.report.notes)


def every_connector() -> list[type[Connector]]:
    names = {*connector_names(), "x", "bluesky", "youtube", "mastodon", "reddit"}
    known = []
    for name in sorted(names):
        try:
            known.append(connector(name))
        except SourceError:
            module = __import__(f"sources.{name}", fromlist=[name])
            known.append(
                next(
                    value
                    for value in vars(module).values()
                    if isinstance(value, type)
                    and issubclass(value, Connector)
                    and value.name == name
                )
            )
    return known  # fmt: skip


@pytest.mark.parametrize("kind", every_connector(), ids=lambda kind: kind.name)
def test_a_fresh_recording_of_each_connector_holds_no_secret(
    kind: type[Connector], tmp_path: Path
) -> None:
    if kind.name == "x":
        pytest.importorskip("tweepy", reason="the extra x (tweepy) is not installed")
    file = tmp_path / "traffic.yaml"
    names = [
        f"{name}_url"
        for name in ("reddit", "reddit_auth", "mastodon", "bluesky", "bluesky_public", "youtube", "x", "hackernews",
                     "hackernews_items", "gdelt", "googlenews", "wayback")
    ]  # fmt: skip
    with gossiping() as (address, platform):
        context = SourceContext(
            fetched_at=datetime(2026, 6, 1, tzinfo=UTC), zone="UTC", salt="s", env=PLANTED,
            http=Http(
                user_agent="t", per_host_seconds=0, allow_private=True, retries=0, respect_robots=False,
                sleep=lambda _: None,
            ),
            settings=dict.fromkeys(names, address) | {"feeds": (address,), "user_agent": "t", "x_threads": 0},
        )  # fmt: skip
        made = kind(context)
        words = f"{address}/a?api_key=pl4nted-in-page" if "address" in kind.takes else "ferry"
        with traffic(file, record=True):
            said = outcome_of(made, words)
    assert "pl4n" not in said
    assert platform.told, "the connector asked nothing, so this test shows nothing"
    if kind.needs or kind.optional:
        told = "".join(platform.told)
        assert "pl4n" in told or base64.b64encode(b"pl4nted-client-id").decode()[:20] in told
    text = file.read_text(encoding="utf-8")
    for secret in (*PLANTED.values(), "pl4nted", JWT):
        assert secret not in text
    assert traffic_leaks(text) == []


@pytest.mark.parametrize("name", ["q", "kw"])
def test_words_in_another_encoding_stay_told_apart(name: str) -> None:
    one, other = (
        clean_address(f"https://a.example/f?{name}={word}") for word in ("%B1%B1", "%B9%E3")
    )
    assert one != other
    assert clean_address(one) == one
