"""Leaves valued by an evaluator, a neural network say, many of them in one call.

    repeat:
        until the batch is full:
            select from the root down to a leaf
            if the game is over there, value it and back the values up at once
            else give it a node, put what its movers see into the batch, and put
            virtual losses on the path, so that the next descent goes elsewhere
        ask the evaluator once for all leaves of the batch
        take the virtual losses away, write the priors, back the values up

There are no rollouts: the evaluator stands for them, and a node is made when its
position is reached for the first time. The root is evaluated alone, before all else.

Where environments are stepped in Python a descent may take long, and so may all those
of a batch. Once the clock is up (`stop`), the batch is asked about as it is: a descent
on its way is given up. If it is the only one, it ends where it stands, as at the depth
limit.

A descent that runs into a leaf that waits already is given up: its virtual losses stay
until the batch is answered. It is no simulation, so that no leaf counts twice. As many
of these, or of descents to the end of the game, as a batch has leaves end it early:
little is left to ask about then, and virtual losses would drive the search astray.

Sources: D. Silver et al., "Mastering the game of Go without human knowledge", Nature
550 (2017); D. Silver et al., "A general reinforcement learning algorithm that masters
chess, shogi, and Go through self-play", Science 362 (2018); virtual loss: G. Chaslot,
M. Winands, J. van den Herik, "Parallel Monte-Carlo tree search", CG 2008.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.search.kernel import mast
from mcts_agents.search.kernel.answered import UNKNOWN, keep_move, moves_of
from mcts_agents.search.kernel.back_up import back_up
from mcts_agents.search.kernel.batch_records import (
    AT_LEAF,
    BATCH,
    OVER,
    WAITING,
    batch_of,
    lanes_of,
    legal_row_of,
    players_of,
    row_nodes_of,
    steps_of,
)
from mcts_agents.search.kernel.candidates import ask_actions, error_of, match_edges
from mcts_agents.search.kernel.lane import longest_path, owned_by
from mcts_agents.search.kernel.pair import select_opponent
from mcts_agents.search.kernel.parts import Array, Condition, Part, one_of
from mcts_agents.search.kernel.priors import (
    WITH_EVALUATOR,
    has_prior,
    is_on,
    write_priors,
)
from mcts_agents.search.kernel.records import (
    NONE,
    legal_of,
    nodes_of,
    once,
    path_of,
    statistics_of,
    teams_of,
    values_of,
)
from mcts_agents.search.kernel.rewards import (
    keep_waiting,
    recall_waiting,
    waiting_score,
)
from mcts_agents.search.kernel.selection import node_of_decision
from mcts_agents.search.kernel.status import (
    BAD_LOGITS,
    BAD_VALUES,
    MODEL_ERROR,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import count_players
from mcts_agents.search.kernel.tree_policies import TAKES_PRIORS


def _check(model, settings):
    evaluator = settings.evaluator
    if evaluator is None:
        return
    value = getattr(evaluator, "required_value", settings.value)
    if settings.value != value:
        raise ValueError(
            f"value={settings.value!r}: {evaluator!r} values positions by "
            f"value={value!r}; give that"
        )
    if model.observation_shape is None and not hasattr(evaluator, "observe"):
        raise ValueError(
            f"evaluator={evaluator!r}: {model.name} has no function `observe`; give "
            "the evaluator a method `observe(model, states, players)`"
        )


PART = Part(
    arrays={"batch": Array(BATCH, once)},
    needs={
        "evaluator": [
            TAKES_PRIORS,
            Condition(lambda s: s.rollout == 0, "rollout 0"),
            Condition(lambda s: s.action_heuristic == "none", "action_heuristic none"),
            Condition(lambda s: not mast.is_asked_for(s), "no mast"),
            one_of("abstraction", "none"),
        ],
        "batch": [WITH_EVALUATOR],
        "virtual_loss": [
            WITH_EVALUATOR,
            Condition(lambda s: s.batch > 1, "batch above 1"),
        ],
    },
    check=_check,
    keeps_statistics=is_on,
)


@njit
def is_full(search):
    """Whether no further descent may join the batch."""
    batch = batch_of(search)
    longest = search.players * longest_path(search)
    at_root = batch.lane_count > 0 and lanes_of(batch)[0].step_count == 0
    return (
        at_root
        or batch.leaves == batch.size
        or batch.others == batch.size
        or batch.step_count + longest > batch.step_limit
        or search.simulations + batch.leaves >= batch.target
    )


@njit
def may_stop(search):
    """Whether a search that is told to stop has something to choose by."""
    if search.simulations > 0:
        return True
    batch = batch_of(search)
    return batch.lane_count > 0 and lanes_of(batch)[0].step_count > 0


@njit
def ends_here(search, movers):
    """Whether a descent ends where `movers` (a mask) decide in their trees.

    It does if one of them has no node here, or one without priors yet. At the depth
    limit there is no node; the position is valued at each visit. In a graph, so is one
    where another path joins, if that ends a descent; and so is one where the search is
    told to stop, but for the root's.
    """
    batch = batch_of(search)
    batch.movers = movers
    batch.ending = OVER
    if search.graph and search.clashed:
        batch.ending = AT_LEAF
    if search.stop and search.step_count > 0:
        batch.ending = AT_LEAF
    for tree in range(search.trees):
        mine = movers & owned_by(search, tree)
        if search.stored:
            mine = movers
        if mine == 0:
            continue
        if search.depth[tree] == search.depth_limit:
            batch.ending = AT_LEAF
            continue
        node = node_of_decision(search, tree, mine)
        if nodes_of(search)[node].count == 0:
            batch.ending = AT_LEAF
        elif waits(search, batch, node):
            batch.ending = WAITING
            return True
    return batch.ending != OVER


@njit
def waits(search, batch, node):
    """Whether a node is a leaf of this batch."""
    if nodes_of(search)[node].visits > 0:
        return False
    for row in range(batch.row_count):
        if row_nodes_of(batch)[row] == node:
            return True
    return False


# -- the batch


@njit
def wait(search):
    """Add the descent that has just ended to the batch, its leaf in rows of its own."""
    batch = batch_of(search)
    lane = lanes_of(batch)[batch.lane_count]
    lane.movers = 0
    lane.others = 0
    lane.row = batch.row_count
    lane.first_step = batch.step_count
    lane.step_count = search.step_count
    for i in range(search.step_count):
        step = path_of(search)[i]
        waiting = steps_of(batch)[batch.step_count]
        waiting.node = step.node
        waiting.place = step.edge - nodes_of(search)[step.node].first
        batch.step_count += 1
    if search.discounted:
        keep_waiting(search, batch.lane_count, lane.first_step)
    if batch.ending == AT_LEAF:
        for tree in range(search.trees):
            mine = batch.movers & owned_by(search, tree)
            if search.stored:
                mine = batch.movers
            status = write_rows(search, batch, tree, mine)
            if status != SLICE_DONE:
                return status
        lane.movers = batch.movers
        if search.answered and search.depth[0] < search.depth_limit:
            status = write_rows_of_others(search, batch, lane)
            if status != SLICE_DONE:
                return status
        batch.leaves += 1
    else:
        batch.others += 1
    add_virtual_visits(search, batch, lane, batch.virtual_loss)
    batch.lane_count += 1
    return MODEL_ERROR if call.failed(search) else SLICE_DONE


@njit
def write_rows(search, batch, tree, mine):
    """Write what the evaluator is told to each of a tree's players who decide here.

    Their bandits get their edges by the way, those that have none yet.
    """
    node = NONE
    if mine and search.depth[tree] < search.depth_limit:
        node = node_of_decision(search, tree, mine)
        if nodes_of(search)[node].count > 0:
            node = NONE
    for player in range(search.players):
        if mine >> player & 1:
            n = write_row(search, batch, player)
            if n <= 0:
                return error_of(search, n)
            row_nodes_of(batch)[batch.row_count - 1] = node
            if node != NONE:
                match_edges(search, nodes_of(search)[node], n)
                node += 1
    return SLICE_DONE


@njit
def write_rows_of_others(search, batch, lane):
    """Write what the evaluator is told to those whose moves it is asked for."""
    lane.home = search.home
    if search.opponent:
        select_opponent(search)
    mine = owned_by(search, 0)
    if search.serialised and search.depth[0] + 1 == search.depth_limit:
        # The tree ends before the opponent's own decision.
        mine = batch.movers | np.int64(1) << search.root_player
    others = call.movers(search) & ~mine
    for player in range(search.players):
        if others >> player & 1 and moves_of(search, lane.home)[player] == UNKNOWN:
            n = write_row(search, batch, player)
            if n <= 0:
                return error_of(search, n)
            row_nodes_of(batch)[batch.row_count - 1] = NONE
            lane.others |= np.int64(1) << player
    return SLICE_DONE


@njit
def write_row(search, batch, player):
    """Write what the evaluator is told to one player; return the number of actions."""
    n = ask_actions(search, player)
    if n <= 0:
        return n
    row = batch.row_count
    players_of(batch)[row] = player
    legal = legal_row_of(batch, row)
    legal[:] = 0
    for i in range(n):
        legal[legal_of(search)[i]] = 1
    if batch.observations != 0:
        call.observe(
            search,
            player,
            batch.observations + row * batch.observation_size,
            batch.observation_size,
        )
    if batch.states != 0:
        call.copy_between(search, batch.states + row * search.state_size, search.state)
    batch.row_count += 1
    return n


@njit
def add_virtual_visits(search, batch, lane, visits):
    """Add virtual visits to the edges of a waiting descent; negative: take them away.

    They are kept apart from visits and means, which stay those of finished iterations.
    """
    for i in range(lane.first_step, lane.first_step + lane.step_count):
        step = steps_of(batch)[i]
        edge = nodes_of(search)[step.node].first + step.place
        statistics_of(search)[edge].virtual_visits += visits


# -- the answers


@njit
def take_answers(search, values, logits):
    """Take in the evaluator's answers: `values` (rows * players,), `logits` likewise.

    Nothing has been changed if they are not what they should be.
    """
    batch = batch_of(search)
    status = check_answers(search, batch, values, logits)
    if status == SLICE_DONE:
        take_checked_answers(search, values, logits)
    return status


@njit
def take_checked_answers(search, values, logits):
    """Take in answers that `check_answers` has found good."""
    batch = batch_of(search)
    for i in range(batch.lane_count):
        lane = lanes_of(batch)[i]
        add_virtual_visits(search, batch, lane, -batch.virtual_loss)
    for i in range(batch.lane_count):
        lane = lanes_of(batch)[i]
        if lane.movers != 0:
            for row in range(lane.row, lane.row + count_players(lane.movers)):
                node = row_nodes_of(batch)[row]
                if node != NONE:
                    bandit = nodes_of(search)[node]
                    bandit.raw_value = raw_value(search, batch, bandit, i, values)
                    row_logits = logits[row * batch.actions : (row + 1) * batch.actions]
                    write_priors(search, node, row_logits)
            if search.answered:
                take_moves(search, batch, lane, logits)
            take_in_values(search, batch, i, values)
    batch.lane_count = 0
    batch.step_count = 0
    batch.row_count = 0
    batch.leaves = 0
    batch.others = 0


@njit
def raw_value(search, batch, bandit, number, values):
    """Return a leaf's value on the scale of a bandit's means, see `back_up.oppose`."""
    player = bandit.player
    opposed = False
    if search.paranoid:
        teams = teams_of(search)
        opposed = teams[player] != teams[search.root_player]
        player = search.root_player
    value = value_of(search, lanes_of(batch)[number], player, values)
    if search.discounted:
        value -= waiting_score(search, number, player)
    return -value if opposed else value


@njit
def take_moves(search, batch, lane, logits):
    """Keep what the others of a leaf's state play."""
    row = lane.row + count_players(lane.movers)
    for player in range(search.players):
        if lane.others >> player & 1:
            row_logits = logits[row * batch.actions : (row + 1) * batch.actions]
            legal = legal_row_of(batch, row)
            keep_move(search, lane.home, player, row_logits, legal)
            row += 1


@njit
def check_answers(search, batch, values, logits):
    """Return BAD_VALUES or BAD_LOGITS if the evaluator's answers cannot be used."""
    for value in values:
        # Written so that NaN does not pass.
        if not abs(value) < 1e300:
            return BAD_VALUES
        if batch.shares and not 0.0 <= value <= 1.0:
            return BAD_VALUES
    for row in range(batch.row_count):
        row_logits = logits[row * batch.actions : (row + 1) * batch.actions]
        if not has_prior(row_logits, legal_row_of(batch, row)):
            return BAD_LOGITS
    return SLICE_DONE


@njit
def value_of(search, lane, player, values):
    """Return a leaf's value for a player: a mover's own row, or the mean of all."""
    players = search.players
    if lane.movers >> player & 1:
        before = lane.movers & ((np.int64(1) << player) - 1)
        return values[(lane.row + count_players(before)) * players + player]
    rows = count_players(lane.movers)
    value = 0.0
    for row in range(lane.row, lane.row + rows):
        value += values[row * players + player]
    return value / rows


@njit
def take_in_values(search, batch, number, values):
    """Back one leaf's values up."""
    lane = lanes_of(batch)[number]
    for player in range(search.players):
        values_of(search)[player] = value_of(search, lane, player, values)
    for i in range(lane.step_count):
        waiting = steps_of(batch)[lane.first_step + i]
        step = path_of(search)[i]
        step.node = waiting.node
        step.edge = nodes_of(search)[waiting.node].first + waiting.place
    search.step_count = lane.step_count
    if search.discounted:
        recall_waiting(search, number, lane.first_step, lane.step_count)
    back_up(search)
    if lane.step_count > 0:  # the root's own evaluation is no simulation
        search.simulations += 1
