"""Environments whose actions are no numbers from 0, or whose masks only steps show."""

from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import parallel_to_aec, wrappers

from mcts_agents import MCTSAgent, make_agent
from mcts_agents.arena.playing.match import Seat, play_match
from mcts_agents.arena.playing.tables import EnvironmentTable
from mcts_agents.envs import game_from_environment
from mcts_agents.learn import record

BELOW = spaces.Discrete(3, start=-1)
ABOVE = spaces.Discrete(3, start=5)
PAIR = spaces.MultiDiscrete([2, 3])
BITS = spaces.MultiBinary(2)

# Masks of the parts of PAIR, before odd and before even steps.
MASKS = (
    (np.array([1, 0], np.int8), np.array([1, 0, 1], np.int8)),
    (np.array([0, 1], np.int8), np.array([0, 1, 1], np.int8)),
)


def assert_allowed(action, steps):
    for mask, part in zip(MASKS[steps % 2], action, strict=True):
        assert mask[part]


class Adding(gymnasium.Env):
    """Three steps, each worth the sum of its action."""

    observation_space = spaces.Discrete(4)

    def __init__(self, space):
        self.action_space = space

    def told(self):
        return {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, self.told()

    def step(self, action):
        assert self.action_space.contains(action)
        self.steps += 1
        return self.steps, float(np.sum(action)), self.steps == 3, False, self.told()


class Masked(Adding):
    """Shows in its infos which parts of an action are allowed."""

    def told(self):
        return {"action_mask": MASKS[self.steps % 2]}

    def step(self, action):
        assert_allowed(action, self.steps)
        return super().step(action)


class InTurn(AECEnv):
    """Two agents, three steps each; pays the sum of an action, and shows masks."""

    metadata: ClassVar = {"name": "in_turn", "render_modes": []}
    possible_agents: ClassVar = ["a", "b"]

    def __init__(self, space=PAIR):
        self.space = space

    def action_space(self, agent):
        return self.space

    def observation_space(self, agent):
        mask = spaces.Box(0, 1, (5,), np.int8)
        return spaces.Dict({"observation": spaces.Discrete(7), "action_mask": mask})

    def observe(self, agent):
        mask = np.concatenate(MASKS[self.steps % 2])
        return {"observation": self.steps, "action_mask": mask}

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.agent_selection = "a"
        self.steps = 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert_allowed(action, self.steps)
        self.steps += 1
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.rewards[agent] = float(np.sum(action))
        self.terminations = dict.fromkeys(self.agents, self.steps == 6)
        self.agent_selection = "b" if agent == "a" else "a"
        self._accumulate_rewards()


class AtOnce(ParallelEnv):
    """Two agents choose a number below 0 or 0; whoever has the higher one is paid."""

    metadata: ClassVar = {"name": "at_once", "render_modes": []}
    render_mode = None
    possible_agents: ClassVar = ["a", "b"]

    def action_space(self, agent):
        return spaces.Discrete(3, start=-2)

    def observation_space(self, agent):
        return spaces.Discrete(4)

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.steps = 0
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

    def step(self, actions):
        assert all(-2 <= action <= 0 for action in actions.values())
        self.steps += 1
        here, over = self.agents, self.steps == 3
        self.agents = [] if over else here
        return (
            dict.fromkeys(here, self.steps),
            {agent: float(actions[agent]) for agent in here},
            dict.fromkeys(here, over),
            dict.fromkeys(here, False),
            {agent: {} for agent in here},
        )


def in_aec_form():
    return wrappers.OrderEnforcingWrapper(parallel_to_aec(AtOnce()))


def played(make, *agents, **parts):
    game = game_from_environment(make, perfect_information=True, **parts)
    table = EnvironmentTable(game, game.shape())
    seats = [Seat(make_agent(spec, seed=n)) for n, spec in enumerate(agents)]

    def begun():
        for player, seat in enumerate(seats):
            table.prepare(seat.agent, player)

    moves, returns = play_match(table, seats, 1, begun=begun)
    return [table.name(action) for _, action in moves], returns, table


@pytest.mark.parametrize(
    ("space", "best", "name"),
    [(BELOW, 1, "1"), (ABOVE, 7, "7"), (PAIR, 3, "1/2"), (BITS, 2, "1/1")],
)
def test_agents_play_whatever_the_actions_are(space, best, name):
    def make():
        return Adding(space)

    names, returns, table = played(make, "mcts:simulations=80,rollout=0")
    assert names == [name] * 3
    assert returns == [3 * best]
    assert played(make, "random")[1][0] <= 3 * best
    table.begin(1)
    assert table.action_of(name) in table.legal_actions()
    with pytest.raises(ValueError, match=r"expected a move such as"):
        table.action_of("nothing")


BOX = spaces.Box(-1.0, np.array([1.0, 3.0], np.float32))


def test_agents_play_samples_of_a_box():
    def make():
        return Adding(BOX)

    names, returns, table = played(make, "mcts:simulations=90,rollout=0", samples=3)
    assert names == ["1.0/3.0"] * 3
    assert returns == [12.0]
    table.begin(1)
    assert table.name(table.action_of("-1.0/1.0")) == "-1.0/1.0"
    assert len(table.legal_actions()) == 9


@pytest.mark.parametrize(
    ("space", "samples", "message"),
    [
        (BOX, None, r"is Box\(.*add samples=5 to the game's name"),
        (BOX, 0, "samples=0: expected an integer from 1"),
        (BOX, True, "samples=True: expected an integer from 1"),
        (PAIR, 5, "samples=5 has no effect: no action space is a Box"),
        (spaces.Box(0.0, np.inf), 5, "has no bounds to take samples between"),
    ],
)
def test_samples_that_cannot_be_taken(space, samples, message):
    with pytest.raises(ValueError, match=message):
        game_from_environment(lambda: Adding(space), samples=samples).shape()


def test_samples_are_an_option_of_the_game():
    game = game_from_environment(lambda: Adding(BOX), "adding")
    assert game.variant({"samples": 4}).shape().actions == 16
    with pytest.raises(ValueError, match="'sample': did you mean samples"):
        game.variant({"sample": 4})


def test_an_environment_may_have_an_option_of_that_name():
    def make(samples=2):
        return Adding(spaces.Discrete(samples))

    assert (
        game_from_environment(make, "adding").variant({"samples": 4}).shape().actions
        == 4
    )


def test_masks_of_parts_are_kept_where_only_steps_show_them():
    names, returns, _ = played(lambda: Masked(PAIR), "mcts:simulations=60,rollout=0")
    assert names == ["0/2", "1/2", "0/2"]
    assert returns == [7.0]
    names, _, _ = played(lambda: Masked(PAIR), "random")
    assert {*names[::2]} <= {"0/0", "0/2"}
    assert names[1] in ("1/1", "1/2")


@pytest.mark.filterwarnings("ignore:in_turn. what a does is not shown")
def test_agents_of_an_aec_environment_play_in_parts():
    names, returns, _ = played(InTurn, "mcts:simulations=60,rollout=0", "random")
    assert names[::2] == ["0/2"] * 3
    assert set(names[1::2]) <= {"1/1", "1/2"}
    assert returns[0] == 6.0


@pytest.mark.parametrize("make", [AtOnce, in_aec_form])
@pytest.mark.filterwarnings("ignore:The base environment")
def test_agents_who_decide_at_once_play_below_0(make):
    names, returns, _ = played(make, "mcts:simulations=100", "random")
    assert names[::2] == ["0"] * 3
    assert returns[0] == 0.0


@pytest.mark.parametrize(
    "make", [lambda: Adding(PAIR), lambda: Masked(PAIR), InTurn, AtOnce, in_aec_form]
)
@pytest.mark.filterwarnings("ignore:The base environment")
@pytest.mark.filterwarnings("ignore:in_turn. what a does is not shown")
def test_trees_are_kept_from_decision_to_decision(make):
    game = game_from_environment(make, perfect_information=True)
    table = EnvironmentTable(game, game.shape())
    players = range(table.model.players)
    spec = "mcts:simulations=100,reuse_tree=true"
    seats = [Seat(make_agent(spec, seed=player)) for player in players]
    reused = []

    def told(decision):
        reused.append(decision.result.reused)

    for seed in range(2):
        reused.clear()
        play_match(
            table,
            seats,
            seed,
            told,
            lambda: [table.prepare(s.agent, p) for p, s in enumerate(seats)],
        )
        assert not any(reused[: len(players)])
        assert all(reused[len(players) :])


def test_evaluators_see_the_root_of_a_gymnasium_environment():
    def by_steps(observations, players, legal):
        seen.append(np.asarray(observations).ravel()[0])
        return np.zeros((len(legal), 1)), np.zeros(legal.shape)

    seen: list[int] = []
    agent = MCTSAgent(simulations=5, evaluator=by_steps, tree_policy="alphago", seed=0)
    game = game_from_environment(lambda: Adding(BELOW), perfect_information=True)
    table = EnvironmentTable(game, game.shape())
    play_match(table, [Seat(agent)], 1, begun=lambda: table.prepare(agent, 0))
    assert set(seen) <= {0, 1, 2}
    assert 0 in seen


def test_names_of_actions_are_of_the_environments_own():
    names, _, table = played(
        lambda: Adding(PAIR),
        "mcts:simulations=80,rollout=0",
        format_action=lambda env, action: f"row {action[0]}, column {action[1]}",
        parse_action=lambda env, text: np.array([int(text[4]), int(text[-1])]),
    )
    assert names == ["row 1, column 2"] * 3
    assert table.action_of("row 1, column 2") == 5


def test_words_of_an_environment_begin_with_its_least_action():
    class Named(Adding):
        def get_action_meanings(self):
            return ["left", "stay", "right"]

    for space in (BELOW, ABOVE):
        names, _, _ = played(
            lambda space=space: Named(space), "mcts:simulations=80,rollout=0"
        )
        assert names == ["right"] * 3


def test_decisions_are_recorded_by_number(tmp_path):
    dataset = record("tests.test_numbered:recorded", "random", 3, tmp_path, jobs=1)
    rows = dataset[:]
    actions, masks = rows["action"], rows["action_mask"]
    assert masks.shape[1] == 6
    assert masks[np.arange(len(actions)), actions].all()


recorded = game_from_environment(InTurn, perfect_information=True)
