"""Snapshots instead of copies: one scratch environment, and the live one untouched."""

import importlib.util
import sys
import threading

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.environment_snapshots import UnfaithfulSnapshotError
from mcts_agents.model.copying.snapshots import Scratch, Snapshot
from tests.model.third_party import Countdown, Dice


def planner(simulations=60, **settings):
    return MCTSAgent(
        simulations=simulations, perfect_information=True, seed=0, **settings
    )


class Walk(gymnasium.Env):
    """Go left or right from 0; 3 to the right pays. Keeps a lock, and snapshots."""

    observation_space = spaces.Discrete(9, start=-4)
    action_space = spaces.Discrete(2)

    def __init__(self, locked=False):
        self.lock = threading.Lock() if locked else None
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.path = 0, []
        return 0, {}

    def step(self, action):
        self.steps += 1
        self.place += 2 * action - 1
        self.path.append(self.place)
        over = abs(self.place) == 3
        return self.place, float(self.place == 3), over, False, {}

    def get_state(self):
        return self.place, list(self.path), self.steps

    def set_state(self, state):
        self.place, path, self.steps = state
        self.path = list(path)


class Aliased(Walk):
    """Gives its own list away."""

    def get_state(self):
        return self.place, self.path, self.steps

    def set_state(self, state):
        self.place, self.path, self.steps = state


class Partial(Walk):
    """Forgets a counter."""

    def set_state(self, state):
        super().set_state((*state[:2], self.steps))


class DiceByState(Dice):
    """Its state holds the generator, too."""

    def get_state(self):
        return self.thrown, self.np_random.bit_generator.state

    def set_state(self, state):
        self.thrown, self.np_random.bit_generator.state = state


def started(env, seed=0):
    env.reset(seed=seed)
    return env


def test_what_snapshots_decide_is_what_copies_decide():
    plain, snapped = started(Walk()), started(Walk())
    for _ in range(3):
        results = [
            planner(snapshots=said, rollout=10).plan(env)
            for env, said in ((plain, False), (snapped, True))
        ]
        assert results[0].visits.tolist() == results[1].visits.tolist()
        assert results[0].values.tolist() == results[1].values.tolist()
        assert snapped.steps == plain.steps == len(snapped.path)
        action = results[0].action
        assert plain.step(action) == snapped.step(action)


def test_snapshots_below_wrappers_and_by_functions():
    def get(env):
        return env.state.copy(), env.steps_beyond_terminated

    def put(env, state):
        env.state, env.steps_beyond_terminated = state[0].copy(), state[1]

    visits = []
    for said in (False, (get, put)):
        env = started(gymnasium.make("CartPole-v1", max_episode_steps=30), seed=3)
        agent = planner(40, snapshots=said)
        for _ in range(4):
            result = agent.plan(env)
            visits.append(result.visits.tolist())
            env.step(result.action)
        assert np.nanmax(result.values) <= 27.0  # the wrapper's time limit is kept
    assert visits[:4] == visits[4:]


def test_aec_environments_have_snapshots_too():
    names = (
        "left agents rewards _cumulative_rewards terminations truncations infos "
        "agent_selection"
    ).split()
    optional = ("_skip_agent_selection",)

    def get(env):
        kept = {name: getattr(env, name) for name in names}
        kept |= {name: vars(env)[name] for name in optional if name in vars(env)}
        return Cloner().clone(kept)

    def put(env, state):
        for name in optional:
            vars(env).pop(name, None)
        vars(env).update(Cloner().clone(state))

    env = Countdown(players=3, start=4)
    env.reset()
    env.step(0)
    assert planner(400, snapshots=(get, put)).act(env) == 1
    assert (env.left, env.agent_selection) == (3, "player_1")


@pytest.mark.parametrize(("kind", "named"), [(Aliased, "path"), (Partial, "steps")])
def test_snapshots_that_do_not_bring_all_back_are_an_error(kind, named):
    with pytest.raises(
        UnfaithfulSnapshotError, match=rf"not in its old state: env.*{named}"
    ):
        planner(snapshots=True).act(started(kind()))


def test_an_environment_without_snapshots_is_told_which_methods_it_lacks():
    with pytest.raises(ValueError, match=r"neither get_state.*nor clone_state.*get, p"):
        planner(snapshots=True).act(started(gymnasium.make("FrozenLake-v1")))


def test_a_snapshot_does_not_bring_the_live_dice_along():
    right = 0
    for seed in range(60):
        env = started(DiceByState(), seed)
        action = planner(40, snapshots=True).act(env)
        right += env.step(action)[1] == 1
    assert right < 25  # 10 expected, 60 if it saw
    result = planner(600, rollout=0, snapshots=True).plan(started(DiceByState()))
    # Had all iterations the same throw, one guess would be worth 1, the others 0.
    assert 0.05 < np.nanmin(result.values)
    assert np.nanmax(result.values) < 0.95


def test_what_cannot_be_copied_is_made_again_by_its_spec():
    with pytest.raises(UncopyableEnvironmentError, match=r"lock.*spec"):
        planner(snapshots=True).act(started(Walk(locked=True)))
    gymnasium.register("Walk-v0", lambda: Walk(locked=True))
    try:
        env = started(gymnasium.make("Walk-v0"))
        for left in (3, 2, 1):
            assert planner(100, snapshots=True).act(env) == 1
            assert env.unwrapped.steps == 3 - left
            env.step(1)
    finally:
        del gymnasium.registry["Walk-v0"]


def test_the_scratch_environment_is_put_back_only_when_it_must():
    puts = []

    def put(core, situation):
        puts.append(situation)
        core.set_state(situation)

    scratch = Scratch(started(Walk()), lambda core: core.get_state(), put)
    first = Snapshot(scratch, (0, [], 0))
    second = Cloner().clone(first)
    assert isinstance(second, Walk)
    second.step(1)
    second.step(1)
    assert len(puts) == 1
    third = Cloner().clone(second)
    assert (first.place, second.place, third.place) == (0, 2, 2)
    third.place = 1
    assert (third.place, second.place, scratch.core.place) == (1, 2, 2)
    count = len(puts)
    del second  # nobody needs its situation any more
    assert first.path == []
    assert len(puts) == count + 1


class Mapped(Walk):
    """Has a map that reset draws and no step changes, so a state does not hold it."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        self.map = self.np_random.integers(10**6, size=3).tolist()
        return 0, {}


@pytest.mark.filterwarnings(
    "ignore::mcts_agents.model.copying.suspicions.HiddenStateWarning"
)
def test_a_plan_stays_in_the_live_map():
    """Other games are begun to look for chance, but not in the plan's environment."""
    env, maps = started(Mapped(), seed=9), []

    def value(model, state):
        maps.append(model.environment(state).unwrapped.map)
        return 0.0

    for _ in range(2):
        planner(20, value=value, rollout=0, snapshots=True).act(env)
    assert maps
    assert all(seen == env.map for seen in maps)


def breakout(**options):
    ale_py = pytest.importorskip("ale_py")
    gymnasium.register_envs(ale_py)
    return gymnasium.make("ALE/Breakout-v5", **options)


def test_atari_is_planned_by_snapshots_and_stays_as_it_is():
    live, untouched = started(breakout(), 1), started(breakout(), 1)
    agent = planner(8, rollout=4)
    for _ in range(4):
        action = agent.act(live)
        ours, theirs = live.step(action), untouched.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:] == theirs[1:]


class Shrinking:
    """Stands for OpenCV where it is not installed: takes every n-th pixel."""

    INTER_AREA = 3

    @staticmethod
    def resize(image, size, interpolation):
        rows = np.arange(size[1]) * image.shape[0] // size[1]
        columns = np.arange(size[0]) * image.shape[1] // size[0]
        return image[rows][:, columns]


def test_preprocessed_atari_is_planned_and_stays_as_it_is(monkeypatch):
    """Through frames that are skipped, joined and shrunk, and the count of lives."""
    if importlib.util.find_spec("cv2") is None:
        monkeypatch.setitem(sys.modules, "cv2", Shrinking)

    def make():
        env = breakout(frameskip=1, repeat_action_probability=0.25)
        return gymnasium.wrappers.AtariPreprocessing(env, terminal_on_life_loss=True)

    live, untouched = started(make(), 1), started(make(), 1)
    agent = planner(8, rollout=4)
    for _ in range(6):
        action = agent.act(live)
        ours, theirs = live.step(action), untouched.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:] == theirs[1:]
    assert live.lives == untouched.lives > 0
    model = CopiedEnvironment(live, perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        twin = model.copy(state)
        for _ in range(3):
            model.apply(twin, [1], new_generator(0))
        held = model.environment(twin)
        assert held.obs_buffer[0] is not live.obs_buffer[0]
        # Four frames a step, three steps further than the live one.
        number = held.unwrapped.ale.getEpisodeFrameNumber()
        assert number == live.unwrapped.ale.getEpisodeFrameNumber() + 12


def test_plans_for_atari_are_reproducible():
    env = started(breakout(repeat_action_probability=0.5), 1)
    for _ in range(10):
        env.step(1)
    agent, values = planner(15, rollout=10), []
    for _ in range(2):
        agent.reset(0)
        values.append([agent.plan(env).values.tolist() for _ in range(2)])
    assert values[0] == values[1]


def test_what_wrappers_keep_is_part_of_atari_copies():
    env = gymnasium.wrappers.TimeLimit(breakout(repeat_action_probability=0.0), 20)
    env = gymnasium.wrappers.FrameStackObservation(env, 3)
    env.reset(seed=0)
    env.step(1)
    model = CopiedEnvironment(env, perfect_information=True)
    rng = new_generator(0)
    with model.planning(None, new_generator(0)) as (state, _):
        one, other = model.copy(state), model.copy(state)
        moves = [2, 2, 3, 2, 3, 3, 0, 2]
        for move in moves:
            model.apply(one, [move], rng)
            model.apply(other, [5 - move if move else 0], rng)
        held = model.environment(one)
        planned = held.unwrapped.ale.getRAM().copy()
        frames = np.array(held.obs_queue)
        steps = held.env._elapsed_steps
    for move in moves:
        shown = env.step(move)[0]
    assert (planned == env.unwrapped.ale.getRAM()).all()
    assert (frames == shown).all()
    assert steps == 9


def test_sticky_actions_throw_other_dice_in_each_copy():
    env = started(breakout(repeat_action_probability=0.5), 1)
    env.step(1)
    model = CopiedEnvironment(env, perfect_information=True)
    ends = []
    for seed in (0, 0, 1):
        with model.planning(None, new_generator(seed)) as (state, _):
            for _ in range(4):
                twin = model.copy(state)
                for move in (2, 3, 2, 3, 2, 3):
                    model.apply(twin, [move], new_generator(0))
                held = model.environment(twin).unwrapped
                ends.append(held.ale.getRAM().tobytes())
    assert ends[:4] == ends[4:8]
    assert len(set(ends)) >= 6


class Peeking(gymnasium.Wrapper):
    """Pays by something that it holds of the environment inside."""

    def __init__(self, env, name):
        super().__init__(env)
        self.name = name

    def reset(self, **arguments):
        found = self.env.reset(**arguments)
        self.held = getattr(self.env, self.name)
        return found

    def step(self, action):
        observation, _, *others = self.env.step(action)
        return observation, float(len(str(self.held))), *others


@pytest.mark.parametrize(
    ("name", "refused"), [("path", True), ("np_random", False), ("rules", False)]
)
def test_wrappers_that_hold_what_a_step_changes_are_refused(name, refused):
    env = Peeking(Walk(), name)
    env.unwrapped.rules = {"left": 0, "right": 1}
    env.reset(seed=0)
    if refused:
        with pytest.raises(UnfaithfulSnapshotError, match=r"a wrapper holds .* list"):
            planner(snapshots=True).act(env)
        assert env.unwrapped.path == []
        planner().act(env)
    else:
        planner(snapshots=True).act(env)
