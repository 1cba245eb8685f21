"""Selection: those who decide choose in their tree, and the tree advances.

A tree is left where an untried action is taken in it, or at the depth limit. Where
leaves wait for an evaluator, and where nodes hold states, it is not: there a descent
ends at a position, not after an action.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel import plug_ins as plug_in
from mcts_agents.search.kernel.abstraction import show_pools
from mcts_agents.search.kernel.batch_records import batch_of
from mcts_agents.search.kernel.candidates import error_of, list_candidates
from mcts_agents.search.kernel.lane import leave
from mcts_agents.search.kernel.records import (
    UNPROVEN,
    candidate_edge,
    candidates_of,
    decision_of,
    edges_of,
    joint_action_of,
    nodes_of,
    path_of,
)
from mcts_agents.search.kernel.rewards import begin_row
from mcts_agents.search.kernel.solver import prove_path, try_actions
from mcts_agents.search.kernel.status import BAD_CHOICE, MODEL_ERROR, SLICE_DONE
from mcts_agents.search.kernel.trace import note_move
from mcts_agents.search.kernel.tree import child_of, count_players, joint_link
from mcts_agents.search.kernel.variants import EXTENDED, STORED, WAITS


@njit
def select(search, tree, mine):
    """Let the movers whom a tree owns (a mask) choose in it, and advance it."""
    node = node_of_decision(search, tree, mine)
    key = np.uint64(0)
    link = 0
    bandits = count_players(mine)
    for index in range(node, node + bandits):
        bandit = nodes_of(search)[index]
        new = bandit.count == 0
        listed = list_candidates(search, bandit)
        if listed <= 0:
            return error_of(search, listed)
        if EXTENDED:
            show_place(search, bandit, search.depth[tree])
        if new and search.solver and bandits == 1:
            search.proven = try_actions(search, bandit)
            if search.proven != UNPROVEN:
                prove_path(search, search.proven)
                return SLICE_DONE
        if search.abstracted and listed > 1:
            show_pools(search, search.depth[tree])
        link = choose(search)
        if not is_candidate(search, bandit, link):
            return MODEL_ERROR if call.failed(search) else BAD_CHOICE
        action = edges_of(search)[link].action
        step = path_of(search)[search.step_count]
        step.node = index
        step.edge = link
        if EXTENDED:
            step.probability = decision_of(search).probability
            if search.traces_trees:
                note_move(search, np.int64(bandit.player), action)
            if search.discounted:
                begin_row(search, search.step_count)
        search.step_count += 1
        joint_action_of(search)[bandit.player] = action
        if bandits > 1:
            key = mixed(key, action)
    fresh = edges_of(search)[link].visits == 0
    if bandits > 1:
        link, fresh = joint_link(search, node, key)
    search.depth[tree] += 1
    search.deepest = max(search.deepest, search.depth[tree])
    search.link[tree] = link
    if is_left(search, tree, fresh):
        leave(search, tree)
    return SLICE_DONE


@njit
def is_candidate(search, bandit, link):
    """Whether a tree policy's answer is an edge that it may take.

    Those of this package need only be tested for what no policy may do to memory.
    """
    if not bandit.first <= link < bandit.first + bandit.count:
        return False
    if search.own_policy and search.listed:
        for i in range(decision_of(search).count):
            if candidates_of(search)[i] == link:
                return True
        return False
    return True


@njit
def node_of_decision(search, tree, mine):
    """Return the node at which `mine` decide where a tree stands, made if need be."""
    if EXTENDED:
        if search.graph:
            return search.graph_node
    return child_of(search, search.link[tree], mine)


@njit
def is_left(search, tree, fresh):
    """Whether a tree ends below the link where it stands now, just taken."""
    if EXTENDED:
        search.arrived_fresh = fresh
        fresh &= not search.graph
    if WAITS or STORED:
        return False
    return fresh or search.depth[tree] == search.depth_limit


@njit
def choose(search):
    """Ask the tree policy, or that of the root, for a candidate; return its edge."""
    decision = decision_of(search)
    if decision.count == 1:
        decision.probability = 1.0
        return candidate_edge(search, 0)
    own = decision.player * search.own_ranges
    if search.normalise:
        decision.low = search.low[own]
        decision.high = search.high[own]
    else:
        decision.worst = search.low[own] if search.low[own] < np.inf else 0.0
    if EXTENDED:
        if search.has_root_policy and decision.depth == 0:
            if decision.player == search.root_player:
                return plug_in.root_policy(search)
    return plug_in.tree_policy(search)


@njit
def show_place(search, bandit, depth):
    """Tell the policy where in tree and budget the decision is."""
    decision = decision_of(search)
    decision.depth = depth
    decision.raw_value = bandit.raw_value
    decision.simulations_left = search.simulation_limit - search.simulations
    if WAITS:
        decision.simulations_left -= batch_of(search).leaves
