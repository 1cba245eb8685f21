"""What a learner earns is what the game below pays its agent, to the last reward."""

import copy
import pickle
from collections import Counter

import cloudpickle
import numpy as np
import pytest

from mcts_agents import MCTSAgent, ScriptedAgent
from mcts_agents.agents import Agent
from mcts_agents.envs import tictactoe
from mcts_agents.model import RESULT_NAMES
from mcts_agents.wrappers import SingleAgentEnv, single_agent_env
from tests.envs.variants import VARIANTS
from tests.wrappers.playing import (
    Recorded,
    episode,
    plain,
    random_action,
    recorded,
    returns_of,
)

RESULTS = {1.0: "won", 0.0: "drawn", -1.0: "lost"}


@pytest.mark.parametrize("seat", [0, 1])
def test_tic_tac_toe_has_as_many_wins_draws_and_losses_as_below(seat):
    below = recorded("tictactoe")
    env = SingleAgentEnv(below, seat=seat)
    rng = np.random.default_rng(1)
    seen, paid, late = Counter(), Counter(), 0
    for number in range(500):
        shown = episode(env, rng, seed=1 if number == 0 else None)
        returns, finished = returns_of("tictactoe", below.seed, below.decisions)
        assert len(finished) == 2
        _, _, reward, terminated, truncated, info = shown[-1]
        assert terminated and not truncated
        assert [step[2] for step in shown[1:-1]] == [0.0] * (len(shown) - 2)
        assert RESULTS[reward] == info["result"]
        seen[reward] += 1
        paid[returns[f"player_{seat}"]] += 1
        late += reward == -1 and f"player_{1 - seat}" in below.decisions[-1]
    assert seen == paid
    assert min(seen[result] for result in RESULTS) > 30
    assert late == seen[-1.0]  # all losses come in the opponent's turn


@pytest.mark.parametrize("label", VARIANTS)
def test_returns_and_ends_are_those_of_the_game_below(label):
    below = recorded(label)
    env = SingleAgentEnv(below, seat="random")
    rng = np.random.default_rng(2)
    for number in range(4):
        shown = episode(env, rng, seed=3 if number == 0 else None)
        returns, finished = returns_of(label, below.seed, below.decisions)
        assert env.learner in finished
        assert sum(step[2] for step in shown[1:]) == returns[env.learner]
        decided = [j[env.learner] for j in below.decisions if env.learner in j]
        assert [step[0] for step in shown[1:]] == (decided or [0])
        info = shown[-1][-1]
        player = below.possible_agents.index(env.learner)
        results = below.forward_model.results(below.spectator_state())
        assert info["result"] == RESULT_NAMES[results[player]]
        assert info["seat"] == player == shown[0][1]["seat"]
        assert not info["action_mask"].any()


def test_who_dies_in_pommerman_is_done_while_others_play_on():
    env = single_agent_env("pommerman", lambda observation, agent: 0, seat=2)
    env.reset(seed=1)
    steps = [env.step(5)]
    while not steps[-1][2]:
        steps.append(env.step(0))  # stays beside its bomb
    _, reward, _, _, info = steps[-1]
    assert (len(steps), reward, info["result"]) == (10, -1.0, "lost")
    assert env.environment.agents == ["player_0", "player_1", "player_3"]
    with pytest.raises(RuntimeError, match="no episode is under way"):
        env.step(0)


def test_the_dead_of_a_team_wait_for_the_team_s_result():
    env = single_agent_env("pommerman:mode=team,max_steps=20", lambda o, a: 0)
    env.reset(seed=1)
    steps = [env.step(5)]
    while not steps[-1][2]:
        steps.append(env.step(0))
    # Killed in the tenth step, and the game was played to its twentieth.
    assert (len(steps), steps[-1][-1]["result"]) == (10, "drawn")
    assert env.environment.agents == []


def test_who_is_never_asked_gets_an_episode_of_one_step():
    # Four edges, six players: two of them never draw a line.
    env = single_agent_env("dots_and_boxes", players=6, width=1, height=1, seat=5)
    _, info = env.reset(seed=1)
    assert not info["action_mask"].any() and not env.action_masks().any()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["result"]) == (-1.0, True, "lost")


def test_official_rewards_add_up():
    env = single_agent_env(
        "pommerman", lambda o, a: 0, official_rewards=True, max_steps=15
    )
    env.reset(seed=1)
    steps = [env.step(5)]
    while not steps[-1][2]:
        steps.append(env.step(0))
    # -1 in each of the steps 10 to 15; in those after the tenth nobody asks the dead.
    assert [step[1] for step in steps] == [0.0] * 9 + [-6.0]


# -- what is hidden


class Least(Agent):
    """Plays the least legal action."""

    def decide(self, model, state, player):
        return int(model.legal_actions(state, player)[0])


@pytest.mark.parametrize("label", ["sushi_go_3", "love_letter_4", "pommerman_ffa"])
def test_opponents_plan_on_their_own_view_only(label):
    below = recorded(label)
    env = SingleAgentEnv(below, Least())
    model = below.forward_model
    given = []

    class Watched(Recorded):
        def planning_state(self, agent, generator):
            state, player = super().planning_state(agent, generator)
            whole = self.spectator_state()
            seen = model.observe(state, player)
            np.testing.assert_array_equal(seen, model.observe(whole, player))
            given.append(state.tobytes() != whole.tobytes())
            return state, player

    below.__class__ = Watched
    episode(env, np.random.default_rng(1), seed=1)
    assert sum(given) > 0.5 * len(given) > 0


def test_opponents_do_not_see_what_the_learner_has_just_chosen():
    choices = []
    for which in (0, -1):
        below = recorded("sushi_go_3")
        env = SingleAgentEnv(below, "mcts:simulations=30")
        _, info = env.reset(seed=4)
        env.step(int(np.flatnonzero(info["action_mask"])[which]))
        choices.append(below.decisions[0])
    assert choices[0].pop("player_0") != choices[1].pop("player_0")
    assert choices[0] == choices[1]


# -- observations, masks, illegal actions


@pytest.mark.parametrize("label", ["hex_3", "sushi_go_3", "pommerman_ffa"])
def test_observations_are_those_of_the_game_flat_or_with_their_mask(label):
    flat = SingleAgentEnv(recorded(label), seat=1)
    both = SingleAgentEnv(recorded(label), seat=1, observation="dict")
    rng = np.random.default_rng(1)
    first = episode(flat, rng, seed=1)
    second = episode(both, np.random.default_rng(1), seed=1)
    assert len(first) == len(second)
    space = both.environment.observation_space("player_1")
    assert both.observation_space == space
    for one, two in zip(first, second, strict=True):
        observation, structured = (
            (one[0], two[0]) if len(one) == 2 else (one[1], two[1])
        )
        assert observation in flat.observation_space
        assert structured in both.observation_space
        np.testing.assert_array_equal(observation, structured["observation"].ravel())
        np.testing.assert_array_equal(one[-1]["action_mask"], structured["action_mask"])
    # What was handed out is the learner's own.
    first[0][0][:] = 1
    assert observation.base is None or observation.base.size == observation.size


def test_masks_are_the_legal_actions():
    env = single_agent_env("love_letter", seat="random", illegal="error")
    with pytest.raises(RuntimeError, match="call reset"):
        env.action_masks()
    _, info = env.reset(seed=1)
    for _ in range(200):
        inner = env.environment
        player = inner.possible_agents.index(env.learner)
        legal = inner.forward_model.legal_actions(inner.spectator_state(), player)
        assert np.flatnonzero(info["action_mask"]).tolist() == sorted(legal)
        assert env.action_masks().dtype == bool
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
        assert info["action_mask"].dtype == np.int8
        action = env.action_space.sample(info["action_mask"])
        *_, terminated, _, info = env.step(action)
        if terminated:
            _, info = env.reset()


@pytest.mark.parametrize("action", [0, 9, -1, 1.0, "a", None, True, np.array([1])])
def test_an_illegal_action_is_an_error_that_changes_nothing(action):
    env = single_agent_env("tictactoe", illegal="error")
    env.reset(seed=1)
    env.step(0)
    before = env.environment.spectator_state()
    with pytest.raises(ValueError, match=r"player_0: action .* is not legal; legal: "):
        env.step(action)
    np.testing.assert_array_equal(before, env.environment.spectator_state())
    env.step(np.flatnonzero(env.action_masks())[0])


@pytest.mark.parametrize(("options", "reward"), [({}, -1.0), ({"illegal": -5}, -5.0)])
def test_an_illegal_action_ends_the_episode_with_a_penalty(options, reward):
    env = single_agent_env("tictactoe", seat=1, **options)
    env.reset(seed=1)
    taken = int(np.flatnonzero(~env.action_masks())[0])
    observation, paid, terminated, truncated, info = env.step(taken)
    assert (paid, terminated, truncated) == (reward, True, False)
    assert (info["result"], info["illegal"], info["seat"]) == ("lost", True, 1)
    assert observation in env.observation_space
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    _, info = env.reset()
    assert "illegal" not in info


@pytest.mark.parametrize("make", [tictactoe.env, tictactoe.parallel_env])
@pytest.mark.parametrize("failure", [TimeoutError, KeyboardInterrupt])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_episode_cannot_go_on_after_an_opponent_has_failed(make, failure, seat):
    failures = [failure]

    def flaky(observation, agent):
        if failures:
            raise failures.pop()
        return int(observation["action_mask"].argmax())

    env = SingleAgentEnv(make, flaky, seat=seat)
    with pytest.raises(failure):
        env.reset(seed=1)  # the first player is asked here
        env.step(4)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"an opponent's decision .* call reset"):
            env.step(0)
    env.reset()
    assert not env.step(4)[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"illegal": "stop"}, "illegal='stop': expected 'error', or the reward"),
        ({"illegal": True}, "illegal=True"),
        ({"illegal": float("nan")}, "illegal=nan"),
        ({"observation": "planes"}, "observation='planes': expected 'flat' or 'dict'"),
        (
            {"seat": 2},
            "seat=2: expected 0 to 1, 'random', or one of player_0, player_1",
        ),
        ({"seat": "player_7"}, "seat='player_7'"),
        ({"seat": True}, "seat=True"),
        ({"size": 99}, "size=99"),
        ({"sise": 5}, "hex has no option 'sise'"),
        ({"render_mode": "svg"}, "render_mode='svg'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        single_agent_env("hex", **options)


def test_what_is_no_environment_and_options_given_twice():
    with pytest.raises(ValueError, match="expected a PettingZoo environment"):
        SingleAgentEnv("hex")
    with pytest.raises(ValueError, match=r"size: given both in .* and as keywords"):
        single_agent_env("hex:size=5", size=5)
    with pytest.raises(ValueError, match=r"render_mode='ansi': .* is made already"):
        SingleAgentEnv(recorded("hex_3"), render_mode="ansi")
    with pytest.raises(RuntimeError, match="call reset"):
        single_agent_env("hex:size=5").step(0)


# -- seeds and copies


@pytest.mark.parametrize(
    ("game", "opponents"),
    [
        ("sushi_go:players=3", "random"),
        ("sushi_go:players=3", "mcts:simulations=20,reuse_tree=true"),
        ("love_letter", "mcts:simulations=20,rollout_policy=mast"),
        ("pommerman:max_steps=30", "scripted:policy=simple"),
    ],
)
def test_a_seed_reproduces_episodes_opponents_included(game, opponents):
    def episodes(env, seed):
        rng = np.random.default_rng(1)
        return plain([episode(env, rng, seed=seed), episode(env, rng)])

    env = single_agent_env(game, opponents, seat="random")
    first = episodes(env, 5)
    assert episodes(env, 5) == first
    assert episodes(single_agent_env(game, opponents, seat="random"), 5) == first
    assert episodes(env, 6) != first


def test_an_agent_that_two_environments_were_given_plays_in_each_by_itself():
    agent = MCTSAgent(simulations=20, seed=3)
    alone = plain(
        episode(single_agent_env("hex:size=4", agent), np.random.default_rng(1), seed=1)
    )
    one, other = (single_agent_env("hex:size=4", agent) for _ in range(2))
    rng = np.random.default_rng(1)
    _, info = one.reset(seed=1)
    other.reset(seed=2)
    shown = [plain(info)]
    done = False
    while not done:
        action = random_action(info, rng)
        *_, done, _, info = one.step(action)
        shown.append(plain(info))
        if not other._is_playing:
            other.reset()
        other.step(np.flatnonzero(other.action_masks())[0])
    assert shown == [step[-1] for step in alone]


@pytest.mark.parametrize("opponents", ["random", "mcts:simulations=10"])
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_copies_go_on_by_themselves(opponents, copied):
    env = single_agent_env("sushi_go:players=3", opponents)
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    twin = copied(env)
    ends = []
    for one in (env, twin):
        rng, done, shown = np.random.default_rng(2), False, []
        while not done:
            action = random_action({"action_mask": one.action_masks()}, rng)
            *rest, done, _, info = one.step(action)
            shown.append(plain([action, rest, info]))
        ends.append([shown, plain(episode(one, rng))])
    assert ends[0] == ends[1]


def test_copies_of_agents_remember_no_game():
    env = single_agent_env("pommerman", ScriptedAgent(policy="simple"))
    env.reset(seed=1)
    env.step(0)
    agent = pickle.loads(pickle.dumps(ScriptedAgent(policy="simple", seed=1)))
    again = single_agent_env("pommerman", agent)
    again.reset(seed=1)
    again.step(0)
    state = env.environment.spectator_state()
    np.testing.assert_array_equal(state, again.environment.spectator_state())


def test_factories_travel_to_other_processes():
    def make():
        return single_agent_env(
            "hex:size=4", lambda o, a: int(o["action_mask"].argmax())
        )

    there = cloudpickle.loads(cloudpickle.dumps(make))
    shown = [
        plain(episode(f(), np.random.default_rng(1), seed=1)) for f in (make, there)
    ]
    assert shown[0] == shown[1]


def test_a_planner_plays_in_the_learner_s_place():
    env = single_agent_env("tictactoe", seat="random")
    planner = MCTSAgent(simulations=300, seed=0)
    results = []
    for number in range(10):
        env.reset(seed=7 if number == 0 else None)
        done = False
        while not done:
            action = planner.act(env.environment, env.learner)
            *_, done, _, info = env.step(action)
        results.append(info["result"])
    assert "lost" not in results and results.count("won") >= 7


def test_pictures_are_those_of_the_game():
    env = single_agent_env("hex:size=4", render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.ndim == 3
    assert env.render_mode == "rgb_array"
    assert env.metadata["render_fps"] > 0
    env.close()
    env.close()
