"""News that speaks of walls is read, and walls that speak at length are not.

Every page here is read whole, by `read_article`: what counts is whether its words arrive in an event.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.articles import Article, read_article
from sources.walls import judge_words, weigh, without_labels
from tests.sources.wall_pages import FERRY, FLASH, NEWS, WALLS

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)


def article(html: str) -> Article:
    return read_article(
        html.encode(), url="", content_type="", fetched_at=FETCHED, zone="Asia/Shanghai"
    )


@pytest.mark.parametrize("name", NEWS)
def test_news_with_the_words_of_a_wall_in_or_around_it_is_read(name: str) -> None:
    found = article(NEWS[name])
    assert (found.outcome, found.note) == ("ok", "")
    assert found.text


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_of_several_sentences_is_no_article(name: str) -> None:
    html, why = WALLS[name]
    found = article(html)
    assert (found.outcome, found.text) == ("soft404" if why == "gone" else "blocked", "")
    assert why in found.note


@pytest.mark.parametrize("name", ["consent", "consent, zh", "bot", "bot, zh", "login, zh"])
def test_a_menu_around_a_wall_does_not_make_it_an_article(name: str) -> None:
    html, why = WALLS[name]
    menu = "<ul>" + "".join(f"<li><a>News {number} 新闻</a></li>" for number in range(20)) + "</ul>"
    found = article(html.replace("<body>", f"<body>{menu}"))
    assert (found.outcome, why in found.note) == ("blocked", True)


@pytest.mark.parametrize(
    "script",
    ["<script>" + "x();" * 900 + "</script>", "<script>window.__NUXT__={}</script>"],
)
@pytest.mark.parametrize(
    "body",
    ["", "Loading, please wait.", "You need to enable JavaScript to run this app.", "正在加载，请稍候。",
     "首页 新闻 关于我们", "Copyright © 2026 Harbour Ledger. All rights reserved."],
)  # fmt: skip
def test_a_page_without_a_told_sentence_is_drawn_by_its_scripts(body: str, script: str) -> None:
    found = article(f"<html><body><div>{body}</div>{script}</body></html>")
    assert (found.outcome, found.text) == ("needs_js", "")


def test_buttons_around_a_text_are_not_part_of_it_and_its_sentences_are() -> None:
    text = f"立即登录\n{FLASH}\nAccept all cookies"
    assert without_labels(text) == FLASH
    assert without_labels(f"网站要求市民立即登录。\n{FLASH}") == f"网站要求市民立即登录。\n{FLASH}"


def test_a_sentence_is_told_when_it_neither_speaks_to_the_reader_nor_is_about_the_site() -> None:
    assert weigh("The ferry is running again after three days.").count == 1
    assert weigh("渡轮将于四月一日恢复航行。").count == 1
    assert weigh("“You must pay,” the mayor told us all in the hall on Monday.").count == 0
    assert weigh("US inspectors cleared the ferry after three days.").count == 1
    assert weigh("Your ferry is running again after three days.").count == 0
    assert weigh("点击同意，即可继续浏览渡轮的消息。").count == 0
    assert weigh("The browser maker said it would block every cookie.").count == 1
    assert weigh("News\nSport\n首页").count == 0


@given(st.lists(st.sampled_from([FLASH, *FERRY]), min_size=2, max_size=8))
def test_told_sentences_alone_are_never_a_wall(lines: list[str]) -> None:
    assert judge_words("", "\n".join(lines)).outcome == "ok"


@pytest.mark.parametrize("unit", ["“", '"', "our partners ", "cookie ", "合作伙伴", "404 ", "请。"])
def test_hostile_words_take_no_more_than_linear_time(unit: str) -> None:
    started = time.process_time()
    judge_words(unit * 300, (unit * 6000)[:5999])
    assert time.process_time() - started < 1
