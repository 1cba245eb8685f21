"""What players of Uno can know: samples, observations, pictures."""

from collections import Counter
from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.uno.rules import rules
from mcts_agents.envs.uno.table import ansi
from mcts_agents.model import new_generator
from tests.envs.knowledge import (
    assert_chances,
    assert_looks_alike,
    assert_sampled_alike,
    picture,
    sample_of,
)
from tests.envs.uno_positions import (
    SHORT,
    all_cards,
    discards,
    hand,
    permute_hidden,
    pile,
    play_some,
    positions,
    table,
)
from tests.envs.uno_twin import DECK, KINDS

PUBLIC = (
    *("discards", "points", "turn", "round", "pile_size", "top", "colour", "player"),
    *("direction", "over", "last", "last_draw"),
)
observers = st.integers(0, 9)
seeds = st.integers(0, 2**32)


@settings(max_examples=150, deadline=None)
@given(positions, observers, seeds)
def test_redeterminise_keeps_all_that_the_observer_knows(position, observer, seed):
    model, state = play_some(*position, **SHORT)
    observer %= model.players
    sample = sample_of(model, state, observer, seed)
    view, new = model.view(state), model.view(sample)
    for field in PUBLIC:
        assert np.array_equal(view[field], new[field])
    assert hand(view["hands"][observer]) == hand(new["hands"][observer])
    for owner in range(model.players):
        assert len(hand(view["hands"][owner])) == len(hand(new["hands"][owner]))
    assert sorted(all_cards(model, sample)) == sorted(DECK)
    legal = model.legal_actions(state, observer)
    assert (model.legal_actions(sample, observer) == legal).all()
    assert_looks_alike(model, sample, state, observer)


@settings(max_examples=100, deadline=None)
@given(positions, observers, seeds, st.randoms())
def test_equal_information_and_seed_give_equal_samples(
    position, observer, seed, random
):
    """What the observer cannot see is permuted by hand; the samples stay the same."""
    model, state = play_some(*position, **SHORT)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert_sampled_alike(model, state, twisted, observer, seed)
    assert ansi(model, twisted, observer) == ansi(model, state, observer)


def test_unknown_cards_are_dealt_as_often_as_an_enumeration_says():
    unseen = ["red 5", "red 5", "wild", "wild", "blue skip"]
    model, state = table(
        [["red 1"], [unseen[0]], unseen[1:3]], "red 2", pile=unseen[3:]
    )
    expected = Counter(
        (cards[0], *sorted(cards[1:3]), *cards[3:]) for cards in permutations(unseen)
    )
    rng, found = new_generator(4), Counter()
    for _ in range(6000):
        model.redeterminise(state, 0, rng)
        view = model.view(state)
        one, two = (hand(view["hands"][player]) for player in (1, 2))
        found[(*one, *sorted(two), *pile(view))] += 1
    assert_chances(expected, found)


def test_what_is_observed():
    hands = [["red 5", "red 5", "wild"], ["blue 9"], ["green 1", "blue 8"]]
    model, state = table(hands, "wild", colour="green", pile=["red 1"])
    model.view(state)["points"][:3] = 120, 7, 1299
    seen = model.observe(state, 1).astype(int)
    assert [KINDS[n] for n in np.flatnonzero(seen[:54])] == ["blue 9"]
    counts = Counter(discards(model.view(state)))
    assert seen[54:108].tolist() == [counts[card] for card in KINDS]
    assert np.flatnonzero(seen[108:162]).tolist() == [KINDS.index("wild")]
    assert seen[162:168].tolist() == [0, 0, 1, 0, 1, 1]
    assert seen[168:].tolist() == [1, 0, 0, 7, 2, 0, 12, 99, 3, 1, 1, 20]
    own = model.observe(state, 0).astype(int)
    assert own[[5, 52]].tolist() == [2, 1]
    assert own[:54].sum() == 3


def test_keys_differ_where_the_position_does():
    """Over random games a key belongs to one position that the observer can tell."""
    model = rules.model(players=3, **SHORT)
    keys = {}
    for seed in range(12):
        state = model.reset(new_generator(seed))
        rng = new_generator(seed)
        while not model.is_over(state):
            view = model.view(state)
            fields = ("discards", "points", "player", "top", "colour", "direction")
            public = b"".join(view[field].tobytes() for field in fields)
            sizes = [len(hand(words)) for words in view["hands"][:3]]
            for observer in range(3):
                known = (observer, *sizes, public, view["hands"][observer].tobytes())
                key = observer, model.state_key(state, observer)
                assert keys.setdefault(key, known) == known
            whole = view["hands"].tobytes(), public, tuple(pile(view))
            key = -1, model.state_key(state, -1)
            assert keys.setdefault(key, whole) == whole
            model.playout(state, rng, 1)
    assert len(set(keys.values())) > 0.95 * len(keys)


@settings(max_examples=10, deadline=None)
@given(positions, observers, st.randoms())
def test_pictures_show_a_player_nothing_hidden(position, observer, random):
    model, state = play_some(*position, **SHORT)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    shown = [picture("uno", model, s, observer) for s in (state, twisted)]
    assert (shown[0] == shown[1]).all()
    if (twisted != state).any() and not model.is_over(state):
        texts = [ansi(model, s, None) for s in (state, twisted)]
        hands = [model.view(s)["hands"].tobytes() for s in (state, twisted)]
        assert (texts[0] == texts[1]) == (hands[0] == hands[1])
