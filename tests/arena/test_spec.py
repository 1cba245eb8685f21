"""What a tournament may be: every kind of error names its key, the value and more."""

import datetime
import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from mcts_agents.agents import make_agent
from mcts_agents.agents.saving import to_mapping
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.spec_file import complaints
from mcts_agents.arena.tournaments.spec_values import (
    MOST_SEED,
    SettingError,
    split_name,
)
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec, differences

PLAIN = {"games": "tictactoe", "agents": ["random", "one-step"]}


def specs_of(**keys):
    """Return the mapping of each agent in each setting."""
    spec = TournamentSpec(**{**PLAIN, **keys})
    return {
        (str(setting), entrant.name): entrant.mapping()
        for setting in spec.settings()
        for entrant in spec.entrants(setting)
    }


def hex_with(**keys):
    return {"games": {"game": "hex:size=3", **keys}}


# The keys that are wrong, the place that is named, and words of the message.
WRONG = [
    ({"gamez": 1}, "gamez", ["unknown key 'gamez'", "did you mean games", "budgets"]),
    (hex_with(player=2), "games.0.player", ["did you mean players", "search"]),
    ({"games": 3}, "games.0", ["name of a game", "not 3"]),
    ({"games": None}, "games", ["a list", "not None"]),
    ({"games": []}, "games", ["at least one"]),
    ({"games": {}}, "games.0.game", ["missing"]),
    ({"games": "hexx"}, "games.0.game", ["'hexx'", "did you mean hex"]),
    ({"games": "hex:sise=3"}, "games.0.game", ["'sise'", "did you mean size"]),
    ({"games": "hex:size=99"}, "games.0.game", ["size=99", "3 to 19"]),
    ({"games": "hex:size=big"}, "games.0.game", ["size='big'"]),
    ({"games": {"game": 5}}, "games.0.game", ["text", "not 5"]),
    ({"games": ["hex", "hex"]}, "games", ["hex is named twice"]),
    (hex_with(players=3), "games.0.players", ["players=3", "for 2 players"]),
    (hex_with(players=10**30), "games.0.players", ["for 2 players"]),
    (hex_with(players="x"), "games.0.players.0", ["whole number", "'x'"]),
    (hex_with(players=True), "games.0.players.0", ["whole number", "True"]),
    (hex_with(players=2.0), "games.0.players.0", ["whole number", "2.0"]),
    (hex_with(players=None), "games.0.players", ["a list", "None"]),
    (hex_with(players=[2, 2]), "games.0.players", ["twice"]),
    (hex_with(search=7), "games.0.search", ["7", "mapping"]),
    (hex_with(search=None), "games.0.search", ["None"]),
    (hex_with(search="random"), "games.0.search", ["random has no search options"]),
    (hex_with(search="multitre"), "games.0.search", ["did you mean multitree"]),
    (hex_with(search={"tre": 1}), "games.0.search", ["'tre'", "did you mean tree"]),
    (hex_with(search={"tree": "x"}), "games.0.search", ["tree='x'", "multi"]),
    (hex_with(search={"seed": 3}), "games.0.search", ["seed=3"]),
    (
        {**hex_with(search={"simulations": 5}), "budgets": 10},
        "games.0.search.simulations",
        ["simulations=5", "budgets=['10']"],
    ),
    ({"agents": 5}, "agents", ["a list of agents", "not 5"]),
    ({"agents": None}, "agents", ["a list of agents", "None"]),
    ({"agents": []}, "agents", ["at least one"]),
    ({"agents": {}}, "agents", ["at least one"]),
    ({"agents": {"a": None}}, "agents.a", ["None", "expected a spec"]),
    ({"agents": {"a": [1]}}, "agents.a", ["[1]"]),
    ({"agents": {"a": "mtcs"}}, "agents.a", ["'mtcs'", "did you mean mcts"]),
    ({"agents": {"a": "mcts:tre=1"}}, "agents.a", ["did you mean tree"]),
    ({"agents": {"a": "mcts:tree=x"}}, "agents.a", ["tree='x'", "observers"]),
    ({"agents": {"a": "mcts:tree"}}, "agents.a", ["option=value"]),
    ({"agents": {"a": "mcts:seed=4"}}, "agents.a", ["seed=4", "its own seed"]),
    ({"agents": {"a": "no.yaml"}}, "agents.a", ["no.yaml: cannot be read"]),
    ({"agents": {"a": {"tree": "multi"}}}, "agents.a", ["agent=None"]),
    (
        {"agents": {"a": {"agent": "mcts", "exploration": float("nan")}}},
        "agents.a",
        ["exploration=nan"],
    ),
    ({"agents": ["random", "random"]}, "agents", ["two agents", "'random'"]),
    ({"agents": ["a=random", "a=mcts"]}, "agents", ["two agents", "'a'"]),
    ({"agents": {1: "random", "1": "mcts"}}, "agents", ["two agents", "'1'"]),
    ({"agents": ["=random"]}, "agents", ["'' is not the name"]),
    ({"agents": {" ": "random"}}, "agents", ["' ' is not the name"]),
    ({"agents": {None: "random"}}, "agents", ["None is not the name"]),
    ({"agents": {True: "random"}}, "agents", ["True is not the name"]),
    ({"agents": {"a\nb": "random"}}, "agents", ["is not the name"]),
    ({"agents": {"\ud800": "random"}}, "agents", ["is not the name"]),
    ({"field": "random"}, "field", ["one-against-field"]),
    ({"design": "one-against-field"}, "field", ["one-against-field"]),
    (
        {"design": "one-against-field", "field": 7, "agents": ["random"]},
        "field",
        ["7", "expected a spec"],
    ),
    (
        {"design": "one-against-field", "field": "mcts", "agents": ["field=random"]},
        "agents.field",
        ["'field'"],
    ),
    ({"design": "robin"}, "design", ["'round-robin'", "'all-seats'", "'robin'"]),
    ({"budgets": {}}, "budgets.0", ["text", "{}"]),
    ({"budgets": None}, "budgets", ["a list", "None"]),
    ({"budgets": [True]}, "budgets.0", ["True"]),
    ({"budgets": 0.5}, "budgets.0", ["0.5"]),
    ({"budgets": ["10", "5 minutes"]}, "budgets.1", ["'5 minutes'", "40ms"]),
    ({"budgets": "0ms"}, "budgets.0", ["'0ms'", "more than nothing"]),
    ({"budgets": "-5"}, "budgets.0", ["'-5'", "40ms"]),
    ({"budgets": "1.5"}, "budgets.0", ["'1.5'"]),
    ({"budgets": "9" * 30}, "budgets.0", ["beyond"]),
    ({"budgets": "9" * 400}, "budgets.0", ["too large"]),
    ({"budgets": "9" * 400 + "s"}, "budgets.0", ["too large"]),
    ({"budgets": ["1s", "1000ms"]}, "budgets", ["1s", "twice"]),
    (hex_with(budgets=["1s", "1000ms"]), "games.0.budgets", ["1s", "twice"]),
    (hex_with(budgets="0ms"), "games.0.budgets.0", ["'0ms'", "more than nothing"]),
    (
        hex_with(search={"simulations": 5}, budgets=10),
        "games.0.search.simulations",
        ["simulations=5", "budgets=['10']"],
    ),
    ({"games_each": 0}, "games_each", ["1", "not 0"]),
    ({"games_each": True}, "games_each", ["whole number", "True"]),
    ({"games_each": "7"}, "games_each", ["whole number", "'7'"]),
    ({"games_each": 10**30}, "games_each", ["1000000000"]),
    ({"games_each": None}, "games_each", ["whole number", "None"]),
    ({"seed": -1}, "seed", ["0", "not -1"]),
    ({"seed": MOST_SEED + 1}, "seed", [str(MOST_SEED)]),
    ({"seed": 1.5}, "seed", ["whole number", "1.5"]),
]


@pytest.mark.parametrize(("keys", "place", "words"), WRONG, ids=lambda v: str(v)[:40])
def test_what_is_wrong_is_named(keys, place, words):
    with pytest.raises(ValidationError) as refused:
        TournamentSpec(**{**PLAIN, **keys})
    ((found, message),) = complaints(refused.value)
    assert ".".join(map(str, found)) == place
    for word in words:
        assert word in message
    assert "\n" not in message


@pytest.mark.parametrize("key", ["games", "agents"])
def test_what_is_missing_is_named(key):
    with pytest.raises(ValidationError) as refused:
        TournamentSpec(**{k: v for k, v in PLAIN.items() if k != key})
    assert complaints(refused.value) == [((key,), "this key is missing")]


def test_all_that_is_wrong_is_named_at_once():
    with pytest.raises(ValidationError) as refused:
        TournamentSpec(**{**PLAIN, "seed": -1, "games_each": 0, "design": ""})
    assert len(complaints(refused.value)) == 3


def test_agents_that_are_no_json_are_refused_as_values():
    for value in (datetime.date(2020, 1, 1), {1, 2}, object()):
        with pytest.raises(ValidationError, match="tree="):
            TournamentSpec(**{**PLAIN, "agents": [{"agent": "mcts", "tree": value}]})
    with pytest.raises(ValidationError, match="is not a word"):
        TournamentSpec(**{**PLAIN, "agents": [{"agent": "mcts", (1, 2): "x"}]})


def test_a_game_has_budgets_of_its_own():
    keys = {
        "games": [{"game": "tictactoe", "budgets": [5, "20ms"]}, "hex:size=3"],
        "agents": {"a": "mcts", "b": "mcts:tree=multi"},
        "budgets": 10,
    }
    spec = TournamentSpec(**keys)
    assert [(s.game, s.budget) for s in spec.settings()] == [
        ("tictactoe", "5"), ("tictactoe", "20ms"), ("hex:size=3", "10")
    ]  # fmt: skip
    (first, *_), (second, *_) = (spec.entrants(s) for s in spec.settings()[:2])
    assert first.mapping()["simulations"] == 5
    assert second.mapping()["seconds"] == 0.02
    own, other = spec.description()["games"]
    assert own["budgets"] == ["5", "20ms"]
    assert "budgets" not in other  # as in stores from before games could have some
    assert len(prepare(spec)) == 300
    del keys["budgets"]  # hex is played with the agents' own
    assert [s.budget for s in TournamentSpec(**keys).settings()] == ["5", "20ms", ""]


@pytest.mark.parametrize("option", ["simulations=1000", "seconds=1", "simulations=7"])
def test_a_budget_of_its_own_beside_budgets_is_refused(option):
    spec = TournamentSpec(
        games="tictactoe", agents={"own": f"mcts:{option}", "b": "mcts"}, budgets=["20"]
    )
    with pytest.raises(SettingError, match=option.partition("=")[0]) as refused:
        Schedule(spec)
    assert refused.value.place == ("agents", "own")
    assert "but budgets=['20'] does too" in str(refused.value)
    field = TournamentSpec(
        games="tictactoe",
        agents=["mcts"],
        field=f"mcts:{option}",
        design="one-against-field",
        budgets=["20"],
    )
    with pytest.raises(SettingError) as refused:
        Schedule(field)
    assert refused.value.place == ("field",)


def test_a_game_that_cannot_serve_an_agent_is_refused_before_the_first_game():
    spec = TournamentSpec(
        games=["tictactoe", "sushi_go"],
        agents={"a": "random", "closed": "mcts:loop=closed"},
    )
    with pytest.raises(SettingError, match="closed in sushi_go, 4 players") as refused:
        prepare(spec)
    assert refused.value.place == ("agents", "closed")
    field = TournamentSpec(
        games="sushi_go",
        agents=["random"],
        field="mcts:loop=closed",
        design="one-against-field",
    )
    with pytest.raises(SettingError, match="field in sushi_go") as refused:
        prepare(field)
    assert refused.value.place == ("field",)


def test_budgets_are_those_of_every_agent_that_searches():
    found = specs_of(
        agents=["mcts", "random"], budgets=["40ms", 1000, "5000calls", " 2 s "]
    )
    table = "tictactoe, 2 players, "
    assert found[f"{table}40ms", "mcts"]["seconds"] == 0.04
    assert found[f"{table}1000", "mcts"]["simulations"] == 1000
    assert found[f"{table}5000calls", "mcts"]["forward_model_calls"] == 5000
    assert found[f"{table}2 s", "mcts"]["seconds"] == 2.0
    assert "simulations" not in found[f"{table}40ms", "mcts"]
    assert {
        str(mapping) for (_, name), mapping in found.items() if name == "random"
    } == {"{'agent': 'random'}"}


def test_without_budgets_agents_have_their_own():
    found = specs_of(agents={"given": "mcts:simulations=7", "left": "mcts"})
    assert [mapping["simulations"] for mapping in found.values()] == [7, 1000]


def test_a_game_adds_search_options_that_an_agent_leaves_open():
    found = specs_of(
        games={"game": "tictactoe", "search": {"tree": "multi", "exploration": 0.3}},
        agents={
            "open": "mcts",
            "named": "mcts:tree=self",
            # The default, but named; and a preset names its options as well.
            "default": "mcts:tree=one",
            "preset": "maxn:exploration=1.0",
            "other": "random",
        },
        budgets=5,
    )
    found = {name: mapping for (_, name), mapping in found.items()}
    assert found["open"]["tree"] == "multi"
    assert found["open"]["exploration"] == 0.3
    assert found["named"]["tree"] == "self"
    assert found["default"].get("tree", "one") == "one"
    assert found["default"]["exploration"] == 0.3
    assert found["preset"].get("exploration", 1.0) == 1.0
    assert found["other"] == {"agent": "random"}
    preset = TournamentSpec(
        games={"game": "tictactoe", "search": "pi-mcts-30"}, agents=["mcts", "random"]
    )
    assert preset.games[0].search["rollout"] == 30
    assert preset.games[0].search["information"] == "perfect"


@pytest.mark.parametrize(
    "agent",
    [
        "mcts:tree=multi",
        "multitree",
        "oma",
        "one-step:samples=3",
        "random",
        {"agent": "mcts", "opponent_model": {"agent": "one-step", "samples": 3}},
    ],
    ids=str,
)
def test_an_entrant_is_the_agent_that_was_named(agent):
    entrant = specs_of(agents={"a": agent, "b": "random"})
    mapping = entrant["tictactoe, 2 players", "a"]
    assert mapping == to_mapping(make_agent(agent))
    assert to_mapping(make_agent(mapping)) == mapping


def test_names_of_agents():
    assert split_name("x=random") == ("x", "random")
    assert split_name(" x = mcts:tree=multi ") == ("x", "mcts:tree=multi")
    assert split_name("mcts:tree=multi") == ("mcts:tree=multi",) * 2
    assert split_name("random") == ("random", "random")
    assert split_name("a=dir/b.yaml") == ("a", "dir/b.yaml")
    assert split_name({"agent": "random"}) == (
        '{"agent": "random"}',
        {"agent": "random"},
    )
    assert split_name(Path("a=b.yaml")) == ("a=b.yaml", Path("a=b.yaml"))
    spec = TournamentSpec(games="tictactoe", agents={1: "random", "é b": "one-step"})
    assert list(spec.agents) == ["1", "é b"]


def test_a_description_is_the_tournament_again(tmp_path):
    (tmp_path / "agent.yaml").write_text("agent: mcts\nsimulations: 3\nrollout: 5\n")
    spec = TournamentSpec(
        games=[
            "hex:size=3",
            {"game": "sushi_go", "players": [2, 4], "search": "is-mcts-30"},
        ],
        agents=["random", "x=mcts:tree=one", "one-step", tmp_path / "agent.yaml"],
        field="multitree:simulations=50",
        design="one-against-field",
        games_each=12,
        seed=MOST_SEED,
    )
    written = json.loads(json.dumps(spec.description()))
    again = TournamentSpec(**written)
    assert again.description() == written
    assert list(Schedule(again)) == list(Schedule(spec))
    assert list(differences(written, {**written, "seed": 3, "new": 1})) == [
        "seed",
        "new",
    ]


def test_players_are_the_default_unless_named():
    spec = TournamentSpec(**{**PLAIN, "games": ["sushi_go", "sushi_go:players=3"]})
    assert [setting.players for setting in spec.settings()] == [4, 3]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("40ms", ("seconds", 0.04)),
        ("1.5s", ("seconds", 1.5)),
        ("1000", ("simulations", 1000)),
        ("5000 calls", ("forward_model_calls", 5000)),
    ],
)
def test_budgets_in_words(text, meaning):
    assert budget_setting(text) == meaning
    assert type(budget_setting(text)[1]) is type(meaning[1])


@pytest.mark.parametrize("text", ["", "ms", "1e3", "1m", "1 0", "nan", "inf", "1.5.2"])
def test_budgets_that_are_none(text):
    with pytest.raises(ValueError, match="expected a time such as 40ms"):
        budget_setting(text)


def test_agents_that_are_the_same_under_two_names_are_noticed():
    names = ["maxn", "self-only", "ismcts", "paranoid", "sp-mcts", "mine=mcts:tree=one"]
    spec = TournamentSpec(games="sushi_go", agents=names, budgets=["20"])
    assert spec.same_agents() == [("maxn", "ismcts", "mine"), ("self-only", "sp-mcts")]
    assert TournamentSpec(games="hex", agents=["maxn", "paranoid"]).same_agents() == []


def test_the_command_says_which_agents_are_the_same(run_here, tmp_path):
    ended = run_here(
        *("tournament", "--game", "tictactoe", "--games", "2", "--budget", "2"),
        *("--agent", "maxn", "--agent", "ismcts", "--store", str(tmp_path / "a.db")),
    )
    assert ended.returncode == 0
    assert "maxn and ismcts are the same agent" in ended.stderr
