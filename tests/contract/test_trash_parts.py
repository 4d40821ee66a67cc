"""A conversation in the trash leaves every list, with all its parts; an archived one does not leave the export."""

from hermes.store import SessionDB


def in_two_parts(db: SessionDB, name: str) -> None:
    db.create_session(name, "cli")
    db.append_message(name, "user", f"first part of {name}")
    db.split_session(name, f"{name}-2", [{"role": "user", "content": f"second part of {name}"}])


def test_no_part_of_a_trashed_conversation_is_listed_or_exported(db: SessionDB) -> None:
    in_two_parts(db, "gone")
    in_two_parts(db, "kept")
    db.trash_session("gone")
    kept = {"kept", "kept-2"}
    assert {row["id"] for row in db.search_sessions(limit=50)} == kept
    assert {row["id"] for row in db.list_sessions_rich(include_children=True, limit=50)} == kept
    listed = db.list_sessions_rich(include_children=True, order_by_last_active=True, limit=50)
    assert {row["id"] for row in listed} == kept
    assert {row["id"] for row in db.export_all()} == kept


def test_every_part_of_an_archived_conversation_is_among_all_sessions(db: SessionDB) -> None:
    in_two_parts(db, "old")
    db.archive_session("old")
    assert {row["id"] for row in db.search_sessions(limit=50)} == {"old", "old-2"}
    assert {row["id"] for row in db.export_all()} == {"old", "old-2"}
    assert db.list_sessions_rich() == []
