"""A program on a real pseudo-terminal, and a person in front of it who sees what a terminal would show."""

import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from fcntl import ioctl

import pyte

from tests.unit.cli.program import PROGRAM

ENTER, ALT_ENTER, CTRL_C, CTRL_D, TAB, UP = "\r", "\x1b\r", "\x03", "\x04", "\t", "\x1b[A"
PATIENCE = 60.0  # seconds


class Terminal:
    """`with Terminal("-c") as terminal:`; leaves no process behind."""

    def __init__(self, *arguments: str, columns: int = 100, lines: int = 40, **environment: str) -> None:
        self._outside, inside = pty.openpty()
        ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.program = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**usual, "TERM": "xterm-256color", **environment},
            start_new_session=True,
        )
        os.close(inside)
        self.seen = ""  # everything that came
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._screen = pyte.HistoryScreen(columns, lines, history=5000, ratio=0.5)
        self._emulator = pyte.Stream(self._screen)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait(PATIENCE)
        os.close(self._outside)

    @property
    def text(self) -> str:
        """What is on the screen, and what was scrolled out of it."""
        gone = ("".join(line[place].data for place in range(self._screen.columns)) for line in self._screen.history.top)
        return "\n".join(line.rstrip() for line in [*gone, *self._screen.display]).rstrip()

    @property
    def obeys_keys(self) -> bool:
        """Whether the terminal itself acts on Ctrl-C, Ctrl-D and Enter, and shows what is typed."""
        return bool(termios.tcgetattr(self._outside)[3] & (termios.ICANON | termios.ISIG | termios.ECHO))

    def type(self, keys: str) -> None:
        os.write(self._outside, keys.encode())

    def say(self, text: str) -> None:
        """Type a line, wait until it stands at the prompt, and send it."""
        self.type(text)
        self.wait_for("❯ " + text.splitlines()[-1][:40])
        self.type(ENTER)

    def wait_for(self, words: str, times: int = 1) -> None:
        self.until(lambda: self.text.count(words) >= times, words)

    def until(self, so: Callable[[], bool], what: object = "") -> None:
        deadline = time.monotonic() + PATIENCE
        while not so():
            assert time.monotonic() < deadline, f"{what!r} never came:\n{self.text}"
            assert self._read(), f"it ended before {what!r} came:\n{self.text}"

    def leave(self) -> int:
        """The exit code, once everything that was drawn has been read."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, self.text
        return self.program.wait(PATIENCE)

    def kill(self) -> None:
        self.program.send_signal(signal.SIGKILL)
        self.program.wait(PATIENCE)

    def _read(self) -> bool:
        """What came by now; False: the other end is closed."""
        if not select.select([self._outside], [], [], 0.1)[0]:
            return True
        try:
            sent = os.read(self._outside, 65536)
        except OSError:
            return False
        piece = self._decoder.decode(sent)
        self.seen += piece
        self._emulator.feed(piece)
        for _ in range(piece.count("\x1b[6n")):  # where is the cursor?
            self.type(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
        return bool(sent)
