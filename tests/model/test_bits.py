"""Bits of words: counted, found and named as Python's own integers have them."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from mcts_agents.model.bits import (
    add_where,
    bit_of,
    count_bits,
    count_in_columns,
    equal_bits,
    lowest_bit,
    nth_bit,
    nth_by_counting,
    set_where,
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
def on_lanes(numbers, bits, value, words, count, out, sets):
    set_where(sets, bits, np.uint64(6))
    equal = equal_bits(numbers, value)
    add_where(numbers, bits, value)
    count_in_columns(words, count, out)
    return equal


@pytest.mark.parametrize("count", [0, 1, 7, 8, 54, 255])
def test_64_numbers_at_a_time(count):
    """Against numpy, with what lies around the numbers left alone."""
    rng = np.random.default_rng(count)
    numbers = rng.integers(0, 3, 66).astype(float)
    numbers[5:8] = np.inf, -np.inf, np.nan
    words = rng.integers(2**64, size=255, dtype=np.uint64)
    counts = np.full(66, 99, np.uint8)
    bits = int(rng.integers(2**64, dtype=np.uint64))
    expected = numbers.copy()
    inside = expected[1:65]
    equal = sum(1 << i for i in np.flatnonzero(inside == 2.0).tolist())
    inside[places_of(bits)] += 2.0
    sets = words[:66].copy()
    grown = sets.copy()
    grown[1:65][places_of(bits)] |= np.uint64(6)
    found = on_lanes(
        numbers[1:].ctypes.data, np.uint64(bits), 2.0, words.ctypes.data, count,
        counts[1:].ctypes.data, sets[1:].ctypes.data,
    )  # fmt: skip
    assert found == equal
    np.testing.assert_array_equal(numbers, expected)
    np.testing.assert_array_equal(sets, grown)
    columns = [places_of(int(word)) for word in words[:count]]
    assert counts[1:65].tolist() == [
        sum(place in column for column in columns) for place in range(64)
    ]
    assert counts[0] == counts[65] == 99
