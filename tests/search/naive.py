"""An obvious slow twin of the compiled search: objects, dictionaries, no fast paths.

It follows Algorithm 1 of the MultiTree paper and draws the same random numbers in the
same order as the kernel, so that both must visit every action equally often.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, ForwardModel
from mcts_agents.search.kernel.records import EDGE

BITS = (1 << 64) - 1
# The kernel keeps 1 / sqrt(n) in this precision.
INVERSE_ROOT = EDGE["inverse_root"].type


class Generator:
    """xoroshiro128++ on Python integers, its state shared with compiled functions."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def bits(self) -> int:
        s0, s1 = (int(word) for word in self.array)
        result = (rotated((s0 + s1) & BITS, 17) + s0) & BITS
        s1 ^= s0
        self.array[0] = rotated(s0, 49) ^ s1 ^ (s1 << 21 & BITS)
        self.array[1] = rotated(s1, 28)
        return result

    def below(self, n: int) -> int:
        return (self.bits() >> 32) * n >> 32


def rotated(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & BITS


@dataclass
class Position:
    """What follows an action, a joint action or nothing: a node for each mover set."""

    nodes: dict[tuple[int, ...], "Node"] = field(default_factory=dict)
    outcome: object = None  # proven: the number of the winning team, or "draw"


@dataclass
class Edge(Position):
    """One action of one bandit."""

    visits: int = 0
    available: int = 0
    mean: float = 0.0


@dataclass
class Bandit:
    """The decision of one player."""

    player: int
    alone: bool  # nobody else decides at the same time
    edges: dict[int, Edge] = field(default_factory=dict)


class Node:
    """The decisions that the players of one tree make at once."""

    def __init__(self, movers: tuple[int, ...]):
        self.bandits = [Bandit(player, len(movers) == 1) for player in movers]
        self.joint: dict[tuple[int, ...], Position] = {}


@dataclass
class Tree:
    """A tree, the players who decide in it, and where this descent is in it."""

    owners: set[int]
    root: Position = field(default_factory=Position)
    position: Position | None = None  # None once it was left
    depth: int = 0


class NaiveSearch:
    """The search of `Search`, for one decision; settings must be complete."""

    def __init__(self, model: ForwardModel, settings, state, player, rng):
        self.model, self.settings = model, settings
        self.root_state, self.player = state, player
        self.rng = Generator(rng)
        everybody = set(range(model.players))
        owners = {
            "one": [everybody],
            "self": [{player}],
            "multi": [{p} for p in sorted(everybody)],
        }[settings.tree]
        self.trees = [Tree(set_of_players) for set_of_players in owners]
        self.owned = set().union(*owners)
        # Least and greatest value seen of each player, or with shares of a win of all.
        shared = settings.value == "win" and not settings.paranoid
        self.range_of = [0 if shared else player for player in range(model.players)]
        self.low = [math.inf] * model.players
        self.high = [-math.inf] * model.players
        self.calls = self.simulations = self.deepest = self.nodes = 0

    # -- what a test asks for

    def run(self):
        """Search until the budget is spent and return the chosen action."""
        settings = self.settings
        while not (
            self.simulations == settings.simulations
            or self.calls >= (settings.forward_model_calls or math.inf)
            or self.trees[0].root.outcome is not None
        ):
            self.iterate()
        return self.final_move()

    def root_edges(self) -> dict[int, Edge]:
        for tree in self.trees:
            if self.player in tree.owners:
                movers = self.model.movers(self.root_state)
                mine = tuple(p for p in movers if p in tree.owners)
                for bandit in tree.root.nodes[mine].bandits:
                    if bandit.player == self.player:
                        return bandit.edges
        raise AssertionError("the root player owns no tree")

    def final_move(self) -> int:
        edges = self.root_edges()

        def merit(action):
            edge = edges.get(action, Edge())
            rank = 1
            if edge.outcome not in (None, "draw"):
                rank = 2 if edge.outcome == self.model.teams[self.player] else 0
            mean = edge.mean if edge.visits else -math.inf
            if self.settings.final == "visits":
                return rank, edge.visits, mean
            return rank, mean, edge.visits

        actions = self.model.legal_actions(self.root_state, self.player).tolist()
        most = max(map(merit, actions))
        best = [action for action in actions if merit(action) == most]
        return best[self.rng.below(len(best))]

    # -- one iteration

    def iterate(self):
        model, settings = self.model, self.settings
        state = model.copy(self.root_state)
        if settings.information == "set":
            model.redeterminise(state, self.player, self.rng.array)
        path: list[tuple[Bandit, Edge]] = []
        self.moments: list[int] = []  # how often the game had moved on, for each step
        scores = [model.scores(state)]
        for tree in self.trees:
            tree.position, tree.depth = tree.root, 0
        rolled = 0
        proven = None
        while movers := model.movers(state):
            inside = [tree for tree in self.trees if tree.position is not None]
            if settings.solver and inside:
                proven = inside[0].position.outcome
                if proven is None and len(movers) == 1 and not inside[0].position.nodes:
                    proven = self.try_actions(inside[0].position, movers, state)
                    self.prove(path, proven)
                if proven is not None:
                    break
            if not inside and model.has("playout") and settings.discount in (None, 1):
                if settings.rollout > rolled:
                    played = model.call(
                        "playout",
                        state.ctypes.data,
                        self.rng.array.ctypes.data,
                        settings.rollout - rolled,
                    )
                    rolled += played
                    self.calls += played
                    scores.append(model.scores(state))
                break
            choosing = set().union(*(tree.owners for tree in inside)) & set(movers)
            rolling = set(movers) - choosing
            # Whom no tree owns is part of the world while a tree is still descended.
            rolled += len(rolling & self.owned if inside else rolling)
            if rolled > settings.rollout:
                break
            joint: dict[int, int] = {}
            for tree in inside:
                mine = tuple(p for p in movers if p in tree.owners)
                if mine:
                    joint |= self.advance(tree, mine, state, path)
                    self.moments += [len(scores) - 1] * len(mine)
            for player in movers:
                if player not in choosing:
                    joint[player] = self.random_action(state, player)
            model.apply(state, joint, self.rng.array)
            self.calls += len(movers)
            scores.append(model.scores(state))
        results = model.results(state).tolist()
        if proven is not None:
            results = [WON if team == proven else LOST for team in model.teams]
            if proven == "draw":
                results = [DRAWN] * model.players
        if settings.solver and rolled == 0:
            self.prove(path, outcome_of(results, model.teams))
        values = self.values_of(state, results)
        if settings.discount is None:
            self.back_up(path, self.opposed(values))
        else:
            self.back_up_returns(path, scores, values)
        self.simulations += 1

    def advance(self, tree, movers, state, path) -> dict[int, int]:
        """Choose for each of `movers` in the tree and step down it."""
        node = self.node_at(tree.position, movers)
        joint: dict[int, int] = {}
        for bandit in node.bandits:
            action = self.choose(bandit, state)
            joint[bandit.player] = action
            path.append((bandit, bandit.edges[action]))
        if len(movers) == 1:
            below = path[-1][1]
            fresh = below.visits == 0
        else:
            key = tuple(joint.values())
            fresh = key not in node.joint
            below = node.joint.setdefault(key, Position())
        tree.depth += 1
        self.deepest = max(self.deepest, tree.depth)
        left = fresh or tree.depth == self.settings.max_depth
        tree.position = None if left else below
        return joint

    def node_at(self, position, movers) -> Node:
        if movers not in position.nodes:
            position.nodes[movers] = Node(movers)
            self.nodes += len(movers)
        return position.nodes[movers]

    def choose(self, bandit, state) -> int:
        legal = self.model.legal_actions(state, bandit.player).tolist()
        for action in legal:
            bandit.edges.setdefault(action, Edge()).available += 1
        if len(legal) == 1:
            return legal[0]
        untried = [a for a in legal if bandit.edges[a].visits == 0]
        if untried:
            return untried[self.rng.below(len(untried))]
        own = self.range_of[bandit.player]
        low, high = self.low[own], self.high[own]
        scale = 1 / (high - low) if high > low else 0.0

        def upper_bound(action):
            edge = bandit.edges[action]
            # Equal to the last bit to what the kernel computes: among equals the first
            # is taken, and that decides all that follows.
            possible = natural_log(edge.available - 1)
            exploration = self.settings.exploration * math.sqrt(possible)
            inverse_root = float(INVERSE_ROOT(1 / math.sqrt(edge.visits)))
            value = edge.mean * scale + exploration * inverse_root
            return value - 1e12 if edge.outcome not in (None, "draw") else value

        return max(legal, key=upper_bound)

    def random_action(self, state, player) -> int:
        if self.model.has("random_action"):
            return self.model.call(
                "random_action", state.ctypes.data, player, self.rng.array.ctypes.data
            )
        legal = self.model.legal_actions(state, player).tolist()
        return legal[self.rng.below(len(legal))]

    # -- values

    def values_of(self, state, results) -> list[float]:
        model, settings = self.model, self.settings
        if settings.value == "score":
            bonus = {WON: settings.score_bonus, LOST: -settings.score_bonus}
            values = [
                score + bonus.get(result, 0.0) * abs(score)
                for score, result in zip(model.scores(state), results, strict=True)
            ]
        else:
            worth = {LOST: 0.0, PLAYING: 1 / len(set(model.teams))}
            for shared in {WON, DRAWN} & set(results):
                pairs = zip(model.teams, results, strict=True)
                worth[shared] = 1 / len({team for team, r in pairs if r == shared})
            values = [worth[result] for result in results]
            if settings.value == "evaluate" and set(results) == {PLAYING}:
                values = model.evaluate(state).tolist()
        return values

    def opposed(self, values) -> list[float]:
        """Under Paranoid, the acting player's value for its team, else -1 times it."""
        if not self.settings.paranoid:
            return list(values)
        own = values[self.player]
        mine = self.model.teams[self.player]
        return [own if team == mine else -own for team in self.model.teams]

    def back_up_returns(self, path, scores, values):
        """Every decision takes in the discounted sum of the rewards after it."""
        discount, end = self.settings.discount, len(scores) - 1
        for (bandit, edge), moment in zip(path, self.moments, strict=True):
            returns = discount ** (end - moment) * (values - scores[end])
            for k in range(moment, end):
                returns = returns + discount ** (k - moment) * (
                    scores[k + 1] - scores[k]
                )
            value = self.opposed(returns)[bandit.player]
            own = self.range_of[bandit.player]
            self.low[own] = min(self.low[own], value)
            self.high[own] = max(self.high[own], value)
            edge.visits += 1
            edge.mean += (value - edge.mean) / edge.visits

    def back_up(self, path, values):
        for own, value in zip(self.range_of, values, strict=True):
            self.low[own] = min(self.low[own], value)
            self.high[own] = max(self.high[own], value)
        for bandit, edge in path:
            edge.visits += 1
            edge.mean += (values[bandit.player] - edge.mean) / edge.visits

    # -- proofs

    def try_actions(self, position, movers, state):
        """Prove those actions of a new node that end the game, and what follows."""
        (bandit,) = self.node_at(position, movers).bandits
        for action in self.model.legal_actions(state, bandit.player).tolist():
            bandit.edges[action] = Edge()
            after = self.model.copy(state)
            self.model.apply(after, {bandit.player: action}, self.rng.array)
            self.calls += 1
            if self.model.is_over(after):
                results = self.model.results(after).tolist()
                bandit.edges[action].outcome = outcome_of(results, self.model.teams)
        return self.outcome_for(bandit)

    def prove(self, path, outcome):
        """Hand a proven outcome up the path as far as it proves anything."""
        for bandit, edge in reversed(path):
            if outcome is None or not bandit.alone:
                return
            edge.outcome = outcome
            outcome = self.outcome_for(bandit)
        self.trees[0].root.outcome = outcome

    def outcome_for(self, bandit) -> object:
        """Return what the outcomes of all its actions prove about a decision."""
        outcomes = [edge.outcome for edge in bandit.edges.values()]
        winners = set(outcomes) - {None, "draw"}
        own = self.model.teams[bandit.player]
        if own in winners:
            return own
        if None in outcomes:
            return None
        if "draw" in outcomes:
            return "draw"
        return outcomes[0] if len(winners) == 1 else None


def outcome_of(results, teams) -> object:
    """Return the winning team, "draw" if all drew, None for anything else."""
    if WON in results:
        return teams[results.index(WON)]
    return "draw" if set(results) == {DRAWN} else None


def natural_log(n: int) -> float:
    """ln n as `arithmetic.natural_log` has it, to the last bit."""
    x, halvings = float(n), 0
    while x > 1.5:
        x, halvings = x / 2, halvings + 1
    z = (x - 1) / (x + 1)
    total = 0.0
    for k in range(25, 0, -2):
        total = total * (z * z) + 1 / k
    return halvings * 0.6931471805599453 + 2 * z * total
