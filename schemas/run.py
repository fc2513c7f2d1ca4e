"""Records of a workspace: the event's own settings, decisions, rejections and stage states."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Day, Instant, Lang, Record, Text

Mode = Literal["live", "replay", "manual"]
Entry = Literal["topic", "items", "timeline", "anonymised"]


class ImportSpec(Record):
    """One import of the event."""

    path: Text
    """File or folder."""
    format: Text = "auto"
    """Importer name, or auto."""


class EventConfig(Record):
    """event.toml: what belongs to one event."""

    slug: Text
    """Folder name."""
    topic: Text
    """The line that the user typed, or a title for imports."""
    entry: Entry = "topic"
    """Where the event enters the stage graph."""
    mode: Mode = "live"
    """How model calls are answered."""
    recording: str = ""
    """Name or folder of the recording (replay)."""
    manual_dir: str = ""
    """Folder of prompts and answers (manual)."""
    lang: Lang = "en"
    """Master language."""
    fictional: bool = False
    """True when the event never happened; only then may the raw side be recorded."""
    licence: Text = "CC-BY-4.0"
    """Licence that the bundle will carry."""
    zone: str = ""
    """IANA zone; empty means that the plan infers it."""
    since: Day | None = None
    """Overrides the plan."""
    until: Day | None = None
    """Overrides the plan."""
    sources: tuple[Text, ...] = ()
    """Connectors to use; empty means all that are configured."""
    imports: tuple[ImportSpec, ...] = ()
    """Files to import."""
    points: int | None = Field(default=None, gt=0)
    """Cutoffs wanted; overrides settings."""
    seed: int = 7
    """Seed of every choice that is not secret."""
    budget: float | None = Field(default=None, gt=0)
    """Money cap in the currency of the price table."""
    already_anonymised: bool = False
    """True for an imported timeline whose names and dates were replaced elsewhere."""
    made_from: str | None = None
    """Name of the event that this one is a version of (`factory regenerate`); none for an original."""
    overlay: dict[str, str] | None = None
    """Prompt files that the version laid over the bundled ones when it was made -> sha256; none for an original."""


class Decision(Record):
    """What a person decided in review; an input of the stage."""

    stage: Text
    """Stage that asked."""
    review_id: Text
    """What was asked."""
    choice: Text
    """One of the options."""
    note: str = ""
    """Free text."""
    decided_at: Instant
    """When."""


class ReviewRequest(Record):
    """Something that waits for a person."""

    stage: Text
    """Stage that asks."""
    review_id: Text
    """Stable id."""
    kind: Text
    """alias, date, panel, node, question, ..."""
    question: Text
    """One sentence."""
    detail: str = ""
    """Context shown to the person."""
    options: tuple[Text, ...] = Field(min_length=1)
    """Possible choices."""


class Rejection(Record):
    """An input that a stage did not keep, and why."""

    stage: Text
    """Stage."""
    item: Text
    """Id of what was rejected."""
    reason: Text
    """Short reason, the same words for the same cause."""
    detail: str = ""
    """More, if it helps."""


class Counts(Record):
    """What went into a stage and came out."""

    received: int = Field(ge=0)
    """Inputs."""
    kept: int = Field(ge=0)
    """Outputs."""
    rejected: int = Field(default=0, ge=0)
    """Rows of rejected.jsonl."""


class StageRecord(Record):
    """State of one stage in manifest.json."""

    name: Text
    """Stage."""
    state: Literal["done", "failed", "waiting", "external"]
    """Stale and pending are computed, not stored."""
    fingerprint: str = ""
    """Digest of inputs, prompts, settings, decisions and revision."""
    outputs: dict[str, str] = Field(default_factory=dict)
    """Path -> sha256."""
    counts: Counts | None = None
    """In, out, rejected."""
    calls: int = 0
    """Model calls of the last run, cached ones included."""
    paid_calls: int = 0
    """Requests that went out."""
    prompt_tokens: int = 0
    """Tokens in."""
    completion_tokens: int = 0
    """Tokens out."""
    cost: float = 0.0
    """Money by the price table."""
    seconds: float = 0.0
    """Wall time of the last run."""
    finished_at: Instant | None = None
    """When."""
    message: str = ""
    """Why it failed or waits."""


class WorkspaceManifest(Record):
    """manifest.json of a workspace."""

    factory_version: Text
    """Version that wrote it."""
    stages: dict[str, StageRecord] = Field(default_factory=dict)
    """By stage name."""
