"""What a game's own functions raise while the game is played, as one line: where, what.

Compiled code says neither which function nor which line has failed, unless the author
wrote `raise` there. So what else comes out of a search or a step is looked for by
random games from the position in which it happened, each function called by itself.
Nothing is said that was not found.
"""

import ctypes
import dis
import linecache
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from typing import Any

import numba
import numpy as np

from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.locating import line_of_mistake
from mcts_agents.model.random import draw_below, new_generator
from mcts_agents.names import error_line, made_with

ADVICE = (
    "Functions of a game may not fail in positions that play can reach; "
    "`Rules.check()` looks for such mistakes"
)

# What random games look for a mistake: so many of them, of so many moves at most.
GAMES = 100
MOVES = 500

# Functions that only read, and are called in each position.
_OF_STATE = ("scores", "results", "evaluate", "turn", "round")
_OF_PLAYER = ("observe", "is_out", "nearest_opponent", "state_key", "redeterminise")

_PACKAGE = str(Path(__file__).resolve().parents[1])
_ENVS = str(Path(__file__).resolve().parents[2] / "envs")
_GENERATED = "<mcts_agents_compiled"  # how generated modules are called
_NUMBA = str(Path(numba.__file__).resolve().parent)


class GameError(RuntimeError):
    """A game's own function failed while it was played; the cause is what it raised."""


def failed_call(
    model: ForwardModel,
    name: str,
    error: Exception,
    arguments: tuple[int, ...],
    before: np.ndarray | None = None,
) -> Exception:
    """Return what to raise for what came out of one function of compiled rules.

    Args:
        model: The model.
        name: The function.
        error: What it raised.
        arguments: What it was called with behind the variant's address.
        before: The state before the call; without it, the one that the function left.

    Returns:
        A `GameError`; `error` itself where the call was at fault, not the function.
    """
    place = _raised_at(error)
    if place is None or place[0].startswith(_NUMBA):
        # An argument of another kind, which compiled code refuses.
        if place is None and isinstance(error, TypeError | OverflowError):
            return error
        if before is None:
            state = ctypes.string_at(arguments[0], model.state_size)
            before = np.frombuffer(state, np.uint8)
        found = line_of_mistake(model, name, before, arguments[1:])
        return _error(model, name, error, found or definition(model, name))
    if place[0].startswith(_GENERATED):
        # A playout that nobody wrote: random games find the author's function.
        state = ctypes.string_at(arguments[0], model.state_size)
        replayed = _replayed(model, np.frombuffer(state, np.uint8))
        if replayed is not None:
            return replayed
    return _error(model, name, error, _told(model, *place))


def raise_explained(
    model: ForwardModel, error: Exception, state: np.ndarray | None = None
) -> None:
    """Raise what a function of the game has done as a `GameError` that says where.

    Nothing is raised if it is not known that it was a function of the game.

    Args:
        model: The model.
        error: What came out of a search or a step.
        state: Where that began.
    """
    found = explained(model, error, state)
    if found is not None:
        raise found from error


def explained(
    model: ForwardModel, error: Exception, state: np.ndarray | None = None
) -> GameError | None:
    """Return what compiled code around a game's functions has raised in clear words.

    Args:
        model: The model.
        error: What came out of a search or a step.
        state: Where that began.

    Returns:
        The error; None if it was no function of the game that raised it, or none that
        random games could find.
    """
    if isinstance(error, GameError) or model.copies_environments:
        return None
    if (place := _raised_at(error)) is not None:
        file, _, name = place
        if not file.startswith((_PACKAGE, _NUMBA, _GENERATED)):
            return _error(model, name, error, _told(model, *place))
    elif not _is_ours(error) or _is_refusal(error):
        return None
    return _replayed(model, state)


def definition(model: ForwardModel, name: str) -> str:
    """Return where an author's function begins: `" (FILE:LINE)"`, or nothing."""
    author = model.author_function(name)
    if author is None:
        return ""
    code = getattr(author, "py_func", author).__code__
    return f" ({code.co_filename}:{code.co_firstlineno})"


def wrong_number(model: ForwardModel, player: int, number: int) -> GameError:
    """Return the error about a player who moves and has so many legal actions."""
    return GameError(
        f"{made_with(model.name, model.variant)}: `legal_actions` gave {number} "
        f"actions of player {player}, who is in `movers`"
        f"{definition(model, 'legal_actions')}. Return from 1 to legal_limit "
        f"({model.legal_limit}), or do not let the player move"
    )


def wrong_result(model: ForwardModel, player: int, result: int) -> GameError:
    """Return the error about a result at the end that is none."""
    return GameError(
        f"{made_with(model.name, model.variant)}: `results` wrote {result} for player "
        f"{player}{definition(model, 'results')}. Write PLAYING, WON, DRAWN or LOST"
    )


def _error(model: ForwardModel, name: str, error: Exception, place: str) -> GameError:
    game = made_with(model.name, model.variant)
    raised = error_line(error)
    return GameError(f"{game}: `{name}` raised {raised}{place}. {ADVICE}")


def _told(model: ForwardModel, file: str, line: int, name: str) -> str:
    """Return where a function raised, and the line itself."""
    author = model.author_function(name)
    if author is not None:
        # Kept machine code names the file from which it was compiled, which may have
        # been another copy.
        file = getattr(author, "py_func", author).__code__.co_filename
    return f" in {file}:{line}, `{linecache.getline(file, line).strip()}`"


def _raised_at(error: Exception) -> tuple[str, int, str] | None:
    """Return file, line and function of a `raise` in compiled code; None: elsewhere."""
    last = None
    for last in walk_tb(error.__traceback__):  # noqa: B007
        pass
    if last is None or last[0].f_globals:  # Numba's frames have no globals
        return None
    code = last[0].f_code
    return code.co_filename, last[1], code.co_name


def _is_ours(error: Exception) -> bool:
    """Say whether the last Python code before an error is this package's."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_code.co_filename.startswith((_PACKAGE, _ENVS))


def _is_refusal(error: Exception) -> bool:
    """Say whether a `raise` in Python refuses what was asked for, such as an option."""
    tb = error.__traceback__
    if tb is None or not isinstance(error, ValueError | TypeError):
        return False
    while tb.tb_next is not None:
        tb = tb.tb_next
    return tb.tb_frame.f_code.co_code[tb.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _replayed(model: ForwardModel, state: np.ndarray | None) -> GameError | None:
    """Play at random until a function fails or lists no actions."""
    rng = new_generator(0)
    for number in range(GAMES):
        try:
            begun = model.copy(state) if state is not None and number % 2 == 0 else None
            for found in _mistakes(model, begun, rng):
                return found
        except GameError as found:
            return found
        except Exception:  # of the author's Python code, which says where
            return None
    return None


def _mistakes(
    model: ForwardModel, state: np.ndarray | None, rng: np.ndarray
) -> Iterator[GameError]:
    """Play one game; yield wrong numbers of actions, and let errors through."""
    if state is None:
        state = model.reset(rng)
    for _ in range(MOVES):
        movers = model.movers(state)
        for name in _OF_STATE:
            _call(model, name, state, rng, 0)
        joint: dict[int, int] = {}
        for player in range(model.players):
            for name in _OF_PLAYER:
                _call(model, name, state, rng, player)
            if player not in movers:
                continue
            out = np.empty(model.legal_room, np.int32)
            arguments = state.ctypes.data, player, out.ctypes.data
            n = model.call("legal_actions", *arguments)
            if not 1 <= n <= model.legal_limit:
                yield wrong_number(model, player, n)
            for name in ("action_values", "filter_actions"):
                if model.has(name):
                    getattr(model, name)(state, player)
            joint[player] = int(out[draw_below(rng, n)])
        if not joint:
            return
        _apply(model, state, joint, rng)


def _call(
    model: ForwardModel, name: str, state: np.ndarray, rng: np.ndarray, player: int
) -> None:
    if not model.has(name):
        return
    copy = state.copy()
    if name == "redeterminise":
        model.redeterminise(copy, player, rng)
    elif name in _OF_STATE:
        getattr(model, name)(copy)
    else:
        getattr(model, name)(copy, player)


def _apply(
    model: ForwardModel, state: np.ndarray, joint: dict[int, int], rng: np.ndarray
) -> None:
    """Let all act; unlike `apply`, say what the state was if that fails."""
    before, drawn = state.copy(), rng.copy()
    try:
        model.apply(state, joint, rng)
    except GameError as error:
        cause: Any = error.__cause__
        actions = np.array([joint.get(p, -1) for p in range(model.players)], np.int32)
        arguments = 0, actions.ctypes.data, drawn.ctypes.data
        raise failed_call(model, "apply", cause, arguments, before) from cause
