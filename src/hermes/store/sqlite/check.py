"""Is everything as it should be? Each check names what is wrong, where, and what mends it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import apsw

from hermes.store.sqlite.salvage import is_intact
from hermes.store.sqlite.schema import HIDDEN, ROOT, TIP, WHOLE
from hermes.store.sqlite.table import scalar

_MOST = 20  # examples of one kind; a count stands for the rest


@dataclass(frozen=True, slots=True)
class Problem:
    """`mend` is what repairs it: nothing (`None`: restore or salvage), `counts`, `places`, `index`, `pages`,
    `payloads`."""

    kind: str
    what: str
    mend: str | None = None


def check(connection: apsw.Connection) -> list[Problem]:
    """Every problem found. A damaged file ends the list early, with the damage as its last entry."""
    problems: list[Problem] = []
    for part in PARTS:
        try:
            problems += part(connection)
        except (apsw.CorruptError, apsw.NotADBError, apsw.IOError) as error:
            if isinstance(error, apsw.CorruptError) and _only_index_is_damaged(connection):
                problems.append(Problem("index", f"{part.__name__}: {error}", "index"))
                continue
            problems.append(Problem("damage", f"{part.__name__}: {error}"))
            break
        except apsw.SQLError as error:
            if "vtable constructor failed" not in str(error):
                raise
            problems.append(Problem("index", f"{part.__name__}: {error}", "index"))
    if problems and connection.in_transaction:  # whoever looked into a damaged full-text table cannot commit
        connection.execute("ROLLBACK")
        connection.execute("BEGIN")
    return problems


def _only_index_is_damaged(connection: apsw.Connection) -> bool:
    """Whether everything but the full-text tables can be read and is sound."""
    tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    try:
        return all(
            line == "ok"
            for table in tables
            if not table.startswith("messages_fts")
            for (line,) in connection.execute(f"PRAGMA integrity_check('{table}')")
        )
    except apsw.CorruptError:
        return False


def structure(connection: apsw.Connection) -> Iterator[Problem]:
    roots = dict(connection.execute("SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0"))
    for (line,) in connection.execute(f"PRAGMA integrity_check({_MOST})"):  # covers the full-text tables too
        if line != "ok":
            tree = re.search(r"\bTree (\d+)", line)
            where = f"{line} {roots.get(int(tree[1]), '') if tree else ''}"
            in_index = "fts5" in where.lower() or "messages_fts" in where
            lost = re.fullmatch(r"(\*\*\*.*\*\*\*\s*)?(Page \d+: never used\s*)+", line)  # takes room, and nothing else
            mend = "index" if in_index else "pages" if lost else None
            yield Problem("index" if in_index else "structure", where.strip(), mend)
    for table, rowid, parent, _key in connection.execute("PRAGMA foreign_key_check"):
        yield Problem("structure", f"row {rowid} of {table} refers to a missing row of {parent}")


def index(connection: apsw.Connection) -> Iterator[Problem]:
    wanted = scalar(
        connection,
        """SELECT COUNT(*) FROM messages WHERE carried_from IS NULL
           AND id <= (SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'indexed_through')
           AND id NOT IN (SELECT message_id FROM index_queue)""",
    )
    held = scalar(
        connection,
        "SELECT COUNT(*) FROM messages_fts_docsize WHERE id NOT IN (SELECT message_id FROM index_queue)",
    )
    if wanted != held:
        yield Problem("index", f"the index holds {held} messages, the store {wanted}", "index")


def counts(connection: apsw.Connection) -> Iterator[Problem]:
    sql = """
        SELECT s.id, s.message_count, COUNT(m.id), s.tool_call_count,
               COALESCE(SUM(CASE WHEN json_valid(m.tool_calls) THEN json_array_length(m.tool_calls) ELSE 0 END), 0),
               s.active_at, COALESCE((SELECT MAX(a.timestamp) FROM messages a WHERE a.session_id = s.id), s.started_at)
        FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.carried_from IS NULL
        GROUP BY s.id HAVING s.message_count <> COUNT(m.id) OR s.active_at <>
            COALESCE((SELECT MAX(a.timestamp) FROM messages a WHERE a.session_id = s.id), s.started_at)
            OR s.tool_call_count <>
               COALESCE(SUM(CASE WHEN json_valid(m.tool_calls) THEN json_array_length(m.tool_calls) ELSE 0 END), 0)"""
    for session_id, said, found, calls, found_calls, active, found_active in connection.execute(sql):
        if said != found:
            yield Problem("counts", f"session {session_id} says {said} messages and has {found}", "counts")
        if calls != found_calls:
            yield Problem("counts", f"session {session_id} says {calls} tool calls and has {found_calls}", "counts")
        if active != found_active:
            yield Problem("counts", f"session {session_id} has the wrong time of its last activity", "counts")


def usage(connection: apsw.Connection) -> Iterator[Problem]:
    sql = """SELECT s.id FROM sessions s LEFT JOIN usage u ON u.session_id = s.id GROUP BY s.id
             HAVING COALESCE(s.input_tokens, 0) <> COALESCE(SUM(u.input_tokens), 0)
                 OR COALESCE(s.output_tokens, 0) <> COALESCE(SUM(u.output_tokens), 0)
                 OR abs(COALESCE(s.estimated_cost_usd, 0) - COALESCE(SUM(u.estimated_cost_usd), 0)) > 1e-6"""
    for (session_id,) in connection.execute(sql):
        yield Problem("usage", f"the totals of session {session_id} are not the sums of its ledger")


def chains(connection: apsw.Connection) -> Iterator[Problem]:
    for (session_id,) in connection.execute("SELECT id FROM sessions WHERE owner IS NULL OR lineage_id IS NULL"):
        yield Problem("chains", f"session {session_id} has no owner or no lineage", "places")
    sql = f"""SELECT lineage_id, SUM(shelf IN ({WHOLE}, {TIP})), COUNT(*) FROM sessions
              WHERE archived_at IS NULL AND trashed_at IS NULL GROUP BY lineage_id
              HAVING SUM(shelf IN ({WHOLE}, {TIP})) > 1 OR (SUM(shelf = {ROOT}) > 0 AND SUM(shelf = {TIP}) = 0)
                  OR SUM(shelf NOT IN ({HIDDEN}, {WHOLE}, {TIP}, {ROOT})) > 0"""
    for lineage_id, shown, parts in connection.execute(sql):
        yield Problem("chains", f"conversation {lineage_id} ({parts} parts) shows {shown} rows in lists", "places")
    sql = """SELECT s.id FROM sessions s WHERE s.parent_session_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)"""
    for (session_id,) in connection.execute(sql):
        yield Problem("chains", f"the parent of session {session_id} is missing", "places")


def payloads(connection: apsw.Connection) -> Iterator[Problem]:
    sql = """SELECT m.id FROM messages m WHERE m.payload IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM payloads p WHERE p.id = m.payload)"""
    for (message_id,) in connection.execute(sql):
        yield Problem("payloads", f"message {message_id} has lost its payload")
    for payload_id, digest, codec, size, data in connection.execute(
        "SELECT id, digest, codec, size, data FROM payloads"
    ):
        if not is_intact(digest, codec, size, data):
            yield Problem("payloads", f"payload {payload_id} is damaged")
    sql = """SELECT COUNT(*) FROM payloads p WHERE NOT EXISTS (SELECT 1 FROM messages WHERE payload = p.id)
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE prompt_payload = p.id)
             AND NOT EXISTS (SELECT 1 FROM index_queue WHERE payload = p.id)"""
    unused = scalar(connection, sql)
    if unused:
        yield Problem("payloads", f"{unused} payloads belong to nobody", "payloads")


PARTS: tuple[Callable[[apsw.Connection], Iterator[Problem]], ...] = (structure, index, counts, usage, chains, payloads)
