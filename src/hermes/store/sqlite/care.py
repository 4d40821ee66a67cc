"""Looking after sessions over years: what can go, what is put away, and how the file stays small."""

from collections.abc import Sequence
from typing import Any

from hermes.store.base import PruneQuery
from hermes.store.sqlite import schema
from hermes.store.sqlite.sessions import SessionTable
from hermes.store.sqlite.table import Row, marks

# By the rows themselves, not by our own columns: a hand with the stock shell may have been there.
_LAST_ACTIVITY = """COALESCE((SELECT MAX(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)"""
_TAGGED = "SELECT t.lineage_id FROM sessions t JOIN session_tags g ON g.session_id = t.id WHERE g.tag = ?"
_MERGE_PAGES = 64


class CareTable(SessionTable):
    def prunable(self, query: PruneQuery) -> list[Row]:
        """Conversations whose every part has ended and whose last activity is before the cutoff: lineage_id,
        last_active, source, and the ids of the parts, oldest conversation first. Pinned ones are not among them."""
        scope, owners = self.in_scope("s.owner")
        where, values = " AND s.trashed_at IS NULL" + scope, list[Any](owners)
        if query.sources is not None:
            where += f" AND s.source IN ({marks(query.sources)})"
            values += query.sources
        if query.tag is not None:
            where += f" AND s.lineage_id IN ({_TAGGED})"
            values.append(query.tag)
        if query.archived is not None:
            where += f" AND s.archived_at IS {'NOT ' if query.archived else ''}NULL"
        sql = f"""
            SELECT s.lineage_id, MAX({_LAST_ACTIVITY}) AS last_active, MIN(s.source) AS source,
                   SUM(s.message_count) AS messages, json_group_array(s.id) AS ids
            FROM sessions s WHERE 1{where} GROUP BY s.lineage_id
            HAVING MAX({_LAST_ACTIVITY}) < ? AND MIN(s.ended_at IS NOT NULL) = 1 AND MAX(COALESCE(s.pinned, 0)) = 0
               AND COUNT(*) = (SELECT COUNT(*) FROM sessions a WHERE a.lineage_id = s.lineage_id)
            ORDER BY 2"""
        return list(self.rows(sql, [*values, query.before]))

    def put_away(self, lineage_id: str, column: str, at: float | None, shelf: int | None) -> int:
        """Archive, trash or bring back every part of a conversation. Returns how many parts."""
        self.connection.execute(f"UPDATE sessions SET {_PUT_AWAY[column]} = ? WHERE lineage_id = ?", (at, lineage_id))
        parts = self.connection.changes()
        if shelf is None:
            self.place_lineage(lineage_id)
        else:
            self.connection.execute("UPDATE sessions SET shelf = ? WHERE lineage_id = ?", (schema.HIDDEN, lineage_id))
            self.connection.execute(
                """UPDATE sessions SET shelf = ? WHERE rowid = (SELECT rowid FROM sessions WHERE lineage_id = ?
                   ORDER BY started_at DESC, rowid DESC LIMIT 1)""",
                (shelf, lineage_id),
            )
        return parts

    def place_lineage(self, lineage_id: str) -> None:
        """Give the parts of one conversation their places in the ordinary lists again."""
        parts = self.parts(lineage_id)
        if not parts:
            return
        child = parts[0]["parent_session_id"] is not None and not self._is_branch(parts[0])
        for number, part in enumerate(parts):
            shelf = schema.HIDDEN
            if not child and len(parts) == 1:
                shelf = schema.WHOLE
            elif not child and number == len(parts) - 1:
                shelf = schema.TIP
            elif not child and number == 0:
                shelf = schema.ROOT
            self.update_session(part["id"], {"shelf": shelf})

    def _is_branch(self, part: Row) -> bool:
        """A conversation of its own, though it has a parent; what was delegated is not."""
        parent = self.session(part["parent_session_id"])
        if parent is None or parent["owner"] != part["owner"] or self._begins_like(part["id"], parent["id"]):
            return True
        follows = parent["ended_at"] is not None and parent["ended_at"] <= part["started_at"]
        return follows and parent["end_reason"] in ("branched", "compression")

    def _begins_like(self, session_id: str, other_id: str) -> bool:
        """Whether one was copied from the other: a parent that was opened again has forgotten its branches."""
        first = "SELECT timestamp, role, content, payload FROM messages WHERE session_id = ? ORDER BY id LIMIT 1"
        begins = self.connection.execute(first, (session_id,)).fetchone()
        return begins is not None and begins == self.connection.execute(first, (other_id,)).fetchone()

    def trashed_before(self, at: float) -> list[str]:
        """Ids of sessions that have been in the trash since before then."""
        scope, owners = self.in_scope()
        sql = f"SELECT id FROM sessions WHERE trashed_at < ?{scope} ORDER BY trashed_at"
        return [row[0] for row in self.connection.execute(sql, [at, *owners])]

    def set_tags(self, session_ids: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> None:
        for session_id in session_ids:
            self.connection.executemany(
                "INSERT OR IGNORE INTO session_tags (session_id, tag) VALUES (?, ?)", [(session_id, tag) for tag in add]
            )
            self.connection.executemany(
                "DELETE FROM session_tags WHERE session_id = ? AND tag = ?", [(session_id, tag) for tag in remove]
            )

    def tags(self, session_id: str) -> list[str]:
        sql = """SELECT DISTINCT g.tag FROM session_tags g JOIN sessions s ON s.id = g.session_id
                 WHERE s.lineage_id = (SELECT lineage_id FROM sessions WHERE id = ?) ORDER BY g.tag"""
        return [row[0] for row in self.connection.execute(sql, (session_id,))]

    def drop_all_unused_payloads(self) -> None:
        self.drop_unused_payloads({row[0] for row in self.connection.execute("SELECT id FROM payloads")})

    # -- the file itself

    def begin_merge(self, table: str) -> None:
        """Ask FTS5 to fold all segments of an index into one; `merge_step` does it piece by piece."""
        self.connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', -1)")

    def merge_step(self, table: str) -> bool:
        """One short step towards an index in one piece, without a trace of what was deleted. True: more to do."""
        before = self.connection.total_changes()
        self.connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', ?)", (_MERGE_PAGES,))
        return self.connection.total_changes() - before >= 2

    def free_pages(self) -> int:
        return int(self.one("PRAGMA freelist_count"))

    def release_pages(self, pages: int) -> bool:
        """Cut free pages off the file; True when there are more."""
        self.connection.execute(f"PRAGMA incremental_vacuum({int(pages)})").fetchall()
        return self.free_pages() > 0


_PUT_AWAY = {"archived": "archived_at", "trashed": "trashed_at"}
