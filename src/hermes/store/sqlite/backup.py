"""Copies that can be trusted: online backup and verified restore."""

import os
import time
from pathlib import Path

import apsw

from hermes.errors import BadInput, StoreCorrupt
from hermes.paths import flush
from hermes.store.sqlite import schema
from hermes.store.sqlite.errors import translating
from hermes.store.sqlite.identity import generation_of_file
from hermes.store.sqlite.salvage import SalvageReport, mend_counts, salvage
from hermes.store.sqlite.table import scalar

__all__ = ["SalvageReport", "copy_store", "mend_counts", "prepare_restore", "salvage", "stamp", "verify"]


def copy_store(source: apsw.Connection, target: Path) -> None:
    """A committed, compact copy of what `source` sees, checked; it appears complete or not at all, 0600."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    try:
        copy = apsw.Connection(str(part))
        with copy.backup("main", source, "main") as backup:
            backup.step()
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()
        verify(copy, target)
        copy.close()
        flush(part)
        appear(part, target)
    finally:
        part.unlink(missing_ok=True)


def verify(connection: apsw.Connection, path: Path) -> None:
    """StoreCorrupt unless this is a whole store of ours."""
    with translating(path):
        result = scalar(connection, "PRAGMA quick_check(1)")
        mark = scalar(connection, "PRAGMA application_id")
    if result != "ok":
        raise StoreCorrupt(f"{path} does not pass SQLite's check ({result}); use another backup.")
    if mark != schema.APPLICATION_ID:
        raise StoreCorrupt(f"{path} is not a backup of a Hermes store; name another file.")


def prepare_restore(backup: Path, live: apsw.Connection, folder: Path) -> Path:
    """A private copy of the backup that continues the live store's numbers, so that no id is used twice and no open
    process takes it for a foreign file."""
    if not backup.is_file():
        raise BadInput(f"{backup} does not exist; `hermes sessions backup` makes one.")
    target = folder / f".restore.{os.getpid()}.part"
    with translating(backup):
        source = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
        verify(source, backup)
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        copy = apsw.Connection(str(target))
        with copy.backup("main", source, "main") as run:
            run.step()
        source.close()
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()
        for name, seq in live.execute("SELECT name, seq FROM sqlite_sequence"):
            copy.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (seq, name))
        generation = max(int(scalar(live, "PRAGMA user_version")), (generation_of_file(live) or 0) + 1)
        copy.execute(f"PRAGMA user_version = {generation}")  # see identity.py
        copy.close()
    return target


def appear(part: Path, target: Path) -> None:
    """Give a finished file its name, never in the place of one that came there meanwhile."""
    try:
        os.link(part, target, follow_symlinks=False)
    except FileExistsError:
        raise BadInput(f"{target} exists; choose another name.") from None
    except OSError:  # a file system without links
        part.rename(target)


def stamp() -> str:
    return time.strftime("%Y%m%d-%H%M%S")
