"""What recall asks of the indexes: which words there are, where, and what a session looks like."""

from collections.abc import Sequence
from functools import lru_cache

from hermes.store.base import Filters
from hermes.store.searchable import shown
from hermes.store.sqlite.search import BEHIND_THE_INDEX, BY_MACHINE, SearchTable
from hermes.store.sqlite.table import LISTED, Row, listed
from hermes.store.words import unit_token

_MOST_FORMS = 60


class RecallTable(SearchTable):
    def indexed_messages(self) -> int:
        """About how many messages there are; exact where nothing was deleted."""
        return max(1, self.indexed_through())

    def vocabulary(self, prefix: str) -> dict[str, int]:
        sql = "SELECT term, doc FROM temp.hermes_words WHERE term >= ? AND term < ? AND length(term) <= ?"
        bounds = (prefix, prefix + "\U0010ffff", len(prefix) + 10)
        return dict(self.words(sql, bounds))

    def word_counts(self, forms: Sequence[str]) -> dict[int, float]:
        counts: dict[int, float] = {}
        for form in forms[:_MOST_FORMS]:
            sql = "SELECT doc, COUNT(*) FROM temp.hermes_places WHERE term = ? GROUP BY doc"
            for message_id, count in self.words(sql, (form,)):
                counts[message_id] = counts.get(message_id, 0) + count
        return counts

    def unit_counts(self, unit: str) -> dict[int, float]:
        sql = "SELECT rowid FROM messages_fts_short WHERE messages_fts_short MATCH ?"
        return {row[0]: 1 for row in self.connection.execute(sql, (f'"{unit_token(unit)}"',))}

    def unindexed(self) -> list[tuple[int, str]]:
        sql = f"""SELECT id, content, tool_name, tool_calls, kind, payload FROM messages
                  WHERE id IN ({BEHIND_THE_INDEX}) AND carried_from IS NULL"""
        rows = self.connection.execute(sql, (self.indexed_through(),))
        return [(row[0], self.searchable(row[1:])) for row in rows]

    def admit(self, message_ids: Sequence[int], filters: Filters) -> dict[int, tuple[str, str]]:
        where, bindings = self._where(filters)
        sql = f"""SELECT m.id, m.session_id, m.role FROM json_each(?) j
                  JOIN messages m ON m.id = j.value JOIN sessions s ON s.id = m.session_id WHERE 1 {where}"""
        rows = self.connection.execute(sql, [listed(message_ids), *bindings])
        return {row[0]: (row[1], row[2]) for row in rows}

    def outlines(self, session_ids: Sequence[str]) -> list[Row]:
        sql = f"""SELECT s.id AS session_id, s.title, s.source, s.started_at, s.active_at AS last_active, s.lineage_id,
                         {BY_MACHINE} AS by_machine FROM sessions s WHERE s.id IN {LISTED}"""
        found = list(self.rows(sql, (listed(session_ids),)))
        for row in found:  # ids and lengths are read off two indexes, not off the messages
            ids = """SELECT m.id, d.sz FROM messages m INDEXED BY idx_messages_order
                     LEFT JOIN messages_fts_docsize d ON d.id = m.id WHERE m.session_id = ? ORDER BY m.id"""
            row["messages"] = [
                (message_id, _words(size)) for message_id, size in self.connection.execute(ids, (row["session_id"],))
            ]
        return found

    def texts(self, message_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
        sql = f"""SELECT id, role, content, tool_name, tool_calls, kind, payload FROM messages
                  WHERE id IN {LISTED}"""
        rows = self.connection.execute(sql, (listed(message_ids),))
        return {
            message_id: (role, shown(content, tool_name, tool_calls, kind, self.payload_text(payload)).strip())
            for message_id, role, content, tool_name, tool_calls, kind, payload in rows
        }


@lru_cache(maxsize=16384)
def _words(size: bytes | None) -> int:
    """FTS5 keeps the number of words of each row as a variable-length integer."""
    count = 0
    for byte in size or b"":
        count = count << 7 | byte & 0x7F
    return count
