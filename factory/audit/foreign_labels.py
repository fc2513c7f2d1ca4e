"""Answers of a published bank against its own fields and against each other.

The published rule for type A is: 1 exactly when the stored distance of the event is at most the stored window.
Answers of the other types rest on nothing that is published, so they are only compared with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from factory.audit.foreign_bank import PublishedBank, Row
from factory.audit.foreign_hits import Broken
from factory.audit.foreign_texts import base, plain
from factory.published.windows import names_target
from factory.score.horizon import HORIZON
from factory.score.losses import calibration_weights

WEIGHT_DECIMALS = 3
"""Published weights are rounded so."""


def check_labels(bank: PublishedBank, broken: Broken) -> None:
    """Answers against distances, windows and weights, row by row."""
    meaningless = ends_stored(bank)
    late = early = 0
    for row in bank.questions:
        if row.distance is None or row.window is None:
            broken.add(
                "published-fields",
                row.edition,
                row.event,
                f"{row.where} states no {'window' if row.window is None else 'distance'}",
            )
            continue
        told = f"{row.where}: answer {row.answer}, distance {row.distance}, window {row.window}"
        if row.letter == "A" and not meaningless:
            if row.answer != int(row.distance <= row.window):
                broken.add("published-a-label", row.edition, row.event, told)
                late += row.answer
                early += 1 - row.answer
            if not row.answer and row.distance > row.window and names_target(row.text, row.edition):
                broken.add("published-target-window", row.edition, row.event, told)
        if row.distance < 0:
            broken.add("published-past-target", row.edition, row.event, told)
        if row.weight is not None:
            due = float(calibration_weights(float(row.distance), float(row.window)))
            # Half a unit of the last decimal stored, and the rounding of the two.
            if abs(due - row.weight) > 0.51 * 10**-WEIGHT_DECIMALS:
                broken.add(
                    "published-weight",
                    row.edition,
                    row.event,
                    f"{row.where}: stored {row.weight:g}, due {due:.3f}",
                )
    broken.note(
        "published-a-label",
        f"{late} answers 1 with the event outside the window, {early} answers 0 with it inside",
    )
    for row in bank.events:
        if row.distance is not None and not 0 <= row.distance <= HORIZON:
            broken.add(
                "published-event-range",
                row.edition,
                row.event,
                f"{row.where}: {row.distance} days from the cutoff",
            )
        elif (
            row.distance is not None
            and row.target is not None
            and row.cutoff is not None
            and (row.target - row.cutoff).days != row.distance
        ):
            broken.add(
                "published-event-day",
                row.edition,
                row.event,
                f"{row.where}: {row.target} is {(row.target - row.cutoff).days} days after the cutoff, "
                f"stored are {row.distance}",
            )


def ends_stored(bank: PublishedBank) -> bool:
    """Whether distances are those of the windows' ends throughout, so that they tell nothing of the events."""
    rows = [row for row in bank.questions if row.distance is not None]
    return bool(rows) and all(row.distance == row.window for row in rows)


def check_contradictions(bank: PublishedBank, broken: Broken) -> None:
    """Questions of one point with one wording: twice, with two answers, or true in a short window only."""
    pairs = same = 0
    for (event, _, edition), rows in sorted(bank.questions_at.items()):
        alike: dict[str, list[Row]] = defaultdict(list)
        nested: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            alike[plain(row.text)].append(row)
            if row.letter == "A":
                nested[base(row.text, edition)].append(row)
        for group in alike.values():
            if len(group) < 2:
                continue
            if len({row.answer for row in group}) > 1:
                yes = next(row for row in group if row.answer)
                no = next(row for row in group if not row.answer)
                broken.add(
                    "published-contradiction",
                    edition,
                    event,
                    f"{yes.where} has the answer 1, {no.name} the answer 0",
                )
            for row in group[1:]:
                broken.add(
                    "published-duplicate", edition, event, f"{row.where} repeats {group[0].name}"
                )
        for short, long in _descents([group for group in nested.values() if len(group) > 1]):
            pairs += 1
            same += short.distance == long.distance
            broken.add(
                "published-monotone",
                edition,
                event,
                f"{short.where}: true within {short.window} days, false within {long.window} "
                f"({long.name}: {long.text[:60]!r}); targets {short.target} and {long.target}",
            )
    broken.note(
        "published-monotone",
        f"{same} of {pairs} pairs have one target day in both; where it differs, windows counted from it need not "
        "nest, but no reader of the text can know which day is meant",
    )


def _descents(groups: Sequence[Sequence[Row]]) -> list[tuple[Row, Row]]:
    """Pairs of one base text, true in the shorter window and false in the longer one."""
    return [
        (short, long)
        for group in groups
        for short in group
        if short.answer and short.window is not None
        for long in group
        if not long.answer and long.window is not None and short.window < long.window
    ]
