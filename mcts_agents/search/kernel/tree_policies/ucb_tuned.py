"""UCB-Tuned: UCB1 whose exploration shrinks with the variance of the rewards.

    exploration(a) = K sqrt(ln N(a) / n(a) * min(1/4, V(a)))
    V(a) = variance of the action's rewards + sqrt(2 ln N(a) / n(a))

Rewards are those scaled to [0, 1]; without `normalise` they are taken as they are, and
1/4 stays the greatest variance of rewards in [0, 1].

Source: P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed
bandit problem", Machine Learning 47 (2002), section 4. The manual's formula writes a
product where Auer et al. write the sum above.
"""

import numpy as np
from numba import njit

from mcts_agents.model.addresses import float64_at
from mcts_agents.search.kernel.arithmetic import LOG_TABLE_SIZE, square_root_log
from mcts_agents.search.kernel.tree_policies.extended import greatest_index
from mcts_agents.search.kernel.tree_policies.indices import (
    edges_at,
    scale_of,
    statistics_at,
)
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def exploration(view, settings, index, visits, possible):
    """Return the exploration term above, for `visits` with initial ones among them."""
    edge = edges_at(view)[index]
    logs = float64_at(view.square_root_logs, LOG_TABLE_SIZE)
    ratio = square_root_log(logs, possible) / np.sqrt(visits)
    scale = scale_of(view)
    statistic = statistics_at(view)[index]
    variance = 0.0
    if edge.visits > 0:
        variance = max(statistic.square - edge.mean * edge.mean, 0.0) * scale * scale
    if settings.initial_visits > 0:  # rewards H(s, a) as many times
        share = settings.initial_visits / visits
        distance = np.float64(statistic.heuristic)
        if edge.visits > 0:
            distance -= (edge.mean - view.low) * scale
        variance = (1.0 - share) * (variance + share * distance * distance)
    variance += ratio * np.sqrt(2.0)
    return settings.exploration * ratio * np.sqrt(min(0.25, variance))


UCB_TUNED = TreePolicy(
    "ucb_tuned", choose=greatest_index(exploration), keeps_statistics=True
)
