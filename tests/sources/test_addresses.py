"""Addresses: different ones stay different, redirectors lead on, and nothing secret is handed on."""

from __future__ import annotations

from itertools import combinations
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.urls import canonical, site, without_tokens

FORUM = "https://tieba.example/f?kw="
HAN = st.text("渡轮停航北京广州上海的了一", min_size=1, max_size=8)
URLS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["https://", "HTTP://", "http://user:pw@"]),
        st.sampled_from(["e.com", "WWW.Google.com", "google.co.uk.", "link.zhihu.com", "bing.com:80", "e.com:8080"]),
        st.sampled_from(["", "/", "/url", "/%75rl/", "/news/apiclick.aspx", "/a%2Fb", "/%B1%b1", "//x//", "/渡"]),
        st.text("?&=#!/%25B1u渡 +", max_size=12),
        st.sampled_from(["", "?url=", "?q=words&url=", "?q=", "&target=", "#/n?q=", "#!/", "#"]),
        st.sampled_from(["", "https://e.com/a", "https%3A%2F%2Fe.com%2F%23%2Fb", "https://www.google.com/url?q=https://e.com/%B1"]),
        st.text("?&=#!/%25B1u渡 +", max_size=8),
    ),
)  # fmt: skip


@given(URLS)
def test_a_canonical_address_is_its_own_canonical_form(url: str) -> None:
    found = canonical(url)
    assert canonical(found) == found


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
    ],
)
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
        ("https://e.com/@user/a?x=@b#c@d", "https://e.com/@user/a?x=@b#c@d"),
        ("https://e.com/a#", "https://e.com/a#"),
        ("https://e.com/a#p3", "https://e.com/a#p3"),
        ("https://e.com/a#/news/12?id=3", "https://e.com/a#/news/12?id=3"),
    ],
)  # fmt: skip
def test_an_address_is_handed_on_without_what_lets_somebody_in(url: str, kept: str) -> None:
    assert without_tokens(url) == kept
    assert without_tokens(kept) == kept
