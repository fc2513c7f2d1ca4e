"""How prompts show the anonymised timeline: nodes in tokens, each sentence behind its id."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from factory.bank.clause import statements
from factory.segments import node_tokens, to_tokens
from schemas import AnonNode, AnonStatement, Lang

LANGUAGES: dict[Lang, str] = {"en": "English", "zh": "Simplified Chinese"}
"""Names of the editions' languages, as prompts say them."""


def recent(nodes: Sequence[AnonNode], lang: Lang, limit: int) -> str:
    """The latest nodes in tokens, oldest first, whole nodes within `limit` characters (at least one)."""
    parts: list[str] = []
    left = limit
    for node in reversed(nodes):
        text = node_tokens(node, lang)
        if parts and len(text) > left:
            break
        parts.append(text)
        left -= len(text)
    return "\n\n".join(reversed(parts))


def numbered(node: AnonNode, lang: Lang) -> str:
    """A node with the id of each sentence in front of it."""
    lines = [f"### {node.date.isoformat()}"]
    lines += [f"[{s.statement_id}] {to_tokens(s.text[lang])}" for s in statements(node)]
    return "\n".join(lines)


def dated(node: AnonNode, lang: Lang) -> str:
    """A node with the id of each sentence and the day on which it happened in front of it."""
    lines = [f"### {node.date.isoformat()}"]
    lines += [
        f"[{s.statement_id} {happened(node, s).isoformat()}] {to_tokens(s.text[lang])}"
        for s in statements(node)
    ]
    return "\n".join(lines)


def happened(node: AnonNode, statement: AnonStatement) -> date:
    """The day of what a sentence says: its own where it is stated, the day of its node otherwise."""
    return statement.happened_on or node.date
