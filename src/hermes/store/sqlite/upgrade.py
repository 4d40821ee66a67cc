"""Old files, made current: schema 1 … 11 → 12.

One transaction, after a verified backup: either everything below happened or the file is as it
was. The documented history differs only in columns and in the search tables, so the missing columns
are added, the search tables are made anew (the index fills up afterwards), and named steps bring the
data along. `restore` is the way back.
"""

import glob
import json
import logging
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from hermes.errors import BadInput, MigrationFailed, StoreBusy
from hermes.model.ledger import COST_COLUMNS, COUNT_COLUMNS, USAGE_COLUMNS
from hermes.model.sources import LOCAL_SOURCES
from hermes.model.text import escape, is_storable, storable
from hermes.model.titles import fitting_title, next_title
from hermes.paths import PRIVATE_FILE, flush
from hermes.store.encode import PROMPT_THRESHOLD, TEXT_COLUMNS, Payload, encode
from hermes.store.sqlite import schema
from hermes.store.sqlite.errors import translated
from hermes.store.sqlite.guard import Guard
from hermes.store.sqlite.index import IndexTable
from hermes.store.sqlite.messages import MessageTable
from hermes.store.sqlite.places import place_lineages as place_lineages  # repair and salvage use it from here
from hermes.store.sqlite.table import LISTED, listed, scalar

log = logging.getLogger("hermes.store")
PATIENCE_S = 30.0
RESTORE_PATIENCE_S = 5.0
_REFERENCE_JSON = b"\0json:"


def upgrade(path: Path, connection: apsw.Connection, version: int) -> list[str]:
    """Back up, upgrade, verify. Returns what to tell the person. MigrationFailed leaves the file as it was."""
    backup: Path | None = None
    done = False
    try:
        connection.execute("PRAGMA foreign_keys=OFF")
        patiently(connection, "BEGIN IMMEDIATE")  # nobody writes between the backup and the upgrade
        backup = _back_up(path, path.with_name(f"{path.name}.v{version}-backup-{_stamp()}"))
        for step in STEPS:
            log.info("upgrade %s from schema %d: %s", path, version, step.__name__)
            step(connection)
        _verify(connection)
        patiently(connection, "COMMIT")
        done = True
        connection.execute("PRAGMA foreign_keys=ON")
    except Exception as error:  # whatever an old file may hold: it stays as it was, and the person is told
        log.error("upgrade %s from schema %d failed: %s", path, version, type(error).__name__)
        reason = translated(error, path) if isinstance(error, apsw.Error) else error
        raise MigrationFailed(f"{path} (schema {version}) could not be upgraded and is as it was: {reason}") from error
    finally:
        if not done:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if backup is not None:
                backup.unlink(missing_ok=True)
    return [
        f"Upgraded {path} from schema {version} to {schema.SCHEMA_VERSION}. The file as it was is {backup}; "
        f"`hermes sessions undo-upgrade` goes back to it."
    ]


def _stamp() -> str:
    return time.strftime("%Y%m%d-%H%M%S")


def _new_file(path: Path) -> Path:
    """An empty file of this name, readable by its owner alone; with a number when the name is taken."""
    while True:
        candidate = _free_name(path)
        try:
            os.close(os.open(candidate, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, PRIVATE_FILE))
            return candidate
        except FileExistsError:
            continue


def _free_name(path: Path) -> Path:
    number, candidate = 1, path
    while os.path.lexists(candidate):
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


def backups(path: Path) -> list[Path]:
    """Upgrade backups beside the store, newest last."""
    found = path.parent.glob(f"{glob.escape(path.name)}.v*-backup-*")
    return sorted(found, key=lambda backup: (backup.stat().st_mtime_ns, backup.name))


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


def _back_up(path: Path, wanted: Path) -> Path:
    """A committed copy through SQLite's backup, which gets its name when it is complete and checked."""
    part = path.with_name(f".{path.name}.upgrading")
    part.unlink(missing_ok=True)  # of an upgrade that was killed: no other one is at work now
    try:
        _copy(path, _new_file(part))
        flush(part)
        backup = _free_name(wanted)
        os.rename(part, backup)
    finally:
        part.unlink(missing_ok=True)
    flush(backup.parent)
    return backup


def _copy(path: Path, backup: Path) -> None:
    source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    target = apsw.Connection(str(backup))
    try:
        source.set_busy_timeout(1000)
        with target.backup("main", source, "main") as copy:
            copy.step()
        target.execute("PRAGMA journal_mode=DELETE").fetchall()
        if _damage(target):
            raise MigrationFailed("the backup does not pass SQLite's check; repair the file first.")
        for table in ("sessions", "messages"):
            count = f"SELECT COUNT(*) FROM {table}"
            if source.execute(count).fetchone() != target.execute(count).fetchone():
                raise MigrationFailed("the backup is not complete.")
    finally:
        target.close()
        source.close()


def make_plain(connection: apsw.Connection) -> None:
    """In a private copy of another program's later schema: what has our names there has not our meaning."""
    drop_search_tables(connection)
    for table in ("payloads", "usage", "session_tags", "identity_links", "index_queue", "routes", "inbox", "outbox"):
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


def strike_search_tables(connection: apsw.Connection) -> None:
    """Search tables that cannot even be dropped: out of the schema, and new ones in."""
    connection.execute("PRAGMA writable_schema=ON").fetchall()
    try:
        connection.execute("BEGIN IMMEDIATE")
        for name in schema.FULL_TEXT_TABLES:
            connection.execute("DELETE FROM sqlite_schema WHERE type = 'table' AND name GLOB ?", (f"{name}*",))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("PRAGMA writable_schema=RESET").fetchall()
    connection.execute(f"BEGIN IMMEDIATE; {schema.FULL_TEXT}")
    IndexTable(connection, None).set_up_index()
    connection.execute("DELETE FROM index_queue")
    connection.execute("COMMIT")


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
    nobodys = listed(row[0] for row in connection.execute("SELECT id FROM sessions WHERE owner IS NULL"))
    connection.execute(
        f"""UPDATE sessions SET owner = CASE WHEN source IN ({local}) OR COALESCE(user_id, '') = ''
                THEN 'local' ELSE source || ':' || user_id END WHERE owner IS NULL"""
    )
    # Continuations used to lose their user: without one, a child is its parent's owner's.
    connection.execute(
        f"""WITH RECURSIVE heir(id, owner) AS (
                SELECT s.id, s.owner FROM sessions s WHERE COALESCE(s.user_id, '') <> ''
                    OR NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)
                UNION
                SELECT c.id, heir.owner FROM heir JOIN sessions c ON c.parent_session_id = heir.id
                    AND COALESCE(c.user_id, '') = ''
            )
            UPDATE sessions SET owner = heir.owner FROM heir WHERE heir.id = sessions.id AND sessions.id IN {LISTED}""",
        (nobodys,),
    )
    place_lineages(connection)


def unique_titles(connection: apsw.Connection) -> None:
    """Titles keep today's rules. Before schema 4 nothing kept them apart: the oldest of several keeps its own."""
    sql = "SELECT rowid, title, owner FROM sessions WHERE title IS NOT NULL ORDER BY started_at, rowid"
    rows = [(rowid, title, fitting_title(title), owner) for rowid, title, owner in connection.execute(sql)]
    known: dict[str, list[str]] = {}
    for _, _, clean, owner in rows:
        if clean is not None:
            known.setdefault(owner, []).append(clean)
    given: set[tuple[str, str]] = set()
    for rowid, title, clean, owner in rows:
        if clean is not None and (owner, clean) in given:
            clean = next_title(clean, known[owner])
            known[owner].append(clean)
        if clean is not None:
            given.add((owner, clean))
        if clean != title:
            connection.execute("UPDATE sessions SET title = ? WHERE rowid = ?", (clean, rowid))


def multimodal_rows(connection: apsw.Connection) -> None:
    """Lists and dicts that were stored as text behind NUL + `json:` become real multimodal rows."""
    tables = MessageTable(connection, None)
    rows = connection.execute(
        """SELECT id, role, CAST(content AS BLOB) FROM messages
           WHERE substr(CAST(content AS BLOB), 1, 6) = x'006A736F6E3A'"""
    )
    for message_id, role, content in list(rows):
        try:
            value = json.loads(content[len(_REFERENCE_JSON) :])
            row = encode({"role": role, "content": value}, 0.0)
        except (ValueError, RecursionError):
            continue  # text that merely begins like one; it is escaped below
        if isinstance(value, list | dict):
            connection.execute(
                "UPDATE messages SET content = ?, kind = ?, payload = ? WHERE id = ?",
                (row.columns["content"], row.kind, tables.store_payload(row.payload), message_id),
            )


def storable_text(connection: apsw.Connection) -> None:
    """Whatever is no text without NUL (bytes, broken UTF-8) becomes one: escaped where a column says so, and
    with U+FFFD where none does."""
    escapable = {"content", *TEXT_COLUMNS[2:]}
    for table, columns in (("messages", schema.MESSAGE_COLUMN_TYPES), ("sessions", schema.SESSION_COLUMNS)):
        for rowid, name, text in list(_broken_texts(connection, table, columns)):
            if table == "messages" and name in escapable:
                marked = f", kind = trim(COALESCE(kind, '') || ' escaped:{name}')"
                connection.execute(f"UPDATE messages SET {name} = ?{marked} WHERE rowid = ?", (escape(text), rowid))
            else:
                connection.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (storable(text), rowid))


def _broken_texts(connection: apsw.Connection, table: str, columns: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    names = [name for name, kind in columns.items() if kind.startswith("TEXT") and "PRIMARY" not in kind]
    shown = ", ".join(f"typeof({name}), CAST({name} AS BLOB)" for name in names)
    for rowid, *found in connection.execute(f"SELECT rowid, {shown} FROM {table}"):
        for name, kind, raw in zip(names, found[::2], found[1::2], strict=True):
            text = (raw or b"").decode("utf-8", "surrogateescape")
            if kind == "blob" or not is_storable(text):
                yield rowid, name, text


def prompts_stored_once(connection: apsw.Connection) -> None:
    tables = MessageTable(connection, None)
    sql = "SELECT DISTINCT system_prompt FROM sessions WHERE length(system_prompt) >= ?"
    for (prompt,) in list(connection.execute(sql, (PROMPT_THRESHOLD,))):
        payload = tables.store_payload(Payload.of(prompt))
        connection.execute(
            "UPDATE sessions SET prompt_payload = ?, system_prompt = NULL WHERE system_prompt = ?", (payload, prompt)
        )


def counts_and_previews(connection: apsw.Connection) -> None:
    tables = MessageTable(connection, None)
    for (session_id,) in list(connection.execute("SELECT id FROM sessions")):
        tables.recount(session_id)


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
    if damage := _damage(connection):
        raise MigrationFailed(f"the upgraded file does not pass SQLite's check ({damage}).")


def _damage(connection: apsw.Connection) -> str | None:
    """What SQLite's check complains of, the search tables aside: those are made anew."""
    for (line,) in connection.execute("PRAGMA quick_check"):
        if line != "ok" and "fts5" not in str(line).lower() and "messages_fts" not in str(line):
            return str(line)
    return None


def restore(path: Path, backup: Path, guard: Guard) -> Path | None:
    """The way back: put a backup from before an upgrade in the store's place, while nobody has it open.

    Returns where the upgraded store is kept, None when there was none. StoreBusy, and nothing changed, when
    another process has it open; BadInput when `backup` is no store of an earlier schema.
    """
    _check_backup(path, backup)
    fresh = _new_file(path.with_name(f"{path.name}.restoring-{os.getpid()}"))
    try:
        with open(backup, "rb") as old, open(fresh, "wb") as new:
            shutil.copyfileobj(old, new)
        flush(fresh)
        guard.acquire(RESTORE_PATIENCE_S)
        try:
            with _alone(path):
                kept = _put_aside(path)
                os.replace(fresh, path)
                flush(path.parent)
        finally:
            guard.release()
    finally:
        fresh.unlink(missing_ok=True)
    log.info("%s is again what %s holds; the upgraded store is %s", path, backup, kept)
    return kept


def _check_backup(path: Path, backup: Path) -> None:
    if not backup.is_file() or (path.exists() and backup.samefile(path)):
        raise BadInput(f"{backup} is no backup of {path}; `{path.name}.v11-backup-…` is what one looks like.")
    connection = apsw.Connection(
        f"{backup.absolute().as_uri()}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        version = scalar(connection, "SELECT MAX(version) FROM schema_version")
        sound = _damage(connection) is None
        connection.execute("SELECT 1 FROM sessions, messages LIMIT 1").fetchall()
    except (apsw.Error, UnicodeDecodeError) as error:
        raise BadInput(f"{backup} is no store of an earlier schema ({error}).") from error
    finally:
        connection.close()
    if not sound or not isinstance(version, int) or version >= schema.SCHEMA_VERSION:
        raise BadInput(f"{backup} is no sound store of an earlier schema (it says {version}).")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the whole store, its write-ahead log folded in; StoreBusy when anybody else has it open."""
    if not path.exists():
        yield
        return
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        try:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
            connection.execute("PRAGMA journal_mode=DELETE").fetchall()
            connection.execute("BEGIN EXCLUSIVE")
        except (apsw.BusyError, apsw.LockedError) as error:
            raise StoreBusy(
                f"{path} is open in another process; end it (a chat, the gateway), then try again."
            ) from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            log.warning("%s is damaged (%s); it is put aside as it is", path, error)
        yield
    finally:
        connection.close()


def _put_aside(path: Path) -> Path | None:
    """Give the store a second name, so that there is one under its own at every moment."""
    if not path.exists():
        return None
    kept = _new_file(path.with_name(f"{path.name}.upgraded-{_stamp()}"))
    kept.unlink()
    try:
        os.link(path, kept)
    except OSError:  # a file system without hard links
        os.rename(path, kept)
    for suffix in ("-wal", "-shm"):  # only a damaged store still has them
        if Path(f"{path}{suffix}").exists():
            os.rename(f"{path}{suffix}", f"{kept}{suffix}")
    return kept
