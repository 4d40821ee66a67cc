"""The SQLite engine: one writing connection behind the gate, a few reading ones, and a keeper."""

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from hermes.errors import (
    BadInput,
    DiskFull,
    HermesError,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
    StoreReplaced,
)
from hermes.model.owners import Scope
from hermes.store.encode import EncodedMessage
from hermes.store.sqlite import connection as connections
from hermes.store.sqlite import opening
from hermes.store.sqlite.behind import BATCH_ROWS, BehindTable
from hermes.store.sqlite.care import CareTable
from hermes.store.sqlite.errors import translated, translating, unreadable
from hermes.store.sqlite.gate import CHECKPOINT_EVERY_N_WRITES, Gate
from hermes.store.sqlite.guard import Guard
from hermes.store.sqlite.identity import Identity, which
from hermes.store.sqlite.insights import InsightTable
from hermes.store.sqlite.lists import ListTable
from hermes.store.sqlite.messages import ERASE, MessageTable
from hermes.store.sqlite.meta import MetaTable
from hermes.store.sqlite.reserve import Reserve
from hermes.store.sqlite.routing import RoutingTable
from hermes.store.sqlite.schema import FULL_TEXT_TABLES
from hermes.store.sqlite.usage import UsageTable

if TYPE_CHECKING:
    from hermes.store.sqlite.check import Problem
    from hermes.store.sqlite.keeper import Keeper
    from hermes.store.sqlite.mend import Found
    from hermes.store.sqlite.recall import RecallTable as _Searching
    from hermes.store.sqlite.salvage import SalvageReport
else:

    class _Searching(BehindTable):
        """Search and recall are half of the engine's code. With the first question to them `RecallTable` takes this
        place among the bases of a reader, and who only lists never waits for it."""

        def __getattr__(self, name: str) -> Any:
            from hermes.store.sqlite.recall import RecallTable

            if not hasattr(RecallTable, name):
                raise AttributeError(f"a reader has no {name}")
            # Two threads may come here at once: the second finds it done, and does the same again.
            SqliteReader.__bases__ = tuple(RecallTable if base is _Searching else base for base in _TABLES)
            return object.__getattribute__(self, name)


T = TypeVar("T")
log = logging.getLogger("hermes.store")
_SCANNED_ROWS = 32  # so few are read faster than indexed
_READERS = 8  # kept open
_PAGES_AT_ONCE = 500
_open_engines: "weakref.WeakSet[SqliteEngine]" = weakref.WeakSet()


class SqliteReader(ListTable, MessageTable, UsageTable, InsightTable, MetaTable, CareTable, RoutingTable, _Searching):
    """Every table's questions, on one snapshot."""


_TABLES = SqliteReader.__bases__


class SqliteWriter(SqliteReader):
    """Every table's changes too, in one transaction."""

    deletes = False
    inserts = False

    def delete_messages(self, session_id: str, from_id: int = 0) -> int:
        self.deletes = True
        return super().delete_messages(session_id, from_id)

    def insert_messages(self, session_id: str, messages: Sequence[EncodedMessage]) -> list[int]:
        self.inserts = True
        return super().insert_messages(session_id, messages)


class SqliteEngine:
    def __init__(self, path: Path, *, read_only: bool = False, foreign: bool = False) -> None:
        self._pid_ok = True
        self._closed = False
        self._closing = threading.RLock()
        self._copies: list[Path] = []  # private ones, for reading what cannot be read in place
        self._readers: list[apsw.Connection] = []
        self._readers_lock = threading.Lock()
        self._keeper: Keeper | None = None
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
        _open_engines.add(self)

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
        self._readers.append(reader)

    def _connect_to_read(self) -> apsw.Connection:
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
        self._indexed_through = tables.indexed_through()

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
        connection = self._take_reader()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _take_reader(self) -> apsw.Connection:
        with self._readers_lock:
            if self._readers:
                return self._readers.pop()
        if self.read_only:
            return self._connect_to_read()
        return connections.connect(self.path)

    def _give_back(self, connection: apsw.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:
            connection.close()
            raise
        with self._readers_lock:
            if not self._closed and len(self._readers) < _READERS:
                self._readers.append(connection)
                return
        connection.close()

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
        """See mend.py. True when there was something to mend, and it is mended."""
        from hermes.store.sqlite import mend

        if self.read_only:
            return False
        try:
            with self._connection_to_read(apart=True) as connection:
                found = mend.unreadable_texts(connection)
            if found:
                self._gate.run(lambda: self._mend_found(found))
        except (apsw.Error, HermesError) as error:
            log.error("store %s: damaged texts stay as they are: %s", self.path, error)
            return False
        return bool(found)

    def _mend_found(self, found: "Found") -> None:
        from hermes.store.sqlite import mend

        writer = SqliteWriter(self._gate.connection, None)
        mend.mend_texts(writer.connection, found)
        writer.forget_index()
        self._indexed_through = 0
        log.error("store %s: %d damaged texts were made readable", self.path, len(found))

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
        if self._is_behind():
            self._wake_keeper()

    def _wake_keeper(self) -> None:
        from hermes.store.sqlite.keeper import Keeper

        try:
            if self._keeper is None:
                self._keeper = Keeper(self)
            self._keeper.wake()
        except RuntimeError as error:  # no thread to be had; a search, or close(), indexes as well
            log.warning("store %s: nobody indexes behind the writers: %s", self.path, error)

    # -- the index, and the write-ahead log

    def _is_behind(self) -> bool:
        """Whether a whole batch waits to be indexed, as far as this process knows."""
        return self._gate.last.last_message - self._indexed_through >= BATCH_ROWS

    def index_lag(self) -> int:
        with self.read(None) as reader:
            return reader.index_lag()

    def catch_up(self, *, deadline: float | None = None) -> bool:
        """Bring the index up to date, a batch at a time; True when it is."""
        more = True
        while more and (deadline is None or time.monotonic() < deadline):
            more = self.index_batch()
        return not more

    def index_batch(self) -> bool:
        """Index the next rows; True when there is more to do."""

        def batch(writer: SqliteWriter) -> tuple[bool, int]:
            return writer.index_batch(), writer.indexed_through()

        more, through = self.write(None, batch)
        self._indexed_through = through if more else self._gate.last.last_message
        return more

    def index_if_behind(self) -> bool:
        """Index a batch, unless another process has done it meanwhile; True when there is another one to do."""
        with self.read(None) as reader:
            self._indexed_through = reader.indexed_through()
        return self._is_behind() and self.index_batch() and self._is_behind()

    def prepare_search(self) -> None:
        if self.read_only:
            return
        behind = self.index_lag()
        if behind > _SCANNED_ROWS:
            try:
                self.catch_up()
            except StoreError as error:  # a full disk or a busy store: the search reads the tail itself
                log.warning("store %s: searching without the index of %d rows: %s", self.path, behind, error)

    def checkpoint(self, mode: str = "PASSIVE") -> tuple[int, int]:
        """Move the write-ahead log into the file: (frames in the log, frames moved).

        Writers wait meanwhile, for milliseconds: only a log that was moved completely is used again from its
        start, and writing in place is several times faster than growing the file with every commit.
        """
        with self._gate.alone(self._gate.patience) as connection:
            _busy, frames, moved = next(connection.execute(f"PRAGMA wal_checkpoint({mode})"))
        return frames, moved

    def optimize(self) -> None:
        """Fold the index into one piece, in short steps; what was deleted leaves no trace in it."""
        self.catch_up()
        for table in FULL_TEXT_TABLES:
            self.write(None, partial(CareTable.begin_merge, table=table))
            while self.write(None, partial(CareTable.merge_step, table=table)):
                pass

    def vacuum(self) -> bool:
        """Give free space back to the disk and leave no trace of what was deleted: the index is merged, free pages
        are cut off, the write-ahead log is emptied. Nobody waits long. False when a reader kept the log in use."""
        self._check_writable()
        self.optimize()
        with self.read(None) as reader:
            incremental = reader.one("PRAGMA auto_vacuum") == 2
        if incremental:
            while self.write(None, lambda writer: writer.release_pages(_PAGES_AT_ONCE)):
                pass
        else:
            self._rewrite()
        self.write(None, lambda writer: writer.set_meta(ERASE, None))
        return self._empty_log()

    def _rewrite(self) -> None:
        """A file from before incremental vacuum is written anew, once."""
        with self._gate.alone(None) as connection:
            self._gate.next_generation()
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            connection.execute("VACUUM")

    def _empty_log(self) -> bool:
        with self._gate.alone(self._gate.patience) as connection:
            try:
                busy, _frames, _moved = next(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
            except apsw.BusyError:
                busy = 1
        return not busy

    def rebuild_index(self) -> None:
        """Make the index anew from the messages; searches are complete all the while."""
        try:
            self.write(None, lambda writer: writer.forget_index())
            self.catch_up()
        except StoreCorrupt:
            self._make_index_tables_anew()
            self.catch_up()

    def _make_index_tables_anew(self) -> None:
        """Tables too damaged to be emptied are struck from the schema; the rewrite leaves their pages behind."""
        from hermes.store.sqlite.upgrade import strike_search_tables

        with self._gate.alone(None) as connection:
            strike_search_tables(connection)
        self._rewrite()

    def check(self) -> "list[Problem]":
        """Everything that is not as it should be. Nobody waits for it."""
        from hermes.store.sqlite import check

        with self.read(None, apart=True) as reader:
            return check.check(reader.connection)

    def repair(self) -> "list[Problem]":
        """Mend what can be derived anew (counts, places, index, payloads nobody has); returns what is left."""
        from hermes.store.sqlite.places import place_lineages
        from hermes.store.sqlite.salvage import mend_counts

        wanted = {problem.mend for problem in self.check()}
        if "counts" in wanted:
            self.write(None, lambda writer: mend_counts(writer.connection))
        if "places" in wanted:
            self.write(None, lambda writer: place_lineages(writer.connection))
        if "payloads" in wanted:
            self.write(None, lambda writer: writer.drop_all_unused_payloads())
        if "index" in wanted:
            self.rebuild_index()
        left = self.check()
        if any(problem.mend == "pages" for problem in left):
            self._rewrite()
            left = self.check()
        return left

    def backup(self, target: Path) -> None:
        """A committed copy while others read and write."""
        from hermes.store.sqlite.backup import copy_store

        if target.exists() or target.is_symlink():
            raise BadInput(f"{target} exists; choose another name.")
        with self.read(None, apart=True) as reader, translating(target):
            try:
                copy_store(reader.connection, target)
            except OSError as error:
                raise BadInput(f"{target} cannot be written ({error.strerror}); choose another place.") from error

    def restore(self, source: Path) -> Path:
        """The content of a verified backup in this store's place; others may have it open. The present content is
        kept beside it, and its path returned."""
        from hermes.store.sqlite import backup

        self._check_writable()
        kept = self.path.with_name(f"{self.path.name}.backup-{backup.stamp()}-before-restore")
        with self._gate.alone(None) as connection:
            part = None
            try:
                self.backup(kept)
                part = backup.prepare_restore(source, connection, self.path.parent)
                copy = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READONLY)
                with connection.backup("main", copy, "main") as run:
                    run.step()
                copy.close()
            finally:
                if part is not None:
                    part.unlink(missing_ok=True)
        self._forget_readers()
        self._indexed_through = 0
        return kept

    def _forget_readers(self) -> None:
        with self._readers_lock:
            for connection in self._readers:
                connection.close()
            self._readers.clear()

    def size(self) -> int:
        total = 0
        for suffix in ("", "-wal"):
            try:
                total += os.stat(f"{self.path}{suffix}").st_size
            except FileNotFoundError:
                pass
        return total

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
        _open_engines.discard(self)
        self._forget_readers()

    def _close_writer(self) -> None:
        """Wait for writers at work, then close, the writing connection last: it moves the log into the file
        and deletes it, when nobody else has the store open."""
        if self._keeper is not None:
            self._keeper.stop()
        if self._gate.writes or self.notices:
            self._finish_index()
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

    def _finish_index(self) -> None:
        """At close the index catches up, for readers with the stock shell; nothing depends on it."""
        try:
            with self.read(None) as reader:
                behind = reader.index_lag() > 0
            if behind:
                self.catch_up(deadline=time.monotonic() + 5)
        except HermesError as error:
            log.warning("store %s: the index stays behind: %s", self.path, error)

    def _erase(self) -> None:
        """Deleted means gone: whoever closes after a delete leaves no trace of it in the file."""
        try:
            with self.read(None) as reader:
                pending = reader.meta(ERASE) is not None
            if pending:
                self.vacuum()
        except HermesError as error:
            log.warning("store %s: traces of deleted sessions stay until the next close: %s", self.path, error)

    def _forget_in_child(self) -> None:
        """After fork: the child must neither use nor close the parent's connections. Closing would
        drop locks and may delete the write-ahead log, so they are leaked on purpose."""
        self._pid_ok = False
        leaked = [*self._readers]
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


def salvage(damaged: Path, target: Path) -> "SalvageReport":
    """A new store at `target` with every row of the damaged one that can be read."""
    from hermes.store.sqlite import salvage as salvaging

    if target.exists():
        raise BadInput(f"{target} exists; name a new file for what can be saved.")
    engine = SqliteEngine(target)
    try:
        with engine._gate.paused(), translating(damaged):
            report = salvaging.salvage(damaged, engine._gate.connection)
        engine.rebuild_index()
        engine.close()
    except HermesError:
        engine.close()
        for suffix in ("", "-wal", "-shm", ".lock", ".reserve"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        raise
    return report


@atexit.register
def _close_all() -> None:
    for engine in list(_open_engines):
        try:
            engine.close()
        except Exception as error:  # the end of the process: the others are to be closed all the same
            log.warning("store %s: closing failed: %s", engine.path, error)


def _after_fork_in_child() -> None:
    for engine in list(_open_engines):
        engine._forget_in_child()


def _before_fork() -> None:
    """What the child will need is loaded while the parent still can: after a fork nothing should be."""
    if _open_engines:
        import ctypes  # noqa: F401  (see _forget_in_child)


os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)
