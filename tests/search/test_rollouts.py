"""Rollouts: where they end, who is asked below the trees, and what those may know."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.agents import MCTSAgent, OneStepAgent
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.scheduled import RULES, players_of
from tests.toy_games import hands

ENDS = ("exact", "action", "start", "turn", "round")


def search(model, player=0, seed=0, state=None, **chosen):
    """Search from an opening."""
    rng = new_generator(seed)
    state = model.reset(rng) if state is None else state
    return Search(model, SearchSettings(**chosen)).run(state, player, rng)


def leaves(model, player, **chosen):
    """Return the records of the states in which iterations end, one decision deep."""
    seen = []

    def value(model, state):
        seen.append(model.view(state))
        return np.zeros(model.players)

    chosen = {"simulations": 3, "max_depth": 1, "value": value} | chosen
    search(model, player, **chosen)
    assert len(seen) == chosen["simulations"]
    return seen


# -- a twin of what the options say


def may_end(end, i, player, movers, turns, rounds):
    """Whether a rollout that has its length may end before move `i`."""
    before, after = players_of(movers[i - 1]), players_of(movers[i])
    if end == "action":
        return player in before and (player not in after or before != [player])
    if end == "start":
        return player in after and any(other != player for other in before)
    if end == "turn":
        return player in before and turns[i] != turns[i - 1]
    if end == "round":
        return rounds[i] != rounds[i - 1]
    return True


def moves_of_iteration(tree, end, length, player, movers, turns, rounds):
    """Return the move that is not made, and (move, player) asked below the trees.

    Each player's tree is one decision deep.
    """
    asked, rolled, left = [], 0, set()
    for i, mask in enumerate(movers):
        mine = set(players_of(mask))
        if tree == "one":
            in_tree = mine if i == 0 else set()
            counted = mine - in_tree
        elif tree == "self":
            in_tree = mine & ({player} - left)
            # Modelled players are part of the tree as long as there is one.
            counted = mine if player in left else set()
        else:
            in_tree = mine - left
            counted = mine - in_tree
        left |= in_tree
        rolled += len(counted)
        if rolled > length and may_end(end, i, player, movers, turns, rounds):
            return i, asked
        asked += [(i, other) for other in sorted(mine - in_tree)]
    return len(movers), asked


@st.composite
def schedules(draw):
    """Return (players, movers, turns, rounds, acting player)."""
    players = draw(st.integers(2, 4))
    count = draw(st.integers(2, 14))
    masks = st.integers(1, 2**players - 1)
    if draw(st.booleans()):
        masks = st.sampled_from([1 << p for p in range(players)])
    movers = draw(st.lists(masks, min_size=count, max_size=count))
    steps = st.lists(st.booleans(), min_size=count, max_size=count)
    turns, rounds = (np.cumsum([0, *draw(steps)]).tolist() for _ in range(2))
    player = draw(st.sampled_from(players_of(movers[0])))
    return players, tuple(movers), tuple(turns), tuple(rounds), player


@settings(max_examples=150, deadline=None)
@given(
    schedule=schedules(),
    tree=st.sampled_from(("one", "self", "multi")),
    end=st.sampled_from(ENDS),
    length=st.integers(1, 8),
    stepped=st.booleans(),
)
def test_where_rollouts_end_and_who_is_asked(schedule, tree, end, length, stepped):
    players, movers, turns, rounds, player = schedule
    model = RULES.model(players=players, movers=movers, turns=turns, rounds=rounds)
    expected, asked = moves_of_iteration(
        tree, end, length, player, movers, turns, rounds
    )
    log = []

    def choose(seat):
        def policy(model, state, player):
            log.append((seat, int(model.view(state)["moves"]), player))
            return 0

        return policy

    policies = {}
    if stepped:
        policies = {"rollout_policy": choose("own"), "opponent_model": choose("other")}
    found = leaves(
        model, player, tree=tree, rollout=length, rollout_end=end, **policies
    )
    assert [int(leaf["moves"]) for leaf in found] == [expected] * 3
    if stepped:
        once = [("own" if p == player else "other", i, p) for i, p in asked]
        assert log == 3 * once


# -- ends, by hand

# Player 0 moves twice, then 1 once, then 2 twice; two such rounds, then one more.
ORDER = tuple(1 << p for p in (0, 0, 1, 2, 2)) * 3
TURNS = tuple(3 * (i // 5) + (0, 0, 1, 2, 2)[i % 5] for i in range(16))
ROUNDS = tuple(i // 5 for i in range(16))


@pytest.mark.parametrize(
    ("end", "length", "moves"),
    [
        ("exact", 1, 2),
        ("exact", 7, 8),
        ("exact", 100, 15),
        ("action", 1, 2),  # 0 has moved twice
        ("action", 2, 7),
        ("start", 1, 5),
        ("start", 4, 5),
        ("start", 5, 10),
        ("turn", 1, 2),
        ("turn", 3, 7),
        ("round", 1, 5),
        ("round", 4, 5),
        ("round", 5, 10),
        ("round", 10, 15),
    ],
)
def test_ends_of_turns_of_several_moves(end, length, moves):
    model = RULES.model(players=3, movers=ORDER, turns=TURNS, rounds=ROUNDS)
    found = leaves(model, 0, rollout=length, rollout_end=end)
    assert {int(leaf["moves"]) for leaf in found} == {moves}


@pytest.mark.parametrize(
    ("end", "length", "moves"),
    [
        ("exact", 2, 1),  # three more would be too many
        ("exact", 3, 2),
        ("exact", 8, 3),
        ("action", 2, 1),  # every decision ends an action sequence of everybody
        ("action", 4, 2),
        ("start", 4, 2),
        ("round", 1, 2),
        ("round", 3, 2),
        ("round", 5, 2),
        ("round", 6, 4),
    ],
)
def test_ends_where_all_decide_at_once(end, length, moves):
    model = RULES.model(players=3, movers=(7,) * 8, rounds=(0, 0, 1, 1, 2, 2, 3, 3, 4))
    found = leaves(model, 1, rollout=length, rollout_end=end)
    assert {int(leaf["moves"]) for leaf in found} == {moves}


@pytest.mark.parametrize("policy", ["random", "always_one", lambda *_: 0])
@pytest.mark.parametrize("length", [0, 1, 3])
def test_length_for_each_player(policy, length):
    model = RULES.model(players=3, movers=ORDER)
    chosen = {"rollout_per_player": True, "rollout_policy": policy} if length else {}
    found = leaves(model, 0, rollout=length, **chosen)
    assert {int(leaf["moves"]) for leaf in found} == {1 + 3 * length}


# -- who plays how


def test_scripted_policies_play_for_the_players_they_are_meant_for():
    model = RULES.model(players=3, movers=ORDER)
    found = leaves(model, 0, rollout_policy="always_one", opponent_model="always_zero")
    for leaf in found:
        for move in range(1, 15):
            player = players_of(ORDER[move])[0]
            assert leaf["played"][move, player] == (player == 0)
    for leaf in leaves(model, 0, rollout_policy="always_one"):
        assert (leaf["played"][1:15] == 1).sum() == 14


def test_random_rollouts_are_uniform():
    model = RULES.model(players=2, movers=(3,) * 6)
    found = leaves(model, 0, simulations=3000)
    ones = sum(int(leaf["played"][1:6, :2].sum()) for leaf in found)
    expected, deviation = 3000 * 10 / 2, math.sqrt(3000 * 10 / 4)
    assert abs(ones - expected) < 5 * deviation


class Asked:
    """Notes who is asked when, and in what state."""

    def decide(self, model, state, player):
        self.asked.append((int(model.view(state)["moves"]), player))
        return super().decide(model, state, player)


class AskedMCTS(Asked, MCTSAgent):
    """As `MCTSAgent`."""


class AskedOneStep(Asked, OneStepAgent):
    """As `OneStepAgent`."""


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize(
    "make", [lambda: AskedMCTS(simulations=8), lambda: AskedOneStep(samples=1)]
)
def test_agents_are_asked_for_the_right_players(make, tree):
    order = (1, 1, 2, 5, 2, 4, 1)
    model = RULES.model(players=3, movers=order)
    own, other = make(), make()
    own.asked, other.asked = [], []
    found = leaves(model, 0, tree=tree, rollout_policy=own, opponent_model=other)
    arguments = (tree, "exact", 1000, 0, order, range(8), range(8))
    _, asked = moves_of_iteration(*arguments)
    assert own.asked == 3 * [entry for entry in asked if entry[1] == 0]
    assert other.asked == 3 * [entry for entry in asked if entry[1] != 0]
    for leaf in found:  # one step ahead, 1 scores more than 0; the search sees it too
        for move, player in asked:
            assert leaf["played"][move, player] == 1 or isinstance(own, MCTSAgent)


def test_one_agent_plays_for_everybody_by_default():
    model = RULES.model(players=2, movers=(1, 2, 1, 2))
    agent = AskedOneStep(samples=1)
    agent.asked = []
    leaves(model, 0, rollout_policy=agent)
    assert agent.asked == 3 * [(1, 1), (2, 0), (3, 1)]


def test_modelled_agents_draw_from_the_search():
    model = RULES.model(players=2, movers=(1, 2) * 4)

    def decide(seed, agent_seed):
        agent = MCTSAgent(simulations=4, seed=agent_seed)
        found = search(model, seed=seed, simulations=30, opponent_model=agent)
        return found.visits.tolist(), found.values.tolist()

    assert decide(1, 5) == decide(1, 6)
    assert len({str(decide(seed, 5)) for seed in range(6)}) > 1


def test_an_illegal_action_comes_out_as_an_error():
    model = RULES.model(players=2, movers=(1, 2) * 4)
    for action in (2, -1, 10**6, None, 1.5):
        text = rf"chose action {action} for player 1 of scheduled; legal: \[0, 1\]"
        with pytest.raises(ValueError, match=text):
            search(model, opponent_model=lambda m, s, p, action=action: action)


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("so far"), KeyboardInterrupt(), SystemExit(3)]
)
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("option", ["rollout_policy", "opponent_model", "value"])
def test_exceptions_come_out_as_themselves(error, tree, option):
    model = RULES.model(players=2, movers=(1, 2) * 4)
    calls = []

    def fail(model, state, player=None):
        calls.append(player)
        if len(calls) == 10:
            raise error
        return 0 if player is not None else [0.0, 0.0]

    chosen = {option: fail, "tree": tree, "simulations": 50}
    searcher = Search(model, SearchSettings(**chosen))
    rng = new_generator(0)
    state = model.reset(rng)
    with pytest.raises(type(error)) as caught:
        searcher.run(state, 0, rng)
    assert caught.value is error
    assert len(calls) == 10, "asked on after an exception"
    again = searcher.run(state, 0, new_generator(1))
    assert again.simulations == 50


def test_an_agents_own_exception_comes_out():
    model = RULES.model(players=2, movers=(1, 2) * 4)

    def bad(model, state):
        raise LookupError("leaf of the opponent")

    with pytest.raises(LookupError, match="leaf of the opponent"):
        search(model, opponent_model=MCTSAgent(simulations=4, value=bad))


# -- what modelled players may know


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_a_modelled_player_does_not_see_the_acting_players_hand(tree):
    model = hands(2)
    rng = new_generator(11)
    state = model.reset(rng)
    while model.movers(state) != (0,):
        state = model.reset(rng)
    held = int(model.view(state)["hands"][0])
    views = []

    def opponent(model, state, player):
        views.append(model.view(state))
        assert player == 1
        return int(model.legal_actions(state, player)[0])

    chosen = {"simulations": 1500, "max_depth": 1, "tree": tree}
    search(model, 0, state=state, opponent_model=opponent, **chosen)
    right = expected = 0.0
    for view in views:
        own, other = int(view["hands"][1]), int(view["hands"][0])
        assert own & held == 0, "holds what the acting player knows to hold itself"
        assert own & other == 0 and (own | other) & int(view["played"]) == 0
        true = held & ~int(view["played"])
        assert other.bit_count() == true.bit_count()
        unknown = 10 - int(view["played"]).bit_count() - own.bit_count()
        expected += 1 / math.comb(unknown, true.bit_count())
        right += other == true
    assert len(views) > 1000
    assert abs(right - expected) < 6 * math.sqrt(expected)


def test_the_acting_player_is_not_told_what_was_dealt_to_the_others():
    model = hands(2)
    rng = new_generator(3)
    state = model.reset(rng)
    while model.movers(state) != (0,):
        state = model.reset(rng)
    pairs = []
    current = {}

    def own(model, state, player):
        assert player == 0
        current["own"] = int(model.view(state)["hands"][1])
        return int(model.legal_actions(state, player)[0])

    def opponent(model, state, player):
        # What the opponent holds of this determinization, against what the acting
        # player believed just before.
        if "own" in current:
            pairs.append((current.pop("own"), int(model.view(state)["hands"][1])))
        return int(model.legal_actions(state, player)[0])

    chosen = {"simulations": 1500, "max_depth": 1}
    search(model, 0, state=state, rollout_policy=own, opponent_model=opponent, **chosen)
    same = sum(a == b for a, b in pairs)
    assert len(pairs) > 500
    # Two cards at least are not the acting player's, so one in three at the most.
    assert same < 0.6 * len(pairs)


def test_a_view_is_a_copy():
    model = RULES.model(players=2, movers=(1, 2) * 4)

    def decide(scribble):
        def policy(model, state, player):
            if scribble:
                state[:] = 77
                state[:8] = 0
            return 1

        result = search(model, simulations=60, rollout_policy=policy)
        return result.visits.tolist(), result.values.tolist()

    def honest(model, state, player):
        return 1

    expected = search(model, simulations=60, rollout_policy=honest)
    assert decide(False) == (expected.visits.tolist(), expected.values.tolist())
    assert decide(True) == decide(False)
