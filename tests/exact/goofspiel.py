"""Goofspiel with four cards and the prizes 4, 3, 2, 1, solved by backward induction.

Both players hold the cards 1 to 4 and bid one at once for each prize; the higher card
takes it, equal cards discard it. Whoever took more wins +1 from the other, equal totals
are worth 0. Action a is the card a + 1. A history is a tuple of joint actions, each
(first player's action, second player's action); both players know it.
"""

from collections.abc import Callable, Mapping
from functools import cache

from tests.exact.matrix import matrix_equilibrium

PRIZES = (4, 3, 2, 1)
CARDS = range(len(PRIZES))

History = tuple[tuple[int, int], ...]
# The strategies of both players at one history; whoever is missing plays uniformly.
Strategies = Mapping[int, Mapping[int, float]]


def hand(history: History, player: int) -> list[int]:
    """Return the actions that `player` has left, ascending."""
    played = {joint[player] for joint in history}
    return [card for card in CARDS if card not in played]


def payoff(history: History) -> int:
    """Return what the first player gets at the end: 1, 0 or -1."""
    lead = 0
    for prize, (first, second) in zip(PRIZES, history, strict=True):
        lead += prize * ((first > second) - (first < second))
    return (lead > 0) - (lead < 0)


@cache
def solution(history: History = ()) -> tuple[dict[int, dict[int, float]], float]:
    """Return equilibrium strategies at `history` and its value to the first player."""
    if len(history) == len(PRIZES):
        return {}, float(payoff(history))
    hands = [hand(history, player) for player in range(2)]
    if len(hands[0]) == 1:  # the last cards: nothing to choose, and most of the nodes
        ((a,), (b,)) = hands
        return {0: {a: 1.0}, 1: {b: 1.0}}, solution((*history, (a, b)))[1]
    stage = [[solution((*history, (a, b)))[1] for b in hands[1]] for a in hands[0]]
    *strategies, value = matrix_equilibrium(stage)
    return {
        player: dict(zip(hands[player], strategies[player].tolist(), strict=True))
        for player in range(2)
    }, value


def equilibrium(history: History) -> Strategies:
    """Return equilibrium strategies at one history."""
    return solution(history)[0]


def uniform(history: History) -> Strategies:
    """Return uniformly random play, which is what a missing strategy stands for."""
    return {}


def nash_conv(strategy: Callable[[History], Strategies]) -> float:
    """Return the sum of what both players could gain by a best response, from 0.

    Args:
        strategy: The strategies at each history; a player whom it leaves out there
            plays uniformly.
    """
    return sum(best_response_value(strategy, player) for player in range(2))


def best_response_value(
    strategy: Callable[[History], Strategies], player: int, history: History = ()
) -> float:
    """Return what `player` gets by a best response to the other's strategy."""
    if len(history) == len(PRIZES):
        return payoff(history) * (1 - 2 * player)
    worth = dict.fromkeys(hand(history, player), 0.0)
    for theirs, probability in _complete(strategy, history, 1 - player).items():
        for mine in worth:
            joint = (theirs, mine) if player else (mine, theirs)
            worth[mine] += probability * best_response_value(
                strategy, player, (*history, joint)
            )
    return max(worth.values())


def _complete(strategy, history: History, player: int) -> Mapping[int, float]:
    """Return a player's strategy at `history`, uniform where there is none."""
    actions = hand(history, player)
    given = strategy(history).get(player)
    if given is None:
        return dict.fromkeys(actions, 1 / len(actions))
    assert set(given) <= set(actions), f"{history}: {given} with {actions} in hand"
    assert abs(sum(given.values()) - 1) < 1e-6, f"{history}: {given}"
    return given
