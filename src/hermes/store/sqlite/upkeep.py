"""What keeps a store small, sound and safe: fold the index, give space back, check, mend, back up and restore.

Loaded when it is wanted: most commands never do any of it.
"""

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from hermes.errors import BadInput, HermesError, StoreCorrupt
from hermes.store.sqlite.care import CareTable
from hermes.store.sqlite.errors import translating
from hermes.store.sqlite.gate import Gate
from hermes.store.sqlite.messages import ERASE
from hermes.store.sqlite.schema import FULL_TEXT_TABLES

if TYPE_CHECKING:
    from hermes.store.sqlite.check import Problem
    from hermes.store.sqlite.engine import SqliteEngine
    from hermes.store.sqlite.salvage import SalvageReport

_PAGES_AT_ONCE = 500
log = logging.getLogger("hermes.store")


def optimize(engine: "SqliteEngine") -> None:
    """Fold the index into one piece, in short steps; what was deleted leaves no trace in it."""
    engine.catch_up()
    for table in FULL_TEXT_TABLES:
        engine.write(None, partial(CareTable.begin_merge, table=table))
        while engine.write(None, partial(CareTable.merge_step, table=table)):
            pass


def vacuum(engine: "SqliteEngine", gate: Gate) -> bool:
    """Give free space back to the disk and leave no trace of what was deleted: the index is merged, free pages
    are cut off, the write-ahead log is emptied. Nobody waits long. False when a reader kept the log in use."""
    optimize(engine)
    with engine.read(None) as reader:
        incremental = reader.one("PRAGMA auto_vacuum") == 2
    if incremental:
        while engine.write(None, lambda writer: writer.release_pages(_PAGES_AT_ONCE)):
            pass
    else:
        _rewrite(gate)
    engine.write(None, lambda writer: writer.set_meta(ERASE, None))
    return _empty_log(gate)


def _rewrite(gate: Gate) -> None:
    """A file from before incremental vacuum is written anew, once."""
    with gate.alone(None) as connection:
        gate.next_generation()
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("VACUUM")


def _empty_log(gate: Gate) -> bool:
    with gate.alone(gate.patience) as connection:
        try:
            busy, _frames, _moved = next(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        except apsw.BusyError:
            busy = 1
    return not busy


def rebuild_index(engine: "SqliteEngine", gate: Gate) -> None:
    """Make the index anew from the messages; searches are complete all the while."""
    try:
        engine.write(None, lambda writer: writer.forget_index())
        engine.catch_up()
    except StoreCorrupt:
        _make_index_tables_anew(gate)
        engine.catch_up()


def _make_index_tables_anew(gate: Gate) -> None:
    """Tables too damaged to be emptied are struck from the schema; the rewrite leaves their pages behind."""
    from hermes.store.sqlite.upgrade import strike_search_tables

    with gate.alone(None) as connection:
        strike_search_tables(connection)
    _rewrite(gate)


def check(engine: "SqliteEngine") -> "list[Problem]":
    """Everything that is not as it should be. Nobody waits for it."""
    from hermes.store.sqlite import check

    with engine.read(None, apart=True) as reader:
        return check.check(reader.connection)


def repair(engine: "SqliteEngine", gate: Gate) -> "list[Problem]":
    """Mend what can be derived anew (counts, places, index, payloads nobody has); returns what is left."""
    from hermes.store.sqlite.places import place_lineages
    from hermes.store.sqlite.salvage import mend_counts

    wanted = {problem.mend for problem in check(engine)}
    if "counts" in wanted:
        engine.write(None, lambda writer: mend_counts(writer.connection))
    if "places" in wanted:
        engine.write(None, lambda writer: place_lineages(writer.connection))
    if "payloads" in wanted:
        engine.write(None, lambda writer: writer.drop_all_unused_payloads())
    if "index" in wanted:
        rebuild_index(engine, gate)
    left = check(engine)
    if any(problem.mend == "pages" for problem in left):
        _rewrite(gate)
        left = check(engine)
    return left


def mend_texts(engine: "SqliteEngine", gate: Gate) -> bool:
    """See mend.py. True when there was something to mend, and it is mended; then the index is made anew."""
    from hermes.store.sqlite import mend
    from hermes.store.sqlite.snapshot import SqliteWriter

    def mended() -> None:
        writer = SqliteWriter(gate.connection, None)
        mend.mend_texts(writer.connection, found)
        writer.forget_index()

    try:
        with engine.read(None, apart=True) as reader:
            found = mend.unreadable_texts(reader.connection)
        if found:
            gate.run(mended)
            log.error("store %s: %d damaged texts were made readable", engine.path, len(found))
    except (apsw.Error, HermesError) as error:
        log.error("store %s: damaged texts stay as they are: %s", engine.path, error)
        return False
    return bool(found)


def backup(engine: "SqliteEngine", target: Path) -> None:
    """A committed copy while others read and write."""
    from hermes.store.sqlite.backup import copy_store

    if target.exists() or target.is_symlink():
        raise BadInput(f"{target} exists; choose another name.")
    with engine.read(None, apart=True) as reader, translating(target):
        try:
            copy_store(reader.connection, target)
        except OSError as error:
            raise BadInput(f"{target} cannot be written ({error.strerror}); choose another place.") from error


def restore(engine: "SqliteEngine", gate: Gate, source: Path) -> Path:
    """The content of a verified backup in this store's place; others may have it open. The present content is
    kept beside it, and its path returned."""
    from hermes.store.sqlite.backup import prepare_restore, stamp

    kept = engine.path.with_name(f"{engine.path.name}.backup-{stamp()}-before-restore")
    with gate.alone(None) as connection:
        part = None
        try:
            backup(engine, kept)
            part = prepare_restore(source, connection, engine.path.parent)
            copy = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READONLY)
            with connection.backup("main", copy, "main") as run:
                run.step()
            copy.close()
        finally:
            if part is not None:
                part.unlink(missing_ok=True)
    return kept


def salvage(damaged: Path, target: Path) -> "SalvageReport":
    """A new store at `target` with every row of the damaged one that can be read."""
    from hermes.store.sqlite import salvage as salvaging
    from hermes.store.sqlite.engine import SqliteEngine

    if target.exists():
        raise BadInput(f"{target} exists; name a new file for what can be saved.")
    engine = SqliteEngine(target)
    try:
        with engine.paused() as connection, translating(damaged):
            report = salvaging.salvage(damaged, connection)
        engine.rebuild_index()
        engine.close()
    except HermesError:
        engine.close()
        for suffix in ("", "-wal", "-shm", ".lock", ".reserve"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        raise
    return report
