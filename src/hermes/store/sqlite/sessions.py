"""The sessions table: one row a session."""

from typing import Any

from hermes.store.encode import Payload
from hermes.store.sqlite.schema import SESSION_COLUMNS, WHOLE
from hermes.store.sqlite.table import Row, Table

ALL = ", ".join(SESSION_COLUMNS)
_NEWEST_CONTINUATION = """
    SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
    WHERE p.id = ? AND p.end_reason = 'compression' AND c.started_at >= p.ended_at AND c.trashed_at IS NULL
      AND c.lineage_id = p.lineage_id%s
    ORDER BY c.started_at DESC, c.rowid DESC LIMIT 1
"""


class SessionTable(Table):
    def session(self, session_id: str) -> Row | None:
        where, owners = self.in_scope()
        row = next(self.rows(f"SELECT {ALL} FROM sessions WHERE id = ?{where}", [session_id, *owners]), None)
        return row and self.with_prompt(row)

    def with_prompt(self, row: Row) -> Row:
        if row["prompt_payload"] is not None:
            row["system_prompt"] = self.payload_text(row["prompt_payload"])
        return row

    def session_ids(self, prefix: str, limit: int) -> list[str]:
        where, owners = self.in_scope()
        # A range, not LIKE: `_` is common in ids and must not be a wildcard.
        sql = f"""SELECT id FROM sessions WHERE id >= ? AND id < ? AND trashed_at IS NULL{where}
                  ORDER BY started_at DESC LIMIT ?"""
        bindings = [prefix, prefix + "\U0010ffff", *owners, limit]
        return [row[0] for row in self.connection.execute(sql, bindings)]

    def titled(self, title: str) -> Row | None:
        where, owners = self.in_scope()
        sql = f"""SELECT {ALL} FROM sessions WHERE title = ? AND trashed_at IS NULL{where}
                  ORDER BY started_at DESC, rowid DESC LIMIT 1"""
        row = next(self.rows(sql, [title, *owners]), None)
        return row and self.with_prompt(row)

    def title_family(self, base: str, owner: str | None = None) -> list[Row]:
        where, owners = self.in_scope() if owner is None else (" AND owner = ?", [owner])
        stem = base[:80]
        sql = f"""SELECT id, title, started_at FROM sessions
                  WHERE title >= ? AND title < ? AND trashed_at IS NULL{where}
                  ORDER BY started_at DESC, rowid DESC"""
        return list(self.rows(sql, [stem, stem + "\U0010ffff", *owners]))

    def parts(self, lineage_id: str) -> list[Row]:
        where, owners = self.in_scope()
        sql = f"SELECT {ALL} FROM sessions WHERE lineage_id = ?{where} ORDER BY started_at, rowid"
        return [self.with_prompt(row) for row in self.rows(sql, [lineage_id, *owners])]

    def children(self, session_id: str) -> list[Row]:
        where, owners = self.in_scope()
        sql = f"SELECT {ALL} FROM sessions WHERE parent_session_id = ?{where} ORDER BY started_at, rowid"
        return [self.with_prompt(row) for row in self.rows(sql, [session_id, *owners])]

    def continuation(self, session_id: str) -> str | None:
        visible, owners = self.in_scope("p.owner")
        follows, _ = self.in_scope("c.owner")
        found: str | None = self.one(_NEWEST_CONTINUATION % (visible + follows), [session_id, *owners, *owners])
        return found

    def count_sessions(self, source: str | None = None) -> int:
        where, owners = self.in_scope()
        only, sources = (" AND source = ?", [source]) if source is not None else ("", [])
        return int(
            self.one(f"SELECT COUNT(*) FROM sessions WHERE trashed_at IS NULL{only}{where}", [*sources, *owners])
        )

    def sessions_by_source(self) -> dict[str, int]:
        where, owners = self.in_scope()
        sql = f"""SELECT source, COUNT(*) FROM sessions WHERE trashed_at IS NULL{where}
                  GROUP BY source ORDER BY COUNT(*) DESC, source"""
        return dict(self.connection.execute(sql, owners))

    def pending_handoffs(self) -> list[Row]:
        where, owners = self.in_scope()
        sql = f"SELECT {ALL} FROM sessions WHERE handoff_state = 'pending'{where} ORDER BY started_at, rowid"
        return [self.with_prompt(row) for row in self.rows(sql, owners)]

    # -- changes

    def insert_session(self, row: Row, prompt: Payload | None, *, branch: bool = False) -> bool:
        values = {**row, "prompt_payload": self.store_payload(prompt)}
        if branch:
            start = row["started_at"]
            values |= {"shelf": WHOLE, "lineage_id": row["id"], "begun_at": start, "active_at": start}
        names = [name for name, value in values.items() if value is not None]
        self.connection.execute(
            f"INSERT INTO sessions ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}) ON CONFLICT DO NOTHING",
            [values[name] for name in names],
        )
        return self.connection.changes() > 0

    def update_session(self, session_id: str, changes: Row) -> bool:
        where, owners = self.in_scope()
        assignments = ", ".join(f"{_column(name)} = ?" for name in changes)
        self.connection.execute(
            f"UPDATE sessions SET {assignments} WHERE id = ?{where}", [*changes.values(), session_id, *owners]
        )
        return self.connection.changes() > 0

    def set_prompt(self, session_id: str, text: str | None, payload: Payload | None) -> bool:
        old = self.one("SELECT prompt_payload FROM sessions WHERE id = ?", (session_id,))
        new = self.store_payload(payload)
        found = self.update_session(session_id, {"system_prompt": text, "prompt_payload": new})
        if old is not None and old != new:
            self.drop_unused_payloads({old})
        return found


def _column(name: str) -> Any:
    if name not in SESSION_COLUMNS:
        raise KeyError(name)
    return name
