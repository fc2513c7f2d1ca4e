"""Forms of a Chinese name: surname with title, short forms of bodies and places, the other script, pinyin.

Traditional forms come from OpenCC (standard, Taiwan, Hong Kong), pinyin from pypinyin with the surname reading of
a person's first character. Both are loaded when the first Chinese name is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC

_TITLES = re.findall(
    r"\w+",
    "先生 女士 小姐 市长 副市长 区长 局长 副局长 处长 主任 副主任 教授 博士 律师 法官 书记 秘书长 议员 议长 部长 会长 董事长 "
    "总经理 经理 总裁 主席 院长 校长 馆长 队长 船长 工程师 老师 记者 发言人 委员 站长 科长 厅长 省长 县长 镇长 总统 总理 州长 "
    "参议员 众议员 检察官 医生 导演 上校 将军 司令 总书记 委员长 首相 大使 上将 中将 少将 元帅 司长 组长 行长 台长 社长 "
    "村长 乡长 检察长 警官 医师 师傅 教练 牧师 神父 总监 主编 大大 阿姨 叔叔 某 某某 外长 财长 防长 副总统 副总理 副主席 "
    "副部长 副省长 副州长 副会长 副院长 副校长 副书记 副司令 国务卿 外相 财相 防相 特首 专员 署长 所长 庭长 审判长 参谋长 政委 "
    "督察 探长 总编 院士 讲师 研究员 护士长 理事长 大法官 董事 老板",
)
_SURNAMED = re.findall(
    r"\w+",
    "男子 女子 男性 女性 男生 女生 男童 女童 男士 女士 先生 小姐 司机 驾驶员 嫌疑人 犯罪嫌疑人 被告人 被告 负责人 员工 职员 店员 "
    "老师 教师 教授 学生 同学 市民 村民 居民 网民 网友 业主 车主 店主 老板 商人 官员 干部 记者 医生 律师 经理 乘客 游客 家长 "
    "青年 老人 大爷 大妈 阿姨",
)
"""What follows 姓 where only a surname is told: 张姓男子."""
SHORT_TITLES = ("董", "局", "处", "队", "导", "厅", "院", "校", "工")
"""Titles of one character that begin other words as well (王局, 王局势): a person is asked where a text uses them."""
_WITH_TITLE = tuple(title for title in _TITLES if title != "某")
_COMPOUND = frozenset(
    re.findall(
        r"\w+",
        "欧阳 司马 上官 诸葛 夏侯 皇甫 尉迟 公孙 慕容 长孙 令狐 司徒 司空 端木 东方 南宫 独孤 轩辕",
    )
)
_LEGAL = re.compile(r"(?:(?:集团)?(?:股份)?(?:有限)?(?:责任)?公司|集团|控股|股份)$")
_HAN_NAME = re.compile(r"[\u3400-\u9fff]{3,4}")
_PLACE_TAIL = re.compile(r"(?:特别行政区|自治区|自治州|共和国|市|省|县|州|区|镇|岛|港)$")


_SURNAME_READINGS = {
    "单": "shan", "曾": "zeng", "解": "xie", "仇": "qiu", "区": "ou", "查": "zha", "任": "ren", "朴": "piao", "盖": "ge",
    "覃": "qin", "尉": "yu", "召": "shao", "华": "hua", "翟": "zhai", "缪": "miao", "乐": "yue", "员": "yun", "种": "chong",
}  # fmt: skip


def surname(name: str) -> str:
    """The surname of a Chinese personal name of two to four characters."""
    return name[:2] if name[:2] in _COMPOUND and len(name) > 2 else name[0]


def full_name(name: str) -> bool:
    """Whether a name reads as surname and given name, not as a nickname (老林) or a surname with a title (林局长)."""
    return (
        re.fullmatch(r"[\u3400-\u9fff]{2,4}", name) is not None
        and not (len(name) == 2 and name[0] in "老小阿大")
        and not name.endswith(_WITH_TITLE)
    )


def person(name: str) -> Iterator[str]:
    """Surname with title, parts of a transliterated name and its spellings with other dots or none.

    老林 and 小林 are no forms: every Lin may be meant (see `called`).
    """
    if full_name(name):
        family = surname(name)
        for title in (*_TITLES, "总", "氏"):
            yield family + title
        for noun in _SURNAMED:
            yield f"{family}姓{noun}"
    for part in re.split("[·•・‧．]", name):
        if len(part) >= 2 and part != name:
            yield part
    if re.search("[·•・‧．]", name):
        yield re.sub("[·•・‧．]", "", name)
        for dot in "·•・‧．":
            yield re.sub("[·•・‧．]", dot, name)


def body(name: str) -> Iterator[str]:
    """A body's name without its legal form."""
    bare = _LEGAL.sub("", name)
    if bare != name and len(bare) >= 2:
        yield bare


def place(name: str) -> Iterator[str]:
    """A place without its tail: 西港市 gives 西港."""
    bare = _PLACE_TAIL.sub("", name)
    if bare != name and len(bare) >= 2:
        yield bare


@lru_cache(maxsize=8)
def _converter(config: str) -> OpenCC:
    from opencc import OpenCC

    return OpenCC(config)


def simplified(name: str) -> str:
    """The name in simplified characters."""
    return str(_converter("t2s").convert(name))


def scripts(name: str) -> Iterator[str]:
    """The name in traditional (standard, Taiwan, Hong Kong) and in simplified characters."""
    for config in ("t2s", "s2t", "s2tw", "s2hk"):
        converted = _converter(config).convert(name)
        if converted != name:
            yield converted


def pinyin(name: str, *, of_person: bool) -> Iterator[str]:
    """Spellings of a name of two to four characters in pinyin without tones; ü is written as u, v and yu.

    A person's come in both orders with the surname's own reading first, a place's or body's joined and parted. The
    usual spelling comes with its tones, too.
    """
    if not full_name(name) if of_person else not re.fullmatch(r"[\u3400-\u9fff]{2,4}", name):
        return
    from pypinyin import Style, lazy_pinyin

    read = lazy_pinyin(name, v_to_u=True)
    readings = [read]
    special = _SURNAME_READINGS.get(name[0]) if of_person else None
    if special is not None and special != read[0]:
        readings.insert(0, [special, *read[1:]])
    for parts in readings:
        for spelling in dict.fromkeys(("u", "v", "yu") if any("ü" in p for p in parts) else ("",)):
            plain = [part.replace("ü", spelling) if spelling else part for part in parts]
            if of_person:
                yield from _person_spellings(plain, len(surname(name)))
            else:
                yield "".join(plain).capitalize()
                # Two parted syllables of a place or body would be a person's name.
                if len(plain) > 2:
                    yield " ".join(part.capitalize() for part in plain)
    toned = lazy_pinyin(name, style=Style.TONE)
    if of_person:
        size = len(surname(name))
        yield " ".join("".join(part).capitalize() for part in (toned[:size], toned[size:]))
    else:
        yield "".join(toned).capitalize()
    if len(toned) > 2:
        yield " ".join(part.capitalize() for part in toned)


def spelt_out(form: str, names: Iterable[str]) -> bool:
    """Whether a form is the pinyin of a Chinese name in three or more parted syllables: no other words read so."""
    return form.count(" ") >= 2 and any(
        form in pinyin(simplified(name), of_person=False)
        for name in names
        if _HAN_NAME.fullmatch(name)
    )


def _person_spellings(parts: list[str], of_surname: int) -> Iterator[str]:
    family = "".join(parts[:of_surname]).capitalize()
    given_parts = parts[of_surname:]
    given = "".join(given_parts).capitalize()
    hyphened = "-".join(given_parts)
    for one in dict.fromkeys((given, hyphened.capitalize(), hyphened.title())):
        yield f"{family} {one}"
        yield f"{one} {family}"
    apart = " ".join(part.capitalize() for part in given_parts)
    yield f"{family} {apart}"
    yield f"{apart} {family}"
    yield f"{family}, {given}"
    yield family + given
    yield (family + given).lower()
