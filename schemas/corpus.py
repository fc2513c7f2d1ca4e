"""The deduplicated corpus: which items say the same thing, and how we know."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Day, Record, Share, Text

EdgeRule = Literal["exact", "url", "containment", "cosine"]


class Member(Record):
    """One item of a cluster."""

    item_id: Text
    """The item."""
    rule: Literal["representative", "exact", "url", "containment", "cosine"]
    """The rule that joined it."""
    similarity: Share
    """Value of that rule against the representative, rounded to four decimals."""


class Cluster(Record):
    """Copies of one text; the representative stands for all of them."""

    cluster_id: Text
    """Derived from the representative's item id."""
    representative: Text
    """Item id of the earliest substantial original."""
    day: Day | None
    """Day of publication of the representative in the event's zone; none if known only to the month."""
    members: tuple[Member, ...] = Field(min_length=1)
    """All items, the representative first."""
    update_of: tuple[Text, ...] = ()
    """Clusters whose text this one repeats with other numbers."""
    translation_of: tuple[Text, ...] = ()
    """Clusters that say the same in the other language; one source for corroboration."""
