"""What a state's bytes say of the copy that it stands for.

A call of compiled code into Python takes as long as a step of a small environment. So
whoever changes a copy writes down who decides, what has been earned, and which actions
are legal where that is cheap to tell; and the functions here, compiled, read it.

Where nothing is written down (`movers` is `UNKNOWN`), they ask Python: the game's
record has the addresses of the functions that know.
"""

import ctypes
import functools
import struct
from collections.abc import Mapping, Sequence

import numpy as np
from numba import carray, int64, intp, njit

from mcts_agents.model.addresses import (
    as_pointer,
    compiled_address,
    first_class,
    float64_at,
    int32_at,
    int64s_at,
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
from mcts_agents.model.copying.faces import BITS, LISTED, MOST_LISTED, NO_RANGE
from mcts_agents.model.copying.held_copies import HeldCopy
from mcts_agents.model.copying.playouts import Draws, advance, look_ahead

UNKNOWN = -1
# The situation of a copy of which nothing is written down.
UNSAID = UNKNOWN, *NO_RANGE

# Returns of two players closer than this count as equal.
TIE = 1e-9

# A situation's head; the returns of all players follow it, and the actions that are
# listed, as int32.
HEAD = np.dtype(
    [
        ("handle", np.int64),  # see `HeldCopies`
        ("own", np.int64),
        ("movers", np.int64),  # a bit mask, or UNKNOWN
        ("first_legal", np.int64),
        # How many actions from `first_legal` on; BITS: `first_legal` is a mask; LISTED:
        # it is how many are listed; or UNKNOWN.
        ("legal", np.int64),
    ]
)
_HANDLE, _OWN, _MOVERS, _FIRST_LEGAL, _LEGAL = range(len(HEAD))
_WORDS = len(HEAD)
_RETURNS = HEAD.itemsize

# Python's functions that are not of the table. Of a single player's action:
STEP = int64(intp, int64, int64, int64, int64)
# and of a rollout. Both begin with the two handles of a state, and leave its situation
# at the address `news`.
PLAY = int64(intp, int64, int64, int64)

ANSWERED = (
    "movers",
    "legal_actions",
    "scores",
    "results",
    "copy",
    "apply",
    "playout",
)
ASKED = {name: ENTRIES[name].signature for name in ANSWERED if name != "playout"}
ASKED |= {"step": STEP, "play": PLAY}
GAME = np.dtype(
    [
        *HEADER,
        *((f"ask_{name}", np.int64, 2) for name in ASKED),
        ("news", np.int64),
        ("draws", np.int64),  # the address of `Draws`
        ("root", np.int64),  # the handle of the plan's root, 0 without a plan
    ]
)
_PLACES = {name: GAME.fields[f"ask_{name}"][1] for name in ASKED}
_ASK_MOVERS, _ASK_LEGAL_ACTIONS = _PLACES["movers"], _PLACES["legal_actions"]
_ASK_SCORES, _ASK_RESULTS = _PLACES["scores"], _PLACES["results"]
_ASK_COPY, _ASK_APPLY = _PLACES["copy"], _PLACES["apply"]
_ASK_STEP, _ASK_PLAY = _PLACES["step"], _PLACES["play"]
_load_movers = first_class(ASKED["movers"])
_load_legal_actions = first_class(ASKED["legal_actions"])
_load_writer = first_class(ASKED["scores"])  # of results, too
_load_copy = first_class(ASKED["copy"])
_load_apply = first_class(ASKED["apply"])
_load_step = first_class(STEP)
_load_play = first_class(PLAY)


@njit
def _head(state):
    return carray(as_pointer(state), 1, HEAD)[0]


@njit
def _game(game):
    return carray(as_pointer(game), 1, GAME)[0]


@njit
def _take(game, state, source):
    """Let a state say what stands at another address, its own handle left out."""
    players = _game(game).players
    words = int64s_at(state, _WORDS + players)
    news = int64s_at(source, len(words))
    words[_HANDLE] = news[_HANDLE]
    for place in range(_MOVERS, len(words)):
        words[place] = news[place]
    if words[_LEGAL] == LISTED:
        _copy_list(
            state + _RETURNS + 8 * players,
            source + _RETURNS + 8 * players,
            words[_FIRST_LEGAL],
        )


@njit
def _copy_list(target, source, length):
    written, listed = int32_at(target, length), int32_at(source, length)
    for place in range(length):
        written[place] = listed[place]


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
    if head.legal == LISTED:
        listed = state + _RETURNS + 8 * _game(game).players
        _copy_list(out, listed, head.first_legal)
        return head.first_legal
    if head.legal == BITS:
        legal = int32_at(out, _game(game).legal_limit)
        n = 0
        for action in range(_game(game).actions):
            if head.first_legal >> action & 1:
                legal[n] = action
                n += 1
        return n
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


@njit
def copy(game, target, source):
    """Let `target` stand for what `source` stands for."""
    root, head = _game(game).root, _head(source)
    if root == 0 or head.handle != root or head.movers == UNKNOWN:
        return _load_copy(game + _ASK_COPY)(game, target, source)
    _take(game, target, source)
    return 0


@njit
def apply(game, state, joint_action, rng):
    """Let the movers act."""
    head = _head(state)
    movers = head.movers
    if movers <= 0 or movers & (movers - 1) != 0:
        return _load_apply(game + _ASK_APPLY)(game, state, joint_action, rng)
    player = 0
    while movers >> player & 1 == 0:
        player += 1
    action = int32_at(joint_action, _game(game).players)[player]
    ask = _load_step(game + _ASK_STEP)
    ask(game, head.handle, head.own, player, action)
    return _hear(game, state)


@njit
def playout(game, state, rng, limit):
    """Play at random; return how many actions were played."""
    head = _head(state)
    if limit <= 0 or head.movers == 0:
        return 0
    look_ahead(rng, _game(game).draws, limit)
    ask = _load_play(game + _ASK_PLAY)
    played = ask(game, head.handle, head.own, limit)
    advance(rng, played)
    _hear(game, state)
    return played


@njit
def _hear(game, state):
    """Take in what Python has left at `news`."""
    news = _game(game).news
    _take(game, state, news)
    head = _head(state)
    head.own = head.handle
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
    functions = [movers, legal_actions, scores, results, copy, apply, playout]
    source = "".join(_source(name) for name in ANSWERED)
    namespace = {f"known_{f.__name__}": f for f in functions}
    module = compile_module("situations", source, namespace, functions)
    return {
        name: compiled_address(getattr(module, name), ENTRIES[name].signature)
        for name in ANSWERED
    }


class Situations:
    """Says what the situation of a copy is, where compiled code finds it.

    Args:
        players: The number of players.
        game: The model's record, of the type `GAME`.
        most: The most legal actions of one player.

    Attributes:
        size: Bytes of a state.
        draws: What rollouts draw.
    """

    def __init__(self, players: int, game: np.ndarray, most: int):
        at, listed = HEAD.itemsize + 8 * players, min(most, MOST_LISTED)
        self.size = at + 8 * -(-listed // 2)
        self._game = game
        self._news = (ctypes.c_char * self.size)()
        self._put = struct.Struct(f"{_WORDS}q{players}d").pack_into
        self._list = (ctypes.c_int32 * listed).from_buffer(self._news, at)
        self._address = ctypes.addressof(self._news)
        game["news"] = self._address
        self.draws = Draws()
        game["draws"] = self.draws.address

    def answer(self, table: np.ndarray, asked: Mapping[str, np.ndarray | int]) -> None:
        """Let compiled functions answer for those of Python where they can.

        Args:
            table: The model's; changed.
            asked: Addresses of Python's functions, by the names of `ASKED`.
        """
        for name in ASKED:
            self._game[f"ask_{name}"] = asked[name], 0
        for name, address in _compiled().items():
            table[ROW[name]] = 0, address

    def say(
        self,
        handle: int,
        situation: tuple[int, int, int],
        returns: Sequence[float],
        known: Mapping[int, list[int]],
    ) -> None:
        """Leave at `news` what there is to say of a copy; see `Face.situation`."""
        self._put(self._news, 0, handle, handle, *situation, *returns)
        if situation[2] == LISTED:
            self._list[: situation[1]] = known[situation[0].bit_length() - 1]

    def tell(self, held: HeldCopy, handle: int) -> None:
        """Ask a copy what there is to say of it, and leave it at `news`."""
        situation = UNSAID if held.is_lent else held.face.situation(held.legal)
        self.say(handle, situation, held.returns, held.legal)

    def write(self, state: int, held: HeldCopy, handle: int) -> None:
        """Write into a state what there is to say of its copy."""
        self.tell(held, handle)
        self.write_news(state)

    def write_news(self, state: int) -> None:
        """Write what was left at `news` into a state."""
        ctypes.memmove(state, self._address, self.size)

    def copy(self, target: int, source: int, handle: int) -> None:
        """Let one state say what another says, of a handle of its own."""
        ctypes.memmove(target, source, self.size)
        words = (ctypes.c_int64 * 2).from_address(target)
        words[_HANDLE] = words[_OWN] = handle

    def said(self, state: int) -> tuple[int, int, int]:
        """Return what a state says of its situation; see `Face.situation`."""
        words = (ctypes.c_int64 * 5).from_address(state)
        return words[2], words[3], words[4]

    def handles(self, state: int) -> tuple[int, int]:
        """Return the handle of what a state stands for, and its own."""
        words = (ctypes.c_int64 * 2).from_address(state)
        return words[_HANDLE], words[_OWN]

    def begin(self, root: int) -> None:
        """Note the handle of a plan's root, whose copy nobody changes; 0: it ends."""
        self._game["root"] = root


def results_by_return(returns: Sequence[float]) -> list[int]:
    """Return WON, DRAWN or LOST for each player of a finished environment."""
    best = max(returns)
    leads = [value >= best - TIE for value in returns]
    if all(leads):
        return [DRAWN] * len(leads)
    leader = WON if sum(leads) == 1 else DRAWN
    return [leader if lead else LOST for lead in leads]
