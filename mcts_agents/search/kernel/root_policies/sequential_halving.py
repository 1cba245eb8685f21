"""Sequential halving at the root: many actions a little, few of them often.

The budget of n simulations is shared among ceil(log2 m) rounds, for m actions. In each
all actions that are left are taken equally often, and the better half of them by their
mean value goes on to the next. It looks for the best action, where bandit policies such
as UCB1 keep what is lost on the way small.

It is done without lists: an action takes part as long as it has as many visits as the
schedule has come to, and of these the best by mean value is next. So where a round
begins, when all that took part have equal visits, the better half is taken first, and
the schedule never comes back to the others.

A visit that waits for an evaluator counts `virtual_loss` times as one of the least
value seen, but once in the schedule. An action that is proven to lose is taken only if
all others are.

Sources: Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in multi-armed
bandits", ICML 2013, figure 1; at the root of a tree: T. Pepels, T. Cazenave, M.
Winands, M. Lanctot, "Minimizing simple and cumulative regret in Monte-Carlo tree
search", CGW 2014.
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.root_policies.root_policy import RootPolicy
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    is_lost,
    rng_at,
    scale_of,
    statistics_at,
)


@njit
def visits_due(taken, actions, budget, odd):
    """Return the visits of the actions among which the next one is.

    Args:
        taken: Simulations made.
        actions: Actions at the root, m.
        budget: Simulations in all, n.
        odd: Of an odd number of actions, 1: the greater half goes on to the next round;
            0: the smaller one.
    """
    rounds = 0
    while np.int64(1) << rounds < actions:
        rounds += 1
    left, width, visits = taken, actions, np.int64(0)
    while True:
        each = max(1, budget // (max(rounds, 1) * width))
        if left < each * width:
            return visits + left // width
        left -= each * width
        visits += each
        width = max(2, (width + odd) // 2)


@njit
def descents(settings, edge, statistic):
    """Return how often an action was taken: each that waits counts once."""
    waiting = statistic.virtual_visits
    if settings.virtual_loss > 1:
        waiting //= settings.virtual_loss
    return edge.visits + waiting


@njit
def halve(view_address, settings_address, rng_address):
    """Return the edge of greatest mean value among those whose turn it is."""
    view = decision_at(view_address)
    settings = settings_at(settings_address)
    edges = edges_at(view)
    statistics = statistics_at(view)
    taken = np.int64(0)
    for i in range(view.count):
        index = candidate(view, i)
        taken += descents(settings, edges[index], statistics[index])
    due = visits_due(taken, view.count, taken + view.simulations_left, 1)
    best = np.int64(-1)
    best_visits, best_value, ties = np.int64(-1), 0.0, 0
    for lost in range(2):
        for i in range(view.count):
            index = candidate(view, i)
            edge = edges[index]
            virtual = statistics[index].virtual_visits
            visits = descents(settings, edge, statistics[index])
            # Who is behind the schedule, because descents were given up, catches up.
            if (
                visits > due
                or visits < best_visits
                or is_lost(view, edge) != (lost == 1)
            ):
                continue
            value = view.worst
            if edge.visits > 0:
                value = (edge.mean - view.low) * scale_of(view)
                value = value * edge.visits + view.worst * virtual
                value /= edge.visits + virtual
            if visits > best_visits or value > best_value:
                best, best_visits, best_value, ties = index, visits, value, 1
            elif value == best_value:
                ties += 1
                if random_below(rng_at(rng_address), ties) == 0:
                    best = index
        if best >= 0:
            return best
    return candidate(view, random_below(rng_at(rng_address), view.count))


def own_visits_only(name, reason):
    """Return the `check` of a policy that counts on the visits that it has made.

    Args:
        name: The policy's.
        reason: What it does, for the message.
    """

    def check(settings):
        for option, allowed in (
            ("reuse_tree", False),
            ("widening", 0.0),
            ("root_noise", 0.0),
        ):
            if getattr(settings, option) != allowed:
                raise ValueError(
                    f"{option}={getattr(settings, option)!r}: root_policy={name!r} "
                    f"{reason}; use {option}={allowed!r}"
                )
        if settings.virtual_loss == 0 and settings.batch > 1:
            raise ValueError(
                f"virtual_loss=0: root_policy={name!r} shares out "
                f"batch={settings.batch} leaves by the visits that wait; use "
                "virtual_loss=1 or more, or batch=1"
            )

    return check


SEQUENTIAL_HALVING = RootPolicy(
    "sequential_halving",
    choose=halve,
    needs_simulations=True,
    check=own_visits_only(
        "sequential_halving", "shares visits out by a schedule of its own"
    ),
)
