"""Where the databases of a run lie, and how each line gets the one it needs in the state it needs."""

import hashlib
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from bench.corpus import Corpus
from bench.programs import WORKERS, Program
from bench.reference import VERSION, cache_folder


class Stage:
    """One run's folder. Only the standard library's SQLite is used here, never inside a worker of ours."""

    def __init__(self, folder: Path, corpus: Corpus) -> None:
        self.folder = folder
        self.corpus = corpus
        self._numbers = 0
        self._shorts: dict[tuple[str, int], Path] = {}

    def fresh(self, program: Program) -> Path:
        """A path where nothing is yet. Never the same twice: a store remembers what its path held."""
        self._numbers += 1
        place = self.folder / f"{program.name}-{self._numbers}"
        place.mkdir()
        return place / "state.db"

    def filled(self, program: Program) -> Path:
        """A copy of the store that holds the corpus, to do with as one likes."""
        return self._copy(self._base(program, "fill", self.corpus.name, corpus=str(self.corpus.file())), program)

    def listed(self, program: Program, sessions: int) -> Path:
        """A copy of a store of many small sessions."""
        return self._copy(self._base(program, "fill_many", str(sessions), sessions=sessions), program)

    def of_five(self, program: Program, sessions: int, a_day: int) -> Path:
        """A store of ours of very many sessions of five messages, up to now."""
        return self._base(program, "fill_five", str(sessions), sessions=sessions, a_day=a_day)

    def shorted(self, program: Program, messages: int, **texts: Any) -> Path:
        """A copy of a store of many short messages."""
        return self._copy(self._short_base(program, messages, **texts), program)

    def _short_base(self, program: Program, messages: int, **texts: Any) -> Path:
        key = (program.name, messages)
        if key not in self._shorts:
            self._shorts[key] = self._kept(program, "fill_short", str(messages), messages=messages, **texts)
        return self._shorts[key]

    def remove(self, database: Path) -> None:
        shutil.rmtree(database.parent)

    @cache  # noqa: B019  (one stage a run; it lives as long as the process)
    def _base(self, program: Program, worker: str, content: str, **job: Any) -> Path:
        return self._kept(program, worker, content, **job)

    def _kept(self, program: Program, worker: str, content: str, **job: Any) -> Path:
        if program.name == "ours":
            return _made(program, worker, self.folder / f"base-{worker}-{content}", job)
        # The reference does not change, so what it stored once serves every run.
        source = (WORKERS / f"{worker}.py").read_bytes() + (WORKERS / "program.py").read_bytes()
        version = hashlib.sha256(source).hexdigest()[:8]
        kept = cache_folder() / f"reference-{VERSION}-{worker}-{content}-{version}"
        if not kept.exists():
            unfinished = kept.with_name(f"{kept.name}.{os.getpid()}")
            _made(program, worker, unfinished, job)
            unfinished.rename(kept)
        return kept / "state.db"

    def _copy(self, base: Path, program: Program) -> Path:
        target = self.fresh(program)
        for suffix in ("", "-wal"):
            if base.with_name(base.name + suffix).exists():
                shutil.copyfile(base.with_name(base.name + suffix), target.with_name(target.name + suffix))
        os.sync()  # or the disk is still writing the copy while the first commits are timed
        return target


def _made(program: Program, worker: str, folder: Path, job: dict[str, Any]) -> Path:
    print(f"bench: filling a store ({program.name}, {worker}) ...", file=sys.stderr, flush=True)
    folder.mkdir()
    program.run(worker, database=str(folder / "state.db"), **job)
    return folder / "state.db"


def disk_bytes(database: Path) -> int:
    files = (database.with_name(database.name + suffix) for suffix in ("", "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def stored_messages(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM messages").fetchone()[0])


def unindexed_messages(database: Path) -> int:
    """How far our index is behind the messages. The reference indexes inside each append."""
    with closing(sqlite3.connect(database)) as connection:
        mark = connection.execute("SELECT value FROM state_meta WHERE key = 'indexed_through'").fetchone()
        if mark is None:
            return 0
        tail = connection.execute("SELECT COUNT(*) FROM messages WHERE id > ?", (int(mark[0]),)).fetchone()[0]
        return int(tail + connection.execute("SELECT COUNT(*) FROM index_queue").fetchone()[0])
