"""What a decision of SP-MCTS takes on Pommerman: time, and time against a limit.

From the opening, SimpleUnbiased as opponent model and in playouts of ten steps: the
time of 1,000 simulations, of the processor since machines are shared; then a whole game
with a budget of 90 ms, whose decisions must stay below the official limit of 100 ms, by
the clock.

    python benchmarks/pommerman_search.py [--decisions 50] [--tree self] [--json]
"""

import argparse
import json
import time

import numpy as np

from mcts_agents import MCTSAgent, ScriptedAgent
from mcts_agents.envs import make_model, pommerman
from mcts_agents.model import new_generator

MILLISECONDS = 1e3


def from_openings(tree: str, decisions: int) -> np.ndarray:
    """Return the processor's milliseconds of 1,000 simulations from openings."""
    _, model = make_model("pommerman")
    agent = MCTSAgent(tree=tree, simulations=1000, seed=1)
    times = []
    for seed in range(-3, decisions):  # the first ones warm up
        state = model.reset(new_generator(seed + 3))
        started = time.process_time()
        agent.decide(model, state, seed % model.players)
        if seed >= 0:
            times.append(time.process_time() - started)
    return MILLISECONDS * np.array(times)


def in_a_game(tree: str, milliseconds: float) -> np.ndarray:
    """Return the milliseconds of a planner's decisions in a game, by the clock."""
    env = pommerman.env()
    planner = MCTSAgent(tree=tree, seconds=milliseconds / MILLISECONDS, seed=1)
    others = ScriptedAgent(policy="simple_unbiased", seed=2)
    times = []
    env.reset(seed=1)
    planner.prepare(env.unwrapped.forward_model)
    for name in env.agent_iter():
        _, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        agent = planner if name == "player_0" else others
        started = time.perf_counter()
        action = agent.act(env)
        if agent is planner:
            times.append(time.perf_counter() - started)
        env.step(action)
    return MILLISECONDS * np.array(times)


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=50)
    parser.add_argument("--tree", default="self")
    parser.add_argument("--budget", type=float, default=90.0, help="milliseconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    opening = from_openings(options.tree, options.decisions)
    game = in_a_game(options.tree, options.budget)
    found = {
        "opening_median": float(np.median(opening)),
        "opening_longest": float(opening.max()),
        "game_decisions": len(game),
        "game_median": float(np.median(game)),
        "game_99": float(np.quantile(game, 0.99)),
        "game_longest": float(game.max()),
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"1,000 simulations from the opening: {found['opening_median']:.1f} ms, "
        f"at most {found['opening_longest']:.1f}"
    )
    print(
        f"{len(game)} decisions of a game at {options.budget:g} ms: "
        f"median {found['game_median']:.1f}, 99% below {found['game_99']:.1f}, "
        f"at most {found['game_longest']:.1f} ms"
    )


if __name__ == "__main__":
    main()
