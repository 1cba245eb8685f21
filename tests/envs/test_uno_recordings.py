"""Faults that are put into the rules of Uno are found by the recorded games of TAG."""

import copy
from functools import cache

import pytest

from mcts_agents.envs.uno.cards import POINTS, WILD, point_masks
from mcts_agents.envs.uno.recordings import RECORDS
from mcts_agents.envs.uno.rules import rules
from tests.golden import golden_folder, recorded_games

GAMES = 30  # the shortest ones of the larger set
RED_5, SKIPS = 5, (10, 23, 36, 49)


@cache
def games():
    _, found = recorded_games(golden_folder("tag") / "uno.jsonl.gz")
    return sorted(found, key=lambda game: len(game["steps"]))[:GAMES]


def first_difference(change=lambda game: None, tamper=lambda game: None):
    """What differs first if the record of the variant, or the game, is changed.

    What differs at the start does not count: `test_recorded_openings.py` looks at that.
    """
    for game in games():
        played = copy.deepcopy(game)
        tamper(played)
        model = rules.model(players=game["players"], target=game["target"])
        model.game.setflags(write=True)
        change(model.game[0])
        for _, what, recorded, found, _ in RECORDS.compared(model, played):
            if recorded != found and "at the start" not in what:
                return what
    return None


def less_cards(game):
    game["deck"][1] &= ~(1 << RED_5) & (2**64 - 1)


def other_match(game):
    game["match"][:, WILD] = game["match"][:, WILD + 1]


def other_points(game):
    points = POINTS.copy()
    points[list(SKIPS)] = 10
    game["point_masks"] = point_masks(points)


def draws_four(game):
    game["quirks"] = False


def later_end(game):
    game["target"] += 1000


def turned(game):
    if game["players"] > 2:
        game["start"]["direction"] *= -1


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        (less_cards, "the numbers of cards that were dealt"),
        (other_match, ("the set of legal moves of player_", "card after the step")),
        (other_points, "points after the step"),
        (draws_four, ("the set of legal moves of player_", "colour", "player after")),
        (later_end, "whether the game is over"),
    ],
)
def test_a_fault_of_the_rules_is_found(fault, what):
    assert first_difference() is None
    assert first_difference(fault).startswith(what)


def test_another_order_of_play_is_found():
    assert first_difference(tamper=turned) == "player after the step"
