"""`SingleAgentEnv`: one learner's seat in a multi-player environment, for Gymnasium."""

import copy
import math
import random
from collections.abc import Callable
from numbers import Real
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.agents import Agent, Planner
from mcts_agents.model import RESULT_NAMES
from mcts_agents.model.actions import as_action, illegal_action, legal_action
from mcts_agents.model.views import View
from mcts_agents.wrappers.opponents import Opponents
from mcts_agents.wrappers.seated_games import seated_game_of

# Episodes' seeds lie below: the greatest that numpy's old generators take.
SEEDS = 2**32


class SingleAgentEnv(gymnasium.Env):
    """A PettingZoo environment for one learner, with agents in the other seats.

    A step plays on until the learner decides again or its game has ended. The reward is
    the sum of all that the learner has earned since its last action, so it includes a
    loss during an opponent's turn. An episode ends when the learner is out, even if the
    others play on. If the learner never gets to decide, because others end the game
    first, the episode has one step, in which any action is accepted.

    An episode depends only on its seed: the environment is reset with it, and the
    agents get the seeds that `mcts_agents.agents.agent_seed` derives from it, as in a
    game of the arena. `reset(seed)` sets the seeds of this and all later episodes.

    `info` has `action_mask`, int8 of shape (n,), which is 1 for legal actions; pass it
    to `action_space.sample(info["action_mask"])`. After `reset` and at the end, `info`
    also has `seat`, the learner's seat. At the end it has `result`: `"won"`, `"drawn"`
    or `"lost"`, by the game's rules, or in third-party environments by the returns
    (whoever alone has the highest return has won). `action_masks()` is the method that
    sb3-contrib's MaskablePPO calls.

    `copy.deepcopy` and `pickle` copy the PettingZoo environment in its own way; an
    `EzPickle` environment starts anew and needs a `reset`. `copy.copy` shares the
    environment with the copy, as in every wrapper.

    Args:
        env: A PettingZoo environment, AEC or parallel, or a function that makes one and
            takes `render_mode` as a keyword if `render_mode` is not None. The actions
            must be Discrete.
        opponents: Who plays in the other seats.

            - an agent (any `mcts_agents.Agent`) or its spec, such as `"random"` or
              `"mcts:simulations=50"`, for all of them; each seat has its own memory
              and seed;
            - a function `(observation, agent name) -> action`, such as a trained
              policy; it gets the environment's own observation, with the mask if there
              is one;
            - a sequence with one of these for each opponent, in the order of the seats;
            - a mapping from seats (numbers or agents' names) to these, for all of the
              learner's opponents, or for all agents if the learner's seat is random;
            - a `Mixture`, from which each episode draws.

            Agents are copied and start anew in each episode. In third-party
            environments, planning agents need `perfect_information` or
            `redeterminise`; see `Agent`.
        seat: The learner's seat, a number or an agent's name; `"random"` draws one in
            each episode, all equally likely.
        observation: `"flat"`: the agent's observation as a Box of shape (n,), without
            the mask; `"dict"`: `{"observation", "action_mask"}`.
        illegal: What happens if the learner takes an illegal action. A number: the
            episode ends as lost, with this reward and `info["illegal"]`. `"error"`: a
            ValueError, and nothing changes. The default is -1, as for a lost game and
            as in the games' AEC environments: learners without masks try illegal
            actions, which should neither stop their training nor be worth more than
            playing on.
        render_mode: Passed to `env` if that is a function.

    Attributes:
        environment: The PettingZoo environment. A planner in the learner's place acts
            with `agent.act(env.unwrapped.environment, env.unwrapped.learner)`.
        learner: Name of the learner's agent in this episode.

    Raises:
        ValueError: An argument that is not allowed, or opponents that do not match the
            seats or cannot play the game.
    """

    def __init__(
        self,
        env: AECEnv | ParallelEnv | Callable[..., Any],
        opponents: Any = "random",
        *,
        seat: int | str = 0,
        observation: str = "flat",
        illegal: float | str = -1.0,
        render_mode: str | None = None,
    ):
        self.illegal = _checked_illegal(illegal)
        self.environment = _made(env, render_mode)
        self._game = seated_game_of(self.environment)
        self.render_mode = getattr(self.environment.unwrapped, "render_mode", None)
        self.metadata = {"render_modes": [], **self.environment.metadata}
        self._seats = self._possible_seats(seat)
        self.learner = self._game.names[self._seats[0]]
        self.action_space = self._common_space(self.environment.action_space)
        self._start = int(self.action_space.start)
        self._view = View(
            observation,
            self._common_space(self.environment.observation_space),
            int(self.action_space.n),
        )
        self.observation_space = self._view.space
        self._opponents = Opponents(
            opponents, self._game.names, self._game.starts, self._seats, self._check
        )
        # Reseeded in each episode, which is quicker than to make one.
        self._random = random.Random(0)
        self._is_playing = self._has_failed = False

    def __repr__(self) -> str:
        """Show the environment and the learner's seat, in one line."""
        seat = self._seats[0] if len(self._seats) == 1 else "random"
        return f"<SingleAgentEnv of {self.environment}: seat {seat}>"

    def _possible_seats(self, seat: Any) -> list[int]:
        names = self._game.names
        if isinstance(seat, str) and seat in names:
            return [names.index(seat)]
        if isinstance(seat, str) and seat == "random":
            return list(range(len(names)))
        number = as_action(seat)
        if number is None or not 0 <= number < len(names):
            raise ValueError(
                f"seat={seat!r}: expected 0 to {len(names) - 1}, 'random', or one of "
                f"{', '.join(names)}"
            )
        return [number]

    def _common_space(self, space_of: Callable[[str], spaces.Space]) -> spaces.Space:
        """Return a copy of the space that the learner has in every seat it may take."""
        found = [space_of(self._game.names[seat]) for seat in self._seats]
        if any(space != found[0] for space in found):
            raise ValueError(
                f"seat='random': agents of {self.environment} have different spaces: "
                f"{', '.join(map(str, found))}"
            )
        return copy.deepcopy(found[0])  # one's own: learners seed it

    def _check(self, agent: Agent, seat: int) -> None:
        if self._game.model is not None:
            agent.copying.check_rules(self._game.model)
            agent.prepare(self._game.model, seat)
        elif isinstance(agent, Planner) and not (
            agent.copying.perfect_information or agent.copying.redeterminise
        ):
            raise ValueError(
                f"opponents: {agent!r} plans on copies of {self.environment}, which "
                "might hide information; give it as an object, with "
                "perfect_information=True or redeterminise=function"
            )

    # -- Gymnasium

    def reset(
        self, *, seed: int | None = None, options: dict | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode and play to the learner's first decision.

        Args:
            seed: Reproduces this episode and those after it, opponents included; None
                goes on with the generator.
            options: Ignored.

        Returns:
            Observation and info; see the class.
        """
        super().reset(seed=seed)
        episode = int(self.np_random.integers(SEEDS))
        rng = self._random
        rng.seed(episode)
        seats = self._seats
        seat = seats[0] if len(seats) == 1 else seats[int(rng.random() * len(seats))]
        game = self._game
        self.learner = game.names[seat]
        # An opponent that fails, or Ctrl-C, leaves the game amid others' decisions.
        self._is_playing, self._has_failed = False, True
        game.begin(self.learner, self._opponents.sit_down(seat, episode, rng), episode)
        self._is_playing, self._has_failed = True, False
        return self._observation(), {"action_mask": game.mask.copy(), "seat": seat}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Let the learner act, and play on until its next decision or its end.

        Returns:
            Observation, reward, terminated, truncated, info; see the class.

        Raises:
            RuntimeError: Before `reset`, or after the end of an episode; it ends also
                when an opponent's decision fails.
            ValueError: An illegal action, with `illegal="error"`; or an opponent's.
        """
        if not self._is_playing:
            why = "no episode is under way"
            if self._has_failed:
                why = (
                    "an opponent's decision or the environment failed, which ended the "
                    "episode"
                )
            raise RuntimeError(f"{self}: {why}, call reset()")
        game = self._game
        if not (game.terminated or game.truncated):
            number = legal_action(action, game.mask, self._start)
            if number is None:
                if self.illegal == "error":
                    raise illegal_action(action, game.mask, self._start, self.learner)
                return self._penalty()
            # As in `reset`: the learner's action may have been played already.
            self._is_playing, self._has_failed = False, True
            game.play_on(number)
            self._is_playing, self._has_failed = True, False
        reward, game.reward = game.reward, 0.0
        info: dict[str, Any] = {"action_mask": game.mask.copy()}
        if game.terminated or game.truncated:
            self._is_playing = False
            info["seat"] = game.names.index(self.learner)
            info["result"] = RESULT_NAMES[game.result()]
        return self._observation(), reward, game.terminated, game.truncated, info

    def _penalty(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._is_playing = False
        info = {
            "action_mask": self._game.mask.copy(),
            "seat": self._game.names.index(self.learner),
            "result": "lost",
            "illegal": True,
        }
        return self._observation(), self.illegal, True, False, info

    def _observation(self) -> Any:
        return self._view.of(self._game.observation, self._game.mask)

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal now, bool of shape (n,).

        Raises:
            RuntimeError: Before the first `reset`.
        """
        if self._np_random is None:
            raise RuntimeError(f"{self}: call reset() first")
        return self._game.mask.astype(bool)

    def render(self) -> Any:
        """Show the position as the PettingZoo environment does."""
        return self.environment.render()

    def close(self) -> None:
        """Close the PettingZoo environment; can be called more than once."""
        self.environment.close()


def _checked_illegal(illegal: Any) -> float | str:
    if isinstance(illegal, str) and illegal == "error":
        return illegal
    if (
        isinstance(illegal, bool)
        or not isinstance(illegal, Real)
        or not math.isfinite(illegal)
    ):
        raise ValueError(
            f"illegal={illegal!r}: expected 'error', or the reward of an illegal action"
        )
    return float(illegal)


def _made(env: Any, render_mode: str | None) -> Any:
    """Return the environment, which may have to be made."""
    if isinstance(env, AECEnv | ParallelEnv):
        if render_mode not in (None, getattr(env.unwrapped, "render_mode", None)):
            raise ValueError(
                f"render_mode={render_mode!r}: {env} is made already; give its render "
                "mode to it, or give a function that makes it"
            )
        return env
    if callable(env):
        return env() if render_mode is None else env(render_mode=render_mode)
    return env
