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
from sources.walls import judge_words, told, without_labels

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)


def page(title: str, *paragraphs: str, around: str = "") -> str:
    body = "".join(f"<p>{words}</p>" for words in paragraphs)
    return (
        f"<html><head><title>{title}</title></head><body>{around}"
        f"<h1>{title}</h1>{body}</body></html>"
    )


def article(html: str) -> Article:
    return read_article(
        html.encode(), url="", content_type="", fetched_at=FETCHED, zone="Asia/Shanghai"
    )


FERRY = (
    "The ferry between the islands is running again after a three-day outage, the operator said on Monday.",
    "Some 9,400 passengers a day use the line. The council will discuss compensation on Thursday.",
)
FLASH = "岚渡市议会五日表决通过渡轮复航案，二十一票赞成，十四票反对，渡轮将于四月一日恢复航行。"

NEWS = {
    "partners in a quotation": page(
        "Ferry service restored",
        FERRY[0],
        "“We are working with our partners to make sure this does not happen again,” Ann Lee said.",
        FERRY[1],
    ),
    "partners in a speech": page(
        "Minister on trade",
        "The minister said our partners in the region would be consulted before any tariff was raised.",
        "Two of them have sent notes of protest. The talks go on in Geneva next week.",
    ),
    "合作伙伴 and a visit": page(
        "总理会见外宾",
        "总理5日在北京会见来访的外宾。总理表示，两国是重要合作伙伴，此次访问将推动两国关系迈上新台阶。",
        "双方签署了贸易、能源、教育等领域多项合作文件，并就国际和地区问题深入交换了意见。",
    ),
    "合作伙伴 and an aftermath": page(
        "工厂爆炸",
        "公司称，将与合作伙伴一道妥善处理善后事宜，已有十二人送医，其中两人伤势较重。当地成立调查组。",
    ),
    "a site under attack": page(
        "网站遭攻击",
        "该市政务网站5日遭到攻击，出现大量异常访问，市民无法办理业务。警方已介入调查。",
        "市大数据局的系统已于当晚恢复，市民数据没有泄露，后续将加强防护。",
    ),
    "tickets behind a check": page(
        "票务平台被指黄牛",
        "多名歌迷反映，抢票时页面要求完成滑动验证后提示“访问过于频繁”，而黄牛却能大量囤票。",
        "平台将升级系统。消费者协会已约谈该平台，要求限期整改。",
    ),
    "access denied, reported": page(
        "Hospital letter",
        'Patients who tried to see their results saw the words "access denied", the hospital said.',
        "It apologised and promised a review by an independent panel before the summer.",
    ),
    "a number in the headline": page(
        "404 people arrested after dam protest",
        "Police arrested 404 people on Monday after a protest at the dam, the interior ministry said.",
        "All would be charged with trespass and released in the coming days.",
    ),
    "a number in the body": page(
        "Dam protest arrests", "Police arrested 404 people on Monday after a protest at the dam."
    ),
    "404 人": page("404名村民联名反对建坝", "404名村民五日联名致信县政府，反对在文里峡谷建坝。"),
    "removed content": page(
        "Post removed",
        "The platform said the content was removed because it broke its rules on the referendum.",
        "Its author has gone to court. A hearing is set for May.",
    ),
    "删除的文章": page(
        "平台道歉",
        "平台承认，该文章已被删除是审核失误。作者随后起诉，法院定于五月开庭审理此案。",
        "岚渡市记者协会对判决前景表示谨慎，要求平台公布删除文章的全部理由。",
    ),
    "a cookie bar": page("Dam vote", *FERRY * 3, "Accept all cookies"),
    "a cookie bar of prose": page(
        "Ferry back",
        *FERRY,
        around='<div id="cookie-bar"><p>We use cookies to run this site. Manage cookies.</p></div>',
    ),
    "a login link": page("渡轮复航", FLASH, around="<div>首页 财经 <a>立即登录</a></div>"),
    "a comment box": page("渡轮复航", FLASH, "评论 请先登录"),
    "a code in a comment box": page("渡轮复航", FLASH, "请输入验证码"),
    "comments for members": page("渡轮复航", FLASH, FLASH[::-1][1:] + "。", "评论登录后可见"),
    "a fraud with codes": page(
        "谨防验证码诈骗",
        "警方4日提醒，近期有人冒充客服，以“请输入验证码完成安全验证”为由骗取钱财，已有三人受骗。",
        "涉案金额二十万元。任何机构都不会向群众索要验证码。",
    ),
    "subscribers in the news": page(
        "Paper puts up a paywall",
        "The Harbour Ledger will ask readers to subscribe to read its archive from May, its owner said.",
        "The paper lost 4m last year. Its union fears for sixty jobs in the printing house.",
    ),
    "a short flash with scripts": page("快讯", FLASH, f"<script>{'x=1;' * 2000}</script>"),
    "a flash with state": page(
        "快讯", FLASH, "<script>window.__INITIAL_STATE__ = {'a': 1}</script>"
    ),
    "a flash with noscript": page(
        "Dam vote",
        "<noscript>Please enable JavaScript</noscript>",
        "The dam vote passed on Monday with a majority of nine votes.",
    ),
}


@pytest.mark.parametrize("name", NEWS)
def test_news_with_the_words_of_a_wall_in_or_around_it_is_read(name: str) -> None:
    found = article(NEWS[name])
    assert (found.outcome, found.note) == ("ok", "")
    assert found.text


CONSENT_EN = page(
    "Your privacy",
    "We and our 812 partners store and access information on a device, such as unique IDs in cookies, to process personal data.",
    "You may accept or manage your choices by clicking below, including your right to object where legitimate interest is used.",
    "These choices will be signaled to our partners and will not affect browsing data.",
    "Precise geolocation data and identification through device scanning can be used. Personalised advertising and content, "
    "advertising and content measurement, audience research and services development.",
)
WALLS = {
    "consent": (CONSENT_EN, "consent"),
    "consent, before": (
        page(
            "Before you continue",
            "We use cookies and data to deliver and maintain our services. We also use them to track outages and protect "
            "against spam, fraud and abuse. If you choose to accept all, we will also develop new services and measure the "
            "effectiveness of ads. Non-personalised ads are influenced by the content that you are viewing.",
        ),
        "consent",
    ),
    "consent, with a list of vendors": (
        page("Privacy", *("We and our partners store and access information.",) * 40),
        "consent",
    ),
    "consent, zh": (
        page(
            "隐私设置",
            "我们重视您的隐私。我们和合作伙伴会在您的设备上存储信息，例如 Cookie，并处理个人数据。",
            "这些数据用于个性化广告、广告衡量和服务开发。您可以随时更改或撤回您的同意。",
            "部分供应商可能基于合法利益处理您的个人数据，您可以在偏好设置中提出反对。",
        ),
        "consent",
    ),
    "consent, tw": (
        page(
            "隱私權",
            "我們與合作夥伴會在您的裝置上儲存資料，並存取個人資料。您可以隨時變更選擇。",
            "按下同意，即表示您接受上述處理方式。",
        ),
        "consent",
    ),
    "bot": (
        page(
            "Attention Required! | Cloudflare",
            "Sorry, you have been blocked. You are unable to access example.com.",
            "This website is using a security service to protect itself from online attacks.",
            "The action you just performed triggered the security solution. Please enable cookies.",
            "You can email the site owner to let them know you were blocked.",
        ),
        "bot",
    ),
    "bot, press and hold": (
        page(
            "Access to this page has been denied",
            "Access to this page has been denied because we believe you are using automation tools to browse the website.",
            "Please make sure that JavaScript and cookies are enabled on your browser. Press and hold to confirm you are not a robot.",
        ),
        "bot",
    ),
    "bot, zh": (
        page(
            "访问验证",
            "系统检测到您的网络环境存在异常访问，为保证正常使用，请完成安全验证后继续。",
            "如果您多次看到此页面，请更换浏览器或联系客服。请输入验证码。",
        ),
        "bot",
    ),
    "bot, slow down": (
        page("提示", "您的访问过于频繁，请稍后再试。", "请拖动滑块完成验证，验证通过后即可继续浏览。"),
        "bot",
    ),
    "login": (
        page(
            "Log in",
            "Please log in to continue. You need an account to see this page.",
            "Don't have an account? Create an account to follow the people you know. Forgot your password?",
        ),
        "login",
    ),
    "login, zh": (
        page(
            "登录",
            "请先登录后继续浏览。登录后可见全部内容，新用户可使用手机号注册账号。",
            "登录即表示您同意用户协议和隐私政策。扫码登录更安全。",
        ),
        "login",
    ),
    "pay": (
        page(
            "Members only",
            "This article is for subscribers only. Subscribe to continue reading and support independent journalism.",
            "Get unlimited digital access for 1 a month for your first year. Cancel your subscription at any time.",
            "Already a subscriber? Log in.",
        ),
        "paywall",
    ),
    "pay, behind a beginning": (
        page("Ferry back", FERRY[0], "Subscribe to continue reading. Already a subscriber? Log in."),
        "paywall",
    ),
    "pay, zh": (
        page("会员专享", "本文仅限付费会员阅读。", "开通会员后阅读全文，首月仅需九元，可随时取消订阅。"),
        "paywall",
    ),
    "login, behind a beginning, zh": (page("渡轮复航", FLASH, "登录后查看全文"), "login"),
    "gone": (
        page("Page not found", "We can't find the page you are looking for. It may have moved."),
        "gone",
    ),
    "gone, with other news": (page("404 Not Found - Harbour Ledger", *FERRY), "gone"),
    "gone, a bare number": (page("404", "Oops."), "gone"),
    "gone, zh": (page("页面不存在", "抱歉，您访问的页面不存在或已被删除，五秒后返回首页。"), "gone"),
    "gone, removed": (page("提示", "该文章已被删除"), "gone"),
    "gone, an error": (page("Sorry", "Error 404. The URL was not found on this server."), "gone"),
}  # fmt: skip


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
    assert told("The ferry is running again after three days.")[0] == 1
    assert told("渡轮将于四月一日恢复航行。")[0] == 1
    assert told("“You must pay,” the mayor told us all in the hall on Monday.")[0] == 0
    assert told("US inspectors cleared the ferry after three days.")[0] == 1
    assert told("Your ferry is running again after three days.")[0] == 0
    assert told("点击同意，即可继续浏览渡轮的消息。")[0] == 0
    assert told("The browser maker said it would block every cookie.")[0] == 1
    assert told("News\nSport\n首页")[0] == 0


@given(st.lists(st.sampled_from([FLASH, *FERRY]), min_size=2, max_size=8))
def test_told_sentences_alone_are_never_a_wall(lines: list[str]) -> None:
    assert judge_words("", "\n".join(lines)).outcome == "ok"


@pytest.mark.parametrize("unit", ["“", '"', "our partners ", "cookie ", "合作伙伴", "404 ", "请。"])
def test_hostile_words_take_no_more_than_linear_time(unit: str) -> None:
    started = time.process_time()
    judge_words(unit * 300, (unit * 6000)[:5999])
    assert time.process_time() - started < 1
