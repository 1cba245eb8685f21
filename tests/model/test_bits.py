"""Bits of words: counted, found and named as Python's own integers have them."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from mcts_agents.model.bits import (
    MOST_IN_COLUMNS,
    bit_of,
    count_bits,
    count_in_columns,
    equal_bits,
    lowest_bit,
    nth_bit,
    nth_by_counting,
)

WORDS = [
    *(1 << place for place in range(64)),
    *((1 << places) - 1 for places in (1, 31, 32, 33, 63, 64)),
    *(
        int(word)
        for word in np.random.default_rng(1).integers(2**64, size=50, dtype=np.uint64)
    ),
    0xFFFFFFFF00000000,
    0x8000000000000001,
]


@njit
def counted(word):
    return count_bits(word), lowest_bit(word)


def places_of(word):
    return [place for place in range(64) if word >> place & 1]


@pytest.mark.parametrize("word", WORDS, ids=hex)
def test_bits_are_counted_and_found(word):
    places = places_of(word)
    assert counted(np.uint64(word)) == (len(places), places[0])
    assert [nth_bit(np.uint64(word), n) for n in range(len(places))] == places
    assert [nth_by_counting(np.uint64(word), n) for n in range(len(places))] == places
    assert sum(int(bit_of(place)) for place in places) == word


def test_an_empty_word_has_no_lowest_bit():
    assert counted(np.uint64(0)) == (0, 64)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64, np.uint8, np.uint64])
def test_masks_of_any_integer_type_are_words(kind):
    assert counted(kind(0b1010010)) == (3, 1)


def test_places_are_counted_within_their_word():
    assert [int(bit_of(place)) for place in (64, 70, 191)] == [1, 64, 1 << 63]


# Run in a process of its own: for which processor Numba compiles is read once.
_PLAIN = """
import numpy as np
from mcts_agents.model.bits import nth_bit
words = [0b1011, 2**64 - 1, 2**63 | 1, 0x123456789ABCDEF0]
for word in words:
    places = [place for place in range(64) if word >> place & 1]
    assert [nth_bit(np.uint64(word), n) for n in range(len(places))] == places
assert "pdep" not in "".join(nth_bit.inspect_asm().values())
"""


def test_processors_that_cannot_deposit_bits_find_them_too():
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    subprocess.run(
        [sys.executable, "-c", _PLAIN], env={**os.environ, **plain}, check=True
    )


@njit
def equal_on_lanes(numbers, value):
    return equal_bits(numbers, value)


@njit
def in_columns(words, step, chosen, counts, out, out_other):
    return count_in_columns(words, step, chosen, counts, out, out_other)


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("others", [0, 9, MOST_IN_COLUMNS])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 54, MOST_IN_COLUMNS])
def test_bits_of_chosen_words_are_counted(count, others, step):
    """Against Python's own integers, with what lies around the counts left alone."""
    rng = np.random.default_rng(count)
    words = rng.integers(2**64, size=step * 500 + 1, dtype=np.uint64)
    words[0] = 2**64 - 1  # the first one has all bits, and the one beyond none
    words[-1] = 0
    lists = []
    for length in (count, others):
        chosen = np.append(rng.permutation(500)[:length], [500] * 7).astype(np.uint32)
        chosen[: length // 2] = 0
        lists.append(chosen)
    outs = np.full((2, 66), 99, np.uint8)
    in_columns(
        words.ctypes.data, 8 * step, tuple(row.ctypes.data for row in lists),
        (count, others), outs[0, 1:].ctypes.data, outs[1, 1:].ctypes.data,
    )  # fmt: skip
    expected = np.zeros((2, 64), int)
    for numbers, of_both in zip(lists, (1, 2), strict=True):
        for number in numbers[:-7].tolist():
            for place in places_of(int(words[step * number])):
                expected[:of_both, place] += 1
    np.testing.assert_array_equal(outs[:, 1:65], expected)
    assert (outs[:, [0, 65]] == 99).all()


@pytest.mark.parametrize("seed", range(6))
def test_64_numbers_at_a_time(seed):
    """Against numpy, with what lies around the numbers left alone."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 3, 66).astype(float)
    numbers[5:8] = np.inf, -np.inf, np.nan
    expected = numbers.copy()
    equal = sum(1 << i for i in np.flatnonzero(numbers[1:65] == 2.0).tolist())
    assert equal_on_lanes(numbers[1:].ctypes.data, 2.0) == equal
    np.testing.assert_array_equal(numbers, expected)
