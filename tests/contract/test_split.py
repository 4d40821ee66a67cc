"""The compression split and the branch, each one transaction."""

import pytest

from hermes.errors import AlreadyContinued, BadInput, MessageNotFound, SessionNotFound
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend

CALLS = [{"id": "call_1", "function": {"name": "terminal", "arguments": "{}"}}]


@pytest.fixture
def chat(db: SessionDB) -> SessionDB:
    """A titled conversation of five messages with tokens spent."""
    db.create_session(
        "s", "telegram", user_id="alice", model="m", model_config={"t": 1}, system_prompt="prompt " * 400,
        chat_id="42", chat_type="dm", thread_id="7", started_at=1000.0,
    )  # fmt: skip
    db.set_session_title("s", "my project")
    for n in range(5):
        db.append_message("s", "user", f"m{n}", tool_calls=CALLS, timestamp=1001.0 + n)
    db.update_token_counts("s", 100, 10, estimated_cost_usd=0.5, api_call_count=2)
    return db


def row(db: SessionDB, session_id: str) -> dict[str, object]:
    found = db.get_session(session_id)
    assert found is not None
    return found


def message_ids(db: SessionDB, session_id: str = "s") -> list[int]:
    return [message["id"] for message in db.get_messages(session_id)]


def everything(db: SessionDB) -> object:
    sessions = db.search_sessions(limit=100)
    return sessions, {session["id"]: db.get_messages(session["id"]) for session in sessions}


def test_the_continuation_keeps_who_where_and_what_and_takes_the_next_title(chat: SessionDB) -> None:
    assert chat.split_session("s", "s2") == "s2"
    old, new = row(chat, "s"), row(chat, "s2")
    kept = ("source", "user_id", "owner", "chat_id", "chat_type", "thread_id", "model", "model_config", "system_prompt")
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert (old["end_reason"], old["title"]) == ("compression", "my project")
    assert (new["parent_session_id"], new["title"], new["ended_at"]) == ("s", "my project #2", None)
    assert new["started_at"] == old["ended_at"]
    assert (new["input_tokens"], old["input_tokens"]) == (0, 100)  # usage stays where it was spent
    assert chat.split_session("s2", "s3") == "s3"
    assert row(chat, "s3")["title"] == "my project #3"
    assert chat.resolve_session_by_title("my project") == "s3"


def test_an_untitled_session_goes_on_untitled_with_a_prompt_of_its_own(chat: SessionDB) -> None:
    chat.set_session_title("s", None)
    chat.split_session("s", "s2", system_prompt="new prompt")
    assert (row(chat, "s2")["title"], row(chat, "s2")["system_prompt"]) == (None, "new prompt")


def test_carried_messages_are_counted_once_and_keep_every_column(chat: SessionDB) -> None:
    before = chat.get_messages("s")
    chat.split_session("s", "s2", [{"role": "user", "content": "summary"}], carried=[m["id"] for m in before[-2:]])
    summary, *carried = chat.get_messages("s2")
    assert summary["content"] == "summary"
    assert [m["carried_from"] for m in carried] == [m["id"] for m in before[-2:]]
    ours = {"id", "session_id", "carried_from"}
    assert [{k: v for k, v in m.items() if k not in ours} for m in carried] == [
        {k: v for k, v in m.items() if k not in ours} for m in before[-2:]
    ]
    assert chat.get_messages("s") == before
    assert (row(chat, "s2")["message_count"], row(chat, "s2")["tool_call_count"]) == (1, 0)
    assert (chat.message_count(), chat.message_count("s"), chat.message_count("s2")) == (6, 5, 1)
    assert chat.stats()["messages"] == 6


def test_a_twice_carried_message_still_belongs_to_the_original(chat: SessionDB) -> None:
    last = message_ids(chat)[-1]
    chat.split_session("s", "s2", carried=[last])
    (copy,) = message_ids(chat, "s2")
    chat.split_session("s2", "s3", carried=[copy])
    assert [m["carried_from"] for m in chat.get_messages("s3")] == [last]
    chat.delete_messages_from("s", last)
    assert chat.get_messages("s2") == chat.get_messages("s3") == []


def test_deleting_a_carried_copy_leaves_the_original(chat: SessionDB) -> None:
    last = message_ids(chat)[-1]
    chat.split_session("s", "s2", [{"role": "user", "content": "summary"}], carried=[last])
    assert chat.delete_messages_from("s2", message_ids(chat, "s2")[0]) == 2
    assert len(message_ids(chat)) == 5
    assert chat.message_count() == 5


def test_activity_never_goes_back_when_a_continuation_carries_messages(chat: SessionDB) -> None:
    last = message_ids(chat)[-1]  # of time 1005
    chat.split_session("s", "s2", carried=[last])
    assert chat.list_sessions_rich()[0]["last_active"] == 1005.0
    chat.append_message("s2", "user", "imported later", timestamp=900.0)
    assert chat.list_sessions_rich()[0]["last_active"] == 1005.0


def test_a_second_split_says_where_the_conversation_went_on(chat: SessionDB) -> None:
    chat.split_session("s", "s2")
    before = everything(chat)
    with pytest.raises(AlreadyContinued, match="continue in s2") as refused:
        chat.split_session("s", "s3")
    assert (refused.value.session_id, refused.value.tip) == ("s", "s2")
    assert everything(chat) == before


def test_a_split_that_cannot_happen_changes_nothing(chat: SessionDB) -> None:
    chat.create_session("other", "cli")
    foreign = chat.append_message("other", "user", "x")
    before = everything(chat)
    with pytest.raises(MessageNotFound):
        chat.split_session("s", "s2", carried=[message_ids(chat)[0], foreign])
    with pytest.raises(BadInput, match="'other' cannot be used"):
        chat.split_session("s", "other")
    with pytest.raises(BadInput):
        chat.split_session("s", "../s2")
    with pytest.raises(BadInput):
        chat.split_session("s", "s2", [{"role": "user", "content": object()}])
    with pytest.raises(SessionNotFound):
        chat.split_session("nowhere", "s2")
    assert everything(chat) == before


def test_two_openers_cannot_both_split(backend: SqliteBackend) -> None:
    with backend.open() as one, backend.open() as two:
        one.create_session("s", "cli")
        one.split_session("s", "a")
        with pytest.raises(AlreadyContinued, match="continue in a"):
            two.split_session("s", "b")
        assert two.session_count() == 2


def test_an_ended_session_can_still_be_compressed(chat: SessionDB) -> None:
    chat.end_session("s", "timeout")
    chat.split_session("s", "s2")
    assert chat.get_compression_tip("s") == "s2"


# -- branches


def test_a_branch_copies_the_messages_and_ends_the_parent(chat: SessionDB) -> None:
    assert chat.branch_session("s", "b") == "b"
    old, new = row(chat, "s"), row(chat, "b")
    assert (old["end_reason"], new["parent_session_id"], new["title"]) == ("branched", "s", "my project #2")
    assert (new["owner"], new["chat_id"], new["system_prompt"]) == (old["owner"], old["chat_id"], old["system_prompt"])
    copied, original = chat.get_messages("b"), chat.get_messages("s")
    different = {"id", "session_id"}
    assert [{k: v for k, v in m.items() if k not in different} for m in copied] == [
        {k: v for k, v in m.items() if k not in different} for m in original
    ]
    assert (new["message_count"], new["tool_call_count"]) == (5, 5)
    chat.clear_messages("s")
    assert len(chat.get_messages("b")) == 5  # its own from the start


def test_a_branch_can_begin_at_an_earlier_message_under_a_name_of_its_own(chat: SessionDB) -> None:
    chat.branch_session("s", "b", through=message_ids(chat)[1], title="another way")
    assert [m["content"] for m in chat.get_messages("b")] == ["m0", "m1"]
    assert row(chat, "b")["title"] == "another way"
    with pytest.raises(MessageNotFound):
        chat.branch_session("s", "b2", through=999_999)
    with pytest.raises(ValueError, match="too long"):
        chat.branch_session("s", "b2", title="x" * 101)
    assert chat.get_session("b2") is None


def test_a_branch_title_in_use_takes_the_next_number(chat: SessionDB) -> None:
    chat.branch_session("s", "b", title="my project")
    chat.branch_session("s", "b2", title="\u200bmy project\n")
    assert (row(chat, "b")["title"], row(chat, "b2")["title"]) == ("my project #2", "my project #3")


def test_the_first_end_reason_stays_when_an_ended_session_is_branched(chat: SessionDB) -> None:
    chat.end_session("s", "user_exit")
    chat.branch_session("s", "b")
    assert row(chat, "s")["end_reason"] == "user_exit"
    assert {listed["id"] for listed in chat.list_sessions_rich()} == {"s", "b"}


def test_a_branch_of_a_compressed_session_does_not_take_the_place_of_its_tip(chat: SessionDB) -> None:
    chat.split_session("s", "s2", [{"role": "user", "content": "summary"}])
    chat.branch_session("s", "b")
    assert chat.get_compression_tip("s") == "s2"
    assert {listed["id"] for listed in chat.list_sessions_rich()} == {"s2", "b"}
    assert [part["id"] for part in chat.get_lineage("s2")] == ["s", "s2"]
    chat.split_session("b", "b2")
    assert {listed["id"] for listed in chat.list_sessions_rich()} == {"s2", "b2"}


def test_large_payloads_branch_and_carry_along(chat: SessionDB) -> None:
    output = "line\n" * 10_000
    image = [{"type": "image_url", "image_url": {"url": "data:," + "A" * 40_000}}]
    ids = [chat.append_message("s", "tool", output), chat.append_message("s", "user", image)]
    chat.branch_session("s", "b")
    chat.reopen_session("s")
    chat.split_session("s", "s2", carried=ids)
    for session_id in ("b", "s2"):
        assert [m["content"] for m in chat.get_messages(session_id)][-2:] == [output, image]
    chat.clear_messages("s")
    assert [m["content"] for m in chat.get_messages("b")][-2:] == [output, image]
    assert chat.get_messages("s2") == []


def test_a_summary_can_stand_between_what_is_carried(chat: SessionDB) -> None:
    ids = message_ids(chat)
    chat.split_session("s", "s2", [ids[0], {"role": "user", "content": "summary"}, ids[3]], carried=ids[4:])
    assert [message["content"] for message in chat.get_messages("s2")] == ["m0", "summary", "m3", "m4"]
    assert [message["carried_from"] for message in chat.get_messages("s2")] == [ids[0], None, ids[3], ids[4]]
    assert chat.message_count("s2") == 1


def test_a_continuation_that_begins_with_a_carried_message_is_not_taken_for_a_copy(chat: SessionDB) -> None:
    ids = message_ids(chat)
    chat.split_session("s", "s2", [ids[0], {"role": "assistant", "content": "summary"}], carried=ids[4:])
    chat.append_message("s2", "user", "m5")
    whole = chat.get_messages_as_conversation("s2", include_ancestors=True)
    assert [message["content"] for message in whole] == ["m0", "m1", "m2", "m3", "m4", "summary", "m5"]
