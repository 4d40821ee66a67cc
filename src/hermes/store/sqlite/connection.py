"""Opening the file: where it may lie, who may read it, and how SQLite is set up."""

import os
from pathlib import Path
from typing import NoReturn

import apsw

from hermes.errors import StoreClosed, StoreUnavailable
from hermes.paths import create_private_file, make_private_folder, tighten

BUSY_TIMEOUT_MS = 1000  # as documented; patience beyond it is the gate's
PAGE = 4096
WAL_LIMIT = 16 * 1024 * 1024
_FIXED_SQLITE = (3, 51, 3)  # the first with the WAL-reset corruption bug fixed
_NETWORK = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "fuse.s3fs", "afs", "ceph", "glusterfs", "davfs", "lustre")

apsw.config(apsw.SQLITE_CONFIG_LOG, None)


def prepare(path: Path, *, read_only: bool) -> Path:
    """Resolve the path once, make its folder and an empty private file; refuse what is another's."""
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise StoreUnavailable(f"{path} is a folder; name the database file in it.")
    if not path.parent.exists() and not read_only:
        _refusing(path, make_private_folder, path.parent)
    if path.parent.exists():
        _check_owner(path.parent, 0)
    if path.exists():
        _check_owner(path)
    elif read_only:
        raise StoreUnavailable(f"{path} does not exist; there is nothing to read yet.")
    if not read_only and can_write(path):
        _refusing(path, make_private_folder, path.parent)
        _refusing(path, create_private_file, path)
        for suffix in ("", "-wal", "-shm"):
            tighten(path.with_name(path.name + suffix))
    return path


def _refusing(path: Path, step: object, argument: Path) -> None:
    try:
        step(argument)  # type: ignore[operator]
    except OSError as error:
        raise StoreUnavailable(f"{path}: cannot be created ({error.strerror}); check the folder.") from error


def _check_owner(path: Path, *also: int) -> None:
    """Whoever owns the file or its folder could change what is in it, or put another file in its place."""
    owner = path.stat().st_uid
    if owner not in (os.geteuid(), *also):
        raise StoreUnavailable(
            f"{path} belongs to another user (uid {owner}); run as that user, or set HERMES_HOME to a folder of yours."
        )


def can_write(path: Path) -> bool:
    target = path if path.exists() else path.parent
    return os.access(target, os.W_OK) and os.access(path.parent, os.W_OK)


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=200)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.wal_autocheckpoint(0)  # the gate does it
    # The last one to close would move the log and delete whatever `-wal` lies at the path, also one
    # that belongs to a file put there meanwhile. So only a close that made sure does it.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute(
        "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=FAST;"
        "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16000;"
        f"PRAGMA journal_size_limit={WAL_LIMIT}"
    ).fetchall()  # one that answers with a row keeps the next from being run until the row is read
    return connection


def tidy_at_close(connection: apsw.Connection) -> None:
    """Let this connection's close move the log into the file and delete it, if nobody else is there."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


class ParentsConnection:
    """Stands where a connection was, in a forked child: using it is refused."""

    in_transaction = False

    def __init__(self, path: Path) -> None:
        self._path = path

    def __getattr__(self, _name: str) -> NoReturn:
        raise StoreClosed(f"{self._path} was opened before fork(); open it anew in the child process.")


def readable(path: Path, *, foreign: bool = False) -> Path:
    """A path SQLite can read from: the store itself, or a private copy of it.

    SQLite needs to write a `-shm` file to read a write-ahead log. Where nothing can be written, or should be, a
    store that has a log is copied, so that nothing that was acknowledged is missing.
    """
    in_place = can_write(path) and not (foreign and not _is_there(path, "-shm"))
    if in_place or not _has_wal(path):
        return path
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="hermes-read-"))
    for suffix in ("", "-wal"):
        create_private_file(folder / f"{path.name}{suffix}")
        shutil.copyfile(f"{path}{suffix}", folder / f"{path.name}{suffix}")
    return folder / path.name


def is_at_rest(path: Path) -> bool:
    """Whether the file alone is the store: nobody has it open, and nothing lies beside it."""
    return not _has_wal(path) and not _is_there(path, "-shm") and not _is_there(path, "-journal")


def connect_read_only(path: Path, *, at_rest: bool = False) -> apsw.Connection:
    """`at_rest`: nobody writes to it, so that it is read without the files SQLite would make beside it."""
    immutable = "" if can_write(path) and not at_rest else "&immutable=1"
    uri = f"{path.as_uri()}?mode=ro{immutable}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.execute("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16000").fetchall()
    return connection


def _has_wal(path: Path) -> bool:
    try:
        return os.stat(f"{path}-wal").st_size > 0
    except FileNotFoundError:
        return False


def size(path: Path) -> int:
    """Bytes on disk, the log among them."""
    beside = (f"{path}{suffix}" for suffix in ("", "-wal"))
    return sum(os.stat(name).st_size for name in beside if os.path.exists(name))


def _is_there(path: Path, suffix: str) -> bool:
    return os.path.lexists(f"{path}{suffix}")


def sqlite_warning(version: str | None = None) -> str | None:
    version = version or apsw.sqlite_lib_version()
    numbers = tuple(int(part) for part in version.split("."))
    fixed = numbers >= _FIXED_SQLITE or (numbers[:2] in ((3, 50), (3, 44)) and numbers[2] >= {50: 7, 44: 6}[numbers[1]])
    if fixed:
        return None
    return f"SQLite {version} can corrupt a store in WAL mode; upgrade apsw (`pip install -U apsw`)."


def network_filesystem(path: Path, mounts: str | None = None) -> str | None:
    """The type of the network file system `path` lies on, or None for a local disk."""
    if mounts is None:
        try:
            if os.major(os.stat(path).st_dev):  # a device of this machine; only what has none can be far away
                return None
            mounts = Path("/proc/self/mounts").read_text(errors="replace")
        except OSError:
            return None
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = str(path) == point or str(path).startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind if kind.startswith(_NETWORK) else None
