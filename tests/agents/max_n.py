"""A small planner of another kind: max-n to a fixed depth, in plain Python.

It counts no visits and no simulations, and its tree is of plain objects. Players who
decide at once choose one after the other, the acting player first.
"""

import math

import numpy as np

from mcts_agents import Planner, SearchResult
from mcts_agents.agents import AgentKind
from mcts_agents.model import clock
from mcts_agents.search import ShownNode
from mcts_agents.search.options.option import Option

DESCRIBED = {
    "depth": Option("Decisions to look ahead.", "Search", kind=int, least=1, most=20),
    "seconds": Option("Seconds.", "Budget", kind=float, above=0.0, optional=True),
    "paranoid": Option("All others play to harm me.", "Search", kind=bool),
}
DEFAULTS = {"depth": 2, "seconds": None, "paranoid": False}


class TimeUp(Exception):
    """The search has to end."""


class Decision(ShownNode):
    """A player's decision: each action with every player's value, and what follows."""

    visits = None

    def __init__(self, player):
        self.player = player
        self.found = []

    @property
    def movers(self):
        return [self.player]

    @property
    def bandits(self):
        actions = [
            {
                "action": action,
                "visits": None,
                "available": None,
                "value": float(values[self.player]),
                "strategy": None,
                "proven": None,
            }
            for action, values, _ in self.found
        ]
        return [{"player": self.player, "visits": None, "actions": actions}]

    def children(self):
        for action, _, node in self.found:
            if node is not None:
                yield {self.player: action}, node

    def best(self, mine):
        return max(self.found, key=lambda found: mine(self.player, found[1]))

    def variation(self, mine):
        action, _, node = self.best(mine)
        rest = [] if node is None else node.variation(mine)
        return [(self.player, action), *rest]

    def count(self):
        return 1 + sum(node.count() for _, _, node in self.found if node is not None)


class MaxNAgent(Planner):
    """Looks a few decisions ahead; every player after its own score.

    Args:
        depth: Decisions to look ahead.
        seconds: Budget of a decision; the search deepens step by step until its end.
        paranoid: Whether all others minimise the acting player's score.
        **agent: See `Agent`.
    """

    def __init__(self, *, depth=2, seconds=None, paranoid=False, **agent):
        given = {"depth": depth, "seconds": seconds, "paranoid": paranoid}
        for name, value in given.items():
            DESCRIBED[name].check(name, value)
        self.depth, self.seconds, self.paranoid = depth, seconds, paranoid
        super().__init__(**agent)

    def __repr__(self):
        return f"MaxNAgent(depth={self.depth})"

    def value_scale(self, model):
        return "score"

    def search(self, model, state, player, history=None, *, started=None):
        started = clock.now() if started is None else started

        def mine(mover, values):
            if self.paranoid and mover != player:
                return -values[player]
            return values[mover]

        root, reached = None, 0
        try:
            for depth in range(1, self.depth + 1):
                end = self.deadline(started) if root is not None else math.inf
                root = self._decision(model, state, {}, player, depth, mine, end)
                reached = depth
        except TimeUp:
            pass
        return SearchResult(
            action=root.best(mine)[0],
            actions=np.array([action for action, _, _ in root.found], np.int32),
            values=np.array([values[player] for _, values, _ in root.found]),
            nodes=root.count(),
            depth=reached,
            seconds=clock.now() - started,
        ).showing(root.variation(mine), root)

    def _decision(self, model, state, chosen, player, depth, mine, end):
        node = Decision(player)
        for action in model.legal_actions(state, player).tolist():
            if clock.now() >= end:
                raise TimeUp
            joint = {**chosen, player: action}
            found = self._after(model, state, joint, depth - 1, mine, end)
            node.found.append((action, *found))
        return node

    def _after(self, model, state, chosen, depth, mine, end):
        """Return the values after some have chosen, and the next decision looked at."""
        waiting = [p for p in model.movers(state) if p not in chosen]
        if not depth:  # the rest take what comes first
            first = {p: int(model.legal_actions(state, p)[0]) for p in waiting}
            chosen, waiting = {**chosen, **first}, []
        if not waiting:
            state = model.copy(state)
            model.apply(state, chosen, self._rng)
            waiting, chosen = model.movers(state), {}
            if not waiting or not depth:
                return model.scores(state), None
        node = self._decision(model, state, chosen, waiting[0], depth, mine, end)
        return node.best(mine)[1], node


def _written(agent, full):
    given = {name: getattr(agent, name) for name in DEFAULTS}
    return {n: v for n, v in given.items() if full or v != DEFAULTS[n]}


KIND = AgentKind(
    name="plain",
    agent=MaxNAgent,
    make=MaxNAgent,
    options=(*DESCRIBED, "seed"),
    written=_written,
    described=DESCRIBED,
    budgets=("seconds",),
    search_space=("depth=1..2", "paranoid"),
)
