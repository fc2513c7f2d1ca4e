"""The live path end to end: connectors reach the platforms, and a model that talks nonsense releases nothing."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from factory.recording import load_run
from factory.workspace import Workspace
from schemas import Item, Plan, Rejection
from tests.outside_world.live import PLAN, RUN, Ended, go, model_server, recorded_queries, summary
from tests.outside_world.world import MASTODON_HOST, REDDIT_HOST


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    patch = pytest.MonkeyPatch()
    for name in ("DEMO_LIVE_BASE_URL", "REDDIT_CLIENT_ID", "MASTODON_TOKEN", "http_proxy"):
        patch.delenv(name, raising=False)
    try:
        return go(tmp_path_factory.mktemp("live"))
    finally:
        patch.undo()


@pytest.mark.slow
def test_nonsense_ends_in_one_sentence_and_never_in_a_bundle(ended: Ended) -> None:
    assert ended.mocked
    assert ended.code in (1, 2, 3), ended.sentence
    assert ended.sentence.startswith("factory: ")
    assert "Traceback" not in ended.sentence
    assert not list(ended.root.glob("09_release/**/*.json*"))
    assert ended.honest
    assert json.loads(summary(ended))["honest"] is True


@pytest.mark.slow
def test_what_the_model_made_up_is_in_the_rejections(ended: Ended) -> None:
    rows = list(Workspace(ended.root).read_lines(Rejection, "rejected.jsonl"))
    assert ("plan", "unknown source") in {(row.stage, row.reason) for row in rows}
    assert "distil" in {row.stage for row in rows}
    assert ended.calls > 10, "the model was asked, over real HTTP"


@pytest.mark.slow
def test_every_source_was_asked_over_the_network_and_gave_items(ended: Ended) -> None:
    hosts = {urlsplit(line.split(" ", 2)[2]).hostname for line in ended.asked}
    feeds = {urlsplit(row.query).hostname for row in recorded_queries() if row.source == "rss"}
    assert hosts == feeds | {REDDIT_HOST, MASTODON_HOST}
    items = list(Workspace(ended.root).read_lines(Item, "01_items/items.jsonl"))
    asked = set(load_run(str(RUN)).event["sources"])
    assert {item.origin.source for item in items} == asked | {"mediacrawler"}
    assert any(line.startswith("POST 200") for line in ended.asked), "reddit gave a token"


@pytest.mark.slow
def test_the_corrected_plan_is_the_one_that_was_asked(ended: Ended) -> None:
    plan = Workspace(ended.root).read(Plan, PLAN)
    assert plan.origin == "file"
    assert {(row.source, row.query) for row in ended.coverage if row.source != "mediacrawler"} == {
        (query.source, query.query) for query in plan.queries
    }


def test_a_given_endpoint_answers_in_place_of_the_mock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_LIVE_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("DEMO_LIVE_MODEL", "some-model")
    monkeypatch.setenv("DEMO_LIVE_KEY_ENV", "SOME_KEY")
    with model_server() as (profile, calls):
        assert profile == {
            "base_url": "http://127.0.0.1:9/v1",
            "model": "some-model",
            "api_key_env": "SOME_KEY",
        }
        assert calls == []


def test_a_released_bundle_from_a_mock_is_a_failure(tmp_path: Path) -> None:
    released = tmp_path / "09_release"
    released.mkdir()
    (released / "manifest.json").write_text("{}")
    assert not Ended(0, "", tmp_path, True, [], 0).honest
    assert not Ended(1, "factory: refused", tmp_path, True, [], 0).honest
    assert Ended(1, "factory: refused", tmp_path / "other", True, [], 0).honest
    assert not Ended(1, "Traceback", tmp_path / "other", True, [], 0).honest
