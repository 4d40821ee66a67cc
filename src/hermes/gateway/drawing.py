"""A reply of a command, as text for a chat."""

from datetime import datetime
from typing import Any

from hermes.commands.reply import Bars, Facts, Line, Panel, Reply, Sparkline, Stream, Table, Text, Transcript, Tree

_MOST_ROWS = 30


def drawn(reply: Reply) -> str:
    lines: list[str] = []
    for part in reply.parts:
        lines += _part(part)
    return "\n".join([*lines, *reply.notices]).strip()


def _part(part: Any) -> list[str]:
    if isinstance(part, Text | Panel):
        title = [part.title] if isinstance(part, Panel) else []
        return [*title, *map(_line, part.lines)]
    if isinstance(part, Table):
        return [_row(part, row) for row in part.rows[:_MOST_ROWS]]
    if isinstance(part, Facts):
        return [f"{name}: {_value(value, kind)}" for name, value, kind in part.facts]
    if isinstance(part, Transcript):
        return [*map(_line, part.heading), *(f"{one.role}: {one.text}" for one in part.entries)]
    if isinstance(part, Tree):
        return [f"{'  ' * depth}{_line(line)}" for depth, line in part.nodes]
    if isinstance(part, Bars):
        return [part.name, *(" · ".join((label, *beside)) for label, _, beside in part.rows)]
    if isinstance(part, Sparkline):
        return [f"{part.name} {part.note}".strip()]
    return [] if isinstance(part, Stream) else [str(part)]


def _line(line: Line) -> str:
    return line if isinstance(line, str) else "".join(span.text for span in line).rstrip()


def _row(table: Table, row: tuple[Any, ...]) -> str:
    cells = (_value(value, column.kind) for value, column in zip(row, table.columns, strict=True))
    return " · ".join(cell for cell in cells if cell)


def _value(value: Any, kind: str) -> str:
    if value is None:
        return ""
    if kind in ("time", "date") and isinstance(value, int | float):
        return datetime.fromtimestamp(value).strftime("%Y-%m-%d %H:%M" if kind == "time" else "%Y-%m-%d")
    return f"{value:,}" if kind in ("number", "bytes") and isinstance(value, int) else str(value).strip()
