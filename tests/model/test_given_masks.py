"""Masks that the caller passes on, and those that nobody did."""

from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils import parallel_to_aec

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.envs import tictactoe
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.testing import check_environment
from tests.model.third_party import AtOnce, Countdown, Matching, Uneven


class Masked(gymnasium.Env):
    """Three actions, one of them illegal, another one each step; only steps tell."""

    action_space = spaces.Discrete(3)

    def __init__(self, place="info"):
        self.place = place
        space = spaces.Discrete(20)
        if place == "observation":
            mask = spaces.MultiBinary(3)
            space = spaces.Dict({"observation": space, "action_mask": mask})
        self.observation_space = space

    def shown(self):
        mask = (np.arange(3) != self.steps % 3).astype(np.int8)
        if self.place == "observation":
            return {"observation": self.steps, "action_mask": mask}, {}
        return self.steps, {"action_mask": mask}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.shown()

    def step(self, action):
        assert action != self.steps % 3, "illegal"
        self.steps += 1
        observation, info = self.shown()
        return observation, float(action), self.steps == 9, False, info


def mask_of(observation, info):
    return (info if "action_mask" in info else observation)["action_mask"]


def agents():
    return [
        MCTSAgent(simulations=30, perfect_information=True, seed=0),
        OneStepAgent(perfect_information=True, seed=0),
        RandomAgent(seed=0),
    ]


@pytest.mark.parametrize("place", ["info", "observation"])
@pytest.mark.parametrize("agent", agents(), ids=repr)
def test_a_mask_that_only_steps_return_is_passed_on(place, agent):
    env = Masked(place)
    observation, info = env.reset(seed=0)
    over = False
    while not over:
        mask = mask_of(observation, info)
        if hasattr(agent, "plan"):
            legal = agent.plan(env, action_mask=mask).actions.tolist()
            assert legal == np.flatnonzero(mask).tolist()
        action = agent.act(env, action_mask=mask)
        observation, _, over, _, info = env.step(action)


@pytest.mark.parametrize("place", ["info", "observation"])
def test_without_it_planning_ends_with_the_remedy(place):
    env = Masked(place)
    env.reset(seed=0)
    env.steps = 3 * 10**6  # legal now are 1 and 2
    env.step = lambda action, step=env.step: step(max(action, 1))  # none raises
    with pytest.raises(
        ValueError, match=r"return values of reset.*act\(env, action_mask="
    ):
        agents()[0].act(env)


def test_wrong_masks_are_refused():
    env = Masked()
    env.reset(seed=0)
    for wrong in ([1, 1], [0, 2, 1], [0.5, 1, 1]):
        with pytest.raises(ValueError, match="action_mask given for player_0"):
            agents()[0].act(env, action_mask=wrong)
    with pytest.raises(ValueError, match="only zeros"):
        agents()[0].act(env, action_mask=[0, 0, 0])
    with pytest.raises(ValueError, match=r"action_mask names 'nobody'.*player_0"):
        agents()[0].act(env, action_mask={"nobody": [1, 1, 1]})


def test_a_mask_must_be_the_one_that_the_environment_shows():
    env = gymnasium.make("Taxi-v4")
    _, info = env.reset(seed=0)
    agent = agents()[0]
    assert agent.act(env, action_mask=info["action_mask"]) in range(6)
    message = r"own mask differs from it at index \d+; leave action_mask out"
    with pytest.raises(ValueError, match=message):
        agent.act(env, action_mask=1 - info["action_mask"])


def test_games_of_this_package_check_it():
    env = tictactoe.env()
    env.reset(seed=0)
    env.step(4)
    mask = env.observe(env.agent_selection)["action_mask"]
    for agent in agents():
        assert agent.act(env, action_mask=mask) != 4
        with pytest.raises(ValueError, match=r"actions are \[0, 1, 2, 3, 5, 6, 7, 8\]"):
            agent.act(env, action_mask=np.ones(9))


class MaskedMatching(Matching):
    """Each round another of three numbers is not allowed; infos say so."""

    def __init__(self, declared):
        super().__init__()
        self.declared = declared

    def observation_space(self, agent):
        if not self.declared:
            return super().observation_space(agent)
        mask = spaces.MultiBinary(3)
        return spaces.Dict({"observation": spaces.Discrete(4), "action_mask": mask})

    def action_space(self, agent):
        return spaces.Discrete(3)

    def infos(self):
        mask = (np.arange(3) != self.rounds % 3).astype(np.int8)
        return {a: {"action_mask": mask} for a in self.possible_agents}

    def observations(self):
        if not self.declared:
            return super().observations()
        return {a: {"observation": self.rounds} for a in self.agents}

    def step(self, actions):
        assert all(action != self.rounds % 3 for action in actions.values()), "illegal"
        return super().step(actions)


@pytest.mark.parametrize("declared", [False, True])
def test_masks_of_all_agents_of_a_parallel_environment(declared):
    env = MaskedMatching(declared)
    assert isinstance(env, ParallelEnv)
    _, infos = env.reset(seed=0)
    masks = {name: info["action_mask"] for name, info in infos.items()}
    agent = agents()[0]
    result = agent.plan(env, "player_1", action_mask=masks)
    assert result.actions.tolist() == [1, 2]
    if declared:
        with pytest.raises(ValueError, match="Pass the latest masks of all agents: "):
            agent.plan(env, "player_1", action_mask=masks["player_1"])
        with pytest.raises(ValueError, match="Pass the latest masks of all agents: "):
            agent.plan(env, "player_1")


# Who has an `observe` that shows no mask, plays one round and stays listed is taken for
# free: nothing tells that there was a mask before.
@pytest.mark.parametrize(
    ("observes", "rounds", "stay"),
    [
        (False, 1, False),
        (False, 1, True),
        (False, 2, False),
        (False, 2, True),
        (True, 1, False),
        (True, 2, False),
        (True, 2, True),
    ],
)
def test_masks_of_all_who_leave_in_the_first_step_are_missed(observes, rounds, stay):
    class Auction(Matching):
        """A sealed bid each; nobody may bid more than two."""

        def reset(self, seed=None, options=None):
            self.agents, self.left = self.possible_agents[:], rounds
            return self.told(0), self.told({"action_mask": np.array([1, 0])})

        def told(self, what):
            return dict.fromkeys(self.agents, what)

        def step(self, actions):
            self.left -= 1
            told = (
                self.told(0),
                self.told(0.0),
                self.told(self.left == 0),
                self.told(False),
                self.told({"action_mask": np.array([1, 0])}),
            )
            if self.left == 0 and not stay:
                self.agents = []
            return told

    if observes:
        Auction.observe = lambda self, agent: 0
    env = Auction()
    env.reset()
    message = r"its action masks are only in the return values of reset"
    with pytest.raises(ValueError, match=message):
        MCTSAgent(simulations=20, perfect_information=True).plan(env, env.agents[0])
    masks = {agent: np.array([1, 0]) for agent in env.agents}
    agent = MCTSAgent(simulations=20, perfect_information=True)
    assert agent.plan(env, env.agents[0], action_mask=masks).actions.tolist() == [0]


def test_observe_is_believed_where_the_last_step_of_all_shows_masks():
    class Duel(Matching):
        """Who has fired may not fire again, and is shown so; three rounds."""

        def reset(self, seed=None, options=None):
            self.agents, self.left = self.possible_agents[:], 3
            self.fired = dict.fromkeys(self.agents, False)
            return self.seen(), {agent: {} for agent in self.agents}

        def observe(self, agent):
            seen = {"observation": self.left}
            if self.fired[agent]:
                seen["action_mask"] = np.array([1, 0])
            return seen

        def seen(self):
            return {agent: self.observe(agent) for agent in self.agents}

        def step(self, actions):
            assert not any(self.fired[agent] and actions[agent] for agent in actions)
            self.left -= 1
            self.fired = {agent: bool(action) for agent, action in actions.items()}
            over = dict.fromkeys(self.agents, self.left == 0)
            told = self.seen(), dict.fromkeys(self.agents, 0.0), over
            told += dict.fromkeys(self.agents, False), {a: {} for a in self.agents}
            if self.left == 0:
                self.agents = []
            return told

    env = Duel()
    env.reset()
    agent = MCTSAgent(simulations=50, perfect_information=True, seed=1)
    for _ in range(3):
        assert len(agent.plan(env, env.agents[0]).actions) == 2
        env.step(dict.fromkeys(env.agents, 0))


def test_undeclared_masks_of_a_parallel_environment_are_missed():
    env = MaskedMatching(declared=False)
    env.reset(seed=0)
    env.step = lambda actions, step=env.step: step(dict.fromkeys(actions, 1))
    with pytest.raises(ValueError, match=r"action_mask=\{name.*parallel_to_aec"):
        agents()[0].plan(env, "player_1")
    serialised = parallel_to_aec(MaskedMatching(declared=False))
    serialised.reset(seed=0)
    assert agents()[0].plan(serialised).actions.tolist() == [1, 2]


def test_the_check_passes_masks_on_as_well():
    report = check_environment(Masked)
    assert "action_mask=" in str(report)


class Joining(AtOnce):
    """Four rounds in which others are there each time; only steps show masks.

    Args:
        present: The numbers of the agents that are there in each round.
        over: Agents that are over when they appear, by the number of the round.
    """

    metadata: ClassVar = {"name": "joining_v0", "render_modes": []}

    def __init__(self, present=((0, 1), (0, 1, 2), (0, 1, 2), (0, 1, 2)), over=None):
        super().__init__(["first", "second", "third"])
        self.present = present
        self.over = over or {}

    def action_space(self, agent):
        return spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        self.steps = 0
        self.come()
        return self.shown()

    def come(self):
        self.agents = [self.possible_agents[i] for i in self.present[self.steps]]

    def shown(self):
        mask = np.array([1, 0, 1], np.int8)
        infos = {agent: {"action_mask": mask} for agent in self.agents}
        return dict.fromkeys(self.agents, self.steps), infos

    def step(self, actions):
        assert sorted(actions) == sorted(self.agents)
        assert 1 not in actions.values()
        self.steps += 1
        before = self.agents
        self.agents = []
        if self.steps < len(self.present):
            self.come()
        rewards = {agent: float(actions[agent]) for agent in before}
        ends = dict.fromkeys([*before, *self.agents], not self.agents)
        if self.steps in self.over:
            ends[self.possible_agents[self.over[self.steps]]] = True
        observations, infos = self.shown()
        return observations, rewards, ends, dict.fromkeys(ends, False), infos


def test_who_joins_later_needs_no_mask_before():
    env = Joining()
    _, infos = env.reset()
    masks = {agent: info["action_mask"] for agent, info in infos.items()}
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0)
    assert agent.act(env, "first", action_mask=masks) == 2
    message = "its action masks are only in the return values"
    with pytest.raises(ValueError, match=message):
        agent.act(env, "first")


def test_who_comes_again_decides_again():
    env = Joining(present=[(0, 1), (1,), (0, 1, 2), (0, 1)], over={2: 2})
    _, infos = env.reset()
    masks = {agent: info["action_mask"] for agent, info in infos.items()}
    model = CopiedEnvironment(env, perfect_information=True)
    seen = []
    with model.planning("first", new_generator(0), masks) as (root, _):
        state = model.copy(root)
        while movers := list(model.movers(state)):
            seen.append(movers)
            model.apply(state, dict.fromkeys(movers, 2), new_generator(0))
    assert seen == [[0, 1], [1], [0, 1], [0, 1]]


class Roles(Uneven):
    """The second player is shown masks, though no space says so, the first is not."""

    def observe(self, agent):
        if agent == "first":
            return self.steps
        return {"observation": self.steps, "action_mask": np.eye(5, dtype=np.int8)[1]}

    def step(self, action):
        assert self.agent_selection == "first" or action == 1
        super().step(action)


def test_masks_of_one_player_are_seen_where_another_has_none():
    env = Roles()
    env.reset()
    MCTSAgent(simulations=50, perfect_information=True, seed=0).act(env)


def test_given_masks_end_with_the_first_step_of_a_playout():
    env = Uneven()
    env.reset()
    model = CopiedEnvironment(env, perfect_information=True)
    masks = {"first": np.array([1, 0]), "second": np.eye(5, dtype=np.int8)[1]}
    after = set()
    with model.planning(None, new_generator(1), masks) as (root, _):
        model.legal_actions(root, 0)
        for seed in range(20):
            state = model.copy(root)
            model.playout(state, new_generator(seed), 2)
            after.add(model.environment(state).last_action)
    assert after == set(range(5))


class Watching(Masked):
    """Making an observation draws noise, and is counted."""

    looks = 0

    def _get_obs(self):
        self.looks += 1
        return self.np_random.random()


@pytest.mark.parametrize("agent", agents(), ids=repr)
def test_looking_for_a_mask_makes_no_observation_in_the_live_environment(agent):
    env = Watching("info")
    observation, info = env.reset(seed=0)
    before = env.np_random.bit_generator.state
    agent.act(env, action_mask=mask_of(observation, info))
    assert env.looks == 0
    assert env.np_random.bit_generator.state == before


class Telling(Matching):
    """Observations are noisy, `observe(agent)` says."""

    def reset(self, seed=None, options=None):
        self.dice = np.random.default_rng(seed)
        return super().reset(seed, options)

    def observe(self, agent):
        return self.dice.random()


@pytest.mark.parametrize("agent", agents(), ids=repr)
def test_looking_for_a_mask_throws_no_dice_of_a_parallel_environment(agent):
    env = Telling()
    env.reset(seed=0)
    before = env.dice.bit_generator.state
    agent.act(env, "player_0")
    assert env.dice.bit_generator.state == before


def test_a_method_of_parallel_environments_may_only_be_called_observe():
    class Looking(Matching):
        def observe(self):
            return "all at once"

    env = Looking()
    env.reset(seed=0)
    for agent in agents():
        assert agent.act(env, "player_0") in (0, 1)


class Later(Matching):
    """All is legal in the first round; masks are shown after it, undeclared."""

    def observe(self, agent):
        seen = {"observation": self.rounds}
        if self.rounds and self.place == "observation":
            seen["action_mask"] = np.array([0, 1], np.int8)
        return seen

    def observations(self):
        return {agent: self.observe(agent) for agent in self.agents}

    def infos(self):
        mask = {"action_mask": np.array([0, 1], np.int8)}
        shown = self.rounds and self.place == "info"
        return {agent: mask if shown else {} for agent in self.agents}

    def step(self, actions):
        assert self.rounds == 0 or 0 not in actions.values(), "illegal"
        return super().step(actions)


def test_observe_may_say_that_there_is_no_mask_yet():
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0)
    env = Later()
    env.place = "observation"
    env.reset(seed=0)
    assert agent.plan(env, "player_0").actions.tolist() == [0, 1]
    env.place = "info"  # where nothing tells before a step
    with pytest.raises(ValueError, match="use an array of ones for an agent"):
        agent.plan(env, "player_0")
    ones = {name: np.ones(2, np.int8) for name in env.agents}
    assert agent.plan(env, "player_0", action_mask=ones).visits.sum() == 30


@pytest.mark.parametrize("raises", [False, True])
def test_agents_who_are_over_are_not_asked_for_masks_of_the_step_before(raises):
    class OutAtOnce(Later):
        """The second player is out after a 0 of the first, and remains listed."""

        place = "observation"

        def observe(self, agent):
            if self.rounds and self.is_out and agent == "player_1":
                assert not raises, f"{agent} is over"
                return None
            return super().observe(agent)

        def observations(self):
            return {agent: Later.observe(self, agent) for agent in self.agents}

        def step(self, actions):
            if not self.rounds:
                self.is_out = actions["player_0"] == 0
            elif self.is_out:
                actions = {**actions, "player_1": 1}  # whatever is given for it
            *result, infos = super().step(actions)
            result[2]["player_1"] |= self.is_out
            return *result, infos

    env = OutAtOnce()
    env.reset(seed=0)
    for seed in range(8):
        agent = MCTSAgent(simulations=40, perfect_information=True, seed=seed)
        assert agent.plan(env, "player_0").actions.tolist() == [0, 1]


@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
def test_looking_for_a_mask_makes_no_observation_in_the_copies(options):
    class Counted(Later):
        """Pays for how often somebody looked."""

        place, looks = "observation", 0

        def observe(self, agent):
            self.looks += 1
            return super().observe(agent)

        def observations(self):
            return {agent: Later.observe(self, agent) for agent in self.agents}

        def step(self, actions):
            looks = {agent: float(self.looks) for agent in self.agents}
            seen, _, *rest = super().step(actions)
            return seen, looks, *rest

    env = Counted()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=6, perfect_information=True, seed=0, **options)
    for _ in range(2):
        assert not agent.plan(env, "player_0").values.any()


def test_the_aec_form_knows_that_there_is_no_mask_yet():
    for place in ("observation", "info"):
        env = Later()
        env.place = place
        serialised = parallel_to_aec(env)
        serialised.reset(seed=0)
        agent = MCTSAgent(simulations=30, perfect_information=True, seed=0)
        assert agent.plan(serialised).actions.tolist() == [0, 1]


class TwoRoles(Matching):
    """The first number is never legal for the second player, whom masks tell so.

    Args:
        masked: Who is shown masks.
        declared: Whether the observation spaces say so.
        tells: Whether `observe` shows what steps return, and not the rounds alone.
    """

    def __init__(self, masked, declared=False, tells=True):
        super().__init__()
        self.masked, self.declared, self.tells = masked, declared, tells

    def observation_space(self, agent):
        if not self.declared:
            return super().observation_space(agent)
        mask = spaces.MultiBinary(2)
        return spaces.Dict({"observation": spaces.Discrete(4), "action_mask": mask})

    def seen_by(self, agent):
        if agent not in self.masked:
            return self.rounds
        mask = np.array([0, 1], np.int8)
        return {"observation": self.rounds, "action_mask": mask}

    def observe(self, agent):
        return self.seen_by(agent) if self.tells else self.rounds

    def observations(self):
        return {agent: self.seen_by(agent) for agent in self.agents}


class OneDeclares(TwoRoles):
    """Only the space of who is masked says that there are masks."""

    observe = None

    def observation_space(self, agent):
        self.declared = agent in self.masked
        return super().observation_space(agent)

    def step(self, actions):
        assert all(actions[agent] == 1 for agent in self.masked), "illegal"
        return super().step(actions)


@pytest.mark.parametrize("masked", ["player_0", "player_1"])
def test_who_declares_no_masks_needs_none_beside_others_who_do(masked):
    env = OneDeclares([masked])
    observations, _ = env.reset(seed=0)
    agent = MCTSAgent(simulations=60, perfect_information=True, seed=0)
    masks = {masked: observations[masked]["action_mask"]}
    for name in env.possible_agents:
        legal = [1] if name == masked else [0, 1]
        found = agent.plan(env, name, action_mask=masks)
        assert found.actions.tolist() == legal
        with pytest.raises(ValueError, match="Pass the latest masks of all agents: "):
            agent.plan(env, name)
    serialised = parallel_to_aec(env)
    serialised.reset(seed=0)
    for name in env.possible_agents:
        legal = [1] if name == masked else [0, 1]
        assert agent.plan(serialised, name).actions.tolist() == legal
        serialised.step(1)


def test_the_aec_form_knows_who_declares_masks_and_is_shown_none():
    env = OneDeclares([])
    env.observation_space = lambda agent: TwoRoles([], True).observation_space(agent)
    serialised = parallel_to_aec(env)
    serialised.reset(seed=0)
    agent = MCTSAgent(simulations=60, perfect_information=True, seed=0)
    assert agent.plan(serialised).actions.tolist() == [0, 1]


@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
@pytest.mark.parametrize("masked", ["player_0", "player_1"])
def test_each_agent_is_asked_whether_it_is_shown_masks(masked, options):
    env = TwoRoles([masked])
    env.reset(seed=0)
    agent = MCTSAgent(simulations=60, perfect_information=True, seed=0, **options)
    for name in env.possible_agents:
        legal = [1] if name == masked else [0, 1]
        assert agent.plan(env, name).actions.tolist() == legal
    # Whoever is not masked wins by knowing what the other must do.
    other = "player_1" if masked == "player_0" else "player_0"
    assert agent.act(env, other) == (1 if other == "player_0" else 0)


@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
@pytest.mark.parametrize("declared", [False, True])
def test_a_method_observe_that_shows_no_masks_tells_nothing_about_them(
    declared, options
):
    env = TwoRoles(["player_0", "player_1"], declared, tells=False)
    observations, _ = env.reset(seed=0)
    agent = MCTSAgent(simulations=60, perfect_information=True, seed=0, **options)
    with pytest.raises(ValueError, match="Pass the latest masks of all agents: "):
        agent.plan(env, "player_0")
    masks = {name: seen["action_mask"] for name, seen in observations.items()}
    with pytest.raises(ValueError, match="Pass the latest masks of all agents: "):
        agent.plan(env, "player_1", action_mask={"player_0": masks["player_0"]})
    assert agent.plan(env, "player_1", action_mask=masks).actions.tolist() == [1]


class Strict(gymnasium.Env):
    """Raises on an illegal action, and tells what is legal in infos only."""

    action_space = spaces.Discrete(4)
    observation_space = spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return 0, {"action_mask": np.array([1, 1, 0, 0], np.int8)}

    def step(self, action):
        assert action < 2, f"illegal {action}"
        self.steps += 1
        return self.steps, 0.0, self.steps == 5, False, {}


class StrictInTurn(Countdown):
    """Raises on an illegal action, and tells what is legal in `last` only."""

    def last(self, observe=True):
        *result, info = super().last(observe)
        return *result, {**info, "action_mask": np.array([1, 0], np.int8)}

    def step(self, action):
        assert action in (None, 0), f"illegal {action}"
        super().step(action)


@pytest.mark.parametrize("options", [{}, {"rollout": 0}])
@pytest.mark.parametrize(
    ("make", "remedy"),
    [
        (Strict, "act(env, action_mask=info['action_mask'])"),
        (StrictInTurn, "infos[agent]['action_mask']"),
    ],
)
def test_a_step_that_raises_where_no_mask_was_seen_says_where_to_put_it(
    make, remedy, options
):
    env = make()
    env.reset(seed=1)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=1, **options)
    with pytest.raises(AssertionError, match="illegal") as raised:
        agent.act(env)
    (note,) = raised.value.__notes__
    assert remedy in note


class Clearing(StrictInTurn):
    """Empties its infos as each step begins, as many do."""

    def step(self, action):
        self.infos = {agent: {} for agent in self.agents}
        super().step(action)


@pytest.mark.parametrize("options", [{}, {"rollout": 0}])
@pytest.mark.parametrize("make", [StrictInTurn, Clearing])
def test_steps_that_raise_although_there_is_a_mask_are_not_explained_by_masks(
    make, options
):
    env = make()
    env.reset(seed=1)
    for info in env.infos.values():
        info["action_mask"] = np.ones(2, np.int8)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=1, **options)
    with pytest.raises(AssertionError, match="illegal") as raised:
        agent.act(env)
    assert not hasattr(raised.value, "__notes__")
