"""One iteration of the search, for any number of trees and players.

    repeat:
        copy the root state, redeterminise it where information is hidden
        while the game goes on and rollout actions are left:
            every mover chooses: in its tree, or by a policy once its tree was left
            the joint action is applied, each tree advances by its players' actions
        value the final state for each player
        back the values up along each tree's own path

A tree advances by the actions of the players it owns; that alone makes the variants:

    MaxN, Paranoid                     one tree that owns everybody
    Self-only, SP-MCTS                 one tree that owns the root player
    TP-MCTS                            one tree that owns it and an opponent, see `pair`
    MultiTree, MultiTree-Paranoid      one tree a player (Algorithm 1)
    MO-ISMCTS                          one tree a player, which also advances by what
                                       its player sees of the others' actions

With several movers in one tree every mover has its own bandit, which chooses without
seeing the others (decoupled UCT). With one tree a player the trees are simultaneous by
themselves. Paranoid changes only the values that are backed up, and what follows from
them (their range, the solver).

Trees are left one by one: a player who has left its own is rolled out while others
still choose in theirs. Its actions count as the rollout's, so with `rollout=0` an
iteration ends when the first of these players has to move. Once a rollout has its full
length Algorithm 1 stops at once, this search at the next move that would belong to the
rollout.

In code `owners` below makes MultiTree out of MaxN. What else differs follows from it:
only one tree can determine the state (`is_path_determined`), and the acting player's
statistics stand in its own tree (`Workspace.root_tree`).

Moves in turn (`simultaneous=serialised`) are `select_in_turn`; where nodes hold states
the others wait below the first (`closed_loop.py`). Graphs, the solver and kept trees
refuse them. The solver, graphs, abstraction and stored states refuse MultiTree, so that
with `value=win` one tree alone (MaxN, Paranoid of two teams) has the solver by default.

A tree is left, and its players follow a policy from then on, when an untried action (of
several movers: an untried joint action) is taken in it, when its player sees something
for the first time (MO-ISMCTS), or when it is `max_depth` deep. The node below that
action is made when the action is taken a second time, which is the same search with as
many fewer nodes as there are leaves. In a graph search a node is made, and the tree
left, when a position is reached for the first time.

Sources: Goodman, Perez-Liebana, Lucas, "MultiTree MCTS in tabletop games", CoG 2022,
Algorithm 1; information sets: Cowling, Powley, Whitehouse, "Information set Monte Carlo
tree search", IEEE TCIAIG 4 (2012); decoupled UCT: H. Finnsson, Y. Bjornsson,
"Simulation-based approach to general game playing", AAAI 2008; graph search: TAG's
MCGS, after E. Leurent, O. Maillard, "Monte-Carlo graph search", ACML 2020.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.contract import PLAYING
from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel.batch_records import OVER, batch_of
from mcts_agents.search.kernel.batches import ends_here, may_stop
from mcts_agents.search.kernel.closed_loop import (
    begin_stored,
    forget_joint_action,
    walk,
)
from mcts_agents.search.kernel.graph import advance_graph
from mcts_agents.search.kernel.lane import begin_lane, leave, owned_by, owned_by_any
from mcts_agents.search.kernel.pair import select_opponent
from mcts_agents.search.kernel.parts import Condition, NeededFunction, Part, one_of
from mcts_agents.search.kernel.records import (
    GAME_OVER,
    NONE,
    UNPROVEN,
    edges_of,
    joint_action_of,
    nodes_of,
    results_of,
)
from mcts_agents.search.kernel.rewards import collect_rewards, note_scores
from mcts_agents.search.kernel.rollout import (
    EXACT,
    choose_by_policy,
    may_end,
    note_counters,
)
from mcts_agents.search.kernel.selection import select
from mcts_agents.search.kernel.status import (
    BAD_MOVERS,
    BUDGET_SPENT,
    MODEL_ERROR,
    ROOTS_APART,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import count_players, observation_link
from mcts_agents.search.kernel.variants import EXTENDED, STORED, WAITS


def owners(model, settings, player):
    """Return the players of each tree, as bit masks."""
    each = [1 << p for p in range(model.players)]
    return {
        "one": [sum(each)],
        "self": [1 << player],
        "pair": [1 << player],  # and one opponent, selected in each state
        "multi": each,
        "observers": each,
    }[settings.tree]


def is_path_determined(model, settings):
    """Whether the same path in a tree always leads to the same state."""
    if settings.loop != "open":
        return True
    return (
        settings.tree == "one"
        and not (model.chance or samples_worlds(model, settings) or settings.graph)
        and settings.simultaneous == "decoupled"
    )


def samples_worlds(model, settings):
    """Whether each iteration has a determinization of its own."""
    fixed_world = settings.information == "perfect" or settings.determinizations > 1
    return model.hidden_information and not fixed_world and settings.loop == "open"


def _values(model, settings):
    trees = len(owners(model, settings, 0))
    determined = is_path_determined(model, settings)
    return {
        "trees": trees,
        "edge_count": trees,
        "depth_limit": settings.max_depth,
        "has_is_out": model.has("is_out"),
        "ends_when_out": settings.tree in ("self", "pair") and model.has("is_out"),
        "information_set": samples_worlds(model, settings),
        "path_determined": determined,
        "listed": not determined or settings.widening > 0.0,
        "serialised": settings.simultaneous == "serialised",
        "separate": settings.opponent_information == "separate",
        "observers": settings.tree == "observers",
        "has_visible_action": model.has("visible_action"),
    }


def _check(model, settings):
    if settings.tree == "observers" and model.hidden_information:
        if not model.has("visible_action"):
            raise ValueError(
                f"tree='observers': {model.name} has no function `visible_action`, "
                "which says what players see of each other's actions; use tree='multi'"
            )
    if settings.opponent_information == "separate" and not model.hidden_information:
        raise ValueError(
            f"opponent_information='separate': nothing is hidden in {model.name}"
        )


PART = Part(
    fields=[
        ("has_is_out", np.int64),
        ("ends_when_out", np.int64),  # the tree, and what is settled for its player
        ("information_set", np.int64),  # a new determinization each iteration
        ("path_determined", np.int64),  # same path, same state: legal sets are fixed
        ("serialised", np.int64),  # simultaneous movers choose one after another
        ("separate", np.int64),  # opponents' trees begin at what they know
        ("observers", np.int64),  # trees advance by what their players see
        ("has_visible_action", np.int64),
    ],
    values=_values,
    needs={
        "simultaneous": [
            one_of("tree", "one", "pair"),
            Condition(lambda s: not s.graph, "graph=false"),
        ],
        "opponent_information": [
            one_of("tree", "multi", "observers"),
            one_of("information", "set"),
            Condition(lambda s: s.determinizations == 1, "determinizations 1"),
        ],
    },
    entries=[
        NeededFunction("opponent_information", "separate", "state_key", "use 'merged'")
    ],
    check=_check,
    extended=lambda s: (
        s.simultaneous == "serialised"
        or s.tree == "observers"
        or s.opponent_information == "separate"
    ),
)


@njit(inline="always")
def descend(search):
    """Selection, expansion and rollout on one trajectory (Algorithm 1, lines 1-16)."""
    start(search)
    if STORED:
        if search.stored:
            status = walk(search)
            if status != SLICE_DONE:
                return status
    if WAITS:
        if batch_of(search).ending != OVER:
            return SLICE_DONE
    while not call.failed(search):
        if search.solver and search.active > 0:
            search.proven = edges_of(search)[search.link[0]].outcome
            if search.proven != UNPROVEN:
                break
        movers = who_moves(search)
        if movers == 0:
            break
        if movers >> search.players != 0:
            return BAD_MOVERS
        if search.ends_when_out and root_is_out(search, movers):
            if results_of(search)[search.root_player] != PLAYING:
                break
            for tree in range(search.trees):
                if search.link[tree] != NONE:
                    leave(search, tree)
        if WAITS:
            if search.active == 0:
                break
        elif search.active == 0 and search.has_playout:
            left = search.rollout_limit - search.rollout_actions
            if left > 0 and not search.stop:
                played = call.playout(search, left)
                search.rollout_actions += played
                search.forward_model_calls += played
                if EXTENDED:
                    if search.discounted:
                        collect_rewards(search)
            break
        if EXTENDED:
            if search.graph:
                advance_graph(search, movers)
            elif search.opponent and search.active > 0:
                select_opponent(search)
        in_trees = tree_players(search, movers)
        if not WAITS:
            rolling = movers & ~in_trees
            # Others of a player's own tree are modelled, not rolled.
            if search.active > 0:
                rolling &= owned_by_any(search)
            search.rollout_actions += count_players(rolling)
            if search.rollout_actions > search.rollout_limit:
                if search.rollout_limit == 0 or may_end(search, movers):
                    break
        status, in_trees = select_all(search, movers, in_trees)
        if status != SLICE_DONE:
            return status
        if WAITS:
            if batch_of(search).ending != OVER:
                return SLICE_DONE
        if search.proven != UNPROVEN:  # by the actions of a new node
            break
        status = choose_by_policy(search, movers & ~in_trees)
        if status != SLICE_DONE:
            return status
        if EXTENDED:
            if search.observers:
                observe_moves(search, movers)
            if search.rollout_end != EXACT:
                note_counters(search, movers)
        # What was chosen in a tree is still applied: its value is that of what follows.
        # (It is not if the iteration will be left out.)
        if not WAITS:
            if search.stop and (in_trees == 0 or search.simulations > 0):
                break
        elif search.stop and may_stop(search):
            return BUDGET_SPENT
        call.apply(search)
        search.forward_model_calls += count_players(movers)
        if EXTENDED:
            if search.discounted:
                collect_rewards(search)
        if not WAITS:
            if search.stop:
                break
        elif search.stop and may_stop(search):
            return BUDGET_SPENT
    return MODEL_ERROR if call.failed(search) else SLICE_DONE


@njit
def start(search):
    """Begin at the root, in a determinization of its own where that is asked for."""
    begin_lane(search)
    search.rollout_actions = 0
    search.proven = UNPROVEN
    if EXTENDED:
        search.move_count = 0
        search.last_movers = 0
        search.arrived_fresh = 0
    if WAITS:
        batch_of(search).ending = OVER
        if search.serialised:  # the descent before may have ended between two of them
            forget_joint_action(search)
    if STORED:
        if search.stored:
            begin_stored(search)
            return
    call.copy(search)
    if search.information_set:
        call.redeterminise(search)
        if search.separate:
            separate_roots(search)
    if EXTENDED:
        if search.discounted:
            note_scores(search)


@njit
def separate_roots(search):
    """Begin each opponent's tree at what it knows in this determinization."""
    for tree in range(search.trees):
        if not search.owns[tree] >> search.root_player & 1:
            known = mixed(np.uint64(call.state_key(search, tree)), tree)
            search.link[tree], _ = observation_link(search, tree, known)


@njit
def root_is_out(search, movers):
    """Whether the root player will not decide again; if so, write the results."""
    root = search.root_player
    if movers >> root & 1 or not call.is_out(search, root):
        return False
    call.results(search)
    return True


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
            players |= movers & owned_by(search, tree)
    return players


@njit(inline="always")
def select_all(search, movers, in_trees):
    """Let all who choose in trees do so (lines 9-15).

    Returns:
        The status, and the mask of those who have chosen.
    """
    if EXTENDED:
        if search.serialised:
            return select_in_turn(search, movers), movers
    if WAITS:
        if search.separate and search.step_count == 0 and count_players(in_trees) > 1:
            return ROOTS_APART, in_trees
        if in_trees and ends_here(search, in_trees):
            return SLICE_DONE, in_trees
    for tree in range(search.trees):
        mine = in_trees & owned_by(search, tree)
        if mine:
            status = select(search, tree, mine)
            if status != SLICE_DONE:
                return status, in_trees
    return SLICE_DONE, in_trees


@njit(inline="always")
def select_in_turn(search, movers):
    """Let simultaneous movers choose one after another, each seeing those before.

    The root player is first. For comparison: it gives the others what they cannot see.
    """
    for turn in range(-1, search.players):
        player = search.root_player if turn < 0 else turn
        if not movers >> player & 1 or (turn >= 0 and player == search.root_player):
            continue
        alone = np.int64(1) << player
        first = np.int64(0)  # a literal would be a type of its own
        if search.link[0] != NONE and owned_by(search, first) & alone:
            if WAITS:
                if ends_here(search, alone):
                    return SLICE_DONE
            status = select(search, first, alone)
        else:
            status = choose_by_policy(search, alone)
        if status != SLICE_DONE:
            return status
    return SLICE_DONE


@njit
def observe_moves(search, movers):
    """Advance each tree by what its player sees of the others' actions (MO-ISMCTS)."""
    for tree in range(search.trees):
        others = movers & ~search.owns[tree]
        if search.link[tree] == NONE or others == 0:
            continue
        seen = np.uint64(0)
        for actor in range(search.players):
            if others >> actor & 1:
                action = np.int64(joint_action_of(search)[actor])
                if search.has_visible_action:
                    action = call.visible_action(search, actor, tree)
                seen = mixed(seen, action)
        link, fresh = observation_link(search, search.link[tree], seen)
        search.link[tree] = link
        if fresh and not WAITS:
            leave(search, tree)
