"""Games without points: `scores` may be left out, and the check sees idle ones."""

import numpy as np
import pytest

from mcts_agents import MCTSAgent, OneStepAgent
from mcts_agents.agents import AlphaBetaAgent, GRAVEAgent, MaxNAgent
from mcts_agents.envs import GAMES, environments, load_game
from mcts_agents.minimax.settings import MinimaxSettings
from mcts_agents.model import LOST, PLAYING, WON, Rules, RulesError, Spec, new_generator
from mcts_agents.search import SearchSettings
from mcts_agents.testing import check_rules
from tests.command import run
from tests.model.test_rules import RACE

ADVICE = "scores were equal in every position, but games were won"


def heap(scores=None, **keywords):
    """Ten stones, of which one to three are taken; whoever takes the last one wins."""
    rules = Rules(
        "heap",
        state=np.dtype([("stones", np.int8), ("turn", np.int8)]),
        chance=False,
        **keywords,
    )

    @rules.variant
    def variant(game, *, players=2):
        return Spec(
            players=players,
            actions=3,
            observation_shape=(1,),
            observation_bounds=(0, 10),
        )

    @rules.define
    def reset(game, state, rng):
        state.stones, state.turn = 10, 0

    @rules.define
    def movers(game, state):
        return 1 << state.turn if state.stones > 0 else 0

    @rules.define
    def legal_actions(game, state, player, out):
        n = min(3, state.stones)
        for action in range(n):
            out[action] = action
        return n

    @rules.define
    def apply(game, state, joint_action, rng):
        state.stones -= joint_action[state.turn] + 1
        state.turn = (state.turn + 1) % game.players

    @rules.define
    def results(game, state, out):
        out[:] = PLAYING if state.stones > 0 else LOST
        if state.stones == 0:
            out[(state.turn - 1) % game.players] = WON

    @rules.define
    def observe(game, state, player, out):
        out[0] = state.stones

    if scores is not None:
        rules.define(scores)
    return rules


def no_points(game, state, out):
    out[:] = 0.0


no_points.__name__ = "scores"


def left(game, state, out):
    out[:] = state.stones


left.__name__ = "scores"


HEAP = heap()


def test_scores_that_are_left_out_are_zeros():
    rules = heap()
    model = rules.model(players=3)
    assert model.scores(model.reset(new_generator(0))).tolist() == [0.0, 0.0, 0.0]
    assert not rules.has("scores")
    assert check_rules(rules, episodes=1).advice == []


def test_searches_of_a_game_without_scores_value_who_wins():
    model = heap().model()
    assert model.search_defaults == {"value": "win"}
    for settings in (SearchSettings(simulations=10), MinimaxSettings("alphabeta")):
        assert settings.for_model(model).value == "win"


def test_a_search_of_a_game_without_scores_finds_the_win():
    """Nim: leave a multiple of four."""
    game = environments(heap())[1]()
    game.reset(seed=0)
    result = MCTSAgent(simulations=1000, seed=0).plan(game)
    assert result.solved
    assert result.action == 1


def test_other_defaults_of_a_game_without_scores_are_kept():
    chosen = {"rollout": 7, "value": "evaluate"}
    assert heap(search_defaults=chosen).model().search_defaults == chosen
    assert heap(search_defaults={"rollout": 7}).model().search_defaults == {
        "value": "win",
        "rollout": 7,
    }


@pytest.mark.parametrize("value", ["score", "leader"])
def test_a_value_of_scores_needs_scores(value):
    with pytest.raises(RulesError, match=rf"'{value}'.* without a function `scores`"):
        heap(search_defaults={"value": value}).model()


@pytest.mark.parametrize("value", ["score", "leader"])
@pytest.mark.parametrize(
    "make",
    [MCTSAgent, OneStepAgent, GRAVEAgent, AlphaBetaAgent, MaxNAgent],
    ids=lambda make: make.__name__,
)
def test_a_value_of_scores_that_a_user_gives_is_refused(make, value):
    game = environments(heap())[1]()
    game.reset(seed=0)
    words = rf"value='{value}': heap has no scores, .* use value='win', or give the"
    with pytest.raises(ValueError, match=words):
        make(value=value).plan(game)


@pytest.mark.parametrize("spec", ["mcts:value=score", "alphabeta:value=leader"])
def test_a_value_of_scores_in_a_spec_is_refused_in_one_line(spec):
    game = f"{__name__}:HEAP"
    found = run("play", game, "--agent", spec, "--agent", "random")
    assert found.returncode == 2
    *_, line = found.stderr.splitlines()  # after what was compiled
    assert line.startswith("mcts-agents: value=")
    assert "use value='win', or give the rules a function" in line


@pytest.mark.parametrize("make", [MCTSAgent, AlphaBetaAgent])
@pytest.mark.parametrize("scores", [None, left])
def test_what_to_use_instead_of_an_evaluation_that_is_missing(make, scores):
    game = environments(heap(scores))[1]()
    game.reset(seed=0)
    with pytest.raises(ValueError, match=r"evaluat.*use value=") as raised:
        make(value="evaluate").plan(game)
    named = "score" in str(raised.value) or "leader" in str(raised.value)
    assert named == (scores is not None)
    assert "'win'" in str(raised.value)


@pytest.mark.parametrize("name", ["value", "rollout"])
def test_a_default_of_searches_that_is_none_is_refused(name):
    words = rf"'{name}': None.* None chooses nothing; leave {name} out"
    with pytest.raises(RulesError, match=words):
        heap(search_defaults={name: None}).model()


def test_the_check_advises_where_scores_never_differ():
    report = check_rules(heap(no_points), episodes=1)
    assert len(report.advice) == 1
    assert report.advice[0].startswith(ADVICE)
    assert "search_defaults={'value': 'win'}" in str(report)


@pytest.mark.parametrize("players", [2, 3])
def test_the_advice_is_given_once(players):
    variants = [{"players": players}, {"players": 4}]
    assert len(check_rules(heap(no_points), variants=variants, episodes=1).advice) == 1


def test_no_advice_where_searches_see_a_difference():
    assert not check_rules(heap(left), episodes=1).advice
    of_wins = heap(no_points, search_defaults={"value": "win"})
    assert not check_rules(of_wins, episodes=1).advice
    assert not check_rules(RACE, episodes=1).advice


def test_no_game_of_the_package_leaves_scores_out():
    """So their searches are what they were."""
    for name in GAMES:
        assert load_game(name).rules.has("scores"), name
