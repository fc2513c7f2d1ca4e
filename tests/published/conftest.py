"""The published project page, where it is among the test data."""

from __future__ import annotations

from pathlib import Path

import pytest

from factory.published.pages import Published, read_pages


@pytest.fixture(scope="session")
def official(testdata: Path) -> Path:
    folder = testdata / "official"
    if not folder.is_dir():
        pytest.skip("the published bank is not among the test data")
    return folder


@pytest.fixture(scope="session")
def published(official: Path) -> Published:
    return read_pages(official / "demo")
