"""Whatever is changed in a released bundle, `factory check` names the rule whose promise it breaks.

Every field of every file is changed in every way that fits it, and the digests are made to agree again. A sample
runs by default; everything runs with the slow tests. `rebuilt` bundles derive all copies from the changed key: what
stays unseen there is what a bundle alone cannot prove, and it is listed by name.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from factory.audit import gates
from factory.audit.rules import RULES
from factory.audit.shortcuts import audit_shortcuts
from factory.bundle import CLAIMS, MANIFEST, QUESTIONS, Bundle, build_files
from factory.check import check_path
from factory.errors import BadInput
from factory.forecast.baselines import baseline_card
from factory.release import RELEASE, run
from tests.audit.mutations import (
    KEY,
    MODELS,
    Mutation,
    all_mutations,
    changed_file,
    dumped,
    mutated,
    other_texts,
    rebuilt,
    records,
    schema_fields,
    write,
)
from tests.bank.arcs import build, demo_arc
from tests.release.test_release import prepared

SAMPLE = 40
"""Changes in the default run: some of every kind of file."""
REFUSED = "refused"
"""The file is no valid record any more: bad input that names the file."""

EXPECTED: tuple[tuple[str, str], ...] = (
    # -- the key: questions and dated events ------------------------------------------------------
    (r"key/questions.jsonl question_id: unknown id", "exam-view"),
    (r"key/(questions|events).jsonl (question|event)_id: other id", "repeated-id"),
    (r"key/events.jsonl event_id: unknown id", "exam-view"),
    (r"key/(questions|events).jsonl (point|claim)_id: unknown id", "unknown-reference"),
    (r"key/questions.jsonl point_id: other id", "window-start"),
    (r"key/questions.jsonl claim_id: other id", "twin-missing"),
    (r"key/questions.jsonl (prompt|pair_id):", "twin-missing"),
    (r"key/(questions|events).jsonl (family_id|level|dimension|difficulty):", "claim-fields"),
    (r"key/questions.jsonl type:", "twin-type"),
    (r"key/questions.jsonl window_(start|end|days):", REFUSED),
    (r"key/questions.jsonl window moved", "window-start"),
    (r"key/questions.jsonl window longer", "window-text"),
    (r"key/questions.jsonl text\.\w\w: a digit", "window-text"),
    (r"key/(questions|events).jsonl text", "text-of-claim"),
    (r"key/questions.jsonl answers of twins swapped", "label"),
    (r"key/questions.jsonl answer:", "label"),
    (r"key/events.jsonl evidence: delete", REFUSED),
    (r"key/(questions|events).jsonl evidence", "label-evidence"),
    (r"key/events.jsonl (point_id|claim_id): other id", "event-claim|event-day|claim-fields|exam-view"),
    (r"key/events.jsonl date:", "event-day"),
    (r"key/(questions|events).jsonl row: delete", "report-counts"),
    (r"key/(questions|events).jsonl row: repeat", "repeated-id"),
    (r"key/(questions|events).jsonl row: swap", "order"),
    # -- the key: claims, resolutions, pairs ------------------------------------------------------
    (r"key/claims.jsonl claim_id:", "unknown-reference"),
    (r"key/claims.jsonl (family_id|level|dimension|difficulty):", "claim-fields"),
    (r"key/claims.jsonl (kind:|node_id: unknown|mirrors: unknown)", "claim-kind"),
    (r"key/claims.jsonl stance", "stance-days|stance-figures|refused"),
    (r"key/claims.jsonl (occasion|cadence|node_id: other id|mirrors: other id|known_from)", "derived-file|claim-kind"),
    (r"key/claims.jsonl text\.\w\w\[\]\.(kind|label|precision)", REFUSED),
    (r"key/claims.jsonl text\.\w\w\[\]\.value", "figure-value"),
    (r"key/claims.jsonl text\.\w\w\[\]\.cls", "edition-refs"),
    (r"key/claims.jsonl text", "text-of-claim"),
    (r"key/claims.jsonl row: delete", "unknown-reference"),
    (r"key/resolutions.jsonl claim_id:|key/resolutions.jsonl row: delete", "unresolved"),
    (r"key/resolutions.jsonl state:", f"{REFUSED}|label|unresolved"),
    (r"key/resolutions.jsonl occurrences: delete", REFUSED),
    (r"key/resolutions.jsonl occurrences: repeat", "label-evidence"),
    (r"key/resolutions.jsonl occurrences\[\].happened_on", "occurrence-day"),
    (r"key/resolutions.jsonl occurrences\[\].(node|statement)_id", "occurrence-place"),
    (r"key/resolutions.jsonl occurrences\[\].quote", "quote"),
    (r"key/resolutions.jsonl (passes\[\].)?basis", "basis"),
    (r"key/resolutions.jsonl passes", "passes"),
    (r"key/resolutions.jsonl refuted_on", "refutation"),
    (r"key/resolutions.jsonl searched", "derived-file|unknown-reference"),
    (r"key/pairs.jsonl (pair_id|true_claim|false_claim|cells\[\]|cells: delete)", "twin-missing"),
    (r"key/pairs.jsonl (true|false)_type:", "twin-type"),
    (r"key/pairs.jsonl (relation|cells: repeat)", "pair-relation"),
    (r"key/pairs.jsonl row: delete", "twin-missing"),
    (r"key/(claims|resolutions|pairs).jsonl row: repeat", "repeated-id"),
    (r"key/(claims|resolutions|pairs).jsonl row: swap|key/pairs.jsonl cells: swap", "derived-file"),
    # -- the key: points and timeline -------------------------------------------------------------
    (r"key/points.json points: delete", "unknown-reference"),
    (r"key/points.json points: repeat", "repeated-id"),
    (r"key/points.json points: swap", "derived-file"),
    (r"key/points.json points\[\].point_id", "unknown-reference"),
    (r"key/points.json points\[\].cutoff", "window-start"),
    (r"key/points.json points\[\].(context|truth)", "context-split"),
    (r"key/points.json (kept|dropped)", "derived-file"),
    (r"key/timeline.json public_id", "manifest"),
    (r"key/timeline.json lang", "quote|derived-file"),
    (r"key/timeline.json span.observed_until", "derived-file|beyond-observed"),
    (r"key/timeline.json span.observed_from", "derived-file|beyond-observed"),
    (r"key/timeline.json nodes: (repeat|swap)", REFUSED),
    (r"key/timeline.json nodes: delete|key/timeline.json nodes\[\].node_id", "context-split"),
    (r"key/timeline.json nodes\[\].date", "context-bytes"),
    (r"key/timeline.json nodes\[\].\S*statement_id: other id", "repeated-id"),
    (r"key/timeline.json nodes\[\].\S*statement_id: unknown id", "derived-file|occurrence-place|unknown-reference"),
    (r"key/timeline.json nodes\[\].\S*happened_on: a day later", "occurrence-day"),
    (r"key/timeline.json nodes\[\].\S*happened_on: a day earlier", "derived-file|occurrence-day"),
    (r"key/timeline.json nodes\[\].\S*\[\]\.(kind|label|precision):", REFUSED),
    (r"key/timeline.json nodes\[\].\S*\[\]\.value", "figure-value"),
    (r"key/timeline.json nodes\[\].\S*\[\]\.cls", "edition-refs"),
    (r"key/timeline.json nodes\[\].\S*\[\]\.(start|end|style)", f"edition-dates|context-bytes|{REFUSED}"),
    (r"key/timeline.json nodes\[\].opinion.(stances|n_items)", "stance-shares"),
    (r"key/timeline.json nodes\[\].opinion.themes: repeat", "repeated-id"),
    (r"key/timeline.json nodes\[\].opinion.(themes|emotion)", "derived-file|edition-numbers"),
    (r"key/timeline.json nodes\[\].opinion.statements: delete", f"context-bytes|{REFUSED}"),
    (r"key/timeline.json nodes\[\].(fact|opinion.statements)(: |\[\].text)", "context-bytes"),
    # -- cards and manifest -----------------------------------------------------------------------
    (r"cards/anonymisation.json drift_open", "drift"),
    (r"cards/anonymisation.json ", f"derived-file|{REFUSED}"),
    (r"cards/bank.json report.(preset|questions|events|pairs|points|flips|quotas\[\].(name|got))", "report-counts"),
    (r"cards/bank.json baselines", f"baselines|{REFUSED}"),
    (r"cards/bank.json ", "derived-file"),
    (r"manifest.json public_id", "manifest"),
    (r"manifest.json counts", "report-counts"),
    (r"manifest.json format", REFUSED),
    (r"manifest.json files: delete|manifest.json files\[\].(path|sha256)", "bundle-digest"),
    (r"manifest.json (files|ungated|waived|gates: delete|gates\[\].state)", "manifest"),
    (r"manifest.json ", "derived-file|manifest"),
    # -- what examinees see, and copies -----------------------------------------------------------
    (r"exam/", "exam-view"),
    (r"(contexts|timeline)/", "context-bytes"),
    (r"(README.md|truth/|parquet/|societybench/)", "derived-file"),
)  # fmt: skip
"""Change -> the rule that must be named, or one of several; the first pattern that fits counts."""

UNPROVEN: tuple[str, ...] = (
    r"cards/anonymisation.json (?!drift_open)",  # needs the raw side and the panel
    r"key/\w+.jsonl row: swap|key/points.json points: swap|key/pairs.jsonl cells: swap",  # same content
    r"key/(questions|events).jsonl (question|event)_id: unknown id",  # a name, salted
    r"key/claims.jsonl (occasion|cadence|node_id: other id|mirrors: other id|known_from: a day earlier)",
    r"key/points.json (kept|dropped)",
    r"key/resolutions.jsonl searched",  # which sentences came nearest needs the encoder
    # The timeline is what everything else is measured against.
    r"key/timeline.json (public_id|span|lang)",
    r"key/timeline.json nodes\[\].date",
    r"key/timeline.json nodes\[\].\S*(statement_id: unknown id|happened_on: a day earlier)",
    r"key/timeline.json nodes\[\].(fact|opinion.statements)(: |\[\].text\S*: )",
    r"key/timeline.json nodes\[\].opinion.(themes|emotion)",
)
"""Changes that a careful forger of the whole bundle can make unseen, and nothing beside them."""

NOT_IN_THE_SAMPLES: tuple[str, ...] = (
    r"key/claims.jsonl (stance|known_from)",  # tests of their own: counted posts, premises from the future
    r"key/\S+ \S*(start|end|precision|style)$",  # no date stands in a text of the samples
    r"key/resolutions.jsonl (reason|passes\[\]\.note)",  # never released
    r"key/resolutions.jsonl (refuted_on|passes\[\]\.against)",  # tests of their own: refutations
    r"key/points.json (kept|dropped)",
    r"key/timeline.json nodes\[\]\.opinion\.(statements|themes)\[\]\.(happened_on|text\.\*\[\])",  # as in facts
    r"cards/anonymisation.json ",  # the samples' panel is scripted; its figures need the raw side
    r"cards/bank.json (baselines|report.(structure|notes|flips))",
    r"manifest.json ungated",
)
"""Fields of the schemas that the released samples do not hold."""


class Sample:
    """A released bundle with everything that is needed to change and check it."""

    def __init__(self, folder: Path, bundle: Bundle) -> None:
        self.folder = folder
        self.bundle = bundle
        self.files = build_files(bundle)
        self.audit = audit_shortcuts(bundle.bank, bundle.timeline)
        asked = {q.claim_id for q in bundle.questions if q.answer}
        self.mutations = [
            m
            for m in all_mutations(self.files, lambda row: row.get("claim_id", "") in {*asked, ""})
            if changed_file(self.files, m) != self.files[m.file]
        ]

    def found(self, files: dict[str, bytes], changed: str) -> set[str]:
        """The rules that are named; REFUSED for bad input that names the changed file."""
        write(self.folder, files)
        try:
            # Fitting attackers again for each of a thousand changes would say nothing more.
            with patch.object(gates, "audit_shortcuts", lambda *_: self.audit):
                return {finding.rule for finding in check_path(self.folder).findings}
        except BadInput as error:
            return {REFUSED} if changed in str(error) else {f"bad input without its file: {error}"}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A small event as the release stage wrote it."""
    root = tmp_path_factory.mktemp("released")
    asyncio.run(run(prepared(root)))
    return Sample(tmp_path_factory.mktemp("changed"), Bundle.read(root / RELEASE))


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory, released: Sample) -> Sample:
    """A bank of the composer, with details, variants, fabrications and late twins, as a bundle."""
    built = build(demo_arc())
    bank = built.bank
    baselines = baseline_card(
        timeline=built.arc.timeline, claims=built.claims, points=bank.points,
        questions=bank.questions, events=bank.events,
    )  # fmt: skip
    bundle = Bundle(
        timeline=built.arc.timeline, points=built.arc.point_set, claims=tuple(built.claims),
        resolutions=tuple(built.resolutions), pairs=built.pairs, questions=bank.questions,
        events=bank.events, report=built.report, card=released.bundle.card, baselines=baselines,
        gates=(), ungated=(), fictional=True, scripted=True, licence="CC-BY-4.0", models={},
        factory_version="0",
    )  # fmt: skip
    return Sample(tmp_path_factory.mktemp("composed"), bundle)


def expected(name: str) -> set[str]:
    for pattern, rule in EXPECTED:
        if re.match(pattern, name):
            return set(rule.split("|"))
    raise AssertionError(f"no rule is expected for {name}")


def compound(sample: Sample) -> Iterator[Mutation]:
    """Changes of several fields at once that keep each record valid."""
    rows = records(QUESTIONS, sample.files[QUESTIONS])
    first = next(q for q in sample.bundle.questions if q.answer)
    at = next(i for i, row in enumerate(rows) if row["question_id"] == first.question_id)
    day = timedelta(days=1)
    moved = [dict(row) for row in rows]
    moved[at] |= {
        "window_start": (first.window_start + day).isoformat(),
        "window_end": (first.window_end + day).isoformat(),
    }
    yield Mutation(QUESTIONS, "window", "moved", (), moved)
    longer = [dict(row) for row in rows]
    days = next(d for d in (7, 14, 30, 60, 90) if d != first.window_days)
    longer[at] |= {
        "window_days": days,
        "window_end": (first.window_start + days * day).isoformat(),
    }
    yield Mutation(QUESTIONS, "window", "longer", (), longer)
    swapped = [dict(row) for row in rows]
    for row in swapped:
        if (row["pair_id"], row["point_id"], row["window_days"]) == (
            first.pair_id,
            first.point_id,
            first.window_days,
        ):
            row["answer"] = 1 - row["answer"]
    yield Mutation(QUESTIONS, "answers of twins", "swapped", (), swapped)


def named(mutation: Mutation) -> str:
    if mutation.file == QUESTIONS and not mutation.place and mutation.field != "row":
        return f"{mutation.file} {mutation.field} {mutation.how}"
    return mutation.name


def wrong(sample: Sample, mutations: list[Mutation]) -> list[str]:
    """Changes whose rule is not named, with what was named instead."""
    bad = []
    for mutation in mutations:
        wanted = expected(named(mutation))
        got = sample.found(mutated(sample.files, mutation), mutation.file)
        if not wanted & got:
            bad.append(f"{named(mutation)}: expected {sorted(wanted)}, found {sorted(got)}")
    return bad


def test_the_samples_are_clean(released: Sample, composed: Sample) -> None:
    for sample in (released, composed):
        assert sample.found(dict(sample.files), MANIFEST) == set()
        first = sample.mutations[0]
        same = Mutation(first.file, "bytes", "nothing", (), sample.files[first.file])
        assert mutated(sample.files, same) == sample.files


def test_expected_rules_exist() -> None:
    rules = {rule for _, names in EXPECTED for rule in names.split("|")}
    assert rules - {REFUSED} <= set(RULES)


def test_a_sample_of_changes_is_named_by_the_right_rule(released: Sample) -> None:
    by_file: dict[str, list[Mutation]] = {}
    for mutation in released.mutations:
        by_file.setdefault(re.sub(r"/(en|zh)/|\w+\.(?=parquet)", "/", mutation.file), []).append(mutation)  # fmt: skip
    rng = random.Random(11)
    chosen = [rng.choice(group) for group in by_file.values()]
    rest = [m for m in released.mutations if m.file in KEY]
    chosen += rng.sample(rest, max(0, SAMPLE - len(chosen)))
    assert wrong(released, [*compound(released), *chosen]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["key/", "cards/", "manifest.json", "exam/", "parquet/", "societybench/", "."]
)
def test_every_change_is_named_by_the_right_rule(released: Sample, part: str) -> None:
    others = ("key/", "cards/", "manifest.json", "exam/", "parquet/", "societybench/")
    mine = [
        m
        for m in released.mutations
        if (m.file.startswith(part) if part != "." else not m.file.startswith(others))
    ]
    assert mine
    assert wrong(released, mine) == []


@pytest.mark.slow
def test_every_change_of_a_composed_key_is_named_by_the_right_rule(composed: Sample) -> None:
    mine = [m for m in composed.mutations if m.file in KEY and m.file != "cards/anonymisation.json"]
    assert wrong(composed, mine) == []


@pytest.mark.slow
def test_what_a_bundle_alone_cannot_prove_is_known_by_name(released: Sample) -> None:
    unseen, listed = [], 0
    for mutation in released.mutations:
        if mutation.file not in KEY:
            continue
        files = rebuilt(released.bundle, released.files, mutation)
        if files is None or files == released.files:
            continue
        free = any(re.match(pattern, mutation.name) for pattern in UNPROVEN)
        listed += free
        if not free and not released.found(files, mutation.file):
            unseen.append(mutation.name)
    assert unseen == []
    assert listed > 30


def test_every_field_of_the_schemas_is_changed(released: Sample, composed: Sample) -> None:
    changed = {f"{m.file} {m.field}" for sample in (released, composed) for m in sample.mutations}
    missing = [
        name
        for file, model in MODELS.items()
        for name in (f"{file} {field}" for field in schema_fields(model))
        if not any(re.fullmatch(re.escape(name).replace(r"\.\*", r"\.[^\[]+"), c) for c in changed)
        and not any(re.match(pattern, name) for pattern in NOT_IN_THE_SAMPLES)
    ]
    assert missing == []


def test_a_change_is_one_change(released: Sample) -> None:
    assert dict(other_texts("Day 19, noon")) == {"a character": "Day 19, qoon", "a digit": "Day 10, noon"}  # fmt: skip
    for mutation in released.mutations[:: len(released.mutations) // 60]:
        files = mutated(released.files, mutation)
        assert {n for n in files if files[n] != released.files.get(n)} <= {mutation.file, MANIFEST}
    names = [m.name for m in released.mutations]
    assert len(names) == len(set(names))
    assert {m.file for m in released.mutations} == set(released.files)
    row = json.loads(released.files[CLAIMS].splitlines()[0])
    assert dumped(CLAIMS, [row]) == released.files[CLAIMS].splitlines(keepends=True)[0]
