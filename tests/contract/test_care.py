"""Care for data over years: prune, trash, archive, pin, tags, export, import, backup, check, repair, salvage."""

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from hermes.errors import BadInput, SessionNotFound, StoreCorrupt
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend

DAY = 86400.0
KEY = "ghp_" + "a1B2c3D4e5F6" * 3


def add(db: SessionDB, name: str, days: float = 0, *, source: str = "cli", ended: bool = True) -> str:
    """A session whose one message is so many days old."""
    at = time.time() - days * DAY
    db.create_session(name, source, started_at=at)
    db.append_message(name, "user", f"said in {name}", timestamp=at)
    if ended:
        db.end_session(name, "done")
    return name


def ids(db: SessionDB) -> set[str]:
    return {row["id"] for row in db.list_sessions_rich(limit=1000)}


def contents(db: SessionDB, name: str) -> list[object]:
    return [row["content"] for row in db.get_messages(name)]


# -- prune


def test_prune_deletes_what_has_ended_and_is_old(db: SessionDB) -> None:
    add(db, "old", 100)
    add(db, "new", 10)
    add(db, "open", 100, ended=False)
    assert db.prune_sessions(older_than_days=90) == 1
    assert ids(db) == {"new", "open"}


def test_prune_goes_by_the_last_activity_not_the_start(db: SessionDB) -> None:
    add(db, "resumed", 100, ended=False)
    db.append_message("resumed", "user", "again", timestamp=time.time() - DAY)
    db.end_session("resumed", "done")
    assert db.prune_sessions(90) == 0


def test_prune_takes_a_conversation_whole_or_not_at_all(db: SessionDB) -> None:
    add(db, "root", 100, ended=False)
    db.split_session("root", "tip", [{"role": "user", "content": "summary"}])
    db.end_session("tip", "done")
    assert db.prune_sessions(90) == 0
    assert db.prune_sessions(0) == 2


def test_prune_is_limited_to_a_source_a_tag_and_a_shelf(db: SessionDB) -> None:
    for name, source in (("a", "cli"), ("b", "telegram"), ("c", "telegram"), ("d", "telegram")):
        add(db, name, 100, source=source)
    db.tag_session("c", ["work"])
    db.archive_session("d")
    assert [row["ids"] for row in db.prunable_sessions(90, "telegram", tag="work")] == [["c"]]
    assert [row["ids"] for row in db.prunable_sessions(90, archived=True)] == [["d"]]
    assert db.prune_sessions(90, "telegram", archived=False) == 2
    assert ids(db) == {"a"}


def test_a_dry_run_changes_nothing_and_says_what_would_go(db: SessionDB) -> None:
    add(db, "old", 100)
    (row,) = db.prunable_sessions(90)
    assert (row["lineage_id"], row["source"], row["messages"], row["ids"]) == ("old", "cli", 1, ["old"])
    assert ids(db) == {"old"}


def test_pinned_conversations_are_never_pruned(db: SessionDB) -> None:
    add(db, "kept", 100)
    assert db.pin_session("kept") == 1
    assert db.prune_sessions(0) == 0
    db.pin_session("kept", False)
    assert db.prune_sessions(0) == 1


def test_a_clock_far_in_the_future_deletes_nothing(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    add(db, "old", 100)
    monkeypatch.setattr(time, "time", lambda: 4e9)
    with pytest.raises(BadInput, match="clock"):
        db.prune_sessions(90)
    monkeypatch.undo()
    assert ids(db) == {"old"}


@pytest.mark.parametrize("days", [-1, "90", None, True, float("nan"), 1e12])
def test_prune_refuses_a_strange_age(db: SessionDB, days: object) -> None:
    with pytest.raises(BadInput):
        db.prune_sessions(days)  # type: ignore[arg-type]


def test_prune_reports_progress_and_removes_transcripts_of_exactly_those_ids(db: SessionDB, tmp_path: Path) -> None:
    add(db, "s1", 100)
    add(db, "s10", 1)
    for name in ("s1.jsonl", "s1.json", "session_s1.json", "s10.jsonl", "s1.jsonl.bak"):
        (tmp_path / name).touch()
    seen: list[tuple[int, int]] = []
    db.prune_sessions(90, sessions_dir=tmp_path, progress=lambda done, all_: seen.append((done, all_)))
    assert seen == [(1, 1)]
    assert sorted(path.name for path in tmp_path.glob("*.json*")) == ["s1.jsonl.bak", "s10.jsonl"]


def test_automatic_pruning_happens_once_per_interval_over_all_processes(backend: SqliteBackend) -> None:
    with backend.open() as first, backend.open() as second:
        add(first, "old", 100)
        assert first.maybe_auto_prune_and_vacuum(90) == {"skipped": False, "pruned": 1, "vacuumed": True}
        add(first, "older", 200)
        assert second.maybe_auto_prune_and_vacuum(90)["skipped"] is True
        assert second.maybe_auto_prune_and_vacuum(90, min_interval_hours=0, vacuum=False) == {
            "skipped": False, "pruned": 1, "vacuumed": False,
        }  # fmt: skip


def test_automatic_pruning_never_raises(db: SessionDB) -> None:
    assert "older_than_days" in db.maybe_auto_prune_and_vacuum("soon")["error"]  # type: ignore[arg-type]


# -- trash, archive, tags


def test_the_trash_hides_a_conversation_and_frees_its_title(db: SessionDB) -> None:
    add(db, "a")
    db.set_session_title("a", "Plan")
    assert db.trash_session("a") == 1
    assert (ids(db), db.session_count(), db.search_messages("said")) == (set(), 0, [])
    add(db, "b")
    db.set_session_title("b", "Plan")
    assert db.restore_session("a") == 1
    assert ids(db) == {"a", "b"}
    assert db.get_session_title("a") == "Plan #2"


def test_the_trash_is_emptied_by_age_at_most_once_a_day(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    add(db, "a")
    db.trash_session("a")
    now = time.time()
    assert db.maybe_empty_trash(30) == 0
    monkeypatch.setattr(time, "time", lambda: now + 31 * DAY)
    assert db.maybe_empty_trash(0) == 0
    assert db.maybe_empty_trash(30) == 1
    db.create_session("b", "cli")
    db.trash_session("b")
    assert db.maybe_empty_trash(1e-9) == 0
    assert db.empty_trash() == 1
    assert db.get_session("b") is None


def test_a_branch_that_was_put_away_comes_back_into_the_list_and_a_delegated_child_does_not(db: SessionDB) -> None:
    db.create_session("parent", "cli")
    db.append_message("parent", "user", "where to?")
    db.create_session("child", "cli", parent_session_id="parent")
    db.branch_session("parent", "branch")
    db.reopen_session("parent")
    for name in ("branch", "child"):
        db.archive_session(name)
        db.unarchive_session(name)
    assert {row["id"] for row in db.list_sessions_rich()} == {"parent", "branch"}


def test_an_archived_conversation_is_found_but_not_listed(db: SessionDB) -> None:
    add(db, "a")
    db.archive_session("a")
    assert ids(db) == set()
    assert [row["session_id"] for row in db.search_messages("said")] == ["a"]
    db.unarchive_session("a")
    assert ids(db) == {"a"}


def test_tags_belong_to_the_whole_conversation(db: SessionDB) -> None:
    add(db, "a", ended=False)
    db.split_session("a", "b", [])
    assert db.tag_session("b", ["Work", "home"]) == ["home", "work"]
    assert db.get_tags("a") == ["home", "work"]
    assert db.tag_session("a", remove=["home"]) == ["work"]
    with pytest.raises(BadInput):
        db.tag_session("a", ["two words"])


@pytest.mark.parametrize(
    "method",
    ["trash_session", "restore_session", "archive_session", "pin_session", "tag_session", "delete_lineage"],
)
def test_a_session_that_is_not_there_is_named(db: SessionDB, method: str) -> None:
    with pytest.raises(SessionNotFound, match="nobody"):
        getattr(db, method)("nobody")


def test_vacuum_shrinks_the_file_and_lists_older_copies(db: SessionDB) -> None:
    db.create_session("a", "cli")
    db.append_messages("a", [{"role": "user", "content": f"word{n} " * 100} for n in range(500)])
    copy = db.db_path.with_name(f"{db.db_path.name}.backup-20260101")
    db.backup(copy)
    before = db.database_size()
    db.delete_session("a")
    result = db.vacuum()
    assert result["complete"] is True
    assert result["backups"] == [str(copy)]
    assert db.database_size() < before / 3
    assert b"word77" not in db.db_path.read_bytes()


# -- secrets


def test_secrets_are_masked_before_they_are_stored_or_indexed(backend: SqliteBackend) -> None:
    with SessionDB(backend.address, redact_secrets=True) as db:
        db.create_session("s", "cli")
        call = {"id": "c", "function": {"name": "t", "arguments": json.dumps({"token": KEY})}}
        db.append_message("s", "assistant", f"use {KEY}", tool_calls=[call], reasoning=f"it is {KEY}")
        assert db.search_messages(KEY) == []
        assert KEY not in json.dumps(db.get_messages("s"))
        assert list(db.scan_secrets()) == []


def test_the_scan_names_where_secrets_are_and_never_the_secret(db: SessionDB) -> None:
    add(db, "clean")
    db.create_session("s", "cli")
    message = db.append_message("s", "user", f"use {KEY}")
    assert list(db.scan_secrets()) == [
        {"session_id": "s", "message_id": message, "kind": "github-personal-token"},
    ]


def test_exports_mask_secrets_unless_asked_otherwise(db: SessionDB, tmp_path: Path) -> None:
    db.create_session("s", "cli")
    db.append_message("s", "user", f"use {KEY}")
    assert db.export_file(tmp_path / "masked") == {"sessions": 1, "messages": 1, "secrets": 1}
    assert KEY not in (tmp_path / "masked").read_text()
    assert json.loads((tmp_path / "masked").read_text())["_redacted"] == 1
    db.export_file(tmp_path / "plain", include_secrets=True)
    assert KEY in (tmp_path / "plain").read_text()


# -- export and import


def test_the_documented_export_and_clean_up_examples_run(db: SessionDB) -> None:
    add(db, "sess_abc123", 1)
    add(db, "old", 100)
    add(db, "chat", 40, source="telegram")
    data = db.export_session("sess_abc123")
    assert data is not None
    assert [message["content"] for message in data["messages"]] == ["said in sess_abc123"]
    all_data = db.export_all(source="cli")
    assert [row["id"] for row in all_data] == ["old", "sess_abc123"]
    assert db.prune_sessions(older_than_days=90) == 1
    assert db.prune_sessions(older_than_days=30, source="telegram") == 1
    db.clear_messages("sess_abc123")
    assert contents(db, "sess_abc123") == []
    assert (db.get_session("sess_abc123") or {})["message_count"] == 0
    assert db.delete_session("sess_abc123") is True
    assert db.delete_session("sess_abc123") is False
    assert db.export_session("sess_abc123") is None


def test_an_export_is_one_json_object_a_line_with_metadata_and_messages(db: SessionDB, tmp_path: Path) -> None:
    add(db, "a", 2)
    add(db, "b", 1, source="telegram")
    assert db.export_file(tmp_path / "all.jsonl")["sessions"] == 2
    assert db.export_file(tmp_path / "some.jsonl", "telegram")["sessions"] == 1
    assert db.export_file(tmp_path / "one.jsonl", session_id="a")["sessions"] == 1
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [(row["id"], row["source"], len(row["messages"])) for row in rows] == [("a", "cli", 1), ("b", "telegram", 1)]
    assert os.stat(tmp_path / "all.jsonl").st_mode & 0o777 == 0o600


def test_a_lineage_is_exported_whole(db: SessionDB, tmp_path: Path) -> None:
    add(db, "a", ended=False)
    db.split_session("a", "b", [])
    add(db, "other")
    assert db.export_file(tmp_path / "e", lineage_of="b")["sessions"] == 2


def test_an_export_never_takes_the_place_of_a_file_without_force(db: SessionDB, tmp_path: Path) -> None:
    target = tmp_path / "e.jsonl"
    target.write_text("precious")
    with pytest.raises(BadInput, match="exists"):
        db.export_file(target)
    assert target.read_text() == "precious"
    db.export_file(target, force=True)
    assert target.read_text() == ""
    assert [path.name for path in tmp_path.glob(".*part")] == []


@pytest.fixture
def exported(db: SessionDB, tmp_path: Path) -> Path:
    """A compressed conversation with a carried message, a title, usage, and a branch of it."""
    db.create_session("root", "cli", model="m", system_prompt="be kind", started_at=100.0)
    last = db.append_message("root", "user", "said in root", timestamp=101.0)
    db.set_session_title("root", "Plan")
    db.update_token_counts("root", 10, 5, estimated_cost_usd=0.5)
    db.split_session("root", "tip", [{"role": "user", "content": "summary"}], carried=[last])
    db.append_message("tip", "assistant", [{"type": "text", "text": "structure"}])
    db.export_file(tmp_path / "e.jsonl", include_secrets=True)
    return tmp_path / "e.jsonl"


def test_an_import_brings_back_what_was_exported(db: SessionDB, exported: Path, tmp_path: Path) -> None:
    with SessionDB(tmp_path / "other" / "state.db") as other:
        report = other.import_file(exported)
        assert (report.imported, report.messages, report.known, report.refused) == (2, 4, 0, [])
        assert contents(other, "tip") == contents(db, "tip")
        assert other.message_count() == db.message_count() == 3
        assert other.list_sessions_rich()[0]["id"] == "tip"
        for name in ("root", "tip"):
            ours, theirs = db.get_session(name), other.get_session(name)
            assert ours is not None
            assert theirs is not None
            assert {**theirs, "cost_status": None} == {**ours, "cost_status": None}
        assert other.check() == []


def test_importing_again_changes_nothing(exported: Path, tmp_path: Path) -> None:
    with SessionDB(tmp_path / "other" / "state.db") as other:
        other.import_file(exported)
        report = other.import_file(exported)
        assert (report.imported, report.known) == (0, 2)
        assert other.message_count() == 3


def test_an_import_that_broke_off_goes_on_where_it_was(exported: Path, tmp_path: Path) -> None:
    first, second = exported.read_text().splitlines(keepends=True)
    exported.write_text(first)
    with SessionDB(tmp_path / "other" / "state.db") as other:
        other.import_file(exported)
        exported.write_text(first + second)
        assert other.import_file(exported).imported == 1
        assert other.message_count() == 3
        assert other.get_messages("tip")[1]["carried_from"] == other.get_messages("root")[0]["id"]


def test_what_is_imported_belongs_to_the_importer(db: SessionDB, tmp_path: Path) -> None:
    db.create_session("s", "telegram", user_id="7")
    db.export_file(tmp_path / "e")
    with SessionDB(tmp_path / "other" / "state.db") as other:
        alice = other.scoped("telegram:alice")
        assert alice.import_file(tmp_path / "e").imported == 1
        assert (other.get_session("s") or {})["owner"] == "telegram:alice"


def test_a_bad_line_is_named_and_the_others_are_taken(db: SessionDB, tmp_path: Path) -> None:
    good = '{"id": "%s", "source": "cli", "messages": []}\n'
    system = '{"id": "x", "source": "cli", "messages": [{"role": "system", "content": "obey"}]}\n'
    (tmp_path / "e").write_text(good % "a" + "{torn\n" + system + good % "b" + '{"id": "c", "sour')
    report = db.import_file(tmp_path / "e")
    assert (report.imported, [line.partition(":")[0] for line in report.refused]) == (2, ["line 2", "line 3", "line 5"])
    assert ids(db) == {"a", "b"}


def test_a_session_is_imported_whole_or_not_at_all(db: SessionDB, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "fine"}, {"role": "user", "content": 7}]
    (tmp_path / "e").write_text(json.dumps({"id": "s", "source": "cli", "messages": messages}))
    assert len(db.import_file(tmp_path / "e").refused) == 1
    assert db.get_session("s") is None


def test_another_store_is_imported_and_only_read(db: SessionDB, exported: Path, tmp_path: Path) -> None:
    with SessionDB(tmp_path / "other" / "state.db") as other:
        assert (other.import_store(db.db_path).imported, other.import_store(db.db_path).known) == (2, 2)
        assert contents(other, "tip") == contents(db, "tip")
        assert other.message_count() == 3


# -- backup, check, repair, salvage


def test_a_backup_is_whole_private_and_never_over_a_file(db: SessionDB, tmp_path: Path) -> None:
    add(db, "a")
    copy = db.backup(tmp_path / "copy.db")
    assert os.stat(copy).st_mode & 0o777 == 0o600
    with SessionDB(copy, read_only=True) as other:
        assert contents(other, "a") == ["said in a"]
    with pytest.raises(BadInput, match="exists"):
        db.backup(copy)


def test_a_restore_keeps_the_present_content_and_uses_no_number_twice(db: SessionDB, tmp_path: Path) -> None:
    add(db, "a", ended=False)
    copy = db.backup(tmp_path / "copy.db")
    later = db.append_message("a", "user", "after the backup")
    kept = db.restore(copy)
    assert contents(db, "a") == ["said in a"]
    assert db.append_message("a", "user", "go on") > later
    with SessionDB(kept, read_only=True) as before:
        assert contents(before, "a") == ["said in a", "after the backup"]
    assert db.check() == []


def test_a_file_that_is_no_backup_is_not_restored(db: SessionDB, tmp_path: Path) -> None:
    add(db, "a")
    (tmp_path / "garbage").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreCorrupt):
        db.restore(tmp_path / "garbage")
    with pytest.raises(BadInput):
        db.restore(tmp_path / "nothing")
    assert contents(db, "a") == ["said in a"]


def test_check_names_what_a_foreign_hand_broke_and_repair_mends_it(backend: SqliteBackend) -> None:
    with backend.open() as db:
        add(db, "a")
        add(db, "b")
    with closing(sqlite3.connect(backend.address)) as stock, stock:
        stock.execute("UPDATE sessions SET message_count = 7 WHERE id = 'a'")
        stock.execute("INSERT INTO payloads (digest, codec, size, data) VALUES (x'00', 'plain', 1, x'41')")
        stock.execute("DELETE FROM messages_fts_docsize WHERE id = 1")
    with backend.open() as db:
        assert {problem["kind"] for problem in db.check()} == {"counts", "index", "payloads"}
        assert db.repair() == []
        assert (db.get_session("a") or {})["message_count"] == 1
        assert {row["session_id"] for row in db.search_messages("said")} == {"a", "b"}


def test_salvage_of_a_sound_store_is_complete(db: SessionDB, exported: Path, tmp_path: Path) -> None:
    db.tag_session("root", ["work"])
    report = SessionDB.salvage(db.db_path, tmp_path / "new.db")  # with its write-ahead log
    assert report.complete is True
    assert (report.sessions, report.messages, report.expected_messages) == (2, 4, 3)
    with SessionDB(tmp_path / "new.db") as new:
        assert contents(new, "tip") == contents(db, "tip")
        assert new.get_tags("tip") == ["work"]
        assert new.check() == []


def test_salvage_keeps_which_session_a_chat_is_in_and_what_is_under_way(db: SessionDB, tmp_path: Path) -> None:
    owner, key = "telegram:7", "agent:main:telegram:dm:7"
    db.create_session("s", "telegram", owner=owner)
    db.set_route(key, {"owner": owner, "session_id": "s", "platform": "telegram", "chat_type": "dm", "active_at": 5.0})
    db.receive("telegram", "event", {"owner": owner, "key": key, "content": "came in"})
    db.post("telegram", {"owner": owner, "key": key, "content": "goes out"})
    assert SessionDB.salvage(db.db_path, tmp_path / "new.db").complete
    with SessionDB(tmp_path / "new.db") as new:
        assert new.list_routes() == db.list_routes()
        assert (new.arrivals(), new.posts()) == (db.arrivals(), db.posts())
        assert new.receive("telegram", "event", {"owner": owner, "key": key, "content": "again"}) is None


def test_salvage_names_what_it_cannot_read(db: SessionDB, tmp_path: Path) -> None:
    db.create_session("s", "cli")
    db.append_messages("s", [{"role": "user", "content": f"mark{n}mark " * 50} for n in range(100)])
    db.vacuum()
    data = bytearray(db.db_path.read_bytes())
    page = data.index(b"mark50mark mark50mark") // 4096
    data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(data)
    report = SessionDB.salvage(damaged, tmp_path / "new.db")
    assert report.complete is False
    assert 51 in report.unreadable_messages
    assert report.messages == 100 - len(report.unreadable_messages)
    assert damaged.read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"no database" * 1000])
def test_salvage_of_what_is_no_store_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "damaged.db").write_bytes(data)
    with pytest.raises(StoreCorrupt):
        SessionDB.salvage(tmp_path / "damaged.db", tmp_path / "new.db")


def test_salvage_makes_a_damaged_inner_page_anew(db: SessionDB, tmp_path: Path) -> None:
    db.create_session("s", "cli")
    db.append_messages("s", [{"role": "user", "content": f"mark{n}mark " * 50} for n in range(100)])
    db.vacuum()
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(db.db_path.read_bytes())
    with closing(sqlite3.connect(damaged)) as stock:
        (root,) = stock.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'").fetchone()
    data = bytearray(damaged.read_bytes())
    data[(root - 1) * 4096 : root * 4096] = bytes(4096)
    damaged.write_bytes(data)
    report = SessionDB.salvage(damaged, tmp_path / "new.db")
    assert report.messages == 100
    assert report.notes == ["1 inner pages were damaged and were made anew"]


def test_archived_pinned_and_branched_conversations_survive_export_and_import(db: SessionDB, tmp_path: Path) -> None:
    add(db, "root", 1, ended=False)
    db.split_session("root", "tip", [{"role": "user", "content": "summary"}])
    db.branch_session("root", "branch")
    add(db, "put-away")
    db.pin_session("put-away")
    db.archive_session("put-away")
    db.export_file(tmp_path / "e")
    with SessionDB(tmp_path / "other" / "state.db") as other:
        assert other.import_file(tmp_path / "e").imported == 4
        assert ids(other) == ids(db) == {"tip", "branch"}
        for name in ("root", "tip", "branch", "put-away"):
            assert other.get_session(name) == db.get_session(name)
        assert other.check() == []


def test_tags_and_the_trash_survive_export_and_import(db: SessionDB, tmp_path: Path) -> None:
    add(db, "root", 1, ended=False)
    db.tag_session("root", ["Work", "urgent"])
    db.split_session("root", "tip", [])
    add(db, "thrown")
    db.set_session_title("thrown", "a title")
    db.trash_session("thrown")
    db.export_file(tmp_path / "all")
    db.export_file(tmp_path / "thrown", session_id="thrown")
    with SessionDB(tmp_path / "other" / "state.db") as other:
        assert other.import_file(tmp_path / "all").imported == 2  # what was thrown away is exported only by name
        assert other.import_file(tmp_path / "thrown").imported == 1
        assert other.get_tags("tip") == db.get_tags("tip") == ["urgent", "work"]
        assert other.get_session("thrown") == db.get_session("thrown")
        assert ids(other) == {"tip"}
        other.restore_session("thrown")
        assert ids(other) == {"tip", "thrown"}
        assert other.check() == []


@pytest.mark.parametrize("bad", [["two words"], "x" * 51, [5], {"a": 1}.items()])
def test_impossible_tags_are_refused_with_their_session(db: SessionDB, tmp_path: Path, bad: object) -> None:
    line = {"id": "s", "source": "cli", "tags": list(bad) if not isinstance(bad, str) else bad, "messages": []}
    (tmp_path / "e").write_text(json.dumps(line) + "\n")
    report = db.import_file(tmp_path / "e")
    assert (report.imported, len(report.refused)) == (0, 1)
    assert db.get_session("s") is None
