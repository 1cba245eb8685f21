"""MaskablePPO learns Sushi Go! of three players against random moves and planners.

    pip install --editable ".[rl]"    # in the checkout; several gigabytes
    python examples/train_sushi_go.py --steps 200000 --out out

As `train_hex.py`, with two opponents, each drawn on its own in each episode. The one
reward comes at the end, 1 for the winner, 0 for those who share the first place and -1
for all others: the learner is not paid for points, which it would also gather where
they help an opponent more. A third of the games is what equals win.
"""

import argparse
import time
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from mcts_agents import PolicyAgent
from mcts_agents.learn import draw_learning_curve, evaluate
from mcts_agents.wrappers import Mixture, single_agent_env

GAME, PLAYERS = "sushi_go", 3
OPPONENT = Mixture((1, "random"), (1, "one-step"), (2, "mcts:simulations=20"))
CURVES = ("random", "one-step", "mcts:simulations=20")  # while it learns
FINAL = (*CURVES, "mcts:simulations=100", "mcts:tree=multi,simulations=100")
STEPS = "training steps; each tenth of them is rounded up to whole batches of 4096"


def environment():
    """Make an environment of the vector."""
    opponents = [OPPONENT] * (PLAYERS - 1)  # a draw for each seat
    return single_agent_env(GAME, opponents, players=PLAYERS, seat="random")


def main(steps=200_000, out="out", games=200, points=10):
    """Train, evaluate, and return the policy's figures against each opponent."""
    torch.set_num_threads(1)  # more only wait for each other in small networks
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    agent = {"agent": "policy", "file": str(out / "train_sushi_go.npz")}
    agent["deterministic"] = True
    model = MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([environment] * 16),
        n_steps=256,
        batch_size=256,
        n_epochs=10,
        learning_rate=5e-4,
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
            figures = evaluate(
                agent, opponent, GAME, players=PLAYERS, games=games, seed=1
            )
            curve.append((model.num_timesteps, figures.win_rate))
            rate = figures.win_rate.value
            print(f"{model.num_timesteps} steps, {opponent}: {rate:.1%}")
    print(f"training took {seconds:.0f} seconds, {busy:.0f} of them on a processor")
    draw_learning_curve(
        out / "train_sushi_go.png",
        curves,
        title="MaskablePPO on Sushi Go! with three players",
        even=1 / PLAYERS,
    )
    final = {}
    for opponent in FINAL:
        final[opponent] = evaluate(
            agent, opponent, GAME, players=PLAYERS, games=games, seed=2
        )
        rate = final[opponent].win_rate
        print(
            f"against {opponent}: {rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"
        )
    return final


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200_000, help=STEPS)
    parser.add_argument("--out", default="out")
    main(**vars(parser.parse_args()))
