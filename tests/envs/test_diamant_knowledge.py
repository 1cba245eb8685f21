"""What players of Diamant can know, and heuristics, against the slow twin."""

import functools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.diamant.cards import MOST_GEMS
from mcts_agents.envs.diamant.rules import rules
from mcts_agents.model import RESULT_NAMES, new_generator
from tests.envs.diamant_positions import (
    coming,
    permute_hidden,
    play_both,
    play_some,
    positions,
    random_joint,
    table,
)
from tests.envs.diamant_twin import HAZARDS, TREASURES

CONTINUE, EXIT = 0, 1


# -- what a player knows


@settings(max_examples=100, deadline=None)
@given(positions, st.integers(0, 5), st.integers(0, 2**32), st.randoms())
def test_redeterminise_changes_the_order_of_the_deck_and_nothing_else(
    position, observer, seed, random
):
    model, state = play_some(*position)
    observer %= model.players
    twisted, sample = model.copy(state), model.copy(state)
    permute_hidden(model, twisted, observer, random)
    for other in range(model.players):
        assert (model.observe(twisted, other) == model.observe(state, other)).all()
    model.redeterminise(sample, observer, new_generator(seed))
    model.redeterminise(twisted, observer, new_generator(seed))
    assert (sample == twisted).all()  # equal information and seed
    assert (model.observe(sample, observer) == model.observe(state, observer)).all()
    before, after = model.view(state), model.view(sample)
    for field in set(before.dtype.names) - {"deck_order"}:
        assert np.array_equal(before[field], after[field])
    assert Counter(coming(model, sample)) == Counter(coming(model, state))
    finish(model, sample)


def finish(model, state):
    """A sample is a position of the game: it can be played out to a sound end."""
    rng = new_generator(0)
    while not model.is_over(state):
        assert model.view(state)["path_length"] <= 20
        model.apply(state, random_joint(model, state, rng), rng)
    assert all(r > 0 for r in model.results(state))


def test_samples_have_different_orders():
    model, state = play_some(4, 2, 2, 12)
    rng = new_generator(0)
    orders = set()
    for _ in range(50):
        model.redeterminise(state, 1, rng)
        orders.add(tuple(coming(model, state)))
    assert len(orders) == 50


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 5))
def test_what_an_observation_says(position, observer):
    model, state, twin = play_both(*position)
    observer %= model.players
    seen = model.observe(state, observer).tolist()
    assert seen[:15] == [int(gems in twin.path) for gems in TREASURES]
    assert seen[15:20] == [int(hazard in twin.path) for hazard in HAZARDS]
    assert seen[20:25] == [twin.removed.count(hazard) for hazard in HAZARDS]
    assert seen[25:27] == [twin.pool, twin.caves_ended]
    for seat in range(model.players):
        owner = (observer + seat) % model.players
        row = seen[27 + 5 * seat : 32 + 5 * seat]
        assert row[0] == (owner in twin.inside)
        assert 100 * row[1] + row[2] == twin.chests[owner]
        assert 100 * row[3] + row[4] == twin.hands[owner]


def test_large_numbers_fit_into_an_observation():
    model, state = table(2, [], carried=MOST_GEMS, chests=[695, 101])
    seen = model.observe(state, 0)
    assert seen[27:].tolist() == [1, 6, 95, 1, 39, 1, 1, 1, 1, 39]


@settings(max_examples=60, deadline=None)
@given(positions, st.randoms())
def test_keys_are_equal_for_equal_information(position, random):
    model, state, twin = play_both(*position)
    twisted = model.copy(state)
    permute_hidden(model, twisted, 0, random)
    keys = {model.state_key(s, p) for s in (state, twisted) for p in range(2)}
    assert len(keys) == 1
    assert model.state_key(twisted) != model.state_key(state)
    view = model.view(twisted)
    view["path"][: len(twin.path)] = view["path"][: len(twin.path)][::-1]
    assert model.state_key(twisted, 0) in keys  # the order of the path is past
    view["chests"][random.randrange(model.players)] += 1
    assert model.state_key(twisted, 0) not in keys


def test_keys_tell_all_positions_of_many_games_apart():
    keys = {}
    for players in (2, 3, 6):
        for seed in range(6):
            for decisions in range(25):
                model, state, twin = play_both(players, seed, decisions, 5)
                known = repr(
                    (
                        players, sorted(map(str, twin.path)), twin.pool, twin.chests,
                        twin.hands, sorted(twin.removed), twin.caves_ended, twin.inside,
                    )
                )  # fmt: skip
                keys.setdefault(model.state_key(state, 1), set()).add(known)
    assert len(keys) > 200
    assert all(len(positions) == 1 for positions in keys.values())


def test_decisions_are_open_once_made():
    model, state = play_some(3, 0, 0, 2)
    for actor, action in enumerate([CONTINUE, EXIT, EXIT]):
        for observer in range(3):
            joint = [CONTINUE, EXIT, EXIT]
            assert model.visible_action(state, joint, actor, observer) == action


# -- heuristics


@settings(max_examples=100, deadline=None)
@given(positions)
def test_heuristics_equal_the_twins(position):
    model, state, twin = play_both(*position)
    alive = 1.0
    if twin.inside:
        danger, size = twin.danger(), len(twin.deck)
        alive = 1 - danger / size
        rng = new_generator(0)
        policy = functools.partial(model.policy_action, "cautious")
        stake = twin.stake()
        going_on = alive * stake + twin.gain() / size
        for player in twin.inside:
            chosen = policy(state, player, 0, rng)
            assert chosen == (danger * stake > twin.gain())
            values = model.action_values(state, player)
            expected = np.array([going_on, stake]) / (going_on + stake)
            assert values == pytest.approx(expected)
    worth = np.array(twin.chests) + alive * np.array(twin.hands)
    if worth.sum() == 0:
        worth[:] = 1
    assert model.evaluate(state) == pytest.approx(worth / worth.sum())


def test_leaving_looks_better_with_more_gems_and_more_hazards():
    def value_of_exit(path, carried):
        model, state = table(3, path, carried=carried)
        return model.action_values(state, 0)[EXIT]

    assert value_of_exit(["gas"], 4) < value_of_exit(["gas"], 9)
    assert value_of_exit(["gas"], 9) < value_of_exit(["gas", "snakes"], 9)


def test_cautious_beats_random_play():
    model = rules.model(players=2)
    policy = functools.partial(model.policy_action, "cautious")
    rng = new_generator(3)
    won = 0
    for game in range(200):
        state = model.reset(rng)
        while movers := model.movers(state):
            joint = random_joint(model, state, rng, 2)
            careful = game % 2
            if careful in movers:
                joint[careful] = policy(state, careful, 0, rng)
            model.apply(state, joint, rng)
        won += RESULT_NAMES[model.results(state)[game % 2]] == "won"
    assert won > 130
