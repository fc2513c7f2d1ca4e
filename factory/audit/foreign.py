"""The audit of a published bank: every rule for banks of others, the leak scanner, and the scores without text."""

from __future__ import annotations

from factory.audit.foreign_bank import PublishedBank
from factory.audit.foreign_contexts import check_contexts, check_order, check_parity
from factory.audit.foreign_hits import Broken
from factory.audit.foreign_labels import check_contradictions, check_labels
from factory.audit.foreign_leaks import check_leaks
from factory.audit.foreign_names import check_names
from factory.audit.foreign_premises import check_premises
from factory.audit.foreign_shortcuts import shortcuts
from factory.audit.foreign_stems import check_days, check_windows, check_words
from schemas import Finding

CHECKS = (
    check_labels,
    check_contradictions,
    check_windows,
    check_days,
    check_words,
    check_names,
    check_premises,
    check_contexts,
    check_parity,
    check_order,
    check_leaks,
)
"""Each reads the bank and adds what is broken."""


def audit(bank: PublishedBank) -> tuple[tuple[Finding, ...], dict[str, float]]:
    """Findings by rule, and the score of each rule and model that reads no context."""
    broken = Broken()
    for check in CHECKS:
        check(bank, broken)
    return broken.findings(), shortcuts(bank)
