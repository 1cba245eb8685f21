"""Pommerman's environments where they differ from those of other games: the fog."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from mcts_agents.envs import pommerman
from mcts_agents.envs.pommerman.notation import format_action, parse_action
from mcts_agents.envs.pommerman.official import OFFICIAL
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.table import ansi
from mcts_agents.model import new_generator
from tests.envs.pommerman_positions import drawn
from tests.envs.test_environments import UNAVOIDABLE
from tests.envs.variants import play

FOGGY = {"team": {"mode": "team", "fog": True}, "radio": {"mode": "radio"}}
foggy = pytest.mark.parametrize("options", FOGGY.values(), ids=FOGGY)


@foggy
def test_pettingzoos_tests_pass_in_the_fog(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message)
        api_test(pommerman.raw_env(**options), num_cycles=100)
        api_test(pommerman.env(**options), num_cycles=100)
        parallel_api_test(pommerman.parallel_env(**options), num_cycles=100)
        seed_test(lambda: pommerman.env(**options), num_cycles=50)


def test_a_dead_player_of_a_team_waits_for_its_result():
    env = pommerman.raw_env(mode="team")
    for seed in range(20):
        env.reset(seed=seed)
        rewards = dict.fromkeys(env.possible_agents, 0.0)
        rng = np.random.default_rng(seed)
        while env.agents:
            movers = env.forward_model.movers(env.spectator_state())
            if movers:
                assert env.agents == env.possible_agents
            agent = env.agent_selection
            _, reward, over, _, _ = env.last()
            rewards[agent] += reward
            env.step(None if over else int(rng.integers(6)))
        earned = list(rewards.values())
        assert earned[:2] == earned[2:]
        assert sum(earned) == 0


def test_every_official_environment_is_a_variant():
    actions = {name: rules.model(**OFFICIAL[name]).actions for name in OFFICIAL}
    assert {n for n in actions if actions[n] == 384} == {
        "PommeRadio-v2",
        "PommeRadioCompetition-v2",
    }
    caps = {
        n: int(rules.model(**OFFICIAL[n]).game["most_strength"][0]) for n in OFFICIAL
    }
    assert {n for n in caps if caps[n] == 4} == {
        "PommeTeamCompetition-v0",
        "PommeTeamCompetitionFast-v0",
        "PommeTeamCompetition-v1",
        "PommeRadio-v2",
        "PommeRadioCompetition-v2",
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 3}, "players=3: pommerman is for 2 or 4"),
        ({"mode": "duel"}, "mode='duel': pommerman has 'ffa', 'team', 'radio'"),
        ({"players": 2, "mode": "team"}, "mode='team' is for 4 players"),
        ({"fog": 4}, "fog=4: expected true, false or none"),
        ({"fog": 1}, "fog=1: expected true, false or none"),
        ({"shuffle_corners": 1}, "shuffle_corners=1: expected true or false"),
        ({"max_steps": 0}, "max_steps=0: pommerman has 1 to 10000"),
        ({"collapse": 799}, "collapse=799: expected none or a step from 1"),
        ({"collapse": True}, "collapse=True: expected none or a step"),
        ({"players": 2, "collapse": 500}, "only the board of 4 players collapses"),
    ],
)
def test_variants_that_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        pommerman.env(**options)


@pytest.mark.parametrize("options", [{}, {"mode": "radio"}])
def test_all_actions_have_names(options):
    model = rules.model(**options)
    names = [format_action(model, action) for action in range(model.actions)]
    assert len(set(names)) == model.actions
    assert [parse_action(model, name) for name in names] == list(range(model.actions))
    assert parse_action(model, "bomb") == 5 * model.actions // 6
    wrong = ["", "north", "up 8 0", "up 1"] + ([] if options else ["up 0 0"])
    for text in wrong:
        with pytest.raises(ValueError, match="expected one of stop, up, down"):
            parse_action(model, text)


def test_the_board_as_text():
    bombs = [(0, 1, 3, 7, 2, 4), (1, 0, 0, 3, 2, 0)]
    model, state = drawn("+..b*", "0#.1.", bombs=bombs, kick={0: 1}, steps=12)
    lines = ansi(model, state, None).splitlines()
    assert lines[0] == "step 12"
    assert lines[1].startswith("%% >7  . +b *3")
    assert lines[2].startswith("03 ##  . @1  .")
    assert lines[12].split() == "player_0 alive bombs 1 reach 1 kicks playing".split()
    assert lines[14].split() == "player_2 dead bombs 1 reach 1 lost".split()
    lines = ansi(model, state, 1).splitlines()
    assert lines[12].split() == "player_0 alive playing".split()


def test_texts_end_with_the_winner():
    env = pommerman.raw_env(mode="radio", render_mode="ansi")
    env.reset(seed=1)
    assert "~~" not in env.render()
    assert "~~" in ansi(env.forward_model, env.spectator_state(), 0)
    play(env, np.random.default_rng(3))
    first = env.render().splitlines()[0]
    assert first.endswith(("won", "a tie"))


def test_playouts_play_whole_steps_up_to_the_limit():
    model, rng = rules.model(mode="radio"), new_generator(5)
    state = model.reset(rng)
    for limit, played in ((3, 0), (4, 4), (11, 8)):
        steps = model.turn(state)
        address = state.ctypes.data
        assert model.call("playout", address, rng.ctypes.data, limit) == played
        assert model.turn(state) == steps + played // 4
    model.call("playout", state.ctypes.data, rng.ctypes.data, 10**9)
    assert model.is_over(state)
