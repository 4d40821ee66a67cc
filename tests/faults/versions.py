"""Row 14: many openers of an old file at once; kills and full disks in mid-upgrade; first opens at once."""

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from hermes.errors import DiskFull, HermesError, MigrationFailed
from hermes.store import SessionDB
from tests.faults.children import ask, collect, kill, start, start_asking
from tests.faults.disk import KillAt, SmallDisk, fail_with
from tests.faults.kills import kill_point
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import check_stock

OLD = sorted((Path(__file__).parent.parent / "upgrades").glob("v*.db"))
_OPENERS = 8


@row(14)
def upgraded_together(run: Run) -> Outcome:
    errors: list[str] = []
    bad: list[str] = []
    for old in OLD if not run.quick else OLD[5::5]:
        store = _old_store(run, old)
        before = ask(_counts, store)
        errors += _open_together(store)
        bad += _state(store, before)
    for _ in range(run.size(10, 1)):
        store = run.fresh("first") / "state.db"
        errors += _open_together(store)
        bad += _broken(store)
    killed = _kills(run, bad)
    full = _full_disks(run, bad)
    return Outcome(
        f"{_OPENERS} openers of each of {len(OLD)} old versions and of new files; in mid-upgrade {killed} kills (at "
        f"chosen changes of the disk, and among eight openers) and {full} full disks",
        f"open errors {len(errors)} {errors[:1] or ''}; bad end states {len(bad)} {bad[:1] or ''}",
        not errors and not bad,
    )


def _old_store(run: Run, old: Path) -> Path:
    store = run.fresh(old.stem) / "state.db"
    shutil.copy(old, store)
    return store


def _open_together(store: Path) -> list[str]:
    at = time.time() + 0.4
    crew = [start_asking(_open, store, at) for _ in range(_OPENERS)]
    return [error for child, here in crew if (error := collect(child, here))]


def _open(store: Path, at: float) -> str:
    time.sleep(max(0.0, at - time.time()))
    try:
        with SessionDB(store) as db:
            db.list_sessions_rich()
            db.search_messages("a")
    except HermesError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _counts(store: Path) -> tuple[int, int, int]:
    """Schema version, sessions and messages, as the stock library sees them."""
    with closing(sqlite3.connect(store)) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        [version] = (
            db.execute("SELECT MAX(version) FROM schema_version").fetchone() if "schema_version" in tables else [1]
        )
        return version, *(db.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in ("sessions", "messages"))


def _state(store: Path, before: tuple[int, int, int]) -> list[str]:
    """What is wrong with a store that was upgraded."""
    found = _broken(store)
    after = ask(_counts, store)
    if after != (12, *before[1:]):
        found.append(f"{store.parent.name}: {before} became {after}")
    backups = [path for path in store.parent.glob("state.db.v*-backup-*") if ask(_counts, path) == before]
    if not backups:
        found.append(f"{store.parent.name}: no good backup")
    return found


def _broken(store: Path) -> list[str]:
    """A parent that was missing in the old file is missing still; everything else counts."""
    return [what for what in ask(check_stock, store).broken if not what.startswith("foreign key: ('sessions'")]


def _kills(run: Run, bad: list[str]) -> int:
    """The next open after a kill must make a whole store of it, with a backup of what it was."""
    changes = ask(_upgrade_under, _old_store(run, OLD[-1]), 0, False)
    points = run.rng.sample(range(1, changes), min(changes - 1, run.size(120, 3)))
    for place, number in enumerate(points):
        store = _old_store(run, OLD[-1])
        before = ask(_counts, store)
        kill_point(_upgrade_under, store, number, place % 2 == 0)
        bad += _open_after(store, before)
    for number in range(run.size(22, 1)):
        store = _old_store(run, OLD[number % len(OLD)])
        before = ask(_counts, store)
        crew = [start(_open, store, 0.0) for _ in range(_OPENERS)]
        time.sleep(run.rng.uniform(0.0, 0.3))
        kill(crew)
        bad += _open_after(store, before)
    return len(points) + run.size(22, 1)


def _open_after(store: Path, before: tuple[int, int, int]) -> list[str]:
    error = ask(_open, store, 0.0)
    return [error] if error else _state(store, before)


def _upgrade_under(store: Path, number: int, torn: bool) -> int:
    fault = KillAt(number, torn, armed=True)
    fail_with(fault)
    SessionDB(store).close()
    return fault.count


def _full_disks(run: Run, bad: list[str]) -> int:
    """An upgrade that finds no room leaves the file as it was, and succeeds once there is some."""
    needed = ask(_upgrade_in, _old_store(run, OLD[-1]), 2**40)
    rooms = [run.rng.randrange(4096, needed) for _ in range(run.size(40, 2))]
    for room in rooms:
        store = _old_store(run, OLD[-1])
        before = ask(_counts, store)
        ask(_upgrade_in, store, room)
        bad += [f"{room}: not as it was"] if ask(_counts, store) not in (before, (12, *before[1:])) else []
        bad += _open_after(store, before)
    return len(rooms)


def _upgrade_in(store: Path, room: int) -> int:
    """How much it took; a disk that is too small is told as such."""
    fault = SmallDisk(room)
    fail_with(fault)
    try:
        SessionDB(store).close()
    except (MigrationFailed, DiskFull) as error:
        if "disk is full" not in str(error):
            raise
    return fault.most
