"""Deleting one session: what goes with it, what stays, and where the rest stands in lists afterwards."""

import pytest

from hermes_state import SessionDB


@pytest.fixture
def chain(db: SessionDB) -> SessionDB:
    """root → second → third, all of one conversation, with delegated work under the second."""
    db.create_session("root", "cli", started_at=100.0)
    last = db.append_message("root", "user", "said in root", timestamp=101.0)
    db.update_token_counts("root", 10, 1, estimated_cost_usd=1.0)
    db.split_session("root", "second", [{"role": "user", "content": "said in second"}], carried=[last])
    db.create_session("helper", "cli", parent_session_id="second")
    db.append_message("helper", "user", "delegated")
    db.split_session("second", "third", [{"role": "user", "content": "said in third"}])
    db.update_token_counts("third", 5, 1, estimated_cost_usd=0.5)
    return db


def listed(db: SessionDB) -> set[str]:
    return {row["id"] for row in db.list_sessions_rich()}


def parent(db: SessionDB, session_id: str) -> str | None:
    row = db.get_session(session_id)
    assert row is not None
    return row["parent_session_id"]  # type: ignore[no-any-return]


def test_a_session_goes_with_its_messages_and_only_once(chain: SessionDB) -> None:
    assert chain.delete_session("helper") is True
    assert chain.delete_session("helper") is False
    assert chain.get_session("helper") is None
    assert chain.get_messages("helper") == []
    assert chain.session_count() == 3


def test_children_stay_without_a_parent_and_become_rows_of_their_own(chain: SessionDB) -> None:
    assert listed(chain) == {"third"}
    chain.delete_session("second")
    assert (parent(chain, "helper"), parent(chain, "third")) == (None, None)
    assert listed(chain) == {"third", "helper"}


def test_without_its_tip_a_conversation_shows_as_the_part_before(chain: SessionDB) -> None:
    chain.delete_session("third")
    assert listed(chain) == {"second"}
    chain.delete_session("second")
    assert listed(chain) == {"root", "helper"}
    assert chain.get_compression_tip("root") == "root"


def test_without_its_root_a_conversation_keeps_its_name_and_its_row(chain: SessionDB) -> None:
    chain.delete_session("root")
    rows = {row["id"]: row for row in chain.list_sessions_rich()}
    assert set(rows) == {"third"}
    assert (rows["third"]["lineage_id"], rows["third"]["_lineage_root_id"]) == ("root", "root")
    assert rows["third"]["estimated_cost_usd"] == 0.5
    assert {row["id"] for row in chain.list_sessions_rich(project_compression_tips=False)} == {"second"}


def test_carried_messages_go_with_the_original(chain: SessionDB) -> None:
    assert [m["content"] for m in chain.get_messages("second")] == ["said in second", "said in root"]
    chain.delete_session("root")
    assert [m["content"] for m in chain.get_messages("second")] == ["said in second"]


def test_past_spend_stays_true_without_ids(chain: SessionDB) -> None:
    chain.delete_session("root")
    (total,) = chain.usage_by("source")
    assert (total["source"], total["input_tokens"], total["estimated_cost_usd"]) == ("cli", 15, 1.5)
    assert {row["session"] for row in chain.usage_by("session")} == {None, "third"}


def test_an_archived_conversation_stays_put_away(chain: SessionDB) -> None:
    chain.archive_session("third")
    chain.delete_session("third")
    assert "second" not in listed(chain)


def test_a_shared_prompt_stays(db: SessionDB) -> None:
    prompt = "shared prompt " * 500
    db.create_session("a", "cli", system_prompt=prompt)
    db.create_session("b", "cli", system_prompt=prompt)
    db.delete_session("a")
    row = db.get_session("b")
    assert row is not None
    assert row["system_prompt"] == prompt


def test_the_title_is_free_again(db: SessionDB) -> None:
    db.create_session("a", "cli")
    db.create_session("b", "cli")
    db.set_session_title("a", "T")
    db.delete_session("a")
    assert db.set_session_title("b", "T") is True
