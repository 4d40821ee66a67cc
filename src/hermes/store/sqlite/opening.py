"""From a path to a store that is ready: create, recognise, upgrade, or refuse.

What a file can be, and what happens:

    empty                       ours from now on, created in one transaction by whoever comes first
    schema 1 … 11               a Hermes store of the documented history: backed up, then upgraded
    schema 12 with our mark     opened
    a later schema, or schema 12 and more without our mark      refused for writing, readable
    anything else               refused; never written to
"""

import logging
from pathlib import Path

import apsw

from hermes.errors import StoreCorrupt, StoreReplaced, StoreTooNew, StoreUnavailable
from hermes.paths import create_private_file
from hermes.store.sqlite import schema
from hermes.store.sqlite.connection import connect, network_filesystem, sqlite_warning
from hermes.store.sqlite.gate import stored
from hermes.store.sqlite.guard import Guard, Record
from hermes.store.sqlite.identity import log_is_anothers
from hermes.store.sqlite.table import scalar

log = logging.getLogger("hermes.store")


def open_store(path: Path, guard: Guard, record: Record | None) -> tuple[apsw.Connection, bool, list[str]]:
    """A writing connection to a store of our schema, whether it uses a write-ahead log, and notices."""
    notices = [notice for notice in (sqlite_warning(),) if notice]
    connection = connect(path)
    refuse_anothers_log(path, connection)
    version, ours = state_of(connection)
    if version is None and record is not None and record.last_message:
        notices.append(
            f"{path} is empty, but {record.last_message} messages had been stored in it; a new store begins. "
            "If that is wrong, restore a backup."
        )
        log.error("%s", notices[-1])
    if version is None or (version < schema.SCHEMA_VERSION):
        notices += _make_current(path, connection, guard)
    elif version > schema.SCHEMA_VERSION or not ours:
        connection.close()
        raise StoreTooNew(path, version, schema.SCHEMA_VERSION, ours=ours)
    elif scalar(connection, "SELECT 1 FROM sqlite_master WHERE name = 'outbox'") is None:
        connection.execute(schema.ROUTING)
    wal = _journal(path, connection, notices)
    notices += _loss(path, connection, record)
    return connection, wal, notices


def refuse_anothers_log(path: Path, connection: apsw.Connection) -> None:
    if log_is_anothers(connection):
        connection.close()
        raise StoreReplaced(
            f"{path}-wal belongs to another file: {path.name} was replaced after a crash, or while it was open. "
            "Nothing was changed. Close Hermes everywhere; then put the former file back, or go on with the present "
            f"one by moving {path.name}-wal and {path.name}-shm away."
        )


def state_of(connection: apsw.Connection) -> tuple[int | None, bool]:
    """(schema version, our mark); None for a file without tables. StoreCorrupt for a stranger's. Seen at one moment:
    another process may be upgrading the file."""
    alone = not connection.in_transaction
    if alone:
        connection.execute("BEGIN")
    try:
        return _state_seen(connection)
    finally:
        if alone and connection.in_transaction:
            connection.execute("COMMIT")


def _state_seen(connection: apsw.Connection) -> tuple[int | None, bool]:
    ours = scalar(connection, "PRAGMA application_id") == schema.APPLICATION_ID
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return None, ours
    if not {"sessions", "messages"} <= tables:
        raise StoreCorrupt(
            f"{connection.filename} is a database of another program (no sessions in it); name another file."
        )
    if "schema_version" not in tables:
        return 1, ours
    versions = [row[0] for row in connection.execute("SELECT version FROM schema_version")]
    return max((int(version) for version in versions if version is not None), default=1), ours


def readable_copy(path: Path, connection: apsw.Connection) -> Path | None:
    """A file of another schema is read from an upgraded private copy (None: it can be read as it is)."""
    version, ours = state_of(connection)
    if version is None:
        raise StoreUnavailable(f"{path} is empty; there is nothing to read yet.")
    if version >= schema.SCHEMA_VERSION and ours:
        return None
    import tempfile

    from hermes.store.sqlite import upgrade

    folder = Path(tempfile.mkdtemp(prefix="hermes-read-"))
    create_private_file(folder / path.name)
    copy = apsw.Connection(str(folder / path.name))
    with copy.backup("main", connection, "main") as backup:
        backup.step()
    copy.execute("PRAGMA journal_mode=DELETE").fetchall()
    if not ours and version >= schema.SCHEMA_VERSION:
        upgrade.make_plain(copy)
    upgrade.upgrade(folder / path.name, copy, version)
    copy.close()
    return folder / path.name


def _make_current(path: Path, connection: apsw.Connection, guard: Guard) -> list[str]:
    """Create or upgrade, one process at a time; the others wait as long as that one lives."""
    from hermes.store.sqlite import upgrade

    guard.acquire(None)
    try:
        version, ours = state_of(connection)
        if version is None:
            _create(connection)
            return []
        if version < schema.SCHEMA_VERSION:
            return upgrade.upgrade(path, connection, version)
        if version > schema.SCHEMA_VERSION or not ours:
            raise StoreTooNew(path, version, schema.SCHEMA_VERSION, ours=ours)
        return []
    finally:
        guard.release()


def _create(connection: apsw.Connection) -> None:
    from hermes.store.sqlite import upgrade

    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    upgrade.patiently(connection, "BEGIN IMMEDIATE")
    try:
        if state_of(connection)[0] is None:  # where file locks do not work, another one may have been faster
            connection.execute(schema.ALL)
            upgrade.schema_rows(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()  # a lost log must not take the tables along
    except apsw.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _journal(path: Path, connection: apsw.Connection, notices: list[str]) -> bool:
    """WAL, except on a network file system, where its shared memory does not work."""
    network = network_filesystem(path)
    mode = scalar(connection, "PRAGMA journal_mode")
    if network is None:
        if mode != "wal":
            mode = scalar(connection, "PRAGMA journal_mode=WAL")
    elif mode == "wal":
        mode = scalar(connection, "PRAGMA journal_mode=DELETE")
    if network is not None:
        notices.append(f"{path} lies on a network file system ({network}); it works, more slowly and without WAL.")
    return bool(mode == "wal")


def _loss(path: Path, connection: apsw.Connection, record: Record | None) -> list[str]:
    """Less there than was acknowledged? Say so, once, with numbers."""
    store_id = connection.execute("SELECT value FROM state_meta WHERE key = 'store_id'").fetchone()
    if record is None or store_id is None or bytes.fromhex(store_id[0]) != record.store_id:
        return []
    present = stored(connection, record.store_id)
    messages = max(0, record.last_message - present.last_message)
    calls = max(0, record.last_usage - present.last_usage)
    commits = max(0, record.commits - present.commits)
    if not messages and not calls and not commits:
        return []
    notice = (
        f"{path}: {commits} changes that were saved are missing, among them {messages} messages and {calls} usage "
        f"records (the last message was {record.last_message}, the store ends at {present.last_message}). If no older "
        "copy was put in its place, its -wal file was deleted or damaged: restore a backup if you have one."
    )
    log.error("%s", notice)
    return [notice]
