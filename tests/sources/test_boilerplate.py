"""Around a Chinese article nothing is kept, and of the article nothing is cut."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.articles import Article, read_article
from sources.boilerplate import bare_title, clean_lines, is_notice, prose_share
from sources.layout import without_surroundings
from sources.state import captions, longest_prose

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
BODY = (
    "渡轮十二月一日起停航，暂定六个月，票价不变。",
    "交通局局长说：“每天九千四百人次，我们赌不起。”",
    "洲上居民已发起联署，到二十日上午已有三千一百人签名。",
)

FIRST_AND_LAST = {
    "163_1.html": (
        ("2019年，龙湖集团即将", 23, "6dd850fa4da1b2f1"),
        ("这需要龙湖给投资者作一个", 15, "5929d71aaccdac8b"),
    ),
    "guancha/2.html": (
        ("9月3日，在第二届全球I", 113, "e88749eade8db218"),
        ("封测则有30%由外资以及", 23, "9caa2d53aea82abd"),
    ),
    "guancha/guancha.html": (
        ("“中美贸易战正在变成一场", 49, "7bc55f0fe849688f"),
        ("正如《日本经济新闻》近日", 26, "742cc565b5fb6546"),
    ),
    "hexun/1.html": (
        ("据财联社9月26日消息，", 114, "328c52ebee342dd8"),
        ("据财联社9月26日消息，", 114, "328c52ebee342dd8"),
    ),
    "ifeng/1.html": (
        ("7岁小花（化名）“眼睛被", 25, "9791123ec966af6c"),
        ("此外，学校还多次组织观看", 21, "a0fe7e9151552c08"),
    ),
    "ifeng/3.html": (
        ("2020年，因为疫情影响", 46, "bfa250b94744aa4c"),
        ("一座城市，有历史，有文化", 33, "a7317c7f3bb1a584"),
    ),
    "people/1.html": (
        ("父亲的教诲像一盏灯，为我", 44, "c5d98d80eb3d4bfc"),
        ("虽然，东方朔为人洒脱不羁", 47, "487db550ca0ff4e2"),
    ),
    "qq/2.html": (
        ("划重点：", 4, "d0b20f85ee7de9ec"),
        ("而眼下，在公安部“彻底铲", 58, "fbaf2b6888748116"),
    ),
    "sina/3.html": (
        ("随着低增长、低利率、低通", 69, "d4880cb19f194f68"),
        ("如果出现硬退欧，预计英国", 42, "a2222f2b6e0ab5b3"),
    ),
    "sina/sina.html": (
        ("用户对性能永无止境的追求", 26, "aa27cc72347ef36a"),
        ("据艾伟披露，迄今为止华为", 36, "c479bf921daa6761"),
    ),
    "stcn/1.html": (
        ("证券时报e公司讯，当升科", 52, "f5bbedf2cddfda3a"),
        ("伊戈尔：拟1079.6万", 30, "7d923ac6a23ecaf0"),
    ),
    "thepaper/1.html": (
        ("“以前花一两元就能充满电", 68, "e03222ee4896127a"),
        ("她分析道，随着消费者对手", 50, "4075b9d3f91abfcf"),
    ),
    "thepaper/4.html": (
        ("搭地铁去坐邮轮玩转东南亚", 13, "6c2c7e8a4a72304c"),
        ("开始搓搓手了！！！", 9, "cdb60340003e4515"),
    ),
    "thepaper/5.html": (
        ("此前，发烧、咳嗽被认为是", 25, "a5710d468e2cd4e1"),
        ("此前，症状不那么明显的人", 47, "ecc07638d3c06481"),
    ),
    "toutiao/2.html": (
        ("当全世界绝大部分国家都在", 90, "7bd1aad751df0a06"),
        ("所以蒙古国对军力也是投入", 59, "1fb215e5cf4be53e"),
    ),
    "toutiao/3.html": (
        ("8岁儿子在四川海螺沟景区", 37, "9dcb55aa99787338"),
        ("“其实这个时候，需要相信", 67, "3edd58e6db12a935"),
    ),
    "toutiao/4.html": (
        ("综合消息，近日，较强冷空", 107, "1d8c5d0bdb36f9ff"),
        ("温馨提醒：本周全国不少地", 54, "1423d78bc9feb89b"),
    ),
    "xinhuanet/1.html": (
        ("新华社巴黎12月9日电（", 74, "b5ef2a86b4b26181"),
        ("总理菲利普将于11日宣布", 24, "f40ee54ce0789a63"),
    ),
}
"""Real page -> its first and its last sentence as a reader finds them in the HTML, white space taken out:
the first twelve characters, the length, and the start of the SHA-256 of the sentence."""


def article(html: str) -> Article:
    return read_article(
        html.encode(), url="", content_type="", fetched_at=FETCHED, zone="Asia/Shanghai"
    )


def digest(sentence: str) -> str:
    return hashlib.sha256(sentence.encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", FIRST_AND_LAST)
def test_real_pages_begin_and_end_with_their_article(name: str, testdata: Path) -> None:
    page = testdata / "data" / "payloads" / "news_zh_gne" / name
    found = read_article(
        page.read_bytes(), url="", content_type="", fetched_at=FETCHED, zone="Asia/Shanghai"
    )
    assert found.outcome == "ok"
    text = "".join(found.text.split())
    (head, head_length, head_digest), (tail, tail_length, tail_digest) = FIRST_AND_LAST[name]
    first, last = text[:head_length], text[-tail_length:]
    assert (first[:12], digest(first)) == (head, head_digest)
    assert (last[:12], digest(last)) == (tail, tail_digest)


HEADS = [
    "首页 > 新闻 > 正文", "当前位置：首页", "您所在的位置：\n首页 >\n快讯 >\n快讯", "停航通知", "来源：岚渡早报 作者：林一",
    "2026-03-05 08:30 来源：岚渡早报", "2026年03月05日08:30", "记者 林一 卓桂帆", "岚渡早报记者 林一", "文/林一", "（原标题：渡轮要停了？市民不满！）",
    "字号", "扫码关注官方微信", "安装岚渡客户端看更多内容→【下载地址】", "责任编辑：林一", "分享到", "旧关码头。视觉中国 资料", "图集",
]  # fmt: skip
TAILS = [
    "责任编辑：林一", "[责任编辑：林一]", "（责编：林一、卓桂帆）", "编辑|林一\n校对|卓桂帆", "来源|岚渡发布、海港纪事", "扫描二维码下载客户端", "关注岚渡公众号",
    "免责声明：本文仅代表作者个人观点，与本网无关。请读者仅作参考，并自行承担全部责任。", "本文来源：岚渡早报", "特别声明\n本文为机构上传，仅代表该机构观点，不代表本站立场。",
    "声明：本网力求信息真实、准确，内容仅供参考。", "相关推荐\n二十辆车增援快线\n市长：不会辞职", "热门推荐\n- 市长：不会辞职 2026-03-05 08:30 岚渡", "推荐新闻",
    "网友评论仅供其表达个人看法，并不表明本站立场。", "版权所有 岚渡早报社", "Copyright © 2011-2026 岚渡", "违法和不良信息举报电话：010-00000000",
    "来源：新岚渡早报、海港纪事", "责任编辑：林一，卓桂帆", "来源 岚渡早报", "责编 | 林一", "统筹：林一", "图文：林一", "原标题为《渡轮停航》",
    "郑重声明：本站所载内容仅供参考。", "声明：转载请注明来自岚渡网。", "特别声明", "如发现文章侵权，请联系我们删除。", "本报要求：未经授权不得转载本报文章。",
    "岚渡网要求，未经许可不得转载本站文章。", "版权声明：本文版权归岚渡早报所有。",
    "权利人认为本文侵权的，请联系本站删除。", "部分转载文章因无法联系作者，如涉侵权请联系删除。", "关键词 >> 渡轮,停航", "加载更多", "更多精彩内容请点击进入专题", "1、回复【渡轮】查看最新消息", "返回首页>>", "采写：林一", "未经授权不得转载本文",
]  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_lines_before_an_article_are_dropped(head: str) -> None:
    text = "\n".join(BODY)
    assert clean_lines(f"{head}\n{text}", "停航通知") == text


@pytest.mark.parametrize("tail", TAILS)
def test_lines_behind_an_article_are_dropped(tail: str) -> None:
    text = "\n".join(BODY)
    assert clean_lines(f"{text}\n{tail}", "停航通知") == text


@given(st.lists(st.sampled_from(HEADS), max_size=4), st.lists(st.sampled_from(TAILS), max_size=4))
def test_any_mixture_of_surroundings_is_dropped(heads: list[str], tails: list[str]) -> None:
    text = "\n".join(BODY)
    assert clean_lines("\n".join([*heads, text, *tails]), "停航通知") == text


@pytest.mark.parametrize(
    "sentence",
    [
        "市民说：“免责声明谁都会写。”",
        "他强调，个别人的言论不代表公司立场，市府将依法处理此事。",
        "局长表示，未经许可使用这份报告的人将被追究责任。",
        "市民可扫描二维码乘车，也可在窗口购买纸质船票。",
        "记者从市府了解到，渡轮将于三月复航。",
        "编辑部的人说，报道经过三次核对。",
        "来源不明的钢板被退回船厂。",
        "记者：您怎么看停航？",
        "分享经济在岚渡遇冷，三家公司退出。",
        "交通局下载中心当天瘫痪，乘客无法下载“岚渡通”客户端。",
        "版权局当天也派人到场，带走了两箱文件。",
        "免责声明并不能免除船厂的责任，法院在判决中写道。",
        "评论区里，多数人赞成复航。",
        "更多的人选择绕行大桥。",
        "法院认定被告未经授权转载本报文章，判赔二十万元。",
        "律师认为该文章侵权，要求平台立即删除。",
        "某网站因未经许可转载该文章被罚三万元。",
        "村委会否认转发过仅代表个人的言论。",
        "声明：村委会从未同意建坝，转载的公告系伪造。",
        "郑重声明：村委会从未同意建坝，公告系伪造。",
        "统筹推进水库建设",
        "统筹为先，推进水库建设。",
        "摄影师被带走",
        "摄影师被带走，照片被删。",
        "总编辑宣布辞职",
        "编辑部被查封",
        "主编被停职三个月",
        "审核结果五日公布",
        "来源：村民提供的视频显示，大坝已经开裂",
        "来源：村民提供的视频证实大坝已经开裂",
        "来源为村民提供的视频",
        "Editor resigns over the ferry",
        "Source: a villager's video shows that the dam has cracked",
        "The court found that the site had copied the article without permission.",
        "Statement: the council never agreed to the dam.",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_sentences_about_such_things_are_kept(sentence: str, place: int) -> None:
    lines = [*BODY[:place], sentence, *BODY[place:]]
    assert clean_lines("\n".join(lines)) == "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("渡轮今日停航。(本文来自岚渡新闻，更多原创资讯请下载“岚渡新闻”APP)", "渡轮今日停航。"),
        ("【文/岚渡网专栏作者 林一】 渡轮今日停航。", "渡轮今日停航。"),
        ("本文原标题：《渡轮停航》渡轮今日停航。", "渡轮今日停航。"),
        ("渡轮今日停航！编辑|林一", "渡轮今日停航！"),
        ("渡轮今日停航。返回岚渡网首页>>", "渡轮今日停航。"),
        ("渡轮今日停航。（完）", "渡轮今日停航。"),
        ("渡轮（又名鲎尾线）今日停航（暂定）。", "渡轮（又名鲎尾线）今日停航（暂定）。"),
    ],
)
def test_credits_glued_to_a_sentence_are_taken_off(line: str, kept: str) -> None:
    assert clean_lines(line) == kept


@pytest.mark.parametrize(
    ("title", "publisher", "bare"),
    [
        ("渡轮停航；快线开通_岚渡早报网", "", "渡轮停航；快线开通"),
        ("渡轮十二月停航_要闻_岚渡网", "", "渡轮十二月停航"),
        ("渡轮十二月停航-岚渡网", "", "渡轮十二月停航"),
        ("渡轮十二月停航 - 海港纪事", "海港纪事", "渡轮十二月停航"),
        ("原创 渡轮十二月停航", "", "渡轮十二月停航"),
        ("Ferry closes - Arven Times", "Arven Times", "Ferry closes"),
        ("Ferry closes | Arven Times", "Arven Times", "Ferry closes"),
        ("Stop-go ferry", "", "Stop-go ferry"),
        ("24-15：鲎尾渡轮试航六个月", "", "24-15：鲎尾渡轮试航六个月"),
        ("岚渡网", "岚渡网", "岚渡网"),
    ],
)
def test_headlines_lose_the_name_of_their_site(title: str, publisher: str, bare: str) -> None:
    assert bare_title(title, publisher) == bare


def test_a_related_list_in_the_middle_cuts_nothing_behind_it() -> None:
    text = "\n".join([BODY[0], "相关阅读", *BODY[1:]])
    assert clean_lines(text) == "\n".join(BODY)


WORDS = st.text(alphabet="渡轮停航。！来源：编辑责任免声明下载客户端 \n>-[]（）|2026", max_size=120)


@given(WORDS, WORDS)
def test_cleaning_twice_is_cleaning_once_and_adds_nothing(text: str, title: str) -> None:
    once = clean_lines(text, title)
    assert clean_lines(once, title) == once
    assert set(once) <= set(text) | {"\n"}


@given(st.lists(st.sampled_from(BODY), min_size=1, max_size=6))
def test_an_article_alone_is_left_alone(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert clean_lines(text) == text
    assert prose_share(text) > 0.9
    assert not any(map(is_notice, lines))


# -- the markup -----------------------------------------------------------------------------------------


def page(body: str) -> str:
    return f"<html><head><title>停航通知</title></head><body>{body}</body></html>"


PARAGRAPHS = "".join(f"<p>{line * 3}</p>" for line in BODY)


@pytest.mark.parametrize(
    "around",
    [
        '<div class="post_comment"><p>我觉得不应该停航，老人怎么过海？市府要给个说法！</p></div>',
        '<div id="tie-hot"><p class="tie">我觉得不应该停航，老人怎么过海？市府要给个说法！</p></div>',
        '<div class="related-news"><p>市长在议会上说，她不会辞职，也不会道歉。</p></div>',
        '<div class="hr-login-box"><p>登录超时，稍后再试，或者使用快速登录。</p></div>',
        '<div class="statement"><p>本站郑重声明：所载文章、数据仅供参考，投资有风险，选择需谨慎。</p></div>',
        '<div class="wx-info"><p>关注我们，每天早上收到一份渡轮的消息。</p></div>',
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_surroundings_are_told_by_their_names(around: str, first: bool) -> None:
    main = f'<div class="article">{PARAGRAPHS}</div>'
    found = article(page(around + main if first else main + around))
    assert found.text == "\n".join(line * 3 for line in BODY)


def test_a_list_that_lays_out_a_page_is_no_list() -> None:
    found = article(
        page(f"<ul><li><h3>停航通知</h3><div>{PARAGRAPHS}</div></li><li><a>更多</a></li></ul>")
    )
    assert found.text == "\n".join(line * 3 for line in BODY)


def test_an_article_whose_own_element_has_such_a_name_is_kept() -> None:
    found = article(page(f'<div class="comment-content">{PARAGRAPHS}</div>'))
    assert found.text == "\n".join(line * 3 for line in BODY)


def test_english_pages_are_left_to_the_extractor() -> None:
    assert (
        without_surroundings(page("<p>The ferry is closed. It may reopen in May.</p>" * 20)) is None
    )


# -- text in the page's data -----------------------------------------------------------------------------


def test_the_captions_of_a_gallery_are_read_from_its_data() -> None:
    data = (
        '{\\"sub_abstracts\\": [\\"'
        + '\\", \\"'.join(line * 3 for line in BODY).replace("“", "「").replace("”", "」")
        + '\\"]}'
    )
    script = f'<script>var DATA = 1; gallery: JSON.parse("{data}")</script>'
    shown = BODY[0] * 3
    menu = "".join(f"<li><a>栏目{number}的名字</a></li>" for number in range(90))
    found = article(page(f'<ul>{menu}</ul><div class="abstract">{shown}</div>{script}'))
    assert [line[:10] for line in found.text.splitlines()] == [
        line[:10].replace("“", "「").replace("”", "」") for line in BODY
    ]


def test_an_article_that_only_scripts_draw_is_read_from_the_state() -> None:
    body = "".join(f"<p>{line * 4}</p>" for line in BODY)
    state = f'window.__INITIAL_STATE__ = {{"article": {{"id": 7, "content": "{body}"}}}};'
    found = article(page(f"<div id=root></div><script>{state}</script>"))
    assert found.outcome == "ok"
    assert found.text == "\n".join(line * 4 for line in BODY)
    assert "data" in found.note


@given(st.text(alphabet='{}[]":,=JSON.parse(\\1a。', max_size=200))
def test_scripts_of_any_kind_never_raise(script: str) -> None:
    captions([script], "渡轮停航。")
    longest_prose([script])
