"""A date of publication is the article's own: not of its change, its site, its neighbours or its zone's neighbour."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sources.declared import declared
from sources.other_dates import without_other_dates
from sources.publication import publication
from sources.time_elements import headline_time
from sources.times import Moment
from tests.effort import grows_linearly

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
SHANGHAI = "Asia/Shanghai"
TITLE = "Judges annul the ferry closure"
URL = "https://ledger.example/news/judges-annul-the-ferry-closure"
PROSE = {
    "en": "<p>The judges annulled the closure of the ferry on Monday, and it will run again soon.</p>"
    * 6,
    "zh": "<p>法官周一撤销了渡轮停航的决定，渡轮即将恢复航行，市府尚未表示是否上诉。</p>" * 6,
}


def page(body: str = "", head: str = "", language: str = "en") -> str:
    return (
        f"<html><head><title>{TITLE}</title>{head}</head><body><article><h1>{TITLE}</h1>"
        f"{body}{PROSE[language]}</article></body></html>"
    )


def behind(body: str, language: str = "en") -> str:
    return page(language=language).replace("</body>", f"{body}</body>")


def published(html: str, url: str = "") -> Moment:
    return publication(html, url=url, fetched_at=FETCHED, zone=SHANGHAI)[0]


def local(moment: Moment) -> str:
    return moment.at.astimezone(ZoneInfo(SHANGHAI)).isoformat() if moment.at else ""


def ld(*nodes: dict[str, Any]) -> str:
    whole = nodes[0] if len(nodes) == 1 else {"@graph": list(nodes)}
    return f'<script type="application/ld+json">{json.dumps(whole)}</script>'


CHANGED = {
    "article:modified_time": page(
        head='<meta property="article:modified_time" content="2026-05-01T00:00:00Z">'
    ),
    "og:updated_time": page(
        head='<meta property="og:updated_time" content="2026-05-01T00:00:00Z">'
    ),
    "last-modified": page(
        head='<meta http-equiv="last-modified" content="Fri, 01 May 2026 00:00:00 GMT">'
    ),
    "DC.date.modified": page(head='<meta name="DC.date.modified" content="2026-05-01">'),
    "dcterms.modified": page(head="<meta name=dcterms.modified content=2026-05-01>"),
    "itemprop": page(head='<meta itemprop="dateModified" content="2026-05-01T00:00:00Z">'),
    "json-ld": page(head=ld({"@type": "NewsArticle", "dateModified": "2026-05-01T00:00:00Z"})),
    "state": page(
        head='<script>window.a = {"updatedAt": "2026-05-01T08:00:00+08:00"}</script>'
    ),
    "attribute": page('<div data-updated="2026-05-01T08:00:00+08:00">News</div>'),
    "class": page('<time class="updated" datetime="2026-05-01T00:00:00Z">May 1</time>'),
    "class of a span": page('<span class="last-updated date">May 1, 2026</span>'),
    "words": page('<div class="date">Last updated: May 1, 2026</div>'),
    "words, day first": page('<div class="date">Updated 1 May 2026, 10:30</div>'),
    "words, in numbers": page('<div class="date">Last modified: 2026-05-01</div>'),
    "words and an element": page(
        '<div class="meta">Updated <time datetime="2026-05-01T00:00:00Z">May 1, 2026</time></div>'
    ),
    "words in their own elements": page(
        '<div class="meta"><span>Last updated:</span> <b>May 1, 2026</b></div>'
    ),
    "zh": page('<div class="time">更新时间：2026-05-01</div>', language="zh"),
    "zh, with a clock": page('<div class="time">最后更新于 2026年5月1日 09:12</div>', language="zh"),
    "zh, in its own element": page(
        '<div class="time"><span>更新时间：</span><span>2026-05-01</span></div>', language="zh"
    ),
    "zh, behind": page('<div class="time">2026-05-01 09:12 更新</div>', language="zh"),
    "zh, edited": page('<div class="time">编辑于 2026-05-01 09:12</div>', language="zh"),
    "tw": page('<div class="time">更新時間：2026/05/01 09:12</div>', language="zh"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_a_page_that_says_only_when_it_was_changed_has_no_day(name: str) -> None:
    found = published(CHANGED[name])
    assert found.at is None
    assert found.note == "no publication date, only one of modification"


@pytest.mark.parametrize(
    "shown",
    [
        '<div class="date">March 5, 2026</div>',
        '<div class="date">Published 5 March 2026</div>',
        '<div class="time">2026-03-05 09:12　来源：岚渡早报</div>',
        '<div class="time">发布时间：2026-03-05</div>',
        '<time datetime="2026-03-05T01:12:00Z">March 5</time>',
    ],
)
@pytest.mark.parametrize("name", CHANGED)
def test_beside_a_change_the_day_of_publication_is_read(name: str, shown: str) -> None:
    html = CHANGED[name].replace("</h1>", f"</h1>{shown}")
    assert local(published(html)).startswith("2026-03-05")


@pytest.mark.parametrize(
    "line",
    [
        "Published March 5, 2026 · Updated May 1, 2026",
        "Updated May 1, 2026. Published March 5, 2026",
        "Updated daily. Published March 5, 2026",
        "发布：2026-03-05 09:12 更新：2026-05-01 10:00",
        "发布时间：2026-03-05　更新时间：2026-05-01",
        "2026-03-05 09:12 发布 2026-05-01 10:00 更新",
        "Mar 5, 2026 | Updated Fri 1 May 2026 10.30 BST",
        "<a>更新</a> <a>排行</a> 2026-03-05 09:12",
        "<a>更新</a></div><div class=date>2026-03-05 09:12",
        "Updated figures inside. 5 March 2026",
    ],
)
def test_both_days_in_one_line_are_told_apart(line: str) -> None:
    assert local(published(page(f'<div class="date">{line}</div>'))).startswith("2026-03-05")


@pytest.mark.parametrize(
    "around",
    [
        "<footer>Serving the islands since March 3, 1999</footer>",
        '<div class="footer">Serving the islands since March 3, 1999</div>',
        '<div class="footer">Founded on 3 March 1999</div>',
        "<footer>© 1999 Harbour Ledger</footer>",
        "<footer>Copyright March 3, 1999</footer>",
        "<footer>Company registered on 1999-03-03</footer>",
        '<div class="footer">本报创刊于1999年3月3日</div>',
        '<div class="footer">1999年3月3日创刊</div>',
        '<div class="footer">版权所有 © 1999-03-03 岚渡早报</div>',
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_age_of_a_site_is_no_day_of_an_article(around: str, language: str) -> None:
    assert published(behind(around, language)).at is None
    dated = behind(around, language).replace("</h1>", '</h1><div class="date">2026-03-05</div>')
    assert local(published(dated)).startswith("2026-03-05")


def test_a_footer_that_dates_the_publication_is_read() -> None:
    html = behind('<footer class="entry-meta">Posted on March 5, 2026</footer>')
    assert local(published(html)).startswith("2026-03-05")


# -- the instant of <time> -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "attributes",
    ["", ' class="post-date"', ' class="entry-date published updated"', " itemprop='dateCreated'"],
)
def test_a_time_element_keeps_its_zone(attributes: str) -> None:
    html = page(f'<time{attributes} datetime="2026-03-04T17:30:00Z">March 4</time>')
    assert local(published(html)) == "2026-03-05T01:30:00+08:00"
    assert published(html).tz_source == "explicit"


def test_of_several_time_elements_the_one_behind_the_headline_counts() -> None:
    old = '<aside><time datetime="2019-01-01T00:00:00Z">2019</time> An older story</aside>'
    comment = '<div class="c"><time datetime="2026-03-09T00:00:00Z">9 March</time> Nice</div>'
    html = page('<time datetime="2026-03-04T17:30:00Z">March 4</time>')
    html = html.replace("<article>", f"{old}<article>").replace(
        "</article>", f"</article>{comment}"
    )
    assert local(published(html)) == "2026-03-05T01:30:00+08:00"


def test_a_time_in_the_story_is_of_the_story() -> None:
    story = (
        '<p>The ferry first ran on <time datetime="1988-07-25">25 July 1988</time>, when the bridge was not '
        "built and the islands had no other link to the city, and it has run on every day since then, as the "
        "company likes to say. The judges heard eleven witnesses.</p>"
    )
    assert headline_time(page(story)) == ""
    assert headline_time(page('<time datetime="2026-03-04">4 March</time>' + story)) == "2026-03-04"


def test_an_address_that_names_another_day_outweighs_a_lone_time_element() -> None:
    html = behind('<div class="c"><time datetime="2026-06-09T00:00:00Z">June</time> Nice</div>')
    assert local(published(html, "https://e.com/2026/03/05/x.html")).startswith("2026-03-05")


# -- JSON-LD ----------------------------------------------------------------------------------------------

ARTICLE = {
    "@type": "NewsArticle",
    "headline": TITLE,
    "datePublished": "2026-03-05T08:00:00+08:00",
}
OTHER = {"@type": "NewsArticle", "headline": "Bridge opens", "datePublished": "2020-01-01"}


@pytest.mark.parametrize(
    "nodes",
    [
        ({"@type": "WebSite", "name": "Ledger", "datePublished": "2010-01-01"}, ARTICLE),
        (OTHER, ARTICLE),
        (OTHER | {"url": "https://ledger.example/bridge"}, ARTICLE),
        ({"@type": "WebPage", "mentions": [OTHER], "mainEntity": ARTICLE},),
        ({"@type": "WebPage", "relatedLink": OTHER, "mainEntity": ARTICLE},),
        (ARTICLE | {"isPartOf": {"@type": "CreativeWork", "datePublished": "2001-01-01"}},),
        (ARTICLE | {"publisher": {"@type": "WebPage", "datePublished": "2001-01-01"}},),
        ({"@type": "Organization", "datePublished": "1999-03-03"}, ARTICLE),
        ({"@type": "WebPage", "datePublished": "2026-03-01"}, ARTICLE),
        ({"@type": "NewsArticle", "datePublished": "2020-01-01", "headline": "Bridge"}, ARTICLE, OTHER),
        (OTHER, {"@type": ["Article", "ReportageNewsArticle"], "url": URL, "datePublished": ARTICLE["datePublished"]}),
        (OTHER, {"@type": "BlogPosting", "mainEntityOfPage": {"@id": URL}, "datePublished": ARTICLE["datePublished"]}),
        (ARTICLE | {"headline": f"{TITLE} | Ledger"}, OTHER),
        (ARTICLE | {"headline": "Judges annul ferry closure after four days"}, OTHER),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_json_ld_dates_the_page_and_not_its_neighbours(nodes: Any, turned: bool) -> None:
    html = page(head=ld(*(nodes[::-1] if turned else nodes)))
    assert local(published(html, URL)) == "2026-03-05T08:00:00+08:00"


@pytest.mark.parametrize(
    "node",
    [
        {"@type": "WebSite", "datePublished": "2010-01-01"},
        {"@type": "WebPage", "mentions": [OTHER]},
        {"@type": "ItemList", "itemListElement": [OTHER]},
        {"@type": "WebPage", "mainEntity": {"@type": "VideoObject", "datePublished": "2010-01-01"}},
    ],
)
def test_json_ld_that_dates_only_neighbours_dates_nothing(node: dict[str, Any]) -> None:
    assert published(page(head=ld(node)), URL).at is None


def test_a_single_article_with_another_headline_is_believed_after_the_meta_tags() -> None:
    assert local(published(page(head=ld(OTHER)), URL)).startswith("2020-01-01")
    meta = '<meta property="article:published_time" content="2026-03-05T08:00:00+08:00">'
    assert local(published(page(head=ld(OTHER) + meta), URL)) == "2026-03-05T08:00:00+08:00"


def test_what_the_page_shows_outweighs_an_article_with_another_headline() -> None:
    html = page('<div class="date">2026-03-05 08:30</div>', head=ld(OTHER))
    assert local(published(html, URL)) == "2026-03-05T08:30:00+08:00"
    alone = published(page(head=ld(OTHER)), URL)
    assert (alone.confidence, alone.note) == (0.4, "of an article of another name")


def test_a_list_of_one_date_is_that_date() -> None:
    node = ARTICLE | {"datePublished": [ARTICLE["datePublished"]]}
    assert local(published(page(head=ld(node)), URL)) == "2026-03-05T08:00:00+08:00"


OF_OTHER_THINGS = {
    "a list beside it": "<aside><ul><li>2026-02-01 Dam opened</li><li>2026-02-03 Dam shut</li></ul></aside>",
    "comments": '<div class="comments"><div>ann 2026-03-07 10:00</div><div>bob 2026-03-08 11:00</div></div>',
    "comments by id": '<ol id="comment-list"><li>ann 2026-03-07 10:00</li></ol>',
    "a table": "<table><tr><td>2026-01-05</td><td>3</td></tr><tr><td>2026-01-06</td><td>4</td></tr></table>",
    "a deadline": "<p>Deadline: 2026-02-01</p>",
    "a deadline, zh": "<p>报名截止日期 2026-02-01</p>",
    "an event": "<p>活动时间：2026年2月1日</p>",
    "a birthday": "<p>Born: 1990-05-04</p>",
    "a birthday, zh": "<p>1990年5月4日出生</p>",
    "the day of the visit": "<div id=top>今天是2026年11月30日 星期一</div>",
    "a law": "<p>（1997年3月14日第八届全国人民代表大会通过）</p>",
    "an older report": "<p>本报2019年5月3日曾报道：</p>",
}


@pytest.mark.parametrize("name", OF_OTHER_THINGS)
def test_a_date_of_another_thing_dates_no_page(name: str) -> None:
    html = page(OF_OTHER_THINGS[name])
    assert published(html).at is None
    assert published(html).note == "no publication date"
    dated = html.replace("</h1>", '</h1><div class="date">2026-03-05</div>')
    assert local(published(dated)).startswith("2026-03-05")


@pytest.mark.parametrize(
    "around",
    [
        '<aside class="meta">Published 2026-03-05</aside>',
        "<table><tr><td>2026-03-05 08:30</td></tr></table>",
        "<table><tr><td>来源：早报 2026-03-05</td><td>2026-03-06</td></tr></table>",
        '<div class="comments"></div><footer>Posted on March 5, 2026</footer>',
        "<a>活动</a></div><div class=date>2026-03-05 09:12",
        "<a>Deadline</a></div><div class=date>March 5, 2026",
        "<a>今日</a> <span>2026-03-05 09:12</span>",
    ],
)
def test_what_dates_the_page_after_all_stays(around: str) -> None:
    assert local(published(page(around))).startswith("2026-03-05")


def test_of_several_articles_that_are_not_the_page_none_is_believed() -> None:
    another = OTHER | {"headline": "Mayor resigns", "datePublished": "2021-01-01"}
    assert declared(page(head=ld(OTHER, another)), URL) == ([], [])


def test_json_ld_that_does_not_parse_dates_a_page_when_it_has_one_day() -> None:
    script = (
        '<script type="application/ld+json">{"a": "b" "datePublished": "2026-03-05"%s}</script>'
    )
    assert declared(page(head=script % "")).own == ["2026-03-05"]
    assert declared(page(head=script % ', "datePublished": "2020-01-01"')).own == []


def test_headlines_in_chinese_are_compared_too() -> None:
    html = page().replace(TITLE, "法官撤销渡轮停航决定_岚渡早报网")
    nodes = [
        OTHER | {"headline": "大桥通车"},
        ARTICLE | {"headline": "法官撤销渡轮停航决定"},
    ]
    assert local(published(html.replace("</head>", ld(*nodes) + "</head>"))).startswith(
        "2026-03-05"
    )


def test_a_meta_tag_of_publication_is_still_the_surest_after_json_ld() -> None:
    for name in ("DC.date", "DC.date.issued", "pubdate", "parsely-pub-date"):
        html = page(head=f'<meta name="{name}" content="2026-03-05T08:00:00+08:00">')
        assert local(published(html)) == "2026-03-05T08:00:00+08:00"
    assert published(page(head='<meta name="unpublish_date" content="2026-03-05">')).at is None


@pytest.mark.parametrize(
    "unit",
    ["<footer>", "<footer", "Updated ", "updated<b>", "更新", "© ", "since ", "<time datetime=", "<time ",
     "2026-05-01 更新 ", '<div class="updated">', "<meta name=", '"updated": ', "<table", "<table>2026-03-05", "<aside>", '<div class="comment', "曾报", "今天是", "<h1>", "<link rel=canonical"],
)  # fmt: skip
def test_hostile_markup_takes_no_more_than_linear_time(unit: str) -> None:
    def read(length: int) -> None:
        html = unit * (length // len(unit))
        without_other_dates(html)
        headline_time(html)
        declared(html)

    assert grows_linearly(read, 300_000)
