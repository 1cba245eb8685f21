"""Strength of agents in third-party environments.

    pip install --editable ".[environments]"
    python benchmarks/strength_of_others.py            # all
    python benchmarks/strength_of_others.py leduc      # one

- `chess`: 50 games of PettingZoo's chess at 0.2 s a move against random play, with a
  material count of three lines as the value of positions. It should score at least 45
  (draws count half) and lose none.
- `cartpole`: 20 episodes with 50 simulations a step; one is perfect if it lasts all 500
  steps. At least 19 should be.
- `leduc`: PettingZoo's Leduc Hold'em with `redeterminise`, against one-step look-ahead
  with the same function. Each deal is played twice with the seats swapped; the mean of
  the chips won should be at least 0.
"""

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.agents import Agent

GAMES = 50
LEAST_POINTS = 45
# Of chess's pieces by their numbers: pawn, knight, bishop, rook, queen, king.
WORTH = (0, 1, 3, 3, 5, 9, 0)
EPISODES = 20
PERFECT_EPISODES = 19
DEALS = 300


def material(model: Any, state: np.ndarray) -> tuple[float, float]:
    """Return by how much White's pieces are worth more, and Black's; a mate is 100."""
    env = model.environment(state).unwrapped
    if any(env.terminations.values()):
        lead = 100 * env.rewards["player_0"]  # a draw is worth nothing
    else:
        pieces = env.board.piece_map().values()
        lead = sum(WORTH[p.piece_type] * (1 if p.color else -1) for p in pieces)
    return lead, -lead


def chess() -> bool:
    """Play chess against random moves, White in every other game."""
    from pettingzoo.classic import chess_v6

    env = chess_v6.env()
    results = []
    for game in range(GAMES):
        search = MCTSAgent(
            seconds=0.2,
            rollout=0,
            value=material,
            perfect_information=True,
            deterministic=True,
            loop="closed",
            seed=game,
        )
        seats = [search, RandomAgent(seed=game)]
        if game % 2:
            seats.reverse()
        results.append(hand(env, game, tuple(seats))[game % 2])
    won, lost = (sum(result == points for result in results) for points in (1, -1))
    drawn = GAMES - won - lost
    print(
        f"chess, 0.2 s a move and material against random: {won} won, {drawn} drawn, "
        f"{lost} lost of {GAMES}",
        flush=True,
    )
    return won + drawn / 2 >= LEAST_POINTS and lost == 0


def cartpole() -> bool:
    """Balance the pole for 500 steps, with 50 simulations before each."""
    env = gymnasium.make("CartPole-v1")
    lengths = []
    for seed in range(EPISODES):
        agent = MCTSAgent(
            simulations=50, discount=0.85, exploration=4.0, perfect_information=True,
            seed=seed,
        )  # fmt: skip
        env.reset(seed=seed)
        over, length = False, 0
        while not over:
            _, _, terminated, truncated, _ = env.step(agent.act(env))
            over = terminated or truncated
            length += 1
        lengths.append(length)
    perfect = sum(length == 500 for length in lengths)
    print(
        f"CartPole, 50 simulations: {perfect} of {EPISODES} episodes of 500 steps, "
        f"the shortest of {min(lengths)}",
        flush=True,
    )
    return perfect >= PERFECT_EPISODES


def resample_leduc(env: Any, agent: str, generator: np.random.Generator) -> None:
    """Deal the opponent's card and the rest of the deck anew, in place."""
    game = env.unwrapped.env.game
    mine = env.unwrapped.possible_agents.index(agent)
    (other,) = (p for p in game.players if p.player_id != mine)
    unseen = [other.hand, *game.dealer.deck]
    other.hand, *game.dealer.deck = (
        unseen[place] for place in generator.permutation(len(unseen))
    )


def leduc() -> bool:
    """Play the same deals from both seats; return whether the search loses nothing."""
    from pettingzoo.classic import leduc_holdem_v4

    env = leduc_holdem_v4.env()
    search = MCTSAgent(simulations=300, redeterminise=resample_leduc, seed=1)
    one_step = OneStepAgent(samples=30, redeterminise=resample_leduc, seed=2)
    earned = []
    for deal in range(DEALS):
        both = [
            hand(env, deal, (search, one_step))[0],
            hand(env, deal, (one_step, search))[1],
        ]
        earned.append(sum(both) / 2)
    mean = float(np.mean(earned))
    margin = 1.96 * float(np.std(earned, ddof=1)) / math.sqrt(DEALS)
    print(
        f"Leduc, 300 simulations against one-step: {mean:+.3f} big blinds a hand "
        f"(95% interval {mean - margin:+.3f} to {mean + margin:+.3f}; "
        f"{DEALS} deals, each from both seats)",
        flush=True,
    )
    return mean >= 0


def hand(env: Any, seed: int, agents: tuple[Agent, ...]) -> list[float]:
    """Play one hand or game; return what each seat earned."""
    env.reset(seed=seed)
    seats = dict(zip(env.possible_agents, agents, strict=True))
    earned = dict.fromkeys(seats, 0.0)
    for name in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        earned[name] += float(reward)
        over = termination or truncation
        env.step(None if over else seats[name].act(env))
    return list(earned.values())


MATCHES: dict[str, Callable[[], bool]] = {
    "chess": chess,
    "cartpole": cartpole,
    "leduc": leduc,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("match", nargs="?", choices=MATCHES, help="one; default: all")
    chosen = parser.parse_args().match
    good = [match() for name, match in MATCHES.items() if chosen in (None, name)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
