"""`hermes sessions browse` as a process: on a real terminal, and without one."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.stories.terminal import CTRL_C, CTRL_D, ENTER, Terminal
from tests.unit.cli.program import AUTH, PROGRAM, PROJECT, WEATHER, refused, spawn

CTRL_Q = "\x11"
pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def browse() -> Iterator[Callable[..., Terminal]]:
    with ExitStack() as started:

        def start(*arguments: str, **options: Any) -> Terminal:
            given = {"columns": 80, "lines": 24, **options}
            return started.enter_context(Terminal("sessions", "browse", *arguments, **given))

        yield start


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
