"""Names of days of the real calendar: holidays, festivals, solar terms and examination seasons."""

from __future__ import annotations

from schemas import Lang

HOLIDAYS: dict[Lang, str] = {
    "en": (
        r"\b(?:April Fool(?:s['’]|['’]s|s)?(?: Day\b)?|(?:Black Friday|Cyber Monday|Good Friday|Ash Wednesday|Palm Sunday|Boxing Day"
        r"|(?:the )?(?:Fourth of July|4th of July)|Independence Day|Thanksgiving(?: Day)?|Christmas(?: Eve| Day)?|Xmas"
        r"|New Year['’]s(?: Eve| Day)?|(?:Lunar|Chinese) New Year|Easter(?: Sunday| Monday)?|Halloween|Hallowe['’]en"
        r"|Valentine['’]s Day|Mother['’]s Day|Father['’]s Day|Children['’]s Day|Women['’]s Day|Earth Day|Ramadan|Eid(?: al-\w{1,10})?"
        r"|Diwali|Hanukkah|Passover|Yom Kippur|Rosh Hashanah|Pentecost|Lent|Labou?r Day(?: weekend)?|May Day|Memorial Day(?: weekend)?"
        r"|Veterans Day|Remembrance Day|Armistice Day|Columbus Day|Presidents['’]? Day|Martin Luther King Day|Juneteenth|Bastille Day"
        r"|St\.? Patrick['’]s Day|Spring Festival|Mid-Autumn(?: Festival)?|Dragon Boat(?: Festival)?|Qingming(?: Festival)?|Golden Week"
        r"|Lantern Festival|National Day|Constitution Day|Singles['’]? Day|Double (?:Eleven|11)|bank holiday|Election Day|Inauguration Day)\b)"
    ),
    "zh": (
        "春节|春運|春运|除夕|除岁|拜年|守岁|年夜饭|压岁钱|(?<![超通经度不])过年(?![度底均检初末中限轻])|大年[初三]?[一二三四五六七八九十]?|元旦|元宵节?|清明(?:节|假期)?|端午节?|中秋节?|国庆(?:节|假期|黄金周)?"
        "|五一(?:假期|劳动节|黄金周|节)|十一(?:假期|黄金周|长假)|劳动节|妇女节|三八节|儿童节|六一(?:儿童节)?|教师节|建军节|建党节|青年节|植树节"
        "|重阳节?|七夕|腊八|小年|圣诞(?:节|夜)?|平安夜|万圣节|感恩节|复活节|情人节|愚人节|母亲节|父亲节|黄金周|双十一|双11|双十二|六一八|618(?=大促|购物|年中|促销|狂欢|活动|期间|电商)"
        "|高考|中考|考研|暑假|寒假|暑期|寒食|冬至|夏至|春分|秋分|立春|立夏|立秋|立冬|大暑|小暑|大寒|小寒|惊蛰|谷雨|芒种|白露|霜降|斋月|开斋节|两会"
    ),
}
"""Expressions; each name is a whole mention, with its suffix where it has one."""

HOLIDAY_WORDS: dict[Lang, str] = {
    "en": (
        "Fool|Black Friday|Good Friday|Cyber Monday|Ash Wednesday|Palm Sunday|Day|of July|Thanksgiving|Christmas|Xmas|New Year|Easter|Hallowe|Ramadan|Eid|Diwali"
        "|Hanukkah|Passover|Kippur|Hashanah|Pentecost|Lent|Juneteenth|Festival|Mid-Autumn|Dragon Boat|Qingming|Golden Week|Double |holiday"
    ),
    "zh": (
        "春|除夕|除岁|拜年|守岁|年夜饭|压岁|过年|大年|元旦|元宵|清明|端午|中秋|国庆|五一|十一|节|六一|重阳|七夕|腊八|小年|圣诞|平安夜|黄金周|双十|双11|618|高考|中考|考研|暑|寒"
        "|冬至|夏至|秋分|立|惊蛰|谷雨|芒种|白露|霜降|斋月|两会"
    ),
}
"""Words of which every holiday of the expression holds one, parted by bars."""
