"""Days of the real calendar by their names: holidays, festivals, solar terms, days of sales, polls and examinations.

The scanner's own list, apart from the one by which dates are found and shifted. An English name counts in capitals
as they are usually set, in capitals alone and, where it is nothing else, in small letters; a Chinese one in both
scripts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from factory.nameforms.letters import SIMPLIFIED, TRADITIONAL

_ANY_CASE = """
Christmas|Christmastide|Christmastime|Xmas|Good Friday|Easter Sunday|Easter Monday|Ash Wednesday|Palm Sunday|Maundy Thursday
Shrove Tuesday|Mardi Gras|Whitsun|Whit Monday|Pentecost|Ascension Day|Corpus Christi|All Saints' Day|All Souls' Day|Halloween
Hallowe'en|Black Friday|Cyber Monday|Boxing Day|Lunar New Year|Chinese New Year|Hogmanay|Valentine's Day|Mother's Day|Mothers' Day
Father's Day|Fathers' Day|St Patrick's Day|St. Patrick's Day|Saint Patrick's Day|St. George's Day|St. Andrew's Day|St. David's Day
April Fool|April Fools|April Fool's|April Fools'|Groundhog Day|Guy Fawkes|Armistice Day|Veterans Day|Veterans' Day|Presidents Day|Presidents' Day
President's Day|Martin Luther King Day|Martin Luther King Jr Day|Martin Luther King Jr. Day|Martin Luther King, Jr. Day|MLK Day
Columbus Day|Indigenous Peoples' Day|Juneteenth|Cinco de Mayo|Bastille Day|Anzac Day|Waitangi Day|Fourth of July|4th of July
bank holiday|bank holidays|Qingming|Ching Ming|Tomb-Sweeping|Chuseok|Seollal|Songkran|Nowruz|Vesak|Ramadan|Eid al-Fitr|Eid al-Adha
Eid ul-Fitr|Eid ul-Adha|Muharram|Ashura|Diwali|Deepavali|Hanukkah|Chanukah|Yom Kippur|Rosh Hashanah|Sukkot|Purim|Kwanzaa
Singles' Day|Labor Day|Labour Day|Mid-Autumn|Holy Thursday|Holy Saturday|Whit Sunday|Trinity Sunday|Fat Tuesday|Pancake Day
Pancake Tuesday|Candlemas|Michaelmas|Walpurgis Night|Vaisakhi|Navratri|Durga Puja|Losar|Shavuot|Tisha B'Av|Simchat Torah|Mawlid
Arbaeen|Oktoberfest|Bloomsday|Dia de los Muertos|Día de los Muertos|Dia de Muertos|Día de Muertos|Mothering Sunday|Anzac Eve
New Year's Eve|New Year's Day|the new year
"""
_CAPITALS = """
Easter|Eid|Passover|Thanksgiving|Holi|Obon|Holy Week|New Year's|Valentine's|New Year's Eve|New Year's Day|May Day|National Day|Flag Day|Army Day|Youth Day
Memorial Day|Remembrance Day|Remembrance Sunday|Independence Day|Constitution Day|Republic Day|Unity Day|Victory Day
Inauguration Day|Election Day|Super Tuesday|Super Bowl Sunday|Tax Day|Canada Day|Australia Day|Victoria Day|Bonfire Night|Burns Night
Women's Day|Children's Day|Workers' Day|Teachers' Day|Earth Day|Washington's Birthday
Spring Festival|Lantern Festival|Dragon Boat|Golden Week|Double Ninth|Double Ten|Double Eleven|Double Twelve|Double 11|Double 12
New Year|Day of the Dead|Giving Tuesday|Small Business Saturday|Super Bowl|Pi Day|Pride Month|Black History Month|VE Day|V-E Day|VJ Day
D-Day|Patriots' Day|Patriot Day|Arbor Day|Liberation Day|Reunification Day|Freedom Day|Heritage Day|Nurses' Day|Human Rights Day
World AIDS Day|Ghost Festival|Hungry Ghost|Twelfth Night|Lunar Tet|Lunar Tết|Tet New Year|Tết New Year|Tet holiday|Tết holiday
"""
"""Ordinary words when they are written small."""
_TET = r"T(?<=\b[Dd]uring T)[eế]t"
"""The feast by its bare name counts behind this word only."""
_INSIDE = "Lent|Advent|Epiphany|Ascension"
"""Words that may begin a sentence as well: names after a small letter, a figure, a comma or a bracket only."""

_ZH = """
春节|春运|除夕|除岁|拜年|守岁|年夜饭|压岁钱|元旦|元宵|清明|端午|中秋|国庆|重阳|七夕|腊八|龙抬头|中元节|寒食|大年初|大年三十|大年夜|农历|阴历|腊月
圣诞|平安夜|万圣|感恩节|复活节|受难日|棕枝主日|降临节|大斋节|四旬期|情人节|愚人节|母亲节|父亲节|独立日|总统日|总统节|哥伦布日|老兵节
阵亡将士纪念日|退伍军人节|退伍军人日|马丁路德金日|马丁·路德·金日|马丁·路德·金纪念日|六月节|就职日|选举日|超级星期二|黑色星期五|网络星期一
节礼日|银行假日|巴士底日|地球日|劳动节|劳工节|妇女节|女神节|三八节|女生节|儿童节|教师节|青年节|植树节|建军节|建党节|护士节|记者节
警察节|宪法日|国家公祭日|丰收节|光棍节|双十一|双十二|双11|双12|双十节|黄金周|小长假|暑假|寒假|暑期|六一八
五一假|五一长假|五一小长假|五一劳动|五一黄金|五一节|五一档|五一期间|五一出行|十一假|十一长假|十一黄金|十一国庆|十一出行
斋月|开斋|古尔邦|宰牲节|排灯节|光明节|逾越节|赎罪日|犹太新年|五旬节|圣灵降临|升天节|泼水节|佛诞|浴佛节|盂兰盆
惊蛰|谷雨|芒种|白露|霜降|大暑|小暑|大寒|小寒|考研
光复节|公祭日|消费者权益日|315晚会|3·15晚会|三一五晚会|世界读书日|学雷锋日|鬼节|火把节|行宪纪念日|超级碗|双旦|年关|国殇日|胜利日
澳新军团日|诺鲁孜|诺鲁兹|纳吾肉孜|宋干节|普珥节|亡灵节|忏悔星期二|濯足节|圣周|那达慕|雪顿节|九一八|一二·九
"""
_SEAMS: tuple[tuple[str, str, str], ...] = (
    ("超通经度不", "过年", "(?![度底均检初末中限轻])"),
    ("", "618", "(?=大促|购物|年中|促销|狂欢|活动|期间|电商|节|预售)"),
    ("", "黑五", "(?!类)"),
    ("〇零一二三四五六七八九十百千第初老小", "七一", "(?=党|建党|前|期间|当天|讲话|表彰|勋章|庆|假|[，。、；！？])"),
    ("", "双十", "(?=国庆|庆典|典礼|当天|期间|前夕|连假|阅兵|讲话|演说|文告|[，。、；！？])"),
    ("0123456789.", "520", "(?=大促|购物|促销|狂欢|活动|期间|电商|节|表白|情人|当天|预售|礼)"),
    ("创更最革全刷翻清崭重高", "新年", "(?![级度轻龄代月份薪限报产均检化])"),
    ("", "跨年", "(?![度级龄代份])"),
    ("", "解放日", "(?!报)"),
    ("青", "春晚", "(?!会)"),
    ("〇零一二三四五六七八九十百千第", "六一", "(?![〇零一二三四五六七八九十百千万年月号日])"),
    ("较提最更", "高考", "(?![虑核察量验评勤究])"),
    ("集其当空", "中考", "(?![虑核察量验评勤究])"),
    ("这那头都", "两会", "(?![儿不])"),
    ("改修更纠校订端", "正月", "(?!度)"),
    ("盛最较更特加扩增多重巨", "大年", "(?![纪龄代月份会度级终报轻幅来底内中])"),
    ("大最较更", "小年", "(?![轻龄纪代月级])"),
    *(("设成建创树独确竖订", f"立{season}", "") for season in "春夏秋冬"),
    *(("今去明每年入初盛仲孟", f"{season}至", "(?!今)") for season in "冬夏"),
    *(("今去明入青开阳", f"{season}分", "(?![享别批为成手开期红数店公给布发配])") for season in "春秋"),
)  # fmt: skip
"""Names that are also the seam of two other words: what may not stand before, the name, what may not come after."""
_SIMPLE = {ord(t): s for t, s in zip(TRADITIONAL, SIMPLIFIED, strict=True)}
_TRADITIONAL = re.compile(f"[{TRADITIONAL}]")


def holidays(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every place where a day of the real calendar is named."""
    for found in _EN_NET.finditer(text):
        yield found.span()
    if not text.isascii():
        # One character stands for one, so that places stay.
        simple = text.translate(_SIMPLE) if _TRADITIONAL.search(text) else text
        for found in _ZH_NET.finditer(simple):
            yield found.span()


def _names(lines: str) -> list[str]:
    return [name for line in lines.split("\n") for name in line.split("|") if name]


def _pattern(name: str) -> str:
    """A name as a pattern: any space, hyphen or underscore between its words, any apostrophe or none."""
    parts = {
        " ": r"[\s_-]{1,2}",
        "'": "['’ʼ`]?",
        ".": r"\.?",
        ",": ",?",
        "-": r"[\s\u2010-\u2013-]?",
    }
    return "".join(parts.get(char) or re.escape(char) for char in name)


def _branches(names: Iterable[str], *, edged: bool) -> str:
    """One pattern of many names, branched at the first letter, so that most places are passed by at once."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(dict.fromkeys(names), key=len, reverse=True):
        groups[name[0]].append(_pattern(name[1:]))
    # The edge before is asked for after the first letter: a search for plain letters is a fast one.
    edge = r"(?<![^\W_]{})" if edged else ""
    return "|".join(
        f"{first}{edge.format(first)}(?:{'|'.join(rest)})" for first, rest in groups.items()
    )


def _english() -> re.Pattern[str]:
    forms = []
    for name in _names(_ANY_CASE):
        forms += [name, name.lower(), name.upper(), name.capitalize()]
    for name in _names(_CAPITALS):
        # Short ones in capitals are acronyms.
        forms += [name, name.upper()] if len(name) > 4 else [name]
    initials = "".join(name[0] for name in _INSIDE.split("|"))
    inside = rf"[{initials}](?<=[a-z0-9,;(] .)(?:{'|'.join(n[1:] for n in _INSIDE.split('|'))})"
    return re.compile(rf"(?:{_branches(forms, edged=True)}|{inside}|{_TET})(?:['’]?s)?(?![^\W_])")


def _chinese() -> re.Pattern[str]:
    seams = (
        f"{name}(?<![{before}]{name}){after}" if before else name + after
        for before, name, after in _SEAMS
    )
    return re.compile("|".join((_branches(_names(_ZH), edged=False), *seams)))


_EN_NET = _english()
_ZH_NET = _chinese()
