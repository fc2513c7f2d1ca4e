"""Shared fixtures. The network is blocked except for loopback; real test data is optional and skips visibly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def testdata() -> Path:
    """Folder of real payloads and published data, named by FACTORY_TESTDATA."""
    name = os.environ.get("FACTORY_TESTDATA", "")
    if not name or not Path(name).is_dir():
        pytest.skip("FACTORY_TESTDATA is not set: tests on real published data are skipped")
    return Path(name).resolve()
