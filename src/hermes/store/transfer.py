"""Sessions out of the store and back in: JSON Lines, one session a line, and other Hermes stores.

Secrets are masked on the way out unless asked otherwise; a line says how many were. On the way in
nothing is trusted: lines have a limit, a session is taken whole or not at all, its owner is whoever
imports it, and importing the same file again changes nothing.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hermes.errors import BadInput, HermesError
from hermes.model.ids import check_id, sought_id
from hermes.model.ledger import COST_COLUMNS, COUNT_COLUMNS, USAGE_COLUMNS
from hermes.model.owners import LOCAL
from hermes.model.sources import check_source
from hermes.model.titles import sanitize_title
from hermes.store.base import ListQuery, Reader, Row, Writer
from hermes.store.checks import seconds, tags, text, texts
from hermes.store.encode import EncodedMessage, Payload
from hermes.store.operations import public
from hermes.store.sessions import SessionOperations
from hermes.store.titles import next_free_title, title_holder
from hermes.store.usage import check_usage

if TYPE_CHECKING:
    from hermes.model.usage import Usage

MAX_LINE = 256 * 1024 * 1024
_CHUNK = 1024 * 1024
_ALL = 2**31 - 1
_ARCHIVED, _TRASHED = 4, 5
Progress = Callable[[int, int], None]


class ImportReport:
    """What an import did. `refused` names each session that was not taken, and why."""

    def __init__(self) -> None:
        self.imported = 0
        self.messages = 0
        self.known = 0
        self.refused: list[str] = []


class TransferOperations(SessionOperations):
    def export_session(self, session_id: str, *, include_secrets: bool = False) -> Row | None:
        """One session with all its messages as a dict, or None."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            return _exported(reader, session_id, include_secrets)

    def export_all(self, source: str | None = None, *, include_secrets: bool = False) -> list[Row]:
        """Every session with its messages; `export_file` streams instead."""
        return list(self.iterate_export(source, include_secrets=include_secrets))

    def iterate_export(
        self, source: str | None = None, *, lineage_of: str | None = None, include_secrets: bool = False
    ) -> Iterator[Row]:
        """Sessions to export, parents before children, one in memory at a time, all of one moment."""
        with self._read_apart() as reader:
            for session_id in _export_ids(reader, source, lineage_of):
                row = _exported(reader, session_id, include_secrets)
                if row is not None:
                    yield row

    def export_file(
        self,
        path: Path | str,
        source: str | None = None,
        *,
        session_id: str | None = None,
        lineage_of: str | None = None,
        include_secrets: bool = False,
        force: bool = False,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        """Write JSON Lines: {sessions, messages, secrets}. The file appears when it is complete, readable by its
        owner alone; an existing file or a link is only replaced with `force`."""
        counts = {"sessions": 0, "messages": 0, "secrets": 0}
        with private_file(Path(path), force=force) as out, self._read_apart() as reader:
            ids = [session_id] if session_id is not None else _export_ids(reader, source, lineage_of)
            for number, one in enumerate(ids, 1):
                row = _exported(reader, one, include_secrets)
                if row is not None:
                    out.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
                    counts["sessions"] += 1
                    counts["messages"] += len(row["messages"])
                    counts["secrets"] += row.get("_redacted", 0)
                if progress is not None:
                    progress(number, len(ids))
        return counts

    def import_file(
        self, path: Path | str, *, keep_owners: bool = False, progress: Progress | None = None
    ) -> ImportReport:
        """Take in sessions from JSON Lines. Resumable: what is known already is left as it is.

        The sessions become the importer's own; the operator can `keep_owners` of a file that is trusted.
        """
        report = ImportReport()
        numbers: dict[int, int] = {}
        with Path(path).open("rb") as lines:
            size = os.fstat(lines.fileno()).st_size
            for number, line in enumerate(_lines(lines), 1):
                if line is None:
                    report.refused.append(f"line {number}: longer than {MAX_LINE:,} bytes")
                elif line.strip():
                    self._take_line(line, number, report, numbers, keep_owners)
                if progress is not None:
                    progress(lines.tell(), size)
        return report

    def _take_line(
        self, line: bytes, number: int, report: ImportReport, numbers: dict[int, int], keep_owners: bool
    ) -> None:
        try:
            session = json.loads(line, parse_constant=_no_number)
            if not isinstance(session, dict):
                raise BadInput("not a session")
            if not keep_owners:
                _check_roles(session)
            self._take(session, report, numbers, session.get("owner") if keep_owners else None)
        except (ValueError, RecursionError, HermesError) as error:
            report.refused.append(f"line {number}: {str(error)[:200]}")
        except MemoryError:
            report.refused.append(f"line {number}: {len(line):,} bytes are more than the memory here can hold")

    def import_store(self, path: Path | str, *, progress: Progress | None = None) -> ImportReport:
        """Take in every session of another Hermes store of any version; that file is only read."""
        from hermes.store.db import SessionDB

        report = ImportReport()
        numbers: dict[int, int] = {}
        with SessionDB(path, read_only=True, foreign=True) as other:
            with other._read() as reader:
                ids = _export_ids(reader, None, None)
            for number, session_id in enumerate(ids, 1):
                row = other.export_session(session_id, include_secrets=True)
                try:
                    if row is not None:
                        self._take(row, report, numbers, row["owner"] if self.scope is None else None)
                except HermesError as error:
                    report.refused.append(f"{session_id}: {error}")
                if progress is not None:
                    progress(number, len(ids))
        return report

    def _take(self, session: Row, report: ImportReport, numbers: dict[int, int], owner: str | None) -> None:
        """One session, whole or not at all."""
        known = self._import_session(session, numbers, owner)
        if known:
            report.known += 1
        else:
            report.imported += 1
            report.messages += len(session["messages"])

    def _import_session(self, session: Row, numbers: dict[int, int], owner: str | None) -> bool:
        messages = session.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise BadInput("a session needs a list of messages")
        rows = self._rows(messages)
        row, prompt = self._row_of(session, owner)

        def take(writer: Writer) -> bool:
            if writer.session(row["id"]) is not None:
                _note_numbers(messages, writer.messages(row["id"]), numbers)
                return True
            parent = session.get("parent_session_id")
            row["parent_session_id"] = parent if isinstance(parent, str) and writer.session(parent) else None
            if not writer.insert_session(row, prompt, branch=_is_branch(writer, session, row)):
                raise BadInput(f"session id '{row['id']}' cannot be used")
            self._fill(writer, session, row["id"], rows, numbers)
            _put_in_place(writer, session, row["id"])
            return False

        return self._write(take)

    def _row_of(self, session: Row, owner: str | None) -> tuple[Row, Payload | None]:
        config = session.get("model_config")
        row, prompt = self._session_row(
            check_id(session.get("id")),
            check_source(session.get("source")),
            session.get("model"),
            json.loads(config) if isinstance(config, str) else config,
            session.get("system_prompt"),
            session.get("user_id"),
            owner,
            session.get("started_at"),
        )
        row["owner"] = row["owner"] or LOCAL
        row |= {name: text(name, session.get(name)) for name in ("chat_id", "chat_type", "thread_id")}
        if session.get("ended_at") is not None:
            row["ended_at"] = seconds("ended_at", session["ended_at"])
            row["end_reason"] = text("end_reason", session.get("end_reason"))
        return row, prompt

    @staticmethod
    def _fill(
        writer: Writer, session: Row, session_id: str, rows: list[EncodedMessage], numbers: dict[int, int]
    ) -> None:
        """Messages (those that were carried along stay so), title, usage."""
        for message, encoded in zip(session["messages"], rows, strict=True):
            carried = message.get("carried_from")
            original = numbers.get(carried) if isinstance(carried, int) else None
            if original is not None:
                writer.carry_messages(session_id, [original])
                continue
            encoded.idempotency_key = None
            [stored] = writer.insert_messages(session_id, [encoded])
            if isinstance(message.get("id"), int):
                numbers[message["id"]] = stored
        title = sanitize_title(session.get("title"))
        stored_row = writer.session(session_id)
        if title is not None and stored_row is not None:
            taken = title_holder(writer, title, stored_row["owner"])
            writer.update_session(
                session_id, {"title": next_free_title(writer, title, stored_row["owner"]) if taken else title}
            )
        from hermes.model.usage import Usage

        usage = Usage(**{name: session[name] for name in USAGE_COLUMNS if session.get(name) is not None})
        check_usage(usage)
        if any(getattr(usage, name) < 0 for name in COUNT_COLUMNS) or min(_costs(usage), default=0) < 0:
            raise BadInput("tokens, calls and costs are 0 or more")
        if not usage.is_empty() and stored_row is not None:
            writer.add_usage(session_id, usage, stored_row["started_at"])


def _is_branch(writer: Writer, session: Row, row: Row) -> bool:
    """A conversation of its own, although its parent went on elsewhere."""
    parent = writer.session(row["parent_session_id"]) if row["parent_session_id"] else None
    if parent is None or parent["end_reason"] != "compression" or session.get("lineage_id") != row["id"]:
        return False
    return bool(row["started_at"] >= (parent["ended_at"] or 0))


def _put_in_place(writer: Writer, session: Row, session_id: str) -> None:
    """Pinned, tagged, archived or in the trash as it was."""
    stored = writer.session(session_id)
    if stored is None:
        return
    if session.get("pinned"):
        writer.update_session(session_id, {"pinned": 1})
    writer.set_tags([session_id], tags("tags", session.get("tags") or ()), ())
    for column, shelf in (("archived", _ARCHIVED), ("trashed", _TRASHED)):
        at = session.get(f"{column}_at")
        if at is not None:
            writer.put_away(stored["lineage_id"], column, seconds(f"{column}_at", at), shelf)


def _costs(usage: "Usage") -> list[float]:
    return [cost for name in COST_COLUMNS if (cost := getattr(usage, name)) is not None]


def _export_ids(reader: Reader, source: str | None, lineage_of: str | None) -> list[str]:
    """What to export, parents before children."""
    if lineage_of is not None:
        session = reader.session(sought_id(lineage_of))
        return [part["id"] for part in reader.parts(session["lineage_id"])] if session else []
    sources = None if source is None else texts("source", source)
    rows = reader.all_sessions(sources, _ALL, 0)
    archived = reader.conversations(ListQuery(sources=sources, shelf="archived", limit=_ALL))
    rows += [part for row in archived for part in reader.parts(row["lineage_id"])]
    return list(dict.fromkeys(row["id"] for row in sorted(rows, key=lambda row: row["started_at"])))


def _exported(reader: Reader, session_id: str, include_secrets: bool) -> Row | None:
    session = reader.session(session_id)
    if session is None:
        return None
    row = {**public(session), "tags": reader.tags(session_id), "messages": reader.messages(session_id)}
    return row if include_secrets else _masked(row)


def _masked(row: Row) -> Row:
    """The session with every secret masked; `_redacted` says how many there were."""
    from hermes.model.secrets import redact_value  # many patterns: only who exports needs them

    masked, count = redact_value(row)
    return {**masked, "_redacted": count}


def _no_number(word: str) -> None:
    raise BadInput(f"{word} is not JSON")


def _check_roles(session: Row) -> None:
    """A system message is an order to the model; only a file that is trusted may bring one."""
    messages = session.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "system":
            raise BadInput("it holds a system message; only a file the operator trusts may (keep_owners)")


def _note_numbers(messages: list[Row], stored: list[Row], numbers: dict[int, int]) -> None:
    """What an earlier run took in has its numbers already; what was carried from it finds them there."""
    if len(messages) == len(stored):
        for message, row in zip(messages, stored, strict=True):
            if isinstance(message.get("id"), int):
                numbers[message["id"]] = row["carried_from"] or row["id"]


def _lines(file: IO[bytes]) -> Iterator[bytes | None]:
    """Lines up to the limit; None for a longer one, which is skipped without being held in memory."""
    while line := file.readline(_CHUNK):
        if line.endswith(b"\n") or len(line) < _CHUNK:
            yield line
            continue
        start, length = file.tell() - len(line), len(line)
        while (rest := file.readline(_CHUNK)) and not rest.endswith(b"\n"):
            length += len(rest)
        length += len(rest)
        if length > MAX_LINE:
            yield None
        else:
            file.seek(start)
            yield file.read(length)


class private_file:
    """A file that appears complete or not at all, 0600; never in the place of another one without `force`."""

    def __init__(self, path: Path, *, force: bool) -> None:
        if path.is_dir():
            raise BadInput(f"{path} is a folder; name a file in it.")
        if not force and (path.is_symlink() or path.exists()):
            raise BadInput(f"{path} exists; choose another name, or use --force to replace it.")
        self._path = path
        self._force = force
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")

    def __enter__(self) -> IO[bytes]:
        try:
            descriptor = os.open(self._part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BadInput(f"{self._path} cannot be written ({error.strerror}); choose another place.") from error
        self._file = os.fdopen(descriptor, "wb")
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._file.flush()
                os.fsync(self._file.fileno())
            self._file.close()
            if kind is None:
                self._appear()
        finally:
            self._part.unlink(missing_ok=True)

    def _appear(self) -> None:
        """Take the name; without `force` never from a file that came there meanwhile."""
        if not self._force:
            try:
                os.link(self._part, self._path, follow_symlinks=False)
                return
            except FileExistsError:
                raise BadInput(f"{self._path} exists; choose another name, or use --force to replace it.") from None
            except OSError:  # a file system without links
                pass
        os.replace(self._part, self._path)
