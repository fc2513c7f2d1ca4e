"""A timeline in chunks that fit a call: consecutive nodes within a budget, neighbours overlapping.

An outcome whose report and confirmation lie on both sides of a seam is seen whole in one of the two chunks that
share it; a second pass cuts from the other end, so that its seams lie elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemas import AnonNode


def chunks(
    nodes: Sequence[AnonNode],
    size: Callable[[AnonNode], int],
    limit: int,
    overlap: int,
    *,
    from_end: bool = False,
) -> list[tuple[AnonNode, ...]]:
    """The nodes in chunks whose sizes sum to at most `limit`, with at least one new node each.

    Neighbouring chunks share `overlap` nodes, or fewer where they would leave no room. `from_end` cuts from the
    last node backwards; each chunk is in the order of the timeline either way.
    """
    row = list(reversed(nodes)) if from_end else list(nodes)
    sizes = [size(node) for node in row]
    result: list[tuple[AnonNode, ...]] = []
    done = 0
    while done < len(row):
        start = max(0, done - overlap) if done else 0
        while start < done and sum(sizes[start : done + 1]) > limit:
            start += 1
        end = done + 1
        while end < len(row) and sum(sizes[start : end + 1]) <= limit:
            end += 1
        part = row[start:end]
        result.append(tuple(reversed(part)) if from_end else tuple(part))
        done = end
    return result
