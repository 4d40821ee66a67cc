"""The messages table."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hermes.errors import KeyReused, SessionNotFound
from hermes.store.encode import (
    JSON_COLUMNS,
    MESSAGE_COLUMNS,
    TEXT_COLUMNS,
    EncodedMessage,
    decode_content,
    decode_text,
    preview,
)
from hermes.store.sqlite import schema
from hermes.store.sqlite.table import Row, Table

_SHOWN = (*MESSAGE_COLUMNS, "carried_from")
_SELECT = ", ".join((*_SHOWN, "kind", "payload"))
_INSERTED = ("session_id", *MESSAGE_COLUMNS[2:], "kind", "payload", "carried_from", "idempotency_key")
_INSERT = f"INSERT INTO messages ({', '.join(_INSERTED)}) VALUES ({', '.join('?' * len(_INSERTED))})"
_COMPARED = ("role", "content", *TEXT_COLUMNS[2:], *JSON_COLUMNS, "token_count")
_COUNT = """
    UPDATE sessions SET message_count = message_count + ?, tool_call_count = tool_call_count + ?,
        active_at = ?, opening = ? WHERE id = ?
"""
# Entries of a list of calls; anything else that is there is one call. 2: as Python writes it, NaN included.
CALLS = """CASE WHEN NOT json_valid(tool_calls, 2) THEN 0 ELSE CASE json_type(tool_calls)
               WHEN 'array' THEN json_array_length(tool_calls) WHEN 'null' THEN 0 ELSE 1 END END"""
_RECOUNT = f"""
    UPDATE sessions SET
        message_count = (SELECT COUNT(*) FROM messages WHERE session_id = ?1 AND carried_from IS NULL),
        tool_call_count = COALESCE((
            SELECT SUM({CALLS})
            FROM messages WHERE session_id = ?1 AND carried_from IS NULL AND tool_calls IS NOT NULL), 0),
        active_at = COALESCE((SELECT MAX(timestamp) FROM messages WHERE session_id = ?1), started_at),
        opening = ?2
    WHERE id = ?1
"""


ERASE = "erase_pending"  # something was deleted for good since the last vacuum


class MessageTable(Table):
    last_message = 0  # the highest id this writer handed out; the guard takes it down

    def messages(
        self,
        session_id: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Row]:
        if not self._visible(session_id):
            return []
        ids = "SELECT id FROM messages WHERE session_id = ? AND id > ?"
        bindings: list[Any] = [session_id, after]
        if before is not None:
            ids += " AND id < ?"
            bindings.append(before)
        if limit is not None:
            ids += f" ORDER BY id {'DESC' if newest else 'ASC'} LIMIT ?"
            bindings.append(limit)
        sql = f"SELECT {_SELECT} FROM messages WHERE id IN ({ids}) ORDER BY id"
        return [self.decode(values) for values in self.connection.execute(sql, bindings)]

    def decode(self, values: Sequence[Any]) -> Row:
        row = dict(zip(_SHOWN, values, strict=False))  # kind and payload come last, and stay behind
        kind, payload = values[-2], values[-1]
        if kind is not None or payload is not None:
            row["content"] = decode_content(row["content"], kind, self.payload_text(payload))
            for name in TEXT_COLUMNS[2:]:
                row[name] = decode_text(name, row[name], kind)
        if row["tool_calls"] is not None:
            row["tool_calls"] = _decode_json(row["tool_calls"])
        return row

    def has_messages(self, session_id: str) -> bool:
        return self.one("SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", (session_id,)) is not None

    def count_messages(self, session_id: str | None = None) -> int:
        where, owners = self.in_scope()
        only, ids = (" AND id = ?", [session_id]) if session_id is not None else ("", [])
        sql = f"SELECT COALESCE(SUM(message_count), 0) FROM sessions WHERE trashed_at IS NULL{only}{where}"
        return int(self.one(sql, [*ids, *owners]))

    def _visible(self, session_id: str) -> bool:
        where, owners = self.in_scope()
        return not owners or self.one(f"SELECT 1 FROM sessions WHERE id = ?{where}", [session_id, *owners]) is not None

    # -- changes

    def insert_messages(self, session_id: str, messages: Sequence[EncodedMessage]) -> list[int]:
        where, owners = self.in_scope()
        sql = f"SELECT message_count, active_at, opening FROM sessions WHERE id = ?{where}"
        session = self.connection.execute(sql, [session_id, *owners]).fetchone()
        if session is None:
            raise SessionNotFound(session_id)
        count, active_at, opening = session
        if count == 0 and not self.has_messages(session_id):
            active_at = None  # its start, which the first message replaces
        ids: list[int] = []
        fresh: list[EncodedMessage] = []
        for message in messages:
            row_id = self._known(session_id, message)
            if row_id is None:
                row_id = self._insert(session_id, message)
                fresh.append(message)
            ids.append(row_id)
        if fresh:
            self._count(session_id, fresh, active_at, opening)
        return ids

    def _count(
        self, session_id: str, fresh: Sequence[EncodedMessage], active_at: float | None, opening: str | None
    ) -> None:
        """Counts, activity and preview of the session, from what they were and what was added."""
        latest = max(message.columns["timestamp"] for message in fresh)
        said = [message for message in fresh if message.opening is not None]
        if said:
            first = min(said, key=lambda message: message.columns["timestamp"])
            if opening is None:
                opening = first.opening
            elif active_at is not None and first.columns["timestamp"] < active_at:  # perhaps before the present one
                opening = self._opening(session_id)
        calls = sum(message.tool_calls for message in fresh)
        latest = latest if active_at is None else max(latest, active_at)
        self.connection.execute(_COUNT, (len(fresh), calls, latest, opening, session_id))

    def _insert(self, session_id: str, message: EncodedMessage) -> int:
        columns = message.columns
        self.connection.execute(
            _INSERT,
            (
                session_id,
                *[columns[name] for name in MESSAGE_COLUMNS[2:]],
                message.kind,
                self.store_payload(message.payload),
                message.carried_from,
                message.idempotency_key,
            ),
        )
        self.last_message = self.connection.last_insert_rowid()
        return self.last_message

    def _known(self, session_id: str, message: EncodedMessage) -> int | None:
        """The row this key stored before; KeyReused when it says something else."""
        if message.idempotency_key is None:
            return None
        sql = f"""SELECT m.id, m.kind, p.digest, {", ".join(f"m.{name}" for name in _COMPARED)}
                  FROM messages m LEFT JOIN payloads p ON p.id = m.payload
                  WHERE m.session_id = ? AND m.idempotency_key = ?"""
        row = self.connection.execute(sql, (session_id, message.idempotency_key)).fetchone()
        if row is None:
            return None
        digest = message.payload.digest if message.payload else None
        if tuple(row[1:]) != (message.kind, digest, *[message.columns[name] for name in _COMPARED]):
            raise KeyReused(message.idempotency_key, row[0])
        return int(row[0])

    def carry_messages(self, session_id: str, message_ids: Iterable[int]) -> None:
        copied = ", ".join((*MESSAGE_COLUMNS[2:], "kind", "payload"))
        for message_id in message_ids:
            self.connection.execute(
                f"""INSERT INTO messages (session_id, {copied}, carried_from)
                    SELECT ?, {copied}, COALESCE(carried_from, id) FROM messages WHERE id = ?""",
                (session_id, message_id),
            )
            self.last_message = self.connection.last_insert_rowid()
        self.recount(session_id)

    def delete_messages(self, session_id: str, from_id: int = 0) -> int:
        if not self._visible(session_id):
            return 0
        payloads = self._payloads_of(session_id, from_id)
        copies = self._copies_of(session_id, from_id)
        own = self.one("SELECT COUNT(*) FROM messages WHERE session_id = ? AND id >= ?", (session_id, from_id))
        self.connection.execute(
            """DELETE FROM messages WHERE carried_from IN
               (SELECT id FROM messages WHERE session_id = ? AND id >= ? AND carried_from IS NULL)""",
            (session_id, from_id),
        )
        self.connection.execute("DELETE FROM messages WHERE session_id = ? AND id >= ?", (session_id, from_id))
        self.drop_unused_payloads(payloads)
        for touched in {session_id, *copies}:
            self.recount(touched)
        return int(own)

    def _payloads_of(self, session_id: str, from_id: int) -> set[int]:
        sql = "SELECT payload FROM messages WHERE session_id = ? AND id >= ? AND payload IS NOT NULL"
        return {row[0] for row in self.connection.execute(sql, (session_id, from_id))}

    def _copies_of(self, session_id: str, from_id: int) -> set[str]:
        """Sessions that carry copies of these messages."""
        sql = """SELECT DISTINCT session_id FROM messages WHERE carried_from IN
                 (SELECT id FROM messages WHERE session_id = ? AND id >= ?)"""
        return {row[0] for row in self.connection.execute(sql, (session_id, from_id))}

    def recount(self, session_id: str) -> None:
        """Counts, preview and activity from the rows themselves."""
        self.connection.execute(_RECOUNT, (session_id, self._opening(session_id)))

    def _opening(self, session_id: str) -> str | None:
        """What a list shows: of the earliest thing a user said, carried along or not."""
        row = self.connection.execute(
            f"""SELECT {_SELECT} FROM messages WHERE session_id = ? AND role = 'user'
                AND (content IS NOT NULL OR payload IS NOT NULL) ORDER BY timestamp, id LIMIT 1""",
            (session_id,),
        ).fetchone()
        return preview(self.decode(row)["content"]) if row else None

    def delete_session(self, session_id: str) -> bool:
        where, owners = self.in_scope()
        row = self.connection.execute(
            f"SELECT prompt_payload, lineage_id FROM sessions WHERE id = ?{where}", [session_id, *owners]
        ).fetchone()
        if row is None:
            return False
        children = self.connection.execute("SELECT lineage_id FROM sessions WHERE parent_session_id = ?", (session_id,))
        touched = {row[1], *(child[0] for child in children)}
        self.delete_messages(session_id)
        self.connection.execute("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, 'yes')", (ERASE,))
        for sql in (
            "UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?",
            "UPDATE usage SET session_id = NULL, owner = NULL WHERE session_id = ?",
            "DELETE FROM session_tags WHERE session_id = ?",
            "DELETE FROM routes WHERE session_id = ?",
            "UPDATE inbox SET content = NULL, state = 'done', session_id = NULL WHERE session_id = ?",
            "UPDATE outbox SET content = NULL, state = 'sent', session_id = NULL WHERE session_id = ?",
            "DELETE FROM sessions WHERE id = ?",
        ):
            self.connection.execute(sql, (session_id,))
        if row[0] is not None:
            self.drop_unused_payloads({row[0]})
        for lineage_id in touched:
            self._place_again(lineage_id)
        return True

    def _place_again(self, lineage_id: str) -> None:
        """With its parent or a part gone, a session may be a conversation now, or the newest part of one."""
        everyone = type(self)(self.connection, None)  # children of other owners find their place too
        everyone.place_lineage(lineage_id)  # type: ignore[attr-defined]  # the writer has it from CareTable
        self.connection.execute(
            f"""UPDATE sessions SET shelf = CASE WHEN rowid <> (SELECT rowid FROM sessions WHERE lineage_id = ?1
                    ORDER BY started_at DESC, rowid DESC LIMIT 1) THEN {schema.HIDDEN}
                    WHEN trashed_at IS NOT NULL THEN {schema.TRASHED} ELSE {schema.ARCHIVED} END
                WHERE lineage_id = ?1 AND (trashed_at IS NOT NULL OR archived_at IS NOT NULL)""",
            (lineage_id,),
        )


def _decode_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text  # a foreign hand wrote it; show what is there
