"""When a job runs: `every 30m`, `daily at 9`, `mondays at 6pm`, `hourly`, or a cron expression."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from hermes.errors import BadInput

_UNITS = {"m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400}
_EVERY = re.compile(r"every\s+(?:(\d{1,4})\s*)?(m|min|minute|h|hour|d|day)s?", re.IGNORECASE)
_AT = re.compile(
    r"(?:on |every )?(daily|day|weekdays?|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
    r"\s+at\s+(\d{1,2})(?::(\d\d))?\s*([ap]m)?",
    re.IGNORECASE,
)
_DAYS = ("sun", "mon", "tues", "wednes", "thurs", "fri", "satur")
_WORDS = {"hourly": "0 * * * *", "daily": "0 9 * * *", "weekly": "0 9 * * 1", "monthly": "0 9 1 * *"}
_EXAMPLES = "try `every 30m`, `daily at 9`, `weekdays at 8:30`, or a cron expression such as `0 9 * * 1-5`."


def normal(text: str) -> str:
    """The schedule as it is kept: `every N` seconds, or a cron expression. BadInput says what can be typed."""
    words = " ".join(text.split())
    every = _EVERY.fullmatch(words)
    if every is not None:
        return f"every {_interval(int(every[1] or 1) * _UNITS[every[2].lower()])}"
    at = _AT.fullmatch(words)
    expression = _of_words(at) if at is not None else _WORDS.get(words.lower(), words)
    _simulated(expression, datetime(2026, 1, 1))
    return expression


def _interval(seconds: int) -> int:
    if not 60 <= seconds <= 366 * 86400:
        raise BadInput("An interval is a minute or more, and at most a year.")
    return seconds


def _of_words(found: "re.Match[str]") -> str:
    hour, minute, half = int(found[2]), int(found[3] or 0), (found[4] or "").lower()
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        raise BadInput(f"{found[2]}:{found[3] or '00'}{half} is no time of day.")
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    day = found[1].lower().removesuffix("s")
    named = {"daily": "*", "day": "*", "weekday": "1-5", "weekend": "0,6"}
    return f"{minute} {hour} * * {named.get(day) or _DAYS.index(day.removesuffix('day'))}"


def next_after(schedule: str, after: float, zone: ZoneInfo | None = None) -> float:
    """When a schedule in its normal form comes next, on the clock of the zone (None: the machine's)."""
    if schedule.startswith("every "):
        return after + int(schedule.removeprefix("every "))
    return _simulated(schedule, datetime.fromtimestamp(after, zone).astimezone(zone))


def _simulated(expression: str, after: datetime) -> float:
    from cronsim import CronSim, CronSimError  # only who schedules something pays

    try:
        return float(next(CronSim(expression, after)).timestamp())
    except (CronSimError, StopIteration):
        raise BadInput(f"'{expression[:60]}' is no schedule; {_EXAMPLES}") from None
