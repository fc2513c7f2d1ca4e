"""The stage graph: what each stage reads and writes, in the order in which data flows.

Data only: running, resuming and fingerprints are in running.py.
"""

from __future__ import annotations

from factory.stage import Stage
from schemas import Entry

PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
COVERAGE = "01_items/coverage.jsonl"
DOCUMENTS = "02_corpus/documents.jsonl"
CLUSTERS = "02_corpus/clusters.jsonl"
TIMELINE = "03_timeline/timeline.json"
STANCES = "03_timeline/stances.jsonl"
ANON = "04_anonymised/timeline.json"
PASSAGES = "04_anonymised/passages.jsonl"
STANCE_TARGET = "04_anonymised/stance_target.json"
CARD = "04_anonymised/card.json"
PANEL = "04_anonymised/panel.jsonl"
AUDIT = "04_anonymised/audit.json"
DRIFT = "04_anonymised/drift.jsonl"
TABLE = "secret/table.json"
TRUTH = "secret/truth.json"
SHIFT = "secret/shift.json"
POINTS = "05_points/points.json"
CLAIMS = "06_claims/claims.jsonl"
RESOLUTIONS = "06_claims/resolutions.jsonl"
VERDICTS = "06_claims/verdicts.jsonl"
ORDERS = "06_claims/orders.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"
FABRICATION_RESOLUTIONS = "06_claims/fabrication_resolutions.jsonl"
FABRICATION_VERDICTS = "06_claims/fabrication_verdicts.jsonl"
PAIRS = "06_claims/pairs.jsonl"
PAIRING = "06_claims/pairing.json"
EDITION_TIMELINE = "07_editions/timeline.json"
EDITION_CLAIMS = "07_editions/claims.jsonl"
QUESTIONS = "08_bank/questions.jsonl"
EVENTS = "08_bank/events.jsonl"
BANK_REPORT = "08_bank/report.json"
SCORECARD = "08_bank/scorecard.json"
CHECK = "08_bank/check.json"
RELEASE = "09_release"

STAGES: tuple[Stage, ...] = (
    Stage(
        name="plan",
        run="factory.plan:run",
        inputs=(),
        outputs=(PLAN,),
        prompts=("plan/plan",),
        roles=("plan",),
        sections=("collect",),
        event=("topic", "lang", "zone", "since", "until", "sources", "fictional"),
        editable=True,
    ),
    Stage(
        name="collect",
        run="factory.collect:run",
        inputs=(PLAN,),
        outputs=(ITEMS, COVERAGE),
        sections=("collect",),
        event=("imports", "sources"),
    ),
    Stage(
        name="corpus",
        run="factory.corpus:run",
        inputs=(PLAN, ITEMS),
        outputs=(DOCUMENTS, CLUSTERS),
        sections=("corpus", "encoder"),
    ),
    Stage(
        name="distil",
        run="factory.distil.stage:run",
        inputs=(PLAN, DOCUMENTS, CLUSTERS),
        outputs=(TIMELINE, STANCES),
        prompts=("distil/facts", "distil/posts", "distil/opinion", "distil/merge", "distil/arc"),
        roles=("distil",),
        sections=("distil",),
        event=("lang",),
    ),
    Stage(
        name="anonymise",
        run="factory.anonymise.stage:run",
        inputs=(PLAN, TIMELINE, STANCES, DOCUMENTS, CLUSTERS),
        outputs=(ANON, PASSAGES, STANCE_TARGET, CARD, PANEL, AUDIT, DRIFT, TABLE, TRUTH, SHIFT),
        prompts=("anonymise/entities", "anonymise/truth", "anonymise/guess", "anonymise/drift"),
        roles=("anonymise", "auditor1", "auditor2", "auditor3"),
        sections=("anonymise",),
        revision=3,
    ),
    Stage(
        name="points",
        run="factory.points:run",
        inputs=(ANON,),
        outputs=(POINTS,),
        sections=("points",),
        event=("points", "seed"),
    ),
    Stage(
        name="claims",
        run="factory.claims.stage:run",
        inputs=(ANON, STANCE_TARGET, POINTS),
        outputs=(CLAIMS,),
        prompts=("claims/outcomes",),
        roles=("claims",),
        sections=("claims",),
        revision=2,
    ),
    Stage(
        name="resolve",
        run="factory.resolve:run",
        inputs=(ANON, PASSAGES, CLAIMS),
        outputs=(RESOLUTIONS,),
        prompts=("resolve/resolve",),
        roles=("resolve",),
        sections=("resolve", "encoder"),
    ),
    Stage(
        name="vet",
        run="factory.vet:run",
        inputs=(ANON, POINTS, CLAIMS, RESOLUTIONS),
        outputs=(VERDICTS,),
        prompts=("vet/audit",),
        roles=("auditor1", "auditor2", "auditor3"),
        sections=("vet",),
    ),
    Stage(
        name="order",
        run="factory.pair:order",
        inputs=(ANON, POINTS, CLAIMS, RESOLUTIONS, VERDICTS),
        outputs=(ORDERS,),
        sections=("compose",),
        event=("seed",),
    ),
    Stage(
        name="fabricate",
        run="factory.claims.stage:fabricate",
        inputs=(ANON, STANCE_TARGET, POINTS, CLAIMS, ORDERS),
        outputs=(FABRICATIONS,),
        prompts=("claims/fabrications",),
        roles=("claims",),
        sections=("claims", "encoder"),
        revision=2,
    ),
    Stage(
        name="resolve_fabrications",
        run="factory.resolve:run_fabrications",
        inputs=(ANON, PASSAGES, FABRICATIONS),
        outputs=(FABRICATION_RESOLUTIONS,),
        prompts=("resolve/resolve",),
        roles=("resolve",),
        sections=("resolve", "encoder"),
    ),
    Stage(
        name="vet_fabrications",
        run="factory.vet:run_fabrications",
        inputs=(ANON, POINTS, ORDERS, FABRICATIONS, FABRICATION_RESOLUTIONS),
        outputs=(FABRICATION_VERDICTS,),
        prompts=("vet/audit",),
        roles=("auditor1", "auditor2", "auditor3"),
        sections=("vet",),
    ),
    Stage(
        name="pair",
        run="factory.pair:run",
        inputs=(
            ANON,
            POINTS,
            CLAIMS,
            RESOLUTIONS,
            VERDICTS,
            ORDERS,
            FABRICATIONS,
            FABRICATION_RESOLUTIONS,
            FABRICATION_VERDICTS,
        ),
        outputs=(PAIRS, PAIRING),
        sections=("compose",),
        event=("seed",),
    ),
    Stage(
        name="translate",
        run="factory.translate:run",
        inputs=(
            ANON,
            STANCE_TARGET,
            POINTS,
            CLAIMS,
            RESOLUTIONS,
            VERDICTS,
            FABRICATIONS,
            PAIRS,
        ),
        outputs=(EDITION_TIMELINE, EDITION_CLAIMS),
        prompts=("translate/translate",),
        roles=("translate",),
        sections=("translate",),
        event=("lang",),
    ),
    Stage(
        name="compose",
        run="factory.compose:run",
        inputs=(
            ANON,
            POINTS,
            EDITION_CLAIMS,
            RESOLUTIONS,
            FABRICATION_RESOLUTIONS,
            VERDICTS,
            PAIRS,
            PAIRING,
        ),
        outputs=(QUESTIONS, EVENTS, BANK_REPORT),
        sections=("compose",),
        event=("seed",),
    ),
    Stage(
        name="baselines",
        run="factory.forecast.baselines:run",
        inputs=(EDITION_TIMELINE, EDITION_CLAIMS, POINTS, QUESTIONS, EVENTS),
        outputs=(SCORECARD,),
        revision=2,
    ),
    Stage(
        name="release",
        run="factory.release:run",
        inputs=(
            EDITION_TIMELINE,
            EDITION_CLAIMS,
            POINTS,
            CLAIMS,
            RESOLUTIONS,
            FABRICATIONS,
            FABRICATION_RESOLUTIONS,
            PAIRS,
            QUESTIONS,
            EVENTS,
            BANK_REPORT,
            SCORECARD,
            CARD,
            PANEL,
            DRIFT,
            TABLE,
            SHIFT,
        ),
        outputs=(RELEASE, CHECK),
        sections=("release", "compose"),
        event=("fictional", "licence"),
    ),
)


def external_stages(entry: Entry) -> frozenset[str]:
    """Stages whose outputs an entry point supplies, so that they never run."""
    before = {
        "topic": (),
        "items": (),
        "timeline": ("plan", "collect", "corpus", "distil"),
        "anonymised": ("plan", "collect", "corpus", "distil", "anonymise"),
    }
    return frozenset(before[entry])
