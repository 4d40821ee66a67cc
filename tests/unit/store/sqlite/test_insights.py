"""Insights read off the indexes of time: what lies before the period is never looked at."""

from pathlib import Path

import apsw
import pytest

from hermes.store.base import Period
from hermes.store.insights import MEASURES
from hermes.store.sqlite.snapshot import SqliteReader
from hermes_state import SessionDB

PERIOD = Period(after=1.0, before=2.0, sources=["cli"])


@pytest.fixture
def plans(tmp_path: Path) -> list[str]:
    """How SQLite answers each question, a step a line."""
    path = tmp_path / "state.db"
    SessionDB(path).close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    asked: list[tuple[str, object]] = []
    connection.exec_trace = lambda _cursor, sql, bindings: asked.append((sql, bindings)) or True
    reader = SqliteReader(connection, frozenset({"local"}))
    for group in ("model", "day", "source"):
        reader.usage_by(group, PERIOD)
    reader.activity(PERIOD)
    reader.tool_use(PERIOD)
    reader.conversations_in(PERIOD)
    for measure in MEASURES:
        reader.notable(measure, PERIOD, 1)
    connection.exec_trace = None
    steps = [row[3] for sql, values in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    connection.close()
    return steps


def test_nothing_but_ranges_of_indexes_is_read(plans: list[str]) -> None:
    tables = [step for step in plans if step.startswith(("SCAN ", "SEARCH ")) and not step.startswith("SCAN (sub")]
    ranges = (
        "idx_usage_at (at>",
        "idx_sessions_active (shelf=? AND active_at>",
        "idx_messages_session (session_id=? AND",
    )
    looked_up = ("json_each", "idx_sessions_lineage (lineage_id=?)", "LIST SUBQUERY", "c VIRTUAL TABLE")
    read = [step for step in tables if not any(one in step for one in (*ranges, *looked_up))]
    assert read == []
    for one in ranges:
        assert any(one in step for step in tables), one
