"""PettingZoo parallel environments as a forward model sees them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import Face, check_five, require_reset
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import mask_in, shows_masks

# What a step must return.
FIVE = (
    "observations, rewards, terminations, truncations and infos, each a dictionary "
    "with an entry for each agent"
)


class ParallelFace(Face):
    """A PettingZoo parallel environment.

    Masks lie in what `reset` and `step` return. Copies keep what their own steps
    returned; at the root, where the live environment gave it to somebody else, the
    caller passes it on, or it is asked of the environment's `observe` if it has one.
    Where neither is possible, and a copy's step then shows a mask, planning ends with
    an error. That `observe` showed none counts only if it shows those that steps do.

    Agents whose mask is empty wait: they are no movers, and their action is the first
    of their space.
    """

    def __init__(self, env: ParallelEnv, options: CopyOptions | None = None):
        require_reset(env, "agents")
        super().__init__(env, list(env.possible_agents), options)
        self._finished: frozenset[str] = frozenset()
        self._masks: dict[str, Any] = {}
        self._declare_masks = [
            shows_masks(env.observation_space(agent)) for agent in self.agents
        ]
        self._can_observe = observes(env)
        # Both are shared by the copies. By player: whether `observe` showed a mask at
        # the root, None if it was not asked; and of whom it shows what steps show.
        self._showed: list[bool | None] = [None] * len(self.agents)
        self._trusted: set[int] = set()
        self._at_root = True
        self._is_live = True
        self._forgets = False
        self._copied: ParallelEnv | None = None

    def require_masks(self) -> None:
        """See `Face.require_masks`."""
        if self._can_observe:
            return
        for player in map(self._place, self.env.agents):
            if self._declare_masks[player] and self.checked_mask(player) is None:
                raise self._masks_are_unknown()

    def forget_others(self, player: int) -> None:
        """See `Face.forget_others`; that somebody waits says nothing of what he knows.

        Others are asked anew, in the copy in which it was resampled.
        """
        forgotten = {}
        for agent in self.env.agents:
            other = self._place(agent)
            if other != player and (other in self._given or agent in self._masks):
                mask = self.checked_mask(other)
                if mask is not None and mask.any():
                    forgotten[other] = mask
        gone = {self.agents[other] for other in forgotten}
        self._can_observe, self._forgets = observes(self.env), True
        self._given = {p: m for p, m in self._given.items() if p not in forgotten}
        self._masks = {a: m for a, m in self._masks.items() if a not in gone}
        for other, mask in forgotten.items():
            if self.mask_of(other) is None:
                if not mask.all():
                    raise self._is_resampled(other)
                self._given[other] = mask  # it tells nothing
        if self._shown is not None:
            own = self.agents[player]
            self._shown = {a: seen for a, seen in self._shown.items() if a == own}

    def _is_resampled(self, player: int) -> ValueError:
        return ValueError(
            f"{self.name}: redeterminise has changed what {self.agents[player]} may "
            "know, and what it was shown is true; give the environment a method "
            "observe(agent), which shows observations and masks in the copy"
        )

    def _masks_are_unknown(self) -> ValueError:
        return ValueError(
            f"{self.name}: its action masks are only in the return values of reset() "
            "and step(), which a parallel environment does not store. Pass the latest "
            "masks of all agents: action_mask={name: seen['action_mask'] for name, "
            "seen in observations.items()} (or take them from infos; use an array of "
            "ones for an agent without a mask), or plan from its AEC form: "
            "pettingzoo.utils.parallel_to_aec(env)"
        )

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space(agent)

    def _observation_space(self, agent: str) -> spaces.Space:
        return self.env.observation_space(agent)

    def _shown_to(self, player: int) -> Any:
        agent = self.agents[player]
        if self._shown is not None and (agent in self._shown or not self._forgets):
            return self._shown.get(agent)
        if self._forgets and not self._can_observe:
            raise self._is_resampled(player)
        return self._observed(agent) if self._can_observe else None

    def _observed(self, agent: str) -> Any:
        """Return an observation, for which the live environment throws no dice."""
        env = self.env
        if self._is_live:
            if self._copied is None:
                try:
                    self._copied = Cloner().clone(env)
                except UncopyableEnvironmentError:
                    self._copied = env  # a search will say so, or replays it
            env = self._copied
        method = observing(env)
        assert method is not None
        return method(agent)

    def around(self, env: Any) -> Face:
        """See `Face.around`; a copy may be asked itself."""
        twin = super().around(env)
        twin.__dict__.update(_is_live=False, _copied=None)
        return twin

    def is_over(self) -> bool:
        """See `Face.is_over`."""
        return self._finished.issuperset(self.env.agents)

    def movers(self) -> list[int]:
        """Return all live agents, without those who wait for others."""
        live = [a for a in self.env.agents if a not in self._finished]
        players = [self._place(agent) for agent in live]
        deciding = [p for p in players if not self._waits(p)]
        return deciding or players

    def _waits(self, player: int) -> bool:
        mask = self.checked_mask(player)
        return mask is not None and not mask.any()

    def legal_actions(self, player: int) -> list[int]:
        """Return a player's legal actions; one who waits has one of no effect."""
        if self._waits(player):
            return [self.numbers[player].first]
        return super().legal_actions(player)

    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Let all live agents act."""
        actions = {}
        for agent in self.env.agents:
            player = self._place(agent)
            number = joint_action[player]
            if number < 0:
                number = self.numbers[player].first
            actions[agent] = self.action(player, number)
        try:
            observations, rewards, terminations, truncations, infos = self.env.step(
                actions
            )
        except Exception as error:
            check_five(error, self.name, FIVE)
            if not any(mask is not None for mask in self._masks.values()):
                given = self._given.values()
                if all(mask.all() for mask in given) and not any(self._showed):
                    remedy = to_pass("{agent: infos[agent]['action_mask'], ...}")
                    note_no_masks(error, self.name, remedy)
            raise
        self._earn(rewards, returns)
        for told in (observations, terminations, truncations, infos):
            if type(told) is not dict and not isinstance(told, Mapping):
                raise ValueError(
                    f"{self.name}: step() returned {told!r}; it must return five "
                    f"values: {FIVE}"
                )
        self._shown = observations
        # Who has gone may come again, and who comes may be over at once.
        here = self.env.agents
        over = {a for a in here if terminations.get(a) or truncations.get(a)}
        self._finished = self._finished.intersection(here) | over
        masks = {a: shown_mask(observations.get(a), infos.get(a)) for a in here}
        if self._at_root:
            # Those who leave may be told anything; but if all do, nobody else tells.
            for agent in here or actions:
                seen, told = mask_in(observations.get(agent)), mask_in(infos.get(agent))
                if agent in actions and (seen is not None or told is not None):
                    self._check_root(agent, seen is not None)
            self._at_root = False
        self._step_is_over()
        self._masks, self._forgets = masks, False

    def restart(self, seed: int) -> None:
        """See `Face.restart`."""
        observations, infos = self.env.reset(seed=seed)
        self._step_is_over()
        self._finished = frozenset()
        self._at_root = False
        self._shown = observations
        self._masks = {
            a: shown_mask(observations.get(a), infos.get(a)) for a in self.env.agents
        }

    def _check_root(self, agent: str, is_observed: bool) -> None:
        """Raise ValueError if an agent's mask was not known before the first step.

        Args:
            agent: One that was there before; the step has shown a mask to it.
            is_observed: Whether in its observation, and not only in its info.
        """
        player = self._place(agent)
        if player in self._given or self._showed[player] or player in self._trusted:
            return
        # Where all have gone, `observe` cannot be asked if it shows masks of infos.
        if self._showed[player] is None or not (self.env.agents or is_observed):
            raise self._masks_are_unknown()
        if agent in self._finished or agent not in self.env.agents:
            return  # many environments have no observation for those who are over
        # `observe` showed none. Was there none, or does it never show any? Another copy
        # is asked: whatever that counts or takes away must not be lost to this one.
        try:
            asked = self.clone(Cloner())
        except UncopyableEnvironmentError:
            asked = self
        if mask_in(asked._observed(agent)) is None:
            raise self._masks_are_unknown()
        self._trusted.add(player)

    def mask_of(self, player: int) -> Any:
        """Return the mask in the last observation, else the one in the last infos."""
        agent = self.agents[player]
        if agent in self._masks:
            return self._masks[agent]
        if not self._can_observe:
            return None
        if self._showed[player] is False and not self._declare_masks[player]:
            return None  # observations may be pictures
        mask = mask_in(self._observed(agent))
        self._showed[player] = mask is not None
        return mask


class SerialisedFace(ParallelFace):
    """A parallel environment that the live loop steps through PettingZoo's AEC form.

    The converter keeps the observations of the last full step, hence all masks that
    there are, and the actions of agents who were asked earlier, which nobody may see.
    """

    def __init__(
        self, converter: parallel_to_aec_wrapper, options: CopyOptions | None = None
    ):
        require_reset(converter, "agent_selection")
        self._asked: AECEnv | None = converter
        super().__init__(converter.env, options)
        self._can_observe = self._at_root = False
        self._shown = converter._observations
        self._masks = {
            a: shown_mask(converter._observations.get(a), converter.infos.get(a))
            for a in converter.env.agents
        }

    def require_masks(self) -> None:
        """See `Face.require_masks`; whoever was shown no mask has none."""

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent, by default the one that is asked now."""
        if agent is None and self._asked is not None and self.movers():
            agent = self._asked.agent_selection
        return super().player_of(agent)

    def clone(self, cloner: Cloner) -> Face:
        """Return a copy that has forgotten the converter and its pending actions."""
        twin = super().clone(cloner)
        twin.__dict__["_asked"] = None
        return twin


def observing(env: Any) -> Callable[[str], Any] | None:
    """Return the method `observe` of the outermost wrapper that has one.

    Wrappers may narrow masks, in what it returns too.
    """
    methods = (getattr(layer, "observe", None) for layer in layers(env))
    return next((method for method in methods if callable(method)), None)


def observes(env: Any) -> bool:
    """Return whether a method `observe(agent)` tells what an agent is shown.

    Only turn-based environments must have one, so elsewhere it may be something else.
    """
    method = observing(env)
    code = getattr(method, "__code__", None)
    if code is None:
        return callable(method)
    # What has a default need not be given.
    most = code.co_argcount
    least = most - len(getattr(method, "__defaults__", None) or ())
    named = len(getattr(method, "__kwdefaults__", None) or ())
    return least <= 2 <= most and code.co_kwonlyargcount == named


def note_no_masks(error: Exception, name: str, remedy: str) -> None:
    """Add what may be the reason where a step raises and no masks were seen.

    Args:
        error: What the step has raised.
        name: The environment.
        remedy: What to do if there are masks.
    """
    error.add_note(
        f"{name}: a copy raised this in a plan. No action mask was found, so every "
        "action of the action space was taken to be legal, as it was when the plan "
        f"began. {remedy}"
    )


def to_pass(masks: str) -> str:
    """Return the remedy where the caller can pass masks on: these."""
    return (
        "If reset() and step() return masks, pass the last on: "
        f"act(env, action_mask={masks})"
    )


def shown_mask(observation: Any, info: Any) -> Any:
    """Return a copy of the mask in an observation, else of the one in the info."""
    return kept_mask(seen_mask(observation, info))


def seen_mask(observation: Any, info: Any) -> Any:
    """Return the mask in an observation, else the one in the info.

    The environment may fill the same array again in its next step.
    """
    mask = mask_in(observation)
    return mask_in(info) if mask is None else mask


def kept_mask(mask: Any) -> Any:
    """Return a copy of a mask."""
    if isinstance(mask, tuple):
        return tuple([np.array(part) for part in mask])
    return None if mask is None else mask.copy()
