"""Policies for tests: perceptrons of plain numbers, and perfect play."""

import numpy as np

from mcts_agents import PolicyAgent
from mcts_agents.agents.policies.files import write_npz
from mcts_agents.agents.policies.perceptron import Perceptron
from tests.exact import tictactoe

# Inputs and actions of Tic-Tac-Toe.
SEEN, ACTIONS = 27, 9


def arrays(seed=0, seen=SEEN, actions=ACTIONS, hidden=8, value=True):
    """A small random perceptron with a shared layer and two heads."""
    rng = np.random.default_rng(seed)
    sizes = {"shared.0": (hidden, seen), "policy.0": (actions, hidden)}
    if value:
        sizes |= {"value.0": (hidden, hidden), "value.2": (1, hidden)}
    found = {}
    for name, shape in sizes.items():
        found[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        found[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    return found


def saved(path, observation="flat", activation="tanh", **sizes):
    """Write a random perceptron to a file, and return its path as text."""
    write_npz(path, Perceptron(arrays(**sizes), activation), observation)
    return str(path)


def board_of(observation):
    """The position as characters, from what the player to move sees."""
    own, other, _ = np.reshape(observation, (3, 9))
    crosses_move = own.sum() == other.sum()
    marks = "XO" if crosses_move else "OX"
    return "".join(np.where(own, marks[0], np.where(other, marks[1], ".")))


def perfect_move(observation, mask):
    """The first best move in Tic-Tac-Toe."""
    values = tictactoe.move_values(board_of(observation))
    assert sorted(values) == mask.nonzero()[0].tolist()
    return max(values, key=values.get)


def perfect_logits(observation, mask):
    """No opinion on moves, and what the position is worth."""
    return np.zeros(ACTIONS), tictactoe.value(board_of(observation))


def even(observation, mask):
    """No opinion."""
    return np.zeros(len(mask))


PERFECT = PolicyAgent(perfect_move)
