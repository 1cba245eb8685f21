"""Calls scripted agents of Pommerman many times, in compiled loops."""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import LARGEST, MOVES, SEATS, STATE, STOP
from mcts_agents.envs.pommerman.rules import apply, reset, rules
from mcts_agents.envs.pommerman.scripted import random_moves, simple, simple_unbiased
from mcts_agents.model import new_generator, random_below
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.random import shuffle

SOURCE = """
@njit(int64(intp, intp, int64, intp, intp, int64, intp), cache=CACHE)
def count(game, state, player, memory, rng, calls, counts):
    variant = carray(as_pointer(game), 1, GAME)[0]
    record = carray(as_pointer(state), 1, STATE)[0]
    memories = carray(as_pointer(memory), 2, MEMORY)
    generator = carray(as_pointer(rng), 2, UINT64)
    out = carray(as_pointer(counts), MOVES, INT64)
    for call in range(calls):
        memories[1] = memories[0]
        renew(memories[1], generator)
        out[act(variant, record, player, memories[1], generator)] += 1
    return 0

@njit(int64(intp, intp, intp, intp, intp), cache=CACHE)
def play(game, state, memory, rng, counts):
    variant = carray(as_pointer(game), 1, GAME)[0]
    record = carray(as_pointer(state), 1, STATE)[0]
    memories = carray(as_pointer(memory), SEATS, MEMORY)
    generator = carray(as_pointer(rng), 2, UINT64)
    out = carray(as_pointer(counts), MOVES, INT64)
    joint = zeros(SEATS, INT32)
    reset(variant, record, generator)
    for player in range(SEATS):
        begin(memories[player], generator)
    while not record.over:
        for player in range(variant.players):
            joint[player] = -1
            if record.alive >> player & 1:
                move = act(variant, record, player, memories[player], generator)
                out[move] += 1
                joint[player] = move << variant.message_bits
        apply(variant, record, joint, generator)
    return record.steps
"""


@njit
def idle(game, state, player, memory, rng):
    """Return a stop."""
    return np.int64(STOP)


@njit
def random_move(game, state, player, memory, rng):
    """Return one of the six moves, each as likely."""
    return random_below(rng, MOVES)


# The record that an agent works on, how it begins, and how it acts.
SCRIPTED = {
    "simple_unbiased": (
        simple_unbiased.MEMORY,
        simple_unbiased.begin,
        simple_unbiased.act,
    ),
    "simple": (simple.MEMORY, simple.begin, simple.act),
    "safe_random": (
        random_moves.MEMORY,
        random_moves.begin,
        random_moves.act_safe_random,
    ),
    "random": (random_moves.MEMORY, random_moves.begin, random_move),
    "idle": (random_moves.MEMORY, random_moves.begin, idle),
}


class Scripted:
    """A scripted agent, compiled, in one variant.

    Args:
        name: The agent's name.
        renew: Compiled `renew(memory, rng)`, called before each of many calls.
        variant: Keywords of the variant.
    """

    def __init__(self, name, renew, **variant):
        self.model = rules.model(**variant)
        self.memory, begin, act = SCRIPTED[name]
        namespace = {
            "GAME": self.model.game.dtype,
            "STATE": STATE,
            "MEMORY": self.memory,
            "UINT64": np.dtype(np.uint64),
            "INT64": np.dtype(np.int64),
            "INT32": np.dtype(np.int32),
            "MOVES": MOVES,
            "SEATS": SEATS,
            "zeros": np.zeros,
            "as_pointer": as_pointer,
            "renew": renew,
            "begin": begin,
            "act": act,
            "apply": njit(apply),
            "reset": njit(reset),
        }
        roots = (renew, begin, act, apply, reset)
        self.compiled = compile_module(f"test_{name}", SOURCE, namespace, roots)

    def counts(self, state, player, memory, rng, calls):
        """How often each move was chosen, int64, (6,); `memory` has two records."""
        found = np.zeros(MOVES, np.int64)
        self.compiled.count(
            self.model.game.ctypes.data,
            state.ctypes.data,
            player,
            memory.ctypes.data,
            rng.ctypes.data,
            calls,
            found.ctypes.data,
        )
        return found

    def play(self, seed):
        """Play a game with this agent in all seats: state, counts of moves."""
        state, rng = self.model.new_state(), new_generator(seed)
        memory = np.zeros(SEATS, self.memory)
        found = np.zeros(MOVES, np.int64)
        self.compiled.play(
            self.model.game.ctypes.data,
            state.ctypes.data,
            memory.ctypes.data,
            rng.ctypes.data,
            found.ctypes.data,
        )
        return state, found


@njit
def keep(memory, rng):
    """Leave a memory as it is."""


@njit
def renew_orders(memory, rng):
    """Shuffle the orders of SimpleUnbiased and keep what it remembers."""
    for i in range(SEATS):
        memory.agents[i] = i
    for i in range(LARGEST):
        memory.rows[i] = memory.columns[i] = i
    shuffle(rng, memory.agents, SEATS)
    shuffle(rng, memory.rows, LARGEST)
    shuffle(rng, memory.columns, LARGEST)
