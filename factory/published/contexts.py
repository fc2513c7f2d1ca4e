"""Days that a published context speaks of: all that the published frequency baselines look at."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from factory.errors import BadInput
from factory.published.values import MAX_BYTES

# Each pattern starts with a plain character, which lets `re` skip prose; the year stands before it.
_DAYS = (
    re.compile(r"-(?<=\d{4}-)(?<!\d{5}-)(\d{2})-(\d{2})(?!\d)", re.ASCII),
    re.compile(r"年(?<=\d{4}年)(?<!\d{5}年)(\d{1,2})月(\d{1,2})日", re.ASCII),
)


def days_in(text: str, cutoff: date) -> tuple[date, ...]:
    """Distinct days YYYY-MM-DD or YYYY年M月D日 anywhere in a text, up to and with the cutoff, in order.

    It is a search in prose, as published: it finds days that are only mentioned, and other days in each edition.
    What is no day of the calendar is not counted.
    """
    found = set()
    for pattern in _DAYS:
        for match in pattern.finditer(text):
            year = text[match.start() - 4 : match.start()]
            try:
                found.add(date(int(year), int(match[1]), int(match[2])))
            except ValueError:
                continue
    return tuple(sorted(day for day in found if day <= cutoff))


def read_context(path: Path) -> str:
    """The text; BadInput names a file that cannot be read as UTF-8 text."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(
                f"{path} has more than {MAX_BYTES // 2**20} MB, no context has; fetch it again"
            )
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}; fetch it again") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no UTF-8 text ({error.reason}); fetch it again") from error
