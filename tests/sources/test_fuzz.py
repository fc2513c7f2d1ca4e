"""Mutated feeds, pages, answers and files through every reader: none crashes, hangs or fills the memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sources.feeds import read_feed
from sources.registry import CONNECTORS, IMPORTERS
from tests.sources import fuzzing

MAX_MB = 500


def fuzzed(count: int, seed: int) -> dict[str, Any]:
    """What the program of the fuzz printed; it runs alone, so that its memory is its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.sources.fuzzing", str(count), str(seed)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def test_a_few_hundred_inputs_end_soon_and_small() -> None:
    found = fuzzed(200, 1)
    assert sum(found["readers"].values()) == 200
    assert found["peak_mb"] < MAX_MB


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_ten_thousand_inputs_end_soon_and_small(seed: int) -> None:
    found = fuzzed(2500, seed)
    assert sum(found["readers"].values()) == 2500
    assert len(found["readers"]) == 4 + len(fuzzing.CONNECTORS) + len(fuzzing.IMPORTS)
    assert found["peak_mb"] < MAX_MB


def test_every_connector_and_importer_is_fuzzed() -> None:
    """Reddit's connector speaks through its own client; its answers go through the reader of its things."""
    assert set(fuzzing.CONNECTORS) == set(CONNECTORS) - {"reddit"}
    assert set(fuzzing.IMPORTS) == set(IMPORTERS)


@pytest.mark.parametrize("name", sorted(fuzzing.IMPORTS))
def test_the_sound_file_of_each_importer_gives_items(name: str, tmp_path: Path) -> None:
    suffix, files = fuzzing.IMPORTS[name]
    assert any(fuzzing.through_importer(name, data, tmp_path, suffix) for data in files)


@pytest.mark.parametrize("number", range(len(fuzzing.BOMBS)))
def test_inputs_made_to_exhaust_a_reader_do_not(number: int, tmp_path: Path) -> None:
    bomb = fuzzing.BOMBS[number]
    with fuzzing.bounded():
        read_feed(bomb)
    for name, (suffix, _) in fuzzing.IMPORTS.items():
        with fuzzing.bounded():
            fuzzing.through_importer(name, bomb, tmp_path, suffix)


def test_entities_are_not_multiplied() -> None:
    feed = read_feed(fuzzing.BOMBS[0])
    assert len(feed.title) < 10_000


def test_the_same_seed_gives_the_same_inputs() -> None:
    first, second = (
        [fuzzing.mutated(fuzzing.RSS.encode(), random.Random(seed)) for _ in range(3)]
        for seed in (5, 5)
    )
    assert first == second
    assert fuzzing.mutated(fuzzing.RSS.encode(), random.Random(6)) != first[0]


def test_a_reader_that_hangs_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "LONGEST", 0.2)

    def hang() -> None:
        with fuzzing.bounded():
            while True:
                pass

    with pytest.raises(fuzzing.Hang):
        hang()
