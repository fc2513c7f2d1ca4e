"""Attackers without a model: what the released text gives away about the offset, and whether prose links back."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.attackers import (
    Passage,
    attack_offset,
    infer_offset,
    linkage,
    markdown_passages,
    offset_candidates,
)
from factory.anonymise.dates import offsets
from factory.segments import MONTHS, WEEKDAYS, from_tokens
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Evidence,
    Fact,
    Lang,
    Node,
    Span,
    Statement,
    Timeline,
)

START = date(2031, 3, 3)


def arc(*rows: tuple[date, str]) -> AnonTimeline:
    nodes = tuple(
        AnonNode(
            node_id=f"n{i}",
            date=day,
            fact=(AnonStatement(statement_id=f"s{i}", text={"en": from_tokens(text)}),),
        )
        for i, (day, text) in enumerate(rows)
    )
    return AnonTimeline(
        public_id="p",
        lang="en",
        span=Span(observed_from=rows[0][0], observed_until=rows[-1][0]),
        nodes=nodes,
    )


def read(raw: list[date], offset: int, lang: Lang, texts: list[str]) -> list[Passage]:
    """A release as a stranger reads it: raw days moved, words as given."""
    return [
        Passage(day + timedelta(days=offset), lang, str(i), text)
        for i, (day, text) in enumerate(zip(raw, texts, strict=True))
    ]


raw_days = st.lists(st.integers(0, 700), min_size=1, max_size=12, unique=True).map(
    lambda steps: [START + timedelta(days=step) for step in sorted(steps)]
)


def test_clean_text_leaves_every_offset_of_the_policy() -> None:
    clean = arc((date(2025, 11, 4), "A strike began on ⟦D:2025-11-03⟧, a ⟦D:2025-11-03|weekday⟧."))
    assert len(offset_candidates(clean, "weeks")) == 44
    assert len(offset_candidates(clean, "paper")) == 360


def test_a_festival_left_in_the_text_gives_the_offset_away() -> None:
    # Raw day 2025-12-24, moved by -63.
    leaky = arc((date(2025, 10, 22), "Shops close for Christmas."))
    left = offset_candidates(leaky, "weeks")
    assert -63 in left
    assert len(left) < 10


def test_months_left_in_the_text_narrow_the_offset() -> None:
    leaky = arc(
        (date(2025, 8, 20), "Prices fell in October."),
        (date(2025, 10, 22), "Prices fell in December."),
        (date(2025, 11, 20), "Prices fell in January."),
    )
    left = offset_candidates(leaky, "weeks")
    assert -63 in left
    assert len(left) < 30


@settings(max_examples=40)
@given(raw_days, st.sampled_from(offsets("paper")), st.sampled_from(["en", "zh"]))
def test_weekday_words_that_stayed_never_exclude_the_true_offset(
    raw: list[date], offset: int, lang: Lang
) -> None:
    words = [WEEKDAYS[lang][day.weekday()] for day in raw]
    passages = read(
        raw, offset, lang, [f"They met on {w}." if lang == "en" else f"{w}开会。" for w in words]
    )
    attack = infer_offset(passages, "paper", ["weekdays"])
    assert offset in attack.left
    if offset % 7 and len(raw) >= 6:
        assert {d % 7 for d in attack.left} == {offset % 7}


@settings(max_examples=40)
@given(raw_days, st.sampled_from(offsets("paper")), st.sampled_from(["en", "zh"]))
def test_months_that_stayed_never_exclude_the_true_offset(
    raw: list[date], offset: int, lang: Lang
) -> None:
    texts = [
        f"Prices fell in {MONTHS[day.month - 1]}." if lang == "en" else f"物价在{day.month}月下跌。"
        for day in raw
    ]
    assert offset in infer_offset(read(raw, offset, lang, texts), "paper", ["months"]).left


@settings(max_examples=40)
@given(raw_days, st.sampled_from(offsets("paper")))
def test_words_that_moved_with_their_day_exclude_nothing(raw: list[date], offset: int) -> None:
    shown = [day + timedelta(days=offset) for day in raw]
    texts = [
        f"On {WEEKDAYS['en'][day.weekday()]}, {MONTHS[day.month - 1]} {day.day}, {day.year}, they met; "
        f"{WEEKDAYS['en'][day.weekday()]} was cold."
        for day in shown
    ]
    attack = infer_offset(
        read(raw, offset, "en", texts), "paper", ["weekdays", "dated weekdays", "months", "days"]
    )
    assert attack.left == tuple(offsets("paper"))


def test_a_weekday_beside_a_moved_day_betrays_the_offset_modulo_seven() -> None:
    # 2031-06-09 is a Monday; moved by +47 it is 26 July, a Saturday.
    texts = ["On Monday, July 26, 2031, the vote was lost."] * 2
    attack = infer_offset(
        read([date(2031, 6, 9), date(2031, 6, 10)], 47, "en", texts), "paper", ["dated weekdays"]
    )
    assert {d % 7 for d in attack.left} == {47 % 7}


def test_a_festival_beside_its_moved_day_betrays_the_offset_alone() -> None:
    raw = [date(2031, 2, 14)]
    texts = ["新关税定于10月18日愚人节生效。"]
    attack = infer_offset(read(raw, -165, "zh", texts), "paper")
    assert attack.left == (-165,)


def test_a_month_that_only_one_edition_moved_betrays_the_offset() -> None:
    raw = [START + timedelta(days=40 * i) for i in range(6)]
    shown = [(day.replace(day=1) + timedelta(days=-110)).month for day in raw]
    passages = [
        *read(raw, -110, "en", [f"Prices fell in {MONTHS[day.month - 1]}." for day in raw]),
        *read(raw, -110, "zh", [f"物价在{month}月下跌。" for month in shown]),
    ]
    attack = infer_offset(passages, "paper", ["edition months"])
    assert -110 in attack.left
    assert len(attack.left) < 140


def test_a_day_that_only_one_edition_moved_leaves_two_offsets_with_a_days_slip() -> None:
    raw = [date(2031, 5, 2), date(2031, 6, 3)]
    passages = [
        *read(raw, 60, "en", ["It opened on May 1, 2031.", "It closed on June 2, 2031."]),
        *read(raw, 60, "zh", ["2031年6月30日开业。", "2031年8月1日关闭。"]),
    ]
    attack = infer_offset(passages, "paper", ["edition days"])
    assert {-60, 60} <= set(attack.left) <= {-61, -60, -59, 59, 60, 61}
    one_edition = infer_offset(passages[:2], "paper", ["edition days"])
    assert len(one_edition.left) == 360


def test_books_closed_on_the_fourth_betray_the_offset() -> None:
    # Quarters that ended on 31 March and 30 June, moved by -147.
    texts = [
        "For the quarter ended November 4, 2030, sales fell.",
        "In the quarter ended February 3, 2031, sales rose.",
    ]
    attack = infer_offset(read([date(2031, 4, 20), date(2031, 7, 20)], -147, "en", texts), "paper")
    assert -147 in attack.left
    assert len(attack.left) < 10


@settings(max_examples=30)
@given(st.sampled_from(offsets("paper")))
def test_days_of_nodes_betray_where_the_weekends_lay(offset: int) -> None:
    raw = [day for day in (START + timedelta(days=i) for i in range(60)) if day.weekday() < 5]
    left = infer_offset(read(raw, offset, "en", ["It rained."] * len(raw)), "paper").left
    assert {d % 7 for d in left} == {offset % 7}


def test_the_default_policy_is_deaf_to_weekdays() -> None:
    raw = [day for day in (START + timedelta(days=i) for i in range(60)) if day.weekday() < 5]
    texts = [f"They met on {WEEKDAYS['en'][day.weekday()]}." for day in raw]
    assert len(infer_offset(read(raw, 63, "en", texts), "weeks").left) == 44


def test_every_excluded_offset_names_its_evidence() -> None:
    leaky = arc((date(2025, 10, 22), "Shops close for Christmas."))
    attack = attack_offset(leaky, "weeks")
    assert len(attack.left) + len(attack.excluded) == 44
    for each in attack.excluded:
        assert each.odds >= 10
        route, odds, words = each.against[0]
        assert route == "festivals"
        assert odds > 0
        assert "Christmas" in words
    assert attack.assumptions


RAW = (
    "The council of Brinmoor voted to freeze tram fares after a long strike over pay and night shifts.",
    "Residents of Brinmoor filled the square and asked for the old timetable of the night tram.",
)
DECOYS = (
    ("A flood closed two bridges in the north and cut off a village for three days.",),
    ("Parents protested against the merger of two schools and collected signatures.",),
    ("A dispute about a wind farm went to court, and the builder withdrew its plan.",),
)


def raw_timeline(*texts: str) -> Timeline:
    day = date(2031, 3, 3)
    statements = tuple(
        Statement(
            statement_id=f"s{i}",
            text=text,
            happened_on=day,
            evidence=(Evidence(item_id="i", quote=text),),
        )
        for i, text in enumerate(texts)
    )
    return Timeline(
        title="t",
        lang="en",
        zone="UTC",
        span=Span(observed_from=day, observed_until=day),
        nodes=(Node(node_id="n", date=day, fact=Fact(statements=statements)),),
    )


def test_prose_links_to_its_own_source_and_an_unrelated_text_does_not() -> None:
    day = date(2031, 6, 3)
    anonymised = arc((day, RAW[0].replace("Brinmoor", "⟦PLC:A⟧")))
    (own,) = linkage(anonymised, raw_timeline(*RAW), DECOYS)
    assert (own.state, own.rank, own.of) == ("evaluated", 1, 4)
    assert own.margin is not None
    assert own.margin > 0
    (other,) = linkage(arc((day, DECOYS[0][0])), raw_timeline(*RAW), DECOYS)
    assert other.rank == 2
    assert other.margin is not None
    assert other.margin < 0


def test_linkage_without_decoys_is_not_evaluated() -> None:
    (own,) = linkage(arc((START, RAW[0])), raw_timeline(*RAW), [])
    assert (own.state, own.rank, own.margin) == ("not evaluated", None, None)


@pytest.mark.slow
def test_meaning_links_across_editions() -> None:
    from factory.anonymise.attack_linkage import link_by_meaning
    from factory.encode import load_encoder
    from factory.settings import Settings

    zh = ["市议会在漫长的罢工后投票冻结电车票价。", "居民要求恢复夜间电车的旧时刻表。"]
    linked = link_by_meaning(zh, RAW, DECOYS, load_encoder(Settings().encoder))
    assert linked.rank == 1


EVENTS = {
    "event1_library": 3,
    "event2_trump_tariff": 3,
    "event3_tiktok": 3,
    "event4_us_iran": 7,
    "event5_smci": 3,
}
"""Published event -> offsets that the attack may leave at most, of 360."""


CASUAL = (
    ("en", "The next hearing is on {d.month}/{d.day}."), ("en", "It opens {d:%a} {d.month}/{d.day} at noon"), ("en", "closed {d.month}/{d.day}-{e.month}/{e.day}"),
    ("en", "see you {d:%d %b}!"), ("en", "filed {d:%Y%m%d}T101112Z"), ("en", "filed {d:%Y-%m-%d}"), ("en", "filed {d:%m-%d-%Y}"), ("en", "IMG_{d:%Y%m%d}_101112.jpg"),
    ("zh", "网友{d:%m-%d} 10:23发帖。"), ("zh", "{d.month}.{d.day}开庭。"), ("zh", "{d.month}/{d.day}集合。"), ("zh", "{d.month}.{d.day}-{e.month}.{e.day}停课"),
)  # fmt: skip


@pytest.mark.parametrize(("lang", "form"), CASUAL)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("offset", [49, -63, 175])
def test_short_days_that_stayed_give_the_offset_away(
    lang: Lang, form: str, known: bool, offset: int
) -> None:
    """Beside a dozen nodes they leave a few weeks, the true offset among them."""
    told = []
    for step in range(0, 108, 9):
        node, day = START + timedelta(days=step), START + timedelta(days=step + 4)
        words = form.format(d=day, e=day + timedelta(days=2)).lower().replace("img", "IMG")
        for name in WEEKDAYS["en"]:
            words = words.replace(f" {name[:3].lower()} ", f" {name[:3]} ")
        words = words.replace("t101112z", "T101112Z")
        told.append(Passage(node + timedelta(days=offset), lang, str(step), words, known))
    attack = infer_offset(told, "weeks")
    assert offset in attack.left
    assert len(attack.left) <= 4


@pytest.mark.parametrize(
    "text",
    [
        "They won 7/10 and 3-2.",
        "page 4/12",
        "24/7 support",
        "12.5%",
        "4.5分",
        "约1/3的人",
        "v10.12.25",
    ],
)
def test_figures_that_count_are_no_clues(text: str) -> None:
    told = [
        Passage(START + timedelta(days=step), lang, str(step), text, known=True)
        for step in range(0, 108, 9)
        for lang in ("en", "zh")
    ]
    assert "days" not in infer_offset(told, "weeks").clues


@pytest.mark.parametrize(
    ("lang", "text", "route"),
    [
        ("en", "it's already feb", "months"),
        ("en", "Since Nov. it rains", "months"),
        ("en", "In the fall the mayor resigned", "seasons"),
        ("zh", "2031年秋开工", "seasons"),
        ("en", "A quarter of them fall in the fall of the tower", ""),
        ("en", "they may go", ""),
    ],
)
def test_short_months_and_bare_seasons_are_clues(lang: Lang, text: str, route: str) -> None:
    found = infer_offset([Passage(START, lang, "1", text)], "weeks").clues
    assert set(found) == {"coverage", route} - {""}


@pytest.mark.parametrize("event", EVENTS)
def test_the_published_contexts_give_their_offset_away(testdata: Path, event: str) -> None:
    passages: list[Passage] = []
    for lang in ("en", "zh"):
        folder = testdata / "official" / "demo" / lang / event
        longest = sorted(folder.glob("P*_context.md"))[-1]
        passages += markdown_passages(longest.read_text("utf-8"), "en" if lang == "en" else "zh")
    attack = infer_offset(passages, "paper")
    assert len(attack.left) <= EVENTS[event]
    # The routes know nothing of each other: each that speaks clearly must agree with what all of them leave.
    clear = [left for left in attack.alone.values() if len(left) <= 60]
    assert clear
    agreeing = [left for left in clear if any(abs(a - b) <= 1 for a in left for b in attack.best)]
    assert len(agreeing) > len(clear) / 2
