"""Decisions of self-play a second with a small network, beside two loops in Python.

- `a dictionary`: how AlphaZero is most often written first (alpha-zero-general and its
  many relatives): statistics in dictionaries by position, a recursive search, one call
  of the network for each new position, one game at a time. It plays on OpenSpiel's
  states, in C++, which are faster than the boards in Python of most such programs.
- `OpenSpiel`: its own Python search with PUCT, as its AlphaZero uses it, and an
  evaluator with a cache, one call of the network for each new position.
- ours: `SelfPlay` with PUCT, 256 games that share calls of the network.

All have the same simulations, root noise, and network: a perceptron with two layers of
64 units in PyTorch on one thread. They take turns; rates are decisions per second of
processor time, ratios those of one round, and their median counts. With `--network
residual`, the network is the package's default one.

    taskset -c 1 python benchmarks/self_play_in_python.py [--simulations 64]
"""

import argparse
import math
import time
from collections import OrderedDict

import numpy as np
import pyspiel
import torch
from open_spiel.python.algorithms import mcts
from torch import nn

from mcts_agents.envs import make_model
from mcts_agents.learn.training import GameSettings, SelfPlay
from mcts_agents.networks import Network, NetworkConfig, NetworkEvaluator
from mcts_agents.search import SearchSettings

# Ours, and OpenSpiel's.
PAIRS = (("connect_four", "connect_four"), ("hex:size=7", "hex(board_size=7)"))
GAMES = 256
UNITS = 64
ROUNDS, SECONDS = 5, 3.0
C_PUCT, NOISE, ALPHA = 1.5, 0.25, 1.0
CACHED = 2**16


class Ours:
    """Self-play of this package."""

    def __init__(self, name, simulations, kind):
        model = make_model(name)[1]
        sizes = {"hidden": (UNITS, UNITS)} if kind == "perceptron" else {}
        network = Network(NetworkConfig.for_model(model, kind, **sizes))
        settings = SearchSettings(
            evaluator=NetworkEvaluator(network, threads=1),
            simulations=simulations,
            value="win",
            batch=1,
            tree_policy="alphago",
            exploration=C_PUCT,
            root_noise=NOISE,
            root_noise_alpha=ALPHA,
        )
        self._play = SelfPlay(
            model, settings, GameSettings(explore_moves=10), games=GAMES
        )
        next(self._play)

    def rate(self):
        """Return decisions a second."""
        begun, began = self._play.figures.decisions, time.process_time()
        while time.process_time() - began < SECONDS:
            next(self._play)
        took = time.process_time() - began
        return (self._play.figures.decisions - begun) / took


class InPython:
    """Plays one game of OpenSpiel after another."""

    def __init__(self, name, simulations, kind):
        self.game = pyspiel.load_game(name)
        self.simulations = simulations
        self.dice = np.random.RandomState(0)
        shape = self.game.observation_tensor_shape()
        actions = self.game.num_distinct_actions()
        sizes = {"hidden": (UNITS, UNITS)} if kind == "perceptron" else {}
        config = NetworkConfig(
            kind=kind,
            observation_shape=tuple(shape),
            actions=actions,
            teams=2,
            **sizes,
        )
        self._network = Network(config).eval()
        self._shape = shape
        self._state = self.game.new_initial_state()
        self.begin()

    def ask(self, state):
        """Return the network's value for the mover, and priors of legal actions."""
        seen = torch.tensor(state.observation_tensor()).reshape(1, *self._shape)
        with torch.inference_mode():
            logits, shares = self._network(seen)
        legal = state.legal_actions()
        chances = nn.functional.softmax(logits[0, legal], 0).numpy()
        player = state.current_player()
        value = 2.0 * torch.softmax(shares[0], 0)[player].item() - 1.0
        return value, legal, chances

    def begin(self):
        """Forget what belongs to one game."""

    def rate(self):
        """Return decisions a second."""
        began, decisions = time.process_time(), 0
        while time.process_time() - began < SECONDS:
            self._state.apply_action(self.decide(self._state))
            decisions += 1
            if self._state.is_terminal():
                self._state = self.game.new_initial_state()
                self.begin()
        return decisions / (time.process_time() - began)


class Dictionary(InPython):
    """PUCT in dictionaries."""

    def begin(self):
        """Forget the tree."""
        self._priors, self._visits, self._values = {}, {}, {}

    def decide(self, root):
        """Return an action, drawn by visits."""
        key = str(root)
        drawn = self.dice.dirichlet([ALPHA] * len(root.legal_actions()))
        noise = dict(zip(root.legal_actions(), drawn.tolist(), strict=True))
        for _ in range(self.simulations):
            self.descend(root.clone(), noise)
        counts = self._visits[key]
        actions = list(counts)
        shares = np.array([counts[action] for action in actions], float)
        return int(self.dice.choice(actions, p=shares / shares.sum()))

    def descend(self, state, noise=None):
        """Return what the position is worth to its mover, after one more visit."""
        key = str(state)
        if key not in self._priors:
            value, legal, chances = self.ask(state)
            self._priors[key] = dict(zip(legal, chances.tolist(), strict=True))
            self._visits[key] = dict.fromkeys(legal, 0)
            self._values[key] = dict.fromkeys(legal, 0.0)
            return value
        priors, visits, values = (
            table[key] for table in (self._priors, self._visits, self._values)
        )
        total = math.sqrt(sum(visits.values()) + 1e-8)
        best, action = -math.inf, -1
        for candidate, prior in priors.items():
            if noise:
                prior = (1 - NOISE) * prior + NOISE * noise[candidate]
            bound = values[candidate]
            bound += C_PUCT * prior * total / (1 + visits[candidate])
            if bound > best:
                best, action = bound, candidate
        mover = state.current_player()
        state.apply_action(action)
        if state.is_terminal():
            value = state.returns()[mover]
        else:
            value = -self.descend(state)
        count = visits[action]
        values[action] = (count * values[action] + value) / (count + 1)
        visits[action] = count + 1
        return value


class Cached(mcts.Evaluator):
    """A network with a cache, as OpenSpiel's evaluator of AlphaZero has one.

    By observations and legal actions, the latest CACHED of them, for all games.
    """

    def __init__(self, ask):
        self._ask = ask
        self._known = OrderedDict()

    def _answer(self, state):
        seen = np.asarray(state.observation_tensor(), np.float32).tobytes()
        key = seen, bytes(state.legal_actions_mask())
        if key in self._known:
            self._known.move_to_end(key)
        else:
            self._known[key] = self._ask(state)
            if len(self._known) > CACHED:
                self._known.popitem(last=False)
        return self._known[key]

    def evaluate(self, state):
        """Return the value for each player."""
        value = self._answer(state)[0]
        return [value, -value] if state.current_player() == 0 else [-value, value]

    def prior(self, state):
        """Return the probability of each legal action."""
        _, legal, chances = self._answer(state)
        return list(zip(legal, chances.tolist(), strict=True))


class OpenSpiel(InPython):
    """OpenSpiel's search in Python."""

    def __init__(self, *given):
        super().__init__(*given)
        self._bot = mcts.MCTSBot(
            self.game,
            C_PUCT,
            self.simulations,
            Cached(self.ask),
            solve=False,
            random_state=self.dice,
            dirichlet_noise=(NOISE, ALPHA),
            child_selection_fn=mcts.SearchNode.puct_value,
        )

    def decide(self, root):
        """Return an action, drawn by visits."""
        tree = self._bot.mcts_search(root)
        shares = np.array([child.explore_count for child in tree.children], float)
        place = self.dice.choice(len(shares), p=shares / shares.sum())
        return tree.children[place].action


def main():
    """Compare them in each game."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--network", default="perceptron")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for ours, theirs in PAIRS:
        players = [
            Ours(ours, asked.simulations, asked.network),
            Dictionary(theirs, asked.simulations, asked.network),
            OpenSpiel(theirs, asked.simulations, asked.network),
        ]
        rates = np.array([[player.rate() for player in players] for _ in range(ROUNDS)])
        here, *there = np.median(rates, axis=0)
        ratios = rates[:, :1] / rates[:, 1:]
        print(
            f"{ours}, {asked.network}, {asked.simulations} simulations: {here:,.0f} "
            "decisions a second; "
            + "; ".join(
                f"{name} {rate:,.1f}, ratio {np.median(ratio):.1f} "
                f"({ratio.min():.1f} to {ratio.max():.1f})"
                for name, rate, ratio in zip(
                    ("a dictionary", "OpenSpiel"), there, ratios.T, strict=True
                )
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
