"""What players of Poker can know: samples, observations, pictures."""

from collections import Counter
from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.poker.rules import rules
from mcts_agents.envs.poker.table import ansi
from mcts_agents.model import new_generator
from tests.envs.knowledge import (
    assert_chances,
    assert_looks_alike,
    assert_sampled_alike,
    picture,
    sample_of,
)
from tests.envs.poker_positions import (
    all_cards,
    deck,
    living,
    permute_hidden,
    play_some,
    positions,
)

HIDDEN = ("hands", "deck")
observers = st.integers(0, 13)
seeds = st.integers(0, 2**32)


@settings(max_examples=150, deadline=None)
@given(positions, observers, seeds)
def test_redeterminise_keeps_all_that_the_observer_knows(position, observer, seed):
    model, state = play_some(*position)
    observer %= model.players
    sample = sample_of(model, state, observer, seed)
    view, new = model.view(state), model.view(sample)
    for field in view.dtype.names:
        if field not in HIDDEN:
            assert np.array_equal(view[field], new[field])
    assert (view["hands"][observer] == new["hands"][observer]).all()
    assert living(model, view) == living(model, new)
    assert sorted(all_cards(model, sample)) == list(range(52))
    legal = model.legal_actions(state, observer)
    assert (model.legal_actions(sample, observer) == legal).all()
    assert_looks_alike(model, sample, state, observer)


@settings(max_examples=100, deadline=None)
@given(positions, observers, seeds, st.randoms())
def test_equal_information_and_seed_give_equal_samples(
    position, observer, seed, random
):
    """What the observer cannot see is permuted by hand; the samples stay the same."""
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert_sampled_alike(model, state, twisted, observer, seed)
    assert ansi(model, twisted, observer) == ansi(model, state, observer)


def test_unknown_cards_are_dealt_as_often_as_an_enumeration_says():
    """With nine cards, four of them on the board, three are unseen."""
    model = rules.model(players=2)
    model.game.setflags(write=True)
    model.game["cards"] = 9
    state = model.reset(new_generator(3))
    view = model.view(state)
    view["street"], view["community"] = 2, [0, 1, 2, 3, 0]
    view["hands"][0], view["hands"][1] = (4, 5), (6, 7)
    view["deck"][0], view["deck_size"] = 8, 1
    expected = Counter(
        (*sorted(cards[:2]), cards[2]) for cards in permutations((6, 7, 8))
    )
    rng, found = new_generator(4), Counter()
    for _ in range(3000):
        model.redeterminise(state, 0, rng)
        found[(*sorted(view["hands"][1].tolist()), *deck(view))] += 1
    assert_chances(expected, found)


def test_what_is_observed():
    model = rules.model(players=3)
    state = model.reset(new_generator(1))
    view = model.view(state)
    view["stacks"][:3], view["bets"][:3] = (5, 131, 7), (5, 10, 0)
    view["community"][:3], view["street"] = (1, 2, 3), 1
    view["hands"][1] = 51, 50
    seen = model.observe(state, 1).astype(int)
    assert np.flatnonzero(seen[:52]).tolist() == [50, 51]
    assert np.flatnonzero(seen[52:104]).tolist() == [1, 2, 3]
    assert seen[104:112].tolist() == [0, 1, 0, 0, 0, 0, 10, 0]
    assert seen[112:122].tolist() == [1, 31, 0, 10, 1, 0, 0, 0, 0, 0]
    assert seen[122:132].tolist() == [0, 7, 0, 0, 1, 1, 0, 0, 0, 0]
    assert seen[132:].tolist() == [0, 5, 0, 5, 1, 1, 0, 1, 1, 1]


@settings(max_examples=10, deadline=None)
@given(positions, observers, st.randoms())
def test_pictures_show_a_player_nothing_hidden(position, observer, random):
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    shown = [picture("poker", model, s, observer) for s in (state, twisted)]
    assert (shown[0] == shown[1]).all()
    hands = [model.view(s)["hands"] for s in (state, twisted)]
    texts = [ansi(model, s, None) for s in (state, twisted)]
    equal = (np.sort(hands[0], axis=1) == np.sort(hands[1], axis=1)).all()
    assert (texts[0] == texts[1]) == equal
