"""Gates of a bank whose names and dates were replaced elsewhere.

Nobody here holds the replacement table, the offset or the panel's grade, so what rests on them is not evaluated: the gates
leak, secret and identity. The scanner still reads what needs no table, and what it finds fails its gate. Every other gate
is measured as for any bank.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas import AnonymisationCard, Gate, GateName

EXTERNAL: dict[GateName, str] = {
    "leak": "names and real days can be searched for only with the replacement table and the offset",
    "secret": "the offset and the table's names are kept elsewhere; salt, folder and topic were searched for",
    "identity": "names and dates were replaced outside this workspace",
}
"""Gates that rest on the anonymisation, with the reason why they are not evaluated without it."""


def unknown_card() -> AnonymisationCard:
    """The card of an anonymisation of which nothing is known: every count 0, grade UNKNOWN, not evaluated."""
    return AnonymisationCard(
        entities=0,
        aliases=0,
        aliases_hit=0,
        mentions=0,
        dates_shifted=0,
        dates_flagged=0,
        calendar_residue=0,
        offset_candidates=0,
        panel_grade="UNKNOWN",
        panel_rounds=0,
        panel_state="not evaluated",
        drift_open=0,
    )


def external_gates(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gates with those of the anonymisation as not evaluated; one that failed without a table stays failed."""
    return tuple(
        gate.model_copy(
            update={
                "state": "not evaluated",
                "measure": "no replacement table and no card of this event's anonymisation"
                if gate.name == "identity"
                else f"{gate.measure} by the rules that need no table",
                "reason": EXTERNAL[gate.name],
            }
        )
        if gate.name in EXTERNAL and gate.state != "failed"
        else gate
        for gate in gates
    )
