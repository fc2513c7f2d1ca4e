"""Counts, addresses, ids, sentences, decoding and language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.calendar import EN_MONTH_NUMBER, ZH_MONTH_NUMBER, ZH_WEEKDAY_NUMBER, parse_zh_numeral
from sources.counts import read_count, read_counts
from sources.ids import Ids
from sources.language import language
from sources.sentences import sentences
from sources.text import decode, headline, looks_mojibake, plain
from sources.urls import absolute, canonical, is_web_address, site, without_tokens

ZH = "某市政府发言人周四表示，将继续就相关议题与各方保持沟通，并会在适当时候公布进一步安排。"


@pytest.mark.parametrize(
    ("raw", "count"),
    [("10万+", 100000), ("1,234", 1234), ("赞 12", 12), ("1.5M", 1500000), ("三万", 30000), (7, 7), ("２０", 20),
     ("-5", None), ("1.7E+5", None), (float("inf"), None), (-3, None), (True, None), ("1234多", 1234),
     ("1.234.567", None), ("1/10", None), ("1 234", None), ("万", None), ("999+", 999), ("12万次播放", 120000),
     ("1百", 100), ("2百", 200), ("3千", 3000), ("1.5百万", 1500000), ("2千万", 20000000), ("3百亿", 30000000000), ("1.2億", 120000000),
     ("三百", 300), ("十万", 100000), ("百万", None), ("\u22125", None), ("\u20135", None), ("-5万", None), ("1½", None), ("½", None), ("3¼万", None),
     ("nan", None), ("NaN", None), ("<NA>", None), ("inf", None), ("7 bookmarks", 7), ("12 kudos", 12), ("5 members", 5), ("10kviews", None),
     ("1.2k likes", 1200), ("1.2k赞", 1200), ("3 million views", 3000000), ("2 lakh", 200000), ("1.2 Mio", None), ("5 mil", None), ("1.5 foo", None), ("9" * 400, None)],
)  # fmt: skip
def test_counts(raw: object, count: int | None) -> None:
    assert read_count(raw) == count


@given(
    st.integers(1, 99), st.sampled_from([("百", 100), ("千", 1000), ("万", 10**4), ("百万", 10**6), ("亿", 10**8), ("k", 1000), ("m", 10**6)])
)  # fmt: skip
def test_a_scale_is_read_behind_decimals_and_whole_numbers(
    tenths: int, unit: tuple[str, int]
) -> None:
    assert read_count(f"{tenths / 10}{unit[0]}") == tenths * unit[1] // 10
    assert read_count(f"{tenths}{unit[0]}+") == tenths * unit[1]


@given(st.integers(0, 10**12))
def test_a_plain_number_is_itself_with_and_without_commas(number: int) -> None:
    assert read_count(str(number)) == read_count(f"{number:,}") == number


def test_absent_counts_are_left_out() -> None:
    assert read_counts(likes=None, replies="", views="1万", reposts="1E+5") == {"views": 10000}


@given(st.integers(0, 99_999_999))
def test_chinese_numerals_read_back(number: int) -> None:
    digits, units = "零一二三四五六七八九", ["", "十", "百", "千"]

    def below(value: int) -> str:
        parts = [
            digits[int(d)] + (units[3 - i] if d != "0" else "") for i, d in enumerate(f"{value:04}")
        ]
        return "".join(parts)

    high, low = divmod(number, 10000)
    assert parse_zh_numeral((below(high) + "万" if high else "") + below(low)) == number


def test_the_lexicon_covers_its_year_and_week() -> None:
    assert set(EN_MONTH_NUMBER.values()) == set(ZH_MONTH_NUMBER.values()) == set(range(1, 13))
    assert set(ZH_WEEKDAY_NUMBER.values()) == set(range(7))
    with pytest.raises(ValueError, match="numeral"):
        parse_zh_numeral("三x")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("http://e.com/a?id=1&utm_source=rss", "http://E.com:80/a?utm_source=rss&id=1#top"),
        (
            "https://www.bing.com/news/apiclick.aspx?url=https%3a%2f%2fe.com%2fx&c=1",
            "https://e.com/x/",
        ),
        ("https://www.youtube.com/redirect?event=d&q=https%3A%2F%2Fe.com%2Fx", "https://e.com/x"),
        ("https://weibo.cn/sinaurl?u=http%3A%2F%2Fe.com%2Fx%3Futm_source%3Dw", "http://e.com/x"),
        (
            "https://www.google.com/url?q=https://www.bing.com/news/apiclick.aspx%3Furl%3Dhttps%253a%252f%252fe.com%252fx",
            "https://e.com/x",
        ),
        ("https://e.com/%E6%B8%A1", "https://e.com/渡"),
    ],
)
def test_one_page_has_one_address(left: str, right: str) -> None:
    assert canonical(left) == canonical(right)


@given(
    st.from_regex(
        r"https?://[a-z]{1,8}\.(com|cn)(:\d{2,4})?/[a-z0-9/%\-_.?&=#]{0,30}", fullmatch=True
    )
)
def test_canonical_is_idempotent(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)


def test_addresses() -> None:
    assert not is_web_address("javascript:alert(1)")
    assert not is_web_address("http://[bad")
    assert absolute("http://e.com/a/", "../b") == "http://e.com/b"
    assert absolute("http://e.com/", "file:///etc/passwd") == ""
    assert site("https://www.e.com/x") == "e.com"


def test_ids_need_the_salt_and_hide_authors() -> None:
    ids, other = Ids("a"), Ids("b")
    assert (
        ids.item("reddit", "t3_1")
        == Ids("a").item("reddit", "t3_1")
        != other.item("reddit", "t3_1")
    )
    assert ids.item("weibo", "1") != ids.item("weibo", "1", "comment")
    assert ids.author("reddit", "alice") != ids.author("mastodon", "alice")
    assert ids.author("reddit", None) == ids.author("reddit", "[deleted]") == ""


def test_sentences_end_where_they_end() -> None:
    assert sentences("Mr. Li left the U.S. in May. He paid 3.5 million. “Why?” she asked.") == [
        "Mr. Li left the U.S. in May.", "He paid 3.5 million.", "“Why?” she asked.",
    ]  # fmt: skip
    assert sentences("他说：“停航。”市民不满！结果未知") == [
        "他说：“停航。”",
        "市民不满！",
        "结果未知",
    ]


@given(st.text(alphabet="Ab. !?。！”，1中文 \n", max_size=80))
def test_sentences_lose_nothing_and_are_verbatim(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence in text for sentence in found)


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "gb18030", "big5hkscs", "utf-16", "utf-16-le", "utf-32"]
)
@pytest.mark.parametrize(
    "declared", ["", "text/html; charset=gb2312", "text/html; charset=iso-8859-1"]
)
def test_chinese_is_decoded_whatever_was_declared(codec: str, declared: str) -> None:
    text = (
        "<html><title>測試</title>"
        + ZH.translate(str.maketrans("发议题适时进", "發議題適時進")) * 3
    )
    if codec != "big5hkscs":
        text += ZH
    else:
        text = (
            "<html><title>測試</title>"
            + "香港特別行政區政府發言人表示，市民的意見已經收到，將會在適當時候公布安排。" * 3
        )
        declared = declared.replace("gb2312", "big5")
    decoded = decode(text.encode(codec), declared if codec != "utf-16-le" else "")
    assert decoded.ok, decoded.note
    assert decoded.text.lstrip("\ufeff") == text


def test_damage_is_named_not_passed_on() -> None:
    saved_wrong = (ZH * 3).encode().decode("latin-1")
    assert looks_mojibake(saved_wrong)
    assert not decode(saved_wrong.encode()).ok
    assert not looks_mojibake(
        "Ein schöner Übergang für Ärzte in Köln, déjà vu à Orléans, naïve façade"
    )
    assert not decode(bytes(range(128, 256)) * 20).ok


@given(st.binary(max_size=400))
def test_decoding_never_raises(data: bytes) -> None:
    decode(data, "text/html; charset=nonsense")
    decode(data)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        (ZH, "zh"), ("The ferry was closed by the council on Monday.", "en"), ("Fix it!", "en"), ("2026 :) 👍", "unknown"),
        ("Der Fährbetrieb wurde am Montag eingestellt und nicht wieder aufgenommen", "other"),
        ("#鲎尾渡轮#停航了大家怎么办", "zh"),
        ("渡し船は月曜日に停止されました", "other"), ("Паром закрыт", "other"), ("GPT-4太强了，我用ChatGPT写代码", "zh"),
    ],
)  # fmt: skip
def test_language_by_script(text: str, lang: str) -> None:
    assert language(text) == lang


def test_fragments_become_words() -> None:
    assert plain("<p>a&amp;b</p><p>c<br>d</p><script>x()</script>") == "a&b\n\nc\nd"
    assert headline("A &amp;amp; B &amp;#8217;s") == "A & B ’s"


@pytest.mark.parametrize(
    "html", ["<p>one<![CWARC/1.0[ two</p><p>three</p>", "<p>one<![if !IE]> two<![endif]></p> three"]
)
def test_an_unknown_marked_section_is_a_comment(html: str) -> None:
    assert plain(html).split()[0] == "one"
    assert plain(html).split()[-1] == "three"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.example/x?b=2&a=%31#top", "https://a.example/x?b=2&a=%31#top"),
        ("https://a.example/x?xsec_token=A%3D&b=2&xsec_source=pc", "https://a.example/x?b=2"),
        ("https://a.example/x?access_token=1#c", "https://a.example/x#c"),
        ("https://a.example/x;jsessionid=9F?Session_ID=5&q=token", "https://a.example/x?q=token"),
        ("https://a.example/tokens?topic=session", "https://a.example/tokens?topic=session"),
    ],
)
def test_an_address_loses_its_tokens_and_nothing_else(url: str, kept: str) -> None:
    assert without_tokens(url) == kept
    assert without_tokens(kept) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Unpopular: reservoir makes sense. Three dry summers, one river. Compensate properly and build.",
        "That's the whole reply. Same dam, same date, better tip.",
        "ANNULLED. You stubborn, smoky, impossible place.",
    ],
)
def test_english_short_of_function_words_is_english(text: str) -> None:
    assert language(text) == "en"
    assert language(f"{text} …") == "en"  # the way of texts that are not ASCII alone


@pytest.mark.parametrize(
    "text",
    [
        "La comida del restaurante no es buena para nada, pero vamos otra vez",
        "Das Wetter ist heute wirklich sehr schlecht und nass",
        "Il governo ha deciso di non costruire la diga",
        "Pemerintah tidak akan membangun bendungan ini",
        "Le barrage ne sera pas construit cette annee",
        "Regering bouwt geen dam in dit dorp",
        "Rzad nie zbuduje tamy w tym roku, to jest skandal",
    ],
)
def test_other_languages_without_accents_are_not_english(text: str) -> None:
    assert language(text) == "other"
    assert language(f"{text} …") == "other"
