"""Replaying games of Love Letter that the TAG framework has recorded.

TAG draws a card in a step of its own (phase "draw"); here a turn begins with the card
drawn. The deal of a new round is chance, and is taken from the record after tokens and
winners were compared; all draws of a round follow from its pile.
"""

from collections import Counter
from itertools import product

import numpy as np

from mcts_agents.envs.love_letter.cards import (
    CARDS,
    COPIES,
    NO_CARD,
    ONE,
    TYPES,
)
from mcts_agents.envs.love_letter.notation import CARD_NAMES, format_action
from mcts_agents.envs.love_letter.rounds import NOBODY
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

DRAW = "draw"  # the step, and the phase before it
PLAY, OVER = "play", "over"
MOST_TOKENS = 1000
Pairs = set[tuple[int, int]]  # (observer, owner)


def position(model: ForwardModel, state: np.ndarray, phase: str) -> dict:
    """Return a state as TAG records it, piles of discards sorted.

    Args:
        model: The forward model.
        state: The state, in which the player on turn has drawn.
        phase: Before that draw, if "draw".
    """
    view, players = model.view(state), range(model.players)
    hands = [[int(card)] if card != NO_CARD else [] for card in view["hands"][players]]
    pile = [int(view["pile"]) >> 4 * n & 15 for n in range(int(view["pile_left"]))]
    if view["drawn"] != NO_CARD:
        (pile if phase == DRAW else hands[int(view["player"])]).insert(0, view["drawn"])
    # The last card of the pile is the one laid aside; a prince may have drawn it.
    reserve = pile.pop() if view["pile_left"] else NO_CARD
    known, pairs = int(view["known"]), product(players, repeat=2)
    return {
        "player": int(view["player"]),
        "round": int(view["round"]),
        "tokens": view["tokens"][players].tolist(),
        "hands": [_names(hand) for hand in hands],
        "discards": [_names_of_bunch(bunch) for bunch in view["discards"][players]],
        "out": [not view["alive"] >> player & 1 for player in players],
        "protected": [bool(view["protected"] >> player & 1) for player in players],
        "pile": _names(pile),
        "reserve": CARD_NAMES[reserve] or None,
        "face_up": _names_of_bunch(view["face_up"]),
        "known": [pair for pair in pairs if known >> 4 * pair[1] + pair[0] & 1],
    }


def _names(cards: list[int]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _names_of_bunch(bunch: int) -> list[str]:
    cards = range(1, TYPES + 1)
    return sorted(
        CARD_NAMES[card] for card in cards for _ in range(_count_of(bunch, card))
    )


def _count_of(bunch: int, card: int) -> int:
    return int(bunch) >> 4 * card & 15


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`."""
    expected = dict(recorded)
    expected["discards"] = [sorted(pile) for pile in recorded["discards"]]
    expected["face_up"] = sorted(recorded["face_up"])
    expected["known"] = sorted(_pairs(recorded))
    if recorded["phase"] == DRAW:
        # TAG's protection by a handmaid ends with the draw, which is already done here.
        expected["protected"] = list(recorded["protected"])
        expected["protected"][recorded["player"]] = False
    return expected


def _pairs(recorded: Recorded) -> Pairs:
    """Return who (observer, owner) knows a hand in TAG's program."""
    return {(observer, owner) for observer, owner, _ in recorded["known"]}


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state of a round; in phase "draw" its next card is drawn.

    Raises:
        ValueError: It is no state of this variant.
    """
    view, players = model.view(state), range(model.players)
    player, phase = int(recorded["player"]), recorded["phase"]
    hands = [[CARD_NAMES.index(card) for card in hand] for hand in recorded["hands"]]
    pile = [CARD_NAMES.index(card) for card in recorded["pile"]]
    discards = [_bunch(cards) for cards in recorded["discards"]]
    face_up = _bunch(recorded["face_up"])
    tokens = [int(number) for number in recorded["tokens"]]
    out, protected = list(recorded["out"]), list(recorded["protected"])
    if recorded["reserve"] is not None:
        pile.append(CARD_NAMES.index(recorded["reserve"]))
    require(phase in (DRAW, PLAY), f"no phase {phase!r}")
    require(
        all(
            len(of) == len(players) for of in (hands, discards, tokens, out, protected)
        ),
        f"not of {len(players)} players",
    )
    require(player in players and not out[player], "the player to move")
    require(all(0 <= number <= MOST_TOKENS for number in tokens), "the tokens")
    held = Counter(card for hand in hands for card in hand) + Counter(pile)
    for bunch in (*discards, face_up):
        held.update({card: _count_of(bunch, card) for card in range(1, TYPES + 1)})
    require(all(held[card] == COPIES[card] for card in range(TYPES + 1)), "the cards")
    if phase == DRAW:
        require(len(pile) > 1, "no card to draw")
        hands[player].insert(0, pile.pop(0))
    sizes = [0 if is_out else 1 for is_out in out]
    sizes[player] = 2
    require([len(hand) for hand in hands] == sizes, "the size of a hand")
    view["drawn"] = hands[player].pop(0)
    for seat in players:
        view["hands"][seat] = hands[seat][0] if hands[seat] else NO_CARD
    view["pile"] = sum(card << 4 * place for place, card in enumerate(pile))
    view["pile_left"] = len(pile)
    view["discards"][players] = discards
    view["face_up"] = face_up
    view["tokens"][players] = tokens
    view["round"] = int(recorded["round"])
    view["alive"] = sum(1 << seat for seat in players if not out[seat])
    if phase == DRAW:
        protected[player] = False
    view["protected"] = sum(1 << seat for seat in players if protected[seat])
    view["player"], view["winner"] = player, NOBODY
    known = 0
    for observer, owner, _ in recorded["known"]:
        require(observer in players and owner in players, "who knows a hand")
        known |= 1 << (4 * owner + observer)
    view["known"] = view["aware"] = known


def _bunch(cards: list[str]) -> int:
    """Return cards by name as a bunch."""
    require(len(cards) <= CARDS, "too many cards")
    return sum(int(ONE[CARD_NAMES.index(card)]) for card in cards)


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    rng = new_generator(0)
    opening = model.reset(rng)
    state = model.copy(opening)
    set_position(model, state, game["start"])
    yield from _compared_opening(model, game["start"], opening)
    doubtful: Pairs = set()
    exchanged: Pairs = set()
    for ply, step, before, after in recorded_steps(game):
        yield ply, "the players to move", [step["p"]], list(model.movers(state)), state
        if before["phase"] == DRAW:
            yield from compared_choice(
                ply, state, step["p"], step["legal"], step["a"], [DRAW]
            )
        else:
            actions = model.legal_actions(state, step["p"]).tolist()
            ours = [tag_name(format_action(model, action)) for action in actions]
            yield from compared_choice(
                ply, state, step["p"], step["legal"], step["a"], ours
            )
            model.apply(state, {step["p"]: actions[ours.index(step["a"])]}, rng)
        is_over = after["phase"] == OVER
        if "tag_bug" not in step:
            knew = _pairs(before) - doubtful | exchanged
            doubtful = _doubtful(doubtful, step, before, after)
            exchanged = _exchanged(exchanged, knew, step, before, after)
            known = sorted(_pairs(after) - doubtful | exchanged)
            yield from _compared_step(model, ply, step, after, state, known)
        elif is_over:
            return
        if not is_over and (step.get("shuffled") or "tag_bug" in step):
            set_position(model, state, after)
            doubtful, exchanged = set(), set()
    yield from compared_end(model, game, state)


def _compared_opening(
    model: ForwardModel, start: Recorded, opening: np.ndarray
) -> Compared:
    """Compare how our own rules begin a game."""
    found, expected = position(model, opening, start["phase"]), _expected(start)
    kept = {name: found[name] for name in ("tokens", "round", "player")}
    both = {**expected, **_dealt(expected)}
    yield from compared_opening(model, both, {**kept, **_dealt(found)}, opening)


def _doubtful(
    doubtful: Pairs, step: Recorded, before: Recorded, after: Recorded
) -> Pairs:
    """Return who (observer, owner) knows a hand in TAG's program, but not by our rules.

    When a player whose card was seen plays one of two equal cards, others cannot tell
    which of them is left; TAG knows it. Seen again, the hand is known to both.
    """
    if before["phase"] == PLAY and len(set(before["hands"][step["p"]])) == 1:
        doubtful = doubtful | {pair for pair in _pairs(before) if pair[1] == step["p"]}
    card, *target = step["a"].split()
    if card == "priest" and not before["protected"][int(target[0])]:
        doubtful = doubtful - {(step["p"], int(target[0]))}
    return doubtful & _pairs(after)


def _exchanged(
    exchanged: Pairs, knew: Pairs, step: Recorded, before: Recorded, after: Recorded
) -> Pairs:
    """Return who (observer, owner) knows a hand by our rules only, since a king's play.

    Both players know what they gave, and others what they knew, now in the other hand.
    TAG forgets all of it. It is over when the card leaves the hand.

    Args:
        exchanged: Who knew a hand so before the step.
        knew: Who knew a hand before the step, in whichever way.
        step: The step.
        before: The recorded state before it.
        after: The recorded state after it.
    """
    if before["phase"] == DRAW:
        return exchanged
    player, (card, *target) = step["p"], step["a"].split()
    left = {seat for seat, is_out in enumerate(after["out"]) if is_out}
    if card == before["hands"][player][-1]:  # the one kept, or its like
        left.add(player)
    if target and not before["protected"][other := int(target[0])]:
        if card == "prince":
            left.add(other)
        elif card == "king":
            knew = {pair for pair in knew if pair[1] not in left}
            return _moved(exchanged, knew, player, other)
    return {pair for pair in exchanged if pair[1] not in left}


def _moved(exchanged: Pairs, knew: Pairs, player: int, other: int) -> Pairs:
    """Return who knows a hand by exchanges when two players exchange theirs."""
    place = {player: other, other: player}
    moved = {(seat, place[owner]) for seat, owner in knew if owner in place}
    mutual = {(player, other), (other, player)}
    own = {(player, player), (other, other)}
    kept = {pair for pair in exchanged if pair[1] not in place}
    return kept | moved - own | mutual


def _compared_step(
    model: ForwardModel,
    ply: int,
    step: Recorded,
    after: Recorded,
    state: np.ndarray,
    known: list[tuple[int, int]],
) -> Compared:
    """Compare the state after a step, of a round's end what is no chance.

    Who knows a hand is as the record has it, but for `_doubtful` and `_exchanged`.
    """
    found, expected = position(model, state, after["phase"]), _expected(after)
    if after["phase"] == OVER or step.get("shuffled"):
        kept = ("tokens",) if after["phase"] == OVER else ("tokens", "round")
        ended = {name: found[name] for name in kept}
        yield from compared_states(ply, expected, ended, state)
        if after["phase"] != OVER:
            yield from compared_going_on(ply, model, state)
            yield from compared_states(ply, _dealt(expected), _dealt(found), state)
            winners = int(model.view(state)["winners"])
            is_winner = bool(winners >> after["player"] & 1)
            yield ply, "whether a winner starts the next round", True, is_winner, state
            if winners.bit_count() == 1:
                player = found["player"]
                yield ply, "who starts the next round", after["player"], player, state
        return
    yield from compared_states(ply, {**expected, "known": known}, found, state)


def _dealt(deal: dict) -> dict:
    """Return what is no chance of the deal of a round: how many cards lie where."""
    places = [*deal["hands"], deal["pile"], deal["face_up"], [deal["reserve"]]]
    return {
        "the sizes of hands, pile and open cards": list(map(len, places)),
        "all cards": Counter(card for place in places for card in place),
        "the cards laid off": deal["discards"],
        "who is out": deal["out"],
        "who is protected": deal["protected"],
        "who knows a hand": deal["known"],
    }


def tag_name(name: str) -> str:
    """Return an action's name as TAG's files have it, such as `"guard 2 baron"`."""
    return name.replace("player_", "")


RECORDS = TagRecords({"love_letter": {}}, compared)
