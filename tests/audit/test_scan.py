"""The leak scanner: a clean bundle says nothing, and whatever is injected anywhere in any form is found."""

from __future__ import annotations

import ast
import io
import json
import unicodedata
from collections.abc import Callable
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.audit import (
    calendar_figures,
    calendar_net,
    gazetteer,
    leak_dates,
    leak_days,
    leak_editions,
    leak_files,
    leak_holidays,
    leak_placeholders,
    leak_texts,
    scan,
)
from factory.audit.calendar_net import calendar_words, residue
from factory.audit.rules import RULES
from factory.audit.scan import scan_files
from factory.nameforms import escapes, letters, near_names, normal_forms, pinyin
from factory.nameforms.letters import SIMPLIFIED, TRADITIONAL
from factory.nameforms.normal_forms import NameSearch
from factory.segments import CLASS_NAMES, MONTHS
from schemas import Alias, Entity, ReplacementTable

ALIASES = (
    "Odalys Kestrin",
    "Kestrin",
    "TUB",
    "Tramworkers' Union of Brinmoor",
    "Velloway",
    "奥达丽丝·凯斯特林",
    "电车工会",
    "岚渡",
)
TABLE = ReplacementTable(
    entities=tuple(
        Entity(
            entity_id=f"n{i}",
            cls="ORG",
            label=chr(65 + i),
            aliases=(
                Alias(
                    surface=name,
                    lang="any",
                    match="case" if name == "TUB" else "word",
                    origin="model",
                ),
            ),
        )
        for i, name in enumerate(ALIASES)
    )
)
EN = "### 2025-11-04\n\n**Event**: Organisation A called a strike from Monday, 10 November 2025; fares fell 12.5% in the first quarter of 2026, early November 2025 and the 8th: 3,100 members, says Organisation B on 1 December.\n"
ZH = "### 2025-11-04\n\n**事件**：组织A宣布自2025年11月10日（周一）起罢工，组织B 12月1日表态，2026年第一季度、2025年11月上旬和8日票价下降12.5%，共3,100人。\n"
SEGMENTS = [
    {"kind": "text", "text": "The vote of "},
    {"kind": "entity", "cls": "ORG", "label": "A"},
]
QUESTION = {
    "question_id": "q1a2b3",
    "text": {
        "en": "Will the following happen between 4 November 2025 and 11 November 2025, both days included: Organisation A ends its strike?",
        "zh": "以下情况是否会在2025年11月4日至2025年11月11日（含首尾两日）发生：组织A结束罢工？",
    },
    "window_start": "2025-11-04",
    "quote": "the vote of ⟦ORG:A⟧ on ⟦D:2025-11-10|weekday⟧",
}


def parquet(
    rows: list[dict[str, object]],
    metadata: dict[str, str] | None = None,
    field: dict[str, str] | None = None,
) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(rows)
    if field:
        table = table.cast(pa.schema([f.with_metadata(field) for f in table.schema]))
    if metadata:
        table = table.replace_schema_metadata(metadata)
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def bundle() -> dict[str, bytes]:
    rows = [{"question_id": "q1", "text": QUESTION["text"]["en"], "cutoff": "2025-11-04"}]  # type: ignore[index]
    return {
        "README.md": b"# Bank e-test\n\nSee https://docs.example for the format. Names are placeholders.\n",
        "contexts/en/p1.md": EN.encode(),
        "contexts/zh/p1.md": ZH.encode(),
        "key/questions.jsonl": (json.dumps(QUESTION, ensure_ascii=False) + "\n").encode(),
        "key/timeline.json": json.dumps({"nodes": [{"text": {"en": SEGMENTS}}]}).encode(),
        "parquet/calibration/en.parquet": parquet(rows),
        "manifest.json": b'{"public_id": "e-test", "licence": "CC-BY-4.0"}',
    }


def rules(files: dict[str, bytes], **given_: object) -> set[str]:
    return {f.rule for f in scan_files(files, TABLE, **given_)}  # type: ignore[arg-type]


def test_a_clean_bundle_says_nothing() -> None:
    assert (
        scan_files(
            bundle(),
            TABLE,
            secrets=["test-salt", "tram strike in Brinmoor"],
            raw_dates=[date(2026, 1, 6)],
        )
        == []
    )


SPELT = {"奥达丽丝·凯斯特林": "ao da li si kai si te lin", "电车工会": "dianche gonghui"}
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda s: s,
    "full width": lambda s: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in s),
    "zero width": lambda s: "\u200b".join(s),
    "soft hyphen": lambda s: s[:2] + "\u00ad" + s[2:],
    "spaced out": lambda s: " ".join(c for c in s if not c.isspace()),
    "line of spaces": lambda s: s.replace(" ", "\u00a0\u2003"),
    "joined": lambda s: s.replace(" ", ""),
    "underscores": lambda s: s.replace(" ", "_"),
    "accents": lambda s: s.replace("e", "e\u0301"),
    "decomposed": lambda s: unicodedata.normalize("NFD", s),
    "percent": lambda s: quote(s),
    "entities": lambda s: "".join(f"&#{ord(c)};" for c in s),
    "escapes": lambda s: "".join(f"\\u{ord(c):04x}" for c in s),
    "escapes in braces": lambda s: "".join(f"\\u{{{ord(c):x}}}" for c in s),
    "long escapes": lambda s: "".join(f"\\U{ord(c):08x}" for c in s),
    "percent u": lambda s: "".join(f"%u{ord(c):04X}" for c in s),
    "bytes": lambda s: "".join(f"\\x{byte:02x}" for byte in s.encode()),
    "octal": lambda s: "".join(f"\\{byte:03o}" for byte in s.encode()),
    "quoted-printable": lambda s: "".join(f"={byte:02X}" for byte in s.encode()),
    "tags": lambda s: f"{s[:2]}<b>{s[2:]}</b>",
    "escaped tags": lambda s: f"{s[:2]}&lt;i class=x&gt;{s[2:]}",
    "dots": lambda s: "·".join(s) if not s.isascii() else s,
    "marks": lambda s: s[:2] + "-" + s[2:] if len(s) > 3 else s,
    "look-alikes": lambda s: s.translate(str.maketrans("aeopcyTKBM", "аеорсуТКВМ")),
    "broken line": lambda s: s.replace(" ", "\n") if " " in s else s[:2] + "\n" + s[2:],
    "pinyin": lambda s: SPELT.get(s, s),
    "pinyin, joined and capital": lambda s: (
        SPELT.get(s, s).replace(" ", "").title() if s in SPELT else s
    ),
}
BEYOND = {
    "small capitals": "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ",
    "flags": "".join(chr(0x1F1E6 + n) for n in range(26)),
    "squares": "".join(chr(0x1F130 + n) for n in range(26)),
    "dark squares": "".join(chr(0x1F170 + n) for n in range(26)),
    "dark circles": "".join(chr(0x1F150 + n) for n in range(26)),
}
"""Alphabets that look like A to Z and have no decomposition, or are written as pictures."""


def _spelt(alphabet: str) -> Callable[[str], str]:
    table = {ord("A") + n: char for n, char in enumerate(alphabet)}
    return lambda s: s.upper().translate(table)


def _glued(s: str, before: str, after: str) -> str:
    """Beside a figure or another word, where the name is Latin and long enough for that."""
    return before + s + after if s.isascii() and len(s) >= 5 else s


CASED: dict[str, Callable[[str], str]] = {
    **FORMS,
    **{name: _spelt(alphabet) for name, alphabet in BEYOND.items()},
    "glued to a year": lambda s: _glued(s, "", "2024"),
    "after a figure": lambda s: _glued(s, "24", ""),
    "lower, glued to a year": lambda s: _glued(s.casefold(), "", "2024") if s != "TUB" else s,
    "glued to words": lambda s: _glued(s, "pay", "Tower"),
    "capitals, glued to a word": lambda s: _glued(s.upper(), "", "Fans"),
    "in an identifier": lambda s: _glued(s, "the_", "_official"),
    "parted by a space": lambda s: f"{s[:3]} {s[3:]}" if s.isascii() and len(s) >= 5 else s,
    "parted by underscores": lambda s: f"{s[:3]}_{s[3:5]}_{s[5:]}" if len(s) > 5 else s,
    "parted by a tab": lambda s: f"{s[:3]}\t{s[3:]}" if s.isascii() and len(s) >= 5 else s,
    "upper": str.upper,
    "lower": str.lower,
    "traditional": lambda s: s.translate(
        {ord(b): a for a, b in zip(TRADITIONAL, SIMPLIFIED, strict=True)}
    ),
}
PLACES = (
    "contexts/en/p1.md",
    "contexts/zh/p1.md",
    "README.md",
    "manifest.json",
    "key/questions.jsonl",
    "key/timeline.json",
    "parquet/calibration/en.parquet",
    "path",
    "key",
    "repeated key",
    "deep key",
    "parquet column",
    "parquet metadata",
    "parquet metadata key",
    "parquet field",
    "parquet nested",
)


def inject(files: dict[str, bytes], place: str, words: str, at: float) -> dict[str, bytes]:
    if place == "path":
        return {**files, f"contexts/en/{words}.md": b"x\n"}
    if place == "key":
        return {**files, "key/extra.json": json.dumps({words: 1}).encode()}
    if place == "repeated key":
        # A reader that keeps the last of two equal keys never sees the first.
        return {
            **files,
            "key/more.jsonl": f'{{"note": {json.dumps(words)}, "note": "fine"}}\n'.encode(),
        }
    if place == "deep key":
        return {**files, "key/extra.json": json.dumps([{"a": [{"b": {words: None}}]}]).encode()}
    row: dict[str, object] = {"question_id": "q1", "text": "Will they?"}
    table = "parquet/contexts/en.parquet"
    if place == "parquet column":
        return {**files, table: parquet([{words: "x"}])}
    if place == "parquet metadata":
        return {**files, table: parquet([row], metadata={"about": f"on {words}"})}
    if place == "parquet metadata key":
        return {**files, table: parquet([row], metadata={words: "1"})}
    if place == "parquet field":
        return {**files, table: parquet([row], field={"note": words})}
    if place == "parquet nested":
        return {**files, table: parquet([{"a": [{"b": {"c": f"and {words}"}}]}])}
    if place.endswith(".parquet"):
        return {**files, place: parquet([{"question_id": "q1", "text": f"Will {words} resign?"}])}
    if place.endswith((".json", ".jsonl")):
        return {
            **files,
            place: files[place].rstrip() + b"\n",
            "key/more.jsonl": json.dumps({"note": f"and {words} too"}).encode(),
        }
    text = files[place].decode()
    spots = [0, *(i for i, c in enumerate(text) if c in " \n，。："), len(text)]
    spot = spots[int(at * (len(spots) - 1))]
    return {**files, place: f"{text[:spot]} {words} {text[spot:]}".encode()}


@given(
    st.sampled_from(ALIASES),
    st.sampled_from(sorted(CASED)),
    st.sampled_from(PLACES),
    st.floats(0, 1),
)
@settings(max_examples=300)
def test_any_name_injected_anywhere_in_any_form_is_found(
    alias: str, form: str, place: str, at: float
) -> None:
    if alias == "TUB" and form == "lower":
        return  # an acronym whose case matters: "tub" is a word
    words = CASED[form](alias)
    if place == "path" and set(words) & {"/", "\n"}:
        return
    assert {"leak-name", "leak-path"} & rules(inject(bundle(), place, words, at)), (words, place)


@pytest.mark.parametrize(
    "text",
    [
        "a tub of water",
        "Kestrina",
        "velloways",
        "the kestrels in a row",
        "vello way",
        "岚山的渡口",
        "电车和工会",
    ],
)
def test_words_that_only_look_like_names_are_not_reported(text: str) -> None:
    assert list(NameSearch(TABLE).find([text])) == []


def test_a_name_beside_chinese_or_a_figure_is_found() -> None:
    for text in ("在Velloway公司", "TUB2026年罢工", "@okestrin of odalyskestrin.example"):
        assert list(NameSearch(TABLE).find([text])), text


def test_a_name_spread_over_segments_is_found() -> None:
    split = [{"kind": "text", "text": "Odalys"}, {"kind": "text", "text": " Kestrin"}]
    found = scan_files({"key/timeline.json": json.dumps({"t": split}).encode()}, TABLE)
    assert "leak-name" in {f.rule for f in found}


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("leak-shape", "see https://news.example/1"),
        ("leak-shape", "write to a.b@c.example"),
        ("leak-shape", "ask @someone_else now"),
        ("leak-shape", "under #SaveTheTram today"),
        ("leak-shape", "话题#保住电车#很热"),
        ("leak-meta", "当事人真名为某某"),
        ("leak-meta", "文末备注见下"),
        ("leak-meta", "TODO check this"),
        ("leak-meta", "As an AI language model, I cannot"),
        ("leak-meta", "see E07 for more"),
        ("leak-calendar", "on March 3 they met"),
        ("leak-calendar", "on 3 Mar they met"),
        ("leak-calendar", "on 2026/03/03"),
        ("leak-calendar", "before Christmas"),
        ("leak-calendar", "FY2025 results"),
        ("leak-calendar", "三月三日开会"),
        ("leak-calendar", "2023 年 3 月 27 日"),
        ("leak-calendar", "春节前"),
        ("leak-calendar", "3月底"),
        ("leak-placeholder", "组织A·组织A表态"),
        ("leak-placeholder", "Organisation A (Organisation A) said"),
        ("leak-placeholder", "组织A12月1日"),
        ("leak-placeholder", "组织ABC"),
        ("leak-placeholder", "Organisation Z said"),
        ("leak-placeholder", "人物A表态"),
        ("leak-placeholder", "⟦ORG:A⟧ said"),
        ("leak-date", "on 6 January 2026"),
        ("leak-date", "2026年1月6日"),
        ("leak-date", "20260106"),
        ("secret-value", "the Test-Salt is out"),
        ("secret-key", "key sk-abcdefghijklmnop1234"),
        ("secret-key", "Authorization: Bearer abcdefghijklmnop"),
        ("secret-key", '"offset_days": -63'),
    ],
)
def test_each_class_of_leak_is_found(rule: str, text: str) -> None:
    files = {**bundle(), "contexts/en/p2.md": f"{text}\n".encode()}
    assert rule in rules(files, secrets=["test-salt"], raw_dates=[date(2026, 1, 6)])


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("contexts/en/p2.md", b"\xff\xfe broken"),
        ("key/questions.jsonl", b'{"a": 1}\n{"a": '),
        ("manifest.json", b""),
        ("parquet/calibration/zh.parquet", b"PAR1 nothing"),
    ],
)
def test_what_cannot_be_read_is_a_finding(path: str, data: bytes) -> None:
    assert rules({**bundle(), path: data}) == {"leak-unreadable"}


def test_a_report_never_repeats_a_secret() -> None:
    found = scan_files({"README.md": b"salt 5d1b70c2e94f"}, TABLE, secrets=["5d1b70c2e94f"])
    assert [f.rule for f in found] == ["secret-value"]
    assert "5d1b70c2e94f" not in found[0].model_dump_json()


def test_an_empty_table_still_scans_everything_else() -> None:
    found = scan_files({"contexts/en/p1.md": b"ask @someone"}, ReplacementTable(entities=()))
    assert [f.rule for f in found] == ["leak-shape"]


def test_the_scanner_knows_every_placeholder_class() -> None:
    assert {
        cls: {"en": en, "zh": zh} for cls, (en, zh) in leak_placeholders.CLASSES.items()
    } == CLASS_NAMES


@pytest.mark.parametrize(
    "module",
    [
        calendar_figures,
        calendar_net,
        escapes,
        gazetteer,
        leak_dates,
        leak_days,
        leak_editions,
        leak_files,
        leak_holidays,
        leak_placeholders,
        leak_texts,
        letters,
        near_names,
        normal_forms,
        pinyin,
        scan,
    ],
)
def test_scanner_and_net_import_nothing_of_the_anonymiser_or_the_lexicon(module: object) -> None:
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    names = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [a.name for a in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert not [
        n for n in names if n.startswith(("factory.anonymise", "sources", "factory.segments"))
    ]


def test_the_map_of_characters_is_one_to_one() -> None:
    assert len(TRADITIONAL) == len(SIMPLIFIED)
    assert not set(TRADITIONAL) & set(SIMPLIFIED) - set("后里丑")


@pytest.mark.parametrize(
    "words",
    [*MONTHS, "Tuesday", "in spring", "Q3", "the third quarter", "weekend", "fiscal", "2026-03-02", "7月", "22日", "周三", "星期天", "第三季度", "春节", "去年", "上半年", "农历", "国庆", "年底", "2026年", "五周年"],
)  # fmt: skip
def test_the_net_catches(words: str) -> None:
    assert list(calendar_words(words))


@pytest.mark.parametrize(
    "words",
    [
        "march on",
        "it may be",
        "the fall in prices",
        "月饼",
        "日本",
        "年糕",
        "周围",
        "公里",
        "41X",
        "31-9",
        "10号线",
        "二手车",
    ],
)
def test_the_net_lets_pass(words: str) -> None:
    assert list(calendar_words(words)) == []


def test_residue_is_what_lies_in_no_classified_stretch() -> None:
    text = "On 3 March and in June"
    assert [words for _, _, words in residue(text, [(3, 10)])] == ["June"]


LATIN = [a for a in ALIASES if a.isascii() and len(a) > 6]


@given(
    st.sampled_from(LATIN),
    st.integers(0, 40),
    st.sampled_from(["lost", "added", "changed", "swapped"]),
    st.sampled_from("aehmrx"),
    st.sampled_from(["contexts/en/p1.md", "key/questions.jsonl", "parquet/calibration/en.parquet"]),
    st.floats(0, 1),
)
@settings(max_examples=80)
def test_a_name_with_one_wrong_letter_is_found(
    alias: str, at: int, edit: str, letter: str, place: str, spot: float
) -> None:
    letters = [n for n, char in enumerate(alias) if char.isalpha() and n > 0]
    n = letters[at % len(letters)]
    words = {
        "lost": alias[:n] + alias[n + 1 :],
        "added": alias[:n] + letter + alias[n:],
        "changed": alias[:n] + letter + alias[n + 1 :],
        "swapped": alias[: n - 1] + alias[n] + alias[n - 1] + alias[n + 1 :]
        if n - 1 in letters
        else alias,
    }[edit]
    if words[0].islower():
        words = words[0].upper() + words[1:]
    found = rules(inject(bundle(), place, words, spot))
    assert {"leak-name", "leak-near-name"} & found, words


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_one_edit_is_one_step_of_insertion_deletion_change_or_swap(a: str, b: str) -> None:
    steps = {a[:i] + a[i + 1 :] for i in range(len(a))}
    steps |= {a[:i] + c + a[i:] for i in range(len(a) + 1) for c in "abc"}
    steps |= {a[:i] + c + a[i + 1 :] for i in range(len(a)) for c in "abc"}
    steps |= {a[:i] + a[i + 1] + a[i] + a[i + 2 :] for i in range(len(a) - 1)}
    assert near_names.one_edit(a, b) == (a != b and b in steps)


def test_an_ordinary_word_beside_a_name_is_not_reported() -> None:
    table = ReplacementTable(
        entities=(
            Entity(
                entity_id="n1",
                cls="PLC",
                label="A",
                aliases=(Alias(surface="Harbour", lang="en", origin="model"),),
            ),
        )
    )
    text = "Harbors were shut. The harbors stay shut. Arbour House and Labour asked."
    near = near_names.NearNames(table)
    assert {words for _, words in near.find([text], near_names.ordinary_words([text]))} == {
        "Arbour"
    }


@pytest.mark.parametrize(
    "text",
    ["Taiwan", "in the United States", "US$40 billion", "Chinese", "the White House", "Congress", "NATO",
     "Eurasian", "涉台问题", "白宫回应", "关岛", "中俄关系", "美元", "北约", "某音", "犹太", "TAIWAN"],
)  # fmt: skip
def test_real_names_are_found_in_both_languages(text: str) -> None:
    assert list(gazetteer.real_names(text))


@pytest.mark.parametrize(
    "text",
    ["其中国家A表态", "完美方案", "次日本人到场", "其中日均九千人", "其中方案甲", "某手机品牌", "隆重庆祝", "东西安全距离", "发展中国家A", "a congress of turkeys", "the polish on china", "3,800万元", "27 million yuan"],
)  # fmt: skip
def test_common_words_are_no_real_names(text: str) -> None:
    assert list(gazetteer.real_names(text)) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("on Monday, 10 November 2025", False),
        ("on Tuesday, 10 November 2025", True),
        ("on 10 November 2025, a Tuesday", True),
        ("on Tuesday, November 11", False),
        ("on Friday, November 11", True),
        ("2025年11月10日（周一）", False),
        ("2025年11月10日（星期二）", True),
        ("11月10日，周三", True),
        ("31 February 2025, Monday", False),
        ("Monday and 10 votes", False),
    ],
)
def test_a_weekday_must_fit_the_day_beside_it(text: str, wrong: bool) -> None:
    assert bool(list(leak_dates.false_weekdays(text, date(2025, 11, 4)))) == wrong


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.booleans())
def test_a_true_weekday_is_never_called_false(day: date, zh: bool) -> None:
    name = f"{day:%A}"
    text = (
        f"{day.year}年{day.month}月{day.day}日（周{'一二三四五六日'[day.weekday()]}）"
        if zh
        else f"{name}, {day.day} {day:%B} {day.year}"
    )
    assert list(leak_dates.false_weekdays(text, None)) == []


def test_editions_that_differ_are_found() -> None:
    for old, new in [
        ("3,100", "3,200"),
        ("10 November", "11 November"),
        ("Organisation B", "Organisation C"),
    ]:
        files = bundle()
        files["contexts/en/p1.md"] = files["contexts/en/p1.md"].replace(old.encode(), new.encode())
        assert "leak-editions" in rules(files), new
    rows = {
        "exam/en/calibration.jsonl": b'{"question_id": "q1", "text": "Does Organisation A end it by 3 May 2026?"}\n',
        "exam/zh/calibration.jsonl": '{"question_id": "q1", "text": "组织B是否在2026年5月3日前结束？"}\n'.encode(),
    }
    assert "leak-editions" in rules({**bundle(), **rows})


def test_points_that_tell_one_day_differently_are_found() -> None:
    later = EN + "\n### 2025-12-01\n\n**Event**: Nothing.\n"
    files = {"contexts/en/p1.md": EN.encode(), "contexts/en/p2.md": later.encode()}
    assert rules(files) == set()
    files["contexts/en/p1.md"] = EN.replace("called", "began").encode()
    assert rules(files) == {"leak-points"}


def test_a_placeholder_of_a_question_is_introduced_in_its_edition() -> None:
    row = b'{"question_id": "q1", "text": "Does Organisation D resign?"}\n'
    files = {"contexts/en/p1.md": EN.encode(), "exam/en/calibration.jsonl": row}
    assert rules(files) == {"leak-placeholder"}


@pytest.mark.parametrize(
    "path",
    ["contexts/en/brinmoor.md", "contexts/en/tram_strike.md", "exam/en/event7-library.jsonl"],
)
def test_a_path_holds_layout_words_and_opaque_ids_only(path: str) -> None:
    assert "leak-path" in rules({path: b""})
    pointer = json.dumps({"file": path}).encode()
    assert "leak-path" in rules({"manifest.json": pointer})


def test_without_a_table_the_rest_is_scanned_all_the_same() -> None:
    files = {"contexts/en/p1.md": b"Velloway, says @someone of Organisation Z\n"}
    assert {f.rule for f in scan_files(files, None)} == {"leak-shape"}
    assert set(scan.NEEDS_TABLE) <= set(RULES)


def test_every_finding_says_why_and_how_to_mend_it() -> None:
    for finding in scan_files({"contexts/en/x_velloway.md": b"@someone"}, TABLE):
        assert finding.why
        assert finding.fix
        assert finding.examples


def test_pinyin_of_common_characters() -> None:
    assert pinyin.syllables("张三丰") == ("zhang", "san", "feng")
    assert pinyin.syllables("长江大桥") is not None
    assert pinyin.syllables("岚渡") is None, "岚 is of the second level"
    assert pinyin.syllable("白") == "bai"
    assert pinyin.syllable("座") == "zuo"
    assert pinyin.syllable("A") is None
