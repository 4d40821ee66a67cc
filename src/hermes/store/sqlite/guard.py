"""The small file beside the store: a fair queue for writers, and a second record of what was stored.

`state.db.lock` does two jobs. Writers of all processes line up on its file lock before they ask
SQLite for the write lock, so that none starves. And after every commit it takes down the last row
ids: when the next open finds fewer rows than were acknowledged (a write-ahead log deleted or
damaged while nobody was looking), it says so, with numbers.

The record is written after the commit, so it is never ahead of the store.
"""

import errno
import fcntl
import os
import struct
import threading
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from hermes.errors import StoreBusy
from hermes.paths import PRIVATE_FILE

_RECORD = struct.Struct("<8s16sqqI")
_MAGIC = b"HRMSlog1"


@dataclass(frozen=True, slots=True)
class Record:
    """What was acknowledged last: of which store, through which message and ledger row."""

    store_id: bytes
    last_message: int
    last_usage: int


class Guard:
    """One per open store. `acquire` and `release` are called by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
        if os.fstat(self._fd).st_mode & 0o077:
            os.fchmod(self._fd, PRIVATE_FILE)
        self._waiter: threading.Thread | None = None
        self._granted = threading.Event()
        self._wanted = False
        self._lock = threading.Lock()
        self._works = True

    def acquire(self, patience: float | None) -> None:
        """Stand in line for the write lock; StoreBusy after `patience` seconds (None: as long as it takes)."""
        if not self._works or self._try():
            return
        if patience is None:
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            return
        # A blocking flock is what keeps the line fair, and it has no time limit: wait for it in a
        # thread, so that a stopped process in front of us cannot stop us for ever.
        with self._lock:
            self._wanted = True
            if self._waiter is None:
                self._granted.clear()
                self._waiter = threading.Thread(target=self._wait, name="hermes-write-queue", daemon=True)
                self._waiter.start()
        if self._granted.wait(patience):
            return
        with self._lock:
            if self._granted.is_set():
                return
            self._wanted = False
        raise StoreBusy(
            f"{self.path}: another process has held the write lock for {patience:.0f} seconds; "
            "look for a stopped hermes process, or try again."
        )

    def _wait(self) -> None:
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        with self._lock:
            self._waiter = None
            if self._wanted:
                self._granted.set()
            else:
                fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _try(self) -> bool:
        with self._lock:
            if self._waiter is not None:
                return False
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS):
                raise
            self._works = False  # no file locks here: SQLite's own lock has to do
        return True

    def release(self) -> None:
        self._granted.clear()
        self._wanted = False
        if self._works:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def read(self) -> Record | None:
        """The record, or None when there is none yet (or it is torn)."""
        data = os.pread(self._fd, _RECORD.size, 0)
        if len(data) < _RECORD.size:
            return None
        magic, store_id, message, usage, check = _RECORD.unpack(data)
        if magic != _MAGIC or check != zlib.crc32(data[:-4]):
            return None
        return Record(store_id, message, usage)

    def write(self, record: Record) -> None:
        """Called with the lock held, after a commit. Not synced: it survives a crash of ours, and
        after a power loss an older record raises no false alarm."""
        data = _RECORD.pack(_MAGIC, record.store_id, record.last_message, record.last_usage, 0)[:-4]
        try:
            os.pwrite(self._fd, data + struct.pack("<I", zlib.crc32(data)), 0)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
                raise
            # A full disk costs us the second record until there is room again, not the commit.

    def close(self) -> None:
        deadline = time.monotonic() + 1
        while self._waiter is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        if self._waiter is None:
            os.close(self._fd)
