"""`sessions/sessions.json` and `sessions/<id>.jsonl`: derived from the store, which is the truth.

They are written behind the conversation, by one thread. A file that is lost or damaged is made anew; the index is
replaced as a whole, a transcript grows by whole lines. Nothing in Hermes reads them back.
"""

import json
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hermes import paths
from hermes.errors import HermesError
from hermes.model.ids import check_id
from hermes.store import SessionDB

log = logging.getLogger("hermes.gateway")
_PAUSE = 0.5  # seconds between two rounds of writing
_COLUMNS = (
    "id",
    "role",
    "content",
    "tool_name",
    "tool_calls",
    "tool_call_id",
    "timestamp",
    "finish_reason",
    "reasoning",
)


class Transcripts:
    def __init__(self, db: SessionDB, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._changed: set[str] = set()
        self._last: dict[str, int] = {}  # the last message of each file this process has looked at
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="hermes-transcripts", daemon=True)

    def start(self) -> None:
        paths.make_private_folder(self._folder)
        for route in self._db.list_routes():
            self.changed(route["session_id"])
        self._thread.start()

    def changed(self, session_id: str) -> None:
        with self._lock:
            self._changed.add(session_id)
        self._wake.set()

    def stop(self) -> None:
        """Write what is left, and end."""
        self._over = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _run(self) -> None:
        while not self._over:
            self._wake.wait()
            self._wake.clear()
            self.write()
            if not self._over:
                threading.Event().wait(_PAUSE)
        self.write()

    def write(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, set()
        try:
            for session_id in sorted(changed):
                self._bring_up_to_date(session_id)
            self._write_index()
        except (OSError, HermesError) as error:  # a full disk: the store has everything, the files follow later
            log.warning("transcripts: %s", error)
            with self._lock:
                self._changed |= changed

    def _write_index(self) -> None:
        routes = {
            row["key"]: {name: value for name, value in row.items() if name != "key"} for row in self._db.list_routes()
        }
        _replace(self._folder / "sessions.json", json.dumps(routes, ensure_ascii=False, indent=1) + "\n")

    def _bring_up_to_date(self, session_id: str) -> None:
        file = self._folder / f"{check_id(session_id)}.jsonl"
        known = self._last.get(session_id)
        rows = self._db.get_messages(session_id, after=(known or 1) - 1)
        if known is not None and file.exists() and rows and rows[0]["id"] == known:
            _append(file, "".join(map(_line, rows[1:])))
        else:
            rows = self._db.get_messages(session_id)
            if rows or file.exists():
                _replace(file, "".join(map(_line, rows)))
        if rows:
            self._last[session_id] = rows[-1]["id"]


def _line(row: dict[str, Any]) -> str:
    shown = {name: row[name] for name in _COLUMNS if row.get(name) is not None}
    return json.dumps(shown, ensure_ascii=False) + "\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _append(file: Path, text: str) -> None:
    if not text:
        return
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.write(descriptor, _bytes(text))
    finally:
        os.close(descriptor)


def _replace(file: Path, text: str) -> None:
    """The whole file or the former one, whenever the power fails."""
    new = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, paths.PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as out:
        out.write(_bytes(text))
    paths.sync(new)
    os.replace(new, file)


def read(file: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The messages of a transcript, and a line about each line of it that cannot be read. Changes nothing."""
    good: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, raw in _lines(file):
        try:
            value = json.loads(raw)
        except ValueError:
            value = None
        if isinstance(value, dict) and "role" in value:
            good.append(value)
        else:
            problems.append(f"{file.name} line {number} is damaged; the store has the message.")
    return good, problems


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    with file.open("rb") as lines:
        yield from ((number, raw) for number, raw in enumerate(lines, 1) if raw.strip())
