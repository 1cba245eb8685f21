"""Determinizations of every game with hidden information.

At each position of random games, for the player to move: a sample keeps all that the
player sees and every card, is a legal world, and does not depend on what is hidden:
the same information and the same seed give the same sample and the same decision,
whatever the truth is (permuted by code that shares nothing with `redeterminise`).
"""

import os
import random
from collections import Counter

import pytest

from mcts_agents.envs import GAMES, load_game
from mcts_agents.envs.pommerman.official import position
from mcts_agents.model import draw_below, new_generator
from mcts_agents.search import Search, SearchSettings
from tests.envs import (
    colt_express_positions,
    diamant_positions,
    dominion_positions,
    exploding_kittens_positions,
    love_letter_positions,
    poker_positions,
    pommerman_positions,
    sushi_go_positions,
    uno_positions,
    uno_twin,
    virus_positions,
)

# For each game; the variable is for a run that takes its time.
POSITIONS = int(os.environ.get("MCTS_AGENTS_POSITIONS", "3000"))
# Every so many positions a whole decision is compared as well, and a game played on.
DECISIONS_EVERY = 20


def sushi_go_cards(model, state):
    """All cards on the table, in hands and in the pile."""
    view = model.view(state)
    cards = [
        card for hand in sushi_go_positions.shown_hands(model, state) for card in hand
    ]
    cards += sushi_go_positions.names(view["pile"])
    for player in range(model.players):
        fields = sushi_go_positions.names(view["fields"][player])
        cards += fields
    return Counter(cards)


def love_letter_cards(model, state):
    """All sixteen cards."""
    cards = love_letter_positions.all_cards(model, state)
    assert sorted(cards) == sorted(love_letter_positions.WHOLE_DECK)
    return Counter(cards)


def diamant_cards(model, state):
    """The cards of path and deck, in whatever order they will come."""
    cards = diamant_positions.coming(model, state)
    cards += diamant_positions.path_of(model, state)
    return Counter(cards)


def colt_express_cards(model, state):
    """All cards, loot and round cards."""
    return colt_express_positions.all_cards(model, state)


def dominion_cards(model, state):
    """All cards of each player, of the supply and the trash."""
    return dominion_positions.all_cards(model, state)


def exploding_kittens_cards(model, state):
    """All cards, in hands, pile and discards."""
    cards = exploding_kittens_positions.all_cards(model, state)
    assert cards == exploding_kittens_positions.whole_deck(model.players)
    return cards


def poker_cards(model, state):
    """All 52 cards."""
    cards = poker_positions.all_cards(model, state)
    assert sorted(cards) == list(range(52))
    return Counter(cards)


def uno_cards(model, state):
    """All 108 cards."""
    cards = uno_positions.all_cards(model, state)
    assert sorted(cards) == sorted(uno_twin.DECK)
    return Counter(cards)


def virus_cards(model, state):
    """All 68 cards."""
    cards = virus_positions.all_cards(model, state)
    assert cards == virus_positions.WHOLE_DECK
    return cards


def pommerman_items(model, state):
    """The items under wood by number, and everything in sight."""
    here = pommerman_positions.plain(position(model, state))
    hidden = here.pop("hidden_items")
    count = sum(item > 0 for row in hidden for item in row)
    return Counter([("hidden", count), ("seen", repr(here))])


# Cards of a state, what permutes the hidden part, numbers of players.
HIDDEN = {
    "sushi_go": (sushi_go_cards, sushi_go_positions.permute_hidden, (2, 3, 4, 5)),
    "love_letter": (love_letter_cards, love_letter_positions.permute_hidden, (2, 3, 4)),
    "diamant": (diamant_cards, diamant_positions.permute_hidden, (2, 4, 6)),
    "colt_express": (
        colt_express_cards,
        colt_express_positions.permute_hidden,
        (2, 4, 6),
    ),
    "dominion": (dominion_cards, dominion_positions.permute_hidden, (2, 3, 4)),
    "exploding_kittens": (
        exploding_kittens_cards,
        exploding_kittens_positions.permute_hidden,
        (2, 3, 5),
    ),
    "poker": (poker_cards, poker_positions.permute_hidden, (2, 4, 6)),
    "uno": (uno_cards, uno_positions.permute_hidden, (2, 4, 10)),
    "virus": (virus_cards, virus_positions.permute_hidden, (2, 4, 6)),
    "pommerman": (pommerman_items, pommerman_positions.permute_hidden, (2, 4)),
}
# Games that are too long to be played to the end from many positions.
SHORTER = {"uno": {"target": 20}}


def test_every_game_with_hidden_information_is_here():
    assert set(HIDDEN) == {
        name for name in GAMES if load_game(name).rules.has("redeterminise")
    }


def positions_of(model, count, seed):
    """Yield `count` pairs of a state and a player to move, along random games."""
    rng = new_generator(seed)
    while True:
        state = model.reset(rng)
        while movers := model.movers(state):
            for player in movers:
                yield state, player
                count -= 1
                if count == 0:
                    return
            joint = {}
            for player in movers:
                legal = model.legal_actions(state, player)
                joint[player] = int(legal[draw_below(rng, len(legal))])
            model.apply(state, joint, rng)


def is_legal_world(model, state, rng):
    """Whether play goes on from a state to the end, by legal moves only."""
    while movers := model.movers(state):
        joint = {}
        for player in movers:
            legal = model.legal_actions(state, player)
            if len(legal) == 0:
                return False
            joint[player] = int(legal[draw_below(rng, len(legal))])
        model.apply(state, joint, rng)
    return True


@pytest.mark.parametrize(
    ("name", "players"), [(n, p) for n in HIDDEN for p in HIDDEN[n][2]]
)
def test_samples_on_random_positions(name, players):
    cards_of, permute, counts = HIDDEN[name]
    options = SHORTER.get(name, {})
    model = load_game(name).rules.model(players=players, **options)
    settings = SearchSettings(simulations=20, tree="multi")
    search = Search(model, settings)
    number = -(-POSITIONS // len(counts))
    different = 0
    for n, (state, player) in enumerate(positions_of(model, number, players)):
        seen = model.observe(state, player)
        legal = model.legal_actions(state, player)
        sample = model.copy(state)
        model.redeterminise(sample, player, new_generator(n))
        assert (model.observe(sample, player) == seen).all()
        assert (model.legal_actions(sample, player) == legal).all()
        assert model.movers(sample) == model.movers(state)
        assert cards_of(model, sample) == cards_of(model, state)
        truth = model.copy(state)
        permute(model, truth, player, random.Random(n))
        different += (truth != state).any()
        again = model.copy(truth)
        model.redeterminise(again, player, new_generator(n))
        assert (again == sample).all()
        if n % DECISIONS_EVERY == 0:
            assert is_legal_world(model, model.copy(sample), new_generator(n))
            decided = []
            for world in (state, truth):
                rng = new_generator(n)
                root = model.copy(world)
                model.redeterminise(root, player, rng)
                decided.append(search.run(root, player, rng).action)
            assert decided[0] == decided[1]
    assert different > number / 2
