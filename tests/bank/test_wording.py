"""Feedback on wording: habits of made-up claims are named, accidents, names and figures are not."""

from __future__ import annotations

import random

from factory.bank.wording import tell_tale_words, uses

VERBS = ["approves", "rejects", "reviews", "extends", "funds", "audits", "suspends", "defends"]
THINGS = ["the plan", "the permit", "the survey", "the tender", "the licence", "the report"]
ZH_VERBS = ["批准", "否决", "复审", "延长", "资助", "审计", "暂停", "辩护"]
ZH_THINGS = ["方案", "许可", "调查", "招标", "执照", "报告"]


def claims(n: int, rng: random.Random, tail: str = "", share: float = 0.0) -> list[str]:
    return [
        f"⟦GOV:{rng.choice('ABCDEF')}⟧ {rng.choice(VERBS)} {rng.choice(THINGS)}"
        + (tail if rng.random() < share else "")
        for _ in range(n)
    ]


def claims_zh(n: int, rng: random.Random, tail: str = "", share: float = 0.0) -> list[str]:
    return [
        f"⟦GOV:{rng.choice('ABCDEF')}⟧{rng.choice(ZH_VERBS)}{rng.choice(ZH_THINGS)}"
        + (tail if rng.random() < share else "")
        for _ in range(n)
    ]


def test_a_habit_of_made_up_claims_is_named_whole() -> None:
    rng = random.Random(3)
    made = claims(40, rng, " in a surprise move", 0.5)
    words = tell_tale_words(claims(120, rng), made, "en")
    assert len(words) == 1
    assert words[0] in "in a surprise move"
    assert {bool(uses(text, words, "en")) for text in made} == {True, False}


def test_a_habit_is_named_in_chinese_too() -> None:
    rng = random.Random(3)
    words = tell_tale_words(claims_zh(120, rng), claims_zh(40, rng, "令人意外", 0.5), "zh")
    assert len(words) == 1
    assert words[0] in "令人意外"


def test_alike_claims_give_no_words() -> None:
    found = 0
    for seed in range(30):
        rng = random.Random(seed)
        found += bool(tell_tale_words(claims(120, rng), claims(40, rng), "en"))
        found += bool(tell_tale_words(claims_zh(120, rng), claims_zh(40, rng), "zh"))
    assert found <= 6  # a rate of one in twenty allows a few false alarms in sixty


def test_what_both_sides_say_is_no_giveaway() -> None:
    rng = random.Random(4)
    real, made = (claims(60, rng, " after a hearing", 0.6) for _ in range(2))
    assert tell_tale_words(real, made, "en") == ()


def test_a_handful_of_claims_is_too_few() -> None:
    assert tell_tale_words(["⟦GOV:A⟧ approves the plan"] * 12, ["⟦GOV:A⟧ waits"] * 2, "en") == ()
    assert tell_tale_words([], ["one", "two", "three"], "en") == ()
    assert tell_tale_words(["one"], [], "zh") == ()


def test_names_and_figures_are_never_named() -> None:
    real = [f"⟦GOV:A⟧ {verb} the plan" for verb in VERBS] * 8
    made = [f"⟦ORG:Q⟧ {verb} 40 plans of Organization QR" for verb in VERBS] * 4
    words = tell_tale_words(real, made, "en")
    assert words
    assert not any(ch.isdigit() for word in words for ch in word)
    assert not any("organization" in word or "qr" in word.split() for word in words)


def test_order_of_the_claims_does_not_matter() -> None:
    rng = random.Random(5)
    real, made = claims(80, rng), claims(30, rng, " without warning", 0.7)
    words = tell_tale_words(real, made, "en")
    assert words
    assert words == tell_tale_words(real[::-1], made[::-1], "en")
