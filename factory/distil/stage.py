"""Stage `distil`: from documents by days to a timeline that keeps facts and public opinion apart.

Per day one call reads the news, one describes the posts (classified in batches before), one merges what was
verified; a last call links the days of the arc. Models propose, `distil_evidence` decides: a sentence without
a quote that stands in a cited item is dropped, and no call ever sees a text published after its day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from factory.distil.answers import FactsAnswer, MergeAnswer, OpinionAnswer, PostsAnswer
from factory.distil.arc import link_days
from factory.distil.days import DaySources, Source, days_of, shown_posts, shown_sources
from factory.distil.dropped import dropped_lines
from factory.distil.evidence import Draft, foreign_figures, in_language, parse_day, verified
from factory.distil.merge import EARLIER_DAYS, merged, statements
from factory.distil.opinion import dominant, shares
from factory.distil.page import page
from factory.errors import AnswerFailed, BadInput
from factory.stage import StageContext, ask_in_parts
from schemas import (
    Cluster,
    Counts,
    Fact,
    Item,
    Node,
    Opinion,
    Plan,
    PostStance,
    Span,
    Timeline,
)

PLAN = "00_plan/plan.json"
DOCUMENTS = "02_corpus/documents.jsonl"
CLUSTERS = "02_corpus/clusters.jsonl"
TIMELINE = "03_timeline/timeline.json"
PAGE = "03_timeline/timeline.md"
STANCES = "03_timeline/stances.jsonl"

T = TypeVar("T")

LANGUAGES = {"en": "English", "zh": "Simplified Chinese"}


@dataclass
class DayDraft:
    """What is known of one day while it is being made."""

    day: date
    sources: DaySources
    facts: list[Draft] = field(default_factory=list)
    stances: list[PostStance] = field(default_factory=list)
    opinions: list[Draft] = field(default_factory=list)
    themes: tuple[str, ...] = ()

    @property
    def relevant(self) -> list[PostStance]:
        """Classified posts that count."""
        return [row for row in self.stances if row.relevant]


async def run(ctx: StageContext) -> Counts:
    """Write timeline.json, timeline.md and stances.jsonl.

    Raises BadInput when no day of the window yields a verified sentence.
    """
    plan = ctx.workspace.read(Plan, PLAN)
    items = ctx.workspace.read_lines(Item, DOCUMENTS)
    clusters = ctx.workspace.read_lines(Cluster, CLUSTERS)
    until = min(plan.until, ctx.now.astimezone(ZoneInfo(plan.zone)).date())
    distiller = _Distiller(ctx, plan, {item.item_id: item for item in items})
    days = days_of(ctx, plan, items, clusters, until) if until >= plan.since else {}
    drafts = [DayDraft(day, found) for day, found in days.items()]
    await distiller.read(drafts)
    await distiller.describe(drafts)
    nodes = await distiller.merge(drafts)
    for line in dropped_lines(ctx.rejections):
        ctx.say(line)
    if not nodes:
        raise BadInput(
            f"no day between {plan.since} and {until} has a sentence with verified evidence; see rejected.jsonl "
            "for the reasons, then widen the plan's queries or import more material"
        )
    nodes = await link_days(ctx, plan, nodes)
    timeline = Timeline(
        title=plan.title,
        lang=ctx.event.lang,
        zone=plan.zone,
        span=Span(observed_from=plan.since, observed_until=until),
        nodes=tuple(nodes),
    )
    ctx.workspace.write(TIMELINE, timeline)
    ctx.workspace.write_text(PAGE, page(timeline))
    ctx.workspace.write_lines(STANCES, [row for draft in drafts for row in draft.stances])
    ctx.say(f"distil: {len(drafts)} days with material, {len(nodes)} nodes")
    return Counts(received=len(items), kept=len(nodes), rejected=len(ctx.rejections))


@dataclass(frozen=True)
class _Reading:
    """One call over news of a day or over a batch of posts; its rows can be halved."""

    item: str
    rows: Sequence[Any]
    """Sources of the day, or (day, post) pairs."""
    draft: DayDraft | None = None
    """The day whose news is read; none for posts."""


def _halves(job: _Reading) -> tuple[_Reading, _Reading] | None:
    middle = len(job.rows) // 2
    if not middle:
        return None
    return (
        replace(job, rows=job.rows[:middle], item=job.item + "-a"),
        replace(job, rows=job.rows[middle:], item=job.item + "-b"),
    )


class _Distiller:
    """The calls of one run."""

    def __init__(self, ctx: StageContext, plan: Plan, items: dict[str, Item]) -> None:
        self.ctx = ctx
        self.plan = plan
        self.items = items
        self.zone = ZoneInfo(plan.zone)
        self.settings = ctx.settings.distil
        self.lang = ctx.event.lang

    # -- news and classification -----------------------------------------------------------

    async def read(self, drafts: Sequence[DayDraft]) -> None:
        """Facts of every day with news, and a stance for every post."""
        news = [
            (draft, f"{draft.day}" + (f"-{part}" if part else ""), chunk)
            for draft in drafts
            for part, chunk in enumerate(_chunks(draft.sources.news, self.settings.max_sources))
        ]
        posts = [(draft, post) for draft in drafts for post in draft.sources.posts]
        batches = list(_chunks(posts, self.settings.max_posts))
        jobs: list[_Reading] = [_Reading(key, chunk, draft) for draft, key, chunk in news]
        jobs += [_Reading(f"posts-{number:02d}", batch) for number, batch in enumerate(batches, 1)]
        for job, answer in await ask_in_parts(self.ctx.ask, jobs, self._ask_reading, _halves):
            if job.draft is not None:
                if isinstance(answer, AnswerFailed):
                    self.ctx.reject(f"{job.item}:facts", "no usable answer", answer.reason)
                elif isinstance(answer, FactsAnswer):
                    self._take_facts(job.draft, job.item, job.rows, answer)
            elif isinstance(answer, AnswerFailed):
                for _, post in job.rows:
                    self.ctx.reject(post.item_id, "not classified", answer.reason)
            elif isinstance(answer, PostsAnswer):
                self._take_posts(job.rows, answer)

    async def _ask_reading(self, job: _Reading) -> FactsAnswer | PostsAnswer:
        if job.draft is not None:
            return await self._ask_facts(job.draft.day, job.item, job.rows)
        return await self._ask_posts(job.item, [post for _, post in job.rows])

    async def _ask_facts(self, day: date, key: str, chunk: Sequence[Source]) -> FactsAnswer:
        return await self.ctx.ask(
            "distil/facts",
            FactsAnswer,
            item=key,
            lang=self.lang,
            title=self.plan.title,
            day=day.isoformat(),
            zone=self.plan.zone,
            language=LANGUAGES[self.lang],
            entities=list(self.plan.entities),
            sources=shown_sources(chunk, self.zone),
        )

    async def _ask_posts(self, item: str, posts: list[Item]) -> PostsAnswer:
        return await self.ctx.ask(
            "distil/posts",
            PostsAnswer,
            item=item,
            lang=self.lang,
            title=self.plan.title,
            stance_target=self.plan.stance_target,
            posts=shown_posts(posts, self.items, self.zone),
        )

    def _take_facts(
        self, draft: DayDraft, key: str, chunk: Sequence[Source], answer: FactsAnswer
    ) -> None:
        shown = [source.item for source in chunk]
        for number, found in enumerate(answer.statements, 1):
            happened = parse_day(found.happened_on)
            if happened is not None and happened > draft.day:
                happened = None
            sentence = self._checked(
                f"{key}:facts:{number}",
                found.text,
                [(quote.source, quote.quote) for quote in found.evidence],
                shown,
                draft.day,
                [happened] if happened is not None else [],
            )
            if sentence is not None:
                draft.facts.append(Draft(sentence.text, sentence.evidence, happened, found.status))

    def _take_posts(self, batch: Sequence[tuple[DayDraft, Item]], answer: PostsAnswer) -> None:
        rows = {row.post: row for row in reversed(answer.posts)}
        for number, (draft, post) in enumerate(batch, 1):
            row = rows.get(number)
            if row is None:
                self.ctx.reject(post.item_id, "not classified", "the answer has no row for it")
                continue
            draft.stances.append(
                PostStance(
                    item_id=post.item_id,
                    day=draft.day,
                    stance=row.stance,
                    emotion=row.emotion,
                    relevant=row.relevant,
                )
            )
            if not row.relevant:
                self.ctx.reject(post.item_id, "not about the event", "classified as not relevant")

    # -- opinion -----------------------------------------------------------------------------

    async def describe(self, drafts: Sequence[DayDraft]) -> None:
        """Opinion of every day with enough relevant posts."""
        asked: list[tuple[DayDraft, list[Item]]] = []
        for draft in drafts:
            if not draft.sources.posts:
                continue
            if len(draft.relevant) < self.settings.min_posts:
                self.ctx.reject(
                    f"{draft.day}:opinion",
                    "too few posts",
                    f"{len(draft.relevant)} relevant of {len(draft.sources.posts)}",
                )
                continue
            asked.append((draft, self._heard(draft)))
        answers = await self.ctx.ask.gather(
            *(self._ask_opinion(draft, posts) for draft, posts in asked)
        )
        for (draft, posts), answer in zip(asked, answers, strict=True):
            if isinstance(answer, AnswerFailed):
                self.ctx.reject(f"{draft.day}:opinion", "no usable answer", answer.reason)
                continue
            for number, found in enumerate(answer.statements, 1):
                sentence = self._checked(
                    f"{draft.day}:opinion:{number}",
                    found.text,
                    [(quote.post, quote.quote) for quote in found.evidence],
                    posts,
                    draft.day,
                )
                if sentence is not None:
                    draft.opinions.append(sentence)
            themes = [" ".join(theme.split()) for theme in answer.themes]
            draft.themes = tuple(
                dict.fromkeys(t for t in themes if t and in_language(t, self.lang))
            )

    def _heard(self, draft: DayDraft) -> list[Item]:
        """The relevant posts that are read for the day: the most answered ones where there are too many."""
        relevant = [self.items[row.item_id] for row in draft.relevant]
        loudest = sorted(relevant, key=lambda p: (-sum(p.engagement.values()), p.item_id))
        chosen = {post.item_id for post in loudest[: self.settings.max_posts]}
        return [post for post in relevant if post.item_id in chosen]

    async def _ask_opinion(self, draft: DayDraft, posts: list[Item]) -> OpinionAnswer:
        return await self.ctx.ask(
            "distil/opinion",
            OpinionAnswer,
            item=f"opinion-{draft.day.isoformat()}",
            lang=self.lang,
            title=self.plan.title,
            stance_target=self.plan.stance_target,
            day=draft.day.isoformat(),
            language=LANGUAGES[self.lang],
            posts=shown_posts(
                posts, self.items, self.zone, {row.item_id: row.stance for row in draft.stances}
            ),
        )

    # -- nodes -------------------------------------------------------------------------------

    async def merge(self, drafts: Sequence[DayDraft]) -> list[Node]:
        """One node for each day that has something verified to say."""
        kept = []
        for draft in drafts:
            if draft.facts or draft.opinions:
                kept.append(draft)
            else:
                self.ctx.reject(draft.day.isoformat(), "thin day", "no verified sentence")
        asked = [draft for draft in kept if len(draft.facts) > 1 or len(draft.opinions) > 1]
        answers = await self.ctx.ask.gather(
            *(self._ask_merge(draft, _earlier(kept, draft)) for draft in asked)
        )
        replies = {draft.day: answer for draft, answer in zip(asked, answers, strict=True)}
        return [
            node
            for draft in kept
            if (node := self._node(draft, replies.get(draft.day))) is not None
        ]

    async def _ask_merge(self, draft: DayDraft, earlier: list[str]) -> MergeAnswer:
        return await self.ctx.ask(
            "distil/merge",
            MergeAnswer,
            item=f"merge-{draft.day.isoformat()}",
            lang=self.lang,
            title=self.plan.title,
            day=draft.day.isoformat(),
            language=LANGUAGES[self.lang],
            facts=[
                {
                    "label": f"F{number}",
                    "status": fact.status,
                    "happened_on": fact.happened_on.isoformat() if fact.happened_on else "",
                    "text": fact.text,
                }
                for number, fact in enumerate(draft.facts, 1)
            ],
            opinions=[
                {"label": f"O{number}", "text": opinion.text}
                for number, opinion in enumerate(draft.opinions, 1)
            ],
            earlier=earlier,
        )

    def _node(self, draft: DayDraft, answer: MergeAnswer | AnswerFailed | None) -> Node | None:
        facts, opinions = draft.facts, draft.opinions
        if isinstance(answer, AnswerFailed):
            self.ctx.reject(f"{draft.day}:merge", "no usable answer", "sentences stand unmerged")
        elif answer is not None:
            facts = merged(self.ctx, draft.day, "F", answer.fact, facts)
            opinions = merged(self.ctx, draft.day, "O", answer.opinion, opinions)
        if not facts and not opinions:
            self.ctx.reject(draft.day.isoformat(), "thin day", "nothing new was left after merging")
            return None
        first = [source.item for source in draft.sources.news] or draft.sources.posts
        node_id = self.ctx.new_id("n", first[0].item_id)
        taken: set[str] = set()
        return Node(
            node_id=node_id,
            date=draft.day,
            fact=Fact(statements=statements(self.ctx, node_id, facts, taken)) if facts else None,
            opinion=Opinion(
                statements=statements(self.ctx, node_id, opinions, taken),
                stances=shares(draft.relevant),
                themes=draft.themes,
                emotion=dominant(draft.relevant),
                n_items=len(draft.relevant),
            )
            if opinions
            else None,
        )

    def _checked(
        self,
        name: str,
        text: str,
        quotes: list[tuple[int, str]],
        shown: list[Item],
        published: date,
        also: Sequence[date] = (),
    ) -> Draft | None:
        """The sentence with its verified evidence; none, with a rejection, when it does not stand.

        `published` is the day of what was shown, `also` are further days whose date the sentence may state.
        """
        text = " ".join(text.split())
        evidence, dropped = verified(quotes, shown)
        for reason in dropped:
            self.ctx.reject(name, "quote dropped", reason)
        if not evidence:
            self.ctx.reject(name, "no verified evidence", text[:200])
            return None
        if not in_language(text, self.lang):
            self.ctx.reject(name, "not in the master language", text[:200])
            return None
        cited = [self.items[found.item_id] for found in evidence]
        support = [f"{item.title}\n{item.text}" for item in cited]
        alien = foreign_figures(text, support, [published, *also], published)
        if alien:
            self.ctx.reject(name, "figure not in the source", f"{', '.join(alien)}: {text[:160]}")
            return None
        return Draft(text, evidence)


def _earlier(kept: Sequence[DayDraft], draft: DayDraft) -> list[str]:
    before = [other for other in kept if other.day < draft.day and other.facts]
    return [f"{other.day}: {fact.text}" for other in before[-EARLIER_DAYS:] for fact in other.facts]


def _chunks(rows: Sequence[T], size: int) -> list[Sequence[T]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]
