"""Published points become columns: everything that can be used, and a count of everything that cannot."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.published import values
from factory.published.pages import Published, foreign_questions, read_pages
from factory.score.sheet import ANSWERED, MISSING, UNPARSED, Sheet
from tests.published.points import event, point, question, write


def one(folder: Path, content: dict[str, Any]) -> Published:
    write(folder, content)
    return read_pages(folder)


def reasons(pages: Published) -> dict[str, int]:
    return {problem.reason: problem.count for problem in pages.problems}


def test_a_point_becomes_a_row_an_edition_and_a_column_a_system(tmp_path: Path) -> None:
    pages = one(tmp_path, point())
    sheet = pages.calibration
    assert (sheet.systems, sheet.truth.tolist(), sheet.window.tolist()) == (("a", "b"), [1], [7])
    assert sheet.values.tolist() == [[0.7], [0.2]]
    assert sheet.texts == ("Will the ferry sail again within the next 7 days?",)
    assert {name: factor.labels() for name, factor in sheet.keys.items()} == {
        "type": ["A"],
        "dimension": ["event"],
        "difficulty": ["easy"],
        "window": ["7"],
        "truth": ["true"],
    }
    assert sheet.point.labels() == ["ferry/P01"]
    assert sheet.cutoff == ("2031-05-10",)
    assert pages.temporal.values.tolist() == [[5], [0]]
    assert pages.temporal.keys["bucket"].labels() == ["0-30"]
    assert pages.problems == ()


def test_the_cluster_is_the_day_of_the_outcome_over_points_editions_and_axes(
    tmp_path: Path,
) -> None:
    write(tmp_path, point())
    write(tmp_path, point(), edition="zh")
    later = point([question(dfc=1)], [event(dfc=1)], cutoff="2031-05-12", point_id="P02")
    write(tmp_path, later, name="P02")
    write(tmp_path, point(), event="bridge")
    pages = read_pages(tmp_path)
    for sheet in (pages.calibration, pages.temporal):
        assert sorted(sheet.cluster.labels()) == ["bridge/2031-05-13"] + ["ferry/2031-05-13"] * 3


def test_the_stored_distance_is_never_recomputed(tmp_path: Path) -> None:
    pages = one(tmp_path, point([question(dfc=-55)], [event(dfc=12)]))
    assert pages.calibration.distance.tolist() == [-55]
    assert pages.temporal.distance.tolist() == pages.temporal.truth.tolist() == [12]
    assert pages.temporal.values.tolist() == [[14], [9]]


def test_what_a_system_left_out_is_missing_and_what_it_spoilt_is_unparsed(tmp_path: Path) -> None:
    pages = one(tmp_path, point([question(r=[[0, None]])]))
    assert pages.calibration.status.tolist() == [[UNPARSED], [MISSING]]
    assert reasons(pages) == {"unparsed answer: no value": 1}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (70, "a probability outside 0 to 1"),
        (-0.01, "a probability outside 0 to 1"),
        (10**400, "a probability outside 0 to 1"),
        ("70%", "not a number"),
        ("0.7", "not a number"),
        (True, "not a number"),
        ([0.7], "not a number"),
        (float("nan"), "not a finite number"),
        (float("inf"), "not a finite number"),
        (None, "no value"),
    ],
)
def test_what_is_no_probability_is_counted_and_never_guessed(
    tmp_path: Path, value: Any, reason: str
) -> None:
    pages = one(tmp_path, point([question(), question(r=[[0, 0.5], [1, value]])]))
    assert reasons(pages) == {f"unparsed answer: {reason}": 1}
    assert pages.calibration.status.tolist() == [[ANSWERED] * 2, [ANSWERED, UNPARSED]]
    assert np.isnan(pages.calibration.values[1, 1])
    assert pages.problems[0].example.startswith("en/ferry/P01.json, cal[1], b: ")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2024-02-30", "no day of the calendar"),
        ("2031-W20-2", "not written YYYY-MM-DD"),
        ("20310513", "not written YYYY-MM-DD"),
        ("2031-5-13", "not written YYYY-MM-DD"),
        ("2031-05-13T00:00", "not written YYYY-MM-DD"),
        ("２０３１-05-13", "not written YYYY-MM-DD"),
        ("", "an empty text"),
        ("  ", "an empty text"),
        (738000, "not a text"),
        (None, "no value"),
    ],
)
def test_what_is_no_day_is_counted_and_never_guessed(
    tmp_path: Path, value: Any, reason: str
) -> None:
    pages = one(tmp_path, point(time=[event(r=[[0, value, 2.0], [1, "2031-05-10", 3.0]])]))
    assert reasons(pages) == {f"unparsed answer: {reason}": 1}
    assert pages.temporal.status.tolist() == [[UNPARSED], [ANSWERED]]


def test_the_stored_error_is_not_trusted(tmp_path: Path) -> None:
    pages = one(tmp_path, point(time=[event(r=[[0, "2031-05-15", 0.0], [1, "2031-05-10"]])]))
    assert pages.temporal.values.tolist() == [[5], [0]]
    assert list(reasons(pages).values()) == [1]
    assert "the dates are used" in pages.problems[0].reason


@pytest.mark.parametrize("axis", ["cal", "time"])
def test_of_two_answers_to_one_question_none_is_used(tmp_path: Path, axis: str) -> None:
    row: dict[str, Any] = question() if axis == "cal" else event()
    row["r"].append(row["r"][0])
    pages = one(tmp_path, point([row]) if axis == "cal" else point(time=[row]))
    sheet = pages.calibration if axis == "cal" else pages.temporal
    assert sheet.status.tolist() == [[UNPARSED], [ANSWERED]]
    assert [problem.count for problem in pages.problems] == [1]


def test_a_name_listed_twice_is_one_system_that_answers_twice(tmp_path: Path) -> None:
    pages = one(tmp_path, point(models=["a", "a"]))
    assert pages.calibration.systems == ("a",)
    assert pages.calibration.status.tolist() == [[UNPARSED]]


@pytest.mark.parametrize("index", [2, -1, 0.0, "0", True, None])
def test_an_answer_of_an_unlisted_model_is_counted(tmp_path: Path, index: Any) -> None:
    pages = one(tmp_path, point([question(r=[[0, 0.7], [index, 0.9]])]))
    assert pages.calibration.status.tolist() == [[ANSWERED], [MISSING]]
    assert reasons(pages) == {"answer of a model that the file does not list; not used": 1}


@pytest.mark.parametrize("answer", [None, 0.7, "ab", [], [0], {"0": 0.7}])
def test_an_answer_of_another_form_is_counted(tmp_path: Path, answer: Any) -> None:
    pages = one(tmp_path, point([question(r=[answer])]))
    assert (pages.calibration.status == MISSING).all()
    assert reasons(pages) == {"answer that is not [model, value]; not used": 1}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (question(wd=0), "wd is no window"),
        (question(wd="7"), "wd is no window"),
        (question(wd=True), "wd is no window"),
        (question(dfc=None), "dfc is no number"),
        (question(dfc=2.5), "dfc is no number"),
        (question(dfc=10**300), "dfc is no number"),
        (question(gt=2), "gt is not 0 or 1"),
        (question(gt=True), "gt is not 0 or 1"),
        ({"q": "?"}, "dfc is no number"),
        ([], "no object"),
        ("question", "no object"),
    ],
)
def test_a_question_that_cannot_be_scored_is_left_out_with_a_reason(
    tmp_path: Path, row: Any, reason: str
) -> None:
    pages = one(tmp_path, point([question(), row]))
    assert len(pages.calibration) == 1
    (problem,) = pages.problems
    assert reason in problem.reason
    assert (problem.count, "cal[1]" in problem.example) == (1, True)


@pytest.mark.parametrize("gt", ["2031-02-30", "soon", "", None, 5])
def test_an_event_without_a_day_is_left_out_with_a_reason(tmp_path: Path, gt: Any) -> None:
    pages = one(tmp_path, point(time=[event(), event(eid="E02", gt=gt)]))
    assert len(pages.temporal) == 1
    assert reasons(pages) == {"event whose gt is no day; left out": 1}


def test_an_event_id_stands_for_one_event(tmp_path: Path) -> None:
    pages = one(tmp_path, point(time=[event(), event(dfc=9)]))
    assert pages.temporal.refs == ("ferry/P01/E01",)
    assert reasons(pages) == {"event id stated twice at one point; the later is left out": 1}


def test_events_beyond_the_horizon_are_no_part_of_the_axis_and_counted(tmp_path: Path) -> None:
    rows = [event(eid=f"E{n}", dfc=n) for n in (-1, 0, 90, 91)]
    pages = one(tmp_path, point(time=rows))
    assert pages.temporal.refs == ("ferry/P01/E0", "ferry/P01/E90")
    assert pages.temporal.values.tolist() == [[2, 92], [-3, 87]]
    (problem,) = pages.problems
    assert (problem.count, "E-1: -1 days" in problem.example) == (2, True)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"",
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"models": []}',
        b'{"models": {}, "cal": [], "time": []}',
        b'{"models": [], "cal": "", "time": []}',
        b'{"models": ["\\ud83d"], "cal": [], "time": []}',
    ],
)
def test_a_file_that_is_no_point_is_counted_beside_others_and_refused_alone(
    tmp_path: Path, content: bytes
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(BadInput, match=r"P01\.json"):
        read_pages(tmp_path)
    write(tmp_path, point(point_id="P02"), name="P02")
    pages = read_pages(tmp_path)
    assert len(pages.calibration) == 1
    assert reasons(pages) == {"file that is no published point; left out": 1}
    assert str(path) in pages.problems[0].example


def test_a_file_of_a_gigabyte_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_BYTES", 2**20)
    path = write(tmp_path, point())
    with path.open("r+b") as file:
        file.truncate(2**30)
    with pytest.raises(BadInput, match=r"1024 MB, more than the 1 MB"):
        read_pages(tmp_path)


def test_a_folder_in_the_place_of_a_point_is_named(tmp_path: Path) -> None:
    (tmp_path / "zh" / "ferry" / "P01.json").mkdir(parents=True)
    with pytest.raises(BadInput, match=r"P01\.json is no file"):
        read_pages(tmp_path)


def test_a_folder_without_points_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no published points"):
        read_pages(tmp_path)
    with pytest.raises(BadInput, match="no published points"):
        list(foreign_questions(tmp_path))


def test_other_files_missing_contexts_and_odd_points_are_told(tmp_path: Path) -> None:
    write(tmp_path, point(), context=None)
    write(tmp_path, point(), name="notes")
    write(tmp_path, point(cutoff="2031-05-11"), edition="zh")
    write(tmp_path, point(cutoff="soon", models=["a", ""]), name="P02")
    told = " ".join(reasons(read_pages(tmp_path)))
    for reason in (
        "not named P<NN>.json",
        "without its context",
        "different cutoffs",
        "another point_id",
        "cutoff is no day",
        "model without a name",
    ):
        assert reason in told


def test_a_point_without_a_cutoff_is_scored_but_nothing_is_known_there(tmp_path: Path) -> None:
    write(tmp_path, point(cutoff=None), edition="zh")
    pages = one(tmp_path, point(cutoff=None))
    assert pages.calibration.answered.all()
    assert pages.calibration.cutoff == ("", "")
    assert pages.calibration.cluster.names == ("ferry/P01+3",)
    assert pages.known() == {}


def test_a_row_without_labels_is_kept_as_unknown(tmp_path: Path) -> None:
    bare = {"wd": 7, "dfc": 3, "gt": 1, "r": [[0, 0.5]]}
    pages = one(tmp_path, point([bare], [{"gt": "2031-05-13", "dfc": 3, "r": []}]))
    assert pages.calibration.keys["type"].labels() == ["unknown"]
    assert pages.calibration.values[0, 0] == 0.5
    assert pages.temporal.refs == ("ferry/P01/#1",)
    assert sum(reasons(pages).values()) == 6


def test_only_the_systems_asked_for_are_read(tmp_path: Path) -> None:
    write(tmp_path, point())
    pages = read_pages(tmp_path, systems=["b"])
    assert pages.calibration.systems == ("b",)
    assert pages.calibration.values.tolist() == [[0.2]]
    with pytest.raises(BadInput, match="'c'"):
        read_pages(tmp_path, systems=["c"])


def test_systems_are_in_the_order_of_the_longest_list(tmp_path: Path) -> None:
    write(tmp_path, point([question(r=[[0, 0.2], [1, 0.3]])], [], models=["b", "d"]))
    longer = point([question(r=[[0, 0.4], [1, 0.5]])], [], models=["a", "b", "c"])
    write(tmp_path, longer, edition="zh")
    sheet = read_pages(tmp_path).calibration
    assert sheet.systems == ("a", "b", "c", "d")
    assert np.nan_to_num(sheet.values, nan=-1).tolist() == [
        [-1, 0.4],
        [0.2, 0.5],
        [-1, -1],
        [0.3, -1],
    ]


rows = st.builds(
    question,
    wd=st.integers(1, 90),
    dfc=st.integers(-100, 700),
    gt=st.integers(0, 1),
    qt=st.sampled_from(["A_true", "D_false"]),
    r=st.lists(
        st.tuples(st.integers(0, 2), st.floats(0, 1) | st.integers(0, 1)).map(list),
        max_size=3,
        unique_by=lambda answer: answer[0],
    ),
)
days = st.dates().map(str)
dated = st.lists(
    st.builds(
        event,
        eid=st.integers(0, 99).map(str),
        gt=days,
        dfc=st.integers(0, 90),
        r=st.lists(
            st.tuples(st.integers(0, 2), days).map(list),
            max_size=3,
            unique_by=lambda answer: answer[0],
        ),
    ),
    max_size=5,
    unique_by=lambda row: row["eid"],
)


def same(a: Sheet, b: Sheet) -> bool:
    return (
        a.refs == b.refs
        and np.array_equal(a.values, b.values, equal_nan=True)
        and bool((a.status == b.status).all())
        and a.cluster.labels() == b.cluster.labels()
    )


@settings(max_examples=50)
@given(st.lists(rows, max_size=6), dated)
def test_reading_by_columns_and_row_by_row_agree(
    cal: list[dict[str, Any]], time: list[dict[str, Any]]
) -> None:
    """One broken row sends a whole list through the careful reading; the others must not change by it."""
    content = point(cal, time, models=["a", "b", "c"])
    broken = copy.deepcopy(content)
    broken["cal"].append("no row")
    broken["time"].append("no row")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fast, careful = one(folder, content), one(folder, broken)
    assert same(fast.calibration, careful.calibration)
    assert same(fast.temporal, careful.temporal)
    assert reasons(careful)["row that is no object; left out"] == 2


noise = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data())
def test_no_damage_leads_to_a_traceback_and_none_is_silent(data: st.DataObject) -> None:
    """Any field of a point may hold anything: the rest is read, or the file is refused by name."""
    content = point()
    target: Any = content
    for _ in range(data.draw(st.integers(0, 4))):
        inner = [
            key
            for key in (range(len(target)) if isinstance(target, list) else target)
            if isinstance(target[key], dict | list) and target[key]
        ]
        if not inner:
            break
        target = target[data.draw(st.sampled_from(inner))]
    key = data.draw(
        st.sampled_from(list(range(len(target)) if isinstance(target, list) else target))
    )
    target[key] = data.draw(noise)
    refused = ""
    with tempfile.TemporaryDirectory() as name:
        path = write(Path(name), json.dumps(content))
        try:
            pages = read_pages(Path(name))
        except BadInput as error:
            refused = str(error)
    if refused:
        assert str(path) in refused
    elif min(len(pages.calibration), len(pages.temporal)) == 0:
        assert pages.problems or isinstance(target[key], list)


def test_both_editions_share_refs_over_the_published_bank(published: Published) -> None:
    for sheet in (published.calibration, published.temporal):
        zh = sheet.edition.codes == sheet.edition.names.index("zh")
        editions = [sheet.rows(zh), sheet.rows(~zh)]
        assert set(editions[0].refs) == set(editions[1].refs)
        assert len(set(editions[0].refs)) == len(editions[0])
        facts = [
            {
                ref: (truth, distance, window, cluster)
                for ref, truth, distance, window, cluster in zip(
                    part.refs,
                    part.truth,
                    part.distance,
                    part.window,
                    part.cluster.labels(),
                    strict=True,
                )
            }
            for part in editions
        ]
        assert facts[0] == facts[1]


def test_the_published_bank_has_its_known_size(published: Published) -> None:
    assert len(published.calibration) == 2 * 24_691
    assert len(published.temporal) == 2 * 2_782 - 12
    assert int(published.calibration.answered.sum()) == 414_261
    (problem,) = published.problems
    assert (problem.count, "outside 0 to 90" in problem.reason) == (12, True)
    shares = np.bincount(published.calibration.keys["type"].codes) / len(published.calibration)
    assert shares == pytest.approx([0.468, 0.233, 0.123, 0.176], abs=0.001)
    shares = np.bincount(published.temporal.keys["bucket"].codes) / len(published.temporal)
    assert shares == pytest.approx([0.525, 0.292, 0.183], abs=0.002)
    assert published.calibration.keys["dimension"].names == (
        "event", "figures", "opinion", "other", "policy",
    )  # fmt: skip


def test_a_stored_question_is_a_record_with_every_field(
    official: Path, published: Published, tmp_path: Path
) -> None:
    folder = official / "demo"
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "event5_smci").symlink_to(folder / "en" / "event5_smci")
    refs = {"calibration": published.calibration.refs, "temporal": published.temporal.refs}
    path = folder / "en" / "event5_smci" / "P05.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    found = [
        row
        for row in foreign_questions(tmp_path)
        if (row.edition, row.event, row.point_id) == ("en", "event5_smci", "P05")
    ]
    assert [row.fields for row in found] == stored["cal"] + stored["time"]
    for row in found:
        assert row.ref in refs[row.axis]
        assert row.cutoff is not None
        assert row.cutoff.isoformat() == stored["cutoff"]
        assert row.target is not None
        assert (row.target - row.cutoff).days == row.fields["dfc"]


def test_a_window_ends_where_text_and_field_leave_no_doubt(tmp_path: Path) -> None:
    asked = [
        question(),
        question(wd=30),
        question(q="Will it sail within 7 days of the target date?"),
        question(q="Will it sail within 7 days of the target date?", dfc=7),
    ]
    write(tmp_path, point(asked, []))
    ends = [row.window_end and row.window_end.isoformat() for row in foreign_questions(tmp_path)]
    assert ends == ["2031-05-17", None, None, "2031-05-17"]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (point([question(gt=2)]), r"cal\[0\]: gt is 2"),
        (point([question(wd="7")]), r"cal\[0\]: wd is '7'"),
        (point([question(q="")]), r"cal\[0\]: q is ''"),
        (point(["?"]), r"cal\[0\] is no object"),
        (point(time=[event(gt="2031-02-30")]), r"time\[0\]: gt is '2031-02-30'"),
        (point(cutoff="soon"), "cutoff is 'soon'"),
        (point(cal={}), "cal is no list"),  # type: ignore[arg-type]
    ],
)
def test_a_row_that_is_no_question_is_named_with_its_field(
    tmp_path: Path, content: dict[str, Any], field: str
) -> None:
    write(tmp_path, content)
    with pytest.raises(BadInput, match=rf"P01\.json: {field}"):
        list(foreign_questions(tmp_path))
