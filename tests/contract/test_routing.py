"""Which session a chat is in, what came in, and what is to go out."""

import pytest

from hermes.errors import BadInput
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend

KEY = "agent:main:telegram:dm:7"
ROUTE = {"owner": "telegram:7", "session_id": "s", "platform": "telegram", "chat_type": "dm", "active_at": 5.0}
MAIL = {"owner": "telegram:7", "key": KEY, "content": "hello"}


def test_a_route_is_set_changed_in_part_and_dropped(backend: SqliteBackend) -> None:
    with backend.open() as db:
        assert db.get_route(KEY) is None
        assert db.set_route(KEY, ROUTE | {"chat_id": "7"})
        assert db.set_route(KEY, {"session_id": "t", "reset_from": "s", "reset_reason": "idle"})
    with backend.open() as db:
        found = db.get_route(KEY)
        assert found is not None and (found["session_id"], found["chat_id"], found["active_at"]) == ("t", "7", 5.0)
        assert (found["reset_from"], found["thread_id"]) == ("s", "")
        assert db.list_routes() == [found]
        assert db.drop_route(KEY) and not db.drop_route(KEY)


def test_an_event_that_is_delivered_twice_is_received_once(db: SessionDB) -> None:
    first = db.receive("telegram", "1", MAIL)
    assert first is not None
    assert db.receive("telegram", "1", MAIL) is None
    assert db.receive("discord", "1", MAIL) is not None
    db.settle_arrival(first, "done")
    assert db.receive("telegram", "1", MAIL) is None


def test_what_was_dealt_with_keeps_no_text(db: SessionDB) -> None:
    came, goes = db.receive("telegram", "1", MAIL), db.post("telegram", MAIL)
    assert came is not None
    assert [row["content"] for row in (*db.arrivals("waiting"), *db.posts("pending"))] == ["hello", "hello"]
    db.settle_arrival(came, "running", session_id="s", message_id=3)
    assert db.arrivals()[0]["content"] == "hello"
    db.settle_arrival(came, "done")
    db.settle_post(goes, "sent")
    assert [row["content"] for row in (*db.arrivals("done"), *db.posts("sent"))] == [None, None]


def test_one_of_two_who_want_to_send_gets_to(db: SessionDB) -> None:
    goes = db.post("telegram", MAIL)
    assert [db.settle_post(goes, "sending", expect="pending", tries=1) for _ in range(2)] == [True, False]


def test_mail_is_stored_with_its_message_or_not_at_all(db: SessionDB) -> None:
    db.create_session("s", "telegram", user_id="7")
    with pytest.raises(ZeroDivisionError), db.transaction() as tx:
        tx.append_message("s", "assistant", "hello")
        tx.post("telegram", MAIL)
        raise ZeroDivisionError
    assert (db.message_count("s"), db.posts()) == (0, [])


def test_old_mail_is_forgotten_once_it_was_dealt_with(db: SessionDB) -> None:
    done, waits = db.receive("telegram", "1", MAIL), db.receive("telegram", "2", MAIL)
    assert done and waits
    db.settle_arrival(done, "done")
    db.settle_post(db.post("telegram", MAIL), "undelivered")
    assert db.forget_mail(0) == 0
    assert db.forget_mail(2e10) == 1
    assert [row["id"] for row in db.arrivals()] == [waits]
    assert len(db.posts("undelivered")) == 1


def test_a_deleted_session_takes_its_routes_and_its_mail_along(db: SessionDB) -> None:
    db.create_session("s", "telegram", user_id="7")
    db.set_route(KEY, ROUTE)
    db.receive("telegram", "1", MAIL | {"session_id": "s"})
    db.post("telegram", MAIL | {"session_id": "s"})
    db.delete_session("s")
    assert db.list_routes() == []
    assert [row["content"] for row in (*db.arrivals(), *db.posts())] == [None, None]
    assert db.receive("telegram", "1", MAIL) is None


def test_a_scope_takes_no_route_from_another(db: SessionDB) -> None:
    db.set_route(KEY, ROUTE)
    stranger = db.scoped("telegram:8")
    assert stranger.get_route(KEY) is None
    assert stranger.set_route(KEY, {"session_id": "mine"}) is False
    with pytest.raises(BadInput):
        stranger.set_route("other", ROUTE)
    assert db.get_route(KEY)["session_id"] == "s"  # type: ignore[index]


def test_a_state_or_a_column_that_there_is_not_is_refused(db: SessionDB) -> None:
    with pytest.raises(BadInput, match="lost"):
        db.settle_post(1, "lost")
    with pytest.raises(BadInput, match="colour"):
        db.set_route(KEY, {"colour": "red"})
