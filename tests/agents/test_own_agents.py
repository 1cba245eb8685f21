"""A user's own agents stand wherever an agent's spec stands, and as objects."""

import importlib
import json
import re
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from mcts_agents import (
    Agent,
    MCTSAgent,
    OneStepAgent,
    PolicyAgent,
    allow_in_files,
    importing,
    make_agent,
)
from mcts_agents.agents import agent_spec, own, save_agent, to_mapping
from mcts_agents.agents.kinds import AgentKind, register
from mcts_agents.agents.presets import PRESETS
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.arena.tournaments.tuning import TuningSpec
from mcts_agents.envs import tictactoe
from mcts_agents.learn import evaluate
from mcts_agents.names import parse_spec
from mcts_agents.wrappers import SingleAgentEnv
from tests.arena.playing import Here, rows, run
from tests.arena.storing import WAITING
from tests.learn.recorded import record_here

PAGE = Path(__file__).parents[2] / "docs" / "own_agents.md"
EXAMPLE, *USES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)

MORE = '''
from typing import Any, Literal


class Forest(Agent):
    """Votes of random trees over what the player sees."""

    def __init__(self, *, trees: int = 3, seed=None):
        self.trees = trees
        super().__init__(seed=seed)

    def decide(self, model, state, player):
        actions = model.legal_actions(state, player)
        seen = model.observe(state, player).ravel()
        votes = np.zeros(len(actions))
        for tree in range(self.trees):
            at = draw_below(self._rng, len(seen))
            votes[(int(seen[at]) * 7 + at + tree) % len(actions)] += 1
        return actions[votes.argmax()]  # an integer of NumPy's


class Typed(Agent):
    def __init__(
        self,
        word: Literal["a", "b"] = "a",
        *,
        least: "int | None" = None,
        share: float = 0.5,
        flag=False,
        name: str = "x",
        simulations: int = 10,
        model: Any = None,
        **agent,
    ):
        super().__init__(**agent)
        self.given = (word, least, share, flag, name, simulations)

    def decide(self, model, state, player):
        return int(model.legal_actions(state, player)[0])


class Eager(FlatMonteCarlo):
    """Passes keywords on."""

    def __init__(self, *, extra: int = 1, **more):
        self.extra = extra
        super().__init__(**more)


class Lost(Agent):
    """Chooses nothing, or what is never legal."""

    def __init__(self, choice: int | None = None, *, seed=None):
        self.choice = choice
        super().__init__(seed=seed)

    def decide(self, model, state, player):
        return self.choice


class Unseeded(Agent):
    def __init__(self):
        super().__init__()

    def decide(self, model, state, player):
        actions = model.legal_actions(state, player)
        return int(actions[draw_below(self._rng, len(actions))])


class Trained(Agent):
    def __init__(self, weights: np.ndarray):
        self.weights = weights
        super().__init__()

    def decide(self, model, state, player):
        actions = model.legal_actions(state, player)
        return int(actions[self.weights[actions].argmax()])


class Wanting(Agent):
    def __init__(self, level: int):
        super().__init__()

    def decide(self, model, state, player):
        return 0


class Undecided(Agent):
    pass


class Forgetful(Agent):
    def __init__(self):
        pass

    def decide(self, model, state, player):
        return 0


class Wordy(Agent):
    def decide(self, model, state, player):
        return "the middle"


class Locked(Unseeded):
    def __init__(self):
        super().__init__()
        self.lines = (line for line in "ab")


class Unportable(Unseeded):
    """Can be copied here, and nowhere else."""

    def __reduce__(self):
        raise TypeError("stays here")

    def __deepcopy__(self, memo):
        return Unportable()


VALUE = 3
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the module `my_agents` of the documentation, and more in it."""
    path = tmp_path_factory.mktemp("own")
    (path / "my_agents.py").write_text(EXAMPLE + MORE)
    (path / "broken_agents.py").write_text("import my_agents\n1 / 0\n")
    (path / "needy_agents.py").write_text("import a_module_that_is_not_there\n")
    return path


@pytest.fixture(autouse=True)
def module(folder, monkeypatch):
    """The working folder is that of the module, which nobody has imported."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(importing, "_allowed", set())
    yield
    sys.modules.pop("my_agents", None)


def own_agents():
    sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module("my_agents")


SPECS = {
    "flat": "my_agents:FlatMonteCarlo:playouts=3",
    "forest": "my_agents:Forest",
    "model": "mcts:simulations=5,opponent_model=(my_agents:Forest:trees=2),tree=self",
}
KEYS = {"games": ["tictactoe"], "budgets": [], "games_each": 8, "seed": 3}


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """The rows of a tournament of specs, played in one process."""
    sys.path.append(str(folder))
    try:
        path = tmp_path_factory.mktemp("expected") / "s.db"
        return run(path, Here(), agents=SPECS, **KEYS)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("my_agents", None)


def in_the_middle():
    """The middle row but for one cell: the next move of player_0 wins."""
    env = tictactoe.env()
    env.reset(seed=1)
    for cell in (4, 0, 3, 1):
        env.step(cell)
    return env


# -- the page


def test_the_example_plays_well_in_about_thirty_lines():
    body = [line for line in EXAMPLE.splitlines() if line.strip()]
    assert 25 <= len(body) <= 35
    assert make_agent("my_agents:FlatMonteCarlo", seed=1).act(in_the_middle()) == 5
    figures = evaluate("my_agents:FlatMonteCarlo:playouts=20", "random", "tictactoe",
                       games=20)  # fmt: skip
    assert figures.win_rate.value > 0.75


def test_it_takes_hidden_cards_and_simultaneous_moves():
    spec = TournamentSpec(
        games={"game": "sushi_go", "players": 3},
        agents={"flat": SPECS["flat"], "r": "random"},
        games_each=2,
    )
    from mcts_agents.arena.playing.match import play_fixture
    from mcts_agents.arena.tournaments.tournament import prepare

    assert [len(play_fixture(f).seats) for f in prepare(spec)] == [3, 3]


def test_the_other_snippets_run(capsys):
    own_agents()
    space = {"__name__": "example"}
    for snippet in USES:
        exec(compile(snippet, str(PAGE), "exec"), space)
    assert capsys.readouterr().out.endswith("%\n")
    assert set(space["spec"].agents) == {"flat", "default", "first", "uct"}


# -- specs


def test_names_with_a_colon_are_read_where_the_first_part_is_unknown():
    def known(name):
        return name == "mcts"

    assert parse_spec("a.b:C", known) == ("a.b:C", {})
    assert parse_spec(" a:C : d = 1 ", known) == ("a:C", {"d": 1})
    assert parse_spec("mcts:tree=(a:C:d=1,e=x)", known) == (
        "mcts",
        {"tree": {"agent": "a:C", "d": 1, "e": "x"}},
    )
    assert parse_spec("a:c=d", known) == ("a", {"c": "d"})
    for spec in ("mcts:tree", "a:C:d"):
        with pytest.raises(ValueError, match="expected option=value"):
            parse_spec(spec, known)
    with pytest.raises(ValueError, match="expected option=value"):
        parse_spec("a:C")


def test_specs_mappings_and_back(tmp_path):
    agent = make_agent("my_agents:FlatMonteCarlo:playouts=7", seed=4)
    assert type(agent).__name__ == "FlatMonteCarlo"
    assert agent.playouts == 7
    assert agent_spec(agent) == "my_agents:FlatMonteCarlo:playouts=7"
    assert to_mapping(make_agent("my_agents:FlatMonteCarlo:playouts=100")) == {
        "agent": "my_agents:FlatMonteCarlo"
    }
    full = to_mapping(make_agent("my_agents:FlatMonteCarlo"), full=True)
    assert full == {"agent": "my_agents:FlatMonteCarlo", "playouts": 100}
    save_agent(agent, tmp_path / "flat.yaml")
    assert make_agent(f"{tmp_path / 'flat.yaml'}:playouts=2").playouts == 2
    with pytest.raises(ValueError, match="not made from a spec"):
        to_mapping(own_agents().FlatMonteCarlo())


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("", ("a", None, 0.5, False, "x", 10)),
        ("word=b,least=2,share=1,flag=true,name=y", ("b", 2, 1.0, True, "y", 10)),
        ("least=none,share=1e-3,simulations=4", ("a", None, 0.001, False, "x", 4)),
    ],
)
def test_values_are_read_by_annotations_and_defaults(options, given):
    agent = make_agent(f"my_agents:Typed:{options}")
    assert agent.given == given
    assert [type(value) for value in agent.given] == [type(value) for value in given]


def test_texts_of_mappings_are_read_too():
    mapping = {"agent": "my_agents:Typed", "least": "3", "name": "5"}
    assert make_agent(mapping).given[1:5:3] == (3, "5")


def test_an_option_may_name_a_file_that_is_no_agents():
    assert make_agent("my_agents:Typed:name=weights.json").given[4] == "weights.json"


def test_keywords_reach_base_classes():
    agent = make_agent("my_agents:Eager:extra=2,playouts=3")
    assert (agent.extra, agent.playouts) == (2, 3)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("no_such_agents:Flat", "no module 'no_such_agents': .*neither in the work"),
        ("my_agents.deep:Flat", "no module 'my_agents.deep'"),
        ("my_agents:Flatt", r"my_agents.py: unknown class 'Flatt': .*FlatMonteCarlo"),
        ("my_agents:VALUE", r"3 in .*my_agents.py is not a class derived from .*Agent"),
        ("my_agents:np", "is not a class derived from"),
        ("os:system", "not a class derived from mcts_agents.Agent; it has no agents"),
        ("my_agents:Undecided", "Undecided in .* does not define decide"),
        ("my_agents:Forgetful", r"does not call super\(\).__init__\(\)"),
        ("broken_agents:A", "importing broken_agents raised ZeroDivisionError"),
        ("needy_agents:A", "importing needy_agents raised ModuleNotFound.*not_t"),
        ("__main__:Flat", "objects defined in __main__ cannot be imported"),
        ("my_agents:Trained", r"requires weights \(numpy.ndarray\), which cannot be"),
        ("my_agents:Wanting", "requires the option 'level': an integer"),
        ("my_agents:FlatMonteCarlo:playouts=0",
         r"FlatMonteCarlo\(playouts=0, seed=None\) raised ValueError: playouts=0: exp"),
        ("my_agents:FlatMonteCarlo:playouts=many", "playouts='many': expected an int"),
        ("my_agents:FlatMonteCarlo:playout=1", "'playout': did you mean playouts"),
        ("my_agents:Typed:model=1", "option 'model' .* takes .*Any, which cannot be"),
        ("my_agents:Typed:word=c", "word='c': expected one of a, b"),
        ("my_agents:Typed:flag=1", "flag=1: expected true or false"),
        ("my_agents:Typed:share=x", "share='x': expected a number"),
        ("my_agents:Typed:perfect_information=true", "belongs to the game: --game"),
        ("object", "an object of None, which a program passed"),
    ],
)  # fmt: skip
def test_refusals_are_one_line_that_names_the_value(spec, words):
    with pytest.raises(ValueError, match=words) as refused:
        make_agent(spec)
    assert "\n" not in str(refused.value)
    assert spec.partition(":")[0] in str(refused.value)


def test_words_of_this_package_cannot_be_registered():
    class Other(OneStepAgent):
        pass

    for name in ("object", "my_agents:Other"):
        with pytest.raises(ValueError, match=r"taken|without a colon"):
            register(AgentKind(name, Other, Other, ("seed",), lambda agent, full: {}))


# -- seeds


@pytest.mark.parametrize("name", ["FlatMonteCarlo:playouts=1", "Forest", "Unseeded"])
def test_the_same_seed_gives_the_same_actions(name):
    def actions(seed):
        agent = make_agent(f"my_agents:{name}", seed=seed)
        env = tictactoe.env()
        env.reset(seed=0)
        return [agent.act(env) for _ in range(30)]

    assert actions(5) == actions(5)
    assert actions(5) != actions(6)


# -- tournaments


def test_two_jobs_play_what_one_plays(tmp_path, expected):
    assert run(tmp_path / "2.db", LocalBackend(2), agents=SPECS, **KEYS) == expected


def test_a_store_takes_more_games(tmp_path, expected):
    path = tmp_path / "s.db"
    few = run(path, LocalBackend(2), agents=SPECS, **{**KEYS, "games_each": 3})
    assert few == [row for row in expected if row["number"] <= 3]
    assert run(path, LocalBackend(2), agents=SPECS, **KEYS) == expected


def test_a_store_takes_no_more_games_of_a_changed_module(tmp_path, folder):
    path, file = tmp_path / "s.db", folder / "my_agents.py"
    agents = {"forest": SPECS["forest"], "r": "random"}
    few = run(path, Here(), agents=agents, **{**KEYS, "games_each": 2})
    source = file.read_text()
    try:
        file.write_text(source + "\nVALUE = 4\n")
        sys.modules.pop("my_agents")
        with pytest.raises(StoreError, match="the source of the module 'my_agents'"):
            run(path, Here(), agents=agents, **KEYS)
        with Store.read(path) as store:
            assert len(store.played()) == store.total() == 2
    finally:
        file.write_text(source)
        sys.modules.pop("my_agents", None)
    assert run(path, Here(), agents=agents, **KEYS)[:2] == few[:2]


def test_a_store_holds_the_specs(tmp_path):
    agents = {"flat": SPECS["flat"], "class": own_agents().Forest}
    stored = run(tmp_path / "s.db", Here(), agents=agents, **KEYS)
    specs = {row["agent"]: json.loads(row["spec"]) for row in stored if "agent" in row}
    assert specs == {
        "flat": {"agent": "my_agents:FlatMonteCarlo", "playouts": 3},
        "class": {"agent": "my_agents:Forest"},
    }


def test_budgets_are_options_of_their_names():
    keys = {"games": "tictactoe", "budgets": ["7"]}
    spec = TournamentSpec(agents={"t": "my_agents:Typed", "f": SPECS["flat"]}, **keys)
    typed, flat = (e.mapping() for e in spec.entrants(spec.settings()[0]))
    assert typed == {"agent": "my_agents:Typed", "simulations": 7}
    assert flat == {"agent": "my_agents:FlatMonteCarlo", "playouts": 3}
    spec = TournamentSpec(
        agents={"t": own_agents().Typed(simulations=3), "f": SPECS["flat"]}, **keys
    )
    message = "t is an object that sets a budget of its own, but budgets="
    with pytest.raises(SettingError, match=message):
        spec.entrants(spec.settings()[0])


def test_objects_of_any_class_may_set_a_budget():
    """In a function, or made with what no text stands for."""

    class Local(MCTSAgent):
        def __init__(self, network, **options):
            super().__init__(rollout_policy=network, **options)

    class Slow(Agent):
        def __init__(self, network, *, simulations=10):
            super().__init__()

        def decide(self, model, state, player):
            return int(model.legal_actions(state, player)[0])

    for agent in (Local(OneStepAgent(), simulations=4), Slow(object())):
        spec = TournamentSpec(
            games="tictactoe", budgets=["7"], agents={"t": agent, "r": "random"}
        )
        with pytest.raises(SettingError, match="t is an object that sets a budget"):
            spec.entrants(spec.settings()[0])


def test_an_action_that_is_none_fails_the_game(tmp_path):
    agents = {"w": "my_agents:Wordy", "r": "random"}
    path = tmp_path / "s.db"
    assert run(path, Here(), agents=agents, **KEYS) == []
    failures = Store.read(path).failures()
    assert "chose 'the middle': expected an action" in failures[0].error


# -- objects


def first(observation, action_mask):
    return int(action_mask.argmax())


def objects():
    made = own_agents()
    return {
        "flat": made.FlatMonteCarlo(playouts=3),
        "trained": made.Trained(np.arange(9.0)[::-1]),
        "first": PolicyAgent(first),
        "search": MCTSAgent(simulations=5, rollout_policy=made.Forest()),
    }


def test_objects_play_alike_here_and_in_two_processes(tmp_path):
    there = run(tmp_path / "2.db", LocalBackend(2), agents=objects(), **KEYS)
    assert run(tmp_path / "1.db", LocalBackend(1), agents=objects(), **KEYS) == there
    assert run(tmp_path / "0.db", Here(), agents=objects(), **KEYS) == there
    specs = {row["agent"]: json.loads(row["spec"]) for row in there if "agent" in row}
    assert specs["flat"] == {"agent": "object", "class": "my_agents:FlatMonteCarlo"}
    assert specs["first"]["class"] == "mcts_agents.agents.policy:PolicyAgent"
    assert {row["game"] for row in there if "game" in row} == {"tictactoe"}


def test_objects_of_a_class_that_nobody_can_import_travel_too(tmp_path):
    class Local(OneStepAgent):
        """Known to this function alone."""

    keys = {**KEYS, "games_each": 2}
    for number, agent in enumerate((Local(samples=1), Local)):
        agents = {"local": agent, "random": "random"}
        here = run(tmp_path / f"{number}.db", Here(), agents=agents, **keys)
        there = run(tmp_path / f"{number}2.db", LocalBackend(2), agents=agents, **keys)
        assert here == there != []


def test_the_packages_own_agents_become_specs():
    agents = {"uct": MCTSAgent(simulations=50), "one": OneStepAgent(samples=3)}
    spec = TournamentSpec(games="tictactoe", agents=agents)
    assert spec.agents == {
        "uct": {"agent": "mcts", "simulations": 50},
        "one": {"agent": "one-step", "samples": 3},
    }


def test_an_object_is_copied_when_it_is_passed():
    agent = own_agents().FlatMonteCarlo(playouts=3)
    spec = TournamentSpec(games="tictactoe", agents={"a": agent, "b": agent})
    agent.playouts = 99
    (entrant, other) = spec.entrants(spec.settings()[0])
    assert entrant.make(1).playouts == 3
    assert entrant.make(1) is not entrant.make(1)
    assert spec.same_agents() == []
    assert entrant.held is not other.held


def test_going_on_asks_for_the_same_names_and_classes(tmp_path):
    path = tmp_path / "s.db"
    made = own_agents()
    agents = {"mine": made.FlatMonteCarlo(playouts=2), "r": "random"}
    few = run(path, Here(), agents=agents, **{**KEYS, "games_each": 2})
    again = {"mine": made.FlatMonteCarlo(playouts=2), "r": "random"}
    more = run(path, Here(), agents=again, **KEYS)
    assert more[:2] == few[:2]
    for other in (made.Unseeded(), SPECS["flat"]):
        with pytest.raises(StoreError, match=r"its agents is .*FlatMonteCarlo"):
            run(path, Here(), agents={**agents, "mine": other}, **KEYS)


def test_a_replay_without_searches_shows_an_objects_game(tmp_path, run_here):
    path = tmp_path / "s.db"
    agents = {"mine": own_agents().FlatMonteCarlo(playouts=2), "r": "random"}
    run(path, Here(), agents=agents, **{**KEYS, "games_each": 1})
    done = run_here("replay", str(path), "1")
    assert done.returncode == 2
    assert "an object of my_agents:FlatMonteCarlo, which a program" in done.stderr
    assert run_here("replay", str(path), "1", "--no-search").returncode == 0


@pytest.mark.parametrize(
    ("agents", "words"),
    [
        (lambda own: {"a": own.Locked()}, "cannot be copied, .*generator"),
        (lambda own: {"a": own.Trained}, "requires weights"),
        (lambda own: {"a": int}, "expected a class derived from Agent"),
        (lambda own: [own.Forest()], "needs a name for tables"),
        (lambda own: {"a": 3}, "expected a spec"),
    ],
)
def test_objects_that_are_refused(agents, words):
    with pytest.raises(ValidationError, match=words):
        TournamentSpec(games="tictactoe", agents=agents(own_agents()))


def test_an_object_that_cannot_travel_is_refused_before_the_first_game(tmp_path):
    agents = {"mine": own_agents().Unportable(), "r": "random"}
    keys = {**KEYS, "games_each": 2}
    with pytest.raises(ValueError, match=r"mine: .*cannot be pickled .*stays here"):
        run(tmp_path / "s.db", LocalBackend(2), agents=agents, **keys)
    assert run(tmp_path / "s.db", Here(), agents=agents, **keys)


def test_evaluate_takes_objects_and_classes():
    made = own_agents()
    figures = evaluate(made.FlatMonteCarlo(playouts=10), made.Forest, "tictactoe",
                       games=10)  # fmt: skip
    same = evaluate("my_agents:FlatMonteCarlo:playouts=10", "my_agents:Forest",
                    "tictactoe", games=10)  # fmt: skip
    assert figures.win_rate == same.win_rate
    assert figures.lost == same.lost


def test_recordings_and_learners_take_them(tmp_path):
    keys = {"game": "tictactoe", "games": 2, "explore_moves": 0}
    made = own_agents()
    named = record_here(tmp_path / "a", agents=SPECS["flat"], **keys)
    held = record_here(tmp_path / "b", agents=made.FlatMonteCarlo(playouts=3), **keys)
    assert [named[n]["action"] for n in range(len(named))] == [
        held[n]["action"] for n in range(len(held))
    ]
    assert held.description["agents"][0]["spec"] == {
        "agent": "object",
        "class": "my_agents:FlatMonteCarlo",
    }
    for opponent in (SPECS["flat"], made.Forest()):
        env = SingleAgentEnv(tictactoe.parallel_env, opponent)
        _, info = env.reset(seed=1)
        assert env.step(int(info["action_mask"].argmax()))


def test_studies_take_specs_and_objects_as_opponents():
    made = own_agents()
    spec = TuningSpec(
        game="tictactoe",
        agent=SPECS["flat"],
        against=made.Forest(),
        parameters=("playouts=1|4",),
    )
    assert spec.match({"playouts": 4}, 2, 0).agents["tuned"]["playouts"] == 4
    with pytest.raises(ValidationError, match="has no options to tune"):
        TuningSpec(game="tictactoe", agent=made.Forest())


# -- files import nothing


TOURNAMENT = """
games: tictactoe
agents:
  flat: my_agents:FlatMonteCarlo:playouts=3
  model: {agent: mcts, simulations: 5, tree: self, opponent_model: my_agents:Forest}
games_each: 2
"""


def test_a_tournaments_file_imports_nothing(tmp_path, run_here):
    path = tmp_path / "t.yaml"
    path.write_text(TOURNAMENT)
    with pytest.raises(ValueError, match=r"t.yaml, line 4, agents.flat: .*--import my"):
        SpecFile(str(path)).spec()
    assert "my_agents" not in sys.modules
    command = [
        "tournament",
        str(path),
        "--store",
        str(tmp_path / "s.db"),
        "--jobs",
        "1",
    ]
    done = run_here(*command)
    assert done.returncode == 2
    assert "files are imported only with your permission; if" in done.stderr
    assert "my_agents" not in sys.modules
    assert run_here("--import", "my_agents", *command).returncode == 0
    sys.modules.pop("my_agents")
    allow_in_files("my_agents")
    assert SpecFile(str(path)).spec().agents["flat"]["playouts"] == 3


@pytest.mark.parametrize(
    "content",
    [
        "agent: my_agents:FlatMonteCarlo",
        "{agent: mcts, tree: self, opponent_model: my_agents:Forest}",
        "{agent: mcts, tree: self, opponent_model: {agent: my_agents:Forest}}",
    ],
)
def test_an_agents_file_imports_nothing(tmp_path, content):
    path = tmp_path / "a.yaml"
    path.write_text(content)
    for ask in (
        lambda: make_agent(path),
        lambda: make_agent(f"mcts:tree=self,opponent_model=({path})"),
        lambda: SingleAgentEnv(tictactoe.parallel_env, str(path)),
    ):
        with pytest.raises(ValueError, match=r"a\.yaml"):
            ask()
        assert "my_agents" not in sys.modules
    allow_in_files("my_agents")
    make_agent(path)


def test_a_stored_game_imports_nothing(tmp_path, run_here):
    path = tmp_path / "s.db"
    run(path, LocalBackend(1), agents=SPECS, **{**KEYS, "games_each": 1})
    sys.modules.pop("my_agents", None)
    with Store.read(path) as store:
        record = store.game(1)
    with pytest.raises(ValueError, match=r"game 1, seat \d: .*names a module"):
        list(Replay(record).moments())
    assert "my_agents" not in sys.modules
    allow_in_files("my_agents")
    replay = Replay(record)
    assert len(list(replay.moments())) > 5
    assert replay.difference_text() == ""
    sys.modules.pop("my_agents")
    assert run_here("--import", "my_agents", "replay", str(path), "1").returncode == 0


def test_a_killed_tournament_goes_on(tmp_path):
    path = tmp_path / "s.db"
    agents = {"flat": "my_agents:FlatMonteCarlo:playouts=10", "f": "my_agents:Forest"}
    arguments = [
        "tournament", "--game", "tictactoe", "--games", "200", "--seed", "2",
        "--agent", f"flat={agents['flat']}", "--agent", f"f={agents['f']}",
        "--jobs", "2", "--store", str(path), "--json",
    ]  # fmt: skip
    waiting = [sys.executable, "-P", "-c", WAITING, "150", str(tmp_path / "never")]
    with subprocess.Popen(
        [*waiting, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            time.sleep(0.05)
            if path.exists() and stored_games(path) >= 5:
                process.kill()
    assert 5 <= stored_games(path) < 200
    assert command(*arguments).returncode == 0
    keys = {"games": ["tictactoe"], "budgets": [], "games_each": 200, "seed": 2}
    assert rows(path) == run(tmp_path / "here.db", Here(), agents=agents, **keys)


def stored_games(path):
    try:
        with Store.read(path) as store:
            return len(store.played())
    except StoreError:  # it is being made
        return 0


def test_import_refuses_what_is_not_there(run_here):
    done = run_here("--import", "no_such_agents", "list")
    assert done.returncode == 2
    assert "--import: there is no module 'no_such_agents'" in done.stderr


# -- commands, in processes that do not look into the working folder by themselves


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-P", "-m", "mcts_agents", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [("", "chose None: expected an action"), (":choice=99", "action 99 of player_0")],
)
def test_an_agent_that_chooses_no_legal_action_is_told_in_one_line(options, told):
    done = command("play", "tictactoe", "--agent", f"my_agents:Lost{options}")
    assert done.returncode != 0
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("mcts-agents: Lost(")
    assert told in line


def test_commands(tmp_path):
    flat = SPECS["flat"]
    done = command("play", "tictactoe", "--agent", flat, "--agent", "random", "--json")
    assert json.loads(done.stdout)["agents"] == [flat, "random"], done.stderr
    path = str(tmp_path / "s.db")
    done = command(
        "tournament", "--game", "tictactoe", "--agent", f"mine={flat}", "--agent",
        "my_agents:Forest", "--games", "4", "--jobs", "2", "--store", path, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {r["agent"] for r in rows(path) if "agent" in r} == {
        "mine",
        "my_agents:Forest",
    }
    done = command(
        "record", "tictactoe", "--agent", flat, "--games", "2", "--jobs", "2",
        "--out", str(tmp_path / "data"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = command("play", "tictactoe", "--agent", "my_agents:Flat")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert "my_agents.py: unknown class 'Flat': known: FlatMonteCarlo, Forest" in last
    done = command("bench", "tictactoe", "--agent", flat)
    assert "bench needs an agent that searches" in done.stderr


# -- entry points


class Package:
    """An installed package, as far as an entry point knows it."""

    def __init__(self, name):
        self.name = name


def entry(name, value, package="my-agents"):
    point = EntryPoint(name, value, own.GROUP)
    vars(point).update(dist=Package(package))
    return point


@pytest.fixture
def installed(monkeypatch):
    """Let packages bring agents."""

    def install(*entries):
        def entry_points(group):
            return [point for point in entries if point.group == group]

        monkeypatch.setattr(own.metadata, "entry_points", entry_points)
        own.entry_points.cache_clear()

    yield install
    monkeypatch.undo()
    own.entry_points.cache_clear()


def test_entry_points_are_found_like_the_packages_own(installed, run_here):
    installed(
        entry("flat", "my_agents:FlatMonteCarlo"),
        entry("mcts", "my_agents:Forest"),
        entry("multitree", "my_agents:Forest"),
    )
    agent = make_agent("flat:playouts=4")
    assert (type(agent).__name__, agent.playouts) == ("FlatMonteCarlo", 4)
    assert agent_spec(agent) == "flat:playouts=4"
    assert type(make_agent("mcts")) is MCTSAgent
    assert PRESETS["multitree"].mapping()["agent"] == "mcts"
    assert type(make_agent("multitree")) is MCTSAgent
    listed = json.loads(run_here("list", "--json").stdout)["agents"]
    assert listed[-1] == {
        "agent": "flat",
        "options": ["playouts", "seed"],
        "about": "Plays random games after each action and takes the best.",
    }
    with pytest.raises(ValueError, match="unknown agent 'flatt': did you mean flat"):
        make_agent("flatt")
    # The file is that of an option, not of the agent.
    for suffix in ("yaml", "json"):
        with pytest.raises(ValueError, match="unknown option of flat 'config'"):
            make_agent(f"flat:config=x.{suffix}")


def test_two_packages_of_one_name_are_an_error_that_names_both(installed):
    installed(
        entry("flat", "my_agents:FlatMonteCarlo", "first-package"),
        entry("flat", "my_agents:Forest", "second-package"),
    )
    with pytest.raises(
        ValueError, match=r"first-package.*second-package.*name the class itself"
    ):
        make_agent("flat")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("my_agents", "expected NAME = module:Class"),
        ("no_such_agents:A", "agent 'flat' of my-agents: there is no module"),
        ("my_agents:VALUE", "not a class derived from"),
    ],
)
def test_entry_points_that_are_refused(installed, run_here, value, words):
    installed(entry("flat", value))
    with pytest.raises(ValueError, match=words):
        make_agent("flat")
    listed = json.loads(run_here("list", "--json").stdout)["agents"]
    assert re.search(words, listed[-1]["about"])


def test_own_agents_are_agents():
    assert issubclass(own.class_named("my_agents:Forest"), Agent)
