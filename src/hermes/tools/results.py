"""Results that fit: what the model gets to see is cut, the whole goes to a private file that it can read in parts."""

import re
import time
from pathlib import Path

from hermes import paths
from hermes.tools.base import ToolResult
from hermes.tools.work import Work

_KEPT_FILES = 200
_KEPT_SECONDS = 7 * 86400
_LARGEST_FILE = 20_000_000
_SAFE = re.compile(r"[^A-Za-z0-9._-]+")


def fitted(result: ToolResult, work: Work, *, whole: bool = False) -> ToolResult:
    """The result within `tool_output` (unless it stays `whole`), secrets masked where `security.redact_secrets` says
    so."""
    from hermes.model.secrets import redact  # a hundred patterns, compiled when the first secret is looked for

    if not isinstance(result.content, str):
        parts = [
            part | {"text": fitted(ToolResult(str(part["text"])), work).content} if part.get("type") == "text" else part
            for part in result.content
        ]
        return result._replace(content=parts)
    text = result.content
    if work.place.settings.security.redact_secrets:
        text, _ = redact(text)
    if whole:
        return result._replace(content=text)
    return result._replace(content=shortened(text, work))


def shortened(text: str, work: Work, file: Path | None = None) -> str:
    """The text within `tool_output`; `file` has the whole already, otherwise it is put into one."""
    limits = work.place.settings.tool_output
    cut = cut_to(text, limits.max_bytes, limits.max_lines, limits.max_line_length)
    if cut == text:
        return text
    return f"{cut.rstrip()}\n[cut: the whole is in {file or spill(text, work)}]"


def cut_to(text: str, most_bytes: int, most_lines: int, longest_line: int) -> str:
    """The beginning and the end, with a line in between that says how much is left out."""
    lines = [
        line if len(line) <= longest_line else f"{line[:longest_line]} [… {len(line) - longest_line:,} more]"
        for line in text.split("\n")
    ]
    if len(lines) > most_lines:
        head = most_lines // 2
        left = len(lines) - most_lines
        lines = [*lines[:head], f"[… {left:,} lines left out …]", *lines[-(most_lines - head) :]]
    joined = "\n".join(lines)
    return _within_bytes(joined, most_bytes) if len(joined) * 4 > most_bytes else joined


def _within_bytes(text: str, most: int) -> str:
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= most:
        return text
    half = most // 2
    head, tail = raw[:half].decode("utf-8", "ignore"), raw[-half:].decode("utf-8", "ignore")
    return f"{head}\n[… {len(raw) - 2 * half:,} bytes left out …]\n{tail}"


def spill(text: str, work: Work) -> Path:
    """The whole text in a file of its own that only its owner can read. Old ones go."""
    file = spill_file(work)
    file.write_bytes(text.encode("utf-8", "surrogatepass")[:_LARGEST_FILE])
    return file


def spill_file(work: Work) -> Path:
    """An empty private file for what a call has to say."""
    folder = paths.tool_results_dir()
    paths.make_private_folder(paths.hermes_home())
    paths.make_private_folder(folder)
    _tidy(folder)
    name = _SAFE.sub("_", f"{work.context.session_id}-{work.context.call_id}-{time.time_ns():x}")[-120:]
    file = folder / f"{name}.txt"
    paths.create_private_file(file)
    return file


def _tidy(folder: Path) -> None:
    found = sorted(((file.stat().st_mtime, file) for file in folder.glob("*.txt")), reverse=True)
    limit = time.time() - _KEPT_SECONDS
    for place, (written, file) in enumerate(found):
        if place >= _KEPT_FILES or written < limit:
            file.unlink(missing_ok=True)
