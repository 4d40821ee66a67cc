"""Row 3: many writers and readers at once. Row 11: a reader that stays, and the write-ahead log meanwhile."""

import sqlite3
import threading
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from hermes.errors import HermesError
from hermes.store import SessionDB
from tests.faults.children import ask, collect, start_asking
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import check_stock

MB = 1024 * 1024


@row(3)
def contended(run: Run) -> Outcome:
    writers, readers, seconds = run.size(32, 8), run.size(4, 2), run.size(20, 2)
    store = run.fresh() / "state.db"
    ask(_make, store, writers)
    begin = time.time() + 0.5 + 0.05 * (writers + readers)
    crew = [start_asking(_write, store, f"s{i}", begin, seconds) for i in range(writers)]
    audience = [start_asking(_read, store, writers, begin, seconds) for _ in range(readers)]
    peak = _watch_log(store, begin + seconds)
    waits, errors = _gather(crew)
    reads, read_errors = _gather(audience)
    counts = sorted(len(each) for each in waits)
    stored = ask(_count, store)
    every = sorted(wait for each in waits for wait in each)
    spread = counts[-1] / max(1, counts[0])
    broken = ask(check_stock, store).broken
    return Outcome(
        f"{writers} writers and {readers} readers for {seconds} s: {len(every)} appends, {sum(map(len, reads))} reads",
        f"errors {len(errors) + len(read_errors)}; "
        f"p50 {_ms(every, 0.5)} p99 {_ms(every, 0.99)} max {_ms(every, 1)} ms; "
        f"most/least {counts[-1]}/{counts[0]} = {spread:.2f}; stored {stored}; log at most {peak:.1f} MB; "
        f"invariants broken {len(broken)}{(errors + read_errors)[:1]}",
        not errors and not read_errors and not broken and stored == len(every) and spread <= 2 and every[-1] <= 1,
    )


def _ms(waits: list[float], share: float) -> str:
    return f"{waits[min(len(waits) - 1, int(len(waits) * share))] * 1000:.0f}"


def _make(store: Path, writers: int) -> None:
    with SessionDB(store) as db:
        for number in range(writers):
            db.create_session(f"s{number}", "cli")


def _write(store: Path, session: str, begin: float, seconds: float) -> tuple[list[float], list[str]]:
    waits: list[float] = []
    return waits, _until(store, begin, seconds, lambda db: waits.append(_timed_append(db, session)))


def _timed_append(db: SessionDB, session: str) -> float:
    began = time.perf_counter()
    db.append_message(session, "user", "one more message " * 20)
    return time.perf_counter() - began


def _read(store: Path, writers: int, begin: float, seconds: float) -> tuple[list[float], list[str]]:
    reads: list[float] = []

    def look(db: SessionDB) -> None:
        began = time.perf_counter()
        db.list_sessions_rich(limit=20)
        db.get_messages(f"s{len(reads) % writers}", limit=50)
        reads.append(time.perf_counter() - began)
        time.sleep(0.01)

    return reads, _until(store, begin, seconds, look)


def _until(store: Path, begin: float, seconds: float, work: Callable[[SessionDB], object]) -> list[str]:
    """The same again and again until the time is over; what it raised."""
    try:
        with SessionDB(store) as db:
            time.sleep(max(0, begin - time.time()))
            while time.time() < begin + seconds:
                work(db)
    except HermesError as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def _gather(children: list[tuple[BaseProcess, Any]]) -> tuple[list[list[float]], list[str]]:
    answers = [collect(*child) for child in children]
    return [answer[0] for answer in answers], [error for answer in answers for error in answer[1]]


def _count(store: Path) -> int:
    with SessionDB(store) as db:
        return db.message_count()


def _log_size(store: Path) -> float:
    try:
        return store.with_name("state.db-wal").stat().st_size / MB
    except FileNotFoundError:
        return 0.0


def _watch_log(store: Path, until: float) -> float:
    """The largest the log was, in MB."""
    peak = 0.0
    while time.time() < until:
        peak = max(peak, _log_size(store))
        time.sleep(0.02)
    return peak


@row(11)
def long_reader(run: Run) -> Outcome:
    """A stranger reads for a while; then our own long operations run. The log grows with the first, and goes back."""
    store = run.fresh() / "state.db"
    size = run.size(24, 2) * MB
    ask(_make, store, 1)
    stranger = start_asking(_stay, store, run.size(8, 1))
    growing = start_asking(_grow, store, size)
    during = _watch_log(store, time.time() + run.size(8, 1))
    collect(*stranger)
    after = collect(*growing)
    ours = ask(_own_operations, store)
    return Outcome(
        f"a stranger's read transaction during {size // MB} MB of appends; then our own long operations",
        f"log {during:.1f} MB while it stayed, {after:.1f} MB after it left (limit 16); at most, and afterwards: "
        + ", ".join(f"{name} {peak:.1f}, {left:.1f}" for name, (peak, left) in ours.items())
        + " MB",
        after <= 16.1 and all(left <= 16.1 and peak <= 16 + 3 * size / MB for peak, left in ours.values()),
    )


def _stay(store: Path, seconds: float) -> None:
    """Another program with an open read transaction."""
    db = sqlite3.connect(store, isolation_level=None)
    db.execute("BEGIN")
    db.execute("SELECT COUNT(*) FROM messages").fetchone()
    time.sleep(seconds)
    db.close()


def _grow(store: Path, size: int) -> float:
    """Append that much, through the stranger's stay and beyond; the size of the log a little later."""
    text = "some words of a long message " * 140
    with SessionDB(store) as db:
        for _ in range(size // len(text)):
            db.append_message("s0", "user", text)
        deadline = time.time() + 30
        while time.time() < deadline and _log_size(store) > 16.1:
            db.append_message("s0", "user", "one more")
            time.sleep(0.01)
        return _log_size(store)


def _own_operations(store: Path) -> dict[str, tuple[float, float]]:
    """How long the log is during each of our own long operations, and after it. One transaction has to fit into it."""
    seen = {}
    with SessionDB(store) as db:
        for name, work in (
            ("rebuilding the index", db._engine.rebuild_index),
            ("replacing all messages", lambda: _replace(db)),
            ("deleting half", lambda: db.delete_messages_from("s0", _middle(db))),
            ("vacuum", db.vacuum),
        ):
            working = threading.Thread(target=work)
            working.start()
            peak = 0.0
            while working.is_alive():
                peak = max(peak, _log_size(store))
                working.join(0.005)
            seen[name] = (peak, _log_size(store))
    return seen


def _replace(db: SessionDB) -> None:
    db.replace_messages("s0", [{"role": "user", "content": row["content"]} for row in db.get_messages("s0")])


def _middle(db: SessionDB) -> int:
    rows = db.get_messages("s0")
    return int(rows[len(rows) // 2]["id"])
