"""Texts as the deduplicator compares them: without boilerplate, addresses and decoration, cut into shingles.

Two views of one item: `clean` is what is kept (every word of the source, tidy whitespace), `comparable` is what
copies are recognised by. Comparing the kept text instead would join unrelated articles of one outlet by their
common footer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

CJK = "㐀-䶿一-鿿豈-﫿"
_CJK_CHAR = re.compile(f"[{CJK}]")
_KANA_HANGUL = re.compile(r"[぀-ヿ가-힯]")
_TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}_]+(?:['’.,:][^\W{CJK}_]+)*")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。！？；、）】]+", re.IGNORECASE)
_MENTION = re.compile(r"(?:转发微博\s*)?(?://\s*)?@[\w\-.·]+\s*[:：]?")
_HASHTAG = re.compile(r"#[^#\s]{1,30}#|#\w+")
_EMOTICON = re.compile(r"\[[^\[\]\s]{1,8}\]")
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SENTENCE_END = re.compile(r"(?<=[。！？!?…])(?![。！？!?…])|(?<=\.)\s|\n")

_BOILERPLATE = re.compile(
    r"^\s*(?:"
    r"sign up (?:for|to) |subscribe (?:to|for|now)|follow us|all rights reserved|copyright\b|©"
    r"|click here|read more\b|read also\b|related (?:articles?|stories)|share this|advertisement\s*$"
    r"|download (?:our|the) app|this (?:article|story) (?:was|is) (?:originally|first) published"
    r"|editing by |reporting by |our standards:|accept (?:all )?cookies|via @"
    r"|点击(?:关注|下载|阅读|查看)|关注(?:我们|本报|公众号)|版权所有|未经(?:授权|许可)|(?:转载|免责)声明"
    r"|责任编辑|责编|编辑[:：]|原标题[:：]|来源[:：]|更多(?:精彩|资讯)|扫码|扫一扫|阅读原文|声明[:：]"
    r"|获取更多|转载请注明|展开全文|网页链接|本文(?:来源|系|首发)"
    r")",
    re.IGNORECASE,
)
_AGENCY = re.compile(
    r"^\s*(?:[(（【\[][^()（）【】\[\]]{2,24}(?:wire|news|agency|press|reuters|电|讯|报|社|网)[)）】\]]|本报讯|综合消息)\s*[-–—:：]*\s*",
    re.IGNORECASE,
)
_FLASH = re.compile(
    r"^\s*(?:breaking|update|just in|快讯|突发|最新|更新)\s*[:：!！]\s*", re.IGNORECASE
)

_CALENDAR = frozenset(
    "mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
)
"""First letters of the names of days and months."""

LEARNED_FROM = 5
"""Documents with different openings in which a closing sentence must stand to count as boilerplate."""


def clean(text: str) -> str:
    """The kept text: NFC, no invisible or control characters, single spaces, no empty lines in a row."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _CONTROL.sub(" ", _INVISIBLE.sub("", text))
    lines = [re.sub(r"[^\S\n]+", " ", line).strip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def content_length(text: str) -> int:
    """How many letters and digits a text has; signs, emoji and spaces carry no content."""
    return sum(char.isalnum() for char in text)


def sentences(text: str) -> list[str]:
    """Sentences of a text in either language, stripped, none empty."""
    return [part for piece in _SENTENCE_END.split(text) if (part := piece.strip())]


def language(text: str, stated: str = "unknown") -> Literal["en", "zh", "other", "unknown"]:
    """The stated language, or one told from script and the commonest English words."""
    if stated in ("en", "zh", "other"):
        return stated  # type: ignore[return-value]
    letters = [char for char in text if char.isalpha()]
    if not letters:
        return "unknown"
    if _KANA_HANGUL.search(text):
        return "other"
    if len(_CJK_CHAR.findall(text)) >= 0.2 * len(letters):
        return "zh"
    words = set(re.findall(r"[a-z]+", text.lower()))
    common = {"the", "of", "and", "to", "in", "is", "for", "on", "that", "it", "we", "this", "are"}
    return "en" if words & common else "unknown"


def script(text: str) -> Literal["zh", "latin"]:
    """Which of the two encodings of a language a text uses; decides whether a pair is cross-lingual."""
    letters = sum(char.isalpha() for char in text)
    return "zh" if letters and len(_CJK_CHAR.findall(text)) >= 0.2 * letters else "latin"


def comparable(title: str, text: str, learned: frozenset[str] = frozenset()) -> str:
    """Title and text without addresses, names of accounts, hashtags, emoji, agency marks and boilerplate.

    `learned` are sentences found to be an outlet's own footer (`learn_boilerplate`).
    """
    stop = "。" if script(title + text) == "zh" else ". "
    joined = text if not title or text.startswith(title) else title.rstrip(" .。") + stop + text
    joined = unicodedata.normalize("NFKC", joined)
    joined = _URL.sub(" ", joined)
    joined = _HASHTAG.sub(" ", _MENTION.sub(" ", joined))
    joined = _EMOTICON.sub(" ", joined)
    joined = _FLASH.sub("", _AGENCY.sub("", joined))
    kept = [
        sentence
        for sentence in sentences(joined)
        if not _BOILERPLATE.match(sentence) and sentence not in learned
    ]
    gap = "" if script(joined) == "zh" else " "
    plain = "".join(" " if _decoration(char) else char for char in gap.join(kept))
    return re.sub(r"\s+", " ", plain).strip()


def _decoration(char: str) -> bool:
    """Emoji, signs, control characters and the selectors that colour them."""
    return unicodedata.category(char)[0] in "SC" or char == "\ufe0f"


def learn_boilerplate(texts: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Closing sentences that at least five documents of one publisher with different openings share.

    `texts` are (publisher, text) pairs. Copies of one article share their opening, so they teach nothing.
    """
    openings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for publisher, text in texts:
        parts = sentences(unicodedata.normalize("NFKC", text))
        for sentence in parts[1:][-4:]:
            openings[publisher, sentence].add(parts[0])
    return frozenset(
        sentence for (_, sentence), first in openings.items() if len(first) >= LEARNED_FROM
    )


def tokens(text: str) -> list[str]:
    """Words of Latin script in lower case, and single Chinese characters."""
    return [token.casefold() for token in _TOKEN.findall(text)]


def names(text: str) -> frozenset[str]:
    """Capitalised words inside sentences, without days and months: who and where, in Latin script only."""
    found: set[str] = set()
    for sentence in sentences(text):
        for word in _TOKEN.findall(sentence)[1:]:
            if word[0].isupper() and not word.isupper() and word.casefold()[:3] not in _CALENDAR:
                found.add(word.casefold().removesuffix("'s").removesuffix("’s"))
    return frozenset(found)


def shingles(words: list[str], size: int = 3) -> frozenset[str]:
    """Runs of three tokens; a shorter text is one shingle, an empty one has none."""
    if not words:
        return frozenset()
    if len(words) < size:
        return frozenset({" ".join(words)})
    return frozenset(" ".join(words[i : i + size]) for i in range(len(words) - size + 1))


def exact_key(text: str) -> str:
    """What two texts share when they differ in nothing but case, width, spaces and signs."""
    return "".join(
        char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum()
    )
