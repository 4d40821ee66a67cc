"""Salvage: everything that can still be read of a damaged store, in a new one.

A private copy is read, write-ahead log and all, so that the damaged files stay as they are. Silence is
never taken for an answer: which rows should be there is asked of each table, of its indexes and of
the sessions' own counts, and what cannot be read is named.
"""

import logging
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from hermes.errors import StoreCorrupt
from hermes.store.encode import Payload, unpack
from hermes.store.sqlite import upgrade
from hermes.store.sqlite.branches import mend_inner_pages
from hermes.store.sqlite.errors import translating
from hermes.store.sqlite.messages import MessageTable
from hermes.store.sqlite.table import scalar

log = logging.getLogger("hermes.store")
_PAGE = 4096
_ROUTING = ("routes", "inbox", "outbox")  # which not every store has
_TABLES = ("payloads", "sessions", "messages", "usage", "identity_links", "state_meta", *_ROUTING)
_TYPES: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (int, float), "BLOB": (bytes,)}
_LOST = "[This text could not be read from the damaged file.]"
_UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, UnicodeDecodeError)
_ALWAYS = {
    "idx_messages_key": "idempotency_key IS NOT NULL",
    "idx_messages_carried": "carried_from IS NOT NULL",
    "idx_messages_payload": "payload IS NOT NULL",
    "idx_sessions_title_unique": "title IS NOT NULL AND trashed_at IS NULL",
}


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


def salvage(damaged: Path, fresh: apsw.Connection) -> SalvageReport:
    """Fill a fresh store with every row of the damaged one that can still be read, numbers and all."""
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=Path(fresh.filename).parent) as folder:
        copy = Path(folder) / "damaged.db"
        with translating(damaged):
            store = DamagedStore(damaged, copy, fresh)
            fresh.execute("PRAGMA foreign_keys=OFF; BEGIN IMMEDIATE")
            for table in _TABLES:
                for row in store.rows(table):
                    _put(fresh, table, row, store.report)
            store.copy_tags()
            store.continue_numbers()
            _complete(fresh, store.report)
            fresh.execute("COMMIT; PRAGMA foreign_keys=ON")
        store.close()
        return store.report


class DamagedStore:
    """Reads what can be read of a copy, row by row where it must."""

    def __init__(self, damaged: Path, copy: Path, fresh: apsw.Connection) -> None:
        self.path = damaged
        self.report = SalvageReport()
        self._fresh = fresh
        for suffix in ("", "-wal", "-journal"):
            if damaged.with_name(damaged.name + suffix).exists():
                shutil.copyfile(damaged.with_name(damaged.name + suffix), copy.with_name(copy.name + suffix))
        self._open(copy)
        self._columns = {table: self._names(table) for table in _TABLES}

    def _open(self, copy: Path) -> None:
        try:
            self._connection = _connected(copy)
        except (apsw.CorruptError, apsw.NotADBError, StoreCorrupt):
            if not _borrow_schema(copy, self._fresh.serialize("main")):
                raise
            self._connection = _connected(copy)
            self.report.notes.append("the file's first page or its schema was damaged and was made anew")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.close()
        data = bytearray(copy.read_bytes())
        if mended := mend_inner_pages(data):
            copy.write_bytes(data)
            self.report.notes.append(f"{len(mended)} inner pages were damaged and were made anew")
        self._connection = _connected(copy)

    def _names(self, table: str) -> list[str]:
        """The columns both files have."""
        known = {row[1] for row in self._fresh.execute(f"PRAGMA table_info({table})")}
        return [name for (name,) in self._listed(f"SELECT name FROM pragma_table_info('{table}')") if name in known]

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Every readable row; the numbers of those that should be there and cannot be read go into the report."""
        kinds = {row[1]: (row[2], row[3]) for row in self._fresh.execute(f"PRAGMA table_info({table})")}
        seen: set[int] = set()
        for rowid in self._rowids(table):
            if rowid in seen:
                continue
            seen.add(rowid)
            row = self._row(table, rowid)
            if row is not None and _is_sound(row, kinds):
                yield self._without_nul(table, rowid, row)
            elif table == "messages":
                self.report.unreadable_messages.append(rowid)
            else:
                self.report.notes.append(f"{table} row {rowid} cannot be read")

    def _row(self, table: str, rowid: int) -> dict[str, Any] | None:
        names = self._columns[table]
        sql = f"SELECT {', '.join(names)} FROM {table} WHERE rowid = ?"
        try:
            values = self._connection.execute(sql, (rowid,)).fetchone()
        except (*_UNREADABLE, apsw.SQLError, apsw.TooBigError, apsw.NoMemError):
            return None
        return None if values is None else dict(zip(names, values, strict=True))

    def _without_nul(self, table: str, rowid: int, row: dict[str, Any]) -> dict[str, Any]:
        """No text of ours holds U+0000: where one does, its bytes are not what was stored."""
        if any(isinstance(value, str) and "\0" in value for value in row.values()):
            self.report.notes.append(f"{table} row {rowid} holds damaged text")
        return {name: value.replace("\0", "�") if isinstance(value, str) else value for name, value in row.items()}

    def _rowids(self, table: str) -> Iterator[int]:
        """Row numbers from every road that leads there."""
        if not self._columns[table]:
            if table in _ROUTING:
                return
            self.report.notes.append(f"the table {table} cannot be found")
            return
        yield from self._scan(f"SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid", table)
        yield from self._scan(f"SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid DESC", table)
        for (index,) in self._listed(f"SELECT name FROM pragma_index_list('{table}')"):
            yield from self._scan(
                f"SELECT rowid FROM {table} INDEXED BY {index} WHERE {_ALWAYS.get(index, '1')}", table
            )

    def _listed(self, sql: str) -> list[Any]:
        try:
            return list(self._connection.execute(sql))
        except (*_UNREADABLE, apsw.SQLError):
            return []

    def _scan(self, sql: str, table: str) -> Iterator[int]:
        try:
            for (rowid,) in self._connection.execute(sql):
                yield rowid
        except _UNREADABLE as error:
            log.info("salvage %s: %s ends early: %s", self.path, table, error)
            if "NOT INDEXED" in sql and "DESC" not in sql:
                self.report.notes.append(f"the table {table} is damaged; what its indexes name was looked for")
        except apsw.SQLError:
            return  # a partial index that cannot serve this question

    def copy_tags(self) -> None:
        try:
            for session_id, tag in self._connection.execute("SELECT session_id, tag FROM session_tags"):
                self._fresh.execute("INSERT OR IGNORE INTO session_tags VALUES (?, ?)", (str(session_id), str(tag)))
        except (*_UNREADABLE, apsw.SQLError):
            self.report.notes.append("some tags cannot be read")

    def continue_numbers(self) -> None:
        """A number that was used once is never used again, even of a message that is gone."""
        for name, seq in self._listed("SELECT name, seq FROM sqlite_sequence WHERE name <> 'commits'"):
            if isinstance(seq, int):
                self._fresh.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (seq, name))

    def close(self) -> None:
        self._connection.close()


def _connected(copy: Path) -> apsw.Connection:
    connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.execute("PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF").fetchall()
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    except apsw.Error:
        connection.close()
        raise
    if not {"sessions", "messages"} <= names:
        connection.close()
        raise StoreCorrupt("There are no sessions in this file; restore a backup.")
    return connection


def _borrow_schema(copy: Path, fresh: bytes) -> bool:
    """Put a fresh store's schema in the place of an unreadable one. Every store that began with this schema has the
    same tables at the same pages; False when the pages there show that this file is not one of them."""
    data = bytearray(copy.read_bytes())
    count = len(data) // _PAGE
    pages, roots = _layout(fresh)
    if any(number > count for number in (*pages, *roots)):
        return False
    if not all(data[(number - 1) * _PAGE] in kinds for number, kinds in roots.items()):
        return False
    for number in pages:
        data[(number - 1) * _PAGE : number * _PAGE] = fresh[(number - 1) * _PAGE : number * _PAGE]
    data[28:32] = count.to_bytes(4, "big")
    data[32:40] = bytes(8)  # no list of free pages: nothing is going to be written
    copy.write_bytes(data)
    return True


def _layout(fresh: bytes) -> tuple[list[int], dict[int, bytes]]:
    """The pages of a store's schema, and the root page of each table and index with the kinds it can be of."""
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", fresh[:18] + b"\x01\x01" + fresh[20:])  # in memory there is no write-ahead log
    pages = [number for (number,) in connection.execute("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")]
    sql = "SELECT rootpage, type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%' FROM sqlite_schema WHERE rootpage > 0"
    roots = {root: b"\x05\x0d" if is_table else b"\x02\x0a" for root, is_table in connection.execute(sql)}
    connection.close()
    return pages, roots


def _is_sound(row: dict[str, Any], kinds: dict[str, tuple[str, int]]) -> bool:
    """Whether each value is of the kind its column holds."""
    return all(
        isinstance(value, _TYPES.get(kinds[name][0], (object,))) if value is not None else not kinds[name][1]
        for name, value in row.items()
    )


def _put(fresh: apsw.Connection, table: str, row: dict[str, Any], report: SalvageReport) -> None:
    if table == "payloads" and not is_intact(row["digest"], row["codec"], row["size"], row["data"]):
        report.notes.append(f"payload {row['id']} is damaged")
        return
    fresh.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values())
    )
    if not fresh.changes() and table != "state_meta":  # the fresh store has values of its own there
        report.notes.append(f"a row of {table} contradicts another one ({row.get('id')})")


def is_intact(digest: bytes, codec: str, size: int, data: bytes) -> bool:
    try:
        return Payload.of(unpack(codec, size, data)).digest == digest
    except (StoreCorrupt, ValueError, MemoryError, OverflowError):
        return False


def _complete(fresh: apsw.Connection, report: SalvageReport) -> None:
    """Sessions whose own row is lost get a plain one, so that their messages can be read; then counts and places."""
    report.expected_messages = int(scalar(fresh, "SELECT COALESCE(SUM(message_count), 0) FROM sessions"))
    orphans = (
        "SELECT DISTINCT session_id, MIN(timestamp) FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)"
    )
    for session_id, started in list(fresh.execute(orphans + " GROUP BY session_id")):
        report.unreadable_sessions.append(session_id)
        fresh.execute("INSERT INTO sessions (id, source, started_at) VALUES (?, 'unknown', ?)", (session_id, started))
    _cut_loose(fresh, report)
    mend_counts(fresh)
    upgrade.place_lineages(fresh)
    report.sessions = int(scalar(fresh, "SELECT COUNT(*) FROM sessions"))
    report.messages = int(scalar(fresh, "SELECT COUNT(*) FROM messages"))
    held = int(scalar(fresh, "SELECT COALESCE(SUM(message_count), 0) FROM sessions"))
    if held < report.expected_messages:
        report.notes.append(f"{report.expected_messages - held} messages that the sessions count are not there")


def _cut_loose(fresh: apsw.Connection, report: SalvageReport) -> None:
    """What refers to something that is lost says so, instead of failing whoever reads it."""
    lost = "SELECT id FROM messages WHERE payload IS NOT NULL AND payload NOT IN (SELECT id FROM payloads)"
    report.unreadable_messages += [message_id for (message_id,) in fresh.execute(lost)]
    fresh.execute(f"UPDATE messages SET content = ?, kind = NULL, payload = NULL WHERE id IN ({lost})", (_LOST,))
    prompts = "prompt_payload IS NOT NULL AND prompt_payload NOT IN (SELECT id FROM payloads)"
    for (session_id,) in fresh.execute(f"SELECT id FROM sessions WHERE {prompts}"):
        report.notes.append(f"the prompt of session {session_id} is lost")
    fresh.execute(f"UPDATE sessions SET prompt_payload = NULL WHERE {prompts}")
    parents = "parent_session_id IS NOT NULL AND parent_session_id NOT IN (SELECT id FROM sessions)"
    for (session_id,) in fresh.execute(f"SELECT id FROM sessions WHERE {parents}"):
        report.notes.append(f"the parent of session {session_id} is lost")
    fresh.execute(f"UPDATE sessions SET parent_session_id = NULL WHERE {parents}")
    originals = "carried_from IS NOT NULL AND carried_from NOT IN (SELECT id FROM messages)"
    fresh.execute(f"UPDATE messages SET carried_from = NULL WHERE {originals}")  # the copy is what is left


def mend_counts(connection: apsw.Connection) -> None:
    tables = MessageTable(connection, None)
    for (session_id,) in list(connection.execute("SELECT id FROM sessions")):
        tables.recount(session_id)
