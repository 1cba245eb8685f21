"""Kuhn poker for two: every equilibrium, and the exact worth of any strategies.

Three cards 0 < 1 < 2, one each, one chip each in the pot. Players pass (p) or bet one
chip (b) in turn: pp and bb, pbb go to the higher card for 1 and 2 chips, a pass after a
bet loses 1 chip. A strategy is the probability to bet at each information set, the pair
(own card, history); one strategy covers both seats, which meet at histories of
different length. Numbers are fractions as long as strategies are.

Source: H. W. Kuhn, "A simplified two-person poker", 1950.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations, product

CARDS = (0, 1, 2)
DEALS = tuple(permutations(CARDS, 2))
# The histories at which each seat decides.
DECISIONS = (("", "pb"), ("p", "b"))
ENDS = ("pp", "pbp", "pbb", "bp", "bb")
INFORMATION_SETS = tuple(product(CARDS, (*DECISIONS[0], *DECISIONS[1])))

# What the first player wins in an equilibrium.
VALUE = Fraction(-1, 18)

Strategy = Mapping[tuple[int, str], Fraction | float]


def equilibrium(alpha: Fraction | float) -> dict[tuple[int, str], Fraction | float]:
    """Return the equilibrium in which the first player bets the lowest card `alpha`.

    Args:
        alpha: Probability from 0 to 1/3; the second player has one equilibrium only.
    """
    third = Fraction(1, 3)
    return {
        (0, ""): alpha,
        (1, ""): 0,
        (2, ""): 3 * alpha,
        (0, "pb"): 0,
        (1, "pb"): alpha + third,
        (2, "pb"): 1,
        (0, "p"): third,
        (1, "p"): 0,
        (2, "p"): 1,
        (0, "b"): 0,
        (1, "b"): third,
        (2, "b"): 1,
    }


def chips(cards: tuple[int, int], history: str) -> int:
    """Return what the first player wins at the end of a hand."""
    if history == "bp":
        return 1
    if history == "pbp":
        return -1
    stake = 1 if history == "pp" else 2
    return stake if cards[0] > cards[1] else -stake


def value(first: Strategy, second: Strategy) -> Fraction | float:
    """Return what the first seat wins a hand, over all deals."""
    return sum(_value(first, second, cards, "") for cards in DEALS) / Fraction(6)


def _value(first, second, cards, history):
    if history in ENDS:
        return chips(cards, history)
    seat = len(history) % 2
    bet = (first, second)[seat][cards[seat], history]
    return bet * _value(first, second, cards, history + "b") + (1 - bet) * _value(
        first, second, cards, history + "p"
    )


def both_seats(strategy: Strategy, opponent: Strategy) -> Fraction | float:
    """Return what `strategy` wins a hand from `opponent`, half of them in each seat."""
    return (value(strategy, opponent) - value(opponent, strategy)) / 2


def best_response_value(opponent: Strategy, seat: int) -> Fraction | float:
    """Return what the best of the 64 pure strategies of `seat` wins from `opponent`."""
    decisions = list(product(CARDS, DECISIONS[seat]))
    best = None
    for choice in product((0, 1), repeat=len(decisions)):
        pure = dict(zip(decisions, choice, strict=True))
        won = -value(opponent, pure) if seat else value(pure, opponent)
        best = won if best is None else max(best, won)
    return best


def nash_conv(strategy: Strategy) -> Fraction | float:
    """Return the sum of what best responses in both seats win from `strategy`."""
    return best_response_value(strategy, 0) + best_response_value(strategy, 1)
