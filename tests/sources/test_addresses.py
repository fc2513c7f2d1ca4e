"""Addresses: different ones stay different, redirectors lead on, and nothing secret is handed on."""

from __future__ import annotations

import re
from itertools import combinations
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sources.urls import canonical, site, without_tokens

FORUM = "https://tieba.example/f?kw="
HAN = st.text("渡轮停航北京广州上海的了一", min_size=1, max_size=8)
URLS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["https://", "HTTP://", "http://user:pw@"]),
        st.sampled_from(["e.com", "WWW.Google.com", "google.co.uk.", "link.zhihu.com", "bing.com:80", "e.com:8080",
                         "Bücher.de", "例え。jp", "пример.рф:8080", "i❤.ws", "ü..de", "xn--bcher-kva.de", "www.x.com", "mp.weixin.qq.com",
                         "m.weibo.cn", "weibo.cn", "c.pc.qq.com", "e-com.cdn.ampproject.org"]),
        st.sampled_from(["", "/", "/amp/s/e.com", "/amp/e.com/a", "/c/s/ü.com/", "/c/s/www.google.com/amp/s/e.com/x", "/sinaurl", "/url", "/%75rl/", "/news/apiclick.aspx", "/a%2Fb", "/%B1%b1", "//x//", "/渡"]),
        st.text("?&=#!/%25B1u渡 +", max_size=12),
        st.sampled_from(["", "?url=", "?q=words&url=", "?q=", "&target=", "?id=1&amp;s=2&amp;amp;u=", "?amp;amp;=", "?toasturl=", "?t=1&si=2&scene=3&usqp=", "#/n?q=", "#!/", "#"]),
        st.sampled_from(["", "https://e.com/a", "https%3A%2F%2Fe.com%2F%23%2Fb", "https://www.google.com/url?q=https://e.com/%B1"]),
        st.text("?&=#!/%25B1u渡 +", max_size=8),
    ),
)  # fmt: skip


@given(URLS)
def test_a_canonical_address_is_its_own_canonical_form(url: str) -> None:
    found = canonical(url)
    assert canonical(found) == found


@given(URLS)
def test_a_canonical_address_can_be_fetched(url: str) -> None:
    """Its host is what is looked up, and the client sends the address as it stands."""
    found = canonical(url)
    try:
        sent = httpx2.URL(found)
        named = re.fullmatch(r"[a-z0-9.-]+", site(url))
    except httpx2.InvalidURL:
        named = None
    assume(named)  # others, as `e.com:80=`, were no address before
    assert found.isascii()
    assert sent.raw_host.decode().removeprefix("www.") == site(found)
    assert canonical(str(sent)) == found


@given(HAN, HAN, st.sampled_from(["gb18030", "big5", "utf-8", "shift_jis"]))
def test_words_in_any_encoding_stay_told_apart(one: str, other: str, codec: str) -> None:
    found = [
        canonical(f"https://e.com/{quote(word.encode(codec, 'ignore'))}/?kw="
                  f"{quote(word.encode(codec, 'ignore'))}")
        for word in (one, other)
    ]  # fmt: skip
    same = one.encode(codec, "ignore") == other.encode(codec, "ignore")
    assert (found[0] == found[1]) == same
    assert "%EF%BF%BD" not in "".join(found)


@pytest.mark.parametrize(
    "urls",
    [
        (FORUM + "%B1%B1%BE%A9", FORUM + "%B9%E3%D6%DD", FORUM + "%C9%CF%BA%A3"),
        ("https://e.com/%B1%B1", "https://e.com/%B9%E3", "https://e.com/%FF"),
        ("https://e.com/#/news/12", "https://e.com/#/news/13", "https://e.com/#!/news/12", "https://e.com/"),
        ("https://e.com/#/news?id=12", "https://e.com/#/news?id=13", "https://e.com/#!news", "https://e.com/#!other"),
        ("https://e.com/a%2Fb", "https://e.com/a/b"),
        ("https://e.com/a?b=%26c=1", "https://e.com/a?b=&c=1"),
        *(
            tuple(f"https://{host}/a?id=1&{name}={value}" for value in ("1", "2"))
            for host in ("e.com", "notx.com", "x.com.example", "qq.com", "pan.baidu.com")
            for name in ("s", "t", "si", "scene", "rdt", "key", "lfid", "share_id", "feature", "chksm", "pp", "p")
        ),
        ("https://x.com/search?q=a", "https://x.com/search?q=b", "https://x.com/search?f=live&q=a"),
        ("https://www.youtube.com/watch?v=a", "https://www.youtube.com/watch?v=b", "https://www.youtube.com/watch?list=c&v=a"),
        ("https://www.reddit.com/r/a/comments/1/?context=3", "https://www.reddit.com/r/a/comments/1/"),
        ("https://www.bilibili.com/video/BV1?p=1", "https://www.bilibili.com/video/BV1?p=2"),
        ("https://mp.weixin.qq.com/s?__biz=M&idx=1&mid=2&sn=3", "https://mp.weixin.qq.com/s?__biz=M&idx=2&mid=2&sn=3"),
        ("https://weibo.com/1/A?type=comment", "https://weibo.com/1/A?type=repost"),
        ("https://straße.de/", "https://strasse.de/"),
        ("https://bücher.de/", "https://bucher.de/", "https://bücher.com/"),
        ("https://e.com/?camp;b=1", "https://e.com/?b=1", "https://e.com/?amp=1"),
        ("https://www.google.com/amp/s/e.com/a", "https://www.google.com/amp/s/e.com/b", "https://www.google.com/amp/s/f.com/a"),
        ("https://www.google.com/amp/help.html", "https://www.google.com/amp/other.html"),
        ("https://e-com.cdn.ampproject.org/i/s/e.com/a.jpg", "https://e-com.cdn.ampproject.org/i/s/e.com/b.jpg"),
    ],
)  # fmt: skip
def test_different_addresses_stay_different(urls: tuple[str, ...]) -> None:
    for left, right in combinations(urls, 2):
        assert canonical(left) != canonical(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("https://e.com/?kw=%b1%B1", "https://e.com/?kw=%B1%b1"),
        ("https://e.com/%e6%b8%a1", "https://e.com/渡"),
        ("https://e.com/#/news/12?utm_source=a&id=3#top", "https://E.com/#/news/12/?id=3"),
        ("https://e.com/a#p3", "https://e.com/a"),
        ("https://e.com/#/", "https://e.com/#!"),
        ("https://e.com/#/cb?access_token=S&id=1", "https://e.com/#/cb?id=1"),
        ("https://e.com/a?id=1&amp;b=2", "https://e.com/a?b=2&id=1"),
        ("https://e.com/a?amp;id=1&amp;amp;b=2", "https://e.com/a?b=2&id=1"),
        ("https://e.com/a?id=1&amp;utm_source=x", "https://e.com/a?id=1"),
        ("https://bücher.de/a", "https://xn--bcher-kva.de/a"),
        ("https://BÜCHER.de/a", "https://XN--BCHER-KVA.de/a"),
        ("https://北京大学.中国/a", "https://xn--1lq90ic7fzpc.xn--fiqs8s/a"),
        ("https://пример.рф:8080/", "https://xn--e1afmkfd.xn--p1ai:8080/"),
        ("https://ｅ．com/a", "https://e.com/a"),
        ("https://e。com/a", "https://e.com/a"),
        ("https://i❤.ws/a", "https://xn--i-7iq.ws/a"),
        ("https://www.bilibili.com/video/BV1?spm_id_from=333.1007&vd_source=9f&share_plat=ios", "https://www.bilibili.com/video/BV1"),
        ("https://m.weibo.cn/status/5?luicode=10000011&lfid=23&refer_flag=1001", "https://m.weibo.cn/status/5"),
        ("https://weibo.com/1/A?refer_flag=1001030103_", "https://weibo.com/1/A"),
        ("https://mp.weixin.qq.com/s?__biz=M&mid=2&idx=1&sn=3&chksm=f0&scene=27&sharer_shareinfo=1#rd",
         "https://mp.weixin.qq.com/s?__biz=M&idx=1&mid=2&sn=3"),
        ("https://mp.weixin.qq.com/s/Abc?scene=1", "https://mp.weixin.qq.com/s/Abc"),
        ("https://youtu.be/a?si=Xy", "https://youtu.be/a"),
        ("https://www.youtube.com/watch?v=a&si=Xy&pp=1&feature=share", "https://www.youtube.com/watch?v=a"),
        ("https://www.reddit.com/r/a/comments/1/?share_id=x&rdt=33", "https://www.reddit.com/r/a/comments/1"),
        ("https://x.com/a/status/1?s=20&t=Zz", "https://x.com/a/status/1"),
        ("https://mobile.twitter.com/a/status/1?t=Zz&s=09", "https://mobile.twitter.com/a/status/1"),
        *(
            (f"https://e.com/a?id=1&{name}=x", "https://e.com/a?id=1")
            for name in ("gbraid", "wbraid", "gclsrc", "gad_source", "srsltid", "_hsenc", "_hsmi", "mkt_tok", "UTM_Source", "spm_id_from")
        ),
    ],
)  # fmt: skip
def test_one_page_in_two_writings_has_one_address(left: str, right: str) -> None:
    assert canonical(left) == canonical(right)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://www.google.com/url?rct=j&sa=t&url=https://news.example/a&ct=ga&usg=AO", "https://news.example/a"),
        ("https://www.google.com/url?q=https://news.example/a&sa=U", "https://news.example/a"),
        ("https://www.google.com/url?q=ferry+words&url=https%3A%2F%2Fnews.example%2Fa%3Fid%3D1", "https://news.example/a?id=1"),
        ("https://google.co.uk/url?url=https://news.example/a", "https://news.example/a"),
        ("https://www.google.com.hk/url?url=https://news.example/%23/a", "https://news.example/#/a"),
        ("https://www.google.com/url?q=https://news.example/#/a", "https://news.example/#/a"),
        ("https://bing.com/news/apiclick.aspx?aid=&url=https%3a%2f%2fnews.example%2fa", "https://news.example/a"),
        ("https://out.reddit.com/t3_x?url=https%3A%2F%2Fnews.example%2Fa&token=AQ", "https://news.example/a"),
        ("https://link.zhihu.com?target=https%3A//news.example/%B1", "https://news.example/%B1"),
        ("https://www.google.com/amp/s/news.example/a/b", "https://news.example/a/b"),
        ("https://www.google.com/amp/s/news.example", "https://news.example/"),
        ("https://www.google.co.uk/amp/s/news.example/a?id=1&usqp=mq331&amp_js_v=0.1", "https://news.example/a?id=1"),
        ("http://google.com/amp/news.example/a", "http://news.example/a"),
        ("https://news-example.cdn.ampproject.org/c/s/news.example/a?id=1&amp_js_v=a6&usqp=mq#aoh=1", "https://news.example/a?id=1"),
        ("https://news-example.cdn.ampproject.org/v/news.example/a", "http://news.example/a"),
        ("https://cdn.ampproject.org/c/s/news.example/a", "https://news.example/a"),
        ("https://weibo.cn/sinaurl?toasturl=https%3A%2F%2Fnews.example%2Fa", "https://news.example/a"),
        ("https://weibo.cn/sinaurl?u=https%3A%2F%2Fnews.example%2Fa", "https://news.example/a"),
        ("https://l.instagram.com/?u=https%3A%2F%2Fnews.example%2Fa&e=AT", "https://news.example/a"),
        ("https://www.facebook.com/l.php?u=https%3A%2F%2Fnews.example%2Fa&h=AT", "https://news.example/a"),
        ("https://c.pc.qq.com/middlem.html?pfurl=https%3A%2F%2Fnews.example%2Fa&pfuin=1", "https://news.example/a"),
        ("https://c.pc.qq.com/ios.html?level=14&url=https%3A%2F%2Fnews.example%2Fa", "https://news.example/a"),
        ("https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.google.com%2Famp%2Fs%2Fbücher.de%2Fa%3Ffbclid%3D1", "https://xn--bcher-kva.de/a"),
    ],
)  # fmt: skip
def test_redirectors_lead_to_their_target(url: str, target: str) -> None:
    assert canonical(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "https://www.google.com/url?q=ferry",
        "https://www.google.com/search?q=https://news.example/a",
        "https://notgoogle.com/url?q=https://news.example/a",
        "https://www.google.com/url?url=javascript:alert(1)",
        "https://www.google.com/amp/s/",
        "https://www.google.com/amp/s/user@news.example/a",
        "https://www.google.com/amp/s/news%2Fexample.com/a",
        "https://www.google.com/amp/help.html",
        "https://e-com.cdn.ampproject.org/i/s/e.com/a.jpg",
        "https://l.instagram.com/?u=ferry",
        "https://www.facebook.com/story.php?u=https://news.example/a",
        "https://c.pc.qq.com/middlem.html?pfurl=news.example",
        "https://bücher.de/url?q=https://news.example/a",
    ],
)
def test_what_leads_nowhere_is_an_address_of_its_own(url: str) -> None:
    assert site(canonical(url)) == site(url)


@pytest.mark.parametrize("depth", [1, 3, 8, 9, 40])
def test_redirectors_in_one_another_are_unwrapped_to_a_bound(depth: int) -> None:
    url = "https://e.com/a"
    for _ in range(depth):
        url = f"https://www.google.com/url?q={url}"
    found = canonical(url)
    assert canonical(found) == found
    assert (found == "https://e.com/a") == (depth <= 8)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://e.com/a#access_token=SECRET", "https://e.com/a"),
        ("https://e.com/a#access_token=SECRET&token_type=bearer&id_token=SECRET", "https://e.com/a#token_type=bearer"),
        ("https://e.com/#/cb?access_token=SECRET&y=1", "https://e.com/#/cb?y=1"),
        ("https://e.com/#/access_token=SECRET", "https://e.com/"),
        ("https://e.com/a#x=1&next=/b?refresh_token=SECRET", "https://e.com/a#x=1&next=/b"),
        ("https://user:SECRET@e.com/a?x=1", "https://e.com/a?x=1"),
        ("https://SECRET@e.com", "https://e.com"),
        ("https://e.com/a?r=https://user:SECRET@b.example/", "https://e.com/a?r=https://b.example/"),
        ("https://e.com/a?api_key=SECRET&id=3", "https://e.com/a?id=3"),
        ("https://e.com/a?id=3&amp;access_token=SECRET&amp;b=1", "https://e.com/a?id=3&amp;b=1"),
        ("https://e.com/@user/a?x=@b#c@d", "https://e.com/@user/a?x=@b#c@d"),
        ("https://e.com/a#", "https://e.com/a#"),
        ("https://e.com/a#p3", "https://e.com/a#p3"),
        ("https://e.com/a#/news/12?id=3", "https://e.com/a#/news/12?id=3"),
    ],
)  # fmt: skip
def test_an_address_is_handed_on_without_what_lets_somebody_in(url: str, kept: str) -> None:
    assert without_tokens(url) == kept
    assert without_tokens(kept) == kept
