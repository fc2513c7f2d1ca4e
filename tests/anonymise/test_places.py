"""A name that is also an ordinary word: decided at every place, or place by place; nothing is replaced blindly."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from factory.anonymise.match import Matcher
from factory.anonymise.ordinary_places import stretch
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table, place, settle
from factory.audit.scan import scan_files
from factory.segments import context_text, render
from factory.stage import StageContext
from schemas import (
    Decision,
    Lang,
    ReplacementTable,
    ReviewRequest,
    Timeline,
)
from tests.anonymise import event
from tests.anonymise.test_stage import anon, card, go
from tests.scripted import Call


def shown(table: ReplacementTable, text: str, lang: Lang) -> tuple[str, list[str]]:
    """The text with the company as C, and the words in doubt."""
    parsed = parse(text, Matcher(table), anchor=date(2026, 3, 3), offset=49)
    words = render(parsed.segments, lang).replace("公司A", "C").replace("Company A", "C")
    return words, [doubt.words for doubt in parsed.doubts]


@pytest.mark.parametrize(
    ("names", "surface", "text", "lang", "words", "waiting"),
    [
        (("苹果公司",), "苹果", "苹果发布财报。他在吃苹果。", "zh", "苹果发布财报。他在吃苹果。", ["苹果", "苹果"]),
        (("蘋果公司",), "蘋果", "他在吃苹果和蘋果。", "zh", "他在吃苹果和蘋果。", ["苹果", "蘋果"]),
        (("安永",), "安永", "安永回应。保安永远在岗。", "zh", "C回应。保安永远在岗。", ["安永"]),
        (("Summit Holdings",), "Summit", "Then Summit lied. Summit said no. Summit of the year.", "en",
         "Then C lied. C said no. Summit of the year.", ["Summit"]),
    ],
)  # fmt: skip
def test_after_a_decision_places_of_the_word_stay_questions(
    names: tuple[str, ...], surface: str, text: str, lang: Lang, words: str, waiting: list[str]
) -> None:
    table = build_table([Named("COM", names)], [text, "the summit"], "salt")
    assert shown(settle(table, surface, names[0]), text, lang) == (words, waiting)
    everywhere = shown(settle(table, surface, names[0], everywhere=True), text, lang)
    assert everywhere[1] == []
    assert surface not in everywhere[0]
    assert shown(settle(table, surface, None), text, lang) == (text, [])


def test_decided_places_hold_in_every_text_and_no_others() -> None:
    table = settle(build_table([Named("COM", ("苹果公司",))], [], "salt"), "苹果", "苹果公司")
    table = place(table, "苹果", "他在吃苹果。", named=False)
    table = place(table, "苹果", "苹果发布财报。", named=True)
    text = "苹果发布财报。他在吃苹果。"
    assert shown(table, text, "zh") == ("C发布财报。他在吃苹果。", [])
    assert shown(table, f"昨天{text}", "zh") == ("昨天C发布财报。他在吃苹果。", [])
    assert shown(table, "她在吃苹果。", "zh") == ("她在吃苹果。", ["苹果"])
    again = ReplacementTable.model_validate_json(table.model_dump_json())
    assert shown(again, text, "zh") == shown(table, text, "zh")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("他在吃苹果。", "他在吃苹果。"),
        ("3月5日吃苹果，2026年", "吃苹果，"),
        ("华维吃苹果", "吃苹果"),
    ],
)
def test_a_place_is_known_by_words_that_no_name_or_date_changes(text: str, words: str) -> None:
    at = text.index("苹果")
    others = [(0, 2)] if text.startswith("华维") else []
    assert stretch(text, at, at + 2, others) == words


def test_a_person_decides_at_every_place_or_place_by_place(tmp_path: Path) -> None:
    named = {
        "entities": [
            *event.ENTITIES["entities"],
            {"name": "Millet", "kind": "COM", "english": [], "chinese": ["小米"], "other": []},
        ]
    }
    raw = event.timeline().model_dump()
    raw["nodes"][1]["fact"]["statements"][0]["text"] = "他喝小米粥，小米没有表态。"

    def handler(call: Call) -> Any:
        return named if call.prompt == "anonymise/entities" else event.answers(call)

    def context(folder: Path) -> StageContext:
        return event.context(folder, handler, raw=Timeline.model_validate(raw))

    ctx = go(context(tmp_path))
    (asked,) = [review for review in ctx.reviews if review.kind == "alias"]
    assert asked.question == "Whom does '小米' name?"
    assert "ordinary word" in asked.detail
    assert "他喝小米粥" in asked.detail
    assert "他喝小米粥，小米没有表态" in context_text(anon(ctx).nodes, "en")

    assert asked.options == ("Millet", "Millet, at every place", "not a name")

    def decided(folder: str, *choices: tuple[ReviewRequest, str]) -> StageContext:
        again = context(tmp_path / folder)
        again.decisions = tuple(
            Decision(
                stage="anonymise", review_id=row.review_id, choice=choice, decided_at=again.now
            )
            for row, choice in choices
        )
        return go(again)

    def shown(ctx: StageContext) -> str:
        return context_text(anon(ctx).nodes, "en")

    assert "小米" not in shown(decided("all", (asked, "Millet, at every place")))
    assert "他喝小米粥，小米没有表态" in shown(decided("none", (asked, "not a name")))

    ctx = decided("owner", (asked, "Millet"))
    assert "他喝小米粥，小米没有表态" in shown(ctx), "each place is a question of its own"
    _, eaten, speaks = [review for review in ctx.reviews if review.kind == "alias"]
    assert eaten.question == "Does '小米' in '他喝小米粥，' name Millet?"
    assert card(ctx).drift_open > 0

    ctx = decided("each", (asked, "Millet"), (eaten, "not a name"), (speaks, "Millet"))
    assert re.search(
        "他喝小米粥，公司 ?[A-Z]没有表态|他喝小米粥，Company [A-Z] ?没有表态", shown(ctx)
    )
    assert card(ctx).drift_open == 0
    secret = ctx.workspace.read(ReplacementTable, "secret/table.json")
    released = {"contexts/en/p1.md": f"### 2026-01-06\n\n**Event**: {shown(ctx)}".encode()}
    found = [each for each in scan_files(released, secret) if "name" in each.rule]
    assert "小米" not in str(found), "the scanner lets the decided place stand"
    moved = {"contexts/en/p1.md": "### 2026-01-06\n\n**Event**: 小米很好。\n".encode()}
    assert "小米" in str(scan_files(moved, secret)), "and no other"
