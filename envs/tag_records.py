"""Recorded games of the TAG framework: the parts shared by the readers of all games.

A recorded game is a JSON object: `players`, `start` (the state after the first deal),
`steps`, `finished`, `scores` and `results`. A step has `a` (what was done), `legal`,
`p` (who decides, if only one player does) and `d`, the components of the state that
have changed. Every state is recorded in full, hidden cards included.

A reader compares the opening that the compiled rules set up, but for what chance deals,
and then sets the recorded one. It plays the steps with the compiled rules, goes on from
its own state and takes the recorded one only where chance decides, and after a step
with `tag_bug`, in which TAG left the rules.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, ForwardModel

Recorded = Mapping[str, Any]
# The step, what is compared, as recorded, as found, and the state there.
Compared = Iterator[tuple[int, str, object, object, np.ndarray]]

# What is compared last of a finished game; if it is not, the end was left out.
RESULTS = "the results"
_RESULT_NAMES = {WON: "win", DRAWN: "draw", LOST: "lose", PLAYING: "ongoing"}


@dataclass(frozen=True)
class TagRecords:
    """How one game's recordings by TAG are read.

    Attributes:
        variants: The variant's keywords, but for the number of players, of each file of
            TAG's that is read, by the name of the game in its header line.
        compared: `(model, recorded game) -> Compared`: replays the game and yields all
            that is to be equal. Whoever asks stops at the first difference.
        of_each_game: Keywords of the variant that every recorded game has for itself.
    """

    variants: Mapping[str, Mapping[str, Any]]
    compared: Callable[[ForwardModel, Recorded], Compared]
    of_each_game: tuple[str, ...] = ()

    def variant(self, header: Recorded, game: Recorded) -> dict[str, Any]:
        """Return the variant's keywords for a file's header and one of its games.

        Raises:
            ValueError: The file is of another game.
        """
        name = header.get("game")
        known = isinstance(name, str) and name in self.variants
        require(known, f"a file of {name!r}")
        own = {keyword: game[keyword] for keyword in ("players", *self.of_each_game)}
        return {**own, **self.variants[name]}


def recorded_steps(
    game: Recorded,
) -> Iterator[tuple[int, Recorded, Recorded, Recorded]]:
    """Yield each step's number, the step, and the states before and after it.

    Raises:
        ValueError: A flag of a step is there and not `true`.
    """
    before = dict(game["start"])
    for ply, step in enumerate(game["steps"]):
        for flag in ("forced", "shuffled"):
            is_flag = step.get(flag, True) is True
            require(is_flag, f"'{flag}' is {step.get(flag)!r} in step {ply}")
        after = {**before, **step["d"]}
        yield ply, step, before, after
        before = after


def compared_choice(
    ply: int,
    state: np.ndarray,
    player: int,
    legal: list[str],
    move: str,
    ours: list[str],
) -> Compared:
    """Compare a legal set, and look for the move in it.

    Args:
        ply: The step.
        state: The state in which the player decides.
        player: The player.
        legal: The recorded legal set.
        move: What the player chose.
        ours: The legal set by the compiled rules.
    """
    yield ply, f"the set of legal moves of player_{player}", legal, sorted(ours), state
    yield ply, "the move", move, move if move in ours else "not legal", state


def compared_states(
    ply: int, expected: Recorded, found: Recorded, state: np.ndarray
) -> Compared:
    """Compare the components of a state that are in `found`."""
    for name, value in found.items():
        yield ply, f"{name} after the step", expected[name], value, state


def compared_going_on(ply: int, model: ForwardModel, state: np.ndarray) -> Compared:
    """Compare that a game goes on, before the recorded state is set."""
    yield ply, "whether the game is over", False, model.is_over(state), state


def compared_opening(
    model: ForwardModel, expected: Recorded, found: Recorded, state: np.ndarray
) -> Compared:
    """Compare the opening position that our own rules set up.

    Args:
        model: The forward model.
        expected: The recorded first state, in the words of `found`.
        found: The components of our own one, without what is chance of a deal.
        state: Our own one.
    """
    yield from compared_going_on(0, model, state)
    all_seats = list(range(model.players))
    deciding = [expected["player"]] if "player" in expected else all_seats
    movers = list(model.movers(state))
    yield 0, "the players to move at the start", deciding, movers, state
    for name, value in found.items():
        yield 0, f"{name} at the start", expected[name], value, state


def compared_end(model: ForwardModel, game: Recorded, state: np.ndarray) -> Compared:
    """Compare how a game ended."""
    ply, is_over = len(game["steps"]), model.is_over(state)
    yield ply, "whether the game is over", bool(game["finished"]), is_over, state
    if is_over:
        scores = [int(score) for score in model.scores(state)]
        yield ply, "the scores", game["scores"], scores, state
        yield from compared_results(ply, model, game["results"], state)


def compared_results(
    ply: int, model: ForwardModel, expected: list[str], state: np.ndarray
) -> Compared:
    """Compare who has won, drawn and lost."""
    results = [_RESULT_NAMES[result] for result in model.results(state).tolist()]
    yield ply, RESULTS, expected, results, state


def require(is_met: bool, what: str) -> None:
    """Raise ValueError with this message unless a recorded state can be set."""
    if not is_met:
        raise ValueError(what)
