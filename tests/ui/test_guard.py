"""Hosts, origins, tokens and paths: what reaches the server, and what does not."""

import asyncio
from urllib.parse import unquote

import pytest
from starlette.websockets import WebSocketDisconnect

from mcts_agents.ui.guard import HEADERS, MOST_BODY, is_local
from tests.ui.pages import ADDRESS, SOCKETS, new_game, page_of, server

COOKIE = "mcts_agents_token_8421"
GAME = {"game": "tictactoe", "seats": ["human", "random"]}


@pytest.fixture(scope="module")
def client():
    with server() as opened:
        yield opened


@pytest.mark.parametrize("page", ["/", "/new", "/play", "/store", "/replay"])
def test_every_page_has_all_headers(client, page):
    answer = client.get(page)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value


@pytest.mark.parametrize(
    "host", ["localhost:8421", "[::1]:8421", "127.0.0.1", "127.0.0.2:1"]
)
def test_names_of_this_machine_are_let_through(client, host):
    headers = {"host": host, "origin": f"http://{host}"}
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "host", ["::", "127.0.0.256", "localhost.example:8421", "0.0.0.0"]
)
def test_names_that_only_look_like_it_are_not(client, host):
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 403 and "not this machine" in answer.json()["reason"]


@pytest.mark.parametrize(
    "origin", [f"{ADDRESS}0", f"{ADDRESS}/", "http://localhost", "ftp://127.0.0.1:8421"]
)
def test_origins_that_only_look_like_this_page_are_refused(client, origin):
    headers = {"origin": origin}
    assert client.post("/api/games", json=GAME, headers=headers).status_code == 403
    address = f"{SOCKETS}/api/tables/{new_game(client, **GAME)}"
    with pytest.raises(WebSocketDisconnect) as refused:
        client.websocket_connect(address, headers=headers).__enter__()
    assert refused.value.code == 4403 and "origin" in refused.value.reason


def test_writing_without_an_origin_is_refused():
    with server(origin="") as client:
        assert client.get("/api/gallery").status_code == 200
        answer = client.post("/api/games", json=GAME)
        assert answer.status_code == 403 and "no origin" in answer.json()["reason"]
        with pytest.raises(WebSocketDisconnect):
            client.websocket_connect(f"{SOCKETS}/api/tables/none").__enter__()


def test_tokens_that_are_not_the_token():
    with server(token="öpen sesame") as client:
        for address in ("/?token=", "/?token=open", "/static/x", "/?token=%ff"):
            assert client.get(address).status_code == 403, address
        assert client.post("/api/games", json=GAME).status_code == 403
    with server(token="sesame") as client:
        for cookie in ("open", 'x"; y', "=;=,", "sesam", "sesame1"):
            headers = {"cookie": f"mcts_agents_token_8421={cookie}"}
            assert client.get("/", headers=headers).status_code == 403, cookie
        with pytest.raises(WebSocketDisconnect) as refused:
            client.websocket_connect(f"{SOCKETS}/api/tables/none").__enter__()
        assert "token" in refused.value.reason


def test_with_a_token_other_names_may_lead_here():
    with server(token="sesame") as client:
        headers = {"host": "others.example", "origin": "http://others.example"}
        answer = client.get("/?token=sesame", headers=headers, follow_redirects=False)
        assert answer.status_code == 303 and answer.headers["location"] == "/"
        headers["cookie"] = "mcts_agents_token=sesame"
        assert client.get("/", headers=headers).status_code == 200
        answer = client.post("/api/games", json=GAME, headers=headers)
        assert answer.status_code == 200


@pytest.mark.parametrize("other", ["a=b", "bad cookie=[1]", "=", '{"a":1}', "x=é"])
def test_cookies_of_other_programs_of_this_host_do_no_harm(other):
    with server(token="sesame") as client:
        for cookies in (f"{other}; {COOKIE}=sesame", f"{COOKIE}=sesame;{other}"):
            headers = {"cookie": cookies.encode()}
            assert client.get("/api/stores", headers=headers).status_code == 200


def test_servers_of_other_ports_have_cookies_of_their_own():
    with server(token="sesame") as client:
        answer = client.get("/?token=sesame", follow_redirects=False)
        assert answer.headers["set-cookie"].startswith(f"{COOKIE}=sesame;")
        client.cookies.clear()
        for name in ("mcts_agents_token", "mcts_agents_token_8422"):
            headers = {"cookie": f"{name}=sesame"}
            assert client.get("/api/stores", headers=headers).status_code == 403


def test_the_token_alone_is_taken_out_of_an_address():
    with server(token="sesame") as client:
        address = "/play?id=a%26b&token=sesame&seat=1&x="
        answer = client.get(address, follow_redirects=False)
        assert answer.headers["location"] == "/play?id=a%26b&seat=1&x="


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.0.2", False),
        ("a.example", False),
    ],
)
def test_only_loopback_addresses_need_no_token(address, local):
    assert is_local(address) == local


@pytest.mark.parametrize("length", ["-5", "x", str(MOST_BODY + 1), "9" * 5_000])
def test_lengths_that_are_none_or_too_much(client, length):
    headers = {"content-length": length}
    answer = client.post("/api/games", content=b"{}", headers=headers)
    assert answer.status_code == 413 and len(answer.json()["reason"]) < 200


def test_bodies_that_tell_no_length(client):
    pieces = (b"x" * (MOST_BODY // 4) for _ in range(20))
    assert client.post("/api/games", content=pieces).status_code == 413


def status_of(client, path):
    """Return how a path is answered that is sent as it is: clients take `..` out."""
    sent = []

    async def receive():
        await asyncio.Event().wait()  # nobody hangs up, and there is no body

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:8421")],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8421),
    }
    asyncio.run(client.app(scope, receive, send))
    return sent[0]["status"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static/games/../../server.py",
        "/static/server.py",
        "/static//etc/passwd",
        "/static/..",
        "/../pyproject.toml",
    ],
)
def test_files_beside_the_page_are_not_served(client, path):
    assert status_of(client, path) == 404


def test_files_of_the_page_are(client):
    for path in ("/static/play.js", "/static/games/../play.js"):
        assert status_of(client, path) == 200, path


@pytest.mark.parametrize("body", [b"\xff\xfe", b'{"game": "hex", "seats": ' + b"[" * 9])
def test_bodies_that_are_no_text(client, body):
    answer = client.post("/api/games", content=body)
    assert answer.status_code == 400 and answer.json()["reason"]


MESSAGES = [
    '{"do": "play", "action": "0", "number": 0}',
    '{"do": "play", "action": 0.5, "number": 0}',
    '{"do": "play", "action": 1e999, "number": 0}',
    '{"do": "play", "action": 99999999999999999999, "number": 0}',
    '{"do": "play", "action": 0, "number": 0, "seat": 1}',
    '{"do": "node", "player": 0, "path": [{"actions": {"x": 1}, "movers": []}]}',
    '{"do": "node", "player": 0, "path": 5}',
    '{"do": "node", "player": 0, "path": [{"actions": {"0": 1}, "movers": [99]}]}',
    '{"do": "step", "simulations": 1e9}',
    '{"do": "step", "simulations": 10}',
    "\0",
    "{" * 100,
]


def test_more_malformed_messages_are_refused(client):
    with page_of(client, new_game(client, **GAME)) as page:
        position = page.turn()
        for text in MESSAGES:
            page.socket.send_text(text)
            assert 0 < len(page.until("refused")["reason"]) <= 1100, text
        page.do("play", action=0, number=position["number"])
        assert page.turn()["number"] == 2


def test_a_table_that_is_gone_says_so(client):
    with client.websocket_connect(f"{SOCKETS}/api/tables/none") as socket:
        assert socket.receive_json() == {"kind": "gone"}
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 4404
    assert client.get("/api/games/none").status_code == 400
    assert client.get("/api/stores/0").status_code == 400
    assert client.post("/api/games/none/fork", json={"moves": 0}).status_code == 400


def test_one_table_has_so_many_pages_and_no_more(client):
    from mcts_agents.ui.sessions import MOST_SOCKETS_EACH

    key = new_game(client, **GAME)
    sockets = [
        client.websocket_connect(f"{SOCKETS}/api/tables/{key}")
        for _ in range(MOST_SOCKETS_EACH + 4)
    ]
    told = []
    try:
        for socket in sockets:
            socket.__enter__()
            told.append("full" not in socket.receive_json())
    finally:
        for socket in sockets:
            socket.__exit__(None, None, None)
    assert told == [True] * MOST_SOCKETS_EACH + [False] * 4
    with page_of(client, key) as page:
        assert page.turn()["number"] == 0


def test_commands_that_come_too_fast_are_refused(client):
    key = new_game(client, "connect_four", ["human", "alphabeta:seconds=3600"])
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=3, number=0)
        page.until("search", lambda told: told["going"])
        for _ in range(200):
            page.do("pause")
        assert "too many commands" in page.until("refused")["reason"]
