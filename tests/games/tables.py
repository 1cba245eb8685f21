"""Games written out as tables: positions, what they lead to, and what they are worth.

A game is a `Table`. Its positions are objects (`Leaf`, `Choice`) that may be shared, so
that different moves lead to the same one. What they are worth is worked out from them
in plain Python that shares no code with the package. Every player's scores can be
multiplied and shifted, from state to state (`Table.root`).

Nearly all optional functions are there, so that a search accepts nearly every option:

- An unfinished position has a score and an evaluation: what random play would bring.
- The action heuristic is the evaluation of the positions that an action leads to.
- The filter drops the action with the least heuristic value, if there are three.
- A `world` stands for what is hidden (`HIDDEN`) or what the dice show (`DICE`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numba import njit

from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    CompiledModel,
    Rules,
    Spec,
    random_below,
)

NODES, ACTIONS, WORLDS, PLAYERS = 128, 5, 6, 4
JOINTS = ACTIONS * ACTIONS
NOBODY = -1
# Every game by its name.
TABLES: dict[str, "Table"] = {}

# -- how a game is written down


@dataclass(eq=False)
class Leaf:
    """The end of a game.

    Attributes:
        scores: The score of each player, for each world.
        winners: The team that wins, or NOBODY for a draw of all, for each world.
    """

    scores: Sequence[Sequence[float]]
    winners: Sequence[int]


@dataclass(eq=False)
class Choice:
    """A decision of one player, or of two at once.

    Attributes:
        movers: Who decides.
        children: The next position for each joint action.
        legal: Legal actions of the only mover for each world; empty: all of them.
    """

    movers: tuple[int, ...]
    children: dict[tuple[int, ...], "Leaf | Choice"]
    legal: Sequence[Sequence[int]] = ()

    def actions(self, mover: int, world: int) -> list[int]:
        """Return the legal actions of one mover."""
        if self.legal:
            return list(self.legal[world])
        place = self.movers.index(mover)
        return sorted({joint[place] for joint in self.children})


Node = Leaf | Choice


def leaf(*scores: float, winner: int) -> Leaf:
    """Return the end of a game with one world."""
    return Leaf([scores], [winner])


def choice(player: int, *children: Node) -> Choice:
    """Return the decision of one player, whose actions are numbered from 0."""
    return Choice((player,), {(a,): child for a, child in enumerate(children)})


# -- what the positions are worth


@dataclass
class Table:
    """One game.

    Attributes:
        name: Its name.
        start: The root.
        best: The right action there.
        player: Who searches.
        players: How many there are.
        value: What leaves are worth, unless an option says otherwise.
        simulations: After how many every sound search finds the right action.
        teams: The number of each player's team.
        knows: For each world what each player knows of it; empty: nothing is hidden.
        dice: Whether each action is followed by a throw, which gives the world.
        world: The true world at the root.
        reply: The opponent's action after which the searcher decides a second time.
        then: The right action there.
    """

    name: str
    start: Choice
    best: int
    player: int = 0
    players: int = 2
    value: str = "score"
    simulations: int = 300
    teams: tuple[int, ...] = ()
    knows: Sequence[Sequence[int]] = ()
    dice: bool = False
    world: int = 0
    reply: int | None = None
    then: int | None = None
    _worth: dict = field(default_factory=dict)

    def __post_init__(self):
        self.teams = self.teams or tuple(range(self.players))
        TABLES[self.name] = self

    @cached_property
    def nodes(self) -> list[Node]:
        """All positions, the root first, each once."""
        found, open_ends = {}, [self.start]
        while open_ends:
            node = open_ends.pop()
            if id(node) not in found:
                found[id(node)] = node
                if isinstance(node, Choice):
                    open_ends += node.children.values()
        return list(found.values())

    @cached_property
    def worlds(self) -> int:
        """The number of worlds."""
        return max(len(n.scores) for n in self.nodes if isinstance(n, Leaf))

    def worth(self, node: Node, world: int, others: str) -> np.ndarray:
        """Return the score of each player, shape (players,).

        Args:
            node: The position.
            world: What is hidden or thrown, known to everybody from here on.
            others: How the searcher's opponents play: `best` for themselves, at
                `random`, like the searcher then, or `against` the searcher's team.
        """
        key = id(node), world, others
        if key not in self._worth:
            self._worth[key] = self._worked_out(node, world, others)
        return self._worth[key]

    def _worked_out(self, node, world, others):
        if isinstance(node, Leaf):
            return np.array(node.scores[world])
        if self.dice:
            worlds = range(self.worlds)
            children = {
                joint: np.mean([self.worth(child, w, others) for w in worlds], axis=0)
                for joint, child in node.children.items()
            }
        else:
            children = {
                joint: self.worth(child, world, others)
                for joint, child in node.children.items()
            }
        legal = [node.actions(mover, world) for mover in node.movers]
        joints = list(product(*legal))
        if others == "random":
            return np.mean([children[joint] for joint in joints], axis=0)
        # Of several movers the last decides first: good enough for who is dominated.
        mover = node.movers[-1]
        if others == "against" and self.teams[mover] != self.teams[self.player]:
            return min((children[j] for j in joints), key=lambda v: v[self.player])
        if others == "against":
            return max((children[j] for j in joints), key=lambda v: v[self.player])
        return max((children[j] for j in joints), key=lambda v: v[mover])

    def worths(self, others: str) -> dict[int, float]:
        """Return the least worth, over worlds and moves made at once, of each action.

        With `others="random"` it is the mean.
        """
        place = self.start.movers.index(self.player)
        values: dict[int, list[float]] = {}
        for world in self._possible():
            for joint, child in self.start.children.items():
                worth = self.worth(child, world, others)[self.player]
                values.setdefault(joint[place], []).append(float(worth))
        summary = np.mean if others == "random" else min
        return {action: float(summary(v)) for action, v in values.items()}

    def _possible(self):
        if not self.knows:
            return range(self.worlds)
        known = self.knows[self.world][self.player]
        return [w for w in range(self.worlds) if self.knows[w][self.player] == known]

    # -- for the search

    @cached_property
    def model(self) -> CompiledModel:
        """The game as a forward model."""
        rules = HIDDEN if self.knows else DICE if self.dice else OPEN
        return rules.model(players=self.players, table=self.name)

    def root(self, shift=0.0, scale=1.0) -> np.ndarray:
        """Return the root state.

        Args:
            shift: Added to all scores, or to each player's own.
            scale: What they are multiplied with before.
        """
        state = self.model.new_state()
        record = self.model.view(state)
        record["world"] = self.world
        record["shift"], record["scale"] = 0.0, 1.0
        record["shift"][: self.players] = shift
        record["scale"][: self.players] = scale
        return state


# -- the rules, which look everything up

STATE = np.dtype(
    [
        ("node", np.int64),
        ("world", np.int64),
        ("moves", np.int64),
        ("shift", np.float64, PLAYERS),
        ("scale", np.float64, PLAYERS),
    ]
)
GAME = np.dtype(
    [
        ("worlds", np.int64),
        ("dice", np.int64),
        ("team", np.int8, PLAYERS),
        ("knows", np.int8, (WORLDS, PLAYERS)),
        ("movers", np.int8, NODES),
        ("legal", np.int8, (NODES, WORLDS, PLAYERS)),  # bit a: action a
        ("child", np.int16, (NODES, JOINTS)),  # a, or a + ACTIONS b of two at once
        ("score", np.float64, (NODES, WORLDS, PLAYERS)),
        ("result", np.int8, (NODES, WORLDS, PLAYERS)),
        ("evaluation", np.float64, (NODES, WORLDS, PLAYERS)),
    ]
)


def variant(game, *, players=2, table="nim"):
    """Write the tables of the game with this name."""
    written = TABLES[table]
    number = {id(node): i for i, node in enumerate(written.nodes)}
    game["worlds"], game["dice"] = written.worlds, written.dice
    game["team"][:players] = written.teams
    for world in range(written.worlds):
        known = written.knows[world] if written.knows else [0] * players
        game["knows"][world, :players] = known
    leaves = [n.scores for n in written.nodes if isinstance(n, Leaf)]
    least = np.min(leaves, axis=(0, 1))
    spread = np.maximum(np.max(leaves, axis=(0, 1)) - least, 1e-9)
    for i, node in enumerate(written.nodes):
        for world in range(written.worlds):
            worth = written.worth(node, world, "random")
            # Rounded, so that sums with shifts are exact.
            game["score"][i, world, :players] = np.round(worth * 64) / 64
            game["evaluation"][i, world, :players] = (worth - least) / spread
            for player in range(players):
                result = PLAYING
                if isinstance(node, Leaf):
                    winner = node.winners[world]
                    won = winner == written.teams[player]
                    result = DRAWN if winner == NOBODY else WON if won else LOST
                elif player in node.movers:
                    bits = sum(1 << a for a in node.actions(player, world))
                    game["legal"][i, world, player] = bits
                game["result"][i, world, player] = result
        if isinstance(node, Choice):
            game["movers"][i] = sum(1 << mover for mover in node.movers)
            for joint, child in node.children.items():
                place = sum(a * ACTIONS**k for k, a in enumerate(joint))
                game["child"][i, place] = number[id(child)]
    return Spec(players=players, actions=ACTIONS, teams=written.teams)


@njit
def step(game, state, joint_action):
    """Return the next position."""
    place = 0
    factor = 1
    for player in range(game.players):
        if game.movers[state.node] >> player & 1:
            place += factor * joint_action[player]
            factor *= ACTIONS
    return game.child[state.node, place]


@njit
def expected(game, state, player, action):
    """Return the mean evaluation of the positions that an action leads to."""
    movers = game.movers[state.node]
    low = 1
    other = -1
    for one in range(game.players):
        if movers >> one & 1 and one != player:
            other = one
    factor = 1
    if other >= 0 and other < player:
        low, factor = ACTIONS, 1
    elif other >= 0:
        low, factor = 1, ACTIONS
    total = 0.0
    n = 0
    for reply in range(ACTIONS if other >= 0 else 1):
        if other < 0 or game.legal[state.node, state.world, other] >> reply & 1:
            child = game.child[state.node, low * action + factor * reply]
            total += game.evaluation[child, state.world, player]
            n += 1
    return total / n


def reset(game, state, rng):
    state.node = 0
    state.world = random_below(rng, game.worlds)
    state.moves = 0
    for player in range(PLAYERS):
        state.shift[player] = 0.0
        state.scale[player] = 1.0


def movers(game, state):
    return game.movers[state.node]


def legal_actions(game, state, player, out):
    n = 0
    for action in range(ACTIONS):
        if game.legal[state.node, state.world, player] >> action & 1:
            out[n] = action
            n += 1
    return n


def apply(game, state, joint_action, rng):
    state.node = step(game, state, joint_action)
    state.moves += 1
    if game.dice:
        state.world = random_below(rng, game.worlds)


def scores(game, state, out):
    for player in range(game.players):
        score = game.score[state.node, state.world, player]
        out[player] = state.scale[player] * score + state.shift[player]


def results(game, state, out):
    for player in range(game.players):
        out[player] = game.result[state.node, state.world, player]


def evaluate(game, state, out):
    for player in range(game.players):
        out[player] = game.evaluation[state.node, state.world, player]


def action_values(game, state, player, actions, n, out):
    for i in range(n):
        out[i] = expected(game, state, player, actions[i])


def filter_actions(game, state, player, actions, n):
    if n < 3:
        return n
    worst = 0
    for i in range(n):
        worth = expected(game, state, player, actions[i])
        if worth < expected(game, state, player, actions[worst]):
            worst = i
    actions[worst], actions[n - 1] = actions[n - 1], actions[worst]
    return n - 1


def state_key(game, state, observer):
    known = state.world if observer < 0 else game.knows[state.world, observer]
    return state.node * (WORLDS + 1) + known


def turn(game, state):
    return state.moves


def round(game, state):
    return state.moves // game.players


def visible_action(game, state, joint_action, actor, observer):
    return joint_action[actor]


def nearest_opponent(game, state, player):
    for distance in range(1, game.players):
        other = (player - distance) % game.players
        if game.team[other] != game.team[player]:
            return other
    return -1


def redeterminise(game, state, observer, rng):
    known = game.knows[state.world, observer]
    possible = 0
    for world in range(game.worlds):
        possible += game.knows[world, observer] == known
    left = random_below(rng, possible)
    for world in range(game.worlds):
        if game.knows[world, observer] == known:
            if left == 0:
                state.world = world
                return 0
            left -= 1
    return 0


def sensible(game, state, player, rng):
    """Take what the heuristic likes best."""
    best = -1
    most = -1.0
    for action in range(ACTIONS):
        if game.legal[state.node, state.world, player] >> action & 1:
            worth = expected(game, state, player, action)
            if worth > most:
                best, most = action, worth
    return best


def _rules(name: str, *, chance: bool = False, hidden: bool = False) -> Rules:
    rules = Rules(
        name,
        state=STATE,
        game=GAME,
        chance=chance,
        search_defaults={"score_bonus": 0.0},
    )
    rules.variant(variant)
    for function in (
        reset,
        movers,
        legal_actions,
        apply,
        scores,
        results,
        evaluate,
        action_values,
        filter_actions,
        state_key,
        turn,
        round,
        visible_action,
        nearest_opponent,
        *([redeterminise] if hidden else []),
    ):
        rules.define(function)
    rules.policy(sensible)
    return rules


OPEN = _rules("table")
DICE = _rules("table_with_dice", chance=True)
HIDDEN = _rules("table_with_secrets", hidden=True)
