"""Replays: in which threads they are begun and painted."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from mcts_agents.arena.playing.fixtures import Setting
from mcts_agents.arena.replay import wording
from mcts_agents.arena.replay.replaying import SearchView, SeenAction
from mcts_agents.ui import replay_session
from mcts_agents.ui.pictures import one_thread
from mcts_agents.ui.sessions import Sessions
from mcts_agents.ui.stores import Stores
from tests.arena.stored import store
from tests.arena.synthetic import record
from tests.arena.test_replay import RANDOM, played
from tests.ui.pages import server


class Painted:
    """A replay that says whether others could paint meanwhile."""

    game = SimpleNamespace(title="A game")
    model = SimpleNamespace(has_points=True)

    def picture(self):
        self.alone = one_thread.locked()
        return np.zeros((2, 2, 3), np.uint8)


def test_one_thread_at_a_time_paints(monkeypatch):
    monkeypatch.setattr(wording, "title", lambda replay: "")
    session = replay_session.ReplaySession(SimpleNamespace(seats=[]))
    session._replay = replay = Painted()
    moment = SimpleNamespace(number=0, moves=(), position="", over=False)
    session._coming = iter([moment])
    assert session._next() and replay.alone


def test_sessions_are_opened_in_the_thread_of_the_event_loop(monkeypatch):
    def opened(self, make):
        asyncio.get_running_loop()  # a RuntimeError elsewhere
        return "key"

    def record(self, number, game):
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # reading a file holds up no other page
            return
        raise AssertionError("read in the thread of the event loop")

    monkeypatch.setattr(Sessions, "open", opened)
    monkeypatch.setattr(Stores, "record", record)
    with server() as client:
        assert client.post("/api/stores/0/games/1/replay").json() == {"id": "key"}


def test_values_without_bounds_are_shown_as_none():
    seen = SeenAction(action=1, name="a", visits=3, share=1.0, value=-np.inf)
    view = SearchView((seen,), (), 3, 1, 1, 0.1, False)
    (row,) = replay_session._search(view, 1)["actions"]
    assert row["value"] is None


@pytest.mark.parametrize("room", [0, 1])
def test_a_game_of_more_moments_than_are_kept_is_refused(monkeypatch, room):
    """The last moment is the end, after the last move."""
    game = played("tictactoe", RANDOM, RANDOM)
    most = len(game.moves) + room
    monkeypatch.setattr(replay_session, "MOST_MOMENTS", most)
    session = replay_session.ReplaySession(game)
    if room:
        session.prepare()
        assert session._last == len(game.moves)
    else:
        told = f"has {most} moves; the page shows up to {most - 1}. Use mcts-agents rep"
        with pytest.raises(ValueError, match=told):
            session.prepare()
        assert not session._moments


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("tests.model.test_without_scores:HEAP", {"won", "lost"}),
        ("hex:size=3", {"won, score 1", "lost, score 0"}),
    ],
)
def test_a_replay_tells_scores_where_there_are_points(game, told):
    session = replay_session.ReplaySession(played(game, RANDOM, RANDOM))
    session.prepare()
    (moment,) = session._moments
    assert {seat["outcome"] for seat in moment["seats"]} == told


def test_a_store_tells_scores_where_there_are_points(tmp_path):
    games = [
        record(Setting(game, 2), 0, 0, ["a", "b"], scores)
        for game, scores in (("heap", [0, 0]), ("hex", [1, 0]))
    ]
    path = store(tmp_path / "s.sqlite", games, ["a", "b"])
    pointed, pointless = Stores((path,)).games(0, 0, 1)["games"]
    assert [seat["outcome"] for seat in pointless["seats"]] == ["won", "won"]
    outcomes = [seat["outcome"] for seat in pointed["seats"]]
    assert outcomes == ["won, score 1", "lost, score 0"]
