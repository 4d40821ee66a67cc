"""Sessions out of the store and into it: export and import."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hermes.commands import choose
from hermes.commands.formats import FORMATS, SUFFIXES
from hermes.commands.reply import Reply, count, said
from hermes.errors import BadInput, NotFound
from hermes.store import SessionDB
from hermes.store.base import Row
from hermes.store.transfer import ImportReport, private_file

Progress = Callable[[int, int], None]
_NAMED = 10  # refusals that are told one by one


@dataclass(frozen=True, slots=True)
class What:
    """Which sessions to export: all, of one source, one session, or every part of its conversation."""

    source: str | None = None
    session: str | None = None
    lineage: bool = False


@dataclass(slots=True)
class _Tally:
    sessions: int = 0
    messages: int = 0
    secrets: int = 0
    parts: int = 1
    expected: int = 1


def export(
    db: SessionDB,
    target: Path | IO[bytes],
    what: What = What(),
    *,
    format: str | None = None,
    include_secrets: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Reply:
    """Write sessions to a file (complete or not at all, 0600) or to an open stream, secrets masked unless asked for."""
    if isinstance(target, Path) and target.is_dir():
        raise BadInput(f"{target} is a folder; name a file in it.")
    writer = FORMATS[format or _format_of(target)]
    tally = _Tally()
    rows = _counted(db, what, tally, include_secrets, progress)
    pieces = (piece.encode("utf-8", "backslashreplace") for piece in writer(rows))
    if isinstance(target, Path):
        with private_file(target, force=force) as out:
            _write(out, pieces)
    else:
        _write(target, pieces)
    return _exported(tally, target, what)


def _format_of(target: Path | IO[bytes]) -> str:
    return SUFFIXES.get(target.suffix.lower(), "jsonl") if isinstance(target, Path) else "jsonl"


def _write(out: IO[bytes], pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        out.write(piece)


def _counted(
    db: SessionDB, what: What, tally: _Tally, include_secrets: bool, progress: Progress | None
) -> Iterator[Row]:
    for row in _sessions(db, what, tally, include_secrets):
        tally.sessions += 1
        tally.messages += len(row["messages"])
        tally.secrets += row.get("_redacted", 0)
        yield row
        if progress is not None:
            progress(tally.sessions, tally.expected)


def _sessions(db: SessionDB, what: What, tally: _Tally, include_secrets: bool) -> Iterable[Row]:
    if what.session is None:
        tally.expected = db.session_count(what.source)
        return db.iterate_export(what.source, include_secrets=include_secrets)
    session_id = choose.to_read(db, what.session)
    tally.parts = len(db.get_lineage(session_id))
    if what.lineage:
        tally.expected = tally.parts
        return db.iterate_export(lineage_of=session_id, include_secrets=include_secrets)
    row = db.export_session(session_id, include_secrets=include_secrets)
    return [] if row is None else [row]


def _exported(tally: _Tally, target: Path | IO[bytes], what: What) -> Reply:
    where = f" to {target}" if isinstance(target, Path) else ""
    lines = [f"Exported {count(tally.sessions, 'session')}{where}"]
    if tally.secrets:
        lines.append(f"{count(tally.secrets, 'secret')} masked; --include-secrets keeps them.")
    if what.session is not None and tally.parts > tally.sessions:
        lines.append(f"The conversation has {tally.parts} parts; --lineage exports all of them.")
    data = {"sessions": tally.sessions, "messages": tally.messages, "secrets_masked": tally.secrets}
    if isinstance(target, Path):
        return said(*lines, data=data)
    return Reply(notices=tuple(lines[1:]))


def import_sessions(db: SessionDB, path: Path, *, keep_owners: bool = False, progress: Progress | None = None) -> Reply:
    """Take in sessions from our JSON Lines, or from another Hermes store, which is only read.

    From a file that is trusted, owners and system messages can be kept as they are.
    """
    _check_file(db, path)
    try:
        with path.open("rb") as file:
            is_store = file.read(16) == b"SQLite format 3\0"
        if is_store:
            report = db.import_store(path, progress=progress)
        else:
            report = db.import_file(path, keep_owners=keep_owners, progress=progress)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).") from error
    return _imported(report, path)


def _check_file(db: SessionDB, path: Path) -> None:
    if not path.exists():
        raise NotFound(f"{path} does not exist; name a JSONL export or another state.db.")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it.")
    # Never opened, not even to look: closing it would drop SQLite's locks on the open store.
    if os.path.samefile(path, db.db_path):
        raise BadInput(f"{path} is this store itself; there is nothing to import.")


def _imported(report: ImportReport, path: Path) -> Reply:
    lines = [f"Imported {count(report.imported, 'session')} ({count(report.messages, 'message')}) from {path}"]
    if report.known:
        lines.append(f"{count(report.known, 'session')} known already, left as they are.")
    if report.refused:
        lines.append(f"{len(report.refused):,} refused:")
        lines += [f"  {reason}" for reason in report.refused[:_NAMED]]
    if len(report.refused) > _NAMED:
        lines.append(f"  … and {len(report.refused) - _NAMED:,} more")
    data = {
        "imported": report.imported,
        "messages": report.messages,
        "known": report.known,
        "refused": list(report.refused),
    }
    return said(*lines, data=data, exit_code=2 if report.refused else 0)
