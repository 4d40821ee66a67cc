"""`Reply`: what a command answers. The CLI, the TUI, the web and the gateway draw it, each in its own way.

    Reply
    ├── parts       what to show, in order: Text, Panel, Table, Facts, Bars, Sparkline, Transcript, Tree, Stream
    ├── notices     what to say beside it (a terminal uses stderr)
    ├── data        the same as plain values, for programs: a list is one JSON object a line
    ├── exit_code   0 done, 1 not found, 2 the user's mistake, 3 the store
    └── ask         a question to put before anything is changed; `then` does it

Values stay typed (times are seconds, sizes are bytes): how a time or a size looks is the screen's business.
Named tuples, because they are made ten times faster than dataclasses, and every command waits for them.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

Style = Literal["", "strong", "dim", "hit", "user", "assistant", "good", "warn", "bad"]
Kind = Literal["text", "time", "date", "number", "bytes", "id"]


class Span(NamedTuple):
    """A stretch of a line in one style."""

    text: str
    style: Style = ""


Line = str | tuple[Span, ...]


class Text(NamedTuple):
    """Lines. `prose` may be folded between words on a narrow screen; other lines are there to be copied, too."""

    lines: tuple[Line, ...]
    prose: bool = False


class Panel(NamedTuple):
    """Lines in a box; long ones are wrapped there."""

    title: str
    lines: tuple[Line, ...]


class Column(NamedTuple):
    """`width` is the documented one; a narrow screen may take it down to `least`. The last column is never cut: with a
    `least` it is folded, down to that."""

    name: str
    width: int
    kind: Kind = "text"
    least: int | None = None


class Table(NamedTuple):
    """Rows of typed values. `rule` is the length of the line under the names."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    rule: int


class Facts(NamedTuple):
    """Names and values, a line each. A value of kind `bytes`, `time` … comes typed."""

    facts: tuple[tuple[str, Any, Kind], ...]


class Entry(NamedTuple):
    """One message of a transcript as people read it. `notes` are lines about it: tool calls, what was left out."""

    role: str
    text: str
    at: float
    name: str = ""
    notes: tuple[str, ...] = ()
    images: tuple[str, ...] = ()


class Transcript(NamedTuple):
    """A conversation to read; long, so a terminal pages it."""

    heading: tuple[Line, ...]
    entries: tuple[Entry, ...]


class Tree(NamedTuple):
    """Lines with their depth, a parent before its children."""

    nodes: tuple[tuple[int, Line], ...]


class Bars(NamedTuple):
    """Amounts side by side: a label, the amount, and what to write behind its bar, under the names of `columns`."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, float, tuple[str, ...]], ...]


class Sparkline(NamedTuple):
    """Amounts over time, in one line; `note` says what the highest is, `scale` is written under it."""

    name: str
    values: tuple[float, ...]
    note: str = ""
    scale: str = ""


class Stream(NamedTuple):
    """Lines that keep coming."""

    lines: Iterable[str]


class Ask(NamedTuple):
    question: str
    then: "Callable[[], Reply]"


Part = Text | Panel | Table | Facts | Bars | Sparkline | Transcript | Tree | Stream


class Reply(NamedTuple):
    parts: tuple[Part, ...] = ()
    notices: tuple[str, ...] = ()
    data: Any = None
    exit_code: int = 0
    ask: Ask | None = None


def said(*lines: Line, data: Any = None, exit_code: int = 0, notices: tuple[str, ...] = ()) -> Reply:
    """A reply of a few lines."""
    return Reply((Text(lines),), notices, data, exit_code)


def count(number: int, noun: str) -> str:
    """`1 session`, `1,204 sessions`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
