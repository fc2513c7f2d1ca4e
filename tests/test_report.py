"""The private report: self-contained, safe with hostile sources, and honest about what is missing."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.bundle import build_files
from factory.evidence import clip, readable, safe_link
from factory.forecast.baselines import run as run_baselines
from factory.release import load_bundle, replace_folder
from factory.report import REPORT, write_report
from factory.report_public import visible
from factory.report_volume import OTHERS, Volume, volume_of
from factory.workspace import Workspace
from schemas import (
    LANGS,
    AnonymisationCard,
    CheckReport,
    Finding,
    Forecast,
    Gate,
    Keys,
    Span,
    StageRecord,
    WorkspaceManifest,
)
from tests import example_event as example
from tests.scripted import make_context

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


class Page(HTMLParser):
    """Tags, attributes and words of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


def page(workspace: Workspace) -> Page:
    return Page(write_report(workspace).read_text(encoding="utf-8"))


def said(workspace: Workspace) -> list[str]:
    lines: list[str] = []
    write_report(workspace, lines.append)
    return lines


def release(workspace: Workspace) -> None:
    """A bundle, whatever the gates say."""
    bundle = load_bundle(make_context(workspace.root, "release", fictional=True))
    replace_folder(workspace.path("09_release"), build_files(bundle))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    found = example.write_workspace(tmp_path / "harwick")
    asyncio.run(run_baselines(make_context(found.root, "baselines")))
    return found


def test_only_the_owner_may_read_it(workspace: Workspace) -> None:
    path = write_report(workspace)
    assert path == workspace.root / REPORT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_is_fetched_and_no_script_runs(workspace: Workspace) -> None:
    found = page(workspace)
    names = {tag for tag, _ in found.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    for tag, attributes in found.tags:
        assert not {"src", "srcset", "style", "background"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        if "href" in attributes:
            assert tag == "a"
            assert re.match(r"https?://|#", attributes["href"])
    html = workspace.path(REPORT).read_text(encoding="utf-8")
    assert "url(" not in html
    assert "@import" not in html


def test_every_sentence_shows_its_quotes_and_their_sources(workspace: Workspace) -> None:
    found = page(workspace)
    links = {attributes.get("href") for tag, attributes in found.tags if tag == "a"}
    for number, (day, raw, _, _) in enumerate(example.FACTS, 1):
        assert found.text.count(raw) >= 2
        assert day in found.text
        assert f"https://harwick-herald.example/{number}" in links
    assert "Give us the quay back" in found.text
    assert "mostly anger" in found.text


def test_shares_have_a_text_alternative(workspace: Workspace) -> None:
    found = page(workspace)
    bars = [attributes for tag, attributes in found.tags if tag == "svg"]
    assert "support 10%, oppose 60%, question 20%, neutral 10%" in [
        bar.get("aria-label") for bar in bars
    ]
    shown = [bar for bar in bars if bar.get("aria-hidden") != "true"]
    assert all(bar["role"] == "img" for bar in shown)
    described = sum(tag == "desc" for tag, _ in found.tags)
    assert sum("aria-label" in bar for bar in shown) + described == len(shown)


def test_every_table_of_the_private_report_has_a_caption(workspace: Workspace) -> None:
    tags = Counter(tag for tag, _ in page(workspace).tags)
    assert tags["table"] == tags["caption"] >= 9


# -- the course of the event ---------------------------------------------------------------------


def test_volume_is_counted_by_day_and_platform_in_the_zone_of_the_event() -> None:
    late = example.items()[0].model_copy(
        update={"item_id": "late", "published_at": datetime(2026, 1, 5, 23, 30, tzinfo=UTC)}
    )
    month = late.model_copy(update={"item_id": "month", "precision": "month"})
    early = late.model_copy(
        update={"item_id": "early", "published_at": datetime(2020, 1, 1, tzinfo=UTC)}
    )
    span = Span(observed_from=date(2026, 1, 5), observed_until=date(2026, 5, 20))
    rows = [*example.items(), late, month, early]
    volume = volume_of(rows, "Asia/Tokyo", span)
    assert volume.platforms == ("web", "mastodon")
    assert dict(volume.days)[date(2026, 1, 6)] == (1, 0)
    assert dict(volume.days)[date(2026, 1, 5)] == (1, 1)
    assert volume.totals == (9, 8)
    assert (volume.outside, volume.undated) == (1, 1)
    assert sum(volume.totals) + volume.outside + volume.undated == len(rows)


def test_rare_platforms_are_drawn_together_and_none_is_lost() -> None:
    rows = [
        item.model_copy(update={"item_id": f"{item.item_id}-{n}", "platform": f"p{n}"})
        for n in range(9)
        for item in example.items()[: 16 - n]
    ]
    span = Span(observed_from=date(2026, 1, 1), observed_until=date(2026, 6, 30))
    volume = volume_of(rows, "UTC", span)
    assert volume.platforms == ("p0", "p1", "p2", "p3", "p4", OTHERS)
    assert sum(volume.totals) == len(rows)
    assert volume.totals[-1] == sum(16 - n for n in range(5, 9))


@given(st.integers(1, 40), st.integers(0, 400))
def test_weeks_hold_what_their_days_held(step: int, days: int) -> None:
    first = date(2026, 1, 1)
    counts = tuple((first + timedelta(days=n), (1, n % 3)) for n in range(0, days, 2))
    volume = Volume(("a", "b"), counts, 0, 0)
    steps = volume.steps(first, step)
    assert sum(sum(row) for _, row in steps) == sum(volume.totals)
    assert all((day - first).days % step == 0 for day, _ in steps)


def test_the_course_repeats_in_tables(workspace: Workspace) -> None:
    found = page(workspace)
    assert "Course of the event" in found.text
    for words in ("Items a day, by platform", "Shares of posts by stance", "Days with news"):
        assert words in found.text
    drawn = [a for tag, a in found.tags if tag == "circle" and a["class"] == "fact"]
    assert len(drawn) == 2 * len(example.FACTS)
    cuts = [a for tag, a in found.tags if tag == "path" and a["class"] == "cut"]
    assert len(cuts) == 2 * len(example.CUTOFFS)


def test_a_zone_that_does_not_exist_is_named(workspace: Workspace) -> None:
    path = workspace.path("03_timeline/timeline.json")
    path.write_text(path.read_text().replace("Europe/London", "Europe/Nowhere"))
    (line,) = said(workspace)
    assert "Europe/Nowhere" in line


def test_scores_by_point_hold_the_systems_that_sat_the_exam(workspace: Workspace) -> None:
    text = page(workspace).text
    assert "Scores by point" in text
    assert "oracle" not in text
    rows = [
        Forecast(
            system="oracle",
            run="r1",
            ref=question.question_id,
            axis="calibration",
            point_id=question.point_id,
            lang=lang,
            probability=float(question.answer),
            status="answered",
        )
        for question in example.questions()
        for lang in LANGS
    ]
    workspace.write_lines("runs/r1/forecasts.jsonl", rows)
    found = page(workspace)
    assert "oracle" in found.text
    dots = [a for tag, a in found.tags if tag == "circle" and a["class"] == "c0" and "cy" in a]
    assert {a["cy"] for a in dots if a["r"] == "3.2"} == {"8"}, "a perfect score lies at the top"


def test_a_question_is_traced_to_its_sources_in_both_editions(workspace: Workspace) -> None:
    text = page(workspace).text
    question = next(q for q in example.questions() if q.answer == 1)
    assert question.text["en"] in text
    assert question.text["zh"] in text
    number = int(question.evidence[0].node_id[1:])
    assert f"Anonymised timeline, {question.evidence[0].happened_on}" in text
    assert f"From the sentence: {example.FACTS[number - 1][1]}" in text


def test_what_happened_after_its_window_is_told_apart_from_what_never_did(
    workspace: Workspace,
) -> None:
    late = [q for q in example.questions() if q.answer == 0 and q.evidence]
    never = [q for q in example.questions() if q.answer == 0 and not q.evidence]
    assert late
    assert never
    text = page(workspace).text
    assert text.count("It happened, but after the window:") == 1
    assert text.count("Nothing in the later timeline says that it happened.") == 2


def test_figures_rejects_and_costs_are_shown(workspace: Workspace) -> None:
    workspace.write(
        "08_bank/check.json",
        CheckReport(
            target="e-test",
            findings=(Finding(rule="leak-alias", count=1, examples=("contexts/en/t-1.md",)),),
            shortcuts={},
            gates=(
                Gate(
                    name="identity",
                    state="not evaluated",
                    measure="panel grade UNKNOWN",
                    reason="no panel",
                    forceable=False,
                ),
            ),
        ),
    )
    text = page(workspace).text
    for words in (
        "fictional event",
        "not released",
        "duplicate",
        "i99: copy of i1",
        "18,000",
        "0.0180",
        "not evaluated",
        "no panel",
        "leak-alias",
        "one page had moved",
        "bucket midpoint",
        "50.0",
    ):
        assert words in text


def test_hostile_texts_are_shown_as_text(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path)
    items = [
        row.model_copy(update={"title": HOSTILE, "url": "javascript:alert(3)", "platform": HOSTILE})
        for row in example.items()
    ]
    workspace.write_lines("01_items/items.jsonl", items)
    timeline = workspace.path("03_timeline/timeline.json")
    escaped = HOSTILE.replace('"', '\\"')
    timeline.write_text(
        timeline.read_text()
        .replace("Give us the quay back", escaped)
        .replace(example.TITLE, escaped)
    )
    rejected = workspace.path("rejected.jsonl")
    rejected.write_text(rejected.read_text().replace("copy of i1", escaped))
    manifest = workspace.read(WorkspaceManifest, "manifest.json")
    failed = StageRecord(name="anonymise", state="failed", message=HOSTILE)
    workspace.write(
        "manifest.json",
        manifest.model_copy(update={"stages": manifest.stages | {"anonymise": failed}}),
    )
    found = page(workspace)
    names = {tag for tag, _ in found.tags}
    assert not names & {"script", "img"}
    assert not any(name.startswith("on") for _, attrs in found.tags for name in attrs)
    assert not any("javascript" in attrs.get("href", "") for _, attrs in found.tags)
    assert "javascript:alert(3)" in found.text
    assert found.text.count("<script>alert(1)</script>") > 10


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//host/x",
        "https://",
        "https:///x",
        "http://[broken",
        "https://a b",
        "",
    ],
)
def test_only_plain_web_addresses_become_links(url: str) -> None:
    assert not safe_link(url)


@given(st.text())
def test_a_link_always_starts_as_a_web_address(url: str) -> None:
    if safe_link(url):
        assert url.lower().startswith(("http://", "https://"))


def test_ordinary_addresses_stay_links() -> None:
    assert safe_link("https://news.example/a?b=1&c=新闻#top")
    assert safe_link("http://news.example:8080/")


@pytest.mark.parametrize("keep", [0, 1, 3, 5, 8, 12, 16])
def test_a_run_that_stopped_early_shows_what_exists(tmp_path: Path, keep: int) -> None:
    workspace = example.write_workspace(tmp_path / "stopped")
    files = sorted(
        path for path in workspace.root.rglob("*") if path.is_file() and path.name != "event.toml"
    )
    for path in files[keep:]:
        path.unlink()
    found = page(workspace)
    assert example.TITLE in found.text
    assert "not released" in found.text
    assert "cannot" not in found.text


def test_a_damaged_artefact_is_named_and_the_rest_is_shown(workspace: Workspace) -> None:
    workspace.path("08_bank/questions.jsonl").write_text('{"question_id": 1}\n')
    text = page(workspace).text
    assert "08_bank/questions.jsonl line 1 is damaged" in text
    assert "The mayor resigns." in text


@pytest.mark.parametrize(
    "path",
    [
        "04_anonymised/timeline.json",  # not shown, since the editions are
        "03_timeline/timeline.json",
        "06_claims/pairs.jsonl",
        "secret/table.json",
        "reviews.jsonl",
        "decisions.jsonl",
        "rejected.jsonl",
        "manifest.json",
    ],
)
def test_whatever_is_damaged_is_named_on_the_page_and_said(workspace: Workspace, path: str) -> None:
    assert not said(workspace)
    file = workspace.path(path)
    data = file.read_bytes().rstrip() if file.exists() else b"{}"
    file.write_bytes(data[:-1])
    (line,) = said(workspace)
    assert line.startswith("the report leaves out what is damaged: ")
    assert f"{path} " in line
    notes = page(workspace)
    assert line.partition(": ")[2].replace("`", "") in notes.text


def test_the_command_says_on_stderr_what_it_left_out(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    from factory.cli.bank import report

    workspace.write("secret/keys.json", Keys(public_id="e-test", salt="salt"))
    workspace.path("04_anonymised/timeline.json").write_text('{"public_id": "e')
    report(str(workspace.root))
    out, err = capsys.readouterr()
    assert out == f"{workspace.path(REPORT)}\n"
    assert "04_anonymised/timeline.json is damaged" in err


def test_a_damaged_bundle_is_named(workspace: Workspace) -> None:
    release(workspace)
    assert not said(workspace)
    (workspace.root / "09_release" / "key" / "pairs.jsonl").write_text("")
    (line,) = said(workspace)
    assert "key/pairs.jsonl" in line


def test_days_are_called_released_only_when_they_are(workspace: Workspace) -> None:
    text = page(workspace).text
    assert "Anonymised timeline," in text
    assert "anonymised as" in text
    assert "As released" not in text
    assert "Released timeline" not in text
    assert "released as" not in text
    assert "the release" not in text
    release(workspace)
    text = page(workspace).text
    assert "As released" in text
    assert "Released timeline," in text
    assert "released as" in text


def test_the_released_card_stands_before_that_of_the_stage(workspace: Workspace) -> None:
    path = workspace.path("04_anonymised/card.json")
    row = "differences between the editions"
    assert f"{row}\nnot evaluated" in card_rows(workspace)
    bundle = load_bundle(make_context(workspace.root, "release", fictional=True))
    known = replace(bundle, card=bundle.card.model_copy(update={"parity": 0}))
    replace_folder(workspace.path("09_release"), build_files(known))
    assert f"{row}\n0" in card_rows(workspace)
    changed = json.loads(path.read_text()) | {"mentions": 12345}
    path.write_text(json.dumps(changed))
    assert f"{row}\nnot evaluated" in card_rows(workspace), "a bundle of an earlier anonymisation"
    assert "12345 of" in card_rows(workspace)


def card_rows(workspace: Workspace) -> str:
    """The words of the part about the anonymisation, a cell a line."""
    html = write_report(workspace).read_text(encoding="utf-8")
    return visible(html.split('<section id="anonymised">')[1].split("</section>")[0])


def test_the_panel_that_counts_for_nothing_is_said_to(workspace: Workspace) -> None:
    text = card_rows(workspace)
    state = workspace.read(AnonymisationCard, "04_anonymised/card.json").panel_state
    assert state == "not evaluated"
    assert "Auditors: not evaluated; the replies as they stand would say: " in text


def test_a_stage_that_failed_says_why_at_the_top(workspace: Workspace) -> None:
    manifest = workspace.read(WorkspaceManifest, "manifest.json")
    failed = StageRecord(name="anonymise", state="failed", message="the endpoint is away")
    workspace.write(
        "manifest.json",
        manifest.model_copy(update={"stages": manifest.stages | {"anonymise": failed}}),
    )
    assert "anonymise failed: the endpoint is away" in page(workspace).text


def test_an_event_that_starts_anonymised_shows_its_released_days(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path / "e")
    for name in ("03_timeline/timeline.json", "01_items/items.jsonl", "02_corpus/documents.jsonl"):
        workspace.path(name).unlink()
    text = page(workspace).text
    assert "Authority B closes the night market" in text
    assert "机关B在消防检查后关闭" in text


def test_tokens_are_read_as_names_and_broken_ones_stay() -> None:
    assert readable("⟦GOV:B⟧ meets") == "Authority B meets"
    assert readable("⟦GOV:B meets") == "⟦GOV:B meets"
    assert clip("abcdef", 4) == "abc…"
