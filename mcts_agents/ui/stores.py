"""Tournaments whose stores the command line has named, as messages."""

import os
from pathlib import Path
from typing import Any

from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.budgets import setting_label
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.tournaments.store import Store

# Games in one answer.
MOST_GAMES = 200


class Stores:
    """Stores by number, each read anew when its file has changed.

    Args:
        paths: Their files.
    """

    def __init__(self, paths: tuple[Path, ...]):
        self.paths = paths
        self._read: dict[int, tuple[tuple[int, int], Results, dict[str, Any]]] = {}

    def listed(self) -> list[dict[str, Any]]:
        """Return number and name of each store."""
        return [
            {"number": number, "name": path.name}
            for number, path in enumerate(self.paths)
        ]

    def path(self, number: int) -> Path:
        """Return the file of a store; ValueError if there is none of this number."""
        if not 0 <= number < len(self.paths):
            raise ValueError(
                f"store {number}: there are {len(self.paths)}, numbered from 0"
            )
        return self.paths[number]

    def overview(self, number: int) -> dict[str, Any]:
        """Return ratings, win rates and head-to-head results of a tournament.

        Raises:
            ValueError: There is no such store, or it cannot be read.
        """
        return self._results(number)[1]

    def games(self, number: int, row: int, column: int) -> dict[str, Any]:
        """Return the games in which two agents met, the newest first.

        Args:
            number: The store.
            row: Number of an agent, as in `overview`.
            column: Number of another one, or the same: games in which it sat twice.

        Raises:
            ValueError: There is no such store or agent.
        """
        results, _ = self._results(number)
        names = [agent.agent for agent in results.summary.overall.agents]
        for index in (row, column):
            if not 0 <= index < len(names):
                raise ValueError(f"agent {index}: there are {len(names)}, from 0")
        one, other = names[row], names[column]
        found = [game for game in results.games if game.met(one, other)]
        return {
            "row": one,
            "column": other,
            "total": len(found),
            "games": [
                game_row(game, game.setting.game in results.scored)
                for game in reversed(found[-MOST_GAMES:])
            ],
        }

    def record(self, number: int, game: int) -> GameRecord:
        """Return a stored game; ValueError if there is none."""
        with Store.read(self.path(number)) as store:
            return store.game(game)

    def _results(self, number: int) -> tuple[Results, dict[str, Any]]:
        path = self.path(number)
        try:
            status = os.stat(path)
        except OSError as error:
            raise ValueError(f"{path.name}: {error.strerror}") from error
        key = status.st_mtime_ns, status.st_size
        known = self._read.get(number)
        if known is None or known[0] != key:
            results = read_results(path)
            self._read[number] = known = key, results, _overview(results)
        return known[1], known[2]


def game_row(game: GameRecord, has_points: bool) -> dict[str, Any]:
    """Return a game as a row of a list."""
    return {
        "number": game.number,
        "setting": setting_label(game.setting),
        "moves": len(game.moves),
        "seats": [
            {
                "agent": seat.agent,
                "result": seat.result,
                "outcome": seat.outcome(has_points),
            }
            for seat in game.seats
        ],
    }


def _overview(results: Results) -> dict[str, Any]:
    overall = results.summary.overall
    return {
        "name": results.name,
        "played": len(results.games),
        "total": results.total,
        "failures": len(results.failures),
        "agents": [
            {
                "name": agent.agent,
                "games": agent.games,
                "rating": _estimate(agent.rating),
                "win_rate": _estimate(agent.win_rate),
            }
            for agent in overall.agents
        ],
        "before": overall.before.tolist(),
        "meetings": overall.meetings.tolist(),
        "apart": overall.groups,
        "one_sided": overall.one_sided,
    }


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}
