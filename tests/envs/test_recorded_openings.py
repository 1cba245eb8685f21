"""Faults in how the rules set up a game are found by the recorded games of TAG.

The recorded first state is set before the first step, so that only a comparison of our
own opening finds them.
"""

import numpy as np
import pytest

from mcts_agents.envs.colt_express.cards import JEWEL
from mcts_agents.envs.dominion.cards import COPPER
from mcts_agents.envs.dominion.cards import ONE as ONE_IN_DOMINION
from mcts_agents.envs.exploding_kittens.cards import DEFUSE, KITTEN
from mcts_agents.envs.exploding_kittens.cards import ONE as ONE_IN_KITTENS
from mcts_agents.envs.love_letter.cards import ONE, PRINCESS
from mcts_agents.envs.sushi_go.turns import ROUNDS
from mcts_agents.envs.uno.cards import WILD
from mcts_agents.envs.virus.cards import NO_CARD
from mcts_agents.envs.virus.turns import DRAWN_GAME
from tests.envs.faulty_rules import mismatches, no_fault


def change(**fields):
    """A fault that gives fields of the opening other values."""

    def fault(view):
        for name, value in fields.items():
            view[name] = value

    fault.__name__ = "_".join(fields)
    return fault


def other_player_begins(view):
    view["player"] = 1


# -- Love Letter


def nothing_is_open(view):
    """With two players no cards are laid aside for all to see."""
    view["face_up"] = 0


def princess_is_dealt_to_all(view):
    view["hands"][view["hands"] > 0] = PRINCESS


LOVE_LETTER = (
    *(nothing_is_open, princess_is_dealt_to_all, other_player_begins),
    change(tokens=1),
    change(protected=2),
    change(alive=1),
    change(winner=0),
    change(round=1),
    change(known=1 << 1),
    change(discards=ONE[PRINCESS]),
)


# -- Diamant

DIAMANT = (change(chests=1), change(inside=1), change(cave=1), change(box=0))


# -- Sushi Go!


def a_card_is_lost(view):
    """The lowest bit of the pile: one card of some type, or several."""
    pile = int(view["pile"])
    view["pile"] -= np.uint64(pile & -pile)


SUSHI_GO = (
    a_card_is_lost,
    change(hands=0),
    change(scores=1),
    change(fields=1),
    change(wasabi=1),
    change(round=ROUNDS),
    change(users=1, step=1),
)


# -- Poker


def nobody_pays_blinds(view):
    view["stacks"] += view["bets"]
    view["bets"] = 0


POKER = (
    *(nobody_pays_blinds, other_player_begins),
    change(stacks=1),
    change(hand=1),
    change(folded=2),
    change(small_blind=1),
    change(needs_call=0),
    change(deck_size=40),
    change(over=True),
)


# -- Uno


UNO = (
    change(hands=0),
    change(points=1),
    change(direction=0),
    change(round=1),
    change(colour=0),
    change(top=WILD),
    change(player=0),
    change(pile_size=50),
    change(pile=0),
    change(discards=0),
)


# -- Virus!

VIRUS = (
    other_player_begins,
    change(hands=NO_CARD),
    change(pile=0),
    change(pile_left=9),
    change(winner=DRAWN_GAME),
    change(discards=1),
    change(bodies=5),
    change(turn=12),
)


# -- Exploding Kittens

SPECIAL = (DEFUSE, KITTEN)


def nobody_has_a_defuse(view):
    """Each has changed it for a card of the pile, which is no Defuse either."""
    pile = view["pile"][: view["pile_left"]]
    others = [place for place, card in enumerate(pile) if card not in SPECIAL]
    for seat in range(int(view["alive"]).bit_count()):
        place = others[seat]
        view["hands"][seat] += ONE_IN_KITTENS[pile[place]] - ONE_IN_KITTENS[DEFUSE]
        pile[place] = DEFUSE


def hands_are_short(view):
    """A card of each hand lies on the pile."""
    for seat in range(int(view["alive"]).bit_count()):
        hand = int(view["hands"][seat])
        card = (hand & -hand).bit_length() - 1 >> 2
        view["hands"][seat] -= ONE_IN_KITTENS[card]
        view["pile"][view["pile_left"]] = card
        view["pile_left"] += 1


EXPLODING_KITTENS = (
    *(nobody_has_a_defuse, hands_are_short, other_player_begins),
    change(hands=0),
    change(draws=2),
    change(alive=1),
    change(pile=KITTEN),
    change(order_of_death=1),
    change(discards=1),
)


# -- Dominion


def hands_of_four(view):
    """Each has the last card of the hand on the pile."""
    for seat in np.flatnonzero(view["hand_sizes"]):
        view["hands"][seat] -= ONE_IN_DOMINION[COPPER]
        view["hand_sizes"][seat] -= 1
        view["piles"][seat, view["pile_left"][seat]] = COPPER
        view["pile_left"][seat] += 1


DOMINION = (
    *(hands_of_four, other_player_begins),
    change(actions=2),
    change(buys=0),
    change(money=1),
    change(supply=0),
    change(points=0),
    change(pile_left=4),
)


# -- Colt Express


def two_purses_each(view):
    players = int(view["marshal"])
    view["loot"][:players, 0] = 2


def purses_are_lost(view):
    """The purses outside of the game are one more than there are."""
    view["unused"][0] += 1


def jewel_in_each_car(view):
    """Those with three, or with one and one or four purses, stay as they are."""
    view["on_train"][0, JEWEL] = 2


COLT_EXPRESS = (
    *(two_purses_each, purses_are_lost, jewel_in_each_car, other_player_begins),
    change(loot=0),
    change(bullets=5),
    change(marshal=0),
    change(characters=0),
    change(rounds=0),
    change(hands=0),
    change(places=0),
    change(round=1),
)


# -- all of them

FAULTS = {
    "love_letter": LOVE_LETTER,
    "diamant": DIAMANT,
    "sushi_go": SUSHI_GO,
    "poker": POKER,
    "uno": UNO,
    "virus": VIRUS,
    "exploding_kittens": EXPLODING_KITTENS,
    "dominion": DOMINION,
    "colt_express": COLT_EXPRESS,
}


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name in FAULTS for fault in FAULTS[name]]
)
def test_faults_of_the_opening_are_found(name, fault):
    assert mismatches(name, fault, after="reset") > 0


@pytest.mark.parametrize("fault", SUSHI_GO)
def test_faults_of_the_opening_are_found_with_the_published_rules(fault):
    assert mismatches("sushi_go", fault, "sushi_go_published", after="reset") > 0


@pytest.mark.parametrize("name", FAULTS)
def test_nothing_is_found_without_a_fault(name):
    assert mismatches(name, no_fault, after="reset") == 0
