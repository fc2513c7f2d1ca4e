"""A news page to an article: title, text and publication date, each as far as it can be told.

trafilatura extracts from bytes that we fetched and decoded; our own filter drops the lines that Chinese
sites put around the text. The date comes from what the page declares about its publication, then from
htmldate without its guessing mode, then from a stamp near the headline, and last, marked weak, from a guess.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from schemas import Outcome
from sources.boilerplate import bare_title, clean_lines, prose_share
from sources.language import language
from sources.layout import without_surroundings
from sources.pages import judge_page, page_title, split_scripts
from sources.state import captions, longest_prose
from sources.text import decode, headline, plain
from sources.times import Moment, read_time
from sources.walls import is_article, judge_words, without_labels
from sources.zones import publisher_zone

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
    r"(?:(?:中华民国|中華民國|民国|民國)\s*[\d〇零一二三四五六七八九十百元]{1,6}\s*年\s*[\d一二三四五六七八九十]{1,3}\s*月\s*"
    r"[\d一二三四五六七八九十]{1,3}\s*[日号號])|"
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
    data: bytes,
    *,
    url: str,
    content_type: str,
    fetched_at: datetime,
    zone: str,
    named: bool = False,
) -> Article:
    """Read one page from its bytes; never raises for its content.

    Times without a zone are in that of the publisher's country domain or language, else, and always when it was
    `named` for them, in `zone`. The text of a page that
    only scripts draw is read from the page's data where it is there; the note says so.
    """
    if not data.strip():
        return Article("empty", "empty body")
    decoded = decode(data, content_type)
    if not decoded.ok:
        return Article("decode_error", decoded.note)
    judgement = judge_page(decoded.text)
    note = decoded.note
    if judgement.outcome == "needs_js":
        text = longest_prose(split_scripts(decoded.text)[1])
        title, publisher = bare_title(headline(page_title(decoded.text))), ""
        text, note = clean_lines(text, title), "the text was read from the page's data"
        if not text:
            return Article(judgement.outcome, judgement.note)
    elif judgement.outcome != "ok" and not judgement.doubtful:
        return Article(judgement.outcome, judgement.note)
    else:
        title, text, publisher = _extract(decoded.text, url)
        if judgement.outcome != "ok" and not is_article(text):
            return Article(judgement.outcome, judgement.note)
        judgement = judge_words("", text)
        if judgement.outcome != "ok":  # the words of a wall among menus and headlines
            return Article(judgement.outcome, judgement.note)
        text = without_labels(text)
    if not text:
        return Article("empty", "no article text was found", title=title)
    zone = zone if named else publisher_zone(url, zone, language(text))
    moment, raw = publication(decoded.text, url=url, fetched_at=fetched_at, zone=zone)
    return Article("ok", note, title, text, publisher, moment, raw)


def _extract(html: str, url: str) -> tuple[str, str, str]:
    html = _XML_HEAD.sub("", html)
    body = without_surroundings(html)
    values = _trafilatura(html if body is None else body.tree, url)
    text = str(values.get("text") or "")
    publisher = headline(str(values.get("sitename") or ""))
    title = bare_title(headline(str(values.get("title") or "")), publisher)
    if body is not None and _agreement(text, body.prose)[1] < _AGREES:
        whole = str(_trafilatura(html, url).get("text") or "")
        text = max(
            text, whole, key=lambda found: _agreement(clean_lines(found, title), body.prose)[1]
        )
        cleaned = clean_lines(text, title)
        if _agreement(cleaned, body.prose)[0] < 0.5 or prose_share(cleaned) < _MENU:
            text = "\n".join(body.prose)
            if len(body.prose) == 1:
                text = captions(split_scripts(html)[1], body.prose[0]) or text
    if not text:  # main text in <aside>, which the extractor takes for a side note
        retry = re.sub(r"<(/?)aside\b", r"<\1article", html, flags=re.IGNORECASE)
        text = str(_trafilatura(retry, url).get("text") or "") if retry != html else ""
    return title, clean_lines(text, title), publisher


_AGREES = 0.6
"""Agreement with the densest prose above which an extraction is taken as it is."""
_MENU = 0.5
"""Share of prose below which an extraction is mostly menus and headlines."""


def _trafilatura(page: Any, url: str) -> dict[str, Any]:
    """trafilatura's fields for a page given as text or as an lxml tree."""
    import trafilatura

    found = trafilatura.bare_extraction(
        page,
        url=url or None,
        include_comments=False,
        include_tables=True,
        with_metadata=True,
        date_extraction_params={"original_date": True, "extensive_search": False},
    )
    values: dict[str, Any] = found.as_dict() if found is not None else {}
    return values


def _agreement(text: str, prose: tuple[str, ...]) -> tuple[float, float]:
    """Share of the densest element's prose that a text holds, and their F1 in characters."""
    seen = "".join(text.split())
    wanted = ["".join(line.split()) for line in prose]
    total = sum(map(len, wanted))
    held = sum(len(line) for line in wanted if line[:40] in seen)
    return held / max(total, 1), 2 * held / max(len(seen) + total, 1)


_XML_HEAD = re.compile(r"^\s*<\?xml[^>]*\?>")


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
    latest = (fetched_at + timedelta(days=1)).date().isoformat()
    found = _htmldate(html, url, latest, extensive=False)
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
    guess = _htmldate(html, url, latest, extensive=True)
    doubtful = not guess or guess.endswith("-01-01") or _ambiguous(html, guess)
    if not doubtful and (_written(html, guess) or _written_backwards(html, guess)):
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
        own = node.get("datePublished")
        known = isinstance(own, str | int | float) and not isinstance(own, bool)
        return ([str(own)] if known else []) + [
            value
            for key, child in node.items()
            if key not in {"comment", "hasPart", "itemListElement", "isPartOf", "review"}
            for value in _ld_dates(child, depth + 1)
        ]
    return []


def _htmldate(html: str, url: str, latest: str, *, extensive: bool) -> str:
    """htmldate's original date not after `latest`, which otherwise is the machine's day; empty when none."""
    from htmldate import find_date

    try:
        found = find_date(
            html,
            url=url or None,
            original_date=True,
            extensive_search=extensive,
            min_date="1985-01-01",
            max_date=latest,
            outputformat="%Y-%m-%d",
        )
    except (ValueError, TypeError, OverflowError):  # malformed markup that lxml cannot hold
        return ""
    return str(found or "")


def _ambiguous(html: str, day: str) -> bool:
    """Whether the only trace of a day is a numeric date that could be read the other way."""
    _, month, number = day.split("-")
    if month == number or int(number) > 12 or _written(html, day):
        return False
    return _written_backwards(html, day)


def _written(html: str, day: str) -> bool:
    """Whether a page writes a day with its year first or its month as a word, so that no clock supplied a part."""
    year, month, number = day.split("-")
    year_first = rf"{year}\s*[-/.年_]?\s*0?{int(month)}\s*[-/.月_]?\s*0?{int(number)}(?!\d)"
    named = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    return bool(
        re.search(year_first, html) or re.search(rf"{named}[^<]{{0,12}}{year}", html, re.IGNORECASE)
    )


def _written_backwards(html: str, day: str) -> bool:
    """Whether a page writes a day in numbers with its year last."""
    return any(
        match[3] == day[:4] and {int(match[1]), int(match[2])} == {int(day[5:7]), int(day[8:])}
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
