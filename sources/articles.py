"""A news page to an article: title, text and publication date, each as far as it can be told.

trafilatura extracts from bytes that we fetched and decoded; our own filter drops the lines that Chinese
sites put around the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas import Outcome
from sources.boilerplate import bare_title, clean_lines, prose_share
from sources.language import language
from sources.layout import without_surroundings
from sources.pages import judge_page, page_title, split_scripts
from sources.publication import publication
from sources.state import captions, longest_prose
from sources.text import decode, headline
from sources.times import Moment
from sources.walls import is_article, judge_words, without_labels
from sources.zones import publisher_zone


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
