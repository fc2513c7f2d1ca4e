"""What models answer in the stage `distil`. Flat records; code checks every quote, date and figure again."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas import Emotion, Stance

OptionalDay = Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]


class Answer(BaseModel):
    """Base of the answers: no unknown fields, field docstrings become descriptions."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class SourceQuote(Answer):
    """Words of a source that support a statement."""

    source: int = Field(ge=1)
    """Number of the source."""
    quote: str = Field(min_length=1, max_length=600)
    """One unbroken passage, copied character by character in its own language."""


class FactStatement(Answer):
    """One thing that the day's sources report."""

    text: str = Field(min_length=1, max_length=900)
    """One sentence in the language of the timeline."""
    happened_on: OptionalDay
    """Day on which it happened as YYYY-MM-DD; empty for states, plans, announcements of the future, or when not stated."""
    status: Literal["confirmed", "claimed", "rumour"]
    """confirmed: stated as fact by a responsible source; claimed: one party says so; rumour: unconfirmed or anonymous."""
    evidence: list[SourceQuote] = Field(min_length=1, max_length=6)
    """Passages that together say everything in the sentence."""


class FactsAnswer(Answer):
    """What became public on one day."""

    statements: list[FactStatement] = Field(max_length=30)
    """In order of importance; empty when the sources report nothing about the event."""


class ClassifiedPost(Answer):
    """How one post is to be counted."""

    post: int = Field(ge=1)
    """Number of the post."""
    relevant: bool
    """False for advertising, spam, bare headlines, and posts about something else."""
    stance: Stance
    """Attitude towards the stance target."""
    emotion: Emotion
    """The feeling that the words express."""


class PostsAnswer(Answer):
    """One row for each post."""

    posts: list[ClassifiedPost] = Field(max_length=400)
    """Every post exactly once."""


class PostQuote(Answer):
    """Words of a post that support a sentence."""

    post: int = Field(ge=1)
    """Number of the post."""
    quote: str = Field(min_length=1, max_length=400)
    """One unbroken passage, copied character by character in its own language."""


class OpinionStatement(Answer):
    """One observation about what people said."""

    text: str = Field(min_length=1, max_length=900)
    """One sentence in the language of the timeline, without counts or shares."""
    evidence: list[PostQuote] = Field(min_length=1, max_length=6)
    """Posts that say so."""


class OpinionAnswer(Answer):
    """Public opinion of one day."""

    statements: list[OpinionStatement] = Field(max_length=8)
    """Two to five sentences, the most widely shared view first."""
    themes: list[str] = Field(max_length=6)
    """Short phrases in the language of the timeline that name what the posts were about."""


class MergedSentence(Answer):
    """A sentence of the day's paragraph."""

    text: str = Field(min_length=1, max_length=900)
    """The sentence in the language of the timeline."""
    picks: list[Annotated[str, Field(pattern=r"^[FO]\d+$")]] = Field(min_length=1, max_length=8)
    """Labels of the statements that it is made of, such as F2."""


class MergeAnswer(Answer):
    """The paragraphs of one day."""

    fact: list[MergedSentence] = Field(max_length=12)
    """Sentences made of F statements, in reading order."""
    opinion: list[MergedSentence] = Field(max_length=8)
    """Sentences made of O statements, in reading order."""


class ArcLink(Answer):
    """A day that continues earlier days."""

    node: Annotated[str, Field(pattern=r"^N\d+$")]
    """The later node."""
    follows: list[Annotated[str, Field(pattern=r"^N\d+$")]] = Field(max_length=3)
    """The earlier nodes that it directly continues, at most three."""


class ArcContradiction(Answer):
    """Two sentences that cannot both be true."""

    earlier: Annotated[str, Field(pattern=r"^N\d+\.\d+$")]
    """Label of the earlier sentence."""
    later: Annotated[str, Field(pattern=r"^N\d+\.\d+$")]
    """Label of the later sentence."""
    problem: str = Field(min_length=1, max_length=400)
    """What cannot both be true, in one sentence."""


class ArcAnswer(Answer):
    """Threads and contradictions of the whole arc."""

    links: list[ArcLink] = Field(max_length=400)
    """Which nodes continue which."""
    contradictions: list[ArcContradiction] = Field(max_length=40)
    """Pairs for a person to look at; empty when there are none."""
