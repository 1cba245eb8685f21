"""What players of Love Letter can know: samples, observations, pictures."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.love_letter.draw import paint, size
from mcts_agents.envs.love_letter.notation import parse_action
from mcts_agents.envs.love_letter.rules import rules
from mcts_agents.envs.love_letter.table import ansi
from mcts_agents.envs.painting import load_pygame
from mcts_agents.model import new_generator
from tests.envs.knowledge import sample_of
from tests.envs.love_letter_positions import (
    WHOLE_DECK,
    all_cards,
    choose,
    hand,
    is_known,
    names,
    permute_hidden,
    pile_names,
    play_some,
    policy_action,
    positions,
    table,
)
from tests.envs.love_letter_twin import CARDS, number

PUBLIC = (
    *("discards", "face_up", "tokens", "turn", "round", "last", "player", "alive"),
    *("protected", "pile_left", "winners", "winner"),
)
observers = st.integers(0, 3)
seeds = st.integers(0, 2**32)


# -- samples


@settings(max_examples=200, deadline=None)
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
        if owner == observer:
            continue
        assert is_known(new, observer, owner) == is_known(view, observer, owner)
        if is_known(view, observer, owner):
            assert hand(new, owner)[0] == hand(view, owner)[0]
        aware = is_known(view, owner, observer, "aware")
        assert is_known(new, owner, observer) == aware
        assert is_known(new, owner, observer, "aware") == aware
    assert (model.observe(sample, observer) == model.observe(state, observer)).all()
    assert model.movers(sample) == model.movers(state)
    assert (model.scores(sample) == model.scores(state)).all()
    assert (model.results(sample) == model.results(state)).all()
    legal = model.legal_actions(state, observer)
    assert (model.legal_actions(sample, observer) == legal).all()
    assert model.state_key(sample, observer) == model.state_key(state, observer)
    play_to_the_end(model, sample)


def play_to_the_end(model, state):
    """A sample is a position of the game: no card is lost and somebody wins."""
    rng = new_generator(0)
    assert all_cards(model, state) == WHOLE_DECK
    while movers := model.movers(state):
        action = choose(model, state, rng, sensible=False)
        model.apply(state, {movers[0]: action}, rng)
        assert all_cards(model, state) == WHOLE_DECK
    assert all(model.results(state))


@settings(max_examples=200, deadline=None)
@given(positions, observers, seeds, st.randoms())
def test_equal_information_and_seed_give_equal_samples(
    position, observer, seed, random
):
    """What the observer cannot see is permuted by hand; the samples stay the same."""
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert (model.observe(twisted, observer) == model.observe(state, observer)).all()
    one, other = (sample_of(model, s, observer, seed) for s in (state, twisted))
    assert (one == other).all()


def test_unknown_cards_are_dealt_uniformly():
    """Each pair of unknown places has each pair of cards as often as it should."""
    unseen = ["guard", "guard", "priest", "handmaid", "princess"]
    model, state = table(["baron", *unseen[:2]], "king", unseen[2:])
    rng = new_generator(4)
    found = {pair: Counter() for pair in ((0, 1), (0, 4), (2, 3))}
    for _ in range(4000):
        model.redeterminise(state, 0, rng)
        view = model.view(state)
        places = hand(view, 1) + hand(view, 2) + pile_names(view)
        for first, second in found:
            found[first, second][places[first], places[second]] += 1
    copies = Counter(unseen)
    for counts in found.values():
        pairs = [(a, b) for a in copies for b in copies if a != b or copies[a] > 1]
        chances = [copies[a] * (copies[b] - (a == b)) / 20 for a, b in pairs]
        drawn = [counts[pair] for pair in pairs]
        assert sum(drawn) == 4000
        assert stats.chisquare(drawn, np.array(chances) * 4000).pvalue > 1e-4


def test_the_card_drawn_by_another_player_is_dealt_anew_its_known_hand_is_not():
    model, state = table(["baron", "king"], "princess", ["guard", "priest", "handmaid"])
    view = model.view(state)
    view["known"] = view["aware"] = 1 << 1  # player 1 has seen player 0's baron
    drawn = Counter()
    for seed in range(400):
        sample = model.view(sample_of(model, state, 1, seed))
        assert hand(sample, 0)[0] == "baron"
        assert hand(sample, 1) == ["king"]
        drawn[hand(sample, 0)[1]] += 1
    assert sorted(drawn) == ["guard", "handmaid", "priest", "princess"]
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


# -- what is learned


def play(hands, drawn, pile, *plays, **options):
    """A table after some plays, written as people do."""
    model, state = table(hands, drawn, pile, **options)
    for text in plays:
        (player,) = model.movers(state)
        action = parse_action(model, text)
        assert action in model.legal_actions(state, player)
        model.apply(state, {player: action}, new_generator(0))
    return model, state


def knowledge(model, state, field="known"):
    """All pairs (player, owner) of which the player knows the owner's hand."""
    view, seats = model.view(state), range(model.players)
    return {(p, o) for o in seats for p in seats if is_known(view, p, o, field)}


HANDS = ["guard", "king", "prince"]
PILE = ["priest", "baron", "handmaid", "guard", "guard"]
CASES = [
    (["priest player_1"], {(0, 1)}, {(0, 1)}),
    # Another card than the one seen is played: it is still there.
    (["priest player_1", "priest player_0"], {(0, 1), (1, 0)}, {(0, 1), (1, 0)}),
    (["priest player_2", "priest player_0", "baron player_0"], {(0, 2)}, {(0, 2)}),
    # The card seen is played.
    (["priest player_1", "king player_2"], {(1, 2), (2, 1)}, {(1, 2), (2, 1)}),
    # The others' discards and exchanges.
    (["priest player_1", "priest player_0", "prince player_1"], {(1, 0)}, {(1, 0)}),
    (["priest player_1", "priest player_2", "prince player_2"], {(0, 1)}, {(0, 1)}),
]


@pytest.mark.parametrize(("plays", "known", "aware"), CASES)
def test_what_players_know(plays, known, aware):
    model, state = play(HANDS, "priest", PILE, *plays)
    assert knowledge(model, state) == known
    assert knowledge(model, state, "aware") == aware


def test_who_knows_a_hand_knows_it_after_an_exchange():
    model, state = play(
        ["guard", "baron", "prince"],
        "priest",
        ["king", "handmaid", "handmaid", "guard", "guard"],
        "priest player_1",
        "king player_2",
    )
    view = model.view(state)
    assert hand(view, 2)[0] == "baron"
    assert knowledge(model, state) == {(1, 2), (2, 1), (0, 2)}
    # Player 2 cannot be sure that player 0's knowledge was still good.
    assert knowledge(model, state, "aware") == {(1, 2), (2, 1)}
    for seed in range(20):
        assert hand(model.view(sample_of(model, state, 0, seed)), 2)[0] == "baron"
        other = sample_of(model, state, 2, seed)
        assert knowledge(model, other) == {(1, 2), (2, 1)}


def test_nobody_sees_what_is_protected():
    model, state = table(HANDS, "priest", PILE)
    model.view(state)["protected"] = 0b010
    model.apply(state, {0: parse_action(model, "priest player_1")}, new_generator(0))
    assert knowledge(model, state) == set()


@pytest.mark.parametrize("baron_shows", [False, True])
def test_a_tie_at_the_baron_shows_hands_if_asked_to(baron_shows):
    model, state = play(
        ["prince", "prince", "king"],
        "baron",
        PILE,
        "baron player_1",
        baron_shows=baron_shows,
    )
    assert model.view(state)["alive"] == 0b111
    assert knowledge(model, state) == ({(0, 1), (1, 0)} if baron_shows else set())


def test_a_new_round_is_a_clean_slate():
    model, state = play(["guard", "king"], "priest", ["baron"], "priest player_1")
    assert model.round(state) == 1
    assert knowledge(model, state) == set()


def test_with_two_players_three_cards_lie_face_up():
    model = rules.model(players=2)
    state = model.reset(new_generator(5))
    view = model.view(state)
    assert len(names(view["face_up"])) == 3
    sample = model.view(sample_of(model, state, 0, 1))
    assert sample["face_up"] == view["face_up"]
    assert view["pile_left"] == 16 - 3 - 3
    assert rules.model(players=3).view(state)["pile_left"] == 10


# -- what is shown


@settings(max_examples=100, deadline=None)
@given(positions, st.randoms())
def test_nothing_a_player_is_told_depends_on_what_is_hidden(position, random):
    """Observations, texts, keys, advice, and what the scripted policy plays."""
    model, state = play_some(*position)
    for observer in range(model.players):
        twisted = model.copy(state)
        permute_hidden(model, twisted, observer, random)
        seen = [told(model, s, observer) for s in (state, twisted)]
        assert seen[0] == seen[1]


def told(model, state, observer):
    everything = [
        model.observe(state, observer).tolist(),
        ansi(model, state, observer),
        model.state_key(state, observer),
    ]
    if observer in model.movers(state):
        everything.append(model.legal_actions(state, observer).tolist())
        everything.append(model.action_values(state, observer).tolist())
        rng = new_generator(1)
        everything += [policy_action(model, state, observer, rng) for _ in range(5)]
    return everything


@settings(max_examples=15, deadline=None)
@given(positions, st.randoms())
def test_pictures_for_a_player_tell_nothing_that_is_hidden(position, random):
    model, state = play_some(*position)
    for observer in range(model.players):
        twisted = model.copy(state)
        permute_hidden(model, twisted, observer, random)
        assert pixels(model, state, observer) == pixels(model, twisted, observer)


def pixels(model, state, observer):
    """The painted picture as bytes."""
    pygame = load_pygame()
    surface = pygame.Surface(size(model), 0, 32)
    paint(surface, model, state, observer)
    return pygame.image.tobytes(surface, "RGB")


def test_pictures_of_the_whole_table_show_hands():
    model, state = table(["guard", "king", "baron"], "priest", ["prince"])
    other = model.copy(state)
    model.view(other)["hands"][1] = number("princess")
    assert ansi(model, state, 0) == ansi(model, other, 0)
    assert pixels(model, state, 0) == pixels(model, other, 0)
    assert ansi(model, state, None) != ansi(model, other, None)
    assert pixels(model, state, None) != pixels(model, other, None)


def test_text_shows_what_a_player_may_see():
    model, state = play(HANDS, "priest", PILE, "priest player_1")
    model.view(state)["tokens"][1] = 1
    own = ansi(model, state, 0).splitlines()
    assert own[0] == "Love Letter  round 1"
    assert own[1] == "3 cards in the pile, 1 laid aside"
    assert own[3].split() == "player_0 0 tokens waits last: priest player_1".split()
    assert own[5] == "    hand      guard"
    assert own[7].split() == "> player_1 1 token on turn".split()
    assert own[8] == "    discards  -"
    assert own[9] == "    hand      king, unknown"
    assert own[13] == "    hand      unknown"
    seen = ansi(model, state, 1).splitlines()
    assert seen[5] == "    hand      unknown   (has seen your card)"
    assert seen[9] == "    hand      king, priest"


def test_what_an_observation_says():
    model, state = play(HANDS, "priest", PILE, "priest player_1")
    view = model.view(state)
    view["tokens"][:3] = 200, 2, 3
    view["protected"] = 0b001
    seen = model.observe(state, 1)
    own, second, third, common = seen.tolist()
    assert seen.dtype == np.int8
    assert own[:9] == [0, 1, 0, 0, 0, 1, 0, 0, 1]
    assert own[9:] == [0] * 8 + [2, 0, 0, 1, 0]
    assert second[:9] == [0] * 9
    assert second[17:] == [3, 0, 0, 0, 0]
    assert third[:9] == [0] * 9
    discarded = Counter(names(view["discards"][0]))
    assert third[9:17] == [discarded[card] for card in CARDS]
    assert third[17:] == [127, 0, 1, 0, 1]
    assert common[:8] == [3, 0, 1, 1, 1, 0, 0, 0]
    assert common[8:] == [3, *[0] * 8, 2, 0, 0, 0, 0]
    knowing = model.observe(state, 0).tolist()
    assert knowing[1][:9] == [0, 0, 0, 0, 0, 1, 0, 0, 1]
    assert knowing[-1][17] == 0


# -- keys


def test_keys_tell_apart_what_an_observer_can():
    model, state = table(["guard", "king", "baron"], "priest", ["prince", "guard"])
    keys = {model.state_key(state, observer) for observer in range(-1, 3)}
    assert len(keys) == 4
    for field, value in (("hands", number("countess")), ("known", 1 << 8)):
        other = model.copy(state)
        if field == "hands":
            model.view(other)["hands"][1] = value
        else:
            model.view(other)[field] = value
        assert model.state_key(other) != model.state_key(state)
        same = model.state_key(other, 0) == model.state_key(state, 0)
        assert same == (field == "hands")  # player 0 knows what it knows
    for field in ("tokens", "discards", "protected", "pile_left"):
        other = model.copy(state)
        value = model.view(other)[field]
        model.view(other)[field] = value + 1
        for observer in range(-1, 3):
            assert model.state_key(other, observer) not in keys


def test_keys_of_many_positions_differ():
    model = rules.model(players=3)
    rng = new_generator(0)
    found = {}
    for _ in range(40):
        state = model.reset(rng)
        while movers := model.movers(state):
            seen = (
                model.observe(state, 1).tobytes(),
                *knowledge(model, sample_of(model, state, 1, 0)),
            )
            assert found.setdefault(model.state_key(state, 1), seen) == seen
            action = choose(model, state, rng, sensible=True)
            model.apply(state, {movers[0]: action}, rng)
    assert len(found) > 1000


def test_all_plays_are_public():
    model, state = table(["guard", "king", "baron"], "priest", ["prince"])
    for action in model.legal_actions(state, 0):
        seen = {model.visible_action(state, [action, -1, -1], 0, p) for p in range(3)}
        assert seen == {action}
