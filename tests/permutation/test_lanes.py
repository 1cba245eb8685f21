"""Steps over several numbers at a time, against NumPy."""

import numpy as np
import pytest
from numba import njit

from mcts_agents.model import draw_below, new_generator
from mcts_agents.permutation.kernel.lanes import (
    KEYED,
    add_bytes,
    add_in_columns,
    clearly_best_of_grave,
    clearly_best_of_mcps,
    count_where,
    set_where,
    write_grave_values,
    write_mcps_values,
    write_untried,
)
from mcts_agents.permutation.kernel.weights import (
    grave_value,
    mcps_value,
    random_greatest,
)


@njit
def weighed(pairs, bias, out, count):
    """Write values of GRAVE or, with three pairs, MCPS; return the best row."""
    if len(pairs) == 2:
        return write_grave_values(pairs[0], pairs[1], bias, out, count)
    return write_mcps_values(pairs[0], pairs[1], pairs[2], out, count)


@njit
def clearly_best(pairs, bias, count):
    if len(pairs) == 2:
        return clearly_best_of_grave(pairs[0], pairs[1], bias, count)
    return clearly_best_of_mcps(pairs[0], pairs[1], pairs[2], count)


@njit
def greatest_of(address, count, rng):
    return random_greatest(address, count, rng)


def addresses(counts, sums):
    """Return the addresses of rows of counts and of sums, in pairs."""
    rows = zip(counts, sums, strict=True)
    return tuple((count.ctypes.data, total.ctypes.data) for count, total in rows)


@njit
def value_of(row, bias):
    if len(row) == 4:
        return grave_value(row[0], row[1], row[2], row[3], bias)
    return mcps_value(row[0], row[1], row[2], row[3], row[4], row[5])


def statistics(rng, pairs, count, most, illegal=0.1):
    """Return random counts and sums of edges, some of them of illegal actions."""
    counts = rng.integers(0, most, (pairs, count)).astype(np.int32)
    sums = np.floor(counts * rng.random(counts.shape))
    illegal = rng.random(count) < illegal
    counts[:, illegal] = sums[:, illegal] = 0
    counts[0, illegal], sums[0, illegal] = 1, -np.inf
    return counts, sums


def values_of(counts, sums, bias):
    """Return the values of all edges, one after the other."""
    edges = np.stack([counts.astype(float), sums], axis=1).reshape(-1, counts.shape[1])
    return [value_of(edge, bias) for edge in edges.T.copy()]


@pytest.mark.parametrize("pairs", [2, 3])
@pytest.mark.parametrize("count", [8, 56, 64, 72, 128, 1024, 1032])
def test_values_and_the_greatest_are_those_of_one_row_at_a_time(pairs, count):
    rng = np.random.default_rng(count)
    found_alone = 0
    for most in [1, 2, 3, 10, 1000] * 4:
        counts, sums = statistics(rng, pairs, count, most)
        values = np.full(count + 63 & -64, 9.0)
        bias = 2.0**-12
        row = weighed(addresses(counts, sums), bias, values.ctypes.data, count)
        expected = values_of(counts, sums, bias)
        assert values[:count].tolist() == expected
        best = np.flatnonzero(values[:count] == values[:count].max()).tolist()
        if row >= 0:
            assert [row] == best
            found_alone += 1
        generator, again = new_generator(1), new_generator(1)
        at = draw_below(again, len(best)) if len(best) > 1 else 0
        assert greatest_of(values.ctypes.data, count, generator) == best[at]
        assert generator.tolist() == again.tolist()
    assert (found_alone > 0) == (count <= KEYED)


@pytest.mark.parametrize("pairs", [2, 3])
@pytest.mark.parametrize("count", [8, 56, 128, 136])
def test_the_clearly_best_row_is_the_best(pairs, count):
    rng = np.random.default_rng(count)
    found, tries = 0, 0
    for most in [1, 2, 3, 10, 1000, 2**30] * 20:
        counts, sums = statistics(rng, pairs, count, most)
        expected = np.array(values_of(counts, sums, 1e-5))
        row = clearly_best(addresses(counts, sums), 1e-5, count)
        tries += 1
        if row >= 0:
            assert np.flatnonzero(expected == expected.max()).tolist() == [row]
            found += 1
    assert found > tries // 4 if count <= 128 else found == 0


@pytest.mark.parametrize("pairs", [2, 3])
@pytest.mark.parametrize("won", [0, 1])
def test_equal_rows_are_not_clearly_best(pairs, won):
    """Values of 0 too, whose keys are nothing but their rows."""
    counts = np.full((pairs, 56), 3, np.int32)
    sums = np.full((pairs, 56), float(won))
    assert clearly_best(addresses(counts, sums), 1e-5, 56) == -1
    sums[:, 41] += 1.0
    assert clearly_best(addresses(counts, sums), 1e-5, 56) == 41


@pytest.mark.parametrize("pairs", [2, 3])
def test_a_row_that_is_hardly_better_is_not_clearly_best(pairs):
    counts = np.full((pairs, 8), 1 << 20, np.int32)
    sums = np.full((pairs, 8), 3e5)
    for more, clear in [(1.0, False), (8.0, False), (200.0, True)]:
        sums[:, 5] = 3e5 + more
        row = clearly_best(addresses(counts, sums), 0.0, 8)
        assert row == (5 if clear else -1)


@pytest.mark.parametrize("pairs", [2, 3])
def test_rows_without_a_value_come_first(pairs):
    counts, sums = np.ones((pairs, 8), np.int32), np.ones((pairs, 8))
    counts[:, 3] = sums[:, 3] = 0
    values = np.zeros(64)
    assert clearly_best(addresses(counts, sums), 0.0, 8) == -1
    assert weighed(addresses(counts, sums), 0.0, values.ctypes.data, 8) == 3
    assert values[3] == np.inf


@pytest.mark.parametrize("least", [0.0, 0.5, 3.0])
def test_a_key_does_not_tell_numbers_apart_that_are_next_to_each_other(least):
    """Only in the first row is the value greater, by the least that there can be."""
    counts, sums = np.ones((2, 8), np.int32), np.full((2, 8), least)
    sums[:, 0] = np.nextafter(least, 9.0)
    values = np.zeros(64)
    assert weighed(addresses(counts, sums), 0.0, values.ctypes.data, 8) == -1
    assert values[0] > values[1]
    assert greatest_of(values.ctypes.data, 8, new_generator(1)) == 0


def test_no_value_of_0_or_more_has_a_key():
    counts, sums = np.ones((2, 8), np.int32), np.full((2, 8), -1.0)
    values = np.zeros(64)
    assert weighed(addresses(counts, sums), 0.0, values.ctypes.data, 8) == -1
    assert values[:8].tolist() == [-1.0] * 8


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
    having, winning = np.full(80, 3, np.int32), np.full(80, 3.0)
    expected = np.full((2, 80), 3.0)
    scratch = chosen.ctypes.data, masks.ctypes.data, marked.ctypes.data
    in_columns(
        rows.ctypes.data, 8 * 72, scratch, count,
        having[8:].ctypes.data, winning[8:].ctypes.data, lanes,
    )  # fmt: skip
    for number, *both in zip(chosen[:count], masks, marked, strict=False):
        for row, mask in enumerate(both):
            for lane in range(min(lanes, 64)):
                common = int(rows[number, lane]) & int(mask)
                expected[row, 8 + lane] += common.bit_count()
    np.testing.assert_array_equal([having, winning], expected)


@njit
def where(counts, sums, visits, values, words, members, value, lanes):
    count_where(counts, sums, members, value, lanes)
    write_untried(visits, values, members, lanes)
    set_where(words, members, np.uint64(6), lanes)


@pytest.mark.parametrize("lanes", [8, 56, 64, 72])
@pytest.mark.parametrize("value", [0.0, 0.5])
def test_numbers_whose_bits_are_set(value, lanes):
    rng = np.random.default_rng(lanes)
    members = rng.integers(2**64, size=1, dtype=np.uint64)
    found = [np.full(80, 3, kind) for kind in (np.int32, float) * 2]
    found.append(rng.integers(2**64, size=80, dtype=np.uint64))
    expected = [row.copy() for row in found]
    at = [row[8:].ctypes.data for row in found]
    where(*at, members.ctypes.data, value, lanes)
    for lane in range(min(lanes, 64)):
        is_set = int(members[0]) >> lane & 1
        expected[0][8 + lane] += is_set
        expected[1][8 + lane] += is_set * value
        expected[2][8 + lane] = 1 - is_set
        expected[3][8 + lane] = 0.0 if is_set else -np.inf
        expected[4][8 + lane] |= np.uint64(6 * is_set)
    for row, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(row, wanted)


@njit
def with_bytes(added, added_won, counts, sums, lanes):
    add_bytes(added, added_won, counts, sums, lanes)


@pytest.mark.parametrize("lanes", [8, 56, 64, 72])
def test_bytes_are_added(lanes):
    rng = np.random.default_rng(lanes)
    added = rng.integers(256, size=(2, 64)).astype(np.uint8)
    counts, sums = np.full(80, 3, np.int32), np.full(80, 3.0)
    expected = np.full((2, 80), 3.0)
    expected[:, 8 : 8 + min(lanes, 64)] += added[:, :lanes]
    with_bytes(
        added[0].ctypes.data, added[1].ctypes.data,
        counts[8:].ctypes.data, sums[8:].ctypes.data, lanes,
    )  # fmt: skip
    np.testing.assert_array_equal([counts, sums], expected)
