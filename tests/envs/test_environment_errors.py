"""Bad input to environments is answered with an error that says what is wrong."""

import re

import numpy as np
import pettingzoo
import pytest

import mcts_agents.envs as envs
from mcts_agents.model import new_generator
from tests.envs.variants import (
    VARIANTS,
    factories,
    frozen,
    play,
    record_parallel,
)

every_variant = pytest.mark.parametrize("label", VARIANTS)

BAD_VARIANTS = [
    ("tictactoe", {"players": 1}, "players=1: tictactoe is for 2 players"),
    ("tictactoe", {"players": 9}, "players=9: tictactoe is for 2 players"),
    ("tictactoe", {"players": 2.0}, "players=2.0: tictactoe needs a whole number"),
    ("sushi_go", {"players": "3"}, "players='3': sushi_go needs a whole number"),
    ("hex", {"players": 1}, "players=1"),
    ("hex", {"players": 9}, "players=9"),
    ("hex", {"size": 2}, "size=2"),
    ("hex", {"size": 20}, "size=20"),
    ("hex", {"colour": "red"}, "colour"),
    ("sushi_go", {"players": 1}, "players=1: sushi_go is for 2 to 5 players"),
    ("sushi_go", {"players": 9}, "players=9: sushi_go is for 2 to 5 players"),
    ("chinese_checkers", {"players": 1}, "players=1"),
    ("chinese_checkers", {"players": 9}, "players=9"),
    ("chinese_checkers", {"players": 5}, "players=5"),
    ("chinese_checkers", {"fields": 100}, "fields=100"),
    ("rolit", {"players": 5}, "players=5: rolit is for 2 to 4 players"),
    ("breakthrough", {"rows": 5}, "rows=5: breakthrough has boards of 6 to 16 rows"),
    ("knightthrough", {"players": 3}, "players=3: knightthrough is for 2 players"),
    ("gomoku", {"size": 4}, "size=4: gomoku has boards of 5 to 19 cells a side"),
    ("nogo", {"players": 4}, "players=4: nogo is for 2 or 3 players"),
    ("atarigo", {"size": 12}, "size=12: atarigo has boards of 2 to 11 points a side"),
    ("focus", {"players": 5}, "players=5: focus is for 2 to 4 players"),
    ("wargame", {"players": 4}, "players=4: wargame is for 2 or 3 players"),
    ("investment", {"players": 1}, "players=1: investment is for 2 or 3 players"),
    ("video_game", {"players": 3}, "players=3: video_game is for 2 players"),
]


@pytest.mark.parametrize(("name", "options", "message"), BAD_VARIANTS)
def test_variants_that_the_rules_forbid_come_out_as_value_errors(
    name, options, message
):
    module = getattr(envs, name)
    for make in (
        module.raw_env,
        module.env,
        module.parallel_env,
        lambda **kw: pettingzoo.make("aec", f"mcts_agents/{name}-v0", **kw),
        lambda **kw: pettingzoo.make("parallel", f"mcts_agents/{name}-v0", **kw),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            make(**options)


@every_variant
def test_actions_that_are_out_of_range_or_illegal(label):
    raw_env, _, parallel_env = factories(label)
    env, parallel = raw_env(), parallel_env()
    env.reset(seed=1)
    parallel.reset(seed=1)
    agent, actions = env.agent_selection, env.forward_model.actions
    observation = env.observe(agent)
    illegal = [int(a) for a in np.flatnonzero(observation["action_mask"] == 0)[:1]]
    for action in [actions, -1, None, 0.5, "a1", *illegal]:
        with pytest.raises(ValueError, match=rf"{action!r}.*{agent} is not.*legal: "):
            env.step(action)
        with pytest.raises(ValueError, match=rf"{action!r}.*{agent} is not.*legal: "):
            parallel.step(dict.fromkeys(parallel.agents, action))
    assert env.agent_selection == agent
    assert frozen(env.observe(agent)) == frozen(observation)
    assert set(env.rewards.values()) == {0.0}


def test_an_illegal_action_is_named_with_the_legal_ones():
    env = factories("tictactoe")[0]()
    env.reset()
    for action in (4, 0, 1, 2, 3, 5):
        env.step(action)
    with pytest.raises(ValueError) as error:
        env.step(4)
    assert str(error.value) == (
        "tictactoe_v0: action 4 (b2) of player_0 is not legal; "
        "legal: 6 (a3), 7 (b3), 8 (c3)"
    )
    with pytest.raises(
        ValueError, match=r"action 9 of player_0 is not in 0\.\.8; legal"
    ):
        env.step(9)


# In the other games whoever decides may do anything that the action space holds.
ALL_LEGAL = ("diamant", "pommerman")
with_illegal_actions = pytest.mark.parametrize(
    "label", [label for label, (name, _) in VARIANTS.items() if name not in ALL_LEGAL]
)


@with_illegal_actions
def test_env_ends_the_game_at_an_illegal_action(label):
    env = factories(label)[1]()
    env.reset(seed=1)
    agent = env.agent_selection
    illegal = np.flatnonzero(env.observe(agent)["action_mask"] == 0)
    while not len(illegal):  # an empty board: take a cell that is taken, a full column
        env.step(0)
        agent = env.agent_selection
        illegal = np.flatnonzero(env.observe(agent)["action_mask"] == 0)
    env.step(int(illegal[0]))
    assert env.rewards == {a: -1.0 * (a == agent) for a in env.possible_agents}
    with pytest.raises(RuntimeError, match=r"the game is over.*reset\(\)"):
        env.unwrapped.planning_state(agent, new_generator(1))
    for _ in env.agent_iter():
        env.step(None)
    assert not env.agents


def test_actions_out_of_range_are_asserted_by_env():
    env = factories("tictactoe")[1]()
    env.reset()
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(9)


@every_variant
def test_before_reset(label):
    raw_env, env, parallel_env = factories(label)
    for game in (raw_env(), parallel_env()):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            game.planning_state("player_0", new_generator(1))
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        raw_env().step(0)
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        raw_env().observe("player_0")
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        parallel_env().step({})
    with pytest.raises(AttributeError, match="agent_selection"):
        env().agent_selection  # noqa: B018
    with pytest.raises(AssertionError, match="reset"):
        env().step(0)


@every_variant
def test_after_the_end(label):
    env = factories(label)[0]()
    env.reset(seed=1)
    play(env, np.random.default_rng(1))
    assert not env.agents
    with pytest.raises(RuntimeError, match=r"the game is over, call reset\(\)"):
        env.step(0)
    with pytest.raises(RuntimeError, match=r"the game is over, player_0 cannot plan"):
        env.planning_state("player_0", new_generator(1))
    parallel = factories(label)[2]()
    record_parallel(parallel, np.random.default_rng(1), seed=1)
    with pytest.raises(RuntimeError, match=r"the game is over, player_1 cannot plan"):
        parallel.planning_state("player_1", new_generator(1))


@pytest.mark.parametrize("factory", [0, 2])
def test_agents_who_cannot_plan(factory):
    env = factories("tictactoe")[factory]()
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"player_1 has no decision.*only player_0"):
        env.planning_state("player_1", new_generator(1))
    with pytest.raises(ValueError, match=r"no agent 'red'.*player_0, player_1"):
        env.planning_state("red", new_generator(1))


def test_parallel_actions_of_others_are_ignored_and_missing_ones_named():
    env = factories("tictactoe")[2]()
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"no action of player_0.*needed of player_0"):
        env.step({"player_1": 3})
    with pytest.raises(ValueError, match="no agent 'red'"):
        env.step({"player_0": 3, "red": 3})
    observations, *_, infos = env.step({"player_0": 4, "player_1": 99})
    assert observations["player_1"]["observation"][1, 1, 1] == 1  # the opponent's
    assert infos == {agent: {"active_agent": "player_1"} for agent in env.agents}
    observations, *_ = env.step({"player_1": 0})
    assert observations["player_0"]["observation"].sum() == 2 + 9
