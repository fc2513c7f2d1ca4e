"""The errors that a person may meet. Each names the thing, the reason and the next step in one sentence.

The command line prints the message and exits with `exit_code`; a traceback is a defect.
"""

from __future__ import annotations

from collections.abc import Sequence


class FactoryError(Exception):
    """Base of every error that has a sentence for a person."""

    exit_code = 2


class BadInput(FactoryError):
    """A setting, path, topic or file that cannot be used."""


class WorkspaceError(FactoryError):
    """The event's folder or database cannot be read or written."""


class WorkspaceBusy(FactoryError):
    """Another process is running this event."""


class EndpointError(FactoryError):
    """The model endpoint cannot be used: unreachable, wrong key, wrong model name."""

    exit_code = 3


class CassetteMiss(FactoryError):
    """A recording holds no answer for a request."""


class CassetteBroken(FactoryError):
    """A recording is damaged."""


class Stopped(FactoryError):
    """The run stopped and can be resumed by the same command."""

    exit_code = 3


class AnswersWaiting(Stopped):
    """Manual mode: prompts were written and wait for their answers."""

    def __init__(self, message: str, waiting: int, first: str = "") -> None:
        """`first` is the sentence about the first answer where the message counts several."""
        super().__init__(message)
        self.waiting = waiting
        self.first = first or message


class ReviewWaiting(Stopped):
    """A stage waits for decisions of a person."""


class LimitReached(Stopped):
    """Sources take no more requests for now; what they gave is kept."""


class BudgetReached(Stopped):
    """The next call would cross the budget."""


class AnswerFailed(FactoryError):
    """One call has no usable answer: invalid, truncated or refused after all retries.

    Stages turn it into a rejection or a third state, never into "no".
    """

    def __init__(self, message: str, *, reason: str, raw: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.raw = raw


class GateRefused(FactoryError):
    """A release is refused by a gate."""

    exit_code = 1


class Several(Stopped):
    """More than one call stopped the run."""

    def __init__(self, errors: Sequence[FactoryError]) -> None:
        first = errors[0]
        more = f" ({len(errors) - 1} more like it)" if len(errors) > 1 else ""
        super().__init__(f"{first}{more}")
        self.exit_code = max(error.exit_code for error in errors)
