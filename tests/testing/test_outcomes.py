"""Checks of `pass_turn`, `outcomes` and `apply_outcome`."""

import numpy as np
import pytest

from mcts_agents.model import Rules, RulesError, Spec, new_generator
from mcts_agents.testing import CheckError, check_rules
from tests.games.dice import rules

MISTAKES = {
    "sum": r"`outcomes` wrote \[0.9, 0.[53]",
    "outcome": r"`apply_outcome` reaches none of the states that `apply` does",
    "zero": r"`outcomes` returned 0 for",
    "pass_two": r"`pass_turn` left the mask of movers 3",
    "pass_results": r"`pass_turn` (changed the results|left the mask of movers 0)",
}


def test_a_game_that_lists_its_chances_and_lets_players_pass():
    report = check_rules(rules)
    assert report.checked["apply draws one of the outcomes"] >= 10
    assert report.checked["pass_turn leaves one player to move"] >= 10


@pytest.mark.parametrize("fault", MISTAKES)
def test_every_mistake_is_named(fault):
    with pytest.raises(CheckError, match=MISTAKES[fault]):
        check_rules(rules, variants=[{"fault": fault}], episodes=20)


def test_listed_outcomes_from_python():
    model = rules.model(turns=2)
    state = model.reset(new_generator(0))
    assert model.outcomes(state, [2, -1]).tolist() == [1 / 3] * 3
    reached = []
    for outcome in range(3):
        after = model.copy(state)
        model.apply_outcome(after, [2, -1], outcome)
        reached.append(model.scores(after).tolist())
    assert reached == [[0, 0], [2, 0], [6, 0]]
    model.pass_turn(state)
    assert model.movers(state) == (1,)
    assert model.scores(state).tolist() == [0, 0]


def one_player(game, *, players=1):
    return Spec(players=players, actions=1)


def test_chances_are_listed_and_applied_or_neither():

    half = Rules("half", state=np.dtype([("left", np.int64)]))
    half.variant(one_player)
    for name in ("reset", "movers", "legal_actions", "apply", "scores", "results"):
        half._functions[name] = rules._functions[name]
    half._functions["outcomes"] = rules._functions["outcomes"]
    with pytest.raises(RulesError, match="`outcomes` without `apply_outcome`"):
        half.model()
