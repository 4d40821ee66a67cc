"""Rows 12, 13, 15 and 16: the machine around the store: file systems, versions, clocks, permissions."""

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from contextlib import closing
from pathlib import Path

import apsw

from hermes.errors import HermesError, StoreCorrupt, StoreReplaced, StoreTooNew, StoreUnavailable
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
    warned = ask(_with_a_bad_sqlite, run.fresh() / "state.db")
    cases = len(MOUNTS) + 1 + len(BAD_SQLITE) + len(GOOD_SQLITE)
    return Outcome(
        f"{len(MOUNTS)} network file systems, {len(BAD_SQLITE)} SQLite versions with the bug, {len(GOOD_SQLITE)} not",
        f"told {told}/{cases}; at start-up: one notice of the version {warned}, on a network one notice and no WAL "
        f"{falls_back}",
        told == cases and falls_back and warned,
    )


def _with_a_bad_sqlite(store: Path) -> bool:
    apsw.sqlite_lib_version = lambda: BAD_SQLITE[-1]  # this process ends with the row
    with SessionDB(store) as db:
        return sum(BAD_SQLITE[-1] in notice for notice in db.notices) == 1


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
    stranger = run.fresh() / "state.db"
    ask(_make_strangers, stranger)
    untouched = ask(_is_left_alone, stranger)
    return Outcome(
        f"{len(cases)} files: a later Hermes, schemas 12, 17 and 22 without our mark; and a database without sessions",
        f"refused for writing with advice, unchanged, readable: {held}/{len(cases)}; the other left alone: {untouched}",
        held == len(cases) and untouched,
    )


def _make_strangers(path: Path) -> None:
    with closing(sqlite3.connect(path)) as stock:
        stock.execute("CREATE TABLE bookmarks (url TEXT)")
        stock.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
        stock.commit()


def _is_left_alone(path: Path) -> bool:
    before = path.read_bytes()
    refused = 0
    for read_only in (False, True):
        try:
            SessionDB(path, read_only=read_only).close()
        except StoreCorrupt as error:
            refused += "another program" in str(error)
    return refused == 2 and path.read_bytes() == before


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
    wide, resolved = ask(_permissions, run.fresh())
    refused = ask(_refusals, run.fresh())
    return Outcome(
        "umask 000: store, log, lock, reserve, backup, export, upgrade backup, salvage, rescue, reading copies; a "
        "symlinked store; a file, a folder and a lock that are another's or lead elsewhere",
        f"files wider than 0600 or folders than 0700: {len(wide)} {wide[:3] or ''}; symlink resolved {resolved}; "
        f"refused {sum(refused.values())}/{len(refused)} {[name for name, good in refused.items() if not good] or ''}",
        not wide and resolved and all(refused.values()),
    )


def _permissions(folder: Path) -> tuple[list[str], bool]:
    os.umask(0)
    home = folder / "new" / "home"
    store = home / "state.db"
    tempfile.tempdir = str(folder / "temporary")
    os.mkdir(tempfile.tempdir)
    db = SessionDB(store)
    db.create_session("s", "cli")
    db.append_message("s", "user", "large " * 400_000)
    for number in range(60):
        db.append_message("s", "user", f"message {number}")
    wide = _wide(home)
    db.backup(home / "copy.db")
    db.export_file(home / "all.jsonl")
    wide += _wide(home)
    db.close()
    SessionDB.salvage(store, home / "saved.db")
    for name in ("old.db", "older.db"):
        shutil.copy(Path(__file__).parent.parent / "upgrades" / "v06.db", home / name)
    SessionDB(home / "old.db").close()
    (home / "older.db").chmod(0o600)
    with SessionDB(home / "older.db", read_only=True):
        wide += _wide(Path(tempfile.tempdir))
    (folder / "link.db").symlink_to(store)
    with SessionDB(folder / "link.db") as linked:
        resolved = linked.db_path == store.resolve() and linked.message_count() == 61
        os.rename(store, home / "moved.db")
        try:
            linked.append_message("s", "user", "rescued")
        except StoreReplaced:
            pass
    wide += [] if list(home.glob("state.db.rescued-*")) else ["no rescue happened"]
    wide += _wide(home)
    wide += [str(path) for path in (home, home.parent) if stat.S_IMODE(path.stat().st_mode) != 0o700]
    return sorted(set(wide)), resolved


def _wide(folder: Path) -> list[str]:
    """Files and folders that others can read; a file in a private folder counts too."""
    files = [path for path in folder.rglob("*") if not path.is_symlink()]
    return [path.name for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077]


def _refusals(folder: Path) -> dict[str, bool]:
    """Only root can make files of another user; without that we become one ourselves."""
    (folder / "theirs").mkdir(mode=0o777)
    (folder / "theirs").chmod(0o777)
    (folder / "file.db").touch(mode=0o600)
    (folder / "locked.db.lock").symlink_to(folder / "elsewhere")
    linked = _is_refused(folder / "locked.db", "cannot be opened") and not (folder / "elsewhere").exists()
    if os.geteuid() == 0:
        os.chown(folder / "theirs", 12345, 12345)
        os.chown(folder / "file.db", 12345, 12345)
    else:
        os.geteuid = lambda: 12345  # type: ignore[assignment]  # this process ends with the row
    return {
        "another's file": _is_refused(folder / "file.db", "another user"),
        "another's folder": _is_refused(folder / "theirs" / "state.db", "another user"),
        "a lock that is a link": linked,
    }


def _is_refused(store: Path, why: str) -> bool:
    try:
        SessionDB(store)
    except StoreUnavailable as error:
        return why in str(error)
    return False
