"""Bars and sparklines, as wide as the terminal allows; a pipe gets 80 columns."""

from collections.abc import Iterator, Sequence

from hermes.cli.screen import Screen, safe
from hermes.cli.width import cut, pad, width
from hermes.commands.reply import Bars, Sparkline

_WIDEST = 80
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_STEPS = "▁▂▃▄▅▆▇█"
_LEAST_BAR = 4


def bars(part: Bars, screen: Screen) -> Iterator[str]:
    """Label, bar, figures; where there is little room the bar shrinks first, then the label."""
    rows = [(" ".join(safe(label).split()), value, cells) for label, value, cells in part.rows]
    widths = [max(len(name), *(width(row[2][place]) for row in rows)) for place, name in enumerate(part.columns)]
    room = _room(screen)
    figures = sum(widths) + len(widths)
    label = min(max(width(row[0]) for row in rows), max(8, room - figures - _LEAST_BAR - 1), max(1, room - figures - 1))
    bar = room - figures - label - 1
    highest = max(row[1] for row in rows)
    yield ""
    heading = pad(cut(part.name, room - figures), room - figures)
    yield screen.styled(heading, "strong") + screen.styled(_figures(part.columns, widths), "dim")
    for name, value, cells in rows:
        drawn = _bar(value, highest, bar)
        yield f"{pad(cut(name, label), label)} {screen.styled(drawn, 'good')}{_figures(cells, widths)}"


def _figures(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(" " + " " * (wide - width(cell)) + cell for cell, wide in zip(cells, widths, strict=True))


def _bar(value: float, highest: float, columns: int) -> str:
    """In eighths of a column; what is not nothing shows."""
    if columns < _LEAST_BAR:
        return " " * max(0, columns)
    eighths = round(value / highest * columns * 8) if highest > 0 else 0
    eighths = max(eighths, 1 if value > 0 else 0)
    drawn = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return pad(drawn, columns)


def sparkline(part: Sparkline, screen: Screen) -> Iterator[str]:
    room = _room(screen)
    values = _gathered(part.values, room)
    highest = max(values)
    yield ""
    note = cut(part.note, max(0, room - width(part.name) - 2))
    yield screen.styled(part.name, "strong") + (screen.styled(f"  {note}", "dim") if note else "")
    yield screen.styled("".join(_step(value, highest) for value in values), "good")
    if part.scale:
        yield screen.styled(part.scale, "dim")


def _step(value: float, highest: float) -> str:
    if value <= 0 or highest <= 0:
        return " "
    return _STEPS[min(7, int(value / highest * 8))]


def _gathered(values: Sequence[float], room: int) -> list[float]:
    """As many as there is room for; neighbours are added up."""
    together = -(-len(values) // room)
    return [sum(values[start : start + together]) for start in range(0, len(values), together)]


def _room(screen: Screen) -> int:
    return min(screen.size[0], _WIDEST)
