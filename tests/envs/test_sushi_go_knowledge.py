"""What players of Sushi Go! can know: samples, observations, pictures."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.painting import load_pygame
from mcts_agents.envs.sushi_go.cards import unpack
from mcts_agents.envs.sushi_go.draw import paint, size
from mcts_agents.envs.sushi_go.table import ansi
from mcts_agents.model import new_generator
from tests.envs.sushi_go_positions import (
    bunch,
    in_order,
    known_owners,
    names,
    permute_hidden,
    play_some,
    positions,
    random_joint,
    shown_hands,
    table,
    waiting_for_chopsticks,
)
from tests.envs.sushi_go_twin import CARDS


@settings(max_examples=150, deadline=None)
@given(positions, st.integers(0, 4), st.integers(0, 2**32))
def test_redeterminise_keeps_all_that_the_observer_knows(position, observer, seed):
    model, state = play_some(*position)
    observer %= model.players
    other = model.copy(state)
    model.redeterminise(other, observer, new_generator(seed))
    view, new = model.view(state), model.view(other)
    assert (model.observe(other, observer) == model.observe(state, observer)).all()
    assert model.movers(other) == model.movers(state)
    assert (model.scores(other) == model.scores(state)).all()
    assert (model.results(other) == model.results(state)).all()
    for field in ("fields", "on_wasabi", "users", "step", "passes", "round", "last"):
        assert np.array_equal(view[field], new[field])
    for field in ("hands", "wasabi", "pending"):
        assert view[field][observer] == new[field][observer]
    before, after = shown_hands(model, state), shown_hands(model, other)
    for owner in known_owners(model, state, observer):
        assert before[owner] == after[owner]
    assert [len(hand) for hand in before] == [len(hand) for hand in after]
    assert in_order(sum(before, names(view["pile"]))) == in_order(
        sum(after, names(new["pile"]))
    )
    if observer in model.movers(state):
        legal = model.legal_actions(state, observer)
        assert (model.legal_actions(other, observer) == legal).all()
    finish_like_the_twin(model, other)


def finish_like_the_twin(model, state):
    """A sample is a position of the game: it can be played out to a sound end."""
    rng = new_generator(0)
    while not model.is_over(state):
        hands = model.view(state)["hands"][: model.players]
        assert all(unpack(hand).max() <= 10 for hand in hands)
        model.apply(state, random_joint(model, state, rng), rng)
    assert all(r > 0 for r in model.results(state))


@settings(max_examples=150, deadline=None)
@given(positions, st.integers(0, 4), st.integers(0, 2**32), st.randoms())
def test_equal_information_and_seed_give_equal_samples(
    position, observer, seed, random
):
    """What the observer cannot see is permuted by hand; the samples stay the same."""
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert (model.observe(twisted, observer) == model.observe(state, observer)).all()
    model.redeterminise(state, observer, new_generator(seed))
    model.redeterminise(twisted, observer, new_generator(seed))
    assert (state == twisted).all()


def test_unknown_cards_are_dealt_uniformly():
    """Counts in unknown hands and in later deals follow the hypergeometric law."""
    model, state = play_some(4, 5, 1)
    view = model.view(state)
    unseen = names(view["pile"]) + names(view["hands"][1]) + names(view["hands"][2])
    deck = Counter(unseen)
    size = len(names(view["hands"][1]))
    samples = 4000
    rng = new_generator(3)
    found = {(card, owner): Counter() for card in CARDS for owner in (1, 2, "later")}
    for _ in range(samples):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        hands = {p: names(model.view(sample)["hands"][p]) for p in (1, 2)}
        while model.view(sample)["round"] == 0:
            model.apply(sample, random_joint(model, sample, rng, bold=False), rng)
        hands["later"] = names(model.view(sample)["hands"][3])
        for card, owner in found:
            found[card, owner][hands[owner].count(card)] += 1
    for (card, owner), counts in found.items():
        drawn = 8 if owner == "later" else size
        law = stats.hypergeom(len(unseen), deck[card], drawn)
        assert_follows(counts, law, samples)


def assert_follows(counts, law, samples):
    """Chi-square test of counts of 0, 1, 2, ...; the thin tail is one class."""
    last = max(n for n in range(11) if samples * law.sf(n - 1) >= 10)
    expected = [samples * law.pmf(n) for n in range(last)] + [
        samples * law.sf(last - 1)
    ]
    observed = [counts[n] for n in range(last)]
    observed.append(samples - sum(observed))
    assert stats.chisquare(observed, expected).pvalue > 1e-5


def test_pending_choices_of_others_are_chosen_anew_uniformly():
    model, state = waiting_for_chopsticks()
    view = model.view(state)
    view["passes"] = 7  # both hands are known
    rng = new_generator(2)
    drawn = Counter()
    for _ in range(4000):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        drawn[int(model.view(sample)["pending"][1])] += 1
    assert sorted(drawn) == [6, 7, 12, 13]  # plain or on the wasabi
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


def test_own_pending_choice_is_kept_and_known():
    model, state = waiting_for_chopsticks()
    for seed in range(20):
        sample = model.copy(state)
        model.redeterminise(sample, 1, new_generator(seed))
        assert model.view(sample)["pending"][1] == 12
    common = model.observe(state, 1)[-1]
    assert common[12:27].tolist() == [0] * 12 + [1, 0, 0]
    assert not model.observe(state, 0)[-1][12:27].any()


@settings(max_examples=100, deadline=None)
@given(positions, st.randoms())
def test_observation_tells_nothing_that_is_hidden(position, random):
    model, state = play_some(*position)
    for observer in range(model.players):
        twisted = model.copy(state)
        permute_hidden(model, twisted, observer, random)
        seen = model.observe(state, observer)
        assert (seen == model.observe(twisted, observer)).all()
        assert seen.min() >= -6
        assert seen.any()


def test_what_an_observation_says():
    model, state = table(
        3,
        [["tempura"] * 8, ["egg"] * 8, ["wasabi", *["squid"] * 7]],
        [["chopsticks"], ["wasabi", "salmon"], ["pudding"] * 2],
    )
    view = model.view(state)
    view["pile"] = bunch("dumpling", "dumpling")
    view["on_wasabi"][1] = 0, 1, 0
    view["scores"][:3] = 4, 6, -1
    seen = model.observe(state, 1)
    own, second, third, common = seen
    assert seen.dtype == np.int8
    assert own[:13].tolist() == [0] * 8 + [8, 0, 0, 0, 1]
    assert own[13:25].tolist() == [0] * 7 + [1, 0, 1, 0, 0]
    assert own[25:].tolist() == [0, 1, 0, 6, 0]
    assert not second[:13].any()  # one pass: seat 2 holds what seat 1 has not seen
    assert second[24] == 2
    assert second[28] == -1
    assert third[:13].tolist() == [0] * 3 + [8] + [0] * 8 + [1]  # it came from seat 1
    assert common[:12].tolist() == [0] * 5 + [2, 7, 0, 0, 1, 0, 0]
    assert common[27:].tolist() == [0, 8, 0]


# -- pictures


def pixels(model, state, observer):
    """The painted picture as bytes."""
    pygame = load_pygame()
    surface = pygame.Surface(size(model), 0, 32)
    paint(surface, model, state, observer)
    return pygame.image.tobytes(surface, "RGB")


@settings(max_examples=15, deadline=None)
@given(positions, st.randoms())
def test_pictures_for_a_player_tell_nothing_that_is_hidden(position, random):
    model, state = play_some(*position)
    for observer in range(model.players):
        twisted = model.copy(state)
        permute_hidden(model, twisted, observer, random)
        assert ansi(model, state, observer) == ansi(model, twisted, observer)
        assert pixels(model, state, observer) == pixels(model, twisted, observer)


def test_pictures_of_the_whole_table_show_hands_but_no_pending_choice():
    model, state = waiting_for_chopsticks()
    other = model.copy(state)
    model.view(other)["hands"][1] = bunch("squid", "squid")
    model.view(other)["pending"][1] = CARDS.index("salmon")
    assert "squid x2" in ansi(model, state, None)
    assert ansi(model, state, None) == ansi(model, other, None)
    assert pixels(model, state, None) == pixels(model, other, None)
    assert pixels(model, state, None) != pixels(model, state, 0)


def test_text_shows_what_a_player_may_see():
    model, state = waiting_for_chopsticks()
    model.view(state)["passes"] = 0
    model.view(state)["scores"][1] = 7
    own = ansi(model, state, 1).splitlines()
    assert own[0] == "Sushi Go!  round 1 of 3, 10 cards a hand"
    assert own[2].split() == "> player_0 0 points 0 puddings uses chopsticks".split()
    assert own[4] == "    hand   10 unknown"
    assert own[6].split() == "player_1 7 points 0 puddings has chosen".split()
    assert own[7] == "    field  wasabi"
    assert own[8] == "    hand   squid, salmon   (set aside: squid on wasabi)"
