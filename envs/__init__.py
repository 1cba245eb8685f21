"""Games as PettingZoo environments: one folder a game, one base for all.

`mcts_agents.envs.hex.env()`, or after `import mcts_agents`
`pettingzoo.make("aec", "mcts_agents/hex-v0")`. Importing this package imports no game
and compiles nothing.
"""

import importlib
from types import ModuleType

from mcts_agents.envs.environment import environments, environments_from_rules
from mcts_agents.envs.game import Game
from mcts_agents.envs.registry import GAMES, load_game, make_model, register_all

__all__ = [
    "GAMES",
    "Game",
    "environments",
    "environments_from_rules",
    "load_game",
    "make_model",
    "register_all",
]


def __getattr__(name: str) -> ModuleType:
    """Import a game's module when it is first asked for."""
    if name in GAMES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
