"""Forward models: the contract, compiled rules, and copies of environments."""

from mcts_agents.model.contract import DRAWN, LOST, PLAYING, RESULT_NAMES, WON
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
from mcts_agents.model.rules import CompiledModel, Rules, RulesError, Spec

__all__ = [
    "DRAWN",
    "LOST",
    "PLAYING",
    "RESULT_NAMES",
    "WON",
    "CompiledModel",
    "ForwardModel",
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
