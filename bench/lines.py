"""The lines a benchmark prints: what, ours, reference, ratio, floor, goal, verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

MISSED, HELD, GOAL = "FLOOR MISSED", "held", "goal"
_WIDTHS = (57, 10, 10, 25, 11, 11)
_SCALES = {"ms": 1000.0, "MB": 1e-6}


@dataclass(frozen=True)
class Target:
    """`times`: how many times better than the reference, at least. `most`: what our own figure may be, at most."""

    kind: Literal["times", "most"]
    floor: float
    goal: float


@dataclass
class Line:
    """One comparison, a value per round and program. Values are in seconds, bytes, or plain numbers."""

    what: str
    unit: str
    better: Literal["more", "less"] = "less"
    target: Target | None = None
    compared: bool = True  # a ratio of counts of mishaps says nothing
    values: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "reference": []})

    @property
    def ratios(self) -> list[float]:
        """How many times better we are, round by round."""
        if not self.compared:
            return []
        pairs = zip(self.values["ours"], self.values["reference"], strict=False)
        return [_times(us, them) if self.better == "more" else _times(them, us) for us, them in pairs]

    @property
    def verdict(self) -> str:
        """A floor is missed when the whole interval lies on its wrong side."""
        if self.target is None:
            return ""
        figures = self.ratios if self.target.kind == "times" else self.values["ours"]
        if not figures:
            return ""
        sign = 1 if self.target.kind == "times" else -1
        if max(sign * figure for figure in figures) < sign * self.target.floor:
            return MISSED
        return GOAL if sign * median(figures) >= sign * self.target.goal else HELD

    def as_json(self) -> dict[str, Any]:
        target = self.target and {"kind": self.target.kind, "floor": self.target.floor, "goal": self.target.goal}
        return {
            "what": self.what,
            "unit": self.unit,
            "better": self.better,
            **self.values,
            "ratios": self.ratios,
            "target": target,
            "verdict": self.verdict,
        }

    def cells(self) -> list[str]:
        ratios = self.ratios
        low, middle, high = (f"{value:.{0 if value >= 100 else 2}f}" for value in _interval(ratios))
        return [
            self.what,
            self._figure("ours"),
            self._figure("reference"),
            f"{middle}x ({low}..{high})" if ratios else "",
            self._bound("floor"),
            self._bound("goal"),
            self.verdict,
        ]

    def _figure(self, program: str) -> str:
        values = self.values[program]
        return _shown(median(values), self.unit) if values else ""

    def _bound(self, name: Literal["floor", "goal"]) -> str:
        if self.target is None:
            return ""
        bound = getattr(self.target, name)
        return f">= {bound:g}x" if self.target.kind == "times" else f"<= {_shown(bound, self.unit)}"


def _interval(values: Sequence[float]) -> tuple[float, float, float]:
    return (min(values), median(values), max(values)) if values else (0, 0, 0)


def _times(more: float, less: float) -> float:
    if less == 0:
        return 1.0 if more == 0 else math.inf
    return more / less


def _shown(value: float, unit: str) -> str:
    scaled = value * _SCALES.get(unit, 1)
    digits = 0 if scaled >= 100 or scaled == int(scaled) else 1 if scaled >= 10 else 2 if scaled >= 1 else 3
    return f"{scaled:,.{digits}f}{'' if unit == '/s' else ' '}{unit}".rstrip()


def header() -> str:
    return _row(["what", "ours", "reference", "ratio (min..max)", "floor", "goal", ""])


def rendered(line: Line) -> str:
    return _row(line.cells())


def table(lines: Sequence[Line]) -> str:
    return "\n".join([header(), "-" * (sum(_WIDTHS) + 2 * len(_WIDTHS) + 12), *map(rendered, lines)])


def _row(cells: Sequence[str]) -> str:
    aligned = [
        f"{cells[0]:{_WIDTHS[0]}}",
        *(f"{cell:>{width}}" for cell, width in zip(cells[1:6], _WIDTHS[1:], strict=True)),
    ]
    return "  ".join([*aligned, cells[6]]).rstrip()
