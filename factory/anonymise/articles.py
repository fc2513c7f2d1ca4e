"""The English article of a name that a placeholder replaces.

"The Court of Appeal wrote" becomes "Authority A wrote": a label is a name of its own and takes no article. The article
stays where the name only qualifies a noun, as in "the Duanyan dam" or "the Court of Appeal hearing". What stands
behind the name decides, by closed lists; a word that is none of them is taken for a noun and the article stays.
"""

from __future__ import annotations

import re

_FUNCTION = (
    "a an the this these those its their his her our your and or but nor so yet of on in to for from by at with "
    "without within as that than then there here which who whom whose what where when while if because since although "
    "though unless whether after before into onto about against over under until till through throughout between among "
    "across along around behind beside beyond despite during except inside near off outside past per toward towards up "
    "down upon via amid out is was are were be been being has had have having will would can could shall should may "
    "might must did does do not also again already always ever even just still soon now once twice never often alone "
    "itself themselves himself herself both all instead rather too either neither including excluding regarding "
    "concerning following pending according saying citing calling"
)
"""Words of the closed classes: after one of them the name is over."""
_PAST = (
    "arose ate awoke beat became began bent bet blew bore bought bred broke brought built burnt burst came "
    "cast caught chose clung crept dealt drank dreamt drew drove dug fed fell felt fled flew flung forbade forgave "
    "forgot fought found froze gave got grew heard held hid hung hurt kept knelt knew laid led leant "
    "leapt learnt left lent let lit lost made meant met misled mistook outdid overcame oversaw overthrew overtook paid "
    "put quit ran rang rebuilt resold rewrote rode rose said sang sank sat saw sent set shone shook showed "
    "shrank shut slept slid slung sold sought spelt spent spoke sprang spun stole stood stuck stung strode struck "
    "strove swam swept swore swung taught thought threw told took tore undertook understood undid upheld wept "
    "went withdrew withheld withstood woke won wore wrote"
)
"""Past forms that do not end in -ed, without those that are nouns as often (bid, cast, cut, hit, shot, spread)."""
_NOUNS_IN_ED = "seed feed speed need deed breed bed shed weed creed greed sled newsfeed riverbed seabed roadbed watershed"
_NOT_ADVERBS = (
    "family assembly supply reply ally monopoly anomaly bully belly folly rally jelly lily fly weekly daily monthly "
    "quarterly yearly early only elderly friendly costly likely deadly lonely orderly scholarly hourly"
)
_SAYS = "says writes warns argues insists denies"

_AFTER = "|".join((*_FUNCTION.split(), *_PAST.split(), *_SAYS.split()))
_ENDS_NAME = re.compile(
    rf"$|['’]s\b|[.,;:!?)\"”\n–—]"
    rf"| (?:{_AFTER}"
    rf"|(?!(?:{'|'.join(_NOUNS_IN_ED.split())})\b)[a-z]+ed"
    rf"|(?!(?:{'|'.join(_NOT_ADVERBS.split())})\b)[a-z]+ly)\b"
)
_ARTICLES = frozenset({"the ", "The "})


def with_article(text: str, start: int, end: int) -> int:
    """Where the name at `start:end` begins together with its article; `start` where it has none or it must stay."""
    before = text[max(0, start - 5) : start]
    if before[-4:] not in _ARTICLES:
        return start
    glued = before[:-4]  # "breathe Tax Board" holds no article
    if glued.isascii() and glued.isalnum():
        return start
    return start - 4 if _ENDS_NAME.match(text, end) else start
