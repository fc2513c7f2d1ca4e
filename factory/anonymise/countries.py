"""Countries by whatever a text calls them: name, abbreviation, people, prefix, one character of a Chinese pair.

"Sino-American", "between China and the United States" and 中美 say the same two countries. Used to grade guesses, where
another spelling must not hide a right one; what a text says beside its countries is given back to be compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from factory.anonymise.expand_en import people_of
from factory.anonymise.folding import folded, unaccented

_ROWS = """
China; PRC, People's Republic of China, mainland China, Sino-; ; 中国, 中华人民共和国; 中华; Beijing, 北京
United States; America, United States of America; ; 美国, 美利坚合众国, 美利坚; 美; Washington, 华盛顿, 华府
Japan; Nippon, Japano-; ; 日本; 日; Tokyo, 东京
South Korea; Korea, Republic of Korea, ROK; Korean, Koreans, South Korean, South Koreans; 韩国, 南韩; 韩; Seoul, 首尔
North Korea; DPRK; North Korean, North Koreans; 朝鲜, 北韩; 朝; Pyongyang, 平壤
Russia; Russian Federation, Russo-; ; 俄罗斯, 俄国, 俄联邦; 俄; Moscow, Kremlin, 莫斯科
Ukraine; ; Ukrainians; 乌克兰; 乌; Kyiv, Kiev, 基辅
United Kingdom; UK, U.K., Britain, Great Britain, Anglo-; ; 英国, 大不列颠; 英; London, 伦敦
England; ; ; 英格兰; ; 
Scotland; ; ; 苏格兰; ; 
Wales; ; ; 威尔士; ; 
Ireland; ; ; 爱尔兰; ; 
France; Franco-; ; 法国, 法兰西; 法; Paris, 巴黎
Germany; Germano-; Germans; 德国, 德意志; 德; Berlin, 柏林
Italy; Italo-; Italian, Italians; 意大利; 意; Rome, 罗马
Spain; Hispano-; ; 西班牙; ; Madrid, 马德里
Portugal; Luso-; ; 葡萄牙; 葡; Lisbon, 里斯本
Netherlands; Holland, the Netherlands; ; 荷兰; 荷; The Hague, 海牙
Belgium; ; Belgian, Belgians; 比利时; ; Brussels, 布鲁塞尔
Switzerland; ; ; 瑞士; ; Bern, 伯尔尼
Austria; Austro-; ; 奥地利; ; Vienna, 维也纳
Sweden; ; ; 瑞典; ; Stockholm, 斯德哥尔摩
Norway; ; ; 挪威; ; Oslo, 奥斯陆
Denmark; ; ; 丹麦; ; Copenhagen, 哥本哈根
Finland; ; ; 芬兰; ; Helsinki, 赫尔辛基
Poland; ; ; 波兰; ; Warsaw, 华沙
Czech Republic; Czechia; Czechs; 捷克; ; Prague, 布拉格
Hungary; ; Hungarians; 匈牙利; ; Budapest, 布达佩斯
Greece; Greco-; Greeks, Hellenic; 希腊; ; Athens, 雅典
Turkey; Turkiye, Turco-; ; 土耳其; 土; Ankara, 安卡拉
Serbia; Serbo-; Serb, Serbs; 塞尔维亚; ; Belgrade, 贝尔格莱德
India; Indo-; ; 印度; 印; New Delhi, 新德里
Pakistan; ; Pakistanis; 巴基斯坦; 巴; Islamabad, 伊斯兰堡
Bangladesh; ; Bangladeshi, Bangladeshis; 孟加拉国, 孟加拉; ; Dhaka, 达卡
Sri Lanka; ; Sri Lankan, Sri Lankans; 斯里兰卡; ; Colombo, 科伦坡
Nepal; ; Nepali, Nepalese; 尼泊尔; ; Kathmandu, 加德满都
Myanmar; Burma; Burmese; 缅甸; 缅; Naypyidaw, 内比都
Thailand; ; Thais; 泰国; 泰; Bangkok, 曼谷
Vietnam; Viet Nam; ; 越南; 越; Hanoi, 河内
Cambodia; ; ; 柬埔寨; 柬; Phnom Penh, 金边
Malaysia; ; ; 马来西亚; ; Kuala Lumpur, 吉隆坡
Singapore; ; Singaporean, Singaporeans; 新加坡; ; 
Indonesia; ; ; 印度尼西亚, 印尼; ; Jakarta, 雅加达
Philippines; the Philippines; Filipinos; 菲律宾; 菲; Manila, 马尼拉
Australia; ; Aussie; 澳大利亚, 澳洲; 澳; Canberra, 堪培拉
New Zealand; ; ; 新西兰, 纽西兰; ; Wellington, 惠灵顿
Canada; ; Canadians; 加拿大; 加; Ottawa, 渥太华
Mexico; ; ; 墨西哥; 墨; Mexico City, 墨西哥城
Brazil; ; ; 巴西; ; Brasilia, 巴西利亚
Argentina; ; Argentine, Argentines, Argentinian; 阿根廷; ; Buenos Aires, 布宜诺斯艾利斯
Chile; ; Chilean, Chileans; 智利; ; Santiago, 圣地亚哥
Colombia; ; ; 哥伦比亚; ; Bogota, 波哥大
Venezuela; ; ; 委内瑞拉; 委; Caracas, 加拉加斯
Cuba; ; ; 古巴; ; Havana, 哈瓦那
Israel; ; Israelis; 以色列; 以; Jerusalem, Tel Aviv, 耶路撒冷, 特拉维夫
Palestine; ; Palestinian, Palestinians; 巴勒斯坦; ; 
Iran; ; Iranians; 伊朗; 伊; Tehran, 德黑兰
Iraq; ; Iraqis; 伊拉克; ; Baghdad, 巴格达
Syria; ; ; 叙利亚; 叙; Damascus, 大马士革
Lebanon; ; ; 黎巴嫩; 黎; Beirut, 贝鲁特
Saudi Arabia; ; Saudi, Saudis; 沙特阿拉伯, 沙特; ; Riyadh, 利雅得
Egypt; ; Egyptians; 埃及; 埃; Cairo, 开罗
South Africa; ; South African, South Africans; 南非; ; Pretoria, 比勒陀利亚
Nigeria; ; ; 尼日利亚; ; Abuja, 阿布贾
Afghanistan; ; Afghan, Afghans; 阿富汗; ; Kabul, 喀布尔
Kazakhstan; ; Kazakh, Kazakhs; 哈萨克斯坦; ; Astana, 阿斯塔纳
Soviet Union; USSR, U.S.S.R.; Soviet, Soviets; 苏联; 苏; 
European Union; EU, E.U.; ; 欧盟; 欧; 
Taiwan; ; ; 台湾; 台; Taipei, 台北
Hong Kong; ; Hongkongers, Hong Konger, Hong Kongers; 香港; 港; 
Macau; Macao; Macanese; 澳门; ; 
"""
"""Country; other names and prefixes; its people; Chinese names; characters in pairs; seats of government."""
_OTHER_LANDS = (
    r"(?:latin|south|north|central|native|pan)[ -]america(?:ns?)?|new mexic(?:o|ans?)|british columbian?|indian ocean|"
    r"(?:east|south) china sea"
)
"""What holds the name of a country and is another place; the same in Chinese."""
_OTHER_LANDS_ZH = "中美洲|拉丁美洲|南美洲|北美洲|南美|北美|拉美|印度洋|东海|南海"
_ORDINARY = frozenset(
    re.findall(r"\w+", "us polish pole poles turkey turk turks dane danes swede swedes")
)
"""Names that are words, too: in lower case they count beside a hyphen, or first or after "the" where nothing has a capital."""
_PALESTINE = {"Israel", "Pakistan"}
"""What 巴以 would say, if 巴 did not stand for another country there."""
_HYPHENS = ("-", "‐", "‑", "–", "—", "/")
MARK = "\ue000"
"""Stands where a country stood, so that what was around it does not run together."""


class Said(NamedTuple):
    """What a text says: the countries, and the rest of it."""

    countries: frozenset[str]
    """English names of the countries."""
    forms: frozenset[tuple[str, str]]
    """Each with the kind of word that names it: `name`, `people` or `zh`."""
    bound: frozenset[tuple[str, str]]
    """Those that belong to a proper name (American Airlines), which no other kind of word says."""
    seats: frozenset[str]
    """Countries whose seat of government is named."""
    rest: str
    """The text in folded letters with a mark in place of each country."""


class _Names(NamedTuple):
    english: dict[str, tuple[str, str]]
    """Lower-case form -> country and kind; prefixes end in a hyphen."""
    chinese: dict[str, str]
    characters: dict[str, str]
    seats: dict[str, str]


@cache
def _names() -> _Names:
    known = _Names({}, {}, {}, {})
    for row in _ROWS.strip().splitlines():
        country, names, people, chinese, characters, seats = (
            part.strip() for part in row.split(";")
        )
        for form in (country, *_listed(names)):
            known.english.setdefault(form.lower(), (country, "name"))
        for form in (*people_of(country), *_listed(people)):
            kind = (
                "name" if form.isupper() else "people"
            )  # US among the people of the United States
            known.english.setdefault(form.lower(), (country, kind))
        known.chinese.update(dict.fromkeys(_listed(chinese), country))
        known.characters.update(dict.fromkeys(characters, country))
        known.seats.update(dict.fromkeys(map(str.lower, _listed(seats)), country))
    return known


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _either(forms: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(forms, key=lambda form: (-len(form), form))))


@cache
def _english() -> re.Pattern[str]:
    forms = _names().english
    whole = _either(form for form in forms if not form.endswith("-"))
    prefixes = _either(form[:-1] for form in forms if form.endswith("-"))
    return re.compile(
        rf"(?<![^\W_])(?:(?P<other>{_OTHER_LANDS})|(?P<whole>{whole})|(?P<prefix>{prefixes})(?=[-‐‑–—]))(?![^\W_])"
        r"(?:['’]s?(?![^\W_]))?",
        re.IGNORECASE,
    )


@cache
def _chinese() -> re.Pattern[str]:
    names = _names()
    one = f"(?!{_either(names.chinese)})[{''.join(names.characters)}]"
    return re.compile(
        f"(?P<other>{_OTHER_LANDS_ZH})|(?P<whole>{_either(names.chinese)})|(?P<pair>{one}(?:[-‐‑–—·•、/]?{one}){{1,3}})|"
        f"(?P<side>{one}(?=方)|(?<=[对涉访赴反驻援]){one}(?<=[华美日韩俄乌欧英朝印澳]))"
    )


@cache
def _seats() -> re.Pattern[str]:
    forms = _names().seats
    latin = _either(form for form in forms if form.isascii())
    return re.compile(rf"\b(?:{latin})\b|{_either(form for form in forms if not form.isascii())}")


def countries_said(text: str) -> Said:
    """The countries that a text names, and what is left of it."""
    known = _names()
    plain = unaccented(unicodedata.normalize("NFKC", text))
    has_capital = any(char.isupper() for char in plain)
    sentence_case = any(
        word.islower() and len(word) > 3 for word in re.findall(r"[^\W\d_]+", plain)
    )
    forms: set[tuple[str, str]] = set()
    bound: set[tuple[str, str]] = set()

    def english(found: re.Match[str]) -> str:
        form = found["whole"] or (found["prefix"] and f"{found['prefix']}-")
        if not form:
            return found[0]
        before, after = plain[: found.start()], plain[found.end() :]
        if form.lower() in _ORDINARY and form.islower():
            beside = before.endswith(_HYPHENS) or after.startswith(_HYPHENS)
            first = not before.strip() or before.lower().endswith("the ")
            if not beside and (has_capital or not first):
                return found[0]
        said = known.english[form.lower()]
        forms.add(said)
        if sentence_case and re.match(r" [A-Z][a-z]+", after) and not _english().match(after, 1):
            bound.add(said)
        return MARK

    rest = folded(_english().sub(english, plain))

    def chinese(found: re.Match[str]) -> str:
        if found["other"]:
            return found[0]
        if found["whole"]:
            forms.add((known.chinese[found["whole"]], "zh"))
        else:
            countries = {known.characters[char] for char in found[0] if char in known.characters}
            if countries >= _PALESTINE:
                countries = countries - {"Pakistan"} | {"Palestine"}
            forms.update((country, "zh") for country in countries)
        return MARK

    rest = _chinese().sub(chinese, rest)
    seats = frozenset(known.seats[found[0]] for found in _seats().finditer(rest))
    return Said(
        frozenset(name for name, _ in forms), frozenset(forms), frozenset(bound), seats, rest
    )
