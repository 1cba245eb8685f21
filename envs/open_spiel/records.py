"""What compiled code and Python share: a state's words, the variant's record, tables.

A state consists of words of 64 bits: the head, each player's return now and before
the last joint action (float64), and the history: the actions of players and of chance,
int32.
"""

import numpy as np
from numba import carray, int64, njit

from mcts_agents.model.addresses import as_pointer, first_class
from mcts_agents.model.contract import HEADER
from mcts_agents.model.random import next_uint64

# The head: which process and model have the position under which number, who decides,
# the length of the history (UNKEPT: after a rollout that keeps only its returns), the
# number of the copy in Python from which this one comes (see `continues`), and the last
# position on the way here that is kept (its number, and the length of its history).
OWNER, NUMBER, MOVERS, LENGTH, ROOT, KEPT, KEPT_LENGTH, HEAD = range(8)
UNKEPT = -1

# A callback's answer to where an action leads: the position's number, then so many bits
# for how many legal actions or outcomes were listed, then for who decides there,
# counted from 1, or one of the codes below.
COUNT_BITS = 16
PLAYER_BITS = 6
OVER = (1 << PLAYER_BITS) - 1
CHANCE_NEXT = OVER - 1
MOST_LISTED = (1 << COUNT_BITS) - 1

# Who decides, in the table of children: a mask of players, or chance.
BY_CHANCE = -1
# Under this in place of an action the table has what a position lists.
LISTED = -1

# More numbers than a search draws from one rollout, or world, to the next.
MOST_DRAWN = 1 << 12

SEED_BITS = (1 << 31) - 1

# The callbacks that compiled rows ask; each is two words, for `first_class`.
CALLBACKS = (
    "reset", "apply", "restore", "child", "legal_actions", "playout", "rollout",
    "resample", "enumerate",
)  # fmt: skip
GAME = np.dtype(
    [
        *HEADER,
        *((name, np.intp, 2) for name in CALLBACKS),
        ("error", np.intp),  # where a callback's exception is noted
        ("chance", np.int64),
        ("owner", np.int64),
        ("longest", np.int64),  # rollouts to the end of the game may take so many
        ("counted", np.int64),  # rollouts count their actions, and keep the position
        ("one_return", np.int64),  # the mover's return gives all
        ("shared", np.int64),  # all get the same
        ("sum", np.float64),  # else what the returns of two opponents add up to
        ("answer", np.intp),  # where callbacks write returns
        ("stream", np.intp),  # the generator after the last rollout, and its root
        ("children", np.intp),  # CHILDREN records of CHILD; 0: none
        ("child_returns", np.intp),  # float64, a row for each of these
        ("lists", np.intp),  # int32 of shape (LISTS,): legal actions and outcomes
        ("chances", np.intp),  # float64, likewise: the outcomes' probabilities
        ("used", np.intp),  # int64 of shape (2,): how many of both are used
        ("lists_legal", np.int64),  # whether legal actions are kept, too
        ("pool", np.intp),  # a record of POOL
        ("pool_shares", np.intp),  # float64 of shape (worlds,)
        ("pool_states", np.intp),  # so many states
        ("worlds", np.int64),  # how many at the most; 0: each world is drawn anew
        ("state_words", np.int64),
        ("enumerates", np.int64),  # whether all worlds of a player may be few
    ],
    align=True,
)
# Where an action, or an outcome of chance, led from a position; where it has LISTED for
# its action, what the position lists.
CHILD = np.dtype(
    [
        ("parent", np.int64),
        ("action", np.int64),
        ("child", np.int64),
        ("movers", np.int64),
        ("first", np.int64),  # of what is listed
        ("count", np.int64),
    ]
)
# A table with open addresses: half of it is used, at the most.
CHILDREN = 1 << 18
# Legal actions and outcomes in lists.
LISTS = 1 << 20

# The worlds of one search: from which state they were sampled for whom, how many there
# are, whether these are all there are (each with its probability), and the generator
# after the last one.
POOL = np.dtype(
    [
        ("root", np.int64),
        ("number", np.int64),
        ("observer", np.int64),
        ("count", np.int64),
        ("complete", np.int64),
        ("stream", np.uint64, 2),
    ]
)

load_callback = first_class(int64(int64, int64, int64, int64))

_ERROR = GAME.fields["error"][1]
_RESTORE = GAME.fields["restore"][1]


@njit
def words_of(state):
    """Return the head of a state, int64 of shape (HEAD,)."""
    return carray(as_pointer(state), HEAD, np.int64)


@njit
def returns_of(game, state):
    """Return the players' returns so far, float64 of shape (players,)."""
    players = carray(as_pointer(game), 1, GAME)[0].players
    return carray(as_pointer(state + 8 * HEAD), players, np.float64)


@njit
def copy_state(game, target, source):
    """Copy the head, the returns and as much history as there is."""
    players = carray(as_pointer(game), 1, GAME)[0].players
    length = max(words_of(source)[LENGTH], 0)
    size = HEAD + 2 * players + (length + 1) // 2
    words = carray(as_pointer(target), size, np.int64)
    others = carray(as_pointer(source), size, np.int64)
    for i in range(size):
        words[i] = others[i]


@njit
def checked(game, done):
    """Note that a callback did not come to its end: a signal ended it at its entry."""
    if done == 0:
        error = carray(as_pointer(game + _ERROR), 1, np.intp)[0]
        carray(as_pointer(error), 1, np.int64)[0] = 1
    return done


@njit
def adopted(game, state):
    """Number a position of another model or process here; return 1 if that is done."""
    if words_of(state)[OWNER] == carray(as_pointer(game), 1, GAME)[0].owner:
        return 1
    function = load_callback(game + _RESTORE)
    return checked(game, function(state, 0, 0, 0))


@njit
def asked(game, state, callback, argument, fresh):
    """Ask a callback about the position of a state."""
    function = load_callback(game + callback)
    answer = function(words_of(state)[NUMBER], argument, fresh, state)
    return checked(game, answer)


@njit
def goes_on(stream, generator):
    """Whether a generator is a few numbers further than it was; `stream` is advanced.

    Args:
        stream: What it was, uint64 of shape (2,).
        generator: What it is.
    """
    for _ in range(MOST_DRAWN):
        if stream[0] == generator[0] and stream[1] == generator[1]:
            return True
        next_uint64(stream)
    return False
