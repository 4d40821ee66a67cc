"""Where things live, and who may read them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import hermes_constants
from hermes import paths
from hermes_state import SessionDB


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_the_home_follows_the_environment_at_call_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", "/one")
    assert paths.hermes_home() == hermes_constants.get_hermes_home() == Path("/one")
    monkeypatch.setenv("HERMES_HOME", "~/two")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert paths.hermes_home() == Path("/home/somebody/two")
    monkeypatch.setenv("HERMES_HOME", "")
    assert paths.hermes_home() == Path("/home/somebody/.hermes")


def test_everything_lies_in_the_home(hermes_home: Path) -> None:
    assert paths.state_db() == hermes_home / "state.db"
    assert paths.sessions_dir() == hermes_home / "sessions"
    assert paths.logs_dir() == hermes_home / "logs"


@pytest.mark.usefixtures("no_umask")
def test_the_store_is_private_whatever_the_umask(hermes_home: Path) -> None:
    with SessionDB() as db:
        db.create_session("s", "cli")
        db.append_message("s", "user", "private")
        assert mode(hermes_home) == 0o700
        files = {found.name: mode(found) for found in hermes_home.iterdir() if found.is_file()}
        assert {"state.db", "state.db-wal", "state.db-shm", "state.db.lock"} <= set(files)
        assert set(files.values()) == {0o600}


def test_a_store_that_was_too_open_is_tightened(hermes_home: Path) -> None:
    SessionDB().close()
    hermes_home.chmod(0o755)
    (hermes_home / "state.db").chmod(0o644)
    SessionDB().close()
    assert (mode(hermes_home), mode(hermes_home / "state.db")) == (0o700, 0o600)


def test_a_folder_that_is_not_the_home_is_left_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    SessionDB(shared / "x.db").close()
    assert (mode(shared), mode(shared / "x.db")) == (0o755, 0o600)


@pytest.mark.usefixtures("no_umask")
def test_missing_folders_are_made_private(tmp_path: Path) -> None:
    SessionDB(tmp_path / "a" / "b" / "x.db").close()
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_a_symlinked_store_is_opened_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    with SessionDB(tmp_path / "real" / "x.db") as db:
        db.create_session("s", "cli")
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "x.db")
    with SessionDB(tmp_path / "link.db") as db:
        assert db.get_session("s") is not None
        assert db.db_path == tmp_path / "real" / "x.db"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["link.db", "real"]


def test_creating_a_private_file_never_touches_one_that_is_there(tmp_path: Path) -> None:
    present = tmp_path / "present"
    present.write_text("kept")
    paths.create_private_file(present)
    assert present.read_text() == "kept"
    paths.create_private_file(tmp_path / "new")
    assert mode(tmp_path / "new") == 0o600
