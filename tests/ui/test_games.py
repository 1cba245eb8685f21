"""Games of every game, by what clicks send, and what the page is told of them."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from mcts_agents.envs import GAMES, load_any, load_game
from mcts_agents.envs.regions import action_at, from_json
from mcts_agents.ui.messages import Fork, read_command
from mcts_agents.ui.play import Setup, open_game
from mcts_agents.ui.play_session import PlaySession
from mcts_agents.ui.server import forked
from mcts_agents.ui.views import position_message
from tests.ui.pages import new_game, page_of, server

# Decisions of the person: enough for a whole game of many, others are left earlier.
MOST_MOVES = 14


@pytest.fixture(scope="module")
def client():
    with server() as opened:
        yield opened


def clicks(region):
    """Return points (x, y) that lie in a region's shapes: a click, or two."""
    rng = np.random.default_rng(0)
    for shape in (region.shape, region.until):
        if shape is not None:
            yield point_in(shape, rng)


def point_in(shape, rng):
    if hasattr(shape, "radius"):
        return shape.x, shape.y
    if hasattr(shape, "left"):
        return shape.left + shape.width / 2, shape.top + shape.height / 2
    corners = np.array(shape.corners)
    low, high = corners.min(axis=0), corners.max(axis=0)
    while True:
        point = tuple(rng.uniform(low, high))
        if shape.contains(point):
            return point


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_by_clicking(client, game):
    players = min(load_game(game).player_counts)
    seats = ["human", *["random"] * (players - 1)]
    key = new_game(client, game, seats, players=players, seed=3)
    rng = np.random.default_rng(1)
    with page_of(client, key) as page:
        position = page.turn()
        for _ in range(MOST_MOVES):
            if position["outcome"] is not None:
                break
            legal = {one["action"] for one in position["actions"]}
            assert legal and all(one["name"] for one in position["actions"])
            regions = from_json(position["regions"])
            assert {region.action for region in regions} <= legal
            action = int(rng.choice(sorted(legal)))
            for region in regions:
                if region.action == action:
                    found = action_at(regions, *clicks(region))
                    assert found in legal  # shapes may overlap: the first one is taken
                    action = found
                    break
            page.do("play", action=action, number=position["number"])
            after = page.turn()
            assert after["number"] > position["number"]
            position = after
        assert position["picture"].startswith("data:image/png;base64,")
        assert position["outcome"] is None or len(position["outcome"]) == players


def test_of_games_without_points_no_scores_are_told():
    game = "tests.model.test_without_scores:HEAP"
    load_any(game)
    setup = Setup(game, None, ("human", "human"), adviser="random")
    played = open_game(setup, lambda doing: None)
    for action in (2, 2, 2, 0):  # the last of ten stones
        played.play(action)
    told = position_message(played, None)["outcome"]
    assert [one["text"] for one in told] == ["lost", "won"]
    played.close()


def test_undo_goes_back_to_the_same_position(client):
    key = new_game(client, "connect_four", ["human", "mcts:simulations=50"], seed=1)
    with page_of(client, key) as page:
        first = page.turn()
        page.do("play", action=3, number=0)
        second = page.turn()
        assert second["number"] == 2
        page.do("undo", number=2)
        again = page.turn()
        assert again == first
        page.do("undo", number=0)
        assert "nothing to take back" in page.until("refused")["reason"]


def test_illegal_and_late_moves_are_refused(client):
    key = new_game(client, "tictactoe", ["human", "human"], seed=1)
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=4, number=0)
        assert page.turn()["number"] == 1
        page.do("play", action=4, number=1)
        assert "4" in page.until("refused")["reason"]
        page.do("play", action=5, number=0)
        assert "has changed" in page.until("refused")["reason"]


def test_what_if_is_a_game_of_its_own(client):
    key = new_game(client, "tictactoe", ["human", "human"], seed=1)
    with page_of(client, key) as page:
        page.turn()
        for number, action in enumerate((0, 1, 2)):
            page.do("play", action=action, number=number)
            page.turn()
        fork = client.post(f"/api/games/{key}/fork", json={"moves": 2}).json()["id"]
        with page_of(client, fork) as other:
            position = other.turn()
            assert [row["name"] for row in position["log"]] == ["a1", "b1"]
            other.do("play", action=8, number=2)
            assert other.turn()["number"] == 3
        assert client.get(f"/api/games/{fork}").json()["origin"] == key
        late = client.post(f"/api/games/{key}/fork", json={"moves": 9})
        assert late.status_code == 400 and "the game has 3" in late.json()["reason"]


def test_what_is_meant_for_a_position_that_has_passed_is_refused(client):
    key = new_game(client, "tictactoe", ["human", "human"], seed=1)
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=4, number=0)
        page.turn()
        for word in ("undo", "finish"):
            page.do(word, number=0)
            assert "has changed" in page.until("refused")["reason"], word
            page.do(word)
            assert "number" in page.until("refused")["reason"], word
        page.do("undo", number=1)
        assert page.turn()["number"] == 0


def test_of_several_people_each_takes_back_what_is_theirs(client):
    key = new_game(client, "tictactoe", ["human", "human"], seed=1)
    with page_of(client, key, seat=0) as one, page_of(client, key, seat=1) as other:
        one.turn()
        one.do("play", action=4, number=0)
        assert not other.turn()["can_undo"]
        other.do("undo", number=1)
        assert "Only player_0 may" in other.until("refused")["reason"]
        assert one.until("position", lambda told: told["number"] == 1)["can_undo"]
        one.do("undo", number=1)
        assert one.turn()["number"] == 0
        other.until("position", lambda told: told["number"] == 0)
        with page_of(client, key) as both:  # at one screen
            both.turn()
            both.do("play", action=4, number=0)
            assert both.turn()["can_undo"]


def answer(page):
    """Return the next message, but for those that say that nothing is searched."""
    while (told := page.hear())["kind"] == "search":
        if told["going"] or told["hinted"] is not None:
            break
    return told


@pytest.mark.parametrize("word", ["play", "hint"])
def test_a_page_of_another_seat_does_not_decide_and_gets_no_hint(client, word):
    rest = {"action": 4, "number": 0} if word == "play" else {}
    seats = ["human", "human"]
    key = new_game(client, "tictactoe", seats, seed=1, adviser="random")
    with page_of(client, key, seat=0) as one, page_of(client, key, seat=1) as other:
        one.turn()
        other.until("position")
        other.do(word, **rest)
        refused = answer(other)
        assert refused["kind"] == "refused"
        assert refused["reason"] == "player_0 is to move, not you."
        one.do(word, **rest)
        assert answer(one)["kind"] == ("position" if word == "play" else "search")


@pytest.mark.parametrize("word", ["play", "hint"])
@pytest.mark.parametrize("first", ["human", "random"])
def test_no_page_makes_the_move_of_an_agent_or_asks_for_its_hint(client, first, word):
    """Neither one of a person who plays against it nor one that only looks on."""
    seats = [first, "random"]
    key = new_game(client, "tictactoe", seats, seed=1, adviser="random", pace=10)
    with page_of(client, key) as page:
        if first == "human":
            page.turn()
            page.do("play", action=4, number=0)
        position = page.until("position", lambda told: told["number"] == 1)
        page.do("pause")  # or the agent would move after a while
        page.until("search", lambda told: told["paused"])
        legal = position["actions"][0]["action"]
        page.do(word, **({"action": legal, "number": 1} if word == "play" else {}))
        refused = answer(page)
        assert refused["kind"] == "refused"
        assert refused["reason"] == "It is the turn of player_1, which is an agent."


COMMANDS = [
    {"do": "pause"},
    {"do": "resume"},
    {"do": "step"},
    {"do": "finish", "number": 0},
]


@pytest.mark.parametrize("command", COMMANDS, ids=[one["do"] for one in COMMANDS])
def test_the_hint_of_another_seat_is_not_paused_or_ended(command):
    session = PlaySession(Setup("tictactoe", None, ("human", "human")))
    session.game = SimpleNamespace(moves=[])
    session._live, session._is_hint = SimpleNamespace(player=0), True
    command = read_command(json.dumps(command))
    with pytest.raises(ValueError, match="hint is for player_0"):
        session.handle(command, SimpleNamespace(viewer=1))


GOOFSPIEL = "tests.games.goofspiel:GOOFSPIEL"


@pytest.mark.parametrize(
    ("seats", "players"),
    [(["random", "human"], []), (["human", "human"], []), (["human", "random"], [0])],
)
def test_a_choice_that_waits_for_others_is_not_in_another_game(seats, players):
    """Of the asker itself it is; with two people, nobody knows who asks."""
    load_any(GOOFSPIEL)
    setup = Setup(GOOFSPIEL, None, tuple(seats), adviser="random")
    session = PlaySession(setup)
    session.game = game = open_game(setup, lambda doing: None)
    for action in (3, 2, 1):  # of both, and of the first one
        game.play(action)
    assert game.settled == 2
    asked = Fork(moves=3, seats=["random", "random"])
    fork = forked(session, "key", asked)
    assert fork.actions == (3, 2) + (1,) * len(players)
    assert forked(session, "key", Fork(moves=1)).actions == (3,)
    game.undo()
    assert game.settled <= len(game.moves)
    game.close()


# -- hidden information


def test_secrets_are_kept_from_whoever_asks_for_them(client):
    key = new_game(client, "love_letter", ["human", "random"], players=2, seed=4)
    with page_of(client, key) as page:
        mine = page.turn()
        assert mine["viewer"] == 0 and mine["hides"]
    with page_of(client, key, seat=1) as page:
        assert "not a person's seat" in page.until("refused")["reason"]
        page.do("hint")  # a page that was not admitted is not heard
    for seats in (["random", "random"], ["random", "human"], ["human", "human"]):
        answer = client.post(
            f"/api/games/{key}/fork", json={"moves": 0, "seats": seats}
        )
        assert answer.status_code == 400, seats
        assert "hides information" in answer.json()["reason"]


def test_the_search_of_another_player_is_not_sent(client):
    agent = "mcts:simulations=200"
    key = new_game(client, "love_letter", ["human", agent], players=2, seed=4)
    with page_of(client, key) as page:
        position = page.turn()
        while position["outcome"] is None and position["number"] < 8:
            first = position["actions"][0]["action"]
            page.do("play", action=first, number=position["number"])
            position = page.turn()
        searches = [text for text in page.heard if '"kind": "search"' in text]
    assert any('"secret": true' in text for text in searches)
    assert not any('"visits"' in text for text in searches)
