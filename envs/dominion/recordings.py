"""Replaying games of Dominion that the TAG framework has recorded.

What is drawn from a pile is read off the pile, which is recorded. The order after a
shuffle is chance and is taken from the record. Who shows one of several Moats is asked
again in TAG, which is no rule; the files mark these steps, and what comes out of them
is not compared.
"""

from collections import Counter

import numpy as np

from mcts_agents.envs.dominion.cards import (
    CELLAR,
    COST,
    MILITIA,
    MINE,
    MOAT,
    REMODEL,
    TYPES,
    WORKSHOP,
    bunch_of,
)
from mcts_agents.envs.dominion.notation import CARD_NAMES, format_action
from mcts_agents.envs.dominion.turns import (
    ATTACKED,
    BUYING,
    CELLAR_DISCARDS,
    GAINING,
    MILITIA_DISCARDS,
    NOTHING_TRASHED,
    OVER,
    PLAYING_CARDS,
    TRASHING,
)
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
from mcts_agents.model import ForwardModel, new_generator

# The order after a shuffle is chance, and so are the cards drawn from it.
HIDDEN = ("hands", "piles")
# Of the last state of a game these are compared.
AT_THE_END = ("phase", "supply", "trash", "points")


def cards_in(bunch: np.ndarray) -> list[str]:
    """Return the names of the cards of a bunch, sorted."""
    counts = counted(bunch)
    return sorted(name for name, number in counts.items() for _ in range(number))


def counted(bunch: np.ndarray) -> dict[str, int]:
    """Return how many cards of each type a bunch holds."""
    words = [int(word) for word in bunch]
    return {
        CARD_NAMES[card]: words[card >> 3] >> 8 * (card & 7) & 127
        for card in range(TYPES)
    }


def bunch_by_name(cards: list[str]) -> np.ndarray:
    """Return cards by name as a bunch.

    Raises:
        ValueError: There is no such card.
    """
    counts = Counter(cards)
    return bunch_of({CARD_NAMES.index(card): n for card, n in counts.items()})


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it, the piles as one component."""
    view, players = model.view(state), range(model.players)
    phase, turn_of = int(view["phase"]), int(view["turn_of"])
    trash = model.game["cards"][0] - view["supply"] - view["owned"].sum(axis=0)
    names = {OVER: "over", BUYING: "buy"}
    return {
        "phase": names.get(phase, "play"),
        "player": int(view["player"]),
        "turn_of": turn_of,
        "actions": int(view["actions"]),
        "buys": int(view["buys"]),
        "spent": int(view["spent"]),
        "bonus": int(view["money"]),
        "merchants": int(view["merchants"]),
        "defended": [bool(view["defended"] >> seat & 1) for seat in players],
        "context": _context(view),
        "supply": counted(view["supply"]),
        "piles": [_pile(view, seat) for seat in players],
        "hands": [cards_in(view["hands"][seat]) for seat in players],
        "discards": [cards_in(view["discards"][seat]) for seat in players],
        "tables": [
            cards_in(view["table"]) if seat == turn_of else [] for seat in players
        ],
        "trash": cards_in(trash),
        "points": view["points"][players].tolist(),
    }


def _pile(view: np.ndarray, seat: int) -> list[str]:
    """Return a draw pile, the next card first."""
    pile = view["piles"][seat, : view["pile_left"][seat]][::-1]
    return [CARD_NAMES[card] for card in pile]


def _context(view: np.ndarray) -> list[list]:
    """Return the effects that are open."""
    phase, player = int(view["phase"]), int(view["player"])
    effect, trashed = int(view["effect"]), int(view["trashed"])
    if phase in (PLAYING_CARDS, BUYING, OVER):
        return []
    if effect == MILITIA:
        seats = [int(view["turn_of"]), player]
        attack = [["militia", *seats]]
        return [*attack, ["reaction", *seats]] if phase == ATTACKED else attack
    if effect == CELLAR:
        return [["cellar", player, int(view["discarded"])]]
    if effect == WORKSHOP:
        return [["workshop", player]]
    if trashed == NOTHING_TRASHED:
        return [[CARD_NAMES[effect], player, None]]
    shown = int(COST[trashed]) if effect == MINE else CARD_NAMES[trashed]
    return [[CARD_NAMES[effect], player, shown]]


def _expected(model: ForwardModel, recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`."""
    piles = [recorded[f"draw{seat}"] for seat in range(model.players)]
    return {**recorded, "piles": piles}


_PHASE_OF_CONTEXT = {
    "cellar": CELLAR_DISCARDS,
    "workshop": GAINING,
    "militia": MILITIA_DISCARDS,
    "reaction": ATTACKED,
}
_EFFECTS = {
    "cellar": CELLAR,
    "workshop": WORKSHOP,
    "militia": MILITIA,
    "remodel": REMODEL,
    "mine": MINE,
}


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state; nobody knows hidden cards but a Moat that is asked about.

    Raises:
        ValueError: It is no such state of this variant.
    """
    view, players = model.view(state), range(model.players)
    expected = _expected(model, recorded)
    seats = ("piles", "hands", "discards", "tables", "points", "defended")
    require(
        all(len(expected[name]) == model.players for name in seats),
        f"not of {model.players} players",
    )
    require(recorded["phase"] in ("play", "buy"), f"phase {recorded['phase']!r}")
    require(recorded["turn_of"] in players, "whose turn it is")
    require(recorded["player"] in players, "who decides")
    cards = Counter(recorded["supply"]) + Counter(recorded["trash"])
    for name in ("piles", "hands", "discards", "tables"):
        for held in expected[name]:
            cards.update(held)
    require(sorted(cards.elements()) == cards_in(model.game["cards"][0]), "the cards")
    turn_of = recorded["turn_of"]
    view["supply"] = bunch_by_name(list(Counter(recorded["supply"]).elements()))
    view["stocked"] = sum(
        1 << card for card, name in enumerate(CARD_NAMES) if recorded["supply"][name]
    )
    view["table"] = bunch_by_name(recorded["tables"][turn_of])
    view["known"] = view["piles"] = 0
    for seat in players:
        pile = expected["piles"][seat]
        held = [expected[name][seat] for name in seats[:4]]
        view["owned"][seat] = sum(map(bunch_by_name, held))
        view["hands"][seat] = bunch_by_name(recorded["hands"][seat])
        view["discards"][seat] = bunch_by_name(recorded["discards"][seat])
        view["hand_sizes"][seat] = len(recorded["hands"][seat])
        view["pile_left"][seat] = len(pile)
        view["piles"][seat, : len(pile)] = [CARD_NAMES.index(c) for c in pile[::-1]]
        view["points"][seat] = recorded["points"][seat]
    view["player"], view["turn_of"] = recorded["player"], turn_of
    for name in ("actions", "buys", "spent", "merchants"):
        view[name] = recorded[name]
    view["money"] = recorded["bonus"]
    view["defended"] = sum(1 << s for s in players if recorded["defended"][s])
    _set_context(view, recorded)
    found = position(model, state)
    for name, value in found.items():
        require(value == expected[name], f"{name}: {expected[name]}")


def _set_context(view: np.ndarray, recorded: Recorded) -> None:
    """Set which effect is open and what it asks for."""
    view["effect"] = view["discarded"] = 0
    view["trashed"] = NOTHING_TRASHED
    view["phase"] = BUYING if recorded["phase"] == "buy" else PLAYING_CARDS
    if not recorded["context"]:
        return
    name, _, *rest = recorded["context"][-1]
    view["effect"] = _EFFECTS.get(name, MILITIA)
    view["phase"] = _PHASE_OF_CONTEXT.get(name, GAINING)
    if name == "cellar":
        view["discarded"] = rest[0]
    elif name == "reaction":
        view["known"][recorded["player"]] = bunch_by_name([CARD_NAMES[MOAT]])
    elif name in ("remodel", "mine"):
        if rest[0] is None:
            view["phase"] = TRASHING
        elif name == "remodel":
            view["trashed"] = CARD_NAMES.index(rest[0])
        else:  # treasures differ in what they cost
            view["trashed"] = COST.tolist().index(rest[0])


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    rng = new_generator(0)
    opening = model.reset(rng)
    state = model.copy(opening)
    set_position(model, state, game["start"])
    found, expected = position(model, opening), _expected(model, game["start"])
    yield from compared_opening(model, _dealt(expected), _dealt(found), opening)
    for ply, step, _, after in recorded_steps(game):
        player = step["p"]
        yield ply, "the players to move", [player], list(model.movers(state)), state
        actions = model.legal_actions(state, player).tolist()
        ours = [format_action(model, action) for action in actions]
        yield from compared_choice(ply, state, player, step["legal"], step["a"], ours)
        model.apply(state, {player: actions[ours.index(step["a"])]}, rng)
        if "tag_bug" not in step:
            is_chance = bool(step.get("shuffled"))
            yield from _compared_after(model, ply, after, state, is_chance)
        if after["phase"] != "over" and ("tag_bug" in step or step.get("shuffled")):
            set_position(model, state, after)
    yield from compared_end(model, game, state)


def _compared_after(
    model: ForwardModel, ply: int, after: Recorded, state: np.ndarray, is_chance: bool
) -> Compared:
    """Compare the state after a step.

    After a shuffle each player's hand and pile are compared together, and so is how
    many cards are in each.
    """
    found, expected = position(model, state), _expected(model, after)
    if after["phase"] == "over":
        found = {name: found[name] for name in AT_THE_END}
    else:
        yield from compared_going_on(ply, model, state)
    if is_chance and after["phase"] != "over":
        found, expected = _dealt(found), _dealt(expected)
    yield from compared_states(ply, expected, found, state)


def _dealt(deal: dict) -> dict:
    """Return a state with each player's hand and pile together, sorted."""
    kept = {name: value for name, value in deal.items() if name not in HIDDEN}
    hands, piles = (deal[name] for name in HIDDEN)
    kept["hands and piles"] = [
        (len(hand), sorted([*hand, *pile]))
        for hand, pile in zip(hands, piles, strict=True)
    ]
    return kept


RECORDS = TagRecords({"dominion": {}}, compared)
