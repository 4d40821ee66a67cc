"""Does any other process have this store open?

Every connection to a store with a write-ahead log holds a shared lock on one byte of the `-shm` file for as long as it
lives (SQLite's dead man's switch). Whoever can lock that byte alone is alone. Never asked by a process that has the
store open itself: closing the file would drop SQLite's own locks.
"""

import fcntl
import os
from pathlib import Path

_SWITCH = 128  # the byte behind the eight lock bytes that begin at 120


def is_open_elsewhere(store: Path) -> bool:
    """False where that cannot be known: without a log, or on a file system without locks."""
    try:
        descriptor = os.open(store.with_name(store.name + "-shm"), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _SWITCH)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
