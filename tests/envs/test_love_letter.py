"""The rules of Love Letter against a slow twin and single cases."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.love_letter.notation import parse_action
from mcts_agents.envs.love_letter.rules import LEGAL_LIMIT, rules
from mcts_agents.model import RESULT_NAMES, new_generator
from tests.envs.love_letter_positions import (
    WHOLE_DECK,
    all_cards,
    bunch,
    choose,
    hand,
    is_known,
    names,
    pile_names,
    table,
)
from tests.envs.love_letter_twin import ACTIONS, CARDS, TOKENS_TO_WIN, Twin

EVERY_COUNT = pytest.mark.parametrize("players", [2, 3, 4])


def action_of(text):
    """The number of an action as people write it."""
    return parse_action(None, text)


# -- the rules


@EVERY_COUNT
@pytest.mark.parametrize("baron_shows", [False, True])
def test_random_games_equal_those_of_the_twin(players, baron_shows):
    model = rules.model(players=players, baron_shows=baron_shows)
    for seed in range(40):
        rng = new_generator(seed)
        state = model.reset(rng)
        twin = Twin(players, lambda: dealt(model, state), baron_shows)  # noqa: B023
        compare(model, state, twin)
        while twin.movers():
            action = choose(model, state, rng, sensible=seed % 2)
            model.apply(state, {twin.player: action}, rng)
            twin.apply(action)
            compare(model, state, twin)


def dealt(model, state):
    """What chance decided at the start of a round."""
    view = model.view(state)
    starter = int(view["player"])
    hands = [hand(view, player)[0] for player in range(model.players)]
    pile = [hand(view, starter)[1], *pile_names(view)]
    return hands, names(view["face_up"]), pile, starter


def compare(model, state, twin):
    """Everything that the two sets of rules say of a position."""
    view, players = model.view(state), range(model.players)
    assert list(model.movers(state)) == twin.movers()
    for player in players:
        legal = twin.legal() if player in twin.movers() else []
        assert model.legal_actions(state, player).tolist() == legal
        assert sorted(hand(view, player)) == sorted(twin.hands[player])
        assert hand(view, player)[-1:] == twin.hands[player][-1:]
        assert names(view["discards"][player]) == sorted(
            twin.discards[player], key=CARDS.index
        )
        assert bool(view["alive"] >> player & 1) == (player in twin.alive())
        assert bool(view["protected"] >> player & 1) == (player in twin.protected)
        for owner in players:
            seen = twin.seen[player].get(owner)
            assert is_known(view, player, owner) == (seen is not None)
            assert seen is None or seen == hand(view, owner)[0]
            told = (player, owner) in twin.told
            assert is_known(view, player, owner, "aware") == told
    assert model.scores(state).tolist() == twin.tokens
    assert [RESULT_NAMES[r] for r in model.results(state)] == twin.results()
    assert (model.round(state), model.turn(state)) == (twin.rounds, twin.turns)
    assert names(view["face_up"]) == sorted(twin.face_up, key=CARDS.index)
    assert pile_names(view) == twin.pile
    assert all_cards(model, state) == WHOLE_DECK


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**32), st.booleans())
def test_random_games_are_sound(players, seed, sensible):
    model = rules.model(players=players)
    rng = new_generator(seed)
    state = model.reset(rng)
    target = TOKENS_TO_WIN[players]
    turns = 0
    while movers := model.movers(state):
        assert len(movers) == 1
        view = model.view(state)
        assert all_cards(model, state) == WHOLE_DECK
        assert [p for p in range(players) if len(hand(view, p)) == 2] == list(movers)
        assert view["pile_left"] >= 1
        assert int(view["alive"]).bit_count() >= 2
        assert not any(model.results(state))
        legal = model.legal_actions(state, movers[0]).tolist()
        assert 1 <= len(legal) <= LEGAL_LIMIT
        assert legal == sorted(set(legal))
        assert model.turn(state) == turns
        model.apply(state, {movers[0]: choose(model, state, rng, sensible)}, rng)
        turns += 1
    tokens = sorted(model.scores(state))
    assert tokens[-1] >= max(target, tokens[-2] + 1)
    assert tokens[-1] <= model.round(state) <= sum(tokens)
    won = [RESULT_NAMES[r] for r in model.results(state)].index("won")
    assert model.scores(state)[won] == tokens[-1]


def after(hands, drawn, pile, play, **options):
    """The table after player 0's play."""
    model, state = table(hands, drawn, pile, **options)
    action = action_of(play)
    assert action in model.legal_actions(state, 0)
    model.apply(state, {0: action}, new_generator(1))
    return model, state


PILE = ["guard", "guard", "priest", "handmaid"]

# Hands of players 0 to 2, player 0's draw and play; who is out then.
EFFECTS = [
    (["guard", "king", "priest"], "baron", "guard player_1 king", {1}),
    (["guard", "king", "priest"], "baron", "guard player_2 king", set()),
    (["princess", "king", "priest"], "baron", "baron player_1", {1}),
    (["baron", "king", "priest"], "guard", "baron player_1", {0}),
    (["baron", "prince", "handmaid"], "king", "king player_1", set()),
    # The other card is compared, whichever of the two was drawn last.
    (["handmaid", "baron", "priest"], "baron", "baron player_1", {1}),
    (["baron", "baron", "priest"], "handmaid", "baron player_1", {1}),
    (["prince", "baron", "priest"], "baron", "baron player_2", {2}),
    (["baron", "baron", "prince"], "prince", "baron player_2", set()),
    (["prince", "princess", "priest"], "guard", "prince player_1", {1}),
    (["prince", "baron", "priest"], "princess", "prince player_0", {0}),
    (["prince", "baron", "king"], "princess", "princess", {0}),
]


@pytest.mark.parametrize(("hands", "drawn", "play", "out"), EFFECTS)
def test_effects(hands, drawn, play, out):
    model, state = after(hands, drawn, PILE, play)
    view = model.view(state)
    assert {p for p in range(3) if not view["alive"] >> p & 1} == out
    for player in out:
        assert hand(view, player) == []
    assert all_cards(model, state) == WHOLE_DECK
    assert not any(model.results(state))  # out of a round is no result


def test_a_prince_at_oneself_discards_the_other_card_once():
    model, state = after(["prince", "king", "priest"], "baron", PILE, "prince player_0")
    view = model.view(state)
    assert hand(view, 0) == ["guard"]
    assert hand(view, 1) == ["king", "guard"]
    assert {"prince", "baron"} <= set(names(view["discards"][0]))
    assert all_cards(model, state) == WHOLE_DECK


def test_a_prince_takes_the_card_laid_aside_if_the_pile_is_empty():
    model, state = after(
        ["prince", "baron", "priest"], "handmaid", ["princess"], "prince player_1"
    )
    # Player 1 drew the princess and has won the round.
    assert model.scores(state).tolist() == [0, 1, 0]
    assert model.movers(state) == (1,)


def test_protection_lasts_until_the_own_next_turn_and_effects_fail():
    pile = ["guard", "guard", "priest", "baron"]
    model, state = table(["handmaid", "guard", "king"], "handmaid", pile)
    rng = new_generator(0)
    model.apply(state, {0: action_of("handmaid")}, rng)
    assert model.movers(state) == (1,)
    assert action_of("guard player_0 handmaid") in model.legal_actions(state, 1)
    model.apply(state, {1: action_of("guard player_0 handmaid")}, rng)
    view = model.view(state)
    assert hand(view, 0) == ["handmaid"]
    model.apply(state, {2: action_of("king player_0")}, rng)
    assert model.movers(state) == (0,)
    assert hand(view, 0)[0] == "handmaid"
    assert view["protected"] == 0


@pytest.mark.parametrize(
    ("held", "cards"),
    [
        (["countess", "prince"], {"countess"}),
        (["king", "countess"], {"countess"}),
        (["countess", "princess"], {"countess", "princess"}),
        (["countess", "guard"], {"countess", "guard"}),
        (["prince", "king"], {"prince", "king"}),
    ],
)
def test_the_countess_must_be_played_beside_prince_or_king(held, cards):
    model, state = table([held[0], "baron", "handmaid"], held[1], PILE)
    legal = model.legal_actions(state, 0)
    assert {ACTIONS[a][0] for a in legal} == cards


@pytest.mark.parametrize(
    ("hands", "drawn", "discards", "winners"),
    [
        (["king", "baron", "priest"], "guard", {}, {0}),
        (["baron", "king", "priest"], "guard", {}, {1}),
        (["priest", "prince", "prince"], "guard", {1: ["baron"], 2: []}, {1}),
        (["priest", "prince", "prince"], "guard", {1: ["guard"], 2: ["priest"]}, {2}),
        (["priest", "prince", "prince"], "guard", {1: ["baron"], 2: ["baron"]}, {1, 2}),
    ],
)
def test_highest_card_wins_then_discards_and_all_who_are_still_tied(
    hands, drawn, discards, winners
):
    model, state = table(hands, drawn, ["handmaid"])
    view = model.view(state)
    for player, cards in discards.items():
        view["discards"][player] = bunch(*cards)
    model.apply(state, {0: action_of("guard player_1 princess")}, new_generator(3))
    assert {p for p in range(3) if model.scores(state)[p]} == winners
    assert model.movers(state)[0] in winners
    assert view["alive"] == 0b111
    assert view["pile_left"] == 16 - 3 - 1
    assert not view["discards"].any()


def test_who_starts_after_a_tie_is_drawn():
    model, state = table(["priest", "prince", "prince"], "guard", ["handmaid"])
    rng = new_generator(5)
    started = Counter()
    for _ in range(400):
        other = model.copy(state)
        model.apply(other, {0: action_of("guard player_1 princess")}, rng)
        started[model.movers(other)[0]] += 1
    assert sorted(started) == [1, 2]
    assert stats.binomtest(started[1], 400).pvalue > 1e-4


@pytest.mark.parametrize(
    ("tokens", "winner"),
    [
        ([3, 0, 0, 0], 0),
        ([2, 3, 0, 0], None),
        ([2, 4, 4, 0], None),  # two are level at the top: play on
        ([3, 4, 0, 0], None),
        ([4, 4, 0, 0], 0),
        ([5, 5, 6, 0], None),
    ],
)
def test_who_alone_has_most_tokens_wins_once_they_are_enough(tokens, winner):
    model, state = table(["king", "baron", "priest", "guard"], "guard", ["handmaid"])
    model.view(state)["tokens"] = tokens
    model.apply(state, {0: action_of("guard player_1 princess")}, new_generator(3))
    assert model.scores(state).tolist() == [tokens[0] + 1, *tokens[1:]]
    over = winner is not None
    assert model.is_over(state) == over
    if over:
        assert [RESULT_NAMES[r] for r in model.results(state)] == [
            "won" if p == winner else "lost" for p in range(4)
        ]
        assert model.legal_actions(state, 0).size == 0


def test_evaluation_halves_the_tokens_of_who_is_out():
    model, state = after(
        ["guard", "king", "priest"], "baron", PILE, "guard player_1 king"
    )
    model.view(state)["tokens"][:3] = 2, 3, 6
    assert model.evaluate(state).tolist() == pytest.approx([0.4, 0.3, 1.0])
    assert model.scores(state).tolist() == [2, 3, 6]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"players": 1}, "players=1: love_letter is for 2 to 4 players"),
        ({"players": 5}, "players=5: love_letter is for 2 to 4 players"),
        ({"baron_shows": 2}, "baron_shows=2: expected true or false"),
        ({"size": 3}, "love_letter has no option 'size'"),
    ],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**option)
