"""Row 14: many openers of an old file at once, a kill in the middle of an upgrade, first opens at once."""

import shutil
import time
from pathlib import Path

from hermes.errors import DiskFull, HermesError, MigrationFailed
from hermes.store import SessionDB
from tests.faults.children import ask, collect, kill, start, start_asking
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import check_stock

OLD = sorted((Path(__file__).parent.parent / "upgrades").glob("v*.db"))
_OPENERS = 8


@row(14)
def upgraded_together(run: Run) -> Outcome:
    errors: list[str] = []
    bad: list[str] = []
    for old in OLD if not run.quick else OLD[5::5]:
        store = run.fresh(old.stem) / "state.db"
        shutil.copy(old, store)
        errors += _open_together(store)
        bad += _state(store, ask(_counts, store))
    for _ in range(run.size(5, 1)):
        store = run.fresh("first") / "state.db"
        errors += _open_together(store)
        bad += _state(store, None)
    killed, torn = _killed(run)
    return Outcome(
        f"{_OPENERS} openers of each of {len(OLD)} old versions and of a new file; {killed} kills in mid-upgrade",
        f"open errors {len(errors)} {errors[:1] or ''}; bad end states {len(bad)} {bad[:1] or ''}; torn {torn}",
        not errors and not bad and not torn,
    )


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


def _counts(store: Path) -> int:
    with SessionDB(store) as db:
        return db.message_count()


def _state(store: Path, messages: int | None) -> list[str]:
    """What is wrong with the file as the stock library sees it."""
    found = _broken(store)
    backups = list(store.parent.glob("state.db.v*-backup-*"))
    if messages is not None and len(backups) != 1:
        found.append(f"{store.parent.name}: {len(backups)} backups")
    return found


def _broken(store: Path) -> list[str]:
    """A parent that was missing in the old file is missing still; everything else counts."""
    return [what for what in ask(check_stock, store).broken if not what.startswith("foreign key: ('sessions'")]


def _killed(run: Run) -> tuple[int, int]:
    """Kill an opener at a random moment of its upgrade; the next open must find a whole file, old or new."""
    kills, torn = run.size(60, 4), 0
    for number in range(kills):
        old = OLD[number % len(OLD)]
        store = run.fresh("kill") / "state.db"
        shutil.copy(old, store)
        child = start(_open, store, 0.0)
        time.sleep(run.rng.uniform(0.0, 0.25))
        kill([child])
        try:
            torn += bool(ask(_open, store, 0.0)) or bool(_broken(store))
        except (AssertionError, MigrationFailed, DiskFull):
            torn += 1
    return kills, torn
