"""One tree with serialised choices against decoupled ones and against MultiTree.

Half of the seats hold one agent, half the other (one more of one of them in every other
game, if players are odd in number), and seats rotate. A tied game is shared among the
winners' seats. A side's share is compared with its share of the seats, so that 50% is
even whatever the number of players; intervals are 95% by bootstrap over games.

    python benchmarks/simultaneous.py            # all
    python benchmarks/simultaneous.py diamant    # one game
"""

import sys

import numpy as np
from rich.console import Console
from rich.progress import track
from strength import play

from mcts_agents import make_agent
from mcts_agents.envs import diamant, sushi_go

SERIALISED = "mcts:tree=one,simultaneous=serialised,simulations={},rollout={}"
RIVALS = {
    "decoupled": "mcts:tree=one,simulations={},rollout={}",
    "MultiTree": "mcts:tree=multi,simulations={},rollout={}",
}
# Environment, players, simulations a decision, rollout length, games. In Sushi Go a
# long rollout covers up most of what the tree gets wrong.
MATCHES = [
    (sushi_go, 5, 2000, 0, 300),
    (sushi_go, 5, 2000, 30, 300),
    (diamant, 6, 5000, 30, 300),
]


def shares(env, specs, games, title):
    """Return the first spec's share of each game's win, of what its seats would get."""
    players = len(env.possible_agents)
    found = []
    console = Console(stderr=True)
    for game in track(range(games), title, console=console, transient=True):
        sides = [(seat + game) % 2 for seat in range(players)]
        agents = [
            make_agent(specs[side], seed=1000 * game + seat)
            for seat, side in enumerate(sides)
        ]
        rewards = play(env, agents, game)
        best = max(rewards)
        winners = [side for side, r in zip(sides, rewards, strict=True) if r == best]
        own = winners.count(0) / len(winners) / sides.count(0)
        other = winners.count(1) / len(winners) / sides.count(1)
        found.append((own, other))
    return np.array(found)


def rate(pairs):
    """Return the first side's win rate a seat, of both sides' together."""
    own, other = pairs.mean(axis=0)
    return own / (own + other)


def main():
    rng = np.random.default_rng(0)
    wanted = sys.argv[1:]
    for module, players, simulations, rollout, games in MATCHES:
        name = module.GAME.name
        if wanted and name not in wanted:
            continue
        for label, rival in RIVALS.items():
            specs = [spec.format(simulations, rollout) for spec in (SERIALISED, rival)]
            env = module.env(players=players)
            title = f"{name}, {players} players, serialised against {label}"
            pairs = shares(env, specs, games, title)
            samples = [
                rate(pairs[rng.integers(0, games, games)]) for _ in range(10_000)
            ]
            low, high = np.quantile(samples, [0.025, 0.975])
            print(
                f"{title}, {simulations} simulations, rollout {rollout}, {games} games:"
                f" {rate(pairs):.1%} ({low:.1%} to {high:.1%})",
                flush=True,
            )


if __name__ == "__main__":
    main()
