"""What the settings ask for at start-up, from the command line."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermes.store import SessionDB

DAY = 86400.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with SessionDB(home / "state.db") as db:
        for name, age in (("old", 200.0), ("new", 1.0)):
            db.create_session(name, "cli", started_at=time.time() - age * DAY)
            db.append_message(name, "user", f"said in {name}", timestamp=time.time() - age * DAY)
            db.end_session(name, "user_exit")
    return home


def hermes(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    code = "from hermes.cli.main import entry; entry()"
    environment = {**os.environ, "HERMES_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, timeout=60
    )


def ids(home: Path) -> set[str]:
    with SessionDB(home / "state.db") as db:
        return {row["id"] for row in db.search_sessions(limit=10)}


def test_nothing_is_pruned_unless_it_was_asked_for(home: Path) -> None:
    assert hermes(home, "sessions", "list").returncode == 0
    assert ids(home) == {"old", "new"}


def test_auto_prune_deletes_what_is_old_once_and_says_so(home: Path) -> None:
    (home / "config.yaml").write_text("sessions:\n  auto_prune: true\n  retention_days: 90\n")
    first = hermes(home, "sessions", "list")
    assert "Pruned 1 session" in first.stderr
    assert ids(home) == {"new"}
    assert "Pruned" not in hermes(home, "sessions", "list").stderr


def test_the_trash_is_emptied_after_its_days(home: Path) -> None:
    with SessionDB(home / "state.db") as db:
        db.trash_session("old")
        db._write(lambda writer: writer.update_session("old", {"trashed_at": time.time() - 31 * DAY}))
        db.trash_session("new")
    done = hermes(home, "sessions", "list")
    assert "Emptied the trash: 1" in done.stderr
    with SessionDB(home / "state.db") as db:
        assert db.get_session("old") is None
        assert db.get_session("new") is not None


def test_the_settings_name_the_store(home: Path, tmp_path: Path) -> None:
    (home / "config.yaml").write_text(f"sessions:\n  database: {tmp_path / 'elsewhere.db'}\n")
    with SessionDB(tmp_path / "elsewhere.db") as db:
        db.create_session("elsewhere", "cli")
        db.append_message("elsewhere", "user", "another place")
    assert "another place" in hermes(home, "sessions", "list").stdout
