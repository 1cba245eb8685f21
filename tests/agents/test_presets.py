"""Presets: specs by the name of an algorithm."""

import math

import pytest

from mcts_agents import MCTSAgent, make_agent
from mcts_agents.agents import to_mapping
from mcts_agents.agents.kinds import KINDS
from mcts_agents.agents.presets import PRESETS

OF_MCTS = [name for name, preset in PRESETS.items() if preset.agent == "mcts"]


@pytest.mark.parametrize("name", OF_MCTS)
def test_a_preset_is_an_agent_whose_options_can_be_overridden(name):
    agent = make_agent(name)
    assert isinstance(agent, MCTSAgent)
    mapping = {**PRESETS[name].mapping(), "simulations": 1000}
    assert to_mapping(agent) == {
        key: value
        for key, value in mapping.items()
        if key == "agent" or value != getattr(MCTSAgent(seconds=1).settings, key)
    }
    changed = make_agent(f"{name}:simulations=7,final=value").settings
    assert (changed.simulations, changed.final) == (7, "value")
    assert make_agent({"agent": name, "exploration": 3}).settings.exploration == 3
    assert name not in KINDS
    assert len(PRESETS[name].about) <= 50  # a line of `mcts-agents list`


@pytest.mark.parametrize("name", sorted(PRESETS.keys() - set(OF_MCTS)))
def test_presets_of_other_kinds(name):
    preset = PRESETS[name]
    assert to_mapping(make_agent(name)) == preset.mapping()
    changed = make_agent(f"{name}:nodes=7,table=1").settings
    assert (changed.nodes, changed.table, changed.killers) == (7, 1, False)
    assert KINDS[preset.agent].agent is type(make_agent(name))
    assert name not in KINDS
    assert len(preset.about) <= 50


def test_presets_nest_and_stand_in_files(tmp_path):
    settings = make_agent("self-only:opponent_model=(paranoid:simulations=5)").settings
    assert settings.opponent_model.settings.paranoid
    assert make_agent("self-only:opponent_model=paranoid").settings.opponent_model
    (tmp_path / "a.yaml").write_text("{agent: multitree, paranoid: true}")
    assert make_agent(tmp_path / "a.yaml").settings.tree == "multi"


def test_an_override_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="unknown option of mcts 'tre'"):
        make_agent("multitree:tre=one")
    with pytest.raises(ValueError, match="unknown agent 'multi-tree': did you mean mu"):
        make_agent("multi-tree")


def test_the_quadrants_of_the_multitree_paper():
    for name, information, rollout in [
        ("is-mcts-0", "set", 0),
        ("is-mcts-30", "set", 30),
        ("pi-mcts-0", "perfect", 0),
        ("pi-mcts-30", "perfect", 30),
    ]:
        settings = make_agent(name).settings
        assert (settings.information, settings.rollout) == (information, rollout)
        assert settings.max_depth == 30
        assert settings.exploration == pytest.approx(math.sqrt(2))
