"""Algorithms 1 and 2 of Weil et al. 2023 in plain Python, over stored states.

SP-MCTS: the tree has the acting player's decisions. TP-MCTS: an opponent chooses below
each of them, selected anew in each state, with the value negated; then the environment
steps. All the others follow a model. It draws the same random numbers in the same order
as the compiled search, so that both must visit every action equally often.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from mcts_agents.model import DRAWN, PLAYING, WON
from tests.search.naive import INVERSE_ROOT, Generator, natural_log


@dataclass
class Edge:
    """One action of one player at one node."""

    visits: int = 0
    mean: float = 0.0


@dataclass
class Node:
    """Who chooses here; without a state, those above it have chosen but not moved."""

    movers: tuple[int, ...]
    state: np.ndarray | None = None
    edges: dict[int, dict[int, Edge]] = field(default_factory=dict)
    below: dict[tuple[int, ...], "Node"] = field(default_factory=dict)
    scores: list[np.ndarray] = field(default_factory=list)  # after each move to here


class StoredTwin:
    """One decision.

    Args:
        model: The game.
        state: The root.
        player: The acting player.
        rng: The search's generator, an array.
        select: `(state)`: the others who choose in the tree; None: nobody.
        reply: `(state, player)`: the action of a modelled player; None: at random.
        serialised: Each chooses after the player, not at once.
        paranoid: Values of the other teams are -1 times the player's.
        filtered: Only actions that the game's filter keeps.
        max_depth: Of choices on a path.
        exploration: C of UCB1.
        discount: Decisions take in discounted returns, of scores; None: a value.
    """

    def __init__(
        self,
        model,
        state,
        player,
        rng,
        *,
        select=None,
        reply=lambda state, player: 0,
        serialised=False,
        paranoid=False,
        filtered=False,
        max_depth=1000,
        exploration=1.0,
        discount=None,
    ):
        self.discount = discount
        self.model, self.player, self.rng = model, player, Generator(rng)
        self.select, self.reply = select, reply
        self.serialised, self.paranoid, self.filtered = serialised, paranoid, filtered
        self.max_depth, self.exploration = max_depth, exploration
        self.low = [math.inf] * model.players
        self.high = [-math.inf] * model.players
        self.calls = 0
        self.root = self.node_of(model.copy(state))

    def run(self, simulations):
        for _ in range(simulations):
            self.iterate()
        return self

    def visits(self, actions):
        edges = self.root.edges[self.player]
        return [edges[a].visits if a in edges else 0 for a in actions.tolist()]

    def deciders(self, state):
        """Who of the movers chooses in the tree."""
        inside = {self.player, *(self.select(state) if self.select else ())}
        return [p for p in self.model.movers(state) if p in inside]

    def is_out(self, state):
        return self.model.has("is_out") and self.model.is_out(state, self.player)

    def node_of(self, state):
        movers = [] if self.is_out(state) else self.deciders(state)
        if self.serialised and movers:
            movers = [self.player] if self.player in movers else movers[:1]
        return Node(tuple(movers), state)

    def iterate(self):
        path: list[Edge | int] = []
        moments = []
        scores = [self.model.scores(self.root.state)]
        node = self.root
        state, chosen, depth = node.state, {}, 0
        while node.movers:
            for player in node.movers:
                chosen[player] = self.choose(node, player, state)
                path.append((player, node.edges[player][chosen[player]]))
                moments.append(len(scores) - 1)
            key = tuple(chosen[player] for player in node.movers)
            depth += 1
            new = key not in node.below
            if new:
                waiting = [p for p in self.deciders(state) if p not in chosen]
                if self.serialised and waiting and depth < self.max_depth:
                    node.below[key] = Node((waiting[0],))
                else:
                    self.passed = []
                    node.below[key] = self.node_of(self.step(state, dict(chosen)))
                    node.below[key].scores = self.passed
            node = node.below[key]
            scores += node.scores
            if node.state is not None:
                state, chosen = node.state, {}
                if new or depth == self.max_depth:
                    break
        if self.discount is None:
            self.back_up(path, self.values_of(state))
        else:
            self.back_up_returns(path, moments, scores)

    def choose(self, node, player, state):
        if player not in node.edges:
            legal = self.model.legal_actions(state, player)
            if self.filtered:
                legal = self.model.filter_actions(state, player)
            node.edges[player] = {action: Edge() for action in legal.tolist()}
        edges = node.edges[player]
        if len(edges) == 1:
            return next(iter(edges))
        untried = [action for action, edge in edges.items() if edge.visits == 0]
        if untried:
            return untried[self.rng.below(len(untried))]
        low, high = self.low[player], self.high[player]
        scale = 1 / (high - low) if high > low else 0.0
        log = natural_log(sum(edge.visits for edge in edges.values()))
        weight = self.exploration * math.sqrt(log)

        def upper_bound(action):
            edge = edges[action]
            root = float(INVERSE_ROOT(1 / math.sqrt(edge.visits)))
            return edge.mean * scale + weight * root

        return max(edges, key=upper_bound)

    def step(self, state, chosen):
        """The state in which the tree's players decide again, or none of them will."""
        state = self.model.copy(state)
        while movers := self.model.movers(state):
            joint = {p: chosen.get(p, None) for p in movers}
            for player in movers:
                if joint[player] is not None:
                    continue
                if self.reply is None:
                    legal = self.model.legal_actions(state, player).tolist()
                    joint[player] = legal[self.rng.below(len(legal))]
                else:
                    joint[player] = self.reply(state, player)
            self.model.apply(state, joint, self.rng.array)
            self.calls += len(movers)
            self.passed.append(self.model.scores(state))
            if self.deciders(state) or self.is_out(state):
                break
            chosen = {}
        return state

    def values_of(self, state):
        results = self.model.results(state).tolist()
        evaluation = [0.0] * len(results)
        if PLAYING in results:
            evaluation = self.model.evaluate(state).tolist()
        teams = self.model.teams
        worth = {}
        for shared in (WON, DRAWN):
            sharing = {teams[p] for p, r in enumerate(results) if r == shared}
            worth[shared] = 1 / max(len(sharing), 1)
        values = [
            evaluation[p] if result == PLAYING else worth.get(result, 0.0)
            for p, result in enumerate(results)
        ]
        if self.paranoid:
            own = values[self.player]
            side = teams[self.player]
            values = [own if team == side else -own for team in teams]
        return values

    def back_up_returns(self, path, moments, scores):
        for (player, edge), moment in zip(path, moments, strict=True):
            returns = np.zeros(self.model.players)
            for k in range(moment, len(scores) - 1):
                weight = self.discount ** (k - moment)
                returns = returns + weight * (scores[k + 1] - scores[k])
            value = returns[player]
            if self.paranoid:
                friend = self.model.teams[player] == self.model.teams[self.player]
                value = returns[self.player] * (1 if friend else -1)
            self.low[player] = min(self.low[player], value)
            self.high[player] = max(self.high[player], value)
            edge.visits += 1
            edge.mean += (value - edge.mean) / edge.visits

    def back_up(self, path, values):
        for player, value in enumerate(values):
            self.low[player] = min(self.low[player], value)
            self.high[player] = max(self.high[player], value)
        for player, edge in path:
            edge.visits += 1
            edge.mean += (values[player] - edge.mean) / edge.visits
