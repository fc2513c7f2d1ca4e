"""Quick ways through the hot path of an import give what the long ways give."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urljoin
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.collect import in_window
from factory.collected import ItemStore
from schemas import Item, Origin, Plan
from sources import language as language_of
from sources import times, urls
from sources.counts import counts_at, read_count, read_counts
from sources.ids import Ids
from sources.imports.rows import parsed
from sources.language import language
from sources.times import read_instant, read_time
from sources.urls import absolute, canonical

HOSTS = st.sampled_from(
    ["a.example", "www.reddit.com", "m.weibo.cn", "x-y.a1.example", "l.facebook.com"]
)
PATHS = st.text("abAB01/._~-!$&'()*+,;=:@%", max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(HOSTS, PATHS)
def test_plain_addresses_are_canonical_as_the_long_way_makes_them(host: str, path: str) -> None:
    url = f"https://{host}/{path}"
    quick = canonical(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "_CANONICAL", re.compile("(?!)"))
        assert quick == canonical(url)
    assert canonical(quick) == quick


@given(st.sampled_from(["https://www.reddit.com/", "https://a.example/b/c"]), PATHS)
def test_plain_links_are_joined_as_the_standard_library_joins_them(base: str, path: str) -> None:
    found = absolute(base, "/" + path)
    assert found in ("", urljoin(base, "/" + path))


@given(st.text(max_size=100), st.text(min_size=1, max_size=40))
def test_ids_are_hmac_sha_256(salt: str, native: str) -> None:
    message = "\x1f".join(("item", "weibo", "", native)).encode()
    expected = hmac.new(salt.encode(), message, hashlib.sha256).hexdigest()[:12]
    assert Ids(salt).item("weibo", native) == "i" + expected
    assert Ids(salt).item_once("weibo", native) == "i" + expected


@given(st.integers(0, 10**12 - 1))
def test_digits_are_the_count_that_they_write(value: int) -> None:
    assert read_count(str(value)) == read_count(f" {value} ") == value


@given(st.dictionaries(st.sampled_from(["liked_count", "other"]), VALUES))
def test_counts_of_a_row_are_those_of_its_named_columns(row: dict[str, Any]) -> None:
    found = counts_at(row, {"likes": "liked_count", "replies": "comment_count"})
    assert found == read_counts(likes=row.get("liked_count"), replies=row.get("comment_count"))


@given(
    st.integers(1_771_900_000, 1_772_100_000)
    | st.integers(1_771_900_000_000, 1_772_100_000_000)
    | st.sampled_from(["3小时前", "2026-02-25", "", None, True, 1_772_000_000.5, 10**17, -1, 12])
)
def test_an_instant_is_that_of_its_moment(raw: object) -> None:
    fetched = datetime.fromtimestamp(1_772_000_000, UTC)
    zone = "Asia/Shanghai"
    moment = read_time(raw, fetched_at=fetched, zone=zone)
    assert read_instant(raw, fetched_at=fetched, zone=zone) == moment.at


@given(VALUES)
def test_lines_are_read_as_json_loads_reads_them(value: Any) -> None:
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        expected = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return
    assert json.dumps(parsed(line)) == json.dumps(expected)


@pytest.mark.parametrize(
    "line", [b"", b"{", b'{"a":1,}', b"{'a':1}", b'{"a":"\x01"}', b"01", b"[" * 10_000]
)
def test_what_json_loads_refuses_is_refused(line: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        json.loads(line)
    with pytest.raises((ValueError, RecursionError)):
        parsed(line)


@pytest.mark.parametrize(
    ("sample", "expected"),
    [("渡轮停航了，旅客改乘巴士。", "zh"), ("渡轮 the ferry stops on Monday again", "en"), ("フェリーが止まった、港で", "other"), ("The ferry stops on Monday", "en"),
     ("Der Fährverkehr wurde am Montag eingestellt und niemand weiß", "other"), ("Le bateau ne part pas ce matin encore", "other"),
     ("#渡轮停航# 今天停航 https://a.example/abcdefghijklmnopqrstuvwxyz", "zh"), ("12:30 -- 17", "unknown"), ("", "unknown"),
     ("Паром не ходит", "other"), ("停", "other"), ("渡轮\ud83d停航", "zh")],
)  # fmt: skip
def test_languages_are_told_by_script(sample: str, expected: str) -> None:
    assert language(sample) == expected


CHINESE = st.text("渡轮停航了一不\u3400\u4dc0\u4e00\u9fff，。aZ #@_かя\ud83d", max_size=60)


@given(CHINESE | st.text(max_size=40))
def test_a_text_that_is_plainly_han_is_zh_the_long_way_too(sample: str) -> None:
    if language_of._is_plainly_han(sample):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(language_of, "_is_plainly_han", lambda _: False)
            assert language(sample) == "zh"


@given(st.text(st.sampled_from("theandferry stop ' \n.,12"), max_size=300))
def test_english_told_by_its_first_words_is_english_by_all_of_them(sample: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_of, "_FIRST_WORDS", 0)
        by_all = language(sample)
    assert language(sample) == by_all


def test_a_post_in_chinese_is_plainly_han_and_one_with_an_address_is_not() -> None:
    assert language_of._is_plainly_han("#ferry# 渡轮停航了，旅客改乘巴士。")
    assert not language_of._is_plainly_han("渡轮停航了，旅客改乘巴士 https://a.example/渡轮停航了")


def test_an_item_is_stored_as_its_model_writes_it() -> None:
    at = datetime(2026, 3, 4, 5, tzinfo=UTC)
    item = Item(
        item_id="i1", platform="weibo", kind="post", native_id="1", text="停航 \u2028<b>", lang="zh", published_at=at,
        fetched_at=at, engagement={"likes": 3}, origin=Origin(source="mediacrawler"),
    )  # fmt: skip
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        store = ItemStore(connection, "s", lambda _: True)
        store.open()
        store.import_all("import:a", [item], list, list)
        assert list(store.kept()) == [item.model_dump_json().encode() + b"\n"]


@given(
    st.floats(-4, 34),
    st.sampled_from(["UTC", "Asia/Shanghai", "Pacific/Kiritimati", "Pacific/Pago_Pago"]),
)
def test_the_window_is_that_of_the_days_of_the_zone(days: float, zone: str) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=days)
    plan = Plan(
        topic="Ferries stop", title="Ferries stop", since=date(2026, 3, 1), until=date(2026, 3, 31), zone=zone, languages=("en", "zh"),
        domain="transport", stance_target="the operator",
    )  # fmt: skip
    item = Item(
        item_id="i1", platform="web", kind="post", native_id="1", text="a", published_at=at, precision="second",
        fetched_at=at, origin=Origin(source="a"),
    )  # fmt: skip
    assert in_window(item, plan) == (
        plan.since <= at.astimezone(ZoneInfo(zone)).date() <= plan.until
    )


@given(
    st.datetimes(datetime(1976, 1, 1), datetime(2099, 12, 30)),  # noqa: DTZ001
    st.sampled_from(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"]),
    st.sampled_from(["", "Z", "+00:00", "+08:00", "+24:00", " "]),
    st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "UTC"]),
    st.sampled_from(["", "24:00", "25:00"]),
)
def test_usual_times_are_those_of_the_long_way(
    when: datetime, shape: str, offset: str, zone: str, clock: str
) -> None:
    raw = when.strftime(shape) + offset
    raw = re.sub(r"\d\d:\d\d", clock, raw, count=1) if clock else raw
    fetched = datetime(2026, 11, 30, tzinfo=UTC)
    quick = read_time(raw, fetched_at=fetched, zone=zone)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(times, "_USUAL", re.compile("(?!)"))
        assert quick == read_time(raw, fetched_at=fetched, zone=zone)


@given(st.sampled_from(["http://", "https://", "HTTP://", "ftp://", ""]), HOSTS, PATHS)
def test_plain_web_addresses_are_told_as_the_long_way_tells_them(
    scheme: str, host: str, path: str
) -> None:
    url = f"{scheme}{host}{path}"
    quick = urls.is_web_address(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "_PLAIN_START", re.compile("(?!)"))
        assert quick == urls.is_web_address(url)
