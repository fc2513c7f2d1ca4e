"""Phase C, detection: every kind of damage at every level is seen, and faithful texts raise nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.apply import build_timeline, parse_timeline
from factory.anonymise.drift_grammar import damage
from factory.anonymise.drift_levels import compare_arc, compare_events, compare_statement
from factory.anonymise.match import Matcher
from factory.anonymise.repair import Compared
from factory.anonymise.segments import parse
from factory.anonymise.table import Named, build_table
from factory.importing.placeholders import Placeholders
from factory.segments import from_tokens, render, to_tokens
from schemas import AnonTimeline, EntityRef, Lang, ReplacementTable, SegmentText, Timeline
from sources.imports.timeline import read_timeline
from sources.sentences import sentences
from tests.anonymise import event

MATCHER = Matcher(
    build_table(
        [
            Named("PER", ("Lena Ortiz", "莱娜·奥尔蒂斯")),
            Named("PLC", ("Westhaven", "西港")),
            Named("CTY", ("Orland", "奥兰")),
            Named("COM", ("Velline", "维林")),
        ],
        [],
        "salt",
    )
)
ANCHOR = date(2026, 3, 10)
RAW: dict[Lang, str] = {
    "en": "Lena Ortiz (mayor) did not tell Westhaven on March 2, 2026 that 12.5% of 3,100 voters came in January.",
    "zh": "莱娜·奥尔蒂斯（市长）3月2日没有告诉西港，3100名选民中有12.5%在1月投票。",
}


def both(text: str, offset: int = 49) -> tuple[Compared, SegmentText]:
    parsed = parse(text, MATCHER, anchor=ANCHOR, offset=offset)
    plain = parse(text, MATCHER, anchor=ANCHOR, offset=0).segments
    return Compared("s1", text, parsed.segments, parsed.doubts), plain


def problems(compared: Compared, unshifted: SegmentText, lang: Lang, offset: int = 49) -> list[str]:
    return compare_statement(compared, unshifted, offset, MATCHER, lang)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("offset", [-175, -63, 28, 49, 119, 31, -100])
def test_a_faithful_statement_has_no_problem(lang: Lang, offset: int) -> None:
    given_, unshifted = both(RAW[lang], offset)
    assert given_.doubts == ()
    assert problems(given_, unshifted, lang, offset) == []


@pytest.mark.parametrize(
    ("lang", "before", "after", "problem"),
    [
        ("en", "12.5%", "13.5%", "figures"),
        ("en", "3,100 ", "", "figures"),
        ("en", "⟦PLC:A⟧", "the town", "references"),
        ("en", "⟦PLC:A⟧", "⟦PLC:B⟧", "references"),
        ("en", "⟦D:2026-04-20⟧", "⟦D:2026-04-21⟧", "day did not move"),
        ("en", " on ⟦D:2026-04-20⟧", "", "date was lost"),
        ("en", "⟦M:2026-03|short⟧", "⟦M:2026-06|short⟧", "hardly overlaps"),
        ("en", "⟦M:2026-03|short⟧", "⟦D:2026-03-06⟧", "another unit"),
        ("en", "voters", "voters of Westhaven", "left in the text"),
        ("en", "did not tell", "did tell", "words"),
        ("en", "voters", "children", "words"),
        ("en", "(mayor)", "(mayor", "no longer pair"),
        ("zh", "没有告诉", "告诉", "words"),
        ("zh", "12.5%", "12.6%", "figures"),
        ("zh", "（市长）", "（市长", "no longer pair"),
        ("zh", "告诉⟦PLC:A⟧", "告诉⟦PLC:A⟧、⟦PLC:A⟧", "twice in a row"),
    ],
)
def test_a_tampered_statement_is_seen(lang: Lang, before: str, after: str, problem: str) -> None:
    given_, unshifted = both(RAW[lang])
    tokens = to_tokens(given_.text)
    assert before in tokens
    broken = replace(given_, text=from_tokens(tokens.replace(before, after)))
    found = problems(broken, unshifted, lang)
    assert any(problem in line for line in found), found


def test_references_that_changed_places_are_seen() -> None:
    given_, unshifted = both(RAW["en"])
    tokens = to_tokens(given_.text)
    swapped = tokens.replace("⟦PER:A⟧", "X").replace("⟦PLC:A⟧", "⟦PER:A⟧").replace("X", "⟦PLC:A⟧")
    broken = replace(given_, text=from_tokens(swapped))
    assert "the references to names differ from the raw text" in problems(broken, unshifted, "en")


@given(st.sampled_from(["en", "zh"]), st.data())
def test_any_piece_that_is_dropped_doubled_or_moved_is_seen(
    lang: Lang, data: st.DataObject
) -> None:
    given_, unshifted = both(RAW[lang])
    segments = list(given_.text)
    index = data.draw(st.integers(0, len(segments) - 1))
    kind = data.draw(st.sampled_from(["drop", "double", "move"]))
    if kind == "drop":
        del segments[index]
    elif kind == "double":
        segments.insert(index, segments[index])
    else:
        other = data.draw(st.integers(0, len(segments) - 1))
        piece = segments.pop(index)
        segments.insert(other, piece)
    if to_tokens(tuple(segments)) == to_tokens(given_.text):
        return
    assert problems(replace(given_, text=tuple(segments)), unshifted, lang)


@given(st.sampled_from(["en", "zh"]), st.integers(0, 200))
def test_any_character_that_is_lost_between_references_is_seen(lang: Lang, place: int) -> None:
    given_, unshifted = both(RAW[lang])
    tokens = to_tokens(given_.text)
    plain = [i for i in range(len(tokens)) if tokens[: i + 1].count("⟦") == tokens[:i].count("⟧")]
    at = plain[place % len(plain)]
    broken = replace(given_, text=from_tokens(tokens[:at] + tokens[at + 1 :]))
    assert problems(broken, unshifted, lang)


@pytest.mark.parametrize(
    ("lang", "raw", "shown", "problem"),
    [
        ("en", "Velline (Velline) fell.", "⟦COM:A⟧ (⟦COM:A⟧) fell.", "twice in a row"),
        ("zh", "维林·维林下跌。", "⟦COM:A⟧·⟦COM:A⟧下跌。", "twice in a row"),
        ("en", "Vellines fell.", "⟦COM:A⟧s fell.", "cuts a word"),
        ("en", "Outvelline fell.", "Out⟦COM:A⟧ fell.", "cuts a word"),
        ("zh", "维林GC下跌。", "⟦COM:A⟧GC下跌。", ""),
        ("zh", "VIGC下跌。", "⟦COM:A⟧GC下跌。", "cuts a word"),
        ("zh", "他在奥兰国运营。", "他⟦CTY:A⟧国运营。", "class word"),
        ("zh", "他谈奥兰国内的事。", "他谈⟦CTY:A⟧国内的事。", ""),
        ("zh", "来了两名维林。", "来了两名⟦COM:A⟧。", "measure word"),
        ("zh", "来了两名维林员工。", "来了两名⟦COM:A⟧员工。", ""),
        ("zh", "来了两名莱娜。", "来了两名⟦PER:A⟧。", ""),
        ("en", "In 13 March it fell.", "In 1⟦D:2026-03-03⟧ it fell.", "glued to a date"),
        ("zh", "共53月5日下跌。", "共5⟦D:2026-03-05⟧下跌。", "glued to a date"),
        ("en", "On March 2nd it fell.", "On ⟦D:2026-03-02⟧nd it fell.", "rest of a date"),
        ("zh", "3月2日，下跌。", "⟦D:2026-03-02⟧日，下跌。", "rest of a date"),
        ("en", "Ortiz's plan fell.", "'s plan fell.", "lost its name"),
        ("en", "Ortiz's plan fell.", "⟦PER:A⟧'s's plan fell.", "doubled"),
        ("en", "It was the Velline plan.", "It was the the ⟦COM:A⟧ plan.", "word stands twice"),
        ("en", "It fell on a holiday.", "It fell on an holiday.", "article"),
        ("en", "It took an hour.", "It took a hour.", "article"),
        ("en", "A union came.", "An union came.", "article"),
        ("en", "It was Easter.", "It was a European day.", ""),
        ("en", "The Orland team, at home, won.", "The ⟦CTY:A⟧ team , , won.", "punctuation"),
        ("en", "It was, he said, fine.", "It  was, he said, fine.", "gap"),
        ("en", "It had had its day.", "It had had its day.", ""),
        ("en", "He said “no”.", "He said “no.", "no longer pair"),
    ],
)
def test_damage_around_placeholders_is_seen_and_a_writers_own_slip_is_not(
    lang: Lang, raw: str, shown: str, problem: str
) -> None:
    found = damage(raw, from_tokens(shown), lang)
    assert bool(found) == bool(problem), found
    assert any(problem in each for each in found or [""])


# -- event and narrative level -------------------------------------------------------------------


def timelines(offset: int = 49) -> tuple[Timeline, AnonTimeline]:
    raw = event.timeline()
    nodes = list(raw.nodes)
    nodes[2] = nodes[2].model_copy(update={"follows": (nodes[0].node_id,)})
    raw = raw.model_copy(update={"nodes": tuple(nodes)})
    texts = {k: v.segments for k, v in parse_timeline(raw, MATCHER, offset).items()}
    return raw, build_timeline(raw, texts, "p", offset)


def with_node(public: AnonTimeline, index: int, **changes: object) -> AnonTimeline:
    nodes = list(public.nodes)
    nodes[index] = nodes[index].model_copy(update=changes)
    return public.model_copy(update={"nodes": tuple(nodes)})


@pytest.mark.parametrize("offset", [49, -63, -175, 28])
def test_a_faithful_timeline_raises_nothing(offset: int) -> None:
    raw, public = timelines(offset)
    assert compare_arc(raw, public, offset) == []
    assert compare_events(raw, public, offset) == []


def _fact(
    public: AnonTimeline, index: int, change: Callable[[list[object]], object]
) -> AnonTimeline:
    statements: list[object] = list(public.nodes[index].fact)
    change(statements)
    return with_node(public, index, fact=tuple(statements))


def _later(public: AnonTimeline) -> AnonTimeline:
    first = public.nodes[0].fact[1]
    assert first.happened_on is not None
    moved = first.model_copy(update={"happened_on": first.happened_on + timedelta(days=1)})
    return with_node(public, 0, fact=(public.nodes[0].fact[0], moved))


def _mute(public: AnonTimeline) -> AnonTimeline:
    statement = public.nodes[1].fact[0].model_copy(update={"text": {}})
    return with_node(public, 1, fact=(statement,))


def _mood(public: AnonTimeline, **changes: object) -> AnonTimeline:
    opinion = public.nodes[0].opinion
    assert opinion is not None
    return with_node(public, 0, opinion=opinion.model_copy(update=changes))


def _without_day(public: AnonTimeline) -> AnonTimeline:
    first = public.nodes[0].fact[1].model_copy(update={"happened_on": None})
    return with_node(public, 0, fact=(public.nodes[0].fact[0], first))


@pytest.mark.parametrize(
    ("damaged", "where", "problem"),
    [
        (lambda p: _fact(p, 0, lambda s: s.pop()), "n1s2", "lost, gained or reordered"),
        (lambda p: _fact(p, 0, lambda s: s.reverse()), "n1s1", "lost, gained or reordered"),
        (lambda p: _fact(p, 1, lambda s: s.append(s[0])), "n2", "lost, gained or reordered"),
        (_later, "n1s2", "did not move by the offset"),
        (_without_day, "n1s2", "lost or gained"),
        (_mute, "n2s1", "says nothing"),
        (lambda p: with_node(p, 0, opinion=None), "n1", "opinion of the day was lost"),
        (lambda p: _mood(p, stances={"support": 0.3, "oppose": 0.7}), "n1", "figures of public"),
        (lambda p: _mood(p, emotion="joy"), "n1", "figures of public"),
        (lambda p: _mood(p, themes=()), "n1", "figures of public"),
    ],
)
def test_damage_at_event_level_is_seen(
    damaged: Callable[[AnonTimeline], AnonTimeline], where: str, problem: str
) -> None:
    raw, public = timelines()
    flags = compare_events(raw, damaged(public), 49)
    assert [(flag.level, flag.statement_id, flag.state) for flag in flags] == [
        ("event", where, "open")
    ]
    assert problem in flags[0].problem


def _reordered(public: AnonTimeline) -> AnonTimeline:
    first, second, third = public.nodes
    return public.model_copy(
        update={
            "nodes": (
                second.model_copy(update={"date": first.date}),
                first.model_copy(update={"date": second.date}),
                third,
            )
        }
    )


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (lambda p: with_node(p, 1, date=p.nodes[1].date + timedelta(days=1)), "day did not move"),
        (lambda p: p.model_copy(update={"nodes": p.nodes[:2]}), "days were lost"),
        (lambda p: p.model_copy(update={"nodes": p.nodes[1:]}), "it continues is gone"),
        (lambda p: with_node(p, 0, date=p.nodes[2].date + timedelta(days=9)), "comes later"),
        (_reordered, "reordered"),
        (
            lambda p: p.model_copy(
                update={
                    "span": p.span.model_copy(
                        update={"observed_from": p.span.observed_from - timedelta(days=1)}
                    )
                }
            ),
            "observed span",
        ),
    ],
)
def test_damage_at_narrative_level_is_seen(
    damaged: Callable[[AnonTimeline], AnonTimeline], problem: str
) -> None:
    raw, public = timelines()
    flags = compare_arc(raw, damaged(public), 49)
    assert any(problem in flag.problem for flag in flags), flags
    assert {flag.level for flag in flags} == {"narrative"}


@given(st.integers(0, 2), st.integers(-30, 30).filter(bool))
def test_any_gap_that_changes_is_seen(index: int, days: int) -> None:
    raw, public = timelines()
    node = public.nodes[index]
    moved = with_node(public, index, date=node.date + timedelta(days=days))
    assert any(flag.statement_id == node.node_id for flag in compare_arc(raw, moved, 49))


# -- real text ---------------------------------------------------------------------------------


def _published(testdata: Path, lang: Lang) -> list[tuple[date, str, SegmentText]]:
    found = []
    for folder in sorted((testdata / "official" / "demo" / lang).iterdir()):
        context = sorted(folder.glob("P*_context.md"))[-1].read_text(encoding="utf-8")
        paragraphs = read_timeline(context, folder.name).paragraphs[:40]
        placeholders = Placeholders((p.text for p in paragraphs), lang)
        found += [
            (p.day, sentence, placeholders.parse(sentence))
            for p in paragraphs
            for sentence in sentences(p.text)
        ]
    return found


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_shifting_real_prose_damages_nothing(testdata: Path, lang: Lang) -> None:
    nobody = Matcher(ReplacementTable(entities=()))
    seen = 0
    for day, text, _ in _published(testdata, lang):
        parsed = parse(text, nobody, anchor=day, offset=-63)
        plain = parse(text, nobody, anchor=day, offset=0).segments
        compared = Compared("s", text, parsed.segments, parsed.doubts)
        assert compare_statement(compared, plain, -63, nobody, lang) == [], text
        seen += parsed.dates
    assert seen > 200


def test_known_damage_of_published_timelines_is_found(testdata: Path) -> None:
    """Doubled placeholders and names cut inside a word, as counted by hand in the published contexts."""
    counts = {
        "a placeholder stands twice in a row": 0,
        "a class word is doubled after a placeholder": 0,
    }
    for _, _, text in _published(testdata, "zh"):
        for problem in damage("", text, "zh"):
            counts[problem] = counts.get(problem, 0) + 1
    assert counts["a placeholder stands twice in a row"] >= 3
    assert counts["a class word is doubled after a placeholder"] >= 10
    assert any(isinstance(s, EntityRef) for _, _, text in _published(testdata, "en") for s in text)


@pytest.mark.parametrize("offset", [49, 56, -63])
@pytest.mark.parametrize(
    "text",
    [
        "The council met on December 2, and December was cold.",
        "In December the council met on December 6 and 20.",
        "He was elected last year, in the fourth quarter of last year.",
        "It fell earlier this month.",
        "It rose last month and will fall next month.",
        "The Q1 2026 results fell short of the Q4 estimate.",
        "Tue Mar 10 10:11:12 +0000 2026",
    ],
)
def test_the_engines_own_rules_are_no_drift(text: str, offset: int) -> None:
    given_, unshifted = both(text, offset)
    if not given_.doubts:
        assert problems(given_, unshifted, "en", offset) == []


def test_last_year_may_become_the_year_before_last() -> None:
    anchor = date(2025, 12, 3)
    text = "He was elected last year."
    parsed = parse(text, MATCHER, anchor=anchor, offset=49)
    plain = parse(text, MATCHER, anchor=anchor, offset=0).segments
    assert "the year before last" in render(parsed.segments, "en")
    compared = Compared("s1", text, parsed.segments, parsed.doubts)
    assert compare_statement(compared, plain, 49, MATCHER, "en") == []


def test_a_unit_that_only_touches_a_day_elsewhere_is_drift() -> None:
    given_, unshifted = both("The council met on December 2, and December was cold.")
    moved = from_tokens(to_tokens(given_.text).replace("⟦M:2026-01|short⟧", "⟦M:2026-03|short⟧"))
    assert any(
        "hardly overlaps" in each for each in problems(replace(given_, text=moved), unshifted, "en")
    )


@pytest.mark.parametrize(
    ("raw", "shown", "repeated"),
    [
        ("The vote", "The the vote", True),
        ("the vote", "the the vote", True),
        ("A vote", "Person A a week ago", False),
    ],
)
def test_a_repeated_word_is_seen_in_any_case(raw: str, shown: str, repeated: bool) -> None:
    found = damage(raw, from_tokens(shown), "en")
    assert ("a word stands twice in a row" in found) is repeated
