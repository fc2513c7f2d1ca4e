"""A JSON file element by element: an array of any length in the memory of its largest element.

An array is checked to its end before its first element is given, so that a broken file is refused with the
line of its fault and never half read. Files that hold one object give that object.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sources.imports.cells import has_halves, whole
from sources.imports.streams import MAX_ROW, utf8_blocks

_GOING_ON = frozenset(["", *"0123456789+-.eE"])
"""What may follow the part of a number that a block ends with."""
_BLANK = re.compile(r"[ \t\n\r]*")


class BadJson(Exception):
    """A file that is no JSON; the message gives line, column and fault."""


class _Scanner:
    """A window over the text of a file, with the place of its start."""

    def __init__(self, path: Path) -> None:
        self._blocks = utf8_blocks(path)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._decode = json.JSONDecoder().raw_decode
        self.text = ""
        self.at = 0
        self.line, self.column = 1, 1
        self.ended = False
        self._halves = False

    def _more(self) -> bool:
        """Append the next block; false at the end of the file."""
        if self.ended:
            return False
        self._drop()
        block = next(self._blocks, None)
        if block is None:
            self.ended = True
            self.text += self._decoder.decode(b"", final=True)
        else:
            self.text += self._decoder.decode(block)
        self._halves = self._halves or has_halves(self.text)
        return True

    def _drop(self) -> None:
        """Forget what was read."""
        breaks = self.text.count("\n", 0, self.at)
        self.line += breaks
        self.column = (
            self.at - self.text.rfind("\n", 0, self.at) + (0 if breaks else self.column - 1)
        )
        self.text, self.at = self.text[self.at :], 0

    def problem(self, message: str, position: int) -> BadJson:
        """A fault at a position of the window."""
        breaks = self.text.count("\n", 0, position)
        column = position - self.text.rfind("\n", 0, position)
        return BadJson(
            f"line {self.line + breaks}, column {column + (0 if breaks else self.column - 1)}: {message}"
        )

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            match = _BLANK.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def value(self) -> Any:
        """The value that begins here. BadJson when there is none."""
        if not self.peek():
            raise self.problem("Expecting value", self.at)
        while True:
            try:
                value, end = self._decode(self.text, self.at)
                going_on = self.text[end : end + 1] in _GOING_ON  # with the next block, perhaps
                if not going_on or self.ended or len(self.text) - self.at > MAX_ROW:
                    self.at = end
                    return whole(value) if self._halves else value
            except RecursionError as error:
                raise BadJson("it is nested too deeply") from error
            except json.JSONDecodeError as error:
                if self.ended:
                    raise self.problem(error.msg, error.pos) from error
                if len(self.text) - self.at > MAX_ROW:
                    what = f"{error.msg}, within an element of more than {MAX_ROW >> 20} MiB"
                    raise self.problem(what, error.pos) from error
            except ValueError as error:  # a number of thousands of digits
                raise self.problem(str(error), self.at) from error
            # Twice as much each time, so that a large element is not parsed again for every block.
            wanted = 2 * (len(self.text) - self.at)
            while len(self.text) - self.at < wanted and self._more():
                pass


def elements(path: Path) -> Iterator[Any]:
    """Elements of the array in a file, or its one value. BadJson at the first fault."""
    scan = _Scanner(path)
    if scan.peek() != "[":
        yield scan.value()
    else:
        scan.at += 1
        mark = scan.peek()
        while mark != "]":
            yield scan.value()
            mark = scan.peek()
            if mark not in (",", "]"):
                raise scan.problem("Expecting ',' delimiter", scan.at)
            if mark == ",":
                scan.at += 1
                if scan.peek() == "]":
                    raise scan.problem("Expecting value", scan.at)
        scan.at += 1
    if scan.peek():
        raise scan.problem("Extra data", scan.at)


def array_problem(path: Path) -> str:
    """Where and why a JSON file does not parse; empty when it does."""
    try:
        for _ in elements(path):
            pass
    except BadJson as error:
        return str(error)
    return ""
