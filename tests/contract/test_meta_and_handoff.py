"""Key/value pairs, and handing a conversation to another platform."""

import pytest

from hermes.errors import BadInput, SessionNotFound
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend


def test_meta_is_set_changed_read_and_removed(backend: SqliteBackend) -> None:
    with backend.open() as db:
        assert db.get_meta("k") is None
        db.set_meta("k", "1")
        db.set_meta("k", "zwei ✨")
        assert db.get_meta("k") == "zwei ✨"
    with backend.open() as db:
        assert db.get_meta("k") == "zwei ✨"
        db.set_meta("k", None)
        assert db.get_meta("k") is None


def test_keys_are_found_by_how_they_begin(db: SessionDB) -> None:
    for key in ("job.b", "job.a", "jobs", "job%", "JOB.c"):
        db.set_meta(key, "1")
    assert db.meta_keys("job.") == ["job.a", "job.b"] and db.meta_keys("job%") == ["job%"]
    assert db.scoped("telegram:1").meta_keys("job") == []


@pytest.mark.parametrize("key", ["store_id", "indexed_through", "index_version"])
def test_the_stores_own_keys_are_not_for_callers(db: SessionDB, key: str) -> None:
    before = db.get_meta(key)
    with pytest.raises(BadInput, match=key):
        db.set_meta(key, "x")
    assert db.get_meta(key) == before


def test_a_handoff_goes_from_pending_over_running_to_completed(db: SessionDB) -> None:
    db.create_session("s", "cli")
    assert db.get_handoff_state("s") is None
    assert db.request_handoff("s", "telegram") is True
    assert db.get_handoff_state("s") == {"state": "pending", "platform": "telegram", "error": None}
    assert db.request_handoff("s", "slack") is False  # one is under way
    assert db.list_pending_handoffs() == [db.get_session("s")]
    assert db.claim_handoff("s") is True
    assert db.claim_handoff("s") is False
    assert db.request_handoff("s", "slack") is False
    assert db.list_pending_handoffs() == []
    db.complete_handoff("s")
    assert db.get_handoff_state("s") == {"state": "completed", "platform": "telegram", "error": None}
    assert db.claim_handoff("s") is False
    assert db.request_handoff("s", "slack") is True
    assert db.get_handoff_state("s") == {"state": "pending", "platform": "slack", "error": None}


def test_a_failed_handoff_says_why_and_can_be_asked_for_again(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.request_handoff("s", "telegram")
    db.claim_handoff("s")
    db.fail_handoff("s", "the bot is not in that chat")
    assert db.get_handoff_state("s") == {
        "state": "failed", "platform": "telegram", "error": "the bot is not in that chat",
    }  # fmt: skip
    assert db.request_handoff("s", "telegram") is True
    assert db.get_handoff_state("s") == {"state": "pending", "platform": "telegram", "error": None}


def test_pending_handoffs_come_oldest_first(db: SessionDB) -> None:
    for session_id, start in (("b", 20), ("a", 30), ("c", 10)):
        db.create_session(session_id, "cli", started_at=start)
        db.request_handoff(session_id, "telegram")
    assert [row["id"] for row in db.list_pending_handoffs()] == ["c", "b", "a"]


def test_handoffs_of_missing_sessions(db: SessionDB) -> None:
    assert db.request_handoff("nowhere", "telegram") is False
    assert db.claim_handoff("nowhere") is False
    assert db.get_handoff_state("nowhere") is None
    for finish in (lambda: db.complete_handoff("nowhere"), lambda: db.fail_handoff("nowhere", "e")):
        with pytest.raises(SessionNotFound):
            finish()
