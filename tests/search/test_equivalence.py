"""Search finds exactly the messages that match, whatever the index has seen of them and whoever changed them."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hermes.store.matching import matches
from hermes.store.query import parse
from hermes.store.searchable import readable
from hermes.store.words import fold
from hermes_state import SessionDB
from tests.search import generate
from tests.stories import stock

SESSIONS = ("one", "two")


@pytest.fixture(params=range(4))
def rng(request: pytest.FixtureRequest) -> Random:
    return Random(request.param)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def db(path: Path) -> Iterator[SessionDB]:
    with SessionDB(path) as store:
        for session in SESSIONS:
            store.create_session(session, "cli")
        yield store


def append(db: SessionDB, rng: Random, count: int) -> None:
    for _ in range(count):
        db.append_message(rng.choice(SESSIONS), **generate.message(rng))


def said(db: Any) -> dict[int, str]:
    """What each message says, folded, put together again from what the store gives back."""
    rows = [row for session in SESSIONS for row in db.get_messages(session)]
    return {row["id"]: fold(_text(row)) for row in rows}


def _text(row: dict[str, Any]) -> str:
    content = row["content"]
    if isinstance(content, list):
        content = content[0]["text"]
    calls = readable(json.dumps(row["tool_calls"], ensure_ascii=False)) if row["tool_calls"] else ""
    return f"{content or ''} {row['tool_name'] or ''} {calls}"


def assert_exact(db: Any, rng: Random, queries: int = 25) -> None:
    texts, hits = said(db), 0
    for query in [generate.query(rng) for _ in range(queries)]:
        node = parse(query)
        wanted = {message_id for message_id, text in texts.items() if node is not None and matches(node, text)}
        hits += len(wanted)
        for order in ("relevance", "newest", "oldest"):
            found = [row["id"] for row in db.search_messages(query, limit=1000, order=order)]
            assert len(found) == len(set(found)), query
            assert set(found) == wanted, (query, node, order)
            if order != "relevance":
                assert found == sorted(found, reverse=order == "newest"), query
    assert hits > 0


def test_behind_the_index_in_it_and_between(db: SessionDB, rng: Random) -> None:
    with db.transaction() as tx:
        append(tx, rng, 25)
        assert_exact(tx, rng)
    assert db.index_lag() == 25
    assert_exact(db, rng)
    db.optimize()
    assert db.index_lag() == 0
    assert_exact(db, rng)
    append(db, rng, 20)
    assert_exact(db, rng)
    assert db.index_lag() == 20


def test_after_deletes_replaces_and_clears(db: SessionDB, rng: Random) -> None:
    append(db, rng, 40)
    db.optimize()
    append(db, rng, 10)
    rows = db.get_messages("one")
    db.delete_messages_from("one", rows[len(rows) // 2]["id"])
    assert_exact(db, rng)
    db.replace_messages("two", [generate.message(rng) for _ in range(5)])
    assert_exact(db, rng)
    db.optimize()
    assert_exact(db, rng)
    db.clear_messages("two")
    append(db, rng, 5)
    assert_exact(db, rng)


EDITS = [
    "UPDATE messages SET content = :text WHERE id = :id",
    "UPDATE messages SET tool_calls = NULL, tool_name = :text WHERE id = :id",
    "DELETE FROM messages WHERE id = :id",
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('one', 'user', :text, 1.0)",
    "REPLACE INTO messages (id, session_id, role, content, timestamp) VALUES (:id, 'two', 'user', :text, 1.0)",
    "UPDATE OR IGNORE messages SET id = :id + 1000000 WHERE id = :id",
]


@pytest.mark.parametrize("reopened", [False, True])
def test_after_edits_in_the_stock_shell(path: Path, rng: Random, reopened: bool) -> None:
    db = SessionDB(path)
    for session in SESSIONS:
        db.create_session(session, "cli")
    append(db, rng, 30)
    db.optimize()
    append(db, rng, 6)
    if reopened:
        db.close()
    edits = []
    for edit in EDITS * 2:
        edits.append(
            (
                edit.replace(":id", str(rng.randint(1, 36))).replace(":text", "?"),
                [generate.text(rng)] * edit.count(":text"),
            )
        )
    stock.run(path, *edits)
    if reopened:
        db = SessionDB(path)
    assert_exact(db, rng)
    db.optimize()
    assert db.index_lag() == 0
    assert_exact(db, rng)
    db.close()
    with SessionDB(path, read_only=True) as reader:
        assert_exact(reader, rng)


WRITER = """
import sys
from random import Random
from hermes_state import SessionDB
from tests.search import generate
rng, db = Random(int(sys.argv[2])), SessionDB(sys.argv[1])
for number in range(10_000):
    db.append_message(rng.choice(["one", "two"]), **generate.message(rng))
    if number % 7 == 0:
        db.optimize()
    if number % 11 == 0:
        db.replace_messages("two", [generate.message(rng) for _ in range(3)])
    print(number, flush=True)
"""


@pytest.mark.parametrize("rounds", [3])
def test_after_a_kill(path: Path, rng: Random, rounds: int) -> None:
    with SessionDB(path) as db:
        for session in SESSIONS:
            db.create_session(session, "cli")
    for _ in range(rounds):
        kill_a_writer(path, rng)
        with SessionDB(path, read_only=True) as db:
            assert_exact(db, rng)
    with SessionDB(path) as db:
        assert_exact(db, rng)
        db.optimize()
        assert_exact(db, rng)


def kill_a_writer(path: Path, rng: Random) -> None:
    command = [sys.executable, "-c", WRITER, str(path), str(rng.randint(0, 10**6))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(rng.randint(5, 40)):
            assert writer.stdout.readline(), "the writer ended by itself"
        writer.send_signal(signal.SIGKILL)
