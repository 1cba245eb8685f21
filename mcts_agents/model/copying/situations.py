"""What a state's bytes say of the copy that it stands for.

A call of compiled code into Python takes as long as a step of a small environment. So
whoever changes a copy writes down who decides, what has been earned, and which actions
are legal where that is all of a space; and the functions here, compiled, read it.

Where nothing is written down (`movers` is `UNKNOWN`), they ask Python: the game's
record has the addresses of the functions that know.
"""

import ctypes
import functools
import struct
from collections.abc import Sequence

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import (
    as_pointer,
    compiled_address,
    first_class,
    float64_at,
    int32_at,
)
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.contract import (
    DRAWN,
    ENTRIES,
    HEADER,
    KINDS,
    LOST,
    PLAYING,
    ROW,
    WON,
)
from mcts_agents.model.copying.held_copies import HeldCopy

UNKNOWN = -1

# Returns of two players closer than this count as equal.
TIE = 1e-9

# A situation's head; the returns of all players follow it.
HEAD = np.dtype(
    [
        ("handle", np.int64),
        ("movers", np.int64),  # a bit mask, or UNKNOWN
        ("first_legal", np.int64),
        ("legal", np.int64),  # how many actions from `first_legal` on, or UNKNOWN
    ]
)
_MOVERS = HEAD.fields["movers"][1]
_RETURNS = HEAD.itemsize

# What is asked of Python, each with an address as in a model's table.
ASKED = ("movers", "legal_actions", "scores", "results")
GAME = np.dtype([*HEADER, *((f"ask_{name}", np.int64, 2) for name in ASKED)])

_ASK_MOVERS, _ASK_LEGAL_ACTIONS, _ASK_SCORES, _ASK_RESULTS = (
    GAME.fields[f"ask_{name}"][1] for name in ASKED
)
_load_movers = first_class(ENTRIES["movers"].signature)
_load_legal_actions = first_class(ENTRIES["legal_actions"].signature)
_load_writer = first_class(ENTRIES["scores"].signature)


@njit
def _head(state):
    return carray(as_pointer(state), 1, HEAD)[0]


@njit
def _game(game):
    return carray(as_pointer(game), 1, GAME)[0]


@njit
def movers(game, state):
    """Return the bit mask of the players who decide."""
    known = _head(state).movers
    if known != UNKNOWN:
        return known
    return _load_movers(game + _ASK_MOVERS)(game, state)


@njit
def legal_actions(game, state, player, out):
    """Write a player's legal actions; return their number."""
    head = _head(state)
    if head.movers == UNKNOWN or head.legal == UNKNOWN:
        ask = _load_legal_actions(game + _ASK_LEGAL_ACTIONS)
        return ask(game, state, player, out)
    legal = int32_at(out, head.legal)
    for place in range(head.legal):
        legal[place] = head.first_legal + place
    return head.legal


@njit
def scores(game, state, out):
    """Write the returns."""
    if _head(state).movers == UNKNOWN:
        return _load_writer(game + _ASK_SCORES)(game, state, out)
    players = _game(game).players
    returns = float64_at(state + _RETURNS, players)
    written = float64_at(out, players)
    for player in range(players):
        written[player] = returns[player]
    return 0


@njit
def results(game, state, out):
    """Write the results; see `results_by_return`."""
    head = _head(state)
    if head.movers == UNKNOWN:
        return _load_writer(game + _ASK_RESULTS)(game, state, out)
    players = _game(game).players
    written = int32_at(out, players)
    if head.movers != 0:
        written[:] = PLAYING
        return 0
    returns = float64_at(state + _RETURNS, players)
    least = returns.max() - TIE
    leaders = 0
    for player in range(players):
        leaders += returns[player] >= least
    for player in range(players):
        if returns[player] < least:
            written[player] = LOST
        else:
            written[player] = WON if leaders == 1 and players > 1 else DRAWN
    return 0


def _source(name: str) -> str:
    """Write what makes one of the functions above an entry of a table."""
    parameters = ENTRIES[name].parameters
    kinds = ", ".join(str(KINDS[parameter]) for parameter in parameters)
    return (
        f"@njit(int64({kinds}), cache=CACHE)\n"
        f"def {name}({', '.join(parameters)}):\n"
        f"    return known_{name}({', '.join(parameters)})\n"
    )


@functools.cache
def _compiled() -> dict[str, int]:
    """Return the addresses of the functions above."""
    functions = [movers, legal_actions, scores, results]
    source = "".join(_source(name) for name in ASKED)
    namespace = {f"known_{f.__name__}": f for f in functions}
    module = compile_module("situations", source, namespace, functions)
    return {
        name: compiled_address(getattr(module, name), ENTRIES[name].signature)
        for name in ASKED
    }


class Situations:
    """Writes situations into states, and says who is asked where none is written.

    Args:
        players: The number of players.

    Attributes:
        size: Bytes of a state.
    """

    def __init__(self, players: int):
        self.size = HEAD.itemsize + 8 * players
        self._bytes = ctypes.c_char * self.size
        self._pack_into = struct.Struct(f"=3q{players}d").pack_into
        self._unknown = UNKNOWN, 0, UNKNOWN, *[0.0] * players

    def write(self, state: int, held: HeldCopy) -> None:
        """Write what there is to say of the copy that the state stands for."""
        room = self._bytes.from_address(state)
        if held.is_lent:
            self._pack_into(room, _MOVERS, *self._unknown)
            return
        face = held.face
        movers = face.movers()
        mask = 1 << movers[0] if len(movers) == 1 else sum(1 << p for p in movers)
        first, legal = face.legal_range(movers)
        self._pack_into(room, _MOVERS, mask, first, legal, *held.returns)

    def copy(self, target: int, source: int) -> None:
        """Let one state say what another says, of a copy of its own."""
        ctypes.memmove(target + _MOVERS, source + _MOVERS, self.size - _MOVERS)


def compiled_answers(table: np.ndarray, game: np.ndarray) -> None:
    """Let compiled functions answer for those of Python where they can.

    Args:
        table: A model's, in which those of Python stand; changed.
        game: Its record, of the type `GAME`; gets the addresses of those of Python.
    """
    for name, address in _compiled().items():
        row = ROW[name]
        game[f"ask_{name}"][0] = table[row]
        table[row] = 0, address


def results_by_return(returns: Sequence[float]) -> list[int]:
    """Return WON, DRAWN or LOST for each player of a finished environment."""
    best = max(returns)
    leads = [value >= best - TIE for value in returns]
    if all(leads):
        return [DRAWN] * len(leads)
    leader = WON if sum(leads) == 1 else DRAWN
    return [leader if lead else LOST for lead in leads]
