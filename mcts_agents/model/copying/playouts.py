"""Random play in a copy, without a call of compiled code for each step.

The moves are those of the compiled rollout, draw for draw: a search decides the same
with this function and without it.
"""

import ctypes
from collections.abc import Callable, Generator, MutableSequence
from contextlib import closing

from mcts_agents.model import clock
from mcts_agents.model.copying.held_copies import HeldCopy

_BITS = (1 << 64) - 1

Step = Callable[[list[int], list[float]], None]


def play_at_random(held: HeldCopy, rng: int, limit: int, step: Step) -> int:
    """Play uniformly random moves in a copy; return how many actions were played.

    Ends when the game does, when there is no room for the next joint action, or at the
    first step after the deadline of the search that it is part of.

    Args:
        held: The copy, changed.
        rng: The address of the search's generator, advanced.
        limit: The most actions.
        step: Applies a joint action, and adds to returns.
    """
    face, returns = held.face, held.returns
    movers_now, legal_actions = face.movers, face.legal_actions
    nobody = [-1] * len(face.agents)
    watch = clock.running()
    played = 0
    held.legal = {}
    with closing(drawing((ctypes.c_uint64 * 2).from_address(rng))) as draws:
        while movers := movers_now():
            played += len(movers)
            if played > limit:
                return played - len(movers)
            joint = nobody.copy()
            for player in movers if len(movers) == 1 else sorted(movers):
                legal = legal_actions(player)
                joint[player] = legal[(next(draws) >> 32) * len(legal) >> 32]
            step(joint, returns)
            if watch is not None and watch.look():
                break
    return played


def drawing(words: MutableSequence[int]) -> Generator[int, None, None]:
    """Yield what `model.random.draw_uint64` would, again and again, but faster.

    Args:
        words: The generator's two words. They are brought up to date when the loop
            ends, by `close` at the latest.
    """
    s0, s1 = words
    try:
        while True:
            total = (s0 + s1) & _BITS
            drawn = ((total << 17 | total >> 47) + s0) & _BITS
            s1 ^= s0
            s0 = (s0 << 49 | s0 >> 15) & _BITS ^ s1 ^ (s1 << 21 & _BITS)
            s1 = (s1 << 28 | s1 >> 36) & _BITS
            yield drawn
    finally:
        words[:] = s0, s1
