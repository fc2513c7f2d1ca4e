"""Shared fixtures, and the profiles of all property tests.

The network is blocked except for loopback; real test data is optional and skips visibly.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No property fails because the machine is busy: what must be fast says so itself. The suite tries the same
# examples each time, so that one commit has one verdict; `make hunt` looks for new ones.
settings.register_profile(
    "hunt", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("suite", settings.get_profile("hunt"), derandomize=True)
settings.load_profile("suite")


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
