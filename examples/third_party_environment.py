"""A third-party environment: PettingZoo's connect four, unchanged.

The agent plans on copies of the environment. It cannot detect whether the environment
hides information from the players, so we assert that it does not.

    pip install --editable ".[pictures]"    # in the checkout: PettingZoo's game draws
    python examples/third_party_environment.py
"""

import pettingzoo

from mcts_agents import MCTSAgent, RandomAgent


def main(simulations: int = 200, seed: int = 42) -> dict[str, float]:
    """Play one game and return each agent's reward."""
    env = pettingzoo.make("aec", "classic/connect_four")
    agents = {
        "player_0": MCTSAgent(
            simulations=simulations, perfect_information=True, seed=0
        ),
        "player_1": RandomAgent(seed=1),
    }
    rewards = dict.fromkeys(agents, 0.0)
    env.reset(seed=seed)
    for name in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        rewards[name] += reward
        action = None if termination or truncation else agents[name].act(env)
        env.step(action)
    print(rewards)
    env.close()
    return rewards


if __name__ == "__main__":
    main()
