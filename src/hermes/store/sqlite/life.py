"""The stores that are open in this process: closed at its end, and left alone in a forked child."""

import atexit
import logging
import os
import weakref
from pathlib import Path
from typing import Protocol

log = logging.getLogger("hermes.store")


class Opened(Protocol):
    path: Path

    def close(self) -> None: ...

    def forget_in_child(self) -> None: ...


_open: "weakref.WeakSet[Opened]" = weakref.WeakSet()


def begins(store: Opened) -> None:
    _open.add(store)


def ends(store: Opened) -> None:
    _open.discard(store)


@atexit.register
def _close_all() -> None:
    for store in list(_open):
        try:
            store.close()
        except Exception as error:  # the end of the process: the others are to be closed all the same
            log.warning("store %s: closing failed: %s", store.path, error)


def _before_fork() -> None:
    """What the child will need is loaded while the parent still can: after a fork nothing should be."""
    if _open:
        import ctypes  # noqa: F401  (see SqliteEngine.forget_in_child)


def _after_fork_in_child() -> None:
    for store in list(_open):
        store.forget_in_child()


os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)
