"""Rare words (class L8): commodities and events by which a reader knows the case although no name is left.

"Fentanyl", "derailment" or 液冷 point at one event as surely as an odd figure does. A word is listed when ordinary text
uses it seldom and this event uses it: the seldomer a word, the fewer mentions it takes. That is a list for a person,
short enough to read and no proof of anything; what cannot be told from ordinary words by their frequency (a common
thing in an uncommon role) is not on it. No model is asked: the frequencies come with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from factory.audit.leak_placeholders import placeholders
from factory.audit.word_counts import (
    ADJECTIVES,
    UNKNOWN,
    chinese,
    chinese_nats,
    english,
    english_nats,
)
from schemas import Lang

RARE: dict[Lang, int] = {"en": 11, "zh": 12}
"""Surprisal in nats from which a word can be listed; Chinese text is counted in fewer and shorter words."""
OFTEN = 3
"""Mentions from which any rare word is listed; an unknown run of Chinese characters may be a wrong cut below that."""
TWICE: dict[Lang, int] = {"en": 13, "zh": 14}
"""Surprisal from which two mentions are enough."""
ONCE = 15
"""Surprisal from which one is: about one word in three million."""
PART = 10
"""Surprisal of each part from which a compound of two counts as a word of its own."""


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


_OF_REPORTS: dict[Lang, frozenset[str]] = {
    "en": _words(
        "absurdist amid anger antagonism anxiety backdrop backlash blogger bystander calm catchphrase clamor clamour commentator "
        "commenter condemnation confrontation confrontational consensus contention contradiction controversy critique dare "
        "deconstruct deconstruction dilemma discourse dissatisfaction distrust divergence dominant elation emoji emotion "
        "fatigue fierce footage furor furore hashtag homophone hotspot indignation insufficient ironic irony jeer jocular laughingstock "
        "legitimacy mainstream meanwhile meme metaphor mindset mock mockery mood narrative narratives negotiate negotiation netizen outrage outward "
        "plight plot-twist polarisation polarization pragmatic predicament prominent provocation rational remark resilience "
        "rhetoric ridicule rumor rumour rupture sarcasm sarcastic schadenfreude sensationalist sentiment skepticism "
        "scepticism speculation spectator stance symbolic sympathy systemic tension turmoil twist uncertainty unease upvote wary weary "
        "weariness worry"
    ),
    "zh": _words(
        "账号 博主 博弈 标签 并存 不公 操控 充斥 嘲讽 等梗 调侃 对抗性 反讽 反噬 发声 发文 发酵 符号化 高频 高赞 割裂 共鸣 归因 "
        "极化 激进 夹杂 讥讽 讽刺性 基调 甩锅 交织 结构性 解构 聚焦 叫好 看戏 亢奋 冷嘲 论调 频现 群嘲 热梗 热搜 热议 热度 撕裂 声浪 声援 "
        "深层 社交 失控 疏离 双标 刷屏 缺失 吐槽 玩梗 围观 系统性 戏谑 叙事 压倒性 研判 摇摆 引爆 隐喻 应对 舆情 援引 站队 真实性 合理性 折射 "
        "情绪化 吃瓜 策略性 理解力 最强音 诉求 施压 谐音"
    ),
}
"""Words in which timelines of this kind describe coverage and opinion, whatever the event."""


@dataclass(frozen=True)
class RareWord:
    """A word that a person should look at."""

    word: str
    """In lower case and the singular, or as written in Chinese."""
    count: int
    """Mentions."""
    nats: int
    """Surprisal in ordinary text, in whole nats."""

    @property
    def weight(self) -> int:
        """By which words are sorted: surprisal times mentions."""
        return self.nats * self.count


def rare_words(
    text: str, lang: Lang, *, ours: bool = True, asides: Iterable[str] = ()
) -> list[RareWord]:
    """Rare words of one edition, heaviest first; all of them, none is cut off.

    `ours` False reads the open placeholders of published banks. A word that stands in `asides` alone (texts that
    repeat one another, such as questions) counts as one mention, however many of them hold it.
    """
    words, joined = _counted(text, lang, ours=ours)
    more, more_joined = _counted("\n".join(dict.fromkeys(asides)), lang, ours=ours)
    words.update(more.keys() - words.keys())
    joined.update(more_joined.keys() - joined.keys())
    listed = _english(words, joined) if lang == "en" else _chinese(words, joined)
    kept = (one for one in listed if one.word not in _OF_REPORTS[lang])
    return sorted(kept, key=lambda one: (-one.weight, one.word))


def _counted(text: str, lang: Lang, *, ours: bool) -> tuple[Counter[str], Counter[str]]:
    bare = list(text)
    for _, _, start, end in placeholders(text, ours=ours):
        bare[start:end] = "\x1f" * (end - start)
    return (english if lang == "en" else chinese)("".join(bare))


def _enough(nats: int, count: int, lang: Lang) -> bool:
    if nats < RARE[lang]:
        return False
    return count >= (1 if nats >= ONCE else 2 if nats >= TWICE[lang] else OFTEN)


def _english(words: dict[str, int], compounds: dict[str, int]) -> list[RareWord]:
    known = english_nats()
    found = [
        RareWord(word, count, known.get(word, UNKNOWN))
        for word, count in words.items()
        if not ADJECTIVES.search(word) and _enough(known.get(word, UNKNOWN), count, "en")
    ]
    return found + [
        RareWord(compound, count, UNKNOWN)
        for compound, count in compounds.items()
        if count > 1
        and all(known.get(part, UNKNOWN) >= PART and len(part) > 2 for part in compound.split("-"))
    ]


def _chinese(words: dict[str, int], runs: dict[str, int]) -> list[RareWord]:
    known, may_be_listed = chinese_nats()
    found = [
        RareWord(word, count, known[word])
        for word, count in words.items()
        if word in may_be_listed and _enough(known[word], count, "zh")
    ]
    return found + [RareWord(run, count, UNKNOWN) for run, count in runs.items() if count >= OFTEN]
