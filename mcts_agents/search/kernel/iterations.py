"""The compiled loop of iterations around selection, evaluation and backup.

See `descent` for the algorithm. The loop runs in slices: it comes back to Python after
some iterations, so that clocks and Ctrl-C are heard and arrays can grow.

The budget `memory` ends the search here (`next_status`). `driver/memory.py` says what
nodes and edges take, and threads share the limit (`Workspace.share_memory`).
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.contract import PLAYING
from mcts_agents.search.kernel.abstraction import POOL_BYTES, pools_of
from mcts_agents.search.kernel.back_up import back_up
from mcts_agents.search.kernel.batch_records import OVER, WAITING, batch_of
from mcts_agents.search.kernel.batches import is_full, may_stop, wait
from mcts_agents.search.kernel.descent import descend
from mcts_agents.search.kernel.lane import longest_path
from mcts_agents.search.kernel.leaf_values import evaluate_leaf
from mcts_agents.search.kernel.parts import Part
from mcts_agents.search.kernel.records import (
    JOINT_BYTES,
    UNPROVEN,
    edges_of,
    joints_of,
    nodes_of,
    results_of,
    values_of,
)
from mcts_agents.search.kernel.rollout import choose_by_policy
from mcts_agents.search.kernel.status import (
    BUDGET_SPENT,
    EVALUATE,
    GROW,
    LACKS_EDGES,
    LACKS_JOINTS,
    LACKS_NODES,
    LACKS_POOLS,
    NO_LIMIT,
    NOT_FINITE,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import count_players
from mcts_agents.search.kernel.variants import EXTENDED, STORED, WAITS

MEBIBYTE = 1 << 20

PART = Part(
    fields=[
        ("cut_short", np.int64),  # the only simulation was stopped on its way
        ("memory_limit", np.int64),  # bytes; 0: none
        ("node_bytes", np.int64),  # what one takes, statistics and state included
        ("edge_bytes", np.int64),
    ],
    values=lambda model, settings: {"memory_limit": (settings.memory or 0) * MEBIBYTE},
    extended=lambda settings: settings.memory is not None,
)


@njit(inline="always")
def run_slice(search, iterations, call_limit):
    """Run up to `iterations` iterations; return why the slice ended.

    Nothing is half done when it returns for want of room or budget: the next slice goes
    on where this one ended. After any status but SLICE_DONE, BUDGET_SPENT, GROW and
    EVALUATE the search must be given up. EVALUATE asks for the answers to a batch, by
    `take_answers`.
    """
    for _ in range(iterations):
        if WAITS:
            if is_full(search):
                return EVALUATE if batch_of(search).lane_count > 0 else SLICE_DONE
        status = next_status(search, call_limit)
        if WAITS:
            if status == BUDGET_SPENT and batch_of(search).lane_count > 0:
                return EVALUATE
        if status == SLICE_DONE:
            status = iterate(search)
        if status != SLICE_DONE:
            return status
    return SLICE_DONE


@njit(inline="always")
def iterate(search):
    """Run one iteration, or as much of it as can be done before its leaf is valued."""
    before = search.forward_model_calls
    status = descend(search)
    if status != SLICE_DONE:
        return status
    if WAITS:
        batch = batch_of(search)
        if batch.ending != WAITING and search.step_count > 0:
            search.idle += search.stored and search.forward_model_calls == before
        if batch.ending != OVER:
            return wait(search)
        batch.others += batch.lane_count > 0
    elif STORED:
        search.idle += search.forward_model_calls == before
    return take_in_leaf(search)


@njit
def next_status(search, call_limit):
    """Return SLICE_DONE if another iteration may begin, else why it may not."""
    if search.stop:
        if search.simulations > 0:
            return BUDGET_SPENT
        if WAITS:
            if may_stop(search):
                return BUDGET_SPENT
    # A tree that is searched to its ends costs no calls; this must not go on for ever.
    if search.forward_model_calls + search.idle >= call_limit:
        return BUDGET_SPENT
    if search.solver and edges_of(search)[0].outcome != UNPROVEN:
        return BUDGET_SPENT
    lacking = lacking_room(search)
    if lacking != 0:
        search.lacking = lacking
        return GROW
    if EXTENDED and search.simulations > 0:
        if search.memory_limit > 0 and memory_used(search) > search.memory_limit:
            return BUDGET_SPENT
    return SLICE_DONE


@njit
def take_in_leaf(search):
    """Value the state that was reached, and back its values up.

    An iteration that was stopped on its way is left out, unless it is the only one:
    the sum of its rewards would be compared with those of whole rollouts.
    """
    stopped = search.stop
    if stopped and search.simulations > 0:
        return BUDGET_SPENT
    status = evaluate_leaf(search)
    if status == SLICE_DONE:
        for player in range(search.players):
            # Written so that NaN does not pass.
            if not abs(values_of(search)[player]) < np.inf:
                return NOT_FINITE
        if stopped:
            unfinished = results_of(search).min() == PLAYING
            shorter = search.rollout_actions < search.rollout_limit
            search.cut_short = unfinished and shorter
        back_up(search)
        search.simulations += 1
    return status


@njit
def memory_used(search):
    """Return the bytes that trees take, after one more iteration at the most.

    Hash tables are at most half and, once they have grown, at least a quarter full.
    """
    nodes = search.node_count + new_nodes(search)
    edges = search.edge_count + new_edges(search, search.deepest + 2)
    joints = search.joint_count + 2 * search.trees + 1
    tables = 4 * joints * JOINT_BYTES
    if search.abstracted:
        tables += most_pools(search, search.deepest + 2) * POOL_BYTES
    return nodes * search.node_bytes + edges * search.edge_bytes + tables


@njit
def new_nodes(search):
    """Return the most nodes that one more iteration may add.

    One for each mover in each tree; the first iteration of a closed loop makes the
    root, too, and so may that of a graph.
    """
    return (search.trees + (search.stored or search.graph)) * search.players


@njit
def new_edges(search, longest):
    """Return the most edges that one more iteration may add, on a path so long.

    Each bandit on the way may move its block of edges, if legal sets vary.
    """
    if search.path_determined:
        return search.players * search.legal_limit + search.trees
    edges = 2 * (search.widest + search.legal_limit)
    return edges * search.players * longest + (longest + 2) * search.trees


@njit
def most_pools(search, longest):
    """Return the most pools that there may be after an iteration on a path so long."""
    return search.pool_count + search.players * longest


@njit
def lacking_room(search):
    """Return which arrays may be too short for one more iteration, as bits."""
    lacking = 0
    if search.node_count + new_nodes(search) > len(nodes_of(search)):
        lacking |= LACKS_NODES
    longest = longest_path(search)
    if search.edge_count + new_edges(search, longest) > len(edges_of(search)):
        lacking |= LACKS_EDGES
    joints = 2 * search.trees + 1
    if EXTENDED:
        if search.graph:  # a joint action and a position at each decision
            joints = 2 * longest + 1
    if 2 * (search.joint_count + joints) > len(joints_of(search)):
        lacking |= LACKS_JOINTS
    if search.abstracted and most_pools(search, longest) > len(pools_of(search)):
        lacking |= LACKS_POOLS
    return lacking


@njit
def run_playouts(search, count):
    """Play `count` playouts from the root state with no tree; return `count`."""
    for _ in range(count):
        call.copy(search)
        if search.has_playout:
            call.playout(search, NO_LIMIT)
        else:
            step_to_the_end(search)
    return count


@njit
def run_random_games(search, count):
    """Step through `count` random games; return the number of actions applied."""
    actions = 0
    for _ in range(count):
        call.copy(search)
        actions += step_to_the_end(search)
    return actions


@njit
def step_to_the_end(search):
    """Apply uniformly random actions, one call of the table at a time."""
    actions = 0
    while True:
        movers = call.movers(search)
        if movers == 0:
            return actions
        if choose_by_policy(search, movers) != SLICE_DONE:
            return actions
        call.apply(search)
        actions += count_players(movers)
        if call.failed(search):
            return actions
