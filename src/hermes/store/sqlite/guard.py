"""The small file beside the store: a fair queue for writers, and a second record of what was stored.

`state.db.lock` does two jobs. Writers of all processes line up on its file lock before they ask
SQLite for the write lock, so that none starves. And after every commit it takes down how far the
store had come: when the next open finds less than was acknowledged (a write-ahead log deleted or
damaged while nobody was looking), it says so, with numbers.

The record is written after the commit, so it is never ahead of the store.
"""

import errno
import fcntl
import logging
import math
import os
import struct
import threading
import time
import weakref
import zlib
from pathlib import Path
from typing import NamedTuple

from hermes.errors import DiskFull, StoreBusy, StoreUnavailable
from hermes.paths import PRIVATE_FILE
from hermes.store.sqlite.interrupts import CHECK_EVERY_S, undisturbed

_RECORD = struct.Struct("<8s16sqqqI")
_MAGIC = b"HRMSlog2"
_NO_LOCKS_HERE = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS)
log = logging.getLogger("hermes.store")


class Record(NamedTuple):
    """What was acknowledged last: of which store, through which message, ledger row and commit."""

    store_id: bytes
    last_message: int
    last_usage: int
    commits: int


class Guard:
    """One per open store. `acquire` and `release` are called by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = _open(path)
        self._close = weakref.finalize(self, os.close, self._fd)
        self._close.atexit = False  # the system closes it, after everything else
        self._works = True
        self._line = threading.Condition()
        # The rest changes under `_line` only.
        self._waiter: threading.Thread | None = None
        self._wanted = False
        self._granted = False
        self._closing = False

    def acquire(self, patience: float | None) -> None:
        """Stand in line for the write lock; StoreBusy after `patience` seconds (None: as long as it takes)."""
        if not self._works:
            return
        with self._line:
            if self._waiter is None:
                if self._try():
                    return
                # A blocking flock is what keeps the line fair, and it has no time limit: wait for it in
                # a thread, so that a stopped process in front of us cannot stop us for ever.
                if not self._send_waiter():
                    return  # no thread to be had, as at the very end of a process: SQLite's own lock has to do
            self._wanted = True
            deadline = math.inf if patience is None else time.monotonic() + patience
            while (left := deadline - time.monotonic()) > 0:
                if self._line.wait_for(lambda: self._granted, min(left, CHECK_EVERY_S)):
                    return
                undisturbed.check()
            self._wanted = False
        raise StoreBusy(
            f"{self.path}: another process has held the write lock for {patience:.0f} seconds; "
            "look for a stopped hermes process, or try again."
        )

    def _send_waiter(self) -> bool:
        waiter = threading.Thread(target=self._wait, name="hermes-write-queue", daemon=True)
        try:
            waiter.start()
        except RuntimeError:
            return False
        self._waiter = waiter
        return True

    def _try(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise
            self._works = False  # SQLite's own lock has to do
        return True

    def _wait(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except OSError as error:
            log.error("%s: the write queue failed: %s", self.path, error)
            self._works = False
        with self._line:
            self._waiter = None
            if self._wanted:
                self._granted = True
                self._line.notify()
                return
            self._unlock()  # whoever wanted it has given up meanwhile
            if self._closing:
                self._shut()

    def release(self) -> None:
        """Let the next one in. Harmless when `acquire` did not succeed."""
        with self._line:
            self._wanted = self._granted = False
            if self._waiter is None:
                self._unlock()

    def _unlock(self) -> None:
        if self._works and self._fd >= 0:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def read(self) -> Record | None:
        """The record, or None when there is none yet (or it is torn)."""
        data = os.pread(self._fd, _RECORD.size, 0)
        if len(data) < _RECORD.size:
            return None
        magic, store_id, message, usage, commits, check = _RECORD.unpack(data)
        if magic != _MAGIC or check != zlib.crc32(data[:-4]):
            return None
        return Record(store_id, message, usage, commits)

    def write(self, record: Record) -> None:
        """Called with the lock held, after a commit. Not synced: it survives a crash of ours, and
        after a power loss an older record raises no false alarm."""
        data = _RECORD.pack(_MAGIC, record.store_id, record.last_message, record.last_usage, record.commits, 0)[:-4]
        try:
            os.pwrite(self._fd, data + struct.pack("<I", zlib.crc32(data)), 0)
        except OSError as error:
            # A full or failing disk costs us the second record until the next commit, not this one.
            log.warning("%s: the record of the last commit is behind: %s", self.path, error)

    def close(self) -> None:
        """Leave the line. A thread that still stands in it closes the file when its turn comes."""
        with self._line:
            self._wanted = False
            self._closing = True
            if self._waiter is None:
                self._shut()

    def forget_in_child(self) -> None:
        """After fork: the parent's lock must not live on in the child. Closing does not release it."""
        self._shut()

    def _shut(self) -> None:
        self._fd = -1  # never write into whatever gets this number next
        self._close()


def _open(path: Path) -> int:
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"{path}: the disk is full; free some space and try again.") from error
        raise StoreUnavailable(f"{path}: cannot be opened ({error.strerror}); check the folder.") from error
    info = os.fstat(fd)
    if info.st_mode & 0o077 and info.st_uid == os.geteuid():
        os.fchmod(fd, PRIVATE_FILE)
    return fd
