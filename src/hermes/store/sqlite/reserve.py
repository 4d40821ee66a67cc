"""A few megabytes beside the store that only a delete may use.

On a full disk even a delete needs room: it is written to the log first. So a file of that size is kept;
whoever deletes, or only wants to open the store, gives it up when the disk is full, and it is made again
once there is plenty of room.
"""

import logging
import os
from pathlib import Path

from hermes.paths import create_private_file

LEAST, MOST = 256 * 1024, 4 * 1024 * 1024
log = logging.getLogger("hermes.store")


class Reserve:
    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + ".reserve")
        self.spent = False
        self._made_for = 0
        self._given_up = 0  # bytes, which the next one may take back before anybody else gets them

    def is_small_for(self, log: int) -> bool:
        """Whether the log alone has outgrown it."""
        return self.spent or self._made_for < min(log, MOST)

    def make_for(self, size: int) -> None:
        """Have it for a store of that size. At most a quarter of what is free, or what was given up before; without
        it only a delete on a full disk is worse off."""
        try:
            present = _size(self.path)
            free = _free(self.path.parent)
            wanted = min(MOST, max(LEAST, size), max((free + present) // 4, min(self._given_up, free)))
            if present < wanted:
                self._grow(wanted)
            self.spent = self.spent and wanted < min(MOST, size)
            self._made_for = size
        except OSError as error:
            log.warning("%s cannot be made: %s", self.path, error)

    def _grow(self, size: int) -> None:
        create_private_file(self.path)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            _take(descriptor, size)
        finally:
            os.close(descriptor)

    def spend(self) -> bool:
        """Give its room to whoever needs it now; False when there is none."""
        self.spent = True
        try:
            self._given_up = max(self._given_up, _size(self.path))
            self.path.unlink()
        except OSError:
            return False
        log.warning("%s was given up: the disk is full", self.path)
        return True


def _take(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.pwrite(descriptor, bytes(size), 0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _free(folder: Path) -> int:
    info = os.statvfs(folder)
    return info.f_bavail * info.f_frsize
