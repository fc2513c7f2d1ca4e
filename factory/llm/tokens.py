"""Token counts without a tokenizer: the network is not needed and no vocabulary is shipped.

A letter-based script takes about 4 characters a token, Chinese and other wide scripts about 1. Measured
usage replaces these estimates as soon as an answer is there.
"""

from __future__ import annotations

import math

LATIN_CHARS_A_TOKEN = 4.0
WIDE_TOKENS_A_CHAR = 1.0
MARGIN = 1.25
"""Factor of an estimate that shall not be crossed (budget reservations)."""


def count_tokens(text: str) -> int:
    """Estimated tokens of a text, rounded up."""
    wide = len(text) if not text.isascii() else 0
    if wide:
        narrow = sum(map(str.isascii, text))
        wide -= narrow
    else:
        narrow = len(text)
    return math.ceil(narrow / LATIN_CHARS_A_TOKEN + wide * WIDE_TOKENS_A_CHAR)
