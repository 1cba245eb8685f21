"""Stores of games that nobody had to play."""

import dataclasses

from mcts_agents.arena.tournaments.store import Store


def store(path, games, agents, total=None, failures=()):
    """Write a store that looks like that of a tournament."""
    settings = {game.setting for game in games}
    description = {
        "games": [
            {
                "game": game,
                "players": sorted({s.players for s in settings}),
                "search": {},
            }
            for game in sorted({s.game for s in settings})
        ],
        "agents": {name: {"agent": "mcts"} for name in agents},
        "field": None,
        "budgets": sorted({s.budget for s in settings}),
        "design": "round-robin",
        "games_each": max(1, len(games) // max(1, len(settings))),
        "seed": 7,
    }
    with Store.write(path) as written:
        written.describe(description, len(games) if total is None else total)
        for number, game in enumerate(games, 1):
            written.add(dataclasses.replace(game, number=number))
        for failure in failures:
            written.add_failure(failure)
    return path
