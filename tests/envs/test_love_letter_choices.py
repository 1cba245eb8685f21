"""Chance, random play, advice and notation of Love Letter."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.love_letter.cards import in_order, shuffled
from mcts_agents.envs.love_letter.notation import format_action, parse_action
from mcts_agents.envs.love_letter.rules import rules
from mcts_agents.model import RESULT_NAMES, new_generator
from tests.envs.love_letter_positions import (
    WHOLE_DECK,
    bunch,
    choose,
    packed_pile,
    play_some,
    policy_action,
    positions,
    table,
)
from tests.envs.love_letter_twin import ACTIONS, CARDS, number

PILE = ["guard", "guard", "priest", "handmaid"]


# -- chance


def test_all_orders_are_equally_likely():
    rng = new_generator(2)
    pile = in_order(bunch("guard", "priest", "baron", "handmaid"))
    found = Counter(int(shuffled(pile, 4, rng)) for _ in range(12000))
    assert len(found) == 24
    assert stats.chisquare(list(found.values())).pvalue > 1e-4


@pytest.mark.parametrize("size", [7, 11, 15])
def test_every_card_may_come_to_every_place(size):
    """Pairs of places of the princess and of the first guard."""
    cards = sorted(WHOLE_DECK, key=number)[-size:]
    rng = new_generator(size)
    pile = in_order(bunch(*cards))
    assert int(pile) == packed_pile(cards[::-1])
    found = Counter()
    for _ in range(30 * size * size):
        order = int(shuffled(pile, size, rng))
        mixed = [CARDS[(order >> 4 * n & 15) - 1] for n in range(size)]
        assert sorted(mixed, key=CARDS.index) == cards
        found[mixed.index("princess"), mixed.index("countess")] += 1
    assert len(found) == size * (size - 1)
    assert stats.chisquare(list(found.values())).pvalue > 1e-4


@pytest.mark.parametrize(
    ("held", "number_of_actions"),
    [(["guard", "prince"], 25), (["guard", "guard"], 21), (["handmaid", "king"], 4)],
)
def test_random_actions_are_uniform_among_the_legal(held, number_of_actions):
    model, state = table([held[0], "baron", "priest", "princess"], held[1], PILE)
    rng = new_generator(1)
    legal = model.legal_actions(state, 0).tolist()
    assert len(legal) == number_of_actions
    drawn = Counter(
        model.call("random_action", state.ctypes.data, 0, rng.ctypes.data)
        for _ in range(8000)
    )
    assert sorted(drawn) == legal
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 60))
def test_playout_is_random_stepping_up_to_its_limit(position, limit):
    """Same generator, same game; no action beyond the limit."""
    model, state = play_some(*position)
    played, stepped = model.copy(state), model.copy(state)
    rng, other = new_generator(7), new_generator(7)
    count = model.call("playout", played.ctypes.data, rng.ctypes.data, limit)
    steps = 0
    while (movers := model.movers(stepped)) and steps < limit:
        addresses = stepped.ctypes.data, movers[0], other.ctypes.data
        action = model.call("random_action", *addresses)
        model.apply(stepped, {movers[0]: action}, other)
        steps += 1
    assert count == steps
    assert (played == stepped).all()


# -- advice


def best(model, state):
    """The actions that look best to player 0, written."""
    values = model.action_values(state, 0)
    legal = model.legal_actions(state, 0)
    return {format_action(model, a) for a in legal[values == values.max()]}


@settings(max_examples=60, deadline=None)
@given(positions)
def test_the_policy_plays_what_looks_best(position):
    model, state = play_some(*position)
    for player in model.movers(state):
        values = model.action_values(state, player)
        assert values.min() >= 0
        assert values.max() <= 1
        rng = new_generator(0)
        legal = model.legal_actions(state, player).tolist()
        tried = {policy_action(model, state, player, rng) for _ in range(200)}
        assert tried == {legal[n] for n in (values == values.max()).nonzero()[0]}


def test_a_guard_names_what_is_seen_or_most_frequent():
    unseen = ["guard", "priest", "priest", "handmaid"]
    model, state = table(["guard", "king"], "princess", unseen)
    assert best(model, state) == {"guard player_1 priest"}
    view = model.view(state)
    view["known"] = view["aware"] = 1 << 4  # player 0 has seen player 1's card
    assert best(model, state) == {"guard player_1 king"}


@pytest.mark.parametrize(
    ("hands", "drawn", "expected"),
    [
        (["princess", "guard", "guard"], "handmaid", {"handmaid"}),
        (["princess", "guard", "guard"], "baron", {"baron player_1", "baron player_2"}),
        (["guard", "guard", "king"], "baron", {"guard"}),
        (["king", "guard", "baron"], "handmaid", {"handmaid"}),
        (["king", "guard", "baron"], "princess", {"king player_1", "king player_2"}),
    ],
)
def test_sensible_plays(hands, drawn, expected):
    model, state = table(hands, drawn, ["guard", "priest", "priest", "handmaid"])
    found = best(model, state)
    assert found == expected or {text.split()[0] for text in found} == expected


def test_the_policy_beats_random_play():
    model = rules.model(players=2)
    won = 0
    for seed in range(60):
        rng = new_generator(seed)
        state = model.reset(rng)
        while movers := model.movers(state):
            action = choose(model, state, rng, sensible=movers[0] == seed % 2)
            model.apply(state, {movers[0]: action}, rng)
        won += RESULT_NAMES[model.results(state)[seed % 2]] == "won"
    assert won >= 48


# -- notation


def test_actions_are_written_and_read():
    model = rules.model()
    texts = [format_action(model, action) for action in range(47)]
    assert texts[7 * 2 + 1] == "guard player_2 baron"
    assert texts[36] == "handmaid"
    assert texts[41] == "king player_0"
    assert [parse_action(model, text) for text in texts] == list(range(47))
    assert parse_action(model, "  Guard PLAYER_2  baron ") == 15
    for text, (card, target, named) in zip(texts, ACTIONS, strict=True):
        seat = None if target is None else f"player_{target}"
        assert text.split() == [word for word in (card, seat, named) if word]


def test_unknown_text_is_answered_with_what_was_expected():
    with pytest.raises(
        ValueError, match=r"'guard 1' is not an action of love_letter; .*player_2 baron"
    ):
        parse_action(rules.model(), "guard 1")
