"""The parallel loop: Sushi Go with three players who all choose at once.

python examples/parallel_loop.py
"""

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.envs import sushi_go


def main(simulations: int = 300, seed: int = 42) -> dict[str, float]:
    """Play one game and return each agent's reward."""
    env = sushi_go.parallel_env(players=3)
    agents = {
        "player_0": MCTSAgent(tree="multi", simulations=simulations, seed=0),
        "player_1": OneStepAgent(seed=1),
        "player_2": RandomAgent(seed=2),
    }
    rewards = dict.fromkeys(agents, 0.0)
    observations, infos = env.reset(seed=seed)
    while env.agents:
        actions = {
            # All zeros: nothing to decide now (someone else uses chopsticks).
            name: agents[name].act(env, name)
            for name in env.agents
            if observations[name]["action_mask"].any()
        }
        observations, step_rewards, terminations, truncations, infos = env.step(actions)
        for name, reward in step_rewards.items():
            rewards[name] += reward
    print(rewards)
    env.close()
    return rewards


if __name__ == "__main__":
    main()
