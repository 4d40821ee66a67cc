"""`hermes sessions browse` as a process: on a real terminal, and without one."""

import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from fcntl import ioctl
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.unit.cli.program import AUTH, PROGRAM, PROJECT, WEATHER, fill_guide, refused, spawn

ENTER, CTRL_C, CTRL_D, CTRL_Q = "\r", "\x03", "\x04", "\x11"
_PATIENCE = 60.0  # seconds


@pytest.fixture(autouse=True)
def home(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with SessionDB() as db:
        fill_guide(db)
    return hermes_home


class Terminal:
    """A program on a pseudo-terminal, and a person in front of it."""

    def __init__(self, *arguments: str, columns: int = 80, lines: int = 24, **environment: str) -> None:
        self._outside, inside = pty.openpty()
        ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self._program = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**usual, "TERM": "xterm-256color", **environment},
            start_new_session=True,
        )
        os.close(inside)
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self._outside, keys.encode())

    def wait_for(self, words: str) -> None:
        self._read_until(lambda: words in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.seen))

    def leave(self) -> int:
        """The exit code, once everything that was drawn has been read."""
        self._read_until(lambda: False)
        os.close(self._outside)
        return self._program.wait(_PATIENCE)

    def _read_until(self, so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not so():
            assert time.monotonic() < deadline, self.seen
            if select.select([self._outside], [], [], 1)[0]:
                try:
                    piece = os.read(self._outside, 65536)
                except OSError:  # the other end is closed
                    return
                if not piece:
                    return
                self.seen += piece.decode(errors="replace")

    def end(self) -> None:
        if self._program.poll() is None:
            self._program.kill()
            self._program.wait(_PATIENCE)


@pytest.fixture
def browse() -> Iterator[Callable[..., Terminal]]:
    started: list[Terminal] = []

    def start(*arguments: str, **options: str) -> Terminal:
        started.append(Terminal("sessions", "browse", *arguments, **options))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for terminal in started:
        terminal.end()


def test_a_search_on_a_terminal_ends_in_the_conversation_that_was_found(browse: Callable[..., Terminal]) -> None:
    terminal = browse()
    terminal.wait_for("refactoring auth")
    terminal.type("weath")
    terminal.wait_for(WEATHER)
    terminal.type(ENTER)
    terminal.wait_for(f"↻ Resumed session {WEATHER}")
    terminal.wait_for("❯")
    terminal.type(CTRL_D)
    assert terminal.leave() == 0
    assert f"hermes --resume {WEATHER}" in terminal.seen
    assert "Traceback" not in terminal.seen
    assert terminal.seen.count("\x1b[?1049h") == terminal.seen.count("\x1b[?1049l") == 1


def test_who_types_and_presses_enter_at_once_gets_what_was_found(browse: Callable[..., Terminal]) -> None:
    terminal = browse()
    terminal.wait_for("refactoring auth")
    terminal.type("weath" + ENTER)
    terminal.wait_for(f"↻ Resumed session {WEATHER}")
    terminal.wait_for("❯")
    terminal.type(CTRL_D)
    assert terminal.leave() == 0


@pytest.mark.parametrize(("key", "code"), [(CTRL_Q, 0), (CTRL_C, 130)])
def test_leaving_has_the_right_exit_code_and_resumes_nothing(
    browse: Callable[..., Terminal], key: str, code: int
) -> None:
    terminal = browse()
    terminal.wait_for("refactoring auth")
    terminal.type(key)
    assert terminal.leave() == code
    assert "--resume" not in terminal.seen


def test_without_colour_no_colour_is_sent(browse: Callable[..., Terminal]) -> None:
    terminal = browse("auth", NO_COLOR="1")
    terminal.wait_for(AUTH)
    terminal.type(CTRL_Q)
    assert terminal.leave() == 0
    codes = {code for sent in re.findall(r"\x1b\[([0-9;]*)m", terminal.seen) for code in re.split(";", sent)}
    assert "7" in codes  # reversed
    assert not [code for code in codes if re.fullmatch(r"(3|4|9|10)[0-8]", code)], codes


def test_a_bug_is_one_line_and_never_a_traceback(browse: Callable[..., Terminal], tmp_path: Path) -> None:
    """A real one: the style sheet cannot be read."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import hermes.cli.browse.app as app\napp.Browse.CSS_PATH = '/nowhere/browse.tcss'\n"
    )
    paths = os.pathsep.join([str(broken), os.environ.get("PYTHONPATH", "")])
    terminal = browse(PYTHONPATH=paths)
    assert terminal.leave() == 3
    assert "this should not have happened" in terminal.seen
    assert "Traceback" not in terminal.seen


# -- without a terminal


def test_a_pipe_gets_a_numbered_list() -> None:
    done = spawn("sessions", "browse")
    assert (done.code, done.err) == (0, "")
    heading, rule, *rows = done.lines
    assert heading == "   # Title                          Preview                                 Last Active  ID"
    assert set(rule) == {"─"}
    assert [row.split()[0] for row in rows] == ["1", "2", "3"]
    assert [row.split()[-1] for row in rows] == [AUTH, PROJECT[:-1] + "a", WEATHER]


def test_what_is_asked_for_narrows_the_numbered_list() -> None:
    assert [row.split()[-1] for row in spawn("sessions", "browse", "weath").lines[2:]] == [WEATHER]
    assert [row.split()[-1] for row in spawn("sessions", "browse", "--limit", "1").lines[2:]] == [AUTH]
    rows = [json.loads(line) for line in spawn("sessions", "browse", "--source", "telegram", "--json").lines]
    assert [row["id"] for row in rows] == [WEATHER]


def test_a_wrong_time_is_one_line_with_and_without_a_terminal(browse: Callable[..., Terminal]) -> None:
    assert "'soon' is no time" in refused(spawn("sessions", "browse", "--after", "soon"), 2)
    terminal = browse("--after", "soon")
    assert terminal.leave() == 2
    assert "'soon' is no time" in terminal.seen
    assert "\x1b[?1049h" not in terminal.seen


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}])
def test_a_terminal_that_cannot_draw_gets_the_numbered_list(
    browse: Callable[..., Terminal], environment: dict[str, str]
) -> None:
    terminal = browse(**environment)
    assert terminal.leave() == 0
    assert "\x1b[?1049h" not in terminal.seen
    assert AUTH in terminal.seen


def test_the_other_commands_never_load_the_screen() -> None:
    code = (
        "import sys\nfrom hermes.cli.main import run\nrun(['sessions', 'list'])\nrun(['sessions', 'browse'])\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('textual', 'rich')])"
    )
    done = subprocess.run([PROGRAM[0], "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
