"""The dataset layout goes into records and out again without loss."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.published import layout
from factory.published.layout import layout_files, read_layout
from factory.societybench import societybench_files
from schemas import LANGS, ForeignDataset, ForeignFile
from tests import example_event as example

QUESTION: dict[str, Any] = {
    "qid": "q1",
    "q": "Will the ferry sail within the next 7 days?",
    "answer": 1,
    "window_days": 7,
    "days_from_cutoff": 3,
    "question_type": "A_true",
    "difficulty": "easy",
    "event_group": "E01",
}
EVENT: dict[str, Any] = {
    "id": "E01",
    "event": "The ferry sails.",
    "date": "2031-05-13",
    "days_from_cutoff": 3,
}
BANK: dict[str, Any] = {
    "point_id": "P01",
    "cutoff_date": "2031-05-10",
    "events": {"base": [EVENT], "all": [EVENT], "major": []},
    "brier_questions": [QUESTION],
    "meta": {"generator_model": "m"},
}
OUTLINE: dict[str, Any] = {
    "meta": {"total": 1},
    "nodes": [{"node_id": "N01", "date": "2031-05-01"}],
    "prediction_points": [{"point_id": "P01", "target_date": "2031-05-10"}],
}
BANK_PATH = "ferry/en/questionbank/P01_questionbank.json"


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Files by path: bytes and texts as they are, anything else as JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def stored(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def example_files() -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for lang in LANGS:
        files |= societybench_files(
            lang,
            timeline=example.anonymised(),
            points=example.points().points,
            questions=example.questions(),
            events=example.events(),
        )
    return files


def test_a_bank_of_ours_comes_out_byte_for_byte(tmp_path: Path) -> None:
    files = example_files()
    write(tmp_path, files)
    dataset = read_layout(tmp_path / "societybench")
    assert {f"societybench/{path}": data for path, data in layout_files(dataset).items()} == files
    asked = {question.question_id: question for question in example.questions()}
    rows = [
        row
        for edition in dataset.editions
        for point in edition.points
        if point.bank
        for row in point.bank.questions
    ]
    assert len(rows) == 2 * len(asked)
    for row in rows:
        question = asked[str(row.fields["qid"])]
        assert (row.cutoff, row.window_end) == (question.window_start, question.window_end)
        assert row.target == question.window_end


def test_records_survive_json(tmp_path: Path) -> None:
    write(tmp_path, example_files() | {"societybench/logo.png": b"\x89PNG\r\n\xff"})
    dataset = read_layout(tmp_path / "societybench")
    assert ForeignDataset.model_validate_json(dataset.model_dump_json()) == dataset


def test_rows_are_records_with_what_can_be_derived(tmp_path: Path) -> None:
    write(tmp_path, {BANK_PATH: BANK})
    (edition,) = read_layout(tmp_path).editions
    bank = edition.points[0].bank
    assert bank is not None
    (row,) = bank.questions
    assert (row.ref, row.event, row.point_id, row.edition) == ("ferry/P01/q1", "ferry", "P01", "en")
    assert row.fields == QUESTION
    assert [str(day) for day in (row.cutoff, row.window_end, row.target)] == [
        "2031-05-10",
        "2031-05-17",
        "2031-05-13",
    ]
    assert {kind: [row.ref for row in rows] for kind, rows in bank.events.items()} == {
        "base": ["ferry/P01/E01"],
        "all": ["ferry/P01/E01"],
        "major": [],
    }


def test_a_point_without_its_own_cutoff_has_that_of_its_target_node(tmp_path: Path) -> None:
    bank = {key: value for key, value in BANK.items() if key != "cutoff_date"}
    write(tmp_path, {BANK_PATH: bank, "ferry/en/prediction_points.json": OUTLINE})
    (edition,) = read_layout(tmp_path).editions
    found = edition.points[0].bank
    assert found is not None
    assert found.cutoff is None
    assert str(found.questions[0].cutoff) == "2031-05-10"


def test_a_row_without_an_id_is_named_by_its_place_in_both_editions(tmp_path: Path) -> None:
    bare = {key: value for key, value in QUESTION.items() if key != "qid"}
    bank = BANK | {"brier_questions": [bare, QUESTION, QUESTION]}
    write(tmp_path, {BANK_PATH: bank, BANK_PATH.replace("/en/", "/zh/"): bank})
    for edition in read_layout(tmp_path).editions:
        found = edition.points[0].bank
        assert found is not None
        assert [row.ref for row in found.questions] == [
            "ferry/P01/#1",
            "ferry/P01/q1",
            "ferry/P01/q1.2",
        ]


def test_files_that_the_layout_does_not_name_are_kept_and_version_control_is_not(
    tmp_path: Path,
) -> None:
    extra = {
        "README.md": b"\xff\x00",
        "ferry/notes/a.txt": b"",
        "ferry/en/questionbank/P01.bak": b"{",
        "en/x/y.json": b"no json",
    }
    write(tmp_path, {BANK_PATH: BANK, ".git/config": "x"} | extra)
    dataset = read_layout(tmp_path)
    assert {file.path: file.data for file in dataset.files} == extra
    assert ".git/config" not in layout_files(dataset)


names = st.text("abcZ0-_ é事", min_size=1, max_size=6).filter(lambda name: name.strip(" ") == name)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
texts = st.text("a 事\n\r\ufeff#", max_size=20)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
anything = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
more = st.dictionaries(words.filter(lambda name: len(name) > 4), anything, max_size=3)


def extended(row: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A row with further fields, in any order."""
    return more.flatmap(
        lambda fields: st.permutations(list((fields | row).items())).map(lambda items: dict(items))
    )


banks = st.builds(
    lambda fields, questions, base, keep: {
        key: value
        for key, value in (
            fields | {"brier_questions": questions, "events": {"base": base, "other": base[:1]}}
        ).items()
        if key in keep or key in fields
    },
    more,
    st.lists(extended(QUESTION), max_size=3),
    st.lists(extended(EVENT), max_size=3),
    st.sets(st.sampled_from(["brier_questions", "events"])),
)
outlines = st.builds(lambda fields: OUTLINE | fields, more)
points = st.integers(0, 120).map(lambda number: f"P{number:02d}")
roots = st.builds(
    lambda event, edition: f"{event}/{edition}" if event else edition,
    st.just("") | names,
    st.sampled_from(["en", "zh"]),
)
files = st.one_of(
    st.tuples(roots.map(lambda root: f"{root}/timeline_anon.md"), texts),
    st.tuples(roots.map(lambda root: f"{root}/prediction_points.json"), outlines),
    st.tuples(st.builds("{}/contexts/{}_context.md".format, roots, points), texts),
    st.tuples(st.builds("{}/gt/{}_gt.md".format, roots, points), texts),
    st.tuples(st.builds("{}/questionbank/{}_questionbank.json".format, roots, points), banks),
    st.tuples(names.map(lambda name: f"more/{name}.bin"), st.binary(max_size=8)),
)
layouts = st.lists(files, min_size=1, max_size=8, unique_by=lambda file: file[0].lower()).map(dict)


@settings(max_examples=40)
@given(layouts)
def test_any_layout_comes_out_as_it_went_in(content: dict[str, Any]) -> None:
    """Texts and unknown files byte for byte, JSON by value; what we wrote ourselves byte for byte."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        before = stored(write(Path(first), content))
        if all(path.startswith("more/") for path in content):
            with pytest.raises(BadInput, match="dataset layout"):
                read_layout(Path(first))
            return
        after = layout_files(read_layout(Path(first)))
        again = layout_files(read_layout(write(Path(second), after)))
    assert after.keys() == before.keys()
    for path, data in before.items():
        if path.endswith(".json"):
            # As text, so that 1, 1.0 and true stay apart and fields keep their order.
            assert json.dumps(json.loads(after[path])) == json.dumps(json.loads(data))
        else:
            assert after[path] == data
    assert again == after


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"point_id": "P02"}, "point_id is 'P02' in the file of P01"),
        ({"cutoff_date": "2031-02-30"}, "cutoff_date is '2031-02-30'"),
        ({"events": []}, "events is no object"),
        ({"events": {"base": {}}}, r"events\.base is no list"),
        ({"events": {"base": ["E01"]}}, r"events\.base\[0\] is no object"),
        ({"events": {"all": [EVENT, EVENT | {"date": ""}]}}, r"events\.all\[1\]: there is no date"),
        ({"events": {"all": [EVENT | {"event": 5}]}}, r"events\.all\[0\]: event is 5"),
        ({"brier_questions": {}}, "brier_questions is no list"),
        ({"brier_questions": [QUESTION | {"answer": "yes"}]}, r"\[0\]: answer is 'yes'"),
        ({"brier_questions": [QUESTION | {"gt": 0}]}, r"\[0\]: answer and gt disagree"),
        ({"brier_questions": [QUESTION | {"window_days": 0}]}, r"\[0\]: window_days is 0"),
        ({"brier_questions": [QUESTION | {"days_from_cutoff": "3"}]}, r"days_from_cutoff is '3'"),
        ({"brier_questions": [QUESTION | {"d_target": "May"}]}, r"\[0\]: d_target is 'May'"),
        ({"brier_questions": [QUESTION | {"q": None}]}, r"\[0\]: there is no q or event_desc"),
    ],
)
def test_a_faulty_bank_is_named_with_file_and_field(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    write(tmp_path, {BANK_PATH: BANK | change})
    with pytest.raises(BadInput, match=rf"P01_questionbank\.json: .*{field}"):
        read_layout(tmp_path)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"prediction_points": {}}, "prediction_points is no list"),
        ({"prediction_points": [{"point_id": 1}]}, r"prediction_points\[0\]\.point_id is 1"),
        ({"prediction_points": [{"point_id": "P01"}] * 2}, r"\[1\]\.point_id 'P01' stands twice"),
        (
            {"prediction_points": [{"point_id": "P1", "target_date": "soon"}]},
            "target_date is 'soon'",
        ),
        ({"nodes": ["N01"]}, r"nodes\[0\] is no object"),
    ],
)
def test_a_faulty_outline_is_named_with_file_and_field(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    write(tmp_path, {"en/prediction_points.json": OUTLINE | change})
    with pytest.raises(BadInput, match=rf"prediction_points\.json: .*{field}"):
        read_layout(tmp_path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "Expecting"),
        (b"[]", "no JSON object"),
        (b'{"a": 1, "a": 2}', "'a' stands twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": "\\ud83d"}', "surrogate"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": "\xff"}', "decode"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
    ],
)
def test_json_that_would_lose_something_is_refused(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    write(tmp_path, {"ferry/zh/prediction_points.json": data})
    with pytest.raises(BadInput, match=rf"prediction_points\.json .*{reason}"):
        read_layout(tmp_path)


def test_a_text_that_is_no_text_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"ferry/zh/gt/P01_gt.md": b"\xff"})
    with pytest.raises(BadInput, match=r"P01_gt\.md is no UTF-8 text"):
        read_layout(tmp_path)


def test_a_folder_without_the_layout_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(BadInput, match=str(folder)):
            read_layout(folder)


def test_a_file_of_a_gigabyte_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MAX_BYTES", 2**20)
    write(tmp_path, {BANK_PATH: BANK})
    with (tmp_path / "model.bin").open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(BadInput, match=r"model\.bin has more than 1 MB"):
        read_layout(tmp_path)


def test_a_dataset_cannot_claim_a_path_twice_or_one_outside(tmp_path: Path) -> None:
    write(tmp_path, {BANK_PATH: BANK})
    dataset = read_layout(tmp_path)
    double = dataset.model_copy(update={"files": (ForeignFile(path=BANK_PATH, data=b""),)})
    with pytest.raises(BadInput, match=r"P01_questionbank\.json stands twice"):
        layout_files(double)
    for path in ("../x", "/x", "a//b", "a/../b", "a\\b", ""):
        with pytest.raises(ValueError, match="below the root"):
            ForeignFile(path=path, data=b"")
    with pytest.raises(ValueError, match="one folder"):
        dataset.editions[0].model_validate(dataset.editions[0].model_dump() | {"event": ".."})
