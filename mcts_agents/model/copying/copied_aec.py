"""PettingZoo AEC environments as a forward model sees them."""

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from mcts_agents.model import clock
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copied_parallel import note_no_masks
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import (
    BITS,
    NO_RANGE,
    NOBODY,
    NUMBERS,
    Compared,
    Face,
    MasksSeen,
    UndeclaredMasksError,
    listed,
    require_reset,
)
from mcts_agents.model.copying.guards import signal_has_raised
from mcts_agents.model.masks import LONGEST_KNOWN, PlainMasks, mask_in, shows_masks

# What PettingZoo asks of an AEC environment beside its observations.
BOOKKEEPING = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
)

# In how many plans it is tried in copies whether observing fills the infos.
TRIALS = 8

REMEDY = (
    "If there are masks, let the environment show them: in observe(agent), under "
    "'action_mask', or in infos[agent]['action_mask']"
)


class AECFace(Face):
    """A PettingZoo AEC environment without the wrappers that watch over it.

    Attributes:
        declares_masks: Whether an observation space has masks.
    """

    asks_live = True

    def __init__(self, env: AECEnv, options: CopyOptions | None = None):
        require_reset(env, "agent_selection")
        super().__init__(env, list(env.possible_agents), options)
        self.declares_masks = any(
            shows_masks(env.observation_space(agent)) for agent in self.agents
        )
        # By player: whom observing may show masks; copies share the list.
        self._observes_masks = [True] * len(self.agents)
        self._is_root = True  # where somebody may have observed already
        if self.declares_masks:
            self.masks_seen.has_shown = [True] * len(self.agents)
        self.take_masks_seen(self.masks_seen)
        # For `play`.
        self._is_plain = not any(n.are_coded or n.first for n in self.numbers)
        self._is_small = self._is_plain and self.actions <= LONGEST_KNOWN
        self._plain_masks = [PlainMasks(numbers.limit) for numbers in self.numbers]
        # The usual rewards of a step.
        self._nothing = dict.fromkeys(self.agents, 0)
        # For `situation`, by player: no mask, and whatever has to be asked for.
        self._free = [(1 << p, *span) for p, span in enumerate(self._ranges)]
        self._unknown = [(1 << p, *NO_RANGE) for p in range(len(self.agents))]

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space(agent)

    def _observation_space(self, agent: str) -> spaces.Space:
        return self.env.observation_space(agent)

    def _shown_to(self, player: int) -> Any:
        return self.env.observe(self.agents[player])

    def movers(self) -> list[int]:
        """Return the selected agent, none when all have finished."""
        env = self.env
        if not env.agents:
            return []
        agent = env.agent_selection
        try:
            if env.terminations[agent] or env.truncations[agent]:
                return []
            return [self._places[agent]]
        except KeyError:
            raise self._selects_nobody() from None

    def _selects_nobody(self) -> RuntimeError:
        env = self.env
        return RuntimeError(
            f"{self.name}: agent_selection is {env.agent_selection!r}; it must name "
            f"one of the agents ({', '.join(map(str, env.agents))}), and terminations "
            "and truncations must have an entry for it"
        )

    def movers_mask(self) -> int:
        """See `Face.movers_mask`."""
        env = self.env
        if not env.agents:
            return 0
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return 0
        return 1 << self._places[agent]

    def situation(self, known: dict[int, list[int]]) -> tuple[int, int, int]:
        """See `Face.situation`."""
        env = self.env
        if not env.agents:
            return NOBODY
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return NOBODY
        return self._situation_of(agent, known)

    def _situation_of(
        self, agent: str, known: dict[int, list[int]]
    ) -> tuple[int, int, int]:
        """Return the situation in which an agent decides, who has not finished."""
        player = self._places[agent]
        observes = self._observes_masks[player]
        if self._given:
            has_none = not observes and self.checked_mask(player) is None
            return self._free[player] if has_none else self._unknown[player]
        # Whoever gets here will be asked next; large observations may wait until then.
        if observes:
            if not (self._is_small and self.has_shown[player]):
                return self._unknown[player]
            shown = self.env.observe(agent)
            mask = shown.get("action_mask") if isinstance(shown, dict) else None
            if type(mask) is not np.ndarray:
                mask = mask_in(shown)
            if mask is None:
                mask = mask_in(self.env.infos.get(agent))
        else:
            info = self.env.infos.get(agent)
            mask = mask_in(info) if info else None
            if mask is None:
                return self._free[player]
            if not self._is_small:
                legal = self._plain_masks[player].legal(mask) if self._is_plain else []
                return listed(player, legal or [], known)
        plain, found = self._plain_masks[player], None
        if type(mask) is np.ndarray and mask.shape == plain.shape:
            found = plain.known.get(mask.tobytes()) or plain.read(mask)
        if found is None or not found[1]:
            return self._unknown[player]
        known[player] = found[0]
        return 1 << player, found[1], BITS

    def _is_finished(self, agent: str) -> bool:
        return self.env.terminations[agent] or self.env.truncations[agent]

    def is_over(self) -> bool:
        """See `Face.is_over`; one of several agents may have finished."""
        return not self.movers() and all(map(self._is_finished, self.env.agents))

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent; see `Face.player_of`."""
        env = self.env
        if not (self.movers() or self.is_over()):
            raise ValueError(
                f"{self.name}: {env.agent_selection} has finished and has no decision "
                "to make; step(None) lets the others continue"
            )
        return super().player_of(agent)

    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Let the selected agent act; finished agents are stepped out of the way."""
        player = self._places[self.env.agent_selection]
        self._step(player, joint_action[player], returns)

    def step_one(
        self,
        player: int,
        action: int,
        returns: list[float],
        known: dict[int, list[int]],
    ) -> tuple[int, int, int]:
        """See `Face.step_one`."""
        agent = self._step(player, action, returns)
        return NOBODY if agent is None else self._situation_of(agent, known)

    def _step(self, player: int, action: int, returns: list[float]) -> str | None:
        """Let a player act; return the agent who decides next, None if it is over."""
        env = self.env
        self._is_root = False
        observes = self._observes_masks[player]
        info = None if observes else env.infos.get(self.agents[player])
        try:
            env.step(action if self._is_plain else self.action(player, action))
        except Exception as error:
            if not (self._given or observes) and mask_in(info) is None:
                note_no_masks(error, self.name, REMEDY)
            raise
        if self._given or self._proposed:
            self._step_is_over()
        try:
            is_paid = not env.rewards == self._nothing
        except Exception:  # arrays, for example, are not simply equal
            if signal_has_raised():
                raise
            is_paid = True
        if is_paid:
            self._pay(returns)
        if not env.agents:
            return None
        agent = env.agent_selection
        try:
            is_over = env.terminations[agent] or env.truncations[agent]
        except KeyError:
            raise self._selects_nobody() from None
        if is_over:
            self._step_out()
            return env.agent_selection if self.movers_mask() else None
        return agent

    def _pay(self, returns: list[float]) -> None:
        """Add what the last step paid, if it paid anything; see `_earn`."""
        rewards = self.env.rewards
        values = rewards.values() if isinstance(rewards, Mapping) else (None,)
        for reward in values:
            if type(reward) not in NUMBERS or reward:
                self._earn(rewards, returns)
                return

    def _step_out(self) -> None:
        """Step finished agents out of the way of those who play on."""
        env = self.env
        for _ in self.agents:
            if not env.agents:
                return
            if env.agent_selection not in env.terminations:
                raise RuntimeError(
                    f"{self.name}: agent_selection is {env.agent_selection!r}, which "
                    "step(None) has removed; it must name one of those who are left "
                    f"({', '.join(map(str, env.agents))})"
                )
            if not self._is_finished(env.agent_selection):
                return
            for agent in env.agents:
                if not (env.terminations[agent] or env.truncations[agent]):
                    break  # who plays on
            else:
                return
            env.step(None)
        if self._is_finished(env.agent_selection):
            raise RuntimeError(
                f"{self.name}: {env.agent_selection} has finished, but step(None) does "
                "not remove it"
            )

    def play(
        self,
        draws: Iterator[int],
        returns: list[float],
        limit: int,
        watch: clock.Watch | None,
        known: Mapping[int, list[int]],
    ) -> int:
        """See `Face.play`; plain are numbers as actions, and masks of bytes."""
        env, places = self.env, self._places
        is_plain = self._is_plain and not (self._proposed or self._given)
        if limit <= 0 or not (is_plain and self.movers_mask()):
            return 0
        self._is_root = False
        step, observe, played = env.step, env.observe, 0
        observes, masks, array = self._observes_masks, self._plain_masks, np.ndarray
        has_shown, nothing = self.has_shown, self._nothing
        flags, look = ((0,), None) if watch is None else watch.in_a_loop()
        agent = env.agent_selection
        player = places[agent]
        legal = known.get(player) or self._plain_legal(player, agent)
        while legal:
            try:
                step(legal[next(draws) * len(legal) >> 32])
            except Exception as error:
                if legal is self._whole_spaces[places[agent]]:
                    note_no_masks(error, self.name, REMEDY)
                raise
            played += 1
            try:
                is_paid = not env.rewards == nothing
            except Exception:  # arrays, for example, are not simply equal
                if signal_has_raised():
                    raise
                is_paid = True
            if is_paid:
                self._pay(returns)
            agent = env.agent_selection
            try:
                is_over = (
                    not env.agents or env.terminations[agent] or env.truncations[agent]
                )
            except KeyError:
                raise self._selects_nobody() from None
            if is_over:
                if env.agents:
                    self._step_out()
                if not self.movers_mask():
                    return played
                agent = env.agent_selection
            if played == limit or flags[0] or (look is not None and look()):
                return played
            player = places[agent]
            # Here, as calls of functions take as long as what they would do.
            observed, plain = observes[player], masks[player]
            if observed and not has_shown[player]:
                return played
            shown = observe(agent) if observed else env.infos.get(agent)
            mask = shown.get("action_mask") if isinstance(shown, dict) else None
            if type(mask) is array and mask.shape == plain.shape:
                read = plain.known.get(mask.tobytes()) if plain.known else None
                legal = read[0] if read else plain.legal(mask)
            elif mask is None and not observed:
                legal = self._whole_spaces[player]
            else:
                mask = mask_in(shown)
                if mask is None:
                    mask = mask_in(env.infos.get(agent))
                legal = plain.legal(mask)
        return played

    def _plain_legal(self, player: int, agent: str) -> list[int] | None:
        """Return the legal actions, None if they have to be looked at more closely."""
        if self._given:
            return None
        if self._observes_masks[player]:
            if not self.has_shown[player]:
                return None  # see `_look`
            shown = self.env.observe(agent)
            mask = shown.get("action_mask") if isinstance(shown, dict) else None
            if mask is None:
                mask = mask_in(self.env.infos.get(agent))
        else:
            info = self.env.infos.get(agent)
            mask = mask_in(info) if info else None
            if mask is None:
                return self._whole_spaces[player]
        return self._plain_masks[player].legal(mask)

    def legal_actions(self, player: int) -> list[int]:
        """See `Face.legal_actions`."""
        if self._is_plain:
            legal = self._plain_legal(player, self.agents[player])
            if legal:
                return legal
        return super().legal_actions(player)

    def restart(self, seed: int) -> None:
        """See `Face.restart`.

        What a plan knows of masks holds where it began; here each is looked for.
        """
        self.env.reset(seed=seed)
        self._step_is_over()
        self._observes_masks = [True] * len(self.agents)
        seen = MasksSeen(len(self.agents))
        seen.has_shown = [True] * len(self.agents)
        self.take_masks_seen(seen)

    def take_masks_seen(self, seen: MasksSeen) -> None:
        """See `Face.take_masks_seen`."""
        self.masks_seen, self.has_shown = seen, seen.has_shown

    def deciding_apart(self) -> Face:
        """See `Face.deciding_apart`.

        What it sees is seen for all: who has shown a mask is observed from then on.
        """
        twin = self.around(self.env)
        seen = MasksSeen(len(self.agents))
        seen.has_shown, seen.trials = self.has_shown, self.masks_seen.trials.copy()
        twin.__dict__["_observes_masks"] = self._observes_masks.copy()
        twin.__dict__["masks_seen"] = seen
        return twin

    def shown(self) -> Any:
        """Return the selected agent's observation and what it has earned.

        An agent who has finished is asked for no observation: many environments have
        none for it.

        Raises:
            UndeclaredMasksError: It shows a mask, which nobody would have looked for,
                and the infos do not show the same; or they do only after it was asked.
        """
        env = self.env
        if not env.agents:
            return None
        agent = env.agent_selection
        earned = env._cumulative_rewards.get(agent)
        if self._is_finished(agent):
            return agent, None, earned, dict(env.terminations)
        player = self._places[agent]
        if self._observes_masks[player]:
            seen = (
                env.observe(agent) if self.has_shown[player] else self._look(player)[0]
            )
            return agent, seen, earned, dict(env.terminations)
        told = copy.deepcopy(self._told(agent))
        seen = env.observe(agent)
        if self._misses(mask_in(seen), player):
            raise UndeclaredMasksError(
                f"{self.name}: observe({agent!r}) shows a mask now and did not when "
                "the plan began, and observation_space does not say that it may. Let "
                "observation_space(agent) be a Dict with 'action_mask', or show the "
                "same masks in infos[agent]['action_mask']"
            )
        if first_difference(told, self._told(agent)) is not None:
            # Next time it is known.
            self._observes_masks[player] = self.has_shown[player] = True
            raise UndeclaredMasksError(
                f"{self.name}: observe({agent!r}) changes the mask in "
                f"infos[{agent!r}], so that legal actions are not known before. Set it "
                "in reset() and step()"
            )
        return agent, seen, earned, dict(env.terminations)

    def _told(self, agent: str) -> Any:
        """Return the mask in an agent's infos as it is, None if there is none."""
        info = self.env.infos.get(agent)
        return info.get("action_mask") if isinstance(info, dict) else None

    def _misses(self, mask: Any, player: int) -> bool:
        """Whether a mask says more than the infos, all that this player is asked."""
        if mask is None:
            return False
        told = mask_in(self.env.infos.get(self.agents[player]))
        flat, whose = self.numbers[player].flat, self._masks_of[player]
        return told is None or not np.array_equal(flat(mask, whose), flat(told, whose))

    def may_miss_masks(self) -> bool:
        """See `Face.may_miss_masks`."""
        return not self.declares_masks

    def mask_of(self, player: int) -> Any:
        """Return the mask in the observation, else the one in the infos."""
        if self._observes_masks[player]:
            return self._look(player)[1]
        return mask_in(self.env.infos.get(self.agents[player]))

    def _look(self, player: int) -> tuple[Any, Any]:
        """Return an agent's observation, and the mask in it, else that in its infos.

        Some environments fill the infos when they are observed: `last` observes before
        it reads them. Some do so in a first look only, and of the root there may have
        been one before. So it is decided after a step whether to go on observing.
        """
        agent, has_shown = self.agents[player], self.has_shown
        told, again = self._told(agent), self._told(agent)
        decides = agent == self.env.agent_selection
        decides = decides and not (self._is_root and told is not None)
        if decides and told is not None and not has_shown[player]:
            trials = self.masks_seen.trials
            if self._observes_masks[player] and trials[player] < TRIALS:
                fills = self._fills(agent)
                decides = fills is not None
                trials[player] += decides
                has_shown[player] = bool(fills)
        before = copy.deepcopy(told)
        seen = self.env.observe(agent)
        mask, after = mask_in(seen), self._told(agent)
        is_new = told is again and after is not told  # not made anew at each access
        if mask is not None or is_new or first_difference(before, after) is not None:
            has_shown[player] = True
        # Observations may be pictures: do not have them made for nothing. Those of
        # agents who are not asked now may show no mask although they will.
        if decides:
            self._observes_masks[player] = has_shown[player]
        return seen, mask_in(self.env.infos.get(agent)) if mask is None else mask

    def _fills(self, agent: str) -> bool | None:
        """Whether observing an agent writes the mask in its infos, also the same one.

        Tried in copies: with a mask of fewer actions in the place of the one that lies
        there, and with that written into it. Masks of other kinds than arrays, lists
        and tuples of these are not tried: it may be so.
        None: that can be found out only where several actions are legal.
        """
        try:
            mine = self._told(agent)
            parts = mine if isinstance(mine, tuple) else (mine,)
            if not all(isinstance(part, np.ndarray | list) for part in parts):
                return True
            # One action in a mask that is flat would leave other parts without any.
            if len(parts) < math.prod(self._action_space(agent).shape):
                return True
            wrong = _of_one_action(mine)
            if wrong is None:
                return None
            cloner = Cloner()
            twin = self.clone(cloner)
            if cloner.snapshots:
                return True  # all copies are one environment in turn
            info, told = twin.env.infos[agent], twin._told(agent)
            info["action_mask"] = wrong
            try:
                if twin._told(agent) is not wrong or twin._overwrites(agent):
                    return True
            finally:
                info["action_mask"] = told  # copies may share the dictionary
            twin = self.clone(Cloner())
            told = twin._told(agent)
            if _share(told, mine):
                return False  # copies share it, so nobody writes into it
            try:
                return _overwrite(told, wrong) and twin._overwrites(agent)
            finally:
                _overwrite(told, mine)  # which other copies may share
        except MemoryError:
            raise
        except Exception:  # whatever an environment raises that reads a wrong mask
            if signal_has_raised():
                raise
            return True

    def _overwrites(self, agent: str) -> bool:
        """Observe an agent; return whether that has written the mask in its infos."""
        told = self._told(agent)
        before = copy.deepcopy(told)
        self.env.observe(agent)
        after = self._told(agent)
        return after is not told or first_difference(before, after) is not None

    def _compared(self) -> Compared:
        """Compare PettingZoo's bookkeeping and observations too, each made once."""
        for name in BOOKKEEPING:
            yield name, getattr(self.env, name)
        movers, masks = self.movers(), []
        for player in movers:
            seen, mask = self._look(player)
            yield f"observe({self.agents[player]!r})", seen
            masks.append(self._flat(player, mask))
        yield "movers and masks", (movers, masks)


def _of_one_action(mask: Any) -> Any:
    """Return a new mask of the same kind, with the first of its ones only.

    Returns:
        None where there is no other one.
    """
    if isinstance(mask, tuple):
        parts = [_of_one_action(part) for part in mask]
        if all(part is None for part in parts):
            return None
        return tuple(
            copy.deepcopy(old) if new is None else new
            for old, new in zip(mask, parts, strict=True)
        )
    values = np.asarray(mask)
    ones = np.flatnonzero(values)
    if len(ones) < 2:
        return None
    wrong = np.zeros_like(values)
    wrong.flat[ones[0]] = values.flat[ones[0]]
    return wrong.tolist() if isinstance(mask, list) else wrong


def _share(mask: Any, other: Any) -> bool:
    """Whether who writes into a mask writes into another one, too."""
    if isinstance(mask, tuple) and isinstance(other, tuple):
        return any(map(_share, mask, other))
    if isinstance(mask, np.ndarray) and isinstance(other, np.ndarray):
        return np.may_share_memory(mask, other)
    return mask is other


def _overwrite(mask: Any, other: Any) -> bool:
    """Write another mask into one, if anybody can; return whether it was possible."""
    if isinstance(mask, tuple):
        return all(map(_overwrite, mask, other))
    if isinstance(mask, list):
        mask[:] = other
        return True
    if not mask.flags.writeable:
        return False
    mask[...] = other
    return True
