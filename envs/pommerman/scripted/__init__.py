"""Scripted agents of Pommerman, compiled, deciding on the record of a state.

Each has a record of what it remembers (`memory`), `begin(memory, rng)`, which makes it
that of a new game, and `act(game, state, player, memory, rng)`, which returns a move,
0 to 5, of a living player and changes the memory. A move is an action of variants
without messages; with messages the action is `move << game.message_bits | words`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.pommerman.scripted import random_moves, simple, simple_unbiased


@dataclass(frozen=True)
class Script:
    """The compiled functions of one agent, and the record that they work on."""

    memory: np.dtype
    begin: Callable
    act: Callable


SCRIPTED = {
    "simple_unbiased": Script(
        simple_unbiased.MEMORY, simple_unbiased.begin, simple_unbiased.act
    ),
    "simple": Script(simple.MEMORY, simple.begin, simple.act),
    "safe_random": Script(
        random_moves.MEMORY, random_moves.begin, random_moves.act_safe_random
    ),
    "random": Script(random_moves.MEMORY, random_moves.begin, random_moves.act_random),
    "idle": Script(random_moves.MEMORY, random_moves.begin, random_moves.act_idle),
}
