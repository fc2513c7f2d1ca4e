"""Cells of words: tags and entities are resolved, and no word between < and > is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.imports.cells import words
from sources.text import plain
from tests.effort import grows_linearly


@pytest.mark.parametrize(
    "text",
    [
        "x<y and z>w then ok", "我<b站>看到的消息说水位>3米", "if (i<n && j>m) return", "if (a<b && c>d) e", "z <a b and c> d", "a<i>b", "1 < 2 > 0",
        "price <5 and >3", "I <3 you and you > me", "<转发>微博", "List<String> of <T>", "see <unknown> tag", "mail <me@e.example> now", "a <b",
        "x<!-- y", "R&D &copy AT&T ?a=1&lt=2", "<div>cut", "use <div> here",
    ],
)  # fmt: skip
def test_what_is_no_tag_is_words(text: str) -> None:
    assert words(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<b>停航</b>了", "停航了"),
        ("<p>one<p>two<br/>three", "one\ntwo\nthree"),
        ('<a href="https://e.com/?a=1&b=2">link</a> 3<5', "link 3<5"),
        ('<img src="a"alt="b > c">z', "z"),
        ("<em class=\"keyword\">停航</em><span class=x data-y style='a'>了</span>", "停航了"),
        ("cut</div>", "cut"),
        ("<o:p></o:p><mp-card data-id=\"1\">x</mp-card>", "x"),
        ("<!-- c > d -->y", "y"),
        ("<SCRIPT>alert(1<2)</SCRIPT>t", "t"),
        ("1 &lt; 2 <b>k</b> x<y>z", "1 < 2 k x<y>z"),
        ("Tom &amp; Jerry&#39;s &#x6e21;&nbsp;", "Tom & Jerry's 渡"),
        ("&lt;b&gt;", "<b>"),
        ("&amp;lt;", "&lt;"),
    ],
)  # fmt: skip
def test_tags_and_entities_are_resolved(text: str, found: str) -> None:
    assert words(text) == found


NAMES = st.sampled_from(["b", "a", "p", "br", "div", "span", "em", "strong", "h2", "li", "td", "section", "font"])  # fmt: skip
INNER = st.text("渡轮 abc.", min_size=1, max_size=8)


@given(st.lists(st.tuples(NAMES, INNER, INNER), max_size=6))
def test_sound_markup_is_read_as_html(parts: list[tuple[str, str, str]]) -> None:
    html = "".join(f'<{name} class="x">{inner}</{name}>{behind}' for name, inner, behind in parts)
    assert words(html) == plain(html)


@given(st.text("<>bi pn&1=渡", max_size=30))
def test_text_without_an_end_or_attribute_loses_letters_of_tags_only(text: str) -> None:
    lost = len("".join(text.split())) - len("".join(words(text).split()))
    assert lost == 0 or "<p" in text


@pytest.mark.parametrize(
    "part",
    ['<a x="', "<a b=''<", "<b>", "<", "&", "<a-", "<!--", "<b ", "<p a=b c", "</b", "<a x='\""],
)
def test_hostile_cells_are_read_in_linear_time(part: str) -> None:
    assert grows_linearly(lambda length: words(part * (length // len(part))), 300_000)
