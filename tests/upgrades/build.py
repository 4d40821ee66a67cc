"""Makes a real file of each old schema, 1 … 11, step by step along the documented history.

    python -m tests.upgrades.build FOLDER       writes FOLDER/v01.db … v11.db

Each version changes the tables as its line in the history says and adds what people did at that time; so a file of
version 11 holds sessions of every age. Uses the standard library's SQLite, as the program of that time did.
"""

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

VERSIONS = range(1, 12)
DAY = 86400.0
BEGINNING = 1_700_000_000.0
PROMPT = "You are a helpful agent with a long frozen prompt. " * 21
CALLS = [{"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}]
IMAGE = [
    {"type": "text", "text": "what is on this picture?"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo+AAAANSUhEUg/" * 685}},
]

FIRST = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    user_id TEXT,
    model TEXT,
    model_config TEXT,
    system_prompt TEXT,
    parent_session_id TEXT,
    started_at REAL NOT NULL,
    ended_at REAL,
    end_reason TEXT,
    message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content TEXT,
    tool_call_id TEXT,
    tool_calls TEXT,
    tool_name TEXT,
    timestamp REAL NOT NULL,
    token_count INTEGER
);
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END;
"""
TRIGRAM = """
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
    content, content=messages, content_rowid=id, tokenize='trigram'
);
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, content) VALUES('delete', old.id, old.content);
END;
CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE ON messages BEGIN
    INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, content) VALUES('delete', old.id, old.content);
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, new.content);
END;
INSERT INTO messages_fts_trigram(rowid, content) SELECT id, content FROM messages;
"""


def _inline(table: str, options: str) -> str:
    """Schema 11: the index keeps its own text, of content, tool name and tool calls."""

    def said(row: str) -> str:
        return " || ' ' || ".join(f"COALESCE({row}{name}, '')" for name in ("content", "tool_name", "tool_calls"))

    return f"""
DROP TRIGGER {table}_insert;
DROP TRIGGER {table}_delete;
DROP TRIGGER {table}_update;
DROP TABLE {table};
CREATE VIRTUAL TABLE {table} USING fts5(content{options});
CREATE TRIGGER {table}_insert AFTER INSERT ON messages BEGIN
    INSERT INTO {table}(rowid, content) VALUES (new.id, {said("new.")});
END;
CREATE TRIGGER {table}_delete AFTER DELETE ON messages BEGIN
    DELETE FROM {table} WHERE rowid = old.id;
END;
CREATE TRIGGER {table}_update AFTER UPDATE ON messages BEGIN
    DELETE FROM {table} WHERE rowid = old.id;
    INSERT INTO {table}(rowid, content) VALUES (new.id, {said("new.")});
END;
INSERT INTO {table}(rowid, content) SELECT id, {said("")} FROM messages;
"""


class Author:
    """Writes the way the program of a version did."""

    def __init__(self, connection: sqlite3.Connection, version: int) -> None:
        self.connection = connection
        self.start = BEGINNING + version * DAY

    def insert(self, table: str, **values: object) -> None:
        names = ", ".join(values)
        self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", [*values.values()]
        )

    def session(self, session_id: str, source: str = "cli", at: float = 0.0, **columns: object) -> None:
        self.insert("sessions", id=session_id, source=source, started_at=self.start + at, **columns)

    def say(self, session_id: str, role: str, content: object, at: float = 1.0, **columns: object) -> None:
        self.insert("messages", session_id=session_id, role=role, content=content, timestamp=self.start + at, **columns)
        calls = len(json.loads(str(columns["tool_calls"]))) if columns.get("tool_calls") else 0
        self.connection.execute(
            "UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? WHERE id = ?",
            (calls, session_id),
        )


def v1(author: Author) -> None:
    author.connection.executescript(FIRST)
    author.session(
        "first", model="m1", model_config='{"temperature": 0.5}', system_prompt=PROMPT, user_id="me", input_tokens=120,
        output_tokens=30,
    )  # fmt: skip
    author.say("first", "system", "setting the scene", 0)
    author.say("first", "user", "please list\nthe files of  my project, all of them, with sizes and dates", 1)
    author.say("first", "assistant", None, 2, tool_calls=json.dumps(CALLS), token_count=12)
    author.say("first", "tool", "README.md\nsrc\n" * 5, 3, tool_name="terminal", tool_call_id="call_1")
    author.say("first", "assistant", "There they are.", 4)
    author.session("cjk", "telegram", 10, user_id="42", system_prompt=PROMPT)
    author.say("cjk", "user", "修改youer服务端的配置，谢谢", 11)
    author.say("cjk", "assistant", "配置已修改。", 12)
    author.session("nobody", "telegram", 20)
    author.say("nobody", "user", "without a user id", 21)
    author.session("silent", "cron", 30)
    _chain(author)
    _lost_user(author)
    _strange_parents(author)
    author.connection.execute("UPDATE sessions SET message_count = 99, tool_call_count = 99 WHERE id = 'cjk'")


def _chain(author: Author) -> None:
    """A conversation compressed twice, with delegated work in its second part and a branch at the end."""
    ended = {"ended_at": author.start + 110, "end_reason": "compression"}
    author.session("chain-1", "discord", 100, user_id="7", input_tokens=100, output_tokens=10, **ended)
    author.say("chain-1", "user", "the beginning", 101)
    author.session("chain-2", "discord", 110, user_id="7", parent_session_id="chain-1", input_tokens=50)
    author.say("chain-2", "user", "the middle", 111)
    author.session("helper", "discord", 112, user_id="7", parent_session_id="chain-2")
    author.say("helper", "user", "delegated", 113)
    author.connection.execute(
        "UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = 'chain-2'", (author.start + 120,)
    )
    author.session("chain-3", "discord", 121, user_id="7", parent_session_id="chain-2", output_tokens=5)
    author.say("chain-3", "user", "the end, so far", 122)
    author.session("trunk", at=130, ended_at=author.start + 135, end_reason="branched")
    author.say("trunk", "user", "before the fork", 131)
    author.session("trunk-helper", at=132, parent_session_id="trunk")
    author.session("branch", at=136, parent_session_id="trunk")
    author.say("branch", "user", "after the fork", 137)


def _lost_user(author: Author) -> None:
    """A continuation that was written without its user, as they used to be."""
    author.session("lost-1", "telegram", 150, user_id="42", ended_at=author.start + 155, end_reason="compression")
    author.session("lost-2", "telegram", 155, parent_session_id="lost-1")
    author.say("lost-2", "user", "still me", 156)


def _strange_parents(author: Author) -> None:
    """What nobody should have made: a circle of parents, and a parent that is gone."""
    author.connection.execute("PRAGMA foreign_keys=OFF")
    author.session("circle-a", at=200, parent_session_id="circle-b")
    author.session("circle-b", at=201, parent_session_id="circle-a")
    author.say("circle-a", "user", "round and round", 202)
    author.session("orphan", at=210, parent_session_id="gone")
    author.say("orphan", "user", "my parent was deleted", 211)


def v2(author: Author) -> None:
    author.connection.execute("ALTER TABLE messages ADD COLUMN finish_reason TEXT")
    author.session("v2")
    author.say("v2", "user", "hello two")
    author.say("v2", "assistant", "hi", finish_reason="stop")


def v3(author: Author) -> None:
    author.connection.execute("ALTER TABLE sessions ADD COLUMN title TEXT")
    for number, title in enumerate(["notes", "notes", "notes #2", "notes", "計画  e\u0301", "telegram's own"]):
        author.session(f"v3-{number}", "telegram" if number == 5 else "cli", float(number), user_id="42", title=title)
    author.say("v3-0", "user", "the oldest notes")


def v4(author: Author) -> None:
    """Titles have to be unique from here on; those that were not are gone."""
    author.connection.execute("UPDATE sessions SET title = NULL WHERE id IN ('v3-1', 'v3-3')")
    author.connection.execute(
        "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL"
    )
    author.session("v4", title="four")


def v5(author: Author) -> None:
    columns = {
        "cache_read_tokens": "INTEGER DEFAULT 0", "cache_write_tokens": "INTEGER DEFAULT 0",
        "reasoning_tokens": "INTEGER DEFAULT 0", "billing_provider": "TEXT", "billing_base_url": "TEXT",
        "billing_mode": "TEXT", "estimated_cost_usd": "REAL", "actual_cost_usd": "REAL", "cost_status": "TEXT",
        "cost_source": "TEXT", "pricing_version": "TEXT",
    }  # fmt: skip
    for name, kind in columns.items():
        author.connection.execute(f"ALTER TABLE sessions ADD COLUMN {name} {kind}")
    author.session(
        "v5", model="m5", input_tokens=1000, output_tokens=200, cache_read_tokens=300, cache_write_tokens=40,
        reasoning_tokens=50, billing_provider="openrouter", billing_mode="api", estimated_cost_usd=0.25,
        actual_cost_usd=0.125, cost_status="final", cost_source="provider", pricing_version="2024-01",
    )  # fmt: skip
    author.say("v5", "user", "what did this cost?")


def v6(author: Author) -> None:
    for name in ("reasoning", "reasoning_details", "codex_reasoning_items"):
        author.connection.execute(f"ALTER TABLE messages ADD COLUMN {name} TEXT")
    author.session("v6")
    author.say(
        "v6", "assistant", "thought about it", reasoning="hm", reasoning_details='[{"type": "thinking"}]',
        codex_reasoning_items='[{"id": "rs_1"}]',
    )  # fmt: skip


def v7(author: Author) -> None:
    author.connection.execute("ALTER TABLE messages ADD COLUMN reasoning_content TEXT")
    author.session("v7")
    author.say("v7", "assistant", "said", reasoning_content="")


def v8(author: Author) -> None:
    author.connection.execute("ALTER TABLE sessions ADD COLUMN api_call_count INTEGER DEFAULT 0")
    author.session("v8", api_call_count=3)


def v9(author: Author) -> None:
    author.connection.execute("ALTER TABLE messages ADD COLUMN codex_message_items TEXT")
    author.session("v9")
    author.say("v9", "assistant", "phased", codex_message_items='{"phase": "final"}')


def v10(author: Author) -> None:
    author.connection.executescript(TRIGRAM)
    author.insert("state_meta", key="last_auto_prune", value="1700000000.0")
    author.session("v10")
    author.say("v10", "user", "部分文字列")


def v11(author: Author) -> None:
    author.connection.executescript(
        _inline("messages_fts", "") + _inline("messages_fts_trigram", ", tokenize='trigram'")
    )
    for name in ("handoff_state", "handoff_platform", "handoff_error"):
        author.connection.execute(f"ALTER TABLE sessions ADD COLUMN {name} TEXT")
    author.session("v11", handoff_state="failed", handoff_platform="telegram", handoff_error="no such chat")
    author.say("v11", "user", "\0json:" + json.dumps(IMAGE))
    author.say("v11", "assistant", "\0json:" + json.dumps({"answer": "a 猫", "lone": "\ud83d"}), 2)
    author.say("v11", "user", "\0json: is not always JSON", 3)
    author.say("v11", "user", "a \0 in the middle", 4)
    author.session("pending", at=5, handoff_state="pending", handoff_platform="slack")


STEPS: list[Callable[[Author], None]] = [v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11]


def build(path: Path, version: int) -> None:
    """Write a file of this schema; nothing may be there yet."""
    if path.exists():
        raise FileExistsError(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    for number, step in enumerate(STEPS[:version], 1):
        step(Author(connection, number))
        connection.execute("DELETE FROM schema_version")
        connection.execute("INSERT INTO schema_version (version) VALUES (?)", (number,))
    connection.execute("VACUUM")
    connection.close()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for version in VERSIONS:
        target = folder / f"v{version:02}.db"
        target.unlink(missing_ok=True)
        build(target, version)
        print(f"{target} {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
