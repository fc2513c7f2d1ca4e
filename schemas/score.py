"""Grades: cells, what stands beside them, comparisons and tables.

A score that cannot be computed is "not scored", never 0. Every number that a table or page shows is in the card.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Lang, Record, Share, Text
from schemas.exam import Axis

Score = float | Literal["not scored"]

SUBSET = 0.95
"""Below this share of answered questions a score is about a subset, and is marked as such."""


class Interval(Record):
    """A cluster-bootstrap percentile interval."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""
    level: Share = 0.95
    """Nominal coverage."""


class ScoreCell(Record):
    """One score."""

    system: Text
    """System."""
    event: Text
    """Event or public id."""
    edition: Lang
    """Edition."""
    axis: Axis
    """Axis."""
    score: Score
    """On the scale of the rule set; not scored when nothing was answered."""
    answered: int = Field(ge=0)
    """Answers used."""
    total: int = Field(ge=0)
    """Questions asked."""
    unparsed: int = Field(default=0, ge=0)
    """Answers without a usable value."""
    refused: int = Field(default=0, ge=0)
    """Refusals."""
    error: int = Field(default=0, ge=0)
    """Failed calls."""
    missing: int = Field(default=0, ge=0)
    """Questions without any row."""
    interval: Interval | None = None
    """Interval of the score; none where it was not asked for."""
    strict: Score | None = None
    """The same with everything unanswered counted as wrong; none where it was not asked for."""


class ReliabilityBin(Record):
    """Answers whose probability falls into one bin."""

    low: Share
    """Lower edge, included."""
    high: Share
    """Upper edge, excluded; the last bin includes 1."""
    count: int = Field(ge=0)
    """Answers."""
    forecast: Share | None
    """Their mean probability; none when empty."""
    outcome: Share | None
    """Their share of true outcomes; none when empty."""


class Reliability(Record):
    """How probabilities agree with what happened; all unweighted."""

    brier: float
    """Mean (p - y)^2."""
    log_loss: float
    """Mean -ln of the probability given to what happened, probabilities clipped."""
    log_clip: float
    """The clip: probabilities are moved into [clip, 1 - clip]."""
    ece: float
    """Expected calibration error over the bins, weighted by their counts."""
    ece_adaptive: float
    """The same over bins of equal counts."""
    murphy_reliability: float
    """Brier = reliability - resolution + uncertainty, grouped by unique probabilities (Murphy 1973)."""
    murphy_resolution: float
    """See murphy_reliability."""
    murphy_uncertainty: float
    """See murphy_reliability."""
    bins: tuple[ReliabilityBin, ...]
    """Ten bins [low, high), the last one closed."""


class Violations(Record):
    """Answers that contradict each other inside a family; a rule without cases holds none."""

    rule: Literal["windows", "ladder", "variants"]
    """windows: a longer window is never less likely; ladder: more detail is never more likely; variants: ends that exclude each other sum to at most 1."""
    cases: int = Field(ge=0)
    """Pairs or groups that could be checked."""
    violated: int = Field(ge=0)
    """Those that break the rule by more than the tolerance."""
    mean_excess: float = Field(ge=0)
    """Mean excess of the violated ones, in probability."""


class AxisGrade(Record):
    """One system on one axis: the headline and what always stands beside it."""

    system: Text
    """System."""
    axis: Axis
    """Axis."""
    score: Score
    """Mean over events of the mean of editions."""
    interval: Interval | None
    """Cluster bootstrap; none when there is nothing to resample."""
    strict: Score | None = None
    """Everything unanswered counted as wrong; none where it was not asked for."""
    answered: int = Field(ge=0)
    """Answers used."""
    total: int = Field(ge=0)
    """Questions of the events and editions that it sat."""
    unparsed: int = Field(default=0, ge=0)
    """Answers without a usable value."""
    refused: int = Field(default=0, ge=0)
    """Refusals."""
    error: int = Field(default=0, ge=0)
    """Failed calls."""
    missing: int = Field(default=0, ge=0)
    """Questions without any row."""
    points: int = Field(ge=0)
    """Points, each edition apart, with an answer."""
    points_total: int = Field(ge=0)
    """Points of the events and editions that it sat."""
    text_free: bool = False
    """A rule that reads no text."""
    skill: float | None = None
    """(score - reference) / (100 - reference) on the questions that it answered; none without a reference."""
    reference: str | None = None
    """The best rule that reads no text, by its score on those questions."""
    clusters: int = Field(ge=0)
    """Independent clusters among its answers."""
    effective_n: float = Field(ge=0)
    """(sum w)^2 / sum w^2 of the clusters' weights."""
    reliability: Reliability | None = None
    """Calibration axis only."""
    violations: tuple[Violations, ...] = ()
    """Calibration axis only."""
    metrics: dict[str, float] = Field(default_factory=dict)
    """Further figures of the rule set by name."""


class Comparison(Record):
    """Two systems on the questions that both answered."""

    axis: Axis
    """Axis."""
    a: Text
    """The first system."""
    b: Text
    """The second."""
    difference: float
    """Score of a minus score of b."""
    interval: Interval
    """Cluster bootstrap of the difference."""
    p: Share
    """Two-sided sign-flip permutation test over clusters."""
    q: Share
    """p after Benjamini-Hochberg over all pairs of the axis."""
    questions: int = Field(ge=1)
    """Questions that both answered."""
    clusters: int = Field(ge=1)
    """Independent clusters among them."""


class Anchor(Record):
    """A rule that reads no text beside the figure that was published for it."""

    system: Text
    """Rule."""
    axis: Axis
    """Axis."""
    score: Score
    """As computed on this bank."""
    published: float | None = None
    """As published for this bank."""


class TableRow(Record):
    """A row of a table."""

    label: Text
    """What the row is about."""
    values: tuple[float | None, ...]
    """One a column; none where nothing can be computed."""


class Table(Record):
    """A table of further analysis."""

    name: Text
    """Stable name."""
    title: Text
    """For people."""
    source: Text
    """Where the computation is defined, and its convention."""
    columns: tuple[Text, ...]
    """Column titles."""
    rows: tuple[TableRow, ...]
    """Rows."""
    note: str = ""
    """What to keep in mind."""


class GroupScore(Record):
    """A score of the answers that share some keys, pooled over everything else."""

    keys: dict[str, str]
    """Key -> value."""
    system: Text
    """System."""
    axis: Axis
    """Axis."""
    score: Score
    """Pooled."""
    answered: int = Field(ge=0)
    """Answers used."""
    total: int = Field(ge=0)
    """Questions asked."""


class Problem(Record):
    """Input that could not be used, by reason."""

    reason: Text
    """What is wrong, and what became of it."""
    count: int = Field(ge=1)
    """How often."""
    example: str = ""
    """Where it was met first."""


class ScoreCard(Record):
    """Scores of several systems under one rule set."""

    rules: Text
    """Name of the rule set."""
    rules_version: Text
    """Its version."""
    cells: tuple[ScoreCell, ...]
    """Every system, event, edition and axis."""
    overall: dict[str, Score]
    """Per system: mean over events of the mean of editions, mean of the axes."""
    axes: tuple[AxisGrade, ...] = ()
    """Per system and axis."""
    comparisons: tuple[Comparison, ...] = ()
    """Paired tests, where asked for."""
    anchors: tuple[Anchor, ...] = ()
    """Rules that read no text."""
    groups: tuple[GroupScore, ...] = ()
    """Scores by the keys asked for."""
    tables: tuple[Table, ...] = ()
    """Further analysis."""
    problems: tuple[Problem, ...] = ()
    """Input that could not be used."""
    notes: tuple[str, ...] = ()
    """What a reader has to know before comparing."""
    formulas: dict[Axis, str] = Field(default_factory=dict)
    """Per axis: how the rule set computes a score, its source, and whether honesty is the best answer under it."""
