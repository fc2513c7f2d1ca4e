"""Settings: what cannot work is refused when it is read, with the setting and the file that says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from factory.errors import BadInput
from factory.settings import load_settings


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[roles]\nauditr2 = "default"', ["roles", "unknown role 'auditr2'", "'auditor2'"]),
        ('[collect]\nuser_agent = "中文"', ["collect.user_agent", "'中文'", "one line of ASCII"]),
        ('[collect]\nuser_agent = "café"', ["collect.user_agent", "one line of ASCII"]),
        ('[collect]\nuser_agent = "a\\nb"', ["collect.user_agent", "one line of ASCII"]),
        ('[collect]\nuser_agent = " "', ["collect.user_agent", "one line of ASCII"]),
        ('[roles]\nclaims = "second"', ["roles.claims", "'second'", "not defined"]),
        ("[compose.shares]\nA = 0.5\nB = 0.5", ["compose.shares", "A, B, C, D"]),
        ("[compose.shares]\nA = 0.5\nB = 0.5\nC = 0.5\nD = 0.5", ["compose.shares", "sum to 2"]),
        ("[compose.shares]\nA = 1.2\nB = -0.2\nC = 0\nD = 0", ["compose.shares", "below 0"]),
        ("[compose.window_weights]\n7 = 1", ["compose.window_weights", "7, 14, 30, 60, 90"]),
        (
            "[compose.window_weights]\n7 = 0\n14 = 0\n30 = 0\n60 = 0\n90 = 0",
            ["compose.window_weights", "above 0"],
        ),
        ('prompts_dir = "nowhere"', ["prompts_dir", "'nowhere'", "no folder"]),
        ('[profiles.default]\nbase_url = "localhost:8080/v1"', ["base_url", "http://"]),
        ('[profiles.default]\nbase_url = "https://"', ["base_url", "host"]),
        ('[release]\nlicence = " "', ["release.licence", "licence"]),
        (
            '[collect]\ncolumns = {text="t", publishd="d"}',
            ["collect.columns", "'publishd'", "did you mean 'published'?"],
        ),
        ('[collect]\ncolumns = {text="t", id=" "}', ["collect.columns", "'id' has no column"]),
        ('[collect]\ncolumns = {published="d"}', ["collect.columns", "no column of words"]),
    ],
)
def test_a_setting_that_cannot_work_is_refused_with_its_file(
    text: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "factory.toml").write_text(text + "\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        load_settings()
    for word in [*words, str(tmp_path / "factory.toml")]:
        assert word in str(caught.value)
    assert "Value error" not in str(caught.value)


def test_what_holds_between_layers_names_the_layer_that_said_it_last(tmp_path: Path) -> None:
    (tmp_path / "factory.toml").write_text('[profiles.second]\nmodel = "m"\n', encoding="utf-8")
    assert load_settings(event={"roles": {"claims": "second"}}).profile("claims").model == "m"
    with pytest.raises(BadInput, match=r"roles\.claims in event\.toml .*'third'"):
        load_settings(event={"roles": {"claims": "third"}})


def test_shares_may_be_rounded() -> None:
    shares = {"A": 0.333, "B": 0.333, "C": 0.333, "D": 0.0}
    assert load_settings(event={"compose": {"shares": shares}}).compose.shares == shares
