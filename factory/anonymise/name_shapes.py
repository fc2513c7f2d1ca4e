"""Names that show by their shape: capitals, Latin words in Chinese, titles in 《》, suffixes, dots, handles.

The shapes find what no table knows. They were chosen for recall on names that are no dictionary words; a name that
is an ordinary Chinese word (小米) or stands alone at the start of an English sentence among ordinary words is not
seen. References of an anonymised text are one control character each, so that no name runs across them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.ordinary_places import ACTS, OPENS
from factory.anonymise.shapes import SHAPES
from schemas import Lang
from sources.calendar import EN_MONTH_NUMBER, EN_SEASONS, EN_WEEKDAY_NUMBER

Shape = Literal[
    "capitals",
    "latin",
    "script",
    "handle",
    "title",
    "quoted",
    "suffix",
    "dotted",
    "person",
    "country",
]

_CAPITAL = r"[A-Z\u00c0-\u00de][A-Za-z0-9_\u00c0-\u024f'’.&-]*(?<![.'’-])"
_RUN = re.compile(
    rf"(?<![A-Za-z0-9_.@#\u00c0-\u024f]){_CAPITAL}(?:(?: (?:of|the|and|for|de|la|van|von|der|bin|al|on) (?:the )?| ?& ?| |-)(?:{_CAPITAL}|\d+[A-Z]\w*))*"
)
_LATIN_IN_ZH = re.compile(
    r"[A-Za-z\u00c0-\u024f][\w.&'’+-]*(?: [A-Za-z\u00c0-\u024f][\w.&'’+-]*)*", re.ASCII
)
_OTHER_SCRIPT = re.compile(
    r"[\u0370-\u1fff\u2c00-\u2dff\ua640-\uabff\ufb1d-\ufefc]+(?:[ \u200c-][\u0370-\u1fff\ufb1d-\ufefc]+)*"
)
_CHINESE = re.compile(r"[\u3400-\u9fff·•‧・]{2,}")
_TITLE = re.compile(r"《([^《》]{1,40})》")
_QUOTED = re.compile(r"[“「『]([^“”「」『』，。！？；,.!?;]{2,12})[”」』]")
_STOP = (
    "在的了和与是有为到从对向由被把将及或也都就不这那该本各每某全等说称于以之其并但而给让使个名家次年月日我你他她它们想要问过听看"
    "去来可能会没再还很多少更最什么怎得着吗呢吧啊只跟比往时后前里，。、；：！？“”（）《》\\s\\x1f"
)
_SUFFIX = re.compile(
    rf"[^\W\dA-Za-z_{_STOP}]{{2,8}}?(?:公司|集团|大学|学院|医院|银行|电视台|日报|晚报|早报|大桥|机场|码头)(?! ?[A-Z])"
    rf"|(?:(?<=[在从到往赴于自和与、，。“（\s])|^)[^\W\dA-Za-z_{_STOP}]{{2,3}}[市省县州港镇岛](?![民政议长内里级委场区口])"
)
_GENERIC = re.compile(
    r"(?:.*(?:城市|都市|超市|股市|上市|夜市|门市|全市|外省|海港|空港|全省|全县|半岛|离岛|乡镇|村镇|渔港|小岛|海岛|群岛))"
    r"|(?:上市|轮渡|保险|物业|分|子|母|有限|股份|科技|国有|地方|行政|高等|最高|中级|商业|中央|综合|公立|私立|技术|交通|渡轮|旅游|外资|民营|大型|一家|两家|多家|相关|涉事|运营|航运|建筑)+(?:公司|集团|大学|学院|医院|银行|大桥|机场|码头)"
)
_HAN = rf"[^\W\dA-Za-z_{_STOP}]"
_DOTTED = re.compile(rf"{_HAN}{{1,6}}(?:[·•‧・]{_HAN}{{1,8}}){{1,3}}")

_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蔡蒋余于杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范廖石金韦贾夏付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤纪施温卓"
_OFFICES = "市长|局长|主任|教授|博士|律师|法官|书记|秘书长|议员|部长|会长|董事长|经理|总裁|主席|院长|校长|记者|发言人|委员|先生|女士|总统|总理|医生|老师|船长|市民|居民"
_SPEAKS = "说|表示|称|指出|介绍|告诉|认为|透露|回应|坦言|强调|补充|宣布|解释|承认"
_PERSON = re.compile(
    rf"(?:(?<=[，。、；：！？“”（）\s\x1f与和对向由被跟让请])|^|(?<={'|'.join(w for w in _OFFICES.split('|') if len(w) == 2).replace('|', ')|(?<=')}))"
    rf"[{_SURNAMES}][\u3400-\u9fff]{{1,2}}?(?={_SPEAKS}|{_OFFICES})"
)
_COUNTRY = re.compile(
    r"(?<=[对涉访驻反亲])华(?![丽而语侨])|[中美俄日韩英](?=方(?![面案便式法向针言程才]))"
    r"|[中美俄日韩欧]{2,3}(?=关系|贸易|双边|两国|三国|会谈|关税|首脑|元首|双方|之间|谈判|协议|对话)"
)
_UNITS = frozenset(
    re.findall(
        r"\w+",
        "ai app apps gdp cpi ceo cfo cto coo ppt ktv ip vip pk ok kg km cm mm vs tv dna ct gps wifi pdf no id pm am ph uv led "
        "usb sim qr pcr icu bbs up bug bgm ps kpi ipo it hr pr ngo emo live",
    )
)
_CALENDAR = frozenset({*EN_MONTH_NUMBER, *EN_SEASONS, *EN_WEEKDAY_NUMBER})


@dataclass(frozen=True)
class Stray:
    """Words that look like a name and that nothing explains."""

    start: int
    end: int
    words: str
    shape: Shape


def strays(text: str, lang: Lang, vocabulary: Vocabulary) -> list[Stray]:
    """Names by shape in plain words, in order, none overlapping (the longer one stays)."""
    found = [
        *(_at(match, "handle") for match in SHAPES.finditer(text)),
        *(_at(match, "script") for match in _OTHER_SCRIPT.finditer(text)),
        *(_english(text, vocabulary) if lang == "en" else _chinese(text, vocabulary)),
    ]
    found.sort(key=lambda stray: (stray.start - stray.end, stray.start))
    chosen: list[Stray] = []
    starts: list[int] = []
    for stray in found:
        at = bisect_left(starts, stray.start)
        free_before = at == 0 or chosen[at - 1].end <= stray.start
        if free_before and (at == len(chosen) or stray.end <= chosen[at].start):
            chosen.insert(at, stray)
            starts.insert(at, stray.start)
    return chosen


def _at(match: re.Match[str], shape: Shape, group: int = 0) -> Stray:
    return Stray(match.start(group), match.end(group), match.group(group), shape)


def _english(text: str, vocabulary: Vocabulary) -> Iterator[Stray]:
    yield from (_at(match, "script") for match in _CHINESE.finditer(text))
    for match in _RUN.finditer(text):
        words = [(w.start(), w.end()) for w in re.finditer(r"[^ ]+", match.group())]
        first = match.start()
        opens = OPENS.search(text[max(0, first - 6) : first]) is not None
        keep = [match.group()[a:b] for a, b in words]
        drop = 0
        if opens and _plain_word(keep[0], vocabulary):
            drop = 1
        while drop < len(keep) and (keep[drop].islower() or keep[drop].lower() in _CALENDAR):
            drop += 1
        last = len(keep)
        while last > drop and (keep[last - 1].islower() or keep[last - 1].lower() in _CALENDAR):
            last -= 1
        left = [word for word in keep[drop:last] if not word.islower()]
        if not left or (len(left) == 1 and _plain_word(left[0], vocabulary)):
            continue
        if opens and drop == 0 and len(left) == 1 and left[0].lower() not in vocabulary.names:
            after = first + words[last - 1][1]
            if not (ACTS.match(text, after) or left[0].endswith(("'s", "’s"))):
                continue
        shouted = len(left) > 1 and all(word.isupper() for word in left)
        if shouted and (len(left) >= 4 or all(_plain_word(word, vocabulary) for word in left)):
            continue
        start, end = first + words[drop][0], first + words[last - 1][1]
        shown = re.sub(r"['’]s$", "", text[start:end])
        yield Stray(start, start + len(shown), shown, "capitals")


def _plain_word(word: str, vocabulary: Vocabulary) -> bool:
    parts = [part for part in re.split(r"[-.&]", word) if part]
    return all(
        len(part) == 1 or vocabulary.holds(part) or part.lower() in _CALENDAR for part in parts
    )


def _chinese(text: str, vocabulary: Vocabulary) -> Iterator[Stray]:
    for match in _LATIN_IN_ZH.finditer(text):
        words = re.findall(r"[A-Za-z\u00c0-\u024f]+", match.group())
        if all(len(w) == 1 or w.lower() in _UNITS or vocabulary.holds(w) for w in words):
            continue
        yield _at(match, "latin")
    yield from (
        _at(match, "title", 1) for match in _TITLE.finditer(text) if "\x1f" not in match.group()
    )
    yield from (
        _at(match, "quoted", 1) for match in _QUOTED.finditer(text) if "\x1f" not in match.group()
    )
    yield from (_at(match, "dotted") for match in _DOTTED.finditer(text))
    yield from (_at(match, "person") for match in _PERSON.finditer(text))
    yield from (_at(match, "country") for match in _COUNTRY.finditer(text))
    for match in _SUFFIX.finditer(text):
        if not _GENERIC.fullmatch(match.group()):
            yield _at(match, "suffix")
