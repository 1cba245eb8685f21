"""Priors P(s, a) by an evaluator, and the noise that may be mixed into the root's.

    P(a) = exp(logit(a)) / sum of exp(logit(b)) over the legal actions b
    at the root: P'(a) = (1 - noise) P(a) + noise eta(a), eta ~ Dirichlet(alpha)

The noise (`root_noise`, `root_noise_alpha`) is mixed in once for each search of a
decision (threads and determinizations are several), in the acting player's priors: as
soon as the root has been evaluated, or at the beginning where a tree is kept
(`driver/leaf_batches.py`). Sequential halving refuses it.

A sample of a Dirichlet distribution is one of independent gamma variables, divided by
their sum. All is computed from exact operations, alike on every machine.

Sources: D. Silver et al., Nature 550 (2017), "Methods"; gamma variables: G. Marsaglia,
W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000);
normal ones by the polar method: G. Marsaglia, T. A. Bray, SIAM Review 6 (1964).
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_float
from mcts_agents.search.kernel.arithmetic import exponential, natural_log, share_out
from mcts_agents.search.kernel.parts import Condition, Part
from mcts_agents.search.kernel.records import (
    edges_of,
    nodes_of,
    rng_of,
    statistics_of,
    weights_of,
)


def is_on(settings):
    """Whether an evaluator values leaves."""
    return settings.evaluator is not None


WITH_EVALUATOR = Condition(is_on, "an evaluator")
PART = Part(
    needs={
        "root_noise": [WITH_EVALUATOR],
        "root_noise_alpha": [
            Condition(lambda s: s.root_noise > 0.0, "root_noise above 0")
        ],
    }
)


@njit
def has_prior(logits, legal):
    """Whether logits make a prior: no NaN, nothing infinite but some at -inf."""
    good, possible = 0, 0
    for action in range(len(legal)):  # no branches: several at a time
        bounded = logits[action] < np.inf
        good += bounded | (legal[action] == 0)
        possible += (logits[action] > -np.inf) & (legal[action] != 0)
    return good == len(legal) and possible > 0


@njit
def write_priors(search, node, logits):
    """Write the softmax of the logits over a bandit's edges."""
    bandit = nodes_of(search)[node]
    edges = edges_of(search)
    statistics = statistics_of(search)
    weights = weights_of(search)
    for i in range(bandit.count):
        weights[i] = logits[edges[bandit.first + i].action]
    share_out(weights, bandit.count, 1.0)
    for i in range(bandit.count):
        statistics[bandit.first + i].prior = weights[i]


@njit
def add_root_noise(search, noise, alpha):
    """Mix noise into the root player's priors at the root; return 0 without a root."""
    tree = search.root_player if search.trees > 1 else 0
    node = np.int64(edges_of(search)[tree].child)
    if node < 0:
        return 0
    while nodes_of(search)[node].player != search.root_player:
        node += 1
    bandit = nodes_of(search)[node]
    if bandit.count == 0:  # a kept one that nobody has evaluated yet
        return 0
    rng = rng_of(search)
    # A root that was kept may have more edges than there are ever legal actions.
    weights = np.empty(bandit.count)
    total = 0.0
    for i in range(bandit.count):
        weights[i] = random_gamma(rng, alpha)
        total += weights[i]
    for i in range(bandit.count):
        share = weights[i] / total if total > 0.0 else 1.0 / bandit.count
        statistic = statistics_of(search)[bandit.first + i]
        statistic.prior = (1.0 - noise) * statistic.prior + noise * share
    return 1


@njit
def log_of(x):
    """Return ln x for x > 0."""
    return natural_log(x) if x >= 1.0 else -natural_log(1.0 / x)


@njit
def random_gamma(rng, shape):
    """Return a sample of the gamma distribution of this shape, above 0, scale 1."""
    boost = 1.0
    if shape < 1.0:
        boost = exponential(log_of(1.0 - random_float(rng)) / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = random_normal(rng)
        root = 1.0 + c * x
        if root <= 0.0:
            continue
        v = root * root * root
        u = 1.0 - random_float(rng)
        if log_of(u) < 0.5 * x * x + d - d * v + d * log_of(v):
            return boost * d * v


@njit
def random_normal(rng):
    """Return a sample of the standard normal distribution."""
    while True:
        x = 2.0 * random_float(rng) - 1.0
        y = 2.0 * random_float(rng) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * np.sqrt(-2.0 * log_of(square) / square)
