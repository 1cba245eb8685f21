"""RAVE, GRAVE and MCPS in obvious Python: all playouts are kept, and counted anew.

Algorithms 1 and 2 of T. Cazenave, "Monte Carlo Permutation Search" (2025), with the
definitions of section 2.1 and the weights of section 3.2, in exact fractions.
"""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from mcts_agents.model import draw_below
from mcts_agents.model.contract import MOVE_CODES
from tests.minimax.reference import leaf_values


@dataclass
class Node:
    """A position: who moves, what was chosen here, and which playouts came through."""

    player: int
    path: list  # the moves by which it was first reached
    actions: list = field(default_factory=list)
    moves: list = field(default_factory=list)  # of each action: (player, code)
    visits: list = field(default_factory=list)
    sums: list = field(default_factory=list)
    playouts: list = field(default_factory=list)  # (number, moves before the node)
    counted: int = 0  # playouts when it was last visited


class Plain:
    """A search from one state; `iterate` makes one iteration.

    Args:
        model: The game.
        algorithm: `rave`, `grave` or `mcps`.
        rng: The generator, advanced.
        ref: See the paper.
        bias: Likewise.
        code: (state, player, action) -> code.
        playout: (state, rng) -> [(player, code)], which plays the state to its end.
        permutes: Whether gamma is what the paper says, not 0.
        value: What the end of a playout is worth, see `leaf_values`.
        bonus: Likewise.
        rollout: The most actions of a playout.
        max_depth: The most decisions on a path in the tree.
        root: By path: who decides; None for the first who can.
    """

    def __init__(
        self, model, state, algorithm, rng, *, ref=50, bias=0.0, code=None,
        playout=None, permutes=True, value="win", bonus=0.5, rollout=10_000,
        max_depth=1000, root=None,
    ):  # fmt: skip
        self.model, self.state, self.rng = model, state, rng
        self.algorithm, self.max_depth = algorithm, max_depth
        self.value, self.score_bonus = value, bonus
        self.ref = 0 if algorithm == "rave" else ref
        self.bias = Fraction(bias)
        self.permutes = permutes
        self.code = code or (lambda s, p, a: model.move_code(s, p, a))
        self.playout = playout or (lambda s, rng: played(model, s, rng, rollout))
        self.nodes, self.root = {}, root
        self.names = {None: 0}  # of moves, as columns of `last`; the first has none
        # Where each playout has each move last.
        self.last = np.full((0, 1), -1, np.int16)
        self.values = []

    def key(self, state):
        return self.model.state_key(state), self.model.movers(state)

    def iterate(self):
        model, state = self.model, self.model.copy(self.state)
        key = self.key(state)
        reference = self.nodes.get(key)
        moves, path, seen = [], [], set()
        while key in self.nodes and not model.is_over(state) and key not in seen:
            if len(path) == self.max_depth:
                break
            node = self.nodes[key]
            seen.add(key)
            if not node.actions:
                self.expand(node, state)
            if len(node.playouts) > self.ref:
                reference = node
            choice = self.choose(node, reference)
            path.append((node, len(moves), choice))
            moves.append(node.moves[choice])
            model.apply(state, {node.player: node.actions[choice]}, self.rng)
            key = self.key(state)
        new = None
        if not model.is_over(state):
            if key not in self.nodes:
                before = path[-1][0].path if path else []
                new = Node(model.movers(state)[0], before + moves[-1:])
                self.nodes[key] = new
                path.append((new, len(moves), None))
            moves += self.playout(state, self.rng)
        self.keep([tuple(m) for m in moves], self.worth_of(state))
        for node, depth, choice in path:
            node.playouts.append((len(self.values) - 1, depth))
            if choice is not None:
                node.visits[choice] += 1
                node.sums[choice] += Fraction(self.values[-1][node.player])

    def worth_of(self, state):
        """Return what the end of a playout is worth to each player."""
        return leaf_values(self.model, state, self.value, self.score_bonus)

    def expand(self, node, state):
        legal = self.model.legal_actions(state, node.player)
        node.actions = legal.tolist()
        node.moves = [
            (node.player, self.code(state, node.player, a)) for a in node.actions
        ]
        node.visits, node.sums = [0] * len(legal), [Fraction(0)] * len(legal)

    def keep(self, moves, values):
        for move in moves:
            self.names.setdefault(move, len(self.names))
        grown = np.full((len(self.values) + 1, len(self.names)), -1, np.int16)
        grown[: self.last.shape[0], : self.last.shape[1]] = self.last
        for place, move in enumerate(moves):
            grown[-1, self.names[move]] = place
        self.last = grown
        self.values.append(values)
        self.worth = np.array(self.values)

    def choose(self, node, reference, among=None):
        """Return which action to take, of those numbered `among`."""
        among = range(len(node.actions)) if among is None else among
        moves = [node.moves[i] for i in among]
        known = self.amaf(reference, moves)
        permuted = self.permutations(node, moves, len(self.values))
        node.counted = len(self.values)
        own = [(node.visits[i], node.sums[i]) for i in among]
        statistics = list(zip(own, known, permuted, strict=True))
        # Fractions are slow, and only needed for those that floats can hardly tell.
        rough = [self.combined(*three, number=float) for three in statistics]
        near = [i for i, value in enumerate(rough) if value > max(rough) - 1e-9]
        if np.isinf(max(rough)):
            near = [i for i, value in enumerate(rough) if np.isinf(value)]
        found = {i: self.combined(*statistics[i]) for i in near}
        ties = [i for i in near if found[i] == max(found.values())]
        return among[ties[draw_below(self.rng, len(ties)) if len(ties) > 1 else 0]]

    def combined(self, own, known, permuted, number=Fraction):
        """Return Q* of an action, from (count, sum) of each kind of statistics."""
        n, n_amaf, n_permuted = own[0], known[0], permuted[0]
        if n + n_amaf == 0:
            return np.inf
        mean, mean_amaf, mean_permuted = (
            number(total) / number(count) if count else number(0)
            for count, total in (own, known, permuted)
        )
        if self.algorithm != "mcps" or not self.permutes:
            weight = n_amaf + n + number(self.bias) * n_amaf * n
            beta = number(n_amaf) / weight
            return (1 - beta) * mean + beta * mean_amaf
        if n_amaf == 0:
            return mean  # c grows beyond all bounds
        c = number(n_amaf + n_permuted) / n_amaf
        weight = c * n + n_amaf + n_permuted
        parts = c * n * mean + n_amaf * mean_amaf + n_permuted * mean_permuted
        return parts / weight

    # -- statistics, counted anew: (count, sum of values to who moves) of each move

    def amaf(self, node, moves):
        """Return the statistics of playouts through a node that have a move after."""
        rows = [number for number, _ in node.playouts]
        depths = np.array([depth for _, depth in node.playouts], int)
        return self.counted(rows, depths, moves)

    def permutations(self, node, moves, before):
        """Return those of playouts that have a move, and all of the node's path."""
        path = self.last[:before, self.columns(node.path)]
        (rows,) = np.nonzero((path >= 0).all(axis=1))
        return self.counted(rows, np.zeros(len(rows), int), moves)

    def columns(self, moves):
        """Return where `last` has some moves."""
        return [self.names.get(move, 0) for move in moves]

    def counted(self, rows, depths, moves):
        """Count the playouts `rows` that have each move at a depth or later."""
        has = self.last[np.ix_(rows, self.columns(moves))] >= depths[:, None]
        values = self.worth[rows]
        players = [player for player, _ in moves]
        # Exact, because values are shares such as 1/2.
        sums = (has.T @ values)[range(len(moves)), players]
        return list(zip(has.sum(axis=0).tolist(), map(Fraction, sums), strict=True))


def played(model, state, rng, limit=10_000, kind="exact", sets=True):
    """Return the (player, code) of a random game, in any order, up to so many moves.

    By the game's `playout_sets`, if `sets` and it has one.
    """
    if not (sets and model.has("playout_sets")):
        return model.playout_moves(state, rng, limit, kind).tolist()
    sets = np.zeros((model.players, -(-model.actions // 64)), np.uint64)
    at = state.ctypes.data, rng.ctypes.data, limit, sets.ctypes.data
    count = model.call("playout_sets", *at)
    moves = [
        (player, action)
        for player in range(model.players)
        for action in range(model.actions)
        if int(sets[player, action // 64]) >> action % 64 & 1
    ]
    assert count == len(moves)
    return moves


def codes_of(model, kind, sets=True):
    """Return `code` and `playout` of `Plain` for a kind of the game's own codes."""
    assert kind in MOVE_CODES
    return {
        "code": lambda s, p, a: model.move_code(s, p, a, kind),
        "playout": lambda s, rng: played(model, s, rng, kind=kind, sets=sets),
    }


class PlainByPath(Plain):
    """The same with nodes found by path: by what the root player has seen."""

    def iterate(self):
        model, state = self.model, self.model.copy(self.state)
        root = model.movers(self.state)[0] if self.root is None else self.root
        if model.hidden_information:
            model.redeterminise(state, root, self.rng)
        link, moves, path, reference, new = (), [], [], None, []
        while not model.is_over(state):
            movers = model.movers(state)
            # In turn from the root player on.
            deciding = sorted(movers, key=lambda p: (p - root) % model.players)
            keys = [(link, movers, player) for player in deciding]
            if keys[0] not in self.nodes:
                new = keys
                break
            if path and len(path) + len(keys) > self.max_depth:
                break
            before, joint = list(moves), {}
            for key in keys:
                node = self.nodes[key]
                legal = self.meet(node, state)
                if reference is None or len(node.playouts) > self.ref:
                    reference = node
                choice = self.choose(node, reference, legal)
                path.append((node, len(moves), choice))
                moves.append(node.moves[choice])
                assert node.path == before
                joint[node.player] = node.actions[choice]
            seen = joint
            if model.has("visible_action"):
                whole = [joint.get(p, -1) for p in range(model.players)]
                seen = {p: model.visible_action(state, whole, p, root) for p in joint}
            link = (*link, tuple(sorted(seen.items())))
            model.apply(state, joint, self.rng)
        for link, movers, player in new:
            node = self.nodes[link, movers, player] = Node(player, list(moves))
            path.append((node, len(moves), None))
        moves += self.playout(state, self.rng)
        self.keep([tuple(m) for m in moves], self.worth_of(state))
        for node, depth, choice in path:
            node.playouts.append((len(self.values) - 1, depth))
            if choice is not None:
                node.visits[choice] += 1
                node.sums[choice] += Fraction(self.values[-1][node.player])

    def meet(self, node, state):
        """Give a node what is legal now; return the numbers of these actions."""
        legal = self.model.legal_actions(state, node.player).tolist()
        for action in legal:
            if action not in node.actions:
                node.actions.append(action)
                node.moves.append((node.player, self.code(state, node.player, action)))
                node.visits.append(0)
                node.sums.append(Fraction(0))
        return [node.actions.index(action) for action in legal]
