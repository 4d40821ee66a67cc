"""Old files, made current: schema 1 … 11 → 12.

One transaction, after a verified backup: either everything below happened or the file is as it
was. The documented history differs only in columns and in the search tables, so the missing columns
are added, the search tables are made anew (the index fills up afterwards), and six named steps
bring the data along.
"""

import json
import logging
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import apsw

from hermes.errors import HermesError, MigrationFailed
from hermes.model.sources import LOCAL_SOURCES
from hermes.model.text import clip, escape
from hermes.model.titles import next_title
from hermes.model.usage import COST_COLUMNS, COUNT_COLUMNS, USAGE_COLUMNS
from hermes.store.encode import PROMPT_THRESHOLD, Payload, plain_text
from hermes.store.sqlite import schema
from hermes.store.sqlite.errors import translated
from hermes.store.sqlite.index import IndexTable
from hermes.store.sqlite.messages import MessageTable
from hermes.store.sqlite.table import scalar

log = logging.getLogger("hermes.store")
PATIENCE_S = 30.0
_REFERENCE_JSON = "\0json:"


def upgrade(path: Path, connection: apsw.Connection, version: int) -> list[str]:
    """Back up, upgrade, verify. Returns what to tell the person. MigrationFailed leaves the file as it was."""
    backup = backup_path(path, version)
    try:
        connection.execute("PRAGMA foreign_keys=OFF")
        patiently(connection, "BEGIN IMMEDIATE")  # nobody writes between the backup and the upgrade
        _back_up(path, backup)
        for step in STEPS:
            log.info("upgrade %s from schema %d: %s", path, version, step.__name__)
            step(connection)
        _verify(connection)
        patiently(connection, "COMMIT")
        connection.execute("PRAGMA foreign_keys=ON")
    except (apsw.Error, HermesError, OSError, ValueError) as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        backup.unlink(missing_ok=True)
        reason = translated(error, path) if isinstance(error, apsw.Error) else error
        raise MigrationFailed(f"{path} (schema {version}) could not be upgraded and is as it was: {reason}") from error
    return [
        f"Upgraded {path} from schema {version} to {schema.SCHEMA_VERSION}. The file as it was is {backup}; "
        f"`hermes sessions undo-upgrade` goes back to it."
    ]


def backup_path(path: Path, version: int) -> Path:
    return path.with_name(f"{path.name}.v{version}-backup-{time.strftime('%Y%m%d-%H%M%S')}")


def backups(path: Path) -> list[Path]:
    """Upgrade backups beside the store, newest last."""
    return sorted(path.parent.glob(f"{path.name}.v*-backup-*"), key=lambda found: found.stat().st_mtime)


def patiently(connection: apsw.Connection, statement: str) -> None:
    """Run it as soon as other programs let us; they may be in the middle of a write."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection.execute(statement)
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _back_up(path: Path, backup: Path) -> None:
    """A committed copy through SQLite's backup, checked before it counts as one."""
    os.close(os.open(backup, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    target = apsw.Connection(str(backup))
    try:
        source.set_busy_timeout(1000)
        with target.backup("main", source, "main") as copy:
            copy.step()
        target.execute("PRAGMA journal_mode=DELETE").fetchall()
        if scalar(target, "PRAGMA quick_check") != "ok":
            raise MigrationFailed("the backup does not pass SQLite's check; repair the file first.")
        for table in ("sessions", "messages"):
            count = f"SELECT COUNT(*) FROM {table}"
            if source.execute(count).fetchone() != target.execute(count).fetchone():
                raise MigrationFailed("the backup is not complete.")
    finally:
        target.close()
        source.close()
    descriptor = os.open(backup, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def make_plain(connection: apsw.Connection) -> None:
    """In a private copy of another program's later schema: what has our names there has not our meaning."""
    drop_search_tables(connection)
    for table in ("payloads", "usage", "session_tags", "identity_links", "index_queue"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    documented = {"sessions": 30, "messages": 15}  # columns of schema 11
    ours = {"sessions": schema.SESSION_COLUMNS, "messages": schema.MESSAGE_COLUMN_TYPES}
    for table, count in documented.items():
        present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        for name in list(ours[table])[count:]:
            if name in present:
                connection.execute(f"UPDATE {table} SET {name} = NULL")


def drop_search_tables(connection: apsw.Connection) -> None:
    for name in schema.TRIGGER_NAMES:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    for name in schema.FULL_TEXT_TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def add_columns(connection: apsw.Connection) -> None:
    """Titles of old files were unique over all owners, ours are per owner: that index is made anew."""
    connection.execute("DROP INDEX IF EXISTS idx_sessions_title_unique")
    for table, columns in (("sessions", schema.SESSION_COLUMNS), ("messages", schema.MESSAGE_COLUMN_TYPES)):
        present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        for name, kind in columns.items():
            if name not in present:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
    connection.execute(schema.TABLES)


def place_sessions(connection: apsw.Connection) -> None:
    """Owners, lineages and list places, as the insert trigger gives them to new rows."""
    local = ", ".join(f"'{source}'" for source in sorted(LOCAL_SOURCES))
    connection.execute(
        f"""UPDATE sessions SET owner = CASE WHEN source IN ({local}) OR COALESCE(user_id, '') = ''
                THEN 'local' ELSE source || ':' || user_id END WHERE owner IS NULL"""
    )
    place_lineages(connection)


def place_lineages(connection: apsw.Connection) -> None:
    """lineage_id, begun_at and shelf of every session, from parents and end reasons alone."""
    connection.execute(
        f"""
        UPDATE sessions SET lineage_id = id, begun_at = started_at;
        WITH RECURSIVE chain(id, root, begun) AS (
            SELECT s.id, s.id, s.started_at FROM sessions s WHERE NOT EXISTS (
                SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id
                AND p.end_reason = 'compression' AND p.ended_at <= s.started_at)
            UNION
            SELECT c.id, chain.root, chain.begun FROM chain
            JOIN sessions p ON p.id = chain.id AND p.end_reason = 'compression'
            JOIN sessions c ON c.parent_session_id = p.id AND c.started_at >= p.ended_at
        )
        UPDATE sessions SET lineage_id = chain.root, begun_at = chain.begun FROM chain WHERE chain.id = sessions.id;
        UPDATE sessions SET shelf = CASE
            WHEN parent_session_id IS NULL THEN {schema.WHOLE}
            WHEN lineage_id <> id THEN {schema.HIDDEN}
            WHEN EXISTS (SELECT 1 FROM sessions p
                         WHERE p.id = sessions.parent_session_id AND p.end_reason = 'branched'
                         AND p.ended_at <= sessions.started_at) THEN {schema.WHOLE}
            WHEN NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = sessions.parent_session_id) THEN {schema.WHOLE}
            ELSE {schema.HIDDEN} END;
        UPDATE sessions SET shelf = {schema.TIP} WHERE rowid IN (
            SELECT rowid FROM (
                SELECT rowid, lineage_id, id,
                       row_number() OVER (PARTITION BY lineage_id ORDER BY started_at DESC, rowid DESC) AS place
                FROM sessions)
            WHERE place = 1 AND lineage_id <> id
        ) AND EXISTS (SELECT 1 FROM sessions r WHERE r.id = sessions.lineage_id AND r.shelf = {schema.WHOLE});
        UPDATE sessions SET shelf = {schema.ROOT} WHERE shelf = {schema.WHOLE}
            AND EXISTS (SELECT 1 FROM sessions t WHERE t.lineage_id = sessions.id AND t.shelf = {schema.TIP});
        UPDATE sessions SET shelf = CASE WHEN shelf NOT IN ({schema.WHOLE}, {schema.TIP}) THEN {schema.HIDDEN}
            WHEN trashed_at IS NOT NULL THEN {schema.TRASHED} ELSE {schema.ARCHIVED} END
            WHERE trashed_at IS NOT NULL OR archived_at IS NOT NULL;
        """
    )


def unique_titles(connection: apsw.Connection) -> None:
    """Before schema 4 nothing kept titles apart; the older ones of a pair keep theirs."""
    sql = """SELECT rowid, title, owner FROM sessions WHERE title IS NOT NULL
             ORDER BY owner, title, started_at, rowid"""
    seen: dict[str, list[str]] = {}
    for rowid, title, owner in list(connection.execute(sql)):
        taken = seen.setdefault(owner, [])
        if title in taken:
            title = next_title(title, taken)
            connection.execute("UPDATE sessions SET title = ? WHERE rowid = ?", (title, rowid))
        taken.append(title)


def multimodal_rows(connection: apsw.Connection) -> None:
    """Lists and dicts that were stored as text behind NUL + `json:` become real multimodal rows."""
    rows = connection.execute(
        "SELECT id, content FROM messages WHERE substr(CAST(content AS BLOB), 1, 6) = x'006A736F6E3A'"
    )
    for message_id, content in list(rows):
        text = content[len(_REFERENCE_JSON) :]
        try:
            json.loads(text)
        except ValueError:
            continue
        connection.execute("UPDATE messages SET content = ?, kind = 'json' WHERE id = ?", (text, message_id))


def storable_text(connection: apsw.Connection) -> None:
    """What holds a NUL is escaped like everything we store ourselves."""
    for name in ("content", "reasoning", "reasoning_content"):
        rows = connection.execute(f"SELECT id, {name} FROM messages WHERE instr(CAST({name} AS BLOB), x'00') > 0")
        for message_id, text in list(rows):
            connection.execute(
                f"UPDATE messages SET {name} = ?, kind = trim(COALESCE(kind, '') || ' escaped:{name}') WHERE id = ?",
                (escape(text), message_id),
            )


def prompts_stored_once(connection: apsw.Connection) -> None:
    tables = MessageTable(connection, None)
    sql = "SELECT DISTINCT system_prompt FROM sessions WHERE length(system_prompt) >= ?"
    for (prompt,) in list(connection.execute(sql, (PROMPT_THRESHOLD,))):
        payload = tables.store_payload(Payload.of(prompt))
        connection.execute(
            "UPDATE sessions SET prompt_payload = ?, system_prompt = NULL WHERE system_prompt = ?", (payload, prompt)
        )


def counts_and_previews(connection: apsw.Connection) -> None:
    connection.execute(
        """
        UPDATE sessions SET active_at = COALESCE(
            (SELECT MAX(timestamp) FROM messages WHERE session_id = sessions.id), started_at);
        UPDATE sessions SET
            message_count = (SELECT COUNT(*) FROM messages WHERE session_id = sessions.id),
            tool_call_count = COALESCE((
                SELECT SUM(CASE WHEN json_valid(tool_calls) THEN json_array_length(tool_calls) ELSE 0 END)
                FROM messages WHERE session_id = sessions.id AND tool_calls IS NOT NULL), 0)
        """
    )
    sql = """SELECT session_id, content, kind, MIN(id) FROM messages
             WHERE role = 'user' AND content IS NOT NULL GROUP BY session_id"""
    for session_id, content, kind, _first in list(connection.execute(sql)):
        text = plain_text(json.loads(content)) if kind == "json" else content
        connection.execute("UPDATE sessions SET opening = ? WHERE id = ?", (clip(text, 60), session_id))


def opening_ledger_rows(connection: apsw.Connection) -> None:
    """What each session had used before there was a ledger, as one row."""
    columns = ", ".join(USAGE_COLUMNS)
    values = ", ".join(f"COALESCE({name}, 0)" if name in COUNT_COLUMNS else name for name in USAGE_COLUMNS)
    used = " OR ".join(f"COALESCE({name}, 0) <> 0" for name in (*COUNT_COLUMNS, *COST_COLUMNS))
    connection.execute(
        f"INSERT INTO usage (session_id, owner, source, at, {columns}) "
        f"SELECT id, owner, source, started_at, {values} FROM sessions WHERE {used} ORDER BY started_at"
    )


def search_tables(connection: apsw.Connection) -> None:
    connection.execute(schema.INDEXES + schema.FULL_TEXT + schema.TRIGGERS)
    schema_rows(connection)


def schema_rows(connection: apsw.Connection) -> None:
    """The rows and marks a store of ours begins with, in the caller's transaction."""
    connection.execute("DELETE FROM schema_version")
    connection.execute("INSERT INTO schema_version (version) VALUES (?)", (schema.SCHEMA_VERSION,))
    connection.execute("INSERT OR IGNORE INTO state_meta VALUES ('store_id', ?)", (secrets.token_hex(16),))
    IndexTable(connection, None).set_up_index()
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {secrets.randbelow(2**30) + 1}")


STEPS: tuple[Callable[[apsw.Connection], None], ...] = (
    drop_search_tables,
    add_columns,
    multimodal_rows,
    storable_text,
    place_sessions,
    unique_titles,
    prompts_stored_once,
    counts_and_previews,
    opening_ledger_rows,
    search_tables,
)


def _verify(connection: apsw.Connection) -> None:
    if scalar(connection, "SELECT COUNT(*) FROM sessions WHERE owner IS NULL OR lineage_id IS NULL OR shelf IS NULL"):
        raise MigrationFailed("some sessions have no place after the upgrade.")
    check = scalar(connection, "PRAGMA quick_check(1)")
    if check != "ok":
        raise MigrationFailed(f"the upgraded file does not pass SQLite's check ({check}).")
