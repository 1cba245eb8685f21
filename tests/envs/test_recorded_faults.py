"""Faults put into the rules are found by the recorded games of TAG.

Each game has faults of a card's count, a target, a score, an order and an end, or of
what comes nearest in the game. Those of Sushi Go! show with both rule books.
"""

from functools import wraps

import numpy as np
import pytest

from mcts_agents.envs.diamant.cards import ALL_CARDS, FIRST_HAZARD
from mcts_agents.envs.diamant.caves import CAVES, GOES_ON
from mcts_agents.envs.love_letter.cards import NEXT, ONE, PRINCESS, count_of
from mcts_agents.envs.love_letter.rounds import NOBODY
from mcts_agents.envs.sushi_go.cards import (
    ON_WASABI,
    ONE_CHOPSTICKS,
    USE_CHOPSTICKS,
)
from mcts_agents.envs.sushi_go.turns import ROUNDS
from mcts_agents.envs.uno.cards import NO_COLOUR, SKIP, VALUES, WILD, bits_of
from tests.envs.faulty_rules import mismatches, no_fault


def seats_of(mask):
    """The seats whose bits are set."""
    return [seat for seat in range(8) if int(mask) >> seat & 1]


# -- Love Letter


def princess_vanishes(view):
    """A card's count: a Princess that is discarded leaves the game."""
    for seat, discards in enumerate(view["discards"]):
        view["discards"][seat] -= count_of(discards, PRINCESS) * ONE[PRINCESS]


def next_is_protected(view):
    """A target: a Handmaid protects the next seat, not the one of her player."""
    alive, protected = int(view["alive"]), seats_of(view["protected"])
    view["protected"] = sum({1 << int(NEXT[alive, seat]) for seat in protected})


def winners_get_two(view):
    """A score: a round that is won pays two tokens."""
    is_new_round = not view["discards"].any()
    if is_new_round:
        view["tokens"][seats_of(view["winners"])] += 1


def next_is_passed_over(view):
    """An order: with three or more players in the round, every other seat plays."""
    alive = int(view["alive"])
    if alive.bit_count() > 2:
        view["player"] = NEXT[alive, view["player"]]


def nobody_wins(view):
    """An end: the game goes on when a player has enough tokens."""
    view["winner"] = NOBODY


def is_dealt(view):
    """Whether a round begins that is not the first one."""
    return not view["discards"].any() and bool(view["winners"])


def one_token_is_enough(view):
    """An end: who wins the first round wins the game."""
    if is_dealt(view):
        view["winner"] = seats_of(view["winners"])[0]


def next_one_starts(view):
    """An order: the seat after the winner's starts the next round."""
    if is_dealt(view):
        view["player"] = NEXT[int(view["alive"]), view["player"]]


def princesses_are_dealt(view):
    """A card's count: in the second round and later all have a Princess."""
    if is_dealt(view):
        view["hands"][seats_of(view["alive"])] = PRINCESS


def nothing_is_open(view):
    """A card's count: in the second round and later no cards lie open for two."""
    if is_dealt(view):
        view["face_up"] = 0


def a_new_hand_is_known(view):
    """Knowledge: in the second round and later player 1 knows the hand of player 0."""
    if is_dealt(view):
        view["known"] |= 1 << 1


def all_see_what_a_priest_sees(view):
    """Knowledge: who is shown a hand is not the only one to see it."""
    for owner, hand in enumerate(view["hands"]):
        if hand and int(view["known"]) >> 4 * owner & 15:
            others = int(view["alive"]) & ~(1 << owner)
            view["known"] |= others << 4 * owner


def nobody_remembers(view):
    """Knowledge: what was seen is forgotten at once."""
    view["known"] = 0


LOVE_LETTER = (
    a_new_hand_is_known,
    all_see_what_a_priest_sees,
    nobody_remembers,
    princess_vanishes,
    next_is_protected,
    winners_get_two,
    next_is_passed_over,
    nobody_wins,
    one_token_is_enough,
    next_one_starts,
    princesses_are_dealt,
    nothing_is_open,
)


@pytest.mark.parametrize("fault", LOVE_LETTER)
def test_faults_of_love_letter_are_found(fault):
    assert mismatches("love_letter", fault) > 0


# -- Diamant


def hazards_come_back(view):
    """A card's count: the hazard that ended a cave stays in the game."""
    view["deck"] |= ALL_CARDS & ~int(view["box"])
    view["box"] = ALL_CARDS


def hazards_empty_chests(view):
    """A target, here whom a hazard hits: it takes the gems in the chests as well."""
    if view["last_end"] >= FIRST_HAZARD:
        view["chests"] = 0


def remainders_are_lost(view):
    """A score: what is left of a shared treasure does not stay on the path."""
    view["on_path"] = 0


def first_card_comes_late(view):
    """An order, here of cards and decisions: a cave begins with a decision."""
    if view["last_end"] != GOES_ON and view["inside"]:
        view["deck"] = view["box"]
        for name in ("carried", "on_path", "hazards", "path_length"):
            view[name] = 0


def four_caves_are_all(view):
    """An end: the game is over when one cave is left."""
    if view["cave"] == CAVES - 1:
        view["inside"], view["cave"] = 0, CAVES


DIAMANT = (
    hazards_come_back,
    hazards_empty_chests,
    remainders_are_lost,
    first_card_comes_late,
    four_caves_are_all,
)


@pytest.mark.parametrize("fault", DIAMANT)
def test_faults_of_diamant_are_found(fault):
    assert mismatches("diamant", fault) > 0


# -- Sushi Go!


def revealed(view, place):
    """The players and actions of a turn's first (0) or second (1) cards, if it is over.

    Only players who used chopsticks have a second card. Seats that nobody has taken
    show a maki as their first one.
    """
    actions = [int(view["last"][place]) >> 4 * seat & 15 for seat in range(5)]
    is_over = view["step"] == 0
    return [(p, a) for p, a in enumerate(actions) if is_over and a != USE_CHOPSTICKS]


def seated(view):
    """The number of players whose hands hold cards: all, but at the game's end."""
    return np.count_nonzero(view["hands"])


def puddings_are_cleared(view):
    """A card's count: no pudding stays on the field for the next round."""
    if view["passes"] == 0:
        view["fields"] = 0


def next_gets_the_hand(view):
    """A target, here of the hand: it goes to the next seat, not to the one before."""
    if view["step"] == 0 and view["passes"] > 0:
        players = seated(view)
        view["hands"][:players] = np.roll(view["hands"][:players], 2)


def wasabi_doubles(view):
    """A score: a nigiri on wasabi counts twice, not three times."""
    for player, action in revealed(view, 0) + revealed(view, 1):
        if action >= ON_WASABI:
            view["scores"][player] -= 3 - (action - ON_WASABI)


def chopsticks_come_late(view):
    """An order, here of a turn: used chopsticks go to a hand after hands are passed."""
    for player, _ in revealed(view, 1):
        view["hands"][(player - 1) % seated(view)] -= ONE_CHOPSTICKS
        view["hands"][player] += ONE_CHOPSTICKS


def two_rounds_are_all(view):
    """An end: the game is over when one round is left."""
    if view["round"] == ROUNDS - 1:
        view["round"] = ROUNDS


def one_card_short(view):
    """A card's count: in the second round and later seat 0 gets one card less."""
    if view["passes"] == 0 and view["step"] == 0 and view["round"] < ROUNDS:
        hand = int(view["hands"][0])
        card = hand & -hand  # the lowest bit: one card of some type, or several
        view["hands"][0] -= card
        view["pile"] += card


SUSHI_GO = (
    one_card_short,
    puddings_are_cleared,
    next_gets_the_hand,
    wasabi_doubles,
    chopsticks_come_late,
    two_rounds_are_all,
)


@pytest.mark.parametrize("file", ["sushi_go", "sushi_go_published"])
@pytest.mark.parametrize("fault", SUSHI_GO)
def test_faults_of_sushi_go_are_found_with_both_rule_books(fault, file):
    assert mismatches("sushi_go", fault, file) > 0


# -- Poker


def is_new_hand(view):
    """Whether a hand begins; the first one of a game is not looked at."""
    return view["street"] == 0 and view["acted"] == 0


def a_card_is_dealt_twice(view):
    if is_new_hand(view):
        view["hands"][view["player"], 0] = view["deck"][view["deck_size"] - 1]


def a_card_is_left_in_the_box(view):
    if is_new_hand(view):
        view["deck"][0] = view["deck"][1]


POKER = (a_card_is_dealt_twice, a_card_is_left_in_the_box)


@pytest.mark.parametrize("fault", POKER)
def test_faults_of_poker_are_found(fault):
    assert mismatches("poker", fault) > 0


# -- Uno


def of_new_rounds(fault):
    """Put a fault into the deal of every round but the first one of a game."""
    last = 0

    @wraps(fault)
    def put_in(view):
        nonlocal last
        if view["round"] > last and not view["over"]:
            fault(view)
        last = int(view["round"])

    return put_in


@of_new_rounds
def another_colour_counts(view):
    view["colour"] = (view["colour"] + 1) % NO_COLOUR


@of_new_rounds
def a_card_changes(view):
    """A card's count: one of the pile becomes like the one below it."""
    pile = view["pile"][: view["pile_size"]]
    place = np.flatnonzero(pile[1:] != pile[:-1])[0]
    pile[place + 1] = pile[place]


@of_new_rounds
def a_wild_is_turned_up(view):
    """In the place of a number, which goes into the pile."""
    pile = view["pile"][: view["pile_size"]]
    wilds = np.flatnonzero(pile == WILD)
    if len(wilds) and view["top"] % VALUES < SKIP:
        pile[wilds[0]] = view["top"]
        lowest = bits_of(WILD) & -bits_of(WILD)
        view["discards"], view["top"] = (lowest, 0), WILD


UNO = (another_colour_counts, a_card_changes, a_wild_is_turned_up)


@pytest.mark.parametrize("fault", UNO)
def test_faults_of_uno_are_found(fault):
    assert mismatches("uno", fault) > 0


# -- all of them


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("love_letter", "love_letter"),
        ("diamant", "diamant"),
        ("sushi_go", "sushi_go"),
        ("sushi_go", "sushi_go_published"),
        ("poker", "poker"),
        ("uno", "uno"),
    ],
)
def test_verify_finds_nothing_in_rules_without_a_fault(name, file):
    assert mismatches(name, no_fault, file) == 0
