"""Our file in the stock `sqlite3` shell, as Debian ships it: everything readable, edits survive, search stays exact."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_state import SessionDB

pytestmark = pytest.mark.peers


def shell(database: Path, *statements: str) -> list[str]:
    command = shutil.which("sqlite3")
    assert command, "scripts/test-peers installs the sqlite3 shell"
    done = subprocess.run([command, str(database), *statements], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with SessionDB(path) as db:
        db.create_session("one", "cli", model="m")
        db.create_session("two", "telegram", user_id="7")
        db.append_message("one", "user", "deploy the billing service")
        db.append_message("one", "assistant", "done", tool_calls=[{"id": "c", "function": {"name": "terminal"}}])
        db.append_message("two", "user", "修改youer服务端")
        db.set_session_title("one", "Billing")
    return path


def test_the_shell_is_an_old_one_and_finds_the_file_whole(store: Path) -> None:
    version = tuple(map(int, shell(store, "SELECT sqlite_version()")[0].split(".")))
    assert version >= (3, 40)
    assert shell(store, "PRAGMA integrity_check") == ["ok"]
    assert shell(store, "SELECT version FROM schema_version") == ["12"]


def test_full_text_is_complete_after_the_writer_closed(store: Path) -> None:
    found = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'billing AND service'"
    assert shell(store, found) == ["1"]
    assert shell(store, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'terminal'") == ["2"]
    assert shell(store, "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '服务端'") == ["3"]


def test_json_mode_reads_the_documented_columns(store: Path) -> None:
    rows = json.loads(
        "\n".join(shell(store, ".mode json", "SELECT id, title, message_count FROM sessions ORDER BY id"))
    )
    assert rows[0] == {"id": "one", "title": "Billing", "message_count": 2}


def test_what_is_edited_in_the_shell_is_what_search_finds(store: Path) -> None:
    shell(
        store,
        "DELETE FROM messages WHERE id = 1",
        "UPDATE messages SET content = 'quite another text' WHERE id = 2",
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('one', 'user', 'typed by hand', 1.0)",
    )
    with SessionDB(store) as db:
        assert db.search_messages("billing") == []
        assert [row["id"] for row in db.search_messages("another")] == [2]
        assert len(db.search_messages('"by hand"')) == 1
        db.repair()
        assert db.check() == []
        assert db.message_count("one") == 2


def test_a_session_inserted_by_hand_gets_its_owner_and_its_place(store: Path) -> None:
    shell(store, "INSERT INTO sessions (id, source, user_id, started_at) VALUES ('three', 'slack', 'U1', 5.0)")
    with SessionDB(store) as db:
        assert db.scoped("slack:U1").get_session("three") is not None
        assert "three" in [row["id"] for row in db.list_sessions_rich()]
