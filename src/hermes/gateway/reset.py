"""When a chat begins a new session by itself: idle, daily, both, or none. Rules alone; core.py carries them out."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from hermes.config.areas.state import SessionReset
from hermes.gateway.keys import Place


class Rule(NamedTuple):
    mode: str
    at_hour: int
    idle_minutes: int
    notify: bool


def rule_for(settings: SessionReset, place: Place) -> Rule:
    """What holds here: a platform's own words go before a type's, and those before the rest. A thread follows what is
    said about threads, then what is said about the chat it is in."""
    layers: list[Any] = [settings, settings.by_type.get(place.kind)]
    layers.append(settings.by_type.get("thread") if place.thread else None)
    layers.append(settings.by_platform.get(place.platform))
    values = {name: _last(layers, name) for name in Rule._fields}
    values["notify"] = values["notify"] and place.platform not in settings.notify_exclude_platforms
    return Rule(**values)


def _last(layers: list[Any], name: str) -> Any:
    """The value of the last layer that says anything about it."""
    said = [getattr(layer, name) for layer in layers if layer is not None]
    return next(value for value in reversed(said) if value is not None)


def due(rule: Rule, active_at: float, now: float, zone: ZoneInfo | None = None) -> str | None:
    """`idle` or `daily`, when a session that a person was last active in at `active_at` is over by now."""
    if rule.mode in ("daily", "both") and active_at < last_daily(rule.at_hour, now, zone):
        return "daily"
    if rule.mode in ("idle", "both") and now - active_at >= rule.idle_minutes * 60:
        return "idle"
    return None


def last_daily(hour: int, now: float, zone: ZoneInfo | None = None) -> float:
    """When it was this hour last, on the clock of the zone (None: the machine's). An hour that a change of the clock
    leaves out counts as the moment of the change; one that comes twice counts the first time."""
    today = datetime.fromtimestamp(now, zone)
    at = _at(today, hour)
    return at if at <= now else _at(today - timedelta(days=1), hour)


def _at(day: datetime, hour: int) -> float:
    return day.replace(hour=hour, minute=0, second=0, microsecond=0, fold=0).timestamp()
