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
from mcts_agents.model.random import random_below
from mcts_agents.permutation.kernel.records import nodes_of, rng_of

_1, _2 = np.uint64(1), np.uint64(2)


@njit
def choose_edge(search, node, reference):
    """Return the edge to take at a node, with a reference that has AMAF statistics."""
    weigh_edges(search, node, reference)
    this = nodes_of(search)[node]
    values = float64_at(search.scratch, np.int64(this.count))
    return this.first + random_greatest(values, rng_of(search))


@njit
def weigh_edges(search, node, reference):
    """Write Q* of each edge of a node into `scratch`."""
    this = nodes_of(search)[node]
    first, count = this.first, np.int64(this.count)
    block = nodes_of(search)[reference].block
    if search.permutes and node != 0:
        write_permuted(search, first, count, block)
    else:
        # At the root both kinds of statistics are of the same playouts.
        write_amaf(search, first, count, block, search.bias)


@njit
def block_at(search, block):
    """View a block of AMAF statistics: COUNT and SUM of each place."""
    size = 2 * search.place_room
    return float64_at(search.amaf + 8 * size * block, size)


@njit
def places_at(search, first, count):
    """View the places of some edges' moves."""
    return carray(as_pointer(search.edge_places + 4 * first), count, np.uint32)


# The edges of a node are viewed from the first one on, and divisions are not asked
# whether they are by zero: then the processor computes several edges at a time.
@njit(error_model="numpy")
def write_amaf(search, first, count, block, bias):
    """Write Q* of GRAVE for each edge of a node."""
    amaf, places = block_at(search, block), places_at(search, first, count)
    visits = float64_at(search.edge_visits + 8 * first, count)
    sums = float64_at(search.edge_sums + 8 * first, count)
    scratch = float64_at(search.scratch, count)
    for i in range(count):
        at = _2 * np.uint64(places[i])
        n, known = visits[i], amaf[at]
        weight = known + n + bias * known * n
        total = (1.0 + bias * known) * sums[i] + amaf[at + _1]
        scratch[i] = total / weight if weight > 0.0 else np.inf


@njit(error_model="numpy")
def write_permuted(search, first, count, block):
    """Write Q* of MCPS for each edge of a node."""
    amaf, places = block_at(search, block), places_at(search, first, count)
    visits = float64_at(search.edge_visits + 8 * first, count)
    sums = float64_at(search.edge_sums + 8 * first, count)
    permutations = float64_at(search.edge_permutations + 8 * first, count)
    permuted = float64_at(search.edge_permutation_sums + 8 * first, count)
    scratch = float64_at(search.scratch, count)
    for i in range(count):
        at = _2 * np.uint64(places[i])
        n, known = visits[i], amaf[at]
        others = max(known + permutations[i], 1.0)
        weight = (n + known) * others
        total = sums[i] * others + known * (amaf[at + _1] + permuted[i])
        scratch[i] = total / weight if weight > 0.0 else np.inf


@njit
def random_greatest(values, rng):
    """Return the place of the greatest value; among several a random one."""
    best = greatest(values)
    at, ties = np.int64(-1), np.int64(0)
    for i in range(len(values)):  # without a branch, for several at a time
        equal = values[i] == best
        at = max(at, i if equal else np.int64(-1))
        ties += np.int64(equal)
    if ties > 1:
        skipped = random_below(rng, ties)
        for i in range(len(values)):
            if values[i] == best:
                if skipped == 0:
                    return i
                skipped -= 1
    return at


# No value is NaN, which lets the processor compare several at a time.
@njit(fastmath={"nnan", "nsz"})
def greatest(values):
    """Return the greatest of some values."""
    best = -np.inf
    for i in range(len(values)):
        best = max(best, values[i])
    return best
