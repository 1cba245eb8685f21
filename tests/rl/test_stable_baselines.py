"""With stable-baselines3 and sb3-contrib, where the `rl` extra is installed."""

import functools
import warnings

import numpy as np
import pytest

from mcts_agents.envs import GAMES
from mcts_agents.wrappers import single_agent_env
from tests.wrappers.playing import plain, random_action

NEEDED = "needs the rl extra: pip install --editable '.[rl]'"
pytest.importorskip("torch", reason=NEEDED)
sb3_contrib = pytest.importorskip("sb3_contrib", reason=NEEDED)
stable_baselines3 = pytest.importorskip("stable_baselines3", reason=NEEDED)
masks_of = pytest.importorskip("sb3_contrib.common.maskable.utils", reason=NEEDED)
checker = pytest.importorskip("stable_baselines3.common.env_checker", reason=NEEDED)
vectors = pytest.importorskip("stable_baselines3.common.vec_env", reason=NEEDED)

GAME = functools.partial(
    single_agent_env, "sushi_go:players=3", "mcts:simulations=5", seat="random"
)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_stable_baselines_check_without_a_warning(name, observation):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if observation == "dict":
            # It takes boards for pictures of the wrong kind; its policies flatten them.
            warnings.filterwarnings("ignore", ".*(image|unconventional shape)")
        checker.check_env(single_agent_env(name, observation=observation))


@pytest.mark.parametrize("kind", ["DummyVecEnv", "SubprocVecEnv"])
def test_vectors_give_the_same_episodes_as_single_environments(kind):
    number, seed = 2, 5
    vector = getattr(vectors, kind)([GAME] * number)
    singles = [GAME() for _ in range(number)]
    vector.seed(seed)
    observations = vector.reset()
    alone = [env.reset(seed=seed + n) for n, env in enumerate(singles)]
    rng, ends = np.random.default_rng(1), 0
    for _ in range(40):
        assert plain(list(observations)) == plain([seen for seen, _ in alone])
        masks = np.array([info["action_mask"] for _, info in alone])
        np.testing.assert_array_equal(masks_of.get_action_masks(vector), masks)
        actions = [random_action(info, rng) for _, info in alone]
        observations, rewards, dones, infos = vector.step(np.array(actions))
        for n, env in enumerate(singles):
            observation, reward, done, _, info = env.step(actions[n])
            assert (reward, done) == (rewards[n], dones[n])
            assert info.get("result") == infos[n].get("result")
            if done:
                ends += 1
                last = infos[n]["terminal_observation"]
                np.testing.assert_array_equal(observation, last)
                alone[n] = env.reset()
            else:
                alone[n] = observation, info
    assert ends > 1
    vector.close()


@pytest.mark.parametrize(
    ("policy", "observation"), [("MlpPolicy", "flat"), ("MultiInputPolicy", "dict")]
)
def test_a_learner_with_masks_plays_legally(policy, observation):
    env = single_agent_env(
        "love_letter", illegal="error", seat="random", observation=observation
    )
    learner = sb3_contrib.MaskablePPO(
        policy, env, n_steps=64, batch_size=32, n_epochs=1, seed=1
    )
    learner.learn(128)
    seen, _ = env.reset(seed=1)
    action, _ = learner.predict(seen, action_masks=env.action_masks())
    env.step(action)


@pytest.mark.parametrize("illegal", [{}, {"illegal": -2.5}])
def test_a_learner_without_masks_is_punished_and_goes_on(illegal):
    env = single_agent_env("love_letter", **illegal)
    learner = stable_baselines3.PPO(
        "MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, seed=1
    )
    punished = []

    def note(seen, _):
        """Keep rewards of illegal actions, and go on."""
        (info,), (reward,) = seen["infos"], seen["rewards"]
        if info.get("illegal"):
            punished.append(reward)
        return True

    learner.learn(64, callback=note)
    punishment = illegal.get("illegal", -1.0)
    assert set(punished) == {punishment}
    rewards = learner.rollout_buffer.rewards
    assert np.count_nonzero(rewards == punishment) >= len(punished) > 1
    assert learner.num_timesteps == rewards.size == 64
    # Another episode follows; the first of all stands in for what follows the last.
    assert learner.rollout_buffer.episode_starts.sum() >= len(punished)
