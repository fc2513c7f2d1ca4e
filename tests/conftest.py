"""Shared fixtures, the profiles of all property tests, and what no test takes from the machine or from chance.

The network is blocked except for loopback; real test data is optional and skips visibly.
"""

from __future__ import annotations

import os
import random
import secrets
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No property fails because the machine is busy: what must be fast says so itself. The suite tries the same
# examples each time, so that one commit has one verdict; `make hunt` looks for new ones.
settings.register_profile(
    "hunt",
    settings(),
    deadline=None,
    derandomize=False,  # which it is where a CI is told from its environment
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("suite", settings.get_profile("hunt"), derandomize=True)
settings.load_profile("suite")

SURROUNDINGS = (
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES"),
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    *("BLUESKY_HANDLE", "BLUESKY_APP_PASSWORD", "MASTODON_TOKEN", "REDDIT_CLIENT_ID"),
    *("REDDIT_CLIENT_SECRET", "X_BEARER_TOKEN", "YOUTUBE_API_KEY"),
)
"""What a terminal, a CI, make or a person may have set: it changes what is printed, who is asked or by which way."""
for _name in SURROUNDINGS:
    os.environ.pop(_name, None)
    os.environ.pop(_name.lower(), None)
os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).resolve().parent / "no-settings")


@pytest.fixture(autouse=True)
def _drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and offsets of new events, which the system's randomness draws, are the same each time a test runs."""
    rng = random.Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_hex", lambda size=32: rng.randbytes(size).hex())
    monkeypatch.setattr(random, "SystemRandom", lambda: rng)


@pytest.fixture(scope="session")
def testdata() -> Path:
    """Folder of real payloads and published data, named by FACTORY_TESTDATA."""
    name = os.environ.get("FACTORY_TESTDATA", "")
    if not name or not Path(name).is_dir():
        pytest.skip("FACTORY_TESTDATA is not set: tests on real published data are skipped")
    return Path(name).resolve()


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small demo event's folder, run once from its recording; a test that changes anything copies it."""
    from factory.events import create
    from factory.recording import load_run
    from factory.running import run_event

    root = tmp_path_factory.mktemp("finished") / "workspaces" / "demo"
    recording = load_run("small-demo")
    fields = {"slug": "demo", "topic": recording.topic, "mode": "replay", "recording": "small-demo"}
    run_event(create(root, fields, recording=recording))
    return root
