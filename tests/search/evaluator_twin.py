"""A search with an evaluator in plain Python: any trees, one leaf at a time.

Every position at which somebody decides who has no prior for it yet is a leaf. It draws
the same random numbers in the same order as the compiled search, so that both must
visit every action equally often.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from mcts_agents.model import DRAWN, WON
from tests.search.naive import Generator


@dataclass
class Link:
    """Where a tree may stand: a node for each set of players who decide next."""

    nodes: dict[tuple[int, ...], "Node"] = field(default_factory=dict)


@dataclass
class Edge(Link):
    """One action of one player."""

    prior: float = 0.0
    visits: int = 0
    available: int = 0
    mean: float = 0.0


@dataclass
class Bandit:
    """The decision of one player."""

    visits: int = 0
    edges: dict[int, Edge] = field(default_factory=dict)


class Node:
    """What the players of one tree decide at once."""

    def __init__(self, players):
        self.bandits = {player: Bandit() for player in players}
        self.joint = {}


class EvaluatorTwin:
    """One decision.

    Args:
        model: A game in which nothing is hidden.
        state: The root.
        player: The acting player.
        rng: The search's generator, an array.
        evaluator: It sees states (`observe`).
        owners: The players of each tree; None: the player's and the next mover's.
        serialised: Movers of a tree choose one after another, `player` first.
        graph: Nodes are found by what the game says of the state.
        joins: Whether a descent goes on where a new action joins another path.
        max_depth: Of a tree's own decisions on a path.
        exploration: C of PUCT.
        discount: Decisions take in discounted returns, of scores; None: a value.
    """

    def __init__(
        self,
        model,
        state,
        player,
        rng,
        evaluator,
        *,
        owners=None,
        serialised=False,
        graph=False,
        joins=True,
        max_depth=1000,
        exploration=1.0,
        discount=None,
    ):
        self.discount = discount
        self.model, self.state, self.player = model, state, player
        self.rng, self.evaluator = Generator(rng), evaluator
        self.owners, self.serialised = owners, serialised
        self.graph, self.joins = graph, joins
        self.max_depth, self.exploration = max_depth, exploration
        self.roots = [Link() for _ in owners or [0]]
        self.positions = {}
        self.ranges = {}
        self.asked = 0

    def run(self, simulations):
        self.descend()  # values the root
        for _ in range(simulations):
            self.descend()
        return self

    def visits(self, actions):
        """Visits of the acting player's actions at the root."""
        root = self.roots[self.player if len(self.roots) > 1 else 0]
        nodes = root.nodes.values() if not self.graph else [self.graph_root]
        bandit = next(n.bandits[self.player] for n in nodes if self.player in n.bandits)
        edges = bandit.edges
        return [edges[a].visits if a in edges else 0 for a in actions.tolist()]

    def owned(self, movers):
        """The players of each tree in this state."""
        if self.owners is not None:
            return self.owners
        after = [(self.player + i) % self.model.players for i in range(1, 4)]
        others = [p for p in after if p in movers and p != self.player]
        return [{self.player, *others[:1]}]

    def descend(self):
        model = self.model
        state = model.copy(self.state)
        self.at, self.depth = list(self.roots), [0] * len(self.roots)
        self.path, self.fresh = [], False
        self.scores, self.moments = [model.scores(state)], []
        while True:
            movers = model.movers(state)
            if not movers:
                return self.back_up(self.values_at_the_end(state))
            groups = [
                (tree, tuple(p for p in movers if p in owned))
                for tree, owned in enumerate(self.owned(movers))
            ]
            groups = [(tree, mine) for tree, mine in groups if mine]
            joint = {}
            if self.serialised:
                inside = {p for _, mine in groups for p in mine}
                order = sorted(movers, key=lambda p: (p != self.player, p))
                for player in order:
                    if player not in inside:
                        joint[player] = self.modelled(state, player)
                        continue
                    if values := self.leaf(state, [(0, (player,))]):
                        return self.back_up(values)
                    self.select(state, 0, (player,), joint)
            else:
                if groups and (values := self.leaf(state, groups)):
                    return self.back_up(values)
                for tree, mine in groups:
                    self.select(state, tree, mine, joint)
                for player in movers:
                    if player not in joint:
                        joint[player] = self.modelled(state, player)
            model.apply(state, joint, self.rng.array)
            self.scores.append(model.scores(state))

    def modelled(self, state, player):
        legal = self.model.legal_actions(state, player).tolist()
        return legal[self.rng.below(len(legal))]

    def node(self, state, tree, mine):
        if not self.graph:
            return self.at[tree].nodes.setdefault(mine, Node(mine))
        key = mine, self.model.state_key(state)
        known = key in self.positions
        node = self.positions.setdefault(key, Node(mine))
        if not self.path:
            self.graph_root = node
        self.clash = known and bool(self.path) and self.fresh and not self.joins
        return node

    def leaf(self, state, groups):
        """The values of this position, if somebody here lacks a prior."""
        nodes, ends = {}, False
        for tree, mine in groups:
            node = self.node(state, tree, mine)
            if self.graph and self.clash:
                ends = True
            if self.depth[tree] == self.max_depth:
                ends = True
                continue
            for player in mine:
                if not node.bandits[player].edges:
                    nodes[player] = node.bandits[player]
                    ends = True
        if not ends:
            return None
        players = [player for _, mine in groups for player in mine]
        return self.evaluated(state, players, nodes)

    def evaluated(self, state, players, nodes):
        model = self.model
        states = np.stack([state] * len(players))
        legal = np.zeros((len(players), model.actions), bool)
        for row, player in enumerate(players):
            legal[row, model.legal_actions(state, player)] = True
        seen = self.evaluator.observe(model, states, np.array(players))
        values, logits = self.evaluator.answer(seen, np.array(players), legal)
        self.asked += len(players)
        for row, player in enumerate(players):
            if player in nodes:
                actions = model.legal_actions(state, player).tolist()
                weights = {a: math.exp(logits[row, a]) for a in actions}
                total = sum(weights.values())
                for action, weight in weights.items():
                    prior = float(np.float32(weight / total))
                    nodes[player].edges[action] = Edge(prior=prior)
        means = [float(np.mean(values[:, p])) for p in range(model.players)]
        for row, player in enumerate(players):
            means[player] = float(values[row, player])
        return means

    def select(self, state, tree, mine, joint):
        node = self.node(state, tree, mine)
        for player in mine:
            bandit = node.bandits[player]
            action = self.choose(state, player, bandit)
            joint[player] = action
            self.path.append((player, bandit, bandit.edges[action]))
            self.moments.append(len(self.scores) - 1)
        key = tuple(joint[player] for player in mine)
        if len(mine) == 1:
            self.at[tree] = node.bandits[mine[0]].edges[key[0]]
            self.fresh = self.at[tree].visits == 0
        else:
            self.fresh = key not in node.joint
            self.at[tree] = node.joint.setdefault(key, Link())
        self.depth[tree] += 1

    def choose(self, state, player, bandit):
        legal = self.model.legal_actions(state, player).tolist()
        for action in legal:
            if action not in bandit.edges:
                bandit.edges[action] = Edge(prior=1 / (len(bandit.edges) + 1))
            bandit.edges[action].available += 1
        if len(legal) == 1:
            return legal[0]
        total = sum(bandit.edges[action].prior for action in legal)

        def index(action):
            edge = bandit.edges[action]
            low, scale = self.scale_of(player)
            value = (edge.mean - low) * scale if edge.visits else 0.0
            possible = math.sqrt(min(bandit.visits, edge.available - 1) + 1)
            bonus = self.exploration * possible / (1 + edge.visits)
            return value + bonus * edge.prior / total

        return max(legal, key=index)

    def values_at_the_end(self, state):
        if self.discount is not None:
            return self.model.scores(state).tolist()
        results = self.model.results(state).tolist()
        worth = {r: 1 / max(results.count(r), 1) for r in (WON, DRAWN)}
        return [worth.get(result, 0.0) for result in results]

    def scale_of(self, player):
        """The least value seen, and the factor that brings values to [0, 1]."""
        own = player if self.discount is not None else 0  # shares of a win are alike
        low, high = self.ranges.get(own, (0.0, 0.0))
        return low, 1 / (high - low) if high > low else 0.0

    def back_up(self, values):
        if self.discount is not None:
            values = np.array(values) - self.scores[-1]
        else:
            for value in values:
                self.see(0, value)
        for (player, bandit, edge), moment in zip(self.path, self.moments, strict=True):
            value = values[player]
            if self.discount is not None:
                end = len(self.scores) - 1
                value = self.discount ** (end - moment) * value
                for k in range(moment, end):
                    reward = self.scores[k + 1][player] - self.scores[k][player]
                    value += self.discount ** (k - moment) * reward
                self.see(player, value)
            bandit.visits += 1
            edge.visits += 1
            edge.mean += (value - edge.mean) / edge.visits

    def see(self, own, value):
        low, high = self.ranges.get(own, (value, value))
        self.ranges[own] = min(low, value), max(high, value)
