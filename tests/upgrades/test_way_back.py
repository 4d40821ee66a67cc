"""From an upgraded store back to the file it was."""

import fcntl
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes.errors import BadInput, StoreBusy
from hermes.store.sqlite import upgrade
from hermes.store.sqlite.guard import Guard
from hermes_state import SessionDB
from tests.upgrades.conftest import fixture
from tests.upgrades.reading import content, rows


@pytest.fixture
def guard(store: Path) -> Iterator[Guard]:
    guard = Guard(store.with_name("state.db.lock"))
    yield guard
    guard.close()


@pytest.fixture
def backup(store: Path) -> Path:
    """The store, upgraded and written to; what this returns is the file it was."""
    with SessionDB() as db:
        db.append_message("first", "user", "said after the upgrade")
    return upgrade.backups(store)[-1]


@contextmanager
def another_process(code: str, *arguments: str) -> Iterator[None]:
    """Runs `code` in a child until the block ends; `ready()` in it lets the block begin."""
    prelude = "import sys\ndef ready():\n    print('ready', flush=True)\n    sys.stdin.read()\n"
    child = subprocess.Popen(
        [sys.executable, "-c", prelude + code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield
    finally:
        child.communicate(timeout=30)


def beside(store: Path) -> set[str]:
    return {found.name for found in store.parent.iterdir()}


def test_the_store_is_again_what_it_was_and_the_upgraded_one_is_kept(
    store: Path, backup: Path, guard: Guard, version: int
) -> None:
    kept = upgrade.restore(store, backup, guard)
    assert kept is not None
    assert content(store) == content(fixture(version))
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert kept.name.startswith("state.db.upgraded-")
    assert beside(store) == {"state.db", "state.db.lock", "state.db.reserve", backup.name, kept.name}
    with SessionDB(kept) as db:
        assert db.get_messages("first")[-1]["content"] == "said after the upgrade"
    assert content(backup) == content(fixture(version))


@pytest.mark.parametrize("version", [11])
def test_there_and_back_again_any_number_of_times(store: Path, guard: Guard, version: int) -> None:
    for times in range(1, 4):
        with SessionDB() as db:
            assert len(db.notices) == 1
            assert db.session_count() == len(rows(fixture(version), "sessions"))
        found = upgrade.backups(store)
        assert len(found) == times
        upgrade.restore(store, found[-1], guard)
        assert content(store) == content(fixture(version))


HOLDERS = {
    "hermes": "from hermes_state import SessionDB\ndb = SessionDB(sys.argv[1])\ndb.session_count()\nready()",
    "a reader": "from hermes_state import SessionDB\ndb = SessionDB(sys.argv[1], read_only=True)\ndb.stats()\nready()",
    "an exclusive lock": "import sqlite3\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "c.execute('BEGIN EXCLUSIVE')\nready()",
    "an idle shell": "import sqlite3\nc = sqlite3.connect(sys.argv[1])\n"
    "c.execute('SELECT 1 FROM sessions').fetchall()\nready()",
}


@pytest.mark.parametrize("version", [11])
@pytest.mark.parametrize("holder", HOLDERS)
def test_a_store_that_somebody_has_open_is_left_alone(store: Path, backup: Path, guard: Guard, holder: str) -> None:
    with another_process(HOLDERS[holder], str(store)):
        with pytest.raises(StoreBusy, match="open in another process"):
            upgrade.restore(store, backup, guard)
        assert not [name for name in beside(store) if "upgraded" in name or "restoring" in name]
    with SessionDB() as db:
        assert db.get_messages("first")[-1]["content"] == "said after the upgrade"
    assert upgrade.restore(store, backup, guard) is not None


@pytest.mark.parametrize("version", [11])
def test_a_writer_in_line_is_waited_for_and_then_it_is_busy(
    store: Path, backup: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "RESTORE_PATIENCE_S", 0.2)
    with open(guard.path) as line:
        fcntl.flock(line, fcntl.LOCK_EX)
        with pytest.raises(StoreBusy):
            upgrade.restore(store, backup, guard)
        fcntl.flock(line, fcntl.LOCK_UN)
    assert rows(store, "schema_version") == [{"version": 12}]


@pytest.mark.parametrize("version", [11])
def test_only_a_store_of_an_earlier_schema_can_be_gone_back_to(store: Path, backup: Path, guard: Guard) -> None:
    folder = store.parent
    garbage, empty, torn = folder / "garbage", folder / "empty", folder / "torn"
    garbage.write_bytes(b"no database " * 1000)
    empty.touch()
    torn.write_bytes(backup.read_bytes()[: 20 * 4096])
    with SessionDB(folder / "current.db") as current:
        current.create_session("s", "cli")
    before = content(store)
    for wrong in (garbage, empty, torn, folder / "current.db", store, folder, folder / "missing"):
        with pytest.raises(BadInput, match=wrong.name):
            upgrade.restore(store, wrong, guard)
    assert content(store) == before
    assert not [name for name in beside(store) if "upgraded" in name or "restoring" in name]


@pytest.mark.parametrize("version", [11])
def test_a_store_that_is_gone_is_put_back(store: Path, backup: Path, guard: Guard, version: int) -> None:
    store.unlink()
    assert upgrade.restore(store, backup, guard) is None
    assert content(store) == content(fixture(version))


@pytest.mark.parametrize("version", [11])
def test_a_damaged_store_is_put_aside_with_what_belongs_to_it(
    store: Path, backup: Path, guard: Guard, version: int
) -> None:
    store.write_bytes(b"\xff" * 8192)
    store.with_name("state.db-wal").write_bytes(b"stale")
    kept = upgrade.restore(store, backup, guard)
    assert kept is not None
    assert kept.read_bytes() == b"\xff" * 8192
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"stale"
    assert content(store) == content(fixture(version))
    assert not store.with_name("state.db-wal").exists()


@pytest.mark.parametrize("version", [11])
def test_a_disk_that_fills_up_meanwhile_changes_nothing(
    store: Path, backup: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = content(store)
    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="No space"):
        upgrade.restore(store, backup, guard)
    assert content(store) == before
    assert not [name for name in beside(store) if "restoring" in name]
