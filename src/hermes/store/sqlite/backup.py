"""Copies that can be trusted: online backup, verified restore, and salvage from a damaged file."""

import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from hermes.errors import BadInput, StoreCorrupt
from hermes.store.sqlite import schema, upgrade
from hermes.store.sqlite.errors import translating
from hermes.store.sqlite.messages import MessageTable
from hermes.store.sqlite.table import scalar

log = logging.getLogger("hermes.store")


def copy_store(source: apsw.Connection, target: Path) -> None:
    """A committed, compact copy of what `source` sees, checked; it appears complete or not at all, 0600."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    try:
        copy = apsw.Connection(str(part))
        with copy.backup("main", source, "main") as backup:
            backup.step()
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()
        verify(copy, target)
        copy.close()
        _sync(part)
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)


def verify(connection: apsw.Connection, path: Path) -> None:
    """StoreCorrupt unless this is a whole store of ours."""
    with translating(path):
        result = scalar(connection, "PRAGMA quick_check(1)")
        mark = scalar(connection, "PRAGMA application_id")
    if result != "ok":
        raise StoreCorrupt(f"{path} does not pass SQLite's check ({result}); use another backup.")
    if mark != schema.APPLICATION_ID:
        raise StoreCorrupt(f"{path} is not a backup of a Hermes store; name another file.")


def prepare_restore(backup: Path, live: apsw.Connection, folder: Path) -> Path:
    """A private copy of the backup that continues the live store's numbers, so that no id is used twice and no open
    process takes it for a foreign file."""
    if not backup.is_file():
        raise BadInput(f"{backup} does not exist; `hermes sessions backup` makes one.")
    target = folder / f".restore.{os.getpid()}.part"
    with translating(backup):
        source = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
        verify(source, backup)
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        copy = apsw.Connection(str(target))
        with copy.backup("main", source, "main") as run:
            run.step()
        source.close()
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()
        for name, seq in live.execute("SELECT name, seq FROM sqlite_sequence"):
            copy.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (seq, name))
        copy.execute(f"PRAGMA user_version = {int(scalar(live, 'PRAGMA user_version')) + 1}")
        copy.close()
    return target


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(slots=True)
class SalvageReport:
    """What could be read of a damaged store, and what could not."""

    sessions: int = 0
    messages: int = 0
    expected_messages: int = 0
    unreadable_sessions: list[str] = field(default_factory=list)
    unreadable_messages: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return not self.unreadable_messages and not self.unreadable_sessions and not self.notes


class DamagedStore:
    """Reads what can be read, row by row where it must, and never takes silence for an answer: which rows
    should be there is asked of the table, of its indexes and of the sessions' own counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.report = SalvageReport()
        with translating(path):
            self._connection = apsw.Connection(
                f"{path.as_uri()}?mode=ro&immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            )
            self._connection.execute("PRAGMA cell_size_check=ON")
            self._columns = {name: self._names(name) for name in ("sessions", "messages", "payloads", "usage")}

    def _names(self, table: str) -> list[str]:
        return [row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")]

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Every readable row; the numbers of those that should be there and cannot be read go into the report."""
        seen: set[int] = set()
        for rowid in self._rowids(table):
            if rowid in seen:
                continue
            seen.add(rowid)
            row = self._row(table, rowid)
            if row is not None:
                yield row
            elif table == "messages":
                self.report.unreadable_messages.append(rowid)
            else:
                self.report.notes.append(f"{table} row {rowid} cannot be read")

    def _row(self, table: str, rowid: int) -> dict[str, Any] | None:
        names = self._columns[table]
        sql = f"SELECT {', '.join(names)} FROM {table} WHERE rowid = ?"
        try:
            values = self._connection.execute(sql, (rowid,)).fetchone()
        except (apsw.CorruptError, apsw.IOError, UnicodeDecodeError):
            return None
        return None if values is None else dict(zip(names, values, strict=True))

    def _rowids(self, table: str) -> Iterator[int]:
        """Row numbers from every road that leads there."""
        yield from self._scan(f"SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid", table)
        yield from self._scan(f"SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid DESC", table)
        for (index,) in self._listed(f"SELECT name FROM pragma_index_list('{table}')"):
            yield from self._scan(
                f"SELECT rowid FROM {table} INDEXED BY {index} WHERE {_ALWAYS.get(index, '1')}", table
            )

    def _listed(self, sql: str) -> list[Any]:
        try:
            return list(self._connection.execute(sql))
        except (apsw.CorruptError, apsw.SQLError, apsw.IOError):
            return []

    def _scan(self, sql: str, table: str) -> Iterator[int]:
        try:
            for (rowid,) in self._connection.execute(sql):
                yield rowid
        except (apsw.CorruptError, apsw.IOError) as error:
            log.info("salvage %s: %s ends early: %s", self.path, table, error)
        except apsw.SQLError:
            return  # a partial index that cannot serve this question

    def close(self) -> None:
        self._connection.close()


_ALWAYS = {
    "idx_messages_key": "idempotency_key IS NOT NULL",
    "idx_messages_carried": "carried_from IS NOT NULL",
    "idx_messages_payload": "payload IS NOT NULL",
    "idx_sessions_title_unique": "title IS NOT NULL AND trashed_at IS NULL",
}


def salvage(damaged: Path, fresh: apsw.Connection) -> SalvageReport:
    """Fill a fresh store with every row of the damaged one that can still be read, numbers and all."""
    store = DamagedStore(damaged)
    fresh.execute("PRAGMA foreign_keys=OFF; BEGIN IMMEDIATE")
    for table in ("payloads", "sessions", "messages", "usage"):
        for row in store.rows(table):
            _put(fresh, table, row)
    _complete(fresh, store.report)
    fresh.execute("COMMIT; PRAGMA foreign_keys=ON")
    store.close()
    return store.report


def _put(fresh: apsw.Connection, table: str, row: dict[str, Any]) -> None:
    known = {"sessions": schema.SESSION_COLUMNS, "messages": schema.MESSAGE_COLUMN_TYPES}.get(table)
    values = {name: value for name, value in row.items() if known is None or name in known}
    fresh.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        list(values.values()),
    )


def _complete(fresh: apsw.Connection, report: SalvageReport) -> None:
    """Sessions whose own row is lost get a plain one, so that their messages can be read; then counts and places."""
    orphans = (
        "SELECT DISTINCT session_id, MIN(timestamp) FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)"
    )
    for session_id, started in list(fresh.execute(orphans + " GROUP BY session_id")):
        report.unreadable_sessions.append(session_id)
        fresh.execute("INSERT INTO sessions (id, source, started_at) VALUES (?, 'unknown', ?)", (session_id, started))
    report.expected_messages = int(scalar(fresh, "SELECT COALESCE(SUM(message_count), 0) FROM sessions"))
    mend_counts(fresh)
    upgrade.place_lineages(fresh)
    report.sessions = int(scalar(fresh, "SELECT COUNT(*) FROM sessions"))
    report.messages = int(scalar(fresh, "SELECT COUNT(*) FROM messages"))
    held = int(scalar(fresh, "SELECT COALESCE(SUM(message_count), 0) FROM sessions"))
    if held < report.expected_messages:
        report.notes.append(f"{report.expected_messages - held} messages that the sessions count are not there")


def mend_counts(connection: apsw.Connection) -> None:
    tables = MessageTable(connection, None)
    for (session_id,) in list(connection.execute("SELECT id FROM sessions")):
        tables.recount(session_id)


def stamp() -> str:
    return time.strftime("%Y%m%d-%H%M%S")
