"""Games outside this package: named `module:object`, or registered by distributions.

`mini_breakthrough:rules` is the object `rules` of the module `mini_breakthrough`: a
`Rules`, a `Game`, an `EnvironmentGame`, a class of environments, or a function that
returns one of these or an environment. Distributions register games under names of
their own as entry points of the group `mcts_agents.games`.
"""

import functools
import importlib.metadata
import inspect
import re
import sys
from collections.abc import Collection
from contextlib import redirect_stdout, suppress
from importlib.metadata import EntryPoint
from typing import Any

import gymnasium

from mcts_agents.envs.environment_game import (
    KINDS,
    EnvironmentGame,
    game_from_environment,
    is_maker,
)
from mcts_agents.envs.game import Game
from mcts_agents.envs.text_game import game_from_rules
from mcts_agents.importing import (
    is_object_name,
    module_named,
    named_in_file,
    object_named,
)
from mcts_agents.model import Rules
from mcts_agents.names import error_line, nearest, quoted, unknown_name

GROUP = "mcts_agents.games"

EXPECTED = (
    "expected a Rules, a Game, an environment's class, or a function that returns one "
    "of these or an environment and can be called without arguments"
)

_GYMNASIUM = re.compile(r"gymnasium:[\w./-]+-v\d+")
# Ids of Gymnasium that an error names, where none is like what was asked for.
MOST_IDS = 8

OwnGame = Game | EnvironmentGame

# What each name led to the last time, so that a game is the same object, compiled once,
# until its module is imported anew.
_found: dict[str, tuple[Any, OwnGame]] = {}


def load_own_game(name: str, instead: Collection[str] = ()) -> OwnGame:
    """Import a module and return the game that `module:object` names.

    Args:
        name: The name.
        instead: Names of games that may have been meant, for errors.

    Raises:
        ValueError: A file names the game and the caller has not allowed its module;
            there is no such module or object, importing it failed, or it is something
            else.
    """
    return _game_of(name, "game", instead)


def is_gymnasium_name(name: str) -> bool:
    """Say whether a name is `gymnasium:` and a versioned id, such as `CartPole-v1`."""
    return _GYMNASIUM.fullmatch(name) is not None


def load_gymnasium_game(name: str) -> EnvironmentGame:
    """Return the game of `gymnasium:ID`; options are those of `gymnasium.make`.

    Raises:
        ValueError: Gymnasium has no such id, or a file names it and no call has.
    """
    module_named("gymnasium", f"game {quoted(name)}")
    _, _, key = name.partition(":")
    if key not in gymnasium.registry:
        raise ValueError(unknown_name("game", name, _registered_ids(key)))
    if name not in _found:
        made = functools.partial(gymnasium.make, key)
        _found[name] = key, game_from_environment(made, name, title=key)
    return _found[name][1]


def _registered_ids(key: str) -> list[str]:
    """Return ids of Gymnasium that are like one that it has not, or else a few."""
    known = list(gymnasium.registry)
    return [f"gymnasium:{other}" for other in nearest(key, known) or known[:MOST_IDS]]


def registered_games() -> dict[str, list[EntryPoint]]:
    """Return the entry points of games in other distributions, by name."""
    return _registered(tuple(sys.path))


def load_registered_game(name: str) -> OwnGame:
    """Return a game that a distribution registers.

    Raises:
        KeyError: None has.
        ValueError: Two have; or the game cannot be loaded, see `load_own_game`.
    """
    first, *others = registered_games()[name]
    if others:
        places = " and by ".join(_place(point) for point in (first, *others))
        raise ValueError(
            f"game {quoted(name)} is registered twice, by {places}: uninstall one, or "
            "name the game as module:object"
        )
    if not is_object_name(first.value):
        raise ValueError(
            f"game {quoted(name)} is registered by {_place(first)}: expected "
            "module:object, such as mini_breakthrough:rules"
        )
    with named_in_file(""):  # was installed, so files may name it
        return _game_of(first.value, f"game {quoted(name)} of {_place(first)}:")


@functools.lru_cache(maxsize=1)
def _registered(path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """Look through an import path, which takes milliseconds."""
    found: dict[str, list[EntryPoint]] = {}
    for point in importlib.metadata.entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    return dict(sorted(found.items()))


def _place(point: EntryPoint) -> str:
    dist = point.dist
    of = "an unknown distribution" if dist is None else f"{dist.name} {dist.version}"
    return f"{of} ({point.value})"


def _game_of(name: str, what: str, instead: Collection[str] = ()) -> OwnGame:
    found = object_named(name, what, _is_game, instead)
    known = _found.get(name)
    if known is not None and known[0] is found:
        return known[1]
    game = _as_game(found, name, f"{what} {quoted(name)}")
    _found[name] = found, game
    return game


def _is_game(value: Any) -> bool:
    return isinstance(value, Rules | Game | EnvironmentGame) or is_maker(value)


def _as_game(found: Any, name: str, place: str) -> OwnGame:
    """Return an object as a game; a ValueError about anything else begins with `place`.

    Functions are called. Of classes only those of environments are.
    """
    told, maker = "is", found
    if is_maker(found):
        return game_from_environment(found, name)
    if inspect.isroutine(found) or isinstance(found, functools.partial):
        try:
            inspect.signature(found).bind()
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{place} is a function that needs arguments: {EXPECTED}"
            ) from error
        try:
            with redirect_stdout(sys.stderr):  # as for imports
                found = found()
        except (Exception, SystemExit) as error:
            reason = error_line(error)
            raise ValueError(f"{place} failed: {reason}") from error
        told = "returns"
    if isinstance(found, Rules):
        return game_from_rules(found)
    if isinstance(found, Game | EnvironmentGame):
        return found
    if isinstance(found, KINDS) and maker is not found:
        # It was never reset, which some need before they can be closed.
        with suppress(Exception), redirect_stdout(sys.stderr):
            found.close()
        return game_from_environment(maker, name)
    kind = found.__name__ if inspect.isclass(found) else type(found).__name__
    article = "the class" if inspect.isclass(found) else "an object of type"
    raise ValueError(f"{place} {told} {article} {kind}: {EXPECTED}")
