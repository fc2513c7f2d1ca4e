"""Candidate pairs: texts that share a MinHash band or an opening sentence, and texts whose vectors are near.

All only propose; `dedup.Rule` decides. Flat inner-product search is exact and deterministic, which graph
indexes are not, and a window keeps it small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BANDS = 32
ROWS = 4
"""32 bands of 4 rows propose a pair of Jaccard .42 with even odds and of .6 in 99 of 100 cases."""

SEED = 42

NEIGHBOURS = 10
"""Nearest vectors looked at for each text and language."""

FLOOR = 0.4
"""Cosine below which two texts are not even candidates."""

BUCKET = 40
"""Texts of a crowded band are paired with this many followers; their copies meet in other bands."""


def band_pairs(shingle_sets: Sequence[frozenset[str]]) -> set[tuple[int, int]]:
    """Pairs of positions that share at least one MinHash band; empty sets share nothing."""
    from rensa import RMinHash

    filled = [index for index, found in enumerate(shingle_sets) if found]
    digests = RMinHash.digests_from_token_sets(
        [sorted(shingle_sets[index]) for index in filled], BANDS * ROWS, SEED
    )
    pairs: set[tuple[int, int]] = set()
    for band in range(BANDS):
        buckets: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for index, digest in zip(filled, digests, strict=True):
            buckets[tuple(digest[band * ROWS : (band + 1) * ROWS])].append(index)
        for bucket in buckets.values():
            pairs.update(_followed(bucket))
    return pairs


def opening_pairs(openings: Sequence[Iterable[str]]) -> set[tuple[int, int]]:
    """Pairs of positions that share a key of one of their first sentences.

    A lead shares too little with its article for bands (Jaccard .2) and too little meaning for vectors.
    """
    buckets: dict[str, list[int]] = defaultdict(list)
    for index, keys in enumerate(openings):
        for key in set(keys):
            buckets[key].append(index)
    return {pair for bucket in buckets.values() for pair in _followed(bucket)}


def _followed(bucket: Sequence[int]) -> Iterator[tuple[int, int]]:
    for place, first in enumerate(bucket):
        for second in bucket[place + 1 : place + 1 + BUCKET]:
            yield first, second


def nearest_pairs(
    vectors: NDArray[np.float32],
    days: Sequence[int | None],
    scripts: Sequence[str],
    window: int,
) -> set[tuple[int, int]]:
    """Pairs of rows among each other's nearest neighbours at most `window` days apart.

    Each language is searched on its own, so that copies never crowd out translations. Rows without a day are
    compared with all.
    """
    import numpy as np

    pairs: set[tuple[int, int]] = set()
    dated = [row for row, day in enumerate(days) if day is not None]
    undated = [row for row, day in enumerate(days) if day is None]
    blocks: dict[int, list[int]] = defaultdict(list)
    for row in dated:
        blocks[(days[row] or 0) // window].append(row)
    jobs: list[tuple[list[int], list[int]]] = []
    if undated:
        jobs.append((undated, list(range(len(days)))))
    jobs += [
        (rows, [*blocks.get(key - 1, []), *rows, *blocks.get(key + 1, []), *undated])
        for key, rows in sorted(blocks.items())
    ]
    for queries, base in jobs:
        for language in sorted(set(scripts)):
            found = np.array([row for row in base if scripts[row] == language], dtype=np.int64)
            if len(found):
                pairs |= _search(vectors, np.array(queries, dtype=np.int64), found)
    return pairs


def _search(
    vectors: NDArray[np.float32], queries: NDArray[np.int64], base: NDArray[np.int64]
) -> set[tuple[int, int]]:
    import faiss

    # Two OpenMP threads spin against each other on a busy machine; one gives the same order faster.
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors[base])
    scores, places = index.search(vectors[queries], min(NEIGHBOURS + 1, len(base)))
    pairs = set()
    for row, near, score in zip(queries.tolist(), places.tolist(), scores.tolist(), strict=True):
        for place, cosine in zip(near, score, strict=True):
            other = int(base[place])
            if place >= 0 and other != row and cosine >= FLOOR:
                pairs.add((min(row, other), max(row, other)))
    return pairs
