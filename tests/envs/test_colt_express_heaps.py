"""Heaps in words against lists of numbers."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.colt_express import heaps
from mcts_agents.model import new_generator
from tests.envs.knowledge import assert_chances

numbers = st.lists(st.integers(0, 255), min_size=8, max_size=8)


def rows_of(held):
    rows = np.zeros((3, 8), np.uint8)
    rows[1] = held
    return rows


@settings(max_examples=300, deadline=None)
@given(numbers)
def test_a_word_says_what_a_row_does(held):
    heap = np.uint64(heaps.heap_at(rows_of(held), 1))
    assert int(heaps.kinds_in(heap)) == sum(1 << k for k in range(8) if held[k])
    if sum(held) < 256:
        assert heaps.size_of(heap) == sum(held)
    rows = rows_of([0] * 8)
    heaps.put_heap(rows, 1, heap)
    assert (rows == rows_of(held)).all()
    for kind in range(8):
        one = [int(k == kind) for k in range(8)]
        assert int(heaps.one_of(kind)) == int(heaps.heap_at(rows_of(one), 1))


def test_random_kinds_are_drawn_as_often_as_there_are_things():
    rng = new_generator(3)
    # More than 127 things are counted in another way.
    for held in ([3, 0, 1, 0, 0, 5, 0, 2], [40, 0, 7, 90, 0, 0, 0, 20], [1] * 8):
        heap = np.uint64(heaps.heap_at(rows_of(held), 1))
        found = Counter(heaps.random_kind(heap, rng) for _ in range(6000))
        assert_chances({kind: n for kind, n in enumerate(held) if n}, found)
