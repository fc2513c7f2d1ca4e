"""Names that follow from a name by rule: surnames, initials, plurals, joined forms, abbreviations in brackets.

Rules only add forms that a reader would take for the same entity. A form that two entities share is ambiguous
and is settled by a person, so rules may be generous.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from factory.anonymise.match import fold, is_wordy
from schemas import Alias, EntityClass

_EN_TITLES = re.compile(
    r"^(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Dame|Lord|Lady|Judge|Justice|Mayor|Councillor|Councilor|Cllr|Captain|Capt|Chair|Chairman|Chairwoman|Director|Minister|President|Professor|Commissioner|Secretary|Governor|Senator|Inspector|Chief|Deputy|Engineer|Father|Sister|Reverend|Rev)\.? )+"
)
_ZH_TITLES = [
    "先生",
    "女士",
    "小姐",
    "市长",
    "副市长",
    "区长",
    "局长",
    "副局长",
    "处长",
    "主任",
    "副主任",
    "教授",
    "博士",
    "律师",
    "法官",
    "书记",
    "秘书长",
    "议员",
    "议长",
    "部长",
    "会长",
    "董事长",
    "总经理",
    "经理",
    "总裁",
    "主席",
    "院长",
    "校长",
    "馆长",
    "队长",
    "船长",
    "工程师",
    "老师",
    "记者",
    "发言人",
    "委员",
    "站长",
    "科长",
    "厅长",
    "省长",
    "县长",
    "镇长",
]
_COMPOUND = [
    "欧阳",
    "司马",
    "上官",
    "诸葛",
    "夏侯",
    "皇甫",
    "尉迟",
    "公孙",
    "慕容",
    "长孙",
    "令狐",
    "司徒",
    "司空",
    "端木",
    "东方",
    "南宫",
    "独孤",
    "轩辕",
]
_ORG_TAIL = re.compile(
    r",? (?:Inc|Ltd|Limited|LLC|PLC|plc|Corp|Corporation|Co|Company|Group|Holdings|GmbH|AG|SA|Pty)\.?$"
)
_SMALL = {"of", "the", "and", "for", "in", "on", "at", "to", "de", "la", "&"}


def has_cjk(text: str) -> bool:
    """Whether the text holds a Chinese character."""
    return any(
        "\u3400" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003ffff" for char in text
    )


def _match_rule(surface: str) -> str:
    letters = [char for char in surface if char.isalpha() and char.isascii()]
    if not letters or has_cjk(surface):
        return "word"
    one_word = " " not in surface
    return "case" if one_word and len(letters) <= 6 and surface[0] not in "@#" else "word"


def make_alias(surface: str, origin: str) -> Alias:
    """An alias whose match rule fits its script: short single words keep their case, so that May is not may."""
    return Alias.model_validate(
        {"surface": surface, "lang": "any", "match": _match_rule(surface), "origin": origin}
    )


def _person(name: str) -> Iterator[str]:
    if has_cjk(name):
        if re.fullmatch(r"[\u3400-\u9fff]{2,4}", name):
            surname = name[:2] if name[:2] in _COMPOUND and len(name) > 2 else name[0]
            for title in _ZH_TITLES:
                yield surname + title
        for part in re.split("[·•・]", name):
            if len(part) >= 2:
                yield part
        return
    bare = _EN_TITLES.sub("", name)
    words = bare.split()
    if len(words) >= 2 and all(word[:1].isupper() for word in words):
        yield bare
        yield words[-1]
        yield f"{words[0]} {words[-1]}"
        yield f"{words[0][0]}. {words[-1]}"
        yield " ".join(f"{word[0]}." for word in words[:-1]) + f" {words[-1]}"


def _body(name: str) -> Iterator[str]:
    if has_cjk(name):
        return
    bare = _ORG_TAIL.sub("", name)
    if bare != name and len(bare) >= 3:
        yield bare
    if name.lower().startswith("the ") and len(name) > 7:
        yield name[4:]


def _joined(name: str) -> Iterator[str]:
    words = re.findall(r"[A-Za-z0-9]+", name)
    if len(words) >= 2 and not has_cjk(name):
        yield "".join(word[:1].upper() + word[1:] for word in words)
        yield "_".join(words)


def _plural(name: str) -> Iterator[str]:
    last = name[-1:]
    if (
        last.isascii()
        and last.isalpha()
        and len(name) >= 4
        and last not in "sS"
        and not has_cjk(name)
    ):
        yield name + "s"


def initials(name: str) -> str:
    """Capital initials of a name's main words: Harbour Workers Union gives HWU."""
    return "".join(
        word[0].upper()
        for word in re.findall(r"[A-Za-z][A-Za-z'’]*", name)
        if word.lower() not in _SMALL
    )


def bracketed(names: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Abbreviations that texts give in brackets right after one of the names.

    English ones must be the name's initials, Chinese ones must keep the order of its characters.
    """
    wanted = sorted({name for name in names if len(name) >= 3}, key=lambda name: (-len(name), name))
    if not wanted:
        return []
    pattern = re.compile(
        "("
        + "|".join(re.escape(name) for name in wanted)
        + r")\s?[（(](?:以下简称|简称|下称|the )?[“\"'‘]?([^（()）“”\"'’]{2,12})[”\"'’]?[）)]"
    )
    found: list[str] = []
    for text in texts:
        for match in pattern.finditer(text):
            name, short = match.group(1), match.group(2).strip()
            rest = iter(name)
            if has_cjk(name):
                fits = has_cjk(short) and all(char in rest for char in short)
            else:
                fits = short.isupper() and short in (initials(name), initials(name)[: len(short)])
            if fits and short != name and short not in found:
                found.append(short)
    return found


def expand(cls: EntityClass, names: Iterable[str]) -> list[str]:
    """Further surfaces of an entity by rule, in a stable order, without those given."""
    given = [unicodedata.normalize("NFC", name) for name in names]
    derived: list[str] = []
    for name in given:
        rules = [*_joined(name)]
        if cls == "PER":
            rules += _person(name)
        else:
            rules += _body(name)
        rules += _plural(name)
        derived += [rule for rule in rules if len(rule) >= 2 and (has_cjk(rule) or len(rule) >= 3)]
    seen = {fold(name) for name in given}
    out = []
    for surface in derived:
        if fold(surface) not in seen and any(is_wordy(c) or has_cjk(c) for c in surface):
            seen.add(fold(surface))
            out.append(surface)
    return out
