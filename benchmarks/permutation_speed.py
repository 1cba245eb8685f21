"""Time of a playout and memory of RAVE, GRAVE and MCPS, next to UCT's.

Four searches of the same positions: `mcts` with UCB1 (solver off), `rave`, `grave` and
`mcps`. Next to them is what the game takes alone: a playout as `mcts` makes it, and one
that records its moves, or the sets of its actions, which the others need. Where the
rules take a shortcut to the end of a random game these differ, so there are two ratios:
`to UCT` compares whole playouts as they are, `equal` those of a UCT whose playouts take
as long as recorded ones. The searches run side by side on one core
(`side_by_side.py`), and their times are medians of some rounds; those of the game alone
are the best. Memory is what the search has in use at its end.

    python benchmarks/permutation_speed.py
    python benchmarks/permutation_speed.py nogo hex:size=9 --simulations 1000,5000
    python benchmarks/permutation_speed.py hex:size=11 --simulations 100000
"""

import argparse
import itertools
import statistics
import time

import numpy as np
from numba import carray, njit
from side_by_side import rates

from mcts_agents.agents import make_agent
from mcts_agents.envs import make_model
from mcts_agents.model import calls as call
from mcts_agents.model import new_generator
from mcts_agents.model.addresses import as_pointer
from mcts_agents.permutation import PermutationSearch, PermutationSettings
from mcts_agents.permutation.kernel.records import PERMUTATION
from mcts_agents.permutation.kernel.statistics import address_of_sets, clear_sets

GAMES = ["hex:size=7,first_cell=c3", "tictactoe", "dots_and_boxes", "connect_four"]
AGENTS = "rave,grave,mcps"
REPETITIONS = 7
# Of each search in a round.
SECONDS = 2.0
ROUNDS = 5
PLAYOUTS = 20_000


@njit
def play(address, count, recorded):
    """Play at random from the root, and record the moves or not."""
    search = carray(as_pointer(address), 1, PERMUTATION)[0]
    moves = 0
    for _ in range(count):
        call.copy(search)
        if recorded and search.set_words:
            clear_sets(search)
            out = address_of_sets(search, search.simulations)
            moves += call.playout_sets(search, search.rollout, out)
        elif recorded:
            kind = search.code_kind
            moves += call.playout_moves(search, search.rollout, kind, search.trace)
        else:
            moves += call.playout(search, search.rollout)
    return moves


def best_seconds(function):
    """Return the shortest of some repetitions of a call, and its last answer."""
    seconds = []
    for _ in range(REPETITIONS):
        began = time.thread_time()
        answer = function()
        seconds.append(time.thread_time() - began)
    return min(seconds), answer


def playout_seconds(model, state):
    """Return what a playout takes, as it is and recorded."""
    search = PermutationSearch(model, PermutationSettings("grave", simulations=2))
    search.run(state, model.movers(state)[0], new_generator(1))
    address = search.record.ctypes.data
    for recorded in (False, True):
        play(address, 1, recorded)
        seconds, _ = best_seconds(lambda r=recorded: play(address, PLAYOUTS, r))
        yield seconds / PLAYOUTS


def measure(model, state, specs):
    """Return microseconds of a playout, and a result, of agents side by side."""
    player = model.movers(state)[0]
    seeds = itertools.count(1)
    calls, results = {}, {}
    for spec in specs:
        agent = make_agent(spec)
        agent.prepare(model, player)

        def decide(agent=agent):
            agent.reset(next(seeds))
            return agent.search(model, state, player)

        calls[spec], results[spec] = decide, decide()
    found = rates(calls, SECONDS, ROUNDS)
    return [
        (1e6 / (statistics.median(found[spec]) * results[spec].simulations), result)
        for spec, result in results.items()
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--agents", default=AGENTS)
    parser.add_argument("--simulations", default="1000,5000,10000")
    chosen = parser.parse_args()
    for spec in chosen.games:
        model = make_model(spec)[1]
        state = model.reset(new_generator(np.random.SeedSequence(1)))
        plain, recorded = (1e6 * s for s in playout_seconds(model, state))
        print(f"\n{spec}: a playout {plain:.3f} us, recorded {recorded:.3f} us")
        print("agent   simulations  us/playout  search  to UCT  equal  depth     MiB")
        for n in map(int, chosen.simulations.split(",")):
            names = ["mcts", *chosen.agents.split(",")]
            specs = [f"{name}:simulations={n}" for name in names]
            specs[0] += ",solver=false"
            found = measure(model, state, specs)
            alone = [plain] + [recorded] * (len(names) - 1)
            rows = [
                (name, *measured, own)
                for name, measured, own in zip(names, found, alone, strict=True)
            ]
            uct = found[0][0]
            equal = uct - plain + recorded
            for name, found, result, own in rows:
                print(
                    f"{name:8}{n:11}{found:12.3f}{found - own:8.3f}{found / uct:8.2f}"
                    f"{found / (uct if name == 'mcts' else equal):7.2f}"
                    f"{result.depth:7}{result.bytes / 2**20:8.1f}"
                )


if __name__ == "__main__":
    main()
