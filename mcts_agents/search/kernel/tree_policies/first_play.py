"""First play: when an action without a visit is tried, and what it counts as before.

- `first_play_urgency` is its exploration term in an index. If it is none (here
  infinite) all actions of a node are tried first: best by the action heuristic, if
  there is one, else in random order. With an evaluator's priors (`puct.py`) none stands
  for the exploration term of an action that was tried.
- `first_play_value` is what it is worth besides: the `least` value seen, or the mean of
  its `parent` less `first_play_reduction`. With priors the reduction r is r sqrt(sum of
  P(a) over the actions tried), as in KataGo and Leela Zero, and the urgency is
  multiplied by P(a).

With `initial_visits` no action is untried, so none of this is of use. A finite urgency
takes the form of an index to which things are added (`extended.py`), which is slower
than the plain one (`TreePolicy.chooser` picks the form), and an action heuristic beside
it needs another use (`action_heuristics.py`).

Sources: S. Gelly, Y. Wang, "Exploration exploitation in Go: UCT for Monte-Carlo Go",
NIPS workshop 2006; D. Wu, "Accelerating self-play learning in Go", 2019, section 3.
"""

import numpy as np
from numba import njit

from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    scale_of,
    statistics_at,
)

# The options that are read here.
OPTIONS = ("first_play_urgency", "first_play_value", "first_play_reduction")


def numbers(settings):
    """Return what the SETTINGS record says of the options."""
    urgency = settings.first_play_urgency
    return {
        "first_play_urgency": np.inf if urgency is None else urgency,
        "first_play_parent": settings.first_play_value == "parent",
        "first_play_reduction": settings.first_play_reduction,
    }


@njit
def comes_first(view, settings):
    """Whether an untried action is to be tried before all others."""
    endless = settings.first_play_urgency == np.inf and settings.initial_visits == 0
    return view.untried > 0 and endless


@njit
def value_of_untried(view, settings, edges, priors):
    """Return Q(a) of an untried action, on the scale of the values compared.

    Args:
        view: The DECISION record.
        settings: The SETTINGS record.
        edges: The edges.
        priors: Whether there are priors.
    """
    if not settings.first_play_parent:
        return view.worst
    visits = 0.0
    total = 0.0
    tried = 0.0
    shares = 0.0
    for i in range(view.count):
        index = candidate(view, i)
        edge = edges[index]
        if priors:
            shares += statistics_at(view)[index].prior
        if edge.visits > 0:
            visits += edge.visits
            total += edge.visits * edge.mean
            if priors:
                tried += statistics_at(view)[index].prior
    if visits == 0.0:
        return view.worst
    reduction = settings.first_play_reduction
    if priors:
        reduction *= np.sqrt(tried / shares) if shares > 0.0 else 0.0
    return (total / visits - view.low) * scale_of(view) - reduction
