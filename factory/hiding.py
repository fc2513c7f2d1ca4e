"""How well an event is hidden, as rows of a table: what the README of a bundle and its public report say of the card.

Each figure stands with what it means; the card itself keeps its keys.
"""

from __future__ import annotations

from factory.report_words import listed, words
from factory.sections import ROLES
from schemas import AnonymisationCard, Lang, Proportion

_EDITIONS: dict[Lang, str] = {"en": "edition-en", "zh": "edition-zh"}
_SEEN = {
    "reviewed": "seen-reviewed",
    "not reviewed": "seen-not reviewed",
    "refused": "seen-refused",
    "not evaluated": "seen-not evaluated",
}
"""What a person said of a list, in words."""


def hidden_rows(
    card: AnonymisationCard, lang: Lang, *, panel: bool = True
) -> list[tuple[str, str]]:
    """(what, figure), without what was not counted because there was nothing to count; `panel` with the auditors."""

    def t(key: str, /, **figures: object) -> str:
        return words(key, lang, **figures)

    good = card.weekdays_checked - card.weekdays_false
    rows = [(t("hidden-panel"), panel_words(card, lang))] if panel else []
    rows += [
        (t(f"panel-{row.text}"), _named(row.hit1, lang))
        for row in card.panel
        if panel and not isinstance(row.hit1, str)
    ]
    rows += [
        (
            t("hidden-names"),
            t("hidden-names-is", mentions=card.mentions, entities=card.entities, dates=card.dates_shifted),
        ),
        (t("hidden-forms"), t("hidden-forms-is", forms=card.aliases, hit=card.aliases_hit)),
        (t("hidden-offsets"), str(card.offset_candidates)),
        (t("hidden-flagged"), str(card.dates_flagged)),
        (t("hidden-residue"), str(card.calendar_residue)),
    ]  # fmt: skip
    if card.gap_pairs:
        share = _share(card.gaps_preserved, lang)
        rows.append((t("hidden-gaps"), t("hidden-gaps-is", share=share, n=card.gap_pairs)))
    if card.weekdays_checked:
        rows.append(
            (t("hidden-weekdays"), t("hidden-weekdays-is", good=good, n=card.weekdays_checked))
        )
    rows.append((t("hidden-drift"), str(card.drift_open)))
    for key, rank in (
        ("hidden-likeness", card.linkage_rank),
        ("hidden-meaning", card.linkage_rank_meaning),
    ):
        if not isinstance(rank, str):
            said = t("hidden-rank", rank=rank, total=card.linkage_decoys + 1)
            rows.append((t(key), said))
    rows.append((t("hidden-parity"), _count(card.parity, lang)))
    if card.allowed:
        each = [f"{row.words} ({row.rule}, {row.statement_id})" for row in card.allowed]
        rows.append((t("hidden-allowed"), t("then").join(each)))
    counted = [row for row in card.rare_words if not isinstance(row.words, str)]
    if counted:
        each = [
            t(
                "hidden-words-is",
                edition=t(_EDITIONS[row.lang]),
                words=row.words,
                mentions=row.mentions,
                state=t(_SEEN[row.state]),
            )
            for row in counted
        ]
        rows.append((t("hidden-words"), t("then").join(each)))
    return rows


def panel_words(card: AnonymisationCard, lang: Lang) -> str:
    """The auditors' outcome; where it counts for nothing, what their replies would say stands behind it."""
    key = "hidden-panel-is" if card.panel_state == "evaluated" else "hidden-panel-open"
    return words(key, lang, grade=words(card.panel_grade, lang), rounds=card.panel_rounds)


def panel_table(card: AnonymisationCard, lang: Lang) -> list[tuple[str, str, str, str]]:
    """(what the auditors read, replies, first guess right, one of five right) of each text."""
    return [
        (
            words(f"read-{row.text}", lang),
            str(row.replies),
            _named(row.hit1, lang),
            _named(row.hit5, lang),
        )
        for row in card.panel
    ]


def quota_name(name: str, lang: Lang) -> str:
    """`type A` or `window 7` in words."""
    kind, _, which = name.partition(" ")
    if kind == "type" and which in ("A", "B", "C", "D"):
        return words(f"type-{which}", lang)
    return words("window", lang, n=which) if kind == "window" else name


def role_name(role: str, lang: Lang) -> str:
    """What a model did, in words."""
    return words(f"role-{role}", lang) if role in ROLES else role


def gates_in(names: tuple[str, ...], lang: Lang) -> str:
    """Names of gates in words."""
    return listed([words(f"gate-{name}", lang) for name in names], lang)


def _named(share: Proportion | str, lang: Lang) -> str:
    if isinstance(share, str):
        return words(share, lang)
    ends = {name: f"{getattr(share, name):.0%}" for name in ("share", "low", "high")}
    return words("panel-share", lang, **ends)


def _share(share: float | str, lang: Lang) -> str:
    return words(share, lang) if isinstance(share, str) else f"{share:.0%}"


def _count(count: int | str, lang: Lang) -> str:
    return words(count, lang) if isinstance(count, str) else str(count)
