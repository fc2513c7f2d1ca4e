"""Letters without what writers leave out: accents, letters of one language, width, traditional forms.

"São Paulo" is "Sao Paulo" and 蔣韋駱 is 蒋韦骆 to everybody who reads them, so guesses are graded and names are spelt in
the folded form too. The folded text may be longer than the text; where positions matter `match.fold` is used.
"""

from __future__ import annotations

import unicodedata

_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ß": "ss", "ẞ": "SS", "ı": "i",
     "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T"}
)  # fmt: skip
"""Latin letters that no decomposition takes apart."""
_ACCENTS = ("\u0300", "\u036f")


def unaccented(text: str) -> str:
    """The text with its accents taken off and Latin letters spelt in ASCII; case, width and other scripts stay."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    bare = "".join(char for char in apart if not _ACCENTS[0] <= char <= _ACCENTS[1])
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def folded(text: str) -> str:
    """The text in one width and in lower case, without accents, its Chinese in simplified characters."""
    wide = unicodedata.normalize("NFKC", text)
    if wide.isascii():
        return wide.casefold()
    from factory.anonymise.expand import has_cjk
    from factory.anonymise.expand_zh import simplified

    plain = unaccented(wide)
    return unaccented((simplified(plain) if has_cjk(plain) else plain).casefold())
