"""Another file in the store's place, for when the store itself cannot be opened or is to be as it was.

The present file is never overwritten: it is set aside with its write-ahead log, under a name that says why.
A process that has it open notices before its next write.
"""

import os
import shutil
import time
from pathlib import Path

from hermes import paths
from hermes.errors import BadInput
from hermes.store.sqlite.guard import Guard

_PATIENCE_S = 30.0


def put_in_place(store: Path, replacement: Path, why: str) -> Path | None:
    """A copy of `replacement` becomes the store. Returns where the present file was set aside, if there was one."""
    part = store.with_name(f".{store.name}.{os.getpid()}.part")
    guard = Guard(store.with_name(store.name + ".lock"))
    try:
        guard.acquire(_PATIENCE_S)
        _copy(replacement, part)
        kept = _set_aside(store, why)
        part.rename(store)
        _sync(store.parent)
    except OSError as error:
        raise BadInput(f"{replacement} cannot be put in place of {store} ({error.strerror}).") from error
    finally:
        part.unlink(missing_ok=True)
        guard.release()
        guard.close()
    return kept


def _copy(source: Path, target: Path) -> None:
    paths.create_private_file(target)
    shutil.copyfile(source, target)
    _sync(target)


def _set_aside(store: Path, why: str) -> Path | None:
    if not store.exists():
        return None
    kept = store.with_name(f"{store.name}.{why}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
    for suffix in ("-wal", "-shm", ""):
        present = store.with_name(store.name + suffix)
        if present.exists():
            present.rename(kept.with_name(kept.name + suffix))
    return kept


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
