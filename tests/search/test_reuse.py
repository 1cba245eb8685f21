"""Tree reuse: kept is exactly what was searched below what was really played."""

import copy

import numpy as np
import pytest

from mcts_agents.agents import MCTSAgent
from mcts_agents.envs import tictactoe as tictactoe_env
from mcts_agents.envs.tictactoe.rules import rules as tictactoe
from mcts_agents.model import History, new_generator, random_below
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.driver import memory
from tests.search.scheduled import RULES as scheduled
from tests.toy_games import MATRIX, auction, hands, nim

GAMES = {
    "nim": nim(),
    "tictactoe": tictactoe.model(),
    "matrix": MATRIX.model(payoffs=(3, 1, 0, 5, 5, 0, 1, 2), rounds=5),
    "turns": scheduled.model(players=3, movers=(1, 1, 2, 4, 5, 7, 1, 2, 6, 1, 3)),
    "auction": auction(),
    "hands": hands(2),
}


def plain(node):
    """Reduce an exported node to what was backed up, by players and actions."""
    if node is None or node["visits"] == 0:
        return None
    bandits = {
        bandit["player"]: (
            bandit["visits"],
            {
                entry["action"]: (entry["visits"], entry["value"])
                for entry in bandit["actions"]
                if entry["visits"]
            },
        )
        for bandit in node["bandits"]
    }
    children = {}
    for child in node["children"]:
        below = plain(child["node"])
        if below is not None:
            key = (tuple(child["actions"].items()), tuple(child["node"]["movers"]))
            children[key] = below
    return bandits, children


def followed(tree, owned, moves, movers):
    """Follow joint actions down a plain tree; `movers` decide at the end of them."""
    at = [tree]
    for joint in moves:
        own = tuple((p, a) for p, a in enumerate(joint) if a != -1 and p in owned)
        if own:
            at = [
                below
                for node in at
                if node is not None and tuple(p for p, _ in own) == tuple(node[0])
                for (actions, _), below in node[1].items()
                if actions == own
            ]
    wanted = tuple(p for p in movers if p in owned)
    found = [node for node in at if tuple(node[0]) == wanted]
    return found[0] if found else None


class Game:
    """A game that is really played, and its history as everybody sees it."""

    def __init__(self, model, seed):
        self.model, self.rng, self.moves = model, new_generator(seed), []
        self.state = model.reset(self.rng)

    def movers(self):
        return self.model.movers(self.state)

    def step(self, forced=None):
        """Let everybody move at random, but for the actions that are given."""
        joint = [-1] * self.model.players
        for player in self.movers():
            legal = self.model.legal_actions(self.state, player)
            joint[player] = int(legal[random_below(self.rng, len(legal))])
            if forced and player in forced:
                joint[player] = forced[player]
        self.model.apply(self.state, joint, self.rng)
        self.moves.append(tuple(joint))

    def follow(self, line):
        """Take one step as a principal variation goes on, at random from its end."""
        forced = {}
        for player in self.movers():
            legal = self.model.legal_actions(self.state, player)
            if line and line[0] in [(player, action) for action in legal]:
                forced[player] = line.pop(0)[1]
        self.step(forced)

    def history(self, episode=0, moves=None):
        return History(episode, tuple(self.moves if moves is None else moves))

    def has_choice(self, player):
        """Whether a player decides here between several actions."""
        if player not in self.movers():
            return False
        return len(self.model.legal_actions(self.state, player)) > 1


class Watched:
    """A search that shows its trees as they are when the first leaf is reached."""

    def __init__(self, model, **chosen):
        self.model, self.before = model, None
        self.search = Search(
            model, SearchSettings(reuse_tree=True, value=self.value, **chosen)
        )

    def trees(self):
        found = []
        for player in range(self.model.players):
            try:
                found.append(plain(self.search.read_tree(player)))
            except RuntimeError:
                found.append(None)
        return found

    def value(self, model, state):
        if self.before is None:
            self.before = self.trees()
        return model.scores(state)

    def run(self, game, player, seed, history):
        self.before = None
        rng = new_generator(seed)
        state = game.model.copy(game.state)
        return self.search.run(state, player, rng, history=history)


def owners(tree, player, players):
    """Return {player whose tree it is: players of the tree}."""
    if tree == "one":
        return {player: set(range(players))}
    if tree == "self":
        return {player: {player}}
    return {p: {p} for p in range(players)}


def one_game(model, tree, seed, simulations=150, **chosen):
    """Play and search a game; return how many visits were reused in all."""
    game = Game(model, seed)
    chosen = {"simulations": simulations, "tree": tree} | chosen
    watched = Watched(model, solver=False, **chosen)
    player, reused, last, line = game.movers()[0], 0, None, []
    while game.movers():
        if not game.has_choice(player):
            game.follow(line)
            continue
        result = watched.run(game, player, seed, game.history())
        if last is not None:
            trees, played = last
            since = game.moves[played:]
            for owner, owned in owners(tree, player, model.players).items():
                if owner in game.movers():
                    expected = followed(trees[owner], owned, since, game.movers())
                    assert watched.before[owner] == expected
                    if owner == player:
                        visits = 0 if expected is None else expected[0][player][0]
                        assert result.reused == visits
                        reused += visits
        else:
            assert watched.before[player] is None and result.reused == 0
        assert result.simulations == simulations
        # Actions of other worlds and of others' other replies are not legal here.
        root = watched.trees()[player][0][player]
        assert root[0] == result.reused + simulations
        assert result.visits.sum() == sum(
            n for action, (n, _) in root[1].items() if action in result.actions
        )
        last = (watched.trees(), len(game.moves))
        line = result.principal_variation if seed % 2 else []
        game.follow(line)
    return reused


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("game", GAMES)
def test_the_subtree_that_was_searched_is_kept(game, tree):
    assert sum(one_game(GAMES[game], tree, seed) for seed in range(4)) > 0


@pytest.mark.parametrize(
    "choice",
    [
        {"tree_policy": "exp3"},
        {"tree_policy": "regret_matching"},
        {"backup": "lambda"},
        {"abstraction": "all"},
        {"paranoid": True},
        {"first_play_urgency": 1.0},
        {"rollout_policy": "mast"},
        {"max_depth": 5},
    ],
    ids=str,
)
@pytest.mark.parametrize("game", ["turns", "auction"])
def test_the_subtree_is_kept_under_other_options(game, choice):
    model = GAMES[game]
    kept = [one_game(model, "one", seed, **choice) for seed in range(2)]
    assert sum(kept) > 0


@pytest.mark.parametrize("game", ["nim", "tictactoe", "matrix", "turns"])
def test_closed_loops_keep_their_states(game):
    model = GAMES[game]
    for seed in range(2):
        one_game(model, "one", seed, loop="closed")
        results = []
        for loop in ("open", "closed"):
            play = Game(model, seed)
            settings = SearchSettings(
                reuse_tree=True, loop=loop, solver=False, simulations=200
            )
            search, found = Search(model, settings), []
            player = play.movers()[0]
            while play.movers():
                if play.has_choice(player):
                    state, rng = model.copy(play.state), new_generator(seed)
                    history = play.history()
                    result = search.run(state, player, rng, history=history)
                    found.append((result.visits.tolist(), result.values.tolist()))
                play.step()
            results.append(found)
        np.testing.assert_equal(results[0], results[1])


def test_arrays_that_grow_and_shrink(monkeypatch):
    def games():
        return [
            one_game(GAMES[name], tree, seed)
            for name in ("turns", "auction")
            for tree in ("one", "multi")
            for seed in (1,)
        ]

    expected = games()
    monkeypatch.setattr(memory, "FIRST_NODES", 8)
    monkeypatch.setattr(memory, "FIRST_EDGES", 64)
    monkeypatch.setattr(memory, "FIRST_JOINTS", 8)
    assert games() == expected


# -- when nothing is kept


def two_runs(model, tree, second, **chosen):
    """Search, let moves be made until the player decides again, search once more.

    `second(game)` is the history given to the second search.
    """
    game = Game(model, 1)
    watched = Watched(model, tree=tree, solver=False, simulations=300, **chosen)
    player = game.movers()[0]
    first = watched.run(game, player, 1, game.history())
    game.follow(first.principal_variation)
    while not game.has_choice(player):
        game.follow(first.principal_variation)
    return watched.run(game, player, 2, second(game)), watched, player


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_a_fresh_tree_without_a_history_that_continues(tree):
    model = GAMES["nim"]
    result, _, _ = two_runs(model, tree, lambda game: game.history())
    assert result.reused > 0
    for second in (
        lambda game: None,
        lambda game: game.history(episode=1),  # another game
        lambda game: game.history(moves=()),  # not later
        lambda game: game.history(moves=[(9, 9, 9)]),  # a move never searched
    ):
        result, watched, player = two_runs(model, tree, second)
        assert result.reused == 0
        assert watched.before[player] is None
        assert result.visits.sum() == 300


def hide(game, hidden):
    """The history of somebody who does not see the moves of `hidden`."""
    moves = [
        tuple(None if p in hidden and a != -1 else a for p, a in enumerate(joint))
        for joint in game.moves
    ]
    return game.history(moves=moves)


def test_hidden_moves_end_the_trees_that_they_belong_to():
    model = GAMES["turns"]  # 0 decides twice, then 1, then 2, then 0 and 2
    for tree, kept in (("one", False), ("self", True), ("multi", True)):
        game = Game(model, 3)
        watched = Watched(model, tree=tree, simulations=300)
        game.step()
        watched.run(game, 0, 1, game.history())
        for _ in range(3):
            game.step()
        result = watched.run(game, 0, 2, hide(game, {1}))
        assert (result.reused > 0) is kept
        if tree == "multi":
            assert watched.before[0] is not None
            assert watched.before[2] is not None
            assert watched.before[1] is None


def test_another_player_begins_anew():
    game = Game(GAMES["nim"], 0)
    watched = Watched(game.model, simulations=100, solver=False)
    watched.run(game, 0, 0, game.history())
    game.step()
    assert watched.run(game, 1, 0, game.history()).reused == 0


def test_forgetting():
    game = Game(GAMES["nim"], 0)
    watched = Watched(game.model, simulations=500, solver=False)
    result = watched.run(game, 0, 0, game.history())
    watched.search.forget()
    game.step({0: result.action})
    game.step()
    game.step()
    assert watched.run(game, 0, 0, game.history()).reused == 0


def test_histories():
    early = History(1, ((0, -1), (-1, 2)))
    late = History(1, ((0, -1), (-1, 2), (3, -1)))
    assert late.continues(early)
    assert late.since(early) == ((3, -1),)
    assert not early.continues(late)
    assert not early.continues(early)
    assert not History(2, late.moves).continues(early)
    assert not History(1, ((0, -1), (-1, 1), (3, -1))).continues(early)
    assert History(1, ((0, -1),)).continues(History(1, ()))


# -- in environments


def opened(seed=0):
    env = tictactoe_env.env()
    env.reset(seed=seed)
    return env


def test_an_agent_reuses_its_trees_in_an_environment():
    env = opened()
    agent = MCTSAgent(simulations=400, reuse_tree=True, solver=False, seed=0)
    found = []
    for _ in range(5):
        result = agent.plan(env)
        found.append(result.reused)
        assert result.visits.sum() == result.reused + 400
        env.step(result.action)
    # The first decision of each seat, which have searches of their own, is fresh.
    assert found[:2] == [0, 0]
    assert all(reused > 0 for reused in found[2:])
    env.reset(seed=1)
    assert agent.plan(env).reused == 0


def test_a_reset_agent_begins_anew():
    env = opened()
    agent = MCTSAgent(simulations=400, reuse_tree=True, solver=False, seed=0)
    for _ in range(2):
        env.step(agent.act(env))
    agent.reset(0)
    assert agent.plan(env).reused == 0


def test_copies_of_an_environment_that_go_apart():
    env = opened()
    agent = MCTSAgent(simulations=400, reuse_tree=True, solver=False, seed=0)
    agent.plan(env)
    other = copy.deepcopy(env)
    for game, moves in ((env, (4, 0)), (other, (4, 1))):
        for action in moves:
            game.step(action)
    assert agent.plan(env).reused > 0
    assert agent.plan(other).reused == 0, "a tree of another line of play"
    # From here on the agent follows the copy.
    other.step(0)
    other.step(8)
    assert agent.plan(other).reused > 0


def test_refused_combinations():
    for name, value in (("graph", True), ("tree", "observers"), ("loop", "sampled")):
        with pytest.raises(ValueError, match="reuse_tree=true"):
            Search(GAMES["tictactoe"], SearchSettings(reuse_tree=True, **{name: value}))
    with pytest.raises(ValueError, match="threads=1"):
        Search(GAMES["nim"], SearchSettings(reuse_tree=True, threads=2))
