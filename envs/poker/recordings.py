"""Replaying games of Poker that the TAG framework has recorded.

TAG asks players without chips, who can only check; this is no decision here, and
belongs to the step before. The deal of a hand is chance and is taken from the record.
Where TAG paid otherwise than by the best five cards, the chips are compared with what
the record says that standard rules pay.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from mcts_agents.envs.poker.cards import BOARD, CARDS, HOLE_CARDS
from mcts_agents.envs.poker.hands import NO_ACTION, ON_BOARD
from mcts_agents.envs.poker.notation import ACTION_NAMES, CARD_NAMES
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
from mcts_agents.model import ForwardModel, new_generator

STREETS = ("preflop", "flop", "turn", "river")
OVER = "over"
MOST_CHIPS = 10_000
LAST_HAND = 10  # of a game, the first one is number 0
FULL_DECK = sorted(CARD_NAMES)
AT_THE_END = ("phase", "stacks", "bets", "out")
SETS = ("out", "folded", "needs_call", "acted")


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it.

    Players without chips count as not having acted, since TAG makes them check.
    """
    view, seats = model.view(state), range(model.players)
    size, shown = int(view["deck_size"]), int(ON_BOARD[view["street"]])
    sets = {
        name: [bool(int(view[name]) >> seat & 1) for seat in seats] for name in SETS
    }
    stacks = view["stacks"][: model.players].tolist()
    hands = [_names(hand) for hand in view["hands"][: model.players]]
    return {
        "phase": OVER if view["over"] else STREETS[view["street"]],
        "player": int(view["player"]),
        "hand_number": int(view["hand"]),
        "small_blind": int(view["small_blind"]),
        "first_to_act": int(view["first"]),
        "stacks": stacks,
        "bets": view["bets"][: model.players].tolist(),
        **sets,
        "acted": _with_chips(sets["acted"], stacks),
        "bet_made": bool(view["bet_made"]),
        "community": _names(view["community"][:shown]),
        "hands": [[] if sets["out"][seat] else hands[seat] for seat in seats],
        "deck": _names(view["deck"][:size][::-1]),
    }


def _names(cards: np.ndarray) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _with_chips(acted: list[bool], stacks: list[int]) -> list[bool]:
    return [done and chips > 0 for done, chips in zip(acted, stacks, strict=True)]


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`."""
    acted = _with_chips(recorded["acted"], recorded["stacks"])
    hands = [sorted(hand) for hand in recorded["hands"]]
    return {**recorded, "acted": acted, "hands": hands}


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state of a hand.

    Cards that TAG has dealt to players who are out are laid under the deck.

    Raises:
        ValueError: It is no state of this variant.
    """
    view, seats = model.view(state), range(model.players)
    phase, hand_number = recorded["phase"], int(recorded["hand_number"])
    require(phase in STREETS, f"no phase {phase!r}")
    chips = {name: [int(n) for n in recorded[name]] for name in ("stacks", "bets")}
    sets = {name: [flag is True for flag in recorded[name]] for name in SETS}
    hands = [_cards(hand) for hand in recorded["hands"]]
    lists = (*chips.values(), *sets.values(), hands)
    are_all = all(len(values) == len(seats) for values in lists)
    require(are_all, f"not of {len(seats)} players")
    for name in ("player", "small_blind", "first_to_act"):
        is_in = recorded[name] in seats and not sets["out"][recorded[name]]
        require(is_in, f"the seat {name}")
    is_number = 0 <= hand_number < int(model.game["deals"][0])
    require(is_number, f"the hand {hand_number}")
    for name, numbers in chips.items():
        require(all(0 <= n < MOST_CHIPS for n in numbers), f"the {name}")
    for seat in seats:
        expected = 0 if sets["out"][seat] else HOLE_CARDS
        require(len(hands[seat]) == expected, f"the hand of seat {seat}")
    street = STREETS.index(phase)
    board, deck = _cards(recorded["community"]), _cards(recorded["deck"])
    require(len(board) == ON_BOARD[street], "the cards on the board")
    require(len(deck) >= BOARD - len(board), "the cards in the deck")
    known = [*board, *deck, *(card for hand in hands for card in hand)]
    require(len(set(known)) == len(known), "a card that is there twice")
    deck += sorted(set(range(CARDS)) - set(known))
    view["stacks"][seats], view["bets"][seats] = chips["stacks"], chips["bets"]
    view["highest"] = max(chips["bets"])
    for name, flags in sets.items():
        view[name] = sum(1 << seat for seat in seats if flags[seat])
    for seat in seats:
        view["hands"][seat] = sorted(hands[seat]) or 0
    view["community"] = [*board, *[0] * (BOARD - len(board))]
    view["deck"] = 0
    view["deck"][: len(deck)] = deck[::-1]
    view["deck_size"] = len(deck)
    view["hand"], view["street"] = hand_number, street
    view["small_blind"] = recorded["small_blind"]
    view["first"], view["player"] = recorded["first_to_act"], recorded["player"]
    view["bet_made"], view["over"] = recorded["bet_made"] is True, False
    view["last"] = NO_ACTION


def _cards(names: list[str]) -> list[int]:
    require(len(names) <= CARDS, "too many cards")
    return [CARD_NAMES.index(name) for name in names]


def _decisions(game: Recorded) -> Iterator[list[tuple[int, Recorded, Recorded]]]:
    """Yield the steps of each decision: the ply, the step, and the state after it.

    What a player without chips is asked is no decision and belongs to the step before.
    """
    decision: list[tuple[int, Recorded, Recorded]] = []
    for ply, step, before, after in recorded_steps(game):
        is_forced = step.get("forced") and before["stacks"][step["p"]] == 0
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
    yield 0, "all cards at the start", FULL_DECK, _all_cards(found), opening
    for decision in _decisions(game):
        ply, step, _ = decision[0]
        player = step["p"]
        yield ply, "the players to move", [player], list(model.movers(state)), state
        actions = model.legal_actions(state, player).tolist()
        ours = [ACTION_NAMES[action] for action in actions]
        yield from compared_choice(ply, state, player, step["legal"], step["a"], ours)
        for (_, last, between), (ply, taken, _) in pairwise(decision):
            legal = ["check", "fold"]
            asked = _next_asked(last, between)
            yield ply, "who is asked without chips", taken["p"], asked, state
            yield ply, "what can be done without chips", taken["legal"], legal, state
            yield ply, "the move without chips", taken["a"], "check", state
        model.apply(state, {player: ACTION_NAMES.index(step["a"])}, rng)
        ply, _, after = decision[-1]
        steps = [taken for _, taken, _ in decision]
        yield from _compared_pay(model, ply, steps, state)
        is_dealt = any(taken.get("shuffled") for taken in steps)
        if is_dealt and not model.is_over(state):
            cards = _all_cards(position(model, state))
            yield ply, "all cards of the new deal", FULL_DECK, cards, state
        if not any("tag_bug" in taken for taken in steps):
            yield from _compared_after(model, ply, after, state, is_dealt)
        elif after["phase"] == OVER:
            yield from _compared_standard_end(model, ply, steps, after, state)
            return
        else:
            is_dealt = True
        if is_dealt and after["phase"] != OVER:
            set_position(model, state, after)
    yield from compared_end(model, game, state)


def _next_asked(last: Recorded, between: Recorded) -> int | None:
    """Return who is asked next in TAG, where players without chips are asked as well.

    Args:
        last: The step before.
        between: The recorded state after it.
    """
    goes_on = not {"phase", "hand_number"} & set(last["d"])
    first = last["p"] + 1 if goes_on else between["first_to_act"]
    seats = len(between["out"])
    in_turn = ((first + place) % seats for place in range(seats))
    is_in = (s for s in in_turn if not (between["folded"][s] or between["out"][s]))
    return next(is_in, None)


def _compared_pay(
    model: ForwardModel, ply: int, steps: list[Recorded], state: np.ndarray
) -> Compared:
    """Compare the chips after the pots of a hand were paid, blinds of the next back."""
    for step in steps:
        if "standard_stacks" in step.get("hand_end", {}):
            here = position(model, state)
            both = zip(here["stacks"], here["bets"], strict=True)
            found = [stack + bet for stack, bet in both]
            expected = step["hand_end"]["standard_stacks"]
            yield ply, "the chips after the hand", expected, found, state


def _compared_standard_end(
    model: ForwardModel,
    ply: int,
    steps: list[Recorded],
    after: Recorded,
    state: np.ndarray,
) -> Compared:
    """Compare the end of a game in whose last hand TAG paid otherwise.

    The record says what standard rules pay. Where that leaves chips to several players
    and other hands to play, the game goes on by the rules, and no more is compared.
    """
    ends = [step["hand_end"] for step in steps if "hand_end" in step]
    stacks = ends[-1].get("standard_stacks") if ends else None
    if stacks is None:
        return
    with_chips = sum(chips > 0 for chips in stacks)
    is_over = after["hand_number"] == LAST_HAND or with_chips == 1
    yield ply, "whether the game is over", is_over, model.is_over(state), state
    if is_over:
        yield ply, "the scores", stacks, [int(n) for n in model.scores(state)], state
        results = ["win" if chips == max(stacks) else "lose" for chips in stacks]
        yield from compared_results(ply, model, results, state)


def _compared_after(
    model: ForwardModel, ply: int, after: Recorded, state: np.ndarray, is_dealt: bool
) -> Compared:
    """Compare the state after a decision; after a deal only the numbers of cards."""
    found, expected = position(model, state), _expected(after)
    if after["phase"] == OVER:
        found = {name: found[name] for name in AT_THE_END}
    else:
        yield from compared_going_on(ply, model, state)
        found["hands"] = [sorted(hand) for hand in found["hands"]]
        # Under TAG's deck lie the cards of players who are out.
        found["deck"] = found["deck"][: len(expected["deck"])]
    if is_dealt and after["phase"] != OVER:
        found, expected = _dealt(found), _dealt(expected)
    yield from compared_states(ply, expected, found, state)


def _all_cards(deal: dict) -> list[str]:
    """Return all cards of a position, sorted."""
    hands = [card for hand in deal["hands"] for card in hand]
    return sorted([*hands, *deal["community"], *deal["deck"]])


def _dealt(deal: dict) -> dict:
    """Return what is no chance of the deal of a hand: how many cards lie where."""
    sizes = [len(hand) for hand in deal["hands"]]
    return {**deal, "hands": sizes, "deck": len(deal["deck"])}


RECORDS = TagRecords({"poker": {"odd_chips": "lost"}}, compared)
