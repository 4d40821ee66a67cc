"""Files of every old schema, opened: everything is there, in today's form, and the old file is kept."""

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from hermes.errors import MigrationFailed
from hermes.store.sqlite import upgrade
from hermes_state import SessionDB
from tests.upgrades.build import IMAGE, PROMPT
from tests.upgrades.conftest import fixture
from tests.upgrades.reading import content, rows

JSON_TEXT = "\0json:"
COUNTED_ANEW = {"message_count", "tool_call_count"}


def titles(db: SessionDB) -> dict[str, str]:
    return {row["id"]: row["title"] for row in db.search_sessions(limit=100) if row["title"]}


def said(text: Any) -> Any:
    """What an old content means."""
    if isinstance(text, str) and text.startswith(JSON_TEXT):
        try:
            return json.loads(text[len(JSON_TEXT) :])
        except ValueError:
            return text
    return text


def test_the_fixtures_are_what_the_builder_makes(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-m", "tests.upgrades.build", str(tmp_path)], cwd=root, check=True, timeout=60)
    for built in sorted(tmp_path.glob("v*.db")):
        assert content(built) == content(fixture(int(built.stem[1:]))), built.name


def test_every_fixture_is_small_and_says_its_version(version: int) -> None:
    assert fixture(version).stat().st_size < 150 * 1024
    assert rows(fixture(version), "schema_version") == [{"version": version}]


def test_every_session_is_there_with_every_old_column(store: Path, version: int) -> None:
    old = rows(store, "sessions")
    with SessionDB() as db:
        for row in old:
            now = db.get_session(row["id"])
            assert now is not None
            kept = {name: value for name, value in row.items() if name not in COUNTED_ANEW | {"title"}}
            assert {name: now[name] for name in kept} == kept
        assert db.session_count() == len(old)


def test_every_message_is_there_with_every_old_column(store: Path, version: int) -> None:
    old = rows(store, "messages")
    with SessionDB() as db:
        now = {m["id"]: m for row in db.search_sessions(limit=100) for m in db.get_messages(row["id"])}
    assert sorted(now) == [row["id"] for row in old]
    for row in old:
        expected = row | {"content": said(row["content"])}
        if row["tool_calls"] is not None:
            expected["tool_calls"] = json.loads(row["tool_calls"])
        assert {name: now[row["id"]][name] for name in row} == expected


def test_counts_are_counted_anew(store: Path, version: int) -> None:
    old = rows(store, "messages")
    with SessionDB() as db:
        for row in db.search_sessions(limit=100):
            own = [message for message in old if message["session_id"] == row["id"]]
            assert row["message_count"] == len(own)
            calls = sum(len(json.loads(message["tool_calls"])) for message in own if message["tool_calls"])
            assert row["tool_call_count"] == calls
        assert db.message_count() == len(old)


def test_old_rows_get_their_owner_from_source_and_user(store: Path, version: int) -> None:
    with SessionDB() as db:
        owners = {row["id"]: row["owner"] for row in db.search_sessions(limit=100)}
        assert (owners["first"], owners["nobody"], owners["silent"]) == ("local", "local", "local")
        assert (owners["cjk"], owners["chain-1"], owners["chain-3"]) == ("telegram:42", "discord:7", "discord:7")
        assert (owners["lost-1"], owners["lost-2"]) == ("telegram:42", "telegram:42")
        assert "lost-2" in [row["id"] for row in db.scoped("telegram:42").list_sessions_rich(limit=100)]
        seven = db.scoped("discord:7")
        assert [row["id"] for row in seven.list_sessions_rich()] == ["chain-3"]
        assert seven.get_session("first") is None


def test_lineages_are_known(store: Path, version: int) -> None:
    with SessionDB() as db:
        assert [row["id"] for row in db.get_lineage("chain-2")] == ["chain-1", "chain-2", "chain-3"]
        assert db.get_compression_tip("chain-1") == "chain-3"
        assert db.get_compression_tip("lost-1") == "lost-2"
        assert db.resolve_resume_session_id("chain-1") == "chain-3"
        lineages = {row["id"]: row["lineage_id"] for row in db.search_sessions(limit=100)}
        assert {lineages[part] for part in ("chain-1", "chain-2", "chain-3")} == {"chain-1"}
        assert (lineages["helper"], lineages["branch"], lineages["first"]) == ("helper", "branch", "first")


def test_lists_show_conversations_with_their_previews(store: Path, version: int) -> None:
    with SessionDB() as db:
        listed = {row["id"]: row for row in db.list_sessions_rich(limit=100)}
    assert {"chain-1", "chain-2", "helper", "trunk-helper"}.isdisjoint(listed)
    assert {"first", "cjk", "nobody", "silent", "chain-3", "trunk", "branch"} <= set(listed)
    assert listed["first"]["preview"] == "please list the files of my project, all of them, with sizes..."
    assert listed["cjk"]["preview"] == "修改youer服务端的配置，谢谢"
    chain = listed["chain-3"]
    assert (chain["preview"], chain["_lineage_root_id"], chain["input_tokens"], chain["output_tokens"]) == (
        "the end, so far", "chain-1", 150, 15,
    )  # fmt: skip
    old = {row["id"]: row for row in rows(fixture(version), "sessions")}
    assert chain["started_at"] == old["chain-1"]["started_at"]
    assert listed["silent"]["last_active"] == old["silent"]["started_at"]
    assert listed["first"]["last_active"] == old["first"]["started_at"] + 4


def test_parents_in_a_circle_and_a_parent_that_is_gone_survive(store: Path, version: int) -> None:
    with SessionDB() as db:
        parents = {row["id"]: row["parent_session_id"] for row in db.search_sessions(limit=100)}
        assert (parents["circle-a"], parents["circle-b"], parents["orphan"]) == ("circle-b", "circle-a", "gone")
        listed = {row["id"] for row in db.list_sessions_rich(limit=100)}
        assert {"circle-a", "circle-b", "orphan"} <= listed
        assert {row["id"] for row in db.get_ancestors("circle-a")} == {"circle-a", "circle-b"}
        assert {row["id"] for row in db.get_descendants("circle-b")} == {"circle-a", "circle-b"}
        assert db.get_compression_tip("circle-a") == "circle-a"
        assert db.get_messages_as_conversation("circle-a", include_ancestors=True) == [
            {"role": "user", "content": "round and round"}
        ]
        db.append_message("orphan", "user", "and still here")
        assert db.message_count("orphan") == 2


def test_one_ledger_row_opens_the_books_of_each_session(store: Path, version: int) -> None:
    old = rows(store, "sessions")
    with SessionDB() as db:
        ledger = {row["session"]: row for row in db.usage_by("session")}
        spent = {row["id"] for row in old if row["input_tokens"] or row["output_tokens"] or row.get("api_call_count")}
        assert set(ledger) == spent
        for row in old:
            if row["id"] in spent:
                assert ledger[row["id"]]["input_tokens"] == row["input_tokens"]
                assert ledger[row["id"]]["estimated_cost_usd"] == row.get("estimated_cost_usd")
        db.update_token_counts("first", 5, 5)
        assert {row["session"]: row for row in db.usage_by("session")}["first"]["input_tokens"] == 125


def test_long_prompts_are_whole(store: Path, version: int) -> None:
    with SessionDB() as db:
        assert [db.get_session(one)["system_prompt"] for one in ("first", "cjk")] == [PROMPT, PROMPT]  # type: ignore[index]


def test_the_old_file_is_kept_as_it_was(store: Path, version: int) -> None:
    with SessionDB() as db:
        (notice,) = db.notices
    (backup,) = upgrade.backups(store)
    assert backup.name.startswith(f"state.db.v{version}-backup-")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert content(backup) == content(fixture(version))
    assert f"from schema {version} to 12" in notice
    assert str(backup) in notice
    assert "hermes sessions undo-upgrade" in notice


def test_the_upgraded_file_is_ours_and_sound(store: Path, version: int) -> None:
    SessionDB().close()
    now = content(store)
    assert now["schema_version"] == [{"version": 12}]
    assert now["check"] == [("ok",)]
    connection = apsw.Connection(str(store))
    found = connection.execute("SELECT COUNT(*) FROM messages_fts WHERE messages_fts MATCH 'beginning'").fetchone()
    connection.close()
    assert found == (1,)


def test_the_second_open_has_nothing_to_do(store: Path, version: int) -> None:
    SessionDB().close()
    with SessionDB() as db:
        assert db.notices == []
        db.append_message("first", "user", "life goes on")
    assert len(upgrade.backups(store)) == 1


def test_an_old_file_can_be_read_without_being_touched(store: Path, version: int) -> None:
    before = store.read_bytes()
    with SessionDB(read_only=True) as db:
        assert db.session_count() == len(rows(fixture(version), "sessions"))
        assert db.get_compression_tip("chain-1") == "chain-3"
    assert store.read_bytes() == before
    assert upgrade.backups(store) == []


# -- what only some versions have


@pytest.mark.parametrize("version", [3])
def test_of_several_equal_titles_the_oldest_keeps_it(store: Path) -> None:
    with SessionDB() as db:
        assert titles(db) == {
            "v3-0": "notes", "v3-1": "notes #3", "v3-2": "notes #2", "v3-3": "notes #4", "v3-4": "計画 é",
            "v3-5": "telegram's own",
        }  # fmt: skip


@pytest.mark.parametrize("version", [4, 11])
def test_titles_are_kept_and_found(store: Path) -> None:
    with SessionDB() as db:
        assert titles(db)["v3-2"] == "notes #2"
        assert db.resolve_session_by_title("notes") == "v3-2"
        assert db.resolve_session_by_title("計画 é") == "v3-4"
        assert db.get_next_title_in_lineage("notes") == "notes #3"


@pytest.mark.parametrize("version", [11])
def test_lists_and_dicts_behind_nul_json_become_multimodal(store: Path) -> None:
    with SessionDB() as db:
        assert [m["content"] for m in db.get_messages("v11")] == [
            IMAGE, {"answer": "a 猫", "lone": "\ud83d"}, "\0json: is not always JSON", "a \0 in the middle",
        ]  # fmt: skip
        preview = {row["id"]: row["preview"] for row in db.list_sessions_rich(limit=100)}["v11"]
        assert preview == "what is on this picture?"
    stored = [row["content"] for row in rows(store, "messages") if row["session_id"] == "v11"]
    assert not [text for text in stored if "\0" in text]
    assert max(map(len, stored)) < 1000  # the picture went to the payloads


@pytest.mark.parametrize("version", [11])
def test_handoffs_and_meta_come_along(store: Path) -> None:
    with SessionDB() as db:
        assert db.get_handoff_state("v11") == {"state": "failed", "platform": "telegram", "error": "no such chat"}
        assert [row["id"] for row in db.list_pending_handoffs()] == ["pending"]
        assert db.get_meta("last_auto_prune") == "1700000000.0"


# -- files that have been through something


def write_as_another_program(path: Path, script: str) -> None:
    """Through the standard library's SQLite in a process of its own; `c` is the connection."""
    code = f"import sqlite3, os, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n{script}"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)


@pytest.mark.parametrize("version", [1, 6, 11])
def test_what_is_still_in_the_write_ahead_log_is_upgraded_too(store: Path, version: int) -> None:
    write_as_another_program(
        store,
        "c.execute('PRAGMA wal_autocheckpoint=0')\n"
        "c.execute(\"INSERT INTO sessions (id, source, started_at) VALUES ('last', 'cli', 5)\")\n"
        "os._exit(0)",
    )
    assert store.with_name("state.db-wal").stat().st_size > 0
    with SessionDB() as db:
        assert db.get_session("last") is not None
    (backup,) = upgrade.backups(store)
    assert [row["id"] for row in rows(backup, "sessions")][-1] == "last"


@pytest.mark.parametrize("version", [11])
def test_two_rows_of_schema_version_become_one(store: Path) -> None:
    write_as_another_program(store, "c.execute('INSERT INTO schema_version VALUES (11)')")
    SessionDB().close()
    assert rows(store, "schema_version") == [{"version": 12}]


@pytest.mark.parametrize("version", [1, 11])
def test_text_that_is_no_text_stops_nothing(store: Path, version: int) -> None:
    write_as_another_program(
        store,
        "c.execute(\"UPDATE messages SET content = CAST(x'66C3' AS TEXT) WHERE session_id = 'nobody'\")\n"
        "c.execute(\"UPDATE messages SET content = x'00FF41' WHERE session_id = 'orphan'\")\n"
        "c.execute(\"UPDATE sessions SET model = CAST(x'6DFF' AS TEXT) WHERE id = 'first'\")",
    )
    with SessionDB() as db:
        assert [m["content"] for m in db.get_messages("nobody")] == ["f\udcc3"]
        assert [m["content"] for m in db.get_messages("orphan")] == ["\0\udcffA"]
        assert db.get_session("first")["model"] == "m\ufffd"  # type: ignore[index]
        assert len(db.list_sessions_rich(limit=100)) > 8


# -- all or nothing


class Unlucky(Exception):
    """Something no step expects."""


@pytest.mark.parametrize("version", [1, 11])
@pytest.mark.parametrize("error", [Unlucky, MemoryError, OSError, apsw.FullError, KeyboardInterrupt])
@pytest.mark.parametrize("at", range(len(upgrade.STEPS) + 1))
def test_a_step_that_fails_leaves_the_file_as_it_was(
    store: Path, version: int, at: int, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: apsw.Connection) -> None:
        raise error("on purpose")

    steps = [*upgrade.STEPS[:at], fail, *upgrade.STEPS[at:]]
    monkeypatch.setattr(upgrade, "STEPS", steps)
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else MigrationFailed):
        SessionDB()
    assert content(store) == content(fixture(version))
    assert upgrade.backups(store) == []
    monkeypatch.undo()
    monkeypatch.setenv("HERMES_HOME", str(store.parent))
    with SessionDB() as db:
        assert db.session_count() == len(rows(fixture(version), "sessions"))


@pytest.mark.parametrize("version", [11])
def test_a_failure_says_that_the_file_is_as_it_was(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: apsw.Connection) -> None:
        raise Unlucky("on purpose")

    monkeypatch.setattr(upgrade, "STEPS", [fail])
    with pytest.raises(MigrationFailed, match=r"schema 11.*could not be upgraded and is as it was: on purpose"):
        SessionDB()


@pytest.mark.parametrize("version", [11])
def test_a_backup_that_is_there_already_is_never_overwritten(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade, "_stamp", lambda: "20250101-000000")
    earlier = store.with_name("state.db.v11-backup-20250101-000000")
    earlier.write_text("an earlier one")
    SessionDB().close()
    assert earlier.read_text() == "an earlier one"
    assert content(upgrade.backups(store)[-1]) == content(fixture(11))
