"""Rules that a bank breaks knowingly: `silenced.json` in the bank itself, with a reason for each.

A silenced finding is never hidden: it is printed with its reason. What no release may pass by stays open all the
same, whatever reason is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from factory.audit.gates import FORCEABLE
from factory.audit.rules import RULES
from factory.errors import BadInput
from schemas import Finding, Silenced

SILENCED = "silenced.json"
"""Name of the file at the root of a bank: {rule: reason}."""


def silenced_table(table: Mapping[str, object], where: object) -> tuple[Silenced, ...]:
    """The table as records, by rule. BadInput names a rule that does not exist, or that has no reason."""
    found = []
    for rule, reason in sorted(table.items()):
        if rule not in RULES:
            raise BadInput(
                f"{where} silences {rule!r}, which is no rule; the rules are in docs/check.md"
            )
        if not isinstance(reason, str) or not reason.strip():
            raise BadInput(
                f"{where} silences {rule} without a reason; write in a sentence why the bank breaks it"
            )
        words = " ".join(reason.split())
        if not words.isprintable():
            raise BadInput(
                f"{where}: the reason for {rule} holds control characters; write plain text"
            )
        found.append(Silenced(rule=rule, reason=words))
    return tuple(found)


def read_silenced(data: bytes, where: object) -> tuple[Silenced, ...]:
    """The records of a file. BadInput when it is no JSON object of rules and reasons."""
    try:
        table = json.loads(data)
    except ValueError as error:
        raise BadInput(f"{where} is no JSON ({error}); it maps rules to reasons") from error
    if not isinstance(table, dict):
        raise BadInput(f"{where} is no JSON object; it maps rules to reasons")
    return silenced_table(table, where)


def silenced_file(silenced: Iterable[Silenced]) -> bytes:
    """The bytes of the file, rules in order."""
    table = {row.rule: row.reason for row in sorted(silenced, key=lambda row: row.rule)}
    return (json.dumps(table, ensure_ascii=False, indent=2) + "\n").encode()


def silence(findings: Iterable[Finding], silenced: Iterable[Silenced]) -> tuple[Finding, ...]:
    """The findings, each silenced one with its reason."""
    reasons = {row.rule: row.reason for row in silenced}
    return tuple(
        finding.model_copy(update={"silenced": reasons[finding.rule]})
        if finding.rule in reasons
        else finding
        for finding in findings
    )


def stays_open(finding: Finding) -> bool:
    """Whether a finding makes a check fail: it is not silenced, or its gate lets nothing pass."""
    gate = RULES[finding.rule].gate
    return not finding.silenced or (gate is not None and gate not in FORCEABLE)
