"""The border: every SQLite error becomes one of ours, here and nowhere else."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from hermes.errors import (
    BadInput,
    DiskFull,
    HermesError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreIO,
    StoreReadOnly,
    StoreReplaced,
    StoreUnavailable,
)

# Both work on a store that cannot be opened.
_WAYS = (
    "save what can be read with `hermes sessions repair --salvage NEW`, or take `hermes sessions restore-backup FILE`"
)
_FULL = (DiskFull, "the disk is full; free some space and try again, nothing stored was lost")
_ADVICE: dict[type | int, tuple[type[HermesError], str]] = {
    # Where the extended code says more than the class.
    apsw.SQLITE_IOERR_SHMSIZE: _FULL,
    apsw.SQLITE_READONLY_DBMOVED: (StoreReplaced, "the file was moved or replaced while it was open; open it again"),
    apsw.BusyError: (StoreBusy, "another program keeps the store locked; close it or try again"),
    apsw.LockedError: (StoreBusy, "another program keeps the store locked; close it or try again"),
    apsw.FullError: _FULL,
    apsw.CorruptError: (StoreCorrupt, f"the file is damaged; {_WAYS}"),
    apsw.NotADBError: (StoreCorrupt, f"this is not a store; {_WAYS}"),
    apsw.FormatError: (StoreCorrupt, f"this is not a store; {_WAYS}"),
    apsw.EmptyError: (StoreCorrupt, f"the file is damaged; {_WAYS}"),
    apsw.ReadOnlyError: (StoreReadOnly, "the store can only be read here"),
    apsw.PermissionsError: (StoreReadOnly, "access was refused; check who owns the file"),
    apsw.CantOpenError: (StoreUnavailable, "it cannot be opened; check the path and its permissions"),
    apsw.AuthError: (StoreUnavailable, "access was refused"),
    apsw.NoLFSError: (StoreUnavailable, "the file system has no large files"),
    apsw.ProtocolError: (StoreBusy, "the lock protocol of the store failed; try again"),
    apsw.IOError: (StoreIO, "the disk reported an error; check it, then try again"),
    apsw.NoMemError: (StoreIO, "out of memory"),
    apsw.TooBigError: (BadInput, "this is more than one row can hold (about 1 GB)"),
    apsw.InterruptError: (StoreBusy, "the operation was interrupted"),
    apsw.ConnectionClosedError: (StoreClosed, "the store was closed; open it again"),
    apsw.ForkingViolationError: (StoreClosed, "the store was opened before fork(); open it anew in the child"),
    # Bugs of ours if they ever happen; still one line and a typed error for the caller.
    apsw.ConstraintError: (StoreError, "a rule of the schema was broken"),
    apsw.SQLError: (StoreError, "the schema is not the expected one; `hermes doctor` looks closer"),
    apsw.SchemaChangeError: (StoreBusy, "the schema changed meanwhile; try again"),
    apsw.MismatchError: (StoreError, "a value has the wrong type"),
    apsw.MisuseError: (StoreError, "the store was used wrongly"),
    apsw.RangeError: (StoreError, "the store was used wrongly"),
    apsw.InternalError: (StoreError, "an internal error of SQLite"),
    apsw.AbortError: (StoreError, "the operation was aborted"),
    apsw.NotFoundError: (StoreError, "something SQLite needs is missing"),
    apsw.BindingsError: (StoreError, "the store was used wrongly"),
    apsw.ThreadingViolationError: (StoreError, "the store was used wrongly"),
    apsw.IncompleteExecutionError: (StoreError, "the store was used wrongly"),
    apsw.ConnectionNotClosedError: (StoreError, "the store was used wrongly"),
    apsw.CursorClosedError: (StoreClosed, "the store was closed; open it again"),
    apsw.VFSNotImplementedError: (StoreUnavailable, "the file system lacks something SQLite needs"),
    apsw.VFSFileClosedError: (StoreClosed, "the store was closed; open it again"),
    apsw.ExecutionCompleteError: (StoreError, "the store was used wrongly"),
    apsw.ExecTraceAbort: (StoreError, "the operation was aborted"),
    apsw.ExtensionLoadingError: (StoreError, "an extension could not be loaded"),
    apsw.InvalidContextError: (StoreError, "the store was used wrongly"),
    apsw.NoFTS5Error: (StoreError, "this SQLite has no FTS5"),
}


def translated(error: apsw.Error, path: object) -> HermesError:
    for key in (getattr(error, "extendedresult", 0), *type(error).__mro__):
        if key in _ADVICE:
            ours, advice = _ADVICE[key]
            return ours(f"{path}: {advice} ({error}).")
    return StoreError(f"{path}: {error}.")


@contextmanager
def translating(path: object) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise translated(error, path) from error
    except UnicodeDecodeError as error:
        raise unreadable(path) from error


def unreadable(path: object) -> StoreCorrupt:
    """Text in the file that is no text."""
    return StoreCorrupt(f"{path}: the file is damaged; {_WAYS}.")
