"""Replaying games of Exploding Kittens that the TAG framework has recorded.

TAG leaves a card in the hand while its Nope window is open, here it lies on the discard
pile at once; and TAG asks a player who has noped again at the end of the window, even
without another Nope. Such a pass is no decision here, so that its step is taken
together with the one before. The order after a shuffle is chance and is taken from the
record.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mcts_agents.envs.exploding_kittens.cards import (
    DEFUSE,
    KITTEN,
    MOST_SEEN,
    ONE,
    ORDER_OF,
    PUT_BACK,
    SEE,
    TYPES,
)
from mcts_agents.envs.exploding_kittens.notation import (
    ACTION_NAMES,
    CARD_NAMES,
    format_action,
)
from mcts_agents.envs.exploding_kittens.turns import (
    ASKED,
    GIVING,
    MAIN,
    ORDERING,
    OVER,
    PLACING,
)
from mcts_agents.envs.tag_records import (
    Compared,
    Recorded,
    TagRecords,
    compared_choice,
    compared_going_on,
    compared_opening,
    compared_states,
    recorded_steps,
    require,
)
from mcts_agents.envs.tag_records import compared_end as compared_end_by_score
from mcts_agents.model import ForwardModel, new_generator

PHASES = {
    MAIN: "main",
    ASKED: "nope",
    GIVING: "favor",
    ORDERING: "seethefuture",
    PLACING: "defuse",
    OVER: "over",
}
_PHASE_OF = {name: phase for phase, name in PHASES.items()}
# Of the last state of a game only these are sure to be right.
AT_THE_END = ("phase", "out", "order_of_death")


def tag_name(name: str) -> str:
    """Return an action's name, but for orders, as TAG's files have it."""
    return name.replace("player_", "")


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it, the discard pile sorted."""
    view, players = model.view(state), range(model.players)
    phase, turn_of = int(view["phase"]), int(view["turn_of"])
    hands = [_cards(hand) for hand in view["hands"][players]]
    discards = _cards(view["discards"])
    in_hand = None  # in TAG's program
    if phase == ASKED:
        in_hand = ACTION_NAMES[view["pending"]].split()[0]
    elif phase == ORDERING:
        in_hand = CARD_NAMES[SEE]
    if in_hand is not None:
        hands[turn_of].append(in_hand)
        discards.remove(in_hand)
    if phase == PLACING:
        hands[turn_of].append(CARD_NAMES[KITTEN])
    return {
        "phase": PHASES[phase],
        "player": int(view["player"]),
        "turn_of": turn_of,
        "draws": int(view["draws"]),
        "asked": _asked(model, state) if phase == ASKED else [],
        "stack": _stack(view) if phase == ASKED else [],
        "favor_for": turn_of if phase == GIVING else None,
        "hands": [sorted(hand) for hand in hands],
        "out": [not view["alive"] >> player & 1 for player in players],
        "order_of_death": view["order_of_death"][players].tolist(),
        "pile": [CARD_NAMES[card] for card in view["pile"][: view["pile_left"]][::-1]],
        "discards": discards,
    }


def _cards(bunch: int) -> list[str]:
    """Return the names of the cards of a bunch, sorted."""
    return sorted(
        CARD_NAMES[card]
        for card in range(TYPES)
        for _ in range(int(bunch) >> 4 * card & 15)
    )


def _stack(view: np.ndarray) -> list[list]:
    """Return who has played what in a Nope window."""
    stack = [[int(view["turn_of"]), tag_name(ACTION_NAMES[view["pending"]])]]
    return stack + [[int(seat), "nope"] for seat in view["nopers"][: view["nopes"]]]


def _asked(model: ForwardModel, state: np.ndarray) -> list[int]:
    """Return who is asked and who will be, if all pass."""
    view = model.view(state)
    last, seat = _stack(view)[-1][0], int(view["player"])
    asked = [seat]
    while seat != last:
        seat = (seat + 1) % model.players
        if "nope" in _cards(view["hands"][seat]):
            asked.append(seat)
    return asked


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`."""
    expected = dict(recorded)
    expected["discards"] = sorted(recorded["discards"])
    # A player who has noped is asked again, though perhaps without another Nope.
    hands = recorded["hands"]
    idle = [seat for seat in range(len(hands)) if "nope" not in hands[seat]]
    expected["asked"] = [seat for seat in recorded["asked"] if seat not in idle]
    return expected


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state outside a Nope window; nobody knows hidden cards.

    Raises:
        ValueError: It is no such state of this variant.
    """
    view, players = model.view(state), range(model.players)
    phase = _PHASE_OF.get(recorded["phase"], OVER)
    require(phase in (MAIN, GIVING, ORDERING), f"phase {recorded['phase']!r}")
    require(
        all(
            len(recorded[name]) == model.players
            for name in ("hands", "out", "order_of_death")
        ),
        f"not of {model.players} players",
    )
    pile = [CARD_NAMES.index(card) for card in recorded["pile"]][::-1]
    cards = Counter(recorded["pile"]) + Counter(recorded["discards"])
    for hand in recorded["hands"]:
        cards.update(hand)
    deck = int(model.game["deck"][0])
    require(sorted(cards.elements()) == _cards(deck), "the cards")
    require(recorded["turn_of"] in players, "whose turn it is")
    require(recorded["player"] in players, "who decides")
    view["pile"] = 0
    view["pile"][: len(pile)] = pile
    view["pile_left"] = len(pile)
    view["discards"] = _bunch(recorded["discards"])
    view["hands"][players] = [_bunch(hand) for hand in recorded["hands"]]
    view["order_of_death"][players] = recorded["order_of_death"]
    view["alive"] = sum(1 << seat for seat in players if not recorded["out"][seat])
    if phase == ORDERING:  # the card that is looked with has left the hand here
        view["hands"][recorded["turn_of"]] -= ONE[SEE]
        view["discards"] += ONE[SEE]
    view["phase"] = phase
    view["player"] = recorded["player"]
    view["turn_of"] = recorded["turn_of"]
    view["draws"] = recorded["draws"]
    view["pending"] = view["nopes"] = view["nopers"] = 0
    view["known"] = view["seen"] = 0
    found, expected = position(model, state), _expected(recorded)
    for name, value in found.items():
        require(value == expected[name], f"{name}: {recorded[name]}")


def _bunch(cards: list[str]) -> int:
    """Return cards by name as a bunch."""
    return sum(int(ONE[CARD_NAMES.index(card)]) for card in cards)


def _decisions(game: Recorded) -> Iterator[list[tuple[int, Recorded, Recorded]]]:
    """Yield the steps of each decision: the ply, the step, and the state after it.

    A forced pass in the Nope window is no decision and belongs to the step before.
    """
    decision: list[tuple[int, Recorded, Recorded]] = []
    for ply, step, before, after in recorded_steps(game):
        is_forced = before["phase"] == PHASES[ASKED] and step.get("forced")
        if decision and not is_forced:
            yield decision
            decision = []
        decision.append((ply, step, after))
    if decision:
        yield decision


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    rng = new_generator(0)
    opening = model.reset(rng)
    state = model.copy(opening)
    set_position(model, state, game["start"])
    found, expected = position(model, opening), _expected(game["start"])
    yield from compared_opening(model, _dealt(expected), _dealt(found), opening)
    for decision in _decisions(game):
        ply, step, after = decision[0]
        player = step["p"]
        yield ply, "the players to move", [player], list(model.movers(state)), state
        actions = model.legal_actions(state, player).tolist()
        ours = [_content(model, state, action) for action in actions]
        yield from compared_choice(ply, state, player, step["legal"], step["a"], ours)
        yield from _compared_passes(model, state, decision)
        model.apply(state, {player: actions[ours.index(step["a"])]}, rng)
        ply, _, after = decision[-1]
        is_over = after["phase"] == PHASES[OVER]
        is_set = any(taken.get("shuffled") for _, taken, _ in decision)
        if not any("tag_bug" in taken for _, taken, _ in decision):
            yield from _compared_after(model, ply, after, state, is_set)
        elif is_over:
            return
        else:
            is_set = True
        if is_set:
            set_position(model, state, after)
    yield from compared_end(model, game, state)


def _dealt(deal: dict) -> dict:
    """Return what is no chance of the first deal: how many cards lie where.

    How many Defuses and Exploding Kittens each hand has is no chance either.
    """
    hands, pile = deal["hands"], deal["pile"]
    return {
        **deal,
        "hands": [len(hand) for hand in hands],
        "defuses": [hand.count(CARD_NAMES[DEFUSE]) for hand in hands],
        "kittens": [hand.count(CARD_NAMES[KITTEN]) for hand in hands],
        "pile": len(pile),
        "all hands and the pile": sorted([*pile, *(c for hand in hands for c in hand)]),
    }


def _compared_passes(
    model: ForwardModel,
    state: np.ndarray,
    decision: list[tuple[int, Recorded, Recorded]],
) -> Compared:
    """Compare what is no decision here: the last one who noped is asked, and passes.

    The state is the one before the decision.
    """
    ply, step, between = decision[0]
    if len(decision) == 1:
        return
    found = position(model, state)
    if step["a"] == "nope":
        found["stack"].append([step["p"], "nope"])
        found["hands"][step["p"]].remove("nope")
        found["discards"] = sorted([*found["discards"], "nope"])
    noper = found["stack"][-1][0]
    found |= {"player": noper, "asked": []}
    yield from compared_states(ply, _expected(between), found, state)
    for ply, taken, _ in decision[1:]:
        yield ply, "the players to move", [taken["p"]], [noper], state
        yield from compared_choice(
            ply, state, noper, taken["legal"], taken["a"], ["pass"]
        )


def _compared_after(
    model: ForwardModel, ply: int, after: Recorded, state: np.ndarray, is_chance: bool
) -> Compared:
    """Compare the state after a decision; after a shuffle the pile as a heap."""
    found, expected = position(model, state), _expected(after)
    if after["phase"] == PHASES[OVER]:
        found = {name: found[name] for name in AT_THE_END}
    else:
        yield from compared_going_on(ply, model, state)
    if is_chance and after["phase"] != PHASES[OVER]:
        found["pile"] = sorted(found["pile"])
        expected["pile"] = sorted(expected["pile"])
    yield from compared_states(ply, expected, found, state)


def _content(model: ForwardModel, state: np.ndarray, action: int) -> str:
    """Return an action in TAG's words; an order names the cards, the next one first."""
    if PUT_BACK <= action < PUT_BACK + len(ORDER_OF):
        top = position(model, state)["pile"][:MOST_SEEN]
        places = ORDER_OF[action - PUT_BACK][: len(top)]
        return " ".join(["order", *(top[place] for place in places)])
    return tag_name(format_action(model, action))


def compared_end(model: ForwardModel, game: Recorded, state: np.ndarray) -> Compared:
    """Compare how a game ended; TAG's score is 1 for the winner and -1 for the rest."""
    for ply, what, recorded, found, here in compared_end_by_score(model, game, state):
        if what == "the scores":
            alive = int(model.view(state)["alive"])
            found = [1 if alive >> p & 1 else -1 for p in range(model.players)]
        yield ply, what, recorded, found, here


RECORDS = TagRecords({"exploding_kittens": {}}, compared)
