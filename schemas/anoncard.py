"""How well an event is hidden: the public card, and what only its owner may read.

The public card holds counts and shares only. Whatever would give the offset away stays on the private side: how far
a guessed period lies from the real one, and how far a month moved from its own length (an auditor who reads the
shifted dates back errs by exactly the offset).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.anonymise import AuditorReply, Grade
from schemas.base import Lang, Record, Share, Text

NotEvaluated = Literal["not evaluated"]

ReviewState = Literal["reviewed", "not reviewed", "refused", "not evaluated"]
"""What a person said of a list that nothing waits for."""

ShownText = Literal["anonymised", "raw", "class", "decoy"]
"""What the panel read: the anonymised arc, the raw one, its bare class, or another, invented event."""


class Proportion(Record):
    """A share with its Wilson interval of 95 %."""

    hits: float = Field(ge=0)
    """What counted; a whole number, or a sum of reciprocal ranks."""
    total: int = Field(gt=0)
    """Out of."""
    share: Share
    """hits / total."""
    low: Share
    """Lower end."""
    high: Share
    """Upper end."""


class PanelFigures(Record):
    """How often one panel named the true event from one kind of text."""

    text: ShownText
    """What was shown."""
    replies: int = Field(ge=0)
    """Replies that could be graded."""
    unknown: int = Field(ge=0)
    """Calls without a usable answer; they count neither as hit nor as miss."""
    hit1: NotEvaluated | Proportion = "not evaluated"
    """First guess names the event."""
    hit5: NotEvaluated | Proportion = "not evaluated"
    """One of the first five names it."""
    mrr: NotEvaluated | Proportion = "not evaluated"
    """Mean reciprocal rank of the event, 0 where no guess names it."""
    confidence: NotEvaluated | Share = "not evaluated"
    """Mean of the auditors' own probabilities for their first guess."""


class NameFigures(Record):
    """The table and one edition of the text."""

    lang: Lang
    """Edition."""
    aliases: int = Field(ge=0)
    """Surface forms searched for in this edition."""
    hit: int = Field(ge=0)
    """Forms found in it."""
    zero_hit: int = Field(ge=0)
    """Forms not found in it."""
    unexplained: NotEvaluated | int = "not evaluated"
    """Name-like strings that no entry explains; in the edition that was rendered last, counted by the leak scanner's lists."""


class DateFigures(Record):
    """Date mentions of one kind."""

    kind: Text
    """What it names: day, range, month, weekday, holiday, ...; other for all the rest."""
    mentions: int = Field(ge=0)
    """All of them."""
    shifted: int = Field(ge=0)
    """Moved by the offset."""
    left: int = Field(ge=0)
    """Left by rule: durations, years that stay true."""
    flagged: int = Field(ge=0)
    """Put to phase C or to a person."""
    repaired: int = Field(ge=0)
    """Flagged ones that were reworded."""
    open: int = Field(ge=0)
    """Flagged ones that nobody settled."""


class WordFigures(Record):
    """Rare words of one edition: commodities and events by which a reader may know the case without a name."""

    lang: Lang
    """Edition."""
    words: NotEvaluated | int = "not evaluated"
    """Distinct words; not evaluated for an edition that does not exist yet."""
    mentions: int = Field(default=0, ge=0)
    """Mentions of all of them."""
    state: ReviewState = "not evaluated"
    """Whether a person looked at them; not evaluated for a fictional event, of which nothing can be looked up."""


class AllowedHit(Record):
    """Words of a released statement that the leak scan would refuse and that a person let stand."""

    statement_id: Text
    """The statement; the same words in another one are still refused."""
    rule: Text
    """Rule of the scan, as in docs/check.md."""
    words: Text
    """As they are released."""


class UtilityFigures(Record):
    """What the text lost."""

    placeholders_a_sentence: float = Field(ge=0)
    """Entity placeholders per sentence."""
    length_ratio: float = Field(gt=0)
    """Characters after by characters before, to two places."""
    nodes: int = Field(ge=0)
    """Days after."""
    nodes_equal: bool
    """Whether every raw day is there once, in the same order."""
    statements_equal: bool
    """Whether every raw sentence is there once, in the same order."""
    labels_unchanged: NotEvaluated | Share = "not evaluated"
    """Share of labels that stay the same when claims are resolved against the raw timeline."""


class AnonymisationCard(Record):
    """Public summary of how well the event is hidden."""

    entities: int
    """Replaced entities."""
    aliases: int
    """Surface forms in the table."""
    aliases_hit: int
    """Forms that occur in the timeline."""
    mentions: int
    """Entity mentions replaced."""
    dates_shifted: int
    """Date mentions shifted."""
    dates_flagged: int
    """Date mentions that need a person."""
    calendar_residue: int
    """Calendar words outside every classified mention."""
    offset_candidates: int
    """Offsets that the released dates leave possible."""
    panel_grade: Grade
    """Grade of the last round."""
    panel_rounds: int
    """Rounds held."""
    panel_state: Literal["evaluated", "not evaluated"]
    """Not evaluated: a scripted panel, or one that is not known to recognise the raw text."""
    panel_power: NotEvaluated | float = "not evaluated"
    """Share of auditors whose first guess names the event from the raw text."""
    panel_prior: NotEvaluated | float = "not evaluated"
    """Share of auditors whose first guess names it from its bare class."""
    panel_false_high: NotEvaluated | float = "not evaluated"
    """Share of auditors who name it when shown an invented event instead."""
    drift_open: int
    """Unrepaired differences between raw and anonymised text."""
    lang: Lang | None = None
    """Edition that the panel read; the other one is rendered from the same references."""
    panel: tuple[PanelFigures, ...] = ()
    """Figures of the last round and of the controls."""
    names: tuple[NameFigures, ...] = ()
    """By edition."""
    dates: tuple[DateFigures, ...] = ()
    """By kind of mention."""
    weekdays_checked: int = 0
    """Weekday words in the anonymised text."""
    weekdays_false: int = 0
    """Those that disagree with the date beside them."""
    gap_pairs: int = 0
    """Pairs of day-precise mentions compared with the raw text."""
    gaps_preserved: NotEvaluated | Share = "not evaluated"
    """Share of pairs with the same distance in days as before."""
    linkage_rank: NotEvaluated | int = "not evaluated"
    """Rank of the raw timeline among decoys by likeness to the anonymised one; 1 links."""
    linkage_margin: NotEvaluated | float = "not evaluated"
    """Likeness to the raw timeline minus likeness to the nearest decoy."""
    linkage_rank_meaning: NotEvaluated | int = "not evaluated"
    """The same rank by sentence embeddings."""
    linkage_margin_meaning: NotEvaluated | float = "not evaluated"
    """The same margin by sentence embeddings."""
    linkage_decoys: int = 0
    """Decoys compared."""
    rare_numbers: NotEvaluated | dict[str, int] = "not evaluated"
    """Figures that could be looked up, by class."""
    numbers_policy: Text = "keep"
    """What was done with them."""
    rare_numbers_state: ReviewState = "not evaluated"
    """Whether a person looked at them; not evaluated for a fictional event, of which nothing can be looked up."""
    rare_words: tuple[WordFigures, ...] = ()
    """By edition; none in cards that were made without the list."""
    names_open: NotEvaluated | int = "not evaluated"
    """Name-like strings that were put to a person and wait; not evaluated for a fictional event."""
    leaks: NotEvaluated | dict[str, int] = "not evaluated"
    """Findings of the scanner in the anonymised timeline by rule; a release is scanned again as a whole."""
    allowed: tuple[AllowedHit, ...] = ()
    """What a person let pass the scan, statement by statement."""
    parity: NotEvaluated | int = "not evaluated"
    """Differences between the editions; known when both exist, see the gate of that name."""
    utility: NotEvaluated | UtilityFigures = "not evaluated"
    """What the text lost."""


class ControlRound(Record):
    """The panel on a text whose answer is known beforehand. Private."""

    text: ShownText
    """What was shown."""
    name: Text
    """raw, class, or the decoy's name."""
    prompt_digest: Text
    """sha256 of the request, as in PanelRound."""
    replies: tuple[AuditorReply, ...]
    """Three auditors, graded against the event's own truth card."""


class PeriodFigures(Record):
    """How near the first guesses of the last round come to the real period. Private: it may equal the offset."""

    replies: int = Field(ge=0)
    """First guesses that name a period."""
    error_days: NotEvaluated | float = "not evaluated"
    """Median distance in days of the guessed first day from the real one."""
    iou: NotEvaluated | Share = "not evaluated"
    """Mean overlap of guessed and real period: days in both by days in either."""
    actors_named: NotEvaluated | Proportion = "not evaluated"
    """Actors of the truth card that any of the guesses names."""


class AnonymisationAudit(Record):
    """Private companion of the card: figures and words that would help to undo it."""

    controls: tuple[ControlRound, ...] = ()
    """Empty when they were switched off."""
    period: PeriodFigures
    """Last round."""
    month_error_days: int = Field(ge=0)
    """Largest distance between a month, quarter, season or part of a month and its exact shift."""
    dates: tuple[DateFigures, ...] = ()
    """By every kind of mention; the public card adds up those whose fate depends on the offset."""
    zero_hit: tuple[str, ...] = ()
    """Names of the table that the timeline never uses."""
    unexplained: tuple[str, ...] = ()
    """Name-like strings with their surroundings that no entry explains."""
    open_dates: tuple[str, ...] = ()
    """Flagged date words that nobody settled."""
    rare_numbers: tuple[str, ...] = ()
    """Figures that could be looked up, as written."""
    rare_words: tuple[str, ...] = ()
    """Rare words of the master edition with their mentions, heaviest first."""
    offset_evidence: tuple[str, ...] = ()
    """What rules offsets out."""
