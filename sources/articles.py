"""A news page to an article: title, text and publication date, each as far as it can be told.

trafilatura extracts from bytes that we fetched and decoded; our own filter drops the lines that Chinese
sites put around the text. The date comes from what the page declares about its publication, then from
htmldate without its guessing mode, then from a stamp near the headline, and last, marked weak, from a guess.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas import Outcome
from sources.pages import judge_page, split_scripts
from sources.text import decode, headline, plain, tidy
from sources.times import Moment, read_time

_BREADCRUMB = re.compile(
    r"^(?:当前位置|您的位置|你的位置|所在位置|首页\s*[>»＞])|^[^。，]{1,12}(?:\s*[>»＞]\s*[^。，]{1,14}){1,5}$"
)
_SOURCE_LINE = re.compile(
    r"^(?:来源|來源|稿源|作者|责任编辑|責任編輯|责编|编辑|編輯|记者|校对|审核|监制|文/|图/|原标题|字号|分享到|打印)\s*[:：|｜/]?.{0,40}$|"
    r"^[（(\[【]?\s*(?:责任编辑|责编|编辑|来源|作者|校对|原标题)\s*[:：].{0,60}$|"
    r"^(?:19|20)\d\d[-年/.]\d{1,2}[-月/.]\d{1,2}日?\s*(?:\d{1,2}:\d{2}(?::\d{2})?)?\s*(?:来源|來源|[|｜])?.{0,24}$"
)
_PROMO = re.compile(
    r"扫描?(?:二维码|下方)|下载.{0,8}(?:客户端|APP)|(?:点击|點擊)(?:进入|查看|下载|图片|这里|關注|关注)|关注.{0,12}(?:公众号|官方微信|官方微博)|"
    r"更多(?:精彩|相关|内容|猛料)|打开.{0,8}(?:APP|客户端)|热点新闻|推荐阅读|相关阅读|相关新闻|延伸阅读|延伸閱讀|海量资讯|精准解读|尽在.{0,14}APP",
    re.IGNORECASE,
)
_DISCLAIMER = re.compile(
    r"^[【\[（(*\s]*(?:特别|重要)?(?:免责声明|免責聲明|版权声明|版權聲明|郑重声明|声明\s*[:：]|聲明\s*[:：])|"
    r"未经.{0,10}(?:授权|许可).{0,12}(?:转载|使用)|仅代表作者|不代表.{0,14}(?:立场|观点)|^本文(?:来源|转自)|"
    r"版权所有|侵权.{0,10}(?:联系|删除)|All Rights Reserved|违法和不良信息举报|"
    r"(?:以上内容|特别声明).{0,20}(?:自媒体|用户上传)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?:meta|time|span|abbr)\b[^<>]{0,600}>", re.IGNORECASE)
_META_DATE = re.compile(
    r"""<(?:meta|time|span|abbr)\b[^>]{0,300}?\b(?:property|name|itemprop|class|pubdate)\s{0,3}=\s{0,3}["']?[^"'>]{0,80}?"""
    r"""(?:article:published_time|og:published_time|og:release_date|datepublished|pubdate|publishdate|publish_date|"""
    r"""publish-date|publishtime|apub:time|dc\.date(?:\.issued)?|dcterms\.created|parsely-pub-date|sailthru\.date|"""
    r"""weibo:\s*article:create_at)[^>]{0,400}>""",
    re.IGNORECASE,
)
_VALUE = re.compile(r"""(?:content|datetime)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_LD = re.compile(r"<script[^>]{0,200}application/ld\+json[^>]{0,200}>", re.IGNORECASE)
_STAMP = re.compile(
    r"(?:(?:19|20)\d\d\s*[年\-/.]\s*\d{1,2}\s*[月\-/.]\s*\d{1,2}\s*日?\s*(?:[T ]?\d{1,2}[:：]\d{2}(?::\d{2})?)?)|"
    r"(?:(?:中华民国|中華民國|民国|民國)\s*\d{2,3}\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日)|"
    r"(?:[〇○零一二三四五六七八九]{4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}日)"
)
_NOT_PUBLISHED = re.compile(
    r"©|版权|版權|copyright|备案|ICP|更新(?:时间|于)|修改|截至|截止", re.IGNORECASE
)
_AMBIGUOUS = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.]((?:19|20)\d\d)(?!\d)")


@dataclass(frozen=True)
class Article:
    """What a page says, or why it says nothing."""

    outcome: Outcome
    """ok, or why there is no text."""
    note: str = ""
    """What the page looks like."""
    title: str = ""
    """Headline."""
    text: str = ""
    """Body, one paragraph a line."""
    publisher: str = ""
    """Site name as the page gives it."""
    moment: Moment = field(default_factory=Moment)
    """Publication."""
    moment_raw: str = ""
    """The date as the page wrote it."""


def read_article(
    data: bytes, *, url: str, content_type: str, fetched_at: datetime, zone: str
) -> Article:
    """Read one page from its bytes; never raises for its content."""
    if not data.strip():
        return Article("empty", "empty body")
    decoded = decode(data, content_type)
    if not decoded.ok:
        return Article("decode_error", decoded.note)
    judgement = judge_page(decoded.text)
    if judgement.outcome != "ok":
        return Article(judgement.outcome, judgement.note)
    title, text, publisher = _extract(decoded.text, url)
    if not text:
        return Article("empty", "no article text was found", title=title)
    moment, raw = publication(decoded.text, url=url, fetched_at=fetched_at, zone=zone)
    return Article("ok", decoded.note, title, text, publisher, moment, raw)


def _extract(html: str, url: str) -> tuple[str, str, str]:
    import trafilatura

    html = _XML_HEAD.sub("", html)
    found = trafilatura.bare_extraction(
        html,
        url=url or None,
        include_comments=False,
        include_tables=True,
        with_metadata=True,
        date_extraction_params={"original_date": True, "extensive_search": False},
    )
    values: dict[str, Any] = found.as_dict() if found is not None else {}
    text = str(values.get("text") or "")
    if not text:  # main text in <aside>, which the extractor takes for a side note
        retry = re.sub(r"<(/?)aside\b", r"<\1article", html, flags=re.IGNORECASE)
        again = (
            trafilatura.bare_extraction(retry, include_comments=False) if retry != html else None
        )
        text = str(again.as_dict().get("text") or "") if again is not None else ""
    title = headline(str(values.get("title") or ""))
    return title, clean_lines(text, title), headline(str(values.get("sitename") or ""))


_XML_HEAD = re.compile(r"^\s*<\?xml[^>]*\?>")


def clean_lines(text: str, title: str = "") -> str:
    """Text without the lines around an article: breadcrumb, source, promotion, disclaimer, repeated title.

    Only the first and last few lines and short lines are judged, so that an article about a disclaimer keeps
    its words.
    """
    lines = [line for line in tidy(text).split("\n") if line]
    start, end = 0, len(lines)
    while start < min(end, 6) and _is_around(lines[start], title):
        start += 1
    while end > start and end > len(lines) - 8 and _is_around(lines[end - 1], ""):
        end -= 1
    kept = [
        line
        for line in lines[start:end]
        if not (len(line) < 60 and (_PROMO.search(line) or _SOURCE_LINE.match(line)))
    ]
    return "\n".join(kept)


def _is_around(line: str, title: str) -> bool:
    if title and re.sub(r"\W", "", line) == re.sub(r"\W", "", title):
        return True
    if _BREADCRUMB.search(line) and len(line) < 80:
        return True
    if len(line) < 80 and (_SOURCE_LINE.match(line) or _PROMO.search(line)):
        return True
    return bool(_DISCLAIMER.search(line)) and len(line) < 400


# -- publication date ---------------------------------------------------------------------------------


def publication(html: str, *, url: str, fetched_at: datetime, zone: str) -> tuple[Moment, str]:
    """When a page was published and the words that say so.

    Declared times first (JSON-LD datePublished, meta tags, <time pubdate>), then htmldate's original date
    without its guessing mode, then a stamp in the page's head matter. Modified times are never used. A date
    whose day and month cannot be told apart is refused.
    """
    for raw in _declared(html):
        moment = read_time(raw, fetched_at=fetched_at, zone=zone)
        if moment.at is not None:
            return moment, raw
        if moment.note.startswith("day and month"):
            return moment, raw
    found = _htmldate(html, url, extensive=False)
    if found:
        if _ambiguous(html, found):
            return Moment(note="day and month cannot be told apart"), found
        better = _stamp(html, fetched_at, zone, day=found)
        if better is not None:
            return better
        return read_time(found, fetched_at=fetched_at, zone=zone), found
    stamp = _stamp(html, fetched_at, zone)
    if stamp is not None:
        return stamp
    guess = _htmldate(html, url, extensive=True)
    if guess and not guess.endswith("-01-01") and not _ambiguous(html, guess):
        moment = read_time(guess, fetched_at=fetched_at, zone=zone)
        if moment.at is not None:
            return (
                Moment(moment.at, moment.precision, moment.tz_source, 0.3, "guessed from the page"),
                guess,
            )
    return Moment(note="no publication date"), ""


def _declared(html: str) -> list[str]:
    values: list[str] = []
    for script in split_scripts(html[:2_000_000])[1]:
        tag = _LD.match(script)
        if tag is None:
            continue
        block = script[tag.end() :]
        try:
            values += _ld_dates(json.loads(block, strict=False))
        except (ValueError, RecursionError):
            values += re.findall(r'"datePublished"\s*:\s*"([^"]{8,40})"', block)
    for tag in _TAG.findall(html[:400_000]):
        match = _VALUE.search(tag) if _META_DATE.search(tag) else None
        if match and (match[1] or match[2]):
            values.append(plain(match[1] or match[2]))
    return values


def _ld_dates(node: Any, depth: int = 0) -> list[str]:
    if depth > 8:
        return []
    if isinstance(node, list):
        return [value for child in node for value in _ld_dates(child, depth + 1)]
    if isinstance(node, dict):
        own = [node["datePublished"]] if isinstance(node.get("datePublished"), str) else []
        return own + [
            value
            for key, child in node.items()
            if key not in {"comment", "hasPart", "itemListElement", "isPartOf", "review"}
            for value in _ld_dates(child, depth + 1)
        ]
    return []


def _htmldate(html: str, url: str, *, extensive: bool) -> str:
    from htmldate import find_date

    try:
        found = find_date(
            html,
            url=url or None,
            original_date=True,
            extensive_search=extensive,
            min_date="1985-01-01",
            outputformat="%Y-%m-%d",
        )
    except (ValueError, TypeError, OverflowError):  # malformed markup that lxml cannot hold
        return ""
    return str(found or "")


def _ambiguous(html: str, day: str) -> bool:
    """Whether the only trace of a day is a numeric date that could be read the other way."""
    year, month, number = day.split("-")
    if month == number or int(month) > 12 or int(number) > 12:
        return False
    plain_forms = rf"{year}\s*[-/.年_]?\s*0?{int(month)}\s*[-/.月_]?\s*0?{int(number)}(?!\d)"
    named = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    if re.search(plain_forms, html) or re.search(
        rf"{named}[^<]{{0,12}}{year}", html, re.IGNORECASE
    ):
        return False
    return any(
        match[3] == year and {int(match[1]), int(match[2])} == {int(month), int(number)}
        for match in _AMBIGUOUS.finditer(html)
    )


def _stamp(html: str, fetched_at: datetime, zone: str, day: str = "") -> tuple[Moment, str] | None:
    """A written stamp in the page: with `day`, one of that day that also has a time."""
    words = plain(html[:600_000])
    for match in list(_STAMP.finditer(words))[:12]:
        line_start = words.rfind("\n", 0, match.start()) + 1
        line_end = words.find("\n", match.end())
        line = words[line_start : line_end if line_end >= 0 else len(words)]
        if _NOT_PUBLISHED.search(line) or len(line) > 90 or re.search(r"[。！？]", line):
            continue
        moment = read_time(match[0], fetched_at=fetched_at, zone=zone)
        if moment.at is None:
            continue
        if day:
            same = read_time(day, fetched_at=fetched_at, zone=zone)
            close = same.at is not None and abs((moment.at - same.at).total_seconds()) < 13 * 3600
            if close and moment.precision in ("second", "minute"):
                return moment, match[0]
            continue
        weaker = Moment(moment.at, moment.precision, moment.tz_source, 0.6, moment.note)
        return weaker, match[0]
    return None
