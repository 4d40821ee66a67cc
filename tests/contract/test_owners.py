"""Owners: whose session it is, and what a scope sees."""

import pytest

from hermes.errors import BadInput, SessionNotFound, TitleInUse
from hermes_state import SessionDB

ALICE, BOB = "telegram:alice", "telegram:bob"


def owner(db: SessionDB, session_id: str) -> str:
    row = db.get_session(session_id)
    assert row is not None
    return str(row["owner"])


@pytest.mark.parametrize(
    ("source", "user_id", "expected"),
    [("cli", None, "local"), ("cli", "user_1", "local"), ("tui", "u", "local"), ("cron", None, "local"),
     ("batch", "u", "local"), ("acp", "u", "local"), ("telegram", "42", "telegram:42"), ("discord", "7", "discord:7"),
     ("telegram", None, "local"), ("my-platform", "u", "my-platform:u")],
)  # fmt: skip
def test_owner_follows_from_source_and_user(db: SessionDB, source: str, user_id: str | None, expected: str) -> None:
    db.create_session("s", source, user_id=user_id)
    assert owner(db, "s") == expected


def test_owner_and_chat_can_be_named(db: SessionDB) -> None:
    db.create_session(
        "room", "discord", user_id="7", owner="discord:chat:99:1", chat_id="99", chat_type="group", thread_id="1"
    )
    row = db.get_session("room")
    assert row is not None
    assert [row[name] for name in ("owner", "chat_id", "chat_type", "thread_id")] == [
        "discord:chat:99:1", "99", "group", "1",
    ]  # fmt: skip


def test_a_child_without_a_user_of_its_own_belongs_to_its_parents_owner(db: SessionDB) -> None:
    db.create_session("parent", "telegram", user_id="alice")
    db.create_session("delegated", "telegram", parent_session_id="parent")
    db.create_session("subagent", "subagent", parent_session_id="parent")
    db.end_session("parent", "compression")
    db.create_session("continued", "telegram", parent_session_id="parent")
    db.create_session("other", "telegram", user_id="bob", parent_session_id="parent")
    assert [owner(db, s) for s in ("delegated", "subagent", "continued", "other")] == [ALICE, ALICE, ALICE, BOB]


def test_a_conversation_has_one_owner(db: SessionDB) -> None:
    db.create_session("a", "telegram", user_id="alice", started_at=1.0)
    db.append_message("a", "user", "before the handover")
    db.end_session("a", "compression")
    db.create_session("b", "telegram", user_id="bob", parent_session_id="a")
    db.append_message("b", "user", "after it")
    alice, bob = db.scoped(ALICE), db.scoped(BOB)
    assert [row["id"] for row in alice.list_sessions_rich()] == ["a"]
    assert [row["id"] for row in bob.list_sessions_rich()] == ["b"]
    assert db.get_compression_tip("a") == "a"
    assert [row["id"] for row in bob.get_lineage("b")] == ["b"]
    assert bob.get_messages_as_conversation("b", include_ancestors=True) == [{"role": "user", "content": "after it"}]


def test_a_scope_creates_for_itself(db: SessionDB) -> None:
    alice = db.scoped(ALICE)
    alice.create_session("a", "telegram")
    alice.create_session("b", "cli", user_id="somebody")
    assert (owner(db, "a"), owner(db, "b")) == (ALICE, ALICE)
    with pytest.raises(BadInput):
        alice.create_session("c", "telegram", owner=BOB)
    assert db.get_session("c") is None


def test_a_scope_has_the_same_methods_and_sees_only_its_own(db: SessionDB) -> None:
    alice, bob = db.scoped(ALICE), db.scoped(BOB)
    alice.create_session("a", "telegram", system_prompt="for alice")
    bob.create_session("b", "telegram")
    alice.append_message("a", "user", "mine")
    assert [row["id"] for row in alice.list_sessions_rich()] == ["a"]
    assert alice.get_session("b") is None
    assert alice.resolve_session_id("b") is None
    assert bob.get_messages("a") == []
    assert (alice.session_count(), bob.message_count(), alice.message_count()) == (1, 0, 1)
    assert {row["id"] for row in db.list_sessions_rich()} == {"a", "b"}  # the operator sees all


def test_foreign_sessions_do_not_exist_for_writes(db: SessionDB) -> None:
    db.scoped(BOB).create_session("b", "telegram")
    alice = db.scoped(ALICE)
    for change in (
        lambda: alice.append_message("b", "user", "x"),
        lambda: alice.end_session("b", "x"),
        lambda: alice.clear_messages("b"),
        lambda: alice.replace_messages("b", []),
        lambda: alice.split_session("b", "b2"),
        lambda: alice.branch_session("b", "b2"),
        lambda: alice.create_session("child", "telegram", parent_session_id="b"),
    ):
        with pytest.raises(SessionNotFound):
            change()
    assert alice.set_session_title("b", "T") is False
    assert db.session_count() == 1


def test_a_foreign_id_cannot_be_taken_and_the_error_does_not_say_whose_it_is(db: SessionDB) -> None:
    db.scoped(BOB).create_session("b", "telegram")
    alice = db.scoped(ALICE)
    alice.create_session("mine", "telegram")
    for attempt in (
        lambda: alice.create_session("b", "telegram"),
        lambda: alice.split_session("mine", "b"),
        lambda: alice.branch_session("mine", "b"),
        lambda: alice.update_token_counts("b", 1, 1),
    ):
        with pytest.raises(BadInput) as refused:
            attempt()
        assert "bob" not in str(refused.value)
    mine = db.get_session("mine")
    assert mine is not None
    assert mine["ended_at"] is None


def test_titles_are_unique_per_owner(db: SessionDB) -> None:
    alice, bob = db.scoped(ALICE), db.scoped(BOB)
    alice.create_session("a", "telegram")
    alice.create_session("a2", "telegram")
    bob.create_session("b", "telegram")
    assert alice.set_session_title("a", "notes")
    assert bob.set_session_title("b", "notes")
    with pytest.raises(TitleInUse, match="session a;"):
        alice.set_session_title("a2", "notes")
    assert alice.resolve_session_by_title("notes") == "a"
    assert bob.resolve_session_by_title("notes") == "b"


def test_an_error_names_a_session_only_to_its_owner(db: SessionDB) -> None:
    db.scoped(BOB).create_session("bobs-secret-id", "telegram")
    db.scoped(BOB).set_session_title("bobs-secret-id", "plan")
    alice = db.scoped(ALICE)
    alice.create_session("a", "telegram")
    assert alice.set_session_title("a", "plan")
    assert alice.get_session_by_title("plan")["id"] == "a"  # type: ignore[index]
    assert alice.get_next_title_in_lineage("plan") == "plan #2"
    assert db.scoped("telegram:carol").get_next_title_in_lineage("plan") == "plan"


def test_linked_identities_share_one_scope_and_rows_stay_as_they_are(db: SessionDB) -> None:
    alice, work = db.scoped(ALICE), db.scoped("slack:a.smith")
    alice.create_session("t", "telegram", user_id="alice")
    work.create_session("s", "slack", user_id="a.smith")
    db.link_identity(ALICE, "Alice")
    assert {row["id"] for row in alice.list_sessions_rich()} == {"t"}
    db.link_identity("slack:a.smith", "Alice")
    assert {row["id"] for row in alice.list_sessions_rich()} == {"t", "s"}  # at once, in scopes made before
    assert {row["id"] for row in work.search_sessions()} == {"t", "s"}
    assert (owner(db, "t"), owner(db, "s")) == (ALICE, "slack:a.smith")
    db.link_identity("slack:a.smith", None)
    assert {row["id"] for row in alice.list_sessions_rich()} == {"t"}


def test_a_linked_person_creates_under_the_name_the_scope_was_made_for(db: SessionDB) -> None:
    db.link_identity(ALICE, "Alice")
    db.link_identity("slack:a.smith", "Alice")
    db.scoped("slack:a.smith").create_session("s", "slack")
    assert owner(db, "s") == "slack:a.smith"


def test_only_the_operator_links_identities_and_keeps_meta(db: SessionDB) -> None:
    alice = db.scoped(ALICE)
    db.scoped(BOB).create_session("b", "telegram")
    db.link_identity(BOB, "Bob")
    db.set_meta("setting", "of the operator")
    with pytest.raises(BadInput):
        alice.link_identity(ALICE, "Bob")
    with pytest.raises(BadInput):
        alice.set_meta("setting", "changed")
    assert alice.get_meta("setting") is None
    assert db.get_meta("setting") == "of the operator"
    assert alice.get_session("b") is None


def test_a_scope_leads_to_no_other_scope(db: SessionDB) -> None:
    alice = db.scoped(ALICE)
    assert alice.scoped(ALICE).session_count() == 0
    with pytest.raises(BadInput):
        alice.scoped(BOB)


def test_closing_a_scope_leaves_the_store_open(db: SessionDB) -> None:
    with db.scoped(ALICE) as alice:
        alice.create_session("a", "telegram")
    assert db.get_session("a") is not None


@pytest.mark.parametrize("name", ["", "  ", None, 5, "x" * 401, "a\0b", "\ud800"])
def test_an_impossible_owner_is_refused(db: SessionDB, name: object) -> None:
    with pytest.raises(BadInput):
        db.scoped(name)  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        db.link_identity(name, "person")  # type: ignore[arg-type]
