"""Random play in a copy, without a call of compiled code for each step.

The moves are those of the compiled rollout, draw for draw: a search decides the same
with this function and without it.
"""

import ctypes
import functools
from collections.abc import Callable, Generator
from contextlib import closing

import numpy as np
from numba import carray, njit

from mcts_agents.model import clock
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.copying.held_copies import HeldCopy
from mcts_agents.model.random import next_uint64

# Numbers drawn in one call of compiled code; in Python, each takes half a microsecond.
AHEAD = 32
FEW = 8

Step = Callable[[list[int], list[float]], None]


def play_at_random(
    held: HeldCopy, rng: int, limit: int, checked: Step | None = None
) -> int:
    """Play uniformly random moves in a copy; return how many actions were played.

    Ends when the game does, when there is no room for the next joint action, or at the
    first step after the deadline of the search that it is part of.

    Args:
        held: The copy, changed.
        rng: The address of the search's generator, advanced.
        limit: The most actions.
        checked: Applies a joint action, and adds to returns, instead of the copy
            itself.
    """
    face, returns = held.face, held.returns
    movers_now, legal_actions = face.movers, face.legal_actions
    step = checked or face.step
    nobody = [-1] * len(face.agents)
    watch = clock.running()
    played = 0
    known, held.legal = held.legal, {}
    with closing(drawing(rng)) as draws:
        if checked is None:
            played = face.play(draws, returns, limit, watch, known)
            if watch is not None and watch.flag[0]:
                return played
        while movers := movers_now():
            played += len(movers)
            if played > limit:
                return played - len(movers)
            joint = nobody.copy()
            for player in movers if len(movers) == 1 else sorted(movers):
                legal = legal_actions(player)
                joint[player] = legal[next(draws) * len(legal) >> 32]
            step(joint, returns)
            if watch is not None and watch.look():
                break
    return played


def drawing(rng: int) -> Generator[int, None, None]:
    """Yield the upper 32 bits of what a generator draws, again and again.

    Args:
        rng: The generator's address. It is brought up to date when the loop ends, by
            `close` at the latest.
    """
    look_ahead, advance = _compiled()
    room = _ROOM()
    used = 0
    try:
        while True:
            look_ahead(rng, ctypes.addressof(room))
            # Many rollouts are short, and to make integers of all takes a while.
            for used, drawn in enumerate(room[:FEW], 1):  # noqa: B007
                yield drawn
            for used, drawn in enumerate(room[FEW:AHEAD], FEW + 1):  # noqa: B007
                yield drawn
            advance(rng, used)
            used = 0
    finally:
        advance(rng, used)


# What was drawn, and the generator after it.
_ROOM = ctypes.c_uint64 * (AHEAD + 2)


@njit
def look_ahead(rng, out):
    """Write what the generator will draw, and leave it as it is."""
    words = carray(as_pointer(rng), 2, np.uint64)
    drawn = carray(as_pointer(out), AHEAD + 2, np.uint64)
    after = drawn[AHEAD:]
    after[:] = words
    for place in range(AHEAD):
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
@njit(int64(intp, intp), cache=CACHE)
def look_ahead(rng, out):
    return draw_ahead(rng, out)

@njit(int64(intp, int64), cache=CACHE)
def advance(rng, count):
    return draw_again(rng, count)
"""


@functools.cache
def _compiled() -> tuple[Callable[..., int], Callable[..., int]]:
    namespace = {"draw_ahead": look_ahead, "draw_again": advance}
    functions = [look_ahead, advance]
    module = compile_module("playout_draws", _SOURCE, namespace, functions)
    return module.look_ahead, module.advance
