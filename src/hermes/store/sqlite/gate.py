"""The one door every write goes through.

Threads of one process share a commit: whoever comes first leads, runs the work of all who wait in
one transaction, and syncs once for them. Processes line up at the guard. Only then SQLite is asked,
with BEGIN IMMEDIATE and the documented retry; patience is wall time, not a count.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import apsw

from hermes.errors import BadInput, HermesError, StoreBusy, StoreReplaced
from hermes.store.sqlite.errors import translated
from hermes.store.sqlite.guard import Guard, Record
from hermes.store.sqlite.identity import Identity
from hermes.store.sqlite.table import scalar

PATIENCE_S = 30.0
RETRY_MIN_S = 0.020
RETRY_MAX_S = 0.150
CHECKPOINT_EVERY_N_WRITES = 50
_GROUP = 128

T = TypeVar("T")
log = logging.getLogger("hermes.store")


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    work: Callable[[], T]
    done: bool = False
    result: T | None = None
    error: BaseException | None = None


class Gate:
    """Owns the writing connection. `on_write` is told after each commit how many there were."""

    def __init__(
        self,
        connection: apsw.Connection,
        guard: Guard,
        identity: Identity,
        *,
        path: object,
        store_id: bytes,
        last_ids: tuple[int, int],
        on_write: Callable[[int], None],
        rescue: Callable[[str], str],
    ) -> None:
        self.connection = connection
        self.patience = PATIENCE_S
        self.last_message, self.last_usage = last_ids
        self._path = path
        self._guard = guard
        self._identity = identity
        self._store_id = store_id
        self._on_write = on_write
        self._rescue = rescue
        self._mutex = threading.Lock()
        self._holder: int | None = None
        self._queue: deque[_Job[Any]] = deque()
        self._writes = 0
        self._replaced: str | None = None

    def run(self, work: Callable[[], T]) -> T:
        """Do `work` in a transaction; when this returns, it is on disk."""
        self._check_not_holding()
        job = _Job(work)
        self._queue.append(job)
        while not job.done:
            with self._mutex:
                if not job.done:
                    self._holder = threading.get_ident()
                    try:
                        self._lead()
                    finally:
                        self._holder = None
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[return-value]

    @contextmanager
    def hold(self) -> Iterator[None]:
        """One transaction around the caller's block; rolled back when the block raises."""
        self._check_not_holding()
        with self._mutex:
            self._holder = threading.get_ident()
            try:
                self._begin()
                try:
                    yield
                except BaseException:
                    self._roll_back()
                    raise
                self._commit()
            except apsw.Error as error:
                self._roll_back()
                raise translated(error, self._path) from error
            finally:
                self._holder = None
                self._release()
        self._on_write(self._writes)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep this process' writers out while the connection is used outside a transaction."""
        self._check_not_holding()
        with self._mutex:
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = None

    def _check_not_holding(self) -> None:
        if self._holder == threading.get_ident():
            raise BadInput("Inside `with db.transaction() as tx:` use tx, not db: the store is waiting for it.")

    def _lead(self) -> None:
        jobs = [self._queue.popleft() for _ in range(min(len(self._queue), _GROUP))]
        committing = False
        try:
            self._begin()
            for job in jobs:
                self._perform(job, alone=len(jobs) == 1)
            if self.connection.in_transaction:
                committing = True
                self._commit()
        except (apsw.Error, HermesError) as error:
            self._roll_back()
            failure = translated(error, self._path) if isinstance(error, apsw.Error) else error
            failure.__cause__ = error if failure is not error else error.__cause__
            for job in jobs:
                job.error = job.error or failure
        except BaseException:  # Ctrl-C in the leader: the others' work is not its to lose
            if committing and not self.connection.in_transaction:
                self._finish(jobs)
            else:
                self._roll_back()
                self._queue.extendleft(reversed([job for job in jobs if job.error is None]))
            raise
        finally:
            self._release()
        self._finish(jobs)
        self._on_write(self._writes)

    @staticmethod
    def _finish(jobs: list[_Job[Any]]) -> None:
        for job in jobs:
            job.done = True

    def _perform(self, job: _Job[Any], *, alone: bool) -> None:
        """Run one job; its own failure is its own, unless it took the transaction with it."""
        if not alone:
            self.connection.execute("SAVEPOINT job")
        try:
            job.result = job.work()
        except Exception as error:
            job.error = translated(error, self._path) if isinstance(error, apsw.Error) else error
            if not self.connection.in_transaction:
                raise
            if isinstance(error, apsw.Error):
                job.error.__cause__ = error
            if alone:
                self._roll_back()
                return
            self.connection.execute("ROLLBACK TO job")
        if not alone:
            self.connection.execute("RELEASE job")

    def _begin(self) -> None:
        if self._replaced:
            raise StoreReplaced(self._replaced)
        deadline = time.monotonic() + self.patience
        self._guard.acquire(self.patience)
        while True:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                return
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise StoreBusy(
                        f"{self._path}: another program has held the write lock for {self.patience:.0f} seconds; "
                        "close it, or try again."
                    ) from None
            time.sleep(random.uniform(RETRY_MIN_S, RETRY_MAX_S))

    def _commit(self) -> None:
        if (self._writes + 1) % CHECKPOINT_EVERY_N_WRITES == 0:
            self._next_generation()
        deadline = time.monotonic() + self.patience
        while True:
            try:
                self.connection.execute("COMMIT")
                break
            except apsw.BusyError:  # only without WAL, while somebody reads
                if time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(RETRY_MIN_S, RETRY_MAX_S))
        self._writes += 1
        self._check_identity()
        self._guard.write(Record(self._store_id, self.last_message, self.last_usage))

    def _next_generation(self) -> None:
        """See identity.py: tells an overwritten file from one that grew."""
        current = scalar(self.connection, "PRAGMA user_version")
        self.connection.execute(f"PRAGMA user_version = {(current + 1) % 2**31 or 1}")

    def _check_identity(self) -> None:
        trouble = self._identity.trouble()
        if trouble is None:
            return
        if self.connection.in_transaction:
            self._roll_back()
        log.error("store %s: %s", self._path, trouble)
        self._replaced = f"{self._path}: {trouble} while it was open; writing stopped. {self._rescue(trouble)}"
        raise StoreReplaced(self._replaced)

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            try:
                self.connection.execute("ROLLBACK")
            except apsw.Error as error:
                # The caller is already being told why; SQLite rolls back by itself at the next open.
                log.error("store %s: rollback failed: %s", self._path, error)

    def _release(self) -> None:
        self._guard.release()
