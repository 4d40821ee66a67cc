"""Is the file we write to still the file people will open next time?

A store can be pulled away under a running process: moved, restored over, its `-wal` deleted by a
tidy script. SQLite goes on without a word and acknowledges into files nobody will ever read. So
every commit compares what the paths lead to with what is open.

Nothing here opens the store: closing a second descriptor would drop SQLite's locks. Paths are only
`stat`ed, and the header is read through the descriptor that SQLite itself holds.

An overwrite in place (`cp old.db state.db`) keeps the inode. It shows in the header: its
`user_version` starts at a random number and grows by one before each checkpoint, so it never
jumps, and never goes back. (It is 0 while a fresh store is still in its write-ahead log only.)
"""

import os
from pathlib import Path

_HEADER = 100
_VERSION_AT = slice(60, 64)
_MAGIC = b"SQLite format 3\0"
_FORWARD = 1 << 16


class Identity:
    def __init__(self, path: Path, *, wal: bool) -> None:
        self._path = str(path)
        self._inode = os.stat(path).st_ino
        self._wal_path = f"{path}-wal" if wal else None
        self._wal_inode: int | None = None
        self._fd = self._find()
        self._generation = self._read_generation()

    def trouble(self) -> str | None:
        """What is wrong, or None. Cheap enough to ask twice per commit."""
        try:
            if os.stat(self._path).st_ino != self._inode:
                return "the file was replaced by another one"
        except FileNotFoundError:
            return "the file was moved or deleted"
        if self._wal_path is not None:
            try:
                inode = os.stat(self._wal_path).st_ino
            except FileNotFoundError:
                if self._wal_inode is not None:
                    return "its -wal file was deleted"
            else:
                if self._wal_inode is None:
                    self._wal_inode = inode
                elif inode != self._wal_inode:
                    return "its -wal file was replaced"
        return self._overwritten()

    def wal_is_gone(self) -> bool:
        return self._wal_path is not None and not os.path.exists(self._wal_path)

    def file_is_ours(self) -> bool:
        try:
            return os.stat(self._path).st_ino == self._inode and self._overwritten() is None
        except FileNotFoundError:
            return False

    def _overwritten(self) -> str | None:
        generation = self._read_generation()
        if generation is None:
            return None if self._fd is None else "the file was overwritten"
        if self._generation and not 0 <= generation - self._generation < _FORWARD:
            return "the file was overwritten with another one"
        self._generation = generation
        return None

    def _read_generation(self) -> int | None:
        try:
            if self._fd is None or os.fstat(self._fd).st_ino != self._inode:
                self._fd = self._find()
                if self._fd is None:
                    return None
            header = os.pread(self._fd, _HEADER, 0)
        except OSError:
            return None
        if not header:  # not written yet: everything is still in the write-ahead log
            return self._generation
        if len(header) < _HEADER or not header.startswith(_MAGIC):
            return None
        return int.from_bytes(header[_VERSION_AT], "big")

    def _find(self) -> int | None:
        """SQLite's own descriptor of the store; None where the system cannot tell."""
        for folder in ("/proc/self/fd", "/dev/fd"):
            try:
                names = os.listdir(folder)
            except OSError:
                continue
            for name in names:
                try:
                    if name.isdigit() and os.fstat(int(name)).st_ino == self._inode:
                        return int(name)
                except OSError:
                    continue
        return None
