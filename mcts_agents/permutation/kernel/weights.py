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

from mcts_agents.model.addresses import as_pointer, float64_at
from mcts_agents.model.bits import (
    bit_of,
    count_bits,
    equal_bits,
    lowest_bit,
    nth_bit,
)
from mcts_agents.model.random import random_below
from mcts_agents.permutation.kernel.codes import padded
from mcts_agents.permutation.kernel.keys import (
    MOST_MULTIPLIED,
    clearly_best_of_few_playouts,
    clearly_best_of_grave,
    clearly_best_of_mcps,
    greatest_where,
    write_grave_values,
    write_mcps_values,
)
from mcts_agents.permutation.kernel.records import (
    NARROW_TYPES,
    WIDE_TYPES,
    amaf_at,
    columns_at,
    node_at,
    own_at,
    permuted_at,
    rng_of,
)

_1, ALL = np.uint64(1), ~np.uint64(0)


@njit(forceinline=True)
def choose_edge(search, node, reference):
    """Return the edge to take at a node, with a reference that has AMAF statistics."""
    this = node_at(search, node)
    count = np.int64(this.count)
    if this.run:
        count = padded(search.action_count)  # without lanes behind that are illegal
        row = weigh_run(search, node, reference, count)
        if row >= 0:
            return this.first + row
    else:
        weigh_edges(search, node, reference)
    return this.first + random_greatest(search.scratch, count, rng_of(search))


@njit(forceinline=True)
def weigh_run(search, node, reference, count):
    """Weigh the first edges, so many, of a node, a run.

    Returns:
        The row of the greatest Q*; -1 if that takes another look at all of them, which
        are in `scratch` then.
    """
    this = node_at(search, node)
    first, run = np.int64(this.first), np.int64(this.run)
    own = own_at(search, first)
    amaf = amaf_at(search, np.int64(node_at(search, reference).block), run)
    # At the root both kinds of statistics are of the same playouts.
    if search.permutes and node != 0:
        return best_of_mcps(search, own, amaf, permuted_at(search, first), count)
    return best_of_grave(search, own, amaf, count)


@njit(inline="always")
def best_of_mcps(search, own, amaf, permutations, count):
    """Return the row of the greatest Q* of MCPS, or -1; see `weigh_run`."""
    row = np.int64(-1)
    if search.narrow and search.simulations <= MOST_MULTIPLIED:
        row = clearly_best_of_few_playouts(own, amaf, permutations, count)
    elif not search.has_parts:
        row = clearly_best_of_mcps(search.narrow, own, amaf, permutations, count)
    if row < 0:
        out = search.scratch
        row = write_mcps_values(search.narrow, own, amaf, permutations, out, count)
    return row


@njit(inline="always")
def best_of_grave(search, own, amaf, count):
    """Return the row of the greatest Q* of GRAVE, or -1; see `weigh_run`."""
    row = np.int64(-1)
    if not search.has_parts and search.bias <= 1.0:
        row = clearly_best_of_grave(search.narrow, own, amaf, search.bias, count)
    if row < 0:
        out = search.scratch
        row = write_grave_values(search.narrow, own, amaf, search.bias, out, count)
    return row


@njit
def weigh_edges(search, node, reference):
    """Write Q* of each edge of a node, which are not a run, into `scratch`."""
    if search.narrow:
        write_values(search, node, reference, NARROW_TYPES)
    else:
        write_values(search, node, reference, WIDE_TYPES)


@njit
def write_values(search, node, reference, kinds):
    """Do what `weigh_edges` does, with statistics of two types."""
    this = node_at(search, node)
    first, count = np.int64(this.first), np.int64(this.count)
    block = np.int64(node_at(search, reference).block)
    own = columns_at(own_at(search, first), count, kinds)
    amaf = columns_at(amaf_at(search, block, 0), search.place_room, kinds)
    places, out = places_at(search, first, count), float64_at(search.scratch, count)
    if search.permutes and node != 0:
        permutations = columns_at(permuted_at(search, first), count, kinds)
        write_permuted(own, amaf, permutations, places, out)
    else:
        write_amaf(own, amaf, places, search.bias, out)


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
def write_amaf(own, amaf, places, bias, out):
    """Write Q* of GRAVE for each edge of a node."""
    visits, sums = own
    counts, totals = amaf
    for i in range(len(out)):
        known = np.float64(counts[places[i]])
        known_total = np.float64(totals[places[i]])
        n, total = np.float64(visits[i]), np.float64(sums[i])
        out[i] = grave_value(n, total, known, known_total, bias)


@njit(error_model="numpy")
def write_permuted(own, amaf, permutations, places, out):
    """Write Q* of MCPS for each edge of a node."""
    visits, sums = own
    counts, totals = amaf
    permuting, permuted = permutations
    for i in range(len(out)):
        known = np.float64(counts[places[i]])
        known_total = np.float64(totals[places[i]])
        n, total = np.float64(visits[i]), np.float64(sums[i])
        having, winning = np.float64(permuting[i]), np.float64(permuted[i])
        out[i] = mcps_value(n, total, known, known_total, having, winning)


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
