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

A descent that runs into a leaf that waits already is given up: its virtual losses stay
until the batch is answered. It is no simulation, so that no leaf counts twice. As many
of these, or of descents to the end of the game, as a batch has leaves end it early:
little is left to ask about then, and virtual losses would drive the search astray.

Sources: D. Silver et al., "Mastering the game of Go without human knowledge", Nature
550 (2017); D. Silver et al., "A general reinforcement learning algorithm that masters
chess, shogi, and Go through self-play", Science 362 (2018); virtual loss: G. Chaslot,
M. Winands, J. van den Herik, "Parallel Monte-Carlo tree search", CG 2008.
"""

from numba import njit

from mcts_agents.search.kernel import calls as call
from mcts_agents.search.kernel import mast
from mcts_agents.search.kernel.back_up import back_up
from mcts_agents.search.kernel.batch_records import (
    lanes_of,
    legal_row_of,
    players_of,
    steps_of,
)
from mcts_agents.search.kernel.candidates import ask_actions, error_of, match_edges
from mcts_agents.search.kernel.closed_loop import advance, deciders, load, store
from mcts_agents.search.kernel.descent import (
    begin,
    root_is_out,
    select,
    start,
    who_moves,
)
from mcts_agents.search.kernel.iterations import next_status, take_in_leaf
from mcts_agents.search.kernel.parts import Condition, Part, one_of
from mcts_agents.search.kernel.priors import has_prior, write_priors
from mcts_agents.search.kernel.records import (
    NONE,
    edges_of,
    joint_action_of,
    legal_of,
    nodes_of,
    path_of,
    statistics_of,
    values_of,
)
from mcts_agents.search.kernel.rollout import choose_by_policy
from mcts_agents.search.kernel.status import (
    BAD_LOGITS,
    BAD_VALUES,
    BUDGET_SPENT,
    EVALUATE,
    MODEL_ERROR,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import add_node, count_players
from mcts_agents.search.kernel.tree_policies import TAKES_PRIORS

# Where a descent ended: the game is over; at a leaf; at one that waits already.
OVER, LEAF, WAITING = range(3)


def is_on(settings):
    """Whether an evaluator values leaves."""
    return settings.evaluator is not None


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


_WITH_EVALUATOR = Condition(is_on, "an evaluator")
PART = Part(
    needs={
        "evaluator": [
            one_of("tree", "one", "self", "pair"),
            TAKES_PRIORS,
            Condition(lambda s: s.rollout == 0, "rollout 0"),
            Condition(lambda s: s.action_heuristic == "none", "action_heuristic none"),
            Condition(lambda s: not mast.is_asked_for(s), "no mast"),
            one_of("abstraction", "none"),
            Condition(lambda s: not s.graph, "graph=false"),
            one_of("simultaneous", "decoupled"),
            Condition(lambda s: s.threads == 1, "threads 1"),
        ],
        "batch": [_WITH_EVALUATOR],
        "virtual_loss": [
            _WITH_EVALUATOR,
            Condition(lambda s: s.batch > 1, "batch above 1"),
        ],
        "root_noise": [_WITH_EVALUATOR],
        "root_noise_alpha": [
            Condition(lambda s: s.root_noise > 0.0, "root_noise above 0")
        ],
    },
    check=_check,
    keeps_statistics=is_on,
)


@njit
def fill_batch(search, batch, iterations, target, call_limit):
    """Descend until a batch is full; return why it ended.

    EVALUATE: answer the batch by `take_in`, then go on. SLICE_DONE: `iterations` were
    made, or there are `target` simulations and nothing waits. Else as `run_slice`.
    """
    for _ in range(iterations):
        if is_full(search, batch, target):
            return EVALUATE if batch.lane_count > 0 else SLICE_DONE
        status = next_status(search, call_limit)
        if status == BUDGET_SPENT and batch.lane_count > 0:
            return EVALUATE
        if status == SLICE_DONE:
            if search.stored:
                before = search.forward_model_calls
                status = find_stored_leaf(search, batch)
                if search.step_count > 0 and batch.ending != WAITING:
                    search.idle += search.forward_model_calls == before
            else:
                status = find_leaf(search, batch)
        if status == SLICE_DONE:
            if batch.ending == OVER:
                batch.others += batch.lane_count > 0
                status = take_in_leaf(search)
            else:
                batch.others += batch.ending == WAITING
                status = wait(search, batch)
        if status != SLICE_DONE:
            return status
    return SLICE_DONE


@njit
def is_full(search, batch, target):
    """Whether no further descent may join the batch."""
    longest = search.players * min(search.depth_limit, search.deepest + 2)
    at_root = batch.lane_count > 0 and lanes_of(batch)[0].step_count == 0
    return (
        at_root
        or batch.leaves == batch.size
        or batch.others == batch.size
        or batch.step_count + longest > batch.step_limit
        or search.simulations + batch.leaves >= target
    )


# -- where a descent ends


@njit
def find_leaf(search, batch):
    """Select down an open loop's tree; the state is then that of its end."""
    start(search)
    while not call.failed(search):
        movers = who_moves(search)
        over = movers == 0
        if not over and search.ends_when_out:
            over = root_is_out(search, movers)
        if over:
            batch.ending = OVER
            return SLICE_DONE
        mine = deciders(search, movers)
        if mine != 0:
            node = node_below(search, search.link[0], mine)
            if ends_here(search, batch, node):
                return SLICE_DONE
            if node == NONE:
                batch.node = add_node(search, mine, search.link[0])
                return SLICE_DONE
            status = select_on(search, mine)
            if status != SLICE_DONE:
                return status
        status = choose_by_policy(search, movers & ~mine)
        if status != SLICE_DONE:
            return status
        call.apply(search)
        search.forward_model_calls += count_players(movers)
    return MODEL_ERROR


@njit
def find_stored_leaf(search, batch):
    """Select down a closed loop's tree; the state is then that of its end."""
    begin(search)
    node = edges_of(search)[0].child
    if node == NONE:
        call.copy(search)
        batch.node = store(search, 0, deciders(search, call.movers(search)))
        batch.ending = LEAF
        return SLICE_DONE
    while True:
        mine = nodes_of(search)[node].movers
        if mine == 0:
            load(search, node)
            return end_stored(search, batch)
        if ends_here(search, batch, node):
            load(search, node)
            return SLICE_DONE
        joint_action = joint_action_of(search)
        for player in range(search.players):
            joint_action[player] = -1
        search.owns[0] = mine
        status = select_on(search, mine)
        if status != SLICE_DONE:
            return status
        child = edges_of(search)[search.taken_link].child
        if child == NONE:
            status = advance(search, node, mine)
            if status != SLICE_DONE:
                return status
            child = edges_of(search)[search.taken_link].child
            if nodes_of(search)[child].movers == 0:
                return end_stored(search, batch)
            if not ends_here(search, batch, NONE):
                batch.node = child
            return SLICE_DONE
        node = child


@njit
def end_stored(search, batch):
    """End a closed loop's descent where nobody decides any more."""
    batch.ending = OVER
    if search.ends_when_out:
        root_is_out(search, call.movers(search))
    return MODEL_ERROR if call.failed(search) else SLICE_DONE


@njit
def node_below(search, link, movers):
    """Return the node below `link` at which `movers` decide, NONE if there is none."""
    child = edges_of(search)[link].child
    while child >= 0 and nodes_of(search)[child].movers != movers:
        child = nodes_of(search)[child].sibling
    return max(child, NONE)


@njit
def ends_here(search, batch, node):
    """Whether a descent ends at a position with this node, NONE: without one yet.

    At the depth limit there is no node; the position is valued at each visit.
    """
    batch.ending = LEAF
    batch.node = NONE
    if search.depth[0] == search.depth_limit:
        return True
    if node != NONE and waits(search, batch, node):
        batch.ending = WAITING
        return True
    return False


@njit
def waits(search, batch, node):
    """Whether a node is a leaf of this batch."""
    if nodes_of(search)[node].visits > 0:
        return False
    for i in range(batch.lane_count):
        if lanes_of(batch)[i].node == node:
            return True
    return False


@njit
def select_on(search, movers):
    """Select at the node below the tree's cursor, and stay in the tree whatever comes.

    What is left by `select` is a tree in which an untried action was taken; here its
    node may be there already, made but not backed up.
    """
    status = select(search, 0, movers)
    search.link[0] = search.taken_link
    search.active = 1
    return status


# -- the batch


@njit
def wait(search, batch):
    """Add the descent that has just ended to the batch, its leaf in rows of its own."""
    lane = lanes_of(batch)[batch.lane_count]
    lane.movers = 0
    lane.row = batch.row_count
    lane.node = batch.node
    lane.first_step = batch.step_count
    lane.step_count = search.step_count
    for i in range(search.step_count):
        step = path_of(search)[i]
        waiting = steps_of(batch)[batch.step_count]
        waiting.node = step.node
        waiting.place = step.edge - nodes_of(search)[step.node].first
        batch.step_count += 1
    if batch.ending == LEAF:
        movers = deciders(search, call.movers(search))
        bandit = 0
        for player in range(search.players):
            if movers >> player & 1:
                n = write_row(search, batch, player, bandit)
                if n <= 0:
                    return error_of(search, n)
                bandit += 1
        lane.movers = movers
        batch.leaves += 1
    add_virtual_visits(search, batch, lane, batch.virtual_loss)
    batch.lane_count += 1
    return MODEL_ERROR if call.failed(search) else SLICE_DONE


@njit
def write_row(search, batch, player, bandit):
    """Write what the evaluator is told of a leaf to one of its movers.

    Their bandits get their edges by the way. Returns the number of actions.
    """
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
    if batch.node != NONE:
        match_edges(search, nodes_of(search)[batch.node + bandit], n)
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
def take_in(search, batch, values, logits):
    """Take in the evaluator's answers: `values` (rows * players,), `logits` likewise.

    Nothing has been changed if they are not what they should be.
    """
    status = check_answers(search, batch, values, logits)
    if status != SLICE_DONE:
        return status
    for i in range(batch.lane_count):
        lane = lanes_of(batch)[i]
        add_virtual_visits(search, batch, lane, -batch.virtual_loss)
    for i in range(batch.lane_count):
        lane = lanes_of(batch)[i]
        if lane.movers != 0:
            if lane.node != NONE:
                for bandit in range(count_players(lane.movers)):
                    row = lane.row + bandit
                    row_logits = logits[row * batch.actions : (row + 1) * batch.actions]
                    write_priors(search, lane.node + bandit, row_logits)
            take_in_values(search, batch, lane, values)
    batch.lane_count = 0
    batch.step_count = 0
    batch.row_count = 0
    batch.leaves = 0
    batch.others = 0
    return SLICE_DONE


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
def take_in_values(search, batch, lane, values):
    """Back one leaf's values up: a mover's from its own row, others' from the mean."""
    players = search.players
    rows = count_players(lane.movers)
    own = lane.row
    for player in range(players):
        if lane.movers >> player & 1:
            value = values[own * players + player]
            own += 1
        else:
            value = 0.0
            for row in range(lane.row, lane.row + rows):
                value += values[row * players + player]
            value /= rows
        values_of(search)[player] = value
    for i in range(lane.step_count):
        waiting = steps_of(batch)[lane.first_step + i]
        step = path_of(search)[i]
        step.node = waiting.node
        step.edge = nodes_of(search)[waiting.node].first + waiting.place
    search.step_count = lane.step_count
    back_up(search)
    if lane.step_count > 0:  # the root's own evaluation is no simulation
        search.simulations += 1
