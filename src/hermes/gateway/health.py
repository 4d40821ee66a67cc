"""`GET /health` on a port of its own, whatever else is served: whether the gateway works, and nothing else.

It is the one route that asks for no key, so it tells one word. On loopback the Host header has to name this machine, so
that no page can ask through a name of its own.
"""

import asyncio
import json
import threading
from collections.abc import Callable

from hermes.errors import ConfigError

OPEN_ROUTES = ("/health",)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_READ_SECONDS = 5.0
_MOST_BYTES = 8192
_START_SECONDS = 15.0
_WORDS = {
    200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 421: "Misdirected Request",
    503: "Service Unavailable",
}  # fmt: skip


class Health:
    def __init__(self, state: Callable[[], str], host: str, port: int) -> None:
        self._state = state
        self.host, self.port = host, port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="hermes-health", daemon=True)
        self._server: asyncio.Server | None = None

    def start(self) -> None:
        """Returns when it listens; ConfigError when it cannot."""
        self._thread.start()
        begun = asyncio.run_coroutine_threadsafe(self._begin(), self._loop)
        try:
            begun.result(_START_SECONDS)
        except (OSError, OverflowError, TimeoutError) as error:
            self.stop()
            raise ConfigError(
                f"{self.host}:{self.port} cannot be listened on for /health; see gateway.health_host and health_port."
            ) from error

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    async def _begin(self) -> None:
        self._server = await asyncio.start_server(self._called, self.host, self.port, limit=_MOST_BYTES)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _READ_SECONDS)
            writer.write(self._answer(head.decode("latin-1")))
            await asyncio.wait_for(writer.drain(), _READ_SECONDS)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # whoever does not ask properly gets no answer
        finally:
            writer.close()

    def _answer(self, head: str) -> bytes:
        status, word = self._judged(head)
        body = json.dumps({"status": word}).encode()
        lines = (f"HTTP/1.1 {status} {_WORDS[status]}", "Content-Type: application/json",
                 f"Content-Length: {len(body)}", "Cache-Control: no-store", "Connection: close")  # fmt: skip
        sent = b"" if head.startswith("HEAD ") else body
        return "\r\n".join((*lines, "", "")).encode() + sent

    def _judged(self, head: str) -> tuple[int, str]:
        first, *rest = head.split("\r\n")
        parts = first.split(" ")
        if len(parts) != 3:
            return 400, "not understood"
        named = [line.partition(":")[2].strip() for line in rest if line.lower().startswith("host:")]
        if self.host in _LOOPBACK and not (len(named) == 1 and _name(named[0]) in _LOOPBACK):
            return 421, "not here"
        if parts[1] not in OPEN_ROUTES:
            return 404, "nothing here"
        if parts[0] not in ("GET", "HEAD"):
            return 405, "only asked with GET"
        state = self._state()
        return (200 if state == "ok" else 503), state

    def stop(self) -> None:
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop)
            self._thread.join(5)

    async def _end(self) -> None:
        """Nobody new is heard, and whoever is being heard is let go."""
        if self._server is not None:
            self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self._loop.call_soon(self._loop.stop)


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
