"""The programs as a person has them: a whole process, and a chat on a pseudo-terminal."""

import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path

from tests.servers.scripted import Say, Sent

from bench.programs import Program, WorkerFailed

SOURCE = Path(__file__).parents[1] / "src"
_PATIENCE = 120.0  # seconds
_SETTLED = 1.5  # seconds without output after which a chat waits for the person
_PROMPT = "❯"
_BUSY = re.compile(r"(?:⚕ )?❯")
_TOKEN = re.compile(r"token(\d+)")
_CODES = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07")


def scripted(sent: Sent) -> Say:
    """The number in what was said last comes back, so that an answer is known when it is seen."""
    found = _TOKEN.findall(str(sent.messages))
    return Say(f"reply{found[-1]}done" if found else "hello", pieces=[f"reply{found[-1]}done" if found else "hello"])


def command(program: Program) -> list[str]:
    if program.name == "ours":
        return [str(program.python), "-c", "from hermes.cli.main import entry; entry()"]
    return [str(program.python.with_name("hermes"))]


def environment(program: Program, home: Path) -> dict[str, str]:
    """No setting of this machine's user counts; ours is the one of this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HERMES_"))}
    kept |= {"HERMES_HOME": str(home), "TERM": "xterm-256color"}
    return {**kept, "PYTHONPATH": str(SOURCE)} if program.name == "ours" else kept


def configure(home: Path, url: str) -> None:
    """The same few lines for both programs."""
    home.mkdir(parents=True, exist_ok=True)
    settings = f"model:\n  default: scripted\n  provider: custom\n  base_url: {url}\n  api_key: sk-bench\n"
    (home / "config.yaml").write_text(settings)


@dataclass(frozen=True)
class Ran:
    """A whole process: seconds by the clock, seconds of processor time, the most memory in bytes."""

    wall: float
    processor: float
    memory: float


def whole_process(program: Program, home: Path, arguments: Sequence[str]) -> Ran:
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command(program), *arguments],
        env=environment(program, home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode != 0 or not said.strip():
        raise WorkerFailed(f"{program.name}: {' '.join(arguments)} ended with {process.returncode}")
    return Ran(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


class Chat:
    """One chat on a terminal. `first_prompt` is how long it took until the prompt was there."""

    def __init__(self, program: Program, home: Path) -> None:
        self._outside, inside = pty.openpty()
        ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._seen = ""
        began = time.perf_counter()
        self._process = subprocess.Popen(
            command(program),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=environment(program, home),
            cwd=home,
            start_new_session=True,
        )
        os.close(inside)
        self._until(_PROMPT)
        self.first_prompt = time.perf_counter() - began

    def __enter__(self) -> "Chat":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(_PATIENCE)
        os.close(self._outside)

    def turn(self, number: int) -> float:
        """Say something; seconds from Enter until the answer can be seen."""
        self._type(f"token{number} please")
        self._until(f"token{number} please")
        self._settle()
        began = time.perf_counter()
        self._type("\r")
        self._until(f"reply{number}done")
        taken = time.perf_counter() - began
        self._settle()
        return taken

    def memory(self) -> float:
        """Bytes that the program and its children hold at this moment."""
        return float(sum(map(_resident, _family(self._process.pid))))

    def _type(self, keys: str) -> None:
        os.write(self._outside, keys.encode())

    def _settle(self) -> None:
        """Until nothing moves; the reference marks its prompt while it is still busy with the last turn."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline and (self._read(_SETTLED) or self._is_busy()):
            pass

    def _is_busy(self) -> bool:
        return _BUSY.findall(_CODES.sub("", self._seen[-4000:]))[-1:] == ["⚕ ❯"]

    def _until(self, words: str) -> None:
        deadline = time.monotonic() + _PATIENCE
        start = max(0, len(self._seen) - 200) if words != _PROMPT else 0
        while words not in _CODES.sub("", self._seen[start:]):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise WorkerFailed(f"'{words}' never came; the end of what did: {self._seen[-500:]!r}")
            self._read(0.2)

    def _read(self, patience: float) -> bool:
        if not select.select([self._outside], [], [], patience)[0]:
            return False
        try:
            piece = os.read(self._outside, 65536).decode(errors="replace")
        except OSError:
            return False
        self._seen += piece
        if "\x1b[6n" in piece:  # where is the cursor?
            self._type("\x1b[20;1R")
        return not _only_moves(piece)


def _only_moves(piece: str) -> bool:
    """A clock that ticks in a status bar is no news."""
    return len(_CODES.sub("", piece).strip()) < 20


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = [int(child) for child in children.read_text().split()] if children.exists() else []
    return [pid, *(one for child in below for one in _family(child))]


def _resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0
