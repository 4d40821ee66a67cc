"""Several operations as one."""

import threading

import pytest

from hermes.errors import BadInput, HermesError
from hermes.store.db import Transaction
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend


class Stop(Exception):
    """Raised by the tests inside a block."""


def test_everything_is_there_when_the_block_ends(backend: SqliteBackend) -> None:
    with backend.open() as db, backend.open() as other:
        with db.transaction() as tx:
            tx.create_session("s", "cli")
            tx.append_message("s", "user", "hello")
            tx.set_session_title("s", "T")
            tx.update_token_counts("s", 5, 5)
            tx.set_meta("k", "v")
            assert other.get_session("s") is None
            assert other.get_meta("k") is None
        row = other.get_session("s")
        assert row is not None
        assert (row["title"], row["message_count"], row["input_tokens"], other.get_meta("k")) == ("T", 1, 5, "v")


def test_nothing_is_there_when_the_block_raises(db: SessionDB) -> None:
    db.create_session("kept", "cli")
    before = db.search_sessions(), db.get_messages("kept")
    with pytest.raises(Stop), db.transaction() as tx:
        tx.create_session("s", "cli")
        tx.append_message("kept", "user", "x" * 50_000)
        tx.split_session("kept", "s2")
        tx.set_meta("k", "v")
        raise Stop
    assert (db.search_sessions(), db.get_messages("kept")) == before
    assert db.get_meta("k") is None
    db.append_message("kept", "user", "life goes on")
    assert db.message_count("kept") == 1


def test_an_error_inside_takes_everything_with_it_unless_it_is_caught(db: SessionDB) -> None:
    db.create_session("s", "cli")
    with pytest.raises(HermesError), db.transaction() as tx:
        tx.append_message("s", "user", "lost")
        tx.append_message("nowhere", "user", "x")
    assert db.message_count() == 0
    with db.transaction() as tx:
        tx.append_message("s", "user", "kept")
        with pytest.raises(HermesError):
            tx.append_message("nowhere", "user", "x")
    assert db.message_count() == 1


def test_a_transaction_reads_its_own_writes(db: SessionDB) -> None:
    with db.transaction() as tx:
        tx.create_session("s", "cli", system_prompt="p" * 5000)
        tx.append_message("s", "user", "hello")
        assert tx.message_count("s") == 1
        assert [row["content"] for row in tx.get_messages("s")] == ["hello"]
        assert tx.list_sessions_rich()[0]["preview"] == "hello"
        tx.split_session("s", "t")
        assert tx.get_compression_tip("s") == "t"
        assert tx.resolve_session_id("t") == "t"
        assert tx.stats()["sessions"] == 2


def test_the_store_itself_refuses_to_write_inside_a_block(db: SessionDB) -> None:
    db.create_session("s", "cli")
    with db.transaction() as tx:
        tx.append_message("s", "user", "from tx")
        for use in (
            lambda: db.append_message("s", "user", "from db"),
            lambda: db.end_session("s", "x"),
            lambda: db.scoped("local").append_message("s", "user", "from a scope"),
            lambda: db.transaction().__enter__(),
            lambda: db.vacuum(),
        ):
            with pytest.raises(BadInput, match="use tx"):
                use()
    assert [row["content"] for row in db.get_messages("s")] == ["from tx"]


def test_a_scope_has_transactions_within_its_bounds(db: SessionDB) -> None:
    db.create_session("b", "telegram", user_id="bob")
    alice = db.scoped("telegram:alice")
    with alice.transaction() as tx:
        tx.create_session("a", "telegram")
        tx.append_message("a", "user", "mine")
        assert tx.get_session("b") is None
        with pytest.raises(HermesError):
            tx.append_message("b", "user", "not mine")
        with pytest.raises(BadInput):
            tx.link_identity("telegram:alice", "Bob")
    row = db.get_session("a")
    assert row is not None
    assert row["owner"] == "telegram:alice"
    assert db.message_count("b") == 0


def test_other_threads_wait_for_the_block(db: SessionDB) -> None:
    db.create_session("s", "cli")
    with db.transaction() as tx:
        tx.append_message("s", "user", "first")
        other = threading.Thread(target=db.append_message, args=("s", "user", "second"))
        other.start()
        other.join(0.1)
        assert other.is_alive()
        tx.append_message("s", "user", "still first")
    other.join(60)
    assert [row["content"] for row in db.get_messages("s")] == ["first", "still first", "second"]


def test_many_threads_write_at_once_and_each_gets_its_own_row(db: SessionDB) -> None:
    db.create_session("s", "cli")
    ids: dict[int, list[int]] = {}
    refused: list[HermesError] = []

    def work(number: int) -> None:
        ids[number] = [db.append_message("s", "user", f"{number}.{n}") for n in range(20)]
        try:
            db.append_message("nowhere", "user", "x")
        except HermesError as error:
            refused.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    said = {row["id"]: row["content"] for row in db.get_messages("s")}
    assert len(said) == 160
    assert len(refused) == 8
    for number, own in ids.items():
        assert [said[i] for i in own] == [f"{number}.{n}" for n in range(20)]
        assert own == sorted(own)


def test_a_function_is_stored_as_one_and_its_result_comes_back(db: SessionDB) -> None:
    db.create_session("s", "cli")

    def said(tx: Transaction) -> int:
        first = tx.append_message("s", "user", "one")
        return tx.append_message("s", "assistant", "two") - first

    def failing(tx: Transaction) -> None:
        tx.append_message("s", "user", "lost")
        raise Stop

    assert db.atomically(said) == 1
    with pytest.raises(Stop):
        db.atomically(failing)
    assert [row["content"] for row in db.get_messages("s")] == ["one", "two"]


def test_functions_of_many_threads_each_keep_their_own(db: SessionDB) -> None:
    """They share commits: one that raises takes nothing of another one with it."""
    db.create_session("s", "cli")
    raised = []

    def work(number: int) -> None:
        for turn in range(20):
            try:
                db.atomically(lambda tx, turn=turn: pair(tx, f"{number}-{turn}", fails=turn % 4 == 3))
            except Stop:
                raised.append(number)

    def pair(tx: Transaction, name: str, *, fails: bool) -> None:
        tx.append_message("s", "user", name)
        tx.append_message("s", "assistant", name)
        if fails:
            raise Stop

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    rows = db.get_messages("s")
    assert len(raised) == 8 * 5
    assert sorted(row["content"] for row in rows) == sorted(
        f"{number}-{turn}" for number in range(8) for turn in range(20) if turn % 4 != 3 for _ in range(2)
    )
    assert all(first["content"] == second["content"] for first, second in zip(rows[::2], rows[1::2], strict=True))
