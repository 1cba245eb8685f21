"""Steps over several numbers at a time, against NumPy."""

import numpy as np
import pytest
from numba import njit

from mcts_agents.model import draw_below, new_generator
from mcts_agents.permutation.kernel.lanes import (
    KEYED,
    add_in_columns,
    count_where,
    write_grave_values,
    write_mcps_values,
    write_where,
)
from mcts_agents.permutation.kernel.weights import (
    grave_value,
    is_alone,
    mcps_value,
    random_greatest,
)


@njit
def weighed(addresses, bias, out, count):
    """Write values of GRAVE or, with six columns, MCPS; return the key."""
    first, second, third, fourth = addresses[:4]
    if len(addresses) == 4:
        return write_grave_values(first, second, third, fourth, bias, out, count)
    permutations = addresses[4], addresses[5]
    return write_mcps_values((first, second), (third, fourth), permutations, out, count)


@njit
def alone(address, count, key):
    return is_alone(address, count, key)


@njit
def greatest_of(address, count, rng):
    return random_greatest(address, count, rng)


@njit
def value_of(row, bias):
    if len(row) == 4:
        return grave_value(row[0], row[1], row[2], row[3], bias)
    return mcps_value(row[0], row[1], row[2], row[3], row[4], row[5])


@pytest.mark.parametrize("columns", [4, 6])
@pytest.mark.parametrize("count", [8, 56, 64, 72, 128, 1024, 1032])
def test_values_and_the_greatest_are_those_of_one_row_at_a_time(columns, count):
    rng = np.random.default_rng(count)
    found_alone = 0
    for most in [1, 2, 3, 10, 1000] * 4:
        counts = rng.integers(0, most, (columns // 2, count)).astype(float)
        sums = np.floor(counts * rng.random(counts.shape))
        rows = np.empty((columns, count))
        rows[::2], rows[1::2] = counts, sums
        illegal = rng.random(count) < 0.1
        rows[0, illegal], rows[1, illegal] = 1.0, -np.inf
        rows[2:, illegal] = 0.0
        values = np.full(count + 63 & -64, 9.0)
        addresses = rows.ctypes.data + 8 * count * np.arange(columns)
        bias = 2.0**-12
        key = weighed(addresses, bias, values.ctypes.data, count)
        expected = [value_of(row, bias) for row in rows.T.copy()]
        assert values[:count].tolist() == expected
        best = np.flatnonzero(values[:count] == values[:count].max()).tolist()
        if alone(values.ctypes.data, count, key):
            assert [key % KEYED] == best
            found_alone += 1
        generator, again = new_generator(1), new_generator(1)
        at = draw_below(again, len(best)) if len(best) > 1 else 0
        assert greatest_of(values.ctypes.data, count, generator) == best[at]
        assert generator.tolist() == again.tolist()
    assert (found_alone > 0) == (count <= KEYED)


@pytest.mark.parametrize("least", [0.0, 0.5, 3.0])
def test_a_key_does_not_tell_numbers_apart_that_are_next_to_each_other(least):
    """Only in the first row is the value greater, by the least that there can be."""
    columns = np.zeros((4, 8))
    columns[0] = columns[2] = 1.0
    columns[1] = columns[3] = least
    columns[1, 0] = np.nextafter(least, 9.0)
    columns[3, 0] = columns[1, 0]
    values = np.zeros(64)
    addresses = columns.ctypes.data + 64 * np.arange(4)
    key = weighed(addresses, 0.0, values.ctypes.data, 8)
    assert values[0] > values[1]
    assert not alone(values.ctypes.data, 8, key)
    assert greatest_of(values.ctypes.data, 8, new_generator(1)) == 0


def test_no_value_of_0_or_more_has_a_key():
    columns = np.ones((4, 8))
    columns[1] = columns[3] = -1.0
    values = np.zeros(64)
    addresses = columns.ctypes.data + 64 * np.arange(4)
    key = weighed(addresses, 0.0, values.ctypes.data, 8)
    assert values[:8].tolist() == [-1.0] * 8
    assert key < 0
    assert not alone(values.ctypes.data, 8, key)


@njit
def in_columns(rows, step, scratch, count, out, out_marked, lanes):
    chosen, masks, marked = scratch
    masks, outs = (masks, marked), (out, out_marked)
    add_in_columns(rows, step, chosen, masks, count, outs, lanes)


@pytest.mark.parametrize("lanes", [8, 56, 64, 72])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_bits_that_words_share_with_masks_are_counted(count, lanes):
    rng = np.random.default_rng(count)
    rows = rng.integers(2**64, size=(9, 72), dtype=np.uint64)
    chosen = rng.permutation(9).astype(np.uint64)
    masks, marked = rng.integers(2**64, size=(2, 9), dtype=np.uint64)
    outs = np.full((2, 80), 3.0)
    expected = outs.copy()
    scratch = chosen.ctypes.data, masks.ctypes.data, marked.ctypes.data
    in_columns(
        rows.ctypes.data, 8 * 72, scratch, count,
        outs[0, 8:].ctypes.data, outs[1, 8:].ctypes.data, lanes,
    )  # fmt: skip
    for number, *both in zip(chosen[:count], masks, marked, strict=False):
        for row, mask in enumerate(both):
            for lane in range(min(lanes, 64)):
                common = int(rows[number, lane]) & int(mask)
                expected[row, 8 + lane] += common.bit_count()
    np.testing.assert_array_equal(outs, expected)


@njit
def where(counts, sums, written, bits, value, lanes):
    count_where(counts, sums, bits, value, lanes)
    write_where(written, bits, value, -np.inf, lanes)


@pytest.mark.parametrize("lanes", [8, 56, 64, 72])
@pytest.mark.parametrize("value", [0.0, 0.5])
def test_numbers_whose_bits_are_set(value, lanes):
    rng = np.random.default_rng(lanes)
    bits = rng.integers(2**64, dtype=np.uint64)
    found = np.full((3, 80), 3.0)
    expected = found.copy()
    addresses = [row.ctypes.data + 64 for row in found]
    where(*addresses, bits, value, lanes)
    for lane in range(min(lanes, 64)):
        is_set = int(bits) >> lane & 1
        expected[0, 8 + lane] += is_set
        expected[1, 8 + lane] += is_set * value
        expected[2, 8 + lane] = value if is_set else -np.inf
    np.testing.assert_array_equal(found, expected)
