"""What networks say as searches want it: values by seat, scores of single players."""

import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.model import PLAYING, WON, Rules, Spec, new_generator
from mcts_agents.networks import HeadsEvaluator, NetworkConfig
from mcts_agents.networks.heads import values_by_player
from mcts_agents.search import Search, SearchSettings
from tests.networks.small import positions, small

TEAMS = [(0, 1), (0, 1, 2), (0, 1, 0, 1), (0, 0, 1, 2)]
STEPS = 3


def by_hand(values, observer, teams):
    """Shares of a win by seat: the teams are met in turn order from the observer."""
    order = list(
        dict.fromkeys(teams[(observer + i) % len(teams)] for i in range(len(teams)))
    )
    weights = [np.exp(float(value)) for value in values]
    return [weights[order.index(team)] / sum(weights) for team in teams]


@pytest.mark.parametrize("teams", TEAMS)
def test_values_by_seat(teams):
    draw = np.random.default_rng(0)
    values = draw.normal(size=(12, len(set(teams)))).astype(np.float32)
    observers = np.arange(12) % len(teams)
    found = values_by_player(values, observers, teams)
    for row in range(12):
        expected = by_hand(values[row], observers[row], teams)
        np.testing.assert_allclose(found[row], expected, rtol=1e-5)


def test_values_of_a_single_player_are_returns():
    values = np.array([[-7.5], [300.0]], np.float32)
    found = values_by_player(values, np.zeros(2, np.int64), (0,))
    np.testing.assert_array_equal(found, values)


def test_large_logits_do_not_overflow():
    values = np.array([[1e4, -1e4]], np.float32)
    found = values_by_player(values, np.zeros(1, np.int64), (0, 1))
    np.testing.assert_array_equal(found, [[1.0, 0.0]])


def climbing():
    """One player, three steps: an action is what it pays, 0 to 2."""
    rules = Rules(
        "climbing",
        state=np.dtype([("step", np.int8), ("score", np.int8)]),
        chance=False,
    )

    @rules.variant
    def variant(game, *, players=1):
        return Spec(players=1, actions=3, observation_shape=(2,))

    @rules.define
    def reset(game, state, rng):
        state.step = 0
        state.score = 0

    @rules.define
    def movers(game, state):
        return 1 if state.step < STEPS else 0

    @rules.define
    def legal_actions(game, state, player, out):
        out[0], out[1], out[2] = 0, 1, 2
        return 3

    @rules.define
    def apply(game, state, joint_action, rng):
        state.step += 1
        state.score += joint_action[0]

    @rules.define
    def scores(game, state, out):
        out[0] = state.score

    @rules.define
    def results(game, state, out):
        out[0] = PLAYING if state.step < STEPS else WON

    @rules.define
    def observe(game, state, player, out):
        out[0] = state.step
        out[1] = state.score

    return rules.model()


def returns_left(observations):
    """The best return from here on, and no preference among actions."""
    left = 2.0 * (STEPS - observations[:, :1].astype(np.float32))
    return np.zeros((len(left), 3), np.float32), left


def test_a_single_player_gets_score_and_return():
    model = climbing()
    config = NetworkConfig.for_model(model)
    assert (config.kind, config.teams) == ("perceptron", 1)
    evaluator = HeadsEvaluator(returns_left, config)
    assert evaluator.required_value == "score"
    bound = evaluator.for_model(model)
    rng = new_generator(0)
    state = model.reset(rng)
    model.apply(state, [1], rng)  # one step back: 5 of 6 can still be had
    states, players = state[None], np.zeros(1, np.int64)
    shown = bound.observe(model, states, players)
    values, logits = bound(shown, players, np.ones((1, 3), bool))
    np.testing.assert_array_equal(values, [[5.0]])
    np.testing.assert_array_equal(logits, np.zeros((1, 3)))
    settings = SearchSettings(
        evaluator=evaluator,
        tree_policy="alphago",
        value="score",
        score_bonus=0.0,
        simulations=60,
    )
    found = Search(model, settings).run(model.reset(rng), 0, rng)
    assert found.action == 2


def test_illegal_actions_have_no_prior():
    description, model = small("tictactoe")
    seen, players, legal = positions(model, 20)
    rows = np.zeros((20, 9), np.float32), np.zeros((20, 2), np.float32)
    evaluator = HeadsEvaluator(lambda _: rows, description.config, description)
    values, logits = evaluator.for_model(model)(seen, players, legal)
    np.testing.assert_array_equal(logits, np.where(legal, 0.0, -np.inf))
    np.testing.assert_array_equal(values, np.full((20, 2), 0.5))


def test_what_does_not_fit_is_refused():
    description, model = small("hex:size=5")
    evaluator = HeadsEvaluator(lambda _: None, description.config)
    message = r"not bound to a game yet; call what for_model\("
    with pytest.raises(ValueError, match=message):
        evaluator(*positions(model, 2))
    agent = MCTSAgent(evaluator=evaluator, tree_policy="alphago", value="win")
    from mcts_agents.envs import connect_four

    env = connect_four.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="observations of shape"):
        agent.plan(env)
