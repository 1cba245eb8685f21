"""The compiled rows of OpenSpiel's table: what a state's bytes answer by themselves.

A state consists of words of 64 bits: the head, each player's return now and before
the last joint action (float64), and the history: the actions of players and of chance,
int32. So a search calls Python only where OpenSpiel has to do something: for an action
that is new, a rollout, a list of legal actions, a resample.
"""

import functools
from types import ModuleType

import numpy as np
from numba import carray, int64, njit

from mcts_agents.model.addresses import as_pointer, first_class
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.contract import DRAWN, HEADER, LOST, PLAYING, WON
from mcts_agents.model.hashing import mixed
from mcts_agents.model.random import next_uint64

# The head: which process and model have the position under which number, who decides,
# the length of the history (UNKEPT: after a rollout that keeps only its returns), and
# the number of the copy in Python from which this one comes, see `continues`.
OWNER, NUMBER, MOVERS, LENGTH, ROOT, HEAD = range(6)
UNKEPT = -1

# A callback's answer to where an action leads: the position's number, then so many bits
# for who decides there, counted from 1, or all ones where nobody does; then CLEARED if
# the table of children was. Where chance follows there is no number.
PLAYER_BITS = 6
NOBODY = (1 << PLAYER_BITS) - 1
CLEARED = 1
CHANCE_FOLLOWS = -1

# More numbers than a search draws from one rollout to the next, if not for chance.
MOST_DRAWN = 64

SEED_BITS = (1 << 31) - 1

# Returns of two players closer than this count as equal.
TIE = 1e-9

# The callbacks that compiled rows ask; each is two words, for `first_class`.
CALLBACKS = (
    "reset", "apply", "restore", "child", "legal_actions", "playout", "rollout",
    "redeterminise",
)  # fmt: skip
GAME = np.dtype(
    [
        *HEADER,
        *((name, np.intp, 2) for name in CALLBACKS),
        ("error", np.intp),  # where a callback's exception is noted
        ("chance", np.int64),
        ("owner", np.int64),
        ("longest", np.int64),  # rollouts to the end of the game may take so many
        ("one_return", np.int64),  # the mover's return gives both
        ("shared", np.int64),  # both get the same
        ("sum", np.float64),  # else what both returns add up to
        ("answer", np.intp),  # where callbacks write returns
        ("stream", np.intp),  # the generator after the last rollout, and its root
        ("children", np.intp),  # CHILDREN records of CHILD; 0: none
    ],
    align=True,
)
# Where an action led from a position; its returns in games of one or two players.
CHILD = np.dtype(
    [
        ("parent", np.int64),
        ("action", np.int64),
        ("child", np.int64),
        ("movers", np.int64),
        ("returns", np.float64, 2),
    ]
)
# A table with open addresses: half of it is used, at the most.
CHILDREN = 1 << 18

_RESET = GAME.fields["reset"][1]
_APPLY = GAME.fields["apply"][1]
_RESTORE = GAME.fields["restore"][1]
_CHILD = GAME.fields["child"][1]
_LEGAL_ACTIONS = GAME.fields["legal_actions"][1]
_PLAYOUT = GAME.fields["playout"][1]
_ROLLOUT = GAME.fields["rollout"][1]
_REDETERMINISE = GAME.fields["redeterminise"][1]
_load = first_class(int64(int64, int64, int64, int64))


@njit
def _words(state):
    return carray(as_pointer(state), HEAD, np.int64)


@njit
def _returns(game, state):
    players = carray(as_pointer(game), 1, GAME)[0].players
    return carray(as_pointer(state + 8 * HEAD), players, np.float64)


@njit
def _drawn(game, rng):
    """Return the seed of a callback's chance, if there is any."""
    if carray(as_pointer(game), 1, GAME)[0].chance:
        return np.int64(next_uint64(carray(as_pointer(rng), 2, np.uint64)))
    return np.int64(0)


@njit
def _checked(game, done):
    """Note that a callback did not come to its end: a signal ended it at its entry."""
    if done == 0:
        error = carray(as_pointer(game), 1, GAME)[0].error
        carray(as_pointer(error), 1, np.int64)[0] = 1
    return done


@njit
def reset_row(game, state, rng):
    """Write the opening."""
    function = _load(game + _RESET)
    return _checked(game, function(state, 0, 0, _drawn(game, rng)))


@njit
def movers_row(game, state):
    """Return who decides."""
    return _words(state)[MOVERS]


@njit
def apply_row(game, state, joint_action, rng):
    """Play a joint action.

    An iteration of a search repeats what an earlier one has done but for its last step.
    Where an action always leads to one position, where it led is looked up, and Python
    is asked for nothing.
    """
    record = carray(as_pointer(game), 1, GAME)[0]
    words = _words(state)
    if record.children != 0 and words[MOVERS] != 0:
        if not adopted(game, state):
            return 0
        done = advance(game, state, joint_action)
        if done != CHANCE_FOLLOWS:
            return done
    action = np.int64(-1)
    if words[MOVERS] & (words[MOVERS] - 1) == 0:
        action = action_of(game, state, joint_action)
    function = _load(game + _APPLY)
    return _checked(game, function(state, joint_action, action, _drawn(game, rng)))


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
    words = _words(state)
    if words[MOVERS] == 0:
        return np.int64(-1)
    players = carray(as_pointer(game), 1, GAME)[0].players
    joint = carray(as_pointer(joint_action), players, np.int32)
    return np.int64(joint[mover(words)])


@njit
def advance(game, state, joint_action):
    """Play the action of the one mover; return 1 if no callback failed.

    CHANCE_FOLLOWS is returned where it does, and nothing has changed then.
    """
    record = carray(as_pointer(game), 1, GAME)[0]
    words = _words(state)
    parent = words[NUMBER]
    action = action_of(game, state, joint_action)
    children = carray(as_pointer(record.children), CHILDREN, CHILD)
    place = np.int64(mixed(np.uint64(parent), action) & np.uint64(CHILDREN - 1))
    while children[place].parent != 0:
        if children[place].parent == parent and children[place].action == action:
            break
        place = (place + 1) & (CHILDREN - 1)
    if children[place].parent == 0:
        answer = asked(game, state, _CHILD, action, np.int64(0))
        if answer == 0:
            return np.int64(0)
        if answer & CLEARED:
            place = np.int64(mixed(np.uint64(parent), action) & np.uint64(CHILDREN - 1))
        known = children[place]
        known.parent = parent
        known.action = action
        known.child = answer >> PLAYER_BITS + 1
        player = (answer >> 1 & NOBODY) - 1
        known.movers = np.int64(1) << player if player < record.players else 0
        if answer >> PLAYER_BITS + 1 == 0:
            known.movers = CHANCE_FOLLOWS
        answers = carray(as_pointer(record.answer), record.players, np.float64)
        for other in range(record.players):
            known.returns[other] = answers[other]
    known = children[place]
    if known.movers == CHANCE_FOLLOWS:
        return np.int64(CHANCE_FOLLOWS)
    if known.movers == 0:
        returns = _returns(game, state)
        for other in range(record.players):
            returns[other] = known.returns[other]
    length = words[LENGTH]
    first = state + 8 * (HEAD + 2 * record.players) + 4 * length
    carray(as_pointer(first), 1, np.int32)[0] = action
    words[LENGTH] = length + 1
    words[NUMBER] = known.child
    words[MOVERS] = known.movers
    return np.int64(1)


@njit
def adopted(game, state):
    """Number a position of another model or process here; return 1 if that is done."""
    if _words(state)[OWNER] == carray(as_pointer(game), 1, GAME)[0].owner:
        return 1
    function = _load(game + _RESTORE)
    return _checked(game, function(state, 0, 0, 0))


@njit
def asked(game, state, callback, argument, fresh):
    """Ask a callback about a position, which is made again if it was dropped."""
    function = _load(game + callback)
    number = _words(state)[NUMBER]
    answer = function(number, argument, fresh, 0)
    if answer == 0:
        restore = _load(game + _RESTORE)
        if restore(state, 0, 0, 0):
            answer = function(number, argument, fresh, 0)
    return _checked(game, answer)


@njit
def legal_actions_row(game, state, player, out):
    """Write the legal actions."""
    function = _load(game + _LEGAL_ACTIONS)
    return function(state, player, out, _words(state)[NUMBER])


@njit
def scores_row(game, state, out):
    """Write the returns."""
    returns = _returns(game, state)
    scores = carray(as_pointer(out), len(returns), np.float64)
    for player in range(len(returns)):
        scores[player] = returns[player]
    return 0


@njit
def results_row(game, state, out):
    """Write who has won: the highest return, unless all are equal."""
    returns = _returns(game, state)
    results = carray(as_pointer(out), len(returns), np.int32)
    if _words(state)[MOVERS] != 0:
        results[:] = PLAYING
        return 0
    best = returns.max()
    leads = 0
    for player in range(len(returns)):
        leads += returns[player] >= best - TIE
    for player in range(len(returns)):
        if returns[player] < best - TIE:
            results[player] = LOST
        elif leads == 1 and len(returns) > 1:
            results[player] = WON
        else:
            results[player] = DRAWN
    return 0


@njit
def copy_row(game, target, source):
    """Copy the head, the returns and as much history as there is."""
    players = carray(as_pointer(game), 1, GAME)[0].players
    length = max(_words(source)[LENGTH], 0)
    size = HEAD + 2 * players + (length + 1) // 2
    words = carray(as_pointer(target), size, np.int64)
    others = carray(as_pointer(source), size, np.int64)
    for i in range(size):
        words[i] = others[i]
    return 0


@njit
def continues(game, state, rng):
    """Whether a rollout belongs to the same search as the one before.

    Seeding OpenSpiel's generators takes as long as a short rollout. So those of the
    last rollout go on below the same root, if the search's generator has only drawn a
    few numbers since. When a search begins again its generator has gone back, and
    OpenSpiel's are seeded anew: the same seed gives the same decision.
    """
    stream = carray(
        as_pointer(carray(as_pointer(game), 1, GAME)[0].stream), 3, np.uint64
    )
    if stream[2] != np.uint64(_words(state)[ROOT]):
        return False
    for _ in range(MOST_DRAWN):
        if stream[0] == rng[0] and stream[1] == rng[1]:
            return True
        next_uint64(stream)
    return False


@njit
def playout_row(game, state, rng, limit):
    """Play at random; return how many actions count as played."""
    record = carray(as_pointer(game), 1, GAME)[0]
    words = _words(state)
    generator = carray(as_pointer(rng), 2, np.uint64)
    whole = limit >= record.longest and words[MOVERS] != 0
    fresh = whole and not continues(game, state, generator)
    seed = np.int64(next_uint64(generator))
    if whole:
        stream = carray(as_pointer(record.stream), 3, np.uint64)
        stream[0], stream[1] = generator[0], generator[1]
        stream[2] = np.uint64(words[ROOT])
    if record.one_return and whole:
        if adopted(game, state):
            if asked(game, state, _ROLLOUT, seed & SEED_BITS, np.int64(fresh)):
                own = carray(as_pointer(record.answer), 1, np.float64)[0]
                player = mover(words)
                returns = _returns(game, state)
                if record.players == 2:
                    returns[1 - player] = own if record.shared else record.sum - own
                returns[player] = own
                words[MOVERS] = 0
                words[NUMBER] = 0
                words[LENGTH] = UNKEPT
                return 1
            return 0
    function = _load(game + _PLAYOUT)
    return _checked(game, function(state, limit, np.int64(fresh), seed)) - 1


@njit
def redeterminise_row(game, state, observer, rng):
    """Resample what the observer cannot know."""
    seed = np.int64(next_uint64(carray(as_pointer(rng), 2, np.uint64)))
    function = _load(game + _REDETERMINISE)
    return _checked(game, function(state, observer, 0, seed))


ROWS = {
    "reset": (reset_row, "game, state, rng"),
    "movers": (movers_row, "game, state"),
    "legal_actions": (legal_actions_row, "game, state, player, out"),
    "apply": (apply_row, "game, state, joint_action, rng"),
    "scores": (scores_row, "game, state, out"),
    "results": (results_row, "game, state, out"),
    "copy": (copy_row, "game, target, source"),
    "playout": (playout_row, "game, state, rng, limit"),
    "redeterminise": (redeterminise_row, "game, state, observer, rng"),
}


def _source() -> str:
    lines = []
    for name, (_, parameters) in ROWS.items():
        kinds = ", ".join(
            "int64" if each in ("limit", "observer", "player") else "intp"
            for each in parameters.split(", ")
        )
        lines.append(
            f"@njit(int64({kinds}), cache=CACHE)\n"
            f"def {name}({parameters}):\n"
            f"    return {name}_row({parameters})\n"
        )
    return "\n".join(lines)


@functools.cache
def compiled_rows() -> ModuleType:
    """Compile the rows (once), each under its name in the table."""
    functions = {f"{name}_row": row for name, (row, _) in ROWS.items()}
    return compile_module(
        "open_spiel", _source(), {**functions}, list(functions.values())
    )
