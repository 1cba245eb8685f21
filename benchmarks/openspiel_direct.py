"""Games of OpenSpiel searched directly, against three other ways to search them.

- `bot`: OpenSpiel's own C++ MCTSBot. The same position, number of simulations and
  exploration (its values lie between -1 and 1, ours between 0 and 1, so that its
  constant is twice ours), one uniform rollout a simulation, a fresh tree, no solver.
- `loop`: random rollouts in a Python loop over pyspiel, with no tree at all. In games
  with hidden information our search resamples it in each simulation; the loop does not.
- `shimmy`: shimmy's PettingZoo environment, of which our search steps copies. It is
  told that nothing is hidden, which saves it resampling.

Each pair is measured in alternation in one run, since machines are noisy, in seconds of
this process, and the ratio is taken pair by pair.

    pip install --editable ".[openspiel]" "shimmy[openspiel]"
    python benchmarks/openspiel_direct.py [bot loop shimmy] [--pairs 10] [--seconds 0.5]
"""

import argparse
import json
import random
import statistics
import time

import pyspiel

from mcts_agents import MCTSAgent
from mcts_agents.envs import environments

EXPLORATION = 2**0.5
GAMES = {
    "bot": (
        "breakthrough", "hex(board_size=7)", "go(board_size=9)", "othello",
        "connect_four", "tic_tac_toe",
    ),
    "loop": (
        "kuhn_poker", "leduc_poker", "universal_poker", "hearts", "oh_hell", "euchre",
        "backgammon", "pig(players=3)", "goofspiel", "goofspiel(players=3)",
        "chinese_checkers(players=3)", "markov_soccer", "blackjack",
    ),
    "shimmy": (
        "connect_four", "breakthrough", "hex(board_size=7)", "othello", "kuhn_poker",
        "leduc_poker",
    ),
}  # fmt: skip


def directly(name, simulations):
    """Return a function that plans once, in the first decision of a game."""
    raw_env, _, _ = environments(f"open_spiel:{name}")
    env = raw_env(observation="blank")
    env.reset(seed=0)
    agent = MCTSAgent(
        simulations=simulations, solver=False, exploration=EXPLORATION, seed=0
    )

    def once():
        env.reset(seed=0)  # another game, of which nothing is known yet
        agent.plan(env)
        return simulations

    return once


def opening(name):
    """Return the first decision of a game, chance drawn."""
    state = pyspiel.load_game(name).new_initial_state()
    generator = random.Random(0)
    while state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(generator.choices(actions, chances)[0])
    return state


def bot(name, simulations):
    """Return a function that lets OpenSpiel search once."""
    state = opening(name)
    player = pyspiel.MCTSBot(
        state.get_game(),
        pyspiel.RandomRolloutEvaluator(1, 0),
        2 * EXPLORATION,
        simulations,
        0,  # MB; no limit
        False,  # solve
        0,  # seed
        False,  # verbose
    )

    def once():
        player.mcts_search(state)
        return simulations

    return once


def loop(name, simulations):
    """Return a function that plays random games in Python."""
    root = opening(name)
    players = root.num_players()
    generator = random.Random(0)

    def once():
        for _ in range(simulations):
            state = root.clone()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(generator.choices(actions, chances)[0])
                elif state.is_simultaneous_node():
                    legal = [state.legal_actions(player) for player in range(players)]
                    state.apply_actions([generator.choice(each) for each in legal])
                else:
                    state.apply_action(generator.choice(state.legal_actions()))
            state.returns()
        return simulations

    return once


def shimmy(name, simulations):
    """Return a function that plans once in shimmy's environment."""
    from shimmy import OpenSpielCompatibilityV0

    env = OpenSpielCompatibilityV0(env=pyspiel.load_game(name))
    env.reset(seed=0)
    agent = MCTSAgent(
        simulations=simulations,
        exploration=EXPLORATION,
        seed=0,
        perfect_information=True,
    )

    def once():
        agent.plan(env)
        return simulations

    return once


def speed(once):
    """Return simulations per second of this process."""
    started = time.process_time()
    done = once()
    return done / (time.process_time() - started)


def sized(make, name, seconds):
    """Return a function that searches for about so long, warm."""
    make(name, 8)()
    probe = 16
    while True:
        once = make(name, probe)
        once()
        started = time.process_time()
        once()
        took = time.process_time() - started
        if took > seconds / 8:
            break
        probe *= 4
    once = make(name, max(8, int(probe * seconds / took)))
    once()
    return once


def measure(kind, name, pairs, seconds):
    """Return the medians of both and of their ratio over alternating runs."""
    other = sized({"bot": bot, "loop": loop, "shimmy": shimmy}[kind], name, seconds)
    # OpenSpiel's bot makes the same number of simulations as ours: trees alike.
    simulations = other()
    ours = (
        directly(name, simulations) if kind == "bot" else sized(directly, name, seconds)
    )
    ours()
    rows = [(speed(ours), speed(other)) for _ in range(pairs)]
    ratios = [a / b for a, b in rows]
    return {
        "against": kind,
        "game": name,
        "pairs": pairs,
        "ours_per_second": statistics.median(a for a, _ in rows),
        "other_per_second": statistics.median(b for _, b in rows),
        "ratio": statistics.median(ratios),
        "ratio_least": min(ratios),
        "ratio_most": max(ratios),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("against", nargs="*", help="of bot, loop, shimmy; default all")
    parser.add_argument("--games", nargs="*", help="these alone")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each search")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    for kind in arguments.against or GAMES:
        ratios = []
        for name in arguments.games or GAMES[kind]:
            row = measure(kind, name, arguments.pairs, arguments.seconds)
            ratios.append(row["ratio"])
            if arguments.json:
                print(json.dumps(row), flush=True)
                continue
            print(
                f"{kind:7s} {name:28s} ours {row['ours_per_second']:>9,.0f}/s   other "
                f"{row['other_per_second']:>9,.0f}/s   ratio {row['ratio']:.2f} "
                f"({row['ratio_least']:.2f} to {row['ratio_most']:.2f})",
                flush=True,
            )
        if not arguments.json:
            print(f"{kind:7s} median of {len(ratios)}: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
