"""Pages as the tests open them: the real server, and what a page would send to it."""

import contextlib
import json

from fastapi.testclient import TestClient

from mcts_agents.ui.server import Offered, make_app

ADDRESS = "http://127.0.0.1:8421"
SOCKETS = "ws://127.0.0.1:8421"
NOTHING = Offered()


@contextlib.contextmanager
def server(offered=NOTHING, token="", origin=ADDRESS):
    """Give a client of a server that runs meanwhile, as a page of it would ask."""
    headers = {"origin": origin} if origin else {}
    app = make_app(offered, token)
    with TestClient(app, base_url=ADDRESS, headers=headers) as client:
        yield client


def new_game(client, game, seats, **options):
    """Begin a game; return its id."""
    body = {"game": game, "seats": seats, **options}
    answer = client.post("/api/games", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


class Page:
    """An open page of a table.

    Attributes:
        heard: All messages so far, as texts.
    """

    def __init__(self, socket):
        self.socket = socket
        self.heard = []

    def hear(self):
        """Return the next message."""
        text = self.socket.receive_text()
        self.heard.append(text)
        return json.loads(text)

    def until(self, kind, wanted=lambda message: True):
        """Return the next message of a kind for which `wanted` is true."""
        while True:
            message = self.hear()
            assert message["kind"] != "failed", message
            if message["kind"] == kind and wanted(message):
                return message

    def do(self, word, **rest):
        """Send a command."""
        self.socket.send_json({"do": word, **rest})

    def turn(self):
        """Return the next position in which this page is asked, or the last one."""
        return self.until("position", lambda m: m["asked"] or m["outcome"] is not None)


@contextlib.contextmanager
def page_of(client, key, seat=None):
    """Give the page of a table, closed at the end."""
    asked = "" if seat is None else f"?seat={seat}"
    with client.websocket_connect(f"{SOCKETS}/api/tables/{key}{asked}") as socket:
        yield Page(socket)
