"""Agents named by a line of text: what is understood, and what is said otherwise."""

import pytest

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent, make_agent
from mcts_agents.agents import parse_spec
from mcts_agents.agents.specs import AGENTS, OPTIONS
from mcts_agents.model import new_generator
from mcts_agents.names import parse_value, unknown_name


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("mcts", ("mcts", {})),
        ("mcts:", ("mcts", {})),
        (" mcts : tree = multi ", ("mcts", {"tree": "multi"})),
        (
            "mcts:tree=multi,simulations=1000,exploration=0.7,paranoid=true",
            (
                "mcts",
                {
                    "tree": "multi",
                    "simulations": 1000,
                    "exploration": 0.7,
                    "paranoid": True,
                },
            ),
        ),
        (
            "a:b=-1,c=1e3,d=None,e=FALSE",
            ("a", {"b": -1, "c": 1e3, "d": None, "e": False}),
        ),
        ("a:b=c=d", ("a", {"b": "c=d"})),
    ],
)
def test_parse_spec(spec, expected):
    assert parse_spec(spec) == expected


def test_parse_value_keeps_types_apart():
    for text, value in [("1", 1), ("1.0", 1.0), ("True", True), ("1x", "1x")]:
        assert parse_value(text) == value
        assert type(parse_value(text)) is type(value)


@pytest.mark.parametrize("spec", ["mcts:tree", "mcts:tree=", "mcts:=one", "mcts:,"])
def test_option_without_name_or_value(spec):
    with pytest.raises(ValueError, match="expected option=value"):
        make_agent(spec)


def test_trailing_comma_and_repeated_option():
    with pytest.raises(ValueError, match="expected option=value, not ''"):
        make_agent("mcts:tree=one,")
    with pytest.raises(ValueError, match="'tree' is given twice"):
        make_agent("mcts:tree=one,simulations=5,tree=one")


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_by_name(name):
    assert type(make_agent(name)) is AGENTS[name]
    assert set(OPTIONS) == set(AGENTS)


def test_settings_arrive():
    agent = make_agent(
        "mcts:seconds=0.5,tree=multi,paranoid=true,information=perfect,"
        "exploration=2,rollout=0,max_depth=7,value=win,score_bonus=0.25,final=value"
    )
    assert isinstance(agent, MCTSAgent)
    settings = agent.settings
    assert (settings.seconds, settings.simulations) == (0.5, None)
    assert (settings.tree, settings.paranoid) == ("multi", True)
    assert (settings.information, settings.exploration) == ("perfect", 2)
    assert (settings.rollout, settings.max_depth) == (0, 7)
    assert (settings.value, settings.score_bonus) == ("win", 0.25)
    assert settings.final == "value"
    assert make_agent("mcts").settings.simulations == 1000
    assert make_agent("mcts:forward_model_calls=9").settings.simulations is None
    one_step = make_agent("one-step:samples=3,value=score")
    assert isinstance(one_step, OneStepAgent)
    assert (one_step.samples, one_step.settings.value) == (3, "score")
    assert isinstance(make_agent("random:seed=5"), RandomAgent)


def test_seed_of_the_spec_wins():
    for spec in ("mcts", "one-step", "random"):
        assert seeded_with(make_agent(spec, seed=3), 3)
        assert seeded_with(make_agent(f"{spec}:seed=4", seed=3), 4)
        assert seeded_with(make_agent(f"{spec}:seed=4"), 4)
        assert not seeded_with(make_agent(f"{spec}:seed=none", seed=3), 3)


def seeded_with(agent, seed):
    return agent._rng.tolist() == new_generator(seed).tolist()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mtcs", ["unknown agent 'mtcs'", "did you mean mcts?", "one-step", "random"]),
        ("onestep:samples=1", ["unknown agent 'onestep'", "did you mean one-step"]),
        ("", ["unknown agent ''", "known: mcts, one-step, random"]),
        ("MCTS", ["unknown agent 'MCTS'", "known: mcts"]),
        (
            "mcts:simulation=10",
            ["unknown option of mcts 'simulation'", "did you mean simulations", "seed"],
        ),
        ("mcts:samples=10", ["unknown option of mcts 'samples'", "max_depth"]),
        ("one-step:sample=1", ["unknown option of one-step", "did you mean samples"]),
        ("one-step:tree=one", ["unknown option of one-step 'tree'", "known: samples"]),
        ("random:samples=1", ["unknown option of random 'samples'", "known: seed"]),
        ("random:settings=1", ["unknown option of random"]),
        ("mcts:perfect_information=true", ["unknown option of mcts"]),
    ],
)
def test_unknown_names(spec, words):
    with pytest.raises(ValueError) as raised:
        make_agent(spec)
    for word in words:
        assert word in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("option", "allowed"),
    [
        ("simulations=0", "integer from 1"),
        ("simulations=many", "integer from 1"),
        ("simulations=1.5", "integer from 1"),
        ("simulations=true", "integer from 1"),
        ("simulations=-5", "integer from 1"),
        ("forward_model_calls=0", "integer from 1"),
        ("seconds=0", "above 0"),
        ("seconds=nan", "above 0"),
        ("seconds=inf", "above 0"),
        ("seconds=fast", "above 0"),
        ("tree=two", "one, self, multi"),
        ("tree=1", "one, self, multi"),
        ("paranoid=1", "true or false"),
        ("paranoid=yes", "true or false"),
        ("information=none", "set, perfect"),
        ("exploration=-0.1", "at least 0"),
        ("exploration=none", "at least 0"),
        ("rollout=-1", "integer from 0"),
        ("rollout=1.0", "integer from 0"),
        ("max_depth=0", "from 1 to 100000"),
        ("max_depth=100001", "from 1 to 100000"),
        ("max_depth=none", "from 1 to 100000"),
        ("value=reward", "win, score, evaluate"),
        ("score_bonus=1.1", "at most 1"),
        ("score_bonus=-1", "at least 0"),
        ("final=best", "visits, value"),
        ("seed=-1", "integer from 0"),
        ("seed=1.5", "integer from 0"),
        ("seed=true", "integer from 0"),
        ("seed=x", "integer from 0"),
    ],
)
def test_values_that_are_not_allowed(option, allowed):
    with pytest.raises(ValueError) as raised:
        make_agent(f"mcts:{option}")
    assert option.partition("=")[0] in str(raised.value)
    assert allowed in str(raised.value)


@pytest.mark.parametrize("option", ["samples=0", "samples=none", "samples=2.0"])
def test_one_step_samples(option):
    with pytest.raises(ValueError, match=r"samples=.*integer from 1"):
        make_agent(f"one-step:{option}")


def test_unknown_name_without_anything_near():
    text = unknown_name("game", "zzz", ["hex", "go"])
    assert text == "unknown game 'zzz': known: hex, go"
