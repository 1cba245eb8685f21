"""The compiled rows of OpenSpiel's table: what a state's bytes answer by themselves.

A state is words of 64 bits: the head, each player's return now and before the last
joint action (float64), and the history, the actions of players and of chance as int32.
Callbacks into Python write all of that, so that a search asks Python only where OpenSpiel
has to do something: an action, a rollout, a list of legal actions, a resample.
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
# and the length of the history (UNKEPT: after a rollout that keeps only its returns).
OWNER, NUMBER, MOVERS, LENGTH, HEAD = range(5)
UNKEPT = -1

# Returns of two players closer than this count as equal.
TIE = 1e-9

# The callbacks that compiled rows ask; each is two words, for `first_class`.
CALLBACKS = ("reset", "apply", "playout", "redeterminise")
GAME = np.dtype(
    [
        *HEADER,
        *((name, np.intp, 2) for name in CALLBACKS),
        ("error", np.intp),  # where a callback's exception is noted
        ("chance", np.int64),
        ("owner", np.int64),
        ("children", np.intp),  # CHILD records, see `apply_row`; 0: none
    ],
    align=True,
)
# Where an action led from a position, if it did not end the game.
CHILD = np.dtype(
    [
        ("parent", np.int64),
        ("action", np.int64),
        ("child", np.int64),
        ("movers", np.int64),
    ]
)
CHILDREN = 1 << 16

_RESET = GAME.fields["reset"][1]
_APPLY = GAME.fields["apply"][1]
_PLAYOUT = GAME.fields["playout"][1]
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
    """Play a joint action; `action` is the one mover's, -1 if there are several.

    An iteration of a search repeats what an earlier one has done but for its last step.
    Where an action always leads to one position, where it led is looked up, and Python
    is asked for nothing.
    """
    record = carray(as_pointer(game), 1, GAME)[0]
    words = _words(state)
    movers = words[MOVERS]
    action = np.int64(-1)
    if movers != 0 and movers & (movers - 1) == 0:
        joint = carray(as_pointer(joint_action), record.players, np.int32)
        player = 0
        while not movers >> player & 1:
            player += 1
        action = np.int64(joint[player])
    function = _load(game + _APPLY)
    if record.children == 0 or words[OWNER] != record.owner:
        return _checked(game, function(state, joint_action, action, _drawn(game, rng)))
    parent = words[NUMBER]
    place = mixed(np.uint64(parent), action) & np.uint64(CHILDREN - 1)
    known = carray(as_pointer(record.children), CHILDREN, CHILD)[np.int64(place)]
    if known.parent == parent and known.action == action:
        length = words[LENGTH]
        first = state + 8 * (HEAD + 2 * record.players) + 4 * length
        carray(as_pointer(first), 1, np.int32)[0] = action
        words[LENGTH] = length + 1
        words[NUMBER] = known.child
        words[MOVERS] = known.movers
        return 1
    done = _checked(game, function(state, joint_action, action, 0))
    if done and words[MOVERS] != 0:
        known.parent = parent
        known.action = action
        known.child = words[NUMBER]
        known.movers = words[MOVERS]
    return done


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
def playout_row(game, state, rng, limit):
    """Play at random; return how many actions count as played."""
    seed = np.int64(next_uint64(carray(as_pointer(rng), 2, np.uint64)))
    function = _load(game + _PLAYOUT)
    return _checked(game, function(state, limit, 0, seed)) - 1


@njit
def redeterminise_row(game, state, observer, rng):
    """Resample what the observer cannot know."""
    seed = np.int64(next_uint64(carray(as_pointer(rng), 2, np.uint64)))
    function = _load(game + _REDETERMINISE)
    return _checked(game, function(state, observer, 0, seed))


ROWS = {
    "reset": (reset_row, "game, state, rng"),
    "movers": (movers_row, "game, state"),
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
            "int64" if each in ("limit", "observer") else "intp"
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
