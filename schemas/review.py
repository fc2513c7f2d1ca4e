"""What a person sees of the sample for review, and what was decided about it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Lang, Record, Text
from schemas.run import ReviewRequest

SampledKind = Literal["question", "node"]
SampledState = Literal["open", "accepted", "rejected"]


class SampledRow(Record):
    """One question or node of the sample."""

    kind: SampledKind
    """What it is."""
    row_id: Text
    """question_id or node_id; what --accept and --reject take."""
    review_id: Text
    """Its id among the decisions; it holds a digest of the content, so that an acceptance ends with the content."""
    state: SampledState
    """open: nobody decided about this content."""
    reason: str = ""
    """Why it was rejected."""
    text: dict[Lang, str]
    """What is released of it, by edition."""
    answer: str = ""
    """Answer of a question; empty for a node."""
    chain: tuple[str, ...]
    """Lines of its evidence, down to the quotes of the sources where the workspace holds them."""


class RejectedRow(Record):
    """A question, claim or node that a person rejected."""

    review_id: Text
    """Its id among the decisions; --accept takes it to withdraw the rejection."""
    reason: str
    """Why."""
    in_force: bool
    """False while it is still in the bank: the next run leaves it out. A node blocks the release instead."""


class ReviewSample(Record):
    """Everything that a person can settle about an event."""

    event: Text
    """Name of the event."""
    needed: int = Field(ge=0)
    """Rows that must be accepted."""
    accepted: int = Field(ge=0)
    """Rows that are."""
    rows: tuple[SampledRow, ...]
    """The sample; empty before the bank is composed."""
    rejected: tuple[RejectedRow, ...] = ()
    """All rejections that stand."""
    waiting: tuple[ReviewRequest, ...] = ()
    """What the stages ask."""
