"""A published bank against every rule for banks of others, as project page or in the dataset layout."""

from __future__ import annotations

from pathlib import Path

from factory.audit.foreign import audit
from factory.audit.foreign_bank import Form, read_dataset_bank, read_page_bank
from factory.audit.foreign_leaks import DATASET
from factory.audit.silence import SILENCED, read_silenced, silence
from schemas import CheckReport


def check_published(folder: Path, form: Form) -> CheckReport:
    """Check a published bank of a known form.

    BadInput names what is missing or cannot be read, or a silenced rule that does not exist or has no reason.
    """
    stated = folder / SILENCED
    silenced = read_silenced(stated.read_bytes(), stated) if stated.is_file() else ()
    bank = read_page_bank(folder) if form == "project page" else read_dataset_bank(folder, DATASET)
    findings, scores = audit(bank)
    return CheckReport(
        target=bank.target,
        findings=silence(findings, silenced),
        shortcuts=scores,
        form=bank.form,
        silenced=silenced,
    )
