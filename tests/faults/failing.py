"""Rows 5 to 9: disks that cannot be written or fail, files pulled away under a running store, forks, lost logs."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

from hermes.errors import HermesError, StoreClosed, StoreReadOnly, StoreReplaced
from hermes.store import SessionDB
from tests.faults.children import ask, kill, start
from tests.faults.disk import FailAt, fail_with
from tests.faults.mounts import make_read_only, small_disk
from tests.faults.rows import Outcome, Run, row

_SAID = 30


def _fill(store: Path, count: int = _SAID) -> None:
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        for number in range(count):
            db.append_message("s", "user", f"message number {number}")


def _fill_and_stay(store: Path, said: Path) -> None:
    """Append, note each acknowledgement, and wait to be killed: everything is in the log alone."""
    db = SessionDB(store)
    db.create_session("s", "cli")
    for number in range(_SAID):
        db.append_message("s", "user", f"message number {number}")
    said.write_text(str(_SAID))
    signal.pause()


def _killed_writer(folder: Path) -> Path:
    store, said = folder / "state.db", folder / "said"
    child = start(_fill_and_stay, store, said)
    for _ in range(3000):
        if said.exists() and said.read_text():
            break
        child.join(0.01)
    kill([child])
    return store


# -- row 5


@row(5)
def read_only_disks(run: Run) -> Outcome:
    read = 0
    with small_disk(run.fresh("ro"), 20_000) as disk:
        stores = {"closed": disk / "closed" / "state.db", "with a log": disk / "log" / "state.db"}
        for name, store in stores.items():
            store.parent.mkdir()
            if name == "closed":
                ask(_fill, store)
            else:
                _killed_writer(store.parent)
        make_read_only(disk)
        read += sum(ask(_reads_only, store) for store in stores.values())
    return Outcome(
        "a file system remounted read-only, with a closed store and with one whose writer was killed",
        f"reads, lists and searches complete, and it says so: {read}/2",
        read == 2,
    )


def _reads_only(store: Path) -> bool:
    with SessionDB(store) as db:
        said = any("only be read" in notice for notice in db.notices)
        whole = len(db.get_messages("s")) == _SAID and len(db.search_messages("number", limit=50)) == _SAID
        try:
            db.append_message("s", "user", "no")
            return False
        except StoreReadOnly:
            return said and whole and db.read_only


# -- row 6


@row(6)
def disk_errors(run: Run) -> Outcome:
    cases = [(kind, number, sticky) for kind in ("read", "write", "sync") for sticky in (False, True)
             for number in range(1, run.size(40, 6))]  # fmt: skip
    missing = doubled = downgraded = struck = untyped = 0
    for kind, number, sticky in cases:
        store = run.fresh("eio") / "state.db"
        ask(_fill, store, 5)
        acknowledged, hit, bad = ask(_with_failures, store, kind, number, sticky)
        struck += hit
        untyped += bad
        found, mode = ask(_contents, store)
        missing += len(set(acknowledged) - set(found))
        doubled += len(found) - len(set(found))
        downgraded += mode != "wal"
    return Outcome(
        f"an I/O error at the n-th read, write or sync, once and from then on: {len(cases)} runs, {struck} struck",
        f"missing {missing}, duplicates {doubled}, downgrades {downgraded} of {len(cases)}; untyped errors {untyped}",
        missing == doubled == downgraded == untyped == 0 and struck > 0,
    )


def _with_failures(store: Path, kind: str, number: int, sticky: bool) -> tuple[list[str], int, int]:
    """Append with idempotency keys, trying each again after an error; once the disk is well again, too."""
    fault = FailAt(kind, number, sticky)
    fail_with(fault)
    acknowledged: list[str] = []
    untyped = 0
    db = SessionDB(store)
    fault.armed = True
    for place in range(8):
        for attempt in range(3):
            fault.armed = attempt < 2
            try:
                db.append_message("s", "user", f"said {place}", idempotency_key=f"k{place}")
                acknowledged.append(f"said {place}")
                break
            except HermesError:
                continue
            except Exception:  # counted: the promise is a typed error
                untyped += 1
    fault.armed = False
    db.close()
    return acknowledged, int(fault.struck > 0), untyped


def _contents(store: Path) -> tuple[list[str], str]:
    with SessionDB(store) as db:
        mode = db._engine._gate.connection.execute("PRAGMA journal_mode").fetchone()[0]  # type: ignore[attr-defined]
        return [row["content"] for row in db.get_messages("s")], str(mode)


# -- row 7


def _unlink_log(store: Path, _others: Path) -> None:
    Path(f"{store}-wal").unlink()


def _replace_log(store: Path, _others: Path) -> None:
    Path(f"{store}-wal").unlink()
    Path(f"{store}-wal").write_bytes(b"")


def _move_away(store: Path, _others: Path) -> None:
    store.rename(store.with_name("moved.db"))


def _replace(store: Path, others: Path) -> None:
    shutil.copyfile(others / "other.db", store.with_name("new"))
    store.with_name("new").rename(store)


def _overwrite_with_older(store: Path, others: Path) -> None:
    shutil.copyfile(others / "older.db", store)


def _overwrite_with_another(store: Path, others: Path) -> None:
    shutil.copyfile(others / "other.db", store)


_PULLS = (_unlink_log, _replace_log, _move_away, _replace, _overwrite_with_older, _overwrite_with_another)


@row(7)
def pulled_away(run: Run) -> Outcome:
    detected = lost = 0
    notes: list[str] = []
    for pull in _PULLS:
        folder = run.fresh(pull.__name__)
        ask(_fill, folder / "other.db", 3)
        found, acknowledged = ask(_pull, folder, pull.__name__)
        detected += found
        if pull in (_unlink_log, _replace_log, _move_away, _replace):
            kept = ask(_all_kept, folder)
            lost += len(set(acknowledged) - set(kept))
        if not found:
            notes.append(pull.__name__)
    return Outcome(
        "under a running writer: -wal unlinked, -wal replaced, the file moved, replaced, overwritten by an older copy "
        "and by another store",
        f"detected before the next acknowledgement {detected}/{len(_PULLS)} {notes or ''}; lost on unlink {lost}",
        detected == len(_PULLS) and lost == 0,
    )


def _pull(folder: Path, name: str) -> tuple[bool, list[str]]:
    store = folder / "state.db"
    acknowledged: list[str] = []
    db = SessionDB(store)
    db.create_session("s", "cli")

    def say(text: str) -> None:
        db.append_message("s", "user", text)
        acknowledged.append(text)

    for number in range(10):
        say(f"early {number}")
    if name == "_overwrite_with_older":
        db.backup(folder / "older.db")
    for number in range(120):
        say(f"later {number}")
    next(pull for pull in _PULLS if pull.__name__ == name)(store, folder)
    try:
        say("after the pull")
    except StoreReplaced:
        return True, acknowledged
    except HermesError as error:
        return "damaged" in str(error) or "replaced" in str(error), acknowledged
    finally:
        try:
            db.close()
        except HermesError:
            pass
    return False, acknowledged


def _all_kept(folder: Path) -> list[str]:
    """What is in the file, wherever it went, and in what was rescued."""
    found: list[str] = []
    for path in [folder / "state.db", folder / "moved.db", *folder.glob("state.db.rescued-*")]:
        if path.exists():
            try:
                with SessionDB(path, read_only=True) as db:
                    found += [row["content"] for row in db.get_messages("s")]
            except HermesError:
                continue
    return found


# -- row 8


@row(8)
def forked(run: Run) -> Outcome:
    refusals, tries, whole = ask(_fork, run.fresh() / "state.db")
    return Outcome(
        "fork while the store is open: the child reads, writes, searches and closes; then the parent goes on",
        f"refusals {refusals}/{tries}; the parent's messages complete: {whole}",
        refusals == tries and whole,
    )


def _fork(store: Path) -> tuple[int, int, bool]:
    db = SessionDB(store)
    db.create_session("s", "cli")
    db.append_message("s", "user", "before")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, bytes([_refusals(db)]))
        os._exit(0)
    os.waitpid(child, 0)
    refusals = os.read(reading, 1)[0]
    db.append_message("s", "user", "after")
    db.close()
    with SessionDB(store) as again:
        whole = [row["content"] for row in again.get_messages("s")] == ["before", "after"] and not again.check()
    return refusals, 4, whole


def _refusals(db: SessionDB) -> int:
    refused = 0
    acts: list[Any] = [
        lambda: db.append_message("s", "user", "from the child"),
        lambda: db.get_messages("s"),
        lambda: db.search_messages("before"),
        lambda: db.create_session("t", "cli"),
    ]
    for act in acts:
        try:
            act()
        except StoreClosed:
            refused += 1
    db.close()
    return refused


# -- row 9


@row(9)
def lost_logs(run: Run) -> Outcome:
    times = run.size(20, 3)
    damages = {"deleted": _delete, "cut": _cut, "a bit flipped": _flip}
    detected = false_alarms = 0
    for number in range(times):
        for damage in damages.values():
            store = _killed_writer(run.fresh("lost"))
            damage(Path(f"{store}-wal"), number)
            detected += any("missing" in notice or "empty" in notice for notice in ask(_notices, store))
        store = _killed_writer(run.fresh("clean"))
        false_alarms += bool(ask(_notices, store))
    cases = times * len(damages)
    return Outcome(
        f"after a kill, the log deleted, cut or with a bit flipped ({times} times each), and {times} clean kills",
        f"told with numbers {detected}/{cases}; false alarms {false_alarms}",
        detected == cases and false_alarms == 0,
    )


def _delete(log: Path, _number: int) -> None:
    log.unlink()


def _cut(log: Path, number: int) -> None:
    os.truncate(log, 32 + (log.stat().st_size - 32) * (number % 5 + 2) // 8)


def _flip(log: Path, number: int) -> None:
    data = bytearray(log.read_bytes())
    data[32 + (len(data) - 32) * (number % 5 + 1) // 7 + 100] ^= 0x10
    log.write_bytes(data)


def _notices(store: Path) -> list[str]:
    with SessionDB(store) as db:
        return list(db.notices)
