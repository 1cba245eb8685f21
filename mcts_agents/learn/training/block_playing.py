"""`play_block`: the games of one block, played by some threads.

The compiled search and PyTorch both run without Python's lock, so threads keep as many
cores busy as there are, and a game is the same whichever of them plays it.
"""

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mcts_agents.extras import from_extra
from mcts_agents.interrupts import PATIENCE, interrupt_held
from mcts_agents.learn.training.config import SelfPlayConfig
from mcts_agents.learn.training.self_play import PlayedGame, SelfPlay
from mcts_agents.model import ForwardModel

with from_extra("rl", "training needs PyTorch"):
    import torch

Evaluator = Callable[
    [np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]
]


class StoppedError(Exception):
    """The other threads have been told to stop."""


@dataclass(frozen=True)
class Workers:
    """Who plays.

    Attributes:
        threads: How many threads, from 1.
        config: How they play.
        seed: From which all chance comes, with a game's number.
    """

    threads: int
    config: SelfPlayConfig
    seed: int

    @property
    def rows(self) -> int:
        """About how many positions the evaluator is asked about at once."""
        return max(1, self.config.games_at_once // self.threads)

    def rehearse(self, model: ForwardModel, evaluator: Any) -> None:
        """Play one game with short searches: refusals come, and code is compiled.

        Args:
            model: The game.
            evaluator: As `SearchSettings.evaluator`.

        Raises:
            ValueError: See `play`.
        """
        brief = self.config.model_copy(update={"simulations": 2})
        Workers(1, brief, self.seed).play(model, evaluator, range(1))

    def play(
        self,
        model: ForwardModel,
        evaluator: Any,
        numbers: range,
        told: Callable[[int], None] = lambda games: None,
    ) -> list[PlayedGame]:
        """Play games and return them by number.

        Args:
            model: The game.
            evaluator: Is asked by all threads, as `SearchSettings.evaluator`.
            numbers: Numbers of the games.
            told: Called now and then with the number of games that are over.

        Raises:
            ValueError: The game, or the config, cannot be played so.
            BaseException: What the evaluator or the game's rules raise.
        """
        stop = threading.Event()
        stoppable = _stoppable(evaluator, model, stop)
        threads = min(self.threads, len(numbers))
        parts = [
            range(numbers.start + first, numbers.start + last)
            for first, last in _parts(len(numbers), threads)
        ]
        plays = [
            SelfPlay(
                model,
                self.config.settings(stoppable),
                self.config.game_settings(),
                games=min(max(1, self.config.games_at_once // threads), len(part)),
                seed=self.seed,
                numbers=part,
            )
            for part in parts
        ]
        found: list[PlayedGame] = []
        with ThreadPoolExecutor(threads, initializer=_one_thread) as pool:
            try:
                # The locks taken in here are also those of the threads.
                with interrupt_held():
                    running = {pool.submit(found.extend, play) for play in plays}
                while running:
                    with interrupt_held():
                        done, running = wait(running, PATIENCE, FIRST_COMPLETED)
                    for future in done:
                        future.result()
                    told(len(found))
            finally:
                stop.set()
        return sorted(found, key=lambda game: game.number)

    def close(self) -> None:
        """See `EnvironmentWorkers`; threads end with each block."""


def _parts(games: int, threads: int) -> list[tuple[int, int]]:
    """Return the first and the last game, exclusive, of each thread."""
    ends = [games * thread // threads for thread in range(threads + 1)]
    return list(pairwise(ends))


def _one_thread() -> None:
    """Let each worker compute in its own thread alone."""
    torch.set_num_threads(1)


def _stoppable(evaluator: Any, model: ForwardModel, stop: threading.Event) -> Evaluator:
    """Return an evaluator that raises StoppedError once it is to stop."""
    bound = evaluator.for_model(model) if hasattr(evaluator, "for_model") else evaluator

    def ask(
        observations: np.ndarray, players: np.ndarray, legal: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        if stop.is_set():
            raise StoppedError
        answer: tuple[np.ndarray, np.ndarray] = bound(observations, players, legal)
        return answer

    return ask
