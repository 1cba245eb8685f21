"""Tournaments of known strengths, without playing a game."""

import json

import numpy as np

from mcts_agents.arena.playing.fixtures import GameRecord, SeatRecord, Setting
from mcts_agents.arena.playing.match import places, win_shares
from mcts_agents.model import LOST, WON

BUDGETS = ("40ms", "200ms", "1000ms", "5s")


def names(count):
    return [f"agent-{n}" for n in range(count)]


def record(setting, round, seed, agents, scores, seconds=0.002, teams=None):
    """A game in which the highest score wins; equals share the win.

    Team mates have the same score.
    """
    best = max(scores)
    teams = tuple(range(len(agents))) if teams is None else teams
    winners = [score == best for score in scores]
    results = [WON if won else LOST for won in winners]
    ranks, wins = places(results, scores, teams), win_shares(results, teams)
    seats = [
        SeatRecord(
            agent=agent,
            spec=json.dumps({"agent": "mcts", "name": agent}),
            seed=seed + seat,
            team=teams[seat],
            result="won" if winners[seat] else "lost",
            win=wins[seat],
            rank=ranks[seat],
            score=float(scores[seat]),
            seconds=np.array([seconds, 2 * seconds, 4 * seconds], np.float32),
            simulations=300,
            searches=2,
            depth=3.5 + seat,
        )
        for seat, agent in enumerate(agents)
    ]
    moves = tuple((n % len(agents), seed + n) for n in range(3 * len(agents)))
    return GameRecord(
        number=0,
        setting=setting,
        round=round,
        seed=seed,
        moves=moves,
        seconds=0.1,
        version="0.1.0",
        seats=tuple(seats),
    )


def played(setting, strengths, games, seed=0, agents=None, levels=None):
    """Games whose rankings follow a Plackett-Luce model of these strengths.

    With `levels` the scores are whole numbers below it, so that there are ties.
    """
    rng = np.random.default_rng(seed)
    strengths = np.asarray(strengths, float)
    agents = agents or names(len(strengths))
    records = []
    for round in range(games):
        seats = rng.permutation(len(strengths))[: setting.players]
        # The order of exponential arrivals is a Plackett-Luce ranking.
        arrival = rng.exponential(size=len(seats)) / np.exp(strengths[seats])
        scores = -np.log(arrival)
        if levels:
            scores = np.clip(np.floor(scores * levels / 4), 0, levels - 1)
        who = [agents[seat] for seat in seats]
        records.append(record(setting, round, round, who, list(scores)))
    return records


def tournament(
    agents=5, games=100, players=(4,), budgets=("40ms",), names_=None, levels=None
):
    """`games` in each setting; agents' strengths rise from -0.6 to 0.6."""
    strengths = np.linspace(-0.6, 0.6, agents)
    return [
        game
        for seed, setting in enumerate(
            Setting("sushi-go", number, budget)
            for number in players
            for budget in budgets
        )
        for game in played(setting, strengths, games, seed, names_, levels)
    ]
