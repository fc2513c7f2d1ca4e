"""Chinese numerals as people write amounts: 一万二, 三百多, 上万, 几十.

`sources.calendar` reads the numerals of dates. Amounts are looser: the last digit may lack its unit, and a word may
say that there is more. What is read is the lower bound, and nothing where the text gives none.
"""

from __future__ import annotations

import re

from sources.calendar import ZH_BIG_UNITS, ZH_DIGITS, ZH_NUMERAL, ZH_UNITS, parse_zh_numeral

MORE = "多余餘几幾来來"
"""Characters behind a numeral that say that there is more."""
_UNITS = ZH_UNITS | ZH_BIG_UNITS
_TENS = "十拾"
_ABOUT = "大约|大約|大概|差不多|将近|將近|接近|至少|超过|超過|突破|高达|高達|多达|多達|约|約|近|超|逾|上|过|過|破|满|滿|达|達"
_AMOUNT = re.compile(
    rf"(?P<about>{_ABOUT})?(?P<few>好?[几幾数數])?(?P<number>[{ZH_NUMERAL}]+)(?:(?P<more>[{MORE}]|\+)"
    rf"(?P<big>[{''.join(ZH_BIG_UNITS)}]{{0,2}}))?\+?(?:以上)?"
)
_DIGIT = "".join(char for char, value in ZH_DIGITS.items() if value)
_RANGE = re.compile(rf"[{_DIGIT}]{{2}}[{''.join(_UNITS)}]|[{''.join(_UNITS)}][{_DIGIT}]{{2}}")
"""Two digits beside one unit: 两三千 is two or three thousand."""


def read_amount(text: str) -> int | None:
    """The lower bound of an amount in Chinese numerals; None when the text is no amount, a range or a bare unit.

    近百 is read as the number that it is near. A unit alone, such as 万, has lost its number unless a word says that
    it is one unit: 上万, 万余, 几万.
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    number = found["number"]
    unit = number[0] in _UNITS
    if _RANGE.search(number) or (found["few"] and not unit):
        return None
    if unit and number[0] not in _TENS and text == number:
        return None
    value = _colloquial("一" + number if unit else number)
    for char in found["big"] or "":
        value *= ZH_BIG_UNITS[char]
    return value


def _colloquial(number: str) -> int:
    """Value of a numeral whose last digit may lack its unit, the next below the one before: 一万二, 三千五."""
    last = ZH_DIGITS.get(number[-1], 0)
    unit = _UNITS.get(number[-2:-1], 0)
    if last and unit > 10:
        return parse_zh_numeral(number[:-1]) + last * unit // 10
    return parse_zh_numeral(number)
