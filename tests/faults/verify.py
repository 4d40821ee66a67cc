"""What a store must look like, asked in a process of its own: once through Hermes, once through the stock SQLite."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hermes.store import SessionDB
from tests.faults.writers import ROOM, Model, Session, read_diary

_RULES = {
    "a session's message_count is not what it has": """
        SELECT id FROM sessions s WHERE message_count <> (
            SELECT COUNT(*) FROM messages WHERE session_id = s.id AND carried_from IS NULL)""",
    "a session's tool_call_count is not what it has": """
        SELECT id FROM sessions s WHERE tool_call_count <> COALESCE((
            SELECT SUM(json_array_length(tool_calls)) FROM messages
            WHERE session_id = s.id AND carried_from IS NULL AND tool_calls IS NOT NULL), 0)""",
    "a session's last activity is not its last message's": """
        SELECT id FROM sessions s WHERE active_at <> COALESCE(
            (SELECT MAX(timestamp) FROM messages WHERE session_id = s.id), started_at)""",
    "a session's totals are not its ledger's sums": """
        SELECT id FROM sessions s WHERE input_tokens <> COALESCE(
            (SELECT SUM(input_tokens) FROM usage WHERE session_id = s.id), 0)""",
    "a message without a session": "SELECT id FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)",
    "a carried message without its original": """
        SELECT id FROM messages WHERE carried_from IS NOT NULL AND carried_from NOT IN (SELECT id FROM messages)""",
    "a lineage with more than one row in the list": """
        SELECT lineage_id FROM sessions WHERE shelf IN (1, 2) GROUP BY lineage_id HAVING COUNT(*) > 1""",
    "more than one continuation of a session": """
        SELECT p.id FROM sessions p JOIN sessions c ON c.parent_session_id = p.id
        WHERE p.end_reason = 'compression' AND c.started_at >= p.ended_at GROUP BY p.id HAVING COUNT(*) > 1""",
    "more than one schema version": "SELECT n FROM (SELECT COUNT(*) AS n FROM schema_version) WHERE n <> 1",
    "a payload nobody refers to": """
        SELECT id FROM payloads p WHERE NOT EXISTS (SELECT 1 FROM messages WHERE payload = p.id)
        AND NOT EXISTS (SELECT 1 FROM sessions WHERE prompt_payload = p.id)
        AND NOT EXISTS (SELECT 1 FROM index_queue WHERE payload = p.id)""",
}


@dataclass(slots=True)
class Findings:
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        self.acknowledged += other.acknowledged
        for name in ("lost", "broken", "notices", "failures"):
            getattr(self, name).extend(getattr(other, name))

    def good(self) -> bool:
        return not (self.lost or self.broken or self.notices or self.failures)

    def worst(self) -> str:
        """The first thing that is wrong, for the line that is printed."""
        wrong = [*self.lost, *self.broken, *self.notices, *self.failures]
        return f" (first: {wrong[0][:300]})" if wrong else ""


def check_diaries(store: Path, diaries: list[Path]) -> Findings:
    """Everything the diaries say is there, whole, once. Runs in its own process."""
    found = Findings()
    with SessionDB(store) as db:
        found.notices = list(db.notices)
        room = [row["content"] for row in db.get_messages(ROOM)]
        names = {row["id"] for row in db.search_sessions(limit=10**6)}
        for path in diaries:
            told = read_diary(path)
            found.acknowledged += told.acknowledged
            found.failures += told.failures
            prefix = path.stem
            there = {name: _session(db, name) for name in names if name.startswith(f"{prefix}-")}
            said = [text for text in room if text.startswith(f"{prefix}x")]
            if Model(there, said) not in (told.must, told.may):
                found.lost.append(f"{prefix}: {_difference(Model(there, said), told.must)}")
    return found


def _session(db: SessionDB, name: str) -> Session:
    row = db.get_session(name) or {}
    texts = [(message["content"], message["carried_from"] is not None) for message in db.get_messages(name)]
    return Session(texts, row["title"], row["end_reason"], row["parent_session_id"], row["input_tokens"])


def _difference(there: Model, must: Model) -> str:
    for name in sorted({*there.sessions, *must.sessions}):
        if there.sessions.get(name) != must.sessions.get(name):
            return f"{name} is {there.sessions.get(name)}, must be {must.sessions.get(name)}"
    return f"in the room {len(there.said)} of {len(must.said)}"


def check_stock(store: Path, *, indexed: bool = True) -> Findings:
    """SQLite's own check, our rules, and an index that agrees with the rows. Runs in its own process."""
    found = Findings()
    with closing(sqlite3.connect(store)) as db:
        for (verdict,) in db.execute("PRAGMA integrity_check"):
            if verdict != "ok":
                found.broken.append(f"integrity_check: {verdict}")
        found.broken += [f"foreign key: {row}" for row in db.execute("PRAGMA foreign_key_check")]
        for rule, sql in _RULES.items():
            found.broken += [f"{rule}: {row[0]}" for row in db.execute(sql).fetchmany(3)]
        if indexed:
            found.broken += _index_trouble(db)
    return found


def _index_trouble(db: sqlite3.Connection) -> list[str]:
    """Every message is in the word index, once the queue and the tail are empty, and nothing else is."""
    (through,) = db.execute("SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'indexed_through'").fetchone()
    waiting = {row[0] for row in db.execute("SELECT message_id FROM index_queue")}
    db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'messages_fts', 'instance')")
    indexed = {row[0] for row in db.execute("SELECT DISTINCT doc FROM temp.words")} - waiting
    rows = db.execute("SELECT id FROM messages WHERE carried_from IS NULL AND id <= ?", (through,))
    present = {row[0] for row in rows} - waiting
    if indexed == present:
        return []
    examples = json.dumps(sorted(indexed ^ present)[:5])
    return [f"index: {len(indexed - present)} rows too many, {len(present - indexed)} missing: {examples}"]
