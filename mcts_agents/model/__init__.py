"""Forward models: what a search needs to know of a game, and nothing more.

`contract` lists the functions, `rules` makes them of an author's plain ones, and the
room `copying` of anybody's environment.
"""

from mcts_agents.model.compiled_model import CompiledModel
from mcts_agents.model.contract import DRAWN, LOST, PLAYING, RESULT_NAMES, WON
from mcts_agents.model.failures import GameError
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.history import History
from mcts_agents.model.random import (
    draw_below,
    draw_uint64,
    new_generator,
    next_uint64,
    random_below,
    random_float,
    shuffle,
)
from mcts_agents.model.rules import Rules
from mcts_agents.model.spec import RulesError, Spec

__all__ = [
    "DRAWN",
    "LOST",
    "PLAYING",
    "RESULT_NAMES",
    "WON",
    "CompiledModel",
    "ForwardModel",
    "GameError",
    "History",
    "Rules",
    "RulesError",
    "Spec",
    "draw_below",
    "draw_uint64",
    "new_generator",
    "next_uint64",
    "random_below",
    "random_float",
    "shuffle",
]
