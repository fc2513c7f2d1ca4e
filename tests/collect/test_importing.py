"""Timelines that enter half way, and a look at files without an event."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory import importing
from factory.errors import BadInput
from factory.importing.placeholders import Placeholders
from factory.segments import entity_refs, from_tokens, numbers, render, to_tokens
from factory.settings import Settings
from factory.workspace import Workspace
from schemas import (
    AnonPassage,
    AnonTimeline,
    Cluster,
    DateRef,
    EntityRef,
    EventConfig,
    Item,
    Keys,
    Lang,
    Plan,
    Rejection,
    Timeline,
)

NOW = datetime(2026, 6, 1, tzinfo=UTC)
KEYS = Keys(public_id="e-test", salt="salt")
RAW = """# The ferry

A line before the first day.

### 2026-01-05

**Event**: The council closed the Houwei ferry on 4 January 2026. Mr. Lin said 3,200 people use it.

**Public Opinion**: Residents were angry. Many mocked the report.

### 2026-03-06

**Event**: A court annulled the closure.
"""


def event(lang: Lang, *, anonymised: bool) -> EventConfig:
    return EventConfig(
        slug="t",
        topic="the ferry",
        lang=lang,
        entry="anonymised" if anonymised else "timeline",
        already_anonymised=anonymised,
    )


def test_a_raw_timeline_becomes_items_that_its_statements_quote(tmp_path: Path) -> None:
    path = tmp_path / "ferry.md"
    path.write_text(RAW, encoding="utf-8")
    workspace = Workspace(tmp_path / "event")
    assert importing.write_timeline(workspace, event("en", anonymised=False), KEYS, path, NOW) == 2
    timeline = workspace.read(Timeline, "03_timeline/timeline.json")
    items = {item.item_id: item for item in workspace.read_lines(Item, "01_items/items.jsonl")}
    for node in timeline.nodes:
        statements = node.fact.statements if node.fact else ()
        statements += node.opinion.statements if node.opinion else ()
        for statement in statements:
            for evidence in statement.evidence:
                item = items[evidence.item_id]
                assert evidence.quote in item.text
                assert item.published_at is not None
                assert item.published_at.date() <= node.date
    assert timeline.nodes[0].fact is not None
    assert [s.text for s in timeline.nodes[0].fact.statements] == [
        "The council closed the Houwei ferry on 4 January 2026.",
        "Mr. Lin said 3,200 people use it.",
    ]
    assert timeline.nodes[0].opinion is not None
    assert timeline.nodes[0].opinion.stances == {}
    assert timeline.span.observed_until == date(2026, 3, 6)
    assert workspace.read(Plan, "00_plan/plan.json").since == date(2026, 1, 5)
    assert len(workspace.read_lines(Cluster, "02_corpus/clusters.jsonl")) == len(items) == 3
    rejected = workspace.read_lines(Rejection, "rejected.jsonl")
    assert [row.detail for row in rejected] == ["A line before the first day."]


def test_a_timeline_shorter_than_four_weeks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.md"
    path.write_text(RAW.replace("2026-03-06", "2026-01-20"), encoding="utf-8")
    with pytest.raises(BadInput, match="28 days"):
        importing.write_timeline(
            Workspace(tmp_path / "e"), event("en", anonymised=False), KEYS, path, NOW
        )


@pytest.mark.parametrize("text", ["", "# only a title\n", "### 2026-13-45\n\n**Event**: x.\n"])
def test_a_file_without_a_timeline_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"x\.md"):
        importing.write_timeline(
            Workspace(tmp_path / "e"), event("en", anonymised=True), KEYS, path, NOW
        )


def test_a_timeline_in_the_other_language_or_an_unknown_zone_is_refused(tmp_path: Path) -> None:
    english, chinese = tmp_path / "en.md", tmp_path / "zh.md"
    english.write_text(RAW, encoding="utf-8")
    chinese.write_text(
        "### 2026-01-05\n\n**事件**：机构A宣布停航，人物B表示 3,200 people 受影响。\n",
        encoding="utf-8",
    )
    workspace = Workspace(tmp_path / "e")
    for path, lang, why in (
        (english, "zh", r"English \(en\), but .* Chinese \(zh\); give --lang en"),
        (chinese, "en", r"Chinese \(zh\), but .* English \(en\); give --lang zh"),
    ):
        for anonymised in (True, False):
            given = event(lang, anonymised=anonymised)  # type: ignore[arg-type]
            with pytest.raises(BadInput, match=why):
                importing.write_timeline(workspace, given, KEYS, path, NOW)
    given = event("en", anonymised=False).model_copy(update={"zone": "Mars/X"})
    with pytest.raises(BadInput, match="'Mars/X' is no time zone"):
        importing.write_timeline(workspace, given, KEYS, english, NOW)
    assert not workspace.root.exists(), "nothing is written before everything is checked"


def test_words_of_chinese_timelines_are_their_classes() -> None:
    marks = Placeholders(["机构A与部门B"], "zh")
    assert entity_refs(marks.parse("机构A与部门B")) == {("ORG", "A"): 1, ("GOV", "A"): 1}


@pytest.mark.parametrize(
    ("name", "lang"),
    [("zh/event1_library", "zh"), ("en/event1_library", "en"), ("zh/event3_tiktok", "zh")],
)
def test_published_timelines_become_anonymised_ones(
    testdata: Path, tmp_path: Path, name: str, lang: Lang
) -> None:
    path = testdata / "official" / "demo" / name / "P25_context.md"
    source = path.read_text(encoding="utf-8")
    workspace = Workspace(tmp_path)
    count = importing.write_timeline(workspace, event(lang, anonymised=True), KEYS, path, NOW)
    timeline = workspace.read(AnonTimeline, "04_anonymised/timeline.json")
    days = re.findall(r"(?m)^### (\d{4}-\d\d-\d\d)", source)
    assert count == len(timeline.nodes) == len(set(days))
    assert timeline.nodes[0].date.isoformat() == min(days)
    refs, text = 0, ""
    for node in timeline.nodes:
        for statement in (*node.fact, *(node.opinion.statements if node.opinion else ())):
            segments = statement.text[lang]
            assert from_tokens(to_tokens(segments)) == segments
            refs += sum(isinstance(segment, EntityRef) for segment in segments)
            text += render(segments, lang)
    plain = re.sub(r"\s|\*\*[^*]+\*\*[：:]?|#.*", "", source)
    assert refs > 150
    assert abs(len(re.sub(r"\s", "", text)) / len(plain) - 1) < 0.03, "no words are lost"
    passages = workspace.read_lines(AnonPassage, "04_anonymised/passages.jsonl")
    assert len(passages) == len(
        re.findall(r"(?m)^\*\*(?:事件|舆论|Event|Public Opinion)\*\*", source)
    )


def test_two_words_of_one_class_are_two_entities() -> None:
    marks = Placeholders(["机构A与组织A、官员A会面，人物B缺席"], "zh")
    refs = entity_refs(marks.parse("机构A与组织A、官员A会面，人物B缺席"))
    assert refs == {("ORG", "A"): 1, ("ORG", "B"): 1, ("PER", "B"): 1}


def test_plain_dates_become_references_and_figures_numbers() -> None:
    segments = Placeholders([], "zh").parse("2023年7月1日有1.2万人，2023-07-02，7月3日")
    days = [s.start.isoformat() for s in segments if isinstance(s, DateRef)]
    assert days == ["2023-07-01", "2023-07-02"]
    assert 12000.0 in numbers(segments)


@given(st.text(alphabet="人物机构官员AB12年月日-。, aPerson", max_size=60))
def test_placeholders_lose_no_words(text: str) -> None:
    marks = Placeholders([text], "zh")
    segments = marks.parse(text)
    assert from_tokens(to_tokens(segments)) == segments
    kept = "".join(segment.text for segment in segments if hasattr(segment, "text"))
    for char in set(kept):
        assert kept.count(char) <= text.count(char)


def test_a_missing_path_and_an_unknown_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        importing.import_report(tmp_path / "none", Settings())
    (tmp_path / "a.bin").write_bytes(b"\x00\x01\x02")
    with pytest.raises(BadInput, match="no import format fits"):
        importing.import_report(tmp_path / "a.bin", Settings())
    with pytest.raises(BadInput, match="formats are auto"):
        importing.import_report(tmp_path / "a.bin", Settings(), format_="nonsense")
    with pytest.raises(BadInput, match="time zone"):
        importing.import_report(tmp_path / "a.bin", Settings(), zone="Mars/Base")


def test_every_file_of_a_mixed_folder_ends_somewhere(tmp_path: Path) -> None:
    (tmp_path / "weibo").mkdir()
    (tmp_path / "weibo" / "search_contents_2026-01-02.jsonl").write_text(
        '{"note_id": 5001, "create_time": 1767000000, "content": "停航了", "liked_count": "赞", "last_modify_ts": 1767100000000}\n'
        "{broken\n",
        encoding="utf-8",
    )
    (tmp_path / "page.html").write_text(
        "<html><head><title>The ferry stops</title><meta property='article:published_time' "
        "content='2026-01-05T08:00:00+08:00'></head><body><article>"
        + "<p>The council closed the ferry because of an inspection report.</p>" * 6
        + "</article></body></html>",
        encoding="utf-8",
    )
    (tmp_path / "ferry.md").write_text(RAW, encoding="utf-8")
    (tmp_path / "notes.bin").write_bytes(b"\x00\x01")
    report = importing.import_report(tmp_path, Settings(), zone="Asia/Shanghai")
    assert {(i.platform, i.kind) for i in report.items} == {
        ("weibo", "post"), ("web", "article"), ("timeline", "timeline"),
    }  # fmt: skip
    reasons = {row.reason for row in report.rejections}
    assert reasons == {"damaged row", "no format fits", "outside every paragraph"}
    assert sum(report.formats.values()) == 4
    assert any("5 items" in line for line in report.lines())
    assert len(report.as_dict()["items"]) == 5


def rejected_lines(folder: Path) -> list[str]:
    lines = importing.import_report(folder, Settings()).lines()
    start = next(number for number, line in enumerate(lines) if line.endswith(" rejected"))
    return lines[start + 1 :]


def test_each_reason_names_its_files(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"n{number}.bin").write_bytes(b"\x00")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "t.jsonl").write_text(
        '{"text": "x", "id": "1"}\n{a\n{b\n{c\n', encoding="utf-8"
    )
    (tmp_path / "loose.md").write_text(RAW, encoding="utf-8")
    lines = rejected_lines(tmp_path)
    text = "\n".join(lines)
    assert "8  no format fits: n0.bin, n1.bin, n2.bin, n3.bin, n4.bin and 3 more" in text
    assert "the first: no import format fits n0.bin" in text
    assert "3  damaged row: sub/t.jsonl:2 (3 times)" in text
    assert "1  outside every paragraph: loose.md" in text
    kept = importing.import_report(tmp_path, Settings()).as_dict()["rejections"]
    assert [row["file"] for row in kept if row["reason"] == "no format fits"] == [
        f"n{number}.bin" for number in range(8)
    ]
    assert sum(row["file"] == "sub/t.jsonl" for row in kept) == 3


def test_a_folder_with_odd_files_is_readable_and_says_why_each_was_not_read(tmp_path: Path) -> None:
    (tmp_path / "a\nb\x1b[31m.bin").write_bytes(b"\x00")
    (tmp_path / "cut.ndjson.zst").write_bytes(b"\x28\xb5\x2f\xfd\x04")
    (tmp_path / "f.xml").write_text(
        "<rss><channel><item><guid>http://f.example/1</guid></item></channel></rss>",
        encoding="utf-8",
    )
    lines = importing.import_report(tmp_path, Settings()).lines()
    assert lines[0] == "0 items from 3 files"
    assert all(line.isprintable() for line in lines)
    text = "\n".join(lines)
    assert "no format fits: a b [31m.bin" in text
    assert "Looked for" not in text
    assert "cut.ndjson.zst is a zstd file that is cut short; fetch or export it again" in text
    assert "an entry without words: f.xml http://f.example/1" in text
    assert not any(line.strip().startswith("import:") for line in lines)


def test_a_corpus_always_says_what_it_found(tmp_path: Path) -> None:
    words = (
        "The council closed the ferry because of an inspection report that nobody had seen before."
    )
    other = "A court annulled the closure in March and ordered the town to pay all of the costs."
    path = tmp_path / "t.csv"

    def said(*rows: str) -> str:
        body = "".join(f"{number},{row},2026-03-05\n" for number, row in enumerate(rows))
        path.write_text("id,text,published\n" + body, encoding="utf-8")
        return importing.import_report(path, Settings(), corpus=True).lines()[-1]

    assert said(words, other) == "no copies among 2 items"
    assert said(words) == "no copies among 1 item"
    assert said(words, other, words).startswith("  2 x  The council closed")
    assert "copies" not in "\n".join(importing.import_report(path, Settings()).lines())


def test_words_before_a_letter_are_nouns_of_placeholders() -> None:
    marks = Placeholders(["Thesis A was read to Media Outlet B, said Samuel L. Jackson."], "en")
    assert {"thesis", "outlet", "person"} <= marks.nouns
    assert "samuel" not in marks.nouns
