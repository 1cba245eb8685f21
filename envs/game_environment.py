"""What the AEC and the parallel environment of a game share."""

import copy
import functools
import html
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from mcts_agents.envs.game import Game
from mcts_agents.envs.painting import Screen
from mcts_agents.envs.regions import Region
from mcts_agents.envs.registry import GAMES, load_game
from mcts_agents.model import (
    PLAYING,
    ForwardModel,
    History,
    RulesError,
    new_generator,
)
from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.model.failures import raise_explained, wrong_result
from mcts_agents.model.stepping import FIRST_ACTION, HAS_NEWS, Stepper
from mcts_agents.model.views import observation_space
from mcts_agents.names import made_with

RENDER_MODES = ("human", "rgb_array", "ansi")
RENDER_FPS = 4

# Rewards by result: playing, won, drawn, lost.
REWARDS = (0.0, 1.0, 0.0, -1.0)

# An error message names at most this many legal actions.
LEGAL_ACTIONS_NAMED = 20

# Immutable, so copies of an environment share them.
_SHARED = ("game", "forward_model")


@functools.cache
def players_in(mask: int) -> tuple[int, ...]:
    """Return the players in a mask, in ascending order."""
    return tuple(player for player in range(MAX_PLAYERS) if mask >> player & 1)


class _RaisingStepper:
    """A `Stepper` of a model that runs Python: what that raises comes out at once."""

    def __init__(self, model: ForwardModel, stepper: Stepper):
        self.exchange = stepper.exchange
        self._model = model
        self._stepper = stepper

    def observe_all(self, state: np.ndarray, seen: np.ndarray) -> int:
        """See `Stepper`."""
        with self._raising():
            return self._stepper.observe_all(state, seen)

    def step_all(self, before: np.ndarray, after: np.ndarray, seen: np.ndarray) -> int:
        """See `Stepper`."""
        with self._raising():
            return self._stepper.step_all(before, after, seen)

    @contextmanager
    def _raising(self) -> Iterator[None]:
        """Raise what Python has raised, also where compiled code stumbled over it."""
        try:
            yield
        except Exception:
            self._model.raise_pending()
            raise
        self._model.raise_pending()


class GameEnvironment:
    """What the AEC and the parallel environment of a game share.

    Rewards: an agent gets +1 when it has won, -1 when it has lost and 0 when it has
    drawn, at the moment its result is known (the end of the game, or when it is
    eliminated); until then 0. Scores are part of the observations where a game has
    them. Where a game has the option `official_rewards`, its page says what that pays;
    then nobody leaves before the game is over.

    Observations are `{"observation": int8 array, "action_mask": int8 array}`; the mask
    is all zeros for an agent that is not asked for an action. Pictures (`render`) show
    everything, hidden information included, as a spectator sees it.

    Copies (`copy.copy`, `copy.deepcopy`, `pickle`) are faithful at any moment and
    independent; a window is not copied. A wrapper around the environment is another
    object: `copy.copy` of the wrapper shares the environment inside.

    Args:
        game: The game.
        render_mode: `human`, `rgb_array`, `ansi` or None.
        **variant: Number of players and options; the game's page lists them.

    Attributes:
        forward_model: The game's table of functions, from construction on.
        possible_agents: `player_0`, `player_1`, ...; the index is the player's number.

    Raises:
        ValueError: A variant that the rules do not allow, or an unknown render mode.
    """

    def __init__(self, game: Game, render_mode: str | None = None, **variant: Any):
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(
                f"render_mode={render_mode!r}: {game.name} has "
                f"{', '.join(RENDER_MODES)} and None"
            )
        self.game = game
        self._pays_officially = False
        if game.official_rewards is not None:
            self._pays_officially = variant.pop("official_rewards", False)
            if not isinstance(self._pays_officially, bool):
                raise ValueError(
                    f"official_rewards={self._pays_officially!r}: "
                    "expected true or false"
                )
        self.forward_model = game.rules.model(**variant)
        if self.forward_model.observation_shape is None:
            raise RulesError(
                f"{game.name}: an environment needs observations. Write: "
                "def observe(game, state, player, out), and give the Spec an "
                "observation_shape"
            )
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": isinstance(self, ParallelEnv),
        }
        players = range(self.forward_model.players)
        self.possible_agents = [f"player_{player}" for player in players]
        self.agents: list[str] = []
        self.action_spaces = {
            agent: spaces.Discrete(self.forward_model.actions)
            for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: observation_space(self.forward_model)
            for agent in self.possible_agents
        }
        self.np_random: np.random.Generator | None = None
        self.np_random_seed: int | None = None
        self._state: np.ndarray | None = None
        self._spare: np.ndarray | None = None
        self._rng: np.ndarray | None = None
        self._movers: tuple[int, ...] = ()
        self._numbers = {agent: n for n, agent in enumerate(self.possible_agents)}
        self._hides = self.forward_model.hidden_information
        self._stepper: Stepper | _RaisingStepper | None = None
        size, actions = self.forward_model.observation_size, self.forward_model.actions
        self._seen_size = self.forward_model.players * (size + actions)
        self._episode = 0
        self.games_begun = 0
        # The joint actions so far; with the opening and its generator they give back
        # every state, which only `history` asks for.
        self._played: list[list[int]] = []
        self._past: list[np.ndarray] = []
        self._past_rng: np.ndarray | None = None
        self._finished: set[int] = set()
        self._screen: Screen | None = None

    def __repr__(self) -> str:
        """Show the game and what was chosen of its variants, in one line."""
        defaults = self.game.rules.defaults()
        variant = self.forward_model.variant
        given = {n: v for n, v in variant.items() if v != defaults[n]}
        if self._pays_officially:
            given["official_rewards"] = True
        if self.render_mode is not None:
            given["render_mode"] = self.render_mode
        chosen = made_with(self.metadata["name"], given)
        return f"<{type(self).__name__} of {chosen}>"

    def _repr_html_(self) -> str:
        """Show the position in a notebook, as `render` does: with all that is hidden.

        A copy from before `reset` has no position.
        """
        try:
            board = self.game.ansi(self.forward_model, self.spectator_state(), None)
        except RuntimeError:
            board = "reset() begins the game"
        title = html.escape(repr(self))
        return f"<div><p>{title}</p><pre>{html.escape(board)}</pre></div>"

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the observation space of `agent`, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Return the action space of `agent`, the same object each time."""
        return self.action_spaces[agent]

    def action_name(self, action: int) -> str:
        """Return the name of an action."""
        return self.game.format_action(self.forward_model, int(action))

    # -- planning

    def planning_state(self, agent: str, rng: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the state that `agent` may plan on, as a copy, and its player number.

        All that the agent cannot know is resampled in the copy; actions that other
        agents have chosen but that have not happened yet are nowhere in it.

        Args:
            agent: The agent that plans; it must have a decision to make now.
            rng: Generator of `mcts_agents.model` for the resampling, advanced. The
                environment's own generator is not touched.

        Returns:
            The state, uint8 of shape `(forward_model.state_size,)`, and the player.

        Raises:
            RuntimeError: Before `reset`, or after the game is over.
            ValueError: No such agent, or it has no decision to make now.
        """
        state = self._current_state()
        if self._is_over():
            raise RuntimeError(
                f"{self}: the game is over, {agent} cannot plan; reset()"
            )
        player = self._player(agent)
        if player not in self._undecided():
            deciding = ", ".join(self.possible_agents[p] for p in self._undecided())
            raise ValueError(
                f"{self}: {agent} has no decision to make now, only {deciding}"
            )
        view = self.forward_model.copy(state)
        self.forward_model.redeterminise(view, player, rng)
        return view, player

    def history(self, agent: str) -> History:
        """Return the moves played so far, as far as `agent` has seen them.

        An action counts as seen if the game's `visible_action` tells it. A planner
        that reuses its tree follows it from one decision to the next.

        Raises:
            RuntimeError: Before `reset`.
            ValueError: No such agent.
        """
        self._current_state()
        observer = self._player(agent)
        return History(
            self._episode,
            tuple(
                self._seen(observer, state, joint)
                for state, joint in zip(self._states(), self._played, strict=True)
            ),
        )

    def _states(self) -> list[np.ndarray | None]:
        """Return the states in which the joint actions were played.

        None where nothing is hidden. What was played since the last time is played
        once more, with the game's own randomness.
        """
        if not self._hides:
            return [None] * len(self._played)
        while len(self._past) <= len(self._played):
            state = self.forward_model.copy(self._past[-1])
            joint = self._played[len(self._past) - 1]
            self.forward_model.apply(state, joint, self._past_rng)
            self._past.append(state)
        return list(self._past[:-1])

    def _seen(
        self, observer: int, state: np.ndarray | None, joint: list[int]
    ) -> tuple[int | None, ...]:
        """Return a joint action with None for what the observer has not seen of it."""
        if state is None:
            return tuple(joint)
        model = self.forward_model
        if not model.has("visible_action"):
            return tuple(
                action if p == observer or action == -1 else None
                for p, action in enumerate(joint)
            )
        return tuple(
            action
            if p == observer
            or action == -1
            or model.visible_action(state, joint, p, observer) == action
            else None
            for p, action in enumerate(joint)
        )

    def spectator_state(self) -> np.ndarray:
        """Return a copy of the full state, including hidden information.

        For showing and recording games. Agents plan on `planning_state`.

        Raises:
            RuntimeError: Before `reset`.
        """
        return self.forward_model.copy(self._current_state())

    # -- pictures

    def render(self) -> np.ndarray | str | None:
        """Render the position according to `render_mode`.

        Returns:
            The picture, uint8 of shape (height, width, 3), for `rgb_array`; a text for
            `ansi`; None for `human`, which opens a window and needs no call: `reset`
            and `step` draw.

        Raises:
            RuntimeError: Before `reset`.
            MissingExtraError: The extra `pictures` is not installed.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"{self}: render() without a render_mode; construct the environment "
                f"with one of {', '.join(RENDER_MODES)}"
            )
            return None
        state = self._current_state()
        if self.render_mode == "ansi":
            return self.game.ansi(self.forward_model, state, None)
        if self._screen is None:
            self._screen = Screen(self.game.title, RENDER_FPS)
        picture = self._screen.picture(self.game.size(self.forward_model))
        self.game.paint(picture, self.forward_model, state, None)
        if self.render_mode == "rgb_array":
            return self._screen.pixels()
        self._screen.show()
        return None

    def regions(self, agent: str) -> list[Region]:
        """Return the region of each legal action of `agent` on the rendered picture.

        The list is empty for an agent that has no decision to make now. Clicks are
        looked up by `action_at` of `mcts_agents.envs.regions`.

        Raises:
            RuntimeError: Before `reset`.
            ValueError: No such agent.
            RulesError: The game does not say where its actions lie.
        """
        state, player = self._current_state(), self._player(agent)
        if self.game.regions is None:
            raise RulesError(
                f"{self.game.name}: its picture does not say where actions lie. Write: "
                "def regions(model, state, observer, player), and give it to the Game"
            )
        if player not in self._undecided():
            return []
        return self.game.regions(self.forward_model, state, None, player)

    def close(self) -> None:
        """Close the window, if there is one; can be called more than once."""
        if self._screen is not None:
            self._screen.close()
            self._screen = None

    # -- the game's course

    def _begin(self, seed: int | None) -> None:
        """Seed where asked to, and set up a new game."""
        if seed is not None or self.np_random is None:
            self.np_random, self.np_random_seed = seeding.np_random(seed)
        self._episode = int(self.np_random.integers(2**63))
        self._rng = new_generator(self._episode)
        self._set_up_stepper()
        self.games_begun += 1
        self._played = []
        self._state = self.forward_model.reset(self._rng)
        self._spare = np.empty_like(self._state)
        self._past, self._past_rng = [self._state.copy()], self._rng.copy()
        self._movers = self.forward_model.movers(self._state)
        if not self._movers:
            raise RulesError(f"{self}: nobody is to move in the opening position")
        self._finished = set()
        self.agents = list(self.possible_agents)

    def _advance(
        self, joint_action: list[int]
    ) -> tuple[dict[str, float], list[str], np.ndarray]:
        """Let all movers act at once.

        Args:
            joint_action: One action a player, -1 for those who do not move; it is on
                the stepper's exchange already.

        Returns:
            The rewards that are paid, who finished, and what was seen (`_blank`).

        Raises:
            ValueError: An action that is not legal; nothing has changed then.
        """
        stepper, before = self._stepper, self._state
        after = self._spare  # two states take turns
        seen = np.empty(self._seen_size, np.int8)
        try:
            movers = stepper.step_all(before, after, seen)
        except Exception as error:
            raise_explained(self.forward_model, error, before)
            raise
        if movers < 0:
            player = -1 - movers
            self._checked_action(player, joint_action[player])  # says what is wrong
        self._state, self._spare = after, before
        self._played.append(joint_action)
        self._movers = players_in(movers)
        if movers == 0 or stepper.exchange[HAS_NEWS] or self._pays_officially:
            return *self._settle(), seen
        return {}, [], seen

    def _settle(self) -> tuple[dict[str, float], list[str]]:
        """Return the rewards that are paid now, and who has finished."""
        rewards: dict[str, float] = {}
        finished: list[str] = []
        results = self._stepper.exchange[FIRST_ACTION + len(self.possible_agents) :]
        for player, result in enumerate(results.tolist()):
            is_out = result != PLAYING and not self._pays_officially
            if (is_out or not self._movers) and player not in self._finished:
                self._finished.add(player)
                finished.append(self.possible_agents[player])
                if not 0 <= result < len(REWARDS):
                    raise wrong_result(self.forward_model, player, result)
                rewards[finished[-1]] = REWARDS[result]
        if self._pays_officially:
            paid = self.game.official_rewards(self.forward_model, self._state)
            rewards = dict(zip(self.possible_agents, map(float, paid), strict=True))
        return rewards, finished

    def _set_up_stepper(self) -> None:
        self._stepper = None
        if self._rng is not None:
            self._stepper = Stepper(self.forward_model, self._rng)
            if self.forward_model.copies_environments:
                self._stepper = _RaisingStepper(self.forward_model, self._stepper)

    def _blank(self) -> np.ndarray:
        """Return room for each player's observation and action mask."""
        return np.empty(self._seen_size, np.int8)

    def _undecided(self) -> tuple[int, ...]:
        """The players who have a decision to make now."""
        return self._movers

    def _is_over(self) -> bool:
        return not self._movers

    def _current_state(self) -> np.ndarray:
        if self._state is None:
            raise RuntimeError(f"{self}: call reset() first")
        return self._state

    def _player(self, agent: str) -> int:
        number = self._numbers.get(agent)
        if number is None:
            raise ValueError(
                f"{self} has no agent {agent!r}; its agents are "
                f"{', '.join(self.possible_agents)}"
            )
        return number

    def _observation(self, player: int, asked: bool) -> dict[str, np.ndarray]:
        """What a player sees, with its legal actions if it is asked for one."""
        state = self._current_state()
        mask = np.zeros(self.forward_model.actions, np.int8)
        if asked:
            mask[self.forward_model.legal_actions(state, player)] = 1
        return {
            "observation": self.forward_model.observe(state, player),
            "action_mask": mask,
        }

    def _checked_action(self, player: int, action: Any) -> int:
        """Return a legal action as an int, or say what would have been legal."""
        legal = self.forward_model.legal_actions(self._current_state(), player)
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if number in legal:
            return number
        known = 0 <= number < self.forward_model.actions
        named = f" ({self.action_name(number)})" if known else ""
        shown = [f"{a} ({self.action_name(a)})" for a in legal[:LEGAL_ACTIONS_NAMED]]
        more = len(legal) - len(shown)
        raise ValueError(
            f"{self}: action {action!r}{named} of {self.possible_agents[player]} is "
            + ("not legal" if known else f"not in 0..{self.forward_model.actions - 1}")
            + f"; legal: {', '.join(shown)}"
            + (f" and {more} more" if more else "")
        )

    # -- copies

    def __copy__(self) -> "GameEnvironment":
        # Sharing any part would let a step of one environment change the other.
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> "GameEnvironment":
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        for name, value in vars(self).items():
            if name in ("_screen", "_stepper"):
                value = None
            elif name in ("_played", "_past"):
                value = list(value)  # their entries never change
            elif name not in _SHARED:
                value = copy.deepcopy(value, memo)
            vars(twin)[name] = value
        twin._set_up_stepper()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        attributes = {**vars(self), "_screen": None, "_stepper": None}
        del attributes["forward_model"]
        # A game of this package is found again by its name, with its compiled rules.
        if self.game.name in GAMES and load_game(self.game.name) is self.game:
            attributes["game"] = self.game.name
        return {"attributes": attributes, "variant": self.forward_model.variant}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state["attributes"])
        if isinstance(self.game, str):
            self.game = load_game(self.game)
        self.forward_model = self.game.rules.model(**state["variant"])
        self._set_up_stepper()
