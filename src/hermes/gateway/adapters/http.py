"""What the adapters that listen on a port share: a server in a thread, and what is refused before anybody reads it.

Loopback unless told otherwise. The Host header has to name this server, so that no page can reach it through a name
of its own (DNS rebinding); a request from another site (Origin, Sec-Fetch-Site) is refused, unless a person follows a
link; bodies have a limit in size and time.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

import uvicorn

from hermes.errors import ConfigError

log = logging.getLogger("hermes.gateway")
_theirs = logging.getLogger("uvicorn")
_theirs.addHandler(logging.NullHandler())  # what strangers send is not worth a line each
_theirs.propagate = False
MOST_BYTES = 10_000_000
BODY_SECONDS = 20.0
_START_SECONDS = 15.0
_ELSEWHERE = ("cross-site", "same-site")
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]


class Refusing:
    """In front of an app: wrong hosts, other sites, and bodies that are too large or too slow."""

    def __init__(self, app: App, hosts: Collection[str], origins: Collection[str] = (), most: int = MOST_BYTES) -> None:
        self._app, self._hosts, self._origins, self._most = app, hosts, origins, most

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        problem = self._problem(headers)
        if problem is not None:
            return await _refuse(send, *problem)
        try:
            body = await asyncio.wait_for(_read(receive, self._most), BODY_SECONDS)
        except TimeoutError:
            return await _refuse(send, 408, "The request took too long.")
        if body is None:
            return await _refuse(send, 413, f"A request has at most {self._most:,} bytes.")
        return await self._app(scope, _once(body, receive), send)

    def _problem(self, headers: dict[str, str]) -> tuple[int, str] | None:
        host = _name(headers.get("host", ""))
        if host not in self._hosts and "*" not in self._hosts:
            return 421, "This server does not go by that name."
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            return 403, "Requests of other sites are refused."
        site, wanted_as = headers.get("sec-fetch-site"), headers.get("sec-fetch-dest")
        if origin is None and site in _ELSEWHERE and wanted_as != "document":  # with the password a browser knows
            return 403, "Requests of other sites are refused."
        try:
            if int(headers.get("content-length") or 0) > self._most:
                return 413, f"A request has at most {self._most:,} bytes."
        except ValueError:
            return 400, "That is no length."
        return None


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


async def _read(receive: Any, most: int) -> bytes | None:
    body = bytearray()
    while True:
        event = await receive()
        body += event.get("body", b"")
        if len(body) > most:
            return None
        if not event.get("more_body"):
            return bytes(body)


def _once(body: bytes, receive: Any) -> Any:
    """The body that was read, and afterwards whatever comes: that the client left."""
    given = False

    async def again() -> Any:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


async def _refuse(send: Any, status: int, words: str) -> None:
    import json

    body = json.dumps({"error": {"message": words, "type": "refused", "code": status}}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Server:
    """uvicorn in a thread of its own."""

    def __init__(self, app: App, host: str, port: int) -> None:
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, lifespan="off", timeout_keep_alive=15,
            h11_max_incomplete_event_size=65_536, timeout_graceful_shutdown=3, server_header=False,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="hermes-http", daemon=True)
        self._problem = ""
        self.host, self.port = host, port

    def _run(self) -> None:
        try:
            self._server.run()
        except SystemExit:  # uvicorn's way to say that it cannot listen
            self._problem = f"{self.host}:{self.port} cannot be listened on; is it in use?"

    def start(self) -> None:
        """Returns when it listens; ConfigError when it cannot."""
        self._thread.start()
        ends = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > ends:
                raise ConfigError(self._problem or f"{self.host}:{self.port} did not start to listen in time.")
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(10)
