"""The index behind the writers: how far it has come, and who brings it further, a batch at a time."""

import logging
import time
from typing import TYPE_CHECKING

from hermes.errors import HermesError, StoreError
from hermes.store.sqlite.behind import BATCH_ROWS
from hermes.store.sqlite.gate import Gate

if TYPE_CHECKING:
    from hermes.store.sqlite.engine import SqliteEngine
    from hermes.store.sqlite.keeper import Keeper
    from hermes.store.sqlite.snapshot import SqliteWriter

log = logging.getLogger("hermes.store")
_SCANNED_ROWS = 32  # so few are read faster than indexed
_AT_CLOSE_S = 5.0


class Indexing:
    """`through` is the last message that is indexed, as far as this process knows."""

    def __init__(self, engine: "SqliteEngine", gate: Gate, through: int) -> None:
        self.path = engine.path
        self.through = through
        self._engine = engine
        self._gate = gate
        self._keeper: Keeper | None = None

    def after_write(self) -> None:
        """Have a whole batch indexed, when one waits."""
        if not self._is_behind():
            return
        from hermes.store.sqlite.keeper import Keeper

        try:
            if self._keeper is None:
                self._keeper = Keeper(self)
            self._keeper.wake()
        except RuntimeError as error:  # no thread to be had; a search, or close(), indexes as well
            log.warning("store %s: nobody indexes behind the writers: %s", self.path, error)

    def _is_behind(self) -> bool:
        return self._gate.last.last_message - self.through >= BATCH_ROWS

    def catch_up(self, deadline: float | None = None) -> bool:
        """Bring the index up to date, a batch at a time; True when it is."""
        more = True
        while more and (deadline is None or time.monotonic() < deadline):
            more = self._batch()
        return not more

    def _batch(self) -> bool:
        """Index the next rows; True when there is more to do."""

        def batch(writer: "SqliteWriter") -> tuple[bool, int]:
            return writer.index_batch(), writer.indexed_through()

        more, through = self._engine.write(None, batch)
        self.through = through if more else self._gate.last.last_message
        return more

    def index_if_behind(self) -> bool:
        """Index a batch, unless another process has done it meanwhile; True when there is another one to do."""
        with self._engine.read(None) as reader:
            self.through = reader.indexed_through()
        return self._is_behind() and self._batch() and self._is_behind()

    def prepare_search(self) -> None:
        behind = self._engine.index_lag()
        if behind > _SCANNED_ROWS:
            try:
                self.catch_up()
            except StoreError as error:  # a full disk or a busy store: the search reads the tail itself
                log.warning("store %s: searching without the index of %d rows: %s", self.path, behind, error)

    def stop(self) -> None:
        """Nobody indexes behind the writers any more."""
        if self._keeper is not None:
            self._keeper.stop()

    def finish(self) -> None:
        """At close the index catches up, for readers with the stock shell; nothing depends on it."""
        try:
            if self._engine.index_lag() > 0:
                self.catch_up(time.monotonic() + _AT_CLOSE_S)
        except HermesError as error:
            log.warning("store %s: the index stays behind: %s", self.path, error)
