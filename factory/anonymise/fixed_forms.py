"""Chinese one-character country names inside fixed forms: 对美, 美方, 中美.

A single character names a country only in company. Each form is a name of the table whose other characters stay
in the text (对美 becomes 对 and a reference), so that two countries of 中美 are two references. A form is no name
where the characters around it make a common word (对美好, 其中日常).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations

_SHORT = {
    "俄罗斯": "俄", "日本": "日", "朝鲜": "朝", "澳大利亚": "澳", "澳洲": "澳", "加拿大": "加", "印度": "印",
    "伊朗": "伊", "以色列": "以", "乌克兰": "乌", "菲律宾": "菲", "越南": "越", "巴基斯坦": "巴", "墨西哥": "墨",
    "欧盟": "欧", "台湾": "台", "臺灣": "台", "香港": "港", "澳门": "澳", "新加坡": "新", "马来西亚": "马",
    "土耳其": "土", "中华人民共和国": "中", "美利坚合众国": "美",
}  # fmt: skip
_BEFORE = "对反亲访赴驻援涉仇抗旅离在"
_OF_CHINA = "对反亲访赴驻援涉仇在来"
"""What stands before 华, the other short name of 中国; 在中 is left out, it begins too many words."""
_AFTER = ("方", "军", "企", "商", "籍", "资", "媒", "股", "债", "使馆")
_ONLY_PAIRED = frozenset("以新马土加印巴港台伊朝越日")
"""Characters that are too common in other words to be read beside 对 or 方; 中日 and 日方 are told below."""
_ALWAYS_AFTER = {
    "日": ("方", "媒", "企", "资"),
    "台": ("方", "军", "商", "企"),
    "朝": ("方",),
    "越": ("方",),
}
_NOT_BEFORE = {  # the character that must not follow a form, by the form's last character
    "中": "小央心学部间午文期等长介药医秋国华东年层超枢转产途立性毒",
    "美": "好丽容术食化女妙景味洲国林金元德满工观育",
    "日": "常前益后子期本报夜内程记用语元",
    "法": "律院官规治案定庭人医制学语国",
    "英": "雄文语镑勇国俊杰才",
    "德": "行育国语",
    "韩": "国语",
    "泰": "国然山",
    "俄": "罗语",
    "印": "度刷象发章尼花证",
    "加": "入强大快班以上薪油盟剧拿重工",
    "澳": "大门洲",
    "欧": "洲盟元阳",
    "方": "案便式法向面针言程才形圆块",
    "军": "事",
    "资": "源格料讯深",
    "商": "业品务标场量讨",
    "股": "权份",
    "媒": "介",
    "债": "务权",
    "企": "图",
    "港": "口",
    "华": "丽而语侨人府尔裔盛",
    "台": "风阶",
    "新": "闻的建增",
    "以": "及上下来为后前",
    "马": "上路",
    "土": "地",
}  # fmt: skip
_NOT_AFTER = {  # the character that must not stand before a form, by the form's first character
    "中": "其集空途手心年月会事当之高初国水市场家党库",
    "日": "今明昨生节假近当次每工往0123456789一二三四五六七八九十",
    "法": "办方无合违宪立司用看做",
    "美": "完优赞精健审俊",
    "对": "不面相反应核绝比针配",
    "反": "相违",
    "德": "道品",
    "加": "增参更",
    "台": "平舞电后一前柜",
    "港": "海",
}


def short_name(names: Iterable[str]) -> str:
    """The one character by which Chinese texts call a country of these names; empty when there is none."""
    for name in names:
        if name in _SHORT:
            return _SHORT[name]
        if len(name) == 2 and name.endswith("国") and name[0] != "该":
            return name[0]
    return ""


def forms_beside(short: str) -> list[tuple[str, tuple[int, int]]]:
    """Forms of one country with the numbers of characters that stay at their start and end."""
    before = "" if short in _ONLY_PAIRED else _BEFORE
    after = _ALWAYS_AFTER.get(short, ()) if short in _ONLY_PAIRED else _AFTER
    forms = [(word + short, (1, 0)) for word in before if (word, short) != ("在", "中")]
    if short == "中":
        forms += [(word + "华", (1, 0)) for word in _OF_CHINA]
    return forms + [(short + word, (0, len(word))) for word in after]


def paired_forms(shorts: Mapping[str, str]) -> list[tuple[str, str, tuple[int, int]]]:
    """Forms of two countries (`shorts` is id -> character) as id, form, characters that stay."""
    found = []
    for (one, a), (other, b) in permutations(sorted(shorts.items()), 2):
        if a != b:
            found += [(one, a + b, (0, 1)), (other, a + b, (1, 0))]
    return found


def stands_free(text: str, start: int, end: int) -> bool:
    """Whether a form at this place is no part of a common word."""
    after, before = text[end : end + 1], text[start - 1 : start] if start else ""
    if after and after in _NOT_BEFORE.get(text[end - 1], ""):
        return False
    return not (before and before in _NOT_AFTER.get(text[start], ""))
