"""`PolicyAgent`: functions and perceptrons play, in loops and inside of searches."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from gymnasium import spaces
from scipy.stats import chisquare

from mcts_agents import MCTSAgent, PolicyAgent, RandomAgent, make_agent
from mcts_agents.agents import to_mapping
from mcts_agents.arena.playing.match import Seat, play_match
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.envs import environments, make_model
from mcts_agents.model import new_generator
from mcts_agents.wrappers import SingleAgentEnv, single_agent_env
from tests.agents.policies import even, perfect_logits, perfect_move, saved
from tests.model.third_party import Countdown
from tests.search.evaluators import Perfect
from tests.wrappers.playing import episode, plain
from tests.wrappers.test_third_party_seats import FACTORIES


def game_env(name, parallel=False, **variant):
    return environments(make_model(name)[0])[2 if parallel else 0](**variant)


def played(name, agents, seed):
    table = open_table(name)
    moves, returns = play_match(table, [Seat(agent) for agent in agents], seed)
    return moves, returns


def test_perfect_play_never_loses():
    won = 0
    for seed in range(30):
        agents = [PolicyAgent(perfect_move, seed=1), RandomAgent(seed=seed)]
        seat = seed % 2
        _, returns = played("tictactoe", agents[:: 1 - 2 * seat], seed)
        assert returns[seat] >= 0
        won += returns[seat] == 1
    assert won > 15


@pytest.mark.parametrize("name", ["sushi_go:players=3", "love_letter", "pommerman"])
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_it_sees_what_learners_see(name, observation):
    seen = []

    def noting(shown, mask):
        seen.append((shown, mask.copy()))
        return int(mask.argmax())

    model = make_model(name)[1]
    env = single_agent_env(name, observation=observation, seat=1)
    env.reset(seed=3)
    agent = PolicyAgent(noting, observation=observation, seed=1)
    for _ in range(4):
        state, player = env.environment.planning_state(
            env.learner, new_generator(len(seen))
        )
        action = agent.decide(model, state, player)
        assert action == agent.act(env.environment, env.learner)
        expected = env._observation()
        for shown, mask in seen[-2:]:
            assert plain(shown) == plain(expected)
            np.testing.assert_array_equal(mask, env.action_masks())
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break


def test_draws_follow_the_masked_probabilities():
    logits = np.log(np.arange(1.0, 10.0))
    logits[4] = -np.inf
    agent = PolicyAgent(lambda shown, mask: logits, seed=3)
    env = game_env("tictactoe")
    env.reset(seed=1)
    env.step(8)
    counts = np.bincount([agent.act(env) for _ in range(7000)], minlength=9)
    weights = np.array([1, 2, 3, 4, 0, 6, 7, 8, 0])
    assert not counts[weights == 0].any()
    expected = 7000 * weights[weights > 0] / weights.sum()
    assert chisquare(counts[weights > 0], expected).pvalue > 1e-3
    greedy = PolicyAgent(lambda shown, mask: logits, deterministic=True)
    assert {greedy.act(env) for _ in range(5)} == {7}


def test_the_same_seed_gives_the_same_actions():
    def actions(agent):
        env = game_env("love_letter")
        found = []
        for _ in range(3):
            env.reset(seed=4)
            found.append([agent.act(env) for _ in range(20)])
        return found

    agent = PolicyAgent(even, seed=5)
    copied = copy.deepcopy(agent)
    found = actions(agent)
    assert found == actions(PolicyAgent(even, seed=5)) == actions(copied)
    assert found != actions(PolicyAgent(even, seed=6))
    agent.reset(5)
    assert found == actions(pickle.loads(pickle.dumps(agent)))


def test_as_rollout_policy_and_opponent_model():
    asked = []

    def noting(shown, mask):
        asked.append(shown.shape)
        return np.zeros(len(mask))

    env = game_env("love_letter")
    env.reset(seed=2)
    for name in ("rollout_policy", "opponent_model"):
        settings = {"simulations": 50, "tree": "self", name: PolicyAgent(noting)}
        plans = [MCTSAgent(**settings, seed=1).plan(env) for _ in range(2)]
        assert len(set(asked)) == 1
        assert plans[0].visits.tolist() == plans[1].visits.tolist()
        asked.clear()
    # A perfect opponent model sees that a random one loses.
    env = game_env("tictactoe")
    env.reset(seed=1)
    for move in (0, 1):
        env.step(move)
    agent = MCTSAgent(tree="self", opponent_model=PolicyAgent(perfect_move), seed=1)
    assert agent.act(env) in (3, 4, 6)  # those that win against perfect play


@pytest.mark.parametrize("batch", [1, 8])
def test_as_evaluator_it_is_the_same_function(batch):
    settings = {
        "tree_policy": "alphago",
        "value": "win",
        "simulations": 200,
        "batch": batch,
        "seed": 1,
    }
    env = game_env("tictactoe")
    env.reset(seed=1)
    env.step(0)
    found = [
        MCTSAgent(evaluator=evaluator, **settings).plan(env)
        for evaluator in (
            Perfect(2),
            PolicyAgent(perfect_logits),
            PolicyAgent(perfect_logits).evaluator(),
        )
    ]
    assert found[0].action == 4  # the only move that does not lose
    for other in found[1:]:
        np.testing.assert_array_equal(other.visits, found[0].visits)
        np.testing.assert_allclose(other.values, found[0].values)


@pytest.mark.parametrize(
    ("game", "own", "expected"),
    [
        ("tictactoe", 0.5, {0: [0.75, 0.25]}),
        ("tictactoe", -7.0, {1: [1.0, 0.0]}),
        ("sushi_go:players=3", 0.2, {1: [0.2, 0.6, 0.2]}),
        ("pommerman:mode=team", 0.0, {2: [0.5, 0.5, 0.5, 0.5]}),
        ("pommerman:mode=team", 1.0, {1: [0.0, 1.0, 0.0, 1.0]}),
    ],
)
def test_values_of_an_evaluator(game, own, expected):
    model = make_model(game)[1]
    agent = PolicyAgent(lambda shown, mask: (np.ones(len(mask)), own))
    ((player, shares),) = expected.items()
    seen = np.zeros((2, *model.observation_shape), np.int8)
    legal = np.ones((2, model.actions), bool)
    evaluator = agent.evaluator().for_model(model)
    values, logits = evaluator(seen, np.full(2, player), legal)
    np.testing.assert_allclose(values, [shares, shares])
    assert logits.shape == legal.shape


def test_evaluators_that_are_refused():
    env = game_env("tictactoe")
    env.reset(seed=1)
    for agent, settings, why in (
        (PolicyAgent(even), {"value": "win"}, "gives no value; an evaluator needs"),
        (PolicyAgent(perfect_move), {"value": "win"}, "returned an action; an eval"),
        (
            PolicyAgent(perfect_logits),
            {"value": "score"},
            "^value='score': Po.*win",
        ),
    ):
        planner = MCTSAgent(evaluator=agent, tree_policy="alphago", **settings)
        with pytest.raises(ValueError, match=why):
            planner.act(env)
    message = r"not bound to a game yet; call what for_model\("
    with pytest.raises(ValueError, match=message):
        PolicyAgent(perfect_logits).evaluator()(None, None, None)
    for spec in ("random", {"agent": "one-step"}):
        with pytest.raises(ValueError, match=r"^evaluator: .*expected a policy"):
            MCTSAgent(evaluator=spec)
    with pytest.raises(ValueError, match=r"^evaluator=RandomAgent"):
        MCTSAgent(evaluator=RandomAgent())


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (8, r"action 8 is not legal; legal: 0, 1"),
        (-1, "action -1 is not legal"),
        (
            2.5,
            r"returned float of shape \(\); expected an action \(an integer\)",
        ),
        (np.float64(2), "returned float64 of shape"),
        (True, "returned bool"),
        (None, "returned NoneType"),
        ("c3", "returned str"),
        (np.zeros(7), r"ndarray of shape \(7,\); expected .* of shape \(9,\)"),
        (np.zeros((1, 9)), r"of shape \(1, 9\); expected"),
        ((np.array(3), None), r"returned tuple of shape \(\); expected"),
        ((np.zeros(9), None), r"returned tuple of shape \(9,\); expected"),
        ((np.zeros(9), np.zeros(2)), r"returned tuple of shape \(9,\); expected"),
        (np.full(9, np.nan), "gave logits .*nan.* expected finite numbers"),
        (np.full(9, np.inf), "expected finite numbers, or -inf for some"),
        (np.full(9, -np.inf), "expected finite numbers"),
    ],
)
def test_outputs_that_do_not_fit(output, why):
    env = game_env("tictactoe")
    env.reset(seed=1)
    env.step(8)
    agent = PolicyAgent(lambda shown, mask: output)
    with pytest.raises(ValueError, match=why) as raised:
        agent.act(env)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("output", [3, np.int8(3), np.array(3)])
def test_integers_are_actions(output):
    env = game_env("tictactoe")
    env.reset(seed=1)
    action = PolicyAgent(lambda shown, mask: output).act(env)
    assert (action, type(action)) == (3, int)


def test_arguments_that_are_refused():
    for arguments, why in (
        ({"policy": 3}, "^policy=3: expected a function"),
        ({"policy": "model.npz"}, "files are read by PolicyAgent.load"),
        ({"policy": RandomAgent}, "expected a function"),
        ({"policy": even, "observation": "box"}, "^observation='box': expected 'flat'"),
        ({"policy": even, "deterministic": 1}, "^deterministic=1: expected true"),
        ({"policy": even, "seed": -1}, "^seed=-1"),
    ):
        with pytest.raises(ValueError, match=why):
            PolicyAgent(**arguments)
    with pytest.raises(ValueError, match="was not loaded from a file"):
        to_mapping(PolicyAgent(even))


# -- third-party environments


@pytest.mark.parametrize(
    "name", ["tictactoe", "connect_four", "rps", "countdown", "unnested"]
)
def test_other_peoples_environments_by_their_own_observations(name):
    seen = []

    def noting(shown, mask):
        seen.append((plain(shown), mask.tolist()))
        return np.zeros(len(mask))

    for act in (
        lambda env, agent, name: agent.act(env),
        lambda env, agent, name: agent.bind(env)(env.observe(name), name),
    ):
        env = FACTORIES[name]()
        env.reset(seed=1)
        agent = PolicyAgent(noting, observation="dict", seed=1)
        start = len(seen)
        for who in env.agent_iter(12):
            _, _, termination, truncation, _ = env.last()
            done = termination or truncation
            env.step(None if done else act(env, agent, who))
    assert seen[:start] == seen[start:]
    assert start > 1


def test_a_parallel_environment_shows_observations_to_who_steps_it():
    env = FACTORIES["rps_parallel"]()
    observations, _ = env.reset(seed=1)
    agent = PolicyAgent(even, seed=1)
    with pytest.raises(ValueError, match=r"from step.*; use bind\(env\)"):
        agent.act(env, env.agents[0])
    policy = agent.bind(env)
    for _ in range(3):
        actions = {name: policy(observations[name], name) for name in env.agents}
        observations, *_ = env.step(actions)


@pytest.mark.parametrize("name", ["connect_four", "rps_parallel", "countdown"])
def test_as_opponents_of_a_learner(name):
    def shown(seed):
        opponents = PolicyAgent(even, observation="dict")
        env = SingleAgentEnv(FACTORIES[name], opponents)
        return plain(episode(env, np.random.default_rng(0), seed=seed))

    assert shown(1) == shown(1)
    env = single_agent_env("tictactoe", PolicyAgent(perfect_move), seat="random")
    for seed in range(10):
        *_, last = episode(env, np.random.default_rng(seed), seed=seed)
        assert last[-1]["result"] != "won"


def test_searches_on_copies_show_what_the_environment_does():
    env = Countdown()
    env.reset(seed=1)
    seen = []

    def watching(observation, mask):
        seen.append(int(observation.argmax()))
        return even(observation, mask)

    agent = MCTSAgent(
        tree="self", opponent_model=PolicyAgent(watching), perfect_information=True
    )
    assert agent.act(env, env.agents[0]) in (0, 1)
    assert set(seen) == {1, 2, 3, 4}  # what is left of four


@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_searches_on_copies_show_no_mask_in_observations(observation):
    env = FACTORIES["unnested"]()
    env.reset(seed=1)
    seen = []

    def watching(shown, mask):
        seen.append(plain(shown))
        return even(shown, mask)

    policy = PolicyAgent(watching, observation=observation)
    policy.act(env)
    agent = MCTSAgent(tree="self", opponent_model=policy, perfect_information=True)
    assert agent.act(env, env.agents[0]) in (0, 1)
    assert len(seen) > 10
    if observation == "flat":
        assert {shown[0] for shown in seen} == {(9,)}  # its shape
    else:
        assert {tuple(shown["observation"]) for shown in seen} == {("board",)}


def test_players_who_are_shown_different_things_have_no_common_policy():
    class Uneven(Countdown):
        def observation_space(self, agent):
            return spaces.Discrete(100 + self.possible_agents.index(agent))

    env = Uneven()
    env.reset(seed=1)
    agent = MCTSAgent(
        tree="self", opponent_model=PolicyAgent(even), perfect_information=True
    )
    with pytest.raises(ValueError, match="have no observations for a policy"):
        agent.act(env, env.agents[0])


# -- in files of agents, tournaments and without torch


def test_specs_say_the_same_again(tmp_path):
    path = saved(tmp_path / "p.npz")
    for spec, more in (
        (f"policy:file={path}", {}),
        (f"policy:file={path},deterministic=true", {"deterministic": True}),
    ):
        agent = make_agent(spec)
        mapping = to_mapping(agent)
        assert mapping == {
            "agent": "policy",
            "file": path,
            "sha256": agent.sha256,
            **more,
        }
        assert to_mapping(make_agent(mapping)) == mapping
    inner = f"(policy:file={path})"
    agent = make_agent(f"mcts:evaluator={inner},value=win,tree_policy=alphago")
    assert to_mapping(make_agent(to_mapping(agent))) == to_mapping(agent)
    assert to_mapping(agent)["evaluator"]["file"] == path


def test_torch_is_not_imported(tmp_path):
    path = saved(tmp_path / "p.npz")
    code = (
        "import sys; from mcts_agents import make_agent; from mcts_agents.envs import "
        "tictactoe; env = tictactoe.env(); env.reset(seed=1); "
        f"print(make_agent('policy:file={path}', seed=1).act(env)); "
        "print(sorted({'torch', 'stable_baselines3'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    action, found = done.stdout.split("\n", 1)
    assert found.strip() == "[]"
    env = game_env("tictactoe")
    env.reset(seed=1)
    assert int(action) == PolicyAgent.load(path, seed=1).act(env)
