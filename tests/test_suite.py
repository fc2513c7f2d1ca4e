"""What holds for the whole suite."""

from __future__ import annotations

import os
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory.anonymise.dates import draw_offset, offsets
from factory.events import new_keys
from factory.settings import user_file
from tests import waiting
from tests.conftest import SURROUNDINGS
from tests.effort import grows_linearly


def test_a_busy_machine_fails_no_property() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check


def test_the_same_commit_tries_the_same_examples_and_a_hunt_others() -> None:
    assert settings.get_profile("suite").derandomize
    hunt = settings.get_profile("hunt")
    assert not hunt.derandomize
    assert hunt.deadline is None


@settings(max_examples=2)
@given(st.booleans())
def test_a_property_with_settings_of_its_own_has_no_deadline_either(value: bool) -> None:
    time.sleep(0.25)
    assert isinstance(value, bool)


def test_work_that_is_quadratic_is_told_from_work_that_is_linear() -> None:
    assert grows_linearly(lambda size: sum(range(20 * size)), 20_000)
    assert not grows_linearly(lambda size: sum(range(size * size // 100)), 20_000)


def test_what_never_comes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    came = iter([False, False, True])
    waiting.wait_until(lambda: next(came), "the third")
    monkeypatch.setattr(waiting, "PATIENCE", 0.01)
    with pytest.raises(AssertionError, match="the fourth: not within"):
        waiting.wait_until(lambda: False, "the fourth")


@pytest.mark.parametrize("other", range(2))
def test_a_new_event_of_a_test_has_the_same_keys_each_time(
    other: int, request: pytest.FixtureRequest
) -> None:
    rng = random.Random(request.node.nodeid)
    keys = new_keys()
    assert keys.public_id == "e" + rng.randbytes(4).hex()
    assert keys.salt == rng.randbytes(16).hex()
    assert draw_offset("weeks", other_than=28) == rng.choice(
        [days for days in offsets("weeks") if days != 28]
    )
    assert new_keys() != keys


def test_no_setting_of_the_machine_reaches_a_test() -> None:
    assert not user_file().exists()
    assert not {name.upper() for name in os.environ} & set(SURROUNDINGS)
