"""Third-party environments where names of games stand."""

import json
import os
import subprocess
import sys
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

from mcts_agents import RandomAgent, importing, make_agent
from mcts_agents.arena.playing.match import Seat, play_match
from mcts_agents.arena.playing.tables import EnvironmentTable, open_table
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.envs import (
    EnvironmentGame,
    game_from_environment,
    load_any,
    load_game,
    make_any,
    make_model,
    parse_game,
)
from mcts_agents.envs.observed import as_text, rendered_text
from mcts_agents.learn import Dataset, evaluate, record
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.wrappers import single_agent_env
from tests.arena.playing import Here, rows, run

# The command as its script runs: without the working folder in the import path.
SCRIPT = [sys.executable, "-P", "-c", "from mcts_agents.cli import main; main()"]

# A race to the end of a track, with dice; and what else makes environments.
MODULE = '''
import functools

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.envs import game_from_environment


class Race(AECEnv):
    """Each in turn goes 1, or 0 to 2 by a die; whoever is first at the end wins."""

    metadata = {"render_modes": ["ansi"], "name": "race"}

    def __init__(self, length=4, render_mode=None):
        if length > 50:
            raise ValueError("too long")
        self.length, self.render_mode = length, render_mode
        self.possible_agents = ["white", "black"]

    def observation_space(self, agent):
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (2, 60), np.int16),
                "action_mask": spaces.Box(0, 1, (2,), np.int8),
            }
        )

    def action_space(self, agent):
        return spaces.Discrete(2)

    def observe(self, agent):
        seen = np.zeros((2, 60), np.int16)
        for row, name in enumerate(self.possible_agents):
            seen[row, self.places[name]] = 1
        return {"observation": seen, "action_mask": np.ones(2, np.int8)}

    def reset(self, seed=None, options=None):
        self.dice = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.places = dict.fromkeys(self.agents, 0)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.places[agent] += int(self.dice.integers(3)) if action else 1
        other = self.possible_agents[1 - self.possible_agents.index(agent)]
        if self.places[agent] >= self.length:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {agent: 1, other: -1}
        self.agent_selection = other
        self._accumulate_rewards()

    def render(self):
        return " ".join(f"{name}={place}" for name, place in self.places.items())

    def action_name(self, action):
        return ("walk", "run")[action]


def race(**options):
    return Race(**options)


def short(length: int = 3):
    """Takes no render mode."""
    return Race(length)


part = functools.partial(Race, length=2)
named = game_from_environment(
    race,
    "the race",
    perfect_information=True,
    title="The Race",
    format_action=lambda env, action: ("walk", "run")[action],
    ansi=lambda env, agent: f"seen by {agent}: {env.render()}",
)


class Cards(Race):
    """A race whose second player has a place that nobody sees."""

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][1 - self.possible_agents.index(agent)] = 0
        return seen


def forget(env, agent, generator):
    other = env.possible_agents[1 - env.possible_agents.index(agent)]
    env.places[other] = int(generator.integers(env.length))


cards = game_from_environment(Cards, "cards", redeterminise=forget)


class Both(ParallelEnv):
    """Both choose at once; the first wins if they are alike. Three rounds."""

    metadata = {"name": "both", "render_modes": []}
    render_mode = None

    def __init__(self):
        self.possible_agents = ["even", "odd"]

    def observation_space(self, agent):
        return spaces.MultiBinary(6)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def _seen(self):
        return {agent: self.played.copy() for agent in self.possible_agents}

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.played, self.round = np.zeros(6, np.int8), 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        even, odd = (actions[agent] for agent in self.possible_agents)
        self.played[2 * self.round : 2 * self.round + 2] = even, odd
        self.round += 1
        won = 1.0 if even == odd else -1.0
        over = dict.fromkeys(self.possible_agents, self.round == 3)
        never = dict.fromkeys(self.possible_agents, False)
        infos = {agent: {} for agent in self.possible_agents}
        if self.round == 3:
            self.agents = []
        return self._seen(), {"even": won, "odd": -won}, over, never, infos


class Spaceless(Race):
    def action_space(self, agent):
        return {}[agent]


class Climb(gymnasium.Env):
    """Up or down; five steps."""

    metadata = {"render_modes": []}
    observation_space = spaces.Discrete(20)
    action_space = spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.steps = 10, 0
        return self.height, {}

    def step(self, action):
        self.height += 1 if action else -1
        self.steps += 1
        return self.height, float(action), self.steps == 5, False, {}


def failing(length=3, **more):
    if more or length != 3:
        raise RuntimeError("no track\\nhere")
    return Race(length)


def twofaced(again=False):
    return None if again else Race()


def broken():
    env = Race()
    env.reset = None
    return env


def needy(length):
    return Race(length)


def nothing():
    return 3


class Unopened(Race):
    """Can be closed after a reset only."""

    def close(self):
        print("closed", self.places)


def unopened():
    return Unopened()


an_environment = Race()
'''

TRUE = "perfect_information=true"
RACE = f"tracks:race:length=5,{TRUE}"
MCTS = "mcts:simulations=20"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("environments")
    (found / "tracks.py").write_text(MODULE)
    return found


@pytest.fixture(autouse=True)
def importable(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(importing, "_allowed", set())


def command(place, *arguments, **more):
    return subprocess.run(
        [*SCRIPT, *map(str, arguments)],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120"},
        **more,
    )


def played(spec, *agents, seed=3):
    table = open_table(spec)
    seats = [Seat(make_agent(agent, seed=n)) for n, agent in enumerate(agents)]

    def begun():
        for player, seat in enumerate(seats):
            table.prepare(seat.agent, player)

    return *play_match(table, seats, seed, begun=begun), table


# -- names and options


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("gymnasium:CartPole-v1", "gymnasium:CartPole-v1", {}),
        (" gymnasium : A.b/C_d-v12 : x=1 ", "gymnasium:A.b/C_d-v12", {"x": 1}),
        ("gymnasium:make", "gymnasium:make", {}),
        (RACE, "tracks:race", {"length": 5, "perfect_information": True}),
    ],
)
def test_specs(spec, name, options):
    assert parse_game(spec) == (name, options)


@pytest.mark.parametrize(
    "spec", ["tracks:race", "tracks:Race", "tracks:short", "tracks:part"]
)
def test_functions_classes_and_partials_make_environments(spec):
    game = load_any(spec)
    assert isinstance(game, EnvironmentGame)
    assert load_any(spec) is game
    shape = make_any(spec)[1]
    assert (shape.players, shape.actions) == (2, 2)
    moves, returns, table = played(spec, "random", "random")
    assert sorted(returns) == [-1.0, 1.0]
    assert sorted(table.outcome()[0]) == [1, 3]  # won and lost
    assert {player for player, _ in moves} <= {0, 1}


def test_options_are_the_maker_s():
    def longest(spec):
        return max(len(played(spec, "random", "random", seed=s)[0]) for s in range(5))

    assert longest("tracks:race:length=2") < longest("tracks:race:length=40")
    assert make_any("tracks:race:length=2")[0] is make_any("tracks:race:length=2")[0]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tracks:short:lenght=3", "'lenght': did you mean length.*perfect_information"),
        ("tracks:short:length=x", "^length='x': tracks:short needs a whole number"),
        ("tracks:short:length=nan", r"^length=nan: .*the default, 3$"),
        ("tracks:race:length=99", r"game tracks:race\(length=99\) .*: too long"),
        ("tracks:failing:length=4", r"RuntimeError: no track here"),
        ("tracks:twofaced:again=true", "returns an object of type NoneType: expected"),
        ("tracks:broken", r"game tracks:broken: reset\(seed=0\) raised TypeError"),
        ("tracks:needy", "is a function that needs arguments: expected a Rules"),
        ("tracks:nothing", "returns an object of type int: expected a Rules"),
        ("tracks:an_environment", "is an object of type Race: expected a Rules"),
        ("tracks:race:perfect_information=1", "=1: expected true or false"),
        ("tracks:race:render_mode=human", "render_mode='human': set by the command"),
        (f"tracks:cards:{TRUE}", "says how to resample what it hides"),
        ("gymnasium:Env", r"game gymnasium:Env: reset\(seed=0\) raised TypeError"),
        ("tracks:Spaceless", "game tracks:Spaceless: KeyError: 'white'"),
        ("pettingzoo:AECEnv", r"reset\(seed=0\) raised NotImplementedError"),
        ("mcts_agents.envs.hex:parallel_env", "the game itself, its rules, or its AEC"),
        ("gymnasium:CartPoll-v1", r"did you mean gymnasium:CartPole-v1"),
    ],
)  # fmt: skip
def test_what_makes_no_environment_is_named(spec, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_any(spec)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_closed_before_a_reset():
    assert make_any("tracks:unopened")[1].players == 2


def test_players_are_those_of_the_environment():
    assert make_any("tracks:race", 2)[1].players == 2
    with pytest.raises(ValueError, match="its environment has 2 players, not 3"):
        make_any("tracks:race", 3)


@pytest.mark.parametrize(
    "ask", [load_game, make_model, single_agent_env, lambda name: gymnasium.make(
        "mcts_agents/Game-v0", game=name)]
)  # fmt: skip
def test_what_needs_rules_refuses_environments(ask):
    with pytest.raises(ValueError, match="'tracks:race' makes an environment, which"):
        ask("tracks:race")


def test_parts_of_a_game_are_checked():
    with pytest.raises(TypeError, match="expected a function that makes"):
        game_from_environment(3)
    with pytest.raises(TypeError, match="tittle"):
        game_from_environment(dict, tittle="x")
    with pytest.raises(ValueError, match="either perfect_information or redet"):
        game_from_environment(dict, perfect_information=True, redeterminise=dict)


# -- hidden information


def test_agents_plan_only_on_the_caller_s_word():
    for spec in ("tracks:race", "tracks:race:perfect_information=false"):
        with pytest.raises(ValueError, match=r"cannot be detected.*=true"):
            played(spec, MCTS, "random")
        played(spec, "random", "random")
    played(RACE, MCTS, "random")
    played("tracks:cards", MCTS, "random")


def test_the_word_is_about_the_game_and_no_option_of_an_agent():
    with pytest.raises(ValueError, match=f"belongs to the game: --game .*{TRUE}"):
        make_agent(f"mcts:{TRUE}")


def test_an_agent_s_own_word_stays():
    def resample(env, agent, generator):
        asked.append(agent)

    asked = []
    agent = make_agent(MCTS)
    agent.copying = CopyOptions(redeterminise=resample)
    table = open_table(RACE)
    table.begin(1)
    table.prepare(agent, 0)
    agent.act(table.planned)
    assert set(asked) == {"white"}
    assert not agent.copying.perfect_information


def test_to_prepare_an_agent_changes_no_decision():
    def actions(prepared):
        table, agent = open_table(RACE), make_agent("mcts:simulations=7", seed=5)
        table.begin(2)
        if prepared:
            table.prepare(agent, 0)
        agent.copying = CopyOptions(perfect_information=True)
        return [agent.act(table.planned) for _ in range(12)]

    assert actions(True) == actions(False)


# -- playing


def test_a_match_is_the_environment_s():
    moves, returns, _ = played(RACE, MCTS, "random", seed=9)
    env = load_any("tracks:race").variant({"length": 5}).environment()
    env.reset(seed=9)
    for player, action in moves:
        assert env.possible_agents[player] == env.agent_selection
        env.step(action)
    assert [env.rewards[agent] for agent in env.possible_agents] == returns


def test_players_who_choose_at_once_do_not_see_each_other():
    # By looking the second would win three times of three, and the search would.
    lost = 0
    for seed in range(12):
        agents = (f"random:seed={seed}", f"mcts:simulations=60,seed={seed}")
        _, returns, _ = played(f"tracks:Both:{TRUE}", *agents, seed=seed)
        lost += returns[1] < 3
    assert lost >= 6


WAITING = f"tests.model.test_remembering:Waiting:{TRUE}"


def test_who_waits_in_a_parallel_environment_is_not_asked(tmp_path):
    """Two agents whose masks are empty in every second step, three decisions each."""
    moves, returns, table = played(WAITING, "random", "mcts:simulations=20")
    assert [player for player, _ in moves] == [0, 1] * 3
    sums = [sum(a for p, a in moves if p == player) for player in (0, 1)]
    assert returns == sums
    table.begin(0)
    assert (table.movers(), table.legal_actions()) == ([0], [0, 1])
    table.step(1)
    assert (table.movers(), table.turn(), table.text(None)) == ([1], 1, "1")
    assert table.together and not open_table(RACE).together
    dataset = record(WAITING, "random", 2, tmp_path / "d", jobs=1)
    assert dataset[:]["ply"].tolist() == list(range(6)) * 2


def test_plies_are_steps_of_a_parallel_environment(tmp_path):
    dataset = record("tests.model.third_party:Matching", "random", 1, tmp_path, jobs=1)[
        :
    ]
    assert dataset["ply"].tolist() == [0, 0, 1, 1, 2, 2]
    assert dataset["player"].tolist() == [0, 1] * 3


def test_seeds_are_those_that_old_generators_take():
    table = open_table("tests.test_environment_games:old_dice")
    table.begin(2**40 + 3)
    assert table.env.planned.unwrapped.seeds == [3]


class OldDice(gymnasium.Env):
    """Draws from NumPy's old generator."""

    observation_space = action_space = spaces.Discrete(2)

    def __init__(self):
        self.seeds = []

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            np.random.RandomState(seed)
            self.seeds.append(seed)
        return 0, {}

    def step(self, action):
        return 0, 0.0, True, False, {}


def old_dice():
    return OldDice()


def test_an_illegal_action_is_an_error():
    class Illegal(RandomAgent):
        def act(self, env, agent=None):
            return 2

    table = open_table(RACE)
    with pytest.raises(ValueError, match="action 2 of white is not legal; legal: 0, 1"):
        play_match(table, [Seat(Illegal()), Seat(Illegal())], 1)


def test_a_gymnasium_environment_has_one_player():
    moves, returns, table = played(f"tracks:Climb:{TRUE}", "mcts:simulations=80")
    assert [player for player, _ in moves] == [0] * 5
    assert returns == [5.0]
    assert table.outcome() == ([2], [5.0])
    assert table.text(None) == "15"
    assert played("gymnasium:CartPole-v1:max_episode_steps=3", "random")[1] == [3.0]


def test_what_knows_more_shows_more():
    table = open_table("tracks:named")
    table.begin(1)
    assert table.text(None) == "seen by None: white=0 black=0"
    assert table.text(1) == "seen by black: white=0 black=0"
    assert (table.name(1), table.action_of("run")) == ("run", 1)
    assert table.game.title == "The Race"
    plain = open_table("tracks:race")
    plain.begin(1)
    assert plain.text(None) == "white=0 black=0"  # as it renders itself
    with pytest.raises(ValueError, match="'rum': expected a move such as run"):
        table.action_of("rum")


def test_our_own_environments_need_no_word():
    spec = "mcts_agents.envs.hex:env:size=3"
    _, returns, table = played(spec, MCTS, "random")
    assert sorted(returns) == [-1.0, 1.0]
    assert table.model.actions == 9


def test_masks_that_only_steps_return_are_known_in_the_aec_form():
    game = game_from_environment(lambda: Masked(), perfect_information=True)
    assert game.shape().players == 2
    table = EnvironmentTable(game, game.shape())
    for seed in range(3):
        seats = [Seat(make_agent(MCTS, seed=seed)), Seat(RandomAgent(seed=seed))]
        moves, _ = play_match(
            table,
            seats,
            seed,
            begun=lambda seats=seats: table.prepare(seats[0].agent, 0),
        )
        assert [action for _, action in moves] == [0, 0, 1, 1, 0, 0]


class Masked(ParallelEnv):
    """In the first and the third round only 0 is legal, in the second only 1."""

    metadata: ClassVar = {"name": "masked", "render_modes": []}
    render_mode = None
    possible_agents: ClassVar = ["a", "b"]

    def observation_space(self, agent):
        mask = spaces.Box(0, 1, (2,), np.int8)
        return spaces.Dict({"observation": spaces.Discrete(4), "action_mask": mask})

    def action_space(self, agent):
        return spaces.Discrete(2)

    def seen(self):
        mask = np.array([self.round != 1, self.round == 1], np.int8)
        shown = {"observation": self.round, "action_mask": mask}
        return dict.fromkeys(self.possible_agents, shown)

    def reset(self, seed=None, options=None):
        self.agents, self.round = list(self.possible_agents), 0
        return self.seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        assert set(actions.values()) == {int(self.round == 1)}
        self.round += 1
        over = dict.fromkeys(self.agents, self.round == 3)
        never, paid = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, 0.0)
        if self.round == 3:
            self.agents = []
        return self.seen(), paid, over, never, {agent: {} for agent in over}


# -- what is shown of observations


@pytest.mark.parametrize("axis", [0, 2])
def test_planes_are_one_board(axis):
    planes = np.zeros((2, 3, 4), np.int8)
    planes[0, 2, 1] = planes[1, 0, 3] = 1
    assert as_text(np.moveaxis(planes, 0, axis)) == ". . . o\n. . . .\n. x . ."


def test_planes_of_earlier_positions_are_left_out():
    planes = np.zeros((5, 5, 4), bool)
    planes[0, 0, 0] = planes[1, 1, 1] = planes[1, 1, 2] = planes[4, 4, 3] = True
    assert as_text(planes).splitlines()[:2] == ["x . . . .", ". o . . ."]
    assert as_text(planes).count("x") + as_text(planes).count("o") == 2


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (np.array([[1, 10], [-3, 4]]), " 1 10\n-3  4"),
        (np.array([0.5, -0.123456], np.float32), "   0.5 -0.123"),
        (np.arange(22), " ".join(f"{n:2}" for n in range(20)) + "\n20 21"),
        (7, "7"),
        ({"hand": 3, "board": (1, 2)}, "hand\n3\nboard\n0\n1\n1\n2"),
        (np.zeros((210, 160, 3), np.uint8), "an array of shape (210, 160, 3), uint8"),
        ("a text", "a text"),
        (None, "nothing to see"),
        (np.array(["a", "b"]), "['a' 'b']"),
    ],
)
def test_other_observations_are_aligned(seen, text):
    assert as_text(seen) == text


def test_colours_become_a_mark():
    class Lake:
        def render(self):
            return "\x1b[41mS\x1b[0mFF\nF\x1b[0mHF\n"

    assert rendered_text(Lake()) == "*FF\nFHF"


# -- tournaments, recordings, files

AGENTS = {"uct": MCTS, "r": "random"}
KEYS = {"games": [RACE, f"tracks:Both:{TRUE}"], "budgets": [], "seed": 4}


@pytest.fixture(scope="module")
def store(folder, tmp_path_factory):
    """A tournament that two processes play."""
    path = tmp_path_factory.mktemp("store") / "two.db"
    done = command(
        folder,
        *("tournament", "--game", RACE, "--game", f"tracks:Both:{TRUE}"),
        *("--agent", f"uct={MCTS}", "--agent", "r=random", "--games", 6),
        *("--seed", 4, "--jobs", 2, "--store", path),
    )
    assert done.returncode == 0, done.stderr
    return path


def test_processes_play_the_same_games(store, tmp_path):
    assert rows(store) == run(
        tmp_path / "here.db", Here(), agents=AGENTS, games_each=6, **KEYS
    )


def test_stored_games_are_played_again(store):
    with Store.read(store) as opened:
        records = list(opened.games())
        assert not opened.failures()
    assert len(records) == 12
    with pytest.raises(ValueError, match=r"the record of a game names a module"):
        Replay(records[0])
    importing.allow_in_files("tracks")
    for record_ in records[:4]:
        replay = Replay(record_, pictures=False)
        moments = list(replay.moments())
        assert sum(len(moment.moves) for moment in moments) == len(record_.moves)
        at_once = record_.setting.game.startswith("tracks:Both")
        assert len(moments) == len(record_.moves) // (1 + at_once) + 1
        assert replay.difference_text() == ""
        assert moments[-1].over


def test_pictures_of_what_draws_nothing_are_texts(store):
    pytest.importorskip("pygame")
    importing.allow_in_files("tracks")
    with Store.read(store) as opened:
        replay = Replay(opened.game(1), search=False)
    width, height = replay.picture_size
    next(replay.moments())
    assert replay.picture().shape == (height, width, 3)
    assert len(np.unique(replay.picture())) > 2


def test_a_tournament_s_file(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(f"games: ['{RACE}']\nagents: [random, 'r=random']\n")
    with pytest.raises(ValueError, match=r"t.yaml, line 1.*names a module"):
        SpecFile(str(path)).spec()
    importing.allow_in_files("tracks")
    assert SpecFile(str(path)).spec().games[0].counts() == (2,)
    path.write_text("games: [gymnasium:CartPole-v1]\nagents: [random]\n")
    with pytest.raises(ValueError, match=r"--import gymnasium"):
        SpecFile(str(path)).spec()


def test_what_hides_is_refused_before_the_first_game(tmp_path):
    with pytest.raises(SettingError, match=r"uct in tracks:race, 2 players: .*detec"):
        run(tmp_path / "s.db", Here(), agents=AGENTS, budgets=[], games="tracks:race")


def test_evaluate():
    figures = evaluate("mcts:simulations=100", "random", RACE, games=10)
    assert figures.games == 10
    assert figures.win_rate.value > 0.4


def test_record(tmp_path):
    arguments = (RACE, MCTS, 4)
    one = record(*arguments, tmp_path / "one", seed=2, jobs=1)
    two = record(*arguments, tmp_path / "two", seed=2, jobs=2)
    dataset = Dataset(tmp_path / "two")
    assert dataset.games == 4
    assert dataset.description["variant"] == {"length": 5, "perfect_information": True}
    assert dataset.columns["observation"].dtype == "int16"
    found = dataset[:]
    for name, column in one[:].items():
        np.testing.assert_array_equal(column, two[:][name])
        np.testing.assert_array_equal(column, found[name])
    assert found["observation"].shape[1:] == (2, 60)
    assert (found["observation"].sum((1, 2)) == 2).all()
    assert set(found["outcome"]) == {-1, 1}
    for game in range(4):
        of_game = found["game"] == game
        assert list(found["ply"][of_game]) == list(range(of_game.sum()))


def test_observations_that_are_no_arrays_are_recorded_flat(tmp_path):
    dataset = record(f"tracks:Climb:{TRUE}", MCTS, 2, tmp_path / "d", jobs=1)
    assert dataset[:]["observation"].shape == (10, 20)
    assert (dataset[:]["observation"].sum(1) == 1).all()
    assert (dataset[:]["action_mask"] == 1).all()


# -- commands


def test_commands(folder):
    game = f"tracks:short:{TRUE}"
    done = command(folder, "play", game, "--agent", MCTS, "--seed", 1, "--json")
    found = json.loads(done.stdout)
    assert sorted(found["returns"]) == [-1.0, 1.0], done.stderr
    shown = command(folder, "tree", "tracks:named", "--agent", MCTS, "--moves", "run")
    assert "player_1 plays " in shown.stdout, shown.stderr
    done = command(folder, "bench", game, "--simulations", 20, "--json")
    assert json.loads(done.stdout)["simulations_per_second"] > 0, done.stderr
    done = command(folder, "list", "tracks:short", "--json")
    (row,) = json.loads(done.stdout)["games"]
    assert row["options"] == {
        "length": 3,
        "perfect_information": False,
        "samples": None,
    }
    done = command(folder, "verify", "tracks:short", "x.jsonl")
    assert "which has no rules to compile" in done.stderr
    done = command(folder, "play", "tracks:short", "--agent", MCTS)
    assert done.returncode == 2
    assert "say so in the game's spec: perfect_information=true" in done.stderr


def test_a_person_plays_and_sees_an_observation(folder):
    agents = ("--agent", "human", "--agent", "random")
    done = command(folder, "play", "tracks:cards", *agents, input="?\n1\n7\nq\n")
    assert "Legal: 0  1" in done.stdout
    assert "'7': expected a move such as 0, 1" in done.stdout
    assert "white=" not in done.stdout  # what it renders shows the other's place too
    assert "plays" not in done.stdout  # the other's move may be hidden


def test_environments_of_pettingzoo(folder):
    pytest.importorskip("pygame")
    game = f"pettingzoo.classic.tictactoe_v3:env:{TRUE}"
    done = command(
        folder, "play", game, "--agent", MCTS, "--agent", "random", "--seed", 1
    )
    assert done.returncode == 0, done.stderr
    assert "\n. . .\n. . .\n. . .\n" in f"\n{done.stdout}"
    assert "x" in done.stdout
