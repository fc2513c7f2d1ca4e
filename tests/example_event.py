"""A small invented event as a complete workspace, for tests of what comes after the bank.

Eight days from a raw timeline to a bank with twins. Its figures are computed from the records, not typed in:
labels follow from occurrences, so a test may change a day and recompute.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal, cast

from factory.bank.phrasing import event_text, question_text
from factory.segments import from_tokens
from factory.workspace import Workspace
from schemas import (
    LANGS,
    Alias,
    AnonNode,
    AnonOpinion,
    AnonStatement,
    AnonTimeline,
    AnonymisationCard,
    AuditorReply,
    BankReport,
    Cell,
    Claim,
    Cluster,
    Counts,
    Coverage,
    Entity,
    Evidence,
    Fact,
    Item,
    Lang,
    Member,
    Node,
    Occurrence,
    Opinion,
    Origin,
    Pair,
    PanelRound,
    Plan,
    PointSet,
    PredictionPoint,
    Question,
    QuotaLine,
    Rejection,
    ReplacementTable,
    Resolution,
    ResolverPass,
    Shift,
    SourceQuery,
    Span,
    StageRecord,
    Statement,
    TemporalEvent,
    Timeline,
    Window,
    Wording,
    WorkspaceManifest,
)

OFFSET = -63
TITLE = "The Harwick Quay night market closure"
FETCHED = datetime(2026, 6, 1, tzinfo=UTC)
FACTS: tuple[tuple[str, str, str, str], ...] = (
    (
        "2026-01-05",
        "Harwick Council closes the night market on Harwick Quay after a fire inspection.",
        "⟦GOV:B⟧ closes the night market at ⟦PLC:K⟧ after a fire inspection.",
        "⟦GOV:B⟧在消防检查后关闭⟦PLC:K⟧夜市。",
    ),
    (
        "2026-01-19",
        "Stall holders found an association and collect 1,200 signatures.",
        "Stall holders found an association and collect 1,200 signatures.",
        "摊主成立协会并征集1,200个签名。",
    ),
    (
        "2026-02-02",
        "Harwick Council opens a consultation on a new site.",
        "⟦GOV:B⟧ opens a consultation on a new site.",
        "⟦GOV:B⟧就新址展开征询。",
    ),
    (
        "2026-02-20",
        "Two hundred people march to the town hall.",
        "Two hundred people march to the town hall.",
        "两百人游行至市政厅。",
    ),
    (
        "2026-03-06",
        "Harwick Council approves the relocation plan.",
        "⟦GOV:B⟧ approves the relocation plan.",
        "⟦GOV:B⟧批准搬迁方案。",
    ),
    (
        "2026-03-27",
        "The association files a lawsuit against the plan.",
        "The association files a lawsuit against the plan.",
        "协会就方案提起诉讼。",
    ),
    (
        "2026-04-17",
        "The mayor resigns.",
        "The mayor resigns.",
        "市长辞职。",
    ),
    (
        "2026-05-15",
        "The market reopens at the old fish hall.",
        "The market reopens at the old fish hall.",
        "夜市在旧鱼市场重新开业。",
    ),
)
"""Day, raw sentence, token text in English, token text in Chinese."""
MADE_UP: dict[str, tuple[str, str]] = {
    "c-f1": (
        "a national television crew stages a concert on the quay",
        "全国电视台在码头举办音乐会",
    ),
    "c-f2": ("the insurer sues the harbour operator", "保险公司起诉港口运营方"),
}
CUTOFFS = ("2026-02-10", "2026-03-10")


def shifted(day: str) -> date:
    """A real day of the event on the public side."""
    return date.fromisoformat(day) + timedelta(days=OFFSET)


def wording(en: str, zh: str) -> Wording:
    """Both editions of one token text."""
    return {"en": from_tokens(en), "zh": from_tokens(zh)}


def items() -> list[Item]:
    """One article a day and one post for each day with opinion."""
    rows = []
    for number, (day, raw, _, _) in enumerate(FACTS, 1):
        published = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
        rows.append(
            Item(
                item_id=f"i{number}",
                platform="web",
                kind="article",
                native_id=str(number),
                url=f"https://harwick-herald.example/{number}",
                publisher="Harwick Herald",
                title=f"Herald report {number}",
                text=raw,
                lang="en",
                published_at=published,
                precision="minute",
                tz_source="explicit",
                confidence=1.0,
                fetched_at=FETCHED,
                origin=Origin(source="web"),
            )
        )
        rows.append(
            Item(
                item_id=f"p{number}",
                platform="mastodon",
                kind="post",
                native_id=f"9{number}",
                url=f"https://social.example/@someone/{number}",
                text="Give us the quay back, nobody asked the stall holders!",
                lang="en",
                published_at=published,
                precision="second",
                tz_source="explicit",
                confidence=1.0,
                fetched_at=FETCHED,
                origin=Origin(source="mastodon"),
            )
        )
    return rows


def timeline() -> Timeline:
    """The raw timeline."""
    nodes = []
    for number, (day, raw, _, _) in enumerate(FACTS, 1):
        opinion = Opinion(
            statements=(
                Statement(
                    statement_id=f"s{number}o",
                    text="Most posts demand the quay back.",
                    evidence=(Evidence(item_id=f"p{number}", quote="Give us the quay back"),),
                ),
            ),
            stances={"support": 0.1, "oppose": 0.6, "question": 0.2, "neutral": 0.1},
            themes=("the old quay", "lost income"),
            emotion="anger",
            n_items=10,
        )
        nodes.append(
            Node(
                node_id=f"n{number}",
                date=date.fromisoformat(day),
                fact=Fact(
                    statements=(
                        Statement(
                            statement_id=f"s{number}",
                            text=raw,
                            happened_on=date.fromisoformat(day),
                            evidence=(Evidence(item_id=f"i{number}", quote=raw),),
                        ),
                    )
                ),
                opinion=opinion if number % 2 else None,
            )
        )
    return Timeline(
        title=TITLE,
        lang="en",
        zone="Europe/London",
        span=Span(observed_from=date(2026, 1, 1), observed_until=date(2026, 6, 30)),
        nodes=tuple(nodes),
    )


def anonymised() -> AnonTimeline:
    """The public timeline in both editions."""
    nodes = []
    for number, (day, _, en, zh) in enumerate(FACTS, 1):
        opinion = AnonOpinion(
            statements=(
                AnonStatement(
                    statement_id=f"s{number}o",
                    text=wording("Most posts demand the quay back.", "多数帖子要求归还码头。"),
                ),
            ),
            stances={"support": 0.1, "oppose": 0.6, "question": 0.2, "neutral": 0.1},
            themes=(
                AnonStatement(statement_id=f"s{number}t", text=wording("lost income", "收入损失")),
            ),
            emotion="anger",
            n_items=10,
        )
        nodes.append(
            AnonNode(
                node_id=f"n{number}",
                date=shifted(day),
                fact=(
                    AnonStatement(
                        statement_id=f"s{number}", text=wording(en, zh), happened_on=shifted(day)
                    ),
                ),
                opinion=opinion if number % 2 else None,
            )
        )
    return AnonTimeline(
        public_id="e-test",
        lang="en",
        span=Span(observed_from=shifted("2026-01-01"), observed_until=shifted("2026-06-30")),
        nodes=tuple(nodes),
    )


def points() -> PointSet:
    """Two cutoffs between nodes."""
    nodes = anonymised().nodes
    return PointSet(
        points=tuple(
            PredictionPoint(
                point_id=f"t-{number}",
                cutoff=shifted(day),
                context=tuple(node.node_id for node in nodes if node.date < shifted(day)),
                truth=tuple(node.node_id for node in nodes if node.date >= shifted(day)),
            )
            for number, day in enumerate(CUTOFFS, 1)
        )
    )


def claims() -> list[Claim]:
    """An outcome for each day and the fabrications."""
    rows = [
        Claim(
            claim_id=f"c{number}",
            family_id=f"f{number}",
            kind="outcome",
            occasion=en.rstrip("."),
            dimension="event",
            difficulty="medium",
            node_id=f"n{number}",
            text=wording(en.rstrip("."), zh.rstrip("。")),
        )
        for number, (_, _, en, zh) in enumerate(FACTS, 1)
    ]
    rows += [
        Claim(
            claim_id=claim_id,
            family_id=f"g-{claim_id}",
            kind="fabrication",
            occasion=en,
            dimension="event",
            difficulty="medium",
            text=wording(en, zh),
        )
        for claim_id, (en, zh) in MADE_UP.items()
    ]
    return rows


def occurrence(number: int) -> Occurrence:
    """The day of the n-th fact."""
    day, _, en, _ = FACTS[number - 1]
    return Occurrence(
        happened_on=shifted(day), node_id=f"n{number}", statement_id=f"s{number}", quote=en
    )


def resolutions(made_up: bool) -> list[Resolution]:
    """Outcomes occur once; fabrications never do."""
    rows = []
    for claim in claims():
        if (claim.kind == "fabrication") != made_up:
            continue
        found = () if made_up else (occurrence(int(claim.claim_id[1:])),)
        state: Literal["occurs", "never"] = "never" if made_up else "occurs"
        basis: Literal["stated", "absent"] = "absent" if made_up else "stated"
        rows.append(
            Resolution(
                claim_id=claim.claim_id,
                state=state,
                basis=basis,
                occurrences=found,
                passes=tuple(
                    ResolverPass(
                        sample=n,
                        state=state,
                        basis=basis,
                        occurrences=found,
                        note="a reader's note",
                    )
                    for n in (0, 1)
                ),
                searched=("s1", "passage-9") if made_up else (),
            )
        )
    return rows


PAIRS: tuple[tuple[str, str, str, str, str, tuple[int, ...]], ...] = (
    ("q-1", "c5", "c-f1", "t-1", "A", (30, 60)),
    ("q-2", "c4", "c-f2", "t-1", "A", (14, 30)),
    ("q-3", "c6", "c8", "t-2", "B", (30,)),
)
"""Pair, true claim, false claim, point, type, windows."""


def pairs() -> list[Pair]:
    """Twins of the bank."""
    return [
        Pair.model_validate_json(
            Pair.model_construct(
                pair_id=pair_id,
                true_claim=true,
                false_claim=false,
                true_type=kind,
                false_type="D" if false in MADE_UP else kind,
                relation="fabrication" if false in MADE_UP else "late",
                cells=tuple(
                    Cell(point_id=point, prompt=0, window=cast("Window", days)) for days in windows
                ),
            ).model_dump_json()
        )
        for pair_id, true, false, point, kind, windows in PAIRS
    ]


def questions() -> list[Question]:
    """Both sides of every cell, labelled by whether an occurrence lies in the window."""
    by_id = {claim.claim_id: claim for claim in claims()}
    found = {row.claim_id: row.occurrences for row in [*resolutions(False), *resolutions(True)]}
    cutoffs = {point.point_id: point.cutoff for point in points().points}
    rows = []
    for pair in pairs():
        for cell in pair.cells:
            start = cutoffs[cell.point_id]
            end = start + timedelta(days=cell.window)
            for side, claim_id, kind in (
                ("x", pair.true_claim, pair.true_type),
                ("y", pair.false_claim, pair.false_type),
            ):
                claim = by_id[claim_id]
                inside = [o for o in found[claim_id] if start <= o.happened_on <= end]
                text: dict[Lang, str] = {
                    lang: question_text(claim.text[lang], start, end, lang, 0) for lang in LANGS
                }
                rows.append(
                    Question(
                        question_id=f"{side}{pair.pair_id}-{cell.window}",
                        point_id=cell.point_id,
                        prompt=0,
                        pair_id=pair.pair_id,
                        claim_id=claim_id,
                        family_id=claim.family_id,
                        type=kind,
                        level=1,
                        dimension="event",
                        difficulty="medium",
                        window_start=start,
                        window_end=end,
                        window_days=cell.window,
                        text=text,
                        answer=1 if inside else 0,
                        evidence=tuple(inside) if inside else found[claim_id],
                    )
                )
    return sorted(rows, key=lambda row: row.question_id)


def events() -> list[TemporalEvent]:
    """A dated outcome at each point that its calibration exam leaves alone."""
    by_id = {claim.claim_id: claim for claim in claims()}
    return [
        TemporalEvent(
            event_id=event_id,
            point_id=point_id,
            claim_id=f"c{number}",
            family_id=f"f{number}",
            text={lang: event_text(by_id[f"c{number}"].text[lang], lang, 0) for lang in LANGS},
            date=occurrence(number).happened_on,
            evidence=(occurrence(number),),
        )
        for event_id, point_id, number in (("d-1", "t-1", 7), ("d-2", "t-2", 7))
    ]


def table() -> ReplacementTable:
    """The secret table."""
    return ReplacementTable(
        entities=(
            Entity(
                entity_id="e1",
                cls="GOV",
                label="B",
                aliases=(Alias(surface="Harwick Council", lang="en", origin="model"),),
            ),
            Entity(
                entity_id="e2",
                cls="PLC",
                label="K",
                aliases=(Alias(surface="Harwick Quay", lang="en", origin="model"),),
            ),
        )
    )


def anonymisation_card() -> AnonymisationCard:
    """What a scripted panel yields."""
    return AnonymisationCard(
        entities=2,
        aliases=2,
        aliases_hit=2,
        mentions=4,
        dates_shifted=8,
        dates_flagged=0,
        calendar_residue=0,
        offset_candidates=44,
        panel_grade="LOW",
        panel_rounds=1,
        panel_state="not evaluated",
        drift_open=0,
    )


def write_workspace(root: Path, *, fictional: bool = True) -> Workspace:
    """Everything up to the bank, as the stages before `baselines` would leave it."""
    workspace = Workspace(root)
    workspace.write_text(
        "event.toml",
        f'slug = "harwick"\ntopic = "{TITLE}"\nfictional = {str(fictional).lower()}\nmode = "replay"\n',
    )
    workspace.write(
        "00_plan/plan.json",
        Plan(
            topic=TITLE,
            title=TITLE,
            since=date(2026, 1, 1),
            until=date(2026, 6, 30),
            zone="Europe/London",
            languages=("en",),
            domain="urban",
            stance_target="closing the quay",
            queries=(SourceQuery(source="web", query="Harwick Quay", lang="en"),),
        ),
    )
    rows = items()
    workspace.write_lines("01_items/items.jsonl", rows)
    workspace.write_lines(
        "01_items/coverage.jsonl",
        [
            Coverage(
                source="web",
                query="Harwick Quay night market",
                since=date(2026, 1, 1),
                until=date(2026, 6, 30),
                first=rows[0].published_at,
                last=rows[-1].published_at,
                items=8,
                outside=1,
                outcomes={"ok": 8, "soft404": 1},
                note="one page had moved",
            )
        ],
    )
    workspace.write_lines("02_corpus/documents.jsonl", rows)
    workspace.write_lines(
        "02_corpus/clusters.jsonl",
        [
            Cluster(
                cluster_id=f"k-{row.item_id}",
                representative=row.item_id,
                day=date(2026, 1, 5),
                members=(Member(item_id=row.item_id, rule="representative", similarity=1.0),),
            )
            for row in rows
        ],
    )
    workspace.write("03_timeline/timeline.json", timeline())
    master = anonymised()
    workspace.write("04_anonymised/timeline.json", master)
    workspace.write("04_anonymised/card.json", anonymisation_card())
    reply = AuditorReply(auditor="auditor1", grade="LOW", reason="names no event")
    workspace.write_lines(
        "04_anonymised/panel.jsonl",
        [
            PanelRound(
                round=1,
                table_version=1,
                replies=(
                    reply,
                    reply.model_copy(update={"auditor": "auditor2"}),
                    reply.model_copy(update={"auditor": "auditor3"}),
                ),
                grade="LOW",
                action="accept",
            )
        ],
    )
    workspace.write_text("04_anonymised/drift.jsonl", "")
    workspace.write("secret/table.json", table())
    workspace.write("secret/shift.json", Shift(offset_days=OFFSET))
    workspace.write("05_points/points.json", points())
    workspace.write_lines("06_claims/resolutions.jsonl", resolutions(False))
    workspace.write_lines("06_claims/fabrication_resolutions.jsonl", resolutions(True))
    workspace.write_lines("06_claims/pairs.jsonl", pairs())
    workspace.write("07_editions/timeline.json", master)
    workspace.write_lines("07_editions/claims.jsonl", claims())
    asked = questions()
    workspace.write_lines("08_bank/questions.jsonl", asked)
    workspace.write_lines("08_bank/events.jsonl", events())
    workspace.write(
        "08_bank/report.json",
        BankReport(
            questions=len(asked),
            events=len(events()),
            pairs=len(pairs()),
            points={"t-1": 8, "t-2": 2},
            quotas=(
                QuotaLine(
                    name="type A", wanted=0.42, got=0.4, note="the arc has few late outcomes"
                ),
            ),
            dropped={"no second language": 1},
        ),
    )
    workspace.replace_rows(
        "rejected.jsonl",
        "corpus",
        [
            Rejection(stage="corpus", item="i99", reason="duplicate", detail="copy of i1"),
            Rejection(stage="corpus", item="i98", reason="duplicate"),
        ],
    )
    workspace.write(
        "manifest.json",
        WorkspaceManifest(
            factory_version="0.1.0",
            stages={
                name: StageRecord(
                    name=name,
                    state="done",
                    counts=Counts(received=16, kept=14, rejected=2),
                    calls=calls,
                    paid_calls=calls,
                    prompt_tokens=1200 * calls,
                    completion_tokens=150 * calls,
                    cost=0.0012 * calls,
                    seconds=1.5,
                )
                for name, calls in (("plan", 1), ("collect", 0), ("corpus", 0), ("distil", 14))
            },
        ),
    )
    return workspace
