"""Open, read only, close."""

from pathlib import Path

import pytest

from hermes.errors import BadInput, StoreClosed, StoreReadOnly, StoreUnavailable
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend
from tests.contract.calls import ALL, WRITES


@pytest.fixture
def filled(backend: SqliteBackend) -> SqliteBackend:
    with backend.open() as db:
        db.create_session("s", "cli", system_prompt="p" * 5000)
        db.append_message("s", "user", "hello")
        db.append_message("s", "tool", "x" * 50_000)
        db.set_session_title("s", "T")
    return backend


def test_read_only_reads_everything_and_changes_nothing(filled: SqliteBackend) -> None:
    with filled.open() as db:
        expected = db.search_sessions(), db.get_messages("s"), db.list_sessions_rich()
    with filled.open(read_only=True) as db:
        assert db.read_only is True
        assert (db.search_sessions(), db.get_messages("s"), db.list_sessions_rich()) == expected
        for name, arguments in WRITES.items():
            with pytest.raises(StoreReadOnly):
                getattr(db, name)(*arguments("s"))
        with pytest.raises(StoreReadOnly):
            db.transaction().__enter__()
        with pytest.raises(StoreReadOnly):
            db.vacuum()
        assert (db.search_sessions(), db.get_messages("s"), db.list_sessions_rich()) == expected


def test_a_read_only_opener_sees_what_a_writer_stores(filled: SqliteBackend) -> None:
    with filled.open() as writer, filled.open(read_only=True) as reader:
        writer.append_message("s", "user", "news")
        assert reader.get_messages("s")[-1]["content"] == "news"


def test_reading_what_is_not_there_is_an_error_and_creates_nothing(backend: SqliteBackend) -> None:
    with pytest.raises(StoreUnavailable):
        backend.open(read_only=True)
    assert not Path(backend.address).exists()


def test_close_is_idempotent_and_use_afterwards_is_refused(filled: SqliteBackend) -> None:
    db = filled.open()
    alice = db.scoped("telegram:alice")
    db.close()
    db.close()
    for name, arguments in (ALL).items():
        if name != "maybe_auto_prune_and_vacuum":  # never raises: it says so in its answer
            with pytest.raises(StoreClosed):
                getattr(db, name)(*arguments("s"))
    assert "closed" in db.maybe_auto_prune_and_vacuum()["error"]
    with pytest.raises(StoreClosed):
        db.transaction().__enter__()
    with pytest.raises(StoreClosed):
        alice.session_count()


def test_leaving_the_block_closes(filled: SqliteBackend) -> None:
    with filled.open() as db:
        assert db.get_session("s") is not None
    with pytest.raises(StoreClosed):
        db.get_session("s")


def test_a_fresh_store_has_nothing_to_tell(backend: SqliteBackend) -> None:
    with backend.open() as db:
        assert (db.notices, db.read_only) == ([], False)
    with backend.open() as db:
        assert db.notices == []


def test_vacuum_keeps_everything(filled: SqliteBackend) -> None:
    with filled.open() as db:
        before = db.search_sessions(), db.get_messages("s")
        db.vacuum()
        assert (db.search_sessions(), db.get_messages("s")) == before
        db.append_message("s", "user", "after")
        assert db.message_count("s") == 3


@pytest.mark.parametrize("path", [5, b"bytes", "nul\0inside", "half\ud800", ["list"]])
def test_an_impossible_path_is_refused(path: object) -> None:
    with pytest.raises(BadInput):
        SessionDB(path)  # type: ignore[arg-type]


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="is a folder"):
        SessionDB(tmp_path)


def test_a_path_may_be_text_or_a_path(tmp_path: Path) -> None:
    with SessionDB(str(tmp_path / "x.db")) as db:
        db.create_session("s", "cli")
    with SessionDB(db_path=tmp_path / "x.db") as db:
        assert db.session_count() == 1
        assert db.db_path == tmp_path / "x.db"
