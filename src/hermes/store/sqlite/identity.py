"""Is the file we write to still the file people will open next time?

A store can be pulled away under a running process: moved, restored over, its `-wal` deleted by a
tidy script. SQLite goes on without a word and acknowledges into files nobody will ever read. So
every commit compares what the paths lead to with what is open: what lies beside the file before it
writes, so that nothing is added to a log that is gone, and the rest before it is acknowledged.

Nothing here opens the store: closing a second descriptor would drop SQLite's locks. Paths are only
`stat`ed, and the header is read through the descriptor that SQLite itself holds.

An overwrite in place (`cp old.db state.db`) keeps the inode. It shows in the header: its
`user_version` starts at a random number, and the first commit after a checkpoint raises it by one, so
each checkpoint brings a higher one into the file. There it never jumps, and never goes back, and what is
in the log is never more than one ahead of it. (It is 0 while a fresh store is in its log only.)
"""

import os
from pathlib import Path

import apsw

from hermes.store.sqlite.schema import APPLICATION_ID

_HEADER = 100
_VERSION_AT = slice(60, 64)
_MARK_AT = slice(68, 72)
_MAGIC = b"SQLite format 3\0"
_FORWARD = 1 << 16


class Identity:
    """Made while the connection is open and has read, so that its `-wal` and `-shm` are there."""

    def __init__(self, path: Path, connection: apsw.Connection, *, wal: bool) -> None:
        self._path = str(path)
        self._connection = connection
        self._file = which(self._path)
        # One that is gone already can never be the right one.
        self._beside = {f"-{kind}": which(f"{path}-{kind}") or (0, 0) for kind in ("wal", "shm")} if wal else {}
        self.generation = self._read_generation()  # of the file itself, whatever the write-ahead log says

    def trouble(self) -> str | None:
        """What is wrong, or None."""
        return self.trouble_before() or self.trouble_after()

    def trouble_before(self) -> str | None:
        """Asked before a commit writes anything."""
        trouble = self._beside_trouble("-wal") or self._beside_trouble("-shm") or self._generation_trouble()
        if trouble is None and log_is_anothers(self._connection):
            return "the file was overwritten with an older one"
        return trouble

    def trouble_after(self) -> str | None:
        """Asked before it is acknowledged."""
        return self._file_trouble() or self._beside_trouble("-wal")

    def file_is_ours(self) -> bool:
        try:
            return self._file_trouble() is None and not log_is_anothers(self._connection)
        except apsw.Error:
            return False

    def beside(self) -> list[str]:
        """Those of `-wal` and `-shm` that are still the ones we have open."""
        return [suffix for suffix, known in self._beside.items() if known == which(self._path + suffix)]

    def wal_is_gone(self) -> bool:
        """Deleted, and at most an empty one is in its place: nothing was written there."""
        if "-wal" not in self._beside or "-wal" in self.beside():
            return False
        try:
            return os.stat(self._path + "-wal").st_size == 0
        except FileNotFoundError:
            return True

    def _file_trouble(self) -> str | None:
        present = which(self._path)
        if present is None:
            return "the file was moved or deleted"
        if present != self._file:
            return "the file was replaced by another one"
        return self._generation_trouble()

    def _generation_trouble(self) -> str | None:
        generation = self._read_generation()
        if generation is None:
            return "the file was overwritten"
        if self.generation and not 0 <= generation - self.generation < _FORWARD:
            return "the file was overwritten with another one"
        self.generation = generation
        return None

    def _read_generation(self) -> int | None:
        return generation_of_file(self._connection)

    def _beside_trouble(self, suffix: str) -> str | None:
        if suffix not in self._beside:
            return None
        present = which(self._path + suffix)
        if present == self._beside[suffix]:
            return None
        return f"its {suffix} file was {'deleted' if present is None else 'replaced'}"


def generation_of_file(connection: apsw.Connection) -> int | None:
    """What the header of the file says, read through SQLite's own descriptor; None without a header."""
    header = _header(connection)
    return int.from_bytes(header[_VERSION_AT], "big", signed=True) if header else None


def log_is_anothers(connection: apsw.Connection) -> bool:
    """Whether the `-wal` that lies beside this file was written for another one: an old copy was put in the file's
    place after a crash, or under a running process. SQLite would mix the two without a word."""
    header = _header(connection)
    if not header or int.from_bytes(header[_MARK_AT], "big") != APPLICATION_ID:
        return False
    in_log = int(next(connection.execute("PRAGMA user_version"))[0])
    return in_log - int.from_bytes(header[_VERSION_AT], "big", signed=True) not in (0, 1)


def _header(connection: apsw.Connection) -> bytes | None:
    complete, header = connection.read("main", 0, 0, _HEADER)
    return header if complete and header.startswith(_MAGIC) else None


def which(path: str | Path) -> tuple[int, int] | None:
    """Which file a path leads to; None when it leads nowhere we can reach."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
