"""Date mentions that stay (relative words, years, durations) and those that only a person can settle.

A holiday, a fiscal label, an anniversary or a birth year names a day of the real calendar without a number
to shift, so it is flagged. Relative words and durations are true on both sides of the shift.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.anonymise.intervals import Frame, Mention

_ORD = "first|second|third|fourth|1st|2nd|3rd|4th"
_EN_DAY = "Mon|Tues|Wednes|Thurs|Fri|Satur|Sun"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_COUNT = r"(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|few|many|some|couple of|dozen|fifteen|twenty|thirty|forty|sixty|ninety)"
_SPAN = "(?:second|minute|hour|day|night|week|fortnight|month|quarter|year|decade|centur(?:y|ie))s?"
_ZN = "[0-9０-９一二两三四五六七八九十百几数半]"

FLAGS: tuple[tuple[str, str], ...] = tuple(
    (reason, pattern)
    for reason, patterns in {
        "holiday": (
            r"\b(?:April Fools['’]?s? Day|Black Friday|Cyber Monday|Good Friday|Ash Wednesday|Palm Sunday|Boxing Day"
            r"|(?:the )?(?:Fourth of July|4th of July)|Independence Day|Thanksgiving(?: Day)?|Christmas(?: Eve| Day)?|Xmas"
            r"|New Year['’]s(?: Eve| Day)?|(?:Lunar|Chinese) New Year|Easter(?: Sunday| Monday)?|Halloween|Hallowe['’]en"
            r"|Valentine['’]s Day|Mother['’]s Day|Father['’]s Day|Children['’]s Day|Women['’]s Day|Earth Day|Ramadan|Eid(?: al-\w+)?"
            r"|Diwali|Hanukkah|Passover|Yom Kippur|Rosh Hashanah|Pentecost|Lent|Labou?r Day(?: weekend)?|May Day|Memorial Day(?: weekend)?"
            r"|Veterans Day|Remembrance Day|Armistice Day|Columbus Day|Presidents['’]? Day|Martin Luther King Day|Juneteenth|Bastille Day"
            r"|St\.? Patrick['’]s Day|Spring Festival|Mid-Autumn(?: Festival)?|Dragon Boat(?: Festival)?|Qingming(?: Festival)?|Golden Week"
            r"|Lantern Festival|National Day|Constitution Day|Singles['’]? Day|Double (?:Eleven|11)|bank holiday|Election Day|Inauguration Day)\b",
            "春节|春運|春运|除夕|大年[初三]?[一二三四五六七八九十]?|元旦|元宵节?|清明(?:节|假期)?|端午节?|中秋节?|国庆(?:节|假期|黄金周)?"
            "|五一(?:假期|劳动节|黄金周|节)|十一(?:假期|黄金周|长假)|劳动节|妇女节|三八节|儿童节|六一(?:儿童节)?|教师节|建军节|建党节|青年节|植树节"
            "|重阳节?|七夕|腊八|小年|圣诞(?:节|夜)?|平安夜|万圣节|感恩节|复活节|情人节|愚人节|母亲节|父亲节|黄金周|双十一|双11|双十二|六一八|618"
            "|高考|中考|考研|暑假|寒假|暑期|寒食|冬至|夏至|春分|秋分|立春|立夏|立秋|立冬|大暑|小暑|大寒|小寒|惊蛰|谷雨|芒种|白露|霜降|斋月|开斋节|两会",
        ),
        "lunar": (
            "(?:农历|阴历)[正一二三四五六七八九十冬腊]+月(?:初?[一二三四五六七八九十廿]+)?|[正腊]月(?:初?[一二三四五六七八九十廿]+)?",
        ),
        "anniversary": (
            r"\b(?:\d+(?:st|nd|rd|th)|first|second|third|fifth|tenth|\w+ieth|\w+nth)[ -]anniversary\b|\banniversary\b|\b(?:bi)?centenn?ial\b|\bbirthday\b",
            f"(?:建国|建校|成立|逝世|诞辰|创刊)?{_ZN}+周年|诞辰|生日|忌日|头七",
        ),
        "fiscal": (
            r"\bFY ?'?\d{2,4}\b|\b[Ff]iscal(?: year)?(?: \d{4})?\b|\bfinancial year\b",
            f"(?:{_ZN}+)?财年|财政年度|会计年度",
        ),
        "half year": (
            r"\bthe (?:first|second) half of (?:\d{4}|the year|(?:this|last|next) year)\b|\b(?:first|second) half of \d{4}\b|\bH[12] ?\d{4}\b|\b[12]H ?\d{2,4}\b|\bhalf-year\b",
            "(?:[0-9]{2,4}年|今年|去年|明年|前年)?[上下]半年",
        ),
        "quarter by month": (
            rf"\bthe (?:{_MONTH})(?: and (?:{_MONTH}))? quarters?\b",
            "[本上下当][个]?季度|[本上下]季(?!节|军|后)",
        ),
        "season": (
            r"\b(?:last|next|this|that|early|late|mid-?|the coming|the past|previous|every)[ -]?(?:spring|summer|autumn|fall(?! (?:in|of|to|from|by|on)\b)|winter)\b"
            r"|\b(?:in|during|over|by|since|until|before|after|through|throughout) (?:the )?(?:spring|summer|autumn|winter)\b(?! of)|\bmid(?:summer|winter)\b|\b(?:summer|winter|spring) (?:holidays?|break|season|solstice)\b",
            "(?:今年|去年|明年|前年)?(?:[初早仲深晚暮入盛隆今]?(?:春|夏|秋|冬)(?:季|天|日)|[初早仲深晚暮入盛隆今去][春夏秋冬](?![节运]))",
        ),
        "edge of the year": (
            r"\b(?:at )?(?:the )?turn of the year\b|\b(?:early|late|earlier|later|by the end of|at the end of|the end of|the start of|at the start of|the beginning of) (?:last|this|next|that) year\b"
            r"|\b(?:the )?year[- ]end\b|\b(?:the )?end of (?:the year|\d{4})\b|\b(?:the )?(?:beginning|start|middle|end) of (?:the|this|last|next) month\b|\b(?:early|late|mid)-? ?(?:19|20)\d{2}\b|\bearlier (?:this|last) year\b",
            "(?:(?:[0-9]{4}|二[〇零][一二三四五六七八九〇零]{2})年|去年|今年|明年|前年)(?:年?[初底末中]|年?终)(?!期|旬)|年[底末初终](?!的?事)|岁末|岁尾|跨年|年关|年内",
        ),
        "birth or cohort year": (
            r"\bborn in (?:19|20)\d{2}\b|\b(?:[Cc]lass|[Cc]ohort) of (?:19|20)\d{2}\b",
            "(?:19|20)[0-9]{2}年(?:出生|生于|生人)|(?<![女男学先])生于(?:19|20)[0-9]{2}年(?![0-9]{1,2}月)|(?:19|20)?[0-9]{2}[级届](?!别)",
        ),
        "year in a name": (
            r"(?<=[Tt]he )(?:19|20)\d{2} [A-Z][a-z]+(?: [A-Z][a-z]+)+|\b(?:19|20)\d{2} [A-Z][a-z]+ (?:Cup|Act|Games|Olympics|Law|Treaty|Agreement|Accord|Plan|Code|Election)\b",
            "(?<=《)(?:19|20)[0-9]{2}年[^》，。]{1,20}(?=》)",
        ),
        "day without a month": (
            r"\b(?:the )?(?:1st|2nd|3rd|\d{1,2}th) of (?:the|this|last|next) month\b",
            "(?<![0-9０-９月第每近前后])[0-9]{1,2}[日号][前后]|[0-9]{1,2}月(?:中下|上中)旬",
        ),
    }.items()
    for pattern in patterns
)

WEEKEND = re.compile(
    r"\b(?:over |at |on |during |by )?(?:the|this|last|next) (?:long )?weekend\b|\bweekends?\b|(?:[本上下这]个?)?(?:周|週|星期|礼拜)末",
    re.ASCII,
)
"""Weekends keep their place only when the offset is a whole number of weeks."""

LEAVES: tuple[tuple[str, str], ...] = (
    (
        "relative day",
        r"\b(?:[Yy]esterday|[Tt]oday|[Tt]onight|[Tt]omorrow|[Tt]he (?:day before|next day|following day|same day|previous day)|overnight)\b",
    ),
    (
        "relative week",
        r"\b(?:[Ll]ast|[Tt]his|[Nn]ext|[Tt]hat|[Tt]he (?:following|previous|past|coming)|[Ee]arlier this|[Ll]ater this) (?:week|fortnight)\b",
    ),
    (
        "duration",
        rf"\b[Ww]ithin (?:the )?(?:next |past |last )?{_COUNT} {_SPAN}\b|\b{_COUNT}[ -](?:more )?{_SPAN}(?: (?:later|ago|earlier|after|before|from now))\b|\bfor (?:the )?(?:next |past |last )?{_COUNT} {_SPAN}\b",
    ),
    ("recurrence", r"\b(?:[Qq]uarterly|[Mm]onthly|[Ww]eekly|[Yy]early|[Aa]nnual(?:ly)?)\b"),
    (
        "recurrence",
        "每(?:个)?(?:日|天|周|月|季度|年)|季度(?:报告|财报|季报|报表|表格|审查|游说|末|性)|单季度|该季度|个季度",
    ),
    (
        "year",
        r"(?<=\b[Ii]n )(?:19|20)\d{2}\b|(?<=\b[Ss]ince )(?:19|20)\d{2}\b|(?<=\b[Bb]y )(?:19|20)\d{2}\b|(?<=\b[Bb]etween )(?:19|20)\d{2}(?= and)|(?<=\band )(?:19|20)\d{2}\b(?=[.,;]|$)|\b(?:18|19|20)\d0s\b",
    ),
    (
        "relative day",
        "大?[前昨今明后]天|[昨今明次翌同当]日(?!本|报)|[昨今当]晚|今[早晨]|当天|隔天|第二天|近日|日前|连日|即日",
    ),
    (
        "relative week",
        "[上本这下当]个?(?:周|週|星期|礼拜)(?![一二三四五六日天末边围])|(?:近|前|后|头)[一两二三几][周日天]",
    ),
    (
        "duration",
        f"{_ZN}+(?:个)?(?:多)?(?:天|日|周|星期|礼拜|个月|季度|年|小时|分钟)(?:多)?(?:之)?(?:内|以内|后|以后|前|以前|来|以来|间|期间|余)|(?:近|约|逾|超|满|为期|历时|长达|连续|持续|未来|过去|最近)(?:约|近)?{_ZN}+(?:个)?(?:多)?(?:天|日|周(?![一二三四五六日天末])|个月|(?<=个)月|季度|年)",
    ),
    (
        "duration",
        f"{_ZN}+个(?:多)?(?:星期|礼拜|月|季度|小时)|(?<![A-Za-z0-9])[0-9０-９]+(?:天|周(?![一二三四五六日天末年围边]))|{_ZN}{{1,3}}(?:天|周)(?![一二三四五六日天末边围年])",
    ),
    (
        "year",
        "(?:19|20)[0-9]{2}年代?|(?:上?世纪)?[0-9一二三四五六七八九]+十?年代|[二一][〇零九][〇零一二三四五六七八九]{2}年|(?:上|本|这|下)个?世纪",
    ),
)

CHINESE = re.compile("[\u3400-\u9fff]")
LATIN = re.compile("[A-Za-z]")
_RULES = tuple(
    (kind, reason, re.compile(pattern, re.ASCII), CHINESE if CHINESE.search(pattern) else LATIN)
    for kind, rules in (("flag", FLAGS), ("leave", LEAVES))
    for reason, pattern in rules
)


def marks(text: str, frame: Frame) -> Iterator[Mention]:
    """Flagged and staying mentions of both languages, in no particular order."""
    present = {script for script in (CHINESE, LATIN) if script.search(text)}
    for kind, reason, rule, script in _RULES:
        if script in present:
            for found in rule.finditer(text):
                yield Mention(found.start(), found.end(), kind, reason, found.group())
    whole_weeks = frame.offset % 7 == 0
    for found in WEEKEND.finditer(text):
        kind = "leave" if whole_weeks else "flag"
        yield Mention(found.start(), found.end(), kind, "weekend", found.group())
