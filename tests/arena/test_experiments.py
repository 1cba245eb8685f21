"""The experiments and the documentation's tournament can be played as they stand."""

import re
from pathlib import Path

import pytest

from mcts_agents.agents import make_agent
from mcts_agents.arena.budgets import budget_setting
from mcts_agents.arena.spec_file import SpecFile
from mcts_agents.arena.tournament import prepare

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "experiments").glob("*.yaml"))

# Table I of the MultiTree paper: information sets or one determinization, and the
# length of rollouts, by game.
QUADRANTS = {
    "tictactoe": ("perfect", 30),
    "dots_and_boxes": ("perfect", 0),
    "love_letter": ("set", 0),
    "sushi_go": ("perfect", 30),
    "diamant": ("set", 30),
}


def test_there_are_experiments():
    assert len(FILES) == 2


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_experiments_follow_the_paper(path):
    spec = SpecFile(str(path)).spec(games_each=1)
    schedule = prepare(spec)
    assert {setting.game for setting in schedule.settings} == set(QUADRANTS)
    for setting, entrants in schedule.entrants.items():
        found = {
            entrant.name: make_agent(entrant.mapping()).settings for entrant in entrants
        }
        kinds = {name: (s.tree, s.paranoid) for name, s in found.items()}
        assert kinds == {
            "MaxN": ("one", False),
            "Paranoid": ("one", True),
            "Self": ("self", False),
            "MT": ("multi", False),
            "MTP": ("multi", True),
        }
        assert setting.players <= 5
        option, value = budget_setting(setting.budget)
        for settings in found.values():
            assert (settings.information, settings.rollout) == QUADRANTS[setting.game]
            assert settings.max_depth == 30
            assert settings.tree_policy == "ucb1"
            assert getattr(settings, option) == value


def test_the_documented_tournament_is_one(tmp_path):
    page = (ROOT / "docs" / "arena.md").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my_agent.yaml").write_text("agent: one-step")
    (tmp_path / "tournament.yaml").write_text(text)
    spec = SpecFile(str(tmp_path / "tournament.yaml")).spec()
    assert len(prepare(spec)) == 4 * 2 * 200
    assert spec.agents["mine"]["agent"] == "one-step"
