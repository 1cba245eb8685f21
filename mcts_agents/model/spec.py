"""`Spec`: the sizes of one variant of a game, and the check of what an author gives."""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.names import quoted

# What is counted in int32.
MOST_ACTIONS = 2**31 - 1
# Least and greatest value of an observation.
INT8 = (-128, 127)


class RulesError(TypeError):
    """A game's rules do not fit the contract; the message says what to write."""


@dataclass(frozen=True)
class Spec:
    """The sizes of one variant, returned by a game's `variant` function.

    Attributes:
        players: Number of players, 1 to 62.
        actions: Size of the fixed discrete action space.
        legal_limit: Greatest number of legal actions of one player; default `actions`.
        observation_shape: Shape of an observation, if the game has `observe`.
        observation_bounds: Least and greatest value in an observation (int8).
        teams: The number of each player's team, from 0, as in (0, 1, 0, 1): `results`
            are the same for all of a team. Default: every player for itself.
        leaves_out: The last fields of the state's record, by name, if this variant
            has no use for them: its states end before them and are copied faster. The
            author's functions must not touch them then.
    """

    players: int
    actions: int
    legal_limit: int | None = None
    observation_shape: tuple[int, ...] | None = None
    observation_bounds: tuple[int, int] = (0, 1)
    teams: tuple[int, ...] | None = None
    leaves_out: tuple[str, ...] = ()


def check_spec(spec: Spec, game: str, *, observes: bool) -> None:
    """Refuse sizes that no variant can have.

    Args:
        spec: What the author's `variant` returned.
        game: The game's name, for the message.
        observes: Whether the game has `observe`.

    Raises:
        RulesError: A size is of another kind, or out of its range.
    """
    _check_whole(game, "players", spec.players, 1, MAX_PLAYERS)
    _check_whole(game, "actions", spec.actions, 1, MOST_ACTIONS)
    if spec.legal_limit is not None:
        _check_whole(game, "legal_limit", spec.legal_limit, 1, MOST_ACTIONS)
    if spec.teams is not None:
        _check_teams(game, spec.teams, spec.players)
    _check_observations(game, spec.observation_shape, spec.observation_bounds)
    if observes != (spec.observation_shape is not None):
        raise RulesError(f"{game}: `observe` and Spec.observation_shape go together")


def _check_whole(game: str, name: str, value: Any, least: int, most: int) -> None:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise RulesError(
            f"{game}: Spec.{name} is {value!r}, expected a whole number from "
            f"{least} to {most}"
        )


def _check_observations(game: str, shape: Any, bounds: Any) -> None:
    if shape is not None:
        if not isinstance(shape, tuple | list) or not shape:
            raise RulesError(
                f"{game}: Spec.observation_shape is {shape!r}, expected a tuple of "
                "lengths, such as (9,) or (3, 8, 8)"
            )
        for length in shape:
            _check_whole(game, "observation_shape", length, 1, MOST_ACTIONS)
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise RulesError(
            f"{game}: Spec.observation_bounds is {bounds!r}, expected the least and "
            "the greatest value, such as (0, 1)"
        )
    for bound in bounds:
        _check_whole(game, "observation_bounds", bound, *INT8)
    if bounds[0] > bounds[1]:
        raise RulesError(
            f"{game}: Spec.observation_bounds is {bounds!r}, expected the lower value "
            "first"
        )


def _check_teams(game: str, teams: tuple[int, ...], players: int) -> None:
    number = len(set(teams))
    numbered = len(teams) == players and set(teams) == set(range(number))
    if not numbered or number == 1 < players:
        raise RulesError(
            f"{game}: Spec.teams is {teams}; expected the number of a team for each of "
            f"{players} players, of two teams or more, counted from 0, as in "
            "(0, 1, 0, 1)"
        )


def wrong_kind(name: str, value: Any, default: object, game: str) -> str:
    """Say that an option's value is of another kind than its default; "" if it is not.

    Not-a-number is no number, unless the default is it; infinity is one.

    Args:
        name: The option.
        value: What somebody chose.
        default: Its default, whose type says what it may be.
        game: The game's name, for the message.
    """
    is_bool = isinstance(value, bool | np.bool_)
    if isinstance(default, bool):
        fits, expected = is_bool, "true or false"
    elif isinstance(default, int):
        fits = not is_bool and isinstance(value, int | np.integer)
        fits = fits and abs(int(value)) < 2**63
        expected = "a whole number of 64 bits"
    elif isinstance(default, float):
        fits = not is_bool and isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, int):
            fits = fits and abs(value) <= sys.float_info.max
        else:
            fits = fits and (not np.isnan(value) or np.isnan(default))
        expected = "a number"
    else:
        return ""  # a word, which the rules compare with those that they know
    if fits:
        return ""
    return (
        f"{name}={quoted(value)}: {game} needs {expected}, such as the default, "
        f"{default!r}"
    )
