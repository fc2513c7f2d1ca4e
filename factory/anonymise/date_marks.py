"""Date mentions that stay (relative words, years, durations) and those that only a person can settle.

A holiday, a fiscal label, an anniversary or a birth year names a day of the real calendar without a number
to shift, so it is flagged. Relative words and durations are true on both sides of the shift. Each row gives the
reason, the words of which every match holds one, and the expression.
"""

from __future__ import annotations

import re
from datetime import date

from factory.anonymise import intervals as iv
from factory.anonymise.date_holidays import HOLIDAY_WORDS, HOLIDAYS
from factory.anonymise.dates_en_words import CENTURIES
from factory.anonymise.dates_scan import REACH, Reader, Rule, pairs
from factory.anonymise.intervals import Frame, Mention
from sources.calendar import EN_SEASONS

Mark = tuple[str, str, str]
"""Reason, trigger words parted by bars, expression."""

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTHS = _MONTH + "".join(
    f"|{m}|{m}[.]"
    for m in ("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec")
)
_QUARTER_ENDS = sorted({month.replace("[.]", ".")[-3:] for month in _MONTHS.split("|")})
_COUNTS = "a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|few|many|some|couple of|dozen|fifteen|twenty|thirty|forty|sixty|ninety"
_COUNT = rf"(?:\d{{1,6}}|{_COUNTS})"
_SPAN = "(?:second|minute|hour|day|night|week|fortnight|month|quarter|year|decade|centur(?:y|ie))s?"
_SPANS = (
    "second", "minute", "hour", "day", "night", "week", "fortnight", "month", "quarter", "year", "decade", "centur",
)  # fmt: skip
_ENDS = sorted({*(word[-2:] for word in _COUNTS.split("|")), *"0123456789"})
"""Ends of what counts a span; a span alone is too common a word to look around."""
_COUNTED = "|".join((*pairs(pairs(_ENDS, " -"), _SPANS), *pairs(("more ",), _SPANS)))
_ZN = "[0-9０-９一二两三四五六七八九十百几数半]"
_BOUNDS = (
    "(?:以?内(?![部政阁地蒙容外塔])|以?后(?![续方台果来])|以?前(?![往赴来夕述]|去(?!世))|(?:以|(?<![0-9]日))来(?![华访到电信京港沪自函临袭])"
    "|期?间(?![接谍隔歇])|余(?![震下波杭名]))"
)
"""After days of a length of time, unless they begin another word: 5日前往, 5日来访."""
_EDGES = "|".join(
    f"{word}{gap}{century}"
    for word, gaps in (
        ("end of", (" ",)),
        *((w, ("", " ", "-", "- ")) for w in ("early", "late", "mid")),
    )
    for gap in gaps
    for century in CENTURIES
)
_PLACES = "[Ff]irst|[Ll]ast|[Ff]inal|[Oo]pening|[Cc]losing|[Cc]oncluding|[Rr]emaining"
_BOOKS = "(?:profits?|results?|earnings|revenues?|sales|loss(?:es)?|guidance|figures|numbers|report|margins?|growth|exports|GDP|was|were|is)\\b"
"""What is told of half a year."""
_NTH = "[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth"
_SEASONS = "|".join(EN_SEASONS)
_DEEDS = ("attack", "terror", "hijack", "committee", "riot", "insurrection", "massacre")
_MONTHS_BY_WORD = ("the month", "this month", "last month", "next month")

FLAGS: tuple[Mark, ...] = (
    ("holiday", HOLIDAY_WORDS["en"], HOLIDAYS["en"]),
    ("holiday", HOLIDAY_WORDS["zh"], HOLIDAYS["zh"]),
    (
        "lunar",
        "农历|阴历|正月|腊月",
        "(?:农历|阴历)[正一二三四五六七八九十冬腊]{1,3}月(?:初?[一二三四五六七八九十廿]{1,3})?"
        "|[正腊]月(?:初?[一二三四五六七八九十廿]{1,3})?",
    ),
    (
        "anniversary",
        "nniversary|centen|birthday",
        r"\b(?:\d{1,4}(?:st|nd|rd|th)|first|second|third|fifth|tenth|\w{2,20}ieth|\w{2,20}nth)[ -]anniversary\b"
        r"|\b[Aa]nniversary\b|\b(?:bi)?centenn?ial\b|\bbirthday\b",
    ),
    (
        "anniversary",
        "周年|诞辰|生日|忌日|头七",
        f"(?:建国|建校|成立|逝世|诞辰|创刊)?{_ZN}{{1,6}}周年|诞辰|生日|忌日|头七",
    ),
    (
        "fiscal",
        "FY|iscal|financial year",
        rf"\b(?:(?:the )?(?:{_NTH})[ -](?:quarters? (?:of )?)?|(?:Q[1-4]|[1-4]Q)[ ,-](?:of )?)?(?:FY ?'?\d{{2,4}}|[Ff]iscal[ -](?:years?|quarters?|half|'?\d{{2,4}}|(?:(?:{_NTH})(?:[ -]quarters?)?|Q[1-4]))|financial year)\b"
        rf"(?: \d{{4}}\b)?(?:[ -](?:{_NTH}|Q[1-4])\b(?:(?: and|,|/) ?(?:{_NTH})\b)?(?:[ -](?:fiscal[ -])?quarters?\b)?)?",
    ),
    (
        "fiscal",
        "财年|财季|财政年度|会计年度",
        f"{_ZN}{{0,6}}(?:财年|财政年度|会计年度)(?:的?第?[一二三四](?:[、和]第?[二三四])?财?季度?)?"
        "|第?[一二三四](?:[、和]第?[二三四])?财季",
    ),
    (
        "half year",
        "half|H1|H2|1H|2H",
        r"\bthe (?:first|second) half of (?:\d{4}|the year|(?:this|last|next) year)\b|\b(?:first|second) half of \d{4}\b"
        r"|\bH[12] ?\d{4}\b|\b[12]H ?\d{2,4}\b|\bhalf-year\b",
    ),
    (
        "date in a name",
        "|".join(("9/11", *pairs(pairs(("1", "6", "7", "h"), (" ", ", ")), _DEEDS))),
        r"\b9/11\b|\b(?:[Ss]eptember|[Ss]ept?\.?) 11(?:th)?,? (?:attack|terror|hijack)[a-z]{0,6}|\b(?:[Jj]anuary|[Jj]an\.?) 6(?:th)?,? (?:committee|riot|insurrection|attack)[a-z]{0,6}"
        r"|\b(?:[Oo]ctober|[Oo]ct\.?) 7(?:th)?,? (?:attack|massacre)[a-z]{0,6}",
    ),
    (
        "date in a name",
        "·|・|3.15|三一五",
        "(?<![0-9.])(?:1[0-2]|[1-9])[·・](?:3[01]|[12][0-9]|[1-9])(?![0-9])|3[.]15(?=晚会)|三一五(?=晚会)",
    ),
    (
        "part of a unit",
        "onth",
        r"\bmid-?month\b|\bmonth[- ]end\b",
    ),
    (
        "part of a unit",
        "季度|个月|半月|季报|半年报|中报",
        f"[一三]季报|半年报|(?<!集)中报(?!告|道|警)|[上下]半月(?![刊板弯])|[前头][一二两三四1-4]个?季度|[前头]{_ZN}{{1,2}}个月|(?:第?[一二三四1-4])季度[末初中](?!期)",
    ),
    ("half year", "半年", "(?:[0-9]{2,4}年|今年|去年|明年|前年)?[上下]半年"),
    (
        "quarter by month",
        "|".join(pairs((*_QUARTER_ENDS, *"0123456789"), (" quarter", "-quarter"))),
        rf"\b(?:[Tt]he )?(?:{_MONTHS})(?:(?: and | or |/|-|–)(?:{_MONTHS}))?(?:,? (?:19|20)\d\d)?[ -]quarters?\b(?!-?final)(?:,? (?:of )?(?:(?:19|20)\d\d\b|(?:last|this|next) year\b))?",
    ),
    (
        "quarter by month",
        "季",
        "[本上下当前后这](?:一?个)?一?季度|[本上下]季(?!节|军|后)"
        "|(?:1[0-2]|[1-9])月(?:[、和及](?:1[0-2]|[1-9])月)?季度?(?!节)",
    ),
    (
        "season",
        f"{_SEASONS}|Fall",
        r"\b(?:last|next|this|that|early|late|mid-?|the coming|the past|previous|every)[ -]?(?:spring|summer|autumn|[Ff]all(?! (?:in|of(?! (?:last|this|next) year)|to|from|by|on)\b)|winter)\b"
        r"|\b(?:[Ii]n|[Dd]uring|[Oo]ver|[Bb]y|[Ss]ince|[Uu]ntil|[Bb]efore|[Aa]fter|[Tt]hrough|[Tt]hroughout|[Ff]or|[Ff]rom|[Cc]ome) (?:the )?(?:spring|summer|autumn|winter)\b(?! of)"
        r"|\b(?:[Ii]n|[Dd]uring|[Bb]y|[Uu]ntil|[Tt]ill?|[Tt]hroughout|[Cc]ome) (?:the )?[Ff]all\b(?! (?:in|of(?! (?:last|this|next) year)|to|from|by|on|out|off|short|guy|line|back|behind|apart|into|under)\b)"
        r"|\b[Ff]all (?:semester|term|season|session|elections?|campaign|classes|harvest)\b"
        r"|\bmid(?:summer|winter)\b|\b(?:summer|winter|spring) (?:holidays?|break|season|solstice|planting|tide)\b",
    ),
    (
        "season",
        "春|夏|秋|冬",
        "(?:今年|去年|明年|前年)?(?:[初早仲深晚暮入盛隆今]?(?:春|夏|秋|冬)(?:季|天|日)|[初早仲深晚暮入盛隆今去开][春夏秋冬](?![节运])|春夏|夏秋|秋冬|冬春|[春夏秋冬]末(?!代))",
    ),
    (
        "edge of the year",
        "turn of the year|end of the year|year-end|year end|earlier last year|"
        + "|".join(
            (
                *pairs(("ly ", "te ", "of "), ("last year", "this year", "next year", "that year")),
                *pairs(("of ",), _MONTHS_BY_WORD),
            )
        ),
        r"\b(?:at )?(?:the )?turn of the year\b"
        r"|\b(?:early|late|by the end of|at the end of|the end of|the start of|at the start of|the beginning of) (?:last|this|next|that) year\b"
        r"|\b(?:the )?year[- ]end\b|\b(?:the )?end of the year\b"
        r"|\b(?:the )?(?:beginning|start|middle|end) of (?:the|this|last|next) month\b|\bearlier last year\b",
    ),
    (
        "edge of the year",
        "year's end|year’s end|nd of year|nd-of-year|year's close|year’s close|mid-year|midyear|id-Year|idyear",
        r"\b(?:the |this |last |next )?year['’]s (?:end|close)\b|\b(?:[Tt]he )?[Ee]nd[ -]of[ -](?:the[ -])?year\b|\b(?:[Bb]y|[Uu]ntil|[Ss]ince|[Aa]t|[Ii]n|[Aa]round|[Bb]efore|[Aa]fter) mid-?year\b",
    ),
    (
        "part of a unit",
        "|".join(
            pairs(
                ("months", "quarters", "weeks", "days", "month", "quarter", "week", "day"),
                (
                    " of 19",
                    " of 20",
                    " of the year",
                    " of this year",
                    " of last year",
                    " of next year",
                ),
            )
        ),
        rf"\b(?:[Tt]he )?(?:{_PLACES}) (?:{_COUNT} )?(?:months?|quarters?|weeks?|days?) of (?:(?:19|20)\d\d|the year|(?:this|last|next) year)\b",
    ),
    (
        "edge of the year",
        "rest of |remainder of ",
        r"\b(?:[Tt]he )?(?:[Rr]est|[Rr]emainder) of (?:(?:19|20)\d\d|(?:last|next) year)\b",
    ),
    (
        "part of a unit",
        "months|quarters",
        r"(?<!his )(?<!her )(?<!its )(?<!eir )(?<!our )\b(?:[Tt]he )?[Ff]irst (?:two|three|four|five|six|seven|eight|nine|ten|eleven|[2-9]|1[01]) (?:months|quarters)\b(?! (?:of|in|on|as|after|since|with|at|from|under|following)\b)(?! after)",
    ),
    (
        "part of a unit",
        "|".join(pairs(("st", "ond", "ird", "rth"), (" of 19", " of 20"))),
        r"\b(?:[Ii]n|[Ff]or|[Oo]f) the (?:first|second|third|fourth) of (?:19|20)\d\d\b",
    ),
    (
        "several months",
        "Januarys|Februarys|Julys|Septembers|Octobers|Novembers|Decembers",
        r"\b(?:January|February|July|September|October|November|December)s\b",
    ),
    (
        "half year",
        "-half |H1 |H2 ",
        rf"\b(?:first|second)-half(?= {_BOOKS})|\bH[12](?:['’]s)?(?= {_BOOKS})",
    ),
    (
        "edge of the year",
        _EDGES,
        r"\b(?:the )?end of (?:19|20)\d{2}\b|\b(?:early|late|mid)-? ?(?:19|20)\d{2}\b",
    ),
    (
        "edge of the year",
        "年|岁末|岁尾",
        "(?:(?:[0-9]{4}|二[〇零][一二三四五六七八九〇零]{2})年|去年|今年|明年|前年)(?:年?[初底末中]|年?终)(?!期|旬)"
        "|年[底末初终](?!的?事)|岁末|岁尾|跨年|年关|年内(?!累计|已|涨|跌|升|降|上涨|下跌|最[高低])",
    ),
    (
        "birth or cohort year",
        "born in |lass of |ohort of ",
        r"\bborn in (?:19|20)\d{2}\b|\b(?:[Cc]lass|[Cc]ohort) of (?:19|20)\d{2}\b",
    ),
    (
        "birth or cohort year",
        "年|级|届",
        "(?:19|20)[0-9]{2}年(?:出生|生于|生人)|(?<![女男学先])生于(?:19|20)[0-9]{2}年(?![0-9]{1,2}月)|(?:19|20)?[0-9]{2}[级届](?!别)",
    ),
    (
        "year in a name",
        "he 19|he 20",
        r"(?<=[Tt]he )(?:19|20)\d{2} [A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15}){1,4}",
    ),
    (
        "year in a name",
        "Cup|Act|Games|Olympics|Law|Treaty|Agreement|Accord|Plan|Code|Election",
        r"\b(?:19|20)\d{2} [A-Z][a-z]{1,20} (?:Cup|Act|Games|Olympics|Law|Treaty|Agreement|Accord|Plan|Code|Election)\b",
    ),
    ("year in a name", "年", "(?<=《)(?:19|20)[0-9]{2}年[^》，。]{1,20}(?=》)"),
    (
        "day without a month",
        "|".join(pairs(("of ",), _MONTHS_BY_WORD)),
        r"\b(?:the )?(?:1st|2nd|3rd|\d{1,2}th) of (?:the|this|last|next) month\b",
    ),
    (
        "day without a month",
        "日前后|号前后|中下旬|上中旬",
        "(?<![0-9０-９月第每近前后])[0-9]{1,2}[日号]前后|(?:(?:(?:19|20)[0-9]{2}年|今年|去年|明年)?[0-9]{1,2}月)?(?:中下|上中)旬",
    ),
)

LEAVES: tuple[Mark, ...] = (
    (
        "relative day",
        "esterday|oday|onight|omorrow|day before|next day|following day|same day|previous day|overnight",
        r"\b(?:[Yy]esterday|[Tt]oday|[Tt]onight|[Tt]omorrow|[Tt]he (?:day before|next day|following day|same day|previous day)|overnight)\b",
    ),
    (
        "relative week",
        "|".join(pairs(("ast ", "his ", "ext ", "hat ", "ing ", "ous "), ("week", "fortnight"))),
        r"\b(?:[Ll]ast|[Tt]his|[Nn]ext|[Tt]hat|[Tt]he (?:following|previous|past|coming)|[Ee]arlier this|[Ll]ater this) (?:week|fortnight)\b",
    ),
    (
        "duration",
        _COUNTED,
        rf"\b[Ww]ithin (?:the )?(?:next |past |last )?{_COUNT} {_SPAN}\b|\b{_COUNT}[ -](?:more )?{_SPAN}(?: (?:later|ago|earlier|after|before|from now))\b"
        rf"|\bfor (?:the )?(?:next |past |last )?{_COUNT} {_SPAN}\b",
    ),
    (
        "recurrence",
        "uarterly|onthly|eekly|Yearly|yearly|nnual",
        r"\b(?:[Qq]uarterly|[Mm]onthly|[Ww]eekly|[Yy]early|[Aa]nnual(?:ly)?)\b",
    ),
    (
        "recurrence",
        "每|季度",
        "每(?:个)?(?:日|天|周|月|季度|年)|季度(?:报告|财报|季报|报表|表格|审查|内容审查|游说|末|性)|单季度|该季度|个季度",
    ),
    (
        "year",
        "|".join(
            (*pairs(("in ", "In ", "ince ", "by ", "By ", "etween ", "and "), CENTURIES), "0s")
        ),
        r"(?<=\b[Ii]n )(?:19|20)\d{2}\b|(?<=\b[Ss]ince )(?:19|20)\d{2}\b|(?<=\b[Bb]y )(?:19|20)\d{2}\b|(?<=\b[Bb]etween )(?:19|20)\d{2}(?= and)"
        r"|(?<=\band )(?:19|20)\d{2}\b(?=[.,;]|$)|\b(?:18|19|20)\d0s\b",
    ),
    (
        "budget",
        "iscal",
        r"\b[Ff]iscal\b(?![ -](?:years?|quarters?|half|'?\d|first|second|third|fourth|Q\d))",
    ),
    (
        "relative day",
        "天|日|晚|今早|今晨",
        "大?[前昨今明后]天|[昨今明次翌同当]日(?!本|报)|[昨今当]晚|今[早晨]|当天|隔天|第二天|近日|日前|连日|即日",
    ),
    (
        "relative week",
        "周|週|星期|礼拜|天|日",
        "[上本这下当]个?(?:周|週|星期|礼拜)(?![一二三四五六日天末边围])|(?:近|前|后|头)[一两二三几][周日天]",
    ),
    (
        "duration",
        "天|日|周|星期|礼拜|月|季度|年|小时|分钟",
        f"{_ZN}{{1,8}}(?:个)?(?:多)?(?:(?:天|周|星期|礼拜|个月|(?<=[个多])季度|年|小时|分钟)(?:多)?(?:之)?(?:内|以内|后|以后|前|以前|来|以来|间|期间|余)|日之?{_BOUNDS})"
        f"|(?:(?<!附)近|(?<![北纽条签特合节邀预违公])约|逾|(?<![中英法德意西高])超|(?<![圆爆])满|为期|历时|长达|连续|持续|未来|过去|最近)(?:约|近)?{_ZN}{{1,8}}(?:个)?(?:多)?(?:天|日|周(?![一二三四五六日天末])|个月|(?<=个)月|季度|年)(?:之?内|以内|里|间)?",
    ),
    (
        "duration",
        "个|天|周",
        f"{_ZN}{{1,8}}个(?:多)?(?:星期|礼拜|月|季度|小时)|(?<![A-Za-z0-9])[0-9０-９]{{1,6}}(?:天|周(?![一二三四五六日天末年围边]))"
        f"|{_ZN}{{1,3}}(?:天|周)(?![一二三四五六日天末边围年])",
    ),
    (
        "year",
        "年|世纪",
        "(?:19|20)[0-9]{2}年代?|(?:上?世纪)?[0-9一二三四五六七八九]{1,4}十?年代|[二一][〇零九][〇零一二三四五六七八九]{2}年|(?:上|本|这|下)个?世纪",
    ),
)

WEEKEND = re.compile(
    r"\b(?:over |at |on |during |by )?(?:the|this|last|next) (?:long )?weekend\b|\bweekends?\b|(?:[本上下这]个?)?(?:周|週|星期|礼拜)末",
    re.ASCII,
)
"""Weekends keep their place only when the offset is a whole number of weeks."""

SO_FAR = re.compile(
    r"\b(?P<side>earlier|later) this year\b|\b(?P<rest>[Rr]est|[Rr]emainder) of (?:the|this) year\b"
    r"|\b(?P<date>(?:[Tt]he )?(?:this )?[Yy]ear[- ]to[- ]date\b|YTD\b|[Ss]o far this year\b|[Tt]h(?:is|e) year so far\b|(?:[Ss]ince|[Ff]rom) the (?:start|beginning) of (?:the|this) year\b)|年内(?=累计|已|涨|跌|升|降|上涨|下跌|最[高低])",
    re.ASCII,
)
"""True after the shift when the part of the year before (after) the anchor stays in one year; "year to date" as long as
"this year" is true."""

THAT_YEAR = re.compile(r"(?<=[a-z\d])(?P<join>,? (?:of|in) )(?:the same|that) year\b", re.ASCII)
"""Its truth depends on the date beside it, which `dates.find_dates` looks at."""
SAME_YEAR = "same year"


def _weekend(found: re.Match[str], frame: Frame) -> Mention:
    return iv.kept(found, "weekend") if frame.offset % 7 == 0 else iv.flagged(found, "weekend")


def _so_far(found: re.Match[str], frame: Frame) -> Mention:
    if found["date"]:
        same = iv.relative_year(frame, 0) == 0
        return iv.kept(found, "year to date") if same else iv.flagged(found, "edge of the year")
    year = frame.anchor.year
    part = (
        (date(year, 1, 1), frame.anchor)
        if found["side"] != "later" and not found["rest"]
        else (frame.anchor, date(year, 12, 31))
    )
    first, last = iv.moved(part, frame.offset)
    if first.year == last.year == frame.moved.year:
        return iv.kept(found, "part of the year")
    return iv.flagged(found, "edge of the year")


def _mark(kind: str, reason: str) -> Reader:
    make = iv.flagged if kind == "flag" else iv.kept
    return lambda found, _frame: make(found, reason)


_LEAD = 9
"""Characters of "etween 19" that a match only looks back at, at most."""


def _reach(reason: str, words: str, pattern: str) -> tuple[int, int]:
    """Most marks are short; titles and fiscal quarters run on."""
    if words.isascii():
        return REACH if reason in ("fiscal", "year in a name") else (48, 28)
    return (16, 30) if "》" in pattern else (16, 12)


RULES = (
    *(
        Rule(
            re.compile(pattern, re.ASCII),
            _mark(kind, reason),
            tuple(words.split("|")),
            reach=_reach(reason, words, pattern),
            lead=_LEAD if words.isascii() and "(?<=" in pattern else 0,
        )
        for kind, marks in (("flag", FLAGS), ("leave", LEAVES))
        for reason, words, pattern in marks
    ),
    Rule(WEEKEND, _weekend, ("weekend", "周末", "週末", "星期末", "礼拜末")),
    Rule(
        SO_FAR,
        _so_far,
        ("this year", "he year", "o date", "o-date", "YTD", "o-Date", "o far", "年内"),
    ),
    Rule(THAT_YEAR, _mark("leave", SAME_YEAR), ("same year", "that year")),
)
