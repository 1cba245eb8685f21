"""Agents named by a line of text: what is understood, and what is said otherwise."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent, make_agent
from mcts_agents.agents import parse_spec
from mcts_agents.agents.kinds import KINDS
from mcts_agents.envs import make_model, tictactoe
from mcts_agents.model import new_generator
from mcts_agents.names import in_lines, parse_value, unknown_name
from tests.agents.policies import saved


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


@pytest.mark.parametrize("name", KINDS)
def test_each_agent_by_name(name, tmp_path):
    policy = f"policy:file={saved(tmp_path / 'p.npz')}"
    specs = {"scripted": "scripted:policy=simple", "policy": policy}
    assert type(make_agent(specs.get(name, name))) is KINDS[name].agent


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
        ("mtcs", ["unknown agent 'mtcs'", "did you mean mcts", "one-step", "random"]),
        ("onestep:samples=1", ["unknown agent 'onestep'", "did you mean one-step"]),
        ("", ["unknown agent ''", "known: mcts, one-step, random"]),
        ("MCTS", ["unknown agent 'MCTS'", "known: mcts"]),
        (
            "mcts:simulation=10",
            ["unknown option of mcts 'simulation': did you mean simulations?"],
        ),
        ("mcts:samples=10", ["unknown option of mcts 'samples'", "max_depth"]),
        ("one-step:sample=1", ["unknown option of one-step", "did you mean samples"]),
        ("one-step:tree=one", ["unknown option of one-step 'tree'", "known: samples"]),
        ("random:samples=1", ["unknown option of random 'samples'", "known: seed"]),
        ("random:settings=1", ["unknown option of random"]),
        (
            "mcts:perfect_information=true",
            ["perfect_information belongs to the game: --game ...:perfect_info"],
        ),
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
        ("tree=two", "one, self, pair"),
        ("tree=1", "one, self, pair"),
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
        ("value=reward", "win, score, leader, evaluate"),
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


# -- agents in agents


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("a:b=(c)", {"b": {"agent": "c"}}),
        ("a:b=(c:d=1,e=x),f=2", {"b": {"agent": "c", "d": 1, "e": "x"}, "f": 2}),
        ("a:b= ( c : d = 1 ) ", {"b": {"agent": "c", "d": 1}}),
        (
            "a:b=(c:d=(e:f=1,g=2),h=none),i=(j)",
            {
                "b": {"agent": "c", "d": {"agent": "e", "f": 1, "g": 2}, "h": None},
                "i": {"agent": "j"},
            },
        ),
    ],
)
def test_parentheses_nest(spec, expected):
    assert parse_spec(spec) == ("a", expected)


@pytest.mark.parametrize(
    ("spec", "place", "words"),
    [
        ("mcts:tree=self,opponent_model=(one-step", 31, "'(' is never closed"),
        ("mcts:tree=self)", 15, "')' without a matching '('"),
        ("mcts:opponent_model=(one-step))", 31, "')' without a matching '('"),
        ("mcts:opponent_model=()", 21, "nothing in the parentheses"),
        ("mcts:opponent_model=x(y)", 22, "go around a whole value"),
        ("mcts:opponent_model=(x)y", 21, "go around a whole value"),
        ("mcts:opponent_model=(one-step:samples)", 31, "expected option=value"),
        ("mcts:opponent_model=(a:b=1,b=2)", 28, "'b' is given twice"),
        ("(mcts)", 1, "'(' is allowed only around a value"),
        ("mcts:a=" + "(x:a=" * 9 + "y" + ")" * 9, 49, "nested more than 8 deep"),
    ],
)
def test_bad_syntax_names_the_place(spec, place, words):
    with pytest.raises(ValueError) as raised:
        parse_spec(spec)
    assert f"character {place}: " in str(raised.value)
    assert words in str(raised.value)


def test_nested_specs_become_agents():
    agent = make_agent(
        "mcts:tree=self,opponent_model=(one-step:samples=3),"
        "rollout_policy=(mcts:simulations=20)"
    )
    settings = agent.settings
    assert isinstance(settings.opponent_model, OneStepAgent)
    assert settings.opponent_model.samples == 3
    assert isinstance(settings.rollout_policy, MCTSAgent)
    assert settings.rollout_policy.settings.simulations == 20
    assert hash(settings) != hash(replace(settings, simulations=7))
    assert replace(settings, simulations=7).opponent_model is settings.opponent_model


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("one-step", OneStepAgent),
        ("one-step:samples=2", OneStepAgent),
        ({"agent": "one-step"}, OneStepAgent),
        ({"agent": "mcts", "simulations": 9}, MCTSAgent),
        ("random:", RandomAgent),
        (RandomAgent(seed=1), RandomAgent),
        ("mcts", MCTSAgent),
    ],
)
def test_policies_in_all_their_forms(value, kind):
    assert isinstance(MCTSAgent(rollout_policy=value).settings.rollout_policy, kind)


@pytest.mark.parametrize("word", ["random", "mast", "big_money"])
def test_words_that_name_no_agent_stay(word):
    assert MCTSAgent(rollout_policy=word).settings.rollout_policy == word
    assert make_agent(f"mcts:rollout_policy=({word})").settings.rollout_policy == word


def test_a_scripted_policy_is_checked_with_the_game():
    agent = make_agent("mcts:opponent_model=big_money")
    model = make_model("tictactoe")[1]
    with pytest.raises(ValueError, match="'big_money': expected random, mast, eval"):
        agent.search_of(model)


def test_none_is_a_word_where_it_is_one_and_else_nothing():
    settings = make_agent(
        "mcts:abstraction=none,mast=none,action_heuristic=none,solver=none,value=none"
    ).settings
    assert (settings.abstraction, settings.mast) == ("none", "none")
    assert settings.action_heuristic == "none"
    assert settings.solver is settings.value is None
    assert make_agent({"agent": "mcts", "value": "none"}).settings.value is None


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mcts:opponent_model=(one-step:samples=0)", ["opponent_model", "samples=0"]),
        ("mcts:opponent_model=(mtcs:tree=one)", ["opponent_model", "did you mean mct"]),
        ("mcts:rollout_policy=3", ["rollout_policy=3", "an agent or a function"]),
        ("mcts:tree=(one-step)", ["tree=", "one of one, self"]),
        ({"tree": "one"}, ["agent=None", "mcts, one-step, random"]),
        ({"agent": "mcts", 3: 4}, ["option 3 is not a word"]),
        (["mcts"], ["expected a spec such as"]),
    ],
)
def test_wrong_agents_in_agents(spec, words):
    with pytest.raises(ValueError) as raised:
        make_agent(spec)
    for word in words:
        assert word in str(raised.value)


def test_nested_agents_play_and_repeat_themselves():
    def visits():
        env = tictactoe.env()
        env.reset(seed=1)
        agent = make_agent(
            "mcts:tree=self,simulations=30,opponent_model=(one-step:samples=2),"
            "rollout_policy=(mcts:simulations=5)",
            seed=4,
        )
        return agent.plan(env).visits.tolist()

    assert sum(visits()) == 30
    assert visits() == visits()


PIECES = ["mcts", "one-step", "oma", "a.yaml", ":", ",", "=", "(", ")", " ", "tree"]
PIECES += ["opponent_model", "rollout_policy", "simulations", "1", "none", "self", ""]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_text_is_an_agent_or_a_clear_error(text):
    try:
        make_agent(text)
    except ValueError as error:
        assert str(error)


BEYOND = ["9" * 30, "-" + "9" * 400, "9" * 5000, "1e999"]


@pytest.mark.parametrize("number", BEYOND, ids=range(len(BEYOND)))
@pytest.mark.parametrize("option", ["simulations", "max_depth", "exploration", "seed"])
def test_numbers_beyond_all_bounds(option, number):
    spec = f"mcts:{option}={number}"
    if (option, number) == ("seed", BEYOND[0]):  # every whole number from 0 is one
        assert repr(make_agent(spec)).endswith(f"seed={number})")
        return
    with pytest.raises(ValueError, match=option):
        make_agent(spec)


def test_agents_show_their_settings():
    spec = "mcts:simulations=9,tree=self,opponent_model=(one-step:samples=2)"
    assert repr(make_agent(spec)) == (
        "MCTSAgent(simulations=9, tree='self', opponent_model=OneStepAgent(samples=2))"
    )
    assert repr(make_agent("random")) == "RandomAgent()"


@pytest.mark.parametrize("seat", ["opponent_model", "rollout_policy"])
def test_a_seed_of_an_agent_in_a_search_is_refused(seat):
    """It would have no effect: searches start such agents from their own generator."""
    with pytest.raises(ValueError, match=f"{seat}: seed=3"):
        make_agent(f"mcts:tree=self,{seat}=(one-step:seed=3)")


@pytest.mark.parametrize(
    ("spec", "most", "lines"),
    [
        ("random", 12, ["random"]),
        ("scripted:policy=simple", 21, ["scripted:", "policy=simple"]),
        ("scripted:policy=simple", 12, ["scripted:", "policy=simple"]),
        (
            "mcts:tree=self,opponent_model=(one-step:samples=3),simulations=20",
            21,
            [
                "mcts:tree=self,",
                "opponent_model=(",
                "one-step:samples=3),",
                "simulations=20",
            ],
        ),
        ("a name of many words", 12, ["a name of many words"]),
        ("mcts:simulations=100", 12, ["mcts:", "simulations=100"]),
    ],
)
def test_specs_in_lines_are_broken_where_their_parts_end(spec, most, lines):
    assert in_lines(spec, most).split("\n") == lines
