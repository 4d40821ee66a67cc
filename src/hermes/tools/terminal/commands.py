"""terminal: run a command, wait for it or leave it running."""

import shutil
from pathlib import Path
from typing import Any

from hermes.errors import ToolError
from hermes.tools.approvals.gate import allow_command
from hermes.tools.base import ToolResult
from hermes.tools.files.places import located
from hermes.tools.registry import text, tool
from hermes.tools.results import shortened
from hermes.tools.terminal.background import processes_of
from hermes.tools.terminal.running import Done, Limits
from hermes.tools.terminal.shell import shell_of
from hermes.tools.work import Work, Workplace

_LONGEST = 3600


def needs_bash(place: Workplace) -> str | None:
    return None if shutil.which("bash") else "needs bash, which is not on this machine"


@tool(
    "terminal",
    toolset="terminal",
    parameters={
        "command": text("Bash"),
        "background": {"type": "boolean", "default": False},
        "timeout": {"type": "integer", "minimum": 1, "maximum": _LONGEST},
        "workdir": text(),
    },
    required=("command",),
    check=needs_bash,
    seconds=None,
    whole=True,
)
def terminal(arguments: dict[str, Any], work: Work) -> ToolResult:
    """Run a shell command. Folder and variables last from call to call. background=true is for servers and long jobs:
    it returns an id for the process tool. Files: use read_file, patch, search_files."""
    command = arguments["command"]
    if not command.strip():
        raise ToolError("The command is empty.")
    shell = shell_of(work.place)
    folder = _folder(arguments.get("workdir"), work)
    where, variables = folder or shell.folder(), shell.variables(work)
    allow_command(command, work, where, variables)
    if arguments["background"]:
        return processes_of(work.place).start(command, work, where, variables)
    seconds = arguments.get("timeout") or work.place.settings.terminal.timeout
    done = shell.run(command, work, Limits(seconds), folder)
    output = shortened(_transformed(done.text, command, work), work, done.file)
    return ToolResult(_told(done, seconds, output), ok=done.code == 0)


def _folder(path: str | None, work: Work) -> Path | None:
    if not path:
        return None
    folder = located(path, work)
    if not folder.is_dir():
        raise ToolError(f"There is no folder {folder}.")
    return folder


def _transformed(output: str, command: str, work: Work) -> str:
    """Plugins may put another text in the output's place."""
    answers = work.place.emit("transform_terminal_output", command=command, output=output)
    return next((answer for answer in reversed(answers) if isinstance(answer, str)), output)


def _told(done: Done, seconds: float, output: str) -> str:
    notes = {
        "time": f"ended: it took more than {seconds} s; background=true is for long jobs",
        "size": "ended: it wrote more than 100 MB",
        "stopped": "ended: the person stopped the turn",
    }
    lines = [output.rstrip("\n") or "(no output)"]
    if done.ended_by:
        lines.append(f"[{notes[done.ended_by]}]")
    elif done.code:
        lines.append(f"[exit code {done.code}]")
    if done.left:
        lines.append(f"[{done.left} processes it left behind were ended; background=true keeps one running]")
    return "\n".join(lines)
