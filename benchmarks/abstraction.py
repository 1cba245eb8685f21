"""What opponent move abstraction (OMA) costs, as a share of the simulations a second.

Both searches take turns on the same positions, within one run: without OMA, with OMA,
without OMA again, and so on. A rate is compared with that of the same position and
round, and the figure is the median of these ratios. The searches are those of Baier and
Kaisers, CoG 2020: no rollouts, the game's evaluation at leaves, with and without
progressive widening.

    python benchmarks/abstraction.py                          # Chinese Checkers
    python benchmarks/abstraction.py rolit:players=3 hex      # any games
    python benchmarks/abstraction.py --simulations 50000 --rounds 9
"""

import argparse
import statistics
import time

from mcts_agents.envs import make_any
from mcts_agents.model import draw_below, new_generator
from mcts_agents.search import Search, SearchSettings

GAMES = ("chinese_checkers:players=3", "chinese_checkers:players=4")
SEARCH = {"rollout": 0, "value": "evaluate", "solver": False}
SEARCHES = {
    "MCTS": {},
    "MCTS-PW": {"action_heuristic": "game", "widening": 1.0},
}
OMA = {"abstraction": "all"}
# Moves played at random before the positions.
MOVES = (0, 12, 24)


def positions(model, moves):
    """Return (state, player) after some random moves, of games that go on so long."""
    rng = new_generator(17)
    found = []
    for count in moves:
        state = model.reset(rng)
        for _ in range(count):
            joint = {}
            for player in model.movers(state):
                legal = model.legal_actions(state, player)
                joint[player] = int(legal[draw_below(rng, len(legal))])
            model.apply(state, joint, rng)
        if model.movers(state):
            found.append((state, model.movers(state)[0]))
    return found


def rate(search, state, player):
    """Return the simulations of one decision in a second of the processor's time.

    What else runs on the machine takes less of that than of time by the clock.
    """
    begun = time.process_time()
    result = search.run(state, player, new_generator(5))
    return result.simulations / (time.process_time() - begun)


def measure(game, options, simulations, rounds):
    """Return the median ratio of the rates, and both median rates."""
    _, model = make_any(game)
    plain = Search(model, SearchSettings(simulations=simulations, **SEARCH, **options))
    abstract = Search(
        model, SearchSettings(simulations=simulations, **SEARCH, **options, **OMA)
    )
    ratios, without, with_oma = [], [], []
    for number in range(rounds + 1):
        for state, player in positions(model, MOVES):
            one, other = rate(plain, state, player), rate(abstract, state, player)
            if number > 0:  # memory is touched for the first time in the first round
                ratios.append(other / one)
                without.append(one)
                with_oma.append(other)
    middle = statistics.median
    return middle(ratios), middle(without), middle(with_oma)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--simulations", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for game in given.games:
        for name, options in SEARCHES.items():
            ratio, plain, oma = measure(game, options, given.simulations, given.rounds)
            print(
                f"{game}, {name}: {plain:,.0f} simulations/s, with OMA {oma:,.0f}, "
                f"{1 - ratio:.1%} fewer",
                flush=True,
            )


if __name__ == "__main__":
    main()
