"""The PettingZoo loop with planning agents: Hex 5x5, MCTS against MCTS.

python examples/aec_loop.py
"""

from mcts_agents import MCTSAgent
from mcts_agents.envs import hex as hex_game


def main(simulations: int = 500, seed: int = 42) -> dict[str, float]:
    """Play one game and return each agent's reward."""
    env = hex_game.env(size=5, render_mode="ansi")
    agents = {
        "player_0": MCTSAgent(simulations=simulations, seed=0),
        "player_1": MCTSAgent(simulations=simulations // 5, seed=1),
    }
    rewards = dict.fromkeys(agents, 0.0)
    env.reset(seed=seed)
    for name in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        rewards[name] += reward
        action = None if termination or truncation else agents[name].act(env)
        env.step(action)
    print(env.render())
    print(rewards)
    env.close()
    return rewards


if __name__ == "__main__":
    main()
