"""The file is gone from under an open store: save what the open handles still see.

    its -wal deleted             the log is moved into the file, which is whole again
    moved, replaced, overwritten a copy of what can still be read is made beside it

What is left of the old log is set aside: SQLite would mix it into whatever lies at the path now.
"""

import logging
import os
import time
from pathlib import Path

import apsw

from hermes.paths import create_private_file, sync
from hermes.store.sqlite.identity import Identity
from hermes.store.sqlite.table import scalar

log = logging.getLogger("hermes.store")


def rescue(path: Path, connection: apsw.Connection, identity: Identity) -> str:
    """Save what can be saved; the sentence for the error message."""
    if identity.file_is_ours():
        if identity.wal_is_gone() and _move_log(path, connection):
            return "Everything acknowledged was saved into the file itself; open it again."
        if not identity.wal_is_gone() and "-wal" in identity.beside():
            return "Everything acknowledged is in the file and its -wal; close it everywhere, then open it again."
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    sentence = _copy(connection, path.with_name(f"{path.name}.rescued-{stamp}"))
    if not identity.file_is_ours():
        _set_aside(path, identity, stamp)
    return sentence


def _move_log(path: Path, connection: apsw.Connection) -> bool:
    try:
        busy, frames, moved = next(connection.execute("PRAGMA wal_checkpoint(FULL)"))
    except apsw.Error as error:
        log.error("store %s: saving into the file failed: %s", path, error)
        return False
    return not busy and frames == moved


def _copy(connection: apsw.Connection, target: Path) -> str:
    try:
        create_private_file(target)
        connection.execute("VACUUM INTO ?", (str(target),))
        found = scalar(connection, "SELECT COUNT(*) FROM messages")
        sync(target)
    except (apsw.Error, OSError) as error:
        log.error("rescue into %s failed: %s", target, error)
        return f"What was open could not be saved ({error}); restore a backup."
    return f"All {found} messages this process could still see are in {target}."


def _set_aside(path: Path, identity: Identity, stamp: str) -> None:
    for suffix in identity.beside():
        try:
            os.rename(f"{path}{suffix}", f"{path}.aside-{stamp}{suffix}")
        except OSError as error:
            log.error("store %s: its old %s file stays where it is: %s", path, suffix, error)
