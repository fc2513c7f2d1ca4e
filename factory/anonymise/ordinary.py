"""Which words are ordinary: those that the event's own texts write in lower case, and a short list of common ones.

An expansion made of ordinary words ("United" from United Holdings) must not be replaced without a person, and a
capital letter at the start of a sentence is no sign of a name when the word is ordinary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_FUNCTION = frozenset(
    _WORD.findall(
        "a about above across after again against all almost along already also although always am among an and another any "
        "are around as at away back be because been before behind being below between both but by can cannot could day days "
        "did do does doing done down during each either else enough even every everybody everyone everything few first five "
        "for four from further get give go good had half has have having he hello her here hers him his how however i if in "
        "instead into is it its itself just last later least less let like many may maybe me might more most much must my "
        "near nearly neither never new next no nobody none nor not nothing now of off often on once one only or other others "
        "our ours out over own perhaps please put quite rather said same say says second see seen several shall she should "
        "since six so some somebody someone something soon still such take ten than thank thanks that the their theirs them "
        "then there these they thing things third this those though three through thus to today together tomorrow tonight "
        "too twice two under until up upon us very was we well were what when where whether which while who whole whom "
        "whose why will with within without would yes yesterday yet you your yours"
    )
)
_NOUNS = frozenset(
    _WORD.findall(
        "academy agency airport alliance assembly association authority bank bay board bridge bureau bus business capital "
        "central centre center chamber city club college commission committee company council country county "
        "court department development director district east energy estate event fair federation ferry festival fire first "
        "forum foundation fund gas general global government great group harbour harbor health high holdings home hospital "
        "hotel house industries industry institute international investment island islands lake land law life line lines "
        "local market mayor media metro ministry museum national network news north office official oil old open park party "
        "peace people plan police port post power press properties property public radio rail railway real red report "
        "river road royal school sea service services society south square standard star state station steel street "
        "sun systems team technology times tower town trade transport treasury trust union united university village water "
        "councillor councilor minister president secretary governor senator judge justice professor doctor captain chair chairman "
        "chairwoman commissioner inspector deputy engineer treasurer speaker spokesman spokeswoman officer "
        "west white women world change can dance long man men fan she hang sun pan wan lane"
    )
)


@dataclass(frozen=True)
class Vocabulary:
    """Ordinary words of an event."""

    words: frozenset[str]
    """Lower case."""
    names: frozenset[str] = frozenset()
    """Words that the texts write with a capital inside a sentence and never without, in lower case."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        """Words that the texts write in lower case, and the common ones."""
        found: set[str] = set()
        inside: set[str] = set()
        for text in texts:
            found.update(word for word in _WORD.findall(text) if word.islower() and word.isascii())
            inside.update(word.lower() for word in _INSIDE.findall(text))
        ordinary = frozenset(found) | _FUNCTION | _NOUNS
        return cls(ordinary, frozenset(inside) - ordinary)

    def holds(self, word: str) -> bool:
        """Whether a word is ordinary, also in its plain singular."""
        low = word.lower().replace("’", "'").partition("'")[0]
        return low in self.words or (low.endswith("s") and low[:-1] in self.words)

    def made_of(self, words: str) -> bool:
        """Whether Latin words are all ordinary; False when there is no word."""
        parts = _WORD.findall(words)
        return bool(parts) and all(self.holds(part) for part in parts)
