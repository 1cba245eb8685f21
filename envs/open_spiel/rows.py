"""The compiled rows of OpenSpiel's table: what a state's bytes answer by themselves.

A search calls Python only where OpenSpiel has to do something: for an action that is
new, a rollout, a list of legal actions, a world.
"""

import functools
from types import ModuleType

import numpy as np
from numba import carray, njit

from mcts_agents.envs.open_spiel.children import (
    action_of,
    advance,
    legal_actions,
    mover,
)
from mcts_agents.envs.open_spiel.records import (
    GAME,
    HEAD,
    LENGTH,
    MOVERS,
    NUMBER,
    ROOT,
    SEED_BITS,
    UNKEPT,
    adopted,
    asked,
    checked,
    copy_state,
    goes_on,
    load_callback,
    returns_of,
    words_of,
)
from mcts_agents.envs.open_spiel.worlds import redeterminise
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.contract import DRAWN, LOST, PLAYING, WON
from mcts_agents.model.random import next_uint64

# Returns of two players closer than this count as equal.
TIE = 1e-9

_RESET = GAME.fields["reset"][1]
_APPLY = GAME.fields["apply"][1]
_PLAYOUT = GAME.fields["playout"][1]
_ROLLOUT = GAME.fields["rollout"][1]


@njit
def drawn_seed(game, rng):
    """Return the seed of a callback's chance, if there is any."""
    if carray(as_pointer(game), 1, GAME)[0].chance:
        return np.int64(next_uint64(carray(as_pointer(rng), 2, np.uint64)))
    return np.int64(0)


@njit
def reset_row(game, state, rng):
    """Write the opening."""
    function = load_callback(game + _RESET)
    return checked(game, function(state, 0, 0, drawn_seed(game, rng)))


@njit
def movers_row(game, state):
    """Return who decides."""
    return words_of(state)[MOVERS]


@njit
def apply_row(game, state, joint_action, rng):
    """Play a joint action.

    Where one player decides at a time, where it led before is looked up.
    """
    record = carray(as_pointer(game), 1, GAME)[0]
    words = words_of(state)
    if record.children != 0 and words[MOVERS] != 0:
        if not adopted(game, state):
            return 0
        return advance(game, state, joint_action, rng)
    action = np.int64(-1)
    if words[MOVERS] & (words[MOVERS] - 1) == 0:
        action = action_of(game, state, joint_action)
    function = load_callback(game + _APPLY)
    done = function(state, joint_action, action, drawn_seed(game, rng))
    return checked(game, done)


@njit
def legal_actions_row(game, state, player, out):
    """Write the legal actions."""
    return legal_actions(game, state, player, out)


@njit
def scores_row(game, state, out):
    """Write the returns."""
    returns = returns_of(game, state)
    scores = carray(as_pointer(out), len(returns), np.float64)
    for player in range(len(returns)):
        scores[player] = returns[player]
    return 0


@njit
def results_row(game, state, out):
    """Write who has won: the highest return, unless all are equal."""
    returns = returns_of(game, state)
    results = carray(as_pointer(out), len(returns), np.int32)
    if words_of(state)[MOVERS] != 0:
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
    """Copy what a state uses."""
    copy_state(game, target, source)
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
    return stream[2] == np.uint64(words_of(state)[ROOT]) and goes_on(stream, rng)


@njit
def playout_row(game, state, rng, limit):
    """Play at random; return how many actions count as played."""
    record = carray(as_pointer(game), 1, GAME)[0]
    words = words_of(state)
    generator = carray(as_pointer(rng), 2, np.uint64)
    whole = limit >= record.longest and words[MOVERS] != 0
    fresh = whole and not continues(game, state, generator)
    seed = np.int64(next_uint64(generator))
    if whole:
        stream = carray(as_pointer(record.stream), 3, np.uint64)
        stream[0], stream[1] = generator[0], generator[1]
        stream[2] = np.uint64(words[ROOT])
        if record.counted == 0:
            return rollout(game, state, seed, np.int64(fresh))
    function = load_callback(game + _PLAYOUT)
    return checked(game, function(state, limit, np.int64(fresh), seed)) - 1


@njit
def rollout(game, state, seed, fresh):
    """Play to the end of the game in one call, and write the returns."""
    record = carray(as_pointer(game), 1, GAME)[0]
    words = words_of(state)
    if not adopted(game, state):
        return 0
    if not asked(game, state, _ROLLOUT, seed & SEED_BITS, fresh):
        return 0
    players = record.players
    answers = carray(as_pointer(record.answer), players, np.float64)
    returns = returns_of(game, state)
    earlier = carray(as_pointer(state + 8 * (HEAD + players)), players, np.float64)
    for player in range(players):
        earlier[player] = returns[player]
        returns[player] = answers[player]
    if record.one_return != 0:
        own = answers[0]
        first = mover(words)
        for player in range(players):
            # Of two players, or of partners who sit opposite each other.
            same = record.shared or (player - first) % 2 == 0
            returns[player] = own if same else record.sum - own
    words[MOVERS] = 0
    words[NUMBER] = 0
    words[LENGTH] = UNKEPT
    return 1


@njit
def redeterminise_row(game, state, observer, rng):
    """Resample what the observer cannot know."""
    return redeterminise(game, state, observer, rng)


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
