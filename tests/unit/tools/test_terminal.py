"""The terminal: state that lasts, time and output bounded, nothing left running."""

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.config import Settings
from hermes.config.areas.execution import Terminal
from hermes.tools.base import ToolResult
from hermes.tools.registry import registry
from hermes.tools.terminal.output import Output, readable
from hermes.tools.work import Work
from tests.unit.tools.working import work_in

BARE = Terminal(auto_source_bashrc=False)


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    """Where dangerous commands run unasked: what is tested here is how they run."""
    folder = tmp_path / "project"
    folder.mkdir()
    work = work_in(folder, settings=Settings(terminal=BARE), yolo=True)
    yield work
    work.place.close()


def run(work: Work, command: str, **more: Any) -> ToolResult:
    result: ToolResult = registry.dispatch("terminal", {"command": command, **more}, work)
    return result


def process(work: Work, action: str, **more: Any) -> str:
    return str(registry.dispatch("process", {"action": action, **more}, work).content)


def alive(name: str) -> list[str]:
    """Processes whose command line has this in it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if name.encode() in line:
            found.append(entry.name)
    return found


def test_output_and_exit_code_are_told(work: Work) -> None:
    assert run(work, "echo out; echo err >&2") == ToolResult("out\nerr")
    assert run(work, "echo half; exit 3") == ToolResult("half\n[exit code 3]", ok=False)
    assert run(work, "true") == ToolResult("(no output)")


def test_folder_and_variables_last_from_call_to_call(work: Work) -> None:
    run(work, "mkdir -p sub/deep && cd sub && export COLOUR='dark blue' && local_only=1")
    assert run(work, 'pwd; echo "$COLOUR" "${local_only-gone}"').content == f"{work.place.folder}/sub\ndark blue gone"
    (work.place.folder / "sub/here.txt").write_text("found\n")
    assert registry.dispatch("read_file", {"path": "here.txt"}, work).content == "1|found"


def test_state_lasts_when_the_command_fails_or_exits(work: Work) -> None:
    run(work, "mkdir sub; cd sub; export A=1; exit 7")
    assert run(work, "echo $A; basename $PWD").content == "1\nsub"


def test_another_folder_for_one_call_does_not_last(work: Work) -> None:
    (work.place.folder / "other").mkdir()
    assert run(work, "basename $PWD", workdir="other").content == "other"
    assert run(work, "basename $PWD").content == "project"
    assert "There is no folder" in run(work, "ls", workdir="nowhere").content


def test_a_folder_that_is_gone_is_left(work: Work) -> None:
    run(work, "mkdir gone; cd gone; rmdir ../gone")
    assert run(work, "pwd").content == str(work.place.folder)


def test_functions_and_start_up_files_do_not_last(work: Work) -> None:
    """What a later command means must not depend on what an earlier one defined."""
    run(work, "ls() { echo replaced; }; export -f ls; export BASH_ENV=$PWD/evil; echo 'echo evil' > evil")
    assert run(work, "ls").content == "evil"  # the file, not the function


def test_secrets_of_the_environment_are_not_handed_on(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "k1")
    monkeypatch.setenv("DB_PASSWORD", "k2")
    monkeypatch.setenv("PLAIN_NAME", "ghp_" + "a1B2c3D4e5F6" * 3)
    monkeypatch.setenv("HARMLESS", "yes")
    shown = run(work, "env").content
    assert "HARMLESS=yes" in shown
    for name in ("SOME_API_KEY", "DB_PASSWORD", "PLAIN_NAME"):
        assert name not in shown


def test_a_variable_can_be_let_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "k1")
    settings = Settings(terminal=Terminal(auto_source_bashrc=False, env_passthrough=["SOME_API_KEY"]))
    assert run(work_in(tmp_path, settings=settings, yolo=True), "echo $SOME_API_KEY").content == "k1"


def test_the_shells_own_files_are_read_first_and_their_secrets_kept_back(tmp_path: Path) -> None:
    (tmp_path / "init").write_text("export TOOL_PATH=/opt/x\nexport MY_API_KEY=k\necho noise\n")
    settings = Settings(terminal=Terminal(auto_source_bashrc=False, shell_init_files=[str(tmp_path / "init")]))
    assert run(work_in(tmp_path, settings=settings, yolo=True), 'echo "$TOOL_PATH $MY_API_KEY"').content == "/opt/x "


def test_a_command_that_takes_too_long_is_ended_with_its_family(work: Work) -> None:
    began = time.monotonic()
    result = run(work, "sleep 61.5 & setsid sleep 61.5 & (sleep 61.5; echo never) ", timeout=1)
    assert "took more than 1 s" in result.content
    assert time.monotonic() - began < 30
    assert alive("61.5") == []


def test_what_a_command_leaves_behind_is_ended(work: Work) -> None:
    began = time.monotonic()
    result = run(work, "nohup sleep 62.5 & (setsid sleep 62.5 &) & echo started")
    assert result.content.startswith("started")
    assert re.search(r"\[\d processes it left behind were ended", result.content)
    assert time.monotonic() - began < 30
    assert alive("62.5") == []


def test_a_stopped_turn_ends_the_command(tmp_path: Path) -> None:
    stop = threading.Event()
    work = work_in(tmp_path, settings=Settings(terminal=BARE), yolo=True, stopped=stop.is_set)
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    assert "the person stopped the turn" in run(work, "echo begun; sleep 63.5").content
    assert time.monotonic() - began < 30
    assert alive("63.5") == []


def test_endless_output_is_cut_off(work: Work) -> None:
    result = run(work, "yes", timeout=60)
    assert "wrote more than 100 MB" in result.content
    assert len(result.content) < 60_000
    assert alive("\0yes\0") == []


def test_long_output_has_its_beginning_and_end_and_a_file_for_the_rest(work: Work, hermes_home: Path) -> None:
    shown = run(work, "seq 1 100000").content
    assert shown.startswith("1\n2\n3\n")
    assert "99999\n100000\n[cut: the whole is in " in shown
    (file,) = (hermes_home / "tool-results").glob("*.txt")
    assert str(file) in shown
    assert len(shown) < 25_000
    assert file.read_text() == "".join(f"{n}\n" for n in range(1, 100001))


def test_a_command_reads_nothing(work: Work) -> None:
    assert run(work, "cat; echo done", timeout=60).content == "done"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\x1b[31mred\x1b[0m \x1b]0;title\x07plain", "red plain"),
        (b"10%\r20%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"some text with a bell\x07 in it", "some text with a bell in it"),
        (bytes(range(256)) * 4, "[1,024 bytes that are not text]"),
        ("grüße 漢字 🙂".encode(), "grüße 漢字 🙂"),
    ],
)
def test_output_is_text_that_no_terminal_obeys(raw: bytes, text: str) -> None:
    assert readable(raw) == text


def test_memory_stays_small_however_much_is_written() -> None:
    output = Output()
    for _ in range(2000):
        output.add(b"x" * 65536)
    assert output.total == 2000 * 65536
    assert len(output.text()) < 70_000


def test_news_are_the_end_of_what_came() -> None:
    output = Output()
    output.add(b"first\n")
    assert output.since(0) == ("first\n", 6)
    output.add(b"x" * 200_000 + b"\nlast\n")
    news, position = output.since(6)
    assert news.startswith("[… 168,006 bytes left out …]\nxxx")
    assert news.endswith("x\nlast\n")
    assert output.since(position) == ("", 200_012)


@pytest.mark.parametrize("command", ["", "  \n"])
def test_an_empty_command_is_none(work: Work, command: str) -> None:
    assert run(work, command).content == "The command is empty."


def test_a_nul_in_a_command_is_explained(work: Work) -> None:
    assert not run(work, "echo a\0b").ok


# -- behind


def test_a_background_process_is_polled_logged_and_ended(work: Work) -> None:
    started = run(work, "for i in 1 2 3; do echo step $i; sleep 0.05; done; sleep 64.5", background=True)
    assert started.content.startswith("p1: running for ")
    assert re.match(r"p1: running for \d+ s: for i in 1 2 3", process(work, "list"))
    seen, deadline = started.content, time.monotonic() + 60
    while "step 3" not in seen:
        assert time.monotonic() < deadline
        seen += process(work, "poll", id="p1")
    assert [word for word in ("step 1", "step 2", "step 3") if word not in seen] == []
    assert "step" not in process(work, "poll", id="p1")
    assert process(work, "log", id="p1").endswith("step 1\nstep 2\nstep 3")
    assert process(work, "kill", id="p1").startswith("p1: ended with code -")
    assert alive("64.5") == []


def test_waiting_ends_with_the_process_or_the_time(work: Work) -> None:
    run(work, "sleep 0.5; echo ready; exit 4", background=True)
    assert process(work, "wait", id="p1") == "p1: ended with code 4\nready"
    run(work, "sleep 65.5", background=True)
    assert process(work, "wait", id="p2", timeout=1).startswith("p2: running")


def test_a_mistake_in_a_background_command_shows_at_once(work: Work) -> None:
    result = run(work, "no-such-program-at-all", background=True)
    assert not result.ok
    assert "command not found" in result.content


def test_nothing_outlives_the_conversation(work: Work) -> None:
    run(work, "setsid sleep 66.5 & sleep 66.5", background=True)
    assert alive("66.5") != []
    work.place.close()
    assert alive("66.5") == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"action": "poll"}, "poll needs an id"),
        ({"action": "kill", "id": "p9"}, "There is no process 'p9'; there are: none."),
        ({"action": "dance"}, "action is one of list, poll, log, wait, kill"),
        ({"action": "list"}, "No background processes."),
    ],
)
def test_a_question_about_no_process_is_answered(work: Work, arguments: dict[str, str], told: str) -> None:
    assert told in registry.dispatch("process", arguments, work).content


def test_the_terminal_needs_bash(work: Work, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    registry.forget_checks()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert registry.missing("terminal", work.place) == "needs bash, which is not on this machine"
    registry.forget_checks()
