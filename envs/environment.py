"""The two PettingZoo environments of a game, built from its table of functions.

`environments(game)` gives the conventional three factories. The rules are asked for
everything; what stands here is PettingZoo's bookkeeping, in two thin faces of one base
(`game_environment`). PettingZoo's converters are not used: they expose pending actions,
give four values after the end, and name no active agent on reset.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from mcts_agents.envs.game import Game
from mcts_agents.envs.game_environment import GameEnvironment
from mcts_agents.envs.registry import load_game
from mcts_agents.envs.text_game import game_from_rules
from mcts_agents.model import Rules
from mcts_agents.model.failures import raise_explained
from mcts_agents.model.stepping import FIRST_ACTION, WANTED
from mcts_agents.names import quoted


class GameAECEnv(GameEnvironment, AECEnv[str, dict, int]):
    """A game whose agents act one after another; see `GameEnvironment`.

    Where several players decide at once they are asked in ascending order, and the
    game advances when the last one has chosen. Until then nobody can learn what the
    earlier ones chose: it is not in the state, in observations, infos or pictures, nor
    in what `planning_state` gives.
    """

    def __init__(self, game: Game, render_mode: str | None = None, **variant: Any):
        super().__init__(game, render_mode, **variant)
        self.__pending: dict[int, int] = {}

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Start a new game.

        Args:
            seed: Reproduces whole games; None goes on with the generator.
            options: Ignored; variants are chosen at construction.
        """
        self._begin(seed)
        self.__pending = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._movers[0]]
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Let the selected agent act; None for an agent that is out of the game.

        Raises:
            RuntimeError: Before `reset`, or when all agents have finished.
            ValueError: An action that is not legal; nothing has changed then.
        """
        self._current_state()
        if not self.agents:
            raise RuntimeError(f"{self}: the game is over, call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        player = self._player(agent)
        chosen = self._checked_action(player, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.__pending[player] = chosen
        if not self._undecided():
            joint_action = [-1] * len(self.possible_agents)
            for number, decided in self.__pending.items():
                joint_action[number] = decided
                self._stepper.exchange[FIRST_ACTION + number] = decided
            self.__pending = {}
            rewards, finished, _ = self._advance(joint_action)
            self.rewards.update(rewards)
            self.terminations.update(dict.fromkeys(finished, True))
        if self._movers:
            self.agent_selection = self.possible_agents[self._undecided()[0]]
        self._accumulate_rewards()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of any agent, at any time after `reset`.

        Raises:
            RuntimeError: Before `reset`.
            ValueError: No such agent.
        """
        player = self._player(agent)
        self._current_state()
        asked = (
            agent == self.agent_selection
            and player in self._undecided()
            and not self.terminations.get(agent, True)
        )
        return self._observation(player, asked)

    def _undecided(self) -> tuple[int, ...]:
        return tuple(p for p in self._movers if p not in self.__pending)

    def _is_over(self) -> bool:
        # TerminateIllegalWrapper ends a game without telling the rules.
        return not self._movers or all(self.terminations.values())


class GameParallelEnv(GameEnvironment, ParallelEnv[str, dict, int]):
    """A game whose live agents all step together; see `GameEnvironment`.

    Every live agent gets an observation each step. An agent whose mask is all zeros has
    nothing to decide: its action is ignored and may be left out. `infos` names under
    `"active_agent"` who decides: the agent itself if it does, else the first who does,
    None at the end.
    """

    def __init__(self, game: Game, render_mode: str | None = None, **variant: Any):
        super().__init__(game, render_mode, **variant)
        size = self.forward_model.observation_size
        each = size + self.forward_model.actions
        # Where each agent's observation and mask are in what `_advance` returns.
        self._parts = {
            agent: (
                slice(n * each, n * each + size),
                slice(n * each + size, (n + 1) * each),
            )
            for n, agent in enumerate(self.possible_agents)
        }
        shape = self.forward_model.observation_shape
        self._shape = shape if len(shape) > 1 else None

    def reset(
        self, seed: int | None = None, options: dict | None = None
    ) -> tuple[dict[str, dict], dict[str, dict]]:
        """Start a new game; return observations and infos of all agents.

        Args:
            seed: Reproduces whole games; None goes on with the generator.
            options: Ignored; variants are chosen at construction.
        """
        self._begin(seed)
        self._keep(self.agents)
        if self.render_mode == "human":
            self.render()
        seen = self._blank()
        try:
            self._stepper.observe_all(self._state, seen)
        except Exception as error:
            raise_explained(self.forward_model, error, self._state)
            raise
        return self._told(self.agents, seen)

    def step(
        self, actions: Mapping[str, int | None]
    ) -> tuple[
        dict[str, dict],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict],
    ]:
        """Let all agents with a decision to make act at once.

        Args:
            actions: Action of each live agent; those without a decision are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents
            that were live; five empty dicts when all have finished.

        Raises:
            RuntimeError: Before `reset`.
            ValueError: An unknown agent, a missing action or one that is not legal;
                nothing has changed then.
        """
        if self._state is None:
            self._current_state()  # says to reset
        acting, movers = self.agents, self._movers
        if len(actions) != len(movers):  # else a name too many is one too few
            for agent in actions:
                self._player(agent)  # says which agents there are
        if not acting:
            return {}, {}, {}, {}, {}
        names, exchange = self.possible_agents, self._stepper.exchange
        joint_action = [-1] * len(names)
        try:
            for player in movers:
                action = operator.index(actions[names[player]])
                exchange[FIRST_ACTION + player] = joint_action[player] = action
        except (KeyError, OverflowError, TypeError):
            for agent in actions:
                self._player(agent)
            for player in movers:
                self._check_action(player, actions)  # says what is wrong
            raise
        earned, finished, seen = self._advance(joint_action)
        rewards, terminations = self._no_rewards.copy(), self._nobody.copy()
        if earned or finished:
            rewards.update((a, r) for a, r in earned.items() if a in rewards)
            terminations.update(dict.fromkeys(finished, True))
        if self.render_mode == "human":
            self.render()
        observations, infos = self._told(acting, seen)
        truncations = self._nobody.copy()
        if finished:
            self._keep([agent for agent in acting if agent not in finished])
        return observations, rewards, terminations, truncations, infos

    def _set_up_stepper(self) -> None:
        super()._set_up_stepper()
        if self._stepper is not None:
            self._keep(self.agents)

    def _keep(self, agents: list[str]) -> None:
        """Go on with these agents."""
        self.agents = agents
        wanted = sum(1 << self._numbers[agent] for agent in agents)
        self._stepper.exchange[WANTED] = wanted
        # Copied in every step, which is quicker than making them.
        self._no_rewards = dict.fromkeys(agents, 0.0)
        self._nobody = dict.fromkeys(agents, False)

    def _check_action(self, player: int, actions: Mapping[str, int | None]) -> None:
        agent = self.possible_agents[player]
        if agent not in actions:
            deciding = ", ".join(self.possible_agents[p] for p in self._movers)
            raise ValueError(
                f"{self}: no action of {agent}; actions are needed of {deciding}"
            )
        self._checked_action(player, actions[agent])

    def _told(
        self, agents: list[str], seen: np.ndarray
    ) -> tuple[dict[str, dict], dict[str, dict]]:
        """Return observations, views of what was written for each agent, and infos."""
        observations, infos, parts = {}, {}, self._parts
        for agent in agents:
            observation, mask = parts[agent]
            observations[agent] = {
                "observation": seen[observation],
                "action_mask": seen[mask],
            }
            infos[agent] = {"active_agent": agent}
        if len(self._movers) != len(agents):  # some are live who do not decide
            deciding = [self.possible_agents[player] for player in self._movers]
            first = deciding[0] if deciding else None
            for agent in agents:
                if agent not in deciding:
                    infos[agent]["active_agent"] = first
        if self._shape is not None:
            for both in observations.values():
                both["observation"] = both["observation"].reshape(self._shape)
        return observations, infos


class OrderEnforcingWrapper(wrappers.OrderEnforcingWrapper):
    """PettingZoo's wrapper; a notebook shows the environment inside."""

    def __str__(self) -> str:  # PettingZoo's gives the inner name to its own class only
        return str(self.unwrapped)

    @property
    def unwrapped(self) -> GameAECEnv:
        """The environment without wrappers, for its own methods."""
        return super().unwrapped

    def _repr_html_(self) -> str:
        return self.unwrapped._repr_html_()


def environments(
    game: Game | Rules | str,
) -> tuple[
    Callable[..., GameAECEnv],
    Callable[..., OrderEnforcingWrapper],
    Callable[..., GameParallelEnv],
]:
    """Return a game's `raw_env`, `env` and `parallel_env`.

    All take `render_mode` and the variant's keywords. Nothing is compiled before one of
    them is called.

    Args:
        game: The game, its rules alone, or its name, see `load_game`.

    Raises:
        ValueError: There is no game of this name.
    """
    if isinstance(game, str):
        game = load_game(game)
    elif isinstance(game, Rules):
        game = game_from_rules(game)
    if not isinstance(game, Game):
        raise ValueError(
            f"{quoted(game)}: expected a Game, Rules, or the name of a game; of a "
            "function that makes one, pass what it returns"
        )
    played = game  # which is a Game in what follows

    def raw_env(render_mode: str | None = None, **variant: Any) -> GameAECEnv:
        """Return the AEC environment without wrappers; illegal actions raise."""
        return GameAECEnv(played, render_mode, **variant)

    def env(render_mode: str | None = None, **variant: Any) -> OrderEnforcingWrapper:
        """Return the AEC environment; an illegal action loses the game at once."""
        inner = raw_env(render_mode, **variant)
        inner = wrappers.TerminateIllegalWrapper(inner, illegal_reward=-1)
        inner = wrappers.AssertOutOfBoundsWrapper(inner)
        return OrderEnforcingWrapper(inner)

    def parallel_env(render_mode: str | None = None, **variant: Any) -> GameParallelEnv:
        """Return the parallel environment; illegal actions raise."""
        return GameParallelEnv(played, render_mode, **variant)

    return raw_env, env, parallel_env
