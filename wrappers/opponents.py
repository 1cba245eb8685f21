"""Opponents in the other seats: agents, specs, functions, and mixtures of them."""

import copy
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np

from mcts_agents.agents import (
    Agent,
    PolicyAgent,
    RandomAgent,
    agent_seed,
    make_agent,
)
from mcts_agents.agents.specs import resolve
from mcts_agents.model.actions import as_action, checked

# `(seated game, agent, observation, mask)`: the action of an agent who is asked.
Chooser = Callable[[Any, str, Any, np.ndarray], int]


class Mixture:
    """A mixture of opponents, sampled anew for each episode.

    With `Mixture((3, "random"), (1, "mcts:simulations=50"))`, three in four episodes
    are against random opponents. There is one draw for all seats. To draw for each seat
    separately, put mixtures into a sequence or a mapping of seats.

    Args:
        *parts: Pairs of a weight above 0 and opponents in any form that
            `SingleAgentEnv` takes.

    Raises:
        ValueError: No parts, one that is no pair, or a weight that is not a finite
            number above 0.
    """

    def __init__(self, *parts: tuple[float, Any]):
        if not parts:
            raise ValueError("Mixture(): expected pairs of a weight and opponents")
        for part in parts:
            if not isinstance(part, tuple | list) or len(part) != 2:
                raise ValueError(
                    f"Mixture: expected pairs of a weight and opponents, not {part!r}"
                )
            weight = part[0]
            if (
                isinstance(weight, bool)
                or not isinstance(weight, Real)
                or not 0 < weight < math.inf
            ):
                raise ValueError(
                    f"Mixture: weight {weight!r} is not a finite number above 0"
                )
        self.weights = tuple(float(weight) for weight, _ in parts)
        self.opponents = tuple(opponents for _, opponents in parts)

    def __repr__(self) -> str:
        parts = zip(self.weights, self.opponents, strict=True)
        return f"Mixture({', '.join(map(repr, parts))})"

    def draw(self, rng: random.Random) -> Any:
        """Sample one part of the mixture and return its opponents."""
        return rng.choices(self.opponents, self.weights)[0]


class Opponents:
    """The opponents of an environment, and their seats in an episode.

    Args:
        given: What `SingleAgentEnv` takes as `opponents`.
        names: All agents of the environment.
        starts: The least action of each agent.
        learners: Every seat that the learner may take.
        check: `(agent, seat)`: raises ValueError for an agent that cannot play there.

    Raises:
        ValueError: Opponents that do not match the seats, or are none.
    """

    def __init__(
        self,
        given: Any,
        names: Sequence[str],
        starts: Sequence[int],
        learners: Sequence[int],
        check: Callable[[Agent, int], None],
    ):
        self._names = list(names)
        self._starts = list(starts)
        self._learners = list(learners)
        self._given = self._read(given)
        checked = set()
        for learner in learners:
            for player, seat in self._possible(self._given, self._seats(learner)):
                if isinstance(player.plays, Agent) and (player, seat) not in checked:
                    checked.add((player, seat))
                    check(player.plays, seat)

    def sit_down(
        self, learner: int, episode: int, rng: random.Random
    ) -> dict[str, Chooser]:
        """Reset all agents and return a chooser for each seat except the learner's.

        Args:
            learner: The learner's seat.
            episode: Seed of the episode; the agents' seeds derive from it.
            rng: What mixtures and random opponents draw from.
        """
        seats = self._seats(learner)
        dealt = self._deal(self._given, seats, rng)
        return {
            self._names[seat]: player.chooser(seat, self._starts[seat], episode, rng)
            for seat, player in zip(seats, dealt, strict=True)
        }

    def _seats(self, learner: int) -> list[int]:
        return [seat for seat in range(len(self._names)) if seat != learner]

    # -- reading what was given

    def _read(self, given: Any) -> Any:
        """Make agents of specs, copy agents, and seats of names."""
        if isinstance(given, Mixture):
            parts = zip(given.weights, map(self._read, given.opponents), strict=True)
            return Mixture(*parts)
        if isinstance(given, Agent):
            # Others may hold it too, in another environment.
            return _Player(copy.deepcopy(given))
        if isinstance(given, str | PathLike) or _is_agent_mapping(given):
            if "seed" in resolve(given)[1]:
                raise ValueError(
                    f"opponents={given!r}: the opponents' seeds are derived from the "
                    "episode's seed; leave out seed"
                )
            return _Player(make_agent(given))
        if isinstance(given, Mapping):
            seats = {self._seat(name): self._read(one) for name, one in given.items()}
            if len(seats) < len(given):
                raise ValueError(f"opponents: a seat is given twice: {list(given)}")
            return seats
        if isinstance(given, Sequence):
            return [self._read(one) for one in given]
        if callable(given) and not isinstance(given, type):
            return _Player(given)
        raise ValueError(
            f"opponents={given!r}: expected an agent, a spec such as 'random', a "
            "function (observation, agent name) -> action, a Mixture, or a sequence or "
            "mapping of these"
        )

    def _seat(self, name: Any) -> int:
        if name in self._names:
            return self._names.index(name)
        number = as_action(name)
        if number is not None and 0 <= number < len(self._names):
            return number
        raise ValueError(
            f"opponents: no seat {name!r}; seats are 0 to {len(self._names) - 1}, or "
            f"{', '.join(self._names)}"
        )

    def _possible(
        self, given: Any, seats: list[int]
    ) -> Iterator[tuple["_Player", int]]:
        """Give every player with every seat that it may take; check the numbers."""
        if isinstance(given, Mixture):
            for part in given.opponents:
                yield from self._possible(part, seats)
        elif isinstance(given, list | dict):
            for player, seat in zip(self._in_seats(given, seats), seats, strict=True):
                if isinstance(player, list | dict):
                    raise ValueError(
                        f"opponents: several opponents for one seat: {player!r}"
                    )
                yield from self._possible(player, [seat])
        else:
            for seat in seats:
                yield given, seat

    def _in_seats(self, given: list | dict, seats: list[int]) -> list:
        names = ", ".join(self._names[seat] for seat in seats)
        if isinstance(given, dict):
            missing = [self._names[seat] for seat in seats if seat not in given]
            if missing:
                raise ValueError(
                    f"opponents: no opponent given for {', '.join(missing)}"
                )
            if len(self._learners) == 1 and self._learners[0] in given:
                learner = self._names[self._learners[0]]
                raise ValueError(
                    f"opponents: {learner} is the learner's seat and takes no opponent"
                )
            return [given[seat] for seat in seats]
        if len(given) != len(seats):
            raise ValueError(
                f"opponents: {len(given)} for {len(seats)} seats beside the learner's "
                f"({names})"
            )
        return given

    # -- an episode

    def _deal(self, given: Any, seats: list[int], rng: random.Random) -> list:
        if isinstance(given, Mixture):
            return self._deal(given.draw(rng), seats, rng)
        if isinstance(given, list | dict):
            players = self._in_seats(given, seats)
            return [
                self._deal(player, [seat], rng)[0]
                for player, seat in zip(players, seats, strict=True)
            ]
        return [given] * len(seats)


@dataclass(eq=False)
class _Player:
    """One opponent as it was given, and its agents in the seats that it has taken."""

    plays: Agent | Callable[[Any, str], Any]
    in_seat: dict[int, Agent] = field(default_factory=dict)

    def chooser(
        self, seat: int, start: int, episode: int, rng: random.Random
    ) -> Chooser:
        if type(self.plays) is RandomAgent:
            # The mask tells all that it looks at.
            return RandomChooser(rng, start)
        if not isinstance(self.plays, Agent):
            return FunctionChooser(self.plays, start)
        if seat not in self.in_seat:
            self.in_seat[seat] = copy.deepcopy(self.plays)
        agent = self.in_seat[seat]
        agent.reset(agent_seed(episode, seat))
        if isinstance(agent, PolicyAgent):
            return PolicyChooser(agent, start)
        return AgentChooser(agent, start)


class RandomChooser:
    """Chooses uniformly among the actions that the mask allows."""

    def __init__(self, rng: random.Random, start: int):
        self._rng = rng
        self._start = start

    def __call__(
        self, game: Any, agent: str, observation: Any, mask: np.ndarray
    ) -> int:
        """Return the action."""
        legal = mask.nonzero()[0]
        return int(legal[int(self._rng.random() * len(legal))]) + self._start


class AgentChooser:
    """Lets an agent choose, which sees of the environment what its player may see."""

    def __init__(self, agent: Agent, start: int):
        self._agent = agent
        self._start = start
        kinds = signature(agent.act).parameters.values()
        # Users' own agents may have an `act` that never heard of masks.
        self._takes_masks = any(
            one.name == "action_mask" or one.kind is Parameter.VAR_KEYWORD
            for one in kinds
        )

    def __call__(
        self, game: Any, agent: str, observation: Any, mask: np.ndarray
    ) -> int:
        """Return the action."""
        masks = game.masks_to_pass() if self._takes_masks else None
        given = {} if masks is None else {"action_mask": masks}
        action = self._agent.act(game.env, agent, **given)
        return checked(action, mask, self._start, f"{self._agent!r} as {agent}")


class PolicyChooser:
    """Lets a policy choose from what the environment has shown to its player."""

    def __init__(self, agent: PolicyAgent, start: int):
        self._agent = agent
        self._start = start

    def __call__(
        self, game: Any, agent: str, observation: Any, mask: np.ndarray
    ) -> int:
        """Return the action."""
        space = game.env.observation_space(agent)
        return self._agent.choose(observation, mask, space, self._start)


class FunctionChooser:
    """Lets a function of the observation choose, such as a trained policy."""

    def __init__(self, function: Callable[[Any, str], Any], start: int):
        self._function = function
        self._start = start

    def __call__(
        self, game: Any, agent: str, observation: Any, mask: np.ndarray
    ) -> int:
        """Return the action."""
        action = self._function(observation, agent)
        return checked(action, mask, self._start, f"{self._function!r} as {agent}")


def _is_agent_mapping(given: Any) -> bool:
    return isinstance(given, Mapping) and "agent" in given
