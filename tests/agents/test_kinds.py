"""A planner of another kind goes wherever agents go, by its registration alone."""

import copy
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from mcts_agents import MCTSAgent, SearchResult, make_agent
from mcts_agents.agents import agent_spec, register, save_agent, to_mapping
from mcts_agents.agents.kinds import KINDS
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.playing.fixtures import Entrant, Fixture, Setting
from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.arena.replay import html
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.arena.tournaments.tuning import Tuning, TuningSpec
from mcts_agents.envs import sushi_go, tictactoe
from mcts_agents.learn import evaluate
from mcts_agents.model import clock
from mcts_agents.search import SearchSettings
from mcts_agents.wrappers import SingleAgentEnv
from tests.agents.max_n import KIND, MaxNAgent
from tests.arena.playing import Here
from tests.learn.recorded import record_here

# The middle row but for one cell: the next move of player_0 wins.
WINNING = "b2 a1 a2 b1"


@pytest.fixture(autouse=True)
def _registered():
    register(KIND)
    yield
    del KINDS[KIND.name]


def before_the_win():
    env = tictactoe.env()
    env.reset(seed=1)
    for cell in (4, 0, 3, 1):
        env.step(cell)
    return env


# -- names, files, lists


def test_specs_mappings_and_files(tmp_path):
    agent = make_agent("plain:depth=3,paranoid=true", seed=4)
    assert type(agent) is MaxNAgent
    assert (agent.depth, agent.seconds, agent.paranoid) == (3, None, True)
    assert to_mapping(agent) == {"agent": "plain", "depth": 3, "paranoid": True}
    assert to_mapping(agent, full=True)["seconds"] is None
    assert agent_spec(agent) == "plain:depth=3,paranoid=true"
    save_agent(agent, tmp_path / "deep.yaml")
    assert to_mapping(make_agent(tmp_path / "deep.yaml")) == to_mapping(agent)
    assert make_agent(f"{tmp_path / 'deep.yaml'}:depth=1").depth == 1


def test_texts_are_read_as_the_kind_describes_them():
    agent = make_agent({"agent": "plain", "depth": "3", "seconds": "none"})
    assert (agent.depth, agent.seconds) == (3, None)
    assert make_agent({"agent": "plain", "seconds": "1e-3"}).seconds == 0.001


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("plain:dept=1", "unknown option of plain 'dept': did you mean depth"),
        ("plain:depth=0", "depth=0: expected an integer from 1 to 20"),
        ("plain:paranoid=1", "paranoid=1: expected true or false"),
    ],
)
def test_what_is_not_allowed_is_named(spec, words):
    with pytest.raises(ValueError, match=words):
        make_agent(spec)


def test_lists_and_compile_know_it(run_here):
    told = json.loads(run_here("list", "--json").stdout)["agents"]
    assert told[-1] == {
        "agent": "plain",
        "options": ["depth", "seconds", "paranoid", "seed"],
        "about": "Looks a few decisions ahead.",
    }
    done = run_here("compile", "tictactoe", "--agent", "plain", "--json")
    assert json.loads(done.stdout)["agents"] == ["plain"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "'plain': this name is taken"),
        ({"name": "maxn"}, "'maxn': this name is taken"),
        ({"name": "human"}, "'human': this name is taken"),
        ({"name": "plain-2"}, "MaxNAgent is entered as plain"),
        ({"name": "max=n"}, "'max=n': expected a letter"),
        ({"name": ""}, "'': expected a letter"),
        ({"options": ("depth",)}, "every agent takes a seed"),
        ({"options": ("depth", "seed")}, "described: unknown option 'seconds'"),
        ({"budgets": ("nodes",)}, "budgets: unknown option 'nodes'"),
        ({"search_space": ("dept=1..2",)}, "search_space: .* did you mean depth"),
    ],
)
def test_kinds_that_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        register(replace(KIND, **changes))


def test_a_class_that_is_no_kind_has_no_spec():
    class Other(MaxNAgent):
        pass

    with pytest.raises(ValueError, match="not registered as a kind"):
        to_mapping(Other())


def test_the_example_of_the_documentation_runs():
    page = Path(__file__).parents[2] / "docs" / "agents.md"
    section = page.read_text().partition("## Your own kind of agent")[2]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    namespace = {"__name__": "example"}
    try:
        exec(compile(code, str(page), "exec"), namespace)
        assert namespace["agent"].act(before_the_win()) == 5
        assert namespace["modelling"].act(before_the_win()) == 5
        assert evaluate("greedy", "random", "tictactoe", games=4).games == 4
    finally:
        KINDS.pop("greedy", None)


# -- deciding


def test_it_plans_in_any_environment():
    result = MaxNAgent().plan(before_the_win())
    assert isinstance(result, SearchResult)
    assert (result.action, result.values.max()) == (5, 1.0)
    assert result.visits.tolist() == [0] * len(result.actions)
    assert result.principal_variation == [(0, 5)]
    assert result.has_tree
    env = sushi_go.parallel_env(players=3)
    env.reset(seed=2)
    for player, name in enumerate(env.agents):
        legal = env.forward_model.legal_actions(env.spectator_state(), player)
        assert MaxNAgent(seed=1).act(env, name) in legal


def test_only_the_action_has_to_be_known():
    result = SearchResult(3, np.array([2, 3], np.int32))
    assert (result.visits.tolist(), result.visits.dtype) == ([0, 0], np.int64)
    assert np.isnan(result.values).all()
    assert result.principal_variation == []
    assert not result.has_tree
    with pytest.raises(RuntimeError, match="there is no tree"):
        result.text()


def test_a_budget_in_seconds_covers_the_decision(monkeypatch):
    agent = make_agent("plain:seconds=0.5,depth=20")
    assert agent.deadline(3.0) == 3.5
    assert make_agent("plain").deadline(3.0) == math.inf
    watch = clock.Watch(3.25, np.zeros(1, np.int64))
    assert clock.watched(watch, agent.deadline, 3.0) == 3.25
    readings = iter(range(10**9))
    monkeypatch.setattr("time.perf_counter", lambda: next(readings) / 1000)
    for _ in range(3):
        result = agent.plan(before_the_win())
        assert result.seconds == pytest.approx(0.5, abs=0.01)
    assert 0.45 < agent.deadline(0.0) < 0.5  # earlier, as decisions ended late
    agent.reset()
    assert agent.deadline(0.0) == 0.5


def test_it_is_timed_if_it_or_one_that_it_asks_is():
    for spec, timed in (
        ("random", False),
        ("plain", False),
        ("plain:seconds=1", True),
        ("mcts:simulations=5", False),
        ("mcts:seconds=1", True),
        ("mcts:simulations=5,rollout_policy=(plain:seconds=1)", True),
        ("mcts:tree=self,opponent_model=(plain:depth=1)", False),
        ("mcts:rollout_policy=(mcts:rollout_policy=(mcts:seconds=1))", True),
    ):
        assert make_agent(spec).is_timed is timed


def test_copies_have_the_settings():
    twin = copy.deepcopy(MaxNAgent(depth=1, seed=3))
    assert twin.act(before_the_win()) == 5


# -- in other agents, as an opponent


@pytest.mark.parametrize("option", ["rollout_policy", "opponent_model"])
@pytest.mark.parametrize("spec", ["plain:depth=1", "plain:depth=1,seconds=5"])
def test_searches_ask_it(option, spec):
    agent = make_agent(f"mcts:tree=self,simulations=8,solver=false,{option}=({spec})")
    assert isinstance(getattr(agent.settings, option), MaxNAgent)
    inner = to_mapping(agent)[option]
    assert (inner["agent"], inner["depth"]) == ("plain", 1)
    assert to_mapping(make_agent(agent_spec(agent))) == to_mapping(agent)
    env = tictactoe.env()
    env.reset(seed=1)
    result = agent.plan(env)
    assert result.visits.sum() == 8


def test_a_learner_plays_against_it():
    env = SingleAgentEnv(tictactoe.env(), opponents="plain:depth=1")
    _, info = env.reset(seed=3)
    done = False
    while not done:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, truncated, info = env.step(action)
        done = terminated or truncated


# -- tournaments


SPEC = {
    "games": ["tictactoe", {"game": "sushi_go", "players": 3}],
    "agents": {"deep": "plain", "mcts": "mcts", "random": "random"},
    "games_each": 3,
}


def test_a_tournament_gives_it_the_budgets_that_it_takes(tmp_path):
    schedule = prepare(TournamentSpec(**SPEC, budgets=["5ms"]))
    with open_store(tmp_path / "a.sqlite", schedule) as store, Here() as workers:
        run_tournament(schedule, store, workers)
        assert store.failures() == []
        records = list(store.games())
    seats = [s for r in records for s in r.seats if s.agent == "deep"]
    assert len(seats) == 5
    for seat in seats:
        assert json.loads(seat.spec) == {"agent": "plain", "seconds": 0.005}
        assert seat.simulations == 0
        assert seat.searches == len(seat.seconds) > 0
        assert seat.depth > 0
    (figures,) = [a for a in summarise(records, resamples=0).overall.agents
                  if a.agent == "deep"]  # fmt: skip
    assert figures.simulations_per_second is None
    assert figures.depth > 0


@pytest.mark.parametrize("budget", ["100", "5000calls"])
def test_a_budget_that_it_does_not_take_is_refused(budget):
    spec = TournamentSpec(**SPEC, budgets=[budget])
    said = r"deep in tictactoe, 2 players, .*plain agents take budgets of seconds, not"
    with pytest.raises(SettingError, match=said) as refused:
        prepare(spec)
    assert refused.value.place == ("agents", "deep")
    assert budget in str(refused.value)


def test_a_budget_of_its_own_beside_budgets_is_refused():
    agents = {"own": "plain:seconds=1", "b": "random"}
    spec = TournamentSpec(games="tictactoe", agents=agents, budgets=["5ms"])
    message = r"own sets a budget, seconds=1.*, but budgets=\['5ms'\] does too"
    with pytest.raises(SettingError, match=message):
        prepare(spec)


def test_search_options_of_a_game_are_not_its():
    games = {"game": "tictactoe", "search": {"tree": "multi"}}
    spec = TournamentSpec(games=games, agents={"deep": "plain:depth=1", "m": "mcts"})
    deep, mcts = (e.mapping() for e in spec.entrants(spec.settings()[0]))
    assert deep == {"agent": "plain", "depth": 1}
    assert mcts["tree"] == "multi"


# -- tuning


def tuned(tmp_path, **keys):
    spec = TuningSpec(game="tictactoe", against="random", games_each=2, **keys)
    with Store.write(tmp_path / "study.sqlite") as store, Here() as workers:
        tuning = Tuning(spec, store)
        tuning.run_trial(workers)
        tuning.confirm(2, workers)
        return tuning.best().options, tuning.best_spec()


def test_its_options_are_tuned(tmp_path):
    options, best = tuned(tmp_path, agent="plain", parameters=("depth=1|2",))
    assert options["depth"] in (1, 2)
    assert make_agent(best).depth == options["depth"]


def test_tuning_tries_what_its_kind_says(tmp_path):
    options, best = tuned(tmp_path, agent="plain", budget="5ms")
    assert set(options) == {"depth", "paranoid"}
    assert make_agent(best).seconds == 0.005


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"agent": "random"},
            "no options to tune; these have: mcts, one-step, .*, plain",
        ),
        ({"agent": "plain", "parameters": ("tree",)}, "unknown option of plain 'tree'"),
        ({"agent": "plain", "parameters": ("depth=0..2",)}, "depth=0: expected"),
        ({"agent": "plain", "budget": "100"}, "plain agents take budgets of seconds"),
        ({"against": "plain", "budget": "100"}, "plain agents take budgets of seconds"),
        (
            {"agent": "plain", "budget": "1s", "parameters": ("seconds=1..2",)},
            "seconds sets a budget, but budget='1s' does too",
        ),
        ({"agent": "one-step"}, "one-step agents have no search space.*samples, value"),
    ],
)
def test_what_cannot_be_tuned_is_named(keys, words):
    with pytest.raises(ValidationError, match=words):
        TuningSpec(game="tictactoe", **keys)


def test_mcts_is_tuned_as_before():
    spec = TuningSpec(game="tictactoe")
    assert spec.agent == {"agent": "mcts"}
    assert spec.parameters == KINDS["mcts"].search_space
    assert set(KINDS["mcts"].described) == set(vars(SearchSettings()))


# -- commands


@pytest.mark.parametrize("agent", ["plain:depth=1", "plain:seconds=0.01"])
def test_bench_without_simulations(run_here, agent):
    done = run_here("bench", "tictactoe", "--agent", agent, "--json")
    figures = json.loads(done.stdout)
    assert list(figures) == [
        "game", "players", "agent", "decision_seconds", "nodes_per_second",
        "playouts_per_second",
        "forward_model_steps_per_second", "compile_seconds", "nodes", "bytes",
    ]  # fmt: skip
    assert figures["decision_seconds"] > 0
    assert figures["playouts_per_second"] > 0
    table = run_here("bench", "tictactoe", "--agent", agent).stdout
    assert "decision seconds" in table


def test_bench_counts_the_simulations_of_any_planner(run_here):
    done = run_here("bench", "tictactoe", "--agent", "one-step:samples=4", "--json")
    figures = json.loads(done.stdout)
    assert figures["simulations"] == 36
    assert figures["simulations_per_second"] > 0


def test_bench_refuses_a_budget_that_the_kind_has_not(run_here):
    done = run_here("bench", "tictactoe", "--agent", "plain", "--simulations", "5")
    assert done.returncode == 2
    assert "plain agents have no budget of simulations" in done.stderr


def test_tree_shows_values_where_nobody_counts_visits(run_here):
    command = ["tree", "tictactoe", "--agent", "plain", "--moves", WINNING]
    text = run_here(*command).stdout
    assert "player_0 plays c2: 5 nodes, depth 2" in text
    assert "principal variation  0: c2" in text
    lines = text.splitlines()
    assert lines[lines.index("root") + 1] == "├── player 0: c2  value 1.000"
    assert "visits" not in text
    dot = run_here(*command, "--format", "dot", "--depth", "1").stdout
    assert "visits" not in dot
    assert dot.count("->") == 4  # a win ends the game
    tree = json.loads(run_here(*command, "--format", "json").stdout)
    assert (tree["name"], tree["tree"]["visits"]) == ("c2", None)
    (bandit,) = tree["tree"]["bandits"]
    assert {a["name"]: a["value"] for a in bandit["actions"]}["c2"] == 1.0


def test_tree_of_players_who_decide_at_once(run_here):
    done = run_here("tree", "sushi_go", "--players", "3", "--agent", "plain")
    assert done.returncode == 0, done.stderr
    assert "player 1: " in done.stdout


def test_a_planner_without_a_tree(run_here, monkeypatch):
    def search(self, model, state, player, history=None, *, started=None):
        actions = model.legal_actions(state, player)
        return SearchResult(int(actions[0]), actions)

    monkeypatch.setattr(MaxNAgent, "search", search)
    done = run_here("tree", "tictactoe", "--agent", "plain")
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        "player_0 plays a1: 'plain' has no tree to show"
    )
    assert run_here("play", "tictactoe", "--agent", "plain", "--json").returncode == 0


def test_play(run_here):
    command = ["play", "tictactoe", "--agent", "plain", "--agent", "mcts:simulations=9"]
    told = json.loads(run_here(*command, "--seed", "3", "--json").stdout)
    assert told["agents"] == ["plain", "mcts:simulations=9"]
    shown = run_here(*command, "--seed", "3", "--render", "none").stdout
    (row,) = [line for line in shown.splitlines() if "plain" in line]
    assert row.rstrip(" │┃").endswith("-")


def test_replay(run_here, tmp_path):
    specs = {"deep": {"agent": "plain"}, "timed": {"agent": "plain", "seconds": 0.001}}
    seats = tuple(Entrant(name, json.dumps(spec)) for name, spec in specs.items())
    record = play_fixture(Fixture(1, Setting("tictactoe", 2), 0, 5, seats))
    replay = Replay(record)
    moves = [move for moment in replay.moments() for move in moment.moves]
    assert [(move.player, move.action) for move in moves] == list(record.moves)
    assert [move.timed for move in moves] == [bool(n % 2) for n in range(len(moves))]
    assert replay.difference_text() == ""
    first = moves[0].search
    assert first.searched
    assert [seen.visits for seen in first.top(4, moves[0].action)] == [0] * 4
    path = tmp_path / "a.sqlite"
    with Store.write(path) as store:
        store.add(record)
    text = run_here("replay", str(path), "1").stdout
    assert "depth 2, " in text
    assert "simulations" not in text
    assert "0.000" in text
    told = json.loads(run_here("replay", str(path), "1", "--json").stdout)
    searches = [m["search"] for moment in told["moments"] for m in moment["moves"]]
    assert {search["simulations"] for search in searches} == {0}
    assert searches[0]["principal_variation"][0]["player"] == 0
    html.write(replay, replay.moments(), 3, tmp_path / "a.html")
    assert "depth 2, " in (tmp_path / "a.html").read_text()


# -- recordings


def test_recorded_decisions_have_no_visits(tmp_path):
    keys = {"game": "tictactoe", "games": 2, "explore_moves": 0}
    dataset = record_here(tmp_path, **keys, agents=["plain", "mcts:simulations=5"])
    deep, mcts = dataset.description["agents"]
    assert deep == {"spec": {"agent": "plain"}, "value": "score"}
    assert mcts["value"] == "win"
    rows = [dataset[n] for n in range(len(dataset)) if dataset[n]["agent"] == 0]
    for row in rows:
        assert row["visits"][row["choice"]] == 1.0
        assert np.isnan(row["value"])
        assert row["action"] == row["choice"]


def test_moves_are_drawn_by_visits_only_where_somebody_counts_them(tmp_path):
    keys = {"game": "tictactoe", "games": 1, "explore_moves": 2}
    with pytest.raises(ValueError, match="no agent searches and counts visits"):
        record_here(tmp_path, **keys, agents="plain")
    assert len(record_here(tmp_path, **keys, agents=["plain", "mcts:simulations=5"]))


def test_agents_that_search_by_the_kernel_count_visits():
    assert MCTSAgent().counts_visits
    assert make_agent("one-step").counts_visits
    assert not MaxNAgent().counts_visits
