"""Raw text parsed once into pieces: plain words, entity references, shifted dates, and doubts.

Every piece keeps the raw characters it stands for, and the originals joined give the raw text back. Nothing is
replaced twice and no output is read again. What cannot be settled by rule (a shared name, a holiday, a handle)
stays as it is and is reported as a doubt, which blocks a release until it is repaired or a person decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from factory.anonymise.articles import with_article
from factory.anonymise.dates import find_dates
from factory.anonymise.match import Matcher
from factory.anonymise.shapes import SHAPES, ends_domain
from factory.anonymise.whole_names import whole_names
from factory.audit.calendar_net import residue
from factory.segments import CLASS_NAMES, split_numbers
from schemas import EntityRef, Number, Plain, Segment, SegmentText

OUR_WORDS = re.compile(
    rf"\b(?:{'|'.join(names['en'] for names in CLASS_NAMES.values())}) [A-Z]{{1,2}}(?![A-Za-z])"
    rf"|(?:{'|'.join(names['zh'] for names in CLASS_NAMES.values())}) ?[A-Z]{{1,2}}(?![A-Za-z])"
)
"""Words of a raw text that read like one of our placeholders."""
_JOINER = re.compile(r"\s*[（(·•/／、-]?\s*")
_CLOSER = {"(": ")", "（": "）"}


@dataclass(frozen=True)
class Doubt:
    """Words that rules cannot settle."""

    kind: Literal["alias", "date", "calendar", "shape", "scan"]
    """A contested name, a flagged date, a calendar word outside every mention, a handle or address, or what only the
    leak scan refuses."""
    words: str
    """As they stand in the raw text."""
    reason: str
    """Why, in a few words."""


@dataclass(frozen=True)
class Piece:
    """A stretch of raw text and the segment that stands for it; none where it was dropped."""

    original: str
    segment: Segment | None


@dataclass(frozen=True)
class Parsed:
    """A parsed text."""

    pieces: tuple[Piece, ...]
    doubts: tuple[Doubt, ...]
    surfaces: tuple[str, ...]
    """Names found, as written."""
    dates: int
    """Date mentions shifted."""

    @property
    def segments(self) -> SegmentText:
        """The text as records hold it: neighbouring plain words joined, figures apart."""
        return join(piece.segment for piece in self.pieces)


def join(segments: Iterable[Segment | None]) -> SegmentText:
    """Join neighbouring plain words and part the figures out of them."""
    out: list[Segment] = []
    words = ""
    for segment in segments:
        if segment is None:
            continue
        if isinstance(segment, Plain):
            words += segment.text
            continue
        if words:
            out += split_numbers(words)
            words = ""
        out.append(segment)
    if words:
        out += split_numbers(words)
    return tuple(out)


def plain_words(text: SegmentText) -> str:
    """The plain words and figures, with a bar where a reference stands."""
    return "".join(s.text if isinstance(s, Plain | Number) else "\x1f" for s in text)


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    rank: int
    pieces: tuple[Piece, ...]
    doubt: Doubt | None = None
    name: bool = False
    surface: str = ""
    """The name as written, without an article that goes with it."""
    shifted: bool = False


def _plain(text: str) -> Piece:
    """Token brackets of a raw text are evened out, so that it cannot forge a reference."""
    return Piece(text, Plain(text=text.replace("⟦", "[").replace("⟧", "]")) if text else None)


def _names(text: str, matcher: Matcher) -> list[_Span]:
    spans = []
    for whole in whole_names(text, matcher.find(text), matcher):
        hit, words = whole.hit, text[whole.start : whole.end]
        if whole.reason:
            doubt = Doubt("alias", words, whole.reason)
            spans.append(_Span(whole.start, whole.end, 0, (_plain(words),), doubt, name=True))
            continue
        entity = matcher.entities[hit.owners[0]]
        start = whole.start if whole.after else with_article(text, whole.start, whole.end)
        pieces = (
            Piece("", Plain(text=whole.before) if whole.before else None),
            Piece(text[start : whole.end], EntityRef(cls=entity.cls, label=entity.label)),
            Piece("", Plain(text=whole.after) if whole.after else None),
        )
        # Of a fixed form (对美) the table's form is the name found, although only 美 is replaced.
        surface = words if len(hit.form) <= len(words) else hit.form
        kept = tuple(piece for piece in pieces if piece.segment is not None)
        spans.append(_Span(start, whole.end, 0, kept, name=True, surface=surface))
    return spans


def _dates(text: str, anchor: date, offset: int, hint: date | None) -> list[_Span]:
    spans = []
    for mention in find_dates(text, anchor, offset, hint):
        words = text[mention.start : mention.end]
        if mention.kind != "shift":
            doubt = Doubt("date", words, mention.reason) if mention.kind == "flag" else None
            spans.append(_Span(mention.start, mention.end, 1, (_plain(words),), doubt))
            continue
        pieces, position = [], mention.start
        for part in mention.parts:
            if part.start > position:
                pieces.append(_plain(text[position : part.start]))
            raw = text[part.start : part.end]
            segment: Segment | None = None
            if part.ref:
                segment = Plain(text=part.ref) if isinstance(part.ref, str) else part.ref
            pieces.append(Piece(raw, segment))
            position = part.end
        if position < mention.end:
            pieces.append(_plain(text[position : mention.end]))
        spans.append(_Span(mention.start, mention.end, 1, tuple(pieces), shifted=True))
    return spans


def _shapes(text: str) -> list[_Span]:
    return [
        _Span(
            found.start(),
            found.end(),
            2,
            (_plain(found.group()),),
            Doubt("shape", found.group(), "handle, tag or address"),
        )
        for found in SHAPES.finditer(text)
    ]


def _with_endings(text: str, names: list[_Span]) -> list[_Span]:
    """Names of which a text writes the web domain, with its ending: Velloway.com is Velloway."""
    ends = {found.start(): found.end() for found in SHAPES.finditer(text)}
    out = []
    for name in names:
        end = ends.get(name.start, name.end)
        if name.doubt is None and end > name.end and ends_domain(text, name.start, end, name.end):
            *before, last = name.pieces
            rest = text[name.end : end]
            name = replace(
                name, end=end, pieces=(*before, Piece(last.original + rest, last.segment))
            )
        out.append(name)
    return out


def _choose(spans: list[_Span]) -> list[_Span]:
    """No overlaps: the longer span wins, a name before a date before a shape of equal length."""
    chosen: list[_Span] = []
    starts: list[int] = []
    for span in sorted(spans, key=lambda s: (s.start - s.end, s.rank, s.start)):
        at = bisect_left(starts, span.start)
        free_before = at == 0 or chosen[at - 1].end <= span.start
        free_after = at == len(chosen) or span.end <= chosen[at].start
        if free_before and free_after:
            starts.insert(at, span.start)
            chosen.insert(at, span)
    return chosen


def parse(
    text: str, matcher: Matcher, *, anchor: date, offset: int, hint: date | None = None
) -> Parsed:
    """Parse a raw text. `anchor` is its raw day, `hint` the raw day of what it tells, if known."""
    names, dates = _names(text, matcher), _dates(text, anchor, offset, hint)
    names = _with_endings(text, names)
    tagged = [
        s
        for s in _shapes(text)
        if not any(
            n.start <= s.end and s.start <= n.end and s.end - s.start <= n.end - n.start + 1
            for n in names
        )
        and not any(d.start <= s.start and s.end <= d.end for d in dates)
    ]
    # A shape that holds a name inside (a hashtag of a slogan) keeps its doubt beside the replaced name.
    inside = [s for s in tagged if any(n.start < s.end and s.start < n.end for n in names)]
    chosen = _choose([*names, *dates, *(s for s in tagged if s not in inside)])
    pieces: list[Piece] = []
    doubts = [span.doubt for span in (*chosen, *inside) if span.doubt is not None]
    position = 0
    for span in chosen:
        if span.start > position:
            pieces.append(_plain(text[position : span.start]))
        pieces += span.pieces
        position = span.end
    if position < len(text):
        pieces.append(_plain(text[position:]))
    doubts += [
        Doubt("calendar", words, "outside every date mention")
        for _, _, words in residue(text, [(span.start, span.end) for span in chosen])
    ]
    doubts += [
        Doubt("alias", found.group(), "reads like one of our placeholders")
        for found in OUR_WORDS.finditer(text)
        if not any(span.start < found.end() and found.start() < span.end for span in chosen)
    ]
    kept = tuple(collapse(pieces))
    known = {doubt.words for doubt in doubts}
    words = plain_words(join(piece.segment for piece in kept))
    # A name glued to a figure or word that became a reference stands free only now; before a Chinese reference
    # the figure counts and frees the name, too.
    freed = [*matcher.find(words), *matcher.find(words.replace("\x1f", "人"))]
    for left in dict.fromkeys(words[hit.start : hit.end] for hit in freed):
        if not any(left in each for each in known):
            doubts.append(Doubt("alias", left, "glued to a figure"))
    return Parsed(
        pieces=kept,
        doubts=tuple(doubts),
        surfaces=tuple(span.surface for span in chosen if span.name and not span.doubt),
        dates=sum(span.shifted for span in chosen),
    )


def collapse(pieces: list[Piece]) -> list[Piece]:
    """Join a name with its immediate repetition: X（X）, X·X and X / X become X."""
    out: list[Piece] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if isinstance(piece.segment, EntityRef) and out:
            back = -1 if _same(out[-1], piece) else -2
            between = out[-1].original if back == -2 and len(out) >= 2 else ""
            if (back == -1 or (len(out) >= 2 and _same(out[-2], piece))) and _JOINER.fullmatch(
                between
            ):
                closer = _CLOSER.get(between.strip(), "")
                following = pieces[index + 1] if index + 1 < len(pieces) else None
                closes = following is not None and following.original.startswith(closer or "\0")
                if not closer or closes:
                    kept = out[back]
                    original = kept.original + between + piece.original + closer
                    del out[back:]
                    out.append(Piece(original, kept.segment))
                    if closer and following is not None:
                        rest = following.original[1:]
                        pieces[index + 1] = _plain(rest)
                    index += 1
                    continue
        if piece.original or piece.segment is not None:
            out.append(piece)
        index += 1
    return out


def _same(left: Piece, right: Piece) -> bool:
    return isinstance(left.segment, EntityRef) and left.segment == right.segment
