"""Where actions led: positions that were met before are found without Python.

An iteration of a search repeats what an earlier one has done but for its last steps.
A table has, under a position's number and an action (or an outcome of chance), the
number of the position that follows, who decides there, and the returns at the end of
the game. Where positions are met in many iterations (games with chance or hidden
information) their legal actions are kept, too.

The table holds what pyspiel said and nothing else: no decision depends on what is in
it.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.open_spiel.records import (
    BY_CHANCE,
    CHANCE_NEXT,
    CHILD,
    CHILDREN,
    COUNT_BITS,
    GAME,
    HEAD,
    LENGTH,
    LISTED,
    LISTS,
    MOST_LISTED,
    MOVERS,
    NUMBER,
    OVER,
    OWNER,
    PLAYER_BITS,
    asked,
    load_callback,
    returns_of,
    words_of,
)
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.hashing import mixed
from mcts_agents.model.random import next_uint64

_CHILD = GAME.fields["child"][1]
_LEGAL_ACTIONS = GAME.fields["legal_actions"][1]
_FLOAT = 2.0**-53


@njit
def mover(words):
    """Return the first of the movers."""
    player = np.int64(0)
    while not words[MOVERS] >> player & 1:
        player += 1
    return player


@njit
def action_of(game, state, joint_action):
    """Return the action of the one player who decides, -1 where nobody does."""
    words = words_of(state)
    if words[MOVERS] == 0:
        return np.int64(-1)
    players = carray(as_pointer(game), 1, GAME)[0].players
    joint = carray(as_pointer(joint_action), players, np.int32)
    return np.int64(joint[mover(words)])


@njit
def place_of(children, number, action):
    """Return where the table has an action, or has room for it."""
    place = np.int64(mixed(np.uint64(number), action) & np.uint64(CHILDREN - 1))
    while children[place].parent != 0:
        if children[place].parent == number and children[place].action == action:
            break
        place = (place + 1) & (CHILDREN - 1)
    return place


@njit
def advance(game, state, joint_action, rng):
    """Play the action of the one mover, and what chance does next.

    Returns:
        1; 0 if a callback failed.
    """
    record = carray(as_pointer(game), 1, GAME)[0]
    children = carray(as_pointer(record.children), CHILDREN, CHILD)
    words = words_of(state)
    action = action_of(game, state, joint_action)
    while True:
        place = place_of(children, words[NUMBER], action)
        if children[place].parent == 0:
            place = found_out(game, state, children, place, action)
            if place < 0:
                return 0
        known = children[place]
        # Some games can go on for longer than they say.
        if words[LENGTH] >= 2 * (record.state_words - HEAD - 2 * record.players):
            raise RuntimeError("a game is longer than its max_history_length() says")
        first = state + 8 * (HEAD + 2 * record.players) + 4 * words[LENGTH]
        carray(as_pointer(first), 1, np.int32)[0] = action
        words[LENGTH] += 1
        words[NUMBER] = known.child
        if known.movers != BY_CHANCE:
            words[MOVERS] = known.movers
            break
        words[MOVERS] = 0
        action = drawn(record, known, rng)
    if words[MOVERS] == 0:
        players = record.players
        kept = record.child_returns + 8 * players * place
        ends = carray(as_pointer(kept), players, np.float64)
        returns = returns_of(game, state)
        for player in range(players):
            returns[player] = ends[player]
    return 1


@njit
def found_out(game, state, children, place, action):
    """Ask Python where an action leads; return its place, -1 if the callback failed."""
    record = carray(as_pointer(game), 1, GAME)[0]
    used = carray(as_pointer(record.used), 2, np.int64)
    # With an action come two entries at the most, and as much of the lists as there is.
    if 2 * used[0] > CHILDREN - 4 or used[1] + MOST_LISTED > LISTS:
        for at in range(CHILDREN):
            children[at].parent = 0
        used[:] = 0
        place = place_of(children, words_of(state)[NUMBER], action)
    answer = asked(game, state, _CHILD, action, used[1])
    if answer == 0:
        return np.int64(-1)
    number = words_of(state)[NUMBER]
    code = (answer & OVER) - 1
    count = answer >> PLAYER_BITS & MOST_LISTED
    known = children[place]
    known.parent = number
    known.action = action
    known.child = answer >> PLAYER_BITS + COUNT_BITS
    known.first = used[1]
    known.count = count
    used[0] += 1
    used[1] += count
    if code == OVER - 1:
        known.movers = 0
        kept = record.child_returns + 8 * record.players * place
        ends = carray(as_pointer(kept), record.players, np.float64)
        answers = carray(as_pointer(record.answer), record.players, np.float64)
        for player in range(record.players):
            ends[player] = answers[player]
    elif code == CHANCE_NEXT - 1:
        known.movers = BY_CHANCE
    else:
        known.movers = np.int64(1) << code
        if count > 0:
            note_list(children, used, known.child, known.first, count)
    return place


@njit
def note_list(children, used, number, first, count):
    """Enter where the legal actions of a position are listed."""
    place = place_of(children, number, np.int64(LISTED))
    listed = children[place]
    if listed.parent == 0:
        listed.parent = number
        listed.action = LISTED
        used[0] += 1
    listed.first = first
    listed.count = count


@njit
def drawn(record, known, rng):
    """Draw an outcome of chance, with OpenSpiel's probabilities."""
    actions = carray(as_pointer(record.lists), LISTS, np.int32)
    chances = carray(as_pointer(record.chances), LISTS, np.float64)
    number = next_uint64(carray(as_pointer(rng), 2, np.uint64))
    share = np.float64(number >> np.uint64(11)) * _FLOAT
    last = known.first
    for at in range(known.first, known.first + known.count):
        if chances[at] > 0.0:
            last = at
            share -= chances[at]
            if share < 0.0:
                break
    return np.int64(actions[last])


@njit
def legal_actions(game, state, player, out):
    """Write the legal actions of a player; return how many there are."""
    record = carray(as_pointer(game), 1, GAME)[0]
    words = words_of(state)
    if not words[MOVERS] >> player & 1:
        return np.int64(0)
    function = load_callback(game + _LEGAL_ACTIONS)
    if record.lists_legal == 0 or words[OWNER] != record.owner:
        return function(state, player, out, 0)
    children = carray(as_pointer(record.children), CHILDREN, CHILD)
    actions = carray(as_pointer(record.lists), LISTS, np.int32)
    place = place_of(children, words[NUMBER], np.int64(LISTED))
    listed = children[place]
    if listed.parent != 0:
        legal = carray(as_pointer(out), listed.count, np.int32)
        for i in range(listed.count):
            legal[i] = actions[listed.first + i]
        return listed.count
    count = function(state, player, out, 0)
    used = carray(as_pointer(record.used), 2, np.int64)
    # Without room Python clears the tables when it is next asked about an action.
    if 0 < count and used[1] + count <= LISTS and 2 * used[0] < CHILDREN:
        legal = carray(as_pointer(out), count, np.int32)
        for i in range(count):
            actions[used[1] + i] = legal[i]
        note_list(children, used, words[NUMBER], used[1], count)
        used[1] += count
    return count
