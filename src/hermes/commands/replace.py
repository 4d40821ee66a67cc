"""Another file in the store's place, for when the store itself cannot be opened or is to be as it was.

The present file is never overwritten: it is set aside with its write-ahead log, under a name that says why.
While another process has it open, nothing is done.
"""

import os
import shutil
import time
from pathlib import Path

from hermes import paths
from hermes.errors import BadInput, StoreBusy
from hermes.store.sqlite.guard import Guard
from hermes.store.sqlite.holders import is_open_elsewhere

_PATIENCE_S = 30.0


def put_in_place(store: Path, replacement: Path, why: str) -> Path | None:
    """A copy of `replacement` becomes the store. Returns where the present file was set aside, if there was one."""
    part = store.with_name(f".{store.name}.{os.getpid()}.part")
    guard = Guard(store.with_name(store.name + ".lock"))
    try:
        guard.acquire(_PATIENCE_S)
        if is_open_elsewhere(store):
            raise StoreBusy(f"{store} is open in another process; end it (a chat, the gateway), then try again.")
        _copy(replacement, part)
        kept = _set_aside(store, why)
        part.rename(store)
        paths.flush(store.parent)
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
    paths.flush(target)


def _set_aside(store: Path, why: str) -> Path | None:
    """The log gets its second name before the file moves: whenever this ends, a file and its log lie side by side."""
    if not store.exists():
        return None
    kept = store.with_name(f"{store.name}.{why}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
    log, index = (store.with_name(store.name + suffix) for suffix in ("-wal", "-shm"))
    if log.exists():
        _second_name(log, kept.with_name(kept.name + "-wal"))
    store.rename(kept)
    paths.flush(store.parent)
    for stale in (log, index):
        stale.unlink(missing_ok=True)
    return kept


def _second_name(file: Path, name: Path) -> None:
    try:
        os.link(file, name, follow_symlinks=False)
    except OSError:  # a file system without hard links
        _copy(file, name)
