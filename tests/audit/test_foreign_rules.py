"""Every rule for published banks on a small invented one: silent when it is clean, and each finds its own flaw."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from factory.audit import foreign
from factory.audit.foreign import audit
from factory.audit.foreign_bank import read_dataset_bank, read_page_bank
from factory.audit.foreign_hits import Broken
from factory.audit.foreign_leaks import DATASET
from factory.audit.rules import RULES
from schemas import Finding
from tests.audit.foreign_pages import Pages, clean_pages, question, stem


def findings(pages: Pages, folder: Path) -> dict[str, Finding]:
    bank = read_page_bank(pages.write(folder))
    broken = Broken()
    for check in foreign.CHECKS:
        check(bank, broken)
    return {finding.rule: finding for finding in broken.findings()}


@pytest.mark.parametrize("form", ["page", "dataset"])
def test_a_clean_bank_has_no_finding_in_either_form(tmp_path: Path, form: str) -> None:
    pages = clean_pages()
    bank = (
        read_page_bank(pages.write(tmp_path))
        if form == "page"
        else read_dataset_bank(pages.write_dataset(tmp_path), DATASET)
    )
    found, scores = audit(bank)
    assert found == ()
    assert len(bank.questions) == 2 * 2 * 3 * 12
    assert len(bank.events) == 2 * 2 * 3 * 3
    assert scores["constant 0.5"] == 50
    assert scores["days from cutoff within window"] == 100, "the labels follow the rule"


def relabel(pages: Pages) -> None:
    for at in pages.both():
        row = next(row for row in at["cal"] if (row["dfc"], row["wd"]) == (25, 7))
        row["gt"] = 1


def descend(pages: Pages) -> None:
    for at in pages.both():
        for row in at["cal"]:
            if row["dfc"] == 10:
                row["gt"] = int(row["wd"] == 14)


def contradict(pages: Pages) -> None:
    for at, edition in zip(pages.both(), ("en", "zh"), strict=True):
        twin = question("fare", 30, 60, 1, edition, "B") | {"q": stem("fare", 30, edition) + " "}
        at["cal"].append(twin)


def around(pages: Pages) -> None:
    for at in pages.both():
        row = next(row for row in at["cal"] if (row["dfc"], row["wd"]) == (25, 7))
        row["q"] = (
            "Will the old pier be rebuilt within 7 days of the target date?"
            if row["dim"] == "event"
            else "旧码头重建是否会在目标日前后7天内发生？"
        )


def past(pages: Pages) -> None:
    for at in pages.both():
        for row in at["cal"]:
            if row["dfc"] == 60:
                row |= {"dfc": -3, "gt": 0, "wt": round(row["wd"] / (row["wd"] + 4), 3)}


def past_event(pages: Pages) -> None:
    for at in pages.both():
        at["time"][1] |= {"dfc": -2, "gt": "2031-05-09"}


def wrong_day(pages: Pages) -> None:
    for at in pages.both():
        at["time"][1] |= {"dfc": 9}


def wrong_weight(pages: Pages) -> None:
    pages.at()["cal"][0]["wt"] += 0.01


def other_window(pages: Pages) -> None:
    for at in pages.both():
        at["cal"][0]["q"] = at["cal"][0]["q"].replace("7", "9")


def no_window(pages: Pages) -> None:
    at = pages.at()
    at["cal"][0]["q"] = "Will the ferry sail again in a few weeks?"
    at["cal"][1]["q"] = "Will the ferry sail again within about two weeks?"


def sibling(pages: Pages) -> None:
    day = (date(2031, 5, 11) + timedelta(days=25)).isoformat()
    pages.at()["cal"][0]["q"] = f"Will the ferry sail again within the next 7 days, before {day}?"


def before(pages: Pages) -> None:
    pages.at()["cal"][0]["q"] = (
        "Will the ferry, idle since 6 May 2031, sail within the next 7 days?"
    )


def far(pages: Pages) -> None:
    pages.at("zh")["cal"][0]["q"] = "未来7天内，渡轮能否在2032年3月前的名单上恢复航行？"


def impossible(pages: Pages) -> None:
    pages.at()["cal"][0]["q"] = "Will the ferry of 2031-06-31 sail again within the next 7 days?"


def internal(pages: Pages) -> None:
    pages.at("zh")["cal"][0]["q"] = "未来7天内，事件E01是否会发生？"


def absolute(pages: Pages) -> None:
    for at in pages.points.values():
        for row in at["cal"]:
            if row["qt"] == "D_false":
                row["q"] = row["q"].replace("rise", "never rise").replace("票价", "全部票价")


def premise(pages: Pages) -> None:
    pages.at()["time"][1]["desc"] = "The council signs the contract for a crossing over the bay"
    pages.at()["cal"][0] |= {
        "q": "After the council signs a contract for the crossing over the bay, will people praise it within the next 7 days?",
        "dim": "opinion",
    }
    pages.at("zh")["cal"][0] |= {"dim": "舆论"}


def order_of_words(pages: Pages) -> None:
    pages.at()["cal"][0]["q"] = "Company A Will the ferry sail again within the next 7 days?"
    for point in ("P01", "P02", "P03"):
        place = ("event1", point, "en")
        pages.contexts[place] = pages.contexts[place].replace("The ferry", "The ferry of Company A")


def stranger(pages: Pages) -> None:
    pages.at()["cal"][0]["q"] = "Will Company B sail again within the next 7 days?"


def statement(pages: Pages) -> None:
    pages.at()["cal"][0]["q"] = "The ferry will sail again within the next 7 days."


def duplicate(pages: Pages) -> None:
    for at in pages.both():
        at["cal"].append(dict(at["cal"][-1]))


def late_node(pages: Pages) -> None:
    for event, point, edition in list(pages.contexts):
        if (event, point) == ("event1", "P03"):
            words = "**Event**: The pier opens." if edition == "en" else "**事件**：码头开放。"
            pages.contexts[event, point, edition] += f"\n### 2031-05-31\n\n{words}\n"


def swapped_nodes(pages: Pages) -> None:
    title, *nodes = pages.contexts["event1", "P03", "en"].split("\n### ")
    nodes[2], nodes[3] = nodes[3].rstrip("\n") + "\n", nodes[2]
    pages.contexts["event1", "P03", "en"] = "\n### ".join([title, *nodes])


def edited_node(pages: Pages) -> None:
    place = ("event1", "P02", "zh")
    pages.contexts[place] = pages.contexts[place].replace("会见", "接待")


def lost_row(pages: Pages) -> None:
    pages.at("zh")["cal"].pop()


def lost_field(pages: Pages) -> None:
    for at in pages.both():
        del at["cutoff"]


def in_order(pages: Pages) -> None:
    for event in ("event1", "event2"):
        for at, words in zip(pages.both(event), ("A boat", "船"), strict=True):
            at["time"] = [
                {
                    "eid": f"E{number:02d}",
                    "desc": f"{words} {number}",
                    "gt": (date(2031, 5, 11) + timedelta(days=2 * number)).isoformat(),
                    "dfc": 2 * number,
                    "r": [],
                }
                for number in range(1, 14)
            ]


FLAWS: list[tuple[str, Callable[[Pages], None], dict[str, int], set[str]]] = [
    ("published-a-label", relabel, {"en": 1, "zh": 1}, {"published-monotone"}),
    ("published-monotone", descend, {"en": 1, "zh": 1}, {"published-a-label"}),
    ("published-contradiction", contradict, {"en": 1, "zh": 1}, {"published-duplicate"}),
    ("published-target-window", around, {"en": 1, "zh": 1}, set()),
    ("published-past-target", past, {"en": 3, "zh": 3}, set()),
    ("published-event-range", past_event, {"en": 1, "zh": 1}, set()),
    ("published-event-day", wrong_day, {"en": 1, "zh": 1}, set()),
    ("published-weight", wrong_weight, {"en": 1}, set()),
    ("published-window-text", other_window, {"en": 1, "zh": 1}, set()),
    ("published-window-unstated", no_window, {"en": 2}, set()),
    ("published-sibling-date", sibling, {"en": 1}, set()),
    ("published-past-date", before, {"en": 1}, set()),
    ("published-far-date", far, {"zh": 1}, set()),
    ("published-impossible-date", impossible, {"en": 1}, set()),
    ("published-internal-id", internal, {"zh": 1}, {"leak-meta", "leak-placeholder"}),
    ("published-absolute-word", absolute, {"en": 18, "zh": 18}, set()),
    ("published-premise", premise, {"en": 1}, set()),
    ("published-word-order", order_of_words, {"en": 1}, set()),
    ("published-unknown-name", stranger, {"en": 1}, {"leak-placeholder"}),
    ("published-no-question", statement, {"en": 1}, set()),
    ("published-duplicate", duplicate, {"en": 1, "zh": 1}, set()),
    ("published-context-cutoff", late_node, {"en": 1, "zh": 1}, set()),
    ("published-context-order", swapped_nodes, {"en": 1}, {"published-prefix", "leak-points"}),
    ("published-prefix", edited_node, {"zh": 2}, {"leak-points"}),
    ("published-parity", lost_row, {"en": 1}, set()),
    ("published-fields", lost_field, {"en": 1, "zh": 1}, set()),
    ("published-event-order", in_order, {"en": 2, "zh": 2}, set()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "spoil", "counts", "beside"), FLAWS, ids=[rule for rule, *_ in FLAWS]
)
def test_a_flaw_breaks_its_rule_so_often_and_no_other(
    tmp_path: Path,
    rule: str,
    spoil: Callable[[Pages], None],
    counts: dict[str, int],
    beside: set[str],
) -> None:
    pages = clean_pages()
    spoil(pages)
    found = findings(pages, tmp_path)
    assert rule in found
    assert set(found) - {rule} <= beside
    assert dict(found[rule].editions) == counts
    assert found[rule].count == sum(counts.values())
    assert all(place.startswith(("event1/P0", "event2/P0")) for place in found[rule].examples)


def test_every_rule_for_published_banks_is_tried() -> None:
    tried = {rule for rule, *_ in FLAWS}
    assert tried == {rule.rule for rule in RULES.values() if rule.published}


def test_a_label_flips_are_counted_by_direction(tmp_path: Path) -> None:
    pages = clean_pages()
    relabel(pages)
    found = findings(pages, tmp_path)["published-a-label"]
    assert "2 answers 1 with the event outside the window, 0 answers 0 with it inside" in found.note


def test_examples_come_from_every_event(tmp_path: Path) -> None:
    pages = clean_pages()
    for at in pages.points.values():
        at["cal"][0]["wt"] = 0.0
    found = findings(pages, tmp_path)["published-weight"]
    assert found.count == 12
    assert {place.split("/")[0] for place in found.examples} == {"event1", "event2"}


def test_distances_of_windows_ends_are_not_measured_as_labels(tmp_path: Path) -> None:
    pages = clean_pages()
    for at in pages.points.values():
        for row in at["cal"]:
            row |= {"dfc": row["wd"], "gt": 0}
            row["wt"] = round(1 / (1 + 0.04 * row["wd"]) * row["wd"] / (row["wd"] + 4), 3)
    assert "published-a-label" not in findings(pages, tmp_path)


def test_month_before_day_and_bare_ids_are_no_leaks_of_a_published_bank(tmp_path: Path) -> None:
    pages = clean_pages()
    for point in ("P01", "P02", "P03"):
        place = ("event1", point, "en")
        pages.contexts[place] = pages.contexts[place].replace("a storm", "the storm of April 28")
    assert "leak-calendar" not in findings(pages, tmp_path / "a")
    for point in ("P01", "P02", "P03"):
        place = ("event1", point, "en")
        pages.contexts[place] = pages.contexts[place].replace("April 28", "Christmas in Japan")
    found = findings(pages, tmp_path / "b")
    assert {"leak-calendar", "leak-real-name"} <= set(found)
    assert found["leak-real-name"].fix.startswith("mend the place where the bank is made")
