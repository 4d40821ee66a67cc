"""search_files: by ripgrep where it is, otherwise by a small program of our own in a process that can be ended."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from hermes.errors import ToolError
from hermes.tools.approvals.gate import allow_read
from hermes.tools.approvals.places import is_secret, read_reasons
from hermes.tools.files.places import located
from hermes.tools.registry import text, tool
from hermes.tools.terminal.running import Limits, run
from hermes.tools.work import Work

_SECONDS = 30.0
_SCAN = Path(__file__).with_name("scan.py")
_MARK = re.compile(r"([:-])\d+\1")  # between a path and what stands there


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
    reads, base = arguments["target"] == "content", work.place.cwd
    if reads:
        allow_read(where, work)
    ripgrep = shutil.which("rg") if reads else None
    place = str(where.relative_to(base)) if where.is_relative_to(base) else str(where)
    command = _ripgrep(ripgrep, arguments, place) if ripgrep else _scan(arguments, place)
    done = run(command, work, Limits(_SECONDS, 2_000_000), cwd=base)
    if done.ended_by == "time":
        raise ToolError(
            f"The search took more than {_SECONDS:.0f} s; look in a smaller place, or with a simpler pattern."
        )
    if done.code not in (0, 1):
        raise ToolError(f"The search failed: {done.text.strip()[:500] or done.code}")
    found = done.text if read_reasons(where) else _without_secrets(done.text, base)
    return _shown(found, arguments["limit"], counted=arguments["context"] == 0)


def _without_secrets(found: str, base: Path) -> str:
    """What lies in files that hold secrets is left out, unless the place itself was asked for, and allowed."""
    known: dict[str, bool] = {}

    def is_hidden(line: str) -> bool:
        places = (line[: mark.start()] for mark in _MARK.finditer(line))  # a name may hold a mark itself
        return any(known[one] if one in known else known.setdefault(one, _is_hidden(base / one)) for one in places)

    return "\n".join(line for line in found.split("\n") if not is_hidden(line))


def _is_hidden(path: Path) -> bool:
    return is_secret(path) and os.path.isfile(path)


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
