"""What searches ask of Sushi Go!: keys, counts, visible choices, values of actions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.model import new_generator
from tests.envs.sushi_go_positions import (
    permute_hidden,
    play_some,
    positions,
    random_joint,
    table,
)
from tests.envs.sushi_go_twin import CARDS, USE_CHOPSTICKS

TEMPURA, SASHIMI, DUMPLING, EGG = (
    CARDS.index(card) for card in ("tempura", "sashimi", "dumpling", "egg")
)
FACE_DOWN = 16


@settings(max_examples=100, deadline=None)
@given(positions, st.integers(0, 4), st.randoms())
def test_keys_are_equal_for_equal_information(position, observer, random):
    model, state = play_some(*position)
    observer %= model.players
    twisted, sample = model.copy(state), model.copy(state)
    permute_hidden(model, twisted, observer, random)
    model.redeterminise(sample, observer, new_generator(1))
    key = model.state_key(state, observer)
    assert model.state_key(twisted, observer) == key
    assert model.state_key(sample, observer) == key
    assert model.state_key(twisted) != model.state_key(state)


def test_keys_and_observations_are_one_to_one():
    keys, observations = {}, {}
    for players in (2, 3, 5):
        for seed in range(4):
            model, state = play_some(players, seed, 0)
            rng = new_generator(seed)
            while not model.is_over(state):
                for observer in range(players):
                    seen = model.observe(state, observer).tobytes()
                    key = model.state_key(state, observer), observer
                    assert keys.setdefault(key, seen) == seen
                    seen = seen, observer, players
                    assert observations.setdefault(seen, key) == key
                model.apply(state, random_joint(model, state, rng), rng)
    assert len(keys) > 700


@pytest.mark.parametrize("players", [2, 5])
def test_turns_are_passes_of_hands_and_rounds_are_deals(players):
    size = {2: 10, 5: 7}[players]
    model, state = play_some(players, 3, 0)
    rng = new_generator(3)
    turns = decisions = 0
    while not model.is_over(state):
        assert model.turn(state) == turns
        assert model.round(state) == turns // size
        model.apply(state, random_joint(model, state, rng), rng)
        decisions += 1
        turns += model.view(state)["step"] == 0  # nobody waits for chopsticks
    assert model.turn(state) == turns == 3 * size
    assert model.round(state) == 3
    assert decisions > turns


# -- what is seen of a choice


def codes(model, state, joint, actor):
    return [
        model.visible_action(state, joint, actor, observer)
        for observer in range(model.players)
    ]


def three_players():
    """Player 0 may use chopsticks, all hold tempura and egg."""
    hands = [["tempura", "egg", "sashimi"]] * 3
    return table(3, hands, [["chopsticks"], [], []])


def test_choices_of_a_turn_without_chopsticks_are_open():
    model, state = three_players()
    joint = [TEMPURA, EGG, SASHIMI]
    for actor in range(3):
        assert codes(model, state, joint, actor) == [joint[actor]] * 3


def test_with_chopsticks_in_use_cards_lie_face_down_until_all_are_complete():
    model, state = three_players()
    rng = new_generator(0)
    joint = [USE_CHOPSTICKS, EGG, TEMPURA]
    assert codes(model, state, joint, 0) == [USE_CHOPSTICKS] * 3
    assert codes(model, state, joint, 1) == [FACE_DOWN, EGG, FACE_DOWN]
    assert codes(model, state, joint, 2) == [FACE_DOWN, FACE_DOWN, TEMPURA]
    model.apply(state, joint, rng)
    assert codes(model, state, [EGG, -1, -1], 0) == [EGG, FACE_DOWN, FACE_DOWN]
    others = []
    for first, second in ((EGG, TEMPURA), (TEMPURA, EGG), (EGG, SASHIMI)):
        chosen = model.copy(state)
        model.apply(chosen, {0: first}, rng)
        own, *seen = codes(model, chosen, [second, -1, -1], 0)
        assert own == second
        assert seen[0] == seen[1] > FACE_DOWN  # both cards are shown now
        others.append(seen[0])
    assert len(set(others)) == 3


@settings(max_examples=150, deadline=None)
@given(positions, st.integers(0, 4), st.randoms())
def test_what_is_seen_does_not_depend_on_what_is_hidden(position, observer, random):
    """Cards of others are exchanged in the state and in the joint action."""
    model, state = play_some(*position)
    observer %= model.players
    step = model.view(state)["step"]
    if model.is_over(state) or step == 2:
        return
    joint = np.full(model.players, -1)
    for player, action in random_joint(model, state, new_generator(1)).items():
        joint[player] = action
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    other = joint.copy()
    face_down = step == 1 or USE_CHOPSTICKS in joint
    for actor in range(model.players):
        is_card = 0 <= joint[actor] != USE_CHOPSTICKS
        if face_down and is_card and actor != observer:
            other[actor] = random.randrange(15)
    for actor in model.movers(state):
        seen = model.visible_action(state, joint, actor, observer)
        assert seen == model.visible_action(twisted, other, actor, observer)
        if actor == observer or not face_down:
            assert seen == joint[actor]


# -- values of actions


@pytest.mark.parametrize(
    ("hand", "field", "expected"),
    [
        (["tempura", "sashimi", "egg"], [], {"egg": 0.1}),
        (["tempura", "sashimi"], ["tempura"], {"tempura": 0.5}),
        (["sashimi", "squid"], ["sashimi"] * 2, {"sashimi": 1.0, "squid": 0.3}),
        (["dumpling", "maki 1"], ["dumpling"] * 4, {"dumpling": 0.5}),
        (["squid", "pudding"], ["wasabi"], {"squid": 0.3, "squid on wasabi": 0.9}),
        (
            ["salmon", "tempura", "egg"],
            ["chopsticks", "tempura"],
            {"salmon": 0.2, "tempura": 0.5, "egg": 0.1, "use chopsticks": 0.7},
        ),
        (
            ["sashimi", "tempura"],
            ["chopsticks", "tempura", "sashimi", "sashimi"],
            {"sashimi": 1.0, "tempura": 0.5, "use chopsticks": 1.0},
        ),
    ],
)
def test_values_of_actions_are_points_paid_at_once(hand, field, expected):
    model, state = table(2, [hand, hand], [field, []])
    names = [*CARDS, *(f"{card} on wasabi" for card in ("squid", "salmon", "egg"))]
    names.append("use chopsticks")
    actions = model.legal_actions(state, 0).tolist()
    values = model.action_values(state, 0).tolist()
    values = dict(zip([names[a] for a in actions], values, strict=True))
    assert values == pytest.approx({**dict.fromkeys(values, 0), **expected})


@settings(max_examples=60, deadline=None)
@given(positions)
def test_values_of_single_cards_are_what_the_scores_gain(position):
    """Before a round's last turn, which pays for maki and puddings too."""
    model, state = play_some(*position)
    view = model.view(state)
    if model.is_over(state) or view["step"] or view["passes"] >= 6:
        return
    movers = model.movers(state)
    for player in movers:
        actions = model.legal_actions(state, player).tolist()
        values = model.action_values(state, player)
        for action, value in zip(actions, values, strict=True):
            if action == USE_CHOPSTICKS:
                continue
            joint = {p: int(model.legal_actions(state, p)[0]) for p in movers}
            joint[player] = action
            played = model.copy(state)
            model.apply(played, joint, new_generator(0))
            gain = (model.scores(played) - model.scores(state))[player]
            assert value == pytest.approx(gain / 10)
