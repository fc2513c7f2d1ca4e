"""A recording of the public side of a real event holds no name of its table, or is not written."""

from __future__ import annotations

import pytest

from factory.errors import BadInput
from factory.llm.replay import TABLE, record_answers
from schemas import Alias, Entity, EventConfig, ReplacementTable
from tests.llm.conftest import Desk
from tests.mock_server import MockServer


def table(name: str) -> ReplacementTable:
    alias = Alias(surface=name, lang="any", origin="model")
    return ReplacementTable(
        entities=(Entity(entity_id="n1", cls="PLC", label="A", aliases=(alias,)),)
    )


def test_a_public_call_that_shows_a_name_is_not_recorded(desk: Desk, server: MockServer) -> None:
    desk.ask("the Vello-Way line", stage="claims", fictional=False)
    desk.workspace.write(TABLE, table("Velloway"))
    real = EventConfig(slug="test", topic="t", fictional=False)
    with pytest.raises(BadInput, match="real name"):
        record_answers(desk.workspace, real, desk.root / "r", stages=["claims"])
    assert not list((desk.root / "r").glob("*.jsonl"))
    desk.workspace.write(TABLE, table("Ondrine"))
    record_answers(desk.workspace, real, desk.root / "r", stages=["claims"])
    assert [path.name for path in (desk.root / "r").iterdir()] == ["03_claims.jsonl"]
