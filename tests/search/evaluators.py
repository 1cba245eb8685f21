"""Evaluators for tests: small real functions of what they are shown."""

import numpy as np

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.exact import tictactoe


class Even:
    """Says nothing: even shares, even priors. Counts its calls and their sizes."""

    def __init__(self, players):
        self.players = players
        self.calls = []

    def __call__(self, observations, players, legal):
        self.calls.append(len(players))
        return self.answer(observations, players, legal)

    def answer(self, observations, players, legal):
        """Values and logits; the others override it."""
        values = np.full((len(players), self.players), 1.0 / self.players)
        return values, np.zeros(legal.shape)


class Linear(Even):
    """A random linear layer with sigmoid values and logits."""

    def __init__(self, players, sizes, seed=0):
        super().__init__(players)
        seen, actions = sizes
        rng = np.random.default_rng(seed)
        self.value_weights = rng.normal(size=(seen + 1, players))
        self.policy_weights = rng.normal(size=(seen + 1, actions))

    def answer(self, observations, players, legal):
        flat = observations.reshape(len(players), -1).astype(float)
        seen = np.concatenate([flat, np.ones((len(flat), 1))], axis=1)
        # Row by row: a product of matrices may add up otherwise for other batches.
        outputs = np.array([row @ self.value_weights for row in seen])
        logits = np.array([row @ self.policy_weights for row in seen])
        return 1.0 / (1.0 + np.exp(-outputs)), logits


class OfStates(Linear):
    """The same for games without `observe`, or where it is not what is wanted."""

    def observe(self, model, states, players):
        assert states.shape == (len(players), model.state_size)
        return states % 7


class Perfect(Even):
    """Knows the result of every position of Tic-Tac-Toe, and prefers no move."""

    def answer(self, observations, players, legal):
        values = np.empty((len(players), 2))
        for row, (seen, player) in enumerate(zip(observations, players, strict=True)):
            own, other, my_turn = seen.reshape(3, 9)
            assert my_turn.all()
            marks = "XO" if player == 0 else "OX"
            board = np.where(own, marks[0], np.where(other, marks[1], "."))
            share = (1 + tictactoe.value("".join(board))) / 2
            values[row, player], values[row, 1 - player] = share, 1 - share
        return values, np.zeros(legal.shape)


def linear(model, seed=0):
    """A random network for a game with `observe`."""
    return Linear(model.players, (model.observation_size, model.actions), seed)


def of_states(model, seed=0):
    """A random network on the bytes of the states of any compiled game."""
    return OfStates(model.players, (model.state_size, model.actions), seed)


PUCT = {"tree_policy": "alphago", "value": "win"}


def run(model, evaluator, *, seed=0, moves=(), player=None, **chosen):
    """Search once; returns the result and the search."""
    rng = new_generator(seed)
    state = model.reset(rng)
    for move in moves:
        model.apply(state, {model.movers(state)[0]: move}, rng)
    player = model.movers(state)[0] if player is None else player
    settings = {**PUCT, "simulations": 300, "evaluator": evaluator, **chosen}
    search = Search(model, SearchSettings(**settings))
    return search.run(state, player, rng), search


def virtual_visits(search):
    """The virtual visits of all edges that nodes have."""
    arrays, used = (
        search._workspace.memory.arrays,
        int(search._workspace.record["node_count"][0]),
    )
    blocks = [
        arrays["statistics"]["virtual_visits"][node["first"] :][: node["count"]]
        for node in arrays["nodes"][:used]
    ]
    return np.concatenate(blocks)
