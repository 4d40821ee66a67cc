"""Results of a batch: each is on disk the moment it is known, and the file itself appears whole or not at all.

While a batch runs, results are lines of `OUT.part`, flushed one by one; a lock on it keeps a second run out. At the end
all of them replace `OUT` in one step. A run that was killed leaves the part behind, and the next one goes on from it.
"""

import fcntl
import json
import os
import secrets
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from hermes.commands.batch.prompts import Prompt
from hermes.errors import BadInput
from hermes.paths import PRIVATE_FILE

Record = dict[str, Any]
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class Results:
    """By the key of their prompt. Safe from several threads."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._part = out.with_name(out.name + ".part")
        self._known: dict[str, Record] = {}
        self._lock = threading.Lock()
        self.run = ""  # names this run, and stays when it goes on after a kill

    def __enter__(self) -> Self:
        self._check_out()
        try:
            self._file = os.open(self._part, _FLAGS, PRIVATE_FILE)
        except OSError as error:
            raise BadInput(f"{self._part} cannot be written ({error.strerror}); choose another place: --out.") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise BadInput(f"This batch is under way in another process; {self._part} is its.") from None
        self._load()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    @property
    def answered(self) -> set[str]:
        return {key for key, record in self._known.items() if record.get("reason") == "answered"}

    def add(self, record: Record) -> None:
        """On disk when this returns."""
        with self._lock:
            self._known[record["key"]] = record
            self._write(record)

    def finish(self, prompts: Sequence[Prompt]) -> None:
        """Everything that is known of these prompts, in their order, in place of what was there."""
        records = [self._known[one.key] | {"number": one.number} for one in prompts if one.key in self._known]
        temporary = self.out.with_name(f".{self.out.name}.{os.getpid()}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(_line(record) for record in records)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.out)
        self._part.unlink(missing_ok=True)

    # -- the files

    def _check_out(self) -> None:
        """A file of something else is never replaced."""
        if self.out.is_symlink() or (self.out.exists() and not self.out.is_file()):
            raise BadInput(f"{self.out} is no plain file; choose another place: --out.")
        if self.out.exists() and self.out.stat().st_size and not any("key" in one for one in _records(self.out)):
            raise BadInput(f"{self.out} is there and holds no results of a batch; choose another place: --out.")

    def _load(self) -> None:
        """What is known from before, read while the lock is ours."""
        for file in (self.out, self._part):
            for record in _records(file) if file.exists() else ():
                self.run = record.get("run", self.run)
                if "key" in record:
                    self._known[record["key"]] = record
        if not self.run:
            self.run = secrets.token_hex(4)
            self._write({"run": self.run})

    def _write(self, record: Record) -> None:
        """A line of its own, whatever a kill left at the end of the file."""
        size = os.fstat(self._file).st_size
        torn = size > 0 and os.pread(self._file, 1, size - 1) != b"\n"
        os.write(self._file, ("\n" * torn + _line(record)).encode("utf-8", "backslashreplace"))
        os.fsync(self._file)


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _records(file: Path) -> Iterator[Record]:
    """The lines that are whole; one that a kill tore is none."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found
