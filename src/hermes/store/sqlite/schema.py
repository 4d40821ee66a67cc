"""The tables of schema 12: the documented ones under their documented names, and what we add.

Readable by a stock SQLite ≥ 3.40. Triggers are plain SQL, so that a DELETE typed into the stock
shell works and leaves the index exact: they only queue the row with its old text.
"""

from hermes.model.sources import LOCAL_SOURCES

SCHEMA_VERSION = 12
APPLICATION_ID = 0x48524D53  # "HRMS": files with this mark are ours

# Where a session stands in lists (`sessions.shelf`).
HIDDEN, WHOLE, TIP, ROOT, ARCHIVED, TRASHED = range(6)
#   HIDDEN    a delegated child, or an inner part of a compressed conversation
#   WHOLE     a conversation in one part
#   TIP       the newest part of a compressed conversation: the row people see
#   ROOT      its first part
#   ARCHIVED, TRASHED   the newest part of a conversation put away

SESSION_COLUMNS = {
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
    "handoff_state": "TEXT",
    "handoff_platform": "TEXT",
    "handoff_error": "TEXT",
    # ours
    "owner": "TEXT",
    "lineage_id": "TEXT",
    "chat_id": "TEXT",
    "chat_type": "TEXT",
    "thread_id": "TEXT",
    "prompt_payload": "INTEGER",
    "opening": "TEXT",
    "active_at": "REAL",
    "begun_at": "REAL",
    "shelf": "INTEGER",
    "pinned": "INTEGER DEFAULT 0",
    "archived_at": "REAL",
    "trashed_at": "REAL",
}
# Shown to callers as they are; the rest is bookkeeping.
PUBLIC_SESSION_COLUMNS = [
    name for name in SESSION_COLUMNS if name not in ("prompt_payload", "opening", "active_at", "begun_at", "shelf")
]

MESSAGE_COLUMN_TYPES = {
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
    # ours
    "kind": "TEXT",
    "payload": "INTEGER",
    "carried_from": "INTEGER",
    "idempotency_key": "TEXT",
}


def _columns(columns: dict[str, str]) -> str:
    return ",\n    ".join(f"{name} {kind}" for name, kind in columns.items())


TABLES = f"""
CREATE TABLE IF NOT EXISTS schema_version (
    version INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS sessions (
    {_columns(SESSION_COLUMNS)},
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE IF NOT EXISTS messages (
    {_columns(MESSAGE_COLUMN_TYPES)}
);
CREATE TABLE IF NOT EXISTS state_meta (
    key TEXT PRIMARY KEY,
    value TEXT
);
CREATE TABLE IF NOT EXISTS payloads (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    codec TEXT NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT,
    owner TEXT,
    source TEXT,
    at REAL NOT NULL,
    model TEXT,
    billing_provider TEXT,
    billing_base_url TEXT,
    billing_mode TEXT,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    api_call_count INTEGER NOT NULL DEFAULT 0,
    estimated_cost_usd REAL,
    actual_cost_usd REAL,
    cost_status TEXT,
    cost_source TEXT,
    pricing_version TEXT
);
CREATE TABLE IF NOT EXISTS session_tags (
    session_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (tag, session_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS identity_links (
    owner TEXT PRIMARY KEY,
    person TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS index_queue (
    message_id INTEGER PRIMARY KEY,
    was_indexed INTEGER NOT NULL,
    content TEXT,
    tool_name TEXT,
    tool_calls TEXT,
    kind TEXT,
    payload INTEGER
);
"""
# What the gateway keeps: which session a chat is in, what came in, and what is to go out. A file of this schema
# that was made without them gets them when it is opened.
ROUTING = """
CREATE TABLE IF NOT EXISTS routes (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    platform TEXT NOT NULL,
    chat_type TEXT NOT NULL,
    chat_id TEXT NOT NULL DEFAULT '',
    thread_id TEXT NOT NULL DEFAULT '',
    user_id TEXT NOT NULL DEFAULT '',
    active_at REAL NOT NULL,
    reset_from TEXT,
    reset_reason TEXT
);
CREATE INDEX IF NOT EXISTS idx_routes_session ON routes(session_id);
CREATE TABLE IF NOT EXISTS inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT,
    state TEXT NOT NULL,
    session_id TEXT,
    message_id INTEGER,
    at REAL NOT NULL,
    UNIQUE (platform, event_id)
);
CREATE INDEX IF NOT EXISTS idx_inbox_open ON inbox(state) WHERE state <> 'done';
CREATE INDEX IF NOT EXISTS idx_inbox_session ON inbox(session_id) WHERE session_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    platform TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT,
    state TEXT NOT NULL,
    session_id TEXT,
    message_id INTEGER,
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_outbox_open ON outbox(state) WHERE state <> 'sent';
CREATE INDEX IF NOT EXISTS idx_outbox_session ON outbox(session_id) WHERE session_id IS NOT NULL;
"""
TABLES += ROUTING

INDEXES = """
CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source);
CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC);
CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique
    ON sessions(title, owner) WHERE title IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_sessions_lineage ON sessions(lineage_id);
CREATE INDEX IF NOT EXISTS idx_sessions_active ON sessions(shelf, active_at);
CREATE INDEX IF NOT EXISTS idx_sessions_source_active ON sessions(shelf, source, active_at);
CREATE INDEX IF NOT EXISTS idx_sessions_owner_active ON sessions(shelf, owner, active_at);
CREATE INDEX IF NOT EXISTS idx_sessions_begun ON sessions(shelf, begun_at);
CREATE INDEX IF NOT EXISTS idx_sessions_source_begun ON sessions(shelf, source, begun_at);
CREATE INDEX IF NOT EXISTS idx_sessions_owner_begun ON sessions(shelf, owner, begun_at);
CREATE INDEX IF NOT EXISTS idx_sessions_handoff ON sessions(handoff_state) WHERE handoff_state IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_sessions_prompt ON sessions(prompt_payload) WHERE prompt_payload IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp);
CREATE INDEX IF NOT EXISTS idx_messages_order ON messages(session_id);
CREATE UNIQUE INDEX IF NOT EXISTS idx_messages_key
    ON messages(session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_messages_carried ON messages(carried_from) WHERE carried_from IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_messages_payload ON messages(payload) WHERE payload IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_usage_session ON usage(session_id);
CREATE INDEX IF NOT EXISTS idx_usage_at ON usage(at);
CREATE INDEX IF NOT EXISTS idx_session_tags_session ON session_tags(session_id);
"""

# One copy of the text: the word index reads it through a view, the other two keep none. The trigram
# and the short index hold what the word index cannot serve: scripts without spaces, and symbols.
FULL_TEXT = """
CREATE VIEW IF NOT EXISTS messages_text AS
    SELECT id,
           COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '') AS content
    FROM messages WHERE carried_from IS NULL;
CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts USING fts5(
    content, content='messages_text', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts_trigram USING fts5(
    content, content='', tokenize='trigram', detail='none', columnsize=0
);
CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts_short USING fts5(
    units, content='', tokenize='ascii', detail='none', columnsize=0
);
"""

FULL_TEXT_TABLES = ("messages_fts", "messages_fts_trigram", "messages_fts_short")

_INDEXED_THROUGH = "(SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'indexed_through')"
_OLD_ROW = "old.id, 1, old.content, old.tool_name, old.tool_calls, old.kind, old.payload"
_LOCAL = ", ".join(f"'{source}'" for source in sorted(LOCAL_SOURCES))
# A conversation has one owner; what goes on under another is one of its own.
_OWN_PARENT = "FROM sessions p WHERE sessions.id = new.id AND p.id = new.parent_session_id AND p.owner = sessions.owner"

TRIGGERS = f"""
CREATE TRIGGER IF NOT EXISTS messages_fts_insert AFTER INSERT ON messages
WHEN new.id <= {_INDEXED_THROUGH} BEGIN
    INSERT OR IGNORE INTO index_queue(message_id, was_indexed) VALUES (new.id, 0);
END;
CREATE TRIGGER IF NOT EXISTS messages_fts_delete AFTER DELETE ON messages
WHEN old.carried_from IS NULL AND old.id <= {_INDEXED_THROUGH} BEGIN
    INSERT OR IGNORE INTO index_queue VALUES ({_OLD_ROW});
END;
CREATE TRIGGER IF NOT EXISTS messages_fts_update
AFTER UPDATE OF id, content, tool_name, tool_calls, kind, payload, carried_from ON messages
WHEN min(old.id, new.id) <= {_INDEXED_THROUGH} BEGIN
    INSERT OR IGNORE INTO index_queue VALUES (old.id, old.carried_from IS NULL, old.content, old.tool_name,
        old.tool_calls, old.kind, old.payload);
    INSERT OR IGNORE INTO index_queue(message_id, was_indexed)
        SELECT new.id, 0 WHERE new.id <> old.id AND new.id <= {_INDEXED_THROUGH};
END;
-- One queue serves every index; these three keep the documented names taken.
CREATE TRIGGER IF NOT EXISTS messages_fts_trigram_insert AFTER INSERT ON messages WHEN 0 BEGIN SELECT 1; END;
CREATE TRIGGER IF NOT EXISTS messages_fts_trigram_delete AFTER DELETE ON messages WHEN 0 BEGIN SELECT 1; END;
CREATE TRIGGER IF NOT EXISTS messages_fts_trigram_update AFTER UPDATE ON messages WHEN 0 BEGIN SELECT 1; END;
-- Whoever inserts a session, it gets its owner (its user, else its parent's), its lineage and its place in the lists.
CREATE TRIGGER IF NOT EXISTS sessions_placed AFTER INSERT ON sessions WHEN new.shelf IS NULL BEGIN
    UPDATE sessions SET owner = COALESCE(owner, CASE
            WHEN COALESCE(user_id, '') = '' THEN
                COALESCE((SELECT p.owner FROM sessions p WHERE p.id = new.parent_session_id), 'local')
            WHEN source IN ({_LOCAL}) THEN 'local' ELSE source || ':' || user_id END),
        active_at = COALESCE(active_at, started_at), lineage_id = id, begun_at = started_at, shelf = {WHOLE}
    WHERE id = new.id;
    UPDATE sessions SET shelf = iif(p.end_reason = 'branched' AND p.ended_at <= new.started_at, {WHOLE}, {HIDDEN})
    {_OWN_PARENT};
    UPDATE sessions SET lineage_id = p.lineage_id, begun_at = p.begun_at, shelf = iif(EXISTS (
        SELECT 1 FROM sessions x WHERE x.shelf > 0 AND x.lineage_id = p.lineage_id), {TIP}, {HIDDEN})
    {_OWN_PARENT} AND p.end_reason = 'compression' AND p.ended_at <= new.started_at;
    UPDATE sessions SET shelf = iif(shelf = {WHOLE}, {ROOT}, {HIDDEN})
    WHERE shelf IN ({WHOLE}, {TIP}) AND id <> new.id
      AND lineage_id = (SELECT lineage_id FROM sessions WHERE id = new.id);
END;
"""

TRIGGER_NAMES = (
    *(f"messages_fts_{event}" for event in ("insert", "delete", "update")),
    *(f"messages_fts_trigram_{event}" for event in ("insert", "delete", "update")),
    "sessions_placed",
)

ALL = TABLES + INDEXES + FULL_TEXT + TRIGGERS
