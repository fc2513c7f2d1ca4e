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
from tests.sources.wall_pages import FERRY, FLASH, NEWS, WALLS, page

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


@pytest.mark.parametrize(
    ("outcome", "title", "words"),
    [
        ("blocked", "example.com", ["Please enable JS and disable any ad blocker"]),
        ("blocked", "", ["Request unsuccessful. Incapsula incident ID: 1234-5678"]),
        ("blocked", "Human Verification", ["Let's confirm you are human", "Complete the security check before continuing. This step verifies that you are not a bot."]),
        ("blocked", "", ["环境异常", "当前环境异常，完成验证后即可继续访问。", "去验证"]),
        ("blocked", "小红书", ["登录后推荐更懂你的笔记", "可用 小红书 或 微信 扫码", "手机号登录"]),
        ("blocked", "Subscribe to read | Ledger", ["Try unlimited access", "Only $1 for 4 weeks", "Then $75 per month. Cancel anytime during your trial."]),
        ("blocked", "Unavailable", ["This content is not available in your region."]),
        ("blocked", "Unavailable due to legal reasons", ["We recognise you are attempting to access this website from a country belonging to the European Economic Area (EEA), and therefore access cannot be granted at this time."]),
        ("blocked", "", ["抱歉，由于版权原因，您所在的地区暂时无法观看此内容"]),
        ("blocked", "Zustimmung", ["Wir und unsere 200 Partner speichern Informationen auf einem Gerät."]),
        ("soft404", "", ["该内容已被发布者删除"]),
        ("soft404", "", ["此内容因违规无法查看", "由用户投诉并经平台审核，涉嫌违反相关法律法规和政策，查看对应规则。"]),
        ("soft404", "", ["该公众号已迁移", "该公众号已迁移至新的账号，原账号已回收。若需访问原文章链接，请点击下方按钮。"]),
        ("soft404", "新闻中心", ["很抱歉，您访问的内容已过期或已下线。", "5秒后返回首页"]),
        ("soft404", "Daily Planet", ["Sorry, we couldn't find that page", "The link you followed may be broken, or the page may have been removed."]),
        ("soft404", "Oops!", ["Oops! That page can’t be found.", "It looks like nothing was found at this location."]),
        ("soft404", "Account Suspended", ["This Account has been suspended.", "Contact your hosting provider for more information."]),
        ("soft404", "e.com", ["This domain name is for sale. Buy it today for 2,499 dollars.", "The owner offers it through our marketplace."]),
        ("error", "502 Bad Gateway", ["nginx/1.18.0"]),
        ("error", "", ["Error establishing a database connection"]),
        ("error", "Site under maintenance", ["We are currently performing scheduled maintenance. Please check back soon."]),
        ("error", "", ["温馨提示：该网站暂时无法进行访问，该网站未根据工信部相关法规进行备案"]),
        ("empty", "Index of /news", ["Parent Directory", "a.html 2026-03-05 08:30 1.2K"]),
    ],
)  # fmt: skip
def test_a_page_of_one_short_message_is_no_article(
    outcome: str, title: str, words: list[str]
) -> None:
    alone = article(page(title, *words))
    menu = page(title, *words, around="<nav><a>News</a><a>新闻</a></nav>")
    assert (alone.outcome, alone.text) == (outcome, "")
    assert alone.note
    assert article(menu).outcome == outcome


@pytest.mark.parametrize(
    "words",
    [
        "该账号已被封禁，平台表示将依法处理，多名网友对此表示支持，警方已介入调查。",
        "The account suspended on Monday belonged to the mayor, the platform said in a statement.",
        "Error 502 was seen by readers of the Ledger on Monday; the paper said a cable had been cut.",
        "This post was deleted by the mayor on Friday after an hour, and the council wants to know why.",
        "This domain was sold for two million dollars on Friday, the registrar told the Ledger.",
        "The ministry said this content would not be available in the region before the vote.",
        "据悉，该网站因版权原因下架了三部影片，导演称将起诉，平台尚未回应。",
    ],
)
def test_news_that_reports_such_a_message_is_read(words: str) -> None:
    found = article(page("Morning Ledger", words))
    assert (found.outcome, found.text) == ("ok", words)


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
