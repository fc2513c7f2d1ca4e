"""The markup around a Chinese article, taken away before the text is extracted.

Chinese news pages carry comment threads, login boxes, related lists and app promotion as ordinary paragraphs,
and some set the whole page in list items. An extractor cannot tell these from the article by their words
alone; their class and id names and the place of the prose can. The element whose own paragraphs hold the
most prose is never taken away, nor anything that contains it (after the text-density idea of GNE, Sun et
al. 2011).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sources.boilerplate import is_notice
from sources.text import plain

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_ENOUGH_HAN = 80
"""Han characters below which a page is too short to be judged."""
_CHINESE = 0.4
"""Share of Han characters in the prose of a Chinese page; digits, Latin names and signs are the rest."""
_STOP = re.compile(r"[。！？!?]")
_SHORTEST = 8
"""Characters before a stop from which a sentence counts as prose."""
_AROUND = re.compile(
    r"(?:^|[\s_\-])(?:"
    r"(?:post_?)?comments?(?:$|[\s_\-])|cmt|pinglun|pl_|tie(?:$|[\s_\-])|gentie|reply|replies|"
    r"relate[ds]?|xiangguan|xg(?:yd|xw|tj)|tuijian|tj(?:yd|xw)|rwb_tj|recomm?end\w*|guess|hot-?(?:news|list|rank|posts)|"
    r"most_?read|read_?more|more-?news|feed-?list|rank(?:$|ing|list)|"
    r"share\w*|bdshare\w*|fenxiang|social|sns|login\w*|hr-login\w*|passport|toolbar\w*|"
    r"qr_?code|ewm|erweima|wx(?:-tg|_zwy|_l|-?info|follow)\w*|blk-wxfollow|"
    r"copyright|disclaim\w*|statement|shen?gming|shenming|mianze|footer|breadcrumbs?|crumbs?|website|"
    r"app-?down(?:load)?|box_down|download|face_box|vote|zan(?:$|[\s_\-])|ad(?:$|s$|[_\-])|advert\w*|banner\w*|live-finance\S*|"
    r"keywords?|tag-?list|font_size|fontsize|part2-list"
    r")",
    re.IGNORECASE,
)
_BLOCKS = frozenset({"p", "div", "section", "article", "td", "li", "blockquote", "span", "main"})
_DEEPEST = 60
"""Levels above a paragraph that are looked at, so that hostile nesting costs no quadratic time."""


@dataclass(frozen=True)
class Body:
    """A Chinese page made ready for extraction."""

    tree: Any
    """lxml tree without the surroundings."""
    prose: tuple[str, ...]
    """Lines of the element that holds most prose: an extraction without them has missed the article."""


def without_surroundings(html: str) -> Body | None:
    """The page without its surroundings; none when it is no Chinese page or holds no prose.

    Lists that lay out the page become plain blocks. Never raises for its content.
    """
    if len(_HAN.findall(html[:400_000])) < _ENOUGH_HAN:
        return None
    from lxml.etree import tostring
    from trafilatura import load_html

    tree = load_html(html)
    if tree is None:
        return None
    prose = _prose_by_element(tree)
    if not prose:
        return None
    densest = max(prose, key=lambda element: prose[element])
    words = plain(tostring(densest, encoding="unicode", with_tail=False))
    lines = [line for line in words.split("\n") if _prose_length(line)]
    if len(_HAN.findall("".join(lines))) < _CHINESE * sum(map(len, lines)):
        return None
    kept = {densest, *densest.iterancestors()}
    _unlist(kept)
    for element in list(
        tree.iter("div", "section", "ul", "ol", "aside", "footer", "dl", "table", "p")
    ):
        if element in kept or not _named_around(element) or element.getparent() is None:
            continue
        if _within(element, densest) and _has_prose(element):
            continue
        element.drop_tree()
    return Body(tree, tuple(lines))


def _prose_length(text: str) -> int:
    """Characters of the sentences in a text; what has no stop behind it counts nothing."""
    *sentences, _ = _STOP.split(text)
    return sum(len(sentence) for sentence in sentences if len(sentence) >= _SHORTEST)


def _prose_by_element(tree: Any) -> dict[Any, int]:
    """Characters of sentences in the paragraphs and direct text of each element, links aside."""
    found: dict[Any, int] = {}
    for element in tree.iter(*_BLOCKS):
        texts = [element.text or "", *(child.tail or "" for child in element)]
        if element.tag == "p":
            texts += [
                child.text or ""
                for child in element.iter("strong", "b", "span", "font", "em")
                if child is not element
            ]
        words = "".join(texts).strip()
        length = _prose_length(words)
        if not length or is_notice(words):
            continue
        holder = element
        if element.tag in {"p", "span", "blockquote"} and element.getparent() is not None:
            holder = element.getparent()
        found[holder] = found.get(holder, 0) + length
    return found


def _named_around(element: Any) -> bool:
    name = f"{element.get('class') or ''} {element.get('id') or ''}".strip()
    return bool(name) and bool(_AROUND.search(name[:300]))


def _within(element: Any, other: Any) -> bool:
    for level, above in enumerate(element.iterancestors()):
        if above is other:
            return True
        if level > _DEEPEST:
            return False
    return False


def _has_prose(element: Any) -> bool:
    return _prose_length("".join(element.itertext())) > 0


def _unlist(kept: set[Any]) -> None:
    """Turn list items around the article into plain blocks: a list that lays out a page is no list."""
    for element in kept:
        if element.tag in {"ul", "ol", "li", "dl", "dd"}:
            element.tag = "div"
