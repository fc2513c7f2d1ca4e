"""Bytes to text without silent mojibake, and HTML fragments to plain words.

Decoding tries what the bytes prove (byte order mark, valid UTF-8), then what was declared, then the Chinese
families, and marks a result that is soup instead of passing it on.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = (
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
    (b"{\x00", "utf-16-le"),
)
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "big5": "big5hkscs",
    "big5-tw": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "utf8": "utf-8",
}
"""Declared name -> the superset that browsers read it as."""
_META = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_\-]{3,30})""", re.IGNORECASE
)
_XML = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9_\-.:]{3,30})["']""")
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_\-]{3,30})""", re.IGNORECASE)
_MOJIBAKE = re.compile(
    "[ÂÃâãäåæçèéêëìíîïð][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014"
    "\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
"""UTF-8 read as Latin-1 or Windows-1252: a lead byte's letter and a continuation byte's sign."""
_GBK_SOUP = re.compile("[锛銆鐨鍦浜涓鏄鍙戜鍒鏂浠€鈥绗]|锟斤拷|烫烫烫|屯屯屯")
"""Frequent UTF-8 words read as GBK, and the marks of text that was lost on the way."""
_SCATTERED = re.compile(r"(?<=[A-Za-z])[\u4e00-\u9fff]{1,2}(?=[a-z])")
"""A Chinese character inside a Western word: two bytes of another alphabet read as one."""
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_MAX_SCATTERED = 0.3
"""Share of the runs of Chinese characters that may stand so."""
_SIGN_INSIDE = re.compile(r"(?<=[a-zà-ÿ])[¡-§©¬®¯±-´¶¸¹»-¿×÷](?=[a-zà-ÿ])")
"""A sign inside a word, where the alphabets of Central Europe have letters."""
_SIGNS = 2
"""Such signs from which a text is soup."""
_ACCENTED = re.compile("[À-ÖØ-öø-ÿ]")
_ACCENTED_RUN = re.compile("[À-ÖØ-öø-ÿ]{4,}")
"""Letters with accents in a row, which no Western word has: Cyrillic, Greek and the like."""
_FEW_ACCENTED = 8
"""Letters with accents below which nothing is told from them."""
_COMMON_HAN = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
    "這個為時來們於對會發動過說產種後學經國與將並從還開關應實現點問題資業區長員報導記者當進總結電視網"
    "新市政府公司表示日月今日本報記者香港台灣臺"
)
_MAX_REPLACED = 0.005
"""Share of U+FFFD above which a long text is soup."""
_FEW_REPLACED = 4
"""Lost characters that a short text may have: one broken byte of a double-byte text costs up to four."""
_MAX_OF_SHORT = 0.05
"""Share of U+FFFD above which a text of any length is soup."""


@dataclass(frozen=True)
class Decoded:
    """A text and how it was read."""

    text: str
    """Decoded text; soup when `ok` is false."""
    encoding: str
    """Python codec that was used."""
    ok: bool
    """False when the text is damaged beyond the gate."""
    note: str = ""
    """Why it is not, or what was mended."""


def _codec(name: str | None) -> str | None:
    if not name:
        return None
    name = name.strip().lower()
    name = _WIDER.get(name, name)
    try:
        return codecs.lookup(name).name if codecs.lookup(name)._is_text_encoding else None
    except LookupError:
        return None


def declared_encoding(data: bytes, content_type: str = "") -> str | None:
    """Codec named by the header, the XML declaration or a meta tag, widened as browsers do."""
    match = _CHARSET.search(content_type)
    head = data[:4096]
    names = [match[1] if match else None]
    names += [
        found[1].decode("ascii") for found in (_XML.search(head), _META.search(head)) if found
    ]
    return next((codec for codec in map(_codec, names) if codec), None)


def decode(data: bytes, content_type: str = "") -> Decoded:
    """Decode a body; never raises. `content_type` is the HTTP header, which may be empty or wrong."""
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _graded(data.decode(codec, errors="replace"), codec)
    for prefix, codec in _WIDE:
        if data.startswith(prefix):
            return _graded(data.decode(codec, errors="replace"), codec)
    declared = declared_encoding(data, content_type)
    if declared and declared.startswith("iso2022"):
        return _graded(data.decode(declared, errors="replace"), declared)
    if declared and declared.startswith(("utf-16", "utf-32")):
        declared = None  # without the byte pattern above the declaration is wrong
    try:
        return _graded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if declared in _ONE_BYTE and (chinese := _as_chinese(data)) is not None:
        return chinese
    if declared and declared != "utf-8":
        try:
            return _graded(*_likelier(data, data.decode(declared), declared))
        except UnicodeDecodeError:
            pass
    candidates = []
    for codec in dict.fromkeys(filter(None, ("gb18030", "big5hkscs", declared, "utf-8"))):
        text = data.decode(codec, errors="resynchronise")
        if codec in _CHINESE and _is_scattered(text):
            continue
        lost = text.count("\ufffd") / max(len(text), 1)
        bonus = 0.05 if codec == declared else 0.0
        candidates.append((_han_score(text) + bonus - 20 * lost, lost, codec, text))
    best = max(candidates, key=lambda row: row[0])
    if not _too_damaged(best[3]) and (_han_score(best[3]) > 0.1 or best[2] == declared):
        note = "damaged bytes were replaced" if best[1] else ""
        graded = _graded(best[3], best[2])
        return Decoded(graded.text, graded.encoding, graded.ok, graded.note or note)
    if declared in (None, "cp1252", "utf-8") and not _GBK_SOUP.search(best[3]) and _latin(data):
        return _graded(data.decode("cp1252", errors="replace"), "cp1252")
    return Decoded(best[3], best[2], False, "the encoding cannot be told")


_CHINESE = frozenset({"gb18030", "big5hkscs"})
_WESTERN = frozenset({"cp1252", "cp1254", "iso8859-15"})
_ONE_BYTE = _WESTERN | {"iso8859-2"}
"""Codecs that accept almost any bytes, so that their declaration proves nothing."""


def _as_chinese(data: bytes) -> Decoded | None:
    """The text in a Chinese codec when it is plainly Chinese; Western bytes read so give rare characters."""
    found = []
    for codec in ("gb18030", "big5hkscs"):
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if sum("\u4e00" <= char <= "\u9fff" for char in text) >= 8 and not _is_scattered(text):
            found.append((_han_score(text), codec, text))
    best = max(found, default=(0.0, "", ""))
    return _graded(best[2], best[1]) if best[0] > 0.1 else None


def _likelier(data: bytes, text: str, declared: str) -> tuple[str, str]:
    """A text in its declared codec, or in the other Chinese family when that one plainly reads better.

    The two-byte codes of both families overlap, so that a wrong declaration seldom gives an error.
    """
    other = {"gb18030": "big5hkscs", "big5hkscs": "gb18030"}.get(declared)
    if other is None:
        return text, declared
    try:
        another = data.decode(other)
    except UnicodeDecodeError:
        return text, declared
    return (another, other) if _han_score(another) > _han_score(text) + 0.1 else (text, declared)


def _latin(data: bytes) -> bool:
    """Whether the bytes outside ASCII are few, as in a Western text."""
    return sum(byte >= 0x80 for byte in data) <= 0.15 * len(data)


def _resynchronise(error: UnicodeError) -> tuple[str, int]:
    """Go on behind a broken byte where the text reads on: one byte further, or two.

    A double-byte codec that loses its step reads the rest of the line as other characters, without an error.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.encoding not in ("gb18030", "gbk", "big5hkscs"):
        return "\ufffd", error.end

    def reads(start: int) -> float:
        following = error.object[start : start + _LOOK_AHEAD].decode(
            error.encoding, errors="ignore"
        )
        return _han_score(following)

    one, two = error.start + 1, error.start + 2
    return "\ufffd", min(two if reads(two) > reads(one) else one, len(error.object))


_LOOK_AHEAD = 60
"""Bytes behind a broken one by which both steps are compared."""
codecs.register_error("resynchronise", _resynchronise)


def _han_score(text: str) -> float:
    han = [char for char in text if "\u4e00" <= char <= "\u9fff"]
    if not han:
        return 0.0
    return sum(char in _COMMON_HAN for char in han) / len(han)


def _too_damaged(text: str) -> bool:
    lost = text.count("\ufffd")
    share = lost / max(len(text), 1)
    return share > (_MAX_OF_SHORT if lost <= _FEW_REPLACED else _MAX_REPLACED)


def _graded(text: str, codec: str) -> Decoded:
    lost = text.count("\ufffd") / max(len(text), 1)
    if _too_damaged(text):
        return Decoded(text, codec, False, f"{lost:.1%} of the characters are lost")
    if looks_mojibake(text):
        return Decoded(text, codec, False, "the text was already garbled when it was saved")
    if (codec in _WESTERN and _is_no_western(text)) or (codec in _CHINESE and _is_scattered(text)):
        return Decoded(text, codec, False, f"the text is in another alphabet than {codec} has")
    return Decoded(text, codec, True, "damaged bytes were replaced" if lost else "")


def _is_scattered(text: str) -> bool:
    """Whether Chinese characters stand inside Western words, as when Polish is read as Big5."""
    sample = text[:200_000]
    inside = len(_SCATTERED.findall(sample))
    return inside > 0 and inside > _MAX_SCATTERED * len(_HAN_RUN.findall(sample))


def _is_no_western(text: str) -> bool:
    """Whether a text in a Western codec is in another alphabet: signs inside words, or accents in long rows."""
    sample = text[:200_000]
    if len(_SIGN_INSIDE.findall(sample)) >= _SIGNS:
        return True
    accented = len(_ACCENTED.findall(sample))
    if accented < _FEW_ACCENTED:
        return False
    return sum(map(len, _ACCENTED_RUN.findall(sample))) > 0.5 * accented


def looks_mojibake(text: str) -> bool:
    """Whether a text was decoded with the wrong codec before it reached us."""
    sample = text[:200_000]
    beyond = sum(char > "\x7f" for char in sample)
    if beyond < 12:
        return False
    if 2 * len(_MOJIBAKE.findall(sample)) > 0.5 * beyond:
        return True
    han = sum("\u4e00" <= char <= "\u9fff" for char in sample)
    soup = len(_GBK_SOUP.findall(sample))
    if han < 20 or soup <= 0.03 * han:
        return False
    return soup > 0.15 * han or _reads_back(sample[:20_000])


def _reads_back(text: str) -> bool:
    """Whether the bytes of a text in GBK are valid UTF-8 for the most part, as those of no Chinese text are."""
    back = text.encode("gb18030", errors="ignore").decode("utf-8", errors="replace")
    beyond = sum(char > "\x7f" for char in back)
    return beyond > 12 and back.count("\ufffd") < 0.3 * beyond


# -- fragments --------------------------------------------------------------------------------------


class _Words(HTMLParser):
    _BREAKS = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "blockquote", "pre"})
    _SILENT = frozenset({"script", "style", "template", "noscript", "footer"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._SILENT:
            self._silent += 1
        if tag in self._BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT and self._silent:
            self._silent -= 1
        if tag in self._BREAKS and tag != "br":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)

    def parse_html_declaration(self, i: int) -> int:
        """A marked section is a comment, as browsers read it; html.parser raises at a keyword it does not know."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)


_BLANKS = re.compile(r"[ \t]+")
_EMPTY_LINES = re.compile(r"\n{3,}")


def tidy(text: str) -> str:
    """Text with one kind of line break, no trailing blanks and at most one empty line in a row."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ").replace("\x00", "")
    if "\t" in text or "  " in text:
        text = _BLANKS.sub(" ", text)
    if "\n" not in text:
        return text.strip()
    text = "\n".join(map(str.strip, text.split("\n")))
    return _EMPTY_LINES.sub("\n\n", text).strip()


def _closed(html: str) -> str:
    """Markup without comments and without open tags at its end, which html.parser reads in quadratic time."""
    parts, position = [], 0
    while (start := html.find("<!--", position)) >= 0:
        parts.append(html[position:start])
        end = html.find("-->", start + 4)
        position = end + 3 if end >= 0 else len(html)
    parts.append(html[position:])
    html = "".join(parts)
    last = html.rfind(">") + 1
    return html[:last] + html[last:].replace("<", "&lt;")


def plain(fragment: str) -> str:
    """Words of an HTML fragment; paragraphs and breaks become line breaks, entities their characters."""
    parser = _Words()
    parser.feed(_closed(fragment))
    parser.close()
    return tidy("".join(parser.parts))


def headline(text: str) -> str:
    """A title as plain text; entities that were escaped twice are resolved, tags that result are words."""
    for _ in range(3):
        once = unescape(text)
        if once == text:
            break
        text = once
    return " ".join(text.split())
