"""Opening, closing, dropping, forking: nothing leaks, nothing hangs, nobody loses a lock."""

import gc
import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from hermes.errors import HermesError, StoreClosed, StoreCorrupt
from hermes.store import SessionDB
from hermes.store.base import Reader
from tests.faults.children import ask

_SRC = Path(__file__).parents[2] / "src" / "hermes"


def test_no_module_opens_the_store_with_a_second_sqlite() -> None:
    """Two copies of SQLite in one process drop each other's locks."""
    assert [path for path in _SRC.rglob("*.py") if "sqlite3" in _imports(path)] == []


def _imports(path: Path) -> set[str]:
    words = [line.split() for line in path.read_text().splitlines() if line.lstrip().startswith(("import ", "from "))]
    return {name.strip(",").split(".")[0] for line in words for name in line[1:]}


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _descriptors_left(store: Path, how: str) -> int:
    """Runs in its own process; how many more descriptors are open after ten times the same."""
    damaged = store.with_name("damaged.db")
    damaged.write_bytes(b"no database at all " * 500)
    before = 0
    for number in range(11):
        if how == "refused":
            with pytest.raises(HermesError):
                SessionDB(damaged)
        else:
            db = SessionDB(store, read_only=how == "read-only" and number > 0)
            if not db.read_only:
                db.ensure_session("s", "cli")
                db.append_message("s", "user", "text")
            db.get_messages("s")
            if how != "dropped":
                db.close()
            del db
        gc.collect()
        if number == 0:
            before = descriptors()
    return descriptors() - before


@pytest.mark.parametrize("how", ["closed", "dropped", "refused", "read-only"])
def test_no_descriptor_is_left_open(tmp_path: Path, how: str) -> None:
    assert ask(_descriptors_left, tmp_path / "state.db", how) == 0


def test_a_store_that_is_dropped_loses_nothing(tmp_path: Path) -> None:
    db = SessionDB(tmp_path / "state.db")
    db.create_session("s", "cli")
    for number in range(300):
        db.append_message("s", "user", f"{number}")
    del db
    gc.collect()
    with SessionDB(tmp_path / "state.db") as db:
        assert (len(db.get_messages("s")), db.notices) == (300, [])


def test_two_stores_of_one_process_on_one_file_keep_each_others_locks(tmp_path: Path) -> None:
    one, two = SessionDB(tmp_path / "state.db"), SessionDB(tmp_path / "state.db")
    one.create_session("s", "cli")
    with two.transaction() as tx:
        tx.append_message("s", "user", "two")
        one.close()
        assert ask(_stock_write, tmp_path / "state.db") == "database is locked"
    two.append_message("s", "user", "still works")
    two.close()
    assert ask(_stock_write, tmp_path / "state.db") == "written"


def _stock_write(store: Path) -> str:
    db = sqlite3.connect(store, timeout=0.2)
    try:
        db.execute("INSERT OR REPLACE INTO state_meta VALUES ('stock', 'was here')")
        db.commit()
    except sqlite3.OperationalError as error:
        return str(error)
    finally:
        db.close()
    return "written"


def test_many_threads_share_one_store(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
        failures: list[BaseException] = []

        def work(name: int) -> None:
            try:
                for number in range(30):
                    stored = db.append_message("s", "user", f"{name}:{number}")
                    assert stored in [row["id"] for row in db.get_messages("s", after=stored - 1)]
                    db.list_sessions_rich()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert failures == []
        assert db.message_count("s") == 360


def test_a_read_that_fails_leaves_no_snapshot_open(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")

        def fail(reader: Reader) -> None:
            reader.session("s")
            raise RuntimeError

        for apart in (False, True):
            with pytest.raises(RuntimeError), db._engine.read(None, apart=apart) as reader:  # type: ignore[call-arg]
                fail(reader)
        engine = db._engine
        assert [one.in_transaction for one in [engine._gate.connection, *engine._readers.free()]] == [False, False]  # type: ignore[attr-defined]


def test_the_keeper_survives_a_failure(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
        calls: list[int] = []

        def fail_once() -> bool:
            calls.append(1)
            if len(calls) == 1:
                raise MemoryError
            return False

        db._engine._indexing.index_if_behind = fail_once  # type: ignore[attr-defined]
        for _ in range(2):
            db.append_messages("s", [{"role": "user", "content": "text"}] * 300)
            before = len(calls)
            deadline = time.monotonic() + 10
            while len(calls) == before and time.monotonic() < deadline:
                time.sleep(0.01)
        assert len(calls) >= 2


def _fork_in_a_transaction(store: Path) -> tuple[bytes, list[str]]:
    db = SessionDB(store)
    db.create_session("s", "cli")
    reading, writing = os.pipe()
    with db.transaction() as tx:
        tx.append_message("s", "user", "the parent's")
        child = os.fork()
        if child == 0:
            try:
                tx.append_message("s", "user", "the child's")
            except StoreClosed:
                os.write(writing, b"refused")
            db.close()
            os._exit(0)
        os.waitpid(child, 0)
    answer = os.read(reading, 100)
    kept = [row["content"] for row in db.get_messages("s")]
    db.close()
    return answer, kept


def test_a_child_forked_inside_a_transaction_cannot_write_into_it(tmp_path: Path) -> None:
    assert ask(_fork_in_a_transaction, tmp_path / "state.db") == (b"refused", ["the parent's"])


def _die_holding_the_lock(store: Path, note: Path) -> None:
    db = SessionDB(store)
    db.create_session("s", "cli")
    with db.transaction():
        child = os.fork()
        if child == 0:
            time.sleep(20)
            os._exit(0)
        note.write_text(str(child))
        os._exit(1)


def test_a_forked_child_does_not_keep_the_lock_of_its_dead_parent(tmp_path: Path) -> None:
    from tests.faults.children import start

    parent = start(_die_holding_the_lock, tmp_path / "state.db", tmp_path / "note")
    parent.join(30)
    try:
        with SessionDB(tmp_path / "state.db") as db:
            db._engine._gate.patience = 5  # type: ignore[attr-defined]
            assert db.append_message("s", "user", "nobody holds it") > 0
    finally:
        os.kill(int((tmp_path / "note").read_text()), 9)


def _bad_text(store: Path) -> None:
    db = sqlite3.connect(store)
    db.execute("UPDATE messages SET content = CAST(x'666f6f20ff00fe' AS TEXT) WHERE id = 2")
    db.execute("UPDATE messages SET content = x'ffd8' WHERE id = 3")
    db.execute("UPDATE sessions SET title = CAST(x'7469ff' AS TEXT) WHERE id = 's'")
    db.commit()
    db.close()


def test_one_damaged_text_blocks_nothing_else_and_is_kept(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
        db.append_messages("s", [{"role": "user", "content": f"word{number}"} for number in range(40)])
    ask(_bad_text, tmp_path / "state.db")
    with SessionDB(tmp_path / "state.db") as db:
        db.append_message("s", "user", "after the damage")
        with pytest.raises(StoreCorrupt, match="made readable"):
            db.get_messages("s")
        kept = [row["content"] for row in db.get_messages("s")]
        assert kept[1].encode("utf-8", "surrogateescape") == b"foo \xff\x00\xfe"
        assert kept[2].encode("utf-8", "surrogateescape") == b"\xff\xd8"
        assert [kept[0], *kept[3:]] == ["word0", *[f"word{n}" for n in range(3, 40)], "after the damage"]
        assert len(db.search_messages("word7")) == len(db.search_messages("foo")) == 1
        assert db.list_sessions_rich()[0]["title"] == "ti\\xff"
    with SessionDB(tmp_path / "state.db") as db:
        assert db.check() == []
