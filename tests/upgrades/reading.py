"""What a file holds, read through its tables alone; nothing of the store's own code is used."""

from pathlib import Path
from typing import Any

import apsw

Rows = list[dict[str, Any]]


def connect(path: Path) -> apsw.Connection:
    """For reading a file that nobody has open; leaves nothing beside it."""
    uri = f"{path.as_uri()}?immutable=1"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def rows(path: Path, table: str) -> Rows:
    connection = connect(path)
    try:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        found = connection.execute(f"SELECT {', '.join(names)} FROM {table}")
        return [dict(zip(names, row, strict=True)) for row in found]
    finally:
        connection.close()


def content(path: Path) -> dict[str, Any]:
    """Every table, trigger and index as it was written, and every row of the ordinary tables."""
    connection = connect(path)
    try:
        schema = sorted(connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))
        tables = [name for kind, name, _ in schema if kind == "table" and not name.startswith("messages_fts")]
        check = connection.execute("PRAGMA integrity_check").fetchall()
    finally:
        connection.close()
    return {"schema": schema, "check": check, **{table: rows(path, table) for table in tables}}
