"""Row 5: places that can only be read. Row 6: I/O errors."""

import os
import signal
from pathlib import Path

from hermes.errors import HermesError, StoreReadOnly
from hermes.store import SessionDB, preload  # noqa: F401  (nobody may not read Python's own folder)
from tests.faults.children import ask, kill, start
from tests.faults.disk import FailAt, fail_with
from tests.faults.mounts import make_read_only, small_disk
from tests.faults.rows import Outcome, Run, row

SAID = 30
_NOBODY = 65534


def fill(store: Path, count: int = SAID) -> None:
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        for number in range(count):
            db.append_message("s", "user", f"message number {number}")


def killed_writer(folder: Path) -> Path:
    """A store whose writer was killed: everything is in the log alone."""
    store, said = folder / "state.db", folder / "said"
    child = start(_fill_and_stay, store, said)
    for _ in range(3000):
        if said.exists():
            break
        child.join(0.01)
    kill([child])
    return store


def _fill_and_stay(store: Path, said: Path) -> None:
    db = SessionDB(store)
    db.create_session("s", "cli")
    for number in range(SAID):
        db.append_message("s", "user", f"message number {number}")
    said.touch()
    signal.pause()


@row(5)
def read_only_places(run: Run) -> Outcome:
    """Quick: permissions alone, which need no mount."""
    read = [_without_permission(run, logged) for logged in (False, True)]
    if not run.quick:
        with small_disk(run.fresh("ro"), 20_000) as disk:
            stores = [_store_in(disk, "closed", logged=False), _store_in(disk, "logged", logged=True)]
            make_read_only(disk)
            read += [ask(_reads_only, store, False) for store in stores]
    where = "a folder without write permission" + ("" if run.quick else " and a file system remounted read-only")
    return Outcome(
        f"{where}: a closed store, and one with a log whose writer was killed",
        f"reads, lists and searches complete, and it says so: {sum(read)}/{len(read)}",
        all(read),
    )


def _store_in(folder: Path, name: str, *, logged: bool) -> Path:
    (folder / name).mkdir()
    if logged:
        return killed_writer(folder / name)
    ask(fill, folder / name / "state.db")
    return folder / name / "state.db"


def _without_permission(run: Run, logged: bool) -> bool:
    """As an ordinary user, also when root runs this."""
    store = _store_in(run.fresh("denied"), "home", logged=logged)
    run.folder.chmod(0o711)
    store.parent.parent.chmod(0o711)
    for path in [*store.parent.iterdir(), store.parent]:
        if os.geteuid() == 0:
            os.chown(path, _NOBODY, _NOBODY)
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        return bool(ask(_reads_only, store, os.geteuid() == 0))
    finally:
        store.parent.chmod(0o700)


def _reads_only(store: Path, as_nobody: bool) -> bool:
    if as_nobody:
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    with SessionDB(store) as db:
        said = any("only be read" in notice for notice in db.notices)
        whole = len(db.get_messages("s")) == SAID and len(db.search_messages("number", limit=50)) == SAID
        try:
            db.append_message("s", "user", "no")
            return False
        except StoreReadOnly:
            return said and whole and db.read_only and len(db.list_sessions_rich()) == 1


@row(6)
def disk_errors(run: Run) -> Outcome:
    cases = [
        (kind, number, sticky, at_open)
        for kind in ("read", "write", "sync", "truncate")
        for sticky in (False, True)
        for at_open in (False, True)
        for number in range(1, run.size(31, 3))
    ]
    missing = doubled = downgraded = struck = 0
    untyped: list[str] = []
    for case in cases:
        store = run.fresh("eio") / "state.db"
        ask(fill, store, 5)
        acknowledged, hit, bad = ask(_with_failures, store, *case)
        struck += hit
        untyped += bad
        found = ask(_contents, store)
        missing += len(set(acknowledged) - set(found))
        doubled += len(found) - len(set(found))
        downgraded += store.read_bytes()[18:20] != b"\2\2"  # the header: write-ahead log
    return Outcome(
        f"an I/O error at the n-th read, write, sync or truncate, once and from then on, while open and while opening: "
        f"{len(cases)} runs, {struck} struck",
        f"missing {missing}, duplicates {doubled}, journal downgrades {downgraded} of {len(cases)}; "
        f"untyped errors {len(untyped)} {untyped[:1] or ''}",
        missing == doubled == downgraded == 0 and not untyped and struck > 0,
    )


def _with_failures(
    store: Path, kind: str, number: int, sticky: bool, at_open: bool
) -> tuple[list[str], int, list[str]]:
    """Append with idempotency keys, trying each again after an error; once the disk is well again, too."""
    fault = FailAt(kind, number, sticky, armed=at_open)
    fail_with(fault)
    acknowledged: list[str] = []
    untyped: list[str] = []
    db = _open(store, fault, untyped)
    for place in range(8):
        for attempt in range(3):
            fault.armed = attempt < 2
            try:
                db.append_message("s", "user", f"said {place}", idempotency_key=f"k{place}")
                acknowledged.append(f"said {place}")
                break
            except HermesError:
                continue
            except Exception as error:  # counted: the promise is a typed error
                untyped.append(repr(error))
    _close(db, untyped)
    fault.armed = False
    return acknowledged, int(fault.struck > 0), untyped


def _open(store: Path, fault: FailAt, untyped: list[str]) -> SessionDB:
    try:
        return SessionDB(store)
    except HermesError:
        pass
    except Exception as error:
        untyped.append(f"open: {error!r}")
    fault.armed = False
    return SessionDB(store)


def _close(db: SessionDB, untyped: list[str]) -> None:
    try:
        db.close()
    except HermesError:
        pass
    except Exception as error:
        untyped.append(f"close: {error!r}")


def _contents(store: Path) -> list[str]:
    with SessionDB(store) as db:
        return [row["content"] for row in db.get_messages("s")]
