"""What players of Colt Express can know: samples, observations, keys, pictures."""

from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.colt_express.rules import rules
from mcts_agents.envs.colt_express.table import ansi
from mcts_agents.model import new_generator
from tests.envs.colt_express_positions import (
    CARDS,
    all_cards,
    heap,
    permute_hidden,
    play_some,
    positions,
    queue,
    random_play,
    set_heap,
)
from tests.envs.knowledge import (
    assert_chances,
    assert_looks_alike,
    assert_sampled_alike,
    picture,
    sample_of,
)

PUBLIC = (
    *("ended", "places", "characters", "bullets", "owners", "face_up", "queued"),
    *("executed", "marshal", "round", "turn", "moved", "is_second", "is_executing"),
    *("is_over", "player", "last"),
)
SAMPLES = 6000
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
    for field in ("hands", "decks", "loot"):
        assert np.array_equal(view[field][observer], new[field][observer])
    for field in ("on_train", "loot"):
        assert np.array_equal(view[field][:, 6:], new[field][:, 6:])
        assert np.array_equal(view[field].sum(1), new[field].sum(1))
    opened = int(view["round"]) + 1
    assert np.array_equal(view["rounds"][:opened], new["rounds"][:opened])
    for seat in range(model.players):
        assert len(heap(view, "hands", seat)) == len(heap(new, "hands", seat))
    for (owner, card, is_shown), (_, other, _) in zip(
        queue(view), queue(new), strict=True
    ):
        assert card == other or not (is_shown or owner == observer)
        assert other != "bullet"
    assert all_cards(model, sample) == all_cards(model, state)
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


def begun(players=2):
    """A model, and the state in which a game begins."""
    model = rules.model(players=players)
    return model, model.reset(new_generator(3))


def test_cards_are_dealt_as_often_as_an_enumeration_says():
    """A card face down, a hand of two, and a deck, of six cards."""
    cards = ["move", "move", "punch", "shoot", "bullet", "bullet"]
    model, state = begun()
    view = model.view(state)
    view["owners"][0], view["cards"][0], view["face_up"][0] = 1, 0, 0
    view["queued"] = 1
    set_heap(view, "hands", 1, cards[1:3])
    set_heap(view, "decks", 1, cards[3:])
    expected = Counter(
        (down, *sorted((first, second)))
        for down, first, second in permutations(cards, 3)
        if down != "bullet"
    )
    found, rng = Counter(), new_generator(5)
    for _ in range(SAMPLES):
        model.redeterminise(state, 0, rng)
        found[(queue(view)[0][1], *sorted(heap(view, "hands", 1)))] += 1
    assert_chances(expected, found)


def test_purses_are_dealt_as_often_as_an_enumeration_says():
    """Two purses in a car, one of the other player, and one that is in no car."""
    model, state = begun()
    view = model.view(state)
    view["on_train"][:, :6] = 0
    view["unused"][:], view["loot"][1] = 0, 0
    view["on_train"][2, :2] = 1, 1
    view["loot"][1, 0], view["unused"][5] = 1, 1
    values = [0, 1, 0, 5]
    expected = Counter((*sorted(p[:2]), p[2]) for p in permutations(values))
    found, rng = Counter(), new_generator(6)
    for _ in range(SAMPLES):
        model.redeterminise(state, 0, rng)
        inside = [n for n in range(6) for _ in range(view["on_train"][2, n])]
        found[(*inside, int(view["loot"][1, :6].argmax()))] += 1
        assert view["loot"][0, 0] == 1
    assert_chances(expected, found)


def test_rounds_to_come_are_drawn_as_often_as_an_enumeration_says():
    model, state = begun()
    view = model.view(state)
    view["round"] = 2
    opened = view["rounds"][:3].tolist()
    rest = [card for card in range(7) if card not in opened]
    expected = Counter(product(rest, (7, 8, 9)))
    found, rng = Counter(), new_generator(7)
    for _ in range(SAMPLES):
        model.redeterminise(state, 0, rng)
        found[tuple(view["rounds"][3:].tolist())] += 1
        assert view["rounds"][:3].tolist() == opened
    assert_chances(expected, found)


def test_cards_face_down_are_known_when_their_turn_comes():
    model, state = begun()
    view = model.view(state)
    view["owners"][:2], view["cards"][:2], view["queued"] = 1, (0, 4), 2
    view["face_up"][:2] = 0
    seen = []
    for is_executing in (0, 1):
        view["is_executing"] = is_executing
        rows = model.observe(state, 0)[38:42].tolist()
        seen.append(rows)
        assert model.observe(state, 1)[38:42].tolist() == [1, 1, 1, 5]
    assert seen == [[2, 0, 2, 0], [2, 1, 2, 0]]


def test_cards_face_down_are_hidden_actions():
    model, state = begun()
    view = model.view(state)
    view["characters"][:2] = 1, 2  # no Ghost
    view["rounds"][0], view["player"] = 6, 1  # Tunnel: the second turn is hidden
    for turn, seen in ((0, 0), (1, 77)):
        view["turn"] = turn
        assert model.visible_action(state, [-1, 0], 1, 0) == seen
        assert model.visible_action(state, [-1, 0], 1, 1) == 0
        assert model.visible_action(state, [-1, 6], 1, 0) == 6
    view["turn"], view["characters"][1] = 0, 0
    assert model.visible_action(state, [-1, 0], 1, 0) == 77


def test_what_is_observed():
    model, state = begun(3)
    view = model.view(state)
    view["characters"][:3], view["places"][:3] = (4, 0, 5), (0, 3, 7)
    view["bullets"][:3], view["rounds"][0] = (6, 2, 5), 3
    view["loot"][:3] = 0
    view["loot"][1], view["loot"][2, 7] = (1, 0, 0, 0, 0, 2, 1, 0), 1
    view["on_train"][:] = 0
    view["on_train"][0, 3], view["on_train"][3, 6] = 2, 1
    set_heap(view, "hands", 1, ["move", "bullet"])
    set_heap(view, "decks", 1, ["climb", "shoot", "shoot"])
    view["marshal"] = 2
    seen = model.observe(state, 1).astype(int)
    assert seen[:14].tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0, 0]
    assert seen[14:20].tolist() == [1, 0, 0, 0, 0, 2]
    assert seen[20:28].tolist() == [2, 0, 3, 0, 1, 0, 0, 0]
    assert seen[28:38].tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert not seen[38:86].any()
    assert seen[86:92].tolist() == [2, 0, 0, 0, 0, 0]
    assert seen[95:98].tolist() == [0, 1, 0]
    rows = seen[128:].reshape(3, 11).tolist()
    assert rows[0] == [1, 1, 0, 2, 2, 3, 1, 3, 1, 0, 0]
    assert rows[1] == [3, 1, 5, 5, 6, 4, 0, 0, 0, 1, 0]
    assert rows[2] == [0, 0, 4, 6, 6, 4, 0, 0, 0, 0, 1]


def test_keys_differ_where_the_position_does():
    """Over random games a key belongs to one position that the observer can tell."""
    model, keys = rules.model(players=3), {}
    for seed in range(5):
        for state, _ in random_play(model, seed):
            if model.is_over(state):
                continue
            for observer in range(3):
                # Who decides in which turn is not observed, but in the key.
                view = model.view(state)
                seen = model.observe(state, observer).tobytes()
                known = observer, seen, int(view["player"]), int(view["moved"])
                key = observer, model.state_key(state, observer)
                assert keys.setdefault(key, known) == known
            fields = ("hands", "decks", "loot", "on_train", "rounds", "places")
            whole = b"".join(model.view(state)[field].tobytes() for field in fields)
            key = -1, model.state_key(state, -1)
            assert keys.setdefault(key, whole) == whole


def test_keys_of_one_position_are_equal_only_if_hidden_cards_are():
    model, state = begun()
    keys = set()
    for hand in combinations(CARDS[:6], 3):
        view = model.view(state)
        set_heap(view, "hands", 1, hand)
        set_heap(view, "decks", 1, [card for card in CARDS[:6] if card not in hand])
        keys.add((model.state_key(state, 0), model.state_key(state, -1)))
    assert len({key for key, _ in keys}) == 1
    assert len({key for _, key in keys}) == 20


@settings(max_examples=10, deadline=None)
@given(positions, observers, st.randoms())
def test_pictures_show_a_player_nothing_hidden(position, observer, random):
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    shown = [picture("colt_express", model, s, observer) for s in (state, twisted)]
    assert (shown[0] == shown[1]).all()
