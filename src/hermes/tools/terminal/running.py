"""Running one program to its end: bounded in time and output, interrupted when the person stops the turn, nothing of it
left behind."""

import os
import secrets
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hermes.config.environment import of_process
from hermes.errors import ToolError
from hermes.tools.results import spill_file
from hermes.tools.terminal.ending import MARK, end, family
from hermes.tools.terminal.output import Output
from hermes.tools.work import Work

_LOOK = 0.1  # seconds between two looks at the clock and at whether the turn was stopped
_LAST_WORDS = 0.2  # seconds for what is still in the pipe when the program has ended


class Limits(NamedTuple):
    seconds: float
    most_bytes: int = 100_000_000


class Done(NamedTuple):
    """`ended_by`: nothing, `time`, `size` or `stopped`; `left`: processes that it left behind, and that were ended."""

    code: int
    text: str
    ended_by: str
    left: int
    file: Path | None = None  # has the whole, when that is long


def run(
    command: Sequence[str],
    work: Work,
    limits: Limits,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> Done:
    """Run it, read what it writes, and end it with its whole family."""
    process, mark = started(command, cwd, env, pass_fds)
    output = Output(lambda: spill_file(work))
    try:
        ended_by = _read(process, output, limits, work, time.monotonic() + limits.seconds)
        left = _end(process, mark, ended_by)
        code = process.wait(5)
    finally:
        if process.poll() is None:
            end(process.pid, mark, grace=0)
            process.wait(5)
        output.close()
        assert process.stdout is not None
        process.stdout.close()
    return Done(code, output.text(), ended_by, left, output.file)


def started(
    command: Sequence[str], cwd: Path, env: Mapping[str, str] | None, pass_fds: Sequence[int] = ()
) -> tuple["subprocess.Popen[bytes]", str]:
    """A process in a session of its own that reads nothing, with the mark its family carries."""
    mark = secrets.token_hex(8)
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**(of_process() if env is None else env), MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except OSError as error:
        raise ToolError(f"{command[0]} cannot be started in {cwd}: {error.strerror}.") from None
    except ValueError as error:  # a NUL byte
        raise ToolError(f"That cannot be run: {error}.") from None
    return process, mark


def _read(process: "subprocess.Popen[bytes]", output: Output, limits: Limits, work: Work, deadline: float) -> str:
    """Take what comes until the program ends. Returns why it has to be ended, if it has to be."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    ended = None
    while True:
        if select.select([pipe], [], [], _LOOK if ended is None else 0.02)[0]:
            raw = os.read(pipe, 65536)
            if not raw:
                return "" if _waited(process, deadline, work) else _why(work)
            output.add(raw)
        now = time.monotonic()
        if ended is None and process.poll() is not None:
            ended = now + _LAST_WORDS
        if ended is not None and now >= ended:
            return ""
        if output.total > limits.most_bytes:
            return "size"
        if ended is None and (now >= deadline or work.context.stopped()):
            return _why(work)


def _waited(process: "subprocess.Popen[bytes]", deadline: float, work: Work) -> bool:
    """A program that closed its output may still work."""
    while process.poll() is None:
        if time.monotonic() >= deadline or work.context.stopped():
            return False
        time.sleep(0.01)
    return True


def _why(work: Work) -> str:
    return "stopped" if work.context.stopped() else "time"


def _end(process: "subprocess.Popen[bytes]", mark: str, ended_by: str) -> int:
    """End what is still there. Returns how many processes a program that ended by itself left behind."""
    if ended_by:
        end(process.pid, mark, grace=0.0 if ended_by == "size" else 0.5)
        return 0
    left = len(family(process.pid, mark))
    if left:
        end(process.pid, mark, grace=0.5)
    return left
