"""What only the SQLite engine can show: how rows lie in the file."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from hermes.store.base import ListQuery
from hermes.store.sqlite.engine import SqliteEngine
from hermes_state import SessionDB

OUTPUT = "line of tool output\n" * 2000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as store:
        store.create_session("s", "cli")
        yield store


def one(db: SessionDB, sql: str) -> object:
    connection = apsw.Connection(str(db.db_path))
    try:
        return connection.execute(sql).fetchone()[0]
    finally:
        connection.close()


def plan(db: SessionDB, sql: str) -> str:
    connection = apsw.Connection(str(db.db_path))
    try:
        return " / ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}"))
    finally:
        connection.close()


def test_equal_payloads_are_one_row_and_go_with_the_last_that_has_them(db: SessionDB) -> None:
    ids = [db.append_message("s", "tool", OUTPUT) for _ in range(3)]
    db.update_system_prompt("s", OUTPUT)
    assert one(db, "SELECT COUNT(*) FROM payloads") == 1
    assert int(str(one(db, "SELECT length(data) FROM payloads"))) < 1000
    db.delete_messages_from("s", ids[0])
    assert one(db, "SELECT COUNT(*) FROM payloads") == 1  # the prompt has it
    db.update_system_prompt("s", None)
    assert one(db, "SELECT COUNT(*) FROM payloads") == 0


def test_the_same_prompt_of_many_sessions_is_stored_once(db: SessionDB) -> None:
    for n in range(10):
        db.create_session(f"t{n}", "cli", system_prompt=OUTPUT)
    assert one(db, "SELECT COUNT(*) FROM payloads") == 1
    assert one(db, "SELECT COUNT(*) FROM sessions WHERE system_prompt IS NULL AND prompt_payload IS NOT NULL") == 10


def test_nothing_written_by_us_begins_with_nul_json(db: SessionDB) -> None:
    db.append_message("s", "user", [{"type": "text", "text": "hi"}])
    db.append_message("s", "user", '\0json:["typed"]')
    assert one(db, "SELECT COUNT(*) FROM messages WHERE instr(CAST(content AS BLOB), x'00') > 0") == 0
    assert [m["content"] for m in db.get_messages("s")] == [[{"type": "text", "text": "hi"}], '\0json:["typed"]']


def test_a_list_is_not_bounded_by_the_variables_of_a_statement(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with SessionDB(path) as db, db.transaction() as tx:
        for n in range(300):
            tx.create_session(f"s{n}", "cli", started_at=float(n))
    engine = SqliteEngine(path)
    with engine.read(None) as reader:
        reader.connection.limit(apsw.SQLITE_LIMIT_VARIABLE_NUMBER, 50)
        assert len(reader.conversations(ListQuery(limit=1000))) == 300
        assert len(reader.all_sessions(None, 1000, 0)) == 300
    engine.close()


@pytest.mark.parametrize(
    ("where", "key"),
    [("shelf = 1", "active_at"), ("shelf = 1", "begun_at"), ("shelf = 1 AND source = 'cli'", "active_at"),
     ("shelf = 1 AND source = 'cli'", "begun_at"), ("shelf = 1 AND owner = 'local'", "active_at"),
     ("shelf = 1 AND owner = 'local'", "begun_at")],
)  # fmt: skip
def test_every_list_reads_one_index_without_sorting(db: SessionDB, where: str, key: str) -> None:
    found = plan(db, f"SELECT id FROM sessions WHERE {where} ORDER BY {key} DESC, rowid DESC LIMIT 20")
    assert "USING INDEX idx_sessions_" in found
    assert "TEMP B-TREE" not in found
