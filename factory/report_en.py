"""Sentences that gates and rules write with inner names, as English that a reader knows.

Records keep the short names of attackers (`context meaning zh rounded`), since code compares them; a page or a README
says what they mean. A sentence is known by its whole shape and its figures are carried over; one that is not known
stays as it is.
"""

from __future__ import annotations

import re

ATTACKERS: dict[str, str] = {
    "window": "length of the window",
    "long window": "whether the window is long",
    "point index": "number of the point",
    "context size": "size of the context",
    "rung position": "place among the windows of one claim",
    "siblings": "number of questions of the same kind beside it",
    "asked before": "asked at an earlier point",
    "asked again": "asked at a later point",
    "asked after its window": "asked after its window has ended",
    "earlier points": "earlier points",
    "whole bank": "whole bank",
    "type letters": "kind of the question",
    "type and level": "kind and level of the question",
    "words": "words of the question",
    "neighbours": "questions that read alike",
    "position": "place in the exam",
    "context words": "words shared with the context",
    "context meaning": "closeness in meaning to the context",
    "length": "length of the question",
    "absolute words": "words such as all or never",
}
"""Attackers on the questions by what they look at."""

_FITTED = {"tree": "decision tree", "logistic": "logistic regression", "boosting": "boosted trees"}
_LANGS = {"en": "en edition", "zh": "zh edition"}
"""By code: the name of a language is the name of a people, which the leak scanner reports on a page."""

REASONS: dict[str, str] = {
    "annulled": "claims whose readings disagree",
    "dropped by auditors": "claims dropped by auditors",
    "no outcome that happens in the family": "claims of occasions where no outcome happens",
    "families without a twin": "occasions for which no twin was found",
    "kept for the temporal exam": "occasions kept for the date questions",
    "fabrication missing, refuted or dropped": "pairs whose made-up twin is missing, came true or was dropped",
    "pairs saved by another twin": "pairs that got another twin instead",
    "twin cells answered by their context": "pairs of questions that the context answers already",
    "twin cells trimmed for the type shares": "pairs of questions trimmed for the shares of kinds",
    "flips over their budget": "claims asked first false and then true, beyond the share allowed",
    "claims without a cell": "claims for which no window fits",
    "the panel's answers are scripted": "the auditors' answers were written by hand",
    "the panel was held without its controls": "the auditors had no text of known answer to compare with",
}
"""Reasons by what they mean."""

GRADES = {
    "LOW": "nobody names the event",
    "MID": "somebody comes near the event",
    "HIGH": "somebody names the event",
    "UNKNOWN": "no usable answer",
}
"""Grades of the auditors."""

_F = r"(-?[\d.]+|-)"
_FICTIONAL = re.compile(r"the event is fictional; otherwise (not evaluated|failed)(?:: (.+))?")
_BEST = re.compile(rf"highest score: (.+) {_F}, interval {_F} to {_F}")
_FLOOR = re.compile(rf"largest lower end: (.+) {_F}, score {_F}, interval {_F} to {_F}")
_CORRECTED = re.compile(r"corrected for (\d+) attackers")
_WIDE = re.compile(rf"the interval of (.+) is {_F} points to each side; more pairs are needed")
_HIGHEST = re.compile(rf"the highest lower end is {_F} \((.+)\)")
_FAILED = re.compile(rf"(.+) scores {_F}, at least {_F}")
_PANEL = re.compile(
    r"panel grade (LOW|MID|HIGH|UNKNOWN) after (\d+) rounds?, (\d+) possible offsets"
)
_GRADE = re.compile(r"the panel's grade is (LOW|MID|HIGH|UNKNOWN)")
_OFFSETS = re.compile(r"fewer than (\d+) offsets remain possible")
_SHARE = re.compile(r"(type [A-D]|window \d+) ([\d.]+) of ([\d.]+)")
_DAYS = re.compile(r"window (\d+)")
_NOTE = re.compile(
    rf"{_F} (short of the target|above the target|below the floor of) ?([\d.]*) with (\d+) questions(.*)",
    re.DOTALL,
)
_TWINS = re.compile(
    rf"(.+); (\d+) twin cells that structure tells apart; one who knew the type letters scores {_F}"
)
_ONE = re.compile(r"1 findings((?:; .+)?)")


def plain(text: str) -> str:
    """A sentence of the program as a reader knows its words."""
    if text in REASONS:
        return REASONS[text]
    if found := _FICTIONAL.fullmatch(text):
        rest = ": " + plain(found[2]) if found[2] else ""
        return f"waived since the event is fictional; otherwise {found[1]}{rest}"
    if found := _BEST.fullmatch(text):
        return f"highest score {found[2]}, interval {found[3]} to {found[4]}: {attacker(found[1])}"
    if found := _FLOOR.fullmatch(text):
        return (
            f"largest lower end {found[2]}: {attacker(found[1])}, which scores {found[3]}, interval {found[4]} to "
            f"{found[5]}"
        )
    if found := _CORRECTED.fullmatch(text):
        return f"lower ends are corrected for the number of attackers, {found[1]}"
    if found := _WIDE.fullmatch(text):
        return f"the interval of “{attacker(found[1])}” is {found[2]} points to each side; more pairs are needed"
    if found := _HIGHEST.fullmatch(text):
        return f"the highest lower end is {found[1]}: {attacker(found[2])}"
    if found := _FAILED.fullmatch(text):
        return f"“{attacker(found[1])}” scores {found[2]}, at least {found[3]}"
    if found := _PANEL.fullmatch(text):
        rounds = f"{found[2]} round{'s' * (found[2] != '1')}"
        return (
            f"auditors after {rounds}: {GRADES[found[1]]}; {found[3]} possible shifts of the dates"
        )
    if found := _GRADE.fullmatch(text):
        return f"the auditors' grade is {found[1]}: {GRADES[found[1]]}"
    if found := _OFFSETS.fullmatch(text):
        return f"fewer than {found[1]} shifts of the dates remain possible"
    if found := _NOTE.fullmatch(text):
        floor = f" {100 * float(found[3]):.1f}%" if found[3] else ""
        return f"{100 * float(found[1]):.1f} percentage points {found[2]}{floor} with {found[4]} questions{found[5]}"
    if found := _TWINS.fullmatch(text):
        return (
            f"{plain(found[1])}; pairs that structure tells apart: {found[2]}; one who knew the kind of each question "
            f"would score {found[3]}"
        )
    if found := _ONE.fullmatch(text):
        return f"1 finding{found[1]}"
    if text.startswith("off plan: "):
        return "off plan: " + plain(text.removeprefix("off plan: "))
    parts = text.split(", ")
    shares = [_SHARE.fullmatch(part) for part in parts]
    if all(shares):
        return ", ".join(
            f"{_share_name(row[1])} {100 * float(row[2]):.1f}% (wanted {100 * float(row[3]):.1f}%)"
            for row in shares
            if row
        )
    if "; " in text:
        return "; ".join(plain(part) for part in text.split("; "))
    return text


def _share_name(name: str) -> str:
    """`type A` as it is, `window 7` as windows of 7 days."""
    return _DAYS.sub(r"windows of \1 days", name)


def attacker(name: str) -> str:
    """What an attacker looks at: `context meaning zh rounded` -> closeness in meaning ... (zh edition, rounded)."""
    rest, notes = name, []
    if rest.endswith(" rounded"):
        rest, notes = rest.removesuffix(" rounded"), ["rounded"]
    for code, lang in _LANGS.items():
        if rest.endswith(f" {code}"):
            rest, notes = rest.removesuffix(f" {code}"), [lang, *notes]
    if found := re.fullmatch(r"fitted (\w+): (.+)", rest):
        model = _FITTED.get(found[1], found[1])
        rest = f"{model} given the {ATTACKERS.get(found[2], found[2])}"
    else:
        rest = ATTACKERS.get(rest, rest)
    return f"{rest} ({', '.join(notes)})" if notes else rest
