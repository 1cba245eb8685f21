"""The server: pages, requests, and a socket for each open page."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcts_agents
from mcts_agents.extras import from_extra
from mcts_agents.ui import messages
from mcts_agents.ui.audience import Listener
from mcts_agents.ui.forms import agent_choices, check_files, checked, form_of
from mcts_agents.ui.gallery import gallery
from mcts_agents.ui.guard import MOST_BODY, Guard, TooLargeError
from mcts_agents.ui.play import PERSON, Setup
from mcts_agents.ui.play_session import PlaySession
from mcts_agents.ui.replay_session import ReplaySession
from mcts_agents.ui.sessions import FullError, Sessions
from mcts_agents.ui.stores import Stores
from mcts_agents.ui.worker import Worker, refusal

with from_extra("ui", "the page needs FastAPI"):
    from fastapi import FastAPI, Request, WebSocket
    from fastapi.responses import FileResponse, JSONResponse
    from fastapi.staticfiles import StaticFiles
    from starlette.websockets import WebSocketDisconnect

STATIC = Path(__file__).parent / "static"
PAGES = {"/": "index", "/new": "new", "/play": "play", "/store": "store"}
PAGES["/replay"] = "replay"

# What sockets are closed with, in the range that is left to applications.
GONE, FULL = 4404, 4429


@dataclass(frozen=True)
class Offered:
    """What the command line has named.

    Attributes:
        games: Names of games besides those that are found anyway.
        agents: Specs of agents, likewise.
        stores: Files of tournaments.
    """

    games: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    stores: tuple[Path, ...] = ()


def make_app(offered: Offered, token: str = "") -> Guard:
    """Return the application.

    Args:
        offered: What can be chosen.
        token: What the address must have; empty for a server of this machine alone.
    """
    sessions, stores = Sessions(), Stores(offered.stores)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        sessions.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.sessions = sessions
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_exception_handler(ValueError, _refused)
    app.add_exception_handler(TooLargeError, _too_large)
    for address, page in PAGES.items():
        app.add_api_route(address, _page(page), include_in_schema=False)
    _add_choices(app, offered)
    _add_games(app, sessions, offered.agents)
    _add_stores(app, sessions, stores)
    _add_socket(app, sessions)
    return Guard(app, token)


def _page(name: str) -> Callable[[], FileResponse]:
    def page() -> FileResponse:
        headers = {"Cache-Control": "no-cache"}
        return FileResponse(STATIC / f"{name}.html", headers=headers)

    return page


async def _refused(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, FullError):
        return JSONResponse({"reason": str(error)}, status_code=429)
    return JSONResponse({"reason": refusal(str(error))["reason"]}, status_code=400)


async def _too_large(_: Request, error: Exception) -> JSONResponse:
    reason = f"the body is too large; {MOST_BODY:,} bytes are allowed"
    return JSONResponse({"reason": reason}, status_code=413)


def _add_choices(app: FastAPI, offered: Offered) -> None:
    """Add what can be chosen: games, agents, options."""

    @app.get("/api/gallery")
    def games() -> Any:
        return {
            "games": gallery(offered.games),
            "version": mcts_agents.__version__,
            "stores": len(offered.stores),
        }

    @app.get("/api/agents")
    def agents() -> Any:
        return agent_choices(offered.agents)

    @app.get("/api/agents/form")
    def form(name: str) -> Any:
        name = name[: messages.MOST_TEXT]
        check_files(name, offered.agents)
        return form_of(name)

    @app.post("/api/agents/check")
    async def check(request: Request) -> Any:
        asked = messages.read_body(messages.AgentForm, await request.body())
        told = (asked.agent, asked.options, asked.game, offered.agents)
        return await asyncio.to_thread(checked, *told)


def _add_games(app: FastAPI, sessions: Sessions, own: tuple[str, ...]) -> None:
    """Add games that are played."""

    @app.post("/api/games")
    async def open_game(request: Request) -> Any:
        new = messages.read_body(messages.NewGame, await request.body())
        for spec in (*new.seats, new.adviser):
            check_files(spec, own)
        setup = Setup(
            game=new.game,
            players=new.players,
            seats=tuple(new.seats),
            adviser=new.adviser,
            seed=new.seed,
            pace=new.pace,
        )
        return {"id": sessions.open(lambda: PlaySession(setup))}

    @app.get("/api/games/{key}")
    async def game(key: str) -> Any:
        setup = _played(sessions, key).setup
        return {
            "game": setup.game,
            "players": setup.players,
            "seats": setup.seats,
            "adviser": setup.adviser,
            "origin": setup.origin,
        }

    @app.post("/api/games/{key}/fork")
    async def fork(key: str, request: Request) -> Any:
        asked = messages.read_body(messages.Fork, await request.body())
        for spec in asked.seats or ():
            check_files(spec, own)
        setup = forked(_played(sessions, key), key, asked)
        return {"id": sessions.open(lambda: PlaySession(setup))}


def _played(sessions: Sessions, key: str) -> PlaySession:
    worker = sessions.find(key)
    if worker is None or not isinstance(worker.task, PlaySession):
        raise ValueError("this game is not open any more")
    return worker.task


def forked(session: PlaySession, key: str, asked: messages.Fork) -> Setup:
    """Return the setup of a game that goes on from a position of another one.

    Nobody gets to see by it what was hidden: where something is, only people who sat
    there before may sit in a seat, and while several people play, none may try out
    what the others have. A choice that waits for those of other players is left out.

    Raises:
        ValueError: The other game has not begun, or has fewer moves; or other people
            are to sit, or several people still play a game that hides something.
    """
    game, before = session.game, session.setup
    if game is None:
        raise ValueError("the game has not begun yet")
    moves = list(game.moves)
    if asked.moves > len(moves):
        raise ValueError(f"moves={asked.moves}: the game has {len(moves)}")
    seats = before.seats if asked.seats is None else tuple(asked.seats)
    people = {seat for seat, spec in enumerate(seats) if spec == PERSON}
    # Agents alone would play in front of a spectator, who sees everything.
    if game.keeps_secrets and not (people and people <= set(game.people)):
        raise ValueError(
            "this game hides information: at least one person must go on, and only in "
            "a seat where a person sat before"
        )
    several = len(game.people) > 1
    if game.keeps_secrets and several and game.table.env.agents:
        raise ValueError(
            "this game hides information and several people play it: no other game "
            "can begin from it before it is over"
        )
    waiting = {player for player, _ in moves[game.settled :]}
    # With several people, the page that asks may be that of any of them.
    if game.people and (several or waiting - set(game.people)):
        moves = moves[: game.settled]
    return Setup(
        game=before.game,
        players=before.players,
        seats=seats,
        adviser=before.adviser,
        seed=before.seed,
        actions=tuple(action for _, action in moves[: asked.moves]),
        pace=before.pace,
        origin=key,
    )


def _add_stores(app: FastAPI, sessions: Sessions, stores: Stores) -> None:
    """Add tournaments, and replays of their games."""

    @app.get("/api/stores")
    def listed() -> Any:
        return stores.listed()

    @app.get("/api/stores/{number}")
    def overview(number: int) -> Any:
        return stores.overview(number)

    @app.get("/api/stores/{number}/games")
    def games(number: int, row: int, column: int) -> Any:
        return stores.games(number, row, column)

    @app.post("/api/stores/{number}/games/{game}/replay")
    async def replay(number: int, game: int) -> Any:
        # Sessions are for the thread of the event loop alone.
        record = await asyncio.to_thread(stores.record, number, game)
        return {"id": sessions.open(lambda: ReplaySession(record))}


def _add_socket(app: FastAPI, sessions: Sessions) -> None:
    """Add the socket through which a page follows a table."""

    @app.websocket("/api/tables/{key}")
    async def table(socket: WebSocket, key: str, seat: int | None = None) -> None:
        await socket.accept()
        worker = sessions.find(key)
        if worker is None:
            await _end(socket, {"kind": "gone"}, GONE)
            return
        try:
            sessions.check_room(worker)
        except FullError as error:
            await _end(socket, {**refusal(str(error)), "full": True}, FULL)
            return
        listener = Listener(asyncio.get_running_loop(), seat)
        worker.join(listener)
        sending = asyncio.create_task(_send(socket, listener))
        try:
            await _receive(socket, worker, listener)
        finally:
            worker.leave(listener)
            sending.cancel()


async def _end(socket: WebSocket, message: dict[str, Any], code: int) -> None:
    await socket.send_text(json.dumps(message))
    await socket.close(code)


async def _send(socket: WebSocket, listener: Listener) -> None:
    """Send what the listener is told, until there is no more to come."""
    try:
        while (told := await listener.next()) is not None:
            for message in told:
                await socket.send_text(_as_text(message))
        await socket.close(GONE)
    except (WebSocketDisconnect, RuntimeError):  # the page is gone, or going
        return


def _as_text(message: dict[str, Any]) -> str:
    """Write a message; one that JSON cannot hold becomes a refusal."""
    try:
        return json.dumps(message, allow_nan=False)
    except (TypeError, ValueError) as error:  # an own agent's result has such values
        return json.dumps(refusal(f"{message['kind']}: it cannot be shown: {error}"))


async def _receive(socket: WebSocket, worker: Worker, listener: Listener) -> None:
    """Hand over what the page sends, until it is gone."""
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return
        text = received.get("text")
        try:
            if text is None:
                raise messages.MessageError("expected a text, not bytes")
            command = messages.read_command(text)
        except messages.MessageError as error:
            listener.tell("refused", refusal(str(error)))
            continue
        if not worker.send(command, listener):
            told = "too many commands at a time: wait until they are done"
            listener.tell("refused", refusal(told))
