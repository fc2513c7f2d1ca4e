"""One call on its way through the door, and what served it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from factory.llm.cache import Request
from factory.llm.ledger import Source
from factory.llm.reply import Reply
from factory.llm.shapes import Shape
from factory.sections import Profile


@dataclass
class Call:
    """What a stage asked, rendered; lives through all re-asks."""

    stage: str
    number: int
    item: str
    sample: int
    prompt: str
    digest: str
    role: str
    profile_name: str
    profile: Profile
    shape: Shape
    system: str
    user: str
    max_tokens: int
    """Limit of the next request; raised after truncation, not part of the key."""
    attempt: int = 0
    """Attempts made."""
    opening: int = 0
    """Messages of the first attempt; what follows them are re-asks."""
    last: Reply | None = None
    """Latest answer, kept for the message of a failure."""

    @property
    def where(self) -> str:
        """Stage, item and sample for messages."""
        return f"{self.stage}, {self.item}" + (f" (sample {self.sample})" if self.sample else "")

    @property
    def folder(self) -> str:
        """`<NN_stage>`."""
        return f"{self.number:02d}_{self.stage}"

    def sampling(self) -> dict[str, Any]:
        """Sampling parameters of the profile, with the first limit of tokens."""
        profile = self.profile
        values: dict[str, Any] = (
            {} if profile.temperature is None else {"temperature": profile.temperature}
        )
        return values | {limit_name(profile): first_limit(profile)} | profile.extra


def limit_name(profile: Profile) -> str:
    """Parameter that limits an answer: some vendors take max_completion_tokens, given in `extra`."""
    return "max_completion_tokens" if "max_completion_tokens" in profile.extra else "max_tokens"


def first_limit(profile: Profile) -> int:
    """Largest answer of a first request, in tokens."""
    return int(profile.extra.get(limit_name(profile), profile.max_tokens))


@dataclass(frozen=True)
class Served:
    """An answer and what it took."""

    reply: Reply
    source: Source
    seconds: float = 0.0
    reserved: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A call with the request of its current attempt."""

    call: Call
    request: Request
    attempt: int
    body: dict[str, Any]
    """Body as it goes to the endpoint."""
