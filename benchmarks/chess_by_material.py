"""Chess of PettingZoo with a value function of three lines, against random moves.

A win counts 1 point, a draw 1/2. Colours alternate.

    python benchmarks/chess_by_material.py [--games 50] [--seconds 0.2]
"""

import argparse
import time

import numpy as np
import pettingzoo

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.model import clock

WORTH = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9}  # pawn, knight, bishop, rook, queen


def material(model, state):
    """Value a position by the pieces on the board, and by a mate above all."""
    board = model.environment(state).unwrapped.board
    white = sum(
        worth * (len(board.pieces(kind, True)) - len(board.pieces(kind, False)))
        for kind, worth in WORTH.items()
    )
    return 100 * model.scores(state) + np.array([white, -white])


def play(seconds: float, seed: int) -> tuple[float, int, float]:
    """Play a game; return the points, the moves and the longest decision."""
    env = pettingzoo.make("aec", "classic/chess")
    env.reset(seed=seed)
    planner = MCTSAgent(
        seconds=seconds,
        value=material,
        perfect_information=True,
        deterministic=True,
        seed=seed,
    )
    mine = f"player_{seed % 2}"
    opponent = RandomAgent(seed=seed)
    moves, longest, points = 0, 0.0, 0.0
    for name in env.agent_iter():
        _, reward, over, cut, _ = env.last()
        if over or cut:
            points = (1 + reward) / 2 if name == mine else points
            env.step(None)
            continue
        started = clock.now()
        env.step((planner if name == mine else opponent).act(env))
        if name == mine:
            longest = max(longest, clock.now() - started)
        moves += 1
    return points, moves, longest


def main() -> None:
    """Play as many games as the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--first", type=int, default=0, help="the first game's seed")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="count the processor's seconds, where other programs run as well",
    )
    asked = parser.parse_args()
    if asked.processor_time:
        clock.now = time.process_time
    total = lost = 0.0
    for seed in range(asked.first, asked.first + asked.games):
        points, moves, longest = play(asked.seconds, seed)
        total, lost = total + points, lost + (points == 0.0)
        print(
            f"game {seed}: {points} in {moves} moves, longest decision "
            f"{longest:.3f} s; {total} points, {lost:.0f} lost",
            flush=True,
        )


if __name__ == "__main__":
    main()
