"""The anonymisation card of an event and its private companion, from what the three phases left behind.

Every figure of the public card is a count or a share that does not tell the offset: distances of guessed periods and
the error of rounded months stay in the private audit, and kinds of dates whose fate depends on the offset are added
up. A figure that cannot be had here is `not evaluated`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from factory.anonymise.apply import raw_statements
from factory.anonymise.asked import put_figures, put_words
from factory.anonymise.attackers import OffsetAttack, attack_offset, linkage
from factory.anonymise.controls import Controls, decoys
from factory.anonymise.coverage import NameCoverage, coverage
from factory.anonymise.entities import timeline_text
from factory.anonymise.figures import panel_figures, period_figures
from factory.anonymise.inventory import date_figures, gap_figures, merged, weekday_figures
from factory.anonymise.match import fold
from factory.anonymise.numbers import rare_numbers
from factory.anonymise.rounds import Panel
from factory.anonymise.scanned import allowed_hits
from factory.anonymise.segments import plain_words
from factory.audit.leak_prose import allowed_in, statements
from factory.audit.rare_words import RareWord, rare_words
from factory.audit.scan import scan_files
from factory.encode import load_encoder
from factory.segments import context_text, render
from factory.stage import StageContext
from schemas import (
    LANGS,
    AllowedHit,
    AnonTimeline,
    AnonymisationAudit,
    AnonymisationCard,
    DriftFlag,
    EntityRef,
    Lang,
    NameFigures,
    PanelFigures,
    SegmentText,
    Timeline,
    TruthCard,
    UtilityFigures,
)
from schemas.anoncard import NotEvaluated, WordFigures


@dataclass(frozen=True)
class Anonymised:
    """An event after all three phases."""

    timeline: Timeline
    """Raw."""
    result: AnonTimeline
    panel: Panel
    controls: Controls
    truth: TruthCard
    texts: Mapping[str, SegmentText]
    """Statements as they leave phase C, by id."""
    unshifted: Mapping[str, SegmentText]
    """The same at offset 0, before phase C."""
    flags: Sequence[DriftFlag]
    documents: Sequence[str]
    """Raw texts of the corpus."""
    names_open: int = 0
    """Unexplained names that were put to a person and wait."""
    kept: frozenset[tuple[str, str]] = frozenset()
    """Statement and words of what a person let stand."""


N = TypeVar("N", int, float)


def _or_unknown(value: N | None) -> N | NotEvaluated:
    """A figure to three decimals, or that there is none."""
    return "not evaluated" if value is None else round(value, 3)


def make_card(ctx: StageContext, done: Anonymised) -> tuple[AnonymisationCard, AnonymisationAudit]:
    """The public card and the private audit. Figures that could be looked up and rare words are put to a person."""
    panel, offset = done.panel, done.panel.shift.offset_days
    parsed = panel.parsed.values()
    doubts = [doubt for one in parsed for doubt in one.doubts]
    surfaces = [fold(surface) for one in parsed for surface in one.surfaces]
    aliases = {fold(alias.surface) for entity in panel.table.entities for alias in entity.aliases}
    figures = (
        panel_figures("anonymised", panel.rounds[-1].replies, scripted=ctx.scripted),
        *done.controls.figures(scripted=ctx.scripted),
    )
    inventory = date_figures(
        done.timeline, panel.matcher, offset, panel.parsed, done.texts, done.flags
    )
    gaps = gap_figures(done.timeline, done.result, done.unshifted, done.texts, offset)
    weekdays, false = weekday_figures(done.result)
    attack = attack_offset(done.result, ctx.settings.anonymise.offset_policy)
    names = coverage(
        panel.table,
        panel.matcher,
        [timeline_text(done.timeline), *done.documents],
        {lang: done.texts.values() if lang == done.timeline.lang else () for lang in LANGS},
    )
    linked, meant = linkage(
        done.result,
        done.timeline,
        [[t] for t in decoys(done.timeline.lang).values()],
        load_encoder(ctx.settings.encoder),
    )
    rare = rare_numbers((s.statement_id, s.text[done.result.lang]) for s in statements(done.result))
    told = rare_words(context_text(done.result.nodes, done.timeline.lang), done.timeline.lang)
    power = _share(figures, "raw")
    allowed = allowed_hits(done.result, done.kept)
    card = AnonymisationCard(
        entities=len(panel.table.entities),
        aliases=len(aliases),
        aliases_hit=len(set(surfaces) & aliases),
        mentions=len(surfaces),
        dates_shifted=sum(one.dates for one in parsed),
        dates_flagged=sum(doubt.kind == "date" for doubt in doubts),
        calendar_residue=len(_calendar_residue(done)),
        offset_candidates=len(attack.left),
        panel_grade=panel.rounds[-1].grade,
        panel_rounds=len(panel.rounds),
        # A panel that is not known to recognise the raw text proves nothing by not recognising the other.
        panel_state="not evaluated" if power in ("not evaluated", 0.0) else "evaluated",
        panel_power=power,
        panel_prior=_share(figures, "class"),
        panel_false_high=_share(figures, "decoy"),
        drift_open=sum(flag.state == "open" for flag in done.flags),
        lang=done.timeline.lang,
        panel=figures,
        names=tuple(_names(row, done.timeline.lang) for row in names),
        dates=tuple(merged(inventory)),
        weekdays_checked=weekdays,
        weekdays_false=false,
        gap_pairs=gaps.pairs,
        gaps_preserved=gaps.preserved / gaps.pairs if gaps.pairs else "not evaluated",
        linkage_rank=_or_unknown(linked.rank),
        linkage_margin=_or_unknown(linked.margin),
        linkage_rank_meaning=_or_unknown(meant.rank),
        linkage_margin_meaning=_or_unknown(meant.margin),
        linkage_decoys=linked.of - 1,
        rare_numbers=dict(sorted(Counter(row.kind for row in rare).items())),
        rare_numbers_state=put_figures(ctx, rare),
        rare_words=tuple(_words(ctx, told, lang, done.timeline.lang) for lang in LANGS),
        names_open="not evaluated" if ctx.event.fictional else done.names_open,
        leaks=_leaks(done, allowed),
        allowed=allowed,
        utility=_utility(done),
    )
    audit = AnonymisationAudit(
        controls=done.controls.rounds,
        period=period_figures(panel.rounds[-1].replies, done.truth),
        month_error_days=gaps.month_error_days,
        dates=tuple(inventory),
        zero_hit=tuple(name for row in names for name in row.zero_hit),
        unexplained=tuple(
            f"{each.words} ({each.shape}, {each.count}): {' / '.join(each.contexts)}"
            for row in names
            for each in row.unexplained
        ),
        open_dates=_open_dates(done),
        rare_numbers=tuple(f"{row.words} ({row.kind}, {row.where})" for row in rare),
        rare_words=tuple(f"{one.word} ({one.count})" for one in told),
        offset_evidence=_evidence(attack),
    )
    return card, audit


def _share(figures: Sequence[PanelFigures], text: str) -> float | Literal["not evaluated"]:
    for row in figures:
        if row.text == text and row.hit1 != "not evaluated":
            return row.hit1.share
    return "not evaluated"


def _names(row: NameCoverage, master: str) -> NameFigures:
    return NameFigures(
        lang=row.lang,
        aliases=row.aliases,
        hit=row.hit,
        zero_hit=len(row.zero_hit),
        # The other edition is rendered from the same references and does not exist yet.
        unexplained=len(row.unexplained) if row.lang == master else "not evaluated",
    )


def _words(ctx: StageContext, told: Sequence[RareWord], lang: Lang, master: Lang) -> WordFigures:
    if lang != master:
        return WordFigures(lang=lang)  # it is counted when a bundle is built
    return WordFigures(
        lang=lang,
        words=len(told),
        mentions=sum(one.count for one in told),
        state=put_words(ctx, told),
    )


def _calendar_residue(done: Anonymised) -> list[str]:
    return [
        doubt.words
        for key, one in done.panel.parsed.items()
        for doubt in one.doubts
        if doubt.kind == "calendar"
        and (key, doubt.words) not in done.kept
        and doubt.words in plain_words(done.texts[key])
    ]


def _open_dates(done: Anonymised) -> tuple[str, ...]:
    """Flagged date words that still stand in a statement with an open flag."""
    unsettled = {flag.statement_id for flag in done.flags if flag.state == "open"}
    return tuple(
        f"{key}: {doubt.words} ({doubt.reason})"
        for key, one in done.panel.parsed.items()
        for doubt in one.doubts
        if doubt.kind in ("date", "calendar")
        and key in unsettled
        and doubt.words in plain_words(done.texts[key])
    )


def _evidence(attack: OffsetAttack) -> tuple[str, ...]:
    """What was read, and for each excluded offset what speaks most against it."""
    read = [f"{route}: {count} clues" for route, count in attack.clues.items()]
    out = [
        f"{row.offset:+d} days: {', '.join(f'{route} ({clue})' for route, _, clue in row.against)}"
        for row in attack.excluded
    ]
    return (*read, *out)


def _leaks(done: Anonymised, allowed: Sequence[AllowedHit]) -> dict[str, int]:
    """Findings of the scanner in the anonymised timeline, by rule, without those allowed; none is an empty dict."""
    lang = done.timeline.lang
    files = {
        f"timeline/{lang}.md": context_text(done.result.nodes, lang).encode(),
        "key/timeline.json": done.result.model_dump_json().encode(),
    }
    found = scan_files(files, done.panel.table, allowed=allowed_in(done.result, allowed))
    return {row.rule: row.count for row in found}


def _utility(done: Anonymised) -> UtilityFigures:
    lang = done.timeline.lang
    shown = list(statements(done.result))
    raw = [row for node in done.timeline.nodes for row in raw_statements(node)]
    references = sum(isinstance(s, EntityRef) for row in shown for s in row.text[lang])
    before = sum(len(row.text) for row in raw)
    after = sum(len(render(row.text[lang], lang)) for row in shown)
    return UtilityFigures(
        placeholders_a_sentence=round(references / max(len(shown), 1), 2),
        length_ratio=round(after / before, 2),
        nodes=len(done.result.nodes),
        nodes_equal=[n.node_id for n in done.result.nodes]
        == [n.node_id for n in done.timeline.nodes],
        statements_equal=[s.statement_id for s in shown] == [row.statement_id for row in raw],
    )
