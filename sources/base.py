"""What connectors and importers share: the class to derive from, what it is given, and its report.

A connector asks a platform, an importer reads a file; both yield `schemas.Item` and tell their `Report` how
every fetch or file ended, so that nothing is lost in silence.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schemas import Item, Outcome, SourceQuery
from sources.answers import Answers
from sources.ids import Ids, ids_of
from sources.times import Moment, read_time
from sources.zones import publisher_zone

if TYPE_CHECKING:
    from sources.http import Http


class SourceError(Exception):
    """A source cannot be used at all; the message is one sentence with the next step."""


class Paused(SourceError):
    """A source takes no further request for now. The query goes on at its cursor when the event is run again."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; run again then: the search goes on where it stopped")
        self.why = why
        """Who refuses, and until when where that is said."""


@dataclass(frozen=True)
class Refusal:
    """One input that a source did not turn into an item."""

    item: str
    """Address, file with line, or native id."""
    reason: str
    """Short; the same words for the same cause."""
    detail: str = ""
    """More, if it helps."""


@dataclass
class Report:
    """How the fetches of one query, or the parts of one import, ended."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """Fetches or files by how they ended."""
    refusals: list[Refusal] = field(default_factory=list)
    """Inputs that gave no item."""
    capped: bool = False
    """True when the platform or our limit cut the answer."""
    notes: list[str] = field(default_factory=list)
    """Sentences for a person."""

    def end(self, outcome: Outcome) -> None:
        """Count one finished fetch or file."""
        self.outcomes[outcome] += 1

    def refuse(self, item: str, reason: str, detail: str = "") -> None:
        """Record an input that gave no item."""
        self.refusals.append(Refusal(item, reason, detail[:300]))

    def note(self, line: str) -> None:
        """Add a sentence for a person, once."""
        if line not in self.notes:
            self.notes.append(line)


class Cursor:
    """Where a query stands, as JSON values that its connector writes and reads; this one forgets with the process.

    A connector saves after it has yielded the items of a page and before it asks for the next one. The
    collector's cursor stores the state together with these items, so that a query that was killed goes on
    where it stood: `load` then gives the last state saved, else an empty one.
    """

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        self._state = json.dumps(dict(state or {}))

    def load(self) -> dict[str, Any]:
        """The last state saved, as a copy; empty at the start of a query."""
        state: dict[str, Any] = json.loads(self._state)
        return state

    def save(self, state: Mapping[str, Any]) -> None:
        """Keep a state. TypeError when it is not made of JSON values."""
        self._state = json.dumps(dict(state), ensure_ascii=False)

    def given(self) -> set[str]:
        """Native ids of the query's items up to the last state saved."""
        return set()

    def part(self, name: str) -> Cursor:
        """A cursor over one key of this one's state, for a part of the work such as a sweep."""
        return _Part(self, name)


class _Part(Cursor):
    def __init__(self, whole: Cursor, name: str) -> None:
        self._whole = whole
        self._name = name

    def load(self) -> dict[str, Any]:
        state: dict[str, Any] = self._whole.load().get(self._name, {})
        return state

    def given(self) -> set[str]:
        return self._whole.given()

    def save(self, state: Mapping[str, Any]) -> None:
        self._whole.save(self._whole.load() | {self._name: dict(state)})


@dataclass
class SourceContext:
    """What a connector or importer may use. No clock, no environment, no machine zone."""

    fetched_at: datetime
    """UTC instant of the run; relative dates are counted back from it."""
    zone: str
    """IANA zone of the event, assumed for times written without one where the source tells no other."""
    salt: str
    """Key of item ids and author hashes."""
    http: Http | None = None
    """The guarded client; none for imports."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Credentials by the names in `needs`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The collect section of the settings as plain values."""
    replay: bool = False
    """True when answers come from a recording: nothing sleeps, nothing is looked up."""
    recorded: bool = False
    """True when answers go into a recording or come from one, which keeps addresses cleaned."""
    seen: set[str] = field(default_factory=set)
    """Canonical addresses of pages fetched in this run."""
    cursor: Cursor = field(default_factory=Cursor)
    """Where this query stands; each query has its own."""
    answers: Answers = field(default_factory=Answers)
    """Answers of this query that an earlier run had, for connectors that do not ask through `client`."""
    zone_named: bool = False
    """Whether somebody named `zone` for these very times; then no source tells another."""
    shared: dict[str, str] = field(default_factory=dict)
    """What connectors of one run keep between queries, such as a session's token; never stored."""

    @cached_property
    def ids(self) -> Ids:
        """Makes item ids and author hashes."""
        return ids_of(self.salt)

    @property
    def client(self) -> Http:
        """The client; SourceError when the context has none."""
        if self.http is None:
            raise SourceError("this source needs a network client; use it through `factory run`")
        return self.http

    @property
    def waits(self) -> bool:
        """Whether a query that is refused for now is left for a later run; else what it has is taken."""
        return not self.replay and self.setting("on_limit", "wait") == "wait"

    def time(self, raw: object, zone: str | None = None) -> Moment:
        """Read a publication time against the run's instant."""
        return read_time(raw, fetched_at=self.fetched_at, zone=zone or self.zone)

    def zone_of(self, url: str = "", lang: str = "") -> str:
        """IANA zone of a source's times by its address and language, else that of the event."""
        return self.zone if self.zone_named else publisher_zone(url, self.zone, lang)

    def setting(self, name: str, default: Any) -> Any:
        """One value of the collect settings."""
        return self.settings.get(name, default)


make_item: Callable[[dict[str, Any]], Item] = Item.__pydantic_validator__.validate_python
"""`Item(**values)`, checked as there, without a way through keywords that takes half as long as the check."""


class Connector:
    """Base of every connector. Derive, set the class fields, write `search`."""

    name: ClassVar[str] = ""
    """Name used in plans, settings and coverage."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Names of the environment variables that it needs."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Names of environment variables that it can use."""
    kind: ClassVar[str] = "connector"
    """connector, as told apart from importers in tables."""
    window: ClassVar[str] = "none"
    """How the platform itself restricts a search to days: `none` or `days`."""
    takes: ClassVar[str] = "search words"
    """What a query is, shown to the planner and in the docs."""
    asks: ClassVar[Literal["words", "address", "home"]] = "words"
    """What a planner must know to ask: words alone, an address that somebody gave, or a site's home address."""
    cap: ClassVar[str] = ""
    """Limits of the platform, shown in the docs."""

    def __init__(self, context: SourceContext) -> None:
        self.context = context
        self.report = Report()

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield items of one query; days are included at both ends. Report outcomes in `self.report`.

        A connector need not drop items outside the window: the collector counts and drops them.
        Raises SourceError when the platform cannot be used at all, Paused when it takes no request for now.
        """
        raise NotImplementedError

    @classmethod
    def unfit(cls, query: str, env: Mapping[str, str]) -> str:
        """Why a query is not what this source takes, in a few words; empty when it can be asked.

        `env` holds the names of the credentials that are there; told before anything is fetched.
        """
        return ""

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Whether published things still exist, for every id: yes, no, or None where that is not known.

        A failure is None, never no. A connector that cannot ask leaves this as it is: nothing is known.
        """
        return dict.fromkeys(native_ids)

    @classmethod
    def missing(cls, env: Mapping[str, str]) -> tuple[str, ...]:
        """Names in `needs` that the environment lacks."""
        return tuple(name for name in cls.needs if not env.get(name))


class Importer:
    """Base of every importer: one file format."""

    name: ClassVar[str] = ""
    """Name used in event.toml and on the command line."""
    kind: ClassVar[str] = "importer"
    """importer, as told apart from connectors in tables."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Imports need nothing from the environment."""
    window: ClassVar[str] = "what the file holds"
    """As of connectors."""
    reads: ClassVar[str] = ""
    """What it reads, for the docs."""
    cap: ClassVar[str] = "none"
    """As of connectors."""

    def __init__(self, context: SourceContext) -> None:
        self.context = context
        self.report = Report()

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """Whether this format can be told from the name and the first 64 KiB of a file."""
        raise NotImplementedError

    def check(self, path: Path) -> None:
        """SourceError when the beginning of a file already shows that it cannot be read as it was asked for."""
        return

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the items of one file; refusals and the outcome go to `self.report`."""
        raise NotImplementedError


def digest(data: bytes) -> str:
    """Hex sha256."""
    return hashlib.sha256(data).hexdigest()
