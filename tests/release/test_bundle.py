"""The bundle: equal content is equal bytes, nothing extra is in it, and a changed one is refused."""

from __future__ import annotations

import asyncio
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from factory.bank.clause import statements
from factory.bundle import Bundle, build_files, public_resolutions
from factory.errors import BadInput
from factory.forecast.baselines import run as run_baselines
from factory.release import load_bundle, replace_folder
from factory.segments import context_text
from schemas import ExamEvent, ExamQuestion, Gate, QuotaLine
from tests import example_event as example
from tests.scripted import make_context

HIDDEN = ("type", "level", "difficulty", "family_id", "answer", "claim_id", "pair_id", "evidence")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    root = tmp_path_factory.mktemp("event")
    example.write_workspace(root)
    asyncio.run(run_baselines(make_context(root, "baselines")))
    return load_bundle(make_context(root, "release", fictional=True))


@pytest.fixture
def folder(bundle: Bundle, tmp_path: Path) -> Path:
    target = tmp_path / "bundle"
    replace_folder(target, build_files(bundle))
    return target


def test_a_bundle_reads_back_as_what_was_written(bundle: Bundle, folder: Path) -> None:
    again = Bundle.read(folder)
    assert build_files(again) == build_files(bundle)
    assert again.bank == replace(bundle, questions=again.questions).bank


def test_order_of_rows_never_changes_a_byte(bundle: Bundle) -> None:
    rng = random.Random(3)
    shuffled = replace(
        bundle,
        **{
            name: tuple(rng.sample(rows, len(rows)))
            for name in ("claims", "resolutions", "pairs", "questions", "events")
            for rows in [getattr(bundle, name)]
        },
    )
    assert build_files(shuffled) == build_files(bundle)


def test_a_context_is_a_prefix_of_the_released_timeline_in_both_editions(bundle: Bundle) -> None:
    files = build_files(bundle)
    for lang in ("en", "zh"):
        whole = files[f"timeline/{lang}.md"]
        for point in bundle.points.points:
            context = files[f"contexts/{lang}/{point.point_id}.md"]
            truth = files[f"truth/{lang}/{point.point_id}.md"]
            assert context + truth == whole
            assert point.cutoff.isoformat().encode() not in context


def test_an_examinee_sees_neither_answers_nor_what_gives_them_away(bundle: Bundle) -> None:
    files = build_files(bundle)
    for lang in ("en", "zh"):
        for name, model in (("calibration", ExamQuestion), ("temporal", ExamEvent)):
            rows = [json.loads(line) for line in files[f"exam/{lang}/{name}.jsonl"].splitlines()]
            assert rows
            for row in rows:
                assert set(row) == set(model.model_fields)
                assert not set(row) & set(HIDDEN)
            key = "question_id" if name == "calibration" else "event_id"
            assert [row[key] for row in rows] == sorted(row[key] for row in rows)


def test_editions_ask_the_same(bundle: Bundle) -> None:
    files = build_files(bundle)
    for name in ("calibration", "temporal"):
        english, chinese = (
            [json.loads(line) for line in files[f"exam/{lang}/{name}.jsonl"].splitlines()]
            for lang in ("en", "zh")
        )
        for one, other in zip(english, chinese, strict=True):
            assert one | {"text": ""} == other | {"text": ""}
            assert one["text"] != other["text"]


def test_days_in_parquet_stay_strings(bundle: Bundle, folder: Path) -> None:
    import pyarrow.parquet as pq

    for lang in ("en", "zh"):
        table = pq.read_table(folder / "parquet" / "calibration" / f"{lang}.parquet")
        types = {field.name: str(field.type) for field in table.schema}
        assert types["window_end"] == types["cutoff"] == "string"
        assert types["answer"] == "int64"
        by_id = {question.question_id: question for question in bundle.questions}
        for row in table.to_pylist():
            assert row["answer"] == by_id[row["question_id"]].answer
            assert row["window_end"] == by_id[row["question_id"]].window_end.isoformat()
        dates = pq.read_table(folder / "parquet" / "temporal" / f"{lang}.parquet")
        assert str(dates.schema.field("date").type) == "string"


def test_nothing_names_the_event_its_place_or_its_cost(bundle: Bundle) -> None:
    for path, data in build_files(bundle).items():
        text = data.decode("utf-8", errors="ignore").lower()
        for word in (
            "harwick",
            "night market closure",
            "harwick-herald",
            "cost",
            "/tmp",
            "secret/",
        ):
            assert word not in text, (path, word)
            assert word not in path


def test_readers_notes_and_passages_of_the_corpus_stay_private(bundle: Bundle) -> None:
    timeline = bundle.timeline
    told = statements(timeline.nodes[0])[0].statement_id
    found = [
        row.model_copy(update={"searched": (told, "g-passage")})
        for made_up in (True, False)
        for row in example.resolutions(made_up)
    ]
    rows = public_resolutions(found, example.claims(), timeline)
    assert len(rows) == len(found)
    assert not any(p.note for row in rows for p in row.passes)
    assert {row.basis: row.searched for row in rows} == {"stated": (), "absent": (told,)}
    assert public_resolutions(found, [], timeline) == ()


def test_the_card_says_plainly_what_the_event_is(bundle: Bundle) -> None:
    def card(**marks: object) -> str:
        return build_files(replace(bundle, **marks))["README.md"].decode()

    told = card(ungated=("review",), waived=("identity",))
    assert "**Fictional.**" in told
    assert "**Scripted.**" in told
    assert "**Ungated.** These gates did not pass and were forced" in told
    assert "results on: review." in told
    assert "since the event is fictional; their figures stand below: identity." in told
    assert told.startswith("---\nlicense: cc-by-4.0\n")
    real = card(fictional=False, scripted=False)
    assert not any(mark in real for mark in ("Fictional.", "Scripted.", "Waived.", "Ungated."))


def test_the_readme_says_its_figures_in_words_and_in_both_languages(bundle: Bundle) -> None:
    gate = Gate(
        name="shortcuts",
        state="waived",
        measure="highest score: words zh rounded 62.7, interval 54.5 to 71.0; largest lower end: words zh 50.1, "
        "score 50.6, interval 50.3 to 50.8; corrected for 26 attackers",
        reason="the event is fictional; otherwise not evaluated: the bank holds no question",
        forceable=True,
    )
    open_card = bundle.card.model_copy(
        update={
            "panel_state": "not evaluated",
            "panel_grade": "LOW",
            "panel_rounds": 1,
            "parity": 3,
        }
    )
    shares = (QuotaLine(name="type A", wanted=0.47, got=0.478723, note=""),)
    report = bundle.report.model_copy(
        update={"dropped": {"families without a twin": 2}, "quotas": shares}
    )
    text = build_files(replace(bundle, card=open_card, gates=(gate,), report=report))[
        "README.md"
    ].decode()
    english, chinese = text.split("## 中文说明")
    assert (
        "highest score 62.7, interval 54.5 to 71.0: words of the question (zh edition, rounded)"
        in english
    )
    assert (
        "not evaluated; the replies as they stand would say: not recognised, after 1 round" in text
    )
    assert "grade LOW" not in text
    assert "| A: an outcome | 47.0% | 47.9% |" in english
    assert "- occasions for which no twin was found: 2" in english
    assert "| Differences between the two languages | 3 |" in english
    assert not re.search(r"[\u3400-\u9fff]", english)
    assert f"概率题{len(bundle.questions)}道、日期题{len(bundle.events)}道" in chinese
    assert "| A类：结果 | 47.0% | 47.9% |" in chinese
    assert "得分最高：题面用词（中文，取整），62.7分，区间54.5至71.0" in chinese
    assert "| 两种语言之间的差异 | 3 |" in chinese
    assert not re.search(r"panel_|linkage|0\.478", text)
    assert "\n\n\n" not in text


def test_the_published_layout_holds_the_same_bank(bundle: Bundle) -> None:
    files = build_files(bundle)
    nodes = {node.node_id: node for node in bundle.timeline.nodes}
    for number, point in enumerate(bundle.points.points, 1):
        for lang in ("en", "zh"):
            root = f"societybench/{lang}"
            bank = json.loads(files[f"{root}/questionbank/P{number:02d}_questionbank.json"])
            asked = {q.question_id: q for q in bundle.questions if q.point_id == point.point_id}
            assert {row["qid"] for row in bank["brier_questions"]} == set(asked)
            for row in bank["brier_questions"]:
                question = asked[row["qid"]]
                assert row["answer"] == question.answer
                assert row["days_from_cutoff"] == row["window_days"] == question.window_days
                assert row["question_type"] == question.type + (
                    "_true" if question.answer else "_false"
                )
            context = files[f"{root}/contexts/P{number:02d}_context.md"].decode()
            assert context == context_text([nodes[name] for name in point.context], lang)
    published = json.loads(files["societybench/zh/prediction_points.json"])
    lines = files["societybench/zh/timeline_anon.md"].decode().splitlines()
    for node in published["nodes"]:
        assert lines[node["line_start"] - 1] == f"### {node['date']}"
        assert lines[node["line_end"] - 1].strip()


@pytest.mark.parametrize(
    "name",
    [
        "exam/en/calibration.jsonl",
        "key/questions.jsonl",
        "README.md",
        "parquet/contexts/en.parquet",
    ],
)
def test_a_changed_file_is_refused_by_name(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(bytes(data))
    with pytest.raises(BadInput, match=name):
        Bundle.read(folder)


def test_a_missing_and_an_extra_file_are_refused(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"notes\.txt"):
        Bundle.read(folder)
    (folder / "notes.txt").unlink()
    (folder / ".gitattributes").write_text("*.parquet binary\n")
    Bundle.read(folder)
    (folder / "key" / "pairs.jsonl").unlink()
    with pytest.raises(BadInput, match="pairs"):
        Bundle.read(folder)


def test_a_manifest_cannot_point_outside_its_folder(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for path in ("../secret", "/etc/hostname"):
        manifest["files"][0]["path"] = path
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(BadInput, match="no file inside it"):
            Bundle.read(folder)


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no bundle"):
        Bundle.read(tmp_path)
    (tmp_path / "manifest.json").write_text('{"public_id": 3}')
    with pytest.raises(BadInput, match="damaged"):
        Bundle.read(tmp_path)
