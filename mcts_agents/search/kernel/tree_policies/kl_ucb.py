"""KL-UCB: the greatest value that an action's rewards do not make implausible.

    exploration(a) = q(a) - p(a)
    q(a) = max {q in [p(a), 1]: n(a) d(p(a), q) <= K ln N(a)}
    d(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q))

The rewards of the paper lie between 0 and 1. So do shares of a win, whose mean is p(a).
Of scores and evaluations nobody knows the bounds. There p(a) is the mean on a scale
from the least value seen to as far above the greatest one as that is above the least:
on the scale of what was seen alone, an action that always brought the greatest value
would be beyond doubt, and none that might bring more would ever be tried again. The
difference is brought to the scale of Q(a) in either case.

For rewards of 0 and 1 no bound of this kind is tighter: actions that nearly always win
or lose are explored less than by UCB1. q(a) is found by halving.

The exploration never exceeds what is left to the upper end, so that a prior as a factor
would keep an action from being tried however long the search is; it is refused.

Source: A. Garivier, O. Cappe, "The KL-UCB algorithm for bounded stochastic bandits and
beyond", COLT 2011, Algorithm 1 with c = 0, which the paper recommends in practice (K is
ours; there it is 1).
"""

import numpy as np
from numba import njit

from mcts_agents.model.addresses import float64_at
from mcts_agents.search.kernel.arithmetic import (
    LOG_TABLE_SIZE,
    natural_log,
    square_root_log,
)
from mcts_agents.search.kernel.tree_policies.extended import greatest_index
from mcts_agents.search.kernel.tree_policies.indices import (
    edges_at,
    scale_of,
    statistics_at,
)
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy

# After so many halvings of an interval within [0, 1] its length is below 1e-9.
HALVINGS = 30


@njit
def divergence(p, q):
    """Return d(p, q), the divergence of Bernoulli distributions, for p <= q < 1."""
    total = (1.0 - p) * natural_log((1.0 - p) / (1.0 - q))
    if p > 0.0:
        total -= p * natural_log(q / p)
    return total


@njit
def upper_bound(p, most):
    """Return the greatest q from p to 1 for which d(p, q) <= most."""
    low, high = p, 1.0
    for _ in range(HALVINGS):
        q = 0.5 * (low + high)
        if q < 1.0 and divergence(p, q) <= most:
            low = q
        else:
            high = q
    return low


@njit
def exploration(view, settings, index, visits, possible):
    """Return the exploration term above, for `visits` with initial ones among them."""
    edge = edges_at(view)[index]
    scale = scale_of(view)
    mean = 0.0
    if edge.visits > 0:
        mean = (edge.mean - view.low) * scale
    if settings.initial_visits > 0:
        heuristic = np.float64(statistics_at(view)[index].heuristic)
        mean = (edge.visits * mean + settings.initial_visits * heuristic) / visits
    span = view.high - view.low if scale > 0.0 else 1.0
    p = view.low + mean * span if settings.shares else 0.5 * mean
    p = min(max(p, 0.0), 1.0)
    root = square_root_log(float64_at(view.square_root_logs, LOG_TABLE_SIZE), possible)
    q = upper_bound(p, settings.exploration * root * root / visits)
    return (q - p) / span if settings.shares else 2.0 * (q - p)


KL_UCB = TreePolicy(
    "kl_ucb",
    choose=greatest_index(exploration),
    ignores=("normalise", "prior_temperature"),
)
