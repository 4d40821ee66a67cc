"""Rows 12, 13, 15 and 16: the machine around the store: file systems, versions, clocks, permissions."""

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hermes.errors import HermesError, StoreTooNew, StoreUnavailable
from hermes.store import SessionDB
from hermes.store.sqlite import connection, opening
from tests.faults.children import ask
from tests.faults.rows import Outcome, Run, row

MOUNTS = {
    "nfs4": "server:/x /home nfs4 rw 0 0",
    "cifs": "//server/x /home cifs rw 0 0",
    "fuse.sshfs": "me@server:/ /home/me fuse.sshfs rw 0 0",
    "9p": "host /home 9p rw 0 0",
}
BAD_SQLITE = ("3.7.0", "3.40.1", "3.44.5", "3.50.6", "3.51.2")
GOOD_SQLITE = ("3.44.6", "3.50.7", "3.51.3", "3.54.1")


@row(12)
def file_systems_and_versions(run: Run) -> Outcome:
    told = sum(
        connection.network_filesystem(Path("/home/me/.hermes/state.db"), f"/dev/x / ext4 rw 0 0\n{line}\n") == kind
        for kind, line in MOUNTS.items()
    )
    told += connection.network_filesystem(Path("/var/x"), "/dev/x / ext4 rw 0 0\nserver:/x /home nfs rw 0 0\n") is None
    told += sum(connection.sqlite_warning(version) is not None for version in BAD_SQLITE)
    told += sum(connection.sqlite_warning(version) is None for version in GOOD_SQLITE)
    falls_back = ask(_on_a_network, run.fresh() / "state.db")
    cases = len(MOUNTS) + 1 + len(BAD_SQLITE) + len(GOOD_SQLITE)
    return Outcome(
        f"{len(MOUNTS)} network file systems, {len(BAD_SQLITE)} SQLite versions with the bug, {len(GOOD_SQLITE)} not",
        f"told {told}/{cases}; without WAL and with one warning: {falls_back}",
        told == cases and falls_back,
    )


def _on_a_network(store: Path) -> bool:
    SessionDB(store).close()
    opening.network_filesystem = lambda _path: "nfs"  # type: ignore[assignment]  # this process ends with the row
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        db.append_message("s", "user", "over the network")
        warned = sum("network" in notice for notice in db.notices)
        works = db.search_messages("network") != []
        no_log = not Path(f"{store}-wal").exists()
    return warned == 1 and works and no_log


@row(13)
def foreign_schemas(run: Run) -> Outcome:
    cases = ((13, True), (12, False), (17, False), (22, False))
    held = sum(_foreign(run.fresh() / "state.db", version, ours) for version, ours in cases)
    return Outcome(
        f"{len(cases)} files: a later Hermes, and schemas 12, 17 and 22 without our mark",
        f"refused for writing with advice, unchanged, readable: {held}/{len(cases)}",
        held == len(cases),
    )


def _foreign(store: Path, version: int, ours: bool) -> bool:
    ask(_make, store)
    ask(_rewrite, store, version, ours)
    return bool(ask(_is_refused_and_readable, store))


def _make(store: Path) -> None:
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        db.append_message("s", "user", "from the future")


def _is_refused_and_readable(store: Path) -> bool:
    before = store.read_bytes()
    try:
        SessionDB(store).close()
        return False
    except StoreTooNew as error:
        advised = "read-only" in str(error)
    with SessionDB(store, read_only=True) as db:
        readable = [row["content"] for row in db.get_messages("s")] == ["from the future"]
        found = db.search_messages("future") != []
    return advised and readable and found and store.read_bytes() == before


def _rewrite(store: Path, version: int, ours: bool) -> None:
    with closing(sqlite3.connect(store)) as stock:
        stock.execute("UPDATE schema_version SET version = ?", (version,))
        if not ours:
            stock.execute("PRAGMA application_id = 0")
        stock.commit()
        stock.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@row(15)
def clock_jumps(run: Run) -> Outcome:
    misordered, pruned = ask(_jumping, run.fresh() / "state.db")
    return Outcome(
        "appends while the clock jumps a day back and forth, to 1970 and to 2100; pruning at each of these times",
        f"out of order {misordered}; wrongly pruned {pruned}",
        misordered == 0 and pruned == 0,
    )


def _jumping(store: Path) -> tuple[int, int]:
    real, now = time.time, [time.time]
    time.time = lambda: now[0]()  # type: ignore[assignment]  # this process ends with the row
    day = 86400.0
    clocks = {
        "right": real,
        "tomorrow": lambda: real() + day,
        "yesterday": lambda: real() - day,
        "1970": lambda: 1000.0,
        "2100": lambda: 4_102_444_800.0,
        "right again": real,
    }
    said: list[str] = []
    pruned = 0
    with SessionDB(store) as db:
        for name in ("ended", "open"):
            db.create_session(name, "cli")
        db.append_message("ended", "user", "keep me")
        db.end_session("ended", "user_exit")
        for name, clock in clocks.items():
            now[0] = clock
            for number in range(5):
                said.append(f"{name}/{number}")
                db.append_message("open", "user", said[-1])
            try:
                pruned += db.prune_sessions(older_than_days=90)
            except HermesError:
                pass  # a clock that cannot be right deletes nothing, and says so
            result = db.maybe_auto_prune_and_vacuum(retention_days=90, min_interval_hours=0)
            pruned += result["pruned"]
        stored = [row["content"] for row in db.get_messages("open")]
    return sum(one != other for one, other in zip(stored, said, strict=True)), pruned


@row(16)
def permissions(run: Run) -> Outcome:
    wide, resolved, refused = ask(_permissions, run.fresh())
    return Outcome(
        "umask 000: store, log, lock, backup, export, upgrade backup, salvage; a symlinked store; another user's file",
        f"files wider than 0600: {len(wide)} {wide[:3] or ''}; folders made 0700; symlink resolved {resolved}; "
        f"another's refused {refused}",
        not wide and resolved and refused,
    )


def _permissions(folder: Path) -> tuple[list[str], bool, bool]:
    os.umask(0)
    home = folder / "new" / "home"
    store = home / "state.db"
    db = SessionDB(store)
    db.create_session("s", "cli")
    for number in range(60):
        db.append_message("s", "user", f"message {number}")
    wide = _wide(home)
    db.backup(home / "copy.db")
    db.export_file(home / "all.jsonl")
    wide += _wide(home)
    db.close()
    SessionDB.salvage(store, home / "saved.db")
    shutil.copy(Path(__file__).parent.parent / "upgrades" / "v06.db", home / "old.db")
    SessionDB(home / "old.db").close()
    wide += _wide(home)
    wide += [str(path) for path in (home, home.parent) if stat.S_IMODE(path.stat().st_mode) != 0o700]
    (folder / "link.db").symlink_to(store)
    with SessionDB(folder / "link.db") as linked:
        resolved = linked.db_path == store.resolve() and linked.message_count() == 60
    return sorted(set(wide)), resolved, _refuses_anothers(folder)


def _wide(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077]


def _refuses_anothers(folder: Path) -> bool:
    """Only root can make a file of another user; without that the check is asked directly."""
    path = folder / "anothers.db"
    path.touch(mode=0o600)
    check: Callable[[], Any] = lambda: SessionDB(path)  # noqa: E731
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        os.geteuid = lambda: 12345  # type: ignore[assignment]  # this process ends with the row
    try:
        check()
    except StoreUnavailable as error:
        return "another user" in str(error)
    return False
