"""Handles, tags and addresses of a raw text, also a web domain that stands bare: stopkestrin.org/join.

A bare domain is told from a missing space, a file name and an abbreviation by its ending: one of a closed list, in
small letters. Endings that are English words (it, no, live) count before a path only.
"""

from __future__ import annotations

import re

_ENDINGS = (
    "com org net edu gov mil int info biz app dev xyz online site shop store club cloud tech blog wiki media agency social vote press "
    "io ai co tv eu uk ca au de fr jp cn hk tw kr sg th vn ph ru ua pl cz sk hu ro bg gr tr il ir iq sa ae eg za ng ke gh br mx ar cl "
    "nl lu ch dk fi ee lv lt ie pt nz cc se es fm gg ly ws"
)
_WORDS = (
    "it no is in to so at be us am my me id la do as by live news world today group team fund law party green red one life work world "
    "link page help guru zone space market money"
)
_PATH = r"/(?:[^\s<>\"'，。；）)、！？]*[^\s<>\"'，。；）)、！？.,;:!?])?"
DOMAIN = re.compile(
    r"(?<![A-Za-z0-9_@./-])(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+"
    rf"(?:(?:{'|'.join(_ENDINGS.split())}|COM|ORG)(?![A-Za-z0-9_@-]|\.[A-Za-z0-9])(?:{_PATH})?"
    rf"|(?:{'|'.join(_WORDS.split())}){_PATH})"
)
"""A web domain without a scheme, with its path."""
SHAPES = re.compile(
    r"https?://[^\s<>\"'，。；）)]+|\bwww\.[^\s<>\"'，。；）)]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![A-Za-z0-9_@])@[\w.-]*\w|(?<![A-Za-z0-9_#&])#[^\s#，。；,.!?！？]+#?|(?<![A-Za-z0-9_$])\$[A-Z]{2,6}\b"
    rf"|{DOMAIN.pattern}"
)


def ends_domain(text: str, start: int, end: int, of: int) -> bool:
    """Whether a domain at `start:end` is the name that ends at `of` and an ending alone: Velloway.com."""
    return DOMAIN.fullmatch(text, start, end) is not None and (
        re.fullmatch(r"\.[A-Za-z]{2,6}(?:\.[a-z]{2})?", text[of:end]) is not None
    )
