"""The documents' search, as printed: every example, every row of the syntax table, the shape of the results."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_state import SessionDB
from tests.stories import stock

DOCUMENTED = {
    "id", "session_id", "role", "snippet", "timestamp", "tool_name", "source", "model", "session_started", "context",
}  # fmt: skip
LONG = "word " * 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def db(path: Path) -> Iterator[SessionDB]:
    with SessionDB(path) as store:
        store.create_session("work", "cli", model="m-1", started_at=50.0)
        store.create_session("chat", "telegram", user_id="7")
        store.create_session("room", "discord", user_id="8")
        said = [
            ("work", "user", "how do I fix the docker deployment?"),
            ("work", "assistant", "The docker part: " + LONG),
            ("work", "user", "an exact phrase match, please"),
            ("chat", "user", "phrase exact: the words the other way round"),
            ("chat", "assistant", "kubernetes it is; an error and a bug in the help"),
            ("room", "user", "python and java, help"),
            ("room", "user", "python alone, with a bug"),
            ("work", "user", "deploying to production: error, bug, help"),
            ("work", "tool", "the chat-send tool said hello"),
        ]
        for number, (session, role, text) in enumerate(said):
            store.append_message(
                session, role, text, timestamp=100.0 + number, tool_name="t" if role == "tool" else None
            )
        yield store


def texts(db: SessionDB, query: str, **filters: object) -> set[int]:
    return {row["id"] for row in db.search_messages(query, **filters)}


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("docker deployment", {1}),  # Both terms (implicit AND)
        ('"exact phrase"', {3}),  # Exact phrase match
        ("docker OR kubernetes", {1, 2, 5}),  # Either term
        ("python NOT java", {7}),  # Exclude term
        ("deploy*", {1, 8}),  # Prefix match
        ("chat-send", {9}),  # hyphenated terms are one phrase
        ("hello AND", {9}),  # dangling operators go
        ('"docker', {1, 2}),  # unmatched quotes too
        ("docker) deployment", set()),  # a bracket alone is a character
        ("deploy", set()),  # a keyword matches the typed word
        ("DOCKER", {1, 2}),
    ],
)
def test_the_syntax_table(db: SessionDB, query: str, found: set[int], indexed: bool) -> None:
    if indexed:
        db.optimize()
    assert texts(db, query) == found


def test_filtered_search(db: SessionDB) -> None:
    assert texts(db, "error", source_filter=["cli"]) == {8}
    assert texts(db, "bug", exclude_sources=["telegram", "discord"]) == {8}
    assert texts(db, "help", role_filter=["user"]) == {6, 8}


@pytest.mark.parametrize("indexed", [False, True])
def test_each_result_has_the_documented_shape(db: SessionDB, indexed: bool) -> None:
    if indexed:
        db.optimize()
    (row,) = db.search_messages("phrase", source_filter=["cli"])
    assert set(row) >= DOCUMENTED
    assert row["snippet"] == "an exact >>>phrase<<< match, please"
    assert {name: row[name] for name in ("id", "session_id", "role", "timestamp", "tool_name")} == {
        "id": 3, "session_id": "work", "role": "user", "timestamp": 102.0, "tool_name": None,
    }  # fmt: skip
    assert (row["source"], row["model"], row["session_started"]) == ("cli", "m-1", 50.0)
    assert row["context"] == [
        {"role": "assistant", "content": ("The docker part: " + LONG)[:200]},
        {"role": "user", "content": "an exact phrase match, please"},
        {"role": "user", "content": "deploying to production: error, bug, help"},
    ]


def test_the_context_stays_in_the_session(db: SessionDB) -> None:
    (first,) = db.search_messages('"docker deployment"')
    assert [near["role"] for near in first["context"]] == ["user", "assistant"]
    (last,) = db.search_messages("kubernetes")
    assert [near["content"][:10] for near in last["context"]] == ["phrase exa", "kubernetes"]


def test_the_printed_queries_are_complete_in_the_stock_shell_after_close(db: SessionDB, path: Path) -> None:
    db.append_message("work", "assistant", "calling", tool_calls=[{"function": {"name": "web_search"}}])
    db.append_message("work", "tool", "output " * 4000 + " sesquipedalian", tool_name="terminal")
    db.append_message("work", "user", [{"type": "text", "text": "a multimodal pelican"}])
    db.append_message("work", "user", "修改youer服务端的配置文件")
    db.close()
    for match, ids in [
        ("docker AND deployment", [1]), ('"exact phrase"', [3]), ("docker OR kubernetes", [1, 2, 5]),
        ("python NOT java", [7]), ("deploy*", [1, 8]),
        ("web_search", [10]), ("terminal", [11]), ("sesquipedalian", [11]),
        ("pelican", [12]), ("youer", [13]), ("content:docker", [1, 2]),
    ]:  # fmt: skip
        found = stock.ask(path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid", [match])
        assert [row["rowid"] for row in found] == ids, match
    for match, ids in [("服务端", [13]), ("配置文 AND 置文件", [13]), ("r服务", [13]), ("配置表", [])]:
        sql = "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?"
        assert [row["rowid"] for row in stock.ask(path, sql, [match])] == ids, match
    joined = """SELECT m.id, m.content FROM messages_fts f JOIN messages m ON m.id = f.rowid
                WHERE messages_fts MATCH 'kubernetes' ORDER BY rank"""
    assert [row["id"] for row in stock.ask(path, joined)] == [5]


def test_the_printed_triggers_change_nothing(db: SessionDB, path: Path) -> None:
    printed = """CREATE TRIGGER IF NOT EXISTS messages_fts_insert AFTER INSERT ON messages BEGIN
        INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END"""
    stock.run(path, (printed, []))
    db.append_message("work", "user", "one pelican")
    assert len(db.search_messages("pelican")) == 1
    db.optimize()
    assert len(db.search_messages("pelican")) == 1
    assert db.check() == []
