"""What players of Dominion can know: samples, observations, pictures."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.dominion.draw import regions
from mcts_agents.envs.dominion.table import ansi
from mcts_agents.model import new_generator
from tests.envs.dominion_positions import (
    CARDS,
    TREASURES,
    all_cards,
    known_hand,
    names,
    permute_hidden,
    pile_of,
    play_some,
    set_hand,
)
from tests.envs.knowledge import (
    assert_chances,
    assert_looks_alike,
    assert_sampled_alike,
    picture,
    sample_of,
)
from tests.envs.test_dominion import hand, play, positions, table

HIDDEN = ("hands", "piles")
observers = st.integers(0, 3)
seeds = st.integers(0, 2**32)


# -- samples


@settings(max_examples=300, deadline=None)
@given(positions, observers, seeds, st.randoms(), st.booleans())
def test_samples_keep_what_is_known(position, observer, seed, random, published):
    rulebook = "published" if published else "tag"
    model, state = play_some(*position, rulebook=rulebook)
    observer %= model.players
    sample = sample_of(model, state, observer, seed)
    view, new = model.view(state), model.view(sample)
    for field in view.dtype.names:
        assert field in HIDDEN or np.array_equal(view[field], new[field])
    assert all_cards(model, sample) == all_cards(model, state)
    assert hand(view, observer) == hand(new, observer)
    for owner in range(model.players):
        known = known_hand(view, observer, owner)
        assert known <= names(new["hands"][owner])
        assert known <= names(view["hands"][owner])
    assert_looks_alike(model, sample, state, observer)
    # What the observer cannot see is permuted by hand; the samples stay the same.
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert all_cards(model, twisted) == all_cards(model, state)
    assert_sampled_alike(model, state, twisted, observer, seed)
    assert ansi(model, twisted, observer) == ansi(model, state, observer)
    for player in model.movers(sample):
        assert len(model.legal_actions(sample, player))
    model.call("playout", sample.ctypes.data, new_generator(1).ctypes.data, 100_000)
    all_cards(model, sample)
    assert model.is_over(sample)


def worlds(pool, hand_size):
    """All hands and piles that a pool may be dealt as, with their chances."""
    exact = Counter()
    for cards in permutations(pool):
        exact[tuple(sorted(cards[:hand_size])), cards[hand_size:]] += 1
    return exact


def drawn_worlds(model, state, observer, owner, known=()):
    """Hands, without what is known, and piles of one player in many samples."""
    rng, drawn = new_generator(5), Counter()
    sample = model.copy(state)
    for _ in range(6000):
        sample[:] = state
        model.redeterminise(sample, observer, rng)
        new = model.view(sample)
        held = names(new["hands"][owner]) - Counter(known)
        cards = tuple(sorted(held.elements()))
        drawn[cards, tuple(pile_of(new, owner))] += 1
    return drawn


def test_samples_have_the_chances_of_an_exact_enumeration():
    """A hand of three of which a Moat is known, and the own pile."""
    hands = ["militia", "moat estate gold"]
    piles = ["copper copper gold estate", "estate silver moat"]
    model, state = table(*hands, piles=piles)
    play(model, state, "play militia")  # who is asked holds a Moat
    pool = "estate gold estate silver moat".split()
    assert_chances(worlds(pool, 2), drawn_worlds(model, state, 0, 1, ["moat"]))
    own = drawn_worlds(model, state, 0, 0)
    assert_chances(worlds(piles[0].split(), 0), own)
    # The other player does not know which of these cards are in the hand.
    model, state = table("estate copper", "", piles=["copper gold"])
    pool = "estate copper copper gold".split()
    assert_chances(worlds(pool, 2), drawn_worlds(model, state, 1, 0))


def test_who_is_asked_by_a_mine_holds_a_treasure_in_every_sample():
    model, state = table("mine estate gold", "", piles=["duchy copper estate"])
    play(model, state, "play mine")
    exact = worlds("estate gold duchy copper estate".split(), 2)
    for held, pile in list(exact):
        if not set(held) & set(TREASURES):
            del exact[held, pile]
    assert_chances(exact, drawn_worlds(model, state, 1, 0))


# -- what is learned


def known(view, owner):
    return sorted(names(view["known"][owner]).elements())


def test_a_treasure_of_a_mine_is_known_until_it_leaves_the_hand():
    model, state = table("village mine remodel silver gold", "", piles=["estate"])
    view = play(model, state, "play village", "play mine", "trash silver", "gain gold")
    assert known(view, 0) == ["gold"]
    play(model, state, "play remodel", "trash gold")  # it may have been that one
    assert known(view, 0) == []
    model, state = table("mine silver", "", piles=["copper " * 6])
    view = play(model, state, "play mine", "trash silver", "gain gold")
    assert known(view, 0) == ["gold"]
    play(model, state, "end")
    assert known(view, 0) == []


@pytest.mark.parametrize("answer", ["reveal moat", "done"])
def test_a_moat_is_known_while_it_is_in_the_hand(answer):
    model, state = table("militia", "moat moat gold", "estate", piles=["copper " * 9])
    view = play(model, state, "play militia")
    assert known(view, 1) == ["moat"]
    play(model, state, answer, "end")
    assert known(view, 1) == ["moat"]
    play(model, state, "play moat")
    assert known(view, 1) == []


def test_nothing_is_known_of_who_is_not_asked():
    model, state = table("militia", "estate " * 5)
    view = play(model, state, "play militia")
    assert known(view, 1) == []


# -- what is shown


@settings(max_examples=25, deadline=None)
@given(positions, observers, st.randoms())
def test_pictures_for_a_player_tell_nothing_that_is_hidden(position, observer, random):
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    shown = [picture("dominion", model, s, observer) for s in (state, twisted)]
    assert (shown[0] == shown[1]).all()


def test_all_types_find_room_in_a_hand():
    model, state = table(" ".join(CARDS), "estate")
    boxes = [region.shape for region in regions(model, state, 0, 0)]
    assert all(box.width >= 13 for box in boxes)
    lefts = sorted(box.left for box in boxes[1:])
    rights = sorted(box.left + box.width for box in boxes[1:])
    assert all(a <= b for a, b in zip(rights, lefts[1:], strict=False))


def test_text_shows_what_a_player_may_see():
    model, state = table("militia silver", "moat estate gold", piles=["copper"])
    play(model, state, "play militia")
    first, asked, supply, trash = ansi(model, state, 0).splitlines()[:4]
    assert first == "Dominion  turn 1, player_0: 0 actions, 1 buy, 4 coins"
    assert asked == "player_1 is attacked and may show a moat"
    assert supply.startswith("supply  copper 45, silver 39, gold 29, estate 13,")
    assert trash == "trash   -"
    assert "hand      moat, 2 unknown" in ansi(model, state, 0)
    text = ansi(model, state, 1)
    assert "1 buy, 2 coins beside the treasures" in text
    assert "hand      gold, estate, moat" in text
    assert "hand      1 unknown" in text
    assert "silver, " not in text.split("trash")[1]
    everything = ansi(model, state, None)
    assert "hand      silver" in everything
    assert "played    militia" in everything


def test_what_an_observation_says():
    model, state = table("militia silver", "moat estate", piles=["copper copper"])
    play(model, state, "play militia", "reveal moat")
    seen = model.observe(state, 1)
    assert seen.shape == (12, 16)
    own, discards, owned, facts = seen[:4].tolist()
    assert Counter(dict(zip(CARDS, own, strict=True))) == Counter(moat=1, estate=1)
    assert discards == [0] * 16
    assert owned == own
    assert facts[:5] == [2, 0, 0, 1, 0]
    assert seen[4].tolist() == [0] * 16  # the silver is hidden
    cards = Counter(dict(zip(CARDS, seen[6].tolist(), strict=True)))
    assert cards == Counter(militia=1, silver=1, copper=2)
    assert seen[7, :4].tolist() == [1, 1, 1, 0]
    supply, played, trash, common = seen[8:].tolist()
    assert (supply[0], supply[3], sum(trash)) == (44, 13, 0)
    assert played == [0] * 9 + [1] + [0] * 6
    assert common == [0, 1, 2, 0, 0, 0, 0, 0, *[0, 1], *[0] * 6]
    assert model.observe(state, 0)[4, CARDS.index("moat")] == 1


def test_keys_tell_apart_what_an_observer_can():
    model, state = table("estate gold", "", piles=["copper silver"])
    other = model.copy(state)
    view = model.view(other)
    view["piles"][0, :2] = view["piles"][0, :2][::-1].copy()
    assert model.state_key(other, 0) == model.state_key(state, 0)
    assert model.state_key(other, -1) != model.state_key(state, -1)
    other = model.copy(state)
    view = model.view(other)
    set_hand(view, 0, ["estate", "copper"])
    view["piles"][0, 1] = CARDS.index("gold")
    assert model.state_key(other, 1) == model.state_key(state, 1)
    assert model.state_key(other, 0) != model.state_key(state, 0)
    play(model, other, "end")
    assert model.state_key(other, 1) != model.state_key(state, 1)
