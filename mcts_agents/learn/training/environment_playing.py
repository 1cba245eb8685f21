"""`EnvironmentWorkers`: games of one block, in an environment of somebody else.

No fleet of searches steps such an environment: planning copies it, in Python. So an
`MCTSAgent` decides for each seat, as in any game, and processes play one game after the
other. A game is the same whichever of them plays it.
"""

import functools
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcts_agents.agents import agent_seed
from mcts_agents.arena.playing.fixtures import Fixture
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.arena.tournaments.schedule import derived_seed
from mcts_agents.learn.playing import Observations, decide, mean_value
from mcts_agents.learn.training.config import SelfPlayConfig
from mcts_agents.learn.training.game_records import COLUMNS
from mcts_agents.learn.training.places import Place, Processes, fixture_of
from mcts_agents.learn.training.self_play import PlayedGame
from mcts_agents.model import ForwardModel
from mcts_agents.model.win_shares import result_shares
from mcts_agents.search import SearchResult

# Sets what is drawn here apart from the seeds of agents.
_DRAWN = 1


@dataclass
class EnvironmentWorkers:
    """Who plays, like `block_playing.Workers`.

    Attributes:
        spec: Spec of the game.
        place: Where the processes are. They stay from block to block.
        config: How they play.
        seed: From which all chance comes, with a game's number.

    Raises:
        ValueError: The config has an option that would have no effect.
    """

    spec: str
    place: Place
    config: SelfPlayConfig
    seed: int

    def __post_init__(self) -> None:
        if "games_at_once" in self.config.model_fields_set:
            raise ValueError(
                f"self_play.games_at_once={self.config.games_at_once}: {self.spec} is "
                "an environment, of which each process plays one game at a time; leave "
                "games_at_once out"
            )
        if self.config.opponents is not None:
            raise ValueError(
                f"self_play.opponents={self.config.opponents!r}: {self.spec} is an "
                "environment, which brings no scripted policies; leave opponents out"
            )
        play = functools.partial(play_alone, config=self.config, seed=self.seed)
        self._processes = Processes(self.place, play)

    @property
    def rows(self) -> int:
        """About how many positions the evaluator is asked about at once."""
        return self.config.settings(None).batch

    def rehearse(self, model: ForwardModel, evaluator: Any) -> None:
        """Play one game with short searches in this process: refusals come from it.

        Args:
            model: The sizes of the environment.
            evaluator: As `SearchSettings.evaluator`.

        Raises:
            ValueError: The environment cannot be planned in, or not be learned from.
            BaseException: What the environment raises.
        """
        brief = self.config.model_copy(update={"simulations": 2})
        first = fixture_of(self.spec, model, brief, evaluator)
        play_game(_numbered(first, self.seed, 0), brief, self.seed)

    def play(
        self,
        model: ForwardModel,
        evaluator: Any,
        numbers: range,
        told: Callable[[int], None] = lambda games: None,
    ) -> list[PlayedGame]:
        """Play games and return them by number.

        Args:
            model: The sizes of the environment.
            evaluator: As `SearchSettings.evaluator`; it is sent to the processes.
            numbers: Numbers of the games.
            told: Called with the number of games that are over, after each.

        Raises:
            RecordingError: A game failed; the message says which, and why.
        """
        first = fixture_of(self.spec, model, self.config, evaluator)
        fixtures = (_numbered(first, self.seed, number) for number in numbers)
        return self._processes.games(fixtures, told)

    def close(self) -> None:
        """End the processes; the next call begins others."""
        self._processes.close()


def _numbered(first: Fixture, seed: int, number: int) -> Fixture:
    return replace(first, number=number, seed=derived_seed((seed, number)))


def play_alone(fixture: Fixture, config: SelfPlayConfig, seed: int) -> list[PlayedGame]:
    """Play the one game that a fixture stands for; see `play_game`."""
    return [play_game(fixture, config, seed)]


def play_game(fixture: Fixture, config: SelfPlayConfig, seed: int) -> PlayedGame:
    """Play a game of self-play.

    Args:
        fixture: The game, with an agent for each seat.
        config: How moves are drawn.
        seed: Of the training.

    Returns:
        The game. Its observations have the type of the environment's; players who
        decide at once are asked one after the other, and each makes a ply.
    """
    dice = np.random.default_rng([seed, fixture.number, _DRAWN])
    random_plies = 0
    if fixture.number % 2 and config.random_moves:
        random_plies = int(dice.integers(1, config.random_moves, endpoint=True))
    game = fixture.setting
    with closing(open_table(game.game, game.players)) as table:
        table.begin(fixture.seed)
        seen = Observations(table)
        seats = [
            entrant.make(agent_seed(fixture.seed, player))
            for player, entrant in enumerate(fixture.seats)
        ]
        for player, agent in enumerate(seats):
            table.prepare(agent, player)
        actions, rows, ply = table.model.actions, [], 0
        while (player := table.turn()) is not None:
            legal = np.zeros(actions, bool)
            legal[table.legal_actions()] = True
            if ply < random_plies:
                action = int(dice.choice(np.flatnonzero(legal)))
            else:
                action, result = decide(seats[player], table.planned, None, legal)
                row = {
                    "observation": seen.of(player, legal.astype(np.int8)),
                    "legal": legal,
                    "policy": _policy(action, result, actions),
                    "value": np.nan if result is None else mean_value(result),
                    "player": player,
                    "ply": ply,
                }
                if result is not None:
                    action = _drawn(action, result, ply, config, dice)
                rows.append({**row, "action": action})
            table.step(action)
            ply += 1
        shares = result_shares(np.array(table.outcome()[0]), table.model.teams)
    shapes = {"observation": seen.shape, "legal": (actions,), "policy": (actions,)}
    types = {name: dtype for name, dtype, _ in COLUMNS} | {"observation": seen.dtype}
    columns = {
        name: np.array([row[name] for row in rows], dtype).reshape(
            len(rows), *shapes.get(name, ())
        )
        for name, dtype in types.items()
    }
    return PlayedGame(fixture.number, **columns, outcome=shares)


def _policy(action: int, result: SearchResult | None, actions: int) -> np.ndarray:
    """Return what a search teaches; all is on the action where nothing was searched."""
    policy = np.zeros(actions, np.float32)
    if result is None:
        policy[action] = 1.0
    else:
        policy[result.actions] = result.policy
    return policy


def _drawn(
    action: int,
    result: SearchResult,
    ply: int,
    config: SelfPlayConfig,
    dice: np.random.Generator,
) -> int:
    """Return the action that is played instead of the search's, or that one."""
    chosen = config.game_settings()
    if ply >= chosen.explore_moves:
        return action
    # Of the most visited one, so that no power of it overflows.
    weights = (result.visits / result.visits.max()) ** (1.0 / chosen.temperature)
    return int(dice.choice(result.actions, p=weights / weights.sum()))
