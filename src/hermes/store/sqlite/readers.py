"""Connections that only read, a few of them kept for whoever asks next."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

_KEPT = 8


class Readers:
    def __init__(self) -> None:
        self._free: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def __bool__(self) -> bool:
        """Whether one is free."""
        return bool(self._free)

    @contextmanager
    def one(self, connect: Callable[[], apsw.Connection]) -> Iterator[apsw.Connection]:
        """One of those that are free, or a new one."""
        connection = self._take() or connect()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _take(self) -> apsw.Connection | None:
        with self._lock:
            return self._free.pop() if self._free else None

    def _give_back(self, connection: apsw.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:
            connection.close()
            raise
        self.keep(connection)

    def keep(self, connection: apsw.Connection) -> None:
        with self._lock:
            if not self._closed and len(self._free) < _KEPT:
                self._free.append(connection)
                return
        connection.close()

    def forget(self) -> None:
        """Close those that are free: what they know of the file is old."""
        with self._lock:
            for connection in self._free:
                connection.close()
            self._free.clear()

    def close(self) -> None:
        """The free ones now, the others when they are given back."""
        self._closed = True
        self.forget()

    def free(self) -> list[apsw.Connection]:
        """Those in nobody's hands; after a fork, they are the parent's."""
        return [*self._free]
