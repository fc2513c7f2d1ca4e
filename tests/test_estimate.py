from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from factory.estimate import Sizes, estimate, price_missing, sizes_of, total
from factory.pipeline import STAGES
from factory.settings import Settings
from factory.workspace import Workspace
from schemas import EventConfig

FULL = Sizes(
    days=60, items=400, clusters=60, posts=100, nodes=20, points=10, claims=300, fabrications=60, texts=440
)  # fmt: skip
PRICED = Settings.model_validate(
    {"profiles": {"default": {"price": {"input": 1, "output": 4}}}, "claims": {"outcomes": 4}}
)


def test_every_stage_that_asks_a_model_is_estimated_in_order() -> None:
    assert [row.stage for row in estimate(Settings(), FULL)] == [
        stage.name for stage in STAGES if stage.roles
    ]


def test_the_formulas_count_calls() -> None:
    rows = {row.stage: row for row in estimate(PRICED, FULL)}
    assert rows["plan"].calls == 1
    assert rows["claims"].calls == 20
    # 24 claims a call hold 4 whole families of 5; each of 10 points may leave a batch that is not full.
    assert rows["resolve"].calls == 2 * 15
    assert rows["vet"].calls == 3 * (15 + 10)
    assert rows["fabricate"].calls == 60 // 12 + 10
    assert rows["translate"].calls == 15
    row = rows["claims"]
    assert row.cost == (row.prompt_tokens + 4 * row.completion_tokens) / 1e6
    assert not any(row.guessed for row in rows.values())


def test_a_role_without_a_price_names_its_profile() -> None:
    settings = Settings.model_validate(
        {
            "profiles": {"default": {"price": {"input": 1}}, "local": {}},
            "roles": {"claims": "local"},
        }
    )
    rows = {row.stage: row.unpriced for row in estimate(settings, FULL)}
    assert {stage for stage, name in rows.items() if name} == {"claims", "fabricate"}
    assert rows["claims"] == "local"
    assert "profiles a, b, so cost" in price_missing(["b", "a", "b"])


def test_guessed_sizes_are_said() -> None:
    rows = {row.stage: row.guessed for row in estimate(Settings(), Sizes(nodes=8))}
    assert not rows["plan"]
    assert not rows["claims"]
    assert rows["distil"]
    assert rows["vet"]


@given(st.integers(1, 400), st.integers(1, 5))
def test_a_larger_event_never_costs_less(nodes: int, more: int) -> None:
    small, large = (total(estimate(PRICED, Sizes(nodes=count))) for count in (nodes, nodes + more))
    assert small.calls <= large.calls
    assert small.cost <= large.cost


def test_calls_grow_with_nodes_and_points_and_never_with_questions() -> None:
    def calls(points: int, **compose: object) -> dict[str, int]:
        settings = Settings.model_validate({"compose": compose})
        sizes = Sizes(nodes=60, points=points, fabrications=100)
        return {row.stage: row.calls for row in estimate(settings, sizes)}

    few = calls(10)
    # Three prompts a point and five rungs ask several times the questions of the same claims.
    assert calls(10, prompts=3, rungs=5) == few
    more = calls(20)
    assert {stage for stage in few if more[stage] != few[stage]} == {
        "vet", "fabricate", "vet_fabrications"
    }  # fmt: skip
    assert more["vet"] - few["vet"] == 3 * 10


def test_a_short_arc_asks_for_more_outcomes_a_node() -> None:
    asked = Settings().claims.asked
    assert (asked(16), asked(40), asked(41), asked(168)) == (6, 6, 4, 4)
    assert Settings.model_validate({"claims": {"outcomes": 5}}).claims.asked(16) == 5


def test_an_empty_workspace_is_estimated_from_the_event(tmp_path: Path) -> None:
    event = EventConfig.model_validate_json(
        '{"slug": "x", "topic": "t", "points": 3, "since": "2031-01-01", "until": "2031-02-09"}'
    )
    assert sizes_of(Workspace(tmp_path), event) == Sizes(days=40, points=3)
