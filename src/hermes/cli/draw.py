"""Parts of a reply as lines of text."""

import time
from collections.abc import Iterator
from typing import Any

from hermes.cli.screen import Screen
from hermes.cli.times import relative
from hermes.cli.width import cut, pad, width
from hermes.commands.reply import (
    Bars,
    Column,
    Facts,
    Kind,
    Line,
    Panel,
    Part,
    Span,
    Sparkline,
    Style,
    Table,
    Text,
    Transcript,
    Tree,
)

_DEEPEST = 20  # levels of a tree; what lies deeper is drawn at this one
_ROLES: dict[str, tuple[str, Style]] = {"user": ("●", "user"), "assistant": ("◆", "assistant")}


def lines_of(part: Part, screen: Screen) -> Iterator[str]:
    if isinstance(part, Text):
        for line in part.lines:
            yield from _folded(line, screen) if part.prose else (_line(line, screen),)
    elif isinstance(part, Panel):
        from hermes.cli.panel import panel

        yield from panel(part, screen)
    elif isinstance(part, Table):
        yield from _table(part, screen)
    elif isinstance(part, Facts):
        facts = (f"{screen.styled(name, '')}: {_value(value, kind, screen)}" for name, value, kind in part.facts)
        yield from (line for fact in facts for line in _fold(fact, screen.size[0]))
    elif isinstance(part, Bars | Sparkline):
        from hermes.cli.charts import bars, sparkline

        yield from bars(part, screen) if isinstance(part, Bars) else sparkline(part, screen)
    elif isinstance(part, Transcript):
        yield from _transcript(part, screen)
    elif isinstance(part, Tree):
        yield from _tree(part, screen)


def _line(line: Line, screen: Screen) -> str:
    if isinstance(line, str):
        return screen.styled(line, "")
    return "".join(screen.styled(span.text, span.style) for span in line)


def _folded(line: Line, screen: Screen) -> Iterator[str]:
    """The line, in several where it is wider than the screen."""
    spans = (Span(line),) if isinstance(line, str) else line
    if not screen.colour:  # marks around a hit take room
        spans = tuple(Span(screen.styled(span.text, span.style)) for span in spans)
    if not screen.is_terminal or width("".join(span.text for span in spans)) <= screen.size[0]:
        yield _line(spans, screen)
        return
    from hermes.cli.panel import wrap

    yield from (_line(piece, screen) for piece in wrap(spans, screen.size[0]))


def _fold(text: str, room: int, *, whole: bool = True) -> list[str]:
    """Between words, with what follows indented a little. A long word is a path or an id, and left `whole`."""
    if width(text) <= room or (whole and max(map(width, text.split()), default=0) > room - 2):
        return [text]
    from hermes.cli.panel import wrap

    return ["".join(span.text for span in line) for line in wrap(text, room)]


def _value(value: Any, kind: Kind, screen: Screen) -> str:
    if kind == "time":
        return relative(value, screen.now)
    if kind == "date":
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(value))
    if kind == "number":
        return f"{value:,}"
    if kind == "bytes":
        return size(value)
    return " ".join(screen.styled(str(value), "").split())


def size(amount: int) -> str:
    """`512 bytes`, `3.1 KB`, `12.4 MB`."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if amount >= factor:
            return f"{amount / factor:.1f} {unit}"
    return f"{amount} bytes"


# -- tables


def _table(table: Table, screen: Screen) -> Iterator[str]:
    """The documented widths; on a narrow terminal columns shrink, on a very narrow one each row takes two lines."""
    cells = [
        [_value(value, column.kind, screen) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    widths = _widths(table.columns, cells, screen.size[0])
    if widths is None:
        yield from _stacked(table.columns, cells, screen.size[0])
        return
    yield _row([column.name for column in table.columns], table.columns, widths)
    yield screen.styled("─" * min(table.rule, screen.size[0]), "dim")
    indent = " " * (sum(widths[:-1]) + len(widths) - 1)
    for row in cells:
        first, *more = _fold(row[-1], widths[-1], whole=False)
        yield _row([*row[:-1], first], table.columns, widths)
        yield from (indent + line.strip() for line in more)


def _widths(columns: tuple[Column, ...], cells: list[list[str]], room: int) -> list[int] | None:
    """A width for every column; the last is never cut, and folded where it may be. None when not even the least fit."""
    last = max((width(row[-1]) for row in cells), default=0)
    widths = [column.width for column in columns[:-1]]
    excess = sum(widths) + len(widths) + min(last, columns[-1].least or last) - room
    for place in reversed(range(len(widths))):
        least = columns[place].least
        if excess > 0 and least is not None:
            taken = min(excess, widths[place] - least)
            widths[place] -= taken
            excess -= taken
    return None if excess > 0 else [*widths, min(last, room - sum(widths) - len(widths))]


def _row(cells: list[str], columns: tuple[Column, ...], widths: list[int]) -> str:
    pieces = []
    for cell, column, columns_wide in zip(cells[:-1], columns, widths, strict=False):
        shown = cut(cell, columns_wide)
        pieces.append(shown.rjust(columns_wide) if column.kind == "number" else pad(shown, columns_wide))
    return " ".join([*pieces, cells[-1]])


def _stacked(columns: tuple[Column, ...], cells: list[list[str]], room: int) -> Iterator[str]:
    texts = [place for place, column in enumerate(columns[:-1]) if column.kind == "text" and column.least is not None]
    for row in cells:
        named = [row[place] for place in texts if row[place] not in ("", "—")]
        if named:
            yield cut(named[0], room)
        rest = [cell for place, cell in enumerate(row[:-1]) if place not in texts and cell]
        if rest:
            yield cut("  " + "  ".join(rest), room)
        yield from _fold("  " + row[-1], room, whole=columns[-1].least is None)


# -- transcripts and trees


def _transcript(transcript: Transcript, screen: Screen) -> Iterator[str]:
    yield from (_line(line, screen) for line in transcript.heading)
    for entry in transcript.entries:
        mark, style = _ROLES.get(entry.role, ("·", "dim"))
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.at))
        name = f"{entry.role} {entry.name}".strip()
        yield ""
        yield screen.styled(f"{mark} {name}", style) + screen.styled(f" · {when}", "dim")
        inner: Style = "dim" if entry.role in ("tool", "system") else ""
        yield from (screen.styled(line, inner) for line in entry.text.splitlines())
        yield from (screen.styled(line, "dim") for note in entry.notes for line in note.splitlines())
        yield from (screen.styled("[picture]", "dim") for _ in entry.images)


def _tree(tree: Tree, screen: Screen) -> Iterator[str]:
    """Read from the end, because only what follows tells whether a branch is the last of its parent."""
    followed: set[int] = set()
    lines = []
    for depth, line in reversed(tree.nodes):
        shown = min(depth, _DEEPEST)
        joint = "" if depth == 0 else "├─ " if shown in followed else "└─ "
        inner = "".join("│  " if level in followed else "   " for level in range(1, shown))
        lines.append(inner + joint + _line(line, screen))
        followed = {level for level in followed if level < shown} | {shown}
    yield from reversed(lines)
