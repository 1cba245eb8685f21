"""The evaluator as opponent model: others play what its policy finds most probable."""

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.search import Search, SearchSettings
from tests.search.evaluators import PUCT, linear, run, virtual_visits
from tests.toy_games import auction

SAMPLED = {"loop": "sampled", "exploration": 2.5}
PAIR = {"tree": "pair", "paranoid": True, "simultaneous": "serialised"}
TREES = {"self": {"tree": "self"}, "pair": PAIR, "pair at once": {"tree": "pair"}}
GAMES = {
    "pommerman": ["self", "pair", "pair at once"],
    "pommerman:mode=team,observation=planes": ["self", "pair"],
    "sushi_go:players=4": ["self", "pair at once"],  # nobody is the nearest
}


def most_probable(evaluator):
    """The same model in Python, which asks for one player after another."""

    def choose(model, state, player):
        actions = model.legal_actions(state, player)
        if model.has("filter_actions"):
            actions = model.filter_actions(state, player, actions)
        legal = np.zeros((1, model.actions), bool)
        legal[0, actions] = True
        seen = model.observe(state, player)[None]
        _, logits = evaluator.answer(seen, np.array([player]), legal)
        return int(np.where(legal, logits, -np.inf)[0].argmax())

    return choose


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize(
    ("spec", "tree"), [(spec, tree) for spec in GAMES for tree in GAMES[spec]]
)
def test_it_plays_as_the_same_model_outside_of_the_batch(spec, tree, batch):
    model = make_model(spec)[1]
    chosen = {**SAMPLED, **TREES[tree], "batch": batch, "simulations": 120}
    rows = []
    for player in range(2):
        evaluator = linear(model, player)
        evaluator.policy_weights *= 0.05  # so that there are several lines of play
        found, search = run(
            model, evaluator, player=player, opponent_model="evaluator", **chosen
        )
        rows += evaluator.calls
        expected, _ = run(
            model,
            evaluator,
            player=player,
            opponent_model=most_probable(evaluator),
            **chosen,
        )
        assert found.simulations == 120
        assert found.visits.tolist() == expected.visits.tolist()
        np.testing.assert_array_equal(found.values, expected.values)

        assert not virtual_visits(search).any()
    # One call asks for all players of a position, however many there are.
    assert max(rows) > batch


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("tree", ["self", "pair"])
def test_a_tree_that_ends_between_the_two(tree, depth):
    model = make_model("pommerman")[1]
    evaluator = linear(model)
    evaluator.policy_weights *= 0.05
    chosen = {**SAMPLED, **TREES[tree], "batch": 4, "max_depth": depth}
    models = "evaluator", most_probable(evaluator)
    found, expected = (
        run(model, evaluator, player=0, opponent_model=other, **chosen)[0]
        for other in models
    )
    assert found.visits.tolist() == expected.visits.tolist()
    np.testing.assert_array_equal(found.values, expected.values)


def test_all_players_are_asked_in_one_call():
    model = make_model("pommerman")[1]
    evaluator = linear(model)
    run(
        model,
        evaluator,
        player=0,
        tree="self",
        opponent_model="evaluator",
        batch=1,
        **SAMPLED,
    )
    assert evaluator.calls[0] == 4
    assert set(evaluator.calls) <= {1, 2, 3, 4}


def test_positions_in_which_only_others_decide_are_refused():
    model = auction()  # where players sleep
    with pytest.raises(RuntimeError, match=r"auction: opponent_model='evaluator': the"):
        run(
            model,
            Observing(model),
            player=0,
            tree="self",
            opponent_model="evaluator",
            **SAMPLED,
        )


class Observing:
    """Even answers for a game without `observe`."""

    def __init__(self, model):
        self.players = model.players

    def observe(self, model, states, players):
        return states

    def __call__(self, observations, players, legal):
        return np.full((len(players), self.players), 1 / 3), np.zeros(legal.shape)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"evaluator": None}, "opponent_model='evaluator': there is no evaluator"),
        ({"loop": "open"}, "opponent_model='evaluator': needs tree self or pair, and"),
        ({"tree": "one"}, "only with rollout above 0, or tree self or pair$"),
        (
            {"rollout_policy": "evaluator"},
            "^rollout_policy='evaluator' has an effect only with rollout above 0$",
        ),
    ],
)
def test_what_does_not_go_together(chosen, said):
    model = make_model("pommerman")[1]
    settings = {
        **PUCT,
        **SAMPLED,
        "tree": "self",
        "evaluator": linear(model),
        "opponent_model": "evaluator",
        **chosen,
    }
    with pytest.raises(ValueError, match=said):
        Search(model, SearchSettings(**settings))
