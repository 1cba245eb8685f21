"""`mcts-agents ui`."""

import contextlib
import socket
import webbrowser
from pathlib import Path

from mcts_agents.agents import make_agent
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs import load_any
from mcts_agents.envs.painting import load_pygame
from mcts_agents.extras import from_extra
from mcts_agents.ui.guard import is_local, new_token
from mcts_agents.ui.server import Offered, make_app

with from_extra("ui", "the page needs uvicorn"):
    import uvicorn

# Bytes of a message through a socket; the server closes one that sends more.
MOST_MESSAGE = 64 * 1024


def serve(
    games: list[str],
    agents: list[str],
    stores: list[Path],
    address: tuple[str, int],
    opens: bool,
) -> None:
    """Serve the page until Ctrl-C.

    Args:
        games: Names of games besides those that are found anyway.
        agents: Specs of agents, likewise.
        stores: Files of tournaments.
        address: Host and port.
        opens: Whether to open the page in a browser.
    """
    load_pygame()  # refuses what would come late
    with requested():
        for name in games:
            load_any(name)
        for spec in agents:
            make_agent(spec)
        for path in stores:
            Store.read(path).close()
    host, port = address
    token = "" if is_local(host) else new_token()
    app = make_app(Offered(tuple(games), tuple(agents), tuple(stores)), token)
    with contextlib.closing(_bound(host, port)) as listening:
        link = _link(host, listening.getsockname()[1], token)
        _tell(link, bool(token))
        if opens:
            webbrowser.open(link)
        config = uvicorn.Config(
            app,
            log_level="warning",
            ws_max_size=MOST_MESSAGE,
            timeout_graceful_shutdown=1,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise RequestError(
            f"{host}, port {port}: {error.strerror or error}; choose another one with "
            "--host and --port"
        ) from error


def _link(host: str, port: int, token: str) -> str:
    shown = f"[{host}]" if ":" in host else host
    if host in ("0.0.0.0", "::"):
        shown = socket.gethostname()
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def _tell(link: str, is_open: bool) -> None:
    console = PlainConsole()
    console.print(f"Open {link}", soft_wrap=True)
    if is_open:
        console.print(
            "Other machines can reach this server. Whoever has the address can play, "
            "and start searches on this machine.",
            soft_wrap=True,
        )
    console.print("Press Ctrl-C to stop.")
