"""Rollouts: how long, who plays how, and where they end, read off the leaves."""

import numpy as np
import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import played, schedule
from tests.toy_games import auction, fuse, hands

# Who moves; turns of several moves, an interruption, and simultaneous moves.
MASKS = (1, 1, 2, 4, 1, 2, 2, 7, 4, 3, 1, 1)
TURNS = (0, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6)
ROUNDS = (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3)
GAME = schedule(MASKS, players=3, turns=TURNS, rounds=ROUNDS)


def leaves(model, player=0, moves=0, **settings):
    """Search; return the result, and of each leaf the moves that led to it."""
    found = []

    def note(model, state):
        found.append(played(model, state))
        return np.arange(model.players, dtype=float)

    state = model.reset(new_generator(0))
    for _ in range(moves):
        model.apply(state, dict.fromkeys(model.movers(state), 0), new_generator(0))
    settings = SearchSettings(**({"simulations": 60} | settings), value=note)
    searching = Search(model, settings)
    return searching.run(state, player, new_generator(1)), found


def end_of(tree_steps, length, end, root):
    """Where a rollout ends that begins after `tree_steps` steps, by the manual."""
    done, step = 0, tree_steps
    while step < len(MASKS):
        mask = MASKS[step]
        done += mask.bit_count()
        last, mine = MASKS[step - 1], 1 << root
        if done > length:
            over = {
                "exact": True,
                # We have acted, and the next action is another player's.
                "action": bool(last & mine) and (not mask & mine or last != mine),
                # Others have acted, and the next action is ours.
                "start": bool(mask & mine) and bool(last & ~mine),
                "turn": bool(last & mine) and TURNS[step] != TURNS[step - 1],
                "round": ROUNDS[step] != ROUNDS[step - 1],
            }[end]
            if over:
                return step
        step += 1
    return step


@pytest.mark.parametrize("end", ["exact", "action", "start", "turn", "round"])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(("root", "moves"), [(0, 0), (1, 2), (2, 3)])
def test_where_rollouts_end(end, length, root, moves):
    # One decision deep, so that a rollout begins right after the first move.
    _, found = leaves(
        GAME, root, moves, rollout=length, rollout_end=end, max_depth=1, simulations=20
    )
    expected = end_of(moves + 1, length, end, root)
    assert {len(path) for path in found} == {expected}


def test_the_ends_differ():
    ends = [
        {end_of(1, length, end, 0) for length in range(1, 9)}
        for end in ("exact", "action", "start", "turn", "round")
    ]
    assert len(set(map(frozenset, ends))) == 5


@pytest.mark.parametrize("per_player", [False, True])
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("length", [1, 2, 4])
def test_length_counts_actions_of_all_players(length, players, per_player):
    masks = [1 << i % players for i in range(12)]
    model = schedule(tuple(masks), players=players)
    found, paths = leaves(
        model, rollout=length, rollout_per_player=per_player, max_depth=1
    )
    total = min(11, length * (players if per_player else 1))
    assert {len(path) for path in paths} == {1 + total}
    assert found.forward_model_calls == 60 * (1 + total)


@pytest.mark.parametrize("rollout", [0, 1, 4])
@pytest.mark.parametrize("tree", ["one", "multi"])
def test_rollout_bounds_the_actions_after_the_tree(rollout, tree):
    # One decision deep: each iteration applies at most one action in each tree.
    trees = 1 if tree == "one" else 2
    model = fuse()
    settings = SearchSettings(simulations=100, max_depth=1, rollout=rollout, tree=tree)
    state = model.reset(new_generator(0))
    found = Search(model, settings).run(state, 0, new_generator(0))
    assert found.forward_model_calls == 100 * (trees + rollout)


# -- who plays how


def below_the_tree(model, tree_steps=1, **settings):
    """Return the moves after the tree's, of every leaf, by player."""
    _, found = leaves(model, max_depth=tree_steps, **settings)
    moves: dict[int, set[int]] = {}
    for path in found:
        for row in path[tree_steps:]:
            for player, action in enumerate(row):
                if action >= 0:
                    moves.setdefault(player, set()).add(action)
    return moves


def third(model, state, player):
    """A policy of the user: action 1."""
    return model.legal_actions(state, player)[1]


class Agent:
    """An agent as the library has them."""

    def __init__(self):
        self.seeds = []

    def reset(self, seed):
        self.seeds.append(seed)

    def decide(self, model, state, player):
        return 1


@pytest.mark.parametrize("loop", ["open", "closed"])
@pytest.mark.parametrize(
    ("rollout_policy", "opponent_model", "own", "others"),
    [
        ("random", None, {0, 1, 2}, {0, 1, 2}),
        ("lowest", None, {0}, {0}),
        ("lowest", "highest", {0}, {2}),
        ("random", "highest", {0, 1, 2}, {2}),
        ("highest", "random", {2}, {0, 1, 2}),
        (third, "lowest", {1}, {0}),
        ("lowest", third, {0}, {1}),
        (Agent(), "lowest", {1}, {0}),
        ("lowest", Agent(), {0}, {1}),
    ],
)
def test_the_root_player_follows_one_policy_and_the_others_another(
    rollout_policy, opponent_model, own, others, loop
):
    moves = below_the_tree(
        GAME, rollout_policy=rollout_policy, opponent_model=opponent_model, loop=loop
    )
    assert moves == {0: own, 1: others, 2: others}


def test_policies_follow_the_root_player_whoever_it_is():
    _, found = leaves(
        GAME, 1, 2, rollout_policy="lowest", opponent_model="highest", max_depth=1
    )
    for path in found:
        for row in path[3:]:
            assert row[1] in (-1, 0)
            assert {row[0], row[2]} <= {-1, 2}


def test_the_opponent_model_plays_for_those_without_a_tree():
    # Everywhere: in the tree too, however deep it is.
    _, found = leaves(
        GAME, tree="self", opponent_model="highest", simulations=300, rollout=0
    )
    for path in found:
        for row in path:
            assert {row[1], row[2]} <= {-1, 2}
    assert max(map(len, found)) > 4


def test_random_rollouts_are_uniform():
    _, found = leaves(GAME, simulations=2000, max_depth=1)
    actions = [row[1] for path in found for row in path[1:] if row[1] >= 0]
    shares = np.bincount(actions) / len(actions)
    np.testing.assert_allclose(shares, 1 / 3, atol=0.03)


def test_an_agent_gets_a_seed_of_the_search_for_each_decision():
    agent = Agent()
    model = schedule()
    searching = Search(model, SearchSettings(simulations=5, rollout_policy=agent))
    state = model.reset(new_generator(0))
    for seed in (1, 1, 2):
        searching.run(state, 0, new_generator(seed))
    assert agent.seeds[0] == agent.seeds[1] != agent.seeds[2]


def test_modelled_players_know_only_what_they_may():
    # What the model of the others sees of the root player's cards is not what it has.
    model = hands(2)
    rng = new_generator(3)
    state = model.reset(rng)
    player = model.movers(state)[0]
    mine = int(model.view(state)["hands"][player])
    seen = set()

    def spy(model, state, actor):
        if int(model.view(state)["played"]) == 0:
            seen.add(int(model.view(state)["hands"][1 - actor]))
        return model.legal_actions(state, actor)[0]

    while len(model.legal_actions(state, player)) < 2:
        state = model.reset(rng)
    settings = SearchSettings(simulations=200, opponent_model=spy)
    Search(model, settings).run(state, player, new_generator(1))
    assert not seen or seen != {mine}


@pytest.mark.parametrize("bad", [3, -1, 100])
@pytest.mark.parametrize("name", ["rollout_policy", "opponent_model"])
def test_an_illegal_action_of_a_policy_is_named(name, bad):
    with pytest.raises(
        ValueError, match=f"chose action {bad} for player . of schedule"
    ):
        leaves(GAME, **{name: lambda model, state, player: bad})


@pytest.mark.parametrize("simulations", [1, 50])
def test_an_exception_of_a_policy_comes_out(simulations):
    def fails(model, state, player):
        raise ZeroDivisionError("policy")

    for options in ({}, {"tree": "self"}, {"loop": "closed"}):
        with pytest.raises(ZeroDivisionError, match="policy"):
            leaves(GAME, opponent_model=fails, simulations=simulations, **options)


@pytest.mark.parametrize("rollout", [0, 2, 1000])
def test_stepping_is_the_same_as_a_games_own_playout(rollout):
    # `random` spelled as a rollout that ends exactly, with averages that nobody uses.
    model = auction()
    for seed in range(3):
        state = model.reset(new_generator(seed))
        found = [
            Search(model, SearchSettings(simulations=200, rollout=rollout, **options))
            .run(state, 0, new_generator(seed))
            .visits.tolist()
            for options in ({}, {"memory": 500})
        ]
        assert found[0] == found[1]
