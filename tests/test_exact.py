"""The exact tools: against published values, hand calculations, and each other."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.exact import dots_and_boxes, goofspiel, kuhn, positions, tictactoe
from tests.exact.matrix import (
    BIASED_EQUILIBRIUM,
    BIASED_ROCK_PAPER_SCISSORS,
    MATCHING_PENNIES,
    ROCK_PAPER_SCISSORS,
    exploitability,
    matrix_equilibrium,
)
from tests.exact.trees import strategy_of_tree

THIRD = Fraction(1, 3)

# -- matrix games


@pytest.mark.parametrize(
    ("payoffs", "expected"),
    [
        (ROCK_PAPER_SCISSORS, (1 / 3, 1 / 3, 1 / 3)),
        (BIASED_ROCK_PAPER_SCISSORS, BIASED_EQUILIBRIUM),
        (MATCHING_PENNIES, (1 / 2, 1 / 2)),
    ],
)
def test_equilibria_calculated_by_hand(payoffs, expected):
    first, second, value = matrix_equilibrium(payoffs)
    np.testing.assert_allclose(first, expected, atol=1e-9)
    np.testing.assert_allclose(second, expected, atol=1e-9)
    assert value == pytest.approx(0, abs=1e-9)
    assert exploitability(payoffs, expected, expected) == pytest.approx(0, abs=1e-12)


def test_equilibrium_of_a_game_that_is_not_symmetric():
    # The first player mixes so that both columns are worth 1/5: (2/5, 3/5).
    first, second, value = matrix_equilibrium([[2, -1], [-1, 1]])
    np.testing.assert_allclose(first, [2 / 5, 3 / 5], atol=1e-9)
    np.testing.assert_allclose(second, [2 / 5, 3 / 5], atol=1e-9)
    assert value == pytest.approx(1 / 5)
    # A saddle point, and a different number of actions.
    first, second, value = matrix_equilibrium([[3, 5, 4], [1, 9, 0]])
    assert (first.argmax(), second.argmax(), value) == (0, 0, pytest.approx(3))


def test_exploitability_of_plain_strategies():
    rock = (1, 0, 0)
    assert exploitability(ROCK_PAPER_SCISSORS, rock, rock) == 1
    # Uniform play of the biased game gives rock 1/3, and the same to the other side.
    uniform = (1 / 3,) * 3
    found = exploitability(BIASED_ROCK_PAPER_SCISSORS, uniform, uniform)
    assert found == pytest.approx(1 / 3)


@given(
    st.integers(1, 4).flatmap(
        lambda columns: st.lists(
            st.lists(st.integers(-9, 9), min_size=columns, max_size=columns),
            min_size=1,
            max_size=4,
        )
    )
)
def test_equilibria_cannot_be_exploited(payoffs):
    first, second, value = matrix_equilibrium(payoffs)
    assert exploitability(payoffs, first, second) == pytest.approx(0, abs=1e-6)
    assert first @ np.array(payoffs) @ second == pytest.approx(value, abs=1e-6)


# -- Goofspiel


def test_goofspiel_is_fair_and_its_equilibrium_cannot_be_exploited():
    strategies, value = goofspiel.solution()
    assert value == pytest.approx(0, abs=1e-9)
    assert goofspiel.nash_conv(goofspiel.equilibrium) < 1e-9
    # The highest card for the highest prize takes it from every other card.
    for player in range(2):
        assert strategies[player][3] == pytest.approx(1, abs=1e-6)


def test_goofspiel_has_to_be_mixed_after_a_sacrifice():
    # The cards 2, 3, 4 against 1, 2, 3, four points behind, for the prizes 3, 2, 1.
    strategies, value = goofspiel.solution(((0, 3),))
    assert value == pytest.approx(-3 / 19)
    for player in range(2):
        weights = sorted(19 * p for p in strategies[player].values())
        assert weights == pytest.approx([5, 6, 8])
    # The same with the seats exchanged.
    assert goofspiel.solution(((3, 0),))[1] == pytest.approx(3 / 19)


def test_nash_conv_of_uniform_goofspiel():
    # OpenSpiel 1.6 says 1.5 for goofspiel(num_cards=4, points_order=descending,
    # returns_type=win_loss, imp_info=False) as a turn-based game.
    assert goofspiel.nash_conv(goofspiel.uniform) == pytest.approx(1.5)


@pytest.mark.parametrize("choose", [min, max])
def test_best_response_of_goofspiel_against_a_pure_strategy(choose):
    """Known bids are beaten for sure: the highest, 4 3 2 1, by 1 4 3 2 with 6 to 4."""

    def strategy(history):
        hands = [goofspiel.hand(history, player) for player in range(2)]
        return {player: {choose(hands[player]): 1.0} for player in range(2)}

    assert goofspiel.payoff(((0, 3), (3, 2), (2, 1), (1, 0))) == 1
    for player in range(2):
        assert goofspiel.best_response_value(strategy, player) == 1
    assert goofspiel.nash_conv(strategy) == 2


def test_a_strategy_that_names_a_card_not_in_hand_is_refused():
    with pytest.raises(AssertionError, match="in hand"):
        goofspiel.nash_conv(lambda history: {0: {0: 1.0}, 1: {0: 1.0}})


# -- trees


def exported(player, actions):
    """A bandit as a search exports it, from (action, visits, strategy) triples."""
    return {
        "player": player,
        "visits": sum(visits for _, visits, _ in actions),
        "actions": [
            {"action": a, "visits": n, "available": n, "value": 0.0, "strategy": s}
            for a, n, s in actions
        ],
    }


TREE = {
    "movers": [0, 1],
    "visits": 10,
    "bandits": [
        exported(0, [(3, 8, 0.9), (0, 2, 0.1)]),
        exported(1, [(2, 5, None), (1, 5, None)]),
    ],
    "children": [
        {
            "actions": {1: 2, 0: 3},
            "node": {
                "movers": [0, 1],
                "visits": 0,
                "bandits": [exported(0, [(1, 0, None)]), exported(1, [])],
                "children": [],
            },
        }
    ],
}


def test_strategies_of_a_tree():
    strategy = strategy_of_tree(TREE)
    assert strategy(()) == {0: {3: 0.9, 0: 0.1}, 1: {2: 0.5, 1: 0.5}}
    assert strategy(((3, 2),)) == {}, "a node that was never visited"
    assert strategy(((2, 3),)) == {}, "no such node"
    visits = strategy_of_tree(TREE, visits=True)
    assert visits(()) == {0: {3: 0.8, 0: 0.2}, 1: {2: 0.5, 1: 0.5}}
    assert goofspiel.nash_conv(strategy) > 0


# -- Kuhn poker


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 6), Fraction(1, 4), THIRD])
def test_every_equilibrium_of_kuhn_poker(alpha):
    equilibrium = kuhn.equilibrium(alpha)
    assert set(equilibrium) == set(kuhn.INFORMATION_SETS)
    assert kuhn.value(equilibrium, equilibrium) == kuhn.VALUE == Fraction(-1, 18)
    assert kuhn.best_response_value(equilibrium, 0) == kuhn.VALUE
    assert kuhn.best_response_value(equilibrium, 1) == -kuhn.VALUE
    assert kuhn.nash_conv(equilibrium) == 0
    assert kuhn.both_seats(equilibrium, kuhn.equilibrium(THIRD)) == 0


def test_kuhn_strategies_beyond_the_family_can_be_exploited():
    assert kuhn.nash_conv(kuhn.equilibrium(Fraction(2, 5))) > 0
    bluffs = {**kuhn.equilibrium(Fraction(1, 6)), (0, "p"): Fraction(1, 2)}
    assert kuhn.nash_conv(bluffs) > 0


def test_kuhn_uniform_play():
    uniform = dict.fromkeys(kuhn.INFORMATION_SETS, Fraction(1, 2))
    # OpenSpiel 1.6 says 0.9166666666666666.
    assert kuhn.nash_conv(uniform) == Fraction(11, 12)
    # Showdowns cancel; bp comes in 1/4 of the hands and wins 1, pbp in 1/8 and loses 1.
    assert kuhn.value(uniform, uniform) == Fraction(1, 4) - Fraction(1, 8)
    assert kuhn.both_seats(uniform, kuhn.equilibrium(Fraction(1, 6))) < 0


def test_kuhn_a_deal_by_hand():
    always_bet = dict.fromkeys(kuhn.INFORMATION_SETS, 1)
    always_pass = dict.fromkeys(kuhn.INFORMATION_SETS, 0)
    assert kuhn.value(always_bet, always_pass) == 1
    assert kuhn.value(always_pass, always_bet) == -1
    assert kuhn.value(always_bet, always_bet) == 0
    assert kuhn.both_seats(always_bet, always_pass) == 1


# -- Tic-Tac-Toe, Dots and Boxes


def test_tictactoe_values():
    assert tictactoe.value("." * 9) == 0
    assert set(tictactoe.move_values("." * 9).values()) == {0}
    assert tictactoe.value("XX.OO....") == 1
    assert tictactoe.value("XXXOO....") == -1
    assert tictactoe.value("XOXXOXOXO") == 0


def test_tictactoe_has_as_many_games_as_known():
    """255168 games: 131184 won by X, 77904 by O, 46080 drawn (any textbook)."""

    def count(board, ways):
        if tictactoe.winner(board) or "." not in board:
            ends[tictactoe.winner(board)] += ways
            return {}
        return {tictactoe.after(board, c): ways for c in range(9) if board[c] == "."}

    ends: Counter = Counter()
    boards = {"." * 9: 1}
    while boards:
        following: Counter = Counter()
        for board, ways in boards.items():
            for after, more in count(board, ways).items():
                following[after] += more
        boards = following
    assert ends == {"X": 131184, "O": 77904, None: 46080}


def test_dots_and_boxes_values():
    nothing = frozenset()
    # The first player wins by 3 boxes to 1; OpenSpiel 1.6 (minimax) says the same.
    assert dots_and_boxes.lead(nothing) == 2
    # A box with one open edge gives a box and another move, here to the end.
    all_but_one = frozenset(range(12)) - {3}
    assert dots_and_boxes.completed(all_but_one, 3) == 2
    assert dots_and_boxes.move_leads(all_but_one) == {3: 2}
    # Edges of the top left box: h(0, 0), h(1, 0), v(0, 0), v(0, 1).
    assert dots_and_boxes.BOXES[0] == {0, 2, 6, 7}
    assert dots_and_boxes.BOXES[3] == {3, 5, 10, 11}


def test_dots_and_boxes_positions():
    drawn, player, boxes = dots_and_boxes.position((0, 2, 6, 7, 1))
    assert (len(drawn), player, boxes) == (5, 0, [0, 1])
    assert sum(edge in box for box in dots_and_boxes.BOXES for edge in range(12)) == 16


# -- listed positions


@pytest.mark.parametrize(
    "position", positions.TICTACTOE + positions.DEEP_TICTACTOE, ids=str
)
def test_listed_tictactoe_positions(position):
    board = tictactoe.position(position.moves)
    assert tictactoe.winner(board) is None
    values = tictactoe.move_values(board)
    assert len(values) >= 4
    assert positions.only_best(values) == position.best
    me = tictactoe.mover(board)
    them = "XO"[me == "X"]
    wins, threats = (
        any(
            tictactoe.winner(board[:cell] + mark + board[cell + 1 :]) for cell in values
        )
        for mark in (me, them)
    )
    kind = (values[position.best], wins, threats)
    assert position.kind.startswith(
        {
            (1, True, True): "win at once",
            (1, True, False): "win at once",
            (1, False, True): "block that wins",
            (1, False, False): "win in two",
            (0, False, True): "block that draws",
            (0, False, False): "no threat yet",
        }[kind]
    )
    if position.kind.endswith("all else loses"):
        assert sorted(values.values())[-2] == -1


@pytest.mark.parametrize(
    "position",
    positions.DOTS_AND_BOXES + positions.DEEP_DOTS_AND_BOXES,
    ids=str,
)
def test_listed_dots_and_boxes_positions(position):
    leads = dots_and_boxes.final_leads(position.moves)
    assert positions.only_best(leads) == position.best
    best, second = sorted(leads.values())[:-3:-1]
    only_win = best > 0 >= second
    assert position.kind.startswith("the only win") == only_win
    assert position.kind.startswith("the only draw") == (best == 0)
    assert position.kind.startswith("loses by least") == (best < 0)
    drawn, player, boxes = dots_and_boxes.position(position.moves)
    gained = dots_and_boxes.completed(drawn, position.best)
    assert ("takes a box" in position.kind) == (only_win and gained == 1)
    assert ("takes two boxes" in position.kind) == (only_win and gained == 2)
    assert ("a box behind" in position.kind) == (boxes[player] < boxes[1 - player])


def test_positions_with_one_best_move_are_found():
    for position in positions.TICTACTOE:
        assert position.best in {
            best
            for moves, best in positions.found_in_tictactoe()
            if tictactoe.position(moves) == tictactoe.position(position.moves)
        }
    edges = {frozenset(m): best for m, best in positions.found_in_dots_and_boxes()}
    for position in positions.DOTS_AND_BOXES + positions.DEEP_DOTS_AND_BOXES:
        assert edges[frozenset(position.moves)] == position.best
