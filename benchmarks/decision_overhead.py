"""What a decision costs besides its simulations: `act`, and `decide` inside a search.

Each figure is the median processor time of many decisions with two simulations. That is
about what opponents of learners, agents inside agents and self-play pay for each
decision before they search, except where simulations themselves are long: so the last
column leaves them out, by what two more of them take. Run it on a machine that does
nothing else:

    python benchmarks/decision_overhead.py
"""

import statistics
import time

from mcts_agents import MCTSAgent
from mcts_agents.envs import environments, load_game
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

GAMES = ("tictactoe", "hex", "sushi_go", "chinese_checkers", "pommerman")
DECISIONS = 2000
SIMULATIONS = 2


def microseconds(started: int) -> float:
    """Return the processor time since `started` in microseconds."""
    return (time.process_time_ns() - started) / 1000


def of_act(name: str) -> float:
    """Return the median time of `act` in the opening of a game."""
    _, make_env, _ = environments(load_game(name))
    env = make_env()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=SIMULATIONS, seed=0)
    times = []
    for _ in range(DECISIONS + 50):
        started = time.process_time_ns()
        agent.act(env)
        times.append(microseconds(started))
    return statistics.median(times[50:])


def of_decide(name: str, simulations: int = SIMULATIONS) -> float:
    """Return the median time of `decide` by a modelled player of another search."""
    model = load_game(name).rules.model()
    agent = MCTSAgent(simulations=simulations, seed=0)
    times = []

    def decide(model, state, player):
        started = time.process_time_ns()
        action = agent.decide(model, state, player)
        times.append(microseconds(started))
        return action

    settings = SearchSettings(
        simulations=10**6, rollout_policy=decide, rollout=20, tree="self"
    )
    search = Search(model, settings)
    rng = new_generator(0)
    state = model.reset(rng)
    player = model.movers(state)[0]
    while len(times) < DECISIONS + 50:
        search.run(state, player, rng, simulations=20)
    return statistics.median(times[50:])


def main() -> None:
    """Print both for each game."""
    title = f"microseconds, {SIMULATIONS} simulations"
    print(f"{title:28s} {'act':>8s} {'decide':>8s} {'without simulations':>20s}")
    for name in GAMES:
        decide = of_decide(name)
        alone = 2 * decide - of_decide(name, 2 * SIMULATIONS)
        print(f"{name:28s} {of_act(name):8.1f} {decide:8.1f} {alone:20.1f}")


if __name__ == "__main__":
    main()
