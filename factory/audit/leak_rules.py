"""What the leak scanner reads and what it does not, for docs/check.md."""

from __future__ import annotations

from factory.nameforms.normal_forms import ACRONYM, GLUED, LONG

HOW_LEAKS_ARE_SEARCHED: tuple[str, ...] = (
    "## How leaks are searched for",
    "",
    "A text is read as it stands and once its escapes are: character references, percent signs, backslash escapes of",
    "characters and of bytes, quoted-printable and tags, three layers deep. What is compressed, encrypted or base64 is not",
    "read. Letters count in any width and case, without accents and invisible characters; `ł ø đ ß æ` and their like as",
    "`l o d ss ae`, `ö` also as `oe`; Cyrillic and Greek look-alikes, small capitals and letters in squares or flags as",
    "Latin ones; traditional characters as simplified ones.",
    "",
    "- A Chinese name is found anywhere, with anything but the ends of clauses between its characters, and from six letters",
    "  on in pinyin.",
    "- A Latin name is found as a word, its words joined or parted, its letters spaced out one by one or with a mark or an",
    f"  underscore inside. From {LONG} letters on it is found inside a longer word, too.",
    f"- From {GLUED} letters on (in capitals: {ACRONYM}) a figure or a change of case beside it is an edge: `Velloway2024`,",
    "  `PayVelloway`. `payvelloway` is not found, and `Mc` and `Mac` part no word.",
    f"- From {GLUED} letters on it is found parted by spaces where it begins with a capital: `Vel loway`. In small letters",
    "  (`vel loway`) two words may spell a name by chance; so may `Good man` at the start of a sentence, which is passed by",
    "  when the release writes each of the words in small letters elsewhere.",
    "- A name whose case matters (a short acronym, a name that is also a word) is found in that case or in capitals.",
    "- Raw days are those of nodes and statements and, where the workspace holds the raw timeline, those that its",
    "  sentences name with a year. A raw day inside the shifted span, or that a shifted mention names, is left out: it may",
    "  stand there by right.",
    "- A day is read with its year: `12 January 2026` and `January 12, 2026` in any case, abbreviated, with ordinals in",
    "  figures or words; `2026-1-12`, `12.01.2026`, `1/12/26` (in every order that gives a day), `20260112`, `2026-W03-1`;",
    "  `2026年1月12日` in figures or characters; of a range or list every day that is named, though the year stands at one end",
    "  only. A day without a year, an interval such as a month or a quarter, a count of seconds and a lunar date are not",
    "  compared: without its year a shifted day falls on a raw one too often to prove anything.",
    "- A holiday is any of a list of more than 350 names in English and Chinese that holds whatever the date engine flags. `Lent`",
    "  and its like count inside a sentence only, `618`, `520` and `五一` only before a word such as 大促 or 假期, `七一` and `双十`",
    "  before 前夕, 庆典 and their like, `Tet` behind `during` or beside `Lunar` and `holiday`.",
    "- What a person lets stand of holidays, real names, handles and notes passes in that statement alone; the anonymisation",
    "  card lists it with its statement and rule. A name of the table, a raw day and a secret pass nowhere.",
    "",
)
"""Lines of the page, in markdown."""
