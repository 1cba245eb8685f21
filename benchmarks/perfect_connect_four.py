"""How often agents play a perfect move of Connect Four, by a perfect solver.

    pip install --editable ".[dev]"    # brings the solver, bitbully
    python benchmarks/perfect_connect_four.py mcts:simulations=5000 [SPEC ...]

A move is perfect if it keeps the value of the position: won, drawn or lost. Agents are
asked about positions in which at least one move does and one does not. Half of these
come from random games, half from games of an agent that plays a random move now and
then. The same seed gives the same positions. Training must use none of them: `--list`
prints the moves that lead to them.

Rates have 95% Wilson intervals. The solver: M. Thill, BitBully.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bitbully import BitBully, Board
from rich.console import Console
from rich.progress import Progress, track

from mcts_agents import make_agent
from mcts_agents.agents import Agent
from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.envs import connect_four
from mcts_agents.learn import Dataset
from mcts_agents.writing import replacing

STRONG = "mcts:simulations=500"
# How often a move of its games is a random one instead, so that games differ.
RANDOM = 0.1
# Numbers of moves played before the position, for either kind.
FEWEST, MOST = 2, 34


class Judge:
    """Says which moves keep the value of a position."""

    def __init__(self) -> None:
        self._solver = BitBully("12-ply-dist")

    def perfect(self, moves: list[int]) -> tuple[set[int], set[int]]:
        """Return the moves that keep the value, and all legal ones."""
        board = Board(moves)
        scores = self._solver.score_all_moves(board)
        outcome = {move: (score > 0) - (score < 0) for move, score in scores.items()}
        best = max(outcome.values())
        return {m for m, value in outcome.items() if value == best}, set(outcome)


class Known:
    """The positions of games of self-play, by 64 bits of what is observed.

    Args:
        folders: Folders of `mcts-agents train` or `record`.

    Attributes:
        counts: How many positions are in each of them.
    """

    def __init__(self, folders: Sequence[Path]):
        found = [np.empty(0, np.uint64)]
        self.counts: list[int] = []
        for folder in folders:
            blocks = folder / "blocks"
            dataset = Dataset(blocks if blocks.is_dir() else folder)
            self.counts.append(len(dataset))
            found += [
                hashed(rows["observation"])
                for rows in track(
                    dataset.batches(10_000), str(folder), console=Console(stderr=True)
                )
            ]
        self._hashes = np.unique(np.concatenate(found))

    def has(self, moves: list[int]) -> bool:
        """Return whether the position after these moves was among them."""
        env = game_after(moves)
        seen = env.observe(env.agent_selection)["observation"]
        both = hashed(np.stack([seen, seen[..., ::-1]]))
        places = np.searchsorted(self._hashes, both).clip(max=len(self._hashes) - 1)
        return len(self._hashes) > 0 and bool((self._hashes[places] == both).any())


def hashed(observations: np.ndarray) -> np.ndarray:
    """Return 64 bits of each observation, uint64 of shape (rows,)."""
    rows = observations.reshape(len(observations), -1).astype(np.uint64)
    factors = np.random.default_rng(0).integers(2**63, size=rows.shape[1])
    return (rows * (2 * factors.astype(np.uint64) + 1)).sum(axis=1, dtype=np.uint64)


def game_after(moves: list[int]):
    """Return an environment in which these moves were played."""
    env = connect_four.env()
    env.reset()
    for move in moves:
        env.step(move)
    return env


def game(
    agent: Agent, randomly: float, dice: random.Random, length: int
) -> list[int] | None:
    """Return so many moves, some of them random; None if the game ended before."""
    env = game_after([])
    moves: list[int] = []
    agent.reset(dice.getrandbits(32))
    for _ in range(length):
        if dice.random() < randomly:
            legal = env.observe(env.agent_selection)["action_mask"].nonzero()[0]
            moves.append(int(dice.choice(legal)))
        else:
            moves.append(int(agent.act(env)))
        env.step(moves[-1])
        if any(env.terminations.values()):
            return None
    return moves


def positions(count: int, seed: int, judge: Judge, known: Known) -> list[list[int]]:
    """Return the moves that lead to `count` different positions that are not known."""
    dice = random.Random(seed)
    strong = make_agent(STRONG)
    found: dict[frozenset, list[int]] = {}
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("positions", total=count)
        while len(found) < count:
            length = dice.randint(FEWEST, MOST)
            moves = game(strong, RANDOM if len(found) % 2 else 1.0, dice, length)
            if moves is None:
                continue
            perfect, legal = judge.perfect(moves)
            if perfect == legal or known.has(moves):
                continue
            key = frozenset(enumerate(map(tuple, Board(moves).to_array())))
            found.setdefault(key, moves)
            progress.update(task, completed=len(found))
    return list(found.values())


def main() -> None:
    """Ask each agent about all positions."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("agents", nargs="*", metavar="SPEC")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--list", action="store_true")
    parser.add_argument(
        "--not-in", nargs="+", default=[], type=Path, metavar="FOLDER",
        help="folders of train or record, whose positions are left out",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, help="file for the figures")
    asked = parser.parse_args()
    console, judge = Console(stderr=True), Judge()
    known = Known(asked.not_in)
    chosen = positions(asked.positions, asked.seed, judge, known)
    if asked.list:
        for moves in chosen:
            print("".join(map(str, moves)))
    perfect = [judge.perfect(moves)[0] for moves in chosen]
    blind = sum(
        len(best) / len(judge.perfect(moves)[1])
        for best, moves in zip(perfect, chosen, strict=True)
    )
    print(f"random moves: {blind / len(chosen):.1%} of {len(chosen)} positions")
    figures = {}
    for spec in asked.agents:
        agent = make_agent(spec, seed=asked.seed)
        kept = 0
        for best, moves in track(
            list(zip(perfect, chosen, strict=True)), spec, console=console
        ):
            kept += int(agent.act(game_after(moves))) in best
        rate = wilson(kept, len(chosen))
        figures[spec] = {"kept": kept, "rate": rate.value, "low": rate.low}
        figures[spec]["high"] = rate.high
        print(f"{spec}: {rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})")
    if asked.json:
        found = {"positions": len(chosen), "random": blind / len(chosen)}
        found["not_in"] = {
            folder.name: count
            for folder, count in zip(asked.not_in, known.counts, strict=True)
        }
        text = json.dumps({**found, "agents": figures}, indent=1)
        with replacing(asked.json) as new:
            new.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
