"""Sentences of a text, each verbatim in it, in Chinese and English.

A name must not be cut: a capital with a point before another capital is an initial (Samuel L. Jackson) unless what
stands around it says that a sentence ends (Plan B. The council). Two sentences left together do no harm, half a name
is found by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        "mr mrs ms dr prof sen rep gov gen col lt st jr sr no vol art sec fig inc ltd co corp dept est "
        "vs etc e.g i.e a.m p.m u.s u.k u.n d.c jan feb mar apr jun jul aug sep sept oct nov dec "
        "adm maj sgt cpl capt cmdr brig rev hon fr messrs mme mlle supt wm chas geo thos jos",
    )
)
_OPEN_ENDED = frozenset(
    re.findall(
        r"\S+",
        "Mt Ft Ave Blvd Bros Univ Assn Calif Fla Ariz Ark Colo Conn Del Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont "
        "Neb Nev Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wyo Ala Ont Que Alta",
    )
)
"""Abbreviations that may close a sentence, too: they do where a word follows that opens one."""
_OPENERS = frozenset(
    re.findall(
        r"\S+",
        "a after all also although and as at because before both but by each even every everyone few finally first for from "
        "he her here his how however i if in indeed instead it its last later many meanwhile more most my no nobody none nor "
        "not nothing now of on once only or other others our perhaps she since so some soon still such that the their then "
        "there these they this those though thus to today two until we what when where whether which while who why with "
        "without yesterday yet you your",
    )
)
"""Words that open a sentence and are no surname."""
LETTERED = frozenset(
    re.findall(
        r"\S+",
        "plan part parts type types class grade group groups vitamin vitamins hepatitis influenza option options section "
        "sections appendix annex exhibit schedule phase series serie category team point item step building terminal zone "
        "level tier line chapter article table figure version variant model paragraph clause title volume war league stage "
        "generation gen unit pool pot column letter form protein factor case schedule site district platform",
    )
)
"""What is told apart by a letter: Plan B, hepatitis C, World War I."""
_SAYS_I = frozenset(re.findall(r"\S+", "am do did have had was will can would than as so nor"))
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_LAST = re.compile(r"[^\s\u3000-\u9fff\uff00-\uffef]+$")
_NEXT = re.compile(r"\s*[\"'“‘(]*([^\W\d_]+)(?![\w.])")
_END = re.compile(r"[。！？!?…]+[”’」』）)\"']*|\.+[\"'”’)]*(?=\s|$)")


def sentences(text: str, told_apart: Collection[str] = ()) -> list[str]:
    """Sentences in order, stripped; together they hold every word of the text.

    `told_apart` are further words in lower case that a letter follows, as in placeholders: Person A.
    """
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match[0].startswith("."):
            if _goes_on(text[start : match.start()], match[0], text[end : end + 40], told_apart):
                continue
        elif _inside(match[0], text[end : end + 2]):
            continue
        found.append(text[start:end].strip())
        start = end
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _goes_on(before: str, stop: str, after: str, told_apart: Collection[str]) -> bool:
    """Whether a point stands inside a sentence: behind an abbreviation, an initial, before a small letter."""
    tail = _LAST.search(before[-40:])
    last = tail.group().strip("(\"'“‘") if tail else ""
    following = after.lstrip()[:1]
    if last.lower() in _ABBREVIATIONS or (following and following.islower()):
        return True
    if len(stop) > 1 or not following:
        return False
    opener = _NEXT.match(after)
    opens = opener is not None and opener[1].lower() in _OPENERS
    if last in _OPEN_ENDED:
        return not opens
    if _INITIALS.fullmatch(last) is None:
        return len(last) == 1 and last.isalpha() and not following.isupper()
    nouns = before[-80:].split()[-2:-1]
    noun = nouns[0].strip("(\"'“‘*").lower() if nouns else ""
    lettered = noun in LETTERED or noun in told_apart or (last == "I" and noun in _SAYS_I)
    return not opens and not lettered


def _inside(stop: str, following: str) -> bool:
    """Whether a stop ends a quotation or a name inside a sentence that goes on."""
    if stop[0] in "!?…" and following.isascii() and following[:1].strip():
        return True
    if following[:1] == " " and following[1:].islower():
        return True
    return stop[-1] in "”’」』）)" and following[:1] in ("，", "、", "；", "的")
