"""Four words side by side against Python's integers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from mcts_agents.model.lanes import any_bit, both, either, four_at, four_of, moved_down

ONE = np.uint64(1)
MOST = (1 << 64) - 1
FOUR = st.lists(st.integers(0, MOST), min_size=4, max_size=4)


@njit
def bits_of(words):
    """Return which bits are set in any of four words, bool of shape (64,).

    Bit by bit, since four words cannot be looked at from outside otherwise.
    """
    found = np.zeros(64, np.bool_)
    for place in range(64):
        found[place] = any_bit(both(words, four_of(ONE << np.uint64(place))))
    return found


@njit
def combined(first, second, steps, alone):
    """Return the bits of four results, in one word of `alone` each."""
    a, b, mask = four_at(first), four_at(second), four_at(alone)
    return (
        bits_of(both(both(a, b), mask)),
        bits_of(both(either(a, b), mask)),
        bits_of(both(moved_down(a, b, four_at(steps)), mask)),
        bits_of(both(four_of(first[1]), mask)),
    )


@settings(max_examples=50, deadline=None)
@given(FOUR, FOUR, st.lists(st.integers(1, 63), min_size=4, max_size=4))
def test_each_word_is_what_arithmetic_says(first, second, steps):
    arrays = [np.array(words, np.uint64) for words in (first, second, steps)]
    for lane in range(4):
        alone = np.zeros(4, np.uint64)
        alone[lane] = MOST
        found = [
            sum(1 << place for place in np.flatnonzero(bits).tolist())
            for bits in combined(*arrays, alone)
        ]
        a, b, step = first[lane], second[lane], steps[lane]
        down = (a >> step | b << 64 - step) & MOST
        assert found == [a & b, a | b, down, first[1]]
