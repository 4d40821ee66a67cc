"""read_file: some lines of a text file, numbered. A file of any size is read without loading it."""

import codecs
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from hermes.errors import ToolError
from hermes.tools.approvals.gate import allow_read
from hermes.tools.files.places import located, readable
from hermes.tools.files.textfile import encoding_of
from hermes.tools.registry import text, tool
from hermes.tools.work import Work

_PIECE = 65536
_COUNTED = 50_000_000  # bytes of a file whose lines are counted to the end


@tool(
    "read_file",
    toolset="file",
    parameters={
        "path": text("Path to the file to read"),
        "offset": {"type": "integer", "default": 1, "minimum": 1},
        "limit": {"type": "integer", "default": 500, "maximum": 2000},
    },
    required=("path",),
    beside=True,
    seconds=60,
    whole=True,
)
def read_file(arguments: dict[str, Any], work: Work) -> str:
    """Read a text file with line numbers (N|text), from line offset on, up to limit lines."""
    path = located(arguments["path"], work)
    size = readable(path).st_size
    allow_read(path, work)
    first, limit = arguments["offset"], max(1, arguments["limit"])
    settings = work.place.settings
    with path.open("rb") as file:
        encoding = encoding_of(file.peek(8192)[:8192])
        if encoding is None:
            raise ToolError(f"{path} is binary ({size:,} bytes).")
        lines = _lines(file, encoding, settings.tool_output.max_line_length, work.context.stopped)
        page = _Page(first, limit, settings.file_read_max_chars)
        for number, line in enumerate(lines, 1):
            page.take(number, line)
            if page.full and size > _COUNTED:
                return page.told(None)
    return page.told(number if size else 0)


class _Page:
    """The lines asked for, as far as they fit."""

    def __init__(self, first: int, limit: int, most: int) -> None:
        self._first, self._limit, self._room = first, limit, most
        self._lines: list[str] = []
        self.full = False  # nothing more will be taken

    def take(self, number: int, line: str) -> None:
        if number < self._first or self.full:
            return
        shown = f"{number}|{line}"
        if self._lines and len(shown) > self._room:
            self.full = True
            return
        self._lines.append(shown)
        self._room -= len(shown) + 1
        self.full = len(self._lines) >= self._limit

    def told(self, total: int | None) -> str:
        last = self._first + len(self._lines) - 1
        if not self._lines:
            return (
                "[the file is empty]"
                if not total
                else f"[the file has {total:,} lines; there is no line {self._first}]"
            )
        if total == last:
            return "\n".join(self._lines)
        of = f" of {total:,}" if total is not None else ""
        return "\n".join([*self._lines, f"[lines {self._first}-{last}{of}; offset={last + 1} goes on]"])


def _lines(file: BinaryIO, encoding: str, longest: int, stopped: Callable[[], bool]) -> Iterator[str]:
    """The lines without their ends; of a very long one the beginning and how much more there is."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    kept, left = "", 0
    for raw in iter(lambda: file.read(_PIECE), b""):
        if stopped():
            raise ToolError("Stopped while reading.")
        *ended, open_end = decoder.decode(raw).split("\n")
        for piece in ended:
            yield _line(kept, left, piece, longest)
            kept, left = "", 0
        room = max(0, longest + 1 - len(kept))
        kept, left = kept + open_end[:room], left + max(0, len(open_end) - room)
    rest = decoder.decode(b"", True)
    if kept or left or rest:
        yield _line(kept, left, rest, longest)


def _line(kept: str, left: int, piece: str, longest: int) -> str:
    whole = kept + piece
    more = left + max(0, len(whole) - longest)
    line = whole[:longest] if more else whole.removesuffix("\r")
    return f"{line} [… {more:,} more]" if more else line
