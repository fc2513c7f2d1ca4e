"""The leak scanner: reads every public byte of a bundle and reports what must not be there.

It shares no code with the anonymiser and fails closed: a file that cannot be read is a finding. Classes: names
of the table in any normal form, in texts, paths and keys; secrets and keys; days of the raw calendar; calendar
words and date forms that our rendering never writes; handles, tags and addresses; notes of the process; broken
placeholders. A finding whose rule begins with `secret` is a secret, every other one a leak.
"""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from factory.audit.normal_forms import NameSearch, plain
from schemas import Finding, ReplacementTable

MAX_EXAMPLES = 5
_PROSE = ("contexts/", "truth/", "timeline/", "exam/", "societybench/", "key/", "parquet/")
"""Folders whose texts tell the event; cards, manifest and README describe the bundle and may hold links."""
_TEXTS = ("contexts/", "truth/", "timeline/", "exam/", "societybench/")
"""Folders that show rendered text only, where a token would be a defect."""

_CLASSES: dict[str, tuple[str, str]] = {
    "PER": ("Person", "人物"),
    "ORG": ("Organisation", "组织"),
    "GOV": ("Authority", "机关"),
    "COM": ("Company", "公司"),
    "PLC": ("Place", "地点"),
    "CTY": ("Country", "国家"),
    "MED": ("Media", "媒体"),
    "PLT": ("Platform", "平台"),
    "PRD": ("Product", "产品"),
    "GRP": ("Group", "团体"),
    "DOC": ("Document", "文件"),
    "EVT": ("Event", "事件"),
}
_EN = {en: cls for cls, (en, _) in _CLASSES.items()}
_ZH = {zh: cls for cls, (_, zh) in _CLASSES.items()}
_EN_PLACEHOLDER = re.compile(rf"\b({'|'.join(_EN)}) ([A-Z]{{1,2}})(?![a-z])")
_ZH_PLACEHOLDER = re.compile(rf"({'|'.join(_ZH)})([A-Z]{{1,2}})(?![a-z])")
_DOUBLED = re.compile(
    rf"\b((?:{'|'.join(_EN)}) [A-Z]{{1,2}})\s?[(（·/、]?\s?\1(?![A-Za-z])|((?:{'|'.join(_ZH)})[A-Z]{{1,2}})\s?[(（·/、]?\s?\2(?![A-Za-z])"
)
_GLUED = re.compile(
    rf"\b(?:{'|'.join(_EN)}) [A-Z]{{1,2}}[0-9]|(?:{'|'.join(_ZH)})[A-Z]{{1,2}}[0-9a-z]|(?:{'|'.join(_ZH)})[A-Z]{{3,}}"
)
_TOKEN = re.compile(r"⟦([^⟦⟧]*)⟧")
_TOKEN_BODY = re.compile(r"(?:[A-Z]{3}:[A-Z]{1,2}|[DMQSPY]:[0-9]{4}[0-9/-]*(?:\|[a-z]+)?)")

SECRET_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "api key",
        re.compile(
            r"\bsk-[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{30,}|\bhf_[A-Za-z0-9]{20,}"
        ),
    ),
    ("authorisation header", re.compile(r"\b[Bb]earer [A-Za-z0-9._~+/-]{12,}=*")),
    (
        "key assignment",
        re.compile(
            r"(?i)\b(?:api[_-]?key|secret|access[_-]?token|password)\b[\"']?\s*[:=]\s*[\"'][^\"'\s]{8,}"
        ),
    ),
    ("private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("offset", re.compile(r"(?i)\boffset[_ -]?days\b")),
)
SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("address", re.compile(r"\bhttps?://\S+|\bwww\.\w+\.\w+", re.ASCII)),
    ("e-mail", re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+", re.ASCII)),
    ("handle", re.compile(r"(?<![A-Za-z0-9_.])[@＠][\w\u3400-\u9fff][\w.\u3400-\u9fff-]+")),
    ("hashtag", re.compile(r"(?<![A-Za-z0-9_#&/])[#＃][^\s#\d][^\s#，。,.!?]*")),
    ("cashtag", re.compile(r"(?<![\w$])\$[A-Z]{2,6}\b")),
)
META: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "note on the real name",
        re.compile(
            r"真名|真实姓名|化名为|原名为|\breal names?\b(?! (?:are|were) replaced)", re.IGNORECASE
        ),
    ),
    (
        "note of the process",
        re.compile(
            r"文末备注|脱敏|匿名化|占位符|待补充|\bTODO\b|\bFIXME\b|\bplaceholder\b|\banonymi[sz]ed\b|\bpseudonym"
        ),
    ),
    (
        "words of a model",
        re.compile(
            r"\bas an AI\b|\blanguage model\b|作为(?:一个|一名)?(?:AI|人工智能)|语言模型",
            re.IGNORECASE,
        ),
    ),
    ("internal id", re.compile(r"(?<![\w-])E\d{2}(?![\w-])")),
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
CALENDAR: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "month before day",
        re.compile(rf"\b(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b(?!\d)", re.ASCII),
    ),
    (
        "short month",
        re.compile(
            r"\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.? \d{1,4}\b|\b\d{1,2} (?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b(?!\w)",
            re.ASCII,
        ),
    ),
    (
        "slashed date",
        re.compile(
            r"(?<![\d/.-])(?:19|20)\d{2}[/.]\d{1,2}[/.]\d{1,2}(?![\d/.])|(?<![\d/.-])\d{1,2}/\d{1,2}/(?:19|20)\d{2}(?!\d)",
            re.ASCII,
        ),
    ),
    (
        "unusual Chinese date",
        re.compile(
            r"[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]|[0-9]{1,2} 月 ?[0-9]{1,2}|[0-9]{1,2}月[0-9]{1,2}号|[0-9０-９]月[初底末]|２０"
        ),
    ),
    (
        "holiday",
        re.compile(
            r"\b(?:Christmas|Xmas|Easter|Thanksgiving|Ramadan|Eid|Diwali|Hanukkah|Passover|Halloween|Juneteenth|Black Friday|April Fool|Fourth of July|New Year['’]s|(?:Lunar|Chinese) New Year|Spring Festival|Mid-Autumn|Labou?r Day|Memorial Day|Independence Day|National Day|Valentine['’]s)|春节|元旦|元宵|清明|端午|中秋|国庆|重阳|七夕|除夕|圣诞|愚人节|劳动节|五一假|万圣|感恩节|双十一|黄金周|高考|农历|阴历"
        ),
    ),
    (
        "fiscal label",
        re.compile(
            r"\bFY ?\d{2,4}\b|\b[Ff]iscal (?:year )?\d{4}\b|\bH[12] (?:19|20)\d{2}\b|\bQ[1-4] (?:19|20)\d{2}\b|[0-9]{4}财年|[0-9]{4}年[上下]半年"
        ),
    ),
)
_WHY: dict[str, tuple[str, str]] = {
    "leak-name": (
        "A real name identifies the event.",
        "add the form to the table or reword the place, then run from anonymise",
    ),
    "leak-path": (
        "Paths and keys are public, too.",
        "rename it so that it carries the opaque id alone",
    ),
    "leak-date": (
        "A day of the raw calendar gives the offset away.",
        "find the mention that was not shifted, then run from anonymise",
    ),
    "leak-calendar": (
        "A date form that is never rendered was not shifted, or names a day of the real calendar.",
        "shift or reword it in review, then run from anonymise",
    ),
    "leak-shape": (
        "A handle, tag or address can be looked up.",
        "reword the place in review, then run from anonymise",
    ),
    "leak-meta": (
        "Notes of the process tell about the raw side.",
        "reword the text that holds it and run its stage again",
    ),
    "leak-placeholder": (
        "A broken placeholder can be read in two ways or names nobody.",
        "run from anonymise; if it stays, report it as a defect",
    ),
    "leak-unreadable": (
        "What cannot be read cannot be cleared.",
        "make the file again; it must be UTF-8, valid JSON or Parquet",
    ),
    "secret-value": (
        "A secret undoes the anonymisation or names the event.",
        "remove it and draw new secrets",
    ),
    "secret-key": ("A key in a public file can be used by anybody.", "revoke it and remove it"),
}


@dataclass(frozen=True)
class _Bytes:
    """One file as texts and keys."""

    path: str
    texts: tuple[str, ...]
    keys: tuple[str, ...]


def scan_files(
    files: Mapping[str, bytes],
    table: ReplacementTable,
    *,
    secrets: Sequence[str] = (),
    raw_dates: Sequence[date] = (),
) -> list[Finding]:
    """Findings over the bytes of a bundle, by rule; empty when clean.

    `secrets` are strings that may stand nowhere (salt, topic, folder), compared without case from three
    characters on; `raw_dates` are days that may stand nowhere in any form, so the caller leaves out those that
    the shifted timeline rightfully holds.
    """
    hits: dict[str, list[str]] = defaultdict(list)
    read: list[_Bytes] = []
    for path in sorted(files):
        try:
            texts, keys = _read(path, files[path])
        except (ValueError, OSError) as error:
            hits["leak-unreadable"].append(f"{path}: {str(error)[:80]}")
            continue
        read.append(_Bytes(path, texts, keys))
    search = NameSearch(table)
    _names(read, sorted(files), search, hits)
    wanted = sorted({plain(s).casefold() for s in secrets if len(s) >= 3})
    days = {form: day for day in raw_dates for form in _forms(day)}
    day_net = (
        re.compile(
            "|".join(
                rf"(?<!\d){re.escape(form)}(?!\d)" for form in sorted(days, key=len, reverse=True)
            )
        )
        if days
        else None
    )
    known: set[tuple[str, str]] = {(entity.cls, entity.label) for entity in table.entities}
    for path in sorted(files):
        _secrets(path, path, wanted, hits)
    for file in read:
        for text in dict.fromkeys((*file.texts, *file.keys)):
            _secrets(file.path, text, wanted, hits)
            if day_net is not None:
                for found in day_net.finditer(text):
                    hits["leak-date"].append(_place(file.path, text, found.start()))
        if not file.path.startswith(_PROSE):
            continue
        for text in dict.fromkeys(file.texts):
            _prose(file.path, text, known, hits)
    return [
        Finding(
            rule=rule,
            count=len(hits[rule]),
            examples=tuple(dict.fromkeys(hits[rule]))[:MAX_EXAMPLES],
            why=_WHY[rule][0],
            fix=_WHY[rule][1],
        )
        for rule in sorted(hits)
    ]


def _names(
    read: Sequence[_Bytes], paths: Sequence[str], search: NameSearch, hits: dict[str, list[str]]
) -> None:
    # Points repeat their contexts, so each distinct text is searched once and reported where it first stands.
    where: dict[str, list[str]] = defaultdict(list)
    keys: dict[str, list[str]] = defaultdict(list)
    for file in read:
        for text in dict.fromkeys(file.texts):
            where[text].append(file.path)
        for key in dict.fromkeys(file.keys):
            keys[key].append(file.path)
    for text, words in search.find(where):
        hits["leak-name"] += [f"{path}: {words!r} in {_short(text)!r}" for path in where[text]]
    for key, words in search.find(keys):
        hits["leak-path"] += [f"{path}: key {key!r} holds {words!r}" for path in keys[key]]
    for path, words in search.find(paths):
        hits["leak-path"].append(f"{path}: holds {words!r}")


def _secrets(path: str, text: str, wanted: Sequence[str], hits: dict[str, list[str]]) -> None:
    low = plain(text).casefold()
    for secret in wanted:
        if secret in low:
            # The secret itself never enters a report.
            hits["secret-value"].append(f"{path}: a secret of {len(secret)} characters")
    for name, shape in SECRET_SHAPES:
        if shape.search(text):
            hits["secret-key"].append(f"{path}: {name}")


def _prose(path: str, text: str, known: set[tuple[str, str]], hits: dict[str, list[str]]) -> None:
    for rule, nets in (("leak-shape", SHAPES), ("leak-meta", META), ("leak-calendar", CALENDAR)):
        for name, net in nets:
            for found in net.finditer(text):
                if rule == "leak-shape" and name == "hashtag" and _heading(text, found.start()):
                    continue
                hits[rule].append(f"{name}: {_place(path, text, found.start())}")
    for net in (_DOUBLED, _GLUED):
        for found in net.finditer(text):
            hits["leak-placeholder"].append(_place(path, text, found.start()))
    for net, classes in ((_EN_PLACEHOLDER, _EN), (_ZH_PLACEHOLDER, _ZH)):
        for found in net.finditer(text):
            if (classes[found.group(1)], found.group(2)) not in known:
                hits["leak-placeholder"].append(
                    f"unknown label: {_place(path, text, found.start())}"
                )
    for found in _TOKEN.finditer(text):
        body = found.group(1)
        cls, _, label = body.partition(":")
        bad = _TOKEN_BODY.fullmatch(body) is None or (cls in _CLASSES and (cls, label) not in known)
        if bad or path.startswith(_TEXTS):
            hits["leak-placeholder"].append(f"token: {_place(path, text, found.start())}")


def _heading(text: str, at: int) -> bool:
    """A # that opens a markdown heading."""
    return re.match(r"#{1,6} ", text[at:]) is not None


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def _place(path: str, text: str, at: int) -> str:
    return f"{path}: {text[max(at - 20, 0) : at + 40]!r}"


def _forms(day: date) -> Iterator[str]:
    """Every way in which a full date is commonly written."""
    month = _MONTH.split("|")[day.month - 1]
    yield day.isoformat()
    yield f"{day:%Y%m%d}"
    for mark in "/.":
        yield f"{day.year}{mark}{day.month}{mark}{day.day}"
        yield f"{day:%Y}{mark}{day:%m}{mark}{day:%d}"
    for name in (month, month[:3]):
        yield f"{day.day} {name} {day.year}"
        yield f"{name} {day.day}, {day.year}"
        yield f"{name} {day.day} {day.year}"
    yield f"{day.year}年{day.month}月{day.day}日"
    yield f"{day.year}年{day:%m}月{day:%d}日"
    yield f"{day.year} 年 {day.month} 月 {day.day} 日"


def _read(path: str, data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Texts and keys of a file. Raises ValueError when its bytes are not what its name says."""
    if path.endswith(".parquet"):
        return _parquet(data)
    text = data.decode("utf-8")
    if path.endswith(".json"):
        return _json([json.loads(text)])
    if path.endswith(".jsonl"):
        return _json([json.loads(line) for line in text.splitlines() if line.strip()])
    return tuple(line for line in text.splitlines() if line.strip()), ()


def _json(values: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    texts: list[str] = []
    keys: dict[str, None] = {}
    todo = list(values)[::-1]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            texts += value.splitlines() or []
        elif isinstance(value, dict):
            keys.update(dict.fromkeys(value))
            todo += list(value.values())[::-1]
        elif isinstance(value, list):
            parts = [part for part in value if isinstance(part, dict) and "kind" in part]
            if parts and len(parts) == len(value):
                # A name could be spread over neighbouring segments: read them as one text as well.
                texts.append("".join(str(part.get("text", "\x1f")) for part in parts))
            todo += value[::-1]
    return tuple(texts), tuple(keys)


def _parquet(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(data))
        meta = table.schema.metadata or {}
        extra = [
            f"{k.decode('utf-8')}={v.decode('utf-8')}"
            for k, v in meta.items()
            if k != b"ARROW:schema"
        ]
        texts, keys = _json(table.to_pylist())
    except pa.ArrowException as error:
        raise ValueError(f"not a Parquet file ({error})") from error
    return (*texts, *extra), keys
