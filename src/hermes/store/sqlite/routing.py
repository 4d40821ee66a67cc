"""What the gateway keeps: which session a chat is in, what came in, what is to go out."""

from collections.abc import Sequence
from typing import Any

from hermes.store.sqlite.table import Row, Table, marks

_OVER = ("done", "sent")  # dealt with: the text is in the session, and needs no second place


class RoutingTable(Table):
    def route(self, key: str) -> Row | None:
        where, owners = self.in_scope()
        return next(self.rows(f"SELECT * FROM routes WHERE key = ?{where}", [key, *owners]), None)

    def routes(self) -> list[Row]:
        where, owners = self.in_scope()
        return list(self.rows(f"SELECT * FROM routes WHERE 1{where} ORDER BY key", owners))

    def set_route(self, row: Row) -> bool:
        if self.one("SELECT owner FROM routes WHERE key = ?", (row["key"],)) is None:
            self._add_row("routes", row)
            return True
        where, owners = self.in_scope()
        names = [name for name in row if name != "key"]
        self.connection.execute(
            f"UPDATE routes SET {_assigned(names)} WHERE key = ?{where}",
            [*(row[name] for name in names), row["key"], *owners],
        )
        return self.connection.changes() > 0

    def drop_route(self, key: str) -> bool:
        where, owners = self.in_scope()
        self.connection.execute(f"DELETE FROM routes WHERE key = ?{where}", [key, *owners])
        return self.connection.changes() > 0

    def arrivals(self, states: Sequence[str]) -> list[Row]:
        return self._mail("inbox", states)

    def posts(self, states: Sequence[str]) -> list[Row]:
        return self._mail("outbox", states)

    def _mail(self, table: str, states: Sequence[str]) -> list[Row]:
        where, owners = self.in_scope()
        sql = f"SELECT * FROM {table} WHERE state IN ({marks(states)}){where} ORDER BY id"
        return list(self.rows(sql, [*states, *owners]))

    def insert_arrival(self, row: Row) -> int | None:
        known = self.one("SELECT 1 FROM inbox WHERE platform = ? AND event_id = ?", (row["platform"], row["event_id"]))
        return None if known else self._add_row("inbox", row)

    def insert_post(self, row: Row) -> int:
        return self._add_row("outbox", row)

    def update_arrival(self, arrival_id: int, changes: Row, state: str | None = None) -> bool:
        return self._change_row("inbox", arrival_id, changes, state)

    def update_post(self, post_id: int, changes: Row, state: str | None = None) -> bool:
        return self._change_row("outbox", post_id, changes, state)

    def forget_mail(self, before: float) -> int:
        where, owners = self.in_scope()
        gone = 0
        for table, state in zip(("inbox", "outbox"), _OVER, strict=True):
            sql = f"DELETE FROM {table} WHERE state = ? AND at < ?{where}"
            self.connection.execute(sql, [state, before, *owners])
            gone += self.connection.changes()
        return gone

    def _add_row(self, table: str, row: Row) -> int:
        sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks(list(row))})"
        self.connection.execute(sql, list(row.values()))
        return self.connection.last_insert_rowid()

    def _change_row(self, table: str, number: int, changes: Row, state: str | None) -> bool:
        if changes.get("state") in _OVER:
            changes = {**changes, "content": None}
        where, owners = self.in_scope()
        bindings: list[Any] = [number, *owners]
        if state is not None:
            where, bindings = f"{where} AND state = ?", [*bindings, state]
        values: list[Any] = list(changes.values())
        self.connection.execute(f"UPDATE {table} SET {_assigned(changes)} WHERE id = ?{where}", [*values, *bindings])
        return self.connection.changes() > 0


def _assigned(names: Any) -> str:
    return ", ".join(f"{name} = ?" for name in names)
