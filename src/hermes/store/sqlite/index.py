"""The full-text index: behind the appends, never stale, exact.

An append stores the message and nothing else. Ids are handed out inside the one write transaction,
so "indexed through id N" is exact: rows above N are the tail that a search reads itself, rows at or
below N are in the index, or in the queue the triggers fill when somebody changes or deletes one.
Each batch commits its rows and the new N together.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from hermes.store.searchable import searchable
from hermes.store.sqlite.behind import BATCH_ROWS, INDEX_VERSION, BehindTable
from hermes.store.sqlite.messages import MessageTable
from hermes.store.sqlite.schema import FULL_TEXT_TABLES
from hermes.store.sqlite.table import LISTED, listed
from hermes.store.words import fold, spaced_out, unit_token, units, unspaced_chunks

BATCH_CHARS = 1_000_000
QUEUE_ROWS = 64  # taking old texts out while others write
QUEUE_CHARS = 100_000
_HASH_BYTES = 16 * 1024 * 1024

_INSERTS = (
    "INSERT INTO messages_fts (rowid, content) VALUES (?, ?)",
    "INSERT INTO messages_fts_trigram (rowid, content) VALUES (?, ?)",
    "INSERT INTO messages_fts_short (rowid, units) VALUES (?, ?)",
)
_DELETES = (
    "INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', ?, ?)",
    "INSERT INTO messages_fts_trigram (messages_fts_trigram, rowid, content) VALUES ('delete', ?, ?)",
    "INSERT INTO messages_fts_short (messages_fts_short, rowid, units) VALUES ('delete', ?, ?)",
)
_TEXT_COLUMNS = "content, tool_name, tool_calls, kind, payload"
_UNPACKED = "(SELECT size FROM payloads WHERE payloads.id = payload)"


class IndexTable(BehindTable):
    def set_up_index(self) -> None:
        """Settings of the fresh tables, and the mark that nothing is indexed yet."""
        for name in FULL_TEXT_TABLES:
            self.connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('hashsize', ?)", (_HASH_BYTES,))
            self.connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('automerge', 8)")
        self._set("indexed_through", 0)
        self._set("index_version", INDEX_VERSION)

    def index_batch(self) -> bool:
        """Index the next rows; True when there is more to do."""
        if self.one("SELECT value FROM state_meta WHERE key = 'index_version'") != INDEX_VERSION:
            self.forget_index()
        if self._apply_queue():
            return True
        through = self.indexed_through()
        rows = self._next_rows(through)
        if rows:
            self._feed(_INSERTS, [(row[0], self.searchable(row[1:6])) for row in rows if row[6] is None])
            self._set("indexed_through", rows[-1][0])
            self._notice_foreign_rows(rows[0][0], rows[-1][0])
        return len(rows) >= BATCH_ROWS or (bool(rows) and self._more_after(rows[-1][0]))

    def forget_index(self) -> None:
        """Empty the three tables; everything is behind the index again."""
        for name in FULL_TEXT_TABLES:
            self.connection.execute(f"INSERT INTO {name}({name}) VALUES ('delete-all')")
        self.connection.execute("DELETE FROM index_queue")
        self._set("indexed_through", 0)
        self._set("index_version", INDEX_VERSION)

    def _next_rows(self, through: int) -> list[tuple[Any, ...]]:
        sql = f"SELECT id, {_TEXT_COLUMNS}, carried_from, {_UNPACKED} FROM messages WHERE id > ? ORDER BY id LIMIT ?"
        return self._limited(sql, (through, BATCH_ROWS), BATCH_CHARS)

    def _limited(self, sql: str, bindings: tuple[int, ...], most: int) -> list[tuple[Any, ...]]:
        """Rows up to so many characters of text, so that no batch keeps writers waiting."""
        rows: list[tuple[Any, ...]] = []
        chars = 0
        for row in self.connection.execute(sql, bindings):
            rows.append(row)
            chars += sum(len(value) for value in row if isinstance(value, str)) + (row[-1] or 0)
            if chars > most:
                break
        return rows

    def _more_after(self, message_id: int) -> bool:
        return self.one("SELECT 1 FROM messages WHERE id > ? LIMIT 1", (message_id,)) is not None

    def _apply_queue(self) -> bool:
        """Take old texts out, put present ones in. True when the queue was not empty."""
        sql = f"""SELECT message_id, was_indexed, {_TEXT_COLUMNS}, {_UNPACKED} FROM index_queue
                  ORDER BY message_id LIMIT ?"""
        queued = self._limited(sql, (QUEUE_ROWS,), QUEUE_CHARS)
        if not queued:
            return False
        through = self.indexed_through()
        if self._replaced([row[0] for row in queued if not row[1]]):
            self.forget_index()
            return True
        self._feed(_DELETES, [(row[0], self.searchable(row[2:7])) for row in queued if row[1] and row[0] <= through])
        present = []
        for row in queued:
            now = self.connection.execute(
                f"SELECT {_TEXT_COLUMNS} FROM messages WHERE id = ? AND id <= ? AND carried_from IS NULL",
                (row[0], through),
            ).fetchone()
            if now is not None:
                present.append((row[0], self.searchable(now)))
        self._feed(_INSERTS, present)
        self.connection.executemany("DELETE FROM index_queue WHERE message_id = ?", [(row[0],) for row in queued])
        self.drop_unused_payloads({row[6] for row in queued if row[6] is not None})
        return True

    def _replaced(self, message_ids: Sequence[int]) -> bool:
        """Whether one of these came in place of a row that the index holds: INSERT OR REPLACE in the stock shell tells
        no trigger what was there before, so its old text cannot be taken out."""
        held = f"SELECT 1 FROM messages_fts_docsize WHERE id IN {LISTED} LIMIT 1"
        return bool(message_ids) and self.one(held, (listed(message_ids),)) is not None

    def _feed(self, statements: Sequence[str], rows: Iterable[tuple[int, str]]) -> None:
        """Give each text to the three tables, in the form each takes."""
        words, trigrams, shorts = [], [], []
        for message_id, text in rows:
            folded = fold(text)
            words.append((message_id, spaced_out(folded)))
            chunks = unspaced_chunks(folded)
            if chunks:
                trigrams.append((message_id, chunks))
            found = units(folded)
            if found:
                shorts.append((message_id, " ".join(map(unit_token, found))))
        for statement, fed in zip(statements, (words, trigrams, shorts), strict=True):
            if fed:
                self.connection.executemany(statement, fed)

    def searchable(self, columns: Sequence[Any]) -> str:
        """The text of a row as search sees it: content, tool name, tool calls."""
        content, tool_name, tool_calls, kind, payload = columns
        return searchable(content, tool_name, tool_calls, kind, self.payload_text(payload))

    def _notice_foreign_rows(self, first: int, last: int) -> None:
        """Rows another program inserted leave our list columns behind; bring those sessions up to date."""
        self.connection.execute(
            """UPDATE sessions SET active_at = seen.latest
               FROM (SELECT session_id, MAX(timestamp) AS latest FROM messages
                     WHERE id BETWEEN ? AND ? GROUP BY session_id) AS seen
               WHERE seen.session_id = sessions.id AND sessions.active_at < seen.latest""",
            (first, last),
        )
        orphans = self.connection.execute(
            """SELECT DISTINCT m.session_id FROM messages m JOIN sessions s ON s.id = m.session_id
               WHERE m.id BETWEEN ? AND ? AND m.role = 'user' AND m.content IS NOT NULL AND s.opening IS NULL""",
            (first, last),
        )
        messages = MessageTable(self.connection, None)
        for (session_id,) in list(orphans):
            messages.recount(session_id)

    def _set(self, key: str, value: object) -> None:
        self.connection.execute("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)", (key, str(value)))
