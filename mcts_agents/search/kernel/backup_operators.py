"""Backups: what a decision passes up the path besides the iteration's own value.

Every decision takes the value vector r that comes up into its means and passes one on.
Monte Carlo passes r unchanged and is part of the kernel; here are the others. Q(a) is
the mean value vector of action a, this iteration included; `best` is the action of
greatest mean value to the player who decides.

- `lambda`:      l r + (1 - l) Q(taken), on-policy temporal difference
- `max_lambda`:  l r + (1 - l) Q(best), off-policy
- `max_mc`:      r if the action taken is the best, or the node has at most T visits;
                 else (1 - w) r + w Q(best), w = (N - T) / N

A decision among simultaneous ones changes only its own player's entry.

Source: P. Khandelwal, E. Liebman, S. Niekum, P. Stone, "On the analysis of complex
backup strategies in Monte Carlo tree search", ICML 2016; `max_mc` as in TAG's manual.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at
from mcts_agents.search.kernel.parts import Part, one_of
from mcts_agents.search.kernel.records import BACKUP, EDGE, settings_at


def is_complex(settings):
    """Whether decisions change what they pass up."""
    return settings.backup != "monte_carlo"


PART = Part(
    fields=[("complex_backup", np.int64)],
    values=lambda model, settings: {"complex_backup": is_complex(settings)},
    numbers=lambda settings: {
        "backup_lambda": settings.backup_lambda,
        "backup_threshold": settings.backup_threshold,
    },
    needs={
        "backup_lambda": [one_of("backup", "lambda", "max_lambda")],
        "backup_threshold": [one_of("backup", "max_mc")],
    },
    keeps_statistics=is_complex,
)


@njit
def best_edge(view):
    """Return the visited edge of greatest mean to the player who decides."""
    edges = carray(as_pointer(view.edges), view.edges_length, EDGE)
    best = view.edge
    for index in range(view.first, view.first + view.count):
        if edges[index].visits > 0 and edges[index].mean > edges[best].mean:
            best = index
    return best


@njit
def blend(view, index, weight):
    """Move the values passed up towards Q of an edge by `weight`."""
    values = float64_at(view.values, view.players)
    means = float64_at(view.edge_values, view.edges_length * view.players)
    for player in range(view.players):
        if player == view.player or not view.simultaneous:
            mean = means[index * view.players + player]
            values[player] += weight * (mean - values[player])


@njit
def view_at(address):
    """View the BACKUP record at an address."""
    return carray(as_pointer(address), 1, BACKUP)[0]


@njit
def lambda_return(view_address, settings_address, rng_address):
    """Pass up a mixture of the value and the taken action's mean."""
    view = view_at(view_address)
    blend(view, view.edge, 1.0 - settings_at(settings_address).backup_lambda)
    return 0


@njit
def max_lambda(view_address, settings_address, rng_address):
    """Pass up a mixture of the value and the best action's mean."""
    view = view_at(view_address)
    blend(view, best_edge(view), 1.0 - settings_at(settings_address).backup_lambda)
    return 0


@njit
def max_mc(view_address, settings_address, rng_address):
    """Correct the value of an exploratory action towards the best one's mean."""
    view = view_at(view_address)
    threshold = settings_at(settings_address).backup_threshold
    best = best_edge(view)
    if view.visits > threshold and best != view.edge:
        blend(view, best, (view.visits - threshold) / view.visits)
    return 0


BACKUPS = {"lambda": lambda_return, "max_lambda": max_lambda, "max_mc": max_mc}
