"""Hidden information: nothing of it is in what a page receives, at any move."""

import json
import random

import pytest

from mcts_agents.envs import GAMES, load_any, load_game, make_model
from mcts_agents.ui.play import Setup, open_game
from mcts_agents.ui.views import position_message
from tests.test_no_leak import PERMUTED
from tests.ui.pages import new_game, page_of, server

# Asked of the rules, which compiles nothing while tests are collected.
HIDING = [name for name in GAMES if load_game(name).rules.has("redeterminise")]
ENVIRONMENT = "pettingzoo.classic.tictactoe_v3:env"
ADVISER = "mcts:simulations=50"


@pytest.fixture(scope="module")
def client():
    with server() as opened:
        yield opened


def test_there_are_games_that_hide_something():
    assert {"love_letter", "sushi_go", "dominion", "uno", "poker"} <= set(HIDING)


@pytest.mark.parametrize("name", HIDING)
def test_what_is_hidden_is_not_told(name):
    """Other worlds are put in, by code that knows nothing of `redeterminise`."""
    players = make_model(name)[1].players
    setup = Setup(name, None, ("human", *["random"] * (players - 1)), seed=8)
    game = open_game(setup, lambda doing: None)
    model, dice, changed = game.table.model, random.Random(3), 0
    inner = game.table.env.unwrapped
    for number in range(21):
        if game.table.turn() is None:
            break
        if number % 3 == 0:
            true, told = inner._state, json.dumps(position_message(game, 0))
            for world in (0, 1):
                other = model.copy(true)
                PERMUTED[name](model, other, 0, random.Random(2 * number + world))
                inner._state = other
                assert json.dumps(position_message(game, 0)) == told, number
                changed += other.tobytes() != true.tobytes()
            inner._state = true
        game.play(dice.choice(game.table.legal_actions()))
    game.close()
    assert changed


STATUS = {"kind", "going", "paused", "hint", "hinted", "search", "secret", "player"}


def test_of_others_nothing_but_that_they_think(client):
    seats = ["human", ADVISER, ADVISER]
    key = new_game(client, "love_letter", seats, adviser=ADVISER, seed=6, players=3)
    with page_of(client, key) as page:
        position = page.turn()
        page.do("hint")
        page.until("search", lambda told: told["hinted"] is not None)
        for _ in range(8):
            if position["outcome"]:
                break
            action = position["actions"][0]["action"]
            page.do("play", action=action, number=position["number"])
            position = page.turn()
        page.do("node", player=1)
        page.until("refused")
        page.do("undo", number=position["number"])
        page.until("position")
    heard = [json.loads(text) for text in page.heard]
    searches = [told for told in heard if told["kind"] == "search"]
    assert any(told["secret"] for told in searches)
    for told in searches:
        assert told["search"] is None or told["search"]["player"] == 0
        assert not told["secret"] or set(told) == STATUS
    for told in (told for told in heard if told["kind"] == "position"):
        assert told["turn"] == 0 or not told["actions"] + told["regions"]


def test_choices_of_the_same_moment_are_not_sent(client):
    seats = [ADVISER, "human", ADVISER]
    key = new_game(client, "sushi_go", seats, seed=6, players=3)
    with page_of(client, key) as page:
        position = page.turn()
    assert position["number"] == 1 and position["log"] == []  # player_0 has chosen
    heard = [json.loads(text) for text in page.heard]
    assert all(told["search"] is None for told in heard if told["kind"] == "search")


def test_nor_those_of_a_parallel_environment(client):
    name = "tests.model.third_party:Matching"
    load_any(name)
    seats = ["mcts:simulations=20", "human"]
    open_to_all = f"{name}:perfect_information=true"
    key = new_game(client, open_to_all, seats, seed=6, adviser="random")
    with page_of(client, key) as page:
        position = page.turn()
        assert position["number"] == 1 and position["log"] == []
        page.do("play", action=0, number=1)
        assert len(page.until("position", lambda m: m["number"] >= 2)["log"]) == 2
    searches = []
    for told in map(json.loads, page.heard):
        if told["kind"] == "position" and told["number"] >= 2:
            break
        searches += [told] if told["kind"] == "search" else []
    assert all(told["search"] is None for told in searches)


def test_several_people_say_who_they_are(client):
    key = new_game(client, "love_letter", ["human", "human"], seed=6, players=2)
    with page_of(client, key) as page:
        assert "player_0, player_1" in page.until("refused")["reason"]
    for seat in (0, 1):
        with page_of(client, key, seat=seat) as page:
            assert page.until("position")["viewer"] == seat
    with page_of(client, key, seat=2) as page:
        assert "player_2" in page.until("refused")["reason"]


def test_a_game_may_go_on_with_the_same_person(client):
    key = new_game(client, "love_letter", ["human", ADVISER], seed=6, players=2)
    with page_of(client, key) as page:
        page.turn()
    allowed = {"moves": 0, "seats": ["human", "random"]}
    assert client.post(f"/api/games/{key}/fork", json=allowed).status_code == 200
    refused = {"moves": 0, "seats": [ADVISER, "human"]}
    assert client.post(f"/api/games/{key}/fork", json=refused).status_code == 400


@pytest.mark.parametrize("name", ["love_letter", ENVIRONMENT])
def test_several_people_begin_no_other_game_before_the_end(client, name):
    """In which one of them would see what another has."""
    load_any(name)
    seats = {"seats": ["human", "human"], "players": 2, "adviser": "random"}
    key = new_game(client, name, seed=6, **seats)
    task = client.app._app.state.sessions.find(key).task
    with page_of(client, key, seat=0) as page:
        page.until("position")
        for seats in (None, ["human", "random"]):
            body = {"moves": 0, "seats": seats}
            answer = client.post(f"/api/games/{key}/fork", json=body)
            assert answer.status_code == 400
            assert "before it is over" in answer.json()["reason"]
        task.game.table.env.agents = []  # as at the end
        body = {"moves": 0, "seats": ["human", "random"]}
        assert client.post(f"/api/games/{key}/fork", json=body).status_code == 200


def moved(client, name):
    """Return the first position of a game of an environment, and that after a move."""
    seats = ["human", "random"]
    with page_of(client, new_game(client, name, seats, adviser="random")) as page:
        position = page.turn()
        page.do("play", action=0, number=0)
        return position, page.turn()


def test_of_an_environment_a_player_gets_its_own_observation_alone(client):
    name = ENVIRONMENT
    load_any(name)  # the module is named by a call, as on the command line
    position, later = moved(client, name)
    assert position["hides"] and not position["picture"] and position["text"]
    assert [row["name"] is None for row in later["log"]] == [False, True]
    position, later = moved(client, f"{name}:perfect_information=true")
    assert not position["hides"] and position["picture"]
    assert all(row["name"] for row in later["log"])
