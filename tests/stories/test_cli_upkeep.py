"""A store that needs care: backup, check, repair, salvage, and what `status` and `doctor` say."""

import json
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.stories import stock
from tests.unit.cli.program import AUTH, Done, Hermes, refused


def damage(store: Path) -> None:
    """A header that is none; the rest is as it was."""
    content = store.read_bytes()
    store.write_bytes(b"not a database!!" + content[16:])


def spoil_pages(store: Path) -> None:
    """Garbage over the pages in the middle; the file still opens."""
    content = bytearray(store.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = b"\xa5" * 8192
    store.write_bytes(content)


def test_a_backup_is_private_complete_and_restored_with_the_present_kept(home: Path, hermes: Hermes) -> None:
    assert hermes("sessions", "backup", "saved.db").code == 0
    assert stat.S_IMODE(Path("saved.db").stat().st_mode) == 0o600
    refused(hermes("sessions", "backup", "saved.db"), 2)
    hermes("sessions", "purge", AUTH, "--yes")
    kept = hermes("sessions", "restore-backup", "saved.db", answer="n\n")
    assert kept.err.startswith(f"Replace {home / 'state.db'} (4 sessions) with saved.db? The present content is kept")
    done = hermes("sessions", "restore-backup", "saved.db", "--yes")
    assert done.lines[0] == "Restored saved.db (5 sessions)."
    assert AUTH in hermes("sessions", "list").out
    assert Path(done.lines[1].removeprefix("What was there before is ")).exists()


def test_a_backup_without_a_name_lies_beside_the_store(home: Path, hermes: Hermes) -> None:
    path = json.loads(hermes("sessions", "backup", "--json").out)["path"]
    assert Path(path).parent == home


@pytest.mark.parametrize(("name", "code"), [("nowhere.db", 1), ("garbage.db", 3)])
def test_what_is_no_backup_is_refused_and_the_store_stays(name: str, code: int, home: Path, hermes: Hermes) -> None:
    Path("garbage.db").write_bytes(b"no database " * 1000)
    refused(hermes("sessions", "restore-backup", name, "--yes"), code)
    assert AUTH in hermes("sessions", "list").out


def test_wrong_counts_are_found_and_mended(home: Path, hermes: Hermes) -> None:
    stock.ask(home / "state.db", f"UPDATE sessions SET message_count = 99 WHERE id = '{AUTH}'")
    found = hermes("sessions", "check")
    assert found.code == 3
    assert f"session {AUTH} says 99 messages and has 1" in found.out
    assert found.lines[-1] == "Mend it: hermes sessions repair"
    assert [json.loads(line)["kind"] for line in hermes("sessions", "check", "--json").lines] == ["counts"]
    assert hermes("sessions", "repair") == Done(0, "Mended 1 problem.\n", "")
    assert hermes("sessions", "check") == Done(0, "Everything is as it should be.\n", "")
    assert hermes("sessions", "repair", "--rebuild-index").lines == ["Nothing needed mending."]


def test_a_store_that_cannot_be_opened_leads_to_salvage_and_restore(home: Path, hermes: Hermes) -> None:
    store = home / "state.db"
    hermes("sessions", "backup", "saved.db")
    damage(store)
    damaged = store.read_bytes()
    for action in (["check"], ["repair"]):
        line = refused(hermes("sessions", *action), 3)
        assert "restore-backup FILE" in line
        assert "repair --salvage NEW" in line
    asked = hermes("sessions", "restore-backup", "saved.db", answer="y\n")
    assert "Set it aside and put saved.db in its place? [y/N]" in asked.err
    assert asked.lines[0] == "Restored saved.db (5 sessions)."
    (kept,) = home.glob("state.db.damaged-*")
    assert kept.read_bytes() == damaged
    assert str(kept) in asked.lines[1]
    assert AUTH in hermes("sessions", "list").out


def test_a_damaged_store_is_not_replaced_by_something_damaged(home: Path, hermes: Hermes) -> None:
    damage(home / "state.db")
    Path("garbage.db").write_bytes(b"no database " * 1000)
    before = (home / "state.db").read_bytes()
    refused(hermes("sessions", "restore-backup", "garbage.db", "--yes"), 3)
    refused(hermes("sessions", "restore-backup", "nowhere.db", "--yes"), 1)
    assert (home / "state.db").read_bytes() == before


def test_salvage_saves_what_can_be_read_into_a_new_store(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        for number in range(400):
            db.append_message(AUTH, "user", f"message {number} " + "x" * 400)
    spoil_pages(home / "state.db")
    before = (home / "state.db").read_bytes()
    done = hermes("sessions", "repair", "--salvage", "saved.db")
    assert done.lines[0].startswith("Saved 5 sessions and ")
    assert done.lines[0].endswith("into saved.db")
    assert (home / "state.db").read_bytes() == before
    refused(hermes("sessions", "repair", "--salvage", "saved.db"), 2)
    damage(home / "state.db")
    assert hermes("sessions", "restore-backup", "saved.db", "--yes").code == 0
    assert AUTH in hermes("sessions", "list").out


def test_optimize_says_how_large_the_store_is(home: Path, hermes: Hermes) -> None:
    assert hermes("sessions", "optimize").lines[0].startswith("Optimized; the store takes 0.")


# -- status and doctor


def test_status_tells_where_everything_is(home: Path, hermes: Hermes) -> None:
    done = hermes("status")
    facts = dict(line.split(": ", 1) for line in done.lines)
    assert (facts["Home"], facts["Store"]) == (str(home), str(home / "state.db"))
    assert (facts["Sessions"], facts["Messages"], facts["Index"]) == ("5", "5", "up to date")
    assert facts["SQLite"].startswith("3.")
    assert json.loads(hermes("status", "--json").out)["sessions"] == 5


def test_status_of_a_damaged_store_says_so(home: Path, hermes: Hermes) -> None:
    damage(home / "state.db")
    done = hermes("status")
    assert done.code == 3
    assert "not a store" in done.lines[-1]


def test_the_doctor_finds_nothing_wrong_with_a_healthy_home(
    home: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1")
    done = hermes("doctor")
    assert (done.code, done.err) == (0, "")
    assert {line[0] for line in done.lines if not line.startswith(" ")} == {"✓"}
    subjects = [json.loads(line)["subject"] for line in hermes("doctor", "--json").lines]
    assert subjects[:7] == ["SQLite", "File system", "Permissions", "Schema", "Index", "Integrity", "Disk"]


def test_the_doctor_names_the_command_that_mends(home: Path, hermes: Hermes) -> None:
    store = home / "state.db"
    stock.ask(store, f"UPDATE sessions SET message_count = 99 WHERE id = '{AUTH}'")
    store.chmod(0o644)
    done = hermes("doctor")
    assert done.code == 3
    assert f"✗ Permissions: {store} can be read by others\n    fix: chmod 600 '{store}'\n" in done.out
    assert "✗ Integrity: counts: " in done.out
    assert "    fix: hermes sessions repair\n" in done.out


def test_the_doctor_finds_a_file_in_the_place_of_a_folder(home: Path, hermes: Hermes) -> None:
    shutil.rmtree(home / "logs", ignore_errors=True)
    (home / "logs").write_text("mine")
    done = hermes("doctor")
    assert done.code == 3
    assert f"✗ Folders: {home / 'logs'} is a file, and has to be a folder" in done.out
    assert f"    fix: mv '{home / 'logs'}' '{home / 'logs'}.old'\n" in done.out
    assert hermes("sessions", "list").code == 0


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (damage, "repair --salvage NEW"),
        (lambda store: stock.ask(store, "UPDATE schema_version SET version = 99"), "99, later than this Hermes knows"),
    ],
)
def test_the_doctor_looks_at_any_store(home: Path, hermes: Hermes, spoil: Callable[[Path], object], found: str) -> None:
    spoil(home / "state.db")
    done = hermes("doctor")
    assert (done.code, done.err) == (3, "")
    assert found in done.out


def test_the_doctor_does_not_upgrade_an_old_store(hermes_home: Path, hermes: Hermes) -> None:
    hermes_home.mkdir(mode=0o700)
    old = (Path(__file__).parents[1] / "upgrades" / "v06.db").read_bytes()
    store = hermes_home / "state.db"
    store.write_bytes(old)
    store.chmod(0o600)
    done = hermes("doctor")
    assert "! Schema: 6; upgraded to 12 at the next use, after a backup" in done.out
    assert store.read_bytes() == old


def test_a_store_somewhere_else_is_the_one_that_is_looked_after(home: Path, tmp_path: Path, hermes: Hermes) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    (home / "state.db").rename(elsewhere)
    (home / "config.yaml").write_text(f"sessions:\n  database: sqlite://{elsewhere}\n")
    assert f"Store: {elsewhere}" in hermes("status").lines
    assert hermes("sessions", "check").lines == ["Everything is as it should be."]
    damage(elsewhere)
    assert str(elsewhere) in hermes("doctor").out
    saved = hermes("sessions", "repair", "--salvage", "saved.db")
    assert saved.lines[0] == "Saved 5 sessions and 5 messages into saved.db"
    assert not (home / "state.db").exists()


OPEN = (
    "import sys; from hermes.store import SessionDB; db = SessionDB(); print('open', flush=True); sys.stdin.readline()"
)


def test_nothing_is_put_in_place_of_a_store_that_is_open_elsewhere(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "backup", "saved.db")
    with subprocess.Popen([sys.executable, "-c", OPEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        damage(home / "state.db")
        assert "open in another process" in refused(hermes("sessions", "restore-backup", "saved.db", "--yes"), 3)
        assert not list(home.glob("*.damaged-*"))
        other.communicate(b"\n", timeout=30)
    assert hermes("sessions", "restore-backup", "saved.db", "--yes").code == 0


def test_a_log_is_set_aside_with_its_store(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "backup", "saved.db")
    damage(home / "state.db")
    (home / "state.db-wal").write_bytes(b"the log")
    hermes("sessions", "restore-backup", "saved.db", "--yes")
    (kept,) = home.glob("state.db.damaged-*-wal")
    assert kept.read_bytes() == b"the log"
    assert kept.with_name(kept.name.removesuffix("-wal")).exists()
    assert hermes("sessions", "list").code == 0


def test_the_advice_about_a_damaged_store_can_be_followed(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "backup", "saved.db")
    damage(home / "state.db")
    line = refused(hermes("sessions", "list"), 3)
    advised = re.findall(r"`hermes (sessions [a-z-]+[^`]*)`", line)
    assert advised == ["sessions repair --salvage NEW", "sessions restore-backup FILE"]
    assert hermes("sessions", "restore-backup", "saved.db", "--yes").code == 0
    assert hermes("sessions", "list").code == 0
