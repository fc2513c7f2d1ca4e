"""The bank: points, claims, their resolution, twins, questions and dated events. Public side."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.base import Day, Lang, Record, Text
from schemas.segment import Wording
from schemas.timeline import Stance

ClaimKind = Literal["outcome", "detail", "variant", "fabrication"]
Dimension = Literal["event", "policy", "opinion", "figures"]
Difficulty = Literal["easy", "medium", "hard"]
Cadence = Literal["once", "recurring"]
QuestionType = Literal["A", "B", "C", "D"]
Window = Literal[7, 14, 30, 60, 90]
WINDOWS: tuple[Window, ...] = (7, 14, 30, 60, 90)


class PredictionPoint(Record):
    """One cutoff: what is known before it and what comes at or after it."""

    point_id: Text
    """Opaque id."""
    cutoff: Day
    """Day 0; it is hidden and counts as future."""
    context: tuple[Text, ...] = Field(min_length=1)
    """Node ids with date < cutoff, in order."""
    truth: tuple[Text, ...] = Field(min_length=1)
    """Node ids with date >= cutoff, in order."""


class DroppedDay(Record):
    """A day that could have been a cutoff, and why it is none."""

    day: Day
    """The day."""
    reason: Text
    """One sentence."""


class KeptDay(Record):
    """A day that is a cutoff, and what makes it one."""

    day: Day
    """The day."""
    reason: Text
    """One sentence."""


class PointSet(Record):
    """All cutoffs of an event with reasons for the days taken and not taken."""

    points: tuple[PredictionPoint, ...]
    """In order of cutoff."""
    kept: tuple[KeptDay, ...] = ()
    """Days taken."""
    dropped: tuple[DroppedDay, ...] = ()
    """Days considered and not taken."""


class StanceTest(Record):
    """A share of a day's counted posts; code says from the timeline alone on which days it holds."""

    stance: Stance
    """Whose share: posts that support, oppose, question or stay neutral towards the event's stance target."""
    at_least: Annotated[int, Field(ge=1, le=100)] | None = None
    """Per cent that the share reaches, included; none: no lower bound."""
    below: Annotated[int, Field(ge=1, le=100)] | None = None
    """Per cent that the share stays under; none: no upper bound."""
    posts: int = Field(gt=0)
    """Counted posts that a day must have."""

    @model_validator(mode="after")
    def _bounded(self) -> StanceTest:
        if self.at_least is None and self.below is None:
            raise ValueError("a stance test needs a bound")
        if self.at_least is not None and self.below is not None and self.at_least >= self.below:
            raise ValueError("the bounds of a stance test leave no share")
        return self


class Claim(Record):
    """A sentence that a set of dates makes true, without any date in it."""

    claim_id: Text
    """Opaque salted id."""
    family_id: Text
    """Claims about one occasion share a family."""
    kind: ClaimKind
    """outcome: what happened; detail: the same occasion with more or other detail; variant: another end of it; fabrication: made up."""
    level: Annotated[int, Field(ge=1, le=3)] = 1
    """1 general … 3 detailed."""
    occasion: Text
    """Token text of the occasion on which outcome and variants exclude each other."""
    cadence: Cadence = "once"
    """Whether it can happen more than once."""
    dimension: Dimension
    """What it is about."""
    difficulty: Difficulty
    """easy: announced or due; medium: plausible on the context; hard: a surprise to most readers."""
    node_id: str | None = None
    """Node that the claim was written from; none for fabrications."""
    mirrors: str | None = None
    """For a fabrication: the claim whose twin it was ordered to be."""
    known_from: Day | None = None
    """First cutoff at which a reader knows whom it names and what it takes for granted; none: always."""
    stance: StanceTest | None = None
    """For a claim about counted posts: the test that code resolves it by; none: readers resolve it."""
    text: Wording
    """Master language first; both after translate."""


class Occurrence(Record):
    """One day on which a claim came true, with the words that say so."""

    happened_on: Day
    """The day, in shifted dates."""
    node_id: Text
    """Node that reports it."""
    statement_id: Text
    """Statement of that node."""
    quote: Text
    """Verbatim in the statement's token text in the master language."""


class ResolverPass(Record):
    """One independent reading of the later timeline."""

    sample: int
    """0 or 1."""
    state: Literal["occurs", "never", "unclear"]
    """What it found."""
    basis: Literal["stated", "contradicted", "absent"]
    """Why."""
    occurrences: tuple[Occurrence, ...] = ()
    """Found and verified."""
    against: Occurrence | None = None
    """With `contradicted`: the first sentence, in the order of the arc, that contradicts the claim."""
    note: str = ""
    """The reader's reason, one sentence."""


class Resolution(Record):
    """What two passes agree on."""

    claim_id: Text
    """The claim."""
    state: Literal["occurs", "never", "annulled"]
    """annulled claims are never asked."""
    basis: Literal["stated", "contradicted", "absent"]
    """stated: the timeline says so; contradicted: it says otherwise; absent: nothing found after a corpus search."""
    occurrences: tuple[Occurrence, ...] = ()
    """Every day it came true, in order."""
    passes: tuple[ResolverPass, ...] = ()
    """Both readings."""
    reason: str = ""
    """Why it was annulled."""
    searched: tuple[str, ...] = ()
    """Sentences and, in a workspace, passages that the search before `absent` showed to both readings."""
    refuted_on: Day | None = None
    """For a claim that never occurs: first day of the timeline on which either pass saw it contradicted."""

    @model_validator(mode="after")
    def _consistent(self) -> Resolution:
        if (self.state == "occurs") != bool(self.occurrences):
            raise ValueError("a claim occurs exactly when it has occurrences")
        return self


class Verdict(Record):
    """One auditor on one claim."""

    claim_id: Text
    """The claim."""
    auditor: Text
    """auditor1, auditor2 or auditor3."""
    state: Literal["pass", "drop", "unknown"]
    """unknown when the call failed."""
    fault: Literal["none", "answerable", "ambiguous", "future_premise", "leaks_sibling"] = "none"
    """What is wrong."""
    quote: str = ""
    """Words that show it."""


class Order(Record):
    """What the composer needs made up: a claim that never happens and mirrors a true one."""

    order_id: Text
    """Opaque id."""
    mirrors: Text
    """Claim id of the true side."""
    point_id: Text
    """First point at which it will be asked."""
    first: Day
    """Cutoff of that point."""
    last: Day
    """Last day of its last window."""
    level: Annotated[int, Field(ge=1, le=3)]
    """Same level of detail as the mirrored claim."""
    dimension: Dimension
    """Same dimension."""


class Cell(Record):
    """Where a pair of twins is asked."""

    point_id: Text
    """The point."""
    prompt: int = Field(ge=0)
    """Index of the exam prompt at that point; siblings never share one."""
    window: Window
    """Days."""


class Pair(Record):
    """A true claim and its persistent false twin, asked at exactly the same cells; or one claim without a twin."""

    pair_id: Text
    """Opaque id."""
    true_claim: Text
    """Claim whose label is 1 in every cell; for a row without a twin the claim, whatever its labels."""
    false_claim: Text
    """Claim whose label is 0 in every cell; for a row without a twin the same claim again."""
    true_type: QuestionType
    """Type of the true side."""
    false_type: QuestionType
    """Type of the false side."""
    relation: Literal["late", "own", "fabrication", "never", "flip", "single"]
    """late: a real outcome that comes later; never: one that both passes call never; own: contradiction of the same family; fabrication: made up; without a twin: flip (false, then true in one prompt) and single (preset paper)."""
    cells: tuple[Cell, ...] = Field(min_length=1)
    """Same for both."""


class Question(Record):
    """One probability question."""

    question_id: Text
    """Opaque salted id."""
    point_id: Text
    """Where it is asked."""
    prompt: int = Field(ge=0)
    """Exam prompt at that point."""
    pair_id: Text
    """Twin cell; never shown to an examinee."""
    claim_id: Text
    """What is asked."""
    family_id: Text
    """Cluster for statistics; never shown."""
    type: QuestionType
    """Never shown."""
    level: Annotated[int, Field(ge=1, le=3)]
    """Never shown."""
    dimension: Dimension
    """What it is about."""
    difficulty: Difficulty
    """Never shown."""
    window_start: Day
    """First day, included; the cutoff."""
    window_end: Day
    """Last day, included."""
    window_days: Window
    """window_end - window_start."""
    text: dict[Lang, Text]
    """Rendered text in both editions, with the window in words."""
    answer: Literal[0, 1]
    """1 when the claim has an occurrence inside the window."""
    evidence: tuple[Occurrence, ...] = ()
    """Occurrences that make it true; for a false answer all later ones."""

    @model_validator(mode="after")
    def _window_agrees(self) -> Question:
        if (self.window_end - self.window_start).days != self.window_days:
            raise ValueError("window_days must equal window_end - window_start")
        return self


class TemporalEvent(Record):
    """One outcome whose day is asked."""

    event_id: Text
    """Opaque salted id."""
    point_id: Text
    """Where it is asked."""
    claim_id: Text
    """What happens."""
    family_id: Text
    """Cluster for statistics."""
    text: dict[Lang, Text]
    """Rendered in both editions, no date."""
    date: Day
    """First occurrence at or after the cutoff."""
    evidence: tuple[Occurrence, ...] = Field(min_length=1)
    """What says so."""


class QuotaLine(Record):
    """One quota of the composer and what the arc allowed."""

    name: Text
    """type D, window 7, ..."""
    wanted: float
    """Target share or count."""
    got: float
    """Reached."""
    note: str = ""
    """Why it fell short."""


class BankReport(Record):
    """What the composer did."""

    preset: Literal["mirror", "paper"] = "mirror"
    """Composer; the gate of the mirror does not hold for `paper`."""
    questions: int
    """Probability questions."""
    events: int
    """Temporal events."""
    pairs: int
    """Independent pairs: the effective number of questions."""
    points: dict[str, int]
    """Questions a point."""
    quotas: tuple[QuotaLine, ...]
    """Each quota."""
    dropped: dict[str, int] = Field(default_factory=dict)
    """Claims not asked, by reason."""
    flips: float = 0.0
    """Share of the weight on rows whose label flips in one prompt; a reader of positions scores 50 + 50 x this."""
    structure: dict[str, float] = Field(default_factory=dict)
    """Scores of rules that read no text, where structure gives something away; 50 is nothing."""
    notes: tuple[str, ...] = ()
    """What structure gives away and why, in sentences."""


class Bank(Record):
    """Everything composed, in one record for readers that want it whole."""

    points: tuple[PredictionPoint, ...]
    """Cutoffs."""
    questions: tuple[Question, ...]
    """Probability questions."""
    events: tuple[TemporalEvent, ...]
    """Dated events."""
