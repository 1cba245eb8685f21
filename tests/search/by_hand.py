"""Plug-ins of the search called alone, on records that a test fills by hand."""

import numpy as np
from numba import carray, int64, njit

from mcts_agents.model import new_generator
from mcts_agents.model.addresses import as_pointer, first_class, int32_at
from mcts_agents.search.driver.compiled import compiled
from mcts_agents.search.kernel.backup_operators import BACKUPS
from mcts_agents.search.kernel.records import (
    BACKUP,
    DECISION,
    EDGE,
    OUTCOME,
    PLUG_IN,
    SETTINGS,
    STATISTIC,
)
from mcts_agents.search.kernel.tree_policies import TREE_POLICIES

_load = first_class(PLUG_IN)

# Plug-ins by the names that tests call them by.
PLUG_INS = {
    **BACKUPS,
    **{name: policy.choose for name, policy in TREE_POLICIES.items()},
    **{
        f"{name}_update": policy.update
        for name, policy in TREE_POLICIES.items()
        if policy.update
    },
    "ucb1": TREE_POLICIES["ucb1"].plain,
    "ucb1_extended": TREE_POLICIES["ucb1"].choose,
    "puct": TREE_POLICIES["alphago"].evaluated,
}


@njit(int64(int64, int64, int64, int64), cache=False)
def _call(row, view, settings, rng):
    function = _load(row)
    return function(view, settings, rng)


class Node:
    """One decision with `count` actions, whose records are filled by a test.

    Other edges stand before its own, so that an index is not a place by accident.
    """

    FIRST = 3

    def __init__(self, count: int, *, players: int = 2, seed: int = 0, **settings):
        self.count = count
        self._edges = np.zeros(self.FIRST + count, EDGE)
        self._statistics = np.zeros(self.FIRST + count, STATISTIC)
        self._values = np.zeros((self.FIRST + count, players))
        self.edges = self._edges[self.FIRST :]
        self.statistics = self._statistics[self.FIRST :]
        self.means = self._values[self.FIRST :]
        self.passed = np.zeros(players)
        self.weights = np.zeros(count)
        self.pool_visits, self.pool_means = np.zeros(count), np.zeros(count)
        self.listed = np.zeros(0, np.int32)
        self.rng = new_generator(seed)
        self.settings = np.zeros(1, SETTINGS)
        self.settings["first_play_urgency"] = np.inf
        for name, value in settings.items():
            self.settings[name] = value
        self.view = np.zeros(1, DECISION)
        self.view["low"], self.view["high"] = 0.0, 1.0

    def visit(self, visits, means):
        """Fill in n(a) and Q(a)."""
        self.edges["visits"], self.edges["mean"] = visits, means
        with np.errstate(divide="ignore"):
            self.edges["inverse_root"] = 1 / np.sqrt(self.edges["visits"])
        self.view["visits"] = int(np.sum(visits))

    def list(self, places):
        """Make only these actions candidates, by a list as in an open loop."""
        self.listed = np.array(places, np.int32) + self.FIRST

    def choose(self, policy: str) -> int:
        """Let a tree policy choose; return the place of the action."""
        view, logs = self.view, compiled().square_root_logs
        chosen = self.listed - self.FIRST if len(self.listed) else range(self.count)
        view["edges"], view["edges_length"] = self._edges.ctypes.data, len(self._edges)
        view["first"], view["count"] = self.FIRST, len(chosen)
        view["candidates"] = self.listed.ctypes.data if len(self.listed) else 0
        view["untried"] = sum(self.edges["visits"][i] == 0 for i in chosen)
        view["square_root_logs"] = logs.ctypes.data
        view["statistics"] = self._statistics.ctypes.data
        view["weights"] = self.weights.ctypes.data
        if self.pool_visits.any():
            view["abstract_visits"] = self.pool_visits.ctypes.data
            view["abstract_means"] = self.pool_means.ctypes.data
        return self._run(policy, view) - self.FIRST

    def update(self, policy: str, taken: int, value: float, probability: float, **rest):
        """Let a tree policy learn from an iteration."""
        view = np.zeros(1, OUTCOME)
        view["edges"], view["edges_length"] = self._edges.ctypes.data, len(self._edges)
        view["statistics"] = self._statistics.ctypes.data
        view["first"], view["count"] = self.FIRST, self.count
        view["edge"], view["value"] = self.FIRST + taken, value
        view["probability"], view["all_candidates"] = probability, 1
        view["high"] = 1.0
        for name, number in rest.items():
            view[name] = number
        self._run(f"{policy}_update", view)

    def pass_up(self, backup: str, taken: int, values, *, player=0, simultaneous=False):
        """Let a backup change the values passed up; return them."""
        self.passed[:] = values
        view = np.zeros(1, BACKUP)
        view["edges"], view["edges_length"] = self._edges.ctypes.data, len(self._edges)
        view["edge_values"] = self._values.ctypes.data
        view["first"], view["count"] = self.FIRST, self.count
        view["edge"], view["visits"] = self.FIRST + taken, self.view["visits"]
        view["player"], view["players"] = player, len(self.passed)
        view["simultaneous"] = simultaneous
        view["values"] = self.passed.ctypes.data
        self._run(backup, view)
        return self.passed.tolist()

    def _run(self, name: str, view: np.ndarray) -> int:
        row = np.array([0, compiled().plug_in(name, PLUG_INS[name])])
        return _call(
            row.ctypes.data,
            view.ctypes.data,
            self.settings.ctypes.data,
            self.rng.ctypes.data,
        )


@njit
def some_tree_policy(view, settings, rng):
    """A tree policy as a user may write one: the last candidate."""
    decision = carray(as_pointer(view), 1, DECISION)[0]
    if decision.candidates == 0:
        return decision.first + decision.count - 1
    candidates = int32_at(decision.candidates, decision.count)
    return np.int64(candidates[decision.count - 1])
