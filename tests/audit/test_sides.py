"""Raw side and public side: nothing that derives from the anonymised timeline shows what the secret table holds."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.audit import leak_editions, leak_placeholders
from factory.audit.scan import scan_files
from factory.errors import BadInput
from factory.forecast.baselines import run as run_baselines
from factory.llm.replay import RAW_STAGES, files_of, read_file, stage_of
from factory.nameforms.normal_forms import NameSearch
from factory.recording import refuse_raw_recording
from factory.release import RELEASE, TABLE
from factory.release import run as release
from factory.segments import context_text, entity_refs, render
from schemas import (
    Alias,
    AnonNode,
    AnonStatement,
    DateRef,
    Entity,
    EntityRef,
    EventConfig,
    Number,
    Plain,
    ReplacementTable,
    SegmentText,
)
from tests import example_event as example
from tests.scripted import make_context

RECORDING = Path(__file__).resolve().parents[2] / "cassettes" / "small-demo"


@pytest.fixture(scope="module")
def recorded_table() -> ReplacementTable:
    """Every name that the recorded demo's model listed, in both languages."""
    calls = [
        line
        for file in files_of(RECORDING)
        if stage_of(file) == "anonymise"
        for line in read_file(file)
        if line.item == "entities"
    ]
    named = [entity for call in calls for entity in call.response["answer"]["entities"]]
    assert len(named) > 20
    return ReplacementTable(
        entities=tuple(
            Entity(
                entity_id=f"n{number}",
                cls=entity["kind"],
                label="A",
                aliases=tuple(
                    Alias(surface=name, lang="any", match="case" if name.isupper() or (len(name) <= 4 and name.isascii()) else "word", origin="model")
                    for name in dict.fromkeys([entity["name"], *entity["english"], *entity["chinese"], *entity["other"]])
                ),
            )
            for number, entity in enumerate(named)
        )
    )  # fmt: skip


def recorded(*, public: bool) -> Iterator[str]:
    """Calls of one side as they stand in the recording, prompts and answers."""
    for file in files_of(RECORDING):
        if (stage_of(file) in RAW_STAGES) != public:
            yield from (line.text() for line in read_file(file))


def test_no_recording_of_the_public_side_shows_a_name(recorded_table: ReplacementTable) -> None:
    calls = list(recorded(public=True))
    assert len(calls) > 20
    found = [words for _, words in NameSearch(recorded_table).find(calls)]
    assert found == []


def test_the_same_search_finds_names_in_every_call_on_raw_text(
    recorded_table: ReplacementTable,
) -> None:
    file = next(file for file in files_of(RECORDING) if stage_of(file) == "distil")
    calls = [line.text() for line in read_file(file)]
    assert {text for text, _ in NameSearch(recorded_table).find(calls)} == set(calls)


def test_no_prompt_of_an_auditor_shows_a_name(recorded_table: ReplacementTable) -> None:
    file = next(file for file in files_of(RECORDING) if stage_of(file) == "anonymise")
    prompts = [
        json.dumps(line.request, ensure_ascii=False)
        for line in read_file(file)
        if line.prompt == "anonymise/guess" and line.item.startswith("round-")
    ]
    assert len(prompts) >= 3
    assert [words for _, words in NameSearch(recorded_table).find(prompts)] == []


def test_the_table_is_never_part_of_a_release(tmp_path: Path) -> None:
    example.write_workspace(tmp_path)
    asyncio.run(run_baselines(make_context(tmp_path, "baselines")))
    ctx = make_context(tmp_path, "release", fictional=True, topic=example.TITLE)
    asyncio.run(release(ctx))
    table = ctx.workspace.read(ReplacementTable, TABLE)
    assert not TABLE.startswith(RELEASE)
    files = {
        path.relative_to(tmp_path / RELEASE).as_posix(): path.read_bytes()
        for path in sorted((tmp_path / RELEASE).rglob("*"))
        if path.is_file()
    }
    assert not [path for path in files if "secret" in path or "table" in path]
    assert scan_files(files, table) == []
    secret = (tmp_path / TABLE).read_bytes()
    assert not [path for path, data in files.items() if secret.strip() in data]
    # The scan above can fail: the table itself, put into the release, is found.
    assert "leak-name" in {f.rule for f in scan_files({**files, "key/points.json": secret}, table)}


DAYS = st.dates(date(2019, 1, 1), date(2029, 12, 1))
SEGMENTS = st.lists(
    st.one_of(
        st.builds(
            EntityRef, cls=st.sampled_from(sorted(leak_placeholders.CLASSES)), label=st.sampled_from(["A", "B", "K", "AB"])
        ),
        st.builds(
            lambda day, style: DateRef(start=day, end=day, precision="day", style=style), DAYS, st.sampled_from(["full", "short"])
        ),
        st.builds(lambda day: DateRef(start=day.replace(day=1), end=day.replace(day=28), precision="month", style="full"), DAYS),
        st.integers(1, 9999).map(lambda n: Number(text=str(n), value=float(n))),
        st.sampled_from([Plain(text=", "), Plain(text=" -- "), Plain(text="; ")]),
    ),
    min_size=1,
    max_size=7,
).map(tuple)  # fmt: skip


def parted(text: SegmentText) -> SegmentText:
    """Segments with a comma between any two, as in a sentence."""
    comma = Plain(text=", ")
    return tuple(part for segment in text for part in (segment, comma))


@given(SEGMENTS)
@settings(max_examples=150)
def test_both_editions_show_the_same_references_days_and_figures(text: SegmentText) -> None:
    text = parted(text)
    en, zh = render(text, "en"), render(text, "zh")
    shown = [
        Counter((cls, label) for cls, label, *_ in leak_placeholders.placeholders(edition))
        for edition in (en, zh)
    ]
    assert shown[0] == shown[1] == entity_refs(text)
    assert [kind for kind, _ in leak_placeholders.broken(zh, ours=True) if kind != "doubled"] == []
    contexts = {
        f"contexts/{lang}/p1.md": f"### 2025-01-01\n\n{words}\n"
        for lang, words in (("en", en), ("zh", zh))
    }
    assert list(leak_editions.unequal_editions(contexts, {}, leak_editions.OURS)) == []


@given(st.lists(SEGMENTS, min_size=2, max_size=5), st.data())
@settings(max_examples=60)
def test_every_context_is_the_beginning_of_its_master(
    texts: list[SegmentText], data: st.DataObject
) -> None:
    nodes = [
        AnonNode(
            node_id=f"n{number}",
            date=date(2025, 1, 1) + timedelta(days=7 * number),
            fact=(AnonStatement(statement_id="s", text={"en": text, "zh": text}),),
        )
        for number, text in enumerate(map(parted, texts))
    ]
    whole = {
        f"timeline/{lang}.md": context_text(nodes, lang)
        for lang in ("en", "zh")
    }  # fmt: skip
    points = {
        f"contexts/{lang}/p{n}.md": context_text(nodes[:n], lang)
        for lang in ("en", "zh")
        for n in range(1, len(nodes))
    }
    assert list(leak_editions.unequal_prefixes({**whole, **points}, leak_editions.OURS)) == []
    path = data.draw(st.sampled_from(sorted(points)))
    at = data.draw(st.integers(20, len(points[path].rstrip()) - 1))
    changed = points[path][:at] + "\u2603" + points[path][at + 1 :]
    found = list(
        leak_editions.unequal_prefixes({**whole, **points, path: changed}, leak_editions.OURS)
    )
    assert len(found) == 1
    assert found[0].startswith(path)


def test_sources_of_a_real_event_are_not_recorded_inside_a_repository(tmp_path: Path) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    inside = tmp_path / "repository" / "cassettes" / "new"
    real = EventConfig(slug="test", topic="t", fictional=False)
    with pytest.raises(BadInput, match="repository"):
        refuse_raw_recording(inside, real)
    refuse_raw_recording(inside, real.model_copy(update={"fictional": True}))
    refuse_raw_recording(tmp_path / "elsewhere", real)
