"""One compiled Monte Carlo tree search for any number of trees and players.

    repeat:
        copy the root state, redeterminise it where information is hidden
        while the game goes on and rollout actions are left:
            every mover chooses: in its tree, or at random once its tree was left
            the joint action is applied, each tree advances by its players' actions
        value the final state for each player
        back the values up along each tree's own path

A tree advances by the actions of the players it owns; that alone makes the variants:

    MaxN, Paranoid                     one tree that owns everybody
    Self-only                          one tree that owns the root player
    MultiTree, MultiTree-Paranoid      one tree a player (Algorithm 1)

With several movers in one tree every mover has its own bandit, which chooses without
seeing the others (decoupled UCT). With one tree a player the trees are simultaneous by
themselves. Paranoid changes only the values that are backed up.

A tree is left, and its players play at random from then on, when an untried action is
taken in it. The node below that action is made when the action is taken a second time,
which is the same search with as many fewer nodes as there are leaves.

Sources: Goodman, Perez-Liebana, Lucas, "MultiTree MCTS in tabletop games", CoG 2022,
Algorithm 1; information sets: Cowling, Powley, Whitehouse 2012; decoupled UCT: H.
Finnsson, Y. Bjornsson, "Simulation-based approach to general game playing", AAAI 2008.
"""

import numpy as np
from numba import njit

from mcts_agents.model.addresses import int64_at
from mcts_agents.model.contract import PLAYING
from mcts_agents.model.random import random_below
from mcts_agents.search import calls as call
from mcts_agents.search.solver import (
    UNPROVEN,
    outcome_of_results,
    prove_path,
    try_actions,
    write_results,
)
from mcts_agents.search.tree import (
    GAME_OVER,
    NONE,
    append_edge,
    candidates_of,
    child_of,
    decision_of,
    edges_of,
    joint_action_of,
    joint_link,
    joints_of,
    legal_of,
    mixed,
    nodes_of,
    path_of,
    reserve_edges,
    results_of,
    rng_of,
    slots_of,
    values_of,
)

# What a slice ends with.
NO_LIMIT = np.iinfo(np.int64).max

SLICE_DONE, BUDGET_SPENT, GROW, MODEL_ERROR, NO_LEGAL_ACTION = range(5)


@njit
def run_slice(search, iterations, call_limit):
    """Run up to `iterations` iterations; return why the slice ended.

    Nothing is half done when it returns for want of room or budget: the next slice
    goes on where this one ended. After MODEL_ERROR or NO_LEGAL_ACTION the search must
    be given up.
    """
    for _ in range(iterations):
        if search.forward_model_calls >= call_limit:
            return BUDGET_SPENT
        if search.solver and edges_of(search)[0].outcome != UNPROVEN:
            return BUDGET_SPENT
        if not has_room(search):
            return GROW
        status = descend(search)
        if status == SLICE_DONE:
            status = evaluate_leaf(search)
        if status != SLICE_DONE:
            return status
        back_up(search)
        search.simulations += 1
    return SLICE_DONE


@njit
def has_room(search):
    """Whether one more iteration surely fits into the arrays.

    A tree gains at most one node an iteration. Each bandit on the way may move its
    block of edges, if legal sets vary; no path is longer than the deepest yet plus one.
    """
    edges = search.players * search.legal_limit
    if not search.path_determined:
        edges = 2 * (search.widest + search.legal_limit)
        edges *= search.players * (search.deepest + 2)
    edges += search.trees
    return (
        search.node_count + search.trees * search.players <= len(nodes_of(search))
        and search.edge_count + edges <= len(edges_of(search))
        and 2 * (search.joint_count + search.trees) <= len(joints_of(search))
    )


@njit
def descend(search):
    """Selection, expansion and rollout on one trajectory (Algorithm 1, lines 1-16)."""
    call.copy(search)
    if search.information_set:
        call.redeterminise(search)
    search.step_count = 0
    search.rollout_actions = 0
    search.proven = UNPROVEN
    search.active = search.trees
    for tree in range(search.trees):
        search.link[tree] = tree
        search.depth[tree] = 0
    while not failed(search):
        if search.solver and search.active > 0:
            search.proven = edges_of(search)[search.link[0]].outcome
            if search.proven != UNPROVEN:
                break
        movers = who_moves(search)
        if movers == 0:
            break
        if search.active == 0 and search.has_playout:
            left = search.rollout_limit - search.rollout_actions
            if left > 0:
                played = call.playout(search, left)
                search.rollout_actions += played
                search.forward_model_calls += played
            break
        in_trees = tree_players(search, movers)
        rolling = movers & ~in_trees
        if search.active > 0:  # others of a player's own tree are modelled, not rolled
            rolling &= search.owned
        search.rollout_actions += count_bits(rolling)
        if search.rollout_actions > search.rollout_limit:
            break
        for tree in range(search.trees):
            if in_trees & search.owns[tree]:
                status = select(search, tree, movers)
                if status != SLICE_DONE:
                    return status
        if search.proven != UNPROVEN:  # by the actions of a new node
            break
        status = choose_at_random(search, movers & ~in_trees)
        if status != SLICE_DONE:
            return status
        call.apply(search)
        search.forward_model_calls += count_bits(movers)
    return MODEL_ERROR if failed(search) else SLICE_DONE


@njit
def failed(search):
    """Whether a callback into Python raised an exception (checked after every one)."""
    return int64_at(search.error) != 0


@njit
def count_bits(mask):
    """Return the number of players in a bit mask."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit
def who_moves(search):
    """Return the movers' mask, from the tree where the path determines it."""
    if not (search.path_determined and search.active > 0):
        return call.movers(search)
    link = search.link[0]
    child = edges_of(search)[link].child
    if child >= 0:
        return nodes_of(search)[child].movers
    if child == GAME_OVER:
        return 0
    movers = call.movers(search)
    if movers == 0:
        edges_of(search)[link].child = GAME_OVER
    return movers


@njit
def tree_players(search, movers):
    """Return the movers who choose in a tree."""
    players = 0
    for tree in range(search.trees):
        if search.link[tree] != NONE:
            players |= movers & search.owns[tree]
    return players


@njit
def select(search, tree, movers):
    """Let the movers whom a tree owns choose in it, and advance it (lines 9-15)."""
    mine = movers & search.owns[tree]
    node = child_of(search, search.link[tree], mine)
    key = np.uint64(0)
    link = 0
    bandits = count_bits(mine)
    for index in range(node, node + bandits):
        bandit = nodes_of(search)[index]
        new = bandit.count == 0
        if not list_candidates(search, bandit):
            return MODEL_ERROR if failed(search) else NO_LEGAL_ACTION
        if new and search.solver and bandits == 1:
            search.proven = try_actions(search, bandit)
            if search.proven != UNPROVEN:
                prove_path(search, search.proven)
                return SLICE_DONE
        link = choose(search, bandit)
        path_of(search)[search.step_count].node = index
        path_of(search)[search.step_count].edge = link
        search.step_count += 1
        action = edges_of(search)[link].action
        joint_action_of(search)[bandit.player] = action
        if bandits > 1:
            key = mixed(key, action)
    fresh = edges_of(search)[link].visits == 0
    if bandits > 1:
        link, fresh = joint_link(search, node, key)
    search.depth[tree] += 1
    search.deepest = max(search.deepest, search.depth[tree])
    if fresh or search.depth[tree] == search.depth_limit:
        search.link[tree] = NONE
        search.active -= 1
    else:
        search.link[tree] = link
    return SLICE_DONE


@njit
def list_candidates(search, bandit):
    """Bring a bandit's edges up to date with the state; return how many are legal.

    Fills the DECISION record. Where the path determines the state the edges are made
    once; elsewhere an edge is a candidate if its action is legal in this very state.
    """
    decision = decision_of(search)
    decision.player = bandit.player
    decision.visits = bandit.visits
    if search.path_determined and bandit.count > 0:
        n = np.int64(bandit.count)
        decision.candidates = 0
        decision.untried = n - bandit.tried
    else:
        n = call.legal_actions(search, bandit.player)
        if n <= 0 or n > search.legal_limit or failed(search):
            return 0
        decision.candidates = match_edges(search, bandit, n)
        decision.untried = n
        if not search.path_determined:
            decision.untried = count_untried(search, n)
    decision.first = bandit.first
    decision.count = n
    return n


@njit
def match_edges(search, bandit, n):
    """Find or make the edge of each legal action; return the candidates' address."""
    before = bandit.count
    edges = edges_of(search)
    slots = slots_of(search)
    if before == 0:
        reserve_edges(search, bandit, n)
    for i in range(before):
        slots[edges[bandit.first + i].action] = i
    for i in range(n):
        action = legal_of(search)[i]
        # Other bandits wrote into `slots` too: believe an entry only if it fits here.
        slot = slots[action]
        if slot >= before or edges[bandit.first + slot].action != action:
            if bandit.count == bandit.capacity:
                reserve_edges(search, bandit, bandit.count + n - i)
            slot = append_edge(search, bandit, action) - bandit.first
        candidates_of(search)[i] = slot
    search.widest = max(search.widest, bandit.count)
    if search.path_determined:
        return 0
    for i in range(n):
        candidates_of(search)[i] += bandit.first
    return search.candidates


@njit
def count_untried(search, n):
    """Count the candidates without a visit; each candidate was available once more."""
    untried = 0
    for i in range(n):
        edge = edges_of(search)[candidates_of(search)[i]]
        edge.available += 1
        if edge.visits == 0:
            untried += 1
    return untried


@njit
def choose(search, bandit):
    """Ask the tree policy for one of the candidates; return its edge."""
    if decision_of(search).count == 1:
        if decision_of(search).candidates == 0:
            return np.int64(bandit.first)
        return np.int64(candidates_of(search)[0])
    decision = decision_of(search)
    decision.low = search.low
    decision.high = search.high
    return call.tree_policy(search)


@njit
def choose_at_random(search, players):
    """Let `players` (a mask) choose uniformly among their legal actions."""
    player = 0
    while players:
        if players & 1:
            if search.has_random_action:
                action = call.random_action(search, player)
            else:
                n = call.legal_actions(search, player)
                if n <= 0 or n > search.legal_limit:
                    return MODEL_ERROR if failed(search) else NO_LEGAL_ACTION
                action = np.int64(legal_of(search)[random_below(rng_of(search), n)])
            if failed(search):
                return MODEL_ERROR
            joint_action_of(search)[player] = action
        players >>= 1
        player += 1
    return SLICE_DONE


@njit
def evaluate_leaf(search):
    """Write the value of the state reached for each player into `values`."""
    if search.proven != UNPROVEN:
        write_results(search, search.proven)
    else:
        call.results(search)
    if search.needs_scores:
        call.scores(search)
    if search.needs_evaluation and results_of(search).min() == PLAYING:
        call.evaluate(search)
    if failed(search):
        return MODEL_ERROR
    call.leaf_value(search)
    # No rollout: the state lies right below the path's last action.
    if search.solver and search.rollout_actions == 0 and search.step_count > 0:
        outcome = outcome_of_results(search)
        if outcome != UNPROVEN:
            prove_path(search, outcome)
    return SLICE_DONE


@njit
def back_up(search):
    """Add the values to each edge on the path, every bandit its own player's."""
    values = values_of(search)
    if search.paranoid:
        # Everybody else is taken to want the root player's harm (section V: "-1 times
        # the value for the root player").
        for player in range(search.players):
            if player != search.root_player:
                values[player] = -values[search.root_player]
    for player in range(search.players):
        if search.owned >> player & 1:
            search.low = min(search.low, values[player])
            search.high = max(search.high, values[player])
    for i in range(search.step_count):
        bandit = nodes_of(search)[path_of(search)[i].node]
        edge = edges_of(search)[path_of(search)[i].edge]
        bandit.visits += 1
        bandit.tried += edge.visits == 0
        edge.visits += 1
        edge.mean += (values[bandit.player] - edge.mean) / edge.visits
        edge.inverse_root = 1.0 / np.sqrt(edge.visits)


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
        if choose_at_random(search, movers) != SLICE_DONE:
            return actions
        call.apply(search)
        actions += count_bits(movers)
        if failed(search):
            return actions
