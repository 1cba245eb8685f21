"""The rules of Uno against a twin in plain Python, invariants, and single cases."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from mcts_agents.envs.uno.notation import ACTION_NAMES, format_action, parse_action
from mcts_agents.envs.uno.rules import rules
from mcts_agents.model import RESULT_NAMES, new_generator
from tests.envs.uno_positions import (
    action_name,
    all_cards,
    discards,
    hand,
    packed,
    pile,
    play_both,
    play_some,
    table,
)
from tests.envs.uno_twin import DECK, KINDS

VARIANTS = [
    (2, {"target": 100}),
    (3, {"target": 100, "quirks": False}),
    (4, {"target": 150, "scoring": "classic", "match_symbols": True}),
    (2, {"target": 150, "quirks": False, "match_symbols": True}),
    (10, {"target": 100}),
]


@pytest.mark.parametrize(("players", "options"), VARIANTS)
def test_whole_games_agree_with_the_twin(players, options):
    seen = Counter()
    for seed in range(3):
        for model, state, twin in play_both(players, seed, 10**6, **options):
            view = model.view(state)
            assert model.is_over(state) == twin.over
            assert model.scores(state).tolist() == twin.scores()
            assert model.round(state) == twin.rounds
            assert view["direction"] == twin.direction
            if twin.over:
                names = [RESULT_NAMES[result] for result in model.results(state)]
                assert names == twin.results()
                break
            seen["turns"] += 1
            assert model.movers(state) == (twin.player,)
            legal = model.legal_actions(state, twin.player).tolist()
            assert legal == sorted(legal)
            assert {action_name(action) for action in legal} == twin.legal()
            assert len(legal) == len(twin.legal())
            for seat, cards in enumerate(twin.hands):
                assert sorted(hand(view["hands"][seat])) == sorted(cards)
            assert pile(view) == twin.pile
            assert discards(view)[0] == twin.top
            assert sorted(discards(view)) == sorted(twin.discards)
            assert sorted(all_cards(model, state)) == sorted(DECK)
        else:
            pytest.fail("the game did not end")
    assert seen["turns"] > 100


@pytest.mark.parametrize("players", [2, 6, 10])
def test_a_playout_is_random_play(players):
    model, state = play_some(players, 3, 4, target=30)
    while len(model.legal_actions(state, model.movers(state)[0])) < 2:
        model.playout(state, new_generator(1), 1)
    (player,) = model.movers(state)
    rng, played, chosen = new_generator(5), Counter(), Counter()
    for _ in range(600):
        copy = model.copy(state)
        assert model.playout(copy, rng, 1) == 1
        played[int(model.view(copy)["last"][player])] += 1
        addresses = state.ctypes.data, player, rng.ctypes.data
        chosen[model.call("random_action", *addresses)] += 1
    for counts in (played, chosen):
        assert sorted(counts) == model.legal_actions(state, player).tolist()
        assert stats.chisquare(list(counts.values())).pvalue > 1e-4
    before = model.turn(state)
    assert model.playout(state, rng, 10**6) == model.turn(state) - before
    assert model.is_over(state)


def test_random_games_end_and_keep_all_cards():
    for seed in range(60):
        model, state = play_some(2 + seed % 9, seed, 10**6, target=50)
        assert model.is_over(state)
        assert model.view(state)["points"].max() >= 50
        assert sorted(all_cards(model, state)) == sorted(DECK)


def test_every_card_is_dealt_as_often_as_it_should_be():
    """The card turned up first and the first of a hand are uniform over the deck."""
    model, rng = rules.model(players=2), new_generator(8)
    tops, counts = Counter(), Counter()
    for _ in range(4000):
        view = model.view(model.reset(rng))
        tops[KINDS[view["top"]]] += 1
        counts.update(hand(view["hands"][1]))
    coloured = [card for card in KINDS if not card.startswith("wild")]
    assert set(tops) == set(coloured)
    weights = np.array([DECK.count(card) for card in coloured])
    expected = 4000 * weights / weights.sum()
    assert stats.chisquare([tops[c] for c in coloured], expected).pvalue > 1e-4
    weights = np.array([DECK.count(card) for card in KINDS])
    # Wilds are more frequent in hands: they are not turned up.
    mean = sum(counts.values()) * weights / weights.sum()
    assert (np.abs([counts[c] for c in KINDS] - mean) < 6 * np.sqrt(mean)).all()


# -- single cases


def legal_names(model, state):
    (player,) = model.movers(state)
    actions = model.legal_actions(state, player)
    return {format_action(model, int(action)) for action in actions}


def play(model, state, *texts):
    for text in texts:
        (player,) = model.movers(state)
        assert text in legal_names(model, state)
        joint = {player: parse_action(model, text)}
        model.apply(state, joint, new_generator(0))


COLOURS = ("red", "yellow", "green", "blue")


@pytest.mark.parametrize(
    ("top", "colour", "options", "expected"),
    [
        ("red 5", None, {}, {"red 2", "blue 5"}),
        ("red skip", None, {}, {"red 2"}),
        ("red skip", None, {"match_symbols": True}, {"red 2", "green skip"}),
        ("wild", "green", {}, {"green skip", "yellow 0"}),
        ("wild draw four", "green", {}, {"green skip", "yellow 4"}),
        ("wild", "green", {"quirks": False}, {"green skip"}),
        ("wild", "blue", {}, {"blue 5", "yellow 0"}),
    ],
)
def test_what_matches(top, colour, options, expected):
    cards = ["red 2", "blue 5", "green skip", "yellow 0", "yellow 4"]
    model, state = table([cards, ["red 9"]], top, colour=colour, **options)
    assert legal_names(model, state) == expected


def test_wilds_can_always_be_played_but_the_published_draw_four():
    hands = [["wild", "wild draw four", "red 2"], ["blue 9", "blue 8"]]
    every = {f"{wild} {c}" for wild in ("wild", "wild draw four") for c in COLOURS}
    assert legal_names(*table(hands, "red 5")) == every | {"red 2"}
    published = table(hands, "red 5", quirks=False)
    assert legal_names(*published) == {"red 2", *(f"wild {c}" for c in COLOURS)}
    assert legal_names(*table(hands, "blue 5", quirks=False)) == every


@pytest.mark.parametrize(("quirks", "drawn", "on_turn"), [(True, 0, 1), (False, 4, 2)])
def test_the_wild_draw_four(quirks, drawn, on_turn):
    hands = [["wild draw four", "red 2"], ["blue 9"], ["blue 8"]]
    pile_ = ["red 1", "red 3", "red 6", "red 7", "red 8"]
    model, state = table(hands, "green 5", pile=pile_, quirks=quirks)
    play(model, state, "wild draw four red")
    view = model.view(state)
    assert len(hand(view["hands"][1])) == 1 + drawn
    assert model.movers(state) == (on_turn,)
    assert pile(view) == pile_[drawn:]


@pytest.mark.parametrize(
    ("card", "colour", "quirks"),
    [
        ("green 3", "green", True),
        ("red skip", "red", True),
        ("red draw two", "red", True),
        ("wild", None, True),
        ("wild", "red", False),
        ("wild draw four", "red", False),
    ],
)
def test_a_card_that_is_drawn_and_matches_is_played_without_effect(
    card, colour, quirks
):
    hands = [["blue 9"], ["green 1"], ["blue 8"]]
    model, state = table(hands, "red 3", pile=[card, "blue 1"], quirks=quirks)
    play(model, state, "draw")
    view = model.view(state)
    assert discards(view)[0] == card
    index = 4 if colour is None else COLOURS.index(colour)
    assert view["colour"] == index
    assert [len(hand(words)) for words in view["hands"][:3]] == [1, 1, 1]
    assert model.movers(state) == (1,)


def test_a_card_that_is_drawn_and_does_not_match_is_kept():
    model, state = table([["blue 9"], ["green 1"]], "red 3", pile=["green 7"])
    play(model, state, "draw")
    assert sorted(hand(model.view(state)["hands"][0])) == ["blue 9", "green 7"]
    assert model.movers(state) == (1,)


@pytest.mark.parametrize("players", [2, 3])
def test_a_reverse_skips_one_of_two_and_turns_more(players):
    hands = [["red reverse", "red 2"], ["blue 9"], ["blue 8"]][:players]
    model, state = table(hands, "red 3", pile=["green 7"])
    play(model, state, "red reverse")
    assert model.movers(state) == (0,) if players == 2 else (2,)
    assert model.view(state)["direction"] == (1 if players == 2 else -1)


def test_no_card_is_left_to_draw():
    """Who cannot play passes; all other cards are in hands."""
    other = [card for card in DECK if card not in ("red 5", "blue 9")]
    while "blue 9" in other:
        other.remove("blue 9")
    rest = [card for card in DECK if card == "red 5"][1:]
    model = rules.model(players=2)
    state = model.reset(new_generator(1))
    view = model.view(state)
    view["hands"][0] = packed(["blue 9", "blue 9"])
    view["hands"][1] = packed([*other, *rest])
    view["discards"] = packed(["red 5"])
    view["top"], view["colour"], view["player"] = KINDS.index("red 5"), 0, 0
    view["pile_size"] = 0
    assert sorted(all_cards(model, state)) == sorted(DECK)
    play(model, state, "draw")
    assert hand(view["hands"][0]) == ["blue 9", "blue 9"]
    assert model.movers(state) == (1,)


@pytest.mark.parametrize(
    ("scoring", "scores", "results"),
    [
        ("incremental", [0, -9, -70], ["won", "lost", "lost"]),
        ("classic", [79, 0, 0], ["won", "lost", "lost"]),
    ],
)
def test_the_points_of_a_round(scoring, scores, results):
    hands = [["red 3"], ["blue 9", "blue 0"], ["wild", "red skip"]]
    model, state = table(hands, "red 5", target=60, scoring=scoring)
    play(model, state, "red 3")
    assert model.is_over(state)
    assert model.scores(state).tolist() == scores
    assert [RESULT_NAMES[result] for result in model.results(state)] == results


def test_all_of_those_with_the_fewest_points_win():
    hands = [["red 3"], ["wild"], ["blue 0"]]
    model, state = table(hands, "red 5", target=50)
    play(model, state, "red 3")
    assert [RESULT_NAMES[r] for r in model.results(state)] == ["won", "lost", "won"]


def test_the_last_card_of_a_round_has_its_effect():
    hands = [["red draw two"], ["blue 1"]]
    model, state = table(hands, "red 5", pile=["wild", "wild"], target=101)
    play(model, state, "red draw two")
    assert model.scores(state).tolist() == [0, -101]


# -- text and options


def test_actions_are_written_and_read():
    model = rules.model()
    assert len(set(ACTION_NAMES)) == 61
    for action in range(61):
        text = format_action(model, action)
        assert text == action_name(action)
        assert parse_action(model, f"  {text.upper()} ") == action
    for text in ("", "red", "wild", "red 10", "purple 3", "wild draw four"):
        message = r"is not an action of uno; expected 'draw'"
        with pytest.raises(ValueError, match=message):
            parse_action(model, text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, r"players=1: uno is for 2 to 10 players"),
        ({"players": 11}, r"players=11: uno is for 2 to 10 players"),
        ({"target": 0}, r"target=0: expected 1 to 5000 points"),
        ({"target": True}, r"target=True: expected 1 to 5000 points"),
        ({"target": "many"}, r"target='many': expected 1 to 5000 points"),
        ({"scoring": "challenge"}, r"scoring='challenge': expected 'incremental' or"),
        ({"quirks": 1}, r"quirks=1: expected true or false"),
        ({"match_symbols": "no"}, r"match_symbols='no': expected true or false"),
    ],
)
def test_options_that_do_not_exist(options, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**options)
