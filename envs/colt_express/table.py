"""The table of a game of Colt Express, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.colt_express.cards import (
    BULLET,
    CARD_NAMES,
    CHARACTERS,
    KIND_NAMES,
    MOST_QUEUED,
    NO_KIND,
    PURSE_KIND,
    PURSE_VALUES,
    ROUND_CARDS,
    ROUNDS,
    TURN_KINDS,
    TURN_NUMBERS,
    VALUES,
)
from mcts_agents.envs.colt_express.knowledge import (
    CARD_AT,
    EXECUTING_AT,
    LOOT_AT,
    MARSHAL_AT,
    OWN_DECK_AT,
    OWN_HAND_AT,
    PURSES_AT,
    QUEUE_AT,
    QUEUED_AT,
    ROUND_AT,
    SEAT_BULLETS,
    SEAT_CAR,
    SEAT_CHARACTER,
    SEAT_COLUMNS,
    SEAT_DECK,
    SEAT_HAND,
    SEAT_HITS,
    SEAT_LOOT,
    SEAT_ON_TURN,
    SEAT_ROOF,
    SEATS_AT,
    SECOND_AT,
    TURN_AT,
)
from mcts_agents.envs.colt_express.notation import ACTION_NAMES
from mcts_agents.envs.colt_express.train import FACE_DOWN, NO_ACTION
from mcts_agents.model import RESULT_NAMES, ForwardModel

ROUND_TITLES = (
    *("Angry Marshal", "Braking", "Bridge", "Passenger Rebellion", "Swivel Arm"),
    *("Take It All", "Tunnel", "Marshal's Revenge", "Hostage", "Pickpocket"),
)
assert len(ROUND_TITLES) == len(ROUND_CARDS)
EVENTS = (
    "hits above the marshal; he goes left",
    "roofs: everybody one car right",
    "no event",
    "everybody inside is hit",
    "roofs: everybody to car 0",
    "a strongbox in the marshal's car",
    "no event",
    "above the marshal: a purse is lost",
    "at the locomotive: $250 each",
    "whoever is alone takes a purse",
)
TURN_NAMES = ("normal", "hidden", "double", "reverse")


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        character: Number of the character.
        car: Car of the bandit.
        is_on_roof: Whether the bandit is on its roof.
        bullets: Bullets left to shoot.
        hits: Bullets received.
        loot: How many purses, jewels and strongboxes.
        dollars: Their value; None if the viewer does not know it.
        hand: The cards by kind, ascending; None for each if the viewer cannot see them.
        deck: How many cards the deck has.
        last: The last action, as text; None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player is on turn.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    character: int
    car: int
    is_on_roof: bool
    bullets: int
    hits: int
    loot: tuple[int, ...]
    dollars: int | None
    hand: list[int | None]
    deck: int
    last: str | None
    status: str
    is_deciding: bool
    is_viewer: bool

    @property
    def name(self) -> str:
        """The character's name."""
        return CHARACTERS[self.character]


@dataclass(frozen=True)
class Train:
    """What belongs to nobody.

    Attributes:
        marshal: Car of the marshal.
        loot: Of each place, `2 * car + is_on_roof`, how many purses, jewels and
            strongboxes.
        queue: Seat and card of each card in the queue; None for a card face down.
        round: Number of the round, from 0.
        card: The round card.
        turn: Number of the turn, None when cards are executed.
        turns: The kinds of the round's turns.
        is_second: Whether it is the second action of a double turn.
    """

    marshal: int
    loot: list[tuple[int, ...]]
    queue: list[tuple[int, int | None]]
    round: int
    card: int
    turn: int | None
    turns: list[int]
    is_second: bool


def train(model: ForwardModel, state: np.ndarray, observer: int | None) -> Train:
    """Return the train and the queue.

    It is read from observations, so that nothing hidden can slip in. With observer None
    cards are shown that lie face down.
    """
    seen = model.observe(state, observer or 0).astype(int)
    places, is_crowded = range(2 * (model.players + 1)), int(model.players > 4)
    card, is_over = int(seen[CARD_AT]), model.is_over(state)
    number = int(TURN_NUMBERS[is_crowded, card])
    return Train(
        marshal=int(seen[MARSHAL_AT]),
        loot=[
            tuple(seen[LOOT_AT + NO_KIND * place :][:NO_KIND].tolist())
            for place in places
        ],
        queue=_queue(model, state, observer),
        round=int(seen[ROUND_AT]),
        card=card,
        turn=None if seen[EXECUTING_AT] or is_over else int(seen[TURN_AT]),
        turns=TURN_KINDS[is_crowded, card, :number].tolist(),
        is_second=bool(seen[SECOND_AT]),
    )


def _queue(
    model: ForwardModel, state: np.ndarray, observer: int | None
) -> list[tuple[int, int | None]]:
    """Return owners and cards of the queue, the next one to be executed first."""
    eyes = range(model.players) if observer is None else (observer,)
    found: list[tuple[int, int | None]] = []
    for player in eyes:
        seen = model.observe(state, player).astype(int)
        rows = seen[QUEUE_AT : QUEUE_AT + 2 * MOST_QUEUED].reshape(-1, 2)
        for place, (owner, card) in enumerate(rows[: seen[QUEUED_AT]].tolist()):
            seat = (player + owner - 1) % model.players
            if place == len(found):
                found.append((seat, None))
            if card:
                found[place] = seat, card - 1
    return found


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the round and what goes on."""
    if model.is_over(state):
        return f"game over after {ROUNDS} rounds"
    now = train(model, state, 0)
    words = f"round {now.round + 1} of {ROUNDS}, {ROUND_TITLES[now.card]}: "
    if now.turn is None:
        return words + "the cards are carried out"
    words += (
        f"turn {now.turn + 1} of {len(now.turns)}, {TURN_NAMES[now.turns[now.turn]]}"
    )
    return words + (", second action" if now.is_second else "")


def seats(model: ForwardModel, state: np.ndarray, observer: int | None) -> list[Seat]:
    """Return all places in seat order.

    Hands and purses are read from observations, so that nothing hidden can slip in.
    With observer None all are shown, and so they are when the game is over.
    """
    return [_seat(model, state, observer, player) for player in range(model.players)]


def _seat(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> Seat:
    # At the end everything is laid open.
    eyes = player if observer is None or model.is_over(state) else observer
    seen = model.observe(state, eyes).astype(int)
    row = seen[SEATS_AT + SEAT_COLUMNS * ((player - eyes) % model.players) :]
    hand: list[int | None] = [None] * int(row[SEAT_HAND])
    loot, dollars = row[SEAT_LOOT : SEAT_LOOT + NO_KIND].tolist(), None
    if player == eyes:
        counts = seen[OWN_HAND_AT:OWN_DECK_AT]
        hand = [card for card in range(BULLET + 1) for _ in range(counts[card])]
        numbers = [*seen[PURSES_AT : PURSES_AT + PURSE_VALUES], *loot[PURSE_KIND + 1 :]]
        dollars = int(np.dot(VALUES, numbers))
    elif loot[PURSE_KIND] == 0:
        dollars = int(np.dot(VALUES[PURSE_VALUES:], loot[PURSE_KIND + 1 :]))
    status = "on turn" if row[SEAT_ON_TURN] else "waits"
    if model.is_over(state):
        status = RESULT_NAMES[model.results(state)[player]]
    return Seat(
        player=player,
        character=int(row[SEAT_CHARACTER]),
        car=int(row[SEAT_CAR]),
        is_on_roof=bool(row[SEAT_ROOF]),
        bullets=int(row[SEAT_BULLETS]),
        hits=int(row[SEAT_HITS]),
        loot=tuple(loot),
        dollars=dollars,
        hand=hand,
        deck=int(row[SEAT_DECK]),
        last=_last(int(model.view(state)["last"][player])),
        status=status,
        is_deciding=bool(row[SEAT_ON_TURN]),
        is_viewer=player == observer,
    )


def _last(action: int) -> str | None:
    if action == NO_ACTION:
        return None
    return "play a card face down" if action == FACE_DOWN else ACTION_NAMES[action]


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands and cards.
    """
    now, bandits = train(model, state, observer), seats(model, state, observer)
    lines = [
        f"Colt Express  {headline(model, state)}",
        f"event: {EVENTS[now.card]}",
        "",
    ]
    for car in range(model.players + 1):
        lines += _car_lines(now, bandits, car)
    cards = [
        f"player_{seat} {'?' if card is None else CARD_NAMES[card]}"
        for seat, card in now.queue
    ]
    lines += ["", f"cards to come: {', '.join(cards) or '-'}"]
    for seat in bandits:
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _car_lines(now: Train, bandits: list[Seat], car: int) -> list[str]:
    """Return the roof and the inside of a car."""
    lines = []
    for level in (1, 0):
        there = [f"player_{b.player}" for b in bandits if at(b) == 2 * car + level]
        there += ["marshal"] if now.marshal == car and not level else []
        there += listed(now.loot[2 * car + level])
        name = car_name(car, len(bandits)) if level else ""
        words = ", ".join(there) or "-"
        lines.append(f"{name:<12}{('inside', 'roof')[level]:<8}{words}")
    return lines


def at(seat: Seat) -> int:
    """Return the place of a bandit."""
    return 2 * seat.car + seat.is_on_roof


def car_name(car: int, players: int) -> str:
    """Return what a car is called."""
    return "locomotive" if car == players else f"car {car}"


def listed(loot: tuple[int, ...]) -> list[str]:
    """Return loot in words, such as `2 purses` and `1 jewel`."""
    endings = ("s", "s", "es")
    return [
        f"{number} {KIND_NAMES[kind]}{endings[kind] if number > 1 else ''}"
        for kind, number in enumerate(loot)
        if number
    ]


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts and the hand of one player."""
    marker = ">" if seat.is_deciding else " "
    dollars = "$?" if seat.dollars is None else f"${seat.dollars}"
    facts = f"{marker} player_{seat.player}  {seat.name:<9} {dollars:>6}  "
    facts += f"bullets left {seat.bullets}, received {seat.hits}  {seat.status:<8}"
    if seat.last is not None:
        facts += f"  last: {seat.last}"
    counts: dict[str, int] = {}
    for card in seat.hand:
        name = "unknown" if card is None else CARD_NAMES[card]
        counts[name] = counts.get(name, 0) + 1
    hand = ", ".join(name + (f" x{n}" if n > 1 else "") for name, n in counts.items())
    loot = ", ".join(listed(seat.loot)) or "no loot"
    return [facts.rstrip(), f"    {hand or '-'}; deck {seat.deck}; {loot}"]
