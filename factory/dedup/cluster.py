"""Which texts say the same: candidates, verified edges, clusters.

Candidates come from MinHash bands (Broder 1997) over token-3-shingles and from nearest neighbours of sentence
vectors inside a window of days. Neither is believed: every edge is verified by one rule, numbers that
contradict make an update and never a copy, and each member of a cluster is checked again against the text that
stands for it. Uniting unverified bands is what deletes whole corpora elsewhere. The result depends on the
documents only, not on their order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from factory.dedup.figures import Figures, contradict, figures, speak_for_one
from factory.dedup.neighbours import band_pairs, nearest_pairs, opening_pairs
from factory.dedup.wording import (
    content_length,
    exact_key,
    names,
    script,
    sentences,
    shingles,
    tokens,
)
from factory.encode import MIN_CONTENT, Encoder
from factory.sections import CorpusSettings
from schemas import EdgeRule

EMBED_CHARS = 560
"""Title and opening that a vector is made from; encoders dilute longer texts."""

OPENING_CHARS = 12
"""Letters and digits from which an opening sentence is a key to look copies up by."""

SUBSTANTIAL_TOKENS = 40
"""From here on, or from half the longest copy on, an earlier text may stand for its copies."""


CROWD = 3
"""Near strangers from which a text counts as a form (match reports, price bulletins): there vectors see the form,
not the event, and cosine alone proves nothing."""


UNSUPPORTED = 0.9
"""Cosine from which two texts that share neither a figure nor a name count as one."""


@dataclass(frozen=True)
class Document:
    """A text prepared for comparison."""

    item_id: str
    text: str
    """Comparable text, see `wording.comparable`."""
    post: bool = False
    """Posts and comments are compared among themselves: a post that quotes an article is not its copy."""
    day: int | None = None
    """Ordinal of the day of publication; none when it is not known to the day."""
    at: float = 0.0
    """Seconds within the corpus, to order texts of one day; the end of the day when only the day is known."""
    url: str = ""
    """Canonical address of an article; empty for posts."""
    script: Literal["zh", "latin"] = "latin"
    words: tuple[str, ...] = ()
    shingles: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    figures: Figures = field(default_factory=lambda: Figures(frozenset(), frozenset()))
    exact: str = ""
    openings: tuple[str, ...] = ()
    """Keys of the first three sentences that say enough to be looked up by."""

    @property
    def order(self) -> tuple[bool, int, float, int, str]:
        """Earliest first, undated last, the longer of two first."""
        return (self.day is None, self.day or 0, self.at, -len(self.text), self.item_id)


def document(
    item_id: str,
    text: str,
    *,
    post: bool = False,
    day: int | None = None,
    at: float = 0.0,
    url: str = "",
) -> Document:
    """Prepare a comparable text."""
    words = tokens(text)
    return Document(
        item_id=item_id,
        text=text,
        post=post,
        day=day,
        at=at,
        url=url,
        script=script(text),
        words=tuple(words),
        shingles=shingles(words),
        names=names(text),
        figures=figures(text),
        exact=exact_key(text),
        openings=tuple(
            key for part in sentences(text)[:3] if len(key := exact_key(part)) >= OPENING_CHARS
        ),
    )


Relation = Literal["duplicate", "update", "translation"]


@dataclass(frozen=True)
class Verdict:
    """What a verified pair is to each other."""

    relation: Relation
    rule: EdgeRule
    similarity: float


def containment(a: frozenset[str], b: frozenset[str]) -> float:
    """Share of the smaller set that lies in the larger (Broder 1997)."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


class Rule:
    """The combined rule: containment, or cosine, and numbers that do not contradict."""

    def __init__(self, settings: CorpusSettings, mono: float, cross: float) -> None:
        self.containment = settings.containment
        self.window = settings.window_days
        self.mono = mono
        self.cross = cross

    def __call__(self, a: Document, b: Document, cosine: float) -> Verdict | None:
        """The relation of a pair; none when the texts are different.

        `cosine` is that of the two vectors, 0 when one text is too short to have one.
        """
        if a.post != b.post:
            return None
        if a.exact and a.exact == b.exact:
            return Verdict("duplicate", "exact", 1.0)
        cosine = round(cosine, 4)
        if a.script != b.script:
            # Opinions that agree across languages are two opinions; only a close match is one post twice.
            if cosine < (max(self.cross, self.mono) if a.post else self.cross):
                return None
            relation: Relation = "update" if contradict(a.figures, b.figures) else "translation"
            return Verdict(relation, "cosine", min(cosine, 1.0))
        found = self._alike(a, b, cosine)
        if found is None:
            return None
        if contradict(a.figures, b.figures):
            relation = "update"
        elif found[0] == "cosine" and not _one_report(a, b, cosine):
            return None
        else:
            relation = "duplicate"
        return Verdict(relation, found[0], min(round(found[1], 4), 1.0))

    def _alike(self, a: Document, b: Document, cosine: float) -> tuple[EdgeRule, float] | None:
        shared = len(a.shingles & b.shingles)
        inside = containment(a.shingles, b.shingles)
        if a.url and a.url == b.url and (inside >= self.containment / 2 or cosine >= self.mono):
            return "url", max(inside, cosine)
        if a.post:
            # A repost that adds words of its own is a statement of its own.
            larger = max(len(a.shingles), len(b.shingles))
            covered = shared / larger if larger else 0.0
            if inside >= self.containment and covered >= self.containment / 2:
                return "containment", inside
            if cosine >= self.mono and inside >= self.containment / 2:
                return "cosine", cosine
            return None
        if inside >= self.containment and min(len(a.words), len(b.words)) >= 5:
            return "containment", inside
        # Form letters of different places and people are near as vectors; what they name is not.
        if cosine >= self.mono and 2 * len(a.names & b.names) >= min(len(a.names), len(b.names)):
            return "cosine", cosine
        return None


def _one_report(a: Document, b: Document, cosine: float) -> bool:
    """Whether figures or names support what a cosine alone suggests; without either it must be very high."""
    numbers = speak_for_one(a.figures, b.figures)
    if numbers is None:
        return bool(a.names & b.names) or cosine >= UNSUPPORTED
    return numbers


@dataclass
class Group:
    """Copies of one text."""

    representative: Document
    members: list[tuple[Document, Verdict]]
    """The other copies, each with what ties it to the representative."""
    update_of: set[str] = field(default_factory=set)
    """Item ids of representatives that this text repeats with other numbers."""
    translation_of: set[str] = field(default_factory=set)
    """Item ids of representatives that say the same in the other language."""


def cluster(
    documents: Sequence[Document], encoder: Encoder, settings: CorpusSettings
) -> list[Group]:
    """Groups of copies, in order of their representatives; each document is in exactly one."""
    groups: list[Group] = []
    for posts in (False, True):
        subset = sorted((d for d in documents if d.post is posts), key=lambda d: d.order)
        if subset:
            groups += _Clustering(subset, encoder, settings).groups()
    return sorted(groups, key=lambda g: g.representative.order)


class _Clustering:
    """One pass over the texts of one kind, in their stable order."""

    def __init__(
        self, documents: list[Document], encoder: Encoder, settings: CorpusSettings
    ) -> None:
        import numpy as np

        self.documents = documents
        self.rule = Rule(settings, encoder.mono, encoder.cross)
        self.first: list[int] = []
        """For each document the earliest exact copy within the window; vectors are made once a text."""
        last: dict[str, int] = {}
        for index, item in enumerate(documents):
            twin = last.get(item.exact) if item.exact else None
            near = twin is not None and self._near(documents[twin], item)
            self.first.append(self.first[twin] if twin is not None and near else index)
            last[item.exact] = index
        self.unique = [i for i, first in enumerate(self.first) if i == first]
        long = [i for i in self.unique if content_length(documents[i].text) >= MIN_CONTENT]
        self.row = {index: row for row, index in enumerate(long)}
        self.vectors = (
            encoder.encode([documents[i].text[:EMBED_CHARS] for i in long])
            if long
            else np.zeros((0, 1), dtype=np.float32)
        )
        self.long = long
        self.edges: dict[tuple[int, int], Verdict] = {}
        self.strangers: Counter[int] = Counter()
        """How many texts are near a document as vectors although numbers or names say that they differ."""

    def _near(self, a: Document, b: Document) -> bool:
        return a.day is None or b.day is None or abs(a.day - b.day) <= self.rule.window

    def verdict(self, a: int, b: int) -> Verdict | None:
        """The verified relation of two documents."""
        if self.first[a] == self.first[b]:
            return Verdict("duplicate", "exact", 1.0)
        found = self.rule(self.documents[a], self.documents[b], self._cosine(a, b))
        if found is None or found.rule != "cosine" or found.relation == "translation":
            return found
        crowded = max(self.strangers[self.first[a]], self.strangers[self.first[b]]) >= CROWD
        return None if crowded else found

    def _cosine(self, a: int, b: int) -> float:
        first, second = self.row.get(self.first[a]), self.row.get(self.first[b])
        if first is None or second is None:
            return 0.0
        return float(self.vectors[first] @ self.vectors[second])

    def _count_strangers(self, pairs: list[tuple[int, int]]) -> None:
        for a, b in pairs:
            first, second = self.documents[a], self.documents[b]
            if first.script == second.script and self._cosine(a, b) >= self.rule.mono:
                found = self.rule(first, second, self._cosine(a, b))
                if found is None or (found.relation == "update" and found.rule == "cosine"):
                    self.strangers[a] += 1
                    self.strangers[b] += 1

    def groups(self) -> list[Group]:
        pairs = [
            (a, b)
            for a, b in sorted(self._candidates())
            if self._near(self.documents[a], self.documents[b])
        ]
        self._count_strangers(pairs)
        for a, b in pairs:
            if found := self.verdict(a, b):
                self.edges[a, b] = found
        same = [pair for pair, found in self.edges.items() if found.relation == "duplicate"]
        copies = [(first, i) for i, first in enumerate(self.first) if first != i]
        groups: list[Group] = []
        owner: dict[int, int] = {}
        for component in components(range(len(self.documents)), [*same, *copies]):
            for representative, members in self._settle(component):
                for index in (representative, *(m for m, _ in members)):
                    owner[index] = len(groups)
                groups.append(
                    Group(
                        self.documents[representative],
                        [(self.documents[m], found) for m, found in members],
                    )
                )
        self._link(groups, owner)
        return groups

    def _candidates(self) -> set[tuple[int, int]]:
        documents = [self.documents[i] for i in self.unique]
        pairs = {
            (self.unique[a], self.unique[b]) for a, b in band_pairs([d.shingles for d in documents])
        }
        pairs |= {
            (self.unique[a], self.unique[b])
            for a, b in opening_pairs([d.openings for d in documents])
        }
        rows = [self.documents[i] for i in self.long]
        pairs |= {
            (self.long[a], self.long[b])
            for a, b in nearest_pairs(
                self.vectors, [d.day for d in rows], [d.script for d in rows], self.rule.window
            )
        }
        by_url: dict[str, list[int]] = defaultdict(list)
        for index in self.unique:
            if self.documents[index].url:
                by_url[self.documents[index].url].append(index)
        for same in by_url.values():
            pairs |= set(pairwise(same))
        return {(min(pair), max(pair)) for pair in pairs}

    def _settle(self, component: list[int]) -> Iterator[tuple[int, list[tuple[int, Verdict]]]]:
        """Split a component until every member is a copy of the text that stands for it."""
        while component:
            head = self._representative(component)
            members: list[tuple[int, Verdict]] = []
            rest: list[int] = []
            for index in component:
                if index == head:
                    continue
                found = self.verdict(head, index)
                if found is not None and found.relation == "duplicate":
                    members.append((index, found))
                else:
                    rest.append(index)
                    if found is not None:
                        self.edges[min(head, index), max(head, index)] = found
            yield head, members
            component = rest

    def _representative(self, component: list[int]) -> int:
        longest = max(len(self.documents[i].words) for i in component)
        enough = min(SUBSTANTIAL_TOKENS, longest / 2)
        return min(
            (i for i in component if len(self.documents[i].words) >= enough),
            key=lambda i: self.documents[i].order,
        )

    def _link(self, groups: list[Group], owner: dict[int, int]) -> None:
        for (a, b), found in self.edges.items():
            earlier, later = sorted(
                (groups[owner[a]], groups[owner[b]]), key=lambda g: g.representative.order
            )
            if earlier is later:
                continue
            if found.relation == "update":
                later.update_of.add(earlier.representative.item_id)
            elif found.relation == "translation":
                later.translation_of.add(earlier.representative.item_id)
                earlier.translation_of.add(later.representative.item_id)


def components(nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Connected components, each ascending, in order of their smallest node (union-find, root = smallest)."""
    parent = {node: node for node in nodes}

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in edges:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    grouped: dict[int, list[int]] = defaultdict(list)
    for node in sorted(parent):
        grouped[root(node)].append(node)
    return [grouped[key] for key in sorted(grouped)]
