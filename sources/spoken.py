"""The language of a post whose author or platform names one: believed unless the text contradicts it.

Authors set a language once and then write in another, and platforms guess. A long text speaks for itself; a short
one that could be in the named language is taken for it.
"""

from __future__ import annotations

import re
from typing import Literal

from sources.language import language

Language = Literal["en", "zh", "other", "unknown"]
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LATIN_WORD = re.compile(r"[a-z\u00c0-\u024f']+", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+|[@#]\w+")
_FEW_WORDS = 6
"""Latin words below which English is not told from its neighbours."""
_FEW_HAN = 12
"""Han characters below which a text without kana may still be Japanese."""
_HAN_WRITTEN = frozenset({"zh", "ja", "yue", "cmn", "wuu", "nan", "hak"})
_CHINESE = _HAN_WRITTEN - {"ja"}
_NOT_LATIN = _HAN_WRITTEN | {
    "ko", "ru", "uk", "bg", "be", "sr", "mk", "el", "ar", "fa", "ur", "he", "yi", "hi", "mr", "ne", "bn", "pa",
    "gu", "ta", "te", "kn", "ml", "si", "th", "lo", "my", "km", "ka", "hy", "am", "dv", "bo", "ug", "sd", "ps",
}  # fmt: skip
_UNSAID = frozenset({"", "und", "zxx", "qme", "qst", "qht", "qam", "qct", "art"})
"""Codes that name no language: undetermined, no words, and the Q codes of X for links, tags and mentions."""


def spoken(text: str, said: object) -> Language:
    """The language of a text given the BCP 47 code that came with it, any case, `zh-Hant` and `zh_TW` alike."""
    found = language(text)
    code = re.split("[-_]", said.lower())[0] if isinstance(said, str) else ""
    if code in _UNSAID or found == "unknown":
        return found
    named: Language = "en" if code == "en" else "zh" if code in _CHINESE else "other"
    words = _LINK.sub(" ", text)
    han, latin = len(_HAN.findall(words)), len(_LATIN_WORD.findall(words))
    if _KANA.search(words):
        return found
    if han and not latin:
        return named if code in _HAN_WRITTEN and han < _FEW_HAN else found
    if latin and not han and latin < _FEW_WORDS:
        return found if code in _NOT_LATIN else named
    return found
