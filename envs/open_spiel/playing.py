"""Rollouts of pyspiel's positions: to the end in one call, or action by action."""

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.positions import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Draws,
    Positions,
)
from mcts_agents.envs.open_spiel.records import LENGTH, MOVERS, SEED_BITS


class Rollouts:
    """Random play in one model.

    Args:
        positions: The model's positions.

    Attributes:
        answers: Each player's return of the last rollout by `rollout`, float64 of shape
            (players,). If one return says what everybody gets only the first element is
            written, with the return of the player to move.
    """

    def __init__(self, positions: Positions):
        self._positions = positions
        self._facts = positions.facts
        self.answers = np.zeros(self._facts.players)
        self._bots: list[Any] = []

    def rollout(self) -> Callable[[int, int, int, int], int]:
        """Return the callback that makes whole rollouts; called in each iteration."""
        to_read, to_change = self._positions.to_read, self._positions.to_change
        by_number, answers = self._positions.by_number, self.answers.data
        throws = self._facts.sampled and not self._facts.hidden
        search: Any = None

        def of_one_return(number: int, seed: int, fresh: int, at: int) -> int:
            nonlocal search
            if fresh:
                search = self._searched_once(seed)
            position = by_number.get(number)
            if position is None:
                position = to_read(number, at)
            answers[0] = search(position).total_reward
            return 1

        def of_many(number: int, seed: int, fresh: int, at: int) -> int:
            if fresh:
                self._seed_bots(seed)
            position = to_change(number, at)
            if throws:  # its own dice would go on with those of the last rollout
                position = self._facts.with_dice(position, seed)
            answers[:] = array("d", self._play(position, seed))
            return 1

        return of_one_return if self._facts.one_return else of_many

    def _searched_once(self, seed: int) -> Callable[[Any], Any]:
        """Return what makes one rollout, and tells the return of the player to move.

        OpenSpiel's evaluator of random rollouts cannot be called from Python, but a
        tree search of one simulation is one rollout and nothing else.
        """
        pyspiel, game = self._facts.pyspiel, self._facts.game
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 0, False, seed, False)
        return bot.mcts_search

    def _seed_bots(self, seed: int) -> None:
        make = self._facts.pyspiel.make_uniform_random_bot
        players = range(self._facts.players)
        self._bots = [make(p, (seed >> 16) + p & SEED_BITS) for p in players]

    def _play(self, position: Any, seed: int) -> list[float]:
        """Play a position to its end in one call, at random; return the returns."""
        play = self._facts.pyspiel.evaluate_bots
        return play(position, self._bots, seed & SEED_BITS)

    def playout(self, at: int, limit: int, fresh: int, seed: int) -> int:
        """Play to the end or a limit, count actions, keep the position; a callback.

        Returns:
            1 and the number of actions.
        """
        words, _, ints = self._positions.view(at)
        position = self._positions.of(words, ints)
        whole = limit >= self._facts.longest and words[MOVERS]
        if not whole or self._facts.sampled:
            return 1 + self._step(at, position, limit, seed)
        if fresh:
            self._seed_bots(seed)
        end = position.clone()
        self._play(end, seed)
        played = end.full_history()[words[LENGTH] :]
        self._positions.write_history(at, end.history())
        self._positions.arrive(at, end, words[LENGTH], Draws(0))
        return 1 + sum(each.player >= 0 for each in played)

    def _step(self, at: int, position: Any, limit: int, seed: int) -> int:
        """Play up to `limit` actions, one after another; return how many."""
        position, draws = position.clone(), Draws(seed)
        taken: list[int] = []
        played = 0
        while (player := position.current_player()) != TERMINAL:
            if player == CHANCE:
                position, noted = self._positions.after_chance(position, draws)
                taken.append(noted)
            elif player == SIMULTANEOUS:
                players = range(self._facts.players)
                legal = [position.legal_actions(p) for p in players]
                deciding = sum(map(bool, legal))
                if played + deciding > limit:
                    break
                joint = [each[draws.below(len(each))] if each else 0 for each in legal]
                position.apply_actions(joint)
                taken += joint
                played += deciding
            else:
                if played == limit:
                    break
                actions = position.legal_actions()
                taken.append(actions[draws.below(len(actions))])
                position.apply_action(taken[-1])
                played += 1
        words, _, _ = self._positions.view(at)
        self._positions.write_history(at, taken, words[LENGTH])
        self._positions.arrive(at, position, words[LENGTH], Draws(0))
        return played
