"""Random play in a copy, without a call of compiled code for each step.

The moves are those of the compiled rollout, draw for draw: a search decides the same
with this function and without it.
"""

import ctypes
import functools
from collections.abc import Callable, Iterator
from itertools import chain
from types import ModuleType

import numpy as np
from numba import carray, njit

from mcts_agents.model import clock
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.copying.held_copies import HeldCopy
from mcts_agents.model.random import next_uint64

# Numbers drawn in one call of compiled code; in Python, each takes half a microsecond.
AHEAD = 32
FEW = 16

Step = Callable[[list[int], list[float]], None]


def play_at_random(
    held: HeldCopy,
    draws: Iterator[int],
    limit: int,
    checked: Step | None = None,
) -> int:
    """Play uniformly random moves in a copy; return how many actions were played.

    Ends when the game does, when there is no room for the next joint action, or at the
    first step after the deadline of the search that it is part of. One number is drawn
    for each action played.

    Args:
        held: The copy, changed.
        draws: Random numbers of 32 bits; see `Draws`.
        limit: The most actions.
        checked: Applies a joint action, and adds to returns, instead of the copy
            itself.
    """
    face, returns = held.face, held.returns
    step = checked or face.step
    watch = clock.running()
    played = 0
    known, held.legal = held.legal, {}
    if checked is None:
        played = face.play(draws, returns, limit, watch, known)
        if played >= limit or (watch is not None and watch.flag[0]):
            return played
    movers_now, legal_actions = face.movers, face.legal_actions
    while movers := movers_now():
        played += len(movers)
        if played > limit:
            return played - len(movers)
        joint = [-1] * len(face.agents)
        for player in movers if len(movers) == 1 else sorted(movers):
            legal = legal_actions(player)
            joint[player] = legal[next(draws) * len(legal) >> 32]
        step(joint, returns)
        if watch is not None and watch.look():
            break
    return played


class Draws:
    """The upper 32 bits of what a generator draws, for one rollout after another.

    Compiled code draws ahead, as a call from Python takes as long as many numbers do,
    and brings its generator up to date when it hears how many were used.

    Attributes:
        address: Where `look_ahead` writes.
    """

    def __init__(self) -> None:
        self._room = _ROOM()
        self.address = ctypes.addressof(self._room)
        self._compiled = _compiled()  # here, since a rollout has a deadline

    def within(self, limit: int) -> Iterator[int]:
        """Return the numbers of a rollout, after `look_ahead` at `address`.

        Args:
            limit: The most that will be asked for, as `look_ahead` was told.
        """
        # Many rollouts are short, and to make integers of all takes a while.
        if limit <= FEW:
            return iter(self._room[:limit])
        return chain(self._room[:FEW], self._rest(limit))

    def _rest(self, limit: int) -> Iterator[int]:
        yield from self._room[FEW : min(limit, AHEAD)]
        while True:
            self._compiled.look_on(self.address)
            yield from self._room[:AHEAD]

    def look_ahead(self, rng: int, limit: int) -> None:
        """Draw ahead from a generator at an address, for Python code that has it."""
        self._compiled.look_ahead(rng, self.address, limit)

    def advance(self, rng: int, used: int) -> None:
        """Bring a generator up to date."""
        self._compiled.advance(rng, used)


# What was drawn, and the generator after it.
_ROOM = ctypes.c_uint64 * (AHEAD + 2)


@njit
def _room_at(out):
    return carray(as_pointer(out), AHEAD + 2, np.uint64)


@njit
def look_ahead(rng, out, limit):
    """Write what a generator will draw, and leave it as it is.

    Args:
        rng: The generator's address.
        out: The address of a room of `Draws`.
        limit: How many numbers are wanted; no more than `AHEAD` are written.
    """
    _room_at(out)[AHEAD:] = carray(as_pointer(rng), 2, np.uint64)
    return _write(out, min(limit, AHEAD))


@njit
def look_on(out):
    """Write the next `AHEAD` numbers."""
    return _write(out, AHEAD)


@njit
def _write(out, count):
    drawn = _room_at(out)
    after = drawn[AHEAD:]
    for place in range(count):
        drawn[place] = next_uint64(after) >> np.uint64(32)
    return 0


@njit
def advance(rng, count):
    """Draw so many numbers."""
    words = carray(as_pointer(rng), 2, np.uint64)
    for _ in range(count):
        next_uint64(words)
    return 0


_SOURCE = """
@njit(int64(intp, intp, int64), cache=CACHE)
def look_ahead(rng, out, limit):
    return draw_ahead(rng, out, limit)

@njit(int64(intp), cache=CACHE)
def look_on(out):
    return draw_on(out)

@njit(int64(intp, int64), cache=CACHE)
def advance(rng, count):
    return draw_again(rng, count)
"""


@functools.cache
def _compiled() -> ModuleType:
    namespace = {"draw_ahead": look_ahead, "draw_on": look_on, "draw_again": advance}
    functions = [look_ahead, look_on, advance]
    return compile_module("playout_draws", _SOURCE, namespace, functions)
