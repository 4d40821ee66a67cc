"""Care for data over years: delete, prune, trash, archive, pin, tags, automatic maintenance."""

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hermes.errors import BadInput, HermesError, SessionNotFound
from hermes.model.ids import check_id, sought_id
from hermes.store.base import ListQuery, PruneQuery, Row, Writer
from hermes.store.checks import path, tags, text, texts
from hermes.store.operations import Operations, public
from hermes.store.titles import next_free_title, title_holder

DAY = 86400.0
LATEST_PLAUSIBLE = 3_345_000_000.0  # the year 2076: a clock that says more is wrong, and nothing is deleted by it
_LAST_RUN = "last_auto_prune"
_LAST_EMPTIED = "last_trash_emptied"
_ARCHIVED, _TRASHED = 4, 5
_TOO_LONG = 1_000_000_000  # days, or hours
log = logging.getLogger("hermes.store")


class CareOperations(Operations):
    # -- final

    def delete_session(self, session_id: str, sessions_dir: Path | str | None = None) -> bool:
        """Delete one session and its messages for good; False when there is none. Its children stay, without a
        parent; what it cost stays in the ledger, without ids. Transcript files of exactly that id go too."""
        session_id = sought_id(session_id)
        folder = None if sessions_dir is None else path("sessions_dir", sessions_dir)
        gone = self._write(lambda writer: writer.delete_session(session_id))
        if gone and folder is not None:
            remove_transcripts(folder, session_id)
        return gone

    def delete_lineage(self, session_id: str, sessions_dir: Path | str | None = None) -> int:
        """Delete every part of the conversation a session belongs to, for good. Returns how many parts."""
        parts = self._parts(session_id)
        for part in reversed(parts):
            self.delete_session(part, sessions_dir)
        return len(parts)

    def prune_sessions(
        self,
        older_than_days: float = 90,
        source: str | None = None,
        sessions_dir: Path | str | None = None,
        *,
        tag: str | None = None,
        archived: bool | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Delete ended conversations without activity for so many days; returns how many sessions went.

        A compressed conversation goes as a whole, by its last activity; pinned ones stay. One session is one
        transaction, so that nobody who writes meanwhile waits for the others.
        """
        rows = self.prunable_sessions(older_than_days, source, tag=tag, archived=archived)
        ids = [session_id for row in rows for session_id in row["ids"]]
        gone = 0
        for session_id in ids:
            gone += self.delete_session(session_id, sessions_dir)
            self._tidy_index()
            if progress is not None:
                progress(gone, len(ids))
        return gone

    def prunable_sessions(
        self,
        older_than_days: float = 90,
        source: str | None = None,
        *,
        tag: str | None = None,
        archived: bool | None = None,
    ) -> list[Row]:
        """What `prune_sessions` would delete: a row a conversation (lineage_id, last_active, source, messages, ids)."""
        older_than_days = _number("older_than_days", older_than_days)
        now = self._now()
        if now > LATEST_PLAUSIBLE:
            raise BadInput("The clock of this machine is far in the future; set it right before deleting by age.")
        sources = None if source is None else texts("source", source)
        query = PruneQuery(now - older_than_days * DAY, sources, text("tag", tag), archived)
        with self._read() as reader:
            rows = reader.prunable(query)
        return [{**row, "ids": json.loads(row["ids"])} for row in rows]

    def maybe_auto_prune_and_vacuum(
        self,
        retention_days: float = 90,
        min_interval_hours: float = 24,
        vacuum: bool = True,
        sessions_dir: Path | str | None = None,
    ) -> dict[str, Any]:
        """The opt-in sweep at start-up: at most once per interval over all processes, never raises."""
        result: dict[str, Any] = {"skipped": False, "pruned": 0, "vacuumed": False}
        try:
            if not self._claim_sweep(_number("min_interval_hours", min_interval_hours)):
                return {**result, "skipped": True}
            result["pruned"] = self.prune_sessions(retention_days, sessions_dir=sessions_dir)
            if vacuum and result["pruned"]:
                result["vacuumed"] = self._reclaim()
        except HermesError as error:
            log.warning("automatic pruning: %s", error)
            result["error"] = str(error)
        return result

    def _claim_sweep(self, min_interval_hours: float, marker: str = _LAST_RUN) -> bool:
        now = self._now()

        def claim(writer: Writer) -> bool:
            try:
                last = float(writer.meta(marker) or 0)
            except ValueError:
                last = 0.0  # a broken marker counts as never run
            if 0 <= now - last < min_interval_hours * 3600:
                return False
            writer.set_meta(marker, str(now))
            return True

        return self._write(claim)

    # -- put away and brought back: always the whole conversation

    def trash_session(self, session_id: str) -> int:
        """Move a conversation to the trash: out of every list, count and search, its title free. Returns its parts."""
        now = self._now()
        return self._put_away(session_id, "trashed", now, _TRASHED)

    def restore_session(self, session_id: str) -> int:
        """Bring a conversation back from the trash; a title that was taken meanwhile gets the next number."""

        def restore(writer: Writer) -> int:
            parts = self._lineage(writer, session_id)
            for part in parts:
                holder = part["title"] and title_holder(writer, part["title"], part["owner"])
                if holder and holder != part["id"]:
                    free = next_free_title(writer, part["title"], part["owner"])
                    writer.update_session(part["id"], {"title": free})
            return writer.put_away(parts[0]["lineage_id"], "trashed", None, None)

        return self._write(restore)

    def empty_trash(self, older_than_days: float = 0, sessions_dir: Path | str | None = None) -> int:
        """Delete for good what has been in the trash for so long. Returns how many sessions went."""
        older_than_days = _number("older_than_days", older_than_days)
        with self._read() as reader:
            ids = reader.trashed_before(self._now() - older_than_days * DAY + (0.001 if older_than_days == 0 else 0))
        return sum(self.delete_session(session_id, sessions_dir) for session_id in ids)

    def maybe_empty_trash(self, trash_days: float = 30, sessions_dir: Path | str | None = None) -> int:
        """At start-up: delete what has been in the trash for `trash_days` (0: never), at most once a day."""
        days = _number("trash_days", trash_days)
        with self._read() as reader:
            due = days > 0 and reader.trashed_before(self._now() - days * DAY) != []
        if not due or not self._claim_sweep(24, _LAST_EMPTIED):
            return 0
        return self.empty_trash(days, sessions_dir)

    def scan_secrets(self) -> Iterator[Row]:
        """Secrets in what is stored already: session_id, message_id, kind, a row for each kind in a message; never the
        secret itself."""
        from hermes.model.secrets import find_secrets

        with self._read() as reader:
            archived = reader.conversations(ListQuery(shelf="archived", limit=2**31 - 1))
            ids = [row["id"] for row in reader.all_sessions(None, 2**31 - 1, 0)]
            ids += [part["id"] for row in archived for part in reader.parts(row["lineage_id"])]
        for session_id in dict.fromkeys(ids):
            with self._read() as reader:
                messages = reader.messages(session_id)
            for message in messages:
                said = [json.dumps(message, ensure_ascii=False, default=str), *_texts_of_lines(message)]
                for kind in sorted({secret.kind for one in said for secret in find_secrets(one)}):
                    yield {"session_id": session_id, "message_id": message["id"], "kind": kind}

    def archive_session(self, session_id: str) -> int:
        """Take a conversation out of the ordinary lists; search still finds it. Returns its parts."""
        now = self._now()
        return self._put_away(session_id, "archived", now, _ARCHIVED)

    def unarchive_session(self, session_id: str) -> int:
        return self._put_away(session_id, "archived", None, None)

    def _put_away(self, session_id: str, column: str, at: float | None, shelf: int | None) -> int:
        def put(writer: Writer) -> int:
            return writer.put_away(self._lineage(writer, session_id)[0]["lineage_id"], column, at, shelf)

        return self._write(put)

    def pin_session(self, session_id: str, pinned: bool = True) -> int:
        """A pinned conversation is never pruned. Returns its parts."""

        def pin(writer: Writer) -> int:
            parts = self._lineage(writer, session_id)
            for part in parts:
                writer.update_session(part["id"], {"pinned": int(bool(pinned))})
            return len(parts)

        return self._write(pin)

    def tag_session(self, session_id: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> list[str]:
        """Add and remove tags of a conversation; returns the tags it has now."""
        adding, removing = tags("add", add), tags("remove", remove)

        def change(writer: Writer) -> list[str]:
            parts = self._lineage(writer, session_id)
            writer.set_tags([part["id"] for part in parts], adding, removing)
            return writer.tags(session_id)

        return self._write(change)

    def get_tags(self, session_id: str) -> list[str]:
        with self._read() as reader:
            return reader.tags(session_id) if reader.session(sought_id(session_id)) else []

    @staticmethod
    def _lineage(writer: Writer, session_id: str) -> list[Row]:
        session = writer.session(sought_id(session_id))
        if session is None:
            raise SessionNotFound(session_id)
        return writer.parts(session["lineage_id"])

    def _parts(self, session_id: str) -> list[str]:
        with self._read() as reader:
            session = reader.session(sought_id(session_id))
            if session is None:
                raise SessionNotFound(session_id)
            return [public(part)["id"] for part in reader.parts(session["lineage_id"])]

    def _reclaim(self) -> bool:
        """Give space back after a sweep; True when that was done. Only the whole store can."""
        return False

    def _tidy_index(self) -> None:
        """Let the index forget what was deleted, a batch at a time."""


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _TOO_LONG:
        raise BadInput(f"{name} must be a number from 0 to {_TOO_LONG - 1:,}.")
    return float(value)


def _texts_of_lines(message: Row) -> list[str]:
    """Texts of several lines as they were written: JSON runs the lines of a key together."""
    return [value for value in message.values() if isinstance(value, str) and "\n" in value]


def remove_transcripts(folder: Path, session_id: str) -> None:
    """Delete the transcript files of exactly this id: no globs, nothing outside the folder."""
    try:
        check_id(session_id)
    except BadInput:
        return
    for name in (f"{session_id}.jsonl", f"{session_id}.json", f"session_{session_id}.json"):
        if os.path.isdir(folder):
            (folder / name).unlink(missing_ok=True)
