"""The second edition: every sentence of the timeline and every claim that is used, in the other language.

Both editions exist before a question is composed, so that a failed translation never breaks a twin: a claim
that cannot be translated leaves with its pair, and a timeline that cannot be translated stops the run. Texts
travel in tokens; names and dates are rendered from the same references in both languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from factory.bank.clause import known_refs, statements
from factory.bank.material import majority_dropped
from factory.bank.parity import ParityError, translated
from factory.bank.reading import LANGUAGES
from factory.bank.stances import words
from factory.counting import count_of
from factory.errors import AnswerFailed, FactoryError, WorkspaceError
from factory.segments import entity_refs, to_tokens
from factory.stage import StageContext, ask_in_parts
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Claim,
    Counts,
    Lang,
    Pair,
    Resolution,
    SegmentText,
    StanceTarget,
    Verdict,
)

ANON = "04_anonymised/timeline.json"
STANCE_TARGET = "04_anonymised/stance_target.json"
CLAIMS = "06_claims/claims.jsonl"
RESOLUTIONS = "06_claims/resolutions.jsonl"
VERDICTS = "06_claims/verdicts.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"
PAIRS = "06_claims/pairs.jsonl"
EDITION_TIMELINE = "07_editions/timeline.json"
EDITION_CLAIMS = "07_editions/claims.jsonl"

OTHER: dict[Lang, Lang] = {"en": "zh", "zh": "en"}
SENTENCE, PHRASE, CLAIM = "sentence", "phrase", "claim"
TARGET = "stance-target"
"""Id of the phrase that claims about counted posts share."""
GLOSSARY = 12
"""Translated sentences shown with a batch of claims, so that both use the same terms."""


class TranslationDraft(BaseModel):
    """One translated text."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    number: int
    """Number of the text."""
    text: str
    """Its translation."""


class TranslationAnswer(BaseModel):
    """One translation for each text."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    translations: Annotated[list[TranslationDraft], Field(max_length=400)]
    """Exactly one for each text, in the order listed."""


@dataclass(frozen=True)
class Source:
    """A text to be translated."""

    id: str
    """Statement id or claim id."""
    kind: str
    """sentence, phrase (a theme) or claim."""
    text: SegmentText
    """Master language."""
    node_id: str = ""
    """Node that it belongs to."""


async def run(ctx: StageContext) -> Counts:
    """Write both editions of the timeline and of the claims in use.

    Raises FactoryError naming the sentence when one of the timeline cannot be translated, because contexts
    of both editions must be one-to-one.
    """
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    lang, target = timeline.lang, OTHER[timeline.lang]
    claims = used_claims(
        ctx.workspace.read_lines(Claim, CLAIMS),
        ctx.workspace.read_lines(Claim, FABRICATIONS),
        ctx.workspace.read_lines(Pair, PAIRS),
        ctx.workspace.read_lines(Resolution, RESOLUTIONS),
        ctx.workspace.read_lines(Verdict, VERDICTS),
    )
    known = known_refs(timeline.nodes)
    known |= {ref for text in _themes(timeline.nodes) for ref in entity_refs(text.text[lang])}
    sentences = [
        Source(s.statement_id, SENTENCE if s in statements(node) else PHRASE, s.text[lang])
        for node in timeline.nodes
        for s in (*statements(node), *(node.opinion.themes if node.opinion else ()))
    ]
    translator = _Translator(ctx, lang, known)
    done = await translator.translate("timeline", sentences)
    for source in sentences:
        if source.id in translator.problems:
            raise FactoryError(
                f"sentence {source.id} of the timeline has no usable translation "
                f"({translator.problems[source.id]}); edit prompts/translate/translate.md or choose "
                "another model for the role translate, then run the same command again"
            )
    editions = _with_editions(timeline, done, target)
    node_of = {s.statement_id: node.node_id for node in timeline.nodes for s in statements(node)}
    translator.glossary = [
        (node_of[source.id], to_tokens(source.text), to_tokens(done[source.id]))
        for source in sentences
        if source.kind == SENTENCE
    ]
    texts = [
        Source(c.claim_id, CLAIM, c.text[lang], node_id=c.node_id or "")
        for c in claims
        if c.stance is None
    ]
    done = await translator.translate("claims", texts)
    done |= await _counted(ctx, translator, [c for c in claims if c.stance is not None])
    kept = [
        claim.model_copy(update={"text": {**claim.text, target: done[claim.claim_id]}})
        for claim in claims
        if claim.claim_id in done
    ]
    for claim in claims:
        if claim.claim_id in translator.problems:
            ctx.reject(claim.claim_id, "no usable translation", translator.problems[claim.claim_id])
    ctx.workspace.write(EDITION_TIMELINE, editions)
    ctx.workspace.write_lines(EDITION_CLAIMS, kept)
    ctx.say(
        f"{count_of(len(sentences), 'sentence')} and {len(kept)} of {count_of(len(claims), 'claim')} translated"
    )
    return Counts(
        received=len(sentences) + len(claims),
        kept=len(sentences) + len(kept),
        rejected=len(ctx.rejections),
    )


async def _counted(
    ctx: StageContext, translator: _Translator, claims: Sequence[Claim]
) -> dict[str, SegmentText]:
    """Claims about counted posts: their target is translated once, the rest is the template of the language."""
    if not claims:
        return {}
    stored = ctx.workspace.read(StanceTarget, STANCE_TARGET)
    if stored.text is None:
        raise WorkspaceError(
            f"{STANCE_TARGET} holds no target although claims count posts; run `factory run EVENT --from claims`"
        )
    translator.known |= set(entity_refs(stored.text))
    source = Source(TARGET, PHRASE, stored.text, node_id=claims[0].node_id or "")
    phrase = (await translator.translate("target", [source])).get(TARGET)
    done: dict[str, SegmentText] = {}
    for claim in claims:
        assert claim.stance is not None
        try:
            if phrase is None:
                raise ParityError(f"its target: {translator.problems[TARGET]}")
            text = words(claim.stance, phrase, translator.target)
            done[claim.claim_id] = translated(
                text,
                claim.text[translator.lang],
                translator.target,
                translator.known,
                is_claim=True,
            )
        except ParityError as error:
            translator.problems[claim.claim_id] = str(error)
    return done


def used_claims(
    claims: Sequence[Claim],
    fabrications: Sequence[Claim],
    pairs: Sequence[Pair],
    resolutions: Sequence[Resolution],
    verdicts: Sequence[Verdict],
) -> list[Claim]:
    """Claims of a pair, and outcomes that can be asked for their day, in the order they were written."""
    paired = {claim_id for pair in pairs for claim_id in (pair.true_claim, pair.false_claim)}
    occurs = {row.claim_id for row in resolutions if row.state == "occurs"}
    dropped = majority_dropped(verdicts)
    return [
        claim
        for claim in (*claims, *fabrications)
        if claim.claim_id in paired
        or (claim.kind == "outcome" and claim.claim_id in occurs and claim.claim_id not in dropped)
    ]


def _themes(nodes: Sequence[AnonNode]) -> list[AnonStatement]:
    return [theme for node in nodes if node.opinion for theme in node.opinion.themes]


def _halves(
    job: tuple[str, Sequence[Source]],
) -> tuple[tuple[str, Sequence[Source]], tuple[str, Sequence[Source]]] | None:
    item, batch = job
    middle = len(batch) // 2
    if not middle:
        return None
    return (f"{item}-a", batch[:middle]), (f"{item}-b", batch[middle:])


class _Translator:
    """Batches of texts, asked once and, where a check failed, once more with the problem."""

    def __init__(self, ctx: StageContext, lang: Lang, known: set[tuple[str, str]]) -> None:
        self.ctx = ctx
        self.lang = lang
        self.target = OTHER[lang]
        self.known = known
        self.glossary: list[tuple[str, str, str]] = []
        """(node id, sentence, translation) of the timeline, once it is translated."""
        self.problems: dict[str, str] = {}
        """What is wrong with the texts that have no usable translation, by id."""

    async def translate(self, name: str, sources: Sequence[Source]) -> dict[str, SegmentText]:
        """Translations by id; failures are left in `problems`."""
        done: dict[str, SegmentText] = {}
        await self._round(name, sources, 0, done)
        failed = [source for source in sources if source.id in self.problems]
        if failed:
            await self._round(name, failed, 1, done)
        return done

    async def _round(
        self, name: str, sources: Sequence[Source], sample: int, done: dict[str, SegmentText]
    ) -> None:
        size = self.ctx.settings.translate.texts_a_call
        batches = [sources[i : i + size] for i in range(0, len(sources), size)]
        answers = await ask_in_parts(
            self.ctx.ask,
            [(f"{name}-{number:03}", batch) for number, batch in enumerate(batches, 1)],
            lambda job: self._ask(*job, sample),
            _halves,
        )
        for (_, batch), answer in answers:
            for number, source in enumerate(batch, 1):
                if isinstance(answer, AnswerFailed):
                    self.problems[source.id] = f"the call had no usable answer ({answer.reason})"
                    continue
                found = [row.text for row in answer.translations if row.number == number]
                try:
                    if len(found) != 1:
                        raise ParityError(f"the answer held {len(found)} translations of it")
                    done[source.id] = translated(
                        found[0],
                        source.text,
                        self.target,
                        self.known,
                        is_claim=source.kind == CLAIM,
                    )
                    self.problems.pop(source.id, None)
                except ParityError as error:
                    self.problems[source.id] = str(error)

    async def _ask(self, item: str, batch: Sequence[Source], sample: int) -> TranslationAnswer:
        nodes = {source.node_id for source in batch if source.node_id}
        terms = [row for row in self.glossary if row[0] in nodes][:GLOSSARY]
        return await self.ctx.ask(
            "translate/translate",
            TranslationAnswer,
            item=item,
            sample=sample,
            lang=self.target,
            source_language=LANGUAGES[self.lang],
            language=LANGUAGES[self.target],
            terms=[{"source": source, "translation": text} for _, source, text in terms],
            texts=[
                {
                    "number": number,
                    "kind": source.kind,
                    "text": to_tokens(source.text),
                    "problem": self.problems.get(source.id, ""),
                }
                for number, source in enumerate(batch, 1)
            ],
        )


def _with_editions(
    timeline: AnonTimeline, done: dict[str, SegmentText], target: Lang
) -> AnonTimeline:
    def both(rows: Sequence[AnonStatement]) -> tuple[AnonStatement, ...]:
        return tuple(
            row.model_copy(update={"text": {**row.text, target: done[row.statement_id]}})
            for row in rows
        )

    nodes = []
    for node in timeline.nodes:
        opinion = node.opinion
        if opinion is not None:
            opinion = opinion.model_copy(
                update={"statements": both(opinion.statements), "themes": both(opinion.themes)}
            )
        nodes.append(node.model_copy(update={"fact": both(node.fact), "opinion": opinion}))
    return timeline.model_copy(update={"nodes": tuple(nodes)})
