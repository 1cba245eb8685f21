"""What the server refuses, and how much it lets itself be asked."""

import contextlib
import json

import pytest
from starlette.websockets import WebSocketDisconnect

from mcts_agents.envs import load_any
from mcts_agents.ui import sessions
from mcts_agents.ui.guard import MOST_BODY
from mcts_agents.ui.messages import MOST_MESSAGE
from mcts_agents.ui.server import Offered
from tests.ui.pages import ADDRESS, SOCKETS, new_game, page_of, server

GAME = {"game": "tictactoe", "seats": ["human", "human"]}


@pytest.fixture(scope="module")
def client():
    with server() as opened:
        yield opened


BAD_BODIES = [
    "",
    "[]",
    "nonsense",
    "[" * 20_000,
    json.dumps({**GAME, "more": 1}),
    json.dumps({**GAME, "seats": []}),
    json.dumps({**GAME, "seats": ["human"] * 99}),
    json.dumps({**GAME, "seats": [7]}),
    json.dumps({**GAME, "seed": -1}),
    json.dumps({**GAME, "seed": "1"}),
    json.dumps({**GAME, "game": "x" * 600}),
    json.dumps({**GAME, "pace": float("nan")}),
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_malformed_bodies_are_refused(client, body):
    answer = client.post("/api/games", content=body)
    assert answer.status_code == 400
    assert 0 < len(answer.json()["reason"]) <= 1000


def test_oversized_bodies_are_refused(client):
    body = b"x" * (MOST_BODY + 1)
    assert client.post("/api/games", content=body).status_code == 413
    pieces = iter([body[:40_000], body[:40_000]])  # which say no length before
    assert client.post("/api/games", content=pieces).status_code == 413


MESSAGES = [
    "",
    "{}",
    "[]",
    '{"do": "junk"}',
    '{"do": "play"}',
    '{"do": "play", "action": -1, "number": 0}',
    '{"do": "play", "action": 99999, "number": 0}',
    '{"do": "play", "action": 1e3, "number": 0}',
    '{"do": "play", "action": true, "number": 0}',
    '{"do": "step", "simulations": 0}',
    '{"do": "node", "player": 5}',
    '{"do": "compare", "first": 1, "second": 2}',
    '{"do": "go", "moment": 1}',
    '{"do": "finish"}',
    '{"do": "finish", "number": 0}',
    "[" * 5_000,
    "x" * (MOST_MESSAGE + 1),
]


def test_malformed_messages_are_refused_and_the_game_goes_on(client):
    key = new_game(client, **GAME)
    with page_of(client, key) as page:
        page.turn()
        for text in MESSAGES:
            page.socket.send_text(text)
            assert page.until("refused")["reason"], text
        page.socket.send_bytes(b"\x00\xff")
        assert "not bytes" in page.until("refused")["reason"]
        page.do("play", action=4, number=0)
        assert page.turn()["number"] == 1


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "", "http://["]
)
def test_other_origins_are_refused(origin):
    with server(origin=origin) as client:
        assert client.post("/api/games", json=GAME).status_code == 403
        with pytest.raises(WebSocketDisconnect) as closed:
            with client.websocket_connect(f"{SOCKETS}/api/tables/none"):
                pass
        assert closed.value.code == 4403


def test_other_hosts_are_refused(client):
    """A name of somebody else's may point at this machine (DNS rebinding)."""
    for host in ("evil.example:8421", "127.0.0.1.evil.example", "[", ""):
        headers = {"host": host, "origin": f"http://{host}"}
        assert client.get("/api/gallery", headers=headers).status_code == 403


def test_an_open_server_wants_its_token():
    with server(token="a-secret") as client:
        for address in ("/", "/api/gallery", "/api/gallery?token=wrong"):
            assert client.get(address).status_code == 403
        first = client.get("/?token=a-secret", follow_redirects=False)
        assert first.status_code == 303 and first.headers["location"] == "/"
        assert "HttpOnly" in first.headers["set-cookie"]
        assert client.get("/api/gallery").status_code == 200  # by its cookie


def test_pages_load_nothing_from_elsewhere(client):
    for address in ("/", "/new", "/play", "/store", "/replay"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "http://" not in answer.text and "https://" not in answer.text


def test_only_the_command_line_may_name_modules(client):
    for game, agent in (("os:path", "random"), ("tictactoe", "os:path")):
        key = new_game(client, game, ["human", agent])
        with page_of(client, key) as page:
            while (told := page.hear())["kind"] != "failed":
                pass
        assert "os" in told["reason"]
    body = {"agent": "antigravity:x", "options": {}}
    assert client.post("/api/agents/check", json=body).json()["errors"]


def test_a_setup_that_fails_says_where(client):
    for seats, place in (
        (["human", "nobody"], "seat 1"),
        (["human"], "players"),
        (["human", {"agent": "mcts", "simulations": -1}], "seat 1"),
    ):
        key = new_game(client, "tictactoe", seats)
        with page_of(client, key) as page:
            while (told := page.hear())["kind"] != "failed":
                pass
        assert told["place"] == place and told["reason"]


def test_two_hundred_sockets():
    with server() as client, contextlib.ExitStack() as opened:
        keys = [new_game(client, **GAME) for _ in range(10)]
        admitted = 0
        for number in range(200):
            page = opened.enter_context(page_of(client, keys[number % 10]))
            while (told := page.hear())["kind"] not in ("refused", "position"):
                pass
            admitted += told["kind"] == "position"
        assert admitted == sessions.MOST_SOCKETS
        assert client.get("/api/gallery").status_code == 200


def test_so_many_games_and_no_more():
    with server() as client, contextlib.ExitStack() as opened:
        for _ in range(sessions.MOST_SESSIONS):
            page = opened.enter_context(page_of(client, new_game(client, **GAME)))
            page.turn()
        answer = client.post("/api/games", json=GAME)
        assert answer.status_code == 429 and "close one" in answer.json()["reason"]
    with server() as client:  # nobody looks at these, so the oldest make room
        keys = [new_game(client, **GAME) for _ in range(sessions.MOST_SESSIONS + 3)]
        assert client.get(f"/api/games/{keys[0]}").status_code == 400
        assert client.get(f"/api/games/{keys[-1]}").status_code == 200


def test_refused_options_are_named(client):
    def errors(**options):
        body = {"agent": "mcts", "options": options}
        return client.post("/api/agents/check", json=body).json()["errors"]

    assert set(errors(simulations="-3", tree="oak")) == {"simulations", "tree"}
    assert set(errors(nothing="1")) == {"nothing"}
    assert errors(simulations="300", tree="multi") == {}


def test_what_is_copied_is_the_agent_that_was_filled_in(client):
    options = {"simulations": "300", "exploration": "2"}
    body = {"agent": "multitree", "options": options, "game": "hex"}
    told = client.post("/api/agents/check", json=body).json()
    from mcts_agents import make_agent

    space = {}
    exec(told["python"], space)
    assert repr(space["agent"]) == repr(make_agent(told["spec"]))
    assert told["spec"] in told["command"] and ADDRESS not in told["command"]


def test_fields_come_from_the_declarations(client):
    told = client.get("/api/agents/form", params={"name": "mcts"}).json()
    names = [field["name"] for field in told["fields"]]
    assert {"simulations", "tree", "exploration"} <= set(names)
    assert client.get("/api/agents/form", params={"name": "no"}).status_code == 400


@pytest.mark.parametrize(
    "agent",
    ["{}", " {} ", "{}:simulations=5", "mcts:opponent_model=({}),simulations=9"],
)
def test_the_page_reads_no_files_of_agents(tmp_path, agent):
    """Errors about a file quote it."""
    for name in ("a.json", "a.YAML", "a.yml"):
        (tmp_path / name).write_text('["top secret"]')
        spec = agent.format(tmp_path / name)
        with server() as client:
            asked = [
                client.post("/api/games", json={**GAME, "seats": ["human", spec]}),
                client.post("/api/games", json={**GAME, "adviser": spec}),
                client.get("/api/agents/form", params={"name": spec}),
            ]
            body = {"agent": spec, "options": {}}
            checked = client.post("/api/agents/check", json=body)
        for answer in asked:
            assert answer.status_code == 400, answer.text
        for answer in (*asked, checked):
            assert "top secret" not in answer.text
            assert "only if the command line names it" in answer.text


def test_nor_those_that_options_or_another_game_name(client, tmp_path):
    file = tmp_path / "a.json"
    file.write_text('["top secret"]')
    mapping = {"agent": "mcts", "rollout_policy": str(file)}
    key = new_game(client, **GAME)
    body = {"moves": 0, "seats": ["human", mapping]}
    answer = client.post(f"/api/games/{key}/fork", json=body)
    assert answer.status_code == 400 and "names it" in answer.json()["reason"]
    body = {"agent": "mcts", "options": {"rollout_policy": str(file)}}
    assert "names it" in client.post("/api/agents/check", json=body).text


def test_what_cannot_be_measured_or_read_leaves_the_others_alone(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("agent: mcts\n")
    pendulum = "gymnasium:Pendulum-v1"
    load_any(pendulum)
    with server(Offered(games=(pendulum,), agents=(str(file),))) as client:
        rows = {row["game"]: row for row in client.get("/api/gallery").json()["games"]}
        assert "samples=" in rows[pendulum]["error"] and "error" not in rows["hex"]
        file.write_text("agent: [")
        names = [row["name"] for row in client.get("/api/agents").json()]
        assert {"mcts", str(file)} <= set(names)


def test_files_of_agents_that_the_command_line_named(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("agent: mcts\nsimulations: 40\n")
    with server(Offered(agents=(str(file),))) as client:
        form = client.get("/api/agents/form", params={"name": str(file)}).json()
        assert form["kind"] == "mcts"
        body = {"agent": str(file), "options": {"exploration": "2"}}
        told = client.post("/api/agents/check", json=body).json()
        assert told["errors"] == {} and told["mapping"]["agent"] == str(file)
        for seat in (told["mapping"], f"{file}:exploration=2"):
            new_game(client, "no_game", ["human", seat])  # which is seen later
        other = f"{file}:opponent_model=({file})"
        body = {**GAME, "seats": ["human", other]}
        assert client.post("/api/games", json=body).status_code == 400
