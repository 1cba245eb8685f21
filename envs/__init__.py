"""Games as PettingZoo environments: a folder for each game, a common base for all.

`mcts_agents.envs.hex.env()`, or after `import mcts_agents`
`pettingzoo.make("aec", "mcts_agents/hex-v0")`. Importing this package imports no game
and compiles nothing.
"""

import importlib
from types import ModuleType

from mcts_agents.envs.environment import environments
from mcts_agents.envs.environment_game import EnvironmentGame, game_from_environment
from mcts_agents.envs.game import Game
from mcts_agents.envs.registry import (
    GAMES,
    find_game,
    known_games,
    load_any,
    load_game,
    make_any,
    make_model,
    parse_game,
    register_all,
)
from mcts_agents.envs.text_game import game_from_rules
from mcts_agents.importing import named_in_file

__all__ = [
    "GAMES",
    "EnvironmentGame",
    "Game",
    "environments",
    "find_game",
    "game_from_environment",
    "game_from_rules",
    "known_games",
    "load_any",
    "load_game",
    "make_any",
    "make_model",
    "named_in_file",
    "parse_game",
    "register_all",
]


def __getattr__(name: str) -> ModuleType:
    """Import a game's module when it is first asked for."""
    if name in GAMES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
