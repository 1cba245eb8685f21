"""What players of Virus! can know: samples, observations, keys, pictures."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.virus.draw import regions
from mcts_agents.envs.virus.rules import rules
from mcts_agents.envs.virus.table import ansi
from mcts_agents.model import new_generator
from tests.envs.knowledge import (
    assert_chances,
    assert_looks_alike,
    assert_sampled_alike,
    picture,
    sample_of,
)
from tests.envs.virus_positions import (
    CARDS,
    WHOLE_DECK,
    all_cards,
    hand,
    permute_hidden,
    pile,
    play_some,
    positions,
    random_play,
    table,
)

PUBLIC = (
    *("bodies", "discards", "turn", "player", "pile_left", "spreading", "winner"),
    "last",
)
observers = st.integers(0, 5)
seeds = st.integers(0, 2**32)


@settings(max_examples=150, deadline=None)
@given(positions, observers, seeds)
def test_redeterminise_keeps_all_that_the_observer_knows(position, observer, seed):
    model, state = play_some(*position)
    observer %= model.players
    sample = sample_of(model, state, observer, seed)
    view, new = model.view(state), model.view(sample)
    for field in PUBLIC:
        assert np.array_equal(view[field], new[field])
    assert hand(view, observer) == hand(new, observer)
    for owner in range(model.players):
        assert len(hand(view, owner)) == len(hand(new, owner))
    assert all_cards(model, sample) == WHOLE_DECK
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
    unseen = ["thief", "thief", "glove", "virus wild", "organ bone"]
    hands = [["error"], [unseen[0]], unseen[1:3]]
    model, state = table(hands, [{}, {}, {}], unseen[3:])
    expected = Counter(
        (cards[0], *sorted(cards[1:3]), *cards[3:]) for cards in permutations(unseen)
    )
    rng, found = new_generator(4), Counter()
    for _ in range(6000):
        model.redeterminise(state, 0, rng)
        view = model.view(state)
        found[(*hand(view, 1), *sorted(hand(view, 2)), *pile(view))] += 1
    assert_chances(expected, found)


def test_what_is_observed():
    hands = [["thief", "virus bone", "virus bone"], ["glove"], []]
    bodies = [
        {"heart": ["virus wild"], "wild": []},
        {"bone": ["medicine bone", "medicine heart"]},
        {"brain": ["medicine wild"]},
    ]
    model, state = table(hands, bodies, ["organ bone", "organ bone"])
    model.view(state)["turn"] = 7 * 3
    seen = model.observe(state, 0).astype(int)
    assert Counter(np.repeat(CARDS, seen[:20]).tolist()) == Counter(hands[0])
    assert seen[20:40].tolist() == model.view(state)["discards"].tolist()
    assert seen[40:43].tolist() == [2, 7, 0]
    rows = seen[43:].reshape(3, 17).tolist()
    assert rows[0] == [3, 1, 2, 5, 0, *[0] * 9, 1, 0, 0]
    assert rows[1] == [1, 0, *[0] * 9, 4, 4, 1, 0, 0, 0]
    assert rows[2] == [0, 0, 0, 0, 0, 3, 5, 0, *[0] * 9]
    other = model.observe(state, 1).astype(int)
    assert Counter(np.repeat(CARDS, other[:20]).tolist()) == {"glove": 1}
    assert other[43:].reshape(3, 17).tolist() == [*rows[1:], rows[0]]


def test_places_of_discards_are_hidden():
    """Others see the cards; a place in a sorted hand would tell of the cards kept."""
    seen = []
    for cards in (["organ heart", "thief"], ["thief", "error"]):
        model, state = table([cards, []], [{}, {}], ["virus bone", "virus brain"])
        mask = 1 << cards.index("thief")
        joint = [439 + mask, -1]
        assert model.visible_action(state, joint, 0, 0) == 439 + mask
        seen.append(model.visible_action(state, joint, 0, 1))
        model.apply(state, {0: 439 + mask}, new_generator(1))
        assert "discard 1 card" in ansi(model, state, 1)
        seen.append(int(model.view(state)["last"][0]))
    assert seen[:2] == seen[2:]
    assert seen[0] >= 448
    codes = set()
    model, state = table([["organ heart", "thief", "error"], []], [{}, {}])
    for action in (0, *range(440, 447)):
        codes.add(model.visible_action(state, [action, -1], 0, 1))
    assert len(codes) == 8


def test_keys_differ_where_the_position_does():
    """Over random games a key belongs to one position that the observer can tell."""
    model = rules.model(players=3)
    keys = {}
    for seed in range(8):
        for state, _ in random_play(model, seed):
            view = model.view(state)
            fields = ("discards", "bodies", "turn", "pile_left", "spreading")
            public = b"".join(view[field].tobytes() for field in fields)
            sizes = [len(hand(view, player)) for player in range(3)]
            for observer in range(3):
                known = (observer, *sizes, public, *hand(view, observer))
                key = observer, model.state_key(state, observer)
                assert keys.setdefault(key, known) == known
            whole = view["hands"].tobytes(), public, tuple(pile(view))
            key = -1, model.state_key(state, -1)
            assert keys.setdefault(key, whole) == whole
    assert len(set(keys.values())) > 0.95 * len(keys)


@settings(max_examples=10, deadline=None)
@given(positions, observers, st.randoms())
def test_pictures_show_a_player_nothing_hidden(position, observer, random):
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    shown = [picture("virus", model, s, observer) for s in (state, twisted)]
    assert (shown[0] == shown[1]).all()
    texts = [ansi(model, s, None) for s in (state, twisted)]
    hands = [model.view(s)["hands"].tobytes() for s in (state, twisted)]
    assert (texts[0] == texts[1]) == (hands[0] == hands[1])


@pytest.mark.parametrize(
    ("card", "clicks"),
    [
        ("organ heart", 1),
        ("medicine wild", 2),
        ("virus wild", 2),
        ("thief", 2),
        ("spreading", 2),
        ("transplant", 2),
        ("glove", 2),
        ("error", 2),
    ],
)
def test_clicks_of_each_card(card, clicks):
    """Organs are played with one click; a virus and its organ begin different cards."""
    mine = {"bone": ["virus bone"], "brain": ["virus brain"]}
    his = {"wild": [], "stomach": []}
    model, state = table([[card], []], [mine, his], ["thief", "thief"])
    found = [r for r in regions(model, state, 0, 0) if r.action < 440]
    assert found
    assert all((region.until is None) == (clicks == 1) for region in found)
    tops = {(region.shape.top, region.shape.height) for region in found}
    assert len(tops) == 1
