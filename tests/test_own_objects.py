"""What programs are told that pass an object of a kind that does not belong there."""

import re

import pytest

from mcts_agents import Agent, Planner, SearchResult
from mcts_agents.agents.agent import AgentError
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs import environments, game_from_rules, load_game, parse_game
from mcts_agents.learn import evaluate
from tests.command import run
from tests.team_game import STONES


class Last(Agent):
    """Takes one of the last legal actions."""

    def __init__(self, *, offset: int = 1, **agent):
        super().__init__(**agent)
        self.offset = offset

    def decide(self, model, state, player):
        return int(model.legal_actions(state, player)[-self.offset])


class Forgetful(Last):
    """Does not call the constructor of its base class."""

    def __init__(self):
        self.offset = 1


class Number(Planner):
    """Returns an action instead of a result."""

    def search(self, model, state, player, history=None, *, started=None):
        return 0


class Beyond(Planner):
    """Chooses what is not legal."""

    def search(self, model, state, player, history=None, *, started=None):
        return SearchResult(99, model.legal_actions(state, player))


def opening():
    env = environments("tictactoe")[1]()
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(
    "call",
    [
        lambda game: evaluate("random", "random", game),
        lambda game: TournamentSpec(games=[game], agents=["random"]),
        load_game,
        parse_game,
    ],
)
@pytest.mark.parametrize("game", [STONES, load_game("tictactoe"), opening])
def test_a_game_is_passed_by_its_name(call, game):
    with pytest.raises(ValueError, match="in a file and name it module:object"):
        call(game)


def test_a_game_is_made_from_rules():
    with pytest.raises(ValueError, match="pass what it returns"):
        environments(opening)
    with pytest.raises(TypeError, match="expected the Rules of a game"):
        game_from_rules(STONES.state)
    with pytest.raises(TypeError, match="'fromat_action': did you mean format_action"):
        game_from_rules(STONES, fromat_action=str)


def test_the_constructor_of_an_agent_calls_that_of_its_base():
    told = re.escape("its __init__ does not call super().__init__()")
    with pytest.raises(ValueError, match=f"Forgetful: {told}"):
        TournamentSpec(games="tictactoe", agents={"a": Forgetful(), "b": "random"})
    with pytest.raises(AttributeError, match=f"Forgetful: {told}"):
        Forgetful().act(opening())


def test_an_agent_shows_its_own_settings():
    assert repr(Last(offset=2, seed=3)) == "Last(offset=2, seed=3)"
    assert repr(Last()) == "Last()"


def test_what_is_no_agent_is_told_what_one_is():
    with pytest.raises(ValueError, match=r"derived from mcts_agents\.Agent"):
        TournamentSpec(games="tictactoe", agents={"a": object(), "b": "random"})


@pytest.mark.parametrize("ask", ["plan", "act"])
def test_a_planner_returns_a_result(ask):
    with pytest.raises(AgentError, match=r"returned 0, expected a SearchResult"):
        getattr(Number(), ask)(opening())


@pytest.mark.parametrize("command", ["bench", "tree"])
def test_commands_name_an_illegal_choice(command):
    found = run(command, "tictactoe", "--agent", f"{__name__}:Beyond")
    assert found.returncode == 2
    assert "chose 99, which is not legal" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("value", [2.5, "x", True, 10**23])
def test_options_are_of_the_kind_of_their_defaults(value):
    with pytest.raises(ValueError, match=r"left=.*: stones needs a whole number"):
        STONES.model(left=value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["list", "hex:size=5"], "expected the name alone, hex"),
        (["play", "./pearls:game"], "without its folder"),
        (["play", "hex", "--agent", "a:B,c=5"], "options follow a colon"),
    ],
)
def test_names_that_are_written_otherwise(words, told):
    found = run(*words)
    assert found.returncode == 2
    assert told in found.stderr
