"""Shapes and phrases that have no place in a released text: handles and addresses, notes of the process, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

SECRET_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "api key",
        re.compile(
            r"\bsk-[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{30,}|\bhf_[A-Za-z0-9]{20,}"
        ),
    ),
    ("authorisation header", re.compile(r"\b[Bb]earer [A-Za-z0-9._~+/-]{12,}=*")),
    (
        "key assignment",
        re.compile(
            r"(?i)\b(?:api[_-]?key|secret|access[_-]?token|password)\b[\"']?\s*[:=]\s*[\"'][^\"'\s]{8,}"
        ),
    ),
    ("private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("offset", re.compile(r"(?i)\boffset[_ -]?days\b")),
)
_TOP = (
    "com|org|net|edu|gov|mil|int|info|biz|app|dev|xyz|online|site|shop|store|club|cloud|tech|blog|wiki|media|press|vote|social|"
    "a[eru]|br|c[acnhloz]|cc|de|dk|e[egsu]|f[imr]|g[ghr]|hk|hu|i[aeloqr]|jp|k[er]|lt|lu|lv|mx|n[glz]|p[ehlt]|r[ou]|s[aegk]|t[hrvw]|u[ak]|vn|ws|za"
)
"""Endings of web domains that are no English words; those that are (it, no, live) count before a path."""
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("domain", re.compile(rf"(?<![\w@./-])(?:[a-z\d][a-z\d-]*\.)+(?:(?:(?-i:{_TOP})|COM|ORG)(?![\w@-]|\.\w)|(?-i:[a-z]{{2,6}})/(?=\w))", re.ASCII | re.IGNORECASE)),
    ("address", re.compile(r"\bhttps?://\S+|\bwww\.\w+\.\w+", re.ASCII)),
    ("e-mail", re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+", re.ASCII)),
    ("handle", re.compile(r"(?<![A-Za-z0-9_.])[@＠][\w\u3400-\u9fff][\w.\u3400-\u9fff-]+")),
    ("hashtag", re.compile(r"(?<![A-Za-z0-9_#&/])[#＃][^\s#\d][^\s#，。,.!?]*")),
    ("cashtag", re.compile(r"(?<![\w$])\$[A-Z]{2,6}\b")),
    ("case number", re.compile(r"[(（〔\[](?:19|20)\d{2}[)）〕\]][\u4e00-\u9fff]{1,3}\d*[\u4e00-\u9fff]{1,3}(?:字第)?\d+号")),
    ("docket", re.compile(r"\bNo\. ?\d{1,2}[-:]\w{1,4}[-:]?\d{2,}\b|\b[A-Z][a-z]+ v\.? [A-Z][a-z]+\b(?! [A-Z]\b)")),
)  # fmt: skip
_ADDRESSES = ("address", "domain", "e-mail", "handle", "hashtag")
"""Shapes in which words run together."""
_NOTES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "note on the real name",
        re.compile(
            r"真名|真实姓名|化名为|原名为|\breal names?\b(?! (?:are|were) replaced)", re.IGNORECASE
        ),
    ),
    (
        "note of the process",
        re.compile(
            r"文末备注|脱敏|匿名化|占位符|待补充|\bTODO\b|\bFIXME\b|\bplaceholder\b|\banonymi[sz]ed\b|\bpseudonym"
        ),
    ),
    (
        "words of a model",
        re.compile(
            r"\bas an AI\b|\blanguage model\b|作为(?:一个|一名)?(?:AI|人工智能)|语言模型",
            re.IGNORECASE,
        ),
    ),
    ("internal id", re.compile(r"(?<![\w-])E\d{2}(?!\w|-(?!\w)|-\d)", re.ASCII)),
)
_CUTOFF = re.compile(r"(?<![A-Za-z_])cut-?offs?(?![A-Za-z_])", re.IGNORECASE)
_REST = re.compile(r"[^\s<>\"'，。；）)]*")
_HEADING = re.compile(r"#{1,6} ")


def shapes(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of everything that can be looked up as it stands."""
    for kind, net in _SHAPES:
        for found in net.finditer(text):
            # A # that opens a markdown heading is no tag.
            if kind != "hashtag" or _HEADING.match(text, found.start()) is None:
                yield kind, *found.span()


def addresses(text: str) -> Iterator[str]:
    """Stretches up to the next space in which an address, a handle or a tag stands."""
    for kind, net in _SHAPES:
        if kind in _ADDRESSES:
            for found in net.finditer(text):
                rest = _REST.match(text, found.end())
                yield found.group() + (rest.group() if rest else "")


def notes(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every phrase that only the pipeline says."""
    for kind, net in _NOTES:
        for found in net.finditer(text):
            yield kind, *found.span()


def cutoffs(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of places where a text that an examinee reads speaks of the cutoff, which only the exam knows."""
    return (found.span() for found in _CUTOFF.finditer(text))


def keys_shown(text: str) -> Iterator[str]:
    """Kinds of credentials in a text."""
    for kind, net in SECRET_SHAPES:
        if net.search(text):
            yield kind
