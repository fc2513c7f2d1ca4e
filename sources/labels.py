"""What the words beside a date say was done then: of a stamp with several dates, the part that tells the publication.

A word dates something only where a date follows it, or stands before it at the end of a stamp: 更新日报 is a paper.
A date that is labelled as one of a change alone is no publication. That of an edit is, when there is no other:
platforms show it in the publication's place.
"""

from __future__ import annotations

import re

from sources.calendar import EN_MONTH_NUMBER, EN_WEEKDAY_NUMBER
from sources.moments import Untold

_CHANGED = r"更新|修改|修订|修訂|\b(?:updated|modified|revised|update(?=\s*:)|last\s+update)\b"
_EDITED = r"编辑|編輯|\bedited\b"
_PUBLISHED = r"发布|發布|發佈|发表|發表|刊登|刊发|刊發|上传|上傳|\b(?:published|posted|submitted|uploaded|created)\b"
_ANY_CHANGE = re.compile(f"{_CHANGED}|{_EDITED}", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:首次|最后|最後|最近|\b(?:first|last|originally|latest)\s+)?"
    rf"(?:(?P<changed>{_CHANGED})|(?P<edited>{_EDITED})|(?P<published>{_PUBLISHED}))"
    r"(?:于|於|在|时间|時間|日期)?",
    re.IGNORECASE,
)
_WORDS = "|".join((*EN_MONTH_NUMBER, *EN_WEEKDAY_NUMBER))
_DATE_BEHIND = re.compile(
    r"[\s:([,–—-]*(?:(?:on|at|date|time|by(?:\s+[A-Z]\S+){1,3})\b[\s:]*)?"
    rf"(?:\d|[〇零一二三四五六七八九十]{{1,4}}[年月]|中[华華]民|民[国國]|令和|昨|[今前][天日早晚晨]|[刚剛半约約]|[上本]?(?:周|週|星期)|"
    rf"(?:{_WORDS})\b|yesterday|today|just\s|about\s|half\s|an?\s)",
    re.IGNORECASE,
)
_DATED = re.compile(r"[\d年月昨今刚剛]|前天|day\b|\bago\b", re.IGNORECASE)
_END = re.compile(r"\s*[.。,;)\]]?\s*$")
_GLUED = re.compile(r"[\w)]\s*$")
_AROUND = " \n:,;|([·•–—"
_YEAR = re.compile(r"(?:19|20)\d\d")


def publication_part(text: str) -> str:
    """The part of a stamp in which its publication is told; the whole of a stamp that dates no change.

    Untold when nothing but a change is dated.
    """
    if not _ANY_CHANGE.search(text):
        return text
    parts = _parts(text)
    kinds = [kind for kind, _ in parts]
    if "changed" not in kinds and not {"edited", "published"} <= set(kinds):
        return text
    for wanted in ("published", "", "edited"):
        part = next((part for kind, part in parts if kind == wanted and _DATED.search(part)), None)
        if part is None or (wanted == "edited" and "changed" in kinds):
            continue
        if _YEAR.search(text) and not _YEAR.search(part):
            raise Untold("its year cannot be read")
        return part.strip(_AROUND)
    raise Untold("only a date of modification")


def _parts(text: str) -> list[tuple[str, str]]:
    """The parts of a stamp with what was done then; nothing for the part in front of the first such word."""
    labels = list(_LABEL.finditer(text))
    starts = [0, *(label.end() for label in labels)]
    before = [text[start : label.start()] for start, label in zip(starts, labels, strict=False)]
    if _END.match(text, starts[-1]) and all(_DATED.search(part) for part in before):
        if _GLUED.search(before[-1]):
            return [
                (str(label.lastgroup), part) for label, part in zip(labels, before, strict=True)
            ]
        return [("", text)]
    labels = [label for label in labels if _DATE_BEHIND.match(text, label.end())]
    ends = [*(label.start() for label in labels), len(text)]
    return [
        ("", text[: ends[0]]),
        *(
            (str(label.lastgroup), text[label.end() : end])
            for label, end in zip(labels, ends[1:], strict=True)
        ),
    ]
