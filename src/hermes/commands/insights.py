"""Tokens, cost, tools and habits of the last days: the figures, and how they are told."""

import time
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from hermes.commands.reply import Bars, Facts, Kind, Part, Reply, Span, Sparkline, Text, count, said
from hermes.errors import BadInput
from hermes.store import SessionDB
from hermes.store.base import Row

MOST_DAYS = 36_500
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
UNKNOWN = "unknown"
_TOP = 10  # tools and skills that are drawn; the data has them all
NOTABLE = {
    "messages": "Most messages",
    "tool_calls": "Most tool calls",
    "tokens": "Most tokens",
    "cost": "Costliest",
    "duration": "Longest",
}
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def insights(
    db: SessionDB,
    *,
    days: int = 30,
    source: str | None = None,
    page: Path | None = None,
    force: bool = False,
    now: datetime | None = None,
) -> Reply:
    """The last days, today among them; with a `page` also as charts in one file of HTML."""
    figures = collect(db, days, source, now or datetime.now())
    if page is not None:
        return _written(figures, page, force)
    if not figures["overview"]["messages"] and not figures["models"]:
        where = f" on {source}" if source else ""
        return said(f"Nothing happened{where} in the last {count(days, 'day')}.", data=figures)
    return Reply(tuple(_parts(figures)), data=figures)


def _written(figures: dict[str, Any], page: Path, force: bool) -> Reply:
    from hermes.commands.insights_page import as_html
    from hermes.store.transfer import private_file

    with private_file(page, force=force) as out:
        out.write(as_html(figures).encode("utf-8", "backslashreplace"))
    return said(f"Wrote {page}; open it in a browser.", data=figures)


# -- the figures


def collect(db: SessionDB, days: int, source: str | None, now: datetime) -> dict[str, Any]:
    """Every figure as plain values; a cost that nobody knows is None."""
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(f"--days must be from 1 to {MOST_DAYS:,}.")
    last = now.date()
    try:
        first = last - timedelta(days=days - 1)
    except OverflowError:
        first = date.min
    after = datetime(first.year, first.month, first.day).timestamp()
    found = db.insights(after, source=source)
    hours = _hours(found["activity"])
    by_day: Counter[str] = Counter()
    for (day, _hour), messages in hours.items():
        by_day[day] += messages
    daily = _daily(first, days, by_day, found["usage"]["day"])
    return {
        "days": days,
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "source": source,
        "overview": _overview(found, daily),
        "models": [_spent(row, "model") for row in found["usage"]["model"]],
        "sources": _sources(found),
        "daily": daily,
        "tools": _tools(found["tools"], "tool"),
        "skills": _tools([*found["tools"], *_typed(first, source)], "skill"),
        "memory": _memory(found["tools"], source),
        "weekdays": _weekdays(by_day),
        "hours": _by_hour(hours),
        "grid": _grid(hours),
        "notable": _notable(found["notable"]),
    }


def _hours(activity: list[Row]) -> Counter[tuple[str, int]]:
    """Messages by local day and hour. A quarter of an hour never crosses one, wherever the clock is."""
    found: Counter[tuple[str, int]] = Counter()
    for row in activity:
        local = time.localtime(row["quarter"] * 900)
        found[time.strftime("%Y-%m-%d", local), local.tm_hour] += row["messages"]
    return found


def _overview(found: dict[str, Any], daily: list[Row]) -> dict[str, Any]:
    spent = [_spent(row, "model") for row in found["usage"]["model"]]
    active = [bool(day["messages"]) for day in daily]
    return {
        "conversations": sum(found["conversations"].values()),
        "messages": sum(row["messages"] for row in found["activity"]),
        "requests": sum(row["requests"] for row in found["activity"]),
        "tool_calls": sum(row["calls"] for row in found["tools"]),
        "model_calls": sum(row["model_calls"] for row in spent),
        **{name: sum(row[name] for row in spent) for name in ("tokens", *_TOKENS)},
        "cost_usd": _sum_known(row["cost_usd"] for row in spent),
        "unpriced": sum(row["unpriced"] for row in spent),
        "active_days": sum(active),
        "longest_streak": _longest(active),
        "current_streak": _current(active),
    }


def _spent(row: Row, name: str) -> Row:
    return {
        name: row[name],
        "sessions": row["session_count"],
        "model_calls": row["api_call_count"],
        "tokens": sum(row[column] for column in _TOKENS),
        **{column: row[column] for column in _TOKENS},
        "cost_usd": row["cost_usd"],
        "unpriced": row["unpriced"],
    }


def _sum_known(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def _sources(found: dict[str, Any]) -> list[Row]:
    messages: Counter[str] = Counter()
    for row in found["activity"]:
        messages[row["source"]] += row["messages"]
    spent = {row["source"]: _spent(row, "source") for row in found["usage"]["source"]}
    nothing = {
        "sessions": 0,
        "model_calls": 0,
        "tokens": 0,
        **dict.fromkeys(_TOKENS, 0),
        "cost_usd": None,
        "unpriced": 0,
    }
    names = sorted({*messages, *spent, *found["conversations"]}, key=lambda name: (-messages[name], name))
    return [
        {
            **nothing,
            **spent.get(name, {}),
            "source": name,
            "conversations": found["conversations"].get(name, 0),
            "messages": messages[name],
        }
        for name in names
    ]


def _daily(first: date, days: int, messages: Counter[str], usage: list[Row]) -> list[Row]:
    """Every day of the period, the empty ones too."""
    spent = {row["day"]: _spent(row, "day") for row in usage}
    rows = []
    for number in range(min(days, (date.max - first).days)):
        day = (first + timedelta(days=number)).isoformat()
        of_day = spent.get(day, {})
        rows.append(
            {
                "day": day,
                "messages": messages[day],
                "tokens": of_day.get("tokens", 0),
                "cost_usd": of_day.get("cost_usd"),
                "unpriced": of_day.get("unpriced", 0),
            }
        )
    return rows


def _typed(first: date, source: str | None) -> list[Row]:
    """Skills that the person typed, which no tool call tells of."""
    from hermes import paths
    from hermes.skills.usage import Usage

    typed = Usage(paths.skills_usage()).typed_since(first.isoformat(), source)
    return [{"skill": name, "calls": uses, "sessions": uses} for name, uses in typed.items() if uses]


def _memory(tools: list[Row], source: str | None) -> Row:
    """How often the agent wrote notes and looked at past conversations; how full the notes of this machine are."""
    from hermes import paths
    from hermes.commands.memory import standing

    calls = {row["tool"]: row["calls"] for row in _tools(tools, "tool")}
    now: Row = standing(paths.hermes_home()) if source in (None, "cli") else {"targets": [], "provider": None}
    return {**now, "written": calls.get("memory", 0), "looked_up": calls.get("session_search", 0)}


def _tools(rows: list[Row], name: str) -> list[Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if row[name] is not None:
            one = found.setdefault(row[name], {name: row[name], "calls": 0, "sessions": 0})
            one["calls"] += row["calls"]
            one["sessions"] = max(one["sessions"], row["sessions"])
    return sorted(found.values(), key=lambda one: (-one["calls"], str(one[name])))


def _weekdays(messages: Counter[str]) -> list[Row]:
    counted: Counter[int] = Counter()
    for day, number in messages.items():
        counted[date.fromisoformat(day).weekday()] += number
    return [{"weekday": name, "messages": counted[place]} for place, name in enumerate(WEEKDAYS)]


def _by_hour(hours: Counter[tuple[str, int]]) -> list[Row]:
    counted: Counter[int] = Counter()
    for (_day, hour), messages in hours.items():
        counted[hour] += messages
    return [{"hour": hour, "messages": counted[hour]} for hour in range(24)]


def _grid(hours: Counter[tuple[str, int]]) -> list[list[int]]:
    """Weekdays by hours."""
    grid = [[0] * 24 for _ in WEEKDAYS]
    for (day, hour), messages in hours.items():
        grid[date.fromisoformat(day).weekday()][hour] += messages
    return grid


def _longest(active: list[bool]) -> int:
    longest = run = 0
    for one in active:
        run = run + 1 if one else 0
        longest = max(longest, run)
    return longest


def _current(active: list[bool]) -> int:
    """Days in a row up to today; a day that has only begun does not end a streak."""
    days = active[:-1] if active and not active[-1] else active
    run = 0
    for one in reversed(days):
        if not one:
            break
        run += 1
    return run


def _notable(found: dict[str, list[Row]]) -> list[Row]:
    return [{"measure": measure, **row} for measure, rows in found.items() for row in rows]


# -- how they are told


def short(number: float) -> str:
    """`950`, `12.4K`, `3.1M`."""
    for unit, factor in (("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if number >= factor:
            return f"{number / factor:.1f}{unit}"
    return f"{number:.0f}"


def cost(row: Row) -> str:
    """`$1.20`, `unknown`, or with `+` when part of it is not known."""
    if row["cost_usd"] is None:
        return UNKNOWN if row["unpriced"] else "—"
    return dollars(row["cost_usd"]) + ("+" if row["unpriced"] else "")


def dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 0.005 or amount == 0 else "<$0.01"


def duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes}m"
    return f"{minutes // 60}h {minutes % 60}m" if minutes < 48 * 60 else f"{minutes // 1440}d"


def amount(measure: str, value: float) -> str:
    if measure == "cost":
        return dollars(value)
    return duration(value) if measure == "duration" else f"{value:,}" if measure != "tokens" else short(value)


def _parts(figures: dict[str, Any]) -> Iterable[Part]:
    source = f" · {figures['source']}" if figures["source"] else ""
    heading = Span(f"Insights: the last {count(figures['days'], 'day')}{source}", "strong")
    yield Text(((heading,),))
    yield Facts(tuple(_facts(figures["overview"])))
    yield from _spending(figures)
    yield from _habits(figures)
    yield from _tools_used(figures)
    remembered = memory_facts(figures["memory"])
    if remembered:
        yield Text(("", (Span("Memory", "strong"),)))
        yield Facts(tuple((label, value, "text") for label, value in remembered))
    if figures["notable"]:
        heading = Span("Notable conversations", "strong")
        yield Text(("", (heading,), *map(_notable_line, figures["notable"])), prose=True)


def _facts(overview: Row) -> list[tuple[str, Any, Kind]]:
    streak = f"{count(overview['current_streak'], 'day')} now, {count(overview['longest_streak'], 'day')} at most"
    facts: list[tuple[str, Any, Kind]] = [
        ("Conversations", overview["conversations"], "number"),
        ("Messages", f"{overview['messages']:,}, {overview['requests']:,} of them yours", "text"),
        ("Model calls", overview["model_calls"], "number"),
        ("Tokens", f"{short(overview['tokens'])} ({_split(overview)})", "text"),
        ("Cost", cost(overview), "text"),
        ("Active days", overview["active_days"], "number"),
        ("Streak", streak, "text"),
    ]
    if overview["cost_usd"] is not None and overview["unpriced"]:
        facts[4] = (
            "Cost",
            f"{dollars(overview['cost_usd'])}, and {count(overview['unpriced'], 'call')} unknown",
            "text",
        )
    return facts


def _split(overview: Row) -> str:
    cached = overview["cache_read_tokens"] + overview["cache_write_tokens"]
    return f"{short(overview['input_tokens'])} in, {short(overview['output_tokens'])} out, {short(cached)} cached"


def _spending(figures: dict[str, Any]) -> Iterable[Part]:
    daily = figures["daily"]
    if len(daily) > 1 and any(day["tokens"] for day in daily):
        peak = max(daily, key=lambda day: day["tokens"])
        yield Sparkline(
            "Tokens a day", tuple(day["tokens"] for day in daily), f"{short(peak['tokens'])} on {peak['day']}"
        )
    if len(daily) > 1 and any(day["cost_usd"] for day in daily):
        peak = max(daily, key=lambda day: day["cost_usd"] or 0)
        spent = tuple(day["cost_usd"] or 0 for day in daily)
        yield Sparkline("Cost a day", spent, f"{dollars(peak['cost_usd'])} on {peak['day']}")
    models = tuple(
        (row["model"] or UNKNOWN, row["tokens"], (short(row["tokens"]), cost(row))) for row in figures["models"]
    )
    if models:
        yield Bars("Models", ("tokens", "cost"), models)
    sources = tuple(
        (row["source"], row["messages"], (f"{row['messages']:,}", short(row["tokens"]), cost(row)))
        for row in figures["sources"]
    )
    if sources:
        yield Bars("Sources", ("messages", "tokens", "cost"), sources)


def _habits(figures: dict[str, Any]) -> Iterable[Part]:
    if not figures["overview"]["messages"]:
        return
    daily = figures["daily"]
    if len(daily) > 1:
        peak = max(daily, key=lambda day: day["messages"])
        messages = tuple(day["messages"] for day in daily)
        yield Sparkline("Messages a day", messages, f"{peak['messages']:,} on {peak['day']}")
    days = tuple((row["weekday"], row["messages"], (f"{row['messages']:,}",)) for row in figures["weekdays"])
    yield Bars("Weekdays", ("messages",), days)
    hours = tuple(row["messages"] for row in figures["hours"])
    busiest = max(range(24), key=hours.__getitem__)
    yield Sparkline("Hours", hours, f"busiest {busiest:02}:00", "0     6     12    18    ")


def _tools_used(figures: dict[str, Any]) -> Iterable[Part]:
    for heading, name in (("Tools", "tool"), ("Skills", "skill")):
        rows = figures[f"{name}s"]
        if rows:
            drawn = tuple((row[name], row["calls"], (f"{row['calls']:,}",)) for row in rows[:_TOP])
            more = f", {len(rows) - _TOP} more" if len(rows) > _TOP else ""
            yield Bars(heading + more, ("calls",), drawn)


def memory_facts(memory: Row) -> list[tuple[str, str]]:
    """In words; nothing where nothing is remembered."""
    from hermes.commands.memory import TITLES, fullness

    used = {"Notes written": memory["written"], "Looked up in the past": memory["looked_up"]}
    facts = [(TITLES[one["target"]], fullness(one)) for one in memory["targets"] if one["entries"]]
    facts += [(label, count(times, "time")) for label, times in used.items() if times]
    return [*facts, ("Provider", memory["provider"])] if memory["provider"] else facts


def _notable_line(row: Row) -> tuple[Span, ...]:
    told = f"{NOTABLE[row['measure']]}: {amount(row['measure'], row['amount'])}"
    return (Span(told), Span(f" · {row['title'] or 'no title'} · {row['id']}", "dim"))
