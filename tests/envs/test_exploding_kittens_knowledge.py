"""What players of Exploding Kittens can know: samples, observations, pictures."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.exploding_kittens.cards import ACTIONS, GIVE, PLACE, PUT_BACK
from mcts_agents.envs.exploding_kittens.notation import parse_action
from mcts_agents.envs.exploding_kittens.table import ansi
from mcts_agents.model import new_generator
from tests.envs.exploding_kittens_positions import (
    CARDS,
    all_cards,
    bunch,
    hand,
    known_hand,
    known_places,
    names,
    permute_hidden,
    phase_of,
    pile_of,
    play_some,
    whole_deck,
)
from tests.envs.knowledge import (
    assert_chances,
    assert_looks_alike,
    assert_sampled_alike,
    picture,
    sample_of,
)
from tests.envs.test_exploding_kittens import play, positions, table

PUBLIC = (
    *("discards", "turn", "pile_left", "order_of_death", "last", "nopers", "nopes"),
    *("alive", "phase", "player", "turn_of", "draws", "pending"),
)
observers = st.integers(0, 4)
seeds = st.integers(0, 2**32)


def seen_pile(view, observer):
    """The places of the pile that an observer knows, with their cards."""
    pile = pile_of(view)
    return [(place, pile[place]) for place in known_places(view, observer)]


# -- samples


@settings(max_examples=300, deadline=None)
@given(positions, observers, seeds, st.randoms())
def test_samples_keep_what_is_known_and_hide_the_rest(position, observer, seed, random):
    model, state = play_some(*position)
    observer %= model.players
    sample = sample_of(model, state, observer, seed)
    view, new = model.view(state), model.view(sample)
    for field in PUBLIC:
        assert np.array_equal(view[field], new[field])
    assert all_cards(model, sample) == whole_deck(model.players)
    assert hand(view, observer) == hand(new, observer)
    assert seen_pile(view, observer) == seen_pile(new, observer)
    for owner in range(model.players):
        held = hand(new, owner)
        assert held.total() == hand(view, owner).total()
        assert held["kitten"] == 0
        known = known_hand(model, state, observer, owner)
        assert known_hand(model, sample, observer, owner) == known
        assert known <= held
        assert known <= hand(view, owner)
        given_here = names(view["known"][owner, observer])
        assert names(new["known"][owner, observer]) == given_here
    assert_looks_alike(model, sample, state, observer)
    # What the observer cannot see is permuted by hand; the samples stay the same.
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert all_cards(model, twisted) == whole_deck(model.players)
    assert_sampled_alike(model, state, twisted, observer, seed)
    assert ansi(model, twisted, observer) == ansi(model, state, observer)
    model.call("playout", sample.ctypes.data, new_generator(1).ctypes.data, 10_000)
    assert all_cards(model, sample) == whole_deck(model.players)
    assert model.is_over(sample)


def worlds(unknown, hand_size, kittens):
    """All worlds of one unknown hand and an unknown pile, with equal chances."""
    for held in permutations(range(len(unknown)), hand_size):
        rest = [card for n, card in enumerate(unknown) if n not in held]
        for pile in permutations([*rest, *["kitten"] * kittens]):
            yield tuple(sorted(unknown[n] for n in held)), pile


def test_samples_have_the_chances_of_an_exact_enumeration():
    """A hand of three of which a Nope is known, a pile of which the top is known."""
    unknown = ["skip", "skip", "see", "tacocat"]
    hands = [["attack"], ["nope", *unknown[:2]]]
    model, state = table(hands, ["favor", *unknown[2:], "kitten"])
    view = model.view(state)
    view["known"][0, 1] = bunch(["nope"])
    view["seen"][0] = 1 << 3
    exact, pairs = Counter(), Counter()
    for held, pile in worlds(unknown, 2, 1):
        exact[held, pile] += 1
    rng = new_generator(5)
    for _ in range(6000):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        new = model.view(sample)
        assert hand(new, 1)["nope"] == 1
        top, *pile = pile_of(new)
        assert top == "favor"
        held = tuple(sorted((hand(new, 1) - Counter(["nope"])).elements()))
        pairs[held, tuple(pile)] += 1
    assert_chances(exact, pairs)


def test_a_player_who_is_asked_holds_a_nope_in_every_sample():
    model, state = table([["skip"], ["nope", "see"], ["tacocat"]], ["kitten"] * 2)
    play(model, state, "skip")
    for seed in range(50):
        for observer in (0, 2):
            new = model.view(sample_of(model, state, observer, seed))
            assert hand(new, 1)["nope"] >= 1


# -- what is learned


def known(model, state, observer, owner):
    return sorted(known_hand(model, state, observer, owner).elements())


def test_cards_that_are_given_are_known_to_both():
    hands = [["favor", "favor", "skip"], ["see", "see", "attack"], ["tacocat"]]
    model, state = table(hands, ["skip", "kitten", "kitten"])
    play(model, state, "favor player_1", "give see")
    assert known(model, state, 1, 0) == ["see"]
    assert known(model, state, 2, 0) == []
    play(model, state, "favor player_2", "give tacocat", "draw")
    assert known(model, state, 2, 0) == ["tacocat"]
    assert known(model, state, 1, 0) == ["see"]
    play(model, state, "attack player_0", "see")
    assert known(model, state, 1, 0) == []  # it was discarded
    assert known(model, state, 2, 0) == ["tacocat"]


def test_a_gift_that_is_not_seen_may_be_any_known_card():
    hands = [["favor"], ["favor", "skip", "see"], ["favor"]]
    model, state = table(hands, ["skip", "see", "nope", "kitten", "kitten"])
    play(model, state, "favor player_1", "give skip", "draw")
    play(model, state, "favor player_0", "give skip", "draw")
    # Player 1 has the skip back and knows player 0's hand no more.
    assert known(model, state, 1, 0) == []
    assert known(model, state, 0, 1) == ["skip"]
    play(model, state, "favor player_1", "give see")
    assert known(model, state, 0, 1) == []  # it may have been the skip
    assert known(model, state, 1, 2) == ["see"]


def test_an_answer_about_a_nope_shows_one():
    model, state = table([["skip"], ["nope", "nope"], []], ["kitten"] * 2)
    play(model, state, "skip")
    assert known(model, state, 2, 1) == ["nope"]
    play(model, state, "pass")
    assert known(model, state, 0, 1) == ["nope"]
    model, state = table([["skip"], ["nope", "nope"], []], ["kitten"] * 2)
    play(model, state, "skip", "nope")  # asked again: the other one
    assert phase_of(model.view(state)) == "nope"
    assert known(model, state, 0, 1) == ["nope"]


def test_places_of_the_pile_are_known_until_they_change():
    pile = ["skip", "attack", "kitten", "favor", "kitten"]
    hands = [["see"], ["shuffle", "defuse", "see"], ["defuse"]]
    model, state = table(hands, pile)
    view = play(model, state, "see")
    assert seen_pile(view, 0) == [(0, "skip"), (1, "attack"), (2, "kitten")]
    play(model, state, "order 2 1 3")
    expected = [(0, "attack"), (1, "skip"), (2, "kitten")]
    assert seen_pile(view, 0) == expected
    assert seen_pile(view, 1) == []
    play(model, state, "draw")
    assert seen_pile(view, 0) == [(0, "skip"), (1, "kitten")]
    play(model, state, "see")
    assert seen_pile(view, 0) == [(0, "skip"), (1, "kitten")]
    play(model, state, "order 2 1 3")  # player 0 sees that they are ordered
    assert seen_pile(view, 0) == []
    play(model, state, "draw", "place 2")
    assert seen_pile(view, 1) == [(0, "skip"), (1, "favor"), (2, "kitten")]
    play(model, state, "draw", "draw")
    assert seen_pile(view, 1) == [(0, "kitten")]


def test_a_kitten_of_another_player_and_a_shuffle_end_all_knowledge():
    for texts, kept in ((["draw"], 1), (["draw", "place 1"], 0)):
        model, state = table([["defuse"], ["see"]], ["kitten", "skip", "favor"])
        view = model.view(state)
        view["seen"][1] = 0b10
        play(model, state, *texts)
        assert len(seen_pile(view, 1)) == kept
    model, state = table([["shuffle", "see"], []], ["kitten", "skip", "favor"])
    view = play(model, state, "see", "order 1 2 3")
    assert len(seen_pile(view, 0)) == 3
    play(model, state, "shuffle")
    assert seen_pile(view, 0) == []


# -- what is shown


@settings(max_examples=25, deadline=None)
@given(positions, observers, st.randoms())
def test_pictures_for_a_player_tell_nothing_that_is_hidden(position, observer, random):
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    shown = [picture("exploding_kittens", model, s, observer) for s in (state, twisted)]
    assert (shown[0] == shown[1]).all()


def test_text_shows_what_a_player_may_see():
    model, state = table([["see"], ["nope", "skip"]], ["skip", "kitten", "favor"])
    play(model, state, "see")
    assert ansi(model, state, 0).splitlines()[:3] == [
        "Exploding Kittens  turn 1, player_0 has to draw once",
        "player_0 plays see",
        "3 cards in the pile, kittens: 1",
    ]
    text = ansi(model, state, 0)
    assert "hand  nope, 1 unknown" in text
    assert "from the top  unknown" in text
    assert "hand  skip, nope" in ansi(model, state, None)
    play(model, state, "pass")
    assert "from the top  skip kitten favor" in ansi(model, state, 0)
    assert "from the top  unknown" in ansi(model, state, 1)


def test_what_an_observation_says():
    model, state = table([["see", "see"], ["nope", "skip"]], ["skip", "kitten"])
    play(model, state, "see")
    own, other, common, pile = model.observe(state, 0)
    assert own[:16].tolist() == [0] * 4 + [1] + [0] * 7 + [1, 0, 1, 0]
    assert other[:16].tolist() == [0] * 10 + [1, 0, 2, 0, 0, 1]
    discards = whole_deck(2) - Counter("see nope skip skip kitten".split())
    assert common[:13].tolist() == [discards[card] for card in CARDS]
    assert common[13:].tolist() == [2, 1, 0, 1, 0, 0, 0, 0, 3, *[0] * 18]
    assert pile.tolist() == [1, 1] + [0] * 38
    play(model, state, "pass")
    assert model.observe(state, 0)[-1][:3].tolist() == [3, 14, 0]
    assert model.observe(state, 1)[-1][:3].tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("texts", "text", "hidden", "seen_by"),
    [
        (("favor player_1",), "give see", ACTIONS + GIVE, (0, 1)),
        (("favor player_1",), "give skip", ACTIONS + GIVE, (0, 1)),
        (("see",), "order 2 1 3", ACTIONS + PUT_BACK, (0,)),
        (("see",), "order 1 2 3", ACTIONS + PUT_BACK, (0,)),
        (("draw",), "place 1", ACTIONS + PLACE, (0,)),
        (("draw",), "place 0", ACTIONS + PLACE, (0,)),
        ((), "skip", 1, (0, 1, 2)),
    ],
)
def test_who_sees_an_action(texts, text, hidden, seen_by):
    hands = [["favor", "see", "skip", "defuse"], ["skip", "see"], []]
    model, state = table(hands, ["kitten", "skip", "kitten"])
    play(model, state, *texts)
    (actor,) = model.movers(state)
    action = parse_action(model, text)
    joint = [action if player == actor else -1 for player in range(3)]
    for observer in range(3):
        code = model.visible_action(state, joint, actor, observer)
        assert code == (action if observer in seen_by else hidden)


def test_keys_tell_apart_what_an_observer_can():
    model, state = table([["skip"], ["nope", "see"]], ["kitten", "skip"])
    other = model.copy(state)
    model.view(other)["pile"][:2] = model.view(state)["pile"][:2][::-1]
    assert model.state_key(other, 0) == model.state_key(state, 0)
    assert model.state_key(other, -1) != model.state_key(state, -1)
    for world in (state, other):
        model.view(world)["seen"][0] = 3
    assert model.state_key(other, 0) != model.state_key(state, 0)
    assert model.state_key(other, 1) == model.state_key(state, 1)
