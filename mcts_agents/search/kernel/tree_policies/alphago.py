"""The exploration term of AlphaGo and AlphaZero (PUCT).

    exploration(a) = K sqrt(N(a)) / (1 + n(a))

With `prior_temperature` it is multiplied by P(s, a), the action heuristic's
probability of the action, which makes it PUCT.

Sources: D. Silver et al., "Mastering the game of Go without human knowledge", Nature
550 (2017), Methods; D. Auger, A. Couetoux, O. Teytaud, "Continuous upper confidence
trees with polynomial exploration - consistency", ECML PKDD 2013. TAG's manual prints
sqrt(N / (1 + n)) and its code divides by n; this is the published form.
"""

import numpy as np
from numba import njit

from mcts_agents.search.kernel.tree_policies.extended import greatest_index
from mcts_agents.search.kernel.tree_policies.puct import puct
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def exploration(view, settings, index, visits, possible):
    """Return the exploration term above."""
    root = np.sqrt(np.float64(possible))
    return settings.exploration * root / (1.0 + visits)


ALPHAGO = TreePolicy("alphago", choose=greatest_index(exploration), evaluated=puct)
