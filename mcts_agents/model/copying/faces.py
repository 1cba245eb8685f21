"""`Face`: three kinds of environments (AEC, parallel, Gymnasium) seen alike.

A face holds one environment, live or a copy, and answers what a forward model asks:
who moves, which actions are legal, what a step earns. Actions are numbers (`actions`
says which); those of Discrete spaces from 0 are the spaces' own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model import clock
from mcts_agents.model.copying.actions import ProposedNumbers, numbers_of
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.rewards import finite_reward
from mcts_agents.model.copying.uncached import without_caches
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import (
    observation_without_mask,
    space_without_mask,
)

# A return beyond this, or its square, would overflow in a search's sums.
GREATEST_RETURN = 1e100

# What rewards usually are. So small ones cannot take a return out of its range: it
# would need as many of them as no game has steps.
COMMON = 1e80
NUMBERS = (float, int, np.float64)

# Modules whose wrappers unpack what a step returns.
WRAPPERS = (
    "gymnasium.core",
    "gymnasium.wrappers.",
    "pettingzoo.utils.",
    "mcts_agents.",
)

Alike = Callable[[], AbstractContextManager[Any]]
Compared = Iterator[tuple[str, Any]]

# Legal actions that have to be asked for one by one; see `Face.situation`.
NO_RANGE = 0, -1
BITS = -2
LISTED = -3
# How many can be listed.
MOST_LISTED = 256
NOBODY = (0, *NO_RANGE)


def listed(
    player: int, legal: list[int], known: dict[int, list[int]]
) -> tuple[int, int, int]:
    """Return the situation of a player who alone decides, with its legal actions."""
    if not 0 < len(legal) <= MOST_LISTED:
        return 1 << player, *NO_RANGE
    known[player] = legal
    return 1 << player, len(legal), LISTED


class UndeclaredMasksError(ValueError):
    """Masks appear where neither a space nor what was seen before has announced them.

    Until then actions that are not legal counted as legal.
    """


class MasksSeen:
    """What plans have seen of the masks of an environment that need not be declared.

    Args:
        players: Number of players.

    Attributes:
        has_shown: By player, whether observing shows a mask that nothing else does, in
            the observation or in the infos, which it fills.
        trials: By player, how often it was tried in copies whether it fills them.
    """

    def __init__(self, players: int):
        self.has_shown = [False] * players
        self.trials = [0] * players


class _Places(dict[str, int]):
    """Numbers of agents; raises ValueError for one that is not among them."""

    def __init__(self, name: str, agents: list[str]):
        super().__init__((agent, player) for player, agent in enumerate(agents))
        self._name = name

    def __missing__(self, agent: str) -> int:
        raise ValueError(
            f"{self._name} names {agent!r}, who is not in possible_agents "
            f"({', '.join(map(str, self))}); list every agent that can appear"
        )


class Face(ABC):
    """One environment as a forward model sees it.

    Args:
        env: The environment.
        agents: Names of all agents; a player's number is its place.
        options: What its user says of it; nothing by default.

    Attributes:
        env: The environment.
        name: Its name, for messages.
        agents: Names of all agents; a player's number is its place.
        numbers: The numbers of each player's actions.
        actions: One more than the greatest number of any player.
        masks_seen: What has been seen of masks, in any plan; the faces of a model
            share this.
    """

    _shown: Any = None

    # Whether it asks a live environment itself for masks or observations, and not a
    # copy of it.
    asks_live = False

    def __init__(self, env: Any, agents: list[str], options: CopyOptions | None):
        self.env = env
        self.agents = agents
        self.name = name_of(env)
        self._places = _Places(self.name, agents)
        continuous = None if options is None else options.continuous
        self.numbers = [
            numbers_of(
                self._action_space(agent),
                f"{self.name}: the action space of {agent}",
                continuous,
            )
            for agent in agents
        ]
        self.actions = max(numbers.limit for numbers in self.numbers)
        # Of agents without a mask; nobody changes these lists.
        self._whole_spaces = [
            [] if isinstance(n, ProposedNumbers) else list(range(n.first, n.limit))
            for n in self.numbers
        ]
        self._ranges = [
            NO_RANGE if isinstance(n, ProposedNumbers) else (n.first, n.limit - n.first)
            for n in self.numbers
        ]
        self.masks_seen = MasksSeen(len(agents))
        self._masks_of = [f"{self.name}: the mask of {agent}" for agent in agents]
        # Both are replaced and never changed, because copies of a face share them.
        self._given: dict[int, np.ndarray] = {}
        self._proposed: dict[int, np.ndarray] = {}
        self._proposing_seed = 0

    @abstractmethod
    def _action_space(self, agent: str) -> spaces.Space:
        """Return the action space of one agent."""

    def action_spaces(self) -> list[spaces.Space]:
        """Return the action space of each player."""
        return [numbers.space for numbers in self.numbers]

    @abstractmethod
    def movers(self) -> list[int]:
        """Return the players who decide now, none when the environment is done."""

    def movers_mask(self) -> int:
        """Return the players who decide now as a bit mask."""
        return sum(1 << player for player in self.movers())

    def step_one(
        self,
        player: int,
        action: int,
        returns: list[float],
        known: dict[int, list[int]],
    ) -> tuple[int, int, int]:
        """Let the only mover act, see `step`; return the `situation` after it."""
        joint_action = [-1] * len(self.agents)
        joint_action[player] = action
        self.step(joint_action, returns)
        return self.situation(known)

    @abstractmethod
    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Let the movers act; add what each player earns to `returns`."""

    def play(
        self,
        draws: Iterator[int],
        returns: list[float],
        limit: int,
        watch: clock.Watch | None,
        known: Mapping[int, list[int]],
    ) -> int:
        """Play at random as long as that is plain; return how many actions were played.

        Most of what a rollout takes besides the environment's own steps is asking what
        hardly ever changes: who moves, whether there are masks, of which kind. Kinds of
        environments that can do without have a loop of their own. It ends before any
        situation that is not plain, and nothing is drawn for that.

        Args:
            draws: Random numbers of 32 bits.
            returns: What each player earned so far, added to.
            limit: The most actions.
            watch: Of the search; it ends the loop when its time is up.
            known: Legal actions, of players of whom they are known.
        """
        return 0

    @abstractmethod
    def restart(self, seed: int) -> None:
        """Reset the environment, a copy, and begin a new game."""

    def _earn(self, rewards: Mapping[str, Any], returns: list[float]) -> None:
        """Add each agent's reward to its return.

        Raises:
            ValueError: A reward is no finite number, or a return leaves the range in
                which a search can compute; or they are those of nobody.
        """
        if not isinstance(rewards, Mapping):
            raise ValueError(
                f"{self.name}: the rewards are {rewards!r}, expected a dictionary of "
                "one for each agent"
            )
        for agent, reward in rewards.items():
            player = self._place(agent)
            if type(reward) in NUMBERS and -COMMON <= reward <= COMMON:
                returns[player] += reward
                continue
            earned = finite_reward(reward, f"{self.name}: the reward of {agent}")
            total = float(returns[player]) + earned
            if abs(total) > GREATEST_RETURN:
                raise ValueError(
                    f"{self.name}: the rewards of {agent} add up to {total} (the last "
                    f"one is {reward!r}); planning needs returns from "
                    f"-{GREATEST_RETURN:g} to {GREATEST_RETURN:g}"
                )
            returns[player] = total

    def _place(self, agent: str) -> int:
        """Return the number of an agent that the environment names.

        Raises:
            ValueError: It is none of those that there may be.
        """
        return self._places[agent]

    @abstractmethod
    def mask_of(self, player: int) -> Any:
        """Return the mask of a player's actions if the environment shows one."""

    def shown(self) -> Any:
        """Return what the last step or `restart` has shown to those who decide now.

        The environment may fill the same arrays again in its next step.
        """
        return self._shown

    def may_miss_masks(self) -> bool:
        """Whether masks may appear that nobody looks for until `shown` is called."""
        return False

    def take_masks_seen(self, seen: MasksSeen) -> None:
        """Take what earlier plans have seen of masks."""
        self.masks_seen = seen

    def deciding_apart(self) -> "Face":
        """Return the same face, whose copies decide by themselves whom to observe."""
        return self

    def show(self, shown: Any) -> None:
        """Take what somebody else's last step was shown."""
        self._shown = shown

    @abstractmethod
    def _shown_to(self, player: int) -> Any:
        """Return what the environment shows to a player, None if it cannot tell."""

    def observation(self, player: int) -> Any:
        """Return what the environment shows to a player, without its mask.

        Raises:
            ValueError: It shows that only to those who step it.
        """
        shown = self._shown_to(player)
        if shown is None:
            raise ValueError(
                f"{self.name}: its current observation is available only in the return "
                "value of reset() or step(); wrap the environment before reset: env = "
                "mcts_agents.remember(env)"
            )
        return observation_without_mask(shown)

    @abstractmethod
    def _observation_space(self, agent: str) -> spaces.Space:
        """Return the observation space of one agent."""

    def observation_space(self, player: int) -> spaces.Space:
        """Return the space of what `observation` returns."""
        return space_without_mask(self._observation_space(self.agents[player]))

    def checked_mask(self, player: int) -> np.ndarray | None:
        """Return the mask of a player's actions, or None; see `ActionNumbers.flat`.

        Raises:
            ValueError: It is no mask of the player's action space.
        """
        if player in self._given:
            return self._given[player]
        return self._flat(player, self.mask_of(player))

    def _flat(self, player: int, mask: Any) -> np.ndarray | None:
        """Return a mask that the environment shows in the shape that masks have here.

        Raises:
            ValueError: It is no mask of the player's action space.
        """
        if mask is None:
            return None
        return self.numbers[player].flat(mask, self._masks_of[player])

    def give_masks(self, masks: Mapping[str, Any]) -> None:
        """Take masks of the coming decision that somebody else was shown.

        Raises:
            ValueError: An agent that does not exist, something that is no mask of its
                action space, or another mask than the environment shows itself.
        """
        given = {}
        for agent, mask in masks.items():
            if agent not in self.agents:
                raise ValueError(
                    f"{self.name}: action_mask names {agent!r}; the agents are "
                    f"{', '.join(map(str, self.agents))}"
                )
            player = self.agents.index(agent)
            whose = f"{self.name}: the action_mask given for {agent}"
            flat = self.numbers[player].flat(mask, whose)
            own = self.checked_mask(player)
            wrong = [] if own is None else np.flatnonzero((flat != 0) != (own != 0))
            if len(wrong):
                raise ValueError(
                    f"{whose} is {mask!r}; the environment's own mask differs from it "
                    f"at index {wrong[0]}; leave action_mask out"
                )
            given[player] = flat
        self._given = given

    def take_given(self, live: "Face") -> None:
        """Take the masks that somebody gave to the face of which this is a copy."""
        self._given = live._given

    def forget_others(self, player: int) -> None:
        """Forget what others were shown in the live environment.

        What they know was resampled, and a player must not plan with what is true.

        Raises:
            ValueError: Nothing tells what they may do instead.
        """
        self._given = {p: mask for p, mask in self._given.items() if p == player}

    def require_masks(self) -> None:  # noqa: B027
        """Raise ValueError if masks that there are cannot be had before a step."""

    def legal_actions(self, player: int) -> list[int]:
        """Return a player's legal actions; all of its space where no mask is shown.

        Raises:
            ValueError: What is shown is no mask of the player's action space, or
                leaves no action.
        """
        numbers = self.numbers[player]
        if isinstance(numbers, ProposedNumbers):
            return list(range(len(self._proposals(player, numbers))))
        mask = self.checked_mask(player)
        if mask is None:
            return self._whole_spaces[player]
        first = numbers.first
        legal = mask.nonzero()[0].tolist()
        if not legal:
            raise ValueError(
                f"{self.name}: the mask of {self.agents[player]} contains only zeros, "
                "although it is to decide"
            )
        return [action + first for action in legal] if first else legal

    def situation(self, known: dict[int, list[int]]) -> tuple[int, int, int]:
        """Return who decides, and what is legal for all of them.

        Asked after each step, so kinds of environments have a way of their own that
        asks for nothing twice.

        Args:
            known: Gets the legal actions, if looking for them has made an observation,
                or if they are listed.

        Returns:
            `movers_mask`. Then the first legal action and how many follow one another;
            or a bit mask of the legal actions and `BITS`; or how many of them are in
            `known` and `LISTED`; or `NO_RANGE` where movers may do different things, or
            where looking for it takes long.
        """
        return self.movers_mask(), *NO_RANGE

    def _proposals(self, player: int, numbers: ProposedNumbers) -> np.ndarray:
        """Return what the caller's function proposes in this state, asked once."""
        found = self._proposed.get(player)
        if found is None:
            agent, seed = self.agents[player], self._proposing_seed
            found = numbers.proposals(self.env, agent, seed)
            self._proposed = {**self._proposed, player: found}
        return found

    def action(self, player: int, number: int) -> Any:
        """Return what the environment's `step` takes for the number of an action.

        An array is new each time: a step may change the one that it was given.
        """
        numbers = self.numbers[player]
        if not numbers.are_coded:
            return number
        if isinstance(numbers, ProposedNumbers):
            return _row(self._proposals(player, numbers), number)
        return numbers.action(number)

    def decoder(self, player: int) -> Callable[[int], Any] | None:
        """Return what makes actions of numbers, also when this face is gone.

        None: the numbers are the actions.
        """
        numbers = self.numbers[player]
        if isinstance(numbers, ProposedNumbers):
            return partial(_row, self._proposals(player, numbers))
        return numbers.action if numbers.are_coded else None

    def settle_proposals(self, player: int) -> None:
        """Let all copies of this state number the player's proposals as this one."""
        self._proposed = {}
        numbers = self.numbers[player]
        if isinstance(numbers, ProposedNumbers):
            self._proposals(player, numbers)

    def _step_is_over(self) -> None:
        """Forget what held in the state before a step."""
        if self._given:
            self._given = {}
        if self._proposed:
            self._proposed = {}

    def game_over(self) -> RuntimeError:
        """Return the error of who asks for a decision after the end."""
        return RuntimeError(f"{self.name}: the game is over; call reset()")

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent that is to decide now.

        Raises:
            RuntimeError: The environment is done.
            ValueError: No agent is named where it must be, it does not exist, or it
                has no decision to make.
        """
        movers = self.movers()
        if not movers:
            raise self.game_over()
        deciding = ", ".join(str(self.agents[player]) for player in movers)
        if agent is None:
            if len(movers) > 1:
                raise ValueError(f"{self.name}: name the agent, one of {deciding}")
            return movers[0]
        if agent not in self.agents:
            raise ValueError(
                f"{self.name} has no agent {agent!r}; its agents are "
                f"{', '.join(map(str, self.agents))}"
            )
        if self.agents.index(agent) not in movers:
            raise ValueError(
                f"{self.name}: {agent} has no decision to make now, only {deciding}"
            )
        return self.agents.index(agent)

    def is_over(self) -> bool:
        """Whether nobody decides any more, as far as that is seen without masks."""
        return not self.movers()

    def clone(self, cloner: Cloner) -> "Face":
        """Return the same face of a copy of the environment."""
        return self.around(cloner.clone(self.env))

    def around(self, env: Any) -> "Face":
        """Return the same face of another environment of the same kind."""
        twin = object.__new__(type(self))
        twin.__dict__ = own = self.__dict__.copy()
        own["env"] = env
        return twin

    def difference(self, twin: "Face", alike: Alike = nullcontext) -> str | None:
        """Return what is different about a copy as players see it, None if nothing.

        Args:
            twin: The copy.
            alike: In its contexts all dice that both have in common fall alike.
        """
        with alike():
            mine = list(self._compared())
        with alike():
            others = list(twin._compared())
        for (name, own), (_, other) in zip(mine, others, strict=False):
            if found := first_difference(own, other, name):
                return found
        return None

    def _compared(self) -> Compared:
        """Give what a copy must say as well, each with a name; the first ones count."""
        movers = self.movers()
        masks = [self.checked_mask(player) for player in movers]
        yield "movers and masks", (movers, masks)

    def prepare(self, dice: np.random.Generator) -> None:
        """Make a first copy fit for planning: no pictures, no caches of copies."""
        without_pictures(self.env)
        for layer in layers(self.env):
            without_caches(layer, self.agents)
        if any(isinstance(numbers, ProposedNumbers) for numbers in self.numbers):
            self._proposing_seed = int(dice.integers(2**63))


def _row(proposals: np.ndarray, number: int) -> Any:
    """Return a copy of a proposal."""
    return proposals[number].copy()


def name_of(env: Any) -> str:
    """Return an environment's name in one line, for messages."""
    inner = getattr(env, "unwrapped", env)
    line = str(inner).strip().partition("\n")[0].rstrip(" :.")
    # What jumanji's environments say that have no name of their own.
    return type(inner).__name__ if line in ("", "Environment") else line


def without_pictures(env: Any) -> None:
    """Let an environment, a copy, and all that it wraps draw no pictures any more."""
    for layer in layers(env):
        if getattr(layer, "__dict__", {}).get("render_mode") is not None:
            layer.render_mode = None


def check_five(error: Exception, name: str, expected: str) -> None:
    """Raise ValueError if it is what `step` returned that could not be unpacked.

    Args:
        error: What was raised where a step was called.
        name: The environment.
        expected: What a step must return, in words.
    """
    place = error.__traceback__
    if not isinstance(error, TypeError | ValueError) or "unpack" not in str(error):
        return
    if place is not None and place.tb_next is not None:  # in the step itself
        while place.tb_next is not None:
            place = place.tb_next
        if not place.tb_frame.f_globals.get("__name__", "").startswith(WRAPPERS):
            return
    raise ValueError(
        f"{name}: step() must return five values: {expected} ({error})"
    ) from None


def require_reset(env: Any, made: str) -> None:
    """Raise RuntimeError unless a PettingZoo environment has what `reset` makes."""
    if not hasattr(env, made):
        raise RuntimeError(f"{env}: call reset() first")
