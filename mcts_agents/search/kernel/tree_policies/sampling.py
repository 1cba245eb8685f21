"""What sampling policies share: drawing an action from a distribution.

A sampling policy mixes its distribution with uniform exploration: p(a) = (1 - epsilon)
strategy(a) + epsilon / k. It adds up `strategy`, exploration left out; the normalised
sum is the average strategy, from which the final move is drawn.

`epsilon` is the learning rate of `exp3` as well (`exp3.py`), and `epsilon_greedy`,
which keeps no strategy, reads it too (`uniform.py`).
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_below, random_float
from mcts_agents.search.kernel.tree_policies.indices import candidate, statistics_at


@njit
def sample(view, settings, rng, strategy, total):
    """Draw a candidate and write its probability into the view.

    Args:
        view: The DECISION record.
        settings: The SETTINGS record.
        rng: The search's generator.
        strategy: Weight of each candidate, float64, not negative.
        total: Their sum; 0 stands for a uniform strategy.
    """
    statistics = statistics_at(view)
    for i in range(view.count):
        share = strategy[i] / total if total > 0.0 else 1.0 / view.count
        strategy[i] = share
        statistics[candidate(view, i)].strategy += share
    explore = settings.epsilon / view.count
    if random_float(rng) < settings.epsilon:
        chosen = random_below(rng, view.count)
    else:
        left = random_float(rng)
        chosen = view.count - 1
        for i in range(view.count):
            left -= strategy[i]
            if left < 0.0:
                chosen = i
                break
        while chosen > 0 and strategy[chosen] == 0.0:  # the sum fell short of 1
            chosen -= 1
    view.probability = (1.0 - settings.epsilon) * strategy[chosen] + explore
    return candidate(view, np.int64(chosen))
