"""Random games of the card games, with bounds checked and everything counted.

    export NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=EMPTY_FOLDER
    python -m tests.envs.soak [GAME ...] [--games 10000]

After each decision no card, chip or token may be lost or new, and the game must end.
`test_soak.py` plays fewer games.
"""

import argparse
from collections import Counter

from mcts_agents.envs import make_model
from mcts_agents.model import RESULT_NAMES, draw_below, new_generator
from tests.envs import (
    colt_express_positions,
    dominion_positions,
    exploding_kittens_positions,
    poker_positions,
    uno_positions,
    virus_positions,
)

# More decisions than any game has.
MOST_DECISIONS = 100_000
# Random play to 500 points takes very long.
SHORT = {"uno": "uno:target=100"}
# The last round card gives and takes purses when the game is over.
PAYS_IN_THE_END = {"colt_express"}


def uno(model, state):
    """All cards."""
    return Counter(uno_positions.all_cards(model, state))


def virus(model, state):
    """All cards."""
    return Counter(virus_positions.all_cards(model, state))


def exploding_kittens(model, state):
    """All cards."""
    return Counter(exploding_kittens_positions.all_cards(model, state))


def dominion(model, state):
    """Nothing: reading the cards compares all places with the whole game."""
    dominion_positions.all_cards(model, state)


def poker(model, state):
    """All 52 cards, and all chips."""
    view = model.view(state)
    assert len(set(poker_positions.all_cards(model, state))) == 52
    assert view["stacks"].min() >= 0
    return int(view["stacks"].sum() + view["bets"].sum())


def colt_express(model, state):
    """All cards and loot, but bullets and a second strongbox, which come later."""
    cards = colt_express_positions.all_cards(model, state)
    assert cards.pop("strongbox") in (1, 2)
    return {kind: n for kind, n in cards.items() if "bullet" not in kind}


# Game: what stays the same, and the numbers of players.
GAMES = {
    "poker": (poker, range(2, 7)),
    "uno": (uno, range(2, 11)),
    "virus": (virus, range(2, 7)),
    "exploding_kittens": (exploding_kittens, range(2, 6)),
    "dominion": (dominion, range(2, 5)),
    "colt_express": (colt_express, range(2, 7)),
}


def soak(game, games):
    """Play random games with all numbers of players in turn; return the decisions."""
    conserved, players = GAMES[game]
    models = [make_model(SHORT.get(game, game), n)[1] for n in players]
    decisions = 0
    for number in range(games):
        model, rng = models[number % len(models)], new_generator(number)
        state = model.reset(rng)
        before = conserved(model, state)
        for _ in range(MOST_DECISIONS):
            if model.is_over(state):
                break
            (player,) = model.movers(state)
            legal = model.legal_actions(state, player)
            assert len(set(legal.tolist())) == len(legal) > 0
            action = int(legal[draw_below(rng, len(legal))])
            model.apply(state, {player: action}, rng)
            if game not in PAYS_IN_THE_END or not model.is_over(state):
                assert conserved(model, state) == before, (number, action)
            decisions += 1
        else:
            raise AssertionError(f"game {number} goes on")
        results = {RESULT_NAMES[result] for result in model.results(state)}
        assert "won" in results or results == {"drawn"}, (number, results)
    return decisions


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="GAME", default=list(GAMES))
    parser.add_argument("--games", type=int, default=10_000)
    asked = parser.parse_args()
    for name in asked.names:
        found = soak(name, asked.games)
        print(f"{name}: {asked.games:,} games, {found:,} decisions", flush=True)
