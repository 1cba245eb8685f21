"""Tables: a game in play, whether it has rules or is a third-party environment.

Matches, replays and commands ask a table for all that is not a move: who is to move,
how a position and an action are written, how the game ended.
"""

import functools
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from mcts_agents.agents import Agent, Planner
from mcts_agents.agents.policy import PolicyAgent
from mcts_agents.envs import EnvironmentGame, Game, environments, make_any
from mcts_agents.envs.environment_game import WORD, begin, has_rules
from mcts_agents.envs.text_game import text_picture
from mcts_agents.model import ForwardModel, GameError
from mcts_agents.model.copying.copied_parallel import SerialisedFace
from mcts_agents.model.copying.face_kinds import face_of
from mcts_agents.model.copying.rewards import finite_reward
from mcts_agents.model.copying.situations import results_by_return
from mcts_agents.model.failures import definition
from mcts_agents.names import quoted

# Ways to ask an environment of somebody else for an action, which plan in its copies.
_IN_COPIES = (Agent.act, Planner.act)


class ChoiceError(ValueError):
    """An agent has chosen an illegal action; the game is unchanged."""


class Table(ABC):
    """A game and one environment of it; `begin` starts a game.

    Attributes:
        game: The game.
        model: Its forward model. Of an environment it tells the sizes alone.
        returns: The sum of each player's rewards so far, float64 of shape (players,).
    """

    game: Game | EnvironmentGame
    model: ForwardModel
    returns: np.ndarray

    @property
    @abstractmethod
    def env(self) -> Any:
        """The environment that is stepped, in PettingZoo's AEC form."""

    @property
    @abstractmethod
    def planned(self) -> Any:
        """The environment that agents plan in."""

    @property
    @abstractmethod
    def hides(self) -> bool:
        """Whether the game may hide information from players."""

    @abstractmethod
    def begin(self, seed: int) -> None:
        """Start a new game."""

    @abstractmethod
    def prepare(self, agent: Agent, player: int) -> None:
        """Set up what an agent needs for this game, before any clock runs.

        In an environment of somebody else this copies the environment once, so a game
        must have begun.

        Raises:
            ValueError: The agent cannot play this game.
        """

    @abstractmethod
    def legal_actions(self) -> list[int]:
        """Return the legal actions of the agent who is to move."""

    def position(self) -> bytes | None:
        """Return bytes that differ between positions; None if they are not visible."""
        return None

    @property
    @abstractmethod
    def together(self) -> bool:
        """Whether several players may decide before the position changes."""

    @abstractmethod
    def movers(self) -> list[int]:
        """Return who decides before the position changes, ascending; none at the end.

        For an AEC environment of somebody else, this is the agent to move.
        """

    @abstractmethod
    def state(self) -> np.ndarray:
        """Return the state's bytes, uint8; none for a third-party environment."""

    @abstractmethod
    def text(self, player: int | None) -> str:
        """Return the position as text, as a player or a spectator (None) sees it."""

    @abstractmethod
    def seen(self, player: int, rng: np.ndarray) -> str:
        """Return the position that the player to move may plan with.

        Args:
            player: The player.
            rng: Generator of what is resampled for the player, advanced.
        """

    @abstractmethod
    def name(self, action: int) -> str:
        """Return an action as people write it."""

    @abstractmethod
    def action_of(self, text: str) -> int:
        """Return the action of a text; ValueError says what was expected."""

    @abstractmethod
    def picture(self) -> np.ndarray:
        """Return the position as a spectator sees it, uint8 of (height, width, 3)."""

    @abstractmethod
    def picture_size(self) -> tuple[int, int]:
        """Return width and height of `picture`, in pixels."""

    @abstractmethod
    def outcome(self) -> tuple[list[int], list[float]]:
        """Return each player's result and score at the end of the game."""

    def turn(self) -> int | None:
        """Return who is to move, after removing agents that have finished."""
        env = self.env
        while env.agents:
            agent = env.agent_selection
            if not (env.terminations[agent] or env.truncations[agent]):
                return env.possible_agents.index(agent)
            self._collect()
            env.step(None)
        return None

    def step(self, action: int) -> None:
        """Let the agent to move act.

        Raises:
            ChoiceError: The action is not legal.
        """
        self._collect()
        self.env.step(action)

    def _collect(self) -> None:
        """Take in what the selected agent, who is about to be stepped, has earned."""
        _, reward, _, _, _ = self.env.last(observe=False)
        agent = self.env.agent_selection
        player = self.env.possible_agents.index(agent)
        whose = f"{self.game.name}: the reward of {agent}"
        self.returns[player] += finite_reward(reward, whose)

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


class RulesTable(Table):
    """A game with rules.

    Args:
        game: The game.
        model: The forward model of the variant.
        render_mode: That of the environment.
    """

    def __init__(self, game: Game, model: ForwardModel, render_mode: str | None = None):
        self.game = game
        self.model = model
        self.returns = np.zeros(model.players)
        self._render_mode = render_mode
        self._seed = 0

    @functools.cached_property
    def env(self) -> Any:
        """The environment, created on first use: not all commands play."""
        make_env, _, _ = environments(self.game)  # where an illegal action is an error
        env = make_env(render_mode=self._render_mode, **self.model.variant)
        env.reset(seed=self._seed)
        return env

    @property
    def planned(self) -> Any:
        """See `Table`."""
        return self.env

    @property
    def hides(self) -> bool:
        """See `Table.hides`."""
        return self.model.hidden_information

    def begin(self, seed: int) -> None:
        """See `Table.begin`."""
        self._seed = seed
        if "env" in vars(self):
            self.env.reset(seed=seed)
        self.returns[:] = 0.0

    def close(self) -> None:
        """See `Table.close`."""
        if "env" in vars(self):
            self.env.close()

    def prepare(self, agent: Agent, player: int) -> None:
        """See `Table.prepare`."""
        agent.copying.check_rules(self.model)
        agent.prepare(self.model, player)

    def step(self, action: int) -> None:
        """See `Table.step`."""
        try:
            super().step(action)
        except ValueError as error:
            if action in self.legal_actions():
                raise
            raise ChoiceError(str(error)) from None

    def legal_actions(self) -> list[int]:
        """See `Table.legal_actions`."""
        env = self.env
        player = env.possible_agents.index(env.agent_selection)
        return self.model.legal_actions(env.spectator_state(), player).tolist()

    def position(self) -> bytes:
        """See `Table.position`."""
        return self.env.spectator_state().tobytes()

    @property
    def together(self) -> bool:
        """See `Table.together`."""
        return self.game.simultaneous is not False

    def movers(self) -> list[int]:
        """See `Table.movers`."""
        return self.model.movers(self.env.spectator_state())

    def state(self) -> np.ndarray:
        """See `Table.state`."""
        return self.env.spectator_state()

    def text(self, player: int | None) -> str:
        """See `Table.text`."""
        return self.game.ansi(self.model, self.env.spectator_state(), player)

    def seen(self, player: int, rng: np.ndarray) -> str:
        """See `Table.seen`."""
        state, _ = self.env.planning_state(self.env.possible_agents[player], rng)
        return self.game.ansi(self.model, state, player)

    def name(self, action: int) -> str:
        """See `Table.name`."""
        return self.game.format_action(self.model, int(action))

    def action_of(self, text: str) -> int:
        """See `Table.action_of`."""
        return self.game.parse_action(self.model, text)

    def picture(self) -> np.ndarray:
        """See `Table.picture`; the environment has the render mode `rgb_array`."""
        return self.env.render()

    def picture_size(self) -> tuple[int, int]:
        """See `Table.picture_size`."""
        return self.game.size(self.model)

    def outcome(self) -> tuple[list[int], list[float]]:
        """See `Table.outcome`."""
        state = self.env.spectator_state()
        scores = list(self.model.scores(state))
        if not np.isfinite(scores).all():  # which no table of results could show
            raise GameError(
                f"{self.game.name}: the scores at the end are "
                f"{[float(score) for score in scores]}, expected finite numbers"
                f"{definition(self.model, 'scores')}"
            )
        return list(self.model.results(state)), scores


class EnvironmentTable(Table):
    """A game that is a third-party environment.

    Scores are returns, the sums of each agent's rewards; results compare them, see
    `CopiedEnvironment`.

    Args:
        game: The game.
        shape: Its sizes.
        pictures: Whether pictures are wanted, and not text.
    """

    def __init__(
        self, game: EnvironmentGame, shape: ForwardModel, pictures: bool = False
    ):
        self.game = game
        self.model = shape
        mode = "rgb_array" if pictures else "ansi"
        self._env = game.aec()
        self._renders = game.can_render(self._env, mode)
        if self._renders:
            # It was never reset, which some need before they can be closed.
            with suppress(Exception):
                self._env.close()
            self._env = game.aec(mode)
        self.returns = np.zeros(shape.players)
        self._begun = False
        self._steps = 0

    @property
    def env(self) -> Any:
        """See `Table.env`."""
        return self._env

    @functools.cached_property
    def _asks_all(self) -> bool:
        """Whether one step of the environment asks all agents, in PettingZoo's form."""
        return isinstance(face_of(self.planned), SerialisedFace)

    @property
    def together(self) -> bool:
        """See `Table.together`; begins a game if none has begun."""
        if not self._begun:
            self.begin(0)
        return self._asks_all

    @property
    def ply(self) -> int:
        """How many steps the environment has made; in parallel form, joint ones."""
        return self._steps - (self._asks_all and not self._begins_a_step())

    def _begins_a_step(self) -> bool:
        return self.env.agents.index(self.env.agent_selection) == 0

    @property
    def planned(self) -> Any:
        """See `Table.planned`; for a `SinglePlayerEnv`, the environment inside."""
        return getattr(self._env, "planned", self._env)

    @property
    def hides(self) -> bool:
        """See `Table.hides`; False only if the caller asserts it."""
        return not self.game.perfect_information

    def begin(self, seed: int) -> None:
        """See `Table.begin`."""
        begin(self.env, seed, self.game.name)
        self._begun = True
        self._steps = 0
        self.returns[:] = 0.0

    def turn(self) -> int | None:
        """See `Table.turn`; whoever has nothing to decide in a step is not asked."""
        while (player := super().turn()) is not None:
            if not self._asks_all:
                return player
            face = face_of(self.planned)
            if player in face.movers():
                return player
            self._advance(face.numbers[player].first)
        return None

    def prepare(self, agent: Agent, player: int) -> None:
        """See `Table.prepare`; the agent trusts the game on what it hides."""
        own = agent.copying
        if own.redeterminise is None and not own.perfect_information:
            agent.copying = replace(
                own,
                perfect_information=self.game.perfect_information,
                redeterminise=self.game.redeterminise,
            )
        if type(agent).act not in _IN_COPIES:
            if not isinstance(agent, PolicyAgent):  # it is shown what it decides on
                agent.prepare(self.model, player)
            return
        told = agent.copying.redeterminise or agent.copying.perfect_information
        if not told and not has_rules(self.planned):
            raise ValueError(
                f"{self.game.name}: whether this environment hides information from "
                "its players cannot be detected. If it hides nothing, say so in the "
                f"game's spec: {WORD}=true; otherwise resample what it hides, with "
                "game_from_environment(..., redeterminise=...)"
            )
        self.turn()  # the first agent may have nothing to decide
        # What is drawn here must not change what the agent decides.
        before = agent._rng.copy()
        with agent.position(self.planned) as (model, _, _):
            agent.prepare(model, player)
        agent._rng[:] = before

    def legal_actions(self) -> list[int]:
        """See `Table.legal_actions`."""
        face = face_of(self.planned)
        return list(face.legal_actions(face.player_of(None)))

    def step(self, action: int) -> None:
        """See `Table.step`."""
        legal = self.legal_actions()
        if action not in legal:
            shown = ", ".join(map(self.name, legal[:20]))
            raise ChoiceError(
                f"{self.game.name}: action {quoted(action)} of "
                f"{self.env.agent_selection} is not legal; legal: {shown}"
            )
        self._advance(action)
        if self._asks_all:
            self.turn()  # the environment steps once those who wait have been passed

    def _advance(self, action: int) -> None:
        if not self._asks_all or self._begins_a_step():
            self._steps += 1
        super().step(action)

    def movers(self) -> list[int]:
        """See `Table.movers`."""
        player = self.turn()
        if player is None or not self._asks_all:
            return [] if player is None else [player]
        return face_of(self.planned).movers()

    def state(self) -> np.ndarray:
        """See `Table.state`."""
        return np.empty(0, np.uint8)

    def text(self, player: int | None) -> str:
        """See `Table.text`."""
        agent = None if player is None else self.env.possible_agents[player]
        return self.game.text(self.env, agent)

    def seen(self, player: int, rng: np.ndarray) -> str:
        """See `Table.seen`."""
        return self.text(player)

    def name(self, action: int) -> str:
        """See `Table.name`."""
        return self.game.action_name(self.env, int(action))

    def action_of(self, text: str) -> int:
        """See `Table.action_of`."""
        return self.game.action_of(self.env, text, self.legal_actions())

    def picture(self) -> np.ndarray:
        """See `Table.picture`: the text if the environment draws nothing."""
        if self._renders:
            return np.asarray(self.env.render(), np.uint8)
        return text_picture(self.text(None))

    def picture_size(self) -> tuple[int, int]:
        """See `Table.picture_size`; begins a game if none has begun."""
        if not self._begun:
            self.begin(0)
        height, width, _ = self.picture().shape
        return width, height

    def outcome(self) -> tuple[list[int], list[float]]:
        """See `Table.outcome`."""
        return results_by_return(self.returns), self.returns.tolist()


def open_table(
    spec: str, players: int | None = None, *, pictures: bool = False
) -> Table:
    """Return a table for a game's spec, as `make_any` takes it.

    Args:
        spec: Spec of the game.
        players: Number of players, the game's default if None.
        pictures: Whether pictures of positions are wanted.

    Raises:
        ValueError: See `make_any`.
    """
    return table_of(*make_any(spec, players), pictures=pictures)


def table_of(
    game: Game | EnvironmentGame, model: ForwardModel, *, pictures: bool = False
) -> Table:
    """Return a table for what `make_any` returns; see `open_table`."""
    if isinstance(game, EnvironmentGame):
        return EnvironmentTable(game, model, pictures)
    return RulesTable(game, model, "rgb_array" if pictures else None)
