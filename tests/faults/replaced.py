"""Row 7: files pulled away under a running store. Row 8: forks. Row 9: logs lost while nobody looked."""

import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hermes.errors import HermesError, StoreClosed, StoreReplaced
from hermes.store import SessionDB
from tests.faults.children import ask, from_outside
from tests.faults.failing import SAID, fill, killed_writer
from tests.faults.kills import kill_point
from tests.faults.rows import Outcome, Run, row


def _unlink(suffix: str) -> Callable[[Path], None]:
    return lambda store: os.unlink(f"{store}{suffix}")


def _put(suffix: str, content: bytes) -> Callable[[Path], None]:
    def put(store: Path) -> None:
        os.unlink(f"{store}{suffix}")
        Path(f"{store}{suffix}").write_bytes(content)

    return put


def _replace_by(name: str) -> Callable[[Path], None]:
    def replace(store: Path) -> None:
        shutil.copyfile(store.with_name(name), store.with_name("new"))
        store.with_name("new").rename(store)

    return replace


def _overwrite_by(name: str) -> Callable[[Path], None]:
    return lambda store: shutil.copyfile(store.with_name(name), store) and None


PULLS: dict[str, Callable[[Path], object]] = {
    "-wal unlinked": _unlink("-wal"),
    "-wal replaced by an empty one": _put("-wal", b""),
    "-wal replaced by another": _put("-wal", b"other" * 100),
    "-shm unlinked": _unlink("-shm"),
    "-shm replaced": _put("-shm", bytes(32768)),
    "file moved": lambda store: store.rename(store.with_name("moved.db")),
    "file deleted": lambda store: store.unlink(),
    "file replaced by another": _replace_by("other.db"),
    "file replaced by an older copy": _replace_by("older.db"),
    "overwritten in place by an older copy": _overwrite_by("older.db"),
    "overwritten in place by another": _overwrite_by("other.db"),
    "cut to nothing": lambda store: os.truncate(store, 0),
}
_PUT_THERE = {"file replaced by another": "other.db", "file replaced by an older copy": "older.db"}
_PUT_THERE |= {"overwritten in place by an older copy": "older.db", "overwritten in place by another": "other.db"}


@row(7)
def pulled_away(run: Run) -> Outcome:
    undetected: list[str] = []
    spoilt: list[str] = []
    lost = unsaved = 0
    for name in PULLS:
        folder = run.fresh("pull")
        ask(fill, folder / "other.db", 3)
        detected, acknowledged = ask(_pull, folder, name, run.size(330, 130))
        if not detected:
            undetected.append(name)
        missing = len(set(acknowledged) - set(ask(_all_kept, folder)))
        if name.startswith(("overwritten", "cut")):
            unsaved += missing
        else:
            lost += missing
        if name in _PUT_THERE and (folder / "state.db").read_bytes() != (folder / _PUT_THERE[name]).read_bytes():
            spoilt.append(name)
    return Outcome(
        f"{len(PULLS)} ways under a running writer: {', '.join(PULLS)}",
        f"detected before the next acknowledgement {len(PULLS) - len(undetected)}/{len(PULLS)} {undetected or ''}; "
        f"lost {lost}; destroyed by an overwrite itself, and reported, {unsaved}; files put there and spoilt "
        f"{len(spoilt)} {spoilt or ''}",
        not undetected and not lost and not spoilt,
    )


def _pull(folder: Path, name: str, count: int) -> tuple[bool, list[str]]:
    store = folder / "state.db"
    acknowledged: list[str] = []
    db = SessionDB(store)
    idle = SessionDB(store)  # another one that only closes in the end
    db.create_session("s", "cli")
    for number in range(count):
        if number == 10:
            db.backup(folder / "older.db")
        db.append_message("s", "user", f"text {number}")
        acknowledged.append(f"text {number}")
    from_outside(lambda: PULLS[name](store))
    try:
        db.append_message("s", "user", "after the pull")
        detected = False
    except StoreReplaced:
        detected = True
    except HermesError:
        detected = False
    db.close()
    idle.close()
    return detected, acknowledged


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


@row(8)
def forked(run: Run) -> Outcome:
    times = run.size(30, 3)
    refusals = tries = broken = 0
    for number in range(times):
        refused, tried, whole = ask(_fork, run.fresh() / "state.db", ("plain", "writing", "transaction")[number % 3])
        refusals += refused
        tries += tried
        broken += not whole
    return Outcome(
        f"{times} forks of an open store (idle, with threads that write, inside a transaction): the child reads, "
        "writes, searches and closes, and opens its own; then the parent goes on",
        f"refusals {refusals}/{tries}; stores of the parent that are not as they must be {broken}",
        refusals == tries and not broken,
    )


def _fork(store: Path, how: str) -> tuple[int, int, bool]:
    db = SessionDB(store)
    db.create_session("s", "cli")
    db.create_session("t", "cli")
    db.append_message("s", "user", "before")
    stop = threading.Event()
    counts: list[int] = []
    threads = [threading.Thread(target=_write_until, args=(db, stop, counts)) for _ in range(3 * (how == "writing"))]
    for thread in threads:
        thread.start()
    if how == "transaction":
        with db.transaction() as tx:
            tx.append_message("s", "user", "inside")
            refusals = _in_child(db, store, lambda: tx.append_message("s", "user", "no"))
    else:
        refusals = _in_child(db, store, lambda: db.append_message("s", "user", "no"))
    stop.set()
    for thread in threads:
        thread.join()
    db.append_message("s", "user", "after")
    db.close()
    with SessionDB(store) as again:
        said = [row["content"] for row in again.get_messages("s")]
        whole = said == (["before", "inside", "after"] if how == "transaction" else ["before", "after"])
        whole = whole and again.message_count("t") == sum(counts) and not again.check() and not again.notices
    return refusals, 5, whole


def _write_until(db: SessionDB, stop: threading.Event, counts: list[int]) -> None:
    number = 0
    while not stop.is_set():
        db.append_message("t", "user", f"{number}")
        number += 1
    counts.append(number)


def _in_child(db: SessionDB, store: Path, write: Callable[[], object]) -> int:
    """How much of what the child tries is refused; it can open the store anew, and read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        acts: list[Callable[[], Any]] = [
            write,
            lambda: db.get_messages("s"),
            lambda: db.search_messages("before"),
            lambda: db.create_session("u", "cli"),
            lambda: db.vacuum(),
        ]
        refused = sum(_is_refused(act) for act in acts)
        db.close()
        with SessionDB(store, read_only=True) as own:
            refused -= not own.get_messages("s")
        os.write(writing, bytes([refused]))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    answer = os.read(reading, 1)
    os.close(reading)
    return answer[0] if answer else 0


def _is_refused(act: Callable[[], Any]) -> bool:
    try:
        act()
    except StoreClosed:
        return True
    except BaseException:
        return False
    return False


@row(9)
def lost_logs(run: Run) -> Outcome:
    times = run.size(20, 2)
    detected = false_alarms = 0
    damages: dict[str, Callable[[Path, int], None]] = {"deleted": _delete, "cut": _cut, "a bit flipped": _flip}
    for number in range(times):
        for damage in damages.values():
            store = killed_writer(run.fresh("lost"))
            damage(Path(f"{store}-wal"), number)
            detected += _tells_numbers(ask(_notices, store))
        store = run.fresh("titles") / "state.db"
        ask(fill, store)
        kill_point(_set_titles_and_die, store)
        _delete(Path(f"{store}-wal"), number)
        detected += any("5 changes" in notice for notice in ask(_notices, store))
        false_alarms += bool(ask(_notices, killed_writer(run.fresh("clean"))))
    cases = times * (len(damages) + 1)
    return Outcome(
        f"after a kill, the log deleted, cut or with a bit flipped, and deleted with titles alone in it ({times} times "
        f"each); {times} clean kills",
        f"told with numbers {detected}/{cases}; false alarms {false_alarms}",
        detected == cases and false_alarms == 0,
    )


def _tells_numbers(notices: list[str]) -> bool:
    return any(f"{SAID}" in notice and ("missing" in notice or "empty" in notice) for notice in notices)


def _delete(log: Path, _number: int) -> None:
    log.unlink()


def _cut(log: Path, number: int) -> None:
    os.truncate(log, 32 + (log.stat().st_size - 32) * (number % 5 + 2) // 8)


def _flip(log: Path, number: int) -> None:
    data = bytearray(log.read_bytes())
    data[32 + (len(data) - 32) * (number % 5 + 1) // 7 + 100] ^= 0x10
    log.write_bytes(data)


def _set_titles_and_die(store: Path) -> None:
    """Everything before is in the file, five titles are in the log alone; nothing is closed."""
    db = SessionDB(store)
    for number in range(5):
        db.set_session_title("s", f"title {number}")
    os.kill(os.getpid(), signal.SIGKILL)


def _notices(store: Path) -> list[str]:
    with SessionDB(store) as db:
        return list(db.notices)
