from __future__ import annotations

import asyncio

import pytest

from factory.llm.doctor import Probe, examine
from tests.llm.conftest import Desk
from tests.mock_server import MockServer


def probe(desk: Desk) -> dict[str, Probe]:
    return {row.check: row for row in asyncio.run(examine(desk.settings(), ["distil", "claims"]))}


def test_a_working_profile_passes_every_probe_once(desk: Desk, server: MockServer) -> None:
    found = probe(desk)
    assert list(found) == ["key", "endpoint", "model", "mode", "dialect"]
    assert all(row.ok for row in found.values())
    assert len(server.requests) == 2


def test_a_missing_key_is_named_and_nothing_is_sent(
    desk: Desk, server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    found = probe(desk)
    assert "OPENAI_API_KEY" in found["key"].message
    assert "--manual DIR" in found["key"].message
    assert not any(row.ok for row in found.values())
    assert server.requests == []


def test_an_unreachable_address_is_named(desk: Desk) -> None:
    found = probe(desk)
    assert found["key"].ok
    assert "http://127.0.0.1:9/v1 cannot be reached" in found["endpoint"].message
    assert "not tried" in found["mode"].message


def test_a_model_that_is_not_offered_is_named_with_what_is(desk: Desk, server: MockServer) -> None:
    server.models = ("other-1", "other-2")
    found = probe(desk)
    assert "'mock'" in found["model"].message
    assert "other-1, other-2" in found["model"].message


def test_a_mode_that_the_server_ignores_is_found(desk: Desk, server: MockServer) -> None:
    server.answer = lambda _body: "Five, I think."
    found = probe(desk)
    assert not found["mode"].ok
    assert "set mode" in found["mode"].message


def test_a_refused_schema_points_at_the_dialect(desk: Desk, server: MockServer) -> None:
    server.marked = {"bridge": "400"}
    found = probe(desk)
    assert found["mode"].ok
    assert 'dialect = "plain"' in found["dialect"].message
