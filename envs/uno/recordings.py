"""Replaying games of Uno that the TAG framework has recorded.

The deal of a new round is chance and is taken from the record, as is who begins it:
there TAG differs. Where the discards were shuffled within a round, the recorded cards
are laid into the pile beforehand, after our own shuffle was tried on a copy.
"""

from collections import Counter

import numpy as np

from mcts_agents.envs.tag_records import (
    Compared,
    Recorded,
    TagRecords,
    compared_choice,
    compared_end,
    compared_going_on,
    compared_opening,
    compared_states,
    recorded_steps,
    require,
)
from mcts_agents.envs.uno.cards import (
    CARD_OF,
    CARDS,
    COLOUR_OF,
    COLOURED,
    COPIES,
    DRAW,
    KINDS,
    NO_COLOUR,
    VALUES,
    WILD,
    bits_of,
)
from mcts_agents.envs.uno.rounds import HAND_SIZE
from mcts_agents.model import ForwardModel, new_generator

PLAY, OVER = "play", "over"
COLOUR_LETTERS = "RYGB"
VALUE_LETTERS = "0123456789SRD"
MOST_POINTS = 10_000
# A card is turned up in one of 100 tries or more often. That it never is differs.
TRIES = 2000
TAG_CARDS = (
    *(colour + value for colour in COLOUR_LETTERS for value in VALUE_LETTERS),
    "W",
    "W4",
)
# By the place of a bit in a hand's first word.
_TAG_CARD_AT = tuple(TAG_CARDS[card] for card in CARD_OF)
REVERSES = tuple(colour + "R" for colour in COLOUR_LETTERS)


def _tag_action(action: int) -> str:
    if action == DRAW:
        return "draw"
    name = TAG_CARDS[CARD_OF[action]]
    colour = COLOUR_LETTERS[COLOUR_OF[action]]
    return name if action < COLOURED else f"{name} {colour}"


TAG_ACTIONS = tuple(_tag_action(action) for action in range(DRAW + 1))


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it, the discards below the top one sorted."""
    view, seats = model.view(state), slice(model.players)
    pile = view["pile"][: view["pile_size"]][::-1].tolist()
    top, colour = TAG_CARDS[view["top"]], int(view["colour"])
    return {
        "player": int(view["player"]),
        "round": int(view["round"]),
        "direction": int(view["direction"]),
        "card": top,
        "colour": None if colour == NO_COLOUR else COLOUR_LETTERS[colour],
        "points": view["points"][seats].tolist(),
        "hands": [_names(hand) for hand in view["hands"][seats]],
        "pile": [TAG_CARDS[card] for card in pile],
        "discards": _top_first(top, _names(view["discards"])),
    }


def _names(hand: np.ndarray) -> list[str]:
    """Return the cards of two words, sorted."""
    cards = []
    for word in map(int, hand):
        while word:
            lowest = word & -word
            cards.append(_TAG_CARD_AT[lowest.bit_length() - 1])
            word ^= lowest
    return sorted(cards)


def _top_first(top: str, cards: list[str]) -> list[str]:
    """Return the discards with the top one first; sorted if it is none of them."""
    rest = sorted(cards)
    if top not in rest:
        return rest
    rest.remove(top)
    return [top, *rest]


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`."""
    top = recorded["discards"][0]
    return {**recorded, "discards": _top_first(top, recorded["discards"])}


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state of a round.

    Raises:
        ValueError: It is no state of this variant.
    """
    view, players = model.view(state), range(model.players)
    player, direction = int(recorded["player"]), int(recorded["direction"])
    hands = [_cards(hand) for hand in recorded["hands"]]
    pile, discards = _cards(recorded["pile"]), _cards(recorded["discards"])
    points = [int(number) for number in recorded["points"]]
    letter, round_ = recorded["colour"], int(recorded["round"])
    require(recorded["phase"] == PLAY, f"no phase {recorded['phase']!r}")
    require(len(hands) == len(points) == len(players), f"not of {len(players)} players")
    require(player in players and all(hands), "the player to move, or an empty hand")
    require(direction in (1, -1), "the direction")
    require(0 <= round_ < MOST_POINTS, "the round")
    require(all(0 <= number < MOST_POINTS for number in points), "the points")
    held = Counter(card for cards in (*hands, pile, discards) for card in cards)
    require(all(held[card] == COPIES[card] for card in range(KINDS)), "the cards")
    top = discards[0]
    require(TAG_CARDS[top] == recorded["card"], "the card on top")
    if top >= WILD:
        is_colour = letter is None or letter in tuple(COLOUR_LETTERS)
    else:
        is_colour = letter == COLOUR_LETTERS[top // VALUES]
    require(is_colour, "the colour")
    for seat in players:
        view["hands"][seat] = _packed(hands[seat])
    view["discards"] = _packed(discards)
    _lay_pile(view, pile)
    view["points"][players] = points
    view["player"], view["direction"], view["round"] = player, direction, round_
    view["top"] = top
    view["colour"] = NO_COLOUR if letter is None else COLOUR_LETTERS.index(letter)
    view["over"] = False


def _cards(names: list[str]) -> list[int]:
    require(len(names) <= CARDS, "too many cards")
    return [TAG_CARDS.index(name) for name in names]


def _lay_pile(view: np.ndarray, cards: list[int]) -> None:
    """Make a pile of cards, the next one first."""
    view["pile"][: len(cards)] = cards[::-1]
    view["pile_size"] = len(cards)


def _packed(cards: list[int]) -> tuple[int, int]:
    """Return cards as the two words of a hand."""
    first = second = 0
    for card, number in Counter(cards).items():
        if card < COLOURED:
            first |= bits_of(card)
            second |= bits_of(card) if number == 2 else 0
        else:  # as many of the lowest bits as there are cards
            bits = bits_of(card)
            first |= bits & bits >> (int(COPIES[card]) - number)
    return first, second


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    rng = new_generator(0)
    opening = _begun(model, game["start"])
    state = model.copy(opening)
    set_position(model, state, game["start"])
    found, expected = position(model, opening), _expected(game["start"])
    yield from compared_opening(model, _dealt(expected), _dealt(found), opening)
    yield from compared_states(
        0, _expected(game["start"]), position(model, state), state
    )
    for ply, step, before, after in recorded_steps(game):
        player = step["p"]
        yield ply, "the players to move", [player], list(model.movers(state)), state
        actions = model.legal_actions(state, player).tolist()
        ours = [TAG_ACTIONS[action] for action in actions]
        yield from compared_choice(ply, state, player, step["legal"], step["a"], ours)
        joint = {player: actions[ours.index(step["a"])]}
        is_over, is_new = after["phase"] == OVER, step.get("new_round", False)
        if step.get("shuffled") and not is_over and not is_new:
            yield from _compared_shuffle(model, ply, state, joint, after)
            _lay_recorded_pile(model, state, joint[player], before, after)
        model.apply(state, joint, rng)
        found = position(model, state)
        if is_over and model.is_over(state):
            # Nobody is on turn, and nothing is said of the pile.
            kept = ("round", "direction", "points", "hands", "card", "colour")
            found = {name: found[name] for name in kept}
            yield from compared_states(ply, _expected(after), found, state)
        elif is_over:
            break
        elif is_new:
            yield from _compared_deal(model, ply, after, found, state)
            set_position(model, state, after)
        else:
            yield from compared_states(ply, _expected(after), found, state)
    yield from compared_end(model, game, state)


def _begun(model: ForwardModel, start: Recorded) -> np.ndarray:
    """Return an opening that turns up the recorded card, if there is any."""
    for seed in range(TRIES):
        state = model.reset(new_generator(seed))
        if TAG_CARDS[model.view(state)["top"]] == start["card"]:
            break
    return state


def _dealt(deal: dict) -> dict:
    """Return what is no chance of a deal once a certain card is turned up."""
    return {
        **deal,
        "hands": [len(hand) for hand in deal["hands"]],
        "pile": len(deal["pile"]),
        "all cards": _all_cards(deal),
    }


def _compared_deal(
    model: ForwardModel, ply: int, after: Recorded, found: dict, state: np.ndarray
) -> Compared:
    """Compare what is no chance of a new round: points, direction, all cards."""
    yield from compared_going_on(ply, model, state)
    for name in ("round", "points"):
        yield ply, f"{name} after the step", after[name], found[name], state
    directions = [
        -view["direction"] if view["card"] in REVERSES else view["direction"]
        for view in (after, found)
    ]
    yield ply, "the direction before the deal", *directions, state
    dealt = []
    for view in (after, found):
        drawn = 2 if view["card"].endswith("D") else 0
        sizes = sorted(len(hand) for hand in view["hands"])
        sizes[-1] -= drawn
        dealt.append([*sizes, len(view["pile"]) + drawn, len(view["discards"])])
    yield ply, "the numbers of cards that were dealt", *dealt, state
    cards = [_all_cards(view) for view in (after, found)]
    yield ply, "all cards of the new deal", *cards, state
    # No wild is turned up: no colour has its letter.
    yield ply, "the colour of the first card", found["card"][0], found["colour"], state
    expected = [HAND_SIZE] * model.players
    yield ply, "the hands that were dealt", dealt[0][:-2], expected, state


def _compared_shuffle(
    model: ForwardModel, ply: int, state: np.ndarray, joint: dict, after: Recorded
) -> Compared:
    """Let the discards be shuffled on a copy, and compare the cards of the pile."""
    copy = model.copy(state)
    model.apply(copy, joint, new_generator(ply))
    found = position(model, copy)
    size = len(after["pile"])
    yield ply, "the size of the shuffled pile", size, len(found["pile"]), copy
    cards = [_all_cards(view) for view in (after, found)]
    yield ply, "all cards after the shuffle", *cards, copy


def _all_cards(view: Recorded) -> list[str]:
    """Return all cards of a position, sorted."""
    hands = [card for hand in view["hands"] for card in hand]
    return sorted([*hands, *view["pile"], *view["discards"]])


def _lay_recorded_pile(
    model: ForwardModel,
    state: np.ndarray,
    action: int,
    before: Recorded,
    after: Recorded,
) -> None:
    """Put the discards into the pile in the order in which they came in the record."""
    drawn = Counter()
    for old, new in zip(before["hands"], after["hands"], strict=True):
        drawn += Counter(new) - Counter(old)
    if action == DRAW and not drawn:  # the card was drawn and put on the discards
        drawn[after["card"]] += 1
    drawn -= Counter(before["pile"])
    cards = [*before["pile"], *drawn.elements(), *after["pile"]]
    view = model.view(state)
    _lay_pile(view, _cards(cards))
    # A card that is played now lies on top of none; else the one on top stays.
    view["discards"] = _packed(_cards([before["card"]] if action == DRAW else []))


RECORDS = TagRecords({"uno": {}}, compared, of_each_game=("target",))
