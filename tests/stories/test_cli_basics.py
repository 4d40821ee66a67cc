"""The first minutes with the command line: what works, and how it says what does not."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import hermes
from hermes_state import SessionDB
from tests.stories import stock

PROGRAM = [sys.executable, "-c", "from hermes.cli.main import entry; entry()"]
OLD_STORE = Path(__file__).parents[1] / "upgrades" / "v11.db"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


def refused(done: subprocess.CompletedProcess[str], code: int) -> str:
    """One line on stderr, nothing else, this exit code. Returns the line."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    return line


@pytest.fixture
def used(hermes_home: Path) -> Path:
    with SessionDB() as db:
        db.create_session("20250305_091523_a1b2c3", "cli")
        db.append_message("20250305_091523_a1b2c3", "user", "Help me refactor the auth module please")
        db.create_session("20250303_101500_f0f0f0", "telegram", user_id="7")
        db.append_message("20250303_101500_f0f0f0", "user", "What's the weather in Las Vegas?")
    return hermes_home


def test_version_needs_no_store(hermes_home: Path) -> None:
    done = run("version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"hermes {hermes.__version__} ")
    assert "SQLite 3." in done.stdout
    assert run("--version").stdout.startswith(f"hermes {hermes.__version__}")
    assert not (hermes_home / "state.db").exists()
    asked = subprocess.run([sys.executable, "-m", "hermes", "--version"], capture_output=True, text=True, timeout=60)
    assert asked.stdout == run("--version").stdout


def test_a_new_home_has_no_sessions_yet(hermes_home: Path) -> None:
    done = run("sessions", "list")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "No sessions yet.", "")
    assert stat.S_IMODE(hermes_home.stat().st_mode) == 0o700
    assert stat.S_IMODE((hermes_home / "state.db").stat().st_mode) == 0o600


def test_the_list_shows_previews_and_then_titles(used: Path) -> None:
    plain = run("sessions", "list")
    assert (plain.returncode, plain.stderr) == (0, "")
    heading, rule, *lines = plain.stdout.splitlines()
    assert heading.split() == ["Preview", "Last", "Active", "Src", "ID"]
    assert set(rule) == {"─"}
    assert len(lines) == 2
    assert "What's the weather in Las Vegas?" in lines[0]
    assert "tele" in lines[0]
    assert "20250303_101500_f" in lines[0]
    with SessionDB() as db:
        db.set_session_title("20250305_091523_a1b2c3", "refactoring auth")
    titled = run("sessions", "list").stdout.splitlines()
    assert titled[0].split() == ["Title", "Preview", "Last", "Active", "ID"]
    assert titled[3].startswith("refactoring auth")
    assert titled[2].startswith("—")


def test_the_list_takes_a_source_and_a_limit(used: Path) -> None:
    assert "weather" not in run("sessions", "list", "--source", "cli").stdout
    assert len(run("sessions", "list", "--limit", "1").stdout.splitlines()) == 3


def test_statistics_are_as_documented(used: Path) -> None:
    done = run("sessions", "stats")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[:2] == ["Total sessions: 2", "Total messages: 2"]
    assert lines[-1].startswith("Database size: ")
    assert lines[-1].endswith(" MB")
    assert {line.split(":")[0] for line in lines[2:-1]} == {"cli", "telegram"}


def test_a_closed_pipe_ends_quietly(hermes_home: Path) -> None:
    with SessionDB() as db, db.transaction() as tx:
        for n in range(1500):
            tx.create_session(f"session-{n:05}", "cli")
    listing = subprocess.Popen(
        [*PROGRAM, "sessions", "list", "--limit", "1500"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert listing.stdout is not None and listing.stderr is not None
    listing.stdout.read(1)
    listing.stdout.close()
    assert listing.stderr.read() == b""
    assert listing.wait(30) == 0
    listing.stderr.close()


@pytest.mark.parametrize("arguments", [["sessions", "list", "--limit", "many"], ["sessions", "list", "--limit", "-1"]])
def test_a_slip_of_the_fingers_is_the_users_to_mend(used: Path, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_an_unknown_command_is_refused(used: Path) -> None:
    for arguments in (["sesions"], ["sessions", "lits"]):
        done = run(*arguments)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_an_empty_file_is_a_new_store(hermes_home: Path) -> None:
    hermes_home.mkdir()
    (hermes_home / "state.db").touch()
    done = run("sessions", "list")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "No sessions yet.", "")


@pytest.mark.parametrize("content", [b"this is no database " * 500, b"SQLite format 3\0" + b"\xff" * 8000])
def test_garbage_is_refused_and_left_alone(hermes_home: Path, content: bytes) -> None:
    hermes_home.mkdir()
    store = hermes_home / "state.db"
    store.write_bytes(content)
    for command in ("list", "stats"):
        line = refused(run("sessions", command), 3)
        assert str(store) in line
    assert store.read_bytes() == content


def test_a_folder_or_a_file_in_the_wrong_place_is_refused(hermes_home: Path, tmp_path: Path) -> None:
    (hermes_home / "state.db").mkdir(parents=True)
    assert "is a folder" in refused(run("sessions", "list"), 3)
    (tmp_path / "file").touch()
    assert str(tmp_path / "file") in refused(run("sessions", "list", HERMES_HOME=str(tmp_path / "file")), 3)


def test_a_store_of_another_program_or_of_the_future_is_refused(used: Path) -> None:
    store = used / "state.db"
    stock.ask(store, "UPDATE schema_version SET version = 13")
    assert "schema 13" in refused(run("sessions", "list"), 3)
    store.unlink()
    stock.ask(store, "CREATE TABLE recipes (name TEXT)")
    assert "another program" in refused(run("sessions", "list"), 3)
    assert stock.ask(store, "SELECT name FROM sqlite_master") == [{"name": "recipes"}]


# -- upgrades, seen from the command line


@pytest.fixture
def old(hermes_home: Path) -> Path:
    hermes_home.mkdir()
    return Path(shutil.copyfile(OLD_STORE, hermes_home / "state.db"))


def test_an_old_store_is_upgraded_with_a_word_about_the_way_back(old: Path) -> None:
    done = run("sessions", "list", "--limit", "100")
    (backup,) = old.parent.glob("state.db.v11-backup-*")
    assert done.returncode == 0
    assert "修改youer服务端" in done.stdout
    assert str(backup) in done.stderr
    assert "hermes sessions undo-upgrade" in done.stderr
    assert run("sessions", "stats").stderr == ""


def test_undo_upgrade_goes_back_and_keeps_both(old: Path) -> None:
    run("sessions", "list")
    done = run("sessions", "undo-upgrade")
    assert (done.returncode, done.stderr) == (0, "")
    (kept,) = old.parent.glob("state.db.upgraded-*")
    assert str(kept) in done.stdout
    assert stock.ask(old, "SELECT version FROM schema_version") == [{"version": 11}]
    assert stock.ask(kept, "SELECT version FROM schema_version") == [{"version": 12}]


def test_undo_upgrade_takes_a_backup_by_name(old: Path, tmp_path: Path) -> None:
    run("sessions", "list")
    (backup,) = old.parent.glob("state.db.v11-backup-*")
    elsewhere = shutil.move(backup, tmp_path / "my-backup.db")
    assert run("sessions", "undo-upgrade", str(elsewhere)).returncode == 0
    assert stock.ask(old, "SELECT version FROM schema_version") == [{"version": 11}]


def test_undo_upgrade_without_a_backup_finds_none(used: Path) -> None:
    refused(run("sessions", "undo-upgrade"), 1)
    refused(run("sessions", "undo-upgrade", str(used / "missing.db")), 1)


def test_undo_upgrade_refuses_what_is_no_old_store(old: Path) -> None:
    run("sessions", "list")
    garbage = old.parent / "garbage.db"
    garbage.write_bytes(b"no database " * 500)
    refused(run("sessions", "undo-upgrade", str(garbage)), 2)
    refused(run("sessions", "undo-upgrade", str(old)), 2)
    assert stock.ask(old, "SELECT version FROM schema_version") == [{"version": 12}]


def test_undo_upgrade_leaves_a_store_alone_that_is_open(old: Path) -> None:
    with SessionDB() as db:
        db.append_message("first", "user", "I am here")
        line = refused(run("sessions", "undo-upgrade"), 3)
        assert "open in another process" in line
        db.append_message("first", "user", "and nothing happened to me")
        assert db.get_messages("first")[-1]["content"] == "and nothing happened to me"
    assert run("sessions", "undo-upgrade").returncode == 0
