"""The one door every write goes through.

Threads of one process share a commit: whoever comes first leads, runs the work of all who wait in
one transaction, and syncs once for them. Processes line up at the guard. Only then SQLite is asked,
with BEGIN IMMEDIATE and the documented retry; patience is wall time, not a count.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, takewhile
from typing import Any, Generic, TypeVar

import apsw

from hermes.errors import BadInput, HermesError, StoreBusy, StoreClosed, StoreReplaced
from hermes.store.sqlite.connection import BUSY_TIMEOUT_MS, PAGE, WAL_LIMIT
from hermes.store.sqlite.errors import translated, translating
from hermes.store.sqlite.guard import Guard, Record
from hermes.store.sqlite.identity import Identity
from hermes.store.sqlite.interrupts import undisturbed
from hermes.store.sqlite.table import scalar

PATIENCE_S = 30.0
RETRY_MIN_S = 0.020
RETRY_MAX_S = 0.150
CHECKPOINT_EVERY_N_WRITES = 50  # of this process
CHECKPOINT_EVERY_N_PAGES = 1000  # of all
_GROUP = 128

T = TypeVar("T")
log = logging.getLogger("hermes.store")


class _Job(Generic[T]):
    __slots__ = ("alone", "bell", "done", "error", "result", "taken", "work")

    def __init__(self, work: Callable[[], T], alone: bool = False) -> None:
        self.work = work
        self.alone = alone  # not to be led by others: whoever waits wants the connection for itself
        self.taken = False  # by a leader, who will see it through
        self.bell: threading.Condition | None = None  # wakes whoever waits for it, and nobody else
        self.done = False
        self.result: T | None = None
        self.error: BaseException | None = None


class Gate:
    """Owns the writing connection. `on_write` is called after each commit."""

    def __init__(
        self,
        connection: apsw.Connection,
        guard: Guard,
        identity: Identity,
        *,
        path: object,
        store_id: bytes,
        on_write: Callable[[], None],
        rescue: Callable[[Identity], str],
    ) -> None:
        self.connection = connection
        self.patience = PATIENCE_S
        self.replaced: str | None = None  # what to tell everybody who comes, once the file is not ours any more
        self.last = stored(connection, store_id)
        self._path = path
        self._guard = guard
        self._identity = identity
        self._on_write = on_write
        self._rescue = rescue
        self._line = threading.Lock()
        # The next four change under `_line` only.
        self._turn: _Job[Any] | None = None  # whose it is
        self._thread: int | None = None
        self._queue: deque[_Job[Any]] = deque()
        self._closed = False
        self._group: list[_Job[Any]] = []  # what the leader took
        self.writes = 0
        self._changes = 0
        self._log = [0]  # its pages after the last commit
        self._log_done = 0  # how many there were when we last moved them into the file
        connection.set_wal_hook(_counting(self._log))

    def run(self, work: Callable[[], T]) -> T:
        """Do `work` in a transaction; when this returns, it is on disk."""
        self._check_not_holding()
        job = _Job(work)
        with undisturbed:
            try:
                self._enter(job)
                while not job.done:
                    self._lead()
            finally:
                self._leave(job)
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[return-value]

    @contextmanager
    def hold(self) -> Iterator[None]:
        """One transaction around the caller's block; rolled back when the block raises."""
        with self.paused(), translating(self._path):
            try:
                self._begin()
                yield
                self._commit()
                self._now_and_then()
            finally:
                self._let_go()
            self._on_write()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep this process' writers out while the connection is used outside a transaction."""
        self._check_not_holding()
        turn: _Job[None] = _Job(lambda: None, alone=True)
        with undisturbed:
            try:
                self._enter(turn)
                yield
            finally:
                self._leave(turn)

    @contextmanager
    def if_free(self) -> Iterator[apsw.Connection | None]:
        """The connection, when nobody of this process uses or wants it; None otherwise, without waiting."""
        turn: _Job[None] = _Job(lambda: None, alone=True)
        with undisturbed:
            try:
                with self._line:
                    if self._turn is None and not self._queue and not self._closed:
                        self._turn, self._thread = turn, threading.get_ident()
                yield self.connection if self._turn is turn else None
            finally:
                self._leave(turn)

    @contextmanager
    def alone(self, patience: float | None) -> Iterator[apsw.Connection]:
        """The connection for work outside a transaction, on a file that is still ours; writers of all
        processes wait."""
        with self.paused(), translating(self._path):
            try:
                self._guard.acquire(patience)
                self.check_identity()
                yield self.connection
            finally:
                self._guard.release()

    def close(self) -> None:
        """Let nobody in any more. The connection is the engine's to close, while it is `paused`."""
        with self._line:
            self._closed = True

    def forget_in_child(self, stand_in: Any) -> None:
        """After fork: whatever the child calls ends at once, instead of in locks of threads it does not have."""
        self._line = threading.Lock()
        self.connection = stand_in

    # -- the line of this process' threads

    def _check_not_holding(self) -> None:
        if self._thread == threading.get_ident():
            raise BadInput("Inside `with db.transaction() as tx:` use tx, not db: the store is waiting for it.")

    def _enter(self, turn: _Job[Any]) -> None:
        """Stand in line until it is our turn to lead, or another leader has done the job."""
        with self._line:
            self._queue.append(turn)
            if not self._is_next(turn):
                self._wait(turn)
            if turn.done:
                return
            if self._closed:
                raise StoreClosed(f"{self._path} was closed; open it again.")
            self._turn = turn
            self._thread = threading.get_ident()

    def _wait(self, turn: _Job[Any]) -> None:
        turn.bell = threading.Condition(self._line)
        deadline = time.monotonic() + self.patience
        while not turn.bell.wait_for(lambda: turn.done or self._is_next(turn), undisturbed.pause(self.patience)):
            if turn.taken:
                continue  # a leader has it; what becomes of it is known soon
            undisturbed.check()
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"{self._path}: another thread has held the store for {self.patience:.0f} seconds; try again."
                )

    def _is_next(self, turn: _Job[Any]) -> bool:
        return self._turn is None and self._queue[0] is turn

    def _leave(self, turn: _Job[Any]) -> None:
        """Whatever happened: a job we give up must not happen later, and others' jobs must."""
        with self._line:
            waiting: list[_Job[Any]] = []
            if self._turn is turn:
                self._queue.extendleft(job for job in reversed(self._group) if self._is_undone(job))
                waiting, self._group = self._group, []
                self._turn = self._thread = None
            if turn in self._queue:
                self._queue.remove(turn)
            for job in (*waiting, *islice(self._queue, 1)):
                if job.bell is not None:
                    job.bell.notify()

    def _is_undone(self, job: _Job[Any]) -> bool:
        job.taken = False
        return not job.done and job not in self._queue

    def _lead(self) -> None:
        with self._line:
            self._group = list(islice(takewhile(lambda turn: not turn.alone, self._queue), _GROUP))
            for job in self._group:
                self._queue.popleft()
                job.taken = True
        committing = False
        try:
            self._begin()
            for job in self._group:
                self._perform(job, alone=len(self._group) == 1)
            if self.connection.in_transaction:
                committing = True
                self._commit()
            self._finish()  # from here on no interrupt can make it happen twice
            if committing:
                self._now_and_then()
        except (apsw.Error, HermesError) as error:
            failure = translated(error, self._path) if isinstance(error, apsw.Error) else error
            failure.__cause__ = error if failure is not error else error.__cause__
            for job in self._group:
                job.error = job.error or failure
            self._finish()
            committing = False
        except BaseException:  # Ctrl-C in the leader: what is stored is stored, the rest goes back into the line
            if committing and not self.connection.in_transaction:
                self._finish()
            raise
        finally:
            self._let_go()
        if committing:
            self._on_write()

    def _finish(self) -> None:
        for job in self._group:
            job.done = True

    def _perform(self, job: _Job[Any], *, alone: bool) -> None:
        """Run one job; its own failure is its own, unless it took the transaction with it."""
        job.error = None
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

    # -- the transaction

    def _begin(self) -> None:
        deadline = time.monotonic() + self.patience
        self._guard.acquire(self.patience)
        while True:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                break
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise StoreBusy(
                        f"{self._path}: another program has held the write lock for {self.patience:.0f} seconds; "
                        "close it, or try again."
                    ) from None
            undisturbed.check()
            time.sleep(_a_while())
        self._stop_at(self._identity.trouble_before())
        self._changes = self.connection.total_changes()

    def _commit(self) -> None:
        record = self._count_commit()
        deadline = time.monotonic() + self.patience
        while True:
            try:
                self.connection.execute("COMMIT")
                break
            except apsw.BusyError:  # only without WAL, while somebody reads
                if time.monotonic() > deadline:
                    raise
                time.sleep(_a_while())
        self.writes += 1
        self.last = record
        self._stop_at(self._identity.trouble_after())
        self._guard.write(record)

    def _now_and_then(self) -> None:
        """Move the write-ahead log into the file, while nobody can write: only a log that was moved completely is
        used again from its start, and writing in place is several times faster than growing a file. One that a
        large transaction made long is cut off at once."""
        pages = self._log[0]
        new = pages - self._log_done if pages >= self._log_done else pages  # it may have begun anew
        try:
            if new * PAGE > WAL_LIMIT:
                self._cut_log()
            elif new >= CHECKPOINT_EVERY_N_PAGES or self.writes % CHECKPOINT_EVERY_N_WRITES == 0:
                self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            else:
                return
            self._log_done = pages
        except apsw.Error as error:  # what was committed is safe where it is
            log.warning("store %s: checkpoint postponed: %s", self._path, error)

    def _cut_log(self) -> None:
        """Without waiting for anybody who still reads in it."""
        self.connection.set_busy_timeout(0)
        try:
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    @property
    def log_size(self) -> int:
        return self._log[0] * PAGE

    def _count_commit(self) -> Record:
        """How far the store will have come with this commit. The count lies in a table that every append
        writes in any case, and tells at the next open whether commits are missing."""
        if self.connection.total_changes() != self._changes:
            self.connection.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'commits'")
            if not self.connection.changes():
                self.connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('commits', 1)")
            self.next_generation()
        return stored(self.connection, self.last.store_id)

    def next_generation(self) -> None:
        """What the log adds to the file has a higher generation than the file; see identity.py."""
        current = scalar(self.connection, "PRAGMA user_version")
        if current == self._identity.generation:
            self.connection.execute(f"PRAGMA user_version = {(current + 1) % 2**31 or 1}")

    def check_identity(self) -> None:
        """StoreReplaced, after saving what can be saved, when the file is not the one we opened."""
        self._stop_at(self._identity.trouble())

    def _stop_at(self, trouble: str | None) -> None:
        if trouble and not self.replaced:
            self._roll_back()
            log.error("store %s: %s", self._path, trouble)
            saved = self._rescue(self._identity)
            self.replaced = f"{self._path}: {trouble} while it was open; writing stopped. {saved}"
        if self.replaced:
            raise StoreReplaced(self.replaced)

    def _let_go(self) -> None:
        try:
            self._roll_back()
        finally:
            self._guard.release()

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            try:
                self.connection.execute("ROLLBACK")
            except apsw.Error as error:
                # The caller is already being told why; SQLite rolls back by itself at the next open.
                log.error("store %s: rollback failed: %s", self._path, error)


def _counting(pages: list[int]) -> Callable[[apsw.Connection, str, int], int]:
    """Called by SQLite after a commit; knows the list alone, so that nothing keeps a dropped store alive."""

    def count(_connection: apsw.Connection, _name: str, now: int) -> int:
        pages[0] = now
        return apsw.SQLITE_OK

    return count


def stored(connection: apsw.Connection, store_id: bytes) -> Record:
    """How far the store has come, as this connection sees it."""
    known = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    return Record(store_id, *(int(known.get(name, 0)) for name in ("messages", "usage", "commits")))


def _a_while() -> float:
    """Another time for each who waits, so that they do not come back together."""
    from random import uniform

    return uniform(RETRY_MIN_S, RETRY_MAX_S)
