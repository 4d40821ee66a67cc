"""Threads, interrupts and failures at the one door every write goes through."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.errors import BadInput, StoreBusy, StoreClosed
from hermes.store import SessionDB
from hermes.store.base import Writer
from tests.faults.children import ask
from tests.faults.interrupts import write_under_interrupts


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
        yield db


def texts(db: SessionDB) -> list[str]:
    return [row["content"] for row in db.get_messages("s")]


def in_thread(work: object, *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments)  # type: ignore[arg-type]
    thread.start()
    return thread


def until_in_line(db: SessionDB, jobs: int) -> None:
    deadline = time.monotonic() + 5
    while len(db._engine._gate._queue) < jobs:  # type: ignore[attr-defined]
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_write_that_was_interrupted_does_not_happen_later(db: SessionDB) -> None:
    calls = []

    def interrupted(writer: Writer) -> None:
        calls.append(1)
        writer.set_meta("ghost", "was here")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        db._engine.write(None, interrupted)
    db.append_message("s", "user", "later")
    assert (calls, db.get_meta("ghost"), texts(db)) == ([1], None, ["later"])


def test_an_interrupt_in_the_leader_loses_nobody_elses_work(db: SessionDB) -> None:
    """The interrupt strikes while the leader, whoever that is, performs another thread's job."""
    struck, stored, interrupted = [], [], []

    def append(name: str) -> None:
        def work(writer: Writer) -> None:
            if name == "3" and not struck:
                struck.append(name)
                raise KeyboardInterrupt
            writer.set_meta(name, "stored")

        try:
            db._engine.write(None, work)
            stored.append(name)
        except KeyboardInterrupt:
            interrupted.append(name)

    with db._engine._gate.paused():  # type: ignore[attr-defined]
        threads = [in_thread(append, f"{i}") for i in range(6)]
        until_in_line(db, 6)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert (len(interrupted), len(stored)) == (1, 5)
    assert sorted(stored) == [f"{i}" for i in range(6) if db.get_meta(f"{i}")]


def test_who_waits_too_long_behind_a_transaction_is_told_and_the_write_never_happens(db: SessionDB) -> None:
    db._engine._gate.patience = 0.1  # type: ignore[attr-defined]
    errors = []

    def write() -> None:
        try:
            db.append_message("s", "user", "given up")
        except StoreBusy as error:
            errors.append(error)

    with db.transaction() as tx:
        in_thread(write).join(60)
        tx.append_message("s", "user", "in the transaction")
    db.append_message("s", "user", "afterwards")
    assert (len(errors), texts(db)) == (1, ["in the transaction", "afterwards"])


def test_using_the_store_inside_its_own_transaction_is_refused_and_breaks_nothing(db: SessionDB) -> None:
    with db.transaction() as tx:
        tx.append_message("s", "user", "one")
        with pytest.raises(BadInput):
            db.append_message("s", "user", "two")
        with pytest.raises(BadInput):
            db.close()
        tx.append_message("s", "user", "three")
    assert texts(db) == ["one", "three"]


def test_close_waits_for_a_transaction_and_tells_those_behind_it(db: SessionDB) -> None:
    seen: list[object] = []

    def write() -> None:
        try:
            seen.append(db.append_message("s", "user", "behind"))
        except StoreClosed as error:
            seen.append(type(error))

    with db.transaction() as tx:
        closer = in_thread(db.close)
        time.sleep(0.1)
        behind = in_thread(write)
        time.sleep(0.1)
        tx.append_message("s", "user", "in the transaction")
    closer.join(60)
    behind.join(60)
    with SessionDB(db.db_path) as again:
        kept = texts(again)
    assert kept[0] == "in the transaction"
    assert len(kept) == 2 if isinstance(seen[0], int) else (len(kept) == 1 and seen == [StoreClosed])


def test_closing_amid_many_writers_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    db = SessionDB(tmp_path / "state.db")
    db.create_session("s", "cli")
    acknowledged: list[str] = []

    def write(name: int) -> None:
        for i in range(10_000):
            try:
                db.append_message("s", "user", f"{name}:{i}")
            except StoreClosed:
                return
            acknowledged.append(f"{name}:{i}")

    threads = [in_thread(write, name) for name in range(6)]
    time.sleep(0.3)
    db.close()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    with SessionDB(tmp_path / "state.db") as again:
        assert sorted(texts(again)) == sorted(acknowledged)
        assert again.notices == []


def test_what_was_rolled_back_is_not_reported_missing_at_the_next_open(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
        db.append_message("s", "user", "kept")
        with pytest.raises(RuntimeError), db.transaction() as tx:
            tx.append_messages("s", [{"role": "user", "content": "undone"}] * 10)
            raise RuntimeError
        db.set_session_title("s", "a later commit")
    with SessionDB(tmp_path / "state.db") as db:
        assert db.notices == []


def test_a_writer_that_fell_behind_does_not_set_the_record_back(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "state.db") as one, SessionDB(tmp_path / "state.db") as two:
        one.create_session("s", "cli")
        two.append_messages("s", [{"role": "user", "content": "x"}] * 10)
        one.set_session_title("s", "title")
        record = one._engine._guard.read()  # type: ignore[attr-defined]
    assert record is not None and record.last_message == 10


def test_a_storm_of_interrupts_leaves_a_store_that_works(tmp_path: Path) -> None:
    interrupts, acknowledged, present, doubled = ask(write_under_interrupts, tmp_path / "state.db", 3, 300)
    assert interrupts == 300
    assert acknowledged <= present
    assert doubled == 0
