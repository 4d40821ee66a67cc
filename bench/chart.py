"""The growth lines as a picture: cost over size, both axes logarithmic."""

import math
from html import escape

from bench.rounds import Group

_WIDTH, _HEIGHT, _LEFT, _TOP = 760, 420, 70, 30
_COLOURS = ("#1b6ca8", "#c1440e", "#3a7d44", "#7b4397", "#b8860b", "#444444", "#d0387a")


def growth_chart(steps: tuple[int, ...], groups: dict[str, Group]) -> str:
    """An SVG: ours as full lines, the reference as dashed ones."""
    names = [name for name, line in groups[f"growth {steps[0]}"].lines.items() if line.unit == "ms"]
    series = {
        (name, program): [
            (step, values[-1] * 1000)
            for step in steps
            if (values := groups[f"growth {step}"].lines[name].values[program])
        ]
        for name in names
        for program in ("ours", "reference")
    }
    costs = [cost for points in series.values() for _, cost in points]
    low, high = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
    plot = _Plot(math.log10(steps[0]), math.log10(steps[-1]), low, high)
    body = [plot.frame(steps)]
    for (name, program), points in series.items():
        if points:
            body.append(plot.line(points, _COLOURS[names.index(name) % len(_COLOURS)], dashed=program == "reference"))
    body += [_legend(i, name) for i, name in enumerate(names)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH + 180} {_HEIGHT + 80}" font-family="sans-serif">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *body, "</svg>"]) + "\n"


class _Plot:
    def __init__(self, left: float, right: float, low: float, high: float) -> None:
        self._left, self._right, self._low, self._high = left, right, low, max(high, low + 1)

    def frame(self, steps: tuple[int, ...]) -> str:
        parts = [
            f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
        ]
        for power in range(int(self._low), int(self._high) + 1):
            y = self._y(10.0**power)
            parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(
                f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" font-size="12">{10.0**power:g} ms</text>'
            )
        for step in steps:
            x = self._x(step)
            parts.append(
                f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle" font-size="12">{step:,}</text>'
            )
        middle = (_LEFT + _WIDTH) / 2
        label = "messages in the store (full lines: Hermes, dashed: the reference)"
        parts.append(f'<text x="{middle}" y="{_TOP + _HEIGHT + 40}" text-anchor="middle" font-size="13">{label}</text>')
        return "\n".join(parts)

    def line(self, points: list[tuple[int, float]], colour: str, *, dashed: bool) -> str:
        path = " ".join(f"{self._x(size):.1f},{self._y(cost):.1f}" for size, cost in points)
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        dots = "".join(
            f'<circle cx="{self._x(size):.1f}" cy="{self._y(cost):.1f}" r="3" fill="{colour}"/>'
            for size, cost in points
        )
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>{dots}'

    def _x(self, size: float) -> float:
        share = (math.log10(size) - self._left) / max(self._right - self._left, 1e-9)
        return _LEFT + 20 + share * (_WIDTH - _LEFT - 40)

    def _y(self, cost: float) -> float:
        return _TOP + _HEIGHT - (math.log10(cost) - self._low) / (self._high - self._low) * _HEIGHT


def _legend(number: int, name: str) -> str:
    y = _TOP + 20 + number * 22
    colour = _COLOURS[number % len(_COLOURS)]
    return (
        f'<rect x="{_WIDTH + 20}" y="{y - 10}" width="14" height="4" fill="{colour}"/>'
        f'<text x="{_WIDTH + 42}" y="{y - 4}" font-size="13">{escape(name)}</text>'
    )
