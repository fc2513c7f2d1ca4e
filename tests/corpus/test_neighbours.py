"""Candidates: what is proposed, and what is never even looked at."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from factory.dedup.neighbours import BUCKET, band_pairs, nearest_pairs, opening_pairs

UNIT = np.eye(4, dtype=np.float32)


def test_equal_sets_always_share_a_band_and_empty_sets_never() -> None:
    same = frozenset({"a b c", "b c d"})
    assert band_pairs([same, frozenset(), same, frozenset({"x y z"}), frozenset()]) == {(0, 2)}


@given(st.permutations(range(6)))
def test_bands_propose_the_same_pairs_in_any_order(order: list[int]) -> None:
    words = [
        frozenset(f"w{n} x{n // 2} y{k}" for k in range(n % 3 + 2)) for n in (0, 0, 1, 2, 2, 5)
    ]
    found = band_pairs([words[i] for i in order])
    assert {frozenset((order[a], order[b])) for a, b in found} == {
        frozenset(pair) for pair in band_pairs(words)
    }


def test_texts_with_one_opening_meet_and_crowds_stay_linear() -> None:
    assert opening_pairs([["lead", "rest"], ["lead"], ["other"]]) == {(0, 1)}
    crowd = opening_pairs([["same"]] * 500)
    assert len(crowd) <= 500 * BUCKET


def test_vectors_meet_within_the_window_only() -> None:
    vectors = np.repeat(UNIT[:1], 4, axis=0)
    found = nearest_pairs(vectors, [0, 5, 100, None], ["latin"] * 4, 14)
    assert {(0, 1), (0, 3), (1, 3), (2, 3)} <= found
    assert (0, 2) not in found


def test_copies_do_not_crowd_out_a_translation() -> None:
    vectors = np.vstack([np.repeat(UNIT[:1], 30, axis=0), (UNIT[:1] + UNIT[1:2]) / np.sqrt(2)])
    scripts = ["latin"] * 30 + ["zh"]
    found = nearest_pairs(vectors.astype(np.float32), [0] * 31, scripts, 14)
    assert {(row, 30) for row in range(30)} <= found


def test_strangers_are_no_candidates() -> None:
    assert nearest_pairs(UNIT, [0] * 4, ["latin"] * 4, 14) == set()
