"""Replaying games of Virus! that the TAG framework has recorded.

The order after a shuffle is chance and is taken from the record; which cards have been
shuffled is compared. TAG draws a game one turn after round 100, here it ends at once.
The two medicines of an immunised organ are compared without order.
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
    compared_results,
    compared_states,
    recorded_steps,
    require,
)
from mcts_agents.envs.virus.cards import (
    ACTIONS,
    CARD_OF,
    CARDS,
    COLOURS,
    COUNTS,
    DISCARD,
    DRAW_HAND,
    GLOVE,
    HAND,
    IMMUNISED,
    INFECTED,
    MEDICINE,
    NEUTRAL,
    NO_CARD,
    NONE,
    OTHER_OF,
    OWN_OF,
    SLOT_OF,
    SPREADING,
    THIEF,
    VACCINATED,
    VIRUS,
)
from mcts_agents.envs.virus.notation import CARD_NAMES, COLOUR_NAMES
from mcts_agents.envs.virus.turns import DRAWN_GAME, MOST_ROUNDS, NO_ACTION, NOBODY
from mcts_agents.model import ForwardModel, new_generator

PLAY, OVER = "play", "over"


def _organ_names() -> tuple[tuple[str, ...], ...]:
    """Return what lies in a slot, in TAG's words, by the number in a body."""
    one, virus = (CARD_NAMES[kind : kind + COLOURS] for kind in (MEDICINE, VIRUS))
    return (
        ("neutral",),
        *(("infected", name) for name in virus),
        *(("vaccinated", name) for name in one),
        *(("immunised", *sorted(pair)) for pair in ((a, b) for a in one for b in one)),
    )


# By the number less NEUTRAL.
ORGAN_NAMES = _organ_names()
assert ORGAN_NAMES[INFECTED - NEUTRAL][0] == "infected"
assert ORGAN_NAMES[VACCINATED - NEUTRAL][0] == "vaccinated"
assert ORGAN_NAMES[IMMUNISED - NEUTRAL][0] == "immunised"


def tag_name(players: int, player: int, hand: list[str], action: int) -> str:
    """Return an action in TAG's words.

    Args:
        players: How many play.
        player: The player on turn.
        hand: His cards by name, sorted as the rules sort them.
        action: The action, from 0 to 447.
    """
    require(0 <= action < ACTIONS, f"action {action}, not from 0 to {ACTIONS - 1}")
    if action == DRAW_HAND:
        return "draw hand"
    if action > DISCARD:
        mask = action - DISCARD
        cards = [card for place, card in enumerate(hand) if mask >> place & 1]
        return "discard " + ", ".join(sorted(cards))
    card = int(CARD_OF[action])
    name, slot = CARD_NAMES[card], COLOUR_NAMES[SLOT_OF[action]]
    seat = (player + 1 + int(OTHER_OF[action])) % players
    if card < MEDICINE:
        return name
    if card < VIRUS:
        return f"{name} on {slot}"
    if card < THIEF:
        return f"{name} on {seat} {slot}"
    if card == THIEF:
        return f"{name} {seat} {slot}"
    if card >= GLOVE:
        return f"{name} {seat}"
    link = "to" if card == SPREADING else "for"
    return f"{name} {COLOUR_NAMES[OWN_OF[action]]} {link} {seat} {slot}"


def _hand(cards: np.ndarray) -> list[str]:
    """Return a hand's cards by name, in the order of the rules."""
    return [CARD_NAMES[card] for card in cards.tolist() if card != NO_CARD]


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it, hands and discards sorted."""
    view, seats = model.view(state), range(model.players)
    is_over = model.is_over(state)
    discards = dict(zip(CARD_NAMES, view["discards"].tolist(), strict=True))
    return {
        "phase": OVER if is_over else PLAY,
        "player": int(view["player"]),
        "round": int(view["turn"]) // model.players,
        "hands": [sorted(_hand(view["hands"][seat])) for seat in seats],
        "bodies": [
            {
                colour: list(ORGAN_NAMES[held - NEUTRAL])
                for colour, held in zip(
                    COLOUR_NAMES, view["bodies"][seat].tolist(), strict=True
                )
                if held != NONE
            }
            for seat in seats
        ],
        "pile": [CARD_NAMES[card] for card in view["pile"][: view["pile_left"]][::-1]],
        "discards": sorted(Counter(discards).elements()),
    }


def _organ(held: list[str]) -> tuple[str, ...]:
    """Return an organ's state and cards, the cards sorted."""
    return (held[0], *sorted(held[1:]))


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`.

    What is no organ stays as it is, and will differ.
    """
    expected = dict(recorded)
    expected["hands"] = [sorted(hand) for hand in recorded["hands"]]
    expected["discards"] = sorted(recorded["discards"])
    expected["bodies"] = [
        {
            organ: list(_organ(held)) if isinstance(held, list) else held
            for organ, held in body.items()
        }
        for body in recorded["bodies"]
    ]
    return expected


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state.

    Raises:
        ValueError: It is no state of this variant that is not over.
    """
    view, seats = model.view(state), range(model.players)
    require(recorded["phase"] == PLAY, f"phase {recorded['phase']!r}")
    for name in ("hands", "bodies"):
        require(
            len(recorded[name]) == len(seats), f"{name} not of {len(seats)} players"
        )
    require(recorded["player"] in seats, f"player {recorded['player']}")
    require(0 <= recorded["round"] <= MOST_ROUNDS, f"round {recorded['round']}")
    cards = Counter(recorded["pile"]) + Counter(recorded["discards"])
    for hand in recorded["hands"]:
        require(len(hand) <= HAND, f"a hand of {len(hand)} cards")
        cards.update(hand)
    for body in recorded["bodies"]:
        for organ, held in body.items():
            require(organ in COLOUR_NAMES, f"the organ {organ!r}")
            require(_organ(held) in ORGAN_NAMES, f"the state {held} of an organ")
            cards.update([f"organ {organ}", *held[1:]])
    require(cards == dict(zip(CARD_NAMES, COUNTS.tolist(), strict=True)), "the cards")
    view["hands"][:], view["bodies"][:], view["pile"][:] = NO_CARD, NONE, 0
    for seat in seats:
        hand = sorted(CARD_NAMES.index(card) for card in recorded["hands"][seat])
        view["hands"][seat, : len(hand)] = hand
        for organ, held in recorded["bodies"][seat].items():
            number = NEUTRAL + ORGAN_NAMES.index(_organ(held))
            view["bodies"][seat, COLOUR_NAMES.index(organ)] = number
    pile = [CARD_NAMES.index(card) for card in recorded["pile"]][::-1]
    assert len(pile) <= CARDS  # since the cards are right
    view["pile"][: len(pile)], view["pile_left"] = pile, len(pile)
    view["discards"][:] = [recorded["discards"].count(name) for name in CARD_NAMES]
    view["turn"] = recorded["round"] * model.players + recorded["player"]
    view["player"], view["winner"] = recorded["player"], NOBODY
    view["last"][:], view["spreading"] = NO_ACTION, 0


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    rng = new_generator(0)
    opening = model.reset(rng)
    state = model.copy(opening)
    set_position(model, state, game["start"])
    found, expected = position(model, opening), _expected(game["start"])
    yield from compared_opening(model, _dealt(expected), _dealt(found), opening)
    for ply, step, _, after in recorded_steps(game):
        player = step["p"]
        yield ply, "the players to move", [player], list(model.movers(state)), state
        actions = model.legal_actions(state, player).tolist()
        hand = _hand(model.view(state)["hands"][player])
        ours = [tag_name(model.players, player, hand, action) for action in actions]
        yield from compared_choice(ply, state, player, step["legal"], step["a"], ours)
        model.apply(state, {player: actions[ours.index(step["a"])]}, rng)
        if "tag_bug" in step:
            is_draw = int(model.view(state)["winner"]) == DRAWN_GAME
            yield (
                ply,
                "whether the game is drawn after 100 rounds",
                True,
                is_draw,
                state,
            )
            if game["finished"]:  # but for the scores: TAG plays another turn
                yield from compared_results(ply, model, game["results"], state)
            return
        is_chance = bool(step.get("shuffled"))
        yield from _compared_after(model, ply, player, after, state, is_chance)
        if is_chance and after["phase"] != OVER:
            set_position(model, state, after)
    yield from compared_end(model, game, state)


def _dealt(deal: dict) -> dict:
    """Return what is no chance of the first deal: how many cards lie where."""
    hands, pile = deal["hands"], deal["pile"]
    return {
        **deal,
        "hands": [len(hand) for hand in hands],
        "pile": len(pile),
        "all hands and the pile": sorted([*pile, *(c for hand in hands for c in hand)]),
    }


def _compared_after(
    model: ForwardModel,
    ply: int,
    player: int,
    after: Recorded,
    state: np.ndarray,
    is_chance: bool,
) -> Compared:
    """Compare the state after a step; after a shuffle the drawn cards and the pile."""
    found, expected = position(model, state), _expected(after)
    if after["phase"] == OVER:
        for name in ("player", "round"):  # TAG passes no turn on at the end
            del found[name]
    else:
        yield from compared_going_on(ply, model, state)
    if is_chance:
        for one in (found, expected):
            pile, hand = one.pop("pile"), one["hands"][player]
            one["cards in the pile"] = len(pile)
            one["hand and pile"] = sorted([*hand, *pile])
            one["hands"][player] = len(hand)
    yield from compared_states(ply, expected, found, state)


RECORDS = TagRecords({"virus": {}}, compared)
