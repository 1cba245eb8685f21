"""The table of a game of Poker, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.poker.cards import rank_of
from mcts_agents.envs.poker.hands import NO_ACTION, ON_BOARD
from mcts_agents.envs.poker.notation import ACTION_NAMES, CARD_NAMES
from mcts_agents.model import RESULT_NAMES, ForwardModel

STREET_NAMES = ("before the flop", "flop", "turn", "river")
KIND_NAMES = (
    *("high card", "pair", "two pairs", "three of a kind", "straight", "flush"),
    *("full house", "four of a kind", "straight flush"),
)


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        stack: Chips that are not in the pot.
        bet: Chips put into the pot in this hand.
        won: Chips won with the hand before.
        hand: The two cards; None for each that the viewer cannot see; none if out.
        is_in: Whether the player can still win this hand.
        is_small_blind: Whether the player posted the small blind.
        last: The last action in this hand, as text; None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player is on turn.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    stack: int
    bet: int
    won: int
    hand: list[int | None]
    is_in: bool
    is_small_blind: bool
    last: str | None
    status: str
    is_deciding: bool
    is_viewer: bool


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the number of the hand and its street."""
    view, deals = model.view(state), int(model.game["deals"][0])
    number = int(view["hand"])
    if model.is_over(state):
        return f"game over after {number} {'hand' if number == 1 else 'hands'}"
    return f"hand {number + 1} of {deals}, {STREET_NAMES[view['street']]}"


def board(model: ForwardModel, state: np.ndarray) -> list[int]:
    """Return the cards on the board; all can see them."""
    view = model.view(state)
    return view["community"][: ON_BOARD[view["street"]]].tolist()


def pot(model: ForwardModel, state: np.ndarray) -> int:
    """Return the chips of all bets of this hand."""
    return int(model.view(state)["bets"].sum())


def made(hand: list[int | None], cards: list[int]) -> str | None:
    """Return what a hand makes with the board, such as `"two pairs"`.

    None before the flop, or if the hand cannot be seen.
    """
    if len(cards) < 3 or not hand or None in hand:
        return None
    word = sum(1 << card % 4 * 16 + card // 4 for card in (*hand, *cards))
    return KIND_NAMES[int(rank_of(np.uint64(word))) >> 26]


def seats(model: ForwardModel, state: np.ndarray, observer: int | None) -> list[Seat]:
    """Return all places in seat order.

    With observer None all hands are shown, as to everybody at the end of the game.
    """
    return [_seat(model, state, observer, player) for player in range(model.players)]


def _seat(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> Seat:
    view, is_deciding = model.view(state), player in model.movers(state)
    is_out = bool(int(view["out"]) >> player & 1)
    is_folded = bool(int(view["folded"]) >> player & 1)
    hand: list[int | None] = [] if is_out else [None, None]
    if observer in (None, player) or view["over"]:
        hand = sorted(view["hands"][player].tolist(), reverse=True)
    if hand and hand[0] == hand[1] and hand[0] is not None:
        hand = []  # nothing was dealt to a player who was out
    stack, last = int(view["stacks"][player]), int(view["last"][player])
    if model.is_over(state):
        status = RESULT_NAMES[model.results(state)[player]]
    elif is_out or is_folded:
        status = "out" if is_out else "folded"
    elif is_deciding:
        status = "on turn"
    else:
        status = "waits" if stack else "all-in"
    return Seat(
        player=player,
        stack=stack,
        bet=int(view["bets"][player]),
        won=int(view["won"][player]),
        hand=hand,
        is_in=not is_out and not is_folded,
        is_small_blind=int(view["small_blind"]) == player,
        last=None if last == NO_ACTION else ACTION_NAMES[last],
        status=status,
        is_deciding=is_deciding,
        is_viewer=player == observer,
    )


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands.
    """
    cards = board(model, state)
    shown = " ".join(CARD_NAMES[card] for card in cards) or "-"
    lines = [
        f"Poker  {headline(model, state)}",
        f"board: {shown}   pot: {pot(model, state)}",
        "",
        *(_line(seat, cards) for seat in seats(model, state, observer)),
    ]
    return "\n".join(lines)


def _line(seat: Seat, cards: list[int]) -> str:
    """Return a line of facts of one player."""
    marker = ">" if seat.is_deciding else " "
    blind = "small blind" if seat.is_small_blind else ""
    hand = " ".join("??" if card is None else CARD_NAMES[card] for card in seat.hand)
    facts = f"{marker} player_{seat.player:<2}  {hand or '-':<5}  "
    facts += f"{seat.stack:>4} chips  bet {seat.bet:>3}  {seat.status:<8}  {blind:<11}"
    if seat.last is not None:
        facts += f"  last: {seat.last}"
    kind = made(seat.hand, cards)
    return (facts.rstrip() + (f"  ({kind})" if kind else "")).rstrip()
