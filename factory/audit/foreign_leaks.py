"""The leak scanner on a published bank: what its rules say of our own rendering is not asked of others."""

from __future__ import annotations

import re

from factory.audit.foreign_bank import PublishedBank
from factory.audit.foreign_hits import Broken
from factory.audit.leak_editions import PUBLISHED, Layout
from factory.audit.scan import scan_hits
from schemas import LANGS, Lang

DATASET = Layout(
    ours=False,
    prose=("",),
    rendered=("",),
    contexts=re.compile(
        r"(?:(?P<group>[^/]+)/)?(?P<lang>en|zh)/(?:contexts/)?(?P<point>P\d+_context|timeline_anon)\.md"
    ),
    rows=None,
    banks=re.compile(r"(?:(?P<group>[^/]+)/)?(?P<lang>en|zh)/questionbank/P\d+_questionbank\.json"),
    words=PUBLISHED.words
    | {"contexts", "gt", "questionbank", "timeline", "anon", "prediction", "points", "README", "LICENSE"},
)  # fmt: skip
"""The dataset layout: <event>/<language>/contexts/P01_context.md and questionbank/P01_questionbank.json."""

_NOT_ASKED = re.compile(
    # The day before the month is our rendering; others may write English as they like.
    r"leak-calendar .*?: month before day: "
    # A field that holds an id and nothing else is data, not a text.
    r"|leak-meta .*?: internal id: '[A-Z]+\d+'$"
)


def check_leaks(bank: PublishedBank, broken: Broken) -> None:
    """Every file through the scanner, without a table."""
    for rule, place in scan_hits(bank.files, None, layout=bank.layout):
        if _NOT_ASKED.match(f"{rule} {place}"):
            continue
        parts = place.partition(":")[0].split("/")
        edition: Lang = next((lang for lang in LANGS if lang in parts[:2]), "en")
        event = next((part for part in parts[:2] if part not in LANGS), "")
        broken.add(rule, edition, event, place)
