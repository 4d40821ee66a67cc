"""The file, its log or its folder pulled away under a running store, or while nobody looked."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.errors import StoreReplaced
from hermes.store import SessionDB
from tests.faults.children import ask, kill, start


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def db(store: Path) -> Iterator[SessionDB]:
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        for number in range(5):
            db.append_message("s", "user", f"{number}")
        yield db


def make(store: Path, name: str) -> None:
    with SessionDB(store) as db:
        db.create_session(name, "cli")
        db.append_message(name, "user", f"in {name}")


def texts(store: Path, name: str = "s") -> list[str]:
    with SessionDB(store) as db:
        assert db.check() == []
        return [row["content"] for row in db.get_messages(name)]


def notices(store: Path) -> list[str]:
    with SessionDB(store) as db:
        return list(db.notices)


def stopped(db: SessionDB) -> str:
    """What the next write is told; it is not acknowledged."""
    with pytest.raises(StoreReplaced) as first:
        db.append_message("s", "user", "not acknowledged")
    with pytest.raises(StoreReplaced):
        db.append_message("s", "user", "not acknowledged either")
    return str(first.value)


@pytest.mark.parametrize("then", ["nothing", "an empty one"])
def test_a_deleted_log_is_saved_into_the_file(db: SessionDB, store: Path, then: str) -> None:
    os.unlink(f"{store}-wal")
    if then == "an empty one":
        Path(f"{store}-wal").touch()
    assert "saved into the file" in stopped(db)
    db.close()
    assert ask(texts, store) == ["0", "1", "2", "3", "4"]


def test_a_log_deleted_before_the_first_commit_is_noticed_at_it(store: Path) -> None:
    make(store, "s")
    with SessionDB(store) as db:
        os.unlink(f"{store}-wal")
        stopped(db)


def test_a_log_that_was_replaced_is_rescued_into_a_copy(db: SessionDB, store: Path) -> None:
    os.unlink(f"{store}-wal")
    Path(f"{store}-wal").write_bytes(b"something else")
    assert "All 5 messages" in stopped(db)
    [copy] = store.parent.glob("state.db.rescued-*")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert ask(texts, copy) == ["0", "1", "2", "3", "4"]


def test_the_shared_memory_of_the_log_counts_too(db: SessionDB, store: Path) -> None:
    os.unlink(f"{store}-shm")
    stopped(db)
    db.close()
    assert ask(texts, store) == ["0", "1", "2", "3", "4"]


def test_a_file_put_in_its_place_gets_neither_our_log_nor_our_messages(db: SessionDB, store: Path) -> None:
    ask(make, store.with_name("other.db"), "o")
    os.rename(store.with_name("other.db"), store)
    assert "this process could still see are in" in stopped(db)
    db.close()
    assert ask(texts, store, "o") == ["in o"]
    assert ask(texts, store) == []
    [copy] = store.parent.glob("state.db.rescued-*")
    assert ask(texts, copy)[:5] == ["0", "1", "2", "3", "4"]


def test_closing_deletes_no_log_of_a_file_that_came_meanwhile(db: SessionDB, store: Path) -> None:
    ask(make, store.with_name("other.db"), "o")
    os.rename(store.with_name("other.db"), store)
    for suffix in ("-wal", "-shm"):
        os.rename(f"{store}{suffix}", f"{store}.old{suffix}")
    said = store.with_name("said")
    child = start(_append_and_stay, store, said)
    _until(said, child)
    db.close()
    kill([child])
    assert ask(texts, store, "o") == ["in o", "in the log"]


def _grow_old(store: Path) -> None:
    """Each close moves a new generation into the file."""
    for number in range(12):
        make(store, f"s{number}")


def _append_and_stay(store: Path, said: Path) -> None:
    db = SessionDB(store)
    for session in [row["id"] for row in db.search_sessions()] or [db.create_session("s", "cli")]:
        db.append_message(session, "user", "in the log")
    said.touch()
    signal.pause()


def _until(said: Path, child: object) -> None:
    for _ in range(2000):
        if said.exists():
            return
        child.join(0.01)  # type: ignore[attr-defined]
    raise AssertionError("the child does not get going")


def test_a_file_overwritten_in_place_stays_as_it_was_put_there(db: SessionDB, store: Path) -> None:
    older = store.with_name("older.db")
    db.backup(older)
    for number in range(5, 200):
        db.append_message("s", "user", f"{number}")
    ask(shutil.copyfile, older, store)
    stopped(db)
    db.close()
    assert store.read_bytes() == older.read_bytes()
    assert "195 messages" in ask(notices, store)[0]
    assert ask(texts, store) == ["0", "1", "2", "3", "4"]


def test_reading_from_a_file_that_was_replaced_is_refused(db: SessionDB, store: Path) -> None:
    with SessionDB(store, read_only=True) as reader:
        os.rename(store, store.with_name("moved.db"))
        for each in (db, reader):
            with pytest.raises(StoreReplaced):
                each.get_messages("s")
        os.rename(store.with_name("moved.db"), store)
        assert len(reader.get_messages("s")) == 5


@pytest.mark.parametrize("kind", ["another store", "a much older copy"])
def test_a_log_left_by_a_crash_is_not_mixed_into_a_file_put_there_afterwards(tmp_path: Path, kind: str) -> None:
    store, other, said = tmp_path / "state.db", tmp_path / "other.db", tmp_path / "said"
    ask(make, store, "s")
    if kind == "another store":
        ask(make, other, "o")
    else:
        shutil.copyfile(store, other)
        ask(_grow_old, store)
    child = start(_append_and_stay, store, said)
    _until(said, child)
    kill([child])
    shutil.copyfile(other, store)
    before = store.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreReplaced, match="belongs to another file"):
            SessionDB(store, read_only=read_only)
    assert store.read_bytes() == before
    for suffix in ("-wal", "-shm"):
        os.unlink(f"{store}{suffix}")
    assert ask(texts, store, "o" if kind == "another store" else "s")[0].startswith("in ")


def test_a_process_that_was_idle_meanwhile_notices_an_older_copy_too(db: SessionDB, store: Path) -> None:
    idle = SessionDB(store)
    for number in range(5, 160):
        db.append_message("s", "user", f"{number}")
        if number == 80:
            ask(shutil.copyfile, store, store.with_name("older.db"))  # newer than what `idle` saw last
    ask(shutil.copyfile, store.with_name("older.db"), store)
    stopped(idle)
    stopped(db)
    idle.close()
    db.close()
    assert store.read_bytes() == store.with_name("older.db").read_bytes()
