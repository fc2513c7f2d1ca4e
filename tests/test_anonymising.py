"""`factory anonymise`: a timeline of one's own comes out anonymised, or one sentence says why not."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factory.anonymise.asked import ADVISORY
from factory.anonymise.given import NodeRow, read_given
from factory.anonymising import check_places, event_of, hand_out
from factory.cli import app
from factory.errors import BadInput, FactoryError, GateRefused, ReviewWaiting
from factory.events import Event, open_event, update
from factory.llm.replay import record_answers
from factory.nameforms.normal_forms import NameSearch
from factory.report import write_report
from factory.running import run_event
from schemas import (
    AnonTimeline,
    AnonymisationCard,
    DateRef,
    Decision,
    DriftFlag,
    ReplacementTable,
    ReviewRequest,
    SegmentText,
    Shift,
    Timeline,
)
from sources.imports.timeline import read_timeline

STORY = """# The Brinmoor tram strike

### 2026-01-06

**Event**: The Tramworkers Union of Brinmoor called a strike from Monday, January 12, 2026. Velloway said that it would lose 4.2 million a day.

**Public Opinion**: Most posts backed the union and few backed Velloway.

### 2026-01-13

**Event**: Trams in Brinmoor stood still on January 12 for the first time in 31 years.
"""
NAMES = {
    "Tramworkers Union of Brinmoor": "GRP",
    "Brinmoor": "PLC",
    "Velloway": "COM",
}
CLASSES = {
    "Company": "COM", "Person": "PER", "Organization": "ORG", "Form": "DOC", "Market": "ORG", "Chipmaker": "COM",
    "Auditor": "COM", "Bank": "COM", "Seller": "COM", "Exchange": "ORG", "Country": "CTY", "Platform": "PLT",
    "Product": "PRD", "Region": "PLC", "City": "PLC", "Official": "PER", "Currency": "PRD",
    "公司": "COM", "人物": "PER", "机构": "ORG", "表格": "DOC", "市场": "ORG", "芯片商": "COM", "交易所": "ORG",
    "国家": "CTY", "平台": "PLT", "产品": "PRD", "地区": "PLC", "城市": "PLC", "货币": "PRD", "银行": "COM",
}  # fmt: skip
"""Words of the published placeholders, and the class of an invented name in their stead."""


def entity(name: str, kind: str) -> dict[str, Any]:
    return {"name": name, "kind": kind, "english": [], "chinese": [], "other": []}


class Hand:
    """Writes manual mode's answers, as a patient person would."""

    def __init__(self, folder: Path, names: dict[str, str], drift: Iterable[Any] = ()) -> None:
        self.folder = folder
        self.names = names
        self.drift = list(drift)

    def answer(self, prompt: Path) -> dict[str, Any]:
        head = prompt.read_text(encoding="utf-8")
        kind = re.search(r"prompt: `anonymise/([\w-]+)`", head)
        assert kind is not None
        if kind[1] == "entities":
            return {"entities": [entity(name, cls) for name, cls in self.names.items()]}
        if kind[1] == "truth":
            names = list(self.names)
            return {"event_names": [f"{names[0]} affair"], "actors": names, "event_class": ["affair"]}  # fmt: skip
        if kind[1] == "drift":
            return {"problems": self.drift}
        guess: dict[str, Any] = {"event": "a quarrel elsewhere", "actors": [], "period_start": None, "period_end": None,
                 "confidence": 0.1, "quotes": []}  # fmt: skip
        return {"guesses": [guess], "leaks": []}

    def write(self) -> int:
        """Answer every prompt that waits; returns how many did."""
        done = 0
        for prompt in sorted(self.folder.rglob("*.prompt.md")):
            reply = prompt.with_name(prompt.name.replace(".prompt.md", ".answer.json"))
            if not reply.exists():
                reply.write_text(
                    json.dumps(self.answer(prompt), ensure_ascii=False), encoding="utf-8"
                )
                done += 1
        return done


def through(event: Event, hand: Hand) -> Event:
    """Run an event to the end of the stage, answering every prompt on the way."""
    for _ in range(6):
        code = 0
        try:
            run_event(event, to_stage="anonymise")
        except FactoryError as error:
            code = error.exit_code
        if code == 0:
            return open_event(event.workspace.root)
        assert code == 3
        assert hand.write()
    raise AssertionError("the event still waits for answers")


def decide(event: Event, choice: str, note: str = "") -> int:
    """Decide everything that must be decided in one way; returns how much that was."""
    decided = {decision.review_id for decision in event.workspace.decisions()}
    waiting: list[ReviewRequest] = [
        row
        for row in event.workspace.reviews()
        if row.review_id not in decided and row.kind not in ADVISORY
    ]
    for row in waiting:
        assert choice in row.options, row
        event.workspace.decide(
            Decision(
                stage=row.stage,
                review_id=row.review_id,
                choice=choice,
                note=note,
                decided_at=event.now,
            )
        )
    return len(waiting)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "strike.md"
    path.write_text(STORY, encoding="utf-8")
    return path


def made(path: Path, tmp_path: Path, **more: Any) -> Event:
    more = {"manual": str(tmp_path / "hand")} | more
    return event_of(path, tmp_path / "events", **more)


def test_a_timeline_comes_out_without_its_names_and_with_its_dates_moved(
    story: Path, tmp_path: Path
) -> None:
    event = through(made(story, tmp_path), Hand(tmp_path / "hand", NAMES))
    done = hand_out(event, tmp_path / "out", tmp_path / "safe" / "table.json")
    text = done.timeline.read_text(encoding="utf-8")
    assert done.lang == "en"
    # Nobody counted posts behind a timeline that was given.
    page = write_report(event.workspace).read_text(encoding="utf-8")
    assert "What people said" in page
    assert "post, mostly" not in page
    table = event.workspace.read(ReplacementTable, "secret/table.json")
    public = [path.read_text(encoding="utf-8") for path in (done.timeline, done.record, done.card)]
    assert list(NameSearch(table).find(public)) == []
    offset = event.workspace.read(Shift, "secret/shift.json").offset_days
    raw = event.workspace.read(Timeline, "03_timeline/timeline.json")
    moved = AnonTimeline.model_validate_json(done.record.read_bytes())
    assert offset % 7 == 0
    assert [(b.date - a.date).days for a, b in zip(raw.nodes, moved.nodes, strict=True)] == [
        offset,
        offset,
    ]
    assert "31 years" in text
    assert "4.2 million" in text
    # What is written is a timeline in the published format again.
    days = {paragraph.day for paragraph in read_timeline(text, "out").paragraphs}
    assert days == {node.date for node in moved.nodes}
    assert AnonymisationCard.model_validate_json(done.card.read_bytes()).drift_open == 0


def test_the_secret_table_lies_apart_and_is_for_its_owner_alone(
    story: Path, tmp_path: Path
) -> None:
    event = through(made(story, tmp_path), Hand(tmp_path / "hand", NAMES))
    done = hand_out(event, tmp_path / "out", tmp_path / "safe" / "table.json")
    body = json.loads(done.table.read_text(encoding="utf-8"))
    assert body["offset_days"] == event.workspace.read(Shift, "secret/shift.json").offset_days
    assert {e["aliases"][0]["surface"] for e in body["entities"]} == set(NAMES)
    assert stat.S_IMODE(done.table.stat().st_mode) == 0o600
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "card.json",
        "timeline.en.md",
        "timeline.json",
    ]
    without = hand_out(event, tmp_path / "out")
    assert without.table == event.workspace.path("secret/table.json")
    assert stat.S_IMODE(without.table.stat().st_mode) == 0o600
    with pytest.raises(BadInput, match="among the results"):
        hand_out(event, tmp_path / "out", tmp_path / "out" / "table.json")


def test_the_same_command_goes_on_with_the_same_event(story: Path, tmp_path: Path) -> None:
    first = made(story, tmp_path)
    with pytest.raises(FactoryError, match="answers are waiting"):
        run_event(first, to_stage="anonymise")
    again = made(story, tmp_path)
    assert again.keys == first.keys
    through(again, Hand(tmp_path / "hand", NAMES))
    assert not run_event(made(story, tmp_path), to_stage="anonymise").ran


def test_another_timeline_or_another_option_under_the_same_name_is_refused(
    story: Path, tmp_path: Path
) -> None:
    made(story, tmp_path)
    for option, value in (("zone", "Europe/Oslo"), ("lang", "zh"), ("offset_policy", "paper")):
        with pytest.raises(BadInput, match=r"was made with|written in"):
            made(story, tmp_path, **{option: value})
    story.write_text(STORY.replace("31 years", "13 years"), encoding="utf-8")
    with pytest.raises(BadInput, match="another timeline"):
        made(story, tmp_path)
    assert made(story, tmp_path, name="other").config.slug == "other"


def test_the_offset_policy_is_the_events_own(story: Path, tmp_path: Path) -> None:
    assert made(story, tmp_path, offset_policy="paper").settings.anonymise.offset_policy == "paper"


def test_a_clue_waits_for_a_person_then_is_let_stand_or_reworded(
    story: Path, tmp_path: Path
) -> None:
    story.write_text(
        STORY.replace("for the first time", "before Easter for the first time"), "utf-8"
    )
    event = through(made(story, tmp_path), Hand(tmp_path / "hand", NAMES))
    with pytest.raises(ReviewWaiting, match="Easter"):
        hand_out(event, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert decide(event, "let it stand")
    event = through(event, Hand(tmp_path / "hand", NAMES))
    # What a person lets stand goes out, and the card says what that is.
    done = hand_out(event, tmp_path / "let")
    assert "before Easter for the first time" in done.timeline.read_text(encoding="utf-8")
    allowed = json.loads(done.card.read_text(encoding="utf-8"))["allowed"]
    assert [(row["rule"], row["words"]) for row in allowed] == [("leak-calendar", "Easter")]
    # What was decided can be decided otherwise.
    (request,) = event.workspace.reviews()
    again = {"choice": "replace with the words of the note", "note": "a holiday"}
    event.workspace.decide(event.workspace.decisions()[-1].model_copy(update=again))
    event = through(event, Hand(tmp_path / "hand", NAMES))
    text = hand_out(event, tmp_path / "out").timeline.read_text(encoding="utf-8")
    assert "before a holiday for the first time" in text
    assert [row.review_id for row in event.workspace.reviews()] == [request.review_id]


SHROVE = (
    STORY.replace("stood still", "stood still on Shrove Tuesday")
    + "\n### 2026-01-20\n\n**Event**: Riders ate French fries and read Vellowey. Others ate French toast.\n"
)


def _before_panel(event: Event, hand: Hand) -> list[ReviewRequest]:
    """Run up to the questions of the scan; no prompt of the panel is written by then."""
    with pytest.raises(FactoryError):
        run_event(event, to_stage="anonymise")
    assert hand.write() == 2, "entities and truth card"
    with pytest.raises(
        ReviewWaiting, match=r"decisions wait before the panel.*factory review strike"
    ):
        run_event(event, to_stage="anonymise")
    assert not list(hand.folder.rglob("*auditor*"))
    return [row for row in event.workspace.reviews() if row.kind == "scan"]


def _settle(event: Event, request: ReviewRequest, choice: str, note: str = "") -> None:
    assert choice in request.options, request
    event.workspace.decide(
        Decision(
            stage=request.stage,
            review_id=request.review_id,
            choice=choice,
            note=note,
            decided_at=event.now,
        )
    )


def test_what_the_scan_refuses_is_asked_before_the_panel_and_can_always_be_settled(
    story: Path, tmp_path: Path
) -> None:
    story.write_text(SHROVE, "utf-8")
    hand = Hand(tmp_path / "hand", NAMES)
    event = made(story, tmp_path)
    fries, site, toast = _before_panel(event, hand)
    assert [row.question.split(":")[0] for row in (fries, site, toast)] == [
        "'French'",
        "'Vellowey'",
        "'French'",
    ]
    assert "let it stand" not in site.options, "a name of the table may stand nowhere"
    _settle(event, fries, "let it stand")
    _settle(event, toast, "remove it")
    _settle(event, site, "replace with the words of the note", "a page of protest")
    event = through(event, hand)
    (day,) = [row for row in event.workspace.reviews() if "Shrove Tuesday" in row.question]
    _settle(event, day, "replace with the words of the note", "a day of feasts")
    event = through(event, hand)
    done = hand_out(event, tmp_path / "out")
    text = done.timeline.read_text(encoding="utf-8")
    assert "ate French fries and read a page of protest. Others ate toast." in text
    assert "on a day of feasts" in text
    allowed = json.loads(done.card.read_text(encoding="utf-8"))["allowed"]
    assert [(row["rule"], row["words"]) for row in allowed] == [("leak-real-name", "French")]
    # Decided otherwise, it is asked again by the same id, and nothing of it is left in the card.
    _settle(event, fries, "remove it")
    event = through(event, hand)
    done = hand_out(event, tmp_path / "again")
    assert "French" not in done.timeline.read_text(encoding="utf-8")
    assert json.loads(done.card.read_text(encoding="utf-8"))["allowed"] == []


def test_a_name_that_a_person_hides_is_gone_from_every_place(story: Path, tmp_path: Path) -> None:
    story.write_text(SHROVE.replace("Vellowey", "it").replace("Shrove ", ""), "utf-8")
    hand = Hand(tmp_path / "hand", NAMES)
    event = made(story, tmp_path)
    fries, _ = _before_panel(event, hand)
    _settle(event, fries, "hide as Country")
    event = through(event, hand)
    text = hand_out(event, tmp_path / "out").timeline.read_text(encoding="utf-8")
    assert "French" not in text
    assert re.search(r"ate (Country [A-Z]) fries .* ate \1 toast", text)


def test_a_refused_scan_names_the_decisions_that_help(story: Path, tmp_path: Path) -> None:
    story.write_text(SHROVE, "utf-8")
    hand = Hand(tmp_path / "hand", NAMES)
    event = made(story, tmp_path)
    asked = _before_panel(event, hand)
    for row in asked:
        _settle(event, row, "remove it" if "Others" in row.detail else row.options[0], "a snack")
    event = through(event, hand)
    assert decide(event, "let it stand")
    event = through(event, hand)
    # As if the card had been made by an earlier version, which knew nothing of words let stand.
    card = event.workspace.read(AnonymisationCard, "04_anonymised/card.json")
    assert [row.words for row in card.allowed] == ["Shrove Tuesday"]
    event.workspace.write("04_anonymised/card.json", card.model_copy(update={"allowed": ()}))
    (day,) = [row for row in event.workspace.reviews() if "Shrove Tuesday" in row.question]
    with pytest.raises(GateRefused, match=rf"decide otherwise on {day.review_id} \(`factory"):
        hand_out(event, tmp_path / "out")


def test_rare_words_that_a_person_refuses_are_not_handed_out(story: Path, tmp_path: Path) -> None:
    """Nothing waits for the question about rare words, but a no counts."""
    story.write_text(
        STORY.replace("stood still", "and their catenary pantographs stood still"), "utf-8"
    )
    event = through(made(story, tmp_path), Hand(tmp_path / "hand", NAMES))
    (asked,) = [row for row in event.workspace.reviews() if row.kind == "words"]
    assert "catenary" in asked.detail
    hand_out(event, tmp_path / "out")
    event.workspace.decide(
        Decision(
            stage=asked.stage,
            review_id=asked.review_id,
            choice="must change",
            note="",
            decided_at=event.now,
        )
    )
    event = through(event, Hand(tmp_path / "hand", NAMES))
    with pytest.raises(GateRefused, match="rare words must change"):
        hand_out(event, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_what_is_left_out_of_a_timeline_is_said(story: Path, tmp_path: Path) -> None:
    story.write_text(STORY.replace("**Event**", "Unlabelled words.\n\n**Event**", 1), "utf-8")
    said: list[str] = []
    made(story, tmp_path, say=said.append)
    assert any("1 line left out" in line and "Unlabelled words." in line for line in said)


def test_a_day_in_another_writing_is_its_own_day_and_text_of_no_day_is_said(
    story: Path, tmp_path: Path
) -> None:
    assert "### 2026-01-13" in STORY
    text = STORY.replace("### 2026-01-13", "### 13 January 2026")
    text += "\n### Afterwards\n\n**Event**: Trams ran again.\n"
    story.write_text(text, "utf-8")
    said: list[str] = []
    event = made(story, tmp_path, say=said.append)
    raw = event.workspace.read(Timeline, "03_timeline/timeline.json")
    assert [node.date for node in raw.nodes] == [date(2026, 1, 6), date(2026, 1, 13)]
    assert "ran again" not in raw.model_dump_json()
    number = text.split("\n").index("### Afterwards") + 1
    assert any("left out" in line and f"line {number}: ### Afterwards" in line for line in said)
    row = json.dumps({"date": "2026年1月13日", "event": "x"})
    assert NodeRow.model_validate_json(row).date == date(2026, 1, 13)
    row = json.dumps({"date": "2026-01-13T00:00:00.000", "event": "x"})
    assert NodeRow.model_validate_json(row).date == date(2026, 1, 13)


def test_a_clue_that_is_reworded_goes_out(story: Path, tmp_path: Path) -> None:
    story.write_text(
        STORY.replace("for the first time", "before Easter for the first time"), "utf-8"
    )
    event = made(story, tmp_path)
    raw = event.workspace.read(Timeline, "03_timeline/timeline.json")
    fact = raw.nodes[1].fact
    assert fact is not None
    repair = {
        "statement_id": fact.statements[0].statement_id,
        "words": "before Easter",
        "problem": "a holiday",
        "remedy": "replace",
        "replacement": "before a holiday",
    }
    event = through(event, Hand(tmp_path / "hand", NAMES, [repair]))
    text = hand_out(event, tmp_path / "out").timeline.read_text(encoding="utf-8")
    assert "before a holiday for the first time" in text
    flags = event.workspace.read_lines(DriftFlag, "04_anonymised/drift.jsonl")
    assert [flag.state for flag in flags] == ["repaired"]


def test_a_recognised_timeline_is_not_handed_out(story: Path, tmp_path: Path) -> None:
    class Knows(Hand):
        def answer(self, prompt: Path) -> dict[str, Any]:
            reply = super().answer(prompt)
            for guess in reply.get("guesses", ()):
                guess["event"] = f"{next(iter(NAMES))} affair"
            return reply

    event = through(made(story, tmp_path), Knows(tmp_path / "hand", NAMES))
    with pytest.raises(ReviewWaiting):
        hand_out(event, tmp_path / "out")
    assert decide(event, "keep it blocked")
    event = through(event, Knows(tmp_path / "hand", NAMES))
    with pytest.raises(GateRefused, match="the panel ended with HIGH"):
        hand_out(event, tmp_path / "out")


def test_a_recording_of_an_invented_timeline_plays_again(story: Path, tmp_path: Path) -> None:
    recording = tmp_path / "recording"
    recording.mkdir()
    (recording / "run.toml").write_text(
        "now = 2026-06-01T00:00:00Z\nscripted = true\n"
        '[event]\ntopic = "the Brinmoor tram strike"\nfictional = true\n'
        '[keys]\npublic_id = "e1"\nsalt = "salt-of-a-test"\noffset_days = -63\n',
        encoding="utf-8",
    )
    first = made(story, tmp_path, manual=None, replay=str(recording))
    update(first.workspace.root, {"mode": "manual", "manual_dir": str(tmp_path / "hand")})
    by_hand = through(open_event(first.workspace.root), Hand(tmp_path / "hand", NAMES))
    assert record_answers(by_hand.workspace, by_hand.config, recording)
    again = event_of(story, tmp_path / "elsewhere", replay=str(recording))
    assert run_event(again, to_stage="anonymise").ran == ["anonymise"]
    texts = [
        hand_out(event, tmp_path / name).timeline.read_bytes()
        for event, name in ((by_hand, "a"), (again, "b"))
    ]
    assert texts[0] == texts[1]


def test_days_a_line_say_the_same_as_markdown(tmp_path: Path) -> None:
    rows = [
        {"date": "2026-01-13", "event": ["Trams stood still.", "Nobody was hurt."]},
        {
            "date": "2026-01-06",
            "fact": "A strike was called.\n### 2026-02-02",
            "opinion": "Anger was the mood.",
        },
        {
            "node_id": "n1",
            "date": "2026-01-20",
            "follows": ["n0"],
            "fact": {"statements": [{"text": "It ended.", "statement_id": "s"}]},
            "opinion": {"statements": [{"text": "Relief was the mood."}], "emotion": "joy"},
        },
    ]
    path = tmp_path / "days.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    parsed = read_timeline(read_given(path, None).text, "days")
    assert [(p.day.day, p.part, p.text) for p in parsed.paragraphs] == [
        (6, "fact", "A strike was called. ### 2026-02-02"),
        (6, "opinion", "Anger was the mood."),
        (13, "fact", "Trams stood still. Nobody was hurt."),
        (20, "fact", "It ended."),
        (20, "opinion", "Relief was the mood."),
    ]
    event = made(path, tmp_path)
    raw = event.workspace.read(Timeline, "03_timeline/timeline.json")
    assert [node.date for node in raw.nodes] == [date(2026, 1, day) for day in (6, 13, 20)]
    assert made(path, tmp_path).keys == event.keys


def test_our_own_nodes_are_rows(story: Path, tmp_path: Path) -> None:
    event = made(story, tmp_path)
    raw = event.workspace.read(Timeline, "03_timeline/timeline.json")
    for node in raw.nodes:
        row = NodeRow.model_validate_json(node.model_dump_json())
        assert node.fact is not None
        assert row.facts == " ".join(s.text for s in node.fact.statements)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.md", "no timeline here", ["has no timeline", "### YYYY-MM-DD"]),
        ("a.md", "### 2026-13-40\n\n**Event**: x", ["2026-13-40", "no day"]),
        ("a.md", "", ["has no timeline"]),
        ("a.jsonl", "", ["is empty", "one day a line"]),
        ("a.jsonl", "{", ["line 1", "one day a line"]),
        ("a.jsonl", '{"date": "2026-01-05"}', ["line 1", "needs a fact"]),
        ("a.jsonl", '{"date": "soon", "event": "x"}', ["line 1", "date"]),
        (
            "a.jsonl",
            '{"date": "2100-01-05", "event": "x"}',
            ["line 1", "2100-01-05", "outside the years"],
        ),
        (
            "a.jsonl",
            '{"date": "9999-01-05", "event": "x"}',
            ["line 1", "9999-01-05", "1900 to 2099"],
        ),
        ("a.jsonl", '{"date": "01/02/2026", "event": "x"}', ["line 1", "more than one day"]),
        ("a.jsonl", '{"date": 1767657600, "event": "x"}', ["line 1", "1767657600", "no day"]),
        (
            "a.md",
            "### 2026-01-06\n\n**Event**: x\n\n### Jan 7\n\n**Event**: y",
            ["line 5", "Jan 7", "### YYYY"],
        ),
        ("a.jsonl", '{"date": "2026-01-05", "news": "x"}', ["line 1", "news"]),
    ],
)
def test_a_wrong_file_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, name: str, content: str, words: list[str]
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    result = CliRunner().invoke(
        app,
        ["anonymise", str(tmp_path / name), "--workspace", str(tmp_path / "events")],
    )
    assert isinstance(result.exception, BadInput)
    assert all(word in str(result.exception) for word in words), result.exception
    assert not (tmp_path / "events").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.md"], "missing.md does not exist"),
        (["nothing"], "no event 'nothing'"),
        (["strike.md", "--lang", "fr"], "en or zh"),
        (["strike.md", "--offset-policy", "random"], "weeks or paper"),
        (["strike.md", "--zone", "Mars/Base"], "Mars/Base"),
        (["strike.md", "--lang", "zh"], "written in English"),
        (["strike.md", "--manual", "a", "--replay", "demo"], "exclude each other"),
        (["strike.md", "--name", "../up"], "folder name"),
        (["strike.md", "--out", "strike.md"], "is a file"),
        (["strike.md", "--out", "."], "other files"),
        (["strike.md", "--out", "o", "--table", "o/t.json"], "among the results"),
        (["nothing", "--name", "x"], "no file was given"),
    ],
)
def test_a_wrong_option_is_one_sentence_and_leaves_nothing(
    story: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(story.parent)
    result = CliRunner().invoke(app, ["anonymise", *arguments])
    assert isinstance(result.exception, BadInput), result.output
    assert words in str(result.exception)
    assert not Path("workspaces").exists()


def test_results_never_land_in_the_secret_folder(tmp_path: Path) -> None:
    root = tmp_path / "events" / "e"
    for out in (root / "secret", root / "secret" / "deep"):
        with pytest.raises(BadInput, match="secret folder"):
            check_places(root, out, None)


def test_the_command_waits_then_prints_where_everything_is(
    story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(story.parent)
    command = ["anonymise", "strike.md", "--manual", "hand", "--table", "safe/t.json"]
    hand = Hand(story.parent / "hand", NAMES)
    for _ in range(6):
        result = CliRunner().invoke(app, command)
        if result.exception is None:
            break
        assert isinstance(result.exception, FactoryError)
        assert result.exception.exit_code == 3
        assert hand.write()
    lines = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    assert lines["timeline"] == "workspaces/strike/anonymised/timeline.en.md"
    assert lines["secret table"] == "safe/t.json"
    assert all(Path(path).is_file() for path in lines.values())
    assert "the Chinese one is made by the stage translate" in result.stderr
    assert "the panel is not evaluated: the panel's answers are scripted" in result.stderr
    again = CliRunner().invoke(app, ["anonymise", "strike", "--json"])
    assert json.loads(again.stdout)["lang"] == "en"
    other = CliRunner().invoke(app, ["anonymise", "strike", "--lang", "zh"])
    assert "was made with lang 'en'" in str(other.exception)


def _named(text: str, lang: str) -> tuple[str, dict[str, str]]:
    """A published text with an invented name for every placeholder, and the names with their classes."""
    words = "|".join(sorted(CLASSES, key=len, reverse=True))
    pattern = rf"\b({words}) ([A-Z]\d?)\b" if lang == "en" else rf"({words})([A-Z]\d?)(?![A-Za-z])"
    starts = ("Vel", "Tar", "Mor", "Quin", "Lor", "Bras") if lang == "en" else tuple("维塔莫昆洛布")
    ends = ("mora", "quen", "dasko", "vinne", "strel", "hollen") if lang == "en" else (
        "尔拉", "昆斯", "达科", "维恩", "斯特", "霍伦")  # fmt: skip
    found: dict[tuple[str, str], str] = {}

    def name(match: re.Match[str]) -> str:
        key = (match[1], match[2])
        if key not in found:
            number = len(found)
            found[key] = starts[number % 6] + ends[number // 6 % 6] + (
                "" if number < 36 else ends[number % 5]
            )  # fmt: skip
        return found[key]

    return re.sub(pattern, name, text), {value: CLASSES[key[0]] for key, value in found.items()}


def _texts(timeline: AnonTimeline) -> list[SegmentText]:
    return [
        statement.text[timeline.lang]
        for node in timeline.nodes
        for statement in (*node.fact, *(node.opinion.statements if node.opinion else ()))
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_real_timeline_keeps_its_days_figures_and_statements(
    testdata: Path, tmp_path: Path, lang: str
) -> None:
    source = sorted((testdata / "official" / "demo" / lang / "event5_smci").glob("P*_context.md"))
    text, names = _named(source[1].read_text(encoding="utf-8"), lang)
    assert len(names) > 5
    path = tmp_path / "real.md"
    path.write_text(text, encoding="utf-8")
    event = through(made(path, tmp_path), Hand(tmp_path / "hand", names))
    assert event.config.lang == lang
    raw = event.workspace.read(Timeline, "03_timeline/timeline.json")
    public = event.workspace.read(AnonTimeline, "04_anonymised/timeline.json")
    offset = event.workspace.read(Shift, "secret/shift.json").offset_days
    assert [(b.date - a.date).days for a, b in zip(raw.nodes, public.nodes, strict=True)] == [
        offset
    ] * len(raw.nodes)
    flags = event.workspace.read_lines(DriftFlag, "04_anonymised/drift.jsonl")
    # Code sees nothing but the clues that rules cannot settle: no figure, reference, date or grammar is lost.
    clues = re.compile(
        r"cannot be shifted by rule|outside every date mention|was not replaced|tag or address"
    )
    assert [flag for flag in flags if not clues.search(flag.problem)] == []
    assert sum(
        isinstance(segment, DateRef) for text in _texts(public) for segment in text
    ) > 2 * len(raw.nodes)
    # Every open flag is put to a person, and nothing goes out before each is settled.
    asked = [row for row in event.workspace.reviews() if row.kind not in ADVISORY]
    assert sum(flag.state == "open" for flag in flags) == len(asked) > 0
    with pytest.raises(ReviewWaiting):
        hand_out(event, tmp_path / "out")
    note = {"en": "accounting period", "zh": "会计期间"}[lang]
    decide(event, "replace with the words of the note", note)
    event = through(event, Hand(tmp_path / "hand", names))
    done = hand_out(event, tmp_path / "out")
    shown = done.timeline.read_text(encoding="utf-8")
    assert shown.count(note) == len(flags)
    assert not [name for name in names if name in shown]
    table = event.workspace.read(ReplacementTable, "secret/table.json")
    assert list(NameSearch(table).find([shown, done.record.read_text(encoding="utf-8")])) == []
