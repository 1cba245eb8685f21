"""How the statistics of an action are combined, and which action is chosen.

With N, Q of the action at the node, AMAF statistics N~, Q~ of its code at the reference
node, and permutation statistics N^, Q^ of its code at the node:

- GRAVE (Algorithm 1, lines 9 and 10):
  Q* = (1 - beta) Q + beta Q~, with beta = N~ / (N~ + N + bias N~ N)
- MCPS (section 3.2): Q* = alpha Q + beta Q~ + gamma Q^, with weights in proportion to
  c N, N~ and N^, where c = (N~ + N^) / N~

Written with sums (S = N Q) each is one division:

- GRAVE: Q* = ((1 + bias N~) S + S~) / (N~ + N + bias N~ N)
- MCPS: Q* = (S (N~ + N^) + N~ (S~ + S^)) / ((N + N~) (N~ + N^))

An action without N and N~ has no Q*, and comes before all others. Ties are broken at
random.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at, int32_at
from mcts_agents.model.bits import (
    bit_of,
    count_bits,
    equal_bits,
    lowest_bit,
    nth_bit,
)
from mcts_agents.model.random import random_below
from mcts_agents.permutation.kernel.lanes import (
    clearly_best_of_grave,
    clearly_best_of_mcps,
    greatest_where,
    write_grave_values,
    write_mcps_values,
)
from mcts_agents.permutation.kernel.records import nodes_of, rng_of

_1, ALL = np.uint64(1), ~np.uint64(0)


@njit
def choose_edge(search, node, reference):
    """Return the edge to take at a node, with a reference that has AMAF statistics."""
    this = nodes_of(search)[node]
    count = np.int64(this.count)
    if this.run:
        row = weigh_run(search, node, reference)
        if row >= 0:
            return this.first + row
    else:
        weigh_edges(search, node, reference)
    return this.first + random_greatest(search.scratch, count, rng_of(search))


@njit
def weigh_run(search, node, reference):
    """Weigh the edges of a node, a run.

    Returns:
        The row of the greatest Q*; -1 if that takes another look at all of them, which
        are in `scratch` then.
    """
    this = nodes_of(search)[node]
    first, count = np.int64(this.first), np.int64(this.count)
    block, run = np.int64(nodes_of(search)[reference].block), np.int64(this.run)
    own = search.edge_visits + 4 * first, search.edge_sums + 8 * first
    amaf = address_of_counts(search, block, run), address_of_sums(search, block, run)
    # At the root both kinds of statistics are of the same playouts.
    if search.permutes and node != 0:
        permutations = search.edge_permutations + 4 * first
        permuted = search.edge_permutation_sums + 8 * first
        return best_of_mcps(search, own, amaf, (permutations, permuted), count)
    return best_of_grave(search, own, amaf, count)


@njit(inline="always")
def best_of_mcps(search, own, amaf, permutations, count):
    """Return the row of the greatest Q* of MCPS, or -1; see `weigh_run`."""
    row = np.int64(-1)
    if not search.has_parts:
        row = clearly_best_of_mcps(own, amaf, permutations, count)
    if row < 0:
        row = write_mcps_values(own, amaf, permutations, search.scratch, count)
    return row


@njit(inline="always")
def best_of_grave(search, own, amaf, count):
    """Return the row of the greatest Q* of GRAVE, or -1; see `weigh_run`."""
    row = np.int64(-1)
    if not search.has_parts and search.bias <= 1.0:
        row = clearly_best_of_grave(own, amaf, search.bias, count)
    if row < 0:
        row = write_grave_values(own, amaf, search.bias, search.scratch, count)
    return row


@njit
def weigh_edges(search, node, reference):
    """Write Q* of each edge of a node, which are not a run, into `scratch`."""
    this = nodes_of(search)[node]
    first, count = this.first, np.int64(this.count)
    block = np.int64(nodes_of(search)[reference].block)
    if search.permutes and node != 0:
        write_permuted(search, first, count, block)
    else:
        write_amaf(search, first, count, block, search.bias)


@njit
def amaf_counts_at(search, block):
    """View the AMAF counts of all places in a block."""
    return int32_at(address_of_counts(search, block, 0), search.place_room)


@njit
def amaf_sums_at(search, block):
    """View the AMAF sums of all places in a block."""
    return float64_at(address_of_sums(search, block, 0), search.place_room)


@njit
def address_of_counts(search, block, place):
    """Return where the AMAF count of a place in a block is."""
    return search.amaf_counts + 4 * (search.place_room * block + place)


@njit
def address_of_sums(search, block, place):
    """Return where the AMAF sum of a place in a block is."""
    return search.amaf_sums + 8 * (search.place_room * block + place)


@njit
def places_at(search, first, count):
    """View the places of some edges' moves."""
    return carray(as_pointer(search.edge_places + 4 * first), count, np.uint32)


@njit(error_model="numpy", inline="always")
def grave_value(n, total, known, known_total, bias):
    """Return Q* of GRAVE."""
    weight = known + n + bias * known * n
    total = (1.0 + bias * known) * total + known_total
    return total / weight if weight > 0.0 else np.inf


@njit(error_model="numpy", inline="always")
def mcps_value(n, total, known, known_total, permutations, permuted):
    """Return Q* of MCPS."""
    others = max(known + permutations, 1.0)
    weight = (n + known) * others
    total = total * others + known * (known_total + permuted)
    return total / weight if weight > 0.0 else np.inf


# The edges of a node are viewed from the first one on, and divisions are not asked
# whether they are by zero: then the processor computes several edges at a time.
@njit(error_model="numpy")
def write_amaf(search, first, count, block, bias):
    """Write Q* of GRAVE for each edge of a node."""
    counts, totals = amaf_counts_at(search, block), amaf_sums_at(search, block)
    places = places_at(search, first, count)
    visits = int32_at(search.edge_visits + 4 * first, count)
    sums = float64_at(search.edge_sums + 8 * first, count)
    scratch = float64_at(search.scratch, count)
    for i in range(count):
        known, known_total = np.float64(counts[places[i]]), totals[places[i]]
        n = np.float64(visits[i])
        scratch[i] = grave_value(n, sums[i], known, known_total, bias)


@njit(error_model="numpy")
def write_permuted(search, first, count, block):
    """Write Q* of MCPS for each edge of a node."""
    counts, totals = amaf_counts_at(search, block), amaf_sums_at(search, block)
    places = places_at(search, first, count)
    visits = int32_at(search.edge_visits + 4 * first, count)
    sums = float64_at(search.edge_sums + 8 * first, count)
    permutations = int32_at(search.edge_permutations + 4 * first, count)
    permuted = float64_at(search.edge_permutation_sums + 8 * first, count)
    scratch = float64_at(search.scratch, count)
    for i in range(count):
        known, known_total = np.float64(counts[places[i]]), totals[places[i]]
        n, permuting = np.float64(visits[i]), np.float64(permutations[i])
        scratch[i] = mcps_value(n, sums[i], known, known_total, permuting, permuted[i])


@njit
def random_greatest(address, count, rng):
    """Return the place of the greatest of some float64; among several a random one.

    Args:
        address: Where they are; there is room for a multiple of 64.
        count: How many.
        rng: The generator, advanced if there are several.
    """
    best = greatest(address, count)
    ties = np.int64(0)
    at = np.int64(-1)
    for first in range(0, count, 64):
        equal = equal_among(address, first, count, best)
        if equal:
            ties += count_bits(equal)
            at = first + lowest_bit(equal)
    if ties == 1:
        return at
    skipped = random_below(rng, ties)
    for first in range(0, count, 64):
        equal = equal_among(address, first, count, best)
        if skipped < count_bits(equal):
            return first + nth_bit(equal, skipped)
        skipped -= count_bits(equal)
    return at


@njit
def equal_among(address, first, count, value):
    """Return which of up to 64 float64, from one on, are equal to a value, as bits."""
    return equal_bits(address + 8 * first, value) & lanes_from(first, count)


@njit
def lanes_from(first, count):
    """Return which of the 64 from one on are among so many, as bits."""
    return bit_of(count) - _1 if count - first < 64 else ALL


@njit
def greatest(address, count):
    """Return the greatest of some float64, none of them NaN; see `random_greatest`."""
    best = -np.inf
    for first in range(0, count, 64):
        best = max(best, greatest_where(address + 8 * first, lanes_from(first, count)))
    return best
