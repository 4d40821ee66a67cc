"""Connections that go to checked addresses and end at a deadline: what httpcore connects by."""

import time
from typing import Any

import httpcore2

from hermes.tools.web.addresses import Access, Resolve, reachable

_PLAIN = httpcore2.SyncBackend()


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds; TimeoutError when there are none."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class Checked(httpcore2.NetworkBackend):
    """Looks a name up once, checks every address, and connects to one of those."""

    def __init__(self, access: Access, deadline: Deadline, resolve: Resolve | None = None) -> None:
        self._access, self._deadline, self._resolve = access, deadline, resolve

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        *others, last = reachable(host, port, self._access, self._resolve)
        for address in others:
            try:
                return self._to(address, port, max(1.0, self._deadline.left() / 4))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                pass  # the next address may do
        return self._to(last, port, self._deadline.left())

    def _to(self, address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
        return Bounded(_PLAIN.connect_tcp(address, port, timeout=seconds), self._deadline)


class Bounded(httpcore2.NetworkStream):
    """Whatever is waited for, the deadline holds: a server that sends a byte a second gains nothing by it."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return Bounded(self._stream.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
