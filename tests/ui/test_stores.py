"""Tournaments on the page: figures, games of a pairing, and replays."""

import errno
import os
from dataclasses import replace

import pytest

from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.fixtures import Setting
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.ui.server import Offered
from mcts_agents.ui.stores import Stores
from tests.arena.playing import Here, run
from tests.arena.stored import store
from tests.arena.synthetic import record
from tests.ui.pages import page_of, server

GAMES = ["tictactoe", {"game": "sushi_go", "players": [2]}]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    run(path, Here(), games=GAMES)
    return path


@pytest.fixture(scope="module")
def client(path):
    with server(Offered(stores=(path,))) as opened:
        yield opened


def test_figures_are_those_of_the_results(client, path):
    assert client.get("/api/stores").json() == [{"number": 0, "name": path.name}]
    told = client.get("/api/stores/0").json()
    overall = read_results(path).summary.overall
    assert told["played"] == told["total"] == 12
    for agent, figures in zip(told["agents"], overall.agents, strict=True):
        assert agent["rating"]["value"] == figures.rating.value
        assert agent["rating"]["low"] <= agent["rating"]["value"]
    assert told["before"] == overall.before.tolist()
    assert told["meetings"] == overall.meetings.tolist()
    assert told["one_sided"] is overall.one_sided is False


def test_a_cell_lists_the_games_of_its_pair(client):
    agents = client.get("/api/stores/0").json()["agents"]
    count = sum(
        client.get("/api/stores/0/games", params={"row": a, "column": b}).json()[
            "total"
        ]
        for a in range(len(agents))
        for b in range(a)
    )
    assert count == 12  # of two players each: every game is in one pairing
    found = client.get("/api/stores/0/games", params={"row": 0, "column": 1}).json()
    for game in found["games"]:
        names = {seat["agent"] for seat in game["seats"]}
        assert names == {agents[0]["name"], agents[1]["name"]}
    bad = client.get("/api/stores/0/games", params={"row": 0, "column": 9})
    assert bad.status_code == 400 and "agent 9" in bad.json()["reason"]
    assert client.get("/api/stores/1").status_code == 400


@pytest.mark.parametrize("game", [1, 9])
def test_a_game_is_replayed_with_its_searches(client, path, game):
    answer = client.post(f"/api/stores/0/games/{game}/replay").json()
    with Store.read(path) as opened:
        stored = opened.game(game)
    with page_of(client, answer["id"]) as page:
        first = page.until("moment")
        assert first["number"] == 0 and first["moves"] == []
        page.do("go", moment=10**6)
        last = page.until("moment")
        assert last["over"] and last["number"] == last["last"]
        made = 0
        for number in range(1, last["last"] + 1):
            page.do("go", moment=number)
            moment = page.until("moment")
            assert moment["number"] == number
            for move in moment["moves"]:
                assert move["changed"] == ""  # the same seed chooses the same
                if move["search"] is not None:
                    shown = move["search"]["actions"]
                    assert sum(one["played"] for one in shown) == 1
                made += 1
        assert made == len(stored.moves)
        page.do("play", action=1, number=0)
        assert "stored game" in page.until("refused")["reason"]
    assert client.post("/api/stores/0/games/999/replay").status_code == 400


def test_whoever_asks_again_sees_the_games_that_were_added_since(tmp_path):
    games = [record(Setting("hex", 2), n, n, ["a", "b"], [1, 0]) for n in range(3)]
    path = store(tmp_path / "results.sqlite", games[:2], ["a", "b"], total=3)
    with server(Offered(stores=(path,))) as client:
        assert client.get("/api/stores/0").json()["played"] == 2
        with Store.write(path) as written:
            written.add(replace(games[2], number=3))
        told = client.get("/api/stores/0").json()
        assert (told["played"], told["total"]) == (3, 3)
        assert [agent["games"] for agent in told["agents"]] == [3, 3]
        pair = {"row": 0, "column": 1}
        found = client.get("/api/stores/0/games", params=pair).json()["games"]
        assert [game["number"] for game in found] == [3, 2, 1]
        path.unlink()
        for address in ("/api/stores/0", "/api/stores/0/games?row=0&column=1"):
            gone = client.get(address)
            assert gone.status_code == 400
            told = f"results.sqlite: {os.strerror(errno.ENOENT)}"  # and no folder
            assert gone.json()["reason"] == told


def test_a_store_is_read_again_only_if_it_has_changed(tmp_path):
    path = store(tmp_path / "results.sqlite", [], ["a", "b"], total=3)
    stores = Stores((path,))
    assert stores.overview(0) is stores.overview(0)
