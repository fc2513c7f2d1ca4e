"""The grammar of placeholders: what a broken one looks like, in our own closed classes and in any other bank.

Ours are a class of a closed list and one or two letters. A published bank uses any noun with letters and digits,
so there the open grammar only reports what is broken under every reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

CLASSES: dict[str, tuple[str, str]] = {
    "PER": ("Person", "人物"),
    "ORG": ("Organisation", "组织"),
    "GOV": ("Authority", "机关"),
    "COM": ("Company", "公司"),
    "PLC": ("Place", "地点"),
    "CTY": ("Country", "国家"),
    "MED": ("Media", "媒体"),
    "PLT": ("Platform", "平台"),
    "PRD": ("Product", "产品"),
    "GRP": ("Group", "团体"),
    "DOC": ("Document", "文件"),
    "EVT": ("Event", "事件"),
}
"""Class to its English and Chinese noun."""
_OF_NOUN = {noun: cls for cls, nouns in CLASSES.items() for noun in nouns}
_EN = "|".join(en for en, _ in CLASSES.values())
_ZH = "|".join(zh for _, zh in CLASSES.values())
_OURS = re.compile(rf"\b({_EN}) ([A-Z]{{1,2}})(?![a-z])|({_ZH})([A-Z]{{1,2}})(?![a-z])")
_OPEN = re.compile(
    r"\b(?!(?:Mr|Ms|The|This|Vitamin|Plan|Type|Grade)\b)([A-Z][a-z]+(?:[- ][A-Z][a-z]+)?) ([A-Z]{1,2}\d{0,2})(?![A-Za-z])"
    r"|([\u4e00-\u9fff]{2})([A-Z]{1,2})(?![A-Za-z])"
)
_BETWEEN = r"\s?[(（·/、]?\s?"
_MIDDLE_EN = rf"(?: [A-Z]\.?(?:[ -]?[A-Z]\.){{0,2}}|(?: (?!(?:{_EN}) [A-Z])[A-Z][a-z]+){{1,2}}) "
_MIDDLE_ZH = r"(?:\s?(?:[A-Z]\.\s?){1,3}|[·•・](?:[A-Z]\.?[·•・]?){1,3}|(?:[·•・][\u3400-\u9fff]{1,6}){1,2}[·•・])"
"""What stays between the two halves of a name that was replaced twice: Person C J. Person C."""
_ACRONYM = "AI|CEO|CFO|COO|CTO|IPO|GPU|NPC|APP|EV|TV"
_BROKEN_OURS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "doubled",
        re.compile(
            rf"\b((?:{_EN}) [A-Z]{{1,2}}){_BETWEEN}\1(?![A-Za-z])|((?:{_ZH})[A-Z]{{1,2}}){_BETWEEN}\2(?![A-Za-z])"
        ),
    ),
    (
        "doubled",
        re.compile(
            rf"\b(Person [A-Z]{{1,2}}){_MIDDLE_EN}\1(?![A-Za-z])|(人物[A-Z]{{1,2}}){_MIDDLE_ZH}\2(?![A-Za-z])"
        ),
    ),
    ("rest of a name", re.compile(r"\bPerson [A-Z]{1,2},? (?:Jr|Sr)\b")),
    (
        "glued",
        re.compile(
            rf"\b(?:{_EN}) [A-Z]{{1,2}}[0-9]|(?:{_ZH})[A-Z]{{1,2}}[0-9a-z]|(?:{_ZH})[A-Z]{{3,}}"
        ),
    ),
    ("cut word", re.compile(r"国家[A-Z]{1,2}国(?![内会民家际务防有土库])")),
)
_BROKEN_OPEN: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "doubled",
        re.compile(
            rf"\b([A-Z][a-z]+ [A-Z]{{1,2}}\d?){_BETWEEN}\1(?![A-Za-z])|([\u4e00-\u9fff]{{2}}[A-Z]{{1,2}}\d?){_BETWEEN}[\u4e00-\u9fff]{{0,2}}?\2(?![A-Za-z])"
        ),
    ),
    ("glued", re.compile(r"[\u4e00-\u9fff]{2}[A-Z]{1,2}[0-9]")),
    (
        "inside a Latin word",
        re.compile(rf"([A-Z]{{2,}})\1|(?:公司|机构|企业|平台)[A-Z]?(?:{_ACRONYM})(?![A-Za-z])"),
    ),
    ("cut word", re.compile(r"国家[A-Z]{1,2}国(?![内会民家际务防有土库])")),
)
TOKEN = re.compile(r"⟦([^⟦⟧]*)⟧")
_TOKEN_BODY = re.compile(r"(?:[A-Z]{3}:[A-Z]{1,2}|[DMQSPY]:[0-9]{4}[0-9/-]*(?:\|[a-z]+)?)")


def broken(text: str, *, ours: bool) -> Iterator[tuple[str, int]]:
    """Kind and place of every placeholder that can be read in two ways or stands twice."""
    for kind, net in _BROKEN_OURS if ours else _BROKEN_OPEN:
        for found in net.finditer(text):
            yield kind, found.start()


def placeholders(text: str, *, ours: bool = True) -> Iterator[tuple[str, str, int, int]]:
    """Class, label, start and end of every placeholder; in the open grammar the class is its noun."""
    for found in (_OURS if ours else _OPEN).finditer(text):
        noun, label = found[1] or found[3], found[2] or found[4]
        yield _OF_NOUN[noun] if ours else noun, label, *found.span()


def bad_tokens(text: str, known: frozenset[tuple[str, str]] | None) -> Iterator[tuple[bool, int]]:
    """For every token: whether it is malformed or unknown, and its place. `known` None: any label will do."""
    for found in TOKEN.finditer(text):
        cls, _, label = found[1].partition(":")
        unknown = cls in CLASSES and known is not None and (cls, label) not in known
        yield _TOKEN_BODY.fullmatch(found[1]) is None or unknown, found.start()
