"""Nodes per second of the minimax family, next to what the games' own functions cost.

Each search runs from a few positions of random play under a budget of nodes. What it
asked of the game meanwhile is recorded, and then asked again in a plain compiled loop:
the same states copied, the same moves made, the same actions listed, the same positions
evaluated. `rules` is the time of that loop a node; `order` adds what move ordering asks
for (`action_values`, `state_key`, `filter_actions`). `ratio` is the search's time over
that of `rules`: 2 means that half of the search's time is the game's. All times are the
best of some repetitions in one run, on one core, and of the processor, so that other
programs on the machine matter less.

    python benchmarks/minimax_speed.py                          # the games below
    python benchmarks/minimax_speed.py hex:size=5 --agents alphabeta,negascout
"""

import argparse
import ctypes
import time

import numpy as np
from numba import carray, njit

from mcts_agents.envs import load_game
from mcts_agents.minimax import ALGORITHMS, Minimax, MinimaxSettings
from mcts_agents.minimax.kernel.records import MINIMAX
from mcts_agents.model import calls as call
from mcts_agents.model import draw_below, new_generator
from mcts_agents.model.addresses import as_pointer, int32_at
from mcts_agents.model.contract import ENTRIES, ROW
from mcts_agents.names import parse_spec

GAMES = [
    "tictactoe",
    "hex:size=5",
    "dots_and_boxes",
    "connect_four",
    "othello",
    "othello:evaluation=discs",
    "breakthrough",
    "knightthrough",
    "chinese_checkers:players=2",
    "chinese_checkers",
    "chinese_checkers:players=6",
    "rolit:players=3",
    "rolit",
    "focus",
    "sushi_go:players=3",
    "diamant:players=3",
]
AGENTS = ("alphabeta", "negascout", "paranoid-alphabeta", "brs-plus", "max-n")
REPETITIONS = 7
# Operations that are repeated together: few enough for the cache that the states stay
# in it, too many for the processor to know all branches by heart.
BLOCK = 20_000

RULES = ("copy", "apply", "movers", "legal_actions", "results", "scores", "evaluate")
ORDER = ("action_values", "state_key", "filter_actions")
COPY, APPLY, MOVERS, LEGAL, RESULTS, SCORES, EVALUATE, VALUES, KEY, FILTER = range(10)


class Recorder:
    """Stands between a search and its game, and notes what is asked."""

    def __init__(self, search):
        self.model = search.model
        self.operations, self.states, self.joints = [], [], []
        self._search, self._target = search, None
        self._kept = []

    def __enter__(self):
        table = self._search.arrays["table"].reshape(-1, 2)
        self._before = table.copy()
        for code, name in enumerate((*RULES, *ORDER)):
            if table[ROW[name]].any():
                parameters = ENTRIES[name].parameters
                kind = ctypes.CFUNCTYPE(*[ctypes.c_int64] * (len(parameters) + 1))
                callback = kind(self._noting(code, name))
                self._kept.append(callback)
                table[ROW[name]] = ctypes.cast(callback, ctypes.c_void_p).value, 0
        return self

    def __exit__(self, *exception):
        self._search.arrays["table"].reshape(-1, 2)[:] = self._before

    def _noting(self, code, name):
        def noting(game, *arguments):
            if code == COPY:
                self._target, source = arguments
                self._copied(source)
            else:
                if arguments[0] != self._target:
                    self._target = arguments[0]
                    self._copied(self._target)
                player = arguments[1] if len(arguments) > 1 and code != APPLY else 0
                n = arguments[3] if code in (VALUES, FILTER) else 0
                place = len(self.joints)
                if code == APPLY:
                    players = self.model.players
                    joint = (ctypes.c_int32 * players).from_address(arguments[1])
                    self.joints.append(list(joint))
                self.operations.append((code, player, n, place))
            return self.model.call(name, *arguments)

        return noting

    def _copied(self, source):
        self.operations.append((COPY, 0, 0, len(self.states)))
        self.states.append(ctypes.string_at(source, self.model.state_size))


@njit
def replay(address, operations, states, size, joints, last):
    """Ask a game for all that was noted, up to the kind of operation `last`."""
    search = carray(as_pointer(address), 1, MINIMAX)[0]
    joint = int32_at(search.joint_action, search.players)
    search.state = search.states
    for i in range(len(operations)):
        kind, player, n, place = operations[i]
        if kind > last:
            continue
        if kind == COPY:
            call.copy_between(search, search.state, states + place * size)
        elif kind == APPLY:
            for p in range(search.players):
                joint[p] = joints[place, p]
            call.apply(search)
        elif kind == MOVERS:
            call.movers(search)
        elif kind == LEGAL:
            call.legal_actions(search, player)
        elif kind == RESULTS:
            call.results(search)
        elif kind == SCORES:
            call.scores(search)
        elif kind == EVALUATE:
            call.evaluate(search)
        elif kind == VALUES:
            call.action_values(search, player, n)
        elif kind == KEY:
            call.state_key(search, player)
        else:
            call.filter_actions(search, player, n)


def positions(model, n, seed=1):
    """Return `n` positions of random play, with who is to move."""
    rng = new_generator(np.random.SeedSequence(seed))
    found = []
    while len(found) < n:
        state = model.reset(rng)
        line = []
        while movers := model.movers(state):
            line.append((model.copy(state), movers[0]))
            joint = {}
            for player in movers:
                legal = model.legal_actions(state, player)
                joint[player] = int(legal[draw_below(rng, len(legal))])
            model.apply(state, joint, rng)
        # Neither the opening, which is special, nor the end, which is short.
        wide = [at for at in line if len(model.legal_actions(*at)) > 1]
        found += wide[len(wide) // 4 : len(wide) // 2 + 1 : max(len(wide) // 8, 1)]
    return found[:n]


def seconds_of(search, at):
    """Return the nodes of a search from a position, and its best time."""
    best = np.inf
    for _ in range(REPETITIONS):
        began = time.thread_time()
        result = search.run(*at, new_generator(np.random.SeedSequence(0)))
        best = min(best, time.thread_time() - began)
    return result.nodes, best


def blocks(operations):
    """Yield parts of what was noted that begin with the copy of a state."""
    copies = np.flatnonzero(operations[:, 0] == COPY)
    starts = [0]
    for place in copies:
        if place >= starts[-1] + BLOCK:
            starts.append(place)
    for start, end in zip(starts, [*starts[1:], len(operations)], strict=True):
        yield operations[start:end]


def seconds_of_rules(search, at, last):
    """Return the best time of what a search from a position asks of its game."""
    with Recorder(search) as recorder:
        search.run(*at, new_generator(np.random.SeedSequence(0)))
    size = search.model.state_size
    states = np.frombuffer(b"".join(recorder.states), np.uint8).reshape(-1, size)
    states = np.ascontiguousarray(states)
    joints = np.array(recorder.joints, np.int32)
    operations = np.array(recorder.operations, np.int64)
    address = search.record.ctypes.data
    totals = []
    for wanted in last:
        total = 0.0
        for block in blocks(operations):
            times = []
            for _ in range(REPETITIONS + 1):
                began = time.thread_time()
                replay(address, block, states.ctypes.data, size, joints, wanted)
                times.append(time.thread_time() - began)
            total += min(times)
        totals.append(total)
    return totals


def measure(model, settings, roots, nodes):
    """Print one line of the table."""
    search = Minimax(model, settings)
    visited, times, rules, ordered = 0, 0.0, 0.0, 0.0
    for at in roots:
        n, seconds = seconds_of(search, at)
        pure, with_order = seconds_of_rules(search, at, (EVALUATE, FILTER))
        visited, times = visited + n, times + seconds
        rules, ordered = rules + pure, ordered + with_order
    if visited == 0:
        return
    print(
        f"{settings.algorithm:19}{visited / times / 1e6:8.2f}"
        f"{1e9 * times / visited:9.0f}{1e9 * rules / visited:8.0f}"
        f"{1e9 * ordered / visited:8.0f}{times / rules:8.2f}{times / ordered:12.2f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--agents", default=",".join(AGENTS))
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--positions", type=int, default=6)
    chosen = parser.parse_args()
    for spec in chosen.games:
        name, options = parse_spec(spec)
        model = load_game(name).rules.model(**options)
        roots = positions(model, chosen.positions)
        print(f"\n{spec}, {chosen.nodes} nodes a decision")
        print(
            "agent               M nodes/s  ns/node   rules  +order   ratio  with order"
        )
        for algorithm in chosen.agents.split(","):
            if algorithm not in ALGORITHMS:
                parser.error(f"{algorithm!r}: known are {', '.join(ALGORITHMS)}")
            settings = MinimaxSettings(algorithm, nodes=chosen.nodes)
            try:
                settings.for_model(model)
            except ValueError as error:
                print(f"{algorithm:20}{str(error).split(';')[0]}")
                continue
            measure(model, settings, roots, chosen.nodes)


if __name__ == "__main__":
    main()
