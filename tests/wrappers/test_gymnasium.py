"""With Gymnasium: ids, `check_env`, and vectors with the same episodes."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mcts_agents.envs import GAMES, register_all
from mcts_agents.envs.registry import gymnasium_id
from mcts_agents.wrappers import Mixture, SingleAgentEnv
from tests.wrappers.playing import plain, random_action

IDS = {name: gymnasium_id(f"{name}-v0") for name in GAMES}


@pytest.fixture(autouse=True)
def no_window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def test_ids_are_the_folders_names_in_camel_case():
    assert IDS["sushi_go"] == "mcts_agents/SushiGo-v0"
    assert IDS["hex"] == "mcts_agents/Hex-v0"
    assert set(IDS.values()) <= set(gymnasium.registry)
    before = dict(gymnasium.registry)
    register_all()
    assert before == gymnasium.registry


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("options", [{}, {"observation": "dict", "seat": "random"}])
def test_gymnasium_s_check_without_a_warning(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(IDS[name], **options)
        check_env(env.unwrapped)
        # What `make` puts around it checks too.
        rng = np.random.default_rng(1)
        _, info = env.reset(seed=1)
        for _ in range(30):
            *_, terminated, _, info = env.step(random_action(info, rng))
            if terminated:
                _, info = env.reset()
        env.close()


def test_keywords_go_to_the_game_and_to_the_view():
    env = gymnasium.make(
        IDS["sushi_go"], players=3, opponents="mcts:simulations=5", seat="player_2"
    )
    assert isinstance(env.unwrapped, SingleAgentEnv)
    assert len(env.unwrapped.environment.possible_agents) == 3
    assert env.unwrapped.learner == "player_2"
    assert env.spec.id == IDS["sushi_go"]
    again = gymnasium.make(env.spec)
    assert again.unwrapped.learner == "player_2"
    with pytest.raises(ValueError, match="hex has no option 'sise'"):
        gymnasium.make(IDS["hex"], sise=5)


def test_lists_of_pictures():
    env = gymnasium.make(IDS["hex"], size=4, render_mode="rgb_array_list")
    env.reset(seed=1)
    env.step(5)
    assert len(env.render()) == 2


MIXED = Mixture((2, "random"), (1, "mcts:simulations=5"))


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tictactoe", {"seat": "random"}),
        ("sushi_go", {"players": 3, "opponents": MIXED, "seat": "random"}),
        ("pommerman", {"max_steps": 40, "opponents": "scripted:policy=simple"}),
    ],
)
def test_vectors_give_the_same_episodes_as_single_environments(name, options, mode):
    number, steps, seed = 2, 60, 11
    vector = gymnasium.make_vec(
        IDS[name], num_envs=number, vectorization_mode=mode, **options
    )
    singles = [gymnasium.make(IDS[name], **options) for _ in range(number)]
    observations, infos = vector.reset(seed=seed)
    alone = [env.reset(seed=seed + n) for n, env in enumerate(singles)]
    rng, done, ends = np.random.default_rng(1), [False] * number, 0
    for _ in range(steps):
        for n in range(number):
            assert plain(observations[n]) == plain(alone[n][0])
            assert plain(infos["action_mask"][n]) == plain(alone[n][1]["action_mask"])
        actions = [random_action(info, rng) for _, info in alone]
        observations, rewards, terminated, _, infos = vector.step(np.array(actions))
        for n, env in enumerate(singles):
            if done[n]:  # the vector has begun a new episode
                alone[n], done[n] = env.reset(), False
                continue
            observation, reward, done[n], _, info = env.step(actions[n])
            alone[n] = observation, info
            assert (reward, done[n]) == (rewards[n], terminated[n])
            if done[n]:
                ends += 1
                assert infos["result"][n] == info["result"]
                assert infos["seat"][n] == info["seat"]
    assert ends > 1
    vector.close()


def test_the_masks_of_a_vector():
    vector = gymnasium.make_vec(IDS["tictactoe"], num_envs=2, vectorization_mode="sync")
    _, infos = vector.reset(seed=1)
    masks = np.stack(vector.call("action_masks"))
    np.testing.assert_array_equal(masks, infos["action_mask"])
