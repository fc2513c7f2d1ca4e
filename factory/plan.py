"""Stage plan: one line of topic becomes the window, the zone and the queries of an event.

One typed call writes the plan; what the user fixed by flags wins over it, and code checks the rest: sources
exist and can be asked here, each query is what its source takes, addresses were given and not made up, the
window is long enough and over, the zone is real.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factory.counting import count_of
from factory.credentials import credentials
from factory.errors import AnswerFailed, BadInput
from factory.planned import check_window, check_zone, unfit_words
from factory.stage import StageContext
from factory.workspace import first_problem
from schemas import LANGS, Counts, EventConfig, Plan, SourceQuery, is_zone
from sources.base import Connector, SourceError
from sources.registry import CONNECTORS, connector
from sources.urls import canonical, is_web_address

PLAN = "00_plan/plan.json"
MAX_TOPIC = 500
"""Characters of a topic; longer texts are pasted articles, not topics."""
LONG_DAYS = 1096
"""Days of a window from which it is likely a mistake; it is said, not refused."""
MOST_QUERIES = 12
"""Queries of one source that are kept."""
LEAST_ITEMS = 20
"""Items that a query may yield even where many share the event's limit."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'，。；、）]+", re.IGNORECASE)

DayText = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class QueryAnswer(BaseModel):
    """One query of one source."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    source: str
    """Name of a listed source."""
    query: str
    """Search words, hashtag or address, exactly as the source takes it."""
    lang: Literal["en", "zh"]
    """Language of the query's words."""


class PlanAnswer(BaseModel):
    """The plan of one event."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    title: str
    """Neutral name of the event, up to twelve words."""
    since: DayText
    """First day of the window, YYYY-MM-DD."""
    until: DayText
    """Last day of the window, included, YYYY-MM-DD."""
    zone: str
    """IANA time zone of the event."""
    languages: list[Literal["en", "zh"]] = Field(max_length=2)
    """Languages in which the event was discussed and should be searched."""
    domain: Literal[
        "labour", "transport", "health", "education", "environment", "justice", "politics", "economy",
        "technology", "consumer", "disaster", "culture", "sport", "international", "other",
    ]  # fmt: skip
    """Kind of event."""
    entities: list[str] = Field(max_length=60)
    """Names of people, organisations, places and products that the event is about."""
    stance_target: str
    """The demand, decision or actor towards which opinion divided."""
    queries: list[QueryAnswer] = Field(max_length=80)
    """What to ask of which source."""


def check_topic(topic: str) -> str:
    """The topic as one clean line; BadInput when it is empty or too long."""
    line = " ".join(topic.split())
    if not line:
        raise BadInput("the topic is empty; describe the event in one line")
    if len(line) > MAX_TOPIC:
        raise BadInput(
            f"the topic has {len(line)} characters; describe the event in one line of at most {MAX_TOPIC}"
        )
    return line


@dataclass(frozen=True)
class Offer:
    """What the planner may ask, and what it could ask if somebody gave what is missing."""

    connectors: tuple[type[Connector], ...]
    """Offered ones, in the order of the prompt."""
    missing: Mapping[str, str]
    """Name of each connector that is left out -> what would bring it in."""
    env: Mapping[str, str]
    """Credentials that are there."""
    addresses: tuple[str, ...]
    """Addresses that a person gave: configured feeds and those in the topic."""


def offer(ctx: StageContext, topic: str) -> Offer:
    """The connectors that the event names, else those of the toolkit that can be asked here.

    Left out are connectors whose credentials are not set and those that take an address when nobody gave one.
    BadInput names a source that does not exist.
    """
    named = ctx.event.sources
    found = _connectors(named or tuple(sorted(CONNECTORS)))
    names = {name for c in found for name in (*c.needs, *c.optional)}
    env = credentials(ctx, names)
    in_topic = tuple(address.rstrip(".,;:!?)") for address in _ADDRESS.findall(topic))
    given = (*ctx.settings.collect.feeds, *in_topic)
    missing: dict[str, str] = {}
    if not named:
        for c in found:
            if c.missing(env):
                missing[c.name] = f"set {' and '.join(c.missing(env))}"
            elif c.name == "rss" and not given:
                missing[c.name] = "set collect.feeds"
            elif c.asks == "address" and not in_topic:
                missing[c.name] = "give an address in the topic, or edit the plan"
    return Offer(tuple(c for c in found if c.name not in missing), missing, env, given)


def _connectors(names: Sequence[str]) -> list[type[Connector]]:
    try:
        return [connector(name) for name in names]
    except SourceError as error:
        raise BadInput(f"{error}; correct --source or event.toml") from error


def check_given(event: EventConfig, now: datetime) -> None:
    """What a person fixed about an event, checked before anything is made or paid; BadInput as in the stage."""
    _connectors(event.sources)
    if event.zone:
        check_zone(event.zone)
    until = event.until
    if event.since and not until:
        # The longest window that the plan can still choose.
        until = max(event.since, now.date() - timedelta(days=1))
    check_window(now, event.since, until, event.zone or "UTC")


async def run(ctx: StageContext) -> Counts:
    """Write 00_plan/plan.json. Raises BadInput when no usable plan can be made from the topic."""
    topic = check_topic(ctx.event.topic)
    offered = offer(ctx, topic)
    check_window(ctx.now, ctx.event.since, ctx.event.until, ctx.event.zone or "UTC")
    try:
        answer = await ctx.ask(
            "plan/plan",
            PlanAnswer,
            item="plan",
            topic=topic,
            language={"en": "English", "zh": "Chinese (中文)"}[ctx.event.lang],
            today=ctx.now.date().isoformat(),
            fixed=_fixed(ctx),
            connectors=[
                {"name": c.name, "takes": c.takes, "window": c.window, "cap": c.cap or "none"}
                for c in offered.connectors
            ],
            homes=any(c.asks == "home" for c in offered.connectors),
            feeds=list(ctx.settings.collect.feeds),
        )
    except AnswerFailed as error:
        raise BadInput(
            f"the model gave no usable plan ({error.reason}); run again, or give --since, --until and a clearer topic"
        ) from error
    plan = _plan(ctx, topic, answer, offered)
    ctx.workspace.write(PLAN, plan)
    _tell(ctx, plan, offered)
    return Counts(
        received=len(answer.queries), kept=len(plan.queries), rejected=len(ctx.rejections)
    )


def _fixed(ctx: StageContext) -> list[str]:
    event = ctx.event
    lines = []
    if event.since:
        lines.append(f"the first day is {event.since}")
    if event.until:
        lines.append(f"the last day is {event.until}")
    if event.zone:
        lines.append(f"the time zone is {event.zone}")
    if event.sources:
        lines.append(f"only these sources are used: {', '.join(event.sources)}")
    return lines


def _tell(ctx: StageContext, plan: Plan, offered: Offer) -> None:
    """What a person should know before going on."""
    ctx.say(
        f"{plan.title}: {plan.since} to {plan.until} ({plan.zone}), {count_of(len(plan.queries), 'query', 'queries')}"
    )
    days = (plan.until - plan.since).days + 1
    if days >= LONG_DAYS:
        ctx.say(f"the window has {days} days; edit the plan if the event was shorter")
    asked = {query.lang for query in plan.queries}
    for lang in plan.languages:
        if asked and lang not in asked:
            ctx.say(f"no query is in {lang}, in which the event was discussed")
    if offered.missing:
        could = ", ".join(f"{name} ({what})" for name, what in sorted(offered.missing.items()))
        ctx.say(f"not asked, but could be: {could}")


def _plan(ctx: StageContext, topic: str, answer: PlanAnswer, offered: Offer) -> Plan:
    event = ctx.event
    zone = _zone(ctx, answer.zone)
    since = event.since or _day(answer.since, "since")
    until = event.until or _day(answer.until, "until")
    check_window(ctx.now, since, until, zone)
    languages = [event.lang, *(lang for lang in LANGS if lang in answer.languages)]
    values: dict[str, Any] = {
        "topic": topic,
        "title": " ".join(answer.title.split()) or topic,
        "since": since,
        "until": until,
        "zone": zone,
        "languages": tuple(dict.fromkeys(languages)),
        "domain": answer.domain,
        "entities": tuple(dict.fromkeys(name.strip() for name in answer.entities if name.strip())),
        "stance_target": " ".join(answer.stance_target.split()) or topic,
        "queries": tuple(_queries(ctx, answer, offered)),
        "origin": "model",
    }
    try:
        return Plan(**values)
    except ValidationError as error:
        raise BadInput(
            f"the plan cannot be used ({first_problem(error)}); give --since and --until or correct the topic"
        ) from error


def _queries(ctx: StageContext, answer: PlanAnswer, offered: Offer) -> list[SourceQuery]:
    """The queries that can be asked, sharing the event's items. BadInput when none is left and nothing imported."""
    known = {c.name: c for c in offered.connectors}
    kept: dict[tuple[str, str], QueryAnswer] = {}
    asked: Counter[str] = Counter()
    for number, query in enumerate(answer.queries, 1):
        words, source = " ".join(query.query.split()), query.source.strip().lower()
        label = f"query {number}: {source} {words}"[:200]
        if source in offered.missing:
            ctx.reject(label, "source not available", offered.missing[source])
        elif source not in known:
            ctx.reject(label, "unknown source", f"known are {', '.join(sorted(known))}")
        elif unusable := unfit_words(words):
            ctx.reject(label, *unusable)
        elif (source, words) in kept:
            ctx.reject(label, "asked twice")
        elif why := known[source].unfit(words, offered.env):
            ctx.reject(label, "not what the source takes", why)
        elif made_up := _made_up(words, known[source], offered.addresses):
            ctx.reject(label, "address not given", made_up)
        elif asked[source] >= MOST_QUERIES:
            ctx.reject(label, "too many queries", f"{MOST_QUERIES} a source are kept")
        else:
            asked[source] += 1
            kept[source, words] = query
    if not kept and not ctx.event.imports:
        reasons = Counter(row.reason for row in ctx.rejections if row.item.startswith("query "))
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        raise BadInput(
            f"the model's plan asks nothing that can be asked ({why or 'it has no queries'}); "
            "run again, give --source, or --import your files"
        )
    usual = int(SourceQuery.model_fields["max_items"].default)
    share = max(ctx.settings.collect.max_items // max(len(kept), 1), LEAST_ITEMS)
    return [
        SourceQuery(source=source, query=words, lang=query.lang, max_items=min(usual, share))
        for (source, words), query in kept.items()
    ]


def _made_up(words: str, source: type[Connector], given: Sequence[str]) -> str:
    """Why the address in a query is not to be asked; empty when a person gave it, or there is none.

    A model may know where an outlet lives, so a site's home address needs no giver.
    """
    known = {canonical(address) for address in given}
    tokens = words.split()
    if source.asks == "home" and "://" not in tokens[0]:
        tokens[0] = f"https://{tokens[0]}"
    for number, token in enumerate(tokens):
        address = canonical(token.rstrip("*"))
        if not is_web_address(address) or address in known:
            continue
        at_home = re.fullmatch(r"https?://[^/?#]+/?", address)
        if source.asks == "home" and number == 0 and at_home:
            continue
        return f"no person gave {address[:100]}: it is neither a configured feed nor in the topic"
    return ""


def _zone(ctx: StageContext, answered: str) -> str:
    if ctx.event.zone:
        check_zone(ctx.event.zone)
        return ctx.event.zone
    if is_zone(answered.strip()):
        return answered.strip()
    fallback = "Asia/Shanghai" if ctx.event.lang == "zh" else "UTC"
    ctx.reject(
        f"zone {answered}"[:100], "no such time zone", f"{fallback} is used; set zone in event.toml"
    )
    return fallback


def _day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(
            f"the plan's {name} {text!r} is no day; run again or give --{name}"
        ) from error
