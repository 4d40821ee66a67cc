"""A thread that indexes behind the writers.

It starts with the first need and ends with the store it serves, also when that is dropped without close().
"""

import logging
import threading
import weakref
from pathlib import Path
from typing import Protocol

log = logging.getLogger("hermes.store")
_IDLE_S = 5.0


class Kept(Protocol):
    path: Path

    def index_if_behind(self) -> bool: ...


class Keeper:
    def __init__(self, store: Kept) -> None:
        self._store = weakref.ref(store)
        self._wanted = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="hermes-store-keeper", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        self._wanted.set()

    def stop(self) -> None:
        """Returns when the work under way is done."""
        self._stopped = True
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped:
            wanted = self._wanted.wait(timeout=_IDLE_S)
            store = self._store()
            if store is None:
                return
            if wanted and not self._stopped:
                self._wanted.clear()
                self._work(store)
            del store

    def _work(self, store: Kept) -> None:
        try:
            while not self._stopped and store.index_if_behind():
                pass
        except Exception as error:  # the top of a thread: nobody else would hear of it
            # It is done again after the next writes, before a search, and at close.
            log.warning("store %s: maintenance postponed: %s", store.path, error)
