"""Moments as people type them: `2026-03-01`, `2026-03`, `yesterday`, `7d`."""

import re
from datetime import datetime, timedelta

from hermes.errors import BadInput

_AGO = re.compile(r"(\d{1,5})([hdwy])\Z")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}
_FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m", "%Y")


def moment(text: str | None, now: float) -> float | None:
    """Seconds since 1970: the beginning of a day, month or year in local time, or so long ago."""
    if text is None:
        return None
    typed = text.strip().lower().replace("t", " ") if text[:1].isdigit() else text.strip().lower()
    today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    if typed in ("today", "yesterday"):
        return (today - timedelta(days=typed == "yesterday")).timestamp()
    ago = _AGO.match(typed)
    if ago:
        return now - int(ago[1]) * _HOURS[ago[2]] * 3600
    for form in _FORMS:
        try:
            return datetime.strptime(typed, form).timestamp()
        except (ValueError, OverflowError):
            continue
    raise BadInput(f"'{text}' is no time; type it like 2026-03-01, 2026-03, '2026-03-01 14:00', yesterday or 7d.")
