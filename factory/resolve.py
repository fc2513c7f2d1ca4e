"""Resolution: on which days did a claim come true? Asked twice, checked by code, else annulled.

Two independent passes read the whole timeline, in other chunks and another order of claims. Every day must
be shown by a verbatim quote of a sentence whose day the code knows. What the two passes do not agree on is
annulled and never asked. Labels of questions are date arithmetic on the days found here, nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.bank.agree import consistent_family, join, refuted_on, settle
from factory.bank.chunks import chunks
from factory.bank.clause import by_statement, statements, whole_words
from factory.bank.reading import LANGUAGES, dated, happened
from factory.bank.search import Hit, Search
from factory.bank.stances import resolve_by_count
from factory.counting import count_of
from factory.encode import load_encoder
from factory.errors import AnswerFailed
from factory.llm.tokens import count_tokens
from factory.segments import to_tokens
from factory.stage import StageContext, ask_in_parts
from schemas import (
    AnonNode,
    AnonPassage,
    AnonTimeline,
    Claim,
    Counts,
    Lang,
    Occurrence,
    Resolution,
    ResolverPass,
)

ANON = "04_anonymised/timeline.json"
PASSAGES = "04_anonymised/passages.jsonl"
CLAIMS = "06_claims/claims.jsonl"
RESOLUTIONS = "06_claims/resolutions.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"
FABRICATION_RESOLUTIONS = "06_claims/fabrication_resolutions.jsonl"

SAMPLES = (0, 1)
MIN_QUOTE = 4
"""Letters and digits that a quote must have to show anything."""


class EvidenceDraft(BaseModel):
    """One sentence that shows what the reading says."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    statement_id: str
    """Id of the sentence in the timeline."""
    happened_on: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """The day printed beside that id."""
    quote: str
    """Words copied exactly from that sentence, tokens included."""


class ReadingDraft(BaseModel):
    """What the timeline says about one claim."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    claim_id: str
    """The claim."""
    state: Literal["occurs", "never", "unclear"]
    """occurs: it is stated to have happened; never: it is not; unclear: the text does not decide."""
    basis: Literal["stated", "contradicted", "absent"]
    """stated with occurs; contradicted or absent with never; the nearest of the three with unclear."""
    evidence: Annotated[list[EvidenceDraft], Field(max_length=20)]
    """One entry for each separate day on which it happened, or the sentence that contradicts it."""
    note: str
    """The reason in one short sentence."""


class ResolveAnswer(BaseModel):
    """One reading for each claim listed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    readings: Annotated[list[ReadingDraft], Field(max_length=200)]
    """Exactly one for each claim, in the order listed."""


async def run(ctx: StageContext) -> Counts:
    """Resolve outcomes, details and variants."""
    return await _resolve(ctx, CLAIMS, RESOLUTIONS)


async def run_fabrications(ctx: StageContext) -> Counts:
    """Resolve fabrications by the same reading."""
    return await _resolve(ctx, FABRICATIONS, FABRICATION_RESOLUTIONS)


async def _resolve(ctx: StageContext, source: str, target: str) -> Counts:
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    claims = ctx.workspace.read_lines(Claim, source)
    if not claims:
        ctx.workspace.write_lines(target, [])
        return Counts(received=0, kept=0)
    # Claims about counted posts are arithmetic on the nodes' shares: nobody has to read for them.
    counted = [claim for claim in claims if claim.stance is not None]
    resolutions = await _read(ctx, timeline, [c for c in claims if c.stance is None])
    for family in _families(counted):
        settled = [resolve_by_count(claim, timeline) for claim in family]
        resolutions += consistent_family(family, settled)
    order = {claim.claim_id: number for number, claim in enumerate(claims)}
    resolutions.sort(key=lambda row: order[row.claim_id])
    for row in resolutions:
        if row.state == "annulled":
            reason, _, detail = row.reason.partition(": ")
            ctx.reject(row.claim_id, reason, detail)
    ctx.workspace.write_lines(target, resolutions)
    kept = sum(row.state != "annulled" for row in resolutions)
    by_code = f", {len(counted)} by counting posts" if counted else ""
    ctx.say(f"{kept} of {count_of(len(claims), 'claim')} resolved{by_code}")
    return Counts(received=len(claims), kept=kept, rejected=len(ctx.rejections))


async def _read(
    ctx: StageContext, timeline: AnonTimeline, claims: Sequence[Claim]
) -> list[Resolution]:
    """Resolutions of claims that models read for."""
    if not claims:
        return []
    families = _families(claims)
    hits = _search(ctx, timeline, families)
    jobs = [job for sample in SAMPLES for job in _jobs(ctx, timeline, families, sample)]
    answers = await ask_in_parts(
        ctx.ask, jobs, lambda job: _ask(ctx, timeline.lang, job, hits), _halves
    )
    readings = _Readings(timeline)
    for job, answer in answers:
        readings.add(job, answer)
    resolutions: list[Resolution] = []
    for family in families:
        searched = tuple(dict.fromkeys(hit.id for hit in hits[family[0].family_id]))
        settled = []
        for claim in family:
            row = settle(claim, [readings.result(claim, sample) for sample in SAMPLES], searched)
            if row.state == "never":
                day = refuted_on(row.passes, readings.published)
                row = row.model_copy(update={"refuted_on": day})
            settled.append(row)
        resolutions += consistent_family(family, settled)
    return resolutions


def _halves(job: _Job) -> tuple[_Job, _Job] | None:
    """The job with half of its claims each, parted between families; a single family stays whole."""
    starts = [
        number
        for number, (before, after) in enumerate(pairwise(job.claims), 1)
        if before.family_id != after.family_id
    ]
    if not starts:
        return None
    middle = min(starts, key=lambda number: abs(2 * number - len(job.claims)))
    return (
        replace(job, claims=job.claims[:middle], item=job.item + "-a"),
        replace(job, claims=job.claims[middle:], item=job.item + "-b"),
    )


def _families(claims: Sequence[Claim]) -> list[list[Claim]]:
    families: dict[str, list[Claim]] = {}
    for claim in claims:
        families.setdefault(claim.family_id, []).append(claim)
    return list(families.values())


def _search(
    ctx: StageContext, timeline: AnonTimeline, families: Sequence[Sequence[Claim]]
) -> dict[str, list[Hit]]:
    passages = ctx.workspace.read_lines(AnonPassage, PASSAGES)
    search = Search(load_encoder(ctx.settings.encoder), timeline, passages)
    count = ctx.settings.resolve.search_hits
    return {family[0].family_id: search.nearest(family, count) for family in families}


# -- calls -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Job:
    sample: int
    item: str
    nodes: tuple[AnonNode, ...]
    """The chunk of the timeline shown."""
    claims: tuple[Claim, ...]
    """Whole families."""
    first: bool
    """Whether the chunk starts the timeline."""
    last: bool
    """Whether the chunk ends the timeline."""


def _jobs(
    ctx: StageContext, timeline: AnonTimeline, families: Sequence[Sequence[Claim]], sample: int
) -> list[_Job]:
    settings = ctx.settings.resolve
    rng = ctx.rng(f"pass {sample}")
    row = list(families)
    if sample:
        rng.shuffle(row)
    batches: list[list[Claim]] = []
    for family in row:
        if batches and len(batches[-1]) + len(family) <= settings.claims_a_call:
            batches[-1] += family
        else:
            batches.append(list(family))
    for batch in batches:
        # Kind and level must not show in the order: sample 0 sorts by opaque id, sample 1 mixes families.
        if sample:
            rng.shuffle(batch)
        else:
            batch.sort(key=lambda claim: (claim.family_id, claim.claim_id))
    parts = chunks(
        timeline.nodes,
        lambda node: count_tokens(dated(node, timeline.lang)),
        settings.chunk_tokens,
        settings.overlap_nodes,
        from_end=bool(sample),
    )
    return [
        _Job(
            sample,
            f"chunk-{number:02}-claims-{index:02}",
            nodes,
            tuple(batch),
            first=nodes[0] is timeline.nodes[0],
            last=nodes[-1] is timeline.nodes[-1],
        )
        for number, nodes in enumerate(parts, 1)
        for index, batch in enumerate(batches, 1)
    ]


async def _ask(
    ctx: StageContext, lang: Lang, job: _Job, hits: dict[str, list[Hit]]
) -> ResolveAnswer:
    return await ctx.ask(
        "resolve/resolve",
        ResolveAnswer,
        item=job.item,
        sample=job.sample,
        lang=lang,
        language=LANGUAGES[lang],
        timeline="\n\n".join(dated(node, lang) for node in job.nodes),
        complete=job.first and job.last,
        claims=[
            {"claim_id": c.claim_id, "text": to_tokens(c.text[lang]), "occasion": c.occasion}
            for c in job.claims
        ],
        hints=_hints(job, hits),
    )


def _hints(job: _Job, hits: dict[str, list[Hit]]) -> list[dict[str, Any]]:
    """Search hits by family: ids of shown sentences, and the documents of the chunk's days."""
    shown = {line.statement_id for node in job.nodes for line in statements(node)}
    rows = []
    for family_id in dict.fromkeys(claim.family_id for claim in job.claims):
        found = hits[family_id]
        rows.append(
            {
                "claims": [c.claim_id for c in job.claims if c.family_id == family_id],
                "statements": [hit.id for hit in found if hit.in_timeline and hit.id in shown],
                "passages": [
                    {"day": hit.day.isoformat(), "text": hit.text}
                    for hit in found
                    if not hit.in_timeline
                    and (job.first or hit.day >= job.nodes[0].date)
                    and (job.last or hit.day <= job.nodes[-1].date)
                ],
            }
        )
    return rows


# -- readings ----------------------------------------------------------------------------------


class _Readings:
    """Answers of all calls, verified and joined to one result a claim and pass."""

    def __init__(self, timeline: AnonTimeline) -> None:
        self.lang = timeline.lang
        self.sentences = by_statement(timeline)
        self.published = {node.node_id: node.date for node in timeline.nodes}
        self.parts: dict[tuple[str, int], list[ResolverPass]] = {}

    def add(self, job: _Job, answer: ResolveAnswer | AnswerFailed) -> None:
        """Take one call's readings; a claim without exactly one reading is not known there."""
        for claim in job.claims:
            if isinstance(answer, AnswerFailed):
                part = _unclear(job.sample, f"not known: no usable answer ({answer.reason})")
            else:
                found = [r for r in answer.readings if r.claim_id == claim.claim_id]
                if len(found) == 1:
                    part = self._verified(found[0], job)
                else:
                    part = _unclear(job.sample, f"not known: {len(found)} readings in one answer")
            self.parts.setdefault((claim.claim_id, job.sample), []).append(part)

    def result(self, claim: Claim, sample: int) -> ResolverPass:
        """One pass over all chunks."""
        return join(claim, sample, self.parts[claim.claim_id, sample], self.published)

    def _verified(self, reading: ReadingDraft, job: _Job) -> ResolverPass:
        good: dict[tuple[str, str], Occurrence] = {}
        problems: list[str] = []
        for draft in reading.evidence:
            checked = self._check(draft, job)
            if isinstance(checked, str):
                problems.append(checked)
            else:
                good.setdefault((checked.happened_on.isoformat(), checked.statement_id), checked)
        if reading.state == "unclear":
            return _unclear(job.sample, f"unclear: {reading.note}")
        if reading.state == "occurs":
            if not good:
                return _unclear(
                    job.sample, f"no verified quote: {'; '.join(problems) or 'none given'}"
                )
            return ResolverPass(
                sample=job.sample,
                state="occurs",
                basis="stated",
                occurrences=tuple(good[key] for key in sorted(good)),
                note="; ".join([reading.note, *problems]),
            )
        if reading.basis == "absent":
            return ResolverPass(sample=job.sample, state="never", basis="absent", note=reading.note)
        if not good:
            return _unclear(job.sample, f"no verified quote: {'; '.join(problems) or 'none given'}")
        shown = min(good.values(), key=lambda o: (self.published[o.node_id], o.statement_id))
        return ResolverPass(
            sample=job.sample,
            state="never",
            basis="contradicted",
            against=shown,
            note=f"{shown.statement_id}: {shown.quote} ({reading.note})",
        )

    def _check(self, draft: EvidenceDraft, job: _Job) -> Occurrence | str:
        found = self.sentences.get(draft.statement_id)
        if found is None or found[0] not in job.nodes:
            return f"{draft.statement_id} is no sentence of the text shown"
        node, statement = found
        quote, sentence = draft.quote.strip(), to_tokens(statement.text[self.lang])
        if quote not in sentence:
            return f"the quote is not in {draft.statement_id}"
        if sum(map(str.isalnum, quote)) < MIN_QUOTE:
            return f"the quote of {draft.statement_id} is too short"
        day = happened(node, statement)
        if draft.happened_on != day.isoformat():
            return f"{draft.statement_id} is about {day}, not {draft.happened_on}"
        if day > node.date:
            return f"{draft.statement_id} is about a day after it was published"
        return Occurrence(
            happened_on=day,
            node_id=node.node_id,
            statement_id=draft.statement_id,
            quote=whole_words(quote, sentence),
        )


def _unclear(sample: int, note: str) -> ResolverPass:
    return ResolverPass(sample=sample, state="unclear", basis="absent", note=note)
