"""Which forms made by rule may be replaced blindly: not those that are ordinary words or another thing's name.

"Landu Ferry" from Landu Ferry Company is the town's name and an ordinary word; it names nothing more than those,
and would swallow every "Landu ferry". "United" from United Holdings may be the word. The first kind is not used,
the second waits for a person when the texts hold it, and is not used when they do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from factory.anonymise.expand import has_cjk
from factory.anonymise.match import fold
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.ordinary_places import ACTS
from schemas import EntityClass

ORDINARY = "also an ordinary word"
"""Why a name that is also an ordinary word waits for a person."""
_ZH_TAILS = re.compile(r"有限|公司|集团|控股|股份|责任")


class Judge:
    """Decides on forms with all given names and the texts in view."""

    def __init__(self, given: Mapping[str, Sequence[str]], texts: Sequence[str]) -> None:
        """`given` is entity key -> names that someone gave it (not made by rule)."""
        self._texts = texts
        self.vocabulary = Vocabulary.of(texts)
        self._owners: dict[str, set[str]] = {}
        for key, names in given.items():
            for name in names:
                self._owners.setdefault(fold(name), set()).add(key)

    def __call__(self, key: str, cls: EntityClass, form: str) -> str | None:
        """Empty when the form may be used, a reason when it waits for a person, None when it is not used."""
        if self._owners.get(fold(form), {key}) != {key}:
            # Two persons of one surname are told apart by a person; a body yields to the thing it is named after.
            return "" if cls == "PER" else None
        return self._chinese(key, cls, form) if has_cjk(form) else self._latin(key, cls, form)

    def of_another(self, key: str, form: str) -> bool:
        """Whether someone gave a form to another entity as its name."""
        return bool(self._owners.get(fold(form), {key}) - {key})

    def _latin(self, key: str, cls: EntityClass, form: str) -> str | None:
        if " " in form:
            rest = self._without_others(key, fold(form))
            words = rest.strip(" -&,.")
            if rest != fold(form) and (not words or self.vocabulary.made_of(words)):
                return None
            return ""
        # Words run together (AuditOffice, Audit_Office) are no ordinary word.
        if not form.isalpha() or not self.vocabulary.holds(form):
            return ""
        within = rf"(?<=[a-z,] ){re.escape(form)}(?![A-Za-z])"
        # A person may speak or own at the start of a sentence, too: Will said.
        acting = rf"(?<![^\W_]){re.escape(form)}(?={ACTS.pattern})"
        initial = rf"(?<=(?<![^\W_])[A-Z]\. ){re.escape(form)}(?![A-Za-z])"
        named = re.compile(f"{within}|{acting}|{initial}" if cls == "PER" else within)
        return ORDINARY if any(named.search(text) for text in self._texts) else None

    def _without_others(self, key: str, form: str) -> str:
        """The folded form without every name that belongs to other entities only, longest stretch first."""
        words = form.split(" ")
        for length in range(len(words), 0, -1):
            for start in range(len(words) - length + 1):
                stretch = " ".join(words[start : start + length])
                owners = self._owners.get(stretch)
                if owners and key not in owners:
                    before = " ".join(words[:start])
                    after = " ".join(words[start + length :])
                    parts = [self._without_others(key, part) for part in (before, after) if part]
                    return " ".join(part for part in parts if part)
        return form

    def _chinese(self, key: str, cls: EntityClass, form: str) -> str | None:
        if cls in ("PER", "PLC", "CTY"):
            return ""
        for name, owners in self._owners.items():
            short_rest = len(form) - len(name) <= 2
            if key not in owners and len(name) >= 2 and short_rest and form.startswith(name):
                return None
        if len(form) > 2:
            return ""
        for text in self._texts:
            for found in re.finditer(re.escape(form), text):
                if not _ZH_TAILS.match(text, found.end()):
                    return "a short form that may be an ordinary word"
        return ""
