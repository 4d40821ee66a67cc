"""What the SQL modules share: a connection, a scope, and short ways to ask."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from hermes.model.owners import Scope
from hermes.store.encode import Payload, unpack

Row = dict[str, Any]


class Table:
    def __init__(self, connection: apsw.Connection, scope: Scope) -> None:
        self.connection = connection
        self.scope = scope

    def rows(self, sql: str, bindings: Sequence[Any] = ()) -> Iterator[Row]:
        cursor = self.connection.execute(sql, bindings)
        names: list[str] | None = None
        for values in cursor:
            if names is None:
                names = [column[0] for column in cursor.get_description()]
            yield dict(zip(names, values, strict=True))

    def one(self, sql: str, bindings: Sequence[Any] = ()) -> Any:
        """The first value of the first row, or None."""
        return scalar(self.connection, sql, bindings)

    def in_scope(self, column: str = "owner") -> tuple[str, list[str]]:
        """` AND owner IN (…)` with its bindings; nothing for the operator, who sees all."""
        if self.scope is None:
            return "", []
        owners = sorted(self.scope)
        return f" AND {column} IN ({marks(owners)})", owners

    def payload_text(self, payload_id: int | None) -> str | None:
        if payload_id is None:
            return None
        row = self.connection.execute("SELECT codec, size, data FROM payloads WHERE id = ?", (payload_id,)).fetchone()
        return None if row is None else unpack(*row)

    def store_payload(self, payload: Payload | None) -> int | None:
        """The id of these bytes, stored now unless somebody stored them before."""
        if payload is None:
            return None
        known = self.one("SELECT id FROM payloads WHERE digest = ?", (payload.digest,))
        if known is not None:
            return int(known)
        self.connection.execute(
            "INSERT INTO payloads (digest, codec, size, data) VALUES (?, ?, ?, ?)",
            (payload.digest, payload.codec, payload.size, payload.data),
        )
        return self.connection.last_insert_rowid()

    def drop_unused_payloads(self, candidates: set[int]) -> None:
        for payload_id in candidates:
            self.connection.execute(
                """DELETE FROM payloads WHERE id = ?1
                   AND NOT EXISTS (SELECT 1 FROM messages WHERE payload = ?1)
                   AND NOT EXISTS (SELECT 1 FROM sessions WHERE prompt_payload = ?1)
                   AND NOT EXISTS (SELECT 1 FROM index_queue WHERE payload = ?1)""",
                (payload_id,),
            )


def scalar(connection: apsw.Connection, sql: str, bindings: Sequence[Any] = ()) -> Any:
    row = connection.execute(sql, bindings).fetchone()
    return None if row is None else row[0]


LISTED = "(SELECT value FROM json_each(?))"  # as many values as there are: `?` marks end at 32,766


def listed(values: Iterable[str | int]) -> str:
    """What is bound to the mark in LISTED."""
    return json.dumps(list(values))


def marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
