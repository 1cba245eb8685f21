"""The compiled loop over games that a fleet of searches plays.

    for each game in turn, as long as it does not wait for its search:
        if its search is at its end: note the decision, choose
        if all movers have chosen: let the game go on; if it is over, note its result
        the next mover decides: note what it sees, begin a search on what it may know

Players who do not learn follow a scripted policy of the game; nothing is noted of them.
Players who decide at once do so one after another, in one search after another; none
sees what the others have chosen, since nothing is applied before all have.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.learn.training.game_records import DECIDING, OVER, SEARCHING
from mcts_agents.model import calls as call
from mcts_agents.model.addresses import (
    as_pointer,
    float64_at,
    int32_at,
    int64s_at,
)
from mcts_agents.model.contract import DRAWN, WON
from mcts_agents.model.random import random_float
from mcts_agents.search.kernel.arithmetic import exponential, natural_log
from mcts_agents.search.kernel.fleets import FINISHED, IDLE, begin_search, search_of
from mcts_agents.search.kernel.records import edges_of, nodes_of, rng_of, statistics_of
from mcts_agents.search.kernel.root_policies.gumbel import decide_sampled
from mcts_agents.search.kernel.root_reading import OPEN, choose_action, read_root
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_MOVERS,
    BAD_POLICY,
    GROW,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    NOTHING_KEPT,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import count_players
from mcts_agents.search.kernel.tree_policies.gumbel import complete, weigh


@njit
def play_on(play, seats, fleet, members):
    """Play until every game is over or waits for its search.

    Args:
        play: The PLAY record.
        seats: SEAT records.
        fleet: The FLEET record.
        members: MEMBER records, one for each game.

    Returns:
        SLICE_DONE: there is nothing more to do. GROW: the game `next` lacks rows. Any
        other status says what is wrong with the game's rules.
    """
    while play.next < len(seats):
        seat, member = seats[play.next], members[play.next]
        status = SLICE_DONE
        if seat.status == SEARCHING and member.status == FINISHED:
            status = finish_decision(play, seat, member)
        elif seat.status == DECIDING:
            status = begin_decision(play, seat, fleet, member)
        else:
            play.next += 1
        if status != SLICE_DONE:
            return status
    play.next = 0
    return SLICE_DONE


# -- a decision begins


@njit
def begin_decision(play, seat, fleet, member):
    """Let the game go on to its next decision, and begin that."""
    play.state = seat.state
    if seat.undecided == 0:
        return advance_game(play, seat)
    if seat.rows == play.capacity:
        return GROW
    player = np.int64(0)
    while not seat.undecided >> player & 1:
        player += 1
    n = list_legal(play, player)
    if n <= 0:
        return error_of(play, n)
    seat.player = player
    if seat.ply < seat.random_plies:
        rng = carray(as_pointer(seat.rng), 2, np.uint64)
        chosen = np.int64(random_float(rng) * n)
        return choose(play, seat, int32_at(play.legal, n)[chosen])
    if not seat.learners >> player & 1:
        return follow_policy(play, seat, n)
    note_view(play, seat, n)
    first = int32_at(play.legal, n)[0]
    kept = n
    if play.filtered and n > 1:
        kept = call.filter_actions(play, player, n)
        if call.failed(play) or not 0 < kept <= n:
            return MODEL_ERROR if call.failed(play) else NOTHING_KEPT
        first = int32_at(play.legal, n)[0]
    if kept == 1:
        policy_row(play, seat)[first] = 1.0
        row = row_number(play, seat)
        note_number(play.value_column, row, np.nan, np.float32, 4)
        return end_decision(play, seat, first)
    call.copy_between(play, seat.known, seat.state)
    play.state, play.rng, play.root_player = seat.known, seat.rng, player
    if play.hidden:
        call.redeterminise(play)
    rng = carray(as_pointer(seat.rng), 2, np.uint64)
    blank = int64s_at(play.blanks + 8 * play.players * play.next, play.players)[player]
    begin_search(fleet, member, blank, seat.known, rng)
    seat.status = SEARCHING
    return MODEL_ERROR if call.failed(play) else SLICE_DONE


@njit
def follow_policy(play, seat, n):
    """Let a player who does not learn choose among its `n` legal actions."""
    play.rng, play.policy_memories = seat.opponents_rng, seat.memories
    action = call.policy(play, 0, seat.player)
    if call.failed(play):
        return MODEL_ERROR
    legal = int32_at(play.legal, n)
    for i in range(n):
        if legal[i] == action:
            return choose(play, seat, action)
    play.wrong_action = action
    return BAD_POLICY


@njit
def advance_game(play, seat):
    """Apply what all movers have chosen, if anybody has, and see who decides next."""
    joint_action = int32_at(seat.joint_action, play.players)
    play.rng, play.joint_action = seat.dice, seat.joint_action
    if joint_action.max() >= 0:
        call.apply(play)
        seat.ply += 1
    movers = call.movers(play)
    if call.failed(play):
        return MODEL_ERROR
    if movers >> play.players != 0:
        return BAD_MOVERS
    seat.undecided = movers
    if movers == 0:
        call.results(play)
        write_shares(play, float64_at(seat.shares, play.players))
        seat.status = OVER
    return SLICE_DONE


@njit
def write_shares(play, out):
    """Write each player's share of the win, as `win_shares.result_shares` says."""
    results = int32_at(play.results, play.players)
    teams = int32_at(play.teams, play.players)
    sharing = np.int64(0)  # teams, a bit mask
    for result in (WON, DRAWN):
        for player in range(play.players):
            if results[player] == result:
                sharing |= np.int64(1) << teams[player]
        if sharing:
            break
    if not sharing:
        sharing = (np.int64(1) << play.team_count) - 1
    share = 1.0 / count_players(sharing)
    for player in range(play.players):
        out[player] = share if sharing >> teams[player] & 1 else 0.0


@njit
def list_legal(play, player):
    """Write a mover's legal actions; return their number, or see `error_of`."""
    n = call.legal_actions(play, player)
    if n <= 0 or n > play.legal_limit or call.failed(play):
        return 0
    legal = int32_at(play.legal, n)
    for i in range(n):
        if not 0 <= legal[i] < play.actions:
            return -2
    return n


@njit
def error_of(play, n):
    """Return the status that a number of legal actions which is an error ends with."""
    if call.failed(play):
        return MODEL_ERROR
    return BAD_ACTION if n == -2 else NO_LEGAL_ACTION


@njit
def row_number(play, seat):
    """Return the row in which a game's present decision is noted."""
    return play.next * play.capacity + seat.rows


@njit
def policy_row(play, seat):
    """View the policy that learners are told, float32."""
    size = 4 * play.actions
    address = play.policy_column + row_number(play, seat) * size
    return carray(as_pointer(address), play.actions, np.float32)


@njit
def note_number(column, row, number, dtype, size):
    """Write one number into a column of numbers of `size` bytes."""
    carray(as_pointer(column + row * size), 1, dtype)[0] = number


@njit
def note_view(play, seat, n):
    """Note what the player sees, and its `n` legal actions."""
    row = row_number(play, seat)
    size = play.observation_size
    call.observe(play, seat.player, play.observation_column + row * size, size)
    address = play.legal_column + row * play.actions
    legal = carray(as_pointer(address), play.actions, np.uint8)
    legal[:] = 0
    listed = int32_at(play.legal, n)
    for i in range(n):
        legal[listed[i]] = 1
    policy_row(play, seat)[:] = 0.0
    note_number(play.player_column, row, seat.player, np.int8, 1)
    note_number(play.ply_column, row, seat.ply, np.int32, 4)


# -- a decision ends


@njit
def finish_decision(play, seat, member):
    """Note what a search has found, and choose."""
    search = search_of(member)
    player = seat.player
    play.state = seat.state
    n = list_legal(play, player)
    if n <= 0:
        return error_of(play, n)
    actions = int32_at(play.legal, n)
    tree = player if search.trees > 1 else np.int64(0)
    visits, values = np.zeros(n, np.int64), np.full(n, np.nan)
    ranks = np.full(n, np.int64(OPEN))
    read_root(search, tree, player, actions, visits, values, ranks)
    rng = rng_of(search)
    total, value = visits.sum(), 0.0
    for i in range(n):
        if visits[i] > 0:
            value += values[i] * (visits[i] / total)
    row = row_number(play, seat)
    note_number(play.value_column, row, value, np.float32, 4)
    policy = visits / total
    if play.sampled:
        chosen = decide_by_gumbel(play, search, actions, visits, values, policy)
        action = actions[chosen]
    elif seat.ply < play.explore_moves:
        action = actions[draw(visits, play.temperature, rng)]
    else:
        action = choose_action(search, tree, player, actions, play.by_value != 0, rng)
    noted = policy_row(play, seat)
    for i in range(n):
        noted[actions[i]] = policy[i]
    own = carray(as_pointer(seat.rng), 2, np.uint64)
    own[0], own[1] = rng[0], rng[1]
    member.status = IDLE
    return end_decision(play, seat, action)


@njit
def end_decision(play, seat, action):
    """Note what was chosen, which ends the row."""
    note_number(play.action_column, row_number(play, seat), action, np.int32, 4)
    seat.rows += 1
    play.decisions += 1
    return choose(play, seat, action)


@njit
def choose(play, seat, action):
    """Keep what was chosen until all movers have chosen."""
    int32_at(seat.joint_action, play.players)[seat.player] = action
    seat.undecided &= ~(np.int64(1) << seat.player)
    seat.status = DECIDING
    return SLICE_DONE


@njit
def decide_by_gumbel(play, search, actions, visits, values, policy):
    """Return the place of the move, and write the improved policy."""
    n = len(actions)
    tree = search.root_player if search.trees > 1 else np.int64(0)
    node = np.int64(edges_of(search)[tree].child)
    while nodes_of(search)[node].player != search.root_player:
        node += 1
    bandit = nodes_of(search)[node]
    place = np.full(play.actions, -1, np.int64)
    for i in range(bandit.count):
        place[edges_of(search)[bandit.first + i].action] = bandit.first + i
    own = search.root_player * search.own_ranges
    low, high = 0.0, 1.0
    if search.normalise:
        low, high = search.low[own], search.high[own]
    scale = 1.0 / (high - low) if high > low else 0.0
    noise, sigmas = np.full(n, np.nan), np.empty(n)
    policy[:] = 0.0  # of actions that an action filter keeps out of the tree
    for i in range(n):
        at = place[actions[i]]
        if at >= 0:
            policy[i] = statistics_of(search)[at].prior
            noise[i] = statistics_of(search)[at].accumulated
        sigmas[i] = ((values[i] if visits[i] > 0 else 0.0) - low) * scale
    raw_value = (np.float64(bandit.raw_value) - low) * scale
    complete(visits, sigmas, policy, raw_value)
    weigh(visits, sigmas, play.gumbel_visits, play.gumbel_scale)
    return decide_sampled(visits, policy, noise, sigmas, rng_of(search))


@njit
def draw(visits, temperature, rng):
    """Return a place in proportion to visits ** (1 / temperature)."""
    most = np.float64(visits.max())
    weights = np.zeros(len(visits))
    for i in range(len(visits)):
        if visits[i] > 0:
            weights[i] = exponential(-natural_log(most / visits[i]) / temperature)
    left = random_float(rng) * weights.sum()
    last = np.int64(0)
    for i in range(len(visits)):
        if weights[i] > 0.0:
            last = np.int64(i)
            left -= weights[i]
            if left < 0.0:
                break
    return last
