"""CPU of listing the rare words of a text, against counting its plainest tokens, and how it grows with the text.

    python -m benchmarks.rarewords [CHARACTERS]

The baseline reads the same text with one regular expression and counts what it finds: words in lower case (English),
pairs of characters (Chinese). It answers an easier question: it makes no singulars, cuts no Chinese words and asks no
list. A text four times as long should take about four times as long; target: at most five. The least CPU time of
several rounds counts, after one round that reads the lists.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from functools import partial

from benchmarks.anonymise import cpu, names, text_of
from factory.audit.rare_words import rare_words
from schemas import LANGS

SIZE = 1_000_000
TIMES = 4
MOST_GROWTH = 5.0
_PAIR = re.compile(r"(?=([\u4e00-\u9fff]{2}))")
_WORD = re.compile(r"[a-z]+")


def main() -> int:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    worst = 0.0
    for lang in LANGS:
        text = text_of(lang, names(lang, random.Random(5)), size)
        token = _WORD if lang == "en" else _PAIR

        def counted(text: str = text, token: re.Pattern[str] = token) -> Counter[str]:
            return Counter(token.findall(text.lower()))

        short = text[: size // TIMES]
        bare, ours, less = cpu(
            (counted, partial(rare_words, text, lang), partial(rare_words, short, lang))
        )
        worst = max(worst, ours / less)
        print(
            f"{lang}: {1000 * ours:.0f} ms for {size / 1e6:g} M characters; bare count {1000 * bare:.0f} ms, ratio "
            f"{ours / bare:.1f}; {TIMES} times the text takes {ours / less:.2f} times as long (target {MOST_GROWTH:g})"
        )
    return int(worst > MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
