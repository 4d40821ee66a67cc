"""What the storage documents print works as printed: Python examples, SELECTs, tables, message formats."""

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_constants
from hermes_state import SessionDB
from tests.stories import stock

# -- the Python examples, in the order of the page

INITIALIZE = """
from hermes_state import SessionDB

db = SessionDB()                           # Default: ~/.hermes/state.db
db = SessionDB(db_path=Path("/tmp/test.db"))  # Custom path
"""
CREATE_AND_MANAGE = """
# Create a new session
db.create_session(
    session_id="sess_abc123",
    source="cli",
    model="anthropic/claude-sonnet-4.6",
    user_id="user_1",
    parent_session_id=None,  # or previous session ID for lineage
)

# End a session
db.end_session("sess_abc123", end_reason="user_exit")

# Reopen a session (clear ended_at/end_reason)
db.reopen_session("sess_abc123")
"""
STORE_MESSAGES = """
msg_id = db.append_message(
    session_id="sess_abc123",
    role="assistant",
    content="Here's the answer...",
    tool_calls=[{"id": "call_1", "function": {"name": "terminal", "arguments": "{}"}}],
    token_count=150,
    finish_reason="stop",
    reasoning="Let me think about this...",
)
"""
RETRIEVE_MESSAGES = """
# Raw messages with all metadata
messages = db.get_messages("sess_abc123")

# OpenAI conversation format (for API replay)
conversation = db.get_messages_as_conversation("sess_abc123")
# Returns: [{"role": "user", "content": "..."}, {"role": "assistant", ...}]
"""
TITLES = """
# Set a title (must be unique among non-NULL titles)
db.set_session_title("sess_abc123", "Fix Docker Build")

# Resolve by title (returns most recent in lineage)
session_id = db.resolve_session_by_title("Fix Docker Build")

# Auto-generate next title in lineage
next_title = db.get_next_title_in_lineage("Fix Docker Build")
# Returns: "Fix Docker Build #2"
"""
CLEAR = """
# Clear messages but keep the session record
db.clear_messages("sess_abc123")
"""


class Page:
    """Runs the examples of a page one after the other, with the names they leave behind."""

    def __init__(self, folder: Path) -> None:
        self.names: dict[str, Any] = {"Path": lambda name: folder / Path(name).name}
        self.opened: list[SessionDB] = []

    def run(self, example: str) -> dict[str, Any]:
        exec(textwrap.dedent(example), self.names)  # the documents' own words
        if isinstance(self.names.get("db"), SessionDB):
            self.opened.append(self.names["db"])
        return self.names


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = Page(tmp_path)
    yield page
    for db in page.opened:
        db.close()


def test_the_store_opens_by_default_in_the_home_and_anywhere_else(
    page: Page, tmp_path: Path, hermes_home: Path
) -> None:
    page.run(INITIALIZE)
    assert page.names["db"].db_path == tmp_path / "test.db"
    assert (hermes_home / "state.db").exists()
    assert (tmp_path / "test.db").exists()


def test_the_python_examples_run_in_the_order_of_the_page(page: Page) -> None:
    db: SessionDB = page.run(INITIALIZE)["db"]
    page.run(CREATE_AND_MANAGE)
    session = db.get_session("sess_abc123")
    assert session is not None
    assert (session["model"], session["user_id"]) == ("anthropic/claude-sonnet-4.6", "user_1")
    assert (session["ended_at"], session["end_reason"]) == (None, None)
    message_id = page.run(STORE_MESSAGES)["msg_id"]
    page.run(RETRIEVE_MESSAGES)
    (message,) = page.names["messages"]
    assert (message["id"], message["token_count"], message["reasoning"]) == (
        message_id, 150, "Let me think about this...",
    )  # fmt: skip
    assert page.names["conversation"] == [
        {
            "role": "assistant",
            "content": "Here's the answer...",
            "tool_calls": [{"id": "call_1", "function": {"name": "terminal", "arguments": "{}"}}],
            "finish_reason": "stop",
            "reasoning": "Let me think about this...",
        }
    ]
    page.run(TITLES)
    assert page.names["session_id"] == "sess_abc123"
    assert page.names["next_title"] == "Fix Docker Build #2"
    page.run(CLEAR)
    assert db.get_messages("sess_abc123") == []
    assert db.get_session("sess_abc123")["message_count"] == 0  # type: ignore[index]


def test_the_home_is_the_documented_one(hermes_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hermes_constants.get_hermes_home() == hermes_home
    monkeypatch.delenv("HERMES_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert hermes_constants.get_hermes_home() == Path("/home/somebody/.hermes")


def test_database_log_and_shared_memory_lie_in_the_same_folder(hermes_home: Path) -> None:
    with SessionDB() as db:
        db.create_session("s", "cli")
        assert {"state.db", "state.db-wal", "state.db-shm"} <= set(os.listdir(hermes_home))


# -- the SELECTs, verbatim

ANCESTORS = """
-- Find all ancestors of a session
WITH RECURSIVE lineage AS (
    SELECT * FROM sessions WHERE id = ?
    UNION ALL
    SELECT s.* FROM sessions s
    JOIN lineage l ON s.id = l.parent_session_id
)
SELECT id, title, started_at, parent_session_id FROM lineage;
"""
DESCENDANTS = """
-- Find all descendants of a session
WITH RECURSIVE descendants AS (
    SELECT * FROM sessions WHERE id = ?
    UNION ALL
    SELECT s.* FROM sessions s
    JOIN descendants d ON s.parent_session_id = d.id
)
SELECT id, title, started_at FROM descendants;
"""
RECENT = """
SELECT s.*,
    COALESCE(
        (SELECT SUBSTR(m.content, 1, 63)
         FROM messages m
         WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL
         ORDER BY m.timestamp, m.id LIMIT 1),
        ''
    ) AS preview,
    COALESCE(
        (SELECT MAX(m2.timestamp) FROM messages m2 WHERE m2.session_id = s.id),
        s.started_at
    ) AS last_active
FROM sessions s
ORDER BY s.started_at DESC
LIMIT 20;
"""
BY_MODEL = """
-- Total tokens by model
SELECT model,
       COUNT(*) as session_count,
       SUM(input_tokens) as total_input,
       SUM(output_tokens) as total_output,
       SUM(estimated_cost_usd) as total_cost
FROM sessions
WHERE model IS NOT NULL
GROUP BY model
ORDER BY total_cost DESC;
"""
HIGHEST = """
-- Sessions with highest token usage
SELECT id, title, model, input_tokens + output_tokens AS total_tokens,
       estimated_cost_usd
FROM sessions
ORDER BY total_tokens DESC
LIMIT 10;
"""
OPEN_DATA = "SELECT role, content, tool_name, tool_calls FROM messages WHERE session_id = ? ORDER BY id"


@pytest.fixture
def written(hermes_home: Path) -> Path:
    """A store that was used and closed: a compressed conversation, a branch, tools, costs."""
    with SessionDB() as db:
        db.create_session("root", "telegram", user_id="u", model="big", started_at=100.0)
        db.set_session_title("root", "my project")
        db.append_message("root", "user", "the very first question of " + "many words " * 10, timestamp=101.0)
        db.append_message("root", "assistant", "42", timestamp=102.0, tool_calls=[{"id": "call_1"}])
        db.update_token_counts("root", 100, 10, estimated_cost_usd=0.5)
        db.split_session("root", "tip", [{"role": "user", "content": "summary", "timestamp": 300.0}])
        db.update_token_counts("tip", 1000, 5, estimated_cost_usd=0.25)
        db.create_session("other", "cli", model="small", started_at=50.0, system_prompt="long prompt " * 500)
        db.append_message("other", "user", "déjà vu 漢字", timestamp=400.0)
        db.append_message("other", "tool", "x" * 20_000, tool_name="terminal", timestamp=401.0)
        db.update_token_counts("other", 7, 7, estimated_cost_usd=4.0)
        db.create_session("empty", "cron", started_at=10.0)
    return hermes_home / "state.db"


def test_ancestors_and_descendants(written: Path) -> None:
    up = stock.ask(written, ANCESTORS, ["tip"])
    assert [(row["id"], row["title"], row["parent_session_id"]) for row in up] == [
        ("tip", "my project #2", "root"), ("root", "my project", None),
    ]  # fmt: skip
    down = stock.ask(written, DESCENDANTS, ["root"])
    assert [(row["id"], row["title"]) for row in down] == [("root", "my project"), ("tip", "my project #2")]
    assert down[0]["started_at"] == 100.0


def test_recent_sessions_with_preview_say_what_our_lists_say(written: Path) -> None:
    rows = stock.ask(written, RECENT)
    assert [row["id"] for row in rows] == ["tip", "root", "other", "empty"]
    assert rows[1]["preview"] == "the very first question of many words many words many words man"
    assert [(row["preview"], row["last_active"]) for row in rows[2:]] == [("déjà vu 漢字", 401.0), ("", 10.0)]
    with SessionDB() as db:
        ours = {row["id"]: row for row in db.list_sessions_rich(include_children=True)}
    for row in rows:
        assert ours[row["id"]]["last_active"] == row["last_active"]
        shown = row["preview"] if len(row["preview"]) <= 60 else row["preview"][:60] + "..."
        assert ours[row["id"]]["preview"] == shown


def test_tokens_by_model_and_the_highest_usage(written: Path) -> None:
    assert stock.ask(written, BY_MODEL) == [
        {"model": "small", "session_count": 1, "total_input": 7, "total_output": 7, "total_cost": 4.0},
        {"model": "big", "session_count": 2, "total_input": 1100, "total_output": 15, "total_cost": 0.75},
    ]
    highest = stock.ask(written, HIGHEST)
    assert [(row["id"], row["total_tokens"], row["estimated_cost_usd"]) for row in highest] == [
        ("tip", 1005, 0.25), ("root", 110, 0.5), ("other", 14, 4.0), ("empty", 0, None),
    ]  # fmt: skip


def test_what_was_said_is_plain_text_in_the_table(written: Path) -> None:
    said = stock.ask(written, OPEN_DATA, ["root"])
    assert [(row["role"], row["content"], row["tool_calls"]) for row in said] == [
        ("user", "the very first question of " + "many words " * 10, None), ("assistant", "42", '[{"id": "call_1"}]'),
    ]  # fmt: skip
    # Large tool output is the documented exception: it lies compressed beside the row.
    assert [row["content"] for row in stock.ask(written, OPEN_DATA, ["other"])] == ["déjà vu 漢字", None]


def test_the_word_index_is_complete_once_the_writer_closed(written: Path) -> None:
    found = "SELECT COUNT(*) AS hits FROM messages_fts WHERE messages_fts MATCH ?"
    assert [stock.ask(written, found, [word]) for word in ("question", "terminal", "deja", "nowhere")] == [
        [{"hits": 1}], [{"hits": 1}], [{"hits": 1}], [{"hits": 0}],
    ]  # fmt: skip


# -- the tables

SESSIONS_TABLE = {
    "id": "TEXT PRIMARY KEY",
    "source": "TEXT NOT NULL",
    "user_id": "TEXT",
    "model": "TEXT",
    "model_config": "TEXT",
    "system_prompt": "TEXT",
    "parent_session_id": "TEXT",
    "started_at": "REAL NOT NULL",
    "ended_at": "REAL",
    "end_reason": "TEXT",
    "message_count": "INTEGER DEFAULT 0",
    "tool_call_count": "INTEGER DEFAULT 0",
    "input_tokens": "INTEGER DEFAULT 0",
    "output_tokens": "INTEGER DEFAULT 0",
    "cache_read_tokens": "INTEGER DEFAULT 0",
    "cache_write_tokens": "INTEGER DEFAULT 0",
    "reasoning_tokens": "INTEGER DEFAULT 0",
    "billing_provider": "TEXT",
    "billing_base_url": "TEXT",
    "billing_mode": "TEXT",
    "estimated_cost_usd": "REAL",
    "actual_cost_usd": "REAL",
    "cost_status": "TEXT",
    "cost_source": "TEXT",
    "pricing_version": "TEXT",
    "title": "TEXT",
    "api_call_count": "INTEGER DEFAULT 0",
}
MESSAGES_TABLE = {
    "id": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "session_id": "TEXT NOT NULL REFERENCES sessions(id)",
    "role": "TEXT NOT NULL",
    "content": "TEXT",
    "tool_call_id": "TEXT",
    "tool_calls": "TEXT",
    "tool_name": "TEXT",
    "timestamp": "REAL NOT NULL",
    "token_count": "INTEGER",
    "finish_reason": "TEXT",
    "reasoning": "TEXT",
    "reasoning_content": "TEXT",
    "reasoning_details": "TEXT",
    "codex_reasoning_items": "TEXT",
    "codex_message_items": "TEXT",
}
# Schema 6 had these not yet.
LATER_COLUMNS = {"api_call_count", "reasoning_content", "codex_message_items"}


def create_table(name: str, columns: dict[str, str], *, foreign_key: str = "") -> str:
    listed = ",\n    ".join(f"{column} {kind}" for column, kind in columns.items())
    return f"CREATE TABLE IF NOT EXISTS {name} (\n    {listed}{foreign_key}\n)"


PARENT = ",\n    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)"
PRINTED = [
    create_table("sessions", SESSIONS_TABLE, foreign_key=PARENT),
    create_table("messages", MESSAGES_TABLE),
    create_table("sessions", {n: k for n, k in SESSIONS_TABLE.items() if n not in LATER_COLUMNS}, foreign_key=PARENT),
    create_table("messages", {n: k for n, k in MESSAGES_TABLE.items() if n not in LATER_COLUMNS}),
    "CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source)",
    "CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id)",
    "CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC)",
    """CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique
    ON sessions(title) WHERE title IS NOT NULL""",
    "CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp)",
    """CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts USING fts5(
    content,
    content=messages,
    content_rowid=id
)""",
    "CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts USING fts5(content)",
    """CREATE TRIGGER IF NOT EXISTS messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END""",
    """CREATE TRIGGER IF NOT EXISTS messages_fts_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content)
        VALUES('delete', old.id, old.content);
END""",
    """CREATE TRIGGER IF NOT EXISTS messages_fts_update AFTER UPDATE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content)
        VALUES('delete', old.id, old.content);
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END""",
]


def columns(path: Path, table: str) -> list[str]:
    """Each column as the documents write it."""
    found = []
    for row in stock.ask(path, f"PRAGMA table_info({table})"):
        kind = row["type"]
        kind += " PRIMARY KEY" if row["pk"] else " NOT NULL" if row["notnull"] else ""
        kind += f" DEFAULT {row['dflt_value']}" if row["dflt_value"] is not None else ""
        found.append(f"{row['name']} {kind}")
    return found


@pytest.mark.parametrize(("table", "documented"), [("sessions", SESSIONS_TABLE), ("messages", MESSAGES_TABLE)])
def test_every_documented_column_is_there_in_order_with_its_type(
    written: Path, table: str, documented: dict[str, str]
) -> None:
    beyond_table_info = (" AUTOINCREMENT", " REFERENCES sessions(id)")
    wanted = []
    for name, kind in documented.items():
        for words in beyond_table_info:
            kind = kind.replace(words, "")
        wanted.append(f"{name} {kind}")
    assert columns(written, table)[: len(wanted)] == wanted


def test_sessions_and_messages_refer_to_sessions(written: Path) -> None:
    keys = [stock.ask(written, f"PRAGMA foreign_key_list({table})") for table in ("sessions", "messages")]
    assert [[(k["table"], k["from"], k["to"]) for k in found] for found in keys] == [
        [("sessions", "parent_session_id", "id")], [("sessions", "session_id", "id")],
    ]  # fmt: skip
    assert "AUTOINCREMENT" in stock.ask(written, "SELECT sql FROM sqlite_master WHERE name = 'messages'")[0]["sql"]


def test_the_documented_tables_indexes_and_triggers_exist(written: Path) -> None:
    found = {(row["type"], row["name"]) for row in stock.ask(written, "SELECT type, name FROM sqlite_master")}
    tables = ("sessions", "messages", "messages_fts", "messages_fts_trigram", "state_meta", "schema_version")
    assert {("table", name) for name in tables} <= found
    indexes = ("source", "parent", "started", "title_unique")
    assert {("index", f"idx_sessions_{name}") for name in indexes} | {("index", "idx_messages_session")} <= found
    events = ("insert", "update", "delete")
    assert {("trigger", f"messages_fts_{event}") for event in events} <= found
    assert {("trigger", f"messages_fts_trigram_{event}") for event in events} <= found


def test_the_printed_statements_change_nothing(written: Path) -> None:
    everything = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    before, *_, after = stock.run(written, (everything, ()), *((sql, ()) for sql in PRINTED), (everything, ()))
    assert after == before
    with SessionDB() as db:
        db.append_message("root", "user", "still in one piece")
        assert db.notices == []
    assert stock.ask(written, "SELECT COUNT(*) AS n FROM messages_fts WHERE messages_fts MATCH 'piece'") == [{"n": 1}]


def test_schema_version_is_one_row_with_12(written: Path) -> None:
    assert stock.ask(written, "SELECT version FROM schema_version") == [{"version": 12}]


def test_the_file_is_in_wal_mode_and_sound_for_a_stock_sqlite(written: Path) -> None:
    assert stock.ask(written, "PRAGMA journal_mode") == [{"journal_mode": "wal"}]
    assert stock.ask(written, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert stock.ask(written, "PRAGMA foreign_key_check") == []


def test_a_hand_with_the_stock_shell_breaks_nothing(written: Path) -> None:
    stock.run(
        written,
        ("INSERT INTO sessions (id, source, user_id, started_at) VALUES ('by-hand', 'telegram', '9', 500)", ()),
        ("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('by-hand', 'user', 'typed', 501)", ()),
        ("UPDATE messages SET content = 'changed by hand' WHERE session_id = 'other' AND role = 'user'", ()),
        ("DELETE FROM messages WHERE session_id = 'root' AND role = 'assistant'", ()),
    )
    with SessionDB() as db:
        row = db.get_session("by-hand")
        assert row is not None
        assert (row["owner"], row["lineage_id"]) == ("telegram:9", "by-hand")
        assert "by-hand" in [row["id"] for row in db.list_sessions_rich()]
        assert [m["content"] for m in db.get_messages("by-hand")] == ["typed"]
        assert db.get_messages("other")[0]["content"] == "changed by hand"
        assert len(db.get_messages("root")) == 1
        db.append_message("by-hand", "assistant", "and on it goes")
    assert stock.ask(written, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


# -- the message formats of the data model page

USER = {"role": "user", "content": "Search for recent papers on GRPO"}
ASSISTANT = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_abc123",
            "type": "function",
            "function": {"name": "web_search", "arguments": '{"query": "GRPO ..."}'},
        }
    ],
}
TOOL = {
    "role": "tool",
    "tool_call_id": "call_abc123",
    "tool_name": "web_search",
    "content": '{"data": {"web": [...]}}',
}
SYSTEM = {"role": "system", "content": "You are a CLI AI Agent..."}


def test_the_documented_message_formats_come_back_as_they_are() -> None:
    messages = [SYSTEM, USER, ASSISTANT, TOOL]
    with SessionDB() as db:
        db.create_session("s", "cli")
        db.append_messages("s", messages)
        db.create_session("t", "cli")
        for message in messages:
            db.append_message("t", **message)
        db.create_session("u", "cli")
        db.replace_messages("u", messages)
        for session_id in "stu":
            assert db.get_messages_as_conversation(session_id) == messages
