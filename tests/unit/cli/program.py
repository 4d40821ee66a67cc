"""Running `hermes` in tests: in this process where that will do, as a process of its own where it matters."""

import io
import os
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from hermes.cli.main import run
from hermes.store import SessionDB

PROGRAM = [sys.executable, "-c", "from hermes.cli.main import entry; entry()"]
HOUR, DAY = 3600.0, 86400.0

AUTH = "20250305_091523_a1b2c3d4"
PROJECT = "20250304_143022_e5f6a7b8"
WEATHER = "20250303_101500_f9a8b7c6"


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Hermes:
    """`hermes("sessions", "list")` runs a command line here and returns what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, answer: str = "") -> Done:
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        try:
            code = run(arguments)
        except SystemExit as left:  # argparse, after --help or a mistake
            code = int(left.code or 0)
        said = self._capsys.readouterr()
        return Done(code, said.out, said.err)


def spawn(*arguments: str, answer: str = "", timeout: float = 60, **environment: str) -> Done:
    """The same as a process of its own, its output read as UTF-8."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=answer.encode(),
        capture_output=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **environment},
    )
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def refused(done: Done, code: int) -> str:
    """One line on stderr, nothing else, this exit code. Returns the line."""
    assert (done.code, done.out) == (code, ""), done
    (line,) = done.err.splitlines()
    assert line.startswith("hermes: ")
    return line


def fill_guide(db: SessionDB) -> None:
    """The three conversations of the guide: two with titles, one without; the second is a lineage of three parts."""
    now = time.time()
    session(db, AUTH, "cli", "refactoring auth", ["Help me refactor the auth module please"], now - 2 * HOUR - 60)
    session(db, PROJECT, "cli", "my project", ["Start my project", "Done."], now - 3 * DAY)
    db.split_session(PROJECT, PROJECT[:-1] + "9", [])
    db.split_session(PROJECT[:-1] + "9", PROJECT[:-1] + "a", [])
    db.append_message(PROJECT[:-1] + "a", "user", "Can you check the test failures?", timestamp=now - DAY - 1)
    session(db, WEATHER, "telegram", None, ["What's the weather in Las Vegas?"], now - 3 * DAY - 60)


def session(db: SessionDB, session_id: str, source: str, title: str | None, said: list[str], at: float) -> None:
    """A session that began and was last active at this moment; user and assistant take turns."""
    db.create_session(session_id, source, started_at=at)
    for number, text in enumerate(said):
        db.append_message(session_id, ("user", "assistant")[number % 2], text, timestamp=at)
    if title is not None:
        db.set_session_title(session_id, title)
