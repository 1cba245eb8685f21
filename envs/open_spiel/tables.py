"""`Children` and `Pool`: the arrays of `children` and `worlds`, and their callbacks."""

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.hearts import is_passing, passed_anew
from mcts_agents.envs.open_spiel.positions import (
    CHANCE,
    NO_NUMBER,
    Draws,
    Positions,
)
from mcts_agents.envs.open_spiel.records import (
    CHANCE_NEXT,
    CHILD,
    CHILDREN,
    COUNT_BITS,
    HEAD,
    LENGTH,
    LISTS,
    NUMBER,
    OVER,
    PLAYER_BITS,
    POOL,
)

# So many worlds are recognised when they are sampled again.
MOST_KNOWN = 1 << 13


class Children:
    """Where actions led, in one model; see `children`.

    Args:
        positions: The model's positions.
        answers: Where returns are written at the end of a game.

    Attributes:
        lists_legal: Whether legal actions are listed with each new position.
    """

    def __init__(self, positions: Positions, answers: np.ndarray):
        facts = positions.facts
        self._positions = positions
        self._answers = answers.data
        self.lists_legal = facts.chance or facts.hidden
        self._table = np.zeros(CHILDREN, CHILD)
        self._returns = np.zeros((CHILDREN, facts.players))
        self._lists = np.zeros(LISTS, np.int32)
        self._chances = np.zeros(LISTS)
        self._used = np.zeros(2, np.int64)

    def tell(self, record: Any) -> None:
        """Write to the variant's record where the arrays are."""
        record["children"] = self._table.ctypes.data
        record["child_returns"] = self._returns.ctypes.data
        record["lists"] = self._lists.ctypes.data
        record["chances"] = self._chances.ctypes.data
        record["used"] = self._used.ctypes.data
        record["lists_legal"] = self.lists_legal

    def child(self) -> Callable[[int, int, int, int], int]:
        """Return the callback that says where an action leads, and what is there.

        It is called with the position's number, the action, the first free place of the
        lists, and the address of a state that has the position. The answer is described
        in `records`.
        """
        positions, walks = self._positions, self._positions.walks
        to_read, to_change = positions.to_read, positions.to_change
        by_number = positions.by_number
        answers, lists_legal = self._answers, self.lists_legal
        lists, chances = self._lists.data, self._chances.data

        def child(number: int, action: int, first: int, at: int) -> int:
            if walks:
                if number == positions.walker_number:
                    position = positions.walker
                    positions.walker_number = NO_NUMBER  # if the action fails
                else:
                    position = to_change(number, at)
                position.apply_action(action)
            else:
                position = by_number.get(number)
                if position is None:
                    position = to_read(number, at)
                position = position.child(action)
            player = position.current_player()
            count = 0
            if player >= 0:
                if lists_legal:
                    legal = array("i", position.legal_actions())
                    count = len(legal)
                    lists[first : first + count] = legal
            elif player == CHANCE:
                outcomes, shares = zip(*position.chance_outcomes(), strict=True)
                count = len(outcomes)
                lists[first : first + count] = array("i", outcomes)
                chances[first : first + count] = array("d", shares)
                player = CHANCE_NEXT - 1
            else:
                answers[:] = array("d", position.returns())
                player = OVER - 1
            if walks:
                positions.last_number = number = positions.last_number + 1
                positions.walker, positions.walker_number = position, number
            else:
                number = positions.number(position)
            return (((number << COUNT_BITS) + count) << PLAYER_BITS) + player + 1

        return child


class Pool:
    """The worlds of one search, in one model; see `worlds`.

    Args:
        positions: The model's positions.
        worlds: How many at the most; 0: each world is drawn anew.
    """

    def __init__(self, positions: Positions, worlds: int):
        self._positions = positions
        self._facts = positions.facts
        self._most = worlds
        self._passes = self._facts.game.get_type().short_name == "hearts"
        self._words = positions.state_size // 8
        self._record = np.zeros(1, POOL)
        self._shares = np.zeros(worlds)
        self._states = np.zeros((worlds, self._words), np.int64)
        self._known: dict[tuple[int, ...], int] = {}  # worlds' numbers by history
        positions.hold(self._numbers)

    def tell(self, record: Any) -> None:
        """Write to the variant's record where the arrays are."""
        record["pool"] = self._record.ctypes.data
        record["pool_shares"] = self._shares.ctypes.data
        record["pool_states"] = self._states.ctypes.data
        record["worlds"] = self._most
        record["enumerates"] = self._facts.enumerable

    def _numbers(self) -> list[int]:
        return self._states[: self._record["count"][0], NUMBER].tolist()

    def resample(self, at: int, observer: int, _: int, seed: int) -> int:
        """Resample what an observer cannot know; a callback.

        Raises:
            ValueError: OpenSpiel cannot.
        """
        words, _, ints = self._positions.view(at)
        position = self._positions.of(words, ints)
        draws = Draws(seed)
        try:
            drawn = position.resample_from_infostate(observer, draws.share)
        except self._facts.pyspiel.SpielError as error:
            raise ValueError(
                f"{self._facts.name}: agents cannot plan in this game without seeing "
                f"what is hidden, because OpenSpiel cannot resample it ({error})"
            ) from error
        if self._passes and is_passing(position):
            drawn = passed_anew(drawn, position, observer, draws)
        self._write(at, drawn, draws)
        return 1

    def _write(self, at: int, position: Any, draws: Draws) -> None:
        """Write another position to a state: nothing is left of the true one."""
        words, doubles, ints = self._positions.view(at)
        first, length = self._positions.first, words[LENGTH]
        ints[first : first + length] = array("i", [0] * length)
        history = position.history()
        self._positions.write_history(at, history)
        # The same world again has the number it had, and so all that is known below.
        known = tuple(history)
        number = self._known.get(known, 0)
        self._positions.arrive(at, position, len(history), draws, number)
        if not number:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            if words[LENGTH] == len(history):
                self._known[known] = words[NUMBER]
        # What was paid last neither.
        middle = HEAD + self._facts.players
        doubles[middle : middle + self._facts.players] = doubles[HEAD:middle]

    def enumerate(self, at: int, observer: int, _: int, __: int) -> int:
        """Write all worlds of an observer to the pool; a callback.

        Returns:
            1 and how many there are; 1 alone if they are too many.
        """
        words, _, ints = self._positions.view(at)
        truth = self._positions.of(words, ints)
        worlds = worlds_of(truth, observer, self._most)
        if not worlds:
            return 1
        total = sum(chance for _, chance in worlds)
        reached = 0.0
        for place, (world, chance) in enumerate(worlds):
            target = self._states[place]
            target[:] = 0
            copied = memoryview(target)
            copied[:HEAD] = words[:HEAD]
            self._write(target.ctypes.data, world, Draws(0))
            reached += chance / total
            self._shares[place] = reached
        return 1 + len(worlds)


def worlds_of(truth: Any, observer: int, most: int) -> list[tuple[Any, float]]:
    """Return the positions that an observer cannot tell from one, with probabilities.

    The players' actions are taken from `truth`, so they have to be known to everybody;
    what the observer knows must contain all that it has seen. The probabilities are
    those of chance; they do not add up to 1.

    Args:
        truth: The position.
        observer: The player.
        most: If there are more of them on the way, none are returned.
    """
    position = truth.get_game().new_initial_state()
    worlds = [(position.clone(), 1.0)]
    for action in truth.history():
        known = None
        by_chance = position.is_chance_node()
        position.apply_action(action)
        if not position.is_chance_node():
            known = position.information_state_string(observer)
        after = []
        for world, chance in worlds:
            taken = world.chance_outcomes() if by_chance else [(action, 1.0)]
            for each, share in taken:
                child = world.child(each)
                if known is None or child.information_state_string(observer) == known:
                    after.append((child, chance * share))
        worlds = after
        if len(worlds) > most:
            return []
    return worlds
