"""Weekdays that name no day of the calendar: habits ("Fridays", "every Friday", 每周五) and names ("Bloody Sunday").

A habit stays true over whole weeks and is left in its words; over any other offset it would name another weekday, and
which days a service runs or a faith prays is known, so a person must look. A name is a doubt under every offset.
"""

from __future__ import annotations

import re

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import TO
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.dates_zh_words import WEEK
from factory.anonymise.intervals import Frame, Mention
from sources.calendar import EN_WEEKDAYS

RECURRENCE = "recurrence"
_FORMS = tuple(form for w in EN_WEEKDAYS for form in (w.capitalize(), w, w.upper()))
_WDAY = f"(?:{'|'.join(_FORMS)})"
_AND = rf"(?:,? and |,? or | & |, |/|{TO}| ?[-–—] ?)"
_MORE = rf"(?:{_AND}(?:[Ee]very |[Ee]ach )?{_WDAY}[sS]?(?![A-Za-z]))"
_OFTEN = ("every", "each", "other", "second", "third", "single", "alternate")
EVERY = re.compile(
    rf"\b(?:[Ee]very|[Ee]ach)(?: (?:{'|'.join(_OFTEN[2:])}))? {_WDAY}[sS]?(?![A-Za-z]){_MORE}*"
    rf"|\b(?:[Tt]he )?(?:[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ll]ast) {_WDAY} (?:of|in) (?:every|each) month\b",
    re.ASCII,
)
_RUNS = (
    "service", "schedule", "timetable", "shift", "trains", "buses", "ferries", "flights", "opening", "hours", "routine",
    "office hours", "working week", "work week", "workweek", "slot", "rota", "commute", "classes",
)  # fmt: skip
WEEK_LONG = re.compile(
    rf"(?<![A-Za-z#@-]){_WDAY}(?:{TO}|[-–—]|,? and | & ){_WDAY}(?= (?:{'|'.join(_RUNS)})\b)",
    re.ASCII,
)
_TIMES = ("nights", "mornings", "afternoons", "evenings")
_RITES = ("prayer", "sermon", "Mass", "roast")
"""What is held on its weekday in every week, and may be that of one."""
TIMES = re.compile(rf"(?<![A-Za-z#@-]){_WDAY} (?:{'|'.join(_TIMES)})\b", re.ASCII)
RITE = re.compile(rf"(?<![A-Za-z#@-]){_WDAY} (?:{'|'.join(_RITES)})s?\b(?! [A-Z][a-z])", re.ASCII)
_NAMES = (
    "Bloody", "Black", "Super", "Cyber", "Giving", "Good", "Holy", "Ash", "Palm", "Shrove", "Fat", "Maundy", "Whit", "Spy",
    "Blue", "Red", "White", "Green", "Grey", "Gray", "Golden", "Silver", "Dark", "Wild", "Mad", "Magic", "Manic", "Ruby",
    "Freaky", "Crazy", "Silent", "Stormy", "Cold", "Terrible", "Trinity", "Passion", "Advent", "Remembrance", "Mothering",
    "Pancake", "Plough", "Low", "Bright", "Orange", "Glorious",
)  # fmt: skip
NAMED_DAY = re.compile(
    rf"\b(?:{'|'.join(_NAMES)}) (?:{'|'.join(w.capitalize() for w in EN_WEEKDAYS)})s?\b", re.ASCII
)

_COUNT = f"每个?(?:{WEEK})[一二两三四五六七八九十几]{{1,2}}(?:[至到、—-][一二两三四五六七八九十]{{1,2}})?(?=次|天(?!主)|趟|回(?![应家国复来])|顿)"
_D = "[一二三四五六日天末]"
_ZH_MORE = rf"(?:(?:[、/和及与或]|[至到]|[-—–~～])(?:每?个?(?:{WEEK}))?[一二三四五六日天])*"
ZH_EVERY = re.compile(
    rf"(?!{_COUNT})(?:每(?:逢|到|一?个|隔一?个?)?|(?<![相重萍再遭适遇])逢|隔)(?:{WEEK}){_D}{_ZH_MORE}"
    rf"|每个?月的?(?:第[一二三四五]|最后一?)个?(?:{WEEK})[一二三四五六日天]"
)
_ZH_RUNS = re.compile("的?(?:每[天日]|上班|开放|营业|办公|工作日|对外|运行|上课|班次)")
_ZH_RITES = re.compile("的?(?:聚礼|主麻|祈祷|祷告|弥撒)")
ZH_COUNT = re.compile(_COUNT)
"""每周一次 tells how often."""
_ZH_NAMES = (
    "黑色", "血色", "血腥", "流血", "超级", "网络", "蓝色", "红色", "白色", "灰色", "疯狂", "受难", "棕枝", "神奇", "圣"
)  # fmt: skip
ZH_NAMED_DAY = re.compile(rf"(?:{'|'.join(_ZH_NAMES)})(?:{WEEK})[一二三四五六日天](?![年围边])")


def recurring(found: re.Match[str], frame: Frame) -> Mention:
    """A habit: left over whole weeks, else a doubt."""
    if frame.offset % 7 == 0:
        return iv.kept(found, RECURRENCE)
    return iv.flagged(found, RECURRENCE)


def zh_habit(found: re.Match[str], frame: Frame, *, several: bool) -> Mention | None:
    """One or `several` Chinese weekdays before what is held in every week; None for days of the calendar."""
    if several and _ZH_RUNS.match(found.string, found.end()):
        return recurring(found, frame)
    return _rite(found, frame) if _ZH_RITES.match(found.string, found.end()) else None


def _rite(found: re.Match[str], frame: Frame) -> Mention | None:
    """Friday prayers are those of one week or of all: over whole weeks the weekday is read like any other."""
    return None if frame.offset % 7 == 0 else iv.flagged(found, RECURRENCE)


def _counted(found: re.Match[str], _frame: Frame) -> Mention:
    return iv.kept(found, RECURRENCE)


def _named(found: re.Match[str], _frame: Frame) -> Mention:
    return iv.flagged(found, "date in a name")


_CAPITAL = tuple(w.capitalize() for w in EN_WEEKDAYS)
_WEEKS = tuple(WEEK.split("|"))
RULES = (
    Rule(EVERY, recurring, pairs(pairs([w[-3:] for w in (*_OFTEN, "first", "fourth", "last")], " "), _FORMS), reach=(24, 120)),
    Rule(WEEK_LONG, recurring, pairs((*pairs((" to", " through", " and", " until", " &"), " "), "-", "–", "—"), _FORMS), reach=(12, 28)),
    Rule(TIMES, recurring, pairs(("day ", "DAY "), _TIMES), reach=(9, 4)),
    Rule(RITE, _rite, pairs(("day ", "DAY "), _RITES), reach=(9, 8)),
    Rule(NAMED_DAY, _named, pairs(pairs(_NAMES, " "), _CAPITAL), reach=(0, 4)),
    Rule(ZH_EVERY, recurring, ("每", "逢", "隔"), reach=(1, 32)),
    Rule(ZH_COUNT, _counted, ("每",), reach=(0, 14)),
    Rule(ZH_NAMED_DAY, _named, pairs(_ZH_NAMES, _WEEKS), reach=(0, 6)),
)  # fmt: skip
"""A weekday in the plural is read with the weekdays of `dates_en_units`."""
