"""Gates, findings and the manifest of a release."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.bank import BankReport
from schemas.base import Lang, Record, Text
from schemas.score import ScoreCard

GateName = Literal[
    "leak",
    "secret",
    "identity",
    "labels",
    "structure",
    "parity",
    "mirror",
    "shortcuts",
    "quotas",
    "review",
]
GateState = Literal["passed", "failed", "not evaluated", "waived"]


class Gate(Record):
    """One promise measured before release."""

    name: GateName
    """Which."""
    state: GateState
    """not evaluated blocks like failed; waived only for fictional events."""
    measure: Text
    """What was measured, with its figure."""
    reason: str = ""
    """Why it is not evaluated or waived."""
    forceable: bool
    """Whether --force may pass it."""


class Finding(Record):
    """One broken rule."""

    rule: Text
    """Rule id, documented in docs/check.md."""
    count: int = Field(ge=1)
    """How often."""
    examples: tuple[str, ...] = ()
    """Up to five places."""
    why: str = ""
    """Why it matters."""
    fix: str = ""
    """How to mend it."""
    editions: dict[Lang, int] = Field(default_factory=dict)
    """How often in each edition; published banks only."""
    note: str = ""
    """Figures behind the count."""
    silenced: str = ""
    """Reason that the bank itself states for this rule; empty when none."""


class Silenced(Record):
    """A rule that a bank breaks knowingly."""

    rule: Text
    """Rule id."""
    reason: Text
    """Why, in a sentence for readers of the bank."""


class ShortcutInterval(Record):
    """How precisely the score of an attacker is known, by resampling whole chains of pairs and families."""

    low: float
    """2.5 % of the resampled scores lie below."""
    high: float
    """2.5 % of the resampled scores lie above."""
    floor: float
    """Lower end corrected for the number of attackers; above 55 it fails the gate."""


class AnnouncedDays(Record):
    """Dated events whose day is written as a date in the context of their point; told, judged by no gate."""

    events: tuple[Text, ...]
    """event_id of each."""
    total: int
    """Dated events of the bank."""


class CheckReport(Record):
    """Result of `factory check`."""

    target: Text
    """What was checked."""
    findings: tuple[Finding, ...]
    """Empty when clean."""
    shortcuts: dict[str, float]
    """Score of each rule that reads no text; 50 means nothing to learn."""
    intervals: dict[str, ShortcutInterval] = Field(default_factory=dict)
    """Intervals of those scores that are measured by statistics; the others are exact."""
    gates: tuple[Gate, ...] = ()
    """Every gate of the design; none for published banks."""
    form: str = ""
    """What the target is: a bundle, or a published bank as project page or dataset layout."""
    silenced: tuple[Silenced, ...] = ()
    """What the bank silences, broken or not."""
    announced: AnnouncedDays | None = None
    """Dated events with an announced day; none for published banks, whose contexts are not read for dates."""


class BankCard(Record):
    """Public summary of a bank: what was composed, which gates it passed, what no-text systems score."""

    report: BankReport
    """What the composer did."""
    gates: tuple[Gate, ...]
    """Every gate with its figure."""
    baselines: ScoreCard
    """Scores of systems that read no text."""


class FileEntry(Record):
    """One file of a bundle."""

    path: Text
    """Relative path."""
    sha256: Text
    """Digest of its bytes."""
    size: int
    """Bytes."""


class ReleaseManifest(Record):
    """What a bundle contains and what it promises. Holds no time and no cost, so equal content is equal bytes."""

    public_id: Text
    """Name of the event."""
    format: Literal["factory-bundle-1"] = "factory-bundle-1"
    """Version of the layout."""
    factory_version: Text
    """Version that built it."""
    fictional: bool
    """True when the event never happened."""
    scripted: bool
    """True when model answers were written by hand."""
    waived: tuple[Text, ...] = ()
    """Gates that did not pass and need not: the event is fictional, or the preset is for comparison."""
    ungated: tuple[Text, ...]
    """Gates that did not pass although the bundle was written: somebody forced it."""
    gates: tuple[Gate, ...]
    """All gates."""
    counts: dict[str, int]
    """Nodes, points, questions, events, pairs."""
    models: dict[str, str]
    """Role -> model name."""
    licence: Text
    """Licence of the bundle."""
    files: tuple[FileEntry, ...]
    """Every other file of the bundle."""
