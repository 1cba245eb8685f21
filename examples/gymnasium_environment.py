"""A Gymnasium environment with a Discrete action space: FrozenLake, slippery ice.

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
    print(f"reward {total}")
    env.close()
    return total


if __name__ == "__main__":
    main()
