"""Agents and environments that fail: the game is paused, and secrets are kept."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from mcts_agents import make_agent
from mcts_agents.envs import load_any
from mcts_agents.ui.play import Setup
from mcts_agents.ui.play_session import PlaySession
from mcts_agents.ui.search_views import action_rows
from mcts_agents.ui.server import _as_text
from tests.ui.pages import new_game, page_of, server

ENVIRONMENT = "pettingzoo.classic.tictactoe_v3:env"
OPEN = f"{ENVIRONMENT}:perfect_information=true"
CHEAT, CRASH, BOUNDLESS, QUIT = (
    f"tests.ui.own:{name}" for name in ("Cheat", "Crash", "Boundless", "Quit")
)


@pytest.fixture(scope="module")
def client():
    for spec in (CHEAT, CRASH, BOUNDLESS, QUIT):
        make_agent(spec)  # calls name the modules, as on the command line
    load_any(ENVIRONMENT)
    with server() as opened:
        yield opened


@pytest.mark.parametrize("game", [ENVIRONMENT, "uno"])
def test_an_illegal_action_does_not_tell_what_was_legal(client, game):
    key = new_game(client, game, [CHEAT, "human"], players=2, adviser="random", seed=1)
    with page_of(client, key) as page:
        while (told := page.hear())["kind"] != "refused":
            if told["kind"] == "position" and told["asked"]:
                action = told["actions"][0]["action"]
                page.do("play", action=action, number=told["number"])
        assert page.until("search")["paused"]
    reason = "player_0's agent chose an illegal action; the game is paused"
    assert told["reason"] == reason


def test_whoever_sees_all_is_told_what_was_legal(client):
    key = new_game(client, OPEN, ["human", CHEAT], adviser="random")
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=0, number=0)
        told = page.until("refused")["reason"]
    assert told.startswith("player_1's agent chose an illegal action; the game is")
    assert "1000000" in told and "legal:" in told


@pytest.mark.parametrize("game", [OPEN, ENVIRONMENT])
def test_what_an_agent_raises_pauses_the_game(client, game, capfd):
    key = new_game(client, game, ["human", CRASH], adviser="random")
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=0, number=0)
        reason = page.until("refused")["reason"]
        assert reason.startswith("player_1's move failed (IndexError); the game is")
        assert ("my hand is 7, 9" in reason) == (game == OPEN)
        told = page.until("search")
        assert told["paused"] and not told["going"] and told["search"] is None
        page.do("undo", number=1)
        assert page.turn()["number"] == 0
    assert "Traceback" in capfd.readouterr().err


def test_an_agent_that_ends_the_process_pauses_the_game(client):
    key = new_game(client, OPEN, ["human", QUIT], adviser="random")
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=0, number=0)
        assert "move failed (SystemExit)" in page.until("refused")["reason"]
        assert page.until("search")["paused"]


def test_what_an_environment_raises_pauses_the_game(client, monkeypatch):
    key = new_game(client, OPEN, ["human", "random"], adviser="random")
    task = client.app._app.state.sessions.find(key).task
    with page_of(client, key) as page:
        page.turn()

        def step(action):
            raise AssertionError("no such square")

        with monkeypatch.context() as patched:
            patched.setattr(task.played.table, "step", step)
            page.do("play", action=0, number=0)
            reason = page.until("refused")["reason"]
        assert "(AssertionError)" in reason and "no such square" in reason
        assert page.until("search")["paused"]

        def turn():
            raise TypeError("nobody")

        with monkeypatch.context() as patched:
            patched.setattr(task.played.table, "turn", turn)
            page.do("resume")
            assert "the environment failed" in page.until("refused")["reason"]
        page.do("play", action=0, number=0)
        page.until("position", lambda told: told["number"] == 1)
        page.do("resume")
        assert page.turn()["number"] == 2


def test_a_hint_that_fails_does_not_pause_the_game(client):
    key = new_game(client, OPEN, ["human", "random"], adviser=CRASH)
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        reason = page.until("refused")["reason"]
        assert "hint for player_0 failed (IndexError)" in reason
        told = page.until("search")
        assert told["search"] is None and not told["paused"]
        page.do("play", action=0, number=0)
        assert page.turn()["number"] == 2


def test_a_search_that_found_nothing_is_not_shown_when_it_has_ended():
    session = PlaySession(Setup("tictactoe", None, ("human", "human")))
    session._live = session._shown = SimpleNamespace(result=None)
    session.left()
    assert session._live is None and session._shown is None
    found = SimpleNamespace(result="something")
    session._live = session._shown = found
    session.left()
    assert session._shown is found


# -- numbers that JSON does not have


def test_values_without_bounds_are_shown_as_none(client):
    key = new_game(client, OPEN, ["human", BOUNDLESS], adviser="random")
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=0, number=0)
        told = page.until("search", lambda m: m["search"] and "best" in m["search"])
        assert [row["value"] for row in told["search"]["actions"]] == [0.3, None]
        assert page.turn()["number"] == 2


def test_no_value_is_infinite():
    values = np.array([np.inf, -np.inf, np.nan, 0.25])
    rows = action_rows(np.arange(4), np.zeros(4, np.int64), values, str)
    assert [row["value"] for row in rows] == [0.25, None, None, None]


@pytest.mark.parametrize("value", [float("inf"), np.int64(3)])
def test_a_message_that_cannot_be_sent_is_a_refusal(value):
    told = json.loads(_as_text({"kind": "search", "value": value}))
    assert told["kind"] == "refused" and told["reason"].startswith("search: ")
