"""A Gymnasium environment with a Discrete action space: FrozenLake, slippery ice.

The reward is 1 for reaching the goal, and 0 for falling into a hole or running out of
steps. A perfect player reaches the goal in about three of four episodes.

The copies that the agent plans on draw their own chance: it never sees how the real
ice will slip.

    python examples/gymnasium_environment.py
"""

import gymnasium

from mcts_agents import MCTSAgent


def main(simulations: int = 500, seed: int = 1) -> float:
    """Play one episode and return its reward."""
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    agent = MCTSAgent(
        simulations=simulations, rollout=100, perfect_information=True, seed=0
    )
    observation, info = env.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        action = agent.act(env)
        observation, reward, termination, truncation, info = env.step(action)
        total += float(reward)
        done = termination or truncation
    end = "reached the goal" if total else "fell into a hole, or ran out of steps"
    print(f"reward {total}: {end}")
    env.close()
    return total


if __name__ == "__main__":
    main()
