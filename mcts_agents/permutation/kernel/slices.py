"""A decision in slices: its begin, and some iterations at a time."""

from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.permutation.kernel.codes import forget_places, place_all
from mcts_agents.permutation.kernel.descent import begin_positions, iterate
from mcts_agents.permutation.kernel.paths import begin_paths, iterate_by_path
from mcts_agents.permutation.kernel.records import rng_of
from mcts_agents.search.kernel.status import BUDGET_SPENT, GROW, SLICE_DONE


@njit
def begin(search):
    """Begin a decision: a root that was never visited. Return the status."""
    forget_places(search)
    if search.set_words:
        place_all(search)
    search.simulations = search.forward_model_calls = search.descents = 0
    search.node_count = search.edge_count = search.block_count = 0
    search.move_count = search.entry_count = search.deepest = search.has_parts = 0
    call.copy(search)
    return begin_paths(search) if search.by_path else begin_positions(search)


@njit
def run_slice(search, iterations):
    """Run up to `iterations` iterations; return why the slice ended.

    After any status but SLICE_DONE, BUDGET_SPENT and GROW the search must be given up.
    """
    for _ in range(iterations):
        if search.simulations > 0 and (
            search.stop
            or search.simulations >= search.simulation_limit
            or search.forward_model_calls >= search.call_limit
        ):
            return BUDGET_SPENT
        rng, calls = rng_of(search), search.forward_model_calls
        before, after = rng[0], rng[1]
        status = iterate_by_path(search) if search.by_path else iterate(search)
        if status == GROW:
            rng[0], rng[1] = before, after
            search.forward_model_calls = calls
        if status != SLICE_DONE:
            return status
    return SLICE_DONE
