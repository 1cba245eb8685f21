"""MaskablePPO learns a game of two players against random moves and weak planners.

    pip install --editable ".[rl]"    # in the checkout; several gigabytes
    python examples/train_hex.py --steps 200000 --out out

The game is Hex on 5x5 cells; `--game` names another game of two players, also one of
your own: `--game mini_breakthrough:rules`. The learner's seat is drawn in each episode,
and so is its opponent. It earns 1 for a won game and -1 for a lost one. In between and
at the end the policy plays games against random moves and planners. The folder `out`
gets the policy, which plays without torch (`policy:file=out/train_hex.npz`), and a
picture of its learning; both are named after the game.
"""

import argparse
import time
from functools import partial
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from mcts_agents import PolicyAgent
from mcts_agents.envs import parse_game
from mcts_agents.learn import draw_learning_curve, evaluate
from mcts_agents.wrappers import Mixture, single_agent_env

GAME = "hex:size=5"
OPPONENTS = Mixture(
    (1, "random"), (1, "mcts:simulations=10"), (2, "mcts:simulations=50")
)
CURVES = ("random", "mcts:simulations=20")  # whom it plays while it learns
FINAL = (*CURVES, "mcts:simulations=100", "mcts:simulations=1000")
OUT = "folder for the policy and the picture of its learning; default: out"
STEPS = "training steps; each tenth of them is rounded up to whole batches of 2048"


def environment(game):
    """Make an environment of the vector."""
    return single_agent_env(game, OPPONENTS, seat="random")


def main(steps=200_000, out="out", games=200, points=10, game=GAME):
    """Train, evaluate, and return the policy's figures against each opponent."""
    torch.set_num_threads(1)  # more only wait for each other in small networks
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    name = f"train_{parse_game(game)[0].partition(':')[0]}"
    agent = {"agent": "policy", "file": str(out / f"{name}.npz")}
    agent["deterministic"] = True
    model = MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([partial(environment, game)] * 8),
        n_steps=256,
        batch_size=512,
        n_epochs=6,
        learning_rate=1e-3,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
        seed=1,
    )
    batch = model.n_steps * model.n_envs
    part = -(-(steps // points) // batch) * batch
    print(f"trains for {points * part} steps: {points} times {part}")
    seconds, busy, curves = 0.0, 0.0, {opponent: [] for opponent in CURVES}
    for _ in range(points):
        started, worked = time.perf_counter(), time.process_time()
        model.learn(steps // points, reset_num_timesteps=False)
        seconds += time.perf_counter() - started
        busy += time.process_time() - worked
        PolicyAgent(model).save_npz(agent["file"])
        for opponent, curve in curves.items():
            rate = evaluate(agent, opponent, game, games=games, seed=1).win_rate
            curve.append((model.num_timesteps, rate))
            print(f"{model.num_timesteps} steps, {opponent}: {rate.value:.1%}")
    print(f"training took {seconds:.0f} seconds, {busy:.0f} of them on a processor")
    draw_learning_curve(
        out / f"{name}.png", curves, title=f"MaskablePPO on {game}", even=0.5
    )
    figures = {}
    for opponent in FINAL:
        figures[opponent] = evaluate(agent, opponent, game, games=games, seed=2)
        rate = figures[opponent].win_rate
        print(
            f"against {opponent}: {rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"
        )
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200_000, help=STEPS)
    parser.add_argument("--out", default="out", help=OUT)
    parser.add_argument("--game", default=GAME, help=f"of two players; default: {GAME}")
    main(**vars(parser.parse_args()))
