"""`SelfPlay`: a search plays games against itself, hundreds of them side by side.

Or against scripted opponents that come with a game, as in the reinforcement learning of
Weil, Czech, Meuser, Kersting, "Know your enemy" (2023), section 3.3.
"""

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numba import from_dtype

from mcts_agents.learn.training import games as kernel
from mcts_agents.learn.training.game_records import (
    COLUMNS,
    DECIDING,
    DONE,
    OVER,
    PLAY,
    SEAT,
)
from mcts_agents.learn.training.game_settings import GameSettings, check_whole
from mcts_agents.model import ForwardModel, GameError, new_generator
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.failures import definition
from mcts_agents.search import AnsweredLater, Fleet, SearchSettings
from mcts_agents.search.driver.failures import failure
from mcts_agents.search.kernel.fleets import FINISHED, FLEET, MEMBER
from mcts_agents.search.kernel.status import BAD_POLICY, GROW, SLICE_DONE

# Rows that each game has room for at first.
FIRST_ROWS = 64

_SOURCE = """
@njit(int64(intp, SEATS, intp, MEMBERS), cache=CACHE, nogil=True)
def play_on(play, seats, fleet, members):
    return kernel_play_on(
        carray(as_pointer(play), 1, PLAY)[0],
        seats,
        carray(as_pointer(fleet), 1, FLEET)[0],
        members,
    )
"""


@functools.cache
def _compiled() -> Callable[..., int]:
    """Return the compiled `games.play_on`."""
    namespace = {
        "SEATS": from_dtype(SEAT)[::1],
        "MEMBERS": from_dtype(MEMBER)[::1],
        "PLAY": PLAY,
        "FLEET": FLEET,
        "as_pointer": as_pointer,
        "kernel_play_on": kernel.play_on,
    }
    roots = [kernel.play_on, as_pointer]
    return compile_module("self_play", _SOURCE, namespace, roots).play_on


@dataclass(frozen=True)
class PlayedGame:
    """One finished game; n is the number of its decisions, in the order of play.

    Attributes:
        number: Number of the game, from 0.
        observation: What the player who decided saw, int8, shape
            (n, *observation_shape).
        legal: Its legal actions, bool, shape (n, actions).
        policy: What it is taught to play: shares of visits, or the improved policy of
            `root_policy=gumbel`; float32, shape (n, actions), sum 1.
        value: Mean of the search's values by visits, to this player, on the scale of
            the setting `value`; float32, shape (n,); NaN where there was no choice and
            so no search.
        action: What was played, int32, shape (n,).
        player: Who decided, int8, shape (n,).
        ply: Joint actions before the decision, int32, shape (n,); players who decide
            at once have the same.
        outcome: Each player's share of the win, float64, shape (players,), see
            `win_shares.result_shares`.
    """

    number: int
    observation: np.ndarray
    legal: np.ndarray
    policy: np.ndarray
    value: np.ndarray
    action: np.ndarray
    player: np.ndarray
    ply: np.ndarray
    outcome: np.ndarray

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.action)


@dataclass
class Figures:
    """What self-play has taken so far.

    Attributes:
        decisions: Decisions made.
        evaluations: Rows that the evaluator was asked about.
        calls: Calls of the evaluator.
        seconds: Time of all.
        evaluator_seconds: Time of the evaluator's calls among it.
    """

    decisions: int = 0
    evaluations: int = 0
    calls: int = 0
    seconds: float = 0.0
    evaluator_seconds: float = 0.0


class SelfPlay:
    """Plays games side by side and yields those that are over.

    A game is a function of the seed and its number, if the evaluator gives each row the
    same answer whatever the other rows are. Games come in the order in which they end;
    short ones come first, so the first games of all are no fair sample.

    After an interrupt the next call goes on as if there had been none. An exception of
    the game's rules or of the evaluator comes out as itself; after one of the rules
    nothing goes on.

    Args:
        model: The game, of compiled rules that have `observe`.
        settings: What each decision's search does. Its `evaluator` is asked about the
            leaves of all games at once.
        game_settings: Which moves are not those of the searches; None: all are.
        games: How many games are played side by side.
        seed: Where all chance comes from, at least 0.
        numbers: Numbers of the games that are played, in steps of 1 from at least 0.
            None: from 0, without an end.

    Attributes:
        figures: What it has taken so far.

    Raises:
        ValueError: Settings that the game, or a fleet of searches, cannot serve.
    """

    def __init__(
        self,
        model: ForwardModel,
        settings: SearchSettings,
        game_settings: GameSettings | None = None,
        *,
        games: int = 256,
        seed: int = 0,
        numbers: range | None = None,
    ):
        numbers = _endless() if numbers is None else numbers
        chosen = game_settings or GameSettings()
        check_whole("games", games, 1)
        check_whole("seed", seed, 0)
        _check_games(numbers)
        complete = settings.for_model(model)
        chosen.check(model, complete)
        self.model = model
        self.settings = complete
        self._seed = seed
        self._numbers = numbers
        self.game_settings = chosen
        evaluator = complete.evaluator
        if hasattr(evaluator, "for_model"):
            evaluator = evaluator.for_model(model)
        self._evaluator = evaluator
        later = AnsweredLater(getattr(evaluator, "observe", None))
        self._fleet = Fleet(model, replace(settings, evaluator=later), games)
        self._play_on = _compiled()
        self.figures = Figures()
        self._finished: dict[int, PlayedGame] = {}
        self._failed: BaseException | None = None
        self._make_records(games)
        self._play["explore_moves"] = chosen.explore_moves
        self._play["temperature"] = chosen.temperature

    def _make_records(self, games: int) -> None:
        """Make what compiled code reads and writes, and begin the first games."""
        model, settings = self.model, self.settings
        players = model.players
        self._states = np.zeros((2, games, model.state_size), np.uint8)
        self._joint_actions = np.full((games, players), -1, np.int32)
        self._shares = np.zeros((games, players))
        self._generators = np.zeros((3, games, 2), np.uint64)
        policy, each = np.zeros(2, np.intp), 0
        if self.game_settings.opponents is not None:
            policy[1] = model.policy_address(self.game_settings.opponents)
            each = -(-model.policy_bytes(self.game_settings.opponents) // 8)
        self._memories = np.zeros((games, players, each), np.uint64)
        self._scratch = {
            "legal": np.zeros(model.legal_room, np.int32),
            "results": np.zeros(players, np.int32),
            "teams": np.array(model.teams, np.int32),
            "error": np.zeros(1, np.int64),
            "blanks": self._fleet.blanks,
            "policies": policy,
        }
        self._play = play = np.zeros(1, PLAY)
        self._play_address = play.ctypes.data
        for name, array in self._scratch.items():
            play[name] = array.ctypes.data
        for name in ("players", "team_count", "actions", "legal_limit"):
            play[name] = getattr(model, name)
        play["table"] = model.table_address
        play["game"] = model.game_address
        play["observation_size"] = model.observation_size
        play["policy_bytes"] = 8 * each
        play["one"] = 1
        play["filtered"] = settings.action_filter == "game"
        play["hidden"] = model.hidden_information
        play["by_value"] = settings.final == "value"
        play["sampled"] = settings.root_policy == "gumbel"
        play["gumbel_visits"] = settings.gumbel_visits
        play["gumbel_scale"] = settings.gumbel_scale
        self._columns = self._new_columns(games, FIRST_ROWS)
        self._moved = True
        # What a seat says when a game begins: where all that is its own lies.
        self._blank_seats = np.zeros(games, SEAT)
        for name, array in (
            ("state", self._states[0]),
            ("known", self._states[1]),
            ("joint_action", self._joint_actions),
            ("shares", self._shares),
            ("dice", self._generators[0]),
            ("rng", self._generators[1]),
            ("opponents_rng", self._generators[2]),
            ("memories", self._memories),
        ):
            addresses = array.ctypes.data + array.strides[0] * np.arange(games)
            self._blank_seats[name] = addresses
        self._seats = self._blank_seats.copy()
        self._seats["number"] = self._numbers.start - 1
        # The last game of each that was handed over.
        self._taken = np.full(games, self._numbers.start - 1)
        self._seats["status"] = OVER

    def _new_columns(self, games: int, capacity: int) -> dict[str, np.ndarray]:
        return {
            name: np.zeros((games, capacity, int(self._play[width][0])), dtype)
            for name, dtype, width in COLUMNS
        }

    def __iter__(self) -> Iterator[PlayedGame]:
        """Return itself: there is one stream of games."""
        return self

    def __next__(self) -> PlayedGame:
        """Return the next game that is over; play until there is one."""
        if self._failed is not None:
            raise self._failed
        while True:
            self._take_finished()
            self.figures.decisions = int(self._play["decisions"][0])
            if self._finished:
                number = next(iter(self._finished))
                return self._finished.pop(number)
            if (self._seats["status"] == DONE).all():
                raise StopIteration
            started = time.perf_counter()
            try:
                self._step()
            finally:
                self.figures.seconds += time.perf_counter() - started
                self.figures.decisions = int(self._play["decisions"][0])

    # -- an interrupt may come between any two lines below

    def _step(self) -> None:
        """Play up to the next call of the evaluator, and make it."""
        while True:
            self._advance_games()
            try:
                rows = self._fleet.advance()
            except Exception as error:  # a search gave up: its game cannot go on
                self._failed = error
                raise
            if not (self._fleet.members["status"] == FINISHED).any():
                break
        if rows and not (self._seats["status"] == OVER).any():
            started = time.perf_counter()
            answer = self._evaluator(*self._fleet.leaves())
            self.figures.evaluator_seconds += time.perf_counter() - started
            if not isinstance(answer, tuple) or len(answer) != 2:
                raise ValueError(
                    f"the evaluator {self._evaluator!r} returned "
                    f"{type(answer).__name__}; expected the tuple (values, logits)"
                )
            self._fleet.answer(*answer)
            self.figures.evaluations += rows
            self.figures.calls += 1

    def _advance_games(self) -> None:
        """Let all games go on that can."""
        while True:
            if self._moved:
                self._tell_columns()
            fleet = self._fleet
            try:
                status = self._play_on(
                    self._play_address, self._seats, fleet.address, fleet.members
                )
            except Exception as error:  # of the game's own functions
                self._failed = error
                raise
            if status == SLICE_DONE:
                return
            if status != GROW:
                self._failed = self._failure(status)
                raise self._failed
            self._grow()

    def _failure(self, status: int) -> RuntimeError:
        """Return the exception for a status that is not that of a search."""
        model, opponents = self.model, self.game_settings.opponents
        if status != BAD_POLICY:
            return failure(status, model, self.settings)
        player = int(self._seats["player"][self._play["next"][0]])
        return GameError(
            f"{model.name}: opponents={opponents!r}: player {player} chose action "
            f"{int(self._play['wrong_action'][0])}, which is not legal"
            f"{definition(model, str(opponents))}"
        )

    def _grow(self) -> None:
        """Double the rows that each game has room for."""
        old = self._columns
        games, capacity, _ = old["action"].shape
        grown = self._new_columns(games, 2 * capacity)
        for name, column in grown.items():
            column[:, :capacity] = old[name]
        self._moved = True  # before compiled code can run again, all is told anew
        self._columns = grown
        self._tell_columns()

    def _tell_columns(self) -> None:
        for name, column in self._columns.items():
            self._play[f"{name}_column"] = column.ctypes.data
        self._play["capacity"] = self._columns["action"].shape[1]
        self._moved = False

    def _take_finished(self) -> None:
        """Hand over the games that are over, and begin others in their places."""
        for place in np.flatnonzero(self._seats["status"] == OVER).tolist():
            number = int(self._seats["number"][place])
            if number > self._taken[place]:
                game = self._game(place, number)
                self._finished[number] = game
                self._taken[place] = number
            self._begin_game(place)

    def _game(self, place: int, number: int) -> PlayedGame:
        rows = int(self._seats["rows"][place])
        columns = {
            name: column[place, :rows].copy() for name, column in self._columns.items()
        }
        for name, _, width in COLUMNS:
            if width == "one":
                columns[name] = columns[name][:, 0]
        shape = rows, *self.model.observation_shape
        columns["observation"] = columns["observation"].reshape(shape)
        return PlayedGame(number, **columns, outcome=self._shares[place].copy())

    def _begin_game(self, place: int) -> None:
        """Begin the next game, if any, in a place whose last one was handed over."""
        number = int(self._seats["number"].max()) + 1
        if number >= self._numbers.stop:
            self._seats["status"][place] = DONE
            return
        chosen = self.game_settings
        streams = (0, 1) if chosen.opponents is None else (0, 1, 3)
        for generator, which in zip(self._generators, streams, strict=False):
            sequence = np.random.SeedSequence([self._seed, number, which])
            generator[place] = new_generator(sequence)
        seat = self._blank_seats[place].copy()
        self._states[0, place] = 0
        try:
            self.model.call("reset", int(seat["state"]), int(seat["dice"]))
        except Exception as error:
            self._failed = error
            raise
        self._joint_actions[place] = -1
        seat["number"], seat["status"] = number, DECIDING
        if number % 2 and chosen.random_moves:
            lots = np.random.default_rng([self._seed, number, 2])
            seat["random_plies"] = lots.integers(1, chosen.random_moves, endpoint=True)
        seat["learners"] = self._learners(number)
        if chosen.opponents is not None:
            rng = self._generators[2, place]
            for memory in self._memories[place]:
                self.model.begin_policy(chosen.opponents, memory.ctypes.data, rng)
        self._seats[place] = seat  # at once

    def _learners(self, number: int) -> int:
        """Return who searches in a game, as a bit mask: all, or one team."""
        teams, team = self.model.teams, None
        if self.game_settings.opponents is not None:
            team = number // 2 % self.model.team_count
        return sum(1 << p for p, own in enumerate(teams) if team in (None, own))


def _endless() -> range:
    return range(np.iinfo(np.int64).max)


def _check_games(numbers: range) -> None:
    """Refuse numbers of games that are none."""
    if not isinstance(numbers, range) or numbers.step != 1 or numbers.start < 0:
        raise ValueError(f"numbers={numbers!r}: expected a range from at least 0")
