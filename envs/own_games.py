"""Games that are not in this package: named `module:object`, or registered by others.

`breakthrough:rules` is the object `rules` of the module `breakthrough`: a `Rules`, a
`Game`, or a function without parameters that returns one of these. Distributions
register games under names of their own as entry points of the group
`mcts_agents.games`.

To load `module:object` is to run the module. A caller who names one wants that; a file
that names one is refused unless the caller has allowed it, see `named_in_file`.
"""

import functools
import importlib.metadata
import inspect
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import EntryPoint
from typing import Any

import gymnasium
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.envs.game import Game
from mcts_agents.envs.text_game import game_from_rules
from mcts_agents.importing import is_object_name, object_named
from mcts_agents.model import Rules
from mcts_agents.names import MOST_SHOWN, quoted, shortened

GROUP = "mcts_agents.games"

EXPECTED = "expected a Rules, a Game, or a function without parameters that returns one"

# The file that names games at this moment, and the names in it that may be imported.
_in_file: ContextVar[tuple[str, Collection[str]] | None] = ContextVar(
    "_in_file", default=None
)

# What each name led to the last time, so that a game is the same object, compiled once,
# until its module is imported anew.
_found: dict[str, tuple[Any, Game]] = {}


@contextmanager
def named_in_file(what: str, allowed: Collection[str] = ()) -> Iterator[None]:
    """Refuse, for a while, to import games: their names stand in a file, not in a call.

    Args:
        what: What names them, for errors, such as `the file`.
        allowed: Names `module:object` that the caller allows nevertheless.

    Raises:
        ValueError: One of `allowed` is not such a name.
    """
    for name in allowed:
        if not is_object_name(name):
            raise ValueError(
                f"allow_game={quoted(name)}: expected module:object, such as "
                "breakthrough:rules; other games need no permission"
            )
    token = _in_file.set((what, allowed))
    try:
        yield
    finally:
        _in_file.reset(token)


def load_own_game(name: str, instead: Collection[str] = ()) -> Game:
    """Return the game that `module:object` names, and import its module.

    Args:
        name: The name.
        instead: Names of games that may have been meant, for errors.

    Raises:
        ValueError: A file names the game and the caller has not allowed it; there is no
            such module or object, importing it failed, or it is something else.
    """
    if (place := _in_file.get()) is not None and name not in place[1]:
        raise ValueError(
            f"{place[0]} names the game {quoted(name)}, and to load that runs code: if "
            f"you trust it, allow it with --allow-game {shortened(name, MOST_SHOWN)}"
        )
    return _game_of(name, "game", instead)


def registered_games() -> dict[str, list[EntryPoint]]:
    """Return the entry points of the games that other distributions have, by name."""
    return _registered(tuple(sys.path))


def load_registered_game(name: str) -> Game:
    """Return a game that a distribution has registered.

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
            "module:object, such as breakthrough:rules"
        )
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


def _game_of(name: str, what: str, instead: Collection[str] = ()) -> Game:
    found = object_named(name, what, _is_game, instead)
    known = _found.get(name)
    if known is not None and known[0] is found:
        return known[1]
    game = _as_game(found, f"{what} {quoted(name)}")
    _found[name] = found, game
    return game


def _is_game(value: Any) -> bool:
    return isinstance(value, Rules | Game)


def _as_game(found: Any, place: str) -> Game:
    """Return an object as a game; a ValueError about anything else begins with `place`.

    Functions are called. Classes are not: none that is callable without arguments makes
    a game.
    """
    told = "is"
    if inspect.isroutine(found):
        try:
            inspect.signature(found).bind()
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{place} is a function that needs arguments: {EXPECTED}"
            ) from error
        try:
            found = found()
        except (Exception, SystemExit) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ValueError(f"{place} failed: {reason}") from error
        told = "returns"
    if isinstance(found, Rules):
        return game_from_rules(found)
    if isinstance(found, Game):
        return found
    if isinstance(found, AECEnv | ParallelEnv | gymnasium.Env):
        raise ValueError(
            f"{place} {told} an environment, which has no rules to compile: "
            f"{EXPECTED}; agents plan in an environment with agent.act(env) in Python"
        )
    kind = found.__name__ if inspect.isclass(found) else type(found).__name__
    article = "the class" if inspect.isclass(found) else "an object of type"
    raise ValueError(f"{place} {told} {article} {kind}: {EXPECTED}")
