"""The list of games, and how to find them by name."""

import importlib
from types import ModuleType
from typing import Any

import gymnasium
import pettingzoo

from mcts_agents.envs.environment_game import EnvironmentGame
from mcts_agents.envs.game import Game
from mcts_agents.envs.own_games import (
    is_gymnasium_name,
    load_gymnasium_game,
    load_own_game,
    load_registered_game,
    registered_games,
)
from mcts_agents.importing import is_object_name
from mcts_agents.model import ForwardModel
from mcts_agents.names import parse_spec, quoted, unknown_name

# One line for each game: folder and version of its environments.
_ENVIRONMENTS = (
    "tictactoe-v0",
    "hex-v0",
    "sushi_go-v0",
    "chinese_checkers-v0",
    "dots_and_boxes-v0",
    "focus-v0",
    "rolit-v0",
    "connect_four-v0",
    "othello-v0",
    "wargame-v0",
    "investment-v0",
    "video_game-v0",
    "breakthrough-v0",
    "knightthrough-v0",
    "gomoku-v0",
    "nogo-v0",
    "atarigo-v0",
    "colt_express-v0",
    "diamant-v0",
    "dominion-v0",
    "exploding_kittens-v0",
    "love_letter-v0",
    "poker-v0",
    "uno-v0",
    "virus-v0",
    "pommerman-v0",
)

GAMES = tuple(line.partition("-")[0] for line in _ENVIRONMENTS)

# With Gymnasium, any game: `gymnasium.make(OWN_GAME_ID, game="module:object")`.
OWN_GAME_ID = "mcts_agents/Game-v0"

# How names of OpenSpiel's games begin; it stands for the module, too.
SPIEL_PREFIX = "open_spiel:"

# PettingZoo's registries and the factory that each one calls.
_FACTORIES = {"aec": "env", "parallel": "parallel_env"}


def register_all() -> None:
    """Register every game with PettingZoo and with Gymnasium.

    With PettingZoo as `mcts_agents/hex-v0`, for both APIs; with Gymnasium, for one
    learner (`mcts_agents.wrappers`), as `mcts_agents/Hex-v0`; `OWN_GAME_ID` is for
    games that are not in this package. No game is imported before `make` asks for it.
    What is registered already stays.
    """
    registered = {
        "aec": pettingzoo.aec_registry,
        "parallel": pettingzoo.parallel_registry,
    }
    for line in _ENVIRONMENTS:
        name = line.partition("-")[0]
        for api, factory in _FACTORIES.items():
            if f"mcts_agents/{line}" not in registered[api]:
                pettingzoo.register(
                    api,
                    f"mcts_agents/{line}",
                    entry_point=f"mcts_agents.envs.{name}:{factory}",
                )
        if gymnasium_id(line) not in gymnasium.registry:
            gymnasium.register(
                gymnasium_id(line),
                entry_point="mcts_agents.wrappers:single_agent_env",
                kwargs={"game": name},
            )
    if OWN_GAME_ID not in gymnasium.registry:
        gymnasium.register(
            OWN_GAME_ID, entry_point="mcts_agents.wrappers:single_agent_env"
        )


def gymnasium_id(environment: str) -> str:
    """Return the Gymnasium id: `mcts_agents/SushiGo-v0` for `sushi_go-v0`."""
    name, _, version = environment.partition("-")
    words = "".join(word.capitalize() for word in name.split("_"))
    return f"mcts_agents/{words}-{version}"


def open_spiel() -> ModuleType:
    """Return the module for OpenSpiel's games, imported when first needed."""
    return importlib.import_module("mcts_agents.envs.open_spiel")


def known_games() -> tuple[str, ...]:
    """Return the names of this package's games and of registered games."""
    return (*GAMES, *(name for name in registered_games() if name not in GAMES))


def load_game(name: str) -> Game:
    """Return the game with this name, importing it if necessary.

    Args:
        name: One of this package's games (`GAMES`), else `open_spiel:` and a game of
            OpenSpiel (see `mcts_agents.envs.open_spiel`), else `module:object` (see
            `mcts_agents.envs.own_games`), else a name that another distribution has
            registered.

    Raises:
        ValueError: There is no such game, or it cannot be loaded; the message gives the
            nearest names. Or it is an environment, which has no rules.
    """
    game = load_any(name)
    if isinstance(game, EnvironmentGame):
        raise ValueError(
            f"game {name!r} makes an environment, which has no rules to compile: "
            "expected a Rules or a Game. Environments can be played, searched, "
            "recorded and put into tournaments; this needs rules"
        )
    return game


def load_any(name: str) -> Game | EnvironmentGame:
    """Return the game with this name, like `load_game`, but also environments."""
    check_is_name(name)
    if name in GAMES:
        return importlib.import_module(f"mcts_agents.envs.{name}").GAME
    if name.startswith(SPIEL_PREFIX):
        return open_spiel().load_spiel_game(name)
    if is_gymnasium_name(name):
        return load_gymnasium_game(name)
    if is_object_name(name):
        return load_own_game(name, GAMES)
    if name in registered_games():
        return load_registered_game(name)
    try:
        plain, options = parse_game(name)
    except ValueError:
        plain, options = name, {}
    if options:
        raise ValueError(
            f"game {quoted(name)}: expected the name alone, {plain}, without options"
        )
    told = unknown_name("game", name, known_games())
    raise ValueError(f"{told}; a game of yours is named module:object")


def check_is_name(spec: Any) -> None:
    """Raise ValueError unless a game's spec is a text that no path begins."""
    if not isinstance(spec, str):
        raise ValueError(
            f"game {quoted(spec)}: expected the name of a game, which other processes "
            "can find: save yours in a file and name it module:object, as in "
            "'mini_breakthrough:rules'"
        )
    module = spec.partition(":")[0]
    if "/" in module or "\\" in module:
        raise ValueError(
            f"game {quoted(spec)}: a module is named as Python imports it, without its "
            "folder; begin in the folder that has the file"
        )


def parse_game(spec: str) -> tuple[str, dict[str, object]]:
    """Split a game's spec into its name and its options, without importing anything.

    The name may have the form `module:object`, as in `mini_breakthrough:rules:size=5`,
    or be that of Gymnasium's environment, as in `gymnasium:CartPole-v1`.

    Raises:
        ValueError: See `mcts_agents.names.parse_spec`.
    """
    check_is_name(spec)
    if spec.startswith(SPIEL_PREFIX):
        return open_spiel().parse_spiel_spec(spec)
    prefix, colon, rest = spec.partition(":")
    key, _, options = rest.partition(":")
    name = f"{prefix.strip()}{colon}{key.strip()}"
    if is_gymnasium_name(name):
        return name, parse_spec(f"{prefix}:{options}")[1]
    try:
        return parse_spec(
            spec, lambda name: name in GAMES or name in registered_games()
        )
    except ValueError as error:
        if prefix.strip() in GAMES and is_object_name(name):
            raise ValueError(
                f"{error}; {prefix.strip()} is a game of this package, so a module of "
                "yours needs another name"
            ) from error
        raise


def make_model(spec: str, players: int | None = None) -> tuple[Game, ForwardModel]:
    """Return a game and the forward model of a variant, such as `hex:size=11`.

    Args:
        spec: `name` or `name:option=value,option=value`; values are integers, numbers,
            true, false, none or words. The name is one that `load_game` takes.
        players: Number of players, the game's default if None and not in the spec.

    Raises:
        ValueError: An unknown game or option, or a value that is not allowed; the
            message names it and what is allowed.
    """
    name, options = parse_game(spec)
    game = load_game(name)
    return game, _model(spec, name, game, options, players)


def make_any(
    spec: str, players: int | None = None
) -> tuple[Game | EnvironmentGame, ForwardModel]:
    """Return a game and the sizes of a variant, like `make_model`.

    Environments are allowed too. Of these the model only says how many players and
    actions there are: what may be planned on is `EnvironmentGame.aec`.

    Raises:
        ValueError: See `make_model` and `EnvironmentGame.environment`.
    """
    name, options = parse_game(spec)
    game = load_any(name)
    if isinstance(game, Game):
        return game, _model(spec, name, game, options, players)
    game = game.variant(options)
    shape = game.shape()
    if players not in (None, shape.players):
        raise ValueError(
            f"{spec!r}: its environment has {shape.players} players, not {players}; "
            "options of the environment may change that"
        )
    return game, shape


def find_game(spec: str) -> Game | EnvironmentGame:
    """Return the game of a spec whose options exist; whether their values fit is open.

    That may depend on the number of players: see `make_any`.

    Raises:
        ValueError: See `make_any`.
    """
    name, options = parse_game(spec)
    game = load_any(name)
    if isinstance(game, EnvironmentGame):
        return game.variant(options)
    _check_known(name, game, options)
    return game


def _check_known(name: str, game: Game, options: dict[str, object]) -> None:
    known = game.rules.defaults()
    for option in options:
        if option not in known:
            raise ValueError(unknown_name(f"option of {name}", option, known))


def _model(
    spec: str, name: str, game: Game, options: dict[str, object], players: int | None
) -> ForwardModel:
    """Return the forward model of a game's variant; see `make_model`."""
    _check_known(name, game, options)
    if players is not None:
        if options.get("players", players) != players:
            raise ValueError(
                f"{spec!r} sets players={options['players']}, but players={players} "
                "was also given; give only one"
            )
        options["players"] = players
    return game.rules.model(**options)
