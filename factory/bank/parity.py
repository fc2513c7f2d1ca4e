"""What a translation must keep: the same people, places, days and figures, in the other language, whole.

Translations are compared as segments, so that a reference is a reference and 1.2万 is 12,000. What code can see
is checked here; meaning is the translator's and the reviewer's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection

from factory.bank.clause import CJK, ClauseError, clause
from factory.segments import (
    TOKEN,
    TokenError,
    date_refs,
    entity_refs,
    from_tokens,
    numbers,
    to_tokens,
)
from schemas import Lang, SegmentText


def _clock(match: re.Match[str]) -> str:
    """A time of day as one figure, hours and minutes: 10.30 p.m., 22:30 and 晚上10时30分 are 2230."""
    group = match.groupdict()
    hour = int(group["h"])
    minute = 30 if group.get("half_past") else int(group.get("m") or 0)
    late = (
        (group.get("half") or "").lower() == "p"
        or (group.get("part") or "") in _LATE
        or group.get("daytime") in ("afternoon", "evening")
    )
    if late and hour < 12:
        hour += 12
    if (group.get("half") or "").lower() == "a" and hour == 12:
        hour = 0
    return f" {hour * 100 + minute} "


_LATE = ("中午", "下午", "傍晚", "晚上", "晚间", "夜间", "夜里", "当晚", "晚")
_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z'’-]+(?:[ ,]+[A-Za-z][A-Za-z'’-]+){2,}")
_FULL_WIDTH = re.compile(r"[，。！？；：“”、（）《》]")
_SPELLINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            r"(?<![\d.])(?P<h>\d{1,2})(?:[.:](?P<m>[0-5]\d))? ?(?P<half>[aApP])\.?[mM]\b\.?"
        ),
        _clock,
    ),
    (
        re.compile(
            r"(?<![\d.])(?P<h>\d{1,2})[.:](?P<m>[0-5]\d)(?= in the (?P<daytime>morning|afternoon|evening)\b)"
        ),
        _clock,
    ),
    (
        re.compile(r"\bfrom (?P<h>\d{1,2}) to (?P<end>\d{1,2}) hours\b"),
        lambda m: f"from {int(m['h']) * 100} to {int(m['end']) * 100} hours",
    ),
    (re.compile(r"(?<![\d:])(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?![\d:])"), _clock),
    (
        re.compile(
            r"(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|晚间|夜间|夜里|当晚|晚)?"
            r"(?<![\d.])(?P<h>\d{1,2})[时点](?!间|代|期|长)(?:(?P<m>[0-5]?\d)分|(?P<half_past>半))?"
        ),
        _clock,
    ),
    (re.compile(r"(?<=\d)\s*(?:per ?cent|percent|个?百分点|percentage points?)"), "%"),
    (re.compile(r"百分之(\d+(?:\.\d+)?)"), r"\1%"),
    (re.compile(r"(?<=\d)\s*百万"), " million"),
    (re.compile(r"(\d+(?:\.\d+)?)\s*千万"), lambda m: f"{float(m.group(1)) * 10:g} million"),
    (re.compile(r"(?<=\d)\s*千(?![米克瓦])"), " thousand"),
    (re.compile(r"(?<=\d)\s*(?:万亿|trillion)"), " "),
    (re.compile(r"(?<!\d)\d{1,2}(?=\s*月(?!饼))"), ""),
)
RATIO: dict[Lang, tuple[float, float]] = {"zh": (0.12, 1.2), "en": (0.8, 8.0)}
"""Length of a translation into the language as a share of its source: English takes 2 to 4 letters for a
Chinese character; outside these bounds something is missing or added."""
SLACK = 12
"""Characters by which the bounds are widened, for very short texts."""


class ParityError(ValueError):
    """A translation lost, added or left something; the message says what, for the translator."""


def translated(
    text: str,
    source: SegmentText,
    target: Lang,
    known: Collection[tuple[str, str]],
    *,
    is_claim: bool,
) -> SegmentText:
    """A translation as segments. Raises ParityError with the first problem."""
    words = " ".join(text.split())
    if not words:
        raise ParityError("the translation is empty")
    try:
        # Only a claim is a clause; sentences of the timeline keep dates and full stops.
        result = clause(words, target, known) if is_claim else from_tokens(words, known)
    except ClauseError as error:
        raise ParityError(f"the translated clause {error}") from error
    except TokenError as error:
        raise ParityError(str(error)) from error
    _same("references", _refs(source), _refs(result))
    _same("dates", _dates(source), _dates(result))
    _same("figures", figures(source), figures(result))
    _check_language(TOKEN.sub(" ", to_tokens(result)), to_tokens(source), target)
    _check_length(TOKEN.sub("", to_tokens(result)), TOKEN.sub("", to_tokens(source)), target)
    return result


def _check_language(words: str, source: str, target: Lang) -> None:
    if target == "en":
        if left := CJK.search(words):
            raise ParityError(f"Chinese is left in the translation: {left.group()}")
        if left := _FULL_WIDTH.search(words.replace("“", "").replace("”", "")):
            raise ParityError(f"Chinese punctuation is left in the translation: {left.group()}")
    else:
        if any(map(str.isalpha, TOKEN.sub("", source))) and not CJK.search(words):
            raise ParityError("the translation holds no Chinese")
        if left := _LATIN_RUN.search(words):
            raise ParityError(f"English is left in the translation: {left.group()[:60]}")


def _check_length(words: str, source: str, target: Lang) -> None:
    if words.rstrip().endswith(("...", "…")) and not source.rstrip().endswith(("...", "…")):
        raise ParityError("the translation breaks off")
    low, high = RATIO[target]
    if len(words) + SLACK < low * len(source):
        raise ParityError("the translation is too short to be whole")
    if len(words) > high * len(source) + SLACK * high:
        raise ParityError("the translation says more than its source")


def figures(text: SegmentText) -> Counter[str]:
    """Multiset of figures by value, as both languages write them.

    Month numbers are left out, because English names months in words; per cent, thousands, millions and
    trillions are read in both languages' spellings.
    """
    words = to_tokens(text)
    for pattern, replacement in _SPELLINGS:
        words = pattern.sub(replacement, words)
    counted = numbers(from_tokens(words))
    return Counter({f"{value:.12g}": count for value, count in counted.items()})


def _refs(text: SegmentText) -> Counter[str]:
    return Counter(
        {f"⟦{code}:{label}⟧": count for (code, label), count in entity_refs(text).items()}
    )


def _dates(text: SegmentText) -> Counter[str]:
    return Counter({f"⟦{start}/{end}⟧": count for (start, end), count in date_refs(text).items()})


def _same(name: str, ours: Counter[str], theirs: Counter[str]) -> None:
    if ours != theirs:
        missing, added = sorted((ours - theirs).elements()), sorted((theirs - ours).elements())
        raise ParityError(
            f"the {name} differ: missing {', '.join(missing) or 'nothing'}, "
            f"added {', '.join(added) or 'nothing'}"
        )
