"""The experiments of the OMA paper, played at a tiny scale and drawn."""

import json
import runpy
import sys
from pathlib import Path

import pytest
import yaml

from mcts_agents.agents import make_agent
from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.arena.tournaments.store import Store

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "oma"


@pytest.fixture(scope="module")
def script():
    """The names of `run.py`, which imports from its own folder."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield runpy.run_path(str(FOLDER / "run.py"), run_name="run")
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def experiment(script):
    return script["Experiment"]()


def games_in(folder):
    """(won by the first agent, games) by the name of each store."""
    found = {}
    for path in sorted(folder.glob("*.sqlite")):
        with Store.read(path) as store:
            found[path.stem] = len(list(store.games()))
    return found


def test_it_is_that_of_the_paper(experiment):
    """Six domains, ten comparisons, the averages of section V, and footnote 5."""
    assert [(d["game"], d["players"]) for d in experiment.domains.values()] == [
        ("chinese_checkers", 3),
        ("chinese_checkers", 4),
        ("chinese_checkers", 6),
        ("rolit", 3),
        ("rolit", 4),
        ("focus", 4),
    ]
    paper = {
        (about["agent"], opponent): rate
        for about in experiment.figures.values()
        for row in about["against"]
        for opponent, rate in row.items()
        if rate is not None
    }
    assert paper == {
        ("MCTS-OMA", "MCTS"): 57.3,
        ("MCTS-OMA-PW", "MCTS-PW"): 65.0,
        ("MCTS", "Paranoid"): 46.0,
        ("MCTS", "BRS+"): 34.5,
        ("MCTS-OMA", "Paranoid"): 53.1,
        ("MCTS-OMA", "BRS+"): 37.0,
        ("MCTS-PW", "Paranoid"): 71.9,
        ("MCTS-PW", "BRS+"): 57.0,
        ("MCTS-OMA-PW", "Paranoid"): 79.6,
        ("MCTS-OMA-PW", "BRS+"): 70.9,
    }
    assert experiment.depths["paper"] == {
        2: 56.5, 3: 51.6, 4: 48.0, 5: 89.3, 6: 40.1, 7: 42.9
    }  # fmt: skip


def test_contestants_are_those_of_the_paper(experiment):
    made = {name: make_agent(c) for name, c in experiment.contestants.items()}
    kinds = {
        name: (agent.settings.abstraction, agent.settings.widening > 0)
        for name, agent in made.items()
        if name.startswith("MCTS")
    }
    assert kinds == {
        "MCTS": ("none", False),
        "MCTS-OMA": ("all", False),
        "MCTS-PW": ("none", True),
        "MCTS-OMA-PW": ("all", True),
        "MCTS-OMA as MCTS": ("all", False),
        "MCTS-OMA-PW as MCTS-PW": ("all", True),
    }
    for name, agent in made.items():
        assert agent.settings.value == "evaluate"
        if name in kinds:
            assert agent.settings.rollout == 0
            continue
        enhanced = "enhanced" in name
        settings = agent.settings
        assert (settings.table > 0) == settings.killers == settings.history == enhanced
        assert settings.ordering == "game"
    for name, about in experiment.tuning["contestants"].items():
        tuned = {text.partition("=")[0] for text in about["parameters"]}
        expected = {"exploration"}
        if "OMA" in name:
            expected |= {"abstraction_visits", "keep_abstraction"}
        if "PW" in name:
            expected |= {"widening", "widening_exponent"}
        if "like" in about:
            assert name.endswith(f" as {about['like']}")
            assert about["like"] == about["against"]
            expected = {"abstraction_visits", "keep_abstraction"}
            if name not in experiment.tunable:
                expected = set()
        assert tuned == expected
    assert experiment.tuning["seed"] != experiment.seed


def test_budgets_are_equal_for_both_sorts_of_searches(script, experiment):
    names = script["run"].__globals__
    budgeted = names["Experiment"].matches.__globals__["budgeted"]
    for name, contestant in experiment.contestants.items():
        option = "simulations" if name.startswith("MCTS") else "nodes"
        assert budgeted(contestant, "500")[option] == 500
        assert budgeted(contestant, "25ms")["seconds"] == 0.025
    with pytest.raises(ValueError, match="'5calls': expected a time such as 250ms"):
        budgeted(experiment.contestants["MCTS"], "5calls")


def test_play_goes_on_and_draws(script, tmp_path):
    main = script["main"]
    arguments = ["--budget", "8", "--untuned", "--domain", "checkers-3", "checkers-4"]
    arguments += ["--folder", str(tmp_path), "--results", str(tmp_path), "--jobs", "1"]
    assert main(["play", "--figure", "4", "6", "--games", "1", *arguments]) == 0
    played = games_in(tmp_path)
    assert len(played) == 2 * (1 + 4)
    assert set(played.values()) == {1}
    assert main(["play", "--figure", "4", "--games", "3", *arguments]) == 0
    more = games_in(tmp_path)
    assert {name: n - played[name] for name, n in more.items()} == {
        name: 2 * ("figure-4" in name) for name in played
    }
    text = (tmp_path / "results.md").read_text()
    assert "57.3%" in text and "| Chinese Checkers(3), 3 games |" in text
    for ending in ("svg", "png"):
        for figure in (4, 6):
            assert (tmp_path / f"figure_{figure}.{ending}").stat().st_size > 5000
    picture = (tmp_path / "figure_6.svg").read_text()
    for words in ("AVERAGE", "Chinese Checkers(4)", "win rate against BRS+, enhanced"):
        assert words in picture
    assert main(["charts", "--figure", "4", "6", *arguments]) == 0
    assert games_in(tmp_path) == more


def test_a_row_is_chosen(script, tmp_path):
    arguments = ["play", "--budget", "8", "--untuned", "--domain", "rolit-3"]
    arguments += ["--games", "1", "--folder", str(tmp_path), "--results", str(tmp_path)]
    arguments += ["--jobs", "1", "--figure", "4", "6", "--row"]
    assert script["main"]([*arguments, "1"]) == 0
    first = games_in(tmp_path)
    assert len(first) == 3 and not any("enhanced" in name for name in first)
    assert script["main"]([*arguments, "2"]) == 0
    second = games_in(tmp_path).keys() - first.keys()
    assert len(second) == 2 and all("enhanced" in name for name in second)


def test_published_games_count_and_are_not_played_again(script, tmp_path, capsys):
    main, results = script["main"], tmp_path / "results"
    results.mkdir()
    both = ["--budget", "8", "--untuned", "--figure", "4", "--domain", "rolit-3"]
    both += ["--jobs", "1", "--results", str(results), "--folder"]
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["play", "--games", "3", "--publish", *both, str(first)]) == 0
    (line,) = (results / "8.jsonl").read_text().splitlines()
    (store,) = first.glob("*.sqlite")
    with Store.read(store) as opened:
        won = {
            str(game.number): sum(s.win for s in game.seats if s.agent == "MCTS-OMA")
            for game in opened.games()
        }
    assert json.loads(line)["wins"] == won and len(won) == 3
    assert main(["play", "--games", "5", *both, str(second)]) == 0
    (store,) = second.glob("*.sqlite")
    with Store.read(store) as opened:
        assert sorted(game.number for game in opened.games()) == [4, 5]
    assert "| Rolit(3), 5 games |" in (second / "results.md").read_text()
    assert main(["charts", "--games", "2", "--publish", *both, str(second)]) == 0
    assert "| Rolit(3), 2 games |" in (second / "results.md").read_text()
    (line,) = (results / "8.jsonl").read_text().splitlines()
    assert json.loads(line)["wins"].items() >= won.items()
    assert len(json.loads(line)["wins"]) == 5  # none is lost
    third = tmp_path / "not" / "there"
    assert main(["charts", "--games", "5", *both, str(third)]) == 0
    assert "| Rolit(3), 5 games |" in (third / "results.md").read_text()
    # Lines from before there were openings say nothing of them.
    (results / "8.jsonl").write_text(line.replace(', "opening": 3', "") + "\n")
    assert main(["play", "--games", "5", "--opening", "1", *both, str(second)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "the opening of figure-4" in said and "0, not 3; delete" in said
    assert said.endswith("or leave out --opening")
    fourth = tmp_path / "fourth"
    assert main(["play", "--games", "6", *both, str(fourth)]) == 0
    (store,) = fourth.glob("*.sqlite")
    with Store.read(store) as opened:
        assert not opened.description().get("opening")
        assert [game.number for game in opened.games()] == [6]
    assert "| Rolit(3), 6 games |" in (fourth / "results.md").read_text()
    changed = line.replace('"rollout": 0', '"rollout": 7')
    (results / "8.jsonl").write_text(changed + "\n")
    assert main(["play", "--games", "5", *both, str(second)]) == 2
    assert "8.jsonl: the agents of figure-4" in " ".join(
        capsys.readouterr().err.split()
    )


def test_depths(script, tmp_path):
    arguments = ["--games", "2", "--jobs", "1", "--folder", str(tmp_path)]
    arguments += ["--results", str(tmp_path)]
    assert script["main"](["depths", "--depth", "2", *arguments]) == 0
    assert set(games_in(tmp_path).values()) == {2}
    assert "| 2 against 1 | 2 |" in (tmp_path / "results.md").read_text()
    assert "2 against 1" in (tmp_path / "footnote_5.svg").read_text()


def test_tuning_writes_what_play_reads(script, experiment, tmp_path, capsys):
    pytest.importorskip("optuna")
    main, file = script["main"], tmp_path / "parameters.yaml"
    common = ["--budget", "6", "--domain", "checkers-3", "--parameters", str(file)]
    common += ["--folder", str(tmp_path), "--jobs", "1"]
    play = ["play", "--figure", "4", "--games", "1", *common]
    play += ["--results", str(tmp_path)]
    assert main(play) == 2
    assert "MCTS-OMA was not tuned in Chinese Checkers(3)" in capsys.readouterr().err
    tune = ["tune", "--trials", "2", "--games", "1", *common]
    tune += ["--contestant", "MCTS", "MCTS-OMA"]
    assert main(tune) == 0
    tuned = yaml.safe_load(file.read_text())["Chinese Checkers(3)"]
    assert set(tuned) == {"MCTS", "MCTS-OMA"}
    assert tuned["MCTS-OMA"]["budget"] == "6"
    assert tuned["MCTS-OMA"]["trials"] == 2
    assert set(tuned["MCTS-OMA"]["options"]) == {
        "exploration", "abstraction_visits", "keep_abstraction"
    }  # fmt: skip
    assert file.read_text().startswith("# Tuned parameters")
    with Store.read(
        tmp_path / "tuning" / "mcts-oma-chinese-checkers-3.sqlite"
    ) as store:
        query = "SELECT param_value FROM trial_params WHERE param_name = 'exploration'"
        tried = [round(value, 4) for (value,) in store.connection.execute(query)]
    assert tuned["MCTS"]["options"]["exploration"] in tried
    before = file.read_text()
    assert main(tune) == 0  # nothing is left to try
    assert file.read_text() == before
    assert main(play) == 0
    (store,) = tmp_path.glob("*.sqlite")
    with Store.read(store) as opened:
        (game,) = opened.games()
    specs = {seat.agent: yaml.safe_load(seat.spec) for seat in game.seats}
    for name, spec in specs.items():
        assert spec["exploration"] == tuned[name]["options"]["exploration"]
        assert spec["simulations"] == 6
    assert specs["MCTS-OMA"]["abstraction"] == "all"


def test_tuning_begins_with_what_was_found(script, experiment):
    """First in other domains of the game, then for contestants with less parameters."""
    names = script["starts"].__globals__
    plain, own = {"exploration": 0.1}, {"abstraction_visits": 5.0}
    pw = {"exploration": 0.2, "widening": 3.0, "widening_exponent": 0.5}
    tuned = {
        "Rolit(3)": {"MCTS-PW": {"options": pw}, "MCTS-OMA-PW": {"options": pw | own}},
        "Focus(4)": {"MCTS-OMA-PW": {"options": plain}},
        "Rolit(4)": {"MCTS": {"options": plain}, "MCTS-PW": {"options": pw}},
    }
    parameters = names["Parameters"](tuned=tuned)
    for name, found in (
        ("MCTS", []),
        ("MCTS-PW", [pw, plain]),
        ("MCTS-OMA-PW", [pw | own, plain, pw, pw]),
    ):
        assert script["starts"](experiment, parameters, "Rolit(4)", name) == found


def test_a_contestant_takes_the_parameters_of_another(script, experiment, tmp_path):
    names = script["starts"].__globals__
    pw = {"exploration": 0.2, "widening": 3.0, "widening_exponent": 0.5}
    own = {"abstraction_visits": 7.0, "keep_abstraction": True}
    name, domain = "MCTS-OMA-PW as MCTS-PW", "Rolit(4)"
    parameters = names["Parameters"](tuned={domain: {"MCTS-PW": {"options": pw}}})
    given = script["parse"](["tune", "--budget", "9"])
    spec = script["tuning_spec"](experiment, parameters, domain, name, given)
    assert pw.items() <= spec.agent.items()
    assert pw.items() <= spec.against.items()
    assert spec.agent["abstraction"] == "all"
    assert "abstraction" not in spec.against
    with pytest.raises(ValueError, match="as MCTS-PW was not tuned in Rolit"):
        experiment.contestant(name, domain, parameters)
    parameters.tuned[domain][name] = {"options": own}
    found = experiment.contestant(name, domain, parameters)
    assert found == {"agent": "oma-pw"} | pw | own
    # Another takes all that is tuned from it.
    parameters.tuned[domain]["MCTS"] = {"options": {"exploration": 0.4}}
    found = experiment.contestant("MCTS-OMA as MCTS", domain, parameters)
    assert found == {"agent": "oma", "abstraction_visits": 3, "exploration": 0.4}
    assert "MCTS-OMA as MCTS" not in experiment.tunable


def test_what_is_not_there_is_named(script, tmp_path, capsys):
    arguments = ["charts", "--untuned", "--folder", str(tmp_path), "--domain"]
    assert script["main"]([*arguments, "draughts"]) == 2
    assert "unknown domain 'draughts'; expected one of" in capsys.readouterr().err
    # The published games of this domain were played with tuned parameters.
    assert script["main"]([*arguments, "checkers-3"]) == 0
    assert "no game was played" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("parameters.yaml", "Rolit(3): [MCTS", "while parsing a flow sequence"),
        ("parameters.yaml", "Rolit(3): [MCTS]", "expected `options` for each"),
        ("parameters.yaml", "Rolit(3): {MCTS: {options: 5}}", "expected `options`"),
        (
            "8.jsonl",
            '{"match": "a", "wins": {}}\n{"wins": {}}',
            "line 2: not the games",
        ),
        ("8.jsonl", '{"match": "a", "wins": {"1": "all"}}', "line 1: not the games"),
        ("8.jsonl", '{"match": ', "line 1: not the games"),
    ],
)
def test_broken_files_are_named(script, tmp_path, capsys, name, text, said):
    (tmp_path / name).write_text(text)
    arguments = ["charts", "--budget", "8", "--figure", "4", "--domain", "rolit-3"]
    arguments += ["--results", str(tmp_path), "--folder", str(tmp_path)]
    if name == "parameters.yaml":
        arguments += ["--parameters", str(tmp_path / name)]
    else:
        arguments += ["--untuned"]
    assert script["main"](arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("Error: ") and len(error.splitlines()) == 1
    assert str(tmp_path / name) in error and said in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--jobs", "0"],
            "argument --jobs: '0': expected a whole number of at least 1",
        ),
        (["--games", "few"], "argument --games: 'few': expected a whole number"),
        (
            ["--opening", "-1"],
            "argument --opening: '-1': expected a whole number of at",
        ),
        (["--budget", "5nodes"], "budget '5nodes': expected a time such as 250ms"),
        (["--figure", "4", "10", "--row", "2"], "figures 4, 10: none has a row 2"),
    ],
)
def test_bad_arguments_are_named(script, tmp_path, capsys, arguments, said):
    arguments = ["play", "--untuned", "--domain", "rolit-3", *arguments]
    try:
        status = script["main"]([*arguments, "--folder", str(tmp_path / "out")])
    except SystemExit as exit:  # argparse's own
        status = exit.code
    assert status == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_average_gives_each_domain_the_same_weight(script):
    charts = script["write_charts"].__globals__
    score, bars = charts["Score"], charts["Bars"]
    row = bars("x", {"a": score(30, 40), "b": score(5, 20), "c": score()}, None)
    assert row.average.value == pytest.approx((0.75 + 0.25) / 2)
    assert row.average.low < 0.5 < row.average.high
    assert score(30, 40).estimate == wilson(30, 40)
    certain = bars("x", {"a": score(40, 40)}, None).average
    assert certain.low < certain.value == certain.high == 1.0
