"""The experiments and the documentation's tournament can be played as they stand."""

import argparse
import importlib
import re
from pathlib import Path

import pytest

from mcts_agents.agents import make_agent
from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.store import StoreError
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import FIELD

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "experiments"
MULTITREE = FOLDER / "multitree"
TUNED = sorted(MULTITREE.glob("tuned*.yaml"))
FIXED = sorted(MULTITREE.glob("fixed*.yaml"))

# Table I of the MultiTree paper: information sets or one determinization, and the
# length of rollouts, by game.
QUADRANTS = {
    # One determinization in the paper. Nothing is hidden, so both are the same search.
    "tictactoe": ("set", 30),
    "dots_and_boxes": ("set", 0),
    "dominion": ("set", 30),
    "exploding_kittens": ("set", 30),
    "uno": ("set", 0),
    "poker": ("set", 30),
    "sushi_go": ("perfect", 30),
    "virus": ("perfect", 0),
    "love_letter": ("set", 0),
    "diamant": ("set", 30),
    "colt_express": ("set", 30),
}
# TAG's iterations a second in one tree, with rollouts of 10 and of 30.
TAG = {
    "tictactoe": (43_000, 43_000),
    "dots_and_boxes": (7_400, 4_700),
    "dominion": (14_100, 10_900),
    "exploding_kittens": (21_200, 14_300),
    "uno": (29_000, 25_900),
    "poker": (22_200, 21_900),
    "sushi_go": (24_200, 18_600),
    "virus": (19_000, 14_000),
    "love_letter": (15_600, 10_700),
    "diamant": (30_000, 24_800),
    "colt_express": (21_200, 18_700),
}
VARIANTS = {
    "MaxN": ("one", False),
    "Paranoid": ("one", True),
    "Self": ("self", False),
    "MT": ("multi", False),
    "MTP": ("multi", True),
}


def assert_worth(setting, rollout, seconds):
    """Check that a budget is what TAG searches in some seconds, to two digits."""
    exact = TAG[setting.game][rollout == 30] * seconds
    assert float(setting.budget) == float(f"{exact:.2g}")


def assert_quadrant(settings, information, rollout):
    assert (settings.information, settings.rollout) == (information, rollout)
    assert settings.max_depth == 30
    assert settings.tree_policy == "ucb1"
    assert not settings.solver


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
    assert (len(TUNED), len(FIXED)) == (3, 4)
    assert len(list(FOLDER.glob("*.yaml"))) >= 5


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


@pytest.mark.parametrize("path", TUNED, ids=lambda path: path.stem)
def test_tuned_quadrants_follow_the_paper(path):
    spec = SpecFile(str(path)).spec(games_each=1)
    schedule = prepare(spec)
    assert {setting.game for setting in schedule.settings} == set(QUADRANTS)
    for setting, entrants in schedule.entrants.items():
        found = {
            entrant.name: make_agent(entrant.mapping()).settings for entrant in entrants
        }
        assert {name: (s.tree, s.paranoid) for name, s in found.items()} == VARIANTS
        assert setting.players <= 5
        option, value = budget_setting(setting.budget)
        for settings in found.values():
            assert_quadrant(settings, *QUADRANTS[setting.game])
            assert getattr(settings, option) == value
    times = {"tuned": (0.04, 0.2), "tuned_1000ms": (1.0,)}.get(path.stem)
    for game in spec.games if times else ():
        settings = [s for s in spec.settings() if s.game == game.game]
        for number, setting in enumerate(settings):
            seconds = times[number % len(times)]
            assert_worth(setting, QUADRANTS[game.game][1], seconds)


# What variations of set 3 change: options of a game's search, and whether players of
# one tree choose one after another.
VARIATIONS = {
    ("serialised", "sushi_go"): (set(), True),
    ("serialised", "diamant"): (set(), True),
    ("one_deal", "diamant"): ({"information"}, True),
    ("wide", "dominion"): ({"exploration"}, False),
    ("wide", "diamant"): ({"information", "exploration"}, False),
}


def test_variations_of_set_3_change_what_they_say():
    whole = SpecFile(str(MULTITREE / "tuned.yaml")).spec().description()
    found = {}
    for name in ("serialised", "one_deal", "wide"):
        part = SpecFile(str(MULTITREE / f"{name}.yaml")).spec().description()
        serialised = {}
        for agent, options in part["agents"].items():
            serialised[agent] = options.pop("simultaneous", "decoupled") == "serialised"
            assert options == whole["agents"][agent]
        assert not any(serialised[agent] for agent in ("Self", "MT", "MTP"))
        assert serialised["MaxN"] == serialised["Paranoid"]
        for game in part["games"]:
            (other,) = (g for g in whole["games"] if g["game"] == game["game"])
            one, two = game.pop("search"), other.pop("search")
            changed = {option for option in one if one[option] != two.get(option)}
            found[name, game["game"]] = changed, serialised["MaxN"]
            assert game == other
            other["search"] = two
        for key in ("field", "design", "seed", "games_each"):
            assert part.get(key) == whole.get(key)
    assert found == VARIATIONS


@pytest.mark.parametrize("path", FIXED, ids=lambda path: path.stem)
def test_each_variant_alone_against_maxn(path):
    _, word, rollout = path.stem.split("_")
    information = {"is": "set", "pi": "perfect"}[word]
    spec = SpecFile(str(path)).spec()
    hidden = {"tictactoe", "dots_and_boxes"} if word == "pi" else set()
    assert {setting.game for setting in spec.settings()} == set(QUADRANTS) - hidden
    assert spec.design == "one-against-field"
    for setting in spec.settings():
        found = {
            entrant.name: make_agent(entrant.mapping()).settings
            for entrant in (*spec.entrants(setting), spec.field_entrant(setting))
        }
        kinds = {name: (s.tree, s.paranoid) for name, s in found.items()}
        kinds["MaxN"] = kinds.pop(FIELD)
        assert kinds == VARIANTS
        for settings in found.values():
            assert_quadrant(settings, information, int(rollout))
        assert_worth(setting, int(rollout), 0.04)


@pytest.mark.parametrize(("name", "agents"), [("", 20), ("_open", 10)])
def test_all_agents_play_each_other(name, agents):
    games = set()
    spec = SpecFile(str(MULTITREE / f"round_robin{name}.yaml")).spec()
    assert spec.design == "round-robin"
    assert spec.same_agents() == []
    for setting in spec.settings():
        games.add(setting.game)
        assert_worth(setting, 30, 0.04)
        entrants = spec.entrants(setting)
        assert len(entrants) == agents
        for entrant in entrants:
            variant, quadrant = entrant.name.split()
            word, rollout = quadrant.split("-")
            settings = make_agent(entrant.mapping()).settings
            assert (settings.tree, settings.paranoid) == VARIANTS[variant]
            information = {"IS": "set", "PI": "perfect"}[word]
            assert_quadrant(settings, information, int(rollout))
    no_secrets = {"tictactoe", "dots_and_boxes"}
    assert games == (no_secrets if name else set(QUADRANTS) - no_secrets)


def test_the_documented_tournament_is_one(tmp_path):
    page = (ROOT / "docs" / "arena.md").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my_agent.yaml").write_text("agent: one-step")
    (tmp_path / "tournament.yaml").write_text(text)
    spec = SpecFile(str(tmp_path / "tournament.yaml")).spec()
    assert len(prepare(spec)) == 4 * 2 * 200
    assert spec.agents["mine"]["agent"] == "one-step"


@pytest.fixture
def mcps(monkeypatch):
    """Import a script of the folder `mcps`."""
    monkeypatch.syspath_prepend(str(FOLDER / "mcps"))
    return importlib.import_module


@pytest.mark.parametrize(
    ("wins", "games", "paper", "verdict"),
    [
        (196, 200, 95.1, "agrees"),  # in the interval, which is longer below
        (4, 200, 4.9, "agrees"),
        (196, 200, 94.0, "differs"),
        (196, 200, 99.5, "differs"),  # half of the interval's length would allow it
        (120, 200, 66.0, "agrees"),
        (120, 200, 68.0, "differs"),
    ],
)
def test_the_side_that_faces_the_paper_is_allowed(mcps, wins, games, paper, verdict):
    line = mcps("tables").line
    found = wilson(wins, games)
    ours = (100 * found.value, 100 * found.low, 100 * found.high)
    assert f"| {verdict}" in line("hex", games, ours, (paper, 0.0))
    inside = found.low <= paper / 100 <= found.high
    assert inside == (verdict == "agrees")


@pytest.mark.parametrize("script", ["tables", "other_codes"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--output", "FILE"], "--output: "),
        (["--output", "FILE/below"], "--output: "),
        (["--games", "0"], "'0': expected an integer from 1"),
        (["--jobs", "-1"], "'-1': expected an integer from 1"),
    ],
)
def test_scripts_say_in_one_line_what_is_wrong(
    mcps, monkeypatch, capsys, tmp_path, script, arguments, words
):
    (tmp_path / "FILE").write_text("")
    monkeypatch.chdir(tmp_path)
    table = ["--table", "3"] if script == "other_codes" else ["--tables", "1"]
    monkeypatch.setattr("sys.argv", [script, *table, *arguments])
    with pytest.raises(SystemExit) as ended:
        mcps(script).main()
    assert ended.value.code == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


def test_a_store_that_does_not_fit_is_one_line(mcps, capsys, tmp_path):
    command = mcps("command")
    parser = argparse.ArgumentParser(prog="tables.py")
    with pytest.raises(SystemExit, match="2"), command.output_of(parser, tmp_path):
        raise StoreError("table1.sqlite: cannot have fewer")
    told = "tables.py: error: table1.sqlite: cannot have fewer\n"
    assert capsys.readouterr().err == told


def test_the_page_keeps_the_tables_that_are_not_played_now(mcps, tmp_path):
    tables = mcps("tables")
    path = tmp_path / "tables.md"
    tables.Page(path).add("table4", "9 s", ["| old |"])
    tables.Page(path).add("table7", "the paper's in brackets", ["| codes |"])
    tables.Page(path).add("table1", "3 s", ["| first |"])
    tables.Page(path).add("table4", "5 s", ["| new |"])
    assert path.read_text().split("\n\n") == [
        "# Tables of the MCPS paper",
        "## table1 (3 s)", "| first |",
        "## table4 (5 s)", "| new |",
        "## table7 (the paper's in brackets)", "| codes |\n",
    ]  # fmt: skip
