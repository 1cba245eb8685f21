"""Steps and copies of Pommerman's forward model per second, on one core.

A step is one joint action of all players. All loops are compiled; the time is that of
the processor, since machines are shared. Figures of other programs
in the README were measured in the same way.

    python benchmarks/pommerman_steps.py [--seconds 1] [--repeats 5] [--json]
"""

import argparse
import json
import statistics
import time

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import LAY, MOVES, SEATS
from mcts_agents.envs.pommerman.opening import set_up
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.step import advance
from mcts_agents.model import new_generator, next_uint64, random_below
from mcts_agents.model.addresses import stack_int32

OPENINGS = 256
HALF = np.uint64(0xFFFF)
SIXTEEN = np.uint64(16)


@njit
def random_steps(game, openings, work, rng, number, moves_used, draw_boards):
    """Play random games; return the number of games that were begun."""
    moves = carray(stack_int32(SEATS), SEATS, np.int32)
    games = 0
    work[0].over = 1
    for _ in range(number):
        if work[0].over:
            games += 1
            if draw_boards:
                set_up(game, work[0], rng)
            else:
                work[0] = openings[random_below(rng, len(openings))]
        bits = next_uint64(rng)
        for player in range(SEATS):
            moves[player] = np.int64(bits & HALF) * moves_used >> 16
            bits >>= SIXTEEN
        advance(game, work[0], moves)
    return games


@njit
def copies(openings, work, number):
    """Copy states; return something that depends on each copy."""
    total = 0
    for i in range(number):
        work[i & 15] = openings[i & (OPENINGS - 1)]
        total += work[i & 15].cells[0]
    return total


def per_second(run, number, repeats):
    """Return the median of calls of `run(number)` as repetitions per second."""
    run(number)
    rates = []
    for _ in range(repeats):
        started = time.process_time()
        run(number)
        rates.append(number / (time.process_time() - started))
    return statistics.median(rates)


def measure(seconds, repeats):
    """Return all figures by name."""
    model = rules.model()
    rng = new_generator(0)
    openings = np.concatenate([model.reset(rng) for _ in range(OPENINGS)])
    openings = openings.view(model.view(model.new_state()).dtype)
    work = openings[:16].copy()
    game = model.game[0]

    def steps(moves, draw_boards=False):
        return lambda n: random_steps(game, openings, work, rng, n, moves, draw_boards)

    def playouts(number):
        for _ in range(number):
            state = openings[0:1].copy()
            model.call("playout", state.ctypes.data, rng.ctypes.data, 10**9)

    games = steps(MOVES)(100_000)
    runs = {
        "steps, random actions": steps(MOVES),
        "steps, random actions, boards drawn anew": steps(MOVES, True),
        "steps, random actions without bombs": steps(LAY),
        "copies": lambda n: copies(openings, work, n),
        "playouts from the opening, called from Python": playouts,
    }
    found = {"state_bytes": model.state_size, "steps_per_game": 100_000 / games}
    for name, run in runs.items():
        number = 1000
        while True:
            rate = per_second(run, number, 1)
            if number / rate > seconds / 10:
                break
            number *= 4
        found[name] = round(per_second(run, max(1000, int(rate * seconds)), repeats))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = measure(arguments.seconds, arguments.repeats)
    if arguments.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:48} {value:>14,.1f}")


if __name__ == "__main__":
    main()
