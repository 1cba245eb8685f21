"""UCB1 applied to trees (UCT), with availability counts and normalised rewards.

    J(a) = (Q(a) - low) / (high - low) + K sqrt(ln N(a) / n(a))

Q(a) is the mean value of action a for the player who decides, n(a) how often it was
taken, N(a) how often it could have been taken; low and high are the least and greatest
value seen in the search, so that K means the same in every game. While an available
action is untried, one of the untried is taken, all equally likely.

Sources: L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006;
N(a) in place of N: P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo
tree search", IEEE TCIAIG 4 (2012); Goodman et al., "MultiTree MCTS in tabletop games",
CoG 2022, sections II and IV.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at, int32_at
from mcts_agents.model.random import random_below
from mcts_agents.search.solver import ALL_DRAW, UNPROVEN
from mcts_agents.search.tree import DECISION, EDGE, SETTINGS

# sqrt(ln N) is looked up for N below this and computed above.
LOG_TABLE_SIZE = 1 << 14
LN_2 = 0.6931471805599453

# Taken off the value of an action that is proven to lose: any other one is better.
LOST_ALREADY = 1e12


@njit
def natural_log(x):
    """Return ln x for x >= 1 from exact operations only, alike on every machine.

    The library's log differs in its last bit between platforms, and one bit is enough
    for another decision. Relative error below 1e-15.
    """
    halvings = 0
    while x > 1.5:
        x *= 0.5
        halvings += 1
    # ln x = 2 artanh((x - 1) / (x + 1)), |argument| <= 1/5 for x in (0.75, 1.5]
    z = (x - 1.0) / (x + 1.0)
    square = z * z
    total = 0.0
    for k in range(25, 0, -2):
        total = total * square + 1.0 / k
    return halvings * LN_2 + 2.0 * z * total


@njit
def fill_square_root_logs(table):
    """Write sqrt(ln N) at each N >= 1, and 0 at 0."""
    table[0] = 0.0
    for n in range(1, len(table)):
        table[n] = np.sqrt(natural_log(float(n)))
    return 0


@njit
def square_root_log(table, n):
    """Return sqrt(ln n) for n >= 1."""
    if n < LOG_TABLE_SIZE:
        return table[n]
    return np.sqrt(natural_log(float(n)))


@njit
def random_untried(view, edges, rng):
    """Return the index of an untried candidate, all equally likely."""
    left = random_below(rng, view.untried)
    candidates = int32_at(view.candidates, view.count)
    for i in range(view.count):
        index = view.first + i if view.candidates == 0 else np.int64(candidates[i])
        if edges[index].visits == 0:
            if left == 0:
                return index
            left -= 1
    raise ValueError("a node counts more untried actions than it has")


@njit
def ucb1(view_address, settings_address, rng_address):
    """Return the index of the edge to take (`view`: DECISION, `params`: SETTINGS)."""
    view = carray(as_pointer(view_address), 1, DECISION)[0]
    edges = carray(as_pointer(view.edges), view.edges_length, EDGE)
    if view.untried > 0:
        rng = carray(as_pointer(rng_address), 2, np.uint64)
        return random_untried(view, edges, rng)
    settings = carray(as_pointer(settings_address), 1, SETTINGS)[0]
    logs = float64_at(view.square_root_logs, LOG_TABLE_SIZE)
    scale = 1.0 / (view.high - view.low) if view.high > view.low else 0.0
    best = view.first
    best_value = -np.inf
    if view.candidates == 0:
        # Every edge was available on every visit: N(a) is the node's.
        exploration = settings.exploration * square_root_log(logs, view.visits)
        for index in range(view.first, view.first + view.count):
            edge = edges[index]
            value = edge.mean * scale + exploration * edge.inverse_root
            if edge.outcome != UNPROVEN and edge.outcome != ALL_DRAW:
                value -= LOST_ALREADY  # a won one would have ended the descent
            if value > best_value:
                best_value = value
                best = index
        return best
    candidates = int32_at(view.candidates, view.count)
    for i in range(view.count):
        edge = edges[candidates[i]]
        # This visit is counted in `available` already.
        possible = np.int64(edge.available - 1)
        exploration = settings.exploration * square_root_log(logs, possible)
        value = edge.mean * scale + exploration * edge.inverse_root
        if value > best_value:
            best_value = value
            best = np.int64(candidates[i])
    return best
