"""The published benchmark: every flaw that is known to be there is found at least as often as it was counted."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from factory.audit.foreign import audit
from factory.audit.foreign_bank import PublishedBank, read_page_bank
from schemas import Finding, Lang

LEAST: dict[str, dict[Lang, int]] = {
    "published-a-label": {"zh": 2827, "en": 2827},
    "published-monotone": {"zh": 27},
    "published-contradiction": {"zh": 2, "en": 4},
    "published-target-window": {"zh": 1},
    "published-past-target": {"zh": 33, "en": 33},
    "published-event-range": {"zh": 6, "en": 6},
    "published-weight": {"en": 34},
    "published-window-text": {"zh": 198},
    "published-window-unstated": {"zh": 9064},
    "published-sibling-date": {"zh": 2161},
    "published-past-date": {"zh": 25, "en": 25},
    "published-far-date": {"zh": 173},
    "published-internal-id": {"zh": 56, "en": 56},
    "published-premise": {"zh": 306},
    "published-absolute-word": {"zh": 1, "en": 1},
    "published-unknown-name": {"zh": 446, "en": 856},
    "published-duplicate": {"en": 73},
    "published-word-order": {"en": 1},
    "published-context-cutoff": {"zh": 10, "en": 10},
    "published-prefix": {"zh": 12},
    "published-event-order": {"zh": 1},
    "leak-real-name": {"zh": 529, "en": 525},
    "leak-placeholder": {"zh": 185},
    "leak-meta": {"zh": 56},
    "leak-path": {"zh": 1},
    "leak-calendar": {"zh": 1},
    "leak-editions": {"en": 1},
    "leak-points": {"zh": 12},
}
"""Rule -> edition -> how often at least; 1 where nobody has counted."""


@pytest.fixture(scope="module")
def bank(testdata: Path) -> PublishedBank:
    return read_page_bank(testdata / "official")


@pytest.fixture(scope="module")
def audited(bank: PublishedBank) -> tuple[dict[str, Finding], dict[str, float]]:
    started = time.process_time()
    findings, scores = audit(bank)
    print(f"audit of the published pages: {time.process_time() - started:.1f} CPU s")
    return {finding.rule: finding for finding in findings}, scores


@pytest.mark.slow
@pytest.mark.parametrize("rule", LEAST)
def test_known_flaws_are_found(
    audited: tuple[dict[str, Finding], dict[str, float]], rule: str
) -> None:
    found = audited[0][rule]
    missed = {
        lang: (found.editions.get(lang, 0), least)
        for lang, least in LEAST[rule].items()
        if found.editions.get(lang, 0) < least
    }
    assert missed == {}


@pytest.mark.slow
def test_the_editions_of_the_published_bank_agree_in_their_fields(
    audited: tuple[dict[str, Finding], dict[str, float]],
) -> None:
    assert "published-parity" not in audited[0]
    assert "published-event-day" not in audited[0]
    assert "leak-unreadable" not in audited[0]


@pytest.mark.slow
def test_contexts_with_their_cutoff_day_are_those_of_one_event(
    audited: tuple[dict[str, Finding], dict[str, float]],
) -> None:
    found = audited[0]["published-context-cutoff"]
    assert all(place.startswith("event5_smci/P") for place in found.examples)
    assert "158 questions and 20 dated events" in found.note, "79 and 10 in each edition"


@pytest.mark.slow
def test_a_rule_without_text_scores_above_models(
    audited: tuple[dict[str, Finding], dict[str, float]],
) -> None:
    scores = audited[1]
    assert scores["days from cutoff within window"] == pytest.approx(64.4, abs=0.05)
    assert scores["bucket midpoint"] == pytest.approx(60.9, abs=0.05)
    assert scores["bucket start + 10 days"] == pytest.approx(64.6, abs=0.06)
    assert scores["metadata only"] == pytest.approx(64.5, abs=0.05)
    assert scores["frequency"] == pytest.approx(53.88, abs=0.01)
    assert scores["structure boosting: window and distance, rounded"] > 60
    assert {name for name in scores if name.startswith("structure logistic")}
