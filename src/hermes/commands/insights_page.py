"""Insights as one page of HTML that needs nothing else: the charts are inline SVG, no script, nothing is loaded."""

import html
from collections.abc import Callable, Sequence
from typing import Any

from hermes.commands.insights import NOTABLE, UNKNOWN, WEEKDAYS, amount, cost, dollars, memory_facts, short
from hermes.commands.reply import count
from hermes.store.base import Row

_WIDE, _HIGH, _LEFT, _UNDER = 720, 180, 56, 22
_BAR, _LABEL, _FIGURE = 24, 190, 150
_CELL = 26

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Hermes insights</title>
<style>
:root { color-scheme: light dark; --bar: #2a7a4b; --second: #b7791f; --line: #8884; --soft: #777; }
@media (prefers-color-scheme: dark) { :root { --bar: #5cc48a; --second: #e3b04b; --soft: #999; } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .5rem; } .about { color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; margin: 1.5rem 0; }
dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; font-size: 1.35rem; font-weight: 600; }
svg { width: 100%; height: auto; overflow: visible; font: 12px system-ui, sans-serif; fill: currentColor; }
.bar { fill: var(--bar); } .second { fill: var(--second); } .soft { fill: var(--soft); } .end { text-anchor: end; }
.rule { stroke: var(--line); } .middle { text-anchor: middle; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .3rem .6rem .3rem 0; }
tr { border-top: 1px solid var(--line); } td { overflow-wrap: anywhere; }
</style>
</head>
<body>
"""


def as_html(figures: dict[str, Any]) -> str:
    """The whole page."""
    source = f" · {html.escape(figures['source'])}" if figures["source"] else ""
    about = f"{figures['first_day']} to {figures['last_day']}{source}"
    sections = [_HEAD, "<h1>Hermes insights</h1>\n", f'<p class="about">{about}</p>\n', _overview(figures["overview"])]
    daily = figures["daily"]
    sections.append(_section("Tokens a day", _columns(daily, "tokens", short)))
    sections.append(_section("Cost a day", _columns(daily, "cost_usd", dollars, "second")))
    sections.append(_section("Messages a day", _columns(daily, "messages", short)))
    sections.append(_section("Models", _bars([_spent(row, "model") for row in figures["models"]])))
    sections.append(_section("Sources", _bars([_spent(row, "source") for row in figures["sources"]])))
    sections.append(_section("When", _week(figures["grid"])))
    for name in ("tool", "skill"):
        rows = [(row[name], row["calls"], count(row["calls"], "call")) for row in figures[f"{name}s"][:25]]
        sections.append(_section(f"{name.capitalize()}s", _bars(rows)))
    sections.append(_section("Memory", _table(memory_facts(figures["memory"]))))
    sections.append(_section("Notable conversations", _notable(figures["notable"])))
    return "".join(sections) + "</body>\n</html>\n"


def _section(heading: str, drawn: str) -> str:
    return f"<h2>{heading}</h2>\n{drawn}\n" if drawn else ""


def _overview(overview: Row) -> str:
    facts = (
        ("Conversations", f"{overview['conversations']:,}"),
        ("Messages", f"{overview['messages']:,}"),
        ("Tool calls", f"{overview['tool_calls']:,}"),
        ("Model calls", f"{overview['model_calls']:,}"),
        ("Tokens", short(overview["tokens"])),
        ("Cost", cost(overview)),
        ("Active days", f"{overview['active_days']:,}"),
        ("Longest streak", count(overview["longest_streak"], "day")),
    )
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts) + "</dl>\n"


def _table(facts: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><td>{html.escape(label)}</td><td>{html.escape(value)}</td></tr>" for label, value in facts)
    return f"<table>{rows}</table>" if rows else ""


def _spent(row: Row, name: str) -> tuple[str, float, str]:
    return row[name] or UNKNOWN, row["tokens"], f"{short(row['tokens'])} tokens, {cost(row)}"


def _columns(daily: Sequence[Row], name: str, told: Callable[[float], str], style: str = "bar") -> str:
    """A column a day, with what it stands for when the pointer rests on it; the highest gives the scale."""
    highest = max((day[name] or 0 for day in daily), default=0)
    if not highest:
        return ""
    step = (_WIDE - _LEFT) / len(daily)
    drawn = [_scale(highest, told)]
    for place, day in enumerate(daily):
        tall = (day[name] or 0) / highest * _HIGH
        shape = f'x="{_LEFT + place * step:.2f}" y="{_HIGH - tall:.2f}" width="{step * 0.8:.2f}" height="{tall:.2f}"'
        figure = UNKNOWN if day[name] is None and day["unpriced"] else told(day[name] or 0)
        drawn.append(f'<rect class="{style}" {shape}><title>{day["day"]}: {html.escape(figure)}</title></rect>')
    drawn.append(_days(daily))
    return _svg(_WIDE, _HIGH + _UNDER, drawn)


def _scale(highest: float, told: Callable[[float], str]) -> str:
    lines = []
    for part in (1.0, 0.5, 0.0):
        y = _HIGH * (1 - part)
        lines.append(f'<line class="rule" x1="{_LEFT}" x2="{_WIDE}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(
            f'<text class="soft end" x="{_LEFT - 6}" y="{y + 4:.1f}">{html.escape(told(highest * part))}</text>'
        )
    return "".join(lines)


def _days(daily: Sequence[Row]) -> str:
    first, last = daily[0]["day"], daily[-1]["day"]
    y = _HIGH + 16
    begun = f'<text class="soft" x="{_LEFT}" y="{y}">{first}</text>'
    return begun if first == last else begun + f'<text class="soft end" x="{_WIDE}" y="{y}">{last}</text>'


def _bars(rows: Sequence[tuple[str, float, str]]) -> str:
    """A bar a row: its name before it, its figures behind it."""
    highest = max((row[1] for row in rows), default=0)
    drawn = []
    for place, (name, value, figure) in enumerate(rows):
        y = place * _BAR
        wide = value / highest * (_WIDE - _LABEL - _FIGURE) if highest else 0
        title = f"<title>{html.escape(name)}: {html.escape(figure)}</title>"
        drawn.append(f'<text class="end" x="{_LABEL - 8}" y="{y + 16}">{html.escape(_cut(name))}{title}</text>')
        drawn.append(
            f'<rect class="bar" x="{_LABEL}" y="{y + 4}" width="{wide:.1f}" height="{_BAR - 8}">{title}</rect>'
        )
        drawn.append(f'<text class="soft" x="{_LABEL + wide + 6:.1f}" y="{y + 16}">{html.escape(figure)}</text>')
    return _svg(_WIDE, len(rows) * _BAR, drawn) if rows else ""


def _cut(name: str) -> str:
    return name if len(name) <= 28 else name[:27] + "…"


def _week(grid: Sequence[Sequence[int]]) -> str:
    """Weekdays down, hours across; the more messages, the stronger the square."""
    highest = max(max(hours) for hours in grid)
    if not highest:
        return ""
    drawn = []
    for hour in range(0, 24, 3):
        drawn.append(f'<text class="soft" x="{_LEFT + hour * _CELL}" y="12">{hour:02}</text>')
    for weekday, hours in enumerate(grid):
        y = 18 + weekday * _CELL
        drawn.append(f'<text class="soft end" x="{_LEFT - 8}" y="{y + 17}">{WEEKDAYS[weekday]}</text>')
        for hour, messages in enumerate(hours):
            strength = 0.08 + 0.92 * messages / highest
            shape = f'x="{_LEFT + hour * _CELL}" y="{y}" width="{_CELL - 3}" height="{_CELL - 3}" rx="3"'
            title = f"{WEEKDAYS[weekday]} {hour:02}:00: {count(messages, 'message')}"
            drawn.append(f'<rect class="bar" fill-opacity="{strength:.2f}" {shape}><title>{title}</title></rect>')
    return _svg(_WIDE, 18 + 7 * _CELL, drawn)


def _notable(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    cells = [
        (
            NOTABLE[row["measure"]],
            amount(row["measure"], row["amount"]),
            row["title"] or "no title",
            row["source"],
            row["id"],
        )
        for row in rows
    ]
    lines = ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in cells]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _svg(wide: int, high: int, drawn: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {wide} {high}" role="img">\n' + "\n".join(drawn) + "\n</svg>"
