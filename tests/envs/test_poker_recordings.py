"""Faults put into the rules of Poker are found by the recorded games of TAG."""

import copy
from functools import cache

import pytest

from mcts_agents.envs.poker.recordings import RECORDS
from mcts_agents.envs.poker.rules import rules
from tests.golden import golden_folder, recorded_games


@cache
def games():
    return recorded_games(golden_folder("tag") / "poker.jsonl.gz")[1]


def first_difference(change=lambda game: None, tamper=lambda game: None):
    """What differs first if the record of the variant, or the game, is changed.

    What differs at the start does not count: `test_recorded_openings.py` looks at that.
    """
    for game in games():
        played = copy.deepcopy(game)
        tamper(played)
        model = rules.model(players=game["players"], odd_chips="lost")
        model.game.setflags(write=True)
        change(model.game[0])
        for _, what, recorded, found, _ in RECORDS.compared(model, played):
            if recorded != found and "at the start" not in what:
                return what
    return None


def less_cards(game):
    game["cards"] = 51


def other_raise(game):
    game["raises"][1] = 3


def other_blind(game):
    game["big_blind"] = 9


def other_end(game):
    game["deals"] += 1


def keeps_odd_chips(game):
    game["loses_odd_chips"] = False


def turned(game):
    if game["players"] > 2:
        seats = game["players"]
        game["start"]["first_to_act"] = (game["start"]["player"] + 1) % seats


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        (less_cards, "all cards of the new deal"),
        (other_raise, ("the set of legal moves of player_", "stacks after the step")),
        (other_blind, ("stacks after the step", "bets after the step")),
        (other_end, "phase after the step"),
    ],
)
def test_a_fault_of_the_rules_is_found(fault, what):
    assert first_difference() is None
    assert first_difference(fault).startswith(what)


def test_another_order_of_play_is_found():
    # Which of them shows it first depends on the games of the set.
    found = first_difference(tamper=turned)
    order = ("first_to_act after the step", "player after the step")
    assert found in (*order, "who is asked without chips")


def ask_another_without_chips(game):
    """Of two players without chips TAG asks the other one."""
    state = dict(game["start"])
    for step in game["steps"]:
        others = [
            seat
            for seat, chips in enumerate(state["stacks"])
            if chips == state["stacks"][step["p"]] == 0 and seat != step["p"]
        ]
        if step.get("forced") and others:
            step["p"] = others[0]
            return
        state |= step["d"]


def test_another_player_asked_without_chips_is_found():
    found = first_difference(tamper=ask_another_without_chips)
    assert found == "who is asked without chips"


def test_odd_chips_that_are_kept_are_found():
    """Where the set in use has such a hand; the larger one has two."""
    odd = 0
    for game in games():
        for step in game["steps"]:
            end = step.get("hand_end", {})
            if "standard_stacks" in end:
                had = sum(end["stacks_before"]) + sum(end["bets"])
                odd += sum(end["standard_stacks"]) < had
    assert odd > 0
    assert first_difference(keeps_odd_chips) == "the chips after the hand"
