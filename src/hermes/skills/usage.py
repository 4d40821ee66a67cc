"""How often each skill was used, by day; for lists, for insights, and for who tidies up."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hermes.errors import ConfigError

_DAYS = 400  # how far back it is remembered


class Usage:
    """A small file; one that is damaged counts as empty, and a disk that takes nothing more stops nobody."""

    def __init__(self, file: Path, source: str = "cli") -> None:
        self._file = file
        self._typed = _typed_on(source)

    def count(self, name: str, how: str) -> None:
        """`how`: viewed (by the agent) or typed (by the person, on the platform that this is for)."""
        from hermes.config import save  # loaded with the first skill that is used

        today, how = time.strftime("%Y-%m-%d"), self._typed if how == "typed" else how
        try:
            with save.alone(self._file):
                known = self._read()
                day = known.setdefault(name, {}).setdefault(today, {})
                day[how] = day.get(how, 0) + 1
                known[name] = dict(sorted(known[name].items())[-_DAYS:])
                save.replace(self._file, json.dumps(known, indent=1))
        except ConfigError:
            return  # the folder cannot be written: a count is no reason to fail

    def totals(self) -> dict[str, tuple[int, str]]:
        """Uses and the last day of each skill."""
        known = self._read()
        return {name: (sum(map(_uses, days.values())), max(days)) for name, days in known.items() if days}

    def typed_since(self, first_day: str, source: str | None = None) -> Counter[str]:
        """Uses that no tool call tells of, from this day on; on one platform, or on all."""
        found: Counter[str] = Counter()
        for name, days in self._read().items():
            for date, day in days.items():
                counted = {how: uses for how, uses in day.items() if how.startswith("typed") and date >= first_day}
                found[name] += sum(counted.values()) if source is None else counted.get(_typed_on(source), 0)
        return found

    def _read(self) -> dict[str, dict[str, dict[str, int]]]:
        try:
            found: Any = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if _is_sound(found) else {}


def _typed_on(source: str) -> str:
    return "typed" if source == "cli" else f"typed on {source}"


def _is_sound(found: Any) -> bool:
    if not isinstance(found, dict):
        return False
    days = [day for one in found.values() if isinstance(one, dict) for day in one.values()]
    return all(isinstance(one, dict) for one in found.values()) and all(
        isinstance(day, dict) and all(isinstance(uses, int) for uses in day.values()) for day in days
    )


def _uses(day: dict[str, int]) -> int:
    return sum(day.values())
