"""An API in the form that programs know: chat completions, and REST over sessions and search.

Every request carries a key, and each key is somebody: what one of them began, another one never sees. On loopback a
key is made when there is none; elsewhere the server refuses to start without one.
"""

import base64
import hmac
import os
import secrets
import time
from typing import ClassVar

from hermes import paths
from hermes.config import Config, listening
from hermes.gateway.adapters.api_turn import Known
from hermes.gateway.adapters.http import Refusing, Server
from hermes.gateway.base import Adapter, Receive, Undelivered
from hermes.gateway.keys import Place

OPEN_ROUTES = ("/health", "/openapi.json")  # everything else wants a key


class ApiServer(Adapter):
    name: ClassVar[str] = "api-server"
    trusted: ClassVar[bool] = True
    longest: ClassVar[int] = 1_000_000

    def __init__(self, config: Config) -> None:
        self.host, self.port, self.keys, given = listening.api_server(config)
        self._hosts = {self.host, "localhost", "127.0.0.1", "::1", *map(str, given.get("hosts") or ())}
        self._origins = frozenset(map(str, given.get("origins") or ()))
        self.known = Known()
        self._tidied = 0.0
        self._server: Server | None = None

    def connect(self, receive: Receive) -> None:
        from hermes.gateway.adapters.api_routes import routes

        assert self.gateway is not None, "the gateway introduces itself first"
        if not self.keys:
            self.keys = {"default": _own_key()}
        self._server = Server(Refusing(routes(self, self.gateway), self._hosts, self._origins), self.host, self.port)
        self._server.start()
        self.port = self._server.port
        self.gateway.tasks.append(self._tidy)

    def _tidy(self) -> None:
        """Once an hour: what is known of old responses goes."""
        from hermes.gateway.adapters.api_responses import forget_old

        if self.gateway is not None and time.monotonic() - self._tidied > 3600:
            self._tidied = time.monotonic()
            forget_old(self.gateway.db, time.time())

    def who(self, authorization: str, *, by_browser: bool = False) -> str | None:
        """Whose key this is. Every key is compared, in a time that tells nothing about them. A browser, which sends
        what it knows with whatever it asks for, may read with it (`Basic`, the key as the password)."""
        scheme, _, key = authorization.partition(" ")
        given = key.strip().encode() if scheme.lower() == "bearer" else b""
        if by_browser and scheme.lower() == "basic":
            given = _password(key)
        matching = [name for name, known in self.keys.items() if hmac.compare_digest(given, known.encode())]
        return matching[0] if matching else None

    def disconnect(self) -> None:
        if self._server is not None:
            self._server.stop()

    def send(self, place: Place, text: str, *, key: str) -> str:
        raise Undelivered("An API answers whoever asks; nothing can be sent to it.", final=True)


def _own_key() -> str:
    file = paths.api_key_file()
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, paths.PRIVATE_FILE)
        with os.fdopen(descriptor, "w") as out:
            out.write(f"hermes-{secrets.token_urlsafe(32)}\n")
    return file.read_text().strip()


def _password(given: str) -> bytes:
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2]
    except ValueError:
        return b""
