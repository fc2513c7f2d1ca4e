"""Two banks side by side: every question has one fate, figures stand beside each other, text fits the screen."""

from __future__ import annotations

import asyncio
import json
import shutil
import unicodedata
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from factory.bundle import Bundle, build_files
from factory.differing import compare
from factory.difftext import WIDTH, print_lines
from factory.errors import BadInput
from factory.events import open_event
from factory.forecast.baselines import run as run_baselines
from factory.regenerating import make_version
from factory.release import load_bundle
from factory.segments import from_tokens
from schemas import BankDiff, Gate, Question, RowsDiff
from tests import example_event as example
from tests.scripted import make_context
from tests.test_cli import factory

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    root = tmp_path_factory.mktemp("example")
    example.write_workspace(root)
    asyncio.run(run_baselines(make_context(root, "baselines")))
    ctx = make_context(root, "release", fictional=True, topic=example.TITLE)
    gates = (Gate(name="leak", state="passed", measure="0 leaks", forceable=False),)
    return replace(load_bundle(ctx), gates=gates)


def write(bundle: Bundle, folder: Path) -> Path:
    for path, data in build_files(bundle).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def against(bundle: Bundle, tmp_path: Path, **changes: object) -> BankDiff:
    """The comparison of the bundle with a changed copy."""
    other = replace(bundle, **changes)  # type: ignore[arg-type]
    return compare(write(bundle, tmp_path / "a"), write(other, tmp_path / "b"))


def fates(rows: RowsDiff) -> Counter[str]:
    """How many rows met which fate; each row of either side is counted once."""
    found = Counter(row.change for row in rows.changes)
    both = rows.same + found["relabelled"] + found["reworded"]
    assert rows.a == both + found["dropped"]
    assert rows.b == both + found["added"]
    return found


def reworded(question: Question, **changes: object) -> Question:
    return question.model_copy(update=changes)


def test_equal_banks_differ_in_nothing(bundle: Bundle, tmp_path: Path) -> None:
    found = against(bundle, tmp_path)
    assert found.questions.same == len(bundle.questions) > 0
    assert found.events.same == len(bundle.events) > 0
    assert not found.questions.changes
    assert not found.events.changes
    assert all(row.a == row.b for row in (*found.counts, *found.quotas, *found.scores))
    assert {row.name: row.a for row in found.counts}["questions"] == len(bundle.questions)


def test_another_answer_is_relabelled_and_other_words_are_reworded(
    bundle: Bundle, tmp_path: Path
) -> None:
    one, two, *rest = bundle.questions
    flipped = one.model_copy(update={"answer": 1 - one.answer, "text": {**one.text, "en": "New?"}})
    asked = two.model_copy(update={"text": {**two.text, "zh": "改写？"}})
    found = against(bundle, tmp_path, questions=(flipped, asked, *rest)).questions
    assert fates(found) == {"relabelled": 1, "reworded": 1}
    first, second = found.changes
    assert (first.id_a, first.answer_a, first.answer_b) == (
        one.question_id, str(one.answer), str(1 - one.answer),
    )  # fmt: skip
    assert second.text_a["zh"] != second.text_b["zh"] == "改写？"


def test_added_and_dropped_rows_are_listed(bundle: Bundle, tmp_path: Path) -> None:
    kept, events = bundle.questions[1:], bundle.events[1:]
    found = against(bundle, tmp_path, questions=kept, events=events)
    assert fates(found.questions) == {"dropped": 1}
    assert found.questions.changes[0].id_a == bundle.questions[0].question_id
    assert found.questions.changes[0].id_b == ""
    assert fates(found.events) == {"dropped": 1}
    back = compare(tmp_path / "b", tmp_path / "a")
    assert fates(back.questions) == {"added": 1}
    assert fates(back.events) == {"added": 1}


def test_a_dated_event_on_another_day_is_relabelled(bundle: Bundle, tmp_path: Path) -> None:
    event = bundle.events[0]
    moved = event.model_copy(update={"date": event.date + timedelta(days=1)})
    found = against(bundle, tmp_path, events=(moved, *bundle.events[1:])).events
    assert fates(found) == {"relabelled": 1}
    assert found.changes[0].answer_b == moved.date.isoformat()
    assert found.changes[0].window_days is None


def test_other_ids_are_matched_by_words_cutoff_and_window(bundle: Bundle, tmp_path: Path) -> None:
    """As of two events with other salts: nothing has a common id."""
    renamed = tuple(
        q.model_copy(update={"question_id": f"x{number}"})
        for number, q in enumerate(bundle.questions)
    )
    other = bundle.timeline.model_copy(update={"public_id": "e-other"})
    found = against(bundle, tmp_path, questions=renamed, timeline=other)
    assert found.questions.same == len(bundle.questions)
    assert "by words, cutoff and window" in found.notes[0]
    flipped = (renamed[0].model_copy(update={"answer": 1 - renamed[0].answer}), *renamed[1:])
    shutil.rmtree(tmp_path / "b")
    found = compare(
        tmp_path / "a", write(replace(bundle, questions=flipped, timeline=other), tmp_path / "b")
    )
    assert fates(found.questions) == {"relabelled": 1}
    assert found.questions.changes[0].id_b == "x0"


def test_a_claim_in_other_words_is_reworded_and_its_opposite_is_not(
    bundle: Bundle, tmp_path: Path
) -> None:
    question = next(q for q in bundle.questions if q.answer == 1)
    claim = next(c for c in bundle.claims if c.claim_id == question.claim_id)
    words = example_words(claim.text["en"])

    def with_claim(text: str, kind: str) -> dict[str, object]:
        new = claim.model_copy(
            update={
                "claim_id": "c-new",
                "kind": kind,
                "text": {"en": from_tokens(text), "zh": claim.text["zh"]},
            }
        )
        asked = tuple(
            q.model_copy(
                update={"question_id": q.question_id + "n", "claim_id": "c-new",
                        "text": {**q.text, "en": q.text["en"] + " Really?"}}
            )
            if q.claim_id == claim.claim_id
            else q
            for q in bundle.questions
        )  # fmt: skip
        return {"claims": (*bundle.claims, new), "questions": asked}

    count = sum(q.claim_id == claim.claim_id for q in bundle.questions)
    like = against(bundle, tmp_path / "1", **with_claim(words + " today", claim.kind)).questions
    assert fates(like) == {"reworded": count}
    variant = against(bundle, tmp_path / "2", **with_claim(words + " today", "variant")).questions
    assert fates(variant) == {"dropped": count, "added": count}
    unlike = against(
        bundle, tmp_path / "3", **with_claim("an utterly different thing comes about", claim.kind)
    ).questions
    assert fates(unlike) == {"dropped": count, "added": count}


def example_words(text: object) -> str:
    from factory.segments import to_tokens

    return to_tokens(text)  # type: ignore[arg-type]


def test_gates_and_figures_stand_side_by_side(bundle: Bundle, tmp_path: Path) -> None:
    gate = Gate(name="leak", state="failed", measure="2 leaks", reason="names", forceable=False)
    found = against(bundle, tmp_path, gates=(gate,), questions=bundle.questions[2:])
    assert [(g.name, g.state_a, g.state_b) for g in found.gates] == [("leak", "passed", "failed")]
    counts = {row.name: (row.a, row.b) for row in found.counts}
    assert counts["questions"] == (len(bundle.questions), len(bundle.questions) - 2)
    text = "\n".join(print_lines(found, limit=10))
    assert "A: 0 leaks" in text
    assert "B: 2 leaks" in text
    assert "<-" in text


# -- text ------------------------------------------------------------------------------------------


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def test_the_text_fits_its_width_in_both_languages(bundle: Bundle, tmp_path: Path) -> None:
    long_ones = tuple(
        q.model_copy(update={"text": {"en": q.text["en"], "zh": q.text["zh"] * 9}})
        for q in bundle.questions
    )
    odd = tuple(e.model_copy(update={"text": {**e.text, "en": "x" * 450}}) for e in bundle.events)
    lines = list(
        print_lines(against(bundle, tmp_path, questions=long_ones, events=odd), limit=None)
    )
    assert len(lines) > 50
    assert max(columns(line) for line in lines) <= WIDTH
    text = "".join(line.strip() for line in lines)
    assert long_ones[0].text["zh"] in text, "wrapped, never cut"
    assert "x" * 450 in text


def test_a_long_list_is_cut_with_its_count(bundle: Bundle, tmp_path: Path) -> None:
    found = against(bundle, tmp_path, questions=())
    total = len(bundle.questions)
    lines = list(print_lines(found, limit=3))
    assert any(f"… {total - 3} more dropped" in line for line in lines)
    assert sum("cutoff 2" in line for line in lines) == 3
    whole = list(print_lines(found, limit=None))
    assert sum("cutoff 2" in line for line in whole) == total
    assert not any("more dropped" in line for line in whole)


# -- the command -----------------------------------------------------------------------------------


def test_differences_are_no_failure_and_json_keeps_its_schema(
    bundle: Bundle, tmp_path: Path
) -> None:
    found = against(bundle, tmp_path, questions=bundle.questions[1:])
    done = factory("diff", "a", "b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 dropped" in done.stdout
    done = factory("diff", "a", "b", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert BankDiff.model_validate_json(done.stdout) == found
    assert str(tmp_path) not in done.stdout


def test_what_cannot_be_compared_is_one_sentence(bundle: Bundle, tmp_path: Path) -> None:
    write(bundle, tmp_path / "a")
    (tmp_path / "empty").mkdir()
    write(bundle, tmp_path / "torn")
    (tmp_path / "torn/key/questions.jsonl").write_text("{}\n")
    write(bundle, tmp_path / "foreign")
    (tmp_path / "foreign/manifest.json").write_text('{"manifest_version": 3}')
    for other, words in (
        ("nowhere", "does not exist"),
        ("empty", "neither an event nor a bundle"),
        ("torn", "differs from its manifest"),
        ("foreign", "manifest.json of the bundle is damaged"),
    ):
        done = factory("diff", "a", other, cwd=tmp_path)
        assert done.returncode == 2, other
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""


def test_a_version_that_was_not_run_says_so(finished_demo: Path, tmp_path: Path) -> None:
    root = tmp_path / "workspaces" / "demo"
    shutil.copytree(finished_demo, root)
    prompt = ROOT / "prompts" / "vet" / "audit.md"
    (tmp_path / "prompts" / "vet").mkdir(parents=True)
    (tmp_path / "prompts" / "vet" / "audit.md").write_text(
        prompt.read_text().replace("===user===", "Write plainly.\n===user===", 1)
    )
    version = make_version(open_event(root), tmp_path / "prompts").event.workspace.root
    found = compare(root, version)
    assert [row.name for row in found.prompts] == ["vet/audit"]
    assert (found.a.current, found.b.current) == (True, False)
    assert "`factory run demo-v2` would change it" in found.notes[0]
    assert {gate.state_b for gate in found.gates} == {""}
    assert found.questions.same == found.questions.a == found.questions.b
    bundle = compare(root, root / "09_release")
    assert bundle.b.kind == "bundle"
    assert not bundle.questions.changes
    assert not bundle.events.changes
    assert [(g.state_a, g.measure_a) for g in bundle.gates] == [
        (g.state_b, g.measure_b) for g in bundle.gates
    ]


def test_an_event_without_a_bank_or_of_an_older_version_is_refused(
    finished_demo: Path, tmp_path: Path
) -> None:
    root = tmp_path / "workspaces" / "demo"
    shutil.copytree(finished_demo, root)
    path = root / "08_bank" / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        del row["pair_id"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(BadInput, match=r"written by factory .*factory run demo"):
        compare(root, finished_demo)
    path.unlink()
    with pytest.raises(BadInput, match="has no bank to compare yet"):
        compare(finished_demo, root)
