"""Text that was anonymised elsewhere, parsed into segments: 人物A and Person A become references.

Only words whose meaning is one of our closed classes become references; `官员A` or `Court B` stay words,
because rendering them under another class would lose what they say. Two words of one class (机构A, 组织A) are two
entities and get two labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from itertools import product
from string import ascii_uppercase

from factory.segments import CLASS_NAMES, split_numbers
from schemas import DateRef, EntityRef, Lang, Segment, SegmentText

_SYNONYMS: dict[Lang, dict[str, str]] = {
    "zh": {"机构": "ORG", "部门": "GOV", "地区": "PLC", "企业": "COM", "团队": "GRP", "应用": "PRD"},
    "en": {"Organization": "ORG", "Region": "PLC", "Location": "PLC", "Team": "GRP", "Institution": "ORG",
           "Media Outlet": "MED", "Agency": "GOV"},
}  # fmt: skip
"""Words beside the class names themselves that mean the same as a class."""
_NOUN = re.compile(r"\b([A-Za-z]+) [A-Z]{1,2}(?![A-Za-z.])")
"""A word with a letter of its own where no sentence can end."""
_ISO = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d-])")
_ZH = re.compile(r"(?<!\d)((?:19|20)\d\d)年(\d{1,2})月(\d{1,2})[日号]")


class Placeholders:
    """The placeholders of one timeline and the labels that they get."""

    def __init__(self, texts: Iterable[str], lang: Lang) -> None:
        self.lang = lang
        own = {names[lang]: cls for cls, names in CLASS_NAMES.items()}
        self._classes = own | _SYNONYMS[lang]
        words = "|".join(sorted(map(re.escape, self._classes), key=len, reverse=True))
        gap, edge = (r"\s", r"\b") if lang == "en" else (r"\s?", "")
        self._pattern = re.compile(rf"{edge}({words}){gap}([A-Z]{{1,2}})(?![A-Za-z])")
        self._labels: dict[tuple[str, str], str] = {}
        given = list(texts)
        self.nouns = frozenset(
            [word.split()[-1].lower() for word in self._classes]
            + [word.lower() for text in given for word in _NOUN.findall(text)]
        )
        """Words in lower case that the texts write before a letter: placeholders of any class."""
        self._assign(given, own)

    def _assign(self, texts: list[str], own: dict[str, str]) -> None:
        found = dict.fromkeys(
            (match[1], match[2]) for text in texts for match in self._pattern.finditer(text)
        )
        taken: dict[str, set[str]] = {}
        for word, label in found:
            if word in own:
                self._labels[word, label] = label
                taken.setdefault(own[word], set()).add(label)
        for word, label in found:
            if word not in own:
                used = taken.setdefault(self._classes[word], set())
                fresh = next((name for name in _letters() if name not in used), None)
                if fresh is not None:
                    used.add(fresh)
                    self._labels[word, label] = fresh

    @property
    def entities(self) -> set[tuple[str, str]]:
        """Every (class, label) of the timeline."""
        return {(self._classes[word], label) for (word, _), label in self._labels.items()}

    def parse(self, text: str) -> SegmentText:
        """A text as segments. ValueError when it holds the brackets of our own tokens."""
        if "⟦" in text or "⟧" in text:
            raise ValueError("the text holds ⟦ or ⟧")
        marks: list[tuple[int, int, Segment]] = []
        for match in self._pattern.finditer(text):
            label = self._labels.get((match[1], match[2]))
            if label is not None:
                reference = EntityRef.model_validate(
                    {"cls": self._classes[match[1]], "label": label}
                )
                marks.append((match.start(), match.end(), reference))
        for pattern in (_ISO, _ZH):
            for match in pattern.finditer(text):
                try:
                    day = date(int(match[1]), int(match[2]), int(match[3]))
                except ValueError:  # no such day: it stays words
                    continue
                marks.append(
                    (match.start(), match.end(), DateRef(start=day, end=day, precision="day"))
                )
        segments: list[Segment] = []
        position = 0
        for start, end, segment in sorted(marks, key=lambda mark: mark[:2]):
            segments += split_numbers(text[position:start])
            segments.append(segment)
            position = end
        segments += split_numbers(text[position:])
        return tuple(segments)


def _letters() -> Iterable[str]:
    yield from ascii_uppercase
    yield from ("".join(pair) for pair in product(ascii_uppercase, repeat=2))
