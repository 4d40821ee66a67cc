"""search_files: by ripgrep where it is, otherwise by a small program of our own in a process that can be ended."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from hermes.errors import ToolError
from hermes.tools.files.places import located
from hermes.tools.registry import text, tool
from hermes.tools.terminal.running import Limits, run
from hermes.tools.work import Work

_SECONDS = 30.0
_SCAN = Path(__file__).with_name("scan.py")


@tool(
    "search_files",
    toolset="file",
    parameters={
        "pattern": text("Regex for content, glob for files"),
        "target": {"type": "string", "enum": ["content", "files"], "default": "content"},
        "path": {"type": "string", "default": "."},
        "file_glob": text("Only these files, like *.py"),
        "context": {"type": "integer", "default": 0, "minimum": 0, "maximum": 20},
        "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
    },
    required=("pattern",),
    beside=True,
    seconds=_SECONDS + 10,
)
def search_files(arguments: dict[str, Any], work: Work) -> str:
    """Search text in files (path:line:text), or find files by name, newest first. Faster than grep or find."""
    where = located(arguments["path"], work)
    if not where.exists():
        raise ToolError(f"There is no {where}.")
    ripgrep = shutil.which("rg") if arguments["target"] == "content" else None
    base = work.place.cwd
    place = str(where.relative_to(base)) if where.is_relative_to(base) else str(where)
    command = _ripgrep(ripgrep, arguments, place) if ripgrep else _scan(arguments, place)
    done = run(command, work, Limits(_SECONDS, 2_000_000), cwd=base)
    if done.ended_by == "time":
        raise ToolError(
            f"The search took more than {_SECONDS:.0f} s; look in a smaller place, or with a simpler pattern."
        )
    if done.code not in (0, 1):
        raise ToolError(f"The search failed: {done.text.strip()[:500] or done.code}")
    return _shown(done.text, arguments["limit"], counted=arguments["context"] == 0)


def _ripgrep(program: str, arguments: dict[str, Any], place: str) -> list[str]:
    options = ["--no-config", "--color=never", "--no-heading", "--line-number", "--with-filename", "--max-columns=500"]
    options += ["--max-columns-preview", "--sort=path", f"--context={arguments['context']}", "--max-filesize=10M"]
    if arguments.get("file_glob"):
        options.append(f"--glob={arguments['file_glob']}")
    return [program, *options, f"--regexp={arguments['pattern']}", "--", place]


def _scan(arguments: dict[str, Any], place: str) -> list[str]:
    wanted = {name: arguments.get(name) for name in ("pattern", "target", "file_glob", "context", "limit")}
    return [sys.executable, "-I", "-S", str(_SCAN), json.dumps({**wanted, "path": place})]


def _shown(found: str, limit: int, *, counted: bool) -> str:
    lines = [line.removeprefix("./") for line in found.split("\n") if line]
    if not lines:
        return "Nothing found."
    most = limit if counted else limit * 10
    more = f"\n[{len(lines) - most:,} more; narrow the search or raise limit]" if len(lines) > most else ""
    return "\n".join(lines[:most]) + more
