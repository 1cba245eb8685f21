"""The experiments and the documentation's tournament can be played as they stand."""

import re
from pathlib import Path

import pytest

from mcts_agents.agents import make_agent
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import FIELD

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "experiments"
MULTITREE = sorted(FOLDER.glob("multitree_*.yaml"))

# Table I of the MultiTree paper: information sets or one determinization, and the
# length of rollouts, by game.
QUADRANTS = {
    # One determinization in the paper. Nothing is hidden, so both are the same search.
    "tictactoe": ("set", 30),
    "dots_and_boxes": ("set", 0),
    "love_letter": ("set", 0),
    "sushi_go": ("perfect", 30),
    "diamant": ("set", 30),
}


def test_the_strength_on_pommerman_is_that_of_the_preset():
    spec = SpecFile(str(FOLDER / "pommerman_strength.yaml")).spec()
    ((_, (entrant,)),) = prepare(spec).entrants.items()
    settings = make_agent(entrant.mapping()).settings
    assert (settings.tree, settings.loop, settings.simulations) == (
        "self",
        None,  # an open loop in games of this package
        1000,
    )
    assert make_agent(spec.field).policy == "simple_unbiased"


def test_there_are_experiments():
    assert len(MULTITREE) == 2
    assert len(list(FOLDER.glob("*.yaml"))) >= 7


@pytest.mark.parametrize(
    ("table", "opponents", "other_simulations", "games_each"),
    [(2, "simple_unbiased", 1000, 1000), (3, "simple", 250, 100)],
)
def test_pommerman_follows_its_paper(table, opponents, other_simulations, games_each):
    """Tables 2 and 3: who plays whom, how often, and with how many simulations."""
    spec = SpecFile(str(FOLDER / f"pommerman_table{table}.yaml")).spec()
    assert spec.games_each == games_each * len(spec.agents)
    schedule = prepare(spec)
    ((setting, entrants),) = schedule.entrants.items()
    assert (setting.game, setting.players) == ("pommerman:shuffle_corners=true", 4)
    assert make_agent(spec.field).policy == opponents
    found = {
        entrant.name: make_agent(entrant.mapping()).settings for entrant in entrants
    }
    assert {
        name: (s.tree, s.opponent_model, s.simulations) for name, s in found.items()
    } == {
        "SP-MCTS, SimpleUnbiased": ("self", "simple_unbiased", 1000),
        "SP-MCTS, Simple": ("self", "simple", other_simulations),
        "TP-MCTS, SimpleUnbiased": ("pair", "simple_unbiased", 1000),
        "TP-MCTS, Simple": ("pair", "simple", other_simulations),
    }
    for settings in found.values():
        assert settings.tree_policy == "alphago"
        assert settings.loop == "sampled"
    first = [fixture for fixture, _ in zip(schedule, range(16), strict=False)]
    seats = {
        (seat.name, n) for f in first for n, seat in enumerate(f.seats)
        if seat.name != FIELD
    }  # fmt: skip
    assert len(seats) == 16  # each planner in each seat


@pytest.mark.parametrize("path", MULTITREE, ids=lambda path: path.stem)
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
