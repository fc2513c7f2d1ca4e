"""English words that count from the day of the text by two steps: a weekday of a week, a period of last year.

"Friday next week" names a day, of which whole weeks keep the words true; any other offset moves weekday and week
together. "The same period last year" names the day of the text less a year, and goes on doing so after any shift.
Short weekdays (Wed, thurs) stay where whole weeks keep them true and are a doubt elsewhere.
"""

from __future__ import annotations

import re
from datetime import timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import MONTH_NAME, case_like
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import EN_WEEKDAY_NUMBER, EN_WEEKDAYS

_FORMS = tuple(form for w in EN_WEEKDAYS for form in (w.capitalize(), w, w.upper()))
_WDAY = "|".join((*_FORMS, *("Mon", "Tues?", "Weds?", "Thur?s?", "Fri", "Sat", "Sun")))
_WEEK = r"(?:(?P<rel>[Ll]ast|[Tt]his|[Nn]ext)|[Tt]he (?P<rel2>coming)) week"
DAY_OF_WEEK = re.compile(
    rf"(?<![A-Za-z#@-])(?P<w>{_WDAY})(?:\.|\b)(?P<g> (?:of )?){_WEEK}\b(?!['’]s)", re.ASCII
)
WEEK_DAY = re.compile(rf"\b{_WEEK}(?P<s>['’]s)? (?P<w>{_WDAY})\b", re.ASCII)
_WEEK_STEPS = {"last": -1, "this": 0, "next": 1, "coming": 1}
_WEEK_WORDS = {
    -2: "the week before last",
    -1: "last week",
    0: "this week",
    1: "next week",
    2: "the week after next",
}
THIS_DAY = re.compile(
    rf"\b[Tt]his (?:coming )?(?P<w>{'|'.join(_FORMS)})\b(?!,? (?:the )?(?:\d|{MONTH_NAME}))",
    re.ASCII,
)

_SURE = "Mon|Tues?|Weds|Thur?s?|Fri|tues|weds|thurs?|fri"
_UNSURE = "Wed|Sat|Sun|mon|wed|sat|sun"


def _behind(*words: str) -> str:
    return "(?:" + "|".join(rf"(?<=\b{word} )" for word in words) + ")"


SHORT_DAY = re.compile(
    rf"(?<![\w@#$./-])(?:(?:{_SURE})\b(?!['’]\w|-[a-z]| [A-Z][a-z])\.?"
    rf"|{_behind('[Oo]n', '[Bb]y', 'next', 'last', 'this', 'every', 'you', 'since', 'until', 'til', 'before')}(?:Wed|Sat|Sun)\b\.?(?! [A-Z])"
    rf"|{_behind('on', 'by', 'next', 'last', 'every', 'or')}(?:mon|wed)\b|{_behind('on', 'next', 'last')}(?:sat|sun)\b"
    rf"|(?:{_UNSURE})\b\.?(?=,? (?:night|morning|afternoon|evening|noon|at \d|\d{{1,2}}(?::\d\d| ?[ap]\.?m))|,? and (?:{_SURE}|{_UNSURE})\b)"
    rf"|(?:Wed|Sat|Sun)\b\.?(?= ?[-–—/&] ?(?:{_SURE}|{_UNSURE})\b)|(?<=[-–—/&])(?:Wed|Sat|Sun)\b|{_behind('and')}(?:Wed|Sat|Sun)\b(?! [A-Z])"
    r"|Wed\b\.?(?=[.,;:!?)]|$)|(?:Wed|Sat|Sun)\.(?=,| [a-z]))",
    re.ASCII,
)
"""Mon, Thurs and the like are nothing else; Wed, Sat and Sun are words and names, too."""

_OF_LAST = r"(?:(?:the )?(?:last|next|previous|prior|preceding|following) year|a year (?:ago|earlier|before)|(?:last|next) (?:month|quarter|week))\b(?!['’]s)"
_PERIOD = "(?:periods?|time|months?|weeks?|days?|dates?|points?|stage|weekend|quarters?|half|stretch|season)"
SAME_PERIOD = re.compile(
    rf"\b(?:(?:[Tt]he |[Tt]hat |[Tt]his )?(?:same|corresponding|comparable|equivalent|matching) (?:[a-z]+-month |holiday )?{_PERIOD},? (?:of |in |during )?{_OF_LAST}"
    rf"|[Tt]his (?:time|day|date|week|month|quarter|point|weekend) (?:of |in )?{_OF_LAST}"
    rf"|(?:[Ll]ast|[Nn]ext) year['’]s (?:same|corresponding|comparable|equivalent) {_PERIOD}\b)",
    re.ASCII,
)
"""One unit from the day of the text, on which the text says where it stands."""
SAME_OF_YEAR = re.compile(
    rf"\b[Ss]ame {_PERIOD} (?:of |in |during )?(?P<y>(?:19|20)\d\d)\b", re.ASCII
)


def _of_week(found: re.Match[str], frame: Frame) -> Mention | None:
    """A weekday of last, this or next week. A Sunday begins the week of some and ends that of others."""
    written, step = found["w"], _WEEK_STEPS[(found["rel"] or found["rel2"]).lower()]
    number = EN_WEEKDAY_NUMBER[written.lower()]
    monday = frame.anchor - timedelta(days=frame.anchor.weekday())
    day = monday + timedelta(days=7 * step + number)
    to = day + timedelta(days=frame.offset)
    part = Part(found.start("w"), found.end("w"), iv.day_ref(to, "weekday"))
    if frame.offset % 7 == 0:
        if written.lower() not in EN_WEEKDAYS:
            return iv.kept(found, "weekday")
        return iv.compound(found, found.group(), "weekday", [part])
    apart = (
        (to - timedelta(days=to.weekday())) - (frame.moved - timedelta(days=frame.moved.weekday()))
    ).days // 7
    words = _WEEK_WORDS.get(apart)
    if 6 in (number, to.weekday()) or words is None or written.lower() not in EN_WEEKDAYS:
        return iv.flagged(found, "a weekday of another week")
    name = case_like(written, EN_WEEKDAYS[to.weekday()])
    if found.re is DAY_OF_WEEK:
        week = Part(found.end("g"), found.end(), words)
        return iv.compound(found, f"{name}{found['g']}{words}", "weekday", [part, week])
    if abs(apart) == 2:
        return iv.flagged(found, "a weekday of another week")
    if found.group()[0].isupper():
        words = words.capitalize()
    words += found["s"] or ""
    week = Part(found.start(), found.end("s") if found["s"] else found.start("w") - 1, words)
    return iv.compound(found, f"{words} {name}", "weekday", [week, part])


def _this_day(found: re.Match[str], frame: Frame) -> Mention | None:
    """This Friday is of the week of the text, which a part of a week may leave."""
    if frame.offset % 7 == 0:
        return None
    number = EN_WEEKDAY_NUMBER[found["w"].lower()]
    to = (number + frame.offset) % 7
    moved = frame.moved.weekday() + number - frame.anchor.weekday()
    if 0 <= moved <= 6 and 6 not in (number, to):
        return None
    return iv.flagged(found, "a weekday of another week")


_DATED = re.compile(rf"\.?,? (?:\d|{MONTH_NAME})", re.ASCII)


def _short_day(found: re.Match[str], frame: Frame) -> Mention | None:
    """The mention holds an "on" before it, unless it may be the head of a date."""
    whole = frame.offset % 7 == 0
    mention = iv.kept(found, "weekday") if whole else iv.flagged(found, "short weekday")
    lead = found.string[max(found.start() - 3, 0) : found.start()]
    if lead.lower() != "on " or _DATED.match(found.string, found.end()):
        return mention
    start = found.start() - 3
    return mention._replace(start=start, surface=found.string[start : found.end()])


def _same_period(found: re.Match[str], _frame: Frame) -> Mention | None:
    return iv.kept(found, "same period")


def _same_of_year(found: re.Match[str], frame: Frame) -> Mention | None:
    """The year of a comparison is true while the text stays in its year."""
    if frame.moved.year == frame.anchor.year:
        return iv.kept(found, "same period")
    return iv.flagged(found, "same period of a year")


_WEEKS = (" last week", " this week", " next week", "coming week", "ast week", "his week", "ext week")  # fmt: skip
_UNITS = (
    "period",
    "time",
    "month",
    "week",
    "day",
    "date",
    "point",
    "stage",
    "quarter",
    "half",
    "stretch",
    "season",
)
_CAPITAL = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LOWER = ("mon", "wed", "sat", "sun")
_OPENED = pairs((" ", "(", "-", "–", "—", "/", "&", '"', "“"), (*_CAPITAL, "fri"))
_CLOSED = (
    *pairs(_CAPITAL, (" ", ".", ",", "!", "?", "/", "-", "–")),
    *("tues", "weds", "thur"),
    *pairs(
        _LOWER, (" night", " morning", " afternoon", " evening", " noon", " at ", " and ", ", ")
    ),
    *pairs(_LOWER, (f" {n}" for n in range(1, 10))),
)
_LED = pairs(("on ", "by ", "xt ", "st ", "ry ", "or "), _LOWER)
"""A short weekday with what stands beside it: alone it begins too many words. Each is tried at one place only."""
RULES = (
    Rule(DAY_OF_WEEK, _of_week, _WEEKS, reach=(28, 8)),
    Rule(WEEK_DAY, _of_week, _WEEKS, reach=(8, 24)),
    Rule(THIS_DAY, _this_day, pairs(("his ", "ing "), _FORMS), reach=(12, 12)),
    Rule(SHORT_DAY, _short_day, _OPENED, reach=(-1, 24), lead=1),
    Rule(SHORT_DAY, _short_day, _CLOSED, reach=(0, 24)),
    Rule(SHORT_DAY, _short_day, _LED, reach=(-3, 24), lead=3),
    Rule(
        SAME_PERIOD,
        _same_period,
        (
            *pairs(("same ", "ponding ", "parable ", "ivalent ", "tching ", "-month ", "oliday "), _UNITS),
            *pairs(pairs(("his ",), _UNITS), (" of", " in", " last", " next", " a year", " the")),
            "his weekend ",
            "same weekend",
        ),
        reach=(44, 56),
    ),
    Rule(
        SAME_OF_YEAR,
        _same_of_year,
        pairs(pairs(("period", "time", "month", "quarter", "half"), (" of ", " in ", " ")), ("19", "20")),
        reach=(16, 4),
    ),
)  # fmt: skip
