"""write_file and patch: changes that are made whole or not at all."""

import difflib
import re
from pathlib import Path
from typing import Any

from hermes.errors import ToolError
from hermes.tools.approvals.gate import allow_write, made_here
from hermes.tools.files import textfile
from hermes.tools.files.places import located, readable
from hermes.tools.files.textfile import TextFile
from hermes.tools.registry import text, tool
from hermes.tools.work import Work

_SHOWN = 60  # lines of a change that are shown


@tool(
    "write_file",
    toolset="file",
    parameters={"path": text(), "content": text()},
    required=("path", "content"),
    seconds=None,
)
def write_file(arguments: dict[str, Any], work: Work) -> str:
    """Write a whole text file, making its folders; an existing file is replaced. For small changes use patch."""
    path = located(arguments["path"], work)
    before = _before(path)
    allow_write(path, work)
    content = arguments["content"]
    if before is None:
        size = textfile.write(path, TextFile(content))
        made_here(work).add(path.resolve())
        return f"Created {path} ({_lines(content)} lines, {size:,} bytes)."
    after = before._replace(text=content)
    if "\r\n" in content:  # it says itself which line ends it wants
        after = after._replace(newline="\n")
    size = textfile.write(path, after)
    return f"Replaced {path} ({_lines(content)} lines, {size:,} bytes; before: {_lines(before.text)} lines)."


def _before(path: Path) -> TextFile | None:
    if not path.exists() and not path.is_symlink():
        return None
    readable(path)
    return textfile.read(path)


def _lines(content: str) -> int:
    return content.count("\n") + (not content.endswith("\n") and bool(content))


@tool(
    "patch",
    toolset="file",
    parameters={
        "path": text(),
        "old_string": text("Text to find; must be unique unless replace_all"),
        "new_string": text(),
        "replace_all": {"type": "boolean", "default": False},
    },
    required=("path", "old_string", "new_string"),
    seconds=None,
)
def patch(arguments: dict[str, Any], work: Work) -> str:
    """Replace a piece of text in a file. Returns a diff."""
    path = located(arguments["path"], work)
    readable(path)
    before = textfile.read(path)
    old, new = (arguments[name].replace("\r\n", "\n") for name in ("old_string", "new_string"))
    after = _replaced(path, before.text, old, new, everywhere=arguments["replace_all"])
    allow_write(path, work)
    textfile.write(path, before._replace(text=after))
    return _diff(path, before.text, after)


def _replaced(path: Path, content: str, old: str, new: str, *, everywhere: bool) -> str:
    if not old:
        raise ToolError("old_string is empty; write_file writes a whole file.")
    if old == new:
        raise ToolError("old_string and new_string are the same.")
    found = content.count(old)
    if found > 1 and not everywhere:
        raise ToolError(f"old_string is {found} times in {path}: give more of what is around it, or replace_all=true.")
    if found:
        return content.replace(old, new)
    place = _loosely(content, old)
    if place is None:
        raise ToolError(f"old_string is not in {path}.{_nearest(content, old)}")
    return content[: place[0]] + new + content[place[1] :]


def _loosely(content: str, old: str) -> tuple[int, int] | None:
    """Where the text stands when blanks at the ends of lines do not count; None: nowhere, or in several places."""
    lines = [re.escape(line.rstrip()) for line in old.split("\n")]
    found = list(re.finditer(r"[ \t]*\n".join(lines), content)) if any(lines) else []
    return found[0].span() if len(found) == 1 else None


def _nearest(content: str, old: str) -> str:
    """The lines most like the first one looked for, so that the next try can be right."""
    wanted = next((line.strip() for line in old.split("\n") if line.strip()), "")
    lines = content.split("\n")[:20_000]
    stripped = {line.strip(): number for number, line in reversed(list(enumerate(lines, 1)))}
    near = difflib.get_close_matches(wanted, [line for line in stripped if line][:3000], 3, 0.6)
    if not near:
        return " Read the file again; it may have changed."
    return " Near to its first line: " + "; ".join(f"{stripped[line]}|{line[:120]}" for line in near)


def _diff(path: Path, before: str, after: str) -> str:
    lines = list(difflib.unified_diff(before.split("\n"), after.split("\n"), str(path), str(path), lineterm="", n=2))
    shown = lines[:_SHOWN]
    return "\n".join(shown if len(lines) <= _SHOWN else [*shown, f"[… {len(lines) - _SHOWN} more lines]"])
