"""What a fetched page is before anything is extracted from it: an article, a wall, an error in disguise.

Extractors return the sentences of a consent wall as happily as those of an article, so the page is judged
first. An article that merely mentions cookies, or has a cookie bar or a login link around it, is not a wall.
"""

from __future__ import annotations

import re

from sources.text import plain
from sources.walls import Judgement, is_told, judge_words

_LITTLE = 120
"""Visible characters below which the text of a page may be in its scripts only."""
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script\b[^>]{0,20}>?", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,500})", re.IGNORECASE)
_STATE = re.compile(
    r"__NEXT_DATA__|__INITIAL_STATE__|__NUXT__|__APOLLO_STATE__|__PRELOADED_STATE__|window\.\w+\s*=\s*\{"
)
_JS = re.compile(
    r"enable javascript|requires javascript|javascript is (?:disabled|required)|启用\s*javascript|開啟\s*javascript",
    re.IGNORECASE,
)


def split_scripts(html: str) -> tuple[str, list[str]]:
    """A page without its scripts, and each script from its tag on; linear also for unclosed ones."""
    outside, scripts = [], []
    position = 0
    while (start := _SCRIPT.search(html, position)) is not None:
        outside.append(html[position : start.start()])
        end = _SCRIPT_END.search(html, start.end())
        scripts.append(html[start.start() : end.start() if end else len(html)])
        position = end.end() if end else len(html)
    outside.append(html[position:])
    return " ".join(outside), scripts


def judge_page(html: str) -> Judgement:
    """Judge decoded HTML. `blocked` covers bot checks, consent walls, login walls and paywalls; the note says which."""
    if not html.strip():
        return Judgement("empty", "empty body")
    visible, inside = split_scripts(html)
    words = plain(visible)
    title = page_title(html)
    judgement = judge_words(title, words)
    if judgement.outcome != "ok":
        return judgement
    body = words.removeprefix(title).strip()
    if len(body) < _LITTLE and not is_told(body):
        scripts = "".join(inside)
        if _JS.search(html) or _STATE.search(scripts) or len(scripts) > 20 * max(len(body), 50):
            return Judgement("needs_js", "the text is only in scripts")
        if not body:
            return Judgement("empty", "no words")
    return judgement


def page_title(html: str) -> str:
    """Words of the page's `<title>`; empty when it has none."""
    match = _TITLE.search(html)
    return plain(match[1]) if match else ""
