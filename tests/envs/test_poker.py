"""The rules of Poker against a twin in plain Python, invariants, and single cases."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from mcts_agents.envs.poker.cards import rank_of
from mcts_agents.envs.poker.notation import (
    ACTION_NAMES,
    CARD_NAMES,
    format_action,
    parse_action,
)
from mcts_agents.envs.poker.rules import rules
from mcts_agents.model import RESULT_NAMES, draw_below, new_generator
from tests.envs.poker_positions import all_cards, board, deck, living, play_some
from tests.envs.poker_twin import Twin, best_rank


def word_of(cards):
    return np.uint64(sum(1 << card % 4 * 16 + card // 4 for card in cards))


def cards_of(text):
    return [CARD_NAMES.index(name) for name in text.split()]


def test_ranks_order_hands_as_an_enumeration_does():
    dice = np.random.default_rng(3)
    hands = [dice.permutation(52)[:7].tolist() for _ in range(1500)]
    # Straight flushes and fours are rare: hands of few ranks, or of one suit.
    hands += [dice.permutation(16)[:7].tolist() for _ in range(500)]
    hands += [(4 * dice.permutation(13)[:7]).tolist() for _ in range(500)]
    ours = [int(rank_of(word_of(hand))) for hand in hands]
    plain = [best_rank(hand) for hand in hands]
    assert {rank >> 26 for rank in ours} == set(range(9))
    assert [rank >> 26 for rank in ours] == [rank[0] for rank in plain]
    orders = [
        {rank: n for n, rank in enumerate(sorted(set(ranks)))}
        for ranks in (ours, plain)
    ]
    for one, other in zip(ours, plain, strict=True):
        assert orders[0][one] == orders[1][other]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Ah Kh Qh Jh Th 2c 3d", "Kh Qh Jh Th 9h Ac Ad"),
        ("Ah 2h 3h 4h 5h Kc Kd", "Kc Kd Kh Ks Ac Ad 2s"),
        ("6c 5d 4s 3h 2c Kd Kh", "Ac 5d 4s 3h 2c Kd Kh"),
        ("Kc Kd Kh Qs Qc 2d 3h", "Kc Kd Kh Js Jc Ad Qh"),
        ("Kc Kd Qh Qs Ac 2d 3h", "Kc Kd Qh Qs Jc Jd 3h"),
        ("Ac Kc 9c 7c 3c 2d 2h", "Ac Kc 9c 7c 2c As Ad"),
    ],
)
def test_which_hand_is_better(better, worse):
    ranks = [int(rank_of(word_of(cards_of(text)))) for text in (better, worse)]
    assert ranks[0] > ranks[1]


@pytest.mark.parametrize("odd_chips", ["first", "lost"])
@pytest.mark.parametrize("players", [2, 3, 5, 6, 14])
def test_whole_games_agree_with_the_twin(players, odd_chips):
    model = rules.model(players=players, odd_chips=odd_chips)
    streets = Counter()
    for seed in range(8):
        rng = new_generator(seed)
        state = model.reset(rng)
        view = model.view(state)

        def dealt(view=view):
            return view["hands"][:players].tolist(), [*board(view), *deck(view)][:5]

        twin = Twin(players, dealt, loses_odd_chips=odd_chips == "lost")
        while twin.player is not None:
            streets[twin.street] += 1
            assert model.movers(state) == (twin.player,)
            assert view["street"] == twin.street
            assert view["stacks"][:players].tolist() == twin.stacks
            assert view["bets"][:players].tolist() == twin.bets
            legal = model.legal_actions(state, twin.player).tolist()
            assert {ACTION_NAMES[action] for action in legal} == twin.legal()
            choice = legal[draw_below(rng, len(legal))]
            if choice in (0, 8):  # or hands would be short
                choice = legal[draw_below(rng, len(legal))]
            model.apply(state, {twin.player: choice}, rng)
            twin.apply(ACTION_NAMES[choice])
        assert model.is_over(state)
        assert model.scores(state).tolist() == twin.stacks
        assert [RESULT_NAMES[r] for r in model.results(state)] == twin.results()
        assert model.round(state) == twin.ended
        outs = int(view["out"])
        assert [bool(outs >> seat & 1) for seat in range(players)] == twin.out
    assert set(streets) == {0, 1, 2, 3}


def test_random_games_keep_all_cards_and_chips():
    for seed in range(300):
        players = 2 + seed % 13
        model, state = play_some(players, seed, 0)
        rng = new_generator(seed)
        while not model.is_over(state):
            model.playout(state, rng, 1)
            view = model.view(state)
            assert view["stacks"].sum() + view["bets"].sum() == 50 * players
            assert view["stacks"].min() >= 0
            assert sorted(all_cards(model, state)) == list(range(52))
        assert 1 <= model.round(state) <= 11


def test_a_playout_is_random_play():
    model, state = play_some(5, 3, 3)
    (player,) = model.movers(state)
    rng, played = new_generator(5), Counter()
    for _ in range(900):
        address = state.ctypes.data, player, rng.ctypes.data
        played[model.call("random_action", *address)] += 1
    assert sorted(played) == model.legal_actions(state, player).tolist()
    assert stats.chisquare(list(played.values())).pvalue > 1e-4
    before = model.turn(state)
    assert model.playout(state, rng, 10**6) == model.turn(state) - before
    assert model.is_over(state)


def test_every_card_is_dealt_as_often_as_it_should_be():
    model, rng, own, boards = rules.model(players=3), new_generator(8), [], []
    for _ in range(3000):
        view = model.view(model.reset(rng))
        own += view["hands"][2].tolist()
        boards += deck(view)[:5]
    for cards in (own, boards):
        assert stats.chisquare(np.bincount(cards, minlength=52)).pvalue > 1e-4


# -- single cases


def test_blinds_of_players_who_have_less():
    model, state = play_some(3, 1, 0)
    view = model.view(state)
    view["stacks"][:3], view["bets"][:3] = (70, 4, 61), (5, 10, 0)
    for text in ("fold", "fold"):
        (player,) = model.movers(state)
        model.apply(state, {player: parse_action(model, text)}, new_generator(0))
    # Player 1 has won 15 and is the small blind; the big blind has 61.
    assert view["won"][:3].tolist() == [0, 0, 15]
    assert view["stacks"][:3].tolist() == [70, 0, 66]
    assert view["bets"][:3].tolist() == [0, 4, 10]
    assert model.movers(state) == (2,)  # nobody asks player 1


def test_odd_chips_go_to_the_first_winner_after_the_small_blind():
    for odd_chips, paid in (("first", [13, 12]), ("lost", [12, 12])):
        model = rules.model(players=3, odd_chips=odd_chips)
        state = model.reset(new_generator(2))
        view = model.view(state)
        view["street"], view["small_blind"], view["hand"] = 3, 2, 10
        view["community"] = cards_of("Ah Kh Qh Jh Th")
        view["hands"][:3] = [cards_of(text) for text in ("2c 3d", "2d 3c", "2h 3h")]
        view["bets"][:3], view["highest"] = (10, 10, 5), 10
        view["stacks"][:3] = 40, 40, 45
        view["folded"], view["needs_call"], view["acted"] = 1 << 2, 0, 1
        view["player"] = 1
        model.apply(state, {1: parse_action(model, "check")}, new_generator(0))
        assert model.is_over(state)
        assert view["won"][:2].tolist() == paid


def test_a_player_without_chips_is_out():
    model, state = play_some(4, 9, 10**6)
    for seat, stack in enumerate(model.scores(state)):
        assert model.is_out(state, seat) == (stack == 0)
    assert len(living(model, model.view(state))) >= 2


def test_actions_are_written_and_read():
    model = rules.model()
    for action in range(9):
        text = format_action(model, action)
        assert parse_action(model, f"  {text.upper()} ") == action
    for text in ("", "raise", "raise x5", "pass"):
        message = r"is not an action of poker; expected one of"
        with pytest.raises(ValueError, match=message):
            parse_action(model, text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, r"players=1: poker is for 2 to 14 players"),
        ({"players": 15}, r"players=15: poker is for 2 to 14 players"),
        ({"hands": 0}, r"hands=0: expected 1 to 100 hands"),
        ({"hands": True}, r"hands=True: expected 1 to 100 hands"),
        ({"odd_chips": "last"}, r"odd_chips='last': expected 'first' or 'lost'"),
    ],
)
def test_options_that_do_not_exist(options, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**options)
