"""Asking the plan's queries: each to its end, to its place in line, or to where its source takes no more for now.

A refusal for now (a rate limit, a quota of the day) ends no query. It stays at its position, the others go on,
and the stage stops resumably when all were asked; run again, it goes on there and ends as if nobody had refused.
With `collect.on_limit = "accept"` and in replay what such a query has is taken as all that there is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from factory.collected import Intake, ItemStore
from factory.counting import count_of
from factory.errors import BadInput, FactoryError, LimitReached
from factory.stage import StageContext
from schemas import Coverage, Item, Plan, SourceQuery
from sources.base import Connector, Paused, SourceContext, SourceError
from sources.traffic import is_unanswered

STOPPED = "a limit of the source stopped the query, which went on in a later run"


@dataclass
class Waiting:
    """Queries that are to go on in a later run."""

    refused: dict[str, str] = field(default_factory=dict)
    """Why and until when, by source."""
    count: int = 0
    """How many wait, with those that were not asked because their source refuses."""
    held: int = 0
    """Items that they may still bring in: places which later queries must not take."""


class Querying:
    """The queries of one run of the stage. `found` gives the class of a query's source."""

    def __init__(
        self,
        ctx: StageContext,
        plan: Plan,
        context: SourceContext,
        store: ItemStore,
        found: Callable[[SourceQuery], type[Connector]],
    ) -> None:
        self._ctx, self._plan, self._context, self._store = ctx, plan, context, store
        self._class = found
        self._most = ctx.settings.collect.max_items
        self.waiting = Waiting()

    def ask_all(self, queries: list[SourceQuery]) -> None:
        """Ask what is not finished, in order. BadInput for a source that was asked for by name and fails."""
        jobs = [(self._store.job("query", query.model_dump_json()), query) for query in queries]
        for job, _ in jobs:
            if self._store.is_done(job):
                self._context.seen.update(self._store.addresses(job))
        for job, query in jobs:
            if self._store.is_done(job):
                continue
            if query.source in self.waiting.refused and self._context.waits:
                self._wait(query, self._store.begin(job))
            else:
                self._ask(job, query)

    def stop_if_waiting(self) -> None:
        """LimitReached when queries wait for their sources."""
        waiting = self.waiting
        if waiting.count:
            verb = "waits" if waiting.count == 1 else "wait"
            raise LimitReached(
                f"{count_of(waiting.count, 'query', 'queries')} {verb}, what was found is kept: "
                f"{'; '.join(waiting.refused.values())}; run again then, which goes on where this run stopped, or "
                'take what is there: set collect.on_limit to "accept" in the event\'s settings'
            )

    def _ask(self, job: str, query: SourceQuery) -> None:
        intake = self._store.begin(job)
        self._context.seen.update(self._store.addresses(job))
        asked = Coverage(
            source=query.source, query=query.query, since=self._plan.since, until=self._plan.until
        )
        room = self._most - self._store.count() + intake.count
        if room <= 0:
            self._ctx.say(f"the event has {self._most} items, {query.query!r} is not asked")
            note = "not asked: collect.max_items was reached before"
            intake.done(asked.model_copy(update={"capped": True, "note": note}))
            return
        if room <= self.waiting.held:
            self._wait(query, intake)
            return
        context = replace(self._context, cursor=intake, answers=intake.answers)
        if context.http is not None:
            context.http.answers = intake.answers
        try:
            source = _made(self._class(query), query, context)
        except _Crashed as crash:
            note = str(crash)[:500]
            intake.done(asked.model_copy(update={"outcomes": {"error": 1}, "note": note}))
            return
        if self._taken(source, query, intake, room):
            report = source.report
            intake.done(
                asked.model_copy(
                    update={
                        "capped": report.capped,
                        "outcomes": dict(sorted(report.outcomes.items())),
                        "note": "; ".join(report.notes)[:500],
                    }
                )
            )

    def _taken(self, source: Connector, query: SourceQuery, intake: Intake, room: int) -> bool:
        """Take a query's items. False when it is to go on in a later run."""
        report = source.report
        intake.follow(report)
        try:
            for item in _found(source, query, self._plan):
                if intake.count >= query.max_items:
                    report.capped = True
                    break
                if intake.count >= room - self.waiting.held and self.waiting.held:
                    self._wait(query, intake)
                    return False
                intake.add(item)
                if intake.count >= room:
                    report.capped = True
                    break
        except Paused as pause:
            if self._context.waits:
                self.waiting.refused.setdefault(query.source, pause.why)
                intake.stopped(STOPPED)
                self._wait(query, intake)
                return False
            report.capped = True
            report.note(pause.why)
        except SourceError as error:
            if query.source in self._ctx.event.sources:
                raise BadInput(str(error)) from error
            report.end("error")
            report.note(str(error))
        except _Crashed as crash:
            report.end("error")
            report.note(str(crash))
        if report.refusals and not report.outcomes.keys() & {"ok", "empty"}:
            first = report.refusals[0]
            report.note(first.detail or first.reason)
        return True

    def _wait(self, query: SourceQuery, intake: Intake) -> None:
        self.waiting.count += 1
        self.waiting.held += max(query.max_items - intake.kept, 0)
        why = self.waiting.refused.get(query.source, "queries before it come first")
        self._ctx.say(
            f"{query.source} {query.query}: {count_of(intake.kept, 'item')} so far, {why}"
        )


class _Crashed(Exception):
    """A connector's own code failed; the message is for a person."""


def _made(found: type[Connector], query: SourceQuery, context: SourceContext) -> Connector:
    try:
        return found(context)
    except Exception as error:
        raise _Crashed(_crash(query, error)) from error


def _found(source: Connector, query: SourceQuery, plan: Plan) -> Iterator[Item]:
    """The items of a search. What its code raises ends the query; what stops the run itself passes.

    The latter are our own errors, those of the event's database, and a request that the recording lacks.
    """
    try:
        for item in source.search(query, plan.since, plan.until):
            if not isinstance(item, Item):
                raise TypeError(f"it gave {type(item).__name__} where an Item was due")
            yield item
    except (SourceError, FactoryError, sqlite3.Error):
        raise
    except Exception as error:
        if is_unanswered(error):
            raise
        raise _Crashed(_crash(query, error)) from error


def _crash(query: SourceQuery, error: Exception) -> str:
    reason = " ".join(str(error).split())[:200]
    return (
        f"the source {query.source!r} failed ({type(error).__name__}: {reason}); "
        "tell its authors, or leave it out of the event's sources"
    )
