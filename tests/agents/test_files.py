"""Agents in files: read, refused with the place, written and read again."""

import json
import os

import numpy as np
import pytest
import yaml

from mcts_agents import Agent, MCTSAgent, OneStepAgent, RandomAgent, make_agent
from mcts_agents.agents import agent_spec, parse_spec, save_agent, to_mapping
from mcts_agents.agents.files import in_folder
from mcts_agents.agents.mcts import SETTING_NAMES
from mcts_agents.agents.saving import spec_text
from mcts_agents.agents.specs import names_an_agent
from mcts_agents.arena.tournaments.spec_file import SpecFile
from tests.agents.policies import saved

NESTED = """
agent: mcts            # a comment
tree: self
simulations: 200
exploration: 1.5
solver: none
opponent_model: {agent: one-step, samples: 3}
"""


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("suffix", ["yaml", "yml", "json", "YAML"])
def test_an_agent_from_a_file(tmp_path, suffix):
    text = NESTED
    if suffix == "json":
        text = json.dumps(yaml.safe_load(NESTED))
    path = write(tmp_path, f"my, agent (1).{suffix}", text)
    for spec in (path, tmp_path / f"my, agent (1).{suffix}"):
        agent = make_agent(spec)
        assert isinstance(agent, MCTSAgent)
        settings = agent.settings
        assert (settings.tree, settings.simulations) == ("self", 200)
        assert (settings.exploration, settings.solver) == (1.5, None)
        assert settings.opponent_model.samples == 3


def test_options_may_follow_the_path(tmp_path):
    path = write(tmp_path, "a.yaml", NESTED)
    settings = make_agent(f"{path}:simulations=7,tree=multi").settings
    assert (settings.simulations, settings.tree) == (7, "multi")
    assert settings.exploration == 1.5


@pytest.mark.skipif(os.name == "nt", reason="only drives have colons there")
def test_the_path_may_have_colons(tmp_path):
    (tmp_path / "a:b").mkdir()
    path = write(tmp_path, "a:b/c.yaml", NESTED)
    assert make_agent(path).settings.simulations == 200
    assert make_agent(f"{path}:simulations=7,tree=multi").settings.simulations == 7
    write(tmp_path, "a:b/one.yml", "{agent: one-step, samples: 4}")
    for folder in (f"{tmp_path}/", ""):  # the second one is that of the file
        opponent = f"{folder}a:b/one.yml"
        for spec, samples in ((opponent, 4), (f"{opponent}:samples=5", 5)):
            text = f"{{agent: mcts, opponent_model: '{spec}'}}"
            outer = write(tmp_path, "outer.yaml", text)
            assert make_agent(outer).settings.opponent_model.samples == samples
    nested = make_agent(f"mcts:opponent_model=({tmp_path}/a:b/one.yml:samples=6)")
    assert nested.settings.opponent_model.samples == 6


def test_the_path_may_begin_with_a_drive():
    path = r"C:\my agents\a.yaml"
    assert parse_spec(f"{path}:simulations=7") == (path, {"simulations": 7})
    assert parse_spec(f"mcts:a=({path}:b=1),c=({path})") == (
        "mcts",
        {"a": {"agent": path, "b": 1}, "c": {"agent": path}},
    )
    assert names_an_agent(f"{path}:opponent_model=(mcts:simulations=7)")
    with pytest.raises(ValueError, match=r"^C:\\my agents\\a.yaml: cannot be read"):
        make_agent(f"{path}:simulations=7")
    with pytest.raises(ValueError, match="unknown agent 'mtcs'"):
        make_agent(f"mtcs:opponent_model=({path}:samples=3)")


@pytest.mark.skipif(os.name == "nt", reason="only drives have colons there")
def test_a_file_that_is_named_like_a_class_is_a_file(tmp_path, monkeypatch):
    """Nothing that it names is imported, and it cannot trust a policy."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "imported_by_a_file.py").write_text("raise SystemExit('imported')")
    write(tmp_path, "team:red.yaml", NESTED)
    for spec in ("team:red.yaml", {"agent": "team:red.yaml"}):
        assert make_agent(spec).settings.simulations == 200
    spec = "team:red.yaml:simulations=7"
    assert make_agent(spec).settings.simulations == 7
    write(tmp_path, "outer.yaml", "{agent: 'team:red.yaml', exploration: 3}")
    assert make_agent(tmp_path / "outer.yaml").settings.exploration == 3
    for agent in ("'imported_by_a_file:A'", "{agent: 'imported_by_a_file:A'}"):
        write(tmp_path, "team:red.yaml", f"{{agent: mcts, opponent_model: {agent}}}")
        with pytest.raises(ValueError, match=r"team:red\.yaml"):
            make_agent("team:red.yaml")
    write(tmp_path, "team:red.yaml", "{agent: policy, file: p.pt, trust: true}")
    with pytest.raises(ValueError, match=r"trust=True: cannot be set in team:red\.yam"):
        make_agent("team:red.yaml")


def test_files_name_files_beside_them(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    write(tmp_path, "inner/opponent.yml", "{agent: one-step, samples: 4}")
    for text in (
        "{agent: mcts, opponent_model: inner/opponent.yml}",
        "{agent: mcts, opponent_model: {agent: inner/opponent.yml}}",
    ):
        path = write(tmp_path, "outer.yaml", text)
        assert make_agent(path).settings.opponent_model.samples == 4
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "based.yaml", "{agent: outer.yaml, simulations: 5}")
    assert make_agent("based.yaml").settings.simulations == 5
    nested = make_agent("mcts:opponent_model=inner/opponent.yml").settings
    assert isinstance(nested.opponent_model, OneStepAgent)


@pytest.mark.parametrize(
    ("spec", "samples"),
    [
        ("mcts:simulations=5,rollout_policy=one.yaml", 4),
        ("mcts:rollout_policy=one.yaml,simulations=5", 4),
        ("mcts:simulations=5,rollout_policy=(one.yaml:samples=3)", 3),
        ("self-only:simulations=5,rollout_policy=one.yaml", 4),
        ("two.yaml:rollout_policy=one.yaml", 4),
    ],
)
def test_specs_in_files_name_files_beside_them(tmp_path, spec, samples):
    """The file of an option may be what the spec ends in."""
    write(tmp_path, "one.yaml", "{agent: one-step, samples: 4}")
    write(tmp_path, "two.yaml", "{agent: mcts, simulations: 5}")
    path = write(tmp_path, "a.yaml", f"{{agent: mcts, opponent_model: '{spec}'}}")
    opponent = make_agent(path).settings.opponent_model.settings
    assert (opponent.simulations, opponent.rollout_policy.samples) == (5, samples)
    path = write(tmp_path, "t.yaml", f"{{games: hex, agents: ['{spec}', random]}}")
    told = SpecFile(path).spec().agents[spec]["rollout_policy"]
    assert told == {"agent": "one-step", "samples": samples}


@pytest.mark.parametrize("spec", ["mtcs:opponent_model=one.yaml", "mtcs:a=b/c.json"])
def test_an_unknown_agent_with_a_file_is_no_file(tmp_path, spec):
    path = write(tmp_path, "a.yaml", f"{{agent: mcts, opponent_model: '{spec}'}}")
    for given in (spec, path):
        with pytest.raises(ValueError, match="unknown agent 'mtcs': did you mean mcts"):
            make_agent(given)
    assert not names_an_agent(spec)


def test_a_file_that_names_itself(tmp_path):
    for text in (
        "{agent: a.yaml}",
        "{agent: mcts, opponent_model: {agent: a.yaml}}",
    ):
        path = write(tmp_path, "a.yaml", text)
        with pytest.raises(ValueError, match="nested more than 8 deep"):
            make_agent(path)
    path = write(tmp_path, "a.yaml", "&a {agent: mcts, opponent_model: *a}")
    with pytest.raises(ValueError, match="line 1, column 34: it contains itself"):
        make_agent(path)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "agent: mcts\ntree: [one", ["line 2", "expected ',' or ']'"]),
        ("a.yaml", "agent: mcts\n\ttree: one", ["line 2", "cannot start any token"]),
        ("a.yaml", "agent: mcts\ntree: one\ntree: self", ["line 3", "given twice"]),
        ("a.yaml", "agent: !!python/name:os.system", ["line 1", "could not determine"]),
        ("a.yaml", "- mcts", ["expected a mapping", "['mcts']"]),
        ("a.yaml", "", ["expected a mapping", "None"]),
        ("a.yaml", "tree: one", ["agent=None", "mcts, one-step, random"]),
        ("a.yaml", "agent: mtcs", ["unknown agent 'mtcs'", "did you mean mcts"]),
        ("a.yaml", "{agent: mcts, tre: one}", ["unknown option of mcts 'tre'"]),
        ("a.yaml", "{agent: mcts, tree: two}", ["tree='two'", "one, self, pair"]),
        ("a.yaml", "{agent: mcts, 3: two}", ["option 3 is not a word"]),
        ("a.yaml", "{agent: mcts, seed: -3}", ["seed=-3", "integer from 0"]),
        (
            "a.yaml",
            "{agent: mcts, opponent_model: {agent: one-step, samples: 0}}",
            ["opponent_model: samples=0", "integer from 1"],
        ),
        ("a.json", '{"agent": "mcts",\n "tree" "one"}', ["line 2, column 9"]),
        ("a.json", '{"agent": "mcts", "agent": "mcts"}', ["'agent' is given twice"]),
        ("a.json", "\xff", ["a.json: "]),
    ],
)
def test_errors_name_the_file_and_the_place(tmp_path, name, text, words):
    path = write(tmp_path, name, text)
    with pytest.raises(ValueError) as raised:
        make_agent(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert str(raised.value).count(path) == 1
    for word in words:
        assert word in str(raised.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match=r"none\.yaml: cannot be read: No such file"):
        make_agent(str(tmp_path / "none.yaml"))
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="it is not text"):
        make_agent(tmp_path / "binary.json")


SPECS = [
    "random",
    "one-step:samples=3",
    "one-step:samples=10,value=win",
    "mcts:simulations=1000",
    "mcts:seconds=0.5,tree=multi,paranoid=true,first_play_urgency=1.25,rollout=0",
    "mcts:simulations=50,tree=self,solver=false,"
    "rollout_policy=(mcts:simulations=20,rollout_policy=mast,mast=both),"
    "opponent_model=(one-step:samples=3)",
    "mcts:simulations=9,rollout_policy=big_money",
]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("full", [False, True])
def test_what_is_written_makes_the_same_agent(tmp_path, spec, full):
    agent = make_agent(spec)
    mapping = to_mapping(agent, full=full)
    assert to_mapping(make_agent(mapping), full=full) == mapping
    if not full:
        assert agent_spec(agent) == spec
        assert to_mapping(make_agent(agent_spec(agent))) == mapping
    elif isinstance(agent, MCTSAgent):
        assert list(mapping) == ["agent", *SETTING_NAMES]
    for suffix in ("yaml", "yml", "json"):
        save_agent(agent, tmp_path / f"a.{suffix}", full=full)
        read = make_agent(tmp_path / f"a.{suffix}")
        assert to_mapping(read, full=full) == mapping


@pytest.mark.parametrize("spec", ["", "mcts:evaluator=("])
def test_what_is_written_finds_its_policy_from_its_own_folder(
    tmp_path, monkeypatch, spec
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()
    saved("p.npz")
    closed = ")" if spec else ""
    agent = make_agent(f"{spec}policy:file=p.npz{closed}")
    for _ in range(2):  # written, read, and written again
        save_agent(agent, "agents/best.yaml")
        agent = make_agent("agents/best.yaml")
    monkeypatch.chdir(tmp_path / "agents")
    make_agent("best.yaml")
    absolute = make_agent(f"{spec}policy:file={tmp_path}/p.npz{closed}")
    save_agent(absolute, "best.json")
    assert str(tmp_path) in (tmp_path / "agents" / "best.json").read_text()
    make_agent("best.json")


def test_paths_with_signs_are_written_in_specs(tmp_path):
    folder = tmp_path / "lr=0.01" / "a:b"
    folder.mkdir(parents=True)
    saved(folder / "p.npz")
    for spec in (
        f"policy:file={folder}/p.npz",
        f"mcts:rollout=3,evaluator=(policy:file={folder}/p.npz)",
    ):
        agent = make_agent(spec)
        assert to_mapping(make_agent(agent_spec(agent))) == to_mapping(agent)
    (tmp_path / "a,b").mkdir()
    saved(tmp_path / "a,b" / "p.npz")
    with pytest.raises(ValueError, match="cannot be written in a spec"):
        agent_spec(make_agent({"agent": "policy", "file": f"{tmp_path}/a,b/p.npz"}))


def test_numbers_of_numpy_are_written_as_numbers(tmp_path):
    agent = MCTSAgent(simulations=5, exploration=np.linspace(0.1, 2, 5)[1])
    assert agent_spec(agent) == "mcts:simulations=5,exploration=0.575"
    save_agent(agent, tmp_path / "a.yaml")
    assert make_agent(tmp_path / "a.yaml").settings == agent.settings


@pytest.mark.parametrize("word", ["0", "0.0", "false", "", " x ", "7", "1e3"])
def test_words_that_would_be_read_as_something_else_are_no_specs(word):
    mapping = {"agent": "my_agents:Mine", "tag": word}
    assert spec_text(mapping) == json.dumps(mapping)
    assert spec_text({**mapping, "tag": "a:b=c"}) == "my_agents:Mine:tag=a:b=c"


def test_what_no_text_stands_for(tmp_path):
    class Other(Agent):
        def decide(self, model, state, player):
            return 0

    for agent in (
        Other(),
        MCTSAgent(opponent_model=Other()),
        MCTSAgent(value=lambda model, state: [0.0, 0.0]),
    ):
        with pytest.raises(ValueError, match=r"has no spec|as text"):
            to_mapping(agent)
    with pytest.raises(ValueError, match=r"expected a name that ends in \.yaml"):
        save_agent(RandomAgent(), tmp_path / "agent.toml")


def test_a_class_in_a_module_has_its_files_beside_the_file_that_names_it():
    given = {"opponent_model": "my_own:Net:file=p.npz", "agent": "mcts"}
    expected = {"agent": "my_own:Net", "file": "sub/p.npz"}
    assert in_folder(given, "sub")["opponent_model"] == expected
