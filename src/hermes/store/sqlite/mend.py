"""Text in the file that is no text: bytes from a foreign hand or a failing disk.

Such a row cannot be read at all, and would take every list, search and index batch it is part of with it. It is
made readable: in a message the bytes are kept, escaped like anything else that is no plain text; in a session
they show as `\\xff`.
"""

from collections.abc import Iterator

import apsw

from hermes.model.text import escape
from hermes.store.encode import JSON_COLUMNS, TEXT_COLUMNS
from hermes.store.sqlite.schema import SESSION_COLUMNS
from hermes.store.sqlite.table import scalar

_COLUMNS = {
    "messages": (*TEXT_COLUMNS, *JSON_COLUMNS),
    "sessions": tuple(name for name, kind in SESSION_COLUMNS.items() if kind.startswith("TEXT") and name != "id"),
}
Found = list[tuple[str, int, str]]  # table, rowid, column


def unreadable_texts(connection: apsw.Connection) -> Found:
    return [found for table in _COLUMNS for found in _unreadable(connection, table)]


def _unreadable(connection: apsw.Connection, table: str) -> Iterator[tuple[str, int, str]]:
    names = _COLUMNS[table]
    blobs = ", ".join(f"CAST({name} AS BLOB), typeof({name})" for name in names)
    for rowid, *values in connection.execute(f"SELECT rowid, {blobs} FROM {table}"):
        for place, name in enumerate(names):
            data, kind = values[2 * place : 2 * place + 2]
            if kind == "blob" or (kind == "text" and not _is_text(data)):
                yield table, rowid, name


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def mend_texts(connection: apsw.Connection, found: Found) -> None:
    """In the caller's transaction. What the index holds of these rows is unknown: it has to be made anew."""
    for table, rowid, name in found:
        row = connection.execute(f"SELECT CAST({name} AS BLOB) FROM {table} WHERE rowid = ?", (rowid,)).fetchone()
        if row is None or row[0] is None:
            continue
        if table == "messages" and name in TEXT_COLUMNS[1:] and _is_plain(connection, rowid, name):
            text = escape(row[0].decode("utf-8", "surrogateescape"))
            kind = "kind = trim(COALESCE(kind, '') || ' escaped:' || ?)"
            connection.execute(f"UPDATE messages SET {name} = ?, {kind} WHERE rowid = ?", (text, name, rowid))
        else:
            text = row[0].decode("utf-8", "backslashreplace").replace("\0", "\\x00")
            connection.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (text, rowid))


def _is_plain(connection: apsw.Connection, rowid: int, name: str) -> bool:
    """Whether this column holds plain text so far, not JSON and not an escaped one."""
    kinds = str(scalar(connection, "SELECT kind FROM messages WHERE rowid = ?", (rowid,)) or "").split()
    return f"escaped:{name}" not in kinds and not (name == "content" and "json" in kinds)
