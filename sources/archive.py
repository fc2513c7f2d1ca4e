"""Archived copies of web pages, from the Wayback Machine: which captures there are, and a capture's own bytes.

The index (CDX server) is asked for captures answered with 200; of them the first one at or after the day of
publication is taken, since later ones are of a page edited, moved or replaced. The raw form (`id_`) of a capture is
what the site sent, without the archive's frame. A capture's time says when a page was copied, never when it was
published; it only bounds the publication and is what relative dates on the page count back from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlencode

from schemas import Outcome
from sources.base import Paused, Report, SourceContext
from sources.http import Response
from sources.limits import until

ADDRESS = "https://web.archive.org"
PACE = 2.5
"""Seconds between two requests: 24 a minute, the lower of the limits that users report."""
TRIES = 3
"""Captures of one page that are fetched before it is given up."""
ROWS = 40
"""Captures of one page that are asked for."""
_FIELDS = ("timestamp", "original", "mimetype", "statuscode", "digest")
_CLOSED = "archive closed"


@dataclass(frozen=True)
class Capture:
    """One copy of a page."""

    at: datetime
    """UTC instant of copying."""
    url: str
    """Address of the page as it was copied."""

    def address(self, base: str) -> str:
        """Where the bytes of the copy are."""
        return f"{base}/web/{self.at:%Y%m%d%H%M%S}id_/{self.url}"


@dataclass(frozen=True)
class Lookup:
    """Captures found, or why the index gave none."""

    captures: tuple[Capture, ...]
    """In the order of the index, oldest first."""
    outcome: Outcome
    """ok, empty, or how asking failed."""
    note: str = ""
    """Why it failed."""


def read_captures(body: bytes) -> tuple[Capture, ...]:
    """The rows of an index answer: a JSON list whose first row names the fields. ValueError when it is no such list.

    Captures that were not answered with 200 or whose time cannot be read are left out.
    """
    rows = json.loads(body)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise ValueError("no list of rows")
    if not rows:
        return ()
    if not {"timestamp", "original"} <= set(map(str, rows[0])):
        raise ValueError("a list of captures without its heading")
    found = []
    for row in rows[1:]:
        values = dict(zip(map(str, rows[0]), map(str, row), strict=False))
        try:
            at = datetime.strptime(values["timestamp"][:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except (KeyError, ValueError):
            continue
        if values.get("original") and values.get("statuscode", "200") in ("200", "-"):
            found.append(Capture(at, values["original"]))
    return tuple(found)


class Archive:
    """The archive as one query sees it. Once it refuses it is left alone for the rest of the run.

    The query is then Paused, or goes on without copies where runs do not wait.
    """

    def __init__(self, context: SourceContext, report: Report) -> None:
        self.context = context
        self.report = report
        self.base = str(context.setting("wayback_url", ADDRESS)).rstrip("/")
        if not context.setting("proxy", ""):
            context.client.pace(self.base, PACE)

    @property
    def closed(self) -> bool:
        """Whether the archive has refused to answer in this run."""
        return _CLOSED in self.context.shared

    def captures(self, url: str, since: date | None) -> Lookup:
        """Captures of one page from the day before `since` on, one a day; all days when there is none."""
        # of a page with one capture a day the first is kept; `collapse` looks at neighbours only
        wanted = {"url": url, "collapse": "timestamp:8", "limit": str(ROWS)}
        if since is not None:
            before = wanted | {"from": f"{since - timedelta(days=1):%Y%m%d}"}
            found = self.ask(before)
            if found.outcome != "empty":
                return found
            return self.ask({"url": url, "limit": "-1"})
        return self.ask(wanted)

    def ask(self, parameters: dict[str, str]) -> Lookup:
        """One request to the index for captures of web pages; the outcome is counted."""
        if self.closed:
            self._pause()
            return Lookup((), "blocked", self.context.shared[_CLOSED])
        address = f"{self.base}/cdx/search/cdx?" + urlencode(
            [
                *parameters.items(),
                ("output", "json"),
                ("fl", ",".join(_FIELDS)),
                ("filter", "statuscode:200"),
                ("filter", "mimetype:text/html"),
            ]
        )
        response = self.context.client.get(address, robots=False)
        if response.outcome not in ("ok", "empty"):
            self._note(response)
            self.report.end(response.outcome)
            return Lookup((), response.outcome, f"the archive's index: {response.note}")
        try:
            captures = read_captures(response.body) if response.body.strip() else ()
        except ValueError as error:
            self.report.end("decode_error")
            return Lookup((), "decode_error", f"the archive's index: {error}"[:200])
        outcome: Outcome = "ok" if captures else "empty"
        self.report.end(outcome)
        return Lookup(captures, outcome)

    def copy(self, capture: Capture) -> Response:
        """The bytes of a capture, as the site sent them."""
        if self.closed:
            self._pause()
            return Response(
                capture.address(self.base), 0, {}, b"", "blocked", self.context.shared[_CLOSED]
            )
        response = self.context.client.get(capture.address(self.base), robots=False)
        self._note(response)
        return response

    def candidates(self, url: str, since: date | None) -> Iterator[Capture]:
        """Captures of a page worth fetching, best first, at most TRIES; why there is none is in the report's notes."""
        found = self.captures(url, since)
        if found.outcome not in ("ok", "empty"):
            self.report.note(f"some pages that are gone were not looked up ({found.note})")
        yield from found.captures[:TRIES]

    def _note(self, response: Response) -> None:
        """Leave the archive alone once it refuses: it punishes those who go on asking. Paused where runs wait."""
        if response.status != 429:
            return
        self.context.shared[_CLOSED] = (
            f"the web archive allows no further request{until(response.headers, ' for about an hour')}"
        )
        self._pause()
        self.report.note(
            "the web archive refused more requests (429) and was left alone from then on"
        )

    def _pause(self) -> None:
        if self.context.waits:
            self.report.end("blocked")
            raise Paused(self.context.shared[_CLOSED])
