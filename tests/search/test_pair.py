"""Trees of two, and players who choose in turn over stored states (TP-MCTS)."""

from dataclasses import replace

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import schedule
from tests.search.stored_twin import StoredTwin
from tests.toy_games import MATRIX, nim

AT_ONCE = schedule((7,) * 5, players=3)
MIXED = schedule((7, 6, 3, 7, 5, 2, 7, 4, 7), players=3)
IN_TURN = schedule((1, 2, 4, 1, 4, 2, 1), players=3)
GAMES = {"at_once": AT_ONCE, "mixed": MIXED, "in_turn": IN_TURN}
PLAIN = {"rollout": 0, "value": "evaluate", "solver": False, "exploration": 0.7}


def opening(model):
    return model.reset(new_generator(0))


def searched(model, seed, player=0, **chosen):
    settings = SearchSettings(**PLAIN | {"simulations": 400} | chosen)
    return Search(model, settings).run(opening(model), player, new_generator(seed))


def next_mover(model, player):
    """Select the first of the others who move, in the order of seats."""

    def select(state):
        order = [(player + step) % model.players for step in range(1, model.players)]
        movers = model.movers(state)
        return [other for other in order if other in movers][:1]

    return select


def twin(model, seed, player=0, simulations=400, **chosen):
    chosen = {"exploration": 0.7, "reply": lambda state, p: 2} | chosen
    twin = StoredTwin(model, opening(model), player, new_generator(seed), **chosen)
    return twin.run(simulations)


def assert_equal(found, expected):
    assert found.visits.tolist() == expected.visits(found.actions)
    for action, value, visits in zip(
        found.actions.tolist(), found.values, found.visits, strict=True
    ):
        if visits:
            edge = expected.root.edges[expected.player][action]
            assert value == pytest.approx(edge.mean, abs=1e-12)
    assert found.forward_model_calls == expected.calls


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("paranoid", [False, True])
def test_single_player_search_is_algorithm_1(game, paranoid):
    model = GAMES[game]
    for seed in range(3):
        chosen = {"tree": "self", "loop": "sampled", "opponent_model": "highest"}
        found = searched(model, seed, paranoid=paranoid, **chosen)
        assert_equal(found, twin(model, seed, paranoid=paranoid))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("paranoid", [False, True])
@pytest.mark.parametrize("simultaneous", ["decoupled", "serialised"])
@pytest.mark.parametrize("max_depth", [1, 2, 3, 1000])
def test_two_player_search_is_algorithm_2(game, paranoid, simultaneous, max_depth):
    model = GAMES[game]
    for seed, player in [(1, 0), (2, 2)]:
        if player not in model.movers(opening(model)):
            continue
        found = searched(
            model,
            seed,
            player,
            tree="pair",
            loop="sampled",
            opponent_model="highest",
            paranoid=paranoid,
            simultaneous=simultaneous,
            max_depth=max_depth,
        )
        expected = twin(
            model,
            seed,
            player,
            select=next_mover(model, player),
            paranoid=paranoid,
            serialised=simultaneous == "serialised",
            max_depth=max_depth,
        )
        assert_equal(found, expected)
        assert found.depth <= max_depth


@pytest.mark.parametrize("loop", ["closed", "sampled"])
@pytest.mark.parametrize("max_depth", [1, 2, 3, 4, 5, 1000])
def test_three_in_turn_over_stored_states(loop, max_depth):
    for model in (AT_ONCE, MIXED):
        for seed in range(2):
            chosen = {"loop": loop, "simultaneous": "serialised"}
            found = searched(model, seed, max_depth=max_depth, **chosen)
            # Who comes after a choice that is the last one allowed plays at random.
            expected = twin(
                model,
                seed,
                select=lambda state: range(3),
                serialised=True,
                max_depth=max_depth,
                reply=None,
            )
            assert_equal(found, expected)
            assert found.depth <= max_depth


def test_the_opponent_chooses_below_the_players_move():
    found = searched(AT_ONCE, 1, tree="pair", loop="sampled", simultaneous="serialised")
    tree = found.tree()
    assert tree["movers"] == [0]
    assert sum(child["node"]["visits"] for child in tree["children"]) == 400
    for child in tree["children"]:
        assert child["node"]["movers"] == [1]
        own = next(iter(child["actions"].values()))
        place = found.actions.tolist().index(own)
        assert child["node"]["visits"] == found.visits[place]
        for below in child["node"]["children"]:
            assert below["node"]["movers"] == [0]
    movers = [player for player, _ in found.principal_variation]
    assert movers == [0, 1] * (len(movers) // 2) + [0] * (len(movers) % 2)
    assert len(movers) > 4
    assert "0" in found.dot() and found.text()


@pytest.mark.parametrize("loop", ["open", "sampled"])
def test_where_the_pair_is_everybody_it_is_one_tree(loop):
    # Of those who move in turn the next one is always whoever moves.
    two = schedule((3, 1, 3, 2, 3), players=2)
    for model in (IN_TURN, nim(), two):
        both = [
            searched(model, 3, tree=tree, loop=loop, paranoid=True, rollout=2)
            for tree in ("one", "pair")
        ]
        assert both[0].visits.tolist() == both[1].visits.tolist()
        assert both[0].values.tolist() == both[1].values.tolist()


@pytest.mark.parametrize("loop", ["open", "sampled"])
@pytest.mark.parametrize("simultaneous", ["decoupled", "serialised"])
def test_only_two_of_three_are_in_the_tree(loop, simultaneous):
    asked = set()

    def reply(model, state, player):
        asked.add(player)
        return 1

    chosen = {"tree": "pair", "loop": loop, "simultaneous": simultaneous}
    found = searched(AT_ONCE, 2, 1, opponent_model=reply, **chosen)

    def players(node):
        below = (players(child["node"]) for child in node["children"])
        return set(node["movers"]).union(*below)

    assert players(found.tree()) == {1, 2}
    # In an open loop who leaves the tree halfway asks the model, too.
    halfway = loop == "open" and simultaneous == "serialised"
    assert asked == ({0, 2} if halfway else {0})


@pytest.mark.parametrize("loop", ["open", "sampled"])
@pytest.mark.parametrize("tree", ["one", "pair"])
def test_who_chooses_second_has_an_advantage(loop, tree):
    pennies = MATRIX.model(payoffs=(1, 0, 0, 1, 0, 1, 1, 0))
    # UCB1 keeps both in step with each other here; regret matching draws.
    settings = SearchSettings(
        tree=tree,
        loop=loop,
        tree_policy="regret_matching",
        simulations=4000,
        solver=False,
    )
    means = []
    for order in ("decoupled", "serialised"):
        search = Search(pennies, replace(settings, simultaneous=order))
        found = search.run(opening(pennies), 0, new_generator(1))
        means.append((found.visits * found.values).sum() / found.visits.sum())
    assert means[0] == pytest.approx(0.5, abs=0.1)
    assert means[1] < 0.1


def test_threads_search_pairs_alike():
    chosen = {"tree": "pair", "loop": "sampled", "simultaneous": "serialised"}
    runs = [searched(AT_ONCE, 5, threads=2, **chosen) for _ in range(2)]
    assert runs[0].visits.tolist() == runs[1].visits.tolist()
    assert runs[0].visits.sum() == 400


def test_growth_and_bounds_with_pending_nodes(monkeypatch):
    from mcts_agents.search.driver import memory

    chosen = {"tree": "pair", "loop": "sampled", "simultaneous": "serialised"}
    expected = searched(AT_ONCE, 6, **chosen)
    monkeypatch.setattr(memory, "FIRST_NODES", 8)
    monkeypatch.setattr(memory, "FIRST_EDGES", 32)
    small = searched(AT_ONCE, 6, **chosen)
    assert small.visits.tolist() == expected.visits.tolist()
    assert small.nodes == expected.nodes
    bound = {"memory": 1, "simulations": 10**5, "exploration": 50.0}
    bounded = searched(AT_ONCE, 6, **chosen | bound)
    assert bounded.simulations < 10**5
    assert bounded.bytes <= 1 << 20


def test_at_the_root_the_pair_is_the_same_in_all_determinizations():
    """In the fog, who is the nearest depends on where the others are thought to be."""
    model = make_model("pommerman:mode=radio")[1]
    settings = SearchSettings(tree="pair", simulations=300, value="win", rollout=0)
    differed = 0
    for seed in range(5):
        rng = new_generator(seed)
        dice = np.random.default_rng(seed)
        state = model.reset(rng)
        for _ in range(20):  # nobody lays a bomb, so all go on
            joint = {player: int(dice.integers(1, 5)) for player in range(4)}
            model.apply(state, joint, rng)
        nearest = set()
        for _ in range(20):
            world = model.copy(state)
            model.redeterminise(world, 0, rng)
            nearest.add(model.nearest_opponent(world, 0))
        differed += len(nearest) > 1
        found = Search(model, settings).run(world, 0, rng)
        assert found.visits.sum() == 300
    assert differed
