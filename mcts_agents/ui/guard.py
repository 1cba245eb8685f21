"""What reaches the server at all: whose address, which origin, how much.

A page of another site can make a browser send requests to this machine, also by a name
that it lets point here (DNS rebinding). So the name in `Host` must be one of this
machine's, `Origin` must be the same as `Host`, and a server that others can reach wants
its token.
"""

import hmac
import ipaddress
import secrets
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from mcts_agents.extras import from_extra

with from_extra("ui", "the page needs FastAPI"):
    from starlette.datastructures import Headers
    from starlette.responses import JSONResponse, RedirectResponse
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 64 * 1024
COOKIE = "mcts_agents_token"
LOCAL = ("localhost", "127.0.0.1", "::1")

# The page loads nothing from elsewhere, and no other page may frame it.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """ASGI middleware that refuses what the page itself would not send.

    Args:
        app: The application.
        token: What an address must have; empty for a server of this machine alone.
    """

    def __init__(self, app: ASGIApp, token: str = ""):
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        reason = self._refusal(scope, headers)
        if reason:
            await _refuse(scope, receive, send, reason)
            return
        if self._token and not self._knows_token(scope, headers):
            await _refuse(scope, receive, send, "the address lacks the token")
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        if self._token and _token_in(scope) and scope["method"] == "GET":
            response = RedirectResponse(_without_token(scope), status_code=303)
            name = _cookie(headers)
            response.set_cookie(name, self._token, httponly=True, samesite="strict")
            await response(scope, receive, send)
            return
        await self._app(scope, _Bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        host = headers.get("host", "")
        if not self._token and not is_local(_name(host)):
            return f"the host {host[:80]!r} is not this machine"
        origin = headers.get("origin")
        if origin is None:
            writes = scope["type"] == "websocket" or scope["method"] not in (
                "GET",
                "HEAD",
            )
            return "the request names no origin" if writes else ""
        if origin not in (f"http://{host}", f"https://{host}"):
            return f"the origin {origin[:80]!r} is not this page"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20 or int(length) > MOST_BODY:
            return f"the body has {length[:20]} bytes; {MOST_BODY:,} are allowed"
        return ""

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        given = [_token_in(scope)]
        # One by one: other programs of this host may set cookies that are none.
        for cookie in headers.get("cookie", "").split(";"):
            name, _, value = cookie.strip().partition("=")
            if name == _cookie(headers):
                given.append(value.strip('"'))
        own = self._token.encode()
        return any(hmac.compare_digest(one.encode(), own) for one in given)


class TooLargeError(Exception):
    """A body is larger than it may be."""


class _Bounded:
    """Receives the body of a request as long as it is not too large."""

    def __init__(self, receive: Receive):
        self._receive = receive
        self._left = MOST_BODY

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLargeError
        return message


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(24)


def is_local(address: str) -> bool:
    """Say whether only this machine can reach an address."""
    if address in LOCAL:
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # no name at all
        return ""


def _cookie(headers: Headers) -> str:
    """Return the cookie's name, with the port: cookies are the same for all ports."""
    _, _, port = headers.get("host", "").rpartition(":")
    return f"{COOKIE}_{port}" if port.isdecimal() else COOKIE


def _without_token(scope: Scope) -> str:
    query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in query if name != "token"])
    return str(scope["path"]) + (f"?{rest}" if rest else "")


def _token_in(scope: Scope) -> str:
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return str(query.get("token", [""])[0])


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *extra]}
        await send(message)

    return sent


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # its request to connect
        await send({"type": "websocket.close", "code": 4403, "reason": reason[:120]})
        return
    large = reason.startswith("the body")
    response = JSONResponse({"reason": reason}, status_code=413 if large else 403)
    await response(scope, receive, send)
