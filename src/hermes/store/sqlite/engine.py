"""The SQLite engine: one writing connection behind the gate, a few reading ones, and a keeper."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from hermes.errors import DiskFull, HermesError, StoreClosed, StoreCorrupt, StoreError, StoreReadOnly, StoreReplaced
from hermes.model.owners import Scope
from hermes.store.sqlite import connection as connections
from hermes.store.sqlite import life, opening
from hermes.store.sqlite.errors import translated, translating, unreadable
from hermes.store.sqlite.gate import CHECKPOINT_EVERY_N_WRITES, Gate
from hermes.store.sqlite.guard import Guard
from hermes.store.sqlite.identity import Identity, which
from hermes.store.sqlite.indexing import Indexing
from hermes.store.sqlite.messages import ERASE
from hermes.store.sqlite.readers import Readers
from hermes.store.sqlite.reserve import Reserve
from hermes.store.sqlite.snapshot import SqliteReader, SqliteWriter

if TYPE_CHECKING:
    from hermes.store.sqlite.check import Problem

T = TypeVar("T")
log = logging.getLogger("hermes.store")


class SqliteEngine:
    def __init__(self, path: Path, *, read_only: bool = False, foreign: bool = False) -> None:
        self._pid_ok = True
        self._closed = False
        self._closing = threading.RLock()
        self._copies: list[Path] = []  # private ones, for reading what cannot be read in place
        self._readers = Readers()
        self._held: SqliteWriter | None = None  # the one of a `transaction()` under way
        self.notices: list[str] = []
        self.path = connections.prepare(path, read_only=read_only)
        self._file = which(self.path)
        self._reserve = Reserve(self.path)
        self._readable = self.path
        self._at_rest = read_only and foreign and connections.is_at_rest(self.path)
        self.read_only = read_only or not connections.can_write(self.path)
        if self.read_only and not read_only:
            self.notices.append(f"{self.path} can only be read here; nothing new will be saved.")
        with translating(self.path):
            if self.read_only:
                self._open_for_reading(foreign)
            else:
                self._open_for_writing_even_on_a_full_disk()
        life.begins(self)

    def _open_for_reading(self, foreign: bool) -> None:
        self._readable = connections.readable(self.path, foreign=foreign)
        reader = self._connect_to_read()
        opening.refuse_anothers_log(self.path, reader)
        upgraded = opening.readable_copy(self.path, reader)
        if upgraded is not None:
            reader.close()
            self._copies.append(upgraded.parent)
            self._readable, self._at_rest = upgraded, False
            reader = self._connect_to_read()
        if self._readable != self.path:
            self._copies.append(self._readable.parent)
        self._readers.keep(reader)

    def _connect_to_read(self) -> apsw.Connection:
        if not self.read_only:
            return connections.connect(self.path)
        return connections.connect_read_only(self._readable, at_rest=self._at_rest)

    def _open_for_writing_even_on_a_full_disk(self) -> None:
        try:
            self._open_for_writing()
        except (apsw.Error, DiskFull) as error:
            full = error if isinstance(error, DiskFull) else translated(error, self.path)
            if not isinstance(full, DiskFull) or not self._reserve.spend():
                raise
            self._open_for_writing()

    def _open_for_writing(self) -> None:
        self._guard = Guard(self.path.with_name(self.path.name + ".lock"))
        try:
            record = self._guard.read()  # before the store: it is never ahead of it
            writer, wal, notices = opening.open_store(self.path, self._guard, record)
        except BaseException:
            self._guard.close()
            raise
        self.notices += notices
        tables = SqliteWriter(writer, None)
        self._gate = Gate(
            writer,
            self._guard,
            Identity(self.path, writer, wal=wal),
            path=self.path,
            store_id=bytes.fromhex(tables.meta("store_id") or os.urandom(16).hex()),
            on_write=self._after_write,
            rescue=partial(_rescue, self.path, writer),
        )
        self._indexing = Indexing(self, self._gate, tables.indexed_through())

    # -- reading

    @contextmanager
    def read(self, scope: Scope, *, apart: bool = False) -> Iterator[SqliteReader]:
        """A snapshot; on the writing connection when that is free, which spares a second one to most programs.
        What takes long is read `apart`, so that nobody waits for it."""
        self._check_usable()
        if which(self.path) != self._file:
            raise StoreReplaced(f"{self.path}: the file was moved or replaced while it was open; open it again.")
        try:
            with translating(self.path), self._connection_to_read(apart) as connection:
                connection.execute("BEGIN")
                yield SqliteReader(connection, scope)
                connection.execute("COMMIT")  # not ROLLBACK: the connection keeps its temporary views
        except StoreCorrupt as error:
            if isinstance(error.__cause__, UnicodeDecodeError) and self._mend_texts():
                raise StoreCorrupt(f"{self.path}: a damaged text was made readable again; try once more.") from error
            raise

    @contextmanager
    def _connection_to_read(self, apart: bool) -> Iterator[apsw.Connection]:
        if not self.read_only and not apart and not self._readers:
            with self._gate.if_free() as connection:
                if connection is not None:
                    try:
                        yield connection
                    finally:
                        if connection.in_transaction:
                            connection.execute("ROLLBACK")
                    return
        with self._readers.one(self._connect_to_read) as connection:
            yield connection

    # -- writing

    def write(self, scope: Scope, work: Callable[[SqliteWriter], T]) -> T:
        self._check_writable()
        used: list[SqliteWriter] = []

        def job() -> T:
            used[:] = [SqliteWriter(self._gate.connection, scope)]
            return work(used[0])

        try:
            return self._gate.run(job)
        except UnicodeDecodeError as error:
            if not self._mend_texts():
                raise unreadable(self.path) from error
        except DiskFull:
            frees = any(writer.deletes and not writer.inserts for writer in used)
            if not frees or not self._reserve.spend():
                raise
            self._use_log_again()
        return self._gate.run(job)

    def _mend_texts(self) -> bool:
        """Make texts readable that are none; see mend.py. True when there were some, and they are mended."""
        from hermes.store.sqlite import upkeep

        mended = not self.read_only and upkeep.mend_texts(self, self._gate)
        if mended:
            self._indexing.through = 0
        return mended

    def _use_log_again(self) -> None:
        """A log that was moved into the file takes no more room than it has."""
        try:
            self.checkpoint()
        except StoreError as error:
            log.warning("store %s: no room to checkpoint: %s", self.path, error)

    @contextmanager
    def transaction(self, scope: Scope) -> Iterator[SqliteWriter]:
        self._check_writable()
        with self._gate.hold():
            self._held = SqliteWriter(self._gate.connection, scope)
            try:
                yield self._held
            finally:
                self._held = None

    def _after_write(self) -> None:
        if self._gate.writes % CHECKPOINT_EVERY_N_WRITES == 1 or self._reserve.is_small_for(self._gate.log_size):
            self._reserve.make_for(self.size())
        self._indexing.after_write()

    @contextmanager
    def paused(self) -> Iterator[apsw.Connection]:
        """The writing connection outside a transaction, while writers of this process wait."""
        with self._gate.paused():
            yield self._gate.connection

    # -- the index, and the write-ahead log

    def index_lag(self) -> int:
        with self.read(None) as reader:
            return reader.index_lag()

    def catch_up(self) -> bool:
        return self._indexing.catch_up()

    def prepare_search(self) -> None:
        if not self.read_only:
            self._indexing.prepare_search()

    def checkpoint(self, mode: str = "PASSIVE") -> tuple[int, int]:
        """Move the write-ahead log into the file: (frames in the log, frames moved).

        Writers wait meanwhile, for milliseconds: only a log that was moved completely is used again from its
        start, and writing in place is several times faster than growing the file with every commit.
        """
        with self._gate.alone(self._gate.patience) as connection:
            _busy, frames, moved = next(connection.execute(f"PRAGMA wal_checkpoint({mode})"))
        return frames, moved

    # -- upkeep: loaded when it is wanted

    def optimize(self) -> None:
        from hermes.store.sqlite import upkeep

        upkeep.optimize(self)

    def vacuum(self) -> bool:
        from hermes.store.sqlite import upkeep

        self._check_writable()
        return upkeep.vacuum(self, self._gate)

    def rebuild_index(self) -> None:
        from hermes.store.sqlite import upkeep

        upkeep.rebuild_index(self, self._gate)

    def check(self) -> "list[Problem]":
        from hermes.store.sqlite import upkeep

        return upkeep.check(self)

    def repair(self) -> "list[Problem]":
        from hermes.store.sqlite import upkeep

        return upkeep.repair(self, self._gate)

    def backup(self, target: Path) -> None:
        from hermes.store.sqlite import upkeep

        upkeep.backup(self, target)

    def restore(self, source: Path) -> Path:
        from hermes.store.sqlite import upkeep

        self._check_writable()
        kept = upkeep.restore(self, self._gate, source)
        self._readers.forget()
        self._indexing.through = 0
        return kept

    def size(self) -> int:
        return connections.size(self.path)

    # -- life and death

    def _check_usable(self) -> None:
        if not self._pid_ok:
            raise StoreClosed(f"{self.path} was opened before fork(); open it anew in the child process.")
        if self._closed:
            raise StoreClosed(f"{self.path} was closed; open it again.")

    def _check_writable(self) -> None:
        self._check_usable()
        if self.read_only:
            raise StoreReadOnly(f"{self.path} is open for reading only; nothing was changed.")

    def close(self) -> None:
        if not self._pid_ok:
            return
        with self._closing:
            if self._closed:
                return
            if self.read_only:
                with translating(self.path):
                    self._close_readers()
            else:
                self._close_writer()
        if self._copies:
            from shutil import rmtree

            for folder in self._copies:
                rmtree(folder, ignore_errors=True)

    def _close_readers(self) -> None:
        self._closed = True
        life.ends(self)
        self._readers.close()

    def _close_writer(self) -> None:
        """Wait for writers at work, then close, the writing connection last: it moves the log into the file
        and deletes it, when nobody else has the store open."""
        self._indexing.stop()
        if self._gate.writes or self.notices:
            self._indexing.finish()
            self._erase()
        with self._gate.paused(), translating(self.path):
            self._gate.close()
            try:
                self._gate.check_identity()
                connections.tidy_at_close(self._gate.connection)
            except (StoreReplaced, apsw.Error) as error:
                log.error("%s", error)
                self.notices.append(str(error))
            try:
                self._close_readers()
                self._gate.connection.close()
            except apsw.Error as error:  # what was acknowledged is safe in the log
                log.warning("store %s: not everything is tidied up: %s", self.path, error)
            finally:
                self._guard.close()

    def _erase(self) -> None:
        """Deleted means gone: whoever closes after a delete leaves no trace of it in the file."""
        try:
            with self.read(None) as reader:
                pending = reader.meta(ERASE) is not None
            if pending:
                self.vacuum()
        except HermesError as error:
            log.warning("store %s: traces of deleted sessions stay until the next close: %s", self.path, error)

    def forget_in_child(self) -> None:
        """After fork: the child must neither use nor close the parent's connections. Closing would
        drop locks and may delete the write-ahead log, so they are leaked on purpose."""
        self._pid_ok = False
        leaked = self._readers.free()
        if not self.read_only:
            leaked.append(self._gate.connection)
            self._guard.forget_in_child()
            self._gate.forget_in_child(connections.ParentsConnection(self.path))
            if self._held is not None:
                self._held.connection = self._gate.connection
        import ctypes

        for connection in leaked:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _rescue(path: Path, connection: apsw.Connection, identity: Identity) -> str:
    from hermes.store.sqlite.rescue import rescue

    return rescue(path, connection, identity)
