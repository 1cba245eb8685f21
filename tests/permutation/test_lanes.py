"""Steps over several numbers at a time, against NumPy."""

import numpy as np
import pytest
from numba import njit

from mcts_agents.model import draw_below, new_generator
from mcts_agents.permutation.kernel.keys import (
    KEYED,
    MOST_MULTIPLIED,
    clearly_best_of_few_playouts,
    clearly_best_of_grave,
    clearly_best_of_mcps,
    write_grave_values,
    write_mcps_values,
)
from mcts_agents.permutation.kernel.lanes import (
    add_bytes,
    add_in_columns,
    add_playouts,
    count_where,
    set_where,
    write_common,
    write_untried,
)
from mcts_agents.permutation.kernel.records import (
    ILLEGAL_NARROW,
    ILLEGAL_WIDE,
    NARROW_TYPES,
    WIDE_TYPES,
)
from mcts_agents.permutation.kernel.weights import (
    grave_value,
    mcps_value,
    random_greatest,
)

WIDTHS = ["narrow", "wide"]
# More than is counted, as statistics of a run have room up to the next step.
MARGIN = 16


def rows(width, count, fill=3):
    """Return a row of counts and one of sums."""
    kinds = NARROW_TYPES if width == "narrow" else WIDE_TYPES
    return [np.full(count, fill, kind) for kind in kinds]


@njit
def write_weighed(narrow, pairs, bias, out, count):
    """Write values of GRAVE or, with three pairs, MCPS; return the best row."""
    if len(pairs) == 2:
        return write_grave_values(narrow, pairs[0], pairs[1], bias, out, count)
    return write_mcps_values(narrow, pairs[0], pairs[1], pairs[2], out, count)


@njit
def find_clearly_best(narrow, pairs, bias, count):
    if len(pairs) == 2:
        return clearly_best_of_grave(narrow, pairs[0], pairs[1], bias, count)
    return clearly_best_of_mcps(narrow, pairs[0], pairs[1], pairs[2], count)


@njit
def find_in_whole_numbers(pairs, count):
    return clearly_best_of_few_playouts(pairs[0], pairs[1], pairs[2], count)


def weighed(pairs, bias, out, count):
    return write_weighed(0, pairs, bias, out, count)


def clearly_best(pairs, bias, count):
    return find_clearly_best(0, pairs, bias, count)


def narrowed(counts, sums):
    """Return statistics as narrow ones."""
    sums = np.where(sums == ILLEGAL_WIDE, ILLEGAL_NARROW, sums)
    return counts.astype(NARROW_TYPES[0]), sums.astype(NARROW_TYPES[1])


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
@pytest.mark.parametrize("count", [8, 56, 128])
def test_narrow_statistics_have_the_same_values(pairs, count):
    rng = np.random.default_rng(count)
    for most in [1, 2, 3, 10, 1000, 2**15] * 20:
        counts, sums = statistics(rng, pairs, count, most, illegal=0.0)
        # Illegal actions of either kind come behind all others.
        illegal = rng.random(count) < 0.1
        counts[0, illegal], sums[0, illegal] = 1, ILLEGAL_WIDE
        both = addresses(counts, sums), addresses(*(few := narrowed(counts, sums)))
        values = np.full((2, count + 63 & -64), 9.0)
        best, found = [], []
        for narrow, at in enumerate(both):
            out = values[narrow].ctypes.data
            best.append(find_clearly_best(narrow, at, 1e-5, count))
            found.append(write_weighed(narrow, at, 1e-5, out, count))
        assert best[0] == best[1] and found[0] == found[1]
        assert few[0].dtype == np.int16
        legal = np.flatnonzero(~illegal)
        assert values[0, legal].tolist() == values[1, legal].tolist()
        assert (values[:, np.flatnonzero(illegal)] < 0.0).all()


@pytest.mark.parametrize("count", [8, 56, 64, 128, 136])
def test_whole_numbers_find_the_best_row_as_often(count):
    rng = np.random.default_rng(count)
    room, found, found_before, tries = count + 15 & -16, 0, 0, 0
    for most in [1, 2, 3, 10, 1000, MOST_MULTIPLIED + 1] * 20:
        counts, sums = statistics(rng, 3, room, most)
        counts[:, count:] = sums[:, count:] = 0
        counts[0, count:], sums[0, count:] = 1, ILLEGAL_WIDE
        counts[1] += (
            rng.random(room) < 0.5
        )  # illegal actions, too, have AMAF statistics
        counts[1] = np.minimum(counts[1], MOST_MULTIPLIED)
        expected = np.array(values_of(counts, sums, 0.0))
        few = addresses(*(kept := narrowed(counts, sums)))
        row = find_in_whole_numbers(few, count)
        tries += 1
        found_before += find_clearly_best(1, few, 0.0, count) >= 0
        if row >= 0:
            assert np.flatnonzero(expected == expected.max()).tolist() == [row]
            found += 1
        assert kept[0].dtype == np.int16
    assert found >= found_before and found <= tries
    assert found > tries // 4 if count <= 128 else found == 0


def test_whole_numbers_do_not_overflow():
    """All counts and sums as great as can be; one row is worth less, one illegal."""
    counts = np.full((3, 16), MOST_MULTIPLIED, np.int32)
    sums = counts.astype(float)
    counts[0, 3], sums[0, 3] = 1, ILLEGAL_WIDE
    for worth, row in [(0.5, -1), (0.0, 7)]:
        sums[:, :3], sums[1:, 3:] = 0.5 * MOST_MULTIPLIED, 0.5 * MOST_MULTIPLIED
        sums[0, 4:] = worth * MOST_MULTIPLIED
        sums[:, 7] = MOST_MULTIPLIED if row == 7 else sums[:, 8]
        few = addresses(*(kept := narrowed(counts, sums)))
        assert find_in_whole_numbers(few, 16) == row
        assert kept[1].min() == ILLEGAL_NARROW


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
def in_columns(narrow, at, step, scratch, count, outs, lanes):
    chosen, masks, marked = scratch
    masks = masks, marked
    add_in_columns(narrow, (at, step), chosen, masks, count, outs, lanes)


def set_bits(words):
    """Return the bits of words, int (words, 64)."""
    shifts = np.arange(64, dtype=np.uint64)
    return (words[..., None] >> shifts & np.uint64(1)).astype(int)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lanes", [8, 56, 64, 72])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_bits_that_words_share_with_masks_are_counted(count, lanes, width):
    rng = np.random.default_rng(count)
    words = rng.integers(2**64, size=(9, 72), dtype=np.uint64)
    chosen = rng.permutation(9).astype(np.uint64)
    masks, marked = rng.integers(2**64, size=(2, 9), dtype=np.uint64)
    found = rows(width, 80)
    expected = np.full((2, 80), 3.0)
    scratch = chosen.ctypes.data, masks.ctypes.data, marked.ctypes.data
    in_columns(
        width == "narrow", words.ctypes.data, 8 * 72, scratch, count,
        tuple(row[8:].ctypes.data for row in found), lanes,
    )  # fmt: skip
    for number, *both in zip(chosen[:count], masks, marked, strict=False):
        for row, mask in enumerate(both):
            for lane in range(min(lanes, 64)):
                common = int(words[number, lane]) & int(mask)
                expected[row, 8 + lane] += common.bit_count()
    np.testing.assert_array_equal(found, expected)


@njit
def where(narrow, pair, own, words, members, value, lanes):
    count_where(narrow, pair, members, value, lanes)
    write_untried(narrow, own, members, lanes)
    set_where(words, members, np.uint64(6), lanes)


@pytest.mark.parametrize("lanes", [8, 56, 64, 72])
@pytest.mark.parametrize(
    ("width", "value"), [("narrow", 0.0), ("narrow", 1.0), ("wide", 0.0), ("wide", 0.5)]
)
def test_numbers_whose_bits_are_set(width, value, lanes):
    rng = np.random.default_rng(lanes)
    # Of narrow ones those of whole steps count: there the sets have no bits behind.
    members = rng.integers(2**64, size=1, dtype=np.uint64)
    if lanes < 64:
        members &= np.uint64((1 << lanes) - 1)
    found = [*rows(width, 64 + 2 * MARGIN), *rows(width, 64 + 2 * MARGIN)]
    found.append(rng.integers(2**64, size=64 + 2 * MARGIN, dtype=np.uint64))
    expected = [row.copy() for row in found]
    at = [row[MARGIN:].ctypes.data for row in found]
    address = members.ctypes.data
    where(
        width == "narrow", (at[0], at[1]), (at[2], at[3]), at[4], address, value, lanes
    )
    illegal = ILLEGAL_NARROW if width == "narrow" else ILLEGAL_WIDE
    written = min(lanes + MARGIN - 1 & -MARGIN if width == "narrow" else lanes, 64)
    for lane, is_set in enumerate(set_bits(members)[0, :written].tolist()):
        expected[0][MARGIN + lane] += is_set
        expected[1][MARGIN + lane] += is_set * value
        expected[2][MARGIN + lane] = 1 - is_set
        expected[3][MARGIN + lane] = 0.0 if is_set else illegal
        expected[4][MARGIN + lane] |= np.uint64(6 * is_set)
    for row, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(row, wanted)


@njit
def with_bytes(narrow, added, pair, lanes):
    add_bytes(narrow, added, pair, lanes)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lanes", [16, 48, 64, 72])
def test_bytes_are_added(lanes, width):
    rng = np.random.default_rng(lanes)
    added = rng.integers(256, size=(2, 64)).astype(np.uint8)
    found = rows(width, 80)
    expected = np.full((2, 80), 3.0)
    expected[:, 8 : 8 + min(lanes, 64)] += added[:, :lanes]
    with_bytes(
        width == "narrow", tuple(row.ctypes.data for row in added),
        tuple(row[8:].ctypes.data for row in found), lanes,
    )  # fmt: skip
    np.testing.assert_array_equal(found, expected)


@njit
def one_by_one(pair, sets, step, words, playouts, lanes):
    add_playouts(pair, sets, step, words, playouts, lanes)


@pytest.mark.parametrize("lanes", [8, 16, 32, 40, 56, 64])
@pytest.mark.parametrize("density", [0.02, 0.5, 1.0])
def test_playouts_are_added(density, lanes):
    """Sets of the playouts of seven words, of which four are looked at."""
    rng = np.random.default_rng(lanes)
    sets = rng.integers(2**64, size=(7 * 64, 2), dtype=np.uint64)
    if lanes < 64:
        sets &= np.uint64((1 << lanes) - 1)
    chosen = np.array([0, 2, 3, 6], np.uint64)
    flags = rng.random((4, 64)) < density
    flags[:, 17] = True  # no word is empty
    masks = np.packbits(flags, axis=1, bitorder="little").view(np.uint64)[:, 0]
    won = rng.integers(2**64, size=4, dtype=np.uint64)
    found, expected = rows("narrow", 80), np.full((2, 80), 3)
    for word, mask, is_won in zip(chosen, set_bits(masks), set_bits(won), strict=True):
        for playout in np.flatnonzero(mask):
            members = set_bits(sets[64 * int(word) + playout, 1])
            expected[0, 8:72] += members
            expected[1, 8:72] += members * is_won[playout]
    # A mask and what is won of it, as the search has them, and anything behind.
    words = np.append(masks, won[:2]), masks & won, chosen
    one_by_one(
        tuple(row[8:].ctypes.data for row in found), sets[:, 1:].ctypes.data, 16,
        tuple(row.ctypes.data for row in words), int(flags.sum()), lanes,
    )  # fmt: skip
    np.testing.assert_array_equal(found, expected)


@njit
def in_common(out, rows, count):
    return write_common(out, rows, count)


@pytest.mark.parametrize("count", [1, 3, 4, 79])
@pytest.mark.parametrize("in_place", [False, True])
def test_bits_that_rows_have_in_common(in_place, count):
    rng = np.random.default_rng(count)
    found = rng.integers(2**64, size=(4, count + MARGIN), dtype=np.uint64)
    before = found.copy()
    rows = (0, 1, 2) if in_place else (1, 2, 3)
    addresses = [row.ctypes.data for row in found]
    in_common(addresses[0], tuple(addresses[row] for row in rows), count)
    common = np.bitwise_and.reduce(before[list(rows)])
    np.testing.assert_array_equal(found[0, :count], common[:count])
    # Up to three words behind are written, too.
    before[0, : count + 3] = found[0, : count + 3]
    np.testing.assert_array_equal(found, before)
