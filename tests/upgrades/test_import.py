"""Other stores, of any version, are taken in without a change to them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_state import SessionDB
from tests.upgrades.build import VERSIONS
from tests.upgrades.conftest import fixture

LATER = range(12, 23)  # another program's schemas: more columns and tables than the documents know, and no mark of ours
ADVANCE = """
import sqlite3, sys
path, version = sys.argv[1:]
db = sqlite3.connect(path)
db.execute("UPDATE schema_version SET version = ?", (int(version),))
db.execute("ALTER TABLE sessions ADD COLUMN later_column TEXT DEFAULT 'later'")
db.execute("ALTER TABLE messages ADD COLUMN later_column TEXT")
db.execute("CREATE TABLE later_table (id INTEGER PRIMARY KEY, words TEXT)")
db.commit()
db.close()
"""


@pytest.mark.parametrize("version", [*VERSIONS, *LATER])
def test_a_store_of_any_version_is_imported_once_and_only_read(version: int, tmp_path: Path) -> None:
    other = shutil.copyfile(fixture(min(version, 11)), tmp_path / "other.db")
    if version in LATER:
        subprocess.run([sys.executable, "-c", ADVANCE, str(other), str(version)], check=True, timeout=60)
    before = other.read_bytes()
    with SessionDB(tmp_path / "state.db") as db, SessionDB(other, read_only=True) as source:
        first, again = db.import_store(other), db.import_store(other)
        expected = [(row["id"], row["role"], row["content"]) for row in every_message(source)]
        taken = [(row["id"], row["role"], row["content"]) for row in every_message(db)]
    assert (first.refused, again.imported, again.refused) == ([], 0, [])
    assert first.imported == again.known > 0
    assert [row[1:] for row in taken] == [row[1:] for row in expected]
    assert other.read_bytes() == before


def every_message(db: SessionDB) -> list[dict[str, object]]:
    sessions = sorted(row["id"] for row in db.search_sessions(limit=1000))
    return [row for session_id in sessions for row in db.get_messages(session_id)]


WRITE_AHEAD = """
import os, sqlite3, sys
path, leaves = sys.argv[1:]
db = sqlite3.connect(path)
db.execute("PRAGMA journal_mode=WAL")
db.execute("UPDATE sessions SET title = NULL")
db.commit()
if leaves == "log":
    os.link(path + "-wal", path + "-kept")
db.close()
if leaves == "log":
    os.rename(path + "-kept", path + "-wal")
"""


@pytest.mark.parametrize("leaves", ["nothing", "log"])
def test_nothing_is_left_in_the_folder_of_a_store_with_a_write_ahead_log(leaves: str, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    other = Path(shutil.copyfile(fixture(11), folder / "other.db"))
    subprocess.run([sys.executable, "-c", WRITE_AHEAD, str(other), leaves], check=True, timeout=60)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert other.read_bytes()[18] == 2  # it uses one
    with SessionDB(tmp_path / "state.db") as db:
        assert db.import_store(other).imported > 0
        assert all(row["title"] is None for row in db.search_sessions(limit=1000))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
