"""What an answer rests on is told apart everywhere: quoted words, words against, counted posts, silence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from factory.audit.grounds import ground, grounds, measured
from factory.bank.clause import statements
from factory.bundle import Bundle, build_files
from factory.check import check_path, explain_question
from factory.evidence import describe, raw_sentences
from factory.forecast.baselines import baseline_card
from factory.report_view import Key, _question
from factory.report_words import words
from factory.segments import render, to_tokens
from schemas import (
    LANGS,
    AnonOpinion,
    AnonTimeline,
    AnonymisationCard,
    Occurrence,
    Question,
    Resolution,
    StanceTest,
)
from tests.bank.arcs import Built, build, demo_arc
from tests.test_check import write
from tests.test_report_public import page_of


def refuted(row: Resolution, timeline: AnonTimeline) -> Resolution:
    """The same claim that never happens, contradicted by the last sentence of the timeline."""
    node = timeline.nodes[-1]
    sentence = statements(node)[-1]
    against = Occurrence(
        happened_on=node.date,
        node_id=node.node_id,
        statement_id=sentence.statement_id,
        quote=to_tokens(sentence.text[timeline.lang]),
    )
    return row.model_copy(
        update={
            "basis": "contradicted",
            "passes": tuple(
                p.model_copy(update={"basis": "contradicted", "against": against})
                for p in row.passes
            ),
            "searched": (),
        }
    )


def bundle_of(built: Built, timeline: AnonTimeline) -> Bundle:
    """A built bank as a bundle over a timeline."""
    return Bundle(
        timeline=timeline,
        points=built.arc.point_set,
        claims=tuple(built.claims),
        resolutions=tuple(built.resolutions),
        pairs=built.pairs,
        questions=built.bank.questions,
        events=built.bank.events,
        report=built.report,
        card=AnonymisationCard(
            entities=3, aliases=5, aliases_hit=5, mentions=9, dates_shifted=2, dates_flagged=0,
            calendar_residue=0, offset_candidates=30, panel_grade="LOW", panel_rounds=1,
            panel_state="not evaluated", drift_open=0,
        ),
        baselines=baseline_card(
            timeline=timeline, claims=built.claims, points=built.arc.points,
            questions=built.bank.questions, events=built.bank.events,
        ),
        gates=(), ungated=(), fictional=True, scripted=True, licence="CC-BY-4.0", models={},
        factory_version="0",
    )  # fmt: skip


@pytest.fixture(scope="module")
def silent() -> Bundle:
    """A bank in which what never happens is nowhere spoken of; its searches showed the first sentence."""
    built = build(demo_arc())
    timeline = built.arc.timeline
    first = statements(timeline.nodes[0])[0].statement_id
    return replace(
        bundle_of(built, timeline),
        resolutions=tuple(
            row.model_copy(update={"searched": (first,)}) if row.state == "never" else row
            for row in built.resolutions
        ),
    )


@pytest.fixture(scope="module")
def unproven(silent: Bundle) -> Question:
    """A question whose answer has no occurrence behind it."""
    return next(row for row in silent.questions if not row.evidence)


@pytest.fixture(scope="module")
def denied(silent: Bundle, unproven: Question) -> Bundle:
    """The same bank, in which that question's claim is contradicted."""
    return replace(
        silent,
        resolutions=tuple(
            refuted(row, silent.timeline) if row.claim_id == unproven.claim_id else row
            for row in silent.resolutions
        ),
    )


def test_every_answer_is_counted_once(silent: Bundle, denied: Bundle, unproven: Question) -> None:
    for bundle in (silent, denied):
        found = grounds(bundle.questions, bundle.claims, bundle.resolutions)
        assert found.total() == len(bundle.questions)
        assert found["quoted"] == sum(bool(row.evidence) for row in bundle.questions)
    moved = sum(row.claim_id == unproven.claim_id for row in silent.questions)
    assert found["against"] == moved
    said = measured(denied.questions, denied.claims, denied.resolutions)
    assert said == (
        f"{len(denied.questions)} labels recomputed: {found['quoted']} from quoted words, {moved} from words against, "
        f"0 from counted posts, {found['silence']} from silence"
    )


def test_a_claim_about_counted_posts_rests_on_the_count(silent: Bundle, unproven: Question) -> None:
    claim = next(c for c in silent.claims if c.claim_id == unproven.claim_id)
    test = StanceTest.model_construct()
    assert ground(unproven, claim.model_copy(update={"stance": test}), None) == "counted"
    assert ground(unproven, claim, None) == "silence"


def test_a_counted_answer_shows_the_share_of_each_day(denied: Bundle) -> None:
    question = next(q for q in denied.questions if q.evidence)
    test = StanceTest(stance="support", below=10, posts=10)
    spoken = AnonOpinion(
        emotion="anger",
        stances={"oppose": 0.75, "neutral": 0.25},
        n_items=12,
        statements=(statements(denied.timeline.nodes[-1])[-1],),
    )
    shown = {occurrence.node_id for occurrence in question.evidence}
    nodes = tuple(
        node.model_copy(update={"opinion": spoken}) if node.node_id in shown else node
        for node in denied.timeline.nodes
    )
    counted = replace(
        denied,
        timeline=denied.timeline.model_copy(update={"nodes": nodes}),
        claims=tuple(
            c.model_copy(update={"stance": test}) if c.claim_id == question.claim_id else c
            for c in denied.claims
        ),
    )
    told = {"en": "Of the day's 12 posts 0% support it.", "zh": "当日12条帖子中，支持的占0%。"}
    for lang in LANGS:
        asked = _question(question, Key.of(counted, lang))
        assert {step.counted for step in asked.chain} == {told[lang]}
        assert asked.resolved == words("by-shares", lang)
        read = _question(question, Key.of(denied, lang))
        assert {step.counted for step in read.chain} == {""}
    assert told["en"].replace("'", "&#39;") in page_of(counted)


def test_both_reports_quote_what_contradicts_a_claim(
    denied: Bundle, silent: Bundle, unproven: Question
) -> None:
    sentence = statements(denied.timeline.nodes[-1])[-1]
    for lang in ("en", "zh"):
        shown = _question(unproven, Key.of(denied, lang))  # type: ignore[arg-type]
        assert not shown.chain
        (step,) = shown.against
        assert step.node_id == denied.timeline.nodes[-1].node_id
        assert _question(unproven, Key.of(silent, lang)).against == ()  # type: ignore[arg-type]
    assert sentence.text
    private = describe(
        unproven,
        claims={c.claim_id: c for c in denied.claims},
        resolutions={r.claim_id: r for r in denied.resolutions},
        sentences=raw_sentences(None, {}),
    )
    assert [step.day for step in private.against] == [denied.timeline.nodes[-1].date.isoformat()]


def test_the_page_shows_the_words_against_instead_of_silence(silent: Bundle) -> None:
    denied = replace(
        silent,
        resolutions=tuple(
            refuted(row, silent.timeline) if row.state == "never" else row
            for row in silent.resolutions
        ),
    )
    for bundle, shown, other in ((silent, "never", "against"), (denied, "against", "never")):
        html = page_of(bundle)
        for lang in LANGS:
            assert words(shown, lang) in html
            assert words(other, lang) not in html


def test_silence_is_explained_by_what_was_read_and_what_came_nearest(
    silent: Bundle, denied: Bundle, unproven: Question, tmp_path: Path
) -> None:
    first = statements(silent.timeline.nodes[0])[0]
    for name, bundle in (("silent", silent), ("denied", denied)):
        write(tmp_path / name, build_files(bundle))
    text = explain_question(tmp_path / "silent", unproven.question_id)
    assert "rests on silence" in text
    assert f"statement {first.statement_id}: {render(first.text['en'], 'en')}" in text
    assert "rests on silence" not in explain_question(tmp_path / "denied", unproven.question_id)


def test_a_search_can_show_only_sentences_of_the_timeline(silent: Bundle, tmp_path: Path) -> None:
    wrong = tuple(
        row.model_copy(update={"searched": ("s-nowhere",)}) if row.state == "never" else row
        for row in silent.resolutions
    )
    write(tmp_path / "wrong", build_files(replace(silent, resolutions=wrong)))
    (finding,) = check_path(tmp_path / "wrong").findings
    assert finding.rule == "unknown-reference"
    assert all("searched s-nowhere" in place for place in finding.examples)


def test_the_card_of_the_bundle_counts_what_answers_rest_on(silent: Bundle) -> None:
    found = grounds(silent.questions, silent.claims, silent.resolutions)
    card = build_files(silent)["README.md"].decode()
    assert f"{found['quoted']} rest on quoted words" in card
    assert f"{found['silence']} on silence" in card
    assert f"{found['silence']}个依据是时间线未提此事" in card
