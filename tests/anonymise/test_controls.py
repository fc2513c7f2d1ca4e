"""Controls: the same panel on texts whose answer is known, once an event, and what they make of the card."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.controls import class_text, decoys, raw_text
from factory.anonymise.figures import overlap, panel_figures, period_figures, wilson
from factory.anonymise.match import Matcher
from factory.audit.gates import _identity
from factory.errors import AnswerFailed
from factory.estimate import DECOYS
from factory.sections import AnonymiseSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import (
    LANGS,
    AnonymisationAudit,
    AuditorReply,
    Guess,
    Lang,
    PanelFigures,
    Proportion,
    ReplacementTable,
    ShownText,
    TruthCard,
)
from tests.anonymise import event
from tests.anonymise.test_stage import calls, card, go, rounds
from tests.scripted import Call

NO_NAMES = Matcher(ReplacementTable(entities=()))
TRUTH = TruthCard(
    event_names=("Brinmoor tram strike",),
    actors=("Odalys Kestrin",),
    event_class=("tram strike", "电车罢工", "Brinmoor strike", "2026 strike"),
    period_start=date(2026, 1, 6),
    period_end=date(2026, 1, 15),
)


def knowing(raw: Any = True, bare: Any = False, decoy: Any = False) -> Any:
    """Auditors that name the event from the given texts, and not from the anonymised one."""
    known = {"raw": raw, "class": bare, "decoy": decoy}

    def handler(call: Call) -> Any:
        if call.prompt != "anonymise/guess":
            return event.answers(call)
        answer = known.get(call.item.split("-")[0], False)
        if isinstance(answer, AnswerFailed):
            return answer
        guess = {**event.LOW_GUESS["guesses"][0], "quotes": []}
        right = {**guess, "event": "Brinmoor tram strike"}
        return {"guesses": [right if answer else guess], "leaks": []}

    return handler


def held(tmp_path: Path, handler: Any, *, scripted: bool = False) -> StageContext:
    """The stage with controls, as a live run sees it."""
    ctx = event.context(tmp_path, handler, settings=Settings())
    ctx.scripted = scripted
    return go(ctx)


def figures(ctx: StageContext, text: ShownText) -> PanelFigures:
    (row,) = [row for row in card(ctx).panel if row.text == text]
    return row


def test_power_prior_and_false_high_are_measured_on_the_same_panel(tmp_path: Path) -> None:
    ctx = held(tmp_path, knowing())
    shown = card(ctx)
    assert (shown.panel_power, shown.panel_prior, shown.panel_false_high) == (1.0, 0.0, 0.0)
    assert shown.panel_state == "evaluated"
    assert figures(ctx, "decoy").replies == 3 * len(decoys("en"))
    assert [row.text for row in shown.panel] == ["anonymised", "raw", "class", "decoy"]
    asked = [c for c in calls(ctx) if c.prompt == "anonymise/guess"]
    by_role = {role: {c.system for c in asked if c.role == role} for role in ("auditor1", "auditor2", "auditor3")}  # fmt: skip
    assert all(len(systems) == 1 for systems in by_role.values()), "one prompt for all texts"


def test_controls_run_once_however_many_rounds_there_are(tmp_path: Path) -> None:
    words = ("Rondell", "Ostvik")

    def handler(call: Call) -> Any:
        found = re.match(r"round-(\d)-", call.item)
        if not found or int(found.group(1)) > 2:
            return knowing()(call)
        guess = {**event.LOW_GUESS["guesses"][0], "quotes": []}
        leak = {"words": words[int(found.group(1)) - 1], "nature": "name", "kind": "GOV"}
        return {
            "guesses": [guess, {**guess, "event": "Brinmoor tram strike"}],
            "leaks": [leak],
        }

    raw = event.timeline().model_dump()
    raw["nodes"][1]["fact"]["statements"][0]["text"] = "He met the Rondell and the Ostvik."
    ctx = event.context(
        tmp_path, handler, settings=Settings(), raw=type(event.timeline()).model_validate(raw)
    )
    ctx.scripted = False
    go(ctx)
    assert len(rounds(ctx)) == 3
    items = [c.item for c in calls(ctx) if c.prompt == "anonymise/guess"]
    assert len(items) == len(set(items)) == 3 * (3 + 2 + len(decoys("en")))


def test_without_controls_the_panel_is_not_evaluated(tmp_path: Path) -> None:
    settings = Settings(anonymise=AnonymiseSettings(controls=False))
    ctx = event.context(tmp_path, knowing(), settings=settings)
    ctx.scripted = False
    go(ctx)
    assert card(ctx).panel_state == "not evaluated"
    assert card(ctx).panel_power == "not evaluated"
    gate = _identity(card(ctx), fictional=False, scripted=False)
    assert (gate.state, "without its controls" in gate.reason) == ("not evaluated", True)
    assert {c.item.split("-")[0] for c in calls(ctx) if c.prompt == "anonymise/guess"} == {"round"}


def test_a_panel_without_power_is_not_evaluated(tmp_path: Path) -> None:
    ctx = held(tmp_path, knowing(raw=False))
    assert card(ctx).panel_power == 0.0
    assert card(ctx).panel_state == "not evaluated"
    assert "even from the raw text" in _identity(card(ctx), fictional=False, scripted=False).reason


def test_a_scripted_panel_is_not_evaluated_whatever_it_says(tmp_path: Path) -> None:
    ctx = held(tmp_path, knowing(), scripted=True)
    shown = card(ctx)
    assert shown.panel_state == "not evaluated"
    assert {shown.panel_power, shown.panel_prior, shown.panel_false_high} == {"not evaluated"}
    assert {row.hit1 for row in shown.panel} == {"not evaluated"}


def test_failed_controls_are_not_known_and_never_a_miss(tmp_path: Path) -> None:
    failed = AnswerFailed("no", reason="refused")
    ctx = held(tmp_path, knowing(bare=failed))
    assert card(ctx).panel_prior == "not evaluated"
    assert (figures(ctx, "class").replies, figures(ctx, "class").unknown) == (0, 3)
    assert rounds(ctx)[-1].grade == "LOW", "a failed control is no failed audit"
    ctx = held(tmp_path / "b", knowing(raw=failed))
    assert card(ctx).panel_state == "not evaluated"


def test_a_panel_that_names_the_event_from_anything_shows_it(tmp_path: Path) -> None:
    shown = card(held(tmp_path, knowing(bare=True, decoy=True)))
    assert (shown.panel_prior, shown.panel_false_high) == (1.0, 1.0)


def test_controls_are_recorded_with_their_replies_on_the_private_side(tmp_path: Path) -> None:
    ctx = held(tmp_path, knowing())
    audit = ctx.workspace.read(AnonymisationAudit, "04_anonymised/audit.json")
    assert [row.name for row in audit.controls] == ["raw", "class", *decoys("en")]
    assert all(len(row.replies) == 3 and row.prompt_digest for row in audit.controls)
    assert len({row.prompt_digest for row in audit.controls}) == len(audit.controls)


def test_the_raw_control_has_the_form_of_the_anonymised_text(tmp_path: Path) -> None:
    ctx = held(tmp_path, knowing())
    shown = {c.item: c.variables["text"] for c in calls(ctx) if c.prompt == "anonymise/guess"}
    raw, anonymised = shown["raw-auditor1"], shown["round-1-auditor1"]
    assert raw == raw_text(event.timeline())
    assert "Brinmoor" in raw
    assert "12 January 2026" in raw
    form = re.compile(r"^(?:### |\*\*\w[\w ]*\*\*)", re.MULTILINE)
    assert form.findall(raw) == form.findall(anonymised)


def test_the_class_control_tells_the_class_alone(tmp_path: Path) -> None:
    ctx = held(tmp_path, knowing())
    shown = {c.item: c.variables["text"] for c in calls(ctx) if c.prompt == "anonymise/guess"}
    assert shown["class-auditor1"] == "Nothing is left of the text but the kind of event: tram strike."  # fmt: skip


def test_terms_with_a_name_or_a_year_are_left_out_of_the_class() -> None:
    table = ReplacementTable.model_validate(
        {
            "entities": (
                {
                    "entity_id": "e1",
                    "cls": "PLC",
                    "label": "A",
                    "aliases": ({"surface": "Brinmoor", "lang": "any", "origin": "model"},),
                },
            )
        }
    )
    assert class_text(TRUTH, "en", Matcher(table)).endswith(": tram strike.")
    assert class_text(TRUTH, "zh", Matcher(table)) == "文本只剩下事件的类型：电车罢工。"
    assert class_text(TRUTH.model_copy(update={"event_class": ("罢工",)}), "en", NO_NAMES) == ""


@pytest.mark.parametrize("lang", LANGS)
def test_decoys_are_lifelike_and_hold_no_real_name(lang: Lang) -> None:
    found = decoys(lang)
    assert len(found) == DECOYS, "the estimate counts them"
    assert list(found) == list(decoys("zh" if lang == "en" else "en")), "the same in both languages"
    for text in found.values():
        days = [date.fromisoformat(day) for day in re.findall(r"^### (\S+)$", text, re.MULTILINE)]
        assert len(days) >= 6
        assert days == sorted(set(days))
        assert len(re.findall(r"\*\*(?:Public Opinion|舆论)\*\*", text)) >= 3
        assert re.search(r"(?:Authority|Company|机关|公司) ?[A-Z]", text)
        if lang == "en":
            # Capitals inside a sentence belong to placeholders, months and weekdays alone.
            words = set(
                re.findall(r"(?<=[a-z,;] )[A-Z][a-z]+", text.replace("**Public Opinion**", ""))
            )
            assert words <= {
                "Authority", "Company", "Place", "Person", "Media", "Group", "Platform", "Saturday",
                "January", "February", "May", "June", "July", "November", "December",
            }  # fmt: skip


# -- figures --------------------------------------------------------------------------------------


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share_and_stays_in_bounds(case: tuple[int, int]) -> None:
    found = wilson(*case)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found.low < found.high, "no number of trials is certain"


@given(st.integers(1, 100), st.integers(2, 20))
def test_more_trials_of_the_same_share_narrow_the_interval(total: int, times: int) -> None:
    few, many = wilson(total // 2, total), wilson(total // 2 * times, total * times)
    assert many.high - many.low < few.high - few.low + 1e-12


def test_wilson_agrees_with_published_values() -> None:
    """Newcombe 1998, Statistics in Medicine 17, table I: method 3 for 81/263, 15/148, 0/20, 1/29."""
    for hits, total, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = wilson(hits, total)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(("hits", "total"), [(1, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(hits: int, total: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson(hits, total)


def _reply(rank: int | None, confidence: float = 0.5) -> AuditorReply:
    grade: Any = "HIGH" if rank == 1 else "MID" if rank else "LOW"
    guess = Guess(event="x", confidence=confidence)
    return AuditorReply(auditor="auditor1", guesses=(guess,), grade=grade, rank=rank)


UNKNOWN = AuditorReply(auditor="auditor2", grade="UNKNOWN")


def test_hits_and_reciprocal_ranks_add_up() -> None:
    found = panel_figures("raw", [_reply(1), _reply(4), _reply(None), UNKNOWN])
    assert (found.replies, found.unknown) == (3, 1)
    assert cast(Proportion, found.hit1).share == pytest.approx(1 / 3)
    assert cast(Proportion, found.hit5).share == pytest.approx(2 / 3)
    assert cast(Proportion, found.mrr).share == pytest.approx((1 + 0.25) / 3)


@given(st.lists(st.sampled_from((None, 1, 2, 3, 4, 5)), min_size=1, max_size=9))
def test_the_reciprocal_rank_lies_between_first_hit_and_any_hit(ranks: list[int | None]) -> None:
    found = panel_figures("anonymised", [_reply(rank) for rank in ranks])
    hit1, mrr, hit5 = (cast(Proportion, each) for each in (found.hit1, found.mrr, found.hit5))
    assert hit1.share <= mrr.share + 1e-12
    assert mrr.share <= hit5.share + 1e-12


@given(
    st.dates(date(2025, 11, 1), date(2026, 3, 1)),
    st.integers(0, 60),
)
def test_overlap_is_the_share_of_days_in_both(start: date, length: int) -> None:
    end = date.fromordinal(start.toordinal() + length)
    guessed = set(range(start.toordinal(), end.toordinal() + 1))
    real = set(range(TRUTH.period_start.toordinal(), TRUTH.period_end.toordinal() + 1))
    assert overlap(start, end, TRUTH) == pytest.approx(len(guessed & real) / len(guessed | real))


def test_period_figures_read_first_guesses_only() -> None:
    near = Guess(event="x", confidence=1, period_start=date(2026, 1, 8), actors=("Kestrin",))
    far = Guess(event="x", confidence=1, period_start=date(2020, 1, 1), actors=("Odalys Kestrin",))
    replies = [AuditorReply(auditor="auditor1", guesses=(near, far), grade="LOW"), UNKNOWN]
    found = period_figures(replies, TRUTH)
    assert (found.replies, found.error_days, found.iou) == (1, 2.0, "not evaluated")
    assert cast(Proportion, found.actors_named).share == 1.0
