"""`Positions`: pyspiel's states by number, and the words of states that hold numbers.

A position that is kept under its number never changes, so that copies of the words
share it. If a position was dropped, or the words come from another process, it is
played again from its history.

Where each iteration begins in a world of its own, few positions are met again. There
only the worlds are kept; the positions below are one, the `walker`, which is changed
from step to step.
"""

import ctypes
import secrets
from array import array
from itertools import islice
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.facts import Facts
from mcts_agents.envs.open_spiel.records import (
    HEAD,
    KEPT,
    KEPT_LENGTH,
    LENGTH,
    MOVERS,
    NUMBER,
    OWNER,
    ROOT,
    SEED_BITS,
    UNKEPT,
)

# pyspiel's names for who is to move where no single player is.
CHANCE, SIMULTANEOUS, TERMINAL = -1, -2, -4

# So many positions are kept; then the older half is dropped, and played again where
# needed. One takes 1 to 10 KB: the shorter the game, the smaller they are, and the more
# are kept, within bounds.
LEAST_KEPT, MOST_KEPT = 1 << 14, 1 << 16
KEPT_ACTIONS = 1 << 21
# No position has this number, and no state either.
NO_NUMBER = -1
# Views of memory at addresses, likewise.
MOST_VIEWS = 1 << 10

# How one seed becomes several numbers: D. Knuth's linear congruential generator, whose
# upper bits are used.
_A, _C = 6364136223846793005, 1442695040888963407
_BITS = (1 << 64) - 1
_FLOAT = 2.0**-53

_KINDS_OF_VIEWS = (np.int64, np.float64, np.int32)


class Draws:
    """Random numbers from one seed."""

    def __init__(self, seed: int):
        self._seed = seed

    def share(self) -> float:
        """Return a number from 0 to below 1."""
        self._seed = (self._seed * _A + _C) & _BITS
        return (self._seed >> 11) * _FLOAT

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1, for n below 2**31."""
        self._seed = (self._seed * _A + _C) & _BITS
        return (self._seed >> 32) * n >> 32

    def outcome(self, position: Any) -> int:
        """Return an outcome of a position's chance, with OpenSpiel's probabilities."""
        outcomes = position.chance_outcomes()
        share = self.share()
        for action, probability in outcomes:
            share -= probability
            if share < 0.0:
                return action
        return next(action for action, p in reversed(outcomes) if p > 0.0)


class Positions:
    """The positions of one model.

    Args:
        facts: The game.

    Attributes:
        facts: The same.
        owner: The number that stands for this model, in this process.
        by_number: The positions that are kept.
        last_number: The last number that was given.
        walks: Whether positions below worlds are not kept.
        walker: The position that was reached last, if these are not kept.
        walker_number: Its number; NO_NUMBER: there is none.
        state_size: Bytes of a state.
    """

    def __init__(self, facts: Facts):
        self.facts = facts
        self.owner = secrets.randbits(62)
        self.by_number: dict[int, Any] = {}
        self.walks = facts.hidden and facts.keeps_children
        self.walker: Any = None
        self.walker_number = NO_NUMBER
        self.last_number = 0
        self._last_root = 0
        self._held: Any = None
        self._views: dict[int, tuple[Any, Any, Any]] = {}
        self._arrays: dict[tuple[int, int], Any] = {}
        players, game = facts.players, facts.game
        length = game.max_history_length() * (players if facts.at_once else 1)
        fitting = KEPT_ACTIONS // max(1, length)
        self._most_kept = min(max(fitting, LEAST_KEPT), MOST_KEPT)
        words = HEAD + 2 * players + (length + 1) // 2
        self.state_size = 8 * words
        self.first = 2 * HEAD + 4 * players  # where the history begins, in int32

    # -- memory

    def view(self, at: int) -> tuple[Any, Any, Any]:
        """Return a state's words, float64 and int32, as memory."""
        view = self._views.get(at)
        if view is None:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()
            raw = (ctypes.c_uint8 * self.state_size).from_address(at)
            words, doubles, ints = (
                np.frombuffer(raw, kind).data for kind in _KINDS_OF_VIEWS
            )
            view = self._views[at] = words, doubles, ints
        return view

    def array(self, at: int, length: int) -> Any:
        """Return an array of int32 at an address, as memory."""
        found = self._arrays.get((at, length))
        if found is None:
            if len(self._arrays) >= MOST_VIEWS:
                self._arrays.clear()
            raw = (ctypes.c_uint8 * (4 * length)).from_address(at)
            found = self._arrays[at, length] = np.frombuffer(raw, np.int32).data
        return found

    def begin_anew(self, at: int) -> None:
        """Mark a state as another root: what compiled code goes on with ends."""
        self._last_root += 1
        self.view(at)[0][ROOT] = self._last_root

    # -- positions by number

    def of(self, words: Any, ints: Any) -> Any:
        """Return the position of a state, which must not be changed."""
        if words[OWNER] == self.owner:
            number = words[NUMBER]
            position = self.by_number.get(number)
            if position is not None:
                return position
            if number == self.walker_number:
                return self.walker
        return self.restored(words, ints)

    def restored(self, words: Any, ints: Any) -> Any:
        """Make the position of a state again, and return it; it must not be changed."""
        known = words[OWNER] == self.owner
        kept = self.by_number.get(words[KEPT]) if known and self.walks else None
        if kept is not None and words[LENGTH] != UNKEPT:
            position = kept.clone()
            first = self.first
            steps = ints[first + words[KEPT_LENGTH] : first + words[LENGTH]].tolist()
            for action in steps:
                position.apply_action(action)
            self.walker, self.walker_number = position, words[NUMBER]
            return position
        position = self.replayed(words, ints)
        if known:
            self._keep_as(words[NUMBER], position)  # known by it to others
        else:
            words[NUMBER] = self.number(position)
            words[OWNER] = self.owner
        words[KEPT], words[KEPT_LENGTH] = words[NUMBER], words[LENGTH]
        return position

    def to_read(self, number: int, at: int) -> Any:
        """Return a position that must not be changed, made again if it was dropped.

        Args:
            number: Its number in this model.
            at: The address of a state that has it.
        """
        position = self.by_number.get(number)
        if position is None:
            if number == self.walker_number:
                return self.walker
            words, _, ints = self.view(at)
            position = self.restored(words, ints)
        return position

    def to_change(self, number: int, at: int) -> Any:
        """Return a position that may be changed; see `to_read`."""
        if number != self.walker_number:
            position = self.by_number.get(number)
            if position is not None:
                return position.clone()
            words, _, ints = self.view(at)
            position = self.restored(words, ints)
            if number != self.walker_number:
                return position.clone()
        self.walker_number = NO_NUMBER
        return self.walker

    def replayed(self, words: Any, ints: Any) -> Any:
        """Return the position of a state, played from its history.

        Raises:
            RuntimeError: The state is the end of a rollout that kept only its returns.
        """
        length = words[LENGTH]
        if length == UNKEPT:
            raise RuntimeError(
                f"{self.facts.name}: a rollout to the end of the game keeps its "
                "returns, not its last position; make the game with counted=true to "
                "keep both"
            )
        position = self.facts.game.new_initial_state()
        players = self.facts.players
        history = ints[self.first : self.first + length].tolist()
        at = 0
        while at < length:
            player = position.current_player()
            if player == SIMULTANEOUS:
                position.apply_actions(history[at : at + players])
                at += players
                continue
            if player == CHANCE and self.facts.sampled:
                position = self.facts.thrown(position, history[at])
            else:
                position.apply_action(history[at])
            at += 1
        return position

    def number(self, position: Any) -> int:
        """Keep a position under a number of its own, and return the number."""
        self.last_number = number = self.last_number + 1
        if len(self.by_number) >= self._most_kept:
            self._drop()
        self.by_number[number] = position
        return number

    def hold(self, numbers: Any) -> None:
        """Drop certain positions last.

        Args:
            numbers: A function that returns their numbers.
        """
        self._held = numbers

    def _keep_as(self, number: int, position: Any) -> None:
        if len(self.by_number) >= self._most_kept:
            self._drop()
        self.by_number[number] = position

    def _drop(self) -> None:
        """Drop the older half of the positions."""
        kept = self.by_number
        for number in self._held():
            if number in kept:
                kept[number] = kept.pop(number)  # as if it were new
        for old in list(islice(kept, self._most_kept // 2)):
            del kept[old]

    # -- states

    def arrive(
        self, at: int, position: Any, length: int, draws: Draws, number: int = 0
    ) -> None:
        """Let chance happen in a new position, and write all of it to a state.

        The history is written up to `length`. Without a `number` the position gets one.
        """
        words, doubles, ints = self.view(at)
        player = position.current_player()
        while player == CHANCE:
            position, ints[self.first + length] = self.after_chance(position, draws)
            length += 1
            player = position.current_player()
        words[LENGTH] = length
        if player >= 0:
            words[MOVERS] = 1 << player
        elif player == TERMINAL:
            words[MOVERS] = 0
        else:
            words[MOVERS] = self._deciding(position)
        if player == TERMINAL or self.facts.pays_on_the_way:
            self.write_returns(doubles, position.returns())
        words[NUMBER] = words[KEPT] = number or self.number(position)
        words[KEPT_LENGTH] = length
        words[OWNER] = self.owner

    def after_chance(self, position: Any, draws: Draws) -> tuple[Any, int]:
        """Let chance happen in a position, which may be changed.

        Returns:
            The position after it, and what the history holds of it: the outcome, or
            where OpenSpiel draws that itself, the seed it was drawn from.
        """
        if self.facts.sampled:
            seed = draws.below(SEED_BITS)
            return self.facts.thrown(position, seed), seed
        action = draws.outcome(position)
        position.apply_action(action)
        return position, action

    def _deciding(self, position: Any) -> int:
        """Return the mask of who decides at once."""
        mask = 0
        for player in range(self.facts.players):
            if position.legal_actions(player):
                mask |= 1 << player
        if not mask:
            raise RuntimeError(f"{self.facts.name}: nobody has a legal action")
        return mask

    def write_returns(self, doubles: Any, returns: list[float]) -> None:
        """Write the returns; what was there are those before the last joint action."""
        middle, end = HEAD + self.facts.players, HEAD + 2 * self.facts.players
        doubles[middle:end] = doubles[HEAD:middle]
        doubles[HEAD:middle] = array("d", returns)

    def write_history(self, at: int, history: list[int], begin: int = 0) -> None:
        """Write a position's history from its `begin`, and its length."""
        words, _, ints = self.view(at)
        first, length = self.first + begin, len(history)
        ints[first : first + length] = array("i", history)
        words[LENGTH] = begin + length
